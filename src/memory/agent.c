/* The doors of an agent, and what waits in it: accesses aside, flushes, locks. */
#include "memory/agent_impl.h"

#include <string.h>

#include "base/hot.h"

static const struct stat_desc agent_stat_descs[] = {
#define STAT_STRUCT struct agent_stats
#include "stats/stat_descs.h"
#include "memory/agent_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group agent_stat_group = {"agents", "L1s that keep what they have written", agent_stat_descs,
                                            sizeof(agent_stat_descs) / sizeof(agent_stat_descs[0])};

void agent_init(struct agent *a, const struct agent_setup *setup, struct arena *arena)
{
    *a = (struct agent){.protocol = setup->protocol,
                        .requests = setup->requests,
                        .answers = setup->answers,
                        .packets = setup->packets,
                        .cache_stats = setup->stats,
                        .queue_lines = setup->queue_lines,
                        .rprio = setup->rprio,
                        .host = setup->host};
    coherence_side_init(&a->side, setup->protocol->registration->agent, &coherence_agent_words, NULL);
    a->writes = ARENA_NEW(arena, struct agent_write, AGENT_WRITES);
    agent_lines_init(a, setup->cache, arena);
}

/* True: the slice has asked about an earlier registration of the line, which has been given back since. */
static bool is_late(const struct agent_line *line, const struct packet *p)
{
    bool registered = line && (line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E);
    return p->kind == PACKET_FORWARD && registered && line->grant != forward_of(p)->grant;
}

static void take_probe(struct agent *a, struct agent_line *line, struct packet *p)
{
    struct agent_try t = {.a = a, .line = line, .address = p->address, .bytes = p->bytes, .probe = p};
    t.event = p->kind == PACKET_FORWARD  ? AGENT_FORWARD_EVENT
              : p->kind == PACKET_RECALL ? AGENT_RECALL_EVENT
                                         : AGENT_INVALIDATE_EVENT;
    if (is_late(line, p))
        agent_answer_void(&t);
    else
        agent_take_row(&t);
}

void agent_ask_again(struct agent *a, struct agent_line *line)
{
    struct packet_list probes = line->probes;
    uint64_t address = line->address;
    line->probes = (struct packet_list){NULL, NULL};
    while (probes.first) { /* the line may have gone with the first */
        a->probes--;
        take_probe(a, agent_find(a, address), packet_shift(&probes));
    }
}

/* The event that an access is to the line that it finds. */
static unsigned event_here(const struct agent *a, uint64_t address, uint32_t bytes, unsigned event,
                           struct agent_line **line)
{
    struct byte_mask m = bytes_of(address, bytes);
    *line = agent_find(a, address);
    return event == AGENT_BLOCK_EVENT && *line && bytes_cover(&(*line)->valid, &m) ? AGENT_BLOCK_HERE_EVENT : event;
}

/* An access that waited aside is stepped anew; back it goes if it still has to wait, or finds no place. */
static void step_deferred(struct agent *a, struct packet *p)
{
    struct agent_try t = {.a = a, .address = p->address, .bytes = p->bytes, .access = p, .waited = true};
    t.event = event_here(a, p->address, p->bytes, access_of(p)->event, &t.line);
    bool locked = agent_is_locked(a, t.event, p);
    if (!locked && agent_has_places(&t, agent_set_of(a, t.line, t.event))) {
        agent_take_row(&t);
    } else {
        a->stalled |= !locked;
        packet_append(&a->deferred, p);
    }
}

/* Tries accesses that wait aside for a line (AGENT_EVERY_LINE: for any) again, in their order: the first `most` of
 * them, of that event or AGENT_EVENTS for all. Where one has to go on waiting, so do those behind it. */
