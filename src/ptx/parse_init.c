/* Initialisers: numbers, nested braces, strings, and addresses (`var`, `var+4`, `generic(var)`, `0xFF00(var)`, function
 * names). PTX ISA, "Initializers". Braces only group: values fill the variable in order, and what is not given is zero.
 */
#include "ptx/parse.h"

#include <string.h>

struct init {
    struct ptx_declarator *d;
    uint32_t variable;
    uint64_t at; /* offset of the next element */
    VEC(uint8_t) bytes;
};

static unsigned element_bytes(const struct init *init)
{
    return (isa_type_bits(init->d->type) + 7) / 8;
}

static int append(struct ptx_parser *p, struct init *init, uint64_t bits)
{
    unsigned size = element_bytes(init);
    if (!init->d->is_unsized && init->at + size > init->d->bytes)
        return ptx_error(p, &p->last, NULL, "more values than the variable holds");
    for (unsigned i = 0; i < size; i++)
        vec_push(&init->bytes, (uint8_t)(i < 8 ? bits >> (8 * i) : 0));
    init->at += size;
    return 0;
}

/* `name`, `name+4` or, with wrapped, the same inside generic( ). */
static int parse_address(struct ptx_parser *p, struct init *init, unsigned shift, unsigned bytes, bool wrapped)
{
    struct ptx_pending_reloc pending = {.token = p->token, .variable = init->variable};
    bool generic = wrapped;
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a variable or function");
    if (!wrapped && PTX_IS_WORD(&p->token, "generic")) {
        ptx_advance(p);
        if (ptx_expect(p, '(', "after generic") < 0)
            return -1;
        generic = true;
        pending.token = p->token;
    }
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a variable or function");
    ptx_advance(p);
    if (generic && !wrapped && ptx_expect(p, ')', "after the name") < 0)
        return -1;
    int64_t addend = 0;
    if ((PTX_IS_PUNCT(&p->token, '+') || PTX_IS_PUNCT(&p->token, '-')) &&
        ptx_parse_integer(p, INT64_MIN, INT64_MAX, &addend) < 0)
        return -1;
    pending.reloc = (struct isa_reloc){
        .offset = (uint32_t)init->at, .bytes = bytes, .shift = (uint8_t)shift, .addend = addend, .generic = generic};
    if (init->at > UINT32_MAX)
        return ptx_error(p, &pending.token, NULL, "an address this far into a variable is not supported");
    if (append(p, init, 0) < 0)
        return -1;
    vec_push(&p->relocs, pending);
    return 0;
}

/* `0xFF00(address)`: one byte, or more, of an address. */
static int parse_masked(struct ptx_parser *p, struct init *init, const struct ptx_constant *mask)
{
    uint64_t m = mask->integer;
    unsigned shift = m ? (unsigned)__builtin_ctzll(m) : 64;
    unsigned ones = m ? mask_count(m) : 0;
    if (mask->is_float || !m || shift % 8 || ones % 8 || m >> shift != mask_low(ones) || ones / 8 > element_bytes(init))
        return ptx_error(p, &p->last, NULL, "the mask of an address selects whole neighbouring bytes, such as 0xFF00");
    ptx_advance(p);
    if (parse_address(p, init, shift, ones / 8, false) < 0)
        return -1;
    return ptx_expect(p, ')', "after the address");
}

static int parse_number(struct ptx_parser *p, struct init *init)
{
    struct ptx_token at = p->token;
    struct ptx_number literal;
    struct ptx_constant value;
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next = ptx_lex_next(&ahead);
    if (at.kind == PTX_TOKEN_NUMBER && PTX_IS_PUNCT(&next, '(') && ptx_read_number(&at, &literal) == 0) {
        value = (struct ptx_constant){.is_float = literal.is_float, .integer = literal.integer};
        ptx_advance(p);
        return parse_masked(p, init, &value);
    }
    uint64_t bits;
    if (ptx_parse_constant(p, &value) < 0)
        return -1;
    if (ptx_constant_bits(&value, init->d->type, &bits) < 0 && !(!value.is_float && value.integer == 0))
        return ptx_error(p, &at, NULL, "expected %s for a variable of type .%s",
                         value.is_float ? "an integer" : "a float such as 0f3F800000",
                         isa_type_info(init->d->type)->text);
    return append(p, init, bits);
}

static int parse_string(struct ptx_parser *p, struct init *init)
{
    struct ptx_token string = p->token;
    ptx_advance(p);
    if (element_bytes(init) != 1)
        return ptx_error(p, &string, NULL, "a string initialises an array of bytes");
    for (uint32_t i = 0; i < string.length; i++)
        if (append(p, init, (uint8_t)string.text[i]) < 0)
            return -1;
    return 0;
}

static int parse_value(struct ptx_parser *p, struct init *init, unsigned depth)
{
    if (depth > PTX_MAX_DEPTH)
        return ptx_error(p, &p->token, NULL, "the initialiser is nested too deeply");
    if (ptx_accept(p, '{')) {
        while (!PTX_IS_PUNCT(&p->token, '}')) {
            if (parse_value(p, init, depth + 1) < 0)
                return -1;
            if (!ptx_accept(p, ','))
                break;
        }
        return ptx_expect(p, '}', "after the values");
    }
    if (p->token.kind == PTX_TOKEN_STRING)
        return parse_string(p, init);
    if (p->token.kind == PTX_TOKEN_WORD && !PTX_IS_WORD(&p->token, "WARP_SZ"))
        return parse_address(p, init, 0, element_bytes(init) < 8 ? element_bytes(init) : 8, false);
    return parse_number(p, init);
}

int ptx_parse_initialiser(struct ptx_parser *p, struct ptx_declarator *d, uint32_t variable)
{
    struct init init = {.d = d, .variable = variable};
    int rc = parse_value(p, &init, 0);
    if (rc == 0 && d->is_unsized) {
        d->bytes = init.at;
        d->is_unsized = false;
    }
    if (rc == 0 && init.bytes.count) {
        uint8_t *copy = ARENA_NEW(p->arena, uint8_t, init.bytes.count);
        memcpy(copy, init.bytes.items, init.bytes.count);
        p->variables.items[variable].init = copy;
        p->variables.items[variable].init_bytes = init.bytes.count;
    }
    vec_free(&init.bytes);
    return rc;
}
