/* The description side of checkpoints: members in, members out, one stream of bytes. */
#include "base/archive.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive_impl.h"
#include "base/arena.h"
#include "base/hash.h"

#define SECTION_DEPTH 8
#define SECTION_MARK 0x5EC7104Eu
#define SECTION_END 0x5EC7E4D0u
#define MAX_OBJECTS (1u << 24)
#define MAX_TEXT (UINT64_C(1) << 40)

struct place_name {
    const char *name;
    unsigned index;
};

/* Pointers met so far. Saving asks for the number of a pointer: open addressing over numbers, by the pointer's hash;
 * which place a pointer gets never shows in the file. */
struct objects {
    void **items;
    uint32_t count, capacity;
    uint32_t *table; /* number + 1, 0: free */
    uint32_t table_size;
};

struct archive {
    struct archive_stream *stream; /* NULL: content in memory */
    struct strbuf *out;            /* of memory: where it is saved */
    const uint8_t *content;        /* of memory: what is left to load */
    size_t left;
    bool loading, failed;
    struct strbuf error;
    struct place_name sections[SECTION_DEPTH];
    unsigned depth;
    struct objects objects;
    bool awaits_object;
};

struct archive *archive_over(struct archive_stream *stream, bool loading)
{
    struct archive *ar = base_calloc(1, sizeof *ar);
    ar->stream = stream;
    ar->loading = loading;
    return ar;
}

struct archive *archive_from_bytes(const void *content, size_t bytes)
{
    struct archive *ar = archive_over(NULL, true);
    ar->content = content;
    ar->left = bytes;
    return ar;
}

struct archive *archive_into(struct strbuf *out)
{
    struct archive *ar = archive_over(NULL, false);
    ar->out = out;
    return ar;
}

bool archive_loading(const struct archive *ar)
{
    return ar->loading;
}

bool archive_failed(const struct archive *ar)
{
    return ar->failed;
}

const char *archive_error(const struct archive *ar)
{
    return strbuf_text(&ar->error);
}

void archive_fail(struct archive *ar, const char *format, ...)
{
    if (ar->failed)
        return;
    ar->failed = true;
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&ar->error, format, ap);
    va_end(ap);
    for (unsigned i = ar->depth < SECTION_DEPTH ? ar->depth : SECTION_DEPTH; i-- > 0;)
        strbuf_addf(&ar->error, "%s%s %u", i + 1 == ar->depth ? " (in " : " of ", ar->sections[i].name,
                    ar->sections[i].index);
    if (ar->depth)
        strbuf_add(&ar->error, ")");
}

static bool move_bytes(struct archive *ar, void *data, size_t n)
{
    if (ar->stream)
        return ar->loading ? archive_stream_read(ar->stream, data, n) : archive_stream_write(ar->stream, data, n);
    if (!ar->loading) {
        strbuf_addn(ar->out, data, n);
        return true;
    }
    if (n > ar->left)
        return false;
    if (n)
        memcpy(data, ar->content, n);
    ar->content += n;
    ar->left -= n;
    return true;
}

void archive_bytes(struct archive *ar, void *data, size_t n)
{
    if (!ar->failed && !move_bytes(ar, data, n)) {
        const char *why = ar->stream ? archive_stream_error(ar->stream) : NULL;
        archive_fail(ar, "%s", why ? why : "the content ends too early");
    }
    if (ar->failed && ar->loading && n)
        memset(data, 0, n);
}

void archive_bool(struct archive *ar, bool *value)
{
    uint8_t byte = *value;
    archive_u8_to(ar, &byte, 1);
    *value = byte;
}

/* One body for the widths. */
#define NUMBER_TO(bits)                                                                                                \
    void archive_u##bits##_to(struct archive *ar, uint##bits##_t *value, uint##bits##_t limit)                         \
    {                                                                                                                  \
        archive_bytes(ar, value, sizeof *value);                                                                       \
        if (*value <= limit)                                                                                           \
            return;                                                                                                    \
        archive_fail(ar, "a number is out of range: %llu, at most %llu is possible", (unsigned long long)*value,       \
                     (unsigned long long)limit);                                                                       \
        if (ar->loading)                                                                                               \
            *value = 0;                                                                                                \
    }
NUMBER_TO(8)
NUMBER_TO(16)
NUMBER_TO(32)
NUMBER_TO(64)

void archive_place(struct archive *ar, uint32_t *value, uint32_t count)
{
    archive_places(ar, value, 1, count);
}

void archive_places(struct archive *ar, uint32_t *values, size_t n, uint32_t count)
{
    archive_bytes(ar, values, n * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        if (values[i] != UINT32_MAX && values[i] >= count)
            archive_fail(ar, "a place is out of range: %u of %u", values[i], count);
        if (ar->failed && ar->loading)
            values[i] = UINT32_MAX;
    }
}

void archive_same(struct archive *ar, uint64_t value, const char *what)
{
    uint64_t stored = value;
    ARCHIVE(ar, stored);
    if (stored != value)
        archive_fail(ar, "%s is %llu there and %llu here", what, (unsigned long long)stored, (unsigned long long)value);
}

