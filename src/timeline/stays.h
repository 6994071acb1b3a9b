/* The cycles of the warps of one SM, piece by piece: from events, the stretches of cycles in which a warp is at one
 * cause and one instruction, in the order of time and without gaps, from its block's launch to the block's retirement.
 * Added up by cause they are the statistics warps.*. A cycle in which a warp issued, or in which its scheduler picked
 * another, is a piece of its own.
 *
 * The user names a function that takes a piece; it is called by direct calls that the compiler puts in place. */
#ifndef LOCKSTEP_TIMELINE_STAYS_H
#define LOCKSTEP_TIMELINE_STAYS_H

#include "base/hot.h"
#include "profile/charge.h"

#define TIMELINE_WARPS 64
#define TIMELINE_CAUSES 64

struct timeline_stay {
    uint64_t since;   /* the first cycle that no piece has yet */
    uint32_t last_pc; /* of the last instruction that it issued; of its first one before that */
    uint32_t pc;      /* the instruction that the stay is charged to */
    uint8_t cause;    /* of the stay */
    bool at_fence;    /* it waits behind a fence that it issued last */
};

/* The state of an SM. */
struct timeline_stays {
    struct profile_charge charge;
    uint64_t resident; /* set of warps */
    struct timeline_stay warps[TIMELINE_WARPS];
};

struct timeline_piece {
    uint64_t from, until; /* cycles of the device */
    uint32_t warp, pc;
    uint8_t cause;
};
typedef void timeline_take_piece(void *to, const struct timeline_piece *piece);

/* The stay's cycles before `cycle` that no piece has yet. */
HOT_INLINE void timeline_stays_until(struct timeline_stays *s, uint32_t warp, uint64_t cycle, timeline_take_piece *take,
                                     void *to)
{
    struct timeline_stay *w = &s->warps[warp];
    if (cycle <= w->since)
        return;
    take(to, &(struct timeline_piece){w->since, cycle, warp, w->pc, w->cause});
    w->since = cycle;
}

/* One cycle that goes to something else than the cause at which the warp stands. */
HOT_INLINE void timeline_stays_one(struct timeline_stays *s, uint32_t warp, uint64_t cycle, uint32_t pc, uint8_t cause,
                                   timeline_take_piece *take, void *to)
{
    timeline_stays_until(s, warp, cycle, take, to);
    if (cycle < s->warps[warp].since)
        return; /* it has issued in this cycle before: that is what the cycle counts for */
    take(to, &(struct timeline_piece){cycle, cycle + 1, warp, pc, cause});
    s->warps[warp].since = cycle + 1;
}

HOT_INLINE void timeline_stays_stand(struct timeline_stays *s, const struct lockstep_stand_event *e,
                                     timeline_take_piece *take, void *to)
{
    struct timeline_stay *w = &s->warps[e->warp];
    if (!mask_has(s->resident, e->warp)) {
        s->resident |= BIT64(e->warp);
        *w = (struct timeline_stay){.since = e->cycle, .last_pc = e->pc, .pc = e->pc, .cause = (uint8_t)e->cause};
    }
    w->at_fence &= e->cause == s->charge.fence;
    uint32_t pc = profile_charged_to(&s->charge, e->cause, w->at_fence, w->last_pc, e->pc);
    if (pc == w->pc && e->cause == w->cause)
        return;
    timeline_stays_until(s, e->warp, e->cycle, take, to);
    w->pc = pc;
    w->cause = (uint8_t)e->cause;
}

HOT_INLINE void timeline_stays_issue(struct timeline_stays *s, const struct lockstep_issue_event *e,
                                     timeline_take_piece *take, void *to)
{
    struct timeline_stay *w = &s->warps[e->warp];
    timeline_stays_one(s, e->warp, e->cycle, e->pc, s->charge.issued, take, to);
    w->last_pc = e->pc;
    w->at_fence = e->instruction_class == LOCKSTEP_FENCE;
}

HOT_INLINE void timeline_stays_passed(struct timeline_stays *s, const struct lockstep_passed_event *e,
                                      timeline_take_piece *take, void *to)
{
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        uint32_t warp = mask_first(rest);
        uint8_t cause = mask_has(e->held, warp) ? s->charge.held : s->charge.unpicked;
        timeline_stays_one(s, warp, e->cycle, s->warps[warp].pc, cause, take, to);
    }
}

HOT_INLINE void timeline_stays_leave(struct timeline_stays *s, const struct lockstep_leave_event *e,
                                     timeline_take_piece *take, void *to)
{
    for (uint64_t rest = e->warps; rest; rest &= rest - 1)
        timeline_stays_until(s, mask_first(rest), e->cycle, take, to);
    s->resident &= ~e->warps;
}

#endif
