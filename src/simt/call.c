/* Calls: a callee gets register, predicate and local-memory frames behind its caller's. In each of them a lane has a
 * place of its own, whatever function the others are in (isa/program.h says how registers keep to that). Arguments are
 * copied between the frames' .param variables. The divergence model keeps lanes of different depth apart (scalar
 * synchronization thesis, section on recursion). */
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

#define MOST_PATHS 65536 /* of a warp that may still call */

bool simt_in_kernel(const struct simt_warp *warp)
{
    return warp->paths.now->frame.function == warp->block->grid->kernel - warp->code->module->functions;
}

/* Some bytes of every lane of the mask. */
static void copy_bytes(struct simt_warp *warp, uint64_t mask, uint64_t to, uint64_t from, uint32_t bytes)
{
    uint8_t buffer[64];
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        for (uint32_t done = 0; done < bytes; done += sizeof buffer) {
            unsigned n = bytes - done < sizeof buffer ? bytes - done : (unsigned)sizeof buffer;
            simt_local_read(warp, lane, from + done, buffer, n);
            simt_local_write(warp, lane, to + done, buffer, n);
        }
    }
}

/* Words go by rows, in which those of all lanes lie side by side; what does not begin or end with a word goes by bytes.
 */
static void copy_local(struct simt_warp *warp, uint64_t mask, uint64_t to, uint64_t from, uint32_t bytes)
{
    uint32_t words = (to | from) % 4 || to + bytes > warp->block->grid->stack_bytes ? 0 : bytes / 4;
    size_t width = warp->code->width;
    if (words)
        simt_grow_local(warp, to / 4 + words);
    for (uint32_t word = 0; word < words; word++) {
        uint32_t *target = warp->local + (to / 4 + word) * width;
        const uint32_t *source = from / 4 + word < warp->local_words ? warp->local + (from / 4 + word) * width : NULL;
        if (source && mask == mask_low((unsigned)width)) {
            memmove(target, source, width * 4);
            continue;
        }
        for (uint64_t rest = mask; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            target[lane] = source ? source[lane] : 0;
        }
    }
    if (bytes > words * 4)
        copy_bytes(warp, mask, to + words * 4, from + words * 4, bytes - words * 4);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The callee of the executing lanes; for an indirect call the lanes of *mask that call the same function as the first.
 */
static uint32_t find_callee(const struct simt_warp *warp, const struct isa_call *call, uint64_t *mask)
{
    if (call->callee != UINT32_MAX)
        return call->callee;
    const struct isa_module *module = warp->code->module;
    const uint64_t *row = simt_row(warp, warp->paths.now->frame.reg_base, call->target.row);
    uint64_t address = row[mask_first(*mask)], same = 0;
    for (uint64_t rest = *mask; rest; rest &= rest - 1)
        if (row[mask_first(rest)] == address)
            same |= BIT64(mask_first(rest));
    *mask = same;
    uint64_t offset = address - ISA_CODE_WINDOW;
    bool is_function = offset % 16 == 0 && offset / 16 < module->function_count;
    return is_function && !module->functions[offset / 16].is_kernel ? (uint32_t)(offset / 16) : UINT32_MAX;
}

/* A callee's registers start at zero in the lanes that call, whatever an earlier call left there. Where these are all
 * lanes, its frame belongs to nobody else. */
static void clear_frame(struct simt_warp *warp, const struct isa_function *callee, const struct simt_frame *frame,
                        uint64_t mask)
{
    bool whole = mask == mask_low(warp->code->width);
    if (whole)
        memset(simt_row(warp, frame->reg_base, 0), 0, (size_t)callee->row_count * warp->code->width * 4);
    for (uint32_t reg = 0; reg < callee->reg_count; reg++) {
        if (callee->regs[reg].type == ISA_PRED)
            warp->preds[frame->pred_base + callee->regs[reg].row] &= ~mask;
        else if (whole)
            continue;
        else if (isa_type_bits(callee->regs[reg].type) > 32)
            for (uint64_t rest = mask; rest; rest &= rest - 1)
                ((uint64_t *)simt_row(warp, frame->reg_base, callee->regs[reg].row))[mask_first(rest)] = 0;
        else
            for (uint64_t rest = mask; rest; rest &= rest - 1)
                ((uint32_t *)simt_row(warp, frame->reg_base, callee->regs[reg].row))[mask_first(rest)] = 0;
    }
}

static enum simt_event call_fault(struct simt_result *r, uint8_t kind, uint64_t mask)
{
    r->fault = (struct simt_fault){.kind = kind, .lane = (uint8_t)mask_first(mask)};
    return SIMT_FAULTED;
}

enum simt_event simt_call(struct simt_warp *warp, const struct simt_op *op, struct simt_result *r)
{
    (void)op;
    const struct isa_call *call = r->instr->call;
    const struct simt_grid *grid = warp->block->grid;
    uint64_t mask = r->mask;
    uint32_t index = find_callee(warp, call, &mask);
    if (index == UINT32_MAX)
        return call_fault(r, SIMT_FAULT_CALL, mask);
    const struct isa_function *callee = &grid->code->module->functions[index];
    if (!callee->is_defined && callee->intrinsic) {
        r->mask = mask;
        enum simt_event event = simt_intrinsic(warp, callee, call, r);
        if (event != SIMT_FAULTED)
            simt_advance_some(&warp->paths, mask, r->pc + 1);
        return event;
    }
    if (!callee->is_defined)
        return call_fault(r, SIMT_FAULT_CALL, mask);
    const struct simt_frame from = warp->paths.now->frame;
    const struct isa_function *caller = &grid->code->module->functions[from.function];
    struct simt_frame frame = {
        .function = index,
        .reg_base = isa_frame_behind(from.reg_base, caller->row_count),
        .pred_base = from.pred_base + caller->pred_count,
        .local_base = from.local_base + caller->local_bytes,
    };
    if ((uint64_t)frame.local_base + callee->local_bytes > grid->stack_bytes || warp->paths.count > MOST_PATHS)
        return call_fault(r, SIMT_FAULT_STACK, mask);
    simt_grow_frame(warp, frame.reg_base + callee->row_count, frame.pred_base + callee->pred_count);
    clear_frame(warp, callee, &frame, mask);
    for (uint32_t i = 0; i < smaller(call->arg_count, callee->param_count); i++)
        copy_local(warp, mask, (uint64_t)frame.local_base + callee->params[i].offset,
                   (uint64_t)from.local_base + call->args[i].offset,
                   smaller(call->args[i].bytes, callee->params[i].bytes));
    simt_enter(&warp->paths, mask, callee->first, r->pc + 1, &frame);
    return SIMT_JUMP;
}

void simt_return_values(struct simt_warp *warp, uint64_t mask)
{
    const struct simt_code *code = warp->code;
    const struct simt_frame *from = &warp->paths.now->frame;
    const struct simt_path *caller = simt_caller(&warp->paths);
    if (!caller)
        return;
    const struct isa_function *callee = &code->module->functions[from->function];
    const struct isa_instr *instr = &code->module->instrs[caller->pc - 1];
    if (!instr->call)
        return;
    for (uint32_t i = 0; i < smaller(instr->call->result_count, callee->result_count); i++)
        copy_local(warp, mask, (uint64_t)caller->frame.local_base + instr->call->results[i].offset,
                   (uint64_t)from->local_base + callee->results[i].offset,
                   smaller(instr->call->results[i].bytes, callee->results[i].bytes));
}
