/* Kernels at one time (gpu_launch_together): who runs beside whom, on which SMs, what their results say, and that all
 * of it is the same however it is simulated. */
#include "gpu/gpu_impl.h"
#include "gpu_support.h"

/* `adds`: adds n to the thread's word, after a loop that takes some time. `doubles`: doubles it, and adds n. `waits`:
 * until the first word is n. `sets`: sets it to n, after such a loop. `lets`: lets launches behind it begin, then as
 * `sets`, but the thread's word. `depends`: reads the thread's word before it waits for the launches in front of it,
 * and adds n behind that. `lets_then_depends`: lets launches begin, then as `depends`. `passes`: lets launches begin, and sets the
 * thread's word. `lets_and_waits`: lets launches begin, then as `waits`. `fails`: stores outside of all
 * buffers. */
#define LOOPS(n, text) "mov.u32 %r6, " n "; L: " text " sub.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra L;"
#define LOOP(text) LOOPS("400", text)
static const char kernels[] =
    PTX_HEAD PTX_KERNEL("adds",
                        PTX_BEGIN LOOP("add.u32 %r7, %r7, 1;") "ld.global.u32 %r8, [%rd2]; add.u32 %r8, %r8, %r1; "
                                                               "st.global.u32 [%rd2], %r8; ret;")
        PTX_KERNEL("doubles", PTX_BEGIN "ld.global.u32 %r8, [%rd2]; add.u32 %r8, %r8, %r8; add.u32 %r8, %r8, %r1;"
                                        "st.global.u32 [%rd2], %r8; bar.sync 0; ret;")
            PTX_KERNEL("waits",
                       PTX_BEGIN "L: ld.volatile.global.u32 %r8, [%rd1]; setp.ne.u32 %p1, %r8, %r1; @%p1 bra L; ret;")
                PTX_KERNEL("sets", PTX_BEGIN LOOP("add.u32 %r7, %r7, 1;") "st.volatile.global.u32 [%rd1], %r1; ret;")
                    PTX_KERNEL("lets", PTX_BEGIN "griddepcontrol.launch_dependents;" LOOP(
                                           "add.u32 %r7, %r7, 1;") "st.global.u32 [%rd2], %r1; ret;")
                        PTX_KERNEL(
                            "depends",
                            PTX_BEGIN LOOPS(
                                "200", "add.u32 %r7, %r7, 1;") "ld.global.u32 %r8, [%rd2]; griddepcontrol.wait; "
                                                               "ld.global.u32 %r8, [%rd2];"
                                                               "add.u32 %r8, %r8, %r1; st.global.u32 [%rd2], %r8; ret;")
                            PTX_KERNEL("lets_then_depends",
                                       PTX_BEGIN "griddepcontrol.launch_dependents; ld.global.u32 %r8, [%rd2]; griddepcontrol.wait; "
                                                 "ld.global.u32 %r8, [%rd2]; add.u32 %r8, %r8, %r1; st.global.u32 [%rd2], %r8; ret;")
                            PTX_KERNEL("passes", PTX_BEGIN "griddepcontrol.launch_dependents; st.global.u32 [%rd2], %r1; ret;")
                            PTX_KERNEL("lets_and_waits", PTX_BEGIN
                                       "griddepcontrol.launch_dependents; L: ld.volatile.global.u32 %r8, [%rd1];"
                                       "setp.ne.u32 %p1, %r8, %r1; @%p1 bra L; ret;")
                                PTX_KERNEL("fails", PTX_BEGIN "mov.u64 %rd1, 16; st.global.u32 [%rd1], %r1; ret;");

#define MACHINE "gtx480"
#define SETTINGS "gpu.kernels=16 gpu.launch_cycles=20 gpu.launch_end_cycles=10"

struct asked {
    const char *kernel;
    uint32_t grid, block;
    unsigned buffer; /* which of the buffers it works on */
    uint64_t n, after;
    uint64_t ends; /* of `after`: those that must have ended, early or not */
    uint64_t max_cycles;
    bool by_graph, early;
};

#define OF(name, blocks, threads, buffer_, ...)                                                                        \
    {                                                                                                                  \
        .kernel = name, .grid = blocks, .block = threads, .buffer = buffer_, .n = __VA_ARGS__                          \
    }

enum { MOST = 8, WORDS = 1 << 14, BUFFERS = 4 };

