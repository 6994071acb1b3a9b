/* `lockstep run CASE.yaml`: buffers are allocated and copied in the file's order, the kernel is launched once, the
 * checks are made on what memory holds afterwards. A program on the library (lockstep/device.h), but for observers and
 * schedulers that it loads, checkpoints, and the page of --monitor (library/bridge.h). */
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
#include "library/bridge.h"
#include "report/run_report.h"

struct case_run {
    const struct cli_options *options;
    const struct machine *machine;
    struct diag_sink *sink;
    struct launch_case c;
    struct lockstep_device *device;
    struct lockstep_module *module;
    struct lockstep_kernel_facts kernel;
    uint64_t *addresses;                 /* of the buffers */
    struct lockstep_argument *arguments; /* of the kernel */
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

/* Passes on what the library has said. Returns 0, or -1 when its code is an error. */
static int tell(struct case_run *run, int code)
{
    library_tell(run->device, run->sink);
    return code ? -1 : 0;
}

static int find_kernel(struct case_run *run)
{
    struct lockstep_diagnostic said = {.size = sizeof said};
    struct strbuf message = {0};
    int rc = 0;
    run->kernel.size = sizeof run->kernel;
    if (lockstep_find_kernel(run->device, run->module, run->c.kernel, &run->kernel)) {
        lockstep_diagnostic(run->device, 0, &said);
        strbuf_addf(&message, "%s has no kernel '%s'", run->c.ptx, run->c.kernel);
        rc = fail_at(run, run->c.kernel_node, said.hint, strbuf_text(&message));
    }
    strbuf_free(&message);
    return rc;
}

static int load_kernel(struct case_run *run)
{
    struct strbuf text = {0};
    const char *path = case_path(&run->c, run->c.ptx);
    int rc = 0;
    if (cli_read_file(path, &text, run->sink) < 0)
        rc = fail_named(run, run->c.ptx_node, "no PTX in", run->c.ptx);
    else
        rc = tell(run, lockstep_load(run->device, path, strbuf_text(&text), text.length, 0, &run->module));
    note_content(run, strbuf_text(&text), text.length);
    strbuf_free(&text);
    return rc < 0 ? -1 : find_kernel(run);
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
    int rc = content ? tell(run, lockstep_write(run->device, address, content, b->count * 4)) : -1;
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
        if (lockstep_allocate(run->device, c->buffers[i].count * 4, &run->addresses[i]))
            return fail_named(run, c->buffers[i].node, "device memory is exhausted at buffer", c->buffers[i].name);
        lockstep_label(run->device, run->addresses[i], c->buffers[i].name);
        if (copy_buffer(run, &c->buffers[i], run->addresses[i]) < 0)
            return -1;
    }
    for (unsigned i = 0; i < c->constant_count; i++) {
        uint64_t address, bytes;
        if (lockstep_variable(run->device, run->module, c->constants[i].name, &address, &bytes))
            return fail_named(run, c->constants[i].node, "the PTX has no variable", c->constants[i].name);
        if (bytes < c->constants[i].count * 4)
            return fail_named(run, c->constants[i].node, "more elements than fit the variable", c->constants[i].name);
        if (copy_buffer(run, &c->constants[i], address) < 0)
            return -1;
    }
    return 0;
}

static int place_arg(struct case_run *run, unsigned index)
{
    const struct case_arg *arg = &run->c.args[index];
    bool is_value = arg->buffer == CASE_VALUE;
    struct lockstep_kernel_parameter parameter = {.size = sizeof parameter};
    struct lockstep_argument *argument = &run->arguments[index];
    *argument = (struct lockstep_argument){is_value ? &arg->bits : &run->addresses[arg->buffer],
                                           is_value ? case_type_bytes(arg->type) : 8};
    if (lockstep_kernel_parameter(run->device, run->module, run->kernel.name, index, &parameter))
        return tell(run, -1);
    if (argument->bytes == parameter.bytes)
        return 0;
    struct strbuf message = {0};
    strbuf_addf(&message, "the kernel's parameter %s has %u bytes, this has %zu", parameter.name, parameter.bytes,
                argument->bytes);
    fail_at(run, arg->node, NULL, strbuf_text(&message));
    strbuf_free(&message);
    return -1;
}

static int place_args(struct case_run *run)
{
    const struct launch_case *c = &run->c;
    int rc = 0;
    run->arguments = ARENA_NEW(&run->c.arena, struct lockstep_argument, c->arg_count + 1);
    if (c->arg_count != run->kernel.parameters) {
        struct strbuf message = {0};
        strbuf_addf(&message, "the kernel has %u parameters, args has %u", run->kernel.parameters, c->arg_count);
        rc = fail_at(run, c->args_node, NULL, strbuf_text(&message));
        strbuf_free(&message);
        return rc;
    }
    for (unsigned i = 0; i < c->arg_count; i++)
        rc |= place_arg(run, i);
    return rc;
}

