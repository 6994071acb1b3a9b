/* The words by which threads exclude each other: found by what compare-and-swaps and exchanges do to them, without any mark in the
 * source. Part of a profile: a state for each SM, from its events, and what these say together. */
#ifndef LOCKSTEP_PROFILE_WORDS_H
#define LOCKSTEP_PROFILE_WORDS_H

#include <stdint.h>

#include "lockstep/observer.h"

#define PROFILE_WORD_PCS 4 /* instructions of a kind that are kept of a word: the first ones seen */

enum profile_word_count {
#define PROFILE_WORD(name, doc) PROFILE_WORD_##name,
#include "profile/words.def"
#undef PROFILE_WORD
    PROFILE_WORD_COUNTS
};

struct profile_word {
    uint64_t address; /* of the device, or in the shared memory of a block */
    uint32_t space;   /* enum lockstep_space; 0: no word */
    uint32_t takes[PROFILE_WORD_PCS], gives[PROFILE_WORD_PCS]; /* pc + 1; 0 ends */
    uint64_t counts[PROFILE_WORD_COUNTS];
};

/* A time for which a thread held a word. */
struct profile_section {
    uint64_t address, taken, given;
    uint64_t since; /* when it began to wait; that is `taken` where it did not */
    uint32_t block; /* of shared memory: block slot of the SM; else 0 */
    uint32_t space;
};

struct profile_words;

/* The state of an SM: bytes, zeroed. */
size_t profile_words_bytes(void);
void profile_words_atomic(struct profile_words *s, const struct lockstep_atomic_event *e);
void profile_words_access(struct profile_words *s, const struct lockstep_access_event *e);
/* The warp's threads are other ones from now on. */
void profile_words_launch(struct profile_words *s, const struct lockstep_launch_event *e);

/* What all SMs know of a word. */
struct profile_word_sum {
    struct profile_word word;
    uint64_t handed;      /* cycles from giving it back to the next taking, where a thread was waiting */
    uint64_t handovers;   /* how often */
    uint32_t most_waited; /* threads that waited for it at once, at the most */
    char *name;           /* set by who knows names; freed with the list */
};
struct profile_word_list {
    struct profile_word_sum *of; /* most warps_waited first */
    uint32_t count;
    uint64_t unlisted; /* words for which there was no room: nobody had waited for them */
    uint64_t unlogged; /* sections that are not in handed, handovers and most_waited */
};
/* states: of `sms` SMs. To be freed by profile_words_free. */
struct profile_word_list profile_words_gather(const struct profile_words *const *states, uint32_t sms);
void profile_words_free(struct profile_word_list *list);
const char *profile_word_name(enum profile_word_count count);

#endif
