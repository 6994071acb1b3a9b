/* Operands of products of matrices: registers in braces, as many as the shape and the types ask for. PTX ISA, "Matrix
 * multiply-accumulate operation using mma instruction". */
#include <stdio.h>

#include "isa/matrix.h"
#include "ptx/parse.h"

enum { METADATA = 2 }; /* operands of a sparse product behind those of all */

/* So many registers of elements of a type, into out. */
static int parse_fragment(struct ptx_parser *p, unsigned count, enum isa_type type, bool is_dst, struct isa_operand *out)
{
    struct ptx_token at = p->token;
    bool braces = ptx_accept(p, '{');
    unsigned have = 0;
    do {
        struct ptx_value value;
        struct ptx_token here = p->token;
        if (ptx_parse_value(p, &value) < 0)
            return -1;
        if (value.kind != PTX_VALUE_REG && (is_dst || value.kind != PTX_VALUE_CONSTANT))
            return ptx_error(p, &here, NULL, "the elements of a matrix lie in registers");
        if (have < count && ptx_bind_value(p, &value, isa_matrix_register(type), false, &out[have]) < 0)
            return -1;
        have++;
    } while (braces && ptx_accept(p, ','));
    if (braces && ptx_expect(p, '}', "after the elements") < 0)
        return -1;
    if (have != count || (count > 1 && !braces))
        return ptx_error(p, &at, NULL, "expected %u element%s, found %u", count, count > 1 ? "s in braces" : "", have);
    return 0;
}

/* The metadata of a sparse matrix, a register, and the selector, a constant that says which lanes' metadata count. */
static int parse_metadata(struct ptx_parser *p, const struct isa_instr *instr, const struct isa_matrix *x, struct isa_operand *out)
{
    struct ptx_value value;
    const char *before = "and the metadata of the sparse matrix, and its selector";
    if (ptx_expect(p, ',', before) < 0 || ptx_parse_value(p, &value) < 0 || ptx_bind_value(p, &value, ISA_B32, false, out) < 0 ||
        ptx_expect(p, ',', before) < 0)
        return -1;
    struct ptx_token at = p->token;
    unsigned most = 4 / isa_metadata_lanes(instr, x) - 1;
    if (ptx_parse_value(p, &value) < 0)
        return -1;
    bool is_number = value.kind == PTX_VALUE_CONSTANT && !value.constant.is_float;
    if (!is_number || value.constant.integer > most)
        return ptx_error(p, &at, NULL, "expected a selector, a constant from 0 to %u", most);
    return ptx_bind_value(p, &value, ISA_B32, false, out + 1);
}

int ptx_parse_product(struct ptx_parser *p, struct isa_instr *instr)
{
    struct isa_matrix x = isa_matrix_of(instr);
    struct isa_operand *to = ARENA_NEW(p->arena, struct isa_operand, x.d + x.a + x.b + x.c + METADATA);
    instr->dst = to;
    instr->src = to + x.d;
    instr->dst_count = x.d;
    instr->src_count = (uint8_t)(x.a + x.b + x.c + (instr->mods.sparse ? METADATA : 0));
    const char *before = "and the matrices that are multiplied and added";
    if (parse_fragment(p, x.d, instr->type, true, to) < 0 || ptx_expect(p, ',', before) < 0 ||
        parse_fragment(p, x.a, instr->stype, false, to + x.d) < 0 || ptx_expect(p, ',', before) < 0 ||
        parse_fragment(p, x.b, instr->stype, false, to + x.d + x.a) < 0 || ptx_expect(p, ',', before) < 0)
        return -1;
    if (parse_fragment(p, x.c, instr->type, false, to + x.d + x.a + x.b) < 0)
        return -1;
    return instr->mods.sparse ? parse_metadata(p, instr, &x, to + x.d + x.a + x.b + x.c) : 0;
}

/* ---- wgmma.mma_async: PTX ISA, "Asynchronous wgmma.mma_async operation" ---- */

bool ptx_take_shape(const struct ptx_token *word, struct isa_instr *instr)
{
    char text[16];
    unsigned n, k;
    int end = 0;
    if (word->length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)word->length, word->text);
    if (sscanf(text, "m64n%uk%u%n", &n, &k, &end) != 2 || text[end] || n % 8 || !n || n > ISA_MATRIX_COLUMNS)
        return false;
    instr->mods.shape = k == 8 ? ISA_SHAPE_M64K8 : k == 16 ? ISA_SHAPE_M64K16 : k == 32 ? ISA_SHAPE_M64K32 : 0;
    instr->dst_count = (uint8_t)(n / 8);
    return instr->mods.shape;
}

