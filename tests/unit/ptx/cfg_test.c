/* Control-flow graphs and reconvergence points, against the definition: v post-dominates u when every path from u to
 * the exit passes v. Paths into a trap are none, unless there are no others. */
#include "unit/ptx/make_program.h"
#include "unit/ptx/ptx_support.h"
#include "effort.h"

#define MOST 28

/* Instruction-level graph with its own reachability, kept apart from blocks. Node n is the exit. */
struct graph {
    uint32_t n;
    bool edge[MOST + 1][MOST + 1];
};

static void reach_from(const struct graph *g, uint32_t u, uint32_t removed, bool *seen)
{
    uint32_t work[MOST + 1], count = 0;
    memset(seen, 0, MOST + 1);
    if (u == removed)
        return;
    seen[u] = true;
    work[count++] = u;
    while (count) {
        uint32_t at = work[--count];
        for (uint32_t v = 0; v <= g->n; v++)
            if (g->edge[at][v] && !seen[v] && v != removed) {
                seen[v] = true;
                work[count++] = v;
            }
    }
}

/* Every set of instructions that can reach each other and nothing else gets a way out behind its last instruction. */
static void open_endless(struct graph *g)
{
    static const uint32_t none = UINT32_MAX;
    bool reach[MOST + 1][MOST + 1];
    uint32_t leave[MOST], leavers = 0;
    for (uint32_t u = 0; u <= g->n; u++)
        reach_from(g, u, none, reach[u]);
    for (uint32_t u = 0; u < g->n; u++) {
        bool closed = !reach[u][g->n], last = true;
        for (uint32_t v = 0; v < g->n; v++)
            if (reach[u][v]) {
                closed = closed && reach[v][u];
                last = last && v <= u;
            }
        if (closed && last)
            leave[leavers++] = u;
    }
    for (uint32_t k = 0; k < leavers; k++)
        g->edge[leave[k]][g->n] = true;
}

static bool traps(const struct maker *m, uint32_t i)
{
    const struct isa_instr *instr = &m->module.instrs[m->function.first + i];
    return instr->op == ISA_OP_TRAP || instr->call;
}

/* Whether what follows u by its own doing is lost in any case. */
static bool is_lost(const struct maker *m, const struct graph *g, const bool *lost, uint32_t u)
{
    bool guarded = m->module.instrs[m->function.first + u].guarded;
    if (traps(m, u))
        return !guarded || lost[u + 1];
    for (uint32_t v = 0; v <= g->n; v++)
        if (g->edge[u][v] && !lost[v])
            return false;
    return true;
}

/* Takes away what leads only to traps, where something else is possible. */
static void leave_out_traps(const struct maker *m, struct graph *g)
{
    bool lost[MOST + 1] = {false};
    for (uint32_t round = 0; round < g->n; round++)
        for (uint32_t u = 0; u < g->n; u++)
            lost[u] = lost[u] || (memchr(g->edge[u], true, g->n + 1) && is_lost(m, g, lost, u));
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t v = 0; v <= g->n && !lost[u]; v++)
            g->edge[u][v] = g->edge[u][v] && !lost[v] && !(traps(m, u) && v != u + 1);
}

static void graph_of(const struct maker *m, struct graph *g)
{
    memset(g, 0, sizeof *g);
    g->n = m->function.count;
    for (uint32_t u = 0; u < g->n; u++) {
        uint32_t next[MOST + 2], n = followers(m, u, next);
        for (uint32_t k = 0; k < n; k++)
            g->edge[u][next[k]] = true;
    }
    leave_out_traps(m, g);
    open_endless(g);
}

static bool post_dominates(const struct graph *g, uint32_t v, uint32_t u)
{
    bool seen[MOST + 1];
    reach_from(g, u, v, seen);
    return u == v || v == g->n || !seen[g->n];
}

/* The strict post-dominator of u that every other one post-dominates. */
static uint32_t immediate(const struct graph *g, uint32_t u)
{
    for (uint32_t v = 0; v <= g->n; v++) {
        bool nearest = v != u && post_dominates(g, v, u);
        for (uint32_t w = 0; nearest && w <= g->n; w++)
            if (w != u && w != v && post_dominates(g, w, u))
                nearest = post_dominates(g, w, v);
        if (nearest)
            return v;
    }
    fail_msg("no post-dominator");
    return 0;
}

