/* One instruction as PTX, from the tables. Names that only disassembly gives begin with `$$`: `$$L4` is the label of
 * the function's instruction 4, `$$T4` the target list of a brx there, `$$frame` the function's local memory and
 * `$$call_16_8` the 8 bytes at 16 of it. */
#include "isa/disasm.h"

#include <inttypes.h>
#include <string.h>

#include "isa/matrix.h"

struct printer {
    const struct isa_module *module;
    const struct isa_function *function;
    const struct isa_instr *instr;
    struct strbuf *out;
    bool comma; /* an operand stands before the next */
};

static void separate(struct printer *s)
{
    strbuf_add(s->out, s->comma ? ", " : " ");
    s->comma = true;
}

static uint32_t half_to_single(uint64_t bits, unsigned fraction, unsigned exponent)
{
    uint32_t sign = (uint32_t)(bits >> (fraction + exponent)) << 31;
    uint32_t e = (uint32_t)(bits >> fraction) & ((1u << exponent) - 1), m = (uint32_t)bits & ((1u << fraction) - 1);
    uint32_t bias = (1u << (exponent - 1)) - 1;
    if (e == (1u << exponent) - 1)
        return sign | 0x7F800000u | m << (23 - fraction);
    if (exponent == 8)
        return sign | e << 23 | m << (23 - fraction);
    if (e)
        return sign | (e - bias + 127) << 23 | m << (23 - fraction);
    if (!m)
        return sign;
    unsigned shift = (unsigned)__builtin_clz(m) - (31 - fraction);
    return sign | (128 - bias - shift) << 23 | ((m << shift) & ((1u << fraction) - 1)) << (23 - fraction);
}

static void print_integer(uint64_t bits, enum isa_type type, struct strbuf *out)
{
    const struct isa_type_info *info = isa_type_info(type);
    unsigned width = info->bits && info->bits < 64 ? info->bits : 64;
    int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
    bool small = value > -65536 && value < 65536;
    if (info->family == ISA_CLASS_SINT && small)
        strbuf_addf(out, "%" PRId64, value);
    else
        strbuf_addf(out, bits < 65536 ? "%" PRIu64 : "0x%" PRIX64, bits);
}

void isa_disasm_constant(uint64_t bits, enum isa_type type, struct strbuf *out)
{
    switch (type) {
    case ISA_F64: strbuf_addf(out, "0d%016" PRIX64, bits); break;
    case ISA_F32:
    case ISA_TF32: strbuf_addf(out, "0f%08" PRIX32, (uint32_t)bits); break;
    case ISA_F16: strbuf_addf(out, "0f%08" PRIX32, half_to_single(bits, 10, 5)); break;
    case ISA_BF16: strbuf_addf(out, "0f%08" PRIX32, half_to_single(bits, 7, 8)); break;
    default: print_integer(bits, type, out); break;
    }
}

static void print_offset(uint64_t offset, struct strbuf *out)
{
    if (offset >> 63)
        strbuf_addf(out, "-%" PRIu64, -offset);
    else if (offset)
        strbuf_addf(out, "+%" PRIu64, offset);
}

static const struct isa_param *find_param(const struct isa_param *params, uint32_t count, uint64_t offset)
{
    for (uint32_t i = 0; i < count; i++)
        if (params[i].name && offset >= params[i].offset && offset - params[i].offset < params[i].bytes)
            return &params[i];
    return NULL;
}

/* A place in the parameter block, or at the start of the frame, by the parameter's name; false when it is none's. */
static bool print_param(const struct printer *s, uint64_t offset)
{
    const struct isa_param *param = find_param(s->function->params, s->function->param_count, offset);
    if (!param)
        param = find_param(s->function->results, s->function->result_count, offset);
    if (!param)
        return false;
    strbuf_add(s->out, param->name);
    print_offset(offset - param->offset, s->out);
    return true;
}

static void print_frame(const struct printer *s, uint64_t offset)
{
    if (!s->function->is_kernel && print_param(s, offset))
        return;
    strbuf_add(s->out, "$$frame");
    print_offset(offset, s->out);
}

static const char *reg_name(const struct printer *s, uint32_t reg)
{
    return reg < s->function->reg_count ? s->function->regs[reg].name : "%unknown";
}

