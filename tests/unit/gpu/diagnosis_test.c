/* What is said when a program hangs or does something illegal: status, kind of fault, PTX line and source line, block,
 * thread, address, and for locks who holds them. */
#include "gpu_support.h"

/* Every case runs a fresh device of this text, with a buffer of 4096 bytes. */
struct bad {
    struct device d;
    uint64_t p;
    char address[32];
};

static enum gpu_status run_bad(struct bad *b, const char *settings, const char *text, struct shape shape, uint64_t n)
{
    char *whole = malloc(strlen(text) + sizeof PTX_HEAD);
    device_open(&b->d, "gtx480", settings);
    strcpy(stpcpy(whole, PTX_HEAD), text);
    device_load(&b->d, whole);
    free(whole);
    b->p = device_buffer(&b->d, 4096);
    uint64_t params[] = {b->p, n};
    return device_try(&b->d, "k", shape, 2, params);
}

static void has(struct bad *b, const char *part)
{
    assert_has(strbuf_text(&b->d.text), part);
}

static void has_address(struct bad *b, uint64_t offset)
{
    snprintf(b->address, sizeof b->address, "0x%llx", (unsigned long long)(b->p + offset));
    has(b, b->address);
}

/* The line of the module's text in which part stands, the head's three lines included. */
static unsigned line_of(const char *text, const char *part)
{
    unsigned line = 4;
    const char *at = strstr(text, part);
    assert_non_null(at);
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static void has_ptx_line(struct bad *b, const char *text, const char *part)
{
    char expected[40];
    snprintf(expected, sizeof expected, "test.ptx:%u:", line_of(text, part));
    has(b, expected);
}

static void test_spin_lock_of_one_warp(void **state)
{
    static const char text[] = ".file 1 \"lock.cu\"\n" PTX_KERNEL(
        "k", PTX_BEGIN ".loc 1 42 3\n"
                       "TRY: atom.global.cas.b32 %r7, [%rd1+64], 0, 1;\n"
                       "setp.ne.u32 %p1, %r7, 0; @%p1 bra TRY;\n"
                       ".loc 1 43 9\n"
                       "st.global.u32 [%rd1], %r7;\natom.global.exch.b32 %r8, [%rd1+64], 0; ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 32}, 0), GPU_HANG);
    assert_in_range(b.d.result.cycles, 0, b.d.machine.gpu.watch_cycles + 100000);
    has_address(&b, 64);
    has(&b, "= 1");
    has(&b, "held by block (0,0,0) warp 0 lane 0");
    has(&b, "lanes 1-31 of 32 spin");
    has(&b, "SIMT deadlock");
    has(&b, "lock.cu:42");
    has(&b, "lock.cu:43"); /* where the holder waits */
    device_close(&b.d);
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 32, .mode = GPU_FUNCTIONAL}, 0),
                     GPU_HANG);
    device_close(&b.d);
    /* One lane a warp: nothing is wrong with the program. */
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 4, .block = 1}, 0), GPU_OK);
    device_close(&b.d);
}

