/* The PTX memory model: PTX ISA, "Memory Consistency Model", in the order of its sections and with its names. A
 * relation is a matrix of bits (execution.h). All accesses to a place have one size, so that two accesses overlap
 * completely or not at all. Proxies are in proxies.c. */
#include "litmus/execution.h"

#define EACH(a, x) for (unsigned a = 0; a < (x)->count; a++)

/* Relations */

struct litmus_relation litmus_join(const struct litmus_relation *r, const struct litmus_relation *s)
{
    struct litmus_relation both;
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        both.row[a] = r->row[a] | s->row[a];
    return both;
}

static struct litmus_relation meet(const struct litmus_relation *r, const struct litmus_relation *s)
{
    struct litmus_relation both;
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        both.row[a] = r->row[a] & s->row[a];
    return both;
}

struct litmus_relation litmus_follow_relation(const struct litmus_relation *r, const struct litmus_relation *s)
{
    struct litmus_relation both = {{0}};
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        for (uint64_t rest = r->row[a]; rest; rest &= rest - 1)
            both.row[a] |= s->row[mask_first(rest)];
    return both;
}

static struct litmus_relation inverse(const struct litmus_relation *r)
{
    struct litmus_relation back = {{0}};
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        for (uint64_t rest = r->row[a]; rest; rest &= rest - 1)
            litmus_relate(&back, mask_first(rest), a);
    return back;
}

static bool empty(const struct litmus_relation *r)
{
    uint64_t any = 0;
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        any |= r->row[a];
    return !any;
}

static bool irreflexive(const struct litmus_relation *r)
{
    for (unsigned a = 0; a < LITMUS_EVENTS; a++)
        if (litmus_related(r, a, a))
            return false;
    return true;
}

void litmus_close(struct litmus_relation *r, unsigned count)
{
    for (unsigned b = 0; b < count; b++)
        for (unsigned a = 0; a < count; a++)
            if (litmus_related(r, a, b))
                r->row[a] |= r->row[b];
}

bool litmus_acyclic(const struct litmus_relation *r, unsigned count)
{
    struct litmus_relation all = *r;
    litmus_close(&all, count);
    return irreflexive(&all);
}

/* Operations */

static bool is_memory(const struct litmus_event *e)
{
    return e->kind == LITMUS_READS || e->kind == LITMUS_WRITES;
}

/* "Strong": a fence, or a memory operation of an order other than weak. Barriers synchronize by themselves. */
static bool is_strong(const struct litmus_event *e)
{
    return e->kind == LITMUS_FENCES || (is_memory(e) && e->order != LITMUS_WEAK);
}

static bool is_strong_write(const struct litmus_event *e)
{
    return e->kind == LITMUS_WRITES && is_strong(e);
}

static bool is_strong_read(const struct litmus_event *e)
{
    return e->kind == LITMUS_READS && is_strong(e);
}

static bool releases(const struct litmus_event *e)
{
    return e->order == LITMUS_RELEASE || e->order == LITMUS_ACQ_REL;
}

static bool acquires(const struct litmus_event *e)
{
    return e->order == LITMUS_ACQUIRE || e->order == LITMUS_ACQ_REL;
}

/* True if the scope that the operation names includes the thread. */
static bool reaches(const struct litmus_test *test, const struct litmus_event *e, unsigned thread)
{
    const struct litmus_thread *from = &test->threads[e->thread], *to = &test->threads[thread];
    return e->scope == LITMUS_SYS || (from->gpu == to->gpu && (e->scope == LITMUS_GPU || from->cta == to->cta));
}

/* Two accesses of one place by one address and one proxy. An aliased access overlaps others only in memory. */
static bool are_alike(const struct litmus_event *e, const struct litmus_event *f)
{
    return is_memory(e) && is_memory(f) && e->place == f->place && e->address == f->address && e->proxy == f->proxy;
}

/* "Morally strong operations": related in program order, or each strong with a scope that includes the other's thread;
 * both by the same proxy; and if both access memory, they overlap completely. */
