/* The warp table: facts that are not asked for in every cycle, and events that do not happen in each. */
#include "warp/table.h"

#include <string.h>

static const struct warp_wait_info waits[] = {
#define WAIT(name, cause, ender, kind, doc) {#name, doc, WARP_CAUSE_##cause, WARP_WAIT_BY_##ender},
#include "warp/waits.def"
#undef WAIT
};

const struct warp_wait_info *warp_wait_info(enum warp_wait wait)
{
    return &waits[wait];
}

/* Facts */

uint64_t warp_long_waits(const struct warp_table *w, uint64_t slots)
{
    uint64_t found = 0;
    for (uint64_t rest = slots & w->buffered & ~w->cleared & ~w->mispredicted; rest; rest &= rest - 1) {
        const struct warp_slot *slot = &w->slots[mask_first(rest)];
        const uint64_t *reads = w->decoded[slot->head_pc].timing.writes + w->scoreboard_words;
        for (unsigned i = 0; i < w->scoreboard_words; i++)
            if (slot->scoreboard[i] & slot->from_memory[i] & reads[i])
                found |= rest & -rest;
    }
    return found;
}

uint64_t warp_next_wake(const struct warp_table *w)
{
    uint64_t next = CYCLE_NEVER;
    for (uint64_t rest = warp_waits_timed(&w->waits); rest; rest &= rest - 1)
        next = cycle_min(next, w->slots[mask_first(rest)].wake);
    return next;
}

/* Launch */

static void waits_changed(struct warp_table *w)
{
    w->waiting = w->finished | warp_waits_any(&w->waits);
}

void warp_lend(struct warp_table *w, unsigned count, uint64_t *boards, unsigned words)
{
    for (unsigned i = 0; i < count; i++) {
        struct warp_slot *slot = &w->slots[i];
        /* Side by side: they are looked at together. */
        slot->scoreboard = boards + (size_t)3 * i * words;
        slot->from_memory = slot->scoreboard + words;
        slot->from_chip = slot->from_memory + words;
    }
}

void warp_begin(struct warp_table *w, const struct decoded_instr *decoded, unsigned words, uint64_t slots,
                uint64_t cycle)
{
    contract(!w->resident);
    w->decoded = decoded;
    w->scoreboard_words = words;
    w->changed = slots;
    warp_account_begin(w, cycle);
}

void warp_watch(struct warp_table *w, const struct watch *watch)
{
    w->watch = watch;
    w->account.tells = watch_hears(watch, WATCH_stand | WATCH_passed | WATCH_leave | WATCH_stays);
    w->account.stays = watch_hears(watch, WATCH_stand | WATCH_passed) ? NULL : watch->stays;
}

void warp_start(struct warp_table *w, unsigned index, unsigned block, uint64_t age)
{
    struct warp_slot *slot = &w->slots[index];
    size_t bytes = w->scoreboard_words * sizeof(uint64_t);
    slot->block = (uint8_t)block;
    slot->buffered = 0;
    slot->in_flight = slot->stores_out = slot->posted = slot->pending_registers = slot->loads_out = slot->lanes_out = slot->copies_out = 0;
    memset(slot->scoreboard, 0, bytes);
    memset(slot->from_memory, 0, bytes);
    memset(slot->from_chip, 0, bytes);
    slot->age = age;
    if (!slot->left)
        slot->life = 0;
}

bool warp_posted_acknowledged(struct warp_table *w, unsigned index, uint8_t life)
{
    struct warp_slot *slot = &w->slots[index];
    bool own = (w->resident >> index & 1) && slot->life == life;
    slot->posted -= own;
    slot->left -= !own;
    return own;
}

/* The warp's block retires: its stores under way are another's no less than its own from now on. */
static void leave_stores(struct warp_slot *slot)
{
    contract(slot->posted == slot->stores_out && (!slot->posted || warp_may_leave(slot)));
    slot->life += slot->posted > 0;
    slot->left += slot->posted;
    slot->stores_out = slot->posted = 0;
}

void warp_set_clear(uint64_t *set, void *slots)
{
    *set &= ~*(const uint64_t *)slots;
}

void warp_clear(struct warp_table *w, uint64_t slots)
{
    warp_each_set(w, warp_set_clear, &slots);
    waits_changed(w);
}

void warp_come(struct warp_table *w, uint64_t slots)
{
    w->resident |= slots;
    w->changed |= slots;
    warp_account_come(w, slots);
}

void warp_go(struct warp_table *w, uint64_t slots)
{
    warp_account_go(w, slots);
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        leave_stores(&w->slots[mask_first(rest)]);
    w->resident &= ~slots;
    w->finished &= ~slots;
    waits_changed(w);
    w->changed |= slots;
}

void warp_finish(struct warp_table *w, unsigned slot)
{
    w->finished |= BIT64(slot);
    w->waiting |= BIT64(slot);
    warp_account_again(w, BIT64(slot));
}

void warp_refill(struct warp_table *w, unsigned slot)
{
    w->finished &= ~BIT64(slot);
    waits_changed(w);
}

/* Waiting */

void warp_queue_begin(struct warp_table *w, unsigned slot)
{
    w->in_queues |= BIT64(slot);
    warp_wait_begin(w, WARP_WAIT_atomic, BIT64(slot));
}

void warp_queue_end(struct warp_table *w, unsigned slot)
{
    w->in_queues &= ~BIT64(slot);
    warp_wait_end(w, WARP_WAIT_atomic, BIT64(slot));
}

bool warp_wake(struct warp_table *w, uint64_t cycle)
{
    uint64_t over = 0;
    for (uint64_t rest = warp_waits_timed(&w->waits); rest; rest &= rest - 1)
        over |= w->slots[mask_first(rest)].wake <= cycle ? rest & -rest : 0;
    if (!over)
        return false;
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if (WARP_WAIT_BY_##ender == WARP_WAIT_BY_CLOCK)                                                                    \
        warp_wait_end(w, WARP_WAIT_##name, over & w->waits.name);
#include "warp/waits.def"
#undef WAIT
    return true;
}

/* Instruction buffers */

bool warp_turn_changed(struct warp_table *w, unsigned index, uint32_t next)
{
    struct warp_slot *slot = &w->slots[index];
    uint64_t bit = BIT64(index);
    bool releases = false;
    if (w->account.tells)
        warp_account_tell(w, slot, index, warp_account_from(&w->account, bit));
    if (!slot->buffered)
        return false;
    w->wants[slot->unit] &= ~bit;
    w->cleared &= ~bit;
    w->mispredicted &= ~bit;
    warp_put_head(w, slot, bit, next, &releases);
    return releases;
}

void warp_abandon(struct warp_table *w, unsigned index)
{
    struct warp_slot *slot = &w->slots[index];
    uint64_t bit = BIT64(index);
    if (slot->buffered)
        w->wants[slot->unit] &= ~bit;
    slot->buffered = 0;
    w->cleared &= ~bit;
    w->mispredicted &= ~bit;
    w->flushed &= ~bit;
    w->buffered &= ~bit;
}
