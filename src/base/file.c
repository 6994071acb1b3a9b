/* See file.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int file, uint64_t most, struct strbuf *out)
{
    char buffer[65536];
    uint64_t left = most;
    for (;;) {
        ssize_t n = read(file, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        if ((uint64_t)n > left)
            return EFBIG;
        left -= (uint64_t)n;
        strbuf_addn(out, buffer, (size_t)n);
    }
}

int file_load(const char *path, uint64_t most, struct strbuf *out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    int why = read_all(file, most, out);
    close(file);
    return why;
}

int file_head(const char *path, size_t most, struct strbuf *out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    char *head = base_malloc(most);
    ssize_t n = read(file, head, most);
    int why = n < 0 ? errno : 0;
    if (n > 0)
        strbuf_addn(out, head, (size_t)n);
    free(head);
    close(file);
    return why;
}

int file_read(const char *path, uint64_t most, struct strbuf *out, struct diag_sink *sink)
{
    int why = file_load(path, most, out);
    if (why == EFBIG)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot read %s: it has more than %llu bytes", path,
                          (unsigned long long)most);
    return why ? diag_error(sink, DIAG_NOWHERE, NULL, "cannot read %s: %s", path, strerror(why)) : 0;
}

int file_put(int file, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t n = write(file, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Entries of these folders stand for open files, even where those are plain files. */
bool file_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 &&
           (!S_ISREG(info.st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6));
}

/* Writes and closes. */
static int put_and_close(int file, const void *data, size_t bytes)
{
    int why = file_put(file, data, bytes);
    if (close(file) < 0 && !why)
        why = errno;
    return why;
}

/* The number of the open file of ours that a path such as /dev/stdout names, or -1. */
static int own_number(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0)
            return i;
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(folders[i]);
        char *end;
        long number = strncmp(path, folders[i], n) == 0 ? strtol(path + n, &end, 10) : -1;
        if (number >= 0 && number < INT_MAX && end > path + n && !*end)
            return (int)number;
    }
    return -1;
}

/* A file that we have open ourselves is written on from where it stands: opened anew, a file that standard output goes
 * to would be written over from its start. */
static int store_special(const char *path, const void *data, size_t bytes)
{
    int own = own_number(path);
    int file = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return file < 0 ? errno : put_and_close(file, data, bytes);
}

static int store_beside(const char *path, const void *data, size_t bytes, unsigned mode)
{
    struct strbuf temporary = {0};
    strbuf_addf(&temporary, "%s.XXXXXX", path);
    int file = mkostemp(temporary.text, O_CLOEXEC), why = file < 0 ? errno : 0;
    if (file >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        int refused = fchmod(file, mode & ~mask) < 0 ? errno : 0;
        why = put_and_close(file, data, bytes);
        why = why ? why : refused;
        if (!why && rename(temporary.text, path) < 0)
            why = errno;
        if (why)
            unlink(temporary.text);
    }
    strbuf_free(&temporary);
    return why;
}

int file_store(const char *path, const void *data, size_t bytes, unsigned mode)
{
    if (file_is_special(path))
        return store_special(path, data, bytes);
    struct stat info;
    char *target = realpath(path, NULL); /* a link stays one */
    if (!target && lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return ENOENT; /* and is not replaced when it leads nowhere */
    int why = store_beside(target ? target : path, data, bytes, mode);
    free(target);
    return why;
}

int file_write(const char *path, const void *data, size_t bytes, struct diag_sink *sink)
{
    int why = file_store(path, data, bytes, 0666);
    return why ? diag_error(sink, DIAG_NOWHERE, NULL, "cannot write %s: %s", path, strerror(why)) : 0;
}

int file_move(const char *from, const char *to)
{
    struct stat info;
    struct strbuf content = {0};
    if (!file_is_special(to) && rename(from, to) == 0)
        return 0;
    int why = stat(from, &info) < 0 ? errno : file_load(from, FILE_NO_BOUND, &content);
    if (!why)
        why = file_store(to, strbuf_text(&content), content.length, info.st_mode & 0777);
    strbuf_free(&content);
    return why;
}
