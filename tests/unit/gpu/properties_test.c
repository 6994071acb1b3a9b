/* Properties of every launch, over kernels of all kinds x machines x schedulers: scheduler-cycles add up, runs repeat,
 * skipping cycles changes nothing, both modes end with the same memory, and lanes are counted right. */
#include "gpu_support.h"

#define BLOCK 96
#define GRID 5
#define THREADS (GRID * BLOCK)
#define WORDS 1024 /* of the buffer: results by thread from 0, common words from 512 */

struct kernel {
    const char *name, *text;
    uint64_t n;
    uint64_t (*lanes)(uint64_t n); /* thread instructions by formula; NULL where they depend on time */
    bool prints;
};

/* Sum of f over all threads, by number in the block. */
static uint64_t over_threads(uint64_t (*f)(unsigned tid, uint64_t n), uint64_t n)
{
    uint64_t sum = 0;
    for (unsigned t = 0; t < BLOCK; t++)
        sum += f(t, n);
    return sum * GRID;
}

static const char alu_text[] =
    PTX_KERNEL("k", PTX_BEGIN "mov.u32 %r6, %r5;\n"
                              "LOOP: mad.lo.u32 %r6, %r6, 1664525, 1013904223; xor.b32 %r6, %r6, %r5; add.u32 %r1, "
                              "%r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
                              "st.global.u32 [%rd2], %r6; ret;");
static uint64_t alu_lanes(uint64_t n)
{
    return THREADS * (9 + 1 + 4 * n + (n - 1) + 2);
}

/* Lanes loop tid % 7 + 1 times; in each turn odd counts take one path, even ones another. */
static const char divergent_text[] =
    PTX_KERNEL("k", PTX_BEGIN "rem.u32 %r7, %r2, 7; add.u32 %r7, %r7, %r1; mov.u32 %r6, 0;\n"
                              "LOOP: and.b32 %r8, %r7, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra EVEN;\n"
                              "mad.lo.u32 %r6, %r6, 3, 1; bra JOIN;\n"
                              "EVEN: add.u32 %r6, %r6, %r5;\n"
                              "JOIN: add.u32 %r7, %r7, -1; setp.ne.u32 %p2, %r7, 0; @%p2 bra LOOP;\n"
                              "st.global.u32 [%rd2], %r6; ret;");
static uint64_t divergent_one(unsigned tid, uint64_t n)
{
    uint64_t turns = tid % 7 + n, odd = (turns + 1) / 2, even = turns / 2;
    return 9 + 3 + 2 * turns + even /* taken */ + 2 * odd + even + 2 * turns + (turns - 1) + 2;
}
static uint64_t divergent_lanes(uint64_t n)
{
    return over_threads(divergent_one, n);
}

static const char barrier_text[] = ".shared .align 4 .b8 s[512];\n" PTX_KERNEL(
    "k", PTX_BEGIN
    "mov.u32 %r10, s; shl.b32 %r11, %r2, 2; add.u32 %r12, %r10, %r11; add.u32 %r13, %r2, 33; rem.u32 %r13, %r13, %r4; "
    "shl.b32 %r13, %r13, 2;\n"
    "add.u32 %r13, %r10, %r13; mov.u32 %r6, %r5;\n"
    "LOOP: st.shared.u32 [%r12], %r6; bar.sync 0; ld.shared.u32 %r7, [%r13]; bar.sync 0; mad.lo.u32 %r6, %r6, 5, %r7;\n"
    "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
    "st.global.u32 [%rd2], %r6; ret;");
static uint64_t barrier_lanes(uint64_t n)
{
    return THREADS * (9 + 8 + 7 * n + n - 1 + 2);
}

/* A histogram in shared memory, with as many conflicts as there are lanes a bin. */
static const char shared_text[] = ".shared .align 4 .b8 bins[64];\n" PTX_KERNEL(
    "k", PTX_BEGIN
    "mov.u32 %r10, bins; rem.u32 %r6, %r2, 11; shl.b32 %r6, %r6, 2; add.u32 %r6, %r10, %r6;\n"
    "LOOP: atom.shared.add.u32 %r7, [%r6], %r1; add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
    "bar.sync 0; ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd2], %r8; ret;");
