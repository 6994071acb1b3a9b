/* The state that polls.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_POLLS_SM_H
#define LOCKSTEP_PROFILE_POLLS_SM_H

#include "profile/pcs.h"
#include "profile/polls.h"

#define PROFILE_POLLS 4096                         /* places */
#define PROFILE_POLLS_MOST (PROFILE_POLLS / 4 * 3) /* words in the table, at the most */
#define PROFILE_POLLS_WARPS 64
#define PROFILE_POLLS_LANES 64
#define PROFILE_POLLS_SPANS 8
#define PROFILE_WRITES (1u << 14) /* places for words that were written */
#define PROFILE_WRITES_NEAR 64    /* of them beside each other: for words that are */
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
    uint32_t word; /* its number in the table + 1; 0: none */
};

struct profile_polls_warp {
    uint64_t looked; /* set of lanes that have looked, and written nothing since */
    struct profile_look lanes[PROFILE_POLLS_LANES];
    struct profile_span spans[PROFILE_POLLS_SPANS];
    uint32_t next; /* the span that is replaced next */
};

/* A word that was written, and the first instructions that did so. */
struct profile_write {
    uint64_t word;                   /* profile_written; 0: none */
    uint32_t pcs[PROFILE_WRITE_PCS]; /* pc + 1; 0 ends */
};

struct profile_polls {
    uint32_t count; /* of the table */
    uint64_t unlisted;
    uint64_t lookers;                            /* set of warps that have such lanes as `looked` says */
    uint16_t places[PROFILE_POLLS]; /* as those of struct profile_words */
    struct profile_poll words[PROFILE_POLLS_MOST];
    struct profile_write writes[PROFILE_WRITES]; /* by hash of the address */
    uint16_t several[PROFILE_WRITERS];           /* by pc: accesses that wrote several words and were looked at */
    struct profile_polls_warp warps[PROFILE_POLLS_WARPS];
};

/* A word as one number, which says its space and, of addresses of less than 2^60, where in that it begins. */
static inline uint64_t profile_written(uint64_t address, uint32_t space)
{
    return address ^ (uint64_t)space << 60;
}
/* Its place among the writes. */
static inline uint32_t profile_write_place(uint64_t word)
{
    return hash_place_near(word / 4, PROFILE_WRITES_NEAR) % PROFILE_WRITES;
}
/* What an SM has written to a word: those instructions; NULL: it has not, or they had to make room. */
static inline const uint32_t *profile_writes_of(const struct profile_polls *s, uint64_t address, uint32_t space)
{
    uint64_t word = profile_written(address, space);
    const struct profile_write *write = &s->writes[profile_write_place(word)];
    return write->word == word ? write->pcs : NULL;
}

#endif
