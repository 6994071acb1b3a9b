/* Doubts: a study that can run may still state what it does not have. `--list` warns of it, and no verdict depends on
 * it. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/inputs.h"

void study_doubt(struct study *study, const struct yaml_node *node, const char *hint, const char *format, ...)
{
    struct strbuf message = {0};
    va_list arguments;
    va_start(arguments, format);
    strbuf_vaddf(&message, format, arguments);
    va_end(arguments);
    diag_warning(study->sink, (struct diag_pos){study->doc->file, node->line, node->column}, hint, "%s",
                 strbuf_text(&message));
    strbuf_free(&message);
}

/* Parameters in texts */

/* All that runs have, with a blank before and behind each word. */
static const char *settings_of(struct study *study)
{
    struct strbuf all = {0};
    for (size_t i = 0; i < study->executions.count; i++) {
        const struct study_execution *e = &study->executions.items[i];
        strbuf_addf(&all, " %s %s ", e->arguments, e->scheduler);
        for (size_t k = 0; k < e->sets.count; k++)
            strbuf_addf(&all, " %s ", e->sets.items[k]);
    }
    for (char *c = all.text; c && *c; c++) /* options of schedulers are words, too */
        if (*c == ':' || *c == '+')
            *c = ' ';
    const char *text = arena_strdup(&study->arena, strbuf_text(&all));
    strbuf_free(&all);
    return text;
}

/* True if a machine of the study has that value by itself. */
static bool is_given(struct study *study, const char *name, const char *value)
{
    bool found = false;
    for (size_t i = 0; i < study->machines.count && !found; i++) {
        struct diag_sink ignored;
        struct machine machine;
        struct strbuf text = {0};
        diag_init(&ignored);
        if (machine_load(&machine, study->machines.items[i].machine, &ignored) == 0) {
            found = machine_value(&machine, name, &text) && !strcmp(strbuf_text(&text), value);
            machine_free(&machine);
        }
        strbuf_free(&text);
        diag_free(&ignored);
    }
    return found;
}

/* The length of a word of which a setting is made. */
static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || strchr("_-./+", text[n] ? text[n] : ' '))
        n++;
    while (n && strchr(".-", text[n - 1]))
        n--; /* a full stop behind it */
    return n;
}

struct texts {
    const char *what, *settings;
    const struct yaml_node *node;
};

/* `name=value` at the text's begin: 0 when it is none, else its length. */
static size_t doubt_setting(struct study *study, const struct texts *in, const char *text)
{
    size_t name = word_length(text), value = text[name] == '=' ? word_length(text + name + 1) : 0;
    if (!name || !value || !islower((unsigned char)*text))
        return 0;
    const char *word = arena_strndup(&study->arena, text, name + 1 + value);
    if (!strstr(in->settings, arena_printf(&study->arena, " %s ", word)) &&
        !is_given(study, arena_strndup(&study->arena, text, name), word + name + 1))
        study_doubt(study, in->node, NULL, "%s: no run has %s, which a text states", in->what, word);
    return name + 1 + value;
}

/* `--option`, or `--option 12`. */
static size_t doubt_option(struct study *study, const struct texts *in, const char *text)
{
    if (strncmp(text, "--", 2) || !islower((unsigned char)text[2]))
        return 0;
    size_t length = 2 + word_length(text + 2);
    if (text[length] == ' ' && isdigit((unsigned char)text[length + 1]))
        length += 1 + word_length(text + length + 1);
    const char *word = arena_strndup(&study->arena, text, length);
    if (strcmp(word, "--quick") && !strstr(in->settings, arena_printf(&study->arena, " %s ", word)))
        study_doubt(study, in->node, NULL, "%s: no program is run with %s, which a text states", in->what, word);
    return length;
}

static void doubt_text(struct study *study, const struct texts *in, const char *text)
{
    for (size_t length; *text; text += length ? length : 1) {
        length = doubt_setting(study, in, text);
        if (!length)
            length = doubt_option(study, in, text);
        if (!length)
            length = word_length(text);
    }
}

static void doubt_texts(struct study *study)
{
    struct texts in = {"about", settings_of(study), yaml_get(study->doc->root, "about")};
    if (in.node)
        doubt_text(study, &in, study->about);
    for (size_t i = 0; i < study->figures.count; i++) {
        const struct study_figure *f = &study->figures.items[i];
        in.what = f->id;
        in.node = f->node;
        doubt_text(study, &in, f->title);
        doubt_text(study, &in, f->text);
    }
    for (size_t i = 0; i < study->claims.count; i++) {
        const struct study_claim *c = &study->claims.items[i];
        in.what = c->id;
        in.node = c->node;
        doubt_text(study, &in, c->text);
        doubt_text(study, &in, c->why);
    }
}

/* Numbers of the paper */

