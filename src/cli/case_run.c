/* `lockstep run CASE.yaml`: buffers are allocated and copied in the file's order, the kernel is launched once, the
 * checks are made on what memory holds afterwards. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "cli/case.h"
#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cli/monitor/watch.h"
#include "cli/process.h"
#include "cli/report.h"
#include "gpu/result_json.h"
#include "ptx/ptx.h"
#include "report/run_report.h"
#include "timeline/timeline.h"

struct case_run {
    const struct cli_options *options;
    const struct machine *machine;
    struct diag_sink *sink;
    struct launch_case c;
    struct gpu *gpu;
    struct gpu_module *module;
    const struct isa_function *kernel;
    uint64_t *addresses; /* of the buffers */
    void *params;
    json_t *checks;
    struct interrupt_watch stop;
    struct cli_watched watched;
    uint64_t content; /* hash of everything that the launch file names */
    bool lost;        /* something that was asked for could not be written */
};

/* Two runs are of the same thing when the launch file and all that it names are the same. */
static void note_content(struct case_run *run, const void *content, size_t bytes)
{
    run->content = run->content * UINT64_C(0x100000001B3) ^ hash_bytes(content, bytes);
}

static int fail_at(struct case_run *run, const struct yaml_node *node, const char *hint, const char *message)
{
    return yaml_error(&run->c.doc, node, run->sink, hint, "%s", message);
}

/* Fails with what the sink's newest diagnostic cannot know: where in the launch file the cause is. */
static int fail_named(struct case_run *run, const struct yaml_node *node, const char *format, const char *name)
{
    struct strbuf message = {0};
    strbuf_addf(&message, "%s '%s'", format, name);
    int rc = fail_at(run, node, NULL, strbuf_text(&message));
    strbuf_free(&message);
    return rc;
}

static const struct isa_function *find_kernel(struct case_run *run)
{
    struct strbuf message = {0}, hint = {0};
    const struct isa_function *kernel = cli_find_function(gpu_module_code(run->module), run->c.kernel, true, &hint);
    if (!kernel) {
        strbuf_addf(&message, "%s has no kernel '%s'", run->c.ptx, run->c.kernel);
        fail_at(run, run->c.kernel_node, hint.length ? hint.text : NULL, strbuf_text(&message));
    }
    strbuf_free(&message);
    strbuf_free(&hint);
    return kernel;
}

static int load_kernel(struct case_run *run)
{
    struct strbuf text = {0};
    const char *path = case_path(&run->c, run->c.ptx);
    struct isa_module *code = NULL;
    if (cli_read_file(path, &text, run->sink) < 0)
        fail_named(run, run->c.ptx_node, "no PTX in", run->c.ptx);
    else
        code = ptx_load(path, strbuf_text(&text), text.length, NULL, run->sink);
    note_content(run, strbuf_text(&text), text.length);
    strbuf_free(&text);
    if (!code)
        return -1;
    run->module = gpu_load(run->gpu, code, run->sink);
    run->kernel = run->module ? find_kernel(run) : NULL;
    return run->kernel ? 0 : -1;
}

/* The buffer's initial content; NULL with diagnostics. To be freed. */
static void *content_of(struct case_run *run, const struct case_buffer *b)
{
    struct strbuf file = {0};
    struct strbuf message = {0};
    bool good = true;
    if (b->fill == CASE_FILE) {
        if (file_read(case_path(&run->c, b->file), b->count * 4, &file, run->sink) < 0) {
            good = false;
            fail_named(run, b->node, "no content for buffer", b->name);
        } else if (file.length != b->count * 4) {
            good = false;
            strbuf_addf(&message, "%s has %zu bytes, the buffer %" PRIu64, b->file, file.length, b->count * 4);
            fail_at(run, b->node, NULL, strbuf_text(&message));
        }
    }
    void *content = good ? base_malloc(b->count * 4) : NULL;
    if (content)
        case_fill_buffer(b, file.text, content);
    strbuf_free(&file);
    strbuf_free(&message);
    return content;
}

