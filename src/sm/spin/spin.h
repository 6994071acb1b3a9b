/* Spinning warps. A detector watches the instructions of an SM's warps and says which backward branches are
 * spin-inducing (SIBs: a warp that takes one goes round a loop in which it waits); a spin control is told of every
 * execution of such a branch, holds the warp back, and says when and in which order held-back warps may issue again. It
 * stands over any warp scheduler: `--sched gto+bows`. Both are one file each, filling in one of the two structures
 * below. Their state is plain memory without pointers, so that checkpoints copy it.
 *
 * struct spin is what an SM has of this: detector, control, and the measures of the HPCA 2018 paper (detection rates,
 * lock outcomes, wasted work). */
#ifndef LOCKSTEP_SM_SPIN_SPIN_H
#define LOCKSTEP_SM_SPIN_SPIN_H

#include "lockstep/scheduler.h"
#include "memory/packet.h"
#include "simt/warp.h"
#include "sm/spin/spin_params.h"
#include "stats/stat.h"

#define SPIN_WARPS 64 /* slots of an SM, at most */

struct spin_stats {
#include "stats/stat_fields.h"
#include "sm/spin/spin_stats.def"
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

struct spin_control {
    const char *name, *doc;
    size_t state_bytes;
    void (*reset)(void *state, const struct spin_params *params, unsigned schedulers, uint64_t cycle);
    void (*launched)(void *state, unsigned warp, uint64_t cycle);
    /* Every instruction that is issued, before spins() is told of it. held: the warp was held back and is no more. */
    void (*issued)(void *state, unsigned warp, uint64_t cycle, bool held);
    /* The warp executed a spin-inducing branch, and has no lanes elsewhere that may go on (simt_able), such as those
     * that the others wait for: it is held back. Returns the first cycle in which it may issue. */
    uint64_t (*spins)(void *state, unsigned warp, uint64_t cycle);
    /* No warp that is not held back can issue: picks one of view->ready, all of them held back and free to issue. */
    unsigned (*pick)(const void *state, const struct lockstep_scheduler_view *view,
                     const struct lockstep_scheduler *base, const void *base_state);
    void (*drained)(void *state, uint64_t cycle);
    /* The delay that a warp takes along when it leaves at this moment. */
    uint64_t (*delay)(const void *state);
    uint64_t (*hardware_bits)(const struct spin_params *params, unsigned warps, unsigned schedulers);
};

/* The detector or control of that name, or NULL; all of them, NULL-terminated. */
const struct spin_detector *spin_find_detector(const char *name);
const struct spin_control *spin_find_control(const char *name);
const struct spin_detector *const *spin_detectors(void);
const struct spin_control *const *spin_controls(void);

struct spin;

struct spin_setup {
    const struct spin_params *params;
    const struct spin_detector *detector, *judge; /* judge: tells true detections from false ones */
    const struct spin_control *control;           /* NULL: measures only */
    unsigned warps, schedulers;
};

/* Returns the spin detection and control of an SM, or NULL when nothing is to be watched. Memory belongs to arena. */
struct spin *spin_create(const struct spin_setup *setup, struct arena *arena);
void spin_destroy(struct spin *spin);
/* Begins a launch of the kernel whose first instruction is first_pc. */
void spin_begin(struct spin *spin, const struct isa_module *module, uint32_t first_pc, uint64_t cycle);
/* Numbers the module's backward branches from 1 in order of pc, 0 for other instructions (number may be NULL); returns
 * how many. */
uint32_t spin_number_branches(const struct isa_module *module, uint16_t *number);
void spin_launched(struct spin *spin, unsigned warp, uint64_t cycle);
/* An instruction was issued and executed; event->branch is the number of spin_number_branches. access: of a memory
 * instruction, or NULL. held: the warp was held back. Returns 0, or that the warp is held back now, and the first cycle
 * in which it may issue. */
uint64_t spin_issued(struct spin *spin, const struct spin_event *event, const struct simt_access *access, bool held);
unsigned spin_pick(const struct spin *spin, const struct lockstep_scheduler_view *view,
                   const struct lockstep_scheduler *base, const void *base_state);
/* Lanes of the warp have got their atomics' old values back: lanes of the packet are those of the access. */
void spin_atomics(struct spin *spin, unsigned warp, const struct simt_access *access, const struct message_atomic *reply);
/* A memory instruction became so many transactions. */
void spin_transactions(struct spin *spin, const struct isa_instr *instr, unsigned count);
/* `cycles` pass in which so many warps are held back, and so many of them by a delay. */
void spin_pass(struct spin *spin, uint64_t cycles, unsigned held, unsigned delayed);
void spin_drained(struct spin *spin, uint64_t cycle);
/* Storage of detector and control in an SM, bits. */
uint64_t spin_hardware_bits(const struct spin *spin);
/* Up to date with the branches met so far. */
const struct spin_stats *spin_stats_of(struct spin *spin);
void spin_stats_reset(struct spin *spin);
struct archive;
void spin_archive(struct spin *spin, struct archive *ar);

#endif
