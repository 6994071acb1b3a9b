/* Random kernels (random_kernel.h) against an interpreter: whatever the machine does with lines, masks and order, each
 * thread must see its own values; and so it must however the lanes of a warp part and meet. */
#include "random_kernel.h"
#include "unit/simt/lowest_pc.h"

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
    } else if (s->size == 16 && s->kind == ATOMIC) {
        uint32_t value[4] = {t->acc, t->acc + 1, t->acc, t->acc + 1};
        static const uint32_t free_place[4];
        memcpy(words, at, sizeof words);
        if (s->operation != 4 || !memcmp(words, free_place, sizeof words))
            memcpy(at, value, sizeof value);
        for (unsigned i = 0; i < 4; i++)
            mix(t, words[i]);
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

/* Most registers lie in local memory. */
static void test_spills(void **state)
{
    static const char *const settings[] = {
        "gpu.sms=2 gpu.spills=true gpu.thread_registers=8",
        "gpu.sms=1 gpu.spills=true sm.registers_per_thread=12 l1d.sets=4 l1d.ways=1 l1d.mshr_entries=2",
        "gpu.sms=2 gpu.spills=true gpu.thread_registers=16 sm.one_in_flight=true",
        "gpu.sms=2 gpu.spills=true gpu.thread_registers=6 sm.cores=2",
    };
    static const char *const models[] = {"stack", "its", "aware", "dwf"};
    for (uint64_t seed = 800; seed < 864; seed += effort_steps(1, 8))
        run_program(seed, seed % 3 ? "gtx480" : "gtx1080ti", settings[seed % 4], simt_model_find(models[seed / 4 % 4]));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels), cmocka_unit_test(test_spills),
                                       cmocka_unit_test(test_warps_formed_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
