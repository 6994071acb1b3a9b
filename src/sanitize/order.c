/* The order in which things happen: fences, strong accesses and barriers make epochs of warps known to others.
 *
 * A *release* is a strong write behind a fence, or one that releases by itself; it hands on all that its warp knew at
 * that fence, and the warp's own accesses before it. An *acquire* is a strong read in front of a fence, or one that
 * acquires by itself (PTX ISA, "Release and Acquire Patterns"). */
#include "base/bits.h"
#include "isa/mod_values.h"
#include "sanitize/state.h"

enum sanitize_scope sanitize_scope_of(const struct isa_instr *instr)
{
    return instr->mods.scope == ISA_SCOPE_CTA ? SANITIZE_BLOCK : SANITIZE_DEVICE;
}

static bool is_mbarrier(const struct isa_instr *instr)
{
    return instr->op >= ISA_OP_MBARRIER_INIT && instr->op <= ISA_OP_MBARRIER_TRY_PARITY;
}

/* The mbarrier begins, or ends, with it. No thread may use the object meanwhile, so it counts as a weak write. */
static bool makes_object(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_MBARRIER_INIT || instr->op == ISA_OP_MBARRIER_INVAL;
}

/* An operation on an mbarrier without an order of its own: arrivals release, waits acquire. */
static bool arrives(const struct isa_instr *instr)
{
    return instr->op >= ISA_OP_MBARRIER_ARRIVE && instr->op <= ISA_OP_MBARRIER_DROP_TX && !instr->mods.order;
}

struct sanitize_order sanitize_order_of(const struct isa_instr *instr, uint32_t space)
{
    unsigned flags = isa_op_info((enum isa_op)instr->op)->flags, order = instr->mods.order;
    bool atomic = flags & ISA_FLAG_ATOMIC && !makes_object(instr);
    bool both = order == ISA_ORDER_ACQ_REL || order == ISA_ORDER_SC;
    return (struct sanitize_order){
        .strong = atomic || order > ISA_ORDER_WEAK,
        .is_volatile = order == ISA_ORDER_VOLATILE,
        .is_atomic = atomic,
        .acquires =
            both || order == ISA_ORDER_ACQUIRE || (!order && (flags & ISA_FLAG_TAKE || isa_looks_at_mbarrier(instr))),
        .releases = both || order == ISA_ORDER_RELEASE || (flags & ISA_FLAG_GIVE && !order) || arrives(instr),
        .shared = space == LOCKSTEP_SHARED,
        .phased = is_mbarrier(instr) && !isa_looks_at_mbarrier(instr),
        .scope = is_mbarrier(instr) ? SANITIZE_DEVICE : sanitize_scope_of(instr),
    };
}

static struct sanitize_crew *crew_of(struct sanitize *s, const struct sanitize_warp *w)
{
    return &s->crews.items[w->crew - 1];
}

/* All that a warp knows, and its own accesses so far. */
static void learn_all_of(struct sanitize *s, struct sanitize_clocks *to, struct sanitize_warp *w)
{
    const struct sanitize_crew *crew = crew_of(s, w);
    sanitize_learn(to, &w->known, s->rows);
    sanitize_learn_epoch(to, crew->sm, crew->slot, w->epoch, s->rows);
}

void sanitize_next_epoch(struct sanitize_warp *w)
{
    w->epoch++;
}

/* From now on its strong writes of that scope hand on what it has done and knows. */
static void make_released(struct sanitize *s, struct sanitize_warp *w, enum sanitize_scope scope)
{
    struct sanitize_crew *crew = crew_of(s, w);
    for (unsigned narrower = SANITIZE_BLOCK; narrower <= scope; narrower++) {
        learn_all_of(s, &w->released[narrower], w);
        crew->fenced[narrower] = w->epoch;
    }
    crew->told = ISA_PC_NONE;
    sanitize_fenced(s, w, scope);
    sanitize_next_epoch(w);
}

