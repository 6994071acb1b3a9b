/* A DRAM channel: fixed delay, FR-FCFS scheduler, banks, bank groups, data pipe and return queue. Private to the memory
 * room. It knows neither caches nor packets' contents.
 *
 * Nobody sees inside, so the channel does not live cycle by cycle: dram_run brings it up to a cycle when something may
 * come out of it or go into it. What it does by itself in between (requests leave the delay, banks get work, commands
 * are sent, bursts leave the pipe) is done then, in order, for the cycles in which it would have been done. */
#ifndef LOCKSTEP_MEMORY_DRAM_H
#define LOCKSTEP_MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/hot.h"
#include "base/random.h"
#include "memory/partition.h"
#include "memory/request.h"
#include "sim/cycle.h"

#define DRAM_BANKS 32
#define DRAM_NO_SLOT UINT16_MAX

/* All that the channel must know of a request, packed into a word so that it need not look into the pool. The parts are
 * those of a memory_request, from the lowest bit on: row (16), its number in the pool (16), bytes for which no command
 * was sent (8), kind (8), slice (8), bank (8). */
struct dram_request {
    uint64_t parts;
};

#define DRAM_LEFT_SHIFT 32

static inline struct dram_request dram_request_of(const struct memory_request *r, uint32_t number)
{
    return (struct dram_request){r->parts | (uint64_t)number << 16};
}
static inline uint32_t dram_row(struct dram_request r)
{
    return (uint16_t)r.parts;
}
static inline uint32_t dram_number(struct dram_request r)
{
    return (uint16_t)(r.parts >> 16);
}
static inline uint32_t dram_left(struct dram_request r)
{
    return (uint8_t)(r.parts >> DRAM_LEFT_SHIFT);
}
static inline uint32_t dram_kind(struct dram_request r)
{
    return (uint8_t)(r.parts >> 40);
}
static inline uint32_t dram_slice(struct dram_request r)
{
    return (uint8_t)(r.parts >> 48);
}
static inline uint32_t dram_bank(struct dram_request r)
{
    return (uint32_t)(r.parts >> 56);
}

/* The command that a bank's current request waits for. */
enum dram_need { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_NEEDS };

struct dram_bank {
    _Alignas(64) uint64_t read_at;                /* first cycle that its own constraints allow */
    uint64_t write_at, precharge_at, activate_at; /* the same */
    uint64_t held_at;                             /* when held: when it allows the command it waits for */
    struct dram_request current;                  /* being served */
    uint16_t row;
    uint16_t first, last; /* waiting requests, oldest first, when it is wanted: slots */
    uint8_t group;
    uint8_t need; /* of a held bank */
    bool open;
};

struct dram_group {
    uint64_t column_at, precharge_at; /* first cycle that it allows */
    uint32_t banks;                   /* its own, as a bit mask */
};

struct dram_burst {
    uint64_t at;
    struct dram_request request; /* as behind its command: the last burst leaves none */
};

struct dram_delayed {
    uint64_t due;
    struct dram_request request;
};

/* The fields that every request touches lie together, in as few cache lines of the host as possible. */
struct dram {
    /* Done is everything before cycle `now`, and of that cycle what comes before its commands. */
    _Alignas(64) uint64_t now;
    uint64_t command_at; /* no command is possible before; CYCLE_NEVER: no bank has work */
    uint64_t join_at;    /* when the oldest leaves the delay, if the scheduler has a place */
    uint64_t pipe_at; /* when the pipe is to be looked at: its first burst leaves, or the next cycle when it is late */
    /* Sets of banks, as bit masks. */
    uint32_t wanted;            /* with waiting requests */
    uint32_t served;            /* with a current request */
    uint32_t needs[DRAM_NEEDS]; /* served ones by the command they wait for, if their own constraints allow it */
    uint32_t waiting, limit;    /* requests in banks' queues */

