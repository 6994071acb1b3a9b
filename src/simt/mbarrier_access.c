/* Operations on mbarrier objects (mbarrier.h) by the lanes of a warp. Objects lie in the block's shared memory, and are
 * changed when the instruction issues, as all of it is, in lane order. */
#include "simt/mbarrier.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

/* In an access's data: the first word is the count, the bytes or, of a wait, the limit that a lane asks for (0: it asks for
 * none); the second the parity that it waits for. */
static uint64_t word_of(const struct simt_access *access, unsigned lane, unsigned word)
{
    uint64_t value;
    memcpy(&value, simt_access_data(access, lane) + 8 * word, 8);
    return value;
}

static void set_word(struct simt_access *access, unsigned lane, unsigned word, uint64_t value)
{
    memcpy(simt_access_data(access, lane) + 8 * word, &value, 8);
}

static bool names_state(unsigned op)
{
    return op == ISA_OP_MBARRIER_TEST || op == ISA_OP_MBARRIER_TRY;
}

/* Copies an operand to a word of the lanes' data; `absent` stands for one that was not written. */
static void gather_word(const struct simt_warp *warp, const struct simt_op *op, unsigned operand, uint64_t cycle,
                        struct simt_access *access, unsigned word, uint64_t absent)
{
    uint64_t values[SIMT_MAX_WIDTH];
    simt_operand_values(warp, op, operand, cycle, absent, values);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        set_word(access, mask_first(rest), word, values[mask_first(rest)]);
}

static void gather_operands(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access)
{
    unsigned which = access->instr->op;
    if (!isa_looks_at_mbarrier(access->instr)) {
        gather_word(warp, op, 1, cycle, access, 0, 1);
        return;
    }
    gather_word(warp, op, 1, cycle, access, 1, 0);
    gather_word(warp, op, 2, cycle, access, 0, 0);
    for (uint64_t rest = access->mask; names_state(which) && rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        set_word(access, lane, 1, mbarrier_parity(word_of(access, lane, 1)));
    }
}

/* counts: cp.async.mbarrier.arrive is an arrival more. */
static struct mbarrier_step step_of(unsigned op, uint64_t object, uint64_t operand, bool counts)
{
    switch (op) {
    case ISA_OP_MBARRIER_INIT:
        return mbarrier_init(operand);
    case ISA_OP_MBARRIER_INVAL:
        return mbarrier_inval(object);
    case ISA_OP_CP_ARRIVE:
        return counts ? mbarrier_await_one(object) : mbarrier_look(object);
    case ISA_OP_MBARRIER_EXPECT_TX:
        return mbarrier_expect(object, operand);
    case ISA_OP_MBARRIER_COMPLETE_TX:
        return mbarrier_complete(object, operand);
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_DROP:
        return mbarrier_arrive(object, operand, 0, op == ISA_OP_MBARRIER_DROP);
    case ISA_OP_MBARRIER_ARRIVE_TX:
    case ISA_OP_MBARRIER_DROP_TX:
        return mbarrier_arrive(object, 1, operand, op == ISA_OP_MBARRIER_DROP_TX);
    default:
        return mbarrier_look(object);
    }
}

static bool arrives(unsigned op)
{
    return op == ISA_OP_MBARRIER_ARRIVE || op == ISA_OP_MBARRIER_DROP || op == ISA_OP_MBARRIER_ARRIVE_TX ||
           op == ISA_OP_MBARRIER_DROP_TX;
}

/* An operation has changed an object, which is told to whoever reports who has arrived. */
static void note(const struct simt_block *block, uint64_t address, unsigned op, const struct mbarrier_step *step,
                 uint32_t by)
{
    if (!block->arrivals)
        return;
    if (op == ISA_OP_MBARRIER_INIT || op == ISA_OP_MBARRIER_INVAL)
        simt_arrivals_forget(block->arrivals, (uint32_t)address);
    else if (arrives(op) || step->completed)
        simt_arrivals_note(block->arrivals, (uint32_t)address, arrives(op) ? by : SIMT_NO_THREAD, step->completed);
}

static void describe(struct simt_fault *fault, const struct mbarrier_step *step, uint64_t operand)
{
    struct strbuf words = {0};
    mbarrier_describe_fault((enum mbarrier_fault)step->fault, step->object, operand, &words);
    snprintf(fault->message, sizeof fault->message, "%s", strbuf_text(&words));
    strbuf_free(&words);
}

