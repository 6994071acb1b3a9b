/* Programs with races under every coherence protocol, on machines with few places that are drawn at random. What a race
 * decides nobody knows before, but it is the same whether cycles are skipped or stepped, and for every number of host
 * threads; what no race concerns has one right value, though it shares lines with words that are raced for:
 *  - each thread has a cell of its own, stored to by all sizes and read back;
 *  - others try to exchange words of that cell by comparisons that fail, at every scope, and so write nothing;
 *  - counters are counted at the scope of the block, of the device, and at remote scope.
 * Every launch ends: places of lines, of fills and in queues are as few as a machine may have.
 *
 * LOCKSTEP_MACHINES=N tries N machines a protocol, LOCKSTEP_SEED=S begins with seed S; a failure names both. */
#include "gpu_support.h"
#include "memory/coherence/protocol.h"

#define BLOCK 40u /* one whole warp and a part of one */
#define GRID 3u
#define THREADS (BLOCK * GRID)
#define STEPS 14u
#define TURNS 2u
#define RACED 12u
#define COUNTERS 3u /* of each scope: the device's; and for each block its own */
#define CELLS (THREADS + RACED + COUNTERS + GRID * COUNTERS)
#define CELL 8u           /* bytes */
#define PLACES 65536u     /* from here on: the offset of each cell */
#define RESULTS 131072u   /* and what each thread has read of its own cell */
#define NEVER 0xfffffff7u /* no word of a cell has this value */
#define MOST 4000000u     /* cycles */

enum kind {
    OWN_STORE,
    OWN_LOAD,
    FAILING,
    RACE_LOAD,
    RACE_STORE,
    RACE_ATOMIC,
    COUNT,
    COUNT_BLOCK,
    FENCE,
    BARRIER,
    KINDS
};
struct step {
    enum kind kind;
    unsigned bytes, offset, scope, order, shift, number;
};
struct program {
    struct step steps[STEPS];
    uint32_t places[CELLS]; /* offsets of cells: own, raced, counters, the blocks' counters */
};

static uint32_t rnd(uint64_t *x, uint32_t below)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((*x >> 33) % below);
}

static void make_program(struct program *p, uint64_t *x)
{
    for (unsigned i = 0; i < STEPS; i++) {
        struct step *s = &p->steps[i];
        s->kind = (enum kind)rnd(x, KINDS);
        s->bytes = 1u << rnd(x, 4);
        s->offset = rnd(x, CELL / s->bytes) * s->bytes;
        s->scope = rnd(x, 3);
        s->order = rnd(x, 3);
        s->shift = 1 + rnd(x, THREADS - 1);
        s->number = rnd(x, COUNTERS);
    }
    for (uint32_t i = 0; i < CELLS; i++) { /* in any order, so that lines have cells of all kinds */
        uint32_t other = rnd(x, i + 1);
        p->places[i] = p->places[other];
        p->places[other] = i * CELL;
    }
}

/* The kernel: %r6 is the thread's own sum, %r7 of what it has read in races; %rd4 its own cell, %rd1 all cells. */

static const char *const scopes[] = {"cta", "gpu", "sys"};
static const char *const types[] = {"u8", "u16", "u32", "u64"};

/* %rd5 = the cell whose number is %r10. */
#define CELL_OF_R10                                                                                                    \
    "mul.wide.u32 %%rd6, %%r10, 4; add.u64 %%rd6, %%rd1, %%rd6; ld.global.u32 %%r11, [%%rd6+65536]; cvt.u64.u32 "      \
    "%%rd5, "                                                                                                          \
    "%%r11; add.u64 %%rd5, %%rd1, %%rd5;\n"

