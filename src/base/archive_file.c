/* The file below an archive. Bytes go through zstd in pieces, so that saving a device with gigabytes of memory needs
 * no second copy of it. Reading maps the file, checks it to its last byte, and only then hands anything out.
 *
 *   8 bytes  magic          4 bytes  format version        4 bytes  zero
 *   n bytes  zstd frame     8 bytes  checksum of everything before */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/archive_impl.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"

#define PIECE (1u << 17)
#define CHECK_START UINT64_C(0x6C6F636B73746570)
static const char magic[8] = {'L', 'S', 'C', 'H', 'K', 'P', 'T', '\n'};

struct head {
    char magic[8];
    uint32_t format, zero;
};

struct archive_stream {
    char *path, *unfinished; /* final name; name while it is being written */
    const char *error;
    int file;
    uint8_t *staged; /* plain bytes on their way: members are small, and zstd likes long pieces */
    size_t staged_at, staged_end;
    /* Writing */
    ZSTD_CCtx *compressor;
    uint8_t *piece; /* compressed */
    uint64_t check;
    uint8_t odd[8]; /* bytes that the checksum has not taken yet */
    unsigned odd_count;
    /* Reading */
    ZSTD_DCtx *decompressor;
    uint8_t *map;
    size_t map_bytes;
    ZSTD_inBuffer input;
};

/* A checksum that eight bytes at a time go into; each step can be undone, so that no single change is lost. */
static uint64_t check_word(uint64_t check, const uint8_t *word)
{
    uint64_t value;
    memcpy(&value, word, sizeof value);
    check = hash_add(check, value);
    return check ^ check >> 29;
}

static uint64_t check_bytes(uint64_t check, const uint8_t *data, size_t n)
{
    for (; n >= 8; data += 8, n -= 8)
        check = check_word(check, data);
    uint8_t last[8] = {0};
    if (n)
        memcpy(last, data, n);
    return check_word(check, last) ^ n;
}

static bool broken(struct archive_stream *s, const char *why)
{
    if (!s->error)
        s->error = why;
    return false;
}

const char *archive_stream_error(const struct archive_stream *s)
{
    return s->error;
}

const char *archive_stream_path(const struct archive_stream *s)
{
    return s->path;
}

void archive_stream_free(struct archive_stream *s)
{
    if (!s)
        return;
    if (s->file >= 0)
        close(s->file);
    if (s->map)
        munmap(s->map, s->map_bytes);
    ZSTD_freeCCtx(s->compressor);
    ZSTD_freeDCtx(s->decompressor);
    free(s->piece);
    free(s->staged);
    free(s->unfinished);
    free(s->path);
    free(s);
}

/* Writing */

static bool put(struct archive_stream *s, const uint8_t *data, size_t n)
{
    while (n > 0) {
        ssize_t put = write(s->file, data, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return broken(s, put < 0 ? strerrordesc_np(errno) : "nothing could be written");
        data += put;
        n -= (size_t)put;
    }
    return true;
}

/* The checksum takes words; what comes in odd pieces waits. */
static bool put_checked(struct archive_stream *s, const uint8_t *data, size_t n)
{
    const uint8_t *at = data;
    size_t left = n;
    while (left > 0 && s->odd_count > 0 && s->odd_count < 8)
        s->odd[s->odd_count++] = *at++, left--;
    if (s->odd_count == 8) {
        s->check = check_word(s->check, s->odd);
        s->odd_count = 0;
    }
    for (; left >= 8; at += 8, left -= 8)
        s->check = check_word(s->check, at);
    while (left > 0)
        s->odd[s->odd_count++] = *at++, left--;
    return put(s, data, n);
}

static bool compress(struct archive_stream *s, const void *data, size_t n, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {data, n, 0};
    size_t rest;
    do {
        ZSTD_outBuffer out = {s->piece, PIECE, 0};
        rest = ZSTD_compressStream2(s->compressor, &out, &in, how);
        if (ZSTD_isError(rest))
            return broken(s, ZSTD_getErrorName(rest));
        if (!put_checked(s, s->piece, out.pos))
            return false;
    } while (in.pos < in.size || (how == ZSTD_e_end && rest > 0));
    return true;
}

static bool flush(struct archive_stream *s)
{
    size_t n = s->staged_end;
    s->staged_end = 0;
    return compress(s, s->staged, n, ZSTD_e_continue);
}

bool archive_stream_write(struct archive_stream *s, const void *data, size_t n)
{
    if (s->error)
        return false;
    if (n > PIECE - s->staged_end && !flush(s))
        return false;
    if (n > PIECE)
        return compress(s, data, n, ZSTD_e_continue);
    if (n)
        memcpy(s->staged + s->staged_end, data, n);
    s->staged_end += n;
    return true;
}

/* Directories forget a rename that is not on the disk. */
static void sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int file = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(directory);
}

