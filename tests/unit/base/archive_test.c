/* Archives: what goes in comes out, and what was not written by an archive of this format is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/hash.h"
#include "base/vec.h"

struct thing {
    uint32_t number;
    struct thing *friend;
};

struct state {
    uint64_t big;
    bool flag;
    uint32_t places[4];
    struct strbuf text;
    struct thing *things[3];
    uint8_t *block;
    uint32_t block_bytes;
};

static void describe_thing(struct archive *ar, struct thing **thing)
{
    if (!archive_object(ar, (void **)thing))
        return;
    if (archive_loading(ar))
        archive_met(ar, *thing = calloc(1, sizeof **thing));
    archive_u32_to(ar, &(*thing)->number, 100);
    describe_thing(ar, &(*thing)->friend);
}

static void describe(struct archive *ar, struct state *s)
{
    archive_begin(ar, "state", 7);
    ARCHIVE(ar, s->big);
    archive_bool(ar, &s->flag);
    archive_places(ar, s->places, 4, 10);
    archive_text(ar, &s->text);
    for (unsigned i = 0; i < 3; i++)
        describe_thing(ar, &s->things[i]);
    archive_u32_to(ar, &s->block_bytes, 1u << 22);
    if (archive_loading(ar))
        s->block = calloc(1, s->block_bytes + 1);
    archive_bytes(ar, s->block, s->block_bytes);
    archive_end(ar);
}

static char *path_in(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static char *folder_new(void)
{
    char *folder = strdup("/tmp/lockstep-archive-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static void fill(struct state *s, struct thing things[2])
{
    things[0] = (struct thing){5, &things[1]};
    things[1] = (struct thing){6, &things[0]}; /* a circle */
    *s = (struct state){.big = UINT64_MAX - 1, .flag = true, .places = {0, 9, UINT32_MAX, 3}};
    strbuf_add(&s->text, "text");
    s->things[0] = &things[1];
    s->things[2] = &things[0];
    s->block_bytes = 1u << 20; /* longer than any buffer under way */
    s->block = malloc(s->block_bytes);
    for (uint32_t i = 0; i < s->block_bytes; i++)
        s->block[i] = (uint8_t)(random_at(1, i / 3) >> 8);
}

static void save(const char *path)
{
    struct thing things[2];
    struct state s;
    struct diag_sink sink = {0};
    fill(&s, things);
    struct archive *ar = archive_create(path, &sink);
    assert_non_null(ar);
    describe(ar, &s);
    assert_int_equal(archive_close(ar, &sink), 0);
    strbuf_free(&s.text);
    free(s.block);
    diag_free(&sink);
}

static void test_round_trip(void **unused)
{
    char *folder = folder_new(), *path = path_in(folder, "a");
    struct thing things[2];
    struct state in, out = {0};
    struct diag_sink sink = {0};
    save(path);
    fill(&in, things);
    struct archive *ar = archive_open(path, &sink);
    assert_non_null(ar);
    describe(ar, &out);
    assert_string_equal(archive_error(ar), "");
    assert_int_equal(archive_close(ar, &sink), 0);
    assert_true(out.big == in.big && out.flag);
    assert_memory_equal(out.places, in.places, sizeof in.places);
    assert_string_equal(strbuf_text(&out.text), "text");
    assert_int_equal(out.things[0]->number, 6);
    assert_null(out.things[1]);
    assert_ptr_equal(out.things[0]->friend, out.things[2]);
    assert_ptr_equal(out.things[2]->friend, out.things[0]);
    assert_memory_equal(out.block, in.block, in.block_bytes);
    free(out.things[0]);
    free(out.things[2]);
    free(out.block);
    free(in.block);
    strbuf_free(&in.text);
    strbuf_free(&out.text);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    diag_free(&sink);
}

static size_t file_bytes(const char *path, uint8_t **content)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    *content = malloc((size_t)info.st_size);
    assert_int_equal(fread(*content, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return (size_t)info.st_size;
}

static void write_file(const char *path, const uint8_t *content, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, n, file), n);
    fclose(file);
}

static bool refused(const char *path, const char *text)
{
    struct diag_sink sink = {0};
    struct archive *ar = archive_open(path, &sink);
    bool good = !ar && sink.errors == 1 && strstr(sink.items[0].message, text);
    archive_abandon(ar);
    diag_free(&sink);
    return good;
}

/* A small file, so that every byte of it can be damaged. */
static void test_damage_is_refused(void **unused)
{
    char *folder = folder_new(), *path = path_in(folder, "a");
    uint8_t *content;
    struct diag_sink sink = {0};
    struct archive *ar = archive_create(path, &sink);
    for (uint32_t i = 0; i < 100; i++)
        ARCHIVE(ar, i);
    assert_int_equal(archive_close(ar, &sink), 0);
    size_t n = file_bytes(path, &content);
    for (size_t i = 0; i < n; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            content[i] ^= (uint8_t)(1u << bit);
            write_file(path, content, n);
            assert_true(refused(path, i < 8 ? "not a checkpoint" : i < 12 ? "format" : "damaged"));
            content[i] ^= (uint8_t)(1u << bit);
        }
    }
    for (size_t cut = 0; cut < n; cut++) {
        write_file(path, content, cut);
        assert_true(refused(path, cut < 24 ? "cut off" : "damaged"));
    }
    write_file(path, content, n);
    assert_true(!refused(path, ""));
    assert_true(refused(folder, "not a file"));
    unlink(path);
    assert_true(refused(path, "No such file"));
    rmdir(folder);
    free(content);
    free(path);
    free(folder);
    diag_free(&sink);
}

