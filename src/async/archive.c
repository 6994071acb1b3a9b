/* The asynchronous unit in a checkpoint: see async.h. */
#include "base/archive.h"

#include "async/async.h"
#include "core/core.h"
#include "simt/mbarrier.h"

static bool is_wait(const struct core_op *o)
{
    return o->blocks == CORE_BLOCKS_PHASE && o->access && o->access->op->kind == SIMT_KIND_MBARRIER;
}

static void archive_suspended(struct async *async, struct archive *ar)
{
    uint32_t count = (uint32_t)async->suspended.count;
    archive_u32_to(ar, &count, WARP_SLOTS);
    for (uint32_t i = 0; i < count; i++) {
        if (archive_loading(ar))
            vec_push(&async->suspended, (struct async_suspended){0});
        struct async_suspended *s = &async->suspended.items[i];
        core_archive_op_number(async->ops, ar, &s->op);
        ARCHIVE(ar, s->until);
        ARCHIVE(ar, s->wake);
        if (archive_loading(ar) && (!async->ops->count || !is_wait(&async->ops->items[s->op]))) {
            archive_fail(ar, "a warp is suspended at an mbarrier by an instruction that waits for none");
            async->suspended.count = 0;
            return;
        }
    }
}

static void archive_settling(struct async *async, struct archive *ar)
{
    uint32_t count = (uint32_t)async->settling.count;
    archive_u32_to(ar, &count, 1 << 20);
    for (uint32_t i = 0; i < count; i++) {
        if (archive_loading(ar))
            vec_push(&async->settling, (struct async_settling){0});
        ARCHIVE(ar, async->settling.items[i].until);
        ARCHIVE(ar, async->settling.items[i].block);
        ARCHIVE(ar, async->settling.items[i].address);
    }
}

/* Of a warp that is there. */
static void archive_slot(const struct async *async, struct archive *ar, uint8_t *slot)
{
    archive_u8_to(ar, slot, WARP_SLOTS - 1);
    if (archive_loading(ar) && !mask_has(async->warp->resident, *slot))
        archive_fail(ar, "the asynchronous unit works for a warp that is not there");
}

static void archive_arrival_address(const struct async *async, struct archive *ar, struct async_arrival *a)
{
    ARCHIVE(ar, a->address);
    if (archive_failed(ar))
        return;
    uint64_t bytes = async->warp->slots[a->slot].simt.block->shared_bytes;
    if (a->address % MBARRIER_BYTES || a->address >= bytes || bytes - a->address < MBARRIER_BYTES)
        archive_fail(ar, "copies arrive at an mbarrier outside of shared memory");
}

static void archive_groups(struct async *async, struct archive *ar)
{
    uint32_t count = (uint32_t)async->groups.count, arrivals = (uint32_t)async->arrivals.count;
    archive_u32_to(ar, &count, 1 << 20);
    archive_u32_to(ar, &arrivals, 1 << 20);
    for (uint32_t i = 0; i < count; i++) {
        if (archive_loading(ar))
            vec_push(&async->groups, (struct async_group){0});
        struct async_group *g = &async->groups.items[i];
        ARCHIVE(ar, g->lanes);
        ARCHIVE(ar, g->open);
        ARCHIVE(ar, g->committed);
        ARCHIVE(ar, g->serial);
        ARCHIVE(ar, g->out);
        ARCHIVE(ar, g->unread);
        archive_u8_to(ar, &g->slot, WARP_SLOTS - 1);
        archive_bool(ar, &g->bulk);
        archive_bool(ar, &g->sealed);
    }
    for (uint32_t i = 0; i < arrivals; i++) {
        if (archive_loading(ar))
            vec_push(&async->arrivals, (struct async_arrival){0});
        struct async_arrival *a = &async->arrivals.items[i];
        ARCHIVE(ar, a->serial);
        ARCHIVE(ar, a->pc);
        archive_slot(async, ar, &a->slot);
        archive_u8_to(ar, &a->lane, SIMT_MAX_WIDTH - 1);
        archive_arrival_address(async, ar, a);
    }
    ARCHIVE(ar, async->next_serial);
    ARCHIVE(ar, async->phases_ended);
    ARCHIVE(ar, async->numbered);
}

