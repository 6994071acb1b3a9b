/* Operands as they are written, before the opcode says what they ought to be: names are resolved, literals kept as
 * constants. */
#include "ptx/parse.h"

#include <string.h>

/* `.x` or `.r` right behind a name. */
static int element_of(const struct ptx_token *t)
{
    static const char names[] = "xyzwrgba";
    const char *found = t->kind == PTX_TOKEN_DOT && t->length == 1 && !t->spaced ? strchr(names, t->text[0]) : NULL;
    return found && *found ? (int)(found - names) % 4 : -1;
}

static int parse_register(struct ptx_parser *p, struct ptx_value *value, const struct ptx_symbol *symbol,
                          uint32_t number)
{
    int element = element_of(&p->token);
    if (symbol->is_wide)
        return ptx_error(p, &value->token, "mov.b128 moves its halves to registers of 64 bits",
                         "a register of 128 bits is an operand of mov.b128, ld.b128, st.b128 and atom.b128 alone");
    if (symbol->elements > 1) {
        if (element < 0 || element >= symbol->elements)
            return ptx_error(p, &value->token, NULL, "a vector register is named with its element here, such as %.*s.x",
                             (int)value->token.length, value->token.text);
        ptx_advance(p);
        number += (uint32_t)element;
    }
    value->type = symbol->type;
    value->kind = symbol->type == ISA_PRED ? PTX_VALUE_PRED : PTX_VALUE_REG;
    value->index = ptx_use_reg(p, &value->token, symbol, number);
    return 0;
}

/* `%tid.x` and the like; 0 when the word is no special register. */
static bool parse_sreg(struct ptx_parser *p, struct ptx_value *value)
{
    struct ptx_token whole = value->token;
    if (element_of(&p->token) >= 0)
        whole.length += 1 + p->token.length;
    uint32_t sreg = strmap_get(&p->words.sregs, whole.text, whole.length);
    bool is_outside = sreg == STRMAP_NONE && ptx_sreg_is_outside(whole.text, whole.length);
    if (sreg == STRMAP_NONE && !is_outside)
        return false;
    if (whole.length > value->token.length)
        ptx_advance(p);
    value->kind = is_outside ? PTX_VALUE_OUTSIDE : PTX_VALUE_SREG;
    value->index = sreg;
    return true;
}

static int unknown_name(struct ptx_parser *p, const struct ptx_token *name)
{
    const char *hint = name->text[0] == '%' ? "registers are declared with .reg before they are used" : NULL;
    return ptx_error(p, name, hint, "`%.*s` is not declared", (int)(name->length < 200 ? name->length : 200),
                     name->text);
}

static int parse_name(struct ptx_parser *p, struct ptx_value *value)
{
    value->token = p->token;
    ptx_advance(p);
    if (PTX_IS_WORD(&value->token, "_")) {
        value->kind = PTX_VALUE_SINK;
        return 0;
    }
    uint32_t number;
    const struct ptx_symbol *reg = ptx_lookup_reg(p, &value->token, &number);
    if (reg)
        return parse_register(p, value, reg, number);
    const struct ptx_symbol *symbol = ptx_lookup(p, value->token.text, value->token.length);
    if (!symbol)
        return parse_sreg(p, value) ? 0 : unknown_name(p, &value->token);
    value->index = symbol->index;
    value->offset = symbol->offset;
    value->role = symbol->role;
    switch (symbol->kind) {
    case PTX_SYMBOL_VARIABLE: value->kind = PTX_VALUE_VARIABLE; return 0;
    case PTX_SYMBOL_PARAM: value->kind = PTX_VALUE_PARAM; return 0;
    case PTX_SYMBOL_FRAME: value->kind = PTX_VALUE_FRAME; return 0;
    case PTX_SYMBOL_FUNCTION: value->kind = PTX_VALUE_FUNCTION; return 0;
    default:
        return ptx_error(p, &value->token, NULL, "`%.*s` cannot be an operand", (int)value->token.length,
                         value->token.text);
    }
}

static bool has_address(const struct ptx_value *value)
{
    return value->kind == PTX_VALUE_VARIABLE || value->kind == PTX_VALUE_PARAM || value->kind == PTX_VALUE_FRAME;
}

/* `+4`, `+-8`, `-4` behind a base. */
static int parse_offset(struct ptx_parser *p, struct ptx_value *value)
{
    if (!PTX_IS_PUNCT(&p->token, '+') && !PTX_IS_PUNCT(&p->token, '-'))
        return 0;
    int64_t offset;
    struct ptx_constant constant;
    struct ptx_token at = p->token;
    if (ptx_parse_constant(p, &constant) < 0)
        return -1;
    if (constant.is_float)
        return ptx_error(p, &at, NULL, "an offset is an integer");
    offset = (int64_t)constant.integer;
    value->offset = (int64_t)((uint64_t)value->offset + (uint64_t)offset);
    return 0;
}

