/* Tables on a terminal: they keep to its width by wrapping, shortening and dividing, and numbers stay whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "report/table.h"

/* The table of these cells, as wide as that. */
static void lay(const char *align, const char *const *cells, unsigned columns, struct table_page *page)
{
    struct table t;
    *page = (struct table_page){.columns = columns};
    table_init(&t, align);
    for (; *cells; cells++)
        table_cell(&t, "%s", *cells);
    table_text(&t, page);
    table_free(&t);
}

#define LAYS(align, wide, expected, ...)                                                                               \
    do {                                                                                                               \
        const char *const cells_[] = {__VA_ARGS__, NULL};                                                              \
        struct table_page page_;                                                                                       \
        lay(align, cells_, wide, &page_);                                                                              \
        assert_string_equal(strbuf_text(&page_.text), expected);                                                       \
        table_page_free(&page_);                                                                                       \
    } while (0)

static void test_width(void **state)
{
    LAYS("lr", 8, "name   n\na     12\n", "name", "n", "a", "12"); /* it fits to the column */
    LAYS("ll", 12,
         "name  a text\n"
         "b     of\n"
         "      five\n"
         "      words\n",
         "name", "a text", "b", "of five words");
    LAYS("lr", 14,
         "  a      total\n"
         "  row   energy\n"
         "x      1.06 mJ\n",
         "  a row", "total energy", "x", "1.06 mJ");                    /* an indent holds for all lines */
    LAYS("ll", 12, "a  sp 13%,\n   idle 5%\n", "a", "sp 13%, idle 5%"); /* numbers stay with their words */
}

static void test_shortened(void **state)
{
    LAYS("lr", 30, "abcdefghijk...uvwxyzABCDE  100\nb                            7\n",
         "abcdefghijklmnopqrstuvwxyzABCDE", "100", "b", "7");
    LAYS("lr", 20, "123456789012345678901234\n\n123456789012345678901234  1\n", "123456789012345678901234", "1");
    struct strbuf out = {0};
    table_shorten("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC", 12, 5, &out);
    assert_string_equal(out.text, "\xC3\xA4...\xC3\xBC");
    strbuf_free(&out);
}

static void test_blocks(void **state)
{
    LAYS("lrrr", 16,
         "name     a     b\n"
         "x     1000  2000\n"
         "\n"
         "name     c\n"
         "x     3000\n",
         "name", "a", "b", "c", "x", "1000", "2000", "3000");
    LAYS("lrl", 30,
         "name  default\n"
         "    meaning\n"
         "a           1\n"
         "    a text that goes below its\n"
         "    row\n",
         "name", "default", "meaning", "a", "1", "a text that goes below its row");
}

/* Where the colours are: of a cell that is wrapped, in each of its lines. */
static void test_marks(void **state)
{
    struct table t;
    struct table_page page = {.columns = 10, .colours = true};
    table_page_paint(&page, TERMINAL_GOOD, "PASS");
    strbuf_add(&page.text, "\n");
    table_init(&t, "ll");
    table_cell(&t, "row");
    table_cell(&t, "one two, three");
    table_paint(&t, TERMINAL_STRONG, 7);
    table_text(&t, &page);
    table_free(&t);
    assert_string_equal(page.text.text, "PASS\nrow  one\n     two,\n     three\n");
    static const char *const marked[] = {"PASS", "one", "two"};
    assert_int_equal(page.marks.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct table_mark *m = &page.marks.items[i];
        assert_int_equal(m->to - m->from, strlen(marked[i]));
        assert_memory_equal(page.text.text + m->from, marked[i], strlen(marked[i]));
        assert_int_equal(m->paint, i ? TERMINAL_STRONG : TERMINAL_GOOD);
    }
    table_page_free(&page);
}

static bool holds_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[n]))
            return true;
    return false;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (; *text; text += strcspn(text, "\n") + 1)
        longest = strcspn(text, "\n") > longest ? strcspn(text, "\n") : longest;
    return longest;
}

/* Random tables of numbers and words: none is wider than the terminal, each number is there in whole, and no line ends
 * in a blank. */
static void test_random(void **state)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct random_stream r = random_stream_of(seed, "tables", 0);
        struct table t;
        char align[9] = "", number[8][4][24];
        unsigned columns = 2 + random_below(&r, 6), rows = 1 + random_below(&r, 4);
        for (unsigned c = 0; c < columns; c++)
            align[c] = random_below(&r, 2) ? 'r' : 'l';
        table_init(&t, align);
        for (unsigned row = 0; row < rows; row++)
            for (unsigned c = 0; c < columns; c++) {
                unsigned n = 1 + random_below(&r, 12);
                snprintf(number[c][row], sizeof number[c][row], "%u%0*u", 1 + row, (int)n, seed ? c : 0);
                if (align[c] == 'l')
                    table_cell(&t, "%.*s %s and more", (int)(4 * n),
                               "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", number[c][row]);
                else
                    table_cell(&t, "%s", number[c][row]);
            }
        struct table_page page = {.columns = 52 + random_below(&r, 60)};
        table_text(&t, &page);
        assert_in_range(longest_line(page.text.text), 1, page.columns);
        for (unsigned row = 0; row < rows; row++)
            for (unsigned c = 0; c < columns; c++)
                assert_true(holds_word(page.text.text, number[c][row]));
        assert_null(strstr(page.text.text, " \n"));
        table_page_free(&page);
        table_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width), cmocka_unit_test(test_shortened), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_marks), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
