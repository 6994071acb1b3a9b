/* Warp-wide instructions of one warp: their operands to warp_ops.h, their results back. */
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"
#include "simt/warp_ops.h"

/* The lanes named by a member-mask operand (read in the first executing lane); all when it was not written. */
static uint64_t members_of(const struct simt_warp *warp, const struct simt_op *op, unsigned index, uint64_t mask,
                           uint64_t cycle)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    if (index >= op->src_count)
        return ~UINT64_C(0);
    const uint32_t *row = simt_source_row(warp, &op->src[index], simt_stack_top(&warp->stack), cycle, scratch);
    if (!row)
        return ~UINT64_C(0);
    uint32_t named = row[mask_first(mask)];
    return named == UINT32_MAX ? ~UINT64_C(0) : named;
}

static void store_u32(struct simt_warp *warp, const struct simt_op *op, uint64_t mask, const uint32_t *values)
{
    if (!op->dst_count || op->dst[0].place != SIMT_PLACE_ROW)
        return;
    uint32_t *row = simt_row(warp, simt_stack_top(&warp->stack)->reg_base, op->dst[0].row);
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

static void vote(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                 uint64_t cycle)
{
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    uint64_t pred = simt_source_pred(warp, &op->pred_src[0], top) & mask;
    uint64_t result = warp_vote(instr->mods.vote, pred, mask, members_of(warp, op, 0, mask, cycle));
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], top, mask, result);
    else
        store_uniform(warp, op, mask, (uint32_t)result);
}

static void shuffle(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                    uint64_t cycle)
{
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    uint64_t scratch[3][SIMT_MAX_WIDTH];
    uint32_t result[SIMT_MAX_WIDTH];
    const uint32_t *row[3];
    for (unsigned i = 0; i < 3; i++)
        row[i] = simt_source_row(warp, &op->src[i], top, cycle, scratch[i]);
    uint64_t in_range =
        warp_shfl(instr->mods.shfl, warp->block->grid->code->width, result, row[0], row[1], row[2], mask);
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], top, mask, in_range);
    store_u32(warp, op, mask, result);
}

static void match(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                  uint64_t cycle)
{
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    uint64_t scratch[SIMT_MAX_WIDTH];
    uint32_t result[SIMT_MAX_WIDTH];
    const void *row = simt_source_row(warp, &op->src[0], top, cycle, scratch);
    uint64_t members = members_of(warp, op, 1, mask, cycle);
    unsigned width = warp->block->grid->code->width;
    if (instr->mods.vote == ISA_VOTE_ALL) {
        uint64_t equal = warp_match_all(width, op->src[0].wide, result, row, mask, members);
        if (op->pred_dst_count)
            simt_write_pred(warp, &op->pred_dst[0], top, mask, equal);
    } else {
        warp_match_any(width, op->src[0].wide, result, row, mask, members);
    }
    store_u32(warp, op, mask, result);
}

static void elect(struct simt_warp *warp, const struct simt_op *op, uint64_t mask, uint64_t cycle)
{
    uint64_t members = members_of(warp, op, 0, mask, cycle) & mask;
    unsigned leader = mask_first(members ? members : mask);
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], simt_stack_top(&warp->stack), mask, BIT64(leader));
    store_uniform(warp, op, mask, leader);
}

void simt_warp_op(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr, uint64_t mask,
                  uint64_t cycle)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    switch (instr->op) {
    case ISA_OP_VOTE:
        vote(warp, op, instr, mask, cycle);
        break;
    case ISA_OP_SHFL:
        shuffle(warp, op, instr, mask, cycle);
        break;
    case ISA_OP_MATCH:
        match(warp, op, instr, mask, cycle);
        break;
    case ISA_OP_REDUX:
        store_uniform(warp, op, mask,
                      warp_redux(instr->mods.reduce, instr->type,
                                 simt_source_row(warp, &op->src[0], simt_stack_top(&warp->stack), cycle, scratch), mask,
                                 members_of(warp, op, 1, mask, cycle)));
        break;
    case ISA_OP_ACTIVEMASK:
        store_uniform(warp, op, mask, (uint32_t)mask);
        break;
    default:
        elect(warp, op, mask, cycle);
        break;
    }
}