static void add_race(struct strbuf *out, const struct step *s, unsigned number)
{
    static const char *const loads[] = {"ld.weak", "ld.volatile", "ld.relaxed.gpu"};
    static const char *const stores[] = {"st.weak", "st.volatile", "st.release.gpu"};
    static const char *const orders[] = {"relaxed", "acquire", "acq_rel"};
    const char *type = types[mask_first(s->bytes)];
    strbuf_addf(out, "add.u32 %%r10, %%r5, %u; rem.u32 %%r10, %%r10, %u; add.u32 %%r10, %%r10, %u;\n" CELL_OF_R10,
                s->shift, RACED, THREADS);
    if (s->kind == RACE_LOAD)
        strbuf_addf(out,
                    "%s.global.%s %%rd7, [%%rd5+%u]; cvt.u32.u64 %%r12, %%rd7; mad.lo.u32 %%r7, %%r7, 31, %%r12;\n",
                    loads[s->order], type, s->offset);
    else if (s->kind == RACE_STORE)
        strbuf_addf(out, "cvt.u64.u32 %%rd7, %%r7; %s.global.%s [%%rd5+%u], %%rd7;\n", stores[s->order], type,
                    s->offset);
    else if (number % 3 == 0)
        strbuf_addf(
            out, "lockstep.atom.acq_rel.remote.global.exch.b32 %%r12, [%%rd5+%u], %%r7; add.u32 %%r7, %%r7, %%r12;\n",
            s->offset / 4 * 4);
    else
        strbuf_addf(out, "atom.%s.%s.global.cas.b32 %%r12, [%%rd5+%u], %%r12, %%r5; add.u32 %%r7, %%r7, %%r12;\n",
                    orders[s->order], scopes[s->scope], s->offset / 4 * 4);
}

static void add_count(struct strbuf *out, const struct step *s)
{
    static const char *const orders[] = {"relaxed", "release", "acq_rel"};
    uint32_t first = THREADS + RACED + (s->kind == COUNT ? 0 : COUNTERS);
    if (s->kind == COUNT)
        strbuf_addf(out, "mov.u32 %%r10, %u;\n", first + s->number);
    else
        strbuf_addf(out, "mad.lo.u32 %%r10, %%r3, %u, %u;\n", COUNTERS, first + s->number);
    strbuf_addf(out, CELL_OF_R10 "%s", "");
    if (s->kind == COUNT && s->scope == 0)
        strbuf_addf(out, "lockstep.atom.acq_rel.remote.global.add.u32 %%r12, [%%rd5], 1;\n");
    else
        strbuf_addf(out, "atom.%s.%s.global.add.u32 %%r12, [%%rd5], 1;\n", orders[s->order],
                    s->kind == COUNT ? scopes[s->scope] : "cta");
}

static void add_step(struct strbuf *out, const struct step *s, unsigned number)
{
    const char *type = types[mask_first(s->bytes)];
    switch (s->kind) {
    case OWN_STORE:
        strbuf_addf(out,
                    "cvt.u64.u32 %%rd7, %%r6; shl.b64 %%rd8, %%rd7, 32; or.b64 %%rd7, %%rd7, %%rd8; "
                    "st.global.%s [%%rd4+%u], %%rd7;\n",
                    type, s->offset);
        break;
    case OWN_LOAD:
        strbuf_addf(out, "ld.global.%s %%rd7, [%%rd4+%u]; cvt.u32.u64 %%r12, %%rd7; mad.lo.u32 %%r6, %%r6, 5, %%r12;\n",
                    type, s->offset);
        break;
    case FAILING:
        strbuf_addf(out,
                    "add.u32 %%r10, %%r5, %u; rem.u32 %%r10, %%r10, %u;\n" CELL_OF_R10
                    "atom.relaxed.%s.global.cas.b32 %%r12, [%%rd5+%u], %u, 1; add.u32 %%r7, %%r7, %%r12;\n",
                    s->shift, THREADS, scopes[s->scope], s->offset / 4 * 4, NEVER);
        break;
    case COUNT:
    case COUNT_BLOCK:
        add_count(out, s);
        break;
    case FENCE:
        strbuf_addf(out, "fence.acq_rel.%s;\n", scopes[s->scope]);
        break;
    case BARRIER:
        strbuf_addf(out, "bar.sync 0;\n");
        break;
    default:
        add_race(out, s, number);
    }
}

static void add_kernel(struct strbuf *out, const struct program *p)
{
    strbuf_add(out, PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
                             "ld.global.u32 %r11, [%rd2+65536]; cvt.u64.u32 %rd4, %r11; add.u64 %rd4, %rd1, %rd4; "
                             "mov.u32 %r6, %r5; mov.u32 %r7, %r5; mov.u32 %r12, 0;\nLOOP:\n");
    for (unsigned i = 0; i < STEPS; i++)
        add_step(out, &p->steps[i], i);
    strbuf_addf(out, "mad.lo.u32 %%r6, %%r6, 31, 7; add.u32 %%r1, %%r1, -1; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra "
                     "LOOP;\nst.global.u32 [%%rd2+131072], %%r6; ret;\n}\n");
}

/* Counts that no race concerns */

struct expected {
    uint8_t own[THREADS][CELL];
    uint32_t sums[THREADS], counts[COUNTERS];
};

