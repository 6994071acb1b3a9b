/* What the parts of a device and its networks keep although it follows from something else is right whenever somebody
 * may look, between two windows; and each such fact is found when it is broken there. */
#include "gpu_support.h"

#include "base/check.h"
#include "gpu/part.h"

/* Loads, stores and atomics of all blocks, in several rounds; n: how many. */
#define BUSY                                                                                                           \
    PTX_KERNEL("k", PTX_BEGIN "mov.u32 %r6, 0;\n"                                                                      \
                              "L: atom.global.add.u32 %r7, [%rd1], 1; ld.global.u32 %r8, [%rd2+4096];\n"               \
                              "add.u32 %r8, %r8, %r7; st.global.u32 [%rd2+8192], %r8; bar.sync 0;\n"                   \
                              "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra L; ret;")

struct look {
    struct gpu *gpu;
    unsigned looks, broken;
};

static void expect_sound(const struct check *c)
{
    if (c->wrong)
        fail_msg("%s: %s %u is %llu instead of %llu", c->wrong_unit, c->wrong, c->at, (unsigned long long)c->kept,
                 (unsigned long long)c->should_be);
}

/* Breaks each fact of the part in turn. */
static unsigned break_part(struct gpu_part *part)
{
    struct check c;
    unsigned n = 0;
    for (uint64_t count = 1; n < count; n++) {
        struct gpu_part saved = *part;
        check_init(&c);
        gpu_part_check(part, &c);
        expect_sound(&c);
        count = c.stated;
        check_init_break(&c, n);
        gpu_part_check(part, &c);
        const char *name = c.broken;
        check_init(&c);
        gpu_part_check(part, &c);
        if (!c.wrong)
            fail_msg("nobody finds that %s is wrong", name);
        *part = saved;
    }
    return n;
}

/* The same for a network, whose facts are all numbers of which one bit is turned: once more is as before. */
static unsigned break_network(struct network *net)
{
    struct check c;
    unsigned n = 0;
    for (uint64_t count = 1; n < count; n++) {
        check_init_break(&c, n);
        network_check(net, &c);
        const char *name = c.broken;
        check_init(&c);
        network_check(net, &c);
        if (!c.wrong)
            fail_msg("nobody finds that %s is wrong", name);
        count = c.stated;
        check_init_break(&c, n);
        network_check(net, &c);
        check_init(&c);
        network_check(net, &c);
        expect_sound(&c);
    }
    return n;
}

/* Between two windows. */
static void look(void *context)
{
    struct look *l = context;
    const struct gpu_run *run = l->gpu->run;
    struct check c;
    check_init(&c);
    for (unsigned i = 0; i < run->part_count; i++)
        gpu_part_check(&run->parts[i], &c);
    network_check(l->gpu->networks[GPU_REQUESTS], &c);
    network_check(l->gpu->networks[GPU_REPLIES], &c);
    expect_sound(&c);
    if (l->looks++ % 40 == 7) {
        l->broken += break_part(&run->parts[l->looks % run->part_count]);
        l->broken += break_network(l->gpu->networks[GPU_REQUESTS]) + break_network(l->gpu->networks[GPU_REPLIES]);
    }
}

static void facts_hold_between_windows(void **state)
{
    static const struct {
        const char *settings;
        unsigned threads, grid, rounds;
    } cases[] = {
        {"gpu.sms=3", 1, 30, 6},
        {"gpu.sms=5 network.internal_speedup=2 network.router_flits=2 network.ejection_flits=1", 2, 30, 6},
        {"gpu.sms=3 partition.l2_icnt_queue=1 network.boundary_flits=1 gpu.network_mhz=1400", 1, 30, 6},
        {"gpu.sms=4 network.core=ideal network.latency=20", 3, 30, 6},
        {"gpu.sms=70 partition.channels=40 gpu.seed=3", 1, 140, 1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device d;
        device_open(&d, "gtx480", cases[i].settings);
        device_load(&d, PTX_HEAD BUSY);
        uint64_t p = device_buffer(&d, 1 << 20);
        struct look l = {.gpu = d.gpu};
        gpu_set_checkpoints(d.gpu, 1, i == 4 ? 40 : 3, look, &l);
        device_run(&d, "k", (struct shape){.grid = cases[i].grid, .block = 64, .threads = cases[i].threads}, p,
                   cases[i].rounds);
        assert_true(l.looks > 40 && l.broken > 80);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_hold_between_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
