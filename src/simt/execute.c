/* One instruction of one warp: see warp.h. The path that has the turn says which lanes execute; lane functions, warp
 * operations, memory and calls do the work. */
#include "simt/warp.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "simt/execute.h"
#include "simt/lock.h"
#include "simt/matrix.h"
#include "simt/warp_ops.h"

/* The block has so many threads from the warp's first one on. */
static void number_threads(struct simt_warp *warp, const struct simt_grid *grid, unsigned threads)
{
    unsigned width = grid->code->width;
    warp->mixed = grid->rotates_lanes;
    if (!warp->mixed) {
        warp->live = mask_low(threads);
        for (unsigned lane = 0; lane < width; lane++)
            warp->threads[lane] = (uint16_t)(warp->index * width + lane);
        return;
    }
    warp->live = 0;
    for (unsigned i = 0; i < width; i++) {
        unsigned lane = (i + warp->index) % width;
        warp->threads[lane] = (uint16_t)(warp->index * width + i);
        warp->live |= i < threads ? BIT64(lane) : 0;
    }
}

void simt_warp_start(struct simt_warp *warp, const struct simt_block *block, uint32_t index, unsigned threads)
{
    const struct simt_grid *grid = block->grid;
    const struct isa_function *kernel = grid->kernel;
    warp->block = block;
    warp->code = block->grid->code;
    warp->index = index;
    number_threads(warp, grid, threads);
    warp->carry = 0;
    simt_grow_frame(warp, kernel->row_count, kernel->pred_count);
    if (kernel->row_count)
        memset(warp->rows, 0, (size_t)kernel->row_count * grid->code->width * 4);
    if (kernel->pred_count)
        memset(warp->preds, 0, (size_t)kernel->pred_count * 8);
    if (warp->locks)
        simt_locks_start(warp->locks);
    if (warp->local_words)
        memset(warp->local, 0, (size_t)warp->local_words * grid->code->width * 4);
    struct simt_frame frame = {.function = (uint32_t)(kernel - grid->code->module->functions)};
    simt_paths_start(&warp->paths, simt_model_of(grid), warp->live, kernel->first, &frame);
    warp->paths.module = grid->code->module;
    warp->paths.timeout = grid->aware_timeout;
}

static void free_registers(struct simt_warp *warp)
{
    if (!warp->lent) {
        free(warp->rows);
        free(warp->preds);
    }
    warp->rows = NULL;
    warp->preds = NULL;
    warp->row_capacity = warp->pred_capacity = 0;
    warp->lent = false;
}

void simt_warp_free(struct simt_warp *warp)
{
    free_registers(warp);
    free(warp->local);
    simt_locks_free(warp->locks);
    simt_paths_free(&warp->paths);
    *warp = (struct simt_warp){0};
}

/* A warp's piece of lent memory: each part in whole cache lines. */
#define LENT_PATHS 16
struct lent {
    size_t preds, paths, end;
};

static struct lent divide_lent(const struct isa_function *kernel, unsigned width)
{
    struct lent l;
    l.preds = round_up_u64((uint64_t)kernel->row_count * width * 4, 64);
    l.paths = l.preds + round_up_u64((uint64_t)kernel->pred_count * 8, 64);
    l.end = l.paths + round_up_u64(LENT_PATHS * sizeof(struct simt_path), 64);
    return l;
}

size_t simt_warp_bytes(const struct isa_function *kernel, unsigned width)
{
    return divide_lent(kernel, width).end;
}

void simt_warp_lend(struct simt_warp *warp, const struct isa_function *kernel, unsigned width, void *memory)
{
    struct lent l = divide_lent(kernel, width);
    free_registers(warp);
    warp->rows = memory;
    warp->row_capacity = kernel->row_count;
    warp->preds = (uint64_t *)((char *)memory + l.preds);
    warp->pred_capacity = kernel->pred_count;
    warp->lent = true;
    simt_paths_lend(&warp->paths, (struct simt_path *)((char *)memory + l.paths), LENT_PATHS);
}

