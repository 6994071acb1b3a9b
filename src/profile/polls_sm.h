/* The state that polls.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_POLLS_SM_H
#define LOCKSTEP_PROFILE_POLLS_SM_H

#include <stdbool.h>

#include "profile/pcs.h"
#include "profile/polls.h"

#define PROFILE_POLLS 4096                         /* places */
#define PROFILE_POLLS_MOST (PROFILE_POLLS / 4 * 3) /* words in the table, at the most */
#define PROFILE_POLLS_WARPS 64
#define PROFILE_POLLS_LANES 64
#define PROFILE_POLLS_TURNS 4     /* words at which a loop may look in turn */
#define PROFILE_WRITES (1u << 14) /* places for words that were written */
#define PROFILE_WRITES_NEAR 64    /* of them beside each other: for words that are */
#define PROFILE_WRITE_PCS 2
#define PROFILE_WRITERS 1024           /* places for instructions that write several words at once */
#define PROFILE_SEVERAL 64             /* such accesses of each that are looked at: the first ones */
#define PROFILE_POLL_WAITS (1u << 13)  /* that are logged of an SM: the first ones */
#define PROFILE_POLL_WRITES (1u << 13) /* likewise; plain stores and compare-and-swaps have half of that at the most */

/* What is known of an instruction: a set. */
enum {
    PROFILE_POLLS_LOOKS = 1, /* threads may wait for each other by it, and it leaves memory as it is */
    PROFILE_POLLS_NEEDS = 2, /* it cannot issue before a look that stands before it is answered */
    PROFILE_POLLS_TELLS = 4, /* threads may tell each other something by it: an atomic, or a store that is not plain */
    PROFILE_POLLS_BEHIND = 8 /* of a look, how far behind it the first one stands that needs its answer, times this */
};

/* A look of a lane. */
struct profile_look {
    uint64_t address, cycle;
    uint64_t since;    /* cycle of the first look of its stretch */
    uint64_t answered; /* an instruction that needs its answer was issued; 0: not yet, or it is no poll */
    uint32_t pc;
    uint32_t number; /* among the lane's looks: they are counted from 1; 0: none, or it does not count any more */
    uint8_t space;
    bool polls; /* it was a poll */
};

/* The last looks of a lane, at different words or by different instructions. */
struct profile_looker {
    struct profile_look looks[PROFILE_POLLS_TURNS];
    uint32_t count; /* of all its looks, modulo 2^32 */
    uint32_t last;  /* the place of the last one */
};

/* A stretch of polls of a lane that has ended. */
struct profile_poll_wait {
    uint64_t word; /* profile_written */
    uint64_t since, answered;
    uint32_t block; /* of shared memory: block slot of the SM; else 0 */
};

/* A write that may have ended such a one. */
struct profile_poll_write {
    uint64_t word, cycle;
    uint32_t block;
};

struct profile_polls_warp {
    uint64_t looked;     /* set of lanes that have looked, and written nothing since */
    uint64_t unanswered; /* of them, those that have polled, and issued nothing since that needs the answer */
    uint32_t block;      /* slot of the threads that looked last */
    struct profile_looker lanes[PROFILE_POLLS_LANES];
    uint64_t from, until; /* polls count for the warp in this time, without a gap, */
    uint64_t before;      /* and up to this cycle, maybe with some */
    uint64_t swapped;     /* cycle of its last atomic */
    uint32_t polled;      /* the word that it polled last: its number in the table + 1; 0: none */
};

/* A word that was written, and the first instructions that did so. */
struct profile_write {
    uint64_t word;                   /* profile_written; 0: none */
    uint32_t pcs[PROFILE_WRITE_PCS]; /* pc + 1; 0 ends */
};

struct profile_polls {
    uint32_t count; /* of the table */
    bool looks;     /* some instruction does */
    uint64_t unlisted;
    uint64_t lookers;               /* set of warps that have such lanes as `looked` says */
    uint16_t places[PROFILE_POLLS]; /* as those of struct profile_words */
    struct profile_poll words[PROFILE_POLLS_MOST];
    struct profile_write writes[PROFILE_WRITES]; /* by hash of the address */
    uint16_t several[PROFILE_WRITERS];           /* by pc: accesses that wrote several words and were looked at */
    struct profile_polls_warp warps[PROFILE_POLLS_WARPS];
    uint32_t wait_count, write_count;
    uint64_t unlogged;    /* waits that came when the log was full */
    uint64_t unlogged_at; /* cycle of the first write that did, but for plain stores; 0: there was none */
    struct profile_poll_wait waits[PROFILE_POLL_WAITS];
    struct profile_poll_write wrote[PROFILE_POLL_WRITES];
    uint32_t code[]; /* by instruction: PROFILE_POLLS_LOOKS and so on, added up */
};

/* polls_handed.c: adds the handovers of words that are in the order of profile_poll_by_address, from logs of polls; or,
 * where `logs` are given, from those of attempts. Returns how many waits are missing in the counts. */
uint64_t profile_polls_hand_over(struct profile_poll_sum *sums, uint32_t count,
                                 const struct profile_polls *const *states, const struct profile_words *const *logs,
                                 uint32_t sms);
/* For qsort, and items that begin with a struct profile_poll. */
int profile_poll_by_address(const void *a, const void *b);

/* polls_gather.c: adds the instructions that write a word. */
void profile_polls_add_writes(struct profile_poll_sum *sum, const struct profile_polls *const *states, uint32_t sms);
/* Puts words in the order of the list. */
void profile_polls_order(struct profile_poll_list *list);

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
