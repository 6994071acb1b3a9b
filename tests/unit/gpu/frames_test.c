/* Frames: what a lane keeps in its registers and its local memory across calls is its own, whatever functions the other
 * lanes of its warp are in. Random call graphs of functions that mix widths, call each other by name and by address,
 * recurse, and let other lanes go on in between: a thread in a warp of 32 gives what it gives as the only one of its
 * warp, under every divergence model and in both modes. */
#include "gpu_support.h"
#include "simt/divergence.h"

#define MOST_FUNCTIONS 5
#define THREADS 64

/* A program being written: functions f0, f1 ...; of the one at hand, how many registers of each width it has. */
struct writer {
    struct strbuf text;
    uint64_t drawn;
    unsigned functions, labels, narrow, wide, half;
};

static unsigned draw(struct writer *w, unsigned below)
{
    w->drawn = w->drawn * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)((w->drawn >> 33) % below);
}

#define ADD(...) strbuf_addf(&w->text, __VA_ARGS__)
#define NARROW draw(w, w->narrow)
#define WIDE draw(w, w->wide)
#define HALF draw(w, w->half)
#define PREDICATE draw(w, 4)

static void write_arithmetic(struct writer *w)
{
    switch (draw(w, 8)) {
    case 0:
        ADD("mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;\n", NARROW, NARROW, 3 + 2 * draw(w, 90), NARROW);
        break;
    case 1:
        ADD("mad.lo.u64 %%w%u, %%w%u, %u, %%w%u;\n", WIDE, WIDE, 3 + 2 * draw(w, 90), WIDE);
        break;
    case 2:
        ADD("mul.wide.u32 %%w%u, %%r%u, %%r%u;\n", WIDE, NARROW, NARROW);
        break;
    case 3:
        ADD("shr.u64 %%w20, %%w%u, 9; cvt.u32.u64 %%r20, %%w20; xor.b32 %%r%u, %%r%u, %%r20;\n", WIDE, NARROW, NARROW);
        break;
    case 4:
        ADD("cvt.u16.u32 %%h%u, %%r%u; mul.lo.u16 %%h%u, %%h%u, %%h%u;\n", HALF, NARROW, HALF, HALF, HALF);
        break;
    case 5:
        ADD("setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", PREDICATE, NARROW, NARROW);
        break;
    case 6:
        ADD("selp.b64 %%w%u, %%w%u, %%w%u, %%p%u;\n", WIDE, WIDE, WIDE, PREDICATE);
        break;
    default:
        ADD("add.cc.u32 %%r%u, %%r%u, %%r%u; addc.u32 %%r%u, %%r%u, 5;\n", NARROW, NARROW, NARROW, NARROW, NARROW);
        break;
    }
}

/* Other lanes go on meanwhile, where the divergence model lets them: in a sleep, or in a loop that polls. */
static void write_pause(struct writer *w)
{
    unsigned label = w->labels++;
    if (draw(w, 2))
        ADD("nanosleep.u32 20;\n");
    else
        ADD("mov.u32 %%r20, 0;\nP%u: ld.volatile.global.u32 %%r21, [%%w30]; add.u32 %%r20, %%r20, 1; "
            "setp.lt.u32 %%p5, %%r20, 3; @%%p5 bra P%u;\n",
            label, label);
}

static void write_local(struct writer *w)
{
    unsigned at = draw(w, 4);
    if (draw(w, 2))
        ADD("st.local.u64 [a+%u], %%w%u;\n", 8 * at, WIDE);
    else
        ADD("ld.local.u64 %%w%u, [a+%u];\n", WIDE, 8 * at);
}

#define ARGUMENTS                                                                                                      \
    "{ .param .b64 c; .param .b32 y; .param .b32 m; .param .b64 v; st.param.b64 [c], %%w30;\n"                         \
    "st.param.b32 [y], %%r%u; st.param.b32 [m], %%r29;\n"
#define RESULT "ld.param.b64 %%w21, [v]; }\nxor.b64 %%w%u, %%w%u, %%w21;\n"

static void write_call(struct writer *w, unsigned callee, bool by_address)
{
    unsigned to = WIDE;
    ADD(ARGUMENTS, NARROW);
    if (by_address)
        ADD("call (v), %%w22, (c, y, m), proto;\n");
    else
        ADD("call (v), f%u, (c, y, m);\n", callee);
    ADD(RESULT, to, to);
}

