/* Binding: see code.h. Immediate operands become rows of equal values, shared between equal immediates of one function
 * of the module, so that lane functions see rows only. */
#include "simt/code.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "simt/copy.h"

/* Rows of equal values, found by value and width. A simple open hash over one module. */
struct fixed_rows {
    struct arena *arena;
    uint32_t capacity;
    struct fixed_row {
        uint64_t value;
        bool wide;
        void *row;
    } * slots;
};

static struct fixed_row *fixed_slot(struct fixed_rows *rows, uint64_t value, bool wide)
{
    uint64_t h = hash_add(value, wide ? 0x9E37 : 0);
    for (uint32_t i = (uint32_t)(h >> 32) & (rows->capacity - 1);; i = (i + 1) & (rows->capacity - 1)) {
        struct fixed_row *slot = &rows->slots[i];
        if (!slot->row || (slot->value == value && slot->wide == wide))
            return slot;
    }
}

static const void *fixed_row(struct fixed_rows *rows, uint64_t value, bool wide)
{
    struct fixed_row *slot = fixed_slot(rows, value, wide);
    if (slot->row)
        return slot->row;
    slot->value = value;
    slot->wide = wide;
    /* A 64-lane warp passes the two halves of a row apart; both halves of a fixed row are the same 32 values. */
    slot->row = arena_alloc(rows->arena, SIMT_MAX_WIDTH * (wide ? 8 : 4), 64);
    for (unsigned lane = 0; lane < SIMT_MAX_WIDTH; lane++) {
        if (wide)
            ((uint64_t *)slot->row)[lane] = value;
        else
            ((uint32_t *)slot->row)[lane] = (uint32_t)value;
    }
    return slot->row;
}

/* Binds a source. An immediate or computed one is read as 64-bit elements if its operand is wider than 32 bits. */
static struct simt_operand bind_operand(struct fixed_rows *rows, const struct isa_operand *operand)
{
    struct simt_operand bound = {.wide = operand->bits > 32, .value = operand->value};
    switch (operand->kind) {
    case ISA_OPERAND_REG:
        bound.place = SIMT_PLACE_ROW;
        bound.row = operand->row;
        break;
    case ISA_OPERAND_IMM:
        bound.place = SIMT_PLACE_FIXED;
        bound.fixed = fixed_row(rows, operand->value, bound.wide);
        break;
    case ISA_OPERAND_SREG:
        bound.place = SIMT_PLACE_SREG;
        bound.row = operand->reg;
        break;
    case ISA_OPERAND_FRAME:
        bound.place = SIMT_PLACE_FRAME;
        break;
    case ISA_OPERAND_DYNSMEM:
        bound.place = SIMT_PLACE_DYNSMEM;
        break;
    default:
        bound.place = SIMT_PLACE_NONE;
        break;
    }
    return bound;
}

static bool sends(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_ST_ASYNC || instr->op == ISA_OP_RED_ASYNC;
}

