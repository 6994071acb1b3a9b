/* A timeline as a trace of Perfetto: SMs are its processes, warp slots their threads. A slot has its phases, and below
 * it tracks for barriers and for the locks that its lanes wait for and hold; a lock given back leads by a flow to its
 * next holder. An SM counts the warps that live there, those with a lane that waits for a lock, and what it issues. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "profile/profile.h"
#include "report/figures.h"
#include "report/timeline_report.h"
#include "report/trace.h"

#define SLOTS 64
#define LOCK_TRACKS 64 /* of a slot */

enum kind { KERNELS = 1, SM, SLOT, LOCKS, BARRIERS, COUNTERS };
enum counter { COUNTER_RESIDENT, COUNTER_WAITING, COUNTER_IPC };

static uint64_t uuid_of(enum kind kind, uint32_t sm, uint32_t slot, uint32_t n)
{
    return (uint64_t)kind << 48 | (uint64_t)sm << 24 | (uint64_t)slot << 8 | n;
}

/* Tracks that are described: slots of an SM, and tracks of locks of each slot. */
struct known {
    uint32_t sm;
    uint64_t slots, barriers;
    uint64_t locks[SLOTS];
};
struct converter {
    const struct timeline_read_launch *l;
    struct trace trace;
    VEC(struct known) sms;
    uint64_t flows;
};

/* Tracks */

static uint32_t group_number(uint32_t sm)
{
    return sm + 2; /* the kernels are 1 */
}

static struct known *sm_of(struct converter *c, uint32_t sm)
{
    static const struct {
        const char *name, *unit;
    } counters[] = {{"warps resident", "warps"}, {"warps waiting for locks", "warps"}, {"IPC", "warp instructions"}};
    char name[32];
    for (size_t i = 0; i < c->sms.count; i++)
        if (c->sms.items[i].sm == sm)
            return &c->sms.items[i];
    snprintf(name, sizeof name, "SM %u", sm);
    trace_add_group(&c->trace, uuid_of(SM, sm, 0, 0), group_number(sm), name);
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++)
        trace_add_counter(&c->trace, uuid_of(COUNTERS, sm, 0, i), uuid_of(SM, sm, 0, 0), counters[i].name,
                          counters[i].unit);
    vec_push(&c->sms, (struct known){.sm = sm});
    return &c->sms.items[c->sms.count - 1];
}

static uint64_t slot_track(struct converter *c, uint32_t sm, uint32_t slot)
{
    struct known *known = sm_of(c, sm);
    uint64_t uuid = uuid_of(SLOT, sm, slot, 0);
    char name[32];
    if (mask_has(known->slots, slot))
        return uuid;
    known->slots |= BIT64(slot);
    snprintf(name, sizeof name, "warp slot %u", slot);
    trace_add_thread(&c->trace, uuid, uuid_of(SM, sm, 0, 0), group_number(sm), group_number(sm) * 1000 + slot, name);
    return uuid;
}

static uint64_t track_below(struct converter *c, enum kind kind, uint32_t sm, uint32_t slot, uint32_t n)
{
    uint64_t parent = slot_track(c, sm, slot), uuid = uuid_of(kind, sm, slot, n);
    struct known *known = sm_of(c, sm);
    uint64_t *set = kind == LOCKS ? &known->locks[slot] : &known->barriers;
    unsigned member = kind == LOCKS ? n : slot;
    if (!mask_has(*set, member))
        trace_add_track(&c->trace, uuid, parent, kind == LOCKS ? "locks" : "barriers");
    *set |= BIT64(member);
    return uuid;
}

/* Phases */

static void note_place(struct converter *c, struct trace_event *event, uint32_t pc)
{
    struct strbuf place = {0};
    timeline_read_add_place(c->l, pc, &place);
    trace_note_text(&c->trace, event, "line", strbuf_text(&place));
    trace_note_text(&c->trace, event, "instruction", timeline_read_text(c->l, pc));
    strbuf_free(&place);
}

static void add_slice(struct converter *c, uint64_t track, uint64_t from, uint64_t until, const char *name, uint32_t pc)
{
    note_place(c, trace_add_event(&c->trace, c->l->start + from, track, TRACE_BEGIN, name), pc);
    trace_add_event(&c->trace, c->l->start + until, track, TRACE_END, NULL);
}

