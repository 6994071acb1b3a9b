/* Timing rules of an SM's memory instructions, as diagrams of the cycles from an instruction's issue on, and as lists
 * of the requests that it sends. An instruction that reads r registers is served (its first transaction at the L1D, or
 * the shared memory) r + 3 cycles after its issue; each further transaction a cycle later; a request leaves the SM in
 * the cycle behind. A reply that is offered to the SM in cycle a is taken from the network in a, reaches the load/store
 * unit in a + 1 (a fill is in the L1D then, a store acknowledged), and its value is written in a + 2. */
#include "rules_bench.h"

#define SERVED 3       /* and the registers read */
#define LINE_FLITS 5   /* of a reply with 128 bytes */
#define SECTOR_FLITS 2 /* of a reply with 32 bytes */

static void draw(const char *settings, const char *text, unsigned threads, uint64_t n, unsigned from,
                 const struct bench_run *runs)
{
    struct bench b;
    char what[1024];
    snprintf(what, sizeof what, "%s | %s | stride %u", settings, text, (unsigned)n);
    bench_open(&b, "gtx480", settings, text, threads);
    bench_run(&b, n);
    bench_expect(&b, what, from, runs);
    bench_close(&b);
}

/* Lanes at a stride of n bytes; the busiest bank must serve `degree` words. Latency l (sm.shared_latency):
 *
 *     load     I d d d d ... d I        served from cycle 4 on for `degree` cycles, l cycles to the reader's issue
 *     store    I I f f f ... f I        served from 5 on; the fence behind it ends in the cycle after the last
 */
static void shared_memory_conflicts(void **state)
{
    static const struct {
        unsigned stride, banks, degree;
        const char *type, *to;
    } cases[] = {
        {0, 32, 1, "u32", "%r9"},   {4, 32, 1, "u32", "%r9"},
        {8, 32, 2, "u32", "%r9"},   {12, 32, 1, "u32", "%r9"},
        {16, 32, 4, "u32", "%r9"},  {32, 32, 8, "u32", "%r9"},
        {64, 32, 16, "u32", "%r9"}, {128, 32, 32, "u32", "%r9"},
        {132, 32, 1, "u32", "%r9"}, {256, 32, 32, "u32", "%r9"},
        {4, 16, 2, "u32", "%r9"},   {8, 16, 4, "u32", "%r9"},
        {1, 32, 1, "u8", "%r9"},    {2, 32, 1, "u16", "%r9"},
        {8, 32, 2, "u64", "%rd9"},  {16, 32, 4, "v2.u64", "{%rd9, %rd10}"},
        {0, 32, 1, "u64", "%rd9"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned latency = 3; latency <= 20; latency += 17) {
            char settings[100], text[200];
            bool wide = cases[i].to[1] == 'r' && cases[i].to[2] == 'd';
            snprintf(settings, sizeof settings, "sm.shared_banks=%u sm.shared_latency=%u", cases[i].banks, latency);
            snprintf(text, sizeof text, "ld.shared.%s %s, [%%r4]; %s", cases[i].type, cases[i].to,
                     wide || cases[i].to[0] == '{' ? "mov.u64 %rd11, %rd9;" : "mov.u32 %r11, %r9;");
            draw(settings, text, 32, cases[i].stride, 0,
                 DIAGRAM({'I', 1}, {'d', SERVED + latency + cases[i].degree - 1}, {'I', 1}));
        }
        if (!strcmp(cases[i].type, "u32")) {
            char settings[100];
            snprintf(settings, sizeof settings, "sm.shared_banks=%u", cases[i].banks);
            draw(settings, "st.shared.u32 [%r4], %r7; membar.gl; mov.u32 %r9, 1;", 32, cases[i].stride, 0,
                 DIAGRAM({'I', 2}, {'f', 4 + cases[i].degree - 1}, {'I', 1}));
            /* A second load waits until the first has had its cycles. */
            draw(settings, "ld.shared.u32 %r9, [%r4]; ld.shared.u32 %r10, [%r4]; mov.u32 %r11, %r10;", 32,
                 cases[i].stride, 0, DIAGRAM({'I', 2}, {'d', SERVED + 3 + 2 * cases[i].degree - 2}, {'I', 1}));
        }
    }
}

/* Atomics in shared memory: lanes that meet in one word are served one after another.
 *
 *     I d d d ... d I        served from cycle 4 on for as many cycles as lanes meet, l cycles to the reader's issue
 */
static void shared_atomics_on_one_word(void **state)
{
    for (unsigned lanes = 1; lanes <= 32; lanes *= 2) { /* that meet */
        for (unsigned latency = 3; latency <= 9; latency += 6) {
            char settings[100], text[200];
            snprintf(settings, sizeof settings, "sm.shared_latency=%u", latency);
            snprintf(text, sizeof text,
                     "div.u32 %%r10, %%r5, %u; shl.b32 %%r10, %%r10, 2; add.u32 %%r10, %%r10, %%r3; "
                     "atom.shared.add.u32 %%r9, [%%r10], 1; mov.u32 %%r11, %%r9;",
                     lanes);
            draw(settings, text, 32, 4, 3, DIAGRAM({'I', 1}, {'d', SERVED + latency + lanes - 1}, {'I', 1}));
        }
    }
}

