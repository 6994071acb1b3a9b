/* Back-off in a whole SM: which cycles a warp is held back and delayed, and what the measures of locks count. Loops are
 * marked, so that the detector `static` knows them from the first branch on. */
#include "gpu_support.h"

#define BOWS "gpu.sms=1 sm.scheduler=gto+bows spin.detector=static spin.adaptive=false "

static void open_kernel(struct device *d, const char *machine, const char *settings, const char *kernel)
{
    device_open(d, machine, settings);
    char *text = malloc(sizeof PTX_HEAD + strlen(kernel));
    sprintf(text, "%s%s", PTX_HEAD, kernel);
    device_load(d, text);
    free(text);
}

/* Twenty passes of one warp: the first has no delay. A scheduler whose only warp is delayed has no other cause to wait,
 * so its own account of cycles must say the same. */
static void delayed_cycles(void **state)
{
    static const char kernel[] = PTX_KERNEL("k", "mov.u32 %r1, 0;\n"
                                                 "L: .pragma \"lockstep.spin\";\nadd.u32 %r1, %r1, 1;\n"
                                                 "setp.lt.u32 %p1, %r1, 21;\n@%p1 bra L;\nret;");
    uint64_t delayed[2];
    for (unsigned i = 0; i < 4; i++) {
        struct device d;
        open_kernel(&d, "gtx480",
                    i % 2 ? BOWS "sm.schedulers=1 spin.delay=2000" : BOWS "sm.schedulers=1 spin.delay=1000", kernel);
        uint64_t p = device_buffer(&d, 64);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .every_cycle = i / 2}, p, 0);
        delayed[i % 2] = device_stat(&d, "spin", "delayed_cycles");
        assert_int_equal(device_stat(&d, "spin", "backoffs"), 20);
        assert_int_equal(device_stat(&d, "stalls", "backoff"), delayed[i % 2]);
        assert_true(device_stat(&d, "spin", "backed_off_cycles") >= delayed[i % 2] + 20); /* those that it issues in */
        device_close(&d);
    }
    assert_int_equal(delayed[1] - delayed[0], 19 * 1000);
}

/* A lock that each lane of a warp takes once: while one lane has it, those that have not had it yet miss it, so that 32
 * lanes miss it 31 + 30 + ... + 0 times. The load brings the global one into the L2: while a line is fetched, answers
 * overtake each other. */
#define TAKES(name, space, lock, give_back)                                                                            \
    PTX_KERNEL(name, ".shared .align 8 .b32 s[4]; ld.param.u64 %rd1, [p]; cvta.shared.u64 %rd3, s;\n"                  \
                     "ld.global.cg.u32 %r4, [%rd1]; add.u32 %r4, %r4, 0;\n"                                            \
                     "L: .pragma \"lockstep.spin\";\natom" space ".cas.b32 %r2, [" lock "], 0, 1;\n"                   \
                     "setp.ne.u32 %p1, %r2, 0; @%p1 bra NEXT;\n" give_back "\nmov.u32 %r4, 1;\n"                       \
                     "NEXT: setp.eq.u32 %p2, %r4, 0; @%p2 bra L; ret;")

static void check_locks(const struct device *d, uint64_t success, uint64_t inside, uint64_t between)
{
    assert_int_equal(device_stat(d, "spin", "lock_success"), success);
    assert_int_equal(device_stat(d, "spin", "lock_fail_inside"), inside);
    assert_int_equal(device_stat(d, "spin", "lock_fail_between"), between);
    assert_int_equal(device_stat(d, "spin", "wait_success") + device_stat(d, "spin", "wait_fail"), 0);
}

/* What is counted does not depend on where the lock lies, how it is addressed and how it is given back; each block has
 * its own. */
