/* The profile of a launch: asked for, gathered, and given names for its words. */
#include "profile/profile.h"
#include "gpu/gpu_impl.h"

#define MOST_NAMES 256 /* of words: the first ones, which cost most */

void gpu_profile(struct gpu *gpu)
{
    watch_join(&gpu->observers, profile_observer());
    gpu->profiles = true;
}

static char *name_of(const struct gpu_run *run, const struct profile_word *word)
{
    struct strbuf name = {0};
    bool known = word->space == LOCKSTEP_SHARED
                     ? gpu_add_shared_place(&run->grid, word->address, &name)
                     : gpu_add_place(run->gpu, gpu_module_code(run->launch->module), word->address, &name);
    if (!known)
        strbuf_addf(&name, "%#llx", (unsigned long long)word->address);
    return name.text; /* the caller's now */
}

void gpu_gather_profile(struct gpu_run *run)
{
    struct profile *profile = profile_gather(&run->watched);
    for (uint32_t i = 0; i < profile->words.count && i < MOST_NAMES; i++)
        profile->words.of[i].name = name_of(run, &profile->words.of[i].word);
    run->result->profile = profile;
}
