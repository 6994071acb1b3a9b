/* The criticality-aware scheduler: its orders worked out by hand, and by a model that counts every cycle one by one. */
#include "sched_bench.h"

#define ALL ~UINT64_C(0)

/* The order of the warps in `set` when none of them issued last. */
static void assert_order(struct bench *b, uint64_t set, const unsigned *order)
{
    for (; set; order++) {
        assert_int_equal(ask(b, set), *order);
        set &= ~BIT64(*order);
    }
}

static void test_greedy_then_older(void **state)
{
    struct bench b;
    bench_start(&b, "cawa", 0, 1000);
    launch(&b, 0, 2);
    launch(&b, 1, 1);
    launch(&b, 2, 3);
    assert_int_equal(cycle(&b, 1000, ALL & 7), 1); /* all alike: the oldest */
    assert_int_equal(cycle(&b, 1001, ALL & 7), 1); /* greedy */
    assert_int_equal(cycle(&b, 1002, 5), 0);
    assert_int_equal(cycle(&b, 1003, 7), 0);
    launch(&b, 0, 4); /* a new warp is not favoured */
    assert_order(&b, 7, (const unsigned[]){1, 2, 0});
    bench_end(&b);
}

/* 100 static instructions; a warp of 10 cycles with 3 completed has 97 * 10 / 3 + stalls before it. */
static void test_paper_criticality(void **state)
{
    struct bench b;
    bench_start(&b, "cawa", 0, 0);
    b.now = 3;
    launch(&b, 0, 0); /* at cycle 20: 95 * 17 / 5 = 323 */
    b.now = 10;
    launch(&b, 1, 1); /* 97 * 10 / 3 = 323 + 1/3 */
    launch(&b, 2, 2); /* 99 * 10 / 1 */
    launch(&b, 3, 3); /* 98 * 10 / 2 */
    b.warps[0].completed = 5;
    b.warps[1].completed = 3;
    b.warps[2].completed = 1;
    b.warps[3].completed = 2;
    b.now = 20;
    assert_order(&b, 15, (const unsigned[]){2, 3, 1, 0});
    bench_end(&b);
    /* The stall before an issue counts once the warp has issued: 4 cycles of it make the younger one more critical. */
    bench_start(&b, "cawa", 0, 0);
    for (unsigned i = 0; i < 3; i++)
        launch(&b, i, i);
    assert_int_equal(cycle(&b, 0, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 4, BIT64(1)), 1);
    assert_int_equal(cycle(&b, 4, BIT64(2)), 2);
    for (unsigned i = 0; i < 3; i++)
        b.warps[i].completed = 1;
    b.now = 8;
    assert_order(&b, 3, (const unsigned[]){1, 0});
    bench_end(&b);
}

/* Instructions to go after a jump: those before the target count again, those that are skipped do not. */
static void test_paper_control_flow(void **state)
{
    struct bench b;
    bench_start(&b, "cawa:patience=0", 0, 0);
    for (unsigned i = 0; i < 5; i++) {
        launch(&b, i, i);
        for (unsigned k = 0; k < 10; k++)
            issue_to(&b, i, k + 1);
    }
    issue_to(&b, 0, 11); /* 100 */
    issue_to(&b, 1, 4);  /* 100 + 7 */
    issue_to(&b, 2, 31); /* 100 - 20 */
    issue_to(&b, 3, 10); /* a branch to itself: 100 + 1 */
    b.diverged[4] = 15;
    issue_to(&b, 4, 5); /* diverged: the nearest behind the branch counts, 100 - 4 */
    b.now = 50;
    for (unsigned i = 0; i < 5; i++)
        b.warps[i].completed = 10; /* of 11 issued: each has 10 less */
    launch(&b, 5, 5);
    issue_to(&b, 5, 1);
    assert_order(&b, 31, (const unsigned[]){1, 3, 0, 4, 2});
    /* Never below zero: far ahead, then 30 back. */
    issue_to(&b, 2, 1000);
    issue_to(&b, 2, 971); /* 30 to go; one completes below: 29 */
    b.warps[2].completed = 11;
    b.warps[0].completed = 80; /* 20 to go */
    b.now = 100000;
    issue_to(&b, 5, 2);
    assert_order(&b, BIT64(0) | BIT64(2), (const unsigned[]){2, 0});
    bench_end(&b);
}

/* nStall of the artifact grows by the time since the last issue at the end of every cycle, which is at first that since
 * the kernel's start; nInst is 0 from the first jump backward on; CPI is that of the last issue. */
