/* Timing rules of the device as a whole, seen from outside: a launch is stopped after n cycles, and its statistics say
 * what has happened until then. An event of cycle n - 1 has not happened with a limit of n - 1 cycles, and has with n.
 */
#include "gpu_support.h"

#define PLAIN PTX_KERNEL("k", "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; ret;")

struct probe {
    const char *settings, *text;
    uint32_t grid, block;
};

/* A statistic when a launch on a new device has had so many cycles. */
static uint64_t after(const struct probe *p, uint64_t cycles, const char *group, const char *stat)
{
    struct device d;
    device_open(&d, "gtx480", p->settings);
    device_load(&d, p->text);
    uint64_t params[] = {device_buffer(&d, 65536), 0};
    struct shape shape = {.grid = p->grid, .block = p->block, .max_cycles = cycles};
    enum gpu_status status = device_try(&d, "k", shape, 2, params);
    assert_true(status == GPU_OK || status == GPU_LIMIT);
    uint64_t value = device_stat(&d, group, stat);
    device_close(&d);
    return value;
}

/* The cycle in which a statistic that only grows comes to `value`. */
static uint64_t when(const struct probe *p, const char *group, const char *stat, uint64_t value)
{
    uint64_t low = 0, high = 4096; /* not yet after low cycles, but after high */
    assert_true(after(p, high, group, stat) >= value);
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (after(p, middle, group, stat) >= value)
            high = middle;
        else
            low = middle;
    }
    return high - 1;
}

/* A launch begins in cycle 0; from cycle 1 on every SM takes one block a cycle, as long as it has room:
 *
 *     cycle              0  1  2  3  4  5
 *     blocks of an SM    0  1  2  3  3  3        room for three
 */
static void one_block_per_sm_and_cycle(void **state)
{
    for (unsigned sms = 1; sms <= 5; sms += 2) {
        for (unsigned room = 1; room <= 4; room++) {
            char settings[100];
            snprintf(settings, sizeof settings, "gpu.sms=%u sm.blocks=%u", sms, room);
            struct probe p = {settings, PTX_HEAD PLAIN, 8 * sms, 32};
            uint64_t expected = 0;
            for (unsigned cycle = 0; cycle <= 6; cycle++) {
                expected += (uint64_t)sms * (cycle < room ? cycle : room);
                assert_int_equal(after(&p, cycle + 1, "sm", "warp_cycles"), expected);
            }
        }
    }
}

/* Fewer blocks than room: they are spread over the SMs, one cycle is enough. */
static void few_blocks_are_spread(void **state)
{
    for (unsigned blocks = 1; blocks <= 6; blocks++) {
        struct probe p = {"gpu.sms=4", PTX_HEAD PLAIN, blocks, 32};
        unsigned first = blocks < 4 ? blocks : 4;
        assert_int_equal(after(&p, 1, "sm", "warp_cycles"), 0);
        assert_int_equal(after(&p, 2, "sm", "warp_cycles"), first);
        assert_int_equal(after(&p, 3, "sm", "warp_cycles"), first + blocks);
    }
}

/* One block at a time, the instructions of both in the cache by then:
 *
 *     cycle      b            b+1      b+2      b+3
 *     block 0    retires
 *     block 1                 fetch    decode   issue
 */
static void a_block_starts_in_the_cycle_behind(void **state)
{
    static const struct {
        uint32_t block;
        const char *settings;
    } cases[] = {{32, "gpu.sms=1 sm.blocks=1"}, {96, "gpu.sms=1 sm.blocks=1"}, {768, "gpu.sms=1 sm.threads=768"}};
    for (unsigned i = 0; i < 3; i++) {
        struct probe p = {cases[i].settings, PTX_HEAD PLAIN, 2, cases[i].block};
        uint64_t retires = when(&p, "sm", "blocks", 1);
        uint64_t issued = after(&p, retires + 1, "sm", "warp_instructions");
        assert_int_equal(after(&p, retires + 1, "sm", "busy_cycles"), retires);
        assert_int_equal(after(&p, retires + 2, "sm", "busy_cycles"), retires + 1);
        assert_int_equal(when(&p, "sm", "warp_instructions", issued + 1), retires + 3);
    }
}

/* Blocks go round over the SMs, from the one behind the last served. Three SMs with room for one block; blocks 0 and 2
 * sleep long, block 1 less, and all later ones:
 *
 *     SM 0    0 0 0 0 0 0 0 0 .
 *     SM 1    1 1 1 3 3 3 3 3 3 3        served last
 *     SM 2    2 2 2 2 2 2 2 2 4          SMs 0 and 2 are free in the same cycle: SM 2 is the next
 */
static void blocks_go_round(void **state)
{
    static const char text[] =
        PTX_HEAD PTX_KERNEL("k", "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %smid; ld.param.u64 %rd1, [p]; "
                                 "mul.wide.u32 %rd2, %r3, 256; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r4; "
                                 "setp.eq.u32 %p1, %r3, 1; @%p1 bra SHORT; nanosleep.u32 30000; ret; "
                                 "SHORT: nanosleep.u32 15000; ret;");
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=3 sm.blocks=1");
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 3, .block = 32}, p, 0); /* instructions are in the caches now */
    device_run(&d, "k", (struct shape){.grid = 5, .block = 32}, p, 0);
    static const uint32_t sm[] = {0, 1, 2, 1, 2};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(device_word(&d, p + 256 * i), sm[i]);
    device_close(&d);
}

/* DRAM cycles in core cycles: n DRAM cycles between the first activation and the first read.
 *
 *     924 to 700 MHz    33 DRAM cycles are 25 core cycles
 */
