/* Locks and semaphores on whole machines: random kernels with critical sections, one lock at a time, that are asked for
 * in all ways, on random settings of the queues of locks and of what is around them. Whatever the settings are, no two
 * threads are in one critical section at a time, none is lost, and all is free in the end. Runs by two host threads,
 * cycle by cycle and from checkpoints, taken while lanes stand in queues, are the same to the bit. And lanes that give
 * up while the lock is on its way to them. */
#include "base/archive.h"
#include "base/check.h"
#include "gpu/gpu_check.h"
#include "gpu_support.h"

#define GRID 3
#define BLOCK 44
#define THREADS (GRID * BLOCK)
#define STEPS 5
#define KERNELS 32 /* LOCKSTEP_KERNELS=N: so many; LOCKSTEP_SEED=S: from seed S on */
#define FREE UINT32_MAX
#define GLOBAL_LOCKS 16 /* at most; behind their counters are those of the blocks' locks in shared memory */
/* In the buffer: */
#define COUNTS 65536     /* a word for each lock: what the critical sections count, by loads and stores */
#define ENTERED 69632    /* a word for each lock: the same by atomics, behind the critical section */
#define OVER 73728       /* attempts that were given up */
#define SEMAPHORES 77824 /* of each 128 bytes: what it counts, threads inside, the most there were */
#define BYTES 81920

enum kind { LOCK, TIMED_CYCLES, TIMED_ATTEMPTS, TRY, TRY_LOOP, SEMAPHORE, KINDS };

struct step {
    enum kind kind;
    uint32_t times, plus; /* thread t takes number (times * t + plus) mod locks */
    uint32_t limit;
    uint32_t sleep;       /* ns in the critical section */
    uint32_t mask, value; /* threads t with (t & mask) == value take part */
    bool plain;           /* the counter is read and written as any data, else by volatile accesses */
    bool shared;          /* a lock in shared memory, by a generic address */
    bool guarded;         /* who takes part is said by the predicate of the instruction, not by a branch around it */
    bool two_unlocks;     /* in the two ways of a branch */
};

struct program {
    struct step steps[STEPS];
    uint32_t locks, stride;
    uint32_t semaphores, count; /* what each of them counts */
    uint32_t turns;
    char *text;
};

static uint32_t rnd(uint64_t *x, uint32_t below)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((*x >> 33) % below);
}

/* ---- kernels ---- */

static struct step make_step(uint64_t *x)
{
    static const uint8_t kinds[] = {LOCK,           LOCK, LOCK,     TIMED_CYCLES, TIMED_CYCLES,
                                    TIMED_ATTEMPTS, TRY,  TRY_LOOP, SEMAPHORE};
    static const uint32_t masks[] = {0, 0, 1, 3, 32, 7};
    struct step s = {
        .kind = kinds[rnd(x, sizeof kinds)],
        .times = rnd(x, 4),
        .plus = rnd(x, 8),
        .sleep = rnd(x, 3) ? 0 : rnd(x, 400),
        .mask = masks[rnd(x, 6)],
        .plain = rnd(x, 2),
        .shared = rnd(x, 5) == 0,
        .guarded = rnd(x, 3) == 0,
        .two_unlocks = rnd(x, 4) == 0,
    };
    s.value = rnd(x, 8) & s.mask;
    s.limit = s.kind == TIMED_ATTEMPTS ? 1 + rnd(x, 4) : rnd(x, rnd(x, 2) ? 400 : 4000);
    return s;
}

/* Who got the lock at %rd5 is in the critical section of the counter at %rd6. */
static void add_section(struct strbuf *out, const struct step *s, unsigned n)
{
    const char *order = s->plain ? "" : ".volatile";
    strbuf_addf(out, "ld%s.global.u32 %%r11, [%%rd6]; ", order);
    if (s->sleep)
        strbuf_addf(out, "nanosleep.u32 %u; ", s->sleep);
    strbuf_addf(out, "add.u32 %%r11, %%r11, 1; st%s.global.u32 [%%rd6], %%r11;\n", order);
    if (s->two_unlocks)
        strbuf_addf(out,
                    "and.b32 %%r12, %%r11, 1; setp.eq.u32 %%p4, %%r12, 0; @%%p4 bra U%u; lockstep.unlock.b32 [%%rd5]; "
                    "bra V%u;\nU%u: lockstep.unlock.b32 [%%rd5];\nV%u: ",
                    n, n, n, n);
    else
        strbuf_add(out, "lockstep.unlock.b32 [%rd5]; ");
    strbuf_addf(out, "red.global.add.u32 [%%rd6+%u], 1;\n", ENTERED - COUNTS);
}

