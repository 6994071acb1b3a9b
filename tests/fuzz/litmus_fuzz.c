/* Litmus tests from anywhere: reading one must end in a test or in a diagnostic, and what is accepted must be safe to
 * ask the model about, and to write a kernel for. */
#include <stdint.h>
#include <stdlib.h>

#include "litmus/kernel.h"
#include "litmus/litmus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The oracle takes long for long tests, and the fuzzer is to see many. */
static bool is_short(const struct litmus_test *test)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < test->thread_count; i++)
        sum += test->threads[i].count;
    return sum <= 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct litmus_test test;
    struct diag_sink sink;
    struct strbuf text = {0};
    diag_init(&sink);
    int rc = litmus_parse(&test, "test.litmus", (const char *)data, size, &sink);
    if ((rc == 0) != (sink.errors == 0))
        abort();
    if (rc == 0)
        litmus_write_kernel(&test, 32, &text);
    if (rc == 0 && is_short(&test)) {
        struct litmus_verdict verdict;
        litmus_ask(&test, 1, &verdict);
        for (unsigned i = 0; i < verdict.sequential.count && verdict.complete; i++)
            if (!litmus_count_of(&verdict.allowed, &verdict.sequential.items[i].outcome))
                abort();
        litmus_verdict_free(&verdict);
    }
    diag_format_all(&sink, &text);
    strbuf_free(&text);
    litmus_free(&test);
    diag_free(&sink);
    return 0;
}
