/* The ground: arenas, strings, maps, diagnostics, checksums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/strmap.h"
#include "base/terminal.h"
#include "base/vec.h"

static void test_arena(void **state)
{
    struct arena arena = {0};
    unsigned char *blocks[200];
    for (unsigned i = 0; i < 200; i++) {
        size_t size = (i * 977) % 5000 + 1, align = (size_t)1 << i % 13;
        blocks[i] = arena_alloc(&arena, size, align);
        assert_int_equal((uintptr_t)blocks[i] % align, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)i, size);
    }
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(blocks[i][(i * 977) % 5000], i); /* the last byte: no block overlaps another */
    assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_printf(&arena, "%d-%s", 5, "x"), "5-x");
    arena_free(&arena);
    assert_int_equal(arena.bytes, 0);
    assert_non_null(arena_alloc(&arena, 1, 1));
    arena_free(&arena);
}

/* An arena that has become large goes on in huge pages; what it hands out is zero, aligned and apart as before, and one
 * that begins within another leaves it for chunks of its own when that is closed. */
static void test_large_arenas(void **state)
{
    (void)state;
    struct arena outer = {0}, inner;
    unsigned char *last = NULL;
    size_t sizes[] = {100, 600000, 5000, 3 << 20, 64, 300000};
    for (size_t i = 0; i < 300; i++) {
        size_t size = sizes[i % 6], align = (size_t)1 << i % 13;
        if (i % 6 == 3 && i > 20)
            size = 7;
        unsigned char *block = arena_alloc(&outer, size, align);
        assert_int_equal((uintptr_t)block % align, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(block[k], 0);
        memset(block, 0xA5, size);
        assert_true(!last || *last == 0xA5);
        last = block;
    }
    arena_init_within(&inner, &outer, 1000);
    unsigned char *first = arena_alloc(&inner, 1000, 16), *next = arena_alloc(&inner, 200, 16);
    memset(first, 0x5A, 1000);
    for (size_t k = 0; k < 200; k++)
        assert_int_equal(next[k], 0);
    assert_int_equal(*last, 0xA5);
    size_t before = outer.bytes;
    arena_reserve(&inner, 100000);
    assert_true(outer.bytes >= before + 100000);
    outer.closed = true;
    before = outer.bytes;
    for (unsigned i = 0; i < 100; i++) /* from what was reserved */
        memset(arena_alloc(&inner, 1000, 1), 0x77, 1000);
    unsigned char *beyond = arena_alloc(&inner, 1 << 20, 64);
    assert_int_equal(beyond[(1 << 20) - 1], 0);
    assert_int_equal(outer.bytes, before);
    outer.closed = false;
    assert_int_equal(*last, 0xA5);
    arena_free(&inner);
    assert_int_equal(first[999], 0x5A);
    arena_free(&outer);
}

static void test_strbuf(void **state)
{
    struct strbuf b = {0};
    assert_string_equal(strbuf_text(&b), "");
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&b, "%03d,", i);
    assert_int_equal(b.length, 4000);
    assert_int_equal(strlen(b.text), 4000);
    assert_memory_equal(b.text + 4 * 517, "517,", 4);
    strbuf_free(&b);
    assert_int_equal(b.length, 0);
}

static void test_strmap(void **state)
{
    struct strmap map = {0};
    static char keys[3000][8];
    assert_true(strmap_get(&map, "x", 1) == STRMAP_NONE);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(keys[i], sizeof keys[i], "k%u", i);
        strmap_put(&map, keys[i], strlen(keys[i]), i);
    }
    strmap_put(&map, keys[5], 2, 77);
    for (unsigned i = 0; i < 3000; i++)
        assert_int_equal(strmap_get(&map, keys[i], strlen(keys[i])), i == 5 ? 77 : i);
    assert_true(strmap_get(&map, "k3000", 5) == STRMAP_NONE);
    assert_int_equal(map.count, 3000);
    strmap_free(&map);
}

static void test_distance(void **state)
{
    static const char *const names[] = {"warps", "threads", "blocks", NULL};
    assert_int_equal(str_distance("", ""), 0);
    assert_int_equal(str_distance("abc", ""), 3);
    assert_int_equal(str_distance("kitten", "sitting"), 3);
    assert_int_equal(str_distance("abc", "acb"), 2);
    assert_string_equal(str_nearest("wraps", names), "warps");
    assert_string_equal(str_nearest("thread", names), "threads");
    assert_null(str_nearest("registers", names));
}