static uint64_t shared_lanes(uint64_t n)
{
    return THREADS * (9 + 4 + 3 * n + n - 1 + 4);
}

static const char atomics_text[] = PTX_KERNEL(
    "k", PTX_BEGIN "and.b32 %r6, %r5, 15; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;\n"
                   "LOOP: atom.global.add.u32 %r7, [%rd4+2048], %r1; red.global.max.u32 [%rd1+3072], %r5; "
                   "atom.global.xor.b32 %r7, [%rd1+3076], %r5;\n"
                   "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; st.global.u32 [%rd2], %r6; ret;");
static uint64_t atomics_lanes(uint64_t n)
{
    return THREADS * (9 + 3 + 5 * n + n - 1 + 2);
}

/* A lock taken and given back inside its retry loop by every fourth thread, n times; the counter beside it is protected
 * by it. */
static const char lock_text[] = PTX_KERNEL(
    "k", PTX_BEGIN "and.b32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; @%p1 ret;\n"
                   "AGAIN: mov.u32 %r6, 0;\n"
                   "TRY: atom.global.cas.b32 %r7, [%rd1+2048], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra SKIP;\n"
                   "membar.gl; ld.volatile.global.u32 %r8, [%rd1+2052]; add.u32 %r8, %r8, 3; st.volatile.global.u32 "
                   "[%rd1+2052], %r8; membar.gl;\n"
                   "atom.global.exch.b32 %r9, [%rd1+2048], 0; mov.u32 %r6, 1;\n"
                   "SKIP: setp.eq.u32 %p2, %r6, 0; @%p2 bra TRY;\n"
                   "add.u32 %r1, %r1, -1; setp.ne.u32 %p3, %r1, 0; @%p3 bra AGAIN; ret;");

static const char local_text[] =
    PTX_KERNEL("k", ".local .align 8 .b8 a[64];\n" PTX_BEGIN "mov.u64 %rd5, a; mov.u32 %r6, 0; mov.u32 %r7, %r5;\n"
                    "LOOP: and.b32 %r8, %r7, 15; mul.wide.u32 %rd6, %r8, 4; add.u64 %rd6, %rd5, %rd6; ld.local.u32 "
                    "%r9, [%rd6]; add.u32 %r9, %r9, %r7;\n"
                    "st.local.u32 [%rd6], %r9; add.u32 %r6, %r6, %r9; mad.lo.u32 %r7, %r7, 5, 3;\n"
                    "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; st.global.u32 [%rd2], %r6; ret;");
static uint64_t local_lanes(uint64_t n)
{
    return THREADS * (9 + 3 + 10 * n + n - 1 + 2);
}

/* f(x) = x < 2 ? x : f(x - 1) + f(x - 2), called with tid % 6 + n */
static const char calls_text[] =
    ".visible .func (.param .b32 out) fib(.param .b32 in)\n{\n" PTX_REGS
    "ld.param.u32 %r1, [in]; setp.lt.u32 %p1, %r1, 2; @%p1 bra SMALL;\n"
    "{ .param .b32 a; .param .b32 b; add.u32 %r2, %r1, -1; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 "
    "%r3, [b]; }\n"
    "{ .param .b32 a; .param .b32 b; add.u32 %r2, %r1, -2; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 "
    "%r4, [b]; }\n"
    "add.u32 %r5, %r3, %r4; st.param.b32 [out], %r5; ret;\n"
    "SMALL: st.param.b32 [out], %r1; ret;\n}\n" PTX_KERNEL(
        "k", PTX_BEGIN
        "rem.u32 %r6, %r2, 6; add.u32 %r6, %r6, %r1;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r6; call.uni (b), fib, (a); ld.param.b32 %r7, [b]; }\n"
        "st.global.u32 [%rd2], %r7; ret;");
static uint64_t fib_lanes(unsigned x)
{
    return x < 2 ? 3 + 2 : 2 + 8 + 3 + fib_lanes(x - 1) + fib_lanes(x - 2);
}
static uint64_t calls_one(unsigned tid, uint64_t n)
{
    return 9 + 2 + 3 + fib_lanes((unsigned)(tid % 6 + n)) + 2;
}
static uint64_t calls_lanes(uint64_t n)
{
    return over_threads(calls_one, n);
}

