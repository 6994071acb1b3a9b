/* The needs of a function together with all functions that it can call: registers, shared memory, and whether any of it lies
 * outside the model.
 *
 * Each of these is the worst over the functions it can reach, itself included, so recursion needs no care: values are
 * taken from worst to best, and each marks whoever can reach it and is not marked yet. An indirect call may go to any
 * function whose address is taken anywhere in the module; all of them hang on one more node, which those calls call. */
#include <stdlib.h>
#include <string.h>

#include "ptx/analyse.h"

struct edge {
    uint32_t from, next; /* caller; next edge of the same callee, UINT32_MAX at the end */
};

struct graph {
    uint32_t count;        /* functions and the node of indirect calls, the last */
    uint32_t *first_edge;  /* by callee */
    struct edge *edges;
    uint32_t edge_count;
};

struct need {
    uint32_t value, function;
};

static void add_call(struct graph *g, uint32_t from, uint32_t to)
{
    if (to >= g->count)
        return;
    g->edges[g->edge_count] = (struct edge){from, g->first_edge[to]};
    g->first_edge[to] = g->edge_count++;
}

static void add_function_calls(struct graph *g, const struct isa_module *module, uint32_t f)
{
    const struct isa_function *function = &module->functions[f];
    uint32_t indirect = g->count - 1;
    for (uint32_t i = function->first; i < function->first + function->count; i++) {
        const struct isa_instr *instr = &module->instrs[i];
        if (instr->call)
            add_call(g, f, instr->call->callee == UINT32_MAX ? indirect : instr->call->callee);
    }
}

static void find_taken(uint8_t *taken, const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++)
        for (unsigned k = 0; k < module->instrs[i].src_count; k++) {
            const struct isa_operand *operand = &module->instrs[i].src[k];
            if (operand->kind == ISA_OPERAND_FUNC && operand->reg < module->function_count)
                taken[operand->reg] = 1;
        }
    for (uint32_t v = 0; v < module->variable_count; v++)
        for (uint32_t r = 0; r < module->variables[v].reloc_count; r++) {
            const struct isa_reloc *reloc = &module->variables[v].relocs[r];
            if (reloc->is_function && reloc->symbol < module->function_count)
                taken[reloc->symbol] = 1;
        }
}

static struct graph build_graph(const struct isa_module *module, struct arena *scratch)
{
    struct graph g = {.count = module->function_count + 1};
    uint32_t edges = module->function_count;
    for (uint32_t i = 0; i < module->instr_count; i++)
        edges += module->instrs[i].call != NULL;
    g.first_edge = ARENA_NEW(scratch, uint32_t, g.count);
    memset(g.first_edge, 0xff, g.count * sizeof *g.first_edge);
    g.edges = ARENA_NEW(scratch, struct edge, edges);
    uint8_t *taken = ARENA_NEW(scratch, uint8_t, module->function_count);
    find_taken(taken, module);
    for (uint32_t f = 0; f < module->function_count; f++) {
        add_function_calls(&g, module, f);
        if (taken[f])
            add_call(&g, g.count - 1, f);
    }
    return g;
}

