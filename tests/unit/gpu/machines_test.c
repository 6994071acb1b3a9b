/* Machines that nobody thought of: values of any parameter, from its least to its greatest, drawn from the descriptors,
 * so that a new parameter is covered by itself. Every machine is either refused with the reason, before anything runs,
 * or it runs the kernel to the right end, and then skipping, stepping and two threads give the same result, all of it
 * but `host`. On one machine, changed parameter by parameter, every parameter does something.
 *
 * Seeds are fixed and named in a failure. LOCKSTEP_MACHINES=N tries N machines instead of a few (LOCKSTEP_LONG: of some
 * hundreds), LOCKSTEP_SEED=S begins with seed S, LOCKSTEP_CYCLES=C follows slow machines for C cycles. */
#include "gpu/gpu_impl.h"
#include "gpu/result_json.h"
#include "gpu_support.h"
#include "memory/coherence/protocol.h"
#include "simt/divergence.h"
#include "fetch/policy.h"
#include "watch/spin/spin.h"

#define BLOCK 96
#define GRID 4
#define WORDS 8192    /* of the buffer: results by thread from 0, counters from 2048, a table that is only read */
#define TABLE 4096    /* from this word on */
#define STEPPED 60000 /* cycles, at most, that are stepped and simulated by two threads */
#define ENOUGH 150000 /* cycles that show whether a parameter changes the result; the usual launch has ended by then   \
                       */
#define MOST 3000000  /* cycles, at most, that are simulated in the hope of the end */

/* Every unit, with values that depend on no order: what is read was written before the launch, or by the thread itself
 * to where no other writes, or it is counted by an atomic whose old value is not used. The loop at SPIN waits for
 * something that never comes and gives up. */
