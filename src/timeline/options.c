/* The options of a timeline, as users write them. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "timeline/timeline.h"

/* A decimal number at *text, which moves behind it. */
static bool read_number(const char **text, uint64_t *value)
{
    const char *at = *text;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    bool some = at != *text;
    *text = at;
    return some;
}

static bool read_window(struct timeline_options *options, const char *text)
{
    bool from = read_number(&text, &options->from);
    if ((!from && options->from) || *text++ != ':')
        return false;
    return !*text || (read_number(&text, &options->until) && !*text && options->until > options->from);
}

static bool read_sms(struct timeline_options *options, const char *text)
{
    options->some = true;
    for (;; text++) {
        uint64_t first, last;
        if (!read_number(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!read_number(&text, &last))
                return false;
        }
        if (last < first || last >= TIMELINE_SMS)
            return false;
        for (uint64_t sm = first; sm <= last; sm++)
            options->sms[sm / 64] |= BIT64(sm % 64);
        if (*text != ',')
            return !*text;
    }
}

static bool read_resolution(struct timeline_options *options, const char *text)
{
    uint64_t value;
    if (!read_number(&text, &value) || *text || value < 1 || value > TIMELINE_RESOLUTION_MOST)
        return false;
    options->resolution = (uint32_t)value;
    return true;
}

int timeline_read_options(struct timeline_options *options, const char *window, const char *sms, const char *resolution,
                          struct diag_sink *sink)
{
    int rc = 0;
    *options = (struct timeline_options){.resolution = TIMELINE_RESOLUTION};
    if (window && !read_window(options, window))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--timeline-window %s: expected FROM:TO, cycles of each kernel",
                        window);
    if (sms && !read_sms(options, sms))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--timeline-sms %s: expected numbers of SMs, such as 0,3-5", sms);
    if (resolution && !read_resolution(options, resolution))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--timeline-resolution %s: expected a number of cycles from 1 to %u",
                        resolution, TIMELINE_RESOLUTION_MOST);
    return rc;
}

bool timeline_wants(const struct timeline_options *options, uint32_t sm)
{
    return !options->some || (sm < TIMELINE_SMS && mask_has(options->sms[sm / 64], sm % 64));
}

void timeline_identify(const struct timeline_options *options, struct strbuf *out)
{
    if (options->from || options->until)
        strbuf_addf(out, " --timeline-window %" PRIu64 ":%" PRIu64, options->from, options->until);
    for (uint32_t sm = 0, n = 0; options->some && sm < TIMELINE_SMS; sm++)
        if (timeline_wants(options, sm))
            strbuf_addf(out, "%s%u", n++ ? "," : " --timeline-sms ", sm);
    if (options->resolution != TIMELINE_RESOLUTION)
        strbuf_addf(out, " --timeline-resolution %u", options->resolution);
}
