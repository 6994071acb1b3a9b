/* Completion: the stage in which an instruction ends. Its registers have their values, so the warp's next instruction
 * may issue; the wait that began with it ends; so does a fence that waited for it, and the warp itself, if its lanes
 * have ended. The stage keeps nothing: it tells the structures that an SM's rooms share (core/sm_shared.h), and asks
 * for everything else by `struct sm_completion_port`. */
#ifndef LOCKSTEP_SM_COMPLETE_H
#define LOCKSTEP_SM_COMPLETE_H

#include "core/core.h"
#include "watch/watch.h"

/* The SM around the stage. `sm` is shared.sm. */
struct sm_completion_port {
    /* The head of the warp's buffer is a store or atomic that releases, and has its registers. */
    void (*reach_release)(void *sm, unsigned slot);
    /* An op with an access of global memory, or of other blocks' shared memory, is complete: the access is performed. */
    void (*access_ends)(void *sm, const struct core_op *op);
    /* The acquire of an op is performed: the L1D drops lines. drops: see struct core_op. */
    void (*drop)(void *sm, uint8_t drops);
    /* The warp waits at a fence or before a release, and has one thing less to wait for. */
    void (*check_fence)(void *sm, unsigned slot);
    /* The warp's lanes have ended, and nothing of it is under way any more. */
    void (*drained)(void *sm, unsigned slot);
    /* Lanes that waited in the queues of locks go on, behind the instruction at pc. */
    void (*acquire)(void *sm, uint32_t pc);
    /* The program did something illegal with a lock. */
    void (*fault)(void *sm, unsigned slot, const struct simt_fault *fault);
    /* cp.async of a warp has its bytes. */
    void (*copied)(void *sm, const struct core_op *op);
};

struct sm_completion {
    struct sm_shared shared;
    struct core *cores, *cores_end;
    const struct watch *watch; /* observers */
    const struct sm_completion_port *port;
};

/* Ends the ops whose results a core's units of side RESULT have computed for this cycle: there are some. */
void sm_writeback(struct sm_completion *c, struct core *core);
/* Ends an op of the load/store unit (lsu_port.complete). */
void sm_complete_access(struct sm_completion *c, uint32_t op);
/* See lsu_port.lock_answered. */
void sm_lock_answered(struct sm_completion *c, const struct core_op *op, unsigned lane, bool stays);
/* A store of the warp is acknowledged, or its last lane has ended: looks whether a fence of it, or the warp, ends with
 * that, and whether its head waited for it. */
void sm_warp_rests(struct sm_completion *c, unsigned slot);
/* The turn of the warp's paths may have changed, not by an instruction that it issued: what it needs next is another
 * instruction than its buffer was looked at for. */
void sm_turn_changed(struct sm_completion *c, unsigned slot);

#endif
