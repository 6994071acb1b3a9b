/* Timing rules of an SM's pipeline, each as a diagram of the cycles from an instruction's issue on: what the diagram
 * shows next has not happened in the cycle before, and has in its own. Every rule is drawn for several values of its
 * parameter. The way of an instruction that reads r registers and has latency L:
 *
 *     cycle 0      1          2 to r+1     r+2    r+3       r+5+L
 *           issue  collector  reads banks  OC/EX  dispatch  writeback, and issue of who waits for it
 */
#include "rules_bench.h"

#define AROUND 5 /* of the cycles above, those that are neither reads nor latency */

static void draw(const char *settings, const char *text, unsigned threads, const struct bench_run *runs)
{
    struct bench b;
    char what[1024];
    snprintf(what, sizeof what, "%s | %s", settings, text);
    bench_open(&b, "gtx480", settings, text, threads);
    bench_run(&b, 4);
    bench_expect(&b, what, 0, runs);
    bench_close(&b);
}

/* One row for each class of instructions: how it is written, to register %u, from how many registers, and how it is
 * read; and the class whose latency and interval it has where its own are 0. */
static const struct {
    const char *name, *text, *reader, *like;
    unsigned reads;
    size_t latency, interval, like_latency, like_interval; /* in struct sm_params */
} classes[] = {
/* clang-format off */
#define LATENCY_OF(name) offsetof(struct sm_params, latency_##name)
#define INTERVAL_OF(name) offsetof(struct sm_params, interval_##name)
#define CLASS(name, text, reader)                                                                                      \
    {#name, text, reader, #name, 1, LATENCY_OF(name), INTERVAL_OF(name), LATENCY_OF(name), INTERVAL_OF(name)}
#define CLASS_LIKE(name, like, reads, text, reader)                                                                    \
    {#name, text, reader, #like, reads, LATENCY_OF(name), INTERVAL_OF(name), LATENCY_OF(like), INTERVAL_OF(like)}
/* clang-format on */
#define READ_INT "mov.u32 %%r20, %%r%u;"
#define READ_F32 "mov.f32 %%f7, %%f%u;"
#define READ_F64 "mov.f64 %%d7, %%d%u;"
#define READ_F16 "mov.b16 %%h7, %%h%u;"
    CLASS(move, "xor.b32 %%r%u, %%r7, 5;", READ_INT),
    CLASS(int_add, "add.u32 %%r%u, %%r7, 1;", READ_INT),
    CLASS(int_max, "max.u32 %%r%u, %%r7, 1;", READ_INT),
    CLASS(int_mul, "mul.lo.u32 %%r%u, %%r7, 5;", READ_INT),
    CLASS(int_mad, "mad.lo.u32 %%r%u, %%r7, 5, 1;", READ_INT),
    CLASS(int_div, "div.u32 %%r%u, %%r7, 5;", READ_INT),
    CLASS(f32_add, "add.f32 %%f%u, %%f1, 0f3F800000;", READ_F32),
    CLASS(f32_max, "max.f32 %%f%u, %%f1, 0f3F800000;", READ_F32),
    CLASS(f32_mul, "mul.f32 %%f%u, %%f1, 0f3F800000;", READ_F32),
    CLASS(f32_mad, "mad.rn.f32 %%f%u, %%f1, 0f3F800000, 0f3F800000;", READ_F32),
    CLASS(f32_div, "div.rn.f32 %%f%u, %%f1, 0f3F800000;", READ_F32),
    CLASS(f64_add, "add.f64 %%d%u, %%d1, 0d3FF0000000000000;", READ_F64),
    CLASS(f64_max, "max.f64 %%d%u, %%d1, 0d3FF0000000000000;", READ_F64),
    CLASS(f64_mul, "mul.f64 %%d%u, %%d1, 0d3FF0000000000000;", READ_F64),
    CLASS(f64_mad, "mad.rn.f64 %%d%u, %%d1, 0d3FF0000000000000, 0d3FF0000000000000;", READ_F64),
    CLASS(f64_div, "div.rn.f64 %%d%u, %%d1, 0d3FF0000000000000;", READ_F64),
    CLASS(special, "rcp.approx.ftz.f32 %%f%u, %%f1;", READ_F32),
    CLASS(shuffle, "shfl.sync.idx.b32 %%r%u, %%r7, 0, 31, -1;", READ_INT),
    CLASS(fma, "fma.rn.f32 %%f%u, %%f1, 0f3F800000, 0f3F800000;", READ_F32),
    CLASS(rem, "rem.u32 %%r%u, %%r7, 5;", READ_INT),
    CLASS_LIKE(f16_add, f32_add, 2, "add.f16 %%h%u, %%h1, %%h2;", READ_F16),
    CLASS_LIKE(f16_max, f32_max, 2, "max.f16 %%h%u, %%h1, %%h2;", READ_F16),
    CLASS_LIKE(f16_mul, f32_mul, 2, "mul.f16 %%h%u, %%h1, %%h2;", READ_F16),
    CLASS_LIKE(f16_fma, fma, 3, "fma.rn.f16 %%h%u, %%h1, %%h2, %%h3;", READ_F16),
    CLASS_LIKE(f16_special, special, 1, "ex2.approx.f16 %%h%u, %%h1;", READ_F16),
    CLASS_LIKE(f64_fma, fma, 1, "fma.rn.f64 %%d%u, %%d1, 0d3FF0000000000000, 0d3FF0000000000000;", READ_F64),
    CLASS_LIKE(f64_special, special, 1, "sqrt.rn.f64 %%d%u, %%d1;", READ_F64),
};
#define CLASSES (sizeof classes / sizeof classes[0])

/* A class's cycles on the machine as it is. */
static unsigned of_machine(size_t own, size_t like)
{
    struct device d;
    uint32_t value, other;
    device_open(&d, "gtx480", NULL);
    memcpy(&value, (const char *)&d.machine.sm + own, sizeof value);
    memcpy(&other, (const char *)&d.machine.sm + like, sizeof other);
    device_close(&d);
    return value ? value : other;
}

static void draw_latency(unsigned i, const char *settings, unsigned latency)
{
    char text[300];
    unsigned at = snprintf(text, sizeof text, classes[i].text, 5);
    snprintf(text + at, sizeof text - at, classes[i].reader, 5);
    draw(settings, text, 32, DIAGRAM({'I', 1}, {'d', AROUND + classes[i].reads - 1 + latency}, {'I', 1}));
}

/* op %5; reader of %5:
 *
 *     I d d d ... d I        the reader issues AROUND + 1 read + latency cycles after op
 */
static void latency_of_each_class(void **state)
{
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned machine = of_machine(classes[i].latency, classes[i].like_latency), values[] = {machine, machine + 9};
        for (unsigned v = 0; v < 2; v++) {
            char settings[200];
            snprintf(settings, sizeof settings, "sm.latency_%s=%u", classes[i].name, values[v]);
            draw_latency(i, settings, values[v]);
        }
    }
}

static unsigned find_class(const char *name)
{
    unsigned i = 0;
    while (strcmp(classes[i].name, name) != 0)
        assert_true(++i < CLASSES);
    return i;
}

/* Classes of one operation with different types, of which one has the other's latency where its own is 0. */
static void types_have_latencies_of_their_own(void **state)
{
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned like = find_class(classes[i].like), machine = of_machine(classes[like].latency, classes[like].latency);
        char settings[200];
        if (like == i)
            continue;
        snprintf(settings, sizeof settings, "sm.latency_%s=30 sm.interval_%s=30", classes[i].name, classes[i].name);
        draw_latency(i, settings, 30);
        draw_latency(like, settings, machine);
        snprintf(settings, sizeof settings, "sm.latency_%s=30 sm.latency_%s=%u", classes[like].name, classes[i].name,
                 machine);
        draw_latency(i, settings, machine);
        draw_latency(like, settings, 30);
        snprintf(settings, sizeof settings, "sm.latency_%s=30", classes[like].name);
        draw_latency(i, settings, 30);
    }
}

