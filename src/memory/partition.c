/* A memory partition of GPGPU-Sim: its slices in the L2's clock, and in the DRAM's clock, each tick:
 *   1. the oldest finished request goes back to its slice, if that has room;
 *   2. the DRAM channel makes its command cycle;
 *   3. one request of a slice, the slices in turn after the last that sent one, enters the channel's fixed delay, if
 *      the scheduler has a place, the slice a credit and room for what comes back.
 * What the channel does by itself it does later, when a request may come out of it or go into it: only then there is a
 * tick. Credits: one request of each slice, and of all slices together as many more as fit the scheduler's and the
 * return queue less one for each further slice. */
#include "memory/partition.h"

#include "base/archive.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "base/strbuf.h"
#include "memory/address.h"
#include "memory/dram.h"
#include "memory/slice.h"

#define REPLIES_A_CYCLE                                                                                                \
    4u /* of a slice, at most: a waiter's, one from the DRAM or ahead of it, a hit's, or a probe                       \
        */

#define OWN_BYTES 4096 /* of its own arena, which most partitions never need more of */

struct partition {
    _Alignas(64) struct partition_head head; /* first: what the machine may look at */
    uint64_t last_l2, last_dram;
    uint64_t idle_from; /* the cycle at whose end the slices and the DRAM had ended their work; CYCLE_NEVER: not yet */
    struct sim_clock clock; /* of the DRAM, at `done` */
    unsigned slice_count, last_sender;
    struct slice *slices[PARTITION_MAX_SLICES];
    struct dram *dram;
    struct memory_request *requests; /* the pool's */
    /* Sets of slices, as bit masks. */
    uint64_t all_slices;
    uint64_t own_credits; /* slices whose own credit is in use */
    uint64_t starved;     /* with no request for the DRAM */
    uint64_t ahead;       /* whose only request may be there ahead of its tick */
    uint64_t stuck;       /* with no room for what comes back */
    uint32_t shared_credits, shared_limit;
    unsigned channel;
    struct arena own; /* for what grows while the partition runs: several threads run partitions */
    struct request_map request_map;
    struct memory_map map;
    struct request_pool *pool;
    struct memory_params params;
};

#include "memory/cache_defaults_l2.h"
const struct param_desc l2_param_descs[] = {
#define PARAM_STRUCT struct cache_params
#include "config/param_descs.h"
#include "memory/cache_params.def"
#include "memory/cache_queue_params.def"
#include "memory/l2_params.def"
#include "config/param_end.h"
};
#include "memory/cache_defaults_end.h"
const unsigned l2_param_count = sizeof(l2_param_descs) / sizeof(l2_param_descs[0]);

const struct param_desc coherence_param_descs[] = {
#define PARAM_STRUCT struct coherence_params
#include "config/param_descs.h"
#include "memory/coherence/coherence_params.def"
#include "config/param_end.h"
};
const unsigned coherence_param_count = sizeof(coherence_param_descs) / sizeof(coherence_param_descs[0]);

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
    const struct coherence_protocol *protocol =
        params->protocol ? params->protocol : coherence_find(params->coherence.protocol);
    struct partition *p = ARENA_NEW(arena, struct partition, 1);
    arena_init_within(&p->own, arena, OWN_BYTES);
    p->params = *params;
    p->map = memory_map_of(&params->partition);
    p->request_map = request_map_of(&params->partition);
    p->head.next_l2 = p->head.next_dram = p->head.next = CYCLE_NEVER;
    /* A packet that enters spends the ROP delay first; the answer to a probe does not. */
    p->head.lookahead = coherence_table_has(protocol->l2, L2_PROBE) ? 1 : params->partition.rop_latency;
    p->channel = channel;
    p->slice_count = params->partition.slices_per_channel;
    p->last_sender = p->slice_count - 1;
    p->all_slices = p->starved = mask_low(p->slice_count);
    uint32_t places = params->dram.scheduler_queue + params->dram.return_queue;
    p->shared_limit = places > p->slice_count - 1 ? places - (p->slice_count - 1) : 0;
    p->pool = request_pool_create(p->shared_limit + p->slice_count * (1 + slice_requests(&p->params)), arena);
    for (unsigned k = 0; k < p->slice_count; k++) {
        p->slices[k] = slice_create(&p->params, &p->request_map, k, protocol, store, p->pool, arena);
        if (params->locks.queue)
            slice_open_locks(p->slices[k], &p->own);
        p->head.out[k] = &p->slices[k]->out;
        p->head.out[k]->slice = k;
        p->head.out[k]->partition = p;
        mask_put(&p->head.accepting, k, slice_can_push(p->slices[k]));
    }
    p->requests = p->pool->all;
    p->dram =
        dram_create(&params->dram, params->partition.dram_latency, p->shared_limit + p->slice_count, p->pool, arena);
    dram_stagger(p->dram, channel);
    return p;
}

