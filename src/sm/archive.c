/* An SM in a checkpoint. Instructions in flight are stored by their place in the module, packets where they are met
 * first, warps and blocks only where they are resident. Pools keep their numbering: ops and transactions are known by
 * number all over the SM. */
#include "base/archive.h"

#include <stdlib.h>
#include <string.h>

#include "simt/form.h"
#include "sm/perform.h"
#include "sm/state.h"
#include "sm/step.h"
#include "sm/warps.h"

static const struct simt_code *code_of(const struct sm *sm)
{
    return sm->kernel->grid->code;
}

/* Pools */

static void archive_op(struct sm *sm, struct archive *ar, struct core_op *o)
{
    uint32_t pc = archive_loading(ar) ? 0 : (uint32_t)(o->decoded - sm->warp.decoded);
    bool has_access = o->access != NULL;
    archive_u32_to(ar, &pc, code_of(sm)->module->instr_count - 1);
    ARCHIVE(ar, o->pending);
    archive_u8_to(ar, &o->slot, (uint8_t)(sm->params->warps - 1));
    core_op_name(sm_core(sm, o->slot), o->slot, o, &sm->warp.decoded[pc]);
    archive_u8_to(ar, &o->unit, WARP_UNIT_COUNT - 1);
    archive_bool(ar, &o->in_memory);
    archive_bool(ar, &o->bypasses);
    archive_u8_to(ar, &o->event, AGENT_EVENTS - 1);
    archive_u8_to(ar, &o->drops, L1_ORDERS);
    archive_u8_to(ar, &o->epoch, BLOCK_EPOCHS - 1);
    archive_u8_to(ar, &o->blocks, CORE_BLOCKS_PHASE);
    archive_bool(ar, &o->performed);
    archive_bool(ar, &has_access);
    if (o->performed && !o->in_memory && sm->kernel->command)
        sm_keep_command(sm, o);
    if (archive_loading(ar))
        o->access = has_access ? core_access_new(&sm->ops, &sm->arena) : NULL;
    if (has_access)
        simt_access_archive(o->access, code_of(sm), ar);
    if (archive_loading(ar))
        o->source = has_access ? (uint8_t)sm_source_of(o) : WARP_FROM_OP;
}

static void archive_ops(struct sm *sm, struct archive *ar)
{
    uint8_t *free_ops = core_archive_pool(&sm->ops, ar);
    for (uint32_t i = 0; i < sm->ops.count; i++)
        if (!free_ops[i])
            archive_op(sm, ar, &sm->ops.items[i]);
    free(free_ops);
}

/* Warps and blocks */

static void archive_pool(struct sm *sm, struct archive *ar, struct sm_pool *pool)
{
    uint32_t last = code_of(sm)->module->instr_count - 1;
    archive_u64_to(ar, &pool->waiting, mask_low(sm->kernel->warps_per_block));
    ARCHIVE(ar, pool->free);
    ARCHIVE(ar, pool->asked);
    archive_u32_to(ar, &pool->warps, WARP_SLOTS);
    ARCHIVE(ar, pool->turn);
    ARCHIVE(ar, pool->sets);
    for (unsigned group = 0; group < WARP_SLOTS / SM_GROUP_WARPS; group++)
        archive_u32_to(ar, &pool->pc[group], last);
    ARCHIVE(ar, pool->has);
    ARCHIVE(ar, pool->wants);
}

static void archive_blocks(struct sm *sm, struct archive *ar)
{
    for (unsigned i = 0; i < WARP_SLOTS; i++) {
        struct sm_block *block = &sm->blocks[i];
        archive_bool(ar, &block->used);
        if (!block->used)
            continue;
        block->simt.grid = sm->kernel->grid;
        block->simt.shared_bytes = sm->kernel->shared_bytes;
        ARCHIVE(ar, block->simt.index);
        archive_bytes(ar, block->simt.shared, block->simt.shared_bytes);
        if (block->simt.arrivals)
            archive_bytes(ar, block->simt.arrivals, sizeof *block->simt.arrivals);
        ARCHIVE(ar, block->warps);
        ARCHIVE(ar, block->incomplete);
        ARCHIVE(ar, block->at_grid);
        ARCHIVE(ar, block->barriers);
        if (block->pool)
            archive_pool(sm, ar, block->pool);
        block->simt.rank = simt_rank_of(block->simt.grid, block->simt.index);
        ARCHIVE(ar, block->cluster.here);
        ARCHIVE(ar, block->cluster.passed);
        ARCHIVE(ar, block->cluster.waiting);
        ARCHIVE(ar, block->cluster.arrived);
        ARCHIVE(ar, block->cluster.ended);
        archive_u8_to(ar, &block->cluster.parity, 1);
        ARCHIVE(ar, block->cluster.since);
        ARCHIVE(ar, block->cluster_number);
        ARCHIVE(ar, block->peers);
    }
}

static void archive_warp(struct sm *sm, struct archive *ar, unsigned slot)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    warp_archive_block(&sm->warp, slot, ar);
    simt_warp_archive(&warp->simt, &sm->blocks[warp->block].simt, ar);
    warp_archive_slot(&sm->warp, slot, ar);
    ARCHIVE(ar, sm->barrier_of[slot]);
    ARCHIVE(ar, sm->products[slot]);
    fetch_archive_warp(&sm->fetch, slot, ar);
    ARCHIVE(ar, sm->barrier_since[slot]);
    ARCHIVE(ar, sm->issued_before[slot]);
}

