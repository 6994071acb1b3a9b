#include "base/hot.h"
#include "sm/barrier.h"

#include "base/bits.h"

void sm_barriers_init(struct sm_barriers *b, unsigned warps, unsigned warp_size)
{
    *b = (struct sm_barriers){.running = mask_low(warps), .warp_size = warp_size};
}

static bool complete(const struct sm_barriers *b, const struct sm_barrier_state *s)
{
    if (!s->arrived)
        return false;
    if (s->threads)
        return mask_count(s->arrived) * b->warp_size >= s->threads;
    return !(b->running & ~s->arrived);
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
    s->arrived |= BIT64(warp);
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