static const char printf_text[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[] = {116, 32, 37, 117, 32, 37, 100, 10, 0};\n" /* "t %u %d\n" */
    PTX_KERNEL("k", ".local .align 8 .b8 buf[16]; .reg .b64 %x<4>;\n" PTX_BEGIN
                    "and.b32 %r6, %r2, 31; setp.ne.u32 %p1, %r6, 7; @%p1 bra DONE;\n"
                    "mov.u64 %x1, buf; cvta.local.u64 %x2, %x1; st.local.u32 [%x1], %r5; st.local.u32 [%x1+4], -5; "
                    "mov.u64 %x3, text; cvta.global.u64 %x3, %x3;\n"
                    "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %x3; st.param.b64 [b], %x2; "
                    "call.uni (c), vprintf, (a, b); ld.param.b32 %r7, [c]; }\n"
                    "st.global.u32 [%rd2], %r7;\n"
                    "DONE: ret;");
static uint64_t printf_lanes(uint64_t n)
{
    (void)n;
    unsigned printing = THREADS / 32;
    return THREADS * (9 + 2 + 1) + (THREADS - printing) + printing * (6 + 4 + 1);
}

static const char malloc_text[] =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" PTX_KERNEL(
        "k", PTX_BEGIN
        "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 16; call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }\n"
        "st.u32 [%rd5+4], %r5; ld.u32 %r6, [%rd5+4]; st.global.u32 [%rd2], %r6;\n"
        "{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }\n ret;");
static uint64_t malloc_lanes(uint64_t n)
{
    (void)n;
    return THREADS * (9 + 3 + 3 + 2 + 1);
}

/* Loads with a large stride, long divisions, special functions, 64-bit floats: every unit is busy and contended for. */
static const char units_text[] =
    PTX_KERNEL("k", PTX_BEGIN "cvt.rn.f32.u32 %f1, %r5; cvt.rn.f64.u32 %d1, %r5; mov.u32 %r6, 0;\n"
                              "LOOP: mul.lo.u32 %r7, %r5, 37; add.u32 %r7, %r7, %r1; and.b32 %r7, %r7, 511; "
                              "mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd1, %rd4;\n"
                              "ld.global.u32 %r8, [%rd4+2048]; add.u32 %r9, %r1, 3; div.u32 %r10, %r5, %r9; "
                              "sqrt.approx.f32 %f2, %f1; add.f64 %d1, %d1, 0d3FF0000000000000;\n"
                              "div.rn.f32 %f3, %f1, %f2; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, %r10; max.s32 %r6, "
                              "%r6, 7; add.f32 %f1, %f3, %f1;\n"
                              "shfl.sync.bfly.b32 %r11, %r6, 1, 0x1f, 0xffffffff; xor.b32 %r6, %r6, %r11; "
                              "vote.sync.ballot.b32 %r12, %p1, 0xffffffff;\n"
                              "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
                              "cvt.rzi.u32.f64 %r13, %d1; mov.b32 %r14, %f1; xor.b32 %r6, %r6, %r13; xor.b32 %r6, %r6, "
                              "%r14; st.global.u32 [%rd2], %r6; ret;");
static uint64_t units_lanes(uint64_t n)
{
    return THREADS * (9 + 3 + 20 * n + n - 1 + 6);
}

/* Sleeps, fences and volatile accesses. */
static const char waiting_text[] =
    PTX_KERNEL("k", PTX_BEGIN "LOOP: and.b32 %r6, %r2, 32; setp.eq.u32 %p2, %r6, 0; @%p2 nanosleep.u32 400; "
                              "st.volatile.global.u32 [%rd2], %r1; membar.gl;\n"
                              "ld.volatile.global.u32 %r7, [%rd2]; add.u32 %r8, %r8, %r7; ld.acquire.gpu.global.u32 "
                              "%r9, [%rd2]; add.u32 %r8, %r8, %r9; st.release.gpu.global.u32 [%rd2], %r8;\n"
                              "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; ret;");
static uint64_t waiting_one(unsigned tid, uint64_t n)
{
    return 9 + 11 * n + n * !(tid & 32) + n - 1 + 1;
}
static uint64_t waiting_lanes(uint64_t n)
{
    return over_threads(waiting_one, n);
}