#define EIGHT(text) text text text text text text text text
#define FAR_AWAY EIGHT(EIGHT(EIGHT("add.u32 %r10, %r10, 1; add.u32 %r10, %r10, 3;\n")))
static const char text[] =
    ".const .align 4 .b32 c[32] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, "
    "2, 7, 9, 5};\n"
    ".shared .align 4 .b8 s[512];\n" PTX_KERNEL(
        "k",
        ".local .align 8 .b8 a[256];\n" PTX_BEGIN
        "mov.u64 %rd5, a; mov.u32 %r6, %r5; mov.u32 %r20, s; shl.b32 %r21, %r2, 2; add.u32 %r20, %r20, %r21;\n"
        "cvt.rn.f32.u32 %f1, %r5; cvt.rn.f64.u32 %d1, %r5; mov.u64 %rd10, c;\n"
        /* the table in global memory, lane by lane and side by side */
        "LOOP: mul.lo.u32 %r7, %r5, 37; add.u32 %r7, %r7, %r1; and.b32 %r7, %r7, 4095; mul.wide.u32 %rd4, %r7, 4; "
        "add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r8, [%rd4+16384]; ld.global.u32 %r9, [%rd2+16384]; xor.b32 %r6, %r6, "
        "%r8; add.u32 %r6, %r6, %r9; and.b32 %r7, %r7, 4092; cvt.u64.u32 %rd6, %r7; add.u64 %rd6, %rd1, %rd6; "
        "ld.global.u8 %r8, [%rd6+16385]; ld.volatile.global.u32 %r9, [%rd6+16384]; add.u32 %r6, %r6, %r8; add.u32 %r6, "
        "%r6, %r9; mul.wide.u32 %rd7, %r5, 16; add.u64 %rd7, %rd1, %rd7; ld.global.v4.u32 {%r8, %r9, %r10, %r11}, "
        "[%rd7+16384]; add.u32 %r6, %r6, %r8; xor.b32 %r6, %r6, %r11;\n"
        /* local memory, at places that differ between lanes */
        "and.b32 %r8, %r6, 60; cvt.u64.u32 %rd6, %r8; add.u64 %rd6, %rd5, %rd6; st.local.u32 [%rd6], %r6; "
        "st.local.u32 [%rd5+128], %r6; ld.local.u32 %r9, [%rd6]; ld.local.u32 %r10, [%rd5+128]; add.u32 %r6, %r9, "
        "%r10; st.local.u32 [%rd5+128], %r6;\n"
        /* constant memory, the same way */
        "and.b32 %r8, %r5, 124; cvt.u64.u32 %rd6, %r8; add.u64 %rd6, %rd10, %rd6; ld.const.u32 %r9, [%rd6]; "
        "ld.param.u64 %rd9, [n]; add.u32 "
        "%r6, %r6, %r9;\n"
        /* shared memory: the neighbour's word, and one word of all */
        "st.shared.u32 [%r20], %r6; bar.sync 0; rem.u32 %r8, %r2, 7; shl.b32 %r8, %r8, 4; mov.u32 %r9, s; add.u32 %r8, "
        "%r8, %r9; ld.shared.u32 %r9, [%r8]; xor.b32 %r7, %r6, %r9; bar.sync 1; mov.u32 %r6, %r7; "
        "atom.shared.add.u32 %r9, [s+508], 1;\n"
        /* code that lies far away */
        "bra FAR;\n" FAR_AWAY "FAR:\n"
        /* atomics in global memory, spread and on one word; fences */
        "and.b32 %r8, %r5, 15; mul.wide.u32 %rd8, %r8, 4; add.u64 %rd8, %rd1, %rd8; "
        "ld.global.u32 %r9, [%rd8+8192]; atom.global.add.u32 %r9, [%rd8+8192], %r1; "
        "red.global.max.u32 [%rd1+12288], %r5; membar.gl; st.global.u32 [%rd2], %r6; membar.cta;\n"
        /* a lock, with a limit that is never reached and without, and a semaphore */
        "and.b32 %r8, %r2, 31; setp.ne.u32 %p6, %r8, 0; @%p6 bra FREE; lockstep.lock.b32 [%rd1+12416]; "
        "red.global.add.u32 [%rd1+12544], 1; lockstep.unlock.b32 [%rd1+12416]; lockstep.sem.wait.u32 [%rd1+12420]; "
        "red.global.add.u32 [%rd1+12548], 1; lockstep.sem.signal.u32 [%rd1+12420];\n"
        "mov.u32 %r8, -1; lockstep.lock.timed.cycles.b32 [%rd1+12416], %r8, FREE; "
        "red.global.add.u32 [%rd1+12544], 1; lockstep.unlock.b32 [%rd1+12416];\nFREE:\n"
        /* arithmetic of every class */
        "add.u32 %r9, %r1, 3; div.u32 %r10, %r6, %r9; rem.u32 %r11, %r6, %r9; max.s32 %r10, %r10, %r11; "
        "mad.lo.u32 %r6, %r6, 5, %r10; mul.lo.u32 %r6, %r6, 3; add.f32 %f2, %f1, 0f3F800000; "
        "mul.f32 %f3, %f2, 0f3F000000; max.f32 %f3, %f3, %f2; div.rn.f32 %f2, %f2, %f3; "
        "fma.rn.f32 %f1, %f2, %f3, %f1; sqrt.approx.f32 %f2, %f1; add.f64 %d1, %d1, 0d3FF0000000000000; "
        "mul.f64 %d2, %d1, 0d3FE0000000000000; max.f64 %d2, %d2, %d1; div.rn.f64 %d2, %d2, %d1; "
        "fma.rn.f64 %d1, %d2, %d1, %d2; mad.rn.f32 %f3, %f1, %f2, %f3; mad.rn.f64 %d2, %d1, %d2, %d1; "
        "sin.approx.f32 %f3, %f3; lg2.approx.f32 %f3, %f2; ex2.approx.f32 %f3, %f3; mul24.lo.u32 %r10, %r6, %r5; "
        "mul.lo.u64 %rd9, %rd4, %rd4; min.u32 %r10, %r10, %r6; sqrt.rn.f64 %d2, %d2; cvt.rn.f16.u32 %h1, %r2; "
        "add.f16 %h2, %h1, %h1; max.f16 %h2, %h2, %h1; mul.f16 %h2, %h2, %h1; fma.rn.f16 %h2, %h2, %h1, %h2; "
        "ex2.approx.f16 %h2, %h2; mov.b16 %h3, %h2; "
        "shfl.sync.bfly.b32 %r11, %r6, 1, 0x1f, 0xffffffff; xor.b32 %r6, %r6, %r11;\n"
        /* lanes part and meet */
        "and.b32 %r8, %r2, 3; setp.lt.u32 %p2, %r8, 2; @%p2 bra APART; add.u32 %r6, %r6, 7; bra MEET; "
        "APART: mad.lo.u32 %r6, %r6, 9, 1;\n"
        "MEET: mov.u32 %r14, 0;\n"
        /* a loop that counts in large steps, which a hash of low bits takes for a wait */
        "COUNT: add.u32 %r14, %r14, 256; ld.shared.u32 %r15, [%r20]; ld.shared.u32 %r16, [%r20]; "
        "setp.lt.u32 %p5, %r14, 5120; @%p5 bra COUNT;\n"
        "mov.f32 %f5, 0f40000000;\n"
        /* it is infinite after 12 turns, which no compared value tells DDOS */
        "SPIN: atom.global.cas.b32 %r13, [%rd1+12292], 1, 1; mul.f32 %f5, %f5, 0f44800000; "
        "setp.ne.u32 %p3, %r13, 1; testp.finite.f32 %p4, %f5; and.pred %p3, %p3, %p4; @%p3 bra SPIN;\n"
        "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
        "st.global.u32 [%rd2], %r6; ret;");

