/* Output to the terminal: standard output, diagnostics, the progress line. Standard output is written here alone, so
 * that no result is lost in silence: the first write that fails is reported where it fails, with the reason, and
 * cli_output_end makes it an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "report/figures.h"

/* A program that is started without some of its three streams would get their numbers for the next files that it
 * opens, and what is printed would go there. What stands in for them refuses every byte, as a closed file does. */
void cli_output_begin(void)
{
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0)
            open("/dev/null", i == 0 ? O_WRONLY : O_RDONLY); /* the least free number: i */
}

static void report_loss(void)
{
    fprintf(stderr, "error: cannot write to standard output: %s\n", strerror(errno));
}

static void write_whole(const char *text, size_t length)
{
    bool reported = ferror(stdout);
    if (fwrite(text, 1, length, stdout) < length && !reported)
        report_loss();
}

/* A terminal gets what it can show, since names come from files; a file gets every byte. */
static void put(const char *text, size_t length)
{
    struct strbuf shown = {0};
    if (!isatty(STDOUT_FILENO)) {
        write_whole(text, length);
        return;
    }
    strbuf_add_shown(&shown, text, length);
    write_whole(strbuf_text(&shown), shown.length);
    strbuf_free(&shown);
}

int cli_flush(void)
{
    bool reported = ferror(stdout);
    if (fflush(stdout) == EOF && !reported)
        report_loss();
    return ferror(stdout) ? -1 : 0;
}

int cli_output_end(int code)
{
    bool lost = cli_flush() < 0;
    if (fclose(stdout) == EOF && !lost &&
        errno != EBADF) { /* EBADF: it was closed all along, and nothing was written */
        report_loss();
        lost = true;
    }
    return lost && code == CLI_OK ? CLI_FAILED : code;
}

void cli_print(struct strbuf *text)
{
    put(strbuf_text(text), text->length);
    strbuf_free(text);
}

void cli_printf(const char *format, ...)
{
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    cli_print(&text);
}

void cli_print_diags(const struct diag_sink *sink)
{
    struct strbuf text = {0};
    diag_format_all(sink, &text);
    cli_flush();
    fputs(strbuf_text(&text), stderr);
    strbuf_free(&text);
}

void cli_say(struct diag_sink *sink)
{
    cli_print_diags(sink);
    diag_free(sink);
}

int cli_finish(struct diag_sink *sink, int code)
{
    cli_say(sink);
    return code;
}

void cli_progress_init(struct cli_progress *progress, bool quiet)
{
    *progress = (struct cli_progress){.enabled = !quiet && isatty(STDERR_FILENO)};
}

static void show(struct cli_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the line anew. It is always a terminal's, and names in it come from files. */
static void show(struct cli_progress *progress, const char *format, ...)
{
    struct strbuf text = {0}, shown = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    strbuf_add_shown(&shown, strbuf_text(&text), text.length);
    fprintf(stderr, "\r\033[K%s", strbuf_text(&shown));
    fflush(stderr);
    strbuf_free(&text);
    strbuf_free(&shown);
    progress->shown = true;
}

void cli_progress_show(struct cli_progress *progress, const char *kernel, const struct gpu_progress *now)
{
    if (!progress->enabled)
        return;
    double rate = now->seconds > 0 ? (double)now->warp_instructions / now->seconds : 0;
    struct strbuf name = {0}, left = {0};
    figures_kernel_name(kernel, &name);
    if (now->blocks_done > 0 && now->blocks_done < now->blocks)
        strbuf_addf(&left, ", about %.0f s left",
                    now->seconds * (double)(now->blocks - now->blocks_done) / (double)now->blocks_done);
    show(progress, "%s: %" PRIu64 " %s, %.0f k warp instructions/s, %" PRIu64 " of %" PRIu64 " blocks%s",
         strbuf_text(&name), now->cycle ? now->cycle : now->warp_instructions,
         now->cycle ? "cycles" : "warp instructions", rate / 1e3, now->blocks_done, now->blocks, strbuf_text(&left));
    strbuf_free(&name);
    strbuf_free(&left);
}

void cli_progress_jobs(struct cli_progress *progress, const struct process_job *jobs, unsigned count, const char *what,
                       int failed)
{
    unsigned done = 0;
    struct strbuf badly = {0};
    for (unsigned i = 0; i < count; i++)
        done += jobs[i].ended;
    if (!progress->enabled || (progress->shown && done == progress->done))
        return;
    if (failed >= 0)
        strbuf_addf(&badly, ", %d did not end well", failed);
    show(progress, "%u of %u %s%s", done, count, what, strbuf_text(&badly));
    strbuf_free(&badly);
    progress->done = done;
}

void cli_progress_count(struct cli_progress *progress, const char *name, uint64_t done, uint64_t all, const char *what)
{
    if (progress->enabled)
        show(progress, "%s: %" PRIu64 " of %" PRIu64 " %s", name, done, all, what);
}

void cli_progress_states(struct cli_progress *progress, const char *name, uint64_t states, uint64_t depth)
{
    if (progress->enabled)
        show(progress, "%s: %" PRIu64 " states, %" PRIu64 " events deep", name, states, depth);
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
