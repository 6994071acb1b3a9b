/* Who comes last, of the blocks of all SMs: see comings.h. */
#include <stdlib.h>

#include "profile/comings.h"
#include "profile/pcs.h"

/* A coming, and on which SM. Its path is what the block did since it came there before. */
struct attended {
    struct profile_coming is;
    uint32_t sm;
    uint64_t since; /* of words: the first of those began to wait whose wait it ended */
    bool ended;
};
struct profile_comings_list {
    VEC(struct attended) of;
    uint64_t until, number; /* from this cycle, and this number of a grid or cluster, on some may be missing */
};

static int by_block(const void *a, const void *b)
{
    const struct attended *x = a, *y = b;
    int what = profile_order(x->is.what, y->is.what), block = profile_order(x->is.block, y->is.block);
    return what ? what : block ? block : profile_order(x->is.cycle, y->is.cycle);
}

static int by_time(const void *a, const void *b)
{
    const struct attended *x = a, *y = b;
    int what = profile_order(x->is.what, y->is.what), number = profile_order(x->is.number, y->is.number);
    int cycle = profile_order(x->is.cycle, y->is.cycle);
    return what ? what : number ? number : cycle ? cycle : profile_order(x->is.block, y->is.block);
}

/* Takes off what the block had done when it came before. */
static void take_off(struct watch_sample path[PROFILE_COMINGS_PATH], const struct watch_sample *before)
{
    for (unsigned i = 0; i < PROFILE_COMINGS_PATH; i++)
        for (unsigned n = 0; n < PROFILE_COMINGS_PATH; n++)
            if (before[n].cycles && before[n].at == path[i].at)
                path[i].cycles -= before[n].cycles < path[i].cycles ? before[n].cycles : path[i].cycles;
}

static bool same_block(const struct attended *x, const struct attended *y)
{
    return x->is.what == y->is.what && x->is.block == y->is.block;
}

struct profile_comings_list *profile_comings_gather(const struct profile_comings *const *states, uint32_t sms)
{
    struct profile_comings_list *list = base_calloc(1, sizeof *list);
    list->until = list->number = UINT64_MAX;
    for (uint32_t sm = 0; sm < sms; sm++) {
        const struct profile_comings *s = states[sm];
        for (uint32_t i = 0; i < s->count; i++)
            vec_push(&list->of, (struct attended){.is = s->of[i], .sm = sm});
        list->until = s->unlogged_at && s->unlogged_at < list->until ? s->unlogged_at : list->until;
        list->number = s->unlogged_number && s->unlogged_number < list->number ? s->unlogged_number : list->number;
    }
    if (!list->of.count)
        return list;
    qsort(list->of.items, list->of.count, sizeof *list->of.items, by_block);
    for (size_t i = list->of.count - 1; i > 0; i--)
        if (same_block(&list->of.items[i - 1], &list->of.items[i]))
            take_off(list->of.items[i].is.path, list->of.items[i - 1].is.path);
    qsort(list->of.items, list->of.count, sizeof *list->of.items, by_time);
    return list;
}

void profile_comings_free(struct profile_comings_list *list)
{
    if (list)
        vec_free(&list->of);
    free(list);
}

void profile_meeting_free(struct profile_meeting *meeting)
{
    free(meeting->lasts);
    free(meeting->dids);
    *meeting = (struct profile_meeting){0};
}

static void add_last(struct profile_meeting *to, const struct attended *last, uint64_t cycles)
{
    uint32_t i = 0;
    while (i < to->last_count && (to->lasts[i].block != last->is.block || to->lasts[i].warp != last->is.warp))
        i++;
    if (i == to->last_count) {
        to->lasts = base_realloc(to->lasts, (size_t)++to->last_count * sizeof *to->lasts);
        to->lasts[i] = (struct profile_meeting_last){
            .block = last->is.block, .sm = last->sm, .warp = last->is.warp, .rank = last->is.rank};
    }
    to->lasts[i].times++;
    to->lasts[i].cycles += cycles;
}

