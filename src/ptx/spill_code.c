/* The instructions of spills. A spilled register is replaced, in each instruction that names it, by a temporary, which is
 * loaded before the instruction and stored behind it, under the instruction's guard. Temporaries are registers of the
 * function like others, each of one instruction, so that no wait of the scoreboard comes from a name alone. */
#include "ptx/spill.h"

#include <string.h>

#include "base/bits.h"
#include "base/vec.h"

#define NAMES_MOST 512 /* registers that one instruction names */

struct temporary {
    uint32_t reg, with; /* the register, and what stands for it in this instruction */
    bool is_read, is_written;
};

struct rewrite {
    struct ptx_spill *s;
    uint32_t *new_index; /* by instruction: where it went, with what was put before it */
    VEC(struct isa_instr) code;
    struct temporary temporaries[NAMES_MOST];
    unsigned count;
};

bool ptx_can_repeat(const struct isa_function *function, const struct isa_instr *instr)
{
    if (instr->guarded || instr->dst_count != 1 || instr->src_count != 1)
        return false;
    const struct isa_operand *from = &instr->src[0];
    if (instr->op == ISA_OP_LD)
        return function->is_kernel && instr->mods.space == ISA_SPACE_PARAM && from->kind == ISA_OPERAND_IMM;
    if (instr->op != ISA_OP_MOV)
        return false;
    switch (from->kind) {
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_SYMBOL:
    case ISA_OPERAND_FRAME:
    case ISA_OPERAND_DYNSMEM:
    case ISA_OPERAND_FUNC:
        return true;
    case ISA_OPERAND_SREG:
        return from->reg <= ISA_SREG_NCTAID_Z; /* those of thread and block stand first */
    default:
        return false;
    }
}

static uint32_t add_register(struct ptx_spill *s, uint32_t like)
{
    struct isa_function *f = &s->function;
    struct isa_reg *reg = &f->regs[f->reg_count];
    *reg = f->regs[like];
    reg->number = (uint16_t)++f->number_count;
    reg->bank_id = (uint16_t)++f->temporaries;
    reg->name = arena_printf(&s->module->arena, "%%spill$%u", f->temporaries);
    return f->reg_count++;
}

static enum ptx_spill_kind kind_of(const struct ptx_spill *s, const struct isa_operand *operand)
{
    uint32_t reg = ptx_operand_register(operand);
    return reg < s->function.reg_count ? s->kinds[reg] : PTX_SPILL_NOT;
}

/* The temporary that stands for the operand's register in the instruction under way; NULL: it is not spilled. */
static struct temporary *temporary_of(struct rewrite *r, const struct isa_operand *operand, bool is_write)
{
    uint32_t reg = operand->reg;
    if (kind_of(r->s, operand) == PTX_SPILL_NOT)
        return NULL;
    unsigned i = 0;
    while (i < r->count && r->temporaries[i].reg != reg)
        i++;
    if (i == r->count)
        r->temporaries[r->count++] = (struct temporary){reg, add_register(r->s, reg), false, false};
    r->temporaries[i].is_read |= !is_write;
    r->temporaries[i].is_written |= is_write;
    return &r->temporaries[i];
}

/* An instruction that does nothing yet, at the place and under the guard of another. */
static struct isa_instr instr_like(const struct isa_instr *like)
{
    return (struct isa_instr){
        .guarded = like->guarded,
        .guard_negate = like->guard_negate,
        .guard = like->guard,
        .guard_reg = like->guard_reg,
        .spin = like->spin & ISA_SPIN_INSIDE,
        .target = ISA_PC_NONE,
        .reconverge = ISA_PC_NONE,
        .line = like->line,
        .column = like->column,
        .source_file = like->source_file,
        .source_line = like->source_line,
        .inlined = like->inlined,
    };
}

static void emit(struct rewrite *r, struct isa_instr *instr)
{
    ptx_list_accesses(&r->s->module->arena, &r->s->function, instr);
    vec_push(&r->code, *instr);
}

/* A load of the temporary from its register's slot, or a store to it. */
static void emit_access(struct rewrite *r, const struct isa_instr *like, const struct temporary *t, bool is_load)
{
    static const enum isa_type types[] = {[1] = ISA_B8, [2] = ISA_B16, [4] = ISA_B32, [8] = ISA_B64};
    const struct isa_reg *reg = &r->s->function.regs[t->reg];
    unsigned bits = isa_type_info(reg->type)->bits;
    struct isa_operand *operands = ARENA_NEW(&r->s->module->arena, struct isa_operand, 2);
    struct isa_operand value = {.kind = ISA_OPERAND_REG, .bits = (uint8_t)bits, .reg = t->with};
    struct isa_operand place = {.kind = ISA_OPERAND_FRAME, .bits = 64, .value = r->s->offsets[t->reg]};
    struct isa_instr access = instr_like(like);
    access.op = is_load ? ISA_OP_LD : ISA_OP_ST;
    access.type = (uint8_t)types[bits / 8];
    access.mods.space = ISA_SPACE_LOCAL;
    access.dst = operands;
    access.src = operands + is_load;
    access.dst_count = is_load;
    access.src_count = is_load ? 1 : 2;
    operands[0] = is_load ? value : place;
    operands[1] = is_load ? place : value;
    access.unit = isa_unit_of(&access);
    access.latency = isa_latency_of(&access);
    emit(r, &access);
}

