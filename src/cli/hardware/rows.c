/* Rows of measurements: see rows.h. */
#include "cli/hardware/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fidelity.h"

const struct hardware_kind_info hardware_kinds[HARDWARE_KINDS] = {
#define HARDWARE_KIND(name, aim, doc, use) {#name, aim, doc, use},
#include "cli/hardware/kinds.def"
};

const char *const hardware_programs[] = {
#define HARDWARE_PROGRAM(name) #name,
#include "cli/hardware/kinds.def"
    NULL};

static const struct {
    const char *program, *what, *parameter, *unit; /* NULL: any */
    enum hardware_kind kind;
} kinds_of_rows[] = {
#define HARDWARE_ROWS(program, what, parameter, unit, kind) {#program, what, parameter, unit, HARDWARE_##kind},
#include "cli/hardware/kinds.def"
};

enum hardware_kind hardware_kind_named(const char *name, size_t length)
{
    for (unsigned i = 0; i < HARDWARE_KINDS; i++)
        if (strlen(hardware_kinds[i].name) == length && strncmp(hardware_kinds[i].name, name, length) == 0)
            return (enum hardware_kind)i;
    return HARDWARE_none;
}

enum hardware_kind hardware_kind_of(const struct hardware_row *row)
{
    for (size_t i = 0; i < sizeof kinds_of_rows / sizeof *kinds_of_rows; i++)
        if (strcmp(kinds_of_rows[i].program, row->program) == 0 &&
            strncmp(kinds_of_rows[i].what, row->what, strlen(kinds_of_rows[i].what)) == 0 &&
            (!kinds_of_rows[i].parameter || strcmp(kinds_of_rows[i].parameter, row->parameter) == 0) &&
            (!kinds_of_rows[i].unit || strcmp(kinds_of_rows[i].unit, row->unit) == 0))
            return kinds_of_rows[i].kind;
    return HARDWARE_none;
}

/* The columns that are read, those that have to be there first. */
enum column { WHAT, TYPE, PARAMETER, UNIT, MEDIAN, NEEDED, SOURCE = NEEDED, CONDITIONS, COLUMNS };
static const char *const column_names[COLUMNS] = {"what", "type", "parameter", "unit", "median", "source", "conditions"};

#define MOST_COLUMNS 16

struct reader {
    struct hardware_rows *rows;
    const char *program;
    struct diag_pos pos;
    struct diag_sink *sink;
    bool begun;              /* the heading was met */
    const char *heading;     /* the line */
    unsigned count;          /* of its columns */
    unsigned where[COLUMNS]; /* MOST_COLUMNS: there is none */
};

/* Cuts a line at its commas, but for those in quotes, which are taken off; returns how many fields it has, those beyond
 * the last left out. */
static unsigned cut(char *line, const char *fields[MOST_COLUMNS])
{
    unsigned count = 0;
    char *from = line, *to = line;
    for (bool more = true; more; count++) {
        bool quoted = false;
        if (count < MOST_COLUMNS)
            fields[count] = to;
        for (; *from && (quoted || *from != ','); from++) {
            if (*from != '"')
                *to++ = *from;
            else if (quoted && from[1] == '"')
                *to++ = *from++;
            else
                quoted = !quoted;
        }
        more = *from++ == ',';
        *to++ = '\0';
    }
    return count;
}

static int take_heading(struct reader *r, char *line)
{
    const char *fields[MOST_COLUMNS];
    r->heading = arena_strdup(&r->rows->arena, line);
    r->begun = true;
    r->count = cut(line, fields);
    if (r->count > MOST_COLUMNS)
        return diag_error(r->sink, r->pos, NULL, "more than %d columns", MOST_COLUMNS);
    for (unsigned i = 0; i < COLUMNS; i++) {
        r->where[i] = MOST_COLUMNS;
        for (unsigned k = 0; k < r->count; k++)
            if (strcmp(fields[k], column_names[i]) == 0)
                r->where[i] = k;
        if (i < NEEDED && r->where[i] == MOST_COLUMNS)
            return diag_error(r->sink, r->pos, NULL, "no measurements: a column '%s' is missing", column_names[i]);
    }
    return 0;
}

static const char *key_of(const struct hardware_row *row, struct strbuf *key)
{
    strbuf_addf(key, "%s\n%s\n%s\n%s\n%s", row->program, row->what, row->type, row->parameter, row->unit);
    return strbuf_text(key);
}

