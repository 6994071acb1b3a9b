/* Control flow in execution: recursion under divergence, nested and early returns, indirect calls and branches, and
 * accesses whose lanes fall into several spaces. Every case runs in both modes and with both warp widths. */
#include "gpu_support.h"

#define LANES 64

typedef uint32_t (*expected_fn)(uint32_t tid);

static void check(const char *text, expected_fn expected)
{
    static const char *const settings[] = {"gpu.sms=1", "gpu.sms=1 sm.warp_size=64", "gpu.sms=2 sm.scheduler=lrr",
                                           "gpu.sms=1 sm.warp_size=64 sm.divergence=its",
                                           "gpu.sms=2 sm.scheduler=lrr sm.divergence=its",
"gpu.sms=1 sm.divergence=aware"};
    char *whole = malloc(strlen(text) + sizeof PTX_HEAD);
    strcpy(stpcpy(whole, PTX_HEAD), text);
    for (unsigned i = 0; i < 2 * sizeof settings / sizeof settings[0]; i++) {
        struct device d;
        device_open(&d, i % 2 ? "gtx480-sm2" : "gtx480", settings[i / 2]);
        device_load(&d, whole);
        for (unsigned mode = 0; mode < 2; mode++) {
            uint64_t p = device_buffer(&d, 4096);
            device_run(&d, "k", (struct shape){.grid = 1, .block = LANES, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING},
                       p, 0);
            for (uint32_t t = 0; t < LANES; t++)
                if (device_word(&d, p + 4 * t) != expected(t))
                    fail_msg("%s, mode %u, thread %u: %u instead of %u", settings[i / 2], mode, t,
                             device_word(&d, p + 4 * t), expected(t));
        }
        device_close(&d);
    }
    free(whole);
}

/* The thesis' example: f(x): x+1; if x == 1 and lane > 4 recurse; x+1. */
static uint32_t recursion(uint32_t t)
{
    return t % 32 > 4 ? 4 : 2;
}
static void test_recursion_under_divergence(void **state)
{
    check(".visible .func (.param .b32 out) f(.param .b32 in)\n{\n" PTX_REGS
          "ld.param.u32 %r1, [in]; add.u32 %r1, %r1, 1; mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 31;\n"
          "setp.eq.u32 %p1, %r1, 1; setp.gt.and.u32 %p1, %r2, 4, %p1; @!%p1 bra DONE;\n"
          "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r1, [b]; }\n"
          "DONE: add.u32 %r1, %r1, 1; st.param.b32 [out], %r1; ret;\n}\n" PTX_KERNEL(
              "k", PTX_BEGIN "{ .param .b32 a; .param .b32 b; st.param.b32 [a], 0; call (b), f, (a); ld.param.b32 %r6, "
                             "[b]; }\n st.global.u32 [%rd2], %r6; ret;"),
          recursion);
}

/* Returns from the middle of a function by some lanes, guarded returns, and a call below a divergent branch. */
static uint32_t early(uint32_t t)
{
    uint32_t f = t < 10 ? 100 + t : t % 3 == 0 ? 7 : t * t;
    return t & 1 ? f + 1000 : f;
}
static void test_return_under_divergence(void **state)
{
    check(
        ".visible .func (.param .b32 out) f(.param .b32 in)\n{\n" PTX_REGS
        "ld.param.u32 %r1, [in]; setp.lt.u32 %p1, %r1, 10; @!%p1 bra BIG;\n"
        "add.u32 %r2, %r1, 100; st.param.b32 [out], %r2; ret;\n"
        "BIG: rem.u32 %r3, %r1, 3; setp.eq.u32 %p2, %r3, 0; st.param.b32 [out], 7; @%p2 ret;\n"
        "mul.lo.u32 %r4, %r1, %r1; st.param.b32 [out], %r4; ret;\n}\n" PTX_KERNEL(
            "k", PTX_BEGIN
            "and.b32 %r7, %r2, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra EVEN;\n"
            "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), f, (a); ld.param.b32 %r6, [b]; }\n "
            "add.u32 %r6, %r6, 1000; bra JOIN;\n"
            "EVEN: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), f, (a); ld.param.b32 %r6, [b]; }\n"
            "JOIN: st.global.u32 [%rd2], %r6; ret;"),
        early);
}