int ptx_parse_value(struct ptx_parser *p, struct ptx_value *value)
{
    *value = (struct ptx_value){.token = p->token};
    if (p->token.kind == PTX_TOKEN_WORD && !PTX_IS_WORD(&p->token, "WARP_SZ"))
        return parse_name(p, value) < 0 ? -1 : has_address(value) ? parse_offset(p, value) : 0;
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next = ptx_lex_next(&ahead);
    if (PTX_IS_PUNCT(&p->token, '!') && next.kind == PTX_TOKEN_WORD) {
        struct ptx_token at = p->token;
        ptx_advance(p);
        if (parse_name(p, value) < 0)
            return -1;
        if (value->kind != PTX_VALUE_PRED)
            return ptx_error(p, &at, NULL, "only a predicate can be negated");
        value->negate = true;
        return 0;
    }
    value->kind = PTX_VALUE_CONSTANT;
    return ptx_parse_constant(p, &value->constant);
}

/* The coordinates of `[handle, {x, y}]`, into values behind the handle. A sampler between the two, or what stands
 * behind the coordinates, is outside the model. */
static int parse_place(struct ptx_parser *p, struct ptx_raw_operand *raw)
{
    raw->shape = PTX_IMAGE;
    bool vector = ptx_accept(p, '{');
    do {
        if (raw->count == PTX_MAX_ELEMENTS)
            return ptx_error(p, &p->token, NULL, "a place has %d coordinates at most", PTX_MAX_ELEMENTS - 1);
        if (ptx_parse_value(p, &raw->values[raw->count++]) < 0)
            return -1;
    } while (vector && ptx_accept(p, ','));
    if (vector && ptx_expect(p, '}', "after the coordinates") < 0)
        return -1;
    while (ptx_accept(p, ',')) {
        raw->values[0].kind = PTX_VALUE_OUTSIDE;
        struct ptx_raw_operand rest;
        if (ptx_parse_operand(p, &rest) < 0)
            return -1;
    }
    return ptx_expect(p, ']', "after the coordinates");
}

static int parse_address(struct ptx_parser *p, struct ptx_raw_operand *raw)
{
    raw->shape = PTX_ADDRESS;
    raw->count = 1;
    struct ptx_value *base = &raw->values[0];
    if (ptx_parse_value(p, base) < 0)
        return -1;
    if (base->kind == PTX_VALUE_REG && parse_offset(p, base) < 0)
        return -1;
    bool is_integer = base->kind == PTX_VALUE_CONSTANT && !base->constant.is_float;
    if (ptx_accept(p, ','))
        return parse_place(p, raw);
    if (base->kind == PTX_VALUE_OUTSIDE)
        return ptx_expect(p, ']', "after the address");
    if (base->kind != PTX_VALUE_REG && !has_address(base) && !is_integer)
        return ptx_error(p, &base->token, NULL, "an address is a register, a variable or a number, with an offset");
    return ptx_expect(p, ']', "after the address");
}

/* A whole vector register stands for its elements. */
static bool parse_whole_vector(struct ptx_parser *p, struct ptx_raw_operand *raw)
{
    uint32_t number;
    const struct ptx_symbol *reg = p->token.kind == PTX_TOKEN_WORD ? ptx_lookup_reg(p, &p->token, &number) : NULL;
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next = ptx_lex_next(&ahead);
    if (!reg || reg->elements == 1 || (element_of(&next) >= 0 && !reg->is_wide))
        return false;
    raw->shape = PTX_VECTOR;
    raw->is_wide = reg->is_wide;
    raw->count = reg->elements;
    struct ptx_symbol symbol = *reg;
    for (uint32_t i = 0; i < raw->count; i++)
        raw->values[i] = (struct ptx_value){.kind = PTX_VALUE_REG,
                                            .type = symbol.type,
                                            .token = p->token,
                                            .index = ptx_use_reg(p, &p->token, &symbol, number + i)};
    ptx_advance(p);
    return true;
}

static int parse_vector(struct ptx_parser *p, struct ptx_raw_operand *raw)
{
    raw->shape = PTX_VECTOR;
    do {
        if (raw->count == PTX_MAX_ELEMENTS)
            return ptx_error(p, &p->token, NULL, "a vector has %d elements at most", PTX_MAX_ELEMENTS);
        if (ptx_parse_value(p, &raw->values[raw->count++]) < 0)
            return -1;
    } while (ptx_accept(p, ','));
    if (ptx_expect(p, '}', "after the elements") < 0)
        return -1;
    if (!ptx_accept(p, '|'))
        return 0;
    struct ptx_value resident; /* of a texture: outside the model */
    raw->values[0].kind = PTX_VALUE_OUTSIDE;
    return ptx_parse_value(p, &resident);
}

int ptx_parse_operand(struct ptx_parser *p, struct ptx_raw_operand *raw)
{
    raw->token = p->token;
    raw->shape = PTX_PLAIN;
    raw->count = 0;
    raw->is_wide = false;
    if (ptx_accept(p, '['))
        return parse_address(p, raw);
    if (ptx_accept(p, '{'))
        return parse_vector(p, raw);
    if (parse_whole_vector(p, raw))
        return 0;
    raw->count = 1;
    if (ptx_parse_value(p, &raw->values[0]) < 0)
        return -1;
    if (!ptx_accept(p, '|'))
        return 0;
    raw->shape = PTX_PAIR;
    raw->count = 2;
    return ptx_parse_value(p, &raw->values[1]);
}