static void add_semaphore(struct strbuf *out, const struct program *p, const struct step *s)
{
    strbuf_addf(out,
                "rem.u32 %%r10, %%r10, %u; mul.wide.u32 %%rd7, %%r10, 128; add.u64 %%rd7, %%rd1, %%rd7; add.u64 %%rd7, "
                "%%rd7, %u; lockstep.sem.wait.u32 [%%rd7]; atom.global.add.u32 %%r11, [%%rd7+4], 1; add.u32 %%r11, "
                "%%r11, 1; red.global.max.u32 [%%rd7+8], %%r11; nanosleep.u32 %u; atom.global.add.u32 %%r11, "
                "[%%rd7+4], -1; lockstep.sem.signal.u32 [%%rd7]; red.global.add.u32 [%%rd7+12], 1;\n",
                p->semaphores, SEMAPHORES, s->sleep);
}

static void add_asking(struct strbuf *out, const struct step *s, unsigned n)
{
    switch (s->kind) {
    case LOCK:
        strbuf_addf(out, "@!%%p1 lockstep.lock.b32 [%%rd5]; @%%p1 bra E%u;\n", n);
        break;
    case TIMED_CYCLES:
        strbuf_addf(out, "lockstep.lock.timed.cycles.b32 [%%rd5], %u, O%u;\n", s->limit, n);
        break;
    case TIMED_ATTEMPTS:
        strbuf_addf(out, "lockstep.lock.timed.attempts.b32 [%%rd5], %u, O%u;\n", s->limit, n);
        break;
    case TRY:
        strbuf_addf(out, "lockstep.trylock.b32 %%p2, [%%rd5]; @!%%p2 bra O%u;\n", n);
        break;
    default:
        strbuf_addf(out, "mov.u32 %%r14, 0;\nL%u: lockstep.trylock.b32 %%p2, [%%rd5]; @!%%p2 bra N%u;\n", n, n);
        break;
    }
}

static void add_step(struct strbuf *out, const struct program *p, unsigned n)
{
    const struct step *s = &p->steps[n];
    strbuf_addf(out, "and.b32 %%r12, %%r5, %u; setp.ne.u32 %%p1, %%r12, %u;\n", s->mask, s->value);
    if (s->kind != LOCK || !s->guarded)
        strbuf_addf(out, "@%%p1 bra E%u;\n", n);
    strbuf_addf(out, "mul.lo.u32 %%r10, %%r5, %u; add.u32 %%r10, %%r10, %u;\n", s->times, s->plus);
    if (s->kind == SEMAPHORE) {
        add_semaphore(out, p, s);
    } else {
        strbuf_addf(
            out,
            "rem.u32 %%r10, %%r10, %u; mul.wide.u32 %%rd5, %%r10, %u; add.u64 %%rd5, %%rd1, %%rd5; mul.wide.u32 "
            "%%rd6, %%r10, 4; add.u64 %%rd6, %%rd1, %%rd6; add.u64 %%rd6, %%rd6, %u;\n",
            p->locks, p->stride, COUNTS);
        if (s->shared)
            strbuf_addf(
                out,
                "mov.u64 %%rd5, %%rd9; mul.wide.u32 %%rd6, %%r3, 4; add.u64 %%rd6, %%rd1, %%rd6; add.u64 %%rd6, "
                "%%rd6, %u;\n",
                COUNTS + 4 * GLOBAL_LOCKS);
        add_asking(out, s, n);
        add_section(out, s, n);
        if (s->kind == TRY_LOOP)
            strbuf_addf(out, "mov.u32 %%r14, 1;\nN%u: setp.eq.u32 %%p3, %%r14, 0; @%%p3 bra L%u;\n", n, n);
        else if (s->kind != LOCK)
            strbuf_addf(out, "bra E%u;\nO%u: red.global.add.u32 [%%rd1+%u], 1;\n", n, n, OVER);
    }
    strbuf_addf(out, "E%u:\n", n);
}

