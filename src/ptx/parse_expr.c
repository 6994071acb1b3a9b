/* Constant expressions. PTX ISA, "Constant Expressions": C's operators on 64-bit integers; a value is signed unless it
 * was written with U, needs 64 bits, or meets an unsigned one; casts (.s64) and (.u64). Of these
 * operators, floating-point numbers have the four of arithmetic and the sign. */
#include "ptx/parse.h"

#include <string.h>

static int parse_ternary(struct ptx_parser *p, struct ptx_constant *value, unsigned depth);

static int parse_literal(struct ptx_parser *p, struct ptx_constant *value)
{
    struct ptx_number number;
    if (ptx_read_number(&p->token, &number) < 0)
        return ptx_error(p, &p->token, "integers are 10, 0x0A, 012, 0b1010; floats 0f3F800000, 0d3FF0000000000000, 1.0",
                         "`%.*s` is not a number", (int)(p->token.length < 60 ? p->token.length : 60), p->token.text);
    if (number.overflow)
        return ptx_error(p, &p->token, NULL, "the number does not fit 64 bits");
    *value = (struct ptx_constant){.is_float = number.is_float,
                                   .image = number.image,
                                   .integer = number.integer,
                                   .real = number.real,
                                   .is_unsigned = number.is_unsigned || number.integer >> 63};
    ptx_advance(p);
    return 0;
}

static int parse_cast_or_group(struct ptx_parser *p, struct ptx_constant *value, unsigned depth);

static int parse_unary(struct ptx_parser *p, struct ptx_constant *value, unsigned depth)
{
    if (depth > PTX_MAX_DEPTH)
        return ptx_error(p, &p->token, NULL, "the expression is nested too deeply");
    const struct ptx_token *t = &p->token;
    if (t->kind == PTX_TOKEN_NUMBER)
        return parse_literal(p, value);
    if (PTX_IS_WORD(t, "WARP_SZ")) {
        *value = (struct ptx_constant){.integer = ISA_WARP_SZ};
        ptx_advance(p);
        return 0;
    }
    if (PTX_IS_PUNCT(t, '('))
        return parse_cast_or_group(p, value, depth);
    char op = t->kind == PTX_TOKEN_PUNCT ? (char)t->punct : 0;
    if (op != '-' && op != '+' && op != '!' && op != '~')
        return ptx_expected(p, "a constant");
    struct ptx_token at = *t;
    ptx_advance(p);
    if (parse_unary(p, value, depth + 1) < 0)
        return -1;
    if (value->is_float && (op == '!' || op == '~'))
        return ptx_error(p, &at, NULL, "`%c` needs an integer", op);
    if (op == '-') {
        value->real = -value->real;
        if (value->image)
            value->integer ^= BIT64(value->image - 1);
        else
            value->integer = -value->integer;
    } else if (op == '!') {
        *value = (struct ptx_constant){.integer = !value->integer};
    } else if (op == '~') {
        value->integer = ~value->integer;
    }
    return 0;
}

static int parse_cast_or_group(struct ptx_parser *p, struct ptx_constant *value, unsigned depth)
{
    ptx_advance(p);
    bool to_signed = PTX_IS_DOT(&p->token, "s64"), to_unsigned = PTX_IS_DOT(&p->token, "u64");
    if (to_signed || to_unsigned) {
        ptx_advance(p);
        if (ptx_expect(p, ')', "after the cast") < 0 || parse_unary(p, value, depth + 1) < 0)
            return -1;
        if (value->is_float)
            return ptx_error(p, &p->last, NULL, "a cast needs an integer");
        value->is_unsigned = to_unsigned;
        return 0;
    }
    return parse_ternary(p, value, depth + 1) < 0 ? -1 : ptx_expect(p, ')', "after the expression");
}