static void check_blocks(const struct maker *m, const struct ptx_cfg *cfg)
{
    const struct isa_function *f = &m->function;
    uint32_t at = f->first;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const struct ptx_block *block = &cfg->blocks[b];
        assert_int_equal(block->first, at);
        assert_true(block->end > block->first);
        at = block->end;
        for (uint32_t i = block->first; i < block->end; i++)
            assert_int_equal(cfg->block_of[i - f->first], b);
        for (uint32_t s = 0; s < block->succ_count; s++) {
            uint32_t to = block->succ[s], found = 0;
            assert_true(to <= cfg->count);
            for (uint32_t t = 0; t < s; t++)
                assert_int_not_equal(block->succ[t], to);
            for (uint32_t p = 0; to < cfg->count && p < cfg->blocks[to].pred_count; p++)
                found += cfg->blocks[to].pred[p] == b;
            assert_int_equal(found, to < cfg->count ? 1 : 0);
        }
    }
    assert_int_equal(at, f->first + f->count);
}

/* Leaves out that lanes end where others go on. Returns whether lanes end, or trap, before the last instruction. */
static bool leave_out_ends(const struct maker *m, struct graph *g, bool *trap)
{
    bool some = false;
    *trap = false;
    for (uint32_t u = 0; u < g->n; u++) {
        const struct isa_instr *instr = &m->module.instrs[m->function.first + u];
        bool ends = isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_RET | ISA_FLAG_EXIT), last = u + 1 == g->n;
        *trap |= traps(m, u);
        some |= ends && !last;
        if (ends && instr->guarded && !last)
            g->edge[u][g->n] = false;
    }
    return some;
}

/* Whoever goes on from u or v comes to where isa_reconvergence_point says. It is the nearest such place if all come to
 * the end. */
static void check_meetings(const struct maker *m, const struct graph *exact)
{
    struct graph g = *exact;
    bool trap, ends = leave_out_ends(m, &g, &trap);
    for (uint32_t u = 0; u < g.n; u++)
        for (uint32_t v = 0; v < g.n; v++) {
            uint32_t pc = isa_reconvergence_point(&m->module, &m->function, m->function.first + u, m->function.first + v);
            uint32_t at = pc == ISA_PC_NONE ? g.n : pc - m->function.first;
            assert_true(at <= g.n);
            if (trap)
                continue; /* ways that lead to a trap are in one graph and not in the other */
            assert_true(post_dominates(&g, at, u) && post_dominates(&g, at, v));
            for (uint32_t w = 0; !ends && w <= g.n; w++)
                assert_true(!post_dominates(&g, w, u) || !post_dominates(&g, w, v) || post_dominates(&g, w, at));
        }
}

/* Builds the graph and compares every branch's reconvergence point with the definition. */
static void check(struct maker *m)
{
    struct ptx_cfg *cfg = ptx_cfg_build(&m->module, &m->function, &m->scratch);
    check_blocks(m, cfg);
    ptx_set_reconvergence(&m->module, &m->function, cfg);
    struct graph g;
    graph_of(m, &g);
    for (uint32_t u = 0; u < g.n; u++) {
        const struct isa_instr *instr = &m->module.instrs[m->function.first + u];
        if (instr->op != ISA_OP_BRA && instr->op != ISA_OP_BRX)
            continue;
        uint32_t want = immediate(&g, u);
        assert_int_equal(instr->reconverge, want == g.n ? ISA_PC_NONE : m->function.first + want);
    }
    check_meetings(m, &g);
}

static uint32_t reconverge(const struct maker *m, uint32_t i)
{
    return m->module.instrs[i].reconverge;
}

static void test_diamond(void **state)
{
    struct maker m;
    maker_init(&m, 0, 8, 1);
    make_bra(&m, 3, true);
    make_instr(&m, ISA_OP_NOP);
    make_bra(&m, 4, false);
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_RET);
    check(&m);
    assert_int_equal(reconverge(&m, 0), 4);
    assert_int_equal(reconverge(&m, 2), 4);
    maker_free(&m);
}

