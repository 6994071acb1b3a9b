/* What a study found: the table of claims on the terminal, and a page with it, every figure, and the runs that did not
 * end well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/study/study.h"
#include "report/html.h"

/* A claim as the results answer it. */
struct answer {
    char ours[48];
    int direction, magnitude; /* 1 holds, 0 does not, -1 not judged */
};

static int judged(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? -1 : sqlite3_column_int(stmt, column) != 0;
}

static void print_value(sqlite3_stmt *stmt, int column, char *out, size_t size)
{
    if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
        snprintf(out, size, "-");
    else if (sqlite3_column_type(stmt, column) == SQLITE_FLOAT)
        snprintf(out, size, "%.4g", sqlite3_column_double(stmt, column));
    else
        snprintf(out, size, "%s", (const char *)sqlite3_column_text(stmt, column));
}

void study_claim_sql(const struct study_claim *claim, struct strbuf *sql)
{
    strbuf_addf(sql, "SELECT ours, CASE WHEN ours IS NULL THEN NULL ELSE (%s) END, %s, %s FROM (%s)", claim->direction,
                *claim->magnitude ? claim->magnitude : "NULL", strstr(claim->sql, " AS mean") ? "mean" : "NULL",
                claim->sql);
}

/* A claim whose numbers are missing is not judged. */
static int answer_claim(struct study *study, const struct study_claim *claim, struct answer *answer)
{
    struct strbuf sql = {0};
    *answer = (struct answer){.ours = "-", .direction = -1, .magnitude = -1};
    study_claim_sql(claim, &sql);
    sqlite3_stmt *stmt = study_ask(study, claim->id, strbuf_text(&sql));
    strbuf_free(&sql);
    if (!stmt)
        return -1;
    int rc = 0;
    if (study_next(study, claim->id, stmt, &rc)) {
        print_value(stmt, 0, answer->ours, sizeof answer->ours);
        size_t n = strlen(answer->ours);
        if (sqlite3_column_type(stmt, 3) == SQLITE_FLOAT) /* the arithmetic mean beside the geometric one */
            snprintf(answer->ours + n, sizeof answer->ours - n, " (%.3g)", sqlite3_column_double(stmt, 3));
        answer->direction = judged(stmt, 1);
        answer->magnitude = answer->direction == 0 ? 0 : judged(stmt, 2);
        if (!*claim->magnitude)
            answer->magnitude = -1;
    }
    sqlite3_finalize(stmt);
    return rc;
}

static const char *word(int verdict)
{
    return verdict < 0 ? "-" : verdict ? "yes" : "no";
}

static void print_claims(const struct study *study, const struct answer *answers, struct strbuf *out)
{
    size_t widest = 5;
    for (size_t i = 0; i < study->claims.count; i++)
        if (strlen(study->claims.items[i].text) > widest)
            widest = strlen(study->claims.items[i].text);
    widest = widest > 78 ? 78 : widest;
    strbuf_addf(out, "%-6s %-*s %10s %14s  %-4s %s\n", "", (int)widest, "claim", "paper", "here", "D", "M");
    for (size_t i = 0; i < study->claims.count; i++) {
        const struct study_claim *c = &study->claims.items[i];
        strbuf_addf(out, "%-6s %-*.*s %10s %14s  %-4s %s\n", c->id, (int)widest, (int)widest, c->text,
                    *c->paper ? c->paper : "-", answers[i].ours, word(answers[i].direction),
                    word(answers[i].magnitude));
    }
}

static void csv_field(struct strbuf *out, const char *text, const char *end)
{
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, *text == '"' ? "%c\"" : "%c", *text);
    strbuf_addf(out, "\"%s", end);
}

static int write_csv(struct study *study, const struct answer *answers)
{
    struct strbuf out = {0};
    strbuf_add(&out, "id,claim,paper,here,direction,magnitude\n");
    for (size_t i = 0; i < study->claims.count; i++) {
        const struct study_claim *c = &study->claims.items[i];
        csv_field(&out, c->id, ",");
        csv_field(&out, c->text, ",");
        csv_field(&out, c->paper, ",");
        csv_field(&out, answers[i].ours, ",");
        strbuf_addf(&out, "%s,%s\n", word(answers[i].direction), word(answers[i].magnitude));
    }
    int rc = file_write(arena_printf(&study->arena, "%s/claims.csv", study->out), out.text, out.length, study->sink);
    strbuf_free(&out);
    return rc;
}

