/* The notes of watch/progress.h on locks and writes, completed by what the SM knows of the warps: for the progress
 * watch and its diagnosis of hangs. */
#include <string.h>

#include "sm/state.h"

void sm_watch_reset(struct sm *sm, bool progress)
{
    watch_progress_reset(&sm->consumers.progress, progress);
    /* Warps that come later begin with 0 (launch_warp). */
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1)
        sm->issued_before[mask_first(rest)] = sm->views.warps[mask_first(rest)].issued;
}

uint64_t sm_changes(const struct sm *sm)
{
    return sm->consumers.progress.writers.changes + sm->async.phases_ended;
}

uint64_t sm_work_done(const struct sm *sm)
{
    return sm->consumers.progress.work_done;
}

bool sm_find_holder(const struct sm *sm, uint64_t address, struct watch_holder *holder)
{
    const struct watch_holder *noted = watch_progress_holder(&sm->consumers.progress, address);
    if (!noted)
        return false;
    *holder = *noted;
    const struct warp_slot *warp = &sm->warp.slots[holder->slot];
    bool resident = mask_has(sm->warp.resident, holder->slot) &&
                    !memcmp(holder->block, warp->simt.block->index, sizeof holder->block);
    uint32_t slot = resident && sm->kernel->grid->forms ? sm_form_find(sm, holder->slot, holder->thread) : CORE_NONE;
    holder->ended = resident && sm->kernel->grid->forms && slot == CORE_NONE;
    if (holder->ended) {
        holder->warp = holder->thread / sm->params->warp_size;
        holder->lane = (uint8_t)(holder->thread % sm->params->warp_size);
    }
    if (slot != CORE_NONE) {
        holder->slot = (uint8_t)slot;
        holder->warp = sm->warp.slots[slot].simt.index;
    }
    return true;
}

/* The widest store writes 16 bytes, and is noted where it begins. */
enum sm_wrote sm_find_writer(const struct sm *sm, uint64_t address, unsigned bytes, uint64_t value, unsigned *slot)
{
    const struct watch_writers *w = &sm->consumers.progress.writers;
    const struct watch_writers_place *place = watch_writers_place(w, address);
    if (place->epoch == w->epoch && place->digest == watch_writers_digest(address, value)) {
        *slot = place->warp;
        return SM_WROTE_VALUE;
    }
    for (uint64_t at = address < 15 ? 0 : address - 15; at < address + bytes; at++)
        if (watch_writers_place(w, at)->epoch == w->epoch)
            return SM_WROTE_PERHAPS;
    return SM_WROTE_NOTHING;
}
