/* Random kernels against an interpreter: every thread works on bytes of its own in global (side by side with other
 * threads' in one line), shared and local memory with loads, stores and atomics of all sizes and cache operators,
 * gathers from a common table, and branches on what it read. Whatever the machine does with lines, masks and order,
 * each thread must see its own values; and so it must however the lanes of a warp part and meet. */
#include "gpu_support.h"
#include "unit/simt/lowest_pc.h"

#define STEPS 24
#define REGION 64 /* bytes of a thread in each space */
#define TABLE 512 /* words */
#define GRID 3
#define BLOCK 70
#define THREADS (GRID * BLOCK)

enum kind { LOAD, STORE, ATOMIC, REDUCTION, GATHER, FENCE, SKIP, KINDS };
enum space { GLOBAL, SHARED, LOCAL };

struct step {
    enum kind kind;
    enum space space;
    unsigned size, offset; /* 1, 2, 4, 8, 16 bytes */
    const char *order;     /* of the instruction: "", ".volatile" and so on */
    unsigned operation;    /* of an atomic */
    bool guarded;          /* executed only when the accumulator's bit 2 is set */
    unsigned skip;         /* SKIP: so many steps when bit 4 is set */
};

struct program {
    struct step steps[STEPS];
    unsigned turns;
    bool interleaved; /* 16 bytes of each thread in turn, else 64 */
};

static uint32_t rnd(uint64_t *x, uint32_t below)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((*x >> 33) % below);
}

static uint32_t table_word(uint32_t i)
{
    return i * 2654435761u ^ i >> 3;
}

static struct program make_program(uint64_t seed)
{
    static const char *const orders[] = {"", "", "", ".volatile", ".relaxed.gpu"};
    uint64_t x = seed;
    struct program p = {.turns = 1 + rnd(&x, 4), .interleaved = rnd(&x, 2)};
    for (unsigned i = 0; i < STEPS; i++) {
        struct step *s = &p.steps[i];
        static const uint8_t kinds[] = {LOAD,  LOAD,   LOAD,      STORE,  STORE, STORE,
                                        STORE, ATOMIC, REDUCTION, GATHER, FENCE, SKIP};
        s->kind = kinds[rnd(&x, sizeof kinds)];
        s->space = rnd(&x, 2) ? GLOBAL : (enum space)rnd(&x, 3);
        s->size = 1u << rnd(&x, 5);
        if (s->kind == ATOMIC || s->kind == REDUCTION) {
            s->size = 4;
            s->space = s->space == LOCAL ? GLOBAL : s->space;
        }
        /* half of the time in the first 16 bytes, so that sizes meet */
        s->offset = rnd(&x, (rnd(&x, 2) ? REGION : 16) / s->size) * s->size;
        s->order = s->space == GLOBAL ? orders[rnd(&x, 5)] : "";
        s->operation = rnd(&x, 5);
        s->guarded = rnd(&x, 4) == 0;
        s->skip = 1 + rnd(&x, 4);
    }
    return p;
}

/* The interpreter */

struct thread {
    uint8_t bytes[3][REGION];
    uint32_t acc;
};

static void mix(struct thread *t, uint32_t value)
{
    t->acc = t->acc * 31 + value;
}

static uint32_t operate(unsigned operation, uint32_t old, uint32_t value)
{
    switch (operation) {
    case 0:
        return old + value;
    case 1:
        return old ^ value;
    case 2:
        return value;
    case 3:
        return old > value ? old : value;
    default:
        return old == 0 ? value : old; /* compare-and-swap with 0 */
    }
}

static void interpret_step(struct thread *t, const struct step *s)
{
    uint8_t *at = &t->bytes[s->space][s->offset];
    uint32_t words[4] = {0};
    if (s->kind == LOAD) {
        memcpy(words, at, s->size);
        for (unsigned i = 0; i < (s->size + 3) / 4; i++)
            mix(t, words[i]);
    } else if (s->kind == STORE) {
        for (unsigned i = 0; i < 4; i++)
            words[i] = t->acc + i;
        memcpy(at, words, s->size);
    } else if (s->kind == GATHER) {
        mix(t, table_word(t->acc % TABLE));
    } else if (s->kind == ATOMIC || s->kind == REDUCTION) {
        memcpy(words, at, 4);
        uint32_t value = operate(s->kind == REDUCTION ? s->operation % 2 : s->operation, words[0], t->acc);
        memcpy(at, &value, 4);
        if (s->kind == ATOMIC)
            mix(t, words[0]);
    }
}

static void interpret(const struct program *p, struct thread *t)
{
    for (unsigned turn = 0; turn < p->turns; turn++) {
        for (unsigned i = 0; i < STEPS; i++) {
            const struct step *s = &p->steps[i];
            if (s->kind == SKIP)
                i += t->acc & 4 ? s->skip : 0;
            else if (!s->guarded || t->acc & 2)
                interpret_step(t, s);
            mix(t, 1);
        }
    }
}

/* The kernel: %r6 is the accumulator; %rd2, %r20 and l are where the thread's bytes begin; %rd1 + 65536 is the table.
 */

