/* A device whose coherence protocol probes: the test's own one, in which a slice accepts a store or an atomic when
 * every L1 but that of its SM has given the line up. So plain loads that an L1 serves see what other SMs have stored,
 * without a fence, and a kernel can wait for another block with them. Probes and their answers go through two more
 * networks, whatever the number of threads, with and without skipping cycles, and a checkpoint holds those under way.
 */
#include "gpu_support.h"

#include "base/archive.h"
#include "base/bits.h"
#include "memory/coherence/protocol.h"

#define BLOCKS 5
#define LANES 32
#define ROUNDS 6
#define FLAGS 8192   /* offset of the flags: a line each */
#define COUNTER 2048 /* of what the atomics count, in no other line */

enum { I = CACHE_ABSENT, P = CACHE_COMING, V = CACHE_THERE, D = CACHE_WRITTEN, ANY = COHERENCE_ANY };

static const struct coherence_row l1_rows[] = {
    {I, L1_LOAD_EVENT, P, COHERENCE_DO(L1_FETCH)},
    {P, L1_LOAD_EVENT, P, COHERENCE_DO(L1_JOIN)},
    {V, L1_LOAD_EVENT, V, COHERENCE_DO(L1_SERVE)},
    {D, L1_LOAD_EVENT, D, COHERENCE_DO(L1_SERVE)},
    {ANY, L1_LOAD_PAST_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_LOAD_STRONG_EVENT, I, COHERENCE_DO(L1_PASS)},
    {I, L1_LOAD_OWN_EVENT, P, COHERENCE_DO(L1_FETCH)},
    {P, L1_LOAD_OWN_EVENT, P, COHERENCE_DO(L1_JOIN)},
    {V, L1_LOAD_OWN_EVENT, V, COHERENCE_DO(L1_SERVE)},
    {D, L1_LOAD_OWN_EVENT, D, COHERENCE_DO(L1_SERVE)},
    {ANY, L1_STORE_EVENT, I, COHERENCE_DO(L1_SEND)},
    {I, L1_STORE_OWN_EVENT, I, COHERENCE_DO(L1_SEND)},
    {P, L1_STORE_OWN_EVENT, P, COHERENCE_DO(L1_SEND)},
    {V, L1_STORE_OWN_EVENT, D, COHERENCE_DO(L1_KEEP)},
    {D, L1_STORE_OWN_EVENT, D, COHERENCE_DO(L1_KEEP)},
    {ANY, L1_ATOMIC_EVENT, I, COHERENCE_DO(L1_PASS)},
    {ANY, L1_ATOMIC_KEEP_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_PROBE_EVENT, I, COHERENCE_DO(L1_ACKNOWLEDGE)},
    {ANY, L1_FILL_EVENT, ANY, COHERENCE_DO(L1_INSTALL, L1_WAKE)},
};