/* Lanes call one of two functions, unless they are deep enough. */
static void write_calls(struct writer *w)
{
    unsigned label = w->labels++, one = draw(w, w->functions), other = draw(w, w->functions);
    ADD("setp.eq.u32 %%p6, %%r30, 0; @%%p6 bra E%u; sub.u32 %%r29, %%r30, 1;\n", label);
    ADD("and.b32 %%r20, %%r%u, %u; setp.eq.u32 %%p7, %%r20, 0;\n", NARROW, 1u << draw(w, 6));
    if (draw(w, 2)) {
        ADD("mov.u64 %%w22, f%u; mov.u64 %%w23, f%u; selp.b64 %%w22, %%w22, %%w23, %%p7;\n", one, other);
        write_call(w, 0, true);
    } else {
        ADD("@%%p7 bra O%u;\n", label);
        write_call(w, one, false);
        ADD("bra.uni E%u;\nO%u:\n", label, label);
        write_call(w, other, false);
    }
    ADD("E%u:\n", label);
}

static void write_statement(struct writer *w, unsigned depth)
{
    unsigned kind = draw(w, 8), label = w->labels++;
    if (kind == 0) {
        write_pause(w);
    } else if (kind == 1) {
        write_local(w);
    } else if (kind == 2 && depth < 2) {
        ADD("@%%p%u bra B%u;\n", PREDICATE, label);
        write_statement(w, depth + 1);
        write_statement(w, depth + 1);
        ADD("B%u:\n", label);
    } else {
        write_arithmetic(w);
    }
}

static void write_function(struct writer *w, unsigned number, bool declared)
{
    ADD(".func (.param .b64 v) f%u(.param .b64 c, .param .b32 x, .param .b32 n)%s\n", number, declared ? ";" : "");
    if (declared)
        return;
    w->narrow = 1 + draw(w, 10), w->wide = 1 + draw(w, 7), w->half = 1 + draw(w, 3);
    ADD("{\n.reg .b32 %%r<32>; .reg .b64 %%w<32>; .reg .b16 %%h<4>; .reg .pred %%p<8>; .local .align 8 .b8 a[32];\n"
        "proto: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b32 _, .param .b32 _);\n"
        "ld.param.b64 %%w30, [c]; ld.param.b32 %%r31, [x]; ld.param.b32 %%r30, [n];\n");
    for (unsigned i = 0; i < 4; i++)
        ADD("mad.lo.u32 %%r20, %%r31, %u, %u; cvt.u64.u32 %%w20, %%r20; st.local.u64 [a+%u], %%w20;\n"
            "and.b32 %%r20, %%r31, %u; setp.ne.u32 %%p%u, %%r20, 0;\n",
            7 + 2 * i, number, 8 * i, 1u << i, i);
    for (unsigned i = 0; i < w->narrow; i++)
        ADD("mad.lo.u32 %%r%u, %%r31, %u, %u;\n", i, 11 + 2 * i, number);
    for (unsigned i = 0; i < w->wide; i++)
        ADD("cvt.u64.u32 %%w%u, %%r31; mad.lo.u64 %%w%u, %%w%u, 0x%x00000%x, %u;\n", i, i, i, 13 + 2 * i, 17 + i,
            number);
    for (unsigned i = 0; i < w->half; i++)
        ADD("cvt.u16.u32 %%h%u, %%r31;\n", i);
    for (unsigned calls = 1 + draw(w, 2), i = 0; i <= calls; i++) {
        for (unsigned k = 2 + draw(w, 5); k-- > 0;)
            write_statement(w, 0);
        if (i < calls)
            write_calls(w);
    }
    ADD("mov.u64 %%w24, %u;\n", number);
    for (unsigned i = 0; i < w->narrow; i++)
        ADD("cvt.u64.u32 %%w20, %%r%u; mad.lo.u64 %%w24, %%w24, 31, %%w20;\n", i);
    for (unsigned i = 0; i < w->wide; i++)
        ADD("mad.lo.u64 %%w24, %%w24, 37, %%w%u;\n", i);
    for (unsigned i = 0; i < w->half; i++)
        ADD("cvt.u64.u16 %%w20, %%h%u; mad.lo.u64 %%w24, %%w24, 41, %%w20;\n", i);
    for (unsigned i = 0; i < 4; i++)
        ADD("@%%p%u add.u64 %%w24, %%w24, %u; ld.local.u64 %%w20, [a+%u]; xor.b64 %%w24, %%w24, %%w20;\n", i, 1u << i,
            8 * i);
    ADD("st.param.b64 [v], %%w24; ret;\n}\n");
}

