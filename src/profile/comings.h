/* Which block comes last to a barrier of several blocks, and what has kept it: the barrier of a grid, of a cluster, or
 * one that a program has built of a word that blocks count up, or set, and poll. Each SM logs when its blocks come, and
 * on what their time went until then; profile_comings_gather compares those of all SMs when the kernel has ended.
 *
 * A block's *path* is what the last warp did in each of its phases, from one barrier to the next: so waits for each
 * other within the block are not in it. It is known by samples (watch/stays.h). */
#ifndef LOCKSTEP_PROFILE_COMINGS_H
#define LOCKSTEP_PROFILE_COMINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "isa/program.h"
#include "profile/lasts.h"

#define PROFILE_COMINGS 2048        /* of an SM that are logged: the first ones, */
#define PROFILE_COMINGS_OF 1024     /* of each instruction at the most, */
#define PROFILE_COMINGS_WORD 256    /* of each that writes a word, */
#define PROFILE_COMINGS_PLAIN 64    /* and of each plain store: most of them are no flags */
#define PROFILE_COMINGS_PATH 24     /* counts of a path that are logged: those with most cycles */
#define PROFILE_COMINGS_SUMS 64     /* that are kept of a block */

/* A coming names the barrier that a block has come to: the grid's, its cluster's, or else a polled word, by its profile_written, which
 * is never one of these. */
#define PROFILE_COMINGS_GRID (UINT64_C(1) << 62)
#define PROFILE_COMINGS_CLUSTER (UINT64_C(1) << 63) /* and the cluster's number */

struct profile_coming {
    uint64_t what;
    uint64_t block;        /* as in struct profile_warp_name */
    uint64_t number;       /* of the grid and clusters: the block's so-manieth, from 1 on; else 0 */
    uint64_t first, cycle; /* in which its first warp came, and its last one */
    uint32_t pc;           /* at which it waits; of words, the one that writes it */
    uint32_t rank;         /* of the block in its cluster */
    uint32_t warp;         /* the last one, in its block */
    struct watch_sample path[PROFILE_COMINGS_PATH]; /* of the block since the kernel began */
};

/* The block in a slot. */
struct profile_comings_block {
    uint64_t number;                                /* phases of the cluster to which a warp has come */
    bool opens;                                     /* its warps meet at barriers */
    uint32_t log;                                   /* the coming of the last of these, + 1; 0: it has no place */
    struct watch_sample sums[PROFILE_COMINGS_SUMS]; /* its path, but for what follows */
    struct watch_samples late; /* what the warp did that came last to the cluster: of the path from the next phase on */
};

/* The state of an SM, which begins as zeros. */
struct profile_comings {
    uint32_t count;
    uint32_t cluster[3], grid[3]; /* blocks of a cluster; clusters of the grid */
    uint64_t unlogged_at; /* cycle of the first coming that the log had no place for; 0: there was none */
    uint64_t unlogged_number; /* of the grid or a cluster: its number */
    uint64_t numbers[PROFILE_LAST_WARPS]; /* by slot: phases of its cluster to which the warp has come */
    struct profile_comings_block blocks[PROFILE_LAST_WARPS];
    struct profile_coming of[PROFILE_COMINGS];
    uint16_t code[]; /* by instruction: enum profile_comings_code, and PROFILE_COMINGS_EACH for each one logged */
};

/* Bytes of the state, for modules whose blocks wait for each other; 0: these do not. polls: threads may poll words. */
size_t profile_comings_bytes(const struct isa_module *module, bool polls);
/* cluster, grid: blocks of each. */
void profile_comings_begin(struct profile_comings *s, const struct isa_module *module, const uint32_t *cluster,
                           const uint32_t *grid);
/* A block begins in a slot. */
void profile_comings_launch(struct profile_comings *s, uint32_t block);
/* A warp begins in a slot. */
void profile_comings_forget(struct profile_comings *s, uint32_t slot);
/* A barrier of the block opened by that instruction: the warp in that slot came last, the first one at a cycle, it
 * at another one. did: what it had done. True: it is the barrier of the grid. */
bool profile_comings_opened(struct profile_comings *s, const struct profile_lasts *lasts, uint32_t slot, uint32_t pc,
                            uint64_t first, uint64_t cycle, const struct watch_samples *did);
/* A warp issues; of any but barriers of clusters nothing is done. */
void profile_comings_issue(struct profile_comings *s, const struct profile_lasts *lasts, struct watch_stays *stays,
                           const struct lockstep_issue_event *e);
/* Lanes of a warp write one word of global memory; plain: by a plain store. */
void profile_comings_write(struct profile_comings *s, const struct profile_lasts *lasts, struct watch_stays *stays,
                           const struct lockstep_access_event *e, bool plain);

/* Launches */

/* A warp that came last of all, by its block. */
struct profile_meeting_last {
    uint64_t block;
    uint32_t sm, warp, rank;
    uint64_t times, cycles; /* and how far behind the first one, of all these times */
};
/* A barrier of several blocks. */
struct profile_meeting {
    uint64_t phases; /* whose last block is known */
    uint64_t spread; /* cycles from the first warp of all blocks to the last one; of a word, from the first of those that
                        waited for it to the write that ended that */
    struct profile_meeting_last *lasts; /* those with most cycles first */
    uint32_t last_count;
    struct profile_last_did *dids; /* as in struct profile_last_sum: of the blocks that came last, and first */
    uint32_t did_count;
};
/* A wait for a word. */
struct profile_meeting_wait {
    uint64_t word; /* as profile_written says it */
    uint64_t since, until;
};
struct profile_comings_list;
/* states: of SMs, all of one kernel. To be freed by profile_comings_free. */
struct profile_comings_list *profile_comings_gather(const struct profile_comings *const *states, uint32_t sms);
void profile_comings_free(struct profile_comings_list *list);
/* The barrier of the grid or of clusters of that instruction, of all clusters together; or what ended the waits for one
 * word. To be freed by profile_meeting_free. */
struct profile_meeting profile_comings_at(const struct profile_comings_list *list, uint32_t pc);
struct profile_meeting profile_comings_for(const struct profile_comings_list *list,
                                           const struct profile_meeting_wait *waits, size_t count);
void profile_meeting_free(struct profile_meeting *meeting);

#endif