static struct program make_program(uint64_t seed)
{
    static const uint32_t strides[] = {4, 4, 32, 128, 1028};
    uint64_t x = seed * 0x9E3779B97F4A7C15;
    struct strbuf out = {0};
    rnd(&x, 2);
    struct program p = {.locks = 1 + rnd(&x, 1 + rnd(&x, 12)),
                        .stride = strides[rnd(&x, 5)],
                        .semaphores = 1 + rnd(&x, 2),
                        .count = 1 + rnd(&x, 3),
                        .turns = 1 + rnd(&x, 3)};
    strbuf_add(&out, PTX_HEAD
               ".shared .align 4 .b8 s[4];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
               "mov.u64 %rd9, s; cvta.shared.u64 %rd9, %rd9; st.shared.u32 [s], -1; bar.sync 0;\nTURN:\n");
    for (unsigned n = 0; n < STEPS; n++) {
        p.steps[n] = make_step(&x);
        add_step(&out, &p, n);
    }
    strbuf_add(&out, "add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra TURN; ret;\n}\n");
    p.text = out.text;
    return p;
}

/* ---- machines ---- */

static char *draw_settings(uint64_t seed)
{
    static const char *const options[][6] = {
        {"locks.queue=true", "locks.queue=true", "locks.queue=true", "locks.queue=true", "locks.queue=false"},
        {"locks.record_limit=0", "locks.record_limit=1", "locks.record_limit=3", "locks.record_limit=20"},
        {"locks.queue_limit=0", "locks.queue_limit=0", "locks.queue_limit=1", "locks.queue_limit=2"},
        {"locks.backoff=constant", "locks.backoff=linear", "locks.backoff=exponential"},
        {"locks.backoff_cycles=1", "locks.backoff_cycles=64", "locks.backoff_cycles=700"},
        {"locks.backoff_most=30", "locks.backoff_most=3000", "locks.backoff_most=16384"},
        {"gpu.sms=1", "gpu.sms=2", "gpu.sms=3"},
        {"sm.scheduler=gto", "sm.scheduler=lrr", "sm.scheduler=gto+bows", "sm.scheduler=mwf"},
        {"sm.schedulers=1", "sm.schedulers=2", "sm.schedulers=2"},
        {"sm.warp_size=32", "sm.warp_size=32", "sm.warp_size=64"},
        {"gpu.seed=0", "gpu.seed=5"},
        {"l2.sets=64", "l2.sets=64", "l2.sets=4 l2.ways=1", "l2.sets=4 l2.ways=2 l2.mshr_entries=2"},
        {"partition.icnt_l2_queue=8", "partition.icnt_l2_queue=1", "sm.ejection_queue=1 sm.response_queue=1"},
        {"sm.fence_l1=invalidate", "sm.fence_l1=invalidate", "sm.global_loads_use_l1=false"},
        {"sm.one_in_flight=false", "sm.one_in_flight=false", "sm.one_in_flight=true"},
        {"sm.issue_interval=1", "sm.issue_interval=1", "sm.issue_interval=3"},
    };
    uint64_t x = seed * 0xD1342543DE82EF95;
    struct strbuf out = {0};
    rnd(&x, 2);
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        unsigned count = 0;
        while (count < 6 && options[i][count])
            count++;
        strbuf_addf(&out, "%s%s", i ? " " : "", options[i][rnd(&x, count)]);
    }
    return out.text;
}

/* ---- runs ---- */

struct run {
    struct device d;
    uint64_t buffer;
    const struct program *program;
    const char *machine, *settings;
};

static void open_run(struct run *r, const struct program *p, const char *machine, const char *settings)
{
    *r = (struct run){.program = p, .machine = machine, .settings = settings};
    device_open(&r->d, machine, settings);
    device_load(&r->d, p->text);
    r->buffer = device_buffer(&r->d, BYTES);
    assert_int_equal(gpu_fill(r->d.gpu, r->buffer, 0xff, COUNTS, &r->d.sink), 0);
    for (uint32_t i = 0; i < p->semaphores; i++)
        assert_int_equal(gpu_write(r->d.gpu, r->buffer + SEMAPHORES + 128 * i, &p->count, sizeof p->count, &r->d.sink),
                         0);
}

/* How often the kernel asks for locks, and for semaphores. */
static uint32_t times_asked(const struct program *p, bool semaphores)
{
    uint32_t times = 0;
    for (uint32_t t = 0; t < THREADS; t++)
        for (unsigned n = 0; n < STEPS; n++)
            times += (t & p->steps[n].mask) == p->steps[n].value && (p->steps[n].kind == SEMAPHORE) == semaphores;
    return times * p->turns;
}

