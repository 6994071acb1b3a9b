/* Shapes of matrix instructions: see matrix.h. A shape's text says its numbers. */
#include "isa/matrix.h"

#include <stdlib.h>
#include <string.h>

/* The number behind a letter of "m16n8k16". */
static uint16_t extent(const char *shape, char letter)
{
    const char *at = strchr(shape, letter);
    return (uint16_t)(at ? atoi(at + 1) : 0);
}

/* Registers of a lane for so many elements of the warp. */
static uint8_t registers(unsigned elements, enum isa_type type)
{
    return (uint8_t)(elements * isa_type_bits(type) / (ISA_WARP_SZ * isa_type_bits(isa_matrix_register(type))));
}

struct isa_matrix isa_matrix_of(const struct isa_instr *instr)
{
    const char *shape = isa_mod_text(ISA_FIELD_SHAPE, instr->mods.shape);
    struct isa_matrix x = {.m = extent(shape, 'm'), .n = extent(shape, 'n'), .k = extent(shape, 'k')};
    if (instr->op == ISA_OP_WGMMA) {
        x.m = ISA_MATRIX_ROWS;
        x.n = (uint16_t)(instr->dst_count * ISA_WARP_SZ * 32 / isa_type_bits(instr->type) / ISA_MATRIX_ROWS);
        x.d = x.c = instr->dst_count;
        x.b = 1;
        x.b_shared = true;
        x.a_shared = instr->src[x.d].bits == 64;
        x.a = x.a_shared ? 1 : registers(x.m * x.k, instr->stype);
        return x;
    }
    unsigned times = isa_is_of_quads(instr) ? 4 : 1;
    x.d = x.c = registers(times * x.m * x.n, instr->type);
    x.a = registers(times * x.m * isa_stored_depth(instr, &x), instr->stype);
    x.b = registers(times * x.n * x.k, instr->stype);
    if (times > 1 && instr->mods.ctype == ISA_CTYPE_F16)
        x.c = registers(times * x.m * x.n, ISA_F16);
    return x;
}

unsigned isa_matrix_steps(const struct isa_instr *instr)
{
    if (!isa_is_product(instr->op))
        return 1;
    struct isa_matrix x = isa_matrix_of(instr);
    if (instr->op == ISA_OP_WGMMA)
        return x.n / 8;
    unsigned step = instr->stype == ISA_F64 ? 8 * 8 * 4 : 16 * 8 * 128 / isa_type_bits(instr->stype);
    unsigned steps = x.m * x.n * isa_stored_depth(instr, &x) * (isa_is_of_quads(instr) ? 4 : 1) / step;
    return steps ? steps : 1;
}
