/* The SM as its rooms and stages see it: see ports.h. */
#include "sm/ports.h"

#include "simt/lock.h"
#include "sm/blocks.h"
#include "sm/sending.h"
#include "sm/clusters.h"
#include "sm/state.h"
#include "sm/tell.h"
#include "sm/tell_copies.h"
#include "sm/warps.h"

static void reach_release(void *context, unsigned slot)
{
    struct sm *sm = context;
    lsu_reach_release(&sm->lsu, slot);
}

/* fetch_port */

static void request_line(void *context, uint64_t address, uint32_t bytes, uint16_t fill)
{
    struct sm *sm = context;
    lsu_request_instructions(&sm->lsu, address, bytes, fill);
}

static unsigned preferred(void *context, unsigned scheduler, uint64_t warps)
{
    const struct sm *sm = context;
    unsigned cores = sm->params->cores;
    return core_preferred(&sm->cores[scheduler % cores], scheduler / cores, warps);
}

static struct fetch *neighbour(void *context, unsigned member)
{
    const struct sm *sm = context;
    return &sm->setup.neighbours[member]->fetch;
}

const struct fetch_port sm_fetch_port = {request_line, sm_retire, reach_release, preferred, neighbour};

/* lsu_port */

/* Under a divergence model that forms warps, lanes that were given or refused a lock have not gone to other warps
 * meanwhile. */
static inline bool answers_stay(const struct sm *sm, const struct core_op *o)
{
    return !sm->kernel->grid->forms || !o->access || o->blocks == CORE_BLOCKS_LANES || !simt_access_moves(o->access) ||
           !(sm->warp.slots[o->slot].simt.paths.now->mask & ~sm->form.lanes[o->slot]);
}

HOT static void complete_access(void *context, uint32_t op)
{
    struct sm *sm = context;
    contract(answers_stay(sm, &sm->ops.items[op]));
    sm_complete_access(&sm->completion, op);
}

static void warp_rests(void *context, unsigned slot)
{
    struct sm *sm = context;
    sm_warp_rests(&sm->completion, slot);
}

static void coalesced(void *context, const struct core_op *op, unsigned transactions)
{
    const struct sm *sm = context;
    spin_transactions(sm->spinning.spin, op->access->instr, transactions);
}

static void answered(void *context, const struct core_op *op, const struct message_atomic *reply)
{
    struct sm *sm = context;
    if (RARELY(reply->packet.space == PACKET_SHARED))
        return;
    sm_tell_atomics(sm, op, reply);
    if (RARELY(sm->spinning.spin))
        sm_spinning_atomics(sm, op, reply);
}

static void lock_answered(void *context, const struct core_op *op, unsigned lane, bool stays)
{
    struct sm *sm = context;
    sm_lock_answered(&sm->completion, op, lane, stays);
}

static bool suspends(void *context, uint32_t op)
{
    struct sm *sm = context;
    return async_suspend(&sm->async, op);
}

static void copy_answered(void *context, const struct packet *reply)
{
    struct sm *sm = context;
    async_answer(&sm->async, reply);
}

static const struct lsu_port lsu_ports[2] = {
    {complete_access, warp_rests, NULL, answered, lock_answered, suspends, copy_answered, sm_peer, sm_perform_message,
     sm_miss_block},
    {complete_access, warp_rests, coalesced, answered, lock_answered, suspends, copy_answered, sm_peer,
     sm_perform_message, sm_miss_block},
};

const struct lsu_port *sm_lsu_port(bool spins)
{
    return &lsu_ports[spins];
}

/* sm_completion_port */

static void access_ends(void *context, const struct core_op *op)
{
    struct sm *sm = context;
    lsu_access_ends(&sm->lsu, op);
}

static void drop(void *context, uint8_t drops)
{
    struct sm *sm = context;
    lsu_drop(&sm->lsu, drops);
}

static void check_fence(void *context, unsigned slot)
{
    struct sm *sm = context;
    lsu_check_fence(&sm->lsu, slot);
}

static void drained(void *context, unsigned slot)
{
    struct sm *sm = context;
    fetch_retires(&sm->fetch, BIT64(slot));
}

static void acquire(void *context, uint32_t pc)
{
    struct sm *sm = context;
    sm_acquire(sm, &sm->kernel->grid->code->module->instrs[pc]);
}

static void fault(void *context, unsigned slot, const struct simt_fault *found)
{
    sm_record_fault(context, slot, found);
}

static void copied(void *context, const struct core_op *op)
{
    struct sm *sm = context;
    async_copied(&sm->async, op->slot, op->access->group);
}

const struct sm_completion_port sm_completion_port = {reach_release, access_ends, drop,  check_fence,
                                                      drained,       acquire,     fault, copied};

/* async_port */

static void counted(void *context, unsigned slot, const struct async_counted *what)
{
    sm_tell_counted(context, slot, what);
}

const struct async_port sm_async_port = {complete_access, fault, warp_rests, sm_send_piece, sm_cast_piece, counted};
