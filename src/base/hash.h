/* Hashes and reproducible random streams. */
#ifndef LOCKSTEP_BASE_HASH_H
#define LOCKSTEP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit FNV-1a. */
uint64_t hash_bytes(const void *data, size_t n);

/* A counter-based random stream (splitmix64): the i-th value depends on seed and i alone. */
uint64_t random_at(uint64_t seed, uint64_t index);

#endif