struct outcome {
    enum gpu_status status;
    uint64_t cycles;
    char *json; /* without `host` */
    uint32_t memory[WORDS];
};

static uint32_t rnd(uint64_t *x, uint32_t below)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((*x >> 33) % below);
}

/* How the machine under test came about, for messages. */
static struct strbuf history;

#define fail_here(...)                                                                                                 \
    do {                                                                                                               \
        fprintf(stderr, "%s\n", strbuf_text(&history));                                                                \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

static void run(const struct machine *machine, uint64_t max_cycles, unsigned threads, bool every, struct outcome *o)
{
    struct device d = {0};
    diag_init(&d.sink);
    d.gpu = gpu_create(machine, &d.sink);
    if (!d.gpu)
        fail_here("a machine that was not refused cannot be made: %s", device_messages(&d));
    char *whole = malloc(sizeof PTX_HEAD + sizeof text);
    strcpy(stpcpy(whole, PTX_HEAD), text);
    device_load(&d, whole);
    free(whole);
    uint64_t p = device_buffer(&d, WORDS * 4), params[] = {p, 2};
    uint32_t table[WORDS - TABLE];
    for (uint32_t i = 0; i < WORDS - TABLE; i++)
        table[i] = i * 2654435761u ^ i >> 3;
    assert_int_equal(gpu_write(d.gpu, p + TABLE * 4, table, sizeof table, &d.sink), 0);
    const uint32_t locks[] = {UINT32_MAX, 2};
    assert_int_equal(gpu_write(d.gpu, p + 12416, locks, sizeof locks, &d.sink), 0);
    struct shape shape = {
        .grid = GRID, .block = BLOCK, .max_cycles = max_cycles, .threads = threads, .every_cycle = every};
    o->status = device_try(&d, "k", shape, 2, params);
    bool fits = o->status != GPU_INVALID || !strstr(strbuf_text(&d.text), "cannot be launched");
    if (o->status != GPU_OK && o->status != GPU_LIMIT && fits)
        fail_here("%s: %s", gpu_status_name(o->status), strbuf_text(&d.text));
    o->cycles = d.result.cycles;
    json_t *json = gpu_result_json(&d.result, machine);
    json_object_del(json, "host");
    o->json = json_dumps(json, JSON_INDENT(0));
    json_decref(json);
    device_read(&d, o->memory, p, sizeof o->memory);
    gpu_result_free(&d.result);
    gpu_destroy(d.gpu);
    diag_free(&d.sink);
    strbuf_free(&d.text);
}

/* What the launch must leave in memory: that of the machine as it comes, where both modes agree (properties_test). */
static const uint32_t *expected(void)
{
    static struct outcome o;
    if (!o.json) {
        struct machine machine;
        assert_int_equal(machine_load(&machine, "gtx480", NULL), 0);
        run(&machine, 0, 1, false, &o);
        assert_int_equal(o.status, GPU_OK);
        assert_int_equal(o.memory[2048], 2 * GRID * BLOCK / 16 * 3 / 2);
        machine_free(&machine);
    }
    return o.memory;
}

/* Says where two results part. */
static void check_same(const char *what, const struct outcome *a, const struct outcome *b)
{
    const char *x = a->json, *y = b->json;
    if (!strcmp(x, y) && !memcmp(a->memory, b->memory, sizeof a->memory))
        return;
    size_t at = 0, from;
    while (x[at] && x[at] == y[at])
        at++;
    for (from = at; from > 0 && from + 60 > at; from--)
        ;
    fail_here("%s: at %llu and %llu cycles\n  %.160s\n  %.160s", what, (unsigned long long)a->cycles,
              (unsigned long long)b->cycles, x + from, y + from);
}

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* A legal machine: it ends right, and the same way however it is simulated. Returns whether it ended: machines with
 * extreme clocks and latencies can take more cycles than a test has, and the kernel may not fit on one with few
 * registers or warps, which the launch has then said. */
static bool check_machine(const struct machine *machine)
{
    struct outcome whole, stepped, threaded, limited = {0}, *first = &whole;
    uint64_t limit = 0;
    run(machine, environment("LOCKSTEP_CYCLES", MOST), 1, false, &whole);
    if (whole.status == GPU_INVALID) {
        free(whole.json);
        return false;
    }
    if (whole.status == GPU_OK && memcmp(whole.memory, expected(), sizeof whole.memory))
        fail_here("the launch ends with other values in memory than on the gtx480");
    if (whole.status != GPU_OK || whole.cycles > STEPPED) {
        limit = STEPPED;
        run(machine, limit, 1, false, &limited);
        first = &limited;
    }
    run(machine, limit, 1, true, &stepped);
    check_same("skipping and stepping differ", first, &stepped);
    run(machine, limit, 2, false, &threaded);
    check_same("two threads differ from one", first, &threaded);
    free(whole.json);
    free(limited.json);
    free(stepped.json);
    free(threaded.json);
    return whole.status == GPU_OK;
}

/* Refusals name the parameter. */
static bool check_refusal(const struct machine *machine, const char *name)
{
    struct diag_sink sink;
    struct strbuf message = {0};
    diag_init(&sink);
    bool refused = machine_check(machine, NULL, &sink) < 0;
    diag_format_all(&sink, &message);
    if (refused && !strstr(strbuf_text(&message), name))
        fail_here("%s is refused without being named: %s", name, strbuf_text(&message));
    if (!refused && sink.count)
        fail_here("not refused, but: %s", strbuf_text(&message));
    strbuf_free(&message);
    diag_free(&sink);
    return refused;
}

/* What would make a launch impossible or merely long, not wrong: the kernel must fit, and it must end within the
 * test's time and memory. Greatest values to be drawn; 0: as the table has it. */
static const struct {
    const char *name;
    uint64_t least, most;
} bounds[] = {
    {"gpu.watch_cycles", 4000000000, 0}, /* a slow machine is a hang by definition when this is short */
    {"gpu.idle_cycles", 4000000000, 0},  /* the same */
    {"sm.threads", 2 * BLOCK, 0},        /* the kernel fits */
    {"sm.warps", 2 * BLOCK / 32, 0},     /* the same */
    {"sm.registers", 128 * 256, 0},      /* the same */
    {"sm.shared_bytes", 1024, 0},        /* the same */
    {"sm.barriers", 2, 0},               /* it has two */
    {"gpu.sms", 0, 16},                  /* time */
};

static void bounds_of(const char *name, const struct param_desc *param, uint64_t *least, uint64_t *most)
{
    *least = param->min;
    *most = param->max;
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!strcmp(bounds[i].name, name)) {
            *least = bounds[i].least ? bounds[i].least : *least;
            *most = bounds[i].most ? bounds[i].most : *most;
        }
}

