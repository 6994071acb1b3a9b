/* Files that options name: reading them, and what may be written over. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath, memmem */
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/squeeze.h"
#include "cli/cli.h"
#include "cli/timeline.h"
#include "gpu/gpu.h"
#include "report/intervals_report.h"

int cli_read_file(const char *path, struct strbuf *out, struct diag_sink *sink)
{
    return file_read(path, FILE_TEXT_MOST, out, sink);
}

/* True for the name by which an option for a result of text means standard output. */
static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static const char *real_path(const char *path)
{
    return is_standard_output(path) ? "/dev/stdout" : path;
}

int cli_people(const struct cli_options *options)
{
    const char *const results[] = {options->stats, options->phases, options->hang_report, options->html,
                                   options->intervals, options->report};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (is_standard_output(results[i]))
            return STDERR_FILENO;
    return STDOUT_FILENO;
}

/* Enough of a file to tell what it is. */
#define HEAD_BYTES 4096

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_stats(const char *text)
{
    bool json = begins(text, "{\n") || begins(text, "[\n"), csv = begins(text, "program,") || begins(text, "name,");
    return (json && strstr(text, "\"schema\":") && strstr(text, "\"lockstep\":")) ||
           (csv && strstr(text, ",partial_reason,")) || begins(text, "[]");
}

/* A trace of ours begins with a packet, of less than 128 bytes, that has our name in it. */
static bool is_trace(const struct strbuf *head)
{
    return head->length > 2 && head->text[0] == '\n' && memmem(head->text, head->length, "Lockstep", 8);
}

/* True if Lockstep may have written a file of this kind that begins so. */
static bool is_ours(enum cli_output kind, const struct strbuf *head)
{
    const char *text = strbuf_text(head);
    switch (kind) {
    case CLI_OUTPUT_STATS:
        return is_stats(text);
    case CLI_OUTPUT_GRAPH:
        return begins(text, "digraph waits ");
    case CLI_OUTPUT_PHASES:
        return begins(text, gpu_phases_head);
    case CLI_OUTPUT_INTERVALS:
        return begins(text, report_intervals_head);
    case CLI_OUTPUT_PAGE:
        return begins(text, "<!doctype html>") && strstr(text, "--ink:");
    case CLI_OUTPUT_BINARY:
        return begins(text, "\177ELF");
    case CLI_OUTPUT_PTX:
        return strstr(text, ".version") && strstr(text, ".target");
    case CLI_OUTPUT_TIMELINE:
        return squeeze_is(TIMELINE_LABEL, text, head->length);
    case CLI_OUTPUT_TRACE:
        return is_trace(head);
    case CLI_OUTPUT_MACHINE:
    case CLI_OUTPUT_CHECKPOINT:
        break; /* others have looked: tune, archive_check_place */
    }
    return true;
}

/* A user's program, source or notes under the name of a result are a slip: results replace results, and nothing else.
 */
static int check_replaceable(const char *path, enum cli_output kind, struct diag_sink *sink)
{
    static const char *const names[] = {
        [CLI_OUTPUT_STATS] = "statistics",
        [CLI_OUTPUT_GRAPH] = "a graph of waiting",
        [CLI_OUTPUT_PAGE] = "a page of Lockstep",
        [CLI_OUTPUT_CHECKPOINT] = "a checkpoint",
        [CLI_OUTPUT_BINARY] = "a compiled program",
        [CLI_OUTPUT_PTX] = "PTX",
        [CLI_OUTPUT_PHASES] = "phases of blocks",
        [CLI_OUTPUT_TIMELINE] = "a timeline",
        [CLI_OUTPUT_INTERVALS] = "statistics by intervals",
        [CLI_OUTPUT_MACHINE] = "a machine",
        [CLI_OUTPUT_TRACE] = "a trace of Lockstep",
    };
    struct stat info;
    struct strbuf head = {0};
    int rc = 0, why;
    if (stat(path, &info) < 0 || file_is_special(path) || info.st_size == 0)
        return 0;
    if ((why = file_head(path, HEAD_BYTES, &head)) != 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "cannot see what %s holds, which would be replaced: %s", path,
                        strerror(why));
    else if (!is_ours(kind, &head))
        rc = diag_error(sink, DIAG_NOWHERE, "choose another name, or remove it first",
                        "%s is there and holds something else than %s: it is not replaced", path, names[kind]);
    strbuf_free(&head);
    return rc;
}

/* The folder in which a file of that name would be made. */
static void folder_of(const char *path, struct strbuf *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        strbuf_addn(folder, path, (size_t)(slash - path) + 1);
    else
        strbuf_add(folder, ".");
}

