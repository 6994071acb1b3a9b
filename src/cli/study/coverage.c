/* Coverage: on how many results an answer rests, and how many of them are there. Which results these are is found by
 * experiment, in the study as assume.c has it: an answer rests on a configuration if it changes with that one's
 * numbers, made a thousand times larger or smaller (a minimum changes with one, a maximum with the other). */
#include <string.h>

#include "cli/study/judge.h"

/* The study's configurations, as rows of temp.results in the assumed study, in order. */
struct configuration {
    int64_t row;
    bool missing, not_run; /* a variant of it has no result; was not run */
};

/* Whose numbers are changed: everybody's, of those that lack a result, of those that were not run. */
enum which { ALL, MISSING, NOT_RUN, WHICH };

struct cover {
    struct study *study;
    VEC(struct configuration) items;
    const char *scale[2]; /* UPDATE of all numbers, up and down, without its WHERE */
    VEC(int64_t) rows;    /* on which the claim rests whose support is sought */
    const char **base;    /* by claim: its answer as assumed */
    bool *changed[WHICH]; /* by claim: whether it changed with those numbers */
};

static int list_configurations(struct cover *c)
{
    struct study *study = c->study;
    struct strbuf sql = {0};
    int rc = 0;
    strbuf_addf(&sql,
                "SELECT s.rowid, sum(st.state <> %d), sum(st.state = %d) FROM temp.results s JOIN main.runs r ON "
                "r.benchmark = s.benchmark AND r.machine = s.machine AND r.scheduler = s.scheduler AND r.reading = "
                "s.reading",
                STUDY_ENDED, STUDY_NOT_RUN);
    study_add_same_point(study, "r", "s", &sql);
    strbuf_add(&sql, " JOIN main.states st ON st.execution = r.execution GROUP BY s.rowid ORDER BY s.rowid");
    sqlite3_stmt *stmt = study_ask(study, "coverage", strbuf_text(&sql));
    while (stmt && study_next(study, "coverage", stmt, &rc)) {
        struct configuration one = {sqlite3_column_int64(stmt, 0), sqlite3_column_int(stmt, 1) > 0,
                                    sqlite3_column_int(stmt, 2) > 0};
        vec_push(&c->items, one);
    }
    sqlite3_finalize(stmt);
    strbuf_free(&sql);
    return stmt ? rc : -1;
}

/* The state of each execution, as the assumed study's table `states`. */
static int copy_states(struct study *study)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "CREATE TABLE IF NOT EXISTS states(execution INTEGER PRIMARY KEY, state INTEGER)");
    for (size_t i = 0; i < study->executions.count; i++)
        strbuf_addf(&sql, "%s(%lld, %d)", i ? ", " : "; INSERT OR REPLACE INTO states VALUES",
                    (long long)study->executions.items[i].id, (int)study->executions.items[i].state);
    int rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

static int make_scales(struct cover *c)
{
    static const char *const factors[] = {"* 1000", "/ 1000"};
    struct study *study = c->study;
    int rc = 0;
    for (unsigned way = 0; way < 2; way++) {
        struct strbuf sql = {0};
        sqlite3_stmt *stmt =
            study_ask(study, "coverage",
                      "SELECT r.name FROM pragma_table_info('results', 'temp') r WHERE r.name IN (SELECT name "
                      "FROM pragma_table_info('kernels', 'main')) OR r.name LIKE 'cycles_%'");
        while (stmt && study_next(study, "coverage", stmt, &rc)) {
            const char *name = (const char *)sqlite3_column_text(stmt, 0);
            /* by a factor of each row's own, so that ratios among them change, too */
            strbuf_addf(&sql, "%s \"%s\" = (\"%s\" + rowid) %s", sql.length ? "," : "UPDATE temp.results SET", name,
                        name, factors[way]);
        }
        rc |= stmt ? 0 : -1;
        sqlite3_finalize(stmt);
        c->scale[way] = arena_strdup(&study->arena, strbuf_text(&sql));
        strbuf_free(&sql);
    }
    return rc;
}

