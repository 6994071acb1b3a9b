/* Fetch policies: a second one beside those of the list, which fills buffers that are not empty and asks the schedulers
 * whom they would issue. Programs compute the same under it, whatever buffers, caches and issue width are like. */
#include "gpu_support.h"

#include "base/bits.h"
#include "gpu/gpu_impl.h"

/* The counts of sm.counts_preferred, and the cycles of all schedulers. */
struct preferred {
    uint64_t empty, passed, issued, cycles;
};

/* The situations that the second policy met. One SM, in one thread. */
static struct {
    struct preferred preferred;
    uint64_t picks, partly, retired, followed;
    uint32_t room; /* sm.instruction_buffer */
} seen;

/* Finished warps retire; then the warp that the schedulers, taking turns, would issue first; else the one with the
 * fewest instructions, the oldest of these. */
static unsigned pick(const struct fetch_view *view)
{
    assert_true(view->serve && (view->retiring & ~view->serve) == 0 && view->last < 64);
    if (view->retiring) {
        seen.retired++;
        return mask_first(view->retiring);
    }
    seen.picks++;
    unsigned best = FETCH_NOBODY;
    for (uint64_t rest = view->serve; rest; rest &= rest - 1) {
        unsigned warp = mask_first(rest), entries = view->entries(view, warp);
        assert_true(entries < seen.room);
        seen.partly += entries > 0;
        unsigned least = best == FETCH_NOBODY ? UINT32_MAX : view->entries(view, best);
        if (entries < least || (entries == least && view->warps[warp].age < view->warps[best].age))
            best = warp;
    }
    unsigned first = view->preferred(view, (unsigned)(view->cycle % view->schedulers), view->serve);
    assert_true(first == FETCH_NOBODY || mask_has(view->serve, first));
    seen.followed += first != FETCH_NOBODY && first != best;
    return first == FETCH_NOBODY ? best : first;
}

static const struct fetch_policy fewest = {.name = "fewest", .fills = true, .pick = pick};

/* Loops of different lengths, both ways of a branch, a barrier, a call. */
static const char text[] =
    PTX_HEAD ".func (.reg .u32 %y) twice(.reg .u32 %x)\n{\nadd.u32 %y, %x, %x; ret;\n}\n" PTX_KERNEL(
        "k",
        PTX_BEGIN "and.b32 %r6, %r5, 7; mov.u32 %r7, 0; mov.u32 %r8, %r5;\n"
                  "again: mad.lo.u32 %r8, %r8, 5, 3; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %r6; @%p1 bra again;\n"
                  "and.b32 %r9, %r8, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra even;\n"
                  "call (%r8), twice, (%r8); xor.b32 %r8, %r8, 85; bra join;\n"
                  "even: add.u32 %r8, %r8, 1; shl.b32 %r8, %r8, 2;\n"
                  "join: bar.sync 0; st.global.u32 [%rd2], %r8; ret;");

#define BLOCKS 9
#define THREADS 192

static uint32_t expected(uint32_t i)
{
    uint32_t x = i;
    for (uint32_t k = 0; k <= (i & 7); k++)
        x = x * 5 + 3;
    return x & 1 ? (2 * x) ^ 85 : (x + 1) << 2;
}

/* Returns the cycles. */
static uint64_t run(const char *settings, const struct fetch_policy *policy, bool every_cycle)
{
    static uint32_t values[BLOCKS * THREADS];
    struct device d;
    device_open(&d, "gtx480", settings);
    gpu_destroy_units(d.gpu);
    d.gpu->fetch = policy ? policy : d.gpu->fetch;
    gpu_build_units(d.gpu);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, sizeof values);
    memset(&seen, 0, sizeof seen);
    seen.room = d.gpu->machine.sm.instruction_buffer;
    struct shape shape = {.grid = BLOCKS, .block = THREADS, .threads = 1, .every_cycle = every_cycle};
    device_run(&d, "k", shape, p, 0);
    device_read(&d, values, p, sizeof values);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
        assert_int_equal(values[i], expected(i));
    uint64_t cycles = d.result.cycles;
    if (d.gpu->machine.sm.counts_preferred)
        seen.preferred = (struct preferred){.empty = device_stat(&d, "sm", "preferred_empty"),
                                            .passed = device_stat(&d, "sm", "preferred_passed"),
                                            .issued = device_stat(&d, "stalls", "issued"),
                                            .cycles = 2 * cycles};
    device_close(&d);
    return cycles;
}