/* The page */

/* gnuplot draws in black and, for the grid, light grey. */
static const char style[] =
    "main { max-width: 64rem; margin: auto; overflow-wrap: anywhere; } figure { margin: 2rem 0; }\n"
    "table { margin: 1rem 0; font-size: 14px; } th, td { vertical-align: top; overflow-wrap: normal; }\n"
    ".claims td:nth-child(2) { min-width: 11rem; } .said { width: 60%; white-space: pre-wrap; overflow-wrap: anywhere; "
    "}\n"
    "@media (max-width: 40rem) { th, td { padding: 0.15rem 0.35rem; } }\n"
    ".yes { color: var(--good); } .no { color: var(--bad); font-weight: 600; } .note { color: var(--soft); }\n"
    "svg { width: 100%; min-width: 36rem; height: auto; } svg text { fill: var(--ink); }\n"
    "svg [color=black] { color: var(--ink); } svg [stroke=black] { stroke: var(--ink); }\n"
    "svg [stroke*='221, 221, 221'] { stroke: var(--faint); }\n";

static void page_claims(const struct study *study, const struct answer *answers, struct strbuf *out)
{
    strbuf_add(out, "<h2>Claims</h2><p class=note>D: direction and order hold. M: so does the size (a factor within a "
                    "quarter of the paper's; for effects below 30%, the effect within a factor of 1.5).</p>\n"
                    "<div class=scroll><table class=claims><tr><th><th>claim<th class=number>paper<th class=number>here"
                    "<th>D<th>M</tr>\n");
    for (size_t i = 0; i < study->claims.count; i++) {
        const struct study_claim *c = &study->claims.items[i];
        strbuf_addf(out, "<tr id=\"%s\"><td>%s<td>", c->id, c->id);
        html_escape(out, c->text);
        if (*c->why && (answers[i].direction != 1 || answers[i].magnitude == 0)) {
            strbuf_add(out, "<br><span class=note>");
            html_escape(out, c->why);
            strbuf_add(out, "</span>");
        }
        strbuf_add(out, "<td class=number>");
        html_escape(out, *c->paper ? c->paper : "-");
        strbuf_add(out, "<td class=number>");
        html_escape(out, answers[i].ours);
        for (int k = 0; k < 2; k++) {
            const char *w = word(k ? answers[i].magnitude : answers[i].direction);
            strbuf_addf(out, "<td class=%s>%s", *w == '-' ? "note" : w, w);
        }
        strbuf_add(out, "</tr>\n");
    }
    strbuf_add(out, "</table></div>\n");
}

static void page_cell(sqlite3_stmt *stmt, int column, struct strbuf *out)
{
    char value[64];
    if (sqlite3_column_type(stmt, column) == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(stmt, column);
        strbuf_add(out, strchr(text, '\n') ? "<td class=said>" : "<td>");
        html_escape(out, text);
        return;
    }
    print_value(stmt, column, value, sizeof value);
    strbuf_add(out, "<td class=number>");
    html_escape(out, value);
}

/* The rows of a question as a table. A column's name stands where its first value does. */
static int page_rows(struct study *study, const char *what, const char *sql, struct strbuf *out)
{
    sqlite3_stmt *stmt = study_ask(study, what, sql);
    if (!stmt)
        return -1;
    int columns = sqlite3_column_count(stmt), rc = 0;
    bool more = study_next(study, what, stmt, &rc);
    strbuf_add(out, "<div class=scroll><table><tr>");
    for (int i = 0; i < columns; i++) {
        strbuf_add(out, more && sqlite3_column_type(stmt, i) != SQLITE_TEXT ? "<th class=number>" : "<th>");
        html_escape(out, sqlite3_column_name(stmt, i));
    }
    strbuf_add(out, "</tr>\n");
    for (; more; more = study_next(study, what, stmt, &rc)) {
        strbuf_add(out, "<tr>");
        for (int i = 0; i < columns; i++)
            page_cell(stmt, i, out);
        strbuf_add(out, "</tr>\n");
    }
    sqlite3_finalize(stmt);
    strbuf_add(out, "</table></div>\n");
    return rc;
}