static int copy_buffer(struct case_run *run, const struct case_buffer *b, uint64_t address)
{
    void *content = content_of(run, b);
    int rc = content ? gpu_write(run->gpu, address, content, b->count * 4, run->sink) : -1;
    if (content && (checkpoint_possible(run->options) || run->options->resume))
        note_content(run, content, b->count * 4);
    free(content);
    return rc;
}

static int place_buffers(struct case_run *run)
{
    struct launch_case *c = &run->c;
    run->addresses = ARENA_NEW(&c->arena, uint64_t, c->buffer_count + 1);
    for (unsigned i = 0; i < c->buffer_count; i++) {
        run->addresses[i] = gpu_malloc(run->gpu, c->buffers[i].count * 4);
        if (!run->addresses[i])
            return fail_named(run, c->buffers[i].node, "device memory is exhausted at buffer", c->buffers[i].name);
        gpu_label(run->gpu, run->addresses[i], "", c->buffers[i].name);
        if (copy_buffer(run, &c->buffers[i], run->addresses[i]) < 0)
            return -1;
    }
    for (unsigned i = 0; i < c->constant_count; i++) {
        uint64_t address, bytes;
        if (!gpu_variable(run->module, c->constants[i].name, &address, &bytes))
            return fail_named(run, c->constants[i].node, "the PTX has no variable", c->constants[i].name);
        if (bytes < c->constants[i].count * 4)
            return fail_named(run, c->constants[i].node, "more elements than fit the variable", c->constants[i].name);
        if (copy_buffer(run, &c->constants[i], address) < 0)
            return -1;
    }
    return 0;
}

static int place_arg(struct case_run *run, const struct case_arg *arg, const struct isa_param *param)
{
    uint64_t bits = arg->buffer == CASE_VALUE ? arg->bits : run->addresses[arg->buffer];
    unsigned bytes = arg->buffer == CASE_VALUE ? case_type_bytes(arg->type) : 8;
    if (bytes != param->bytes) {
        struct strbuf message = {0};
        strbuf_addf(&message, "the kernel's parameter %s has %u bytes, this has %u", param->name, param->bytes, bytes);
        fail_at(run, arg->node, NULL, strbuf_text(&message));
        strbuf_free(&message);
        return -1;
    }
    memcpy((char *)run->params + param->offset, &bits, bytes);
    return 0;
}

static int place_args(struct case_run *run)
{
    const struct launch_case *c = &run->c;
    int rc = 0;
    run->params = ARENA_NEW(&run->c.arena, char, run->kernel->param_bytes + 8);
    if (c->arg_count != run->kernel->param_count) {
        struct strbuf message = {0};
        strbuf_addf(&message, "the kernel has %u parameters, args has %u", run->kernel->param_count, c->arg_count);
        rc = fail_at(run, c->args_node, NULL, strbuf_text(&message));
        strbuf_free(&message);
        return rc;
    }
    for (unsigned i = 0; i < c->arg_count; i++)
        rc |= place_arg(run, &c->args[i], &run->kernel->params[i]);
    return rc;
}

struct progress_context {
    const struct interrupt_watch *stop;
    const char *reason; /* why the launch was asked to stop */
    struct cli_progress line;
    const char *kernel;
};

static int on_progress(void *context, const struct gpu_progress *now)
{
    struct progress_context *progress = context;
    cli_progress_show(&progress->line, progress->kernel, now);
    progress->reason = interrupt_reason(progress->stop);
    return progress->reason != NULL;
}

static bool is_to_stop(void *stop)
{
    return interrupt_reason(stop) != NULL;
}

