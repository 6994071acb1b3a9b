/* Operands against the letters of the opcode's row: kinds, counts, widths. PTX ISA, "Operand Type Checking" and
 * "Operand Size Exceeding Instruction-Type Size".
 *
 * A register has the width of the type, and its kind where neither is untyped: .b32 goes with everything of 32 bits, .u32
 * with .s32, .f32 with neither. Special registers and addresses are values of mov, cvt and cvta alone. */
#include "ptx/parse.h"

#include <string.h>

#include "isa/matrix.h"

struct binder {
    struct ptx_parser *p;
    struct isa_instr *instr;
    const struct ptx_raw_operand *raw;
    unsigned count, next; /* raw operands; the next to bind */
    struct ptx_token at;
    struct isa_operand dst[PTX_MAX_ELEMENTS + 1], src[PTX_MAX_ELEMENTS + PTX_MAX_OPERANDS];
    unsigned dst_count, src_count;
    uint8_t space; /* of the next address, ISA_SPACE_*, where the instruction's own does not say it; else 0 */
};

static enum isa_type twice(enum isa_type type)
{
    switch (type) {
    case ISA_U8: return ISA_U16;
    case ISA_S8: return ISA_S16;
    case ISA_U16: return ISA_U32;
    case ISA_S16: return ISA_S32;
    case ISA_U32: return ISA_U64;
    case ISA_S32: return ISA_S64;
    default: return type;
    }
}

static int wrong(struct ptx_parser *p, const struct ptx_token *at, const char *what)
{
    return ptx_error(p, at, NULL, "expected %s, found `%.*s`", what, (int)(at->length < 60 ? at->length : 60),
                     at->text);
}

/* .tf32 values stand in untyped registers, u16x2 and s16x2 in integer ones too. */
static bool kinds_agree(enum isa_type have, enum isa_type need)
{
    uint8_t a = isa_type_info(have)->family, b = isa_type_info(need)->family;
    bool is_int_a = a == ISA_CLASS_UINT || a == ISA_CLASS_SINT;
    bool is_int_b = b == ISA_CLASS_UINT || b == ISA_CLASS_SINT || need == ISA_U16X2 || need == ISA_S16X2;
    return have == need || need == ISA_NONE || a == ISA_CLASS_BITS || b == ISA_CLASS_BITS || (is_int_a && is_int_b);
}

static int bind_register(struct ptx_parser *p, const struct ptx_value *value, enum isa_type type, bool wider_ok,
                         struct isa_operand *operand)
{
    unsigned have = isa_type_bits(value->type), need = isa_type_bits(type);
    if (need && (wider_ok ? have < need : have != need))
        return ptx_error(p, &value->token, NULL, "`%.*s` is a register of type .%s; .%s needs %u bits",
                         (int)value->token.length, value->token.text, isa_type_info(value->type)->text,
                         isa_type_info(type)->text, need);
    if (!kinds_agree(value->type, type))
        return ptx_error(p, &value->token, "mov.b32 and mov.b64 move bits between registers of different kinds",
                         "`%.*s` is a register of type .%s, not .%s", (int)value->token.length, value->token.text,
                         isa_type_info(value->type)->text, isa_type_info(type)->text);
    *operand = (struct isa_operand){.kind = ISA_OPERAND_REG, .bits = (uint8_t)have, .reg = value->index};
    return 0;
}

static int bind_constant(struct ptx_parser *p, const struct ptx_value *value, enum isa_type type,
                         struct isa_operand *operand)
{
    enum isa_type as = type == ISA_NONE ? ISA_B64 : type;
    uint64_t bits;
    if (isa_type_info(as)->family == ISA_CLASS_PACKED)
        return ptx_error(p, &value->token, "move its bits to a register with mov.b32",
                         "type .%s has no constants", isa_type_info(as)->text);
    unsigned image = value->constant.image == 32 ? 32 : 64;
    if (value->constant.is_float && isa_type_info(as)->family == ISA_CLASS_BITS && isa_type_bits(as) != image)
        return ptx_error(p, &value->token, NULL, "a float that stands for .%s is written 0%c and %u hexadecimal digits",
                         isa_type_info(as)->text, isa_type_bits(as) == 32 ? 'f' : 'd', isa_type_bits(as) / 4);
    if (ptx_constant_bits(&value->constant, as, &bits) < 0)
        return ptx_error(p, &value->token,
                         value->constant.is_float ? NULL : "write floats as 0f3F800000, 0d3FF0000000000000 or 1.0",
                         "expected %s for type .%s",
                         value->constant.is_float ? "an integer" : "a floating-point number", isa_type_info(as)->text);
    *operand = (struct isa_operand){
        .kind = ISA_OPERAND_IMM, .bits = (uint8_t)(isa_type_bits(as) < 64 ? isa_type_bits(as) : 64), .value = bits};
    return 0;
}

