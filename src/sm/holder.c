/* Who holds which lock: remembered for the diagnosis of hangs. A lane whose compare-and-swap changed a location is
 * taken to hold it; the memory's present value tells whether it still does. */
#include <string.h>

#include "simt/lanes.h"
#include "sm/sm_impl.h"

static unsigned place_of(uint64_t address)
{
    return (unsigned)(address / 4 * UINT64_C(0x9E3779B97F4A7C15) >> 40) % SM_HOLDERS;
}

HOT void sm_note_change(struct sm *sm, uint8_t atomic, uint64_t address, uint64_t value)
{
    bool may_lock = atomic == ISA_ATOMIC_CAS || atomic == ISA_ATOMIC_EXCH;
    sm->work_done += !may_lock || sm_novel_note(&sm->novel, address, value);
}

/* The first 16 bytes of what a lane stores, as one number that differs where they do, but for chance. */
static uint64_t digest(const struct simt_access *access, unsigned lane)
{
    uint64_t words[2] = {0};
    unsigned bytes = access->element_bytes * access->elements;
    memcpy(words, simt_access_data(access, lane), bytes < sizeof words ? bytes : sizeof words);
    return words[0] ^ words[1] * UINT64_C(0x9E3779B97F4A7C15);
}

void sm_note_store(struct sm *sm, const struct sm_warp *warp, const struct simt_access *access)
{
    uint64_t base = access->space == ISA_SPACE_SHARED ? (uint64_t)(warp->block + 1u) << 32 : 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        if (sm_novel_note(&sm->stored, base + access->address[lane], digest(access, lane))) {
            sm->work_done++;
            sm->seeks_work = false;
        }
    }
}

static void note_changes(struct sm *sm, const struct sm_op *op, const struct packet *p)
{
    for (unsigned i = 0; i < p->lane_count; i++) {
        const struct packet_lane *l = &p->lanes[i]; /* the reply's operand is the old value */
        uint64_t operand, value;
        if (p->atomic == ISA_ATOMIC_CAS && l->operand != l->compare)
            continue; /* the common case, of a lock that is held */
        memcpy(&operand, simt_access_data(op->access, l->lane), sizeof operand);
        value = lane_atomic(p->atomic, p->type, l->operand, operand, l->compare);
        /* The convention of locks: 0 is free. */
        sm->warps[op->slot].takes +=
            value != 0 && l->operand == 0 && (p->atomic == ISA_ATOMIC_CAS || p->atomic == ISA_ATOMIC_EXCH);
        if (value != l->operand)
            sm_note_change(sm, p->atomic, (p->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset, value);
    }
}

HOT void sm_note_holders(struct sm *sm, const struct sm_op *op, const struct packet *p)
{
    note_changes(sm, op, p);
    if (p->atomic != ISA_ATOMIC_CAS)
        return;
    const struct sm_warp *warp = &sm->warps[op->slot];
    for (unsigned i = 0; i < p->lane_count; i++) {
        const struct packet_lane *l = &p->lanes[i];
        if (l->operand != l->compare) /* the reply's operand is the old value */
            continue;
        uint64_t address = (p->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset;
        struct sm_holder *h = &sm->holders[place_of(address)];
        *h = (struct sm_holder){.address = address,
                                .cycle = sm->now,
                                .warp = warp->simt.index,
                                .pc = op->access->pc,
                                .lane = l->lane,
                                .slot = op->slot};
        memcpy(h->block, warp->simt.block->index, sizeof h->block);
    }
}

bool sm_find_holder(const struct sm *sm, uint64_t address, struct sm_holder *holder)
{
    *holder = sm->holders[place_of(address)];
    return holder->address == address && address;
}
