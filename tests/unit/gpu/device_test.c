/* The device between launches: memory, variables, caches that outlive a kernel, special registers, the heap, printed
 * text, clocks. */
#include "gpu_support.h"

static void test_memory(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.memory_mib=16");
    uint64_t free_before, total, start, bytes;
    gpu_memory_info(d.gpu, &free_before, &total);
    assert_int_equal(total, 16u << 20);
    uint64_t a = gpu_malloc(d.gpu, 1000), b = gpu_malloc(d.gpu, 1000);
    assert_true(a && b && a % 256 == 0 && b % 256 == 0 && (b >= a + 1000 || a >= b + 1000));
    assert_true(gpu_find_allocation(d.gpu, a + 999, &start, &bytes) && start == a && bytes >= 1000);
    assert_int_equal(gpu_malloc(d.gpu, UINT64_C(1) << 40), 0);
    assert_int_equal(gpu_malloc(d.gpu, UINT64_MAX - 5), 0);
    char text[1000], back[1000];
    memset(text, 'x', sizeof text);
    assert_int_equal(gpu_write(d.gpu, a, text, 1000, &d.sink), 0);
    assert_int_equal(gpu_fill(d.gpu, a + 10, 'y', 20, &d.sink), 0);
    assert_int_equal(gpu_copy(d.gpu, b + 100, a, 100, &d.sink), 0);
    assert_int_equal(gpu_copy(d.gpu, b + 101, b + 100, 99, &d.sink), 0); /* overlapping */
    assert_int_equal(gpu_read(d.gpu, back, b + 100, 100, &d.sink), 0);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(back[i], i >= 11 && i < 31 ? 'y' : 'x');
    uint64_t far = a + (UINT64_C(1) << 30);
    assert_int_equal(gpu_write(d.gpu, far, text, 1, &d.sink), -1);
    assert_int_equal(gpu_read(d.gpu, back, a - 1, 2, &d.sink), -1);
    assert_int_equal(gpu_fill(d.gpu, a, 0, 1 << 20, &d.sink), -1);
    assert_int_equal(gpu_copy(d.gpu, a, far, 4, &d.sink), -1);
    assert_int_equal(gpu_read(d.gpu, back, far, 0, &d.sink), 0); /* nothing, from nowhere */
    assert_int_equal(gpu_free(d.gpu, a + 256), -1);
    assert_int_equal(gpu_free(d.gpu, a), 0);
    assert_int_equal(gpu_free(d.gpu, a), -1);
    assert_int_equal(gpu_read(d.gpu, back, a, 1, &d.sink), -1);
    assert_int_equal(gpu_free(d.gpu, b), 0);
    uint64_t free_after;
    gpu_memory_info(d.gpu, &free_after, &total);
    assert_int_equal(free_after, free_before);
    device_close(&d);
}

/* Variables of a module, initialised, aligned and address-valued; constants; two modules with variables of the same
 * name. */