/* op %5; op %6; reader of %6, on one unit of each kind:
 *
 *     unit     . . . . 5 5 5 5 6        5 holds the unit's dispatch register for its interval
 *     issue    I I d d d d ... d I      the reader follows the second op's dispatch by its latency
 *
 * With two units nobody waits. */
static void initiation_interval_of_each_class(void **state)
{
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned latency = of_machine(classes[i].latency, classes[i].like_latency);
        unsigned machine = of_machine(classes[i].interval, classes[i].like_interval);
        const struct {
            unsigned interval, units;
        } cases[] = {{machine, 1}, {machine + 6, 1}, {machine + 6, 2}};
        for (unsigned c = 0; c < 3; c++) {
            char settings[200], text[300];
            unsigned apart = cases[c].units == 1 ? cases[c].interval : 1;
            unsigned at = snprintf(text, sizeof text, classes[i].text, 5);
            at += snprintf(text + at, sizeof text - at, classes[i].text, 6);
            snprintf(text + at, sizeof text - at, classes[i].reader, 6);
            snprintf(settings, sizeof settings, "sm.sp_units=%u sm.sfu_units=%u sm.interval_%s=%u", cases[c].units,
                     cases[c].units, classes[i].name, cases[c].interval);
            unsigned reads = classes[i].reads, all = AROUND + latency + reads - 1;
            draw(settings, text, 32, DIAGRAM({'I', 2}, {'d', all + apart - 1}, {'I', 1}));
        }
    }
}

