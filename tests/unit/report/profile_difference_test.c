/* What moved between two profiles that are written here: which line is which, what accounts for a difference, words
 * that are waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/profile_difference.h"

#define MOST 16

/* A kernel k, whose lines cost `cycles` of a cause; texts: of its lines, or NULL. */
struct written {
    const char *file;
    unsigned count;
    unsigned numbers[MOST];
    const char *texts[MOST];
    unsigned cycles[MOST];
};

static json_t *kernels_of(const struct written *w)
{
    json_t *instructions = json_array(), *lines = json_array();
    for (unsigned i = 0; i < w->count; i++) {
        json_array_append_new(instructions, json_pack("{s:i,s:s,s:[{s:s,s:i}],s:{},s:{s:i}}", "pc", (int)i, "text",
                                                      "nop;", "places", "file", w->file, "line", (int)w->numbers[i],
                                                      "counts", "cycles", "fence", (int)w->cycles[i]));
        if (w->texts[i])
            json_array_append_new(
                lines, json_pack("{s:s,s:i,s:s}", "file", w->file, "line", (int)w->numbers[i], "text", w->texts[i]));
    }
    return json_pack("[{s:s,s:i,s:{s:o,s:o}}]", "name", "k", "cycles", 10, "profile", "instructions", instructions,
                     "lines", lines);
}

/* The pairs as "1>2 3> >4", in the order of the first profile's lines and then the second's. */
static char *pairs_of(const struct written *before, const struct written *after)
{
    struct profile_lines a, b;
    profile_pairs pairs = {0};
    struct strbuf out = {0};
    json_t *one = kernels_of(before), *other = kernels_of(after);
    profile_lines_init(&a, one, "k");
    profile_lines_init(&b, other, "k");
    profile_pairs_of(&a, &b, &pairs);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t n = 0; n < 100; n++)
            for (size_t i = 0; i < pairs.count; i++) {
                const struct profile_line *l = pairs.items[i].before, *r = pairs.items[i].after;
                if (side ? l || r->number != n : !l || l->number != n)
                    continue;
                strbuf_addf(&out, l ? "%s%u>" : "%s>", out.length ? " " : "", l ? l->number : r->number);
                if (r)
                    strbuf_addf(&out, "%u", r->number);
            }
    vec_free(&pairs);
    profile_lines_free(&a);
    profile_lines_free(&b);
    json_decref(one);
    json_decref(other);
    return out.text;
}

static void expect_pairs(const char *wanted, const struct written *before, const struct written *after)
{
    char *pairs = pairs_of(before, after);
    assert_string_equal(pairs, wanted);
    free(pairs);
}

/* Lines that moved are found by their text, the changed one between them by its place; of equal texts the order holds,
 * and the number where it can be had. */
static void test_moved(void **state)
{
    (void)state;
    const struct written before = {"/x/a.cu", 5, {1, 2, 3, 4, 5}, {"f", "x", "slow", "x", "g"}, {1, 1, 1, 1, 1}};
    const struct written moved = {"/y/a.cu", 5, {3, 4, 6, 7, 9}, {"f", "x", "quick", "x", "g"}, {1, 1, 1, 1, 1}};
    expect_pairs("1>3 2>4 3>6 4>7 5>9", &before, &moved);
    const struct written gone = {"/x/a.cu", 3, {1, 2, 4}, {"f", "x", "g"}, {1, 1, 1}};
    expect_pairs("1>1 2>2 3> 4> 5>4", &before, &gone);
    expect_pairs("1>1 2>2 4>5 >3 >4", &gone, &before);
    const struct written later = {"/x/a.cu", 2, {4, 5}, {"x", "g"}, {1, 1}};
    expect_pairs("1> 2> 3> 4>4 5>5", &before, &later);
}

