/* The document that --stats writes: one JSON object a run (an array of them for several), or CSV with a line a kernel.
 * Two runs of the same thing differ in members named `host` alone. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "gpu/departures.h"
#include "gpu/result_json.h"
#include "report/figures.h"
#include "report/profile_text.h"
#include "report/run_report.h"
#include "report/sampled.h"

static json_t *host_json(const json_t *kernels)
{
    double seconds = 0, system = 0, instructions = 0, cycles = 0;
    bool timed = json_array_size(kernels) == 0;
    json_int_t peak = 0, faults = 0;
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i), *host = json_object_get(kernel, "host");
        json_int_t rss = json_integer_value(json_object_get(host, "peak_rss_bytes"));
        seconds += json_number_value(json_object_get(host, "seconds"));
        system += json_number_value(json_object_get(host, "system_seconds"));
        faults += json_integer_value(json_object_get(host, "page_faults"));
        instructions += json_number_value(json_object_get(kernel, "warp_instructions"));
        cycles += json_number_value(json_object_get(kernel, "cycles"));
        timed |= json_is_integer(json_object_get(kernel, "cycles"));
        peak = rss > peak ? rss : peak;
    }
    json_t *host = json_object();
    json_object_set_new(host, "seconds", json_real(seconds));
    json_object_set_new(host, "warp_instructions_per_second", json_real(seconds > 0 ? instructions / seconds : 0));
    json_object_set_new(host, "cycles_per_second", timed ? json_real(seconds > 0 ? cycles / seconds : 0) : json_null());
    json_object_set_new(host, "peak_rss_bytes", json_integer(peak));
    json_object_set_new(host, "page_faults", json_integer(faults));
    json_object_set_new(host, "system_seconds", json_real(system));
    return host;
}

/* Arguments are bytes; JSON wants UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct strbuf plain = {0};
    for (; *text; text++)
        strbuf_addf(&plain, "%c", (unsigned char)*text < 0x80 ? *text : '?');
    value = json_string(strbuf_text(&plain));
    strbuf_free(&plain);
    return value;
}

/* Why the first kernel that did not come to its end did not, or NULL. */
static const char *first_reason(const json_t *kernels)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        if (json_is_true(json_object_get(kernel, "partial")))
            return json_string_value(json_object_get(kernel, "partial_reason"));
    }
    return NULL;
}

/* group.parameter=value of every parameter that is not as the machine's own file has it, however it was set; the
 * scheduler apart, which is a member of its own. */
static json_t *changed_parameters(const struct machine *machine, const struct cli_options *options)
{
    struct machine plain;
    json_t *changed = json_array();
    if (machine_load(&plain, options->machine ? options->machine : CLI_DEFAULT_MACHINE, NULL) < 0)
        return changed;
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        const struct param_group *group = &machine->groups[i];
        for (unsigned k = 0; k < group->count; k++) {
            struct strbuf before = {0}, now = {0};
            strbuf_addf(&before, "%s.%s=", group->name, group->params[k].name);
            strbuf_add(&now, strbuf_text(&before));
            param_format(&plain.groups[i], &group->params[k], &before);
            param_format(group, &group->params[k], &now);
            if (strcmp(before.text, now.text) && strncmp(now.text, "sm.scheduler=", 13))
                json_array_append_new(changed, text_json(now.text));
            strbuf_free(&before);
            strbuf_free(&now);
        }
    }
    machine_free(&plain);
    return changed;
}

/* The kernels with the name that the source has beside the name that the PTX has. Takes over kernels. */
static json_t *with_plain_names(json_t *kernels)
{
    json_t *named = json_array();
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        struct strbuf plain = {0};
        json_t *kernel = json_array_get(kernels, i), *name = json_object_get(kernel, "name"), *both = json_object();
        figures_kernel_name(json_is_string(name) ? json_string_value(name) : "", &plain);
        json_object_set(both, "name", name);
        json_object_set_new(both, "plain_name", text_json(strbuf_text(&plain)));
        json_object_update(both, kernel);
        json_array_append_new(named, both);
        strbuf_free(&plain);
    }
    json_decref(kernels);
    return named;
}

json_t *cli_document(const struct machine *machine, const struct cli_options *options, char *const *program,
                     json_t *kernels, const char *stopped_by)
{
    const char *reason = stopped_by ? stopped_by : first_reason(kernels);
    json_t *document = json_object(), *arguments = json_array();
    for (; *program; program++)
        json_array_append_new(arguments, text_json(*program));
    json_object_set_new(document, "schema", json_integer(RESULT_SCHEMA));
    json_object_set_new(document, "lockstep", json_string(LOCKSTEP_VERSION));
    json_object_set_new(document, "program", arguments);
    json_object_set_new(document, "as", json_string(machine_as_names[machine->as]));
    json_object_set_new(document, "scheduler", json_string(machine->sm.scheduler));
    json_object_set_new(document, "parameters", changed_parameters(machine, options));
    json_object_set_new(document, "mode", json_string(cli_mode(options) == GPU_FUNCTIONAL ? "functional" : "timing"));
    json_object_set_new(document, "partial", json_boolean(reason != NULL));
    json_object_set_new(document, "partial_reason", reason ? json_string(reason) : json_null());
    json_object_set_new(document, "machine", machine_json(machine));
    profile_text_keep(kernels);
    json_t *sampled = report_sampled_json(kernels);
    if (sampled)
        json_object_set_new(document, "sampled", sampled);
    json_object_set_new(document, "kernels", with_plain_names(kernels));
    json_object_set_new(document, "host", host_json(json_object_get(document, "kernels")));
    return document;
}

void cli_name_as(const char *as, struct strbuf *out)
{
    static const char *const words[] = {
        [MACHINE_FIXED_ORDER] = "warp schedulers go in fixed order",
        [MACHINE_REFERENCE] = "what departs from the simulator behind the machine is set back",
    };
    enum machine_as which;
    if (as && machine_as_find(as, &which) && which != MACHINE_SHIPPED)
        strbuf_addf(out, "as %s: %s (docs/fidelity.md)\n", as, words[which]);
}

/* Results as JSON, or, by the file's ending, as CSV. */
static int write_results(const char *path, const json_t *json, json_t *documents, struct diag_sink *sink)
{
    struct strbuf text = {0};
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".csv") == 0) {
        report_csv(documents, &text);
    } else {
        char *dump = json_dumps(json, JSON_INDENT(1));
        strbuf_addf(&text, "%s\n", dump ? dump : "");
        free(dump);
    }
    int rc = cli_write_file(path, strbuf_text(&text), text.length, sink);
    strbuf_free(&text);
    return rc;
}

int cli_write_stats(const struct cli_options *options, json_t *document, struct diag_sink *sink)
{
    if (!options->stats)
        return 0;
    json_t *documents = json_array();
    json_array_append(documents, document);
    int rc = write_results(options->stats, document, documents, sink);
    json_decref(documents);
    return rc;
}

int cli_write_all_stats(const struct cli_options *options, json_t *documents, struct diag_sink *sink)
{
    return options->stats ? write_results(options->stats, documents, documents, sink) : 0;
}