static void test_lock_never_given_back(void **state)
{
    static const char text[] = PTX_KERNEL("k", PTX_BEGIN "TRY: atom.global.cas.b32 %r7, [%rd1+128], 0, 1;\n"
                                                         "setp.ne.u32 %p1, %r7, 0; @%p1 bra TRY; ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, "gpu.watch_cycles=50000", text, (struct shape){.grid = 3, .block = 1}, 0), GPU_HANG);
    has_address(&b, 128);
    has(&b, "held by block (");
    has(&b, "ended without giving it back");
    has_ptx_line(&b, text, "TRY:");
    device_close(&b.d);
}

/* Two warps, two locks, opposite orders: each holds what the other wants. */
static void test_lock_cycle(void **state)
{
    static const char text[] =
        PTX_KERNEL("k", PTX_BEGIN
                   "shl.b32 %r6, %r3, 8; cvt.u64.u32 %rd5, %r6; add.u64 %rd6, %rd1, %rd5; sub.u64 %rd7, %rd1, %rd5;\n"
                   "A: atom.global.cas.b32 %r7, [%rd6+1024], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra A;\n"
                   "nanosleep.u32 20000;\n"
                   "B: atom.global.cas.b32 %r7, [%rd7+1280], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, "gpu.watch_cycles=100000", text, (struct shape){.grid = 2, .block = 1}, 0), GPU_HANG);
    has(&b, "block (0,0,0) warp 0");
    has(&b, "held by block (1,0,0) warp 0 lane 0");
    has(&b, "held by block (0,0,0) warp 0 lane 0");
    has_address(&b, 1024);
    has_address(&b, 1280);
    has_ptx_line(&b, text, "B: atom");
    device_close(&b.d);
}

/* A flag that nobody sets: the progress watch sees loads that bypass the L1. */
static void test_flag_never_set(void **state)
{
    static const char *const loads[] = {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32",
                                        "ld.acquire.gpu.global.u32", "ld.global.cv.u32"};
    for (unsigned i = 0; i < 4; i++) {
        struct strbuf t = {0};
        strbuf_add(&t, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN "TRY: ");
        strbuf_add(&t, loads[i]);
        strbuf_add(&t, " %r7, [%rd1+64];\nsetp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;\n}\n");
        struct bad b;
        assert_int_equal(
            run_bad(&b, "gpu.watch_cycles=20000", strbuf_text(&t), (struct shape){.grid = 1, .block = 64}, 0),
            GPU_HANG);
        has_address(&b, 64);
        has(&b, "= 0");
        device_close(&b.d);
        strbuf_free(&t);
    }
}

/* Loops that can never end though they synchronise with nobody: a warp that comes back to the state it was in, while
 * nobody does any work, goes round. */
static void test_endless_loops(void **state)
{
    static const char *const loops[] = {
        "TRY: bra TRY;\n}\n",
        "TRY: ld.global.u32 %r7, [%rd1+64]; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;\n}\n",
        "setp.lt.u32 %p1, %r2, 32; @%p1 bra ONCE;\nTRY: bar.sync 0; bra TRY;\nONCE: bar.sync 0; ret;\n}\n",
        "TRY: nanosleep.u32 100; bra TRY;\n}\n",
    };
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct strbuf t = {0};
        strbuf_add(&t, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN);
        strbuf_add(&t, loops[i]);
        struct bad b;
        assert_int_equal(
            run_bad(&b, "gpu.watch_cycles=400000", strbuf_text(&t), (struct shape){.grid = 1, .block = 64}, 0),
            GPU_HANG);
        has(&b, "made no progress");
        device_close(&b.d);
        strbuf_free(&t);
    }
}

/* Long work by one warp is no hang, though all others spin on what it will set, or wait for it at a barrier, or sleep.
 */
static void test_long_work_is_no_hang(void **state)
{
    static const char text[] =
        PTX_KERNEL("k", PTX_BEGIN
                   "setp.ge.u32 %p1, %r2, 32; @%p1 bra SLOW; setp.ne.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
                   "bar.sync 0; ret;\n"
                   "SLOW: setp.ne.u32 %p2, %r3, 0; @%p2 bra SLEEP; mov.u32 %r6, 9000;\n"
                   "WORK: mad.lo.u32 %r7, %r7, 3, %r6; add.u32 %r6, %r6, -1; setp.ne.u32 %p3, %r6, 0; @%p3 bra WORK;\n"
                   "bar.sync 0; st.volatile.global.u32 [%rd1], 1; ret;\n"
                   "SPIN: ld.volatile.global.u32 %r8, [%rd1]; setp.eq.u32 %p3, %r8, 0; @%p3 bra SPIN; ret;\n"
                   "SLEEP: nanosleep.u32 200000; ret;");
    for (unsigned mode = 0; mode < 2; mode++) {
        struct bad b;
        struct shape shape = {.grid = 3, .block = 64, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING};
        if (run_bad(&b, "gpu.watch_cycles=5000", text, shape, 0) != GPU_OK)
            fail_msg("%s", strbuf_text(&b.d.text));
        device_close(&b.d);
    }
}

#define WAIT_HEAD                                                                                                      \
    ".shared .align 4 .b8 s[256];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN

/* Waiting has many forms: locks and flags in shared memory, atomics that change nothing, stale lines. */
static void test_forms_of_waiting(void **state)
{
    static const struct {
        const char *body, *settings, *expected;
    } forms[] = {
        {"TRY: atom.shared.cas.b32 %r7, [64], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "",
         "shared address 0x40"},
        {"TRY: atom.cas.b32 %r7, [%rd6], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "",
         "shared address 0x20"},
        {"TRY: ld.volatile.shared.u32 %r7, [32]; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "",
         "shared address 0x20"},
        {"TRY: atom.global.add.u32 %r7, [%rd1], 0; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "", " = 0"},
        {"TRY: atom.global.or.b32 %r7, [%rd1], 0; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "", " = 0"},
        {"TRY: atom.shared.max.u32 %r7, [32], 0; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;", "",
         "shared address 0x20"},
        {"TRY: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p1, %r7, 0; @%p1 bra TRY; ret;",
         " sm.volatile_bypasses_l1=false sm.fence_l1=none", " = 0"},
    };
    for (unsigned i = 0; i < 2 * sizeof forms / sizeof forms[0]; i += effort_steps(3, 11)) {
        char text[2048], settings[200];
        snprintf(settings, sizeof settings, "gpu.watch_cycles=20000%s", forms[i / 2].settings);
        snprintf(text, sizeof text, "%s%s%s",
                 WAIT_HEAD "mov.u64 %rd6, s; cvta.shared.u64 %rd6, %rd6; add.u64 %rd6, %rd6, 32;\n", forms[i / 2].body,
                 "\n}\n");
        struct bad b;
        struct shape shape = {
            .grid = 2, .block = 96, .mode = i % 2 ? GPU_FUNCTIONAL : GPU_TIMING, .max_cycles = 100000000};
        if (run_bad(&b, settings, text, shape, 0) != GPU_HANG)
            fail_msg("%s: no hang", forms[i / 2].body);
        if (shape.mode == GPU_TIMING)
            has(&b, forms[i / 2].expected);
        device_close(&b.d);
    }
}

/* Sums and counters kept by compare-and-swap or exchange are no locks: long work with nothing else is no hang. */
static void test_long_swapping_is_no_hang(void **state)
{
    static const char *const bodies[] = {
        "ADD: ld.volatile.global.u32 %r7, [%rd1]; add.u32 %r8, %r7, 1; atom.global.cas.b32 %r9, [%rd1], %r7, %r8; ",
        "ADD: add.u32 %r8, %r8, 3; atom.global.exch.b32 %r9, [%rd1], %r8; ",
        "ADD: ld.volatile.shared.u32 %r7, [32]; add.u32 %r8, %r7, 1; atom.shared.cas.b32 %r9, [32], %r7, %r8; ",
    };
    for (unsigned i = 0; i < 6; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", WAIT_HEAD "mov.u64 %rd6, s; mov.u32 %r6, 0; mov.u32 %r8, 0;\n",
                 bodies[i / 2], "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3000; @%p1 bra ADD; ret;\n}\n");
        struct bad b;
        struct shape shape = {.grid = 1, .block = 1, .mode = i % 2 ? GPU_FUNCTIONAL : GPU_TIMING};
        if (run_bad(&b, "gpu.watch_cycles=5000", text, shape, 0) != GPU_OK)
            fail_msg("%s", strbuf_text(&b.d.text));
        device_close(&b.d);
    }
}

static void test_barrier_not_reached_by_all(void **state)
{
    static const char text[] =
        ".file 7 \"bar.cu\"\n" PTX_KERNEL("k", PTX_BEGIN "setp.lt.u32 %p1, %r2, 32; @%p1 bra ONE;\n"
                                                         ".loc 7 11 1\n"
                                                         "bar.sync 1; ret;\n"
                                                         "ONE:\n.loc 7 12 1\n"
                                                         "bar.sync 2; ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 96}, 0), GPU_HANG);
    assert_in_range(b.d.result.cycles, 0, 10000); /* nothing is under way: there is nothing to watch */
    has(&b, "barrier 1");
    has(&b, "barrier 2");
    has(&b, "bar.cu:11");
    has(&b, "bar.cu:12");
    has(&b, "3 of them at barriers");
    device_close(&b.d);
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 96, .mode = GPU_FUNCTIONAL}, 0),
                     GPU_HANG);
    has(&b, "barrier");
    device_close(&b.d);
    /* A count that the block cannot make up. */
    static const char counted[] = PTX_KERNEL("k", PTX_BEGIN "bar.sync 3, 128; ret;");
    assert_int_equal(run_bad(&b, NULL, counted, (struct shape){.grid = 1, .block = 96}, 0), GPU_HANG);
    has(&b, "barrier 3");
    has(&b, "expects more threads than the block has left");
    device_close(&b.d);
    /* A warp that ends is not awaited. */
    static const char left[] =
        PTX_KERNEL("k", PTX_BEGIN "setp.lt.u32 %p1, %r2, 32; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], %r4; ret;");
    assert_int_equal(run_bad(&b, NULL, left, (struct shape){.grid = 1, .block = 96}, 0), GPU_OK);
    device_close(&b.d);
}

