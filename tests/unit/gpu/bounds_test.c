/* Launch bounds: .maxntid and .minnctapersm keep a kernel's registers so few that the blocks promised fit on an SM. */
#include "gpu_support.h"

/* Kernel k with 40 registers live at once and the directives given. */
static void load(struct device *d, const char *directives)
{
    struct strbuf text = {0};
    strbuf_addf(&text, PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n%s\n{\n", directives);
    strbuf_add(&text, ".reg .b32 %r<41>; .reg .b64 %rd<2>;\n");
    strbuf_add(&text, "mov.u32 %r40, 0;\n");
    for (unsigned i = 0; i < 39; i++) /* a value that is not made again as easily as a constant */
        strbuf_addf(&text, "mov.u32 %%r%u, %u; add.u32 %%r%u, %%r%u, %%r40;\n", i, i, i, i);
    for (unsigned i = 0; i < 39; i++)
        strbuf_addf(&text, "add.u32 %%r40, %%r40, %%r%u;\n", i);
    strbuf_add(&text, "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r40; ret;\n}\n");
    device_load(d, strbuf_text(&text));
    strbuf_free(&text);
}

static void registers_make_room_for_the_blocks_promised(void **state)
{
    static const struct {
        const char *settings, *directives;
        uint32_t registers, threads, blocks;
        const char *limiter;
    } cases[] = {
        {"", "", 40, 512, 1, "registers"},
        {"", ".maxntid 512", 40, 512, 1, "registers"},
        {"", ".maxntid 512 .minnctapersm 1", 40, 512, 1, "registers"},
        {"", ".maxntid 512 .minnctapersm 2", 32, 512, 2, "registers"},
        {"", ".maxntid 512 .minnctapersm 3", 20, 512, 3, "threads"}, /* 32768 / 1536 = 21, in units of 4 */
        {"", ".maxntid 16, 16, 2 .minnctapersm 3", 20, 512, 3, "threads"},
        {"", ".maxntid 512 .minnctapersm 3", 20, 256, 6, "threads"},
        {"", ".maxntid 500 .minnctapersm 3", 20, 500, 3, "threads"}, /* rounded up to warps */
        {"", ".minnctapersm 3", 40, 512, 1, "registers"},            /* says nothing without .maxntid */
        {"sm.registers=65536", ".maxntid 512 .minnctapersm 3", 40, 512, 3, "threads"},
        {"sm.registers=1024", ".maxntid 512 .minnctapersm 3", 4, 256, 1, "registers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device d;
        const char *limiter;
        device_open(&d, "gtx480", cases[i].settings);
        load(&d, cases[i].directives);
        const struct isa_function *kernel = gpu_kernel(d.module, "k");
        assert_int_equal(gpu_registers(d.gpu, kernel), cases[i].registers);
        assert_int_equal(gpu_occupancy(d.gpu, kernel, cases[i].threads, 0, &limiter), cases[i].blocks);
        assert_string_equal(limiter, cases[i].limiter);
        uint64_t buffer = device_buffer(&d, 4);
        device_run(&d, "k", (struct shape){.grid = 60, .block = cases[i].threads}, buffer, 0);
        assert_int_equal(d.result.registers, cases[i].registers);
        assert_int_equal(d.result.blocks_per_sm, cases[i].blocks);
        assert_int_equal(device_word(&d, buffer), 38 * 39 / 2);
        device_close(&d);
    }
}

/* Registers beyond these lie in local memory where the machine has spills: its traffic is the difference. */
static void registers_beyond_lie_in_local_memory(void **state)
{
    static const struct {
        const char *settings, *directives;
        uint32_t registers;
        bool spills;
    } cases[] = {
        {"gpu.spills=true", "", 40, false},
        {"gpu.spills=true", ".maxntid 512 .minnctapersm 2", 32, true},
        {"gpu.spills=false", ".maxntid 512 .minnctapersm 2", 32, false},
        {"gpu.spills=true", ".maxnreg 24", 24, true},
        {"gpu.spills=true gpu.thread_registers=8", ".maxnreg 24", 8, true},
        {"gpu.thread_registers=8", ".maxnreg 24", 8, false},
        {"gpu.spills=true gpu.thread_registers=48", ".maxnreg 24", 48, false},
        {"gpu.spills=true sm.registers_per_thread=12", "", 12, true},
        {"sm.registers_per_thread=12", "", 40, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device d;
        device_open(&d, "gtx480", cases[i].settings);
        load(&d, cases[i].directives);
        uint64_t buffer = device_buffer(&d, 4);
        device_run(&d, "k", (struct shape){.grid = 4, .block = 64}, buffer, 0);
        assert_int_equal(d.result.registers, cases[i].registers);
        assert_int_equal(device_word(&d, buffer), 38 * 39 / 2);
        assert_int_equal(device_stat(&d, "sm", "local_accesses") > 0, cases[i].spills);
        device_close(&d);
    }
}

/* Without machine code gpu.registers_as=ptxas is an estimate: more where few are live, and never fewer; .maxnreg holds. */
static void registers_are_estimated(void **state)
{
    static const struct {
        const char *settings, *kernel;
        uint32_t registers;
    } cases[] = {
        {"", "few", 8},
        {"gpu.registers_as=ptxas", "few", 11},
        {"gpu.registers_as=ptxas gpu.thread_registers=9", "few", 9},
        {"gpu.registers_as=ptxas", "bound", 10},
        {"gpu.registers_as=ptxas gpu.spills=true sm.registers_per_thread=9", "few", 9},
    };
    static const char text[] = PTX_HEAD
        ".visible .entry few()\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [4096]; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [4112];\n"
        "st.global.v4.u32 [4096], {%r5, %r6, %r7, %r8}; st.global.v4.u32 [4112], {%r1, %r2, %r3, %r4}; ret;\n}\n"
        ".visible .entry bound()\n.maxnreg 10\n{\n.reg .b32 %r<9>;\n"
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [4096]; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [4112];\n"
        "st.global.v4.u32 [4096], {%r5, %r6, %r7, %r8}; st.global.v4.u32 [4112], {%r1, %r2, %r3, %r4}; ret;\n}\n";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device d;
        device_open(&d, "gtx480", cases[i].settings);
        device_load(&d, text);
        assert_int_equal(gpu_registers(d.gpu, gpu_kernel(d.module, cases[i].kernel)), cases[i].registers);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_are_estimated),
                                       cmocka_unit_test(registers_make_room_for_the_blocks_promised),
                                       cmocka_unit_test(registers_beyond_lie_in_local_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
