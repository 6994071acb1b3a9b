/* Spinning warps. A detector watches the instructions of an SM's warps and says which backward branches are
 * spin-inducing (SIBs: a warp that takes one goes round a loop in which it waits). Who holds back a warp that takes
 * one is a spin control (core/sched/control.h). A detector is one file, which fills in a struct spin_detector. Its
 * state is plain memory without pointers, so that checkpoints copy it.
 *
 * struct spin is what an SM has of this: the detector, and the measures of the HPCA 2018 paper (detection rates, lock
 * outcomes, wasted work, back-off). */
#ifndef LOCKSTEP_WATCH_SPIN_SPIN_H
#define LOCKSTEP_WATCH_SPIN_SPIN_H

#include "base/arena.h"
#include "simt/warp.h"
#include "watch/spin/spin_params.h"
#include "stats/stat.h"

#define SPIN_WARPS 64 /* slots of an SM, at most */

struct spin_stats {
#include "stats/stat_fields.h"
#include "watch/spin/spin_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group spin_stat_group;

/* An instruction that a warp has just issued and executed. */
struct spin_event {
    uint64_t cycle;
    unsigned warp;        /* slot of the SM */
    uint32_t pc;          /* of the module */
    uint32_t relative_pc; /* instructions from the kernel's first */
    uint32_t branch;      /* number of the backward branch, from 0 */
    const struct isa_instr *instr;
    uint64_t active, mask; /* lanes of the active mask; of them, those whose guard is true: those that take a branch */
    const struct simt_warp *simt;
};

enum spin_verdict {
    SPIN_NO,
    SPIN_CONFIRMED, /* from its next execution on */
    SPIN_YES,
};

struct spin_detector {
    const char *name, *doc;
    bool believes_marks; /* knows nothing of loops when the source marks none */
    size_t (*state_bytes)(const struct spin_params *params, uint32_t branches);
    /* state is zeroed memory. */
    void (*reset)(void *state, const struct spin_params *params, uint32_t branches);
    void (*launched)(void *state, unsigned warp);              /* a new warp in the slot; may be NULL */
    void (*setp)(void *state, const struct spin_event *event); /* may be NULL */
    /* A backward branch, not to itself, that counts (spin.counts). */
    enum spin_verdict (*branch)(void *state, const struct spin_event *event);
    /* A lane of the warp changed a memory location (address tagged by its space) from before, if that is known, to
     * after; may be NULL. */
    void (*wrote)(void *state, unsigned warp, unsigned lane, uint64_t address, const uint64_t *before, uint64_t after);
    void (*drained)(void *state); /* the SM has no blocks left */
    /* Branches that are kept count of at this moment, and confirmed ones. */
    void (*occupancy)(const void *state, uint32_t *entries, uint32_t *confirmed);
    /* Storage of the hardware for an SM of so many warps. */
    uint64_t (*hardware_bits)(const struct spin_params *params, unsigned warps);
};

/* The detector of that name, or NULL; all of them, NULL-terminated. */
const struct spin_detector *spin_find_detector(const char *name);
const struct spin_detector *const *spin_detectors(void);

struct spin;

struct spin_setup {
    const struct spin_params *params;
    const struct spin_detector *detector, *judge; /* judge: tells true detections from false ones */
    unsigned warps;
    uint64_t control_bits; /* storage of the hardware that holds back warps: counted with the detector's */
};

/* Returns the spin detection of an SM, whose memory belongs to arena. */
struct spin *spin_create(const struct spin_setup *setup, struct arena *arena);
void spin_destroy(struct spin *spin);
/* Begins a launch of the kernel whose first instruction is first_pc. */
void spin_begin(struct spin *spin, const struct isa_module *module, uint32_t first_pc);
/* Numbers the module's backward branches from 1 in order of pc, 0 for other instructions (number may be NULL); returns
 * how many. */
uint32_t spin_number_branches(const struct isa_module *module, uint16_t *number);
void spin_launched(struct spin *spin, unsigned warp);
/* An instruction was issued and executed; event->branch is the number of spin_number_branches. access: of a memory
 * instruction, or NULL. Returns true when it was a spin-inducing branch, and the warp has no lanes elsewhere that may
 * go on. */
bool spin_issued(struct spin *spin, const struct spin_event *event, const struct simt_access *access);
/* A lane of the warp has got the old value of its atomic access of global memory back. took: it found what it compared
 * with. */
struct spin_atomic {
    unsigned warp, lane;
    const struct isa_instr *instr;
    uint64_t address, before, after;
    bool took;
};
void spin_atomic(struct spin *spin, const struct spin_atomic *atomic);
/* A warp that spins is held back; one is no more, and takes a delay of `limit` cycles along. */
void spin_backed_off(struct spin *spin);
void spin_left(struct spin *spin, uint64_t limit);
/* A memory instruction became so many transactions. */
void spin_transactions(struct spin *spin, const struct isa_instr *instr, unsigned count);
/* `cycles` pass in which so many warps are held back, and so many of them by a delay. */
void spin_pass(struct spin *spin, uint64_t cycles, unsigned held, unsigned delayed);
/* The SM has no blocks left. */
void spin_drained(struct spin *spin);
/* Up to date with the branches met so far. */
const struct spin_stats *spin_stats_of(struct spin *spin);
void spin_stats_reset(struct spin *spin);
struct archive;
void spin_archive(struct spin *spin, struct archive *ar);

#endif
