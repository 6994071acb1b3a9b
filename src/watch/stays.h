/* Where the cycles of an SM's warps go, by instruction and cause. An observer that counts so needs the events stand,
 * issue, passed and done, which come several times for each instruction of a warp: to tell them would cost more than to
 * count. So the counts are kept where things happen, by functions that the compiler puts in place there, in a struct
 * watch_stays that is part of the observer's state (watch_join_stays). What is unusual about a warp is the observer's
 * business: it marks the warp, and is told of marked ones by events.
 *
 * A warp's *stay* is the time for which its cycles go to one cause, and are charged to one instruction. It is closed
 * where it ends; cycles of it that go elsewhere (`unpicked`, `held`) are taken off its cause, as the model does.
 *
 * The counts are of all warps of the SM together. What one warp did for a while is known by samples: a warp that is
 * *followed* is looked at now and then, and the time since the look before goes to the stay that it is at. */
#ifndef LOCKSTEP_WATCH_STAYS_H
#define LOCKSTEP_WATCH_STAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/hot.h"
#include "lockstep/observer.h"

#define WATCH_STAYS_WARPS 64
#define WATCH_SAMPLES 32         /* counts to which time of a followed warp goes: a power of two */
#define WATCH_UNFOLLOWED UINT64_MAX
#define WATCH_STAY_PASSED 256 /* marks of a warp are below that */
#define WATCH_STAY_TOLD 128   /* a mark: the observer was told of the issue of which the stand is about to be told */

/* The first counts of an instruction. Others are the observer's, and behind those are warp-cycles by cause. */
enum watch_stays_count {
    WATCH_STAYS_ISSUES,  /* times that a warp issued it */
    WATCH_STAYS_ACTIVE,  /* lanes that had the turn, over all issues, less all lanes of a warp for each issue */
    WATCH_STAYS_LANES,   /* of them, those whose guard was true, less the same */
    WATCH_STAYS_AWAITED, /* warp-cycles that warps waited for the value that it brought: charged to those that needed it
                          */
};

struct watch_stay {
    _Alignas(CACHE_LINE) uint64_t since; /* the first cycle of the stay; of a warp that issued, the cycle behind that */
    uint64_t done; /* the cycle behind that in which an instruction was complete last while the warp waited for data */
    uint32_t done_pc; /* of that instruction */
    uint32_t last_pc; /* of the last one that it issued; of its first one before that */
    uint32_t at;      /* number of the count that the stay is charged to: an instruction's, of a cause. That count lacks
                         the cycle behind the stay's last, and has given up the first one. */
    uint32_t cause;   /* of the stay */
    uint16_t context; /* for the observer: of the stay */
    uint16_t last_context; /* and of the last instruction that it issued */
    uint64_t sample;       /* the next cycle in which it is looked at; WATCH_UNFOLLOWED: it is not followed */
};

/* What a followed warp did: cycles by the number of the count that they are charged to, as struct watch_stay.at. */
struct watch_sample {
    uint32_t at, cycles; /* cycles 0: the place is free */
};
struct watch_samples {
    uint64_t begin;                        /* it is followed from this cycle on */
    uint64_t until;                        /* the samples have the time from `begin` to here */
    struct watch_sample of[WATCH_SAMPLES]; /* by hash of `at`. Where many meet, those with few cycles are missing. */
};

/* An SM's. Causes are numbers, as events have them. */
struct watch_stays {
    uint64_t last,
        data;        /* sets of causes: charged to the instruction issued last, not to the next one; waits for values */
    uint64_t lanes;  /* of a whole warp */
    uint32_t width;  /* counts of an instruction */
    uint32_t before; /* of them, those before the cycles by cause */
    uint32_t nowhere;                    /* number of the count behind all others: of warps that are at no stay */
    uint32_t issued, unpicked, held;     /* causes */
    uint64_t unusual[WATCH_STAYS_WARPS]; /* of a warp: the observer's marks, added up; and WATCH_STAY_PASSED times the
                                            cycles of the stay in which the warp's scheduler picked another */
    struct watch_stay warps[WATCH_STAYS_WARPS];
    struct watch_samples samples[WATCH_STAYS_WARPS];
    uint64_t counts[]; /* by instruction; and one more. Modulo 2^64 while stays go on. */
};

