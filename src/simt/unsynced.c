/* Exchanges between lanes that are not synchronised: the lanes that execute an exchange together are compared with
 * those that its masks and sources need, and a difference is noted (struct simt_unsynced). */
#include "simt/exchange.h"

#include <stdio.h>

/* Returns the lanes that do more than end, of a set none of which executes the current instruction. Lanes that left a kernel
 * early wait where it ends until the others come there. */
static uint64_t going_on(const struct simt_warp *warp, uint64_t lanes)
{
    const struct isa_instr *instrs = warp->code->module->instrs;
    uint64_t found = 0;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        if (!(walk.lanes & lanes))
            continue;
        const struct isa_instr *next = &instrs[walk.path->pc];
        bool ends = !next->guarded && (next->op == ISA_OP_EXIT || next->op == ISA_OP_RET);
        found |= ends ? 0 : walk.lanes & lanes;
    }
    return found;
}

/* PTX ISA, "vote.sync" and its kin: an executing lane is in its own mask, and every lane that a mask names and that has
 * not ended executes such an instruction with it: for targets below sm_70 the same one, without waiting for it. */
void simt_compare_masks(const struct simt_warp *warp, const struct simt_exchange *x, struct simt_unsynced *unsynced)
{
    uint64_t named = 0, unnamed = 0;
    for (uint64_t rest = x->lanes, group; rest; rest &= ~group) {
        uint64_t members = simt_named_by(&x->members, mask_first(rest));
        group = simt_of_one_mask(&x->members, rest);
        named |= members;
        unnamed |= group & ~members;
    }
    uint64_t absent = named & warp->live & ~x->lanes;
    if (unnamed)
        *unsynced = (struct simt_unsynced){.kind = SIMT_UNSYNCED_UNNAMED, .lanes = unnamed};
    else if (absent && (absent = going_on(warp, absent)))
        *unsynced = (struct simt_unsynced){
            .kind = simt_meets_anywhere(warp->code->module) ? SIMT_UNSYNCED_UNAWAITED : SIMT_UNSYNCED_ABSENT,
            .lanes = x->lanes,
            .others = absent,
        };
}

/* That a source is not there makes a result undefined, unless it should have been waited for. */
void simt_note_source(uint64_t readers, uint64_t sources, struct simt_unsynced *unsynced)
{
    bool awaited = unsynced->kind == SIMT_UNSYNCED_UNAWAITED && !(sources & ~unsynced->others);
    if (!readers || awaited || unsynced->kind == SIMT_UNSYNCED_UNNAMED)
        return;
    *unsynced = (struct simt_unsynced){.kind = SIMT_UNSYNCED_SOURCE, .lanes = readers, .others = sources};
}

#define MOST_RANGES 6

void simt_add_lanes(struct strbuf *out, uint64_t lanes)
{
    if (mask_count(lanes & ~(lanes << 1)) > MOST_RANGES) {
        strbuf_addf(out, "lanes of mask 0x%08llx", (unsigned long long)lanes);
        return;
    }
    strbuf_add(out, lanes & (lanes - 1) ? "lanes " : "lane ");
    for (const char *between = ""; lanes; between = ", ") {
        unsigned first = mask_first(lanes), last = first;
        while (last < 63 && mask_has(lanes, last + 1))
            last++;
        strbuf_addf(out, last > first ? "%s%u-%u" : "%s%u", between, first, last);
        lanes &= ~mask_low(last + 1);
    }
}

void simt_unsynced_describe(const struct simt_unsynced *unsynced, struct strbuf *out)
{
    bool one = !(unsynced->lanes & (unsynced->lanes - 1)), other = !(unsynced->others & (unsynced->others - 1));
    simt_add_lanes(out, unsynced->lanes);
    switch (unsynced->kind) {
    case SIMT_UNSYNCED_SOURCE:
        strbuf_add(out, one ? " reads " : " read ");
        simt_add_lanes(out, unsynced->others);
        strbuf_add(out, other ? " of the warp, which does not execute" : " of the warp, which do not execute");
        strbuf_add(out, " this instruction: the result is undefined, here 0");
        return;
    case SIMT_UNSYNCED_UNNAMED:
        strbuf_add(out, one ? " of the warp executes" : " of the warp execute");
        strbuf_add(out, " this instruction with a mask that does not name ");
        strbuf_add(out, one ? "it: the result is undefined" : "them: the result is undefined");
        return;
    case SIMT_UNSYNCED_BARRIER:
        strbuf_add(out, one ? " of the warp comes" : " of the warp come");
        strbuf_add(out, " to this barrier without ");
        simt_add_lanes(out, unsynced->others);
        strbuf_add(out,
                   ": undefined for a target below sm_70, here the warp arrives all the same, and again with lanes "
                   "that come later");
        return;
    case SIMT_UNSYNCED_SKIPPED:
        strbuf_add(out, one ? " of the warp comes" : " of the warp come");
        strbuf_add(out, " to this barrier, and ");
        simt_add_lanes(out, unsynced->others);
        strbuf_add(out, other ? " passes by: all threads of a block have to come to it, or none"
                              : " pass by: all threads of a block have to come to it, or none");
        return;
    default:
        break;
    }
    strbuf_add(out, one ? " of the warp executes" : " of the warp execute");
    strbuf_add(out, " this instruction with a mask that also names ");
    simt_add_lanes(out, unsynced->others);
    strbuf_add(out, ", which did not come here: ");
    strbuf_addf(out,
                unsynced->kind == SIMT_UNSYNCED_ABSENT
                    ? "the result is undefined, here without waiting for %s"
                    : "under this divergence model (sm.divergence) nobody waits for %s, so the result is without",
                other ? "it" : "them");
}

enum simt_event simt_fault_unsynced(struct simt_result *r)
{
    struct strbuf text = {0};
    simt_unsynced_describe(&r->unsynced, &text);
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_UNSYNCED, .lane = (uint8_t)mask_first(r->unsynced.lanes)};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return SIMT_FAULTED;
}