/* Nested branches and loops; lanes that meet again must be counted together: the ballot sees all of them. */
static uint32_t nested(uint32_t t)
{
    uint32_t x = 0;
    for (uint32_t i = 0; i < t % 5 + 1; i++)
        for (uint32_t k = 0; k < (t + i) % 3; k++)
            x = t & 2 ? (k ? x * 3 + 1 : x + 5) : x ^ (i * 16 + k);
    return x * 2 + 1; /* the low bit: everybody was there after the loops */
}
static void test_nested_divergence(void **state)
{
    check(PTX_KERNEL("k", PTX_BEGIN "mov.u32 %r6, 0; mov.u32 %r7, 0; rem.u32 %r8, %r2, 5;\n"
                                    "OUTER: mov.u32 %r9, 0; add.u32 %r10, %r2, %r7; rem.u32 %r10, %r10, 3; setp.eq.u32 "
                                    "%p1, %r10, 0; @%p1 bra NEXT;\n"
                                    "INNER: and.b32 %r11, %r2, 2; setp.eq.u32 %p2, %r11, 0; @%p2 bra XORS;\n"
                                    "setp.eq.u32 %p3, %r9, 0; @%p3 bra PLUS; mad.lo.u32 %r6, %r6, 3, 1; bra MEET;\n"
                                    "PLUS: add.u32 %r6, %r6, 5; bra MEET;\n"
                                    "XORS: shl.b32 %r12, %r7, 4; add.u32 %r12, %r12, %r9; xor.b32 %r6, %r6, %r12;\n"
                                    "MEET: add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, %r10; @%p4 bra INNER;\n"
                                    "NEXT: add.u32 %r7, %r7, 1; setp.le.u32 %p5, %r7, %r8; @%p5 bra OUTER;\n"
                                    "activemask.b32 %r13; setp.eq.u32 %p6, %r13, 0xffffffff; selp.u32 %r14, 1, 0, %p6; "
                                    "mad.lo.u32 %r6, %r6, 2, %r14;\n"
                                    "st.global.u32 [%rd2], %r6; ret;"),
          nested);
}

static uint32_t indirect(uint32_t t)
{
    switch (t % 4) {
    case 0:
        return t + 1;
    case 1:
        return t * 10;
    case 2:
        return t ^ 0xFF;
    default:
        return (t - 1) * 10 + 1;
    }
}
/* Every lane calls its own function; one of them calls another. */
static void test_indirect_calls(void **state)
{
#define FUNC(name, body)                                                                                               \
    ".visible .func (.param .b32 out) " name "(.param .b32 in)\n{\n" PTX_REGS "ld.param.u32 %r1, [in];\n" body         \
    " st.param.b32 [out], %r1; ret;\n}\n"
    check(
        FUNC("f0", "add.u32 %r1, %r1, 1;") FUNC("f1", "mul.lo.u32 %r1, %r1, 10;") FUNC("f2", "xor.b32 %r1, %r1, 255;")
            FUNC("f3", "add.u32 %r1, %r1, -1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f1, "
                       "(a); ld.param.b32 %r1, [b]; } add.u32 %r1, %r1, 1;") ".global .align 8 .u64 table[4] = {f0, "
                                                                             "f1, f2, f3};\n" PTX_KERNEL(
                                                                                 "k", PTX_BEGIN
                                                                                 "mov.u64 %rd5, table; rem.u32 %r6, "
                                                                                 "%r2, 4; mul.wide.u32 %rd6, %r6, 8; "
                                                                                 "add.u64 %rd5, %rd5, %rd6; "
                                                                                 "ld.global.u64 %rd7, [%rd5];\n"
                                                                                 "{ .param .b32 a; .param .b32 b; P: "
                                                                                 ".callprototype (.param .b32 _) _ "
                                                                                 "(.param .b32 _);\n"
                                                                                 "st.param.b32 [a], %r2; call (b), "
                                                                                 "%rd7, (a), P; ld.param.b32 %r7, [b]; "
                                                                                 "}\n"
                                                                                 "activemask.b32 %r8; setp.ne.u32 %p1, "
                                                                                 "%r8, 0xffffffff; @%p1 mov.u32 %r7, "
                                                                                 "0; st.global.u32 [%rd2], %r7; ret;"),
        indirect);
}

static uint32_t table(uint32_t t)
{
    static const uint32_t values[] = {11, 22, 33, 22};
    return values[t % 4] + (t % 4 == 2 ? t : 0) + 1;
}
static void test_branch_by_index(void **state)
{
    check(PTX_KERNEL("k", PTX_BEGIN
                     "rem.u32 %r6, %r2, 4; T: .branchtargets A, B, C, B;\n brx.idx %r6, T;\n"
                     "A: mov.u32 %r7, 11; bra JOIN;\nB: mov.u32 %r7, 22; bra JOIN;\nC: add.u32 %r7, %r2, 33;\n"
                     "JOIN: activemask.b32 %r8; setp.eq.u32 %p6, %r8, 0xffffffff; selp.u32 %r9, 1, 0, %p6; add.u32 "
                     "%r7, %r7, %r9;\n"
                     "st.global.u32 [%rd2], %r7; ret;"),
          table);
}

