/* Warp-wide instructions of one warp: their operands to warp_ops.h, their results back, and whether the lanes that
 * execute them are those that their masks and sources need. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"
#include "simt/warp_ops.h"

/* The member masks of a .sync instruction. A mask of 32 ones names every lane, also in a warp of 64. */
struct members {
    const uint32_t *row; /* each lane's mask; NULL: the instruction has none, which names every lane */
    bool same;           /* all executing lanes have the same one */
};

static uint64_t named_by(const struct members *m, unsigned lane)
{
    return !m->row || m->row[lane] == UINT32_MAX ? ~UINT64_C(0) : m->row[lane];
}

/* The lanes of `lanes` that have the mask of the first of them. */
static uint64_t of_one_mask(const struct members *m, uint64_t lanes)
{
    uint32_t mask = m->row ? m->row[mask_first(lanes)] : 0;
    uint64_t same = 0;
    if (!m->row || m->same)
        return lanes;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (m->row[mask_first(rest)] == mask)
            same |= BIT64(mask_first(rest));
    return same;
}

/* Reads the member masks from operand `index`. */
static struct members members_of(const struct simt_warp *warp, const struct simt_op *op, unsigned index, uint64_t mask,
                                 uint64_t cycle, uint64_t *scratch)
{
    struct members m = {.same = true};
    if (index >= op->src_count)
        return m;
    m.row = simt_source_row(warp, &op->src[index], &warp->paths.now->frame, cycle, scratch);
    if (!m.row || op->src[index].place == SIMT_PLACE_FIXED)
        return m;
    uint32_t first = m.row[mask_first(mask)], differences = 0;
    for (unsigned lane = 0; lane < warp->code->width; lane++)
        differences |= m.row[lane] ^ first;
    if (differences) { /* perhaps only in lanes that do not execute */
        m.same = false;
        m.same = of_one_mask(&m, mask) == mask;
    }
    return m;
}

/* Of these lanes, none of which executes the current instruction, those that do more than end. Lanes that left a kernel
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

/* Compares the masks with the lanes that execute. PTX ISA, "vote.sync" and its kin: an executing lane is in its own
 * mask, and every lane that a mask names and that has not ended executes the instruction with it. In a warp of 64 the
 * upper lanes are left out: masks of 32 bits that are not all ones are not meant for them. */
static void compare_masks(const struct simt_warp *warp, const struct members *m, uint64_t mask,
                          struct simt_unsynced *unsynced)
{
    uint64_t named = 0, unnamed = 0, low = mask & mask_low(32);
    for (uint64_t rest = low; rest;) {
        uint64_t group = of_one_mask(m, rest), members = named_by(m, mask_first(rest));
        named |= members;
        unnamed |= group & ~members;
        rest &= ~group;
    }
    uint64_t absent = named & warp->live & ~mask;
    if (unnamed)
        *unsynced = (struct simt_unsynced){.kind = SIMT_UNSYNCED_UNNAMED, .lanes = unnamed};
    else if (absent && (absent = going_on(warp, absent)))
        *unsynced = (struct simt_unsynced){.kind = SIMT_UNSYNCED_ABSENT, .lanes = mask, .others = absent};
}

static void store_u32(struct simt_warp *warp, const struct simt_op *op, uint64_t mask, const uint32_t *values)
{
    if (!op->dst_count || op->dst[0].place != SIMT_PLACE_ROW)
        return;
    uint32_t *row = simt_row(warp, warp->paths.now->frame.reg_base, op->dst[0].row);
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        row[mask_first(rest)] = values[mask_first(rest)];
}

static void store_uniform(struct simt_warp *warp, const struct simt_op *op, uint64_t mask, uint32_t value)
{
    uint32_t values[SIMT_MAX_WIDTH];
    for (unsigned lane = 0; lane < SIMT_MAX_WIDTH; lane++)
        values[lane] = value;
    store_u32(warp, op, mask, values);
}

/* Computed by each group of lanes that gave the same mask. */
static void vote(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                 const struct members *m)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t pred = simt_source_pred(warp, &op->pred_src[0], frame) & mask;
    for (uint64_t rest = mask, group; rest; rest &= ~group) {
        group = of_one_mask(m, rest);
        uint64_t result = warp_vote(instr->mods.vote, pred, group, named_by(m, mask_first(group)));
        if (op->pred_dst_count)
            simt_write_pred(warp, &op->pred_dst[0], frame, group, result);
        else
            store_uniform(warp, op, group, (uint32_t)result);
    }
}

static void shuffle(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                    uint64_t cycle, struct simt_unsynced *unsynced)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t scratch[3][SIMT_MAX_WIDTH];
    uint32_t result[SIMT_MAX_WIDTH];
    const uint32_t *row[3];
    for (unsigned i = 0; i < 3; i++)
        row[i] = simt_source_row(warp, &op->src[i], frame, cycle, scratch[i]);
    struct warp_absent absent = {0};
    uint64_t in_range = warp_shfl(instr->mods.shfl, warp->code->width, result, row[0], row[1], row[2], mask, &absent);
    if (absent.readers && unsynced->kind != SIMT_UNSYNCED_UNNAMED)
        *unsynced =
            (struct simt_unsynced){.kind = SIMT_UNSYNCED_SOURCE, .lanes = absent.readers, .others = absent.sources};
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], frame, mask, in_range);
    store_u32(warp, op, mask, result);
}