static void test_artifact(void **state)
{
    struct bench b;
    bench_start(&b, "cawa:profile=artifact:patience=0:start=zero", 0, 1000);
    b.now = 1000;
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    assert_int_equal(cycle(&b, 1000, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 1006, BIT64(1)), 1); /* 0+1+..+6 = 21, and 6 at the issue */
    assert_int_equal(cycle(&b, 1006, BIT64(2)), 2);
    b.now = 1007; /* 27; 0 has 1+..+6 = 21: cycle 1007 does not count before its choice */
    assert_order(&b, 3, (const unsigned[]){1, 0});
    b.now = 1008; /* 21 + 7 and 27 + 1: the older one */
    assert_order(&b, 3, (const unsigned[]){0, 1});
    launch(&b, 3, 3); /* begins with 8, then 9: 17 */
    launch(&b, 4, 4);
    b.now = 1009; /* 36 to 30 */
    assert_order(&b, 3, (const unsigned[]){0, 1});
    b.now = 1010; /* 17 to 33 */
    assert_order(&b, BIT64(1) | BIT64(3), (const unsigned[]){1, 3});
    b.now = 1013; /* 8+9+10+11+12 = 50 to 27+1+..+6 = 48 */
    assert_order(&b, BIT64(1) | BIT64(3), (const unsigned[]){3, 1});
    bench_end(&b);
    bench_start(&b, "cawa:profile=artifact:patience=0", 0, 0);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    b.now = 30;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++)
            issue_to(&b, i, k == 2 && i == 0 ? 1 : k + 1);
    issue_to(&b, 0, 2); /* 0 went back: 0 to go; 1 has 100 - 4, of 10 cycles each */
    issue_to(&b, 2, 4);
    b.now = 31;
    assert_order(&b, 3, (const unsigned[]){1, 0});
    bench_end(&b);
    /* CPI of the last issue: 98 instructions at 10 / 2 and 120 stalls to 96 at 20 / 3 and 230. At 21 / 2 and 21 / 3 it
     * would be the other way round. */
    bench_start(&b, "cawa:profile=artifact:patience=0", 0, 0);
    for (unsigned i = 0; i < 3; i++)
        launch(&b, i, i);
    for (unsigned i = 0; i < 2; i++) {
        b.now = 10 * (i + 1);
        for (unsigned k = 0; k < 2 + i; k++)
            issue_to(&b, i, k + 1);
    }
    issue_to(&b, 2, 1);
    b.now = 21;
    assert_order(&b, 3, (const unsigned[]){1, 0});
    bench_end(&b);
    /* It wraps at 32 bits: 99,999 cycles are 4,999,950,000, which is less than the 1,799,970,000 of 59,999. */
    bench_start(&b, "cawa:profile=artifact:patience=0:start=zero", 0, 0);
    for (unsigned i = 0; i < 3; i++)
        launch(&b, i, i);
    assert_int_equal(cycle(&b, 0, BIT64(0)), 0);
    b.now = 40000;
    launch(&b, 1, 1);
    issue_to(&b, 1, 1); /* 40,000 at the launch's cycle, and at the issue */
    issue_to(&b, 2, 1);
    b.now = 100000;
    assert_order(&b, 3, (const unsigned[]){1, 0});
    bench_end(&b);
}

/* The same by counting: nStall in every cycle, nInst with every instruction that completes, in the order of events. */

#define WARPS 8

struct model {
    bool artifact;
    uint64_t instructions[WARPS], completed[WARPS], issued[WARPS], launched[WARPS], last[WARPS], stall[WARPS];
    uint32_t pc[WARPS];
    unsigned greedy;
};

static void model_completions(struct model *m, const struct bench *b)
{
    for (unsigned w = 0; w < WARPS; w++)
        for (; !m->artifact && m->completed[w] < b->warps[w].completed; m->completed[w]++)
            m->instructions[w] -= m->instructions[w] > 0;
}

/* Behind the choice of the cycle's warp, before its issue. */
static void model_stalls(struct model *m, const struct bench *b)
{
    for (unsigned w = 0; w < WARPS && m->artifact; w++)
        m->stall[w] = (uint32_t)(m->stall[w] + (b->now - m->last[w]));
}

/* Criticality as numerator over denominator. */
static void model_criticality(const struct model *m, const struct bench *b, unsigned w, uint64_t *over, uint64_t *under)
{
    uint64_t completed = b->warps[w].completed ? b->warps[w].completed : 1;
    if (m->artifact) {
        *over = m->instructions[w] * (m->issued[w] ? m->last[w] / m->issued[w] : 0) + m->stall[w];
        *under = 1;
    } else {
        *over = m->instructions[w] * (b->now - m->launched[w]) + m->stall[w] * completed;
        *under = completed;
    }
}

