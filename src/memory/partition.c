/* A memory partition of GPGPU-Sim: its slices in the L2's clock, and in the DRAM's clock, each tick:
 *   1. the oldest finished request goes back to its slice, if that has room;
 *   2. the DRAM channel makes its command cycle;
 *   3. one request of a slice, the slices in turn after the last that sent one, enters the fixed delay, if the
 *      scheduler has a place, the slice a credit and room for what comes back;
 *   4. the oldest request whose delay is over goes to the DRAM's scheduler.
 * Credits: one request of each slice, and of all slices together as many more as fit the scheduler's and the return
 * queue less one for each further slice. */
#include "memory/partition.h"

#include "memory/address.h"
#include "memory/dram.h"
#include "memory/slice.h"

#define MAX_SLICES 4

struct delayed {
    struct memory_request request;
    uint64_t ready;
};

struct partition {
    struct memory_params params;
    unsigned channel, slice_count;
    struct slice *slices[MAX_SLICES];
    struct dram *dram;
    struct delayed *delay; /* ring */
    uint32_t delay_first, delay_end, delay_mask;
    uint32_t own_credits[MAX_SLICES], shared_credits, shared_limit;
    uint32_t last_sender;
    uint64_t last_l2, last_dram;
    uint64_t slice_next[MAX_SLICES], dram_next; /* the next cycle of each, where known */
    bool slice_known[MAX_SLICES], dram_known;
};

#include "memory/cache_defaults_l2.h"
const struct param_desc l2_param_descs[] = {
#define PARAM_STRUCT struct cache_params
#include "config/param_descs.h"
#include "memory/cache_params.def"
#include "config/param_end.h"
};
#include "memory/cache_defaults_end.h"
const unsigned l2_param_count = sizeof(l2_param_descs) / sizeof(l2_param_descs[0]);

const struct param_desc partition_param_descs[] = {
#define PARAM_STRUCT struct partition_params
#include "config/param_descs.h"
#include "memory/partition_params.def"
#include "config/param_end.h"
};
const unsigned partition_param_count = sizeof(partition_param_descs) / sizeof(partition_param_descs[0]);

struct partition *partition_create(const struct memory_params *params, unsigned channel, struct store *store,
                                   struct arena *arena)
{
    struct partition *p = ARENA_NEW(arena, struct partition, 1);
    uint32_t size = 1;
    p->params = *params;
    p->channel = channel;
    p->slice_count = params->partition.slices_per_channel;
    p->last_sender = p->slice_count - 1;
    p->shared_limit = params->dram.scheduler_queue + params->dram.return_queue - (p->slice_count - 1);
    for (unsigned k = 0; k < p->slice_count; k++)
        p->slices[k] = slice_create(&p->params, k, store, arena);
    p->dram = dram_create(&params->dram, arena);
    while (size < p->shared_limit + p->slice_count)
        size *= 2;
    p->delay = ARENA_NEW(arena, struct delayed, size);
    p->delay_mask = size - 1;
    return p;
}

bool partition_can_push(const struct partition *p, unsigned k)
{
    return slice_can_push(p->slices[k]);
}

void partition_push(struct partition *p, unsigned k, struct packet *packet, uint64_t cycle)
{
    p->slice_known[k] = false;
    slice_push(p->slices[k], packet, memory_place_of(&p->params.partition, packet->address).local, cycle);
}

bool partition_reply(const struct partition *p, unsigned k, struct partition_reply *reply)
{
    return slice_reply(p->slices[k], reply);
}

void partition_take_reply(struct partition *p, unsigned k)
{
    slice_take_reply(p->slices[k]);
    p->slice_known[k] = false;
}

struct packet *partition_peek(struct partition *p, unsigned k)
{
    struct partition_reply first;
    if (slice_reply(p->slices[k], &first) && !first.packet)
        p->slice_known[k] = false;
    return slice_peek(p->slices[k]);
}

struct packet *partition_pop(struct partition *p, unsigned k)
{
    struct packet *packet = partition_peek(p, k);
    if (packet)
        partition_take_reply(p, k);
    return packet;
}

/* The next cycle of a slice changes only by its tick, a push, a pop, and what the DRAM's side gives or takes; it is
 * asked for far more often. */
static uint64_t next_of_slice(struct partition *p, unsigned k)
{
    if (!p->slice_known[k]) {
        p->slice_next[k] = slice_next(p->slices[k], p->last_l2);
        p->slice_known[k] = true;
    }
    return p->slice_next[k];
}

void partition_tick_l2(struct partition *p, uint64_t cycle)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        if (next_of_slice(p, k) > cycle)
            continue;
        p->dram_known &= !slice_tick(p->slices[k], cycle);
        p->slice_known[k] = false;
    }
    p->last_l2 = cycle;
}

/* Credits */

static bool has_credit(const struct partition *p, unsigned k)
{
    return p->own_credits[k] == 0 || p->shared_credits < p->shared_limit;
}

