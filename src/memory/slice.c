/* An L2 slice of GPGPU-Sim. One tick of the L2's clock, back to front:
 *   1. one waiter of a finished fill goes to the reply queue;
 *   2. one request that came back from the DRAM: a fill goes into the cache when the fill port is free, an acknowledged
 *      store to the reply queue;
 *   3. one request goes from the cache's miss queue to the queue of the DRAM;
 *   4. one access is tried, if the data port is free and neither the DRAM's queue nor the reply queue is full;
 *   5. one request leaves the ROP delay for the slice's queue; that needs no tick of its own.
 * So a hit pushed at cycle c can be popped after tick c + rop_latency + 1. Packets leave the delay in the order in
 * which they came, so that one that a seed makes wait longer holds up those behind it. A slice with sectors takes a
 * packet apart, one access a sector; the packet is answered when the last one was served. An access that was refused is
 * tried again when something that it could wait for has changed (a fill, a taken waiter, a sent miss): that gives the
 * same cycles as trying always. Steps 1 to 3 of the next ticks are done ahead where nobody can see the difference; what
 * they bring out carries the tick to which it belongs. */
#include "memory/slice.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "isa/mod_values.h"
#include "isa/op.h"
#include "memory/byte_mask.h"
#include "memory/packet_values.h"
#include "sim/cycle.h"

#define ALLOCATE_WAITER (CACHE_NO_WAITER - 1) /* the fill for a store: nobody waits */
#define AHEAD 8u /* a queue with so many places free cannot be filled by what is done ahead of its tick */

void slice_acknowledge(struct slice *s, struct packet *answer, uint64_t last)
{
    contract(answer->kind == PACKET_PROBE && answer->is_reply && s->probes->unanswered);
    packet_free(&s->probes->pool, answer);
    s->probes->answered = --s->probes->unanswered == 0;
    if (!s->probes->answered)
        return;
    s->blocked = false;
    s->next = cycle_min(s->next, last + 1);
}

/* The ends */

/* Bytes of the packet's part that begins at an offset. */
static uint32_t part_bytes(const struct slice *s, const struct packet *p, uint32_t offset)
{
    uint32_t left = p->bytes - offset, to_end = s->sector - ((uint32_t)(p->local + offset) & (s->sector - 1));
    return s->sector && to_end < left ? to_end : left;
}

/* The packet whose parts leave the delay next, or NULL. */
static void set_rop_first(struct slice *s, struct packet *p)
{
    s->rop_first = p;
    s->rop_left = p ? p->parts : 0;
    s->rop_ready = p ? p->ready : CYCLE_NEVER;
    if (p)
        will_read(p->next);
}

/* The next cycle in which something depends on what leaves the delay: an access that nothing is before, or so many
 * that no more packets are taken. */
static uint64_t rop_next(const struct slice *s)
{
    uint64_t leaves = cycle_max(s->rop_ready, s->rop_at);
    if (s->in_count > s->in_most || leaves == CYCLE_NEVER)
        return CYCLE_NEVER;
    return leaves + (s->in_count == 0 && s->in_most > 0 ? 1 : (s->in_most - s->in_count) / s->params->partition.copy_sectors);
}

/* Parts of the packet that leave the delay, and are tried, in a cycle. */
static uint32_t parts_together(const struct slice *s, const struct packet *p)
{
    return RARELY(p->of_copy) ? s->params->partition.copy_sectors : 1;
}

HOT_INLINE void append(struct slice *s, struct packet *packet)
{
    packet->next = NULL;
    if (s->first)
        s->last->next = packet;
    else
        s->first = packet;
    s->last = packet;
}

/* A request for a lock is for one word: of its bytes the sector which has that one is left, so that it is served once.
 * Returns where that is. */
