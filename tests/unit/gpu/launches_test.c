/* When launches begin and end, and how fast their blocks start (gpu.launch_cycles and its neighbours), by cycles. */
#include "gpu_support.h"

#define BODY PTX_BEGIN "add.u32 %r1, %r1, %r5; st.global.u32 [%rd2], %r1; ret;"
static const char kernels[] = PTX_HEAD PTX_KERNEL("writes", BODY)
    PTX_KERNEL("reads", PTX_BEGIN "ld.global.u32 %r1, [%rd2]; ret;") PTX_KERNEL("ends", PTX_BEGIN "ret;");

/* Launch number n of so many of the kernel, and the cycles that lie between it and the one before. */
struct launched {
    uint64_t cycles, before;
};
struct given {
    bool by_graph, early;
};

static struct launched launch_last(const char *settings, const char *kernel, struct shape shape, unsigned count,
                                   struct given given)
{
    struct device d;
    struct launched last = {0};
    device_open(&d, "gtx480", settings);
    device_load(&d, kernels);
    uint64_t params[] = {device_buffer(&d, 1 << 20), 7};
    for (unsigned i = 0; i < count; i++) {
        uint64_t ended = gpu_cycle(d.gpu);
        struct gpu_launch launch = {.module = d.module,
                                    .kernel = gpu_kernel(d.module, kernel),
                                    .grid = {shape.grid, 1, 1},
                                    .block = {shape.block, 1, 1},
                                    .params = params,
                                    .mode = shape.mode,
                                    .max_cycles = shape.max_cycles,
                                    .threads = shape.threads,
                                    .every_cycle = shape.every_cycle,
                                    .by_graph = given.by_graph,
                                    .early = given.early};
        gpu_result_free(&d.result);
        gpu_launch(d.gpu, &launch, &d.result, &d.sink);
        assert_int_equal(d.result.status, shape.max_cycles ? GPU_LIMIT : GPU_OK);
        last = (struct launched){d.result.cycles, gpu_cycle(d.gpu) - ended - d.result.cycles};
        assert_int_equal(d.result.gap_cycles, last.before);
    }
    device_close(&d);
    return last;
}

static uint64_t cycles_of(const char *settings, const char *kernel, struct shape shape)
{
    return launch_last(settings, kernel, shape, 1, (struct given){0}).cycles;
}

/* However it is simulated, a launch takes what it took, and what the machine says besides. */
static void begins_and_ends_take_time(void **state)
{
    static const char set[] = "gpu.launch_cycles=501 gpu.launch_end_cycles=200 gpu.launch_written_cycles=70";
    static const struct shape shapes[] = {
        {.grid = 40, .block = 96},
        {.grid = 40, .block = 96, .every_cycle = true},
        {.grid = 40, .block = 96, .threads = 2},
        {.grid = 1, .block = 32},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_int_equal(cycles_of(set, "writes", shapes[i]), cycles_of(NULL, "writes", shapes[i]) + 770);
        assert_int_equal(cycles_of(set, "reads", shapes[i]), cycles_of(NULL, "reads", shapes[i]) + 700);
    }
}

/* The limit may fall before the first block, or behind the last. */
static void limits_fall_anywhere(void **state)
{
    static const char set[] = "gpu.launch_cycles=501 gpu.launch_end_cycles=200";
    const struct shape whole = {.grid = 4, .block = 32};
    (void)state;
    uint64_t all = cycles_of(set, "writes", whole);
    for (uint64_t limit = 1; limit < all; limit += limit < all - 100 ? 90 : 1) {
        struct shape cut = whole;
        cut.max_cycles = limit;
        assert_int_equal(cycles_of(set, "writes", cut), limit);
        cut.every_cycle = true;
        assert_int_equal(cycles_of(set, "writes", cut), limit);
    }
}

