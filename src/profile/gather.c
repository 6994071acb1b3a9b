/* The profile of a launch, from the states of its SMs. */
#include <stdlib.h>

#include "profile/sm.h"

const char *profile_count_name(enum profile_count count)
{
    static const char *const names[] = {
#define PROFILE_COUNT(name, doc) #name,
#include "profile/counts.def"
#undef PROFILE_COUNT
    };
    return names[count];
}

/* A barrier of the grid or of clusters counts once for all of its blocks. */
static void add_meeting(struct profile *profile, const struct profile_comings_list *comings, uint32_t pc)
{
    uint64_t *row = profile->barriers + (size_t)pc * PROFILE_BARRIER_COUNTS;
    struct profile_meeting meeting = profile_comings_at(comings, pc);
    if (!meeting.phases)
        return;
    if (!profile->meetings)
        profile->meetings = base_calloc(profile->instructions, sizeof *profile->meetings);
    profile->meetings[pc] = meeting;
    row[PROFILE_BARRIER_opened] = meeting.phases;
    row[PROFILE_BARRIER_spread] = meeting.spread;
}

/* states: of SMs, struct profile_sm; polls: their polled words. */
static void gather_comings(struct profile *profile, const void *const *states,
                           const struct profile_polls *const *polls, uint32_t sms)
{
    const struct profile_comings **comings = base_calloc(sms, sizeof *comings);
    for (uint32_t sm = 0; sm < sms; sm++)
        comings[sm] = profile_comings_of(states[sm]);
    if (comings[0]) {
        struct profile_comings_list *list = profile_comings_gather(comings, sms);
        for (uint32_t pc = 0; pc < profile->instructions; pc++)
            if (profile_barrier_row(profile, pc)[PROFILE_BARRIER_came])
                add_meeting(profile, list, pc);
        profile_polls_meet(&profile->polls, list, polls, sms);
        profile_comings_free(list);
    }
    free(comings);
}

/* states: of SMs, struct profile_sm. */
static void gather_words(struct profile *profile, const void *const *states, uint32_t sms)
{
    struct profile_words **own = base_calloc(sms, sizeof *own);
    const struct profile_words *const *words = (const struct profile_words *const *)own;
    const struct profile_polls **polls = base_calloc(sms, sizeof *polls);
    for (uint32_t sm = 0; sm < sms; sm++) {
        own[sm] = profile_words_of(states[sm]);
        polls[sm] = profile_polls_of(states[sm]);
    }
    profile_words_settle(own, sms);
    profile->words = profile_words_gather(words, sms);
    profile->polls = profile_polls_gather(polls, sms);
    profile_polls_settle(&profile->polls, &profile->words, words, polls, sms, profile->module);
    profile->graphs = profile_graphs_gather(&profile->words, PROFILE_SHOWN, words, sms);
    profile_polls_find_writes(polls, sms, profile->module, &profile->words);
    gather_comings(profile, states, polls, sms);
    free(own);
    free(polls);
}

/* Likewise. */
static void gather_parts(struct profile *profile, const void *const *states, uint32_t sms, uint32_t line_bytes)
{
    const void **parts = base_calloc(sms, sizeof *parts);
    gather_words(profile, states, sms);
    for (uint32_t sm = 0; sm < sms; sm++)
        parts[sm] = &profile_barriers_of(states[sm])->lasts;
    profile->lasts = profile_lasts_gather((const struct profile_lasts *const *)parts, sms);
    for (uint32_t sm = 0; sm < sms; sm++)
        parts[sm] = profile_sharing_of(states[sm]);
    profile->shared = profile_sharing_gather((const struct profile_sharing *const *)parts, sms, &profile->words,
                                             &profile->polls, line_bytes);
    for (uint32_t sm = 0; sm < sms; sm++)
        parts[sm] = profile_mbarriers_of(states[sm]);
    if (parts[0])
        profile->mbarriers = profile_mbarriers_gather((const struct profile_mbarriers *const *)parts, sms);
    for (uint32_t sm = 0; sm < sms; sm++)
        parts[sm] = profile_calls_of(states[sm]);
    if (parts[0])
        profile->calls = profile_calls_gather((const struct profile_calls *const *)parts, sms);
    free(parts);
}

static void add_sm(struct profile *profile, const struct profile_sm *state, uint32_t sm)
{
    const struct watch_stays *stays = profile_stays_of(state);
    uint64_t *sum = profile->sm_cycles + (size_t)sm * profile->causes;
    unsigned lanes = mask_count(stays->lanes);
    for (uint32_t pc = 0; pc < profile->instructions; pc++) {
        const uint64_t *row = stays->counts + (size_t)pc * stays->width;
        uint64_t *to = profile->counts + (size_t)pc * stays->width;
        for (uint32_t i = 0; i < stays->width; i++)
            to[i] += row[i];
        for (uint32_t c = 0; c < profile->causes; c++)
            sum[c] += row[PROFILE_COUNTS + c];
        to[PROFILE_COUNTS + stays->issued] += row[PROFILE_issues];
        sum[stays->issued] += row[PROFILE_issues];
        to[PROFILE_active] += row[PROFILE_issues] * lanes;
        to[PROFILE_lanes] += row[PROFILE_issues] * lanes;
    }
}

struct profile *profile_gather(const struct watch_launch *launch, uint32_t line_bytes)
{
    const struct lockstep_observed *observed = &launch->observed;
    const void **states = base_calloc(observed->sms, sizeof *states);
    struct profile *profile = base_malloc(sizeof *profile);
    size_t count = (size_t)observed->instructions * (PROFILE_COUNTS + observed->cause_count);
    *profile = (struct profile){
        .module = launch->module,
        .instructions = observed->instructions,
        .causes = observed->cause_count,
        .cause_names = observed->causes,
        .counts = base_calloc(count, sizeof *profile->counts),
        .barriers = base_calloc((size_t)observed->instructions * PROFILE_BARRIER_COUNTS, sizeof *profile->barriers),
        .sms = observed->sms,
        .sm_cycles = base_calloc((size_t)observed->sms * observed->cause_count, sizeof *profile->sm_cycles)};
    watch_launch_states(launch, profile_observer(), states);
    for (uint32_t sm = 0; sm < observed->sms; sm++) {
        profile_barriers_add(profile->barriers, profile_barriers_of(states[sm]), observed->instructions);
        add_sm(profile, states[sm], sm);
    }
    gather_parts(profile, states, observed->sms, line_bytes);
    free(states);
    return profile;
}

static void free_rests(struct profile_rests *rests)
{
    for (uint32_t i = 0; i < rests->count; i++)
        free(rests->of[i].name);
    free(rests->of);
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    free_rests(&profile->word_rests);
    free_rests(&profile->poll_rests);
    for (uint32_t pc = 0; profile->meetings && pc < profile->instructions; pc++)
        profile_meeting_free(&profile->meetings[pc]);
    free(profile->meetings);
    profile_lasts_free(&profile->lasts);
    profile_graphs_free(&profile->graphs);
    profile_mbarriers_free(&profile->mbarriers);
    profile_calls_free(&profile->calls);
    profile_words_free(&profile->words);
    profile_polls_free(&profile->polls);
    profile_sharing_free(&profile->shared);
    free(profile->counts);
    free(profile->barriers);
    free(profile->sm_cycles);
    free(profile);
}
