/* The host as the model of a grid: every thread is a fibre (ucontext), and which one goes on is drawn by lot wherever
 * one waits, and at times where one changes memory. Two draws that leave different memory show a program whose result
 * depends on the order: a fault of the generator. See program.h, which is the only one to include this. */
#ifndef GENERATOR_MODEL_H
#define GENERATOR_MODEL_H

#include <sys/mman.h>
#include <ucontext.h>

#define MODEL_FIBRES (MOST_BLOCKS * MOST_THREADS)
#define MODEL_STACK (256 * 1024)
#define MODEL_BARRIERS 16

enum model_state { MODEL_READY, MODEL_WAITS, MODEL_ENDED };
struct model_fibre {
    ucontext_t context;
    void *stack;
    u32 thread, block;
    enum model_state state;
    const u32 *watched; /* it waits until this word has another value */
    bool at_meeting;
    u32 mask, kind; /* of the meeting */
    u64 value, met[32];
    u32 barrier, found; /* where it waits, and how many predicates were true there */
};
struct model_barrier_state {
    u32 arrived, predicates;
};
static struct model {
    struct model_fibre fibres[MODEL_FIBRES], *self;
    ucontext_t main;
    u32 blocks, threads, watchers, at_grid;
    u64 random, steps;
    struct model_barrier_state barriers[MOST_BLOCKS][MODEL_BARRIERS];
    const struct program *program;
    struct arena *global;
    struct block_memory *shared;
    u32 n;
} model;

static inline struct model_fibre *model_self()
{
    return model.self;
}
static inline u32 model_threads()
{
    return model.threads;
}
/* The number by which a lock names its holder. */
static inline u32 model_name()
{
    return model.self->block * model.threads + model.self->thread;
}
static void model_fault(const char *what)
{
    fprintf(stderr, "model: program %u: thread %u of block %u %s\n", model.program->number, model.self->thread,
            model.self->block, what);
    exit(10);
}
static u32 model_draw(u32 below)
{
    model.random = model.random * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)((model.random >> 33) % below);
}
/* Another fibre goes on; comes back when this one has its turn. */
static inline void model_yield()
{
    swapcontext(&model.self->context, &model.main);
}
static inline void model_wait()
{
    model.self->state = MODEL_WAITS;
    model_yield();
}
static inline void model_maybe_yield()
{
    if (!model_draw(8))
        model_yield();
}

/* ---- words that others change ---- */
static inline void model_changed(const void *p)
{
    for (u32 i = 0; model.watchers && i < MODEL_FIBRES; i++)
        if (model.fibres[i].watched == p) {
            model.fibres[i].watched = nullptr;
            model.fibres[i].state = MODEL_READY;
            model.watchers--;
        }
}
static inline void model_watch(const u32 *p)
{
    model.self->watched = p;
    model.watchers++;
    model_wait();
}
template <class T, class F> static inline T model_update(T *p, F f)
{
    model_maybe_yield();
    T old = *p;
    *p = f(old);
    model_changed(p);
    return old;
}
static inline void model_store(u32 *p, u32 v)
{
    model_maybe_yield();
    *p = v;
    model_changed(p);
}
static inline bool model_is(u32 *p, u32 want)
{
    if (*p == want)
        return true;
    model_watch(p);
    return false;
}
static inline bool model_reached(u32 *p, u32 want)
{
    if (*p >= want)
        return true;
    model_watch(p);
    return false;
}
static inline bool model_take(u32 *p, u32 free, u32 taken)
{
    model_maybe_yield();
    if (*p == free) {
        *p = taken;
        return true;
    }
    model_watch(p);
    return false;
}
static inline void model_lock(u32 *p)
{
    while (!model_take(p, LOCK_FREE, model_name()))
        ;
}
static inline void model_unlock(u32 *p)
{
    if (*p != model_name())
        model_fault("gives back a lock that it does not have");
    model_store(p, LOCK_FREE);
}
static inline void model_sem_wait(u32 *p)
{
    while (!*p)
        model_watch(p);
    --*p;
}
static inline void model_sem_signal(u32 *p)
{
    model_update(p, [](u32 old) { return old + 1; });
}

/* ---- barriers ---- */
static inline u32 model_barrier(u32 id, u32 count, bool predicate, bool waits)
{
    struct model_fibre *me = model.self;
    struct model_barrier_state *b = &model.barriers[me->block][id];
    b->predicates += predicate;
    me->barrier = id + 1;
    if (++b->arrived < count) {
        if (waits)
            model_wait();
        else
            me->barrier = 0;
        return me->found;
    }
    me->barrier = 0;
    me->found = b->predicates;
    for (u32 i = 0; i < MODEL_FIBRES; i++)
        if (model.fibres[i].block == me->block && model.fibres[i].barrier == id + 1) {
            model.fibres[i].barrier = 0;
            model.fibres[i].found = b->predicates;
            model.fibres[i].state = MODEL_READY;
        }
    b->arrived = b->predicates = 0;
    return me->found;
}
static inline void model_barrier_grid()
{
    if (++model.at_grid < model.blocks * model.threads) {
        model.self->barrier = MODEL_BARRIERS + 1;
        model_wait();
        return;
    }
    model.at_grid = 0;
    for (u32 i = 0; i < MODEL_FIBRES; i++)
        if (model.fibres[i].barrier == MODEL_BARRIERS + 1) {
            model.fibres[i].barrier = 0;
            model.fibres[i].state = MODEL_READY;
        }
}

