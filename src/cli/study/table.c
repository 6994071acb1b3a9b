/* Reading results.csv: see table.h. */
#include "cli/study/table.h"

#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

struct fields {
    VEC(const char *) items;
};

/* The field at *at, which goes to its end: as it is, or in quotes, with two for each within. */
static const char *take_field(struct arena *arena, const char **at)
{
    struct strbuf text = {0};
    const char *c = *at;
    bool quoted = *c == '"';
    for (c += quoted; *c && (quoted || (*c != ',' && *c != '\n')); c++) {
        if (quoted && *c == '"' && *++c != '"')
            break;
        strbuf_addn(&text, c, 1);
    }
    const char *field = arena_strdup(arena, strbuf_text(&text));
    strbuf_free(&text);
    *at = c;
    return field;
}

/* The fields of the line at *at, which goes to the next one. */
static void take_line(struct arena *arena, const char **at, struct fields *fields)
{
    fields->items.count = 0;
    do {
        *at += fields->items.count > 0;
        vec_push(&fields->items, take_field(arena, at));
    } while (**at == ',');
    *at += strcspn(*at, "\n");
    *at += **at == '\n';
}

static const char *const *keep(struct arena *arena, const struct fields *fields)
{
    const char **kept = ARENA_NEW(arena, const char *, fields->items.count + 1);
    memcpy(kept, fields->items.items, fields->items.count * sizeof *kept);
    return kept;
}

int study_table_read(struct study_table *table, const char *path, struct arena *arena, struct diag_sink *sink)
{
    struct strbuf text = {0};
    struct fields fields = {{0}};
    *table = (struct study_table){.path = path};
    int rc = cli_read_file(path, &text, sink);
    const char *at = strbuf_text(&text);
    for (unsigned line = 1; rc == 0 && *at; line++) {
        take_line(arena, &at, &fields);
        if (line == 1) {
            table->columns = fields.items.count;
            table->names = keep(arena, &fields);
        } else if (fields.items.count == table->columns) {
            vec_push(&table->rows, keep(arena, &fields));
        } else {
            rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s: line %u has %zu values for %zu columns", path, line,
                            fields.items.count, table->columns);
        }
    }
    vec_free(&fields.items);
    strbuf_free(&text);
    return rc;
}

void study_table_free(struct study_table *table)
{
    vec_free(&table->rows);
}

size_t study_table_column(const struct study_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->columns && strcmp(table->names[i], name))
        i++;
    return i;
}
