/* Device memory in a checkpoint: which ranges are taken, and the pages in them that are not all zero. */
#include <string.h>
#include <sys/mman.h>

#include "base/archive.h"
#include "base/arena.h"
#include "memory/store.h"

#define PAGE 4096u
#define MAX_BLOCKS (1u << 28)

/* Allocations ascend and lie in the range. */
static void archive_block(struct archive *ar, const struct store *store, struct store_block *block, uint64_t from)
{
    ARCHIVE(ar, block->start);
    ARCHIVE(ar, block->end);
    if (block->start < from || block->end <= block->start || block->end - store->start > store->size)
        archive_fail(ar, "an allocation lies outside device memory, or over another one");
}

static void append(struct store *store, struct store_block block)
{
    if (store->block_count == store->block_capacity) {
        store->block_capacity = store->block_capacity ? 2 * store->block_capacity : 16;
        store->blocks = base_realloc(store->blocks, store->block_capacity * sizeof *store->blocks);
    }
    store->blocks[store->block_count++] = block;
    store->used += block.end - block.start;
}

void store_archive_blocks(struct store *store, struct archive *ar)
{
    uint32_t count = store->block_count;
    uint64_t from = store->start;
    archive_u32_to(ar, &count, MAX_BLOCKS);
    if (archive_loading(ar)) {
        store->block_count = 0;
        store->used = 0;
    }
    for (uint32_t i = 0; i < count && !archive_failed(ar); i++) {
        struct store_block block = archive_loading(ar) ? (struct store_block){0} : store->blocks[i];
        archive_block(ar, store, &block, from);
        from = block.end;
        if (archive_loading(ar) && !archive_failed(ar))
            append(store, block);
    }
    archive_u64_to(ar, &store->peak, store->size);
}

/* One page, or the part of it that lies in a block. */
static bool all_zero(const uint8_t *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static size_t piece_at(uint64_t at, uint64_t end)
{
    uint64_t next = (at / PAGE + 1) * PAGE;
    return (size_t)((next < end ? next : end) - at);
}

static void save_block(const struct store *store, const struct store_block *block, struct archive *ar)
{
    for (uint64_t at = block->start, n; at < block->end; at += n) {
        n = piece_at(at, block->end);
        uint8_t *bytes = store_at(store, at);
        if (all_zero(bytes, n))
            continue;
        ARCHIVE(ar, at);
        archive_bytes(ar, bytes, n);
    }
    uint64_t end = block->end;
    ARCHIVE(ar, end);
}

static void load_block(const struct store *store, const struct store_block *block, struct archive *ar)
{
    for (;;) {
        uint64_t at;
        archive_u64_to(ar, &at, block->end);
        if (at < block->start)
            archive_fail(ar, "memory outside its allocation");
        if (at == block->end || archive_failed(ar))
            return;
        archive_bytes(ar, store_at(store, at), piece_at(at, block->end));
    }
}

void store_archive(struct store *store, struct archive *ar)
{
    archive_begin(ar, "device memory", 0);
    archive_same(ar, store->start, "the start of device memory");
    archive_same(ar, store->size, "the size of device memory");
    store_archive_blocks(store, ar);
    if (archive_loading(ar))
        madvise(store->bytes, store->size, MADV_DONTNEED);
    for (uint32_t i = 0; i < store->block_count && !archive_failed(ar); i++) {
        if (archive_loading(ar))
            load_block(store, &store->blocks[i], ar);
        else
            save_block(store, &store->blocks[i], ar);
    }
    archive_end(ar);
}
