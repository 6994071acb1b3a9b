/* index.html: a study's page. It opens with what was found; then figures, claims, and the runs that did not end well.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/study/page.h"
#include "report/html.h"
#include "report/chart.h"

static const char style[] =
    "main > p, main > figure, nav, .claims { max-width: 68rem; }\n"
    ".counts { font-size: 1.15rem; } .origin { font-size: 13px; }\n"
    ".inputs { font-size: 14px; }\n"
    ".name { font-weight: normal; }\n"
    ".said { width: 60%; white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    ".claims { width: 100%; } .claims > tbody > tr > td { padding: 0.75rem 0.5rem; }\n"
    ".claim { width: 42%; min-width: 14rem; } .id { color: var(--soft); font-size: 13px; }\n"
    ".why { color: var(--soft); font-size: 14px; margin-top: 0.35rem; }\n"
    ".cells { display: flex; flex-wrap: wrap; gap: 0.5rem; }\n"
    ".cell { flex: 0 1 9.5rem; background: var(--wide); border-radius: 6px; padding: 0.4rem 0.6rem; font-size: 14px; "
    "}\n"
    ".cell:only-child { flex: 1 1 auto; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.25rem; }\n"
    ".of { color: var(--soft); font-size: 13px; } .ours { font-size: 1.15rem; font-weight: 600; }\n"
    ".small { font-size: 12.5px; color: var(--soft); }\n"
    ".yes { color: var(--good); } .no { color: var(--bad); font-weight: 600; }\n"
    ".missing { border-left: 4px solid var(--bad); padding: 0.2rem 0.75rem; }\n"
    ".mixed { color: var(--square); font-weight: 600; } :target { outline: 2px solid var(--dot); outline-offset: 2px; "
    "}\n"
    ".first { display: grid; gap: 0 1.5rem; } .first > * { min-width: 0; } .first > figure { margin: 1rem 0; }\n"
    "@media (min-width: 75rem) { .first { grid-template-columns: 11fr 9fr; } .first > figure + .head { font-size: "
    "14px; "
    "}\n"
    "  .first > .side, .first > .side + .head, .first > .head:only-child { grid-column: 1 / -1; } }\n"
    "@media (max-width: 40rem) {\n"
    "  .claims, .claims > tbody, .claims > tbody > tr, .claims > tbody > tr > td { display: block; width: auto; }\n"
    "  .claims > tbody > tr > td { border: 0; padding: 0.25rem 0; } .claim { min-width: 0; }\n"
    "  .claims > tbody > tr { border-bottom: 1px solid var(--faint); padding: 0.5rem 0; }\n"
    "  .cell { flex: 1 1 8rem; } .first { display: block; width: auto; } }\n";

static const char failures[] =
    "SELECT key AS run, status, error AS said FROM executions WHERE status NOT IN ('ok', '" STUDY_WAITS "') AND id IN "
    "(SELECT execution FROM main.runs UNION SELECT execution FROM main.tried) ORDER BY key";

/* The runs that the page knows nothing of, told before anything else. */
static void page_missing(const struct study *study, struct strbuf *out)
{
    size_t absent = study_count_absent(study), all = study->executions.count;
    size_t waits = study_count_state(study, STUDY_NOT_RUN) - absent;
    size_t bad = study_count_state(study, STUDY_FAILED) + study_count_state(study, STUDY_STOPPED);
    if (waits)
        strbuf_addf(out,
                    "<p class=missing><b>%zu of %zu runs have %s.</b> Claims that rest on them are not judged, and "
                    "figures lack them: <a href=\"#waiting\">which</a>.</p>\n",
                    waits, all, study->committed ? "no row in results.csv" : "not been run");
    if (absent)
        strbuf_addf(
            out,
            "<p class=missing>%zu of %zu runs are of programs or data of public suites, which --programs brings: "
            "not run, and claims that rest on them are not judged: <a href=\"#waiting\">which</a>.</p>\n",
            absent, all);
    if (bad)
        strbuf_addf(out,
                    "<p class=missing><b>%zu of %zu runs did not end well</b> and have no results: <a "
                    "href=\"#failures\">which</a>.</p>\n",
                    bad, all);
}

/* By its name in the list of runs, folded. */
static void add_waiting(struct study *study, struct strbuf *out)
{
    size_t waits = study_count_state(study, STUDY_NOT_RUN);
    if (!waits)
        return;
    strbuf_addf(out, "<h2 id=waiting>Runs that have not been run</h2>\n<details><summary>%zu runs</summary>\n<ul>\n",
                waits);
    for (size_t i = 0; i < study->executions.count; i++) {
        struct strbuf text = {0};
        if (study->executions.items[i].state != STUDY_NOT_RUN)
            continue;
        study_tell_execution(study, &study->executions.items[i], &text);
        strbuf_add(out, "<li>");
        if (study_is_absent(study, i))
            strbuf_addf(&text, " (absent: %s)", study->executions.items[i].absent);
        html_escape(out, strbuf_text(&text));
        strbuf_add(out, "\n");
        strbuf_free(&text);
    }
    strbuf_add(out, "</ul></details>\n");
}

