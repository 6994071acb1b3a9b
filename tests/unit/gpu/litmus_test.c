/* The memory model on the timing machine: litmus tests whose threads run on different SMs (or as two warps of one
 * block), started together and then delayed by every combination of skews, with x and y in one line, in two lines of
 * one slice, and in two slices, while another block keeps the slice of x busy with atomics. Forbidden outcomes must
 * never be seen; where a test exists to show that the machine is weak, the outcome must be seen. All of it once more
 * with a seed, whose delays take requests of one SM to different slices out of step. PTX ISA, "Memory Consistency
 * Model". */
#include "gpu_support.h"

#define THREADS 4
#define SETTINGS "gpu.sms=5 "

/* Results: r[thread][0..1]. */
typedef bool (*outcome_fn)(uint32_t (*r)[2]);

struct litmus {
    const char *name;
    const char *thread[THREADS];  /* PTX: x is [%rd8], y is [%rd9], results %r10 and %r11 */
    outcome_fn forbidden, wanted; /* wanted: must be seen at least once */
    const char *settings;
    bool same_block;
};

static bool r01_10(uint32_t (*r)[2])
{
    return r[1][0] == 1 && r[1][1] == 0;
}
static bool stale(uint32_t (*r)[2])
{
    return r[1][1] == 0;
}
static bool both_zero(uint32_t (*r)[2])
{
    return !r[0][0] && !r[1][0];
}
static bool both_one(uint32_t (*r)[2])
{
    return r[0][0] && r[1][0];
}
static bool iriw(uint32_t (*r)[2])
{
    return r[2][0] == 1 && r[2][1] == 0 && r[3][0] == 1 && r[3][1] == 0;
}
static bool wrc(uint32_t (*r)[2])
{
    return r[1][0] == 1 && r[2][0] == 1 && r[2][1] == 0;
}
static bool third_stale(uint32_t (*r)[2])
{
    return r[2][0] == 1 && r[2][1] == 0;
}
static bool both_take(uint32_t (*r)[2])
{
    return r[0][0] == 0 && third_stale(r);
}
static bool third_stale_later(uint32_t (*r)[2])
{
    return r[2][0] != 0 && r[2][1] == 0;
}
static bool not_own(uint32_t (*r)[2])
{
    return r[0][0] == 0 || r[1][0] == 0;
}

/* Waits for y, then reads x: r0 is always 1. */
#define SPIN(load) "W%=: " load " %r10, [%rd9]; setp.eq.u32 %p7, %r10, 0; @%p7 bra W%=; "
#define ST_X "st.global.u32 [%rd8], 1; "
#define LD_X "ld.global.u32 %r11, [%rd8]; "
#define RELAXED_ST(a) "st.relaxed.gpu.global.u32 [" a "], 1; "
#define RELAXED_LD(r, a) "ld.relaxed.gpu.global.u32 " r ", [" a "]; "