/* The kernel keeps values of both widths over the call, too. */
static void write_kernel(struct writer *w)
{
    ADD(".visible .entry k(.param .u64 p, .param .u64 n)\n{\n.reg .b32 %%r<32>; .reg .b64 %%w<32>; .reg .pred %%p<8>;\n"
        "proto: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b32 _, .param .b32 _);\n"
        "ld.param.u64 %%w30, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x;\n"
        "mad.lo.u32 %%r0, %%r2, %%r3, %%r1; mul.wide.u32 %%w1, %%r0, 8; add.u64 %%w1, %%w1, %%w30;\n"
        "mul.lo.u32 %%r4, %%r0, 0x9E3779B1; shr.u32 %%r5, %%r4, 13; xor.b32 %%r4, %%r4, %%r5; mul.wide.u32 %%w0, %%r4, "
        "5;\n"
        "and.b32 %%r29, %%r0, 1; add.u32 %%r29, %%r29, 2; mov.u64 %%w22, f0;\n");
    for (unsigned i = 1; i < w->functions; i++)
        ADD("rem.u32 %%r5, %%r4, %u; setp.eq.u32 %%p0, %%r5, 0; mov.u64 %%w23, f%u; selp.b64 %%w22, %%w23, %%w22, "
            "%%p0;\n",
            i + 1, i);
    ADD(ARGUMENTS "call (v), %%w22, (c, y, m), proto;\n" RESULT, 4, 0, 0);
    ADD("mad.lo.u32 %%r4, %%r4, 3, %%r5; cvt.u64.u32 %%w2, %%r4; xor.b64 %%w0, %%w0, %%w2;\n"
        "st.global.u64 [%%w1+64], %%w0; ret;\n}\n");
}

static char *write_program(unsigned seed)
{
    struct writer writer = {.drawn = seed * UINT64_C(0x9E3779B97F4A7C15)}, *w = &writer;
    w->functions = 2 + draw(w, MOST_FUNCTIONS - 1);
    ADD(PTX_HEAD);
    for (unsigned i = 0; i < 2 * w->functions; i++)
        write_function(w, i % w->functions, i < w->functions);
    write_kernel(w);
    char *text = strdup(strbuf_text(&w->text));
    strbuf_free(&w->text);
    return text;
}

static void run(const char *text, const char *settings, struct shape shape, uint64_t *results)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 64 + 8 * THREADS);
    device_run(&d, "k", shape, p, 0);
    device_read(&d, results, p + 64, 8 * THREADS);
    device_close(&d);
}

static void try(unsigned seed)
{
    char *text = write_program(seed);
    uint64_t alone[THREADS], together[THREADS];
    run(text, "gpu.sms=2", (struct shape){.grid = THREADS, .block = 1, .mode = GPU_FUNCTIONAL}, alone);
    for (const struct simt_divergence *const *way = simt_models(); *way; way++)
        for (unsigned mode = 0; mode < 2; mode++) {
            struct shape shape = {.grid = 1, .block = THREADS, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING};
            char settings[80];
            snprintf(settings, sizeof settings, "gpu.sms=2 sm.divergence=%s", (*way)->name);
            run(text, settings, shape, together);
            for (unsigned t = 0; t < THREADS; t++)
                if (together[t] != alone[t])
                    fail_msg("seed %u, %s, mode %u: thread %u gives %llx, alone %llx\n%s", seed, (*way)->name, mode, t,
                             (unsigned long long)together[t], (unsigned long long)alone[t], text);
        }
    free(text);
}

static void test_random_call_graphs(void **state)
{
    unsigned step = effort_steps(16, 96);
    for (unsigned seed = 1; seed <= 192; seed += step)
        try(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_call_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