static void expect_thread(const struct program *p, uint32_t thread, struct expected *e)
{
    uint32_t sum = thread;
    for (unsigned turn = 0; turn < TURNS; turn++, sum = sum * 31 + 7)
        for (const struct step *s = p->steps; s < p->steps + STEPS; s++) {
            uint64_t value = sum | (uint64_t)sum << 32, old = 0;
            uint8_t *at = &e->own[thread][s->offset];
            if (s->kind == OWN_STORE)
                memcpy(at, &value, s->bytes);
            memcpy(&old, at, s->bytes);
            if (s->kind == OWN_LOAD)
                sum = sum * 5 + (uint32_t)old;
        }
    e->sums[thread] = sum;
}

static void expect(const struct program *p, struct expected *e)
{
    memset(e, 0, sizeof *e);
    for (uint32_t t = 0; t < THREADS; t++)
        expect_thread(p, t, e);
}

static uint32_t counted(const struct program *p, enum kind kind, unsigned number)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < STEPS; i++)
        count += p->steps[i].kind == kind && p->steps[i].number == number;
    return count * TURNS;
}

/* Running */

struct outcome {
    uint8_t cells[CELLS * CELL];
    uint32_t sums[THREADS];
    struct strbuf stats;
};

static char what[1024]; /* is run, for messages */

static void run(const char *machine, const char *settings, const char *text, const struct program *p, unsigned threads,
                bool every_cycle, struct outcome *o)
{
    struct device d;
    const struct shape shape = {
        .grid = GRID, .block = BLOCK, .max_cycles = MOST, .threads = threads, .every_cycle = every_cycle};
    device_open(&d, machine, settings);
    device_load(&d, text);
    uint64_t address = device_buffer(&d, RESULTS + sizeof o->sums), params[] = {address, TURNS};
    assert_int_equal(gpu_write(d.gpu, address + PLACES, p->places, sizeof p->places, &d.sink), 0);
    if (device_try(&d, "k", shape, 2, params) != GPU_OK)
        fail_msg("%s: %s", what, strbuf_text(&d.text));
    device_read(&d, o->cells, address, sizeof o->cells);
    device_read(&d, o->sums, address + RESULTS, sizeof o->sums);
    device_all_stats(&d.result, &o->stats);
    device_close(&d);
}

static void check_values(const struct program *p, const struct outcome *o)
{
    struct expected e;
    uint32_t count;
    expect(p, &e);
    for (uint32_t t = 0; t < THREADS; t++)
        if (memcmp(o->cells + p->places[t], e.own[t], CELL) || o->sums[t] != e.sums[t])
            fail_msg("%s: the cell of thread %u has another value than it stored last", what, t);
    for (uint32_t i = 0; i < COUNTERS + GRID * COUNTERS; i++) {
        bool block = i >= COUNTERS;
        uint32_t right = counted(p, block ? COUNT_BLOCK : COUNT, i % COUNTERS) * (block ? BLOCK : THREADS);
        memcpy(&count, o->cells + p->places[THREADS + RACED + i], sizeof count);
        if (count != right)
            fail_msg("%s: counter %u has come to %u, not to %u", what, i, count, right);
    }
}

static void check_same(const char *way, const struct outcome *a, const struct outcome *b)
{
    if (memcmp(a->cells, b->cells, sizeof a->cells) || memcmp(a->sums, b->sums, sizeof a->sums) ||
        strcmp(strbuf_text(&a->stats), strbuf_text(&b->stats)))
        fail_msg("%s: %s", what, way);
}

/* Machines: one of those that come with Lockstep, with few places. */

static void add_setting(struct strbuf *out, uint64_t *x, const char *name, const uint32_t *values, unsigned count)
{
    if (rnd(x, 2))
        strbuf_addf(out, " %s=%u", name, values[rnd(x, count)]);
}

