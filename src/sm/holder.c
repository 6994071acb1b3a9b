/* Who holds which lock, and what memory came to: remembered for the progress watch and its diagnosis of hangs. A lane
 * whose compare-and-swap succeeded, or whose exchange changed a location from 0, is taken to hold it; the present value
 * tells whether it still does. */
#include <string.h>

#include "base/hash.h"
#include "simt/lanes.h"
#include "sm/sm_impl.h"

static unsigned place_of(uint64_t address)
{
    return (unsigned)(hash_spread(address / 4) >> 40) % SM_HOLDERS;
}

HOT void sm_note_change(struct sm *sm, unsigned slot, uint64_t address, uint64_t value)
{
    if (!sm->noted.seeks_work)
        return;
    if (sm_novel_note(&sm->noted.novel, address, value)) {
        sm->noted.work_done++;
        sm->noted.seeks_work = false;
    }
    sm->noted.written.changes++;
    sm_written_note(&sm->noted.written, slot, address, value);
}

void sm_note_sync(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    struct sm_noted_warp *warp = &sm->noted.warps[slot];
    warp->sync_ops++;
    warp->last_sync_address = access->address[mask_first(access->mask)];
    warp->last_sync_pc = access->pc;
    warp->last_sync_shared = access->space == ISA_SPACE_SHARED;
}

void sm_noted_launched(struct sm *sm, unsigned slot)
{
    struct sm_noted_warp *warp = &sm->noted.warps[slot];
    warp->issued_before = warp->sync_ops = warp->takes = 0;
}

void sm_noted_refilled(struct sm *sm, unsigned slot)
{
    sm->noted.warps[slot].issued_before -= sm->views.warps[slot].issued;
}

void sm_watch_reset(struct sm *sm, bool progress)
{
    sm->noted.seeks_work = true;
    if (progress)
        sm_written_reset(&sm->noted.written);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1) { /* others begin so (sm_noted_launched) */
        struct sm_noted_warp *warp = &sm->noted.warps[mask_first(rest)];
        warp->issued_before = sm->views.warps[mask_first(rest)].issued;
        warp->sync_ops = warp->takes = 0;
    }
}

/* The first 16 bytes of what a lane stores, as one word. */
static uint64_t stored_by(const struct simt_access *access, unsigned lane)
{
    return hash_short(simt_access_data(access, lane), access->element_bytes * access->elements);
}

void sm_note_store(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = sm_noted_address(warp, access, lane), value = stored_by(access, lane);
        if (sm_novel_note(&sm->noted.stored, address, value)) {
            sm->noted.work_done++;
            sm->noted.seeks_work = false;
        }
        bool known = sm_written_note(&sm->noted.written, slot, address, value);
        sm->noted.written.changes += !known || access->space != ISA_SPACE_SHARED;
    }
}

void sm_note_holder(struct sm *sm, unsigned slot, const struct simt_access *access, unsigned lane, uint64_t address)
{
    uint8_t atomic = access->instr->mods.atomic;
    const struct warp_slot *warp = &sm->warp.slots[slot];
    if (atomic != ISA_ATOMIC_CAS && atomic != ISA_ATOMIC_EXCH)
        return;
    struct sm_holder *h = &sm->noted.holders[place_of(address)];
    *h = (struct sm_holder){.address = address,
                            .cycle = sm->agenda.now,
                            .warp = warp->simt.index,
                            .thread = warp->simt.threads[lane],
                            .pc = access->pc,
                            .lane = (uint8_t)lane,
                            .slot = (uint8_t)slot};
    memcpy(h->block, warp->simt.block->index, sizeof h->block);
}

/* An exchange takes a lock when that was 0, which by the convention of locks is free; any compare-and-swap that
 * succeeds may. */
HOT void sm_note_holders(struct sm *sm, const struct core_op *op, const struct packet *p)
{
    for (unsigned i = 0; i < p->lane_count; i++) {
        const struct packet_lane *l = &p->lanes[i]; /* the reply's operand is the old value */
        uint64_t operand, value, address = (p->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset;
        if (p->atomic == ISA_ATOMIC_CAS && l->operand != l->compare)
            continue; /* the common case, of a lock that is held */
        memcpy(&operand, simt_access_data(op->access, l->lane), sizeof operand);
        value = lane_atomic(p->atomic, p->type, l->operand, operand, l->compare);
        bool takes = value != 0 && l->operand == 0 && (p->atomic == ISA_ATOMIC_CAS || p->atomic == ISA_ATOMIC_EXCH);
        sm->noted.warps[op->slot].takes += takes;
        if (value != l->operand)
            sm_note_change(sm, op->slot, address, value);
        if (takes || p->atomic == ISA_ATOMIC_CAS)
            sm_note_holder(sm, op->slot, op->access, l->lane, address);
    }
}

bool sm_find_holder(const struct sm *sm, uint64_t address, struct sm_holder *holder)
{
    *holder = sm->noted.holders[place_of(address)];
    if (holder->address != address || !address)
        return false;
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
    const struct sm_written *w = &sm->noted.written;
    const struct sm_written_place *place = sm_written_place(w, address);
    if (place->epoch == w->epoch && place->digest == sm_written_digest(address, value)) {
        *slot = place->warp;
        return SM_WROTE_VALUE;
    }
    for (uint64_t at = address < 15 ? 0 : address - 15; at < address + bytes; at++)
        if (sm_written_place(w, at)->epoch == w->epoch)
            return SM_WROTE_PERHAPS;
    return SM_WROTE_NOTHING;
}