static bool finish(struct archive_stream *s)
{
    if (s->error || !flush(s) || !compress(s, NULL, 0, ZSTD_e_end))
        return false;
    uint64_t check = check_bytes(s->check, s->odd, s->odd_count);
    if (!put(s, (const uint8_t *)&check, sizeof check))
        return false;
    if (fsync(s->file) < 0 || rename(s->unfinished, s->path) < 0)
        return broken(s, strerrordesc_np(errno));
    sync_directory(s->path);
    return true;
}

bool archive_stream_end(struct archive_stream *s, bool keep)
{
    if (!s->compressor)
        return true;
    if (keep && finish(s))
        return true;
    unlink(s->unfinished);
    return false;
}

static int cannot(struct archive_stream *s, const char *what, const char *why, struct diag_sink *sink)
{
    diag_error(sink, DIAG_NOWHERE, NULL, "cannot %s checkpoint %s: %s", what, s->path, why);
    archive_stream_free(s);
    return -1;
}

/* Checkpoints replace checkpoints, whole or begun, and nothing else. */
static bool is_checkpoint(const char *path)
{
    struct strbuf head = {0};
    bool is = file_head(path, sizeof magic, &head) == 0 && memcmp(strbuf_text(&head), magic, head.length) == 0;
    strbuf_free(&head);
    return is;
}

static const char *why_not(const char *path)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return NULL;
    if (!S_ISREG(info.st_mode))
        return "something that is not a file has its name";
    return is_checkpoint(path) ? NULL : "the file of that name is no checkpoint, and is not replaced";
}

int archive_check_place(const char *path, struct diag_sink *sink)
{
    struct strbuf unfinished = {0};
    int rc = 0;
    strbuf_addf(&unfinished, "%s.part", path);
    const char *why = *path ? why_not(path) : "it has no name", *before = why_not(unfinished.text);
    if (why)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "cannot write checkpoint %s: %s", path, why);
    else if (before)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "cannot write checkpoint %s, which begins as %s: %s", path,
                        unfinished.text, before);
    strbuf_free(&unfinished);
    return rc;
}

/* Opens the unfinished file, empty and locked: two runs that write the same checkpoint must not write into one file.
 * One that a killed run left is used again. The other run may finish between the opening and the locking; what was
 * locked then is its checkpoint, and is left alone. Returns NULL, or what is wrong. */
