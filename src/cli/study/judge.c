/* Claims answered and judged: see judge.h. */
#include <math.h>
#include <string.h>

#include "cli/study/judge.h"

/* The result of a claim's sql: its row, or the aggregates of its rows. */
struct given {
    const char *columns[32];
    struct study_value values[32];
    size_t count;
};
static const struct study_value nothing = {.type = SQLITE_NULL, .text = "-"};
#define MOST_GIVEN (sizeof((struct given *)0)->values / sizeof(struct study_value))

void study_claim_sql(const struct study_claim *claim, struct strbuf *sql)
{
    if (claim->of_rows)
        strbuf_addf(sql,
                    "SELECT mean(ours) AS ours, count(ours) AS n, sum(wins(ours)) AS won, sum(loses(ours)) AS lost "
                    "FROM (%s\n)",
                    claim->sql);
    else
        strbuf_add(sql, claim->sql);
}

const char *study_number(struct study *study, double number)
{
    bool whole = fabs(number) >= 1e4 && fabs(number) < 1e15;
    return arena_printf(&study->arena, whole ? "%.0f" : "%.4g", number);
}

struct study_value study_value_of(struct study *study, sqlite3_stmt *stmt, int column)
{
    struct study_value value = {.type = sqlite3_column_type(stmt, column), .text = "-"};
    value.number = sqlite3_column_double(stmt, column);
    if (value.type == SQLITE_FLOAT)
        value.text = study_number(study, value.number);
    else if (value.type != SQLITE_NULL)
        value.text = arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, column));
    return value;
}

static const struct study_value *value_named(const struct given *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++)
        if (!strcmp(given->columns[i], name))
            return &given->values[i];
    return NULL;
}

static void put(struct given *given, const char *name, struct study_value value)
{
    if (given->count < MOST_GIVEN && !value_named(given, name)) {
        given->columns[given->count] = name;
        given->values[given->count++] = value;
    }
}

/* The row that a statement is at, and what the paper prints. */
static void take_row(struct study *study, sqlite3_stmt *stmt, struct given *given)
{
    given->count = 0;
    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        put(given, arena_strdup(&study->arena, sqlite3_column_name(stmt, i)), study_value_of(study, stmt, i));
}

static void put_paper(const struct study_claim *claim, struct given *given)
{
    double number;
    if (study_paper_number(claim, &number))
        put(given, "paper", (struct study_value){SQLITE_FLOAT, number, claim->paper});
}

/* Evaluates a condition on the values given: as study_condition_holds, or -2 with a diagnostic. */
static int holds(struct study *study, const struct study_claim *claim, const char *key, const struct given *given)
{
    sqlite3_stmt *stmt = study_condition(study, claim, key, given->columns, given->count);
    if (!stmt)
        return -2;
    for (size_t i = 0; i < given->count; i++) {
        const struct study_value *value = &given->values[i];
        if (value->type == SQLITE_FLOAT)
            sqlite3_bind_double(stmt, (int)i + 1, value->number);
        else if (value->type == SQLITE_INTEGER)
            sqlite3_bind_int64(stmt, (int)i + 1, (int64_t)value->number);
        else if (value->type != SQLITE_NULL)
            sqlite3_bind_text(stmt, (int)i + 1, value->text, -1, SQLITE_STATIC);
    }
    int verdict = study_condition_holds(stmt);
    sqlite3_finalize(stmt);
    return study_condition_ends(study, claim, key) < 0 ? -2 : verdict;
}

/* The size is not that of the paper where not even the direction is. */
static int judge(struct study *study, const struct study_claim *claim, const struct given *given, bool magnitude,
                 struct study_verdict *verdict)
{
    const struct study_value *ours = value_named(given, "ours");
    *verdict = (struct study_verdict){-1, -1};
    if (!ours || ours->type == SQLITE_NULL)
        return 0;
    verdict->direction = holds(study, claim, "direction", given);
    if (magnitude && *claim->magnitude && verdict->direction >= 0)
        verdict->magnitude = verdict->direction == 0 ? 0 : holds(study, claim, "magnitude", given);
    return verdict->direction == -2 || verdict->magnitude == -2 ? -1 : 0;
}

/* Notes what a world says. */
static void tally(const struct study_world *world, const struct study_value *ours, const struct study_verdict *verdict,
                  struct study_tally *to)
{
    if (world->kind == STUDY_WHOLE) {
        *to = (struct study_tally){
            .ours = *ours, .other = nothing, .verdict = *verdict, .least = INFINITY, .most = -INFINITY};
    } else if (world->kind == STUDY_OTHER_MEAN) {
        to->other = *ours;
        to->other_verdict = *verdict;
    } else if (ours->type != SQLITE_NULL) {
        to->least = ours->type == SQLITE_TEXT ? to->least : fmin(to->least, ours->number);
        to->most = ours->type == SQLITE_TEXT ? to->most : fmax(to->most, ours->number);
        to->judged += verdict->direction >= 0;
        to->judged_m += verdict->magnitude >= 0;
        to->direction_in += verdict->direction == 1;
        to->magnitude_in += verdict->magnitude == 1;
    }
}

