/* A DRAM channel: FR-FCFS scheduler, banks, bank groups, data pipe and return queue. Private to the memory room. It
 * moves requests by their number in the partition's pool and knows neither caches nor packets' contents. */
#ifndef LOCKSTEP_MEMORY_DRAM_H
#define LOCKSTEP_MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/partition.h"
#include "memory/request.h"
#include "sim/cycle.h"

#define DRAM_BANKS 16

/* The command that a bank's current request waits for. */
enum dram_need { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_NEEDS };

struct dram_bank {
    _Alignas(64) uint32_t first, last; /* waiting requests, oldest first, linked by next; REQUEST_NONE: none */
    uint32_t current;     /* request being served, or REQUEST_NONE */
    uint32_t row;
    uint8_t group;
    uint8_t need; /* of a held bank */
    bool open;
    uint64_t read_at, write_at, precharge_at, activate_at; /* first cycle that the bank's own constraints allow */
    uint64_t held_at;                                      /* when held: when it allows the command it waits for */
};

struct dram_group {
    uint64_t column_at, precharge_at; /* first cycle that it allows */
    uint32_t banks;                   /* its own, as a bit mask */
};

struct dram_burst {
    uint64_t at;
    uint32_t request;
    bool last;   /* of its request */
    bool silent; /* nobody waits for it: a write-back */
};

/* What every tick looks at comes first. */
struct dram {
    _Alignas(64) struct memory_request *requests; /* the pool's */
    uint32_t waiting;                /* in banks' queues */
    uint32_t turn;
    /* Sets of banks, as bit masks. */
    uint32_t wanted;            /* with waiting requests */
    uint32_t served;            /* with a current request */
    uint32_t needs[DRAM_NEEDS]; /* served ones by the command they wait for, if their own constraints allow it */
    uint32_t held;              /* the other served ones */
    uint32_t last_group;        /* of the last read or write */
    uint64_t command_at;        /* no command is possible before; CYCLE_NEVER: no bank has work */
    uint64_t held_until;        /* the least held_at; CYCLE_NEVER: none is held */
    uint64_t column_at, read_at, write_at, activate_at; /* first cycle for the whole channel */
    uint64_t groups_precharge_at;                       /* from when on no group forbids a precharge */
    uint64_t pipe_at; /* when the pipe is to be looked at: its first burst leaves, or at once when it is late */
    uint64_t ends_at; /* when that leaves a trace: the last burst of a request leaves, or any when it is late */
    uint64_t last_burst;
    struct dram_burst *pipe;
    uint32_t pipe_mask, pipe_first, pipe_end;
    bool pipe_late; /* bursts leave later than at their time: the return queue was full */
    struct request_queue returns;
    struct dram_params params;
    uint32_t rcd_write, rtw, wtr, wtp;
    struct dram_bank banks[DRAM_BANKS];
    _Alignas(64) struct dram_stats stats;
    struct dram_group groups[DRAM_BANKS];
    struct request_pool *pool;
};

struct dram *dram_create(const struct dram_params *params, struct request_pool *pool, struct arena *arena);
/* Whether the scheduler has no place. */
static inline bool dram_full(const struct dram *d)
{
    return d->waiting >= d->params.scheduler_queue;
}
/* Hands over a request with its bank and row, which the scheduler sees from the next tick on; at most one a tick, and
 * only when not full. */
static inline void dram_push(struct dram *d, uint32_t request)
{
    struct memory_request *r = &d->requests[request];
    uint32_t bank = r->bank & (d->params.banks - 1);
    struct dram_bank *b = &d->banks[bank];
    r->commanded = 0;
    r->next = REQUEST_NONE;
    if (b->first == REQUEST_NONE)
        b->first = request;
    else
        d->requests[b->last].next = request;
    b->last = request;
    d->wanted |= 1u << bank;
    d->stats.requests++;
    if (++d->waiting > d->stats.queue_max)
        d->stats.queue_max = d->waiting;
}
/* The steps of a tick, each called when it may have something to do: see dram.c. */
uint32_t dram_drain_pipe(struct dram *d, uint64_t cycle);
void dram_give_work(struct dram *d, uint64_t cycle);
void dram_send_commands(struct dram *d, uint64_t cycle);
/* One command cycle. Returns the write-back that ended in it, which is in no queue any more, or REQUEST_NONE. */
static inline uint32_t dram_tick(struct dram *d, uint64_t cycle)
{
    uint32_t ended = cycle >= d->pipe_at ? dram_drain_pipe(d, cycle) : REQUEST_NONE;
    if (d->wanted & ~d->served)
        dram_give_work(d, cycle);
    if (cycle >= d->command_at)
        dram_send_commands(d, cycle);
    return ended;
}
/* The oldest finished request other than write-backs, or REQUEST_NONE; pop takes it out of the queue. */
static inline uint32_t dram_top(const struct dram *d)
{
    return d->returns.count ? request_oldest(&d->returns) : REQUEST_NONE;
}
/* The request whose burst leaves the data pipe next, or REQUEST_NONE. */
static inline uint32_t dram_coming(const struct dram *d)
{
    return d->pipe_first != d->pipe_end ? d->pipe[d->pipe_first & d->pipe_mask].request : REQUEST_NONE;
}
static inline void dram_pop(struct dram *d)
{
    request_shift(&d->returns);
}
/* The next cycle after `last` at which a tick changes anything, or CYCLE_NEVER; the return queue's contents do not
 * count. */
static inline uint64_t dram_next(const struct dram *d, uint64_t last)
{
    uint64_t soon = last + 1, next = d->command_at;
    if (d->wanted & ~d->served)
        return soon;
    if (!request_full(&d->returns))
        next = cycle_min(next, d->ends_at);
    return next > soon ? next : soon;
}
bool dram_idle(const struct dram *d);
/* dram_archive.c: describes everything but the parameters and the pool for a checkpoint. */
void dram_archive(struct dram *d, struct archive *ar);
static inline struct dram_stats *dram_stats_of(struct dram *d)
{
    return &d->stats;
}

#endif