static enum simt_kind kind_of(const struct isa_instr *instr, lane_fn *lanes)
{
    uint32_t flags = isa_op_info(instr->op)->flags;
    switch (instr->op) {
    case ISA_OP_BRA:
        return SIMT_KIND_BRANCH;
    case ISA_OP_BRX:
        return SIMT_KIND_BRANCH_INDEX;
    case ISA_OP_CALL:
        return SIMT_KIND_CALL;
    case ISA_OP_RET:
        return SIMT_KIND_RET;
    case ISA_OP_EXIT:
        return SIMT_KIND_EXIT;
    case ISA_OP_TRAP:
        return SIMT_KIND_TRAP;
    case ISA_OP_NANOSLEEP:
        return SIMT_KIND_SLEEP;
    case ISA_OP_GRIDDEPCONTROL:
        return SIMT_KIND_DEPENDENT;
    case ISA_OP_SETMAXNREG:
        return SIMT_KIND_REGISTERS;
    case ISA_OP_NOP:
    case ISA_OP_BRKPT:
    case ISA_OP_PMEVENT:
    case ISA_OP_APPLYPRIORITY:
    case ISA_OP_DISCARD:
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
        return SIMT_KIND_NOP;
    case ISA_OP_OUTSIDE:
        return SIMT_KIND_OUTSIDE;
    default:
        break;
    }
    if (flags & (ISA_FLAG_TAKE | ISA_FLAG_GIVE))
        return SIMT_KIND_LOCK;
    if (flags & ISA_FLAG_MBARRIER)
        return SIMT_KIND_MBARRIER;
    if (flags & ISA_FLAG_COPY)
        return !(flags & ISA_FLAG_MEMORY)       ? SIMT_KIND_COPIES
               : instr->op == ISA_OP_CP_ASYNC ? SIMT_KIND_COPY
               : sends(instr)                 ? SIMT_KIND_SEND
                                              : SIMT_KIND_BULK;
    if (flags & ISA_FLAG_IMAGE)
        return instr->op == ISA_OP_TEX || instr->op == ISA_OP_TLD4 ? SIMT_KIND_TEXTURE : SIMT_KIND_SURFACE;
    if (flags & ISA_FLAG_MATRIX)
        return flags & ISA_FLAG_MEMORY ? SIMT_KIND_MATRIX_MEMORY : SIMT_KIND_MATRIX;
    if (flags & ISA_FLAG_MEMORY)
        return SIMT_KIND_MEMORY;
    if (flags & ISA_FLAG_FENCE)
        return SIMT_KIND_FENCE;
    if (flags & ISA_FLAG_BARRIER)
        return instr->mods.barrier == ISA_BARRIER_WARP ? SIMT_KIND_WARP : SIMT_KIND_BARRIER;
    if (flags & ISA_FLAG_WARP)
        return SIMT_KIND_WARP;
    return lanes ? SIMT_KIND_LANES : SIMT_KIND_OUTSIDE;
}

/* A constant of one bit stands where a predicate is read, whatever the instruction's type is. */
static bool is_pred(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_PRED || (operand->kind == ISA_OPERAND_IMM && operand->bits == 1);
}

/* Copies move nothing through registers: what a lane asks for lies in its data. */
static void bind_copy(const struct isa_instr *instr, struct simt_form *form)
{
    bool by_lane = instr->op == ISA_OP_CP_ASYNC;
    form->element_bytes = by_lane ? 4 : 16;
    form->elements = by_lane ? (uint8_t)(instr->src[2].value / 4) : 1;
    form->stride = by_lane ? sizeof(struct simt_copy_lane) : SIMT_ACCESS_BYTES;
}

/* A memory instruction's operands are bound. */
static void bind_memory(struct arena *arena, const struct isa_instr *instr, struct simt_op *op)
{
    uint32_t flags = isa_op_info(instr->op)->flags;
    struct simt_form *form = &op->form;
    form->element_bytes = (uint8_t)(isa_type_bits(instr->type) / 8);
    form->kind = flags & (ISA_FLAG_LOAD | ISA_FLAG_STORE | ISA_FLAG_ATOMIC);
    form->elements = op->kind == SIMT_KIND_TEXTURE   ? 1
                     : op->kind == SIMT_KIND_SURFACE ? (uint8_t)(instr->mods.vec ? 1u << instr->mods.vec : 1)
                     : form->kind == ISA_FLAG_LOAD   ? op->dst_count
                     : form->kind == ISA_FLAG_STORE ? (uint8_t)(op->src_count - 1)
                                                    : (uint8_t)isa_atomic_parts(instr);
    if (instr->type == ISA_B128)
        form->element_bytes = 8;
    form->stride = form->kind != ISA_FLAG_ATOMIC ? (uint8_t)(form->element_bytes * form->elements)
                   : form->elements > 1          ? 2 * SIMT_ATOMIC_BYTES
                                                 : SIMT_ATOMIC_BYTES;
    form->space = flags & ISA_FLAG_IMAGE ? ISA_SPACE_GLOBAL : instr->mods.space;
    if (op->kind == SIMT_KIND_SEND) {
        form->elements = (uint8_t)(op->src_count - 2);
        form->stride = SIMT_ACCESS_BYTES;
        return;
    }
    if (op->kind == SIMT_KIND_COPY || op->kind == SIMT_KIND_BULK) {
        bind_copy(instr, form);
        return;
    }
    if (flags & ISA_FLAG_MATRIX) { /* a row of a matrix from each address */
        form->element_bytes = form->elements = 4;
        form->stride = 16;
        return;
    }
    if (form->space == ISA_SPACE_PARAM) {
        form->call_params = instr->src[0].kind == ISA_OPERAND_FRAME;
        form->kernel_params = !form->call_params;
        form->space = form->call_params ? ISA_SPACE_LOCAL : ISA_SPACE_CONST;
    }
    const struct simt_operand *moved = form->kind == ISA_FLAG_LOAD ? &op->dst[0] : &op->src[1];
    form->copies = form->kind != ISA_FLAG_ATOMIC && form->elements == 1 && moved->place == SIMT_PLACE_ROW &&
                   form->element_bytes == (moved->wide ? 8 : 4);
    if (form->kind != ISA_FLAG_LOAD)
        return;
    simt_load_fn **loads = ARENA_NEW(arena, simt_load_fn *, op->dst_count + 1);
    bool is_signed = isa_type_info(instr->type)->family == ISA_CLASS_SINT;
    for (unsigned i = 0; i < op->dst_count; i++)
        loads[i] = simt_load_for(form->element_bytes, is_signed, instr->dst[i].bits);
    op->loads = loads;
}

