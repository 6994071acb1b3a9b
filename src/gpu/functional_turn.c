/* A warp's turn in the functional mode: its instructions, one after the other, and what they do to memory and to other
 * warps. */
#include <string.h>

#include "base/hash.h"
#include "base/hot.h"
#include "gpu/functional.h"
#include "simt/copy.h"
#include "simt/image.h"
#include "simt/lock.h"

#define SLICE 256 /* instructions a warp runs before the next one's turn */
#define FHOLDERS 4096u

static void release(struct fblock *b, uint64_t warps, uint64_t value)
{
    b->waiting &= ~warps;
    for (uint64_t rest = warps; rest; rest &= rest - 1) {
        unsigned w = mask_first(rest);
        if (b->place->waits[w].mode == ISA_BARRIER_RED)
            simt_barrier_result(&b->place->warps[w], &b->place->waits[w], value);
    }
}

void functional_fault(struct frun *f, const struct fblock *b, unsigned w, const struct simt_fault *fault)
{
    f->faulted = true;
    f->fault.fault = *fault;
    f->fault.warp = w;
    f->fault.cycle = f->instructions;
    f->fault.executing = &b->place->warps[w];
    f->fault.lane = fault->lane;
    memcpy(f->fault.block, b->simt.index, sizeof f->fault.block);
}

/* Accesses that miss their allocations, where they are let pass. */
static bool pass_strays(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct sm_stray_memory memory = {&f->run->gpu->store, gpu_address_read_only, f->run->gpu};
    struct simt_fault fault;
    if (sm_strays_pass(&f->strays, &memory, &b->place->warps[w], &f->access, f->instructions, &fault))
        return true;
    functional_fault(f, b, w, &fault);
    return false;
}

/* The access's lanes one by one. */
static bool legal_lanes(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    for (uint64_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), bytes = simt_lane_bytes(a, lane);
        enum simt_fault_kind kind = SIMT_FAULT_NONE;
        if (!store_covers(&f->run->gpu->store, a->address[lane], bytes))
            kind = SIMT_FAULT_BOUNDS;
        else if (a->kind != ISA_FLAG_LOAD && gpu_address_read_only(f->run->gpu, a->address[lane]))
            kind = SIMT_FAULT_READ_ONLY;
        if (kind && f->run->grid.lenient && !simt_access_moves(a) && !a->samples)
            return pass_strays(f, b, w);
        if (kind) {
            functional_fault(f, b, w,
                             &(struct simt_fault){.kind = (uint8_t)kind,
                                                  .lane = (uint8_t)lane,
                                                  .space = a->space,
                                                  .address = a->address[lane],
                                                  .pc = a->pc});
            return false;
        }
    }
    return true;
}

static bool legal(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    unsigned bytes = a->element_bytes * a->elements;
    /* All in one allocation, the usual case; an allocation is read-only as a whole. */
    if (a->high - a->low < INT64_MAX && store_covers(&f->run->gpu->store, a->low, a->high - a->low + bytes) &&
        (a->kind == ISA_FLAG_LOAD || !gpu_address_read_only(f->run->gpu, a->low)))
        return true;
    bool fine = true;
    for (unsigned p = a->samples ? f->texels.parts : 1; p-- > 0 && fine;) {
        if (a->samples)
            simt_texels_part(&f->access, p);
        fine = legal_lanes(f, b, w);
    }
    return fine;
}

/* Where the access lies, for --check mem. */
static inline void look(struct frun *f, const struct simt_warp *warp)
{
    if (RARELY(f->run->grid.bounded))
        sm_strays_look(&f->strays, &f->run->bounds, warp, &f->access, f->instructions);
}

/* True: an atomic led to a value that a lock going back and forth does not take. */
static bool changes(struct frun *f, const struct simt_access *a, const struct fblock *b)
{
    uint8_t atomic = a->instr->mods.atomic;
    bool is_new = false;
    f->changed |= a->changed != 0;
    if (atomic != ISA_ATOMIC_CAS && atomic != ISA_ATOMIC_EXCH)
        return a->changed != 0;
    uint64_t block = a->space == ISA_SPACE_SHARED ? (uint64_t)(b - f->blocks) << 32 : 0;
    for (uint64_t rest = a->changed; rest; rest &= rest - 1)
        for (unsigned part = 0, lane = mask_first(rest); part < a->elements; part++)
            is_new |= watch_value_history_add(&f->values, block | (a->address[lane] + part * a->element_bytes),
                                              simt_atomic_value(a, lane, part, false));
    return is_new;
}

