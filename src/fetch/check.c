/* Recomputes what fetch keeps although it follows from something else (base/check.h). All of it holds between two
 * cycles. Which warps retire is the SM's to say: they belong to blocks. */
#include "base/check.h"

#include "fetch/fetch.h"

/* True: the warp's buffer has no room for anything that there is to fetch. */
static bool is_full(const struct fetch *f, unsigned slot)
{
    const struct warp_slot *warp = &f->warp->slots[slot];
    bool ends = f->next_pc[slot] >= f->module_size;
    return f->fills && warp->simt.live && warp->buffered && (ends || warp->buffered == f->params->instruction_buffer);
}

void fetch_check(struct fetch *f, struct check *c)
{
    uint64_t full = 0;
    for (uint64_t rest = f->warp->resident; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        const struct warp_slot *warp = &f->warp->slots[slot];
        full |= is_full(f, slot) ? rest & -rest : 0;
        check_holds(c, "fetch.next_pc", slot, !warp->buffered || f->next_pc[slot] == warp->head_pc + warp->buffered);
    }
    CHECK_FACT(c, "fetch.full", 0, f->full, full);
    for (unsigned t = 0; t < f->turn_count; t++) {
        const struct fetch_turn *turn = &f->turns[t];
        check_holds(c, "fetch.slot", t, turn->slot == CORE_NONE || mask_has(f->under_way & turn->warps, turn->slot));
    }
    CHECK_FACT(c, "fetch.came", 0, f->came, fetch_line_came(f));
    for (unsigned i = 0; i < f->shared.count; i++)
        check_holds(c, "fetch.shared", i, mask_has(f->under_way, f->shared.slots[(f->shared.head + i) % WARP_SLOTS]));
}
