/* Matrices that a warp holds: see matrix.h. */
#include "simt/matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define MOST_FRAGMENTS 255 /* operands of an instruction */

enum simt_event simt_matrix_fault(struct simt_result *r, unsigned lane, const char *format, ...)
{
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_MATRIX, .lane = (uint8_t)lane, .pc = r->pc};
    va_list args;
    va_start(args, format);
    vsnprintf(r->fault.message, sizeof r->fault.message, format, args);
    va_end(args);
    return SIMT_FAULTED;
}

enum simt_event simt_matrix_whole(struct simt_warp *warp, uint64_t cycle, struct simt_result *r)
{
    const char *name = isa_op_info((enum isa_op)r->instr->op)->text;
    unsigned first = mask_first(r->mask);
    if (warp->code->width != ISA_WARP_SZ)
        return simt_matrix_fault(r, first, "%s is for warps of 32 threads; sm.warp_size is %u", name, warp->code->width);
    enum simt_event event = simt_gather_whole(warp, cycle, r);
    if (event != SIMT_PLAIN)
        return event;
    uint64_t absent = mask_low(ISA_WARP_SZ) & ~r->mask;
    if (!absent)
        return SIMT_PLAIN;
    struct strbuf lanes = {0};
    simt_add_lanes(&lanes, absent);
    event = simt_matrix_fault(r, first, "%s is executed by all 32 threads of a warp together, here without %s", name,
                              strbuf_text(&lanes));
    strbuf_free(&lanes);
    return event;
}

/* ---- ldmatrix, stmatrix, movmatrix: matrices of 8 x 8 elements of 16 bits, two in a register ---- */

/* Where element e of the pair that a lane has of matrix i lies: the lane that gave its row's address, and the byte there. */
static inline unsigned row_of(unsigned i, unsigned lane, unsigned e, bool trans)
{
    return 8 * i + (trans ? 2 * (lane % 4) + e : lane / 4);
}
static inline unsigned byte_of(unsigned lane, unsigned e, bool trans)
{
    return 2 * (trans ? lane / 4 : 2 * (lane % 4) + e);
}

void simt_matrix_load(struct simt_warp *warp, const struct simt_access *access)
{
    bool trans = access->instr->mods.trans;
    for (unsigned i = 0; i < isa_matrix_count(access->instr); i++) {
        const struct simt_operand *to = &access->op->dst[i];
        uint32_t *row = to->place == SIMT_PLACE_ROW ? simt_row(warp, access->reg_base, to->row) : NULL;
        for (unsigned lane = 0; row && lane < ISA_WARP_SZ; lane++) {
            uint16_t pair[2];
            for (unsigned e = 0; e < 2; e++)
                memcpy(&pair[e],
                       warp->block->shared + access->address[row_of(i, lane, e, trans)] + byte_of(lane, e, trans), 2);
            row[lane] = pair[0] | (uint32_t)pair[1] << 16;
        }
    }
}

void simt_matrix_gather(const struct simt_warp *warp, struct simt_access *access)
{
    bool trans = access->instr->mods.trans;
    const struct simt_frame frame = {.reg_base = access->reg_base};
    for (unsigned i = 0; i < isa_matrix_count(access->instr); i++) {
        uint64_t scratch[SIMT_MAX_WIDTH];
        const uint32_t *row = simt_source_row(warp, &access->op->src[1 + i], &frame, 0, scratch);
        for (unsigned lane = 0; row && lane < ISA_WARP_SZ; lane++)
            for (unsigned e = 0; e < 2; e++) {
                uint16_t value = (uint16_t)(row[lane] >> 16 * e);
                memcpy(simt_access_data(access, row_of(i, lane, e, trans)) + byte_of(lane, e, trans), &value, 2);
            }
    }
}

static void transpose(uint32_t *to, const uint32_t *from)
{
    uint32_t moved[ISA_WARP_SZ];
    for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++) {
        moved[lane] = 0;
        for (unsigned e = 0; e < 2; e++) {
            unsigned row = 2 * (lane % 4) + e, column = lane / 4;
            moved[lane] |= (from[4 * row + column / 2] >> 16 * (column % 2) & 0xFFFF) << 16 * e;
        }
    }
    memcpy(to, moved, sizeof moved);
}

/* ---- within registers ---- */

/* The products of wgmma are done when they are asked for; whoever knows time says when that shows. */
static enum simt_event execute_product(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    struct isa_matrix x = isa_matrix_of(r->instr);
    uint64_t scratch[SIMT_MAX_WIDTH]; /* for none: sources are registers and constants */
    const void *src[MOST_FRAGMENTS];
    void *dst[MOST_FRAGMENTS];
    for (unsigned i = 0; i < op->src_count; i++)
        src[i] = simt_source_row(warp, &op->src[i], frame, cycle, scratch);
    for (unsigned i = 0; i < op->dst_count; i++)
        dst[i] = simt_row(warp, frame->reg_base, op->dst[i].row);
    bool is_asynchronous = r->instr->op == ISA_OP_WGMMA;
    struct simt_fragments f = {.a = src, .b = src + x.a, .c = src + x.a + x.b, .d = dst};
    if (is_asynchronous) { /* a warp of the four has a quarter of the rows */
        f = (struct simt_fragments){.c = src, .a = src + x.d, .b = src + x.d + x.a, .d = dst};
        f.no_c = !(simt_source_pred(warp, &op->pred_src[0], frame) & 1);
        f.first_row = ISA_MATRIX_ROWS * (warp->index % 4);
        f.shared = warp->block->shared;
        f.shared_bytes = warp->block->shared_bytes;
    }
    if (r->instr->mods.sparse) {
        f.metadata = src[x.a + x.b + x.c];
        f.selector = (unsigned)r->instr->src[x.a + x.b + x.c + 1].value;
    }
    uint32_t beyond = simt_product(r->instr, &f);
    if (beyond)
        return simt_matrix_fault(r, 0, "a descriptor leads to byte %u of shared memory, of which the block has %u", beyond,
                                 f.shared_bytes);
    return is_asynchronous ? SIMT_PRODUCTS : SIMT_PLAIN;
}

enum simt_event simt_matrix(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r)
{
    enum simt_event event = simt_matrix_whole(warp, cycle, r);
    if (event != SIMT_PLAIN)
        return event;
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t scratch[SIMT_MAX_WIDTH];
    switch (r->instr->op) {
    case ISA_OP_MMA:
    case ISA_OP_WGMMA:
        return execute_product(warp, op, cycle, r);
    case ISA_OP_WGMMA_COMMIT:
    case ISA_OP_WGMMA_WAIT:
        return SIMT_PRODUCTS;
    case ISA_OP_MOVMATRIX:
        if (op->dst[0].place == SIMT_PLACE_ROW)
            transpose(simt_row(warp, frame->reg_base, op->dst[0].row),
                      simt_source_row(warp, &op->src[0], frame, cycle, scratch));
        return SIMT_PLAIN;
    default: /* wgmma.fence */
        return SIMT_PLAIN;
    }
}
