/* The rows that a machine is fitted to: of files (--from), of cards (--card), or of the cards that it is held against.
 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/listing.h"
#include "cli/tune/tune.h"

/* A file has the name of the program that gives such rows. */
static const char *program_of(struct tune *t, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name) > 4 ? strlen(name) - 4 : 0;
    for (unsigned i = 0; hardware_programs[i]; i++)
        if (strlen(hardware_programs[i]) == length && strncmp(hardware_programs[i], name, length) == 0)
            return hardware_programs[i];
    struct strbuf hint = {0};
    strbuf_add(&hint, "a file of rows is named as the program that measures them:");
    for (unsigned i = 0; hardware_programs[i]; i++)
        strbuf_addf(&hint, "%s %s.csv", i ? "," : "", hardware_programs[i]);
    diag_error(t->session.sink, (struct diag_pos){path, 0, 0}, strbuf_text(&hint), "no program measures '%s'", name);
    strbuf_free(&hint);
    return NULL;
}

static struct tune_source *add_source(struct tune *t, const char *name, unsigned kinds)
{
    struct tune_source *source = ARENA_NEW(&t->session.arena, struct tune_source, 1);
    *source = (struct tune_source){.name = name, .kinds = kinds & t->session.kinds};
    vec_push(&t->sources, source);
    return source;
}

static int read_from(struct tune *t, const char *path)
{
    struct strbuf text = {0};
    const char *program = program_of(t, path);
    if (!program || cli_read_file(path, &text, t->session.sink) < 0)
        return -1;
    struct tune_source *source = add_source(t, path, HARDWARE_ALL);
    int rc = hardware_parse(&source->rows, program, path, strbuf_text(&text), t->session.sink);
    if (rc == 0 && source->rows.list.count == 0)
        rc = diag_error(t->session.sink, (struct diag_pos){path, 0, 0}, NULL, "no rows");
    strbuf_free(&text);
    return rc;
}

static int read_card(struct tune *t, const char *card, unsigned kinds)
{
    if (!hardware_card(&t->session.cards, card, t->session.sink))
        return -1;
    return hardware_card_rows(&t->session.cards, card, &add_source(t, card, kinds)->rows, t->session.sink);
}

static int read_sources(struct tune *t)
{
    const struct cli_options *o = t->session.options;
    int rc = 0;
    for (size_t i = 0; i < o->from.count; i++)
        rc |= read_from(t, o->from.items[i]);
    for (char *const *file = o->rest + 1; *file; file++)
        rc |= read_from(t, *file);
    for (size_t i = 0; i < o->cards.count; i++)
        rc |= read_card(t, o->cards.items[i], HARDWARE_ALL);
    if (t->sources.count || rc < 0)
        return rc;
    if (hardware_holds_of(&t->session.cards, t->held.name, &t->held.holds, t->session.sink) < 0)
        return diag_error(t->session.sink, DIAG_NOWHERE, "--from FILE.csv, or --card NAME",
                          "nothing says to which rows to fit %s", t->held.machine);
    for (size_t i = 0; i < t->held.holds.count; i++)
        rc |= read_card(t, t->held.holds.items[i].card, t->held.holds.items[i].kinds);
    return rc;
}

const char *tune_row_name(const struct hardware_row *row, struct arena *arena)
{
    return arena_printf(arena, "%s/%s/%s/%s", row->program, row->what, row->type, row->parameter);
}

bool tune_row_is_wanted(const struct tune_param *p, const struct hardware_row *row, struct arena *arena)
{
    if (!p->patterns)
        return true;
    const char *name = tune_row_name(row, arena);
    for (const char **pattern = p->patterns; *pattern; pattern++)
        if (fnmatch(*pattern, name, 0) == 0)
            return true;
    return false;
}

/* True if some run may give the row. */
static bool is_measured(const struct hardware_row *row)
{
    enum hardware_kind kind = hardware_kind_of(row);
    for (unsigned i = 0; kind != HARDWARE_none && i < hardware_run_count; i++)
        if (strcmp(hardware_runs[i].program, row->program) == 0 && (hardware_runs[i].kinds >> kind & 1))
            return true;
    return false;
}

/* Of a parameter with rows of its own there must be one that some run gives. */
static int check_patterns(struct tune *t, const struct tune_param *p)
{
    bool there = false, measured = false;
    struct arena arena = {0};
    for (size_t i = 0; p->patterns && i < t->sources.count; i++)
        for (size_t k = 0; k < t->sources.items[i]->rows.list.count; k++) {
            const struct hardware_row *row = &t->sources.items[i]->rows.list.items[k];
            bool wanted = tune_row_is_wanted(p, row, &arena);
            there |= wanted;
            measured |= wanted && is_measured(row) && (t->sources.items[i]->kinds >> hardware_kind_of(row) & 1);
        }
    arena_free(&arena);
    if (measured || !p->patterns)
        return 0;
    return there ? diag_error(t->session.sink, p->pos, NULL, "%s: no run gives the rows that are called %s", p->name,
                              p->patterns[0])
                 : diag_error(t->session.sink, p->pos, "names are PROGRAM/WHAT/TYPE/PARAMETER, with * for any text",
                              "%s: no rows are called %s", p->name, p->patterns[0]);
}

/* Runs that may give rows which some parameter is fitted on. */
static void choose_runs(struct tune *t)
{
    struct arena arena = {0};
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct tune_row *row = &t->rows.items[i];
        bool wanted = false;
        for (size_t p = 0; p < t->params.count; p++)
            wanted |= tune_row_is_wanted(&t->params.items[p], row->card, &arena);
        for (unsigned k = 0; wanted && k < hardware_run_count; k++)
            if (strcmp(hardware_runs[k].program, row->card->program) == 0 && (hardware_runs[k].kinds >> row->kind & 1))
                t->runs |= UINT64_C(1) << k;
    }
    arena_free(&arena);
}

int tune_read_rows(struct tune *t)
{
    if (read_sources(t) < 0)
        return -1;
    for (size_t i = 0; i < t->sources.count; i++)
        for (size_t k = 0; k < t->sources.items[i]->rows.list.count; k++) {
            const struct tune_source *source = t->sources.items[i];
            const struct hardware_row *row = &source->rows.list.items[k];
            enum hardware_kind kind = hardware_kind_of(row);
            if (is_measured(row) && (source->kinds >> kind & 1) && row->value > 0)
                vec_push(&t->rows, (struct tune_row){row, source->name, kind, TUNE_NO_RUN, false, NAN, NAN});
        }
    if (t->rows.count == 0)
        return diag_error(t->session.sink, DIAG_NOWHERE, NULL, "no run gives such rows as there are");
    int rc = 0;
    for (size_t i = 0; i < t->params.count; i++) {
        t->params.items[i].rows = ARENA_NEW(&t->session.arena, bool, t->rows.count);
        rc |= check_patterns(t, &t->params.items[i]);
    }
    choose_runs(t);
    return rc;
}

void tune_leave_out(struct tune *t)
{
    uint64_t every = t->session.options->leave_out ? t->session.options->leave_out_value : TUNE_LEAVE_OUT;
    uint64_t seen[HARDWARE_KINDS] = {0};
    for (size_t i = 0; i < t->rows.count; i++) {
        struct tune_row *row = &t->rows.items[i];
        if (row->run != TUNE_NO_RUN)
            row->left_out = every && ++seen[row->kind] % every == 0;
    }
}
