/* The asynchronous unit as a whole: what is due, and when it is next. See async.h. */
#include "async/async.h"

#include <string.h>

void async_init(struct async *async, const struct async_setup *setup)
{
    const struct sm_shared *shared = setup->shared;
    *async = (struct async){.agenda = shared->agenda,
                            .params = shared->params,
                            .warp = shared->warp,
                            .ops = shared->ops,
                            .port = setup->port,
                            .sm = shared->sm,
                            .lsu = setup->lsu,
                            .store = setup->store,
                            .next = CYCLE_NEVER};
}

void async_free(struct async *async)
{
    vec_free(&async->suspended);
    vec_free(&async->settling);
    vec_free(&async->groups);
    vec_free(&async->arrivals);
    vec_free(&async->commands);
    vec_free(&async->pieces);
    vec_free(&async->line);
}

void async_begin(struct async *async)
{
    async->suspended.count = async->settling.count = async->groups.count = async->arrivals.count = 0;
    async->commands.count = async->pieces.count = async->line.count = 0;
    async->next_serial = async->front_free = async->pace = 0;
    async->numbered = 0;
    async->next = CYCLE_NEVER;
}

static uint64_t due_of(const struct async_suspended *s)
{
    return cycle_min(s->until, s->wake);
}

void async_note(struct async *async, uint64_t cycle)
{
    async->next = cycle_min(async->next, cycle);
    agenda_add(async->agenda, DUE_ASYNC);
}

uint64_t async_find_next(const struct async *async)
{
    uint64_t next = CYCLE_NEVER;
    for (size_t i = 0; i < async->suspended.count; i++)
        next = cycle_min(next, due_of(&async->suspended.items[i]));
    return cycle_min(next, async_bulk_next(async));
}

/* Takes the first suspended op that goes on in this cycle, or CORE_NONE. */
static uint32_t take_due(struct async *async)
{
    for (size_t i = 0; i < async->suspended.count; i++) {
        struct async_suspended *s = &async->suspended.items[i];
        uint32_t op = s->op;
        if (due_of(s) > async->agenda->now)
            continue;
        memmove(s, s + 1, (--async->suspended.count - i) * sizeof *s);
        return op;
    }
    return CORE_NONE;
}

void async_step(struct async *async)
{
    for (uint32_t op; (op = take_due(async)) != CORE_NONE;) {
        made_progress(async->agenda);
        async->port->complete(async->sm, op);
    }
    if (async->line.count)
        async_bulk_step(async);
    async->next = async_find_next(async);
    if (async->next <= async->agenda->now) /* requests wait for room */
        async->next = async->agenda->now + 1;
    if (async->next == CYCLE_NEVER)
        agenda_done(async->agenda, DUE_ASYNC);
}