static const struct litmus litmus_tests[] = {
    {"MP membar",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", "ld.volatile.global.u32 %r10, [%rd9]; membar.gl; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP membar, spinning",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") "membar.gl; " LD_X},
     stale,
     NULL,
     "",
     false},
    {"MP fence.acq_rel",
     {ST_X "fence.acq_rel.gpu; " RELAXED_ST("%rd9"), RELAXED_LD("%r10", "%rd9") "fence.acq_rel.gpu; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP release acquire",
     {ST_X "st.release.gpu.global.u32 [%rd9], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd9]; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP release acquire, spinning",
     {ST_X "st.release.gpu.global.u32 [%rd9], 1;", SPIN("ld.acquire.gpu.global.u32") LD_X},
     stale,
     NULL,
     "",
     false},
    {"MP release acquire at system scope, generic",
     {"st.u32 [%rd8], 1; st.release.sys.u32 [%rd9], 1;", SPIN("ld.acquire.sys.u32") "ld.u32 %r11, [%rd8];"},
     stale,
     NULL,
     "",
     false},
    {"MP atomics acq_rel",
     {ST_X "atom.acq_rel.gpu.global.exch.b32 %r12, [%rd9], 1;",
      "atom.acq_rel.gpu.global.add.u32 %r10, [%rd9], 0; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP atomics, spinning",
     {ST_X "red.release.gpu.global.add.u32 [%rd9], 1;", SPIN("atom.acquire.gpu.global.or.b32") LD_X},
     stale,
     NULL,
     "",
     false},
    {"MP remote release acquire, spinning",
     {ST_X "lockstep.st.release.remote.global.u32 [%rd9], 1;", SPIN("lockstep.ld.acquire.remote.global.u32") LD_X},
     stale,
     NULL,
     "",
     false},
    {"MP remote atomics acq_rel",
     {ST_X "lockstep.atom.acq_rel.remote.exch.b32 %r12, [%rd9], 1;",
      "lockstep.atom.acq_rel.remote.add.u32 %r10, [%rd9], 0; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP remote release, acquire at device scope",
     {ST_X "lockstep.red.release.remote.add.u32 [%rd9], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd9]; " LD_X},
     r01_10,
     NULL,
     "",
     false},
    {"MP relaxed atomics and fences, spinning",
     {ST_X "membar.gl; atom.global.exch.b32 %r12, [%rd9], 1;", SPIN("ld.volatile.global.u32") "membar.gl; " LD_X},
     stale,
     NULL,
     "",
     false},
    {"MP in a block",
     {ST_X "membar.cta; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") "membar.cta; " LD_X},
     stale,
     NULL,
     "",
     true},
    {"MP in a block, atomics",
     {ST_X "atom.release.cta.global.exch.b32 %r12, [%rd9], 1;", SPIN("ld.acquire.cta.global.u32") LD_X},
     stale,
     NULL,
     "",
     true},
    /* What the machine may do to programs that ask for less. */
    {"MP without the reader's fence reads a stale line",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") LD_X},
     NULL,
     stale,
     "",
     false},
    {"fence_l1=none: a stale line survives the fence",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") "membar.gl; " LD_X},
     NULL,
     stale,
     "sm.fence_l1=none",
     false},
    {"fence_l1=none: a volatile load does not",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;",
      SPIN("ld.volatile.global.u32") "ld.volatile.global.u32 %r11, [%rd8];"},
     stale,
     NULL,
     "sm.fence_l1=none",
     false},
    {"fence_l1=none: a relaxed load does not",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") RELAXED_LD("%r11", "%rd8")},
     stale,
     NULL,
     "sm.fence_l1=none",
     false},
    {"fence_l1=none: .cg does not",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;",
      SPIN("ld.volatile.global.u32") "ld.global.cg.u32 %r11, [%rd8];"},
     stale,
     NULL,
     "sm.fence_l1=none",
     false},
    {"fence_l1=none: an atomic does not",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;",
      SPIN("ld.volatile.global.u32") "atom.global.or.b32 %r11, [%rd8], 0;"},
     stale,
     NULL,
     "sm.fence_l1=none",
     false},
    {"uncached loads are never stale",
     {ST_X "membar.gl; st.volatile.global.u32 [%rd9], 1;", SPIN("ld.volatile.global.u32") LD_X},
     stale,
     NULL,
     "sm.fence_l1=none sm.global_loads_use_l1=false",
     false},
    {"SB fence.sc",
     {RELAXED_ST("%rd8") "fence.sc.gpu; " RELAXED_LD("%r10", "%rd9"),
      RELAXED_ST("%rd9") "fence.sc.gpu; " RELAXED_LD("%r10", "%rd8")},
     both_zero,
     NULL,
     "",
     false},
    {"SB membar, plain",
     {ST_X "membar.gl; ld.global.u32 %r10, [%rd9];", "st.global.u32 [%rd9], 1; membar.gl; ld.global.u32 %r10, [%rd8];"},
     both_zero,
     NULL,
     "",
     false},
    {"SB atomics and fences",
     {"atom.global.exch.b32 %r12, [%rd8], 1; membar.gl; ld.volatile.global.u32 %r10, [%rd9];",
      "atom.global.exch.b32 %r12, [%rd9], 1; membar.gl; ld.volatile.global.u32 %r10, [%rd8];"},
     both_zero,
     NULL,
     "",
     false},
    {"SB without fences",
     {"st.global.u32 [%rd8], 1; ld.global.u32 %r10, [%rd9];", "st.global.u32 [%rd9], 1; ld.global.u32 %r10, [%rd8];"},
     NULL,
     both_zero,
     "",
     false},
    {"LB with fences",
     {RELAXED_LD("%r10", "%rd8") "membar.gl; " RELAXED_ST("%rd9"),
      RELAXED_LD("%r10", "%rd9") "membar.gl; " RELAXED_ST("%rd8")},
     both_one,
     NULL,
     "",
     false},
    {"LB with dependences",
     {RELAXED_LD("%r10", "%rd8") "st.relaxed.gpu.global.u32 [%rd9], %r10;",
      RELAXED_LD("%r10", "%rd9") "st.relaxed.gpu.global.u32 [%rd8], %r10;"},
     both_one,
     NULL,
     "",
     false},
    {"CoRR relaxed",
     {RELAXED_ST("%rd8"), RELAXED_LD("%r10", "%rd8") RELAXED_LD("%r11", "%rd8")},
     r01_10,
     NULL,
     "",
     false},
    {"CoRR volatile",
     {"st.volatile.global.u32 [%rd8], 1;", "ld.volatile.global.u32 %r10, [%rd8]; ld.volatile.global.u32 %r11, [%rd8];"},
     r01_10,
     NULL,
     "",
     false},
    {"CoRR atomics",
     {"red.global.add.u32 [%rd8], 1;", "atom.global.add.u32 %r10, [%rd8], 0; ld.volatile.global.u32 %r11, [%rd8];"},
     r01_10,
     NULL,
     "",
     false},
    {"CoWR",
     {"st.relaxed.gpu.global.u32 [%rd8], 1; ld.relaxed.gpu.global.u32 %r10, [%rd8];",
      "st.relaxed.gpu.global.u32 [%rd8], 2; ld.relaxed.gpu.global.u32 %r10, [%rd8];"},
     not_own,
     NULL,
     "",
     false},
    {"CoWR plain",
     {"st.global.u32 [%rd8], 1; ld.global.u32 %r10, [%rd8];", "st.global.u32 [%rd8], 2; ld.global.u32 %r10, [%rd8];"},
     not_own,
     NULL,
     "",
     false},
    {"WRC",
     {RELAXED_ST("%rd8"), RELAXED_LD("%r10", "%rd8") "fence.acq_rel.gpu; " RELAXED_ST("%rd9"),
      RELAXED_LD("%r10", "%rd9") "fence.acq_rel.gpu; " LD_X},
     wrc,
     NULL,
     "",
     false},
    {"WRC, spinning",
     {RELAXED_ST("%rd8"),
      "W%=: ld.acquire.gpu.global.u32 %r10, [%rd8]; setp.eq.u32 %p7, %r10, 0; @%p7 bra W%=; st.release.gpu.global.u32 "
      "[%rd9], 1;",
      SPIN("ld.acquire.gpu.global.u32") LD_X},
     third_stale,
     NULL,
     "",
     false},
    /* A release sequence: a relaxed atomic goes on from the release, and whoever acquires its value has what was
       released. */
    {"MP release, relaxed atomic, acquire",
     {ST_X "st.release.gpu.global.u32 [%rd9], 1;",
      "W%=: atom.relaxed.gpu.global.cas.b32 %r10, [%rd9], 1, 2; setp.ne.u32 %p7, %r10, 1; @%p7 bra W%=;",
      SPIN("ld.acquire.gpu.global.u32") LD_X},
     third_stale_later,
     NULL,
     "",
     false},
    {"MP fence, relaxed atomics, fence",
     {ST_X "membar.gl; red.relaxed.gpu.global.add.u32 [%rd9], 1;",
      "W%=: atom.relaxed.gpu.global.cas.b32 %r10, [%rd9], 1, 2; setp.ne.u32 %p7, %r10, 1; @%p7 bra W%=;",
      "W%=: atom.relaxed.gpu.global.max.u32 %r10, [%rd9], 0; setp.ne.u32 %p7, %r10, 2; @%p7 bra W%=; membar.gl; " LD_X},
     third_stale_later,
     NULL,
     "",
     false},
    /* The queues of workloads/tasks.h: x is the tail, y the head. The owner has exchanged the tail and finds the head
       where it was; a thief raises it; another finds it raised, and the tail as before. */
    {"work stealing, block and device",
     {"atom.acq_rel.cta.global.exch.b32 %r12, [%rd8], 1; ld.acquire.cta.global.u32 %r10, [%rd9];",
      "atom.acq_rel.gpu.global.cas.b32 %r12, [%rd9], 0, 1;",
      "ld.acquire.gpu.global.u32 %r10, [%rd9]; ld.acquire.gpu.global.u32 %r11, [%rd8];"},
     both_take,
     NULL,
     "",
     false},
    {"work stealing, block and remote",
     {"atom.acq_rel.cta.global.exch.b32 %r12, [%rd8], 1; ld.acquire.cta.global.u32 %r10, [%rd9];",
      "lockstep.atom.acq_rel.remote.global.cas.b32 %r12, [%rd9], 0, 1;",
      "lockstep.ld.acquire.remote.global.u32 %r10, [%rd9]; lockstep.ld.acquire.remote.global.u32 %r11, [%rd8];"},
     both_take,
     NULL,
     "",
     false},
    {"IRIW fence.sc",
     {RELAXED_ST("%rd8"), RELAXED_ST("%rd9"), RELAXED_LD("%r10", "%rd8") "fence.sc.gpu; " RELAXED_LD("%r11", "%rd9"),
      RELAXED_LD("%r10", "%rd9") "fence.sc.gpu; " RELAXED_LD("%r11", "%rd8")},
     iriw,
     NULL,
     "",
     false},
    {"IRIW membar, plain second loads",
     {ST_X, "st.global.u32 [%rd9], 1;", RELAXED_LD("%r10", "%rd8") "membar.gl; ld.global.u32 %r11, [%rd9];",
      RELAXED_LD("%r10", "%rd9") "membar.gl; ld.global.u32 %r11, [%rd8];"},
     iriw,
     NULL,
     "",
     false},
};

