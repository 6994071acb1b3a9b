/* Fat binaries from anywhere: extraction must end in text or in a diagnostic, and never read outside the input; neither
 * must whoever reads the machine code in them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cubin.h"
#include "cuda/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_sink sink;
    struct fatbin_ptx ptx;
    diag_init(&sink);
    enum fatbin_result result = fatbin_extract(data, size, &ptx, &sink);
    if ((result == FATBIN_OK) != (ptx.text != NULL) || (result != FATBIN_OK) != (sink.errors > 0))
        abort();
    if (ptx.text && strlen(ptx.text) != ptx.length)
        abort();
    free(ptx.text);
    struct fatbin_code code;
    struct cubin cubin;
    if (fatbin_extract_code(data, size, 80, &code)) {
        cubin_read(code.data, code.bytes, &cubin);
        cubin_free(&cubin);
    }
    free(code.data);
    diag_free(&sink);
    return 0;
}
