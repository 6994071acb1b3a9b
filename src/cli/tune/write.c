/* The machine file with the fitted values. Of a user's file the lines of these change, or are added, and all else stays
 * as it is; of a machine that comes with Lockstep it says what differs. */
#include <math.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "config/yaml.h"

/* A file on its way: its lines, some of them changed, with others behind them. */
struct lines {
    struct arena *arena;
    const char **text;
    struct strbuf *behind; /* of each */
    unsigned count;
};

static void add_comment(const struct tune *t, const struct tune_param *p, struct strbuf *out)
{
    struct tune_errors e = tune_errors_of(t, p);
    strbuf_add(out, "# [F] ");
    tune_add_basis(t, p, out);
    strbuf_addf(out, " (%u row%s, %.1f%% off, %.1f%% before", e.fitted, e.fitted == 1 ? "" : "s", e.fitted_now,
                e.fitted_first);
    if (e.left_out)
        strbuf_addf(out, "; %u left out, %.1f%%, %.1f%% before", e.left_out, e.left_now, e.left_first);
    strbuf_add(out, ")");
}

/* "  name: value      # comment" */
static void add_line(const struct tune *t, const struct tune_param *p, size_t indent, struct strbuf *out)
{
    struct strbuf value = {0}, line = {0};
    tune_format(p, p->value, &value);
    strbuf_addf(&line, "%*s%s: %s", (int)indent, "", p->desc->name, strbuf_text(&value));
    strbuf_addf(out, "%-33s ", strbuf_text(&line));
    add_comment(t, p, out);
    strbuf_free(&value);
    strbuf_free(&line);
}

static const char *group_of(const struct tune_param *p, struct arena *arena)
{
    return arena_strndup(arena, p->name, strcspn(p->name, "."));
}

/* The parameters of a group that have rows, in the order in which they were asked for. */
static void add_group(const struct tune *t, const char *group, struct strbuf *out)
{
    struct arena arena = {0};
    bool begun = false;
    for (size_t i = 0; i < t->params.count; i++) {
        const struct tune_param *p = &t->params.items[i];
        if (!p->fitted || strcmp(group_of(p, &arena), group) != 0)
            continue;
        if (!begun)
            strbuf_addf(out, "\n%s:\n", group);
        begun = true;
        add_line(t, p, 2, out);
        strbuf_add(out, "\n");
    }
    arena_free(&arena);
}

static int write_based(const struct tune *t, struct strbuf *out)
{
    strbuf_addf(out, "base: %s\ndoc: %s, fitted by lockstep tune\n", t->held.machine, t->machine.doc);
    for (unsigned g = 0; g < MACHINE_GROUPS; g++)
        add_group(t, t->machine.groups[g].name, out);
    return 0;
}

static void cut_lines(struct lines *l, const char *text)
{
    unsigned count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    l->text = ARENA_NEW(l->arena, const char *, count);
    l->behind = ARENA_NEW(l->arena, struct strbuf, count);
    while (*text) {
        size_t length = strcspn(text, "\n");
        l->text[l->count++] = arena_strndup(l->arena, text, length);
        text += length + (text[length] == '\n');
    }
}

/* A line that has the parameter alone: its name, a value and perhaps a comment. */
static bool is_plain(const char *line, const struct tune_param *p)
{
    const char *at = line + strspn(line, " ");
    size_t name = strlen(p->desc->name);
    if (strncmp(at, p->desc->name, name) != 0 || at[name] != ':')
        return false;
    at += name + 1;
    at += strspn(at, " \"'");
    at += strcspn(at, " \"'#{}[],");
    at += strspn(at, " \"'");
    return !*at || *at == '#';
}

static void change_line(const struct tune *t, const struct tune_param *p, struct lines *l, unsigned line)
{
    struct strbuf text = {0};
    add_line(t, p, strspn(l->text[line], " "), &text);
    l->text[line] = arena_strdup(l->arena, strbuf_text(&text));
    strbuf_free(&text);
}

/* Adds the parameter behind the last of its group. */
static void append_line(const struct tune *t, const struct tune_param *p, struct lines *l,
                        const struct yaml_node *group)
{
    const struct yaml_node *last = group->children;
    while (last->next)
        last = last->next;
    unsigned line = last->key->line - 1;
    strbuf_add(&l->behind[line], "\n");
    add_line(t, p, last->key->column - 1, &l->behind[line]);
}

static int place_param(const struct tune *t, const struct tune_param *p, const struct yaml_doc *doc, struct lines *l)
{
    const char *name = group_of(p, l->arena);
    const struct yaml_node *group = yaml_get(doc->root, name), *value = yaml_get(group, p->desc->name);
    if (!group || !group->children)
        return 0; /* it goes to the end */
    const struct yaml_node *place = value ? value : group->children;
    const char *line = l->text[(value ? value->key->line : place->key->line) - 1];
    if (value ? !is_plain(line, p) : strchr(line, '{') != NULL)
        return yaml_error(doc, place, t->session.sink, "give each parameter a line of its own",
                          "%s cannot be changed here", p->name);
    if (value)
        change_line(t, p, l, value->key->line - 1);
    else
        append_line(t, p, l, group);
    return 0;
}

/* Groups that the file does not have come behind all else. */
static void add_new_groups(const struct tune *t, const struct yaml_doc *doc, struct strbuf *out)
{
    for (unsigned g = 0; g < MACHINE_GROUPS; g++) {
        const struct yaml_node *group = yaml_get(doc->root, t->machine.groups[g].name);
        if (!group || !group->children)
            add_group(t, t->machine.groups[g].name, out);
    }
}

static int write_changed(const struct tune *t, const char *file, struct strbuf *out)
{
    struct arena arena = {0};
    struct yaml_doc doc;
    struct strbuf text = {0};
    struct lines l = {.arena = &arena};
    int rc = cli_read_file(file, &text, t->session.sink);
    if (rc == 0)
        rc = yaml_parse(&doc, &arena, file, strbuf_text(&text), text.length, t->session.sink);
    if (rc == 0)
        cut_lines(&l, strbuf_text(&text));
    for (size_t i = 0; rc == 0 && i < t->params.count; i++)
        if (t->params.items[i].fitted)
            rc |= place_param(t, &t->params.items[i], &doc, &l);
    for (unsigned i = 0; i < l.count; i++) {
        strbuf_addf(out, "%s%s\n", l.text[i], strbuf_text(&l.behind[i]));
        strbuf_free(&l.behind[i]);
    }
    if (rc == 0)
        add_new_groups(t, &doc, out);
    strbuf_free(&text);
    arena_free(&arena);
    return rc;
}

int tune_machine_file(const struct tune *t, struct strbuf *out)
{
    return machine_is_file(t->held.machine) ? write_changed(t, t->held.machine, out) : write_based(t, out);
}