static void launches_keep_their_distance(void **state)
{
    static const char set[] = "gpu.launch_gap_cycles=3000 gpu.graph_gap_cycles=600 gpu.early_gap_cycles=70";
    const struct shape shape = {.grid = 4, .block = 32}, functional = {.grid = 4, .block = 32, .mode = GPU_FUNCTIONAL};
    (void)state;
    assert_int_equal(launch_last(set, "writes", shape, 1, (struct given){0}).before, 0);
    assert_int_equal(launch_last(set, "writes", shape, 2, (struct given){0}).before, 3000);
    assert_int_equal(launch_last(set, "writes", shape, 3, (struct given){.by_graph = true}).before, 600);
    assert_int_equal(launch_last(set, "writes", shape, 3, (struct given){.by_graph = true, .early = true}).before, 70);
    assert_int_equal(launch_last(set, "writes", shape, 3, (struct given){.early = true}).before, 70);
    assert_int_equal(launch_last(set, "writes", functional, 3, (struct given){0}).before, 0);
    /* The host gives a launch every 5000 cycles, as it can where the one before is short. */
    struct launched second =
        launch_last("gpu.launch_gap_cycles=30 gpu.launch_host_cycles=5000", "writes", shape, 2, (struct given){0});
    struct launched first = launch_last(NULL, "writes", shape, 1, (struct given){0});
    assert_int_equal(second.before, 5000 - first.cycles);
    assert_int_equal(launch_last("gpu.launch_gap_cycles=30 gpu.launch_host_cycles=5000", "writes", shape, 3,
                                 (struct given){.by_graph = true})
                         .before,
                     0);
}

/* Credits that are on their way when a launch ends come to where they belong, in every network: none is missing after
 * many launches. */
static void no_credits_are_lost(void **state)
{
    static const char set[] = "gpu.launch_gap_cycles=30 gpu.launch_end_cycles=3 gpu.sms=3 network.ejection_flits=3 "
                              "network.router_flits=3 network.core=";
    static const char *const cores[] = {"crossbar", "ideal", "mesh"};
    const struct shape shape = {.grid = 6, .block = 64};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "%s%s", set, cores[i]);
        uint64_t second = launch_last(settings, "writes", shape, 2, (struct given){0}).cycles;
        assert_in_range(launch_last(settings, "writes", shape, 60, (struct given){0}).cycles, second - 20, second + 20);
    }
}

/* Whatever the clocks' ratio, and with nothing between launches: a launch may end in a cycle whose ticks of the
 * networks are partly done. */
static void clocks_of_any_ratio(void **state)
{
    static const char *const cores[] = {"crossbar", "ideal", "mesh"};
    const unsigned mhz[] = {350, 650, 699, 700, 701, 750, 1111, 1400};
    const struct shape shape = {.grid = 20, .block = 64};
    (void)state;
    for (unsigned i = 0; i < 3 * 8; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "network.core=%s gpu.network_mhz=%u", cores[i / 8], mhz[i % 8]);
        uint64_t second = launch_last(settings, "writes", shape, 2, (struct given){0}).cycles;
        assert_in_range(launch_last(settings, "writes", shape, 24, (struct given){0}).cycles, second - 30, second + 30);
    }
}

/* So many blocks in so many cycles, once the burst is over; the blocks themselves take no longer. */
static void blocks_start_at_a_rate(void **state)
{
    static const char one[] = "gpu.dispatch_blocks=1 gpu.dispatch_cycles=9",
                      burst[] = "gpu.dispatch_blocks=1 gpu.dispatch_cycles=9 gpu.dispatch_burst=64",
                      three[] = "gpu.dispatch_blocks=3 gpu.dispatch_cycles=9 gpu.launch_cycles=100";
    const struct shape few = {.grid = 500, .block = 32}, many = {.grid = 1000, .block = 32};
    struct shape threads = many, stepped = many;
    (void)state;
    threads.threads = 2;
    stepped.every_cycle = true;
    assert_in_range(cycles_of(one, "writes", many) - cycles_of(one, "writes", few), 500 * 9 - 9, 500 * 9 + 9);
    assert_in_range(cycles_of(three, "writes", many) - cycles_of(three, "writes", few), 500 * 3 - 9, 500 * 3 + 9);
    assert_in_range(cycles_of(one, "writes", many) - cycles_of(burst, "writes", many), 60 * 9, 64 * 9);
    assert_int_equal(cycles_of(burst, "writes", threads), cycles_of(burst, "writes", many));
    assert_int_equal(cycles_of(burst, "writes", stepped), cycles_of(burst, "writes", many));
}