static const char *draw_machine(struct strbuf *settings, const char *protocol, uint64_t *x)
{
    static const char *const machines[] = {"gtx480", "gtx480-sm2", "gtx1080ti", "thesis"};
    static const struct {
        const char *name;
        uint32_t values[4];
    } few[] = {
        {"partition.channels", {1, 2, 3, 6}},
        {"l2.sets", {1, 2, 4, 16}},
        {"l2.ways", {1, 2, 4, 8}},
        {"l2.mshr_entries", {1, 2, 4, 32}},
        {"l2.mshr_merges", {1, 2, 4, 8}},
        {"l2.miss_queue", {1, 2, 4, 8}},
        {"l1d.sets", {1, 2, 4, 32}},
        {"l1d.ways", {1, 2, 3, 4}},
        {"l1d.mshr_entries", {1, 2, 3, 32}},
        {"l1d.mshr_merges", {1, 2, 4, 8}},
        {"sm.l1d_queue", {4, 5, 6, 8}},
        {"sm.l1d_latency", {0, 1, 3, 12}},
        {"sm.issue_width", {1, 1, 2, 2}},
        {"sm.ejection_queue", {1, 2, 4, 8}},
        {"sm.request_port_bytes", {0, 1, 4, 16}},
        {"sm.response_queue", {1, 2, 4, 8}},
        {"partition.l2_icnt_queue", {4, 5, 8, 16}},
        {"partition.l2_dram_queue", {1, 2, 4, 8}},
        {"partition.dram_l2_queue", {1, 2, 4, 8}},
        {"partition.rop_latency", {1, 3, 20, 120}},
        {"coherence.store_queue", {1, 2, 4, 64}},
        {"partition.block_bytes", {128, 256, 512, 1024}},
        {"network.boundary_flits", {1, 2, 4, 16}},
        {"gpu.seed", {1, 2, 3, 4}},
        {"sm.fetch_from_fill", {0, 1, 0, 1}},
    };
    static const char *const replacements[] = {"rprio", "noprio", "own"};
    const char *machine = machines[rnd(x, 4)];
    strbuf_addf(settings, "coherence.protocol=%s gpu.sms=%u coherence.replacement=%s", protocol, 1 + rnd(x, 4),
                replacements[rnd(x, 3)]);
    for (unsigned i = 0; i < sizeof few / sizeof *few; i++)
        if (strcmp(few[i].name, "sm.fetch_from_fill"))
            add_setting(settings, x, few[i].name, few[i].values, 4);
        else if (rnd(x, 2))
            strbuf_addf(settings, " sm.fetch_from_fill=true");
    return machine;
}

/* False: there is no such machine. */
static bool is_machine(const char *name, const char *settings)
{
    struct machine machine;
    struct diag_sink sink;
    diag_init(&sink);
    int rc = machine_load(&machine, name, &sink);
    char *copy = strdup(settings), *save;
    for (char *s = strtok_r(copy, " ", &save); !rc && s; s = strtok_r(NULL, " ", &save))
        rc = machine_set(&machine, s, &sink);
    assert_int_equal(rc, 0);
    rc = machine_check(&machine, NULL, &sink);
    free(copy);
    machine_free(&machine);
    diag_free(&sink);
    return rc == 0;
}

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* Returns whether the seed's machine exists. */
static bool try_seed(const char *protocol, uint64_t seed)
{
    static const struct {
        const char *what;
        unsigned threads;
        bool every_cycle;
    } ways[] = {{"skipping and stepping differ", 1, true},
                {"two threads differ from one", 2, false},
                {"three threads that step differ from one", 3, true}};
    struct program program;
    struct strbuf settings = {0}, text = {0};
    struct outcome first = {0};
    uint64_t x = seed * UINT64_C(0x9E3779B97F4A7C15);
    make_program(&program, &x);
    const char *machine = draw_machine(&settings, protocol, &x);
    bool is = is_machine(machine, strbuf_text(&settings));
    snprintf(what, sizeof what, "LOCKSTEP_SEED=%llu on %s %s", (unsigned long long)seed, machine,
             strbuf_text(&settings));
    if (is) {
        add_kernel(&text, &program);
        run(machine, strbuf_text(&settings), strbuf_text(&text), &program, 1, false, &first);
        check_values(&program, &first);
        for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++) {
            struct outcome other = {0};
            run(machine, strbuf_text(&settings), strbuf_text(&text), &program, ways[w].threads, ways[w].every_cycle,
                &other);
            check_same(ways[w].what, &first, &other);
            strbuf_free(&other.stats);
        }
    }
    strbuf_free(&first.stats);
    strbuf_free(&settings);
    strbuf_free(&text);
    return is;
}

static void races_end_the_same_way(void **state)
{
    (void)state;
    uint64_t seed = environment("LOCKSTEP_SEED", 1);
    uint64_t machines = environment("LOCKSTEP_MACHINES", getenv("LOCKSTEP_LONG") ? 200 : SANITIZED ? 1 : 4);
    const char *only = getenv("LOCKSTEP_PROTOCOL");
    for (unsigned i = 0; coherence_list()[i]; i++) {
        const char *protocol = coherence_list()[i]->name;
        for (uint64_t found = 0, at = seed; found < machines && (!only || !strcmp(only, protocol)); at++)
            found += try_seed(protocol, at);
    }
}

