/* The queues of locks, explored: small systems of threads that ask for locks and semaphores, in every order in which
 * what happens can happen. A state is what lock_queues keeps, the packets, the words and what each thread does; the
 * search goes through all that can be reached. In each of them it holds:
 *   - a lock has one holder at most, a semaphore no more than it counts, and the words say so;
 *   - who waits gets the lock in the order in which the requests came, and nobody who comes later gets it before;
 *   - a request is refused only where there is no room, and there are never more records than the limit;
 *   - the derived facts of lock_queues_check;
 *   - when those that hold give back and nobody asks any more, all requests are answered, and nothing is kept;
 *   - a thread that wants to leave is answered, whatever those that hold do.
 * Threads never end: one that has got a lock and given it back, or was told no, may ask again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "isa/op.h"
#include "memory/lock_queues.h"
#include "effort.h"

#define MOST 4   /* threads */
#define WORDS 2  /* locks and semaphores */
#define PLACES 8 /* of the table: so few that locks meet there, and enough that it does not grow */
#define FREE UINT32_MAX
#define NONE UINT32_MAX

struct system {
    const char *name;
    unsigned threads, words;
    unsigned semaphores; /* set of words */
    unsigned tries;      /* set of threads that also try locks: by an atomic that no queue holds up */
    unsigned stores;     /* set of threads that give locks back by a store */
    bool leaves;         /* threads may want to leave a queue */
    bool late;           /* the line of a packet comes later than it is performed */
    bool signals;        /* who has got a semaphore does not give it back; any thread signals it, up to 2 */
    uint32_t record_limit, queue_limit;
};

enum phase { IDLE, ASKED, HAS };
/* Where a thread's request is. */
enum at { NOWHERE, AT_LINE, AT_QUEUE, AT_TAGS, AT_REPLY };
enum leave { LEAVE_NOT, LEAVE_SENT, LEAVE_DONE };

struct thread {
    uint8_t phase, at, word;
    uint8_t leave, leave_word; /* of its packet that says that it leaves */
};

/* All there is. Packets stay where they are, so pointers to them mean the same in every state. */
struct model {
    struct lock_queues q;
    struct lock_queue places[PLACES];
    struct packet *next[MOST];
    uint64_t operand[MOST];
    uint8_t queued[MOST];
    struct thread threads[MOST];
    uint32_t words[WORDS];
    uint8_t waiting[WORDS]; /* threads that were kept and have no lock yet, in the order in which they came */
    uint8_t order[WORDS][MOST];
};

enum kind { ASK, TRY, LINE, CALL, TAGS, REPLY, UNLOCK, SIGNAL, LEAVE, LEAVE_COMES, KINDS };
static const char *const kind_names[KINDS] = {"asks",        "tries",   "line comes", "called go", "at the tags",
                                              "is answered", "unlocks", "signals",    "leaves",    "leave comes"};

struct event {
    uint8_t kind, thread, word;
};

static struct {
    struct system system;
    struct lock_params params;
    struct message_atomic packets[MOST];
    struct model now;
    uint64_t addresses[WORDS];
    /* The states that were found; the search has seen to those before `next`. */
    struct model *states;
    uint32_t *parents;
    struct event *events;
    uint32_t count, room, next;
    uint32_t *table; /* hash table of numbers of states, plus 1 */
    uint32_t mask;
    struct edge {
        uint32_t from, to;
        uint8_t kind;
    } * edges;
    uint32_t edge_count, edge_room;
} s;

static uint32_t sum_of_states;

/* ---- what is wrong, and how it came to that ---- */

static void print_way(uint32_t state)
{
    if (s.parents[state] != NONE)
        print_way(s.parents[state]);
    const struct event *e = &s.events[state];
    if (s.parents[state] != NONE)
        print_message("  thread %u, word %u: %s\n", e->thread, e->word, kind_names[e->kind]);
}

/* The state that `last` makes of the one numbered `before` is wrong. */
static void wrong(uint32_t before, const struct event *last, const char *what)
{
    print_way(before);
    if (last)
        print_message("  thread %u, word %u: %s\n", last->thread, last->word, kind_names[last->kind]);
    fail_msg("%s: %s", s.system.name, what);
}

