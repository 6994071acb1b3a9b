/* The state that words.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_WORDS_SM_H
#define LOCKSTEP_PROFILE_WORDS_SM_H

#include <stdbool.h>

#include "profile/words.h"

#define PROFILE_WORDS 4096                         /* places */
#define PROFILE_WORDS_MOST (PROFILE_WORDS / 4 * 3) /* words in the table, at the most */
#define PROFILE_WORDS_WARPS 64
#define PROFILE_WORDS_LANES 64
#define PROFILE_WORDS_HELD 64 /* words that a warp holds at once: those beyond are not seen to be given back */
#define PROFILE_HELD_PLACES 1024
#define PROFILE_SECTIONS (1u << 14) /* that are logged of an SM: the first ones */

/* Added to the space of a word as those see it who count themselves in and out of it, by atomics that add and take off:
 * the readers of a lock, if it is one that others take. */
#define PROFILE_READERS 16
#define PROFILE_READERS_MOST 65536 /* at once; where a word holds more, somebody else has it */

#define PROFILE_UNFINISHED (1u << 12) /* likewise */
#define PROFILE_LONE_WAITS (1u << 13) /* likewise */

/* A lane that waits for a word. The lanes of a warp that wait for one word, each from before the last of the others has
 * ended its wait, count as one stretch of the warp's time. */
struct profile_waiting {
    uint64_t address;
    uint64_t since;   /* its first attempt was answered, and had failed */
    uint64_t last;    /* so was its last one */
    uint64_t first;   /* the stretch began */
    uint64_t reached; /* the latest end of a wait of the stretch that the lane knows of; 0: of none */
    uint32_t space;
    uint32_t at;   /* the instruction of the first attempt */
    uint32_t word; /* its number in the table, unless words have left that since */
    bool looks;    /* it has looked alone: it may be no lock, and nobody is told before somebody attempts it */
};

/* A word that a lane holds. */
struct profile_held {
    uint64_t address;
    uint64_t found;        /* the value that it found there, and puts back to give the word back */
    uint32_t added;        /* the value that it put there, less that: others may count themselves in, too */
    uint32_t take;         /* number of taken_at among the word's; PROFILE_WORD_PCS: it is not there */
    uint64_t taken, since; /* as in struct profile_section */
    uint64_t asked;        /* cycle of the last atomic that it issued to the word since then; 0: there was none */
    uint32_t space, lane;
    uint32_t taken_at, waited_at; /* as in struct profile_section */
    uint32_t block;               /* slot of the thread's block */
};

struct profile_words_warp {
    uint32_t held_count;
    struct profile_held held[PROFILE_WORDS_HELD];
    uint64_t waiting; /* set of lanes */
    struct profile_waiting lanes[PROFILE_WORDS_LANES];
};

struct profile_words {
    uint32_t count; /* of the table */
    int64_t series; /* bytes from here to the struct profile_series of the SM; 0: it has none */
    bool full;      /* nearly all words of the table have to stay: no room is made any more */
    uint64_t unlisted, unlogged;
    uint16_t
        places[PROFILE_WORDS]; /* by hash of the address, the next free one after that: number of a word + 1; 0: free */
    struct profile_word words[PROFILE_WORDS_MOST]; /* as they came: so little memory is touched as there are words */
    struct profile_warp_name names[PROFILE_WORDS_WARPS];
    struct profile_words_warp warps[PROFILE_WORDS_WARPS];
    uint64_t holders, waiters;               /* sets of warps: that hold some word; of which some lane waits for one */
    uint16_t held_here[PROFILE_HELD_PLACES]; /* by hash of the address: words that are held, of all warps */
    /* Likewise, the values modulo 64 that they had when they were taken, and others that did so since none was held. */
    uint64_t found_here[PROFILE_HELD_PLACES];
    uint32_t section_count;
    struct profile_section sections[PROFILE_SECTIONS];
    uint32_t unfinished_count; /* as many as were kept; others came behind them, if it is PROFILE_UNFINISHED */
    struct profile_unfinished unfinished[PROFILE_UNFINISHED];
    uint32_t lone_count; /* as many as were kept */
    struct profile_lone_wait lone[PROFILE_LONE_WAITS];
};

#endif
