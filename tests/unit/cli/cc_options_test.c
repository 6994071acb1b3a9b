/* The command line of `lockstep cc`, and the filter of position labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cc.h"

/* Parses up to 16 words, NULL-terminated. */
struct parsed {
    struct cc_options options;
    struct arena arena;
    struct diag_sink diags;
    int result;
};

static void parse(struct parsed *p, const char *const *words)
{
    const char *argv[17] = {"cc"};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = words[argc - 1];
    arena_init(&p->arena);
    diag_init(&p->diags);
    p->result = cc_options_parse(&p->options, argc, (char **)argv, &p->arena, &p->diags);
}

static void release(struct parsed *p)
{
    cc_options_free(&p->options);
    diag_free(&p->diags);
    arena_free(&p->arena);
}

#define PARSE(p, ...)                                                                                                  \
    struct parsed p;                                                                                                   \
    parse(&p, (const char *const[]){__VA_ARGS__, NULL})

static void assert_words(const struct cc_args *args, const char *const *expected)
{
    size_t n = 0;
    for (; expected[n]; n++) {
        assert_true(n < args->count);
        assert_string_equal(args->items[n], expected[n]);
    }
    assert_int_equal(args->count, n);
}

static void test_defaults(void **state)
{
    PARSE(p, "a.cu");
    assert_int_equal(p.result, 0);
    assert_int_equal(p.options.goal, CC_GOAL_LINK);
    assert_string_equal(p.options.arch, "sm_70");
    assert_string_equal(p.options.ptx, "ptx70");
    assert_string_equal(p.options.standard, "c++17");
    assert_null(p.options.output);
    assert_false(p.options.fast);
    assert_int_equal(p.options.sources.count, 1);
    release(&p);
}

static void test_kinds_of_files(void **state)
{
    PARSE(p, "a.cu", "b.cpp", "c.c", "d.o", "e.a", "f.so", "libg.so.1", "h.cc");
    assert_int_equal(p.result, 0);
    const enum cc_source_kind kinds[] = {CC_SOURCE_CUDA,   CC_SOURCE_CXX,    CC_SOURCE_C,  CC_SOURCE_OBJECT,
                                         CC_SOURCE_OBJECT, CC_SOURCE_OBJECT, CC_SOURCE_CXX};
    assert_int_equal(p.options.sources.count, 7);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(p.options.sources.items[i].kind, kinds[i]);
    assert_words(&p.options.link, (const char *const[]){"d.o", "e.a", "f.so", "libg.so.1", NULL});
    release(&p);
}

static void test_options_go_where_they_belong(void **state)
{
    PARSE(p, "-I", "inc", "-DX=1", "-O3", "-g", "-lm", "-L", "lib", "-Wall", "-Wl,-z,now", "-Xcompiler", "-fPIC,-m64",
          "a.cu");
    assert_int_equal(p.result, 0);
    assert_words(&p.options.shared, (const char *const[]){"-I", "inc", "-DX=1", "-Wall", NULL});
    assert_words(&p.options.host, (const char *const[]){"-O3", "-g", "-fPIC", "-m64", NULL});
    assert_words(&p.options.link, (const char *const[]){"-lm", "-L", "lib", "-Wl,-z,now", NULL});
    release(&p);
}

static void test_architectures(void **state)
{
    static const struct {
        const char *option, *arch, *ptx;
    } cases[] = {{"-arch=sm_75", "sm_75", "ptx70"},
                 {"-arch=compute_80", "sm_80", "ptx70"},
                 {"--gpu-architecture=sm_86", "sm_86", "ptx71"},
                 {"-arch=sm_90a", "sm_90a", "ptx78"},
                 {"-gencode=arch=compute_87,code=sm_87", "sm_87", "ptx74"}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PARSE(p, cases[i].option, "a.cu");
        assert_int_equal(p.result, 0);
        assert_string_equal(p.options.arch, cases[i].arch);
        assert_string_equal(p.options.ptx, cases[i].ptx);
        release(&p);
    }
}

