/* The graph of waiting in the reports of hangs: circles over several warps, lanes of one warp that want different
 * locks, locks and barriers in one circle, warps that get no turn; and what is only slow is not reported. */
#include "gpu_support.h"

struct run {
    struct device d;
    uint64_t p;
};

static enum gpu_status run_text(struct run *r, const char *settings, const char *text, struct shape shape)
{
    struct strbuf whole = {0};
    strbuf_addf(&whole, "%s%s", PTX_HEAD, text);
    device_open(&r->d, "gtx480", settings);
    device_load(&r->d, strbuf_text(&whole));
    strbuf_free(&whole);
    r->p = device_buffer(&r->d, 65536);
    uint64_t params[] = {r->p, 0};
    return device_try(&r->d, "k", shape, 2, params);
}

static void has(struct run *r, const char *format, uint64_t offset)
{
    char part[200];
    snprintf(part, sizeof part, format, (unsigned long long)(r->p + offset));
    assert_has(strbuf_text(&r->d.text), part);
}

static void has_not(struct run *r, const char *part)
{
    if (strstr(strbuf_text(&r->d.text), part))
        fail_msg("there is '%s' in: %s", part, strbuf_text(&r->d.text));
}

#define LOCK(label, address)                                                                                           \
    label ": atom.global.cas.b32 %r7, [" address "], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra " label ";\n"

/* Block i takes lock i, then wants lock i + 1 of n: all wait, each for the next. */
static void test_circle_of_blocks(void **state)
{
    static const char text[] =
        PTX_KERNEL("k", PTX_BEGIN "mul.wide.u32 %rd5, %r3, 256; add.u64 %rd5, %rd1, %rd5;\n"
                                  "mov.u32 %r6, %nctaid.x; add.u32 %r8, %r3, 1; rem.u32 %r8, %r8, %r6;\n"
                                  "mul.wide.u32 %rd6, %r8, 256; add.u64 %rd6, %rd1, %rd6;\n" LOCK(
                                      "A", "%rd5") "nanosleep.u32 20000;\n" LOCK("B", "%rd6") "ret;");
    struct run r;
    assert_int_equal(run_text(&r, "gpu.watch_cycles=100000", text, (struct shape){.grid = 5, .block = 1}), GPU_HANG);
    has(&r, "(deadlock)", 0);
    has(&r, "circle 1: 5 warps, each waits for the next", 0);
    has(&r, "address 0x%llx = 1; held by block (4,0,0) warp 0 lane 0", 1024);
    has(&r, "address 0x%llx = 1; held by block (0,0,0) warp 0 lane 0", 0);
    has_not(&r, "others:");
    has_not(&r, "starved");
    device_close(&r.d);
    /* A long circle is shown in part. */
    assert_int_equal(run_text(&r, "gpu.watch_cycles=100000", text, (struct shape){.grid = 40, .block = 1}), GPU_HANG);
    has(&r, "circle 1: 40 warps", 0);
    has(&r, "and 32 more", 0);
    device_close(&r.d);
}

/* Two locks are taken and never given back; a third warp's lanes want one or the other. */
static void test_lanes_want_different_locks(void **state)
{
    static const char text[] = PTX_KERNEL(
        "k", PTX_BEGIN "setp.lt.u32 %p2, %r3, 2; @%p2 bra FEW;\n"
                       "nanosleep.u32 20000; and.b32 %r8, %r2, 1; bra.uni TAKE;\n"
                       "FEW: setp.ne.u32 %p3, %r2, 0; @%p3 ret; mov.u32 %r8, %r3;\n"
                       "TAKE: mul.wide.u32 %rd5, %r8, 256; add.u64 %rd5, %rd1, %rd5;\n" LOCK("A", "%rd5") "ret;");
    struct run r;
    assert_int_equal(run_text(&r, "gpu.watch_cycles=100000", text, (struct shape){.grid = 3, .block = 4}), GPU_HANG);
    has(&r, "block (2,0,0) warp 0", 0);
    has(&r, "lanes 0,2 on allocation #1 (65536 bytes), address 0x%llx = 1; held by block (0,0,0) warp 0 lane 0", 0);
    has(&r, "lanes 1,3 on allocation #1 (65536 bytes)+256, address 0x%llx = 1; held by block (1,0,0) warp 0 lane 0", 256);
    has(&r, "ended without giving it back", 0);
    has_not(&r, "circle");
    device_close(&r.d);
}