static void add_address(struct strbuf *out, const struct program *p, const struct step *s)
{
    unsigned offset = s->offset;
    if (s->space == GLOBAL && p->interleaved)
        offset = offset / 16 * 16 * THREADS + offset % 16;
    strbuf_addf(out, "[%s+%u]", s->space == GLOBAL ? "%rd2" : s->space == SHARED ? "%r20" : "%rd11", offset);
}

static void add_step(struct strbuf *out, const struct program *p, const struct step *s, unsigned number)
{
    static const char *const types[] = {"u8", "u16", "u32", "v2.u32", "v4.u32"};
    static const char *const loaded[] = {"%r10", "%r10", "%r10", "{%r10, %r11}", "{%r10, %r11, %r12, %r13}"};
    static const char *const stored[] = {"%r6", "%r6", "%r6", "{%r6, %r7}", "{%r6, %r7, %r8, %r9}"};
    static const char *const spaces[] = {".global", ".shared", ".local"};
    static const char *const operations[] = {"add.u32", "xor.b32", "exch.b32", "max.u32", "cas.b32"};
    unsigned log = (unsigned)__builtin_ctz(s->size);
    strbuf_addf(out, "S%u: ", number);
    if (s->guarded)
        strbuf_add(out, "and.b32 %r15, %r6, 2; setp.eq.u32 %p1, %r15, 0; @%p1 bra ");
    if (s->guarded)
        strbuf_addf(out, "M%u;\n", number);
    switch (s->kind) {
    case LOAD:
        strbuf_addf(out, "ld%s%s.%s %s, ", s->order, spaces[s->space], types[log], loaded[log]);
        add_address(out, p, s);
        strbuf_add(out, ";");
        for (unsigned i = 0; i < (s->size + 3) / 4; i++)
            strbuf_addf(out, " mad.lo.u32 %%r6, %%r6, 31, %%r%u;", 10 + i);
        break;
    case STORE:
        strbuf_addf(out, "add.u32 %%r7, %%r6, 1; add.u32 %%r8, %%r6, 2; add.u32 %%r9, %%r6, 3; st%s%s.%s ", s->order,
                    spaces[s->space], types[log]);
        add_address(out, p, s);
        strbuf_addf(out, ", %s;", stored[log]);
        break;
    case ATOMIC:
        strbuf_addf(out, "atom%s.%s %%r10, ", spaces[s->space], operations[s->operation]);
        add_address(out, p, s);
        strbuf_add(out, s->operation == 4 ? ", 0, %r6; mad.lo.u32 %r6, %r6, 31, %r10;"
                                          : ", %r6; mad.lo.u32 %r6, %r6, 31, %r10;");
        break;
    case REDUCTION:
        strbuf_addf(out, "red%s.%s ", spaces[s->space], operations[s->operation % 2]);
        add_address(out, p, s);
        strbuf_add(out, ", %r6;");
        break;
    case GATHER:
        strbuf_addf(out,
                    "rem.u32 %%r10, %%r6, %u; mul.wide.u32 %%rd5, %%r10, 4; add.u64 %%rd5, %%rd1, %%rd5; "
                    "ld.global%s.u32 %%r10, [%%rd5+65536]; "
                    "mad.lo.u32 %%r6, %%r6, 31, %%r10;",
                    TABLE,
                    s->size == 1   ? ".nc"
                    : s->size == 2 ? ".cg"
                                   : "");
        break;
    case FENCE:
        strbuf_add(out, s->size > 4 ? "membar.gl;" : "membar.cta;");
        break;
    default:
        break;
    }
    strbuf_addf(out, "\nM%u: ", number);
    if (s->kind == SKIP) {
        unsigned to = number + 1 + s->skip;
        strbuf_addf(
            out, "and.b32 %%r15, %%r6, 4; setp.ne.u32 %%p1, %%r15, 0; mad.lo.u32 %%r6, %%r6, 31, 1; @%%p1 bra S%u;\n",
            to < STEPS ? to : STEPS);
    } else {
        strbuf_add(out, "mad.lo.u32 %r6, %r6, 31, 1;\n");
    }
}

static char *kernel_text(const struct program *p)
{
    struct strbuf out = {0};
    strbuf_addf(&out,
                "%s.shared .align 16 .b8 s[%u];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n.local .align 16 "
                ".b8 l[%u];\n%s%s",
                PTX_HEAD, BLOCK * REGION, REGION, PTX_REGS, PTX_BEGIN);
    strbuf_addf(&out,
                "mul.wide.u32 %%rd2, %%r5, %u; add.u64 %%rd2, %%rd1, %%rd2; mul.lo.u32 %%r20, %%r2, %u; mov.u32 %%r21, "
                "s; add.u32 %%r20, %%r20, %%r21;\n",
                p->interleaved ? 16 : REGION, REGION);
    strbuf_add(&out, "mov.u64 %rd11, l; mul.lo.u32 %r6, %r5, 2246822519; mov.u32 %r22, 0;\nTURN:\n");
    for (unsigned i = 0; i < STEPS; i++)
        add_step(&out, p, &p->steps[i], i);
    strbuf_addf(&out, "S%u: add.u32 %%r22, %%r22, 1; setp.lt.u32 %%p1, %%r22, %%r1; @%%p1 bra TURN;\n", STEPS);
    strbuf_add(&out,
               "mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd1, %rd5; st.global.u32 [%rd5+131072], %r6; ret;\n}\n");
    return out.text;
}