/* Further cycles to the result, while shared memory is held no longer: for each pass behind the first; of an atomic; of
 * a pass of a loop, which its wheel of 1024 cycles need not see the end of. */
static void shared_results_come_later(void **state)
{
    static const struct {
        unsigned stride, held, later; /* cycles that the instruction holds shared memory, and until its result from then on */
        const char *text;
        unsigned from;
    } cases[] = {
        {0, 1, 3, "ld.shared.v2.u32 {%r9, %r10}, [%r4]; mov.u32 %r11, %r9;", 0},
        {0, 2, 3 + 1, "ld.shared.v4.u32 {%r9, %r10, %r12, %r13}, [%r4]; mov.u32 %r11, %r9;", 0},
        {16, 4, 3 + 3, "ld.shared.v4.u32 {%r9, %r10, %r12, %r13}, [%r4]; mov.u32 %r11, %r9;", 0},
        {128, 32, 3 + 31, "ld.shared.u32 %r9, [%r4]; mov.u32 %r11, %r9;", 0},
        {4, 1, 3 + 7, "atom.shared.add.u32 %r9, [%r4], 1; mov.u32 %r11, %r9;", 0},
        {0, 32, 3 + 7 + 31, "atom.shared.add.u32 %r9, [%r4], 1; mov.u32 %r11, %r9;", 0},
        {4, 4, 94 - 4, "atom.shared.add.f32 %f3, [%r4], 0f3F800000; mov.f32 %f1, %f3;", 0},
        {0, 32 * 4, 32 * (94 - 4), "atom.shared.add.f32 %f3, [%r4], 0f3F800000; mov.f32 %f1, %f3;", 0},
        {4, 2 * 6, 2 * (111 - 6), "and.b32 %r10, %r4, -8; atom.shared.add.u64 %rd9, [%r10], 1; mov.u64 %rd11, %rd9;", 1},
    };
    const char *settings = "sm.shared_pass_latency=1 sm.shared_wide_interval=2 sm.shared_atomic_latency=7 sm.shared_loop_interval=4 "
                           "sm.shared_loop_interval_i64=6 sm.shared_loop_latency=94 sm.shared_loop_latency_i64=111";
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        draw(settings, cases[i].text, 32, cases[i].stride, cases[i].from,
             DIAGRAM({'I', 1}, {'d', SERVED + cases[i].held - 1 + cases[i].later}, {'I', 1}));
}

/* Likewise where a compare-and-swap takes longer, and what no instruction does is a loop around one. The second of two
 * on the same words fails and tries again. */
static void shared_atomics_by_loops(void **state)
{
    static const struct {
        const char *atomic, *type; /* with the kind of the result */
        const char *operands, *again;
        unsigned shift, once, twice; /* cycles of a lane on a word, for the first and the second */
    } cases[] = {
        {"add.u32 %r", "r", "1", "u32", 2, 1, 1},      {"exch.b32 %r", "r", "1", "u32", 2, 1, 1},
        {"cas.b32 %r", "r", "1, 2", "u32", 2, 2, 2},   {"add.f32 %f", "f", "0f3F800000", "f32", 2, 4, 10},
        {"add.u64 %rd", "rd", "1", "u64", 3, 6, 15},   {"add.f64 %d", "d", "0d3FF0000000000000", "f64", 3, 6, 15},
        {"exch.b64 %rd", "rd", "1", "u64", 3, 1, 1},
    };
    const char *settings = "sm.shared_cas_interval=2 sm.shared_loop_interval=4 sm.shared_loop_interval_i64=6 "
                           "sm.shared_loop_again=10 sm.shared_loop_again_i64=15";
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned lanes = 2; lanes <= 32; lanes *= 4) { /* that meet */
            char text[400];
            snprintf(text, sizeof text,
                     "div.u32 %%r10, %%r5, %u; shl.b32 %%r10, %%r10, %u; add.u32 %%r10, %%r10, %%r3; "
                     "atom.shared.%s2, [%%r10+128], %s; atom.shared.%s3, [%%r10+128], %s; mov.%s %%%s1, %%%s3;",
                     lanes, cases[i].shift, cases[i].atomic, cases[i].operands, cases[i].atomic, cases[i].operands,
                     cases[i].again, cases[i].type, cases[i].type);
            draw(settings, text, 32, 4, 3,
                 DIAGRAM({'I', 2}, {'d', SERVED + 3 + lanes * (cases[i].once + cases[i].twice) - 2}, {'I', 1}));
        }
    }
}

/* A load whose lines are in the L1D; t transactions, one a cycle:
 *
 *     issue      I d d d ... d I
 *     L1D        . . . . 1 2 t       the last one's hit releases the register, l1d_latency cycles later
 */
