/* Kernels and functions: names, parameters, performance directives, bodies. PTX ISA, "Kernel and Function Directives".
 *
 * A kernel's parameters lie in its parameter block; those of a function at the start of its local frame, results first.
 * The older form that passes registers (`.func (.reg .u32 r) f (.reg .u32 a)`) is served through frame places too:
 * copied in at the entry, out before `ret`. */
#include "ptx/parse.h"

#include <string.h>

struct formals {
    VEC(struct isa_param) params;
    VEC(struct ptx_symbol) symbols; /* kinds PARAM, FRAME or REG; name is in tokens */
    VEC(struct ptx_token) tokens;
    uint32_t bytes; /* of the block or frame so far */
    bool is_kernel;
    const char *outside; /* a directive that the model cannot honour, or NULL */
};

static int place_formal(struct ptx_parser *p, struct formals *f, const struct ptx_declarator *d, bool is_reg)
{
    uint64_t offset = round_up_u64(f->bytes, d->align);
    if (d->bytes > PTX_MAX_PARAM || offset + d->bytes > PTX_MAX_PARAM)
        return ptx_error(p, &d->name, NULL, "parameters are limited to %d bytes", PTX_MAX_PARAM);
    f->bytes = (uint32_t)(offset + d->bytes);
    struct isa_param param = {
        .type = d->type, .offset = (uint32_t)offset, .bytes = (uint32_t)d->bytes, .align = d->align};
    if (d->name.kind == PTX_TOKEN_WORD)
        param.name = is_reg ? arena_printf(p->arena, "$$arg%zu", f->params.count) : ptx_copy(p, &d->name);
    struct ptx_symbol symbol = {.kind = f->is_kernel ? PTX_SYMBOL_PARAM
                                        : is_reg     ? PTX_SYMBOL_REG
                                                     : PTX_SYMBOL_FRAME,
                                .role = PTX_ROLE_INPUT,
                                .type = d->type,
                                .elements = 1,
                                .count = 1,
                                .offset = param.offset,
                                .bytes = param.bytes};
    vec_push(&f->params, param);
    vec_push(&f->symbols, symbol);
    vec_push(&f->tokens, d->name);
    return 0;
}

static int parse_formal(struct ptx_parser *p, struct formals *f)
{
    bool is_reg = PTX_IS_DOT(&p->token, "reg");
    if (!is_reg && !PTX_IS_DOT(&p->token, "param"))
        return ptx_expected(p, "`.param`");
    if (is_reg && f->is_kernel)
        return ptx_error(p, &p->token, NULL, "a kernel's parameters are .param variables");
    ptx_advance(p);
    struct ptx_declarator d;
    if (ptx_parse_declarator(p, &d) < 0)
        return -1;
    if (PTX_IS_WORD(&d.name, "_"))
        d.name.kind = PTX_TOKEN_END;
    bool is_given =
        d.name.length > 5 && !memcmp(d.name.text, "$$arg", 5); /* how a .reg parameter is called when disassembled */
    if (d.name.kind == PTX_TOKEN_WORD && !is_reg && !is_given && ptx_check_name(p, &d.name) < 0)
        return -1;
    if (is_reg && (d.count != 1 || d.elements != 1 || d.type == ISA_PRED || isa_type_bits(d.type) > 64))
        return ptx_error(p, &d.name, NULL, "a register parameter is a scalar of at most 64 bits, and no predicate");
    return place_formal(p, f, &d, is_reg);
}

/* `( .param ..., .param ... )`; nothing is also fine. */
static int parse_formals(struct ptx_parser *p, struct formals *f)
{
    if (!ptx_accept(p, '('))
        return 0;
    if (ptx_accept(p, ')'))
        return 0;
    do
        if (parse_formal(p, f) < 0)
            return -1;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ')', "after the parameters");
}

static void free_formals(struct formals *f)
{
    vec_free(&f->params);
    vec_free(&f->symbols);
    vec_free(&f->tokens);
}

