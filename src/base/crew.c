/* Crews. A task is given by raising `round`. Thread t of n does the work of members t, t + n, t + 2n...; the caller's,
 * when it has waited a little for the others, also that of members whose thread has not come to them, for on a busy
 * computer it may be long before that thread runs. Who does a member's work in a round is settled by setting its
 * `taken`; `left` counts the members of other threads whose work is not done.
 * A thread that has looked in vain for a round sleeps on the condition; the caller looks at `sleepers` after raising
 * `round`, the thread at `round` after raising `sleepers`, both in one total order, so no call to wake is lost. */
#define _GNU_SOURCE
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

#define LOOKS 4000 /* about 0.1 ms, far more than a task of the simulator takes */
#define YIELDS 64  /* further looks, each of which offers the core to others, before sleeping */
#define GRACE 400  /* looks of the caller before it takes over work: some microseconds */
#define CACHE_LINE 64

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
};

struct claim {
    _Alignas(CACHE_LINE) atomic_uint taken; /* the last round in which somebody took the member's work */
};

struct crew {
    unsigned size, threads;
    struct worker *workers; /* by thread, from 1 */
    struct claim *claims;   /* by member */
    void (*task)(void *context, unsigned member);
    void *context;
    _Alignas(CACHE_LINE) atomic_uint round;
    atomic_uint sleepers;
    atomic_bool ended;
    _Alignas(CACHE_LINE) atomic_uint left;
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
    crew->task(crew->context, member);
    atomic_fetch_sub_explicit(&crew->left, 1, memory_order_release);
}

static void *work(void *argument)
{
    const struct worker *w = argument;
    struct crew *crew = w->crew;
    for (unsigned round = 0;;) {
        round = wait_for_round(crew, round);
        if (atomic_load_explicit(&crew->ended, memory_order_relaxed))
            return NULL;
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

static unsigned cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
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
    for (unsigned i = 0; i < crew->size; i++)
        atomic_init(&crew->claims[i].taken, 0);
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->wake, NULL);
    unsigned threads = 1, most = cores();
    for (; threads < crew->size && threads < most; threads++) {
        crew->workers[threads] = (struct worker){.crew = crew, .number = threads};
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

unsigned crew_size(const struct crew *crew)
{
    return crew->size;
}

/* Waits until the others are done, for so many looks. */
static bool others_done(struct crew *crew, unsigned looks)
{
    while (atomic_load_explicit(&crew->left, memory_order_acquire)) {
        if (!looks--)
            return false;
        breathe();
    }
    return true;
}

void crew_run(struct crew *crew, void (*task)(void *context, unsigned member), void *context)
{
    unsigned own = (crew->size + crew->threads - 1) / crew->threads;
    crew->task = task;
    crew->context = context;
    atomic_store_explicit(&crew->left, crew->size - own, memory_order_relaxed);
    if (crew->threads > 1)
        give_round(crew);
    for (unsigned member = 0; member < crew->size; member += crew->threads)
        task(context, member);
    if (others_done(crew, GRACE))
        return;
    unsigned round = atomic_load_explicit(&crew->round, memory_order_relaxed);
    for (unsigned member = 1; member < crew->size; member++)
        if (member % crew->threads)
            take_over(crew, member, round);
    while (!others_done(crew, LOOKS))
        sched_yield();
}
