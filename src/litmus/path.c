/* Follows a thread of a litmus test along every way that it may take (path.h). */
#include "litmus/path.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PATHS 20000u

/* The content of a register or operand. */
struct value {
    uint64_t value;      /* if it is known */
    bool known;          /* else it follows from reads whose values are not */
    uint64_t depends_on; /* events: the reads from which it follows */
};

/* A thread under way. */
struct walk {
    const struct litmus_test *test;
    unsigned thread, pc, turns;
    const struct litmus_path *path;
    struct litmus_event *events;
    unsigned first, count, chosen;
    struct value registers[LITMUS_REGISTERS];
    uint64_t of_branches; /* the reads that decided that the thread is here */
    struct value open;    /* the condition of a choice that the path does not have yet */
};

enum result {
    WALK_GOES_ON,
    WALK_ENDS,
    WALK_ASKS,        /* a choice is needed: walk.open */
    WALK_CONTRADICTS, /* a choice is not what is known to come */
    WALK_TURNS,       /* back, more often than may be */
    WALK_IS_LONG
};

static struct value value_of(const struct walk *w, struct litmus_operand o)
{
    return o.is_register ? w->registers[o.value] : (struct value){o.value, true, 0};
}

static struct litmus_event *add_event(struct walk *w, enum litmus_event_kind kind, const struct litmus_instr *i,
                                      struct value value)
{
    struct litmus_event *e = &w->events[w->count++];
    *e = (struct litmus_event){.kind = kind,
                               .thread = w->thread,
                               .order = i->order,
                               .scope = i->scope,
                               .place = i->place,
                               .address = i->address,
                               .proxy = i->proxy,
                               .value = value.value,
                               .known = value.known,
                               .updates = i->kind == LITMUS_ATOMIC,
                               .arrives = i->arrives,
                               .depends_on = value.depends_on | w->of_branches};
    return e;
}

/* The next choice of the path. */
static enum result choose(struct walk *w, struct value condition, bool *chosen)
{
    if (w->chosen == w->path->choice_count) {
        w->open = condition;
        return WALK_ASKS;
    }
    *chosen = w->path->choices[w->chosen++];
    return condition.known && *chosen != (condition.value != 0) ? WALK_CONTRADICTS : WALK_GOES_ON;
}

/* A read keeps the value that is known of it. */
static struct value add_read(struct walk *w, const struct litmus_instr *i)
{
    const struct litmus_event *kept = &w->events[w->count];
    struct value old = {kept->value, kept->known, 0};
    uint64_t self = BIT64(w->first + w->count);
    struct litmus_event *e = add_event(w, LITMUS_READS, i, old);
    if (e->order == LITMUS_RELEASE)
        e->order = LITMUS_RELAXED; /* the write releases */
    old.depends_on = self;
    return old;
}

static enum result walk_atomic(struct walk *w, const struct litmus_instr *i)
{
    unsigned bits = w->test->places[i->place].bits;
    struct value a = value_of(w, i->a), b = value_of(w, i->b), old = add_read(w, i), new;
    bool writes = true;
    if (i->update == LITMUS_cas) {
        struct value same = {old.value == litmus_fit(a.value, bits), old.known && a.known, 0};
        enum result result = choose(w, same, &writes);
        if (result != WALK_GOES_ON)
            return result;
        new = (struct value){litmus_fit(b.value, bits), b.known, 0};
    } else if (i->update == LITMUS_exch) {
        new = (struct value){litmus_fit(a.value, bits), a.known, 0};
    } else {
        new = (struct value){litmus_updated(i->update, bits, old.value, a.value, b.value), old.known && a.known, 0};
    }
    w->registers[i->to] = old;
    if (writes) {
        new.depends_on = a.depends_on | b.depends_on | old.depends_on;
        struct litmus_event *e = add_event(w, LITMUS_WRITES, i, new);
        if (e->order == LITMUS_ACQUIRE)
            e->order = LITMUS_RELAXED; /* the read acquires */
    }
    w->pc++;
    return WALK_GOES_ON;
}

static enum result walk_branch(struct walk *w, const struct litmus_instr *i)
{
    struct value a = value_of(w, i->a), b = value_of(w, i->b);
    bool branches = true;
    if (i->compare != LITMUS_ALWAYS) {
        struct value condition = {(a.value == b.value) == (i->compare == LITMUS_EQUAL), a.known && b.known, 0};
        enum result result = choose(w, condition, &branches);
        if (result != WALK_GOES_ON)
            return result;
        w->of_branches |= a.depends_on | b.depends_on;
    }
    bool back = branches && i->target <= w->pc;
    if (back && w->turns-- == 0)
        return WALK_TURNS;
    w->pc = branches ? i->target : w->pc + 1;
    return WALK_GOES_ON;
}

static void walk_barrier(struct walk *w, const struct litmus_instr *i)
{
    struct value number = value_of(w, i->a), threads = value_of(w, i->b);
    threads.known &= number.known;
    add_event(w, LITMUS_WAITS, i, threads)->place = (unsigned)number.value;
}

static void walk_store(struct walk *w, const struct litmus_instr *i)
{
    struct value a = value_of(w, i->a);
    a.value = litmus_fit(a.value, w->test->places[i->place].bits);
    add_event(w, LITMUS_WRITES, i, a);
}

/* A read and a write of the asynchronous proxy, the one of what the other writes. */
static void walk_copy(struct walk *w, const struct litmus_instr *i)
{
    struct litmus_instr read = *i;
    read.place = i->from, read.address = i->from_address;
    struct value copied = add_read(w, &read);
    unsigned bits = w->test->places[i->place].bits, first = w->count - 1;
    copied.value = litmus_fit(copied.value, bits);
    add_event(w, LITMUS_WRITES, i, copied);
    if (i->signals)
        add_event(w, LITMUS_ARRIVES, i, (struct value){bits / 8, true, 0})->place = i->object;
    for (unsigned e = first; e < w->count; e++) {
        w->events[e].copies = true;
        w->events[e].copy = first;
        w->events[e].signals = i->signals;
    }
}

