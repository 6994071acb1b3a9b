/* Checkpoint files: state written to a file and read back by one and the same description. A struct has one function
 * that hands each of its members to the archive; the archive writes them when it saves and overwrites them when it
 * loads, so that the two can never drift apart. Values are stored as the machine has them: a file is for the build
 * that wrote it (archive_build).
 *
 * Whoever loads must not trust the file: counts and indices are given with their limits and checked. The first error
 * sticks. After it nothing is written, and everything loaded is zero, so that descriptions need not look at each step;
 * at the end archive_close answers it. Sections name places: the error message says in which one it happened.
 *
 * The file: magic, format version, the content compressed by zstd, and a checksum over everything before it. It is
 * written under another name and renamed when it is whole and on the disk, so that an interrupted write leaves the
 * file of the time before. */
#ifndef LOCKSTEP_BASE_ARCHIVE_H
#define LOCKSTEP_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

#define ARCHIVE_FORMAT 1u

struct archive;

/* Checks that a checkpoint may be written under this name. Returns 0, or -1 with a diagnostic: the name is empty, or
 * the new file would replace something that is no checkpoint, such as a device or a program. */
int archive_check_place(const char *path, struct diag_sink *sink);
/* Starts a file at path; NULL with a diagnostic when it cannot be created. */
struct archive *archive_create(const char *path, struct diag_sink *sink);
/* Opens a file for loading. NULL with a diagnostic when it cannot be read, is no checkpoint, has another format or is
 * damaged. */
struct archive *archive_open(const char *path, struct diag_sink *sink);
/* Loads from plain content in memory, which must outlive the archive: what archive_open does after its checks. */
struct archive *archive_from_bytes(const void *content, size_t bytes);
/* Saves plain content to the end of out, which must outlive the archive. */
struct archive *archive_into(struct strbuf *out);
/* Ends it in either direction. Saving: the file appears under its name now, or, after an error, never. Returns 0, or -1
 * with the first error as diagnostic. Frees the archive; NULL is nothing. */
int archive_close(struct archive *ar, struct diag_sink *sink);
/* Ends it without a diagnostic; a file being saved is dropped. */
void archive_abandon(struct archive *ar);

bool archive_loading(const struct archive *ar);
bool archive_failed(const struct archive *ar);
/* The first error, "" when there was none; valid until the archive ends. */
const char *archive_error(const struct archive *ar);
/* Sets the error, once: the archive's content does not fit what is described. */
void archive_fail(struct archive *ar, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Plain bytes. */
void archive_bytes(struct archive *ar, void *data, size_t n);
/* A variable without pointers: a number, an array, a struct of numbers. */
#define ARCHIVE(ar, object) archive_bytes((ar), &(object), sizeof(object))
/* The first n elements of an array. */
#define ARCHIVE_ARRAY(ar, array, n) archive_bytes((ar), (array), sizeof(*(array)) * (size_t)(n))
void archive_bool(struct archive *ar, bool *value);
/* Numbers that must be at most `limit`: counts, fill levels. */
void archive_u8_to(struct archive *ar, uint8_t *value, uint8_t limit);
void archive_u16_to(struct archive *ar, uint16_t *value, uint16_t limit);
void archive_u32_to(struct archive *ar, uint32_t *value, uint32_t limit);
void archive_u64_to(struct archive *ar, uint64_t *value, uint64_t limit);
/* Numbers below `count`, or UINT32_MAX for nobody: places in an array. */
void archive_place(struct archive *ar, uint32_t *value, uint32_t count);
/* As archive_place, for each of n numbers. */
void archive_places(struct archive *ar, uint32_t *values, size_t n, uint32_t count);
/* A fact that both sides know: when it is loaded, it must be the same. what names it in the message. */
void archive_same(struct archive *ar, uint64_t value, const char *what);
/* A text; loading replaces what it held. */
void archive_text(struct archive *ar, struct strbuf *text);

/* Marks the beginning of a part that later messages name; sections nest. */
void archive_begin(struct archive *ar, const char *name, unsigned index);
void archive_end(struct archive *ar);

/* Objects that are pointed to. The first time a pointer is met its object follows: returns true, and the caller
 * describes the content; when loading, it has set *object to room for it, and told archive_met, before anything else
 * is described. Later the pointer alone is stored; NULL is nothing. Returns false then, with *object set. */
bool archive_object(struct archive *ar, void **object);
void archive_met(struct archive *ar, void *object);

/* Identifies the executable or library that this function is linked into: the linker's build id in hexadecimal, or
 * "unknown". */
void archive_build(struct strbuf *out);

#endif
