/* Blocks that fit on an SM at once, on the GTX 480 and small variations, worked out by hand from its limits: 1536
 * threads, 48 warps, 8 blocks, 32768 registers a multiple of 4 per thread, 49152 bytes of shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sm/sm.h"

static struct sm_params defaults(void)
{
    struct sm_params p;
    struct param_group group = {"sm", "", sm_param_descs, sm_param_count, &p, NULL};
    param_defaults(&group, 1);
    return p;
}

static void test_gtx480(void **state)
{
    static const struct {
        unsigned threads;
        uint32_t shared, registers;
        unsigned blocks;
        const char *limiter;
    } cases[] = {
        {192, 0, 20, 8, "threads"},    {256, 0, 20, 6, "threads"},   {257, 0, 20, 5, "threads"},
        {32, 0, 20, 8, "blocks"},      {1, 0, 63, 8, "blocks"},      {256, 0, 21, 5, "registers"},
        {256, 0, 24, 5, "registers"},  {256, 0, 25, 4, "registers"}, {512, 0, 63, 1, "registers"},
        {1024, 0, 33, 0, "registers"}, {128, 6144, 8, 8, "blocks"},  {128, 6145, 8, 7, "shared"},
        {128, 49152, 8, 1, "shared"},  {128, 49153, 8, 0, "shared"}, {1537, 0, 8, 0, "threads"},
        {1536, 0, 20, 1, "threads"},   {33, 0, 63, 8, "blocks"},     {64, 0, 64, 8, "blocks"},
        {65, 0, 64, 5, "registers"},
    };
    struct sm_params p = defaults();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *limiter = NULL;
        unsigned blocks = sm_occupancy(&p, cases[i].threads, cases[i].shared, cases[i].registers, &limiter);
        if (blocks != cases[i].blocks || strcmp(limiter, cases[i].limiter))
            fail_msg("%u threads, %u bytes, %u registers: %u blocks by %s instead of %u by %s", cases[i].threads,
                     cases[i].shared, cases[i].registers, blocks, limiter, cases[i].blocks, cases[i].limiter);
        assert_int_equal(sm_occupancy(&p, cases[i].threads, cases[i].shared, cases[i].registers, NULL), blocks);
    }
}

static void test_other_limits(void **state)
{
    const char *limiter;
    struct sm_params p = defaults();
    p.warps = 10;
    assert_int_equal(sm_occupancy(&p, 96, 0, 8, &limiter), 3);
    assert_string_equal(limiter, "warps");
    p = defaults();
    p.warp_size = 64;
    assert_int_equal(sm_occupancy(&p, 65, 0, 8, &limiter), 8);  /* padded to 128 */
    assert_int_equal(sm_occupancy(&p, 200, 0, 8, &limiter), 6); /* to 256 */
    p = defaults();
    p.register_unit = 256;
    assert_int_equal(sm_occupancy(&p, 128, 0, 1, &limiter), 1);
    assert_string_equal(limiter, "registers");
    assert_int_equal(sm_occupancy(&p, 32, 0, 0, NULL), 8);
}

/* Each block takes some shared memory for the system. */
static void test_reserved(void **state)
{
    const char *limiter;
    struct sm_params p = defaults();
    p.shared_reserved = 1024;
    assert_int_equal(sm_occupancy(&p, 128, 23552, 8, &limiter), 2);
    assert_int_equal(sm_occupancy(&p, 128, 23553, 8, &limiter), 1);
    assert_string_equal(limiter, "shared");
    assert_int_equal(sm_occupancy(&p, 128, 48128, 8, NULL), 1);
    assert_int_equal(sm_occupancy(&p, 128, 48129, 8, NULL), 0);
    p.shared_reserved = 8192;
    assert_int_equal(sm_occupancy(&p, 128, 0, 8, &limiter), 6);
    assert_string_equal(limiter, "shared");
}

/* What shared memory leaves of the array that it shares with the L1D. */
static void test_l1_bytes(void **state)
{
    struct sm_params p = defaults();
    struct sm_kernel k = {.threads_per_block = 768, .registers = 20, .shared_bytes = 5000}; /* two blocks */
    assert_int_equal(sm_l1_bytes(&p, &k), 0);
    p.l1_array_bytes = 65536;
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 10000);
    p.shared_sizes = "0,8,16,48";
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 16384);
    k.shared_bytes = 4096;
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 8192);
    k.shared_bytes = 0;
    assert_int_equal(sm_l1_bytes(&p, &k), 65536);
    k.shared_bytes = 49152; /* one */
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 49152);
    p.shared_sizes = "any";
    p.shared_reserved = 100;
    k.shared_bytes = 5000;
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 10200);
    k.shared_bytes = 0;
    assert_int_equal(sm_l1_bytes(&p, &k), 65536 - 200);
    p.shared_reserved = 0;
    k.shared_bytes = 49152;
    p.l1_array_bytes = 49152;
    assert_int_equal(sm_l1_bytes(&p, &k), 1); /* as little as can be */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gtx480),
        cmocka_unit_test(test_other_limits),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_l1_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
