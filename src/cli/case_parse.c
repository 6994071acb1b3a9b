/* The launch file as a struct; see case.h for the form. Every member is checked by name and range here, so that running
 * it can only fail for what the file cannot know (the kernel's parameters, the machine's memory). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/strmap.h"
#include "cli/case.h"

struct reader {
    struct launch_case *c;
    struct diag_sink *sink;
    int rc;
};

static const char *const type_names[] = {"u32", "i32", "f32", "u64", "i64", "f64", NULL};

unsigned case_type_bytes(enum case_type type)
{
    return type >= CASE_U64 ? 8 : 4;
}

#define FAIL(r, node, hint, ...) ((r)->rc = yaml_error(&(r)->c->doc, (node), (r)->sink, (hint), __VA_ARGS__))

static void suggest(struct reader *r, const struct yaml_node *node, const char *word, const char *const *names)
{
    struct strbuf hint = {0};
    const char *near = str_nearest(word, names);
    if (near)
        strbuf_addf(&hint, "did you mean '%s'?", near);
    else
        for (unsigned i = 0; names[i]; i++)
            strbuf_addf(&hint, "%s%s", i ? ", " : "known are: ", names[i]);
    FAIL(r, node, strbuf_text(&hint), "'%s' is not known here", word);
    strbuf_free(&hint);
}

static int index_of(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

/* Reports keys that are not in names. False when node is no mapping. */
static bool check_keys(struct reader *r, const struct yaml_node *node, const char *const *names)
{
    if (node->kind != YAML_MAPPING) {
        FAIL(r, node, NULL, "expected a mapping, found %s", yaml_kind_name(node->kind));
        return false;
    }
    for (const struct yaml_node *entry = node->children; entry; entry = entry->next)
        if (index_of(entry->key->text, names) < 0)
            suggest(r, entry->key, entry->key->text, names);
    return true;
}

static const struct yaml_node *need(struct reader *r, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);
    if (!value)
        FAIL(r, node->key ? node->key : node, NULL, "'%s' is missing", key);
    return value;
}

/* The single value of an entry as a number in [min, max]; min when it is none. */
static uint64_t number(struct reader *r, const struct yaml_node *node, uint64_t min, uint64_t max)
{
    uint64_t value;
    if (node->kind != YAML_SCALAR || node->quoted || !config_parse_u64(node->text, &value))
        FAIL(r, node, NULL, "expected a whole number");
    else if (value < min || value > max)
        FAIL(r, node, NULL, "%s is out of range (%llu to %llu)", node->text, (unsigned long long)min,
             (unsigned long long)max);
    else
        return value;
    return min;
}

static uint64_t optional_number(struct reader *r, const struct yaml_node *node, const char *key, uint64_t max)
{
    const struct yaml_node *value = yaml_get(node, key);
    return value ? number(r, value, 0, max) : 0;
}

static const char *text_of(struct reader *r, const struct yaml_node *node)
{
    if (node && node->kind == YAML_SCALAR && *node->text)
        return node->text;
    if (node)
        FAIL(r, node, NULL, "expected a name");
    return "";
}

/* The bits of a value of that type; negative and fractional ones where the type has them. */
static uint64_t value_bits(struct reader *r, const struct yaml_node *node, enum case_type type)
{
    const char *text = node->kind == YAML_SCALAR ? node->text : "";
    bool negative = *text == '-' && (type == CASE_I32 || type == CASE_I64);
    uint64_t magnitude, limit = case_type_bytes(type) == 8 ? UINT64_MAX : UINT32_MAX;
    if (type == CASE_F32 || type == CASE_F64) {
        char *end;
        double wide = strtod(text, &end);
        float narrow = strtof(text, NULL);
        uint32_t low;
        uint64_t bits;
        bool infinite = type == CASE_F32 ? isinf(narrow) : isinf(wide);
        if (end == text || *end)
            FAIL(r, node, NULL, "expected a number");
        else if (infinite && !strpbrk(text, "iI"))
            FAIL(r, node, "inf or -inf means infinity", "%s does not fit %s", text, type_names[type]);
        memcpy(&low, &narrow, sizeof low);
        memcpy(&bits, &wide, sizeof bits);
        return type == CASE_F32 ? low : bits;
    }
    if (!config_parse_u64(text + negative, &magnitude))
        FAIL(r, node, NULL, "expected a whole number");
    else if (negative ? magnitude > limit / 2 + 1 : magnitude > limit)
        FAIL(r, node, NULL, "%s does not fit %s", text, type_names[type]);
    else
        return (negative ? UINT64_C(0) - magnitude : magnitude) & limit;
    return 0;
}

