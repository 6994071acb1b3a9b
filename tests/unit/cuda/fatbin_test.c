/* Fat binaries: those nvcc made (data/), those built here field by field, and broken ones. */
#include "cuda/fatbin.h"

#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/unit/cuda/data/%s.fatbin", LOCKSTEP_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bytes bytes = {malloc(65536), 0};
    bytes.size = fread(bytes.data, 1, 65536, file);
    fclose(file);
    assert_true(bytes.size > 0 && bytes.size < 65536);
    return bytes;
}

/* Extracts from a block of exactly this size, so that a sanitizer sees a read past its end. */
static enum fatbin_result extract(const void *data, size_t size, struct fatbin_ptx *ptx, unsigned *errors)
{
    struct diag_sink sink;
    diag_init(&sink);
    uint8_t *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, data, size);
    enum fatbin_result result = fatbin_extract(copy, size, ptx, &sink);
    free(copy);
    *errors = sink.errors;
    diag_free(&sink);
    return result;
}

static void every_packing_gives_the_same_text(void **state)
{
    const char *const names[] = {"none", "default", "size", "speed"};
    char *first = NULL;
    for (unsigned i = 0; i < 4; i++) {
        struct bytes bytes = load(names[i]);
        struct fatbin_ptx ptx;
        unsigned errors;
        assert_int_equal(extract(bytes.data, bytes.size, &ptx, &errors), FATBIN_OK);
        assert_int_equal(ptx.arch, 75);
        assert_int_equal(ptx.length, strlen(ptx.text));
        assert_non_null(strstr(ptx.text, ".target sm_75"));
        assert_non_null(strstr(ptx.text, ".entry _Z5scalePfi"));
        if (first)
            assert_string_equal(ptx.text, first);
        else
            first = strdup(ptx.text);
        free(ptx.text);
        free(bytes.data);
    }
    free(first);
}

static void size_of_the_data_need_not_be_known(void **state)
{
    struct bytes bytes = load("default");
    struct fatbin_ptx ptx;
    assert_int_equal(fatbin_extract(bytes.data, FATBIN_UNKNOWN_SIZE, &ptx, NULL), FATBIN_OK);
    assert_non_null(strstr(ptx.text, ".entry"));
    free(ptx.text);
    free(bytes.data);
}

static void highest_target_is_chosen(void **state)
{
    struct bytes bytes = load("multi");
    struct fatbin_ptx ptx;
    unsigned errors;
    assert_int_equal(extract(bytes.data, bytes.size, &ptx, &errors), FATBIN_OK);
    assert_int_equal(ptx.arch, 90);
    assert_non_null(strstr(ptx.text, ".target sm_90"));
    free(ptx.text);
    free(bytes.data);
}

static void machine_code_alone_is_refused_with_advice(void **state)
{
    struct bytes bytes = load("elf");
    struct fatbin_ptx ptx;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(fatbin_extract(bytes.data, bytes.size, &ptx, &sink), FATBIN_NO_PTX);
    assert_int_equal(sink.errors, 1);
    assert_non_null(strstr(sink.items[0].message, "sm_80"));
    assert_non_null(strstr(sink.items[0].hint, "-gencode"));
    diag_free(&sink);
    free(bytes.data);
}

static void every_truncation_is_malformed(void **state)
{
    const char *const names[] = {"none", "default", "speed", "multi"};
    for (unsigned i = 0; i < 4; i++) {
        struct bytes bytes = load(names[i]);
        for (size_t size = 0; size < bytes.size; size++) {
            struct fatbin_ptx ptx;
            unsigned errors;
            assert_int_equal(extract(bytes.data, size, &ptx, &errors), FATBIN_MALFORMED);
            assert_int_equal(errors, 1);
            assert_null(ptx.text);
        }
        free(bytes.data);
    }
}

/* Every byte of the headers set to each of a few values: any answer will do, as long as it is one. */
static void broken_headers_end_in_an_answer(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    struct bytes bytes = load("multi");
    for (size_t at = 0; at < bytes.size && at < 2048; at++)
        for (unsigned v = 0; v < sizeof values; v++) {
            uint8_t old = bytes.data[at];
            struct fatbin_ptx ptx;
            unsigned errors;
            bytes.data[at] = values[v];
            enum fatbin_result result = extract(bytes.data, bytes.size, &ptx, &errors);
            assert_true(result == FATBIN_OK ? errors == 0 && ptx.text : errors == 1 && !ptx.text);
            free(ptx.text);
            bytes.data[at] = old;
        }
    free(bytes.data);
}

/* ---- containers built here ---- */

