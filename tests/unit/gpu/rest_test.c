/* Domains of a large device that rest (gpu/rest.h): a launch that keeps a few SMs busy leaves the others out, and nothing
 * of it can be seen in the result. What it is compared with is a launch in which every unit is stepped in every cycle:
 * there no domain rests. */
#include "gpu/rest.h"
#include "gpu_support.h"

/* Each block computes and sleeps for a while of its own, loads from lines of all channels, and takes part in atomics on
 * a few words: so domains fall asleep and are woken by blocks that start, by their time, and by requests and replies. */
static const char text[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "mad.lo.u32 %r6, %r3, 37, 5;\nWORK: mul.lo.u32 %r7, %r6, 3; add.u32 %r6, %r6, -1;\n"
                   "setp.ne.u32 %p1, %r6, 0; @%p1 bra WORK; shl.b32 %r8, %r3, 8; nanosleep.u32 %r8; mov.u32 %r9, %r1;\n"
                   "LOAD: mul.lo.u32 %r10, %r9, 1031; add.u32 %r10, %r10, %r5; and.b32 %r10, %r10, 16383;\n"
                   "mul.wide.u32 %rd4, %r10, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r11, [%rd4];\n"
                   "st.global.u32 [%rd2+65536], %r11; and.b32 %r12, %r5, 7; mul.wide.u32 %rd5, %r12, 4096;\n"
                   "add.u64 %rd5, %rd1, %rd5; atom.global.add.u32 %r13, [%rd5], 1; add.u32 %r9, %r9, -1;\n"
                   "bar.sync 0; setp.ne.u32 %p1, %r9, 0; @%p1 bra LOAD; ret;\n");

struct watcher {
    struct gpu *gpu;
    unsigned resting, woken;
    uint64_t before;
};

/* Called between two windows. */
static void look(void *context)
{
    struct watcher *w = context;
    uint64_t awake = w->gpu->run->rest->awake;
    w->resting += gpu_some_rest(w->gpu->run);
    w->woken += w->before && (awake & ~w->before) != 0;
    w->before = awake;
}

struct way {
    unsigned threads;
    bool every_cycle, looks;
};

static void run(const char *machine, const char *settings, uint32_t blocks, struct way way, struct strbuf *stats,
                struct watcher *w)
{
    struct device d;
    struct shape shape = {.grid = blocks, .block = 96, .threads = way.threads, .every_cycle = way.every_cycle};
    device_open(&d, machine, settings);
    device_load(&d, text);
    w->gpu = d.gpu;
    if (way.looks)
        gpu_set_checkpoints(d.gpu, 1, 61, look, w);
    device_run(&d, "k", shape, device_buffer(&d, 1 << 18), 2);
    device_run(&d, "k", shape, device_buffer(&d, 1 << 18), 1); /* in caches that are not empty */
    device_all_stats(&d.result, stats);
    device_close(&d);
}

static void check_machine(const char *machine, const char *settings, uint32_t blocks, bool domains)
{
    static const struct way ways[] = {{1, false, true}, {2, false, true}};
    struct strbuf stepped = {0};
    struct watcher none = {0}, w = {0};
    run(machine, settings, blocks, (struct way){1, true, true}, &stepped, &none);
    assert_int_equal(none.resting, 0);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct strbuf stats = {0};
        run(machine, settings, blocks, ways[i], &stats, &w);
        if (strcmp(strbuf_text(&stepped), strbuf_text(&stats)) != 0)
            fail_msg("%s %s, %u blocks: %u threads give another result", machine, settings, blocks, ways[i].threads);
        strbuf_free(&stats);
    }
    assert_true(!domains || (w.resting > 10 && w.woken > 0));
    strbuf_free(&stepped);
}

static void test_a_resting_domain_changes_nothing(void **state)
{
    check_machine("gtx480", "gpu.sms=66 partition.channels=12", 1, true);
    check_machine("gtx1080ti", "gpu.sms=66 partition.channels=8", 2, true);
    check_machine("gtx480", "gpu.sms=66 partition.channels=4 coherence.protocol=hlrc", 2, true);
    /* Long windows: a device for one thread has several domains, and some have places while one is alone. */
    check_machine("gtx480", "gpu.sms=40 sm.blocks=1 network.core=ideal network.latency=33 gpu.dispatch_interval=16", 90,
                  false);
    check_machine("gtx1080ti",
                  "gpu.sms=66 sm.blocks=1 gpu.dispatch_interval=4 gpu.dispatch_blocks=1 gpu.dispatch_cycles=29", 80,
                  false);
    check_machine("h100", "gpu.sms=66 gpu.memory_mib=64 sm.blocks=1 gpu.dispatch_burst=1", 100, true);
    if (!getenv("LOCKSTEP_LONG"))
        return;
    check_machine("gtx480", "gpu.sms=132 partition.channels=40", 1, true);
    check_machine("gtx1080ti", "gpu.sms=132 partition.channels=40", 7, true);
    check_machine("apu128", "coherence.protocol=denovo-b", 2, true);
    check_machine("gtx480", "gpu.sms=66 gpu.network_mhz=1100 network.core=ideal sm.blocks=1", 70, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_resting_domain_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