/* Moves registers out of lent memory, which is too small. */
static void leave_lent(struct simt_warp *warp, unsigned width)
{
    size_t row_bytes = (size_t)warp->row_capacity * width * 4, pred_bytes = (size_t)warp->pred_capacity * 8;
    warp->lent = false;
    warp->rows = base_copy_apart(warp->rows, row_bytes, row_bytes);
    warp->preds = base_copy_apart(warp->preds, pred_bytes, pred_bytes);
}

void simt_grow_frame(struct simt_warp *warp, uint32_t rows, uint32_t preds)
{
    unsigned width = warp->code->width;
    if (warp->lent && (rows > warp->row_capacity || preds > warp->pred_capacity))
        leave_lent(warp, width);
    if (rows > warp->row_capacity) {
        uint32_t capacity = rows > 2 * warp->row_capacity ? rows : 2 * warp->row_capacity;
        warp->rows = base_grow_apart(warp->rows, (size_t)warp->row_capacity * width * 4, (size_t)capacity * width * 4);
        warp->row_capacity = capacity;
    }
    if (preds > warp->pred_capacity) {
        uint32_t capacity = preds > 2 * warp->pred_capacity ? preds : 2 * warp->pred_capacity;
        warp->preds = base_grow_apart(warp->preds, (size_t)warp->pred_capacity * 8, (size_t)capacity * 8);
        warp->pred_capacity = capacity;
    }
}

/* Fills scratch with the value of a computed operand in every lane and returns it. */
static const void *computed_row(const struct simt_warp *warp, const struct simt_operand *operand, uint32_t local_base,
                                uint64_t cycle, uint64_t *scratch)
{
    if (operand->place == SIMT_PLACE_SREG)
        return simt_special_row(warp, operand->row, operand->wide, cycle, local_base, scratch);
    uint64_t value = operand->place == SIMT_PLACE_FRAME ? local_base + operand->value
                                                        : warp->block->grid->dynamic_base + operand->value;
    for (unsigned lane = 0; lane < SIMT_MAX_WIDTH; lane++) {
        if (operand->wide)
            scratch[lane] = value;
        else
            ((uint32_t *)scratch)[lane] = (uint32_t)value;
    }
    return scratch;
}

HOT const void *simt_source_row(const struct simt_warp *warp, const struct simt_operand *operand,
                                const struct simt_frame *frame, uint64_t cycle, uint64_t *scratch)
{
    switch (operand->place) {
    case SIMT_PLACE_ROW:
        return simt_row(warp, frame->reg_base, operand->row);
    case SIMT_PLACE_FIXED:
        return operand->fixed;
    case SIMT_PLACE_NONE:
        return NULL;
    default:
        return computed_row(warp, operand, frame->local_base, cycle, scratch);
    }
}

void simt_operand_values(const struct simt_warp *warp, const struct simt_op *op, unsigned number, uint64_t cycle,
                         uint64_t absent, uint64_t *values)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const struct simt_operand *from = number < op->src_count ? &op->src[number] : NULL;
    const void *row = from ? simt_source_row(warp, from, &warp->paths.now->frame, cycle, scratch) : NULL;
    uint64_t offset = from && from->place == SIMT_PLACE_ROW ? from->value : 0;
    for (unsigned lane = 0; lane < warp->code->width; lane++)
        values[lane] = !row         ? absent
                       : from->wide ? ((const uint64_t *)row)[lane] + offset
                                    : ((const uint32_t *)row)[lane] + offset;
}

uint64_t simt_source_pred(const struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame)
{
    uint64_t value = pred->present                                            ? warp->preds[frame->pred_base + pred->index]
                     : pred->index && !warp->block->grid->explicit_cluster ? 0
                                                                              : ~UINT64_C(0);
    return pred->negate ? ~value : value;
}

void simt_write_pred(struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame,
                     uint64_t mask, uint64_t value)
{
    if (!pred->present)
        return;
    uint64_t *p = &warp->preds[frame->pred_base + pred->index];
    *p = (*p & ~mask) | (value & mask);
}