static int add_row(struct reader *r, const struct hardware_row *row)
{
    struct strbuf text = {0};
    const char *key = arena_strdup(&r->rows->arena, key_of(row, &text));
    bool twice = strmap_get(&r->rows->places, key, text.length) != STRMAP_NONE;
    if (!twice) {
        strmap_put(&r->rows->places, key, text.length, (uint32_t)r->rows->list.count);
        vec_push(&r->rows->list, *row);
    }
    strbuf_free(&text);
    return twice ? diag_error(r->sink, r->pos, NULL, "a row is there twice: %s, %s, %s, %s", row->what, row->type,
                              row->parameter, row->unit)
                 : 0;
}

static int take_line(struct reader *r, char *line)
{
    const char *fields[MOST_COLUMNS], *text[COLUMNS];
    char *end;
    if (*line == '#' || !*line || (r->begun && strcmp(line, r->heading) == 0))
        return 0;
    if (!r->begun)
        return take_heading(r, line);
    if (cut(line, fields) != r->count)
        return diag_error(r->sink, r->pos, NULL, "a row without the %u columns of the heading", r->count);
    for (unsigned i = 0; i < COLUMNS; i++)
        text[i] = r->where[i] < MOST_COLUMNS ? fields[r->where[i]] : "";
    double value = strtod(text[MEDIAN], &end);
    if (end == text[MEDIAN] || *end || !isfinite(value))
        return diag_error(r->sink, r->pos, NULL, "'%s' is not a number", text[MEDIAN]);
    const struct hardware_row row = {r->program, text[WHAT],   text[TYPE],      text[PARAMETER],
                                     text[UNIT], value,        text[SOURCE],    text[CONDITIONS]};
    return add_row(r, &row);
}

int hardware_parse(struct hardware_rows *rows, const char *program, const char *file, const char *text,
                   struct diag_sink *sink)
{
    struct reader r = {.rows = rows, .pos = {file, 1, 0}, .sink = sink};
    r.program = arena_strdup(&rows->arena, program);
    for (const char *at = text; *at; r.pos.line++) {
        size_t length = strcspn(at, "\n");
        char *line = arena_strndup(&rows->arena, at, length);
        at += length + (at[length] == '\n');
        if (take_line(&r, line) < 0)
            return -1;
    }
    return 0;
}

void hardware_rows_free(struct hardware_rows *rows)
{
    vec_free(&rows->list);
    strmap_free(&rows->places);
    arena_free(&rows->arena);
}

const struct hardware_row *hardware_find(const struct hardware_rows *rows, const struct hardware_row *like)
{
    struct strbuf key = {0};
    key_of(like, &key);
    uint32_t at = strmap_get(&rows->places, strbuf_text(&key), key.length);
    strbuf_free(&key);
    return at == STRMAP_NONE ? NULL : &rows->list.items[at];
}

void hardware_join(const struct hardware_rows *card, const struct hardware_rows *here, unsigned kinds,
                   hardware_pairs *pairs)
{
    for (size_t i = 0; i < card->list.count; i++) {
        const struct hardware_row *there = &card->list.items[i], *same = hardware_find(here, there);
        enum hardware_kind kind = hardware_kind_of(there);
        if (kind == HARDWARE_none || !(kinds >> kind & 1) || !same || !(there->value > 0) || !(same->value > 0))
            continue;
        double error = fidelity_error((struct fidelity_pair){same->value, there->value});
        vec_push(pairs, (struct hardware_pair){there, same, kind, error});
    }
}

/* Keeps the worst pairs in their order. */
static void note_worst(struct hardware_score *score, const struct hardware_pair *pair)
{
    for (unsigned i = 0; i < HARDWARE_WORST; i++)
        if (!score->worst[i] || score->worst[i]->error < pair->error) {
            const struct hardware_pair *less = score->worst[i];
            score->worst[i] = pair;
            if (!less)
                return;
            pair = less;
        }
}

struct hardware_score hardware_score(const struct hardware_rows *card, const hardware_pairs *pairs,
                                     enum hardware_kind kind)
{
    struct hardware_score score = {0};
    VEC(struct fidelity_pair) values = {0};
    for (size_t i = 0; i < card->list.count; i++)
        score.rows += hardware_kind_of(&card->list.items[i]) == kind;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct hardware_pair *pair = &pairs->items[i];
        if (pair->kind != kind)
            continue;
        score.count++;
        score.within += pair->error <= hardware_kinds[kind].aim + HARDWARE_ROUNDING;
        note_worst(&score, pair);
        vec_push(&values, (struct fidelity_pair){pair->here->value, pair->there->value});
    }
    if (score.count) {
        struct fidelity_summary s = fidelity_summarize(values.items, values.count);
        score.mean_error = s.mean_error;
        score.ratio = s.geometric_mean;
        score.correlation = s.correlation;
    }
    vec_free(&values);
    return score;
}
