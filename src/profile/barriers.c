/* Warps at barriers: see barriers.h. Which instruction brought a warp there is told behind its coming, and behind the
 * opening of the barrier where it was the last one to come. */
#include "profile/barriers.h"

const char *profile_barrier_name(enum profile_barrier_count count)
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

static void count_opening(struct profile_barriers *s, uint32_t pc, uint64_t spread)
{
    row_of(s, pc)[PROFILE_BARRIER_opened]++;
    row_of(s, pc)[PROFILE_BARRIER_spread] += spread;
}

/* A warp that has just come has waited for no time. */
void profile_barriers_open(struct profile_barriers *s, const struct lockstep_open_event *e)
{
    uint64_t warps = e->warps & s->waiting, first = UINT64_MAX;
    struct profile_barrier_warp *last = NULL;
    for (uint64_t rest = warps; rest; rest &= rest - 1) {
        struct profile_barrier_warp *warp = &s->warps[mask_first(rest)];
        first = warp->since < first ? warp->since : first;
        last = !last || warp->since > last->since || mask_has(s->fresh, mask_first(rest)) ? warp : last;
        if (!mask_has(s->fresh, mask_first(rest)))
            count_wait(s, warp, e->cycle);
    }
    s->waiting &= ~warps;
    if (last && mask_has(s->fresh, (unsigned)(last - s->warps)))
        last->spread = last->since - first + 1;
    else if (last)
        count_opening(s, last->pc, last->since - first);
}

void profile_barriers_came(struct profile_barriers *s, uint32_t slot, uint32_t pc)
{
    struct profile_barrier_warp *warp = &s->warps[slot];
    s->fresh &= ~BIT64(slot);
    warp->pc = pc;
    row_of(s, pc)[PROFILE_BARRIER_came]++;
    if (warp->spread)
        count_opening(s, pc, warp->spread - 1);
}

/* Clusters: the barrier opens for a block when the last of its warps goes on that had waited. That a warp stands there
 * may be told before the issue that brought it. */

static void leave_cluster(struct profile_barriers *s, uint32_t slot, uint64_t cycle)
{
    struct profile_barrier_warp *warp = &s->warps[slot];
    struct profile_barrier_cluster *cluster = &s->clusters[warp->block];
    s->clustered &= ~BIT64(slot);
    row_of(s, warp->pc)[PROFILE_BARRIER_came]++;
    count_wait(s, warp, cycle);
    cluster->first = !cluster->gone || warp->since < cluster->first ? warp->since : cluster->first;
    cluster->last = !cluster->gone || warp->since > cluster->last ? warp->since : cluster->last;
    cluster->gone++;
    if (--cluster->waiting)
        return;
    count_opening(s, warp->pc, cluster->last - cluster->first);
    cluster->gone = 0;
}

void profile_barriers_stand(struct profile_barriers *s, const struct lockstep_stand_event *e, uint32_t pc, bool waits)
{
    bool waited = mask_has(s->clustered, e->warp);
    if (waited && !waits)
        leave_cluster(s, e->warp, e->cycle);
    if (waited || !waits)
        return;
    s->clustered |= BIT64(e->warp);
    s->warps[e->warp] = (struct profile_barrier_warp){.since = e->cycle - 1, .pc = pc, .block = (uint8_t)e->block};
    s->clusters[e->block].waiting++;
}

void profile_barriers_issued(struct profile_barriers *s, const struct lockstep_issue_event *e)
{
    s->warps[e->warp].since = e->cycle;
    s->warps[e->warp].pc = e->pc;
}

void profile_barriers_leave(struct profile_barriers *s, uint32_t slot, uint64_t cycle)
{
    if (mask_has(s->clustered, slot))
        leave_cluster(s, slot, cycle);
}

void profile_barriers_forget(struct profile_barriers *s, uint32_t slot)
{
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