static void locks_of_lanes(void **state)
{
    static const char kernels[] = TAKES("global", ".global", "%rd1", "atom.global.exch.b32 %r3, [%rd1], 0;")
        TAKES("shared", ".shared", "s", "atom.shared.exch.b32 %r3, [s], 0;")
            TAKES("stored", ".shared", "s+4", "st.shared.u32 [s+4], 0;")
                TAKES("generic", "", "%rd3", "atom.exch.b32 %r3, [%rd3], 0;");
    static const char *const names[] = {"global", "shared", "stored", "generic"};
    uint64_t wasted[2];
    struct device d;
    open_kernel(&d, "gtx480", "gpu.sms=1 spin.measure=true", kernels);
    uint64_t p = device_buffer(&d, 64);
    for (unsigned i = 0; i < 4; i++) {
        device_run(&d, names[i], (struct shape){.grid = 1, .block = 32}, p, 0);
        check_locks(&d, 32, 31 * 32 / 2, 0);
        uint64_t now[2] = {device_stat(&d, "spin", "wasted_thread_instructions"),
                           device_stat(&d, "spin", "wasted_accesses")};
        assert_int_equal(now[1], 31 * 32 / 2);
        if (i)
            assert_memory_equal(now, wasted, sizeof now);
        memcpy(wasted, now, sizeof now);
        if (i)
            device_run(&d, names[i], (struct shape){.grid = 7, .block = 32}, p, 0);
        if (i)
            check_locks(&d, 7 * 32, 7 * 31 * 32 / 2, 0);
    }
    device_close(&d);
}

/* A warp's first lane holds a lock over a barrier before which another warp's has tried five times to take it; then it
 * is that one's turn. */
static void locks_of_warps(void **state)
{
    static const char kernel[] =
        PTX_KERNEL("k", ".shared .b32 s; mov.u32 %r2, %tid.x; mov.u32 %r4, 0; setp.ge.u32 %p3, %r2, 32;\n"
                        "and.b32 %r5, %r2, 31; setp.ne.u32 %p4, %r5, 0; @%p4 ret; @%p3 bra B1;\n"
                        "A: .pragma \"lockstep.spin\";\natom.shared.cas.b32 %r3, [s], 0, 1;\n"
                        "setp.ne.u32 %p1, %r3, 0; @%p1 bra A;\n"
                        "B1: bar.sync 0; @!%p3 bra B2;\n"
                        "B: .pragma \"lockstep.spin\";\natom.shared.cas.b32 %r3, [s], 0, 1;\n"
                        "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 5; @%p1 bra B;\n"
                        "B2: bar.sync 0; @%p3 bra B3; st.shared.u32 [s], 0;\n"
                        "B3: bar.sync 0; @!%p3 bra END;\n"
                        "C: .pragma \"lockstep.spin\";\natom.shared.cas.b32 %r3, [s], 0, 1;\n"
                        "setp.ne.u32 %p1, %r3, 0; @%p1 bra C;\n"
                        "END: ret;");
    struct device d;
    open_kernel(&d, "gtx480", "gpu.sms=1 spin.measure=true", kernel);
    uint64_t p = device_buffer(&d, 64);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 33}, p, 0);
    check_locks(&d, 2, 0, 5);
    device_close(&d);
}

/* A warp that is backed off issues last: not in the same cycle any more, where a scheduler issues two instructions of a
 * warp. Branches that nobody takes count here, so that the straight line goes on behind them; all of it is fetched at
 * once. */
static void not_in_the_same_cycle(void **state)
{
#define LOOP(name, more)                                                                                               \
    name ": .pragma \"lockstep.spin\";\nadd.u32 %r4, %r4, 1; " more " @%p1 bra " name                                  \
         "; mov.u32 %r5, 1; mov.u32 %r7, 1; "
    static const char kernel[] =
        PTX_KERNEL("k", "setp.ne.u32 %p1, %r1, %r1; mov.u32 %r4, 0; bar.sync 0;\n" LOOP("A", "")
                            LOOP("B", "mov.u32 %r6, 2;") LOOP("C", "") LOOP("D", "mov.u32 %r6, 2;") "ret;");
    struct device d;
    open_kernel(&d, "gtx1080ti", BOWS "spin.counts=executed spin.delay=0 sm.fetch_width=8 sm.instruction_buffer=8",
                kernel);
    uint64_t p = device_buffer(&d, 64);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    assert_true(device_stat(&d, "sm", "extra_issues") > 4);
    assert_int_equal(device_stat(&d, "spin", "backoffs"), 4);
    assert_int_equal(device_stat(&d, "spin", "backed_off_cycles"), 4);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delayed_cycles),
        cmocka_unit_test(locks_of_lanes),
        cmocka_unit_test(locks_of_warps),
        cmocka_unit_test(not_in_the_same_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