/* stays.c: follows a warp from a cycle on; what it did before is forgotten. */
void watch_stays_follow(struct watch_stays *s, uint32_t warp, uint64_t cycle);
/* The warp's samples stay as they are. */
static inline void watch_stays_unfollow(struct watch_stays *s, uint32_t warp)
{
    s->warps[warp].sample = WATCH_UNFOLLOWED;
}
/* A stay of a marked warp is about to end before a cycle: to be told before its cycles that were passed are counted. */
void watch_stays_look(struct watch_stays *s, uint32_t warp, uint64_t end);

/* The observer's functions, which the SM calls for warps that the observer has marked; state: the observer's. */
struct watch_stays_port {
    struct watch_stays *(*of)(void *state);
    void (*issue)(void *state, const struct lockstep_issue_event *event);
    void (*stand)(void *state, const struct lockstep_stand_event *event);
    void (*held)(void *state, uint64_t warps); /* this cycle of theirs counts as `held` */
};

HOT_INLINE struct watch_stay *watch_stay_of(struct watch_stays *s, uint32_t warp)
{
    struct watch_stay *w = &s->warps[warp];
    WORKED_OUT(w);
    return w;
}

/* True: the observer has marked the warp. */
HOT_INLINE bool watch_stays_marked(const struct watch_stays *s, uint32_t warp)
{
    return s->unusual[warp] % WATCH_STAY_PASSED;
}

/* The counts of an instruction. */
HOT_INLINE uint64_t *watch_stays_row(struct watch_stays *s, uint32_t pc)
{
    return s->counts + (size_t)pc * s->width;
}

/* The number of an instruction's count of a cause. */
HOT_INLINE uint32_t watch_stays_number(const struct watch_stays *s, uint32_t pc, uint32_t cause)
{
    return pc * s->width + s->before + cause;
}

/* Parts of the events below, also for the observer's own. */

/* Cycles of the warp's stay go to another cause than its own. */
HOT_INLINE void watch_stay_apart(struct watch_stays *s, const struct watch_stay *w, uint32_t cause, uint64_t cycles)
{
    s->counts[w->at] -= cycles;
    s->counts[w->at - w->cause + cause] += cycles;
}

/* Those of the stay in which the warp's scheduler picked another. */
HOT_INLINE void watch_stay_count_passed(struct watch_stays *s, const struct watch_stay *w, uint64_t *unusual)
{
    watch_stay_apart(s, w, s->unpicked, *unusual / WATCH_STAY_PASSED);
    *unusual %= WATCH_STAY_PASSED;
}

/* The warp, which stood nowhere, stands at a cause from a cycle on; the count of that number is charged. A cycle in
 * which it issued counts for that, though a wait may be told to begin in it. */
HOT_INLINE void watch_stay_open(struct watch_stays *s, struct watch_stay *w, uint32_t at, uint32_t cause,
                                uint64_t cycle)
{
    uint64_t since = cycle > w->since ? cycle : w->since;
    s->counts[at] -= since;
    w->at = at;
    w->cause = cause;
    w->since = since;
}

/* The warp's stay ends before a cycle: it stands nowhere. None of it was passed, or that is counted. */
HOT_INLINE void watch_stay_close(struct watch_stays *s, const struct watch_stay *w, uint64_t end)
{
    s->counts[w->at] += end;
}

/* True: the stay, which ends before that cycle, was a wait for data that ended with a completion. */
HOT_INLINE bool watch_stay_awaited(const struct watch_stays *s, const struct watch_stay *w, uint64_t cycle)
{
    return w->done == cycle + 1 && mask_has(s->data, w->cause);
}

/* Where a warp issues several instructions in a cycle, that counts as issued for the first: its stay begins behind the
 * cycle then. */
HOT_INLINE bool watch_stay_is_first(const struct watch_stay *w, uint64_t cycle)
{
    return w->since <= cycle;
}

/* Counts the lanes of an issue. */
HOT_INLINE void watch_stays_count_lanes(struct watch_stays *s, uint32_t pc, uint64_t active, uint64_t mask)
{
    uint64_t *row = watch_stays_row(s, pc);
    row[WATCH_STAYS_ACTIVE] -= mask_count(s->lanes & ~active);
    row[WATCH_STAYS_LANES] -= mask_count(s->lanes & ~mask);
}

/* Counts an issue, but for its lanes; first: see watch_stay_is_first. */
HOT_INLINE void watch_stays_count_issue(struct watch_stays *s, uint32_t pc, bool first)
{
    uint64_t *row = watch_stays_row(s, pc);
    row[WATCH_STAYS_ISSUES]++;
    if (RARELY(!first))
        row[s->before + s->issued]--;
}

