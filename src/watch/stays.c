/* Samples of what followed warps do: see stays.h. */
#include "watch/stays.h"

#include <string.h>

#include "base/hash.h"

#define SHORTEST 32 /* cycles from one look at a warp to the next, on average, when it has just begun to be followed   \
                     */
#define PART 8      /* later: the time for which it has been followed, over this */
#define NEAR 4      /* places at which a count may stand */

/* When the warp is looked at next, behind a look at that cycle: at a time that no loop of a program keeps step with. */
static uint64_t next_look(const struct watch_samples *samples, uint32_t warp, uint64_t cycle)
{
    uint64_t each = SHORTEST + (cycle - samples->begin) / PART;
    return cycle + each / 2 + hash_place(cycle * WATCH_STAYS_WARPS + warp) % each;
}

void watch_stays_follow(struct watch_stays *s, uint32_t warp, uint64_t cycle)
{
    struct watch_samples *samples = &s->samples[warp];
    memset(samples, 0, sizeof *samples);
    samples->begin = cycle;
    samples->until = cycle;
    s->warps[warp].sample = next_look(samples, warp, cycle);
}

/* To what the time goes of a warp whose stay ends before that cycle. */
static uint32_t charged(const struct watch_stays *s, uint32_t warp, uint64_t end)
{
    const struct watch_stay *w = &s->warps[warp];
    if (w->sample < w->since) /* it was looked at as it issued */
        return watch_stays_number(s, w->last_pc, s->issued);
    if (watch_stay_awaited(s, w, end))
        return watch_stays_number(s, w->done_pc, w->cause);
    if (s->unusual[warp] / WATCH_STAY_PASSED * 2 > end - w->since)
        return w->at - w->cause + s->unpicked;
    return w->at;
}

/* The place of that count, or a free one; if there is none, that with the fewest cycles. */
static struct watch_sample *place_of(struct watch_samples *samples, uint32_t at)
{
    struct watch_sample *least = NULL;
    uint32_t first = hash_place(at);
    for (unsigned i = 0; i < NEAR; i++) {
        struct watch_sample *place = &samples->of[(first + i) % WATCH_SAMPLES];
        if (place->at == at || !place->cycles)
            return place;
        least = !least || place->cycles < least->cycles ? place : least;
    }
    return least;
}

static void look(struct watch_stays *s, uint32_t warp, uint64_t end)
{
    struct watch_samples *samples = &s->samples[warp];
    uint32_t at = charged(s, warp, end), cycles = (uint32_t)(end - samples->until);
    struct watch_sample *place = place_of(samples, at);
    if (place->at == at || !place->cycles)
        *place = (struct watch_sample){at, place->cycles + cycles};
    else if (cycles > place->cycles)
        *place = (struct watch_sample){at, cycles};
    samples->until = end;
    s->warps[warp].sample = next_look(samples, warp, end);
}

void watch_stays_look(struct watch_stays *s, uint32_t warp, uint64_t end)
{
    if (end > s->warps[warp].sample)
        look(s, warp, end);
}

void watch_stays_stand_looked(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t cause, uint64_t cycle)
{
    look(s, warp, cycle);
    watch_stays_stand(s, warp, pc, cause, cycle);
}

void watch_stays_issued_looked(struct watch_stays *s, uint32_t warp, uint32_t pc, uint32_t next, uint32_t cause,
                               uint64_t cycle)
{
    look(s, warp, cycle);
    watch_stays_issued(s, warp, pc, next, cause, cycle);
}
