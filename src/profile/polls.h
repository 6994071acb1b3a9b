/* The words that threads poll: they look at the same word over and over until another thread has written it. A thread
 * waits so at a flag, at a barrier of its own making, or for its turn at a ticket lock (polls.def). Which instructions
 * write such a word is known as well. Each SM fills in a state of its own as events happen; profile_polls_gather brings
 * the states together. */
#ifndef LOCKSTEP_PROFILE_POLLS_H
#define LOCKSTEP_PROFILE_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"
#include "lockstep/observer.h"
#include "profile/comings.h"
#include "profile/words.h"

#define PROFILE_POLL_PCS 4 /* instructions that poll a word, or write it, of which the word knows: the first ones */

enum profile_poll_count {
#define PROFILE_POLL(name, doc) PROFILE_POLL_##name,
#include "profile/polls.def"
#undef PROFILE_POLL
    PROFILE_POLL_COUNTS
};

struct profile_poll {
    uint64_t address;                     /* of the device, or in the shared memory of a block */
    uint32_t space;                       /* enum lockstep_space; 0: no word */
    uint32_t polled_at[PROFILE_POLL_PCS]; /* pc + 1; 0 ends */
    uint64_t counts[PROFILE_POLL_COUNTS];
};

struct profile_polls;

/* Bytes of the state of an SM, a multiple of 8. It begins as zeros, which profile_polls_begin makes ready for a module.
 */
size_t profile_polls_bytes(const struct isa_module *module);
void profile_polls_begin(struct profile_polls *s, const struct isa_module *module);
/* The module has instructions by which threads may poll. */
bool profile_polls_looks(const struct profile_polls *s);
bool profile_polls_may(const struct isa_module *module);
/* The access writes one word, so that others may be told something by it: by an atomic that is no compare-and-swap, by a
 * store that is volatile or stronger, or (*plain) by a plain one of one lane. */
bool profile_polls_tells(const struct profile_polls *s, const struct lockstep_access_event *e, bool *plain);
bool profile_polls_accessed(struct profile_polls *s, struct profile_words *words,
                            const struct lockstep_access_event *e);
/* Any access: nothing is done for loads by which threads do not wait for each other. The words of the SM are told of
 * polls. True: from now on the state is to be told what the warp issues, until profile_polls_issued returns false. */
static inline bool profile_polls_access(struct profile_polls *s, struct profile_words *words,
                                        const struct lockstep_access_event *e)
{
    return (e->instruction_class != LOCKSTEP_LOAD || e->synchronises) && profile_polls_accessed(s, words, e);
}
/* An atomic was answered: a compare-and-swap that changed its word may have ended a wait. */
void profile_polls_atomic(struct profile_polls *s, const struct lockstep_atomic_event *e);
bool profile_polls_issued(struct profile_polls *s, const struct lockstep_issue_event *e);
/* When the warp in that slot polled a word for the last time: without a gap from a cycle to another one, or, if
 * it has written nothing since, to UINT64_MAX. word: its number
 * in the table + 1; 0: it has polled none. */
struct profile_polled_time {
    uint64_t from, until;
    uint32_t word;
};
struct profile_polled_time profile_polls_last(const struct profile_polls *s, uint32_t slot);
/* Other warps waited for so many cycles for one that polled that word, which may be 0. */
void profile_polls_held_up(struct profile_polls *s, uint32_t word, uint64_t cycles);
/* The threads of the warp in that slot have ended, or are other ones from now on. */
void profile_polls_forget(struct profile_polls *s, uint32_t slot);

/* A word, over all SMs. */
struct profile_poll_sum {
    struct profile_poll poll;
    uint32_t written_at[PROFILE_POLL_PCS]; /* pc + 1; 0 ends: stores and atomics, as far as they are known */
    uint64_t handovers;                    /* waits that a write of another thread was seen to end */
    uint64_t handed; /* cycles from the issue of that write until the waiter issued what needs its last look, of all */
    uint32_t most_waited; /* lanes that waited for it at once, at the most, as far as logs have their waits */
    struct profile_meeting ended; /* of words of global memory: who ended waits, as far as logs have both */
    char *name;           /* NULL until somebody who knows names sets it; freed with the list */
};
struct profile_poll_list {
    struct profile_poll_sum *of; /* those with the most warps_waited first */
    uint32_t count;
    uint64_t unlisted; /* polls for whose word a full table had no place */
    uint64_t unlogged; /* waits that are missing in handed and handovers: a log was full */
};
/* states: those of `sms` SMs. The list is to be freed by profile_polls_free. */
struct profile_poll_list profile_polls_gather(const struct profile_polls *const *states, uint32_t sms);
/* Puts words into one of the lists. One that is taken by some compare-and-swap, or was given back, is a lock: attempts
 * count its looks by compare-and-swaps, and it leaves the polls if it was polled by nothing else. Another one that
 * compare-and-swaps polled, or for which nobody waits by attempts, leaves `words`. Attempts that all failed become
 * polls if the polls do not have the word. logs, states: of the SMs that `words` and `polls` are of. */
void profile_polls_settle(struct profile_poll_list *polls, struct profile_word_list *words,
                          const struct profile_words *const *logs, const struct profile_polls *const *states,
                          uint32_t sms, const struct isa_module *module);
/* Of words that were taken and not seen to be given back: which other instructions write them, but for
 * compare-and-swaps, which take them or do not. So threads of another SM than theirs give them back. */
void profile_polls_find_writes(const struct profile_polls *const *states, uint32_t sms, const struct isa_module *module,
                               struct profile_word_list *words);
/* Finds out who ended the waits for the first PROFILE_POLLS_MEET words. states: of the SMs that `list` is of. */
#define PROFILE_POLLS_MEET 64
void profile_polls_meet(struct profile_poll_list *list, const struct profile_comings_list *comings,
                        const struct profile_polls *const *states, uint32_t sms);
void profile_polls_free(struct profile_poll_list *list);
/* The name of a count in results. */
const char *profile_poll_name(unsigned count);

#endif