static void add_phases(struct converter *c, const struct timeline_read_life *life)
{
    const struct timeline_read_launch *l = c->l;
    uint64_t track = slot_track(c, life->sm, life->slot), at = life->at;
    for (size_t i = life->first; i < life->first + life->count; i++) {
        const struct timeline_read_phase *p = &l->phases.items[i];
        const char *name = profile_cause_words(timeline_read_cause(l, p->cause));
        struct trace_event *event = trace_add_event(&c->trace, l->start + at, track, TRACE_BEGIN, name);
        note_place(c, event, p->pc);
        if (p->own != p->cycles)
            trace_note_number(&c->trace, event, "cycles of that", p->own);
        at += p->cycles;
        trace_add_event(&c->trace, l->start + at, track, TRACE_END, NULL);
    }
}

/* The block's index and the warp's number in it. */
static void add_life(struct converter *c, const struct timeline_read_life *life)
{
    char name[80];
    uint64_t track = slot_track(c, life->sm, life->slot);
    snprintf(name, sizeof name, "block %u,%u,%u warp %u", life->block[0], life->block[1], life->block[2], life->warp);
    trace_add_event(&c->trace, c->l->start + life->at, track, TRACE_BEGIN, name);
    add_phases(c, life);
    trace_add_event(&c->trace, c->l->start + life->until, track, TRACE_END, NULL);
}

static int by_birth(const void *a, const void *b)
{
    const struct timeline_read_life *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_coming(const void *a, const void *b)
{
    const struct timeline_read_wait *x = a, *y = b;
    return (x->came > y->came) - (x->came < y->came);
}

/* Counters */

static int in_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

struct change {
    uint32_t sm;
    int by;
    uint64_t time;
};
typedef VEC(struct change) changes;

static int by_sm_and_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static void add_changes(struct converter *c, changes *all, enum counter counter)
{
    int64_t count = 0;
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, by_sm_and_time);
    for (size_t i = 0; i < all->count; i++) {
        const struct change *change = &all->items[i], *next = i + 1 < all->count ? change + 1 : NULL;
        count += change->by;
        if (next && next->sm == change->sm && next->time == change->time)
            continue;
        sm_of(c, change->sm);
        trace_add_event(&c->trace, c->l->start + change->time, uuid_of(COUNTERS, change->sm, 0, counter), TRACE_COUNT,
                        NULL)
            ->count = count;
        if (!next || next->sm != change->sm)
            count = 0;
    }
    vec_free(all);
}

static void add_resident(struct converter *c)
{
    changes all = {0};
    for (size_t i = 0; i < c->l->lives.count; i++) {
        const struct timeline_read_life *life = &c->l->lives.items[i];
        vec_push(&all, (struct change){life->sm, 1, life->from});
        vec_push(&all, (struct change){life->sm, -1, life->until});
    }
    add_changes(c, &all, COUNTER_RESIDENT);
}

static void add_wait(changes *all, uint32_t sm, uint64_t from, uint64_t until)
{
    if (from == until)
        return;
    vec_push(all, (struct change){sm, 1, from});
    vec_push(all, (struct change){sm, -1, until});
}

static int by_warp(const void *a, const void *b)
{
    const struct timeline_read_section *x = a, *y = b;
    int differ = in_order(x->sm, y->sm);
    differ = differ ? differ : in_order(x->slot, y->slot);
    return differ ? differ : in_order(x->since, y->since);
}

/* Waits of a warp's lanes that overlap are one. Sorts the sections. */
static void add_waiting(struct converter *c, struct timeline_read_section *sections, size_t count)
{
    changes all = {0};
    uint64_t from = 0, until = 0;
    if (count)
        qsort(sections, count, sizeof *sections, by_warp);
    for (size_t i = 0; i < count; i++) {
        const struct timeline_read_section *s = &sections[i], *before = i ? s - 1 : s;
        if (s->sm != before->sm || s->slot != before->slot || s->since > until) {
            add_wait(&all, before->sm, from, until);
            from = until = s->since;
        }
        until = s->taken > until ? s->taken : until;
    }
    if (count)
        add_wait(&all, sections[count - 1].sm, from, until);
    add_changes(c, &all, COUNTER_WAITING);
}

