/* --check mem: accesses that lie in memory, and not in that which is meant. Its address is computed from a variable, or
 * from a parameter that points into an allocation, and lies elsewhere; or it lies in what Lockstep keeps in global
 * memory for itself: kernels' parameters, the workspace of grids, the heap of device malloc where malloc has given
 * nothing out. A GPU tells nobody of them; the padding between its allocations, and where it keeps these, are other
 * ones. */
#include <string.h>

#include "gpu/gpu_impl.h"
#include "gpu/waits.h"

/* The variable has the bytes that its declaration says. */
static bool is_sized(const struct isa_variable *v)
{
    return !v->is_extern && !v->is_extern_shared && v->bytes;
}

/* The allocation of the program into which the parameter points, or NULL; *start: where what it points to may begin. A
 * pointer between two allocations that lie side by side may be the beginning of the one or the end of the other. */
static const struct store_block *pointed_at(const struct gpu_run *run, uint32_t offset, uint64_t *start)
{
    const struct gpu *gpu = run->gpu;
    uint64_t pointer;
    if (offset + sizeof pointer > run->launch->kernel->param_bytes)
        return NULL;
    memcpy(&pointer, (const uint8_t *)run->launch->params + offset, sizeof pointer);
    const struct store_block *block = store_find(&gpu->store, pointer);
    if (!block || block->start == gpu->heap || block->start == gpu->workspace)
        return NULL;
    const struct store_block *before = pointer == block->start ? store_find(&gpu->store, pointer - 1) : NULL;
    *start = before ? before->start : block->start;
    return block;
}

static bool reach(const void *context, const struct isa_base *base, uint64_t *start, uint64_t *end)
{
    const struct gpu_run *run = context;
    if (base->kind == ISA_BASE_DYNAMIC) {
        *start = run->grid.dynamic_base;
        *end = *start + run->grid.dynamic_shared;
        return true;
    }
    if (base->kind == ISA_BASE_VARIABLE) {
        const struct isa_variable *v = &run->launch->module->code->variables[base->number];
        *start = v->address;
        *end = v->address + v->bytes;
        return is_sized(v);
    }
    const struct store_block *block = pointed_at(run, base->number, start);
    *end = block ? block->end : 0;
    return block != NULL;
}

static bool overlaps(uint64_t address, uint64_t bytes, uint64_t start, uint64_t size)
{
    return start && address < start + size && start < address + bytes;
}

/* Of parameters by an address that is not one of them; their own, by a generic address, may be meant. */
static bool is_parameter(const struct gpu_run *run, const struct isa_instr *instr, uint64_t address, uint64_t bytes)
{
    uint64_t own = run->grid.param_address;
    bool meant = instr->mods.space == ISA_SPACE_PARAM ||
                 (!instr->mods.space && address >= own && address + bytes <= own + run->launch->kernel->param_bytes);
    for (unsigned i = 0; i < GPU_TOGETHER && !meant; i++)
        if (overlaps(address, bytes, run->gpu->params[i], run->gpu->params_bytes[i]))
            return true;
    return false;
}

static bool is_reserved(const void *context, const struct isa_instr *instr, uint64_t address, uint64_t bytes)
{
    const struct gpu_run *run = context;
    const struct gpu *gpu = run->gpu;
    bool in_heap = overlaps(address, bytes, gpu->heap, gpu->heap_bytes);
    bool in_workspace = overlaps(address, bytes, gpu->workspace, WORKSPACE_BYTES);
    return (in_heap && !store_covers(&gpu->heap_blocks, address, bytes)) ||
           (in_workspace && !run->grid.workspace_address) || is_parameter(run, instr, address, bytes);
}

/* Those of the launch's module, which are found once. */
static const struct isa_base *bases_of(const struct gpu_run *run)
{
    struct gpu_module *module = run->gpu->modules;
    while (module != run->launch->module)
        module = module->next;
    if (!module->bases)
        module->bases = isa_find_bases(module->code, &module->arena);
    return module->bases;
}

void gpu_begin_bounds(struct gpu_run *run)
{
    if (!run->gpu->bounded)
        return;
    run->bounds = (struct sm_bounds){bases_of(run), reach, is_reserved, run};
    run->kernel.bounds = &run->bounds;
    run->grid.bounded = true;
}