void partition_destroy(struct partition *p)
{
    arena_free(&p->own);
}

void partition_vary(struct partition *p, uint64_t seed, uint32_t most)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        unsigned number = p->channel * p->slice_count + k;
        p->slices[k]->rop_jitter = (struct jitter){random_stream_of(seed, "ROP delay", number), most};
    }
    p->dram->jitter = (struct jitter){random_stream_of(seed, "DRAM latency", p->channel), most};
}

/* A load goes back over several requests that were held. */
enum { LOOKS_BACK = 4 };

bool partition_opposes_early(uint64_t seed, const struct coherence_protocol *protocol)
{
    return seed && slice_opposes_early(seed, protocol);
}

void partition_oppose(struct partition *p, uint64_t seed, uint32_t most)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        struct slice *s = p->slices[k];
        unsigned number = p->channel * p->slice_count + k;
        s->adversary = ARENA_NEW(&p->own, struct slice_adversary, 1);
        *s->adversary = (struct slice_adversary){random_stream_of(seed, "adversary", number),
                                                 random_stream_of(seed, "reader", number), most, seed};
        if (slice_opposes_early(seed, s->protocol))
            s->history = history_create(seed, number, LOOKS_BACK * (uint64_t)most, &p->own);
    }
}

/* A slice's next cycle changes by its tick, and by what is pushed into its queues when it waits for that, or taken out
 * of full ones. */

static void note_next_l2(struct partition *p)
{
    uint64_t next = p->slices[0]->next;
    for (unsigned k = 1; k < p->slice_count; k++)
        next = cycle_min(next, p->slices[k]->next);
    p->head.next_l2 = next;
}

/* partition_run is needed when it was, or earlier: a slice has something to do. */
static inline void note_next(struct partition *p)
{
    p->head.next = cycle_max(cycle_min(p->head.next, p->head.next_l2), p->head.done);
}

NOT_INLINE void acknowledge(struct partition *p, unsigned k, struct packet *answer)
{
    slice_acknowledge(p->slices[k], answer, p->last_l2);
    note_next_l2(p);
    note_next(p);
}

HOT void partition_push(struct partition *p, unsigned k, struct packet *packet, uint64_t cycle)
{
    uint64_t local;
    if (message_sender_of(packet->kind) == MESSAGE_OF_SLICE && p->slices[k]->probes) {
        acknowledge(p, k, packet);
        return;
    }
    memory_slice_of(&p->map, packet->address, &local);
    slice_push(p->slices[k], packet, local, cycle);
    p->head.next_l2 = cycle_min(p->head.next_l2, p->slices[k]->next);
    note_next(p);
}

void partition_open_probes(struct partition *p, uint32_t sms)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        slice_open_probes(p->slices[k], sms, &p->own);
}

void partition_open_directory(struct partition *p, uint32_t sms)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        slice_open_directory(p->slices[k], sms, &p->own);
}

void partition_open_casts(struct partition *p, struct packet_list *lists)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        p->slices[k]->casts = lists;
}

static bool has_probes(const struct slice *s)
{
    return s->probes && s->probes->out.count;
}

HOT void partition_wake_slice(struct partition_out *out)
{
    struct partition *p = out->partition;
    struct slice *s = p->slices[out->slice];
    slice_find_next(s, p->last_l2);
    if (has_probes(s))
        s->next = cycle_min(s->next, p->last_l2 + 1);
    note_next_l2(p);
    note_next(p);
}