/* The warp has issued: it stands nowhere until it is told where. */
HOT_INLINE void watch_stay_nowhere(const struct watch_stays *s, struct watch_stay *w, uint32_t pc, uint64_t cycle)
{
    w->at = s->nowhere;
    w->since = cycle + 1;
    w->last_pc = pc;
}

/* Events, of warps that are not marked; of others the observer is to be told instead. Where the warp is looked at, that is
 * done by functions of their own, so that those below call nothing otherwise. */

/* stays.c: the warp is looked at, and then as the functions without `_looked`. */
void watch_stays_stand_looked(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t cause, uint64_t cycle);
void watch_stays_issued_looked(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t next, uint32_t cause,
                               uint64_t cycle);

/* As the event `stand`. */
HOT_INLINE void watch_stays_stand(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t cause, uint64_t cycle)
{
    struct watch_stay *w = watch_stay_of(s, warp);
    uint32_t at = watch_stays_number(s, mask_has(s->last, cause) ? w->last_pc : pc, cause);
    if (at == w->at)
        return;
    if (RARELY(cycle > w->sample)) {
        watch_stays_stand_looked(s, warp, pc, cause, cycle);
        return;
    }
    if (s->unusual[warp])
        watch_stay_count_passed(s, w, &s->unusual[warp]);
    if (watch_stay_awaited(s, w, cycle))
        watch_stays_row(s, w->done_pc)[WATCH_STAYS_AWAITED] += cycle - w->since;
    watch_stay_close(s, w, cycle);
    watch_stay_open(s, w, at, cause, cycle);
}

/* The first half of the event `issue`, of an instruction that is no fence; mask: its lanes whose guard is true, of
 * `active` ones. The second half comes with the `stand` behind it. */
HOT_INLINE void watch_stays_issue(struct watch_stays *s, uint32_t pc, uint64_t active, uint64_t mask)
{
    if (RARELY(mask != s->lanes)) /* most often all are among them */
        watch_stays_count_lanes(s, pc, active, mask);
}

/* The second half, and `stand`: the warp has issued an instruction in a cycle, and needs `next`. */
HOT_INLINE void watch_stays_issued(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t next, uint32_t cause,
                                   uint64_t cycle)
{
    struct watch_stay *w = watch_stay_of(s, warp);
    if (RARELY(cycle > w->sample)) {
        watch_stays_issued_looked(s, warp, pc, next, cause, cycle);
        return;
    }
    if (s->unusual[warp])
        watch_stay_count_passed(s, w, &s->unusual[warp]);
    watch_stay_close(s, w, cycle);
    if (RARELY(!watch_stay_is_first(w, cycle)))
        watch_stay_close(s, w, 1);
    watch_stays_count_issue(s, pc, watch_stay_is_first(w, cycle));
    uint32_t at = watch_stays_number(s, mask_has(s->last, cause) ? pc : next, cause);
    s->counts[at] -= cycle + 1;
    w->since = cycle + 1;
    w->at = at;
    w->cause = cause;
    w->last_pc = pc;
}

/* True: a completion of the warp's may end the stay that it stands at, which is a wait for data: the event is to be
 * told by the function below. Others are not. */
HOT_INLINE bool watch_stays_hear_done(const struct watch_stays *s, uint32_t warp)
{
    return mask_has(s->data, s->warps[warp].cause);
}
/* As the event `done`, also of a marked warp. */
HOT_INLINE void watch_stays_done(struct watch_stays *s, uint32_t warp, uint32_t pc, uint64_t cycle)
{
    struct watch_stay *w = watch_stay_of(s, warp);
    w->done = cycle + 1;
    w->done_pc = pc;
}

/* As the event `passed`, of those that are not held. */
HOT_INLINE void watch_stays_passed(struct watch_stays *s, uint64_t warps)
{
    for (uint64_t rest = warps; rest; rest &= rest - 1)
        s->unusual[(size_t)__builtin_ctzll(rest)] += WATCH_STAY_PASSED;
}

/* Of the held ones. Returns those that are marked, of which the observer is to be told. */
HOT_INLINE uint64_t watch_stays_held(struct watch_stays *s, uint64_t held)
{
    uint64_t marked = 0;
    for (uint64_t rest = held; rest; rest &= rest - 1)
        if (watch_stays_marked(s, mask_first(rest)))
            marked |= rest & -rest;
        else
            watch_stay_apart(s, &s->warps[mask_first(rest)], s->held, 1);
    return marked;
}

#endif
