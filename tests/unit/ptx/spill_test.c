/* Spills: which registers lie in local memory, what stands in the code for it, and how few registers are left. */
#include "ptx_support.h"

static struct isa_module *load(const char *text, const struct ptx_options *options)
{
    struct diag_sink sink;
    diag_init(&sink);
    struct isa_module *module = ptx_load("spill.ptx", text, strlen(text), options, &sink);
    assert_non_null(module);
    diag_free(&sink);
    return module;
}

static struct ptx_options room_for(uint32_t registers)
{
    return (struct ptx_options){.budget = {.spills = true, .most = registers, .registers = 65536, .unit = 8, .warp_size = 32}};
}

static struct isa_module *load_kernel(const char *statements, uint32_t registers)
{
    char *text = support_kernel(statements);
    const struct ptx_options options = room_for(registers);
    struct isa_module *module = load(text, &options);
    free(text);
    return module;
}

static void expect_code(const struct isa_module *module, const char *const *lines, unsigned count)
{
    const struct isa_function *f = &module->functions[0];
    for (uint32_t i = 0; i < f->count; i++) {
        struct strbuf line = {0};
        isa_disasm_instr(module, f, &module->instrs[f->first + i], &line);
        assert_string_equal(strbuf_text(&line), i < count ? lines[i] : "none");
        strbuf_free(&line);
    }
    assert_int_equal(f->count, count);
}
#define EXPECT(MODULE, ...)                                                                                            \
    expect_code(MODULE, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Four values of an array, of which the first is read last of all. */
#define FOUR                                                                                                           \
    "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8]; ld.global.u32 %r4, [%rd1+12];" \
    "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; mul.lo.u32 %r2, %r2, %r2; add.u32 %r1, %r1, %r2;"                     \
    "st.global.u32 [%rd1], %r1; ret;"

static void what_a_thread_has_room_for_stays(void **state)
{
    struct isa_module *module = load_kernel("ld.param.u64 %rd1, [p];" FOUR, 6);
    assert_int_equal(module->functions[0].registers, 6);
    assert_int_equal(module->functions[0].count, 11);
    assert_int_equal(module->functions[0].local_bytes, 0);
    isa_module_free(module);
}

/* A parameter is loaded again before each use; no local memory is needed. */
static void constants_are_made_again(void **state)
{
    struct isa_module *module = load_kernel("ld.param.u64 %rd1, [p];" FOUR, 5);
    assert_int_equal(module->functions[0].registers, 5);
    assert_int_equal(module->functions[0].local_bytes, 0);
    EXPECT(module, "ld.param.u64 %spill$1, [p];", "ld.global.u32 %r1, [%spill$1];", "ld.param.u64 %spill$2, [p];",
           "ld.global.u32 %r2, [%spill$2+4];", "ld.param.u64 %spill$3, [p];", "ld.global.u32 %r3, [%spill$3+8];",
           "ld.param.u64 %spill$4, [p];", "ld.global.u32 %r4, [%spill$4+12];", "add.u32 %r2, %r2, %r3;",
           "add.u32 %r2, %r2, %r4;", "mul.lo.u32 %r2, %r2, %r2;", "add.u32 %r1, %r1, %r2;", "ld.param.u64 %spill$5, [p];",
           "st.global.u32 [%spill$5], %r1;", "ret;");
    isa_module_free(module);
}

static void others_are_stored_and_loaded(void **state)
{
    struct isa_module *module = load_kernel("ld.param.u64 %rd1, [p];" FOUR, 4);
    assert_int_equal(module->functions[0].registers, 4);
    assert_int_equal(module->functions[0].local_bytes, 16);
    EXPECT(module, "ld.param.u64 %spill$1, [p];", "ld.global.u32 %r1, [%spill$1];", "ld.param.u64 %spill$2, [p];",
           "ld.global.u32 %r2, [%spill$2+4];", "ld.param.u64 %spill$4, [p];", "ld.global.u32 %spill$3, [%spill$4+8];",
           "st.local.b32 [$$frame], %spill$3;", "ld.param.u64 %spill$5, [p];", "ld.global.u32 %r4, [%spill$5+12];",
           "ld.local.b32 %spill$6, [$$frame];", "add.u32 %r2, %r2, %spill$6;", "add.u32 %r2, %r2, %r4;",
           "mul.lo.u32 %r2, %r2, %r2;", "add.u32 %r1, %r1, %r2;", "ld.param.u64 %spill$7, [p];",
           "st.global.u32 [%spill$7], %r1;", "ret;");
    isa_module_free(module);
}

/* Of a loop's registers those are taken that it does not name; accesses have the guard of their instruction. */
static void loops_and_guards_are_heeded(void **state)
{
    struct isa_module *module = load_kernel(
        "ld.global.u32 %r1, [4096]; ld.global.u32 %r5, [4104]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 100;"
        "L: add.u32 %r1, %r1, %r3; sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra L;"
        "@%p1 add.u32 %r5, %r5, %r1; @!%p1 mov.u32 %r5, 7; st.global.u32 [4096], %r5; ret;",
        2);
    EXPECT(module, "ld.global.u32 %r1, [4096];", "ld.global.u32 %spill$1, [4104];", "st.local.b32 [$$frame], %spill$1;",
           "setp.eq.u32 %p1, %r1, 0;", "mov.u32 %r3, 100;", "add.u32 %r1, %r1, %r3;", "sub.u32 %r3, %r3, 1;",
           "setp.ne.u32 %p2, %r3, 0;", "@%p2 bra $$L5;", "@%p1 ld.local.b32 %spill$2, [$$frame];",
           "@%p1 add.u32 %spill$2, %spill$2, %r1;", "@%p1 st.local.b32 [$$frame], %spill$2;", "@!%p1 mov.u32 %spill$3, 7;",
           "@!%p1 st.local.b32 [$$frame], %spill$3;", "ld.local.b32 %spill$4, [$$frame];",
           "st.global.u32 [4096], %spill$4;", "ret;");
    isa_module_free(module);
}

/* A guard that its own instruction writes is another behind it. */
static void nothing_is_put_behind_a_write_of_its_guard(void **state)
{
    struct isa_module *module =
        load_kernel("ld.param.u32 %r3, [n]; ld.global.u32 %r4, [4096]; setp.eq.u32 %p1, %r3, 0;"
                    "@%p1 shfl.sync.idx.b32 %r1|%p1, %r4, 1, 31, -1; st.global.u32 [4096], %r4; st.global.u32 [4100], %r1; ret;",
                    1);
    const struct isa_function *f = &module->functions[0];
    for (uint32_t i = f->first; i < f->first + f->count; i++)
        if (module->instrs[i].op == ISA_OP_SHFL)
            assert_string_equal(f->regs[module->instrs[i].dst[0].reg].name, "%r1");
    isa_module_free(module);
}

/* A function that is called has no more registers than any kernel that calls it, and each of its registers stands in rows of
 * its width: a call clears them all. */
static void called_functions_are_spilled_too(void **state)
{
    static const char text[] = SUPPORT_HEAD
        ".func (.param .b64 r) f(.param .b64 a)\n{\n.reg .b64 %rd<6>; .reg .b32 %r<6>;\n"
        "ld.param.u64 %rd1, [a]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; ld.global.u32 %r1, [%rd1+16];"
        "ld.global.u32 %r2, [%rd1+20]; add.u64 %rd4, %rd2, %rd3; add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd5, %r1;"
        "add.u64 %rd4, %rd4, %rd5; st.param.b64 [r], %rd4; ret;\n}\n"
        ".visible .entry few(.param .u64 p)\n.maxnreg 4\n{\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
        "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; call (y), f, (x); ld.param.b64 %rd2, [y]; }\n"
        "st.global.u64 [%rd1], %rd2; ret;\n}\n"
        ".visible .entry many(.param .u64 p)\n{\n.reg .b32 %r<9>;\nld.global.u32 %r1, [4096];\n"
        "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3; add.u32 %r5, %r1, 4; add.u32 %r6, %r5, %r4;\n"
        "add.u32 %r6, %r6, %r3; add.u32 %r6, %r6, %r2; st.global.u32 [4096], %r6; ret;\n}\n";
    const struct ptx_options options = room_for(63), off = {0};
    struct isa_module *module = load(text, &options), *without = load(text, &off);
    const struct isa_function *f = isa_find_function(module, "f"), *many = isa_find_function(module, "many");
    assert_true(isa_find_function(without, "f")->registers > 4);
    assert_true(f->registers <= 6); /* two operands of 64 bits and a sum */
    assert_true(f->count > isa_find_function(without, "f")->count);
    assert_int_equal(many->count, isa_find_function(without, "many")->count);
    for (uint32_t r = 0; r < f->reg_count; r++)
        assert_int_equal(isa_row_is_wide(f->regs[r].row), isa_type_info(f->regs[r].type)->bits == 64);
    isa_module_free(module);
    isa_module_free(without);
}

static void limits_come_from_machine_kernel_and_user(void **state)
{
    static const struct {
        const char *directives;
        uint32_t most, thread, registers, assembled, assembled_most, stack;
        uint32_t found;
    } rows[] = {
        {"", 63, 0, 65536, 0, 0, 0, 22},
        {"", 20, 0, 65536, 0, 0, 0, 20},
        {"", 0, 18, 65536, 0, 0, 0, 18},
        {".maxnreg 16", 63, 0, 65536, 0, 0, 0, 16},
        {".maxnreg 16", 63, 30, 65536, 0, 0, 0, 16}, /* nothing is spilled; .maxnreg still says how many count */
        {".maxntid 512 .minnctapersm 2", 63, 0, 16384, 0, 0, 0, 16},
        {".maxntid 500 .minnctapersm 2", 63, 0, 16384, 0, 0, 0, 16},
        {".minnctapersm 2", 63, 0, 16384, 0, 0, 0, 22},
        {".maxnreg 16", 63, 0, 65536, 14, 16, 0, 16},  /* the assembler had room */
        {"", 63, 0, 65536, 16, 16, 64, 16},            /* it had not */
        {"", 63, 0, 65536, 16, 255, 64, 22},           /* its stack is another's */
        {"", 12, 0, 65536, 16, 255, 0, 12},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text, SUPPORT_HEAD ".visible .entry k()\n%s\n{\n.reg .b32 %%r<40>;\n", rows[i].directives);
        for (unsigned r = 0; r < 22; r++)
            strbuf_addf(&text, "ld.global.u32 %%r%u, [%u];\n", r, 4096 + 4 * r);
        for (unsigned r = 1; r < 22; r++)
            strbuf_addf(&text, "xor.b32 %%r0, %%r0, %%r%u;\n", r);
        strbuf_add(&text, "st.global.u32 [4096], %r0; ret;\n}\n");
        const struct ptx_assembled known = {"k", rows[i].assembled, rows[i].assembled_most, rows[i].stack};
        struct ptx_options options = room_for(rows[i].most);
        options.budget.thread = rows[i].thread;
        options.budget.registers = rows[i].registers;
        options.assembled = &known;
        options.assembled_count = rows[i].assembled != 0;
        struct isa_module *module = load(strbuf_text(&text), &options);
        assert_int_equal(module->functions[0].registers, rows[i].found);
        isa_module_free(module);
        strbuf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_thread_has_room_for_stays),
        cmocka_unit_test(constants_are_made_again),
        cmocka_unit_test(others_are_stored_and_loaded),
        cmocka_unit_test(loops_and_guards_are_heeded),
        cmocka_unit_test(nothing_is_put_behind_a_write_of_its_guard),
        cmocka_unit_test(called_functions_are_spilled_too),
        cmocka_unit_test(limits_come_from_machine_kernel_and_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