static void test_variables(void **state)
{
    static const char text[] = PTX_HEAD
        ".global .align 4 .u32 v[4] = {10, 20, 30, 40};\n.const .align 8 .u64 c = 0x1122334455667788;\n.global .align "
        "8 .u64 where = v;\n.global .align 512 .b8 wide[16];\n" PTX_KERNEL(
            "k", PTX_BEGIN
            "ld.global.u64 %rd5, [where]; and.b32 %r6, %r2, 3; mul.wide.u32 %rd6, %r6, 4; add.u64 %rd5, %rd5, %rd6; "
            "ld.u32 %r7, [%rd5];\n"
            "ld.const.u64 %rd7, [c]; cvt.u32.u64 %r8, %rd7; xor.b32 %r7, %r7, %r8; st.global.u32 [%rd2], %r7; ret;");
    struct device d;
    device_open(&d, "gtx480", NULL);
    device_load(&d, text);
    uint64_t v, c, wide, bytes, p = device_buffer(&d, 256);
    assert_true(gpu_variable(d.module, "v", &v, &bytes) && bytes == 16);
    assert_true(gpu_variable(d.module, "c", &c, &bytes) && bytes == 8);
    assert_true(gpu_variable(d.module, "wide", &wide, &bytes) && wide % 512 == 0);
    assert_false(gpu_variable(d.module, "none", &v, &bytes));
    assert_null(gpu_kernel(d.module, "none"));
    struct gpu_module *first = d.module;
    device_load(&d, text);
    uint64_t other;
    assert_true(gpu_variable(d.module, "v", &other, &bytes) && other != v);
    d.module = first;
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(device_word(&d, p + 4 * i), 0x55667788 ^ (10 * (i + 1)));
    /* The host writes both, also the constant that a cache may still hold. */
    uint32_t values[] = {1, 2, 3, 4};
    uint64_t constant = 7;
    assert_int_equal(gpu_write(d.gpu, v, values, sizeof values, &d.sink), 0);
    assert_int_equal(gpu_write(d.gpu, c, &constant, 8, &d.sink), 0);
    for (unsigned mode = 0; mode < 2; mode++) {
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING}, p, 0);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(device_word(&d, p + 4 * i), 7 ^ (i + 1));
    }
    device_close(&d);
}

/* What an L1 kept from one launch is not stale in the next: host writes, other SMs' stores, functional launches, other
 * parameters. */
static void test_caches_between_launches(void **state)
{
    static const char text[] =
        PTX_HEAD PTX_KERNEL("sum", PTX_BEGIN "mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r6, "
                                             "[%rd4]; add.u32 %r6, %r6, %r1; st.global.u32 [%rd2+4096], %r6; ret;")
            PTX_KERNEL("set", PTX_BEGIN
                       "setp.ge.u32 %p1, %r5, 64; @%p1 ret; add.u32 %r6, %r5, %r1; st.global.u32 [%rd2], %r6; ret;");
    static const char *const machines[] = {"gtx480", "gtx480-sm2"};
    for (unsigned m = 0; m < 2; m++) {
        struct device d;
        device_open(&d, machines[m], "gpu.sms=3");
        device_load(&d, text);
        uint64_t p = device_buffer(&d, 65536);
        for (uint32_t round = 1; round < 12; round++) {
            if (round % 3 == 0) {
                uint32_t host[64];
                for (uint32_t i = 0; i < 64; i++)
                    host[i] = round * 100 + i;
                assert_int_equal(gpu_write(d.gpu, p, host, sizeof host, &d.sink), 0);
            } else {
                device_run(&d, "set",
                           (struct shape){.grid = 1, .block = 64, .mode = round % 4 == 1 ? GPU_FUNCTIONAL : GPU_TIMING},
                           p, round * 100);
            }
            device_run(&d, "sum", (struct shape){.grid = 6, .block = 64}, p, round);
            for (uint32_t i = 0; i < 6 * 64; i++)
                assert_int_equal(device_word(&d, p + 4096 + 4 * i), round * 101 + i % 64);
        }
        device_close(&d);
    }
}

