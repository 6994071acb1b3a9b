/* Fat binaries as nvcc 12 and 13 write them. Little endian throughout, fields at any alignment.
 *   wrapper    u32 magic, u32 version, pointer to data; version 2: and a pointer to a list of pointers to containers
 *   container  u32 magic | u16 version | u16 header size | u64 bytes of entries that follow
 *   entry      header of at least 64 bytes (struct entry names the fields used), payload padded to 8
 * Names, options and debug flags of entries are not looked at. */
#include "cuda/fatbin.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
#define CONTAINER_HEADER 16
#define ENTRY_HEADER 64
#define KIND_PTX 1
#define KIND_CODE 2
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u

struct entry {
    uint16_t kind;
    uint32_t header;     /* bytes */
    uint64_t payload;    /* bytes, padding included */
    uint32_t compressed; /* bytes of compressed data in the payload; 0: stored */
    uint32_t arch;
    uint64_t flags;
    uint64_t text_bytes; /* uncompressed */
};

static uint64_t read_le(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

const void *fatbin_unwrap(const void *wrapper, struct diag_sink *sink)
{
    const uint8_t *p = wrapper;
    uint32_t magic = p ? (uint32_t)read_le(p, 4) : 0;
    if (magic != WRAPPER_MAGIC) {
        diag_error(sink, DIAG_NOWHERE, NULL, "no fat binary wrapper: magic number 0x%08x, expected 0x%08x", magic,
                   WRAPPER_MAGIC);
        return NULL;
    }
    const void *data;
    memcpy(&data, p + 8, sizeof data);
    if (!data)
        diag_error(sink, DIAG_NOWHERE, NULL, "fat binary wrapper without data");
    return data;
}

bool fatbin_is_linked(const void *wrapper)
{
    return read_le((const uint8_t *)wrapper + 4, 4) == 2;
}

const void *const *fatbin_linked(const void *wrapper)
{
    const void *const *list;
    memcpy(&list, (const uint8_t *)wrapper + 16, sizeof list);
    return list;
}

/* Checks the container's header and returns the end of its last entry as an offset, 0 on error. */
static size_t container_end(const uint8_t *data, size_t size, size_t *first, struct diag_sink *sink)
{
    if (size < CONTAINER_HEADER) {
        diag_error(sink, DIAG_NOWHERE, NULL, "fat binary ends inside its header");
        return 0;
    }
    uint64_t version = read_le(data + 4, 2), header = read_le(data + 6, 2), bytes = read_le(data + 8, 8);
    if (version != 1) {
        diag_error(sink, DIAG_NOWHERE, NULL, "fat binary version %u is not known", (unsigned)version);
        return 0;
    }
    if (header < CONTAINER_HEADER || header > size || bytes > size - header) {
        diag_error(sink, DIAG_NOWHERE, NULL, "fat binary of %llu bytes in %u bytes of header does not fit its data",
                   (unsigned long long)bytes, (unsigned)header);
        return 0;
    }
    *first = (size_t)header;
    return (size_t)(header + bytes);
}

static int read_entry(const uint8_t *p, size_t left, struct entry *entry, struct diag_sink *sink)
{
    if (left < ENTRY_HEADER)
        return diag_error(sink, DIAG_NOWHERE, NULL, "fat binary ends inside the header of an entry");
    *entry = (struct entry){
        .kind = (uint16_t)read_le(p, 2),
        .header = (uint32_t)read_le(p + 0x04, 4),
        .payload = read_le(p + 0x08, 8),
        .compressed = (uint32_t)read_le(p + 0x10, 4),
        .arch = (uint32_t)read_le(p + 0x1c, 4),
        .flags = read_le(p + 0x28, 8),
        .text_bytes = read_le(p + 0x38, 8),
    };
    if (entry->header < ENTRY_HEADER || entry->header > left || entry->payload > left - entry->header)
        return diag_error(sink, DIAG_NOWHERE, NULL, "fat binary entry (kind %u, target %u) reaches past the end",
                          entry->kind, entry->arch);
    return 0;
}

static const char *content(const struct entry *entry)
{
    return entry->kind == KIND_PTX ? "PTX" : "machine code";
}

/* Fills text (text_bytes long) from compressed data; -1 with a diagnostic when it does not come to exactly that size.
 */
static int decompress(const struct entry *entry, const uint8_t *payload, char *text, struct diag_sink *sink)
{
    if (entry->flags & FLAG_ZSTD) {
        size_t got = ZSTD_decompress(text, (size_t)entry->text_bytes, payload, entry->compressed);
        if (ZSTD_isError(got))
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s in fat binary: zstd: %s", content(entry),
                              ZSTD_getErrorName(got));
        if (got != entry->text_bytes)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s in fat binary: %zu bytes, expected %llu", content(entry), got,
                              (unsigned long long)entry->text_bytes);
        return 0;
    }
    int got = LZ4_decompress_safe((const char *)payload, text, (int)entry->compressed, (int)entry->text_bytes);
    if (got < 0 || (uint64_t)got != entry->text_bytes)
        return diag_error(sink, DIAG_NOWHERE, NULL, "%s in fat binary: LZ4 data does not come to %llu bytes",
                          content(entry), (unsigned long long)entry->text_bytes);
    return 0;
}