    uint64_t read_at, write_at, activate_at; /* first cycle for the whole channel */
    uint64_t held_until;                     /* the least held_at; CYCLE_NEVER: none is held */
    uint64_t groups_precharge_at;            /* from when on no group forbids a precharge */
    uint64_t last_at;                        /* the last burst leaves, or left later */
    uint32_t pipe_first, pipe_end;
    uint32_t turn; /* the banks from which a scan begins and those behind it */
    uint32_t all;

    struct dram_burst *pipe;
    struct dram_delayed *delay;
    struct dram_request *finished; /* the return queue */
    struct dram_request *slots;    /* the scheduler's places */
    uint16_t *next_slot;           /* of each: in its bank's queue or the free ones */
    uint32_t delay_first, delay_end, finished_first, finished_count;
    uint16_t pipe_mask, delay_mask, finished_mask, finished_limit;

    uint32_t held; /* served banks whose own constraints forbid the command they wait for */
    uint32_t latency;
    struct jitter jitter; /* of the latency */
    uint16_t free_slot;
    uint16_t atom_bytes;
    /* From a command to what its name says. */
    uint16_t column_to_column, column_in_group, read_to_write, write_to_read, read_to_burst, write_to_burst;
    uint16_t read_to_precharge, read_to_group_precharge, write_to_precharge, activate_to_write;
    uint8_t last_group; /* of the last read or write */
    uint8_t bank_mask;
    bool pipe_late; /* bursts leave later than at their time: the return queue was full */
    struct dram_stats stats;
    struct dram_group groups[DRAM_BANKS];
    struct dram_bank banks[DRAM_BANKS];
    struct dram_params params;
    struct request_pool *pool;
    uint32_t refresh_phase; /* with dram.tREFI */
};

/* latency: the fixed delay. under_way: so many requests may be in it. */
struct dram *dram_create(const struct dram_params *params, uint32_t latency, uint32_t under_way,
                         struct request_pool *pool, struct arena *arena);
/* The channel's number among those of the device: each is refreshed at times of its own. */
void dram_stagger(struct dram *d, uint32_t number);
/* Brings the channel up to a cycle: all before it, and of that cycle what comes before the commands and before what the
 * partition does in it (see the head of dram.c); but bursts are let out of the pipe apart from that. */
void dram_run(struct dram *d, uint64_t cycle);
/* The rest of the cycle that it was brought up to. */
void dram_finish(struct dram *d);
/* Bursts leave the pipe up to this cycle, which is not before pipe_at. Returns the write-back that ended, which is in
 * no queue any more, or REQUEST_NONE. */
uint32_t dram_drain_pipe(struct dram *d, uint64_t cycle);
/* How many bursts are in the data pipe, and their requests, in order. */
static inline uint32_t dram_coming(const struct dram *d)
{
    return d->pipe_end - d->pipe_first;
}
static inline struct dram_request dram_in_pipe(const struct dram *d, uint32_t i)
{
    return d->pipe[(d->pipe_first + i) & d->pipe_mask].request;
}
/* True: the next burst to leave the pipe, which holds one, ends its request, and that finds nothing before it in the
 * return queue: then it need not be put there, but can be taken out of the pipe (dram_pass) in the next cycle or
 * later. */
