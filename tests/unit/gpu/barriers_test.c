/* Barriers of the block that warps come to in parts. Random programs in which threads take their ways through branches,
 * calls and pauses from barrier to barrier, the same number of them on every way, and some end in between: whoever is
 * behind a barrier finds that every thread which has not ended has come there, and a reducing one counts each, under
 * every divergence model and in both modes. */
#include "gpu_support.h"
#include "simt/divergence.h"

#define THREADS 96
#define ROUNDS 12

struct writer {
    struct strbuf text, functions;
    uint64_t drawn;
    unsigned labels, function_count;
    unsigned live[3]; /* threads that have not ended: of all, even numbers, odd numbers */
    bool ended[THREADS];
    unsigned most_depth;
};

static unsigned draw(struct writer *w, unsigned below)
{
    w->drawn = w->drawn * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)((w->drawn >> 33) % below);
}

static void count_live(struct writer *w)
{
    memset(w->live, 0, sizeof w->live);
    for (unsigned t = 0; t < THREADS; t++) {
        w->live[0] += !w->ended[t];
        w->live[1 + t % 2] += !w->ended[t];
    }
}

/* %r5 is the thread's number, %r6 counts what is wrong, %r4 the counters, one a round; %p1: an odd thread. */
static void write_reduction(struct writer *w, struct strbuf *out, unsigned number)
{
    switch (draw(w, 3)) {
    case 0:
        strbuf_addf(out, "bar.red.popc.u32 %%r8, %u, %%p1; setp.ne.u32 %%p2, %%r8, %u;\n", number, w->live[2]);
        break;
    case 1: /* all are odd: only if no even thread is left */
        strbuf_addf(out, "bar.red.and.pred %%p3, %u, %%p1; selp.u32 %%r8, 1, 0, %%p3; setp.ne.u32 %%p2, %%r8, %u;\n",
                    number, w->live[1] == 0);
        break;
    default:
        strbuf_addf(out, "bar.red.or.pred %%p3, %u, %%p1; selp.u32 %%r8, 1, 0, %%p3; setp.ne.u32 %%p2, %%r8, %u;\n",
                    number, w->live[2] != 0);
        break;
    }
    strbuf_add(out, "@%p2 add.u32 %r6, %r6, 1;\n");
}

/* The form follows from the round: lanes of one warp do not mix them. */
static void write_barrier(struct writer *w, struct strbuf *out, unsigned round, unsigned form)
{
    uint64_t kept = w->drawn;
    unsigned number = form / 8 % 4;
    strbuf_addf(out, "red.shared.add.u32 [%%r4+%u], 1;\n", 4 * round);
    w->drawn = form; /* the same reduction on every way */
    if (form % 4 == 0)
        write_reduction(w, out, number);
    else if (form % 4 == 1 && w->live[0] == THREADS)
        strbuf_addf(out, "barrier.sync %u, %u;\n", number, THREADS);
    else
        strbuf_addf(out, "%s %u;\n", form % 4 == 2 ? "barrier.sync" : "bar.sync", number);
    w->drawn = kept;
    strbuf_addf(out,
                "ld.volatile.shared.u32 %%r8, [%%r4+%u]; setp.ne.u32 %%p2, %%r8, %u; @%%p2 add.u32 %%r6, %%r6, 1;\n",
                4 * round, w->live[0]);
}

static void write_rounds(struct writer *w, struct strbuf *out, unsigned first, unsigned count, const unsigned *forms,
                         unsigned depth);

static void write_branch(struct writer *w, struct strbuf *out, unsigned first, unsigned count, const unsigned *forms,
                         unsigned depth)
{
    unsigned label = w->labels++;
    strbuf_addf(out, "and.b32 %%r7, %%r5, %u; setp.eq.u32 %%p2, %%r7, 0; @%%p2 bra E%u;\n", 1u << draw(w, 6), label);
    write_rounds(w, out, first, count, forms, depth + 1);
    strbuf_addf(out, "bra.uni M%u;\nE%u:\n", label, label);
    write_rounds(w, out, first, count, forms, depth + 1);
    strbuf_addf(out, "M%u:\n", label);
}

#define REGISTERS ".reg .pred %%p<4>; .reg .b32 %%r<10>; .reg .b64 %%rd<4>;\n"
#define FUNCTION_HEAD                                                                                                  \
    ".func (.param .b32 v) f%u(.param .b32 s, .param .b32 t)\n{\n" REGISTERS                                           \
    "ld.param.b32 %%r4, [s]; ld.param.b32 %%r5, [t]; mov.u32 %%r6, 0; and.b32 %%r7, %%r5, 1; "                         \
    "setp.ne.u32 %%p1, %%r7, 0;\n"
#define CALL                                                                                                           \
    "{ .param .b32 s; .param .b32 t; .param .b32 v; st.param.b32 [s], %%r4; st.param.b32 [t], %%r5; "                  \
    "call.uni (v), f%u, (s, t); ld.param.b32 %%r8, [v]; }\nadd.u32 %%r6, %%r6, %%r8;\n"

