/* Device memory: one reserved range of host memory whose pages the host commits on first touch, and the list of
 * allocations in it. First fit from the lowest address, so that addresses depend on the order of calls alone. The range
 * is mapped without reserving swap: a machine with gigabytes of device memory costs what its programs touch. Released
 * allocations give their whole pages back to the host; what is handed out is always zero. */
#include "base/hot.h"
#include "memory/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/bits.h"

#define HOST_PAGE 4096u

/* Reserves size bytes of host memory: at the host address equal to start when nothing lies there, else anywhere. */
static void *map_range(uint64_t start, size_t size)
{
    int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (start % HOST_PAGE == 0) {
        void *wanted = (void *)(uintptr_t)start;
        void *map = mmap(wanted, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (map == wanted)
            return map;
        if (map != MAP_FAILED) /* a kernel before 4.17 takes the address as a hint */
            munmap(map, size);
    }
    return mmap(NULL, size, protection, flags, -1, 0);
}

int store_init(struct store *store, uint64_t start, uint64_t size, struct diag_sink *sink)
{
    *store = (struct store){.start = start, .size = size};
    if (start == 0 || size == 0 || size > SIZE_MAX || start + size < start)
        return diag_error(sink, DIAG_NOWHERE, "choose a start above 0 and a size above 0",
                          "device memory of %llu bytes at address %llu is not possible", (unsigned long long)size,
                          (unsigned long long)start);
    void *map = map_range(start, (size_t)size);
    if (map == MAP_FAILED)
        return diag_error(sink, DIAG_NOWHERE, "choose a smaller device memory",
                          "the host cannot map %llu bytes of device memory", (unsigned long long)size);
    base_huge_pages(map, (size_t)size);
    store->bytes = map;
    store->identity = (uintptr_t)map == start;
    return 0;
}

void store_free_all(struct store *store)
{
    if (store->bytes)
        munmap(store->bytes, (size_t)store->size);
    free(store->blocks);
    *store = (struct store){0};
}

/* Index of the first block whose end lies beyond address. */
static uint32_t block_after(const struct store *store, uint64_t address)
{
    uint32_t low = 0, high = store->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (store->blocks[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void insert_block(struct store *store, uint32_t at, struct store_block block)
{
    if (store->block_count == store->block_capacity) {
        store->block_capacity = store->block_capacity ? 2 * store->block_capacity : 16;
        store->blocks = base_realloc(store->blocks, store->block_capacity * sizeof(*store->blocks));
    }
    memmove(store->blocks + at + 1, store->blocks + at, (store->block_count - at) * sizeof(*store->blocks));
    store->blocks[at] = block;
    store->block_count++;
    store->used += block.end - block.start;
    if (store->used > store->peak)
        store->peak = store->used;
}

uint64_t store_alloc(struct store *store, uint64_t size, uint64_t align)
{
    uint64_t end = store->start + store->size;
    uint64_t candidate = store->start;
    if (size == 0)
        size = 1;
    if (align == 0 || (align & (align - 1)) != 0)
        return 0;
    for (uint32_t i = 0;; i++) {
        if (candidate > UINT64_MAX - (align - 1))
            return 0;
        candidate = (candidate + align - 1) & ~(align - 1);
        uint64_t limit = i < store->block_count ? store->blocks[i].start : end;
        if (candidate <= limit && limit - candidate >= size) {
            insert_block(store, i, (struct store_block){candidate, candidate + size});
            return candidate;
        }
        if (i == store->block_count)
            return 0;
        candidate = store->blocks[i].end;
    }
}

void store_clear(const struct store *store, uint64_t from, uint64_t to)
{
    uint64_t a = from - store->start, b = to - store->start;
    uint64_t first = round_up_u64(a, HOST_PAGE), last = b / HOST_PAGE * HOST_PAGE;
    if (first >= last || madvise(store->bytes + first, (size_t)(last - first), MADV_DONTNEED) != 0) {
        memset(store->bytes + a, 0, (size_t)(b - a));
        return;
    }
    memset(store->bytes + a, 0, (size_t)(first - a));
    memset(store->bytes + last, 0, (size_t)(b - last));
}

int store_release(struct store *store, uint64_t address)
{
    uint32_t at = block_after(store, address);
    if (at == store->block_count || store->blocks[at].start != address)
        return -1;
    struct store_block block = store->blocks[at];
    store_clear(store, block.start, block.end);
    store->used -= block.end - block.start;
    store->block_count--;
    memmove(store->blocks + at, store->blocks + at + 1, (store->block_count - at) * sizeof(*store->blocks));
    return 0;
}

HOT const struct store_block *store_find(const struct store *store, uint64_t address)
{
    uint32_t at = block_after(store, address);
    if (at == store->block_count || store->blocks[at].start > address)
        return NULL;
    return &store->blocks[at];
}

bool store_covers(const struct store *store, uint64_t address, uint64_t bytes)
{
    const struct store_block *block = store_find(store, address);
    return block && bytes <= block->end - address;
}

bool store_read(void *context, uint64_t address, void *to, unsigned bytes)
{
    const struct store *store = context;
    if (!store_covers(store, address, bytes))
        return false;
    memcpy(to, store_at(store, address), bytes);
    return true;
}

bool store_near(const struct store *store, uint64_t address)
{
    uint32_t at = block_after(store, address);
    uint64_t page = address / STORE_PAGE;
    if (at < store->block_count && store->blocks[at].start / STORE_PAGE <= page)
        return true;
    return at > 0 && (store->blocks[at - 1].end - 1) / STORE_PAGE == page;
}
