#include "litmus/trace.h"

#include <string.h>

#define MOST_TRACES 20000u

/* A thread under way. */
struct walk {
    struct litmus_tracing *t;
    unsigned thread, pc, turns;
    struct litmus_trace trace;
    uint64_t of_register[LITMUS_REGISTERS]; /* the reads on which it depends */
    uint64_t of_branches;                   /* and those that decided that the thread is here */
};

static void note_value(struct litmus_tracing *t, unsigned place, uint32_t value)
{
    struct litmus_values *v = &t->values[place];
    for (unsigned i = 0; i < v->count; i++)
        if (v->items[i] == value)
            return;
    if (v->count == LITMUS_VALUES)
        t->complete = false;
    else
        v->items[v->count++] = value;
}

static uint64_t depends(const struct walk *w, struct litmus_operand o)
{
    return o.is_register ? w->of_register[o.value] : 0;
}

static struct litmus_event *add_event(struct walk *w, enum litmus_event_kind kind, const struct litmus_instr *i,
                                      uint32_t value, uint64_t depends_on)
{
    struct litmus_event *e = &w->trace.events[w->trace.count++];
    *e = (struct litmus_event){.kind = kind,
                               .thread = w->thread,
                               .order = i->order,
                               .scope = i->scope,
                               .place = kind == LITMUS_WAITS ? i->barrier : i->place,
                               .value = value,
                               .updates = i->kind == LITMUS_ATOMIC,
                               .depends_on = depends_on | w->of_branches};
    if (kind == LITMUS_WRITES)
        note_value(w->t, i->place, value);
    return e;
}

static void walk(struct walk w);

/* A read, with every value that there is. An atomic that finds what it does not compare with writes nothing. */
static void walk_read(struct walk *w, const struct litmus_instr *i)
{
    for (unsigned k = 0; k < w->t->values[i->place].known; k++) {
        struct walk next = *w;
        uint32_t old = w->t->values[i->place].items[k];
        uint32_t a = litmus_value(w->trace.registers, i->a), b = litmus_value(w->trace.registers, i->b);
        uint64_t read = BIT64(w->trace.count), operands = depends(w, i->a) | depends(w, i->b);
        struct litmus_event *e = add_event(&next, LITMUS_READS, i, old, 0);
        if (e->order == LITMUS_RELEASE)
            e->order = LITMUS_RELAXED; /* the write releases */
        next.trace.registers[i->to] = old;
        next.of_register[i->to] = read;
        if (i->kind == LITMUS_ATOMIC && !(i->update == LITMUS_cas && old != a)) {
            uint64_t of_read = i->update == LITMUS_exch ? 0 : read;
            e = add_event(&next, LITMUS_WRITES, i, litmus_updated(i->update, old, a, b), operands | of_read);
            if (e->order == LITMUS_ACQUIRE)
                e->order = LITMUS_RELAXED;
        }
        next.pc++;
        walk(next);
    }
}

static void wait_at_barrier(struct walk *w, const struct litmus_instr *i)
{
    unsigned turn = 0;
    for (unsigned k = 0; k < w->trace.count; k++)
        turn += w->trace.events[k].kind == LITMUS_WAITS && w->trace.events[k].place == i->barrier;
    add_event(w, LITMUS_WAITS, i, 0, 0)->turn = turn;
}

/* Returns whether the thread goes on. */
static bool walk_branch(struct walk *w, const struct litmus_instr *i)
{
    w->of_branches |= depends(w, i->a) | depends(w, i->b);
    if (!litmus_branches(i, w->trace.registers)) {
        w->pc++;
        return true;
    }
    bool back = i->target <= w->pc;
    if (back && w->turns == w->t->turns) {
        w->t->unrolled = true;
        return false;
    }
    w->turns += back;
    w->pc = i->target;
    return true;
}

static void walk(struct walk w)
{
    const struct litmus_thread *thread = &w.t->test->threads[w.thread];
    while (w.pc < thread->count) {
        const struct litmus_instr *i = &thread->instrs[w.pc];
        if (w.trace.count + 2 > LITMUS_TRACE_EVENTS) {
            w.t->complete = false;
            return;
        }
        if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC) {
            walk_read(&w, i);
            return;
        }
        if (i->kind == LITMUS_BRANCH) {
            if (!walk_branch(&w, i))
                return;
            continue;
        }
        if (i->kind == LITMUS_SET) {
            w.trace.registers[i->to] = litmus_value(w.trace.registers, i->a) + litmus_value(w.trace.registers, i->b);
            w.of_register[i->to] = depends(&w, i->a) | depends(&w, i->b);
        } else if (i->kind == LITMUS_STORE) {
            add_event(&w, LITMUS_WRITES, i, litmus_value(w.trace.registers, i->a), depends(&w, i->a));
        } else if (i->kind == LITMUS_BARRIER) {
            wait_at_barrier(&w, i);
        } else {
            add_event(&w, LITMUS_FENCES, i, 0, 0);
        }
        w.pc++;
    }
    if (w.t->traces[w.thread].count == MOST_TRACES)
        w.t->complete = false;
    else
        vec_push(&w.t->traces[w.thread], w.trace);
}

/* Whether the last round of walks has made values that it has not read; from now on they are known. */
static bool learn_values(struct litmus_tracing *t)
{
    bool more = false;
    for (unsigned i = 0; i < LITMUS_PLACES; i++) {
        more |= t->values[i].count > t->values[i].known;
        t->values[i].known = t->values[i].count;
    }
    return more;
}

/* The most writes to a place in one execution: of so many at most is a value made. */
static unsigned most_writes(const struct litmus_tracing *t)
{
    unsigned most = 0;
    for (unsigned place = 0; place < t->test->place_count; place++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < t->test->thread_count; i++) {
            unsigned of_thread = 0;
            for (size_t k = 0; k < t->traces[i].count; k++) {
                const struct litmus_trace *trace = &t->traces[i].items[k];
                unsigned writes = 0;
                for (unsigned e = 0; e < trace->count; e++)
                    writes += trace->events[e].kind == LITMUS_WRITES && trace->events[e].place == place;
                of_thread = writes > of_thread ? writes : of_thread;
            }
            sum += of_thread;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

void litmus_trace(struct litmus_tracing *t)
{
    const struct litmus_test *test = t->test;
    t->complete = true;
    for (unsigned i = 0; i < test->place_count; i++)
        note_value(t, i, test->places[i].initial);
    for (unsigned round = 0; (learn_values(t) || round == 0) && round <= most_writes(t); round++) {
        t->unrolled = false;
        for (unsigned i = 0; i < test->thread_count; i++) {
            struct walk w = {.t = t, .thread = i};
            memcpy(w.trace.registers, test->threads[i].initial, sizeof w.trace.registers);
            t->traces[i].count = 0;
            walk(w);
        }
    }
}

void litmus_tracing_free(struct litmus_tracing *t)
{
    for (unsigned i = 0; i < LITMUS_THREADS; i++)
        vec_free(&t->traces[i]);
}
