/* The oracle: what the PTX memory model allows. Answers that the manual's text gives, and properties that hold whatever
 * the test is. */
#include "litmus_support.h"
#include "effort.h"

static bool allows(const struct litmus_test *test)
{
    struct litmus_verdict verdict;
    bool some = false;
    litmus_ask(test, 2, &verdict);
    assert_true(verdict.complete);
    assert_true(includes(&verdict.allowed, &verdict.sequential));
    for (unsigned i = 0; i < verdict.allowed.count; i++)
        some |= litmus_holds(test, &verdict.allowed.items[i].outcome);
    litmus_verdict_free(&verdict);
    return some;
}

static const struct question {
    const char *rows, *condition;
    unsigned second_block;
    bool allowed;
} questions[] = {
    /* A release and an acquire synchronize when their scopes include each other's thread, and not else. */
    {"st.weak x, 1 | ld.acquire.gpu r0, y ; st.release.gpu y, 1 | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1,
     false},
    {"st.weak x, 1 | ld.acquire.cta r0, y ; st.release.gpu y, 1 | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1,
     true},
    {"st.weak x, 1 | ld.acquire.cta r0, y ; st.release.gpu y, 1 | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 0,
     false},
    /* A release pattern: the release, then a strong write of the same place. */
    {"st.weak x, 1 | ld.acquire.gpu r0, y ; st.release.gpu y, 1 | ld.weak r1, x ; st.relaxed.gpu y, 2 | ;",
     "(P1:r0 == 2 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.acquire.gpu r0, y ; st.release.gpu y, 1 | ld.weak r1, x ; st.weak y, 2 | ;",
     "(P1:r0 == 2 /\\ P1:r1 == 0)", 1, true},
    /* Only fence.sc orders a write before a later read. */
    {"st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ; fence.sc.gpu | fence.sc.gpu ; ld.relaxed.gpu r0, y | ld.relaxed.gpu "
     "r0, x ;",
     "(P0:r0 == 0 /\\ P1:r0 == 0)", 1, false},
    {"st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ; fence.sc.cta | fence.sc.cta ; ld.relaxed.gpu r0, y | ld.relaxed.gpu "
     "r0, x ;",
     "(P0:r0 == 0 /\\ P1:r0 == 0)", 1, true},
    {"st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ; fence.acq_rel.gpu | fence.acq_rel.gpu ; ld.relaxed.gpu r0, y | "
     "ld.relaxed.gpu r0, x ;",
     "(P0:r0 == 0 /\\ P1:r0 == 0)", 1, true},
    /* SC-per-location holds of morally strong operations. */
    {"st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ; | ld.relaxed.gpu r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.weak r0, x ; | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ; ld.weak r0, x | ;", "(P0:r0 == 0)", 1, false},
    /* Atomicity: of two increments none is lost, if they are morally strong. */
    {"atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;", "(x == 1)", 1, false},
    {"atom.relaxed.cta.add r0, x, 1 | atom.relaxed.cta.add r0, x, 1 ;", "(x == 1)", 1, true},
    {"red.relaxed.gpu.add x, 1 | st.relaxed.gpu x, 5 ; | ;", "(x == 1)", 1, false},
    /* Observation goes through atomics of others. */
    {"st.weak x, 1 | atom.relaxed.gpu.add r0, y, 1 ; st.release.gpu y, 1 | ld.acquire.gpu r1, y ; | ld.weak r2, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 2 /\\ P1:r2 == 0)", 1, false},
    /* No-Thin-Air: values do not come from themselves. */
    {"ld.weak r0, x | ld.weak r0, y ; st.weak y, r0 | st.weak x, r0 ;", "(P0:r0 == 1)", 1, false},
    {"ld.weak r0, x | ld.weak r0, y ; st.weak y, 1 | st.weak x, 1 ;", "(P0:r0 == 1 /\\ P1:r0 == 1)", 1, true},
    {"ld.weak r0, x | ld.weak r0, y ; bne r0, 1, L0 | bne r0, 1, L1 ; st.weak y, 1 | st.weak x, 1 ; L0: | L1: ;",
     "(P0:r0 == 1 /\\ P1:r0 == 1)", 1, false},
    /* Barriers order what comes before and behind them, in one block. */
    {"st.weak x, 1 | bar.cta.sync 0 ; bar.cta.sync 0 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, false},
    {"st.weak x, 1 | bar.cta.sync 0 ; bar.cta.sync 0 | ld.weak r0, x ;", "(P1:r0 == 0)", 1, true},
    {"st.weak x, 1 | bar.cta.sync 1 ; bar.cta.sync 0 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, true},
    /* A barrier that takes fewer threads than come; one that does not wait; threads that wait for ever end nothing. */
    {"st.weak x, 1 | bar.sync 1, 2 ; bar.sync 1, 2 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, false},
    {"st.weak x, 1 | bar.sync 1, 2 ; bar.arrive 1, 2 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, false},
    {"st.weak x, 1 | bar.arrive 1, 2 ; bar.sync 1, 2 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, true},
    {"st.weak x, 1 | bar.sync 1, 1 ; bar.sync 1, 1 | ld.weak r0, x ;", "(P1:r0 == 0)", 0, true},
    {"st.weak x, 1 | bar.sync 1, 3 ; bar.sync 1, 3 | ld.weak r0, x ;", "(x == 1)", 0, false},
    {"bar.sync 0 | bar.sync 1 ; bar.sync 1 | bar.sync 0 ; st.weak x, 1 | ;", "(x == 1)", 0, false},
    /* The number of a barrier may be a value that is read. */
    {"ld.weak r0, y | st.weak y, 1 ; st.weak x, 1 | bar.sync 1 ; bar.sync r0 | ld.weak r1, x ;",
     "(P0:r0 == 1 /\\ P1:r1 == 0)", 0, false},
    {"ld.weak r0, y | st.weak y, 1 ; st.weak x, 1 | bar.sync 1 ; bar.sync r0 | ld.weak r1, x ;",
     "(P0:r0 == 0 /\\ P1:r1 == 0)", 0, true},
    /* A weak load does not miss a write that a strong load of its thread has read before. */
    {"st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ; | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.relaxed.gpu x, 1 | ld.volatile r0, x ; | ld.weak r1, x ;", "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    /* Values go on from place to place, by exchanges, sums and what a compare leaves. */
    {"ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ; st.relaxed.gpu y, r0 | ld.relaxed.gpu r0, y ;",
     "(P0:r0 == 2 /\\ P1:r0 == 2)", 1, true},
    {"atom.relaxed.gpu.exch r0, x, 5 | atom.relaxed.gpu.exch r0, x, 6 ; atom.relaxed.gpu.exch r1, y, r0 | "
     "atom.relaxed.gpu.exch r1, y, r0 ; st.weak z, r1 | ;",
     "(P0:r0 == 6 /\\ P1:r1 == 6)", 1, true},
    {"atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ; st.weak y, r0 | ld.weak r1, y ;",
     "(P0:r0 == 1 /\\ P1:r1 == 1)", 1, true},
    /* A chain through exchanges is no source of values. */
    {"atom.relaxed.gpu.exch r0, x, 1 | ld.relaxed.gpu r0, x ; | red.relaxed.cta.add x, 3 ;", "(P0:r0 == 4)", 1, false},
    {"atom.relaxed.gpu.exch r0, x, 1 | atom.relaxed.gpu.exch r0, y, 1 ; st.relaxed.gpu y, r0 | st.relaxed.gpu x, r0 ;",
     "(P0:r0 == 1 /\\ P1:r0 == 1)", 1, false},
    /* A compare that fails writes nothing. */
    {"atom.relaxed.gpu.cas r0, x, 1, 2 | st.relaxed.gpu x, 1 ;", "(P0:r0 == 0 /\\ x == 2)", 1, false},
    {"atom.relaxed.gpu.cas r0, x, 1, 2 | st.relaxed.gpu x, 1 ;", "(P0:r0 == 1 /\\ x == 2)", 1, true},
};

/* Several proxies: y is a second address of x, whose names by other proxies are s, t, c and m. */
#define MIXED                                                                                                          \
    "y @ generic aliases x; s @ surface aliases x; t @ texture aliases x; c @ constant aliases x; d=0; flag=0; e=7; "  \
    "mbarrier m=2; mbarrier one=1;"
static const struct question mixed[] = {
    /* An alias is another address: a fence of aliases, or the order of memory is open. */
    {"st.weak x, 1 | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.alias | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, false},
    {"st.weak x, 1 | ; fence.acq_rel.sys | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.surface | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, true},
    /* Another proxy needs a fence of its own. */
    {"st.weak x, 1 | ; suld.weak r0, s | ;", "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.surface | ; suld.weak r0, s | ;", "(P0:r0 == 0)", 0, false},
    {"st.weak x, 1 | ; fence.proxy.texture | ; suld.weak r0, s | ;", "(P0:r0 == 0)", 0, true},
    {"sust.weak s, 1 | ; suld.weak r0, s | ;", "(P0:r0 == 0)", 0, false},
    {"sust.weak s, 1 | ; fence.proxy.surface | ; fence.proxy.texture | ; tld.weak r0, t | ;", "(P0:r0 == 0)", 0, false},
    {"sust.weak s, 1 | ; fence.proxy.texture | ; fence.proxy.surface | ; tld.weak r0, t | ;", "(P0:r0 == 0)", 0, true},
    {"sust.weak s, 1 | ; fence.proxy.surface | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, true},
    {"sust.weak s, 1 | ; fence.proxy.surface | ; fence.proxy.alias | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, false},
    {"sust.weak s, 1 | ; fence.proxy.alias | ; fence.proxy.surface | ; ld.weak r0, y | ;", "(P0:r0 == 0)", 0, true},
    /* It stands in the block that has the other proxy. */
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; st.release.gpu flag, 1 | fence.proxy.constant ; | cold.weak r1, c ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; fence.proxy.constant | cold.weak r1, c ; st.release.gpu flag, 1 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; fence.proxy.constant | cold.weak r1, c ; st.release.gpu flag, 1 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 0, false},
    /* A tensor map: a release here, an acquire there, both of the kind. */
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.proxy.tensormap::generic.release.gpu | "
     "fence.proxy.tensormap::generic.acquire.gpu [x], 128 ; st.relaxed.gpu flag, 1 | tmld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.acq_rel.gpu | "
     "fence.proxy.tensormap::generic.acquire.gpu [x], 128 ; st.relaxed.gpu flag, 1 | tmld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.proxy.tensormap::generic.release.gpu | fence.acq_rel.gpu ; "
     "st.relaxed.gpu flag, 1 | tmld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.relaxed.cta r0, flag ; fence.proxy.tensormap::generic.release.cta | "
     "fence.proxy.tensormap::generic.acquire.cta ; st.relaxed.cta flag, 1 | tmld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.proxy.tensormap::generic.acquire.gpu [x], 128 | "
     "fence.proxy.tensormap::generic.acquire.gpu [x], 128 ; fence.acq_rel.gpu | tmld.weak r1, x ; st.relaxed.gpu flag, 1 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; fence.proxy.tensormap::generic.release.gpu | tmld.weak r1, x ; "
     "fence.proxy.tensormap::generic.acquire.gpu [x], 128 | ; st.release.gpu flag, 1 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    /* Fences of one direction. */
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.release.gpu | fence.acquire.gpu ; st.relaxed.gpu flag, 1 | "
     "ld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.acquire.gpu | fence.acquire.gpu ; st.relaxed.gpu flag, 1 | "
     "ld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    {"st.weak x, 1 | ld.relaxed.gpu r0, flag ; fence.release.gpu | fence.release.gpu ; st.relaxed.gpu flag, 1 | "
     "ld.weak r1, x ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
    /* A bulk copy reads what was written before it only behind a fence, and has written when it was waited for. */
    {"st.weak x, 1 | ; cp.async.bulk d, x | ; cp.async.bulk.commit_group | ; cp.async.bulk.wait_group 0 | ; "
     "ld.weak r0, d | ;",
     "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.async | ; cp.async.bulk d, x | ; cp.async.bulk.commit_group | ; "
     "cp.async.bulk.wait_group 0 | ; ld.weak r0, d | ;",
     "(P0:r0 == 0)", 0, false},
    {"st.weak x, 1 | ; fence.proxy.async.global | ; cp.async.bulk d, x | ; ld.weak r0, d | ;", "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.async | ; cp.async.bulk d, x | ; fence.proxy.async | ; ld.weak r0, d | ;",
     "(P0:r0 == 0)", 0, true},
    {"st.weak x, 1 | ; fence.proxy.async | ; cp.async.bulk d, x | ; cp.async.bulk.wait_group.read 0 | ; "
     "ld.weak r0, d | ;",
     "(P0:r0 == 0)", 0, true},
    /* Its source may be written again when it has been read. */
    {"cp.async.bulk d, x | ; cp.async.bulk.wait_group.read 0 | ; st.weak x, 1 | ;", "(d == 1)", 0, false},
    {"cp.async.bulk d, x | ; st.weak x, 1 | ;", "(d == 1)", 0, true},
    /* mbarriers: who has seen that a phase is over is behind all of its arrivals, in its block. */
    {"st.weak x, 1 | mbarrier.arrive m ; mbarrier.arrive m | mbarrier.try_wait.parity m, 0 ; | ld.weak r0, x ;",
     "(P1:r0 == 0)", 0, false},
    {"mbarrier.arrive m | mbarrier.arrive m ; st.weak x, 1 | mbarrier.try_wait.parity m, 0 ; | ld.weak r0, x ;",
     "(P1:r0 == 0)", 0, true},
    {"st.weak x, 1 | mbarrier.try_wait.parity m, 1 ; mbarrier.arrive m | ld.weak r0, x ; mbarrier.arrive m | ;",
     "(P1:r0 == 0)", 0, true},
    {"mbarrier.arrive m | mbarrier.arrive m ; mbarrier.try_wait.parity m, 0 | mbarrier.try_wait.parity m, 0 ; "
     "st.weak x, 1 | mbarrier.arrive m ; mbarrier.arrive m | mbarrier.try_wait.parity m, 1 ; | ld.weak r0, x ;",
     "(P1:r0 == 0)", 0, false},
    {"mbarrier.arrive m | st.weak x, 1 ; mbarrier.try_wait.parity m, 0 | ;", "(x == 1)", 0, false}, /* it never ends */
    {"mbarrier.arrive one | mbarrier.arrive one ; mbarrier.arrive one | st.weak x, 1 ;", "(x == 1)", 0, true},
    /* A copy that counts at one: its bytes are there when the phase is over, whoever waits. */
    {"fence.proxy.async | mbarrier.try_wait.parity one, 0 ; mbarrier.arrive.expect_tx one, 4 | ld.weak r0, d ; "
     "cp.async.bulk d, e, one | ;",
     "(P1:r0 == 0)", 0, false},
    {"cp.async.bulk d, e, one | mbarrier.try_wait.parity one, 0 ; mbarrier.arrive.expect_tx one, 4 | ld.weak r0, d ;",
     "(P1:r0 == 0)", 0, false},
    {"mbarrier.arrive.expect_tx one, 4 | mbarrier.try_wait.parity one, 0 ; cp.async.bulk d, e | ld.weak r0, d ;",
     "(d == 7)", 0, false}, /* it never ends */
    {"mbarrier.arrive one | mbarrier.try_wait.parity one, 0 ; cp.async.bulk d, e | ld.weak r0, d ;", "(P1:r0 == 0)", 0,
     true},
    {"mbarrier.arrive.expect_tx one, 4 | mbarrier.try_wait.parity one, 0 ; cp.async.bulk d, e, one | ld.weak r0, d ; "
     "cp.async.bulk.wait_group 0 | ; ld.weak r1, d | ;",
     "(P0:r1 == 0)", 0, true}, /* wait_group is for other copies */
    /* What it wrote goes to others as all else does. */
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; fence.proxy.async | ld.weak r1, d ; cp.async.bulk d, x | ; "
     "cp.async.bulk.wait_group 0 | ; st.release.gpu flag, 1 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, false},
    {"st.weak x, 1 | ld.acquire.gpu r0, flag ; fence.proxy.async | ld.weak r1, d ; cp.async.bulk d, x | ; "
     "st.release.gpu flag, 1 | ; cp.async.bulk.wait_group 0 | ;",
     "(P1:r0 == 1 /\\ P1:r1 == 0)", 1, true},
};

static void proxies_need_their_fences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        const struct question *q = &mixed[i];
        struct litmus_test test;
        struct strbuf text = {0};
        strbuf_addf(&text, "PTX mixed\n{ %s }\n P0@cta 0 | P1@cta %u ;\n%s\nexists %s\n", MIXED, q->second_block,
                    q->rows, q->condition);
        read_test(&test, strbuf_text(&text));
        if (allows(&test) != q->allowed)
            fail_msg("%s: %s", q->rows, q->allowed ? "must be allowed" : "must not be");
        litmus_free(&test);
        strbuf_free(&text);
    }
}

static void the_model_answers_as_the_manual_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *q = &questions[i];
        struct litmus_test test;
        char condition[128];
        snprintf(condition, sizeof condition, "exists %s", q->condition);
        read_pair(&test, q->second_block, q->rows, condition);
        if (allows(&test) != q->allowed)
            fail_msg("%s: %s", q->rows, q->allowed ? "must be allowed" : "must not be");
        litmus_free(&test);
    }
}

/* A loop that waits has ended when it has seen what it waits for, however often it turned before. */
static void a_loop_ends_with_what_it_waits_for(void **state)
{
    (void)state;
    struct litmus_test test;
    struct litmus_verdict verdict;
    read_pair(&test, 1,
              "st.weak x, 1 | L0: ld.acquire.gpu r0, y ; st.release.gpu y, 1 | beq r0, 0, L0 ; | ld.weak r1, x ;",
              "forall (P1:r0 == 1 /\\ P1:r1 == 1)");
    litmus_ask(&test, 3, &verdict);
    assert_true(verdict.unrolled);
    assert_int_equal(verdict.allowed.count, 1);
    assert_true(litmus_holds(&test, &verdict.allowed.items[0].outcome));
    litmus_verdict_free(&verdict);
    litmus_free(&test);
}

/* A test that touches no memory ends, in one way. */
static void a_test_may_do_without_memory(void **state)
{
    (void)state;
    struct litmus_test test;
    struct litmus_verdict verdict;
    read_pair(&test, 0, "bar.cta.sync 0 | bar.cta.sync 0 ;", "forall (1 == 1)");
    litmus_ask(&test, 2, &verdict);
    assert_int_equal(verdict.allowed.count, 1);
    assert_int_equal(verdict.sequential.count, 1);
    litmus_verdict_free(&verdict);
    litmus_free(&test);
}

/* Sizes: a place keeps its lowest bits, and what is compared is what it keeps. */
static void values_have_the_size_of_their_place(void **state)
{
    (void)state;
    struct litmus_test test;
    struct litmus_verdict verdict;
    read_test(&test, "PTX sizes\n{ b8 c; b16 h=65535; b64 d=-1; }\n P0@cta 0 ;\n st.weak c, 511 ; ld.weak r0, c ;\n"
                     " atom.relaxed.gpu.cas r1, h, -1, 65538 ; atom.relaxed.gpu.add r2, d, 3 ; add r3, r2, 1 ;\n"
                     "forall (c == 255 /\\ P0:r0 == 255 /\\ h == 2 /\\ P0:r1 == 65535 /\\ d == 2 /\\ P0:r3 == 0)");
    litmus_ask(&test, 2, &verdict);
    assert_int_equal(verdict.allowed.count, 1);
    assert_int_equal(verdict.sequential.count, 1);
    assert_true(litmus_holds(&test, &verdict.allowed.items[0].outcome));
    litmus_verdict_free(&verdict);
    litmus_free(&test);
}

/* A shape's test with the answer. */
struct named {
    char name[96];
    struct litmus_test test;
    struct litmus_verdict verdict;
};

static void ask_all(struct named **all, unsigned *count)
{
    struct strbuf text = {0};
    *all = NULL;
    for (*count = 0; litmus_shape(*count, &text); ++*count) {
        *all = realloc(*all, (*count + 1) * sizeof **all);
        struct named *n = &(*all)[*count];
        read_test(&n->test, strbuf_text(&text));
        snprintf(n->name, sizeof n->name, "%s", n->test.name);
        litmus_ask(&n->test, 2, &n->verdict);
        assert_true(n->verdict.complete && !n->verdict.unrolled);
        strbuf_free(&text);
    }
}

static const struct named *find(const struct named *all, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return NULL;
}

/* A test that orders more, or at a wider scope, allows no more. */
static void more_order_allows_no_more(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"+relaxed.gpu+", "+weak+"},
        {"+release-acquire.gpu+", "+relaxed.gpu+"},
        {"+fence.acq_rel.gpu+", "+relaxed.gpu+"},
        {"+fence.sc.gpu+", "+fence.acq_rel.gpu+"},
        {"+relaxed.gpu+", "+relaxed.cta+"},
        {"+release-acquire.gpu+", "+release-acquire.cta+"},
        {"+fence.sc.gpu+", "+fence.sc.cta+"},
        {"+atomics.gpu+", "+atomics.cta+"},
        {"+fence.sc.sys+", "+fence.sc.gpu+"},
        {"+fence.sc.gpu+", "+fence.sc.sys+"},
        {"+barrier+", "+weak+"},
        {"+fence.sc.gpu+", "+data-fence.sc.gpu+"},
        {"+data-fence.sc.gpu+", "+data-fence.acq_rel.gpu+"},
    };
    struct named *all;
    unsigned count, compared = 0, smaller = 0;
    if (effort_step(2) > 1)
        skip(); /* the shapes are many, and each needs the others that it is compared with */
    ask_all(&all, &count);
    assert_true(count > 600);
    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            const char *at = strstr(all[i].name, pairs[k][0]);
            char other[96];
            if (!at)
                continue;
            snprintf(other, sizeof other, "%.*s%s%s", (int)(at - all[i].name), all[i].name, pairs[k][1],
                     at + strlen(pairs[k][0]));
            const struct named *weaker = find(all, count, other);
            assert_non_null(weaker);
            if (!includes(&weaker->verdict.allowed, &all[i].verdict.allowed))
                fail_msg("%s allows more than %s", all[i].name, other);
            compared++;
            smaller += weaker->verdict.allowed.count > all[i].verdict.allowed.count;
        }
    assert_true(compared > 450);
    assert_true(smaller > 60);
    for (unsigned i = 0; i < count; i++) {
        assert_true(includes(&all[i].verdict.allowed, &all[i].verdict.sequential));
        /* What a shape asks for is what no interleaving has. */
        for (unsigned k = 0; k < all[i].verdict.sequential.count; k++)
            if (litmus_holds(&all[i].test, &all[i].verdict.sequential.items[k].outcome))
                fail_msg("%s asks for a sequential outcome", all[i].name);
        litmus_verdict_free(&all[i].verdict);
        litmus_free(&all[i].test);
    }
    free(all);
}

/* With fence.sc between all accesses, which are strong, and scopes that hold everybody, a test is sequential. */
static void fences_of_all_make_a_test_sequential(void **state)
{
    (void)state;
    struct strbuf text = {0};
    unsigned looked = 0;
    for (unsigned i = 0; litmus_shape(i, &text); i++) {
        struct litmus_test test;
        struct litmus_verdict verdict;
        read_test(&test, strbuf_text(&text));
        strbuf_free(&text);
        if (strstr(test.name, "+fence.sc.gpu+") || strstr(test.name, "+fence.sc.sys+")) {
            litmus_ask(&test, 2, &verdict);
            if (!includes(&verdict.sequential, &verdict.allowed))
                fail_msg("%s is not sequential", test.name);
            litmus_verdict_free(&verdict);
            looked++;
        }
        litmus_free(&test);
    }
    assert_true(looked > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_answers_as_the_manual_says), cmocka_unit_test(proxies_need_their_fences),
        cmocka_unit_test(a_loop_ends_with_what_it_waits_for),   cmocka_unit_test(a_test_may_do_without_memory),
        cmocka_unit_test(values_have_the_size_of_their_place),  cmocka_unit_test(more_order_allows_no_more),
        cmocka_unit_test(fences_of_all_make_a_test_sequential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