/* Warp 0 holds a lock and waits at the barrier for warp 1, which wants the lock. */
static void test_lock_held_at_a_barrier(void **state)
{
    static const char text[] =
        PTX_KERNEL("k", PTX_BEGIN "setp.eq.u32 %p2, %r2, 0; @%p2 bra TAKE; nanosleep.u32 20000;\n"
                                  "TAKE:\n" LOCK("A", "%rd1") "bar.sync 0; ret;");
    static const char once[] =
        PTX_KERNEL("k", PTX_BEGIN "and.b32 %r6, %r2, 31; setp.ne.u32 %p2, %r6, 0; @%p2 bra WAIT;\n"
                                  "shl.b32 %r6, %r2, 10; setp.eq.u32 %p2, %r6, 0; @%p2 bra TAKE;\n"
                                  "nanosleep.u32 20000;\nTAKE:\n" LOCK("A", "%rd1") "WAIT: bar.sync 0; ret;");
    struct run r;
    assert_int_equal(run_text(&r, "gpu.watch_cycles=100000", once, (struct shape){.grid = 1, .block = 64}), GPU_HANG);
    has(&r, "circle 1: 2 warps", 0);
    has(&r, "waits at barrier 0 before test.ptx:", 0);
    has(&r, ", for block (0,0,0) warp 1", 0);
    has(&r, "address 0x%llx = 1; held by block (0,0,0) warp 0 lane 0", 0);
    device_close(&r.d);
    /* One warp alone is a circle too. */
    assert_int_equal(run_text(&r, "gpu.watch_cycles=100000", text, (struct shape){.grid = 1, .block = 2}), GPU_HANG);
    has(&r, "circle 1: a warp that waits for itself", 0);
    has(&r, "SIMT deadlock", 0);
    device_close(&r.d);
}

/* A lane that wants the lock that it has. */
static void test_lock_taken_twice(void **state)
{
    static const char text[] = PTX_KERNEL("k", PTX_BEGIN LOCK("A", "%rd1") LOCK("B", "%rd1") "ret;");
    struct run r;
    assert_int_equal(run_text(&r, "gpu.watch_cycles=20000", text, (struct shape){.grid = 1, .block = 1}), GPU_HANG);
    has(&r, "circle 1: a warp that waits for itself", 0);
    has(&r, "held by block (0,0,0) warp 0 lane 0", 0);
    has(&r, "one of the lanes that spin", 0);
    device_close(&r.d);
}

/* The contended hash table of the reference cases: keys are threads' numbers, %r9 locks guard as many counters. */
static const char table[] =
    PTX_KERNEL("k", PTX_BEGIN
               "mov.u32 %r10, 0;\n"
               "NODE: mad.lo.u32 %r11, %r10, 7919, %r5; mul.lo.u32 %r11, %r11, 2654435769; shr.u32 %r11, %r11, 20;\n"
               "and.b32 %r11, %r11, 7; mul.wide.u32 %rd5, %r11, 4; add.u64 %rd5, %rd1, %rd5;\n"
               "mov.u32 %r12, 0;\n"
               "AGAIN: atom.global.cas.b32 %r7, [%rd5], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra NEXT;\n"
               "membar.gl;\nld.volatile.global.u32 %r8, [%rd5+4096]; add.u32 %r8, %r8, 1;\n"
               "st.volatile.global.u32 [%rd5+4096], %r8;\nmembar.gl;\n"
               "atom.global.exch.b32 %r13, [%rd5], 0; mov.u32 %r12, 1;\n"
               "NEXT: setp.eq.u32 %p2, %r12, 0; @%p2 bra AGAIN;\n"
               "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 2; @%p3 bra NODE; ret;");
