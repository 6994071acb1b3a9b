/* Between the two files of the archive: the description side and the file below it. */
#ifndef LOCKSTEP_BASE_ARCHIVE_IMPL_H
#define LOCKSTEP_BASE_ARCHIVE_IMPL_H

#include "base/archive.h"

/* A checkpoint file being written or read: compressed bytes under way. Functions return false after an error, which
 * archive_stream_error then names. */
struct archive_stream;

bool archive_stream_write(struct archive_stream *s, const void *data, size_t n);
bool archive_stream_read(struct archive_stream *s, void *data, size_t n);
/* Writing: makes the file whole and gives it its name, or, unless keep, removes it. */
bool archive_stream_end(struct archive_stream *s, bool keep);
const char *archive_stream_error(const struct archive_stream *s); /* NULL: none */
const char *archive_stream_path(const struct archive_stream *s);
void archive_stream_free(struct archive_stream *s);

/* archive.c: an archive over the stream, which it owns from then on. */
struct archive *archive_over(struct archive_stream *stream, bool loading);

#endif
