/* Calls of entry points that are not modelled, by name. */
#include "cuda/runtime.h"
#include "cuda/unsupported.h"

_Static_assert(UNSUPPORTED_ROWS <= 64 * 8, "room in runtime.named_unsupported");

int unsupported_call(enum unsupported_row row, const char *name)
{
    struct runtime *rt = runtime_lock();
    uint64_t bit = UINT64_C(1) << (row % 64);
    if (!(rt->named_unsupported[row / 64] & bit)) {
        rt->named_unsupported[row / 64] |= bit;
        struct diag_sink sink;
        diag_init(&sink);
        diag_warning(&sink, DIAG_NOWHERE, NULL, "%s is not supported", name);
        runtime_report(rt, &sink);
        diag_free(&sink);
    }
    return (int)runtime_unlock(rt, cudaErrorNotSupported);
}