static const char *const schedulers[] = {"lrr",
                                         "gto",
                                         "tls",
                                         "cawa",
                                         "gto+bows",
                                         "lrr+bows",
                                         "tls:active=2",
                                         "gto:rotate=preference:patience=20",
                                         "cawa:patience=20"};

/* A value of the parameter, as text: the ends of its range, near its least, or anything on a logarithmic scale. */
static void draw_value(const char *name, const struct param_desc *param, uint64_t *x, struct strbuf *out)
{
    uint64_t least, most;
    bounds_of(name, param, &least, &most);
    if (param->type == PARAM_TYPE_BOOL) {
        strbuf_add(out, rnd(x, 2) ? "true" : "false");
    } else if (param->type == PARAM_TYPE_ENUM) {
        unsigned n = 0;
        while (param->choices[n])
            n++;
        strbuf_add(out, param->choices[rnd(x, n)]);
    } else if (!strcmp(name, "sm.scheduler")) {
        strbuf_add(out, schedulers[rnd(x, sizeof schedulers / sizeof *schedulers)]);
    } else if (!strcmp(name, "coherence.protocol")) {
        unsigned n = 0;
        while (coherence_list()[n])
            n++;
        strbuf_add(out, coherence_list()[rnd(x, n)]->name);
    } else if (!strcmp(name, "coherence.replacement")) {
        strbuf_add(out, rnd(x, 2) ? "rprio" : "noprio");
    } else if (!strncmp(name, "spin.", 5) && param->type == PARAM_TYPE_STR) {
        unsigned n = 0;
        while (spin_detectors()[n])
            n++;
        strbuf_add(out, spin_detectors()[rnd(x, n)]->name);
    } else if (!strcmp(name, "sm.fetch")) {
        unsigned n = 0;
        while (fetch_policies()[n])
            n++;
        strbuf_add(out, fetch_policies()[rnd(x, n)]->name);
    } else if (!strcmp(name, "sm.divergence")) {
        unsigned n = 0;
        while (simt_models()[n])
            n++;
        strbuf_add(out, simt_models()[rnd(x, n)]->name);
    } else if (!strcmp(name, "locks.backoff")) {
        strbuf_add(out, lock_backoffs[rnd(x, 3)]);
    } else if (!strcmp(name, "network.core")) {
        unsigned n = 0;
        while (network_cores()[n])
            n++;
        strbuf_add(out, network_core_name(network_cores()[rnd(x, n)]));
    } else if (param->type == PARAM_TYPE_STR) {
        strbuf_add(out, "any text");
    } else {
        uint64_t value = least, span = most - least;
        unsigned bits = 64 - (unsigned)__builtin_clzll(span | 1), kind = rnd(x, 8);
        if (kind == 0)
            value = most;
        else if (kind == 1)
            value = least;
        else if (kind == 2)
            value = least + rnd(x, 4) % (span + 1);
        else if (kind == 3)
            value = UINT64_C(1) << rnd(x, bits);
        else
            value = least + ((UINT64_C(1) << rnd(x, bits)) + rnd(x, 1 << 30)) % (UINT64_C(2) << rnd(x, bits));
        value = value < least ? least : value > most ? most : value;
        if (param->type == PARAM_TYPE_DECIMAL)
            param_format_decimal(value, out);
        else
            strbuf_addf(out, "%llu", (unsigned long long)value);
    }
}