static void test_loop_with_guarded_exit(void **state)
{
    struct maker m;
    maker_init(&m, 0, 8, 1);
    make_instr(&m, ISA_OP_NOP);
    make_guarded(&m, ISA_OP_EXIT, true);
    make_bra(&m, 0, true);
    make_instr(&m, ISA_OP_EXIT);
    check(&m);
    assert_int_equal(reconverge(&m, 2), ISA_PC_NONE); /* a lane may leave in the loop and never come to 3 */
    maker_free(&m);
}

static void test_endless_loop(void **state)
{
    struct maker m;
    maker_init(&m, 0, 16, 1);
    make_bra(&m, 3, true); /* 0 */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_EXIT);
    make_bra(&m, 5, true); /* 3: the endless part */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_NOP);
    make_bra(&m, 3, false); /* 6 */
    check(&m);
    assert_int_equal(reconverge(&m, 0), ISA_PC_NONE);
    assert_int_equal(reconverge(&m, 3), 5);
    assert_int_equal(reconverge(&m, 6), ISA_PC_NONE);
    maker_free(&m);
}

static void test_branch_list(void **state)
{
    struct maker m;
    maker_init(&m, 0, 16, 1);
    const uint32_t targets[] = {1, 3, 3, 5};
    make_brx(&m, 4, targets);
    make_instr(&m, ISA_OP_NOP);
    make_bra(&m, 6, false);
    make_instr(&m, ISA_OP_NOP);
    make_bra(&m, 6, false);
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_RET);
    check(&m);
    assert_int_equal(reconverge(&m, 0), 6);
    maker_free(&m);
}

static void test_run_off_the_end(void **state)
{
    struct maker m;
    maker_init(&m, 0, 8, 1);
    m.function.first = 0;
    make_bra(&m, 3, true); /* a label behind the last instruction */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_NOP);
    check(&m);
    assert_int_equal(reconverge(&m, 0), ISA_PC_NONE);
    maker_free(&m);
}

static void test_empty_function(void **state)
{
    struct maker m;
    maker_init(&m, 0, 1, 1);
    const struct ptx_cfg *cfg = ptx_cfg_build(&m.module, &m.function, &m.scratch);
    assert_int_equal(cfg->count, 0);
    ptx_set_reconvergence(&m.module, &m.function, cfg);
    maker_free(&m);
}

/* A call of a function that never returns. */
static struct isa_instr *make_assert(struct maker *m, bool guarded)
{
    static const struct isa_call call = {.callee = 0};
    m->module.functions = ARENA_NEW(&m->module.arena, struct isa_function, 1);
    m->module.functions[0].never_returns = true;
    struct isa_instr *instr = make_guarded(m, ISA_OP_CALL, guarded);
    instr->call = &call;
    return instr;
}

/* while (!done) if (taken) { if (bad) trap; give back; done = true }: lanes that have the lock wait for the others
 * behind the critical section, not at the end. */
static void test_trap_in_critical_section(void **state)
{
    for (unsigned how = 0; how < 4; how++) {
        struct maker m;
        maker_init(&m, 0, 16, 1);
        make_instr(&m, ISA_OP_NOP);
        make_bra(&m, how == 3 ? 7 : 6, true); /* 1: not taken */
        make_bra(&m, how == 1 ? 8 : 4, true); /* 2: to the trap behind the end, or around it */
        if (how == 0 || how == 3)
            make_instr(&m, ISA_OP_TRAP);
        else if (how == 2)
            make_assert(&m, false);
        else
            make_instr(&m, ISA_OP_NOP);
        make_instr(&m, ISA_OP_NOP); /* 4 */
        make_instr(&m, ISA_OP_NOP);
        if (how == 3)
            make_guarded(&m, ISA_OP_TRAP, true);
        make_bra(&m, 0, true); /* 6 or 7: round */
        make_instr(&m, ISA_OP_RET);
        if (how == 1)
            make_instr(&m, ISA_OP_TRAP);
        check(&m);
        assert_int_equal(reconverge(&m, 1), how == 3 ? 7 : 6);
        assert_int_equal(reconverge(&m, 2), how == 1 ? 3 : 4);
        assert_int_equal(reconverge(&m, how == 3 ? 7 : 6), how == 3 ? 8 : 7);
        maker_free(&m);
    }
}

/* Two ways to fail, which part and meet again: nothing else is possible, so their branch has its own reconvergence
 * point. */
