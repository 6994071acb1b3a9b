/* Whose checkpoint a file is: who wrote it, on which machine, of which program. The first part of every checkpoint; a
 * run goes on only where all of it is the same. */
#ifndef LOCKSTEP_GPU_CHECKPOINT_H
#define LOCKSTEP_GPU_CHECKPOINT_H

#include "base/archive.h"
#include "gpu/machine.h"

#define CHECKPOINT_PROGRAM "a program"
#define CHECKPOINT_CASE "a launch file"

struct checkpoint_identity {
    struct strbuf version, build; /* of Lockstep; the linker's build id */
    struct strbuf kind;           /* CHECKPOINT_PROGRAM or CHECKPOINT_CASE */
    struct strbuf machine;        /* group.parameter=value, one a line */
    struct strbuf command;        /* the writer's own: how the run was started, not compared */
    uint64_t program, arguments;  /* hashes of what is run */
};

/* Describes the run in this process; command is left empty. */
void checkpoint_identify(struct checkpoint_identity *id, const char *kind, const struct machine *machine,
                         uint64_t program, uint64_t arguments);
void checkpoint_identity_free(struct checkpoint_identity *id);
void checkpoint_archive_identity(struct archive *ar, struct checkpoint_identity *id);
/* 0 when the run of `stored` can go on as `here`; else -1 with a diagnostic that says what differs. */
int checkpoint_compare(const struct checkpoint_identity *stored, const struct checkpoint_identity *here,
                       struct diag_sink *sink);
/* The part of it that is known before anything is started. */
int checkpoint_compare_target(const char *kind_there, const char *kind_here, const char *machine_there,
                              const struct machine *machine, struct diag_sink *sink);
/* The name of a checkpoint file taken at `cycle`: %c behind the pattern's last slash stands for the cycle. To be freed.
 */
char *checkpoint_path(const char *pattern, uint64_t cycle);

#endif