static const char *open_unfinished(struct archive_stream *s)
{
    struct stat opened, named;
    for (;;) {
        s->file = open(s->unfinished, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (s->file < 0)
            return strerrordesc_np(errno);
        if (flock(s->file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
            return "another run is writing it";
        if (fstat(s->file, &opened) == 0 && stat(s->unfinished, &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev)
            return ftruncate(s->file, 0) < 0 ? strerrordesc_np(errno) : NULL;
        close(s->file);
    }
}

struct archive *archive_create(const char *path, struct diag_sink *sink)
{
    if (archive_check_place(path, sink) < 0)
        return NULL;
    struct archive_stream *s = base_calloc(1, sizeof *s);
    size_t length = strlen(path);
    s->path = strdup(path);
    s->unfinished = base_malloc(length + sizeof ".part");
    memcpy(s->unfinished, path, length);
    memcpy(s->unfinished + length, ".part", sizeof ".part");
    const char *why = open_unfinished(s);
    if (why)
        return cannot(s, "write", why, sink), NULL;
    s->piece = base_malloc(PIECE);
    s->staged = base_malloc(PIECE);
    s->compressor = ZSTD_createCCtx();
    if (!s->compressor)
        return cannot(s, "write", "no memory for zstd", sink), NULL;
    ZSTD_CCtx_setParameter(s->compressor, ZSTD_c_compressionLevel, 1);
    struct head head = {.format = ARCHIVE_FORMAT};
    memcpy(head.magic, magic, sizeof magic);
    s->check = CHECK_START;
    put_checked(s, (const uint8_t *)&head, sizeof head);
    return archive_over(s, false);
}

/* Reading */

/* Up to n bytes of content; 0 at its end and on errors. */
static size_t decompress(struct archive_stream *s, void *data, size_t n)
{
    ZSTD_outBuffer out = {data, n, 0};
    while (out.pos < out.size && !s->error) {
        size_t before = out.pos, at = s->input.pos;
        size_t rest = ZSTD_decompressStream(s->decompressor, &out, &s->input);
        if (ZSTD_isError(rest))
            broken(s, ZSTD_getErrorName(rest));
        else if (out.pos == before && s->input.pos == at)
            break;
    }
    return s->error ? 0 : out.pos;
}

bool archive_stream_read(struct archive_stream *s, void *data, size_t n)
{
    uint8_t *to = data;
    while (n > 0 && !s->error) {
        if (s->staged_at == s->staged_end) {
            s->staged_at = 0;
            s->staged_end = decompress(s, s->staged, PIECE);
        }
        size_t some = s->staged_end - s->staged_at < n ? s->staged_end - s->staged_at : n;
        if (some == 0)
            return broken(s, "the content ends too early");
        memcpy(to, s->staged + s->staged_at, some);
        s->staged_at += some;
        to += some;
        n -= some;
    }
    return !s->error;
}

static const char *map_file(struct archive_stream *s)
{
    struct stat info;
    s->file = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, not waited for */
    if (s->file < 0 || fstat(s->file, &info) < 0)
        return strerrordesc_np(errno);
    if (!S_ISREG(info.st_mode))
        return "it is not a file";
    s->map_bytes = (size_t)info.st_size;
    if (s->map_bytes < sizeof(struct head) + sizeof s->check)
        return "it is not a checkpoint, or it was cut off";
    void *map = mmap(NULL, s->map_bytes, PROT_READ, MAP_PRIVATE, s->file, 0);
    if (map == MAP_FAILED)
        return strerrordesc_np(errno);
    s->map = map;
    return NULL;
}

static int check_file(struct archive_stream *s, struct diag_sink *sink)
{
    struct head head;
    uint64_t check;
    size_t content = s->map_bytes - sizeof check;
    memcpy(&head, s->map, sizeof head);
    memcpy(&check, s->map + content, sizeof check);
    if (memcmp(head.magic, magic, sizeof magic) != 0)
        return cannot(s, "read", "it is not a checkpoint", sink);
    if (head.format != ARCHIVE_FORMAT) {
        diag_error(sink, DIAG_NOWHERE, "continue it with the version of Lockstep that wrote it",
                   "cannot read checkpoint %s: it has format %u, this version reads %u", s->path, head.format,
                   ARCHIVE_FORMAT);
        archive_stream_free(s);
        return -1;
    }
    if (check_bytes(CHECK_START, s->map, content) != check)
        return cannot(s, "read", "it is damaged: its checksum is wrong", sink);
    s->input = (ZSTD_inBuffer){s->map, content, sizeof head};
    return 0;
}

struct archive *archive_open(const char *path, struct diag_sink *sink)
{
    struct archive_stream *s = base_calloc(1, sizeof *s);
    s->path = strdup(path);
    const char *why = map_file(s);
    if (why)
        return cannot(s, "read", why, sink), NULL;
    if (check_file(s, sink) < 0)
        return NULL;
    s->staged = base_malloc(PIECE);
    s->decompressor = ZSTD_createDCtx();
    if (!s->decompressor)
        return cannot(s, "read", "no memory for zstd", sink), NULL;
    return archive_over(s, true);
}

/* The build */

struct build_search {
    uintptr_t here;
    struct strbuf *out;
};

static bool in_object(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address - start < segment->p_memsz)
            return true;
    }
    return false;
}

static bool add_build_id(const uint8_t *notes, size_t bytes, struct strbuf *out)
{
    ElfW(Nhdr) note;
    while (bytes >= sizeof note) {
        memcpy(&note, notes, sizeof note);
        size_t name = (note.n_namesz + 3u) & ~3u, content = (note.n_descsz + 3u) & ~3u;
        if (name + content > bytes - sizeof note)
            return false;
        const uint8_t *id = notes + sizeof note + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + sizeof note, "GNU", 4) == 0) {
            for (unsigned i = 0; i < note.n_descsz; i++)
                strbuf_addf(out, "%02x", id[i]);
            return true;
        }
        notes += sizeof note + name + content;
        bytes -= sizeof note + name + content;
    }
    return false;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *context)
{
    struct build_search *search = context;
    (void)size;
    if (!in_object(object, search->here))
        return 0;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE &&
            add_build_id((const uint8_t *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz, search->out))
            break;
    }
    return 1;
}

void archive_build(struct strbuf *out)
{
    size_t before = out->length;
    struct build_search search = {(uintptr_t)&archive_build, out};
    dl_iterate_phdr(search_object, &search);
    if (out->length == before)
        strbuf_add(out, "unknown");
}
