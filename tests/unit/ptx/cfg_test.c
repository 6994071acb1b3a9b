/* Control-flow graphs and reconvergence points, against the definition: v post-dominates u when every path from u to
 * the exit passes v. */
#include "unit/ptx/make_program.h"

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

static void graph_of(const struct maker *m, struct graph *g)
{
    memset(g, 0, sizeof *g);
    g->n = m->function.count;
    for (uint32_t u = 0; u < g->n; u++) {
        uint32_t next[MOST + 2], n = followers(m, u, next);
        for (uint32_t k = 0; k < n; k++)
            g->edge[u][next[k]] = true;
    }
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
    make_bra(&m, 3, true);   /* 0 */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_EXIT);
    make_bra(&m, 5, true);   /* 3: the endless part */
    make_instr(&m, ISA_OP_NOP);
    make_instr(&m, ISA_OP_NOP);
    make_bra(&m, 3, false);  /* 6 */
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

static void make_random(struct maker *m, uint32_t n)
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
        else
            make_instr(m, ISA_OP_NOP);
    }
}

static void test_random_graphs(void **state)
{
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct maker m;
        maker_init(&m, seed, MOST + 2, 1);
        if (seed % 3 == 0) { /* a function that does not begin the module */
            make_instr(&m, ISA_OP_NOP);
            m.function.first = 1;
        }
        make_random(&m, 1 + draw(&m, MOST));
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
        cmocka_unit_test(test_diamond),         cmocka_unit_test(test_loop_with_guarded_exit),
        cmocka_unit_test(test_endless_loop),    cmocka_unit_test(test_branch_list),
        cmocka_unit_test(test_run_off_the_end), cmocka_unit_test(test_empty_function),
        cmocka_unit_test(test_random_graphs),   cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