static void walk_object(struct walk *w, const struct litmus_instr *i)
{
    bool arrives = i->kind == LITMUS_ARRIVE;
    struct value number = {arrives ? i->bytes : i->parity, true, 0};
    add_event(w, arrives ? LITMUS_ARRIVES : LITMUS_PASSES, i, number)->place = i->object;
}

/* Copies that are complete are known to the generic proxy (PTX ISA, "Async proxy"). */
static void walk_await(struct walk *w, const struct litmus_instr *i)
{
    struct litmus_event *e = add_event(w, LITMUS_PROXY_FENCES, i, (struct value){0, true, 0});
    e->proxy = LITMUS_ASYNC;
    e->awaits = !i->reads_only;
    e->awaits_reads = true;
}

/* One of a tensor map orders as a release or an acquire does, besides. */
static void walk_fence(struct walk *w, const struct litmus_instr *i)
{
    struct value none = {0, true, 0};
    if (i->kind == LITMUS_PROXY_FENCE) {
        add_event(w, LITMUS_PROXY_FENCES, i, none);
        return;
    }
    struct litmus_event *e = add_event(w, LITMUS_FENCES, i, none);
    e->tensormap = i->proxy == LITMUS_TENSORMAP;
    e->proxy = LITMUS_GENERIC;
}

static void walk_set(struct walk *w, const struct litmus_instr *i)
{
    struct value a = value_of(w, i->a), b = value_of(w, i->b);
    w->registers[i->to] = (struct value){litmus_fit(a.value + b.value, w->test->register_bits), a.known && b.known,
                                         a.depends_on | b.depends_on};
}

static enum result walk_instr(struct walk *w)
{
    const struct litmus_thread *thread = &w->test->threads[w->thread];
    const struct litmus_instr *i = &thread->instrs[w->pc];
    if (w->pc >= thread->count)
        return WALK_ENDS;
    if (w->count + 3 > LITMUS_PATH_EVENTS)
        return WALK_IS_LONG;
    switch (i->kind) {
    case LITMUS_BRANCH:
        return walk_branch(w, i);
    case LITMUS_ATOMIC:
        return walk_atomic(w, i);
    case LITMUS_LOAD:
        w->registers[i->to] = add_read(w, i);
        break;
    case LITMUS_STORE:
        walk_store(w, i);
        break;
    case LITMUS_SET:
        walk_set(w, i);
        break;
    case LITMUS_BARRIER:
        walk_barrier(w, i);
        break;
    case LITMUS_COPY:
        walk_copy(w, i);
        break;
    case LITMUS_AWAIT:
        walk_await(w, i);
        break;
    case LITMUS_ARRIVE:
    case LITMUS_PASS:
        walk_object(w, i);
        break;
    case LITMUS_FENCE:
    case LITMUS_PROXY_FENCE:
        walk_fence(w, i);
        break;
    }
    w->pc++;
    return WALK_GOES_ON;
}

static enum result walk(struct walk *w)
{
    const struct litmus_thread *thread = &w->test->threads[w->thread];
    enum result result = WALK_GOES_ON;
    for (unsigned r = 0; r < LITMUS_REGISTERS; r++)
        w->registers[r] = (struct value){thread->initial[r], true, 0};
    while (result == WALK_GOES_ON)
        result = walk_instr(w);
    return result;
}

bool litmus_follow(const struct litmus_test *test, unsigned thread, const struct litmus_path *path,
                   struct litmus_event *events, unsigned first, uint64_t *registers)
{
    struct walk w = {
        .test = test, .thread = thread, .turns = UINT32_MAX, .path = path, .events = events, .first = first};
    if (walk(&w) != WALK_ENDS)
        return false;
    for (unsigned r = 0; r < LITMUS_REGISTERS; r++)
        registers[r] = w.registers[r].value;
    return true;
}

struct finder {
    const struct litmus_test *test;
    unsigned thread, turns;
    struct litmus_paths *paths;
};

/* All paths that begin with this one. */
static void extend(struct finder *f, struct litmus_path path)
{
    struct litmus_event events[LITMUS_PATH_EVENTS] = {{0}};
    struct walk w = {.test = f->test, .thread = f->thread, .turns = f->turns, .path = &path, .events = events};
    enum result result = walk(&w);
    if (result == WALK_ENDS && f->paths->of_thread[f->thread].count < MOST_PATHS) {
        path.event_count = w.count;
        vec_push(&f->paths->of_thread[f->thread], path);
    } else if (result == WALK_TURNS) {
        f->paths->unrolled = true;
    } else if (result != WALK_ASKS || path.choice_count == LITMUS_PATH_CHOICES) {
        f->paths->complete = false;
    } else {
        unsigned at = path.choice_count++;
        for (unsigned way = 0; way < 2; way++) {
            path.choices[at] = way;
            if (!w.open.known || way == (w.open.value != 0))
                extend(f, path);
        }
    }
}

void litmus_find_paths(const struct litmus_test *test, unsigned turns, struct litmus_paths *paths)
{
    *paths = (struct litmus_paths){.complete = true};
    for (unsigned i = 0; i < test->thread_count; i++) {
        struct finder f = {.test = test, .thread = i, .turns = turns, .paths = paths};
        extend(&f, (struct litmus_path){.choice_count = 0});
    }
}

void litmus_paths_free(struct litmus_paths *paths)
{
    for (unsigned i = 0; i < LITMUS_THREADS; i++)
        vec_free(&paths->of_thread[i]);
}
