/* Modules: their life, lookups by name, positions for messages. */
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

#define MOST_INLINED 16 /* inlined calls that a position tells */

void isa_module_free(struct isa_module *module)
{
    if (!module)
        return;
    arena_free(&module->arena);
    free(module);
}

const struct isa_function *isa_find_function(const struct isa_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name))
            return &module->functions[i];
    return NULL;
}

struct isa_variable *isa_find_variable(const struct isa_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (!strcmp(module->variables[i].name, name))
            return &module->variables[i];
    return NULL;
}

const struct isa_function *isa_function_at(const struct isa_module *module, uint32_t pc)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct isa_function *function = &module->functions[i];
        if (function->is_defined && pc >= function->first && pc - function->first < function->count)
            return function;
    }
    return NULL;
}

bool isa_has_mbarriers(const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++)
        if (isa_op_info((enum isa_op)module->instrs[i].op)->flags & ISA_FLAG_MBARRIER)
            return true;
    return false;
}

bool isa_fails(const struct isa_module *module, const struct isa_instr *instr)
{
    if (instr->op == ISA_OP_TRAP)
        return true;
    return instr->call && instr->call->callee != UINT32_MAX && module->functions[instr->call->callee].never_returns;
}

/* The immediate post-dominator. Lanes that end here are not waited for, so those that do not go on behind it. */
static uint32_t next_certain(const struct isa_module *module, const struct isa_function *function, uint32_t pc)
{
    const struct isa_instr *instr = &module->instrs[pc];
    uint32_t next = pc + 1 < function->first + function->count ? pc + 1 : ISA_PC_NONE;
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    if (flags & (ISA_FLAG_RET | ISA_FLAG_EXIT) || isa_fails(module, instr))
        return instr->guarded ? next : ISA_PC_NONE;
    return flags & ISA_FLAG_BRANCH || instr->target != ISA_PC_NONE ? instr->reconverge : next;
}

/* How many certain instructions follow pc, itself included; more than the function has: they go round, in a loop that
 * lanes leave only where they end. */
static uint32_t certain_count(const struct isa_module *module, const struct isa_function *function, uint32_t pc)
{
    uint32_t count = 0;
    for (; pc != ISA_PC_NONE && count <= function->count; pc = next_certain(module, function, pc))
        count++;
    return count;
}

uint32_t isa_reconvergence_point(const struct isa_module *module, const struct isa_function *function, uint32_t pc,
                                 uint32_t other)
{
    uint32_t count = certain_count(module, function, pc), others = certain_count(module, function, other);
    if (count > function->count || others > function->count)
        return pc == other ? pc : ISA_PC_NONE;
    for (; count > others; count--)
        pc = next_certain(module, function, pc);
    for (; others > count; others--)
        other = next_certain(module, function, other);
    while (pc != other) {
        pc = next_certain(module, function, pc);
        other = next_certain(module, function, other);
    }
    return pc;
}

bool isa_is_system_header(const char *file)
{
    return strstr(file, "/include/") &&
           (strncmp(file, "/usr/", 5) == 0 || strstr(file, "/targets/") || strstr(file, "/share/lockstep/"));
}

void isa_user_place(const struct isa_module *module, const struct isa_instr *instr, uint32_t *file, uint32_t *line)
{
    *file = instr->source_file;
    *line = instr->source_line;
    for (uint32_t i = instr->inlined; i && i < module->inlined_count; i = module->inlined[i].outer) {
        const char *name = *file < module->file_count ? module->files[*file] : NULL;
        if (!name || !isa_is_system_header(name))
            return;
        *file = module->inlined[i].file;
        *line = module->inlined[i].line;
    }
}

/* Appends `kernel.cu:12` and returns true, when that is known. */
static bool add_source(const struct isa_module *module, const char *before, uint32_t file, uint32_t line,
                       struct strbuf *out)
{
    const char *source = file < module->file_count ? module->files[file] : NULL;
    if (!source || !line)
        return false;
    const char *slash = strrchr(source, '/');
    strbuf_addf(out, "%s%s:%u", before, slash ? slash + 1 : source, line);
    return true;
}

void isa_format_pos(const struct isa_module *module, const struct isa_instr *instr, struct strbuf *out)
{
    strbuf_addf(out, "%s:%u:%u", module->name ? module->name : "ptx", instr->line, instr->column);
    if (!add_source(module, " (", instr->source_file, instr->source_line, out))
        return;
    for (uint32_t i = instr->inlined, n = 0; i && n < MOST_INLINED; i = module->inlined[i].outer, n++) {
        const struct isa_inlined *call = &module->inlined[i];
        if (call->function) {
            strbuf_add(out, " in ");
            isa_plain_name(call->function, out);
        }
        if (!add_source(module, ", inlined at ", call->file, call->line, out))
            break;
    }
    strbuf_add(out, ")");
}