/* True: waiting programs repeat such an access, so it alone is no progress. */
static bool synchronises(struct frun *f, const struct simt_access *a, const struct fblock *b)
{
    if (a->kind == ISA_FLAG_ATOMIC)
        return !changes(f, a, b);
    return a->kind == ISA_FLAG_LOAD && a->instr->mods.order > ISA_ORDER_WEAK;
}

static void count(struct frun *f, const struct simt_result *r)
{
    struct sm_stats *s = &f->counters->sm;
    f->instructions++;
    s->warp_instructions++;
    s->thread_instructions += mask_count(r->mask);
    s->lanes_active += mask_count(r->active);
}

/* Warps that a barrier of the block lets go on; at that of the grid they wait for other blocks now. */
static void open_barrier(struct fblock *b, uint64_t warps, uint64_t value, bool grid)
{
    if (grid)
        b->at_grid = warps;
    else
        release(b, warps, value);
}

bool functional_pass_grid(struct frun *f)
{
    bool some = false;
    for (unsigned i = 0; i < f->block_count; i++) {
        const struct fblock *b = &f->blocks[i];
        if (b->place && !b->at_grid)
            return false;
        some |= b->place != NULL;
    }
    for (unsigned i = 0; i < f->block_count; i++) {
        release(&f->blocks[i], f->blocks[i].place ? f->blocks[i].at_grid : 0, 0);
        f->blocks[i].at_grid = 0;
    }
    return some;
}

static void arrive(struct frun *f, struct fblock *b, unsigned w, const struct simt_result *r)
{
    uint64_t value = 0;
    if (r->barrier.cluster) {
        functional_arrive_at_cluster(f, b, w, r);
        return;
    }
    b->place->waits[w] = r->barrier;
    if (r->barrier.mode != ISA_BARRIER_ARRIVE)
        b->waiting |= BIT64(w);
    uint64_t released = sm_barrier_arrive(&b->place->barriers, w, &r->barrier, &value);
    open_barrier(b, released, value, r->barrier.mode == ISA_BARRIER_GRID);
}

static void note_unsynced(struct frun *f, const struct simt_warp *warp, const struct simt_result *r)
{
    f->counters->sm.unsynced++;
    sm_unsynced_note(&f->unsynced, warp, r, f->instructions);
}

static void end_warp(struct frun *f, struct fblock *b, unsigned w)
{
    uint32_t id;
    uint64_t value, released;
    b->running &= ~BIT64(w);
    while ((released = sm_barrier_ended(&b->place->barriers, w, &id, &value)))
        open_barrier(b, released, value, id == SM_GRID_BARRIER);
    if (!b->running)
        functional_tell_cluster(f, b, true);
    else if (sm_cluster_warp_ended(&b->place->cluster, b->running, b->simt.rank))
        functional_tell_cluster(f, b, false);
}

/* setmaxnreg */
static void move_registers(struct frun *f, struct fblock *b, unsigned w, const struct simt_result *r)
{
    struct sm_pool *pool = b->place->pool;
    struct simt_fault fault;
    uint64_t served = sm_pool_set(pool, w, b->running, b->place->warps[w].live, r, f->run->grid.code->module, &fault);
    if (fault.kind)
        functional_fault(f, b, w, &fault);
    b->waiting = (b->waiting & ~served) | (pool->waiting & BIT64(w));
}

/* False: a warp that ends was to execute setmaxnreg. */
static bool may_end(struct frun *f, const struct fblock *b, unsigned w, const struct simt_result *r)
{
    struct simt_fault fault;
    if (!b->place->pool || sm_pool_ended(b->place->pool, w, r, f->run->grid.code->module, &fault))
        return true;
    functional_fault(f, b, w, &fault);
    return false;
}

uint64_t functional_shared_base(const struct frun *f, const struct fblock *b)
{
    return (uint64_t)(b - f->blocks + 1) << 32;
}

struct watch_holder *functional_holder(const struct frun *f, uint64_t address)
{
    return &f->holders[hash_place(address / 4) % FHOLDERS];
}