void simt_mbarrier_fault(struct simt_fault *fault, const struct mbarrier_step *step, uint64_t address, unsigned lane,
                         uint32_t pc)
{
    *fault = (struct simt_fault){.kind = SIMT_FAULT_MBARRIER,
                                 .lane = (uint8_t)lane,
                                 .space = ISA_SPACE_SHARED,
                                 .address = address,
                                 .pc = pc};
    describe(fault, step, 1);
}

static void write_state(struct simt_warp *warp, const struct simt_access *access, unsigned lane, uint64_t state)
{
    const struct simt_op *op = access->op;
    if (op->dst_count && op->dst[0].place == SIMT_PLACE_ROW)
        ((uint64_t *)simt_row(warp, access->reg_base, op->dst[0].row))[lane] = state;
}

/* The lane's operation. False: it is not allowed, as r->fault says. */
static bool perform(struct simt_warp *warp, struct simt_access *access, unsigned lane, struct simt_result *r)
{
    uint8_t *at = warp->block->shared + access->address[lane];
    uint64_t object, bit = BIT64(lane);
    memcpy(&object, at, sizeof object);
    struct mbarrier_step step = step_of(access->instr->op, object, word_of(access, lane, 0), !access->instr->mods.noinc);
    if (!step.fault && step.completed && access->instr->mods.nocomplete)
        step.fault = MBARRIER_COMPLETES;
    if (step.fault) {
        simt_mbarrier_fault(&r->fault, &step, access->address[lane], lane, r->pc);
        describe(&r->fault, &step, word_of(access, lane, 0));
        return false;
    }
    memcpy(at, &step.object, sizeof step.object);
    if (step.object != object)
        note(warp->block, access->address[lane], access->instr->op, &step, simt_thread_of(warp, lane));
    access->changed |= step.object != object ? bit : 0;
    access->ended |= step.completed ? bit : 0;
    write_state(warp, access, lane, object);
    if (isa_looks_at_mbarrier(access->instr) && !mbarrier_is_over(object, (unsigned)word_of(access, lane, 1)))
        access->waiting |= bit;
    return true;
}

static void write_waits(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes)
{
    const struct simt_op *op = access->op;
    const struct simt_frame frame = {.pred_base = access->pred_base};
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], &frame, lanes, ~access->waiting);
}

uint64_t simt_mbarrier_look(struct simt_warp *warp, struct simt_access *access)
{
    uint64_t before = access->waiting;
    for (uint64_t rest = before; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t object;
        memcpy(&object, warp->block->shared + access->address[lane], sizeof object);
        if (mbarrier_is_over(object, (unsigned)word_of(access, lane, 1)))
            access->waiting &= ~BIT64(lane);
    }
    if (access->waiting != before)
        write_waits(warp, access, before);
    return access->waiting;
}

struct mbarrier_step simt_mbarrier_take(const struct simt_block *block, uint64_t address, unsigned op, uint64_t operand,
                                        uint32_t by)
{
    uint64_t object;
    memcpy(&object, block->shared + address, sizeof object);
    struct mbarrier_step step = step_of(op, object, operand, false);
    memcpy(block->shared + address, &step.object, sizeof step.object);
    if (!step.fault)
        note(block, address, op, &step, by);
    return step;
}

uint64_t simt_mbarrier_hint(const struct simt_access *access)
{
    uint64_t most = 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        uint64_t hint = word_of(access, mask_first(rest), 0);
        most = hint > most ? hint : most;
    }
    return most;
}

/* Objects of other blocks are told of arrivals and bytes; nobody hears what they were. */
static bool may_be_far(const struct isa_instr *instr)
{
    return instr->op >= ISA_OP_MBARRIER_EXPECT_TX && instr->op <= ISA_OP_MBARRIER_DROP_TX &&
           (!instr->dst_count || instr->dst[0].kind == ISA_OPERAND_NONE);
}

enum simt_event simt_mbarrier(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                              struct simt_access *access, struct simt_result *r)
{
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    uint8_t space = may_be_far(r->instr) ? ISA_SPACE_CLUSTER : ISA_SPACE_SHARED;
    if (!simt_place(warp, &op->src[0], space, access, r))
        return SIMT_FAULTED;
    gather_operands(warp, op, cycle, access);
    for (uint64_t rest = access->mask & ~access->remote; rest; rest &= rest - 1)
        if (!perform(warp, access, mask_first(rest), r))
            return SIMT_FAULTED;
    if (isa_looks_at_mbarrier(r->instr))
        write_waits(warp, access, access->mask);
    if (r->instr->op == ISA_OP_MBARRIER_TEST || r->instr->op == ISA_OP_MBARRIER_TEST_PARITY)
        access->waiting = 0;
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_MEMORY;
}
