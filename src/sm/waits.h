/* Reasons why warps wait, besides the values of registers: waits.def is the table. All that deals with "every reason"
 * comes from it: the sets, their union, what a checkpoint saves, what schedulers are shown, the causes of lost cycles
 * and what a hang report says. */
#ifndef LOCKSTEP_SM_WAITS_H
#define LOCKSTEP_SM_WAITS_H

#include <stdint.h>

enum sm_wait {
#define WAIT(name, cause, ender, kind, doc) SM_WAIT_##name,
#include "sm/waits.def"
#undef WAIT
    SM_WAIT_COUNT
};

/* Who alone ends a wait. */
enum sm_wait_ender { SM_WAIT_BY_MEMORY, SM_WAIT_BY_CLOCK, SM_WAIT_BY_WARPS };

/* For each reason, the set of the warp slots that wait for it. */
struct sm_waits {
    union {
        struct {
#define WAIT(name, cause, ender, kind, doc) uint64_t name;
#include "sm/waits.def"
#undef WAIT
        };
        uint64_t of[SM_WAIT_COUNT];
    };
};

/* Warps that wait for any reason. */
static inline uint64_t sm_waits_any(const struct sm_waits *w)
{
    return 0
#define WAIT(name, cause, ender, kind, doc) | w->name
#include "sm/waits.def"
#undef WAIT
        ;
}

/* Warps whose wait the clock ends: each has a cycle in which it wakes. */
static inline uint64_t sm_waits_timed(const struct sm_waits *w)
{
    return 0
#define WAIT(name, cause, ender, kind, doc) | (SM_WAIT_BY_##ender == SM_WAIT_BY_CLOCK ? w->name : 0)
#include "sm/waits.def"
#undef WAIT
        ;
}

/* A row of the table. */
struct sm_wait_info {
    const char *name, *doc;
    uint8_t cause; /* enum sm_stall */
    uint8_t ender; /* enum sm_wait_ender */
};
const struct sm_wait_info *sm_wait_info(enum sm_wait wait);

#endif