/* Which unit runs what: op; probe; reader of the probe, where op holds its unit for 40 cycles and the probe is an SFU
 * or an SP instruction. The probe waits for the unit that op holds, and for no other.
 *
 *     same unit      I I d d d ... d I      AROUND + 1 read + latency of the probe + 40
 *     another        I I d d I              AROUND + 1 read + latency of the probe + 1
 */
static void units_of_classes(void **state)
{
    static const struct {
        const char *op, *interval;
        bool sfu;
        const char *settings;
    } cases[] = {
        {"mul.lo.u32 %r20, %r7, 5;", "int_mul", true, ""},
        {"mul.lo.u32 %r20, %r7, 5;", "int_mul", false, "sm.sfu_multiplies=false"},
        {"mad.lo.u32 %r20, %r7, 5, 1;", "int_mad", true, ""},
        {"mad.lo.u32 %r20, %r7, 5, 1;", "int_mad", false, "sm.sfu_multiplies=false"},
        {"div.u32 %r20, %r7, 5;", "int_div", true, ""},
        {"div.rn.f32 %f2, %f1, 0f3F800000;", "f32_div", true, ""},
        {"add.f64 %d2, %d1, 0d3FF0000000000000;", "f64_add", true, ""},
        {"sqrt.approx.f32 %f2, %f1;", "special", true, ""},
        {"add.u32 %r20, %r7, 5;", "int_add", false, ""},
        {"mul.f32 %f2, %f1, 0f3F800000;", "f32_mul", false, ""}, /* while the SP's register is free */
        {"rem.u32 %r20, %r7, 5;", "rem", false, ""},
        {"shfl.sync.idx.b32 %r20, %r7, 0, 31, -1;", "shuffle", false, ""},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned sfu = 0; sfu < 2; sfu++) {
            char settings[200], text[300];
            /* The probe's own class is one that op is not of. */
            snprintf(settings, sizeof settings, "sm.sp_units=1 sm.interval_%s=40 sm.latency_%s=3 %s", cases[i].interval,
                     cases[i].interval, cases[i].settings);
            bool special = !strcmp(cases[i].interval, "special");
            snprintf(text, sizeof text, "%s %s", cases[i].op,
                     !sfu      ? "xor.b32 %r21, %r7, 1; mov.u32 %r22, %r21;"
                     : special ? "add.f64 %d2, %d1, 0d3FF0000000000000; mov.f64 %d3, %d2;"
                               : "rcp.approx.ftz.f32 %f3, %f1; mov.f32 %f4, %f3;");
            unsigned apart = sfu == cases[i].sfu ? 40 : 1;
            draw(settings, text, 32, DIAGRAM({'I', 2}, {'d', AROUND + (sfu ? 8 : 1) + apart - 1}, {'I', 1}));
        }
    }
}

/* An f32 product takes the SFU when no SP register is free. A scheduler that may issue two instructions in a cycle:
 *
 *     id_oc_sp=1    add (SP), mul (SFU)     both in cycle 0
 *                   add (SP), add           the second is refused, and issues in cycle 1
 *     id_oc_sp=2    add (SP), add (SP)      both in cycle 0
 */
static void f32_products_go_where_there_is_room(void **state)
{
    static const struct {
        const char *second;
        unsigned registers, apart;
    } cases[] = {{"mul.f32 %f2, %f1, 0f3F800000;", 1, 0},
                 {"add.f32 %f2, %f1, 0f3F800000;", 1, 1},
                 {"add.f32 %f2, %f1, 0f3F800000;", 2, 0}};
    for (unsigned i = 0; i < 3; i++) {
        struct bench b;
        char settings[200], text[200];
        snprintf(settings, sizeof settings, "sm.issue_width=2 sm.id_oc_sp=%u", cases[i].registers);
        snprintf(text, sizeof text, "add.f32 %%f3, %%f1, 0f3F800000; %s mov.u32 %%r20, 1;", cases[i].second);
        bench_open(&b, "gtx480", settings, text, 32);
        bench_run(&b, 4);
        assert_int_equal(bench_issue(&b, 1) - bench_issue(&b, 0), cases[i].apart);
        bench_close(&b);
    }
}

/* Where that product went shows in a reciprocal behind it, issued in cycle 1, which waits if its SFU is held:
 *
 *     id_oc_sp=2    add, mul (SP) | rcp       nobody holds the SFU
 *     id_oc_sp=1    add, mul (SFU) | rcp      the product holds it for its interval, from a cycle before the reciprocal
 *                                             would have it (it reads one register; so does the product)
 */