static void l1d_hits(void **state)
{
    static const unsigned strides[][2] = {{4, 1}, {0, 1}, {8, 2}, {16, 4}, {64, 16}, {128, 32}};
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        for (unsigned latency = 0; latency <= 35; latency += 7) {
            char settings[100];
            snprintf(settings, sizeof settings, "sm.l1d_latency=%u", latency);
            draw(settings,
                 "ld.global.u32 %r9, [%rd2]; mov.u32 %r10, %r9; ld.global.u32 %r11, [%rd2]; mov.u32 %r12, %r11;", 32,
                 strides[i][0], 2, DIAGRAM({'I', 1}, {'d', SERVED + strides[i][1] - 1 + latency}, {'I', 1}));
        }
    }
}

/* sm.l1d_hit_latency is of hits alone: a hit takes as long as if all of it were in front of the tags, a miss leaves when the
 * tags have been looked at. With l1_lookups, hits of one cycle come to their register together. */
static void l1d_hits_behind_the_tags(void **state)
{
    static const unsigned strides[][3] = {{4, 1, 1}, {8, 2, 1}, {16, 4, 1}, {128, 32, 1}, {132, 8, 4}, {16, 4, 4}};
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++)
        for (unsigned tags = 0; tags <= 4; tags += 2)
            for (unsigned hit = 1; hit <= 29; hit += 7) {
                char settings[100];
                if (strides[i][2] > 1 && !tags)
                    continue;
                snprintf(settings, sizeof settings, "sm.l1d_latency=%u sm.l1d_hit_latency=%u sm.l1_lookups=%u", tags, hit,
                         strides[i][2]);
                draw(settings,
                     "ld.global.u32 %r9, [%rd2]; mov.u32 %r10, %r9; ld.global.u32 %r11, [%rd2]; mov.u32 %r12, %r11;", 32,
                     strides[i][0], 2, DIAGRAM({'I', 1}, {'d', SERVED + strides[i][1] - 1 + tags + hit}, {'I', 1}));
            }
    for (unsigned hit = 0; hit <= 40; hit += 20) {
        struct bench b;
        char settings[100];
        snprintf(settings, sizeof settings, "sm.l1d_latency=3 sm.l1d_hit_latency=%u", hit);
        bench_open(&b, "gtx480", settings, "ld.global.u32 %r9, [%rd2]; mov.u32 %r10, %r9;", 32);
        bench_run(&b, 4);
        assert_int_equal(b.packets[0].at, bench_issue(&b, 0) + SERVED + 2 + 3);
        bench_close(&b);
    }
}

/* With sm.l1_words_each, lanes that read the same words take a cycle for each word of one. */
static void l1d_words_of_lanes(void **state)
{
    static const struct {
        const char *text;
        unsigned stride, cycles; /* with the parameter and without */
        unsigned without;
    } cases[] = {
        {"ld.global.u32 %r9, [%rd2]; mov.u32 %r10, %r9; ld.global.u32 %r11, [%rd2]; mov.u32 %r12, %r11;", 0, 1, 1},
        {"ld.global.u64 %rd5, [%rd2]; mov.u64 %rd6, %rd5; ld.global.u64 %rd7, [%rd2]; mov.u64 %rd8, %rd7;", 0, 2, 1},
        {"ld.global.u64 %rd5, [%rd2]; mov.u64 %rd6, %rd5; ld.global.u64 %rd7, [%rd2]; mov.u64 %rd8, %rd7;", 16, 4, 4},
    };
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        unsigned cycles = i % 2 ? cases[i / 2].cycles : cases[i / 2].without;
        draw(i % 2 ? "sm.l1d_latency=7 sm.l1_lookups=4 sm.l1_words_each=true" : "sm.l1d_latency=7 sm.l1_lookups=4",
             cases[i / 2].text, 32, cases[i / 2].stride, 2, DIAGRAM({'I', 1}, {'d', SERVED + cycles - 1 + 7}, {'I', 1}));
    }
}

/* One load that misses, with a memory that answers d cycles after it has the request:
 *
 *     cycle 0     4          5       13        13+d        a = 13+d+7+4    a+2
 *           issue at the L1D sent    in memory answered    offered         written, and the reader issues
 *
 * The same for a load that goes past the L1D; an atomic's warp waits as a whole: I a a a ... a I. */
