/* Modules: their life, lookups by name, positions for messages. */
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

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

void isa_format_pos(const struct isa_module *module, const struct isa_instr *instr, struct strbuf *out)
{
    strbuf_addf(out, "%s:%u:%u", module->name ? module->name : "ptx", instr->line, instr->column);
    const char *source = instr->source_file < module->file_count ? module->files[instr->source_file] : NULL;
    if (source && instr->source_line) {
        const char *slash = strrchr(source, '/');
        strbuf_addf(out, " (%s:%u)", slash ? slash + 1 : source, instr->source_line);
    }
}
