/* The state that words.c keeps of an SM. */
#ifndef LOCKSTEP_PROFILE_WORDS_SM_H
#define LOCKSTEP_PROFILE_WORDS_SM_H

#include <stdbool.h>

#include "profile/words.h"

#define PROFILE_WORDS 4096                        /* places of the table */
#define PROFILE_WORDS_MOST (PROFILE_WORDS / 4 * 3) /* that are in use */
#define PROFILE_WORDS_WARPS 64
#define PROFILE_WORDS_LANES 64
#define PROFILE_WORDS_HELD 64      /* of a warp, at once */
#define PROFILE_SECTIONS (1u << 14) /* of an SM */

/* A lane that waits for a word. */
struct profile_waiting {
    uint64_t address;
    uint64_t since; /* the lane's first attempt failed */
    uint64_t first; /* the first of its warp did, since when some lane of it has waited for the word all the time */
    uint32_t space; /* 0: it waits for none */
};

/* A word that a lane holds: it took it, and found `found` there. */
struct profile_held {
    uint64_t address, found, taken, since;
    uint64_t asked; /* its last atomic to the word issued, which may give it back; 0: there was none */
    uint32_t space, lane;
};

struct profile_words_warp {
    uint32_t held_count;
    struct profile_held held[PROFILE_WORDS_HELD];
    uint64_t waiting; /* set of lanes */
    struct profile_waiting lanes[PROFILE_WORDS_LANES];
};

struct profile_words {
    uint32_t count; /* of the table */
    bool full;      /* making room again would gain little */
    uint64_t unlisted, unlogged;
    struct profile_word words[PROFILE_WORDS]; /* by hash of the address, the next free place after that */
    struct profile_words_warp warps[PROFILE_WORDS_WARPS];
    uint32_t section_count;
    struct profile_section sections[PROFILE_SECTIONS];
};

#endif