static void print_operand(const struct printer *s, const struct isa_operand *operand, enum isa_type type)
{
    struct strbuf *out = s->out;
    switch (operand->kind) {
    case ISA_OPERAND_NONE: strbuf_add(out, "_"); break;
    case ISA_OPERAND_REG: strbuf_add(out, reg_name(s, operand->reg)); break;
    case ISA_OPERAND_PRED: strbuf_addf(out, "%s%s", operand->negate ? "!" : "", reg_name(s, operand->reg)); break;
    case ISA_OPERAND_IMM: isa_disasm_constant(operand->value, type, out); break;
    case ISA_OPERAND_SREG: strbuf_add(out, isa_sreg_info(operand->reg)->text); break;
    case ISA_OPERAND_SYMBOL:
    case ISA_OPERAND_DYNSMEM:
        strbuf_add(out, s->module->variables[operand->reg].name);
        print_offset(operand->value, out);
        break;
    case ISA_OPERAND_FRAME: print_frame(s, operand->value); break;
    case ISA_OPERAND_FUNC: strbuf_add(out, s->module->functions[operand->reg].name); break;
    }
}

static void print_address(const struct printer *s, const struct isa_operand *operand)
{
    strbuf_add(s->out, "[");
    bool is_param =
        operand->kind == ISA_OPERAND_IMM && s->instr->mods.space == ISA_SPACE_PARAM && s->function->is_kernel;
    if (operand->kind == ISA_OPERAND_IMM) {
        if (!is_param || !print_param(s, operand->value))
            strbuf_addf(s->out, "%" PRIu64, operand->value);
    } else {
        print_operand(s, operand, ISA_B64);
        if (operand->kind == ISA_OPERAND_REG)
            print_offset(operand->value, s->out);
    }
    strbuf_add(s->out, "]");
}

/* Suffixes whose place or spelling the ISA fixes otherwise than the table's order. */
static void print_mod(const struct printer *s, unsigned field, uint8_t value)
{
    if (field == ISA_FIELD_SCOPE && value == ISA_SCOPE_GPU && s->instr->op == ISA_OP_MEMBAR)
        strbuf_add(s->out, ".gl");
    else if (field == ISA_FIELD_ORDER && value == ISA_ORDER_MMIO)
        strbuf_add(s->out, ".mmio.relaxed");
    else if (field == ISA_FIELD_SHAPE && s->instr->op == ISA_OP_WGMMA)
        strbuf_addf(s->out, ".m64n%uk%u", isa_matrix_of(s->instr).n, isa_matrix_of(s->instr).k);
    else if (field == ISA_FIELD_SPACE && value == ISA_SPACE_PARAM && !s->function->is_kernel &&
             s->instr->src_count && s->instr->src[0].kind == ISA_OPERAND_REG)
        strbuf_add(s->out, ".param::entry"); /* a plain .param would be the function's own */
    else
        strbuf_addf(s->out, ".%s", isa_mod_text(field, value));
}

/* Fields whose suffixes stand behind the types. */
static bool is_behind_types(const struct isa_instr *instr, unsigned field)
{
    bool is_type = field == ISA_FIELD_BTYPE || field == ISA_FIELD_CTYPE || field == ISA_FIELD_BITOP || field == ISA_FIELD_POPC;
    return field == ISA_FIELD_PRMT || field == ISA_FIELD_BOUNDS || is_type || isa_is_video(instr->op);
}

static void print_mods(const struct printer *s, bool behind_types)
{
    const struct isa_instr *instr = s->instr;
    uint8_t fields[ISA_FIELD_COUNT];
    unsigned count = isa_op_fields(instr->op, fields);
    for (unsigned i = 0; i < count; i++) {
        uint8_t value = ((const uint8_t *)&instr->mods)[fields[i]];
        if (value && is_behind_types(instr, fields[i]) == behind_types)
            print_mod(s, fields[i], value);
    }
}

static void print_mnemonic(const struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    strbuf_add(s->out, isa_op_info(instr->op)->text);
    print_mods(s, false);
    if (instr->type)
        strbuf_addf(s->out, ".%s", isa_type_info(instr->type)->text);
    if (instr->stype)
        strbuf_addf(s->out, ".%s", isa_type_info(instr->stype)->text);
    if (instr->op == ISA_OP_CVT && instr->mods.pack && instr->src_count > 2 && instr->src[2].kind != ISA_OPERAND_NONE)
        strbuf_add(s->out, ".b32");
    print_mods(s, true);
}

