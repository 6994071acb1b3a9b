/* Register allocation, tested from outside in two ways: against liveness found by the plain definition, instruction by
 * instruction; and by running random programs along random paths with one value per virtual register and with values in
 * the allocated rows only, comparing every value that is read. Loads and atomics write some time after they were
 * issued, as late as the next instruction that names their register. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "effort.h"
#include "unit/ptx/make_program.h"

#define MOST_REGS 24
#define MOST_INSTRS 48

static unsigned rows_of(const struct isa_reg *reg)
{
    return isa_type_info(reg->type)->bits > 32 ? 2 : 1;
}

static bool is_pred(const struct isa_reg *reg)
{
    return reg->type == ISA_PRED;
}

static void allocate(struct maker *m, const struct ptx_options *options)
{
    struct ptx_cfg *cfg = ptx_cfg_build(&m->module, &m->function, &m->scratch);
    ptx_allocate(&m->module, &m->function, cfg, options, &m->scratch);
}

/* ---- random programs ---- */

static uint32_t any_reg(struct maker *m, bool pred)
{
    for (;;) {
        uint32_t r = draw(m, m->function.reg_count);
        if (is_pred(&m->function.regs[r]) == pred)
            return r;
    }
}

static struct isa_instr *random_operation(struct maker *m)
{
    uint32_t r[4] = {any_reg(m, false), any_reg(m, false), any_reg(m, false), any_reg(m, false)};
    uint32_t p[2] = {any_reg(m, true), any_reg(m, true)};
    switch (draw(m, 9)) {
    case 0:
        return make_op(m, ISA_OP_LD, 1, r, 1, r + 1);
    case 1:
        return make_op(m, ISA_OP_LD, r[0] == r[1] ? 1 : 2, r, 1, r + 2);
    case 2:
        return make_op(m, ISA_OP_ATOM, 1, r, 2, r + 1);
    case 3:
        return make_op(m, ISA_OP_ST, 0, r, 2, r + 1);
    case 4:
        return make_op(m, ISA_OP_SETP, 1, p, 2, r);
    case 5:
        return make_op(m, ISA_OP_SELP, 1, r, 2, (uint32_t[]){r[1], p[0]});
    case 6:
        return make_op(m, ISA_OP_MOV, r[0] == r[1] ? 1 : 2, r, 1, r + 2);
    case 7:
        return make_op(m, ISA_OP_SHFL, 1, r, 2, r + 1);
    default:
        return make_op(m, ISA_OP_ADD, 1, r, 2, r + 1);
    }
}

static void random_call(struct maker *m)
{
    struct isa_call *call = ARENA_NEW(&m->module.arena, struct isa_call, 1);
    call->callee = UINT32_MAX;
    uint32_t target = any_reg(m, false);
    call->target = *make_operands(m, 1, &target);
    make_instr(m, ISA_OP_CALL)->call = call;
}

static void random_instr(struct maker *m, uint32_t n, uint32_t jumps)
{
    uint32_t first = m->function.first, targets[4];
    for (unsigned t = 0; t < 4; t++)
        targets[t] = first + draw(m, n);
    struct isa_instr *instr;
    if (draw(m, 100) >= jumps) {
        instr = random_operation(m);
    } else if (draw(m, 8) == 0) {
        instr = make_brx(m, 1 + draw(m, 3), targets);
    } else if (draw(m, 8) == 0) {
        instr = make_instr(m, draw(m, 2) ? ISA_OP_EXIT : ISA_OP_RET);
    } else if (draw(m, 8) == 0) {
        random_call(m);
        return;
    } else {
        instr = make_bra(m, targets[0], false);
    }
    instr->guarded = draw(m, 3) == 0 || (instr->op == ISA_OP_BRA && draw(m, 4));
    instr->guard_reg = any_reg(m, true);
}

static void random_program(struct maker *m, uint64_t seed)
{
    static const enum isa_type types[] = {ISA_U32, ISA_U64, ISA_PRED, ISA_U16, ISA_B64, ISA_F32, ISA_PRED, ISA_F64};
    maker_init(m, seed, MOST_INSTRS + 3, MOST_REGS);
    m->function.is_kernel = seed % 2;
    m->module.instr_count = m->function.first = draw(m, 3);
    uint32_t regs = 3 + draw(m, MOST_REGS - 2), n = 1 + draw(m, MOST_INSTRS), jumps = draw(m, 50);
    for (uint32_t r = 0; r < regs; r++)
        make_reg(m, types[r < 3 ? r : draw(m, 8)]);
    for (uint32_t i = 0; i < n; i++)
        random_instr(m, n, jumps);
}

