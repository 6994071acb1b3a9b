/* Reading the help of a command: see help.h. Lines that begin with "usage:" and the forms below it are the synopsis;
 * two spaces and a dash or a word begin an entry, whose meaning stands behind a gap and in the lines below that are
 * indented further; lines with several gaps are a table; the rest are paragraphs. */
#include <stdbool.h>
#include <string.h>

#include "cli/help.h"

#define ENTRY_INDENT 2
#define MEANING_COLUMN 25 /* where meanings begin as long as no line has said otherwise */

struct reading {
    struct help *help;
    size_t column; /* of the last meaning that a gap separates from its term */
    bool apart;    /* an empty line, or nothing, stands before */
};

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

/* The place of the first gap of two spaces or more behind the indentation, or NULL. */
static const char *gap_in(const char *line)
{
    return strstr(line + indent_of(line), "  ");
}

static bool has_two_gaps(const char *line)
{
    const char *gap = gap_in(line);
    return gap && gap_in(gap);
}

static struct help_part *last_part(const struct reading *r)
{
    return r->help->parts.count ? &r->help->parts.items[r->help->parts.count - 1] : NULL;
}

static void add_part(struct reading *r, enum help_kind kind, const char *term, const char *text)
{
    const struct help_part part = {kind, arena_strdup(&r->help->arena, term), arena_strdup(&r->help->arena, text)};
    vec_push(&r->help->parts, part);
}

static void go_on(struct reading *r, const char **member, const char *between, const char *line)
{
    *member = arena_printf(&r->help->arena, "%s%s%s", *member, **member ? between : "", line);
}

/* Where the meaning begins in the line of an entry; its end when there is none yet. */
static const char *meaning_in(struct reading *r, const char *line)
{
    const char *gap = gap_in(line);
    if (gap) {
        const char *meaning = gap + indent_of(gap);
        r->column = (size_t)(meaning - line);
        return meaning;
    }
    if (strlen(line) > r->column && line[r->column - 1] == ' ' && line[r->column] != '-')
        return line + r->column;
    return line + strlen(line);
}

static void read_entry(struct reading *r, const char *line)
{
    struct help_part *former = r->apart ? NULL : last_part(r);
    const char *meaning = meaning_in(r, line), *end = meaning;
    while (end > line && end[-1] == ' ')
        end--;
    const char *term = arena_strndup(&r->help->arena, line + ENTRY_INDENT, (size_t)(end - line) - ENTRY_INDENT);
    if (former && former->kind == HELP_ENTRY && !*former->text) { /* a term that goes on */
        go_on(r, &former->term, " ", term);
        former->text = arena_strdup(&r->help->arena, meaning);
        return;
    }
    add_part(r, HELP_ENTRY, term, meaning);
}

static void read_line(struct reading *r, const char *line)
{
    static const char usage[] = "usage: ";
    size_t indent = indent_of(line);
    struct help_part *former = last_part(r);
    bool goes_on = former && !r->apart, option = indent == ENTRY_INDENT && line[indent] == '-';
    if (strncmp(line, usage, strlen(usage)) == 0)
        add_part(r, HELP_SYNOPSIS, "", line + strlen(usage));
    else if (goes_on && former->kind == HELP_SYNOPSIS && indent == strlen(usage))
        add_part(r, HELP_SYNOPSIS, "", line + indent);
    else if (option)
        read_entry(r, line);
    else if (goes_on && former->kind == HELP_TABLE)
        go_on(r, &former->text, "\n", line);
    else if (goes_on && former->kind == HELP_ENTRY && indent > ENTRY_INDENT)
        go_on(r, &former->text, " ", line + indent);
    else if (has_two_gaps(line) || (indent == 0 && gap_in(line)))
        add_part(r, HELP_TABLE, "", line);
    else if (indent == ENTRY_INDENT && gap_in(line))
        read_entry(r, line);
    else if (goes_on && former->kind == HELP_TEXT)
        go_on(r, &former->text, " ", line + indent);
    else
        add_part(r, HELP_TEXT, "", line + indent);
    r->apart = false;
}

void help_read(struct help *help, const char *usage)
{
    *help = (struct help){0};
    struct reading r = {.help = help, .column = MEANING_COLUMN, .apart = true};
    while (*usage) {
        size_t length = strcspn(usage, "\n");
        const char *line = arena_strndup(&help->arena, usage, length);
        if (*line)
            read_line(&r, line);
        else
            r.apart = true;
        usage += length + (usage[length] == '\n');
    }
}

void help_free(struct help *help)
{
    vec_free(&help->parts);
    arena_free(&help->arena);
}

size_t help_next_option(const char **at, const char **word, const char **value, size_t *value_length)
{
    static const char between[] = " ,";
    const char *p = *at;
    *value = NULL;
    *value_length = 0;
    while (*p && *p != '-')
        p += strcspn(p, between) + strspn(p + strcspn(p, between), between);
    size_t length = strcspn(p, between);
    *word = p;
    if (p[length] == ' ' && p[length + 1] && p[length + 1] != '-') {
        *value = p + length + 1;
        *value_length = strcspn(*value, between);
    }
    *at = p + length + strspn(p + length, between);
    return length;
}

static bool is_that(const char *word, size_t length, const char *option)
{
    size_t n = strlen(option);
    return strncmp(word, option, n) == 0 && (length == n || option[n - 1] == '=');
}

const struct help_part *help_find(const struct help *help, const char *option)
{
    for (size_t i = 0; i < help->parts.count; i++) {
        const struct help_part *part = &help->parts.items[i];
        const char *at = part->term, *word, *value;
        size_t length, value_length;
        while (part->kind == HELP_ENTRY && (length = help_next_option(&at, &word, &value, &value_length)))
            if (is_that(word, length, option))
                return part;
    }
    return NULL;
}
