/* The functional mode: the same instructions, lane semantics and barriers, no time. As many blocks as the machine could
 * hold are resident at once; their warps run in turn, a slice of instructions each, so that warps which wait for each
 * other (locks, flags) all go on. Memory is served at once. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/control.h"
#include "gpu/functional.h"
#include "gpu/waits.h"
#include "simt/copy.h"
#include "simt/image.h"
#include "simt/lock.h"

#define SLICE 256 /* instructions a warp runs before the next one's turn */
/* Turns of everybody in which nobody did anything but synchronise, before their states are looked at; and the age of a
 * state, when memory changed in the meantime, above which coming back to it is no chance. */
#define QUIET_ROUNDS 1024
#define OLD_ROUNDS 8192
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
        struct simt_fault fault = {.lane = (uint8_t)lane, .space = a->space, .address = a->address[lane], .pc = a->pc};
        if (!store_covers(&f->run->gpu->store, a->address[lane], bytes))
            fault.kind = SIMT_FAULT_BOUNDS;
        else if (a->kind != ISA_FLAG_LOAD && gpu_address_read_only(f->run->gpu, a->address[lane]))
            fault.kind = SIMT_FAULT_READ_ONLY;
        if (fault.kind && f->run->grid.lenient && !simt_access_moves(a) && !a->samples)
            return pass_strays(f, b, w);
        if (fault.kind) {
            functional_fault(f, b, w, &fault);
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

/* Opens the grid's barrier if all blocks have come to it or ended. Returns whether it did. */
static bool pass_grid(struct frun *f)
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

/* Addresses of shared memory lie behind this one, where those of all blocks are looked at together. */
static uint64_t base_of(const struct frun *f, const struct fblock *b)
{
    return (uint64_t)(b - f->blocks + 1) << 32;
}

static struct watch_holder *holder_place(const struct frun *f, uint64_t address)
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
        at += shared ? base_of(f, b) : 0;
        struct watch_holder h = {.address = at,
                                 .cycle = f->instructions,
                                 .warp = w,
                                 .thread = warp->threads[lane],
                                 .pc = a->pc,
                                 .lane = (uint8_t)lane,
                                 .slot = (uint8_t)w};
        memcpy(h.block, b->simt.index, sizeof h.block);
        *holder_place(f, at) = h;
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
static bool move_lanes(struct frun *f, struct fblock *b, unsigned w)
{
    struct simt_fault fault = {0};
    if (!simt_access_moves(&f->access))
        return true;
    if (!simt_locks_answered(&b->place->warps[w], &f->access, f->instructions, &fault)) {
        functional_fault(f, b, w, &fault);
        return false;
    }
    return true;
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

/* Runs one warp until its slice is used up, it waits, ends or faults. Returns whether it did anything but synchronise.
 */
static bool run_warp(struct frun *f, struct fblock *b, unsigned w)
{
    struct simt_warp *warp = &b->place->warps[w];
    struct simt_result r;
    bool synced = false, worked = false;
    for (unsigned n = 0; n < SLICE; n++) {
        uint64_t live = warp->live;
        enum simt_event event = simt_execute(warp, f->instructions, &f->access, &r);
        if (event == SIMT_FAULTED) {
            r.fault.pc = r.pc;
            functional_fault(f, b, w, &r.fault);
            return true;
        }
        count(f, &r);
        worked |= live != warp->live;
        if (event == SIMT_MEMORY && (f->access.space == ISA_SPACE_GLOBAL || f->access.space == ISA_SPACE_CONST)) {
            if (!legal(f, b, w))
                return true;
            look(f, warp);
            simt_serve(warp, &f->access, gpu_host_address, f->run->gpu);
            note_access(f, b, w, &synced, &worked);
            if (!move_lanes(f, b, w))
                return true;
        } else if (event == SIMT_MEMORY && f->access.space == ISA_SPACE_CLUSTER) {
            if (!functional_serve_cluster(f, b, w))
                return true;
            note_cluster_access(f, b, w, &synced, &worked);
        } else if (event == SIMT_MEMORY) {
            look(f, warp);
            if (f->access.space == ISA_SPACE_SHARED)
                note_access(f, b, w, &synced, &worked);
            if (!move_lanes(f, b, w))
                return true;
            if (f->access.remote && !functional_send_lanes(f, b, w))
                return true;
            if (f->access.instr->op == ISA_OP_CP_ARRIVE && !functional_arrive_copied(f, b, w))
                return true;
            if (f->access.waiting)
                break; /* for an mbarrier's phase: others may end it */
        } else if (event == SIMT_BULK) {
            worked = f->changed = true;
            if (!functional_copy_bulk(f, b, w))
                return true;
        } else if (event == SIMT_BARRIER) {
            if (r.unsynced.kind)
                note_unsynced(f, warp, &r);
            arrive(f, b, w, &r);
            if (mask_has(b->waiting, w))
                return true;
        } else if (event == SIMT_DONE) {
            if (may_end(f, b, w, &r))
                end_warp(f, b, w);
            return true;
        } else if (event == SIMT_REGISTERS && b->place->pool) {
            move_registers(f, b, w, &r);
            if (f->faulted || mask_has(b->waiting, w))
                return true;
        } else if (event == SIMT_MET) {
            f->counters->sm.thread_instructions += mask_count(r.met);
        } else if (event == SIMT_UNSYNCED) {
            f->counters->sm.thread_instructions += mask_count(r.met);
            note_unsynced(f, warp, &r);
        } else if (event == SIMT_SLEEP) {
            break;
        }
    }
    if (worked || !synced)
        b->place->syncs[w].count = 0;
    return worked || !synced;
}

static struct fplace *new_place(struct frun *f)
{
    struct arena *arena = &f->run->arena;
    const struct sm_kernel *k = &f->run->kernel;
    const struct isa_function *kernel = f->run->grid.kernel;
    unsigned width = f->run->gpu->machine.sm.warp_size;
    size_t bytes = simt_warp_bytes(kernel, width);
    struct fplace *place = ARENA_NEW(arena, struct fplace, 1);
    place->warps = ARENA_NEW(arena, struct simt_warp, k->warps_per_block);
    place->waits = ARENA_NEW(arena, struct simt_barrier, k->warps_per_block);
    place->states = ARENA_NEW(arena, uint64_t, k->warps_per_block);
    place->syncs = ARENA_NEW(arena, struct fsync, k->warps_per_block);
    place->shared = arena_alloc(arena, k->shared_bytes + 1, 16);
    place->arrivals = k->mbarriers ? ARENA_NEW(arena, struct simt_arrivals, 1) : NULL;
    place->pool = k->pools ? ARENA_NEW(arena, struct sm_pool, 1) : NULL;
    uint8_t *lent = arena_alloc(arena, bytes * k->warps_per_block, 64);
    for (unsigned w = 0; w < k->warps_per_block; w++)
        simt_warp_lend(&place->warps[w], kernel, width, lent + w * bytes);
    return place;
}

static struct fplace *take_place(struct frun *f)
{
    struct fplace *place = f->free_places;
    if (!place)
        return new_place(f);
    f->free_places = place->next;
    return place;
}

static void give_place(struct frun *f, struct fplace *place)
{
    place->next = f->free_places;
    f->free_places = place;
}

static void free_places(struct frun *f)
{
    for (struct fplace *place = f->free_places; place; place = place->next)
        for (unsigned w = 0; w < f->run->kernel.warps_per_block; w++)
            simt_warp_free(&place->warps[w]);
}

static void start_block(struct frun *f, struct fblock *b)
{
    struct gpu_run *run = f->run;
    const struct sm_kernel *k = &run->kernel;
    unsigned threads = run->launch->block[0] * run->launch->block[1] * run->launch->block[2];
    unsigned width = run->gpu->machine.sm.warp_size;
    gpu_block_index(run, run->next_block++, b->simt.index);
    b->place = take_place(f);
    b->simt.grid = &run->grid;
    b->simt.shared_bytes = k->shared_bytes;
    b->simt.shared = b->place->shared;
    b->simt.barriers = &b->place->barriers;
    b->simt.arrivals = b->place->arrivals;
    if (k->shared_bytes)
        memset(b->simt.shared, 0, k->shared_bytes);
    if (b->simt.arrivals)
        memset(b->simt.arrivals, 0, sizeof *b->simt.arrivals);
    b->running = mask_low(k->warps_per_block);
    b->waiting = b->at_grid = b->at_cluster = 0;
    b->simt.rank = simt_rank_of(&run->grid, b->simt.index);
    b->place->cluster = (struct sm_cluster){0};
    sm_barriers_init(&b->place->barriers, k->warps_per_block);
    if (b->place->pool)
        sm_pool_init(b->place->pool, k->warps_per_block, k->registers);
    for (unsigned w = 0; w < k->warps_per_block; w++) {
        unsigned first = w * width;
        b->place->warps[w].sm = (uint16_t)((b - f->blocks) % run->gpu->machine.gpu.sms);
        b->place->warps[w].slot = (uint16_t)w;
        b->place->syncs[w] = (struct fsync){0};
        simt_warp_start(&b->place->warps[w], &b->simt, w, threads - first < width ? threads - first : width);
    }
}

static void allocate_blocks(struct frun *f)
{
    struct gpu_run *run = f->run;
    uint64_t most = (uint64_t)run->result->blocks_per_sm * run->gpu->machine.gpu.sms;
    most -= most % run->grid.cluster_blocks;
    f->block_count = (unsigned)(run->blocks < most ? run->blocks : most);
    f->blocks = ARENA_NEW(&run->arena, struct fblock, f->block_count);
}

/* The blocks of a cluster start together, when the places of all are free. */
static void start_blocks(struct frun *f, unsigned first)
{
    unsigned size = f->run->grid.cluster_blocks;
    for (unsigned i = first; i < first + size; i++)
        if (f->blocks[i].place)
            return;
    for (unsigned i = first; i < first + size && f->run->next_block < f->run->blocks; i++)
        start_block(f, &f->blocks[i]);
}

/* One turn for every resident warp. Returns whether anybody ran; *moved whether anybody got anywhere. */
static bool run_round(struct frun *f, bool *moved)
{
    bool ran = false;
    *moved = false;
    for (unsigned i = 0; i < f->block_count && !f->faulted; i++) {
        struct fblock *b = &f->blocks[i];
        if (!b->place && f->run->next_block < f->run->blocks && i % f->run->grid.cluster_blocks == 0)
            start_blocks(f, i);
        if (!b->place)
            continue;
        for (uint64_t rest = b->running & ~b->waiting; rest && !f->faulted; rest &= rest - 1) {
            ran = true;
            *moved |= run_warp(f, b, mask_first(rest));
        }
        if (!b->running) {
            give_place(f, b->place);
            b->place = NULL;
            f->counters->sm.blocks++;
            ran = *moved = true;
        }
    }
    if (!ran && f->run->next_block == f->run->blocks)
        ran = *moved = pass_grid(f);
    return ran;
}

static bool any_left(const struct frun *f)
{
    if (f->run->next_block < f->run->blocks)
        return true;
    for (unsigned i = 0; i < f->block_count; i++)
        if (f->blocks[i].place)
            return true;
    return false;
}

/* Looks at the warps of a block that neither wait nor have ended. note: their states are kept; else those that were in
 * the kept state again are noted. Returns whether all were. */
static bool look_at_block(struct frun *f, struct fblock *b, bool note)
{
    if (note)
        b->back = 0;
    for (uint64_t rest = b->place ? b->running & ~b->waiting : 0; rest; rest &= rest - 1) {
        unsigned w = mask_first(rest);
        uint64_t hash = gpu_warp_hash(&b->place->warps[w], f->control, w, f->instructions);
        if (note)
            b->place->states[w] = hash;
        else if (b->place->states[w] == hash)
            b->back |= BIT64(w);
    }
    return !b->place || !(b->running & ~b->waiting & ~b->back);
}

/* True if every warp goes round: each has been in some state twice, and meanwhile none did more than synchronise. Later
 * turns are compared with those whose number is a power of two (Brent's cycle detection, which finds cycles of any
 * length). */
static bool goes_round(struct frun *f)
{
    bool note = !(f->idle & (f->idle - 1)), all = true;
    if (f->idle < QUIET_ROUNDS)
        return false;
    if (!f->control)
        f->control = gpu_control_new(f->run->grid.code->module, f->run->grid.kernel, &f->run->arena);
    if (note) {
        f->noted = f->idle;
        f->changed = false;
    }
    for (unsigned i = 0; i < f->block_count; i++)
        all &= look_at_block(f, &f->blocks[i], note);
    return all && !note && (!f->changed || f->idle - f->noted >= OLD_ROUNDS);
}

static void state_of(void *context, unsigned unit, unsigned w, struct sm_warp_state *state)
{
    const struct frun *f = context;
    const struct fblock *b = &f->blocks[unit];
    *state = (struct sm_warp_state){.resident = b->place};
    if (!b->place)
        return;
    const struct simt_warp *warp = &b->place->warps[w];
    const struct fsync *sync = &b->place->syncs[w];
    state->finished = !mask_has(b->running, w);
    state->index = w;
    memcpy(state->block, b->simt.index, sizeof state->block);
    state->live = warp->live;
    state->warp = warp;
    state->issued = 1;
    state->sync_ops = sync->count;
    state->last_sync_address = sync->address;
    state->last_sync_pc = sync->pc;
    state->last_sync_shared = sync->shared;
    state->last_sync_cluster = sync->cluster;
    state->shared_base = base_of(f, b);
    if (state->finished)
        return;
    state->pc = simt_pc(warp);
    state->mask = warp->paths.now->mask;
    state->pool = b->place->pool;
    if (!mask_has(b->waiting | b->at_grid, w))
        return;
    if (b->place->pool && mask_has(b->place->pool->waiting, w)) {
        state->waits = 1u << WARP_WAIT_registers;
        return;
    }
    if (mask_has(b->at_cluster, w)) {
        state->waits = 1u << WARP_WAIT_cluster;
        state->barrier = SM_CLUSTER_BARRIER;
        state->missing = sm_cluster_missing(&b->place->cluster, f->run->grid.cluster_blocks);
        return;
    }
    state->waits = 1u << WARP_WAIT_barrier;
    state->barrier = b->place->waits[w].mode == ISA_BARRIER_GRID ? SM_GRID_BARRIER : b->place->waits[w].id;
    state->barrier_threads = b->place->waits[w].threads;
}

static bool holder_of(void *context, unsigned unit, uint64_t address, struct watch_holder *holder)
{
    const struct frun *f = context;
    if (!f->holders)
        return false;
    *holder = *holder_place(f, address);
    const struct fblock *b = &f->blocks[unit];
    bool ended = unit == 0; /* one unit answers for holders whose blocks have ended */
    for (unsigned i = 0; ended && i < f->block_count; i++)
        ended = !f->blocks[i].place || memcmp(holder->block, f->blocks[i].simt.index, sizeof holder->block) != 0;
    return holder->address == address && address &&
           (ended || (b->place && memcmp(holder->block, b->simt.index, sizeof holder->block) == 0));
}

static struct waits_source source_of(struct frun *f)
{
    return (struct waits_source){f,         f->block_count,  f->run->kernel.warps_per_block,      false, state_of,
                                 holder_of, f->instructions, (f->instructions - f->idle_from) / 2};
}

/* Nobody on the device will write what its warps poll, but the host may. */
static bool waits_for_host(struct frun *f)
{
    const struct waits_source source = source_of(f);
    if (!f->run->launch->open || waits_closed_now(f->run->gpu, &source))
        return false;
    gpu_polls_begin(f->run);
    for (unsigned i = 0; i < f->block_count; i++) {
        const struct fblock *b = &f->blocks[i];
        for (uint64_t rest = b->place ? b->running & ~b->waiting : 0; rest; rest &= rest - 1)
            gpu_polls_add(f->run, &b->place->warps[mask_first(rest)]);
    }
    return f->run->polls->count;
}

/* Of a launch that gets nowhere and can be written to: it listens, and has to get nowhere once more. */
static void listen(struct frun *f)
{
    f->run->launch->listens(f->run->launch->context);
    f->listens = true;
    f->idle = 0;
    f->idle_from = f->instructions;
}

/* True: after a turn, the warps have got nowhere. */
static bool is_stuck(struct frun *f, bool ran, bool moved)
{
    uint32_t most = f->run->gpu->machine.gpu.idle_cycles;
    if (moved) {
        f->idle = 0;
        f->idle_from = f->instructions;
        f->listens = false;
        return false;
    }
    f->idle++;
    return !ran || goes_round(f) || (most && f->instructions - f->idle_from >= most);
}

static enum gpu_status explain_stuck(struct frun *f, bool ran)
{
    const struct waits_source source = source_of(f);
    gpu_explain_hang(f->run, ran ? GPU_HANG_STUCK : GPU_HANG_STILL, &source, CYCLE_NEVER);
    return GPU_HANG;
}

static enum gpu_status run_rounds(struct frun *f)
{
    double last = f->run->start.seconds;
    for (; any_left(f); f->round++) {
        uint64_t round = f->round;
        bool moved;
        bool ran = run_round(f, &moved);
        if (f->faulted) {
            gpu_explain_fault(f->run, &f->fault);
            return GPU_FAULT;
        }
        if (is_stuck(f, ran, moved)) {
            if (!ran || !(f->listens || waits_for_host(f)))
                return explain_stuck(f, ran);
            if (f->listens || !f->run->launch->host_writes)
                return GPU_STANDS;
            listen(f);
        }
        if (f->run->launch->max_cycles && f->instructions >= f->run->launch->max_cycles)
            return GPU_LIMIT;
        double now = round % 64 ? last : host_seconds();
        if (now - last > 0.2) {
            last = now;
            if (gpu_report_progress(f->run, f->instructions, f->counters->sm.blocks))
                return GPU_STOPPED;
        }
    }
    return GPU_OK;
}

static enum gpu_status begin(struct gpu_run *run)
{
    struct frun *f = run->functional = base_calloc(1, sizeof *f);
    f->access.texels = &f->texels;
    f->run = run;
    f->round = 1;
    f->counters = run->result->counters;
    allocate_blocks(f);
    return run_rounds(f);
}

static enum gpu_status leave_stand(struct frun *f, enum gpu_going going)
{
    if (going == GPU_GO_STOP)
        return GPU_STOPPED;
    if (going == GPU_GO_HANG)
        return explain_stuck(f, true);
    f->idle = 0;
    f->idle_from = f->instructions;
    f->listens = false;
    f->round++;
    return run_rounds(f);
}

enum gpu_status gpu_run_functional(struct gpu_run *run, enum gpu_going going)
{
    enum gpu_status status = run->functional ? leave_stand(run->functional, going) : begin(run);
    struct frun *f = run->functional;
    if (status == GPU_STANDS)
        return status;
    gpu_explain_unsynced(run, &f->unsynced);
    vec_free(&f->unsynced);
    gpu_explain_strays(run, &f->strays);
    vec_free(&f->strays);
    for (unsigned i = 0; i < f->block_count; i++)
        if (f->blocks[i].place)
            give_place(f, f->blocks[i].place);
    free_places(f);
    /* Memory changed behind the caches' backs. */
    for (unsigned i = 0; i < run->gpu->machine.gpu.sms; i++)
        sm_flush(run->gpu->sms[i], !run->gpu->machine.gpu.keep_code);
    free(f);
    return status;
}