struct packet *partition_peek(struct partition *p, unsigned k, uint64_t cycle)
{
    for (const struct partition_reply *first; (first = partition_reply(p, k, cycle));
         partition_take_reply(p->head.out[k]))
        if (first->packet)
            return first->packet;
    return NULL;
}

struct packet *partition_pop(struct partition *p, unsigned k, uint64_t cycle)
{
    struct packet *packet = partition_peek(p, k, cycle);
    if (packet)
        partition_take_reply(p->head.out[k]);
    return packet;
}

/* Credits */

static inline uint64_t with_credit(const struct partition *p)
{
    return p->shared_credits < p->shared_limit ? p->all_slices : p->all_slices & ~p->own_credits;
}

static void borrow_credit(struct partition *p, unsigned k)
{
    p->shared_credits += (uint32_t)(p->own_credits >> k & 1);
    p->own_credits |= BIT64(k);
}

static void return_credit(struct partition *p, unsigned k)
{
    p->shared_credits -= (uint32_t)(~p->own_credits >> k & 1);
    p->own_credits &= ~BIT64(k);
}

/* The DRAM's side */

/* The slices that have something to send, or will after their next tick, and may. */
static inline uint64_t senders(const struct partition *p)
{
    return with_credit(p) & ~(p->starved | p->stuck);
}

static inline bool can_return(const struct partition *p)
{
    return p->dram->finished_count && !(p->stuck >> dram_slice(dram_top(p->dram)) & 1);
}

HOT_INLINE void return_finished(struct partition *p, struct dram_request r)
{
    unsigned k = dram_slice(r);
    struct slice *s = p->slices[k];
    slice_return(s, dram_number(r), p->last_l2);
    if (request_full(&s->from_dram))
        p->stuck |= BIT64(k);
    return_credit(p, k);
    p->head.next_l2 = cycle_min(p->head.next_l2, s->next);
}

/* Bursts leave the pipe in this cycle, and maybe a write-back with them. */
NOT_INLINE void drain_pipe(struct partition *p, uint64_t cycle)
{
    uint32_t written = dram_drain_pipe(p->dram, cycle);
    if (written == REQUEST_NONE)
        return;
    return_credit(p, p->requests[written].slice);
    request_release(p->pool, written);
}

/* Without those that have nothing but a request which is there ahead of its tick. */
NOT_INLINE uint64_t without_ahead(struct partition *p, uint64_t set)
{
    for (uint64_t rest = set & p->ahead; rest; rest &= rest - 1)
        if (slice_sends(p->slices[mask_first(rest)], p->last_l2))
            p->ahead &= ~(rest & -rest);
    return set & ~p->ahead;
}

/* Slice k has more or fewer requests for the DRAM than before: updates the set of slices that have any. */
static inline void note_sends(struct partition *p, unsigned k)
{
    const struct slice *s = p->slices[k];
    mask_put(&p->starved, k, s->to_dram.count == 0);
    mask_put(&p->ahead, k, !slice_sends(s, p->last_l2));
}

/* The first of these slices behind the last that sent sends a request. */
HOT_INLINE void start_request(struct partition *p, uint64_t set)
{
    uint64_t behind = set & ~mask_low(p->last_sender + 1);
    unsigned k = mask_first(behind ? behind : set);
    struct slice *s = p->slices[k];
    uint32_t request = slice_take_request(s, p->last_l2);
    p->last_sender = k;
    if (s->to_dram.count <= 1)
        note_sends(p, k);
    dram_send(p->dram, &p->requests[request], request);
    borrow_credit(p, k);
    p->head.next_l2 = cycle_min(p->head.next_l2, s->next);
}

static uint64_t find_next_dram(const struct partition *p)
{
    if (can_return(p))
        return p->last_dram + 1;
    uint64_t next = dram_next(p->dram);
    return senders(p) ? cycle_min(next, dram_next_room(p->dram)) : next;
}