static bool are_morally_strong(const struct litmus_execution *x, unsigned a, unsigned b)
{
    const struct litmus_event *e = &x->events[a], *f = &x->events[b];
    if (a == b || e->thread == LITMUS_NO_THREAD || f->thread == LITMUS_NO_THREAD || e->proxy != f->proxy)
        return false;
    if (is_memory(e) && is_memory(f) && !are_alike(e, f))
        return false;
    if (litmus_related(&x->po, a, b) || litmus_related(&x->po, b, a))
        return true;
    return is_strong(e) && is_strong(f) && reaches(x->test, e, f->thread) && reaches(x->test, f, e->thread);
}

/* A bulk copy begins behind what its thread did before it. It is before nothing of that thread, until the thread has
 * waited for it; its read is before its write. */
static bool is_before(const struct litmus_execution *x, unsigned a, unsigned b)
{
    const struct litmus_event *e = &x->events[a], *f = &x->events[b];
    if (a >= b || e->thread != f->thread || e->thread == LITMUS_NO_THREAD)
        return false;
    bool before = !e->copies || (f->copies && e->copy == f->copy);
    for (unsigned w = a + 1; w <= b && !e->signals; w++)
        before |= x->events[w].awaits || (x->events[w].awaits_reads && e->kind == LITMUS_READS);
    return before;
}

