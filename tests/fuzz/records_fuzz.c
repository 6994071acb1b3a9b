/* Reference records from anywhere (gpgpusim.csv): reading them ends in records or in diagnostics, and records can be
 * compared. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fidelity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fidelity_records records;
    struct diag_sink sink;
    struct strbuf text = {0}, said = {0};
    diag_init(&sink);
    strbuf_addn(&text, (const char *)data, size);
    int rc = fidelity_parse(&records, "records.csv", strbuf_text(&text), &sink);
    if ((rc == 0) != (sink.errors == 0) || (rc == 0) != (records.list.count > 0 && rc == 0))
        abort();
    for (size_t i = 0; rc == 0 && i < records.list.count; i++) {
        const struct fidelity_counts *first = &records.list.items[0].there, *there = &records.list.items[i].there;
        struct fidelity_pair pair = {first->value[FIDELITY_CYCLES], there->value[FIDELITY_CYCLES]};
        fidelity_explain(first, there, &said);
        fidelity_summarize(&pair, 1);
    }
    diag_format_all(&sink, &said);
    strbuf_free(&text);
    strbuf_free(&said);
    fidelity_free(&records);
    diag_free(&sink);
    return 0;
}
