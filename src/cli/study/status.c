/* What a study would run, and how far it is. */
#include <stdio.h>

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

int study_list(struct study *study)
{
    size_t todo = 0, unknown = 0;
    double seconds = 0;
    for (size_t i = 0; i < study->executions.count; i++)
        study->executions.items[i].seconds = -1;
    study_peek(study, study_database(study));
    for (size_t i = 0; i < study->executions.count; i++) {
        const struct study_execution *e = &study->executions.items[i];
        cli_printf("%s\n", e->key);
        todo += !e->stored;
        unknown += !e->stored && e->seconds < 0;
        seconds += !e->stored && e->seconds > 0 ? e->seconds : 0;
    }
    cli_printf("%zu runs", study->executions.count);
    if (todo < study->executions.count)
        cli_printf("; %zu have a result in %s", study->executions.count - todo, study->out);
    if (todo > unknown)
        cli_printf("; %zu took %s of one core before", todo - unknown, duration(study, seconds));
    if (unknown)
        cli_printf("; %zu were not run there before: how long they take is not known", unknown);
    cli_printf("\n");
    return CLI_OK;
}
