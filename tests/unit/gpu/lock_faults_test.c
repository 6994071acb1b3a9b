/* Instructions of locks and semaphores at addresses that nothing is allocated at, that are not aligned, or whose memory
 * was given back: by all lanes of a warp or by one, while the warp has locks or has none, in every mode, under every way
 * to diverge, with queues and without. All of it is the kernel's fault, reported with the instruction and the address,
 * whatever the warp would have waited for. Builds for tests hold their contracts meanwhile. */
#include "gpu_support.h"
#include "simt/divergence.h"

#define LANES 64
#define ALL LANES
#define LOCKS 4096 /* bytes of the buffer in which all are free */

/* %rd2: the lane's own lock, but for the lane that goes astray (or all), whose address is p. */
#define ASTRAY                                                                                                         \
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [n]; ld.param.u64 %rd4, [q]; cvt.u32.u64 %r1, %rd3; mov.u32 %r2, "      \
    "%tid.x; mov.u32 %r9, 4; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd2, %rd4, %rd5; setp.eq.u32 %p1, %r2, %r1; "          \
    "setp.ge.u32 %p2, %r1, 64; or.pred %p1, %p1, %p2; @%p1 mov.u64 %rd2, %rd1;\n"
#define HOLDING "lockstep.lock.b32 [%rd2+1024];\n"
#define KERNEL(name, before, instruction)                                                                              \
    ".visible .entry " name "(.param .u64 p, .param .u64 n, .param .u64 q)\n{\n" PTX_REGS before instruction            \
    "\nOUT: ret;\n}\n"
/* The one that has a lock already takes it at its own place, before it goes astray. */
#define BOTH(name, instruction)                                                                                        \
    KERNEL(name, ASTRAY, instruction)                                                                                  \
    KERNEL(name "_holding",                                                                                            \
           "ld.param.u64 %rd4, [q]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd2, %rd4, %rd5; " HOLDING \
               ASTRAY,                                                                                                 \
           instruction)

static const char *const names[] = {"lock", "unlock", "try", "attempts", "cycles", "wait", "signal", "global", NULL};
static const char text[] = PTX_HEAD BOTH("lock", "lockstep.lock.b32 [%rd2];") BOTH("unlock", "lockstep.unlock.b32 [%rd2];")
    BOTH("try", "lockstep.trylock.b32 %p3, [%rd2];") BOTH("attempts", "lockstep.lock.timed.attempts.b32 [%rd2], %r9, OUT;")
        BOTH("cycles", "lockstep.lock.timed.cycles.b32 [%rd2], %r9, OUT;") BOTH("wait", "lockstep.sem.wait.u32 [%rd2];")
            BOTH("signal", "lockstep.sem.signal.u32 [%rd2];") BOTH("global", "lockstep.sem.wait.global.u32 [%rd2];");

static void fill(struct device *d, uint64_t locks)
{
    assert_int_equal(gpu_fill(d->gpu, locks, 0xff, LOCKS, &d->sink), 0);
}

/* One launch. With queues, a lane that has a lock may not ask for another: that is reported first. */
static void try_one(struct device *d, const char *name, bool holding, struct shape shape, uint64_t bad, uint64_t lane,
                    uint64_t locks, bool queues)
{
    char kernel[40], address[32];
    const uint64_t params[] = {bad, lane, locks};
    snprintf(kernel, sizeof kernel, "%s%s", name, holding ? "_holding" : "");
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)bad);
    fill(d, locks);
    enum gpu_status status = device_try(d, kernel, shape, 3, params);
    if (status != GPU_FAULT)
        fail_msg("%s at %s by lane %u: %s\n%s", kernel, address, (unsigned)lane, gpu_status_name(status),
                 strbuf_text(&d->text));
    assert_has(strbuf_text(&d->text), ": lockstep.");
    if (!(queues && holding) && strcmp(name, "unlock") != 0)
        assert_has(strbuf_text(&d->text), address);
}

static void try_all(const char *settings, struct shape shape)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    device_load(&d, text);
    uint64_t locks = device_buffer(&d, LOCKS), freed = device_buffer(&d, 4096);
    assert_int_equal(gpu_free(d.gpu, freed), 0);
    const uint64_t bad[] = {0, locks + 2, locks + (1u << 20), UINT64_MAX - 255, freed};
    for (unsigned i = 0; names[i]; i++)
        for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++)
            for (unsigned holding = 0; holding < 2; holding++) {
                try_one(&d, names[i], holding, shape, bad[k], ALL, locks, strstr(settings, "queue"));
                try_one(&d, names[i], holding, shape, bad[k], 37, locks, strstr(settings, "queue"));
            }
    device_close(&d);
}

static void test_modes(void **state)
{
    (void)state;
    try_all("gpu.sms=1", (struct shape){.grid = 2, .block = LANES});
    try_all("gpu.sms=1", (struct shape){.grid = 2, .block = LANES, .mode = GPU_FUNCTIONAL});
}

static void test_queues(void **state)
{
    (void)state;
    try_all("gpu.sms=1 locks.queue=true", (struct shape){.grid = 2, .block = LANES});
}

static void test_ways(void **state)
{
    (void)state;
    for (unsigned i = 1; simt_models()[i]; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "gpu.sms=1 sm.divergence=%s", simt_models()[i]->name);
        try_all(settings, (struct shape){.grid = 2, .block = LANES});
        try_all(settings, (struct shape){.grid = 2, .block = LANES, .mode = GPU_FUNCTIONAL});
    }
}

static void test_protocols(void **state)
{
    (void)state;
    try_all("gpu.sms=1 coherence.protocol=vi", (struct shape){.grid = 2, .block = LANES});
    try_all("gpu.sms=1 coherence.protocol=hlrc", (struct shape){.grid = 2, .block = LANES});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_protocols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