struct outcome {
    struct gpu_result results[MOST], total;
    uint32_t first[BUFFERS]; /* first words */
    uint64_t hash;           /* of all buffers */
    char *messages;
    int rc;
};

static uint64_t hash_of(struct device *d, uint64_t buffer, uint32_t *first)
{
    static uint32_t words[WORDS];
    uint64_t hash = 0;
    assert_int_equal(gpu_read(d->gpu, words, buffer, sizeof words, &d->sink), 0);
    for (unsigned i = 0; i < WORDS; i++)
        hash = hash * 31 + words[i];
    *first = words[0];
    return hash;
}

static struct outcome run(const char *settings, const struct asked *asked, unsigned count, struct shape how)
{
    struct device d;
    struct outcome o = {0};
    struct gpu_given given[MOST];
    uint64_t params[MOST][2], buffers[BUFFERS];
    device_open(&d, MACHINE, settings);
    device_load(&d, kernels);
    for (unsigned i = 0; i < BUFFERS; i++)
        buffers[i] = device_buffer(&d, WORDS * 4);
    for (unsigned i = 0; i < count; i++) {
        params[i][0] = buffers[asked[i].buffer];
        params[i][1] = asked[i].n;
        given[i] = (struct gpu_given){.launch = {.module = d.module,
                                                 .kernel = gpu_kernel(d.module, asked[i].kernel),
                                                 .grid = {asked[i].grid, 1, 1},
                                                 .block = {asked[i].block, 1, 1},
                                                 .params = params[i],
                                                 .max_cycles = asked[i].max_cycles,
                                                 .by_graph = asked[i].by_graph,
                                                 .early = asked[i].early,
                                                 .threads = how.threads,
                                                 .every_cycle = how.every_cycle},
                                      .after = asked[i].after,
                                      .lets = asked[i].after & ~asked[i].ends,
                                      .result = &o.results[i],
                                      .sink = &d.sink};
        assert_true(gpu_may_share(d.gpu, &given[i].launch));
    }
    o.rc = gpu_launch_together(d.gpu, given, count, &o.total);
    for (unsigned i = 0; i < BUFFERS; i++)
        o.hash = o.hash * 31 + hash_of(&d, buffers[i], &o.first[i]);
    o.messages = strdup(device_messages(&d));
    device_close(&d);
    return o;
}

static void forget(struct outcome *o)
{
    for (unsigned i = 0; i < MOST; i++)
        gpu_result_free(&o->results[i]);
    gpu_result_free(&o->total);
    free(o->messages);
}

static void same_values(const struct gpu_result *a, const struct gpu_result *b)
{
    unsigned n, m;
    const struct gpu_stat_set *x = gpu_result_sets(a, &n), *y = gpu_result_sets(b, &m);
    assert_int_equal(n, m);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->cycles, b->cycles);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < x[i].group->count; k++)
            if (stat_value(&x[i].group->stats[k], x[i].values) != stat_value(&y[i].group->stats[k], y[i].values))
                fail_msg("%s.%s differs: %llu, %llu", x[i].group->name, x[i].group->stats[k].name,
                         (unsigned long long)stat_value(&x[i].group->stats[k], x[i].values),
                         (unsigned long long)stat_value(&y[i].group->stats[k], y[i].values));
}

static uint64_t end_of(const struct gpu_result *r)
{
    return r->start + r->cycles;
}

/* Small kernels run on SMs of their own, beside each other, and take as long as alone or a little longer. */
static void kernels_overlap(void **state)
{
    static const struct asked two[] = {OF("adds", 4, 64, 0, 1), OF("adds", 5, 64, 1, 2)};
    (void)state;
    struct outcome o = run(SETTINGS, two, 2, (struct shape){0}), alone = run(SETTINGS, two, 1, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[0], 1);
    assert_int_equal(o.first[1], 2);
    assert_int_equal(o.results[1].start, o.results[0].start);
    assert_in_range(o.total.cycles, alone.total.cycles, alone.total.cycles + alone.total.cycles / 4);
    assert_int_equal(gpu_result_warp_instructions(&o.results[0]), gpu_result_warp_instructions(&alone.results[0]));
    assert_int_equal(o.results[0].counters->sm.blocks, 4);
    assert_int_equal(o.results[1].counters->sm.blocks, 5);
    assert_int_equal(o.total.counters->sm.blocks, 9);
    assert_int_equal(gpu_result_warp_instructions(&o.total),
                     gpu_result_warp_instructions(&o.results[0]) + gpu_result_warp_instructions(&o.results[1]));
    forget(&o);
    forget(&alone);
}

