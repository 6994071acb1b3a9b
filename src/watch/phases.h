/* Phases of blocks, between barriers: see phase_stats.def. A consumer of the events launch, arrive, open and end. */
#ifndef LOCKSTEP_WATCH_PHASES_H
#define LOCKSTEP_WATCH_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "base/room.h"
#include "lockstep/observer.h"
#include "stats/stat.h"

#define WATCH_SLOTS 64 /* warps and blocks of an SM, at most */

struct watch_phase_stats {
#include "stats/stat_fields.h"
#include "watch/phase_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group watch_phase_group;

/* A warp in a phase of its block. Cycles: the phase began for it, it came to the barrier or ended, the phase was over.
 */
struct watch_phase_row {
    uint32_t block[3], phase, warp; /* phase: counts those of the block */
    uint64_t start, arrival, release;
};

/* A block's. */
struct watch_phase {
    uint32_t index[3]; /* in the grid */
    uint32_t number;   /* phases that have ended */
    uint64_t ended;    /* warp slots that ended in the present phase */
    uint64_t live;     /* warp slots that have not ended */
};

struct watch_phases {
    ROOM_KEPT uint64_t start[WATCH_SLOTS], arrival[WATCH_SLOTS]; /* of warps, in their present phase */
    ROOM_KEPT uint32_t warp_in_block[WATCH_SLOTS];
    ROOM_KEPT struct watch_phase blocks[WATCH_SLOTS];
    ROOM_KEPT bool logs;                       /* the launch asks for the log */
    ROOM_KEPT VEC(struct watch_phase_row) log; /* of this launch, by the end of their phases */
    ROOM_KEPT struct watch_phase_stats stats;
};

/* A launch begins. */
void watch_phases_begin(struct watch_phases *p, bool logs);
void watch_phases_free(struct watch_phases *p);
/* Forgets what was counted. */
void watch_phases_reset_stats(struct watch_phases *p);
void watch_phases_launch(struct watch_phases *p, const struct lockstep_launch_event *event);
void watch_phases_arrive(struct watch_phases *p, const struct lockstep_arrive_event *event);
void watch_phases_open(struct watch_phases *p, const struct lockstep_open_event *event);
void watch_phases_end(struct watch_phases *p, const struct lockstep_end_event *event);
struct archive;
void watch_phases_archive(struct watch_phases *p, struct archive *ar);

#endif