/* A barrier that a block does not have: known before the first cycle when its number is a constant, also in a function
 * that is called; else when it is executed. */
static void test_barriers_beyond_the_machine(void **state)
{
    static const char constant[] = PTX_KERNEL("k", PTX_BEGIN "bar.sync 1;\nbar.sync 4;\nbar.sync 3;\nret;");
    static const char called[] = ".func f()\n{\nbar.sync 4;\nret;\n}\n" PTX_KERNEL("k", PTX_BEGIN "call.uni f; ret;");
    static const char computed[] =
        PTX_KERNEL("k", PTX_BEGIN "and.b32 %r6, %r2, 0;\nadd.u32 %r6, %r6, 4;\nbar.sync %r6;\nret;");
    static const enum gpu_mode modes[] = {GPU_TIMING, GPU_FUNCTIONAL};
    for (unsigned i = 0; i < 2; i++) {
        struct bad b;
        struct shape shape = {.grid = 1, .block = 64, .mode = modes[i]};
        assert_int_equal(run_bad(&b, "sm.barriers=4", constant, shape, 0), GPU_INVALID);
        has(&b, "test.ptx:11");
        has(&b, "it uses barrier 4");
        has(&b, "a block has 4 of them");
        has(&b, "raise sm.barriers");
        device_close(&b.d);
        assert_int_equal(run_bad(&b, "sm.barriers=4", called, shape, 0), GPU_INVALID);
        has(&b, "test.ptx:6");
        device_close(&b.d);
        assert_int_equal(run_bad(&b, "sm.barriers=4", computed, shape, 0), GPU_FAULT);
        has(&b, "barrier number or thread count 4 is out of range");
        device_close(&b.d);
        assert_int_equal(run_bad(&b, "sm.barriers=5", constant, shape, 0), GPU_OK);
        device_close(&b.d);
        assert_int_equal(run_bad(&b, "sm.barriers=5", computed, shape, 0), GPU_OK);
        device_close(&b.d);
    }
}

