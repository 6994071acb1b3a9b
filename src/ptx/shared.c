/* Offsets of static shared memory. A block holds only what its own kernel can reach, so variables that one kernel alone
 * names start behind those that functions, or several kernels, share, and overlap those of other kernels. */
#include <string.h>

#include "ptx/analyse.h"

#include "base/bits.h"
#include "ptx/shared.h"

enum { UNUSED = -1, COMMON = -2 };

/* For each variable: the one kernel that names it, COMMON, or UNUSED. */
static void find_owner(const struct isa_module *module, uint32_t f, int64_t *owner)
{
    const struct isa_function *function = &module->functions[f];
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++)
        for (unsigned i = 0; i < module->instrs[pc].src_count; i++) {
            const struct isa_operand *operand = &module->instrs[pc].src[i];
            if (operand->kind != ISA_OPERAND_SYMBOL || module->variables[operand->reg].space != ISA_SPACE_SHARED)
                continue;
            int64_t *o = &owner[operand->reg];
            *o = *o == UNUSED && function->is_kernel ? (int64_t)f : *o == (int64_t)f ? *o : COMMON;
        }
}

static uint64_t place(struct isa_variable *variable, uint64_t at)
{
    variable->address = round_up_u64(at, variable->align);
    return variable->address + variable->bytes;
}

/* Scans the variables that the function names itself: how far it reaches into the common variables, and the alignment
 * of all. */
static void measure(const struct isa_module *module, struct isa_function *function, const int64_t *owner, uint64_t *end)
{
    *end = 0;
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++)
        for (unsigned i = 0; i < module->instrs[pc].src_count; i++) {
            const struct isa_operand *operand = &module->instrs[pc].src[i];
            bool is_dynamic = operand->kind == ISA_OPERAND_DYNSMEM;
            if (!is_dynamic && operand->kind != ISA_OPERAND_SYMBOL)
                continue;
            const struct isa_variable *v = &module->variables[operand->reg];
            if (v->space != ISA_SPACE_SHARED)
                continue;
            if (function->shared_align < v->align)
                function->shared_align = v->align;
            if (!is_dynamic && owner[operand->reg] == COMMON && v->address + v->bytes > *end)
                *end = v->address + v->bytes;
        }
}

static int measure_all(struct isa_module *module, const int64_t *owner, struct diag_sink *sink)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        uint64_t end;
        measure(module, function, owner, &end);
        if (end > INT32_MAX)
            return diag_error(sink, (struct diag_pos){module->name, function->line, function->column}, NULL,
                              "`%s` uses more shared memory than any machine has", function->name);
        function->shared_bytes = (uint32_t)end;
    }
    return 0;
}

int ptx_place_shared(struct isa_module *module, struct diag_sink *sink, struct arena *scratch)
{
    int64_t *owner = ARENA_NEW(scratch, int64_t, module->variable_count + 1);
    uint64_t *end = ARENA_NEW(scratch, uint64_t, module->function_count + 1), common = 0;
    for (uint32_t v = 0; v < module->variable_count; v++)
        owner[v] = UNUSED;
    for (uint32_t f = 0; f < module->function_count; f++)
        find_owner(module, f, owner);
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (owner[v] == COMMON)
            common = place(&module->variables[v], common);
    if (measure_all(module, owner, sink) < 0)
        return -1;
    ptx_reach(module); /* each function's part of the common variables */
    for (uint32_t f = 0; f < module->function_count; f++)
        end[f] = module->functions[f].shared_bytes;
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (owner[v] >= 0)
            end[owner[v]] = place(&module->variables[v], end[owner[v]]);
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        if (end[f] > INT32_MAX)
            return diag_error(sink, (struct diag_pos){module->name, function->line, function->column}, NULL,
                              "`%s` uses more shared memory than any machine has", function->name);
        function->shared_bytes = (uint32_t)end[f];
    }
    return 0;
}