NOT_INLINE uint64_t narrow_to_word(const struct slice *s, struct packet *packet, uint64_t local)
{
    uint64_t offset = atomic_of(packet)->lanes[0].offset & ~(s->sector - 1);
    uint64_t address = (packet->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + offset;
    local += address - packet->address;
    packet->address = address;
    packet->bytes = (uint8_t)s->sector;
    return local;
}

HOT void slice_push(struct slice *s, struct packet *packet, uint64_t local, uint64_t cycle)
{
    bool for_lock = RARELY(s->locks) && packet->kind == PACKET_ATOMIC && atomic_of(packet)->lock;
    if (for_lock && s->sector && packet->bytes > s->sector)
        local = narrow_to_word(s, packet, local);
    packet->ready = cycle + s->params->partition.rop_latency + jitter_next(&s->rop_jitter);
    packet->local = local;
    packet->parts = 1;
    if (s->sector) {
        unsigned shift = mask_first(s->sector);
        packet->parts = (uint8_t)(((local + packet->bytes - 1) >> shift) - (local >> shift) + 1);
    }
    packet->sectors = packet->parts;
    s->out.inside++;
    if (RARELY(s->adversary != NULL))
        slice_hold(s, packet);
    else
        append(s, packet);
    if (s->rop_first && packet->next != s->rop_first)
        return;
    set_rop_first(s, packet);
    s->rop_look = rop_next(s);
    s->next = cycle_min(s->next, s->rop_look);
}

/* Values: what an access does to memory, in the order in which accesses are accepted */

uint8_t *slice_place_of(const struct slice *s, uint64_t address, uint32_t bytes)
{
    if (address - s->store->start > s->store->size - bytes)
        return NULL; /* an address that only the timing knows */
    return store_at(s->store, address);
}

/* Most accesses have one of three sizes, for which a copy is a few instructions. */
static void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes == 32)
        memcpy(to, from, 32);
    else if (bytes == 128)
        memcpy(to, from, 128);
    else if (bytes == 64)
        memcpy(to, from, 64);
    else
        memcpy(to, from, bytes);
}

HOT_INLINE void read_values(const struct slice *s, const struct slice_part *part)
{
    struct packet *p = part->packet;
    uint64_t address = p->address + part->offset;
    bool carries = (p->kind == PACKET_READ || p->kind == PACKET_REGISTER) &&
                   (p->space == PACKET_GLOBAL || p->space == PACKET_CONST);
    const uint8_t *from = carries ? slice_place_of(s, address, part->bytes) : NULL;
    if (from)
        copy_bytes(packet_data(p) + (address & (PACKET_LINE_BYTES - 1)), from, part->bytes);
}

/* Copies runs of written bytes. */
static void write_values(const struct slice *s, const struct slice_part *part)
{
    const struct message_write *m = write_of(part->packet);
    uint64_t address = m->packet.address + part->offset;
    uint32_t first = (uint32_t)(address & (PACKET_LINE_BYTES - 1)), end = first + part->bytes;
    bool only_time = m->packet.space == PACKET_LOCAL || (m->how & PACKET_PERFORMED);
    uint8_t *to = only_time ? NULL : slice_place_of(s, address, part->bytes);
    for (uint32_t word = 0; to && word < 2; word++) {
        uint64_t rest = m->mask[word] & bytes_in_word(word, first, end);
        while (rest) {
            uint32_t at = mask_first(rest);
            uint64_t after = ~(rest >> at);
            uint32_t run = after ? mask_first(after) : 64;
            copy_bytes(to + word * 64 + at - first, m->data + word * 64 + at, run);
            rest &= ~(mask_low(run) << at);
        }
    }
}

HOT NOT_INLINE void perform_atomics(const struct slice *s, const struct slice_part *part)
{
    struct message_atomic *m = atomic_of(part->packet);
    uint64_t address = m->packet.address;
    uint8_t *line = slice_place_of(s, address & ~(uint64_t)(PACKET_LINE_BYTES - 1), PACKET_LINE_BYTES);
    if (RARELY(m->lock))
        lock_queues_perform(s->locks, m, line + m->lanes[0].offset);
    else if (line)
        packet_perform_lanes(m, line, (uint32_t)(address % PACKET_LINE_BYTES) + part->offset, part->bytes);
}

/* Accesses */

/* True: a request for a lock that the queues of locks know. */
static bool is_queued(const struct packet *p)
{
    return p->kind == PACKET_ATOMIC && atomic_of(p)->queued;
}

/* Replies are in the order of their ticks: one that has been put there ahead of its own lets others pass. */
HOT_INLINE void answer(struct slice *s, const struct slice_part *part, uint64_t cycle)
{
    struct packet *packet = part->packet;
    struct partition_reply *replies = s->out.replies;
    bool last = --packet->parts == 0;
    if (RARELY(s->directory) && last && directory_answered(s->directory, packet))
        return;
    if (RARELY(is_queued(packet)) && lock_queues_keep(s->locks, packet))
        return;
    packet->is_reply = last;
    if (RARELY(packet->of_copy > 1) && !last) /* all of it goes as one */
        return;
    uint32_t place = slice_out_push(&s->out);
    if (RARELY(s->serve_at > cycle)) {
        replies[place] = replies[(place - 1) & s->out.mask];
        place = (place - 1) & s->out.mask;
    }
    replies[place] = (struct partition_reply){.packet = last ? packet : NULL,
                                              .served = cycle,
                                              .bytes = RARELY(packet->of_copy > 1)
                                                           ? packet_network_bytes(packet)
                                                           : message_network_bytes(packet->kind, true, part->bytes),
                                              .sm = packet->sm};
    if (RARELY(s->casts != NULL) && last && packet->of_copy && packet->kind == PACKET_READ)
        slice_cast(s, &replies[place]);
}