static bool is_named(const struct study_names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (!strcmp(names->items.items[i], name))
            return true;
    return false;
}

/* A number of the paper stands beside ours of the same x, and, where the study has that series, of the same series. */
static void doubt_prints(struct study *study, const struct study_figure *figure, bool *warned)
{
    static const struct study_world whole = {STUDY_WHOLE, 0}, variant = {STUDY_VARIANT, 0};
    struct study_points all = {.spread = false}, ours = {.spread = false};
    bool read =
        study_read_points(study, figure, &variant, &ours) == 0 && study_read_points(study, figure, &whole, &all) == 0;
    for (size_t i = 0; read && i < all.items.count; i++) {
        const struct study_point *point = &all.items.items[i];
        const char *series = all.series.items.items[point->series], *x = all.xs.items.items[point->x];
        if (!point->printed || point->there || (!is_named(&ours.series, series) && is_named(&ours.xs, x)))
            continue;
        study_doubt(study, figure->node, NULL, "%s: the paper's %.6g of %s at %s has no row of ours", figure->id,
                    point->paper, series, x);
    }
    study_doubt_inputs(study, &all, warned);
    study_free_points(&ours);
    study_free_points(&all);
}

/* Questions */

/* A statement that reads no table says what somebody knows by other means. */
static bool asks_nothing(const char *sql)
{
    for (; *sql; sql++)
        if (!sqlite3_strnicmp(sql, "from", 4))
            return false;
    return true;
}

static void doubt_claim(struct study *study, const struct study_claim *claim)
{
    const struct yaml_node *node = yaml_get(claim->node, claim->of_rows ? "rows" : "sql");
    if (asks_nothing(claim->sql))
        return;
    if (!claim->found)
        study_doubt(study, node, "are its names those of runs?", "%s finds nothing, even if every run ends well",
                    claim->id);
    else if (claim->found < claim->expected)
        study_doubt(study, node, "are their names those of runs?",
                    "%s: %u of %u rows find nothing, even if every run ends well", claim->id,
                    claim->expected - claim->found, claim->expected);
}

void study_doubt_questions(struct study *study)
{
    bool *warned = ARENA_NEW(&study->arena, bool, study->benchmarks.count + 1); /* of a lack of inputs */
    doubt_texts(study);
    for (size_t i = 0; i < study->figures.count && !study->quick; i++)
        if (study_has_points(&study->figures.items[i]))
            doubt_prints(study, &study->figures.items[i], warned);
    for (size_t i = 0; i < study->claims.count && !study->quick; i++)
        doubt_claim(study, &study->claims.items[i]);
}

/* Launches */

/* The text in quotes, or the number, that SQL compares a column with; "" when it does not. */
static const char *compared(struct study *study, const char *sql, const char *column)
{
    size_t length = strlen(column);
    for (const char *at = sql; (at = strstr(at, column)); at += length) {
        const char *value = at + length;
        if (at > sql && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            continue;
        value += strspn(value, " \n");
        if (*value++ != '=')
            continue;
        value += strspn(value, " \n");
        size_t end = *value == '\'' ? strcspn(value + 1, "'") : strspn(value, "0123456789");
        if (end)
            return arena_strndup(&study->arena, value + (*value == '\''), end);
    }
    return "";
}

static void doubt_launch(struct study *study, const struct yaml_node *node, const char *id, const char *sql)
{
    const char *launch = compared(study, sql, "launch"), *benchmark = compared(study, sql, "benchmark");
    sqlite3_stmt *stmt = NULL;
    if (!strstr(sql, "phases_of_results") || !*launch || !*benchmark)
        return;
    sqlite3_prepare_v2(study->db,
                       "SELECT max(phase), max(kernel) FROM phases_of_results WHERE benchmark = ? AND launch = ?", -1,
                       &stmt, NULL);
    sqlite3_bind_text(stmt, 1, benchmark, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, atoll(launch));
    if (stmt && sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL &&
        sqlite3_column_int64(stmt, 0) == 0)
        study_doubt(study, node, "another launch may have them: table `phases`",
                    "%s asks for phases between barriers of launch %s of %s, in which there is no barrier (kernel %s)",
                    id, launch, benchmark, (const char *)sqlite3_column_text(stmt, 1));
    sqlite3_finalize(stmt);
}

void study_doubt_launches(struct study *study)
{
    if (sqlite3_open_v2(study_database(study), &study->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        study_guard(&study->rights, study->db) == 0) {
        for (size_t i = 0; i < study->figures.count; i++)
            doubt_launch(study, study->figures.items[i].node, study->figures.items[i].id, study->figures.items[i].sql);
        for (size_t i = 0; i < study->claims.count; i++)
            doubt_launch(study, study->claims.items[i].node, study->claims.items[i].id, study->claims.items[i].sql);
    }
    study_close(study);
}