static void test_unfinished_leaves_the_former(void **unused)
{
    char *folder = folder_new(), *path = path_in(folder, "a");
    struct diag_sink sink = {0};
    uint32_t value = 1;
    struct archive *ar = archive_create(path, &sink);
    ARCHIVE(ar, value);
    assert_int_equal(archive_close(ar, &sink), 0);
    ar = archive_create(path, &sink);
    value = 2;
    ARCHIVE(ar, value);
    archive_abandon(ar);
    ar = archive_create(path, &sink);
    ARCHIVE(ar, value);
    archive_fail(ar, "something %d", 5);
    assert_int_equal(archive_close(ar, &sink), -1);
    assert_non_null(strstr(sink.items[0].message, "something 5"));
    ar = archive_open(path, &sink);
    ARCHIVE(ar, value);
    assert_int_equal(archive_close(ar, &sink), 0);
    assert_int_equal(value, 1);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left behind */
    assert_null(archive_create(path, &sink));
    free(path);
    free(folder);
    diag_free(&sink);
}

static void test_one_writes_at_a_time(void **unused)
{
    char *folder = folder_new(), *path = path_in(folder, "a"), *unfinished = path_in(folder, "a.part");
    struct diag_sink sink = {0};
    uint32_t value = 1;
    FILE *left = fopen(unfinished, "w"); /* by a run that was killed */
    fputs("LSCHKPT\n and much longer than the small checkpoint that is written here, as what was under way often is", left);
    fclose(left);
    struct archive *ar = archive_create(path, &sink);
    ARCHIVE(ar, value);
    assert_null(archive_create(path, &sink));
    assert_non_null(strstr(sink.items[0].message, "another run is writing it"));
    assert_int_equal(archive_close(ar, &sink), 0);
    value = 0;
    ar = archive_open(path, &sink);
    ARCHIVE(ar, value);
    assert_int_equal(archive_close(ar, &sink), 0);
    assert_int_equal(value, 1);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    free(unfinished);
    free(path);
    free(folder);
    diag_free(&sink);
}

/* What lies under the name of the unfinished file and was never a checkpoint stays. */
static void test_replaces_nothing_else(void **unused)
{
    char *folder = folder_new(), *path = path_in(folder, "a"), *unfinished = path_in(folder, "a.part");
    struct diag_sink sink = {0};
    FILE *notes = fopen(unfinished, "w");
    fputs("notes", notes);
    fclose(notes);
    assert_null(archive_create(path, &sink));
    assert_non_null(strstr(sink.items[0].message, "a.part: the file of that name is no checkpoint"));
    unlink(unfinished);
    assert_int_equal(rmdir(folder), 0);
    free(unfinished);
    free(path);
    free(folder);
    diag_free(&sink);
}

static const char *error_of(const void *content, size_t n, void (*describe)(struct archive *ar))
{
    static char text[256];
    struct archive *ar = archive_from_bytes(content, n);
    describe(ar);
    snprintf(text, sizeof text, "%s", archive_error(ar));
    archive_abandon(ar);
    return text;
}

static void load_number(struct archive *ar)
{
    uint32_t value;
    archive_u32_to(ar, &value, 6);
    assert_int_equal(value, 0);
}
static void load_place(struct archive *ar)
{
    uint32_t value;
    archive_place(ar, &value, 7);
    assert_int_equal(value, UINT32_MAX);
}
static void load_section(struct archive *ar)
{
    archive_begin(ar, "part", 1);
}
static void load_text(struct archive *ar)
{
    struct strbuf text = {0};
    archive_text(ar, &text);
    assert_int_equal(text.length, 0);
    strbuf_free(&text);
}
static void load_object(struct archive *ar)
{
    void *object;
    assert_false(archive_object(ar, &object));
    assert_null(object);
}
static void load_same(struct archive *ar)
{
    archive_same(ar, 6, "the answer");
}

static void test_content_is_not_trusted(void **unused)
{
    static const uint32_t seven[16] = {7};
    static const uint8_t all[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    assert_string_equal(error_of(seven, 4, load_number), "a number is out of range: 7, at most 6 is possible");
    assert_string_equal(error_of(seven, 3, load_number), "the content ends too early");
    assert_string_equal(error_of(seven, 4, load_place), "a place is out of range: 7 of 7");
    assert_string_equal(error_of(seven, 64, load_section), "another section is stored here (in part 1)");
    assert_string_equal(error_of(seven, 8, load_text), "the content ends too early");
    assert_non_null(strstr(error_of(all, 8, load_text), "out of range"));
    assert_non_null(strstr(error_of(seven, 4, load_object), "out of range"));
    assert_string_equal(error_of(seven, 8, load_same), "the answer is 7 there and 6 here");
}

static void test_build_is_known(void **unused)
{
    struct strbuf build = {0};
    archive_build(&build);
    assert_true(build.length >= 7);
    strbuf_free(&build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_unfinished_leaves_the_former),
        cmocka_unit_test(test_one_writes_at_a_time),
        cmocka_unit_test(test_replaces_nothing_else),
        cmocka_unit_test(test_content_is_not_trusted),
        cmocka_unit_test(test_build_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