static void test_nvcc_options_are_accepted(void **state)
{
    PARSE(p, "-cudart", "shared", "-Xptxas", "-v", "-lineinfo", "--use_fast_math", "--maxrregcount=32", "-rdc=false",
          "-t", "2", "a.cu");
    assert_int_equal(p.result, 0);
    assert_int_equal(p.options.sources.count, 1);
    assert_int_equal(p.diags.errors, 0);
    release(&p);
}

static void test_several_architectures(void **state)
{
    PARSE(p, "-gencode", "arch=compute_35,code=sm_35", "--generate-code=arch=compute_80,code=[sm_80,compute_80]",
          "-gencode=arch=compute_70,code=sm_70", "a.cu");
    assert_string_equal(p.options.arch, "sm_80");
    release(&p);
    PARSE(old, "-arch", "sm_35", "a.cu");
    assert_string_equal(old.options.arch, "sm_60");
    assert_int_equal(old.diags.count, 1);
    release(&old);
}

static void test_what_belongs_to_whom(void **state)
{
    PARSE(p, "-Xcompiler", "-fopenmp,-march=native -DY", "-Xclang", "-v", "-ivfsoverlay", "o.yaml", "-lcudart", "-lz",
          "--forward-unknown-opts", "-pipe", "-w", "-x", "cu", "a.txt");
    assert_int_equal(p.result, 0);
    assert_true(p.options.openmp);
    assert_words(&p.options.host, (const char *const[]){"-march=native", "-w", NULL});
    assert_words(&p.options.shared, (const char *const[]){"-DY", "-Xclang", "-v", "-ivfsoverlay", "o.yaml", NULL});
    assert_words(&p.options.link, (const char *const[]){"-lz", NULL});
    assert_words(&p.options.unknown, (const char *const[]){"-pipe", NULL});
    assert_int_equal(p.options.sources.items[0].kind, CC_SOURCE_CUDA);
    release(&p);
}

/* Options that take a word only if it is theirs. */
static void test_values_that_may_be_left_out(void **state)
{
    PARSE(p, "-rdc", "true", "-Werror", "cross-execution-space-call,reorder", "-Werror", "-fmad", "false", "--ftz", "a.cu",
          "-t4");
    assert_int_equal(p.result, 0);
    assert_true(p.options.relocatable && p.options.no_contraction && p.options.flush_subnormals);
    assert_words(&p.options.shared, (const char *const[]){"-Werror=reorder", "-Werror", NULL});
    assert_int_equal(p.options.sources.count, 1);
    release(&p);
}

static void test_refusals(void **state)
{
    static const char *const cases[][4] = {{NULL},
                                           {"-c", NULL},
                                           {"a.txt", NULL},
                                           {"-x", "pascal", "a.cu", NULL},
                                           {"-arch=sm_9", "a.cu", NULL},
                                           {"-x", "ada", "a.cu", NULL},
                                           {"-E", "a.cu", "b.cu", NULL},
                                           {"@/nonexistent", NULL},
                                           {"-arch=volta", "a.cu", NULL},
                                           {"-gencode=code=sm_70", "a.cu", NULL},
                                           {"--ptx", "a.cu", "b.cu", NULL},
                                           {"--ptx", "a.cpp", NULL},
                                           {"--keep-ptx=x", "a.cu", "b.cu"},
                                           {"a.cu", "-o", NULL}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[5] = {0};
        memcpy(words, cases[i], sizeof cases[i]);
        struct parsed p;
        parse(&p, words);
        assert_int_equal(p.result, -1);
        assert_true(p.diags.errors > 0);
        release(&p);
    }
}

static void test_standard_goes_by_language(void **state)
{
    PARSE(p, "-std=c++20", "-std=c11", "-fmad=false", "a.cu");
    assert_string_equal(p.options.standard, "c++20");
    assert_string_equal(p.options.c_standard, "c11");
    assert_true(p.options.no_contraction);
    release(&p);
}

static void test_position_labels(void **state)
{
    assert_true(cc_is_position_label("Ltmp0:"));
    assert_true(cc_is_position_label("Lfunc_begin12:"));
    assert_true(cc_is_position_label("$L__tmp3:"));
    assert_true(cc_is_position_label("$L__func_end0:"));
    assert_false(cc_is_position_label("LBB0_1:"));
    assert_false(cc_is_position_label("$L__BB0_1:"));
    assert_false(cc_is_position_label("Ltmp:"));
    assert_false(cc_is_position_label("Ltmp1: add"));
    assert_false(cc_is_position_label(""));
}