static void launch(struct case_run *run, struct gpu_result *result)
{
    struct monitor *monitor =
        run->watched.board ? monitor_create(run->watched.board, checkpoint_possible(run->options)) : NULL;
    struct case_checkpoints checkpoints = {
        .options = run->options, .machine = run->machine, .gpu = run->gpu, .program = run->content, .monitor = monitor};
    struct progress_context progress = {.stop = &run->stop, .kernel = run->kernel->name};
    struct gpu_launch launch = {
        .module = run->module,
        .kernel = run->kernel,
        .dynamic_shared = run->c.shared,
        .cooperative = run->c.cooperative,
        .params = run->params,
        .mode = cli_mode(run->options),
        .registers = run->c.registers,
        .max_cycles = run->options->max_cycles_value,
        .threads = (unsigned)run->options->threads_value,
        .every_cycle = run->options->no_skip,
        .check_sync = run->options->checks & GPU_CHECKS_sync,
        .progress = on_progress,
        .context = &progress,
        .visitor = monitor ? monitor_visitor(monitor) : NULL,
    };
    memcpy(launch.grid, run->c.grid, sizeof launch.grid);
    memcpy(launch.block, run->c.block, sizeof launch.block);
    struct strbuf waits = {0};
    struct strbuf phases = {0};
    launch.waits = run->options->hang_report ? &waits : NULL;
    launch.phases = run->options->phases ? &phases : NULL;
    cli_progress_init(&progress.line, run->options->quiet);
    if (case_checkpoints_begin(&checkpoints, &launch.resume, run->sink) == 0)
        gpu_launch(run->gpu, &launch, result, run->sink);
    else
        result->status = GPU_INVALID;
    case_checkpoints_end(&checkpoints, launch.resume);
    run->lost |= checkpoints.lost;
    cli_progress_clear(&progress.line);
    if (result->status == GPU_STOPPED)
        result->stopped_by = progress.reason;
    if (monitor)
        monitor_launched(monitor, result, is_to_stop, &run->stop);
    monitor_destroy(monitor);
    gpu_explain_stop(result, run->sink);
    run->lost |= waits.length && cli_write_file(run->options->hang_report, waits.text, waits.length, run->sink) < 0;
    strbuf_free(&waits);
    run->lost |= cli_write_phases(run->options, &phases, run->sink) < 0;
    strbuf_free(&phases);
}

static void print_output(struct case_run *run)
{
    struct strbuf output = {0};
    gpu_take_output(run->gpu, &output);
    cli_print(&output);
}

static const char *kind_of(const struct case_check *check)
{
    return check->is_sum ? "sum_u32" : "crc32";
}

static void add_number(const struct case_check *check, uint32_t number, struct strbuf *out)
{
    strbuf_addf(out, check->is_sum ? "%" PRIu32 : "0x%08" PRIx32, number);
}

/* Prints a line on a check, of which memory holds `found`. */
static void print_check(const struct case_run *run, const struct case_check *check, uint32_t found, bool good)
{
    struct table_page page;
    cli_page_begin(&page, cli_people(run->options));
    table_page_paint(&page, good ? TERMINAL_GOOD : TERMINAL_BAD, good ? "PASS" : "FAIL");
    strbuf_addf(&page.text, " %s %s: ", run->c.buffers[check->buffer].name, kind_of(check));
    add_number(check, found, &page.text);
    if (!good) {
        strbuf_add(&page.text, ", expected ");
        add_number(check, check->expected, &page.text);
    }
    strbuf_add(&page.text, "\n");
    cli_page_print(&page, cli_people(run->options));
}

static int check_one(struct case_run *run, const struct case_check *check)
{
    const struct case_buffer *b = &run->c.buffers[check->buffer];
    void *data = base_malloc(b->count * 4);
    uint32_t found = 0;
    int rc = gpu_read(run->gpu, data, run->addresses[check->buffer], b->count * 4, run->sink);
    bool good = rc == 0 && case_check_holds(check, data, b->count * 4, &found);
    free(data);
    if (!run->options->quiet || !good)
        print_check(run, check, found, good);
    json_array_append_new(run->checks,
                          json_pack("{s:s,s:s,s:I,s:I,s:b}", "buffer", b->name, "kind", kind_of(check), "expected",
                                    (json_int_t)check->expected, "found", (json_int_t)found, "pass", good));
    return good ? 0 : -1;
}

static int exit_code(struct case_run *run, const struct gpu_result *result)
{
    int code = CLI_OK;
    switch (result->status) {
    case GPU_OK:
        code = result->findings ? CLI_FAILED : CLI_OK;
        for (unsigned i = 0; i < run->c.check_count; i++)
            if (check_one(run, &run->c.checks[i]) < 0)
                code = CLI_FAILED;
        return code;
    case GPU_INVALID:
        return CLI_USAGE;
    case GPU_HANG:
        return CLI_HANG;
    case GPU_LIMIT:
        return CLI_LIMIT;
    case GPU_STOPPED:
        return interrupt_noted() ? 128 + interrupt_noted() : CLI_TIME;
    default:
        return CLI_FAILED;
    }
}

