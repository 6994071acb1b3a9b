/* Warp-cycles: to which cause of warp_causes.def each cycle of each resident warp goes. Written by account.c alone, but
 * for what the inline functions here note.
 *
 * A warp *stands* at one cause until something happens to it; its cycles are counted when it comes to stand at another.
 * What happened is looked at once a cycle, at the end of issue. A warp that could issue stands at none of the causes:
 * which one such a cycle counts for is decided cycle by cycle, for all of these warps together. Of the cycles in which
 * schedulers did not look, it is that no pipeline register was free. */
#ifndef LOCKSTEP_SM_ACCOUNT_H
#define LOCKSTEP_SM_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/op.h"
#include "sm/sm.h"

#define SM_CAUSE_NONE SM_CAUSE_COUNT /* the warp could issue */

struct sm_account {
    /* Sets of warp slots. */
    uint64_t touched;             /* something happened to the warp since the last look */
    uint64_t ready, held, issued; /* as schedulers found their warps in this cycle; held: of the ready ones, those of
                                     schedulers that picked none */
    uint64_t could[SM_CLASSES];   /* those that stand at SM_CAUSE_NONE, by the pipeline register that they need */
    uint64_t could_since;         /* their cycles from this one on are not counted */
    uint64_t since[SM_SLOTS];     /* by warp: its cycles from this one on are not counted */
    uint8_t stands_at[SM_SLOTS];  /* by warp: enum sm_cause, or SM_CAUSE_NONE */
    struct sm_causes counts;
};

/* Something happened to the warps that may change for what they wait. */
static inline void sm_account_touch(struct sm_account *a, uint64_t slots)
{
    a->touched |= slots;
}

/* A scheduler found these of its warps ready in this cycle. */
static inline void sm_account_ready(struct sm_account *a, uint64_t ready)
{
    a->ready |= ready;
}
/* And picked none of them. */
static inline void sm_account_held(struct sm_account *a, uint64_t ready)
{
    a->held |= ready;
}
static inline void sm_account_issued(struct sm_account *a, uint64_t bit)
{
    a->issued |= bit;
}

/* Warps come, in cycle `cycle`; warps go, after cycle sm->now. */
void sm_account_come(struct sm *sm, uint64_t slots, uint64_t cycle);
void sm_account_go(struct sm *sm, uint64_t slots);
/* Sees what happened to warps, in cycle sm->now, when all schedulers have looked that have a reason to. */
void sm_account_look(struct sm *sm);
/* Counts the cycles before `cycle`, for whoever reads the counts. */
void sm_account_settle(struct sm *sm, uint64_t cycle);
/* The cause at which a resident warp stands, by its state alone. */
unsigned sm_account_cause(const struct sm *sm, unsigned slot);

#endif
