/* Launches that a later one may race with: of other streams, or in front of one that may begin early (programmatic
 * dependent launch).
 *
 * Launches under these checks run one after another, so the accesses of a later launch meet the marks of earlier ones.
 * Vector clocks have a row for launches, with a column for each place (sanitize/among.h), which holds the number of the
 * launch in that place once its end is known: to all warps from their begin, where streams order the two launches; to
 * those behind griddepcontrol.wait; and to who learns it from these by barriers and words. A word that an earlier launch
 * has released hands on that this launch has ended, which is more than it released.
 *
 * PTX ISA, "griddepcontrol": only .wait makes the memory operations of the launches before visible;
 * .launch_dependents orders nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sanitize/state.h"

#define MOST_CREWS (1u << 22) /* beyond, launches before are forgotten: races with them are not found */

static const struct sanitize_crew *crew_of(const struct sanitize *s, const struct sanitize_mark *mark)
{
    return &s->crews.items[mark->crew - 1];
}

bool sanitize_is_earlier(const struct sanitize *s, const struct sanitize_mark *mark)
{
    return crew_of(s, mark)->launch != s->launch;
}

bool sanitize_launch_known(const struct sanitize *s, const struct sanitize_clocks *clocks,
                           const struct sanitize_mark *mark)
{
    const struct sanitize_crew *crew = crew_of(s, mark);
    return s->launched[crew->place].number != crew->launch ||
           sanitize_known(clocks, s->launch_row, crew->place) >= crew->launch;
}

bool sanitize_awaits(const struct sanitize *s, const struct sanitize_mark *mark)
{
    return sanitize_launch_known(s, &s->ends, mark);
}

void sanitize_wait_for_launches(struct sanitize *s, struct sanitize_warp *w)
{
    if (!s->ends.rows)
        return;
    sanitize_learn(&w->known, &s->ends, s->rows);
    sanitize_learns_by(s, w, NULL, NULL);
    sanitize_next_epoch(w);
}

const struct sanitize_launched *sanitize_launch_of(const struct sanitize *s, const struct sanitize_mark *mark)
{
    return sanitize_is_earlier(s, mark) ? &s->launched[crew_of(s, mark)->place] : NULL;
}

void sanitize_forget_launches(struct sanitize *s, uint64_t places)
{
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        struct sanitize_launched *l = &s->launched[mask_first(rest)];
        free(l->kernel);
        *l = (struct sanitize_launched){0};
    }
}

/* What a word hands on to the launches to come: of the launch that ends now, that it has. */
static void convert(struct sanitize *s, struct sanitize_clocks *wide, uint32_t row, uint32_t rows, uint8_t place)
{
    struct sanitize_clocks now = {0};
    bool released = false;
    for (uint32_t i = 0; wide->rows && i < s->sms; i++)
        released |= wide->rows[i] != NULL;
    for (unsigned i = 0; s->launch_row && i < SANITIZE_PLACES; i++)
        sanitize_learn_epoch(&now, row, i, sanitize_known(wide, s->launch_row, i), rows);
    if (released)
        sanitize_learn_epoch(&now, row, place, s->launch, rows);
    sanitize_forget(wide, s->rows);
    *wide = now;
}

void sanitize_keep_words(struct sanitize *s, uint32_t row, uint32_t rows)
{
    for (size_t i = 0; i < s->syncs.count; i++) {
        struct sanitize_sync *sync = &s->syncs.items[i];
        for (size_t k = 0; k < sync->local.count; k++)
            sanitize_forget(&sync->local.items[k].clocks, s->rows);
        vec_free(&sync->local);
        sanitize_forget(&sync->pending, s->rows);
        convert(s, &sync->wide, row, rows, s->place);
    }
}

bool sanitize_goes_on(const struct sanitize *s, const struct sanitize_among *among)
{
    return s->checks & SANITIZE_RACES && among->open && s->crews.count < MOST_CREWS;
}

static void learn_launches(struct sanitize *s, struct sanitize_clocks *to, uint64_t places)
{
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        unsigned place = mask_first(rest);
        sanitize_learn_epoch(to, s->launch_row, place, s->launched[place].number, s->rows);
    }
}

void sanitize_enter(struct sanitize *s, const struct sanitize_among *among, const struct watch_launch *launch)
{
    const struct lockstep_observed *observed = &launch->observed;
    sanitize_forget_launches(s, ~among->open | BIT64(among->place));
    learn_launches(s, &s->begins, among->begins);
    learn_launches(s, &s->ends, among->begins | among->ends);
    struct sanitize_launched *l = &s->launched[among->place];
    struct strbuf name = {0};
    isa_plain_name(observed->kernel, &name);
    *l = (struct sanitize_launched){.number = ++s->launch, .module = launch->module, .kernel = name.text};
    memcpy(l->block, observed->block, sizeof l->block);
    s->place = among->place;
}