static bool has_carry(const struct isa_instr *instr)
{
    return instr->mods.cc || instr->op == ISA_OP_ADDC || instr->op == ISA_OP_SUBC || instr->op == ISA_OP_MADC;
}

static struct simt_reach reach_of(const struct simt_operand *operand)
{
    if (operand->place == SIMT_PLACE_ROW)
        return (struct simt_reach){(uintptr_t)operand->row * LANES * 4, UINTPTR_MAX};
    return (struct simt_reach){(uintptr_t)operand->fixed, 0};
}

/* simt_op.meets of an instruction whose lanes meet wherever they are. */
static uint8_t meeting_number(const struct isa_instr *instr)
{
    enum { VOTE = 0, SHFL = 4, MATCH32 = 8, MATCH64 = 10, ELECT = 13, BARRIER = 14, REDUX = 15 };
    const struct isa_mods *mods = &instr->mods;
    unsigned of_type = instr->type == ISA_S32 ? 0 : instr->type == ISA_U32 ? 8 : 16;
    switch (instr->op) {
    case ISA_OP_VOTE:
        return (uint8_t)(VOTE + mods->vote);
    case ISA_OP_SHFL:
        return (uint8_t)(SHFL + mods->shfl);
    case ISA_OP_MATCH:
        return (uint8_t)((isa_type_bits(instr->type) == 64 ? MATCH64 : MATCH32) + mods->vote);
    case ISA_OP_ELECT:
        return ELECT;
    case ISA_OP_REDUX:
        return (uint8_t)(REDUX + of_type + mods->reduce);
    default:
        return BARRIER;
    }
}

