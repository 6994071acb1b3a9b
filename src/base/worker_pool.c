/* Crews. A task is given by raising `round`. Thread t of n does the work of members t, t + n, t + 2n...; the caller's,
 * when it has waited a little for the others, also that of members whose thread has not come to them, for on a busy
 * computer it may be long before that thread runs. Who does a member's work in a round is settled by setting its
 * `taken`, that it is done by setting its `done`.
 * A thread that has looked in vain for a round sleeps on the condition; the caller looks at `sleepers` after raising
 * `round`, the thread at `round` after raising `sleepers`, both in one total order, so no call to wake is lost. */
#define _GNU_SOURCE
#include "base/worker_pool.h"

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
    struct worker_pool *pool;
    unsigned number;
    pthread_t thread;
    atomic_int core; /* on which it was last seen */
};

/* Rounds of a member's work. Its thread alone has to do with `taken` as a rule, the caller looks at `done`. */
struct claim {
    _Alignas(CACHE_LINE) atomic_uint taken; /* the last that somebody took */
    _Alignas(CACHE_LINE) atomic_uint done;  /* the last that somebody did, with its report in one line */
    _Alignas(8) char report[WORKER_POOL_REPORT_BYTES];
};

struct worker_pool {
    unsigned size, threads;
    struct worker *workers;                 /* by thread; 0 is the caller */
    struct claim *claims;                   /* by member */
    cpu_set_t cores;                        /* on which threads may run */
    _Alignas(CACHE_LINE) atomic_uint round; /* with what belongs to it in one line */
    atomic_uint sleepers;
    atomic_bool ended;
    void (*task)(const void *order, unsigned member);
    _Alignas(8) char order[WORKER_POOL_ORDER_BYTES];
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
static unsigned wait_for_round(struct worker_pool *pool, unsigned seen)
{
    for (unsigned i = 0; i < LOOKS + YIELDS; i++) {
        unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen)
            return round;
        if (i < LOOKS)
            breathe();
        else
            sched_yield();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->round) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    unsigned round = atomic_load(&pool->round);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
    return round;
}

static void take_over(struct worker_pool *pool, unsigned member, unsigned round)
{
    unsigned before = round - 1;
    if (!atomic_compare_exchange_strong_explicit(&pool->claims[member].taken, &before, round, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    pool->task(pool->order, member);
    atomic_store_explicit(&pool->claims[member].done, round, memory_order_release);
}

/* Threads that are always busy should not share a core, but a new thread often begins beside the one that made it, and
 * it may take the system longer than a short run to move one of them. So a thread that finds itself on the core of one
 * before it goes elsewhere. */
static void spread_out(struct worker *w)
{
    struct worker *first = &w->pool->workers[0];
    int here = sched_getcpu();
    cpu_set_t others;
    bool shared = false;
    atomic_store_explicit(&w->core, here, memory_order_relaxed);
    if (here < 0 || w == first)
        return;
    others = w->pool->cores;
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
    struct worker_pool *pool = w->pool;
    for (unsigned before = 0, round = 0;; before = round) {
        round = wait_for_round(pool, before);
        if (atomic_load_explicit(&pool->ended, memory_order_relaxed))
            return NULL;
        if (round != before + 1 || round % LOOK_ROUND == 0) /* it missed rounds, or now and then */
            spread_out(w);
        for (unsigned member = w->number; member < pool->size; member += pool->threads)
            take_over(pool, member, round);
    }
}

static void give_round(struct worker_pool *pool)
{
    atomic_fetch_add(&pool->round, 1);
    if (!atomic_load(&pool->sleepers))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

struct worker_pool *worker_pool_create(unsigned members)
{
    struct worker_pool *pool = aligned_alloc(CACHE_LINE, sizeof *pool);
    if (!pool)
        abort();
    *pool = (struct worker_pool){.size = members ? members : 1, .threads = 1};
    pool->workers = base_calloc(pool->size, sizeof *pool->workers);
    pool->claims = aligned_alloc(CACHE_LINE, pool->size * sizeof *pool->claims);
    if (!pool->claims)
        abort();
    pool->workers[0] = (struct worker){.pool = pool, .core = -1};
    for (unsigned i = 0; i < pool->size; i++) {
        memset(pool->claims[i].report, 0, WORKER_POOL_REPORT_BYTES);
        atomic_init(&pool->claims[i].taken, 0);
        atomic_init(&pool->claims[i].done, 0);
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    bool known = sched_getaffinity(0, sizeof pool->cores, &pool->cores) == 0;
    unsigned threads = 1, most = known ? (unsigned)CPU_COUNT(&pool->cores) : 1;
    for (; threads < pool->size && threads < most; threads++) {
        pool->workers[threads] = (struct worker){.pool = pool, .number = threads, .core = -1};
        if (pthread_create(&pool->workers[threads].thread, NULL, work, &pool->workers[threads]))
            break;
    }
    pool->threads = threads;
    return pool;
}

void worker_pool_destroy(struct worker_pool *pool)
{
    if (!pool)
        return;
    atomic_store_explicit(&pool->ended, true, memory_order_relaxed);
    give_round(pool);
    for (unsigned i = 1; i < pool->threads; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    free(pool->workers);
    free(pool->claims);
    free(pool);
}

unsigned worker_pool_helpers(const struct worker_pool *pool)
{
    return pool ? pool->threads - 1 : 0;
}

unsigned worker_pool_size(const struct worker_pool *pool)
{
    return pool->size;
}

void *worker_pool_report(struct worker_pool *pool, unsigned member)
{
    return pool->claims[member].report;
}

/* Waits until the others are done with the round, for so many looks at one that is not. */
static bool others_done(struct worker_pool *pool, unsigned round, unsigned looks)
{
    for (unsigned member = 1; member < pool->size; member++) {
        while (member % pool->threads &&
               atomic_load_explicit(&pool->claims[member].done, memory_order_acquire) != round) {
            if (!looks--)
                return false;
            breathe();
        }
    }
    return true;
}

void worker_pool_run(struct worker_pool *pool, void (*task)(const void *order, unsigned member), const void *order,
                     unsigned bytes)
{
    unsigned round = atomic_load_explicit(&pool->round, memory_order_relaxed) + 1;
    pool->task = task;
    memcpy(pool->order, order, bytes);
    if (pool->threads > 1)
        give_round(pool);
    if (round % LOOK_ROUND == 0)
        spread_out(&pool->workers[0]);
    for (unsigned member = 0; member < pool->size; member += pool->threads)
        task(order, member);
    if (pool->threads == 1 || others_done(pool, round, GRACE))
        return;
    for (unsigned member = 1; member < pool->size; member++)
        if (member % pool->threads)
            take_over(pool, member, round);
    while (!others_done(pool, round, LOOKS))
        sched_yield();
}
