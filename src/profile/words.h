/* The words by which threads exclude each other: locks, and words that are used in part like locks. They are found by
 * what compare-and-swaps and exchanges do to them (words.def), so that sources need no marks. Each SM fills in a state
 * of its own as events happen; profile_words_gather brings the states together when the kernel has ended. */
#ifndef LOCKSTEP_PROFILE_WORDS_H
#define LOCKSTEP_PROFILE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"
#include "lockstep/observer.h"

#define PROFILE_WORD_PCS                                                                                               \
    4 /* instructions that take a word, or give it back, of which the word knows: the first ones                       \
       */

enum profile_word_count {
#define PROFILE_WORD(name, doc) PROFILE_WORD_##name,
#include "profile/words.def"
#undef PROFILE_WORD
    PROFILE_WORD_COUNTS
};

/* What is known of each instruction that takes a word: readers of a lock and its writers take it by different ones. */
enum profile_take_count {
#define PROFILE_TAKE(name, doc) PROFILE_TAKE_##name,
#include "profile/takes.def"
#undef PROFILE_TAKE
    PROFILE_TAKE_COUNTS
};

struct profile_word {
    uint64_t address;                                          /* of the device, or in the shared memory of a block */
    uint32_t space;                                            /* enum lockstep_space; 0: no word */
    uint32_t takes[PROFILE_WORD_PCS], gives[PROFILE_WORD_PCS]; /* pc + 1; 0 ends */
    uint64_t counts[PROFILE_WORD_COUNTS];
    uint64_t by_take[PROFILE_WORD_PCS][PROFILE_TAKE_COUNTS]; /* of each of `takes` */
};

/* A warp, by its place in the grid: a slot of an SM has other ones in turn. */
struct profile_warp_name {
    uint64_t block; /* its index x, and from bits 32 and 48 on y and z */
    uint32_t warp;  /* in the block */
};

/* The time for which a thread held a word, from one taking to its giving back, in cycles of the device. */
struct profile_section {
    uint64_t address, taken, given;
    uint64_t since; /* the thread began to wait for it; as `taken` where it did not wait */
    struct profile_warp_name by;
    uint32_t block; /* of shared memory: block slot of the SM; else 0 */
    uint32_t space;
    uint32_t taken_at, given_at; /* instructions */
    uint32_t waited_at;          /* of the first attempt; as taken_at where it did not wait */
    uint8_t warp, lane;          /* its slot */
};

/* A thread held a word, or waited for it, when its warp left. */
struct profile_unfinished {
    uint64_t address, from, until; /* it has it, or waits for it, since `from`; its warp left, or it attempted last */
    struct profile_warp_name by;
    uint32_t space;
    uint32_t at; /* the instruction that took it, or attempted first */
    uint8_t warp, lane;
    bool held;
};

/* A wait that no section has: the thread gave it up, or took the word and did not give it back. */
struct profile_lone_wait {
    uint64_t address, from, until;
    struct profile_warp_name by;
    uint32_t space;
    uint32_t at; /* the instruction of the first attempt */
    uint8_t warp, lane;
    bool took;
};

struct profile_words;

/* Bytes of the state of an SM, which begins as zeros. */
size_t profile_words_bytes(void);
/* A warp begins in a slot. */
void profile_words_launch(struct profile_words *s, const struct lockstep_launch_event *e);
void profile_words_atomic(struct profile_words *s, const struct lockstep_atomic_event *e);
/* The word is a lock, as far as is known: an attempt at it failed, or somebody gave it back. */
bool profile_words_is_lock(const struct profile_words *s, uint64_t address, uint32_t space);
/* The step by which readers of a lock count themselves in and out: a number that code of the module both adds to words and
 * takes off, where other code takes words by compare-and-swaps or exchanges; 0: there is no such code. */
uint64_t profile_words_step(const struct isa_module *module);
/* An atomic of global memory has added or taken off that step: the thread may be a reader. */
void profile_words_count(struct profile_words *s, const struct lockstep_atomic_event *e, uint64_t step);
/* Nothing is done while no thread of the SM holds a word. */
void profile_words_access(struct profile_words *s, const struct lockstep_access_event *e);
/* A lane polls a word (polls.h), at which it has looked from a cycle on: if it is a lock, that is a wait for it, as if the
 * first look had been an attempt that failed. It ends as such a one does. */
void profile_words_look(struct profile_words *s, const struct lockstep_access_event *e, uint32_t lane, uint64_t since);
/* The warp in that slot leaves: what its threads hold and wait for is noted as unfinished. */
void profile_words_leave(struct profile_words *s, uint32_t slot, uint64_t cycle);
/* The threads of the warp in that slot have ended, or are other ones from now on: they wait for nothing, and hold
 * nothing. */
void profile_words_forget(struct profile_words *s, uint32_t slot);

/* A word, over all SMs. */
struct profile_word_sum {
    struct profile_word word;
    uint64_t handovers;   /* times that a thread gave it back and the next one to take it was waiting by then */
    uint64_t handed;      /* cycles from giving it back to taking it, over all handovers */
    uint32_t most_waited; /* threads that waited for it at once, at the most: of those that took it and gave it back */
    uint32_t written_at[PROFILE_WORD_PCS]; /* pc + 1; 0 ends: of one that was not seen to be given back, set by
                                              profile_polls_find_writes */
    uint32_t looked_at[PROFILE_WORD_PCS];  /* pc + 1; 0 ends: instructions by which those that wait only look at it;
                                              set by profile_polls_settle */
    char *name;                            /* NULL until somebody who knows names sets it; freed with the list */
};
struct profile_word_list {
    struct profile_word_sum *of; /* those with the most warps_waited first */
    uint32_t count;
    uint64_t unlisted; /* words that left a full table, and attempts for whose word a full table had no place */
    uint64_t unlogged; /* sections that are missing in handed, handovers and most_waited: the log was full */
};
/* The kernel has ended. Words in and out of which threads count themselves are locks if others took them, and gave them
 * back: what is known of the readers becomes theirs. What is known of other such words is dropped. To be called once,
 * before the states are gathered. */
void profile_words_settle(struct profile_words *const *states, uint32_t sms);
/* states: those of `sms` SMs. The list is to be freed by profile_words_free. */
struct profile_word_list profile_words_gather(const struct profile_words *const *states, uint32_t sms);
void profile_words_free(struct profile_word_list *list);
/* The names of counts in results. */
const char *profile_word_name(unsigned count);
const char *profile_take_name(unsigned count);

#endif
