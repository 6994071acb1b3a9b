/* Recomputes what a slice keeps although it follows from its packets, queues and waiters (base/check.h). Each packet in
 * the slice is found where its parts are: in the list of those that the L2 has not accepted, among the waiters, as a
 * store at the DRAM, or, when all were served, with a reply. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "memory/slice.h"
#include "sim/cycle.h"

/* Parts of a packet that are in one place. */
struct part_count {
    struct packet *packet;
    uint32_t parts;
};

struct found {
    struct part_count *all;
    uint32_t count, most;
};

static void find(struct found *f, struct packet *packet, uint32_t parts)
{
    if (packet && f->count < f->most)
        f->all[f->count++] = (struct part_count){packet, parts};
}

/* Parts of a packet from a byte on, which may be broken. */
static uint32_t parts_from(const struct slice *s, const struct packet *p, uint32_t offset)
{
    return offset >= p->bytes ? 0 : slice_parts_from(s, p, offset);
}

/* The list: packets behind the delay, the one that leaves it, those in it. */
static void check_list(struct slice *s, struct check *c, struct found *f)
{
    struct packet *last = NULL;
    uint32_t behind = 0, offset = s->accepted, listed = 0;
    bool in_delay = false;
    for (struct packet *p = s->first; p && listed < f->most; last = p, p = p->next, listed++, offset = 0) {
        uint32_t parts = parts_from(s, p, offset + p->accepted);
        if (p == s->rop_first) {
            check_holds(c, "slice.rop_left", 0, s->rop_left > 0 && s->rop_left <= parts);
            behind += parts - s->rop_left;
        }
        in_delay |= p == s->rop_first;
        behind += in_delay ? 0 : parts;
        find(f, p, parts);
    }
    check_holds(c, "slice.rop_first", 0, in_delay == (s->rop_first != NULL));
    CHECK_FACT(c, "slice.in_count", 0, s->in_count, behind);
    check_holds(c, "slice.in_room", 0, s->in_count <= s->in_room || s->directory || s->locks);
    if (s->first)
        CHECK_FACT(c, "slice.last", 0, s->last, (uintptr_t)last);
    else
        CHECK_FACT(c, "slice.accepted", 0, s->accepted, 0);
}

/* The cycle in which the delay is to be looked at: when a part leaves it that nothing is before, or so many that no
 * more packets are taken. */
static void check_delay(struct slice *s, struct check *c)
{
    uint64_t ready = s->rop_first ? s->rop_first->ready : CYCLE_NEVER, look = CYCLE_NEVER;
    CHECK_FACT(c, "slice.rop_ready", 0, s->rop_ready, ready);
    if (!s->rop_first)
        CHECK_FACT(c, "slice.rop_left without a packet", 0, s->rop_left, 0);
    if (s->rop_first && s->in_count <= s->in_most)
        look = cycle_max(ready, s->rop_at) + (s->in_count || !s->in_most ? s->in_most - s->in_count : 1);
    if (look != CYCLE_NEVER)
        check_at_most(c, "slice.rop_look", 0, &s->rop_look, sizeof s->rop_look, look);
}

static void find_waiting(struct slice *s, struct check *c, struct found *f)
{
    uint8_t *is_free = calloc(s->new_waiters + 1u, 1);
    uint32_t free_count = 0, i = s->free_waiter;
    for (; i < s->new_waiters && free_count < s->new_waiters; i = s->waiting[i].next, free_count++)
        is_free[i] = true;
    check_holds(c, "slice.free_waiter", 0, i == UINT32_MAX);
    for (i = 0; i < s->new_waiters; i++)
        if (!is_free[i])
            find(f, s->waiting[i].packet, 1);
    free(is_free);
}

/* Stores passed down, wherever they are until they are answered. */
static void find_stores(struct slice *s, struct found *f)
{
    const struct request_pool *pool = s->pool;
    uint8_t *is_free = calloc(pool->count, 1);
    for (uint32_t i = pool->free, n = 0; i < pool->count && n < pool->count; i = pool->all[i].next, n++)
        is_free[i] = true;
    for (uint32_t i = 0; i < pool->count; i++)
        if (!is_free[i] && pool->all[i].kind == REQUEST_WRITE && pool->all[i].slice == s->number)
            find(f, pool->all[i].packet, 1);
    free(is_free);
}

static void find_replies(struct slice *s, struct found *f)
{
    for (uint32_t i = 0; i < s->out.count && i <= s->out.mask; i++)
        find(f, s->out.replies[(s->out.first + i) & s->out.mask].packet, 0);
}

static int by_packet(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct part_count *)a)->packet,
              y = (uintptr_t)((const struct part_count *)b)->packet;
    return (x > y) - (x < y);
}

/* Of a list of packets that wait aside, those of which the L2 has accepted some parts are found here, too. */
static uint32_t find_begun(const struct slice *s, struct packet *p, struct found *f)
{
    uint32_t begun = 0;
    for (; p; p = p->next)
        if (p->accepted) {
            find(f, p, parts_from(s, p, p->accepted));
            begun++;
        }
    return begun;
}

/* Packets that the directory has and nobody else: those that wait there, and answers that are about to be sent. */
static uint32_t in_directory(const struct slice *s, struct found *f)
{
    struct directory *d = s->directory;
    if (!d)
        return 0;
    uint32_t count = d->kept - find_begun(s, d->woken.first, f);
    for (uint32_t i = 0; i < d->used; i++)
        count -= d->entries[i].state != DIRECTORY_N ? find_begun(s, d->entries[i].parked.first, f) : 0;
    for (const struct packet *p = d->out.first; p; p = p->next)
        count += message_sender_of(p->kind) == MESSAGE_OF_SM;
    return count;
}