/* ---- lanes ---- */
/* Comes back with the value of each lane of the mask when all are there. */
static inline const u64 *model_meet(u32 mask, u32 kind, u64 value)
{
    struct model_fibre *me = model.self, *warp = me - (me->thread & 31);
    if (!(mask >> (me->thread & 31) & 1))
        model_fault("is not in the mask that it names");
    me->at_meeting = true;
    me->mask = mask;
    me->kind = kind;
    me->value = value;
    bool all = true;
    for (u32 l = 0; l < 32; l++)
        if (mask >> l & 1) {
            if ((me->thread & ~31u) + l >= model.threads || warp[l].state == MODEL_ENDED)
                model_fault("names a lane that is not there");
            if (warp[l].at_meeting && warp[l].mask == mask && warp[l].kind != kind)
                model_fault("meets lanes that came for another instruction");
            all = all && warp[l].at_meeting && warp[l].mask == mask;
        }
    if (!all) {
        model_wait();
        return me->met;
    }
    u64 values[32] = {0};
    for (u32 l = 0; l < 32; l++)
        values[l] = mask >> l & 1 ? warp[l].value : 0;
    for (u32 l = 0; l < 32; l++)
        if (mask >> l & 1) {
            memcpy(warp[l].met, values, sizeof values);
            warp[l].at_meeting = false;
            warp[l].state = MODEL_READY;
        }
    return me->met;
}
template <class T> static inline u64 model_bits_of(T v)
{
    u64 b = 0;
    memcpy(&b, &v, sizeof v);
    return b;
}
template <class T> static inline T model_value(u64 b)
{
    T v;
    memcpy(&v, &b, sizeof v);
    return v;
}
static inline u32 model_bits(float x)
{
    return (u32)model_bits_of(x);
}
static inline u64 model_bits(double x)
{
    return model_bits_of(x);
}
static inline u32 model_ballot(u32 m, bool p)
{
    const u64 *met = model_meet(m, 2, p);
    u32 r = 0;
    for (u32 l = 0; l < 32; l++)
        r |= (u32)met[l] << l;
    return r;
}
/* The first lane of a segment of `width` lanes. */
static inline u32 model_segment(u32 width)
{
    return model.self->thread & 31 & ~(width - 1);
}
template <class T> static inline T model_shuffle(u32 m, T v, u32 from)
{
    if (!(m >> from & 1))
        model_fault("asks for the value of a lane that is not there");
    return model_value<T>(model_meet(m, 3, model_bits_of(v))[from]);
}
template <class T> static inline u32 model_match(u32 m, T v)
{
    const u64 *met = model_meet(m, 4, model_bits_of(v));
    u32 r = 0;
    for (u32 l = 0; l < 32; l++)
        r |= (u32)((m >> l & 1) && met[l] == model_bits_of(v)) << l;
    return r;
}
template <class T> static inline u32 model_match_all(u32 m, T v, int *all)
{
    *all = model_match(m, v) == m;
    return *all ? m : 0;
}
template <class T, class F> static inline T model_reduce(u32 m, T v, F f)
{
    const u64 *met = model_meet(m, 5, model_bits_of(v));
    bool first = true;
    T r = v;
    for (u32 l = 0; l < 32; l++)
        if (m >> l & 1) {
            r = first ? model_value<T>(met[l]) : f(r, model_value<T>(met[l]));
            first = false;
        }
    return r;
}

/* ---- the grid ---- */
static void model_thread()
{
    model.program->host(model.global, &model.shared[model.self->block], model.n);
    model.self->state = MODEL_ENDED;
    model_yield();
}
static void model_begin(struct model_fibre *f, u32 block, u32 thread)
{
    void *stack =
        f->stack ? f->stack : mmap(nullptr, MODEL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        exit(11);
    memset(f, 0, sizeof *f);
    f->stack = stack;
    f->block = block;
    f->thread = thread;
    f->state = thread < model.threads && block < model.blocks ? MODEL_READY : MODEL_ENDED;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = MODEL_STACK;
    makecontext(&f->context, model_thread, 0);
}
/* Runs a program's threads until all have ended, in an order drawn from `seed`. */
static void model_run(const struct program *p, struct arena *g, struct block_memory *shared, u32 n, u64 seed)
{
    model.program = p;
    model.blocks = p->blocks;
    model.threads = p->threads;
    model.global = g;
    model.shared = shared;
    model.n = n;
    model.random = seed;
    model.watchers = model.at_grid = 0;
    model.steps = 0;
    memset(model.barriers, 0, sizeof model.barriers);
    for (u32 i = 0; i < MODEL_FIBRES; i++)
        model_begin(&model.fibres[i], i / MOST_THREADS, i % MOST_THREADS);
    for (u32 ready[MODEL_FIBRES], count;;) {
        u32 waiting = 0;
        count = 0;
        for (u32 i = 0; i < MODEL_FIBRES; i++) {
            if (model.fibres[i].state == MODEL_READY)
                ready[count++] = i;
            waiting += model.fibres[i].state == MODEL_WAITS;
        }
        if (!count && !waiting)
            return;
        if (!count || model.steps > 50000000)
            model_fault(count ? "was the last of too many steps" : "was the last to move: all wait");
        for (u32 turns = count; turns; turns--) {
            struct model_fibre *f = &model.fibres[ready[model_draw(count)]];
            if (f->state != MODEL_READY)
                continue;
            model.self = f;
            model.steps++;
            swapcontext(&model.main, &f->context);
        }
    }
}

#endif