/* Blocks update words of their own, lines are shared, and the L2 has a place or two: who wants a registered line's
 * place gets it, also for the second line of an instruction fetch. */
static const char crowded[] = PTX_HEAD PTX_KERNEL(
    "k", "ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [n]; cvt.u32.u64 %r1, %rd3; mov.u32 %r2, %tid.x; mov.u32 %r3, "
         "%ctaid.x; mad.lo.u32 %r4, %r2, %r1, %r3; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;\n"
         "atom.acq_rel.cta.global.exch.b32 %r7, [%rd2], 0; atom.global.add.u32 %r8, [%rd2], 3; st.global.u32 "
         "[%rd2+32], %r3;\n"
         "atom.acq_rel.cta.global.exch.b32 %r7, [%rd2], 1; atom.global.add.u32 %r8, [%rd2], 3; st.global.u32 "
         "[%rd2+32], %r3;\n"
         "atom.acq_rel.cta.global.exch.b32 %r7, [%rd2], 2; atom.global.add.u32 %r8, [%rd2], 3; st.global.u32 "
         "[%rd2+32], %r2; ret;");

static void places_are_made(void **state)
{
    (void)state;
    static const unsigned ways[] = {1, 2, 8};
    for (unsigned i = 0; coherence_list()[i]; i++)
        for (unsigned w = 0; w < 3; w++) {
            struct device d;
            char settings[256];
            snprintf(settings, sizeof settings, "coherence.protocol=%s partition.channels=1 l2.sets=1 l2.ways=%u",
                     coherence_list()[i]->name, ways[w]);
            device_open(&d, "thesis", settings);
            device_load(&d, crowded);
            uint64_t address = device_buffer(&d, 4096);
            device_run(&d, "k", (struct shape){.grid = 2, .block = 32, .max_cycles = MOST}, address, 16);
            for (unsigned t = 0; t < 32; t++)
                for (unsigned b = 0; b < 2; b++)
                    assert_int_equal(device_word(&d, address + t * 64 + b * 4), 5);
            device_close(&d);
        }
}

/* Lines of atomic accesses are counted once, whichever SMs access them, and launch by launch; under no protocol does
 * counting change a cycle. */
static void lines_of_atomics_are_counted(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD PTX_KERNEL(
        "k", PTX_BEGIN "ld.global.u32 %r6, [%rd1+1024]; atom.relaxed.gpu.global.add.u32 %r6, [%rd1], 1;\n"
                       "ld.acquire.gpu.global.u32 %r6, [%rd1+132]; st.release.gpu.global.u32 [%rd1+128], 7;\n"
                       "mul.wide.u32 %rd2, %r3, 128; add.u64 %rd2, %rd1, %rd2;\n"
                       "atom.acq_rel.gpu.global.add.u32 %r6, [%rd2+256], 1; ret;");
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        uint64_t cycles[2];
        for (unsigned counts = 0; counts < 2; counts++) {
            struct device d;
            char settings[120];
            snprintf(settings, sizeof settings, "gpu.sms=3 coherence.protocol=%s sm.counts_lines=%s", (*p)->name,
                     counts ? "true" : "false");
            device_open(&d, "gtx480", settings);
            device_load(&d, text);
            uint64_t buffer = device_buffer(&d, 4096);
            for (unsigned launch = 0; launch < 2; launch++) {
                device_run(&d, "k", (struct shape){.grid = 4, .block = 40, .max_cycles = MOST}, buffer, 0);
                assert_int_equal(device_stat(&d, "sm", "atomic_lines"), counts ? 6 : 0);
                assert_int_equal(device_stat(&d, "sm", "sync_lines"), counts ? 5 : 0);
            }
            cycles[counts] = d.result.cycles;
            device_close(&d);
        }
        assert_int_equal(cycles[0], cycles[1]);
    }
}

/* DeNovo-B with one row of its L1s replaced. */
struct lame {
    struct coherence_row rows[COHERENCE_ROWS];
    struct coherence_table table;
    struct coherence_registration registration;
    struct coherence_protocol protocol;
};