static void match(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                  uint64_t cycle, const struct members *m)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t scratch[SIMT_MAX_WIDTH];
    uint32_t result[SIMT_MAX_WIDTH];
    const void *row = simt_source_row(warp, &op->src[0], frame, cycle, scratch);
    unsigned width = warp->code->width;
    for (uint64_t rest = mask, group; rest; rest &= ~group) {
        group = of_one_mask(m, rest);
        uint64_t members = named_by(m, mask_first(group)), equal = 0;
        if (instr->mods.vote == ISA_VOTE_ALL)
            equal = warp_match_all(width, op->src[0].wide, result, row, group, members);
        else
            warp_match_any(width, op->src[0].wide, result, row, group, members);
        if (instr->mods.vote == ISA_VOTE_ALL && op->pred_dst_count)
            simt_write_pred(warp, &op->pred_dst[0], frame, group, equal);
    }
    store_u32(warp, op, mask, result);
}

static void redux(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                  uint64_t cycle, const struct members *m)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint32_t *row = simt_source_row(warp, &op->src[0], &warp->paths.now->frame, cycle, scratch);
    uint32_t result[SIMT_MAX_WIDTH];
    for (uint64_t rest = mask, group; rest; rest &= ~group) {
        group = of_one_mask(m, rest);
        uint32_t value = warp_redux(instr->mods.reduce, instr->type, row, group, named_by(m, mask_first(group)));
        for (uint64_t lanes = group; lanes; lanes &= lanes - 1)
            result[mask_first(lanes)] = value;
    }
    store_u32(warp, op, mask, result);
}

static void elect(struct simt_warp *warp, const struct simt_op *op, uint64_t mask, const struct members *m)
{
    for (uint64_t rest = mask, group; rest; rest &= ~group) {
        group = of_one_mask(m, rest);
        uint64_t members = named_by(m, mask_first(group)) & group;
        unsigned leader = mask_first(members ? members : group);
        if (op->pred_dst_count)
            simt_write_pred(warp, &op->pred_dst[0], &warp->paths.now->frame, group, BIT64(leader));
        store_uniform(warp, op, group, leader);
    }
}

/* Which source operand holds the member masks, of those that are no predicates. */
static unsigned mask_operand(enum isa_op op)
{
    switch (op) {
    case ISA_OP_SHFL:
        return 3;
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
        return 1;
    default:
        return 0; /* vote, elect, bar.warp.sync */
    }
}

void simt_add_lanes(struct strbuf *out, uint64_t lanes)
{
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
        break;
    case SIMT_UNSYNCED_UNNAMED:
        strbuf_add(out, one ? " of the warp executes" : " of the warp execute");
        strbuf_add(out, " this instruction with a mask that does not name ");
        strbuf_add(out, one ? "it: the result is undefined" : "them: the result is undefined");
        break;
    default:
        strbuf_add(out, one ? " of the warp executes" : " of the warp execute");
        strbuf_add(out, " this instruction with a mask that also names ");
        simt_add_lanes(out, unsynced->others);
        strbuf_add(out, ", which did not come here: the result is undefined, here without waiting for ");
        strbuf_add(out, other ? "it" : "them");
        break;
    }
}

static enum simt_event fault_unsynced(struct simt_result *r)
{
    struct strbuf text = {0};
    simt_unsynced_describe(&r->unsynced, &text);
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_UNSYNCED, .lane = (uint8_t)mask_first(r->unsynced.lanes)};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return SIMT_FAULTED;
}

uint64_t simt_lacking_lanes(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            const struct simt_result *r, uint64_t *lanes)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    struct members m = members_of(warp, op, mask_operand(r->instr->op), r->mask, cycle, scratch);
    for (uint64_t rest = m.row ? r->mask : 0; rest; rest &= ~*lanes) {
        *lanes = of_one_mask(&m, rest);
        uint64_t named = named_by(&m, mask_first(*lanes));
        if (named & warp->live & ~r->mask)
            return named;
    }
    return 0;
}

enum simt_event simt_warp_op(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r)
{
    const struct isa_instr *instr = r->instr;
    uint64_t scratch[SIMT_MAX_WIDTH], mask = r->mask;
    struct members m = members_of(warp, op, mask_operand(instr->op), mask, cycle, scratch);
    r->unsynced.kind = SIMT_UNSYNCED_NOT;
    if (m.row) /* before a result takes the place of the masks */
        compare_masks(warp, &m, mask, &r->unsynced);
    switch (instr->op) {
    case ISA_OP_VOTE:
        vote(warp, op, instr, mask, &m);
        break;
    case ISA_OP_SHFL:
        shuffle(warp, op, instr, mask, cycle, &r->unsynced);
        break;
    case ISA_OP_MATCH:
        match(warp, op, instr, mask, cycle, &m);
        break;
    case ISA_OP_REDUX:
        redux(warp, op, instr, mask, cycle, &m);
        break;
    case ISA_OP_ACTIVEMASK:
        store_uniform(warp, op, mask, (uint32_t)mask);
        break;
    case ISA_OP_ELECT:
        elect(warp, op, mask, &m);
        break;
    default:
        break; /* bar.warp.sync: those of the path are in step, others were waited for or never are */
    }
    if (!r->unsynced.kind)
        return SIMT_PLAIN;
    return warp->block->grid->check_sync ? fault_unsynced(r) : SIMT_UNSYNCED;
}
