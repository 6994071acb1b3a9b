/* JSON values as text: see json_text.h. */
#include "gpu/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INTEGER_DIGITS 24 /* and a sign */

struct writer {
    struct strbuf *out;
    unsigned indent, depth;
};

/* Where a line of the text goes, with room for its indentation and so many bytes more; behind that indentation. */
static char *begin_line(struct writer *w, size_t more)
{
    size_t spaces = (size_t)w->indent * w->depth;
    char *at = strbuf_room(w->out, spaces + more + 1);
    if (!w->indent)
        return at;
    *at++ = '\n';
    for (size_t i = 0; i < spaces; i++)
        *at++ = ' ';
    return at;
}

/* The text reaches to there now. */
static void put_until(struct writer *w, const char *end)
{
    w->out->length = (size_t)(end - w->out->text);
}

static void put(struct writer *w, char c)
{
    char *at = strbuf_room(w->out, 1);
    *at = c;
    put_until(w, at + 1);
}

static void put_integer(struct writer *w, json_int_t value)
{
    char digits[INTEGER_DIGITS], *end = digits + sizeof digits, *at = end;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    strbuf_addn(w->out, at, (size_t)(end - at));
}

/* There are few. */
static void put_real(struct writer *w, const json_t *value)
{
    size_t bytes = json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);
    json_dumpb(value, strbuf_room(w->out, bytes), bytes, JSON_ENCODE_ANY);
    w->out->length += bytes;
}

/* The letter that stands for a byte behind a backslash; 0: it stands for itself, or has a number. */
static char letter_of(unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void put_escaped(struct writer *w, unsigned char byte)
{
    char letter = letter_of(byte);
    if (letter)
        strbuf_addf(w->out, "\\%c", letter);
    else
        strbuf_addf(w->out, "\\u%04X", byte);
}

/* The bytes of a text before the first one that is to be escaped. */
static size_t plain_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (unsigned char)text[n] >= ' ' && text[n] != '"' && text[n] != '\\')
        n++;
    return n;
}

static void put_string(struct writer *w, const char *text, size_t length)
{
    put(w, '"');
    for (size_t plain; plain = plain_length(text, length), plain < length; text += plain + 1, length -= plain + 1) {
        strbuf_addn(w->out, text, plain);
        put_escaped(w, (unsigned char)text[plain]);
    }
    strbuf_addn(w->out, text, length);
    put(w, '"');
}

static void put_value(struct writer *w, const json_t *value);

/* A new line, or the same one, for what comes next: a comma before it, unless it is the first; or the end of what is
 * around it. */
static void put_between(struct writer *w, bool comma, char end)
{
    if (comma)
        put(w, ',');
    char *at = begin_line(w, 1);
    if (end)
        *at++ = end;
    put_until(w, at);
}

static void put_array(struct writer *w, const json_t *array)
{
    size_t count = json_array_size(array);
    put(w, '[');
    w->depth++;
    for (size_t i = 0; i < count; i++) {
        put_between(w, i, 0);
        put_value(w, json_array_get(array, i));
    }
    w->depth--;
    if (count)
        put_between(w, false, ']');
    else
        put(w, ']');
}

/* A member's key is a name, mostly: that is written with what is around it, at once. */
static void put_key(struct writer *w, const char *key, bool first)
{
    size_t length = strlen(key), plain = plain_length(key, length);
    if (!first)
        put(w, ',');
    char *at = begin_line(w, length + 4);
    if (plain == length) {
        *at++ = '"';
        memcpy(at, key, length);
        at += length;
        *at++ = '"';
    } else {
        put_until(w, at);
        put_string(w, key, length);
        at = strbuf_room(w->out, 2);
    }
    *at++ = ':';
    if (w->indent)
        *at++ = ' ';
    put_until(w, at);
}

static void put_object(struct writer *w, const json_t *object)
{
    json_t *of = (json_t *)object; /* only iterated over */
    bool first = true;
    put(w, '{');
    w->depth++;
    for (void *i = json_object_iter(of); i; i = json_object_iter_next(of, i), first = false) {
        put_key(w, json_object_iter_key(i), first);
        put_value(w, json_object_iter_value(i));
    }
    w->depth--;
    if (first)
        put(w, '}');
    else
        put_between(w, false, '}');
}

static void put_value(struct writer *w, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        put_object(w, value);
        break;
    case JSON_ARRAY:
        put_array(w, value);
        break;
    case JSON_STRING:
        put_string(w, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        put_integer(w, json_integer_value(value));
        break;
    case JSON_REAL:
        put_real(w, value);
        break;
    case JSON_TRUE:
        strbuf_add(w->out, "true");
        break;
    case JSON_FALSE:
        strbuf_add(w->out, "false");
        break;
    case JSON_NULL:
        strbuf_add(w->out, "null");
        break;
    }
}

void json_text(const json_t *value, unsigned indent, struct strbuf *out)
{
    struct writer w = {.out = out, .indent = indent};
    put_value(&w, value);
    strbuf_addn(out, "", 0);
}