static void bind_variable(struct ptx_parser *p, const struct ptx_value *value, struct isa_operand *operand)
{
    bool is_dynamic = p->variables.items[value->index].is_extern_shared;
    *operand = (struct isa_operand){.kind = is_dynamic ? ISA_OPERAND_DYNSMEM : ISA_OPERAND_SYMBOL,
                                    .bits = 64,
                                    .reg = value->index,
                                    .value = (uint64_t)value->offset};
}

int ptx_bind_value(struct ptx_parser *p, const struct ptx_value *value, enum isa_type type, bool wider_ok,
                   struct isa_operand *operand)
{
    switch (value->kind) {
    case PTX_VALUE_SINK: *operand = (struct isa_operand){.kind = ISA_OPERAND_NONE}; return 0;
    case PTX_VALUE_REG:
        if (type == ISA_PRED)
            return wrong(p, &value->token, "a predicate register");
        return bind_register(p, value, type, wider_ok, operand);
    case PTX_VALUE_PRED:
        if (type != ISA_PRED)
            return wrong(p, &value->token, "a register, not a predicate");
        *operand =
            (struct isa_operand){.kind = ISA_OPERAND_PRED, .bits = 1, .reg = value->index, .negate = value->negate};
        return 0;
    case PTX_VALUE_SREG:
        *operand = (struct isa_operand){
            .kind = ISA_OPERAND_SREG, .bits = isa_sreg_info(value->index)->bits, .reg = value->index};
        return (type == ISA_PRED) != (operand->bits == 1)
                   ? wrong(p, &value->token, type == ISA_PRED ? "a predicate register" : "a register, not a predicate")
                   : 0;
    case PTX_VALUE_CONSTANT: return bind_constant(p, value, type, operand);
    case PTX_VALUE_VARIABLE: bind_variable(p, value, operand); break;
    case PTX_VALUE_PARAM:
        *operand = (struct isa_operand){.kind = ISA_OPERAND_IMM, .bits = 64, .value = (uint64_t)value->offset};
        break;
    case PTX_VALUE_FRAME:
        if (value->role == PTX_ROLE_PASSED && type != ISA_NONE)
            return ptx_error(p, &value->token, "ld.param and st.param take its name, with an offset",
                             "`%.*s` is passed in a call, it has no address", (int)value->token.length,
                             value->token.text);
        *operand = (struct isa_operand){.kind = ISA_OPERAND_FRAME, .bits = 64, .value = (uint64_t)value->offset};
        break;
    default: *operand = (struct isa_operand){.kind = ISA_OPERAND_FUNC, .bits = 64, .reg = value->index}; break;
    }
    if (type != ISA_NONE &&
        (type == ISA_PRED || isa_type_bits(type) < 32 || isa_type_info(type)->family >= ISA_CLASS_FLOAT))
        return ptx_error(p, &value->token, NULL, "an address needs an integer type of 32 or 64 bits");
    if (type != ISA_NONE)
        operand->bits = (uint8_t)isa_type_bits(type); /* mov.u32 of a shared variable's address gives 32-bit lanes */
    return 0;
}

static int check_address_register(struct binder *b, const struct ptx_value *base)
{
    bool fits = isa_type_bits(base->type) >= 32 && isa_type_info(base->type)->family < ISA_CLASS_FLOAT;
    if (base->kind != PTX_VALUE_REG || fits)
        return 0;
    return ptx_error(b->p, &base->token, NULL, "an address register has 32 or 64 bits, and holds an integer");
}

/* The state space that a variable of the address lies in, 0 when the address does not tell. */
static uint8_t space_of(const struct binder *b, const struct ptx_value *base)
{
    switch (base->kind) {
    case PTX_VALUE_VARIABLE: return b->p->variables.items[base->index].space;
    case PTX_VALUE_PARAM: return ISA_SPACE_PARAM;
    case PTX_VALUE_FRAME: return ISA_SPACE_LOCAL;
    default: return 0;
    }
}

/* A function reads its parameters and writes its results, never the other way round; constants are read. */
static int check_direction(struct binder *b, const struct ptx_value *base)
{
    uint32_t flags = isa_op_info(b->instr->op)->flags;
    bool is_formal = base->kind == PTX_VALUE_PARAM || base->kind == PTX_VALUE_FRAME;
    bool writes = flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC), reads = flags & (ISA_FLAG_LOAD | ISA_FLAG_ATOMIC);
    if (writes && base->kind == PTX_VALUE_VARIABLE && b->instr->mods.space == ISA_SPACE_CONST)
        return ptx_error(b->p, &base->token, NULL, "`%.*s` lies in .const, which cannot be written",
                         (int)base->token.length, base->token.text);
    if (is_formal && base->role == PTX_ROLE_INPUT && writes)
        return ptx_error(b->p, &base->token, NULL, "`%.*s` is a parameter, which cannot be written",
                         (int)base->token.length, base->token.text);
    if (is_formal && base->role == PTX_ROLE_RESULT && reads)
        return ptx_error(b->p, &base->token, NULL, "`%.*s` is a result, which cannot be read", (int)base->token.length,
                         base->token.text);
    return 0;
}

