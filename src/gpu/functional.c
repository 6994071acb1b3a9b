/* The functional mode: the same instructions, lane semantics and barriers, no time. As many blocks as the machine could
 * hold are resident at once; their warps run in turn, a slice of instructions each, so that warps which wait for each
 * other (locks, flags) all go on. Memory is served at once. */
#include <stdlib.h>
#include <string.h>

#include "gpu/control.h"
#include "gpu/functional.h"
#include "gpu/waits.h"

/* Turns of everybody in which nobody did anything but synchronise, before their states are looked at; and the age of a
 * state, when memory changed in the meantime, above which coming back to it is no chance. */
#define QUIET_ROUNDS 1024
#define OLD_ROUNDS 8192

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
            *moved |= functional_turn(f, b, mask_first(rest));
        }
        if (!b->running) {
            give_place(f, b->place);
            b->place = NULL;
            f->counters->sm.blocks++;
            ran = *moved = true;
        }
    }
    if (!ran && f->run->next_block == f->run->blocks)
        ran = *moved = functional_pass_grid(f);
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
    state->shared_base = functional_shared_base(f, b);
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
    *holder = *functional_holder(f, address);
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