/* Without texts numbers decide; a file of another name stands for the one that is gone, unless there are several. */
static void test_names(void **state)
{
    (void)state;
    const struct written before = {"a.cu", 3, {1, 2, 3}, {NULL}, {1, 1, 1}};
    const struct written after = {"a.cu", 2, {2, 5}, {NULL}, {1, 1}};
    expect_pairs("1> 2>2 3>5", &before, &after);
    const struct written named = {"b.cu", 3, {1, 2, 3}, {NULL}, {1, 1, 1}};
    expect_pairs("1>1 2>2 3>3", &before, &named);
    const struct written other = {"b.h", 1, {1}, {NULL}, {1}};
    expect_pairs("1> 2> 3> >1", &before, &other);
}

static char *difference(json_t *before, json_t *after, unsigned kernels)
{
    struct strbuf out = {0};
    const json_t *const both[2] = {before, after};
    const char *const names[2] = {"a.json", "b.json"};
    assert_int_equal(profile_difference(both, names, 0, &out), kernels);
    json_decref(before);
    json_decref(after);
    return out.text;
}

static void test_told(void **state)
{
    (void)state;
    const struct written before = {"a.cu", 3, {1, 2, 3}, {"f", "slow", "g"}, {1000, 3000000, 2000}};
    const struct written after = {"a.cu", 3, {1, 4, 6}, {"f", "slow", "g"}, {1000, 500, 90000}};
    char *text = difference(kernels_of(&before), kernels_of(&after), 1);
    assert_string_equal(text, "\nprofile of k: 10 -> 10 cycles, 3003000 -> 91500 warp-cycles\n"
                              "- a.cu:2, now :4 costs 2,999,500 warp-cycles less: fence -2,999,500.\n"
                              "cost  before         after    difference  line\n"
                              "     3000000           500      -2999500  a.cu:2, now :4  slow\n"
                              "            fence -2,999,500\n"
                              "        2000         90000        +88000  a.cu:3, now :6  g\n"
                              "            fence +88,000\n");
    free(text);
    text = difference(kernels_of(&after), kernels_of(&after), 1);
    assert_non_null(strstr(text, "\n- no line costs a hundredth of the kernel's warp-cycles more or less.\n"));
    assert_null(strstr(text, "cost  before"));
    free(text);
    json_t *other = kernels_of(&after);
    json_object_set_new(json_array_get(other, 0), "name", json_string("h"));
    text = difference(kernels_of(&before), other, 0);
    assert_string_equal(text, "\nprofile of k: in a.json alone\n\nprofile of h: in b.json alone\n");
    free(text);
}

/* Results with so many locks, the first of which costs `waited`; of a full list no other is known. */
static json_t *with_locks(unsigned count, unsigned first, unsigned waited)
{
    const struct written lines = {"a.cu", 1, {1}, {"f"}, {100000}};
    json_t *kernels = kernels_of(&lines), *words = json_array();
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", first + i);
        json_array_append_new(words,
                              json_pack("{s:s,s:i,s:i,s:i,s:i,s:i}", "name", name, "warps_waited",
                                        (int)(i ? 1000 : waited), "taken", 7, "failed", 3, "given", 2, "held", 9));
    }
    json_object_set_new(json_object_get(json_array_get(kernels, 0), "profile"), "words", words);
    return kernels;
}

static void test_locks(void **state)
{
    (void)state;
    char *text = difference(with_locks(1, 0, 90000), with_locks(1, 0, 400), 1);
    assert_non_null(strstr(text, "- lock w0 is waited for 89,600 warp-cycles less.\n"));
    assert_non_null(strstr(text, "       90000           400        -89600  w0\n"
                                 "            taken 7 -> 7, failed 3 -> 3, held 4 -> 4, handed 0 -> 0, waiting 0\n"
                                 "            -> 0\n"));
    free(text);
    text = difference(with_locks(1, 0, 90000), with_locks(0, 0, 0), 1);
    assert_non_null(strstr(text, "       90000             0        -90000  w0\n"));
    free(text);
    text = difference(with_locks(1, 0, 90000), with_locks(64, 1, 1000), 1);
    assert_null(strstr(text, "w0"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