static void print_vector(struct printer *s, const struct isa_operand *operands, unsigned count, enum isa_type type)
{
    separate(s);
    if (count == 1) {
        print_operand(s, operands, type);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        strbuf_add(s->out, i ? ", " : "{");
        print_operand(s, &operands[i], type);
    }
    strbuf_add(s->out, "}");
}

static enum isa_type twice(enum isa_type type)
{
    static const uint8_t wide[ISA_TYPE_COUNT] = {[ISA_U16] = ISA_U32, [ISA_S16] = ISA_S32, [ISA_U32] = ISA_U64,
                                                 [ISA_S32] = ISA_S64, [ISA_U8] = ISA_U16,  [ISA_S8] = ISA_S16};
    return wide[type] ? wide[type] : type;
}

static enum isa_type letter_type(const struct isa_instr *instr, char letter)
{
    switch (letter) {
    case 'S': return instr->mods.half == ISA_HALF_WIDE ? twice(instr->type) : instr->type;
    case 's': return instr->stype;
    case 'u':
    case 'k': return ISA_U32;
    case 'P': return ISA_PRED;
    default: return instr->type;
    }
}

static enum isa_type part_type(enum isa_type whole, unsigned parts)
{
    static const uint8_t by_bytes[] = {[1] = ISA_B8, [2] = ISA_B16, [4] = ISA_B32, [8] = ISA_B64};
    unsigned bytes = isa_type_bits(whole) / 8 / parts;
    return parts == 1 || bytes > 8 ? whole : by_bytes[bytes];
}

static void print_source(struct printer *s, char letter, const struct isa_operand *operand)
{
    separate(s);
    if (letter == 'm')
        print_address(s, operand);
    else
        print_operand(s, operand, letter_type(s->instr, letter));
}

static void print_barrier(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    if (instr->mods.barrier == ISA_BARRIER_RED) {
        separate(s);
        print_operand(s, &instr->dst[instr->dst[0].kind == ISA_OPERAND_NONE], ISA_B32);
    }
    for (unsigned i = 0; i < instr->src_count; i++)
        if (instr->src[i].kind != ISA_OPERAND_NONE)
            print_source(s, i == 2 ? 'P' : 'u', &instr->src[i]);
}

/* dst letters, then src letters in step with src[]; see the positions in op.def. */
static void print_letters(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    const char *c = isa_op_info(instr->op)->operands;
    bool is_mov = instr->op == ISA_OP_MOV;
    if (*c && strchr("dDpvjx", *c)) {
        bool is_vector = *c++ == 'v';
        print_vector(s, instr->dst, is_vector ? instr->dst_count : 1, instr->type);
        if (*c == 'q' && c++ && instr->dst[1].kind != ISA_OPERAND_NONE) {
            strbuf_add(s->out, "|");
            print_operand(s, &instr->dst[1], ISA_PRED);
        }
    }
    for (unsigned i = 0; *c; c++) {
        if (*c == '?')
            continue;
        if (*c == 'l') {
            separate(s);
            strbuf_addf(s->out, "$$L%u", instr->target - s->function->first);
            continue;
        }
        if (*c == 'V' || is_mov) {
            unsigned count = instr->src_count - i;
            print_vector(s, instr->src + i, count, is_mov ? part_type(instr->type, count) : instr->type);
            return;
        }
        if (instr->src[i].kind != ISA_OPERAND_NONE)
            print_source(s, *c, &instr->src[i]);
        i++;
    }
}

/* `[handle, {coordinates}]`, with the one that PTX asks for beyond those of volumes, layers and cubes. */
static void print_place(struct printer *s, const struct isa_operand *coordinates)
{
    const struct isa_instr *instr = s->instr;
    unsigned count = isa_coordinates(instr);
    separate(s);
    strbuf_add(s->out, "[");
    print_operand(s, &instr->src[0], ISA_B64);
    for (unsigned i = 0; i < count + (count == 3); i++) {
        bool layer = i == 0 && isa_has_layer(instr);
        strbuf_add(s->out, i ? ", " : ", {");
        print_operand(s, &coordinates[i < count ? i : count - 1], layer || !instr->stype ? ISA_B32 : instr->stype);
    }
    strbuf_add(s->out, "}]");
}

/* With the one that PTX asks for beyond three. */
static void print_gradients(struct printer *s, const struct isa_operand *gradients)
{
    unsigned count = isa_gradients(s->instr);
    separate(s);
    for (unsigned i = 0; i < count + (count == 3); i++) {
        strbuf_add(s->out, i ? ", " : "{");
        print_operand(s, &gradients[i < count ? i : count - 1], ISA_F32);
    }
    strbuf_add(s->out, "}");
}

