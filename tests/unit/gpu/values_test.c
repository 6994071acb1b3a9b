/* When values take effect (sm.values_at_issue), and the other departures from GPGPU-Sim that a program can see:
 * volatile loads at the L1D, lines that an atomic drops. */
#include "gpu_support.h"

#define AT_ISSUE                                                                                                       \
    "sm.values_at_issue=true sm.volatile_bypasses_l1=false sm.fence_l1=none sm.fence_waits_stores=false "              \
    "sm.memory_in_order=false sm.atomic_drops_line=false "

/* Thread 0 of block 1 reads the flag (so that its SM keeps the line), then waits for it; block 0 counts to n, raises
 * the flag and notes when; block 1 notes when it went on, and stores over the flag. */
static const char signal[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN
    "setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT;\n"
    "COUNT: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra COUNT;\n"
    "mov.u32 %r8, 1; st.volatile.global.u32 [%rd1], %r8; mov.u32 %r7, %clock; st.global.u32 [%rd1+512], %r7; ret;\n"
    "WAIT: ld.volatile.global.u32 %r9, [%rd1]; setp.eq.u32 %p3, %r9, 0; @%p3 bra WAIT;\n"
    "mov.u32 %r7, %clock; mov.u32 %r8, 2; st.volatile.global.u32 [%rd1], %r8; st.global.u32 [%rd1+1024], %r7; ret;");

static uint32_t delay_of(const char *machine, const char *settings, unsigned threads, uint64_t *hits)
{
    struct device d;
    char all[400];
    snprintf(all, sizeof all, "gpu.sms=2 %s", settings);
    device_open(&d, machine, all);
    device_load(&d, signal);
    uint64_t p = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 2, .block = 1, .threads = threads}, p, 2000);
    uint32_t delay = device_word(&d, p + 1024) - device_word(&d, p + 512);
    assert_int_equal(device_word(&d, p), 2);
    *hits = device_stat(&d, "l1d", "read_hits");
    device_close(&d);
    return delay;
}

/* At issue, a signal needs no more than a turn of the waiting loop, though the line lies in the waiting SM's L1D; with
 * the messages it crosses the machine twice. */
static void a_signal_takes_its_time(void **state)
{
    static const char *const machines[] = {"gtx480", "gtx480-sm2"};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t hits, with_messages;
        uint32_t at_issue = delay_of(machines[i], AT_ISSUE, 1, &hits);
        assert_in_range(at_issue, 1, 100);
        assert_in_range(hits, 100, 10000);
        assert_in_range(delay_of(machines[i], "", 1, &with_messages), 150, 2000);
        assert_int_equal(with_messages, 0);
        /* Values that go round the messages have the order of one thread. */
        uint64_t again;
        assert_int_equal(delay_of(machines[i], AT_ISSUE, 2, &again), at_issue);
        assert_int_equal(again, hits);
    }
}

/* A spin on a line that stays in the L1D sees nothing of other SMs unless values take effect at issue. */
static void a_cached_spin_waits_for_ever(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=2 sm.volatile_bypasses_l1=false gpu.watch_cycles=20000");
    device_load(&d, signal);
    uint64_t p = device_buffer(&d, 4096), params[] = {p, 2000};
    assert_int_not_equal(device_try(&d, "k", (struct shape){.grid = 2, .block = 1}, 2, params), GPU_OK);
    device_close(&d);
}

/* A plain load behind the warp's own atomic, with its line in the L1D. */
static uint32_t load_behind_atomic(const char *settings)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    device_load(&d,
                PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "ld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 5;\n"
                                                   "atom.global.add.u32 %r7, [%rd1], %r6; add.u32 %r7, %r7, 1;\n"
                                                   "ld.global.u32 %r8, [%rd1]; st.global.u32 [%rd1+512], %r8; ret;"));
    uint64_t p = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 1}, p, 0);
    uint32_t seen = device_word(&d, p + 512);
    device_close(&d);
    return seen;
}

static void an_atomic_drops_its_line(void **state)
{
    assert_int_equal(load_behind_atomic(""), 5);
    assert_int_equal(load_behind_atomic("sm.atomic_drops_line=false"), 0);
    assert_int_equal(load_behind_atomic(AT_ISSUE), 5);
}

/* Block 0 has the line of x in its L1D when it sees by volatile loads that block 1 has written x. A plain load behind them, in program
 * order, must not find what the L1D had before (PTX ISA, memory consistency model: causality). */
static void a_strong_load_drops_its_line(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "");
    device_load(&d, PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "setp.ne.u32 %p1, %r3, 0; @%p1 bra WRITER; ld.global.u32 %r6, [%rd1];\n"
                                                       "SPIN: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p2, %r7, 0; @%p2 bra SPIN;\n"
                                                       "ld.global.u32 %r8, [%rd1]; st.global.u32 [%rd1+512], %r8; ret;\n"
                                                       "WRITER: nanosleep.u32 5000; st.volatile.global.u32 [%rd1], 7; ret;"));
    uint64_t p = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 2, .block = 1}, p, 0);
    assert_int_equal(device_word(&d, p + 512), 7);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_takes_its_time),
        cmocka_unit_test(a_cached_spin_waits_for_ever),
        cmocka_unit_test(an_atomic_drops_its_line),
        cmocka_unit_test(a_strong_load_drops_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
