/* Declarations of registers and variables. PTX ISA, "State Spaces", "Variables".
 *
 * Module variables and .shared ones keep an entry in the module wherever they are declared; .local and .param variables
 * of a function become places in its local-memory frame. A texture is a variable that has room for its description; as a
 * parameter it is 8 opaque bytes. Left out: module-level .local and .reg. */
#include "ptx/parse.h"

#include <string.h>

static int parse_align(struct ptx_parser *p, uint32_t *align)
{
    struct ptx_token at = p->token;
    int64_t value;
    if (ptx_parse_integer(p, 1, 1 << 20, &value) < 0)
        return -1;
    if (value & (value - 1))
        return ptx_error(p, &at, NULL, "an alignment is a power of two");
    *align = (uint32_t)value;
    return 0;
}

static int skip_attribute(struct ptx_parser *p)
{
    if (ptx_expect(p, '(', "after .attribute") < 0)
        return -1;
    for (unsigned depth = 1; depth; ptx_advance(p)) {
        if (p->token.kind == PTX_TOKEN_END || PTX_IS_PUNCT(&p->token, ';'))
            return ptx_expected(p, "`)`");
        depth += PTX_IS_PUNCT(&p->token, '(');
        depth -= PTX_IS_PUNCT(&p->token, ')');
    }
    return 0;
}

/* One qualifier between the state space and the name; 1 when there was one, 0 when the name is next. */
static int parse_qualifier(struct ptx_parser *p, struct ptx_declarator *d)
{
    if (p->token.kind != PTX_TOKEN_DOT)
        return 0;
    struct ptx_token word = p->token;
    uint32_t type = strmap_get(&p->words.types, word.text, word.length);
    ptx_advance(p);
    if (type != STRMAP_NONE)
        d->type = (uint8_t)type;
    else if (PTX_IS_DOT(&word, "align"))
        return parse_align(p, &d->align) < 0 ? -1 : 1;
    else if (PTX_IS_DOT(&word, "v2") || PTX_IS_DOT(&word, "v4") || PTX_IS_DOT(&word, "v8"))
        d->elements = (uint8_t)(word.text[1] - '0');
    else if (PTX_IS_DOT(&word, "attribute"))
        return skip_attribute(p) < 0 ? -1 : 1;
    else if (PTX_IS_DOT(&word, "ptr"))
        d->is_ptr = true;
    else if (PTX_IS_DOT(&word, "texref") || PTX_IS_DOT(&word, "samplerref") || PTX_IS_DOT(&word, "surfref"))
        d->type = ISA_B64, d->is_opaque = true;
    else if (!(d->is_ptr && (PTX_IS_DOT(&word, "global") || PTX_IS_DOT(&word, "shared") || PTX_IS_DOT(&word, "const") ||
                             PTX_IS_DOT(&word, "local") || PTX_IS_DOT(&word, "generic"))) &&
             !PTX_IS_DOT(&word, "managed"))
        return ptx_error(p, &word, NULL, "`.%.*s` is no type or attribute of a variable", (int)word.length, word.text);
    return 1;
}

static int parse_dimensions(struct ptx_parser *p, struct ptx_declarator *d)
{
    d->count = 1;
    d->is_unsized = false;
    while (ptx_accept(p, '[')) {
        int64_t size = 0;
        if (PTX_IS_PUNCT(&p->token, ']'))
            d->is_unsized = true;
        else if (ptx_parse_integer(p, 0, (int64_t)PTX_MAX_VARIABLE, &size) < 0)
            return -1;
        else if (__builtin_mul_overflow(d->count, (uint64_t)size, &d->count) || d->count > PTX_MAX_VARIABLE)
            return ptx_error(p, &p->last, NULL, "the array is too large");
        if (ptx_expect(p, ']', "after the size of the array") < 0)
            return -1;
    }
    uint64_t element = (uint64_t)(isa_type_bits(d->type) + 7) / 8 * d->elements;
    d->bytes = d->is_unsized ? 0 : d->count * element;
    return d->bytes > PTX_MAX_VARIABLE ? ptx_error(p, &d->name, NULL, "the variable is too large") : 0;
}

/* Reads only name and dimensions, for the second and later names of a list. */
static int parse_name(struct ptx_parser *p, struct ptx_declarator *d)
{
    d->name = (struct ptx_token){
        .kind = PTX_TOKEN_END, .text = p->token.text, .line = p->token.line, .column = p->token.column};
    if (p->token.kind == PTX_TOKEN_WORD) {
        d->name = p->token;
        ptx_advance(p);
    }
    return parse_dimensions(p, d);
}