/* Each line of LLVM 14's rotate and of a later LLVM's, bit fields, and lines that only look like them. */
static void test_wrong_code_is_repaired(void **state)
{
    static const struct {
        const char *line, *becomes;
    } cases[] = {
        {"\tshl.b64 \t%lhs, %rd3, %r1;", "\tand.b32 \t%amt2, %r1, 63;\n\tshl.b64 \t%lhs, %rd3, %amt2;"},
        {"\tshr.b64 \t%lhs, %rd12, %r77;", "\tand.b32 \t%amt2, %r77, 63;\n\tshr.b64 \t%lhs, %rd12, %amt2;"},
        {"\tsub.u32 \t%amt2, 64, %r1;", "\tsub.u32 \t%amt2, 64, %amt2;"},
        {"\tshl.b64 \t%lhs, %rd3, %amt2;", NULL},
        {"\tsub.u32 \t%amt2, 64, %amt2;", NULL},
        {"\tshl.b64 \t%lhs, %rd3, 7;", NULL},
        {"\tshr.b64 \t%rhs, %rd3, %amt2;", NULL},
        {"\tshl.b64 \t%rd4, %rd3, %r1;", NULL},
        {"\tshl.b64 \t%lhs, ", NULL},
        {"\tbfe.u64 \t%rd20, %rd19, 63, 8;", "\tshr.s64 \t%rd20, %rd19, 63;\n\tand.b64 \t%rd20, %rd20, 0xff;"},
        {"\tbfe.u64 \t%rd1, %rd2, 2, 63;", "\tshr.s64 \t%rd1, %rd2, 2;\n\tand.b64 \t%rd1, %rd1, 0x7fffffffffffffff;"},
        {"\tbfe.u64 \t%rd1, %rd2, 32, 32;", NULL},
        {"\tbfe.s64 \t%rd1, %rd2, 63, 8;", NULL},
        {"\tbfe.u64 \t%rd1, %rd2, %r3, 8;", NULL},
        {"\tbfe.u64 \t%rd1, %rd2, 63, 64;", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf text = {0};
        assert_int_equal(cc_repair_line(cases[i].line, &text), cases[i].becomes != NULL);
        assert_string_equal(strbuf_text(&text), cases[i].becomes ? cases[i].becomes : "");
        strbuf_free(&text);
    }
}

static void test_hidden_variables_are_known(void **state)
{
    static const struct {
        const char *line, *becomes;
    } cases[] = {
        {"@anon = internal addrspace(4) global %struct.anon zeroinitializer, align 4",
         "@anon = dso_local addrspace(4) externally_initialized global %struct.anon zeroinitializer, align 4"},
        {"@_ZN12_GLOBAL__N_11xE = internal addrspace(1) global i32 7, align 4",
         "@_ZN12_GLOBAL__N_11xE = dso_local addrspace(1) externally_initialized global i32 7, align 4"},
        {"@_ZN12_GLOBAL__N_11tE = internal addrspace(4) constant i32 7, align 4", NULL},
        {"@_ZZ1kvE1n = internal addrspace(1) global i32 0, align 4", NULL},
        {"@_ZN12_GLOBAL__N_11sE = internal addrspace(3) global i32 undef, align 4", NULL},
        {"@x = dso_local addrspace(1) externally_initialized global i32 0, align 4", NULL},
        {"define internal i32 @f() {", NULL},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        assert_int_equal(cc_repair_ir_line(cases[i].line, &text), cases[i].becomes != NULL);
        assert_string_equal(strbuf_text(&text), cases[i].becomes ? cases[i].becomes : "");
        strbuf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_kinds_of_files),
        cmocka_unit_test(test_options_go_where_they_belong),
        cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_nvcc_options_are_accepted),
        cmocka_unit_test(test_several_architectures),
        cmocka_unit_test(test_what_belongs_to_whom),
        cmocka_unit_test(test_values_that_may_be_left_out),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_standard_goes_by_language),
        cmocka_unit_test(test_position_labels),
        cmocka_unit_test(test_wrong_code_is_repaired),
        cmocka_unit_test(test_hidden_variables_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