/* A call of a new function; twice: from both sides of a branch. */
static void write_call(struct writer *w, struct strbuf *out, unsigned first, unsigned count, const unsigned *forms,
                       unsigned depth)
{
    struct strbuf body = {0};
    unsigned label = w->labels++, number;
    write_rounds(w, &body, first, count, forms, depth + 1);
    number = w->function_count++;
    strbuf_addf(&w->functions, FUNCTION_HEAD "%s st.param.b32 [v], %%r6; ret;\n}\n", number, strbuf_text(&body));
    strbuf_free(&body);
    if (draw(w, 2)) {
        strbuf_addf(out, CALL, number);
        return;
    }
    strbuf_addf(out, "and.b32 %%r7, %%r5, %u; setp.eq.u32 %%p2, %%r7, 0; @%%p2 bra E%u;\n", 1u << draw(w, 6), label);
    strbuf_addf(out, CALL, number);
    strbuf_addf(out, "bra.uni M%u;\nE%u:\n", label, label);
    strbuf_addf(out, CALL, number);
    strbuf_addf(out, "M%u:\n", label);
}

static void write_rounds(struct writer *w, struct strbuf *out, unsigned first, unsigned count, const unsigned *forms,
                         unsigned depth)
{
    while (count) {
        unsigned n = 1 + draw(w, count), kind = depth < w->most_depth ? draw(w, 6) : 5;
        if (kind < 3) {
            write_branch(w, out, first, n, forms, depth);
        } else if (kind == 3) {
            write_call(w, out, first, n, forms, depth);
        } else {
            if (kind == 4)
                strbuf_addf(out, "and.b32 %%r7, %%r5, %u; setp.eq.u32 %%p2, %%r7, 0; @%%p2 nanosleep.u32 60;\n",
                            1u << draw(w, 6));
            write_barrier(w, out, first, forms[first]);
            n = 1;
        }
        first += n;
        count -= n;
    }
}

#define END                                                                                                            \
    "mul.wide.u32 %%rd3, %%r5, 4; add.u64 %%rd3, %%rd3, %%rd1; add.u32 %%r6, %%r6, 1; st.global.u32 [%%rd3], %%r6;\n"

/* Threads of a kind end, each by itself, where a branch leads them, or by a guarded exit. */
static void write_end(struct writer *w)
{
    unsigned modulus = 2 + draw(w, 6), rest = draw(w, modulus), label = w->labels++;
    strbuf_addf(&w->text, "rem.u32 %%r7, %%r5, %u; setp.ne.u32 %%p2, %%r7, %u; @%%p2 bra L%u;\n" END, modulus, rest,
                label);
    strbuf_addf(&w->text, "%s\nL%u:\n", draw(w, 2) ? "ret;" : "bra.uni OUT;", label);
    for (unsigned t = 0; t < THREADS; t++)
        w->ended[t] |= t % modulus == rest;
    count_live(w);
}

static char *write_program(unsigned seed)
{
    struct writer writer = {.drawn = seed * UINT64_C(0x9E3779B97F4A7C15)}, *w = &writer;
    struct strbuf all = {0};
    unsigned forms[ROUNDS];
    w->most_depth = 1 + draw(w, 3);
    count_live(w);
    for (unsigned i = 0; i < ROUNDS; i++)
        forms[i] = draw(w, 1u << 16);
    for (unsigned first = 0, n; first < ROUNDS && w->live[0]; first += n) {
        n = 1 + draw(w, 3 < ROUNDS - first ? 3 : ROUNDS - first);
        write_rounds(w, &w->text, first, n, forms, 0);
        if (draw(w, 3) == 0)
            write_end(w);
    }
    strbuf_addf(&all,
                PTX_HEAD
                "%s.visible .entry k(.param .u64 p, .param .u64 n)\n{\n" REGISTERS
                ".shared .align 4 .b8 c[%u];\nld.param.u64 %%rd1, [p]; mov.u32 %%r4, c; mov.u32 %%r5, %%tid.x;\n"
                "mov.u32 %%r6, 0; and.b32 %%r7, %%r5, 1; setp.ne.u32 %%p1, %%r7, 0;\n%s" END "OUT: ret;\n}\n",
                strbuf_text(&w->functions), 4 * ROUNDS, strbuf_text(&w->text));
    char *text = strdup(strbuf_text(&all));
    strbuf_free(&all);
    strbuf_free(&w->text);
    strbuf_free(&w->functions);
    return text;
}

static void try(const char *text, const char *way, enum gpu_mode mode, unsigned seed)
{
    struct device d;
    char settings[80];
    uint32_t wrong[THREADS];
    snprintf(settings, sizeof settings, "gpu.sms=2 gpu.watch_cycles=100000 sm.divergence=%s", way);
    device_open(&d, "gtx480", settings);
    device_load(&d, text);
    uint64_t params[] = {device_buffer(&d, 4 * THREADS), 0};
    struct shape shape = {.grid = 1, .block = THREADS, .mode = mode, .max_cycles = 5000000};
    enum gpu_status status = device_try(&d, "k", shape, 2, params);
    device_read(&d, wrong, params[0], sizeof wrong);
    unsigned right = 0;
    for (unsigned t = 0; t < THREADS; t++)
        right += wrong[t] == 1;
    if (status != GPU_OK || right != THREADS)
        fail_msg("seed %u, %s, mode %d: %s, %u threads of %u right\n%s\n%s", seed, way, (int)mode,
                 gpu_status_name(status), right, THREADS, strbuf_text(&d.text), text);
    device_close(&d);
}

static void test_random_ways_to_barriers(void **state)
{
    unsigned step = effort_steps(6, 20);
    for (unsigned seed = 1; seed <= 240; seed += step) {
        char *text = write_program(seed);
        for (const struct simt_divergence *const *way = simt_models(); *way; way++) {
            try(text, (*way)->name, GPU_TIMING, seed);
            try(text, (*way)->name, GPU_FUNCTIONAL, seed);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_ways_to_barriers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