/* Notes that bytes go between L2 and DRAM for a packet. */
static void note_dram(struct packet *p, uint32_t bytes)
{
    p->dram = (uint8_t)(p->dram + (bytes + PACKET_DRAM_UNIT - 1) / PACKET_DRAM_UNIT);
}

/* Appends a request to those that the cache has sent. */
HOT_INLINE struct memory_request *send_request(struct slice *s, enum memory_request_kind kind, uint64_t local,
                                               uint32_t bytes)
{
    uint32_t number = request_take(s->pool);
    struct memory_request *r = &s->requests[number];
    if (local / PACKET_LINE_BYTES != s->mapped_line) {
        s->mapped_line = local / PACKET_LINE_BYTES;
        address_of_request(s->map, s->number, local, &s->mapped_bank, &s->mapped_row);
    }
    *r = (struct memory_request){.local = local,
                                 .row = s->mapped_row,
                                 .bytes = (uint8_t)bytes,
                                 .kind = (uint8_t)kind,
                                 .slice = s->number,
                                 .bank = (uint8_t)s->mapped_bank};
    s->to_dram.numbers[(s->to_dram.first + s->to_dram.count + s->misses++) & s->to_dram.mask] = number;
    return r;
}

/* Free places in the miss queue. */
static uint32_t miss_room(const struct slice *s)
{
    return s->misses < s->miss_limit ? s->miss_limit - s->misses : 0;
}

static uint32_t port_cycles(const struct slice *s, uint32_t bytes)
{
    uint32_t width = s->port_bytes;
    return bytes <= width ? 1 : (bytes + width - 1) / width;
}

/* Bytes of the sectors that hold dirty bytes. */
static uint32_t dirty_bytes(const struct slice *s, const uint64_t mask[2])
{
    uint32_t sector = s->params->l2.sector_bytes, bytes = 0;
    for (uint32_t at = 0; at < s->params->l2.line_bytes; at += sector) {
        uint64_t part = sector >= 64 ? mask[at / 64] : mask[at / 64] >> (at % 64) & mask_low(sector);
        if (sector == 128)
            part |= mask[1];
        if (part)
            bytes += sector;
    }
    return bytes;
}

/* A victim's write-back, and the time that reading it takes. */
NOT_INLINE void send_writeback(struct slice *s, const struct cache_effect *effect, struct packet *cause, uint64_t cycle)
{
    uint32_t bytes = dirty_bytes(s, effect->writeback_mask);
    note_dram(cause, bytes);
    send_request(s, REQUEST_WRITEBACK, effect->writeback_address, bytes);
    s->data_free_at = cycle + port_cycles(s, bytes);
}

/* Does now what the next tick would do with a request that was sent, if it is the only one. The DRAM still sees it at
 * the time of that tick. */
HOT_INLINE void send_ahead(struct slice *s, uint64_t cycle)
{
    if (s->misses != 1 || request_full(&s->to_dram))
        return;
    s->to_dram.count++;
    s->misses = 0;
    s->sent_at = cycle + 1;
}

/* Sends the requests that an access led to: a fill, for which a packet may wait, and the victim's write-back. */
HOT_INLINE void send_misses(struct slice *s, enum cache_result result, const struct cache_effect *effect,
                            enum memory_request_kind kind, struct packet *waits, struct packet *cause, uint64_t cycle)
{
    cause->missed = (uint8_t)(cause->missed + (effect->presence < CACHE_THERE));
    if (result == CACHE_MISS) {
        struct memory_request *r = send_request(s, kind, effect->fill_address, effect->fill_bytes);
        r->fill = (uint16_t)effect->fill;
        r->packet = waits;
        note_dram(cause, effect->fill_bytes);
    }
    if (effect->writeback)
        send_writeback(s, effect, cause, cycle);
    send_ahead(s, cycle);
}

/* The environment of the actions of the protocol's table (coherence/l2_actions.def): a part of a packet. */
struct attempt {
    struct slice *s;
    const struct slice_part *part;
    uint64_t cycle, local;
    unsigned state; /* enum cache_presence, or COHERENCE_ANY */
    uint32_t line;  /* unless the event is stateless */
    uint32_t fill;  /* of FILL */
};