#define STRICT "gpu.sms=1 sm.scheduler=gto sm.schedulers_take_turns=false sm.age_rotation=0"

static void counts_are_right(struct run *r, unsigned nodes)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(device_word(&r->d, r->p + 4 * i), 0);
        sum += device_word(&r->d, r->p + 4096 + 4 * i);
    }
    assert_int_equal(sum, nodes);
}

/* Plain greedy-then-oldest gives the holders of locks no turn while older warps spin. */
static void test_strict_scheduler_starves_holders(void **state)
{
    struct run r;
    struct shape shape = {.grid = 4, .block = 256, .max_cycles = 3000000};
    assert_int_equal(run_text(&r, STRICT " gpu.watch_cycles=20000", table, shape), GPU_HANG);
    has(&r, "livelock: holders of locks get no turn", 0);
    has(&r, "starved by its scheduler: since the last progress scheduler", 0);
    has(&r, "lanes of", 0);
    has(&r, "which is starved", 0);
    has(&r, "test.ptx:", 0);
    has_not(&r, "circle");
    assert_true(r.d.result.cycles < 1000000);
    device_close(&r.d);
    /* The same verdict with more patience: nothing happens in the meantime. */
    assert_int_equal(run_text(&r, STRICT " gpu.watch_cycles=1000000", table, shape), GPU_HANG);
    device_close(&r.d);
}

/* With rotating ages, with schedulers in turn, or under another scheduler, the same program only takes its time, and
 * the watch is not to cut it short however little it is allowed. */
static void test_contended_is_no_livelock(void **state)
{
    static const char *const settings[] = {
        "gpu.sms=1 sm.scheduler=gto gpu.watch_cycles=5000",
        "gpu.sms=1 sm.scheduler=gto sm.age_rotation=5000 gpu.watch_cycles=1000",
        "gpu.sms=1 sm.scheduler=lrr gpu.watch_cycles=5000",
        "sm.scheduler=lrr gpu.watch_cycles=5000",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct run r;
        struct shape shape = {.grid = 4, .block = 256};
        if (run_text(&r, settings[i], table, shape) != GPU_OK)
            fail_msg("%s: %s", settings[i], strbuf_text(&r.d.text));
        counts_are_right(&r, 4 * 256 * 2);
        device_close(&r.d);
    }
}

/* Reports stay short and do not depend on chance. */
static void test_reports_are_bounded_and_equal(void **state)
{
    struct run a, b;
    struct shape shape = {.grid = 6, .block = 256, .max_cycles = 3000000};
    assert_int_equal(run_text(&a, STRICT " gpu.watch_cycles=20000", table, shape), GPU_HANG);
    assert_int_equal(run_text(&b, STRICT " gpu.watch_cycles=20000", table, shape), GPU_HANG);
    assert_string_equal(strbuf_text(&a.d.text), strbuf_text(&b.d.text));
    unsigned lines = 0;
    for (const char *p = strbuf_text(&a.d.text); *p; p++)
        lines += *p == '\n';
    assert_in_range(lines, 5, 120);
    device_close(&a.d);
    device_close(&b.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle_of_blocks),
        cmocka_unit_test(test_lanes_want_different_locks),
        cmocka_unit_test(test_lock_held_at_a_barrier),
        cmocka_unit_test(test_lock_taken_twice),
        cmocka_unit_test(test_strict_scheduler_starves_holders),
        cmocka_unit_test(test_contended_is_no_livelock),
        cmocka_unit_test(test_reports_are_bounded_and_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