static void ways_to_memory_and_back(void **state)
{
    static const struct {
        const char *text;
        unsigned threads, flits, request_flits, letter;
    } cases[] = {
        {"ld.global.u32 %r9, [%rd2]; mov.u32 %r10, %r9;", 32, LINE_FLITS, 1, 'd'},
        {"ld.global.cg.u32 %r9, [%rd2]; mov.u32 %r10, %r9;", 32, LINE_FLITS, 1, 'd'},
        {"ld.global.cg.u32 %r9, [%rd2]; mov.u32 %r10, %r9;", 8, SECTOR_FLITS, 1, 'd'},
        {"atom.global.add.u32 %r9, [%rd2], 1; mov.u32 %r10, 1;", 8, SECTOR_FLITS, 2, 'a'},
        {"red.global.add.u32 [%rd2], 1; mov.u32 %r10, 1;", 8, SECTOR_FLITS, 2, 'a'},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned delay = 0; delay <= 200; delay += 50) {
            struct bench b;
            bench_open(&b, "gtx480", "", cases[i].text, cases[i].threads);
            b.delay = delay;
            bench_run(&b, 4);
            unsigned issue = bench_issue(&b, 0), sent = SERVED + 2;
            unsigned offered =
                sent + BENCH_REQUEST + cases[i].request_flits - 1 + delay + BENCH_REPLY + cases[i].flits - 1;
            assert_int_equal(b.packet_count, 1);
            assert_int_equal(b.packets[0].at, issue + sent);
            assert_int_equal(b.replied_at[0], issue + offered);
            bench_expect(&b, cases[i].text, 0, DIAGRAM({'I', 1}, {(char)cases[i].letter, offered + 1}, {'I', 1}));
            bench_close(&b);
        }
    }
}

/* Fences. Nothing under way: the fence ends in the cycle behind its own passage through the load/store unit.
 *
 *     membar             I f f I
 *     store, membar      I I f f f ... f I        the store's acknowledgement is offered in a: a + 1
 *     xor, membar        I I f f f f f I          the xor's register, also where fences do not wait for stores
 *     membar.cta         I I                      no fence for the rest of the device
 */
static void fences(void **state)
{
    for (unsigned delay = 0; delay <= 300; delay += 100) {
        struct bench b;
        bench_open(&b, "gtx480", "", "st.global.u32 [%rd2], %r7; membar.gl; mov.u32 %r9, 1;", 8);
        b.delay = delay;
        bench_run(&b, 4);
        unsigned offered = SERVED + 3 + BENCH_REQUEST + SECTOR_FLITS - 1 + delay + BENCH_REPLY;
        assert_int_equal(b.packets[0].at, bench_issue(&b, 0) + SERVED + 3);
        assert_int_equal(b.replied_at[0], bench_issue(&b, 0) + offered);
        bench_expect(&b, "store, fence", 0, DIAGRAM({'I', 2}, {'f', offered - 1}, {'I', 1}));
        bench_close(&b);
    }
    draw("", "membar.gl; mov.u32 %r9, 1;", 32, 4, 0, DIAGRAM({'I', 1}, {'f', 2}, {'I', 1}));
    draw("", "membar.sys; mov.u32 %r9, 1;", 32, 4, 0, DIAGRAM({'I', 1}, {'f', 2}, {'I', 1}));
    draw("", "membar.cta; mov.u32 %r9, 1;", 32, 4, 0, DIAGRAM({'I', 2}));
    draw("sm.fence_waits_stores=false", "st.global.u32 [%rd2], %r7; membar.gl; mov.u32 %r9, 1;", 32, 4, 0,
         DIAGRAM({'I', 3}));
    for (unsigned latency = 1; latency <= 21; latency += 10) {
        char settings[100];
        snprintf(settings, sizeof settings, "sm.latency_move=%u", latency);
        draw(settings, "xor.b32 %r9, %r7, 1; membar.gl; mov.u32 %r10, 1;", 32, 4, 0,
             DIAGRAM({'I', 2}, {'f', 4 + latency}, {'I', 1}));
        snprintf(settings, sizeof settings, "sm.latency_move=%u sm.fence_waits_stores=false", latency);
        draw(settings, "xor.b32 %r9, %r7, 1; membar.gl; mov.u32 %r10, 1;", 32, 4, 0,
             DIAGRAM({'I', 2}, {'f', 4 + latency}, {'I', 1}));
    }
}

/* What one instruction of a warp asks of memory: offset and size of each request, "offset+bytes" in order. */
static void requests_of(const char *settings, const char *text, unsigned stride, const char *expected)
{
    struct bench b;
    struct strbuf found = {0};
    bench_open(&b, "gtx480", settings, text, 32);
    bench_run(&b, stride);
    for (unsigned i = 0; i < b.packet_count; i++)
        strbuf_addf(&found, "%s%u+%u", i ? " " : "", (unsigned)(b.packets[i].address - b.buffer), b.packets[i].bytes);
    if (strcmp(strbuf_text(&found), expected) != 0)
        fail_msg("%s | %s, stride %u\n expected %s\n found    %s", settings, text, stride, expected,
                 strbuf_text(&found));
    strbuf_free(&found);
    bench_close(&b);
}

/* Coalescing, drawn over memory (each letter 32 bytes, | every 128):
 *
 *     u32, stride 4             |aaaa|              one request of 128 bytes
 *     u32, stride 4, from 64    |..aa|bb..|         two of 64: the halves that are used
 *     u32, stride 4, from 96    |...a|bbb.|         32, and 128: three chunks are more than a half
 *     u32, stride 4, from 32    |.aaa|b...|         128 and 32
 *     u64, stride 8             |aaaa|bbbb|         two of 128
 *     u16, stride 2             |aa..|              segments of 64 for 2 bytes
 *     u16, stride 2, from 32    |.ab.|              64 would do, but lies in two segments
 *     u8, stride 1              |a...|              segments of 32 for single bytes
 *
 * arch20 makes segments of 32 bytes of what goes past the L1D. */