/* Says when answers rest on results of other builds than this one. */
static int page_foreign(struct study *study, struct strbuf *out)
{
    sqlite3_stmt *stmt =
        study_ask(study, "builds",
                  "SELECT count(*) FROM executions WHERE status = 'ok' AND build <> ? AND id IN (SELECT "
                  "execution FROM main.runs)");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, study->build, -1, SQLITE_STATIC);
    int rc = 0, others = study_next(study, "builds", stmt, &rc) ? sqlite3_column_int(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (others && !study->committed)
        strbuf_addf(out, "<p class=note>%d results are of another build and %s here.</p>", others,
                    study->report ? "count" : "do not count");
    return rc;
}

/* The commits whose simulators gave the results, as a list. */
static const char *revisions(struct study *study)
{
    const char *list = "unknown";
    int rc = 0;
    sqlite3_stmt *stmt =
        study_ask(study, "revisions",
                  "SELECT group_concat(revision, ', ') FROM (SELECT DISTINCT ifnull(revision, 'unknown') AS "
                  "revision FROM executions WHERE status <> '" STUDY_WAITS "' AND (build = ? OR ?) AND id IN "
                  "(SELECT execution FROM main.runs) ORDER BY 1)");
    if (!stmt)
        return list;
    sqlite3_bind_text(stmt, 1, study->build, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 2, study->report);
    if (study_next(study, "revisions", stmt, &rc) && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        list = arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return list;
}

/* Of what the page tells, and whose results these are. */
static void page_origin(struct study *study, struct strbuf *out)
{
    strbuf_addf(out, "<br><span class=\"note origin\">%s version; %zu runs; ", study->quick ? "Quick" : "Full",
                study->runs.count);
    if (study->committed)
        strbuf_add(out, "the means of results.csv, which comes with the study, without variants; ");
    else
        strbuf_addf(out, "results of commit %s; ", revisions(study));
    strbuf_addf(out, "judged by lockstep " LOCKSTEP_VERSION ", build %s.</span></p>", study->build);
}

static void add_contents(const struct study *study, struct strbuf *out)
{
    strbuf_add(out, "<nav><details><summary>Contents</summary>\n<div class=contents>");
    if (study->inputs.count)
        strbuf_add(out, "<a href=\"#inputs\">Inputs, beside the paper's</a>\n");
    for (size_t i = 0; i < study->figures.count; i++) {
        strbuf_addf(out, "<a href=\"#%s\">", study->figures.items[i].id);
        html_escape(out, study->figures.items[i].title);
        strbuf_add(out, "</a>\n");
    }
    if (study->claims.count)
        strbuf_addf(out, "<a href=\"#claims\">Claims (%zu)</a>\n", study->claims.count);
    strbuf_add(out, "<a href=\"#failures\">Runs that did not end well</a></div></details></nav>\n");
}

static int add_failures(struct study *study, struct strbuf *out)
{
    int rc = 0;
    strbuf_add(out, "<h2 id=failures>Runs that did not end well</h2>\n");
    sqlite3_stmt *stmt = study_ask(study, "failures", failures);
    bool any = stmt && study_next(study, "failures", stmt, &rc);
    sqlite3_finalize(stmt);
    if (!any)
        strbuf_add(out, "<p>None.</p>\n");
    return any ? study_page_rows(study, "failures", "Runs that did not end well", failures, out) : stmt ? rc : -1;
}

int study_write_page(struct study *study, const struct study_found *found)
{
    struct strbuf out = {0};
    int rc = 0;
    struct strbuf rules = {0};
    strbuf_addf(&rules, "%s%s%s", chart_style, html_long_style, style);
    html_begin(&out, study->title, strbuf_text(&rules));
    strbuf_free(&rules);
    strbuf_add(&out, "<p>");
    html_escape(&out, study->source);
    page_origin(study, &out);
    if (study->left)
        strbuf_addf(&out, "<p class=missing>%s</p>\n", study->left);
    page_missing(study, &out);
    rc |= page_foreign(study, &out);
    if (found->library)
        chart_unscripted(&out);
    study_page_counts(study, found, &out);
    strbuf_add(&out, "<div class=first>\n");
    rc |= study_page_main(study, found, &out);
    study_page_head(study, found, &out);
    strbuf_add(&out, "</div>\n<p>");
    html_escape(&out, study->about);
    strbuf_add(&out, "</p>\n");
    add_contents(study, &out);
    rc |= study_page_inputs(study, &out);
    rc |= study_page_figures(study, found, &out);
    study_page_claims(study, found, &out);
    add_waiting(study, &out);
    rc |= add_failures(study, &out);
    if (found->library)
        chart_scripts(&out, found->library);
    strbuf_add(&out, "</main>\n</body>\n</html>\n");
    rc |= file_write(arena_printf(&study->arena, "%s/index.html", study->out), out.text, out.length, study->sink);
    strbuf_free(&out);
    return rc;
}
