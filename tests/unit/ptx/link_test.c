/* Modules linked to one: what stays, what goes, what is renamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define BODY "{ ret; }\n"

/* Links up to three texts. The caller frees the sink. */
static int link_texts(const char *const *texts, struct strbuf *out, struct diag_sink *sink)
{
    static const char *const names[] = {"a.ptx", "b.ptx", "c.ptx"};
    struct ptx_unit units[3];
    size_t count = 0;
    for (; count < 3 && texts[count]; count++)
        units[count] = (struct ptx_unit){names[count], texts[count], strlen(texts[count])};
    diag_init(sink);
    return ptx_link(units, count, out, sink);
}

static unsigned times(const char *text, const char *word)
{
    unsigned n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* Links the texts, which must go, and loads the result, which must be a module. */
static void assert_links(const char *const *texts, struct strbuf *out)
{
    struct diag_sink sink;
    assert_int_equal(link_texts(texts, out, &sink), 0);
    struct isa_module *module = ptx_load("linked", out->text, out->length, NULL, &sink);
    if (!module) {
        struct strbuf said = {0};
        diag_format_all(&sink, &said);
        fail_msg("%s\n%s", strbuf_text(&said), strbuf_text(out));
    }
    isa_module_free(module);
    diag_free(&sink);
}

static void test_declarations_meet_definitions(void **state)
{
    const char *const texts[] = {HEAD
                                 ".extern .func (.param .b32 r) f (.param .b32 x);\n.extern .global .align 4 .u32 v;\n"
                                 ".extern .shared .align 4 .b8 memory[];\n"
                                 ".visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, v; ret; }\n",
                                 HEAD ".visible .global .align 4 .u32 v = 3;\n.extern .shared .align 16 .b8 memory[];\n"
                                      ".visible .func (.param .b32 r) f (.param .b32 x)\n" BODY,
                                 NULL};
    struct strbuf out = {0};
    assert_links(texts, &out);
    assert_int_equal(times(out.text, ".version"), 1);
    assert_int_equal(times(out.text, "memory[]"), 1);
    strbuf_free(&out);
    const char *const reversed[] = {texts[1], texts[0], NULL};
    assert_links(reversed, &out);
    assert_int_equal(times(out.text, ".extern .func"), 0);
    strbuf_free(&out);
}

static void test_weak_definitions_stand_once(void **state)
{
    const char *const texts[] = {HEAD ".weak .func t ()\n" BODY ".weak .global .u32 w;\n.weak .entry k ()\n" BODY,
                                 HEAD ".weak .func t ()\n" BODY ".weak .global .u32 w;\n.weak .entry k ()\n" BODY,
                                 HEAD ".visible .func t ()\n" BODY, NULL};
    struct strbuf out = {0};
    assert_links(texts, &out);
    assert_int_equal(times(out.text, ".func t"), 1);
    assert_int_equal(times(out.text, ".u32 w"), 1);
    assert_int_equal(times(out.text, ".entry k"), 1);
    strbuf_free(&out);
}

static void test_own_names_are_told_apart(void **state)
{
    const char *const texts[] = {
        HEAD ".global .u32 s;\n.visible .global .u32 _ZL1x;\n.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, s; "
             "ret; }\n",
        HEAD ".global .u32 s;\n.visible .global .u32 _ZL1x;\n.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, s; "
             "ret; }\n",
        HEAD ".visible .global .u32 s;\n.extern .func f ();\n.visible .entry g() { call f; ret; }\n", NULL};
    struct strbuf out = {0};
    assert_links(texts, &out);
    assert_non_null(strstr(out.text, "_ZL1x$of2"));
    assert_non_null(strstr(out.text, "k$of2"));
    assert_non_null(strstr(out.text, "mov.u64 %rd1, s$of2"));
    assert_non_null(strstr(out.text, "mov.u64 %rd1, s$of1"));
    assert_non_null(strstr(out.text, ".visible .global .u32 s;"));
    strbuf_free(&out);
    /* A function of a file's own is not what another file declares. */
    const char *const others[] = {HEAD ".func f ()\n" BODY ".visible .entry a() { call f; ret; }\n", texts[2], NULL};
    assert_links(others, &out);
    assert_non_null(strstr(out.text, "call f$of1"));
    assert_non_null(strstr(out.text, "call f;"));
    strbuf_free(&out);
}

static void test_files_have_new_numbers(void **state)
{
    const char *const texts[] = {
        HEAD ".file 1 \"a.cu\"\n.file 2 \"a.h\"\n.visible .entry k() {\n.loc 1 2 3\nret; }\n",
        HEAD
        ".file 1 \"b.cu\", 5, 6\n.visible .entry l() {\n.loc 1 2 3, function_name $L__info_string0, inlined_at 1 7 8\n"
        "ret; }\n.section .debug_str { $L__info_string0: .b8 102\n.b8 0 }\n",
        NULL};
    struct strbuf out = {0};
    assert_links(texts, &out);
    assert_non_null(strstr(out.text, ".file 3 \"b.cu\""));
    assert_non_null(strstr(out.text, ".loc 3 2 3, function_name $L__info_string0$of2, inlined_at 3 7 8"));
    strbuf_free(&out);
}

static void test_two_definitions_are_an_error(void **state)
{
    const char *const texts[] = {HEAD ".visible .func f ()\n" BODY, HEAD ".visible .func f ()\n" BODY, NULL};
    struct strbuf out = {0};
    struct diag_sink sink;
    assert_int_equal(link_texts(texts, &out, &sink), -1);
    assert_int_equal(sink.errors, 1);
    strbuf_free(&out);
    diag_free(&sink);
}

/* The linker survives text that is no PTX; to refuse it is for ptx_load. */
static void test_other_text(void **state)
{
    static const char *const strange[] = {"",    "}}}",     "{",    ".file",      ".section x {", ".visible .entry",
                                          "(((", ".file 1", ".loc", ".target ,,", ".version",     ".func (",
                                          "\"",  "/*"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        const char *const texts[] = {strange[i], HEAD, strange[i], NULL};
        struct strbuf out = {0};
        struct diag_sink sink;
        link_texts(texts, &out, &sink);
        strbuf_free(&out);
        diag_free(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations_meet_definitions), cmocka_unit_test(test_weak_definitions_stand_once),
        cmocka_unit_test(test_own_names_are_told_apart),      cmocka_unit_test(test_files_have_new_numbers),
        cmocka_unit_test(test_two_definitions_are_an_error),  cmocka_unit_test(test_other_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
