/* Threads that go from warp to warp: see form.h. */
#include "simt/form.h"

#include "base/bits.h"
#include "simt/execute.h"
#include "simt/lock.h"

/* Which kernels */

/* A barrier of the whole block, numbered 0: then it is no matter in which warps the threads come. */
static bool is_plain_barrier(const struct isa_instr *instr)
{
    if (instr->mods.barrier == ISA_BARRIER_GRID)
        return true;
    bool counts_threads = instr->src_count > 1 && instr->src[1].kind != ISA_OPERAND_NONE;
    return instr->mods.barrier == ISA_BARRIER_SYNC && isa_constant_barrier(instr) == 0 && !counts_threads;
}

static bool counts_on_warp(const struct isa_module *module, const struct isa_instr *instr)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    if (flags & ISA_FLAG_WARP)
        return true;
    if (instr->call && instr->call->callee < module->function_count)
        return module->functions[instr->call->callee].intrinsic != ISA_INTRINSIC_NONE;
    return (flags & ISA_FLAG_BARRIER) && !is_plain_barrier(instr);
}

static bool any_counts_on_warp(const struct isa_module *module, const struct isa_function *f, bool *calls)
{
    bool any = false;
    for (uint32_t pc = f->first; pc < f->first + f->count; pc++) {
        any |= counts_on_warp(module, &module->instrs[pc]);
        *calls |= module->instrs[pc].call != NULL;
    }
    return any;
}

bool simt_may_form(const struct isa_module *module, const struct isa_function *kernel)
{
    bool calls = false, any = any_counts_on_warp(module, kernel, &calls);
    for (uint32_t i = 0; i < module->function_count && calls && !any; i++)
        if (!module->functions[i].is_kernel)
            any = any_counts_on_warp(module, &module->functions[i], &calls);
    return !any;
}

/* Swaps of a thread's state, by lane */

static void swap_word(uint32_t *a, uint32_t *b)
{
    uint32_t word = *a;
    *a = *b;
    *b = word;
}

/* A row's word of each lane; wide: both words of a row and the next. */
static void swap_row(uint32_t *a, uint32_t *b, bool wide, uint64_t lanes)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned at = mask_first(rest) << wide;
        swap_word(&a[at], &b[at]);
        if (wide)
            swap_word(&a[at + 1], &b[at + 1]);
    }
}

static void swap_registers(const struct simt_warp *a, const struct simt_warp *b, uint64_t lanes)
{
    const struct isa_function *kernel = a->block->grid->kernel;
    const uint64_t *wide_rows = a->code->wide[kernel - a->code->module->functions];
    for (uint32_t row = 0; row < kernel->row_count; row++) {
        bool wide = mask_has(wide_rows[row / 64], row % 64);
        swap_row(simt_row(a, 0, row), simt_row(b, 0, row), wide, lanes);
        row += wide;
    }
    for (uint32_t i = 0; i < kernel->pred_count; i++)
        simt_swap_bits(&a->preds[i], &b->preds[i], lanes);
}

static void swap_local(struct simt_warp *a, struct simt_warp *b, uint64_t lanes)
{
    uint32_t words = a->local_words > b->local_words ? a->local_words : b->local_words;
    if (!words)
        return;
    simt_grow_local(a, words);
    simt_grow_local(b, words);
    for (size_t word = 0, width = a->code->width; word < words; word++)
        swap_row(&a->local[word * width], &b->local[word * width], false, lanes);
}

static void swap_threads(struct simt_warp *a, struct simt_warp *b, uint64_t lanes)
{
    swap_registers(a, b, lanes);
    swap_local(a, b, lanes);
    simt_swap_bits(&a->carry, &b->carry, lanes);
    simt_swap_bits(&a->live, &b->live, lanes);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        uint16_t *one = &a->threads[mask_first(rest)], *other = &b->threads[mask_first(rest)], thread = *one;
        *one = *other;
        *other = thread;
    }
    a->mixed = b->mixed = true;
    if (a->locks || b->locks)
        simt_swap_locks(a, b, lanes);
}

/* Paths */

/* Where a lane stands; it has no path if it has ended. */
static struct simt_path path_of(const struct simt_warp *warp, unsigned lane)
{
    struct simt_path path = {0};
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);)
        if (mask_has(walk.lanes, lane))
            return *walk.path;
    return path;
}

static void swap_paths(struct simt_warp *a, struct simt_warp *b, uint64_t lane)
{
    const struct simt_forming *forming = a->paths.model->forming;
    struct simt_path of_a = path_of(a, mask_first(lane)), of_b = path_of(b, mask_first(lane));
    if (of_a.mask)
        forming->leave(&a->paths, lane);
    if (of_b.mask)
        forming->leave(&b->paths, lane);
    if (of_a.mask)
        forming->come(&b->paths, lane, &of_a);
    if (of_b.mask)
        forming->come(&a->paths, lane, &of_b);
}

void simt_exchange(struct simt_warp *a, struct simt_warp *b, uint64_t lanes)
{
    contract(lanes && a != b && a->block == b->block);
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        swap_paths(a, b, rest & -rest);
    swap_threads(a, b, lanes);
    a->paths.model->arrive(&a->paths);
    b->paths.model->arrive(&b->paths);
}

uint64_t simt_homes(const struct simt_warp *warp, uint64_t lanes)
{
    uint64_t homes = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        homes |= BIT64(warp->threads[mask_first(rest)] / warp->code->width);
    return homes;
}
