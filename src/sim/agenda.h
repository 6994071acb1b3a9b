/* The agenda of an SM: its cycle, the stages that are due in the next step, and whether a step has changed anything.
 * Stages of all rooms write it through the functions here alone; sm_step asks it which of them to call. */
#ifndef LOCKSTEP_SIM_AGENDA_H
#define LOCKSTEP_SIM_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

/* A stage is *due* when it may have work in the next step. Whoever brings it work sets its bit; the stage clears it
 * when it is left with nothing. */
enum due {
    DUE_PORT = 1,       /* a result waits for the load/store unit's writeback port */
    DUE_COLLECT = 2,    /* an op can enter or leave the collectors, or its operands be read */
    DUE_FETCH = 4,      /* there is a warp to fetch for, or to retire */
    DUE_RESPONSE = 8,   /* the load/store unit was sent a packet */
    DUE_DISPATCH = 16,  /* it has an instruction that goes on by itself */
    DUE_PROBE = 32,     /* probes wait for the L1D */
    DUE_UNITS = 64,     /* ops wait for units of side RESULT (units.def) */
    DUE_DECODE = 128,   /* the fetch buffer has instructions */
    DUE_EJECT = 256,    /* packets from the network are to be passed on */
    DUE_MESSAGE = 65536, /* messages to other SMs of a cluster wait for their network */
    DUE_NEXT = 511 | DUE_MESSAGE, /* all of these need the next cycle; what follows is served when the SM is stepped: */
    DUE_SEND = 512,     /* requests wait for the network */
    DUE_PIPE = 1024,    /* accesses are on their way to the L1D */
    DUE_REFUSED = 2048, /* the load/store unit's instruction was refused: it may go on when progress was made */
    DUE_ANSWER = 4096,  /* answers to probes wait for the network */
    DUE_ASYNC = 16384,  /* the asynchronous unit has something to do in a cycle of its own */
    DUE_SHARED = 8192,  /* results of shared memory are on their way, each due in a cycle of its own */
    DUE_COMING = 32768, /* messages of other SMs of a cluster are on their way, each due in a cycle of its own */
    DUE_HIT = 131072,   /* hits of the L1D are on their way to their registers, each due in a cycle of its own */
    DUE_PROBES = DUE_PROBE | DUE_ANSWER,
    DUE_LSU = DUE_RESPONSE | DUE_DISPATCH | DUE_SEND | DUE_PIPE | DUE_REFUSED | DUE_PROBES | DUE_MESSAGE | DUE_COMING |
              DUE_HIT
};

struct agenda {
    uint64_t now; /* the cycle that is stepped, or is next */
    uint32_t due; /* set of enum due */
    /* Something has changed in this step so far; in the step before. When nothing did, nothing will until an event. */
    bool made_progress, made_progress_before;
};

/* The stages are due. */
static inline void agenda_add(struct agenda *a, uint32_t stages)
{
    a->due |= stages;
}
/* They are left with nothing to do. */
static inline void agenda_done(struct agenda *a, uint32_t stages)
{
    a->due &= ~stages;
}
/* Of `among`, those in `stages` are due, and no others. */
static inline void agenda_put(struct agenda *a, uint32_t among, uint32_t stages)
{
    a->due = (a->due & ~among) | stages;
}
static inline bool agenda_has(const struct agenda *a, uint32_t stages)
{
    return a->due & stages;
}

/* Something has changed in this step. */
static inline void made_progress(struct agenda *a)
{
    a->made_progress = true;
}
static inline void made_progress_if(struct agenda *a, bool changed)
{
    a->made_progress |= changed;
}
/* Nothing has changed in this step, nor in the one before. */
static inline bool stands_still(const struct agenda *a)
{
    return !a->made_progress && !a->made_progress_before;
}
/* A step begins. */
static inline void agenda_step(struct agenda *a)
{
    a->made_progress_before = a->made_progress;
    a->made_progress = false;
}
/* A step begins behind one that changed something. */
static inline void agenda_step_after_progress(struct agenda *a)
{
    a->made_progress_before = true;
    a->made_progress = false;
}
/* Steps were passed over in which nothing can have changed. */
static inline void agenda_passed(struct agenda *a)
{
    a->made_progress = false;
}

#endif
