/* Carries the chain of inlined calls from LLVM IR into PTX.
 *
 * The printers of LLVM 14 to 19 write a `.loc` for the innermost line alone. So each debug location of the optimized IR
 * is given a number in place of its line, which the printer then writes as if it were one. When the PTX is repaired,
 * each such line is replaced by what it stands for: `.loc` with `function_name` and `inlined_at` (PTX ISA, "Debugging
 * Directives: .loc"), behind those of the calls around it. The numbers are those of the metadata nodes, above every
 * line that a source has; functions have one for the line of their beginning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/cc.h"

#define FIRST_NUMBER (1u << 25)
#define MOST_NODES (1u << 25)
#define MOST_FILES 65536 /* numbers of `.file` that Lockstep reads */

enum { NONE, LOCATION, SUBPROGRAM, BLOCK, SOURCE };

/* A metadata node. */
struct cc_place {
    uint8_t kind;
    uint32_t line, column;
    uint32_t scope, inlined; /* LOCATION, BLOCK: node + 1; 0: none */
    uint32_t source;         /* SUBPROGRAM, BLOCK: the node of its file + 1 */
    uint32_t number;         /* SOURCE: of its `.file`; SUBPROGRAM: of its name; 0: none yet */
    const char *name, *directory;
};

/* Keeps what was said of a place, of the last one with its hash. */
struct cc_said {
    bool known, ambiguous; /* ambiguous: at different times it was said to be inlined in different calls */
    uint32_t file, line, column, inlined;
};
#define SAID 8192

/* The value of a field of `name: "text", line: 3, ...)`, or NULL. */
static const char *field(const char *at, const char *key)
{
    size_t n = strlen(key);
    while (*at && *at != ')') {
        if (strncmp(at, key, n) == 0 && strncmp(at + n, ": ", 2) == 0)
            return at + n + 2;
        while (*at && *at != ',' && *at != ')') {
            if (*at == '"')
                at += 1 + strcspn(at + 1, "\"");
            at += *at != '\0';
        }
        at += *at == ',';
        at += *at == ' ';
    }
    return NULL;
}

