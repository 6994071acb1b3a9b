/* Output: standard output and diagnostics. Standard output is written here alone, so that no result is lost in silence:
 * the first write that fails is reported where it fails, with the reason, and cli_output_end makes it an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cli/cli.h"
#include "report/intervals_report.h"
#include "report/profile_report.h"

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

/* Of what goes to standard error nobody could be told that it is lost. */
static void write_whole(int stream, const char *text, size_t length)
{
    bool reported = ferror(stdout);
    if (stream == STDERR_FILENO) {
        fwrite(text, 1, length, stderr);
        return;
    }
    if (fwrite(text, 1, length, stdout) < length && !reported)
        report_loss();
}

/* A terminal gets what it can show, since names come from files; a file gets every byte. */
static void put(int stream, const char *text, size_t length)
{
    struct strbuf shown = {0};
    if (!isatty(stream)) {
        write_whole(stream, text, length);
        return;
    }
    strbuf_add_shown(&shown, text, length);
    write_whole(stream, strbuf_text(&shown), shown.length);
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
    put(STDOUT_FILENO, strbuf_text(text), text->length);
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

void cli_page_begin(struct table_page *page, int stream)
{
    *page = (struct table_page){.columns = terminal_columns(stream), .colours = terminal_colours(stream)};
}

void cli_page_print(struct table_page *page, int stream)
{
    const char *text = strbuf_text(&page->text);
    size_t done = 0;
    if (stream == STDERR_FILENO)
        cli_flush();
    for (size_t i = 0; i < page->marks.count; i++) {
        const struct table_mark *mark = &page->marks.items[i];
        const char *begin = terminal_begin(mark->paint), *end = terminal_end();
        put(stream, text + done, mark->from - done);
        write_whole(stream, begin, strlen(begin));
        put(stream, text + mark->from, mark->to - mark->from);
        write_whole(stream, end, strlen(end));
        done = mark->to;
    }
    put(stream, text + done, page->text.length - done);
    table_page_free(page);
}

void cli_print_profile(const struct cli_options *options, const json_t *kernels)
{
    struct table_page page;
    int stream = cli_people(options);
    cli_page_begin(&page, stream);
    report_profile(kernels, options->ptx, page.columns, &page.text);
    if (!options->quiet)
        report_intervals(kernels, &page);
    cli_page_print(&page, stream);
}

void cli_print_table(struct table *t)
{
    struct table_page page;
    cli_page_begin(&page, STDOUT_FILENO);
    table_text(t, &page);
    cli_page_print(&page, STDOUT_FILENO);
    table_free(t);
}

void cli_print_diags(const struct diag_sink *sink)
{
    struct strbuf text = {0};
    diag_format_all(sink, &text);
    cli_flush();
    cli_complain(strbuf_text(&text));
    strbuf_free(&text);
}

void cli_complain(const char *diagnostics)
{
    struct strbuf painted = {0};
    if (terminal_colours(STDERR_FILENO))
        terminal_paint_diags(diagnostics, &painted);
    else
        strbuf_add(&painted, diagnostics);
    fputs(strbuf_text(&painted), stderr);
    strbuf_free(&painted);
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