static void f32_products_hold_the_sfu(void **state)
{
    for (unsigned interval = 10; interval <= 40; interval += 30) {
        for (unsigned registers = 1; registers <= 2; registers++) {
            struct bench b;
            char settings[200];
            snprintf(settings, sizeof settings, "sm.issue_width=2 sm.id_oc_sp=%u sm.interval_f32_mul=%u", registers,
                     interval);
            bench_open(&b, "gtx480", settings,
                       "add.f32 %f3, %f1, 0f3F800000; mul.f32 %f2, %f6, 0f3F800000; rcp.approx.ftz.f32 %f4, %f1; "
                       "mov.f32 %f5, %f4;",
                       32);
            bench_run(&b, 4);
            unsigned wait = registers == 1 ? interval - 1 : 0;
            assert_int_equal(bench_issue(&b, 2) - bench_issue(&b, 0), 1);
            assert_int_equal(bench_issue(&b, 3) - bench_issue(&b, 2), AROUND + 1 + 8 + wait);
            bench_close(&b);
        }
    }
}

/* A (latency 5), B (latency 4) a cycle later: both results would come in the same cycle.
 *
 *     A   dispatch . . . . . result
 *     B            dispatch . . . . result        two buses, two units: its reader issues AROUND + 1 + 4 after B
 *     B              dispatch . . . . result      one bus, or one unit (which ends one op a cycle): a cycle later
 */
static void result_buses(void **state)
{
    static const struct {
        unsigned buses, units, late;
    } cases[] = {{2, 2, 0}, {1, 2, 1}, {2, 1, 1}, {3, 3, 0}};
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned longer = 0; longer < 2; longer++) { /* or the latencies do not meet */
            char settings[200];
            snprintf(settings, sizeof settings, "sm.result_buses=%u sm.sp_units=%u sm.latency_f32_mad=%u",
                     cases[i].buses, cases[i].units, 5 + longer);
            draw(settings,
                 "mad.rn.f32 %f2, %f1, 0f3F800000, 0f3F800000; add.f32 %f3, %f1, 0f3F800000; mov.f32 %f4, %f3;", 32,
                 DIAGRAM({'I', 2}, {'d', AROUND + 4 + (longer ? 0 : cases[i].late)}, {'I', 1}));
        }
    }
}

/* One instruction whose k operands lie in one bank, or in k banks:
 *
 *     one bank     issue  collector  read  read  read  OC/EX  ...      k cycles of reading
 *     k banks      issue  collector  read  OC/EX  ...                  one, if a collector takes k operands a cycle
 */
static void operands_in_one_bank(void **state)
{
    static const char *const same[] = {"mov.b32 %r30, %r1;", "add.u32 %r30, %r1, %r9;",
                                       "slct.u32.s32 %r30, %r1, %r9, %r17;", "bfi.b32 %r30, %r1, %r9, %r17, %r25;"};
    static const char *const apart[] = {"mov.b32 %r30, %r1;", "add.u32 %r30, %r1, %r2;",
                                        "slct.u32.s32 %r30, %r1, %r2, %r3;", "bfi.b32 %r30, %r1, %r2, %r3, %r4;"};
    for (unsigned k = 1; k <= 4; k++) {
        for (unsigned reads = 1; reads <= 4; reads++) {
            unsigned latency = k == 2 ? 4 : 1, cycles = (k + reads - 1) / reads;
            char settings[200], text[200];
            snprintf(settings, sizeof settings, "sm.register_banks=8 sm.collector_reads=%u", reads);
            snprintf(text, sizeof text, "%s mov.u32 %%r31, %%r30;", same[k - 1]);
            draw(settings, text, 32, DIAGRAM({'I', 1}, {'d', AROUND + k + latency - 1}, {'I', 1}));
            snprintf(text, sizeof text, "%s mov.u32 %%r31, %%r30;", apart[k - 1]);
            draw(settings, text, 32, DIAGRAM({'I', 1}, {'d', AROUND + cycles + latency - 1}, {'I', 1}));
        }
    }
    /* With 16 banks registers 1 and 9, 17 and 25 are apart. */
    draw("sm.collector_reads=4", "bfi.b32 %r30, %r1, %r9, %r17, %r25; mov.u32 %r31, %r30;", 32,
         DIAGRAM({'I', 1}, {'d', AROUND + 2}, {'I', 1}));
}

/* Two warps read the same register in the same cycle; its bank is the register's number plus the warp's slot, or
 * without sm.bank_by_warp the number alone:
 *
 *     by warp      warp 0  read bank 4       warp 1  read bank 5         both results in one cycle
 *     by number    warp 0  read bank 4       warp 1  .    read bank 4    a cycle apart
 */
