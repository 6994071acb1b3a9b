/* The bookkeeping of a block's barriers: arrivals, expected warps, reductions (barrier.h; PTX ISA, "bar"). */
#include "base/hot.h"
#include "sm/barrier.h"

#include "base/bits.h"

void sm_barriers_init(struct sm_barriers *b, unsigned warps)
{
    *b = (struct sm_barriers){.running = mask_low(warps)};
}

static uint32_t threads_at(const struct sm_barrier_state *s)
{
    return (mask_count(s->arrived[0]) + mask_count(s->arrived[1])) * ISA_WARP_SZ;
}

uint32_t sm_barrier_arrived(const void *barriers, uint32_t number)
{
    return threads_at(&((const struct sm_barriers *)barriers)->state[number]);
}

static bool complete(const struct sm_barriers *b, const struct sm_barrier_state *s)
{
    uint64_t arrived = s->arrived[0] | s->arrived[1];
    if (!arrived)
        return false;
    if (s->threads)
        return threads_at(s) >= s->threads;
    return !(b->running & ~arrived);
}

static uint64_t release(struct sm_barrier_state *s, uint64_t *value)
{
    uint64_t released = s->waiting;
    *value = s->reduce == ISA_REDUCE_POPC  ? s->true_lanes
             : s->reduce == ISA_REDUCE_AND ? s->true_lanes == s->lanes
                                           : s->true_lanes != 0;
    *s = (struct sm_barrier_state){0};
    return released;
}

HOT uint64_t sm_barrier_arrive(struct sm_barriers *b, unsigned warp, const struct simt_barrier *barrier,
                               uint64_t *value)
{
    struct sm_barrier_state *s = &b->state[barrier->mode == ISA_BARRIER_GRID ? SM_GRID_BARRIER : barrier->id];
    for (unsigned half = 0; half < 2; half++)
        if (barrier->arrived & mask_low(ISA_WARP_SZ) << half * ISA_WARP_SZ)
            s->arrived[half] |= BIT64(warp);
    if (barrier->mode != ISA_BARRIER_ARRIVE)
        s->waiting |= BIT64(warp);
    if (barrier->threads)
        s->threads = barrier->threads;
    if (barrier->mode == ISA_BARRIER_RED) {
        s->reduce = barrier->reduce;
        s->true_lanes += mask_count(barrier->pred);
        s->lanes += mask_count(barrier->arrived);
    }
    return complete(b, s) ? release(s, value) : 0;
}

HOT uint64_t sm_barrier_ended(struct sm_barriers *b, unsigned warp, uint32_t *id, uint64_t *value)
{
    b->running &= ~BIT64(warp);
    for (*id = 0; *id <= SM_BARRIERS; ++*id)
        if (b->state[*id].waiting && complete(b, &b->state[*id]))
            return release(&b->state[*id], value);
    return 0;
}
