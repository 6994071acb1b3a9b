/* Warp-cycles: to which cause of warp_causes.def each cycle of each resident warp goes. Written by account.c alone, but
 * for what the inline functions here note.
 *
 * A warp *stands* at the cause that the sets by which the SM steps give it (sm_account_cause), and whoever changes
 * these says so. What happens until the schedulers have looked counts for this cycle, what happens behind them for the
 * next one: so what a warp stood at in between, in the same cycle, does not count. A warp that could issue stands at
 * one of the structural causes: if no scheduler looks, it is that no pipeline register is free; in a cycle in which its
 * scheduler looks, that one says what the cycle counts for. */
#ifndef LOCKSTEP_SM_ACCOUNT_H
#define LOCKSTEP_SM_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "sm/op.h"
#include "sm/sm.h"

struct sm_account {
    /* Sets of warp slots: as schedulers found their warps in this cycle. held: of the ready ones, those of schedulers
     * that picked none. */
    uint64_t ready, held, issued;
    uint64_t from; /* what happens now counts from this cycle on */
    /* Modulo 2^64. Of a stay at a cause the first cycle is taken off when it begins, and the one behind its last is
     * added when it ends: of the stays that go on, `from` is still to be added. */
    struct sm_causes counts;
};

/* A warp stands at a cause from cycle `from` on. stands_at: the warp's. */
static inline void sm_account_stand(struct sm_account *a, uint8_t *stands_at, uint64_t from, enum sm_cause cause)
{
    uint8_t was = *stands_at;
    if (was == cause)
        return;
    (&a->counts.issued)[was] += from;
    (&a->counts.issued)[cause] -= from;
    *stands_at = (uint8_t)cause;
}
/* The cycle from which on it counts what happens now to a warp: if that has issued in this cycle, the next one. */
static inline uint64_t sm_account_from(const struct sm_account *a, uint64_t bit)
{
    return a->from + ((a->issued & bit) != 0);
}
/* At which cause a warp stands that misses only a pipeline register, by the unit of its instruction. */
static inline enum sm_cause sm_account_unit(uint8_t unit)
{
    return unit == ISA_UNIT_MEM   ? SM_CAUSE_structural_mem
           : unit == ISA_UNIT_SFU ? SM_CAUSE_structural_sfu
                                  : SM_CAUSE_structural_sp;
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
/* The warp has issued, perhaps not for the first time in this cycle: that is what the cycle counts for. From the next
 * one on it stands at a cause. */
static inline void sm_account_issued(struct sm_account *a, uint8_t *stands_at, uint64_t bit, enum sm_cause cause)
{
    uint64_t next = a->from + 1, first = !(a->issued & bit);
    a->issued |= bit;
    a->counts.issued += first;
    (&a->counts.issued)[*stands_at] += next - first;
    (&a->counts.issued)[cause] -= next;
    *stands_at = (uint8_t)cause;
}
/* Counts from cycle sm->now on, for the warps that are resident, on top of what is counted. */
void sm_account_begin(struct sm *sm);
/* Warps have come; warps go. */
void sm_account_come(struct sm *sm, uint64_t slots);
void sm_account_go(struct sm *sm, uint64_t slots);
/* The warps wait from now on, and stand at that cause. */
void sm_account_wait(struct sm *sm, uint64_t slots, enum sm_cause cause);
/* The warps' sets have changed: they stand where these say. */
void sm_account_again(struct sm *sm, uint64_t slots);
/* Of the warps that stand at a structural cause, those that schedulers found ready and did not pick, while this cycle
 * is not over. */
void sm_account_unpicked(struct sm *sm);
/* All schedulers have looked that have a reason to, in cycle sm->now. */
static inline void sm_account_looked(struct sm *sm, struct sm_account *a)
{
    if (a->ready & ~a->issued)
        sm_account_unpicked(sm);
    a->ready = a->held = a->issued = 0;
}
/* The counts, up to the cycle in which what happens now counts. */
struct sm_causes sm_account_read(const struct sm *sm);
/* The cause at which a resident warp stands, by its state alone. */
enum sm_cause sm_account_cause(const struct sm *sm, unsigned slot);

#endif