static void warps_in_one_bank(void **state)
{
    static const struct {
        const char *settings;
        unsigned apart;
    } cases[] = {
        {"sm.bank_by_warp=true", 0}, {"sm.bank_by_warp=false", 1}, {"sm.bank_by_warp=true sm.register_banks=1", 1}};
    for (unsigned i = 0; i < 3; i++) {
        struct bench b;
        char settings[200];
        snprintf(settings, sizeof settings, "sm.schedulers=2 %s", cases[i].settings);
        bench_open(&b, "gtx480", settings,
                   "bar.sync 0; bar.sync 0; xor.b32 %r9, %r20, 1; mov.u32 %r9, %clock; st.global.u32 [%rd2], %r9;", 64);
        bench_run(&b, 4);
        uint32_t first = device_word(&b.d, b.buffer), second = device_word(&b.d, b.buffer + 128);
        assert_int_equal(first < second ? second - first : first - second, cases[i].apart);
        bench_close(&b);
    }
}

/* mov to %r9 (bank 9), k moves, a reader of %r25 (bank 9) that reads two cycles after its issue, its reader:
 *
 *     write of %r9      . . . . . . W          AROUND + latency after the first issue
 *     read of %r25      . . . . . . x R        k = AROUND + latency - 3: the write wins, the read is a cycle late
 *                       . . . . . R            k one less or more: it is not
 */
static void writes_win_over_reads(void **state)
{
    for (unsigned latency = 1; latency <= 3; latency++) {
        for (unsigned k = 1; k <= 5; k++) {
            char settings[200];
            struct strbuf text = {0};
            strbuf_add(&text, "mov.u32 %r9, 1;");
            for (unsigned i = 0; i < k; i++)
                strbuf_addf(&text, "mov.u32 %%r%u, 1;", 10 + i);
            strbuf_add(&text, "xor.b32 %r30, %r25, 1; mov.u32 %r31, %r30;");
            snprintf(settings, sizeof settings, "sm.latency_move=%u", latency);
            unsigned late = 1 + k + 2 == AROUND + latency;
            /* The last of eight instructions is met by the next fetch only. */
            draw(settings, strbuf_text(&text), 32, DIAGRAM({'I', k + 2}, {'d', AROUND + latency + late}, {'I', 1}));
            strbuf_free(&text);
        }
    }
}

/* Reciprocals on one SFU of interval i: one in dispatch, one in OC/EX, c in the collectors, one in ID/OC; the next
 * instruction for the SFU is refused until the unit takes its second one.
 *
 *     dispatch    . . . . D . . . ... . D             cycles 4 and 4 + i
 *     issue       I I I I I s s s ... s I             everybody behind it moves up in that cycle
 */
static void collectors_and_pipeline_registers_full(void **state)
{
    static const unsigned registers[] = {0, 2, 3, 4, 5, 6, 7};
    for (unsigned interval = 20; interval <= 40; interval += 20) {
        for (unsigned collectors = 2; collectors <= 4; collectors++) {
            char settings[200];
            struct strbuf text = {0};
            unsigned held = collectors + 3;
            snprintf(settings, sizeof settings, "sm.interval_special=%u sm.collectors_sfu=%u", interval, collectors);
            for (unsigned i = 0; i < held; i++)
                strbuf_addf(&text, "rcp.approx.ftz.f32 %%f%u, %%f1;", registers[i]);
            strbuf_add(&text, "mul.lo.u32 %r9, %r7, 5;");
            draw(settings, strbuf_text(&text), 32, DIAGRAM({'I', held}, {'s', 4 + interval - held}, {'I', 1}));
            strbuf_free(&text);
        }
    }
}

/* xor %r9; then an instruction that
 *
 *     reads %r9 (RAW)                    I d d d d d d I
 *     writes %r9 (WAW)                   I d d d d d d I
 *     has its guard from a comparison    I d d d d d d I
 *     writes what xor reads (WAR)        I I                  operands are read at issue
 */
