/* Warps that wait for locks for ever: the largest set of warps of which each waits for one of the set, or for a thread
 * that has ended. A warp that asked in vain, and whose other lanes cannot go on before those that ask, waits for the
 * holders of all locks that it asks for; what the lock instructions noted says whether a holder still has its lock. A
 * warp at a barrier of its whole block waits for one that has not come there. So nothing is guessed, and no patience is
 * needed: a program is stuck as soon as there is such a set with a warp that asks for locks. */
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "gpu/gpu_impl.h"
#include "simt/lock.h"

struct stuck {
    const struct gpu *gpu;
    struct gpu_watch *watch;
    struct sm_warp_state *warps; /* by SM and slot */
    bool *member;
    uint32_t count;
    uint32_t *places, place_mask; /* hash table by the number of a warp in the grid: index + 1, 0: empty */
};

static bool at_block_barrier(const struct sm_warp_state *w)
{
    return w->waits >> WARP_WAIT_barrier & 1 && !w->barrier_threads;
}

static bool asks_in_vain(const struct sm_warp_state *w)
{
    const struct simt_locks *l = w->warp->locks;
    return l && l->vain && !l->got && w->warp->paths.model->exclusive;
}

static bool same_block(const struct sm_warp_state *a, const struct sm_warp_state *b)
{
    return memcmp(a->block, b->block, sizeof a->block) == 0;
}

static uint32_t place_of(const struct stuck *s, uint32_t first)
{
    return (uint32_t)(hash_spread(first) >> 32) & s->place_mask;
}

/* A warp can be found by the number of its first thread. */
static void place(struct stuck *s, uint32_t i)
{
    uint32_t at = place_of(s, simt_thread_number(s->warps[i].warp, 0));
    while (s->places[at])
        at = (at + 1) & s->place_mask;
    s->places[at] = i + 1;
}

/* The resident warp that a thread of this number is in, and its lane; UINT32_MAX: it has ended. */
static uint32_t warp_of(const struct stuck *s, uint32_t thread, unsigned *lane)
{
    const struct simt_grid *grid = s->watch->grid;
    uint32_t threads = grid->block[0] * grid->block[1] * grid->block[2];
    *lane = thread % threads % grid->code->width;
    uint32_t first = thread - *lane;
    for (uint32_t at = place_of(s, first); s->places[at]; at = (at + 1) & s->place_mask) {
        const struct sm_warp_state *w = &s->warps[s->places[at] - 1];
        if (simt_thread_number(w->warp, 0) == first)
            return mask_has(w->live, *lane) ? s->places[at] - 1 : UINT32_MAX;
    }
    return UINT32_MAX;
}

/* The lock that a lane of warp i asks for is held by a member, or by a thread that had ended before it last asked. */
static bool lane_is_stuck(const struct stuck *s, uint32_t i, unsigned lane, bool *ended)
{
    const struct simt_locks *l = s->warps[i].warp->locks;
    unsigned other = 0;
    uint32_t holder = l->found[lane] == SIMT_LOCK_FREE ? UINT32_MAX : warp_of(s, l->found[lane], &other);
    if (l->found[lane] == SIMT_LOCK_FREE)
        return false;
    if (holder != UINT32_MAX)
        return s->member[holder] && simt_lock_of(s->warps[holder].warp, other, l->address[lane]);
    *ended = true;
    return s->watch->warps[i].vain && l->vain >= s->watch->warps[i].vain + 2;
}

static bool is_stuck(const struct stuck *s, uint32_t i)
{
    const struct sm_warp_state *w = &s->warps[i];
    bool ended = false, all = true;
    if (at_block_barrier(w)) {
        for (uint32_t k = 0; k < s->count; k++)
            if (s->member[k] && same_block(w, &s->warps[k]) &&
                !(at_block_barrier(&s->warps[k]) && s->warps[k].barrier == w->barrier))
                return true;
        return false;
    }
    for (uint64_t rest = w->warp->locks->asking; rest; rest &= rest - 1)
        all &= lane_is_stuck(s, i, mask_first(rest), &ended);
    struct gpu_watched_warp *seen = &s->watch->warps[i];
    seen->vain = !ended ? 0 : seen->vain ? seen->vain : w->warp->locks->vain;
    return all;
}

static bool takes_part(const struct sm_warp_state *w)
{
    return w->resident && !w->finished;
}

static bool find_members(struct stuck *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct machine *m = &s->gpu->machine;
        struct sm_warp_state *w = &s->warps[i];
        sm_warp_state(s->gpu->sms[i / m->sm.warps], i % m->sm.warps, w);
        bool asks = takes_part(w) && asks_in_vain(w);
        s->member[i] = takes_part(w) && (asks || at_block_barrier(w));
        any |= asks;
        if (takes_part(w))
            place(s, i);
        if (!asks)
            s->watch->warps[i].vain = 0;
    }
    return any;
}

/* Most kernels take no locks, and most SMs of a device may have no warps. */
static bool some_ask(const struct gpu *gpu)
{
    struct sm_warp_state w;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        for (uint64_t rest = sm_residents(gpu->sms[i]); rest; rest &= rest - 1) {
            sm_warp_state(gpu->sms[i], mask_first(rest), &w);
            if (takes_part(&w) && asks_in_vain(&w))
                return true;
        }
    return false;
}

/* Warps of the SMs up to the last one that has some. */
static uint32_t warps_in_use(const struct gpu *gpu)
{
    uint32_t sms = gpu->machine.gpu.sms;
    while (sms && !sm_residents(gpu->sms[sms - 1]))
        sms--;
    return sms * gpu->machine.sm.warps;
}

/* Warps from `count` on ask for nothing. */
static void note_asking(struct gpu_watch *watch, uint32_t count)
{
    for (uint32_t i = count; i < watch->asking; i++)
        watch->warps[i].vain = 0;
    watch->asking = count;
}

bool gpu_locks_stuck(struct gpu_watch *watch, const struct gpu *gpu)
{
    if (!some_ask(gpu)) {
        note_asking(watch, 0);
        return false;
    }
    struct arena arena = {0};
    struct stuck s = {.gpu = gpu, .watch = watch, .count = warps_in_use(gpu)};
    note_asking(watch, s.count);
    s.warps = ARENA_NEW(&arena, struct sm_warp_state, s.count);
    s.member = ARENA_NEW(&arena, bool, s.count);
    s.place_mask = power_from(2 * s.count) - 1;
    s.places = ARENA_NEW(&arena, uint32_t, s.place_mask + 1);
    bool changed = find_members(&s), stuck = false;
    while (changed) {
        changed = stuck = false;
        for (uint32_t i = 0; i < s.count; i++) {
            if (!s.member[i])
                continue;
            s.member[i] = is_stuck(&s, i);
            changed |= !s.member[i];
            stuck |= s.member[i] && !at_block_barrier(&s.warps[i]);
        }
    }
    arena_free(&arena);
    return stuck;
}