struct fault_case {
    const char *body; /* the faulting instruction stands in the line marked by `mark` */
    const char *mark;
    enum gpu_fault fault;
    const char *message;
    unsigned thread, block;
    int64_t address; /* offset from the buffer; -1: none named */
};

static const char fault_globals[] =
    ".const .align 4 .u32 c[4] = {1, 2, 3, 4};\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".global .align 1 .b8 expr[] = {120, 32, 62, 32, 49, 0};\n.global .align 1 .b8 file[] = {97, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 func[] = {102, 0};\n"
    ".visible .func deep(.param .b32 in)\n{\n.local .align 8 .b8 a[64]; .reg .b32 %r<4>;\nld.param.u32 %r1, [in];\n"
    "{ .param .b32 x; st.param.b32 [x], %r1;\ncall deep, (x); /*deep*/ }\nret;\n}\n"
    ".visible .func two(.param .b32 in)\n{\nret;\n}\n";

static const struct fault_case faults[] = {
    {"setp.eq.u32 %p1, %r5, 70;\n@%p1 st.global.u32 [%rd1+1048576], %r5;/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS,
     "nothing was allocated", 6, 1, 1048576},
    {"setp.eq.u32 %p1, %r5, 70;\n@%p1 ld.global.v2.u32 {%r6, %r7}, [%rd1+-8];/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS,
     "global address", 6, 1, -8},
    {"setp.eq.u32 %p1, %r5, 3;\n@%p1 atom.global.add.u32 %r6, [%rd1+1048640], 1;/*x*/\nret;", "/*x*/",
     GPU_FAULT_ADDRESS, "nothing was allocated", 3, 0, 1048640},
    {"setp.eq.u32 %p1, %r5, 65;\n@%p1 ld.global.u32 %r6, [%rd1+2];/*x*/\nret;", "/*x*/", GPU_FAULT_ALIGNMENT,
     "misaligned", 1, 1, 2},
    {"setp.eq.u32 %p1, %r5, 65;\n@%p1 ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+8];/*x*/\nret;", "/*x*/",
     GPU_FAULT_ALIGNMENT, "misaligned", 1, 1, 8},
    {"mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5;\nst.u32 [%rd5+4], %r5;/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS,
     "write to constant memory", 0, 0, -1},
    {"mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5;\natom.add.u32 %r6, [%rd5+4], %r5;/*x*/\nret;", "/*x*/",
     GPU_FAULT_ADDRESS, "write to constant memory", 0, 0, -1},
    {"setp.eq.u32 %p1, %r5, 64;\n@%p1 trap;/*x*/\nret;", "/*x*/", GPU_FAULT_TRAP, "trap", 0, 1, -1},
    {"st.shared.u32 [1048576], %r5;/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS, "shared address 0x100000", 0, 0, -1},
    {"mov.u32 %r6, 0x7ffffff0;\nld.local.u32 %r7, [%r6];/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS,
     "local address 0x7ffffff0", 0, 0, -1},
    {"mov.u64 %rd5, 0;\nld.u32 %r7, [%rd5];/*x*/\nret;", "/*x*/", GPU_FAULT_ADDRESS, "address 0x0", 0, 0, -1},
    {"{ .param .b64 a; .param .b64 b; .param .b32 m; .param .b64 f; .param .b64 g;\n"
     "mov.u64 %rd5, expr; cvta.global.u64 %rd5, %rd5; st.param.b64 [a], %rd5; mov.u64 %rd5, file; cvta.global.u64 "
     "%rd5, %rd5; st.param.b64 [b], %rd5;\n"
     "st.param.b32 [m], 17; mov.u64 %rd5, func; cvta.global.u64 %rd5, %rd5; st.param.b64 [f], %rd5; st.param.b64 [g], "
     "1;\n"
     "call __assertfail, (a, b, m, f, g);/*x*/ }\nret;",
     "/*x*/", GPU_FAULT_ASSERT, "a.cu:17: f: assertion `x > 1' failed", 0, 0, -1},
    {"{ .param .b32 a; st.param.b32 [a], %r5;\ncall deep, (a); }\nret;", "/*deep*/", GPU_FAULT_STACK, "gpu.stack_bytes",
     0, 0, -1},
    {"{ .param .b32 a; P: .callprototype _ (.param .b32 _); st.param.b32 [a], %r5; mov.u64 %rd5, two; add.u64 %rd5, "
     "%rd5, 4096;\ncall %rd5, (a), P;/*x*/ }\nret;",
     "/*x*/", GPU_FAULT_INSTRUCTION, "no function", 0, 0, -1},
    {"{ .param .b32 a; P: .callprototype _ (.param .b32 _); st.param.b32 [a], %r5;\ncall %rd1, (a), P;/*x*/ }\nret;",
     "/*x*/", GPU_FAULT_INSTRUCTION, "no function", 0, 0, -1},
    {"add.u32 %r6, %r1, 16;\nbar.sync %r6;/*x*/\nret;", "/*x*/", GPU_FAULT_INSTRUCTION, "16", 0, 0, -1},
    {"bar.sync 0, %r4;\nadd.u32 %r6, %r4, 3;\nbar.sync 0, %r6;/*x*/\nret;", "/*x*/", GPU_FAULT_INSTRUCTION, "67", 0, 0,
     -1},
};

static void test_faults(void **state)
{
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
            const struct fault_case *f = &faults[i];
            struct strbuf text = {0};
            strbuf_add(&text, fault_globals);
            strbuf_add(&text, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN);
            strbuf_add(&text, f->body);
            strbuf_add(&text, "\n}\n");
            struct bad b;
            struct shape shape = {.grid = 2, .block = 64, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING};
            enum gpu_status status = run_bad(&b, NULL, strbuf_text(&text), shape, 0);
            if (status != GPU_FAULT || b.d.result.fault != f->fault)
                fail_msg("case %u, mode %u: status %s, fault %d: %s", i, mode, gpu_status_name(status),
                         b.d.result.fault, strbuf_text(&b.d.text));
            char where[64];
            snprintf(where, sizeof where, "block (%u,0,0) thread (%u,0,0)", f->block, f->thread);
            has(&b, f->message);
            if (f->thread || f->block) /* else any warp may be the first to fault */
                has(&b, where);
            else
                has(&b, "thread (");
            has_ptx_line(&b, strbuf_text(&text), f->mark);
            if (f->address != -1)
                has_address(&b, (uint64_t)f->address);
            has(&b, "kernel k");
            device_close(&b.d);
            strbuf_free(&text);
        }
    }
}

