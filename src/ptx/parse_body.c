/* Function bodies: statements, labels, scopes, and the labelled directives of indirect calls and
 * jumps. */
#include "ptx/parse.h"

#include <string.h>

static uint32_t scope_number(const struct ptx_parser *p)
{
    return p->body.scopes[p->body.depth].number;
}

static int parse_prototype(struct ptx_parser *p, const struct ptx_token *label)
{
    struct ptx_proto proto = {0};
    if (ptx_parse_signature(p, &proto.result_count) < 0)
        return -1;
    if (p->token.kind == PTX_TOKEN_WORD)
        ptx_advance(p);
    if (ptx_parse_signature(p, &proto.arg_count) < 0)
        return -1;
    while (p->token.kind == PTX_TOKEN_DOT) { /* .noreturn, .abi_preserve N */
        ptx_advance(p);
        if (p->token.kind == PTX_TOKEN_NUMBER)
            ptx_advance(p);
    }
    struct ptx_symbol symbol = {.kind = PTX_SYMBOL_PROTO, .index = (uint32_t)p->body.protos.count};
    vec_push(&p->body.protos, proto);
    return ptx_declare(p, label, symbol) == PTX_NONE ? -1 : 0;
}

static int parse_call_targets(struct ptx_parser *p, const struct ptx_token *label)
{
    do {
        const struct ptx_symbol *symbol =
            p->token.kind == PTX_TOKEN_WORD ? ptx_lookup(p, p->token.text, p->token.length) : NULL;
        if (!symbol || symbol->kind != PTX_SYMBOL_FUNCTION)
            return ptx_expected(p, "the name of a function");
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    struct ptx_symbol symbol = {.kind = PTX_SYMBOL_PROTO, .index = (uint32_t)p->body.protos.count};
    vec_push(&p->body.protos, (struct ptx_proto){.is_list = true});
    return ptx_declare(p, label, symbol) == PTX_NONE ? -1 : 0;
}

static int parse_branch_targets(struct ptx_parser *p, const struct ptx_token *label)
{
    struct ptx_target_list list = {.first = (uint32_t)p->body.target_tokens.count, .scope = scope_number(p)};
    do {
        if (p->token.kind != PTX_TOKEN_WORD)
            return ptx_expected(p, "a label");
        vec_push(&p->body.target_tokens, p->token);
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    list.count = (uint32_t)p->body.target_tokens.count - list.first;
    struct ptx_symbol symbol = {.kind = PTX_SYMBOL_TARGETS, .index = (uint32_t)p->body.target_lists.count};
    vec_push(&p->body.target_lists, list);
    return ptx_declare(p, label, symbol) == PTX_NONE ? -1 : 0;
}

static int finish_directive(struct ptx_parser *p, int rc)
{
    return rc < 0 ? rc : ptx_expect(p, ';', "after the directive");
}

/* `name:` has been read. */
static int parse_labelled(struct ptx_parser *p, const struct ptx_token *label)
{
    if (ptx_accept_dot(p, "callprototype"))
        return finish_directive(p, parse_prototype(p, label));
    if (ptx_accept_dot(p, "calltargets"))
        return finish_directive(p, parse_call_targets(p, label));
    if (ptx_accept_dot(p, "branchtargets"))
        return finish_directive(p, parse_branch_targets(p, label));
    vec_push(&p->body.labels, (struct ptx_label){*label, scope_number(p), (uint32_t)p->instrs.count});
    return 0;
}

static bool next_is_colon(const struct ptx_parser *p)
{
    struct ptx_lexer ahead = p->lexer;
    while (ahead.at < ahead.end && (*ahead.at == ' ' || *ahead.at == '\t'))
        ahead.at++;
    return ahead.at < ahead.end && *ahead.at == ':';
}

static int parse_statement(struct ptx_parser *p)
{
    const struct ptx_token *t = &p->token;
    if (t->kind == PTX_TOKEN_WORD && next_is_colon(p)) {
        struct ptx_token label = *t;
        ptx_advance(p);
        ptx_advance(p);
        return parse_labelled(p, &label);
    }
    if (t->kind == PTX_TOKEN_WORD || PTX_IS_PUNCT(t, '@'))
        return ptx_parse_instr(p);
    if (PTX_IS_DOT(t, "loc"))
        return ptx_parse_loc(p);
    if (ptx_parse_common_directive(p) || ptx_accept(p, ';'))
        return 0;
    bool is_extern = ptx_accept_dot(p, "extern");
    if (ptx_at_declaration(p)) {
        ptx_parse_declaration(p, is_extern); /* recovers by itself */
        return 0;
    }
    return ptx_expected(p, "an instruction, a label or a declaration");
}

int ptx_parse_body(struct ptx_parser *p)
{
    struct ptx_token open = p->token;
    uint32_t outer = p->body.depth;
    do {
        if (PTX_IS_PUNCT(&p->token, '{')) {
            if (ptx_open_scope(p) < 0) {
                ptx_skip_braces(p);
                continue;
            }
            ptx_advance(p);
        } else if (PTX_IS_PUNCT(&p->token, '}')) {
            ptx_close_scope(p);
            ptx_advance(p);
        } else if (p->token.kind == PTX_TOKEN_END) {
            return ptx_error(p, &open, NULL, "the body that begins here is never closed");
        } else if (parse_statement(p) < 0) {
            ptx_recover(p);
        }
    } while (p->body.depth > outer);
    return 0;
}