/* A kernel begins when the one before it in its stream has ended; without room for another kernel, when any has ended.
 */
static void kernels_wait_for_each_other(void **state)
{
    static const struct asked three[] = {OF("adds", 4, 64, 0, 1), OF("doubles", 4, 64, 0, 5, .after = 1),
                                         OF("doubles", 4, 64, 0, 7, .after = 2)};
    static const struct asked apart[] = {OF("adds", 4, 64, 0, 1), OF("adds", 4, 64, 1, 1), OF("adds", 4, 64, 2, 1)};
    (void)state;
    struct outcome o = run(SETTINGS " gpu.launch_gap_cycles=300", three, 3, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[0], (1 + 1 + 5) * 2 + 7);
    for (unsigned i = 1; i < 3; i++)
        assert_int_equal(o.results[i].start, end_of(&o.results[i - 1]) + 300);
    forget(&o);
    o = run(SETTINGS " gpu.kernels=2", apart, 3, (struct shape){0});
    assert_int_equal(o.results[1].start, o.results[0].start);
    uint64_t ended = end_of(&o.results[0]), other = end_of(&o.results[1]);
    assert_true(o.results[2].start + 10 >= (ended < other ? ended : other));
    assert_true(end_of(&o.results[2]) > end_of(&o.results[1]));
    forget(&o);
    /* The host gives one launch after the other. */
    o = run(SETTINGS " gpu.launch_host_cycles=150", apart, 3, (struct shape){0});
    assert_int_equal(o.results[1].start, o.results[0].start + 150);
    assert_int_equal(o.results[2].start, o.results[0].start + 300);
    forget(&o);
}

/* The leftover policy: the first kernel fills the device; the second one gets SMs that the first has no blocks for. */
static void later_kernels_get_what_is_left(void **state)
{
    static const struct asked two[] = {OF("adds", 60, 256, 0, 1), OF("adds", 4, 64, 1, 1)};
    (void)state;
    struct outcome o = run(SETTINGS, two, 2, (struct shape){0}), second = run(SETTINGS, two + 1, 1, (struct shape){0});
    struct outcome first = run(SETTINGS, two, 1, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[1], 1);
    assert_int_equal(o.results[0].cycles, first.results[0].cycles); /* it is not disturbed until its end */
    assert_true(o.results[1].cycles > second.results[0].cycles + o.results[0].cycles / 2);
    assert_true(o.total.cycles < first.total.cycles + second.total.cycles);
    forget(&o);
    forget(&first);
    forget(&second);
}

/* Nothing depends on the host's threads, nor on whether idle cycles are skipped. */
static void same_however_simulated(void **state)
{
    static const struct asked many[] = {OF("adds", 40, 96, 0, 1),
                                        OF("adds", 7, 64, 1, 2),
                                        OF("doubles", 9, 128, 1, 3, .after = 2),
                                        OF("adds", 30, 256, 2, 4),
                                        OF("doubles", 5, 32, 3, 5, .after = 9),
                                        OF("adds", 3, 32, 3, 6, .after = 16, .by_graph = true)};
    static const char *const settings[] = {
        SETTINGS,
        SETTINGS " gpu.kernels=2 gpu.launch_gap_cycles=77 gpu.launch_host_cycles=41 gpu.graph_gap_cycles=13",
        SETTINGS " gpu.dispatch_blocks=1 gpu.dispatch_cycles=3 gpu.flush_l1_at_kernel_end=true gpu.launch_cycles=1",
        SETTINGS " network.core=mesh sm.cores=2 sm.schedulers=2 gpu.launch_end_cycles=0 gpu.launch_cycles=1",
        SETTINGS " sm.divergence=its sm.scheduler=lrr gpu.seed=3 gpu.kernels=3",
        SETTINGS " coherence.protocol=bypass sm.scheduler=gto+bows gpu.network_mhz=350 partition.channels=2",
        SETTINGS
        " gpu.dispatch_interval=8 gpu.dispatch_blocks=2 gpu.dispatch_cycles=7 network.core=ideal network.latency=66"};
    (void)state;
    for (unsigned s = 0; s < sizeof settings / sizeof *settings; s++) {
        struct outcome o = run(settings[s], many, 6, (struct shape){0});
        assert_int_equal(o.rc, 0);
        for (unsigned way = 0; way < 4; way++) {
            struct outcome other =
                run(settings[s], many, 6, (struct shape){.threads = 2 + way % 3, .every_cycle = way == 3});
            assert_int_equal(other.hash, o.hash);
            for (unsigned i = 0; i < 6; i++)
                same_values(&other.results[i], &o.results[i]);
            same_values(&other.total, &o.total);
            forget(&other);
        }
        forget(&o);
    }
}

