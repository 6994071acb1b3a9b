/* Register allocation: virtual registers to rows of the frame, predicates to predicate indices.
 *
 * Linear scan over live ranges with holes (after Poletto and Sarkar, 1999, and Traub et al., 1998), without spilling:
 * registers in order of their first position each take the lowest row that is free over the whole of their range. A
 * register of n rows stands at a multiple of n, so that a 64-bit one is an aligned array of 64-bit lanes. Registers
 * share rows only with registers of the same width: after a branch the lanes of a warp differ in what is live, and a
 * 64-bit lane lies over the 32-bit words of two other lanes. For the same reason the rows of a function that is called
 * are of the width that isa_row_is_wide says: lanes may be in different functions. How many rows result decides only
 * how much memory a warp's registers take; the registers per thread that occupancy counts are the greatest number of
 * words live at once. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/liveness.h"

#define REGISTERS_MIN 4

/* Rows, or predicate indices. from and until are the first span of busy, kept beside it so that a search reads one
 * array. */
struct rows {
    struct arena *scratch;
    uint32_t count;
    uint32_t *from, *until;
    struct ptx_span **busy; /* spans not yet over, ascending */
    uint8_t *width;         /* rows of the registers that may stand here; 0: any, left over by alignment */
    bool called;            /* of a function that is called: isa_row_is_wide says which may stand where */
};

struct item {
    uint32_t start, reg;
    unsigned rows;
};

static void row_show_first(struct rows *rows, uint32_t row)
{
    const struct ptx_span *first = rows->busy[row];
    rows->from[row] = first ? first->start : UINT32_MAX;
    rows->until[row] = first ? first->end : UINT32_MAX;
}

/* True if the row is taken at this position. Ranges that end before it are dropped, so positions must not decrease from
 * call to call. */
static bool row_taken(struct rows *rows, uint32_t row, uint32_t position)
{
    while (rows->until[row] <= position) {
        rows->busy[row] = rows->busy[row]->next;
        row_show_first(rows, row);
    }
    return rows->from[row] <= position;
}

static bool row_fits(struct rows *rows, uint32_t row, const struct ptx_span *want)
{
    if (row_taken(rows, row, want->start))
        return false;
    const struct ptx_span *busy = rows->busy[row];
    while (busy && want) {
        if (busy->end <= want->start)
            busy = busy->next;
        else if (want->end <= busy->start)
            want = want->next;
        else
            return false;
    }
    return true;
}

static void row_take(struct rows *rows, uint32_t row, const struct ptx_span *want)
{
    struct ptx_span **at = &rows->busy[row];
    for (; want; want = want->next) {
        while (*at && (*at)->start < want->start)
            at = &(*at)->next;
        struct ptx_span *copy = ARENA_NEW(rows->scratch, struct ptx_span, 1);
        *copy = (struct ptx_span){want->start, want->end, *at};
        *at = copy;
        at = &copy->next;
    }
    row_show_first(rows, row);
}

static bool group_fits(struct rows *rows, uint32_t row, unsigned n, const struct ptx_span *want)
{
    for (unsigned k = 0; k < n; k++)
        if (row + k < rows->count &&
            ((rows->width[row + k] && rows->width[row + k] != n) || !row_fits(rows, row + k, want)))
            return false;
    return true;
}

/* 128-bit registers are named by no instruction that is executed: they stand anywhere. */
static bool has_width(uint32_t row, unsigned n)
{
    return n > 2 || isa_row_is_wide(row) == (n == 2);
}

static uint32_t find_row(struct rows *rows, unsigned n, const struct ptx_span *want)
{
    uint32_t row = 0;
    while ((rows->called && !has_width(row, n)) || (row < rows->count && !group_fits(rows, row, n, want)))
        row += n;
    return row;
}

static uint32_t place(struct rows *rows, unsigned n, const struct ptx_span *want)
{
    uint32_t row = find_row(rows, n, want);
    for (; rows->count < row + n; rows->count++)
        row_show_first(rows, rows->count);
    for (unsigned k = 0; k < n; k++) {
        rows->width[row + k] = (uint8_t)n;
        row_take(rows, row + k, want);
    }
    return row;
}

static struct rows rows_init(uint32_t most, struct arena *scratch)
{
    return (struct rows){
        .scratch = scratch,
        .from = ARENA_NEW(scratch, uint32_t, most),
        .until = ARENA_NEW(scratch, uint32_t, most),
        .busy = ARENA_NEW(scratch, struct ptx_span *, most),
        .width = ARENA_NEW(scratch, uint8_t, most),
    };
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rows != y->rows)
        return x->rows > y->rows ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Registers that spilling left without a name stand where another of their width does: a call clears the rows of all that
 * its function has. */