static void set(struct machine *machine, const char *name, const char *value)
{
    struct strbuf assignment = {0};
    strbuf_addf(&assignment, "%s=%s", name, value);
    struct diag_sink sink;
    diag_init(&sink);
    if (machine_set(machine, strbuf_text(&assignment), &sink) < 0)
        fail_here("%s is not taken", strbuf_text(&assignment));
    diag_free(&sink);
    strbuf_free(&assignment);
}

/* Gives the parameter a value, or leaves it when the machine would then be refused. Returns whether it was taken. */
static bool try_value(struct machine *machine, const char *name, const struct param_group *group,
                      const struct param_desc *param, const char *value)
{
    struct strbuf before = {0};
    param_format(group, param, &before);
    set(machine, name, value);
    bool refused = check_refusal(machine, name);
    if (refused)
        set(machine, name, strbuf_text(&before));
    else
        strbuf_addf(&history, " --set %s=%s", name, value);
    strbuf_free(&before);
    return !refused;
}

static void begin_history(const char *what, uint64_t seed)
{
    strbuf_free(&history);
    history = (struct strbuf){0};
    strbuf_addf(&history, "%s %llu:", what, (unsigned long long)seed);
}

static void draw_machine(struct machine *machine, uint64_t seed, unsigned *drawn, unsigned *refused)
{
    static const char *const bases[] = {"gtx480", "gtx480-sm2", "gtx1080ti"};
    uint64_t x = seed * UINT64_C(0x9E3779B97F4A7C15);
    const char *base = bases[rnd(&x, 3)];
    begin_history("seed", seed);
    strbuf_addf(&history, " --machine %s", base);
    assert_int_equal(machine_load(machine, base, NULL), 0);
    set(machine, "gpu.sms", "3");
    set(machine, "gpu.watch_cycles", "4000000000");
    strbuf_add(&history, " --set gpu.sms=3 --set gpu.watch_cycles=4000000000");
    /* From a few parameters to nearly all of them. Queues of locks do not go with every protocol and divergence model,
     * which a launch is told. */
    uint32_t share = 1 + rnd(&x, 24) * rnd(&x, 24);
    for (unsigned g = 0; g < MACHINE_GROUPS; g++) {
        for (unsigned i = 0; i < machine->groups[g].count; i++) {
            const struct param_desc *param = &machine->groups[g].params[i];
            struct strbuf name = {0}, value = {0};
            if (!strcmp(param->name, "kernels") || rnd(&x, 600) >= share) /* the launch is alone */
                continue;
            strbuf_addf(&name, "%s.%s", machine->groups[g].name, param->name);
            draw_value(strbuf_text(&name), param, &x, &value);
            ++*drawn;
            *refused += !try_value(machine, strbuf_text(&name), &machine->groups[g], param, strbuf_text(&value));
            strbuf_free(&name);
            strbuf_free(&value);
        }
    }
    if (gpu_protocol(machine)->registration || strcmp(machine->sm.divergence, "stack")) {
        set(machine, "locks.queue", "false");
        strbuf_add(&history, " --set locks.queue=false");
    }
}

/* A machine by name and settings, separated by blanks. */
static void load_words(struct machine *machine, const char *words)
{
    char *copy = strdup(words), *save, *name = strtok_r(copy, " ", &save);
    begin_history("", 0);
    strbuf_add(&history, words);
    assert_int_equal(machine_load(machine, name, NULL), 0);
    set(machine, "gpu.watch_cycles", "4000000000"); /* a slow machine is no hang */
    for (char *word; (word = strtok_r(NULL, " ", &save));)
        assert_int_equal(machine_set(machine, word, NULL), 0);
    free(copy);
}