int ptx_parse_declarator(struct ptx_parser *p, struct ptx_declarator *d)
{
    *d = (struct ptx_declarator){.elements = 1};
    bool is_ptr_align = false;
    for (int more = 1; more;) {
        uint32_t align = d->align;
        more = parse_qualifier(p, d);
        if (more < 0)
            return -1;
        /* `.ptr .align N` describes what is pointed to, not the parameter. */
        is_ptr_align |= d->is_ptr && d->align != align;
        if (is_ptr_align)
            d->align = align;
    }
    if (d->type == ISA_NONE)
        return ptx_expected(p, "a type such as .u32");
    uint32_t natural = (isa_type_bits(d->type) + 7) / 8 * d->elements;
    if (!d->align)
        d->align = natural;
    return parse_name(p, d);
}

bool ptx_at_declaration(const struct ptx_parser *p)
{
    static const char *const spaces[] = {"reg", "local", "shared", "global", "const", "param", "tex"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (p->token.kind == PTX_TOKEN_DOT && ptx_token_is(&p->token, spaces[i], strlen(spaces[i])))
            return true;
    return false;
}

/* `%name` or `%name<count>` after .reg and its type. */
static int declare_reg(struct ptx_parser *p, const struct ptx_declarator *d)
{
    struct ptx_token name = p->token;
    if (name.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a register");
    ptx_advance(p);
    struct ptx_symbol symbol = {.kind = PTX_SYMBOL_REG, .type = d->type, .elements = d->elements, .count = 1};
    if (d->type == ISA_B128) {
        symbol.type = ISA_B64;
        symbol.elements = 2;
        symbol.is_wide = true;
    }
    if (ptx_accept(p, '<')) {
        int64_t count;
        /* `>` is an operator of expressions, so the count is a plain number. */
        struct ptx_number number;
        if (p->token.kind != PTX_TOKEN_NUMBER || ptx_read_number(&p->token, &number) < 0 || number.is_float)
            return ptx_expected(p, "the number of registers");
        count = number.overflow || number.integer > INT64_MAX ? INT64_MAX : (int64_t)number.integer;
        ptx_advance(p);
        if (ptx_expect(p, '>', "after the number of registers") < 0)
            return -1;
        symbol.is_range = true;
        symbol.count = (uint32_t)(count < PTX_MAX_DECLARED ? count : PTX_MAX_DECLARED + 1);
    }
    uint64_t total = (uint64_t)p->body.declared + (uint64_t)symbol.count * symbol.elements;
    if (total > PTX_MAX_DECLARED)
        return ptx_error(p, &name, NULL, "a function can declare %d registers at most", PTX_MAX_DECLARED);
    symbol.index = p->body.declared;
    p->body.declared = (uint32_t)total;
    return ptx_declare(p, &name, symbol) == PTX_NONE ? -1 : 0;
}

static int parse_reg(struct ptx_parser *p)
{
    if (!p->body.depth)
        return ptx_error(p, &p->last, NULL, "registers are declared inside functions");
    struct ptx_declarator d = {.elements = 1};
    for (int more = 1; more;)
        if ((more = parse_qualifier(p, &d)) < 0)
            return -1;
    if (d.type == ISA_NONE)
        return ptx_expected(p, "a type such as .b32");
    if (d.elements > 4 || (d.elements > 1 && d.type == ISA_B128))
        return d.type == ISA_B128
                   ? ptx_error(p, &p->last, NULL, "a vector register has no elements of 128 bits")
                   : ptx_error(p, &p->last, NULL, "a vector register has 2 or 4 elements");
    do
        if (declare_reg(p, &d) < 0)
            return -1;
    while (ptx_accept(p, ','));
    return 0;
}

uint32_t ptx_frame_alloc(struct ptx_parser *p, const struct ptx_token *at, uint64_t bytes, uint32_t align)
{
    struct ptx_body *body = &p->body;
    bool is_placed = body->frame_at != PTX_NONE;
    uint64_t offset = is_placed ? body->frame_at : round_up_u64(body->frame_top, align);
    if (bytes > PTX_MAX_FRAME || offset + bytes > PTX_MAX_FRAME) {
        ptx_error(p, at, NULL, "local memory of a function is limited to %d bytes", PTX_MAX_FRAME);
        return PTX_NONE;
    }
    if (!is_placed)
        body->frame_top = (uint32_t)(offset + bytes);
    if (body->frame_bytes < offset + bytes)
        body->frame_bytes = (uint32_t)(offset + bytes);
    body->frame_at = PTX_NONE;
    return (uint32_t)offset;
}

static int declare_frame(struct ptx_parser *p, const struct ptx_declarator *d, bool is_local)
{
    if (!p->body.depth)
        return ptx_error(p, &d->name, NULL, "module-level %s variables are not supported",
                         is_local ? ".local" : ".param");
    uint32_t offset = ptx_frame_alloc(p, &d->name, d->bytes, d->align);
    if (offset == PTX_NONE)
        return -1;
    p->body.scopes[p->body.depth].keeps_frame |= is_local;
    struct ptx_symbol symbol = {.kind = PTX_SYMBOL_FRAME,
                                .type = d->type,
                                .offset = offset,
                                .bytes = (uint32_t)d->bytes,
                                .role = is_local ? PTX_ROLE_LOCAL : PTX_ROLE_PASSED};
    return ptx_declare(p, &d->name, symbol) == PTX_NONE ? -1 : 0;
}

int ptx_check_name(struct ptx_parser *p, const struct ptx_token *name)
{
    if (name->text[0] == '%')
        return ptx_error(p, name, NULL, "only registers have names that begin with `%%`");
    if (name->length >= 2 && name->text[0] == '$' && name->text[1] == '$')
        return ptx_error(p, name, NULL, "names that begin with `$$` are kept for disassembly");
    return 0;
}

/* The variable of a module-level name that was declared before, PTX_NONE for a new one, or -1 through *error. */
static uint32_t earlier_variable(struct ptx_parser *p, const struct ptx_declarator *d, const struct isa_variable *v,
                                 int *error)
{
    const struct ptx_symbol *symbol = p->body.depth ? NULL : ptx_lookup(p, d->name.text, d->name.length);
    if (!symbol)
        return PTX_NONE;
    struct isa_variable *old = symbol->kind == PTX_SYMBOL_VARIABLE ? &p->variables.items[symbol->index] : NULL;
    if (!old || old->space != v->space || !(old->is_extern || v->is_extern))
        *error = ptx_error(p, &d->name, NULL, "`%.*s` is already declared as something else", (int)d->name.length,
                           d->name.text);
    return symbol->index;
}

static int declare_variable(struct ptx_parser *p, struct ptx_declarator *d, uint8_t space, bool is_extern)
{
    if (ptx_check_name(p, &d->name) < 0)
        return -1;
    bool is_dynamic = is_extern && space == ISA_SPACE_SHARED && d->is_unsized;
    struct isa_variable v = {.name = ptx_copy(p, &d->name),
                             .space = space,
                             .type = d->type,
                             .align = d->align,
                             .bytes = d->is_opaque ? PTX_OPAQUE_BYTES : d->bytes,
                             .is_extern = is_extern && !is_dynamic,
                             .is_extern_shared = is_dynamic};
    int error = 0;
    uint32_t index = earlier_variable(p, d, &v, &error);
    if (error)
        return error;
    if (index == PTX_NONE) {
        index = (uint32_t)p->variables.count;
        struct ptx_symbol symbol = {.kind = PTX_SYMBOL_VARIABLE, .type = d->type, .index = index};
        if (ptx_declare(p, &d->name, symbol) == PTX_NONE)
            return -1;
        vec_push(&p->variables, v);
        vec_push(&p->hoisted, p->body.depth > 0);
    } else if (!is_extern) {
        p->variables.items[index] = v;
    }
    struct ptx_token equals = p->token;
    if (ptx_accept(p, '=')) {
        if (space == ISA_SPACE_SHARED || is_extern)
            return ptx_error(p, &equals, NULL, "only defined .global and .const variables are initialised");
        if (ptx_parse_initialiser(p, d, index) < 0)
            return -1;
        p->variables.items[index].bytes = d->bytes;
    }
    if (d->is_unsized && !d->bytes && !is_extern)
        return ptx_error(p, &d->name, NULL, "the array has no size");
    return 0;
}

static int declare_one(struct ptx_parser *p, struct ptx_declarator *d, const struct ptx_token *space, bool is_extern)
{
    if (d->name.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a variable");
    if (PTX_IS_DOT(space, "local") || PTX_IS_DOT(space, "param"))
        return declare_frame(p, d, PTX_IS_DOT(space, "local"));
    if (PTX_IS_DOT(space, "shared"))
        return declare_variable(p, d, ISA_SPACE_SHARED, is_extern);
    return declare_variable(p, d, PTX_IS_DOT(space, "const") ? ISA_SPACE_CONST : ISA_SPACE_GLOBAL, is_extern);
}

static int parse_declaration(struct ptx_parser *p, bool is_extern)
{
    struct ptx_token space = p->token;
    ptx_advance(p);
    if (PTX_IS_DOT(&space, "reg"))
        return parse_reg(p);
    int64_t bank;
    if (PTX_IS_DOT(&space, "const") && ptx_accept(p, '[') && /* constant banks of PTX 1.x and 2.x */
        (ptx_parse_integer(p, 0, 10, &bank) < 0 || ptx_expect(p, ']', "after the constant bank") < 0))
        return -1;
    struct ptx_declarator d;
    if (ptx_parse_declarator(p, &d) < 0 || declare_one(p, &d, &space, is_extern) < 0)
        return -1;
    while (ptx_accept(p, ','))
        if (parse_name(p, &d) < 0 || declare_one(p, &d, &space, is_extern) < 0)
            return -1;
    return 0;
}

int ptx_parse_declaration(struct ptx_parser *p, bool is_extern)
{
    if (parse_declaration(p, is_extern) < 0 || ptx_expect(p, ';', "after the declaration") < 0) {
        ptx_recover(p);
        return -1;
    }
    return 0;
}