static void test_second_policy(void **state)
{
    static const char *const settings[] = {
        "gpu.sms=1",
        "gpu.sms=1 sm.instruction_buffer=4 sm.fetch_width=1",
        "gpu.sms=1 sm.instruction_buffer=8 sm.fetch_width=3 sm.issue_width=2 sm.scheduler=cawa",
        "gpu.sms=1 sm.instruction_buffer=5 sm.fetch_from_fill=true l1i.sets=1 l1i.ways=1 sm.scheduler=tls",
        "gpu.sms=1 sm.instruction_buffer=4 sm.fetch_from_fill=true l1i.sets=1 l1i.ways=1 sm.issue_width=4",
        "gpu.sms=1 sm.instruction_buffer=3 l1i.sets=1 l1i.ways=1 sm.scheduler=lrr",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t cycles = run(settings[i], &fewest, false);
        assert_true(seen.picks > 100 && seen.retired == BLOCKS * THREADS / 32 && seen.followed > 0);
        assert_true(i == 0 || seen.partly > 0);
        assert_int_equal(run(settings[i], &fewest, true), cycles); /* cycles that are passed over change nothing */
        assert_int_not_equal(run(settings[i], NULL, false), cycles);
        assert_int_equal(seen.picks, 0);
    }
}

/* One that lets cycles pass: what it is offered is offered again. */
static unsigned pick_seldom(const struct fetch_view *view)
{
    return view->cycle % 3 ? FETCH_NOBODY : mask_first(view->serve);
}

static void test_seldom(void **state)
{
    static const struct fetch_policy seldom = {.name = "seldom", .pick = pick_seldom};
    uint64_t cycles = run("gpu.sms=1", &seldom, false);
    assert_true(cycles > run("gpu.sms=1", NULL, false));
    assert_int_equal(run("gpu.sms=1", &seldom, true), cycles);
}

/* A view by itself: schedulers own warps by number, and prefer the highest one that does not wait. */
struct shown {
    unsigned entries[64];
    uint64_t waiting;
};

static unsigned shown_entries(const struct fetch_view *view, unsigned warp)
{
    return ((const struct shown *)view->context)->entries[warp];
}

static unsigned shown_preferred(const struct fetch_view *view, unsigned scheduler, uint64_t warps)
{
    uint64_t awake = warps & ~((const struct shown *)view->context)->waiting;
    for (unsigned warp = 64; warp-- > 0;)
        if (mask_has(awake, warp) && warp % view->schedulers == scheduler)
            return warp;
    return FETCH_NOBODY;
}

static unsigned picks(const char *policy, const struct shown *shown, struct fetch_view view)
{
    view.schedulers = 2;
    view.entries = shown_entries;
    view.preferred = shown_preferred;
    view.context = shown;
    return fetch_find(policy)->pick(&view);
}

#define WARPS(...) mask_of((const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))
static uint64_t mask_of(const unsigned *warps, size_t count)
{
    uint64_t set = 0;
    for (size_t i = 0; i < count; i++)
        set |= BIT64(warps[i]);
    return set;
}

/* The scheduler whose turn it is, then the other one, then those that wait, in turn. */
static void test_critical_fetch_first(void **state)
{
    struct shown shown = {0};
    struct fetch_view view = {.cycle = 10, .serve = WARPS(1, 2, 3, 4), .last = 2};
    assert_false(fetch_find("cff")->fills);
    assert_int_equal(picks("cff", &shown, view), 4);
    view.cycle = 11;
    assert_int_equal(picks("cff", &shown, view), 3);
    shown.waiting = WARPS(1, 3);
    assert_int_equal(picks("cff", &shown, view), 4); /* that scheduler has none that could issue */
    shown.waiting = WARPS(4);
    assert_int_equal(picks("cff", &shown, view), 3);
    view.cycle = 10;
    assert_int_equal(picks("cff", &shown, view), 2);
    shown.waiting = view.serve;
    assert_int_equal(picks("cff", &shown, view), 3); /* behind the one served last */
    view.last = 4;
    assert_int_equal(picks("cff", &shown, view), 1);
    view.retiring = WARPS(2);
    assert_int_equal(picks("cff", &shown, view), 2);
}

static void test_fewest_entries_first(void **state)
{
    struct shown shown = {.entries = {[1] = 2, [2] = 1, [3] = 1, [4] = 3}};
    struct fetch_view view = {.serve = WARPS(1, 2, 3, 4), .last = 2};
    assert_true(fetch_find("fef")->fills);
    assert_int_equal(picks("fef", &shown, view), 3); /* of 2 and 3, the one behind the one served last */
    view.last = 3;
    assert_int_equal(picks("fef", &shown, view), 2);
    shown.entries[4] = 0;
    assert_int_equal(picks("fef", &shown, view), 4);
    view.serve = WARPS(1);
    assert_int_equal(picks("fef", &shown, view), 1);
    view.serve = view.retiring = WARPS(1, 63);
    view.last = 63;
    assert_int_equal(picks("fef", &shown, view), 1);
}

/* What sm.fetch_fills is: the same policy, other warps. */
static void test_fills(void **state)
{
    static const char *const room = "gpu.sms=1 sm.instruction_buffer=4 sm.fetch=cff sm.fetch_fills=%s";
    char settings[128];
    uint64_t cycles[2];
    for (unsigned fills = 0; fills < 2; fills++) {
        snprintf(settings, sizeof settings, room, fills ? "true" : "false");
        cycles[fills] = run(settings, NULL, false);
        assert_int_equal(run(settings, NULL, true), cycles[fills]);
    }
    assert_int_not_equal(cycles[0], cycles[1]);
}