/* W%= becomes a label of its own; an `or` atomic used as a load gets its operand. */
static void add_body(struct strbuf *out, const char *body, unsigned thread)
{
    for (const char *c = body; *c; c++) {
        if (!strncmp(c, "W%=", 3)) {
            strbuf_addf(out, "W%u", thread);
            c += 2;
        } else if (!strncmp(c, "or.b32 %r10, [%rd9];", 20)) {
            strbuf_add(out, "or.b32 %r10, [%rd9], 0;");
            c += 19;
        } else {
            strbuf_addn(out, c, 1);
        }
    }
}

/* Threads are blocks, or warps of one block; one more keeps the memory system busy. n: 8 bits of skew for each. */
static void add_kernel(struct strbuf *out, const struct litmus *l, unsigned count)
{
    strbuf_add(out, PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN);
    strbuf_add(out, l->same_block ? "shr.u32 %r6, %r2, 5;\n" : "mov.u32 %r6, %r3;\n");
    strbuf_add(out, "ld.global.u32 %r7, [%rd1+1024]; cvt.u64.u32 %rd9, %r7; add.u64 %rd9, %rd1, %rd9; mov.u64 %rd8, "
                    "%rd1; mov.u32 %r10, 7; mov.u32 %r11, 7;\n");
    strbuf_addf(out,
                "mov.u32 %%r12, %u; setp.eq.u32 %%p1, %%r6, %%r12; @%%p1 bra NOISE; and.b32 %%r8, %%r2, 31; "
                "setp.ne.u32 %%p1, %%r8, 0; @%%p1 bra END;\n",
                count);
    /* Both lines are in the L1; then everybody starts. */
    strbuf_add(out, "ld.global.u32 %r8, [%rd8]; ld.global.u32 %r9, [%rd9]; add.u32 %r8, %r8, %r9; red.global.add.u32 "
                    "[%rd1+1028], 1;\n");
    strbuf_addf(out, "START: ld.volatile.global.u32 %%r9, [%%rd1+1028]; setp.lt.u32 %%p1, %%r9, %u; @%%p1 bra START;\n",
                count);
    strbuf_add(out, "shl.b32 %r9, %r6, 3; shr.u32 %r9, %r1, %r9; and.b32 %r9, %r9, 255;\n"
                    "DELAY: setp.eq.u32 %p1, %r9, 0; add.u32 %r9, %r9, -1; @!%p1 bra DELAY;\n");
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(out, "setp.eq.u32 %%p1, %%r6, %u; @%%p1 bra T%u;\n", i, i);
    for (unsigned i = 0; i < count; i++) {
        strbuf_addf(out, "T%u: ", i);
        add_body(out, l->thread[i], i);
        strbuf_add(out, " bra OUT;\n");
    }
    strbuf_add(
        out,
        "OUT: mul.wide.u32 %rd10, %r6, 8; add.u64 %rd10, %rd1, %rd10; st.global.v2.u32 [%rd10+1280], {%r10, "
        "%r11};\nEND: ret;\n"
        "NOISE: ld.volatile.global.u32 %r9, [%rd1+1028]; setp.lt.u32 %p1, %r9, %r12; @%p1 bra NOISE; mov.u32 %r20, 0;\n"
        "MORE: red.global.add.u32 [%rd8+64], 1; red.global.add.u32 [%rd8+68], 1; add.u32 %r20, %r20, 1; setp.lt.u32 "
        "%p1, %r20, 4; @%p1 bra MORE; ret;\n}\n");
}