static void coalescing(void **state)
{
    static const char arch20[] = "sm.coalescing=arch20 sm.global_loads_use_l1=false";
    static const struct {
        const char *type, *value;
        unsigned stride, from;
        const char *arch13, *arch20;
    } cases[] = {
        {"u8", "%r9", 1, 0, "0+32", "0+32"},
        {"u8", "%r9", 1, 31, "0+32 32+32", "0+32 32+32"},
        {"u8", "%r9", 4, 0, "0+32 32+32 64+32 96+32", "0+32 32+32 64+32 96+32"},
        {"u16", "%r9", 2, 0, "0+64", "0+32 32+32"},
        {"u16", "%r9", 2, 32, "32+32 64+32", "32+32 64+32"},
        {"u16", "%r9", 2, 16, "0+64 64+32", "0+32 32+32 64+32"},
        {"u16", "%r9", 0, 66, "64+32", "64+32"},
        {"u32", "%r9", 4, 0, "0+128", "0+32 32+32 64+32 96+32"},
        {"u32", "%r9", 4, 4, "0+128 128+32", "0+32 32+32 64+32 96+32 128+32"},
        {"u32", "%r9", 4, 32, "0+128 128+32", "32+32 64+32 96+32 128+32"},
        {"u32", "%r9", 4, 64, "64+64 128+64", "64+32 96+32 128+32 160+32"},
        {"u32", "%r9", 4, 96, "96+32 128+128", "96+32 128+32 160+32 192+32"},
        {"u32", "%r9", 8, 0, "0+128 128+128", "0+32 32+32 64+32 96+32 128+32 160+32 192+32 224+32"},
        {"u32", "%r9", 0, 100, "96+32", "96+32"},
        {"u32", "%r9", 2048, 0, NULL, NULL}, /* every lane its own 32 bytes */
        {"u64", "%rd9", 8, 0, "0+128 128+128", "0+32 32+32 64+32 96+32 128+32 160+32 192+32 224+32"},
        {"u64", "%rd9", 8, 64, "64+64 128+128 256+64", "64+32 96+32 128+32 160+32 192+32 224+32 256+32 288+32"},
        {"v4.u32", "{%r9, %r10, %r11, %r12}", 16, 0, "0+128 128+128 256+128 384+128", ""},
        {"v2.u64", "{%rd9, %rd10}", 0, 48, "32+32", "32+32"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf lanes = {0}, sectors = {0};
        char load[200], store[200];
        for (unsigned lane = 0; lane < 32; lane++)
            strbuf_addf(&lanes, "%s%u+32", lane ? " " : "", 2048 * lane);
        for (unsigned at = 0; at < 512; at += 32)
            strbuf_addf(&sectors, "%s%u+32", at ? " " : "", at);
        const char *wide = cases[i].arch13 ? cases[i].arch13 : strbuf_text(&lanes);
        const char *narrow = !cases[i].arch20      ? strbuf_text(&lanes)
                             : !cases[i].arch20[0] ? strbuf_text(&sectors)
                                                   : cases[i].arch20;
        snprintf(load, sizeof load, "ld.global.cg.%s %s, [%%rd2+%u];", cases[i].type, cases[i].value, cases[i].from);
        snprintf(store, sizeof store, "st.global.%s [%%rd2+%u], %s;", cases[i].type, cases[i].from, cases[i].value);
        requests_of("", load, cases[i].stride, wide);
        requests_of("", store, cases[i].stride, wide);
        requests_of("sm.coalescing=arch20", load, cases[i].stride, narrow);
        requests_of("sm.coalescing=arch20", store, cases[i].stride, wide);
        requests_of(arch20, store, cases[i].stride, narrow);
        strbuf_free(&lanes);
        strbuf_free(&sectors);
    }
    /* Through the L1D every segment becomes a fill of its line. */
    requests_of("", "ld.global.u32 %r9, [%rd2+64];", 4, "0+128 128+128");
    /* Half of the lanes need half of the line; lanes that do not take part need nothing. */
    requests_of("", "setp.lt.u32 %p2, %r5, 16; @%p2 ld.global.cg.u32 %r9, [%rd2];", 4, "0+64");
    requests_of("", "setp.ge.u32 %p2, %r5, 24; @%p2 ld.global.cg.u32 %r9, [%rd2];", 4, "96+32");
    requests_of("", "setp.ge.u32 %p2, %r5, 32; @%p2 ld.global.cg.u32 %r9, [%rd2];", 4, "");
}

/* Atomics go by half warps; in a half, lanes that hit the same bytes go to different requests:
 *
 *     every lane its word     |aabb|       64 bytes a half warp
 *     pairs on one word       |ab..|ab     twice as many, of half the size
 *     one word                |a...| x 32
 */
static void atomics_coalesce_by_half_warps(void **state)
{
    static const struct {
        unsigned lanes; /* that meet in a word */
        const char *arch13, *arch20;
    } cases[] = {
        {1, "0+64 64+64", "0+32 32+32 64+32 96+32"},
        {2, "0+32 0+32 32+32 32+32", "0+32 0+32 32+32 32+32"},
        {4, "0+32 0+32 0+32 0+32 0+32 0+32 0+32 0+32", "0+32 0+32 0+32 0+32 0+32 0+32 0+32 0+32"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "div.u32 %%r10, %%r5, %u; mul.wide.u32 %%rd8, %%r10, 4; add.u64 %%rd8, %%rd8, %%rd1; "
                 "red.global.add.u32 [%%rd8], 1;",
                 cases[i].lanes);
        requests_of("", text, 4, cases[i].arch13);
        requests_of("sm.coalescing=arch20", text, 4, cases[i].arch20);
    }
    requests_of("", "red.global.add.u64 [%rd2], 1;", 8, "0+128 128+128");
    requests_of("", "red.global.add.u32 [%rd2+64], 1;", 4, "64+64 128+64");
    struct strbuf all = {0};
    for (unsigned lane = 0; lane < 32; lane++)
        strbuf_add(&all, lane ? " 0+32" : "0+32");
    requests_of("", "red.global.add.u32 [%rd1], 1;", 4, strbuf_text(&all));
    strbuf_free(&all);
}

/* Up to seven loads of one lane at distances of `step` bytes, then a store far away, which goes only when every load
 * has been accepted. */
static void open_loads(struct bench *b, const char *settings, unsigned loads, unsigned step)
{
    struct strbuf text = {0};
    for (unsigned i = 0; i < loads; i++)
        strbuf_addf(&text, "ld.global.u32 %%r%u, [%%rd1+%u];", 9 + i, i * step);
    strbuf_add(&text, "st.global.u32 [%rd1+65536], %r7;");
    bench_open(b, "gtx480", settings, strbuf_text(&text), 1);
    strbuf_free(&text);
}

/* The cycle in which the store was sent. */
static uint64_t store_sent(const struct bench *b)
{
    for (unsigned i = 0; i < b->packet_count; i++)
        if (b->packets[i].kind == PACKET_WRITE)
            return b->packets[i].at;
    fail_msg("no store was sent");
    return 0;
}

static unsigned reads_before(const struct bench *b, uint64_t cycle)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->packet_count; i++)
        n += b->packets[i].kind == PACKET_READ && b->packets[i].at < cycle;
    return n;
}