/* A lane that changed a location from what a compare-and-swap expected, or by an exchange to something else than 0, is
 * taken to hold it; the present value tells whether it still does. */
static void note_holders(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    const struct simt_warp *warp = &b->place->warps[w];
    bool shared = a->space == ISA_SPACE_SHARED;
    if (!f->holders)
        f->holders = ARENA_NEW(&f->run->arena, struct watch_holder, FHOLDERS);
    for (uint64_t rest = a->changed & a->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t value = 0, at = a->address[lane];
        memcpy(&value, shared ? b->simt.shared + at : store_at(&f->run->gpu->store, at), a->element_bytes);
        if (!value && a->instr->mods.atomic == ISA_ATOMIC_EXCH)
            continue;
        at += shared ? functional_shared_base(f, b) : 0;
        struct watch_holder h = {.address = at,
                                 .cycle = f->instructions,
                                 .warp = w,
                                 .thread = warp->threads[lane],
                                 .pc = a->pc,
                                 .lane = (uint8_t)lane,
                                 .slot = (uint8_t)w};
        memcpy(h.block, b->simt.index, sizeof h.block);
        *functional_holder(f, at) = h;
    }
}

static void note_sync(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    struct fsync *sync = &b->place->syncs[w];
    sync->count++;
    sync->address = a->address[mask_first(a->mask)];
    sync->pc = a->pc;
    sync->shared = a->space == ISA_SPACE_SHARED;
    sync->cluster = a->space == ISA_SPACE_CLUSTER;
    bool swaps = a->instr->mods.atomic == ISA_ATOMIC_CAS || a->instr->mods.atomic == ISA_ATOMIC_EXCH;
    if (a->changed && !sync->cluster && swaps)
        note_holders(f, b, w);
}

static void note_access(struct frun *f, const struct fblock *b, unsigned w, bool *synced, bool *worked)
{
    const struct simt_access *a = &f->access;
    bool waits = synchronises(f, a, b), orders = a->kind == ISA_FLAG_LOAD && a->instr->mods.order > ISA_ORDER_WEAK;
    *synced |= waits;
    *worked |= a->kind != ISA_FLAG_LOAD && !waits;
    if (orders || (a->kind == ISA_FLAG_ATOMIC && a->mask))
        note_sync(f, b, w);
}

/* Locks that an access asked for or gave back move its lanes. False: that was illegal. */
NOT_INLINE bool move_locked_lanes(struct frun *f, const struct fblock *b, unsigned w)
{
    struct simt_fault fault = {0};
    if (!simt_locks_answered(&b->place->warps[w], &f->access, f->instructions, &fault)) {
        functional_fault(f, b, w, &fault);
        return false;
    }
    return true;
}

static inline bool move_lanes(struct frun *f, const struct fblock *b, unsigned w)
{
    return !RARELY(simt_access_moves(&f->access)) || move_locked_lanes(f, b, w);
}

/* The access was one of another block's shared memory. */
static void note_cluster_access(struct frun *f, struct fblock *b, unsigned w, bool *synced, bool *worked)
{
    const struct simt_access *a = &f->access;
    bool strong = a->instr->mods.order > ISA_ORDER_WEAK;
    *synced |= a->kind == ISA_FLAG_LOAD ? strong : !a->changed;
    *worked |= a->kind == ISA_FLAG_STORE || a->changed;
    if (a->kind != ISA_FLAG_STORE && strong)
        note_sync(f, b, w);
}

/* How a warp's turn goes on behind an instruction, and what it has done so far. */
enum fturn { FTURN_ON, FTURN_PAUSED, FTURN_OVER };
struct fdone {
    bool synced, worked;
};

/* An access to memory of all blocks. */
HOT_INLINE enum fturn serve_global(struct frun *f, const struct fblock *b, unsigned w, struct fdone *done)
{
    struct simt_warp *warp = &b->place->warps[w];
    if (!legal(f, b, w))
        return FTURN_OVER;
    look(f, warp);
    simt_serve(warp, &f->access, gpu_host_address, f->run->gpu);
    note_access(f, b, w, &done->synced, &done->worked);
    return move_lanes(f, b, w) ? FTURN_ON : FTURN_OVER;
}