static void advance_half(struct lane_args *args, const struct simt_op *op)
{
    for (unsigned i = 0; i < op->src_count; i++)
        if (args->src[i])
            args->src[i] = (const char *)args->src[i] + LANES * (op->src[i].wide ? 8 : 4);
    for (unsigned i = 0; i < op->dst_count; i++)
        if (args->dst[i])
            args->dst[i] = (char *)args->dst[i] + LANES * (op->dst[i].wide ? 8 : 4);
}

/* The lane function over the lanes from `shift` on, if any of them executes. */
static inline void run_lanes(struct simt_warp *warp, const struct simt_op *op, struct lane_args *args, uint64_t mask,
                             const uint64_t *pred_src, uint64_t *pred_dst, unsigned shift)
{
    args->mask = (uint32_t)(mask >> shift);
    if (!args->mask)
        return;
    args->pred_src[0] = (uint32_t)(pred_src[0] >> shift);
    args->pred_src[1] = (uint32_t)(pred_src[1] >> shift);
    args->pred_dst[0] = args->pred_dst[1] = 0;
    args->carry = (uint32_t)(warp->carry >> shift);
    op->lanes(args);
    uint64_t lanes = (uint64_t)args->mask << shift;
    warp->carry = (warp->carry & ~lanes) | ((uint64_t)args->carry << shift & lanes);
    pred_dst[0] |= (uint64_t)args->pred_dst[0] << shift;
    pred_dst[1] |= (uint64_t)args->pred_dst[1] << shift;
}

static inline void *reach(const uint32_t *frame, const struct simt_reach *to)
{
    return (void *)(to->offset + ((uintptr_t)frame & to->within));
}

/* An instruction of a 32-lane warp all of whose operands lie in rows and predicates. */
static inline void execute_rows(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr,
                                const struct simt_frame *frame, uint64_t mask)
{
    struct lane_args args;
    uint32_t *rows = warp->rows + (size_t)frame->reg_base * LANES;
    args.instr = instr;
    args.mask = (uint32_t)mask;
    args.pred_src[0] = args.pred_src[1] = UINT32_MAX;
    args.pred_dst[0] = args.pred_dst[1] = 0;
    _Static_assert(SIMT_PLAIN_SOURCES == 3, "each is written out: a loop takes longer than they do");
    args.src[0] = reach(rows, &op->reach[0]);
    args.src[1] = reach(rows, &op->reach[1]);
    args.src[2] = reach(rows, &op->reach[2]);
    args.dst[0] = reach(rows, &op->reach[SIMT_PLAIN_SOURCES]);
    for (unsigned i = 0; i < op->pred_src_count; i++)
        args.pred_src[i] = (uint32_t)simt_source_pred(warp, &op->pred_src[i], frame);
    op->lanes(&args);
    for (unsigned i = 0; i < op->pred_dst_count; i++)
        simt_write_pred(warp, &op->pred_dst[i], frame, mask, args.pred_dst[i]);
}

/* Finds or computes the operands and runs the lane function over the warp, by halves of 32 lanes. */
HOT static void execute_lanes(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr,
                              uint64_t mask, uint64_t cycle)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    struct lane_args args;
    uint64_t scratch[4][SIMT_MAX_WIDTH];
    unsigned used = 0, width = warp->code->width;
    uint32_t *rows = warp->rows + (size_t)frame->reg_base * width;
    args.instr = instr;
    for (unsigned i = 0; i < op->src_count; i++)
        args.src[i] = op->src[i].place == SIMT_PLACE_ROW ? rows + (size_t)op->src[i].row * width
                      : op->src[i].place <= SIMT_PLACE_FIXED
                          ? op->src[i].fixed
                          : simt_source_row(warp, &op->src[i], frame, cycle, scratch[used++ & 3]);
    for (unsigned i = 0; i < op->dst_count; i++)
        args.dst[i] = op->dst[i].place == SIMT_PLACE_ROW ? rows + (size_t)op->dst[i].row * width : NULL;
    uint64_t pred_src[2] = {~UINT64_C(0), ~UINT64_C(0)}, pred_dst[2] = {0, 0};
    for (unsigned i = 0; i < op->pred_src_count; i++)
        pred_src[i] = simt_source_pred(warp, &op->pred_src[i], frame);
    run_lanes(warp, op, &args, mask, pred_src, pred_dst, 0);
    if (width > LANES) {
        advance_half(&args, op);
        run_lanes(warp, op, &args, mask, pred_src, pred_dst, LANES);
    }
    for (unsigned i = 0; i < op->pred_dst_count; i++)
        simt_write_pred(warp, &op->pred_dst[i], frame, mask, pred_dst[i]);
}

