/* A memory partition of GPGPU-Sim: its slices in the L2's clock, and in the DRAM's clock, each tick:
 *   1. the oldest finished request goes back to its slice, if that has room;
 *   2. the DRAM channel makes its command cycle;
 *   3. one request of a slice, the slices in turn after the last that sent one, enters the fixed delay, if the
 *      scheduler has a place, the slice a credit and room for what comes back;
 *   4. the oldest request whose delay is over goes to the DRAM's scheduler.
 * Credits: one request of each slice, and of all slices together as many more as fit the scheduler's and the return
 * queue less one for each further slice. */
#include "memory/partition.h"

#include "base/archive.h"
#include "base/bits.h"
#include "memory/address.h"
#include "memory/dram.h"
#include "memory/slice.h"

#define MAX_SLICES 4

struct delayed {
    struct memory_request request;
    uint64_t ready;
};

struct partition {
    struct partition_head head; /* first: what the machine may look at */
    struct memory_params params;
    struct memory_map map;
    unsigned channel, slice_count;
    struct slice *slices[MAX_SLICES];
    struct dram *dram;
    struct delayed *delay; /* ring */
    uint32_t delay_first, delay_end, delay_mask;
    uint32_t own_credits[MAX_SLICES], shared_credits, shared_limit;
    uint32_t last_sender;
    uint64_t last_l2, last_dram;
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
    p->map = memory_map_of(&params->partition);
    p->head.next_l2 = p->head.next_dram = CYCLE_NEVER;
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

/* When the slices act next. A slice's next cycle changes by its tick, and by what is pushed into its queues when it
 * waits for that, or taken out of full ones. */

static void note_next_l2(struct partition *p)
{
    p->head.next_l2 = p->slices[0]->next;
    for (unsigned k = 1; k < p->slice_count; k++)
        p->head.next_l2 = cycle_min(p->head.next_l2, p->slices[k]->next);
}

static void slice_changed(struct partition *p, unsigned k)
{
    p->slices[k]->next = slice_next(p->slices[k], p->last_l2);
    note_next_l2(p);
}

bool partition_can_push(const struct partition *p, unsigned k)
{
    return slice_can_push(p->slices[k]);
}

void partition_push(struct partition *p, unsigned k, struct packet *packet, uint64_t cycle)
{
    uint64_t local;
    bool first = p->slices[k]->rop_first == NULL;
    memory_slice_of(&p->map, packet->address, &local);
    slice_push(p->slices[k], packet, local, cycle);
    if (first)
        slice_changed(p, k);
}

bool partition_describe_reply(const struct partition *p, unsigned k, struct partition_reply *reply)
{
    return slice_reply(p->slices[k], reply);
}

void partition_take_reply(struct partition *p, unsigned k)
{
    bool full = slice_ring_full(&p->slices[k]->out);
    slice_take_reply(p->slices[k]);
    if (p->slices[k]->out.count == 0)
        p->head.replies &= ~BIT64(k);
    if (full)
        slice_changed(p, k);
}

struct packet *partition_peek(struct partition *p, unsigned k)
{
    struct partition_reply first;
    while (partition_reply(p, k, &first)) {
        if (first.packet)
            return first.packet;
        partition_take_reply(p, k);
    }
    return NULL;
}

struct packet *partition_pop(struct partition *p, unsigned k)
{
    struct packet *packet = partition_peek(p, k);
    if (packet)
        partition_take_reply(p, k);
    return packet;
}

/* Credits */

static inline bool has_credit(const struct partition *p, unsigned k)
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

static inline bool can_send(const struct partition *p, unsigned k)
{
    return slice_request(p->slices[k]) && has_credit(p, k) && slice_can_return(p->slices[k]);
}

static inline bool can_return(const struct partition *p)
{
    const struct memory_request *r = dram_top(p->dram);
    return r && slice_can_return(p->slices[r->slice]);
}

static void return_finished(struct partition *p)
{
    if (!can_return(p))
        return;
    const struct memory_request *r = dram_top(p->dram);
    struct slice *slice = p->slices[r->slice];
    bool first = slice->from_dram.count == 0;
    unsigned k = r->slice;
    slice_return(slice, r);
    return_credit(p, k);
    dram_pop(p->dram);
    if (first)
        slice_changed(p, k);
}

/* Returns whether one was sent. */
static bool start_request(struct partition *p, uint64_t cycle)
{
    for (unsigned i = 1; i <= p->slice_count; i++) {
        unsigned k = (p->last_sender + i) & (p->slice_count - 1);
        if (!can_send(p, k))
            continue;
        bool full = slice_ring_full(&p->slices[k]->to_dram);
        p->delay[p->delay_end++ & p->delay_mask] =
            (struct delayed){*slice_request(p->slices[k]), cycle + p->params.partition.dram_latency};
        slice_take_request(p->slices[k]);
        borrow_credit(p, k);
        if (full)
            slice_changed(p, k);
        return true;
    }
    return false;
}

static void feed_dram(struct partition *p, uint64_t cycle)
{
    const struct partition_params *params = &p->params.partition;
    const struct delayed *d = &p->delay[p->delay_first & p->delay_mask];
    if (p->delay_first == p->delay_end || cycle < d->ready)
        return;
    uint32_t bank, row;
    address_of_request(params, d->request.slice, d->request.local, &bank, &row);
    dram_push(p->dram, &d->request, bank, row);
    p->delay_first++;
}

/* may_send: a slice may have a request that the scheduler has not taken in this cycle. */
static uint64_t find_next_dram(const struct partition *p, bool may_send)
{
    if (can_return(p))
        return p->last_dram + 1;
    uint64_t next = dram_next(p->dram, p->last_dram);
    if (dram_full(p->dram))
        return next;
    for (unsigned k = 0; may_send && k < p->slice_count; k++)
        if (can_send(p, k))
            return p->last_dram + 1;
    if (p->delay_first != p->delay_end) {
        uint64_t ready = p->delay[p->delay_first & p->delay_mask].ready;
        next = cycle_min(next, ready > p->last_dram ? ready : p->last_dram + 1);
    }
    return next;
}

void partition_tick_dram(struct partition *p, uint64_t dram_cycle)
{
    struct memory_request done;
    bool sent = false;
    p->last_dram = dram_cycle;
    return_finished(p);
    if (dram_tick(p->dram, dram_cycle, &done))
        return_credit(p, done.slice);
    if (!dram_full(p->dram)) {
        sent = start_request(p, dram_cycle);
        feed_dram(p, dram_cycle);
    }
    p->head.next_dram = find_next_dram(p, sent);
}

/* The L2's clock */

/* The DRAM's side waits for a slice to send something, or to make room for what comes back. */
static void tick_slice(struct partition *p, unsigned k, uint64_t cycle)
{
    struct slice *s = p->slices[k];
    uint32_t taken = s->from_dram.first, sent = s->to_dram.count;
    slice_tick(s, cycle);
    s->next = slice_next(s, cycle);
    if (s->out.count)
        p->head.replies |= BIT64(k);
    if ((taken != s->from_dram.first && can_return(p)) ||
        ((taken != s->from_dram.first || sent != s->to_dram.count) && !dram_full(p->dram) && can_send(p, k)))
        p->head.next_dram = p->last_dram + 1;
}

void partition_tick_l2(struct partition *p, uint64_t cycle)
{
    p->last_l2 = cycle;
    for (unsigned k = 0; k < p->slice_count; k++)
        if (p->slices[k]->next <= cycle)
            tick_slice(p, k, cycle);
    note_next_l2(p);
}

bool partition_idle(const struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        if (!slice_idle(p->slices[k]))
            return false;
    return p->delay_first == p->delay_end && dram_idle(p->dram);
}

/* Host copies and statistics */

/* The parts of a copy that one block of addresses has, a line of the slice at a time. */
static void install_block(struct partition *p, uint64_t from, uint64_t to)
{
    uint64_t line = p->params.l2.line_bytes, local;
    for (uint64_t at = from, end; at < to; at = end) {
        end = (at / line + 1) * line < to ? (at / line + 1) * line : to;
        uint32_t slice = memory_slice_of(&p->map, at, &local);
        cache_install(p->slices[slice & (p->slice_count - 1)]->cache, local, (uint32_t)(end - at));
    }
}

/* The end of a long copy pushes all that came before it out of the L2. */
void partition_host_copy(struct partition *p, uint64_t address, uint64_t bytes)
{
    const struct partition_params *params = &p->params.partition;
    const struct cache_params *l2 = &p->params.l2;
    uint64_t end = address + bytes;
    uint64_t whole = (uint64_t)l2->sets * l2->ways * l2->line_bytes * params->slices_per_channel * params->channels;
    if (!params->host_copies_fill_l2)
        return;
    if (l2->replacement == CACHE_LRU && l2->set_index == CACHE_INDEX_LINEAR && bytes > 2 * whole)
        address = end - 2 * whole;
    uint64_t block = address / MEMORY_BLOCK;
    block += (p->channel + params->channels - block % params->channels) % params->channels;
    for (; block * MEMORY_BLOCK < end; block += params->channels) {
        uint64_t from = block * MEMORY_BLOCK, to = from + MEMORY_BLOCK;
        install_block(p, from > address ? from : address, to < end ? to : end);
    }
}

void partition_invalidate(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        cache_invalidate_all(p->slices[k]->cache);
}

const struct cache_stats *partition_l2_stats(const struct partition *p, unsigned k)
{
    return cache_stats_of(p->slices[k]->cache);
}

const struct dram_stats *partition_dram_stats(const struct partition *p)
{
    return dram_stats_of(p->dram);
}

void partition_stats_reset(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        *cache_stats_of(p->slices[k]->cache) = (struct cache_stats){0};
    *dram_stats_of(p->dram) = (struct dram_stats){0};
}

/* Checkpoints */

void partition_archive(struct partition *p, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "partition", p->channel);
    for (unsigned k = 0; k < p->slice_count; k++)
        slice_archive(p->slices[k], ar, source);
    dram_archive(p->dram, ar, source);
    ARCHIVE(ar, p->delay_first);
    ARCHIVE(ar, p->delay_end);
    if (p->delay_end - p->delay_first > p->delay_mask + 1)
        archive_fail(ar, "a queue holds more than it can");
    for (uint32_t i = p->delay_first; i != p->delay_end && !archive_failed(ar); i++) {
        memory_request_archive(ar, &p->delay[i & p->delay_mask].request, source);
        ARCHIVE(ar, p->delay[i & p->delay_mask].ready);
    }
    ARCHIVE(ar, p->own_credits);
    ARCHIVE(ar, p->shared_credits);
    archive_u32_to(ar, &p->last_sender, p->slice_count - 1);
    ARCHIVE(ar, p->last_l2);
    ARCHIVE(ar, p->last_dram);
    ARCHIVE(ar, p->head.next_l2);
    ARCHIVE(ar, p->head.next_dram);
    archive_u64_to(ar, &p->head.replies, mask_low(p->slice_count));
    archive_end(ar);
}