static uint32_t at_state;
static const struct event *at_event;
#define HOLDS(holds)                                                                                                   \
    do {                                                                                                               \
        if (!(holds))                                                                                                  \
            wrong(at_state, at_event, #holds);                                                                         \
    } while (0)

/* ---- packets ---- */

static bool is_semaphore(unsigned word)
{
    return s.system.semaphores >> word & 1;
}

static void address_packet(struct message_atomic *p, unsigned word, enum packet_lock lock)
{
    p->packet.kind = PACKET_ATOMIC;
    p->packet.address = s.addresses[word] / 32 * 32;
    p->lane_count = 1;
    p->lanes[0].offset = (uint8_t)(s.addresses[word] % PACKET_LINE_BYTES);
    p->lock = lock;
}

static void perform(struct message_atomic *p, unsigned word)
{
    lock_queues_perform(&s.now.q, p, (uint8_t *)&s.now.words[word]);
}

static bool found_free(unsigned thread)
{
    uint32_t old = (uint32_t)s.packets[thread].lanes[0].operand;
    return is_semaphore(s.now.threads[thread].word) ? old != 0 : old == FREE;
}

/* The thread has the lock, or an answer that says so is on its way. */
static bool has(unsigned thread)
{
    const struct thread *t = &s.now.threads[thread];
    return t->phase == HAS || (t->phase == ASKED && (t->at == AT_LINE || t->at == AT_REPLY) &&
                               s.packets[thread].queued == PACKET_NOT_QUEUED && found_free(thread));
}

/* ---- the order of those that wait ---- */

static unsigned position_of(unsigned thread, unsigned word)
{
    unsigned i = 0;
    while (i < s.now.waiting[word] && s.now.order[word][i] != thread)
        i++;
    return i;
}

static void out_of_order(unsigned thread, unsigned word)
{
    unsigned i = position_of(thread, word);
    HOLDS(i < s.now.waiting[word]);
    s.now.waiting[word]--;
    for (; i < s.now.waiting[word]; i++)
        s.now.order[word][i] = s.now.order[word][i + 1];
    s.now.order[word][i] = 0;
}

/* ---- events ---- */

/* The line of the thread's packet is there: the packet is answered, or kept. */
static void line_comes(unsigned thread)
{
    s.now.threads[thread].at = lock_queues_keep(&s.now.q, &s.packets[thread].packet) ? AT_QUEUE : AT_REPLY;
}

static void performed(unsigned thread)
{
    s.now.threads[thread].at = AT_LINE;
    if (!s.system.late)
        line_comes(thread);
}

static bool is_room(unsigned word)
{
    const struct lock_queues *q = &s.now.q;
    bool has_queue = s.now.waiting[word] != 0;
    for (unsigned i = 0; i < PLACES; i++)
        has_queue |= s.now.places[i].address == s.addresses[word];
    return (!s.system.record_limit || q->records < s.system.record_limit) &&
           (!s.system.queue_limit || has_queue || q->used < s.system.queue_limit);
}

static void ask(unsigned thread, unsigned word)
{
    struct message_atomic *p = &s.packets[thread];
    uint32_t available = is_semaphore(word) ? s.now.words[word] : s.now.words[word] == FREE;
    bool room = is_room(word), first = s.now.waiting[word] < available;
    *p = (struct message_atomic){.atomic = is_semaphore(word) ? ISA_ATOMIC_TAKE : ISA_ATOMIC_CAS};
    address_packet(p, word, PACKET_LOCK_TAKE);
    p->lanes[0].operand = is_semaphore(word) ? 1 : thread;
    s.now.threads[thread] = (struct thread){.phase = ASKED, .word = (uint8_t)word, .at = AT_LINE};
    perform(p, word);
    HOLDS(has(thread) == first);
    HOLDS(has(thread) || (p->queued == PACKET_QUEUED) == room);
    if (p->queued)
        s.now.order[word][s.now.waiting[word]++] = (uint8_t)thread;
    performed(thread);
}

/* Those that were called are put before what waits at the tags. */
static void call(void)
{
    for (struct packet *p = s.now.q.called.first; p; p = p->next) {
        s.now.threads[atomic_of(p) - s.packets].at = AT_TAGS;
        s.now.q.kept--;
    }
    s.now.q.called = (struct packet_list){0};
}

static void at_tags(unsigned thread)
{
    unsigned word = s.now.threads[thread].word, before = 0, position = position_of(thread, word);
    bool called = s.packets[thread].queued == PACKET_CALLED;
    for (unsigned i = 0; called && i < s.now.waiting[word]; i++)
        before += s.packets[s.now.order[word][i]].queued == PACKET_CALLED;
    perform(&s.packets[thread], word);
    s.now.threads[thread].at = AT_LINE;
    if (called && has(thread)) {
        HOLDS(position < before); /* nobody who came before was passed over */
        out_of_order(thread, word);
    }
    performed(thread);
}

static void take_reply(unsigned thread)
{
    struct thread *t = &s.now.threads[thread];
    t->phase = found_free(thread) ? HAS : IDLE;
    t->at = NOWHERE;
    s.packets[thread] = (struct message_atomic){0};
    if (t->leave == LEAVE_DONE)
        t->leave = LEAVE_NOT;
}

static void give(unsigned word)
{
    struct message_atomic p = {.atomic = is_semaphore(word) ? ISA_ATOMIC_ADD : ISA_ATOMIC_EXCH};
    address_packet(&p, word, PACKET_LOCK_GIVE);
    p.lanes[0].operand = is_semaphore(word) ? 1 : FREE;
    perform(&p, word);
}

static void unlock(struct thread *t)
{
    if (!is_semaphore(t->word) && s.system.stores >> (t - s.now.threads) & 1) {
        s.now.words[t->word] = FREE;
        lock_queues_written(&s.now.q, s.addresses[t->word], (const uint8_t *)&s.now.words[t->word]);
    } else if (!(s.system.signals && is_semaphore(t->word))) {
        give(t->word);
    }
    t->phase = IDLE;
}

static void leave_comes(unsigned thread)
{
    struct thread *t = &s.now.threads[thread];
    struct message_atomic p = {.atomic = ISA_ATOMIC_CAS};
    uint8_t queued = s.packets[thread].queued;
    address_packet(&p, t->leave_word, PACKET_LOCK_LEAVE);
    p.lanes[0].operand = thread;
    perform(&p, t->leave_word);
    bool left = s.packets[thread].queued == PACKET_LEFT && queued != PACKET_LEFT;
    HOLDS(left ==
          (t->phase == ASKED && (queued == PACKET_QUEUED || queued == PACKET_KEPT) && t->word == t->leave_word));
    HOLDS(left == (p.lanes[0].operand != 0));
    if (left)
        out_of_order(thread, t->word);
    t->leave = left ? LEAVE_DONE : LEAVE_NOT;
}

static bool can(const struct event *e)
{
    const struct thread *t = &s.now.threads[e->thread];
    bool other = e->word != 0;
    switch ((enum kind)e->kind) {
    case ASK: /* packets of an SM for one word come in the order in which they are sent */
        return t->phase == IDLE && (t->leave == LEAVE_NOT || t->leave_word != e->word);
    case TRY:
        return t->phase == IDLE && s.system.tries >> e->thread & 1 && !is_semaphore(e->word) &&
               s.now.words[e->word] == FREE;
    case LINE:
        return !other && t->at == AT_LINE;
    case CALL:
        return !other && !e->thread && s.now.q.called.first;
    case TAGS:
        return !other && t->at == AT_TAGS;
    case REPLY:
        return !other && t->at == AT_REPLY;
    case UNLOCK:
        return !other && t->phase == HAS;
    case SIGNAL:
        return !e->thread && s.system.signals && is_semaphore(e->word) && s.now.words[e->word] < 2;
    case LEAVE:
        return !other && s.system.leaves && t->phase == ASKED && !is_semaphore(t->word) && t->leave == LEAVE_NOT;
    case LEAVE_COMES:
        return !other && t->leave == LEAVE_SENT;
    default:
        return false;
    }
}

static void happen(const struct event *e)
{
    struct thread *t = &s.now.threads[e->thread];
    switch ((enum kind)e->kind) {
    case ASK: {
        struct thread before = *t;
        ask(e->thread, e->word);
        t->leave = before.leave;
        t->leave_word = before.leave_word;
        break;
    }
    case TRY:
        s.now.words[e->word] = e->thread;
        t->phase = HAS;
        t->word = e->word;
        break;
    case LINE:
        line_comes(e->thread);
        break;
    case CALL:
        call();
        break;
    case TAGS:
        at_tags(e->thread);
        break;
    case REPLY:
        take_reply(e->thread);
        break;
    case UNLOCK:
        unlock(t);
        break;
    case SIGNAL:
        give(e->word);
        break;
    case LEAVE:
        t->leave = LEAVE_SENT;
        t->leave_word = t->word;
        break;
    case LEAVE_COMES:
        leave_comes(e->thread);
        break;
    default:
        break;
    }
}

/* ---- what holds in each state ---- */

static bool is_quiet(void)
{
    for (unsigned i = 0; i < s.system.threads; i++)
        if (s.now.threads[i].phase != IDLE || s.now.threads[i].leave == LEAVE_SENT)
            return false;
    return true;
}

static void check_holders(void)
{
    for (unsigned word = 0; word < s.system.words; word++) {
        unsigned holders = 0, holder = 0;
        for (unsigned i = 0; i < s.system.threads; i++)
            if (s.now.threads[i].word == word && has(i)) {
                holders++;
                holder = i;
            }
        if (is_semaphore(word)) {
            HOLDS(s.now.words[word] + holders == 2 || s.system.signals);
        } else {
            HOLDS(holders <= 1);
            HOLDS(s.now.words[word] == (holders ? holder : FREE));
        }
    }
}

static const struct lock_queue *queue_of(unsigned word)
{
    static const struct lock_queue none;
    const struct lock_queue *found = &none;
    for (unsigned i = 0; i < PLACES; i++) {
        const struct lock_queue *l = &s.now.places[i];
        if (l->address == s.addresses[word] && l->count + l->called + l->holders) {
            HOLDS(found == &none);
            found = l;
        }
    }
    return found;
}

/* The queue is as the threads are. */
static void check_queue(unsigned word)
{
    const struct lock_queue *l = queue_of(word);
    const struct packet *p = l->count ? l->waiting.first : NULL;
    unsigned called = 0, holders = 0;
    bool knows_all = !s.system.tries && !s.system.signals && !s.system.record_limit && !s.system.queue_limit;
    for (unsigned i = 0; i < s.now.waiting[word]; i++) {
        const struct message_atomic *of = &s.packets[s.now.order[word][i]];
        called += of->queued == PACKET_CALLED;
        if (of->queued == PACKET_CALLED)
            continue;
        HOLDS(p == &of->packet);
        HOLDS(of->queued == PACKET_QUEUED || of->queued == PACKET_KEPT);
        p = p->next;
    }
    HOLDS(!p);
    HOLDS(called == l->called);
    for (unsigned i = 0; i < s.system.threads; i++)
        holders += s.now.threads[i].word == word && has(i);
    HOLDS(l->holders <= holders || is_semaphore(word));
    HOLDS(l->holders == holders || !knows_all);
    /* While some wait, there is a call under way for each that could be taken. A try takes without a call. */
    uint32_t available = is_semaphore(word) ? s.now.words[word] : s.now.words[word] == FREE;
    HOLDS(!l->count || l->called == available || (s.system.tries && l->called > available));
}

static void check_state(void)
{
    struct check c;
    check_init(&c);
    lock_queues_check(&s.now.q, &c);
    HOLDS(!c.wrong);
    HOLDS(!s.system.record_limit || s.now.q.records <= s.system.record_limit);
    HOLDS(!s.system.queue_limit || s.now.q.used <= s.system.queue_limit);
    check_holders();
    for (unsigned word = 0; word < s.system.words; word++)
        check_queue(word);
    if (is_quiet() && !s.system.signals) {
        static const struct lock_queue none[PLACES];
        HOLDS(!s.now.q.records && !s.now.q.used && !s.now.q.kept && !s.now.q.called.first);
        HOLDS(!memcmp(s.now.places, none, sizeof none));
    }
}

/* ---- states ---- */

static bool is_listed(const struct message_atomic *p)
{
    return p->queued == PACKET_QUEUED || p->queued == PACKET_KEPT ||
           (s.now.threads[p - s.packets].at == AT_QUEUE && s.now.q.called.first);
}

/* Takes what means nothing out of the state, so that states that are the same look the same. */
static void pack(void)
{
    struct model *w = &s.now;
    memset(&w->q.stats, 0, sizeof w->q.stats);
    if (!w->q.called.first)
        w->q.called.last = NULL;
    for (unsigned i = 0; i < PLACES; i++)
        if (!w->places[i].count)
            w->places[i].waiting = (struct packet_list){0};
    for (unsigned i = 0; i < MOST; i++) {
        w->next[i] = is_listed(&s.packets[i]) ? s.packets[i].packet.next : NULL;
        w->operand[i] = s.packets[i].lanes[0].operand;
        w->queued[i] = s.packets[i].queued;
        if (w->threads[i].phase == IDLE)
            w->threads[i].word = 0;
        if (w->threads[i].leave == LEAVE_NOT)
            w->threads[i].leave_word = 0;
    }
}

static void unpack(const struct model *w)
{
    memcpy(&s.now, w, sizeof s.now);
    for (unsigned i = 0; i < MOST; i++) {
        struct message_atomic *p = &s.packets[i];
        const struct thread *t = &w->threads[i];
        *p = (struct message_atomic){.atomic = is_semaphore(t->word) ? ISA_ATOMIC_TAKE : ISA_ATOMIC_CAS};
        address_packet(p, t->word, PACKET_LOCK_TAKE);
        p->packet.next = w->next[i];
        p->lanes[0].operand = w->operand[i];
        p->queued = w->queued[i];
    }
}

static void add_to_table(uint32_t number)
{
    uint64_t i = hash_bytes(&s.states[number], sizeof s.states[0]) & s.mask;
    while (s.table[i])
        i = (i + 1) & s.mask;
    s.table[i] = number + 1;
}

static void make_room(void)
{
    if (s.count < s.room)
        return;
    s.room = s.room ? 2 * s.room : 1024;
    s.states = realloc(s.states, s.room * sizeof s.states[0]);
    s.parents = realloc(s.parents, s.room * sizeof s.parents[0]);
    s.events = realloc(s.events, s.room * sizeof s.events[0]);
    free(s.table);
    s.mask = 4 * s.room - 1;
    s.table = calloc(4 * s.room, sizeof s.table[0]);
    for (uint32_t i = 0; i < s.count; i++)
        add_to_table(i);
}

/* The number of the state that is now. */
static uint32_t number_of(uint32_t parent, const struct event *e)
{
    pack();
    for (uint64_t i = hash_bytes(&s.now, sizeof s.now) & s.mask; s.mask && s.table[i]; i = (i + 1) & s.mask)
        if (!memcmp(&s.states[s.table[i] - 1], &s.now, sizeof s.now))
            return s.table[i] - 1;
    check_state();
    make_room();
    memcpy(&s.states[s.count], &s.now, sizeof s.now);
    s.parents[s.count] = parent;
    s.events[s.count] = e ? *e : (struct event){0};
    add_to_table(s.count);
    return s.count++;
}

static void add_edge(uint32_t from, uint32_t to, uint8_t kind)
{
    if (s.edge_count == s.edge_room) {
        s.edge_room = s.edge_room ? 2 * s.edge_room : 4096;
        s.edges = realloc(s.edges, s.edge_room * sizeof s.edges[0]);
    }
    s.edges[s.edge_count++] = (struct edge){from, to, kind};
}

/* ---- what can be reached ---- */

static int by_target(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* From each state one of those in `good` can be reached by events of these kinds. The edges are sorted. */
static void check_reaches(uint8_t *good, unsigned kinds, const char *what)
{
    uint32_t *stack = malloc((s.count + 1) * sizeof stack[0]), depth = 0;
    uint32_t *first = calloc(s.count + 2, sizeof first[0]);
    for (uint32_t i = 0; i < s.edge_count; i++)
        first[s.edges[i].to + 1]++;
    for (uint32_t i = 0; i <= s.count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < s.count; i++)
        if (good[i])
            stack[depth++] = i;
    while (depth) {
        uint32_t to = stack[--depth];
        for (uint32_t i = first[to]; i < first[to + 1]; i++)
            if (kinds >> s.edges[i].kind & 1 && !good[s.edges[i].from]) {
                good[s.edges[i].from] = 1;
                stack[depth++] = s.edges[i].from;
            }
    }
    for (uint32_t i = 0; i < s.count; i++)
        if (!good[i])
            wrong(i, NULL, what);
    free(stack);
    free(first);
}

#define KIND(kind) (1u << (kind))
#define UNDER_WAY (KIND(LINE) | KIND(CALL) | KIND(TAGS) | KIND(REPLY) | KIND(LEAVE_COMES))

static void check_ends(void)
{
    uint8_t *good = calloc(s.count, 1);
    qsort(s.edges, s.edge_count, sizeof s.edges[0], by_target);
    for (uint32_t i = 0; i < s.count; i++) {
        unpack(&s.states[i]);
        good[i] = is_quiet();
    }
    check_reaches(good, UNDER_WAY | KIND(UNLOCK) | KIND(SIGNAL), "somebody waits for ever");
    for (unsigned thread = 0; s.system.leaves && thread < s.system.threads; thread++) {
        for (uint32_t i = 0; i < s.count; i++) {
            const struct thread *t = &s.states[i].threads[thread];
            good[i] = t->phase != ASKED || is_semaphore(t->word);
        }
        check_reaches(good, UNDER_WAY | KIND(LEAVE), "a thread cannot leave");
    }
    free(good);
}

/* ---- the search ---- */

static void begin(const struct system *system)
{
    s.system = *system;
    s.params =
        (struct lock_params){.queue = true, .queue_limit = system->queue_limit, .record_limit = system->record_limit};
    memset(&s.now, 0, sizeof s.now);
    memset(s.packets, 0, sizeof s.packets);
    s.now.q = (struct lock_queues){.params = &s.params, .places = s.now.places, .mask = PLACES - 1};
    for (unsigned i = 0; i < WORDS; i++)
        s.now.words[i] = is_semaphore(i) ? 2 : FREE;
    s.count = s.room = s.mask = s.edge_count = 0;
    free(s.table);
    s.table = NULL;
}

/* Two words whose queues want the same place. */
static void choose_words(void)
{
    uint32_t place[2] = {0};
    s.addresses[0] = 0x1000;
    for (s.addresses[1] = 0x1024;; s.addresses[1] += 4) {
        for (unsigned word = 0; word < 2; word++) {
            const struct system alone = {.words = 2, .threads = 1};
            begin(&alone);
            ask(0, word);
            while (!s.now.places[place[word]].holders)
                place[word] = (place[word] + 1) % PLACES;
        }
        if (place[0] == place[1])
            return;
    }
}

static void explore_state(uint32_t number)
{
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned thread = 0; thread < s.system.threads; thread++)
            for (unsigned word = 0; word < s.system.words; word++) {
                struct event e = {(uint8_t)kind, (uint8_t)thread, (uint8_t)word};
                unpack(&s.states[number]);
                if (!can(&e))
                    continue;
                at_state = number;
                at_event = &e;
                happen(&e);
                add_edge(number, number_of(number, &e), e.kind);
            }
}

static void explore(const struct system *system)
{
    choose_words();
    begin(system);
    number_of(NONE, NULL);
    for (uint32_t next = 0; next < s.count; next++)
        explore_state(next);
    check_ends();
    print_message("%s: %u states, %u events\n", system->name, s.count, s.edge_count);
    sum_of_states += s.count;
}

static void test_every_order(void **state)
{
    static const struct system systems[] = {
        {"2 threads, 1 lock", 2, 1, .leaves = true, .late = true},
        {"3 threads, 1 lock", 3, 1, .leaves = true, .late = true},
        {"3 threads, 1 lock, 1 record", 3, 1, .leaves = true, .late = true, .record_limit = 1},
        {"3 threads, 1 lock, 2 records", 3, 1, .leaves = true, .late = true, .record_limit = 2},
        {"3 threads, 1 lock, 1 of them tries", 3, 1, .tries = 4, .leaves = true, .late = true},
        {"3 threads, 1 lock, all try", 3, 1, .tries = 7, .leaves = true, .late = true},
        {"3 threads, 1 lock, all try, 2 records", 3, 1, .tries = 7, .leaves = true, .late = true, .record_limit = 2},
        {"3 threads, 1 lock, 2 of them store", 3, 1, .stores = 3, .leaves = true, .late = true},
        {"3 threads, 1 lock, all store and try, 2 records", 3, 1, .tries = 7, .stores = 7, .leaves = true, .late = true,
         .record_limit = 2},
        {"3 threads, 2 locks, all store", 3, 2, .stores = 7, .late = true},
        {"2 threads, 2 locks", 2, 2, .tries = 3, .leaves = true, .late = true},
        {"2 threads, 2 locks, 1 queue", 2, 2, .tries = 3, .leaves = true, .late = true, .queue_limit = 1},
        {"3 threads, 2 locks", 3, 2, .tries = 1, .leaves = true},
        {"3 threads, 2 locks, late lines", 3, 2, .late = true},
        {"3 threads, 2 locks, 1 queue", 3, 2, .leaves = true, .queue_limit = 1},
        {"3 threads, 2 locks, 1 queue, 2 records", 3, 2, .tries = 2, .late = true, .queue_limit = 1, .record_limit = 2},
        {"3 threads, 2 locks, 3 records", 3, 2, .tries = 2, .late = true, .record_limit = 3},
        {"3 threads, a semaphore of 2", 3, 1, .semaphores = 1, .late = true},
        {"3 threads, a semaphore of 2, 1 record", 3, 1, .semaphores = 1, .late = true, .record_limit = 1},
        {"3 threads, a semaphore of 2, 2 records", 3, 1, .semaphores = 1, .late = true, .record_limit = 2},
        {"3 threads, a semaphore that others signal", 3, 1, .semaphores = 1, .late = true, .signals = true},
        {"3 threads, a semaphore that others signal, 2 records", 3, 1, .semaphores = 1, .late = true, .signals = true,
         .record_limit = 2},
        {"3 threads, a semaphore that others signal, 3 records", 3, 1, .semaphores = 1, .late = true, .signals = true,
         .record_limit = 3},
        {"4 threads, 1 lock", 4, 1, .leaves = true},
        {"3 threads, a lock and a semaphore of 2, 2 records", 3, 2, .semaphores = 2, .record_limit = 2, .late = true},
        {"3 threads, a lock and a semaphore of 2", 3, 2, .semaphores = 2, .tries = 1, .leaves = true, .late = true},
        {"3 threads, a lock and a semaphore, 1 queue", 3, 2, .semaphores = 2, .leaves = true, .queue_limit = 1},
    };
    for (unsigned i = 0; i < sizeof systems / sizeof systems[0]; i += effort_steps(2, 4))
        explore(&systems[i]);
    print_message("%u states in all\n", sum_of_states);
    free(s.states);
    free(s.parents);
    free(s.events);
    free(s.table);
    free(s.edges);
}

/* Many locks: the table grows, and queues move up when others are gone. */
static void test_many_locks(void **state)
{
    enum { LOCKS = 200, TURNS = 6000 };
    static uint32_t words[LOCKS];
    static struct lock_params params = {.queue = true};
    struct arena arena;
    struct lock_queues q;
    unsigned held = 0;
    arena_init(&arena);
    lock_queues_init(&q, &params, &arena);
    memset(words, 0xff, sizeof words);
    for (uint64_t i = 0; i < TURNS; i++) {
        unsigned lock = (unsigned)(random_at(1, i) % (i % 2000 < 1000 ? LOCKS : LOCKS / 8));
        uint64_t address = 0x10000 + 4 * (uint64_t)lock;
        bool gives = words[lock] != FREE;
        struct message_atomic p = {.packet = {.kind = PACKET_ATOMIC, .address = address / 32 * 32},
                           .lock = gives ? PACKET_LOCK_GIVE : PACKET_LOCK_TAKE,
                           .atomic = gives ? ISA_ATOMIC_EXCH : ISA_ATOMIC_CAS,
                           .lane_count = 1,
                           .lanes = {{.offset = (uint8_t)(address % PACKET_LINE_BYTES), .operand = gives ? FREE : i}}};
        lock_queues_perform(&q, &p, (uint8_t *)&words[lock]);
        held += gives ? -1u : 1u;
        assert_int_equal(q.records, held);
        assert_int_equal(q.used, held);
        assert_false(lock_queues_keep(&q, &p.packet));
        struct check c;
        check_init(&c);
        lock_queues_check(&q, &c);
        assert_null(c.wrong);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_order), cmocka_unit_test(test_many_locks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