/* more: settings besides its own. */
static void run_litmus(const struct litmus *l, const char *more)
{
    static const uint32_t y_offset[] = {4, 128, 256, 1536 * 2};
    static const uint8_t skews[] = {0, 1, 3, 8, 20, 45};
    struct device d;
    struct strbuf text = {0};
    char settings[256];
    unsigned count = 0, bad = 0, seen = 0, ran = 0;
    while (count < THREADS && l->thread[count])
        count++;
    snprintf(settings, sizeof settings, SETTINGS "%s %s", l->settings, more);
    device_open(&d, "gtx480", settings);
    add_kernel(&text, l, count);
    device_load(&d, strbuf_text(&text));
    uint64_t p = device_buffer(&d, 32768);
    unsigned combinations = 6 * 6 * (count > 2 ? 3 : 1), step = l->wanted ? effort_step(3) : effort_steps(3, 29);
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned c = y % step; c < combinations; c += step) {
            uint64_t n = skews[c % 6] | (uint64_t)skews[c / 6 % 6] << 8 | (uint64_t)skews[(c * 5 + c / 36) % 6] << 16 |
                         (uint64_t)skews[(c * 3 + 2 * (c / 36)) % 6] << 24;
            uint32_t start[] = {y_offset[y], 0}, r[THREADS][2];
            assert_int_equal(gpu_fill(d.gpu, p, 0, 4096, &d.sink), 0);
            assert_int_equal(gpu_write(d.gpu, p + 1024, start, sizeof start, &d.sink), 0);
            struct shape shape = {.grid = l->same_block ? 1 : count + 1,
                                  .block = l->same_block ? 32 * (count + 1) : 32};
            device_run(&d, "k", shape, p, n);
            device_read(&d, r, p + 1280, sizeof r);
            ran++;
            bad += l->forbidden && l->forbidden(r);
            seen += l->wanted && l->wanted(r);
        }
    }
    if (bad)
        fail_msg("%s (%s): forbidden outcome in %u of %u runs", l->name, more, bad, ran);
    if (l->wanted && !seen)
        fail_msg("%s (%s): never in %u runs", l->name, more, ran);
    device_close(&d);
    strbuf_free(&text);
}