#define SAYS(r, a, b)                                                                                                  \
    do {                                                                                                               \
        uint32_t x = (a), y = (b);                                                                                     \
        if (x != y)                                                                                                    \
            fail_msg("%s %s: " #a " is %u and should be %u\n%s", (r)->machine, (r)->settings, x, y,                    \
                     (r)->program->text);                                                                              \
    } while (0)

static void expect_right(struct run *r)
{
    const struct program *p = r->program;
    uint32_t words[BYTES / 4], entered = 0, waited = 0;
    device_read(&r->d, words, r->buffer, BYTES);
    for (uint32_t i = 0; i < COUNTS / 4; i++)
        SAYS(r, words[i], FREE);
    for (uint32_t i = 0; i < GLOBAL_LOCKS + GRID; i++) {
        SAYS(r, words[COUNTS / 4 + i], words[ENTERED / 4 + i]);
        entered += words[ENTERED / 4 + i];
    }
    SAYS(r, entered + words[OVER / 4], times_asked(p, false));
    for (uint32_t i = 0; i < p->semaphores; i++) {
        const uint32_t *semaphore = &words[(SEMAPHORES + 128 * i) / 4];
        SAYS(r, semaphore[0], p->count);
        SAYS(r, semaphore[1], 0);
        SAYS(r, semaphore[2] > p->count, false);
        waited += semaphore[3];
    }
    SAYS(r, waited, times_asked(p, true));
}

static void launch(struct run *r, enum gpu_mode mode, unsigned threads, bool every_cycle, struct archive *resume)
{
    uint64_t params[] = {r->buffer, r->program->turns};
    struct gpu_launch launch = {.module = r->d.module,
                                .kernel = gpu_kernel(r->d.module, "k"),
                                .grid = {GRID, 1, 1},
                                .block = {BLOCK, 1, 1},
                                .params = params,
                                .mode = mode,
                                .threads = threads,
                                .every_cycle = every_cycle,
                                .resume = resume};
    if (gpu_launch(r->d.gpu, &launch, &r->d.result, &r->d.sink))
        fail_msg("%s %s: %s\n%s", r->machine, r->settings, device_messages(&r->d), r->program->text);
    expect_right(r);
}

/* ---- looks into a run ---- */

#define KEPT 3 /* checkpoints of a run */
struct looker {
    struct run *run;
    struct strbuf content[KEPT];
    unsigned count, looks;
};

/* Requests that stand in queues. */
static uint64_t requests_kept(const struct gpu *gpu)
{
    const struct partition_params *p = &gpu->machine.memory.partition;
    uint64_t requests = 0;
    for (unsigned i = 0; i < memory_slices(p); i++) {
        const struct lock_stats *stats =
            partition_lock_stats(gpu->partitions[i / p->slices_per_channel], i % p->slices_per_channel);
        requests += stats->kept - stats->handed - stats->left;
    }
    return requests;
}