/* A device goes on after a launch that failed. */
static void test_device_survives(void **state)
{
    static const char text[] =
        PTX_KERNEL("k", PTX_BEGIN "@%p1 bra E; setp.eq.u32 %p1, %r1, 0; @%p1 trap; st.global.u32 [%rd2], %r1; E: ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 40, .block = 64}, 0), GPU_FAULT);
    uint64_t p = device_buffer(&b.d, 4 * 40 * 64);
    for (uint64_t i = 1; i < 4; i++) {
        device_run(&b.d, "k", (struct shape){.grid = 40, .block = 64}, p, i);
        for (unsigned t = 0; t < 40 * 64; t += 97)
            assert_int_equal(device_word(&b.d, p + 4 * t), i);
        uint64_t params[] = {p, 0};
        assert_int_equal(device_try(&b.d, "k", (struct shape){.grid = 40, .block = 64}, 2, params), GPU_FAULT);
    }
    device_close(&b.d);
}

/* Instructions outside the model are refused at the launch of kernels that can reach them, and only there. */
static void test_outside_the_model(void **state)
{
    static const char text[] =
        ".file 1 \"t.cu\"\n"
        ".visible .func (.param .b32 r) texture(.param .b64 t)\n{\n.reg .b32 %r<6>; .reg .f32 %f<6>; .reg .b64 "
        "%rd<3>;\n"
        "ld.param.u64 %rd1, [t];\n.loc 1 9 1\ntcgen05.fence::before_thread_sync;\nmov.b32 %r2, "
        "%f1; st.param.b32 [r], %r2; ret;\n}\n" PTX_KERNEL("k", PTX_BEGIN "st.global.u32 [%rd2], %r5; ret;")
            PTX_KERNEL("bad", PTX_BEGIN "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; call (b), texture, "
                                        "(a); ld.param.b32 %r6, [b]; } st.global.u32 [%rd2], %r6; ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 32}, 0), GPU_OK);
    uint64_t params[] = {b.p, 0};
    for (unsigned mode = 0; mode < 2; mode++) {
        assert_int_equal(device_try(&b.d, "bad",
                                    (struct shape){.grid = 1, .block = 32, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING},
                                    2, params),
                         GPU_INVALID);
        has(&b, "tcgen05.fence");
        has(&b, "kernel bad");
        has(&b, "t.cu:9");
        has_ptx_line(&b, text, "tcgen05.fence");
    }
    assert_int_equal(device_try(&b.d, "k", (struct shape){.grid = 1, .block = 32}, 2, params), GPU_OK);
    device_close(&b.d);
}

static void test_shapes_refused(void **state)
{
    static const char text[] =
        ".visible .entry k(.param .u64 p, .param .u64 n) .maxntid 64, 1, 1\n{\nret;\n}\n"
        ".visible .entry q(.param .u64 p, .param .u64 n) .reqntid 32, 1, 1\n{\nret;\n}\n" PTX_KERNEL("free", "ret;");
    struct bad b;
    assert_int_equal(run_bad(&b, NULL, text, (struct shape){.grid = 1, .block = 64}, 0), GPU_OK);
    uint64_t params[] = {b.p, 0};
    assert_int_equal(device_try(&b.d, "k", (struct shape){.grid = 1, .block = 65}, 2, params), GPU_INVALID);
    has(&b, ".maxntid");
    assert_int_equal(device_try(&b.d, "q", (struct shape){.grid = 1, .block = 64}, 2, params), GPU_INVALID);
    has(&b, ".reqntid");
    assert_int_equal(device_try(&b.d, "free", (struct shape){.grid = 0, .block = 64}, 2, params), GPU_INVALID);
    assert_int_equal(device_try(&b.d, "free", (struct shape){.grid = 1, .block = 1537}, 2, params), GPU_INVALID);
    has(&b, "threads");
    assert_int_equal(
        device_try(&b.d, "free", (struct shape){.grid = 1, .block = 32, .dynamic_shared = 49153}, 2, params),
        GPU_INVALID);
    has(&b, "shared");
    assert_int_equal(
        device_try(&b.d, "free", (struct shape){.grid = 1, .block = 32, .dynamic_shared = 49152}, 2, params), GPU_OK);
    /* 2^64 blocks. */
    struct gpu_launch launch = {.module = b.d.module,
                                .kernel = gpu_kernel(b.d.module, "free"),
                                .grid = {1u << 20, 1u << 20, 1u << 24},
                                .block = {32, 1, 1},
                                .params = params};
    gpu_result_free(&b.d.result);
    assert_int_equal(gpu_launch(b.d.gpu, &launch, &b.d.result, &b.d.sink), -1);
    assert_int_equal(b.d.result.status, GPU_INVALID);
    device_close(&b.d);
}

static int stop_at_once(void *context, const struct gpu_progress *progress)
{
    ++*(unsigned *)context;
    return progress->warp_instructions > 0;
}

static void test_progress_can_stop(void **state)
{
    struct bad b;
    device_open(&b.d, "gtx480", "gpu.sms=1 gpu.watch_cycles=4000000000");
    device_load(&b.d, PTX_HEAD PTX_KERNEL("k", "L: bra L;"));
    unsigned calls = 0;
    uint64_t params[2] = {0};
    struct gpu_launch launch = {.module = b.d.module,
                                .kernel = gpu_kernel(b.d.module, "k"),
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .params = params,
                                .progress = stop_at_once,
                                .context = &calls};
    assert_int_equal(gpu_launch(b.d.gpu, &launch, &b.d.result, &b.d.sink), -1);
    assert_int_equal(b.d.result.status, GPU_STOPPED);
    assert_true(calls >= 1);
    device_close(&b.d);
}

/* A plain load finds the same stale line for ever: with a counter in a register, with none. A loop that only counts. A
 * loop that stores what is there already, or two values in turn, to global or shared memory. */
static void test_loops_that_change_nothing(void **state)
{
    static const struct {
        const char *body, *settings, *said;
    } loops[] = {
        {"L: ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra L; ret;", "gpu.watch_cycles=20000",
         "made no progress"},
        {"mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra L;\n"
         "st.global.u32 [%rd2], %r7; ret;",
         "gpu.watch_cycles=20000 gpu.idle_cycles=0", "made no progress"},
        {"mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; bra.uni L;", "gpu.watch_cycles=20000 gpu.idle_cycles=0",
         "made no progress"},
        {"mov.u32 %r7, 0; cvt.rn.f32.u32 %f1, %r2; L: add.f32 %f1, %f1, %f1; @%p2 mov.u32 %r7, %r1; add.u32 %r7, %r7, "
         "1;\n"
         "setp.lt.u32 %p2, %r7, 99; ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra L;\n"
         "st.global.u32 [%rd2], %r7; st.global.f32 [%rd2], %f1; ret;",
         "gpu.watch_cycles=20000 gpu.idle_cycles=0", "made no progress"},
        {"mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra L; st.global.u32 [%rd2], %r7; ret;",
         "gpu.watch_cycles=20000 gpu.idle_cycles=300000", "no visible progress"},
        {"L: st.global.u32 [%rd2], 5; bra.uni L;", "gpu.watch_cycles=20000", "made no progress"},
        {"L: st.global.u32 [%rd2], 5; st.global.u32 [%rd2], 6; bra.uni L;", "gpu.watch_cycles=20000",
         "made no progress"},
        {".shared .u32 s[64]; mov.u32 %r6, s; mad.lo.u32 %r6, %r2, 4, %r6; L: st.shared.u32 [%r6], 5; bra.uni L;",
         "gpu.watch_cycles=20000", "made no progress"},
        {"L: st.volatile.global.v2.u32 [%rd1], {%r2, %r2}; bar.sync 0; bra.uni L;", "gpu.watch_cycles=20000",
         "made no progress"},
    };
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i += effort_step(10)) {
        for (unsigned way = 0; way < 3; way++) { /* skipping; cycle by cycle; with threads */
            struct bad b;
            struct strbuf text = {0};
            strbuf_addf(&text, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n%s%s%s\n}\n", PTX_REGS, PTX_BEGIN,
                        loops[i].body);
            struct shape shape = {
                .grid = 2, .block = 64, .max_cycles = 2000000, .every_cycle = way == 1, .threads = way == 2 ? 2 : 1};
            enum gpu_status status = run_bad(&b, loops[i].settings, strbuf_text(&text), shape, 0);
            if (status != GPU_HANG)
                fail_msg("%s: %s", loops[i].body, gpu_status_name(status));
            has(&b, loops[i].said);
            assert_in_range(b.d.result.cycles, 10000, 1500000);
            if (!strcmp(loops[i].said, "no visible progress"))
                has(&b, "gpu.idle_cycles");
            static uint64_t first;
            if (way == 0)
                first = b.d.result.cycles;
            assert_int_equal(b.d.result.cycles, first);
            strbuf_free(&text);
            device_close(&b.d);
        }
    }
}