/* Lanes that exit inside a loop do not hold up the others: nor at a barrier, where the others arrive for the warp. */
static uint32_t leaving(uint32_t t)
{
    return t % 8 < 5 ? t % 8 : 1000;
}
static void test_exit_under_divergence(void **state)
{
    check(PTX_KERNEL("k", PTX_BEGIN "and.b32 %r6, %r2, 7; mov.u32 %r7, 0;\n"
                                    "LOOP: setp.ne.u32 %p1, %r6, %r7; @%p1 bra STAY; st.global.u32 [%rd2], %r7; exit;\n"
                                    "STAY: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 5; @%p2 bra LOOP;\n"
                                    "bar.sync 0; st.global.u32 [%rd2], 1000; ret;"),
          leaving);
}

/* Generic addresses of one instruction in global, shared and local memory at once; loads, stores, atomics. */
static uint32_t spaces(uint32_t t)
{
    return t * 7 + 3 + (t * 7 + 3 + 2);
}
static void test_generic_lanes_in_several_spaces(void **state)
{
    check(".shared .align 4 .b8 s[256];\n" PTX_KERNEL(
              "k", ".local .align 4 .b8 l[8];\n" PTX_BEGIN
                   "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; mov.u64 %rd6, s; cvta.shared.u64 %rd6, %rd6; "
                   "mul.wide.u32 %rd7, %r2, 4; add.u64 %rd6, %rd6, %rd7;\n"
                   "add.u64 %rd8, %rd2, 2048; rem.u32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 1; setp.eq.u32 %p2, %r6, 2;\n"
                   "@%p1 mov.u64 %rd8, %rd6; @%p2 mov.u64 %rd8, %rd5;\n"
                   "mul.lo.u32 %r7, %r2, 7; st.u32 [%rd8], %r7; atom.add.u32 %r8, [%rd8], 3; ld.u32 %r9, [%rd8]; "
                   "atom.inc.u32 %r10, [%rd8], 0xffffffff;\n"
                   "red.add.u32 [%rd8], 1; ld.u32 %r11, [%rd8];\n"
                   "setp.ne.u32 %p3, %r8, %r7; @%p3 trap; setp.ne.u32 %p3, %r9, %r10; @%p3 trap;\n"
                   "add.u32 %r9, %r9, %r11; st.global.u32 [%rd2], %r9; ret;"),
          spaces);
}

/* Some lanes read the kernel's parameters, the others global or shared memory. */
static uint32_t parameters(uint32_t t)
{
    return t % 3 == 1 ? 0 : t + 1000;
}
static void test_generic_lanes_on_parameters(void **state)
{
    check(".shared .align 4 .b8 s[256];\n" PTX_KERNEL(
              "k", PTX_BEGIN
              "mov.u64 %rd5, n; cvta.param.u64 %rd5, %rd5; mov.u64 %rd6, s; cvta.shared.u64 %rd6, %rd6; "
              "mul.wide.u32 %rd7, %r2, 4; add.u64 %rd6, %rd6, %rd7;\n"
              "add.u64 %rd8, %rd2, 2048; add.u32 %r6, %r2, 1000; st.shared.u32 [%rd7], %r6; st.global.u32 [%rd8], %r6;\n"
              "rem.u32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 1; setp.eq.u32 %p2, %r6, 2;\n"
              "@%p1 mov.u64 %rd8, %rd5; @%p2 mov.u64 %rd8, %rd6;\n"
              "mov.u32 %r9, 77; ld.u32 %r9, [%rd8]; st.global.u32 [%rd2], %r9; ret;"),
          parameters);
}

/* An atomic on local memory through a generic address, by all lanes. */
static uint32_t local_atomic(uint32_t t)
{
    return 2 * t + 5;
}
static void test_atomic_on_local_memory(void **state)
{
    check(PTX_KERNEL("k", ".local .align 4 .b8 l[8];\n" PTX_BEGIN
                          "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; st.u32 [%rd5], %r2; atom.add.u32 %r6, [%rd5], "
                          "5; ld.u32 %r7, [%rd5];\n"
                          "add.u32 %r6, %r6, %r7; st.global.u32 [%rd2], %r6; ret;"),
          local_atomic);
}