/* A packet has as many parts to be served as were found, and all packets are counted. */
static void check_packets(struct slice *s, struct check *c, struct found *f)
{
    uint32_t packets = 0, aside = in_directory(s, f) + (s->locks ? s->locks->kept : 0);
    qsort(f->all, f->count, sizeof f->all[0], by_packet);
    for (uint32_t i = 0; i < f->count; packets++) {
        struct packet *p = f->all[i].packet;
        uint32_t parts = 0;
        for (; i < f->count && f->all[i].packet == p; i++)
            parts += f->all[i].parts;
        CHECK_FACT(c, "slice.packet.parts", packets, p->parts, parts);
    }
    CHECK_FACT(c, "slice.out.inside", 0, s->out.inside, packets + aside);
}

/* Requests that have not gone to the DRAM know where their line is there. */
static void check_requests(struct slice *s, struct check *c)
{
    const struct request_queue *q = &s->to_dram;
    uint32_t bank, row;
    check_holds(c, "slice.to_dram", 0, q->count + s->misses <= q->mask + 1);
    for (uint32_t i = 0; i < q->count + s->misses && i <= q->mask; i++) {
        struct memory_request *r = &s->requests[q->numbers[(q->first + i) & q->mask]];
        address_of_request(s->map, s->number, r->local, &bank, &row);
        CHECK_FACT(c, "slice.request.bank", i, r->bank, bank);
        CHECK_FACT(c, "slice.request.row", i, r->row, row);
        CHECK_FACT(c, "slice.request.slice", i, r->slice, s->number);
    }
    if (s->mapped_line == UINT64_MAX)
        return;
    address_of_request(s->map, s->number, s->mapped_line * PACKET_LINE_BYTES, &bank, &row);
    CHECK_FACT(c, "slice.mapped_bank", 0, s->mapped_bank, bank);
    CHECK_FACT(c, "slice.mapped_row", 0, s->mapped_row, row);
}

/* Every entry of a leased line has a lease that runs: its end is the end of all of them. */
static void check_leases(struct slice *s, struct check *c)
{
    const struct directory *d = s->directory;
    leases_check(s->leases, c);
    for (uint32_t i = 0; i < d->used; i++)
        if (d->entries[i].state != DIRECTORY_N)
            check_holds(c, "slice.leases", i, s->leases->of[i].end != 0);
}

/* The first tick after `last` in which one of the steps of a tick has something to do, the delay included. */
static void check_next(struct slice *s, struct check *c, uint64_t last)
{
    uint64_t soon = last + 1, next = s->rop_look;
    bool out_full = s->out.count >= s->out.limit, dram_full = s->to_dram.count >= s->to_dram.limit;
    if ((cache_has_ready(s->cache) || (s->directory && s->directory->out.first)) && !out_full)
        next = soon;
    if (s->misses && !dram_full)
        next = soon;
    if (s->in_count && !s->blocked && !dram_full && !out_full)
        next = cycle_min(next, s->data_free_at);
    if (s->leases)
        next = cycle_min(next, leases_next(s->leases));
    if (s->from_dram.count) {
        if (s->requests[request_oldest(&s->from_dram)].kind != REQUEST_WRITE)
            next = cycle_min(next, s->fill_free_at);
        else if (!out_full)
            next = cycle_min(next, s->return_at);
    }
    if (next != CYCLE_NEVER)
        check_at_most(c, "slice.next", 0, &s->next, sizeof s->next, cycle_max(next, soon));
}

/* The protocol's table as the slice has laid it out. */
static void check_protocol(struct slice *s, struct check *c)
{
    bool ahead =
        coherence_only(s->side, L2_FILL_EVENT, L2_INSTALL) && coherence_only(s->side, L2_READ_WOKEN_EVENT, L2_ANSWER);
    unsigned store = s->params->l2.write_allocate == CACHE_WRITE_ALLOCATE_LAZY    ? L2_STORE_LAZY_EVENT
                     : s->params->l2.write_allocate == CACHE_WRITE_ALLOCATE_FETCH ? L2_STORE_FETCH_EVENT
                                                                                  : L2_STORE_EVENT;
    CHECK_FACT(c, "slice.fills_ahead", 0, s->fills_ahead, ahead && !s->directory);
    CHECK_FACT(c, "slice.store_event", 0, s->store_event, store);
}

/* The unit for atomics keeps the data port while it is busy; a machine without its times has never used it. */
static void check_atomics(struct slice *s, struct check *c)
{
    uint64_t free_at = s->atomic_free_at / ATOMIC_CYCLE;
    check_holds(c, "slice.data_free_at", 0, s->data_free_at >= free_at);
    if (!s->params->partition.atomic_interval)
        CHECK_FACT(c, "slice.atomic_free_at", 0, s->atomic_free_at, 0);
    if (!s->params->partition.atomic_interval || !s->params->partition.atomic_turn_interval)
        CHECK_FACT(c, "slice.atomic_read", 0, s->atomic_read, 0);
}

void slice_check(struct slice *s, struct check *c, uint64_t last)
{
    /* Every packet in the list came with a request of an SM; the list is bounded, for it may be broken. */
    struct found f = {.most = s->out.inside + s->new_waiters + s->pool->count + s->out.mask + 64};
    f.all = malloc(f.most * sizeof f.all[0]);
    check_list(s, c, &f);
    check_delay(s, c);
    find_waiting(s, c, &f);
    find_stores(s, &f);
    find_replies(s, &f);
    check_packets(s, c, &f);
    check_requests(s, c);
    check_atomics(s, c);
    check_next(s, c, last);
    check_protocol(s, c);
    if (s->locks)
        lock_queues_check(s->locks, c);
    if (s->directory)
        directory_check(s->directory, c);
    if (s->leases)
        check_leases(s, c);
    free(f.all);
}