struct progress_context {
    const struct interrupt_watch *stop;
    struct cli_progress line;
    const char *kernel;
};

static const char *on_progress(void *context, const struct lockstep_progress *now)
{
    struct progress_context *progress = context;
    const struct gpu_progress shown = {.cycle = now->cycle,
                                       .warp_instructions = now->warp_instructions,
                                       .blocks_done = now->blocks_done,
                                       .blocks = now->blocks,
                                       .seconds = now->seconds};
    cli_progress_show(&progress->line, progress->kernel, &shown);
    return interrupt_reason(progress->stop);
}

static bool is_to_stop(void *stop)
{
    return interrupt_reason(stop) != NULL;
}

static struct lockstep_launch_setup describe(const struct case_run *run, struct progress_context *progress)
{
    const struct cli_options *o = run->options;
    const struct launch_case *c = &run->c;
    struct lockstep_launch_setup setup = {
        .size = sizeof setup,
        .module = run->module,
        .kernel = run->kernel.name,
        .shared = c->shared,
        .argument_count = c->arg_count,
        .arguments = run->arguments,
        .flags = (c->cooperative ? LOCKSTEP_COOPERATIVE : 0) | (o->no_skip ? LOCKSTEP_NO_SKIP : 0) |
                 (o->checks & GPU_CHECKS_sync ? LOCKSTEP_CHECK_SYNC : 0) |
                 (cli_mode(o) == GPU_FUNCTIONAL ? LOCKSTEP_FUNCTIONAL : 0) | (o->phases ? LOCKSTEP_NOTE_PHASES : 0),
        .max_cycles = o->max_cycles_value,
        .threads = (uint32_t)o->threads_value,
        .registers = c->registers,
        .progress = on_progress,
        .user = progress,
    };
    memcpy(setup.grid, c->grid, sizeof setup.grid);
    memcpy(setup.block, c->block, sizeof setup.block);
    memcpy(setup.cluster, c->cluster, sizeof setup.cluster);
    return setup;
}

/* From its beginning, or from a checkpoint, to its end. Returns its code. */
static int simulate_launch(struct case_run *run, struct monitor *monitor)
{
    struct progress_context progress = {.stop = &run->stop, .kernel = run->kernel.name};
    const struct lockstep_launch_setup setup = describe(run, &progress);
    struct library_besides besides = {.visitor = monitor ? monitor_visitor(monitor) : NULL};
    struct case_checkpoints checkpoints = {.options = run->options,
                                           .machine = run->machine,
                                           .gpu = library_gpu(run->device),
                                           .program = run->content,
                                           .monitor = monitor};
    int code = LOCKSTEP_ERROR_INVALID;
    cli_progress_init(&progress.line, run->options->quiet);
    if (case_checkpoints_begin(&checkpoints, &besides.resume, run->sink) == 0) {
        library_set_besides(run->device, &besides);
        code = lockstep_launch(run->device, &setup);
        tell(run, code);
        if (!code && !(setup.flags & LOCKSTEP_FUNCTIONAL)) {
            code = lockstep_run(run->device, NULL, NULL);
            tell(run, code);
        }
        if (monitor)
            monitor_launched(monitor, library_result(run->device), is_to_stop, &run->stop);
    }
    case_checkpoints_end(&checkpoints, besides.resume);
    run->lost |= checkpoints.lost;
    cli_progress_clear(&progress.line);
    return code;
}

/* Writes a text that the launch has left, if it has, to the file that an option names, if one does. */
static void write_text(struct case_run *run, const char *path,
                       int (*text_of)(struct lockstep_device *device, const char **text, size_t *length))
{
    const char *text;
    size_t length;
    if (path && text_of(run->device, &text, &length) == LOCKSTEP_OK)
        run->lost |= cli_write_file(path, text, length, run->sink) < 0;
}

static int launch(struct case_run *run)
{
    bool checkpoints = checkpoint_possible(run->options);
    struct monitor *monitor = run->watched.board ? monitor_create(run->watched.board, checkpoints) : NULL;
    int code = simulate_launch(run, monitor);
    monitor_destroy(monitor);
    write_text(run, run->options->hang_report, lockstep_hang_report);
    write_text(run, run->options->phases, lockstep_phases);
    return code;
}

static void print_output(struct case_run *run)
{
    struct strbuf output = {0};
    const char *text;
    size_t length;
    if (lockstep_output(run->device, &text, &length) == LOCKSTEP_OK)
        strbuf_addn(&output, text, length);
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
    int rc = tell(run, lockstep_read(run->device, data, run->addresses[check->buffer], b->count * 4));
    bool good = rc == 0 && case_check_holds(check, data, b->count * 4, &found);
    free(data);
    if (!run->options->quiet || !good)
        print_check(run, check, found, good);
    json_array_append_new(run->checks,
                          json_pack("{s:s,s:s,s:I,s:I,s:b}", "buffer", b->name, "kind", kind_of(check), "expected",
                                    (json_int_t)check->expected, "found", (json_int_t)found, "pass", good));
    return good ? 0 : -1;
}