static void archive_sets(struct sm *sm, struct archive *ar)
{
    struct warp_set_archive to = {ar, mask_low(sm->params->warps)};
    warp_archive_sets(&sm->warp, &to);
    sm_each_set(sm, warp_set_archive, &to);
}

static void archive_warps(struct sm *sm, struct archive *ar)
{
    archive_sets(sm, ar);
    archive_blocks(sm, ar);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1)
        archive_warp(sm, ar, mask_first(rest));
    core_archive_views(&sm->views, ar);
    ARCHIVE(ar, sm->free_blocks);
    ARCHIVE(ar, sm->free_threads);
    ARCHIVE(ar, sm->free_shared);
    ARCHIVE(ar, sm->free_registers);
    ARCHIVE(ar, sm->next_age);
    ARCHIVE(ar, sm->next_block);
}

/* True: each block has the warps of its size, side by side and in order. */
static bool check_warps(const struct sm *sm)
{
    uint64_t size = mask_low(sm->kernel->warps_per_block);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1) {
        const struct warp_slot *warp = &sm->warp.slots[mask_first(rest)];
        const struct sm_block *block = &sm->blocks[warp->block];
        unsigned first = block->warps ? mask_first(block->warps) : 0;
        if (!block->used || block->warps >> first != size || mask_first(rest) != first + warp->simt.index)
            return false;
    }
    return true;
}

/* Warps that are out, whose instructions read banks by the threads that they have: these are known now. */
static void archive_form(struct sm *sm, struct archive *ar)
{
    struct sm_form *form = &sm->form;
    archive_u64_to(ar, &form->slow, mask_low(sm->params->warps));
    archive_u64_to(ar, &form->asks, mask_low(sm->params->warps));
    if (!check_warps(sm)) {
        archive_fail(ar, "the warps of a block are not those that it was launched with");
        sm->out = 0;
        return;
    }
    sm->out &= sm->warp.resident;
    for (uint64_t rest = sm->out; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        archive_u64_to(ar, &form->lanes[slot], mask_low(sm->params->warp_size));
    }
    for (size_t i = 0; i < sm->ops.count; i++)
        if (sm->ops.items[i].decoded && mask_has(sm->out, sm->ops.items[i].slot))
            sm_form_name(sm, &sm->ops.items[i]);
}

/* Pipelines */

static void archive_pipelines(struct sm *sm, struct archive *ar)
{
    EACH_CORE (sm, core)
        core_archive_pipelines(core, ar);
    core_archive_line(&sm->line, sm->params->cores, ar);
}

static void archive_grid(struct sm *sm, struct archive *ar)
{
    ARCHIVE(ar, sm->grid.blocks);
    archive_bool(ar, &sm->grid.open);
    ARCHIVE(ar, sm->grid.last);
    ARCHIVE(ar, sm->barrier_free);
}

struct packet *sm_archive_packet(struct sm *sm, unsigned kind)
{
    return lsu_archive_packet(&sm->lsu, kind);
}

/* The whole */

static void archive_watch(struct sm *sm, struct archive *ar)
{
    ARCHIVE(ar, sm->threads_ended);
    watch_progress_archive(&sm->consumers.progress, ar);
    ARCHIVE(ar, sm->performed);
    ARCHIVE(ar, sm->cycles);
    ARCHIVE(ar, sm->blocks_retired);
    ARCHIVE(ar, sm->barrier_count);
    ARCHIVE(ar, sm->form.threads_moved);
    ARCHIVE(ar, sm->form.warps_refilled);
    struct warp_causes causes = warp_account_read(&sm->warp);
    ARCHIVE(ar, causes);
    if (archive_loading(ar))
        warp_account_reset(&sm->warp, &causes); /* begin_counting goes on from there */
    watch_phases_archive(&sm->consumers.phases, ar);
}

/* All cycles before this one are counted, and every stage looks for work. */
static void begin_counting(struct sm *sm)
{
    sm_count_from(sm, sm->agenda.now);
    EACH_CORE (sm, core)
        core_own_from(core, sm->agenda.now);
    warp_archive_end(&sm->warp, sm->agenda.now);
    sm_all_due(sm);
}

void sm_archive(struct sm *sm, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "state", 0);
    if (!archive_loading(ar))
        sm_settle(sm, sm->agenda.now);
    ARCHIVE(ar, sm->agenda.now);
    archive_bool(ar, &sm->agenda.made_progress);
    archive_bool(ar, &sm->agenda.made_progress_before);
    archive_ops(sm, ar);
    lsu_archive_transactions(&sm->lsu, ar);
    archive_warps(sm, ar);
    if (sm->kernel->grid->forms)
        archive_form(sm, ar);
    fetch_archive(&sm->fetch, ar);
    EACH_CORE (sm, core)
        core_archive_turns(core, ar);
    archive_pipelines(sm, ar);
    async_archive(&sm->async, ar);
    archive_grid(sm, ar);
    lsu_archive(&sm->lsu, ar, source);
    fetch_archive_cache(&sm->fetch, ar);
    lsu_archive_caches(&sm->lsu, ar, source);
    archive_watch(sm, ar);
    sm_unsynced_archive(&sm->unsynced, code_of(sm)->module->instr_count, ar);
    sm_strays_archive(&sm->strays, code_of(sm)->module->instr_count, ar);
    if (sm->params->counts_lines)
        sm_lines_archive(&sm->lines, sm->lsu.l1d.line_bytes, ar);
    sm_spinning_archive(sm, ar);
    ARCHIVE(ar, sm->told_waits);
    watch_archive(&sm->watch, ar);
    archive_end(ar);
    if (archive_loading(ar))
        begin_counting(sm);
}