/* Prefetches, into the host's caches, the lines that the slices will read when the next requests return. */
static inline void expect_returns(const struct partition *p)
{
    uint32_t bursts = dram_coming(p->dram);
    if (bursts > 2)
        will_read(&p->requests[dram_number(dram_in_pipe(p->dram, 2))]);
    if (bursts > 1) {
        struct dram_request next = dram_in_pipe(p->dram, 1);
        slice_expect_return(p->slices[dram_slice(next)], dram_number(next));
    }
    if (bursts > 0) {
        struct dram_request next = dram_in_pipe(p->dram, 0);
        slice_expect_next_return(p->slices[dram_slice(next)], dram_number(next));
    }
}

/* A request that has left the pipe before this cycle goes back to its slice, if that has room. */
HOT_INLINE void take_finished(struct partition *p, struct dram *d, uint64_t cycle)
{
    struct dram_request r;
    if (cycle > d->pipe_at && dram_passes(d) && !(p->stuck >> dram_slice(dram_in_pipe(d, 0)) & 1)) {
        r = dram_pass(d);
    } else {
        if (cycle > d->pipe_at)
            dram_drain_pipe(d, cycle - 1);
        if (!can_return(p))
            return;
        r = dram_pop(d);
    }
    return_finished(p, r);
    expect_returns(p);
}

HOT void partition_tick_dram(struct partition *p, uint64_t dram_cycle, uint64_t cycle)
{
    struct dram *d = p->dram;
    p->last_l2 = cycle - 1;
    p->last_dram = dram_cycle;
    dram_run(d, dram_cycle);
    take_finished(p, d, dram_cycle);
    if (dram_cycle >= d->pipe_at && !dram_passes(d))
        drain_pipe(p, dram_cycle);
    uint64_t set = senders(p);
    if (set & p->ahead)
        set = without_ahead(p, set);
    if (set && !dram_full(d))
        start_request(p, set);
    p->head.next_dram = find_next_dram(p);
}

/* The L2's clock */

HOT static void note_queues(struct partition *p, unsigned k)
{
    note_sends(p, k);
    mask_put(&p->stuck, k, request_full(&p->slices[k]->from_dram));
}

/* The DRAM's side waits for this slice to have something to send, or room for what comes back. */
HOT NOT_INLINE void wake_dram(struct partition *p, unsigned k)
{
    note_queues(p, k);
    if (can_return(p))
        p->head.next_dram = p->last_dram + 1;
    else if (senders(p) >> k & 1)
        p->head.next_dram = cycle_min(p->head.next_dram, dram_next_room(p->dram));
}

/* The first of a slice's probes goes behind its replies, if there is room: one in a cycle, and none before a reply that
 * is there ahead of its tick. */
NOT_INLINE void send_probe(struct slice *s, uint64_t cycle)
{
    if (slice_out_full(&s->out))
        return;
    if (s->serve_at <= cycle) {
        struct packet *probe = packet_ring_pop(&s->probes->out);
        s->out.inside++;
        slice_put_out(s, probe, cycle);
    }
    if (s->probes->out.count && !slice_out_full(&s->out))
        s->next = cycle_min(s->next, cycle + 1);
}

static void tick_slice(struct partition *p, unsigned k, uint64_t cycle)
{
    struct slice *s = p->slices[k];
    slice_tick(s, cycle);
    if (has_probes(s))
        send_probe(s, cycle);
    mask_put(&p->head.accepting, k, slice_can_push(s));
    if ((p->starved | p->stuck) >> k & 1)
        wake_dram(p, k);
}

HOT void partition_tick_l2(struct partition *p, uint64_t cycle)
{
    uint64_t next = CYCLE_NEVER;
    p->last_l2 = cycle;
    for (unsigned k = 0; k < p->slice_count; k++) {
        if (p->slices[k]->next <= cycle)
            tick_slice(p, k, cycle);
        next = cycle_min(next, p->slices[k]->next);
    }
    p->head.next_l2 = next;
}

/* Many cycles */

HOT_INLINE bool works(const struct partition *p)
{
    if (!dram_idle(p->dram))
        return true;
    for (unsigned k = 0; k < p->slice_count; k++)
        if (slice_works(p->slices[k]))
            return true;
    return false;
}

bool partition_idle(const struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        if (p->slices[k]->out.inside)
            return false;
    return !works(p);
}

