/* Which warp of a block comes last to a barrier, or ends last, and what has kept it: by samples of what it did since
 * the barrier before (or since its block began), beside those of the warp that came first. Part of the state of struct
 * profile_barriers; profile_lasts_gather brings those of all SMs together when the kernel has ended. */
#ifndef LOCKSTEP_PROFILE_LASTS_H
#define LOCKSTEP_PROFILE_LASTS_H

#include <stdint.h>

#include "watch/stays.h"

#define PROFILE_LAST_WARPS 64  /* of a block */
#define PROFILE_LAST_SITES 32  /* barrier instructions of an SM: the first ones that opened */
#define PROFILE_LAST_DIDS 1024 /* of an SM: instructions and causes to which time went, of all sites */

#define PROFILE_LAST_END UINT32_MAX /* in place of a barrier's pc: the end of the block, to which its warps come, too  \
                                     */

/* What a block has waited at a barrier. */
struct profile_last_block {
    uint64_t block;  /* as in struct profile_warp_name */
    uint64_t opened; /* times that some warp came behind all others */
    uint64_t cycles; /* from the first to the last one, of all these times */
};

/* A barrier instruction. Openings count at the one by which the last warp came. */
struct profile_last_site {
    uint32_t pc;
    uint32_t again;                      /* times that the warp was the one that had come last in its block before */
    uint32_t times[PROFILE_LAST_WARPS];  /* by number of a warp in its block: that it came behind all others */
    uint64_t cycles[PROFILE_LAST_WARPS]; /* and how far behind the first, of all these times */
    uint8_t before[PROFILE_LAST_WARPS];  /* by block slot: the warp that came last before, + 1; 0: none */
    struct profile_last_block blocks[PROFILE_LAST_WARPS]; /* by block slot */
    struct profile_last_block worst;                      /* of those that have ended: that with most cycles */
};

/* What warps did before they came to a barrier. */
struct profile_last_did {
    uint32_t site;        /* number + 1; 0: the place is free */
    uint32_t at;          /* as struct watch_sample.at */
    uint64_t last, first; /* cycles, of the warps that came last and first */
};

/* Blocks that have ended. */
struct profile_last_ends {
    uint64_t blocks, warps; /* how many, and how many warps they had */
    uint64_t spread;        /* cycles from the end of the first warp to that of the last one, of all blocks */
    uint64_t cycles;        /* from the launch of a block to the end of its last warp, of all */
    struct profile_last_block longest; /* `cycles` are those */
};

/* Of an SM. It begins as zeros. */
struct profile_lasts {
    struct profile_last_ends ends;
    uint64_t born[PROFILE_LAST_WARPS]; /* by block slot: the cycle of its launch */
    uint32_t site_count;
    struct profile_last_site sites[PROFILE_LAST_SITES];
    struct profile_last_did dids[PROFILE_LAST_DIDS]; /* by hash, the next free one after that */
    uint32_t did_count;
    uint8_t names[PROFILE_LAST_WARPS];    /* by slot: the warp's number in its block */
    uint8_t blocks[PROFILE_LAST_WARPS];   /* by slot: of its block */
    uint64_t indices[PROFILE_LAST_WARPS]; /* by block slot: as in struct profile_warp_name */
};

/* A warp begins in a slot. */
void profile_lasts_launch(struct profile_lasts *s, const struct lockstep_launch_event *e);
/* A barrier opened, at the instruction by which the warp in that slot came, so many cycles, more than 0, behind the
 * first one. last, first: what both had done. */
void profile_lasts_opened(struct profile_lasts *s, uint32_t pc, uint32_t slot, uint64_t cycles,
                          const struct watch_samples *last, const struct watch_samples *first);

/* All warps of the block of that slot have ended: the one in that slot last, at that cycle, so many cycles behind the
 * first one. warps: of the block. */
void profile_lasts_ended(struct profile_lasts *s, uint32_t slot, uint64_t cycle, uint64_t spread, uint32_t warps,
                         const struct watch_samples *last, const struct watch_samples *first);

/* A barrier instruction, over all SMs. */
struct profile_last_sum {
    uint32_t pc;
    uint64_t again;
    uint64_t times[PROFILE_LAST_WARPS], cycles[PROFILE_LAST_WARPS];
    struct profile_last_block worst;
    struct profile_last_did *dids; /* those first for which the last warps took most time beyond that of the first */
    uint32_t did_count;
};
struct profile_last_list {
    struct profile_last_sum *of; /* by pc */
    uint32_t count;
    struct profile_last_ends ends;
};
/* states: of SMs, all of one kernel. To be freed by profile_lasts_free. */
struct profile_last_list profile_lasts_gather(const struct profile_lasts *const *states, uint32_t sms);
void profile_lasts_free(struct profile_last_list *list);
/* The one of that instruction, or of PROFILE_LAST_END; or NULL. */
const struct profile_last_sum *profile_lasts_find(const struct profile_last_list *list, uint32_t pc);

#endif
