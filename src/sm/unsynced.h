/* Instructions of a launch that were unsynced (simt/warp.h), each with where it first was. Kept by each SM and by the
 * functional mode until the launch has ended. */
#ifndef LOCKSTEP_SM_UNSYNCED_H
#define LOCKSTEP_SM_UNSYNCED_H

#include "base/vec.h"
#include "simt/warp.h"

struct archive;

struct sm_unsynced {
    struct simt_unsynced what;
    uint32_t pc;
    uint32_t block[3];
    uint32_t warp; /* in the block */
    uint64_t cycle;
};

struct sm_unsynced_list {
    struct sm_unsynced *items; /* at most one for each instruction, in order of time */
    size_t count, capacity;
};

/* r is the result of an instruction of this warp that was SIMT_UNSYNCED. */
void sm_unsynced_note(struct sm_unsynced_list *list, const struct simt_warp *warp, const struct simt_result *r,
                      uint64_t cycle);
void sm_unsynced_archive(struct sm_unsynced_list *list, uint32_t instructions, struct archive *ar);

#endif
