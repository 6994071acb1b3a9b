/* The memory model where the warps of a block take part together: what one warp did is ordered, by a barrier or by
 * another synchronisation within the block, before the fence or release of a second warp, and what a warp acquired
 * before what the other warps of its block read. PTX ISA, "Memory Consistency Model", causality order.
 *
 * Block 0 is the source: its warp 0 accesses x, its warp 1 releases y. Block 1 is the observer: its warp 0 acquires y,
 * its warp 1 accesses x. Both pairs of warps are joined in the same way, or the two warps 0 do all of it alone. Block 2
 * keeps the slice of x busy. Warp 0 of the source first sends many loads that miss, so that its access to x is refused
 * for a while and can be overtaken. */
#include "gpu_support.h"

/* How warp 0 of a block hands over to warp 1: the PTX of each. SF is a word of shared memory, GF one of global memory.
 */
static const struct join {
    const char *first, *second;
} joins[] = {
    {"bar.sync 0;", "bar.sync 0;"},
    {"barrier.sync 3, 64;", "barrier.sync 3, 64;"},
    {"bar.arrive 1, 64;", "bar.sync 1, 64;"},
    {"bar.red.popc.u32 %r20, 0, %p6;", "bar.red.popc.u32 %r20, 0, %p6;"},
    {"membar.cta; st.volatile.shared.u32 [SF], 1;", "SPIN(ld.volatile.shared.u32, SF) membar.cta;"},
    {"st.release.cta.shared.u32 [SF], 1;", "SPIN(ld.acquire.cta.shared.u32, SF)"},
    {"fence.acq_rel.cta; atom.relaxed.cta.shared.add.u32 %r20, [SF], 1;",
     "SPIN(ld.relaxed.cta.shared.u32, SF) fence.acq_rel.cta;"},
    {"red.release.cta.global.add.u32 [GF], 1;", "SPIN(ld.acquire.cta.global.u32, GF)"},
    {"membar.cta; st.volatile.global.u32 [GF], 1;", "SPIN(ld.volatile.global.u32, GF) membar.cta;"},
    {"st.release.gpu.global.u32 [GF], 1;", "SPIN(ld.acquire.gpu.global.u32, GF)"},
    {"", "bar.sync 0;"}, /* warp 0 ends, which opens the barrier */
};
#define JOINS (sizeof joins / sizeof joins[0])

static const char *const releases[] = {
    "membar.gl; st.volatile.global.u32 [Y], 1;",
    "membar.gl; atom.global.exch.b32 %r20, [Y], 1;",
    "membar.sys; red.global.add.u32 [Y], 1;",
    "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [Y], 1;",
    "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;",
    "st.release.gpu.global.u32 [Y], 1;",
    "red.release.gpu.global.add.u32 [Y], 1;",
    "atom.acq_rel.gpu.global.exch.b32 %r20, [Y], 1;",
    "atom.release.sys.global.cas.b32 %r20, [Y], 0, 1;",
};
#define RELEASES (sizeof releases / sizeof releases[0])

#define MEMBAR_ACQUIRE "SPIN(ld.volatile.global.u32, Y) membar.gl;"
static const char *const acquires[] = {
    "SPIN(ld.acquire.gpu.global.u32, Y)",
    MEMBAR_ACQUIRE,
    "SPIN(ld.relaxed.gpu.global.u32, Y) fence.acq_rel.gpu;",
    "atom.acq_rel.gpu.global.exch.b32 %r20, [Y+4], 7; SPIN(ld.acquire.sys.u32, Y)",
};
#define ACQUIRES (sizeof acquires / sizeof acquires[0])

/* Warp 0 of the source and warp 1 of the observer do this with x; the result of the one that reads is %r11. */
static const struct accesses {
    const char *name, *source, *observer;
    bool source_reads;
    uint32_t forbidden;
} accesses[] = {
    {"message passing", "st.global.u32 [X], 1;", "ld.global.u32 %r11, [X];", false, 0},
    {"message passing, relaxed", "st.relaxed.gpu.global.u32 [X], 1;", "ld.relaxed.gpu.global.u32 %r11, [X];", false, 0},
    {"load buffering", "ld.relaxed.gpu.global.u32 %r11, [X];", "st.global.u32 [X], 1;", true, 1},
    {"load buffering, plain", "ld.global.u32 %r11, [X];", "st.global.u32 [X], 1;", true, 1},
    {"own value", "", "ld.global.u32 %r11, [X];", false, 0},
    {"own value, past the L1D", "", "ld.volatile.global.u32 %r11, [X];", false, 0},
};
#define ACCESSES 4 /* that every test goes through */