static inline bool dram_passes(const struct dram *d)
{
    struct dram_request r = dram_in_pipe(d, 0);
    return !(d->finished_count | d->pipe_late | dram_left(r)) && dram_kind(r) != REQUEST_WRITEBACK;
}
static inline struct dram_request dram_pass(struct dram *d)
{
    struct dram_request r = dram_in_pipe(d, 0);
    contract(d->pipe_first != d->pipe_end && dram_passes(d));
    d->pipe_first++;
    d->pipe_at = d->pipe_first != d->pipe_end ? d->pipe[d->pipe_first & d->pipe_mask].at : CYCLE_NEVER;
    return r;
}
/* True: the scheduler has no place; then no request is to be handed over. */
static inline bool dram_full(const struct dram *d)
{
    return d->waiting >= d->limit;
}
/* The oldest delayed request gets its place in the scheduler. */
HOT_INLINE void dram_join(struct dram *d, uint64_t cycle)
{
    uint32_t slot = d->free_slot, after = d->delay_first + 1;
    struct dram_request r = d->delay[d->delay_first & d->delay_mask].request;
    uint32_t bank = dram_bank(r) & d->bank_mask;
    contract(!dram_full(d) && d->delay_first != d->delay_end);
    struct dram_bank *b = &d->banks[bank];
    d->free_slot = d->next_slot[slot];
    d->slots[slot] = r;
    d->next_slot[slot] = DRAM_NO_SLOT;
    if (d->wanted >> bank & 1)
        d->next_slot[b->last] = (uint16_t)slot;
    else
        b->first = (uint16_t)slot;
    b->last = (uint16_t)slot;
    d->wanted |= 1u << bank;
    d->stats.requests++;
    if (++d->waiting > d->stats.queue_max)
        d->stats.queue_max = d->waiting;
    d->delay_first = after;
    d->join_at = CYCLE_NEVER;
    if (after != d->delay_end) {
        uint64_t due = d->delay[after & d->delay_mask].due;
        d->join_at = due > cycle ? due : cycle + 1;
    }
}
/* Hands over a request in the cycle that the channel was brought up to; at most one a cycle. */
HOT_INLINE void dram_send(struct dram *d, const struct memory_request *r, uint32_t number)
{
    contract(d->delay_end - d->delay_first <= d->delay_mask);
    struct dram_delayed *last = &d->delay[d->delay_end++ & d->delay_mask];
    last->due = d->now + d->latency + jitter_next(&d->jitter);
    last->request = dram_request_of(r, number);
    if (d->join_at == CYCLE_NEVER)
        d->join_at = last->due;
    if (d->join_at <= d->now && !dram_full(d))
        dram_join(d, d->now);
}
/* The oldest in the return queue, when there is one; pop takes it out. */
static inline struct dram_request dram_top(const struct dram *d)
{
    return d->finished[d->finished_first & d->finished_mask];
}
static inline struct dram_request dram_pop(struct dram *d)
{
    contract(d->finished_count);
    d->finished_count--;
    return d->finished[d->finished_first++ & d->finished_mask];
}
/* The next cycle in which a request may come out of the channel, those in the return queue aside, or CYCLE_NEVER. Never
 * later than the truth. */
uint64_t dram_next_unseen(const struct dram *d);
static inline uint64_t dram_next(const struct dram *d)
{
    const struct dram_burst *burst = &d->pipe[d->pipe_first & d->pipe_mask];
    if (d->pipe_first == d->pipe_end || d->pipe_late || dram_left(burst->request))
        return dram_next_unseen(d);
    return burst->at + (dram_kind(burst->request) != REQUEST_WRITEBACK);
}
/* The next cycle in which the scheduler may have a place, as early: that comes free when a bank gets work, and that
 * after a command has ended what it had. */
static inline uint64_t dram_next_room(const struct dram *d)
{
    bool waits = dram_full(d) & !(d->wanted & ~d->served) & (d->command_at > d->now);
    return (waits ? d->command_at : d->now) + 1;
}
static inline bool dram_idle(const struct dram *d)
{
    return !(d->wanted | d->served | d->finished_count) && d->delay_first == d->delay_end &&
           d->pipe_first == d->pipe_end;
}
/* dram_check.c: recomputes what the channel keeps (base/check.h). */
void dram_check(struct dram *d, struct check *c);
/* dram_archive.c: describes everything but the parameters and the pool for a checkpoint. */
void dram_archive(struct dram *d, struct archive *ar);
static inline struct dram_stats *dram_stats_of(struct dram *d)
{
    return &d->stats;
}

#endif