static int bind_address(struct binder *b, const struct ptx_raw_operand *raw)
{
    const struct ptx_value *base = &raw->values[0];
    struct isa_operand *operand = &b->src[b->src_count++];
    if (raw->shape != PTX_ADDRESS)
        return wrong(b->p, &raw->token, "an address in brackets");
    uint8_t space = space_of(b, base), written = b->space ? b->space : b->instr->mods.space;
    bool fits = space == written || (space == ISA_SPACE_LOCAL && written == ISA_SPACE_PARAM) ||
                (space == ISA_SPACE_SHARED && written == ISA_SPACE_CLUSTER);
    if (space && written && !fits)
        return ptx_error(b->p, &base->token, NULL, "`%.*s` lies in .%s, not in .%s", (int)base->token.length,
                         base->token.text, isa_mod_text(ISA_FIELD_SPACE, space),
                         isa_mod_text(ISA_FIELD_SPACE, written));
    if (space && !written && (isa_op_info(b->instr->op)->flags & ISA_FLAG_MEMORY))
        b->instr->mods.space = space; /* a variable's address is one in its own space, never a generic one */
    if (check_address_register(b, base) < 0 || check_direction(b, base) < 0 || ptx_bind_value(b->p, base, ISA_NONE, true, operand) < 0)
        return -1;
    if (operand->kind == ISA_OPERAND_REG)
        operand->value = (uint64_t)base->offset;
    return 0;
}

static unsigned vector_length(const struct isa_instr *instr)
{
    if (instr->type == ISA_B128)
        return 2;
    if (instr->mods.number)
        return isa_matrix_count(instr);
    return instr->mods.vec ? 1u << instr->mods.vec : 1;
}

/* Where a special register, or the address of a variable, may be read. */
static int check_value(struct binder *b, const struct ptx_value *value, enum isa_type type)
{
    uint16_t op = b->instr->op;
    bool is_special = value->kind == PTX_VALUE_SREG, is_float = isa_type_info(type)->family >= ISA_CLASS_FLOAT;
    bool is_address =
        value->kind == PTX_VALUE_VARIABLE || value->kind == PTX_VALUE_PARAM || value->kind == PTX_VALUE_FRAME;
    if (is_address && op != ISA_OP_MOV && op != ISA_OP_CVTA && op != ISA_OP_MAPA)
        return ptx_error(b->p, &value->token, "mov puts the address of a variable in a register",
                         "expected a register or a constant, found the variable `%.*s`", (int)value->token.length,
                         value->token.text);
    if (is_special && ((op != ISA_OP_MOV && op != ISA_OP_CVT) || is_float))
        return ptx_error(b->p, &value->token, "mov reads a special register",
                         "expected a register or a constant, found the special register `%s`",
                         isa_sreg_info(value->index)->text);
    if (op == ISA_OP_ISSPACEP && check_address_register(b, value) < 0)
        return -1;
    unsigned bits = is_special ? isa_sreg_info(value->index)->bits : 0;
    if (is_special && op == ISA_OP_MOV && (bits == 64) != (isa_type_bits(type) == 64))
        return ptx_error(b->p, &value->token, NULL, "the special register `%s` has %u bits",
                         isa_sreg_info(value->index)->text, bits);
    return 0;
}

/* The elements of a vector, or a scalar, into out. */
static int bind_elements(struct binder *b, const struct ptx_raw_operand *raw, enum isa_type type, bool wider_ok,
                         struct isa_operand *out)
{
    if (raw->shape != PTX_VECTOR && raw->shape != PTX_PLAIN)
        return wrong(b->p, &raw->token, "a register or a vector in braces");
    for (unsigned i = 0; i < raw->count; i++)
        if (check_value(b, &raw->values[i], type) < 0 ||
            ptx_bind_value(b->p, &raw->values[i], type, wider_ok, &out[i]) < 0)
            return -1;
    return 0;
}

/* The type of an element, or of a half of 128 bits. */
static enum isa_type part_type(const struct isa_instr *instr)
{
    return instr->type == ISA_B128 ? ISA_B64 : instr->type;
}

/* What is a register of 128 bits, and what is none. */
static int check_wide(struct binder *b, const struct ptx_raw_operand *raw, bool wanted)
{
    if (raw->is_wide == wanted)
        return 0;
    return wrong(b->p, &raw->token, wanted ? "a register of 128 bits" : "a register or vector of this type");
}

/* ld, ldu, st: as many elements as .v2, .v4, .v8 says. */
static int bind_memory_vector(struct binder *b, const struct ptx_raw_operand *raw, bool is_dst)
{
    unsigned want = vector_length(b->instr);
    if (check_wide(b, raw, b->instr->type == ISA_B128) < 0)
        return -1;
    if (raw->count != want || (want > 1 && raw->shape != PTX_VECTOR))
        return ptx_error(b->p, &raw->token, NULL, "expected %u element%s", want, want > 1 ? "s in braces" : "");
    struct isa_operand *out = is_dst ? b->dst + b->dst_count : b->src + b->src_count;
    *(is_dst ? &b->dst_count : &b->src_count) += want;
    bool is_matrix = isa_op_info(b->instr->op)->flags & ISA_FLAG_MATRIX; /* two elements in a register */
    return bind_elements(b, raw, is_matrix ? ISA_B32 : part_type(b->instr), !is_matrix, out);
}

