/* Names for addresses, in the words of the program: variables, allocations, and the memory that a launch uses. */
#include <string.h>

#include "gpu/gpu_impl.h"

#define NEAR (1u << 20) /* bytes from an allocation within which an address is told by it */
#define NULL_BYTES 4096 /* addresses that come of a null pointer */

static void add_offset(uint64_t offset, struct strbuf *out)
{
    if (offset)
        strbuf_addf(out, "+%llu", (unsigned long long)offset);
}

/* Shared variables of a function are named after it, and those of several kernels lie at the same addresses. */
static bool is_of_other_kernel(const struct isa_module *code, const struct isa_function *kernel,
                               const struct isa_variable *v)
{
    for (uint32_t i = 0; i < code->function_count && strncmp(v->name, "_ZZ", 3) == 0; i++) {
        const struct isa_function *f = &code->functions[i];
        size_t n = f->is_kernel && strncmp(f->name, "_Z", 2) == 0 ? strlen(f->name + 2) : 0;
        if (f != kernel && n && strncmp(v->name + 3, f->name + 2, n) == 0 && v->name[3 + n] == 'E')
            return true;
    }
    return false;
}

static bool is_shared(const struct isa_module *code, const struct isa_function *kernel, const struct isa_variable *v)
{
    return v->space == ISA_SPACE_SHARED && !v->is_extern && !v->is_extern_shared &&
           !is_of_other_kernel(code, kernel, v);
}

/* A variable of the module, of the kernel's shared ones unless that is NULL; true when the address is in it. */
static bool add_variable(const struct isa_module *code, const struct isa_function *kernel, uint64_t address,
                         struct strbuf *out)
{
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct isa_variable *v = &code->variables[i];
        uint64_t bytes = v->bytes ? v->bytes : 1;
        bool meant = kernel ? is_shared(code, kernel, v) : v->space != ISA_SPACE_SHARED && !v->is_extern;
        if (!meant || address - v->address >= bytes)
            continue;
        isa_plain_name(v->name, out);
        add_offset(address - v->address, out);
        return true;
    }
    return false;
}

static const struct gpu_label *label_at(const struct gpu *gpu, uint64_t address, bool freed)
{
    for (size_t i = gpu->labels.count; i-- > 0;) {
        const struct gpu_label *l = &gpu->labels.items[i];
        if (l->freed == freed && address >= l->start && address - l->start < l->bytes)
            return l;
    }
    return NULL;
}

/* Nothing was allocated there since it was freed. */
static bool is_untouched(const struct gpu *gpu, const struct gpu_label *l)
{
    for (uint32_t i = 0; i < gpu->store.block_count; i++)
        if (gpu->store.blocks[i].start < l->start + l->bytes && l->start < gpu->store.blocks[i].end)
            return false;
    return true;
}

void gpu_add_label(const struct gpu_label *l, struct strbuf *out)
{
    if (l->name)
        strbuf_add(out, l->name);
    else
        strbuf_addf(out, "allocation #%u (%s%s%llu bytes)", l->number, l->how, *l->how ? ", " : "",
                    (unsigned long long)l->bytes);
}

static bool is_parameters(const struct gpu *gpu, uint64_t start)
{
    for (unsigned i = 0; i < GPU_TOGETHER; i++)
        if (start == gpu->params[i])
            return true;
    return false;
}

static bool add_block(const struct gpu *gpu, uint64_t address, struct strbuf *out)
{
    const struct store_block *block = store_find(&gpu->store, address);
    const struct gpu_label *label = label_at(gpu, address, false);
    if (!block)
        return false;
    if (label)
        gpu_add_label(label, out);
    else if (is_parameters(gpu, block->start))
        strbuf_add(out, "the kernel's parameters");
    else if (block->start == gpu->workspace)
        strbuf_add(out, "the grid's workspace");
    else if (block->start == gpu->heap)
        strbuf_add(out, "the heap of device malloc");
    else
        strbuf_addf(out, "an allocation of %llu bytes", (unsigned long long)(block->end - block->start));
    add_offset(address - block->start, out);
    return true;
}

bool gpu_add_place(const struct gpu *gpu, const struct isa_module *code, uint64_t address, struct strbuf *out)
{
    if (add_variable(code, NULL, address, out))
        return true;
    for (const struct gpu_module *m = gpu->modules; m; m = m->next)
        if (m->code != code && add_variable(m->code, NULL, address, out))
            return true;
    return add_block(gpu, address, out);
}

bool gpu_add_shared_place(const struct simt_grid *grid, uint64_t address, struct strbuf *out)
{
    if (grid->dynamic_shared && address - grid->dynamic_base < grid->dynamic_shared) {
        strbuf_add(out, "dynamic shared memory");
        add_offset(address - grid->dynamic_base, out);
        return true;
    }
    return add_variable(grid->code->module, grid->kernel, address, out);
}

