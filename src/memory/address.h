/* Where device addresses live: channel, slice, and the coordinates in a channel. Private to the memory room. Follows
 * GPGPU-Sim's decoding `dramid@8` with a number of channels that need not be a power of two: blocks of
 * partition.block_bytes (256 there) go round over the channels, and what is left of the address (the channel address)
 * is cut into row, bank and column by a table of bits. The lowest bits of the bank number choose the L2 slice; a
 * slice's own addresses ("local") have them removed. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_H
#define LOCKSTEP_MEMORY_ADDRESS_H

#include <stdint.h>

#include "base/bits.h"
#include "memory/partition.h"

/* The channel address of a slice's local address. slice: number within the channel. */
uint64_t address_of_local(const struct partition_params *params, uint32_t slice, uint64_t local);
/* Bank and row of a slice's local address, as often as there are requests: where their bits are, made once. */
struct request_map {
    uint8_t bank_shift[MEMORY_BANK_BITS]; /* of the bank number's bits, lowest first; those that are the slice's are left out */
    uint8_t bank_bits, slice_bits, row_shift;
    bool hashes; /* partition.hash_banks */
    uint32_t row_mask;
};
/* What partition.hash_banks changes in the number of a bank of so many bits for a row: all its bits, folded. In a row banks
 * change places only, so that an address still has a place of its own. */
static inline uint32_t memory_bank_hash(uint32_t row, uint32_t bits)
{
    return (row ^ row >> bits ^ row >> 2 * bits) & (uint32_t)mask_low(bits);
}
struct request_map request_map_of(const struct partition_params *params);
static inline void address_of_request(const struct request_map *map, uint32_t slice, uint64_t local, uint32_t *bank,
                                      uint32_t *row)
{
    uint32_t number = slice;
    for (uint32_t i = map->slice_bits; i < map->bank_bits; i++)
        number |= (uint32_t)(local >> map->bank_shift[i] & 1) << i;
    *row = (uint32_t)(local >> map->row_shift) & map->row_mask;
    *bank = number ^ (map->hashes ? memory_bank_hash(*row, map->bank_bits) : 0);
}

#endif