static void test_special_registers(void **state)
{
    static const char text[] =
        PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n" PTX_REGS
                 "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, "
                 "%ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;\n"
                 "mov.u32 %r7, %ntid.x; mov.u32 %r8, %ntid.y; mov.u32 %r9, %ntid.z; mov.u32 %r10, %nctaid.x; mov.u32 "
                 "%r11, %nctaid.y; mov.u32 %r12, %nctaid.z;\n"
                 "mad.lo.u32 %r13, %r3, %r8, %r2; mad.lo.u32 %r13, %r13, %r7, %r1; mad.lo.u32 %r14, %r6, %r11, %r5; "
                 "mad.lo.u32 %r14, %r14, %r10, %r4;\n"
                 "mul.lo.u32 %r15, %r7, %r8; mul.lo.u32 %r15, %r15, %r9; mad.lo.u32 %r16, %r14, %r15, %r13; "
                 "mul.wide.u32 %rd2, %r16, 32; add.u64 %rd1, %rd1, %rd2;\n"
                 "mov.u32 %r17, %laneid; mov.u32 %r18, %lanemask_lt; mov.u32 %r19, %smid; mov.u32 %r20, %nsmid; "
                 "mov.u32 %r21, %warpid; mov.u32 %r22, %nwarpid;\n"
                 "shl.b32 %r1, %r1, 16; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; shl.b32 %r4, "
                 "%r4, 16; shl.b32 %r5, %r5, 8; or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, %r6;\n"
                 "st.global.v4.u32 [%rd1], {%r1, %r4, %r17, %r18}; st.global.v4.u32 [%rd1+16], {%r19, %r20, %r21, "
                 "%r22}; ret;\n}\n";
    for (unsigned mode = 0; mode < 2; mode++) {
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=7");
        device_load(&d, text);
        uint64_t p = device_buffer(&d, 32 * 24 * 30);
        struct gpu_launch launch = {.module = d.module,
                                    .kernel = gpu_kernel(d.module, "k"),
                                    .grid = {2, 3, 4},
                                    .block = {5, 3, 2},
                                    .params = &p,
                                    .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING};
        assert_int_equal(gpu_launch(d.gpu, &launch, &d.result, &d.sink), 0);
        for (uint32_t b = 0; b < 24; b++) {
            uint32_t sm = device_word(&d, p + 32ull * 30 * b + 16);
            assert_true(sm < 7);
            for (uint32_t t = 0; t < 30; t++) {
                uint32_t r[8];
                device_read(&d, r, p + 32ull * (30 * b + t), 32);
                assert_int_equal(r[0], t % 5 << 16 | t / 5 % 3 << 8 | t / 15);
                assert_int_equal(r[1], b % 2 << 16 | b / 2 % 3 << 8 | b / 6);
                assert_int_equal(r[2], t);
                assert_int_equal(r[3], (1u << t) - 1);
                assert_int_equal(r[4], sm); /* a block stays on its SM */
                assert_int_equal(r[5], 7);
                assert_true(r[6] < 48);
                assert_int_equal(r[7], 48);
            }
        }
        device_close(&d);
    }
}

/* Blocks go round over the SMs, one a cycle each, and a small grid is spread evenly. */
static void test_blocks_are_spread(void **state)
{
    static const char text[] =
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "mov.u32 %r6, %smid; st.global.u32 [%rd2], %r6; nanosleep.u32 50000; ret;");
    struct device d;
    device_open(&d, "gtx480", NULL);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 4096);
    for (unsigned grid = 1; grid <= 45; grid += 11) {
        unsigned per_sm[15] = {0}, most = 0, least = 99;
        device_run(&d, "k", (struct shape){.grid = grid, .block = 1}, p, 0);
        for (unsigned b = 0; b < grid; b++)
            per_sm[device_word(&d, p + 4 * b)]++;
        for (unsigned i = 0; i < 15; i++) {
            most = per_sm[i] > most ? per_sm[i] : most;
            least = per_sm[i] < least ? per_sm[i] : least;
        }
        assert_true(most <= (grid + 14) / 15);
        assert_true(most - least <= 1);
    }
    device_close(&d);
}

