/* The state that sharing.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_SHARING_SM_H
#define LOCKSTEP_PROFILE_SHARING_SM_H

#include "profile/pcs.h"
#include "profile/sharing.h"

#define PROFILE_PIECE 32 /* bytes */
#define PROFILE_PIECE_WORDS (PROFILE_PIECE / 4)
#define PROFILE_PIECES 1024   /* pairs of places */
#define PROFILE_PIECES_NEAR 16 /* of them beside each other: for pieces that are */

/* Aligned bytes of global memory. */
struct profile_piece {
    uint64_t address; /* of the device */
    uint32_t heat;    /* accesses, less those to others that wanted its place; 0: the place is free */
    uint32_t reads[PROFILE_PIECE_WORDS], writes[PROFILE_PIECE_WORDS];
    uint32_t at[PROFILE_PIECE_WORDS]; /* the first instruction that accessed the word: pc + 1 */
};

/* The pair of places of the piece at that address. */
static inline uint32_t profile_piece_pair(uint64_t address)
{
    return hash_place_near(address / PROFILE_PIECE, PROFILE_PIECES_NEAR) % PROFILE_PIECES;
}

/* Either place of a pair is for any piece that belongs there: one that is accessed over and over keeps its place. */
struct profile_sharing {
    struct profile_piece pieces[PROFILE_PIECES][2];
};

#endif
