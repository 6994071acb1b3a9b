/* Crews. A task is given by raising `round`. Thread t of n does the work of members t, t + n, t + 2n...; the caller's,
 * when it has waited a little for the others, also that of members whose thread has not come to them, for on a busy
 * computer it may be long before that thread runs. Who does a member's work in a round is settled by setting its
 * `taken`, that it is done by setting its `done`.
 * A thread that has looked in vain for a round sleeps on the condition; the caller looks at `sleepers` after raising
 * `round`, the thread at `round` after raising `sleepers`, both in one total order, so no call to wake is lost. */
#define _GNU_SOURCE
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hot.h"

#define LOOKS 4000    /* about 0.1 ms, far more than a task of the simulator takes */
#define YIELDS 64     /* further looks, each of which offers the core to others, before sleeping */
#define GRACE 32      /* looks of the caller before it takes over work that nobody has begun: half a microsecond */
#define LOOK_ROUND 16 /* rounds between looks at who is on which core */

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
    atomic_int core; /* on which it was last seen */
};

/* Rounds of a member's work. Its thread alone has to do with `taken` as a rule, the caller looks at `done`. */
struct claim {
    _Alignas(CACHE_LINE) atomic_uint taken; /* the last that somebody took */
    _Alignas(CACHE_LINE) atomic_uint done;  /* the last that somebody did, with its report in one line */
    _Alignas(8) char report[CREW_REPORT_BYTES];
};

struct crew {
    unsigned size, threads;
    struct worker *workers;                 /* by thread; 0 is the caller */
    struct claim *claims;                   /* by member */
    cpu_set_t cores;                        /* on which threads may run */
    _Alignas(CACHE_LINE) atomic_uint round; /* with what belongs to it in one line */
    atomic_uint sleepers;
    atomic_bool ended;
    void (*task)(const void *order, unsigned member);
    _Alignas(8) char order[CREW_ORDER_BYTES];
    _Alignas(CACHE_LINE) pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Waits until the round is another than `seen`; returns it. */
static unsigned wait_for_round(struct crew *crew, unsigned seen)
{
    for (unsigned i = 0; i < LOOKS + YIELDS; i++) {
        unsigned round = atomic_load_explicit(&crew->round, memory_order_acquire);
        if (round != seen)
            return round;
        if (i < LOOKS)
            breathe();
        else
            sched_yield();
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->round) == seen)
        pthread_cond_wait(&crew->wake, &crew->mutex);
    unsigned round = atomic_load(&crew->round);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
    return round;
}

static void take_over(struct crew *crew, unsigned member, unsigned round)
{
    unsigned before = round - 1;
    if (!atomic_compare_exchange_strong_explicit(&crew->claims[member].taken, &before, round, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    crew->task(crew->order, member);
    atomic_store_explicit(&crew->claims[member].done, round, memory_order_release);
}

/* Threads that are always busy should not share a core, but a new thread often begins beside the one that made it, and
 * it may take the system longer than a short run to move one of them. So a thread that finds itself on the core of one
 * before it goes elsewhere. */
static void spread_out(struct worker *w)
{
    struct worker *first = &w->crew->workers[0];
    int here = sched_getcpu();
    cpu_set_t others;
    bool shared = false;
    atomic_store_explicit(&w->core, here, memory_order_relaxed);
    if (here < 0 || w == first)
        return;
    others = w->crew->cores;
    for (const struct worker *v = first; v != w; v++) {
        int core = atomic_load_explicit(&v->core, memory_order_relaxed);
        shared |= core == here;
        if (core >= 0)
            CPU_CLR((size_t)core, &others);
    }
    if (shared && CPU_COUNT(&others))
        sched_setaffinity(0, sizeof others, &others);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct crew *crew = w->crew;
    for (unsigned before = 0, round = 0;; before = round) {
        round = wait_for_round(crew, before);
        if (atomic_load_explicit(&crew->ended, memory_order_relaxed))
            return NULL;
        if (round != before + 1 || round % LOOK_ROUND == 0) /* it missed rounds, or now and then */
            spread_out(w);
        for (unsigned member = w->number; member < crew->size; member += crew->threads)
            take_over(crew, member, round);
    }
}

static void give_round(struct crew *crew)
{
    atomic_fetch_add(&crew->round, 1);
    if (!atomic_load(&crew->sleepers))
        return;
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->mutex);
}

struct crew *crew_create(unsigned members)
{
    struct crew *crew = aligned_alloc(CACHE_LINE, sizeof *crew);
    if (!crew)
        abort();
    *crew = (struct crew){.size = members ? members : 1, .threads = 1};
    crew->workers = base_calloc(crew->size, sizeof *crew->workers);
    crew->claims = aligned_alloc(CACHE_LINE, crew->size * sizeof *crew->claims);
    if (!crew->claims)
        abort();
    crew->workers[0] = (struct worker){.crew = crew, .core = -1};
    for (unsigned i = 0; i < crew->size; i++) {
        memset(crew->claims[i].report, 0, CREW_REPORT_BYTES);
        atomic_init(&crew->claims[i].taken, 0);
        atomic_init(&crew->claims[i].done, 0);
    }
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->wake, NULL);
    bool known = sched_getaffinity(0, sizeof crew->cores, &crew->cores) == 0;
    unsigned threads = 1, most = known ? (unsigned)CPU_COUNT(&crew->cores) : 1;
    for (; threads < crew->size && threads < most; threads++) {
        crew->workers[threads] = (struct worker){.crew = crew, .number = threads, .core = -1};
        if (pthread_create(&crew->workers[threads].thread, NULL, work, &crew->workers[threads]))
            break;
    }
    crew->threads = threads;
    return crew;
}

void crew_destroy(struct crew *crew)
{
    if (!crew)
        return;
    atomic_store_explicit(&crew->ended, true, memory_order_relaxed);
    give_round(crew);
    for (unsigned i = 1; i < crew->threads; i++)
        pthread_join(crew->workers[i].thread, NULL);
    pthread_mutex_destroy(&crew->mutex);
    pthread_cond_destroy(&crew->wake);
    free(crew->workers);
    free(crew->claims);
    free(crew);
}

unsigned crew_helpers(const struct crew *crew)
{
    return crew ? crew->threads - 1 : 0;
}

unsigned crew_size(const struct crew *crew)
{
    return crew->size;
}

void *crew_report(struct crew *crew, unsigned member)
{
    return crew->claims[member].report;
}

/* Waits until the others are done with the round, for so many looks at one that is not. */
static bool others_done(struct crew *crew, unsigned round, unsigned looks)
{
    for (unsigned member = 1; member < crew->size; member++) {
        while (member % crew->threads &&
               atomic_load_explicit(&crew->claims[member].done, memory_order_acquire) != round) {
            if (!looks--)
                return false;
            breathe();
        }
    }
    return true;
}

void crew_run(struct crew *crew, void (*task)(const void *order, unsigned member), const void *order, unsigned bytes)
{
    unsigned round = atomic_load_explicit(&crew->round, memory_order_relaxed) + 1;
    crew->task = task;
    memcpy(crew->order, order, bytes);
    if (crew->threads > 1)
        give_round(crew);
    if (round % LOOK_ROUND == 0)
        spread_out(&crew->workers[0]);
    for (unsigned member = 0; member < crew->size; member += crew->threads)
        task(order, member);
    if (crew->threads == 1 || others_done(crew, round, GRACE))
        return;
    for (unsigned member = 1; member < crew->size; member++)
        if (member % crew->threads)
            take_over(crew, member, round);
    while (!others_done(crew, round, LOOKS))
        sched_yield();
}
