/* Diagnostics for wrong calls. The program gets an error code, as on a card, but many programs check none. */
#include <stdarg.h>

#include "cuda/driver.h"

/* A loop that does the same wrong thing again is told once. */
static bool said_before(struct runtime *rt, const char *reason)
{
    for (size_t i = 0; i < rt->refusals.count; i++)
        if (rt->refusals.items[i].entry == rt->entry && rt->refusals.items[i].reason == reason)
            return true;
    vec_push(&rt->refusals, (struct refusal){rt->entry, reason});
    return false;
}

cudaError_t runtime_refuse(struct runtime *rt, cudaError_t error, const char *format, ...)
{
    if (said_before(rt, format))
        return error;
    struct strbuf reason = {0};
    struct diag_sink sink;
    bool by_driver = runtime_thread()->driver_call != NULL;
    const char *name = by_driver ? driver_result_name(driver_result(error)) : cudaGetErrorName(error);
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&reason, format, ap);
    va_end(ap);
    diag_init(&sink);
    diag_note(&sink, DIAG_NOWHERE, NULL, "%s is refused with %s: %s (not said again)", rt->entry,
              name, strbuf_text(&reason));
    runtime_report(rt, &sink);
    diag_free(&sink);
    strbuf_free(&reason);
    return error;
}