static void add_path(struct profile_meeting *to, const struct attended *of, bool last)
{
    for (unsigned n = 0; n < PROFILE_COMINGS_PATH; n++) {
        struct watch_sample sample = of->is.path[n];
        uint32_t i = 0;
        if (!sample.cycles)
            continue;
        while (i < to->did_count && to->dids[i].at != sample.at)
            i++;
        if (i == to->did_count) {
            to->dids = base_realloc(to->dids, (size_t)++to->did_count * sizeof *to->dids);
            to->dids[i] = (struct profile_last_did){.at = sample.at};
        }
        *(last ? &to->dids[i].last : &to->dids[i].first) += sample.cycles;
    }
}

/* A phase. first: the block that came first; NULL: nobody knows. */
static void add_phase(struct profile_meeting *to, const struct attended *last, const struct attended *first,
                      uint64_t since)
{
    uint64_t cycles = last->is.cycle > since ? last->is.cycle - since : 0;
    to->phases++;
    to->spread += cycles;
    if (!cycles)
        return;
    add_last(to, last, cycles);
    add_path(to, last, true);
    if (first)
        add_path(to, first, false);
}

static int by_cycles(const void *a, const void *b)
{
    const struct profile_meeting_last *x = a, *y = b;
    int cycles = profile_order(y->cycles, x->cycles), block = profile_order(x->block, y->block);
    return cycles ? cycles : block ? block : profile_order(x->warp, y->warp);
}

static int by_excess(const void *a, const void *b)
{
    const struct profile_last_did *x = a, *y = b;
    int64_t of_x = (int64_t)(x->last - x->first), of_y = (int64_t)(y->last - y->first);
    return of_x != of_y ? (of_x < of_y ? 1 : -1) : profile_order(x->at, y->at);
}

static void sort(struct profile_meeting *meeting)
{
    if (meeting->last_count)
        qsort(meeting->lasts, meeting->last_count, sizeof *meeting->lasts, by_cycles);
    if (meeting->did_count)
        qsort(meeting->dids, meeting->did_count, sizeof *meeting->dids, by_excess);
}

/* Comings that are one phase lie side by side: from `from` on; returns the one behind them. */
static size_t phase_end(const struct profile_comings_list *list, size_t from)
{
    const struct profile_coming *first = &list->of.items[from].is;
    size_t end = from;
    while (end < list->of.count && list->of.items[end].is.what == first->what &&
           list->of.items[end].is.number == first->number)
        end++;
    return end;
}

struct profile_meeting profile_comings_at(const struct profile_comings_list *list, uint32_t pc)
{
    struct profile_meeting meeting = {0};
    for (size_t i = 0, end; i < list->of.count; i = end) {
        end = phase_end(list, i);
        const struct attended *first = &list->of.items[i], *last = &list->of.items[end - 1];
        uint64_t since = UINT64_MAX;
        for (size_t n = i; n < end; n++)
            since = list->of.items[n].is.first < since ? list->of.items[n].is.first : since;
        if (first->is.what >= PROFILE_COMINGS_GRID && first->is.number < list->number && last->is.pc == pc)
            add_phase(&meeting, last, first, since);
    }
    sort(&meeting);
    return meeting;
}

/* The first of the comings that writes the word behind a cycle, or a later word. */
static size_t behind(const struct profile_comings_list *list, uint64_t word, uint64_t cycle)
{
    size_t low = 0, high = list->of.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct profile_coming *is = &list->of.items[middle].is;
        if (is->what < word || (is->what == word && is->cycle <= cycle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct profile_meeting profile_comings_for(const struct profile_comings_list *list,
                                           const struct profile_meeting_wait *waits, size_t count)
{
    struct profile_meeting meeting = {0};
    size_t from = SIZE_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = behind(list, waits[i].word, waits[i].until);
        struct attended *write = at ? &list->of.items[at - 1] : NULL;
        if (!write || write->is.what != waits[i].word || write->is.cycle < waits[i].since ||
            waits[i].until >= list->until)
            continue;
        write->since = !write->ended || waits[i].since < write->since ? waits[i].since : write->since;
        write->ended = true;
        from = at - 1 < from ? at - 1 : from;
        end = at > end ? at : end;
    }
    size_t first = from < end ? behind(list, list->of.items[from].is.what, 0) : end;
    for (size_t i = first; i < end; i++) {
        struct attended *write = &list->of.items[i];
        if (!write->ended)
            continue;
        add_phase(&meeting, write, first < i ? &list->of.items[first] : NULL, write->since);
        write->ended = false;
        first = i + 1;
    }
    sort(&meeting);
    return meeting;
}
