/* Launch files from anywhere: reading one must end in a case or in a diagnostic, never read outside the text, and
 * whatever it accepts must be safe to fill buffers from. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(const struct case_buffer *b)
{
    if (b->count > 4096 || b->fill == CASE_FILE)
        return;
    void *content = malloc(b->count * 4);
    if (content)
        case_fill_buffer(b, NULL, content);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct launch_case c;
    struct diag_sink sink;
    struct strbuf text = {0};
    diag_init(&sink);
    int rc = case_parse(&c, "case.yaml", (const char *)data, size, &sink);
    if ((rc == 0) != (sink.errors == 0))
        abort();
    for (unsigned i = 0; rc == 0 && i < c.buffer_count; i++)
        fill(&c.buffers[i]);
    for (unsigned i = 0; rc == 0 && i < c.arg_count; i++)
        if (c.args[i].buffer != CASE_VALUE && c.args[i].buffer >= c.buffer_count)
            abort();
    for (unsigned i = 0; rc == 0 && i < c.check_count; i++)
        if (c.checks[i].buffer >= c.buffer_count)
            abort();
    diag_format_all(&sink, &text);
    strbuf_free(&text);
    case_free(&c);
    diag_free(&sink);
    return 0;
}