/* What wrote the register, once more, into the temporary. */
static void emit_again(struct rewrite *r, const struct isa_instr *like, const struct temporary *t)
{
    const struct isa_instr *write = &r->s->view.instrs[r->s->writes[t->reg]];
    struct isa_operand *to = ARENA_NEW(&r->s->module->arena, struct isa_operand, 1);
    struct isa_instr again = instr_like(like);
    *to = write->dst[0];
    to->reg = t->with;
    again.op = write->op;
    again.type = write->type;
    again.stype = write->stype;
    again.mods = write->mods;
    again.unit = write->unit;
    again.latency = write->latency;
    again.dst = to;
    again.src = write->src;
    again.dst_count = again.src_count = 1;
    emit(r, &again);
}

static const struct isa_operand *copy_operands(struct rewrite *r, const struct isa_operand *from, unsigned n)
{
    struct isa_operand *copy = ARENA_NEW(&r->s->module->arena, struct isa_operand, n + 1);
    if (n)
        memcpy(copy, from, n * sizeof *copy);
    return copy;
}

/* Names temporaries where the instruction names spilled registers. Its operands become its own first: they may be
 * another's too. */
static void name_temporaries(struct rewrite *r, struct isa_instr *instr)
{
    instr->dst = copy_operands(r, instr->dst, instr->dst_count);
    instr->src = copy_operands(r, instr->src, instr->src_count);
    if (instr->call) {
        struct isa_call *call = ARENA_NEW(&r->s->module->arena, struct isa_call, 1);
        *call = *instr->call;
        instr->call = call;
    }
    struct isa_operand *operand;
    for (unsigned k = 0; (operand = ptx_operand(instr, k)); k++) {
        const struct temporary *t = temporary_of(r, operand, k < instr->dst_count);
        if (t)
            operand->reg = t->with;
    }
}

static void rewrite_instr(struct rewrite *r, uint32_t i)
{
    struct isa_instr instr = r->s->view.instrs[i];
    const struct isa_operand *operand;
    r->count = 0;
    r->new_index[i] = (uint32_t)r->code.count;
    if (instr.dst_count == 1 && kind_of(r->s, &instr.dst[0]) == PTX_SPILL_AGAIN)
        return; /* the write itself, which its readers make anew */
    for (unsigned k = 0; (operand = ptx_operand(&instr, k)); k++)
        temporary_of(r, operand, k < instr.dst_count);
    if (!r->count) {
        vec_push(&r->code, instr);
        return;
    }
    name_temporaries(r, &instr);
    for (unsigned k = 0; k < r->count; k++)
        if (r->temporaries[k].is_read && r->s->kinds[r->temporaries[k].reg] == PTX_SPILL_AGAIN)
            emit_again(r, &instr, &r->temporaries[k]);
        else if (r->temporaries[k].is_read)
            emit_access(r, &instr, &r->temporaries[k], true);
    emit(r, &instr);
    for (unsigned k = 0; k < r->count; k++)
        if (r->temporaries[k].is_written)
            emit_access(r, &instr, &r->temporaries[k], false);
}

static void move_targets(struct rewrite *r)
{
    for (size_t i = 0; i < r->code.count; i++) {
        struct isa_instr *instr = &r->code.items[i];
        if (instr->target != ISA_PC_NONE)
            instr->target = r->new_index[instr->target];
        if (!instr->target_count)
            continue;
        uint32_t *targets = ARENA_NEW(&r->s->module->arena, uint32_t, instr->target_count);
        for (uint32_t t = 0; t < instr->target_count; t++)
            targets[t] = r->new_index[instr->targets[t]];
        instr->targets = targets;
    }
}

static void give_slots(struct ptx_spill *s)
{
    for (uint32_t reg = 0; reg < s->function.reg_count; reg++) {
        if (s->kinds[reg] != PTX_SPILL_STORED)
            continue;
        unsigned bytes = 4 * ptx_register_rows(&s->function.regs[reg]);
        s->offsets[reg] = (uint32_t)round_up_u64(s->frame_bytes, bytes);
        s->frame_bytes = s->offsets[reg] + bytes;
    }
}

void ptx_rewrite_spilled(struct ptx_spill *s)
{
    struct isa_function *f = &s->function;
    struct rewrite r = {.s = s, .new_index = base_calloc(f->count + 1, sizeof *r.new_index)};
    uint32_t accesses = 0, before = f->count;
    for (uint32_t i = 0; i < f->count; i++)
        accesses += s->view.instrs[i].dst_count + s->view.instrs[i].src_count + 1u;
    struct isa_reg *regs = ARENA_NEW(&s->module->arena, struct isa_reg, f->reg_count + accesses + 1);
    memcpy(regs, f->regs, f->reg_count * sizeof *regs);
    f->regs = regs;
    give_slots(s);
    for (uint32_t i = 0; i < before; i++)
        rewrite_instr(&r, i);
    move_targets(&r);
    f->count = (uint32_t)r.code.count;
    f->local_bytes = (uint32_t)round_up_u64(s->frame_bytes, 16);
    s->view.instrs = arena_alloc(&s->module->arena, (r.code.count + 1) * sizeof *s->view.instrs, 16);
    memcpy(s->view.instrs, r.code.items, r.code.count * sizeof *r.code.items);
    vec_free(&r.code);
    free(r.new_index);
}