static bool optional_bool(struct reader *r, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);
    const char *text = !value ? "false" : value->kind == YAML_SCALAR ? value->text : "";
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        FAIL(r, value, NULL, "%s: expected true or false", key);
    return strcmp(text, "true") == 0;
}

static void read_extent(struct reader *r, const char *key, uint32_t max, uint32_t extent[3])
{
    const struct yaml_node *list = need(r, r->c->doc.root, key), *item;
    unsigned count = 0;
    extent[0] = extent[1] = extent[2] = 1;
    if (!list)
        return;
    if (list->kind != YAML_SEQUENCE || !list->children) {
        FAIL(r, list, NULL, "%s: expected up to three numbers: [x, y, z]", key);
        return;
    }
    for (item = list->children; item; item = item->next, count++) {
        if (count == 3) {
            FAIL(r, item, NULL, "%s has three dimensions", key);
            return;
        }
        extent[count] = (uint32_t)number(r, item, 1, max);
    }
}

/* {start: A, step: B} and {seed: S, mod: M}. */
static void read_pair(struct reader *r, struct case_buffer *b, const struct yaml_node *node, const char *const *names)
{
    if (!check_keys(r, node, names))
        return;
    const struct yaml_node *first = need(r, node, names[0]), *second = need(r, node, names[1]);
    b->a = first ? value_bits(r, first, CASE_I32) : 0;
    b->b = second ? value_bits(r, second, CASE_I32) : 0;
    if (b->fill == CASE_LCG && second && b->b == 0) {
        FAIL(r, second, NULL, "mod must be at least 1");
        b->b = 1;
    }
}

static void read_init(struct reader *r, struct case_buffer *b, const struct yaml_node *node)
{
    static const char *const kinds[] = {"zero", "const", "iota", "lcg", "file", NULL};
    static const char *const iota[] = {"start", "step", NULL}, *const lcg[] = {"seed", "mod", NULL};
    const struct yaml_node *entry = node->kind == YAML_MAPPING ? node->children : NULL;
    const char *word = entry ? entry->key->text : node->kind == YAML_SCALAR ? node->text : "";
    int kind = index_of(word, kinds);
    if (kind < 0) {
        suggest(r, entry ? entry->key : node, word, kinds);
        return;
    }
    b->fill = (enum case_fill)kind;
    if (entry ? entry->next || kind == CASE_ZERO : kind != CASE_ZERO) {
        FAIL(r, node, "for example: init: zero, or init: {const: 1}", "init: one way of filling the buffer");
        b->fill = CASE_ZERO;
    } else if (kind == CASE_CONST)
        b->a = value_bits(r, entry, b->type == CASE_U32 ? CASE_I32 : b->type); /* -1 for all ones */
    else if (kind == CASE_IOTA || kind == CASE_LCG)
        read_pair(r, b, entry, kind == CASE_IOTA ? iota : lcg);
    else if (kind == CASE_FILE)
        b->file = text_of(r, entry);
    if (b->fill == CASE_LCG && b->b == 0)
        b->b = 1;
}

static void read_buffer(struct reader *r, struct case_buffer *b, const struct yaml_node *node)
{
    static const char *const keys[] = {"type", "count", "init", NULL}, *const types[] = {"u32", "i32", "f32", NULL};
    *b = (struct case_buffer){.name = node->key->text, .count = 1, .node = node};
    if (!check_keys(r, node, keys))
        return;
    const struct yaml_node *type = need(r, node, "type"), *count = need(r, node, "count"),
                           *init = need(r, node, "init");
    int which = type && type->kind == YAML_SCALAR ? index_of(type->text, types) : -1;
    if (type && which < 0)
        suggest(r, type, type->kind == YAML_SCALAR ? type->text : "", types);
    b->type = which < 0 ? CASE_U32 : (enum case_type)which;
    if (count)
        b->count = number(r, count, 1, CASE_MAX_BYTES / 4);
    if (init)
        read_init(r, b, init);
}