/* ---- what an instruction names, told from the instruction ---- */

struct names {
    uint32_t read[8], write[4];
    unsigned reads, writes;
};

/* Uses operand registers only, which allocation leaves as they are; guards are remembered by the caller. */
static struct names names_of(const struct isa_instr *instr, uint32_t guard)
{
    struct names n = {.reads = 0};
    for (unsigned k = 0; k < instr->src_count; k++)
        n.read[n.reads++] = instr->src[k].reg;
    if (instr->guarded)
        n.read[n.reads++] = guard;
    if (instr->call)
        n.read[n.reads++] = instr->call->target.reg;
    for (unsigned k = 0; k < instr->dst_count; k++)
        n.write[n.writes++] = instr->dst[k].reg;
    return n;
}

static void remember_guards(const struct maker *m, uint32_t *guards)
{
    for (uint32_t i = 0; i < m->function.count; i++)
        guards[i] = m->module.instrs[m->function.first + i].guard_reg;
}

/* ---- liveness by definition ---- */

/* live[i][r]: r may be read at i or later before it is fully overwritten. live[count] is empty. */
static void plain_liveness(const struct maker *m, const uint32_t *guards, bool live[MOST_INSTRS + 1][MOST_REGS])
{
    memset(live, 0, (MOST_INSTRS + 1) * sizeof *live);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = m->function.count; i-- > 0;) {
            const struct isa_instr *instr = &m->module.instrs[m->function.first + i];
            struct names n = names_of(instr, guards[i]);
            uint32_t next[8], count = followers(m, i, next);
            bool now[MOST_REGS] = {false};
            for (uint32_t k = 0; k < count; k++)
                for (uint32_t r = 0; r < MOST_REGS; r++)
                    now[r] = now[r] || live[next[k]][r];
            for (unsigned k = 0; k < n.writes && !instr->guarded; k++)
                now[n.write[k]] = false;
            for (unsigned k = 0; k < n.reads; k++)
                now[n.read[k]] = true;
            changed = changed || memcmp(now, live[i], sizeof now) != 0;
            memcpy(live[i], now, sizeof now);
        }
    }
}

static bool overlap(const struct isa_reg *a, const struct isa_reg *b)
{
    if (is_pred(a) != is_pred(b))
        return false;
    unsigned na = is_pred(a) ? 1 : rows_of(a), nb = is_pred(b) ? 1 : rows_of(b);
    return a->row < b->row + nb && b->row < a->row + na;
}

static void check_disjoint(const struct maker *m, const bool *together)
{
    const struct isa_reg *regs = m->function.regs;
    for (uint32_t a = 0; a < m->function.reg_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (together[a] && together[b] && overlap(&regs[a], &regs[b]))
                fail_msg("seed %d: registers %u and %u share row %u", (int)m->seed, a, b, regs[a].row);
}

static uint32_t words_of(const struct maker *m, const bool *live)
{
    uint32_t words = 0;
    for (uint32_t r = 0; r < m->function.reg_count; r++)
        words += live[r] && !is_pred(&m->function.regs[r]) ? rows_of(&m->function.regs[r]) : 0;
    return words;
}

/* At every instruction the registers live before it hold different rows, and so do those live or written behind it. */
static void check_liveness(const struct maker *m, const uint32_t *guards)
{
    static bool live[MOST_INSTRS + 1][MOST_REGS];
    uint32_t pressure = 4;
    plain_liveness(m, guards, live);
    for (uint32_t i = 0; i < m->function.count; i++) {
        struct names n = names_of(&m->module.instrs[m->function.first + i], guards[i]);
        bool behind[MOST_REGS] = {false};
        uint32_t next[8], count = followers(m, i, next);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t r = 0; r < MOST_REGS; r++)
                behind[r] = behind[r] || live[next[k]][r];
        for (unsigned k = 0; k < n.writes; k++)
            behind[n.write[k]] = true;
        check_disjoint(m, live[i]);
        check_disjoint(m, behind);
        pressure = words_of(m, live[i]) > pressure ? words_of(m, live[i]) : pressure;
        pressure = words_of(m, behind) > pressure ? words_of(m, behind) : pressure;
    }
    assert_int_equal(m->function.registers, pressure);
}