/* A read or an atomic uses its line, or waits for a fill, which is requested if none is under way. */
HOT_INLINE bool read_line(struct attempt *t)
{
    struct slice *s = t->s;
    struct cache_effect effect;
    uint32_t waiter = s->free_waiter != SLICE_NO_WAITER ? s->free_waiter : s->new_waiters;
    uint32_t room = waiter < s->waiter_limit ? miss_room(s) : 0;
    enum cache_result result = cache_read(s->cache, t->local, t->part->bytes, waiter, room, &effect);
    if (result == CACHE_REFUSED)
        return false;
    t->state = effect.presence;
    t->line = effect.line;
    if (result == CACHE_HIT) {
        s->data_free_at = t->cycle + port_cycles(s, t->part->bytes);
        if (RARELY(s->params->partition.atomic_turn_interval))
            slice_turn_to_read(s, t->part, t->local, t->cycle);
        return true;
    }
    if (waiter == s->free_waiter)
        s->free_waiter = s->waiting[waiter].next;
    else
        s->new_waiters++;
    s->waiting[waiter] = *t->part;
    send_misses(s, result, &effect, REQUEST_FILL, t->part->packet, t->part->packet, t->cycle);
    return true;
}

static void send_write(struct slice *s, const struct slice_part *part)
{
    note_dram(part->packet, part->bytes);
    send_request(s, REQUEST_WRITE, part->packet->local + part->offset, part->bytes)->packet = part->packet;
}

/* The bytes of a store's part, as a mask of the line from the store's own, moved to where the slice's local line has
 * them. */
static void part_mask(const struct slice_part *part, uint64_t mask[2])
{
    const struct packet *p = part->packet;
    uint32_t first = (uint32_t)((p->address + part->offset) & (PACKET_LINE_BYTES - 1));
    for (uint32_t word = 0; word < 2; word++)
        mask[word] = packet_mask(p)[word] & bytes_in_word(word, first, first + part->bytes);
}

/* The line takes a store's bytes. */
static bool keep(struct attempt *t)
{
    struct slice *s = t->s;
    struct cache_effect effect;
    uint64_t mask[2];
    uint32_t room = miss_room(s);
    part_mask(t->part, mask);
    enum cache_result result =
        cache_write(s->cache, t->local, t->part->bytes, mask, false, CACHE_NO_WAITER, room, &effect);
    if (result == CACHE_REFUSED)
        return false;
    s->data_free_at = t->cycle + port_cycles(s, t->part->bytes);
    send_misses(s, result, &effect, REQUEST_FILL, NULL, t->part->packet, t->cycle);
    return true;
}

/* A store is passed down. */
static bool pass(struct attempt *t)
{
    struct slice *s = t->s;
    struct cache_stats *stats = cache_stats_of(s->cache);
    if (miss_room(s) == 0) {
        stats->refused_queue++;
        return false;
    }
    stats->writes++;
    stats->write_misses++;
    t->part->packet->missed++;
    send_write(s, t->part);
    return true;
}

/* pass, of an access whose line is fetched as well. */
static bool pass_fetch(struct attempt *t)
{
    struct slice *s = t->s;
    struct cache_effect effect;
    enum cache_result result = cache_fetch(s->cache, t->local, t->part->bytes, ALLOCATE_WAITER, miss_room(s), &effect);
    if (result == CACHE_REFUSED)
        return false;
    send_write(s, t->part);
    send_misses(s, result, &effect, REQUEST_ALLOCATE, NULL, t->part->packet, t->cycle);
    return true;
}

/* The access goes on when every L1 but that of its SM has answered a probe of its line. */
NOT_INLINE bool probe_others(const struct attempt *t)
{
    struct slice_probes *probes = t->s->probes;
    const struct packet *asker = t->part->packet;
    contract(probes); /* slice_open_probes */
    bool first = !probes->answered && !probes->unanswered;
    for (uint32_t sm = 0; first && sm < probes->sms; sm++) {
        if (sm == asker->sm)
            continue;
        struct packet *p = packet_new(&probes->pool, PACKET_PROBE);
        p->space = asker->space;
        p->sm = (uint16_t)sm;
        p->address = asker->address + t->part->offset;
        p->bytes = (uint8_t)t->part->bytes;
        packet_ring_push(&probes->out, p);
        probes->unanswered++;
    }
    probes->answered |= probes->unanswered == 0;
    return probes->answered;
}

/* Words of locks may have been written by plain accesses: who waits for one in a queue must know. */
NOT_INLINE void tell_queues(struct slice *s, const struct slice_part *part)
{
    const struct packet *p = part->packet;
    uint64_t line = p->address & ~(uint64_t)(PACKET_LINE_BYTES - 1), first = p->address + part->offset;
    bool plain = p->space == PACKET_GLOBAL && !(p->kind == PACKET_ATOMIC && atomic_of(p)->lock);
    const uint8_t *values = plain ? slice_place_of(s, line, PACKET_LINE_BYTES) : NULL;
    for (uint64_t at = first & ~UINT64_C(3); values && at < first + part->bytes; at += 4)
        lock_queues_written(s->locks, at, values + (at - line));
}