void sanitize_fence(struct sanitize *s, struct sanitize_warp *w, enum sanitize_scope scope)
{
    for (unsigned narrower = SANITIZE_BLOCK; narrower <= scope; narrower++) {
        sanitize_learn(&w->known, &w->pending[narrower], s->rows);
        sanitize_forget(&w->pending[narrower], s->rows);
    }
    make_released(s, w, scope);
}

void sanitize_fence_proxies(struct sanitize *s, struct sanitize_warp *w)
{
    learn_all_of(s, &s->proxied, w);
    sanitize_next_epoch(w);
}

/* Words */

struct sanitize_sync *sanitize_sync_of(struct sanitize *s, struct sanitize_cell *cell)
{
    if (!cell->sync && s->free_syncs.count) {
        cell->sync = s->free_syncs.items[--s->free_syncs.count];
    } else if (!cell->sync) {
        vec_push(&s->syncs, (struct sanitize_sync){0});
        cell->sync = (uint32_t)s->syncs.count;
    }
    return &s->syncs.items[cell->sync - 1];
}

static const struct sanitize_clocks *local_of(const struct sanitize_sync *sync, uint32_t block)
{
    for (size_t i = 0; i < sync->local.count; i++)
        if (sync->local.items[i].block == block)
            return &sync->local.items[i].clocks;
    return NULL;
}

static void release_in_block(struct sanitize *s, struct sanitize_sync *sync, uint32_t block,
                             const struct sanitize_clocks *what)
{
    if (!local_of(sync, block))
        vec_push(&sync->local, (struct sanitize_local){.block = block});
    for (size_t i = 0; i < sync->local.count; i++)
        if (sync->local.items[i].block == block)
            sanitize_learn(&sync->local.items[i].clocks, what, s->rows);
}

void sanitize_release(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_order *order, uint32_t pc,
                      struct sanitize_cell *cell)
{
    struct sanitize_crew *crew = crew_of(s, w);
    enum sanitize_scope scope = order->shared ? SANITIZE_BLOCK : order->scope;
    if (order->releases)
        make_released(s, w, scope);
    else if (crew->told == ISA_PC_NONE)
        crew->told = pc;
    if (!w->released[SANITIZE_BLOCK].rows) /* nothing was ever fenced */
        return;
    struct sanitize_sync *sync = sanitize_sync_of(s, cell);
    struct sanitize_clocks *wide = order->phased ? &sync->pending : &sync->wide;
    if (order->shared)
        sanitize_learn(wide, &w->released[SANITIZE_BLOCK], s->rows);
    else if (scope == SANITIZE_DEVICE)
        sanitize_learn(wide, &w->released[SANITIZE_DEVICE], s->rows);
    if (s->narrow && !order->shared && !order->phased)
        release_in_block(s, sync, crew->block, &w->released[SANITIZE_BLOCK]);
}

void sanitize_acquire(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_order *order, uint32_t pc,
                      const struct sanitize_cell *cell)
{
    if (!cell->sync)
        return;
    const struct sanitize_sync *sync = &s->syncs.items[cell->sync - 1];
    const struct sanitize_clocks *local = local_of(sync, crew_of(s, w)->block);
    enum sanitize_scope until = order->shared ? SANITIZE_BLOCK : SANITIZE_DEVICE; /* the fence that it needs */
    if (order->shared || order->scope == SANITIZE_DEVICE) {
        sanitize_learns_by(s, w, cell, &sync->wide);
        sanitize_learn(order->acquires ? &w->known : &w->pending[until], &sync->wide, s->rows);
    }
    if (local) {
        sanitize_learns_by(s, w, cell, local);
        sanitize_learn(order->acquires ? &w->known : &w->pending[SANITIZE_BLOCK], local, s->rows);
    }
    w->polled = pc;
    w->polls_lock = s->module->instrs[pc].mods.atomic == ISA_ATOMIC_CAS;
}

/* Barriers */