/* Offsets in the buffer. Lines that are a multiple of 3072 bytes (12 slices of 256) apart belong to one slice on the
 * GTX 480; y lies in another one. */
enum { SAME_SLICE = 3072, Y = 256, GFLAGS = 1100, RESULT = 1280, BYTES = 1024 * SAME_SLICE };

/* Adds PTX, in which X, Y, SF and GF name locations and SPIN(load, F) waits until F is not 0. */
static void add_code(struct strbuf *out, const char *code, unsigned *label)
{
    while (*code) {
        char load[64], flag[8];
        int used = 0;
        if (sscanf(code, "SPIN(%63[^,], %7[A-Z])%n", load, flag, &used) == 2 && used) {
            char loop[160];
            snprintf(loop, sizeof loop, "L%u: %s %%r10, [%s]; setp.eq.u32 %%p7, %%r10, 0; @%%p7 bra L%u;", *label, load,
                     flag, *label);
            ++*label;
            add_code(out, loop, label);
            code += used;
            continue;
        }
        static const struct {
            const char *name, *text;
        } places[] = {{"[X", "[%rd8"}, {"[Y", "[%rd9"}, {"[SF", "[flag"}, {"[GF", "[%rd10"}};
        unsigned i = 0;
        while (i < 4 && strncmp(code, places[i].name, strlen(places[i].name)) != 0)
            i++;
        if (i < 4)
            strbuf_add(out, places[i].text);
        else
            strbuf_addn(out, code, 1);
        code += i < 4 ? strlen(places[i].name) : 1;
    }
    strbuf_add(out, "\n");
}

/* So many loads of lines of the slice of x that nobody has, whose values nobody waits for: what comes behind them is
 * refused, or waits at the slice. first: number of the first line for lane 0. */
static void add_misses(struct strbuf *out, unsigned count, unsigned first)
{
    strbuf_addf(out, "mul.wide.u32 %%rd11, %%r8, %d; add.u64 %%rd11, %%rd11, %%rd1;\n", SAME_SLICE);
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(out, "ld.global.u32 %%r%u, [%%rd11+%u];\n", 21 + i, (first + i * 32) * SAME_SLICE);
}

/* A test: the source's warp 0 hands over to its warp 1, which releases; `join` NULL: it releases itself, and the
 * observer's warp 0 looks itself. */
struct litmus {
    const struct join *join;
    const char *release, *acquire;
    const struct accesses *accesses;
};

static void add_source(struct strbuf *out, const struct litmus *l, unsigned *label)
{
    strbuf_add(out, "DELAY: setp.eq.u32 %p1, %r1, 0; add.u32 %r1, %r1, -1; @!%p1 bra DELAY;\n");
    if (l->join)
        add_misses(out, 8, 16);
    add_code(out, l->accesses->source, label);
    add_code(out, l->join ? l->join->first : l->release, label);
    strbuf_add(out, l->accesses->source_reads ? "bra OUT;\nRELAY:\n" : "bra END;\nRELAY:\n");
    if (l->join) {
        add_code(out, l->join->second, label);
        add_code(out, l->release, label);
    } else {
        add_misses(out, 8, 16);
    }
    strbuf_add(out, "bra END;\n");
}

static void add_observer(struct strbuf *out, const struct litmus *l, unsigned *label)
{
    strbuf_add(out, "OBSERVER: setp.eq.u32 %p1, %r6, 1; @%p1 bra LAST;\n");
    add_code(out, l->acquire, label);
    if (l->join) {
        add_code(out, l->join->first, label);
        strbuf_add(out, "bra END;\nLAST:\n");
        add_code(out, l->join->second, label);
    }
    add_code(out, l->accesses->observer, label);
    strbuf_add(out, l->accesses->source_reads ? "bra END;\n" : "bra OUT;\n");
    strbuf_add(out, l->join ? "" : "LAST: bra END;\n");
}