uint64_t partition_idle_from(const struct partition *p)
{
    return p->idle_from;
}

void partition_start(struct partition *p, const struct sim_clock *dram)
{
    p->clock = *dram;
    p->head.done = p->head.next = dram->core;
    p->idle_from = works(p) ? CYCLE_NEVER : 0;
}

/* So many cycles can be simulated before no queue of replies has room for those of another, if none is taken. */
static uint32_t cycles_of_room(const struct partition *p)
{
    uint32_t least = UINT32_MAX;
    for (unsigned k = 0; k < p->slice_count; k++) {
        const struct partition_out *out = p->head.out[k];
        uint32_t room = out->limit > out->count ? out->limit - out->count : 0;
        least = room < least ? room : least;
    }
    return least / REPLIES_A_CYCLE;
}

/* One cycle; the clock goes on to the next. The DRAM's cycles are counted from 1, as the clock counts those that have
 * begun: a channel that stands at cycle 0 has done nothing yet, and can be handed a request in the very first cycle
 * that there is. */
HOT_INLINE void run_cycle(struct partition *p, uint64_t cycle, bool every)
{
    sim_clock_advance(&p->clock, cycle);
    uint64_t from = p->clock.begun + 1, d;
    sim_clock_advance(&p->clock, cycle + 1);
    for (; (d = every ? from : cycle_max(p->head.next_dram, from)) <= p->clock.begun; from = d + 1)
        partition_tick_dram(p, d, cycle);
    if (p->head.next_l2 <= cycle || every)
        partition_tick_l2(p, cycle);
    p->idle_from = works(p) ? CYCLE_NEVER : cycle_min(p->idle_from, cycle);
}

/* The next cycle in which there is something to do; never later than the truth. */
HOT_INLINE uint64_t find_next(const struct partition *p, uint64_t cycle)
{
    uint64_t soon = cycle + 1;
    uint64_t dram = p->head.next_dram;
    if (p->head.next_l2 <= soon || dram <= p->clock.begun + 1)
        return soon;
    if (dram != CYCLE_NEVER)
        dram = sim_clock_core_cycle(&p->clock, dram - 1);
    return cycle_max(soon, cycle_min(p->head.next_l2, dram));
}

/* Until the partition has run, it must not accept or refuse otherwise than it said it would: the SMs of earlier cycles
 * may still ask. */
HOT void partition_run(struct partition *p, uint64_t now, uint64_t until, bool every)
{
    uint64_t cycle = every ? now : cycle_max(now, p->head.next), next;
    uint32_t room = 0; /* cycles for which there is room are counted down, then looked for again */
    if (cycle > now && (cycle >= until || (room = cycles_of_room(p)) == 0))
        return;
    p->head.accepted = p->head.accepting;
    for (;; cycle = every ? cycle + 1 : next) {
        run_cycle(p, cycle, every);
        next = find_next(p, cycle);
        if (room == 0)
            room = cycles_of_room(p);
        if ((every ? cycle + 1 : next) >= until || p->head.accepting != p->head.accepted || room-- == 0)
            break;
    }
    p->head.done = cycle + 1;
    p->head.next = next;
}

void partition_settle(struct partition *p, uint64_t cycle)
{
    struct sim_clock clock = p->clock;
    contract(p->head.next >= cycle);
    sim_clock_advance(&clock, cycle_max(clock.core, cycle));
    dram_run(p->dram, clock.begun);
}

void partition_finish(struct partition *p, uint64_t until)
{
    for (uint64_t cycle; (cycle = cycle_max(p->head.next, p->head.done)) < until;) {
        run_cycle(p, cycle, false);
        p->head.done = cycle + 1;
        p->head.next = find_next(p, cycle);
    }
    sim_clock_advance(&p->clock, cycle_max(p->clock.core, until));
    dram_run(p->dram, p->clock.begun);
    dram_finish(p->dram);
}

uint32_t partition_waiting(const struct partition *p)
{
    uint32_t waiting = 0;
    for (unsigned k = 0; k < p->slice_count; k++)
        waiting += slice_waiting(p->slices[k]);
    return waiting;
}