static const struct coherence_row l2_rows[] = {
    {I, L2_READ_EVENT, P, COHERENCE_DO(L2_FETCH, L2_READ)},
    {P, L2_READ_EVENT, P, COHERENCE_DO(L2_JOIN, L2_READ)},
    {V, L2_READ_EVENT, V, COHERENCE_DO(L2_TOUCH, L2_READ, L2_ANSWER)},
    {D, L2_READ_EVENT, D, COHERENCE_DO(L2_TOUCH, L2_READ, L2_ANSWER)},
    {I, L2_ATOMIC_EVENT, P, COHERENCE_DO(L2_PROBE, L2_FETCH, L2_PERFORM)},
    {P, L2_ATOMIC_EVENT, P, COHERENCE_DO(L2_PROBE, L2_JOIN, L2_PERFORM)},
    {V, L2_ATOMIC_EVENT, D, COHERENCE_DO(L2_PROBE, L2_TOUCH, L2_PERFORM, L2_DIRTY, L2_ANSWER)},
    {D, L2_ATOMIC_EVENT, D, COHERENCE_DO(L2_PROBE, L2_TOUCH, L2_PERFORM, L2_DIRTY, L2_ANSWER)},
    {I, L2_STORE_EVENT, I, COHERENCE_DO(L2_PROBE, L2_PASS, L2_MERGE)},
    {P, L2_STORE_EVENT, P, COHERENCE_DO(L2_PROBE, L2_PASS, L2_MERGE)},
    {V, L2_STORE_EVENT, D, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {D, L2_STORE_EVENT, D, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {I, L2_STORE_FETCH_EVENT, P, COHERENCE_DO(L2_PROBE, L2_PASS_FETCH, L2_MERGE)},
    {P, L2_STORE_FETCH_EVENT, P, COHERENCE_DO(L2_PROBE, L2_PASS_FETCH, L2_MERGE)},
    {V, L2_STORE_FETCH_EVENT, D, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {D, L2_STORE_FETCH_EVENT, D, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {ANY, L2_STORE_LAZY_EVENT, ANY, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {ANY, L2_FILL_EVENT, ANY, COHERENCE_DO(L2_INSTALL)},
    {ANY, L2_READ_WOKEN_EVENT, ANY, COHERENCE_DO(L2_ANSWER)},
    {I, L2_ATOMIC_WOKEN_EVENT, I, COHERENCE_DO(L2_ANSWER)},
    {P, L2_ATOMIC_WOKEN_EVENT, P, COHERENCE_DO(L2_ANSWER)},
    {V, L2_ATOMIC_WOKEN_EVENT, D, COHERENCE_DO(L2_DIRTY, L2_ANSWER)},
    {D, L2_ATOMIC_WOKEN_EVENT, D, COHERENCE_DO(L2_DIRTY, L2_ANSWER)},
};

static const struct coherence_table l2_table = {l2_rows, sizeof l2_rows / sizeof l2_rows[0]};
static const struct coherence_protocol probing = {.name = "probing",
                                                  .l1 = {l1_rows, sizeof l1_rows / sizeof l1_rows[0]},
                                                  .l2 = &l2_table,
                                                  .orders = {[L1_ACQUIRE] = 0},
                                                  .probes = true};

/* Blocks pass a token round: who has it takes each lane's word of the block before, adds 1 to it and keeps it as the
 * lane's own. It waits for the token, and takes the words, by plain loads. */
static const char text[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN
    "mov.u32 %r6, %nctaid.x; add.u32 %r7, %r3, %r6; add.u32 %r7, %r7, -1; rem.u32 %r7, %r7, %r6;\n"
    "mad.lo.u32 %r7, %r7, %r4, %r2; mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd1, %rd4;\n"
    "mul.wide.u32 %rd5, %r3, 128; add.u64 %rd5, %rd1, %rd5; add.u32 %r8, %r3, 1; rem.u32 %r9, %r8, %r6;\n"
    "mul.wide.u32 %rd6, %r9, 128; add.u64 %rd6, %rd1, %rd6; setp.eq.u32 %p3, %r9, 0; selp.u32 %r12, 1, 0, %p3;\n"
    "mov.u32 %r8, 0;\n"
    "LOOP: ld.global.u32 %r9, [%rd5+8192]; setp.le.u32 %p1, %r9, %r8; @%p1 bra LOOP;\n"
    "ld.global.u32 %r10, [%rd4]; add.u32 %r10, %r10, 1; st.global.u32 [%rd2], %r10;\n"
    "red.global.add.u32 [%rd1+2048], 1; membar.gl;\n"
    "add.u32 %r8, %r8, 1; add.u32 %r11, %r8, %r12; st.global.u32 [%rd6+8192], %r11;\n"
    "setp.lt.u32 %p2, %r8, %r1; @%p2 bra LOOP; ret;");

struct machine_case {
    const char *name, *settings;
};
/* All queues as small as can be: probes and answers wait for each other's places. */
static const struct machine_case cases[] = {
    {"gtx480", "gpu.sms=5"},
    {"gtx480", "gpu.sms=3 gpu.seed=7"},
    {"gtx480", "gpu.sms=5 network.flit_bytes=8 network.injection_flits=1 network.router_flits=1 "
               "network.ejection_flits=1 network.boundary_flits=1 sm.ejection_queue=1"},
    {"apu8", "coherence.l2_writes_through=false"},
};

static uint64_t open_probing(struct device *d, const struct machine_case *c)
{
    const uint32_t one = 1;
    struct machine machine;
    device_open(d, c->name, c->settings);
    machine = d->machine;
    machine.memory.protocol = &probing;
    gpu_destroy(d->gpu);
    d->gpu = gpu_create(&machine, &d->sink);
    assert_non_null(d->gpu);
    device_load(d, text);
    uint64_t p = device_buffer(d, 16384);
    assert_int_equal(gpu_write(d->gpu, p + FLAGS, &one, sizeof one, &d->sink), 0);
    return p;
}

static uint64_t probes_answered(const struct device *d)
{
    const struct coherence_counts *counts = gpu_result_transitions(&d->result, 0);
    uint64_t sum = 0;
    for (unsigned state = 0; state <= COHERENCE_ANY; state++)
        sum += counts->taken[state][L1_PROBE_EVENT];
    return sum;
}

static void expect_words(struct device *d, uint64_t p)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            assert_int_equal(device_word(d, p + 4 * (b * LANES + lane)), BLOCKS * (ROUNDS - 1) + b + 1);
    assert_int_equal(device_word(d, p + COUNTER), BLOCKS * LANES * ROUNDS);
}

/* Every statistic and the memory of one run. */
static void run(const struct machine_case *c, unsigned threads, bool every_cycle, struct strbuf *out)
{
    struct device d;
    uint64_t p = open_probing(&d, c);
    struct shape shape = {.grid = BLOCKS, .block = LANES, .threads = threads, .every_cycle = every_cycle};
    device_run(&d, "k", shape, p, ROUNDS);
    expect_words(&d, p);
    assert_true(probes_answered(&d) > 0);
    device_all_stats(&d.result, out);
    device_close(&d);
}

static void plain_loads_see_what_other_sms_stored(void **state)
{
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf one = {0};
        run(&cases[i], 1, false, &one);
        for (unsigned way = 1; way < 4; way++) {
            struct strbuf other = {0};
            run(&cases[i], way & 1 ? 3 : 1, way >= 2, &other);
            assert_string_equal(strbuf_text(&one), strbuf_text(&other));
            strbuf_free(&other);
        }
        strbuf_free(&one);
    }
}

/* Every probe has one answer, and each store and atomic that a slice accepts has probed all SMs but its own. */
static void every_store_probes_the_others(void **state)
{
    static const char stores[] =
        PTX_HEAD PTX_KERNEL("s", PTX_BEGIN "st.global.u32 [%rd2], %r5; red.global.add.u32 [%rd1+2048], 1; ret;");
    struct device d;
    open_probing(&d, &cases[0]);
    device_load(&d, stores);
    device_run(&d, "s", (struct shape){.grid = 3, .block = 32, .threads = 2}, device_buffer(&d, 4096), 0);
    const struct coherence_counts *l2 = gpu_result_transitions(&d.result, 1);
    uint64_t accepted = 0;
    for (unsigned s = 0; s <= COHERENCE_ANY; s++)
        accepted += l2->taken[s][L2_ATOMIC_EVENT] + l2->taken[s][L2_STORE_EVENT] + l2->taken[s][L2_STORE_FETCH_EVENT] +
                    l2->taken[s][L2_STORE_LAZY_EVENT];
    assert_true(accepted >= 3 * 2);
    assert_int_equal(probes_answered(&d), accepted * (5 - 1));
    device_close(&d);
}

/* Checkpoints */

struct taker {
    struct gpu *gpu;
    struct strbuf content[10];
    unsigned count;
};

static void take(void *context)
{
    struct taker *t = context;
    if (t->count == sizeof t->content / sizeof t->content[0])
        return;
    struct archive *ar = archive_into(&t->content[t->count++]);
    gpu_archive(t->gpu, ar);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

/* The run that goes on from a checkpoint ends as the one that was not interrupted, on another number of threads. */
static void resume(const struct machine_case *c, const struct strbuf *content, const char *expected)
{
    struct device d;
    struct strbuf stats = {0};
    uint64_t params[] = {open_probing(&d, c), ROUNDS};
    struct archive *ar = archive_from_bytes(content->text, content->length);
    struct gpu_launch launch = {.module = d.module,
                                .kernel = gpu_kernel(d.module, "k"),
                                .grid = {BLOCKS, 1, 1},
                                .block = {LANES, 1, 1},
                                .params = params,
                                .threads = 2,
                                .resume = ar};
    int rc = gpu_launch(d.gpu, &launch, &d.result, &d.sink);
    if (rc)
        fail_msg("%s", device_messages(&d));
    archive_abandon(ar);
    expect_words(&d, params[0]);
    device_all_stats(&d.result, &stats);
    assert_string_equal(strbuf_text(&stats), expected);
    strbuf_free(&stats);
    device_close(&d);
}

static void checkpoints_hold_probes_under_way(void **state)
{
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device d;
        struct strbuf stats = {0};
        uint64_t p = open_probing(&d, &cases[i]);
        struct taker t = {.gpu = d.gpu};
        gpu_set_checkpoints(d.gpu, 1301, 997, take, &t);
        device_run(&d, "k", (struct shape){.grid = BLOCKS, .block = LANES, .threads = 1}, p, ROUNDS);
        device_all_stats(&d.result, &stats);
        assert_true(t.count > 4);
        for (unsigned n = 0; n < t.count; n++) {
            if (n % effort_steps(3, 30) == 0)
                resume(&cases[i], &t.content[n], strbuf_text(&stats));
            strbuf_free(&t.content[n]);
        }
        strbuf_free(&stats);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_loads_see_what_other_sms_stored),
        cmocka_unit_test(every_store_probes_the_others),
        cmocka_unit_test(checkpoints_hold_probes_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