static uint32_t number_field(const char *fields, const char *key)
{
    const char *value = field(fields, key);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

/* `!12` as 13; 0 when there is none. */
static uint32_t node_field(const char *fields, const char *key)
{
    const char *value = field(fields, key);
    unsigned long node = value && *value == '!' ? strtoul(value + 1, NULL, 10) : MOST_NODES;
    return node < MOST_NODES ? (uint32_t)node + 1 : 0;
}

/* A string, of which `\22` stands for a quote; NULL when there is none or it is empty. */
static const char *text_field(const char *fields, const char *key, struct arena *arena)
{
    const char *value = field(fields, key);
    if (!value || *value != '"' || value[1] == '"')
        return NULL;
    char *text = arena_strndup(arena, value + 1, strcspn(value + 1, "\"")), *to = text;
    unsigned code;
    for (const char *from = text; *from; from++) {
        bool escaped = *from == '\\' && sscanf(from + 1, "%2x", &code) == 1;
        *to++ = escaped ? (char)code : *from;
        from += escaped ? 2 : 0;
    }
    *to = '\0';
    return text;
}

/* The fields of a node of that kind, else NULL: `!12 = distinct !DILocation(line: ...`. */
static const char *fields_of(const char *node, const char *kind)
{
    size_t n = strlen(kind);
    return strncmp(node, kind, n) == 0 && node[n] == '(' ? node + n + 1 : NULL;
}

/* Keeps the node, and returns where the line stands in it that is replaced by a number, or NULL. */
static const char *note_node(struct cc_places *places, const char *node, struct cc_place *to)
{
    const char *fields, *line = NULL;
    if ((fields = fields_of(node, "!DILocation"))) {
        *to =
            (struct cc_place){LOCATION, .line = number_field(fields, "line"), .column = number_field(fields, "column"),
                              .scope = node_field(fields, "scope"), .inlined = node_field(fields, "inlinedAt")};
        line = to->line ? field(fields, "line") : NULL;
    } else if ((fields = fields_of(node, "!DISubprogram"))) {
        const char *name = text_field(fields, "linkageName", &places->arena);
        *to = (struct cc_place){SUBPROGRAM, .line = number_field(fields, "scopeLine"),
                                .source = node_field(fields, "file"),
                                .name = name ? name : text_field(fields, "name", &places->arena)};
        line = to->line ? field(fields, "scopeLine") : NULL;
    } else if ((fields = fields_of(node, "!DILexicalBlock")) || (fields = fields_of(node, "!DILexicalBlockFile"))) {
        *to = (struct cc_place){BLOCK, .scope = node_field(fields, "scope"), .source = node_field(fields, "file")};
    } else if ((fields = fields_of(node, "!DIFile"))) {
        *to = (struct cc_place){SOURCE, .name = text_field(fields, "filename", &places->arena),
                                .directory = text_field(fields, "directory", &places->arena)};
    }
    return line;
}

bool cc_number_ir_line(struct cc_places *places, const char *line, struct strbuf *to)
{
    char *end;
    unsigned long node = line[0] == '!' ? strtoul(line + 1, &end, 10) : MOST_NODES;
    if (node >= MOST_NODES || strncmp(end, " = ", 3) != 0)
        return false;
    end += 3;
    end += strncmp(end, "distinct ", 9) == 0 ? 9 : 0;
    struct cc_place place = {NONE};
    const char *number = note_node(places, end, &place);
    if (place.kind == NONE)
        return false;
    while (places->count <= node)
        vec_push(places, (struct cc_place){NONE});
    places->items[node] = place;
    if (!number)
        return false;
    strbuf_addn(to, line, (size_t)(number - line));
    strbuf_addf(to, "%lu%s", FIRST_NUMBER + node, number + strspn(number, "0123456789"));
    return true;
}

static struct cc_place *node_at(const struct cc_places *places, uint32_t number, uint8_t kind)
{
    struct cc_place *place = number && number <= places->count ? &places->items[number - 1] : NULL;
    return place && (kind == NONE || place->kind == kind) ? place : NULL;
}

/* The file of a location or of a function's beginning. */
static struct cc_place *file_of(const struct cc_places *places, const struct cc_place *place)
{
    const struct cc_place *scope = place->kind == LOCATION ? node_at(places, place->scope, NONE) : place;
    return scope ? node_at(places, scope->source, SOURCE) : NULL;
}

/* `%5 = alloca i8, i64 %4, align 8, !dbg !12` */
static void note_alloca(struct cc_places *places, const char *line)
{
    const char *at = places->has_alloca ? NULL : strstr(line, " = alloca ");
    if (!at || line[0] != ' ' || !(strstr(at, ", i32 %") || strstr(at, ", i64 %")))
        return;
    const char *debug = strstr(at, "!dbg !");
    places->has_alloca = true;
    places->alloca_at = debug ? (uint32_t)strtoul(debug + 6, NULL, 10) + 1 : 0;
}

static int refuse_alloca(struct cc_places *places, struct diag_sink *diags)
{
    const struct cc_place *at = node_at(places, places->alloca_at, LOCATION), *file = at ? file_of(places, at) : NULL;
    struct diag_pos pos = DIAG_NOWHERE;
    if (file && file->name)
        pos = (struct diag_pos){.file = file->name, .line = at->line, .column = at->column};
    return diag_error(diags, pos, "take an array of the largest size that there can be, or malloc() and free()",
                      "device code takes room on the stack (alloca, or an array) of a size known only at run time");
}

int cc_number_ir(struct cc_places *places, const char *path, struct diag_sink *diags)
{
    struct strbuf text = {0}, out = {0};
    int result = file_read(path, FILE_NO_BOUND, &text, diags);
    for (char *line = text.text; result == 0 && line && *line;) {
        size_t n = strcspn(line, "\n");
        bool newline = line[n] == '\n';
        line[n] = '\0';
        note_alloca(places, line);
        if (!cc_number_ir_line(places, line, &out))
            strbuf_add(&out, line);
        strbuf_add(&out, "\n");
        line += n + newline;
    }
    if (result == 0 && places->has_alloca)
        result = refuse_alloca(places, diags);
    if (result == 0)
        result = file_write(path, strbuf_text(&out), out.length, diags);
    strbuf_free(&text);
    strbuf_free(&out);
    return result;
}

/* The function that a location is in, or NULL. */
static struct cc_place *function_of(const struct cc_places *places, const struct cc_place *place)
{
    struct cc_place *scope = node_at(places, place->scope, NONE);
    for (unsigned depth = 0; scope && scope->kind == BLOCK && depth < 1000; depth++)
        scope = node_at(places, scope->scope, NONE);
    return scope && scope->kind == SUBPROGRAM && scope->name ? scope : NULL;
}

/* The number of the `.file` that a location is in; a new one, when the printer needed none. */
static uint32_t file_number(struct cc_places *places, const struct cc_place *place)
{
    struct cc_place *file = file_of(places, place);
    if (!file || !file->name)
        return 0;
    if (!file->number && places->files < MOST_FILES) {
        file->number = ++places->files;
        bool whole = !file->directory || file->name[0] == '/';
        strbuf_addf(&places->tail, "\t.file\t%u \"%s%s%s\"\n", file->number, whole ? "" : file->directory,
                    whole ? "" : "/", file->name);
    }
    return file->number;
}

/* The label of a function's name. */
static uint32_t name_number(struct cc_places *places, struct cc_place *function)
{
    if (!function->number) {
        function->number = ++places->names;
        strbuf_addf(&places->strings, "$L__function%u:\n\t.b8 ", function->number);
        for (const char *c = function->name; *c; c++)
            strbuf_addf(&places->strings, "%u,", (unsigned char)*c);
        strbuf_add(&places->strings, "0\n");
    }
    return function->number;
}

/* The location that a printed line number stands for, or NULL. */
static struct cc_place *numbered(const struct cc_places *places, uint32_t line)
{
    struct cc_place *place = line >= FIRST_NUMBER ? node_at(places, line - FIRST_NUMBER + 1, NONE) : NULL;
    return place && (place->kind == LOCATION || place->kind == SUBPROGRAM) ? place : NULL;
}

static struct cc_said *said_at(const struct cc_places *places, uint32_t file, const struct cc_place *place)
{
    uint64_t hash = hash_add((uint64_t)file << 56, (uint64_t)place->line << 24 ^ place->column);
    return &places->said[hash >> 51];
}

/* True: a reader that goes by what the function's earlier lines said of a call's place knows what that is inlined in.
 */
static bool is_known(const struct cc_places *places, uint32_t file, const struct cc_place *call)
{
    const struct cc_said *s = said_at(places, file, call);
    return s->known && s->file == file && s->line == call->line && s->column == call->column &&
           s->inlined == call->inlined && !s->ambiguous;
}

static void note_said(struct cc_places *places, uint32_t file, const struct cc_place *place)
{
    struct cc_said *s = said_at(places, file, place);
    bool again = s->known && s->file == file && s->line == place->line && s->column == place->column;
    *s = (struct cc_said){true,          again && (s->ambiguous || s->inlined != place->inlined),
                          file,          place->line,
                          place->column, place->inlined};
}

/* A `.loc` for the place, behind those for the calls that it is inlined in, from outside, as far as they are not known.
 * Where the file of a call is not known, nothing is said of it. */
static void add_loc(struct cc_places *places, const struct cc_place *place, unsigned depth, struct strbuf *to)
{
    const struct cc_place *call = node_at(places, place->inlined, LOCATION);
    struct cc_place *function = call ? function_of(places, place) : NULL;
    uint32_t of_call = call ? file_number(places, call) : 0, file = file_number(places, place);
    if (of_call && depth && !is_known(places, of_call, call))
        add_loc(places, call, depth - 1, to);
    strbuf_addf(to, "\t.loc\t%u %u %u", file, place->line, place->column);
    if (of_call && function)
        strbuf_addf(to, ", function_name $L__function%u", name_number(places, function));
    if (of_call)
        strbuf_addf(to, ", inlined_at %u %u %u", of_call, call->line, call->column);
    strbuf_add(to, "\n");
    note_said(places, file, place);
}

void cc_note_files(struct cc_places *places, const char *line)
{
    uint32_t file, number, column;
    bool is_loc = sscanf(line, "\t.loc\t%u %u %u", &file, &number, &column) == 3;
    bool is_file = !is_loc && sscanf(line, "\t.file\t%u", &file) == 1;
    const struct cc_place *place = is_loc ? numbered(places, number) : NULL;
    struct cc_place *of = place ? file_of(places, place) : NULL;
    if (of)
        of->number = file;
    if ((is_loc || is_file) && file > places->files)
        places->files = file;
}

bool cc_restore_loc(struct cc_places *places, const char *line, struct strbuf *to)
{
    uint32_t file, number, column;
    if (!places->said)
        places->said = ARENA_NEW(&places->arena, struct cc_said, SAID);
    if (line[0] == '{' && line[1] == '\0') /* a function begins */
        memset(places->said, 0, SAID * sizeof *places->said);
    if (sscanf(line, "\t.loc\t%u %u %u", &file, &number, &column) != 3)
        return false;
    const struct cc_place *place = numbered(places, number);
    if (!place)
        return false;
    add_loc(places, place, 64, to);
    to->text[--to->length] = '\0';
    return true;
}

void cc_add_places(const struct cc_places *places, struct strbuf *to)
{
    if (places->tail.length)
        strbuf_add(to, places->tail.text);
    if (places->strings.length)
        strbuf_addf(to, "\t.section\t.debug_str\n\t{\n%s\t}\n", places->strings.text);
}

void cc_places_free(struct cc_places *places)
{
    vec_free(places);
    strbuf_free(&places->tail);
    strbuf_free(&places->strings);
    arena_free(&places->arena);
}