/* n loads of one line, of which m can wait for its fill (F: the cycle of the fill, a + 1):
 *
 *     n <= m     L1D   0 m m m S                  the store is served in the cycle behind the loads
 *     n >  m     L1D   0 m m x x x ... F S        the next load is refused until the fill comes, then it hits
 */
static void mshr_merges(void **state)
{
    for (unsigned merges = 1; merges <= 4; merges++) {
        for (unsigned loads = 1; loads <= merges + 3 && loads <= 6; loads++) { /* the store has a collector */
            struct bench b;
            char settings[100];
            snprintf(settings, sizeof settings, "l1d.mshr_merges=%u", merges);
            open_loads(&b, settings, loads, 4);
            b.delay = 300;
            bench_run(&b, 4);
            uint64_t first = bench_issue(&b, 0) + SERVED + 1, fill = b.replied_at[0] + 1;
            assert_int_equal(reads_before(&b, UINT64_MAX), 1);
            /* The store reads two registers and is issued `loads` cycles after the first load. */
            uint64_t served = loads <= merges ? first + loads + 1 : fill + loads - merges;
            assert_int_equal(store_sent(&b), served + 1);
            bench_close(&b);
        }
    }
}

/* n loads of different lines, with e MSHRs:
 *
 *     n <= e     requests   1 2 3 S
 *     n >  e     requests   1 2 x x x ... x 3     refused until the first fill's waiter is written (a + 2), sent a + 3
 */
static void mshr_entries(void **state)
{
    for (unsigned entries = 1; entries <= 4; entries++) {
        for (unsigned loads = 1; loads <= 6; loads++) {
            struct bench b;
            char settings[100];
            snprintf(settings, sizeof settings, "l1d.mshr_entries=%u", entries);
            open_loads(&b, settings, loads, 128);
            b.delay = 300;
            bench_run(&b, 4);
            assert_int_equal(reads_before(&b, UINT64_MAX), loads);
            assert_int_equal(reads_before(&b, b.replied_at[0] + 3), loads < entries ? loads : entries);
            if (loads > entries)
                assert_int_equal(b.packets[entries].at, b.replied_at[0] + 3);
            bench_close(&b);
        }
    }
}