static enum isa_type element_type(enum isa_type whole, unsigned count)
{
    switch (isa_type_bits(whole) / count) {
    case 8: return ISA_B8;
    case 16: return ISA_B16;
    case 32: return ISA_B32;
    case 64: return ISA_B64;
    default: return ISA_NONE;
    }
}

/* One side of mov: a value, or the parts that it packs or unpacks. */
static int bind_mov_side(struct binder *b, const struct ptx_raw_operand *raw, bool is_dst)
{
    enum isa_type type = b->instr->type;
    if (raw->is_wide != (type == ISA_B128) && (raw->is_wide || raw->count == 1))
        return check_wide(b, raw, !raw->is_wide);
    if (raw->count > 1 && raw->shape == PTX_VECTOR) {
        bool too_many = type == ISA_B128 && raw->count > 4;
        type = too_many ? ISA_NONE : element_type(type, raw->count);
        if (type == ISA_NONE || (raw->count & (raw->count - 1)))
            return ptx_error(b->p, &raw->token, NULL, "a value of type .%s cannot have %u parts",
                             isa_type_info(b->instr->type)->text, raw->count);
    }
    struct isa_operand *out = is_dst ? b->dst : b->src;
    *(is_dst ? &b->dst_count : &b->src_count) = raw->count;
    return bind_elements(b, raw, type, false, out);
}

static int check_destination(struct binder *b, const struct ptx_value *value, const struct isa_operand *operand)
{
    bool ok = operand->kind == ISA_OPERAND_REG || operand->kind == ISA_OPERAND_NONE ||
              (operand->kind == ISA_OPERAND_PRED && !value->negate);
    return ok ? 0 : wrong(b->p, &value->token, "a destination register");
}

static enum isa_type letter_type(const struct isa_instr *instr, char letter)
{
    bool wide = instr->mods.half == ISA_HALF_WIDE;
    switch (letter) {
    case 'D':
    case 'S': return wide ? twice(instr->type) : instr->type;
    case 's': return instr->stype;
    case 'u':
    case 'j':
    case 'k': return ISA_U32;
    case 'h': return ISA_B16;
    case 'y': return ISA_B64;
    case 'p':
    case 'q':
    case 'P': return ISA_PRED;
    default: return instr->type;
    }
}

/* Conversions take registers wider than the type. */
static bool letter_is_wide(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_CVT;
}

static int bind_destination(struct binder *b, char letter, const struct ptx_raw_operand *raw, bool has_pair)
{
    if (letter == 'v' && b->instr->op == ISA_OP_MOV) {
        if (bind_mov_side(b, raw, true) < 0)
            return -1;
    } else if (letter == 'v') {
        if (bind_memory_vector(b, raw, true) < 0)
            return -1;
    } else {
        if (raw->shape == PTX_PAIR ? !has_pair : raw->shape != PTX_PLAIN)
            return wrong(b->p, &raw->token, "a destination register");
        if (ptx_bind_value(b->p, &raw->values[0], letter_type(b->instr, letter), letter_is_wide(b->instr),
                           &b->dst[b->dst_count++]) < 0)
            return -1;
    }
    for (unsigned i = 0; i < b->dst_count; i++)
        if (check_destination(b, &raw->values[letter == 'v' ? i : 0], &b->dst[i]) < 0)
            return -1;
    if (!has_pair)
        return 0;
    struct isa_operand *second = &b->dst[b->dst_count++];
    *second = (struct isa_operand){.kind = ISA_OPERAND_NONE};
    if (raw->shape != PTX_PAIR)
        return 0;
    return ptx_bind_value(b->p, &raw->values[1], ISA_PRED, false, second) < 0
               ? -1
               : check_destination(b, &raw->values[1], second);
}

static int bind_source(struct binder *b, char letter, const struct ptx_raw_operand *raw)
{
    if (letter == 'm')
        return bind_address(b, raw);
    if (letter == 'V')
        return bind_memory_vector(b, raw, false);
    if (letter == 'a' && b->instr->op == ISA_OP_MOV)
        return bind_mov_side(b, raw, false);
    if (raw->shape != PTX_PLAIN)
        return wrong(b->p, &raw->token, "a register or a constant");
    const struct ptx_value *value = &raw->values[0];
    if (value->kind == PTX_VALUE_SINK)
        return wrong(b->p, &raw->token, "a value");
    if (letter == 'k' && value->kind != PTX_VALUE_CONSTANT)
        return wrong(b->p, &raw->token, "a constant");
    struct isa_operand *operand = &b->src[b->src_count++];
    enum isa_type type = letter_type(b->instr, letter);
    if (type == ISA_PRED && value->kind == PTX_VALUE_CONSTANT && !value->constant.is_float) {
        *operand = (struct isa_operand){.kind = ISA_OPERAND_IMM, .bits = 1, .value = value->constant.integer != 0};
        return 0;
    }
    if (check_value(b, value, type) < 0)
        return -1;
    return ptx_bind_value(b->p, value, type, letter_is_wide(b->instr), operand);
}

