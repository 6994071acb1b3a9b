/* From PTX text to a module that can run: parse and lower, then analyse each function. */
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/analyse.h"
#include "ptx/parse.h"
#include "ptx/shared.h"

static void free_body(struct ptx_body *body)
{
    vec_free(&body->regs);
    ptx_map64_free(&body->reg_of);
    vec_free(&body->labels);
    vec_free(&body->refs);
    vec_free(&body->target_tokens);
    vec_free(&body->target_lists);
    vec_free(&body->protos);
    vec_free(&body->scope_parents);
    vec_free(&body->formals);
    vec_free(&body->locs);
    ptx_map64_free(&body->loc_of);
}

static void free_parser(struct ptx_parser *p)
{
    ptx_words_free(&p->words);
    vec_free(&p->instrs);
    vec_free(&p->functions);
    vec_free(&p->variables);
    vec_free(&p->hoisted);
    vec_free(&p->files);
    vec_free(&p->relocs);
    vec_free(&p->aliases);
    vec_free(&p->inlined);
    ptx_map64_free(&p->inlined_of);
    strmap_free(&p->label_of);
    vec_free(&p->names_at);
    vec_free(&p->debug_bytes);
    vec_free(&p->symbols);
    strmap_free(&p->names);
    strmap_free(&p->ranges);
    free_body(&p->body);
    free(p);
}

static int parse(struct isa_module *module, size_t length, struct diag_sink *sink)
{
    struct ptx_parser *p = base_calloc(1, sizeof *p);
    p->module = module;
    p->arena = &module->arena;
    p->sink = sink;
    p->text = module->text;
    p->text_end = module->text + length;
    ptx_words_init(&p->words);
    ptx_lex_init(&p->lexer, module->text, length);
    ptx_advance(p);
    int rc = ptx_parse_module(p);
    if (rc == 0)
        ptx_finish_module(p);
    ptx_judge_given_up(p);
    rc = p->errors ? -1 : rc;
    free_parser(p);
    return rc;
}

/* True for functions by which kernels launch kernels. They are defined where NVIDIA's library for that is linked, and
 * lead to what a driver does. */
static bool launches_kernels(const char *name)
{
    static const char *const heads[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP",
                                        "__cuda_syscall_cnp"};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* The first instruction of each function that the model lacks; ptx_reach spreads it to callers. */
static void find_outside(struct isa_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        function->outside = ISA_PC_NONE;
        for (uint32_t pc = function->first + function->count; pc-- > function->first;) {
            struct isa_instr *instr = &module->instrs[pc];
            const struct isa_function *callee =
                instr->call && instr->call->callee != UINT32_MAX ? &module->functions[instr->call->callee] : NULL;
            bool is_missing = callee && !callee->is_defined && callee->intrinsic == ISA_INTRINSIC_NONE;
            const bool launches = callee && launches_kernels(callee->name);
            if (launches)
                instr->text = arena_printf(
                    &module->arena, "call %s: kernels launch no kernels here (dynamic parallelism)", callee->name);
            else if (is_missing)
                instr->text = arena_printf(&module->arena, "call %s, which is declared but not defined", callee->name);
            if (instr->op == ISA_OP_OUTSIDE || is_missing || launches)
                function->outside = pc;
        }
    }
}

static const struct ptx_assembled *find_assembled(const struct ptx_options *options, const char *name)
{
    for (size_t i = 0; i < options->assembled_count; i++)
        if (strcmp(options->assembled[i].name, name) == 0)
            return &options->assembled[i];
    return NULL;
}

static void note_assembled(struct isa_module *module, const struct ptx_options *options)
{
    for (uint32_t f = 0; f < module->function_count && options->assembled_count; f++) {
        struct isa_function *function = &module->functions[f];
        const struct ptx_assembled *found = function->is_kernel ? find_assembled(options, function->name) : NULL;
        function->assembled = found ? found->registers : 0;
    }
}

static int analyse(struct isa_module *module, const struct ptx_options *options, struct diag_sink *sink)
{
    struct arena scratch;
    arena_init(&scratch);
    note_assembled(module, options);
    ptx_find_failing(module);
    ptx_spill(module, options);
    find_outside(module);
    ptx_find_barriers(module);
    int rc = ptx_place_shared(module, sink, &scratch);
    for (uint32_t f = 0; rc == 0 && f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        if (!function->is_defined)
            continue;
        const struct ptx_cfg *cfg = ptx_cfg_build(module, function, &scratch);
        ptx_set_reconvergence(module, function, cfg);
        ptx_allocate(module, function, cfg, options, &scratch);
        arena_free(&scratch);
    }
    if (rc == 0)
        ptx_reach(module);
    arena_free(&scratch);
    return rc;
}

struct isa_module *ptx_load(const char *name, const char *text, size_t length, const struct ptx_options *options,
                            struct diag_sink *sink)
{
    static const struct ptx_options defaults;
    if (length >= (size_t)1 << 31) {
        diag_error(sink, (struct diag_pos){.file = name}, NULL, "PTX texts of 2 GiB and more are not supported");
        return NULL;
    }
    struct isa_module *module = base_calloc(1, sizeof *module);
    arena_init(&module->arena);
    module->name = arena_strdup(&module->arena, name ? name : "ptx");
    module->text = arena_strndup(&module->arena, text, length);
    if (parse(module, length, sink) < 0 || analyse(module, options ? options : &defaults, sink) < 0) {
        isa_module_free(module);
        return NULL;
    }
    return module;
}