static void put(uint8_t *p, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

/* Appends an entry and updates the container's size. text_bytes 0: stored. */
static void add_entry(struct bytes *b, unsigned arch, uint64_t flags, const void *payload, uint32_t size,
                      uint64_t text_bytes)
{
    uint32_t padded = (size + 7) / 8 * 8;
    uint8_t *p = b->data + b->size;
    memset(p, 0, 80 + padded);
    put(p, 2, 1), put(p + 2, 2, 0x101), put(p + 4, 4, 80), put(p + 8, 8, padded);
    put(p + 0x10, 4, text_bytes ? size : 0), put(p + 0x1c, 4, arch), put(p + 0x28, 8, flags),
        put(p + 0x38, 8, text_bytes);
    memcpy(p + 80, payload, size);
    b->size += 80 + padded;
    put(b->data + 8, 8, b->size - 16);
}

static struct bytes container(void)
{
    struct bytes b = {calloc(1, 65536), 16};
    put(b.data, 4, 0xba55ed50), put(b.data + 4, 2, 1), put(b.data + 6, 2, 16);
    return b;
}

static void entries_of_every_kind_side_by_side(void **state)
{
    char text[4000], packed[8000];
    memset(text, 'x', sizeof text);
    memcpy(text, ".version 7.0\n", 13);
    text[sizeof text - 1] = 0;
    struct bytes b = container();
    struct fatbin_ptx ptx;
    unsigned errors;

    add_entry(&b, 50, 0x11, ".version 5.0\n", 14, 0);
    assert_int_equal(extract(b.data, b.size, &ptx, &errors), FATBIN_OK);
    assert_string_equal(ptx.text, ".version 5.0\n");
    free(ptx.text);

    int lz4 = LZ4_compress_default(text, packed, sizeof text, sizeof packed);
    add_entry(&b, 60, 0x2011, packed, (uint32_t)lz4, sizeof text);
    assert_int_equal(extract(b.data, b.size, &ptx, &errors), FATBIN_OK);
    assert_int_equal(ptx.arch, 60);
    assert_string_equal(ptx.text, text);
    free(ptx.text);

    size_t zstd = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    add_entry(&b, 70, 0x8011, packed, (uint32_t)zstd, sizeof text);
    add_entry(&b, 70, 0x8011, "junk", 4, 100); /* of equals the first */
    assert_int_equal(extract(b.data, b.size, &ptx, &errors), FATBIN_OK);
    assert_int_equal(ptx.arch, 70);
    assert_string_equal(ptx.text, text);
    free(ptx.text);
    free(b.data);
}

static void wrong_sizes_of_compressed_text_are_noticed(void **state)
{
    char text[300] = ".version", packed[1000];
    for (unsigned zstd = 0; zstd < 2; zstd++) {
        uint32_t size = zstd ? (uint32_t)ZSTD_compress(packed, sizeof packed, text, sizeof text, 3)
                             : (uint32_t)LZ4_compress_default(text, packed, sizeof text, sizeof packed);
        const uint64_t claims[] = {sizeof text - 1, sizeof text + 1, UINT64_MAX, FATBIN_MAX_TEXT + 1};
        for (unsigned i = 0; i < 4; i++) {
            struct bytes b = container();
            struct fatbin_ptx ptx;
            unsigned errors;
            add_entry(&b, 70, zstd ? 0x8000 : 0x2000, packed, size, claims[i]);
            assert_int_equal(extract(b.data, b.size, &ptx, &errors), FATBIN_MALFORMED);
            assert_int_equal(errors, 1);
            free(b.data);
        }
    }
}

static void unknown_compression_is_named(void **state)
{
    struct bytes b = container();
    struct fatbin_ptx ptx;
    struct diag_sink sink;
    diag_init(&sink);
    add_entry(&b, 70, 0x11, "abcdefgh", 8, 100);
    assert_int_equal(fatbin_extract(b.data, b.size, &ptx, &sink), FATBIN_MALFORMED);
    assert_non_null(strstr(sink.items[0].message, "unknown way"));
    diag_free(&sink);
    free(b.data);
}

static void empty_container_has_no_ptx(void **state)
{
    struct bytes b = container();
    struct fatbin_ptx ptx;
    unsigned errors;
    assert_int_equal(extract(b.data, b.size, &ptx, &errors), FATBIN_NO_PTX);
    free(b.data);
}

static void raw_text_ends_at_its_nul_or_its_size(void **state)
{
    const char with_nul[] = "// comment\n.version 7.0\n\0rest";
    struct fatbin_ptx ptx;
    unsigned errors;
    assert_int_equal(extract(with_nul, sizeof with_nul, &ptx, &errors), FATBIN_OK);
    assert_string_equal(ptx.text, "// comment\n.version 7.0\n");
    free(ptx.text);
    assert_int_equal(extract("\n .version 7.0", 14, &ptx, &errors), FATBIN_OK);
    assert_string_equal(ptx.text, "\n .version 7.0");
    assert_int_equal(ptx.length, 14);
    free(ptx.text);
    assert_int_equal(extract("hello", 5, &ptx, &errors), FATBIN_MALFORMED);
    assert_int_equal(extract("\177ELF....", 8, &ptx, &errors), FATBIN_NO_PTX);
}

static void wrapper_is_recognised_by_its_magic_number(void **state)
{
    struct {
        uint32_t magic, version;
        const void *data, *unused;
    } wrapper = {0x466243b1, 1, "text", NULL};
    assert_ptr_equal(fatbin_unwrap(&wrapper, NULL), wrapper.data);
    assert_false(fatbin_is_linked(&wrapper));
    wrapper.version = 2;
    assert_true(fatbin_is_linked(&wrapper));
    wrapper.data = NULL;
    assert_null(fatbin_unwrap(&wrapper, NULL));
    wrapper.magic++;
    assert_null(fatbin_unwrap(&wrapper, NULL));
    assert_null(fatbin_unwrap(NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_gives_the_same_text),
        cmocka_unit_test(size_of_the_data_need_not_be_known),
        cmocka_unit_test(highest_target_is_chosen),
        cmocka_unit_test(machine_code_alone_is_refused_with_advice),
        cmocka_unit_test(every_truncation_is_malformed),
        cmocka_unit_test(broken_headers_end_in_an_answer),
        cmocka_unit_test(entries_of_every_kind_side_by_side),
        cmocka_unit_test(wrong_sizes_of_compressed_text_are_noticed),
        cmocka_unit_test(unknown_compression_is_named),
        cmocka_unit_test(empty_container_has_no_ptx),
        cmocka_unit_test(raw_text_ends_at_its_nul_or_its_size),
        cmocka_unit_test(wrapper_is_recognised_by_its_magic_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