static int report(struct case_run *run, const struct gpu_result *result)
{
    struct table_page page;
    json_t *kernels = json_array();
    int stream = cli_people(run->options);
    cli_page_begin(&page, stream);
    if (result->status != GPU_INVALID)
        json_array_append_new(kernels, gpu_result_json(result, run->machine));
    if (json_array_size(kernels))
        cli_name_as(run->options->as, &page.text);
    report_kernels(kernels, &page);
    if (run->options->quiet)
        table_page_free(&page);
    else
        cli_page_print(&page, stream);
    cli_print_profile(run->options, kernels);
    run->lost |= cli_write_intervals(run->options, kernels, run->sink) < 0;
    const char *lines = result->timeline ? result->timeline : "";
    run->lost |= result->status != GPU_INVALID && cli_write_timeline(run->options, lines, strlen(lines), run->sink) < 0;
    int code = exit_code(run, result);
    if (run->options->stats || run->options->report) {
        json_t *document = cli_document(run->machine, run->options, run->options->rest, json_incref(kernels), NULL);
        json_object_set(document, "checks", run->checks);
        run->lost |= cli_write_stats(run->options, document, run->sink) < 0;
        run->lost |= report_write_run(run->options, document, lines, strlen(lines), run->sink) < 0;
        json_decref(document);
    }
    json_decref(kernels);
    return run->lost && code == CLI_OK ? CLI_FAILED : code;
}

static int observe(struct case_run *run)
{
    for (size_t i = 0; i < run->options->observers.count; i++)
        if (gpu_observe(run->gpu, run->options->observers.items[i], run->sink) < 0)
            return -1;
    if (run->options->profile)
        gpu_profile(run->gpu);
    gpu_sanitize(run->gpu, run->options->checks);
    if (run->options->lenient)
        gpu_let_pass(run->gpu, run->options->checks & GPU_CHECKS_mem);
    gpu_set_interval(run->gpu, run->options->interval_value);
    struct timeline_options timeline;
    const struct cli_options *o = run->options;
    if (timeline_read_options(&timeline, o->timeline_window, o->timeline_sms, o->timeline_resolution, run->sink) < 0)
        return -1;
    if (o->timeline)
        gpu_timeline(run->gpu, &timeline);
    return 0;
}

static int simulate(struct case_run *run)
{
    struct gpu_result result = {0};
    run->gpu = gpu_create(run->machine, run->sink);
    if (!run->gpu || observe(run) < 0 || load_kernel(run) < 0 || place_buffers(run) < 0 || place_args(run) < 0)
        return CLI_USAGE;
    launch(run, &result);
    gpu_explain_let_pass(run->gpu, run->sink);
    print_output(run);
    cli_print_diags(run->sink);
    diag_free(run->sink);
    int code = report(run, &result);
    gpu_result_free(&result);
    return code;
}

int cli_run_case(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink)
{
    struct case_run run = {.options = options, .machine = machine, .sink = sink, .checks = json_array()};
    struct strbuf text = {0};
    int code = CLI_USAGE;
    double seconds = options->max_seconds_value;
    interrupt_begin(&run.stop, true, seconds > 0 ? host_seconds() + seconds : 0);
    bool watched = cli_watch_begin(&run.watched, options, sink) == 0;
    if (!watched)
        code = CLI_USAGE;
    else if (options->rest[1])
        diag_error(sink, DIAG_NOWHERE, NULL, "a launch file takes no arguments: %s", options->rest[1]);
    else if (cli_read_file(options->rest[0], &text, sink) == 0 &&
             case_parse(&run.c, options->rest[0], strbuf_text(&text), text.length, sink) == 0) {
        note_content(&run, strbuf_text(&text), text.length);
        code = simulate(&run);
    }
    cli_watch_end(&run.watched);
    gpu_destroy(run.gpu);
    case_free(&run.c);
    strbuf_free(&text);
    json_decref(run.checks);
    interrupt_end(&run.stop);
    if (interrupt_noted() && code == 128 + interrupt_noted()) {
        cli_flush();
        process_die(interrupt_noted());
    }
    return code;
}
