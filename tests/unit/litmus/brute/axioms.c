#include "brute.h"

/* The published relations, as questions about two events. */

static bool is_memory(const struct event *e)
{
    return e->kind == READ || e->kind == WRITE;
}

static bool po(const struct brute *b, unsigned x, unsigned y)
{
    return b->events[x].thread != INIT && b->events[x].thread == b->events[y].thread && x < y;
}

static bool po_loc(const struct brute *b, unsigned x, unsigned y)
{
    return po(b, x, y) && is_memory(&b->events[x]) && is_memory(&b->events[y]) &&
           b->events[x].address == b->events[y].address && b->events[x].proxy == b->events[y].proxy;
}

static bool rmw(const struct brute *b, unsigned x, unsigned y)
{
    return po(b, x, y) && b->events[x].pc == b->events[y].pc && b->events[x].kind == READ && b->events[y].kind == WRITE;
}

bool brute_in_block(const struct brute *b, unsigned t, unsigned u)
{
    return b->test->threads[t].cta == b->test->threads[u].cta && b->test->threads[t].gpu == b->test->threads[u].gpu;
}

static bool names(const struct brute *b, const struct event *e, unsigned thread)
{
    if (e->scope == LITMUS_CTA)
        return brute_in_block(b, e->thread, thread);
    return e->scope == LITMUS_SYS || b->test->threads[e->thread].gpu == b->test->threads[thread].gpu;
}

static bool strong(const struct brute *b, unsigned x, unsigned y) /* morally */
{
    const struct event *e = &b->events[x], *f = &b->events[y];
    if (x == y || e->thread == INIT || f->thread == INIT || e->proxy != f->proxy ||
        (is_memory(e) && is_memory(f) && e->address != f->address))
        return false;
    return e->thread == f->thread || (e->strong && f->strong && names(b, e, f->thread) && names(b, f, e->thread));
}

struct relation brute_compose(const struct brute *b, const struct relation *r, const struct relation *s)
{
    struct relation t = {{0}};
    for (unsigned x = 0; x < b->count; x++)
        for (unsigned y = 0; y < b->count; y++)
            if (has(r, x, y))
                t.row[x] |= s->row[y];
    return t;
}

static struct relation either(const struct relation *r, const struct relation *s)
{
    struct relation t;
    for (unsigned x = 0; x < MOST_EVENTS; x++)
        t.row[x] = r->row[x] | s->row[x];
    return t;
}

static struct relation closure(const struct brute *b, struct relation r)
{
    for (;;) {
        struct relation s = brute_compose(b, &r, &r), t = either(&r, &s);
        if (!memcmp(&t, &r, sizeof t))
            return r;
        r = t;
    }
}

static bool cyclic(const struct brute *b, struct relation r)
{
    r = closure(b, r);
    for (unsigned x = 0; x < b->count; x++)
        if (has(&r, x, x))
            return true;
    return false;
}

static struct relation observation(const struct brute *b)
{
    struct relation obs = {{0}}, atomics = {{0}};
    PAIRS(b, x, y)
    {
        if (strong(b, x, y) && has(&b->rf, x, y))
            put(&obs, x, y);
        if (rmw(b, x, y))
            put(&atomics, x, y);
    }
    for (;;) {
        struct relation more = brute_compose(b, &obs, &atomics);
        more = brute_compose(b, &more, &obs);
        more = either(&more, &obs);
        if (!memcmp(&more, &obs, sizeof more))
            return obs;
        obs = more;
    }
}

/* x begins a release pattern that ends with write y; y ends an acquire pattern that begins with read x. */
static bool release_pattern(const struct brute *b, unsigned x, unsigned y)
{
    const struct event *e = &b->events[x], *f = &b->events[y];
    if (f->kind != WRITE || !f->strong)
        return false;
    return e->kind == FENCE ? po(b, x, y) : e->kind == WRITE && e->releases && (x == y || po_loc(b, x, y));
}

static bool acquire_pattern(const struct brute *b, unsigned x, unsigned y)
{
    const struct event *e = &b->events[x], *f = &b->events[y];
    if (e->kind != READ || !e->strong)
        return false;
    return f->kind == FENCE ? po(b, x, y) : f->kind == READ && f->acquires && (x == y || po_loc(b, x, y));
}

/* f is a fence of the proxy by which e accesses memory, in e's block. */
static bool is_fence_of(const struct brute *b, const struct event *f, const struct event *e)
{
    return f->kind == PROXY_FENCE && f->proxy == e->proxy && brute_in_block(b, f->thread, e->thread);
}

/* From s, which the generic proxy knows, to t likewise: straight, or past a fence of aliases. */
static bool goes(const struct brute *b, const struct relation *base, unsigned s, unsigned t, bool past_alias)
{
    if (!past_alias)
        return has(base, s, t);
    for (unsigned a = 0; a < b->count; a++)
        if (b->events[a].kind == PROXY_FENCE && b->events[a].proxy == LITMUS_ALIAS && has(base, s, a) &&
            has(base, a, t))
            return true;
    return false;
}

/* The rules of the mixed-proxy paper, one by one: with and without a fence at the source, at the destination, and of
 * aliases. */
