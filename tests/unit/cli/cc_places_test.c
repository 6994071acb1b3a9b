/* The chain of inlined calls on its way from LLVM IR into PTX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cc.h"

/* Metadata as LLVM 14 to 19 print it; function k(), both() of a.cu:20 in it, and take() of a header in that. */
static const char *const nodes[] = {
    "!6 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !7, producer: \"x, line: 3\", isOptimized: "
    "true)",
    "!7 = !DIFile(filename: \"a.cu\", directory: \"/src\", checksumkind: CSK_MD5, checksum: \"00\")",
    "!8 = !DIFile(filename: \"/inc/take.h\", directory: \"\")",
    "!9 = distinct !DISubprogram(name: \"k\", scope: !7, file: !7, line: 16, scopeLine: 17, unit: !6)",
    "!10 = distinct !DISubprogram(name: \"both<a(, \\22x\\22)>\", scope: !7, file: !7, line: 7, scopeLine: 8, unit: "
    "!6)",
    "!11 = distinct !DISubprogram(name: \"take\", linkageName: \"_Z4takePi\", scope: !8, file: !8, line: 2, scopeLine: "
    "3)",
    "!12 = !DILexicalBlockFile(scope: !11, file: !8, discriminator: 2)",
    "!13 = distinct !DILocation(line: 20, column: 9, scope: !9)",
    "!14 = distinct !DILocation(line: 10, column: 5, scope: !10, inlinedAt: !13)",
    "!15 = !DILocation(line: 4, column: 12, scope: !12, inlinedAt: !14, isImplicitCode: true)",
    "!16 = !DILocation(line: 21, scope: !9)",
    "!17 = !DILocation(line: 0, scope: !12, inlinedAt: !14)",
    "!18 = distinct !{!18, !15, !16}",
    "!19 = distinct !DILexicalBlock(scope: !10, file: !7, line: 9)",
    "!20 = !DILocation(line: 9, column: 1, scope: !19, inlinedAt: !13)",
    "!21 = distinct !DILocation(line: 30, column: 9, scope: !9)",
    "!22 = !DILocation(line: 10, column: 5, scope: !10, inlinedAt: !21)",
};

static void number(struct cc_places *places, const char *line, struct strbuf *to)
{
    struct strbuf text = {0};
    if (cc_number_ir_line(places, line, &text))
        strbuf_addf(to, "%s\n", strbuf_text(&text));
    strbuf_free(&text);
}

static void number_all(struct cc_places *places, struct strbuf *to)
{
    for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++)
        number(places, nodes[i], to);
}

static void lines_become_numbers(void **state)
{
    struct cc_places places = {0};
    struct strbuf text = {0};
    number_all(&places, &text);
    assert_non_null(
        strstr(strbuf_text(&text), "name: \"k\", scope: !7, file: !7, line: 16, scopeLine: 33554441, unit: !6)"));
    assert_non_null(strstr(strbuf_text(&text), "!13 = distinct !DILocation(line: 33554445, column: 9, scope: !9)\n"));
    assert_non_null(
        strstr(strbuf_text(&text), "!15 = !DILocation(line: 33554447, column: 12, scope: !12, inlinedAt: !14, "));
    assert_null(strstr(strbuf_text(&text), "!6 ="));
    assert_null(strstr(strbuf_text(&text), "!17 ="));
    assert_null(strstr(strbuf_text(&text), "!18 ="));
    strbuf_free(&text);
    number(&places, "  %x = load i32, i32* %p, !dbg !15", &text);
    number(&places, "!llvm.dbg.cu = !{!6}", &text);
    number(&places, "!DILocation(line: 3)", &text);
    assert_int_equal(text.length, 0);
    cc_places_free(&places);
}

static void locs_get_their_chains(void **state)
{
    static const struct {
        const char *line, *becomes; /* NULL: it stays */
    } cases[] = {
        {"\t.loc\t2 33554447 12", "\t.loc\t1 20 9\n\t.loc\t1 10 5, function_name $L__function1, inlined_at 1 20 9\n"
                                  "\t.loc\t2 4 12, function_name $L__function2, inlined_at 1 10 5"},
        {"\t.loc\t1 33554441 0", "\t.loc\t1 17 0"},
        {"\t.loc\t1 33554448 0                      // a.cu:33554448:0", "\t.loc\t1 21 0"},
        /* In one function, nothing known is said again. */
        {"\t.loc\t1 33554452 1", "\t.loc\t1 9 1, function_name $L__function1, inlined_at 1 20 9"},
        {"{", NULL},
        {"\t.loc\t1 33554452 1", "\t.loc\t1 20 9\n\t.loc\t1 9 1, function_name $L__function1, inlined_at 1 20 9"},
        /* 10:5 is said to be inlined in two places, and stays doubtful. */
        {"\t.loc\t1 33554454 1", "\t.loc\t1 30 9\n\t.loc\t1 10 5, function_name $L__function1, inlined_at 1 30 9"},
        {"\t.loc\t2 33554447 12", "\t.loc\t1 10 5, function_name $L__function1, inlined_at 1 20 9\n"
                                  "\t.loc\t2 4 12, function_name $L__function2, inlined_at 1 10 5"},
        {"\t.loc\t2 33554447 12", "\t.loc\t1 10 5, function_name $L__function1, inlined_at 1 20 9\n"
                                  "\t.loc\t2 4 12, function_name $L__function2, inlined_at 1 10 5"},
        {"\t.loc\t2 0 12", NULL},
        {"\t.loc\t1 16 3", NULL},
        {"\t.loc\t1 33554439 0", NULL},
        {"\t.loc\t1 43554439 0", NULL},
        {"\tadd.s32 \t%r1, %r2, 33554447;", NULL},
    };
    struct cc_places places = {0};
    struct strbuf numbered = {0}, tail = {0};
    number_all(&places, &numbered);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cc_note_files(&places, cases[i].line);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        assert_int_equal(cc_restore_loc(&places, cases[i].line, &text), cases[i].becomes != NULL);
        assert_string_equal(strbuf_text(&text), cases[i].becomes ? cases[i].becomes : "");
        strbuf_free(&text);
    }
    cc_add_places(&places, &tail);
    assert_string_equal(strbuf_text(&tail),
                        "\t.section\t.debug_str\n\t{\n$L__function1:\n\t.b8 98,111,116,104,60,97,40,44,32,34,"
                        "120,34,41,62,0\n$L__function2:\n\t.b8 95,90,52,116,97,107,101,80,105,0\n\t}\n");
    strbuf_free(&tail);
    strbuf_free(&numbered);
    cc_places_free(&places);
}

/* A call from a file that no printed line is in. */
static void files_are_added(void **state)
{
    struct cc_places places = {0};
    struct strbuf text = {0}, tail = {0};
    number_all(&places, &text);
    strbuf_free(&text);
    cc_note_files(&places, "\t.loc\t3 33554447 12");
    cc_note_files(&places, "\t.file\t5 \"other.h\"");
    assert_true(cc_restore_loc(&places, "\t.loc\t3 33554447 12", &text));
    assert_non_null(strstr(strbuf_text(&text), "\t.loc\t3 4 12, function_name $L__function2, inlined_at 6 10 5"));
    cc_add_places(&places, &tail);
    assert_non_null(strstr(strbuf_text(&tail), "\t.file\t6 \"/src/a.cu\"\n"));
    strbuf_free(&text);
    strbuf_free(&tail);
    cc_places_free(&places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_numbers),
        cmocka_unit_test(locs_get_their_chains),
        cmocka_unit_test(files_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
