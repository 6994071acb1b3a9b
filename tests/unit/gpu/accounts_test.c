/* Where warps spend their cycles, and phases of blocks: kernels that were written to wait for one thing wait for that;
 * phases are what their definition says of them, computed anew from the log. That causes add up is checked in every
 * launch (gpu_check_accounts). */
#include "gpu_support.h"

#include "gpu/gpu_impl.h"

struct waiting {
    const char *cause; /* at which warps stand for most of their time, their ends apart */
    unsigned threads;
    const char *body;
};

#define LOOP(what) "BACK: " what what what what " sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra BACK;"
static const struct waiting kernels[] = {
    {"data_memory", 128, LOOP("ld.volatile.global.u32 %r6, [%rd2]; add.u32 %r7, %r6, %r7;")},
    {"data_shared", 128, LOOP("ld.shared.u32 %r20, [%r20];")},
    {"data_arithmetic", 128, LOOP("div.rn.f64 %d2, %d2, %d1;")},
    {"atomic", 128, LOOP("atom.global.add.u32 %r6, [%rd1+2048], 1;")},
    {"fence", 128, LOOP("st.global.u32 [%rd2], %r5; membar.gl;")},
    {"sleep", 128, LOOP("nanosleep.u32 2000;")},
    {"structural_sfu", 1024,
     LOOP("sin.approx.f32 %f3, %f4; sin.approx.f32 %f5, %f4; sin.approx.f32 %f6, %f4; sin.approx.f32 %f7, %f4;")},
    /* Warp 0 lets the others wait. */
    {"barrier", 128, "setp.gt.u32 %p2, %r2, 31; @%p2 bra WAIT; nanosleep.u32 20000; WAIT: bar.sync 0;"},
    {"control", 32,
     "BACK: bra L1; mov.u32 %r6, 0; L1: bra L2; mov.u32 %r6, 0; L2: bra L3; mov.u32 %r6, 0; L3: bra L4; mov.u32 %r6, "
     "0; L4: bra L5; mov.u32 %r6, 0; L5: bra L6; mov.u32 %r6, 0; L6: bra L7; mov.u32 %r6, 0; L7: bra L8; mov.u32 %r6, "
     "0; L8: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra BACK;"},
};

static void run_one(struct device *d, const char *body, struct shape shape)
{
    char text[8192];
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 p, .param .u64 n)\n{\n.shared .align 4 .b8 s[512];\n%s%s%s ret;\n}\n",
             PTX_HEAD, PTX_REGS, PTX_BEGIN "mov.u32 %r20, s; mov.f64 %d1, 0d3FF0000000000000; mov.f64 %d2, %d1;\n",
             body);
    device_load(d, text);
    device_run(d, "k", shape, device_buffer(d, 8192), 100);
}

/* The cause at which warps stood most, but for the end of their blocks and the way there. */
static const char *main_cause(const struct device *d)
{
    const char *found = NULL;
    uint64_t most = 0;
    for (unsigned i = 0; i < warp_cause_group.count; i++) {
        const char *name = warp_cause_group.stats[i].name;
        uint64_t cycles = device_stat(d, "warps", name);
        if (cycles <= most || !strcmp(name, "exit") || !strcmp(name, "fetch"))
            continue;
        most = cycles;
        found = name;
    }
    return found;
}

static void test_causes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=1");
        run_one(&d, kernels[i].body, (struct shape){.grid = 1, .block = kernels[i].threads});
        if (strcmp(main_cause(&d), kernels[i].cause) != 0)
            fail_msg("warps that should wait for %s: %s, %llu of %llu warp-cycles", kernels[i].cause, main_cause(&d),
                     (unsigned long long)device_stat(&d, "warps", main_cause(&d)),
                     (unsigned long long)device_stat(&d, "sm", "warp_cycles"));
        assert_int_equal(device_stat(&d, "warps", "issued"), device_stat(&d, "sm", "warp_instructions"));
        device_close(&d);
    }
}

/* Warps of different speed, of which some end early, with barriers of the block and of half of it; and what is to hold
 * of the phases: how many, of how many warps. */