static bool is_preserved(const struct brute *b, const struct relation *base, unsigned x, unsigned y)
{
    const struct event *e = &b->events[x], *f = &b->events[y];
    bool same = e->address == f->address, from = e->proxy == LITMUS_GENERIC, to = f->proxy == LITMUS_GENERIC;
    if (!is_memory(e) || !is_memory(f) || e->place != f->place || e->thread == INIT || f->thread == INIT)
        return false;
    if (same && has(base, x, y) && e->proxy == f->proxy && (from || brute_in_block(b, e->thread, f->thread)))
        return true;
    for (unsigned alias = same ? 0 : 1; alias < 2; alias++) {
        if (from && to && goes(b, base, x, y, alias))
            return true;
        PAIRS(b, s, t)
        {
            bool at_source = has(base, x, s) && is_fence_of(b, &b->events[s], e);
            bool at_end = has(base, t, y) && is_fence_of(b, &b->events[t], f);
            if ((at_source && to && goes(b, base, s, y, alias)) || (from && at_end && goes(b, base, x, t, alias)) ||
                (at_source && at_end && goes(b, base, s, t, alias)))
                return true;
        }
    }
    return false;
}

struct relation brute_causality(const struct brute *b)
{
    struct relation rel = {{0}}, acq = {{0}}, sync, before = {{0}}, kept = {{0}}, obs = observation(b), base;
    PAIRS(b, x, y)
    {
        if (release_pattern(b, x, y))
            put(&rel, x, y);
        if (acquire_pattern(b, x, y))
            put(&acq, x, y);
        if (x == y || po(b, x, y))
            put(&before, x, y);
    }
    sync = brute_compose(b, &rel, &obs);
    sync = brute_compose(b, &sync, &acq);
    PAIRS(b, x, y)
    {
        const struct event *e = &b->events[x], *f = &b->events[y];
        bool meet = e->kind == BARRIER && f->kind == BARRIER && f->waits && e->thread != f->thread &&
                    brute_in_block(b, e->thread, f->thread) && e->number == f->number && e->phase == f->phase;
        if (!strong(b, x, y))
            sync.row[x] &= ~(1u << y);
        if (meet || (strong(b, x, y) && has(&b->sc, x, y)))
            put(&sync, x, y);
    }
    base = brute_compose(b, &before, &sync);
    base = brute_compose(b, &base, &before);
    PAIRS(b, x, y)
    if (po(b, x, y))
        put(&base, x, y);
    base = closure(b, base);
    PAIRS(b, x, y)
    if (is_preserved(b, &base, x, y))
        put(&kept, x, y);
    obs = brute_compose(b, &obs, &kept);
    kept = either(&kept, &obs);
    PAIRS(b, x, y)
    if (b->events[x].is_sc && b->events[y].is_sc && has(&base, x, y))
        put(&kept, x, y);
    return kept;
}

/* A value, or that an instruction is done at all, depends on a read. */
static void find_dependences(const struct brute *b, unsigned thread, struct relation *dep)
{
    set of[LITMUS_REGISTERS] = {0}, control = 0;
    const struct litmus_thread *t = &b->test->threads[thread];
    for (unsigned pc = 0; pc < t->count; pc++) {
        const struct litmus_instr *i = &t->instrs[pc];
        set read = 0, operands = (i->a.is_register ? of[i->a.value] : 0) | (i->b.is_register ? of[i->b.value] : 0);
        if (!b->done[thread][pc])
            continue;
        for (unsigned x = 0; x < b->count; x++) {
            const struct event *e = &b->events[x];
            if (e->thread != thread || e->pc != pc)
                continue;
            set on = control | (e->kind == WRITE ? operands | read : 0);
            for (unsigned r = 0; r < b->count; r++)
                if (on >> r & 1)
                    put(dep, r, x);
            if (e->kind == READ)
                read = 1u << x;
        }
        if (i->kind == LITMUS_BRANCH)
            control |= operands;
        else if (i->kind == LITMUS_SET)
            of[i->to] = operands;
        else if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC)
            of[i->to] = read;
    }
}

bool brute_is_out_of_thin_air(const struct brute *b)
{
    struct relation from = b->rf;
    for (unsigned t = 0; t < b->test->thread_count; t++)
        find_dependences(b, t, &from);
    return cyclic(b, from);
}

/* The axioms */
bool brute_is_consistent(const struct brute *b, const struct relation *cause)
{
    struct relation fr = {{0}}, loc = {{0}}, r;
    PAIRS(b, w, x)
    {
        if (has(&b->rf, w, x))
            fr.row[x] |= b->co.row[w];
        const struct event *e = &b->events[w], *f = &b->events[x];
        bool pair = e->kind == WRITE && f->kind == WRITE && e->place == f->place;
        if (pair && has(cause, w, x) && !has(&b->co, w, x))
            return false;
        if (pair && strong(b, w, x) && !has(&b->co, w, x) && !has(&b->co, x, w))
            return false;
        if (e->is_sc && f->is_sc && strong(b, w, x) && has(cause, w, x) && !has(&b->sc, w, x))
            return false;
    }
    PAIRS(b, x, w)
    {
        if (po_loc(b, x, w) || (strong(b, x, w) && (has(&fr, x, w) || has(&b->co, x, w) || has(&b->rf, x, w))))
            put(&loc, x, w);
        for (unsigned y = 0; y < b->count; y++)
            if (rmw(b, x, y) && strong(b, x, w) && has(&fr, x, w) && strong(b, w, y) && has(&b->co, w, y))
                return false;
    }
    if (cyclic(b, loc))
        return false;
    r = either(&b->rf, &fr);
    r = brute_compose(b, &r, cause);
    for (unsigned x = 0; x < b->count; x++)
        if (has(&r, x, x))
            return false;
    return true;
}