static void dram_clock(void **state)
{
    static const struct {
        unsigned mhz, dram_cycles, core_cycles;
    } cases[] = {{924, 33, 25}, {924, 99, 75}, {924, 330, 250}, {700, 40, 40}, {1400, 40, 20}, {350, 40, 80}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "gpu.sms=1 gpu.dram_mhz=%u dram.tRCD=%u", cases[i].mhz,
                 cases[i].dram_cycles);
        struct probe p = {settings, PTX_HEAD PLAIN, 1, 32};
        assert_int_equal(when(&p, "dram", "reads", 1) - when(&p, "dram", "activates", 1), cases[i].core_cycles);
    }
}

/* A packet of one flit, the first fetch, is sent in cycle 1 and takes seven ticks of the network:
 *
 *     700 to 700 MHz      a tick a cycle: there at the end of cycle 8
 *     1400                two ticks: cycle 5 (ticks 1 and 2 in cycle 2 ... tick 7 in cycle 5)
 *     350                 a tick every other cycle, in the odd ones: cycle 15
 */
static void network_clock(void **state)
{
    static const struct {
        unsigned mhz, cycle;
    } cases[] = {{700, 8}, {1400, 5}, {350, 15}};
    for (unsigned i = 0; i < 3; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "gpu.sms=1 gpu.network_mhz=%u", cases[i].mhz);
        struct probe p = {settings, PTX_HEAD PLAIN, 1, 32};
        assert_int_equal(after(&p, cases[i].cycle, "network", "packets"), 0);
        assert_int_equal(after(&p, cases[i].cycle + 1, "network", "packets"), 1);
    }
}

/* The way of the first fetch with a network of twice the clock. `|` is a step of the SMs and partitions, with a tick of
 * the network; the other ticks fall half a cycle before. The request is sent in cycle 1; with 4 bytes a flit it is of
 * two, and takes one tick more:
 *
 *     cycle      1    2    3    4    5    6
 *     ticks      | 1  2 3  4 5  6 7  8           seven: there before cycle 5, taken in it; eight: taken in cycle 6
 *
 * A reply that is there after the slice's step r is sent half a cycle later; of n flits it takes 6 + n ticks:
 *
 *     cycle      r    r+1  r+2  r+3  r+4  r+5    5 flits: 11 ticks, offered to the SM in r+6; 2 flits: 8, in r+5;
 *     ticks      | 1  2 3  4 5  6 7  8 9  10     1 flit: 7 ticks, in r+4
 */
static void ticks_between_cycles(void **state)
{
    static const struct {
        unsigned flit_bytes, taken, offered;
    } cases[] = {{32, 5, 6}, {4, 6, 21}, {72, 5, 5}, {136, 5, 4}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[120];
        snprintf(settings, sizeof settings, "gpu.sms=1 gpu.network_mhz=1400 gpu.dram_mhz=700 network.flit_bytes=%u",
                 cases[i].flit_bytes);
        struct probe p = {settings, PTX_HEAD PLAIN, 1, 32};
        uint64_t access = cases[i].taken + 120 + 1, reply = access + 3 + 132 + 12 + 3 + 12 + 2;
        assert_int_equal(when(&p, "l2", "reads", 1), access);
        assert_int_equal(when(&p, "sm", "warp_instructions", 1), reply + cases[i].offered + 4);
    }
}

/* The way of the first fetch through the whole device, at one clock for all: cycle 1 sent; 8 arrived, 9 in the slice's
 * ROP delay; its access and the DRAM as in the slice's own diagram (a = 9 + rop + 1, the reply 2 + 1 + l + tRCD + ... +
 * 2 behind it); back through the network; issue four cycles after the SM was offered the line.
 *
 * Each delay on the way moves the first issue by its own length, no more and no less. */
static void delays_add_up(void **state)
{
    static const struct {
        const char *setting;
        unsigned more;
    } cases[] = {
        {"partition.rop_latency=120", 0},
        {"partition.rop_latency=121", 1},
        {"partition.rop_latency=220", 100},
        {"partition.dram_latency=133", 1},
        {"partition.dram_latency=232", 100},
        {"dram.tRCD=13", 1},
        {"dram.tCL=40", 28},
        {"dram.tCCDL=9", 6},
        {"network.flit_bytes=136", 0},
    };
    uint64_t base = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "gpu.sms=1 gpu.dram_mhz=700 network.flit_bytes=32 %s", cases[i].setting);
        struct probe p = {settings, PTX_HEAD PLAIN, 1, 32};
        uint64_t issue = when(&p, "sm", "warp_instructions", 1);
        if (!i)
            base = issue;
        if (i + 1 < sizeof cases / sizeof cases[0])
            assert_int_equal(issue, base + cases[i].more);
        else
            assert_int_equal(issue, base - 4); /* a reply of one flit, not five */
    }
    /* And all of them together: tRCD, tCCDL, tCL are 12, 3, 12. */
    uint64_t access = 9 + 120 + 1, reply = access + 3 + 132 + 12 + 3 + 12 + 2;
    assert_int_equal(base, reply + 1 + 7 + 4 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_per_sm_and_cycle),
        cmocka_unit_test(few_blocks_are_spread),
        cmocka_unit_test(a_block_starts_in_the_cycle_behind),
        cmocka_unit_test(blocks_go_round),
        cmocka_unit_test(dram_clock),
        cmocka_unit_test(network_clock),
        cmocka_unit_test(ticks_between_cycles),
        cmocka_unit_test(delays_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