/* n loads of different lines of one set of w lines, all reserved for fills:
 *
 *     n >  w     requests   1 2 x x x ... x 3     refused until a line is filled (a + 1), sent a + 2
 */
static void no_line_to_reserve(void **state)
{
    for (unsigned ways = 1; ways <= 4; ways++) {
        for (unsigned loads = 1; loads <= 6; loads++) {
            struct bench b;
            char settings[100];
            snprintf(settings, sizeof settings, "l1d.ways=%u l1d.set_index=linear", ways);
            open_loads(&b, settings, loads, 32 * 128);
            b.delay = 300;
            bench_run(&b, 4);
            assert_int_equal(reads_before(&b, b.replied_at[0] + 2), loads < ways ? loads : ways);
            if (loads > ways)
                assert_int_equal(b.packets[ways].at, b.replied_at[0] + 2);
            bench_close(&b);
        }
    }
}

/* Stores of five flits (136 bytes), accepted one a cycle, and the queue of q requests behind the L1D. The network takes
 * one while its injection queue of 9 has room for five more flits, which leave one a cycle:
 *
 *     cycle      4 5 6 7 8 . 11 . 16 . 21
 *     leaves       0 1       2    3    4
 *     q = 1      0 1 2       3    4    5         store q + k is refused until store k leaves
 *     q = 2      0 1 2 3     4    5
 */
static void requests_wait_for_the_network(void **state)
{
    for (unsigned injection = 5; injection <= 9; injection += 4) {
        for (unsigned queue = 1; queue <= 5; queue++) {
            struct bench b;
            struct strbuf text = {0};
            char settings[200];
            snprintf(
                settings, sizeof settings,
                "sm.l1d_queue=%u l1d.miss_room=1 network.injection_flits=%u sm.collectors_mem=8 sm.collector_reads=2",
                queue, injection);
            for (unsigned i = 0; i < 6; i++)
                strbuf_addf(&text, "st.global.u32 [%%rd2+%u], %%r7;", 4096 * i);
            bench_open(&b, "gtx480", settings, strbuf_text(&text), 32);
            b.watched = &sm_l1_stats(b.sm, 2)->writes;
            bench_run(&b, 4);
            unsigned first = bench_issue(&b, 0) + SERVED + 1;
            for (unsigned i = 0; i < 6; i++) {
                unsigned k = i - queue, at = first + i;
                unsigned left = injection == 5 || k == 0 ? first + 1 + 5 * k : first + 2 + 5 * (k - 1);
                at = i >= queue && left > at ? left : at;
                assert_int_equal(b.watch[at] - b.watch[0], i);
                assert_int_equal(b.watch[at + 1] - b.watch[0], i + 1);
            }
            strbuf_free(&text);
            bench_close(&b);
        }
    }
}

/* The cycle, after the first issue, in which a store is served behind the 32 requests of another warp's atomic. */
static unsigned store_behind_atomic(const char *in_order, unsigned queue)
{
    struct bench b;
    char settings[200];
    unsigned at = 0;
    snprintf(settings, sizeof settings, "sm.memory_in_order=%s sm.l1d_queue=%u l1d.miss_room=1", in_order, queue);
    bench_open(&b, "gtx480", settings,
               "setp.lt.u32 %p2, %r2, 32; @%p2 red.global.add.u32 [%rd1], 1; @!%p2 st.global.u32 [%rd1+4096], %r7;",
               64);
    b.watched = &sm_l1_stats(b.sm, 2)->writes;
    bench_run(&b, 4);
    while (at < b.length && b.watch[at + 1] == b.watch[0])
        at++;
    at -= bench_issue(&b, 0);
    bench_close(&b);
    return at;
}

/* What goes past the L1D. In order, it is served into the queue of q requests behind the L1D and leaves in the cycle
 * behind; where it may overtake, it is served when the network takes it, and holds up what comes behind it until then.
 * The network takes a request of two flits every three cycles:
 *
 *     in order, q = 1      A A . . A . . A           A . . A S         all but the last q have left
 *     in order, q = 2      A A A . . A . . A ...     A S
 *     overtaking           A A . . A . . A           A . . A . S       all have left, each a cycle sooner
 */
static void past_the_l1d(void **state)
{
    static const char *const texts[] = {"ld.global.cg.u32 %r9, [%rd2];", "atom.global.add.u32 %r9, [%rd2], 1;",
                                        "red.global.add.u32 [%rd2], 1;"};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct bench b;
        bench_open(&b, "gtx480", "sm.memory_in_order=false", texts[i], 8);
        bench_run(&b, 4);
        assert_int_equal(b.packets[0].at, bench_issue(&b, 0) + SERVED + 1);
        bench_close(&b);
    }
    for (unsigned queue = 1; queue <= 8; queue++) {
        assert_int_equal(store_behind_atomic("true", queue), 90 - 3 * queue);
        assert_int_equal(store_behind_atomic("false", queue), 88);
    }
}