static uint32_t red_result(uint32_t t)
{
    return 20 | 1u << 8 | 0u << 9 | 1u << 10 | 0u << 11;
}
/* popc, or, and of predicates over the block, with one, some and all lanes true. */
static void test_reducing_barriers(void **state)
{
    check(
        PTX_KERNEL("k", PTX_BEGIN
                   "setp.lt.u32 %p1, %r2, 20; bar.red.popc.u32 %r6, 0, %p1; bar.red.or.pred %p2, 0, %p1; "
                   "bar.red.and.pred %p3, 1, %p1;\n"
                   "setp.lt.u32 %p1, %r2, 64; bar.red.and.pred %p4, 0, %p1; bar.red.or.pred %p5, 0, !%p1;\n"
                   "selp.u32 %r7, 256, 0, %p2; or.b32 %r6, %r6, %r7; selp.u32 %r7, 512, 0, %p3; or.b32 %r6, %r6, %r7;\n"
                   "selp.u32 %r7, 1024, 0, %p4; or.b32 %r6, %r6, %r7; selp.u32 %r7, 2048, 0, %p5; or.b32 %r6, %r6, "
                   "%r7; st.global.u32 [%rd2], %r6; ret;"),
        red_result);
}

/* Producers arrive, consumers wait: a pipeline of two named barriers. Warp 0 (or lanes below 32 of a 64-wide warp,
 * which then do both) hands numbers over through shared memory. */
static uint32_t handed(uint32_t t)
{
    return t < 32 ? 0 : 4 * (t - 32) + 6;
}
static void test_named_barriers(void **state)
{
    static const char text[] = PTX_HEAD ".shared .align 4 .b8 s[128];\n" PTX_KERNEL(
        "k", PTX_BEGIN
        "mov.u32 %r6, 0; and.b32 %r7, %r2, 31; shl.b32 %r8, %r7, 2; mov.u32 %r9, s; add.u32 %r8, %r8, %r9; mov.u32 "
        "%r10, 0;\n"
        "setp.ge.u32 %p1, %r2, 32; @%p1 bra CONSUME;\n"
        "PRODUCE: bar.sync 2, 64; add.u32 %r11, %r7, %r6; st.shared.u32 [%r8], %r11; membar.cta; bar.arrive 1, 64;\n"
        "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 4; @%p2 bra PRODUCE; bra DONE;\n"
        "CONSUME: bar.arrive 2, 64; bar.sync 1, 64; ld.shared.u32 %r11, [%r8]; add.u32 %r10, %r10, %r11;\n"
        "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 4; @%p2 bra CONSUME;\n"
        "DONE: st.global.u32 [%rd2], %r10; ret;");
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    device_load(&d, text);
    for (unsigned mode = 0; mode < 2; mode++) {
        uint64_t p = device_buffer(&d, 4096);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 64, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING}, p, 0);
        for (uint32_t t = 0; t < 64; t++)
            assert_int_equal(device_word(&d, p + 4 * t), handed(t));
    }
    device_close(&d);
}

/* Arguments larger than a register, vectors of them, and results by value. */
static uint32_t structs(uint32_t t)
{
    return t + 2 * (t + 1) + 3 * (t + 2) + 5 + (t & 0xFF) * 2;
}
static void test_structs_by_value(void **state)
{
    check(".visible .func (.param .align 8 .b8 out[16]) f(.param .align 8 .b8 in[16], .param .b8 c)\n{\n" PTX_REGS
          "ld.param.v2.u32 {%r1, %r2}, [in]; ld.param.u32 %r3, [in+8]; ld.param.u8 %h1, [c]; cvt.u32.u16 %r4, %h1;\n"
          "mad.lo.u32 %r5, %r2, 2, %r1; mad.lo.u32 %r5, %r3, 3, %r5; st.param.u32 [out], %r5; st.param.v2.u32 [out+8], "
          "{%r4, %r4}; ret;\n}\n" PTX_KERNEL(
              "k", PTX_BEGIN
              "{ .param .align 8 .b8 a[16]; .param .b8 c; .param .align 8 .b8 b[16]; add.u32 %r6, %r2, 1; add.u32 %r7, "
              "%r2, 2; cvt.u16.u32 %h2, %r2;\n"
              "st.param.v2.u32 [a], {%r2, %r6}; st.param.u32 [a+8], %r7; st.param.u8 [c], %h2; call (b), f, (a, c); "
              "ld.param.u32 %r8, [b]; ld.param.v2.u32 {%r9, %r10}, [b+8]; }\n"
              "add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r10; add.u32 %r8, %r8, 5; st.global.u32 [%rd2], %r8; ret;"),
          structs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursion_under_divergence),
        cmocka_unit_test(test_return_under_divergence),
        cmocka_unit_test(test_nested_divergence),
        cmocka_unit_test(test_indirect_calls),
        cmocka_unit_test(test_branch_by_index),
        cmocka_unit_test(test_exit_under_divergence),
        cmocka_unit_test(test_generic_lanes_in_several_spaces),
        cmocka_unit_test(test_generic_lanes_on_parameters),
        cmocka_unit_test(test_atomic_on_local_memory),
        cmocka_unit_test(test_reducing_barriers),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_structs_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