static void lame_open(struct lame *lame, struct coherence_row row, const char *settings, struct device *d)
{
    const struct coherence_protocol *from = coherence_find("denovo-b");
    const struct coherence_table *agent = from->registration->agent;
    memcpy(lame->rows, agent->rows, agent->count * sizeof *lame->rows);
    for (unsigned i = 0; i < agent->count; i++)
        if (lame->rows[i].state == row.state && lame->rows[i].event == row.event)
            lame->rows[i] = row;
    lame->table = (struct coherence_table){lame->rows, agent->count};
    lame->registration = *from->registration;
    lame->registration.agent = &lame->table;
    lame->protocol = *from;
    lame->protocol.registration = &lame->registration;
    device_open(d, "gtx480", settings);
    gpu_destroy(d->gpu);
    d->machine.memory.protocol = &lame->protocol;
    d->gpu = gpu_create(&d->machine, &d->sink);
    assert_non_null(d->gpu);
}

/* A protocol whose L1s never answer when a line is asked back. Whoever wants it waits for ever, and that is called what
 * it is, at once when nothing else is under way, and else at the next look of the watch. */
static void a_deadlock_of_memory_is_called_so(void **state)
{
    (void)state;
    static const char *const texts[] = {
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "atom.acq_rel.gpu.global.add.u32 %r6, [%rd1], 1; ret;"),
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "setp.eq.u32 %p1, %r3, 2; @%p1 bra SPIN;\n"
                                           "atom.acq_rel.gpu.global.add.u32 %r6, [%rd1], 1; ret;\n"
                                           "SPIN: add.u32 %r6, %r6, 1; nanosleep.u32 20; bra SPIN;")};
    for (unsigned i = 0; i < 2; i++) {
        struct device d;
        struct lame lame;
        lame_open(&lame, (struct coherence_row){AGENT_R, AGENT_RECALL_EVENT, AGENT_R, COHERENCE_DO(AGENT_DO_WAIT)},
                  "coherence.protocol=denovo-b gpu.sms=3 gpu.watch_cycles=100000", &d);
        device_load(&d, texts[i]);
        uint64_t params[] = {device_buffer(&d, 4096), 0};
        assert_int_equal(device_try(&d, "k", (struct shape){.grid = 3, .block = 1, .max_cycles = MOST}, 2, params),
                         GPU_HANG);
        assert_string_equal(d.result.hang, "memory deadlock");
        assert_has(strbuf_text(&d.text), "the memory system has come to a deadlock under kernel k");
        assert_has(strbuf_text(&d.text), "registered by SM");
        assert_true(d.result.cycles < (i ? 200000 : 20000));
        device_close(&d);
    }
}

/* One whose L1s never serve a load that they have missed. The holder of a lock loads, and its scheduler is not blamed.
 * The lock's value is the one in the L1 that has registered it. */
static void a_load_that_never_ends_is_called_so(void **state)
{
    (void)state;
    struct device d;
    struct lame lame;
    lame_open(&lame, (struct coherence_row){AGENT_F, AGENT_FILL_EVENT, AGENT_F, 0},
              "coherence.protocol=denovo-b gpu.sms=1 gpu.watch_cycles=2000", &d);
    device_load(
        &d, PTX_HEAD PTX_KERNEL("k", PTX_BEGIN
                                "and.b32 %r6, %r2, 31; setp.ne.u32 %p1, %r6, 0; @%p1 ret;\n"
                                "SPIN: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra SPIN;\n"
                                "ld.global.u32 %r7, [%rd1+512]; add.u32 %r7, %r7, 0;\n"
                                "atom.global.exch.b32 %r6, [%rd1], %r7; ret;"));
    uint64_t params[] = {device_buffer(&d, 4096), 0};
    assert_int_equal(device_try(&d, "k", (struct shape){.grid = 1, .block = 128, .max_cycles = MOST}, 2, params),
                     GPU_HANG);
    static const char *const said[] = {
        "(livelock: holders of locks wait for accesses to memory that do not end)",
        "kept waiting: 1 warps wait for accesses to memory that do not end, 1 of them hold",
        "wait for an access to memory at",
        "its access has not ended since the last progress",
        ", which waits for an access to memory",
        " = 1 since cycle"};
    for (unsigned i = 0; i < sizeof said / sizeof *said; i++)
        assert_has(strbuf_text(&d.text), said[i]);
    assert_null(strstr(strbuf_text(&d.text), "starved"));
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_made),
        cmocka_unit_test(lines_of_atomics_are_counted),
        cmocka_unit_test(a_deadlock_of_memory_is_called_so),
        cmocka_unit_test(a_load_that_never_ends_is_called_so),
        cmocka_unit_test(races_end_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