/* Texts */

static void add_base(const struct gpu_run *run, const struct isa_base *base, struct strbuf *out)
{
    const struct isa_module *code = run->launch->module->code;
    if (base->kind == ISA_BASE_DYNAMIC) {
        strbuf_addf(out, "dynamic shared memory (%u bytes)", run->grid.dynamic_shared);
    } else if (base->kind == ISA_BASE_VARIABLE) {
        isa_plain_name(code->variables[base->number].name, out);
        strbuf_addf(out, " (%llu bytes)", (unsigned long long)code->variables[base->number].bytes);
    } else {
        uint64_t start;
        const struct store_block *block = pointed_at(run, base->number, &start);
        gpu_add_place(run->gpu, code, block->start, out);
    }
}

static void add_where(const struct gpu_run *run, const struct sm_stray *s, struct strbuf *out)
{
    const struct isa_module *code = run->launch->module->code;
    bool shared = s->space == ISA_SPACE_SHARED;
    struct strbuf place = {0};
    bool known = shared ? gpu_add_shared_place(&run->grid, s->address, &place)
                        : gpu_add_place(run->gpu, code, s->address, &place);
    strbuf_addf(out, "access to %s address 0x%llx", shared ? "shared" : "global", (unsigned long long)s->address);
    if (known)
        strbuf_addf(out, ", in %s", strbuf_text(&place));
    strbuf_free(&place);
}

/* Where it lies as seen from what it is computed from. */
static void add_distance(const struct gpu_run *run, const struct sm_stray *s, struct strbuf *out)
{
    const struct isa_base *base = &run->bounds.bases[s->pc];
    uint64_t start = 0, end = 0, at = s->address;
    reach(run, base, &start, &end);
    if (at < start)
        strbuf_addf(out, ": %llu bytes before the beginning of ", (unsigned long long)(start - at));
    else if (at >= end)
        strbuf_addf(out, ": %llu bytes behind the end of ", (unsigned long long)(at - end));
    else
        strbuf_add(out, ": across the end of ");
    add_base(run, base, out);
    strbuf_add(out, ", from which its address is computed");
}

static void add_reserved(const struct gpu_run *run, const struct sm_stray *s, struct strbuf *out)
{
    bool in_heap = overlaps(s->address, 1, run->gpu->heap, run->gpu->heap_bytes);
    struct strbuf behind = {0};
    strbuf_add(out, in_heap ? ", where device malloc has given nothing out, or it was freed"
                            : ", which is no memory of the program's");
    if (!in_heap && gpu_add_former(run->gpu, s->address, &behind))
        strbuf_addf(out, ", in the place of %s", strbuf_text(&behind));
    else if (!in_heap && gpu_add_behind(run->gpu, s->address, &behind))
        strbuf_addf(out, ": %s", strbuf_text(&behind));
    strbuf_free(&behind);
}

void gpu_explain_bounds(struct gpu_run *run, const struct sm_stray *s)
{
    if (!run->grid.bounded) /* found before a checkpoint, behind which nobody asks */
        return;
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[s->pc];
    const uint32_t *size = run->launch->block;
    struct strbuf what = {0}, at = {0}, text = {0};
    add_where(run, s, &what);
    if (s->why == SM_STRAY_FROM)
        add_distance(run, s, &what);
    else
        add_reserved(run, s, &what);
    waits_pos(code, s->pc, &at);
    isa_disasm_instr(code, isa_function_at(code, s->pc), instr, &text);
    diag_error(run->sink, (struct diag_pos){code->name, instr->line, instr->column}, NULL,
               "kernel %s: %s\n  at %s: %s\n  block (%u,%u,%u) thread (%u,%u,%u), cycle %llu; %llu such access%s",
               run->name, strbuf_text(&what), strbuf_text(&at), strbuf_text(&text), s->block[0], s->block[1],
               s->block[2], s->thread % size[0], s->thread / size[0] % size[1], s->thread / (size[0] * size[1]),
               (unsigned long long)(s->cycle - (run->launch->mode == GPU_TIMING ? run->start_cycle : 0)),
               (unsigned long long)s->count, s->count == 1 ? "" : "es");
    run->result->findings++;
    strbuf_free(&what);
    strbuf_free(&at);
    strbuf_free(&text);
}