static const struct kernel kernels[] = {
    {"alu", alu_text, 20, alu_lanes, false},
    {"divergent", divergent_text, 5, divergent_lanes, false},
    {"barrier", barrier_text, 6, barrier_lanes, false},
    {"shared", shared_text, 5, shared_lanes, false},
    {"atomics", atomics_text, 4, atomics_lanes, false},
    {"lock", lock_text, 1, NULL, false},
    {"local", local_text, 10, local_lanes, false},
    {"calls", calls_text, 1, calls_lanes, false},
    {"printf", printf_text, 1, printf_lanes, true},
    {"malloc", malloc_text, 1, malloc_lanes, false},
    {"units", units_text, 4, units_lanes, false},
    {"waiting", waiting_text, 3, waiting_lanes, false},
};
#define KERNELS (sizeof kernels / sizeof kernels[0])

static const struct {
    const char *machine, *settings;
} machines[] = {
    {"gtx480", "sm.scheduler=lrr gpu.sms=4"},
    {"gtx480", "sm.scheduler=gto sm.age_rotation=700 gpu.sms=5"},
    {"gtx480-sm2", "sm.scheduler=gto"},
    {"gtx1080ti", "gpu.sms=3 sm.scheduler=lrr"},
    {"gtx480-sm2", "sm.scheduler=lrr gpu.sms=3 sm.schedulers=1 sm.warps=24"},
    {"gtx480", "sm.scheduler=lrr sm.warp_size=64 gpu.sms=2 sm.schedulers=4 sm.threads=3072"},
    {"gtx480", "sm.scheduler=gto gpu.sms=2 sm.blocks=1 sm.id_oc_sp=1 sm.oc_ex_sp=1 sm.result_buses=1 "
               "sm.collectors_mem=1 l1d.mshr_entries=2 sm.l1d_queue=3 sm.fetch_width=1 sm.instruction_buffer=1 "
               "sm.ejection_queue=1 sm.response_queue=1"},
    {"gtx480", "sm.scheduler=gto sm.fence_l1=none sm.global_loads_use_l1=false sm.fence_waits_stores=false gpu.sms=4"},
    {"gtx480", "sm.scheduler=tls:active=3 gpu.sms=4 gpu.seed=1"},
    {"gtx1080ti", "sm.scheduler=cawa gpu.sms=3 gpu.seed=2 gpu.seed_cycles=0"},
    {"gtx480-sm2", "sm.scheduler=cawa:profile=artifact gpu.sms=5"},
    {"gtx480", "sm.scheduler=mwf+bows sm.fetch=cff sm.fetch_fills=true sm.instruction_buffer=4 gpu.sms=3"},
    {"gtx1080ti", "sm.scheduler=saws sm.fetch=fef sm.instruction_buffer=8 sm.fetch_width=3 gpu.sms=3"},
    {"gtx480", "sm.one_in_flight=true sm.divergence=its gpu.sms=3"},
    {"gtx1080ti", "sm.issue_interval=4 sm.scheduler=gto+bows gpu.sms=3"},
    {"gtx480",
     "sm.scheduler=lrr gpu.sms=4 sm.values_at_issue=true sm.volatile_bypasses_l1=false sm.fence_l1=none "
     "sm.fence_waits_stores=false sm.memory_in_order=false network.injection_flits=5 gpu.seed=3 gpu.seed_cycles=200"},
};
#define MACHINES (sizeof machines / sizeof machines[0])

struct outcome {
    uint32_t memory[WORDS];
    struct strbuf stats, output;
    struct gpu_result result;
};

