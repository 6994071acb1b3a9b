/* Samples of `lockstep compare`: see samples.h. */
#include "cli/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "config/yaml.h"

#define MOST_SAMPLES 1000

/* Seeds 0, 1, 2, ...: the first is the run as it is. */
static unsigned by_seed(uint64_t count, struct arena *arena, struct cli_sample **samples)
{
    *samples = ARENA_NEW(arena, struct cli_sample, count);
    for (unsigned i = 0; i < count; i++)
        (*samples)[i] = (struct cli_sample){"--seed", arena_printf(arena, "%u", i)};
    return (unsigned)count;
}

static unsigned by_values(const char *text, struct arena *arena, struct cli_sample **samples)
{
    const char *values = strchr(text, '=') + 1;
    unsigned count = 1;
    for (const char *p = values; *p; p++)
        count += *p == ',';
    *samples = ARENA_NEW(arena, struct cli_sample, count);
    for (unsigned i = 0; i < count; i++) {
        size_t length = strcspn(values, ",");
        (*samples)[i] = (struct cli_sample){
            "--set", arena_printf(arena, "%.*s%.*s", (int)(strchr(text, '=') + 1 - text), text, (int)length, values)};
        values += length + (values[length] == ',');
    }
    return count;
}

unsigned cli_samples(const struct cli_options *options, struct arena *arena, struct cli_sample **samples,
                     struct diag_sink *sink)
{
    static const char hint[] = "--samples 8, or --samples partition.dram_latency=100,110,120";
    const char *text = options->samples;
    uint64_t count;
    *samples = ARENA_NEW(arena, struct cli_sample, 1);
    if (!text)
        return 1;
    if (strchr(text, '='))
        return by_values(text, arena, samples);
    if (!config_parse_u64(text, &count) || count < 2 || count > MOST_SAMPLES) {
        diag_error(sink, DIAG_NOWHERE, hint, "--samples: %s is no number from 2 to %d, and no values of a parameter",
                   text, MOST_SAMPLES);
        return 0;
    }
    if (options->seed) {
        diag_error(sink, DIAG_NOWHERE, hint, "--samples N takes seeds of its own: --seed is given, too");
        return 0;
    }
    return by_seed(count, arena, samples);
}

int cli_read_numbers(const char *path, struct report_numbers *numbers, struct arena *arena, struct diag_sink *sink)
{
    struct strbuf text = {0};
    VEC(double) found = {0};
    unsigned line = 1;
    int rc = cli_read_file(path, &text, sink);
    for (const char *c = strbuf_text(&text); rc == 0 && *c;) {
        char *end;
        line += *c == '\n';
        if (*c == '#')
            c += strcspn(c, "\n");
        else if (strchr(" \t\r\n,", *c))
            c++;
        else {
            double value = strtod(c, &end);
            if (end == c || !strchr(" \t\r\n,#", *end) || value - value != 0)
                rc = diag_error(sink, DIAG_NOWHERE, "numbers between blanks, commas or line ends; # begins a remark",
                                "%s: line %u: '%.*s' is no number", path, line, (int)strcspn(c, " \t\r\n,#"), c);
            vec_push(&found, value);
            c = end;
        }
    }
    if (rc == 0 && !found.count)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s has no numbers", path);
    double *kept = ARENA_NEW(arena, double, found.count + 1);
    if (found.count)
        memcpy(kept, found.items, found.count * sizeof *kept);
    *numbers = (struct report_numbers){path, kept, found.count};
    vec_free(&found);
    strbuf_free(&text);
    return rc;
}
