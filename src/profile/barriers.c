/* Warps at barriers: see barriers.h. Which instruction brought a warp there is told behind its coming, and behind the
 * opening of the barrier where it was the last one to come. */
#include "profile/barriers.h"

const char *profile_barrier_name(unsigned count)
{
    static const char *const names[] = {
#define PROFILE_BARRIER(name, doc) #name,
#include "profile/barriers.def"
#undef PROFILE_BARRIER
    };
    return names[count];
}

size_t profile_barriers_bytes(uint32_t instructions)
{
    return sizeof(struct profile_barriers) + (size_t)instructions * PROFILE_BARRIER_COUNTS * sizeof(uint64_t);
}

static uint64_t *row_of(struct profile_barriers *s, uint32_t pc)
{
    return s->counts + (size_t)pc * PROFILE_BARRIER_COUNTS;
}

void profile_barriers_arrive(struct profile_barriers *s, const struct lockstep_arrive_event *e)
{
    s->warps[e->warp] = (struct profile_barrier_warp){.since = e->cycle};
    s->waiting |= BIT64(e->warp);
    s->fresh |= BIT64(e->warp);
}

/* Neither the cycle of coming counts, in which the warp issues, nor that of the opening. */
static void count_wait(struct profile_barriers *s, const struct profile_barrier_warp *warp, uint64_t cycle)
{
    uint64_t *row = row_of(s, warp->pc), cycles = cycle > warp->since ? cycle - warp->since - 1 : 0;
    row[PROFILE_BARRIER_waited] += cycles;
    if (cycles > row[PROFILE_BARRIER_waited_most])
        row[PROFILE_BARRIER_waited_most] = cycles;
}

/* slot: of the warp that came last; first: of that which came first, what it had done. Who comes last to the barrier of
 * the grid is known when all blocks have come. */
static void count_opening(struct profile_barriers *s, const struct watch_stays *stays, struct profile_comings *comings,
                          uint32_t slot, uint64_t spread, const struct watch_samples *first)
{
    uint32_t pc = s->warps[slot].pc;
    uint64_t since = s->warps[slot].since;
    row_of(s, pc)[PROFILE_BARRIER_opened]++;
    row_of(s, pc)[PROFILE_BARRIER_spread] += spread;
    bool grid = comings && profile_comings_opened(comings, &s->lasts, slot, pc, since - spread, since,
                                                  &stays->samples[slot]);
    if (spread && !grid)
        profile_lasts_opened(&s->lasts, pc, slot, spread, &stays->samples[slot], first);
}

/* Those of these warps that waited did so for the last one, which polled a word for a while. */
static void count_polling(struct profile_barriers *s, struct profile_polls *polls, uint64_t warps, uint32_t last,
                          uint64_t cycle)
{
    struct profile_polled_time time = profile_polls_last(polls, last);
    uint64_t all = 0;
    for (uint64_t rest = time.word ? warps & ~s->fresh & ~BIT64(last) : 0; rest; rest &= rest - 1) {
        const struct profile_barrier_warp *warp = &s->warps[mask_first(rest)];
        uint64_t from = warp->since + 1 > time.from ? warp->since + 1 : time.from;
        uint64_t until = cycle < time.until ? cycle : time.until;
        uint64_t cycles = until > from ? until - from : 0;
        row_of(s, warp->pc)[PROFILE_BARRIER_polling] += cycles;
        all += cycles;
    }
    profile_polls_held_up(polls, time.word, all);
}

static void follow(struct watch_stays *stays, uint64_t slots, uint64_t cycle)
{
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        watch_stays_follow(stays, mask_first(rest), cycle);
}

/* A warp that has just come has waited for no time. What it did until now is known when its issue is told; the warp
 * that came first begins something new before that. */
void profile_barriers_open(struct profile_barriers *s, struct watch_stays *stays, struct profile_polls *polls,
                           struct profile_comings *comings, const struct lockstep_open_event *e)
{
    uint64_t warps = e->warps & s->waiting;
    struct profile_barrier_warp *first = NULL, *last = NULL;
    for (uint64_t rest = warps; rest; rest &= rest - 1) {
        struct profile_barrier_warp *warp = &s->warps[mask_first(rest)];
        first = !first || warp->since < first->since ? warp : first;
        last = !last || warp->since > last->since || mask_has(s->fresh, mask_first(rest)) ? warp : last;
        if (!mask_has(s->fresh, mask_first(rest)))
            count_wait(s, warp, e->cycle);
    }
    s->waiting &= ~warps;
    if (!last)
        return;
    s->first = stays->samples[first - s->warps];
    if (mask_has(s->fresh, (unsigned)(last - s->warps)))
        last->spread = last->since - first->since + 1;
    else
        count_opening(s, stays, comings, (uint32_t)(last - s->warps), last->since - first->since, &s->first);
    if (polls)
        count_polling(s, polls, warps, (uint32_t)(last - s->warps), e->cycle);
    follow(stays, warps & ~s->fresh, e->cycle + 1);
}