HOT_INLINE void merge(struct attempt *t)
{
    if (RARELY(t->s->history != NULL))
        slice_remember(t->s, t->part, t->cycle);
    write_values(t->s, t->part);
    if (RARELY(t->s->locks) && t->s->locks->used)
        tell_queues(t->s, t->part);
}

HOT_INLINE void perform(struct attempt *t)
{
    if (RARELY(t->s->history != NULL))
        slice_remember(t->s, t->part, t->cycle);
    perform_atomics(t->s, t->part);
    if (RARELY(t->s->params->partition.atomic_interval))
        slice_hold_port(t->s, t->part, t->local, t->cycle);
    if (RARELY(t->s->locks) && t->s->locks->used)
        tell_queues(t->s, t->part);
}

HOT_INLINE bool take(void *environment, unsigned action)
{
    struct attempt *t = environment;
    switch (action) {
    case L2_PROBE:
        return probe_others(t);
    case L2_TOUCH:
    case L2_FETCH:
    case L2_JOIN:
        return read_line(t);
    case L2_KEEP:
        return keep(t);
    case L2_PASS:
        return pass(t);
    case L2_PASS_FETCH:
        return pass_fetch(t);
    case L2_READ:
        read_values(t->s, t->part);
        if (RARELY(t->s->history != NULL))
            slice_recall(t->s, t->part, t->cycle);
        break;
    case L2_MERGE:
        merge(t);
        break;
    case L2_PERFORM:
        perform(t);
        break;
    case L2_DIRTY:
        cache_mark_dirty(t->s->cache, t->line, t->local, t->part->bytes);
        break;
    case L2_ANSWER:
        answer(t->s, t->part, t->cycle);
        break;
    default:
        contract(action == L2_INSTALL);
        cache_end_fill(t->s->cache, t->fill, NULL);
        break;
    }
    return true;
}

/* The line is as the row says. */
static bool has_entered(const struct attempt *t, unsigned next)
{
    uint32_t line;
    enum cache_presence presence = cache_find(t->s->cache, t->local, t->part->bytes, &line);
    return next == CACHE_ABSENT ? line == CACHE_NO_LINE : presence == next;
}

/* The line enters the row's next state. I is entered by dropping it; other states were brought by the actions, or the
 * row is a fault of its table (coherence_row_fault). */
HOT_INLINE void enter(void *environment, unsigned next)
{
    struct attempt *t = environment;
    if (RARELY(next == CACHE_ABSENT) && t->state != CACHE_ABSENT)
        cache_invalidate(t->s->cache, t->local);
    contract(next == COHERENCE_ANY || next == t->state || has_entered(t, next));
}

/* A row of the table, as it stands. */
HOT NOT_INLINE bool take_row(struct attempt *t, unsigned event)
{
    return coherence_take(t->s->side, t->state, event, take, enter, t);
}

/* The rest of a row whose first action has been taken. */
HOT_INLINE void take_rest(struct attempt *t, unsigned event)
{
    const struct coherence_step *step = coherence_step_of(t->s->side, t->state, event);
    coherence_count(t->s->side, t->state, event);
    coherence_run(step->actions >> 8, take, t);
    enter(t, step->next);
}

/* The event that a packet is to its line. */
static enum l2_event event_of(const struct slice *s, const struct packet *p)
{
    if (p->kind == PACKET_WRITE)
        return s->params->coherence.l2_writes_through && !cache_holds(s->cache, p->local)
                   ? L2_STORE_THROUGH_EVENT
                   : (enum l2_event)s->store_event;
    return p->kind == PACKET_ATOMIC ? L2_ATOMIC_EVENT : L2_READ_EVENT;
}

/* An access at the tags. Returns false when it was refused. One that is what a read of the cache is need not be looked
 * up before: the state is what that finds. */
HOT_INLINE bool access_line(struct slice *s, const struct slice_part *part, uint64_t cycle)
{
    struct attempt t;
    unsigned event = event_of(s, part->packet);
    t.s = s;
    t.part = part;
    t.cycle = cycle;
    t.local = part->packet->local + part->offset;
    if (s->side->reads >> event & 1) {
        if (!read_line(&t))
            return false;
        take_rest(&t, event);
        return true;
    }
    t.state = coherence_state(s->side, event, s->cache, t.local, part->bytes, &t.line);
    if (take_row(&t, event))
        return true;
    /* A store does not wait for a registered line's place: the owner may wait for the store. */
    if (part->packet->kind != PACKET_WRITE || cache_wanted(s->cache) == CACHE_NO_ADDRESS)
        return false;
    t.state = COHERENCE_ANY;
    return take_row(&t, L2_STORE_THROUGH_EVENT);
}

