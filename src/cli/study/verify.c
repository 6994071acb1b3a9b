/* Verifies the committed results: runs some of their configurations again, in a folder of their own, and compares with
 * results.csv to the digit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/study/judge.h"
#include "cli/study/table.h"

/* A row of results.csv, and where it stands among those to be drawn: the least first. */
struct drawn {
    size_t row;
    double place;
};

struct verification {
    struct study *study;
    struct study_table table;
    VEC(struct drawn) rows;
    unsigned equal, different, columns_gone, columns_new;
};

static const char *cell(const struct study_table *table, size_t row, const char *name)
{
    size_t column = study_table_column(table, name);
    return column < table->columns ? table->rows.items[row][column] : "";
}

/* 4 and 4.0 are one value of a parameter. */
static bool same_value(const char *a, const char *b)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return !strcmp(a, b) || (*a && *b && !*end_a && !*end_b && x == y);
}

/* True if the row is of the run's configuration, whatever the variant. */
static bool is_of(struct study *study, const struct study_table *table, size_t row, const struct study_run *run)
{
    bool same = !strcmp(cell(table, row, "benchmark"), run->benchmark->name) &&
                !strcmp(cell(table, row, "machine"), run->machine) &&
                !strcmp(cell(table, row, "scheduler"), run->scheduler) &&
                !strcmp(cell(table, row, "reading"), run->reading) &&
                strtoul(cell(table, row, "variants"), NULL, 10) == run->variants;
    if (*cell(table, row, "program"))
        same = same && !strcmp(cell(table, row, "program"), study_program_of(study, run->benchmark->name));
    for (size_t i = 0; same && i < study->grid.count; i++)
        same = same_value(cell(table, row, study_grid_column(study, i)), run->grid[i] ? run->grid[i] : "");
    return same;
}

static int compare_places(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The time that a compiler takes to build a program, in warp instructions that would be run meanwhile, roughly. */
#define BUILD_COST 3e6

static double cost_of(const struct verification *v, size_t row)
{
    const struct study *study = v->study;
    double runs =
        strtod(cell(&v->table, row, "warp_instructions"), NULL) * strtod(cell(&v->table, row, "variants"), NULL);
    const struct study_benchmark *benchmark = study_benchmark_named(study, cell(&v->table, row, "benchmark"));
    return runs + (!benchmark || cli_is_case(benchmark->program) ? 0 : BUILD_COST);
}

static double place_of(const struct verification *v, size_t row, const struct study_draw *draw)
{
    struct random_stream stream = random_stream_of(draw->seed, "verify", row);
    return draw->cheapest ? cost_of(v, row) : (double)random_below(&stream, UINT32_MAX);
}

/* True if a row is of a benchmark that cannot be run. */
static bool is_absent(const struct verification *v, size_t row)
{
    const struct study_benchmark *benchmark = study_benchmark_named(v->study, cell(&v->table, row, "benchmark"));
    return benchmark && benchmark->absent;
}

static void draw_rows(struct verification *v, const struct study_draw *draw)
{
    unsigned absent = 0;
    for (size_t i = 0; i < v->table.rows.count; i++)
        if (is_absent(v, i))
            absent++;
        else
            vec_push(&v->rows, (struct drawn){i, place_of(v, i, draw)});
    if (absent)
        cli_printf("%u of %zu rows are of programs or data that --programs brings, and are not drawn\n", absent,
                   v->table.rows.count);
    if (v->rows.count)
        qsort(v->rows.items, v->rows.count, sizeof *v->rows.items, compare_places);
    if (v->rows.count > draw->count)
        v->rows.count = draw->count;
}

/* Chooses the executions of the rows drawn. -1 with a diagnostic for one that the study does not have. */
static int choose(struct verification *v)
{
    struct study *study = v->study;
    bool *only = ARENA_NEW(&study->arena, bool, study->executions.count + 1);
    int rc = 0;
    for (size_t i = 0; i < v->rows.count; i++) {
        size_t row = v->rows.items[i].row;
        bool found = false;
        for (size_t k = 0; k < study->runs.count; k++)
            if (is_of(study, &v->table, row, &study->runs.items[k]))
                found = only[study->runs.items[k].execution] = true;
        if (!found)
            rc = diag_error(study->sink, DIAG_NOWHERE, "the study was changed after its results: run it again",
                            "%s: line %zu: no run of study.yaml is %s %s %s %s with %s variants", v->table.path,
                            row + 2, cell(&v->table, row, "benchmark"), cell(&v->table, row, "machine"),
                            cell(&v->table, row, "scheduler"), cell(&v->table, row, "reading"),
                            cell(&v->table, row, "variants"));
    }
    study->only = only;
    return rc;
}

/* Asks for the result of a row's configuration. */
static sqlite3_stmt *ask_row(struct verification *v, size_t row)
{
    static const char *const keys[] = {"benchmark", "machine", "scheduler", "reading"};
    struct study *study = v->study;
    struct strbuf sql = {0};
    strbuf_add(&sql,
               "SELECT * FROM main.results WHERE benchmark = ? AND machine = ? AND scheduler = ? AND reading = ?");
    for (size_t i = 0; i < study->grid.count; i++)
        strbuf_addf(&sql, " AND \"%s\" IS ?", study_grid_column(study, i));
    sqlite3_stmt *stmt = study_ask(study, "results", strbuf_text(&sql));
    for (int i = 0; stmt && i < 4; i++)
        sqlite3_bind_text(stmt, i + 1, cell(&v->table, row, keys[i]), -1, SQLITE_STATIC);
    for (size_t i = 0; stmt && i < study->grid.count; i++) {
        const char *value = cell(&v->table, row, study_grid_column(study, i));
        study_bind(stmt, 5 + (int)i, *value ? value : NULL);
    }
    strbuf_free(&sql);
    return stmt;
}

/* Compares the columns that both have; says where they differ first. */
static unsigned compare_columns(struct verification *v, size_t row, sqlite3_stmt *stmt, struct strbuf *first)
{
    unsigned different = 0;
    v->columns_gone = (unsigned)v->table.columns - (*cell(&v->table, row, "program") != 0);
    v->columns_new = 0;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i), *here = (const char *)sqlite3_column_text(stmt, i);
        size_t column = study_table_column(&v->table, name);
        if (column == v->table.columns) {
            v->columns_new += strcmp(name, "seconds") != 0;
            continue;
        }
        v->columns_gone--;
        here = here ? here : "";
        if (!strcmp(here, v->table.rows.items[row][column]))
            continue;
        if (!different++)
            strbuf_addf(first, "%s is %s, committed %s", name, *here ? here : "not measured",
                        *v->table.rows.items[row][column] ? v->table.rows.items[row][column] : "not measured");
    }
    return different;
}

