/* Address decoding by the bit tables of the two mappings that GPGPU-Sim's configurations use; see address.h. */
#include "memory/address.h"

#include <string.h>

#include "base/bits.h"

#define MAX_BITS 8

struct address_map {
    uint8_t row_shift, row_bits;
    uint8_t bank[MEMORY_BANK_BITS]; /* lowest first, 0 ends */
    uint8_t column[MAX_BITS];       /* lowest first, 0 ends */
};

static const struct address_map maps[] = {
    [MEMORY_MAP_FERMI] = {16, 12, {8, 13, 14, 15, 0}, {6, 7, 9, 10, 11, 12, 0, 0}},
    [MEMORY_MAP_PASCAL] = {15, 13, {7, 12, 13, 14, 0}, {5, 6, 8, 9, 10, 11, 0, 0}},
    [MEMORY_MAP_HBM] = {16, 13, {7, 12, 13, 14, 15}, {5, 6, 8, 9, 10, 11, 0, 0}},
};

const char *const memory_address_map_choices[] = {"fermi", "pascal", "hbm", NULL};

static uint32_t slice_bits(const struct partition_params *params)
{
    return (uint32_t)__builtin_ctz(params->slices_per_channel);
}

static uint64_t insert_bit(uint64_t value, uint32_t bit, uint64_t b)
{
    return (value >> bit << (bit + 1)) | b << bit | (value & mask_low(bit));
}

uint64_t address_of_local(const struct partition_params *params, uint32_t slice, uint64_t local)
{
    const struct address_map *map = &maps[params->address_map];
    for (uint32_t i = 0; i < slice_bits(params); i++)
        local = insert_bit(local, map->bank[i], (slice >> i) & 1);
    return local;
}

static uint32_t bank_bits(const struct address_map *map)
{
    return map->bank[MEMORY_BANK_BITS - 1] ? MEMORY_BANK_BITS : MEMORY_BANK_BITS - 1;
}

static uint32_t bank_of(const struct address_map *map, uint64_t inside)
{
    uint32_t bank = 0;
    for (uint32_t i = 0; i < bank_bits(map); i++)
        bank |= (uint32_t)(inside >> map->bank[i] & 1) << i;
    return bank;
}

static uint32_t row_of(const struct address_map *map, uint64_t inside)
{
    return (uint32_t)(inside >> map->row_shift & mask_low(map->row_bits));
}

/* A bit of a channel address is so much lower in a local address as bits of the slice's are removed below it. */
static uint8_t local_bit(const struct partition_params *params, uint32_t bit)
{
    uint32_t removed = 0;
    for (uint32_t i = 0; i < slice_bits(params); i++)
        removed += maps[params->address_map].bank[i] < bit;
    return (uint8_t)(bit - removed);
}

struct request_map request_map_of(const struct partition_params *params)
{
    const struct address_map *map = &maps[params->address_map];
    struct request_map bits = {.slice_bits = (uint8_t)slice_bits(params),
                               .row_shift = local_bit(params, map->row_shift),
                               .row_mask = (uint32_t)mask_low(map->row_bits),
                               .bank_bits = (uint8_t)bank_bits(map),
                               .hashes = params->hash_banks};
    for (uint32_t i = 0; i < bits.bank_bits; i++)
        bits.bank_shift[i] = local_bit(params, map->bank[i]);
    return bits;
}

struct memory_map memory_map_of(const struct partition_params *params)
{
    struct memory_map map = {
        .channels = params->channels,
        .slice_bits = slice_bits(params),
        .block_shift = mask_first(params->block_bytes),
        .hashes = params->hash_channels};
    memcpy(map.bank_bits, maps[params->address_map].bank, sizeof map.bank_bits);
    if (params->channels > 1)
        map.inverse = UINT64_MAX / params->channels + 1;
    return map;
}

struct memory_place memory_place_of(const struct partition_params *params, uint64_t address)
{
    const struct address_map *map = &maps[params->address_map];
    struct memory_map bits = memory_map_of(params);
    struct memory_place place = {0};
    uint64_t block = params->block_bytes;
    uint64_t inside = address / block / params->channels * block | address % block;
    place.slice = memory_slice_of(&bits, address, &place.local);
    place.channel = place.slice >> bits.slice_bits;
    place.row = row_of(map, inside);
    place.bank = bank_of(map, inside) ^ (params->hash_banks ? memory_bank_hash(place.row, bank_bits(map)) : 0);
    for (uint32_t i = 0; i < MAX_BITS && map->column[i]; i++)
        place.column |= (uint32_t)(inside >> map->column[i] & 1) << i;
    return place;
}
