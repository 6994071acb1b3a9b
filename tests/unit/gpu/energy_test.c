/* Energy of kernels small enough to be counted by hand: operands, lanes, cache accesses, flits and DRAM commands of
 * each are known, and so is their price. A functional run has no energy. */
#include "gpu_support.h"

static uint64_t energy_of(const struct device *d, const char *component)
{
    return device_stat(d, "energy", component);
}

/* Thousandths of a pJ to pJ, rounded. */
static uint64_t pj(uint64_t thousandths)
{
    return (thousandths + 500) / 1000;
}

static void check_sums(const struct device *d)
{
    unsigned count;
    const struct gpu_stat_set *sets = gpu_result_sets(&d->result, &count), *energy = &sets[count - 1];
    assert_string_equal(energy->group->name, "energy");
    uint64_t sum = 0, dynamic = energy_of(d, "dynamic"), total = energy_of(d, "total");
    for (unsigned i = 0; i < energy->group->count; i++)
        sum += stat_value(&energy->group->stats[i], energy->values);
    assert_int_equal(sum, dynamic + total + total);
    assert_int_equal(total, dynamic + energy_of(d, "idle_sms") + energy_of(d, "constant") + energy_of(d, "leakage"));
    assert_int_equal(energy_of(d, "constant"), (d->result.cycles * 11000000 + 350) / 700);
    assert_int_equal(energy_of(d, "leakage"), (d->result.cycles * 45000000 + 350) / 700);
}

/* One warp of 20 lanes in one SM. Of eight instructions seven are no control flow. They read 8 and write 7 registers
 * and have 4 operands that are none. Integer ALU: three times 20 lanes, once 8; half of the idle 12 and 24 lanes count.
 * On the special function unit 6 + 2 of 12 idle lanes count. */
#define ARITHMETIC                                                                                                     \
    PTX_KERNEL("k", "mov.u32 %r2, %tid.x; add.u32 %r3, %r2, 1; mul.lo.u32 %r4, %r3, %r2; add.f32 %f1, %f1, %f2;\n"     \
                    "sqrt.approx.f32 %f3, %f1; setp.lt.u32 %p1, %r2, 8; @%p1 add.u32 %r3, %r3, 1; ret;")

static void test_arithmetic(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    device_load(&d, PTX_HEAD ARITHMETIC);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 20}, 0, 0);
    assert_int_equal(device_stat(&d, "sm", "lanes_int_alu"), 68);
    assert_int_equal(device_stat(&d, "sm", "idle_int_alu"), 3 * 6 + 12);
    assert_int_equal(energy_of(&d, "sp"), pj((68 + 30) * 25 * 2700 + (20 + 6) * 29600));
    assert_int_equal(energy_of(&d, "sfu"), pj((20 + 8) * (4 + 25) * 48400));
    assert_int_equal(energy_of(&d, "register_file"), pj(32 * (8 * 7270 + 7 * 5990 + 4 * 53000)));
    assert_int_equal(energy_of(&d, "scheduler"), pj(7 * 54900));
    /* A line of 16 instructions misses once, then serves four fetches of two. */
    assert_int_equal(energy_of(&d, "fetch_decode"), pj(8 * 3610 + 2169000 + 4 * 63400));
    /* The pipelines: eight warp instructions of two result buses. */
    assert_int_equal(energy_of(&d, "pipeline"), (8 * 25500000 + 700) / 1400);
    /* The line's request and reply: 8 and 136 bytes in flits of 32; it is read from the DRAM in two commands. */
    assert_int_equal(energy_of(&d, "network"), (1 + 5) * 1939);
    assert_int_equal(energy_of(&d, "l2"), 102);
    assert_int_equal(energy_of(&d, "dram"), 2 * 26950);
    static const char *const nothing[] = {"shared_memory", "l1d", "l1c"};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(energy_of(&d, nothing[i]), 0);
    check_sums(&d);
    device_close(&d);
}

/* One full warp stores a line: a write miss in the L1D; in the L2 a write miss that fetches the line and sends the
 * store down. Two words of shared memory in one bank take two cycles. The two parameters come with one constant line.
 */
static void test_memory(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    device_load(&d, PTX_HEAD ".shared .align 4 .b8 s[512];\n" PTX_KERNEL(
                        "k", "ld.param.u64 %rd1, [p]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4;\n"
                             "add.u64 %rd2, %rd1, %rd2; mov.u32 %r6, s; and.b32 %r3, %r2, 1; shl.b32 %r4, %r3, 7;\n"
                             "add.u32 %r4, %r4, %r6; st.shared.u32 [%r4], %r2; st.global.u32 [%rd2], %r2; ret;"));
    uint64_t p = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    assert_int_equal(energy_of(&d, "shared_memory"), 2 * 2119);
    assert_int_equal(energy_of(&d, "l1d"), 2604);
    assert_int_equal(energy_of(&d, "l1c"), 1113);
    assert_int_equal(energy_of(&d, "l2"), 15020 + 102 + 102);
    /* Instructions 1 + 5, constants 1 + 3 (72 bytes), the store 5 + 1. */
    assert_int_equal(energy_of(&d, "network"), (6 + 4 + 6) * 1939);
    /* Three lines of two commands each, and the store's two writes. */
    assert_int_equal(energy_of(&d, "dram"), 6 * 26950 + 2 * 15860);
    check_sums(&d);
    device_close(&d);
}

/* A device of which one SM in fifteen works; one whose lanes are gated; one at another price. */
static void test_parameters(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "energy.gate_lanes=true energy.schedule=0.5 energy.constant=0");
    device_load(&d, PTX_HEAD ARITHMETIC);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 20}, 0, 0);
    uint64_t idle = 15 * d.result.cycles - device_stat(&d, "sm", "busy_cycles");
    assert_true(idle >= 14 * d.result.cycles && idle < 15 * d.result.cycles);
    assert_int_equal(energy_of(&d, "idle_sms"), (idle * 1590000 + 350) / 700);
    assert_int_equal(energy_of(&d, "sp"), pj(68 * 25 * 2700 + 20 * 29600));
    assert_int_equal(energy_of(&d, "sfu"), pj(20 * (4 + 25) * 48400));
    assert_int_equal(energy_of(&d, "scheduler"), 4);
    assert_int_equal(energy_of(&d, "constant"), 0);
    device_close(&d);
}

static void test_functional_has_none(void **state)
{
    struct device d;
    unsigned count;
    device_open(&d, "gtx480", NULL);
    device_load(&d, PTX_HEAD ARITHMETIC);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, 0, 0);
    assert_int_equal(d.result.lacks & STAT_NEEDS_TIME, 0);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .mode = GPU_FUNCTIONAL}, 0, 0);
    const struct gpu_stat_set *energy = gpu_result_sets(&d.result, &count) + count - 1;
    assert_string_equal(energy->group->name, "energy");
    for (unsigned i = 0; i < energy->group->count; i++)
        assert_false(stat_measured(&energy->group->stats[i], d.result.lacks));
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_functional_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
