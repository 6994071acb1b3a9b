/* The choice of launches that are timed: see timed.h. */
#include "cuda/timed.h"

#include <fnmatch.h>

#include "config/yaml.h"

static int read_number(const char *variable, const char *text, uint64_t *value, struct diag_sink *sink)
{
    if (!text || config_parse_u64(text, value))
        return 0;
    return diag_error(sink, DIAG_NOWHERE, NULL, "%s=%s: expected a number of launches", variable, text);
}

int timed_read(struct timed *t, const struct timed_texts *texts, struct diag_sink *sink)
{
    *t = (struct timed){.chosen = texts->pattern || texts->skip || texts->warm || texts->most,
                        .pattern = texts->pattern,
                        .most = UINT64_MAX};
    int rc = read_number("LOCKSTEP_SKIP_LAUNCHES", texts->skip, &t->skip, sink);
    rc |= read_number("LOCKSTEP_WARM_LAUNCHES", texts->warm, &t->warm, sink);
    return read_number("LOCKSTEP_TIME_LAUNCHES", texts->most, &t->most, sink) | rc;
}

enum timed_how timed_next(struct timed *t, const char *name, const char *plain)
{
    if (t->pattern && fnmatch(t->pattern, name, 0) != 0 && fnmatch(t->pattern, plain, 0) != 0)
        return TIMED_NOT;
    uint64_t number = t->matched++;
    if (number < t->skip)
        return t->skip - number <= t->warm ? TIMED_WARMS : TIMED_NOT;
    return number - t->skip < t->most ? TIMED_YES : TIMED_NOT;
}