static enum simt_event execute_branch(struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr,
                                      struct simt_result *r)
{
    if (RARELY(op->polls))
        simt_poll(&warp->paths, r->mask, instr->target, r->pc + 1,
                  op->waits && warp->paths.model->delays ? ISA_PC_NONE : instr->reconverge);
    else
        simt_branch(&warp->paths, r->mask, instr->target, r->pc + 1, instr->reconverge);
    return SIMT_JUMP;
}

static enum simt_event execute_branch_index(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                            struct simt_result *r)
{
    const struct isa_instr *instr = r->instr;
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint32_t *index = simt_source_row(warp, &op->src[0], frame, cycle, scratch);
    uint32_t next[SIMT_MAX_WIDTH];
    for (uint64_t rest = r->active; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        /* An index past the list is undefined in PTX: the last label is taken, so that the run stays defined. */
        uint32_t i = index[lane] < instr->target_count ? index[lane] : instr->target_count - 1;
        next[lane] = mask_has(r->mask, lane) ? instr->targets[i] : r->pc + 1;
    }
    simt_branch_each(&warp->paths, next, instr->reconverge);
    return SIMT_JUMP;
}

static enum simt_event execute_exit(struct simt_warp *warp, struct simt_result *r)
{
    warp->live &= ~r->mask;
    /* Lanes whose guard is false go on behind the exit. */
    simt_end(&warp->paths, r->mask, r->pc + 1);
    return warp->live ? SIMT_JUMP : SIMT_DONE;
}

static enum simt_event execute_ret(struct simt_warp *warp, struct simt_result *r)
{
    if (simt_in_kernel(warp))
        return execute_exit(warp, r);
    simt_return_values(warp, r->mask);
    simt_leave(&warp->paths, r->mask, r->pc + 1);
    return SIMT_JUMP;
}

/* At most a millisecond: PTX ISA, "nanosleep". */
static enum simt_event execute_sleep(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                     struct simt_result *r)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint32_t *ns = simt_source_row(warp, &op->src[0], &warp->paths.now->frame, cycle, scratch);
    r->sleep_ns = 0;
    for (uint64_t rest = r->mask; rest; rest &= rest - 1)
        if (ns[mask_first(rest)] > r->sleep_ns)
            r->sleep_ns = ns[mask_first(rest)];
    if (r->sleep_ns > 1000000)
        r->sleep_ns = 1000000;
    simt_advance(&warp->paths, r->pc + 1);
    simt_yield(&warp->paths);
    return SIMT_SLEEP;
}

static enum simt_event execute_control(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                       struct simt_result *r)
{
    switch (op->kind) {
    case SIMT_KIND_BRANCH:
        return execute_branch(warp, op, r->instr, r);
    case SIMT_KIND_BRANCH_INDEX:
        return execute_branch_index(warp, op, cycle, r);
    default:
        break;
    }
    if (!r->mask) { /* nobody executes it */
        simt_advance(&warp->paths, r->pc + 1);
        return SIMT_PLAIN;
    }
    switch (op->kind) {
    case SIMT_KIND_CALL:
        return simt_call(warp, op, r);
    case SIMT_KIND_RET:
        return execute_ret(warp, r);
    case SIMT_KIND_EXIT:
        return execute_exit(warp, r);
    case SIMT_KIND_BARRIER:
        return simt_arrive(warp, op, cycle, r);
    case SIMT_KIND_SLEEP:
        return execute_sleep(warp, op, cycle, r);
    default: /* trap, and what a launch check should have refused */
        r->fault = (struct simt_fault){.kind = SIMT_FAULT_TRAP, .lane = (uint8_t)mask_first(r->mask)};
        return SIMT_FAULTED;
    }
}

