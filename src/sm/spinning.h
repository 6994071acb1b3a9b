/* Spinning warps of an SM: the SM tells its spin detector (watch/spin/) what its warps do, and its spin control
 * (core/sched/control.h) which of them spin; the control says how long each is held back. */
#ifndef LOCKSTEP_SM_SPINNING_H
#define LOCKSTEP_SM_SPINNING_H

#include "core/sched/control.h"
#include "watch/spin/spin.h"

struct sm;
struct message_atomic;
struct arena;
struct archive;
struct core_op;
struct simt_result;

/* Written by spinning.c alone. */
struct sm_spinning {
    struct spin *spin;                   /* NULL: nobody looks at spinning warps */
    const struct sched_control *control; /* NULL: spinning is measured only */
    void *state;                         /* the control's */
};

/* Makes the SM's detector and control, if it is to have them, by sm->setup; frees them. */
void sm_spinning_create(struct sm *sm, struct arena *own);
void sm_spinning_free(struct sm *sm);
/* For an SM whose spinning warps are looked at: */
/* A launch begins; a warp begins in the slot; the last block has retired. */
void sm_spinning_begin(struct sm *sm, uint64_t cycle);
void sm_spinning_launched(struct sm *sm, unsigned slot, uint64_t cycle);
void sm_spinning_drained(struct sm *sm);
/* The warp has issued and executed an instruction: its back-off may begin or end with it. */
void sm_spinning_issued(struct sm *sm, unsigned slot, const struct core_op *o, const struct simt_result *r);
/* An atomic access of global memory was answered. */
void sm_spinning_atomics(struct sm *sm, const struct core_op *o, const struct message_atomic *reply);
/* Warps that are held back spend `cycles` so; of those that are delayed, `over` may issue in this one. */
void sm_spinning_pass(struct sm *sm, uint64_t cycles, unsigned over);
/* core_port.pick_held. */
unsigned sm_spinning_pick(void *sm, const struct lockstep_scheduler_view *view, void *state);
void sm_spinning_archive(struct sm *sm, struct archive *ar);

#endif
