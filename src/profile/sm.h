/* A profile's state of an SM. */
#ifndef LOCKSTEP_PROFILE_SM_H
#define LOCKSTEP_PROFILE_SM_H

#include "profile/charge.h"
#include "profile/profile.h"

#define PROFILE_WARPS 64

struct profile_warp {
    uint64_t since;        /* the first cycle of its stay that is not counted yet */
    uint64_t passed;       /* cycles of its stay in which its scheduler picked another */
    uint64_t done;         /* the cycle behind that in which an instruction of its was complete last */
    uint32_t done_pc;      /* of that one */
    uint32_t last_pc;      /* of the last one that it issued; of its first one before that */
    uint32_t at;           /* number of the count that its stay is charged to: an instruction's, of a cause */
    uint16_t context;      /* of that one (calls.h) */
    uint16_t last_context; /* of the last one that it issued */
    uint8_t cause;         /* of the stay */
    bool at_fence;         /* it waits behind a fence that it issued last */
};

struct profile_sm {
    size_t words, polls, sharing, barriers; /* bytes to its struct profile_words, and so on */
    size_t calls;                           /* to its struct profile_calls; 0: it has none */
    uint32_t width;                         /* counts of an instruction */
    uint32_t causes;
    struct profile_charge charge;
    uint64_t resident;
    struct profile_warp warps[PROFILE_WARPS];
    uint64_t counts[]; /* as those of struct profile */
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
static inline struct profile_barriers *profile_barriers_of(const struct profile_sm *s)
{
    return (struct profile_barriers *)((char *)s + s->barriers);
}

#endif
