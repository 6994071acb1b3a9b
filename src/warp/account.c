/* Warp-cycles by cause. */
#include <stddef.h>
#include <string.h>

#include "warp/table.h"

static const struct stat_desc cause_descs[] = {
#define WARP_CAUSE(name, doc)                                                                                          \
    {#name, STAT_COUNTER, offsetof(struct warp_causes, name), "warp-cycles", doc, STAT_NEEDS_TIME},
#include "warp/causes.def"
#undef WARP_CAUSE
};
const char *const warp_cause_names[] = {
#define WARP_CAUSE(name, doc) #name,
#include "warp/causes.def"
#undef WARP_CAUSE
};
const struct stat_group warp_cause_group = {"warps", "where each cycle of each resident warp went", cause_descs,
                                            WARP_CAUSE_COUNT};

HOT void warp_account_wait(struct warp_table *w, uint64_t slots, enum warp_cause cause)
{
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        warp_stand(w, &w->slots[mask_first(rest)], mask_first(rest), warp_account_from(&w->account, rest & -rest), cause);
}

HOT void warp_account_again(struct warp_table *w, uint64_t slots)
{
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        warp_stand(w, &w->slots[mask_first(rest)], mask_first(rest), warp_account_from(&w->account, rest & -rest),
                   warp_cause_of(w, mask_first(rest)));
}

/* Events for observers */

HOT void warp_account_tell(const struct warp_table *w, const struct warp_slot *slot, unsigned index, uint64_t cycle)
{
    const struct simt_path *now = slot->simt.live ? slot->simt.paths.now : NULL;
    watch_tell_stand(w->watch, &(struct lockstep_stand_event){.cycle = cycle,
                                                              .warp = index,
                                                              .block = slot->block,
                                                              .pc = now ? now->pc : 0,
                                                              .lanes = now ? now->mask : 0,
                                                              .cause = slot->stall_cause});
}

COLD NOT_INLINE void tell_passed(const struct warp_table *w)
{
    const struct warp_account *a = &w->account;
    uint64_t warps = a->ready & ~a->issued;
    watch_tell_passed(w->watch,
                      &(struct lockstep_passed_event){.cycle = a->from, .warps = warps, .held = warps & a->held});
}

COLD NOT_INLINE void tell_leave(const struct warp_table *w, uint64_t warps)
{
    watch_tell_leave(w->watch, &(struct lockstep_leave_event){.cycle = w->account.from, .warps = warps});
}

void warp_account_end(const struct warp_table *w)
{
    if (w->account.tells && w->resident)
        tell_leave(w, w->resident);
}

/* Counts */

static uint64_t *counts_of(struct warp_causes *causes)
{
    return &causes->issued;
}

static void count_from(struct warp_table *w, uint64_t slots)
{
    struct warp_account *a = &w->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        struct warp_slot *slot = &w->slots[mask_first(rest)];
        slot->stall_cause = (uint8_t)warp_cause_of(w, mask_first(rest));
        counts_of(&a->counts)[slot->stall_cause] -= a->from;
    }
}

void warp_account_come(struct warp_table *w, uint64_t slots)
{
    count_from(w, slots);
    for (uint64_t rest = w->account.tells ? slots : 0; rest; rest &= rest - 1)
        warp_account_tell(w, &w->slots[mask_first(rest)], mask_first(rest), w->account.from);
}

void warp_account_go(struct warp_table *w, uint64_t slots)
{
    struct warp_account *a = &w->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        counts_of(&a->counts)[w->slots[mask_first(rest)].stall_cause] += a->from;
    if (a->tells)
        tell_leave(w, slots);
}

/* Of warps that are resident observers have been told: their states are in the checkpoint. */
void warp_account_begin(struct warp_table *w, uint64_t cycle)
{
    w->account = (struct warp_account){.from = cycle, .tells = w->account.tells, .counts = w->account.counts};
    count_from(w, w->resident);
}

void warp_account_reset(struct warp_table *w, const struct warp_causes *counts)
{
    w->account.counts = *counts;
}

/* As below, for the classes of machines without operand collectors. */
NOT_INLINE void unpicked_direct(struct warp_table *w, uint64_t rest)
{
#define UNIT(...)
#define UNIT_DIRECT(name, takes, ...)                                                                                  \
    w->account.counts.structural_##name -= mask_count(rest & warp_wants(w, takes));                                    \
    rest &= ~warp_wants(w, takes);
#include "warp/units.def"
#undef UNIT
}

HOT void warp_account_unpicked(struct warp_table *w)
{
    struct warp_causes *counts = &w->account.counts;
    uint64_t ready = w->account.ready & ~w->account.issued;
    uint64_t rest = ready;
    contract(!(ready & ~(w->resident & w->cleared & ~w->waiting))); /* what others issue does not change that */
    counts->unpicked += mask_count(ready);
    if (ready & w->account.held) {
        unsigned held = mask_count(ready & w->account.held);
        counts->unpicked -= held;
        counts->held += held;
    }
    /* Each stands at the cause of the first class that takes its instruction. */
#define UNIT(name, takes, side, ...)                                                                                   \
    counts->structural_##name -= mask_count(rest & warp_wants(w, takes));                                              \
    rest &= ~warp_wants(w, takes);
#include "warp/units.def"
#undef UNIT
    if (RARELY(rest))
        unpicked_direct(w, rest);
    if (RARELY(w->account.tells))
        tell_passed(w);
}

struct warp_causes warp_account_read_at(const struct warp_table *w, uint64_t cycle)
{
    struct warp_causes counts = w->account.counts;
    uint64_t from = cycle > w->account.from ? cycle : w->account.from;
    for (uint64_t rest = w->resident; rest; rest &= rest - 1)
        counts_of(&counts)[w->slots[mask_first(rest)].stall_cause] += from;
    return counts;
}

struct warp_causes warp_account_read(const struct warp_table *w)
{
    return warp_account_read_at(w, w->account.from);
}
