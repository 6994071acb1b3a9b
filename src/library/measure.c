/* What launches are measured and looked at for besides their statistics, and the texts that come of it. */
#include "library/library.h"
#include "timeline/timeline.h"

int lockstep_profile(struct lockstep_device *d)
{
    int code = library_need_idle(d, "lockstep_profile");
    if (!code && !d->profiles)
        gpu_profile(d->gpu);
    d->profiles |= !code;
    return code;
}

int lockstep_interval(struct lockstep_device *d, uint64_t cycles)
{
    int code = library_need_idle(d, "lockstep_interval");
    if (!code)
        gpu_set_interval(d->gpu, cycles);
    return code;
}

/* LOCKSTEP_OK: nobody has called it before. */
static int need_first(struct lockstep_device *d, bool called, const char *what)
{
    int code = library_need_idle(d, what);
    if (code || !called)
        return code;
    return library_wrong(d, LOCKSTEP_ERROR_STATE, "once for a device", "%s was called before", what);
}

int lockstep_check(struct lockstep_device *d, uint32_t flags)
{
    const uint32_t known =
        LOCKSTEP_CHECK_RACE | LOCKSTEP_CHECK_INIT | LOCKSTEP_LET_PASS | LOCKSTEP_COUNT_PASSED | LOCKSTEP_CHECK_MEM;
    int code = need_first(d, d->checks, "lockstep_check");
    if (!code && flags & ~known)
        code = library_wrong(d, LOCKSTEP_ERROR_VERSION, NULL, "lockstep_check: flags that this library does not know");
    if (code)
        return code;
    d->checks = true;
    gpu_sanitize(d->gpu, (flags & LOCKSTEP_CHECK_RACE ? (unsigned)GPU_CHECKS_race : 0) |
                             (flags & LOCKSTEP_CHECK_INIT ? (unsigned)GPU_CHECKS_init : 0) |
                             (flags & LOCKSTEP_CHECK_MEM ? (unsigned)GPU_CHECKS_mem : 0));
    if (flags & LOCKSTEP_LET_PASS) /* without, none passes that could be counted */
        gpu_let_pass(d->gpu, flags & LOCKSTEP_COUNT_PASSED);
    return LOCKSTEP_OK;
}

int lockstep_timeline(struct lockstep_device *d, const struct lockstep_timeline_setup *from)
{
    struct lockstep_timeline_setup setup;
    struct timeline_options options;
    int code = need_first(d, d->timelines, "lockstep_timeline");
    code = code ? code : library_take(d, &setup, sizeof setup, from, "lockstep_timeline_setup");
    if (code)
        return code;
    if (timeline_read_options(&options, setup.window, setup.sms, setup.resolution, &d->sink) < 0)
        return LOCKSTEP_ERROR_INVALID;
    d->timelines = true;
    gpu_timeline(d->gpu, &options);
    return LOCKSTEP_OK;
}

/* Texts */

/* Gives out a text of the last launch; NULL: there is none. */
static int give(struct lockstep_device *d, const struct strbuf *from, const char *what, const char **text,
                size_t *length)
{
    if (!from)
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "the last launch left no %s", what);
    *text = strbuf_text(from);
    *length = from->length;
    return LOCKSTEP_OK;
}

int lockstep_timeline_lines(struct lockstep_device *d, const char **text, size_t *length)
{
    int code = library_need_idle(d, "lockstep_timeline_lines");
    if (code)
        return code;
    strbuf_free(&d->lines);
    strbuf_add(&d->lines, d->result.timeline ? d->result.timeline : "");
    return give(d, d->result.timeline ? &d->lines : NULL, "time-line", text, length);
}

int lockstep_phases(struct lockstep_device *d, const char **text, size_t *length)
{
    int code = library_need_idle(d, "lockstep_phases");
    return code ? code : give(d, d->phases.length ? &d->phases : NULL, "phases", text, length);
}

int lockstep_hang_report(struct lockstep_device *d, const char **text, size_t *length)
{
    int code = library_need_idle(d, "lockstep_hang_report");
    return code ? code : give(d, d->waits.length ? &d->waits : NULL, "report of a hang", text, length);
}