static const struct ptx_raw_operand *take(struct binder *b)
{
    return b->next < b->count ? &b->raw[b->next++] : NULL;
}

static int missing(struct binder *b)
{
    return ptx_error(b->p, &b->at, NULL, "%s needs more operands than %u", isa_op_info(b->instr->op)->text, b->count);
}

/* bar and barrier: the destination and the predicate exist for .red only, and which destination follows from the type.
 */
static int bind_barrier(struct binder *b)
{
    bool reduces = b->instr->mods.barrier == ISA_BARRIER_RED, counts = b->instr->mods.reduce == ISA_REDUCE_POPC;
    b->dst_count = 2;
    b->src_count = 0;
    if (isa_is_cluster_barrier(b->instr))
        return 0;
    if (reduces) {
        const struct ptx_raw_operand *raw = take(b);
        if (!raw)
            return missing(b);
        struct isa_operand *out = &b->dst[counts ? 0 : 1];
        if (raw->shape != PTX_PLAIN ||
            ptx_bind_value(b->p, &raw->values[0], counts ? ISA_B32 : ISA_PRED, false, out) < 0 ||
            check_destination(b, &raw->values[0], out) < 0)
            return raw->shape != PTX_PLAIN ? wrong(b->p, &raw->token, "a destination") : -1;
    }
    uint8_t mode = b->instr->mods.barrier;
    const char *letters = reduces                    ? (b->count - b->next > 2 ? "uuP" : "u-P")
                          : mode == ISA_BARRIER_WARP ? "u--"
                                                     : "uu-";
    if (mode == ISA_BARRIER_ARRIVE && b->count < 2)
        return ptx_error(b->p, &b->at, NULL, "%s.arrive takes a barrier and a number of threads, found %u operand%s",
                         isa_op_info(b->instr->op)->text, b->count, b->count == 1 ? "" : "s");
    for (const char *c = letters; *c; c++) {
        const struct ptx_raw_operand *raw = *c == '-' ? NULL : take(b);
        if (!raw && (c == letters || *c == 'P'))
            return missing(b);
        if (!raw)
            b->src[b->src_count++] = (struct isa_operand){.kind = ISA_OPERAND_NONE};
        else if (bind_source(b, *c, raw) < 0)
            return -1;
    }
    return 0;
}

/* The parts of one operand of an atomic. Disassembly has the halves of 128 bits in braces. */
static int bind_parts(struct binder *b, bool is_dst)
{
    const struct ptx_raw_operand *raw = take(b);
    unsigned parts = isa_atomic_parts(b->instr);
    if (!raw)
        return missing(b);
    struct isa_operand *out = is_dst ? b->dst + b->dst_count : b->src + b->src_count;
    *(is_dst ? &b->dst_count : &b->src_count) += parts;
    if (is_dst && raw->shape == PTX_PLAIN && raw->values[0].kind == PTX_VALUE_SINK) {
        memset(out, 0, parts * sizeof *out); /* ISA_OPERAND_NONE */
        return 0;
    }
    if (raw->shape != PTX_VECTOR || raw->count != parts || (raw->is_wide && b->instr->type != ISA_B128))
        return b->instr->type == ISA_B128 ? check_wide(b, raw, true)
                                          : ptx_error(b->p, &raw->token, NULL, "expected %u elements in braces", parts);
    if (bind_elements(b, raw, part_type(b->instr), false, out) < 0)
        return -1;
    for (unsigned i = 0; i < parts; i++)
        if (is_dst ? check_destination(b, &raw->values[i], &out[i]) < 0 : out[i].kind == ISA_OPERAND_NONE)
            return is_dst ? -1 : wrong(b->p, &raw->token, "values");
    return 0;
}

/* atom and red of vectors, and of 128 bits. */
static int bind_atomic(struct binder *b)
{
    bool swaps = b->instr->mods.atomic == ISA_ATOMIC_CAS;
    if (b->instr->op == ISA_OP_ATOM && bind_parts(b, true) < 0)
        return -1;
    const struct ptx_raw_operand *place = take(b);
    if (!place)
        return missing(b);
    return bind_address(b, place) < 0 || bind_parts(b, false) < 0 || (swaps && bind_parts(b, false) < 0) ? -1 : 0;
}

