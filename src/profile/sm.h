/* A profile's state of an SM. */
#ifndef LOCKSTEP_PROFILE_SM_H
#define LOCKSTEP_PROFILE_SM_H

#include "profile/charge.h"
#include "profile/profile.h"
#include "watch/stays.h"

/* Marks of warps (watch_stays.unusual). */
enum {
    PROFILE_AWAY = 1,   /* it has not come yet, or has gone */
    PROFILE_LOOKS = 2,  /* profile_sm.looks */
    PROFILE_FENCE = 4,  /* it waits behind a fence that it issued last */
    PROFILE_BARRIER = 8, /* it has just come to a barrier: the issue that brought it is about to be told */
    PROFILE_POLLED = 16  /* it has polled, and nothing that it has issued since needs the answer */
};

struct profile_sm {
    size_t stays, words, polls, sharing, barriers; /* bytes to its struct watch_stays, and so on */
    size_t calls;                                  /* to its struct profile_calls; 0: it has none */
    size_t mbarriers, comings;                     /* likewise */
    bool words_matter; /* threads may take words, or poll them: else nothing is to be known of accesses to them */
    bool clusters;                                 /* the module has barriers of clusters */
    bool looks;                                    /* at each stay: for calls, mbarriers or barriers of clusters */
    uint64_t step; /* by which readers of locks may count themselves in and out; 0: nobody does */
    struct profile_charge charge;
};

/* Its counts are as those of struct profile, and one more. */
static inline struct watch_stays *profile_stays_of(const struct profile_sm *s)
{
    return (struct watch_stays *)((char *)s + s->stays);
}
static inline struct profile_words *profile_words_of(const struct profile_sm *s)
{
    return (struct profile_words *)((char *)s + s->words);
}
static inline struct profile_polls *profile_polls_of(const struct profile_sm *s)
{
    return (struct profile_polls *)((char *)s + s->polls);
}
static inline struct profile_sharing *profile_sharing_of(const struct profile_sm *s)
{
    return (struct profile_sharing *)((char *)s + s->sharing);
}
/* NULL: the kernel calls nothing. */
static inline struct profile_calls *profile_calls_of(const struct profile_sm *s)
{
    return s->calls ? (struct profile_calls *)((char *)s + s->calls) : NULL;
}
/* NULL: the module has none. */
static inline struct profile_mbarriers *profile_mbarriers_of(const struct profile_sm *s)
{
    return s->mbarriers ? (struct profile_mbarriers *)((char *)s + s->mbarriers) : NULL;
}
/* NULL: blocks do not wait for each other. */
static inline struct profile_comings *profile_comings_of(const struct profile_sm *s)
{
    return s->comings ? (struct profile_comings *)((char *)s + s->comings) : NULL;
}
static inline struct profile_barriers *profile_barriers_of(const struct profile_sm *s)
{
    return (struct profile_barriers *)((char *)s + s->barriers);
}

#endif