/* Checks one file as cli_check_places does. */
static int check_writable(const char *option, const char *path, enum cli_output kind, struct diag_sink *sink)
{
    struct stat info;
    bool there = stat(path, &info) == 0, special = file_is_special(path), directory = there && S_ISDIR(info.st_mode);
    struct strbuf folder = {0};
    if (!there && lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return diag_error(sink, DIAG_NOWHERE, "remove the link, or make what it points to",
                          "%s %s: it is a link to something that is not there", option, path);
    folder_of(path, &folder);
    int why = directory ? EISDIR : access(special ? path : strbuf_text(&folder), W_OK) < 0 ? errno : 0;
    strbuf_free(&folder);
    if (why)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot write %s: %s", path, strerror(why));
    return check_replaceable(path, kind, sink);
}

/* A file's one name, whether or not it is there yet: links and dots resolved. To be freed. */
static char *one_name(const char *path)
{
    char *there = realpath(path, NULL);
    if (there)
        return there;
    struct strbuf folder = {0}, name = {0};
    const char *slash = strrchr(path, '/');
    folder_of(path, &folder);
    char *parent = realpath(strbuf_text(&folder), NULL);
    strbuf_addf(&name, "%s/%s", parent ? parent : strbuf_text(&folder), slash ? slash + 1 : path);
    free(parent);
    strbuf_free(&folder);
    return name.text;
}

/* True when a checkpoint's name can become `name`, with some number for each %c. Its folder's name is as it is. */
static bool may_become(const char *pattern, const char *name)
{
    const char *slash = strrchr(pattern, '/');
    if (slash)
        return strncmp(pattern, name, (size_t)(slash + 1 - pattern)) == 0 &&
               may_become(slash + 1, name + (slash + 1 - pattern));
    for (; *pattern; pattern++, name++) {
        if (pattern[0] == '%' && pattern[1] == 'c') {
            size_t digits = strspn(name, "0123456789");
            return digits && may_become(pattern + 2, name + digits);
        }
        if (*pattern != *name)
            return false;
    }
    return !*name;
}

/* Devices take what several write to them: a terminal shows it, /dev/null drops it. */
static bool same_open_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && !S_ISCHR(a->st_mode);
}

/* Checkpoints and what cc makes are no text, and always files. */
static const char *real_path_of(const struct cli_place *place)
{
    return place->kind <= CLI_OUTPUT_PAGE ? real_path(place->path) : place->path;
}

static bool same_place(const struct cli_place *a, const struct cli_place *b)
{
    struct stat one, other;
    const char *path = real_path_of(a), *with = real_path_of(b);
    if (path != a->path && with != b->path)
        return true;
    if (stat(path, &one) == 0 && stat(with, &other) == 0)
        return same_open_file(&one, &other);
    char *first = one_name(path), *second = one_name(with);
    bool same = may_become(first, second) || may_become(second, first);
    free(first);
    free(second);
    return same;
}

/* A result that replaces the file to which a stream goes would leave what is printed in no file at all. */
static int check_streams(const struct cli_place *place, struct diag_sink *sink)
{
    static const char *const names[] = {"standard output", "standard error"};
    struct stat info, stream;
    if (file_is_special(place->path) || stat(place->path, &info) < 0)
        return 0;
    for (int i = 0; i < 2; i++)
        if (fstat(STDOUT_FILENO + i, &stream) == 0 && same_open_file(&info, &stream))
            return diag_error(sink, DIAG_NOWHERE, "give each a file of its own", "%s %s: %s goes to that file too",
                              place->option, place->path, names[i]);
    return 0;
}

int cli_check_places(const struct cli_place *places, unsigned count, struct diag_sink *sink)
{
    int rc = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *path = real_path_of(&places[i]);
        if (!path)
            continue;
        rc |= check_writable(places[i].option, path, places[i].kind, sink);
        if (path == places[i].path)
            rc |= check_streams(&places[i], sink);
        for (unsigned k = 0; k < i; k++)
            if (places[k].path && same_place(&places[k], &places[i]))
                rc |= diag_error(sink, DIAG_NOWHERE, "give each a file of its own",
                                 "%s %s and %s %s are one file: the one would replace the other", places[k].option,
                                 places[k].path, places[i].option, places[i].path);
    }
    return rc;
}

int cli_write_file(const char *path, const void *data, size_t bytes, struct diag_sink *sink)
{
    path = real_path(path);
    if (file_is_special(path))
        cli_flush();
    return file_write(path, data, bytes, sink);
}

int cli_write_phases(const struct cli_options *options, const struct strbuf *rows, struct diag_sink *sink)
{
    struct strbuf text = {0};
    if (!options->phases)
        return 0;
    strbuf_add(&text, gpu_phases_head);
    strbuf_add(&text, strbuf_text(rows));
    int rc = cli_write_file(options->phases, text.text, text.length, sink);
    strbuf_free(&text);
    return rc;
}

int cli_write_intervals(const struct cli_options *options, const json_t *kernels, struct diag_sink *sink)
{
    struct strbuf text = {0};
    if (!options->intervals)
        return 0;
    report_intervals_csv(kernels, &text);
    int rc = cli_write_file(options->intervals, text.text, text.length, sink);
    strbuf_free(&text);
    return rc;
}

void cli_add_timeline(const struct cli_options *options, const char *lines, size_t bytes, struct strbuf *out)
{
    json_t *head = json_object(), *program = json_array();
    json_object_set_new(head, "lockstep timeline", json_integer(TIMELINE_FORMAT));
    json_object_set_new(head, "lockstep", json_string(LOCKSTEP_VERSION));
    for (char *const *word = options->rest; *word; word++)
        json_array_append_new(program, json_string(*word));
    json_object_set_new(head, "program", program);
    char *text = json_dumps(head, JSON_COMPACT);
    strbuf_addf(out, "%s\n", text ? text : "{}");
    strbuf_addn(out, lines, bytes);
    free(text);
    json_decref(head);
}

int cli_write_timeline(const struct cli_options *options, const char *lines, size_t bytes, struct diag_sink *sink)
{
    struct strbuf text = {0}, file = {0};
    if (!options->timeline)
        return 0;
    cli_add_timeline(options, lines, bytes, &text);
    squeeze(TIMELINE_LABEL, text.text, text.length, &file);
    int rc = cli_write_file(options->timeline, file.text, file.length, sink);
    strbuf_free(&text);
    strbuf_free(&file);
    return rc;
}