static void test_heap(void **state)
{
    static const char text[] = PTX_HEAD
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" PTX_KERNEL(
            "take", PTX_BEGIN "mul.wide.u32 %rd6, %r5, 8; add.u64 %rd6, %rd1, %rd6;\n"
                              "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd3; call.uni (b), malloc, (a); "
                              "ld.param.b64 %rd5, [b]; } st.global.u64 [%rd6], %rd5;\n"
                              "setp.eq.u64 %p1, %rd5, 0; @%p1 ret; st.u32 [%rd5], %r5; ret;")
            PTX_KERNEL("give", PTX_BEGIN "mul.wide.u32 %rd6, %r5, 8; add.u64 %rd6, %rd1, %rd6; ld.global.u64 %rd5, "
                                         "[%rd6]; { .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); } ret;");
    struct device d;
    device_open(&d, "gtx480", "gpu.heap_mib=1");
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 8 * 256), got[256];
    for (unsigned round = 0; round < 3; round++) {
        device_run(&d, "take",
                   (struct shape){.grid = 2, .block = 128, .mode = round == 1 ? GPU_FUNCTIONAL : GPU_TIMING}, p,
                   1 << 14);
        device_read(&d, got, p, sizeof got);
        unsigned count = 0;
        for (unsigned i = 0; i < 256; i++) {
            if (!got[i])
                continue;
            count++;
            assert_int_equal(got[i] % 16, 0);
            assert_int_equal(device_word(&d, got[i]), i); /* what it wrote there is still there */
            for (unsigned k = 0; k < i; k++)
                assert_true(!got[k] || got[k] + (1 << 14) <= got[i] || got[i] + (1 << 14) <= got[k]);
        }
        assert_true(count >= 60 && count <= 64); /* a mebibyte has room for 64 */
        device_run(&d, "give", (struct shape){.grid = 2, .block = 128}, p, 0);
    }
    /* Freeing twice is a fault. */
    uint64_t params[] = {p, 0};
    device_run(&d, "take", (struct shape){.grid = 1, .block = 1}, p, 64);
    device_run(&d, "give", (struct shape){.grid = 1, .block = 1}, p, 0);
    assert_int_equal(device_try(&d, "give", (struct shape){.grid = 1, .block = 1}, 2, params), GPU_FAULT);
    device_close(&d);
}

/* Text comes out in the order of time, a warp's lanes in order, each line whole. */
static void test_printed_text(void **state)
{
    static const char text[] =
        PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                 ".global .align 1 .b8 f[] = {91, 37, 117, 32, 37, 46, 50, 102, 32, 37, 115, 93, 10, 0};\n.global "
                 ".align 1 .b8 s[] = {111, 120, 0};\n" /* "[%u %.2f %s]\n" "ox", which the kernel makes "ok" */
        PTX_KERNEL("k", ".local .align 8 .b8 b[24];\n" PTX_BEGIN
                        "cvt.rn.f64.u32 %d1, %r5; mul.f64 %d1, %d1, 0d3FE0000000000000; mov.u64 %rd4, b; "
                        "cvta.local.u64 %rd5, %rd4; st.local.u32 [%rd4], %r5; st.local.f64 [%rd4+8], %d1;\n"
                        "mov.u64 %rd6, s; cvta.global.u64 %rd6, %rd6; st.local.u64 [%rd4+16], %rd6; mov.u64 %rd7, f; "
                        "cvta.global.u64 %rd7, %rd7; st.u8 [%rd6+1], 107;\n"
                        "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %rd7; st.param.b64 [y], "
                        "%rd5; call.uni (z), vprintf, (x, y); ld.param.b32 %r6, [z]; }\n"
                        "st.global.u32 [%rd2], %r6; ret;");
    for (unsigned mode = 0; mode < 2; mode++) {
        struct device d;
        struct strbuf out = {0}, expected = {0};
        device_open(&d, "gtx480", NULL);
        device_load(&d, text);
        uint64_t p = device_buffer(&d, 4096);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 20, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING}, p, 0);
        gpu_take_output(d.gpu, &out);
        for (unsigned t = 0; t < 20; t++)
            strbuf_addf(&expected, "[%u %.2f ok]\n", t, t * 0.5);
        assert_string_equal(strbuf_text(&out), strbuf_text(&expected));
        strbuf_free(&out);
        out = (struct strbuf){0};
        gpu_take_output(d.gpu, &out); /* taken is taken */
        assert_int_equal(out.length, 0);
        strbuf_free(&out);
        strbuf_free(&expected);
        device_close(&d);
    }
}