static unsigned model_pick(const struct model *m, const struct bench *b, uint64_t ready)
{
    unsigned best = WARPS;
    if (m->greedy < WARPS && mask_has(ready, m->greedy))
        return m->greedy;
    for (unsigned w = 0; w < WARPS; w++) {
        uint64_t over, under, most_over, most_under;
        if (!mask_has(ready, w))
            continue;
        model_criticality(m, b, w, &over, &under);
        if (best < WARPS)
            model_criticality(m, b, best, &most_over, &most_under);
        if (best == WARPS || over * most_under > most_over * under ||
            (over * most_under == most_over * under && b->warps[w].age < b->warps[best].age))
            best = w;
    }
    return best;
}

static void model_issue(struct model *m, const struct bench *b, unsigned w, uint32_t pc, uint32_t next)
{
    uint64_t n = m->instructions[w];
    if (m->artifact) {
        uint64_t by = m->issued[w] ? 2 * (uint64_t)(uint32_t)(pc - m->pc[w]) : 0;
        n = by > n ? 0 : n - by;
    } else if (next <= pc) {
        n += pc - next + 1;
    } else {
        n = next - pc - 1 > n ? 0 : n - (next - pc - 1);
    }
    m->instructions[w] = n;
    m->stall[w] += b->now - m->last[w];
    m->last[w] = b->now;
    m->pc[w] = pc;
    m->issued[w]++;
    m->greedy = w;
}

static void model_launch(struct model *m, struct bench *b, unsigned w, uint64_t age)
{
    m->instructions[w] = 100;
    m->completed[w] = m->issued[w] = m->stall[w] = 0;
    m->launched[w] = b->now;
    m->last[w] = m->artifact ? 0 : b->now;
    m->greedy = m->greedy == w ? WARPS : m->greedy;
    launch(b, w, age);
}

static void compare(const char *name, bool artifact, unsigned ask_every)
{
    struct bench b;
    struct model m = {.artifact = artifact, .greedy = WARPS};
    uint64_t x = 99, switches = 0;
    bench_start(&b, name, 0, 0);
    for (unsigned w = 0; w < WARPS; w++)
        model_launch(&m, &b, w, w);
    for (uint64_t now = 0; now < 20000; now++) {
        b.now = now;
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned one = x >> 61;
        b.warps[one].completed += b.warps[one].completed < b.warps[one].issued;
        if (x >> 32 & 1 && x % 997 == 0)
            model_launch(&m, &b, one, 100 + now);
        model_completions(&m, &b);
        uint64_t ready = (x >> 20 & x >> 40) & 0xff;
        if (!ready || (x >> 8) % ask_every) {
            model_stalls(&m, &b);
            continue;
        }
        unsigned before = m.greedy, pick = model_pick(&m, &b, ready);
        assert_int_equal(ask(&b, ready), pick);
        model_stalls(&m, &b);
        switches += pick != before;
        uint32_t pc = b.warps[pick].pc, next = x >> 50 & 3 ? pc + 1 : (uint32_t)(x >> 52) % 60;
        issue_to(&b, pick, next);
        model_issue(&m, &b, pick, pc, next);
    }
    assert_true(switches > 100);
    bench_end(&b);
}

static void test_against_counting(void **state)
{
    compare("cawa:patience=0", false, 1);
    compare("cawa:patience=0", false, 50);
    compare("cawa:patience=0:profile=artifact", true, 1);
    compare("cawa:patience=0:profile=artifact", true, 7);
    compare("cawa:patience=0:profile=artifact", true, 100);
    compare("cawa:patience=0:update=unsigned:cpi=truncated:stall=cycle", true, 3);
}

/* The one that issued the longest ago goes first after `patience` cycles, whatever its criticality; 0: never. */
static void test_patience(void **state)
{
    for (unsigned patience = 0; patience < 2; patience++) {
        struct bench b;
        bench_start(&b, patience ? "cawa:patience=30" : "cawa:patience=0", 0, 0);
        launch(&b, 0, 0);
        launch(&b, 1, 1);
        launch(&b, 2, 2);
        assert_int_equal(cycle(&b, 10, BIT64(0)), 0); /* 1 is remembered, the older of two that never issued */
        assert_int_equal(cycle(&b, 11, 7), 0);
        assert_int_equal(cycle(&b, 39, 7), 0);
        assert_int_equal(cycle(&b, 40, 7), patience ? 1 : 0);
        assert_int_equal(cycle(&b, 69, 7), patience ? 1 : 0); /* 2 since 40 */
        assert_int_equal(cycle(&b, 70, 7), patience ? 2 : 0);
        b.waiting = BIT64(0); /* 0 is remembered, and not ready */
        assert_int_equal(cycle(&b, 100, 6), patience ? 2 : 1);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_then_older),  cmocka_unit_test(test_paper_criticality),
        cmocka_unit_test(test_paper_control_flow), cmocka_unit_test(test_artifact),
        cmocka_unit_test(test_against_counting),   cmocka_unit_test(test_patience),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