static void run_program(uint64_t seed, const char *machine, const char *settings,
                        const struct simt_divergence *divergence)
{
    struct program p = make_program(seed);
    struct device d;
    char *text = kernel_text(&p);
    uint32_t table[TABLE];
    uint8_t *memory = malloc(THREADS * REGION);
    device_open(&d, machine, settings);
    device_load(&d, text);
    uint64_t at = device_buffer(&d, 131072 + 4 * THREADS);
    for (unsigned i = 0; i < TABLE; i++)
        table[i] = table_word(i);
    assert_int_equal(gpu_write(d.gpu, at + 65536, table, sizeof table, &d.sink), 0);
    for (unsigned mode = 0; mode < 2; mode++) {
        assert_int_equal(gpu_fill(d.gpu, at, 0, THREADS * REGION, &d.sink), 0);
        device_run(
            &d, "k",
            (struct shape){
                .grid = GRID, .block = BLOCK, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING, .divergence = divergence},
            at, p.turns);
        device_read(&d, memory, at, THREADS * REGION);
        for (uint32_t t = 0; t < THREADS; t++) {
            struct thread thread = {.acc = t * 2246822519u};
            uint8_t found[REGION];
            interpret(&p, &thread);
            for (unsigned i = 0; i < REGION; i++)
                found[i] = memory[p.interleaved ? (i / 16 * THREADS + t) * 16 + i % 16 : t * REGION + i];
            if (device_word(&d, at + 131072 + 4 * t) != thread.acc || memcmp(found, thread.bytes[GLOBAL], REGION))
                fail_msg("seed %llu on %s %s, mode %u: thread %u computed something else\n%s", (unsigned long long)seed,
                         machine, settings, mode, t, text);
        }
    }
    device_close(&d);
    free(memory);
    free(text);
}

static void test_random_kernels(void **state)
{
    static const struct {
        const char *machine, *settings;
    } machines[] = {
        {"gtx480", "gpu.sms=2"},
        {"gtx480-sm2", "gpu.sms=3 sm.scheduler=lrr"},
        {"gtx480", "gpu.sms=1 l1d.mshr_entries=2 l1d.sets=4 l1d.ways=1 sm.l1d_queue=3 sm.ejection_queue=1 "
                   "sm.response_queue=1 sm.blocks=2"},
        {"gtx480-sm2", "gpu.sms=2 sm.warp_size=64 sm.fence_l1=none l2.sets=4 l2.ways=2"},
        {"gtx480", "gpu.sms=2 sm.global_loads_use_l1=false sm.volatile_bypasses_l1=false l2.sets=4 l2.ways=2 "
                   "l2.mshr_entries=2 partition.icnt_l2_queue=2"},
        {"gtx1080ti", "gpu.sms=2"},
        {"gtx480", "gpu.sms=3 gpu.seed=1 gpu.seed_cycles=50 sm.global_loads_use_l1=false"},
        {"gtx480-sm2", "gpu.sms=3 gpu.seed=2"},
    };
    unsigned count = sizeof machines / sizeof machines[0];
    for (uint64_t seed = 1; seed <= 168; seed += effort_steps(2, 10))
        run_program(seed, machines[seed % count].machine, machines[seed % count].settings,
                    seed <= 112   ? NULL
                    : seed <= 140 ? &lowest_pc
                                  : simt_model_find(seed % 2 ? "its" : "aware"));
}

/* Threads go from warp to warp, with all that they have. */
static void test_warps_formed_anew(void **state)
{
    static const struct {
        const char *machine, *settings;
    } machines[] = {
        {"gtx480", "gpu.sms=1"},
        {"gtx480-sm2", "gpu.sms=1 sm.scheduler=lrr sm.form_reads=rows"},
        {"gtx1080ti", "gpu.sms=1 sm.form_lanes=rotated"},
        {"gtx480", "gpu.sms=2 sm.warp_size=64 sm.form_lanes=rotated sm.form_reads=rows sm.bank_by_warp=true"},
        {"gtx480", "gpu.sms=1 sm.fetch=fef sm.instruction_buffer=4 sm.scheduler=mwf"},
        {"gtx480", "gpu.sms=1 coherence.protocol=hlrc sm.scheduler=gto+bows l2.sets=4 l2.ways=2"},
        {"gtx480-sm2", "gpu.sms=1 gpu.seed=3 sm.scheduler=tls sm.fence_l1=none"},
    };
    unsigned count = sizeof machines / sizeof machines[0];
    for (uint64_t seed = 500; seed < 570; seed += effort_steps(2, 8))
        run_program(seed, machines[seed % count].machine, machines[seed % count].settings, simt_model_find("dwf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels), cmocka_unit_test(test_warps_formed_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
