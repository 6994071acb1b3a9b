/* Whole files: the one way in which Lockstep reads and writes them. Writing is checked to its last byte, and whoever
 * opens the file sees the old content or the new one, never a part. Functions that return int answer 0, or an errno
 * value that says what went wrong (EFBIG: there was more to read than the caller takes). */
#ifndef LOCKSTEP_BASE_FILE_H
#define LOCKSTEP_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* Bytes of the largest text (PTX, YAML, a table) that is read: what has no end, such as /dev/zero, is refused there. */
#define FILE_TEXT_MOST (UINT64_C(256) << 20)
#define FILE_NO_BOUND UINT64_MAX /* for files that Lockstep itself has written */

/* Appends the file's content to out. A pipe is read to its end. */
int file_load(const char *path, uint64_t most, struct strbuf *out);
/* Appends the file's first bytes, so many at most. */
int file_head(const char *path, size_t most, struct strbuf *out);
/* Like file_load; explains itself, and returns -1 when it fails. */
int file_read(const char *path, uint64_t most, struct strbuf *out, struct diag_sink *sink);

/* Writes all of the bytes to an open file. */
int file_put(int file, const void *data, size_t bytes);
/* Makes `path` hold these bytes. A plain file is made beside its place and then renamed; a link stays a link; a special
 * file (/dev/stdout, a pipe) is written as it is. mode: permissions of a new file, before the umask. */
int file_store(const char *path, const void *data, size_t bytes, unsigned mode);
/* As file_store with mode 0666. Returns -1 with a diagnostic on failure. */
int file_write(const char *path, const void *data, size_t bytes, struct diag_sink *sink);
/* Puts a finished file in the place of `to`, with its permissions; `from` may be left behind. */
int file_move(const char *from, const char *to);
/* true: writing goes through to something open, such as a pipe, and does not replace a file. */
bool file_is_special(const char *path);

#endif