/* Bytes from an address to a block that it is not in. */
static uint64_t distance(const struct store_block *block, uint64_t address)
{
    return address < block->start ? block->start - address : address - block->end;
}

bool gpu_add_former(const struct gpu *gpu, uint64_t address, struct strbuf *out)
{
    const struct gpu_label *freed = label_at(gpu, address, true);
    if (!freed || label_at(gpu, address, false))
        return false;
    gpu_add_label(freed, out);
    strbuf_add(out, ", which was freed");
    return true;
}

bool gpu_address_of_parameters(const struct gpu *gpu, uint64_t address)
{
    const struct store_block *block = store_find(&gpu->store, address);
    return block && is_parameters(gpu, block->start);
}

bool gpu_add_behind(const struct gpu *gpu, uint64_t address, struct strbuf *out)
{
    const struct gpu_label *nearest = NULL;
    for (size_t i = 0; i < gpu->labels.count; i++) {
        const struct gpu_label *l = &gpu->labels.items[i];
        uint64_t end = l->start + l->bytes;
        if (!l->freed && end <= address && address - end <= NEAR && (!nearest || end > nearest->start + nearest->bytes))
            nearest = l;
    }
    if (nearest) {
        strbuf_addf(out, "%llu bytes behind the end of ",
                    (unsigned long long)(address - nearest->start - nearest->bytes));
        gpu_add_label(nearest, out);
    }
    return nearest;
}

bool gpu_add_nearest(const struct gpu *gpu, const struct isa_module *code, uint64_t address, struct strbuf *out)
{
    const struct gpu_label *freed = label_at(gpu, address, true);
    const struct store_block *nearest = NULL;
    if (freed && is_untouched(gpu, freed)) {
        strbuf_add(out, "inside ");
        gpu_add_label(freed, out);
        strbuf_add(out, ", which was freed");
        return true;
    }
    if (address < NULL_BYTES) {
        strbuf_addf(out, "%llu bytes from a null pointer", (unsigned long long)address);
        return true;
    }
    for (uint32_t i = 0; i < gpu->store.block_count; i++) {
        const struct store_block *block = &gpu->store.blocks[i];
        if (!nearest || distance(block, address) < distance(nearest, address))
            nearest = block;
    }
    if (!nearest || distance(nearest, address) > NEAR)
        return false;
    bool before = address < nearest->start;
    strbuf_addf(out, "%llu bytes %s ", (unsigned long long)(distance(nearest, address)),
                before ? "before the beginning of" : "behind the end of");
    return gpu_add_place(gpu, code, nearest->start, out);
}

bool gpu_add_nearest_shared(const struct simt_grid *grid, uint64_t address, struct strbuf *out)
{
    const struct isa_module *code = grid->code->module;
    const struct isa_variable *nearest = NULL;
    uint64_t end = grid->dynamic_base + grid->dynamic_shared;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct isa_variable *v = &code->variables[i];
        if (is_shared(code, grid->kernel, v) && v->address + v->bytes <= address &&
            v->address + v->bytes <= grid->kernel->shared_bytes && (!nearest || v->address > nearest->address))
            nearest = v;
    }
    strbuf_addf(out, "the block has %llu bytes of shared memory", (unsigned long long)end);
    if (!nearest || grid->dynamic_shared)
        return true;
    strbuf_addf(out, ", %llu bytes behind the end of ",
                (unsigned long long)(address - nearest->address - nearest->bytes));
    isa_plain_name(nearest->name, out);
    return true;
}

/* How many allocations are known by number: of a program with more, those that were freed are forgotten, or all. */
#define LABELS 4096

void gpu_note_allocation(struct gpu *gpu, uint64_t start, uint64_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; gpu->labels.count == LABELS && i < LABELS; i++)
        if (!gpu->labels.items[i].freed)
            gpu->labels.items[kept++] = gpu->labels.items[i];
    if (gpu->labels.count == LABELS)
        gpu->labels.count = kept < LABELS ? kept : 0;
    vec_push(&gpu->labels, (struct gpu_label){.start = start, .bytes = bytes, .number = ++gpu->allocations, .how = ""});
}

void gpu_note_release(struct gpu *gpu, uint64_t start)
{
    for (size_t i = gpu->labels.count; i-- > 0;)
        if (gpu->labels.items[i].start == start && !gpu->labels.items[i].freed) {
            gpu->labels.items[i].freed = true;
            return;
        }
}

void gpu_label(struct gpu *gpu, uint64_t start, const char *how, const char *name)
{
    for (size_t i = gpu->labels.count; i-- > 0;)
        if (gpu->labels.items[i].start == start && !gpu->labels.items[i].freed) {
            gpu->labels.items[i].how = how;
            gpu->labels.items[i].name = name ? arena_strdup(&gpu->arena, name) : NULL;
            return;
        }
}