static void test_checksums(void **state)
{
    /* The check values of FNV-1a 64. */
    assert_true(hash_bytes("", 0) == UINT64_C(0xCBF29CE484222325));
    assert_true(hash_bytes("a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(random_at(1, 2) == random_at(1, 2));
    assert_true(random_at(1, 2) != random_at(1, 3) && random_at(1, 2) != random_at(2, 2));
}

static void test_masks(void **state)
{
    assert_true(mask_low(0) == 0 && mask_low(1) == 1 && mask_low(63) == UINT64_MAX >> 1 && mask_low(64) == UINT64_MAX);
    assert_int_equal(mask_first(UINT64_C(1) << 63), 63);
    assert_int_equal(mask_count(0xF0F0), 8);
    assert_true(mask_has(4, 2) && !mask_has(4, 3));
    assert_int_equal(round_up_u64(13, 8), 16);
    assert_int_equal(round_up_u64(16, 8), 16);
    assert_int_equal(round_up_u64(5, 0), 5);
}

static void test_diag_format(void **state)
{
    struct diag_sink sink;
    struct strbuf text = {0};
    diag_init(&sink);
    assert_int_equal(diag_error(&sink, (struct diag_pos){"f.x", 3, 0}, "do that", "bad %d", 7), -1);
    diag_add(
        &sink,
        &(struct diag){
            .severity = DIAG_WARNING, .pos = {"f.x", 4, 3}, .span = 2, .source_line = "\tab cd", .message = "odd"});
    diag_format_all(&sink, &text);
    assert_string_equal(text.text,
                        "f.x:3: error: bad 7\n    hint: do that\nf.x:4:3: warning: odd\n    \tab cd\n    \t ^~\n");
    strbuf_free(&text);
    diag_free(&sink);
}

static void test_diag_limit(void **state)
{
    struct diag_sink sink;
    struct strbuf text = {0};
    diag_init(&sink);
    for (int i = 0; i < 25; i++)
        diag_error(&sink, DIAG_NOWHERE, NULL, "number %d", i);
    diag_error(NULL, DIAG_NOWHERE, NULL, "nobody listens");
    diag_format_all(&sink, &text);
    assert_int_equal(sink.errors, 25);
    assert_int_equal(sink.count, 20);
    assert_non_null(strstr(text.text, "number 19\n5 more errors not shown\n"));
    strbuf_free(&text);
    diag_free(&sink);
}

static void test_vec(void **state)
{
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * i);
    assert_int_equal(v.count, 1000);
    assert_int_equal(v.items[999], 998001);
    vec_free(&v);
    assert_null(v.items);
}

/* The first words of diagnostics have a colour, and no others: neither those of messages, nor of quoted source. */
static void test_painted_diags(void **state)
{
    struct strbuf out = {0};
    terminal_paint_diags("a.ptx:3:4: error: an error: of many\n"
                         "    error: is a word of the source\n"
                         "    ^~~~\n"
                         "    hint: heed the warning: it helps\n"
                         "note: one\n"
                         "2 more errors not shown\n"
                         "warning: without a newline",
                         &out);
    assert_string_equal(out.text, "a.ptx:3:4: \033[1;31merror:\033[0m an error: of many\n"
                                  "    error: is a word of the source\n"
                                  "    ^~~~\n"
                                  "    \033[36mhint:\033[0m heed the warning: it helps\n"
                                  "\033[36mnote:\033[0m one\n"
                                  "2 more errors not shown\n"
                                  "\033[1;33mwarning:\033[0m without a newline");
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),  cmocka_unit_test(test_large_arenas), cmocka_unit_test(test_strbuf),
        cmocka_unit_test(test_strmap), cmocka_unit_test(test_distance),     cmocka_unit_test(test_checksums),
        cmocka_unit_test(test_masks),  cmocka_unit_test(test_diag_format),  cmocka_unit_test(test_diag_limit),
        cmocka_unit_test(test_vec),    cmocka_unit_test(test_painted_diags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
