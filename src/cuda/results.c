/* LOCKSTEP_RESULTS: what `lockstep run` reads while and after the program runs. One JSON object a line, each flushed at
 * once, so that nothing is lost however the program ends:
 *   {"type":"loaded"}                                 when the program's first code was registered
 *   {"type":"machine", "schema":2, "machine":{...}}   at the program's first call
 *   {"type":"kernel", "index":n, ...}                 after each launch, see gpu/result_json.h; with LOCKSTEP_TIMELINE
 *                                                     `timeline`: see gpu_timeline
 *   {"type":"together", "first":n, "kernels":m, ...}  before the lines of m kernels that ran together, from index n on:
 *                                                     sums, and what they shared
 *   {"type":"lost", "kernel":"...", "error":"..."}    for each launch that failed before its kernel began
 *   {"type":"seen"}                                   the program asked for its last error, and was told of such a
 * launch
 *   {"type":"progress", ...}                          during a launch, with LOCKSTEP_PROGRESS
 *   {"type":"pause", "erased":true}                   behind these, when the program goes on; see results_pause
 *   {"type":"waits", "graph":"..."}                   of a kernel that hangs, see gpu_launch.waits
 *   {"type":"phases", "rows":"..."}                   after a launch, with LOCKSTEP_PHASES; see gpu_launch.phases
 *   {"type":"diagnostic", "text":"..."}               whatever was also printed to standard error
 *   {"type":"refused"}, {"type":"resumed"}            whether the program could be continued from its checkpoint
 *   {"type":"scheduler"}, {"type":"observer"}         a plug-in of this kind ended the process by a fault
 *   {"type":"output lost"}                            what kernels printed could not be written
 *   {"type":"checkpoint lost"}                        a checkpoint could not be written
 * When a line cannot be written the user is told, no more lines follow, and the file is made read-only: that needs no
 * room on a disk that has none left, and it is how `lockstep run` knows that the results are not whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/terminal.h"
#include "cuda/runtime.h"
#include "gpu/result_json.h"

void results_close(struct runtime *rt)
{
    if (rt->results >= 0)
        close(rt->results);
    rt->results = -1;
}

static void lose(struct runtime *rt, int why)
{
    struct diag_sink sink;
    fchmod(rt->results, 0444);
    results_close(rt);
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, NULL, "results of kernels are lost: cannot write LOCKSTEP_RESULTS: %s",
               strerror(why));
    runtime_report(rt, &sink);
    diag_free(&sink);
}

/* In one piece, so that lines of processes that share the file stay apart. */
static void put_line(struct runtime *rt, const char *text)
{
    struct strbuf line = {0};
    strbuf_addf(&line, "%s\n", text);
    int why = file_put(rt->results, line.text, line.length);
    strbuf_free(&line);
    if (why)
        lose(rt, why);
}

/* Takes over object. */
static void write_line(struct runtime *rt, json_t *object)
{
    char *text = rt->results >= 0 ? json_dumps(object, JSON_COMPACT) : NULL;
    if (text)
        put_line(rt, text);
    free(text);
    json_decref(object);
}

static json_t *line_of_type(const char *type)
{
    json_t *line = json_object();
    json_object_set_new(line, "type", json_string(type));
    return line;
}

void results_open(struct runtime *rt)
{
    const char *path = getenv("LOCKSTEP_RESULTS");
    if (rt->results_asked)
        return;
    rt->results_asked = true;
    if (!path || !*path)
        return;
    rt->results = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (rt->results >= 0) {
        write_line(rt, line_of_type("loaded"));
        return;
    }
    rt->results_failed = true;
    struct diag_sink sink;
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, NULL, "LOCKSTEP_RESULTS: cannot write %s: %s", path, strerror(errno));
    runtime_report(rt, &sink);
    diag_free(&sink);
}

void results_machine(struct runtime *rt)
{
    if (rt->results < 0 || rt->machine_written)
        return;
    rt->machine_written = true;
    json_t *line = line_of_type("machine");
    json_object_set_new(line, "schema", json_integer(RESULT_SCHEMA));
    json_object_set_new(line, "machine", machine_json(&rt->machine));
    write_line(rt, line);
}

