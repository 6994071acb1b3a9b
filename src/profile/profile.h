/* The profile of a launch: where each cycle of each resident warp went, by instruction. A consumer of events that is
 * part of Lockstep and joins the observers where the user asks for it (--profile); like all of them it changes no
 * result.
 *
 * Over all instructions the cycles of a cause add up to the statistic warps.CAUSE, exactly, and the issues to
 * sm.warp_instructions. A wait for something that the warp has issued counts to that instruction, all other cycles to
 * the one that the warp needs next (causes.def). */
#ifndef LOCKSTEP_PROFILE_PROFILE_H
#define LOCKSTEP_PROFILE_PROFILE_H

#include "profile/barriers.h"
#include "profile/calls.h"
#include "profile/graph.h"
#include "profile/mbarriers.h"
#include "profile/polls.h"
#include "profile/sharing.h"
#include "profile/words.h"
#include "watch/watch.h"

enum profile_count {
#define PROFILE_COUNT(name, doc) PROFILE_##name,
#include "profile/counts.def"
#undef PROFILE_COUNT
    PROFILE_COUNTS
};

#define PROFILE_SHOWN 64 /* words of a kind that have names and stand in results: the first ones, which cost most */

/* Words of one variable that are not shown, added up. */
struct profile_rest {
    char *name; /* of the variable or allocation */
    uint32_t words;
    uint64_t counts[PROFILE_WORD_COUNTS + PROFILE_POLL_COUNTS]; /* those of either kind begin here */
};
struct profile_rests {
    struct profile_rest *of; /* as their first words come in the list */
    uint32_t count;
};

struct profile {
    const struct isa_module *module; /* of the kernel */
    uint32_t instructions;           /* of the module */
    uint32_t causes;
    const char *const *cause_names;
    uint64_t *counts;   /* by instruction: enum profile_count, and behind them warp-cycles by cause */
    uint64_t *barriers; /* by instruction: enum profile_barrier_count */
    struct profile_last_list lasts;
    struct profile_meeting *meetings; /* by instruction: at barriers of the grid and of clusters; NULL: there are none */
    uint32_t sms;
    uint64_t *sm_cycles; /* by SM: warp-cycles by cause, of all instructions */
    struct profile_mbarrier_list mbarriers;
    struct profile_call_list calls;
    struct profile_word_list words;
    struct profile_graphs graphs; /* of the words that are shown */
    struct profile_poll_list polls;
    struct profile_rests word_rests, poll_rests; /* set by who knows names */
    struct profile_shared_list shared;
};

#define PROFILE_NEEDS_TIMING "a profile (--profile) needs timing mode: functional mode has no cycles"

/* Its observer joins the others, once. */
void profile_join(struct watch_observers *all);
/* To ask for its states. */
const struct lockstep_observer *profile_observer(void);
/* The profile of a launch under profile_observer that has ended, over all SMs. line_bytes: of the largest cache lines.
 * To be freed by profile_free. */
struct profile *profile_gather(const struct watch_launch *launch, uint32_t line_bytes);
void profile_free(struct profile *profile);

/* A word that is not shown, of that name, is one more of its variable's. counts: as many as its list has; one of them,
 * `most`, is the largest of all words, the others are sums. The name stays the caller's. */
void profile_rests_add(struct profile_rests *rests, const char *name, const uint64_t *counts, unsigned count,
                       unsigned most);
/* The bytes of a word's name that name the variable or allocation which it lies in: all but an offset. */
size_t profile_variable_bytes(const char *name);

/* The counts of an instruction. */
static inline const uint64_t *profile_row(const struct profile *profile, uint32_t pc)
{
    return profile->counts + (size_t)pc * (PROFILE_COUNTS + profile->causes);
}
/* The counts of an instruction as a barrier. */
static inline const uint64_t *profile_barrier_row(const struct profile *profile, uint32_t pc)
{
    return profile->barriers + (size_t)pc * PROFILE_BARRIER_COUNTS;
}
/* The instruction that struct profile_last_did.at says, and the cause. */
static inline uint32_t profile_did_pc(const struct profile *profile, uint32_t at)
{
    return at / (PROFILE_COUNTS + profile->causes);
}
static inline uint32_t profile_did_cause(const struct profile *profile, uint32_t at)
{
    return at % (PROFILE_COUNTS + profile->causes) - PROFILE_COUNTS;
}
/* The warp-cycles of an SM, by cause. */
static inline const uint64_t *profile_sm_row(const struct profile *profile, uint32_t sm)
{
    return profile->sm_cycles + (size_t)sm * profile->causes;
}
/* The name of a count in results, and the words for a cause in reports. */
const char *profile_count_name(enum profile_count count);
const char *profile_cause_words(const char *name);

#endif
