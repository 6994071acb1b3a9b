/* A profile's state of an SM. */
#ifndef LOCKSTEP_PROFILE_SM_H
#define LOCKSTEP_PROFILE_SM_H

#include "profile/charge.h"
#include "profile/profile.h"

#define PROFILE_WARPS 64

/* What makes events about a warp unusual. */
enum {
    PROFILE_AWAY = 1,    /* it has not come yet, or has gone */
    PROFILE_LOOKS = 2,   /* profile_sm.looks */
    PROFILE_FENCE = 4,   /* it waits behind a fence that it issued last */
    PROFILE_BARRIER = 8, /* it has just come to a barrier: the issue that brought it is about to be told */
    PROFILE_PASSED = 256 /* times the cycles of its stay in which its scheduler picked another */
};

struct profile_warp {
    uint64_t unusual;      /* PROFILE_AWAY and so on, added up; 0, most often */
    uint64_t since;        /* the first cycle of its stay; of one that issued, the cycle behind that */
    uint64_t done;         /* the cycle behind that in which an instruction of its was complete last */
    uint32_t done_pc;      /* of that one */
    uint32_t last_pc;      /* of the last one that it issued; of its first one before that */
    uint32_t at;           /* number of the count that its stay is charged to: an instruction's, of a cause. That count
                              lacks the cycle behind the stay's last, and has given up the first one. */
    uint16_t context;      /* of that one (calls.h) */
    uint16_t last_context; /* of the last one that it issued */
    uint8_t cause;         /* of the stay */
};

struct profile_sm {
    size_t words, polls, sharing, barriers; /* bytes to its struct profile_words, and so on */
    size_t calls;                           /* to its struct profile_calls; 0: it has none */
    size_t mbarriers;                       /* likewise */
    bool clusters;                          /* the module has barriers of clusters */
    bool looks;                             /* at each stay: for calls, mbarriers or barriers of clusters */
    uint32_t width;                         /* counts of an instruction */
    uint32_t nowhere;                       /* number of the count behind all others: of warps that are at no stay */
    uint32_t causes;
    struct profile_charge charge;
    struct profile_warp warps[PROFILE_WARPS];
    uint64_t counts[]; /* as those of struct profile, and one more */
};

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
static inline struct profile_barriers *profile_barriers_of(const struct profile_sm *s)
{
    return (struct profile_barriers *)((char *)s + s->barriers);
}

#endif
