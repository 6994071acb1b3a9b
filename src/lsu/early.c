/* How early a load may be answered (early.h): as of any moment at which the memory model lets it be performed. It may
 * come before whatever its thread did, but for two things: accesses to the same bytes, which the slice looks after, and
 * what something orders before it. The last such thing counts, whatever its kind and scope: what a thread has seen of
 * others it may have been told by a third one of its block, so that a fence of the block alone is not less than another
 * here.
 *
 * Instructions count when they issue. Most that order are over before their warp issues again; but a fence of the
 * block, or an acquire at its scope, is not: loads that it orders may still be under way, and be the ones that tell
 * their thread something. So the moment is that of the first instruction behind it that issues when no load of the warp
 * is out. */
#include "lsu/lsu.h"
#include "simt/copy.h"

/* Calls of printf, malloc and free touch memory at once. */
static bool orders_by_kind(const struct lsu *lsu, const struct isa_instr *instr)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    bool waits_for_copies = (flags & ISA_FLAG_COPY) && !(flags & ISA_FLAG_MEMORY);
    return flags & (ISA_FLAG_FENCE | ISA_FLAG_BARRIER | ISA_FLAG_MBARRIER | ISA_FLAG_TAKE | ISA_FLAG_GIVE) ||
           waits_for_copies || instr->op == ISA_OP_GRIDDEPCONTROL ||
           (instr->call && instr->call->callee < lsu->launch.module->function_count &&
            lsu->launch.module->functions[instr->call->callee].intrinsic);
}

static bool orders(const struct lsu *lsu, const struct isa_instr *instr)
{
    switch (instr->mods.order) {
    case 0:
    case ISA_ORDER_WEAK:
    case ISA_ORDER_VOLATILE:
    case ISA_ORDER_RELAXED:
    case ISA_ORDER_RELEASE:
        return orders_by_kind(lsu, instr);
    default:
        return true;
    }
}

void lsu_early_issued(struct lsu *lsu, unsigned slot, const struct isa_instr *instr)
{
    struct lsu_early *early = &lsu->early;
    if (mask_has(early->ordered, slot)) {
        early->since[slot] = lsu->agenda->now;
        if (!lsu->warp->slots[slot].loads_out)
            early->ordered &= ~BIT64(slot);
    }
    if (orders(lsu, instr))
        early->ordered |= BIT64(slot);
}

/* A request for more than its lanes read would bind the words beside these to its own moment. */
static void narrow(const struct simt_access *access, uint64_t lanes, struct packet *p)
{
    uint64_t first = p->address + p->bytes, end = p->address;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane], bytes = simt_lane_bytes(access, lane);
        first = cycle_min(first, address);
        end = cycle_max(end, address + bytes);
    }
    first = cycle_max(first, p->address);
    end = cycle_min(end, p->address + p->bytes);
    if (first >= end)
        return;
    p->address = first;
    p->bytes = (uint8_t)(end - first);
}

void lsu_early_ask(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                   struct message_read *m)
{
    uint64_t cycles = lsu->agenda->now - lsu->early.since[o->slot];
    bool is_device = o->access->instr->mods.order == ISA_ORDER_MMIO; /* its loads have effects */
    if (o->access->samples || is_device || o->access->space != ISA_SPACE_GLOBAL)
        return;
    m->ago = (uint32_t)cycle_min(cycles, UINT32_MAX);
    narrow(o->access, t->lanes, &m->packet);
}