/* A descriptor: a register of 64 bits. */
static int parse_descriptor(struct ptx_parser *p, struct isa_operand *out)
{
    struct ptx_value value;
    struct ptx_token at = p->token;
    if (ptx_parse_value(p, &value) < 0)
        return -1;
    if (value.kind != PTX_VALUE_REG)
        return ptx_error(p, &at, NULL, "expected the descriptor of a matrix in shared memory, a register of 64 bits");
    return ptx_bind_value(p, &value, ISA_B64, false, out);
}

/* The predicate behind the matrices, and the constants behind that. */
static int parse_options(struct ptx_parser *p, const struct isa_instr *instr, bool a_shared, struct isa_operand *out)
{
    struct ptx_value value;
    struct ptx_token at = p->token;
    if (ptx_expect(p, ',', "and a predicate") < 0 || ptx_parse_value(p, &value) < 0)
        return -1;
    if (value.kind == PTX_VALUE_CONSTANT && !value.constant.is_float)
        *out = (struct isa_operand){.kind = ISA_OPERAND_IMM, .bits = 1, .value = value.constant.integer != 0};
    else if (ptx_bind_value(p, &value, ISA_PRED, false, out) < 0)
        return -1;
    for (enum isa_product_option i = ISA_SCALE_A; i < ISA_PRODUCT_OPTIONS; i++) {
        out[1 + i] = (struct isa_operand){.kind = ISA_OPERAND_NONE};
        if (!isa_has_option(instr, a_shared, i))
            continue;
        const char *what = i <= ISA_SCALE_B ? "and a scale, 1 or -1" : "and 0 or 1, which transposes";
        if (ptx_expect(p, ',', what) < 0)
            return -1;
        at = p->token;
        if (ptx_parse_value(p, &value) < 0)
            return -1;
        int64_t constant = value.kind == PTX_VALUE_CONSTANT ? (int64_t)value.constant.integer : 2;
        if (constant > 1 || constant < (i <= ISA_SCALE_B ? -1 : 0) || (i <= ISA_SCALE_B && !constant))
            return ptx_error(p, &at, NULL, "expected %s", i <= ISA_SCALE_B ? "1 or -1" : "0 or 1");
        if (ptx_bind_value(p, &value, ISA_S32, false, &out[1 + i]) < 0)
            return -1;
    }
    return 0;
}

int ptx_parse_asynchronous(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_token *at)
{
    unsigned n = 8u * instr->dst_count, d = n * ISA_MATRIX_ROWS * isa_type_bits(instr->type) / 32 / ISA_WARP_SZ;
    unsigned k = 256 / isa_type_bits(instr->stype), a = ISA_MATRIX_ROWS * 256 / 32 / ISA_WARP_SZ;
    if (instr->mods.shape != (k == 8 ? ISA_SHAPE_M64K8 : k == 16 ? ISA_SHAPE_M64K16 : ISA_SHAPE_M64K32))
        return ptx_error(p, at, NULL, "expected a shape m64nNk%u, N a multiple of 8 up to 256, for .%s", k,
                         isa_type_info(instr->stype)->text);
    struct isa_operand *to = ARENA_NEW(p->arena, struct isa_operand, 2 * d + a + 2 + ISA_PRODUCT_OPTIONS);
    struct isa_operand *src = to + d;
    const char *before = "and the matrices that are multiplied";
    if (parse_fragment(p, d, instr->type, true, to) < 0 || ptx_expect(p, ',', before) < 0)
        return -1;
    for (unsigned i = 0; i < d; i++)
        src[i] = to[i];
    bool a_shared = !PTX_IS_PUNCT(&p->token, '{');
    if ((a_shared ? parse_descriptor(p, src + d) : parse_fragment(p, a, instr->stype, false, src + d)) < 0)
        return -1;
    a = a_shared ? 1 : a;
    if (ptx_expect(p, ',', before) < 0 || parse_descriptor(p, src + d + a) < 0 ||
        parse_options(p, instr, a_shared, src + d + a + 1) < 0)
        return -1;
    instr->dst = to;
    instr->src = src;
    instr->dst_count = (uint8_t)d;
    instr->src_count = (uint8_t)(d + a + 2 + ISA_PRODUCT_OPTIONS);
    return 0;
}