/* Of each resident warp: the groups of copies that its lanes have committed, and the wait for them that it is in. */
static void archive_warps(struct async *async, struct archive *ar)
{
    for (uint64_t rest = async->warp->resident; rest; rest &= rest - 1) {
        struct async_wait *w = &async->waits[mask_first(rest)];
        for (unsigned bulk = 0; bulk < 2; bulk++) {
            ARCHIVE(ar, async->commits[bulk][mask_first(rest)].count);
            ARCHIVE(ar, async->commits[bulk][mask_first(rest)].lanes);
        }
        ARCHIVE(ar, w->lanes);
        ARCHIVE(ar, w->most);
        archive_bool(ar, &w->all);
        archive_bool(ar, &w->bulk);
        archive_bool(ar, &w->read);
    }
}

/* A place without a command has nothing else. */
static void archive_command(struct async *async, struct async_bulk *b, struct archive *ar)
{
    archive_bool(ar, &b->used);
    if (!b->used)
        return;
    ARCHIVE(ar, b->ready);
    ARCHIVE(ar, b->out);
    archive_place(ar, &b->group, (uint32_t)async->groups.count);
    ARCHIVE(ar, b->number);
    ARCHIVE(ar, b->pc);
    archive_slot(async, ar, &b->slot);
    archive_u8_to(ar, &b->lane, SIMT_MAX_WIDTH - 1);
    archive_u8_to(ar, &b->epoch, UINT8_MAX);
    archive_bool(ar, &b->walked);
    if (!archive_failed(ar))
        simt_bulk_archive(&b->command, async->warp->slots[b->slot].simt.block, ar);
}

static void archive_piece(struct async *async, struct async_piece *p, struct archive *ar)
{
    archive_bool(ar, &p->used);
    if (!p->used)
        return;
    archive_u32_to(ar, &p->command, async->commands.count ? (uint32_t)async->commands.count - 1 : 0);
    if (!async->commands.count || !async->commands.items[p->command].used)
        archive_fail(ar, "a piece is under way of no copy in bulk");
    else
        simt_piece_archive(&p->piece, &async->commands.items[p->command].command, ar);
}

static void archive_bulk(struct async *async, struct archive *ar)
{
    uint32_t commands = (uint32_t)async->commands.count, pieces = (uint32_t)async->pieces.count;
    uint32_t line = (uint32_t)async->line.count;
    archive_u32_to(ar, &commands, 1 << 20);
    archive_u32_to(ar, &pieces, 1 << 24);
    archive_u32_to(ar, &line, commands);
    for (uint32_t i = 0; i < commands; i++) {
        if (archive_loading(ar))
            vec_push(&async->commands, (struct async_bulk){0});
        archive_command(async, &async->commands.items[i], ar);
    }
    for (uint32_t i = 0; i < pieces; i++) {
        if (archive_loading(ar))
            vec_push(&async->pieces, (struct async_piece){0});
        archive_piece(async, &async->pieces.items[i], ar);
    }
    for (uint32_t i = 0; i < line; i++) {
        if (archive_loading(ar))
            vec_push(&async->line, 0);
        archive_u32_to(ar, &async->line.items[i], commands ? commands - 1 : 0);
    }
    ARCHIVE(ar, async->front_free);
    ARCHIVE(ar, async->pace);
}

void async_archive(struct async *async, struct archive *ar)
{
    if (archive_loading(ar))
        async_begin(async);
    archive_suspended(async, ar);
    archive_settling(async, ar);
    archive_groups(async, ar);
    archive_warps(async, ar);
    archive_bulk(async, ar);
    if (archive_loading(ar))
        async->next = async_find_next(async);
}