/* Blocks beyond those that the device holds at once have a rate of their own. */
static void places_are_given_again_at_a_rate(void **state)
{
    static const char set[] = "gpu.sms=4 sm.blocks=2 gpu.dispatch_blocks=1 gpu.dispatch_cycles=1500 ",
                      again[] = "gpu.sms=4 sm.blocks=2 gpu.dispatch_blocks=1 gpu.dispatch_cycles=1500 gpu.dispatch_again=900";
    const struct shape whole = {.grid = 8, .block = 32}, few = {.grid = 20, .block = 32}, many = {.grid = 30, .block = 32};
    struct shape stepped = many;
    (void)state;
    stepped.every_cycle = true;
    assert_int_equal(cycles_of(again, "writes", whole), cycles_of(set, "writes", whole));
    assert_int_equal(cycles_of(set, "writes", many) - cycles_of(set, "writes", few), 10 * 1500);
    assert_int_equal(cycles_of(again, "writes", many) - cycles_of(again, "writes", few), 10 * 900);
    assert_int_equal(cycles_of(again, "writes", stepped), cycles_of(again, "writes", many));
}

/* The warps of a block issue nothing before it has been made ready; others of the SM go on meanwhile, and instructions are
 * fetched: the first ones take longer than that. */
static void blocks_take_time_to_start(void **state)
{
    static const char plain[] = "gpu.sms=1 sm.blocks=1", slow[] = "gpu.sms=1 sm.blocks=1 sm.block_start_cycles=200",
                      two[] = "gpu.sms=1 sm.blocks=2 sm.block_start_cycles=200";
    const struct shape one = {.grid = 1, .block = 32}, ten = {.grid = 10, .block = 32};
    struct shape stepped = ten;
    (void)state;
    stepped.every_cycle = true;
    assert_int_equal(cycles_of(slow, "ends", one), cycles_of(plain, "ends", one));
    assert_in_range(cycles_of(slow, "ends", ten) - cycles_of(plain, "ends", ten), 9 * 190, 9 * 200);
    assert_in_range(cycles_of(two, "ends", ten) - cycles_of(plain, "ends", ten), 2 * 190, 4 * 200);
    assert_int_equal(cycles_of(slow, "ends", stepped), cycles_of(slow, "ends", ten));
}

/* A block that has ended leaves its place while its stores are under way, and the launch ends when they have come in. */
static void stores_are_left_behind(void **state)
{
    static const char waits[] = "gpu.sms=1 sm.blocks=1", leaves[] = "gpu.sms=1 sm.blocks=1 sm.exit_waits_stores=false";
    const struct shape one = {.grid = 1, .block = 32}, ten = {.grid = 10, .block = 32};
    struct shape stepped = ten;
    (void)state;
    stepped.every_cycle = true;
    assert_int_equal(cycles_of(leaves, "writes", one), cycles_of(waits, "writes", one));
    assert_true(cycles_of(leaves, "writes", ten) + 9 * 100 < cycles_of(waits, "writes", ten));
    assert_int_equal(cycles_of(leaves, "ends", ten), cycles_of(waits, "ends", ten));
    assert_int_equal(cycles_of(leaves, "writes", stepped), cycles_of(leaves, "writes", ten));
}

/* A place that has come free waits for the dispatcher's next look: on one SM with one place each block starts in a
 * multiple of the interval, and waits no longer than that. While places are free blocks start in every cycle. */