/* Between two windows: all derived facts hold. Of the looks at which requests stand in queues, some are kept. */
static void look(void *context)
{
    struct looker *l = context;
    struct gpu *gpu = l->run->d.gpu;
    struct check c;
    check_init(&c);
    gpu_check(gpu->run, &c);
    if (c.wrong)
        fail_msg("%s %s: cycle %llu: %s: %s[%u] is %llu and should be %llu\n%s", l->run->machine, l->run->settings,
                 (unsigned long long)gpu->cycle, c.wrong_unit, c.wrong, c.at, (unsigned long long)c.kept,
                 (unsigned long long)c.should_be, l->run->program->text);
    bool wanted = !gpu->machine.memory.locks.queue || requests_kept(gpu);
    if (!wanted || ++l->looks % 16 != 1 || l->count == KEPT)
        return;
    struct archive *ar = archive_into(&l->content[l->count++]);
    gpu_archive(gpu, ar);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

/* ---- tests ---- */

static void expect_same(const struct run *r, const struct strbuf *expected, const char *how)
{
    struct strbuf stats = {0};
    device_all_stats(&r->d.result, &stats);
    if (strcmp(strbuf_text(&stats), strbuf_text(expected)))
        fail_msg("%s %s: another result %s\n%s", r->machine, r->settings, how, r->program->text);
    strbuf_free(&stats);
}

static void run_again(const struct program *p, const char *machine, const char *settings, const struct strbuf *stats,
                      unsigned way, struct archive *resume)
{
    static const char *const ways[] = {"by two threads", "cycle by cycle", "from a checkpoint"};
    struct run r;
    open_run(&r, p, machine, settings);
    launch(&r, GPU_TIMING, way == 0 ? 2 : 1, way == 1, resume);
    expect_same(&r, stats, ways[way]);
    device_close(&r.d);
}

static unsigned checkpoints;

static void run_all_ways(const struct program *p, const char *machine, const char *settings)
{
    struct run r;
    struct strbuf stats = {0};
    open_run(&r, p, machine, settings);
    struct looker looker = {.run = &r};
    gpu_set_checkpoints(r.d.gpu, 400, 173, look, &looker);
    launch(&r, GPU_TIMING, 1, false, NULL);
    device_all_stats(&r.d.result, &stats);
    device_close(&r.d);
    run_again(p, machine, settings, &stats, 0, NULL);
    run_again(p, machine, settings, &stats, 1, NULL);
    for (unsigned i = 0; i < looker.count; i++) {
        struct archive *ar = archive_from_bytes(looker.content[i].text, looker.content[i].length);
        run_again(p, machine, settings, &stats, 2, ar);
        archive_abandon(ar);
        strbuf_free(&looker.content[i]);
    }
    checkpoints += looker.count;
    strbuf_free(&stats);
}

static void test_random_kernels(void **state)
{
    const char *from = getenv("LOCKSTEP_SEED"), *count = getenv("LOCKSTEP_KERNELS");
    uint64_t first = from ? strtoull(from, NULL, 0) : 1, end = first + (count ? strtoull(count, NULL, 0) : KERNELS);
    for (uint64_t seed = first; seed < end; seed += effort_steps(3, 24)) {
        struct program p = make_program(seed);
        char *settings = draw_settings(seed);
        if (from)
            fprintf(stderr, "%s\n", p.text);
        const char *machine = seed % 2 ? "gtx480" : "gtx480-sm2";
        struct run r;
        open_run(&r, &p, machine, settings);
        launch(&r, GPU_FUNCTIONAL, 1, false, NULL);
        device_close(&r.d);
        run_all_ways(&p, machine, settings);
        free(settings);
        free(p.text);
    }
    print_message("%u checkpoints\n", checkpoints);
}

/* A lane waits for a lock of another SM while one of its warp executes, and so has the line of what the lock protects
 * brought into the L1. It must see what the other SM has written there since. */
static void test_lock_that_comes_meanwhile(void **state)
{
    static const char kernel[] = PTX_HEAD PTX_KERNEL(
        "k", PTX_BEGIN "setp.ne.u32 %p1, %r3, 0; @%p1 bra OTHER; nanosleep.u32 2000; bra TAKE;\n"
                       "OTHER: setp.ne.u32 %p1, %r2, 1; @%p1 bra END;\n"
                       "TAKE: mul.wide.u32 %rd4, %r2, 128; add.u64 %rd4, %rd1, %rd4; lockstep.lock.b32 [%rd4];\n"
                       "ld.global.u32 %r7, [%rd4+1024]; ld.global.u32 %r8, [%rd1+1184]; add.u32 %r7, %r7, %r8; add.u32 "
                       "%r7, %r7, 1; nanosleep.u32 9000;\n"
                       "st.global.u32 [%rd4+1024], %r7; lockstep.unlock.b32 [%rd4];\n"
                       "END: ret;");
    for (unsigned queue = 0; queue < 2; queue++) {
        struct device d;
        device_open(&d, "gtx480", queue ? "gpu.sms=2 locks.queue=true" : "gpu.sms=2");
        device_load(&d, kernel);
        uint64_t at = device_buffer(&d, 2048);
        assert_int_equal(gpu_fill(d.gpu, at, 0xff, 1024, &d.sink), 0);
        device_run(&d, "k", (struct shape){.grid = 2, .block = 2}, at, 0);
        assert_int_equal(device_word(&d, at + 1024), 1);
        if (device_word(&d, at + 1152) != 2)
            fail_msg("%s queues, a lane saw an old value", queue ? "with" : "without");
        device_close(&d);
    }
}

/* Lanes that ask for locks in shared and in global memory by one instruction: without queues each gets its own, with
 * queues that is refused. */
static void test_mixed_memory(void **state)
{
    static const char kernel[] = PTX_HEAD ".shared .align 4 .b8 s[4];\n" PTX_KERNEL(
        "k",
        PTX_BEGIN "st.shared.u32 [s], -1; mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; setp.eq.u32 %p1, %r2, 0;\n"
                  "selp.b64 %rd5, %rd1, %rd5, %p1; lockstep.lock.b32 [%rd5]; ld.volatile.global.u32 %r7, [%rd2+64];\n"
                  "add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd2+64], %r7; lockstep.unlock.b32 [%rd5]; ret;");
    for (unsigned queue = 0; queue < 2; queue++) {
        struct device d;
        device_open(&d, "gtx480", queue ? "locks.queue=true" : "");
        device_load(&d, kernel);
        uint64_t params[] = {device_buffer(&d, 1024), 0};
        assert_int_equal(gpu_fill(d.gpu, params[0], 0xff, 4, &d.sink), 0);
        enum gpu_status status = device_try(&d, "k", (struct shape){.grid = 1, .block = 8}, 2, params);
        assert_int_equal(status, queue ? GPU_FAULT : GPU_OK);
        if (queue)
            assert_has(strbuf_text(&d.text), "while other lanes ask for locks in global memory");
        for (unsigned lane = 0; !queue && lane < 8; lane++)
            assert_int_equal(device_word(&d, params[0] + 64 + 4 * lane), 1);
        device_close(&d);
    }
}

/* ---- limits ---- */

/* Block 0 holds the lock for some time; block 1 waits for it, with the limit n. Counts who got it, and who gave up. */
static const char limited[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "setp.eq.u32 %p1, %r3, 1; @%p1 bra WAIT; lockstep.lock.b32 [%rd1]; nanosleep.u32 4000;\n"
                   "bra GOT;\n"
                   "WAIT: nanosleep.u32 1000; lockstep.lock.timed.cycles.b32 [%rd1], %r1, OVER;\n"
                   "GOT: ld.volatile.global.u32 %r7, [%rd1+1024]; add.u32 %r7, %r7, 1; st.volatile.global.u32 "
                   "[%rd1+1024], %r7; lockstep.unlock.b32 [%rd1]; bra END;\n"
                   "OVER: red.global.add.u32 [%rd1+1028], 1;\n"
                   "END: ret;");

/* Runs with that limit. Returns how many packets the network had: two more when block 1 told the queue to leave. */
static uint64_t try_limit(struct device *d, uint64_t at, uint64_t limit, bool *got_it)
{
    assert_int_equal(gpu_fill(d->gpu, at, 0xff, 4, &d->sink), 0);
    assert_int_equal(gpu_fill(d->gpu, at + 1024, 0, 8, &d->sink), 0);
    device_run(d, "k", (struct shape){.grid = 2, .block = 1}, at, limit);
    uint32_t got = device_word(d, at + 1024), over = device_word(d, at + 1028);
    assert_int_equal(device_word(d, at), FREE);
    assert_int_equal(got + over, 2);
    assert_int_equal(device_stat(d, "locks", "left"), over);
    assert_int_equal(device_stat(d, "locks", "handed"), got - 1);
    *got_it = got == 2;
    return device_stat(d, "network", "packets");
}

/* A lane tells the queue to leave while the lock is on its way to it, and has it then. */
static void test_grant_meets_leave(void **state)
{
    struct device d;
    unsigned gave_up = 0, waited = 0, met = 0;
    bool got_it;
    device_open(&d, "gtx480", "gpu.sms=2 locks.queue=true");
    device_load(&d, limited);
    uint64_t at = device_buffer(&d, 2048);
    try_limit(&d, at, 100000, &got_it); /* brings the lines into the caches */
    assert_true(got_it);
    uint64_t packets = try_limit(&d, at, 100000, &got_it);
    for (uint64_t limit = 2000; limit <= 3200; limit += 10) {
        bool leaves = try_limit(&d, at, limit, &got_it) == packets + 2;
        gave_up += !got_it;
        waited += got_it && !leaves;
        met += got_it && leaves;
    }
    assert_true(gave_up > 10 && waited > 10 && met > 5);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kernels),
        cmocka_unit_test(test_lock_that_comes_meanwhile),
        cmocka_unit_test(test_mixed_memory),
        cmocka_unit_test(test_grant_meets_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