static void run(const struct kernel *k, unsigned m, enum gpu_mode mode, unsigned threads, bool every_cycle,
                struct outcome *o)
{
    struct device d;
    struct shape shape = {.grid = GRID, .block = BLOCK, .mode = mode, .threads = threads, .every_cycle = every_cycle};
    device_open(&d, machines[m].machine, machines[m].settings);
    char *text = malloc(strlen(k->text) + sizeof PTX_HEAD);
    strcpy(stpcpy(text, PTX_HEAD), k->text);
    device_load(&d, text);
    free(text);
    uint64_t p = device_buffer(&d, WORDS * 4);
    uint64_t params[] = {p, k->n};
    if (device_try(&d, "k", shape, 2, params) != GPU_OK)
        fail_msg("%s on %s %s: %s", k->name, machines[m].machine, machines[m].settings, strbuf_text(&d.text));
    *o = (struct outcome){0};
    device_read(&d, o->memory, p, WORDS * 4);
    device_all_stats(&d.result, &o->stats);
    gpu_take_output(d.gpu, &o->output);
    /* Every SM accounts for every cycle of the launch, whether it had work or not. */
    if (mode == GPU_TIMING) {
        uint64_t sum = 0;
        unsigned count;
        const struct gpu_stat_set *sets = gpu_result_sets(&d.result, &count);
        for (unsigned i = 0; i < count; i++)
            for (unsigned s = 0; s < sets[i].group->count && !strcmp(sets[i].group->name, "stalls"); s++)
                sum += stat_value(&sets[i].group->stats[s], sets[i].values);
        assert_int_equal(sum, d.result.cycles * d.machine.gpu.sms * d.machine.sm.schedulers);
        assert_int_equal(device_stat(&d, "stalls", "issued") + device_stat(&d, "sm", "extra_issues"),
                         gpu_result_warp_instructions(&d.result));
        assert_int_equal(device_stat(&d, "sm", "blocks"), GRID);
    }
    if (k->lanes)
        assert_int_equal(gpu_result_thread_instructions(&d.result), k->lanes(k->n));
    assert_true(device_stat(&d, "sm", "lanes_active") >= gpu_result_thread_instructions(&d.result));
    device_close(&d);
}

static void outcome_free(struct outcome *o)
{
    strbuf_free(&o->stats);
    strbuf_free(&o->output);
}

/* Says which statistics differ. */
static bool same_stats(const struct kernel *k, unsigned m, const char *what, const struct outcome *a,
                       const struct outcome *b)
{
    if (!strcmp(strbuf_text(&a->stats), strbuf_text(&b->stats)))
        return true;
    char *save_a, *save_b, *one = strdup(strbuf_text(&a->stats)), *two = strdup(strbuf_text(&b->stats));
    char *x = strtok_r(one, "\n", &save_a), *y = strtok_r(two, "\n", &save_b);
    print_error("%s on %s %s: %s\n", k->name, machines[m].machine, machines[m].settings, what);
    for (; x && y; x = strtok_r(NULL, "\n", &save_a), y = strtok_r(NULL, "\n", &save_b))
        if (strcmp(x, y))
            print_error("  %s / %s\n", x, y);
    free(one);
    free(two);
    return false;
}

/* One run and the same in other ways: again, stepping every cycle, on several threads of the host. The thread sanitizer
 * sees one kernel a machine, on two or three threads. */
static void test_runs_repeat_whatever_skips_and_threads(void **state)
{
    static const struct {
        const char *what;
        unsigned threads;
        bool every_cycle;
    } ways[] = {{"two runs differ", 1, false},
                {"with and without skipping differ", 1, true},
                {"two threads differ from one", 2, false},
                {"three threads differ from one", 3, false},
                {"four threads without skipping differ from one", 4, true}};
    bool same = true;
    const unsigned kernels_step = THREAD_SANITIZED ? KERNELS : effort_steps(2, 8);
    const unsigned ways_step = THREAD_SANITIZED ? sizeof ways / sizeof *ways : effort_steps(3, 13);
    for (unsigned m = 0; m < MACHINES; m++) {
        for (unsigned i = m % kernels_step; i < KERNELS; i += kernels_step) {
            struct outcome first, other;
            run(&kernels[i], m, GPU_TIMING, 1, false, &first);
            for (unsigned w = THREAD_SANITIZED ? 2 + m % 2 : (m + i) % ways_step; w < sizeof ways / sizeof *ways;
                 w += ways_step) {
                run(&kernels[i], m, GPU_TIMING, ways[w].threads, ways[w].every_cycle, &other);
                same &= same_stats(&kernels[i], m, ways[w].what, &first, &other);
                assert_memory_equal(first.memory, other.memory, sizeof first.memory);
                assert_string_equal(strbuf_text(&first.output), strbuf_text(&other.output));
                outcome_free(&other);
            }
            outcome_free(&first);
        }
    }
    assert_true(same);
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a text, sorted: blocks print in any order. */
static char *sorted_lines(const char *text)
{
    char *lines[THREADS], *copy = strdup(text), *save;
    size_t count = 0;
    struct strbuf out = {0};
    for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
        lines[count++] = l;
    qsort(lines, count, sizeof lines[0], by_line);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&out, "%s\n", lines[i]);
    free(copy);
    return out.text ? out.text : strdup("");
}