/* txq, suq. */
static void print_query(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    print_vector(s, instr->dst, 1, ISA_B32);
    separate(s);
    strbuf_add(s->out, "[");
    print_operand(s, &instr->src[0], ISA_B64);
    strbuf_add(s->out, "]");
    if (instr->src_count > 1)
        print_source(s, 'u', &instr->src[1]);
}

/* tex, tld4, suld, sust, sured: see the positions in op.def. */
static void print_image(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    bool stores = isa_op_info(instr->op)->flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC);
    unsigned values = stores ? instr->src_count - 1u - isa_coordinates(instr) : 0, behind;
    if (!stores)
        print_vector(s, instr->dst, instr->dst_count, instr->type);
    print_place(s, &instr->src[1 + values]);
    if (stores)
        print_vector(s, instr->src + 1, values, instr->type);
    behind = 1 + values + isa_coordinates(instr);
    if (instr->mods.lod == ISA_LOD_GRADIENT) {
        print_gradients(s, &instr->src[behind]);
        print_gradients(s, &instr->src[behind + isa_gradients(instr)]);
    } else if (behind < instr->src_count) {
        print_source(s, 's', &instr->src[behind]);
    }
}

/* Copies beside the warp: see the positions in op.def. */
static void print_copy(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    bool bulk = instr->op != ISA_OP_CP_ASYNC;
    for (unsigned i = 0; i < instr->src_count; i++) {
        bool is_address = i < 2 || (bulk && instr->op != ISA_OP_BULK_PREFETCH && i == 3);
        const struct isa_operand *operand = &instr->src[i];
        if (operand->kind == ISA_OPERAND_NONE)
            continue;
        separate(s);
        if (is_address)
            print_address(s, operand);
        else
            print_operand(s, operand, operand->bits == 64 ? ISA_B64 : ISA_U32);
    }
}

/* `[address], values, [mbarrier]`. */
static void print_send(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    print_source(s, 'm', &instr->src[0]);
    print_vector(s, instr->src + 2, instr->src_count - 2u, instr->type);
    print_source(s, 'm', &instr->src[1]);
}

/* An atomic of several parts: what is not written of the result is one sink. */
static void print_atomic(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    unsigned parts = isa_atomic_parts(instr);
    enum isa_type type = instr->type == ISA_B128 ? ISA_B64 : (enum isa_type)instr->type;
    if (instr->dst_count)
        print_vector(s, instr->dst, parts, type);
    print_source(s, 'm', &instr->src[0]);
    for (unsigned i = 1; i + parts <= instr->src_count; i += parts)
        print_vector(s, instr->src + i, parts, type);
}

static void print_tensor(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    unsigned dimensions = isa_dimensions(instr);
    bool place_first = instr->mods.into == ISA_INTO_GLOBAL || instr->op == ISA_OP_TENSOR_PREFETCH;
    static const uint8_t order[2][2] = {{0, 1}, {1, 0}};
    for (unsigned i = 0; i < 2; i++) {
        const struct isa_operand *operand = &instr->src[order[place_first][i]];
        if (operand->kind == ISA_OPERAND_NONE)
            continue;
        separate(s);
        if (operand == &instr->src[0]) {
            print_address(s, operand);
            continue;
        }
        strbuf_add(s->out, "[");
        print_operand(s, operand, ISA_B64);
        if (operand->kind == ISA_OPERAND_REG)
            print_offset(operand->value, s->out);
        for (unsigned d = 0; d < dimensions; d++) {
            strbuf_add(s->out, d ? ", " : ", {");
            print_operand(s, &instr->src[5 + d], ISA_B32);
        }
        strbuf_add(s->out, "}]");
    }
    for (unsigned i = 2; i < 5; i++)
        if (instr->src[i].kind != ISA_OPERAND_NONE) {
            separate(s);
            if (i == 2)
                print_address(s, &instr->src[i]);
            else
                print_operand(s, &instr->src[i], i == 4 ? ISA_B64 : ISA_B16);
        }
}

static void print_fragment(struct printer *s, const struct isa_operand *operands, unsigned count, enum isa_type type)
{
    separate(s);
    for (unsigned i = 0; i < count; i++) {
        strbuf_add(s->out, i ? ", " : "{");
        print_operand(s, &operands[i], isa_matrix_register(type));
    }
    strbuf_add(s->out, "}");
}