static int page_figure(struct study *study, const struct study_figure *figure, struct strbuf *out)
{
    strbuf_addf(out, "<figure id=\"%s\"><h3>", figure->id);
    html_escape(out, figure->title);
    strbuf_add(out, "</h3>");
    int rc = 0;
    if (figure->kind != STUDY_TABLE) {
        strbuf_add(out, "<div class=scroll>");
        rc = study_draw(study, figure, out);
        strbuf_add(out, "</div>");
        if (rc == 1)
            strbuf_add(out, "<p class=note>Not drawn: gnuplot is not installed.</p>");
    }
    if (*figure->text) {
        strbuf_add(out, "<figcaption>");
        html_escape(out, figure->text);
        strbuf_add(out, "</figcaption>");
    }
    if (figure->kind != STUDY_TABLE)
        strbuf_add(out, "<details><summary>numbers</summary>");
    if (rc >= 0)
        rc = page_rows(study, figure->id, figure->sql, out);
    strbuf_add(out, figure->kind != STUDY_TABLE ? "</details></figure>\n" : "</figure>\n");
    return rc < 0 ? -1 : 0;
}

static const char failures[] =
    "SELECT key AS run, status, error AS said FROM executions WHERE status <> 'ok' AND id IN "
    "(SELECT execution FROM runs) ORDER BY key";

/* Says when answers rest on results of other builds than this one. */
static int page_foreign(struct study *study, struct strbuf *out)
{
    sqlite3_stmt *stmt =
        study_ask(study, "builds",
                  "SELECT count(*) FROM executions WHERE status = 'ok' AND build <> ? AND id IN (SELECT "
                  "execution FROM runs)");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, study->build, -1, SQLITE_STATIC);
    int rc = 0, others = study_next(study, "builds", stmt, &rc) ? sqlite3_column_int(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (others)
        strbuf_addf(out, "<p class=note>%d results are of another build and %s here.</p>", others,
                    study->report ? "count" : "do not count");
    return rc;
}

static int write_page(struct study *study, const struct answer *answers)
{
    struct strbuf out = {0};
    int rc = 0;
    html_begin(&out, study->title, style);
    strbuf_add(&out, "<p>");
    html_escape(&out, study->source);
    strbuf_addf(&out, "</p><p class=note>%s version; %zu runs; lockstep " LOCKSTEP_VERSION ", build %s.</p>",
                study->quick ? "Quick" : "Full", study->runs.count, study->build);
    rc |= page_foreign(study, &out);
    strbuf_add(&out, "<p>");
    html_escape(&out, study->about);
    strbuf_add(&out, "</p>");
    page_claims(study, answers, &out);
    strbuf_add(&out, "<h2>Figures and tables</h2>\n");
    for (size_t i = 0; i < study->figures.count; i++)
        rc |= page_figure(study, &study->figures.items[i], &out);
    strbuf_add(&out, "<h2>Runs that did not end well</h2>\n");
    rc |= page_rows(study, "failures", failures, &out);
    strbuf_add(&out, "</main>\n</body>\n</html>\n");
    rc |= file_write(arena_printf(&study->arena, "%s/index.html", study->out), out.text, out.length, study->sink);
    strbuf_free(&out);
    return rc;
}

int study_report(struct study *study, struct strbuf *text)
{
    struct answer *answers = ARENA_NEW(&study->arena, struct answer, study->claims.count + 1);
    if (study_prepare_questions(study) < 0)
        return -1;
    int rc = 0;
    for (size_t i = 0; i < study->claims.count; i++)
        rc |= answer_claim(study, &study->claims.items[i], &answers[i]);
    print_claims(study, answers, text);
    return rc | write_csv(study, answers) | study_write_results(study) | write_page(study, answers);
}
