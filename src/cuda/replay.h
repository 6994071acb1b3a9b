/* Checkpoints of programs. A program's own memory cannot be saved, so that a run is continued by starting the program
 * anew and letting it repeat what it did: every call that changes the device or brings something from it is noted while
 * the program runs, and the notes are part of the checkpoint. When it repeats itself, each call is compared with its
 * note; launches are not run again but answered from their notes, and so is every copy of what they computed. The
 * launch that was under way at the checkpoint then goes on from the saved device.
 *
 * A program that does anything else than before (it reads the time, other input, or several threads call in another
 * order) is refused at the first call that differs. */
#ifndef LOCKSTEP_CUDA_REPLAY_H
#define LOCKSTEP_CUDA_REPLAY_H

#include "base/archive.h"
#include "base/strbuf.h"
#include "cuda/api.h"
#include "gpu/gpu.h"

struct runtime;

struct replay {
    bool on;    /* calls are noted */
    bool going; /* the program repeats what it did before the checkpoint */
    const char *pattern;
    bool keeps;     /* notes are kept, for there may be checkpoints: by cycles, or when the monitor asks for one */
    uint64_t every; /* cycles between checkpoints, 0: none */
    uint64_t left;  /* of them until the next one, on the next device */
    uint64_t program, arguments;
    struct strbuf log;         /* the notes */
    size_t at;                 /* repeating: the next one */
    uint64_t calls;            /* noted or compared so far */
    struct strbuf launch;      /* note of the launch that is (or was, at the checkpoint) under way */
    struct archive *resume;    /* the checkpoint, read as far as the device; closed once the launch goes on */
    struct strbuf host_memory; /* what the host could see of it when the launch began */
};

/* The effects of a launch besides device memory. */
struct launch_outcome {
    struct strbuf output, figures, diagnostics; /* printf's, the line of JSON or nothing, text for standard error */
    uint32_t error;                             /* cudaError_t: the launch's own, or what the calls after it answer */
    bool sticks;                                /* the calls after it */
};
void launch_outcome_free(struct launch_outcome *outcome);

/* Reads the settings and opens the checkpoint to continue. 0, or -1 with diagnostics. */
int replay_open(struct runtime *rt, struct diag_sink *sink);
/* A device was made; it is about to be destroyed. Cycles until the next checkpoint are counted over devices. */
void replay_device(struct runtime *rt);
void replay_device_ends(struct runtime *rt);
/* The process ends. */
void replay_close(struct runtime *rt);

/* A call of the entry point rt->entry whose effect follows from the numbers given alone: noted, or compared. */
cudaError_t replay_call(struct runtime *rt, uint64_t a, uint64_t b, uint64_t c);
/* As replay_call, with bytes that the program hands over. */
cudaError_t replay_bytes(struct runtime *rt, uint64_t to, const void *from, size_t bytes);
/* Before a copy out of the device to memory that the host can read: true when it was answered here, with *error. */
bool replay_fetch(struct runtime *rt, void *to, uint64_t from, size_t bytes, cudaError_t *error);
/* After that copy was made. */
void replay_fetched(struct runtime *rt, const void *to, uint64_t from, size_t bytes);

/* Before a launch. code: text of the module's PTX. Returns true when the launch need not run: outcome is what it was,
 * or the program is refused with outcome->error. Otherwise launch->resume is set if it is to be continued. */
bool replay_launch(struct runtime *rt, struct gpu_launch *launch, const char *code, struct launch_outcome *outcome);
/* After it has run. */
void replay_launched(struct runtime *rt, struct launch_outcome *outcome);

#endif