/* Of a launch that ended with this code of the library. */
static int exit_code(struct case_run *run, int ended)
{
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    int code = CLI_OK;
    switch (ended) {
    case LOCKSTEP_OK:
        lockstep_outcome(run->device, &outcome);
        code = outcome.findings ? CLI_FAILED : CLI_OK;
        for (unsigned i = 0; i < run->c.check_count; i++)
            if (check_one(run, &run->c.checks[i]) < 0)
                code = CLI_FAILED;
        return code;
    case LOCKSTEP_ERROR_INVALID:
        return CLI_USAGE;
    case LOCKSTEP_ERROR_HANG:
        return CLI_HANG;
    case LOCKSTEP_ERROR_LIMIT:
        return CLI_LIMIT;
    case LOCKSTEP_ERROR_STOPPED:
        return interrupt_noted() ? 128 + interrupt_noted() : CLI_TIME;
    default:
        return CLI_FAILED;
    }
}

/* The launch's time-line, empty when it has none; until the next call of the library. */
static const char *timeline_of(struct case_run *run, size_t *length)
{
    const char *lines;
    *length = 0;
    return lockstep_timeline_lines(run->device, &lines, length) == LOCKSTEP_OK ? lines : "";
}

static void print_kernels(const struct case_run *run, const json_t *kernels)
{
    struct table_page page;
    int stream = cli_people(run->options);
    cli_page_begin(&page, stream);
    if (json_array_size(kernels))
        cli_name_as(run->options->as, &page.text);
    report_kernels(kernels, &page);
    if (run->options->quiet)
        table_page_free(&page);
    else
        cli_page_print(&page, stream);
    cli_print_profile(run->options, kernels);
}

/* Writes what was asked for of a launch that ended with this code of the library. Returns the exit code. */
static int report(struct case_run *run, int ended)
{
    const struct cli_options *o = run->options;
    size_t length;
    json_t *kernels = json_array();
    if (ended != LOCKSTEP_ERROR_INVALID)
        json_array_append_new(kernels, library_result_json(run->device));
    print_kernels(run, kernels);
    run->lost |= cli_write_intervals(o, kernels, run->sink) < 0;
    const char *lines = timeline_of(run, &length);
    run->lost |= ended != LOCKSTEP_ERROR_INVALID && cli_write_timeline(o, lines, length, run->sink) < 0;
    int code = exit_code(run, ended);
    if (o->stats || o->report) {
        json_t *document = cli_document(run->machine, o, o->rest, json_incref(kernels), NULL);
        json_object_set(document, "checks", run->checks);
        run->lost |= cli_write_stats(o, document, run->sink) < 0;
        lines = timeline_of(run, &length);
        run->lost |= report_write_run(o, document, lines, length, run->sink) < 0;
        json_decref(document);
    }
    json_decref(kernels);
    return run->lost && code == CLI_OK ? CLI_FAILED : code;
}

/* Asks the library for the checks of --check and --lenient. */
static uint32_t checks_of(const struct cli_options *o)
{
    return (o->checks & GPU_CHECKS_race ? LOCKSTEP_CHECK_RACE : 0) |
           (o->checks & GPU_CHECKS_init ? LOCKSTEP_CHECK_INIT : 0) | (o->lenient ? LOCKSTEP_LET_PASS : 0) |
           (o->checks & GPU_CHECKS_mem ? LOCKSTEP_CHECK_MEM | LOCKSTEP_COUNT_PASSED : 0);
}

static int observe(struct case_run *run)
{
    const struct cli_options *o = run->options;
    const struct lockstep_timeline_setup timeline = {.size = sizeof timeline,
                                                     .window = o->timeline_window,
                                                     .sms = o->timeline_sms,
                                                     .resolution = o->timeline_resolution};
    for (size_t i = 0; i < o->observers.count; i++)
        if (gpu_observe(library_gpu(run->device), o->observers.items[i], run->sink) < 0)
            return -1;
    int code = o->profile ? lockstep_profile(run->device) : LOCKSTEP_OK;
    code = code ? code : lockstep_check(run->device, checks_of(o));
    code = code ? code : lockstep_interval(run->device, o->interval_value);
    code = code || !o->timeline ? code : lockstep_timeline(run->device, &timeline);
    return tell(run, code);
}

static int simulate(struct case_run *run)
{
    if (tell(run, library_create(&run->device, run->machine)) < 0)
        return CLI_USAGE;
    if (observe(run) < 0 || load_kernel(run) < 0 || place_buffers(run) < 0 || place_args(run) < 0)
        return CLI_USAGE;
    int ended = launch(run);
    print_output(run);
    cli_print_diags(run->sink);
    diag_free(run->sink);
    return report(run, ended);
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
    lockstep_destroy(run.device);
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