void profile_barriers_came(struct profile_barriers *s, struct watch_stays *stays, struct profile_comings *comings,
                           uint32_t slot, uint32_t pc)
{
    struct profile_barrier_warp *warp = &s->warps[slot];
    s->fresh &= ~BIT64(slot);
    warp->pc = pc;
    row_of(s, pc)[PROFILE_BARRIER_came]++;
    if (warp->spread)
        count_opening(s, stays, comings, slot, warp->spread - 1, &s->first);
    if (mask_has(s->waiting, slot))
        watch_stays_unfollow(stays, slot);
    else
        watch_stays_follow(stays, slot, warp->since + 1);
}

/* Clusters: the warps of a block are followed anew when the last of those goes on that had waited. That a warp stands
 * there may be told before the issue that brought it. Who comes last is known when all blocks have come (comings.h). */

static void leave_cluster(struct profile_barriers *s, struct watch_stays *stays, uint32_t slot, uint64_t cycle)
{
    struct profile_barrier_warp *warp = &s->warps[slot];
    struct profile_barrier_cluster *cluster = &s->clusters[warp->block];
    s->clustered &= ~BIT64(slot);
    row_of(s, warp->pc)[PROFILE_BARRIER_came]++;
    count_wait(s, warp, cycle);
    cluster->slots |= BIT64(slot);
    if (--cluster->waiting)
        return;
    follow(stays, cluster->slots, cycle);
    cluster->slots = 0;
}

void profile_barriers_stand(struct profile_barriers *s, struct watch_stays *stays,
                            const struct lockstep_stand_event *e, uint32_t pc, bool waits)
{
    bool waited = mask_has(s->clustered, e->warp);
    if (waited && !waits)
        leave_cluster(s, stays, e->warp, e->cycle);
    if (waited || !waits)
        return;
    watch_stays_unfollow(stays, e->warp);
    s->clustered |= BIT64(e->warp);
    s->warps[e->warp] = (struct profile_barrier_warp){.since = e->cycle - 1, .pc = pc, .block = (uint8_t)e->block};
    s->clusters[e->block].waiting++;
}

void profile_barriers_issued(struct profile_barriers *s, const struct lockstep_issue_event *e)
{
    s->warps[e->warp].since = e->cycle;
    s->warps[e->warp].pc = e->pc;
}

void profile_barriers_leave(struct profile_barriers *s, struct watch_stays *stays, uint32_t slot, uint64_t cycle)
{
    if (mask_has(s->clustered, slot))
        leave_cluster(s, stays, slot, cycle);
}

void profile_barriers_end(struct profile_barriers *s, struct watch_stays *stays, const struct lockstep_end_event *e)
{
    struct profile_barrier_warp *warp = &s->warps[e->warp];
    s->ended |= BIT64(e->warp);
    warp->since = e->cycle;
    watch_stays_unfollow(stays, e->warp);
}

void profile_barriers_retire(struct profile_barriers *s, const struct watch_stays *stays, uint64_t warps)
{
    uint32_t first = 0, last = 0;
    if (!warps || warps & ~s->ended)
        return;
    first = last = mask_first(warps);
    for (uint64_t rest = warps; rest; rest &= rest - 1) {
        uint32_t slot = mask_first(rest);
        first = s->warps[slot].since < s->warps[first].since ? slot : first;
        last = s->warps[slot].since > s->warps[last].since ? slot : last;
    }
    uint64_t end = s->warps[last].since;
    profile_lasts_ended(&s->lasts, last, end, end - s->warps[first].since, mask_count(warps), &stays->samples[last],
                        &stays->samples[first]);
}

void profile_barriers_forget(struct profile_barriers *s, uint32_t slot)
{
    s->ended &= ~BIT64(slot);
    s->waiting &= ~BIT64(slot);
    s->fresh &= ~BIT64(slot);
}

void profile_barriers_add(uint64_t *counts, const struct profile_barriers *s, uint32_t instructions)
{
    for (uint32_t pc = 0; pc < instructions; pc++) {
        uint64_t *to = counts + (size_t)pc * PROFILE_BARRIER_COUNTS;
        const uint64_t *from = s->counts + (size_t)pc * PROFILE_BARRIER_COUNTS;
        uint64_t most = to[PROFILE_BARRIER_waited_most], other = from[PROFILE_BARRIER_waited_most];
        for (unsigned i = 0; i < PROFILE_BARRIER_COUNTS; i++)
            to[i] += from[i];
        to[PROFILE_BARRIER_waited_most] = most > other ? most : other;
    }
}
