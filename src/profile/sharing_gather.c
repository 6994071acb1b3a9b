/* Finds the lines that locks and polled words share: see sharing.h. */
#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "profile/sharing_sm.h"

struct syncs {
    VEC(struct profile_shared_sync) of; /* by address */
};
/* A word that was accessed in some SM. */
struct touched {
    uint64_t address, reads, writes;
    uint32_t sm, at;
};
struct all_touched {
    VEC(struct touched) of; /* by address, and SM */
};

/* Words of the first kind */

static int by_address(const void *a, const void *b)
{
    return profile_order(((const struct profile_shared_sync *)a)->address,
                         ((const struct profile_shared_sync *)b)->address);
}

static int by_waited(const void *a, const void *b)
{
    const struct profile_shared_sync *x = a, *y = b;
    int differ = profile_order(y->waited, x->waited);
    differ = differ ? differ : profile_order(y->accesses, x->accesses);
    return differ ? differ : profile_order(x->address, y->address);
}

/* A word that is polled and taken too is one of both. */
static void merge(struct syncs *syncs)
{
    size_t count = 0;
    if (syncs->of.count)
        qsort(syncs->of.items, syncs->of.count, sizeof *syncs->of.items, by_address);
    for (size_t i = 0; i < syncs->of.count; i++) {
        const struct profile_shared_sync *from = &syncs->of.items[i];
        struct profile_shared_sync *to = &syncs->of.items[count ? count - 1 : 0];
        if (!count || to->address != from->address) {
            syncs->of.items[count++] = *from;
            continue;
        }
        to->accesses += from->accesses;
        to->waited += from->waited;
        to->polled &= from->polled;
        to->given |= from->given;
    }
    syncs->of.count = count;
}

static void find_syncs(struct syncs *syncs, const struct profile_word_list *words,
                       const struct profile_poll_list *polls)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const struct profile_word *word = &words->of[i].word;
        const uint64_t *n = word->counts;
        if (word->space == LOCKSTEP_GLOBAL && (n[PROFILE_WORD_waiters] || n[PROFILE_WORD_given]))
            vec_push(&syncs->of, (struct profile_shared_sync){.address = word->address,
                                                              .accesses = n[PROFILE_WORD_attempts],
                                                              .waited = n[PROFILE_WORD_warps_waited],
                                                              .given = n[PROFILE_WORD_given]});
    }
    for (uint32_t i = 0; i < polls->count; i++) {
        const struct profile_poll *poll = &polls->of[i].poll;
        if (poll->space == LOCKSTEP_GLOBAL)
            vec_push(&syncs->of, (struct profile_shared_sync){.address = poll->address,
                                                              .accesses = poll->counts[PROFILE_POLL_polls],
                                                              .waited = poll->counts[PROFILE_POLL_warps_waited],
                                                              .polled = true});
    }
    merge(syncs);
}

