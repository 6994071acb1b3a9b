/* The asynchronous unit in a checkpoint: see async.h. */
#include "base/archive.h"

#include "async/async.h"
#include "core/core.h"

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
        archive_u8_to(ar, &g->slot, WARP_SLOTS - 1);
        archive_bool(ar, &g->sealed);
    }
    for (uint32_t i = 0; i < arrivals; i++) {
        if (archive_loading(ar))
            vec_push(&async->arrivals, (struct async_arrival){0});
        struct async_arrival *a = &async->arrivals.items[i];
        ARCHIVE(ar, a->address);
        ARCHIVE(ar, a->serial);
        ARCHIVE(ar, a->pc);
        archive_u8_to(ar, &a->slot, WARP_SLOTS - 1);
        archive_u8_to(ar, &a->lane, SIMT_MAX_WIDTH - 1);
    }
    ARCHIVE(ar, async->next_serial);
}

/* What the copies of each warp have come to. */
static void archive_warps(struct async *async, struct archive *ar)
{
    for (uint64_t rest = async->warp->resident; rest; rest &= rest - 1) {
        struct async_commits *c = &async->commits[mask_first(rest)];
        struct async_wait *w = &async->waits[mask_first(rest)];
        ARCHIVE(ar, c->count);
        ARCHIVE(ar, c->lanes);
        ARCHIVE(ar, w->lanes);
        ARCHIVE(ar, w->most);
        archive_bool(ar, &w->all);
    }
}

void async_archive(struct async *async, struct archive *ar)
{
    if (archive_loading(ar))
        async->suspended.count = async->groups.count = async->arrivals.count = 0;
    archive_suspended(async, ar);
    archive_groups(async, ar);
    archive_warps(async, ar);
    if (archive_loading(ar))
        async->next = async_find_next(async);
}