void archive_text(struct archive *ar, struct strbuf *text)
{
    uint64_t length = text->length;
    archive_u64_to(ar, &length, MAX_TEXT);
    if (!ar->loading) {
        archive_bytes(ar, text->text, text->length);
        return;
    }
    text->length = 0;
    while (length > 0 && !ar->failed) { /* in pieces: a length that lies asks for no memory */
        char piece[4096];
        size_t n = length < sizeof piece ? (size_t)length : sizeof piece;
        archive_bytes(ar, piece, n);
        strbuf_addn(text, piece, n);
        length -= n;
    }
    if (ar->failed)
        text->length = 0;
}

void archive_begin(struct archive *ar, const char *name, unsigned index)
{
    uint32_t mark = SECTION_MARK, length = (uint32_t)strlen(name);
    char stored[32] = {0};
    if (ar->depth < SECTION_DEPTH)
        ar->sections[ar->depth] = (struct place_name){name, index};
    ar->depth++;
    memcpy(stored, name, length < sizeof stored ? length : sizeof stored - 1);
    char expected[sizeof stored];
    memcpy(expected, stored, sizeof expected);
    ARCHIVE(ar, mark);
    ARCHIVE(ar, stored);
    if (!ar->failed && (mark != SECTION_MARK || memcmp(stored, expected, sizeof stored) != 0))
        archive_fail(ar, "another section is stored here");
    archive_same(ar, index, "the section's number");
}

void archive_end(struct archive *ar)
{
    uint32_t mark = SECTION_END;
    ARCHIVE(ar, mark);
    if (!ar->failed && mark != SECTION_END)
        archive_fail(ar, "the section does not end where it should");
    ar->depth--;
}

/* Objects */

static uint32_t table_place(const struct objects *o, const void *object)
{
    uint64_t hash = hash_spread((uint64_t)(uintptr_t)object);
    uint32_t at = (uint32_t)(hash >> 32) & (o->table_size - 1);
    while (o->table[at] && o->items[o->table[at] - 1] != object)
        at = (at + 1) & (o->table_size - 1);
    return at;
}

static void grow_table(struct objects *o)
{
    if (2 * (o->count + 1) <= o->table_size)
        return;
    o->table_size = o->table_size ? 2 * o->table_size : 64;
    free(o->table);
    o->table = base_calloc(o->table_size, sizeof *o->table);
    for (uint32_t i = 0; i < o->count; i++)
        o->table[table_place(o, o->items[i])] = i + 1;
}

static void add_object(struct objects *o, void *object)
{
    if (o->count == o->capacity) {
        o->capacity = o->capacity ? 2 * o->capacity : 64;
        o->items = base_realloc(o->items, o->capacity * sizeof *o->items);
    }
    o->items[o->count++] = object;
}

static bool save_object(struct archive *ar, void *object)
{
    struct objects *o = &ar->objects;
    uint32_t number = 0;
    bool first = false;
    if (object) {
        grow_table(o);
        uint32_t at = table_place(o, object);
        first = o->table[at] == 0;
        if (first) {
            add_object(o, object);
            o->table[at] = o->count;
        }
        number = o->table[at];
    }
    ARCHIVE(ar, number);
    return first && !ar->failed;
}

bool archive_object(struct archive *ar, void **object)
{
    if (!ar->loading)
        return save_object(ar, *object);
    uint32_t number = 0;
    *object = NULL;
    if (ar->awaits_object)
        archive_fail(ar, "an object was announced and never made");
    archive_u32_to(ar, &number, ar->objects.count + (ar->objects.count < MAX_OBJECTS));
    if (number == 0 || ar->failed)
        return false;
    ar->awaits_object = number > ar->objects.count;
    if (!ar->awaits_object)
        *object = ar->objects.items[number - 1];
    return ar->awaits_object;
}

void archive_met(struct archive *ar, void *object)
{
    if (!ar->loading)
        return;
    add_object(&ar->objects, object);
    ar->awaits_object = false;
}

/* The end */

static void free_archive(struct archive *ar)
{
    free(ar->objects.items);
    free(ar->objects.table);
    strbuf_free(&ar->error);
    free(ar);
}

int archive_close(struct archive *ar, struct diag_sink *sink)
{
    if (!ar)
        return 0;
    if (ar->stream && !archive_stream_end(ar->stream, !ar->failed) && !ar->failed)
        archive_fail(ar, "%s", archive_stream_error(ar->stream));
    int rc = 0;
    if (ar->failed)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "cannot %s checkpoint %s: %s", ar->loading ? "read" : "write",
                        ar->stream ? archive_stream_path(ar->stream) : "in memory", archive_error(ar));
    archive_stream_free(ar->stream);
    free_archive(ar);
    return rc;
}

void archive_abandon(struct archive *ar)
{
    if (!ar)
        return;
    if (ar->stream)
        archive_stream_end(ar->stream, false);
    archive_stream_free(ar->stream);
    free_archive(ar);
}
