/* Any bytes end in diagnostics or in a module; a module's disassembly parses, and disassembles to itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "isa/program.h"
#include "ptx/ptx.h"

static struct isa_module *load(const char *text, size_t length)
{
    struct diag_sink sink;
    diag_init(&sink);
    struct isa_module *module = ptx_load("fuzz.ptx", text, length, NULL, &sink);
    struct strbuf out = {0};
    diag_format_all(&sink, &out);
    if (!module && !sink.errors)
        abort();
    strbuf_free(&out);
    diag_free(&sink);
    return module;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct isa_module *first = load((const char *)data, size);
    if (!first)
        return 0;
    struct strbuf once = {0}, twice = {0};
    isa_disasm_module(first, &once);
    struct isa_module *second = load(strbuf_text(&once), once.length);
    if (!second)
        abort();
    isa_disasm_module(second, &twice);
    if (strcmp(strbuf_text(&once), strbuf_text(&twice)) != 0)
        abort();
    strbuf_free(&once);
    strbuf_free(&twice);
    isa_module_free(first);
    isa_module_free(second);
    return 0;
}