/* The handle of a texture or surface: a register, or a variable that is one. */
static int bind_handle(struct binder *b, const struct ptx_value *value, struct isa_operand *operand)
{
    if (value->kind != PTX_VALUE_REG && value->kind != PTX_VALUE_VARIABLE)
        return wrong(b->p, &value->token, "a register or a variable, the texture or surface");
    if (value->kind == PTX_VALUE_REG && isa_type_bits(value->type) != 64)
        return ptx_error(b->p, &value->token, NULL, "the handle of a texture or surface has 64 bits");
    return ptx_bind_value(b->p, value, ISA_B64, false, operand);
}

/* Coordinates: the layer is an integer, those of surfaces are too. PTX asks for one more of volumes, layers and cubes
 * than it reads. */
static int bind_coordinates(struct binder *b, const struct ptx_raw_operand *raw)
{
    const struct isa_instr *instr = b->instr;
    unsigned have = raw->count - 1u, want = isa_coordinates(instr);
    bool layered = isa_has_layer(instr);
    if (have != want && !(want == 3 && have == 4))
        return ptx_error(b->p, &raw->token, NULL, "expected %u coordinates, found %u", want, have);
    for (unsigned i = 0; i < want; i++) {
        enum isa_type type = instr->stype && !(layered && i == 0) ? instr->stype : ISA_B32;
        const struct ptx_value *value = &raw->values[1 + i];
        if (value->kind == PTX_VALUE_SINK)
            return wrong(b->p, &value->token, "a coordinate");
        if (check_value(b, value, type) < 0 || ptx_bind_value(b->p, value, type, false, &b->src[b->src_count++]) < 0)
            return -1;
    }
    return 0;
}

/* The gradients along one axis of the screen: PTX asks for four where there are three. */
static int bind_gradients(struct binder *b)
{
    const struct ptx_raw_operand *raw = take(b);
    unsigned want = isa_gradients(b->instr);
    if (!raw)
        return missing(b);
    if ((raw->shape != PTX_VECTOR && (raw->shape != PTX_PLAIN || want > 1)) || raw->count != want + (want == 3))
        return ptx_error(b->p, &raw->token, NULL, "expected %u gradient%s", want + (want == 3), want > 1 ? "s in braces" : "");
    for (unsigned i = 0; i < want; i++)
        if (check_value(b, &raw->values[i], ISA_F32) < 0 ||
            ptx_bind_value(b->p, &raw->values[i], ISA_F32, false, &b->src[b->src_count++]) < 0)
            return -1;
    return 0;
}

/* txq, suq. */
static int bind_query(struct binder *b)
{
    const struct ptx_raw_operand *first = take(b), *place = take(b);
    if (!place)
        return missing(b);
    if (bind_destination(b, 'j', first, false) < 0)
        return -1;
    if (place->shape != PTX_ADDRESS)
        return wrong(b->p, &place->token, "a texture or surface in brackets");
    if (bind_handle(b, &place->values[0], &b->src[b->src_count++]) < 0)
        return -1;
    if (b->instr->mods.lod != ISA_LOD_LEVEL)
        return 0;
    const struct ptx_raw_operand *level = take(b);
    return !level ? missing(b) : bind_source(b, 'u', level);
}

/* tex, tld4, suld, sust, sured: see the positions in op.def. */
static int bind_image(struct binder *b)
{
    if (b->instr->mods.query)
        return bind_query(b);
    bool stores = isa_op_info(b->instr->op)->flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC);
    const struct ptx_raw_operand *first = take(b), *second = take(b), *place = stores ? first : second;
    if (!second)
        return missing(b);
    if (!stores && bind_destination(b, 'v', first, false) < 0)
        return -1;
    if (place->shape != PTX_IMAGE)
        return wrong(b->p, &place->token, "a texture or surface and coordinates in brackets");
    if (bind_handle(b, &place->values[0], &b->src[b->src_count++]) < 0)
        return -1;
    if (stores && bind_memory_vector(b, second, false) < 0)
        return -1;
    if (bind_coordinates(b, place) < 0)
        return -1;
    if (b->instr->mods.lod == ISA_LOD_GRADIENT)
        return bind_gradients(b) < 0 ? -1 : bind_gradients(b);
    if (b->instr->mods.lod != ISA_LOD_LEVEL)
        return 0;
    const struct ptx_raw_operand *level = take(b);
    return !level ? missing(b) : bind_source(b, 's', level);
}

/* The next operand of a copy, an address of these spaces (0: not an address) or a value of the letter's type; where it is
 * not wanted, it is not there. */
static int bind_part(struct binder *b, bool wanted, uint8_t space, char letter)
{
    b->space = space;
    if (!wanted) {
        b->src[b->src_count++] = (struct isa_operand){.kind = ISA_OPERAND_NONE};
        return 0;
    }
    const struct ptx_raw_operand *raw = take(b);
    return !raw ? missing(b) : bind_source(b, letter, raw);
}

static uint8_t side_space(bool global)
{
    return global ? ISA_SPACE_GLOBAL : ISA_SPACE_SHARED;
}