static void place_unnamed(struct isa_function *function, const struct ptx_liveness *liveness)
{
    uint32_t row_of[5] = {0};
    for (uint32_t r = 0; r < function->reg_count && function->temporaries; r++)
        if (liveness->spans[r] && function->regs[r].type != ISA_PRED)
            row_of[ptx_register_rows(&function->regs[r])] = function->regs[r].row;
    for (uint32_t r = 0; r < function->reg_count && function->temporaries; r++)
        if (!liveness->spans[r] && function->regs[r].type != ISA_PRED)
            function->regs[r].row = row_of[ptx_register_rows(&function->regs[r])];
}

static void allocate_rows(struct isa_function *function, const struct ptx_liveness *liveness, struct arena *scratch)
{
    struct item *items = ARENA_NEW(scratch, struct item, function->reg_count);
    uint32_t n = 0, most = 4;
    for (uint32_t r = 0; r < function->reg_count; r++)
        if (liveness->spans[r]) {
            items[n] = (struct item){liveness->spans[r]->start, r, ptx_register_rows(&function->regs[r])};
            most += 2 * items[n++].rows; /* its own rows, and rows skipped to align it, or of the other width */
        }
    qsort(items, n, sizeof *items, compare_items);
    struct rows rows = rows_init(most, scratch), preds = rows_init(n + 4, scratch);
    rows.called = !function->is_kernel;
    for (uint32_t i = 0; i < n; i++) {
        struct isa_reg *reg = &function->regs[items[i].reg];
        bool pred = reg->type == ISA_PRED;
        reg->row = place(pred ? &preds : &rows, pred ? 1 : items[i].rows, liveness->spans[items[i].reg]);
    }
    place_unnamed(function, liveness);
    function->row_count = rows.count;
    function->pred_count = preds.count;
}

static void keep_rows(struct isa_function *function)
{
    function->row_count = function->pred_count = 0;
    for (uint32_t r = 0; r < function->reg_count; r++) {
        struct isa_reg *reg = &function->regs[r];
        if (reg->type == ISA_PRED) {
            reg->row = function->pred_count++;
            continue;
        }
        unsigned n = ptx_register_rows(reg);
        reg->row = (uint32_t)round_up_u64(function->row_count, n);
        while (!function->is_kernel && !has_width(reg->row, n))
            reg->row += n;
        function->row_count = reg->row + n;
    }
}

/* Operands are written through: they belong to the module, which is still being built. */
static void bind_rows(struct isa_module *module, const struct isa_function *function)
{
    for (uint32_t i = function->first; i < function->first + function->count; i++) {
        struct isa_instr *instr = &module->instrs[i];
        struct isa_operand *operand;
        if (instr->guarded && instr->guard_reg < function->reg_count)
            instr->guard = function->regs[instr->guard_reg].row;
        for (unsigned k = 0; (operand = ptx_operand(instr, k)); k++)
            if (ptx_operand_register(operand) < function->reg_count)
                operand->row = function->regs[operand->reg].row;
    }
}

static uint32_t registers_per_thread(const struct isa_function *function, uint32_t pressure,
                                     const struct ptx_options *options)
{
    if (options && options->registers)
        return options->registers;
    uint32_t registers = pressure < REGISTERS_MIN ? REGISTERS_MIN : pressure;
    return function->max_registers && function->max_registers < registers ? function->max_registers : registers;
}

static bool live_at(const struct ptx_span *span, uint32_t position)
{
    while (span && span->end <= position)
        span = span->next;
    return span && span->start <= position;
}

/* Lists the registers that are live at the target of a loop's branch back: those that a thread carries into the next
 * pass. */
static void list_live(struct isa_module *module, const struct isa_function *function,
                      const struct ptx_liveness *liveness, struct arena *scratch)
{
    uint16_t *found = ARENA_NEW(scratch, uint16_t, function->reg_count + 1);
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        struct isa_instr *instr = &module->instrs[pc];
        if (instr->op != ISA_OP_BRA || instr->target > pc)
            continue;
        for (uint32_t r = 0; r < function->reg_count; r++)
            if (live_at(liveness->spans[r], 2 * (instr->target - function->first)))
                found[instr->live_count++] = (uint16_t)r;
        uint16_t *live = ARENA_NEW(&module->arena, uint16_t, instr->live_count + 1);
        memcpy(live, found, instr->live_count * sizeof *live);
        instr->live = live;
    }
}

void ptx_allocate(struct isa_module *module, struct isa_function *function, const struct ptx_cfg *cfg,
                  const struct ptx_options *options, struct arena *scratch)
{
    const struct ptx_liveness *liveness = ptx_find_liveness(module, function, cfg, scratch);
    function->registers = registers_per_thread(function, liveness->pressure, options);
    if (options && options->keep_registers)
        keep_rows(function);
    else
        allocate_rows(function, liveness, scratch);
    bind_rows(module, function);
    list_live(module, function, liveness, scratch);
}