/* Behind four such stores, of which two have left in cycles 5 and 6, a load that misses needs l1d.miss_room places in
 * the queue of three:
 *
 *     cycle         8    11    16
 *     free          1    2     3
 *     miss_room 1   L
 *     miss_room 2   x x  L
 *     miss_room 3   x x  x x   L
 */
static void misses_need_room(void **state)
{
    static const unsigned cycles[] = {8, 11, 16};
    for (unsigned room = 1; room <= 3; room++) {
        struct bench b;
        struct strbuf text = {0};
        char settings[200];
        snprintf(settings, sizeof settings, "sm.l1d_queue=3 l1d.miss_room=%u sm.collectors_mem=8 sm.collector_reads=2",
                 room);
        for (unsigned i = 0; i < 4; i++)
            strbuf_addf(&text, "st.global.u32 [%%rd2+%u], %%r7;", 4096 * i);
        strbuf_add(&text, "ld.global.u32 %r9, [%rd2+65536];");
        bench_open(&b, "gtx480", settings, strbuf_text(&text), 32);
        b.watched = &sm_l1_stats(b.sm, 2)->read_misses;
        bench_run(&b, 4);
        unsigned at = bench_issue(&b, 0) + cycles[room - 1];
        assert_int_equal(b.watch[at] - b.watch[0], 0);
        assert_int_equal(b.watch[at + 1] - b.watch[0], 1);
        strbuf_free(&text);
        bench_close(&b);
    }
}

/* n loads that wait for one fill: one result a cycle goes to the registers.
 *
 *     cycle       a     a+1      a+2   a+3   a+4
 *                 offered  filled   1st   2nd   3rd and its reader issues
 */
static void one_result_a_cycle(void **state)
{
    for (unsigned loads = 1; loads <= 6; loads++) {
        struct bench b;
        struct strbuf text = {0};
        for (unsigned i = 0; i < loads; i++)
            strbuf_addf(&text, "ld.global.u32 %%r%u, [%%rd1+%u];", 9 + i, 4 * i);
        strbuf_addf(&text, "mov.u32 %%r20, %%r%u;", 9 + loads - 1);
        bench_open(&b, "gtx480", "", strbuf_text(&text), 1);
        b.delay = 100;
        bench_run(&b, 4);
        assert_int_equal(bench_issue(&b, loads), b.replied_at[0] + 2 + loads - 1);
        strbuf_free(&text);
        bench_close(&b);
    }
}

/* Three loads that wait for one fill, and two loads from shared memory whose values come in the same cycles: the
 * results take turns at the port to the registers.
 *
 *     L1D       0 1 2            ready from cycle w on, one behind the other
 *     shared    3 4              ready in w and w + 1
 *     port      3 0 4 1 2        cycles w to w + 4; nobody had the port before, so shared memory is asked first
 */
static void results_take_turns(void **state)
{
    static const unsigned turn[] = {1, 3, 4, 0, 2};
    for (unsigned delay = 20; delay <= 60; delay += 40) {
        for (unsigned i = 0; i < 5; i++) {
            struct bench b;
            char settings[100], text[400];
            /* The fill is written from 5 + 8 + d + 7 + 4 + 2 on; the first shared load is served in cycle 3 + 4. */
            unsigned written = 26 + delay;
            snprintf(settings, sizeof settings, "sm.shared_latency=%u", written - 7);
            snprintf(text, sizeof text,
                     "ld.global.u32 %%r9, [%%rd1]; ld.global.u32 %%r10, [%%rd1+4]; ld.global.u32 %%r11, [%%rd1+8]; "
                     "ld.shared.u32 %%r12, [%%r3]; ld.shared.u32 %%r13, [%%r3]; mov.u32 %%r14, %%r%u;",
                     9 + i);
            bench_open(&b, "gtx480", settings, text, 1);
            b.delay = delay;
            bench_run(&b, 4);
            assert_int_equal(b.replied_at[0], bench_issue(&b, 0) + written - 2);
            assert_int_equal(bench_issue(&b, 5), bench_issue(&b, 0) + written + turn[i]);
            bench_close(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_conflicts),
        cmocka_unit_test(shared_atomics_on_one_word),
        cmocka_unit_test(shared_atomics_by_loops), cmocka_unit_test(shared_results_come_later),
        cmocka_unit_test(l1d_hits), cmocka_unit_test(l1d_hits_behind_the_tags),
        cmocka_unit_test(l1d_hits), cmocka_unit_test(l1d_words_of_lanes),
        cmocka_unit_test(ways_to_memory_and_back),
        cmocka_unit_test(fences),
        cmocka_unit_test(coalescing),
        cmocka_unit_test(atomics_coalesce_by_half_warps),
        cmocka_unit_test(mshr_merges),
        cmocka_unit_test(mshr_entries),
        cmocka_unit_test(no_line_to_reserve),
        cmocka_unit_test(requests_wait_for_the_network),
        cmocka_unit_test(past_the_l1d),
        cmocka_unit_test(misses_need_room),
        cmocka_unit_test(one_result_a_cycle),
        cmocka_unit_test(results_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