static void bind_instr(struct fixed_rows *rows, const struct isa_instr *instr, unsigned width, struct simt_op *op)
{
    op->lanes = lane_resolve(instr);
    op->kind = (uint8_t)kind_of(instr, op->lanes);
    struct simt_operand *dst = ARENA_NEW(rows->arena, struct simt_operand, instr->dst_count + instr->src_count + 1);
    struct simt_operand *src = dst + instr->dst_count;
    op->plain = op->kind == SIMT_KIND_LANES && width == LANES && !has_carry(instr);
    op->dst = dst;
    op->src = src;
    for (unsigned i = 0; i < instr->dst_count; i++) {
        const struct isa_operand *o = &instr->dst[i];
        bool pred = o->kind == ISA_OPERAND_PRED;
        if ((pred || instr->op == ISA_OP_SETP) && op->pred_dst_count < 2)
            op->pred_dst[op->pred_dst_count++] = (struct simt_pred){o->row, pred, false}; /* not present: a sink */
        else
            dst[op->dst_count++] = bind_operand(rows, o);
    }
    for (unsigned i = 0; i < instr->src_count; i++) {
        const struct isa_operand *o = &instr->src[i];
        if (o->kind == ISA_OPERAND_PRED && op->pred_src_count < 2) {
            op->pred_src[op->pred_src_count++] = (struct simt_pred){o->row, true, o->negate};
        } else if (o->kind == ISA_OPERAND_SREG && o->reg == ISA_SREG_IS_EXPLICIT_CLUSTER) {
            op->pred_src[op->pred_src_count++] = (struct simt_pred){1, false, false};
        } else if (is_pred(o) && op->pred_src_count < 2) {
            /* a literal predicate: negate of an absent (all-true) predicate is all-false */
            op->pred_src[op->pred_src_count++] = (struct simt_pred){0, false, !(o->value & 1)};
        } else {
            src[op->src_count++] = bind_operand(rows, o);
            op->plain &= src[op->src_count - 1].place <= SIMT_PLACE_FIXED;
        }
    }
    op->plain &= op->src_count <= SIMT_PLAIN_SOURCES && op->dst_count <= 1;
    for (unsigned i = 0; op->plain && i < op->src_count; i++)
        op->reach[i] = reach_of(&src[i]);
    if (op->plain && op->dst_count)
        op->reach[SIMT_PLAIN_SOURCES] = reach_of(&dst[0]);
    if (isa_op_info(instr->op)->flags & ISA_FLAG_MEMORY)
        bind_memory(rows->arena, instr, op);
}

static void note_wide(const struct simt_operand *operands, unsigned count, const struct isa_function *function,
                      uint64_t *wide)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t row = operands[i].row;
        if (operands[i].place != SIMT_PLACE_ROW)
            continue;
        contract(function->is_kernel || isa_row_is_wide(row) == operands[i].wide);
        if (operands[i].wide)
            wide[row / 64] |= BIT64(row % 64);
    }
}

/* A row that is part of a register of two rows in one instruction is that in all (register allocation sees to it). */
static void find_wide_rows(struct simt_code *code, struct arena *arena)
{
    const struct isa_module *module = code->module;
    code->wide = ARENA_NEW(arena, uint64_t *, module->function_count + 1);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        code->wide[f] = ARENA_NEW(arena, uint64_t, function->row_count / 64 + 1);
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            note_wide(code->ops[pc].src, code->ops[pc].src_count, function, code->wide[f]);
            note_wide(code->ops[pc].dst, code->ops[pc].dst_count, function, code->wide[f]);
        }
    }
}

struct simt_code *simt_bind(const struct isa_module *module, unsigned width, struct arena *arena, unsigned *unbound)
{
    struct simt_code *code = ARENA_NEW(arena, struct simt_code, 1);
    code->module = module;
    code->width = width;
    code->addresses = lane_addresses_here();
    code->survey = lane_survey_here();
    code->ops = ARENA_NEW(arena, struct simt_op, module->instr_count + 1);
    uint64_t sources = 1;
    for (uint32_t i = 0; i < module->instr_count; i++)
        sources += module->instrs[i].src_count;
    struct fixed_rows rows = {.arena = arena, .capacity = 64};
    while (rows.capacity < 2 * sources)
        rows.capacity *= 2;
    rows.slots = base_calloc(rows.capacity, sizeof *rows.slots);
    *unbound = 0;
    for (uint32_t i = 0; i < module->instr_count; i++) {
        bind_instr(&rows, &module->instrs[i], width, &code->ops[i]);
        if (code->ops[i].kind == SIMT_KIND_BRANCH && module->instrs[i].target <= i) {
            code->ops[i].polls = simt_loop_polls(module, i);
            code->ops[i].waits = code->ops[i].polls && simt_loop_waits(module, i);
        }
        if (code->ops[i].kind == SIMT_KIND_WARP && simt_meets_anywhere(module))
            code->ops[i].meets = meeting_number(&module->instrs[i]);
        code->samples |= code->ops[i].kind == SIMT_KIND_TEXTURE;
        if (code->ops[i].kind == SIMT_KIND_OUTSIDE && module->instrs[i].op != ISA_OP_OUTSIDE)
            (*unbound)++;
    }
    free(rows.slots);
    find_wide_rows(code, arena);
    return code;
}
