/* A warp in a checkpoint: registers, predicates, local memory and the stack; and a memory instruction under way. */
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "simt/execute.h"

#define MAX_ROWS (1u << 24)
#define MAX_DEPTH (1u << 20)

static const struct isa_module *module_of(const struct simt_warp *warp)
{
    return warp->block->grid->code->module;
}

/* An entry's frame must lie in the buffers. */
static void archive_entry(struct simt_warp *warp, struct archive *ar, struct simt_stack_entry *e)
{
    const struct isa_module *module = module_of(warp);
    archive_place(ar, &e->pc, module->instr_count);
    archive_place(ar, &e->reconverge, module->instr_count);
    ARCHIVE(ar, e->mask);
    archive_u8_to(ar, &e->type, SIMT_ENTRY_CALL);
    archive_u32_to(ar, &e->function, module->function_count - 1);
    const struct isa_function *function = &module->functions[e->function];
    archive_u32_to(ar, &e->reg_base, warp->row_capacity);
    archive_u32_to(ar, &e->pred_base, warp->pred_capacity);
    ARCHIVE(ar, e->local_base);
    if (function->row_count > warp->row_capacity - e->reg_base ||
        function->pred_count > warp->pred_capacity - e->pred_base)
        archive_fail(ar, "a frame lies outside its warp's registers");
}

static void archive_stack(struct simt_warp *warp, struct archive *ar)
{
    struct simt_stack *stack = &warp->stack;
    uint32_t depth = stack->depth;
    archive_u32_to(ar, &depth, MAX_DEPTH);
    ARCHIVE(ar, stack->max_depth);
    archive_bool(ar, &stack->not_taken_first);
    if (archive_loading(ar))
        simt_stack_reserve(stack, depth);
    stack->depth = depth;
    for (uint32_t i = 0; i < depth; i++)
        archive_entry(warp, ar, &stack->entries[i]);
}

static void archive_local(struct simt_warp *warp, struct archive *ar)
{
    size_t width = warp->block->grid->code->width;
    uint32_t words = warp->local_words;
    archive_u32_to(ar, &words, warp->block->grid->stack_bytes / 4 * 2 + 64);
    if (archive_loading(ar) && words > warp->local_words) {
        warp->local = base_realloc(warp->local, words * width * 4);
        warp->local_words = words;
    }
    if (archive_loading(ar) && warp->local_words)
        memset(warp->local, 0, warp->local_words * width * 4);
    ARCHIVE_ARRAY(ar, warp->local, words * width);
}

void simt_warp_archive(struct simt_warp *warp, const struct simt_block *block, struct archive *ar)
{
    warp->block = block;
    size_t width = block->grid->code->width;
    uint32_t rows = warp->row_capacity, preds = warp->pred_capacity;
    ARCHIVE(ar, warp->index);
    ARCHIVE(ar, warp->sm);
    ARCHIVE(ar, warp->slot);
    ARCHIVE(ar, warp->live);
    ARCHIVE(ar, warp->carry);
    archive_u32_to(ar, &rows, MAX_ROWS);
    archive_u32_to(ar, &preds, MAX_ROWS);
    if (archive_loading(ar))
        simt_grow_frame(warp, rows, preds);
    ARCHIVE_ARRAY(ar, warp->rows, rows * width);
    ARCHIVE_ARRAY(ar, warp->preds, preds);
    archive_local(warp, ar);
    archive_stack(warp, ar);
}

void simt_access_archive(struct simt_access *access, const struct simt_code *code, struct archive *ar)
{
    uint32_t pc = archive_loading(ar) ? 0 : (uint32_t)(access->instr - code->module->instrs);
    archive_u32_to(ar, &pc, code->module->instr_count - 1);
    access->instr = &code->module->instrs[pc];
    access->op = &code->ops[pc];
    ARCHIVE(ar, access->mask);
    ARCHIVE(ar, access->changed);
    ARCHIVE(ar, access->kind);
    archive_u8_to(ar, &access->space, ISA_SPACE_SHARED);
    archive_u8_to(ar, &access->element_bytes, SIMT_ACCESS_BYTES);
    archive_u8_to(ar, &access->elements, SIMT_ACCESS_BYTES);
    archive_u8_to(ar, &access->stride, SIMT_ACCESS_BYTES);
    archive_bool(ar, &access->straight);
    archive_bool(ar, &access->same);
    ARCHIVE(ar, access->low);
    ARCHIVE(ar, access->high);
    ARCHIVE(ar, access->reg_base);
    ARCHIVE(ar, access->pc);
    ARCHIVE(ar, access->address);
    ARCHIVE(ar, access->data);
}