/* The number of the first one at that address or behind it. */
static size_t first_from(const struct syncs *syncs, uint64_t address)
{
    size_t low = 0, high = syncs->of.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (syncs->of.items[middle].address >= address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Words that were accessed */

static int by_place(const void *a, const void *b)
{
    const struct touched *x = a, *y = b;
    int differ = profile_order(x->address, y->address);
    return differ ? differ : profile_order(x->sm, y->sm);
}

static uint64_t address_of(const void *touched)
{
    return ((const struct touched *)touched)->address;
}

/* The piece lies in one line: lines are no smaller. */
static bool is_in_line(const struct syncs *syncs, uint64_t address, uint32_t line_bytes)
{
    uint64_t line = address & ~((uint64_t)line_bytes - 1);
    size_t i = first_from(syncs, line);
    return i < syncs->of.count && syncs->of.items[i].address < line + line_bytes;
}

static void add_piece(struct all_touched *touched, const struct profile_piece *piece, uint32_t sm,
                      const struct syncs *syncs, uint32_t line_bytes)
{
    if (!piece->heat || !is_in_line(syncs, piece->address, line_bytes))
        return;
    for (unsigned i = 0; i < PROFILE_PIECE_WORDS; i++)
        if (piece->at[i])
            vec_push(&touched->of,
                     (struct touched){piece->address + 4 * i, piece->reads[i], piece->writes[i], sm, piece->at[i] - 1});
}

static void find_touched(struct all_touched *touched, const struct profile_sharing *const *states, uint32_t sms,
                         const struct syncs *syncs, uint32_t line_bytes)
{
    for (uint32_t sm = 0; sm < sms && syncs->of.count; sm++)
        for (uint32_t i = 0; i < PROFILE_PIECES; i++)
            for (unsigned n = 0; n < 2; n++)
                add_piece(touched, &states[sm]->pieces[i][n], sm, syncs, line_bytes);
    order_sort(touched->of.items, touched->of.count, sizeof *touched->of.items, address_of, by_place);
}

/* Lines */

static int by_accesses(const void *a, const void *b)
{
    const struct profile_shared_data *x = a, *y = b;
    int differ = profile_order(y->reads + y->writes, x->reads + x->writes);
    return differ ? differ : profile_order(x->address, y->address);
}

static bool is_sync(const struct syncs *syncs, uint64_t address)
{
    size_t i = first_from(syncs, address);
    return i < syncs->of.count && syncs->of.items[i].address == address;
}

/* touched: the words of the line that were accessed, `count`. */
static void add_data(struct profile_shared_line *line, const struct touched *touched, size_t count,
                     const struct syncs *syncs)
{
    VEC(struct profile_shared_data) all = {0};
    for (size_t i = 0; i < count; i++) {
        if (is_sync(syncs, touched[i].address))
            continue;
        if (!all.count || all.items[all.count - 1].address != touched[i].address)
            vec_push(&all, (struct profile_shared_data){.address = touched[i].address, .at = touched[i].at});
        struct profile_shared_data *data = &all.items[all.count - 1];
        data->reads += touched[i].reads;
        data->writes += touched[i].writes;
        data->sms++;
        line->data_accesses += touched[i].reads + touched[i].writes;
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_accesses);
    line->data_count = (uint32_t)all.count;
    for (size_t i = 0; i < all.count && i < PROFILE_SHARED_WORDS; i++)
        line->data[i] = all.items[i];
    vec_free(&all);
}

static void add_syncs(struct profile_shared_line *line, const struct profile_shared_sync *syncs, size_t count)
{
    VEC(struct profile_shared_sync) all = {0};
    for (size_t i = 0; i < count; i++) {
        vec_push(&all, syncs[i]);
        line->waited += syncs[i].waited;
        line->sync_accesses += syncs[i].accesses;
    }
    qsort(all.items, all.count, sizeof *all.items, by_waited);
    line->sync_count = (uint32_t)all.count;
    for (size_t i = 0; i < all.count && i < PROFILE_SHARED_WORDS; i++)
        line->sync[i] = all.items[i];
    vec_free(&all);
}

static uint32_t count_sms(const struct touched *touched, size_t count, uint32_t sms)
{
    bool *seen = base_calloc(sms + 1, sizeof *seen);
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += !seen[touched[i].sm];
        seen[touched[i].sm] = true;
    }
    free(seen);
    return found;
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_shared_line *x = a, *y = b;
    int differ = profile_order(y->waited, x->waited);
    differ = differ ? differ : profile_order(y->data_accesses, x->data_accesses);
    return differ ? differ : profile_order(x->address, y->address);
}

/* Of the words of the first kind that lie in it, from `first` on to `end`. at: the number of the first touched word
 * that may lie in it; set to that of the first one behind it. */
static struct profile_shared_line line_of(const struct syncs *syncs, size_t first, size_t end,
                                          const struct all_touched *touched, size_t *at, uint32_t line_bytes,
                                          uint32_t sms)
{
    struct profile_shared_line line = {.address = syncs->of.items[first].address & ~((uint64_t)line_bytes - 1)};
    size_t from = *at, until;
    while (from < touched->of.count && touched->of.items[from].address < line.address)
        from++;
    for (until = from; until < touched->of.count && touched->of.items[until].address < line.address + line_bytes;)
        until++;
    *at = until;
    add_syncs(&line, &syncs->of.items[first], end - first);
    if (until > from) {
        add_data(&line, &touched->of.items[from], until - from, syncs);
        line.sms = count_sms(&touched->of.items[from], until - from, sms);
    }
    return line;
}

struct profile_shared_list profile_sharing_gather(const struct profile_sharing *const *states, uint32_t sms,
                                                  const struct profile_word_list *words,
                                                  const struct profile_poll_list *polls, uint32_t line_bytes)
{
    struct profile_shared_list list = {.line_bytes = line_bytes};
    struct syncs syncs = {0};
    struct all_touched touched = {0};
    VEC(struct profile_shared_line) lines = {0};
    find_syncs(&syncs, words, polls);
    find_touched(&touched, states, sms, &syncs, line_bytes);
    for (size_t first = 0, end, at = 0; first < syncs.of.count; first = end) {
        uint64_t address = syncs.of.items[first].address & ~((uint64_t)line_bytes - 1);
        for (end = first + 1; end < syncs.of.count && syncs.of.items[end].address < address + line_bytes;)
            end++;
        struct profile_shared_line line = line_of(&syncs, first, end, &touched, &at, line_bytes, sms);
        if (line.sync_count > 1 || line.data_count)
            vec_push(&lines, line);
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, by_cost);
    list.count = lines.count < PROFILE_SHARED_LINES ? (uint32_t)lines.count : PROFILE_SHARED_LINES;
    list.of = lines.items;
    vec_free(&syncs.of);
    vec_free(&touched.of);
    return list;
}

void profile_sharing_free(struct profile_shared_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (unsigned n = 0; n < PROFILE_SHARED_WORDS; n++) {
            free(list->of[i].sync[n].name);
            free(list->of[i].data[n].name);
        }
    free(list->of);
    *list = (struct profile_shared_list){0};
}
