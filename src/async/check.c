/* Recomputes what the asynchronous unit keeps although it follows from what it holds (base/check.h). */
#include "base/check.h"

#include "async/async.h"

/* Pieces of a command that are not answered. */
static uint32_t pieces_out(const struct async *async, uint32_t command)
{
    uint32_t out = 0;
    for (size_t i = 0; i < async->pieces.count; i++)
        out += async->pieces.items[i].used && async->pieces.items[i].command == command;
    return out;
}

void async_check(struct async *async, struct check *c)
{
    uint64_t suspended = 0;
    check_at_most(c, "async.next", 0, &async->next, sizeof async->next, async_find_next(async));
    for (size_t i = 0; i < async->suspended.count; i++) {
        const struct core_op *o = &async->ops->items[async->suspended.items[i].op];
        check_holds(c, "async.suspended", (unsigned)i, o->access && o->blocks == CORE_BLOCKS_PHASE);
        suspended |= BIT64(o->slot);
    }
    for (size_t i = 0; i < async->groups.count; i++)
        check_holds(c, "async.groups", (unsigned)i,
                    !async->groups.items[i].lanes == !async->groups.items[i].out &&
                        !(async->groups.items[i].open & ~async->groups.items[i].lanes));
    for (uint32_t i = 0; i < async->commands.count; i++)
        check_holds(c, "async.commands: pieces", i, async->commands.items[i].out == pieces_out(async, i));
    check_holds(c, "async.suspended: warps", 0, !(suspended & ~async->warp->waits.mbarrier));
}
