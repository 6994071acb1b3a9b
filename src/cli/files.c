/* Files, diagnostics and the progress line: what every subcommand needs of the terminal and the file system. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/figures.h"

void cli_print_diags(const struct diag_sink *sink)
{
    struct strbuf text = {0};
    diag_format_all(sink, &text);
    fflush(stdout);
    fputs(strbuf_text(&text), stderr);
    strbuf_free(&text);
}

int cli_finish(struct diag_sink *sink, int code)
{
    cli_print_diags(sink);
    diag_free(sink);
    if (fflush(stdout) != 0 && code == CLI_OK) {
        fprintf(stderr, "error: cannot write to standard output: %s\n", strerror(errno));
        return CLI_FAILED;
    }
    return code;
}

void cli_print(struct strbuf *text)
{
    fputs(strbuf_text(text), stdout);
    strbuf_free(text);
}

int cli_read_file(const char *path, struct strbuf *out, struct diag_sink *sink)
{
    char buffer[65536];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot read %s: %s", path, strerror(errno));
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        strbuf_addn(out, buffer, n);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot read %s: %s", path, strerror(failed));
    return 0;
}

static int write_whole(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

/* A special file such as /dev/stdout is written as it is; a plain one is made beside its place and then renamed. */
static int write_special(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    size_t n = fwrite(text, 1, length, file);
    return fclose(file) == 0 && n == length ? 0 : -1;
}

static int write_beside(const char *path, const char *text, size_t length)
{
    struct strbuf temporary = {0};
    strbuf_addf(&temporary, "%s.XXXXXX", path);
    int fd = mkstemp(temporary.text), rc = fd < 0 ? -1 : 0;
    if (fd >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        rc = write_whole(fd, text, length) < 0 || fchmod(fd, 0666 & ~mask) < 0 ? -1 : 0;
        if (close(fd) < 0)
            rc = -1;
        if (rc == 0 && rename(temporary.text, path) < 0)
            rc = -1;
        int why = errno;
        if (rc < 0)
            unlink(temporary.text);
        errno = why;
    }
    strbuf_free(&temporary);
    return rc;
}

/* What lies in these folders stands for something open, also where that is a plain file. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 &&
           (!S_ISREG(info.st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6));
}

int cli_check_writable(const char *path, struct diag_sink *sink)
{
    struct stat info;
    bool special = is_special(path), directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
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

int cli_write_file(const char *path, const char *text, size_t length, struct diag_sink *sink)
{
    char *target = realpath(path, NULL); /* a link stays one */
    int rc = is_special(path) ? write_special(path, text, length) : write_beside(target ? target : path, text, length);
    int why = errno;
    free(target);
    errno = why;
    if (rc < 0)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

void cli_progress_init(struct cli_progress *progress, bool quiet)
{
    *progress = (struct cli_progress){.enabled = !quiet && isatty(STDERR_FILENO)};
}

void cli_progress_show(struct cli_progress *progress, const char *kernel, const struct gpu_progress *now)
{
    if (!progress->enabled)
        return;
    double rate = now->seconds > 0 ? (double)now->warp_instructions / now->seconds : 0;
    struct strbuf name = {0};
    figures_kernel_name(kernel, &name);
    fprintf(stderr, "\r\033[K%s: %" PRIu64 " cycles, %.0f k warp instructions/s, %" PRIu64 " of %" PRIu64 " blocks",
            strbuf_text(&name), now->cycle, rate / 1e3, now->blocks_done, now->blocks);
    strbuf_free(&name);
    if (now->blocks_done > 0 && now->blocks_done < now->blocks)
        fprintf(stderr, ", about %.0f s left",
                now->seconds * (double)(now->blocks - now->blocks_done) / (double)now->blocks_done);
    fflush(stderr);
    progress->shown = true;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