static void print_asynchronous(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    struct isa_matrix x = isa_matrix_of(instr);
    print_fragment(s, instr->dst, x.d, instr->type);
    if (x.a_shared)
        print_source(s, 'a', &instr->src[x.d]);
    else
        print_fragment(s, instr->src + x.d, x.a, instr->stype);
    print_source(s, 'a', &instr->src[x.d + x.a]);
    print_source(s, 'P', &instr->src[x.d + x.a + 1]);
    for (enum isa_product_option i = ISA_SCALE_A; i < ISA_PRODUCT_OPTIONS; i++)
        if (isa_product_option(instr, i)->kind != ISA_OPERAND_NONE) {
            separate(s);
            print_operand(s, isa_product_option(instr, i), ISA_S32);
        }
}

static void print_product(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    struct isa_matrix x = isa_matrix_of(instr);
    print_fragment(s, instr->dst, x.d, instr->type);
    print_fragment(s, instr->src, x.a, instr->stype);
    print_fragment(s, instr->src + x.a, x.b, instr->stype);
    print_fragment(s, instr->src + x.a + x.b, x.c, instr->type);
    for (unsigned i = x.a + x.b + x.c; i < instr->src_count; i++) { /* which elements a sparse matrix has */
        separate(s);
        print_operand(s, &instr->src[i], ISA_B32);
    }
}

static void print_slots(struct printer *s, const struct isa_call_slot *slots, uint32_t count)
{
    strbuf_add(s->out, "(");
    for (uint32_t i = 0; i < count; i++)
        strbuf_addf(s->out, "%s$$call_%u_%u", i ? ", " : "", slots[i].offset, slots[i].bytes);
    strbuf_add(s->out, ")");
}

static void print_call(struct printer *s)
{
    const struct isa_call *call = s->instr->call;
    separate(s);
    if (call->result_count) {
        print_slots(s, call->results, call->result_count);
        separate(s);
    }
    if (call->callee != UINT32_MAX)
        strbuf_add(s->out, s->module->functions[call->callee].name);
    else
        print_operand(s, &call->target, ISA_B64);
    separate(s);
    print_slots(s, call->args, call->arg_count);
}

static void print_operands(struct printer *s)
{
    const struct isa_instr *instr = s->instr;
    switch (instr->op) {
    case ISA_OP_OUTSIDE: strbuf_addf(s->out, " \"%s\"", instr->text ? instr->text : ""); break;
    case ISA_OP_BRX:
        print_source(s, 'u', &instr->src[0]);
        strbuf_addf(s->out, ", $$T%u", (uint32_t)(instr - s->module->instrs) - s->function->first);
        break;
    case ISA_OP_CALL: print_call(s); break;
    case ISA_OP_BAR:
    case ISA_OP_BARRIER: print_barrier(s); break;
    case ISA_OP_TEX:
    case ISA_OP_TLD4:
    case ISA_OP_SULD:
    case ISA_OP_SUST:
    case ISA_OP_SURED: print_image(s); break;
    case ISA_OP_TXQ:
    case ISA_OP_SUQ: print_query(s); break;
    case ISA_OP_ST_ASYNC:
    case ISA_OP_RED_ASYNC: print_send(s); break;
    case ISA_OP_CP_ASYNC:
    case ISA_OP_BULK:
    case ISA_OP_BULK_REDUCE:
    case ISA_OP_BULK_PREFETCH: print_copy(s); break;
    case ISA_OP_TENSOR:
    case ISA_OP_TENSOR_REDUCE:
    case ISA_OP_TENSOR_PREFETCH: print_tensor(s); break;
    case ISA_OP_MMA: print_product(s); break;
    case ISA_OP_WGMMA: print_asynchronous(s); break;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        if (isa_atomic_parts(instr) > 1)
            print_atomic(s);
        else
            print_letters(s);
        break;
    default: print_letters(s); break;
    }
}

void isa_disasm_instr(const struct isa_module *module, const struct isa_function *function,
                      const struct isa_instr *instr, struct strbuf *out)
{
    struct printer s = {module, function, instr, out, false};
    if (instr->guarded)
        strbuf_addf(out, "@%s%s ", instr->guard_negate ? "!" : "", reg_name(&s, instr->guard_reg));
    print_mnemonic(&s);
    print_operands(&s);
    strbuf_add(out, ";");
}
