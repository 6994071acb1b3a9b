/* The profile of a launch: asked for, gathered, and given names for its words. */
#include <stdlib.h>

#include "profile/profile.h"
#include "gpu/gpu_impl.h"

void gpu_profile(struct gpu *gpu)
{
    if (!gpu->timelines)
        profile_join(&gpu->observers);
    gpu->profiles = true;
}

char *gpu_word_name(const struct gpu_run *run, uint32_t space, uint64_t address)
{
    struct strbuf name = {0};
    bool known = space == LOCKSTEP_SHARED
                     ? gpu_add_shared_place(&run->grid, address, &name)
                     : gpu_add_place(run->gpu, gpu_module_code(run->launch->module), address, &name);
    if (!known)
        strbuf_addf(&name, "%#llx", (unsigned long long)address);
    return name.text; /* the caller's now */
}

static char *name_of(const struct gpu_run *run, const struct profile *profile, uint32_t word)
{
    const struct profile_word *is = &profile->words.of[word].word;
    return gpu_word_name(run, is->space, is->address);
}

static void name_ends(const struct gpu_run *run, const struct profile *profile, struct profile_order_edge *edge)
{
    edge->names[0] = name_of(run, profile, edge->from);
    edge->names[1] = name_of(run, profile, edge->to);
}

static void name_graphs(const struct gpu_run *run, struct profile *profile)
{
    struct profile_graphs *graphs = &profile->graphs;
    for (uint32_t i = 0; i < graphs->order_count; i++)
        name_ends(run, profile, &graphs->orders[i]);
    for (uint32_t i = 0; i < graphs->circle_count; i++)
        for (uint32_t n = 0; n < graphs->circles[i].count && n < PROFILE_CIRCLE; n++)
            name_ends(run, profile, &graphs->circles[i].edges[n]);
}

static void name_shared(const struct gpu_run *run, struct profile_shared_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct profile_shared_line *line = &list->of[i];
        for (uint32_t n = 0; n < line->sync_count && n < PROFILE_SHARED_WORDS; n++)
            line->sync[n].name = gpu_word_name(run, LOCKSTEP_GLOBAL, line->sync[n].address);
        for (uint32_t n = 0; n < line->data_count && n < PROFILE_SHARED_WORDS; n++)
            line->data[n].name = gpu_word_name(run, LOCKSTEP_GLOBAL, line->data[n].address);
    }
}

/* Words that are not shown count for their variables. */
static void gather_rests(const struct gpu_run *run, struct profile *profile)
{
    for (uint32_t i = PROFILE_SHOWN; i < profile->words.count; i++) {
        const struct profile_word *word = &profile->words.of[i].word;
        char *name = gpu_word_name(run, word->space, word->address);
        profile_rests_add(&profile->word_rests, name, word->counts, PROFILE_WORD_COUNTS, PROFILE_WORD_held_most);
        free(name);
    }
    for (uint32_t i = PROFILE_SHOWN; i < profile->polls.count; i++) {
        const struct profile_poll *poll = &profile->polls.of[i].poll;
        char *name = gpu_word_name(run, poll->space, poll->address);
        profile_rests_add(&profile->poll_rests, name, poll->counts, PROFILE_POLL_COUNTS, PROFILE_POLL_COUNTS);
        free(name);
    }
}

void gpu_gather_profile(struct gpu_run *run)
{
    const struct machine *m = &run->gpu->machine;
    uint32_t l1 = m->l1d.line_bytes, l2 = m->memory.l2.line_bytes;
    struct profile *profile = profile_gather(&run->watched, l1 > l2 ? l1 : l2);
    for (uint32_t i = 0; i < profile->words.count && i < PROFILE_SHOWN; i++) {
        struct profile_word_sum *sum = &profile->words.of[i];
        sum->name = gpu_word_name(run, sum->word.space, sum->word.address);
    }
    for (uint32_t i = 0; i < profile->polls.count && i < PROFILE_SHOWN; i++) {
        struct profile_poll_sum *sum = &profile->polls.of[i];
        sum->name = gpu_word_name(run, sum->poll.space, sum->poll.address);
    }
    for (uint32_t i = 0; i < profile->mbarriers.count; i++) {
        struct profile_mbarrier_sum *sum = &profile->mbarriers.of[i];
        sum->name = gpu_word_name(run, LOCKSTEP_SHARED, sum->mbarrier.address);
    }
    gather_rests(run, profile);
    name_graphs(run, profile);
    name_shared(run, &profile->shared);
    run->result->profile = profile;
}
