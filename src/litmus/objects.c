/* mbarriers in an execution: in which phase of its object each arrival is counted, and which phase a thread has seen to
 * be over. PTX ISA, "mbarrier". A phase ends when so many arrivals have come as the object takes, and all bytes that
 * were expected; the bytes of a copy come at some time behind it. Who waits goes on when the object's parity is not the
 * one that it waits for. */
#include <stdlib.h>
#include <string.h>

#include "litmus/execution.h"

struct phases {
    struct litmus_execution *x;
    void (*visit)(void *context);
    void *context;
    uint64_t *seen; /* hashes of what was visited */
    unsigned seen_count, seen_capacity;
};

struct object {
    int pending, tx;
    unsigned phase;
};

static bool is_of_object(const struct litmus_event *e)
{
    return e->kind == LITMUS_ARRIVES || e->kind == LITMUS_PASSES;
}

/* True: what the thread does before it has happened. Bytes of copies hold up nobody. */
static bool may_come(const struct litmus_execution *x, uint64_t done, unsigned event)
{
    for (unsigned e = 0; e < event; e++)
        if (is_of_object(&x->events[e]) && x->events[e].thread == x->events[event].thread && !x->events[e].copies &&
            !mask_has(done, e))
            return false;
    return true;
}

/* Many orders of events give the same phases: these are visited once. */
static bool is_new(struct phases *p)
{
    uint64_t hash = 0;
    for (unsigned e = 0; e < p->x->count; e++)
        if (is_of_object(&p->x->events[e]))
            hash = (hash ^ (p->x->events[e].phase + 1)) * UINT64_C(0x9FB21C651E98DF25) + (hash >> 29);
    for (unsigned i = 0; i < p->seen_count; i++)
        if (p->seen[i] == hash)
            return false;
    if (p->seen_count == p->seen_capacity) {
        p->seen_capacity = 2 * p->seen_capacity + 8;
        p->seen = base_realloc(p->seen, p->seen_capacity * sizeof *p->seen);
    }
    p->seen[p->seen_count++] = hash;
    return true;
}

/* The event happens. False: it cannot now. */
static bool happen(const struct litmus_test *test, struct litmus_event *e, struct object *o)
{
    if (e->kind == LITMUS_PASSES) {
        e->phase = o->phase;
        return (o->phase & 1) != e->value;
    }
    if (!e->copies && !o->pending)
        return false;
    e->phase = o->phase;
    o->pending -= !e->copies;
    o->tx += e->copies ? -(int)e->value : (int)e->value;
    if (!o->pending && !o->tx)
        *o = (struct object){.pending = (int)test->objects[e->place].arrivals, .phase = o->phase + 1};
    return true;
}

static void choose(struct phases *p, uint64_t done, const struct object *objects)
{
    bool ended = true;
    for (unsigned e = 0; e < p->x->count; e++) {
        if (!is_of_object(&p->x->events[e]) || mask_has(done, e))
            continue;
        ended = false;
        struct object next[LITMUS_OBJECTS];
        memcpy(next, objects, sizeof next);
        if (may_come(p->x, done, e) && happen(p->x->test, &p->x->events[e], &next[p->x->events[e].place]))
            choose(p, done | BIT64(e), next);
    }
    if (ended && is_new(p))
        p->visit(p->context);
}

void litmus_each_phases(struct litmus_execution *x, void (*visit)(void *context), void *context)
{
    struct phases p = {.x = x, .visit = visit, .context = context};
    struct object objects[LITMUS_OBJECTS] = {{0}};
    for (unsigned i = 0; i < x->test->object_count; i++)
        objects[i].pending = (int)x->test->objects[i].arrivals;
    choose(&p, 0, objects);
    free(p.seen);
}

struct litmus_relation litmus_object_order(const struct litmus_execution *x)
{
    struct litmus_relation r = {{0}};
    for (unsigned a = 0; a < x->count; a++)
        for (unsigned b = 0; b < x->count; b++) {
            const struct litmus_event *e = &x->events[a], *f = &x->events[b];
            if (e->kind == LITMUS_ARRIVES && f->kind == LITMUS_PASSES && e->place == f->place &&
                e->phase + 1 == f->phase)
                litmus_relate(&r, a, b);
        }
    return r;
}