static struct study_answer_row *row_named(struct study *study, struct study_answer *answer, const char *name, bool add)
{
    for (size_t i = 0; i < answer->rows.count; i++)
        if (!strcmp(answer->rows.items[i].name, name))
            return &answer->rows.items[i];
    if (!add)
        return NULL;
    vec_push(&answer->rows, (struct study_answer_row){.name = arena_strdup(&study->arena, name)});
    return &answer->rows.items[answer->rows.count - 1];
}

/* One row of a claim of rows is judged as the claim is; in size where the paper prints its value. */
static int judge_row(struct study *study, const struct study_world *world, const struct study_claim *claim,
                     struct given *given, const struct given *all, struct study_answer *answer)
{
    static const char *const shared[] = {"n", "won", "lost"};
    const struct study_value *name = value_named(given, "name"), *paper = value_named(given, "paper");
    struct study_verdict verdict;
    bool printed = paper && paper->type != SQLITE_NULL;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        put(given, shared[i], *value_named(all, shared[i]));
    if (!printed) /* direction may name it */
        put(given, "paper", nothing);
    if (judge(study, claim, given, printed, &verdict) < 0)
        return -1;
    struct study_answer_row *row = row_named(study, answer, name ? name->text : "-", world->kind == STUDY_WHOLE);
    if (row && world->kind == STUDY_WHOLE)
        row->paper = printed ? *paper : nothing;
    if (row && world->kind != STUDY_OTHER_MEAN)
        tally(world, value_named(given, "ours") ? value_named(given, "ours") : &nothing, &verdict, &row->tally);
    return 0;
}

static int judge_rows(struct study *study, const struct study_world *world, const struct study_claim *claim,
                      const struct given *all, struct study_answer *answer)
{
    sqlite3_stmt *stmt = study_ask_at(study, claim->id, yaml_get(claim->node, "rows"), claim->sql);
    int rc = stmt ? 0 : -1;
    while (stmt && rc == 0 && study_next(study, claim->id, stmt, &rc)) {
        struct given given = {.count = 0};
        take_row(study, stmt, &given);
        rc |= judge_row(study, world, claim, &given, all, answer);
    }
    sqlite3_finalize(stmt);
    return rc;
}

const char *study_content(struct study *study, const struct study_claim *claim)
{
    struct strbuf out = {0};
    int rc = 0;
    sqlite3_stmt *stmt =
        study_ask_at(study, claim->id, yaml_get(claim->node, claim->of_rows ? "rows" : "sql"), claim->sql);
    while (stmt && study_next(study, claim->id, stmt, &rc))
        for (int i = 0; i < sqlite3_column_count(stmt); i++)
            if (sqlite3_column_type(stmt, i) == SQLITE_FLOAT)
                strbuf_addf(&out, "%a ", sqlite3_column_double(stmt, i));
            else
                strbuf_addf(&out, "%s ", (const char *)sqlite3_column_text(stmt, i));
    sqlite3_finalize(stmt);
    const char *content = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return content;
}

/* Without the configurations of some number of variants: an answer that changes rests on them. */
static void note_support(struct study *study, const struct study_claim *claim, unsigned variants,
                         struct study_answer *answer)
{
    if (!strcmp(answer->content, study_content(study, claim)))
        return;
    if (variants > answer->variants)
        answer->variants = variants;
    answer->one_run |= claim->chaotic && variants == 1;
}

