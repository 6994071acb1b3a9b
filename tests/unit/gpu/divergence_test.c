/* Divergence models in a whole device: what the reconvergence stack cannot do another model can, and exchanges between
 * lanes where nothing is known about where they meet again. */
#include "gpu_support.h"
#include "unit/simt/lowest_pc.h"

/* Each lane takes a lock in a loop of its own and gives it back behind it, as no program for a stack may. */
static const char locks[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "TRY: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra GOT;\n"
                   "nanosleep.u32 100; bra TRY;\n"
                   "GOT: ld.volatile.global.u32 %r7, [%rd1+128]; add.u32 %r7, %r7, 1;\n"
                   "st.volatile.global.u32 [%rd1+128], %r7; membar.gl; atom.global.exch.b32 %r8, [%rd1], 0; ret;\n");

static void test_lock_in_a_warp(void **state)
{
    const struct simt_divergence *const models[] = {NULL, &lowest_pc};
    for (unsigned i = 0; i < 2; i++) {
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=2 gpu.watch_cycles=20000");
        device_load(&d, locks);
        uint64_t params[] = {device_buffer(&d, 256), 0};
        struct shape shape = {.grid = 2, .block = 64, .max_cycles = 5000000, .divergence = models[i]};
        assert_int_equal(device_try(&d, "k", shape, 2, params), i ? GPU_OK : GPU_HANG);
        if (i)
            assert_int_equal(device_word(&d, params[0] + 128), 128);
        device_close(&d);
    }
}

/* Half a warp calls a function whose lanes part for good, and votes there with a mask that names the others. */
static const char votes[] =
    PTX_HEAD ".func f(.param .b32 a)\n{\n" PTX_REGS "ld.param.u32 %r1, [a]; setp.lt.u32 %p1, %r1, 8; @%p1 bra LOW;\n"
             "add.u32 %r1, %r1, 1; ret;\n"
             "LOW: setp.ne.u32 %p2, %r1, 99; vote.sync.ballot.b32 %r3, %p2, 0xffffffff; ret;\n}\n" PTX_KERNEL(
                 "k", PTX_BEGIN "setp.ge.u32 %p1, %r2, 16; @%p1 bra OVER;\n"
                                "{ .param .b32 a; st.param.b32 [a], %r2; call.uni f, (a); }\n"
                                "OVER: st.global.u32 [%rd2], %r2; ret;\n");

static void test_vote_where_nothing_meets(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    device_load(&d, votes);
    uint64_t at = device_buffer(&d, 128);
    for (unsigned mode = 0; mode < 2; mode++) {
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING}, at, 0);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(device_word(&d, at + 4 * lane), lane);
    }
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lock_in_a_warp),
                                       cmocka_unit_test(test_vote_where_nothing_meets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