static unsigned count_children(const struct yaml_node *node)
{
    unsigned n = 0;
    for (const struct yaml_node *child = node->children; child; child = child->next)
        n++;
    return n;
}

static struct case_buffer *read_buffers(struct reader *r, const char *key, unsigned *count)
{
    const struct yaml_node *list = yaml_get(r->c->doc.root, key);
    *count = 0;
    if (!list || (list->kind == YAML_SCALAR && !*list->text))
        return NULL;
    if (list->kind != YAML_MAPPING) {
        FAIL(r, list, NULL, "%s: expected a mapping of names to buffers", key);
        return NULL;
    }
    *count = count_children(list);
    struct case_buffer *buffers = ARENA_NEW(&r->c->arena, struct case_buffer, *count + 1), *b = buffers;
    for (const struct yaml_node *node = list->children; node; node = node->next)
        read_buffer(r, b++, node);
    return buffers;
}

/* The index of the buffer of that name; reports when there is none. */
static unsigned buffer_index(struct reader *r, const struct yaml_node *node)
{
    const char **names = ARENA_NEW(&r->c->arena, const char *, r->c->buffer_count + 1);
    for (unsigned i = 0; i < r->c->buffer_count; i++)
        names[i] = r->c->buffers[i].name;
    int found = node->kind == YAML_SCALAR ? index_of(node->text, names) : -1;
    if (found < 0)
        suggest(r, node, node->kind == YAML_SCALAR ? node->text : "", names);
    return found < 0 ? 0 : (unsigned)found;
}

static void read_arg(struct reader *r, struct case_arg *arg, const struct yaml_node *node)
{
    *arg = (struct case_arg){.buffer = CASE_VALUE, .node = node};
    if (node->kind == YAML_SCALAR) {
        arg->buffer = buffer_index(r, node);
        return;
    }
    const struct yaml_node *entry = node->kind == YAML_MAPPING ? node->children : NULL;
    if (!entry || entry->next) {
        FAIL(r, node, NULL, "expected a buffer's name or a value such as {u32: 1}");
        return;
    }
    int type = index_of(entry->key->text, type_names);
    if (type < 0) {
        suggest(r, entry->key, entry->key->text, type_names);
        return;
    }
    arg->type = (enum case_type)type;
    arg->bits = value_bits(r, entry, arg->type);
}

static void read_check(struct reader *r, struct case_check *check, const struct yaml_node *node)
{
    static const char *const keys[] = {"buffer", "crc32", "sum_u32", NULL};
    *check = (struct case_check){.node = node};
    if (!check_keys(r, node, keys))
        return;
    const struct yaml_node *buffer = need(r, node, "buffer"), *crc = yaml_get(node, "crc32"),
                           *sum = yaml_get(node, "sum_u32");
    if (buffer)
        check->buffer = buffer_index(r, buffer);
    if (!crc == !sum)
        FAIL(r, node, NULL, "a check has either crc32 or sum_u32");
    else
        check->expected = (uint32_t)number(r, crc ? crc : sum, 0, UINT32_MAX);
    check->is_sum = sum != NULL;
}

/* The sequence under key; NULL when it is not there or empty. */
static const struct yaml_node *read_list(struct reader *r, const char *key, unsigned *count)
{
    const struct yaml_node *list = yaml_get(r->c->doc.root, key);
    *count = 0;
    if (!list || (list->kind == YAML_SCALAR && !*list->text))
        return NULL;
    if (list->kind != YAML_SEQUENCE) {
        FAIL(r, list, NULL, "%s: expected a list", key);
        return NULL;
    }
    *count = count_children(list);
    return list->children;
}