static void test_litmus(void **state)
{
    for (unsigned i = 0; i < sizeof litmus_tests / sizeof litmus_tests[0]; i++)
        run_litmus(&litmus_tests[i], "");
}

static void test_litmus_with_a_seed(void **state)
{
    for (unsigned i = 0; i < sizeof litmus_tests / sizeof litmus_tests[0]; i++)
        run_litmus(&litmus_tests[i], i % 2 ? "gpu.seed=1" : "gpu.seed=2 gpu.seed_cycles=60");
}

/* One thread's own values: whatever wrote a word, whatever reads it next sees that value, also while an earlier load of
 * the line is under way. */
static const char *const writes[] = {
    "st.global.u32 [A], %r7;",
    "st.volatile.global.u32 [A], %r7;",
    "st.global.cg.u32 [A], %r7;",
    "st.global.wt.u32 [A], %r7;",
    "st.relaxed.gpu.global.u32 [A], %r7;",
    "st.release.gpu.global.u32 [A], %r7;",
    "atom.global.exch.b32 %r15, [A], %r7;",
    "atom.global.cas.b32 %r15, [A], 5, %r7;",
    "red.global.max.u32 [A], %r7;",
    "st.u32 [A], %r7;",
    "atom.acq_rel.gpu.add.u32 %r15, [A], %r8;",
};
static const char *const reads[] = {
    "ld.global.u32 %r12, [A];",
    "ld.global.ca.u32 %r12, [A];",
    "ld.volatile.global.u32 %r12, [A];",
    "ld.global.cg.u32 %r12, [A];",
    "ld.global.cv.u32 %r12, [A];",
    "ld.relaxed.gpu.global.u32 %r12, [A];",
    "ld.acquire.gpu.global.u32 %r12, [A];",
    "atom.global.or.b32 %r12, [A], 0;",
    "ld.u32 %r12, [A];",
    "ld.global.lu.u32 %r12, [A];",
};
#define WRITES (sizeof writes / sizeof writes[0])
#define READS (sizeof reads / sizeof reads[0])