static int compare_row(struct verification *v, size_t row)
{
    struct study *study = v->study;
    struct strbuf first = {0};
    int rc = 0;
    unsigned different = 0;
    sqlite3_stmt *stmt = ask_row(v, row);
    if (stmt && study_next(study, "results", stmt, &rc)) {
        different = compare_columns(v, row, stmt, &first);
    } else if (rc == 0) {
        different = 1;
        strbuf_add(&first, "it did not end well");
    }
    v->equal += !different;
    v->different += different > 0;
    cli_printf("%s %s %s %s: ", cell(&v->table, row, "benchmark"), cell(&v->table, row, "machine"),
               cell(&v->table, row, "scheduler"), cell(&v->table, row, "reading"));
    cli_printf(different ? "differs in %u columns: %s\n" : "equal\n", different, strbuf_text(&first));
    strbuf_free(&first);
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

static int compare_all(struct verification *v)
{
    int rc = 0;
    for (size_t i = 0; i < v->rows.count && rc == 0; i++)
        rc = compare_row(v, v->rows.items[i].row);
    if (rc < 0)
        return -1;
    cli_printf("%u of %zu configurations equal the committed results to the digit", v->equal, v->rows.count);
    if (v->columns_new)
        cli_printf("; %u statistics are not among these", v->columns_new);
    if (v->columns_gone)
        cli_printf("; %u of these are no statistics any more", v->columns_gone);
    cli_printf("\n");
    return v->different ? CLI_FAILED : CLI_OK;
}

/* Works in a folder for this once. */
static int run_drawn(struct verification *v, int *stopped)
{
    struct study *study = v->study;
    const char *base = getenv("TMPDIR");
    char *folder = arena_printf(&study->arena, "%s/lockstep-verify-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot make a folder %s", folder);
    study->out = study->work = folder;
    int rc = study_make_folders(study) < 0 || study_open(study, study_database(study)) < 0 ||
                     study_note_runs(study) < 0 || study_make_view(study) < 0 || (*stopped = study_execute(study)) != 0
                 ? -1
                 : compare_all(v);
    study_remove_folder(folder);
    return rc;
}

int study_verify(struct study *study, const struct study_draw *draw, int *stopped)
{
    struct verification v = {.study = study};
    const char *path = study_committed_path(study);
    if (study->quick)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "--verify: committed results are of the full version");
    int rc = study_table_read(&v.table, path, &study->arena, study->sink);
    if (rc == 0) {
        draw_rows(&v, draw);
        rc = choose(&v) < 0 ? -1 : run_drawn(&v, stopped);
    }
    study_table_free(&v.table);
    vec_free(&v.rows);
    return rc;
}
