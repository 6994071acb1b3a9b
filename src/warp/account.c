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

static uint32_t next_of(const struct warp_slot *slot)
{
    return slot->simt.live ? slot->simt.paths.now->pc : 0;
}

/* Of a marked warp the keeper of stays is told. */
static void tell_stand(const struct watch *watch, const struct warp_slot *slot, unsigned index, uint64_t cycle)
{
    const struct lockstep_stand_event event = {.cycle = cycle,
                                               .warp = index,
                                               .block = slot->block,
                                               .pc = next_of(slot),
                                               .lanes = slot->simt.live ? slot->simt.paths.now->mask : 0,
                                               .cause = slot->stall_cause};
    if (watch->stays && watch_stays_marked(watch->stays, index))
        watch->stays_port->stand(watch->stays_state, &event);
    if (watch_hears(watch, WATCH_stand))
        watch_tell_stand(watch, &event);
}

NOT_INLINE void tell_any(const struct warp_table *w, const struct warp_slot *slot, unsigned index, uint64_t cycle)
{
    struct watch_stays *stays = w->watch->stays;
    bool counted = stays && !watch_stays_marked(stays, index);
    if (!counted || watch_hears(w->watch, WATCH_stand))
        tell_stand(w->watch, slot, index, cycle);
    if (counted)
        watch_stays_stand(stays, index, next_of(slot), slot->stall_cause, cycle);
}

HOT void warp_account_tell(const struct warp_table *w, const struct warp_slot *slot, unsigned index, uint64_t cycle)
{
    struct watch_stays *stays = w->account.stays;
    if (!stays || stays->unusual[index])
        tell_any(w, slot, index, cycle);
    else
        watch_stays_stand(stays, index, next_of(slot), slot->stall_cause, cycle);
}

/* Marked warps, of which the keeper of stays may know that they have issued; and where others are told. */
NOT_INLINE void tell_any_issued(const struct warp_table *w, const struct warp_slot *slot, unsigned index)
{
    struct watch_stays *stays = w->watch->stays;
    if (stays && !(stays->unusual[index] & WATCH_STAY_TOLD))
        watch_stays_issued(stays, index, slot->head_pc - 1, next_of(slot), slot->stall_cause, w->account.from);
    else if (stays)
        stays->unusual[index] -= WATCH_STAY_TOLD;
    tell_any(w, slot, index, w->account.from + 1);
}

HOT void warp_account_tell_issued(const struct warp_table *w, const struct warp_slot *slot, unsigned index)
{
    struct watch_stays *stays = w->account.stays;
    if (!stays || watch_stays_marked(stays, index))
        tell_any_issued(w, slot, index);
    else
        watch_stays_issued(stays, index, slot->head_pc - 1, next_of(slot), slot->stall_cause, w->account.from);
}

/* Also of those that are held. */
COLD NOT_INLINE void tell_passed(const struct warp_table *w, uint64_t warps)
{
    uint64_t held = warps & w->account.held;
    uint64_t marked = w->watch->stays ? watch_stays_held(w->watch->stays, held) : 0;
    if (marked)
        w->watch->stays_port->held(w->watch->stays_state, marked);
    if (watch_hears(w->watch, WATCH_passed))
        watch_tell_passed(w->watch,
                          &(struct lockstep_passed_event){.cycle = w->account.from, .warps = warps, .held = held});
}

/* Schedulers found these warps ready, and did not pick them. */
static void tell_unpicked(const struct warp_table *w, uint64_t warps)
{
    uint64_t held = warps & w->account.held;
    if (w->watch->stays)
        watch_stays_passed(w->watch->stays, warps & ~held);
    if (held || !w->account.stays)
        tell_passed(w, warps);
}

COLD NOT_INLINE void tell_leave(const struct warp_table *w, uint64_t warps)
{
    if (!watch_hears(w->watch, WATCH_leave))
        return;
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
    w->account = (struct warp_account){
        .from = cycle, .tells = w->account.tells, .stays = w->account.stays, .counts = w->account.counts};
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
        tell_unpicked(w, ready);
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