/* An access to the shared memory of other blocks. */
NOT_INLINE enum fturn serve_cluster(struct frun *f, struct fblock *b, unsigned w, struct fdone *done)
{
    if (!functional_serve_cluster(f, b, w))
        return FTURN_OVER;
    note_cluster_access(f, b, w, &done->synced, &done->worked);
    return FTURN_ON;
}

/* An access to shared or local memory, which simt_execute has served but for lanes that go to other blocks. Who waits
 * for an mbarrier's phase pauses: others may end it. */
HOT_INLINE enum fturn serve_own(struct frun *f, struct fblock *b, unsigned w, struct fdone *done)
{
    look(f, &b->place->warps[w]);
    if (f->access.space == ISA_SPACE_SHARED)
        note_access(f, b, w, &done->synced, &done->worked);
    if (!move_lanes(f, b, w))
        return FTURN_OVER;
    if (RARELY(f->access.remote) && !functional_send_lanes(f, b, w))
        return FTURN_OVER;
    if (RARELY(f->access.instr->op == ISA_OP_CP_ARRIVE) && !functional_arrive_copied(f, b, w))
        return FTURN_OVER;
    return f->access.waiting ? FTURN_PAUSED : FTURN_ON;
}

HOT_INLINE enum fturn serve(struct frun *f, struct fblock *b, unsigned w, struct fdone *done)
{
    if (f->access.space == ISA_SPACE_GLOBAL || f->access.space == ISA_SPACE_CONST)
        return serve_global(f, b, w, done);
    return RARELY(f->access.space == ISA_SPACE_CLUSTER) ? serve_cluster(f, b, w, done) : serve_own(f, b, w, done);
}

/* Does what the warp's instruction asks of its block: a barrier, a fence, its end. Plain instructions and accesses ask for nothing. */
NOT_INLINE enum fturn follow(struct frun *f, struct fblock *b, unsigned w, enum simt_event event,
                             const struct simt_result *r, struct fdone *done)
{
    switch (event) {
    case SIMT_BULK:
        done->worked = f->changed = true;
        return functional_copy_bulk(f, b, w) ? FTURN_ON : FTURN_OVER;
    case SIMT_BARRIER:
        if (r->unsynced.kind)
            note_unsynced(f, &b->place->warps[w], r);
        arrive(f, b, w, r);
        return mask_has(b->waiting, w) ? FTURN_OVER : FTURN_ON;
    case SIMT_DONE:
        if (may_end(f, b, w, r))
            end_warp(f, b, w);
        return FTURN_OVER;
    case SIMT_REGISTERS:
        if (!b->place->pool)
            return FTURN_ON;
        move_registers(f, b, w, r);
        return f->faulted || mask_has(b->waiting, w) ? FTURN_OVER : FTURN_ON;
    case SIMT_MET:
        f->counters->sm.thread_instructions += mask_count(r->met);
        return FTURN_ON;
    case SIMT_UNSYNCED:
        f->counters->sm.thread_instructions += mask_count(r->met);
        note_unsynced(f, &b->place->warps[w], r);
        return FTURN_ON;
    case SIMT_SLEEP:
        return FTURN_PAUSED;
    default:
        return FTURN_ON;
    }
}

HOT bool functional_turn(struct frun *f, struct fblock *b, unsigned w)
{
    struct simt_warp *warp = &b->place->warps[w];
    struct simt_result r;
    struct fdone done = {0};
    enum fturn turn = FTURN_ON;
    for (unsigned n = 0; n < SLICE && turn == FTURN_ON; n++) {
        uint64_t live = warp->live;
        enum simt_event event = simt_execute(warp, f->instructions, &f->access, &r);
        if (RARELY(event == SIMT_FAULTED)) {
            r.fault.pc = r.pc;
            functional_fault(f, b, w, &r.fault);
            return true;
        }
        count(f, &r);
        done.worked |= live != warp->live;
        if (event == SIMT_MEMORY)
            turn = serve(f, b, w, &done);
        else if (event != SIMT_PLAIN)
            turn = follow(f, b, w, event, &r, &done);
    }
    if (turn == FTURN_OVER)
        return true;
    if (done.worked || !done.synced)
        b->place->syncs[w].count = 0;
    return done.worked || !done.synced;
}
