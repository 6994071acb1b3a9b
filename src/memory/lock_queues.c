/* Queues of locks: see lock_queues.h. */
#include "memory/lock_queues.h"

#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "base/hash.h"
#include "isa/op.h"

#define FIRST_PLACES 64
#define FREE UINT32_MAX /* the word of a lock that nobody has */

static const struct stat_desc lock_stat_descs[] = {
#define STAT_STRUCT struct lock_stats
#include "stats/stat_descs.h"
#include "memory/lock_stats.def"
#include "stats/stat_end.h"
};

const struct stat_group lock_stat_group = {"locks", "queues of locks", lock_stat_descs,
                                           sizeof lock_stat_descs / sizeof lock_stat_descs[0]};

const char *const lock_backoffs[] = {"constant", "linear", "exponential", NULL};

const struct param_desc lock_param_descs[] = {
#define PARAM_STRUCT struct lock_params
#include "config/param_descs.h"
#include "memory/lock_params.def"
#include "config/param_end.h"
};
const unsigned lock_param_count = sizeof lock_param_descs / sizeof lock_param_descs[0];

void lock_queues_init(struct lock_queues *q, const struct lock_params *params, struct arena *arena)
{
    *q = (struct lock_queues){.params = params, .arena = arena, .mask = FIRST_PLACES - 1};
    q->places = ARENA_NEW(arena, struct lock_queue, FIRST_PLACES);
}

/* The table */

static uint32_t records_of(const struct lock_queue *l)
{
    return l->count + l->called + l->holders;
}

static uint32_t home_of(const struct lock_queues *q, uint64_t address)
{
    return (uint32_t)(hash_spread(address / 4) >> 32) & q->mask;
}

/* The lock's place, or the free one where it would be. */
static struct lock_queue *place_of(const struct lock_queues *q, uint64_t address)
{
    uint32_t i = home_of(q, address);
    while (records_of(&q->places[i]) && q->places[i].address != address)
        i = (i + 1) & q->mask;
    return &q->places[i];
}

static void grow(struct lock_queues *q)
{
    struct lock_queue *old = q->places;
    uint32_t count = q->mask + 1;
    q->mask = 2 * count - 1;
    q->places = ARENA_NEW(q->arena, struct lock_queue, 2 * count);
    for (uint32_t i = 0; i < count; i++)
        if (records_of(&old[i]))
            *place_of(q, old[i].address) = old[i];
}

/* The place has become free: those that lie behind it because it was not move up. */
static void close_gap(struct lock_queues *q, struct lock_queue *place)
{
    uint32_t gap = (uint32_t)(place - q->places);
    for (uint32_t i = (gap + 1) & q->mask; records_of(&q->places[i]); i = (i + 1) & q->mask) {
        uint32_t home = home_of(q, q->places[i].address);
        if (((i - home) & q->mask) < ((i - gap) & q->mask))
            continue;
        q->places[gap] = q->places[i];
        q->places[i] = (struct lock_queue){0};
        gap = i;
    }
}

/* The lock has got records it had not, or lost some: `before` is how many it had. */
static void count_records(struct lock_queues *q, struct lock_queue *l, uint32_t before)
{
    uint32_t now = records_of(l);
    q->records += now - before;
    q->stats.records = q->records > q->stats.records ? q->records : q->stats.records;
    q->stats.records_most = q->stats.records;
    q->used += (now != 0) - (before != 0);
    q->stats.queues_most = q->used > q->stats.queues_most ? q->used : q->stats.queues_most;
    if (before && !now) {
        *l = (struct lock_queue){0};
        close_gap(q, l);
    } else if (2 * q->used > q->mask) {
        grow(q);
    }
}

static bool has_room(const struct lock_queues *q, const struct lock_queue *l)
{
    const struct lock_params *p = q->params;
    return (!p->record_limit || q->records < p->record_limit) &&
           (!p->queue_limit || records_of(l) || q->used < p->queue_limit);
}

/* Requests */

/* The address of the word that a request is about. */
static uint64_t word_of(const struct message_atomic *m)
{
    return m->packet.address / PACKET_LINE_BYTES * PACKET_LINE_BYTES + m->lanes[0].offset;
}