static void test_only_traps(void **state)
{
    struct maker m;
    maker_init(&m, 0, 16, 1);
    make_bra(&m, 5, true); /* 0: goes well */
    make_bra(&m, 4, true); /* 1 */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_TRAP); /* 4 */
    make_bra(&m, 8, true);
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_RET);
    check(&m);
    assert_int_equal(reconverge(&m, 0), 5);
    assert_int_equal(reconverge(&m, 1), 4);
    assert_int_equal(reconverge(&m, 5), 8);
    maker_free(&m);
}

/* Functions that must fail are found through calls, whatever their order; those that need not, are not. */
static void test_never_returns(void **state)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
        ".func inner();\n.func outer() { .reg .pred %p<2>; @%p1 bra A; trap; A: call.uni inner, (); ret; }\n"
        ".func inner() { .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
        "call.uni __assertfail, (%d1, %d1, %r1, %d1, %d1); }\n"
        ".func perhaps() { .reg .pred %p<2>; @%p1 trap; @!%p1 call.uni inner, (); ret; }\n"
        ".func endless() { .reg .pred %p<2>; A: @%p1 trap; bra A; }\n"
        ".func declared();\n"
        ".entry k() { .reg .pred %p<2>; B: @%p1 bra C; @%p1 bra D; call.uni outer, (); D: C: @%p1 bra B; ret; }\n";
    static const char *const failing[] = {"__assertfail", "outer", "inner"};
    struct isa_module *module = support_load("failing", text);
    unsigned found = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        bool expected = false;
        for (unsigned i = 0; i < 3; i++)
            expected |= !strcmp(module->functions[f].name, failing[i]);
        assert_int_equal(module->functions[f].never_returns, expected);
        found += expected;
    }
    assert_int_equal(found, 3);
    for (uint32_t i = 0; i < module->instr_count; i++)
        if (module->instrs[i].op == ISA_OP_CALL && module->functions[module->instrs[i].call->callee].never_returns &&
            !strcmp(module->functions[module->instrs[i].call->callee].name, "outer"))
            assert_int_equal(module->instrs[i - 2].reconverge, i + 1);
    isa_module_free(module);
}

static void make_random(struct maker *m, uint32_t n, bool fails)
{
    uint32_t first = m->function.first;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = draw(m, 12), targets[4];
        bool guarded = draw(m, 2);
        for (unsigned t = 0; t < 4; t++)
            targets[t] = first + draw(m, n + (draw(m, 8) == 0)); /* now and then behind the end */
        if (kind < 5)
            make_bra(m, targets[0], guarded || draw(m, 2));
        else if (kind == 5)
            make_brx(m, draw(m, 5), targets)->guarded = guarded;
        else if (kind == 6)
            make_guarded(m, draw(m, 2) ? ISA_OP_RET : ISA_OP_EXIT, guarded);
        else if (kind == 7 && fails && draw(m, 2))
            make_guarded(m, ISA_OP_TRAP, guarded);
        else if (kind == 8 && fails)
            make_assert(m, guarded);
        else
            make_instr(m, ISA_OP_NOP);
    }
}

static void test_random_graphs(void **state)
{
    for (uint64_t seed = 0; seed < 4000; seed += effort_step(8)) {
        struct maker m;
        maker_init(&m, seed, MOST + 2, 1);
        if (seed % 3 == 0) { /* a function that does not begin the module */
            make_instr(&m, ISA_OP_NOP);
            m.function.first = 1;
        }
        make_random(&m, 1 + draw(&m, MOST), seed % 2);
        check(&m);
        maker_free(&m);
    }
}

/* Ladders of loops as deep as a large kernel is long: no recursion, no quadratic step. */
static void test_large(void **state)
{
    struct maker m;
    uint32_t n = 20000;
    maker_init(&m, 1, n, 1);
    for (uint32_t i = 0; i < n; i++)
        make_bra(&m, i % 2 ? n - i : (i + 7) % n, true);
    struct ptx_cfg *cfg = ptx_cfg_build(&m.module, &m.function, &m.scratch);
    assert_int_equal(cfg->count, n);
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_loop_with_guarded_exit),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_branch_list),
        cmocka_unit_test(test_run_off_the_end),
        cmocka_unit_test(test_empty_function),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_only_traps),
        cmocka_unit_test(test_never_returns),
        cmocka_unit_test(test_trap_in_critical_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