/* Scales the numbers of some configurations; unscale takes that back. */
static int scale(struct cover *c, unsigned way, enum which which, size_t first, size_t end)
{
    struct strbuf sql = {0};
    strbuf_addf(&sql, "SAVEPOINT scaled; %s WHERE rowid IN (", c->scale[way]);
    for (size_t i = first; i < end; i++) {
        const struct configuration *one = &c->items.items[i];
        if (which == ALL || (which == MISSING ? one->missing : one->not_run))
            strbuf_addf(&sql, "%lld, ", (long long)one->row);
    }
    strbuf_add(&sql, "-1)");
    int rc = study_tell(c->study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

static int unscale(struct cover *c)
{
    return study_tell(c->study, "ROLLBACK TO scaled; RELEASE scaled");
}

/* Notes which answers differ from what they are as assumed. */
static void note_changes(struct cover *c, enum which which)
{
    for (size_t i = 0; i < c->study->claims.count; i++)
        c->changed[which][i] |= strcmp(c->base[i], study_content(c->study, &c->study->claims.items[i])) != 0;
}

static int change_numbers(struct cover *c, enum which which)
{
    for (unsigned way = 0; way < 2; way++) {
        if (scale(c, way, which, 0, c->items.count) < 0)
            return -1;
        note_changes(c, which);
        if (unscale(c) < 0)
            return -1;
    }
    return 0;
}

/* Answers may also rest on how runs ended, as table `executions` has it. */
static int change_ends(struct cover *c)
{
    static const char *const ends[] = {"hang", "limit", "failed"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *sql =
            arena_printf(&c->study->arena,
                         "SAVEPOINT scaled; UPDATE executions SET status = '%s' WHERE id IN (SELECT execution "
                         "FROM states WHERE state = %d)",
                         ends[i], STUDY_NOT_RUN);
        if (study_tell(c->study, sql) < 0)
            return -1;
        note_changes(c, NOT_RUN);
        if (unscale(c) < 0)
            return -1;
    }
    return 0;
}

/* 1 if the answer changes with the numbers of those from first to before end; -1 with a diagnostic. */
static int rests_on(struct cover *c, size_t claim, size_t first, size_t end)
{
    bool changed = false;
    for (unsigned way = 0; way < 2 && !changed; way++) {
        if (scale(c, way, ALL, first, end) < 0)
            return -1;
        changed = strcmp(c->base[claim], study_content(c->study, &c->study->claims.items[claim])) != 0;
        if (unscale(c) < 0)
            return -1;
    }
    return changed;
}

/* Counts the configurations among these on which an answer rests, by halves. */
static int count_support(struct cover *c, size_t claim, size_t first, size_t end, struct study_coverage *to)
{
    int rests = rests_on(c, claim, first, end);
    if (rests <= 0)
        return rests;
    if (end - first == 1) {
        to->of++;
        to->have += !c->items.items[first].missing;
        vec_push(&c->rows, c->items.items[first].row);
        return 0;
    }
    size_t middle = first + (end - first) / 2;
    return count_support(c, claim, first, middle, to) | count_support(c, claim, middle, end, to);
}

static int prepare(struct cover *c)
{
    struct study *study = c->study;
    if (copy_states(study) < 0 || list_configurations(c) < 0 || make_scales(c) < 0)
        return -1;
    c->base = ARENA_NEW(&study->arena, const char *, study->claims.count + 1);
    for (unsigned which = 0; which < WHICH; which++)
        c->changed[which] = ARENA_NEW(&study->arena, bool, study->claims.count + 1);
    return 0;
}

/* In the assumed study. Claims that are open are not judged, so nobody asks how many of their results are there. */
static int cover_all(struct cover *c, struct study_answer *answers)
{
    struct study *study = c->study;
    int rc = prepare(c);
    for (size_t i = 0; rc == 0 && i < study->claims.count; i++)
        c->base[i] = study_content(study, &study->claims.items[i]);
    rc = rc < 0 || change_numbers(c, MISSING) < 0 || change_numbers(c, NOT_RUN) < 0 || change_ends(c) < 0 ? -1 : 0;
    for (size_t i = 0; rc == 0 && i < study->claims.count; i++) {
        struct study_coverage *to = &answers[i].coverage;
        to->open = c->changed[NOT_RUN][i];
        if (c->changed[MISSING][i] && !to->open && !study->claims.items[i].of_rows)
            rc = count_support(c, i, 0, c->items.count, to);
    }
    return rc;
}

/* The runs of those rows of temp.results. */
static int note_support_runs(struct cover *c, bool *runs)
{
    struct study *study = c->study;
    struct strbuf sql = {0};
    int rc = 0;
    strbuf_add(
        &sql,
        "SELECT r.rowid FROM temp.results s JOIN main.runs r ON r.benchmark = s.benchmark AND r.machine = s.machine "
        "AND r.scheduler = s.scheduler AND r.reading = s.reading");
    study_add_same_point(study, "r", "s", &sql);
    strbuf_add(&sql, " WHERE s.rowid IN (-1");
    for (size_t i = 0; i < c->rows.count; i++)
        strbuf_addf(&sql, ", %lld", (long long)c->rows.items[i]);
    strbuf_add(&sql, ")");
    sqlite3_stmt *stmt = study_ask(study, "support", strbuf_text(&sql));
    while (stmt && study_next(study, "support", stmt, &rc))
        runs[sqlite3_column_int64(stmt, 0) - 1] = true; /* noted in their order: study_note_runs */
    sqlite3_finalize(stmt);
    strbuf_free(&sql);
    return stmt ? rc : -1;
}

int study_find_support(struct study *study, size_t claim, bool *runs)
{
    struct cover c = {.study = study};
    struct study_coverage ignored = {.of = 0};
    const struct study_claim *one = &study->claims.items[claim];
    int rc = prepare(&c);
    if (rc == 0) {
        c.base[claim] = study_content(study, one);
        rc = count_support(&c, claim, 0, c.items.count, &ignored);
    }
    if (rc == 0 && !c.rows.count)
        rc = study_fault(study, yaml_get(one->node, "tried"),
                         "what is tried is run for the rows of `results` that are asked for",
                         "%s: the claim rests on no result that could be run with an intervention", one->id);
    rc |= rc ? 0 : note_support_runs(&c, runs);
    vec_free(&c.rows);
    vec_free(&c.items);
    return rc;
}

static bool all_there(const struct study *study)
{
    for (size_t i = 0; i < study->executions.count; i++)
        if (study->executions.items[i].state != STUDY_ENDED)
            return false;
    return true;
}

/* A claim of rows: how many have a value, of as many as there would be if every run had ended well. */
static void cover_rows(const struct study *study, struct study_answer *answers)
{
    for (size_t i = 0; i < study->claims.count; i++) {
        struct study_coverage *to = &answers[i].coverage;
        if (!study->claims.items[i].of_rows)
            continue;
        for (size_t k = 0; k < answers[i].rows.count; k++)
            to->have += answers[i].rows.items[k].tally.ours.type != SQLITE_NULL;
        to->of = (unsigned)answers[i].rows.count;
        if (to->of < study->claims.items[i].expected)
            to->of = study->claims.items[i].expected;
    }
}

int study_cover(struct study *study, struct study_answer *answers)
{
    struct cover c = {.study = study};
    cover_rows(study, answers);
    if (all_there(study))
        return 0;
    sqlite3 *db = study->db, *bench = study->bench;
    struct study_rights rights = study->rights;
    bool committed = study->committed;
    study->committed = false;
    study->db = study->bench = NULL;
    study->rights = (struct study_rights){.trusted = 0};
    int rc = study_assume(study) < 0 ? -1 : cover_all(&c, answers);
    study_close(study);
    study->db = db;
    study->bench = bench;
    study->rights = rights;
    study->committed = committed;
    vec_free(&c.items);
    vec_free(&c.rows);
    for (size_t i = 0; i < study->claims.count; i++)
        if (answers[i].coverage.open) /* what has not been run may turn the answer */
            answers[i].all.verdict = (struct study_verdict){-1, -1};
    return study_note_states(study) < 0 ? -1 : rc;
}

const char *study_coverage_text(struct study *study, const struct study_coverage *coverage)
{
    return coverage->of ? arena_printf(&study->arena, "%u of %u", coverage->have, coverage->of) : "";
}