/* Instructions that do more than run a lane function over rows. */
static enum simt_event execute_other(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                     struct simt_access *access, struct simt_result *r)
{
    enum simt_event event;
    switch (op->kind) {
    case SIMT_KIND_LANES:
        if (r->mask)
            execute_lanes(warp, op, r->instr, r->mask, cycle);
        break;
    case SIMT_KIND_NOP:
        break;
    case SIMT_KIND_DEPENDENT:
        simt_advance(&warp->paths, r->pc + 1);
        return r->mask ? SIMT_DEPENDENT : SIMT_PLAIN;
    case SIMT_KIND_REGISTERS:
        event = r->mask ? simt_gather_whole(warp, cycle, r) : SIMT_PLAIN;
        if (event != SIMT_PLAIN)
            return event;
        simt_advance(&warp->paths, r->pc + 1);
        return r->mask ? SIMT_REGISTERS : SIMT_PLAIN;
    case SIMT_KIND_WARP:
        event = r->mask ? simt_warp_op(warp, op, cycle, r) : SIMT_PLAIN;
        if (event == SIMT_JUMP)
            return event;
        if (event != SIMT_FAULTED)
            simt_advance(&warp->paths, r->pc + 1);
        else
            r->fault.pc = r->pc;
        return event;
    case SIMT_KIND_MATRIX:
        event = r->mask ? simt_matrix(warp, op, cycle, r) : SIMT_PLAIN;
        if (event != SIMT_JUMP && event != SIMT_FAULTED)
            simt_advance(&warp->paths, r->pc + 1);
        return event;
    case SIMT_KIND_MATRIX_MEMORY:
        if (r->mask)
            return simt_matrix_access(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_FENCE:
        simt_advance(&warp->paths, r->pc + 1);
        return r->mask ? SIMT_FENCE : SIMT_PLAIN;
    case SIMT_KIND_LOCK:
        return simt_lock(warp, op, cycle, access, r);
    case SIMT_KIND_MEMORY:
        if (r->mask)
            return simt_memory(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_COPY:
        if (r->mask)
            return simt_copy(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_SEND:
        if (r->mask)
            return simt_send(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_BULK:
        if (r->mask)
            return simt_bulk(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_COPIES:
        return simt_copies(warp, op, r);
    case SIMT_KIND_MBARRIER:
        if (r->mask)
            return simt_mbarrier(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_TEXTURE:
        if (r->mask)
            return simt_texture(warp, op, cycle, access, r);
        break;
    case SIMT_KIND_SURFACE:
        if (r->mask)
            return simt_surface(warp, op, cycle, access, r);
        break;
    default:
        event = execute_control(warp, op, cycle, r);
        if (event == SIMT_FAULTED)
            r->fault.pc = r->pc;
        return event;
    }
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_PLAIN;
}

HOT enum simt_event simt_execute(struct simt_warp *warp, uint64_t cycle, struct simt_access *access,
                                 struct simt_result *r)
{
    struct simt_path *now = warp->paths.now;
    const struct simt_code *code = warp->code;
    uint32_t pc = now->pc;
    const struct isa_instr *instr = &code->module->instrs[pc];
    const struct simt_op *op = &code->ops[pc];
    r->instr = instr;
    r->pc = pc;
    r->active = now->mask;
    r->mask = simt_guard_mask(warp, instr, now);
    if (op->plain) {
        if (r->mask)
            execute_rows(warp, op, instr, &now->frame, r->mask);
        simt_advance_now(&warp->paths, now, pc + 1);
        return SIMT_PLAIN;
    }
    return execute_other(warp, op, cycle, access, r);
}