static void scoreboard(void **state)
{
    for (unsigned latency = 1; latency <= 12; latency += 11) {
        char settings[200];
        snprintf(settings, sizeof settings, "sm.latency_move=%u", latency);
        const struct bench_run *waits = DIAGRAM({'I', 1}, {'d', AROUND + latency}, {'I', 1});
        draw(settings, "xor.b32 %r9, %r7, 1; xor.b32 %r10, %r9, 1;", 32, waits);
        draw(settings, "xor.b32 %r9, %r7, 1; mov.u32 %r9, 1;", 32, waits);
        draw(settings, "setp.eq.u32 %p2, %r7, 1; @%p2 mov.u32 %r9, 1;", 32, waits);
        draw(settings, "xor.b32 %r9, %r7, 1; @%p1 mov.u32 %r9, 1;", 32, waits);
        draw(settings, "xor.b32 %r9, %r7, 1; mov.u32 %r7, 1;", 32, DIAGRAM({'I', 2}));
        draw(settings, "xor.b32 %r9, %r7, 1; mov.u32 %r10, %r7;", 32, DIAGRAM({'I', 2}));
        strcat(settings, " sm.one_in_flight=true");
        draw(settings, "xor.b32 %r9, %r7, 1; xor.b32 %r10, %r9, 1;", 32, waits);
        draw(settings, "xor.b32 %r9, %r7, 1; mov.u32 %r10, %r7;", 32, waits);
        draw(settings, "xor.b32 %r9, %r7, 1; @%p1 bra L; L: mov.u32 %r10, 1;", 32, waits);
    }
}

/* A scheduler issues in one of n cycles, s meanwhile if it could. */
static void issue_interval(void **state)
{
    for (unsigned n = 1; n <= 5; n++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "sm.schedulers=1 sm.id_oc_sp=8 sm.instruction_buffer=8 sm.fetch_width=8 sm.issue_interval=%u", n);
        draw(settings, "mov.u32 %r9, 1; mov.u32 %r10, 1; mov.u32 %r11, 1;", 32,
             DIAGRAM({'I', 1}, {'s', n - 1}, {'I', 1}, {'s', n - 1}, {'I', 1}));
    }
}

/* Fetch serves a warp whose buffer is empty, decode follows a cycle later, issue a cycle after that:
 *
 *     issue    I I F I I F         a buffer of two
 *     fetch      f     f           in the cycle in which the last one issues
 *     decode       D     D
 *
 * n instructions a fetch: the smaller of the fetch's width and the buffer. Two warps fill each other's gaps. */
static void fetch_and_decode(void **state)
{
    static const char moves[] = "mov.u32 %r9, 2; mov.u32 %r10, 2; mov.u32 %r11, 2; mov.u32 %r12, 2; mov.u32 %r13, 2; "
                                "mov.u32 %r14, 2; mov.u32 %r15, 2; mov.u32 %r16, 2;";
    static const struct {
        unsigned buffer, width;
    } cases[] = {{2, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 4}, {4, 2}, {4, 4}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[200];
        unsigned n = cases[i].buffer < cases[i].width ? cases[i].buffer : cases[i].width;
        snprintf(settings, sizeof settings, "sm.instruction_buffer=%u sm.fetch_width=%u", cases[i].buffer,
                 cases[i].width);
        draw(settings, moves, 32, DIAGRAM({'I', n}, {'F', 1}, {'I', n}, {'F', 1}));
    }
    draw("sm.instruction_buffer=2 sm.fetch_width=2 sm.scheduler=lrr",
         "bar.sync 0; mov.u32 %r9, 2; mov.u32 %r10, 2; mov.u32 %r11, 2; mov.u32 %r12, 2; mov.u32 %r13, 2;", 64,
         DIAGRAM({'I', 12}));
}

/* A taken branch: the instruction behind it is met in the next cycle and flushed, fetch starts in that cycle.
 *
 *     taken        I c c I       bra, flush + fetch, decode, target
 *     not taken    I I
 */
static void taken_branches_refetch(void **state)
{
    draw("", "@%p1 bra L; mov.u32 %r9, 1; mov.u32 %r9, 2; L: mov.u32 %r10, 2; mov.u32 %r11, 2;", 1,
         DIAGRAM({'I', 1}, {'c', 2}, {'I', 2}));
    draw("", "@!%p1 bra L; mov.u32 %r9, 1; mov.u32 %r10, 2; L: mov.u32 %r11, 2;", 1, DIAGRAM({'I', 4}));
    /* Lane 0 goes to L, then the others do the two instructions that it left out, then all meet at M: three changes of
     * control. */
    draw("", "@%p1 bra L; mov.u32 %r9, 1; bra M; L: mov.u32 %r10, 2; M: mov.u32 %r11, 2;", 32,
         DIAGRAM({'I', 1}, {'c', 2}, {'I', 1}, {'c', 2}, {'I', 2}, {'c', 2}, {'I', 1}));
    /* A buffer whose branch is its last instruction holds nothing wrong, but fetch has gone on in a straight line. */
    draw("sm.instruction_buffer=1 sm.fetch_width=1", "@%p1 bra L; mov.u32 %r9, 1; L: mov.u32 %r10, 2;", 1,
         DIAGRAM({'I', 1}, {'F', 1}, {'c', 2}, {'I', 1}));
}

