/* Where device addresses live: channel, slice, and the coordinates in a channel. Private to the memory room. Follows
 * GPGPU-Sim's decoding `dramid@8` with a number of channels that need not be a power of two: blocks of 256 bytes go
 * round over the channels, and what is left of the address (the channel address) is cut into row, bank and column by a
 * table of bits. The lowest bits of the bank number choose the L2 slice; a slice's own addresses ("local") have them
 * removed. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_H
#define LOCKSTEP_MEMORY_ADDRESS_H

#include <stdint.h>

#include "memory/partition.h"

/* The channel address of a slice's local address. slice: number within the channel. */
uint64_t address_of_local(const struct partition_params *params, uint32_t slice, uint64_t local);
/* Bank and row of a slice's local address. */
void address_of_request(const struct partition_params *params, uint32_t slice, uint64_t local, uint32_t *bank,
                        uint32_t *row);

#endif
