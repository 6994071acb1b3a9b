/* Files that options name: reading them, and what may be written over. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

int cli_read_file(const char *path, struct strbuf *out, struct diag_sink *sink)
{
    return file_read(path, FILE_TEXT_MOST, out, sink);
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

/* Whether Lockstep may have written what begins so. */
static bool is_ours(enum cli_output kind, const char *text)
{
    switch (kind) {
    case CLI_OUTPUT_STATS:
        return is_stats(text);
    case CLI_OUTPUT_GRAPH:
        return begins(text, "digraph waits ");
    case CLI_OUTPUT_PAGE:
        return begins(text, "<!doctype html>") && strstr(text, "--ink:");
    case CLI_OUTPUT_CHECKPOINT:
        break; /* archive_check_place has looked */
    }
    return true;
}

/* A user's program, source or notes under the name of a result are a slip: results replace results, and nothing else.
 */
static int check_replaceable(const char *path, enum cli_output kind, struct diag_sink *sink)
{
    struct stat info;
    struct strbuf head = {0};
    int rc = 0, why;
    if (stat(path, &info) < 0 || file_is_special(path) || info.st_size == 0)
        return 0;
    if ((why = file_head(path, HEAD_BYTES, &head)) != 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "cannot see what %s holds, which would be replaced: %s", path,
                        strerror(why));
    else if (!is_ours(kind, strbuf_text(&head)))
        rc = diag_error(sink, DIAG_NOWHERE, "choose another name, or remove it first",
                        "%s is there and holds something else than %s: it is not replaced", path,
                        kind == CLI_OUTPUT_STATS   ? "statistics"
                        : kind == CLI_OUTPUT_GRAPH ? "a graph of waiting"
                                                   : "a page of Lockstep");
    strbuf_free(&head);
    return rc;
}

int cli_check_writable(const char *path, enum cli_output kind, struct diag_sink *sink)
{
    struct stat info;
    bool special = file_is_special(path), directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const char *slash = strrchr(path, '/');
    struct strbuf folder = {0};
    if (slash)
        strbuf_addn(&folder, path, (size_t)(slash - path) + 1);
    else
        strbuf_add(&folder, ".");
    int why = directory ? EISDIR : access(special ? path : strbuf_text(&folder), W_OK) < 0 ? errno : 0;
    strbuf_free(&folder);
    if (why)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot write %s: %s", path, strerror(why));
    return check_replaceable(path, kind, sink);
}
