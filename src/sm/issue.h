/* Issue's own state: the schedulers, whose turn it is among them, and to what cause their cycles go. Written by issue.c
 * alone. */
#ifndef LOCKSTEP_SM_ISSUE_H
#define LOCKSTEP_SM_ISSUE_H

#include "base/hot.h"
#include "lockstep/scheduler.h"
#include "sm/op.h"

struct sm_scheduler {
    uint64_t owned; /* the cycles from this one on are not yet given to a cause */
    uint64_t slots; /* its warps */
    void *state;    /* the policy's */
    uint8_t number;
    uint8_t stall_of; /* enum sm_stall of the last cycle, until one of its warps changes */
};

/* The usual schedulers share one cache line of the host. */
struct sm_issue {
    _Alignas(CACHE_LINE) struct sm_scheduler of[8];
    const struct lockstep_scheduler *policy;
    uint64_t backed_off; /* warps that spin control holds back, with a delay (waits.delay) or without */
    uint32_t first_look; /* scheduler that was overtaken so often: it looks first until it is not any more; SM_NONE: the
                            cycle says whose turn it is */
    uint8_t turns;       /* schedulers that take turns in looking first */
    uint8_t looks_first; /* of the cycle in which schedulers look */
    uint8_t overtakes[WARP_UNIT_COUNT]; /* sm.overtakes; 0 for classes in which the registers are never too few */
    /* Per class and scheduler, how often in a row another one took the last free pipeline register while a warp of it
     * waited for nothing else and its look in that cycle was still to come; not beyond `overtakes`. Kept by
     * note_overtaken. */
    uint8_t overtaken[WARP_UNIT_COUNT][8];
};

#endif