static void put_first(struct lock_queue *l, struct packet *p)
{
    p->next = l->waiting.first;
    if (!p->next)
        l->waiting.last = p;
    l->waiting.first = p;
    l->count++;
}

/* The lane sees that another thread has it; nothing that is free may be seen, though the word may be for a moment. */
static uint64_t not_free(const struct message_atomic *m, uint64_t old)
{
    if (m->atomic == ISA_ATOMIC_TAKE)
        return 0;
    return old == FREE ? FREE - 1 : old;
}

static void take(struct lock_queues *q, struct message_atomic *m, uint8_t *word)
{
    struct packet_lane *lane = &m->lanes[0];
    uint32_t old;
    memcpy(&old, word, sizeof old);
    struct lock_queue *l = place_of(q, word_of(m));
    uint32_t before = records_of(l), available = m->atomic == ISA_ATOMIC_TAKE ? old : old == FREE;
    bool turn = m->queued == PACKET_CALLED;
    l->called -= turn;
    /* Those that were called each take one, so one that comes now may have what is beyond: it would not be called for
     * that. */
    if (turn ? available : available > l->called && !l->count) {
        uint32_t value = m->atomic == ISA_ATOMIC_TAKE ? old - 1 : (uint32_t)lane->operand;
        memcpy(word, &value, sizeof value);
        lane->operand = old;
        m->queued = PACKET_NOT_QUEUED;
        *(turn ? &q->stats.handed : &q->stats.taken) += 1;
        if (turn || has_room(q, l)) { /* where there is no room for it, a holder is not known */
            l->address = word_of(m);
            l->holders++;
        }
    } else if (turn) {
        m->queued = PACKET_QUEUED;
        put_first(l, &m->packet);
    } else if (has_room(q, l)) {
        l->address = word_of(m);
        m->queued = PACKET_QUEUED;
        packet_append(&l->waiting, &m->packet);
        l->count++;
        q->stats.kept++;
    } else {
        lane->operand = not_free(m, old);
        q->stats.refused++;
    }
    count_records(q, l, before);
}

/* The oldest request is called. */
static void call(struct lock_queues *q, struct lock_queue *l)
{
    struct packet *p = packet_shift(&l->waiting);
    l->count--;
    l->called++;
    if (atomic_of(p)->queued == PACKET_KEPT)
        packet_append(&q->called, p);
    atomic_of(p)->queued = PACKET_CALLED;
}

/* As many are called as can take something: those that a plain atomic (lockstep.trylock) comes before are the oldest
 * again, and would be so in the wrong order if there were several. */
static void call_as_many(struct lock_queues *q, struct lock_queue *l, uint32_t available)
{
    while (l->count && l->called < available)
        call(q, l);
}

static void give(struct lock_queues *q, struct message_atomic *m, uint8_t *word)
{
    struct packet_lane *lane = &m->lanes[0];
    uint32_t old, value;
    memcpy(&old, word, sizeof old);
    value = m->atomic == ISA_ATOMIC_EXCH ? (uint32_t)lane->operand : old + (uint32_t)lane->operand;
    memcpy(word, &value, sizeof value);
    lane->operand = old;
    q->stats.given++;
    struct lock_queue *l = place_of(q, word_of(m));
    uint32_t before = records_of(l), available = m->atomic == ISA_ATOMIC_EXCH ? 1 : value;
    l->holders -= l->holders != 0;
    call_as_many(q, l, available);
    count_records(q, l, before);
}

void lock_queues_written(struct lock_queues *q, uint64_t address, const uint8_t *word)
{
    struct lock_queue *l = place_of(q, address);
    uint32_t before = records_of(l), value;
    if (!before)
        return;
    memcpy(&value, word, sizeof value);
    bool is_semaphore = l->count && atomic_of(l->waiting.first)->atomic == ISA_ATOMIC_TAKE;
    if (value == FREE && !is_semaphore)
        l->holders = 0; /* whoever had it gave it back so */
    call_as_many(q, l, is_semaphore ? value : value == FREE);
    count_records(q, l, before);
}