/* A kernel may wait for one beside it, which would never come otherwise. */
static void kernels_see_each_other(void **state)
{
    static const struct asked two[] = {OF("waits", 4, 32, 0, 9), OF("sets", 1, 32, 0, 9)};
    (void)state;
    struct outcome o = run(SETTINGS, two, 2, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_true(end_of(&o.results[0]) > end_of(&o.results[1]) - 20);
    forget(&o);
}

/* What ends one kernel badly stops those beside it; those that have ended are whole. */
static void failures_are_told_apart(void **state)
{
    static const struct asked fault[] = {OF("doubles", 1, 32, 0, 1), OF("waits", 2, 32, 1, 9),
                                         OF("fails", 1, 32, 2, 1, .after = 1)};
    static const struct asked hang[] = {OF("doubles", 1, 32, 0, 1), OF("waits", 2, 32, 1, 9),
                                        OF("adds", 1, 32, 2, 1, .after = 2)};
    static const struct asked limit[] = {OF("doubles", 1, 32, 0, 1), OF("waits", 2, 32, 1, 9, .max_cycles = 5000)};
    (void)state;
    struct outcome o = run(SETTINGS, fault, 3, (struct shape){0});
    assert_int_equal(o.rc, -1);
    assert_int_equal(o.results[0].status, GPU_OK);
    assert_int_equal(o.results[1].status, GPU_STOPPED);
    assert_int_equal(o.results[2].status, GPU_FAULT);
    assert_non_null(strstr(o.messages, "kernel fails"));
    forget(&o);
    o = run(SETTINGS " gpu.watch_cycles=20000", hang, 3, (struct shape){0});
    assert_int_equal(o.results[0].status, GPU_OK);
    assert_int_equal(o.results[1].status, GPU_HANG);
    assert_int_equal(o.results[2].status, GPU_STOPPED);
    assert_non_null(strstr(o.messages, "kernel waits"));
    assert_non_null(strstr(o.messages, "kernel adds has not begun: it comes after"));
    assert_null(strstr(o.messages, "kernel doubles"));
    forget(&o);
    o = run(SETTINGS, limit, 2, (struct shape){0});
    assert_int_equal(o.results[0].status, GPU_OK);
    assert_int_equal(o.results[1].status, GPU_LIMIT);
    assert_int_equal(o.results[1].cycles, 5000);
    forget(&o);
}

/* Programmatic dependent launch: the second kernel begins when the first one lets it, and sees what that wrote behind
 * its wait, also in lines that it had read before. */
static void dependents_begin_early(void **state)
{
    static const char set[] = SETTINGS " gpu.early_gap_cycles=30 gpu.launch_gap_cycles=500";
    static const struct asked early[] = {OF("lets", 4, 64, 0, 7),
                                         OF("depends", 4, 64, 0, 5, .after = 1, .early = true)},
                              plain[] = {OF("lets", 4, 64, 0, 7), OF("depends", 4, 64, 0, 5, .after = 1)},
                              silent[] = {OF("sets", 4, 64, 0, 7),
                                          OF("depends", 4, 64, 0, 5, .after = 1, .early = true)},
                              three[] = {OF("lets", 4, 64, 0, 7), OF("lets", 3, 32, 1, 3, .after = 1, .early = true),
                                         OF("depends", 4, 64, 0, 5, .after = 3, .early = true)};
    static const struct shape ways[] = {{0}, {.threads = 2}, {.threads = 3}, {.every_cycle = true}};
    (void)state;
    struct outcome one = run(set, early, 2, (struct shape){0}), other = run(set, plain, 2, (struct shape){0});
    assert_int_equal(one.rc, 0);
    assert_int_equal(one.first[0], 12);
    assert_int_equal(other.first[0], 12);
    assert_int_equal(one.hash, other.hash);
    assert_true(one.results[1].start < end_of(&one.results[0]));
    assert_true(one.results[1].start >= 30);
    assert_int_equal(other.results[1].start, end_of(&other.results[0]) + 500);
    assert_true(end_of(&one.results[1]) > end_of(&one.results[0]));
    assert_true(one.total.cycles + 500 + one.results[1].cycles / 4 < other.total.cycles);
    assert_true(one.results[1].counters->warps.primary > 0);
    assert_int_equal(other.results[1].counters->warps.primary, 0);
    for (unsigned i = 0; i < 4; i++) {
        struct outcome again = run(set, early, 2, ways[i]);
        same_values(&again.results[0], &one.results[0]);
        same_values(&again.results[1], &one.results[1]);
        assert_int_equal(again.hash, one.hash);
        forget(&again);
    }
    forget(&one);
    forget(&other);
    /* One that says nothing lets others begin when it ends; they are made ready meanwhile. */
    one = run(set, silent, 2, (struct shape){0});
    assert_int_equal(one.results[1].start, end_of(&one.results[0]) + 30);
    forget(&one);
    one = run(set, three, 3, (struct shape){0});
    assert_int_equal(one.rc, 0);
    assert_int_equal(one.first[0], 12);
    assert_true(one.results[2].start < end_of(&one.results[0]));
    forget(&one);
}

/* Chains of launches, each with leave to come early, unless it is said otherwise. A wait is for all launches in front, also
 * where the one right in front lets others begin before it has waited itself, or has ended without. */
static void chains_keep_their_order(void **state)
{
    static const char set[] = SETTINGS " gpu.early_gap_cycles=30 gpu.launch_gap_cycles=500";
    /* `passes` has ended long before `lets`. */
    static const struct asked passing[] = {OF("lets", 4, 64, 0, 7), OF("passes", 4, 64, 1, 3, .after = 1, .early = true),
                                           OF("depends", 4, 64, 0, 5, .after = 3, .early = true)},
                              four[] = {OF("lets", 4, 64, 0, 7), OF("lets_then_depends", 4, 64, 0, 5, .after = 1, .early = true),
                                        OF("lets_then_depends", 4, 64, 0, 3, .after = 3, .early = true),
                                        OF("depends", 4, 64, 0, 1, .after = 7, .early = true)},
                              /* one in the middle has no leave, the last one has */
                              parted[] = {OF("lets", 4, 64, 0, 7), OF("lets_then_depends", 4, 64, 0, 5, .after = 1),
                                          OF("depends", 4, 64, 0, 1, .after = 3, .early = true)},
                              /* one in front of which a launch of another stream is to have ended, though its blocks let others begin */
                              awaiting[] = {OF("lets", 4, 64, 1, 9), OF("lets", 4, 64, 0, 7),
                                            OF("passes", 4, 64, 2, 3, .after = 3, .ends = 1, .early = true)};
    static const struct shape ways[] = {{0}, {.threads = 2}, {.every_cycle = true}};
    (void)state;
    for (unsigned w = 0; w < 3; w++) {
        struct outcome o = run(set, passing, 3, ways[w]);
        assert_int_equal(o.rc, 0);
        assert_int_equal(o.first[0], 12);
        assert_true(end_of(&o.results[1]) < end_of(&o.results[0]));
        assert_true(o.results[2].start < end_of(&o.results[0]));
        assert_true(end_of(&o.results[2]) > end_of(&o.results[0]));
        forget(&o);
        o = run(set, four, 4, ways[w]);
        assert_int_equal(o.rc, 0);
        assert_int_equal(o.first[0], 7 + 5 + 3 + 1);
        for (unsigned i = 1; i < 4; i++) {
            assert_true(o.results[i].start < end_of(&o.results[0]));
            assert_true(end_of(&o.results[i]) > end_of(&o.results[i - 1]));
            assert_true(o.results[i].counters->warps.primary > 0);
        }
        forget(&o);
        o = run(set, parted, 3, ways[w]);
        assert_int_equal(o.rc, 0);
        assert_int_equal(o.first[0], 13);
        assert_int_equal(o.results[1].start, end_of(&o.results[0]) + 500);
        assert_int_equal(o.results[1].counters->warps.primary, 0);
        assert_true(o.results[2].start < end_of(&o.results[1]));
        forget(&o);
        o = run(set, awaiting, 3, ways[w]);
        assert_int_equal(o.rc, 0);
        assert_true(o.results[2].start >= end_of(&o.results[0]));
        forget(&o);
    }
    /* A kernel may run alone on a device that has no room for others beside it: nobody waits for what never begins. */
    struct outcome o = run(SETTINGS " gpu.early_gap_cycles=30 gpu.sms=1", four, 4, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[0], 16);
    forget(&o);
    o = run(SETTINGS " gpu.early_gap_cycles=30 gpu.kernels=2", four, 4, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[0], 16);
    forget(&o);
}

/* Blocks of the first kernel that have not begun let nobody begin. */
static void all_blocks_have_to_let(void **state)
{
    static const struct asked two[] = {OF("lets", 80, 192, 0, 7),
                                       OF("depends", 4, 64, 0, 5, .after = 1, .early = true)};
    (void)state;
    struct outcome o = run(SETTINGS " gpu.sms=4", two, 2, (struct shape){0});
    assert_int_equal(o.rc, 0);
    assert_int_equal(o.first[0], 12);
    assert_true(o.results[1].start > o.results[0].cycles / 2);
    forget(&o);
}

static void hang_reports_name_the_wait(void **state)
{
    static const struct asked two[] = {OF("lets_and_waits", 1, 32, 0, 7),
                                       OF("depends", 1, 32, 1, 5, .after = 1, .early = true)};
    (void)state;
    struct outcome o = run(SETTINGS " gpu.watch_cycles=20000", two, 2, (struct shape){0});
    assert_int_equal(o.results[0].status, GPU_HANG);
    assert_int_equal(o.results[1].status, GPU_HANG);
    assert_non_null(strstr(o.messages, "kernel lets_and_waits"));
    assert_non_null(strstr(o.messages, "wait for launches before theirs to end at"));
    forget(&o);
}

/* What SMs share is counted in the total alone. */
static void results_have_what_is_theirs(void **state)
{
    static const struct asked two[] = {OF("adds", 4, 64, 0, 1), OF("adds", 5, 64, 1, 2)};
    unsigned count;
    (void)state;
    struct outcome o = run(SETTINGS, two, 2, (struct shape){0});
    const struct gpu_stat_set *sets = gpu_result_sets(&o.results[0], &count);
    for (unsigned i = 0; i < count; i++) {
        assert_string_not_equal(sets[i].group->name, "l2");
        assert_string_not_equal(sets[i].group->name, "dram");
        assert_string_not_equal(sets[i].group->name, "energy");
    }
    assert_true(o.total.counters->l2.reads > 0 && o.total.counters->network.packets > 0);
    assert_true(o.results[0].shared && o.total.shared);
    forget(&o);
}

/* What is for one kernel alone is refused. */
static void some_launches_are_for_themselves(void **state)
{
    struct device d;
    (void)state;
    device_open(&d, MACHINE, SETTINGS);
    device_load(&d, kernels);
    struct gpu_launch l = {
        .module = d.module, .kernel = gpu_kernel(d.module, "adds"), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_true(gpu_may_share(d.gpu, &l));
    l.cooperative = true;
    assert_false(gpu_may_share(d.gpu, &l));
    l.cooperative = false;
    l.mode = GPU_FUNCTIONAL;
    assert_false(gpu_may_share(d.gpu, &l));
    device_close(&d);
    device_open(&d, MACHINE, NULL);
    device_load(&d, kernels);
    l = (struct gpu_launch){
        .module = d.module, .kernel = gpu_kernel(d.module, "adds"), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_false(gpu_may_share(d.gpu, &l));
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_overlap),
        cmocka_unit_test(kernels_wait_for_each_other),
        cmocka_unit_test(same_however_simulated),
        cmocka_unit_test(later_kernels_get_what_is_left),
        cmocka_unit_test(kernels_see_each_other),
        cmocka_unit_test(failures_are_told_apart),
        cmocka_unit_test(dependents_begin_early),
        cmocka_unit_test(chains_keep_their_order),
        cmocka_unit_test(all_blocks_have_to_let),
        cmocka_unit_test(hang_reports_name_the_wait),
        cmocka_unit_test(results_have_what_is_theirs),
        cmocka_unit_test(some_launches_are_for_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
