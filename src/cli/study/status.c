/* The status of a study: the runs that it needs, and how many of them are done. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/study/study.h"

/* "40 s", "12 min", "3.5 h". */
static const char *duration(struct study *study, double seconds)
{
    if (seconds < 120)
        return arena_printf(&study->arena, "%.0f s", seconds);
    if (seconds < 7200)
        return arena_printf(&study->arena, "%.0f min", seconds / 60);
    return arena_printf(&study->arena, "%.1f h", seconds / 3600);
}

/* An execution that has been run before is expected to take as long again; of the others, their share of what
 * study.yaml says. */
const char *study_estimate(struct study *study)
{
    size_t todo = 0, unknown = 0, all = study->executions.count;
    double seconds = 0;
    for (size_t i = 0; i < all; i++) {
        const struct study_execution *e = &study->executions.items[i];
        if (!study_is_due(study, i))
            continue;
        todo++;
        unknown += e->seconds < 0;
        seconds += e->seconds > 0 ? e->seconds : 0;
    }
    if (study->takes > 0)
        seconds += study->takes * (double)unknown / (double)all;
    if (unknown && !(study->takes > 0))
        return arena_printf(&study->arena, "%zu runs to do; how long %zu of them take is not known", todo, unknown);
    return arena_printf(&study->arena, "%zu runs to do: about %s of one core, %s with %u at a time", todo,
                        duration(study, seconds), duration(study, seconds / study->jobs), study->jobs);
}

int study_list(struct study *study)
{
    size_t todo = 0, unknown = 0, absent = 0;
    double seconds = 0;
    study_peek_all(study);
    for (size_t i = 0; i < study->executions.count; i++) {
        const struct study_execution *e = &study->executions.items[i];
        struct strbuf text = {0};
        study_tell_execution(study, e, &text);
        absent += study_is_absent(study, i);
        strbuf_addf(&text, study_is_absent(study, i) ? " (absent: %s)\n" : "\n", e->absent);
        cli_print(&text);
        if (!study_is_due(study, i))
            continue;
        todo++;
        unknown += e->seconds < 0;
        seconds += e->seconds > 0 ? e->seconds : 0;
    }
    cli_printf("%zu runs", study->executions.count);
    if (absent)
        cli_printf("; %zu are absent: they need what --programs brings", absent);
    if (todo + absent < study->executions.count)
        cli_printf("; %zu have a result in %s", study->executions.count - todo - absent, study->out);
    if (todo > unknown)
        cli_printf("; %zu took %s of one core before", todo - unknown, duration(study, seconds));
    if (unknown)
        cli_printf("; %zu were not run there before: ", unknown);
    if (unknown && study->takes > 0)
        cli_printf("about %s by study.yaml",
                   duration(study, study->takes * (double)unknown / (double)study->executions.count));
    else if (unknown)
        cli_printf("how long they take is not known");
    cli_printf("\n");
    if (study->left)
        cli_printf("%s\n", study->left);
    return CLI_OK;
}

/* Prints the last progress line of each shard that is at work. */
static void tell_working(struct study *study)
{
    for (const struct study_shard *s = study_find_shards(study, ".progress"); s->of; s++) {
        const char *path = study_shard_path(study, *s, ".progress");
        struct strbuf text = {0};
        struct stat info;
        struct diag_sink ignored;
        diag_init(&ignored);
        if (stat(path, &info) == 0 && cli_read_file(path, &text, &ignored) == 0)
            cli_printf("  shard %u/%u: %.*s, said %s ago\n", s->number, s->of, (int)strcspn(strbuf_text(&text), "\n"),
                       strbuf_text(&text), duration(study, difftime(time(NULL), info.st_mtime)));
        diag_free(&ignored);
        strbuf_free(&text);
    }
}

/* Of one number of shards, those that have runs without a result. */
static void tell_missing(struct study *study, unsigned of)
{
    unsigned missing = 0;
    struct strbuf list = {0};
    for (unsigned i = 1; i <= of; i++)
        if (study_missing(study, (struct study_shard){i, of})) {
            strbuf_addf(&list, " %u/%u", i, of);
            missing++;
        }
    cli_printf("shards: %u of %u whole%s%s\n", of - missing, of, missing ? "; not yet:" : "", strbuf_text(&list));
    strbuf_free(&list);
}

int study_status(struct study *study)
{
    size_t done = 0, failed = 0, waits = 0, absent, count = study->executions.count;
    study_peek_all(study);
    for (size_t i = 0; i < count; i++) {
        const struct study_execution *e = &study->executions.items[i];
        done += e->stored;
        failed += !e->stored && e->state == STUDY_FAILED;
        waits += !e->stored && e->state != STUDY_FAILED;
    }
    absent = study_count_absent(study);
    cli_printf("runs: %zu of %zu done, %zu failed, %zu not run", done, count, failed, waits);
    if (absent)
        cli_printf(": %zu of these need what --programs brings", absent);
    cli_printf("\n");
    unsigned last = 0;
    for (const struct study_shard *s = study_find_shards(study, ".sqlite"); s->of; s++) {
        if (s->of != last)
            tell_missing(study, s->of);
        last = s->of;
    }
    tell_working(study);
    return done + absent == count ? CLI_OK : CLI_FAILED;
}
