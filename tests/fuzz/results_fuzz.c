/* Results from anywhere, such as the JSON that a program under `lockstep run` may have written over: tables, CSV and the
 * counters of `lockstep validate` must come of any of it. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/fidelity.h"
#include "report/difference.h"
#include "report/run_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(json_t *kernels)
{
    struct table_page page = {.columns = 60, .colours = true};
    const struct report_run runs[] = {{"a", kernels, NULL, "a"}, {"b", kernels, "hang", "b"}};
    report_kernels(kernels, &page);
    report_compare(runs, 2, NULL, &page);
    report_spread(runs, 2, 2, &page);
    report_compare_kernels(runs, 2, &page);
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        struct fidelity_counts counts = fidelity_from_kernel(json_array_get(kernels, i));
        fidelity_explain(&counts, &counts, &page.text);
    }
    report_differences(runs, &page);
    report_differences_kernels(runs, &page);
    table_page_free(&page);
}

static void settings(json_t *document)
{
    struct table_page page = {0};
    json_t *const both[] = {document, NULL};
    const struct report_run runs[] = {{"a", NULL, NULL, "a"}, {"b", NULL, NULL, "b"}};
    report_settings(runs, both, &page);
    table_page_free(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strbuf csv = {0};
    json_t *document = json_loadb((const char *)data, size, 0, NULL), *all = json_array();
    json_array_append(all, document);
    settings(document);
    report(json_object_get(document, "kernels"));
    report_csv(all, &csv);
    strbuf_free(&csv);
    json_decref(all);
    json_decref(document);
    return 0;
}