/* A diagnostic quotes the program's PTX, which may hold any bytes; JSON wants UTF-8. */
static json_t *quoted(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *plain = strdup(text);
    for (char *p = plain; p && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    value = json_string(plain);
    free(plain);
    return value;
}

void results_kernel(const struct runtime *rt, const struct gpu_result *result, struct strbuf *text)
{
    if (rt->results < 0 && !rt->replay.on)
        return;
    json_t *line = line_of_type("kernel");
    json_object_set_new(line, "index", json_integer((json_int_t)rt->kernels_written));
    json_t *figures = gpu_result_json(result, &rt->machine);
    json_object_update(line, figures);
    if (result->timeline && !result->warms)
        json_object_set_new(line, "timeline", quoted(result->timeline));
    json_decref(figures);
    char *json = json_dumps(line, JSON_COMPACT);
    strbuf_add(text, json ? json : "");
    free(json);
    json_decref(line);
}

void results_together(struct runtime *rt, const struct gpu_result *total, unsigned kernels)
{
    if (rt->results < 0 || !total->counters)
        return;
    json_t *line = line_of_type("together"), *figures = gpu_result_json(total, &rt->machine);
    json_object_set_new(line, "first", json_integer((json_int_t)rt->kernels_written));
    json_object_set_new(line, "kernels", json_integer(kernels));
    json_object_update_missing(line, figures);
    json_decref(figures);
    write_line(rt, line);
}

void results_line(struct runtime *rt, const struct strbuf *line)
{
    rt->kernels_written++;
    if (rt->results < 0 || !line->length)
        return;
    put_line(rt, line->text);
}

void results_lost(struct runtime *rt, const char *kernel, cudaError_t error)
{
    if (rt->results < 0)
        return;
    json_t *line = line_of_type("lost");
    json_object_set_new(line, "kernel", json_string(kernel));
    json_object_set_new(line, "error", json_string(cudaGetErrorName(error)));
    write_line(rt, line);
    rt->results_unseen = true;
}

void results_seen(struct runtime *rt)
{
    if (rt->results_unseen)
        write_line(rt, line_of_type("seen"));
    rt->results_unseen = false;
}

void results_refused(struct runtime *rt)
{
    write_line(rt, line_of_type("refused"));
}

void results_resumed(struct runtime *rt)
{
    write_line(rt, line_of_type("resumed"));
}

void results_output_lost(struct runtime *rt)
{
    write_line(rt, line_of_type("output lost"));
}

void results_checkpoint_lost(struct runtime *rt)
{
    write_line(rt, line_of_type("checkpoint lost"));
}

void results_progress(struct runtime *rt, const char *kernel, const struct gpu_progress *progress)
{
    if (rt->results < 0)
        return;
    json_t *line = line_of_type("progress");
    json_object_set_new(line, "name", json_string(kernel));
    json_object_set_new(line, "cycle", json_integer((json_int_t)progress->cycle));
    json_object_set_new(line, "warp_instructions", json_integer((json_int_t)progress->warp_instructions));
    json_object_set_new(line, "blocks_done", json_integer((json_int_t)progress->blocks_done));
    json_object_set_new(line, "blocks", json_integer((json_int_t)progress->blocks));
    json_object_set_new(line, "seconds", json_real(progress->seconds));
    write_line(rt, line);
    rt->progress_told = true;
}

/* `lockstep run` shows progress some time after it was told, and so would show it behind what the program prints next.
 * It reads and shows under the lock: what was told before is shown before, and no longer there when the lock is given
 * back. */
void results_pause(struct runtime *rt)
{
    bool terminal = isatty(STDERR_FILENO);
    if (!rt->progress_told || rt->results < 0)
        return;
    rt->progress_told = false;
    flock(rt->results, LOCK_EX);
    json_t *line = line_of_type("pause");
    json_object_set_new(line, "erased", json_boolean(terminal));
    write_line(rt, line);
    if (terminal)
        fputs(terminal_erase(), stderr);
    if (rt->results >= 0) /* where the line could not be written, the file is closed, and the lock with it */
        flock(rt->results, LOCK_UN);
}

void results_diagnostic(struct runtime *rt, const char *text)
{
    if (rt->results < 0)
        return;
    json_t *line = line_of_type("diagnostic");
    json_object_set_new(line, "text", quoted(text));
    write_line(rt, line);
}

void results_waits(struct runtime *rt, const char *graph)
{
    json_t *line = line_of_type("waits");
    json_object_set_new(line, "graph", quoted(graph));
    write_line(rt, line);
}

void results_phases(struct runtime *rt, const char *rows)
{
    json_t *line = line_of_type("phases");
    json_object_set_new(line, "rows", quoted(rows));
    write_line(rt, line);
}

void results_print(struct runtime *rt, const struct strbuf *output)
{
    bool reported = ferror(stdout);
    if ((fwrite(output->text, 1, output->length, stdout) == output->length && fflush(stdout) == 0) || reported)
        return;
    struct diag_sink sink;
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, NULL, "what kernels print is lost: cannot write to standard output: %s",
               strerror(errno));
    runtime_report(rt, &sink);
    diag_free(&sink);
    results_output_lost(rt);
}
