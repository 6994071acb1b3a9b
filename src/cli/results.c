/* Files of results: see results.h. */
#include "cli/results.h"

#include "base/file.h"
#include "gpu/result_json.h"

static int check_document(const char *path, const json_t *document, struct diag_sink *sink)
{
    struct diag_pos pos = {.file = path};
    json_int_t schema = json_integer_value(json_object_get(document, "schema"));
    if (!json_is_array(json_object_get(document, "kernels")) || !schema)
        return diag_error(sink, pos, "lockstep run --stats FILE.json writes such files",
                          "it is JSON, but not the results of a run");
    if (schema != RESULT_SCHEMA)
        return diag_error(sink, pos, "run it again", "its results have the form %lld, and not %d, which is read here",
                          (long long)schema, RESULT_SCHEMA);
    return 0;
}

/* Takes over whole. */
static json_t *check_runs(const char *path, json_t *whole, struct diag_sink *sink)
{
    json_t *runs = json_is_array(whole) ? json_incref(whole) : json_pack("[O]", whole);
    int rc = 0;
    for (size_t i = 0; i < json_array_size(runs) && rc == 0; i++)
        rc = check_document(path, json_array_get(runs, i), sink);
    json_decref(whole);
    if (rc == 0)
        return runs;
    json_decref(runs);
    return NULL;
}

json_t *cli_read_runs(const char *path, struct diag_sink *sink)
{
    struct strbuf text = {0};
    json_error_t error;
    if (file_read(path, FILE_NO_BOUND, &text, sink) < 0)
        return NULL;
    json_t *whole = json_loadb(strbuf_text(&text), text.length, 0, &error);
    strbuf_free(&text);
    if (!whole) {
        struct diag_pos pos = {path, error.line > 0 ? (unsigned)error.line : 0, 0};
        diag_error(sink, pos, "lockstep run --stats FILE.json writes such files", "it is no JSON: %s", error.text);
        return NULL;
    }
    return check_runs(path, whole, sink);
}

json_t *cli_read_results(const char *path, struct diag_sink *sink)
{
    json_t *runs = cli_read_runs(path, sink);
    size_t count = json_array_size(runs);
    json_t *document = count == 1 ? json_incref(json_array_get(runs, 0)) : NULL;
    if (runs && count != 1)
        diag_error(sink, (struct diag_pos){.file = path}, "lockstep run --stats FILE.json writes one run",
                   "it holds %zu runs, and not one", count);
    json_decref(runs);
    return document;
}