static void retry(struct agent *a, uint64_t address, uint32_t most, unsigned event)
{
    struct packet_list all = a->deferred;
    a->deferred = (struct packet_list){NULL, NULL};
    while (all.first) {
        struct packet *p = packet_shift(&all);
        bool counts = most && (address == AGENT_EVERY_LINE || agent_line_of(a, p->address) == address);
        most -= counts;
        if (counts && (event == AGENT_EVENTS || access_of(p)->event == event) && !agent_is_deferred(a, p->address))
            step_deferred(a, p);
        else
            packet_append(&a->deferred, p);
    }
}

void agent_retry(struct agent *a, uint64_t address)
{
    retry(a, address, UINT32_MAX, AGENT_EVENTS);
}

void agent_retry_early(struct agent *a, struct agent_line *line)
{
    uint32_t early = line->early;
    line->early = 0;
    retry(a, line->address, early, AGENT_BLOCK_EVENT);
}

/* Flushes that are over: of lines that leave, of probes that asked for one. */

static void end_line_flushes(struct agent *a)
{
    for (struct agent_line *line = a->lines; a->flushing && line < a->lines + a->sets * a->ways; line++) {
        if ((line->state != AGENT_P && line->state != AGENT_E) || !agent_flushed(a, line->flush))
            continue;
        agent_step(a, line, AGENT_FLUSHED_EVENT);
    }
}

static void end_probe_flushes(struct agent *a)
{
    while (a->flushes.first && agent_flushed(a, flush_of(a->flushes.first)->mark)) {
        struct packet *p = packet_shift(&a->flushes);
        a->probes--;
        p->is_reply = true;
        packet_ring_push(a->answers, p);
    }
}

/* Locks. What waits aside when one comes and the L1 was free must be performed before the L1 is locked again: else a
 * stream of locks could keep it up for ever. */

static bool mark_deferred(struct agent *a, bool mark)
{
    bool marked = false;
    for (const struct packet *p = a->deferred.first; p; p = p->next) {
        struct message_access *access = access_of(p);
        access->before_lock |= mark && access->event == AGENT_BLOCK_EVENT;
        marked |= access->before_lock;
    }
    return marked;
}

/* From now on everything that waits aside at the scope of the block is held back: what was there before the first LOCK
 * has been performed. So nothing of it is early any more (agent_act.c: note_early). */
static void lock(struct agent *a, struct packet *p)
{
    for (struct agent_line *line = a->lines; !a->locks && line < a->lines + a->sets * a->ways; line++)
        line->early = 0;
    a->locks++;
    p->is_reply = true;
    packet_ring_push(a->answers, p);
}

static void take_lock(struct agent *a, struct packet *p)
{
    if (a->locks || (!a->lock_waits.first && !mark_deferred(a, true))) {
        lock(a, p);
    } else {
        packet_append(&a->lock_waits, p);
        a->probes++;
    }
}

static void end_lock_waits(struct agent *a)
{
    if (!a->lock_waits.first || mark_deferred(a, false))
        return;
    while (a->lock_waits.first) {
        a->probes--;
        lock(a, packet_shift(&a->lock_waits));
    }
}

/* Whatever was waited for and has come true. */
static void settle(struct agent *a)
{
    uint32_t flushing;
    do {
        flushing = a->flushing;
        end_line_flushes(a);
    } while (a->flushing != flushing);
    end_probe_flushes(a);
    end_lock_waits(a);
}

/* The doors */

/* An access is tried. It counts as refused from now on, until something changes: the try itself may do that, when it
 * begins to make room (another line of the set may have its place then), or what it has set going may be there already.
 * Then the access is worth another try at once. */
static void begin_try(struct agent *a, uint64_t address)
{
    a->refused = true;
    a->refused_address = address;
    a->refused_room = agent_has_room(a);
}

