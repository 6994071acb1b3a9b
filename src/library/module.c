/* Modules: PTX text, its kernels, variables and instructions. */
#include <stdlib.h>
#include <string.h>

#include "library/library.h"
#include "ptx/ptx.h"

struct lockstep_module *library_module(struct lockstep_device *d, const struct lockstep_module *module)
{
    struct lockstep_module *m = d->modules;
    while (m && m != module)
        m = m->next;
    if (!m)
        library_wrong(d, LOCKSTEP_ERROR_INVALID, "lockstep_load gives modules", "the module is none of this device");
    return m;
}

int lockstep_load(struct lockstep_device *d, const char *name, const char *text, size_t length, uint32_t flags,
                  struct lockstep_module **module)
{
    int code = library_begin(d);
    if (code)
        return code;
    if (flags & ~(uint32_t)LOCKSTEP_KEEP_REGISTERS)
        return library_wrong(d, LOCKSTEP_ERROR_VERSION, NULL, "lockstep_load: flags that this library does not know");
    const struct ptx_options options = {.budget = gpu_budget(d->machine),
                                        .keep_registers = flags & LOCKSTEP_KEEP_REGISTERS};
    struct isa_module *decoded = ptx_load(name ? name : "module.ptx", text, length, &options, &d->sink);
    struct gpu_module *loaded = decoded ? gpu_load(d->gpu, decoded, &d->sink) : NULL;
    if (!loaded)
        return LOCKSTEP_ERROR_INVALID;
    struct lockstep_module *m = *module = base_calloc(1, sizeof *m);
    *m = (struct lockstep_module){.module = loaded, .keeps_registers = options.keep_registers, .next = d->modules};
    d->modules = m;
    return LOCKSTEP_OK;
}

int lockstep_unload(struct lockstep_device *d, struct lockstep_module *module)
{
    int code = library_need_idle(d, "lockstep_unload");
    struct lockstep_module *m = code ? NULL : library_module(d, module);
    if (!m)
        return code ? code : LOCKSTEP_ERROR_INVALID;
    struct lockstep_module **at = &d->modules;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    library_forget_profile(d, gpu_module_code(m->module));
    gpu_unload(d->gpu, m->module);
    free(m);
    return LOCKSTEP_OK;
}

/* The code of a module at the beginning of a call; NULL: *code says what is wrong. */
static const struct isa_module *code_of(struct lockstep_device *d, const struct lockstep_module *module, int *code)
{
    *code = library_begin(d);
    const struct lockstep_module *m = *code ? NULL : library_module(d, module);
    if (!m && !*code)
        *code = LOCKSTEP_ERROR_INVALID;
    return m ? gpu_module_code(m->module) : NULL;
}

int lockstep_variable(struct lockstep_device *d, const struct lockstep_module *module, const char *name,
                      uint64_t *address, uint64_t *bytes)
{
    int code = library_begin(d);
    const struct lockstep_module *m = code ? NULL : library_module(d, module);
    if (!m)
        return code ? code : LOCKSTEP_ERROR_INVALID;
    if (gpu_variable(m->module, name, address, bytes))
        return LOCKSTEP_OK;
    return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "%s has no variable %s", gpu_module_code(m->module)->name,
                         name);
}

static int give_kernel(struct lockstep_device *d, const struct isa_function *f, struct lockstep_kernel_facts *to)
{
    const struct lockstep_kernel_facts facts = {.name = f->name,
                                                .first = f->first,
                                                .count = f->count,
                                                .parameters = f->param_count,
                                                .parameter_bytes = f->param_bytes,
                                                .registers = gpu_registers(d->gpu, f),
                                                .shared = f->shared_bytes,
                                                .local = f->local_bytes};
    return library_give(d, to, &facts, sizeof facts, "lockstep_kernel_facts");
}

int lockstep_kernel(struct lockstep_device *d, const struct lockstep_module *module, uint32_t index,
                    struct lockstep_kernel_facts *facts)
{
    int code;
    const struct isa_module *m = code_of(d, module, &code);
    if (!m)
        return code;
    for (uint32_t i = 0, n = 0; i < m->function_count; i++)
        if (m->functions[i].is_kernel && n++ == index)
            return give_kernel(d, &m->functions[i], facts);
    return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "%s has no kernel number %u", m->name, index);
}

const struct isa_function *library_kernel(struct lockstep_device *d, const struct isa_module *m, const char *name,
                                          int *code)
{
    struct strbuf hint = {0};
    const struct isa_function *f = isa_find_named(m, name, true, &hint);
    *code = f ? LOCKSTEP_OK
              : library_wrong(d, LOCKSTEP_ERROR_ABSENT, hint.length ? hint.text : NULL, "%s has no kernel '%s'",
                              m->name, name);
    strbuf_free(&hint);
    return f;
}

/* The kernel of that name at the beginning of a call; NULL: *code says what is wrong. */
static const struct isa_function *kernel_of(struct lockstep_device *d, const struct lockstep_module *module,
                                            const char *name, int *code)
{
    const struct isa_module *m = code_of(d, module, code);
    return m ? library_kernel(d, m, name, code) : NULL;
}

int lockstep_find_kernel(struct lockstep_device *d, const struct lockstep_module *module, const char *name,
                         struct lockstep_kernel_facts *facts)
{
    int code;
    const struct isa_function *f = kernel_of(d, module, name, &code);
    return f ? give_kernel(d, f, facts) : code;
}

int lockstep_kernel_parameter(struct lockstep_device *d, const struct lockstep_module *module, const char *kernel,
                              uint32_t index, struct lockstep_kernel_parameter *to)
{
    int code;
    const struct isa_function *f = kernel_of(d, module, kernel, &code);
    if (!f)
        return code;
    if (index >= f->param_count)
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "kernel %s has %u parameters", f->name, f->param_count);
    const struct isa_param *param = &f->params[index];
    const struct lockstep_kernel_parameter parameter = {
        .name = param->name, .offset = param->offset, .bytes = param->bytes};
    return library_give(d, to, &parameter, sizeof parameter, "lockstep_kernel_parameter");
}

int lockstep_occupancy(struct lockstep_device *d, const struct lockstep_module *module, const char *kernel,
                       uint32_t threads, uint64_t shared, uint32_t *blocks)
{
    int code;
    const struct isa_function *f = kernel_of(d, module, kernel, &code);
    if (f)
        *blocks = gpu_occupancy(d->gpu, f, threads, shared, NULL);
    return code;
}

int lockstep_instruction(struct lockstep_device *d, const struct lockstep_module *module, uint32_t pc,
                         struct lockstep_instruction *to)
{
    int code;
    const struct isa_module *m = code_of(d, module, &code);
    if (!m)
        return code;
    if (pc >= m->instr_count)
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "%s has no instruction %u: it has %u", m->name, pc,
                             m->instr_count);
    const struct isa_instr *instr = &m->instrs[pc];
    strbuf_free(&d->text);
    strbuf_free(&d->place);
    isa_disasm_instr(m, isa_function_at(m, pc), instr, &d->text);
    isa_format_pos(m, instr, &d->place);
    const struct lockstep_instruction instruction = {.text = strbuf_text(&d->text),
                                                     .place = strbuf_text(&d->place),
                                                     .line = instr->line,
                                                     .column = instr->column,
                                                     .source = m->files ? m->files[instr->source_file] : NULL,
                                                     .source_line = instr->source_line};
    return library_give(d, to, &instruction, sizeof instruction, "lockstep_instruction");
}