/* Checks the sizes of a compressed entry, so that what follows may allocate and convert them. */
static int check_compressed(const struct entry *entry, struct diag_sink *sink)
{
    if (!(entry->flags & (FLAG_ZSTD | FLAG_LZ4)))
        return diag_error(sink, DIAG_NOWHERE, "build with nvcc --compress-mode=none",
                          "%s in fat binary is compressed in an unknown way (flags 0x%llx)", content(entry),
                          (unsigned long long)entry->flags);
    if (entry->compressed > entry->payload || entry->compressed > INT_MAX || entry->text_bytes > FATBIN_MAX_TEXT)
        return diag_error(sink, DIAG_NOWHERE, NULL,
                          "%s in fat binary: %u compressed bytes for %llu in an entry of %llu", content(entry), entry->compressed,
                          (unsigned long long)entry->text_bytes, (unsigned long long)entry->payload);
    return 0;
}

static char *text_buffer(uint64_t bytes, struct diag_sink *sink)
{
    char *text = bytes <= FATBIN_MAX_TEXT ? malloc((size_t)bytes + 1) : NULL;
    if (!text)
        diag_error(sink, DIAG_NOWHERE, NULL, "no memory for %llu bytes of PTX", (unsigned long long)bytes);
    return text;
}

/* The content of an entry, with a 0 behind it, from malloc; NULL with a diagnostic. */
static char *unpack(const uint8_t *data, const struct entry *entry, size_t *length, struct diag_sink *sink)
{
    const uint8_t *payload = data + entry->header;
    bool stored = entry->compressed == 0;
    if (!stored && check_compressed(entry, sink) < 0)
        return NULL;
    uint64_t bytes = stored ? entry->payload : entry->text_bytes;
    char *text = text_buffer(bytes, sink);
    if (!text)
        return NULL;
    if (stored) {
        memcpy(text, payload, (size_t)bytes);
    } else if (decompress(entry, payload, text, sink) < 0) {
        free(text);
        return NULL;
    }
    text[bytes] = 0;
    *length = (size_t)bytes;
    return text;
}

static int unpack_ptx(const uint8_t *data, const struct entry *entry, struct fatbin_ptx *ptx, struct diag_sink *sink)
{
    size_t length;
    char *text = unpack(data, entry, &length, sink);
    if (!text)
        return -1;
    *ptx = (struct fatbin_ptx){.text = text, .length = strlen(text), .arch = entry->arch};
    return 0;
}

