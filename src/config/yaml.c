/* libfyaml's events become a tree of our own. Events are flat, so that nesting is bounded here (YAML_DEPTH) and not by
 * the library's stack; libfyaml's own errors are caught from its printer, which is the only place 0.7 tells their
 * position. */
#include "config/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "base/vec.h"

#define YAML_DEPTH 32

struct builder {
    struct yaml_doc *doc;
    struct arena *arena;
    struct diag_sink *sink;
    int rc;
    unsigned documents, depth;
    struct {
        struct yaml_node *node, *last; /* an open sequence or mapping, its newest child */
        const struct yaml_node *key;   /* a mapping's key whose value comes next */
    } open[YAML_DEPTH];
};

const char *yaml_kind_name(enum yaml_kind kind)
{
    static const char *const names[] = {"a single value", "a sequence", "a mapping"};
    return names[kind];
}

/* Line number `line` of the document, copied into out; NULL when there is none. */
static const char *source_line(const struct yaml_doc *doc, unsigned line, struct strbuf *out)
{
    if (!line || line > doc->line_count)
        return NULL;
    const char *at = doc->text + doc->lines[line - 1], *end = doc->text + doc->length;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline ? newline : end) - at);
    length = strnlen(at, length < 300 ? length : 300);
    strbuf_addn(out, at, length);
    return strbuf_text(out);
}

static void error_at(const struct yaml_doc *doc, const struct diag *what, struct diag_sink *sink)
{
    struct strbuf line = {0};
    struct diag d = *what;
    d.severity = DIAG_ERROR;
    d.pos.file = doc->file;
    d.source_line = source_line(doc, d.pos.line, &line);
    diag_add(sink, &d);
    strbuf_free(&line);
}

int yaml_error(const struct yaml_doc *doc, const struct yaml_node *node, struct diag_sink *sink, const char *hint,
               const char *format, ...)
{
    struct strbuf message = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&message, format, ap);
    va_end(ap);
    struct diag d = {.pos = {NULL, node->line, node->column}, .message = strbuf_text(&message), .hint = hint};
    d.span = node->kind == YAML_SCALAR && node->text ? (unsigned)strnlen(node->text, 80) : 1;
    error_at(doc, &d, sink);
    strbuf_free(&message);
    return -1;
}

const char *yaml_source_line(const struct yaml_doc *doc, const struct yaml_node *node, struct arena *arena)
{
    struct strbuf line = {0};
    const char *text = source_line(doc, node->line, &line);
    text = text ? arena_strdup(arena, text) : NULL;
    strbuf_free(&line);
    return text;
}

const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key)
{
    if (node->kind != YAML_MAPPING)
        return NULL;
    for (const struct yaml_node *entry = node->children; entry; entry = entry->next)
        if (strcmp(entry->key->text, key) == 0)
            return entry;
    return NULL;
}

static void check_new_key(struct builder *b, const struct yaml_node *mapping, const struct yaml_node *key)
{
    const struct yaml_node *old = yaml_get(mapping, key->text);
    if (old)
        b->rc =
            yaml_error(b->doc, key, b->sink, NULL, "'%s' is given twice; first in line %u", key->text, old->key->line);
}

/* Puts a finished or opening node where it belongs: key or value of the open mapping, element of the open sequence, or
 * root. */
static void place(struct builder *b, struct yaml_node *node)
{
    if (b->depth == 0) {
        b->doc->root = node;
        return;
    }
    struct yaml_node *parent = b->open[b->depth - 1].node, *last = b->open[b->depth - 1].last;
    if (parent->kind == YAML_MAPPING && !b->open[b->depth - 1].key) {
        if (node->kind != YAML_SCALAR)
            b->rc = yaml_error(b->doc, node, b->sink, NULL, "a key must be a single word");
        else
            check_new_key(b, parent, node);
        b->open[b->depth - 1].key = node;
        if (!node->text)
            node->text = "";
        return;
    }
    node->key = b->open[b->depth - 1].key;
    if (node->key && !node->line) { /* a value left out: blame the key */
        node->line = node->key->line;
        node->column = node->key->column;
    }
    if (last)
        last->next = node;
    else
        parent->children = node;
    b->open[b->depth - 1].last = node;
    b->open[b->depth - 1].key = NULL;
}

static struct yaml_node *new_node(struct builder *b, enum yaml_kind kind, struct fy_token *token)
{
    struct yaml_node *node = ARENA_NEW(b->arena, struct yaml_node, 1);
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    node->kind = kind;
    node->line = mark ? (unsigned)mark->line + 1 : 0;
    node->column = mark ? (unsigned)mark->column + 1 : 0;
    return node;
}

