/* The state that series.c keeps of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_PROFILE_SERIES_SM_H
#define LOCKSTEP_PROFILE_SERIES_SM_H

#include "profile/series.h"
#include "profile/words_sm.h"

/* Cycles of a time that fills whole intervals are not added to each of them: `whole` counts, as steps from one to the
 * next, how many times go over all of an interval. */
struct profile_series {
    uint64_t every, start; /* every 0: nobody asks */
    uint64_t part[PROFILE_SERIES_KINDS][PROFILE_SERIES_MOST];
    int32_t whole[PROFILE_SERIES_KINDS][PROFILE_SERIES_MOST + 1];
};

struct profile_series_sm {
    struct profile_series series;
    struct profile_words words;
};

#endif
