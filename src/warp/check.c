/* Recomputes what the warp table keeps (base/check.h): all of it holds between two cycles. sm/sm_check.c checks that
 * the counts of what is under way agree with the ops in flight. */
#include "base/check.h"

#include "warp/table.h"

struct mirrored {
    uint64_t finished, buffered, mispredicted, cleared, wants[ISA_UNIT_COUNT];
};

static void add_slot(const struct warp_table *w, unsigned index, struct mirrored *m)
{
    const struct warp_slot *slot = &w->slots[index];
    uint64_t bit = BIT64(index);
    if (!slot->simt.live) {
        m->finished |= bit;
        return;
    }
    if (!slot->buffered)
        return;
    const struct decoded_instr *d = &w->decoded[slot->head_pc];
    m->buffered |= bit;
    if (slot->head_pc != simt_pc(&slot->simt)) {
        m->mispredicted |= bit;
        return;
    }
    m->wants[d->timing.unit] |= bit;
    m->cleared |= warp_scoreboard_clear(w, slot, d) ? bit : 0;
}

static void check_slot(struct warp_table *w, unsigned index, struct check *c)
{
    struct warp_slot *slot = &w->slots[index];
    uint32_t pending = 0;
    for (unsigned i = 0; i < w->scoreboard_words; i++)
        pending += mask_count(slot->scoreboard[i]);
    CHECK_FACT(c, "warp.pending_registers", index, slot->pending_registers, pending);
    CHECK_FACT(c, "warp.stall_cause", index, slot->stall_cause, (uint8_t)warp_cause_of(w, index));
}

void warp_check(struct warp_table *w, struct check *c)
{
    struct mirrored m = {0};
    for (uint64_t rest = w->resident; rest; rest &= rest - 1) {
        add_slot(w, mask_first(rest), &m);
        check_slot(w, mask_first(rest), c);
    }
    CHECK_FACT(c, "warp.finished", 0, w->finished, m.finished);
    CHECK_FACT(c, "warp.waiting", 0, w->waiting, m.finished | warp_waits_any(&w->waits));
    CHECK_FACT(c, "warp.buffered", 0, w->buffered, m.buffered);
    CHECK_FACT(c, "warp.mispredicted", 0, w->mispredicted, m.mispredicted);
    CHECK_FACT(c, "warp.cleared", 0, w->cleared, m.cleared);
    for (unsigned unit = 0; unit < ISA_UNIT_COUNT; unit++)
        CHECK_FACT(c, "warp.wants", unit, w->wants[unit], m.wants[unit]);
    check_holds(c, "warp.waits", 0, !(warp_waits_any(&w->waits) & (w->finished | ~w->resident)));
    check_holds(c, "warp.in_queues", 0, !(w->in_queues & ~w->waits.atomic));
    check_holds(c, "warp.account: of one cycle", 0, !(w->account.ready | w->account.held | w->account.issued));
}
