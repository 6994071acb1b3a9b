/* A timeline's state of an SM. It holds no pointers, so that a checkpoint can copy it. */
#ifndef LOCKSTEP_TIMELINE_SM_H
#define LOCKSTEP_TIMELINE_SM_H

#include "timeline/stays.h"
#include "timeline/timeline.h"

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_PHASES (1u << 16)   /* of an SM */
#define TIMELINE_LIVES (1u << 14)    /* of an SM */
#define TIMELINE_BARRIERS (1u << 14) /* waits at them, of an SM */
#define TIMELINE_BINS 1024           /* of issues */
#define TIMELINE_BIN 64              /* cycles of one, while they suffice for the launch */

/* cycle: of the device. */
struct timeline_life {
    uint64_t from, until; /* it lived; until 0: it has not left */
    uint64_t at;          /* its first phase begins, in the window */
    uint32_t block[3], warp;
    uint8_t slot;
    bool cut; /* a phase of its, and all behind that, had no place */
};

struct timeline_phase {
    uint32_t life, cycles;
    uint32_t pc;
    uint32_t own; /* of the cycles, those at this cause */
    uint8_t cause;
};

/* A warp came to a barrier, of its block or cluster, or waited for an mbarrier, and went on. */
struct timeline_wait {
    uint64_t came, opened;
    uint32_t pc;
    uint32_t mbarrier; /* where that lies in the block's shared memory, + 1; 0: it was a barrier */
    uint8_t slot;
};

/* The phase that goes on, by cause. */
struct timeline_open {
    uint64_t from;
    uint32_t cycles;
    uint64_t causes; /* set of those with cycles */
    bool uniform;    /* all of it is at one cause and one instruction */
    uint32_t by[TIMELINE_CAUSES];
    uint32_t pc[TIMELINE_CAUSES], lead[TIMELINE_CAUSES]; /* the instruction that leads there, and by how many cycles */
};

struct timeline_warp {
    struct timeline_open open;
    struct timeline_life life; /* as it will be kept */
    uint32_t number;           /* of its life among those that are kept; TIMELINE_NONE: not yet, or never */
    uint32_t last;             /* the phase that was kept last */
    uint64_t came;             /* to a barrier, or to wait for an mbarrier */
    uint32_t barrier;          /* its instruction */
    uint32_t word;             /* of its last atomic access of shared memory: the address, + 1 */
    bool at_mbarrier;          /* it waits for the mbarrier at `word`, or else for its cluster */
};

struct timeline_sm {
    bool wanted;
    uint64_t start, from, until; /* cycles of the device: the launch begins; the window */
    uint32_t resolution;
    struct timeline_stays stays;
    uint64_t waiting, fresh; /* sets of warps: at a barrier; have just come, before their issue was told */
    uint64_t standing;       /* set of warps that wait for an mbarrier or their cluster */
    struct timeline_warp warps[TIMELINE_WARPS];
    uint64_t bin; /* cycles of each of `issues` */
    uint32_t issues[TIMELINE_BINS];
    /* Kept. What had no place: phases_lost are those of all lives, lives that were not kept included. */
    uint32_t phase_count, life_count, wait_count;
    uint64_t phases_lost, lives_lost, waits_lost;
    struct timeline_phase phases[TIMELINE_PHASES];
    struct timeline_life lives[TIMELINE_LIVES];
    struct timeline_wait waits[TIMELINE_BARRIERS];
};

#endif
