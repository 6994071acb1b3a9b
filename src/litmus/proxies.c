/* Proxies of the PTX memory model: PTX ISA, "Proxies" and "Proxy-preserved base causality order"; Lustig, Cooksey and
 * Giroux, "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model" (ISCA 2022).
 *
 * Base causality order holds of two accesses of one address by the generic proxy, and by another one within a block. To
 * hold of others it must go by proxy fences: one of the first access's proxy in its block, that tells the generic
 * proxy, and one of the second access's proxy in its block, that is told. Accesses by two addresses of one place need a
 * fence of aliases between. */
#include "litmus/execution.h"

#define EACH(a, x) for (unsigned a = 0; a < (x)->count; a++)

static bool is_access(const struct litmus_event *e)
{
    return e->kind == LITMUS_READS || e->kind == LITMUS_WRITES;
}

static bool is_generic(const struct litmus_event *e)
{
    return is_access(e) && e->proxy == LITMUS_GENERIC;
}

/* True if the proxy fence is one of the access's proxy, and in its block. A copy that counts at an mbarrier when its
 * bytes have come is known to the generic proxy then. */
static bool ties(const struct litmus_execution *x, const struct litmus_event *fence, const struct litmus_event *access)
{
    bool is_fence = fence->kind == LITMUS_PROXY_FENCES || (fence->kind == LITMUS_ARRIVES && fence->copies);
    return is_access(access) && access->thread != LITMUS_NO_THREAD && is_fence && fence->proxy == access->proxy &&
           litmus_in_block(x->test, fence->thread, access->thread);
}

/* From accesses to where the generic proxy knows of them: a generic access itself, else a proxy fence behind it. */
static struct litmus_relation told(const struct litmus_execution *x, const struct litmus_relation *base)
{
    struct litmus_relation r = {{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if ((a == b && is_generic(e)) || (litmus_related(base, a, b) && ties(x, f, e)))
            litmus_relate(&r, a, b);
    }
    return r;
}

/* From where the generic proxy knows to accesses that are told. */
static struct litmus_relation tells(const struct litmus_execution *x, const struct litmus_relation *base)
{
    struct litmus_relation r = {{0}};
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if ((a == b && is_generic(e)) || (litmus_related(base, a, b) && ties(x, e, f)))
            litmus_relate(&r, a, b);
    }
    return r;
}

/* From generic accesses to reads of a tensor map: a releasing fence of the kind must be behind the one, and an
 * acquiring fence, in the read's block, before the other. These fences tell in this direction alone. */
static struct litmus_relation by_tensormap(const struct litmus_execution *x, const struct litmus_relation *base)
{
    struct litmus_relation release = {{0}}, acquire = {{0}}, r;
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        if (!litmus_related(base, a, b))
            continue;
        if (is_generic(e) && f->kind == LITMUS_FENCES && f->tensormap && f->order == LITMUS_RELEASE)
            litmus_relate(&release, a, b);
        if (e->kind == LITMUS_FENCES && e->tensormap && e->order == LITMUS_ACQUIRE && is_access(f) &&
            f->proxy == LITMUS_TENSORMAP && litmus_in_block(x->test, e->thread, f->thread))
            litmus_relate(&acquire, a, b);
    }
    r = litmus_follow_relation(&release, base);
    return litmus_follow_relation(&r, &acquire);
}

/* Base causality order by way of a fence of aliases. */
static struct litmus_relation past_alias(const struct litmus_execution *x, const struct litmus_relation *base)
{
    struct litmus_relation to = {{0}};
    EACH(a, x)
    EACH(b, x)
    if (litmus_related(base, a, b) && x->events[b].kind == LITMUS_PROXY_FENCES && x->events[b].proxy == LITMUS_ALIAS)
        litmus_relate(&to, a, b);
    return litmus_follow_relation(&to, base);
}

/* True if base causality order needs no fence of proxies between the two. */
static bool needs_none(const struct litmus_execution *x, const struct litmus_event *e, const struct litmus_event *f)
{
    if (e->proxy != f->proxy)
        return false;
    return e->proxy == LITMUS_GENERIC || litmus_in_block(x->test, e->thread, f->thread);
}

/* Base causality order of accesses that need no fences of proxies: all of it, in a test of the generic proxy. */
static struct litmus_relation direct(const struct litmus_execution *x, const struct litmus_relation *base, bool *mixed)
{
    struct litmus_relation r = {{0}};
    *mixed = false;
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        *mixed |= e->proxy != LITMUS_GENERIC || (is_access(e) && e->address != e->place);
        if (litmus_related(base, a, b) && is_access(e) && is_access(f) && e->place == f->place &&
            e->address == f->address && needs_none(x, e, f))
            litmus_relate(&r, a, b);
    }
    return r;
}

struct litmus_relation litmus_proxy_preserved(const struct litmus_execution *x, const struct litmus_relation *base)
{
    bool mixed;
    struct litmus_relation kept = direct(x, base, &mixed), out, in, near, far, by_map;
    if (!mixed)
        return kept;
    out = told(x, base), in = tells(x, base), by_map = by_tensormap(x, base);
    near = litmus_follow_relation(&out, base);
    near = litmus_follow_relation(&near, &in);
    near = litmus_join(&near, &by_map);
    far = past_alias(x, base);
    far = litmus_follow_relation(&out, &far);
    far = litmus_follow_relation(&far, &in);
    EACH(a, x) EACH(b, x)
    {
        const struct litmus_event *e = &x->events[a], *f = &x->events[b];
        bool accesses = is_access(e) && is_access(f) && e->place == f->place;
        if (accesses && (litmus_related(&far, a, b) || (e->address == f->address && litmus_related(&near, a, b))))
            litmus_relate(&kept, a, b);
    }
    return kept;
}