static void read_case(struct reader *r)
{
    static const char *const keys[] = {"ptx",         "kernel",  "grid",      "block", "shared", "registers",
                                       "cooperative", "cluster", "buffers", "constants", "args", "check", NULL};
    struct launch_case *c = r->c;
    const struct yaml_node *root = c->doc.root;
    unsigned i = 0;
    if (!check_keys(r, root, keys))
        return;
    c->ptx_node = need(r, root, "ptx");
    c->kernel_node = need(r, root, "kernel");
    c->ptx = text_of(r, c->ptx_node);
    c->kernel = text_of(r, c->kernel_node);
    read_extent(r, "grid", 0x7FFFFFFF, c->grid);
    read_extent(r, "block", 1024, c->block);
    c->shared = optional_number(r, root, "shared", UINT64_C(1) << 24);
    c->registers = (uint32_t)optional_number(r, root, "registers", 1024);
    c->cooperative = optional_bool(r, root, "cooperative");
    if (yaml_get(root, "cluster"))
        read_extent(r, "cluster", 16, c->cluster);
    c->buffers = read_buffers(r, "buffers", &c->buffer_count);
    c->constants = read_buffers(r, "constants", &c->constant_count);
    c->args_node = yaml_get(root, "args") ? yaml_get(root, "args") : c->kernel_node;
    const struct yaml_node *item = read_list(r, "args", &c->arg_count);
    c->args = ARENA_NEW(&c->arena, struct case_arg, c->arg_count + 1);
    for (i = 0; item; item = item->next)
        read_arg(r, &c->args[i++], item);
    item = read_list(r, "check", &c->check_count);
    c->checks = ARENA_NEW(&c->arena, struct case_check, c->check_count + 1);
    for (i = 0; item; item = item->next)
        read_check(r, &c->checks[i++], item);
}

int case_parse(struct launch_case *c, const char *file, const char *text, size_t length, struct diag_sink *sink)
{
    *c = (struct launch_case){0};
    struct reader r = {.c = c, .sink = sink};
    char *copy = ARENA_NEW(&c->arena, char, length + 1);
    memcpy(copy, text, length);
    if (yaml_parse(&c->doc, &c->arena, arena_strdup(&c->arena, file), copy, length, sink) < 0)
        return -1;
    read_case(&r);
    return r.rc;
}

void case_free(struct launch_case *c)
{
    arena_free(&c->arena);
    *c = (struct launch_case){0};
}

const char *case_path(struct launch_case *c, const char *path)
{
    const char *slash = strrchr(c->doc.file, '/');
    if (*path == '/' || !slash)
        return path;
    return arena_printf(&c->arena, "%.*s/%s", (int)(slash - c->doc.file), c->doc.file, path);
}

/* Element i of a buffer, before conversion to its type. x: the LCG's state. */
static uint32_t element(const struct case_buffer *b, uint64_t i, uint32_t *x)
{
    switch (b->fill) {
    case CASE_CONST:
        return (uint32_t)b->a;
    case CASE_IOTA:
        return (uint32_t)b->a + (uint32_t)b->b * (uint32_t)i;
    case CASE_LCG:
        *x = UINT32_C(1664525) * *x + UINT32_C(1013904223);
        return (*x >> 8) % (uint32_t)b->b;
    default:
        return 0;
    }
}

void case_fill_buffer(const struct case_buffer *buffer, const void *content, void *to)
{
    if (buffer->fill == CASE_FILE) {
        memcpy(to, content, buffer->count * 4);
        return;
    }
    uint32_t x = (uint32_t)buffer->a;
    /* A constant's bits are of the buffer's type already; counted and random values are whole numbers. */
    bool convert = buffer->type == CASE_F32 && buffer->fill != CASE_CONST;
    for (uint64_t i = 0; i < buffer->count; i++) {
        uint32_t value = element(buffer, i, &x);
        float number = buffer->fill == CASE_IOTA ? (float)(int32_t)value : (float)value;
        memcpy((char *)to + i * 4, convert ? (void *)&number : (void *)&value, 4);
    }
}

bool case_check_holds(const struct case_check *check, const void *data, uint64_t bytes, uint32_t *found)
{
    uint32_t word;
    *found = 0;
    if (!check->is_sum)
        *found = (uint32_t)crc32_z(0, data, bytes);
    for (uint64_t i = 0; check->is_sum && i + 4 <= bytes; i += 4) {
        memcpy(&word, (const char *)data + i, 4);
        *found += word;
    }
    return *found == check->expected;
}