static unsigned precedence(const struct ptx_token *t)
{
    if (t->kind != PTX_TOKEN_PUNCT)
        return 0;
    switch (t->punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_PUNCT_SHL:
    case PTX_PUNCT_SHR: return 8;
    case '<':
    case '>':
    case PTX_PUNCT_LE:
    case PTX_PUNCT_GE: return 7;
    case PTX_PUNCT_EQ:
    case PTX_PUNCT_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_PUNCT_AND: return 2;
    case PTX_PUNCT_OR: return 1;
    default: return 0;
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* the least integer divided by -1 */
        return remainder ? 0 : -a;
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t shift(uint64_t a, uint64_t amount, bool is_left, bool is_unsigned)
{
    if (is_left)
        return amount < 64 ? a << amount : 0;
    if (is_unsigned)
        return amount < 64 ? a >> amount : 0;
    return (uint64_t)((int64_t)a >> (amount < 64 ? amount : 63));
}

static uint64_t apply_integer(uint8_t op, uint64_t a, uint64_t b, bool is_unsigned)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (op) {
    case '*': return a * b;
    case '/': return divide(a, b, is_unsigned, false);
    case '%': return divide(a, b, is_unsigned, true);
    case '+': return a + b;
    case '-': return a - b;
    case PTX_PUNCT_SHL: return shift(a, b, true, is_unsigned);
    case PTX_PUNCT_SHR: return shift(a, b, false, is_unsigned);
    case '<': return is_unsigned ? a < b : x < y;
    case '>': return is_unsigned ? a > b : x > y;
    case PTX_PUNCT_LE: return is_unsigned ? a <= b : x <= y;
    case PTX_PUNCT_GE: return is_unsigned ? a >= b : x >= y;
    case PTX_PUNCT_EQ: return a == b;
    case PTX_PUNCT_NE: return a != b;
    case '&': return a & b;
    case '^': return a ^ b;
    case '|': return a | b;
    case PTX_PUNCT_AND: return a && b;
    default: return a || b;
    }
}

static int apply_float(struct ptx_parser *p, const struct ptx_token *op, struct ptx_constant *a,
                       const struct ptx_constant *b)
{
    if (!a->is_float || !b->is_float)
        return ptx_error(p, op, NULL, "one side is an integer, the other a floating-point number");
    a->image = 0;
    switch (op->punct) {
    case '+': a->real += b->real; return 0;
    case '-': a->real -= b->real; return 0;
    case '*': a->real *= b->real; return 0;
    case '/': a->real = b->real == 0 ? a->real * (double)__builtin_inf() : a->real / b->real; return 0;
    default: return ptx_error(p, op, NULL, "this operator needs integers");
    }
}

static int apply(struct ptx_parser *p, const struct ptx_token *op, struct ptx_constant *a, const struct ptx_constant *b)
{
    if (a->is_float || b->is_float)
        return apply_float(p, op, a, b);
    if ((op->punct == '/' || op->punct == '%') && !b->integer)
        return ptx_error(p, op, NULL, "division by zero");
    bool is_shift = op->punct == PTX_PUNCT_SHL || op->punct == PTX_PUNCT_SHR;
    bool is_unsigned = a->is_unsigned || (b->is_unsigned && !is_shift);
    a->integer = apply_integer(op->punct, a->integer, b->integer, is_unsigned);
    bool is_truth = precedence(op) == 7 || precedence(op) == 6 || precedence(op) <= 2;
    a->is_unsigned = is_unsigned && !is_truth;
    return 0;
}

static int parse_binary(struct ptx_parser *p, struct ptx_constant *value, unsigned least, unsigned depth)
{
    if (parse_unary(p, value, depth) < 0)
        return -1;
    for (unsigned level; (level = precedence(&p->token)) >= least && level;) {
        struct ptx_token op = p->token;
        ptx_advance(p);
        struct ptx_constant right;
        if (parse_binary(p, &right, level + 1, depth + 1) < 0 || apply(p, &op, value, &right) < 0)
            return -1;
    }
    return 0;
}

static int parse_ternary(struct ptx_parser *p, struct ptx_constant *value, unsigned depth)
{
    if (parse_binary(p, value, 1, depth) < 0)
        return -1;
    if (!PTX_IS_PUNCT(&p->token, '?'))
        return 0;
    struct ptx_token at = p->token;
    ptx_advance(p);
    struct ptx_constant yes, no;
    if (depth > PTX_MAX_DEPTH || parse_ternary(p, &yes, depth + 1) < 0 || ptx_expect(p, ':', "in `a ? b : c`") < 0 ||
        parse_ternary(p, &no, depth + 1) < 0)
        return -1;
    if (value->is_float)
        return ptx_error(p, &at, NULL, "the condition must be an integer");
    *value = value->integer ? yes : no;
    return 0;
}

int ptx_parse_constant(struct ptx_parser *p, struct ptx_constant *value)
{
    return parse_ternary(p, value, 0);
}

int ptx_parse_integer(struct ptx_parser *p, int64_t low, int64_t high, int64_t *value)
{
    struct ptx_token at = p->token;
    struct ptx_constant constant;
    if (ptx_parse_constant(p, &constant) < 0)
        return -1;
    if (constant.is_float)
        return ptx_error(p, &at, NULL, "expected an integer");
    *value = (int64_t)constant.integer;
    if (*value < low || *value > high || (constant.is_unsigned && *value < 0))
        return ptx_error(p, &at, NULL, "expected a number from %lld to %lld", (long long)low, (long long)high);
    return 0;
}

/* Rounds a double to a narrower binary format with `fraction` bits of fraction and `exponent` bits of exponent, to
 * nearest even. */
static uint64_t narrow(double value, unsigned fraction, unsigned exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 63 << (fraction + exponent);
    int32_t e = (int32_t)(bits >> 52 & 0x7FF), bias = (1 << (exponent - 1)) - 1;
    uint64_t m = bits & mask_low(52), inf = mask_low(exponent) << fraction;
    if (e == 0x7FF)
        return sign | inf | (m ? BIT64(fraction - 1) | m >> (52 - fraction) : 0);
    e = e - 1023 + bias;
    m |= BIT64(52);
    unsigned drop = 52 - fraction;
    if (e < 1) { /* subnormal in the narrow format */
        drop += (unsigned)(1 - e < 60 ? 1 - e : 60);
        e = 0;
    }
    if (drop > 54)
        return sign;
    uint64_t kept = m >> drop, rest = m & mask_low(drop), half = BIT64(drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    uint64_t result = e > 0 ? ((uint64_t)(e - 1) << fraction) + kept : kept;
    return sign | (result < inf ? result : inf);
}

static uint64_t float_bits(const struct ptx_constant *value, enum isa_type type)
{
    uint64_t bits;
    memcpy(&bits, &value->real, sizeof bits);
    unsigned width = isa_type_bits(type);
    if (value->image == width)
        return value->integer;
    switch (type) {
    case ISA_F16: return narrow(value->real, 10, 5);
    case ISA_BF16: return narrow(value->real, 7, 8);
    default: return width == 64 ? bits : narrow(value->real, 23, 8);
    }
}

int ptx_constant_bits(const struct ptx_constant *value, enum isa_type type, uint64_t *bits)
{
    const struct isa_type_info *info = isa_type_info(type);
    if (value->is_float) {
        bool fits = info->family == ISA_CLASS_FLOAT || type == ISA_B32 || type == ISA_B64;
        *bits = fits ? float_bits(value, type) : 0;
        return fits ? 0 : -1;
    }
    *bits = value->integer & mask_low(info->bits);
    return info->family == ISA_CLASS_FLOAT ? -1 : 0;
}
