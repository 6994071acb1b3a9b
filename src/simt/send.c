/* st.async and red.async: stores and reductions to the shared memory of a block of the cluster, whose bytes count at an
 * mbarrier there; and what operations on mbarriers and such sends do to a block's shared memory when they come. Lanes that
 * name the executing block itself are served at once. PTX ISA, "st.async", "red.async". */
#include "simt/send.h"

#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

/* Positions of operands: op.def. */
enum { SEND_TO, SEND_MBARRIER, SEND_VALUES };

#define MBARRIER_AT 24 /* of a lane's data: the address of the mbarrier; the values come first */

uint32_t simt_send_mbarrier(const struct simt_access *access, unsigned lane)
{
    uint32_t address;
    memcpy(&address, simt_access_data(access, lane) + MBARRIER_AT, sizeof address);
    return address & SIMT_SHARED_OFFSET;
}

static uint64_t value_of(const struct simt_operand *operand, const void *row, unsigned lane)
{
    return operand->wide ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Copies an operand to the lanes' data, `bytes` of it at `at`. */
static void gather(const struct simt_warp *warp, const struct simt_operand *operand, uint64_t cycle,
                   struct simt_access *access, unsigned at, unsigned bytes)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const void *row = simt_source_row(warp, operand, &warp->paths.now->frame, cycle, scratch);
    uint64_t offset = at == MBARRIER_AT && operand->place == SIMT_PLACE_ROW ? operand->value : 0;
    for (uint64_t rest = access->mask; row && rest; rest &= rest - 1) {
        uint64_t value = value_of(operand, row, mask_first(rest)) + offset;
        memcpy(simt_access_data(access, mask_first(rest)) + at, &value, bytes);
    }
}

static bool serve_own(struct simt_warp *warp, struct simt_access *access, unsigned lane, struct simt_result *r)
{
    struct simt_sent sent = simt_sent_of(access, lane);
    struct mbarrier_step step = simt_sent_take(warp->block, &sent);
    access->ended |= step.completed ? BIT64(lane) : 0;
    if (step.fault)
        simt_mbarrier_fault(&r->fault, &step, sent.mbarrier, lane, r->pc);
    return !step.fault;
}

enum simt_event simt_send(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r)
{
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    if (!simt_place(warp, &op->src[SEND_TO], ISA_SPACE_CLUSTER, access, r))
        return SIMT_FAULTED;
    memset(access->data, 0, (size_t)warp->code->width * access->stride);
    for (unsigned i = 0; i < access->elements; i++)
        gather(warp, &op->src[SEND_VALUES + i], cycle, access, i * access->element_bytes, access->element_bytes);
    gather(warp, &op->src[SEND_MBARRIER], cycle, access, MBARRIER_AT, 4);
    for (uint64_t rest = access->mask & ~access->remote; rest; rest &= rest - 1)
        if (!serve_own(warp, access, mask_first(rest), r))
            return SIMT_FAULTED;
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_MEMORY;
}

/* What comes to a block */

struct simt_sent simt_sent_of(const struct simt_access *access, unsigned lane)
{
    struct simt_sent sent = {.op = (uint16_t)access->instr->op,
                             .address = (uint32_t)access->address[lane] & SIMT_SHARED_OFFSET,
                             .bytes = (uint8_t)(access->element_bytes * access->elements),
                             .counts = !access->instr->mods.noinc};
    if (access->op->kind == SIMT_KIND_MBARRIER) {
        memcpy(&sent.operand, simt_access_data(access, lane), sizeof sent.operand);
        return sent;
    }
    sent.mbarrier = simt_send_mbarrier(access, lane);
    sent.atomic = access->kind == ISA_FLAG_ATOMIC ? access->instr->mods.atomic : 0;
    sent.type = access->instr->type;
    sent.data = simt_access_data(access, lane);
    return sent;
}

struct mbarrier_step simt_sent_take(const struct simt_block *block, const struct simt_sent *sent)
{
    uint8_t *at = block->shared + sent->address;
    if (!sent->data)
        return simt_mbarrier_take(block, sent->address, sent->op, sent->operand);
    if (sent->atomic) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, at, sent->bytes);
        memcpy(&operand, sent->data, sent->bytes);
        uint64_t value = lane_atomic(sent->atomic, sent->type, old, operand, 0);
        memcpy(at, &value, sent->bytes);
    } else {
        memcpy(at, sent->data, sent->bytes);
    }
    return simt_mbarrier_bytes(block, sent->mbarrier, sent->bytes);
}
