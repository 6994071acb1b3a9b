/* The inputs of a study, compared with what its runs have launched: a caption may state any number of threads, a launch
 * has the one that it has. */
#include "cli/study/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32 /* threads, in which papers count warps */

const char *study_part_key(enum study_part part)
{
    static const char *const keys[STUDY_PARTS] = {
        [STUDY_BLOCKS] = "blocks",
        [STUDY_BLOCK_THREADS] = "threads_per_block",
        [STUDY_BLOCK_WARPS] = "warps_per_block",
        [STUDY_THREADS] = "threads",
    };
    return keys[part];
}

const struct study_input *study_input_of(const struct study *study, const struct study_benchmark *benchmark)
{
    for (size_t i = 0; i < study->inputs.count; i++)
        if (study->inputs.items[i].benchmark == benchmark)
            return &study->inputs.items[i];
    return NULL;
}

/* Sets of numbers */

void study_add_count(struct study_counts *counts, double number)
{
    size_t at = 0;
    while (at < counts->items.count && counts->items.items[at] < number)
        at++;
    if (at < counts->items.count && counts->items.items[at] == number)
        return;
    vec_push(&counts->items, number);
    for (size_t i = counts->items.count - 1; i > at; i--)
        counts->items.items[i] = counts->items.items[i - 1];
    counts->items.items[at] = number;
}

bool study_same_counts(const struct study_counts *a, const struct study_counts *b)
{
    if (a->items.count != b->items.count)
        return false;
    for (size_t i = 0; i < a->items.count; i++)
        if (a->items.items[i] != b->items.items[i])
            return false;
    return true;
}

static void tell_count(double number, struct strbuf *out)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", number);
    for (int i = 0; i < length; i++)
        strbuf_addf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void study_tell_counts(const struct study_counts *counts, struct strbuf *out)
{
    for (size_t i = 0; i < counts->items.count; i++) {
        strbuf_add(out, i ? " / " : "");
        tell_count(counts->items.items[i], out);
    }
}

void study_free_shape(struct study_shape *shape)
{
    for (unsigned part = 0; part < STUDY_PARTS; part++)
        vec_free(&shape->counts[part].items);
}

/* Launches */

static void take_launch(sqlite3_stmt *stmt, struct study_shape *launched)
{
    static const struct {
        enum study_part part;
        int unit;
    } columns[] = {{STUDY_BLOCKS, 1}, {STUDY_BLOCK_THREADS, 1}, {STUDY_BLOCK_WARPS, WARP}, {STUDY_THREADS, 1}};
    for (int i = 0; i < 4; i++)
        if (sqlite3_column_type(stmt, i + 1) != SQLITE_NULL)
            study_add_count(&launched->counts[columns[i].part],
                            ceil(sqlite3_column_double(stmt, i + 1) / columns[i].unit));
}

int study_find_launched(struct study *study, struct study_shape *launched)
{
    int rc = 0;
    sqlite3_stmt *stmt = study_ask(study, "launches",
                                   "SELECT DISTINCT benchmark, launch_blocks, block_threads, block_threads, "
                                   "launch_threads FROM main.results");
    while (stmt && study_next(study, "launches", stmt, &rc)) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const struct study_benchmark *benchmark = study_benchmark_named(study, name ? name : "");
        const struct study_input *input = benchmark ? study_input_of(study, benchmark) : NULL;
        if (input)
            take_launch(stmt, &launched[input - study->inputs.items]);
    }
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

static int complain(struct study *study, const struct study_input *input, enum study_part part,
                    const struct study_counts *launched)
{
    struct strbuf stated = {0}, found = {0};
    const char *key = study_part_key(part);
    study_tell_counts(&input->stated.counts[part], &stated);
    study_tell_counts(launched, &found);
    study_fault(
        study, yaml_get(input->stated_node, key),
        arena_printf(&study->arena, "its program: %s %s", input->benchmark->program, input->benchmark->arguments),
        "inputs of %s: %s is %s, but the largest launch of its runs has %s", input->benchmark->name, key,
        strbuf_text(&stated), strbuf_text(&found));
    strbuf_free(&stated);
    strbuf_free(&found);
    return -1;
}

int study_check_inputs(struct study *study)
{
    struct study_shape *launched = ARENA_NEW(&study->arena, struct study_shape, study->inputs.count + 1);
    int rc = study->inputs.count ? study_find_launched(study, launched) : 0;
    for (size_t i = 0; i < study->inputs.count; i++) {
        const struct study_input *input = &study->inputs.items[i];
        for (unsigned part = 0; part < STUDY_PARTS; part++) {
            const struct study_counts *stated = &input->stated.counts[part], *found = &launched[i].counts[part];
            if (stated->items.count && found->items.count && !study_same_counts(stated, found))
                rc = complain(study, input, part, found);
        }
        study_free_shape(&launched[i]);
    }
    return rc;
}

/* Figures */

static void doubt_name(struct study *study, const char *name, bool *warned)
{
    const struct study_benchmark *benchmark = study_benchmark_named(study, name);
    size_t index = benchmark ? (size_t)(benchmark - study->benchmarks.items) : 0;
    if (!benchmark || study_input_of(study, benchmark) || warned[index])
        return;
    warned[index] = true;
    study_doubt(study, benchmark->node->key, "inputs: what it launches, beside what the paper states",
                "benchmark %s stands in a figure, and has no row of inputs", name);
}

/* True of a study that has something of a paper's beside its own. */
static bool has_paper(const struct study *study)
{
    bool prints = study->inputs.count > 0;
    for (size_t i = 0; i < study->figures.count; i++)
        prints |= study->figures.items[i].print_count || *study->figures.items[i].beside;
    return prints;
}

void study_doubt_inputs(struct study *study, const struct study_points *points, bool *warned)
{
    if (!has_paper(study))
        return;
    for (size_t i = 0; i < points->xs.items.count; i++)
        doubt_name(study, points->xs.items.items[i], warned);
    for (size_t i = 0; i < points->series.items.count; i++)
        doubt_name(study, points->series.items.items[i], warned);
}
