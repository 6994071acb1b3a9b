/* Crews. A task is given by raising `round`; each thread but the caller's ends it by lowering `busy`. Thread t of n does
 * the work of members t, t + n, t + 2n... A thread that has looked in vain sleeps on the condition; the caller looks at
 * `sleepers` after raising `round`, the thread at `round` after raising `sleepers`, both in one total order, so no call
 * to wake is lost. */
#define _GNU_SOURCE
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

#define LOOKS 4000 /* about 0.1 ms, far more than a task of the simulator takes */
#define YIELDS 64  /* further looks after which the core is offered to others, before sleeping */
#define CACHE_LINE 64

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
};

struct crew {
    unsigned size, threads;
    struct worker *workers; /* from 1 */
    void (*task)(void *context, unsigned member);
    void *context;
    _Alignas(CACHE_LINE) atomic_uint round;
    atomic_uint sleepers;
    _Alignas(CACHE_LINE) atomic_uint busy;
    _Alignas(CACHE_LINE) pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void wait_for_round(struct crew *crew, unsigned seen)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&crew->round, memory_order_acquire) != seen)
            return;
        breathe();
    }
    for (unsigned i = 0; i < YIELDS; i++) {
        if (atomic_load_explicit(&crew->round, memory_order_acquire) != seen)
            return;
        sched_yield();
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->round) == seen)
        pthread_cond_wait(&crew->wake, &crew->mutex);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
}

static void work_of(struct crew *crew, unsigned thread)
{
    for (unsigned member = thread; member < crew->size; member += crew->threads)
        crew->task(crew->context, member);
}

static void *work(void *argument)
{
    const struct worker *w = argument;
    struct crew *crew = w->crew;
    for (unsigned seen = 0;; seen++) {
        wait_for_round(crew, seen);
        if (!crew->task)
            return NULL;
        work_of(crew, w->number);
        atomic_fetch_sub_explicit(&crew->busy, 1, memory_order_release);
    }
}

static void give_round(struct crew *crew)
{
    atomic_store_explicit(&crew->busy, crew->threads - 1, memory_order_relaxed);
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
    crew->task = NULL;
    give_round(crew);
    for (unsigned i = 1; i < crew->threads; i++)
        pthread_join(crew->workers[i].thread, NULL);
    pthread_mutex_destroy(&crew->mutex);
    pthread_cond_destroy(&crew->wake);
    free(crew->workers);
    free(crew);
}

unsigned crew_size(const struct crew *crew)
{
    return crew->size;
}

void crew_run(struct crew *crew, void (*task)(void *context, unsigned member), void *context)
{
    crew->task = task;
    crew->context = context;
    if (crew->threads > 1)
        give_round(crew);
    work_of(crew, 0);
    for (unsigned looks = 0; atomic_load_explicit(&crew->busy, memory_order_acquire); looks++) {
        if (looks < LOOKS)
            breathe();
        else
            sched_yield();
    }
}
