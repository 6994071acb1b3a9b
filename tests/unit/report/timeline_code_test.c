/* Timelines of a page: their code, read back here by the description at its head, holds what the launch has; a part
 * holds that part; what has no room in a page is left out by whole SMs, and the page says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/profile_page.h"
#include "report/timeline_code.h"

/* A launch of SMs 0 to `sms` - 1, with a life each of `phases` phases of 300 cycles at causes 0 and 1 in turns. */
static void make(struct timeline_read_launch *l, unsigned sms, unsigned phases)
{
    *l = (struct timeline_read_launch){.causes = 2, .locks = 1, .mbarriers = 1, .cycles = phases * UINT64_C(300) + 5};
    l->object = json_pack("{s:i,s:s,s:[s,s],s:[{s:s,s:s}],s:[{s:s}],s:[],s:{}}", "launch", 3, "name", "k<b>", "causes", "atomic",
                          "issued", "locks", "name", "mine", "space", "global", "mbarriers", "name", "full", "sms", "lost");
    json_t *instr = json_pack("{s:i,s:s,s:[{s:s,s:i}]}", "pc", 0, "text", "ld;", "places", "file", "a.cu", "line", 7);
    vec_push(&l->kept, instr);
    vec_push(&l->instructions, instr);
    for (unsigned sm = 0; sm < sms; sm++) {
        json_array_append_new(json_object_get(l->object, "sms"), json_integer(sm));
        vec_push(&l->lives, (struct timeline_read_life){.sm = sm,
                                                        .slot = 2,
                                                        .block = {sm, 1, 0},
                                                        .warp = 4,
                                                        .from = 5,
                                                        .until = l->cycles,
                                                        .at = 5,
                                                        .first = l->phases.count,
                                                        .count = phases});
        for (unsigned i = 0; i < phases; i++)
            vec_push(&l->phases, (struct timeline_read_phase){.cycles = 300, .cause = i % 2, .own = 299});
    }
    vec_push(&l->sections,
             (struct timeline_read_section){.slot = 2, .lane = 9, .since = 10, .taken = 700, .given = 710});
}

static void drop(struct timeline_read_launch *l)
{
    struct timeline_read t = {0};
    vec_push(&t.launches, *l);
    timeline_read_free(&t);
}

