/* Sets of the bytes of a line of PACKET_LINE_BYTES: bit i is byte i. */
#ifndef LOCKSTEP_MEMORY_BYTE_MASK_H
#define LOCKSTEP_MEMORY_BYTE_MASK_H

#include <string.h>

#include "base/bits.h"
#include "memory/packet.h"

struct byte_mask {
    uint64_t word[PACKET_LINE_BYTES / 64];
};
#define BYTE_MASK_WORDS (PACKET_LINE_BYTES / 64)

/* Of bytes [from, to) of a line, those that are in one word of its mask. */
static inline uint64_t bytes_in_word(uint32_t word, uint32_t from, uint32_t to)
{
    uint32_t low = word * 64, first = from > low ? from - low : 0, end = to > low ? to - low : 0;
    return mask_low(end > 64 ? 64 : end) & ~mask_low(first > 64 ? 64 : first);
}
/* The bytes of [address, address + bytes), which lie in one line. */
static inline struct byte_mask bytes_of(uint64_t address, uint32_t bytes)
{
    uint32_t first = (uint32_t)(address % PACKET_LINE_BYTES);
    struct byte_mask m;
    for (uint32_t i = 0; i < BYTE_MASK_WORDS; i++)
        m.word[i] = bytes_in_word(i, first, first + bytes);
    return m;
}
/* The bytes that a packet carries, by its mask. */
static inline struct byte_mask bytes_of_packet(const struct packet *p)
{
    struct byte_mask m;
    memcpy(m.word, packet_mask(p), sizeof m.word);
    return m;
}
static inline void bytes_to_packet(const struct byte_mask *m, struct packet *p)
{
    memcpy(packet_mask(p), m->word, sizeof m->word);
}
static inline bool bytes_any(const struct byte_mask *m)
{
    return (m->word[0] | m->word[1]) != 0;
}
/* True: m has all of part. */
static inline bool bytes_cover(const struct byte_mask *m, const struct byte_mask *part)
{
    return !((part->word[0] & ~m->word[0]) | (part->word[1] & ~m->word[1]));
}
static inline bool bytes_meet(const struct byte_mask *a, const struct byte_mask *b)
{
    return ((a->word[0] & b->word[0]) | (a->word[1] & b->word[1])) != 0;
}
static inline void bytes_add(struct byte_mask *m, const struct byte_mask *more)
{
    for (uint32_t i = 0; i < BYTE_MASK_WORDS; i++)
        m->word[i] |= more->word[i];
}
static inline void bytes_remove(struct byte_mask *m, const struct byte_mask *gone)
{
    for (uint32_t i = 0; i < BYTE_MASK_WORDS; i++)
        m->word[i] &= ~gone->word[i];
}
static inline void bytes_clear(struct byte_mask *m)
{
    *m = (struct byte_mask){{0}};
}
/* Copies the bytes of a mask from one line to another. */
static inline void bytes_copy(uint8_t *to, const uint8_t *from, const struct byte_mask *m)
{
    for (uint32_t i = 0; i < BYTE_MASK_WORDS; i++)
        for (uint64_t rest = m->word[i]; rest; rest &= rest - 1)
            to[i * 64 + mask_first(rest)] = from[i * 64 + mask_first(rest)];
}

#endif