/* The first instructions of a launch with an empty instruction cache:
 *
 *     cycle 0            fetch misses, the request leaves
 *           8            the memory has it, and answers; the line is five flits
 *           a = 8+7+4    the line is offered to the SM, which takes it from the network
 *           a+1          it goes into the instruction cache; the warp may ask again from the next cycle on
 *           a+2          fetch, a+3 decode, a+4 issue
 *
 * With sm.fetch_from_fill the line goes to the warp in a+1, and all that follows is a cycle earlier. */
static void instruction_cache_miss(void **state)
{
    for (unsigned from_fill = 0; from_fill < 2; from_fill++) {
        struct bench b;
        bench_open(&b, "gtx480", from_fill ? "sm.fetch_from_fill=true" : "", "mov.u32 %r9, 1;", 32);
        bench_launch(&b, b.buffer, 4);
        bench_finish(&b);
        unsigned first = 0, there = (unsigned)b.replied_at[0];
        while (!b.issues[first + 1])
            first++;
        assert_int_equal(there, BENCH_REQUEST + BENCH_REPLY + 4);
        assert_int_equal(first, there + (from_fill ? 3 : 4));
        bench_close(&b);
    }
}

/* Warps arrive at a barrier, the last one in cycle 0:
 *
 *     lrr      B I I I ...       a warp issues in cycle 1, the others in the cycles behind it
 */
static void barriers_release_in_the_next_cycle(void **state)
{
    for (unsigned warps = 2; warps <= 8; warps *= 2) {
        struct bench b;
        bench_open(&b, "gtx480", "sm.scheduler=lrr",
                   "bar.sync 0; xor.b32 %r9, %r7, 1; bar.sync 0; mov.u32 %r10, 1; mov.u32 %r11, 1;", 32 * warps);
        bench_run(&b, 4);
        unsigned last = bench_issue(&b, 3 * warps - 1); /* the last warp's second barrier */
        assert_int_equal(bench_issue(&b, 3 * warps), last + 1);
        for (unsigned i = 1; i < 2 * warps; i++)
            assert_int_equal(bench_issue(&b, 3 * warps + i), last + 1 + i);
        bench_close(&b);
    }
    /* Warp 1 (the others' guard is false) sleeps n cycles before it arrives; nobody passes before. */
    for (unsigned ns = 1000; ns <= 2000; ns += 500) {
        struct bench b;
        char text[300];
        snprintf(
            text, sizeof text,
            "setp.lt.u32 %%p2, %%r2, 32; bar.sync 0; @%%p2 bra L; nanosleep.u32 %u; L: bar.sync 1; mov.u32 %%r9, 1;",
            ns);
        bench_open(&b, "gtx480", "sm.scheduler=lrr", text, 64);
        bench_run(&b, 4);
        unsigned sleeps = bench_issue(&b, 6), passes = bench_issue(&b, 9), arrives = bench_issue(&b, 8);
        assert_int_equal(passes, arrives + 1);
        assert_true(arrives >= sleeps - 8 + ns * 700 / 1000);
        bench_close(&b);
    }
}

/* nanosleep t: the warp issues again when t * core_mhz / 1000 cycles have passed, and the cycle of the issue itself.
 *
 *     I z z z z ... z I
 */
static void sleeping(void **state)
{
    for (unsigned ns = 10; ns <= 1000; ns *= 10) {
        char text[100];
        snprintf(text, sizeof text, "nanosleep.u32 %u; mov.u32 %%r9, 1;", ns);
        draw("", text, 32, DIAGRAM({'I', 1}, {'z', ns * 700 / 1000}, {'I', 1}));
        draw("gpu.core_mhz=1400", text, 32, DIAGRAM({'I', 1}, {'z', ns * 1400 / 1000}, {'I', 1}));
    }
}

/* Schedulers issue from their own warps only, one each in a cycle: behind a barrier, s schedulers issue s instructions
 * in every cycle.
 *
 *     s = 1    B I I I I
 *     s = 2    B II II
 */
static void schedulers_issue_side_by_side(void **state)
{
    for (unsigned schedulers = 1; schedulers <= 4; schedulers *= 2) {
        struct bench b;
        char settings[200];
        snprintf(settings, sizeof settings,
                 "sm.scheduler=lrr sm.schedulers=%u sm.id_oc_sp=4 sm.oc_ex_sp=4 sm.ports_sp=4 sm.sp_units=4 "
                 "sm.collectors_sp=16 sm.result_buses=8",
                 schedulers);
        bench_open(&b, "gtx480", settings,
                   "bar.sync 0; xor.b32 %r9, %r7, 1; bar.sync 0; mov.u32 %r10, 1; mov.u32 %r11, 1;", 128);
        bench_run(&b, 4);
        unsigned after = bench_issue(&b, 3 * 4 - 1) + 1;
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(b.issues[after + c + 1] - b.issues[after + c], schedulers);
        bench_close(&b);
    }
}

