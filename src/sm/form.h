/* Warps that are formed anew, under a divergence model whose threads go from warp to warp of their block
 * (simt_divergence.forming). A warp issues when nothing of it is in flight. From then on until its instruction is
 * complete, and it waits for nothing behind that (a barrier, a fence), it is *out*; else it is in the *pool*. */
#ifndef LOCKSTEP_SM_FORM_H
#define LOCKSTEP_SM_FORM_H

#include "core/op.h"

/* Written by form.c, and by a checkpoint that is loaded. By warp slot: */
struct sm_form {
    uint64_t slow;              /* of those out: warps whose last instruction accesses memory */
    uint64_t asks;              /* of those out: warps whose last instruction is one of locks, and awaits answers */
    uint64_t lanes[WARP_SLOTS]; /* of those out: lanes whose threads may have an instruction in flight */
    uint64_t threads_moved, warps_refilled; /* counts: sm_stats.def has them */
    uint64_t touched;                       /* while warps are formed: those that have other threads now */
};

struct sm;
struct simt_result;

/* A warp is launched into the slot. */
void sm_form_launched(struct sm *sm, unsigned slot);
/* The block of these warps has retired. */
void sm_form_retired(struct sm *sm, uint64_t slots);
/* The warp has issued an instruction, under grid->forms. */
void sm_form_issued(struct sm *sm, unsigned slot, struct core_op *o, const struct simt_result *r);
/* Before issue, while warps are out: those that have come back are in the pool, and formed with the others there. */
void sm_form(struct sm *sm);
/* True: some warps have come back and are not in the pool yet: they are in the next cycle. */
bool sm_form_due(const struct sm *sm);
/* The banks of an op's registers, whose threads began in several warps, and the rows that it reads of one register. */
void sm_form_name(struct sm *sm, struct core_op *o);
/* The slot in which a thread is now, by its number in the block, that of `slot`; CORE_NONE: it has ended. */
uint32_t sm_form_find(const struct sm *sm, unsigned slot, uint32_t thread);

#endif