static void add_kernel(struct strbuf *out, const struct litmus *l)
{
    unsigned label = 0;
    strbuf_add(out, PTX_HEAD
               ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n.shared .align 4 .b32 flag;\n" PTX_REGS PTX_BEGIN);
    strbuf_addf(out,
                "mov.u64 %%rd8, %%rd1; add.u64 %%rd9, %%rd1, %d; mul.wide.u32 %%rd10, %%r3, 4; add.u64 %%rd10, %%rd1, "
                "%%rd10; add.u64 %%rd10, %%rd10, %d; mov.u32 %%r11, 7; setp.eq.u32 %%p6, %%r2, 0;\n",
                Y, GFLAGS);
    /* Everybody's L1 has the lines of x and y. */
    strbuf_add(out, "shr.u32 %r6, %r2, 5; and.b32 %r8, %r2, 31; setp.eq.u32 %p5, %r8, 0;\n"
                    "setp.eq.u32 %p1, %r3, 2; @%p1 bra NOISE; ld.global.u32 %r9, [%rd8]; ld.global.u32 %r20, [%rd9];\n"
                    "add.u32 %r9, %r9, %r20; setp.eq.u32 %p1, %r3, 1; @%p1 bra OBSERVER; setp.eq.u32 %p1, %r6, 1; @%p1 "
                    "bra RELAY;\n");
    add_source(out, l, &label);
    add_observer(out, l, &label);
    strbuf_addf(out, "OUT: @%%p5 st.global.u32 [%%rd1+%d], %%r11;\nEND: ret;\n", RESULT);
    strbuf_add(out,
               "NOISE: mov.u32 %r20, 0;\nMORE: red.global.add.u32 [%rd8+64], 1; add.u32 %r20, %r20, 1; setp.lt.u32 "
               "%p1, %r20, 8; @%p1 bra MORE; mad.lo.u32 %r8, %r3, 256, %r8;\n");
    add_misses(out, 8, 16);
    strbuf_add(out, "ret;\n}\n");
}

#define RUNS 3

/* In how many of RUNS runs the forbidden outcome is seen; a run that does not end within 200,000 cycles counts. */
static unsigned forbidden_outcomes(const char *machine, const char *settings, const struct litmus *l)
{
    struct device d;
    struct strbuf text = {0};
    unsigned bad = 0;
    device_open(&d, machine, settings);
    add_kernel(&text, l);
    device_load(&d, strbuf_text(&text));
    uint64_t p = device_buffer(&d, BYTES);
    for (unsigned run = 0; run < RUNS; run++) {
        assert_int_equal(gpu_fill(d.gpu, p, 0, 4096, &d.sink), 0);
        uint64_t params[] = {p, run * 13};
        struct shape shape = {.grid = 3, .block = 64, .max_cycles = 200000};
        bool ended = device_try(&d, "k", shape, 2, params) == GPU_OK;
        bad += !ended || device_word(&d, p + RESULT) != !l->accesses->forbidden;
        if (!ended)
            break; /* the device cannot be used again */
    }
    device_close(&d);
    strbuf_free(&text);
    return bad;
}

static void expect_none(const char *machine, const char *settings, const struct litmus *l)
{
    unsigned bad = forbidden_outcomes(machine, settings, l);
    if (bad)
        fail_msg("%s %s, %s: forbidden outcome in %u of %u runs: \"%s\" / \"%s\", then \"%s\", seen by \"%s\"", machine,
                 settings, l->accesses->name, bad, RUNS, l->join ? l->join->first : "", l->join ? l->join->second : "",
                 l->release, l->acquire);
}

/* Every join with every release, each with so many of the accesses; those and acquires take turns. */
static void expect_none_anywhere(const char *machine, const char *settings, unsigned turns)
{
    unsigned step = effort_steps(3, 38);
    for (unsigned j = 0; j < JOINS; j++)
        for (unsigned r = j % step; r < RELEASES; r += step)
            for (unsigned k = 0; k < turns; k++) {
                struct litmus l = {&joins[j], releases[r], acquires[(j + r + k) % ACQUIRES],
                                   &accesses[(j + r + 2 * k) % ACCESSES]};
                expect_none(machine, settings, &l);
            }
}

static void test_gtx480(void **state)
{
    expect_none_anywhere("gtx480", "gpu.sms=3", 1);
}

static void test_gtx480_sm2(void **state)
{
    expect_none_anywhere("gtx480-sm2", "gpu.sms=3", 1);
}

static void test_gtx1080ti(void **state)
{
    expect_none_anywhere("gtx1080ti", "gpu.sms=3", 1);
}

/* A machine on which accesses are refused at every turn. */
#define NARROW "gpu.sms=3 sm.l1d_latency=200 l1d.mshr_entries=2 l1d.mshr_merges=2 sm.l1d_queue=3"

static void test_narrow(void **state)
{
    expect_none_anywhere("gtx480", NARROW, 2);
    expect_none_anywhere("gtx480", NARROW " sm.memory_in_order=false", 1);
}

/* The mechanisms that hold the model up: without the mechanism that `setting` switches off, the forbidden outcome is
 * seen; with it, never. By itself (join NULL) and together with barriers. */
static const struct {
    const char *setting;
    struct litmus litmus;
} mechanisms[] = {
    {"sm.fence_waits_stores=false",
     {NULL, "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false", {NULL, "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {NULL, "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[0], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[0], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[0], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[4], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[4], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_waits_stores=false",
     {&joins[4], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[0], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[0], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[0], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[2], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[2], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[2], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[3], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[3], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[3], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[4], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[4], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[4], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[5], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[5], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[5], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[7], "membar.gl; atom.global.exch.b32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[7], "red.release.gpu.global.add.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_is_cumulative=false",
     {&joins[7], "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 %r20, [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_l1=none", {NULL, "membar.gl; st.volatile.global.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.fence_l1=none", {&joins[0], "membar.gl; st.volatile.global.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.volatile_bypasses_l1=false",
     {NULL, "membar.gl; st.volatile.global.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    {"sm.volatile_bypasses_l1=false",
     {&joins[0], "membar.gl; st.volatile.global.u32 [Y], 1;", MEMBAR_ACQUIRE, &accesses[0]}},
    /* The observer's own store to x, on its way to the L1D, and a load that goes past it. */
    {"sm.memory_in_order=false",
     {NULL, "membar.gl; st.volatile.global.u32 [Y], 1;", "st.global.u32 [X], 1;", &accesses[5]}},
    {"sm.memory_in_order=false",
     {&joins[0], "membar.gl; st.volatile.global.u32 [Y], 1;", "st.global.u32 [X], 1;", &accesses[5]}},
    {"sm.memory_in_order=false",
     {&joins[5], "membar.gl; st.volatile.global.u32 [Y], 1;", "st.global.u32 [X], 1;", &accesses[5]}},
    /* The observer's own atomic on the line of x, which its L1 has. */
    {"sm.atomic_drops_line=false",
     {NULL, "membar.gl; st.volatile.global.u32 [Y], 1;", "atom.global.exch.b32 %r20, [X], 1;", &accesses[4]}},
    {"sm.atomic_drops_line=false",
     {&joins[0], "membar.gl; st.volatile.global.u32 [Y], 1;", "atom.global.exch.b32 %r20, [X], 1;", &accesses[4]}},
    {"sm.atomic_drops_line=false",
     {&joins[4], "membar.gl; st.volatile.global.u32 [Y], 1;", "red.global.max.u32 [X], 1;", &accesses[4]}},
};

static void test_mechanisms(void **state)
{
    for (unsigned i = 0; i < sizeof mechanisms / sizeof mechanisms[0]; i += effort_step(10)) {
        char without[256];
        const struct litmus *l = &mechanisms[i].litmus;
        expect_none("gtx480", NARROW, l);
        snprintf(without, sizeof without, NARROW " %s", mechanisms[i].setting);
        if (!forbidden_outcomes("gtx480", without, l))
            fail_msg("%s: nothing is seen of it: \"%s\" / \"%s\", then \"%s\", seen by \"%s\"", mechanisms[i].setting,
                     l->join ? l->join->first : "", l->join ? l->join->second : "", l->release, l->acquire);
    }
}

/* Releases and acquires between other accesses end on every machine, also where memory instructions leave the operand
 * collectors in another order than that of their issue. Lanes lie 256 bytes apart, so that every one is a transaction.
 */
static void test_releases_end(void **state)
{
    static const char *const machines[][2] = {{"gtx480", "sm.memory_in_order=false"},
                                              {"gtx480-sm2", "sm.memory_in_order=false"},
                                              {"gtx1080ti", "sm.memory_in_order=false"},
                                              {"gtx480", "sm.memory_in_order=false sm.collectors_mem=8 sm.oc_ex_mem=4"},
                                              {"gtx480", NARROW}};
    struct strbuf text = {0};
    strbuf_add(&text,
               PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
                        "mul.wide.u32 %rd4, %r5, 256; add.u64 %rd4, %rd1, %rd4; shr.u32 %r6, %r2, 5; and.b32 %r6, "
                        "%r6, 1; setp.eq.u32 %p1, %r6, 1; mov.u32 %r7, 0; @%p1 bra SECOND;\n"
                        "FIRST: ld.global.u32 %r8, [%rd4]; ld.global.u32 %r9, [%rd4+64]; st.global.u32 [%rd4], %r7; "
                        "st.release.gpu.global.u32 [%rd4+128], %r7;\n"
                        "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; @%p1 bra FIRST; ret;\n"
                        "SECOND: ld.global.u32 %r8, [%rd4]; ld.global.u32 %r9, [%rd4+64]; "
                        "ld.acquire.gpu.global.u32 %r10, [%rd4+128]; ld.global.u32 %r11, [%rd4+192];\n"
                        "atom.release.gpu.global.add.u32 %r12, [%rd4+128], 1;\n"
                        "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; @%p1 bra SECOND; ret;\n}\n");
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct device d;
        device_open(&d, machines[i][0], machines[i][1]);
        device_load(&d, strbuf_text(&text));
        uint64_t p = device_buffer(&d, 12 * 128 * 256);
        for (unsigned every = 0; every < 2; every++)
            device_run(&d, "k", (struct shape){.grid = 12, .block = 128, .every_cycle = every}, p, 0);
        device_close(&d);
    }
    strbuf_free(&text);
}

/* A lane counts at the scope of its block, while all other warps of the SM acquire again and again at a wider scope:
 * the drops of its L1 do not keep the counter's line from it for ever. */
static const char counting[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "shr.u32 %r3, %r2, 5; and.b32 %r4, %r2, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT;\n"
                   "setp.ne.u32 %p2, %r4, 0; @%p2 bra OVER; mov.u32 %r10, 0;\n"
                   "COUNT: atom.relaxed.cta.global.add.u32 %r6, [%rd1+1024], 1; add.u32 %r10, %r10, 1;\n"
                   "setp.lt.u32 %p3, %r10, 20; @%p3 bra COUNT; st.release.gpu.global.u32 [%rd1], 1; bra OVER;\n"
                   "WAIT: ld.acquire.gpu.global.u32 %r7, [%rd1]; setp.eq.u32 %p4, %r7, 0; @%p4 bra WAIT;\n"
                   "OVER: ret;\n");

static void test_acquires_hold_up_nobody(void **state)
{
    static const char *const protocols[] = {"gpu",  "bypass",      "vi",  "rsp",  "denovo-b", "denovo-b-eager",
                                            "hlrc", "hlrc-scoped", "msi", "lease"};
    for (unsigned i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        struct device d;
        char settings[80];
        snprintf(settings, sizeof settings, "gpu.sms=1 coherence.protocol=%s", protocols[i]);
        device_open(&d, "gtx480", settings);
        device_load(&d, counting);
        uint64_t params[] = {device_buffer(&d, 2048), 0};
        struct shape shape = {.grid = 1, .block = 1024, .max_cycles = 50000};
        if (device_try(&d, "k", shape, 2, params) != GPU_OK)
            fail_msg("%s: the counter's line does not come", protocols[i]);
        assert_int_equal(device_word(&d, params[0] + 1024), 20);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gtx480),
        cmocka_unit_test(test_gtx480_sm2),
        cmocka_unit_test(test_gtx1080ti),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_releases_end),
        cmocka_unit_test(test_acquires_hold_up_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
