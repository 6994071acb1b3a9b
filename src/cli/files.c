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

int cli_check_writable(const char *path, struct diag_sink *sink)
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
    return why ? diag_error(sink, DIAG_NOWHERE, NULL, "cannot write %s: %s", path, strerror(why)) : 0;
}