/* Gives a waiter's place back. Its part stays readable until the place is taken again. */
static inline void free_waiter(struct slice *s, uint32_t waiter)
{
    s->waiting[waiter].next = s->free_waiter;
    s->free_waiter = waiter;
}

/* A fill has come. */
HOT_INLINE void end_fill(struct slice *s, uint32_t fill)
{
    struct attempt t = {.s = s, .fill = fill, .state = COHERENCE_ANY};
    if (RARELY(!coherence_is(s->side, L2_FILL_EVENT, L2_INSTALL))) {
        take_row(&t, L2_FILL_EVENT);
        return;
    }
    coherence_count(s->side, COHERENCE_ANY, L2_FILL_EVENT);
    cache_end_fill(s->cache, fill, NULL);
}

NOT_INLINE void end_read_by_row(struct slice *s, const struct slice_part *part, uint64_t cycle)
{
    struct attempt t = {.s = s, .part = part, .cycle = cycle, .state = COHERENCE_ANY};
    t.local = part->packet->local + part->offset;
    take_row(&t, L2_READ_WOKEN_EVENT);
}

/* The turn of a read for which a fill came. */
HOT_INLINE void end_read(struct slice *s, uint32_t waiter, uint64_t cycle)
{
    free_waiter(s, waiter);
    if (RARELY(!coherence_is(s->side, L2_READ_WOKEN_EVENT, L2_ANSWER))) {
        end_read_by_row(s, &s->waiting[waiter], cycle);
        return;
    }
    coherence_count(s->side, COHERENCE_ANY, L2_READ_WOKEN_EVENT);
    answer(s, &s->waiting[waiter], cycle);
}

/* The turn of an atomic: its line may have been given up since the fill came. */
static void end_atomic(struct slice *s, uint32_t waiter, uint32_t line, uint64_t cycle)
{
    const struct slice_part *part = &s->waiting[waiter];
    struct attempt t = {.s = s, .part = part, .cycle = cycle, .local = part->packet->local + part->offset};
    bool held = cache_still_holds(s->cache, line, t.local);
    t.line = line;
    t.state = held ? CACHE_THERE : CACHE_ABSENT;
    free_waiter(s, waiter);
    take_row(&t, L2_ATOMIC_WOKEN_EVENT);
}

HOT static void serve_waiter(struct slice *s, uint64_t cycle)
{
    uint32_t line;
    const uint8_t *data;
    uint32_t waiter = cache_ready(s->cache, &line, &data);
    s->blocked = false;
    if (waiter == ALLOCATE_WAITER)
        return;
    if (s->waiting[waiter].packet->kind == PACKET_ATOMIC)
        end_atomic(s, waiter, line, cycle);
    else
        end_read(s, waiter, cycle);
}

/* Answers of the DRAM */

HOT void slice_expect_return(const struct slice *s, uint32_t request)
{
    const struct memory_request *r = &s->requests[request];
    cache_expect_fill(s->cache, r->fill);
    will_write(r->packet);
}

HOT void slice_expect_next_return(const struct slice *s, uint32_t request)
{
    const struct memory_request *r = &s->requests[request];
    if (r->kind != REQUEST_FILL)
        return;
    uint32_t waiter = cache_expect_fill_line(s->cache, r->fill);
    if (waiter < s->waiter_limit)
        will_write(&s->waiting[waiter]);
}

/* True: a fill can be taken now that is due in the next tick, and its waiter's reply be put into the queue that is
 * due in the tick after that, because nobody would see a difference: nothing comes before them, no access has to be
 * tried again because of them, and there is no lack of places. */
static bool can_go_ahead(const struct slice *s, uint64_t last)
{
    return s->fills_ahead && s->fill_free_at <= last + 1 && s->from_dram.count == 0 && s->from_dram.limit >= AHEAD &&
           !s->blocked && s->out.count + AHEAD <= s->out.limit && !cache_has_ready(s->cache);
}