/* cp.async copies as many bytes as its cache operator allows, and reads no more than those. */
static int check_bytes(struct binder *b)
{
    const struct isa_operand *bytes = &b->src[2], *reads = &b->src[3];
    const struct ptx_raw_operand *raw = &b->raw[2];
    bool all = b->instr->mods.cache == ISA_CACHE_CA;
    if (bytes->value != 16 && !(all && (bytes->value == 4 || bytes->value == 8)))
        return ptx_error(b->p, &raw->token, NULL, "%s bytes, found %llu",
                         all ? "cp.async.ca copies 4, 8 or 16" : "cp.async.cg copies 16",
                         (unsigned long long)bytes->value);
    if (reads->kind == ISA_OPERAND_IMM && reads->bits != 1 && reads->value > bytes->value)
        return ptx_error(b->p, &b->raw[3].token, NULL, "a copy of %llu bytes cannot read %llu",
                         (unsigned long long)bytes->value, (unsigned long long)reads->value);
    return 0;
}

/* How many bytes cp.async reads: a number of them, or a predicate that has none read. */
static int bind_read_bytes(struct binder *b)
{
    bool more = b->count - b->next > b->instr->mods.policy;
    const struct ptx_raw_operand *raw = more ? &b->raw[b->next] : NULL;
    bool decides = raw && raw->shape == PTX_PLAIN && raw->values[0].kind == PTX_VALUE_PRED;
    return bind_part(b, more, 0, decides ? 'P' : 'u');
}

/* `[map, {coordinates}]` of a tensor: the map now, the coordinates behind all else. */
static int bind_tensor(struct binder *b, const struct ptx_raw_operand *raw)
{
    unsigned want = isa_dimensions(b->instr);
    if (raw->shape != PTX_IMAGE)
        return wrong(b->p, &raw->token, "a tensor map and coordinates in brackets");
    if (raw->count - 1u != want)
        return ptx_error(b->p, &raw->token, NULL, "expected %u coordinate%s, found %u", want, want > 1 ? "s" : "",
                         raw->count - 1u);
    const struct ptx_value *map = &raw->values[0];
    if (map->kind == PTX_VALUE_REG ? isa_type_bits(map->type) != 64 : map->kind != PTX_VALUE_VARIABLE)
        return wrong(b->p, &map->token, "the address of a tensor map, of 64 bits");
    struct isa_operand *operand = &b->src[b->src_count++];
    if (ptx_bind_value(b->p, map, ISA_NONE, true, operand) < 0)
        return -1;
    if (operand->kind == ISA_OPERAND_REG)
        operand->value = (uint64_t)map->offset;
    return 0;
}

static int bind_box(struct binder *b, const struct ptx_raw_operand *raw)
{
    for (unsigned i = 1; i < raw->count; i++)
        if (check_value(b, &raw->values[i], ISA_B32) < 0 ||
            ptx_bind_value(b->p, &raw->values[i], ISA_B32, false, &b->src[b->src_count++]) < 0)
            return -1;
    return 0;
}

/* Copies of boxes: see the positions in op.def. */
static int bind_tensor_copy(struct binder *b)
{
    const struct isa_mods *mods = &b->instr->mods;
    bool prefetches = b->instr->op == ISA_OP_TENSOR_PREFETCH, loads = mods->into != ISA_INTO_GLOBAL && !prefetches;
    const struct ptx_raw_operand *place = NULL;
    if (!loads && !(place = take(b)))
        return missing(b);
    if (bind_part(b, !prefetches, ISA_SPACE_SHARED, 'm') < 0)
        return -1;
    if (loads && !(place = take(b)))
        return missing(b);
    if (bind_tensor(b, place) < 0 ||
        bind_part(b, mods->completion == ISA_COMPLETION_MBARRIER, ISA_SPACE_SHARED, 'm') < 0 ||
        bind_part(b, mods->multicast, 0, 'h') < 0 || bind_part(b, mods->policy, 0, 'y') < 0)
        return -1;
    return bind_box(b, place);
}

/* `[address], values, [mbarrier]`: the mbarrier stands before the values. */
static int bind_send(struct binder *b)
{
    const struct ptx_raw_operand *to = take(b), *values = take(b), *mbarrier = take(b);
    if (!mbarrier)
        return missing(b);
    b->space = ISA_SPACE_SHARED;
    if (bind_source(b, 'm', to) < 0 || bind_source(b, 'm', mbarrier) < 0)
        return -1;
    b->space = 0;
    return bind_source(b, b->instr->op == ISA_OP_ST_ASYNC ? 'V' : 'a', values);
}