static enum fatbin_result extract_container(const uint8_t *data, size_t size, struct fatbin_ptx *ptx,
                                            struct diag_sink *sink)
{
    size_t at = 0, end = container_end(data, size, &at, sink);
    if (!end)
        return FATBIN_MALFORMED;
    struct entry best = {0};
    const uint8_t *best_at = NULL;
    uint32_t machine_code = 0;
    while (at < end) {
        struct entry entry;
        if (read_entry(data + at, end - at, &entry, sink) < 0)
            return FATBIN_MALFORMED;
        if (entry.kind != KIND_PTX) {
            machine_code = entry.arch;
        } else if (!best_at || entry.arch > best.arch) {
            best = entry;
            best_at = data + at;
        }
        at += (size_t)(entry.header + entry.payload);
    }
    if (best_at)
        return unpack_ptx(best_at, &best, ptx, sink) < 0 ? FATBIN_MALFORMED : FATBIN_OK;
    if (machine_code)
        diag_error(sink, DIAG_NOWHERE,
                   "build with nvcc -gencode arch=compute_75,code=compute_75, or with `lockstep cc`",
                   "the program holds machine code (sm_%u) but no PTX, which is what Lockstep runs", machine_code);
    else
        diag_error(sink, DIAG_NOWHERE, NULL, "the fat binary is empty");
    return FATBIN_NO_PTX;
}

/* Length of raw PTX text: up to its NUL, or all of it. */
static enum fatbin_result extract_text(const char *data, size_t size, struct fatbin_ptx *ptx, struct diag_sink *sink)
{
    size_t length = size == FATBIN_UNKNOWN_SIZE ? strlen(data) : strnlen(data, size);
    char *text = text_buffer(length, sink);
    if (!text)
        return FATBIN_MALFORMED;
    memcpy(text, data, length);
    text[length] = 0;
    *ptx = (struct fatbin_ptx){.text = text, .length = length};
    return FATBIN_OK;
}

/* PTX text begins with a directive or a comment, perhaps after white space. */
static bool looks_like_text(const char *data, size_t size)
{
    size_t i = 0;
    while (i < size && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n'))
        i++;
    return i < size && (data[i] == '.' || data[i] == '/');
}

size_t fatbin_size(const void *data, size_t size)
{
    const uint8_t *p = data;
    if (size >= CONTAINER_HEADER && read_le(p, 4) == CONTAINER_MAGIC) {
        uint64_t header = read_le(p + 6, 2), bytes = read_le(p + 8, 8);
        return header < CONTAINER_HEADER || header > size || bytes > size - header ? 0 : (size_t)(header + bytes);
    }
    size_t length = size && (*p == '.' || *p == '/') ? strnlen(data, size) : 0;
    return length < size ? length + (length > 0) : length;
}

enum fatbin_result fatbin_extract(const void *data, size_t size, struct fatbin_ptx *ptx, struct diag_sink *sink)
{
    const uint8_t *p = data;
    *ptx = (struct fatbin_ptx){0};
    if (looks_like_text(data, size))
        return extract_text(data, size, ptx, sink);
    if (size >= 4 && read_le(p, 4) == CONTAINER_MAGIC)
        return extract_container(p, size, ptx, sink);
    if (size >= 4 && memcmp(p, "\177ELF", 4) == 0) {
        diag_error(sink, DIAG_NOWHERE, "give it PTX", "the module is machine code, and Lockstep runs PTX");
        return FATBIN_NO_PTX;
    }
    diag_error(sink, DIAG_NOWHERE, NULL, "neither a fat binary nor PTX text");
    return FATBIN_MALFORMED;
}

/* How far the target of machine code is from the wanted one; of two as far away, that below is nearer. */
static uint32_t distance(uint32_t arch, uint32_t wanted)
{
    return arch <= wanted ? 2 * (wanted - arch) : 2 * (arch - wanted) + 1;
}

bool fatbin_extract_code(const void *data, size_t size, uint32_t arch, struct fatbin_code *code)
{
    const uint8_t *p = data, *best_at = NULL;
    size_t at = 0, end = size >= CONTAINER_HEADER && read_le(p, 4) == CONTAINER_MAGIC ? container_end(p, size, &at, NULL) : 0;
    struct entry best = {0}, entry;
    for (; at < end && read_entry(p + at, end - at, &entry, NULL) == 0; at += (size_t)(entry.header + entry.payload))
        if (entry.kind == KIND_CODE && (!best_at || distance(entry.arch, arch) < distance(best.arch, arch))) {
            best = entry;
            best_at = p + at;
        }
    *code = (struct fatbin_code){.arch = best.arch};
    if (best_at)
        code->data = unpack(best_at, &best, &code->bytes, NULL);
    return code->data != NULL;
}