void litmus_relate_program(struct litmus_execution *x)
{
    x->po = x->po_place = x->morally_strong = x->rmw = (struct litmus_relation){{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if (!is_before(x, a, b))
            continue;
        litmus_relate(&x->po, a, b);
        if (are_alike(e, f))
            litmus_relate(&x->po_place, a, b);
        if (b == a + 1 && e->updates && f->updates && e->kind == LITMUS_READS)
            litmus_relate(&x->rmw, a, b);
    }
    EACH(a, x) EACH(b, x)
    {
        if (are_morally_strong(x, a, b))
            litmus_relate(&x->morally_strong, a, b);
    }
}

/* "Release and acquire patterns" */

/* From the first operation of a release pattern to its last, a write: a release; one followed by a strong write of the
 * same place; a fence followed by a strong write. */
static struct litmus_relation release_patterns(const struct litmus_execution *x)
{
    struct litmus_relation r = {{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        bool writes = e->kind == LITMUS_WRITES && releases(e);
        bool same = a == b || (litmus_related(&x->po_place, a, b) && is_strong_write(f));
        bool fence = e->kind == LITMUS_FENCES && e->order != LITMUS_ACQUIRE && litmus_related(&x->po, a, b) &&
                     is_strong_write(f);
        if ((writes && same) || fence)
            litmus_relate(&r, a, b);
    }
    return r;
}

/* From the first operation of an acquire pattern, a read, to its last: an acquire; a strong read before one of the same
 * place; a strong read before a fence. */
static struct litmus_relation acquire_patterns(const struct litmus_execution *x)
{
    struct litmus_relation r = {{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        bool same = a == b || (litmus_related(&x->po_place, a, b) && is_strong_read(e));
        bool reads = f->kind == LITMUS_READS && acquires(f);
        bool fence =
            f->kind == LITMUS_FENCES && f->order != LITMUS_RELEASE && litmus_related(&x->po, a, b) && is_strong_read(e);
        if ((reads && same) || fence)
            litmus_relate(&r, a, b);
    }
    return r;
}

/* "Ordering of memory operations" */

/* "Observation order": a read takes its value from a morally strong write, perhaps by way of atomics. */
static struct litmus_relation observations(const struct litmus_execution *x)
{
    struct litmus_relation direct = meet(&x->morally_strong, &x->rf), all = direct;
    for (;;) {
        struct litmus_relation further = litmus_follow_relation(&all, &x->rmw), next;
        further = litmus_follow_relation(&further, &all);
        next = litmus_join(&all, &further);
        further = meet(&next, &all);
        bool done = true;
        EACH(a, x)
        done &= next.row[a] == further.row[a];
        if (done)
            return all;
        all = next;
    }
}

/* "Synchronizing operations": a release pattern whose write is observed by an acquire pattern's read, with ends that
 * are morally strong. */
static struct litmus_relation synchronizes(const struct litmus_execution *x)
{
    struct litmus_relation release = release_patterns(x), acquire = acquire_patterns(x), r;
    r = litmus_follow_relation(&release, &x->observation);
    r = litmus_follow_relation(&r, &acquire);
    return meet(&x->morally_strong, &r);
}

/* Barriers: who comes to one synchronizes with those that wait there in the same phase. */
static struct litmus_relation barriers(const struct litmus_execution *x)
{
    struct litmus_relation r = {{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if (e->kind != LITMUS_WAITS || f->kind != LITMUS_WAITS || e->thread == f->thread || f->arrives || e->late)
            continue;
        if (litmus_in_block(x->test, e->thread, f->thread) && e->place == f->place && e->phase == f->phase)
            litmus_relate(&r, a, b);
    }
    return r;
}

/* "Causality order": base causality order is program order, what synchronizes, and what follows from both; as much of
 * it as proxies preserve is causality order, and an observation may come before it. Of fences all of it is. */
static struct litmus_relation causality(const struct litmus_execution *x)
{
    struct litmus_relation sync = synchronizes(x), fences = meet(&x->morally_strong, &x->fence_sc), bars = barriers(x);
    struct litmus_relation base, kept, further;
    sync = litmus_join(&sync, &fences);
    sync = litmus_join(&sync, &bars);
    bars = litmus_object_order(x);
    sync = litmus_join(&sync, &bars);
    base = litmus_join(&x->po, &sync);
    litmus_close(&base, x->count);
    kept = litmus_proxy_preserved(x, &base);
    further = litmus_follow_relation(&x->observation, &kept);
    kept = litmus_join(&kept, &further);
    EACH(a, x)
    if (!is_memory(&x->events[a]))
        kept.row[a] = base.row[a];
    return kept;
}

void litmus_derive(struct litmus_execution *x)
{
    x->observation = observations(x);
    x->cause = causality(x);
}

/* "Axioms" */

static bool is_fence_sc(const struct litmus_execution *x, unsigned a)
{
    return x->events[a].kind == LITMUS_FENCES && x->events[a].order == LITMUS_SC;
}

bool litmus_allows_reads(const struct litmus_execution *x)
{
    /* "No-Thin-Air": no value follows from itself. Dependences are those of data, of control, and of an atomic's write
     * on its read (Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model",
     * ASPLOS 2019, section 3). */
    struct litmus_relation from = x->rf;
    EACH(a, x)
    for (uint64_t rest = x->events[a].depends_on; rest; rest &= rest - 1)
        litmus_relate(&from, mask_first(rest), a);
    if (!litmus_acyclic(&from, x->count))
        return false;
    /* "Fence-SC": its order does not contradict causality order. */
    EACH(a, x)
    EACH(b, x)
    if (is_fence_sc(x, a) && is_fence_sc(x, b) && litmus_related(&x->morally_strong, a, b) &&
        litmus_related(&x->fence_sc, a, b) && litmus_related(&x->cause, b, a))
        return false;
    return true;
}

bool litmus_allows(const struct litmus_execution *x)
{
    /* A read is before the writes that come behind the one that it reads from. */
    struct litmus_relation back = inverse(&x->rf), fr = litmus_follow_relation(&back, &x->co), strong_fr, strong_co, r;
    /* "Coherence": co, which has no cycle, contains causality order, and orders morally strong writes. */
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if (e->kind != LITMUS_WRITES || f->kind != LITMUS_WRITES || e->place != f->place)
            continue;
        if (litmus_related(&x->cause, a, b) && !litmus_related(&x->co, a, b))
            return false;
        if (litmus_related(&x->morally_strong, a, b) && !litmus_related(&x->co, a, b) && !litmus_related(&x->co, b, a))
            return false;
    }
    if (!irreflexive(&x->co))
        return false;
    /* "Atomicity": no morally strong write comes between an atomic's read and write. */
    strong_fr = meet(&x->morally_strong, &fr);
    strong_co = meet(&x->morally_strong, &x->co);
    r = litmus_follow_relation(&strong_fr, &strong_co);
    r = meet(&r, &x->rmw);
    if (!empty(&r))
        return false;
    /* "SC-per-location" */
    r = litmus_join(&x->rf, &x->co);
    r = litmus_join(&r, &fr);
    r = meet(&r, &x->morally_strong);
    r = litmus_join(&r, &x->po_place);
    if (!litmus_acyclic(&r, x->count))
        return false;
    /* "Causality": no read takes from a write that comes behind it, or misses one that is before it. */
    r = litmus_join(&x->rf, &fr);
    r = litmus_follow_relation(&r, &x->cause);
    return irreflexive(&r);
}