void partition_describe_waiting(const struct partition *p, struct strbuf *out)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        if (!slice_waiting(p->slices[k]))
            continue;
        strbuf_addf(out, "\n  slice %u: ", p->channel * p->slice_count + k);
        slice_describe_waiting(p->slices[k], out);
    }
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
    uint64_t whole = (uint64_t)l2->sets * l2->ways * l2->line_bytes * memory_slices(params);
    if (!params->host_copies_fill_l2)
        return;
    if (l2->replacement == CACHE_LRU && l2->set_index == CACHE_INDEX_LINEAR && bytes > 2 * whole)
        address = end - 2 * whole;
    for (uint64_t round = address / params->block_bytes / params->channels;; round++) {
        uint32_t first = memory_first_channel(&p->map, round);
        uint64_t block = round * params->channels + (p->channel + params->channels - first) % params->channels;
        uint64_t from = block * params->block_bytes, to = from + params->block_bytes;
        if (round * params->channels * params->block_bytes >= end)
            break;
        if (to > address && from < end)
            install_block(p, from > address ? from : address, to < end ? to : end);
    }
}

void partition_invalidate(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++)
        cache_invalidate_all(p->slices[k]->cache);
}

void partition_collect(const struct partition *p, unsigned k, unsigned side, struct coherence_counts *counts)
{
    if (side == 1)
        coherence_collect(counts, p->slices[k]->side);
    else if (p->slices[k]->directory)
        coherence_collect(counts, &p->slices[k]->directory->side);
}

const struct cache_stats *partition_l2_stats(const struct partition *p, unsigned k)
{
    return cache_stats_of(p->slices[k]->cache);
}

const struct lock_stats *partition_lock_stats(const struct partition *p, unsigned k)
{
    static const struct lock_stats none = {0};
    return p->slices[k]->locks ? &p->slices[k]->locks->stats : &none;
}

const struct dram_stats *partition_dram_stats(const struct partition *p)
{
    return dram_stats_of(p->dram);
}

void partition_stats_reset(struct partition *p)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        *cache_stats_of(p->slices[k]->cache) = (struct cache_stats){0};
        coherence_clear_counts(p->slices[k]->side);
        if (p->slices[k]->locks)
            p->slices[k]->locks->stats = (struct lock_stats){0};
        if (p->slices[k]->directory)
            coherence_clear_counts(&p->slices[k]->directory->side);
    }
    *dram_stats_of(p->dram) = (struct dram_stats){0};
}

void partition_check_units(struct partition *p, struct check *c)
{
    for (unsigned k = 0; k < p->slice_count; k++) {
        check_of(c, "L2 slice", p->channel * p->slice_count + k);
        cache_check(p->slices[k]->cache, c);
        slice_check(p->slices[k], c, p->last_l2);
    }
    check_of(c, "DRAM channel", p->channel);
    dram_check(p->dram, c);
}

/* Checkpoints */

void partition_archive(struct partition *p, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "partition", p->channel);
    request_pool_archive(ar, p->pool, p->params.l2.mshr_entries, source);
    for (unsigned k = 0; k < p->slice_count; k++)
        slice_archive(p->slices[k], ar, source);
    dram_archive(p->dram, ar);
    archive_u64_to(ar, &p->own_credits, p->all_slices);
    ARCHIVE(ar, p->shared_credits);
    archive_u32_to(ar, &p->last_sender, p->slice_count - 1);
    ARCHIVE(ar, p->last_l2);
    ARCHIVE(ar, p->last_dram);
    ARCHIVE(ar, p->head.next_l2);
    ARCHIVE(ar, p->head.next_dram);
    for (unsigned k = 0; k < p->slice_count; k++) {
        mask_put(&p->head.accepting, k, slice_can_push(p->slices[k]));
        note_queues(p, k);
    }
    archive_end(ar);
}

struct packet *partition_archive_packet(struct partition *p, unsigned k, unsigned kind)
{
    struct packet_pool *pool = slice_packets(p->slices[k]);
    if (!pool)
        return NULL;
    struct packet *packet = packet_new(pool, kind);
    pool->out--;
    return packet;
}