/* Copies beside the warp, but for those of boxes. */
static int bind_copy(struct binder *b)
{
    const struct isa_mods *mods = &b->instr->mods;
    switch (b->instr->op) {
    case ISA_OP_CP_ASYNC:
        return bind_part(b, true, ISA_SPACE_SHARED, 'm') < 0 || bind_part(b, true, ISA_SPACE_GLOBAL, 'm') < 0 ||
                       bind_part(b, true, 0, 'k') < 0 || bind_read_bytes(b) < 0 || check_bytes(b) < 0 ||
                       bind_part(b, mods->policy, 0, 'y') < 0
                   ? -1
                   : 0;
    case ISA_OP_BULK_PREFETCH:
        return bind_part(b, false, 0, 0) < 0 || bind_part(b, true, ISA_SPACE_GLOBAL, 'm') < 0 ||
                       bind_part(b, true, 0, 'u') < 0 || bind_part(b, mods->policy, 0, 'y') < 0
                   ? -1
                   : 0;
    default:
        return bind_part(b, true, side_space(mods->into == ISA_INTO_GLOBAL), 'm') < 0 ||
                       bind_part(b, true, side_space(mods->from == ISA_FROM_GLOBAL), 'm') < 0 || bind_part(b, true, 0, 'u') < 0 ||
                       bind_part(b, mods->completion == ISA_COMPLETION_MBARRIER, ISA_SPACE_SHARED, 'm') < 0 ||
                       bind_part(b, mods->multicast, 0, 'h') < 0 || bind_part(b, mods->policy, 0, 'y') < 0 ||
                       bind_part(b, mods->masked, 0, 'h') < 0
                   ? -1
                   : 0;
    }
}

static int bind_letters(struct binder *b)
{
    const char *c = isa_op_info(b->instr->op)->operands;
    if (*c && strchr("dDpvjx", *c)) {
        char letter = *c++;
        bool has_pair = *c == 'q';
        c += has_pair;
        const struct ptx_raw_operand *raw = take(b);
        if (!raw)
            return missing(b);
        if (bind_destination(b, letter, raw, has_pair) < 0)
            return -1;
    }
    bool optional = false;
    for (; *c; c++) {
        if (*c == '?') {
            optional = true;
            continue;
        }
        if (*c == 'l')
            continue; /* a label, which is parsed by itself */
        const struct ptx_raw_operand *raw = take(b);
        if (!raw && !optional)
            return missing(b);
        if (!raw)
            b->src[b->src_count++] = (struct isa_operand){.kind = ISA_OPERAND_NONE};
        else if (bind_source(b, *c, raw) < 0)
            return -1;
    }
    return 0;
}

/* The policy behind the operands of an access, for caches that are not told here: it is checked, and not kept. */
static int drop_policy(struct binder *b)
{
    const struct isa_mods *mods = &b->instr->mods;
    if (mods->space && mods->space != ISA_SPACE_GLOBAL)
        return ptx_error(b->p, &b->at, NULL, "a cache policy is for global memory");
    if (!b->count)
        return missing(b);
    if (bind_source(b, 'y', &b->raw[--b->count]) < 0)
        return -1;
    b->src_count = 0;
    b->instr->mods.policy = 0;
    return 0;
}

int ptx_bind_operands(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_raw_operand *raw, unsigned count,
                      const struct ptx_token *at)
{
    struct binder b = {.p = p, .instr = instr, .raw = raw, .count = count, .at = *at};
    bool is_barrier = instr->op == ISA_OP_BAR || instr->op == ISA_OP_BARRIER;
    uint32_t flags = isa_op_info(instr->op)->flags;
    bool copies = flags & ISA_FLAG_COPY && flags & ISA_FLAG_MEMORY && instr->op != ISA_OP_CP_ARRIVE;
    if (instr->mods.policy && !(flags & ISA_FLAG_COPY) && drop_policy(&b) < 0)
        return -1;
    if ((is_barrier                       ? bind_barrier(&b)
         : flags & ISA_FLAG_IMAGE         ? bind_image(&b)
         : instr->op == ISA_OP_ST_ASYNC || instr->op == ISA_OP_RED_ASYNC ? bind_send(&b)
         : copies && isa_dimensions(instr) ? bind_tensor_copy(&b)
         : copies                         ? bind_copy(&b)
         : (instr->op == ISA_OP_ATOM || instr->op == ISA_OP_RED) && isa_atomic_parts(instr) > 1 ? bind_atomic(&b)
                                          : bind_letters(&b)) < 0)
        return -1;
    if (b.next < b.count)
        return ptx_error(p, &raw[b.next].token, NULL, "%s takes %u operand%s, found %u", isa_op_info(instr->op)->text,
                         b.next, b.next == 1 ? "" : "s", count);
    if (instr->op == ISA_OP_GETCTARANK) /* an address of the block's own shared memory does not say its rank */
        b.src[b.src_count++] =
            (struct isa_operand){.kind = ISA_OPERAND_SREG, .bits = 32, .reg = ISA_SREG_CLUSTER_CTARANK};
    struct isa_operand *operands = ARENA_NEW(p->arena, struct isa_operand, b.dst_count + b.src_count + 1);
    memcpy(operands, b.dst, b.dst_count * sizeof *operands);
    memcpy(operands + b.dst_count, b.src, b.src_count * sizeof *operands);
    instr->dst = operands;
    instr->src = operands + b.dst_count;
    instr->dst_count = (uint8_t)b.dst_count;
    instr->src_count = (uint8_t)b.src_count;
    return ptx_check_present(p, instr, at);
}