/* What goes on for longer than the watch waits is not stopped: registers change, and memory in the end; or the same
 * place takes ever new values; or every place the same one. */
static void test_loops_that_get_on(void **state)
{
    static const char *const loops[] = {
        "mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 20000; @%p1 bra L; st.global.u32 [%rd2], %r7; "
        "ret;",
        /* A counter that decides by way of an address, or of a value that another lane has. */
        "st.global.u32 [%rd1+2052], 1; membar.gl;\n"
        "mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; shr.u32 %r8, %r7, 14; mul.wide.u32 %rd6, %r8, 4; add.u64 %rd6, %rd1, "
        "%rd6;\nld.global.u32 %r9, [%rd6+2048]; setp.eq.u32 %p1, %r9, 0; @%p1 bra L; ret;",
        "mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; shfl.sync.idx.b32 %r8, %r7, 0, 31, -1; shr.u32 %r8, %r8, 14;\n"
        "setp.eq.u32 %p1, %r8, 0; @%p1 bra L; ret;",
        "mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; st.global.u32 [%rd2], 5; setp.lt.u32 %p1, %r7, 5000; @%p1 bra L; ret;",
        ".shared .u32 s[64]; mov.u32 %r6, s; mov.u32 %r7, 0;\n"
        "L: st.shared.u32 [%r6], %r7; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 20000;\n"
        "@%p1 bra L; ret;",
    };
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct bad b;
        struct strbuf text = {0};
        strbuf_addf(&text, ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n%s%s%s\n}\n", PTX_REGS, PTX_BEGIN,
                    loops[i]);
        enum gpu_status status =
            run_bad(&b, "gpu.watch_cycles=1000", strbuf_text(&text), (struct shape){.grid = 1, .block = 64}, 0);
        if (status != GPU_OK)
            fail_msg("%s: %s", loops[i], strbuf_text(&b.d.text));
        assert_true(b.d.result.cycles > 100000);
        strbuf_free(&text);
        device_close(&b.d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_lock_of_one_warp),
        cmocka_unit_test(test_lock_never_given_back),
        cmocka_unit_test(test_lock_cycle),
        cmocka_unit_test(test_flag_never_set),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_long_work_is_no_hang),
        cmocka_unit_test(test_forms_of_waiting),
        cmocka_unit_test(test_long_swapping_is_no_hang),
        cmocka_unit_test(test_barrier_not_reached_by_all),
        cmocka_unit_test(test_barriers_beyond_the_machine),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_device_survives),
        cmocka_unit_test(test_outside_the_model),
        cmocka_unit_test(test_shapes_refused),
        cmocka_unit_test(test_progress_can_stop),
        cmocka_unit_test(test_loops_that_change_nothing),
        cmocka_unit_test(test_loops_that_get_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
