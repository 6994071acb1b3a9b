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

static void put(struct writer *w, char c)
{
    *strbuf_room(w->out, 1) = c;
    w->out->length++;
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

static void put_string(struct writer *w, const char *text, size_t length)
{
    size_t from = 0;
    put(w, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= ' ' && byte != '"' && byte != '\\')
            continue;
        strbuf_addn(w->out, text + from, i - from);
        put_escaped(w, byte);
        from = i + 1;
    }
    strbuf_addn(w->out, text + from, length - from);
    put(w, '"');
}

/* Where a member of an object or array begins, or (at depth of what is around it) its end. */
static void put_line(struct writer *w)
{
    size_t spaces = w->indent * w->depth;
    if (!w->indent)
        return;
    put(w, '\n');
    memset(strbuf_room(w->out, spaces), ' ', spaces);
    w->out->length += spaces;
}

static void put_value(struct writer *w, const json_t *value);

static void put_array(struct writer *w, const json_t *array)
{
    size_t count = json_array_size(array);
    put(w, '[');
    w->depth++;
    for (size_t i = 0; i < count; i++) {
        if (i)
            put(w, ',');
        put_line(w);
        put_value(w, json_array_get(array, i));
    }
    w->depth--;
    if (count)
        put_line(w);
    put(w, ']');
}

static void put_object(struct writer *w, const json_t *object)
{
    json_t *of = (json_t *)object; /* only iterated over */
    bool first = true;
    put(w, '{');
    w->depth++;
    for (void *i = json_object_iter(of); i; i = json_object_iter_next(of, i), first = false) {
        const char *key = json_object_iter_key(i);
        if (!first)
            put(w, ',');
        put_line(w);
        put_string(w, key, strlen(key));
        put(w, ':');
        if (w->indent)
            put(w, ' ');
        put_value(w, json_object_iter_value(i));
    }
    w->depth--;
    if (!first)
        put_line(w);
    put(w, '}');
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
