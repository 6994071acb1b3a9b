/* The top level of a module: header, linkage, variables, functions, debug sections. PTX ISA, "Directives". */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* `9.0`: one numeric token. */
static int parse_version(struct ptx_parser *p)
{
    unsigned major = 0, minor = 0;
    const char *c = p->token.text, *end = c + p->token.length;
    if (p->token.kind != PTX_TOKEN_NUMBER)
        return ptx_expected(p, "a PTX version such as 7.0");
    for (; c < end && *c >= '0' && *c <= '9' && major < 1000; c++)
        major = 10 * major + (unsigned)(*c - '0');
    for (c += c < end && *c == '.'; c < end && *c >= '0' && *c <= '9' && minor < 1000; c++)
        minor = 10 * minor + (unsigned)(*c - '0');
    if (major < 1 || major > 20)
        return ptx_error(p, &p->token, NULL, "PTX versions 1.0 to 9.x are known");
    p->module->version_major = major;
    p->module->version_minor = minor;
    ptx_advance(p);
    return 0;
}

static int parse_target(struct ptx_parser *p)
{
    do {
        const struct ptx_token *t = &p->token;
        if (t->kind != PTX_TOKEN_WORD)
            return ptx_expected(p, "a target such as sm_70");
        uint32_t sm = 0;
        if (t->length > 3 && !memcmp(t->text, "sm_", 3)) {
            for (uint32_t i = 3; i < t->length && t->text[i] >= '0' && t->text[i] <= '9' && sm < 10000; i++)
                sm = 10 * sm + (uint32_t)(t->text[i] - '0');
            p->module->target_sm = sm;
        }
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    return 0;
}

static int parse_address_size(struct ptx_parser *p)
{
    struct ptx_token at = p->token;
    int64_t bits;
    if (ptx_parse_integer(p, 0, 1024, &bits) < 0)
        return -1;
    return bits == 64 ? 0 : ptx_error(p, &at, "compile for 64 bits (-m64)", "only .address_size 64 is supported");
}

/* `.file 1 "name"`, perhaps with a time stamp and a size. */
static int parse_file(struct ptx_parser *p)
{
    int64_t number, ignored;
    if (ptx_parse_integer(p, 0, PTX_MAX_FILE, &number) < 0)
        return -1;
    if (p->token.kind != PTX_TOKEN_STRING)
        return ptx_expected(p, "a file name in quotes");
    while (p->files.count <= (size_t)number)
        vec_push(&p->files, NULL);
    p->files.items[number] = number ? ptx_copy(p, &p->token) : NULL;
    ptx_advance(p);
    while (ptx_accept(p, ','))
        if (ptx_parse_integer(p, INT64_MIN, INT64_MAX, &ignored) < 0)
            return -1;
    ptx_accept(p, ';');
    return 0;
}

/* `.section .debug_info { ... }`: debugging information. The strings are read, for the names of inlined functions. */
static int parse_section(struct ptx_parser *p)
{
    bool strings = PTX_IS_DOT(&p->token, "debug_str");
    while (!PTX_IS_PUNCT(&p->token, '{')) {
        if (p->token.kind != PTX_TOKEN_DOT && p->token.kind != PTX_TOKEN_WORD && p->token.kind != PTX_TOKEN_STRING &&
            !PTX_IS_PUNCT(&p->token, ','))
            return ptx_expected(p, "`{` and the contents of the section");
        ptx_advance(p);
    }
    struct ptx_lexer inside = p->lexer;
    if (strings) {
        struct ptx_token open = p->token;
        ptx_advance(p);
        ptx_parse_debug_strings(p);
        p->lexer = inside; /* what is no string in it is passed over with the rest */
        p->token = open;
    }
    ptx_skip_braces(p);
    return 0;
}

/* `lockstep.at N`: how disassembly says where in the frame the next variable lies. `lockstep.spin`: threads wait in the
 * innermost loop around this place. Other pragmas are for other compilers. */
static int obey_pragma(struct ptx_parser *p, const struct ptx_token *text)
{
    char copy[64];
    size_t n = text->length < sizeof copy - 1 ? text->length : sizeof copy - 1;
    memcpy(copy, text->text, n);
    copy[n] = 0;
    if (!p->body.depth)
        return 0;
    if (!strcmp(copy, "lockstep.spin"))
        p->body.marks_spin = true;
    if (strncmp(copy, "lockstep.at ", 12))
        return 0;
    unsigned long long value = strtoull(copy + 12, NULL, 10);
    if (value > PTX_MAX_FRAME)
        return ptx_error(p, text, NULL, "local memory of a function is limited to %d bytes", PTX_MAX_FRAME);
    p->body.frame_at = (uint32_t)value;
    return 0;
}

static int parse_pragma(struct ptx_parser *p)
{
    do {
        if (p->token.kind != PTX_TOKEN_STRING)
            return ptx_expected(p, "a string");
        struct ptx_token text = p->token;
        ptx_advance(p);
        if (obey_pragma(p, &text) < 0)
            return -1;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after .pragma");
}

int ptx_parse_common_directive(struct ptx_parser *p)
{
    int rc;
    if (ptx_accept_dot(p, "file"))
        rc = parse_file(p);
    else if (ptx_accept_dot(p, "section"))
        rc = parse_section(p);
    else if (ptx_accept_dot(p, "pragma"))
        rc = parse_pragma(p);
    else
        return 0;
    if (rc < 0)
        ptx_recover(p);
    return 1;
}

/* `.alias name, target;` */
static int parse_alias(struct ptx_parser *p)
{
    struct ptx_token name = p->token;
    const struct ptx_symbol *symbol = name.kind == PTX_TOKEN_WORD ? ptx_lookup(p, name.text, name.length) : NULL;
    if (!symbol || symbol->kind != PTX_SYMBOL_FUNCTION)
        return ptx_expected(p, "the name of a declared function");
    ptx_advance(p);
    if (ptx_expect(p, ',', "after the alias") < 0)
        return -1;
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a function");
    struct ptx_alias alias = {symbol->index, p->token};
    vec_push(&p->aliases, alias);
    ptx_advance(p);
    return ptx_expect(p, ';', "after .alias");
}

static bool accept_linkage(struct ptx_parser *p, bool *is_extern)
{
    if (ptx_accept_dot(p, "extern")) {
        *is_extern = true;
        return true;
    }
    return ptx_accept_dot(p, "visible") || ptx_accept_dot(p, "weak") || ptx_accept_dot(p, "common");
}

static int parse_item(struct ptx_parser *p)
{
    if (ptx_parse_common_directive(p))
        return 0;
    if (ptx_accept(p, ';'))
        return 0;
    if (ptx_accept_dot(p, "version"))
        return parse_version(p);
    if (ptx_accept_dot(p, "target"))
        return parse_target(p);
    if (ptx_accept_dot(p, "address_size"))
        return parse_address_size(p);
    if (ptx_accept_dot(p, "alias"))
        return parse_alias(p);
    bool is_extern = false;
    while (accept_linkage(p, &is_extern))
        continue;
    if (PTX_IS_DOT(&p->token, "entry") || PTX_IS_DOT(&p->token, "func"))
        return ptx_parse_function(p, is_extern);
    if (ptx_at_declaration(p)) {
        ptx_parse_declaration(p, is_extern); /* recovers by itself */
        return 0;
    }
    return ptx_expected(p, "a directive such as .entry, .func or .global");
}

static void recover_at_top(struct ptx_parser *p)
{
    ptx_recover(p);
    if (PTX_IS_PUNCT(&p->token, '}'))
        ptx_advance(p);
}

int ptx_parse_module(struct ptx_parser *p)
{
    if (p->token.kind == PTX_TOKEN_END)
        return ptx_error(p, &p->token, NULL, "the file holds no PTX");
    if (!PTX_IS_DOT(&p->token, "version") && !PTX_IS_DOT(&p->token, "file") && !PTX_IS_DOT(&p->token, "pragma"))
        ptx_expected(p, "`.version` at the start of a PTX module");
    while (p->token.kind != PTX_TOKEN_END)
        if (parse_item(p) < 0)
            recover_at_top(p);
    return p->errors ? -1 : 0;
}
