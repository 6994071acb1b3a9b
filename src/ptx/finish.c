/* The end of a module, where the rest is settled: addresses in initialisers, aliases, names of variables that functions
 * declared for themselves, and the final place of the arrays. */
#include "ptx/parse.h"

#include <string.h>

static void resolve_reloc(struct ptx_parser *p, struct ptx_pending_reloc *pending)
{
    const struct ptx_token *name = &pending->token;
    const struct ptx_symbol *symbol = ptx_lookup(p, name->text, name->length);
    bool is_variable = symbol && symbol->kind == PTX_SYMBOL_VARIABLE,
         is_function = symbol && symbol->kind == PTX_SYMBOL_FUNCTION;
    if (!is_variable && !is_function) {
        ptx_error(p, name, NULL, "`%.*s` is no variable or function", (int)name->length, name->text);
        return;
    }
    if (is_variable && p->variables.items[symbol->index].space == ISA_SPACE_SHARED)
        ptx_error(p, name, NULL, "the address of a .shared variable cannot initialise another");
    pending->reloc.is_function = is_function;
    pending->reloc.symbol = symbol->index;
}

/* The pending ones of a variable stand together, in order: an initialiser is read in one go. */
static void attach_relocs(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->relocs.count;) {
        size_t end = i;
        while (end < p->relocs.count && p->relocs.items[end].variable == p->relocs.items[i].variable)
            resolve_reloc(p, &p->relocs.items[end++]);
        struct isa_reloc *relocs = ARENA_NEW(p->arena, struct isa_reloc, end - i);
        for (size_t k = i; k < end; k++)
            relocs[k - i] = p->relocs.items[k].reloc;
        struct isa_variable *variable = &p->variables.items[p->relocs.items[i].variable];
        variable->relocs = relocs;
        variable->reloc_count = (uint32_t)(end - i);
        i = end;
    }
}

static uint32_t alias_target(const struct ptx_parser *p, const uint32_t *target, uint32_t function)
{
    /* Chains are followed; a ring of aliases stops after as many steps as there are functions. */
    for (size_t steps = 0; steps < p->functions.count && target[function] != function; steps++)
        function = target[function];
    return function;
}

static void replace_in_instrs(struct ptx_parser *p, const uint32_t *target)
{
    for (size_t i = 0; i < p->instrs.count; i++) {
        struct isa_instr *instr = &p->instrs.items[i];
        struct isa_call *call = (struct isa_call *)instr->call;
        if (call && call->callee != UINT32_MAX)
            call->callee = target[call->callee];
        for (unsigned k = 0; k < instr->src_count; k++)
            if (instr->src[k].kind == ISA_OPERAND_FUNC)
                ((struct isa_operand *)instr->src)[k].reg = target[instr->src[k].reg];
    }
    for (size_t v = 0; v < p->variables.count; v++)
        for (uint32_t r = 0; r < p->variables.items[v].reloc_count; r++) {
            struct isa_reloc *reloc = (struct isa_reloc *)&p->variables.items[v].relocs[r];
            if (reloc->is_function)
                reloc->symbol = target[reloc->symbol];
        }
}

/* Uses of an alias become uses of the function it stands for. */
static void resolve_aliases(struct ptx_parser *p)
{
    if (!p->aliases.count || !p->functions.count)
        return;
    uint32_t *target = base_malloc(p->functions.count * sizeof *target);
    for (uint32_t i = 0; i < p->functions.count; i++)
        target[i] = i;
    for (size_t i = 0; i < p->aliases.count; i++) {
        const struct ptx_token *name = &p->aliases.items[i].target;
        const struct ptx_symbol *symbol = ptx_lookup(p, name->text, name->length);
        if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION)
            target[p->aliases.items[i].alias] = symbol->index;
        else
            ptx_error(p, name, NULL, "`%.*s` is no function", (int)name->length, name->text);
    }
    uint32_t *final = base_malloc(p->functions.count * sizeof *final);
    for (uint32_t i = 0; i < p->functions.count; i++)
        final[i] = alias_target(p, target, i);
    replace_in_instrs(p, final);
    free(final);
    free(target);
}

static void claim_function(struct strmap *names, const struct isa_function *function)
{
    strmap_put(names, function->name, strlen(function->name), 1);
    for (uint32_t i = 0; i < function->param_count + function->result_count; i++) {
        const char *name =
            i < function->param_count ? function->params[i].name : function->results[i - function->param_count].name;
        if (name)
            strmap_put(names, name, strlen(name), 1);
    }
}

/* Variables declared inside functions may share names with others: those get a number behind theirs. */
static void name_hoisted(struct ptx_parser *p)
{
    struct strmap names = {0};
    for (size_t i = 0; i < p->functions.count; i++)
        claim_function(&names, &p->functions.items[i]);
    for (size_t i = 0; i < p->variables.count; i++)
        if (!p->hoisted.items[i])
            strmap_put(&names, p->variables.items[i].name, strlen(p->variables.items[i].name), 1);
    for (size_t i = 0; i < p->variables.count; i++) {
        struct isa_variable *variable = &p->variables.items[i];
        const char *name = variable->name;
        if (!p->hoisted.items[i])
            continue;
        uint32_t uses = strmap_get(&names, name, strlen(name));
        if (uses != STRMAP_NONE) {
            do
                variable->name = arena_printf(p->arena, "%s_%u", name, ++uses);
            while (strmap_get(&names, variable->name, strlen(variable->name)) != STRMAP_NONE);
            strmap_put(&names, name, strlen(name), uses);
        }
        strmap_put(&names, variable->name, strlen(variable->name), 1);
    }
    strmap_free(&names);
}

static void *settle(struct ptx_parser *p, const void *items, size_t count, size_t size)
{
    void *copy = arena_alloc(p->arena, (count + 1) * size, 16);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

void ptx_finish_module(struct ptx_parser *p)
{
    struct isa_module *module = p->module;
    attach_relocs(p);
    if (p->errors)
        return;
    resolve_aliases(p);
    name_hoisted(p);
    if (!p->files.count)
        vec_push(&p->files, NULL);
    module->instr_count = (uint32_t)p->instrs.count;
    module->function_count = (uint32_t)p->functions.count;
    module->variable_count = (uint32_t)p->variables.count;
    module->file_count = (uint32_t)p->files.count;
    module->instrs = settle(p, p->instrs.items, p->instrs.count, sizeof *p->instrs.items);
    module->functions = settle(p, p->functions.items, p->functions.count, sizeof *p->functions.items);
    module->variables = settle(p, p->variables.items, p->variables.count, sizeof *p->variables.items);
    ptx_settle_inlined(p);
    module->files = settle(p, p->files.items, p->files.count, sizeof *p->files.items);
}