static uint64_t next(const struct strbuf *bytes, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < bytes->length);
        uint8_t byte = (uint8_t)bytes->text[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static void expect_numbers(const struct strbuf *bytes, size_t *at, const uint64_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(next(bytes, at), list[i]);
}
#define EXPECT(bytes, at, ...)                                                                                         \
    expect_numbers(bytes, at, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void expect_text(const struct strbuf *bytes, size_t *at, const char *text)
{
    size_t length = next(bytes, at);
    assert_int_equal(length, strlen(text));
    assert_true(*at + length <= bytes->length);
    assert_memory_equal(bytes->text + *at, text, length);
    *at += length;
}

static void encode(struct timeline_code *code, const struct timeline_read_launch *l,
                   const struct timeline_options *part, size_t room)
{
    static const char *const order[] = {"issued"};
    *code = (struct timeline_code){.launch = l, .part = part, .order = order, .order_count = 1};
    timeline_code_launch(code, room);
}

/* The tables in front of the phases' number. */
static void expect_head(const struct strbuf *bytes, size_t *at, uint64_t cycles, uint64_t from, uint64_t until)
{
    expect_text(bytes, at, "k<b>");
    EXPECT(bytes, at, cycles, from, until, 2);
    expect_text(bytes, at, "atomic");
    expect_text(bytes, at, "atomic");
    EXPECT(bytes, at, 1);
    expect_text(bytes, at, "issued");
    expect_text(bytes, at, "issued");
    EXPECT(bytes, at, 0, 1);
    expect_text(bytes, at, "mine");
    EXPECT(bytes, at, 1);
    expect_text(bytes, at, "full");
    EXPECT(bytes, at, 1);
    expect_text(bytes, at, "a.cu:7");
    EXPECT(bytes, at, 1, 0);
    expect_text(bytes, at, "ld;");
}

static void test_whole(void **state)
{
    (void)state;
    static const struct timeline_options all = {0};
    struct timeline_read_launch l;
    struct timeline_code code;
    size_t at = 0;
    make(&l, 2, 2);
    encode(&code, &l, &all, SIZE_MAX);
    expect_head(&code.bytes, &at, 605, 0, 605);
    EXPECT(&code.bytes, &at, 4, 2);
    EXPECT(&code.bytes, &at, 0, 1, 2, 0, 1, 0, 4, 0, 5, 600, 0, 2, 300, 0, 0, 1, 300, 1, 0, 1);
    EXPECT(&code.bytes, &at, 0, 1, 2, 9, 0, 10, 690, 10, 0, 0, 0);
    EXPECT(&code.bytes, &at, 1, 1, 2, 1, 1, 0, 4, 0, 5, 600, 0, 2, 300, 0, 0, 1, 300, 1, 0, 1, 0, 0, 0);
    assert_int_equal(at, code.bytes.length);
    timeline_code_free(&code);
    drop(&l);
}

/* Waits at barriers and for mbarriers are told apart. */
static void test_waits(void **state)
{
    (void)state;
    static const struct timeline_options all = {0};
    struct timeline_read_launch l;
    struct timeline_code code;
    size_t at = 0;
    make(&l, 1, 1);
    vec_push(&l.waits, (struct timeline_read_wait){.slot = 2, .came = 20, .opened = 50});
    vec_push(&l.waits, (struct timeline_read_wait){.slot = 2, .came = 60, .opened = 67, .mbarrier = 1});
    encode(&code, &l, &all, SIZE_MAX);
    expect_head(&code.bytes, &at, 305, 0, 305);
    EXPECT(&code.bytes, &at, 1, 1, 0, 1, 2, 0, 1, 0, 4, 0, 5, 300, 0, 1, 300, 0, 0, 1);
    EXPECT(&code.bytes, &at, 2, 2, 20, 30, 0, 0, 2, 60, 7, 0, 1);
    timeline_code_free(&code);
    drop(&l);
}

static void test_part(void **state)
{
    (void)state;
    struct timeline_options part = {.from = 320, .until = 500, .some = true, .sms = {2}};
    struct timeline_read_launch l;
    struct timeline_code code;
    size_t at = 0;
    make(&l, 3, 3);
    encode(&code, &l, &part, SIZE_MAX);
    expect_head(&code.bytes, &at, 905, 320, 500);
    EXPECT(&code.bytes, &at, 1, 1);
    EXPECT(&code.bytes, &at, 1, 1, 2, 1, 1, 0, 4, 0, 5, 900, 300, 1, 300, 1, 0, 1, 0, 0, 0);
    assert_int_equal(at, code.bytes.length);
    timeline_code_free(&code);
    part = (struct timeline_options){.from = 5000};
    encode(&code, &l, &part, SIZE_MAX);
    assert_int_equal(code.sms, 0);
    timeline_code_free(&code);
    drop(&l);
}

/* The first SMs that have room are there, and none behind one that has none. */
static void test_room(void **state)
{
    (void)state;
    static const struct timeline_options all = {0};
    struct timeline_read_launch l;
    struct timeline_code whole, code;
    make(&l, 3, 50);
    l.lives.items[1].block[2] = 1u << 30; /* the second one is longer than the third */
    encode(&whole, &l, &all, SIZE_MAX);
    encode(&code, &l, &all, whole.bytes.length - 4);
    assert_int_equal(whole.sms, 3);
    assert_int_equal(code.sms, 2);
    assert_int_equal(code.sms_wanted, 3);
    assert_int_equal(code.last_sm, 1);
    assert_int_equal(code.phases, 100);
    assert_true(code.bytes.length < whole.bytes.length);
    timeline_code_free(&code);
    static const struct timeline_options two = {.some = true, .sms = {5}};
    encode(&code, &l, &two, SIZE_MAX);
    assert_int_equal(code.sms, 2);
    size_t room = code.bytes.length - 2; /* as much as the tables, and SMs 0 and 2 */
    timeline_code_free(&code);
    encode(&code, &l, &all, room);
    assert_int_equal(code.sms, 1);
    timeline_code_free(&code);
    timeline_code_free(&whole);
    drop(&l);
}

static void test_text(void **state)
{
    (void)state;
    static const char *const plain[] = {"", "f", "fo", "foo", "\377\376\375g"}, *const coded[] = {"", "Zg==", "Zm8=",
                                                                                                  "Zm9v", "//79Zw=="};
    for (unsigned i = 0; i < 5; i++) {
        struct strbuf bytes = {0}, out = {0};
        strbuf_add(&bytes, plain[i]);
        timeline_code_text(&out, &bytes);
        assert_string_equal(strbuf_text(&out), coded[i]);
        strbuf_free(&bytes);
        strbuf_free(&out);
    }
}

/* 30 SMs of 65,536 phases each are more than a page has: it is below 20 MB, and says which SMs it has. */
static void test_page(void **state)
{
    (void)state;
    struct timeline_read t = {0};
    struct timeline_read_launch l;
    struct strbuf page = {0};
    json_t *document = json_pack("{s:[]}", "kernels");
    const struct profile_page_result result = {"r", "r.json", document};
    const struct profile_page_timeline timeline = {"t<i>", "t", &t};
    make(&l, 30, 1u << 16);
    vec_push(&t.launches, l);
    profile_page_html(
        &(struct profile_page){
            .results = &result, .count = 1, .timelines = &timeline, .timeline_count = 1, .maker = "lockstep"},
        &page);
    assert_true(page.length > 8u << 20 && page.length < 20000000);
    const char *note = strstr(page.text, "<p class=note>launch 3: k&lt;b&gt;. Shown are SMs up to ");
    assert_non_null(note);
    unsigned last = 0, shown = 0, of = 0;
    assert_int_equal(sscanf(strstr(note, "up to "), "up to %u, %u of %u:", &last, &shown, &of), 3);
    assert_int_equal(of, 30);
    assert_int_equal(last + 1, shown);
    assert_true(shown > 10 && shown < 30);
    assert_non_null(strstr(page.text, "Time-line of t&lt;i&gt;</h2>"));
    assert_null(strstr(page.text, "<i>"));
    strbuf_free(&page);
    timeline_read_free(&t);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_part), cmocka_unit_test(test_room),
        cmocka_unit_test(test_text),  cmocka_unit_test(test_page), cmocka_unit_test(test_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
