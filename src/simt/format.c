/* Device printf's format, as the CUDA programming guide defines it: the packed argument buffer holds each argument at
 * its natural alignment, floats as doubles, integers narrower than 32 bits as 32. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simt/warp.h"

struct printing {
    struct strbuf *out;
    uint64_t offset; /* of the next argument */
    unsigned count;  /* of arguments so far */
    bool (*read)(void *context, uint64_t offset, void *to, unsigned bytes);
    bool (*read_string)(void *context, uint64_t address, struct strbuf *to);
    void *context;
};

static uint64_t next_argument(struct printing *p, unsigned bytes)
{
    uint64_t value = 0;
    p->offset = (p->offset + bytes - 1) / bytes * bytes;
    p->read(p->context, p->offset, &value, bytes);
    p->offset += bytes;
    p->count++;
    return value;
}

static void print_string(struct printing *p, const char *spec)
{
    struct strbuf text = {0};
    if (p->read_string(p->context, next_argument(p, 8), &text))
        strbuf_addf(p->out, spec, strbuf_text(&text));
    strbuf_free(&text);
}

static void print_float(struct printing *p, const char *spec)
{
    uint64_t bits = next_argument(p, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    strbuf_addf(p->out, spec, value);
}

/* The spec's flags, width and precision were copied to `spec` (length n); completes it for the host and prints one
 * argument. Returns false for a conversion that does not exist. */
static bool print_conversion(struct printing *p, char *spec, size_t n, bool is_long, char conversion)
{
    switch (conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        memcpy(spec + n, (char[]){'l', 'l', conversion, 0}, 4);
        uint64_t value = next_argument(p, is_long ? 8 : 4);
        if ((conversion == 'd' || conversion == 'i') && !is_long)
            value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
        strbuf_addf(p->out, spec, (unsigned long long)value);
        return true;
    case 'c':
        memcpy(spec + n, "c", 2);
        strbuf_addf(p->out, spec, (int)(unsigned char)next_argument(p, 4));
        return true;
    case 's':
        memcpy(spec + n, "s", 2);
        print_string(p, spec);
        return true;
    case 'p':
        memcpy(spec + n, "p", 2);
        strbuf_addf(p->out, spec, (void *)(uintptr_t)next_argument(p, 8));
        return true;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        memcpy(spec + n, (char[]){conversion, 0}, 2);
        print_float(p, spec);
        return true;
    default:
        return false;
    }
}

/* A width or precision that is an argument; a negative precision counts as none. */
static size_t add_number(char *spec, size_t n, int value)
{
    if (value < 0 && spec[n - 1] == '.')
        return n - 1;
    return n + (size_t)snprintf(spec + n, 12, "%d", value);
}

/* One conversion starting at `%`; returns where the text goes on. */
static const char *print_one(struct printing *p, const char *at)
{
    const char *start = at++;
    char spec[64] = "%";
    size_t n = 1;
    bool is_long = false;
    while (*at && strchr("-+ #0123456789.*", *at) && n < 40) {
        if (*at == '*')
            n = add_number(spec, n, (int)(uint32_t)next_argument(p, 4));
        else
            spec[n++] = *at;
        at++;
    }
    for (; *at && strchr("hljztL", *at); at++)
        is_long |= *at != 'h' && *at != 'L';
    if (*at == '%') {
        strbuf_add(p->out, "%");
    } else if (!*at || !print_conversion(p, spec, n, is_long, *at)) {
        strbuf_addn(p->out, start, (size_t)(at - start) + (*at != 0));
    }
    return *at ? at + 1 : at;
}

unsigned simt_printf(struct strbuf *out, const char *format,
                     bool (*read)(void *context, uint64_t offset, void *to, unsigned bytes),
                     bool (*read_string)(void *context, uint64_t address, struct strbuf *to), void *context)
{
    struct printing p = {.out = out, .read = read, .read_string = read_string, .context = context};
    while (*format) {
        const char *percent = strchr(format, '%');
        if (!percent) {
            strbuf_add(out, format);
            break;
        }
        strbuf_addn(out, format, (size_t)(percent - format));
        format = print_one(&p, percent);
    }
    return p.count;
}
