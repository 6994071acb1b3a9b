/* Locks: words that a lane takes by a compare-and-swap and gives back. Who takes the lock has to fence behind that, and
 * before it gives it back; what it did under the lock is else not ordered with what the holder before it, or behind it,
 * does. Where the holder was the first of all, or is the last, there is no such other in the run that is looked at. It
 * is found by one that was on the other side: if nothing but the lock says who of the two comes first, they might have
 * come the other way round.
 *
 * So a section counts only if nothing else may order it: the word goes back to the value that it had, and between its
 * first try and the access the warp has learnt of others by this word alone. What it knew before it tried, as by a lock
 * around this one, does not count. */
#include "base/bits.h"
#include "sanitize/state.h"

static struct sanitize_section *section_of(const struct sanitize *s, uint32_t crew)
{
    return &s->crews.items[crew - 1].section;
}

/* Words that lanes have */

static struct sanitize_held *find_held(struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane)
{
    for (unsigned i = 0; i < SANITIZE_HELD; i++)
        if (w->held[i].cell == word && (!word || w->held[i].lane == lane))
            return &w->held[i];
    return NULL;
}

static void hold(struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane)
{
    struct sanitize_held *place = find_held(w, word, lane);
    place = place ? place : find_held(w, NULL, 0);
    if (place)
        *place = (struct sanitize_held){word, (uint8_t)lane};
    else
        w->holds_more = true;
}

/* Sections */

void sanitize_try(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word)
{
    if (w->tried == word)
        return;
    w->tried = word;
    if (!word)
        return;
    sanitize_forget(&w->before, s->rows);
    sanitize_learn(&w->before, &w->known, s->rows);
    for (unsigned scope = 0; scope < 2; scope++)
        sanitize_learn(&w->before, &w->pending[scope], s->rows);
}

static void take(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane,
                 const struct sanitize_swap *swap)
{
    bool alone = w->tried == word && !w->holds_more;
    sanitize_next_epoch(w);
    hold(w, word, lane);
    w->unfenced.count = 0;
    uint32_t bare_until = swap->acquires ? w->epoch : UINT32_MAX;
    *section_of(s, w->crew) = (struct sanitize_section){.lock = alone ? word : NULL,
                                                        .free = swap->from,
                                                        .taken = swap->pc,
                                                        .since = w->epoch,
                                                        .bare_until = {bare_until, bare_until},
                                                        .lane = (uint8_t)lane};
}

void sanitize_swapped(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane,
                      const struct sanitize_swap *swap)
{
    if (find_held(w, word, lane))
        sanitize_give(s, w, word, lane, swap->pc, &swap->to);
    else
        take(s, w, word, lane, swap);
}

void sanitize_give(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane,
                   uint32_t pc, const uint64_t *value)
{
    struct sanitize_held *held = find_held(w, word, lane);
    struct sanitize_section *section = section_of(s, w->crew);
    if (held)
        *held = (struct sanitize_held){0};
    if (!sanitize_is_locked(s, w, lane) || section->lock != word)
        return;
    section->given = true;
    if (!value || *value != section->free)
        section->lock = NULL;
    for (size_t i = 0; section->lock && i < w->unfenced.count; i++) {
        w->unfenced.items[i].finding.via = pc;
        sanitize_found(s, &w->unfenced.items[i].finding);
    }
    w->unfenced.count = 0;
}

/* What it learns so is new, but for what it did itself, against what it knew when it tried to take the word. */
static bool is_news(const struct sanitize *s, const struct sanitize_warp *w, const struct sanitize_clocks *released)
{
    const struct sanitize_crew *crew = &s->crews.items[w->crew - 1];
    return !w->tried || sanitize_has_news(released, &w->before, crew->sm, crew->slot, s->rows);
}

void sanitize_learns_by(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word,
                        const struct sanitize_clocks *released)
{
    struct sanitize_section *section = section_of(s, w->crew);
    bool open = section->lock && !section->given;
    if ((!w->tried && !open) || (word && !is_news(s, w, released)))
        return;
    if (!word || w->tried != word)
        w->tried = NULL;
    if (!open || (word && section->lock == word))
        return;
    section->lock = NULL;
    w->unfenced.count = 0;
}

void sanitize_fenced(struct sanitize *s, struct sanitize_warp *w, enum sanitize_scope scope)
{
    struct sanitize_section *section = section_of(s, w->crew);
    size_t kept = 0;
    for (unsigned narrower = SANITIZE_BLOCK; narrower <= scope; narrower++)
        if (section->bare_until[narrower] == UINT32_MAX)
            section->bare_until[narrower] = w->epoch + 1;
    for (size_t i = 0; i < w->unfenced.count; i++)
        if (w->unfenced.items[i].scope > scope)
            w->unfenced.items[kept++] = w->unfenced.items[i];
    w->unfenced.count = kept;
}

bool sanitize_is_locked(const struct sanitize *s, const struct sanitize_warp *w, unsigned lane)
{
    const struct sanitize_section *section = section_of(s, w->crew);
    return section->lock && !section->given && section->lane == lane;
}

/* It is one lock. (One of shared memory lies where other blocks have theirs, before and after; but nobody learns of
 * another block by it.) */
static bool same_lock(const struct sanitize_section *a, const struct sanitize_section *b)
{
    return a->lock && a->lock == b->lock && a->free == b->free;
}

bool sanitize_only_locked(const struct sanitize *s, const struct sanitize_mark *first,
                          const struct sanitize_mark *second)
{
    const struct sanitize_crew *crew = &s->crews.items[first->crew - 1], *other = &s->crews.items[second->crew - 1];
    const struct sanitize_warp *w = &s->warps[other->sm * SANITIZE_WARPS + other->slot];
    if (sanitize_is_earlier(s, first))
        return false;
    bool sections = first->locked && second->locked && crew->section.given && first->epoch >= crew->section.since;
    return sections && crew != other && same_lock(&crew->section, &other->section) &&
           sanitize_known(&w->before, crew->sm, crew->slot) < first->epoch;
}

void sanitize_await_fence(struct sanitize_warp *w, const struct sanitize_unfenced *unfenced)
{
    for (size_t i = 0; i < w->unfenced.count; i++) {
        struct sanitize_unfenced *known = &w->unfenced.items[i];
        if (known->scope == unfenced->scope && sanitize_same_finding(&known->finding, &unfenced->finding)) {
            known->finding.count++;
            return;
        }
    }
    if (w->unfenced.count < SANITIZE_UNFENCED)
        vec_push(&w->unfenced, *unfenced);
}