/* Machines by name and settings that once went wrong. */
static const char *const known[] = {
    "gtx480 gpu.dram_mhz=5",                           /* a request comes to the DRAM in its very first cycle */
    "gtx480 partition.rop_latency=0 gpu.dram_mhz=100", /* the same */
    "gtx480 l1d.line_bytes=32 l1d.sector_bytes=32",    /* transactions that were larger than a line */
    "gtx480 l2.line_bytes=32 l2.sector_bytes=16",      /* packets that were larger than a line */
    /* Requests for locks, which were performed by each sector of theirs. */
    "gtx480 gpu.sms=3 locks.queue=true l2.sector_bytes=16 l2.write_allocate=lazy",
    /* A load of sectors some of which were dropped by a fence before the others came. */
    "gtx480 gpu.sms=3 sm.id_oc_sfu=3 l1d.sector_bytes=16 l2.sets=1 dram.tCCDL=1000",
    "gtx480 dram.scheduler_queue=1 dram.return_queue=1 partition.slices_per_channel=4", /* fewer places than slices */
    "gtx480 gpu.sms=3 partition.block_bytes=128 partition.host_copies_fill_l2=true",
    "gtx1080ti gpu.sms=3 partition.block_bytes=4096 partition.slices_per_channel=4",
    "apu8 partition.block_bytes=1024 coherence.protocol=hlrc",
    "apu128 coherence.protocol=hlrc",      /* threads take domains from each other */
    "gtx480 gpu.sms=100 sm.l1i_sharers=3", /* the same */
};

static void try_known(const char *words)
{
    struct machine machine;
    load_words(&machine, words);
    assert_true(check_machine(&machine));
    machine_free(&machine);
}

static void test_machines_that_once_went_wrong(void **state)
{
    if (getenv("LOCKSTEP_MACHINE"))
        try_known(getenv("LOCKSTEP_MACHINE"));
    for (unsigned i = 0; i < sizeof known / sizeof *known && !getenv("LOCKSTEP_MACHINE"); i += effort_step(4))
        try_known(known[i]);
}

static void test_random_machines_end_right_and_the_same_way(void **state)
{
    uint64_t first = environment("LOCKSTEP_SEED", 1),
             count = environment("LOCKSTEP_MACHINES", getenv("LOCKSTEP_LONG") ? 600
                                                      : SANITIZED             ? 3
                                                                              : 16);
    unsigned drawn = 0, refused = 0, ended = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct machine machine;
        draw_machine(&machine, seed, &drawn, &refused);
        if (getenv("LOCKSTEP_SHOW"))
            print_message("%s\n", strbuf_text(&history));
        ended += check_machine(&machine);
        machine_free(&machine);
    }
    print_message("%llu machines, %u came to the end of the launch; %u values drawn, %u of them refused\n",
                  (unsigned long long)count, ended, drawn, refused);
    /* Or it would hardly be a test. */
    assert_true(refused * 4 <= drawn + 4);
    assert_true(ended * 2 >= count || count < 10);
}

