/* Mbarriers: see mbarriers.h. A warp waits for the object at which its last look was: cycles in which it is suspended
 * are those of the cause `mbarrier`, so that they add up to the statistic warps.mbarrier. */
#include "profile/mbarriers.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "profile/pcs.h"

const char *profile_mbarrier_name(enum profile_mbarrier_count count)
{
    static const char *const names[] = {
#define PROFILE_MBARRIER(name, doc) #name,
#include "profile/mbarriers.def"
#undef PROFILE_MBARRIER
    };
    return names[count];
}

const char *profile_mbarrier_use_name(enum profile_mbarrier_use use)
{
    static const char *const names[PROFILE_MBARRIER_USES] = {[PROFILE_MBARRIER_WAITS] = "waits_at",
                                                             [PROFILE_MBARRIER_ARRIVES] = "arrives_at",
                                                             [PROFILE_MBARRIER_EXPECTS] = "expects_at",
                                                             [PROFILE_MBARRIER_BRINGS] = "brings_at"};
    return names[use];
}

size_t profile_mbarriers_bytes(const struct isa_module *module)
{
    size_t words = (size_t)module->instr_count / 64 + 1;
    return isa_has_mbarriers(module) ? sizeof(struct profile_mbarriers) + words * sizeof(uint64_t) : 0;
}

void profile_mbarriers_begin(struct profile_mbarriers *s, const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++)
        if (isa_looks_at_mbarrier(&module->instrs[i]))
            s->waits[i / 64] |= BIT64(i % 64);
}

/* The number of an object; PROFILE_MBARRIERS: there is no room for it. */
static uint32_t find(struct profile_mbarriers *s, uint64_t address)
{
    uint32_t i = 0;
    while (i < s->count && s->of[i].address != address)
        i++;
    if (i == s->count && s->count < PROFILE_MBARRIERS)
        s->of[s->count++] = (struct profile_mbarrier){.address = (uint32_t)address};
    s->unlisted += i == PROFILE_MBARRIERS;
    return i;
}

static void note(struct profile_mbarrier *m, enum profile_mbarrier_use use, uint32_t pc)
{
    if (pc != LOCKSTEP_NO_PC)
        profile_pcs_note(m->pcs[use], PROFILE_MBARRIER_PCS, pc + 1);
}

/* Of lanes that look at several objects, the first one's counts. */
void profile_mbarriers_access(struct profile_mbarriers *s, const struct lockstep_access_event *e)
{
    struct profile_mbarrier_warp *w = &s->warps[e->warp];
    if (!mask_has(s->waits[e->pc / 64], e->pc % 64) || e->space != LOCKSTEP_SHARED)
        return;
    uint32_t object = find(s, e->address[mask_first(e->mask)]);
    *w = (struct profile_mbarrier_warp){.block = (uint8_t)e->block};
    if (object == PROFILE_MBARRIERS)
        return;
    w->object = object + 1;
    s->of[object].counts[PROFILE_MBARRIER_looks]++;
    note(&s->of[object], PROFILE_MBARRIER_WAITS, e->pc);
}

static void add_did(struct profile_mbarrier *m, struct watch_sample sample)
{
    struct watch_sample *least = m->did;
    for (unsigned i = 0; i < PROFILE_MBARRIER_DIDS; i++) {
        struct watch_sample *did = &m->did[i];
        if (did->cycles && did->at == sample.at) {
            did->cycles += sample.cycles;
            return;
        }
        least = did->cycles < least->cycles ? did : least;
    }
    if (sample.cycles > least->cycles)
        *least = sample;
}

/* A warp of the block has ended a phase for which others were suspended. */
static void note_last(struct profile_mbarrier *m, const struct profile_lasts *lasts, const struct watch_stays *stays,
                      const struct lockstep_mbarrier_event *e)
{
    const struct watch_samples *samples = &stays->samples[e->warp];
    m->last_times[lasts->names[e->warp]]++;
    m->last_at = e->pc + 1;
    for (unsigned i = 0; i < WATCH_SAMPLES; i++)
        if (samples->of[i].cycles)
            add_did(m, samples->of[i]);
    m->did_cycles += samples->until - samples->begin;
}

/* A phase of the object of that block ends. True: a warp was suspended for it. */
static bool end_phase(struct profile_mbarriers *s, uint32_t object, const struct lockstep_mbarrier_event *e)
{
    struct profile_mbarrier_phase *phase = &s->phases[object][e->block];
    uint64_t *counts = s->of[object].counts;
    counts[PROFILE_MBARRIER_phases]++;
    counts[PROFILE_MBARRIER_by_bytes] += e->operation == LOCKSTEP_MBARRIER_BYTES;
    counts[PROFILE_MBARRIER_open] += phase->first ? e->cycle - (phase->first - 1) : 0;
    *phase = (struct profile_mbarrier_phase){0};
    for (uint32_t slot = 0; slot < PROFILE_MBARRIERS_SLOTS; slot++) {
        struct profile_mbarrier_warp *w = &s->warps[slot];
        if (!w->suspended || w->object != object + 1 || w->block != e->block)
            continue;
        w->released = true;
        phase->ended = e->cycle + 1;
    }
    return phase->ended;
}