#define ADDS                                                                                                           \
    "add.u32 %r5, %r5, 1; add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1; add.u32 %r8, %r7, 1; add.u32 %r5, %r8, 1;\n"       \
    "add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1; add.u32 %r8, %r7, 1; add.u32 %r5, %r8, 1; add.u32 %r6, %r5, 1;\n"       \
    "add.u32 %r5, %r5, 1; add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1; add.u32 %r8, %r7, 1; add.u32 %r5, %r8, 1;\n"

/* sm.instruction_bytes, by one warp in a straight line. Lines of the instruction cache hold more instructions or
 * fewer, and a fetch of 16 bytes brings more of them or fewer. */
static void test_instruction_bytes(void **state)
{
    static const char line[] =
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN ADDS ADDS ADDS ADDS "st.global.u32 [%rd2], %r5; ret;");
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        struct device d;
        char settings[96];
        snprintf(settings, sizeof settings, "gpu.sms=1 sm.instruction_buffer=8 sm.instruction_bytes=%u", bytes);
        device_open(&d, "gtx480", settings);
        device_load(&d, line);
        uint64_t p = device_buffer(&d, 4 * 32);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .threads = 1}, p, 0);
        uint64_t count = device_stat(&d, "sm", "warp_instructions");
        assert_true(count > 64);
        assert_int_equal(device_stat(&d, "sm", "decoded_instructions"), count);
        assert_int_equal(device_stat(&d, "l1i", "read_misses"), (count * bytes + 127) / 128);
        assert_int_equal(device_stat(&d, "l1i", "read_hits"), (count + 16 / bytes - 1) / (16 / bytes));
        device_close(&d);
    }
}

/* sm.fetch_per_scheduler, under every policy: values are the same, come sooner, and do not depend on skipped time.
 * With one scheduler it changes nothing. */
static void test_per_scheduler(void **state)
{
    for (const struct fetch_policy *const *p = fetch_policies(); *p; p++) {
        char each[160], one[96], alone[96];
        snprintf(one, sizeof one, "gpu.sms=1 sm.schedulers=4 sm.fetch=%s", (*p)->name);
        snprintf(each, sizeof each, "%s sm.fetch_per_scheduler=true", one);
        uint64_t cycles = run(each, NULL, false);
        assert_int_equal(run(each, NULL, true), cycles);
        assert_true(cycles < run(one, NULL, false));
        snprintf(alone, sizeof alone, "gpu.sms=1 sm.schedulers=1 sm.fetch=%s", (*p)->name);
        snprintf(each, sizeof each, "%s sm.fetch_per_scheduler=true", alone);
        assert_int_equal(run(each, NULL, false), run(alone, NULL, false));
    }
}

/* sm.counts_preferred changes no cycle, and counts the same whether time is passed over or not. */
static void test_counts_preferred(void **state)
{
    static const char *const settings[] = {"gpu.sms=1", "gpu.sms=1 sm.scheduler=lrr sm.fetch=cff sm.cores=2",
                                           "gpu.sms=1 sm.scheduler=mwf sm.fetch_width=1"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        char counting[160];
        snprintf(counting, sizeof counting, "%s sm.counts_preferred=true", settings[i]);
        uint64_t cycles = run(settings[i], NULL, false);
        assert_int_equal(run(counting, NULL, false), cycles);
        struct preferred first = seen.preferred;
        assert_int_equal(run(counting, NULL, true), cycles);
        assert_memory_equal(&first, &seen.preferred, sizeof first);
        assert_true(first.passed > 0 && first.passed < first.empty);
        assert_true(first.passed <= first.issued && first.empty < first.cycles);
    }
}

static void test_list(void **state)
{
    for (const struct fetch_policy *const *p = fetch_policies(); *p; p++) {
        assert_ptr_equal(fetch_find((*p)->name), *p);
        assert_true((*p)->doc[0] && (*p)->pick);
    }
    assert_null(fetch_find("none such"));
    struct machine machine;
    struct diag_sink sink;
    struct strbuf said = {0};
    diag_init(&sink);
    assert_int_equal(machine_load(&machine, "gtx480", &sink), 0);
    assert_int_equal(machine_set(&machine, "sm.fetch=none", &sink), 0);
    assert_null(gpu_create(&machine, &sink));
    diag_format_all(&sink, &said);
    assert_non_null(strstr(strbuf_text(&said), "sm.fetch: there is no fetch policy named none"));
    assert_non_null(strstr(strbuf_text(&said), "known fetch policies: lrr"));
    strbuf_free(&said);
    diag_free(&sink);
    machine_free(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_policy),
        cmocka_unit_test(test_seldom),
        cmocka_unit_test(test_critical_fetch_first),
        cmocka_unit_test(test_fewest_entries_first),
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_instruction_bytes),
        cmocka_unit_test(test_per_scheduler),
        cmocka_unit_test(test_counts_preferred),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