static bool fill_ahead(struct slice *s, uint32_t request, uint64_t last)
{
    const struct memory_request *r = &s->requests[request];
    /* Another part of a packet that is still being accepted may be served before this one: the last to leave has the
     * packet. Parts of a copy have no replies of their own. */
    if (!r->packet || r->packet->kind == PACKET_ATOMIC || r->packet == s->first || r->packet->of_copy > 1)
        return false;
    uint32_t waiter = cache_end_fill_for_one(s->cache, r->fill, AHEAD);
    if (waiter == CACHE_NO_WAITER)
        return false;
    coherence_count(s->side, COHERENCE_ANY, L2_FILL_EVENT);
    s->fill_free_at = last + 1 + port_cycles(s, r->bytes);
    s->return_at = s->serve_at = last + 2;
    request_release(s->pool, request);
    end_read(s, waiter, last + 2);
    return true;
}

HOT void slice_return(struct slice *s, uint32_t request, uint64_t last)
{
    bool write = s->requests[request].kind == REQUEST_WRITE, first = s->from_dram.count == 0;
    if (!write && can_go_ahead(s, last) && fill_ahead(s, request, last))
        return;
    request_append(&s->from_dram, request);
    if (first && !(write && slice_out_full(&s->out)))
        s->next = cycle_min(s->next, cycle_max(write ? s->return_at : s->fill_free_at, last + 1));
}

/* The packet's first part will be tried next, when it has left the delay. */
static void expect_access(const struct slice *s, const struct packet *p)
{
    uint64_t values = (uintptr_t)s->store->bytes + (p->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) - s->store->start;
    cache_expect(s->cache, p->local);
    for (uint32_t at = 0; at < PACKET_LINE_BYTES; at += CACHE_LINE) {
        will_read((const void *)(uintptr_t)(values + at));
        will_write((const uint8_t *)p + CACHE_LINE + at); /* a line's bytes, or lanes */
    }
    will_read(p->next);
}

/* The steps of a tick */

static void take_return(struct slice *s, uint64_t cycle)
{
    const struct memory_request *r = &s->requests[request_oldest(&s->from_dram)];
    if (r->kind == REQUEST_WRITE) {
        if (slice_out_full(&s->out) || cycle < s->return_at)
            return;
        answer(s, &(struct slice_part){r->packet, 0, r->bytes, SLICE_NO_WAITER}, cycle);
    } else {
        if (cycle < s->fill_free_at)
            return;
        end_fill(s, r->fill);
        s->fill_free_at = cycle + port_cycles(s, r->bytes);
        s->blocked = false;
    }
    request_release(s->pool, request_shift(&s->from_dram));
}

/* One request that the cache has sent becomes one for the DRAM, if there is a place for it. */
static void send_miss(struct slice *s)
{
    if (request_full(&s->to_dram))
        return;
    s->to_dram.count++;
    s->misses--;
    s->blocked = false;
}

/* The packet at the head leaves the list; `next` is behind it there. A request for a lock may be in a queue already. */
HOT_INLINE void leave_list(struct slice *s, struct packet *p, struct packet *next)
{
    s->accepted = 0;
    s->first = next;
    if (next)
        expect_access(s, next);
    if (!RARELY(is_queued(p)))
        p->next = NULL;
}

HOT bool slice_try_part(struct slice *s, uint64_t cycle)
{
    struct packet *p = s->first, *next = p->next;
    const struct slice_part part = {p, (uint8_t)s->accepted, (uint8_t)part_bytes(s, p, s->accepted), SLICE_NO_WAITER};
    if (!access_line(s, &part, cycle))
        return false;
    if (RARELY(s->probes))
        s->probes->answered = false;
    s->in_count--;
    s->accepted += part.bytes;
    if (s->accepted == p->bytes)
        leave_list(s, p, next);
    return true;
}

uint32_t slice_parts_from(const struct slice *s, const struct packet *p, uint32_t offset)
{
    uint64_t first = p->local + offset, last = p->local + p->bytes - 1;
    return s->sector ? (uint32_t)(last / s->sector - first / s->sector + 1) : 1;
}

void slice_come_first(struct slice *s, struct packet_list *list, uint32_t *kept)
{
    contract(!s->accepted); /* else the packet at the head would be another one's rest */
    for (struct packet *p = list->first; p; p = p->next) {
        s->in_count += slice_parts_from(s, p, p->accepted);
        --*kept;
    }
    list->last->next = s->first;
    if (!s->first)
        s->last = list->last;
    s->first = list->first;
    list->first = NULL;
    s->blocked = false;
    s->rop_look = rop_next(s); /* there is less room than when that was found */
}

/* Requests for locks that are called come before all other accesses; not between two parts of one. */
static void take_called(struct slice *s)
{
    struct packet_list *called = &s->locks->called;
    if (!called->first || s->accepted)
        return;
    for (struct packet *p = called->first; p; p = p->next)
        p->parts = 1; /* it is served once more */
    slice_come_first(s, called, &s->locks->kept);
}