void sanitize_come_to_grid(struct sanitize *s, struct sanitize_warp *w)
{
    learn_all_of(s, &s->grid, w);
    sanitize_learns_by(s, w, NULL, NULL);
    w->at_grid = true;
}

void sanitize_come_to_cluster(struct sanitize *s, struct sanitize_warp *w, bool relaxed)
{
    if (relaxed) {
        sanitize_learn(&s->clusters, &w->released[SANITIZE_DEVICE], s->rows);
        return;
    }
    learn_all_of(s, &s->clusters, w);
    sanitize_next_epoch(w);
}

void sanitize_leave_cluster(struct sanitize *s, struct sanitize_warp *w)
{
    sanitize_learn(&w->known, &s->clusters, s->rows);
    sanitize_learns_by(s, w, NULL, NULL);
    sanitize_next_epoch(w);
    w->at_cluster = false;
}

void sanitize_arrive(struct sanitize *s, struct sanitize_warp *w, struct sanitize_block *block)
{
    learn_all_of(s, &block->pool, w);
    for (uint64_t rest = block->opened; rest; rest &= rest - 1)
        sanitize_learn(&sanitize_warp_at(s, crew_of(s, w)->sm, mask_first(rest))->known, &block->pool, s->rows);
    sanitize_next_epoch(w);
}

/* Knowledge that warps bring to a barrier, each its own, and take along from it, all of it. */
struct meeting {
    struct sanitize_clocks known, released[2], pending[2];
    uint32_t polled; /* of a warp that has something pending, which a fence would make known */
    bool polls_lock;
};

static void bring(struct sanitize *s, struct sanitize_warp *w, struct meeting *m)
{
    learn_all_of(s, &m->known, w);
    for (unsigned scope = 0; scope < 2; scope++) {
        sanitize_learn(&m->released[scope], &w->released[scope], s->rows);
        sanitize_learn(&m->pending[scope], &w->pending[scope], s->rows);
    }
    if (!w->pending[SANITIZE_BLOCK].rows && !w->pending[SANITIZE_DEVICE].rows)
        return;
    m->polled = w->polled;
    m->polls_lock = w->polls_lock;
}

static void take_along(struct sanitize *s, struct sanitize_warp *w, const struct meeting *m)
{
    if (!w->pending[SANITIZE_BLOCK].rows && !w->pending[SANITIZE_DEVICE].rows) {
        w->polled = m->polled;
        w->polls_lock = m->polls_lock;
    }
    sanitize_learn(&w->known, &m->known, s->rows);
    for (unsigned scope = 0; scope < 2; scope++) {
        sanitize_learn(&w->released[scope], &m->released[scope], s->rows);
        sanitize_learn(&w->pending[scope], &m->pending[scope], s->rows);
    }
    w->at_grid = false;
    sanitize_learns_by(s, w, NULL, NULL);
    sanitize_next_epoch(w);
}

void sanitize_barrier(struct sanitize *s, uint32_t sm, struct sanitize_block *block, uint64_t warps)
{
    struct meeting all = {.polled = ISA_PC_NONE};
    block->opened = warps;
    sanitize_learn(&all.known, &block->pool, s->rows);
    for (uint64_t rest = warps; rest; rest &= rest - 1) {
        struct sanitize_warp *w = sanitize_warp_at(s, sm, mask_first(rest));
        bring(s, w, &all);
        if (w->at_grid) { /* no instruction has opened it */
            sanitize_learn(&all.known, &s->grid, s->rows);
            block->opened = 0;
        }
    }
    for (uint64_t rest = warps; rest; rest &= rest - 1)
        take_along(s, sanitize_warp_at(s, sm, mask_first(rest)), &all);
    sanitize_forget(&all.known, s->rows);
    for (unsigned scope = 0; scope < 2; scope++) {
        sanitize_forget(&all.released[scope], s->rows);
        sanitize_forget(&all.pending[scope], s->rows);
    }
}