int ptx_parse_signature(struct ptx_parser *p, uint32_t *count)
{
    struct formals f = {.is_kernel = false};
    int rc = parse_formals(p, &f);
    *count = (uint32_t)f.params.count;
    free_formals(&f);
    return rc;
}

static int parse_numbers(struct ptx_parser *p, uint32_t *values, unsigned most)
{
    unsigned count = 0;
    do {
        int64_t value;
        if (ptx_parse_integer(p, 0, UINT32_MAX, &value) < 0)
            return -1;
        if (count < most)
            values[count++] = (uint32_t)value;
    } while (ptx_accept(p, ','));
    for (; count < most; count++)
        values[count] = 1;
    return 0;
}

/* True if the next token may follow a declaration that lacks its `;`. */
static bool at_next_item(const struct ptx_parser *p)
{
    static const char *const items[] = {"visible", "extern", "weak",   "common", "entry",   "func",         "global",
                                        "const",   "shared", "tex",    "target", "version", "address_size", "alias"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (p->token.kind == PTX_TOKEN_DOT && ptx_token_is(&p->token, items[i], strlen(items[i])))
            return true;
    return false;
}

/* How a directive is obeyed. PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives". */
enum obey {
    OBEY_BOUND,   /* a bound that a launch is held to, or that occupancy follows */
    OBEY_HINT,    /* says something that is true of the code anyway, or bounds what Lockstep never does */
    OBEY_LAUNCH,  /* the launch must say clusters, unless the kernel does */
    OBEY_NOT,     /* outside the model */
};

static enum obey find_directive(const struct ptx_token *word, struct isa_function *function, uint32_t **values,
                                unsigned *most)
{
    const struct {
        const char *name;
        enum obey obey;
        uint32_t *values;
        unsigned most;
    } known[] = {
        {"maxntid", OBEY_BOUND, function->max_threads, 3},
        {"reqntid", OBEY_BOUND, function->required_threads, 3},
        {"minnctapersm", OBEY_BOUND, &function->min_blocks, 1},
        {"maxnreg", OBEY_BOUND, &function->max_registers, 1},
        {"maxnctapersm", OBEY_HINT, NULL, 1}, /* the older name of minnctapersm */
        {"noreturn", OBEY_HINT, NULL, 1},
        {"unique", OBEY_HINT, NULL, 1},
        {"abi_preserve", OBEY_HINT, NULL, 1},
        {"abi_preserve_control", OBEY_HINT, NULL, 1},
        {"maxclusterrank", OBEY_BOUND, &function->max_cluster, 1},
        {"explicitcluster", OBEY_LAUNCH, NULL, 1},
        {"reqnctapercluster", OBEY_BOUND, function->cluster, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ptx_token_is(word, known[i].name, strlen(known[i].name))) {
            *values = known[i].values ? known[i].values : *values;
            *most = known[i].most;
            return known[i].obey;
        }
    return OBEY_NOT;
}

/* Directives between the parameters and the body. A kernel with one that is outside the model can be loaded and not
 * launched. */
static int parse_performance(struct ptx_parser *p, struct isa_function *function, struct formals *f)
{
    while (p->token.kind == PTX_TOKEN_DOT && !at_next_item(p)) {
        if (ptx_parse_common_directive(p))
            continue;
        struct ptx_token word = p->token;
        ptx_advance(p);
        uint32_t others[3] = {1, 1, 1}, *values = others;
        unsigned most = 3;
        enum obey obey = find_directive(&word, function, &values, &most);
        if (p->token.kind == PTX_TOKEN_NUMBER && parse_numbers(p, values, most) < 0)
            return -1;
        function->explicit_cluster |= obey == OBEY_LAUNCH;
        if (obey == OBEY_NOT)
            f->outside = arena_printf(p->arena, ".%.*s", (int)word.length, word.text);
    }
    return 0;
}

static uint8_t intrinsic_of(const struct ptx_token *name)
{
    static const struct {
        const char *name;
        uint8_t intrinsic;
    } known[] = {{"vprintf", ISA_INTRINSIC_VPRINTF},
                 {"malloc", ISA_INTRINSIC_MALLOC},
                 {"free", ISA_INTRINSIC_FREE},
                 {"__assertfail", ISA_INTRINSIC_ASSERTFAIL}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (ptx_token_is(name, known[i].name, strlen(known[i].name)))
            return known[i].intrinsic;
    return ISA_INTRINSIC_NONE;
}

static struct isa_param *copy_params(struct ptx_parser *p, const struct formals *f, size_t first, size_t count)
{
    if (!count)
        return NULL;
    struct isa_param *copy = ARENA_NEW(p->arena, struct isa_param, count);
    memcpy(copy, f->params.items + first, count * sizeof *copy);
    return copy;
}

/* Enters the signature: a new function, or one that was declared before. Returns its index, PTX_NONE after an error. */
static uint32_t enter_function(struct ptx_parser *p, const struct ptx_token *name, const struct formals *f,
                               uint32_t result_count)
{
    struct isa_function function = {.name = ptx_copy(p, name),
                                    .is_kernel = f->is_kernel,
                                    .outside = ISA_PC_NONE,
                                    .line = name->line,
                                    .column = name->column,
                                    .result_count = result_count,
                                    .shared_align = 1,
                                    .param_count = (uint32_t)f->params.count - result_count,
                                    .param_bytes = f->is_kernel ? f->bytes : 0};
    function.intrinsic = f->is_kernel ? ISA_INTRINSIC_NONE : intrinsic_of(name);
    function.results = copy_params(p, f, 0, result_count);
    function.params = copy_params(p, f, result_count, function.param_count);
    const struct ptx_symbol *symbol = ptx_lookup(p, name->text, name->length);
    if (!symbol) {
        uint32_t index = (uint32_t)p->functions.count;
        if (ptx_declare(p, name, (struct ptx_symbol){.kind = PTX_SYMBOL_FUNCTION, .index = index}) == PTX_NONE)
            return PTX_NONE;
        vec_push(&p->functions, function);
        return index;
    }
    struct isa_function *old = symbol->kind == PTX_SYMBOL_FUNCTION ? &p->functions.items[symbol->index] : NULL;
    if (!old || old->is_kernel != function.is_kernel || old->param_count != function.param_count ||
        old->result_count != function.result_count) {
        ptx_error(p, name, NULL, "`%s` is already declared differently", function.name);
        return PTX_NONE;
    }
    if (!old->is_defined)
        *old = function;
    return symbol->index;
}

static int declare_formals(struct ptx_parser *p, const struct formals *f, uint32_t result_count)
{
    for (size_t i = 0; i < f->params.count; i++) {
        if (f->tokens.items[i].kind != PTX_TOKEN_WORD)
            continue;
        struct ptx_symbol symbol = f->symbols.items[i];
        if (i < result_count)
            symbol.role = PTX_ROLE_RESULT;
        if (symbol.kind == PTX_SYMBOL_REG)
            symbol.index = p->body.declared++;
        uint32_t index = ptx_declare(p, &f->tokens.items[i], symbol);
        if (index == PTX_NONE)
            return -1;
        if (symbol.kind == PTX_SYMBOL_REG) {
            vec_push(&p->body.formals, p->symbols.items[index]);
            p->body.result_formals += i < result_count;
        }
    }
    return 0;
}

static void begin_body(struct ptx_parser *p, uint32_t function, const struct formals *f)
{
    struct ptx_body *body = &p->body;
    body->regs.count = body->labels.count = body->refs.count = body->target_tokens.count = body->target_lists.count = 0;
    body->protos.count = body->scope_parents.count = body->formals.count = 0;
    ptx_map64_clear(&body->reg_of);
    body->function = function;
    body->is_kernel = f->is_kernel;
    body->declared = body->depth = body->result_formals = 0;
    body->frame_top = body->frame_bytes = f->is_kernel ? 0 : f->bytes;
    body->frame_at = PTX_NONE;
    body->source_file = body->source_line = body->inlined = body->own_file = body->own_line = 0;
    body->locs.count = 0;
    ptx_map64_clear(&body->loc_of);
    body->too_many_regs = body->marks_spin = false;
}

static void emit_outside(struct ptx_parser *p, const struct formals *f, struct isa_instr at)
{
    if (!f->outside)
        return;
    at.op = ISA_OP_OUTSIDE;
    at.text = f->outside;
    ptx_emit(p, &at);
}

static int define_function(struct ptx_parser *p, const struct ptx_token *name, uint32_t index, const struct formals *f)
{
    struct isa_function *function = &p->functions.items[index];
    struct ptx_held held;
    if (function->is_defined) {
        ptx_error(p, name, NULL, "`%s` is defined twice", function->name);
        ptx_skip_braces(p);
        return 0;
    }
    function->is_defined = true;
    function->intrinsic = ISA_INTRINSIC_NONE;
    function->first = (uint32_t)p->instrs.count;
    begin_body(p, index, f);
    ptx_hold_errors(p, &held);
    ptx_open_scope(p);
    int rc = declare_formals(p, f, function->result_count);
    struct isa_instr entry = {.line = name->line, .column = name->column, .target = ISA_PC_NONE};
    if (rc == 0) {
        ptx_emit_formals(p, &entry, true);
        emit_outside(p, f, entry);
        rc = ptx_parse_body(p);
    } else {
        ptx_skip_braces(p);
    }
    while (p->body.depth)
        ptx_close_scope(p);
    ptx_settle_lines(p, p->functions.items[index].first);
    if (rc == 0)
        ptx_finish_function(p);
    if (ptx_must_give_up(p, &held, rc == 0, &entry)) {
        p->instrs.count = p->functions.items[index].first;
        begin_body(p, index, f);
        ptx_emit(p, &entry);
        ptx_finish_function(p);
    }
    return 0;
}

static int parse_function(struct ptx_parser *p, bool is_extern, struct formals *f)
{
    f->is_kernel = PTX_IS_DOT(&p->token, "entry");
    ptx_advance(p);
    while (p->token.kind == PTX_TOKEN_DOT && PTX_IS_DOT(&p->token, "attribute")) {
        ptx_advance(p);
        while (p->token.kind != PTX_TOKEN_END && !ptx_accept(p, ')'))
            ptx_advance(p);
    }
    if (!f->is_kernel && parse_formals(p, f) < 0)
        return -1;
    uint32_t result_count = (uint32_t)f->params.count;
    struct ptx_token name = p->token;
    if (name.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, f->is_kernel ? "the name of a kernel" : "the name of a function");
    ptx_advance(p);
    if (ptx_check_name(p, &name) < 0 || parse_formals(p, f) < 0)
        return -1;
    uint32_t index = enter_function(p, &name, f, result_count);
    if (index == PTX_NONE)
        return -1;
    struct isa_function ignored, *function = &p->functions.items[index];
    if (parse_performance(p, function->is_defined ? &ignored : function, f) < 0)
        return -1;
    /* Compilers of CUDA 2 to 4 left out the `;` of a declared function, and ptxas takes that. */
    if (ptx_accept(p, ';') || (!f->is_kernel && (at_next_item(p) || p->token.kind == PTX_TOKEN_END)))
        return 0;
    if (is_extern)
        ptx_warning(p, &name, "an .extern function with a body");
    if (!PTX_IS_PUNCT(&p->token, '{'))
        return ptx_expected(p, "`{` and the body, or `;`");
    return define_function(p, &name, index, f);
}

int ptx_parse_function(struct ptx_parser *p, bool is_extern)
{
    struct formals f = {.bytes = 0};
    int rc = parse_function(p, is_extern, &f);
    free_formals(&f);
    return rc;
}