/* Clocks go on from launch to launch, and the global timer counts nanoseconds of them. */
static void test_clocks(void **state)
{
    static const char text[] =
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "mov.u64 %rd4, %clock64; mov.u64 %rd5, %globaltimer; nanosleep.u32 10000; "
                                           "mov.u64 %rd6, %clock64; mov.u64 %rd7, %globaltimer;\n"
                                           "sub.u64 %rd8, %rd6, %rd4; sub.u64 %rd9, %rd7, %rd5; st.global.v2.u64 "
                                           "[%rd1], {%rd4, %rd8}; st.global.u64 [%rd1+16], %rd9; ret;");
    struct device d;
    device_open(&d, "gtx480", NULL);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 256), last = 0, r[3];
    for (unsigned i = 0; i < 3; i++) {
        double before = gpu_time_ns(d.gpu);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
        device_read(&d, r, p, sizeof r);
        assert_true(!i || r[0] > last);
        assert_true(r[1] >= 7000 && r[1] < 7100); /* 10 us at 700 MHz */
        assert_true(r[2] >= 9990 && r[2] < 10200);
        assert_true(d.result.time_ns > 10000);
        double passed = gpu_time_ns(d.gpu) - before;
        assert_true(passed > d.result.time_ns - 1e-3 && passed < d.result.time_ns + 1e-3);
        last = r[0] + r[1];
    }
    device_close(&d);
}

/* No sleep is longer than a millisecond, and several in a row are no hang. */
static void test_longest_sleep(void **state)
{
    static const char text[] =
        PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "mov.u64 %rd4, %clock64; nanosleep.u32 4000000000; mov.u64 %rd5, %clock64;\n"
                                           "nanosleep.u32 2000000; nanosleep.u32 1000000; nanosleep.u32 1000000;\n"
                                           "sub.u64 %rd5, %rd5, %rd4; st.global.u64 [%rd1], %rd5; ret;");
    struct device d;
    device_open(&d, "gtx480", NULL);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 256), slept;
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    device_read(&d, &slept, p, sizeof slept);
    assert_true(slept >= 700000 && slept < 700100); /* at 700 MHz */
    device_close(&d);
}

/* Parameters of all sizes reach the kernel, from a buffer that the next launch writes anew. */
static void test_parameters(void **state)
{
    static const char text[] =
        PTX_HEAD ".visible .entry k(.param .u64 p, .param .u8 a, .param .u16 b, .param .u32 c, .param .f64 d, .param "
                 ".align 4 .b8 e[12])\n{\n" PTX_REGS
                 "ld.param.u64 %rd1, [p]; ld.param.u8 %r1, [a]; ld.param.u16 %r2, [b]; ld.param.u32 %r3, [c]; "
                 "ld.param.f64 %d1, [d]; ld.param.u32 %r4, [e+8]; cvt.rzi.u32.f64 %r5, %d1;\n"
                 "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; "
                 "st.global.u32 [%rd1], %r1; ret;\n}\n";
    struct device d;
    device_open(&d, "gtx480", NULL);
    device_load(&d, text);
    const struct isa_function *k = gpu_kernel(d.module, "k");
    uint64_t p = device_buffer(&d, 256);
    assert_int_equal(k->param_count, 6);
    for (uint32_t i = 1; i < 6; i++) {
        uint8_t params[64] = {0};
        double x = 1000.0 * i;
        memcpy(params + k->params[0].offset, &p, 8);
        params[k->params[1].offset] = (uint8_t)i;
        memcpy(params + k->params[2].offset, &(uint16_t){(uint16_t)(10 * i)}, 2);
        memcpy(params + k->params[3].offset, &(uint32_t){100 * i}, 4);
        memcpy(params + k->params[4].offset, &x, 8);
        memcpy(params + k->params[5].offset + 8, &(uint32_t){10000 * i}, 4);
        struct gpu_launch launch = {
            .module = d.module, .kernel = k, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
        gpu_result_free(&d.result);
        assert_int_equal(gpu_launch(d.gpu, &launch, &d.result, &d.sink), 0);
        assert_int_equal(device_word(&d, p), 11111 * i);
    }
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_caches_between_launches),
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_blocks_are_spread),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_printed_text),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_longest_sleep),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