static void add_scalar(struct builder *b, struct fy_token *token)
{
    struct yaml_node *node = new_node(b, YAML_SCALAR, token);
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    node->quoted = style != FYSS_PLAIN;
    if ((style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && node->column > 1)
        node->column--; /* the mark stands behind the quote */
    node->text = text ? arena_strndup(b->arena, text, length) : "";
    if (text && strlen(node->text) != length)
        b->rc = yaml_error(b->doc, node, b->sink, NULL, "a value must not contain a NUL character");
    place(b, node);
}

static void open_node(struct builder *b, enum yaml_kind kind, struct fy_token *token)
{
    struct yaml_node *node = new_node(b, kind, token);
    if (b->depth == YAML_DEPTH) {
        b->rc = yaml_error(b->doc, node, b->sink, NULL, "more than %d levels of nesting", YAML_DEPTH);
        return;
    }
    place(b, node);
    b->open[b->depth].node = node;
    b->open[b->depth].last = NULL;
    b->open[b->depth].key = NULL;
    b->depth++;
}

static void refuse(struct builder *b, struct fy_token *token, const char *what)
{
    if (token)
        b->rc = yaml_error(b->doc, new_node(b, YAML_SCALAR, token), b->sink, NULL, "%s are not supported here", what);
}

/* False: stop reading. */
static bool take_event(struct builder *b, const struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++ > 0)
            b->rc =
                diag_error(b->sink, (struct diag_pos){b->doc->file, 0, 0}, NULL, "more than one document in the file");
        return b->documents == 1;
    case FYET_SCALAR:
        refuse(b, event->scalar.anchor, "anchors");
        refuse(b, event->scalar.tag, "tags");
        add_scalar(b, event->scalar.value);
        break;
    case FYET_MAPPING_START:
        refuse(b, event->mapping_start.anchor, "anchors");
        refuse(b, event->mapping_start.tag, "tags");
        open_node(b, YAML_MAPPING, event->mapping_start.mapping_start);
        break;
    case FYET_SEQUENCE_START:
        refuse(b, event->sequence_start.anchor, "anchors");
        refuse(b, event->sequence_start.tag, "tags");
        open_node(b, YAML_SEQUENCE, event->sequence_start.sequence_start);
        break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        b->depth--;
        break;
    case FYET_ALIAS:
        refuse(b, event->alias.anchor, "aliases");
        return false;
    default:
        break;
    }
    return b->rc == 0 || b->sink == NULL || b->sink->errors < 20;
}

/* libfyaml prints "<memory-...>:LINE:COLUMN: error: MESSAGE" and then the source line; the first is an error of ours.
 */
static void take_message(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    struct builder *b = user;
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
    const char *at = strstr(line, ">:"), *message = strstr(line, "error: ");
    struct diag d = {0};
    if (!message || b->rc < 0)
        return;
    if (at)
        sscanf(at, ">:%u:%u", &d.pos.line, &d.pos.column);
    line[strcspn(line, "\n")] = '\0';
    d.message = message + strlen("error: ");
    error_at(b->doc, &d, b->sink);
    b->rc = -1;
}

/* The length of the UTF-8 character at `at`, 0 when it is none (overlong forms and surrogates pass). */
static size_t character_length(const unsigned char *at, size_t left)
{
    size_t length = *at < 0x80 ? 1 : *at < 0xC2 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (i >= left || (at[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* libfyaml takes what is no UTF-8 for the end of the text, without a word. */
static int check_text(const struct yaml_doc *doc, struct diag_sink *sink)
{
    struct diag_pos pos = {doc->file, 1, 1};
    for (size_t i = 0, length; i < doc->length; i += length, pos.column++) {
        length = character_length((const unsigned char *)doc->text + i, doc->length - i);
        if (!length)
            return diag_error(sink, pos, NULL, "not a YAML document: the text is not UTF-8");
        if (doc->text[i] == '\n') {
            pos.line++;
            pos.column = 0;
        }
    }
    return 0;
}

static void read_events(struct builder *b, struct fy_parser *parser)
{
    bool more = true;
    struct fy_event *event;
    while (more && (event = fy_parser_parse(parser)) != NULL) {
        bool too_deep =
            b->depth == YAML_DEPTH && (event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START);
        more = take_event(b, event) && !too_deep;
        fy_parser_event_free(parser, event);
    }
    if (fy_parser_get_stream_error(parser) && b->rc == 0)
        b->rc = diag_error(b->sink, (struct diag_pos){b->doc->file, 0, 0}, NULL, "not a YAML document");
}

static void find_lines(struct yaml_doc *doc, struct arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < doc->length; i++)
        count += doc->text[i] == '\n';
    size_t *lines = ARENA_NEW(arena, size_t, count + 1);
    for (size_t at = 0; at < doc->length; doc->line_count++) {
        const char *newline = memchr(doc->text + at, '\n', doc->length - at);
        lines[doc->line_count] = at;
        at = newline ? (size_t)(newline - doc->text) + 1 : doc->length;
    }
    doc->lines = lines;
}

int yaml_parse(struct yaml_doc *doc, struct arena *arena, const char *file, const char *text, size_t length,
               struct diag_sink *sink)
{
    *doc = (struct yaml_doc){.file = file, .text = text, .length = length};
    find_lines(doc, arena);
    struct builder b = {.doc = doc, .arena = arena, .sink = sink, .rc = check_text(doc, sink)};
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = take_message;
    diag_cfg.user = &b;
    diag_cfg.colorize = diag_cfg.show_source = diag_cfg.show_position = diag_cfg.show_type = diag_cfg.show_module =
        false;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    struct fy_parse_cfg cfg = {.flags = FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
    if (!parser || (length > 0 && fy_parser_set_string(parser, text, length) != 0))
        b.rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s: cannot start the YAML parser", file);
    else if (length > 0 && b.rc == 0)
        read_events(&b, parser);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (!doc->root || (doc->root->kind == YAML_SCALAR && !*doc->root->text)) {
        doc->root = ARENA_NEW(arena, struct yaml_node, 1);
        *doc->root = (struct yaml_node){.kind = YAML_MAPPING, .line = 1, .column = 1};
    }
    return b.rc;
}

bool config_parse_u64(const char *text, uint64_t *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] != '\0')
        return false;
    errno = 0;
    *value = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}
