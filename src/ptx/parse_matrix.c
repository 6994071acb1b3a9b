/* Operands of products of matrices: registers in braces, as many as the shape and the types ask for. PTX ISA, "Matrix
 * multiply-accumulate operation using mma instruction". */
#include "isa/matrix.h"
#include "ptx/parse.h"

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

int ptx_parse_product(struct ptx_parser *p, struct isa_instr *instr)
{
    struct isa_matrix x = isa_matrix_of(instr);
    struct isa_operand *to = ARENA_NEW(p->arena, struct isa_operand, 2u * x.d + x.a + x.b);
    instr->dst = to;
    instr->src = to + x.d;
    instr->dst_count = x.d;
    instr->src_count = (uint8_t)(x.a + x.b + x.d);
    const char *before = "and the matrices that are multiplied and added";
    if (parse_fragment(p, x.d, instr->type, true, to) < 0 || ptx_expect(p, ',', before) < 0 ||
        parse_fragment(p, x.a, instr->stype, false, to + x.d) < 0 || ptx_expect(p, ',', before) < 0 ||
        parse_fragment(p, x.b, instr->stype, false, to + x.d + x.a) < 0 || ptx_expect(p, ',', before) < 0)
        return -1;
    return parse_fragment(p, x.d, instr->type, false, to + x.d + x.a + x.b);
}