/* Greatest value first, then by function. */
static int compare_needs(const void *a, const void *b)
{
    const struct need *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Replaces values[f] by the greatest of the functions that f can reach. */
static void spread(const struct graph *g, uint32_t *values, struct arena *scratch)
{
    struct need *needs = ARENA_NEW(scratch, struct need, g->count);
    uint8_t *done = ARENA_NEW(scratch, uint8_t, g->count);
    uint32_t *work = ARENA_NEW(scratch, uint32_t, g->count);
    for (uint32_t f = 0; f < g->count; f++)
        needs[f] = (struct need){values[f], f};
    qsort(needs, g->count, sizeof *needs, compare_needs);
    for (uint32_t i = 0; i < g->count; i++) {
        if (done[needs[i].function])
            continue;
        uint32_t n = 0;
        work[n++] = needs[i].function;
        done[needs[i].function] = 1;
        while (n) {
            uint32_t f = work[--n];
            values[f] = needs[i].value;
            for (uint32_t e = g->first_edge[f]; e != UINT32_MAX; e = g->edges[e].next)
                if (!done[g->edges[e].from]) {
                    done[g->edges[e].from] = 1;
                    work[n++] = g->edges[e].from;
                }
        }
    }
}

/* Barriers as values to spread: a greater number is a greater value, and of equal ones the earlier instruction is. */
#define BARRIER_SHIFT 27
#define BARRIER_PC (((uint32_t)1 << BARRIER_SHIFT) - 1) /* instructions from here on are taken for this one */
#define BARRIER_MOST 30u                                /* numbers from here on, all illegal, for this one */

static uint32_t barrier_value(const struct isa_module *module, uint32_t pc)
{
    if (pc == ISA_PC_NONE)
        return 0;
    uint32_t number = isa_constant_barrier(&module->instrs[pc]);
    return ((number < BARRIER_MOST ? number : BARRIER_MOST) + 1) << BARRIER_SHIFT |
           (BARRIER_PC - (pc < BARRIER_PC ? pc : BARRIER_PC));
}

static uint32_t barrier_pc(uint32_t value)
{
    return value ? BARRIER_PC - (value & BARRIER_PC) : ISA_PC_NONE;
}

/* The greatest of the function's own, until ptx_reach adds those of callees. */
void ptx_find_barriers(struct isa_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        uint32_t most = 0;
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            if (isa_constant_barrier(&module->instrs[pc]) == ISA_NO_BARRIER)
                continue;
            uint32_t value = barrier_value(module, pc);
            most = value > most ? value : most;
        }
        function->barrier = barrier_pc(most);
    }
}

static bool moves_registers(const struct isa_module *module, const struct isa_function *function)
{
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++)
        if (module->instrs[pc].op == ISA_OP_SETMAXNREG)
            return true;
    return false;
}

void ptx_reach(struct isa_module *module)
{
    struct arena scratch;
    arena_init(&scratch);
    struct graph g = build_graph(module, &scratch);
    uint32_t *registers = ARENA_NEW(&scratch, uint32_t, g.count), *shared = ARENA_NEW(&scratch, uint32_t, g.count);
    uint32_t *align = ARENA_NEW(&scratch, uint32_t, g.count), *outside = ARENA_NEW(&scratch, uint32_t, g.count);
    uint32_t *device = ARENA_NEW(&scratch, uint32_t, g.count), *barrier = ARENA_NEW(&scratch, uint32_t, g.count);
    uint32_t *moves = ARENA_NEW(&scratch, uint32_t, g.count);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        registers[f] = function->registers;
        shared[f] = function->shared_bytes;
        align[f] = function->shared_align;
        device[f] = function->intrinsic != ISA_INTRINSIC_NONE && function->intrinsic != ISA_INTRINSIC_ASSERTFAIL;
        outside[f] = ~function->outside; /* the least index is the greatest value, none is 0 */
        barrier[f] = barrier_value(module, function->barrier);
        moves[f] = moves_registers(module, function);
    }
    spread(&g, registers, &scratch);
    spread(&g, shared, &scratch);
    spread(&g, align, &scratch);
    spread(&g, outside, &scratch);
    spread(&g, device, &scratch);
    spread(&g, barrier, &scratch);
    spread(&g, moves, &scratch);
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        /* .maxnreg speaks for the whole call tree, but not against an override that already exceeds it. */
        uint32_t cap = function->max_registers;
        if (cap && cap < function->registers)
            cap = function->registers;
        function->registers = cap && cap < registers[f] ? cap : registers[f];
        function->shared_bytes = shared[f];
        function->shared_align = align[f];
        function->outside = ~outside[f];
        function->calls_device = device[f];
        function->barrier = barrier_pc(barrier[f]);
        function->moves_registers = moves[f];
    }
    arena_free(&scratch);
}
