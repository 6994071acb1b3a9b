/* Modules of PTX from anywhere, two with a NUL between them: linking ends in a text or in a diagnostic, and what is
 * linked loads or is explained. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *first = (const char *)data, *nul = size ? memchr(first, 0, size) : NULL;
    const size_t length = nul ? (size_t)(nul - first) : size, rest = nul ? size - length - 1 : 0;
    const struct ptx_unit units[] = {{"a.ptx", first, length}, {"b.ptx", nul ? nul + 1 : "", rest}};
    struct strbuf text = {0};
    struct diag_sink sink;
    diag_init(&sink);
    int rc = ptx_link(units, 2, &text, &sink);
    if ((rc == 0) != (sink.errors == 0))
        abort();
    struct isa_module *module = rc ? NULL : ptx_load("linked", strbuf_text(&text), text.length, NULL, &sink);
    if (!rc && !module && !sink.errors)
        abort();
    if (module)
        isa_module_free(module);
    strbuf_free(&text);
    diag_free(&sink);
    return 0;
}
