/* The agenda of an SM: the stages that are due in the next step, and whether a step has changed anything. Stages write it
 * through the functions here alone; sm_step asks it which of them to call. */
#ifndef LOCKSTEP_SM_AGENDA_H
#define LOCKSTEP_SM_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

/* A stage is *due* when it may have work in the next step. Whoever brings it work sets its bit; the stage clears it
 * when it is left with nothing. */
enum sm_due {
    SM_DUE_PORT = 1,       /* a result waits for the load/store unit's writeback port */
    SM_DUE_COLLECT = 2,    /* an op can enter or leave the collectors, or its operands be read */
    SM_DUE_FETCH = 4,      /* there is a warp to fetch for, or to retire */
    SM_DUE_RESPONSE = 8,   /* the load/store unit was sent a packet */
    SM_DUE_DISPATCH = 16,  /* it has an instruction that goes on by itself */
    SM_DUE_PROBE = 32,     /* probes wait for the L1D */
    SM_DUE_UNITS = 64,     /* ops wait for units of side RESULT (units.def) */
    SM_DUE_DECODE = 128,   /* the fetch buffer has instructions */
    SM_DUE_EJECT = 256,    /* packets from the network are to be passed on */
    SM_DUE_NEXT = 511,     /* all of these need the next cycle; what follows is served when the SM is stepped: */
    SM_DUE_SEND = 512,     /* requests wait for the network */
    SM_DUE_PIPE = 1024,    /* accesses are on their way to the L1D */
    SM_DUE_REFUSED = 2048, /* the load/store unit's instruction was refused: it may go on when progress was made */
    SM_DUE_ANSWER = 4096,  /* answers to probes wait for the network */
    SM_DUE_SHARED = 8192,  /* results of shared memory are on their way, each due in a cycle of its own */
    SM_DUE_PROBES = SM_DUE_PROBE | SM_DUE_ANSWER,
    SM_DUE_LSU = SM_DUE_RESPONSE | SM_DUE_DISPATCH | SM_DUE_SEND | SM_DUE_PIPE | SM_DUE_REFUSED | SM_DUE_PROBES
};

struct sm_agenda {
    uint32_t due; /* set of enum sm_due */
    /* Something has changed in this step so far; in the step before. When nothing did, nothing will until an event. */
    bool made_progress, made_progress_before;
};

/* The stages are due. */
static inline void sm_agenda_add(struct sm_agenda *a, uint32_t stages)
{
    a->due |= stages;
}
/* They are left with nothing to do. */
static inline void sm_agenda_done(struct sm_agenda *a, uint32_t stages)
{
    a->due &= ~stages;
}
/* Of `among`, those in `stages` are due, and no others. */
static inline void sm_agenda_put(struct sm_agenda *a, uint32_t among, uint32_t stages)
{
    a->due = (a->due & ~among) | stages;
}
static inline bool sm_agenda_has(const struct sm_agenda *a, uint32_t stages)
{
    return a->due & stages;
}

/* Something has changed in this step. */
static inline void sm_made_progress(struct sm_agenda *a)
{
    a->made_progress = true;
}
static inline void sm_made_progress_if(struct sm_agenda *a, bool changed)
{
    a->made_progress |= changed;
}
/* Nothing has changed in this step, nor in the one before. */
static inline bool sm_stands_still(const struct sm_agenda *a)
{
    return !a->made_progress && !a->made_progress_before;
}
/* A step begins. */
static inline void sm_agenda_step(struct sm_agenda *a)
{
    a->made_progress_before = a->made_progress;
    a->made_progress = false;
}
/* A step begins behind one that changed something. */
static inline void sm_agenda_step_after_progress(struct sm_agenda *a)
{
    a->made_progress_before = true;
    a->made_progress = false;
}
/* Steps were passed over in which nothing can have changed. */
static inline void sm_agenda_passed(struct sm_agenda *a)
{
    a->made_progress = false;
}

#endif