/* A request whose lane has waited too long: its thread's number is the operand of the packet that says so. Its answer
 * is whether the request was there, and is taken out: else it was called, and has the lock soon, or is there again. */
static void leave(struct lock_queues *q, struct message_atomic *m)
{
    struct lock_queue *l = place_of(q, word_of(m));
    uint32_t before = records_of(l);
    struct packet *last = NULL, *found = l->count ? l->waiting.first : NULL;
    while (found && atomic_of(found)->lanes[0].operand != m->lanes[0].operand) {
        last = found;
        found = found->next;
    }
    m->lanes[0].operand = found != NULL;
    if (!found)
        return;
    struct message_atomic *request = atomic_of(found);
    if (last)
        last->next = found->next;
    else
        l->waiting.first = found->next;
    if (l->waiting.last == found)
        l->waiting.last = last;
    request->lanes[0].operand = not_free(request, FREE);
    found->next = NULL;
    if (request->queued == PACKET_KEPT)
        packet_append(&q->called, found);
    request->queued = PACKET_LEFT;
    l->count--;
    q->stats.left++;
    count_records(q, l, before);
}

void lock_queues_perform(struct lock_queues *q, struct message_atomic *m, uint8_t *word)
{
    contract(m->lane_count == 1);
    if (m->lock == PACKET_LOCK_TAKE && m->queued != PACKET_LEFT)
        take(q, m, word);
    else if (m->lock == PACKET_LOCK_GIVE)
        give(q, m, word);
    else if (m->lock == PACKET_LOCK_LEAVE)
        leave(q, m);
}

bool lock_queues_keep(struct lock_queues *q, struct packet *p)
{
    struct message_atomic *m = atomic_of(p);
    if (m->queued == PACKET_NOT_QUEUED || m->queued == PACKET_LEFT)
        return false;
    if (m->queued == PACKET_QUEUED)
        m->queued = PACKET_KEPT;
    else
        packet_append(&q->called, p); /* it was called while its line was under way */
    q->kept++;
    return true;
}

/* Checks */

void lock_queues_check(const struct lock_queues *q, struct check *c)
{
    uint32_t records = 0, used = 0, kept = 0;
    for (uint32_t i = 0; i <= q->mask; i++) {
        const struct lock_queue *l = &q->places[i];
        uint32_t waiting = 0;
        for (const struct packet *p = l->count ? l->waiting.first : NULL; p; p = p->next) {
            waiting++;
            kept += atomic_of(p)->queued == PACKET_KEPT;
        }
        records += records_of(l);
        used += records_of(l) != 0;
        CHECK_FACT(c, "lock.waiting", i, l->count, waiting);
        check_holds(c, "lock.place", i, !records_of(l) || place_of(q, l->address) == l);
    }
    for (const struct packet *p = q->called.first; p; p = p->next)
        kept++;
    CHECK_FACT(c, "locks.records", 0, q->records, records);
    CHECK_FACT(c, "locks.used", 0, q->used, used);
    CHECK_FACT(c, "locks.kept", 0, q->kept, kept);
}

/* Checkpoints */

void lock_queues_archive(struct lock_queues *q, struct archive *ar, const struct packet_source *source)
{
    uint32_t used = q->used;
    archive_u32_to(ar, &used, 1u << 24);
    for (uint32_t i = 0, at = 0; i < used; i++, at++) {
        struct lock_queue l = {0};
        while (!archive_loading(ar) && !records_of(&q->places[at]))
            at++;
        if (!archive_loading(ar))
            l = q->places[at];
        ARCHIVE(ar, l.address);
        archive_u32_to(ar, &l.count, 1u << 24);
        archive_u32_to(ar, &l.called, 1u << 24);
        archive_u32_to(ar, &l.holders, 1u << 24);
        packet_archive_list(ar, &l.waiting, source);
        if (!archive_loading(ar) || !records_of(&l))
            continue;
        *place_of(q, l.address) = l;
        count_records(q, place_of(q, l.address), 0);
    }
    packet_archive_list(ar, &q->called, source);
    ARCHIVE(ar, q->kept);
    ARCHIVE(ar, q->stats);
}
