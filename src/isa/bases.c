/* Bases of addresses: see bases.h. Each register of a function gets the least of these that holds for all instructions
 * that write it:
 *
 *   NONE     nothing has written it yet
 *   NUMBER   constants, special registers, products, what memory gives of fewer than 64 bits, and what is computed of
 *            numbers alone: no pointer
 *   OTHER    comes out of memory or of a call: a number, or a pointer to whatever
 *   a base   that base, with a number added to it; or other, unless the base is a parameter, which may be a number
 *   MIXED    several of these
 *
 * in this order, so that repeating until nothing changes ends. Compilers add indices to pointers: what is added to a
 * base counts as an index, but for another base. */
#include "isa/bases.h"

#include <stdlib.h>

#include "isa/mod_values.h"

enum { NONE = ISA_BASE_DYNAMIC + 1, NUMBER, OTHER, MIXED };

typedef struct isa_base value;

static const value number = {NUMBER, 0}, other = {OTHER, 0}, mixed = {MIXED, 0};

static bool is_base(value v)
{
    return v.kind != ISA_BASE_UNKNOWN && v.kind < NONE;
}

static bool same(value a, value b)
{
    return a.kind == b.kind && a.number == b.number;
}

/* Either of them: a null pointer or one before a loop beside a base is that base. */
static value either(value a, value b)
{
    if (a.kind == NONE || same(a, b))
        return b;
    if (b.kind == NONE)
        return a;
    if (a.kind == NUMBER && b.kind != MIXED)
        return b;
    if (b.kind == NUMBER && a.kind != MIXED)
        return a;
    return mixed;
}

/* A parameter and a number of 64 bits out of memory: either may be the pointer. */
static value sum(value a, value b)
{
    bool either_points =
        (a.kind == ISA_BASE_PARAMETER && b.kind == OTHER) || (a.kind == OTHER && b.kind == ISA_BASE_PARAMETER);
    if (a.kind == MIXED || b.kind == MIXED || (is_base(a) && is_base(b)) || either_points)
        return mixed;
    if (is_base(a) || b.kind == NUMBER)
        return a;
    return b;
}

/* A product, or what is shifted: nobody multiplies pointers. */
static value product(value a, value b)
{
    return a.kind == MIXED || b.kind == MIXED ? mixed : number;
}

/* The result of any other function: a number if its operands are; nothing is known of a function of a pointer. */
static value function_of(value a, value b)
{
    if (is_base(a) || is_base(b) || a.kind == MIXED || b.kind == MIXED)
        return mixed;
    return a.kind == OTHER || b.kind == OTHER ? other : number;
}

/* Under way in one function: the values of its registers. */
struct search {
    const struct isa_module *module;
    const struct isa_function *function;
    value *of;
};

static value operand_value(const struct search *s, const struct isa_operand *o)
{
    if (o->kind == ISA_OPERAND_REG)
        return s->of[o->reg];
    if (o->kind == ISA_OPERAND_SYMBOL || (o->kind == ISA_OPERAND_IMM && o->linked))
        return (value){ISA_BASE_VARIABLE, o->reg};
    if (o->kind == ISA_OPERAND_DYNSMEM)
        return (value){ISA_BASE_DYNAMIC, 0};
    return o->kind == ISA_OPERAND_FRAME ? other : number; /* local memory has no bases */
}

/* A mask that clears low bits, as for alignment. */
static bool is_alignment(const struct isa_operand *o)
{
    return o->kind == ISA_OPERAND_IMM && (int64_t)(o->bits == 32 ? (uint64_t)(int32_t)o->value : o->value) < 0;
}

static value masked(const struct isa_instr *instr, value a, value b)
{
    if (is_base(a) && instr->src[1].kind == ISA_OPERAND_IMM)
        return is_alignment(&instr->src[1]) ? a : number;
    return function_of(a, b);
}

/* A kernel's parameter of 64 bits may be a pointer; a vector load of several is not told apart. What has fewer bits is a
 * number. */
static value loaded(const struct search *s, const struct isa_instr *instr)
{
    const struct isa_operand *from = &instr->src[0];
    bool param = instr->mods.space == ISA_SPACE_PARAM && s->function->is_kernel && from->kind == ISA_OPERAND_IMM;
    if (isa_type_info((enum isa_type)instr->type)->bits < 64)
        return number;
    return param && instr->dst_count == 1 && isa_type_info((enum isa_type)instr->type)->bits == 64
               ? (value){ISA_BASE_PARAMETER, (uint32_t)from->value}
               : other;
}

static value result_of(const struct search *s, const struct isa_instr *instr)
{
    value a = instr->src_count > 0 ? operand_value(s, &instr->src[0]) : number;
    value b = instr->src_count > 1 ? operand_value(s, &instr->src[1]) : number;
    value c = instr->src_count > 2 ? operand_value(s, &instr->src[2]) : number;
    switch (instr->op) {
    case ISA_OP_MOV:
        return instr->dst_count == 1 && instr->src_count == 1 ? a : other;
    case ISA_OP_CVT:
    case ISA_OP_CVTA:
        return a;
    case ISA_OP_ADD:
        return sum(a, b);
    case ISA_OP_SUB:
        return is_base(b) || b.kind == MIXED ? mixed : sum(a, b);
    case ISA_OP_MUL:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return product(a, b);
    case ISA_OP_MAD:
        return sum(product(a, b), c);
    case ISA_OP_AND:
        return masked(instr, a, b);
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return b.kind == NUMBER ? a : a.kind == NUMBER ? b : function_of(a, b);
    case ISA_OP_SELP:
        return either(a, b);
    case ISA_OP_LD:
        return loaded(s, instr);
    default:
        return instr->call || isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_MEMORY
                   ? other
                   : function_of(function_of(a, b), c);
    }
}

/* Enters what an instruction writes. Returns whether a register's value has become a greater one. */
static bool enter(struct search *s, const struct isa_instr *instr)
{
    bool changes = false;
    value result = result_of(s, instr);
    for (unsigned i = 0; result.kind != NONE && i < instr->dst_count; i++) {
        if (instr->dst[i].kind != ISA_OPERAND_REG)
            continue;
        value *v = &s->of[instr->dst[i].reg], now = either(*v, result);
        changes |= !same(*v, now);
        *v = now;
    }
    return changes;
}

static void search_function(struct search *s, struct isa_base *bases)
{
    const struct isa_instr *first = &s->module->instrs[s->function->first];
    for (uint32_t i = 0; i < s->function->reg_count; i++)
        s->of[i] = (value){NONE, 0};
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 0; i < s->function->count; i++)
            changes |= enter(s, &first[i]);
    }
    for (uint32_t i = 0; i < s->function->count; i++) {
        const struct isa_instr *instr = &first[i];
        unsigned flags = isa_op_info((enum isa_op)instr->op)->flags;
        bool told = flags & ISA_FLAG_MEMORY && !(flags & ISA_FLAG_IMAGE) && !(flags & ISA_FLAG_COPY);
        value base = told && instr->src_count ? operand_value(s, &instr->src[0]) : other;
        if (is_base(base) && instr->mods.space != ISA_SPACE_PARAM)
            bases[s->function->first + i] = base;
    }
}

const struct isa_base *isa_find_bases(const struct isa_module *module, struct arena *arena)
{
    struct isa_base *bases = ARENA_NEW(arena, struct isa_base, module->instr_count + 1);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        struct search search = {module, function, base_calloc(function->reg_count + 1, sizeof(value))};
        if (function->is_defined)
            search_function(&search, bases);
        free(search.of);
    }
    return bases;
}