/* Machines on which parameters are changed one at a time. Each parameter must show on one of them. */
static const char *const contexts[] = {
    "gtx480 gpu.sms=3",
    /* All requests meet in one slice with short queues, and the caches are small. */
    "gtx480 gpu.sms=3 partition.channels=1 partition.slices_per_channel=1 partition.icnt_l2_queue=2 "
    "partition.l2_dram_queue=2 partition.dram_l2_queue=2 partition.l2_icnt_queue=2 dram.scheduler_queue=2 "
    "dram.return_queue=2 l1d.sets=2 l2.sets=2 l2.ways=2 l1i.sets=1 l1i.ways=2 l1c.line_bytes=32 l1c.sector_bytes=32 "
    "l1c.sets=1 l1c.ways=4 l1c.mshr_entries=8 sm.l1d_queue=3 network.injection_flits=2 "
    "l1d.sector_bytes=32 "
    "l2.sector_bytes=32 l1i.sector_bytes=16",
    /* The network brings replies faster than an SM takes them. */
    "gtx480 gpu.sms=1 gpu.network_mhz=1400 network.flit_bytes=512 network.internal_speedup=4 sm.ejection_queue=1 "
    "sm.response_queue=1 sm.global_loads_use_l1=false l1c.line_bytes=32 l1c.sector_bytes=32 l1c.sets=8 l1c.ways=1",
    /* Four schedulers, and units for all of them; one channel with long queues. */
    "gtx1080ti gpu.sms=1 sm.id_oc_sfu=4 sm.oc_ex_sfu=4 sm.sfu_units=4 sm.id_oc_mem=4 sm.oc_ex_mem=4 "
    "sm.interval_int_mul=1 sm.collectors_mem=8 partition.channels=1 l2.sets=4",
    /* Narrow pipelines. */
    "gtx480 gpu.sms=1 gpu.seed=5 sm.age_rotation=300 sm.id_oc_sp=1 sm.id_oc_mem=1 sm.oc_ex_sp=1 sm.register_banks=2 "
    "sm.issue_width=2 "
    "sm.collectors_sp=1 sm.collectors_sfu=1 sm.result_buses=1 sm.l1d_latency=20 l1d.sets=1 l1d.ways=1 l1i.sets=2 "
    "l1i.ways=1",
    /* Spinning warps are held back. */
    "gtx480-sm2 gpu.sms=3 sm.scheduler=gto+bows spin.measure=true spin.window=100 spin.min_delay=10 "
    "spin.max_delay=2000 "
    "spin.delay_step=100 spin.raise_share=0.1 spin.lower_ratio=1",
    "gtx480 gpu.sms=1 sm.scheduler=lrr+bows spin.measure=true spin.shares=true spin.share_cycles=50 spin.path_bits=2 "
    "spin.value_bits=1 spin.hash=modulo spin.truth=oracle",
    "gtx480 gpu.sms=1 sm.scheduler=gto+bows sm.schedulers=1 spin.measure=true spin.adaptive=false spin.delay=30",
    /* Constants miss faster than the network takes the misses. */
    "gtx480 gpu.sms=1 gpu.network_mhz=175 l1c.line_bytes=32 l1c.sector_bytes=32 l1c.sets=1 l1c.ways=1 "
    "l1c.mshr_entries=8",
    /* A core whose latency is a parameter, and one with routers. */
    "gtx480 gpu.sms=2 network.core=ideal",
    "gtx480 gpu.sms=2 network.core=mesh network.columns=4 network.rows=2 network.router_flits=2",
    /* An L1 that loses most of its lines to shared memory. */
    "gtx480 gpu.sms=3 l1d.sets=4 l1d.ways=16 sm.l1_array_bytes=65536 sm.shared_sizes=63",
    /* L1s that register what they write, in few lines. */
    "gtx480 gpu.sms=3 coherence.protocol=denovo-b coherence.store_queue=2 l1d.sets=2 l1d.ways=2 l2.sets=2 l2.ways=4",
};
#define CONTEXTS (sizeof contexts / sizeof *contexts)

/* What no result of these launches shows: what programs see, limits that the kernel stays within, and what another test
 * sets up. */
static const struct {
    const char *name, *shown_by;
} silent[] = {
    {"spin.truth", "cli.spin"},
    {"sm.aware_timeout", "unit.simt.aware"},
    {"spin.profiled_values", "unit.watch.spin_ddos"},
    {"spin.clears_history", "unit.watch.spin_ddos"},

    {"gpu.name", "cudaGetDeviceProperties"},
    {"gpu.compute_major", "cudaGetDeviceProperties"},
    {"gpu.compute_minor", "cudaGetDeviceProperties"},
    {"gpu.memory_mib", "allocations that fail"},
    {"gpu.heap_mib", "device malloc that fails"},
    {"gpu.stack_bytes", "calls that fault"},
    {"gpu.watch_cycles", "hangs"},
    {"gpu.idle_cycles", "hangs"},
    {"gpu.flush_l1_at_kernel_end", "a second launch"},
    {"gpu.kernels", "unit.gpu.together"},
};

static bool is_silent(const char *name)
{
    for (unsigned i = 0; i < sizeof silent / sizeof *silent; i++)
        if (!strcmp(silent[i].name, name))
            return true;
    return false;
}

/* Runs the context's machine with another value of one parameter, which may be refused with the reason. The launch must
 * end right. Returns whether its result is another. */
static bool changes(unsigned context, unsigned group, unsigned index, const char *value, const struct outcome *usual)
{
    struct machine machine;
    struct strbuf name = {0};
    struct outcome o = {0};
    load_words(&machine, contexts[context]);
    const struct param_group *g = &machine.groups[group];
    strbuf_addf(&name, "%s.%s", g->name, g->params[index].name);
    bool other = false;
    if (try_value(&machine, strbuf_text(&name), g, &g->params[index], value)) {
        run(&machine, getenv("LOCKSTEP_LONG") ? 0 : ENOUGH, 1, false, &o);
        if (o.status == GPU_OK && memcmp(o.memory, expected(), sizeof o.memory))
            fail_here("the launch ends with other values in memory than on the gtx480");
        other = strcmp(o.json, usual->json) != 0;
        free(o.json);
    }
    strbuf_free(&name);
    machine_free(&machine);
    return other;
}

