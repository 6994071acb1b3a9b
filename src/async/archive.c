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

void async_archive(struct async *async, struct archive *ar)
{
    if (archive_loading(ar))
        async->suspended.count = 0;
    archive_suspended(async, ar);
    if (archive_loading(ar))
        async->next = async_find_next(async);
}
