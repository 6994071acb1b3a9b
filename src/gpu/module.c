/* Loading: a decoded module's variables get device addresses, its operands and initialisers that name them become
 * numbers, its instructions are bound to their lane functions. */
#include <string.h>

#include "gpu/gpu_impl.h"
#include "ptx/analyse.h"

static struct diag_pos module_pos(const struct isa_module *code)
{
    return (struct diag_pos){code->name, 0, 0};
}

static int place_variable(struct gpu *gpu, const struct isa_module *code, struct isa_variable *v,
                          struct diag_sink *sink)
{
    if (v->space == ISA_SPACE_SHARED)
        return 0;
    if (v->is_extern)
        return diag_error(sink, module_pos(code), "define it in the same module, or link the module that does",
                          "variable %s is declared but not defined", v->name);
    v->address = store_alloc(&gpu->store, v->bytes ? v->bytes : 1, v->align > 256 ? v->align : 256);
    if (!v->address)
        return diag_error(sink, module_pos(code), "raise gpu.memory_mib",
                          "no device memory left for variable %s (%llu bytes)", v->name, (unsigned long long)v->bytes);
    if (v->init)
        memcpy(store_at(&gpu->store, v->address), v->init, v->init_bytes);
    if (v->space == ISA_SPACE_CONST)
        vec_push(&gpu->constants, (struct gpu_range){v->address, v->address + v->bytes});
    return 0;
}

static uint64_t symbol_address(const struct isa_module *code, const struct isa_reloc *r)
{
    if (r->is_function)
        return isa_function_address(r->symbol) + (uint64_t)r->addend;
    const struct isa_variable *v = &code->variables[r->symbol];
    uint64_t window = r->generic && v->space == ISA_SPACE_SHARED ? LANE_SHARED_WINDOW : 0;
    return v->address + window + (uint64_t)r->addend;
}

static void write_relocs(struct gpu *gpu, const struct isa_module *code, const struct isa_variable *v)
{
    for (uint32_t i = 0; i < v->reloc_count; i++) {
        uint64_t value = symbol_address(code, &v->relocs[i]) >> v->relocs[i].shift;
        memcpy(store_at(&gpu->store, v->address) + v->relocs[i].offset, &value, v->relocs[i].bytes);
    }
}

/* Operands are const to everybody else; before the module is bound its loader makes addresses absolute. */
static void link_operand(const struct isa_module *code, const struct isa_operand *operand)
{
    struct isa_operand *o = (struct isa_operand *)operand;
    o->linked = o->kind == ISA_OPERAND_SYMBOL;
    if (o->linked)
        o->value += code->variables[o->reg].address;
    else if (o->kind == ISA_OPERAND_FUNC)
        o->value = isa_function_address(o->reg);
    else
        return;
    o->kind = ISA_OPERAND_IMM;
}

static void link_instructions(const struct isa_module *code)
{
    for (uint32_t i = 0; i < code->instr_count; i++) {
        for (unsigned s = 0; s < code->instrs[i].src_count; s++)
            link_operand(code, &code->instrs[i].src[s]);
    }
}

/* Instructions that turned out to have no lane semantics are outside the model like those the parser knew of. */
static void mark_unbound(struct gpu_module *module)
{
    struct isa_module *code = module->code;
    for (uint32_t f = 0; f < code->function_count; f++) {
        struct isa_function *function = &code->functions[f];
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            struct isa_instr *instr = &code->instrs[pc];
            if (module->simt->ops[pc].kind != SIMT_KIND_OUTSIDE || instr->op == ISA_OP_OUTSIDE)
                continue;
            struct strbuf text = {0};
            isa_disasm_instr(code, function, instr, &text);
            instr->text = arena_strdup(&code->arena, strbuf_text(&text));
            instr->op = ISA_OP_OUTSIDE;
            if (pc < function->outside)
                function->outside = pc;
            strbuf_free(&text);
        }
    }
    ptx_reach(code);
}

struct gpu_module *gpu_load(struct gpu *gpu, struct isa_module *code, struct diag_sink *sink)
{
    for (uint32_t i = 0; i < code->variable_count; i++) {
        if (place_variable(gpu, code, &code->variables[i], sink)) {
            isa_module_free(code);
            return NULL;
        }
    }
    for (uint32_t i = 0; i < code->variable_count; i++)
        if (code->variables[i].space != ISA_SPACE_SHARED)
            write_relocs(gpu, code, &code->variables[i]);
    link_instructions(code);
    struct gpu_module *module = base_calloc(1, sizeof *module);
    unsigned unbound;
    module->code = code;
    module->simt = simt_bind(code, gpu->machine.sm.warp_size, &module->arena, &unbound);
    if (unbound)
        mark_unbound(module);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        module->grid_barrier |= code->instrs[i].op == ISA_OP_BARRIER_GRID;
        module->cluster_barrier |= isa_is_cluster_barrier(&code->instrs[i]);
        module->mbarriers |= (isa_op_info(code->instrs[i].op)->flags & ISA_FLAG_MBARRIER) != 0;
        module->takes_locks |= (isa_op_info(code->instrs[i].op)->flags & ISA_FLAG_TAKE) != 0;
    }
    module->next = gpu->modules;
    gpu->modules = module;
    return module;
}

static void forget_constant(struct gpu *gpu, uint64_t address)
{
    for (size_t i = 0; i < gpu->constants.count; i++)
        if (gpu->constants.items[i].start == address)
            gpu->constants.items[i] = gpu->constants.items[--gpu->constants.count];
}

void gpu_unload(struct gpu *gpu, struct gpu_module *module)
{
    for (struct gpu_module **link = &gpu->modules; *link; link = &(*link)->next) {
        if (*link == module) {
            *link = module->next;
            break;
        }
    }
    for (uint32_t i = 0; i < module->code->variable_count; i++) {
        const struct isa_variable *v = &module->code->variables[i];
        if (v->space == ISA_SPACE_SHARED)
            continue;
        forget_constant(gpu, v->address);
        store_release(&gpu->store, v->address);
    }
    isa_module_free(module->code);
    arena_free(&module->arena);
    free(module);
}

const struct isa_module *gpu_module_code(const struct gpu_module *module)
{
    return module->code;
}

const struct isa_function *gpu_kernel(const struct gpu_module *module, const char *name)
{
    const struct isa_function *function = isa_find_function(module->code, name);
    return function && function->is_kernel && function->is_defined ? function : NULL;
}

bool gpu_variable(const struct gpu_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct isa_variable *v = isa_find_variable(module->code, name);
    if (!v || v->space == ISA_SPACE_SHARED)
        return false;
    *address = v->address;
    *bytes = v->bytes;
    return true;
}