static void try_access(struct slice *s, uint64_t cycle)
{
    if (!(RARELY(s->directory) ? slice_try_directory(s, cycle) : slice_try_part(s, cycle)))
        s->blocked = s->serve_at <= cycle;
    if (RARELY(s->directory))
        slice_take_woken(s);
}

/* A copy's request holds the data port for longer than a cycle. */
static void hold_port(struct slice *s, uint64_t cycle)
{
    s->copy_free_at = cycle_max(s->copy_free_at, cycle * ATOMIC_CYCLE) + s->params->partition.copy_interval;
    s->data_free_at = cycle_max(s->data_free_at, s->copy_free_at / ATOMIC_CYCLE);
}

/* A part of a copy's request, and further ones that the data port moves with it. */
NOT_INLINE void try_copy(struct slice *s, uint64_t cycle)
{
    uint32_t bytes = s->sector, together = parts_together(s, s->first), left = s->in_count;
    try_access(s, cycle);
    for (uint32_t i = 1; i < together && s->accepted && s->in_count && !s->blocked; i++) {
        bytes += s->sector;
        if (bytes > s->port_bytes || request_full(&s->to_dram) || slice_out_full(&s->out))
            break;
        try_access(s, cycle);
    }
    if (s->params->partition.copy_interval && s->in_count < left)
        hold_port(s, cycle);
}

/* Notes what leaves the delay before cycle `end`, one part a cycle while there is room. Where room came part by part, a
 * part left each time, so it is the same to look only now. */
HOT NOT_INLINE void leave_rop(struct slice *s, uint64_t end)
{
    while (s->in_count < s->in_room) {
        uint64_t leaves = cycle_max(s->rop_ready, s->rop_at);
        if (leaves >= end)
            return;
        uint64_t room = s->in_room - s->in_count, left = s->rop_left, together = parts_together(s, s->rop_first);
        uint32_t parts = (uint32_t)cycle_min(cycle_min(left, room), (end - leaves) * together);
        s->in_count += parts;
        s->rop_left -= parts;
        s->rop_at = leaves + (RARELY(together > 1) ? (parts + together - 1) / together : parts);
        if (s->rop_left == 0)
            set_rop_first(s, s->rop_first->next);
    }
    s->rop_at = end;
}

static inline uint64_t next_tick(const struct slice *s, uint64_t last)
{
    uint64_t soon = last + 1, next = s->rop_look;
    bool out_full = slice_out_full(&s->out), dram_full = request_full(&s->to_dram);
    if (RARELY(s->directory)) {
        if (s->directory->out.first && !out_full)
            return soon;
        next = s->leases ? cycle_min(next, leases_next(s->leases)) : next;
    }
    if (RARELY(s->locks) && s->locks->called.first)
        return soon;
    if (((s->misses != 0) & !dram_full) | (cache_has_ready(s->cache) & !out_full))
        return soon;
    if (s->in_count && !s->blocked && !dram_full && !out_full)
        next = cycle_min(next, s->data_free_at);
    if (s->from_dram.count) {
        bool write = s->requests[request_oldest(&s->from_dram)].kind == REQUEST_WRITE;
        next = cycle_min(next, !write ? s->fill_free_at : out_full ? CYCLE_NEVER : s->return_at);
    }
    return cycle_max(next, soon);
}

HOT void slice_find_next(struct slice *s, uint64_t last)
{
    s->next = next_tick(s, last);
}

HOT void slice_tick(struct slice *s, uint64_t cycle)
{
    if (RARELY(s->directory) && s->directory->out.first && !slice_out_full(&s->out))
        slice_send_of_directory(s, cycle);
    if (cache_has_ready(s->cache) && !slice_out_full(&s->out))
        serve_waiter(s, cycle);
    if (s->from_dram.count)
        take_return(s, cycle);
    if (s->misses)
        send_miss(s);
    if (RARELY(s->directory)) {
        if (s->leases)
            slice_end_leases(s, cycle);
        slice_take_woken(s);
    }
    if (RARELY(s->locks))
        take_called(s);
    if (s->in_count == 0 && cycle > s->rop_ready)
        leave_rop(s, cycle);
    bool tries = s->in_count && !s->blocked && cycle >= s->data_free_at && !request_full(&s->to_dram) &&
                 !slice_out_full(&s->out);
    if (tries && RARELY(s->first->of_copy))
        try_copy(s, cycle);
    else if (tries)
        try_access(s, cycle);
    if (tries || cycle >= s->rop_look) {
        if (s->in_count <= s->in_most && cycle >= s->rop_ready)
            leave_rop(s, cycle + 1);
        s->rop_look = rop_next(s);
    }
    s->next = next_tick(s, cycle);
}
