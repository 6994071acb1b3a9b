/* Copies beside the warp: see copy.h. */
#include "simt/copy.h"

#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

/* The bytes that each lane reads: all, as many as an operand says, or none where a predicate says so. */
static void gather_reads(const struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame,
                         uint64_t cycle, unsigned bytes, uint32_t *reads)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint32_t *asked = op->src_count > 3 && !op->pred_src_count
                                ? simt_source_row(warp, &op->src[3], frame, cycle, scratch)
                                : NULL;
    uint64_t ignored = op->pred_src_count ? simt_source_pred(warp, &op->pred_src[0], frame) : 0;
    for (unsigned lane = 0; lane < warp->code->width; lane++)
        reads[lane] = mask_has(ignored, lane) ? 0 : asked && asked[lane] < bytes ? asked[lane] : bytes;
}

/* The lanes' destinations and what they read go to the access's data, with 0 for what they do not read. Lanes that read
 * nothing are done. */
static void begin_lanes(struct simt_warp *warp, struct simt_access *access, const uint32_t *reads)
{
    unsigned bytes = (unsigned)access->element_bytes * access->elements;
    access->beside = 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_copy_lane copy = {(uint32_t)access->address[lane], reads[lane]};
        memcpy(simt_access_data(access, lane), &copy, sizeof copy);
        memset(warp->block->shared + copy.to + copy.reads, 0, bytes - copy.reads);
        if (copy.reads)
            continue;
        access->mask &= ~BIT64(lane);
        access->beside |= BIT64(lane);
    }
}

enum simt_event simt_copy(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r)
{
    uint32_t reads[SIMT_MAX_WIDTH];
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    if (!simt_place(warp, &op->src[0], ISA_SPACE_SHARED, access, r))
        return SIMT_FAULTED;
    gather_reads(warp, op, &warp->paths.now->frame, cycle, (unsigned)access->element_bytes * access->elements, reads);
    begin_lanes(warp, access, reads);
    if (access->mask && !simt_place(warp, &op->src[1], ISA_SPACE_GLOBAL, access, r))
        return SIMT_FAULTED;
    simt_advance(&warp->paths, r->pc + 1);
    return access->mask ? SIMT_MEMORY : SIMT_PLAIN;
}

void simt_copy_take(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, const uint8_t *base,
                    uint32_t line_bytes)
{
    uint64_t within = line_bytes ? line_bytes - 1 : ~UINT64_C(0);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_copy_lane copy = simt_copy_of(access, lane);
        const uint8_t *from = (const uint8_t *)((uintptr_t)base + (access->address[lane] & within));
        memcpy(warp->block->shared + copy.to, from, copy.reads);
    }
}

enum simt_event simt_copies(struct simt_warp *warp, const struct simt_op *op, struct simt_result *r)
{
    simt_advance(&warp->paths, r->pc + 1);
    if (!r->mask)
        return SIMT_PLAIN;
    switch (r->instr->op) {
    case ISA_OP_CP_COMMIT:
    case ISA_OP_BULK_COMMIT:
        r->copies = SIMT_COPIES_COMMIT;
        break;
    case ISA_OP_CP_WAIT_ALL:
        r->copies = SIMT_COPIES_ALL;
        break;
    default:
        r->copies = SIMT_COPIES_WAIT;
        break;
    }
    uint64_t most = op->src_count ? r->instr->src[0].value : 0;
    r->most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    return SIMT_COPIES;
}