/* ---- static properties of the result ---- */

static void check_operand(const struct maker *m, const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_REG || operand->kind == ISA_OPERAND_PRED)
        assert_int_equal(operand->row, m->function.regs[operand->reg].row);
}

static void check_in_place(const struct maker *m, const struct isa_instr *instr, const struct names *n)
{
    const struct isa_reg *regs = m->function.regs;
    bool several = n->writes > 1, warp = instr->op == ISA_OP_SHFL;
    for (unsigned w = 0; w < n->writes; w++)
        for (unsigned r = 0; r < n->reads; r++) {
            const struct isa_reg *d = &regs[n->write[w]], *s = &regs[n->read[r]];
            if (d != s && (several || warp || rows_of(d) != rows_of(s)))
                assert_false(overlap(d, s));
        }
}

/* Lanes of a warp differ in what is live, and a lane of a 64-bit register lies over the words of other lanes: only
 * registers of equal width share rows; in functions that are called, with those of all others. */
static void check_widths(const struct maker *m, const bool *used)
{
    const struct isa_reg *regs = m->function.regs;
    for (uint32_t a = 0; a < m->function.reg_count; a++)
        if (used[a] && !is_pred(&regs[a]) && !m->function.is_kernel)
            assert_int_equal(isa_row_is_wide(regs[a].row), rows_of(&regs[a]) == 2);
    for (uint32_t a = 0; a < m->function.reg_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (used[a] && used[b] && !is_pred(&regs[a]) && rows_of(&regs[a]) != rows_of(&regs[b]) &&
                overlap(&regs[a], &regs[b]))
                fail_msg("seed %d: registers %u and %u of different widths share row %u", (int)m->seed, a, b,
                         regs[a].row);
}

static void check_result(const struct maker *m, const uint32_t *guards)
{
    const struct isa_function *f = &m->function;
    bool used[MOST_REGS] = {false};
    for (uint32_t i = 0; i < f->count; i++) {
        const struct isa_instr *instr = &m->module.instrs[f->first + i];
        struct names n = names_of(instr, guards[i]);
        for (unsigned k = 0; k < instr->src_count; k++)
            check_operand(m, &instr->src[k]);
        for (unsigned k = 0; k < instr->dst_count; k++)
            check_operand(m, &instr->dst[k]);
        if (instr->call)
            check_operand(m, &instr->call->target);
        if (instr->guarded)
            assert_int_equal(instr->guard, f->regs[guards[i]].row);
        check_in_place(m, instr, &n);
        for (unsigned k = 0; k < n.reads + n.writes; k++) {
            const struct isa_reg *reg = &f->regs[k < n.reads ? n.read[k] : n.write[k - n.reads]];
            used[reg - f->regs] = true;
            assert_int_equal(reg->row % (is_pred(reg) ? 1 : rows_of(reg)), 0);
            assert_true(reg->row + (is_pred(reg) ? 1 : rows_of(reg)) <= (is_pred(reg) ? f->pred_count : f->row_count));
        }
    }
    check_widths(m, used);
}

/* ---- execution ---- */

struct run {
    struct maker *m;
    uint64_t value[MOST_REGS]; /* of the virtual registers */
    uint32_t rows[4 * MOST_REGS], preds[MOST_REGS];
    bool late[MOST_REGS]; /* value not yet in its row */
};

static void deliver(struct run *run, uint32_t r)
{
    const struct isa_reg *reg = &run->m->function.regs[r];
    run->late[r] = false;
    if (is_pred(reg)) {
        run->preds[reg->row] = (uint32_t)run->value[r];
        return;
    }
    run->rows[reg->row] = (uint32_t)run->value[r];
    if (rows_of(reg) == 2)
        run->rows[reg->row + 1] = (uint32_t)(run->value[r] >> 32);
}

static uint64_t stored(const struct run *run, uint32_t r)
{
    const struct isa_reg *reg = &run->m->function.regs[r];
    if (is_pred(reg))
        return run->preds[reg->row];
    return run->rows[reg->row] | (rows_of(reg) == 2 ? (uint64_t)run->rows[reg->row + 1] << 32 : 0);
}

static void run_instr(struct run *run, const struct isa_instr *instr, const struct names *n)
{
    struct maker *m = run->m;
    bool memory = instr->op == ISA_OP_LD || instr->op == ISA_OP_ATOM;
    for (uint32_t r = 0; r < m->function.reg_count; r++)
        if (run->late[r] && draw(m, 4) == 0)
            deliver(run, r);
    for (unsigned k = 0; k < n->reads + n->writes; k++) { /* the scoreboard */
        uint32_t r = k < n->reads ? n->read[k] : n->write[k - n->reads];
        if (run->late[r])
            deliver(run, r);
    }
    for (unsigned k = 0; k < n->reads; k++)
        if (stored(run, n->read[k]) != run->value[n->read[k]])
            fail_msg("seed %d: register %u reads a wrong value", (int)m->seed, n->read[k]);
    if (instr->guarded && draw(m, 2))
        return;
    for (unsigned k = 0; k < n->writes; k++) {
        uint32_t r = n->write[k];
        run->value[r] = random_at(~m->seed, m->drawn++) >> (rows_of(&m->function.regs[r]) == 2 ? 0 : 32);
        run->late[r] = true;
        if (!memory)
            deliver(run, r);
    }
}

static void run_path(struct maker *m, const uint32_t *guards)
{
    struct run run = {.m = m};
    for (uint32_t i = 0, steps = 0; i < m->function.count && steps < 150; steps++) {
        const struct isa_instr *instr = &m->module.instrs[m->function.first + i];
        struct names n = names_of(instr, guards[i]);
        run_instr(&run, instr, &n);
        uint32_t next[8], count = followers(m, i, next);
        i = next[draw(m, count)];
    }
}

static void test_random_programs(void **state)
{
    for (uint64_t seed = 0; seed < 2000; seed += effort_step(30)) {
        struct maker m;
        uint32_t guards[MOST_INSTRS];
        random_program(&m, seed);
        remember_guards(&m, guards);
        allocate(&m, NULL);
        check_liveness(&m, guards);
        check_result(&m, guards);
        for (unsigned walk = 0; walk < 20; walk++)
            run_path(&m, guards);
        maker_free(&m);
    }
}

static void test_keep_registers(void **state)
{
    for (uint64_t seed = 76; seed < 78; seed++) {
        struct maker m;
        uint32_t guards[MOST_INSTRS];
        random_program(&m, seed);
        remember_guards(&m, guards);
        allocate(&m, &(struct ptx_options){.keep_registers = true});
        bool all[MOST_REGS];
        memset(all, 1, sizeof all);
        check_disjoint(&m, all);
        check_result(&m, guards);
        maker_free(&m);
    }
}

/* n values live together, then summed. */
static void make_wide(struct maker *m, uint32_t n, enum isa_type type)
{
    maker_init(m, 0, 3 * n + 1, n);
    m->function.is_kernel = true;
    for (uint32_t k = 0; k < n; k++)
        make_op(m, ISA_OP_MOV, 1, (uint32_t[]){make_reg(m, type)}, 0, NULL);
    for (uint32_t k = 1; k < n; k++)
        make_op(m, ISA_OP_ADD, 1, (uint32_t[]){k}, 2, (uint32_t[]){k, k - 1});
}

static void test_registers_per_thread(void **state)
{
    struct maker m;
    make_wide(&m, 20, ISA_U32);
    allocate(&m, NULL);
    assert_int_equal(m.function.registers, 20);
    assert_int_equal(m.function.row_count, 20);
    maker_free(&m);
    make_wide(&m, 20, ISA_U64);
    m.function.max_registers = 30;
    allocate(&m, NULL);
    assert_int_equal(m.function.registers, 30);
    assert_int_equal(m.function.row_count, 40);
    maker_free(&m);
    make_wide(&m, 20, ISA_U64);
    m.function.max_registers = 30;
    allocate(&m, &(struct ptx_options){.registers = 64});
    assert_int_equal(m.function.registers, 64);
    maker_free(&m);
    make_wide(&m, 1, ISA_U32);
    allocate(&m, NULL);
    assert_int_equal(m.function.registers, 4);
    maker_free(&m);
}

static void test_empty_function(void **state)
{
    struct maker m;
    maker_init(&m, 0, 1, 1);
    make_reg(&m, ISA_U32);
    allocate(&m, NULL);
    assert_int_equal(m.function.row_count, 0);
    assert_int_equal(m.function.registers, 4);
    maker_free(&m);
}

/* A register that is read before any write keeps its row from the start, where it holds zero, to the read. */
static void test_undefined_read(void **state)
{
    struct maker m;
    maker_init(&m, 0, 8, 3);
    m.function.is_kernel = true;
    uint32_t a = make_reg(&m, ISA_U32), b = make_reg(&m, ISA_U32), c = make_reg(&m, ISA_U32);
    make_op(&m, ISA_OP_MOV, 1, &a, 0, NULL);
    make_op(&m, ISA_OP_ST, 0, NULL, 1, &a);
    make_op(&m, ISA_OP_ST, 0, NULL, 1, &b);
    make_op(&m, ISA_OP_MOV, 1, &c, 0, NULL);
    allocate(&m, NULL);
    assert_int_not_equal(m.function.regs[a].row, m.function.regs[b].row);
    assert_int_equal(m.function.row_count, 2);
    maker_free(&m);
}

/* An unused result of an atomic arrives after the next instruction has written: not into its row. */
static void test_late_unused_result(void **state)
{
    struct maker m;
    maker_init(&m, 0, 8, 2);
    uint32_t a = make_reg(&m, ISA_U32), b = make_reg(&m, ISA_U32);
    make_op(&m, ISA_OP_ATOM, 1, &a, 0, NULL);
    make_op(&m, ISA_OP_MOV, 1, &b, 0, NULL);
    make_op(&m, ISA_OP_ST, 0, NULL, 1, &b);
    allocate(&m, NULL);
    assert_int_not_equal(m.function.regs[a].row, m.function.regs[b].row);
    maker_free(&m);
}

/* Processor time to analyse a function of n instructions and n / 2 registers, the least of three. reuse: how far back
 * operands reach. */
static double time_large(uint32_t n, uint32_t reuse, uint32_t jump_every)
{
    double least = 0;
    for (unsigned run = 0; run < 3; run++) {
        struct maker m;
        maker_init(&m, 9, n, n / 2);
        for (uint32_t r = 0; r < n / 2; r++)
            make_reg(&m, r % 8 == 7 ? ISA_PRED : r % 3 ? ISA_U32 : ISA_U64);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t d = i / 2, back = d < reuse ? d : reuse;
            uint32_t src[2] = {d - draw(&m, back + 1), d - draw(&m, back + 1)};
            if (i % jump_every == jump_every - 1)
                make_bra(&m, draw(&m, 10) ? i + 1 + draw(&m, n - i) : i - draw(&m, 500), true)->guard_reg = 7;
            else
                make_op(&m, draw(&m, 9) ? ISA_OP_ADD : ISA_OP_LD, 1, &d, 2, src);
        }
        clock_t start = clock();
        allocate(&m, NULL);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = run && least < seconds ? least : seconds;
        maker_free(&m);
    }
    return least;
}

/* Sets of live registers for so many instructions: quadratic at the worst. Four times the instructions take some
 * sixteen times as long; a cubic step would take 64 times. How fast the machine is does not matter. */
static void test_large_functions(void **state)
{
    static const uint32_t shapes[][2] = {{20, 7}, {2000, 50}, {10000, 4}};
    for (unsigned i = 0; i < 3; i++) {
        double little = time_large(5000, shapes[i][0], shapes[i][1]),
               much = time_large(20000, shapes[i][0], shapes[i][1]);
        printf("reuse %u, a jump every %u: %.4f s, %.4f s\n", shapes[i][0], shapes[i][1], little, much);
        assert_true(much < 40 * (little + 2e-3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_keep_registers),
        cmocka_unit_test(test_empty_function),  cmocka_unit_test(test_registers_per_thread),
        cmocka_unit_test(test_undefined_read),  cmocka_unit_test(test_late_unused_result),
        cmocka_unit_test(test_large_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
