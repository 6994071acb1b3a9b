/* Words of memory that lie in one line with others: locks and polled words beside each other, or beside data. Whoever
 * uses one of them has to do with those that use the others. Each SM counts accesses to words of global memory in a
 * state of its own as events happen; profile_sharing_gather finds the lines when the kernel has ended. */
#ifndef LOCKSTEP_PROFILE_SHARING_H
#define LOCKSTEP_PROFILE_SHARING_H

#include <stdbool.h>

#include "profile/polls.h"
#include "profile/words.h"

struct profile_sharing;

/* Bytes of the state of an SM, which begins as zeros. */
size_t profile_sharing_bytes(void);
void profile_sharing_accessed(struct profile_sharing *s, const struct lockstep_access_event *e);
/* Any access: nothing is done but for global memory. */
static inline void profile_sharing_access(struct profile_sharing *s, const struct lockstep_access_event *e)
{
    if (e->space == LOCKSTEP_GLOBAL)
        profile_sharing_accessed(s, e);
}

#define PROFILE_SHARED_LINES 32 /* that are listed: the most expensive ones */
#define PROFILE_SHARED_WORDS 8  /* of a line that are listed, of each kind */

/* A lock, a word that is used like one, or a polled word. */
struct profile_shared_sync {
    uint64_t address;
    uint64_t accesses; /* attempts; or polls */
    uint64_t waited;   /* warp-cycles */
    bool polled, given;
    char *name; /* NULL until somebody who knows names sets it */
};
/* Another word, as far as it is known. */
struct profile_shared_data {
    uint64_t address;
    uint64_t reads, writes; /* accesses of lanes that begin there; atomics are writes */
    uint32_t sms;           /* that did so */
    uint32_t at;            /* the first instruction that did */
    char *name;
};
struct profile_shared_line {
    uint64_t address;
    uint64_t waited;                                       /* warp-cycles, of all words of the first kind */
    uint64_t sync_accesses, data_accesses;                 /* of all words of either kind, listed or not */
    uint32_t sync_count, data_count;                       /* words of either kind; listed are the first ones */
    uint32_t sms;                                          /* that used the line */
    struct profile_shared_sync sync[PROFILE_SHARED_WORDS]; /* those for which most was waited first */
    struct profile_shared_data data[PROFILE_SHARED_WORDS]; /* those with most accesses first */
};
struct profile_shared_list {
    struct profile_shared_line *of; /* those with the most `waited` first */
    uint32_t count;
    uint32_t line_bytes;
};

/* The lines in which a lock, a word for which threads waited, or a polled word lies with another such word, or with
 * data. states: those of `sms` SMs; line_bytes: a power of two. To be freed by profile_sharing_free. */
struct profile_shared_list profile_sharing_gather(const struct profile_sharing *const *states, uint32_t sms,
                                                  const struct profile_word_list *words,
                                                  const struct profile_poll_list *polls, uint32_t line_bytes);
void profile_sharing_free(struct profile_shared_list *list);

#endif
