/* Where device addresses live: channel, slice, and the coordinates in a channel. Private to the memory room. Follows
 * GPGPU-Sim's decoding `dramid@8` with a number of channels that need not be a power of two: blocks of
 * partition.block_bytes (256 there) go round over the channels, and what is left of the address (the channel address)
 * is cut into row, bank and column by a table of bits. The lowest bits of the bank number choose the L2 slice; a
 * slice's own addresses ("local") have them removed. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_H
#define LOCKSTEP_MEMORY_ADDRESS_H

#include <stdint.h>

#include "memory/partition.h"

/* The channel address of a slice's local address. slice: number within the channel. */
uint64_t address_of_local(const struct partition_params *params, uint32_t slice, uint64_t local);
/* Bank and row of a slice's local address, as often as there are requests: where their bits are, made once. */
struct request_map {
    uint8_t bank_shift[4]; /* of the bank number's bits, lowest first; those that are the slice's are left out */
    uint8_t slice_bits, row_shift;
    uint32_t row_mask;
};
struct request_map request_map_of(const struct partition_params *params);
static inline void address_of_request(const struct request_map *map, uint32_t slice, uint64_t local, uint32_t *bank,
                                      uint32_t *row)
{
    uint32_t number = slice;
    for (uint32_t i = map->slice_bits; i < 4; i++)
        number |= (uint32_t)(local >> map->bank_shift[i] & 1) << i;
    *bank = number;
    *row = (uint32_t)(local >> map->row_shift) & map->row_mask;
}

#endif