/* The values that are tried: the ends of the range, and some between. Returns how many. */
static unsigned values_of(const struct param_group *group, const struct param_desc *param, char values[16][24])
{
    unsigned n = 0;
    struct strbuf text = {0};
    if (param->type == PARAM_TYPE_BOOL) {
        strcpy(values[n++], "true");
        strcpy(values[n++], "false");
    } else if (param->type == PARAM_TYPE_ENUM) {
        for (; param->choices[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", param->choices[n]);
    } else if (!strcmp(param->name, "replacement") && param->type == PARAM_TYPE_STR) {
        strcpy(values[n++], "rprio");
        strcpy(values[n++], "noprio");
    } else if (!strcmp(param->name, "protocol")) {
        for (; coherence_list()[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", coherence_list()[n]->name);
    } else if (!strcmp(param->name, "scheduler")) {
        strcpy(values[n++], "lrr");
    } else if (!strcmp(param->name, "sm_nodes")) {
        strcpy(values[n++], "6,1");
    } else if (!strcmp(param->name, "shared_sizes")) {
        strcpy(values[n++], "64,128");
    } else if (!strcmp(param->name, "slice_nodes")) {
        strcpy(values[n++], "0-7,0-6/2");
    } else if (!strcmp(param->name, "backoff")) {
        for (; lock_backoffs[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", lock_backoffs[n]);
    } else if (!strcmp(param->name, "core")) {
        for (; network_cores()[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", network_core_name(network_cores()[n]));
    } else if (param->type == PARAM_TYPE_STR) {
        for (; !strcmp(group->name, "spin") && spin_detectors()[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", spin_detectors()[n]->name);
        for (; !strcmp(param->name, "fetch") && fetch_policies()[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", fetch_policies()[n]->name);
        for (; !strcmp(param->name, "divergence") && simt_models()[n]; n++)
            snprintf(values[n], sizeof values[n], "%s", simt_models()[n]->name);
    } else {
        const uint64_t tried[] = {param->min, param->max, param->min + 1, param->default_value / 2,
                                  param->default_value * 4 + 1};
        for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++) {
            if (tried[i] < param->min || tried[i] > param->max)
                continue;
            text.length = 0;
            if (param->type == PARAM_TYPE_DECIMAL)
                param_format_decimal(tried[i], &text);
            else
                strbuf_addf(&text, "%llu", (unsigned long long)tried[i]);
            snprintf(values[n++], sizeof values[0], "%s", strbuf_text(&text));
        }
    }
    strbuf_free(&text);
    return n;
}

/* Each parameter at its least and greatest: refused with the reason, or the launch ends right. And it is read: some
 * value of it changes the result somewhere. */
static void test_every_parameter_does_something(void **state)
{
    struct outcome usual[CONTEXTS];
    struct machine table;
    bool idle = false;
    for (unsigned c = 0; c < CONTEXTS; c++) {
        struct machine machine;
        load_words(&machine, contexts[c]);
        run(&machine, 0, 1, false, &usual[c]);
        assert_int_equal(usual[c].status, GPU_OK);
        machine_free(&machine);
    }
    assert_int_equal(machine_load(&table, "gtx480", NULL), 0);
    for (unsigned g = 0; g < MACHINE_GROUPS; g++) {
        for (unsigned i = 0; i < table.groups[g].count; i += effort_steps(3, 150)) {
            const struct param_group *group = &table.groups[g];
            char values[16][24], name[64];
            unsigned count = values_of(group, &group->params[i], values);
            bool seen = false;
            for (unsigned v = 0; v < count && v < 2 && !seen; v++)
                seen = changes(0, g, i, values[v], &usual[0]);
            snprintf(name, sizeof name, "%s.%s", group->name, group->params[i].name);
            for (unsigned c = 0; c < CONTEXTS && !seen && !is_silent(name); c++)
                for (unsigned v = c == 0 ? 2 : 0; v < count && !seen; v++)
                    seen = changes(c, g, i, values[v], &usual[c]);
            if (seen == is_silent(name)) {
                print_error("%s %s\n", name, seen ? "shows in a result" : "changes nothing");
                idle = true;
            }
        }
    }
    for (unsigned c = 0; c < CONTEXTS; c++)
        free(usual[c].json);
    machine_free(&table);
    assert_false(idle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_parameter_does_something),
        cmocka_unit_test(test_machines_that_once_went_wrong),
        cmocka_unit_test(test_random_machines_end_right_and_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