void profile_mbarriers_operate(struct profile_mbarriers *s, const struct profile_lasts *lasts,
                               struct watch_stays *stays, const struct lockstep_mbarrier_event *e)
{
    uint32_t object = find(s, e->address);
    if (object == PROFILE_MBARRIERS)
        return;
    struct profile_mbarrier *m = &s->of[object];
    struct profile_mbarrier_phase *phase = &s->phases[object][e->block];
    bool arrives = e->operation == LOCKSTEP_MBARRIER_ARRIVE, came = e->operation == LOCKSTEP_MBARRIER_BYTES;
    if (e->operation == LOCKSTEP_MBARRIER_INIT || e->operation == LOCKSTEP_MBARRIER_INVAL) {
        *phase = (struct profile_mbarrier_phase){0};
        return;
    }
    m->counts[PROFILE_MBARRIER_arrivals] += e->arrivals;
    m->counts[came ? PROFILE_MBARRIER_came : PROFILE_MBARRIER_expected] += e->bytes;
    if (arrives)
        note(m, PROFILE_MBARRIER_ARRIVES, e->pc);
    if (e->bytes)
        note(m, came ? PROFILE_MBARRIER_BRINGS : PROFILE_MBARRIER_EXPECTS, e->pc);
    if (arrives && !phase->first)
        phase->first = e->cycle + 1;
    bool own = arrives && e->pc != LOCKSTEP_NO_PC && stays->warps[e->warp].last_pc == e->pc;
    if (!e->ended)
        return;
    if (end_phase(s, object, e) && own)
        note_last(m, lasts, stays, e);
    if (own)
        watch_stays_follow(stays, e->warp, e->cycle + 1);
}

static void go_on(struct profile_mbarriers *s, struct profile_mbarrier_warp *w, uint64_t cycle)
{
    uint64_t *counts = s->of[w->object - 1].counts, waited = cycle - w->since;
    w->suspended = false;
    counts[PROFILE_MBARRIER_waits]++;
    counts[PROFILE_MBARRIER_waited] += waited;
    if (waited > counts[PROFILE_MBARRIER_waited_most])
        counts[PROFILE_MBARRIER_waited_most] = waited;
}

void profile_mbarriers_stand(struct profile_mbarriers *s, const struct lockstep_stand_event *e, bool suspended)
{
    struct profile_mbarrier_warp *w = &s->warps[e->warp];
    if (w->suspended && !suspended)
        go_on(s, w, e->cycle);
    if (w->suspended || !suspended || !w->object)
        return;
    w->suspended = true;
    w->since = e->cycle;
}

void profile_mbarriers_issue(struct profile_mbarriers *s, const struct lockstep_issue_event *e)
{
    struct profile_mbarrier_warp *w = &s->warps[e->warp];
    if (!w->released)
        return;
    uint32_t object = w->object - 1;
    struct profile_mbarrier_phase *phase = &s->phases[object][w->block];
    w->released = false;
    if (!phase->ended)
        return;
    s->of[object].counts[PROFILE_MBARRIER_handovers]++;
    s->of[object].counts[PROFILE_MBARRIER_handed] += e->cycle - (phase->ended - 1);
    phase->ended = 0;
}

void profile_mbarriers_leave(struct profile_mbarriers *s, uint32_t slot, uint64_t cycle)
{
    struct profile_mbarrier_warp *w = &s->warps[slot];
    if (w->suspended)
        go_on(s, w, cycle);
    *w = (struct profile_mbarrier_warp){0};
}

/* Launches */

static void add(struct profile_mbarrier_list *list, const struct profile_mbarrier *m)
{
    uint32_t i = 0;
    while (i < list->count && list->of[i].mbarrier.address != m->address)
        i++;
    struct profile_mbarrier *to = &list->of[i].mbarrier;
    if (i == list->count) {
        *to = *m;
        list->count++;
        return;
    }
    for (unsigned i = 0; i < PROFILE_LAST_WARPS; i++)
        to->last_times[i] += m->last_times[i];
    for (unsigned i = 0; i < PROFILE_MBARRIER_DIDS; i++)
        if (m->did[i].cycles)
            add_did(to, m->did[i]);
    to->did_cycles += m->did_cycles;
    to->last_at = to->last_at ? to->last_at : m->last_at;
    uint64_t most = to->counts[PROFILE_MBARRIER_waited_most], other = m->counts[PROFILE_MBARRIER_waited_most];
    for (unsigned c = 0; c < PROFILE_MBARRIER_COUNTS; c++)
        to->counts[c] += m->counts[c];
    to->counts[PROFILE_MBARRIER_waited_most] = most > other ? most : other;
    for (unsigned use = 0; use < PROFILE_MBARRIER_USES; use++)
        profile_pcs_add(to->pcs[use], PROFILE_MBARRIER_PCS, m->pcs[use], PROFILE_MBARRIER_PCS);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_mbarrier *x = &((const struct profile_mbarrier_sum *)a)->mbarrier;
    const struct profile_mbarrier *y = &((const struct profile_mbarrier_sum *)b)->mbarrier;
    int costs = profile_order(y->counts[PROFILE_MBARRIER_waited], x->counts[PROFILE_MBARRIER_waited]);
    return costs ? costs : profile_order(x->address, y->address);
}

struct profile_mbarrier_list profile_mbarriers_gather(const struct profile_mbarriers *const *states, uint32_t sms)
{
    struct profile_mbarrier_list list = {0};
    size_t most = 0;
    for (uint32_t sm = 0; sm < sms; sm++)
        most += states[sm]->count;
    list.of = base_calloc(most + 1, sizeof *list.of);
    for (uint32_t sm = 0; sm < sms; sm++) {
        list.unlisted += states[sm]->unlisted;
        for (uint32_t i = 0; i < states[sm]->count; i++)
            add(&list, &states[sm]->of[i]);
    }
    qsort(list.of, list.count, sizeof *list.of, by_cost);
    return list;
}

void profile_mbarriers_free(struct profile_mbarrier_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->of[i].name);
    free(list->of);
}