static void add_ipc(struct converter *c, const struct timeline_read_issues *issues)
{
    size_t count = json_array_size(issues->counts);
    uint64_t track = uuid_of(COUNTERS, issues->sm, 0, COUNTER_IPC);
    sm_of(c, issues->sm);
    for (size_t i = 0; i <= count; i++) {
        uint64_t time = i * issues->bin < c->l->cycles ? i * issues->bin : c->l->cycles;
        json_int_t value = json_integer_value(json_array_get(issues->counts, i)); /* behind the last one: 0 */
        trace_add_event(&c->trace, c->l->start + time, track, TRACE_COUNT_REAL, NULL)->real =
            (double)value / (double)issues->bin;
    }
}

/* Locks */

/* A section on its way: the flows that end and begin with it. */
struct held {
    struct timeline_read_section is;
    uint64_t flow, flow_ends;
    bool shared;     /* the lock is in shared memory */
    bool unfinished; /* it held the lock until its warp left, or (taken == given) waited for it until then */
};

/* Those of shared memory are apart by block. */
static int by_lock(const struct held *x, const struct held *y)
{
    int differ = in_order(x->unfinished, y->unfinished);
    differ = differ ? differ : in_order(x->is.lock, y->is.lock);
    if (differ || !x->shared)
        return differ;
    differ = in_order(x->is.sm, y->is.sm);
    return differ ? differ : in_order(x->is.block, y->is.block);
}

static int by_taking(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    int differ = by_lock(x, y);
    differ = differ ? differ : in_order(x->is.taken, y->is.taken);
    return differ ? differ : in_order(x->is.given, y->is.given);
}

static int by_since(const void *a, const void *b)
{
    const struct timeline_read_section *x = &((const struct held *)a)->is, *y = &((const struct held *)b)->is;
    int differ = in_order(x->since, y->since);
    differ = differ ? differ : in_order(x->taken, y->taken);
    differ = differ ? differ : in_order(x->sm, y->sm);
    differ = differ ? differ : in_order(x->slot, y->slot);
    return differ ? differ : in_order(x->lane, y->lane);
}

static void add_section(struct converter *c, const struct held *held, uint64_t track)
{
    const struct timeline_read_section *s = &held->is;
    struct strbuf name = {0};
    const char *lock = timeline_read_lock(c->l, s->lock);
    if (s->taken > s->since) {
        strbuf_addf(&name, "waits for %s", lock);
        add_slice(c, track, s->since, s->taken, name.text, s->taken_at);
        name.length = 0;
    }
    strbuf_addf(&name, "holds %s", lock);
    struct trace_event *begin =
        trace_add_event(&c->trace, c->l->start + s->taken, track, TRACE_BEGIN, strbuf_text(&name));
    begin->flow_ends = held->flow_ends;
    note_place(c, begin, s->taken_at);
    trace_note_number(&c->trace, begin, "lane", s->lane);
    name.length = 0;
    strbuf_addf(&name, "gives back %s", lock);
    struct trace_event *gives =
        trace_add_event(&c->trace, c->l->start + s->given, track, TRACE_INSTANT, strbuf_text(&name));
    gives->flow = held->flow;
    note_place(c, gives, s->given_at);
    trace_add_event(&c->trace, c->l->start + s->given, track, TRACE_END, NULL);
    strbuf_free(&name);
}

/* A slice that goes on to the end of the warp. */
static void add_unfinished(struct converter *c, const struct held *held, uint64_t track)
{
    const struct timeline_read_section *s = &held->is;
    struct strbuf name = {0};
    strbuf_addf(&name, "%s %s", s->taken < s->given ? "holds" : "waits for", timeline_read_lock(c->l, s->lock));
    struct trace_event *begin = trace_add_event(&c->trace, c->l->start + s->since, track, TRACE_BEGIN, name.text);
    trace_note_text(&c->trace, begin, "end", s->taken < s->given ? "never given back" : "never taken");
    trace_note_number(&c->trace, begin, "lane", s->lane);
    trace_add_event(&c->trace, c->l->start + s->given, track, TRACE_END, NULL);
    strbuf_free(&name);
}

/* The first track of the warp's slot whose last section has ended; ends: by SM's place, slot and track. */
static uint64_t free_lock_track(struct converter *c, const struct timeline_read_section *s, uint64_t *ends)
{
    size_t sm = (size_t)(sm_of(c, s->sm) - c->sms.items);
    uint64_t *of_slot = &ends[(sm * SLOTS + s->slot) * LOCK_TRACKS];
    uint32_t n = 0;
    while (n < LOCK_TRACKS && of_slot[n] > s->since)
        n++;
    if (n == LOCK_TRACKS)
        return 0;
    of_slot[n] = s->given;
    return track_below(c, LOCKS, s->sm, s->slot, n);
}