static void add_access(struct strbuf *out, const char *access, unsigned offset)
{
    for (; *access; access++) {
        if (*access == 'A' && access[-1] == '[')
            strbuf_addf(out, "%%rd2+%u", offset);
        else
            strbuf_addn(out, access, 1);
    }
    strbuf_add(out, "\n");
}

/* before: 0 nothing, 1 the line is in the L1, 2 a load of it is under way when the write issues, 3 two writes in a row.
 */
static void own_values(const char *settings, unsigned before, unsigned stride)
{
    struct strbuf text = {0};
    strbuf_addf(&text,
                PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n"
                         "%s",
                PTX_REGS PTX_BEGIN);
    strbuf_addf(&text,
                "mul.wide.u32 %%rd2, %%r2, %u; add.u64 %%rd2, %%rd1, %%rd2; add.u32 %%r7, %%r2, 1000; add.u32 %%r8, "
                "%%r2, 995;\n",
                stride);
    for (unsigned w = 0; w < WRITES; w++) {
        for (unsigned r = 0; r < READS; r++) {
            unsigned offset = (w * READS + r) * stride * 32;
            if (before == 1)
                strbuf_addf(&text, "ld.global.u32 %%r10, [%%rd2+%u]; add.u32 %%r11, %%r10, 0;\n", offset);
            if (before == 2)
                strbuf_addf(&text, "ld.global.u32 %%r10, [%%rd2+%u];\n", offset);
            if (before == 3)
                strbuf_addf(&text, "st.global.u32 [%%rd2+%u], 5;\n", offset);
            add_access(&text, writes[w], offset);
            add_access(&text, reads[r], offset);
            strbuf_addf(&text, "setp.ne.u32 %%p1, %%r12, %%r7; @%%p1 st.global.u32 [%%rd1+%u], %u;\n",
                        32 * stride * (unsigned)(WRITES * READS), w * 100 + r + 1);
            if (before == 2)
                strbuf_addf(&text, "setp.ne.u32 %%p1, %%r10, 5; @%%p1 st.global.u32 [%%rd1+%u], %u;\n",
                            32 * stride * (unsigned)(WRITES * READS), 10000 + w * 100 + r + 1);
        }
    }
    strbuf_add(&text, "ret;\n}\n");
    struct device d;
    device_open(&d, "gtx480", settings);
    device_load(&d, strbuf_text(&text));
    unsigned words = 32 * stride / 4 * WRITES * READS;
    uint64_t p = device_buffer(&d, 4 * words + 128);
    uint32_t *init = malloc(4 * words);
    for (unsigned i = 0; i < words; i++)
        init[i] = 5;
    assert_int_equal(gpu_write(d.gpu, p, init, 4 * words, &d.sink), 0);
    free(init);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    uint32_t wrong = device_word(&d, p + 4 * words);
    if (wrong)
        fail_msg("%s, before %u, stride %u: after \"%s\", \"%s\" reads another value (%u)", settings, before, stride,
                 writes[(wrong % 10000 - 1) / 100], reads[(wrong - 1) % 100], wrong);
    device_close(&d);
    strbuf_free(&text);
}

static void test_own_values(void **state)
{
    static const char *const settings[] = {
        "gpu.sms=1", "gpu.sms=1 sm.fence_l1=none",
        "gpu.sms=1 sm.fence_l1=none sm.coalescing=arch20 l2.sector_bytes=32 l2.write_allocate=lazy sm.l1d_latency=35",
        "gpu.sms=1 l1d.mshr_entries=2 sm.l1d_queue=3"};
    for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++)
        for (unsigned before = 0; before < 4; before++)
            for (unsigned stride = 4; stride <= 128; stride *= 32)
                own_values(settings[s], before, stride);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_values),
        cmocka_unit_test(test_litmus),
        cmocka_unit_test(test_litmus_with_a_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