static int ask_claim(struct study *study, const struct study_claim *claim, struct given *given)
{
    struct strbuf sql = {0};
    int rc = 0;
    study_claim_sql(claim, &sql);
    sqlite3_stmt *stmt =
        study_ask_at(study, claim->id, yaml_get(claim->node, claim->of_rows ? "rows" : "sql"), strbuf_text(&sql));
    strbuf_free(&sql);
    given->count = 0;
    if (stmt && study_next(study, claim->id, stmt, &rc))
        take_row(study, stmt, given);
    put_paper(claim, given);
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

static void check_range(struct study *study, const struct study_claim *claim, const struct given *given,
                        struct study_answer *answer)
{
    for (size_t i = 0; i < claim->range_count; i++) {
        const struct study_range *range = &claim->ranges[i];
        const struct study_value *value = value_named(given, range->column);
        if (!value || range->is_text || value->type == SQLITE_NULL || value->type == SQLITE_TEXT)
            continue;
        if (value->number >= range->least && value->number <= range->most)
            continue;
        answer->outside = true;
        const struct yaml_node *node = yaml_get(claim->node, "range");
        diag_warning(study->sink, (struct diag_pos){study->doc->file, node->line, node->column},
                     "is its sql right, and its range?", "%s: %s is %s, outside of its range", claim->id, range->column,
                     value->text);
    }
}

/* With an intervention that the claim names. */
static int try_claim(struct study *study, const struct study_world *world, const struct study_claim *claim,
                     struct study_answer *answer)
{
    int rc = 0;
    if (!answer->trials)
        answer->trials = ARENA_NEW(&study->arena, struct study_trial, claim->tried_count + 1);
    for (size_t i = 0; i < claim->tried_count; i++) {
        struct given given = {.count = 0};
        struct study_trial *trial = &answer->trials[i];
        if (claim->tried[i] != world->number)
            continue;
        rc |= ask_claim(study, claim, &given) < 0 ? -1 : judge(study, claim, &given, true, &trial->verdict);
        const struct study_value *ours = value_named(&given, "ours");
        trial->ours = ours ? *ours : nothing;
    }
    return rc;
}

static int answer_claim(struct study *study, const struct study_world *world, const struct study_claim *claim,
                        struct study_answer *answer)
{
    struct given given = {.count = 0};
    struct study_verdict verdict = {-1, -1};
    if (world->kind == STUDY_VARIANT && (answer->variants == 1 || world->number >= answer->variants))
        return 0; /* as the whole, or one of those before */
    if (world->kind == STUDY_TRIED)
        return try_claim(study, world, claim, answer);
    if (world->kind == STUDY_WITHOUT_VARYING) {
        answer->one_run |= strcmp(answer->content, study_content(study, claim)) != 0;
        return 0;
    }
    if (world->kind == STUDY_WITHOUT) {
        note_support(study, claim, world->number, answer);
        return 0;
    }
    if (world->kind == STUDY_WHOLE)
        tally(world, &nothing, &verdict, &answer->all);
    if (ask_claim(study, claim, &given) < 0 || judge(study, claim, &given, true, &verdict) < 0)
        return -1;
    const struct study_value *ours = value_named(&given, "ours");
    tally(world, ours ? ours : &nothing, &verdict, &answer->all);
    if (world->kind == STUDY_WHOLE) {
        answer->variants = 1;
        answer->content = study_content(study, claim);
        check_range(study, claim, &given, answer);
    }
    return claim->of_rows && ours ? judge_rows(study, world, claim, &given, answer) : 0;
}

int study_judge(struct study *study, const struct study_world *world, struct study_answer *answers)
{
    int rc = 0;
    for (size_t i = 0; i < study->claims.count; i++)
        rc |= answer_claim(study, world, &study->claims.items[i], &answers[i]);
    return rc;
}

const char *study_word(struct study *study, int verdict, unsigned in, unsigned of)
{
    const char *word = verdict < 0 ? "-" : verdict ? "yes" : "no";
    return verdict < 0 || !of ? word : arena_printf(&study->arena, "%s %u/%u", word, in, of);
}

unsigned study_rows_that_hold(const struct study_answer *answer, bool magnitude, unsigned *of)
{
    unsigned hold = 0;
    *of = 0;
    for (size_t i = 0; i < answer->rows.count; i++) {
        const struct study_verdict *v = &answer->rows.items[i].tally.verdict;
        int verdict = magnitude ? v->magnitude : v->direction;
        *of += verdict >= 0;
        hold += verdict == 1;
    }
    return hold;
}

/* Appends the value of {name}, of which `name` has `length` characters; false: sql has no such column. */
static bool add_named(struct study *study, sqlite3_stmt *stmt, bool there, const char *name, size_t length,
                      struct strbuf *out)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *column = sqlite3_column_name(stmt, i);
        if (strlen(column) != length || strncmp(column, name, length))
            continue;
        if (there && sqlite3_column_type(stmt, i) == SQLITE_FLOAT)
            strbuf_addf(out, "%.3g", sqlite3_column_double(stmt, i));
        else
            strbuf_add(out, there ? study_value_of(study, stmt, i).text : "-");
        return true;
    }
    return false;
}

const char *study_finding_text(struct study *study, const struct study_finding *finding)
{
    struct strbuf out = {0};
    int rc = 0;
    sqlite3_stmt *stmt = study_ask_at(study, finding->id, yaml_get(finding->node, "sql"), finding->sql);
    bool there = stmt && study_next(study, finding->id, stmt, &rc);
    for (const char *c = finding->text; stmt && rc == 0 && *c;) {
        size_t length = *c == '{' ? strcspn(c + 1, "}") : 0;
        if (*c != '{' || !c[1 + length]) {
            strbuf_addn(&out, c++, 1);
            continue;
        }
        if (!add_named(study, stmt, there, c + 1, length, &out))
            rc = study_fault(study, yaml_get(finding->node, "text"), NULL, "%s: sql gives no column %.*s", finding->id,
                             (int)length, c + 1);
        c += length + 2;
    }
    sqlite3_finalize(stmt);
    const char *text = stmt && rc == 0 ? arena_strdup(&study->arena, strbuf_text(&out)) : NULL;
    strbuf_free(&out);
    return text;
}
