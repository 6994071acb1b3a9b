/* The state that polls.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_POLLS_SM_H
#define LOCKSTEP_PROFILE_POLLS_SM_H

#include "profile/pcs.h"
#include "profile/polls.h"

#define PROFILE_POLLS 4096                         /* places of the table */
#define PROFILE_POLLS_MOST (PROFILE_POLLS / 4 * 3) /* of them in use, at the most */
#define PROFILE_POLLS_WARPS 64
#define PROFILE_POLLS_LANES 64
#define PROFILE_POLLS_SPANS 8
#define PROFILE_WRITES (1u << 14) /* places for words that were written */
#define PROFILE_WRITE_PCS 2
#define PROFILE_WRITERS 1024 /* places for instructions that write several words at once */
#define PROFILE_SEVERAL 64   /* such accesses of each that are looked at: the first ones */

/* The last look of a lane. */
struct profile_look {
    uint64_t address, cycle;
    uint32_t space, pc;
    uint32_t polls; /* 1: it was a poll */
};

/* The latest cycles that count for a warp and a word, from..until, without a gap. */
struct profile_span {
    uint64_t from, until;
    uint32_t word; /* its place in the table + 1; 0: none */
};

struct profile_polls_warp {
    uint64_t looked; /* set of lanes that have looked, and written nothing since */
    struct profile_look lanes[PROFILE_POLLS_LANES];
    struct profile_span spans[PROFILE_POLLS_SPANS];
    uint32_t next; /* the span that is replaced next */
};

/* A word that was written, and the first instructions that did so. */
struct profile_write {
    uint64_t address;
    uint32_t space;                  /* 0: no word */
    uint32_t pcs[PROFILE_WRITE_PCS]; /* pc + 1; 0 ends */
};

struct profile_polls {
    uint32_t count; /* of the table */
    uint64_t unlisted;
    struct profile_poll words[PROFILE_POLLS];    /* by hash of the address, the next free place after that */
    struct profile_write writes[PROFILE_WRITES]; /* by hash of the address */
    uint16_t several[PROFILE_WRITERS];           /* by pc: accesses that wrote several words and were looked at */
    struct profile_polls_warp warps[PROFILE_POLLS_WARPS];
};

static inline uint32_t profile_write_place(uint64_t address, uint32_t space)
{
    return profile_place(address, space) % PROFILE_WRITES;
}

#endif