static void test_modes_agree(void **state)
{
    for (unsigned m = 0; m < MACHINES; m++) {
        for (unsigned i = 0; i < KERNELS; i++) {
            struct outcome timing, functional;
            run(&kernels[i], m, GPU_TIMING, 1, false, &timing);
            run(&kernels[i], m, GPU_FUNCTIONAL, 1, false, &functional);
            if (memcmp(timing.memory, functional.memory, sizeof timing.memory))
                fail_msg("%s on %s %s: the modes end with different memory", kernels[i].name, machines[m].machine,
                         machines[m].settings);
            char *a = sorted_lines(strbuf_text(&timing.output)), *b = sorted_lines(strbuf_text(&functional.output));
            assert_string_equal(a, b);
            assert_int_equal(kernels[i].prints, a[0] != 0);
            free(a);
            free(b);
            outcome_free(&timing);
            outcome_free(&functional);
        }
    }
}

/* What the kernels compute, recomputed here, so that both modes cannot be wrong together. */
static void test_results_are_right(void **state)
{
    struct outcome o;
    run(&kernels[0], 0, GPU_TIMING, 1, false, &o);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t x = t;
        for (unsigned i = 0; i < 20; i++)
            x = (x * 1664525u + 1013904223u) ^ t;
        assert_int_equal(o.memory[t], x);
    }
    outcome_free(&o);
    run(&kernels[4], 0, GPU_TIMING, 1, false, &o);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(o.memory[512 + i], THREADS / 16 * (4 + 3 + 2 + 1));
    assert_int_equal(o.memory[768], THREADS - 1);
    outcome_free(&o);
    run(&kernels[5], 0, GPU_TIMING, 1, false, &o);
    assert_int_equal(o.memory[512], 0);
    assert_int_equal(o.memory[513], 3 * THREADS / 4);
    outcome_free(&o);
    run(&kernels[7], 0, GPU_TIMING, 1, false, &o);
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8};
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(o.memory[t], fib[t % BLOCK % 6 + 1]);
    outcome_free(&o);
}

/* Cycles of a launch that ends badly are accounted for as well. */
static void test_stopped_launches_add_up(void **state)
{
    struct device d;
    device_open(&d, "gtx480", NULL);
    char text[4096];
    snprintf(text, sizeof text, "%s%s", PTX_HEAD, alu_text);
    device_load(&d, text);
    uint64_t params[] = {device_buffer(&d, WORDS * 4), 1000};
    for (uint64_t limit = 1; limit < 3000; limit = limit * 3 + 1) {
        assert_int_equal(
            device_try(&d, "k", (struct shape){.grid = GRID, .block = BLOCK, .max_cycles = limit}, 2, params),
            GPU_LIMIT);
        assert_int_equal(d.result.cycles, limit);
        uint64_t sum = 0;
        static const char *const names[] = {
#define STALL(name, doc) #name,
#include "core/stalls.def"
#undef STALL
        };
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
            sum += device_stat(&d, "stalls", names[i]);
        assert_int_equal(sum, limit * 15 * 2);
    }
    /* And the device works on. */
    device_run(&d, "k", (struct shape){.grid = GRID, .block = BLOCK}, params[0], 3);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_right),
        cmocka_unit_test(test_runs_repeat_whatever_skips_and_threads),
        cmocka_unit_test(test_modes_agree),
        cmocka_unit_test(test_stopped_launches_add_up),
    };
    const struct CMUnitTest threads[] = {cmocka_unit_test(test_runs_repeat_whatever_skips_and_threads)};
    return THREAD_SANITIZED ? cmocka_run_group_tests(threads, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