HOT enum agent_served agent_load(struct agent *a, const struct agent_load *load, const uint8_t **values,
                                 struct packet **request)
{
    uint64_t address = load->address;
    struct agent_try t = {.a = a, .address = address, .bytes = load->bytes, .load = load};
    struct byte_mask m = bytes_of(address, load->bytes);
    t.line = agent_find(a, address);
    bool here = t.line && bytes_cover(&t.line->valid, &m);
    t.event = here ? AGENT_LOAD_HERE_EVENT : AGENT_LOAD_EVENT;
    uint64_t set = agent_set_of(a, t.line, t.event);
    begin_try(a, address);
    if (agent_is_deferred(a, address) || !agent_has_places(&t, set)) {
        settle(a);
        return AGENT_REFUSED;
    }
    a->cache_stats->reads++;
    a->cache_stats->read_hits += (set & COHERENCE_BIT(AGENT_DO_SERVE)) != 0;
    a->cache_stats->read_pending += (set & COHERENCE_BIT(AGENT_DO_JOIN)) != 0;
    a->cache_stats->read_misses += !(set & (COHERENCE_BIT(AGENT_DO_SERVE) | COHERENCE_BIT(AGENT_DO_JOIN)));
    agent_take_row(&t);
    if (t.line)
        t.line->used = ++a->clock;
    *values = t.values;
    *request = t.request;
    return t.served;
}

HOT bool agent_can_take(struct agent *a, uint64_t address, uint32_t bytes, unsigned event)
{
    struct agent_try t = {.a = a, .address = address, .bytes = bytes};
    t.event = event_here(a, address, bytes, event, &t.line);
    begin_try(a, address);
    bool can = agent_is_deferred(a, address)
                   ? event != AGENT_STORE_EVENT
                   : agent_is_locked(a, t.event, NULL) || agent_has_places(&t, agent_set_of(a, t.line, t.event));
    if (can)
        agent_changed(a);
    else
        settle(a);
    return can;
}

HOT void agent_take(struct agent *a, struct packet *p, unsigned event)
{
    struct agent_try t = {.a = a, .address = p->address, .bytes = p->bytes, .access = p};
    t.event = event_here(a, p->address, p->bytes, event, &t.line);
    if (event == AGENT_STORE_EVENT) {
        a->cache_stats->writes++;
        a->cache_stats->write_hits += t.line != NULL;
        a->cache_stats->write_misses += t.line == NULL;
    }
    if (agent_is_deferred(a, p->address) || agent_is_locked(a, t.event, p)) {
        t.event = event;
        agent_defer(&t);
        return;
    }
    uint64_t set = agent_set_of(a, t.line, t.event);
    if (agent_needs_place(&t, set))
        agent_find_place(&t); /* agent_can_take has made it */
    bool sent = set & COHERENCE_BIT(AGENT_DO_SEND);
    agent_take_row(&t);
    if (t.line)
        t.line->used = ++a->clock;
    if (event == AGENT_STORE_EVENT && !sent)
        packet_free(a->packets, p);
    settle(a);
}

bool agent_owns(const struct packet *p)
{
    switch (p->kind) {
    case PACKET_READ:
        return access_of(p)->waiter == PACKET_NOBODY;
    case PACKET_WRITE:
        return write_of(p)->entry != PACKET_NO_ENTRY;
    default:
        return p->kind != PACKET_ATOMIC;
    }
}

void agent_reply(struct agent *a, struct packet *p)
{
    struct agent_try t = {.a = a, .address = p->address, .bytes = p->bytes, .reply = p};
    agent_changed(a);
    if (p->kind == PACKET_WRITE) {
        agent_arrive(a, write_of(p)->entry);
    } else {
        bool fill = p->kind == PACKET_READ;
        t.line = fill ? &a->lines[a->fills[read_of(p)->fill].line] : agent_find(a, p->address);
        t.event = fill ? AGENT_FILL_EVENT : AGENT_GRANT_EVENT;
        agent_take_row(&t);
    }
    settle(a);
}