static const struct {
    const char *body;
    unsigned threads, phases, warps;
} blocks[] = {
    {"", 128, 1, 4},
    {"bar.sync 0; bar.sync 0;", 128, 3, 12},
    {"LOOP: sub.u32 %r2, %r2, 1; setp.gt.s32 %p1, %r2, 0; @%p1 bra LOOP; bar.sync 0; nanosleep.u32 100;", 128, 2, 8},
    /* The last warp ends in the first phase, as the one that the barrier waited for. */
    {"setp.gt.u32 %p1, %r2, 95; @%p1 bra LATE; bar.sync 0; bra OUT; LATE: nanosleep.u32 3000; OUT:", 128, 2, 7},
    /* Each half of the block has a barrier of its own: a phase each, and the one of their ends. */
    {"setp.gt.u32 %p1, %r2, 63; @%p1 bra HALF; bar.sync 1, 64; bra OUT; HALF: nanosleep.u32 500; bar.sync 2, 64; OUT:",
     128, 3, 8},
    {"bar.arrive 3, 256; bar.sync 0;", 128, 2, 8},
};

struct sums {
    uint64_t count, warps, whole, lost, ppm, worst;
};

/* The definition, of one phase of one block. rows: its warps. */
static void add_phase(struct sums *sums, const struct watch_phase_row *rows, size_t count)
{
    uint64_t most = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].start <= rows[i].arrival && rows[i].arrival <= rows[i].release);
        uint64_t took = rows[i].arrival - rows[i].start;
        most = took > most ? took : most;
    }
    for (size_t i = 0; i < count; i++)
        lost += most - (rows[i].arrival - rows[i].start);
    uint64_t ppm = most ? lost * 1000000 / (most * count) : 0;
    sums->count++;
    sums->warps += count;
    sums->whole += most * count;
    sums->lost += lost;
    sums->ppm += ppm;
    sums->worst = ppm > sums->worst ? ppm : sums->worst;
}

/* Reads the CSV of a launch on one SM, whose rows of one phase stand together. */
static struct sums sums_of(const char *text)
{
    struct sums sums = {0};
    struct watch_phase_row rows[64];
    size_t count = 0;
    unsigned before = 0, block_before = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        struct watch_phase_row r = {0};
        unsigned sm;
        unsigned long long start, arrival, release;
        assert_int_equal(sscanf(line, "0,k,%u,%u,%u,%u,%u,%u,%llu,%llu,%llu", &sm, &r.block[0], &r.block[1],
                                &r.block[2], &r.phase, &r.warp, &start, &arrival, &release),
                         9);
        r.start = start, r.arrival = arrival, r.release = release;
        if (count && (r.phase != before || r.block[0] != block_before)) {
            add_phase(&sums, rows, count);
            count = 0;
        }
        before = r.phase, block_before = r.block[0];
        rows[count++] = r;
    }
    if (count)
        add_phase(&sums, rows, count);
    return sums;
}

static void run_logged(struct device *d, const char *body, unsigned threads, struct strbuf *log)
{
    char text[4096];
    uint64_t params[2] = {0};
    snprintf(text, sizeof text, "%s%s",
             PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN, body);
    strcat(text, " ret;\n}\n");
    device_load(d, text);
    struct gpu_launch launch = {.module = d->module,
                                .kernel = gpu_kernel(d->module, "k"),
                                .grid = {3, 1, 1},
                                .block = {threads, 1, 1},
                                .params = params,
                                .phases = log};
    gpu_launch(d->gpu, &launch, &d->result, &d->sink);
    assert_int_equal(d->result.status, GPU_OK);
}

static void test_phases(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct device d;
        struct strbuf log = {0};
        device_open(&d, "gtx480", "gpu.sms=1");
        run_logged(&d, blocks[i].body, blocks[i].threads, &log);
        struct sums sums = sums_of(strbuf_text(&log));
        if (sums.count != 3 * blocks[i].phases || sums.warps != 3 * blocks[i].warps)
            fail_msg("blocks of row %u: %llu phases of %llu warps\n%s", i, (unsigned long long)sums.count,
                     (unsigned long long)sums.warps, strbuf_text(&log));
        assert_int_equal(device_stat(&d, "phases", "count"), sums.count);
        assert_int_equal(device_stat(&d, "phases", "warps"), sums.warps);
        assert_int_equal(device_stat(&d, "phases", "warp_cycles"), sums.whole);
        assert_int_equal(device_stat(&d, "phases", "lost"), sums.lost);
        assert_int_equal(device_stat(&d, "phases", "rtru_ppm"), sums.ppm);
        assert_int_equal(device_stat(&d, "phases", "worst_ppm"), sums.worst);
        strbuf_free(&log);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_causes), cmocka_unit_test(test_phases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
