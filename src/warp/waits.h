/* Reasons why warps wait, besides the values of registers: waits.def is the table. All that deals with "every reason"
 * comes from it: the sets, their union, what a checkpoint saves, what schedulers are shown, the causes of lost cycles
 * and what a hang report says. */
#ifndef LOCKSTEP_SM_WAITS_H
#define LOCKSTEP_SM_WAITS_H

#include <stdint.h>

enum warp_wait {
#define WAIT(name, cause, ender, kind, doc) WARP_WAIT_##name,
#include "warp/waits.def"
#undef WAIT
    WARP_WAIT_COUNT
};

/* Who alone ends a wait. */
enum warp_wait_ender { WARP_WAIT_BY_MEMORY, WARP_WAIT_BY_CLOCK, WARP_WAIT_BY_WARPS };

/* For each reason, the set of the warp slots that wait for it. */
struct warp_waits {
    union {
        struct {
#define WAIT(name, cause, ender, kind, doc) uint64_t name;
#include "warp/waits.def"
#undef WAIT
        };
        uint64_t of[WARP_WAIT_COUNT];
    };
};

/* Warps that wait for any reason. */
static inline uint64_t warp_waits_any(const struct warp_waits *w)
{
    return 0
#define WAIT(name, cause, ender, kind, doc) | w->name
#include "warp/waits.def"
#undef WAIT
        ;
}

/* Warps whose wait the clock ends: each has a cycle in which it wakes. */
static inline uint64_t warp_waits_timed(const struct warp_waits *w)
{
    return 0
#define WAIT(name, cause, ender, kind, doc) | (WARP_WAIT_BY_##ender == WARP_WAIT_BY_CLOCK ? w->name : 0)
#include "warp/waits.def"
#undef WAIT
        ;
}

/* A row of the table. */
struct warp_wait_info {
    const char *name, *doc;
    uint8_t cause; /* enum warp_cause */
    uint8_t ender; /* enum warp_wait_ender */
};
const struct warp_wait_info *warp_wait_info(enum warp_wait wait);

#endif