/* Two schedulers with a warp each, one register behind issue for memory instructions, four loads from shared memory,
 * then a look at the clock:
 *
 *     in turns           1 0 1 0 1 0 1 0         the clocks are one cycle apart
 *     always in order    0 0 0 0 1 1 1 1         as many as there are loads
 */
static void schedulers_take_turns(void **state)
{
    for (unsigned loads = 1; loads <= 4; loads++) {
        for (unsigned turns = 0; turns < 2; turns++) {
            struct bench b;
            struct strbuf text = {0};
            char settings[200];
            snprintf(settings, sizeof settings, "sm.schedulers=2 sm.collectors_mem=8 sm.schedulers_take_turns=%s",
                     turns ? "true" : "false");
            /* One barrier lets both warps fill their buffers, so that they start in the same cycle behind the other. */
            strbuf_add(&text, "bar.sync 0; bar.sync 0;");
            for (unsigned i = 0; i < loads; i++)
                strbuf_addf(&text, "ld.shared.u32 %%r%u, [%%r3];", 10 + i);
            strbuf_add(&text, "mov.u32 %r9, %clock; st.global.u32 [%rd2], %r9;");
            bench_open(&b, "gtx480", settings, strbuf_text(&text), 64);
            bench_run(&b, 4);
            uint32_t first = device_word(&b.d, b.buffer), second = device_word(&b.d, b.buffer + 128);
            uint32_t apart = first < second ? second - first : first - second;
            assert_int_equal(apart, turns ? 1 : loads);
            if (!turns)
                assert_true(first < second);
            strbuf_free(&text);
            bench_close(&b);
        }
    }
}

/* Two schedulers with a warp each; loads from shared memory that take two cycles, so that the one register behind issue
 * comes free in every other cycle, when it is always the same scheduler's turn. That one issues all its loads before
 * the other does; where it overtakes only so many times, it is so far ahead, and they alternate from then on. */
static void turns_against_a_rhythm(void **state)
{
    enum { LOADS = 20 };
    static const struct {
        unsigned overtakes, least, most; /* cycles between the ends of the two */
    } rows[] = {{255, 2 * LOADS - 2, 2 * LOADS}, {6, 12, 20}, {1, 1, 8}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        struct strbuf text = {0};
        char settings[200];
        snprintf(settings, sizeof settings, "sm.schedulers=2 sm.instruction_buffer=8 sm.fetch_width=8 sm.overtakes=%u",
                 rows[i].overtakes);
        strbuf_add(&text, "shl.b32 %r8, %r2, 3; and.b32 %r8, %r8, 255; bar.sync 0; bar.sync 0;");
        for (unsigned k = 0; k < LOADS; k++)
            strbuf_addf(&text, "ld.shared.u32 %%r%u, [%%r8];", 10 + k);
        strbuf_add(&text, "mov.u32 %r9, %clock; st.global.u32 [%rd2], %r9;");
        bench_open(&b, "gtx480", settings, strbuf_text(&text), 64);
        bench_run(&b, 4);
        uint32_t first = device_word(&b.d, b.buffer), second = device_word(&b.d, b.buffer + 128);
        uint32_t apart = first < second ? second - first : first - second;
        assert_in_range(apart, rows[i].least, rows[i].most);
        strbuf_free(&text);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_of_each_class),
        cmocka_unit_test(types_have_latencies_of_their_own),
        cmocka_unit_test(initiation_interval_of_each_class),
        cmocka_unit_test(units_of_classes),
        cmocka_unit_test(f32_products_go_where_there_is_room),
        cmocka_unit_test(f32_products_hold_the_sfu),
        cmocka_unit_test(result_buses),
        cmocka_unit_test(operands_in_one_bank),
        cmocka_unit_test(warps_in_one_bank),
        cmocka_unit_test(writes_win_over_reads),
        cmocka_unit_test(collectors_and_pipeline_registers_full),
        cmocka_unit_test(scoreboard),
        cmocka_unit_test(issue_interval),
        cmocka_unit_test(fetch_and_decode),
        cmocka_unit_test(taken_branches_refetch),
        cmocka_unit_test(instruction_cache_miss),
        cmocka_unit_test(barriers_release_in_the_next_cycle),
        cmocka_unit_test(sleeping),
        cmocka_unit_test(schedulers_issue_side_by_side),
        cmocka_unit_test(schedulers_take_turns),
        cmocka_unit_test(turns_against_a_rhythm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