/* As a section: one that was taken when it began, or when it ended. */
static struct held unfinished(const struct timeline_read_unfinished *u)
{
    return (struct held){.unfinished = true,
                         .is = {.sm = u->sm,
                                .lock = u->lock,
                                .slot = u->slot,
                                .lane = u->lane,
                                .since = u->from,
                                .taken = u->held ? u->from : u->until,
                                .given = u->until}};
}

static void add_locks(struct converter *c)
{
    const struct timeline_read_launch *l = c->l;
    size_t finished = l->sections.count, count = finished + l->unfinished.count;
    struct held *all = base_calloc(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i] =
            i < finished ? (struct held){.is = l->sections.items[i]} : unfinished(&l->unfinished.items[i - finished]);
        all[i].shared = timeline_read_is_shared(l, all[i].is.lock);
        slot_track(c, all[i].is.sm, all[i].is.slot);
    }
    if (count)
        qsort(all, count, sizeof *all, by_taking);
    for (size_t i = 1; i < count; i++)
        if (!all[i].unfinished && !by_lock(&all[i - 1], &all[i]) && all[i].is.taken >= all[i - 1].is.given)
            all[i].flow_ends = all[i - 1].flow = ++c->flows;
    if (count)
        qsort(all, count, sizeof *all, by_since);
    uint64_t *ends = base_calloc(c->sms.count * SLOTS * LOCK_TRACKS + 1, sizeof *ends);
    struct timeline_read_section *sections = base_calloc(count + 1, sizeof *sections);
    for (size_t i = 0; i < count; i++) {
        uint64_t track = free_lock_track(c, &all[i].is, ends);
        sections[i] = all[i].is;
        if (track && all[i].unfinished)
            add_unfinished(c, &all[i], track);
        else if (track)
            add_section(c, &all[i], track);
    }
    add_waiting(c, sections, count);
    free(sections);
    free(ends);
    free(all);
}

static void add_barriers(struct converter *c)
{
    const struct timeline_read_launch *l = c->l;
    if (l->waits.count)
        qsort(l->waits.items, l->waits.count, sizeof *l->waits.items, by_coming);
    for (size_t i = 0; i < l->waits.count; i++) {
        const struct timeline_read_wait *wait = &l->waits.items[i];
        struct strbuf name = {0};
        if (wait->mbarrier)
            strbuf_addf(&name, "mbarrier %s", timeline_read_mbarrier(l, wait->mbarrier - 1));
        else
            strbuf_add(&name, "at barrier");
        add_slice(c, track_below(c, BARRIERS, wait->sm, wait->slot, 0), wait->came, wait->opened, strbuf_text(&name),
                  wait->pc);
        strbuf_free(&name);
    }
}

static void add_launch(struct converter *c)
{
    const struct timeline_read_launch *l = c->l;
    struct strbuf name = {0};
    figures_kernel_name(json_string_value(json_object_get(l->object, "name")), &name);
    trace_add_event(&c->trace, l->start, uuid_of(KERNELS, 0, 0, 1), TRACE_BEGIN, strbuf_text(&name));
    trace_add_event(&c->trace, l->start + l->cycles, uuid_of(KERNELS, 0, 0, 1), TRACE_END, NULL);
    strbuf_free(&name);
    if (l->lives.count)
        qsort(l->lives.items, l->lives.count, sizeof *l->lives.items, by_birth);
    for (size_t i = 0; i < l->lives.count; i++)
        add_life(c, &l->lives.items[i]);
    add_resident(c);
    for (size_t i = 0; i < l->issues.count; i++)
        add_ipc(c, &l->issues.items[i]);
    add_barriers(c);
    add_locks(c);
}

void report_trace(const struct timeline_read *t, struct strbuf *out)
{
    struct converter c = {0};
    trace_add_group(&c.trace, uuid_of(KERNELS, 0, 0, 0), 1, "Lockstep: kernels (1 ns is 1 cycle)");
    trace_add_track(&c.trace, uuid_of(KERNELS, 0, 0, 1), uuid_of(KERNELS, 0, 0, 0), "kernels");
    for (size_t i = 0; i < t->launches.count; i++) {
        c.l = &t->launches.items[i];
        add_launch(&c);
    }
    trace_write(&c.trace, out);
    vec_free(&c.sms);
}