static void borrow_credit(struct partition *p, unsigned k)
{
    if (p->own_credits[k] == 0)
        p->own_credits[k] = 1;
    else
        p->shared_credits++;
    p->last_sender = k;
}

static void return_credit(struct partition *p, unsigned k)
{
    if (p->own_credits[k])
        p->own_credits[k] = 0;
    else
        p->shared_credits--;
}

/* The DRAM's side */

static bool can_send(const struct partition *p, unsigned k)
{
    return slice_request(p->slices[k]) && has_credit(p, k) && slice_can_return(p->slices[k]);
}

static void return_finished(struct partition *p)
{
    const struct memory_request *r = dram_top(p->dram);
    if (!r || !slice_can_return(p->slices[r->slice]))
        return;
    slice_return(p->slices[r->slice], r);
    p->slice_known[r->slice] = false;
    return_credit(p, r->slice);
    dram_pop(p->dram);
}

static void start_request(struct partition *p, uint64_t cycle)
{
    for (unsigned i = 1; i <= p->slice_count; i++) {
        unsigned k = (p->last_sender + i) % p->slice_count;
        if (!can_send(p, k))
            continue;
        p->delay[p->delay_end++ & p->delay_mask] =
            (struct delayed){*slice_request(p->slices[k]), cycle + p->params.partition.dram_latency};
        slice_take_request(p->slices[k]);
        p->slice_known[k] = false;
        borrow_credit(p, k);
        return;
    }
}

static void feed_dram(struct partition *p, uint64_t cycle)
{
    const struct partition_params *params = &p->params.partition;
    const struct delayed *d = &p->delay[p->delay_first & p->delay_mask];
    if (p->delay_first == p->delay_end || cycle < d->ready)
        return;
    uint64_t at = address_of_local(params, d->request.slice, d->request.local);
    dram_push(p->dram, &d->request, address_bank(params, at), address_row(params, at));
    p->delay_first++;
}

void partition_tick_dram(struct partition *p, uint64_t dram_cycle)
{
    struct memory_request done;
    p->last_dram = dram_cycle;
    p->dram_known = false;
    return_finished(p);
    if (dram_tick(p->dram, dram_cycle, &done))
        return_credit(p, done.slice);
    if (dram_full(p->dram))
        return;
    start_request(p, dram_cycle);
    feed_dram(p, dram_cycle);
}

static uint64_t find_next_dram(const struct partition *p)
{
    const struct memory_request *finished = dram_top(p->dram);
    if (finished && slice_can_return(p->slices[finished->slice]))
        return p->last_dram + 1;
    uint64_t next = dram_next(p->dram, p->last_dram);
    if (dram_full(p->dram))
        return next;
    for (unsigned k = 0; k < p->slice_count; k++)
        if (can_send(p, k))
            return p->last_dram + 1;
    if (p->delay_first != p->delay_end) {
        uint64_t ready = p->delay[p->delay_first & p->delay_mask].ready;
        next = cycle_min(next, ready > p->last_dram ? ready : p->last_dram + 1);
    }
    return next;
}

uint64_t partition_next_l2(struct partition *p)
{
    uint64_t next = CYCLE_NEVER;
    for (unsigned k = 0; k < p->slice_count; k++)
        next = cycle_min(next, next_of_slice(p, k));
    return next;
}

uint64_t partition_next_dram(struct partition *p)
{
    if (!p->dram_known) {
        p->dram_next = find_next_dram(p);
        p->dram_known = true;
    }
    return p->dram_next;
}

bool partition_idle(const struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        if (!slice_idle(p->slices[k]))
            return false;
    return p->delay_first == p->delay_end && dram_idle(p->dram);
}

/* Host copies and statistics */

void partition_host_copy(struct partition *p, uint64_t address, uint64_t bytes)
{
    const struct partition_params *params = &p->params.partition;
    uint64_t sector = p->params.l2.sector_bytes, end = address + bytes, block = address / MEMORY_BLOCK;
    if (!params->host_copies_fill_l2)
        return;
    block += (p->channel + params->channels - block % params->channels) % params->channels;
    for (; block * MEMORY_BLOCK < end; block += params->channels) {
        uint64_t from = block * MEMORY_BLOCK, to = from + MEMORY_BLOCK < end ? from + MEMORY_BLOCK : end;
        for (uint64_t at = (from > address ? from : address) / sector * sector; at < to; at += sector) {
            struct memory_place place = memory_place_of(params, at);
            cache_install(slice_cache(p->slices[place.slice % p->slice_count]), place.local, (uint32_t)sector);
        }
    }
}

void partition_invalidate(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        cache_invalidate_all(slice_cache(p->slices[k]));
}

const struct cache_stats *partition_l2_stats(const struct partition *p, unsigned k)
{
    return cache_stats_of(slice_cache(p->slices[k]));
}

const struct dram_stats *partition_dram_stats(const struct partition *p)
{
    return dram_stats_of(p->dram);
}

void partition_stats_reset(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        *cache_stats_of(slice_cache(p->slices[k])) = (struct cache_stats){0};
    *dram_stats_of(p->dram) = (struct dram_stats){0};
}
