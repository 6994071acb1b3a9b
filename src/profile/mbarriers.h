/* Mbarriers for whose phases warps wait, by object (mbarriers.def). Each SM fills in a state of its own as events
 * happen; profile_mbarriers_gather brings them together when the kernel has ended. */
#ifndef LOCKSTEP_PROFILE_MBARRIERS_H
#define LOCKSTEP_PROFILE_MBARRIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"
#include "lockstep/observer.h"
#include "profile/lasts.h"

#define PROFILE_MBARRIERS 64 /* objects of an SM; what is done to others counts as unlisted */
#define PROFILE_MBARRIERS_SLOTS 64
#define PROFILE_MBARRIER_PCS 4
#define PROFILE_MBARRIER_DIDS 64

enum profile_mbarrier_count {
#define PROFILE_MBARRIER(name, doc) PROFILE_MBARRIER_##name,
#include "profile/mbarriers.def"
#undef PROFILE_MBARRIER
    PROFILE_MBARRIER_COUNTS
};

/* Instructions that an object remembers, by what they do: the first ones, pc + 1 each; 0 ends. */
enum profile_mbarrier_use {
    PROFILE_MBARRIER_WAITS,
    PROFILE_MBARRIER_ARRIVES,
    PROFILE_MBARRIER_EXPECTS,
    PROFILE_MBARRIER_BRINGS, /* bytes, as far as they are of a block's own copies */
    PROFILE_MBARRIER_USES
};

struct profile_mbarrier {
    uint64_t counts[PROFILE_MBARRIER_COUNTS];
    uint32_t address; /* in the block's shared memory */
    uint32_t pcs[PROFILE_MBARRIER_USES][PROFILE_MBARRIER_PCS];
    /* Of phases for which warps were suspended, and that a warp of the block ended by arriving: */
    uint32_t last_times[PROFILE_LAST_WARPS];        /* by number of that warp in its block */
    uint32_t last_at;                               /* the instruction by which it did so last, + 1; 0: none has */
    struct watch_sample did[PROFILE_MBARRIER_DIDS]; /* what it did since it had ended one before */
    uint64_t did_cycles;                            /* for how long, of all phases */
};

/* The object of one block. */
struct profile_mbarrier_phase {
    uint64_t first; /* the cycle of the phase's first arrival, + 1; 0: none has come */
    uint64_t ended; /* the cycle in which the last phase ended, + 1, until a warp that was suspended goes on; else 0 */
};

struct profile_mbarrier_warp {
    uint64_t since;  /* the first cycle of its suspension */
    uint32_t object; /* at which it looked last: its number + 1; 0: none */
    uint8_t block;
    bool suspended, released; /* released: the phase has ended, and the warp has not issued since */
};

/* The state of an SM, which begins as zeros but for `waits`. */
struct profile_mbarriers {
    uint32_t count;
    uint64_t unlisted; /* operations and looks */
    struct profile_mbarrier of[PROFILE_MBARRIERS];
    struct profile_mbarrier_phase phases[PROFILE_MBARRIERS][PROFILE_MBARRIERS_SLOTS]; /* by object and block */
    struct profile_mbarrier_warp warps[PROFILE_MBARRIERS_SLOTS];
    uint64_t waits[]; /* set of the module's instructions that wait or look */
};

/* Bytes of the state of an SM; 0: the module has no mbarriers. */
size_t profile_mbarriers_bytes(const struct isa_module *module);
void profile_mbarriers_begin(struct profile_mbarriers *s, const struct isa_module *module);
void profile_mbarriers_access(struct profile_mbarriers *s, const struct lockstep_access_event *e);
/* lasts: names of warps. A warp whose arrival ends a phase is followed anew in `stays`. */
void profile_mbarriers_operate(struct profile_mbarriers *s, const struct profile_lasts *lasts,
                               struct watch_stays *stays, const struct lockstep_mbarrier_event *e);
/* suspended: the warp is, by the cause at which it stands. */
void profile_mbarriers_stand(struct profile_mbarriers *s, const struct lockstep_stand_event *e, bool suspended);
void profile_mbarriers_issue(struct profile_mbarriers *s, const struct lockstep_issue_event *e);
/* The warp in that slot leaves, before that cycle. */
void profile_mbarriers_leave(struct profile_mbarriers *s, uint32_t slot, uint64_t cycle);

/* Those of a launch, the ones for which warps waited most first. */
struct profile_mbarrier_sum {
    struct profile_mbarrier mbarrier;
    char *name; /* whoever knows it fills it in; freed with the list */
};
struct profile_mbarrier_list {
    struct profile_mbarrier_sum *of;
    uint32_t count;
    uint64_t unlisted;
};
struct profile_mbarrier_list profile_mbarriers_gather(const struct profile_mbarriers *const *states, uint32_t sms);
void profile_mbarriers_free(struct profile_mbarrier_list *list);
/* Names in results. */
const char *profile_mbarrier_name(enum profile_mbarrier_count count);
const char *profile_mbarrier_use_name(enum profile_mbarrier_use use);

#endif
