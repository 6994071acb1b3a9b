/* st.async and red.async: stores and reductions to the shared memory of a block of the cluster, whose bytes count at an
 * mbarrier there; and what operations on mbarriers and such sends do to a block's shared memory when they come. Lanes that
 * name the executing block itself are served at once. PTX ISA, "st.async", "red.async". */
#include "simt/send.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

/* Positions of operands: op.def. */
enum { SEND_TO, SEND_MBARRIER, SEND_VALUES };

#define MBARRIER_AT 24 /* of a lane's data: the address of the mbarrier; the values come first */

/* Where a lane's mbarrier lies, whose bytes count there: in the shared memory of the block that they come to. */
static uint32_t mbarrier_of(const struct simt_access *access, unsigned lane)
{
    uint32_t address;
    memcpy(&address, simt_access_data(access, lane) + MBARRIER_AT, sizeof address);
    return address;
}

/* Copies an operand to the lanes' data, `bytes` of it at `at`. */
static void gather(const struct simt_warp *warp, const struct simt_op *op, unsigned operand, uint64_t cycle,
                   struct simt_access *access, unsigned at, unsigned bytes)
{
    uint64_t values[SIMT_MAX_WIDTH];
    simt_operand_values(warp, op, operand, cycle, 0, values);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        memcpy(simt_access_data(access, mask_first(rest)) + at, &values[mask_first(rest)], bytes);
}

/* No object may lie where a lane says its mbarrier is: r->fault says so. */
static bool refuse_mbarriers(const struct simt_block *block, const struct simt_access *access, struct simt_result *r)
{
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint32_t address = mbarrier_of(access, lane);
        if (address % MBARRIER_BYTES == 0 && LANE_SHARED_OFFSET(address) + MBARRIER_BYTES <= block->shared_bytes)
            continue;
        r->fault = (struct simt_fault){
            .kind = SIMT_FAULT_MBARRIER, .lane = (uint8_t)lane, .space = ISA_SPACE_SHARED, .address = address, .pc = r->pc};
        snprintf(r->fault.message, sizeof r->fault.message, "there is no mbarrier at 0x%x of shared memory", address);
        return true;
    }
    return false;
}

static bool serve_own(struct simt_warp *warp, struct simt_access *access, unsigned lane, struct simt_result *r)
{
    struct simt_sent sent = simt_sent_of(warp, access, lane);
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
        gather(warp, op, SEND_VALUES + i, cycle, access, i * access->element_bytes, access->element_bytes);
    gather(warp, op, SEND_MBARRIER, cycle, access, MBARRIER_AT, 4);
    if (refuse_mbarriers(warp->block, access, r))
        return SIMT_FAULTED;
    for (uint64_t rest = access->mask & ~access->remote; rest; rest &= rest - 1)
        if (!serve_own(warp, access, mask_first(rest), r))
            return SIMT_FAULTED;
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_MEMORY;
}

/* What comes to a block */

struct simt_sent simt_sent_of(const struct simt_warp *warp, const struct simt_access *access, unsigned lane)
{
    struct simt_sent sent = {.op = (uint16_t)access->instr->op,
                             .address = LANE_SHARED_OFFSET(access->address[lane]),
                             .by = simt_thread_of(warp, lane),
                             .bytes = (uint8_t)(access->element_bytes * access->elements)};
    if (access->op->kind == SIMT_KIND_MBARRIER) {
        memcpy(&sent.operand, simt_access_data(access, lane), sizeof sent.operand);
        return sent;
    }
    sent.mbarrier = LANE_SHARED_OFFSET(mbarrier_of(access, lane));
    sent.atomic = access->kind == ISA_FLAG_ATOMIC ? access->instr->mods.atomic : 0;
    sent.type = access->instr->type;
    sent.data = simt_access_data(access, lane);
    return sent;
}

struct mbarrier_step simt_sent_take(const struct simt_block *block, const struct simt_sent *sent)
{
    uint8_t *at = block->shared + sent->address;
    if (!sent->data)
        return simt_mbarrier_take(block, sent->address, sent->op, sent->operand, sent->by);
    if (sent->atomic) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, at, sent->bytes);
        memcpy(&operand, sent->data, sent->bytes);
        uint64_t value = lane_atomic(sent->atomic, sent->type, old, operand, 0);
        memcpy(at, &value, sent->bytes);
    } else {
        memcpy(at, sent->data, sent->bytes);
    }
    return simt_mbarrier_take(block, sent->mbarrier, ISA_OP_MBARRIER_COMPLETE_TX, sent->bytes, SIMT_NO_THREAD);
}