/* A probe of the L1 as a whole. */
static void take_order(struct agent *a, struct packet *p)
{
    if (p->kind == PACKET_LOCK) {
        take_lock(a, p);
        return;
    }
    a->locks -= p->kind == PACKET_UNLOCK;
    if (p->kind == PACKET_UNLOCK && !a->locks)
        agent_retry(a, AGENT_EVERY_LINE);
    if (p->kind == PACKET_DROP)
        agent_drop(a, AGENT_BY_REMOTE);
    if (p->kind == PACKET_FLUSH) {
        flush_of(p)->mark = agent_flush(a, AGENT_BY_REMOTE);
        packet_append(&a->flushes, p);
        a->probes++;
        return;
    }
    p->is_reply = true;
    packet_ring_push(a->answers, p);
}

/* The slice has a line that was given back (PUTM). */
static void take_put_answer(struct agent *a, struct packet *p)
{
    agent_step(a, agent_find(a, p->address), AGENT_PUTM_ANSWERED_EVENT);
    packet_free(a->packets, p);
}

void agent_probe(struct agent *a, struct packet *p)
{
    bool is_order = message_is_of_l1(p->kind);
    contract(!is_order || a->answers->count + a->probes < a->answers->size);
    agent_changed(a);
    if (is_order)
        take_order(a, p);
    else if (p->kind == PACKET_PUTM)
        take_put_answer(a, p);
    else
        take_probe(a, agent_find(a, p->address), p);
    settle(a);
}

void agent_answered(struct agent *a, struct packet *p)
{
    if (!message_is_access(p->kind) || !access_of(p)->at_home)
        return;
    agent_note_home(a, p, false);
    agent_changed(a);
}

struct packet *agent_done(struct agent *a)
{
    return a->done.first ? packet_shift(&a->done) : NULL;
}

void agent_drain(struct agent *a)
{
    agent_changed(a);
    if (a->behind.first) {
        packet_ring_push(a->requests, packet_shift(&a->behind));
    } else if ((int32_t)(a->drain_to - a->unsent) > 0) {
        agent_step(a, agent_find(a, a->writes[a->unsent % AGENT_WRITES].address), AGENT_DRAIN_EVENT);
    } else {
        a->stalled = false;
        agent_retry(a, AGENT_EVERY_LINE);
    }
    settle(a);
}

void agent_drop(struct agent *a, enum agent_cause cause)
{
    uint64_t *counts[] = {&a->stats.drops_order, &a->stats.drops_remote, &a->stats.drops_registration,
                          &a->stats.drops_kernel};
    ++*counts[cause];
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        if (line->state != AGENT_I)
            agent_step(a, line, AGENT_DROP_EVENT);
}

void agent_time_passed(struct agent *a, uint32_t line)
{
    if (a->side.steps[a->lines[line].state][AGENT_TIME_PASSED_EVENT].given)
        agent_step(a, &a->lines[line], AGENT_TIME_PASSED_EVENT);
}

bool agent_idle(const struct agent *a)
{
    return a->arrived == a->end && !a->behind.first && !a->deferred.first && !a->done.first && !a->flushing &&
           !a->probes;
}

/* Between kernels */

void agent_publish(struct agent *a, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                   void *context)
{
    a->stats.flushes_kernel += (a->protocol->orders[L1_END] & L1_ORDER_FLUSH) != 0;
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        for (uint32_t i = 0; i < PACKET_LINE_BYTES && line->state != AGENT_I && !line->own; i++)
            if (line->written.word[i / 64] >> i % 64 & 1)
                put(context, (line->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + i, agent_data(a, line) + i, 1);
}

void agent_peek(const struct agent *a, uint64_t address, uint8_t *to, uint32_t bytes)
{
    const struct agent_line *line = agent_find(a, address);
    if (!line || line->own || (line->state != AGENT_R && line->state != AGENT_P && line->state != AGENT_E))
        return;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t at = (uint32_t)(address % PACKET_LINE_BYTES) + i;
        if (line->written.word[at / 64] >> at % 64 & 1)
            to[i] = agent_data(a, line)[at];
    }
}

void agent_refresh(struct agent *a, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                   void *context)
{
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        if (line->state == AGENT_R && !line->own)
            read(context, line->address, agent_data(a, line) + line->address % PACKET_LINE_BYTES, a->line_bytes);
}
