/* Device memory: the values that the L2 and everything below it hold, and who owns which addresses. One contiguous
 * range of device addresses backed by lazily committed host memory. */
#ifndef LOCKSTEP_MEMORY_STORE_H
#define LOCKSTEP_MEMORY_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct store_block {
    uint64_t start, end; /* [start, end) as asked for; the space behind it up to the next alignment belongs to nobody */
};
struct store {
    uint64_t start, size;       /* device addresses [start, start + size) */
    uint8_t *bytes;             /* host address of `start` */
    bool identity;              /* bytes == (uint8_t *)start: device addresses are host pointers to the same bytes */
    struct store_block *blocks; /* allocations, ascending */
    uint32_t block_count, block_capacity;
    uint64_t used, peak;
};

/* Maps the range at the host address equal to `start` when that is free (MAP_FIXED_NOREPLACE), else anywhere. */
int store_init(struct store *store, uint64_t start, uint64_t size, struct diag_sink *sink);
void store_free_all(struct store *store);
/* Allocates `size` bytes (0 counts as 1) aligned to `align` (a power of two), first fit from the lowest address;
 * contents are zero. Returns the device address, 0 when full. */
uint64_t store_alloc(struct store *store, uint64_t size, uint64_t align);
/* Frees the allocation that starts at address; -1 when there is none. */
int store_release(struct store *store, uint64_t address);
/* Zeroes [from, to), which lies in the store: whole pages of the host's by giving them back to it. */
void store_clear(const struct store *store, uint64_t from, uint64_t to);
/* The allocation that holds address, or NULL. */
const struct store_block *store_find(const struct store *store, uint64_t address);
/* True: the address is in a page (STORE_PAGE bytes, aligned) in which some allocation has a byte. */
#define STORE_PAGE (UINT64_C(2) << 20)
bool store_near(const struct store *store, uint64_t address);
/* True: [address, address + bytes) lies inside one allocation. */
bool store_covers(const struct store *store, uint64_t address, uint64_t bytes);
/* Reads so many bytes of the store that context is; false: it does not cover them. */
bool store_read(void *context, uint64_t address, void *to, unsigned bytes);
/* store_archive.c: describes allocations and contents, or allocations alone (a store without memory of its own). */
struct archive;
void store_archive(struct store *store, struct archive *ar);
void store_archive_blocks(struct store *store, struct archive *ar);
/* Host pointer of a device address inside the range. */
static inline uint8_t *store_at(const struct store *store, uint64_t address)
{
    return store->bytes + (address - store->start);
}

#endif