static void places_wait_for_a_look(void **state)
{
    static const char often[] = "gpu.sms=1 sm.blocks=1 gpu.launch_cycles=64",
                      wide[] = "gpu.sms=8 gpu.launch_cycles=70 gpu.dispatch_interval=64";
    const struct shape few = {.grid = 20, .block = 32}, many = {.grid = 40, .block = 32};
    const uint64_t each = (cycles_of(often, "ends", many) - cycles_of(often, "ends", few)) / 20;
    struct shape threads = many, stepped = many;
    (void)state;
    threads.threads = 2;
    stepped.every_cycle = true;
    for (unsigned interval = 2; interval <= 64; interval *= 2) {
        char settings[160];
        snprintf(settings, sizeof settings, "%s gpu.dispatch_interval=%u", often, interval);
        uint64_t more = cycles_of(settings, "ends", many) - cycles_of(settings, "ends", few);
        assert_int_equal(more % interval, 0);
        assert_in_range(more, 20 * each, 20 * (each + interval));
        assert_int_equal(cycles_of(settings, "ends", stepped), cycles_of(settings, "ends", many));
    }
    assert_in_range(cycles_of(wide, "writes", (struct shape){.grid = 24, .block = 32}),
                    cycles_of(wide, "writes", (struct shape){.grid = 8, .block = 32}) + 1,
                    cycles_of(wide, "writes", (struct shape){.grid = 8, .block = 32}) + 50);
    assert_int_equal(cycles_of(wide, "writes", threads), cycles_of(wide, "writes", many));
}

/* Parameters and code that lie in the SMs' caches save the first misses. */
static void launches_bring_what_they_need(void **state)
{
    static const char plain[] = "gpu.flush_l1_at_kernel_end=true gpu.sms=1";
    static const char parameters[] = "gpu.flush_l1_at_kernel_end=true gpu.sms=1 gpu.launch_brings_parameters=true";
    static const char code[] = "gpu.flush_l1_at_kernel_end=true gpu.sms=1 gpu.keep_code=true";
    const struct shape shape = {.grid = 1, .block = 32};
    (void)state;
    assert_true(cycles_of(parameters, "writes", shape) + 200 < cycles_of(plain, "writes", shape));
    assert_int_equal(cycles_of(code, "writes", shape), cycles_of(plain, "writes", shape));
    assert_true(launch_last(code, "writes", shape, 2, (struct given){0}).cycles + 100 <
                launch_last(plain, "writes", shape, 2, (struct given){0}).cycles);
}

/* The stores of 32 warps, 128 bytes each, enter the network one after the other through a narrow port, however that is simulated;
 * through one that is as wide as they are, one a cycle, which is no slower than the network takes them. Loads bring nothing. */
static void requests_share_a_port(void **state)
{
    static const struct shape shapes[] = {
        {.grid = 1, .block = 1024},
        {.grid = 1, .block = 1024, .every_cycle = true},
        {.grid = 40, .block = 1024, .threads = 2},
        {.grid = 40, .block = 1024},
    };
    (void)state;
    uint64_t plain = cycles_of(NULL, "writes", shapes[0]), one = cycles_of("sm.request_port_bytes=1", "writes", shapes[0]);
    assert_true(one >= 31 * 128 && one <= plain + 32 * 128);
    assert_int_equal(cycles_of("sm.request_port_bytes=1", "writes", shapes[1]), one);
    assert_int_equal(cycles_of("sm.request_port_bytes=1", "writes", shapes[2]),
                     cycles_of("sm.request_port_bytes=1", "writes", shapes[3]));
    assert_int_equal(cycles_of("sm.request_port_bytes=128", "writes", shapes[0]), plain);
    assert_int_equal(cycles_of("sm.request_port_bytes=1", "reads", shapes[0]), cycles_of(NULL, "reads", shapes[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_and_ends_take_time),    cmocka_unit_test(limits_fall_anywhere),
        cmocka_unit_test(launches_keep_their_distance), cmocka_unit_test(blocks_start_at_a_rate),
        cmocka_unit_test(places_wait_for_a_look),       cmocka_unit_test(launches_bring_what_they_need),
        cmocka_unit_test(no_credits_are_lost),          cmocka_unit_test(clocks_of_any_ratio),
        cmocka_unit_test(requests_share_a_port),        cmocka_unit_test(places_are_given_again_at_a_rate),
        cmocka_unit_test(blocks_take_time_to_start),    cmocka_unit_test(stores_are_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
