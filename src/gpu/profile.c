/* The profile of a launch: asked for, gathered, and given names for its words. */
#include "profile/profile.h"
#include "gpu/gpu_impl.h"

void gpu_profile(struct gpu *gpu)
{
    if (!gpu->timelines)
        watch_join(&gpu->observers, profile_observer());
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

void gpu_gather_profile(struct gpu_run *run)
{
    struct profile *profile = profile_gather(&run->watched);
    for (uint32_t i = 0; i < profile->words.count && i < PROFILE_SHOWN; i++) {
        struct profile_word_sum *sum = &profile->words.of[i];
        sum->name = gpu_word_name(run, sum->word.space, sum->word.address);
    }
    for (uint32_t i = 0; i < profile->polls.count && i < PROFILE_SHOWN; i++) {
        struct profile_poll_sum *sum = &profile->polls.of[i];
        sum->name = gpu_word_name(run, sum->poll.space, sum->poll.address);
    }
    run->result->profile = profile;
}
