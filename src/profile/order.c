/* In which order threads take words: see struct profile_order_edge. A thread, which has a lane of its SM for itself as
 * long as it lives, holds words for some time, and begins to want others meanwhile. */
#include <stdlib.h>

#include "base/order.h"
#include "profile/graph_parts.h"
#include "profile/words_sm.h"

#define MOST_PAIRS (1u << 20)
#define NEVER UINT64_MAX

/* A lane held a word, or wanted it. */
struct hold {
    uint32_t lane, word;
    uint64_t from, until; /* until NEVER: it did not give it back */
    uint32_t at;
};
struct want {
    uint32_t lane, word;
    uint64_t from, until; /* it waited; as from: it did not */
    uint64_t taken;       /* NEVER: it did not get it */
    uint32_t at;
};
struct orders {
    struct graph_index index;
    const struct profile_word_list *list;
    VEC(struct hold) holds;
    VEC(struct want) wants;
    VEC(struct profile_order_edge) pairs;
    uint64_t unlisted;
};

static uint32_t lane_of(uint8_t warp, uint8_t lane)
{
    return warp * PROFILE_WORDS_LANES + lane;
}

/* A word that threads take and do not give back, time after time, is no lock. */
static bool is_lock(const struct orders *o, uint32_t word)
{
    const uint64_t *counts = o->list->of[word].word.counts;
    return counts[PROFILE_WORD_given] || counts[PROFILE_WORD_taken] == 1;
}

/* The number of the word, if it is a lock that is in the list; else UINT32_MAX. */
static uint32_t lock_at(const struct orders *o, uint64_t address, uint32_t space)
{
    uint32_t word = graph_index_find(&o->index, address, space);
    return word != UINT32_MAX && is_lock(o, word) ? word : UINT32_MAX;
}

static void add_sm(struct orders *o, const struct profile_words *s)
{
    for (uint32_t i = 0; i < s->section_count; i++) {
        const struct profile_section *is = &s->sections[i];
        uint32_t lane = lane_of(is->warp, is->lane), word = lock_at(o, is->address, is->space);
        if (word == UINT32_MAX)
            continue;
        vec_push(&o->holds, (struct hold){lane, word, is->taken, is->given, is->taken_at});
        vec_push(&o->wants, (struct want){lane, word, is->since, is->taken, is->taken, is->waited_at});
    }
    for (uint32_t i = 0; i < s->unfinished_count; i++) {
        const struct profile_unfinished *is = &s->unfinished[i];
        uint32_t word = is->held ? lock_at(o, is->address, is->space) : UINT32_MAX;
        if (word != UINT32_MAX)
            vec_push(&o->holds, (struct hold){lane_of(is->warp, is->lane), word, is->from, NEVER, is->at});
    }
    for (uint32_t i = 0; i < s->lone_count; i++) {
        const struct profile_lone_wait *is = &s->lone[i];
        uint64_t taken = is->took ? is->until : NEVER;
        uint32_t word = lock_at(o, is->address, is->space);
        if (word != UINT32_MAX)
            vec_push(&o->wants, (struct want){lane_of(is->warp, is->lane), word, is->from, is->until, taken, is->at});
    }
}

static int order_of_holds(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    int differ = profile_order(x->lane, y->lane);
    differ = differ ? differ : profile_order(x->from, y->from);
    return differ ? differ : profile_order(x->word, y->word);
}

static int order_of_wants(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    int differ = profile_order(x->lane, y->lane);
    differ = differ ? differ : profile_order(x->from, y->from);
    return differ ? differ : profile_order(x->word, y->word);
}

static uint64_t key_of_hold(const void *hold)
{
    return profile_time_key(((const struct hold *)hold)->lane, ((const struct hold *)hold)->from);
}

static uint64_t key_of_want(const void *want)
{
    return profile_time_key(((const struct want *)want)->lane, ((const struct want *)want)->from);
}

/* The lane wants a word while it holds the other one. It gives way if it gives that one back, or goes on after one
 * attempt, without the word. */
static void add_pair(struct orders *o, const struct hold *hold, const struct want *want)
{
    uint64_t until = want->until < hold->until ? want->until : hold->until;
    if (o->pairs.count == MOST_PAIRS) {
        o->unlisted++;
        return;
    }
    vec_push(&o->pairs, (struct profile_order_edge){.from = hold->word,
                                                    .to = want->word,
                                                    .held_at = hold->at,
                                                    .attempts_at = want->at,
                                                    .times = 1,
                                                    .cycles = until - want->from,
                                                    .gave_way = want->taken == NEVER &&
                                                                (hold->until != NEVER || want->until == want->from)});
}

/* Of an SM, whose holdings and wants are there: those that meet. Few words are held by a lane at once. A lane that gets
 * a word which it held already, as a reader does of a lock whose count others have changed since, did not exclude
 * itself: that is no order. One that never gets it waits for itself. */
static void pair_sm(struct orders *o)
{
    VEC(struct hold) held = {0};
    order_sort(o->holds.items, o->holds.count, sizeof *o->holds.items, key_of_hold, order_of_holds);
    order_sort(o->wants.items, o->wants.count, sizeof *o->wants.items, key_of_want, order_of_wants);
    size_t at = 0;
    for (size_t i = 0; i < o->wants.count; i++) {
        const struct want *want = &o->wants.items[i];
        for (; at < o->holds.count && (o->holds.items[at].lane < want->lane || (o->holds.items[at].lane == want->lane &&
                                                                                o->holds.items[at].from <= want->from));
             at++)
            vec_push(&held, o->holds.items[at]);
        size_t kept = 0;
        for (size_t k = 0; k < held.count; k++)
            if (held.items[k].lane == want->lane && held.items[k].until > want->from)
                held.items[kept++] = held.items[k];
        held.count = kept;
        for (size_t k = 0; k < held.count; k++)
            if (held.items[k].word != want->word || want->taken == NEVER)
                add_pair(o, &held.items[k], want);
    }
    vec_free(&held);
    o->holds.count = o->wants.count = 0;
}

static int by_words(const void *a, const void *b)
{
    const struct profile_order_edge *x = a, *y = b;
    int differ = profile_order(x->from, y->from);
    differ = differ ? differ : profile_order(x->to, y->to);
    differ = differ ? differ : profile_order(x->held_at, y->held_at);
    return differ ? differ : profile_order(x->attempts_at, y->attempts_at);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_order_edge *x = a, *y = b;
    int differ = profile_order(y->cycles, x->cycles);
    differ = differ ? differ : profile_order(y->times, x->times);
    return differ ? differ : by_words(a, b);
}

/* Each pair of words once. */
static size_t merge(struct profile_order_edge *pairs, size_t all)
{
    size_t count = 0;
    if (all)
        qsort(pairs, all, sizeof *pairs, by_words);
    for (size_t i = 0; i < all; i++) {
        struct profile_order_edge *to = &pairs[count ? count - 1 : 0];
        if (count && to->from == pairs[i].from && to->to == pairs[i].to) {
            to->times += pairs[i].times;
            to->cycles += pairs[i].cycles;
            to->gave_way += pairs[i].gave_way;
        } else {
            pairs[count++] = pairs[i];
        }
    }
    return count;
}

void graph_orders_gather(struct profile_graphs *graphs, const struct profile_word_list *list,
                         const struct profile_words *const *states, uint32_t sms)
{
    struct orders o = {.index = graph_index_of(list, UINT32_MAX), .list = list};
    for (uint32_t sm = 0; sm < sms; sm++) {
        add_sm(&o, states[sm]);
        pair_sm(&o);
        if (o.pairs.count > MOST_PAIRS / 2)
            o.pairs.count = merge(o.pairs.items, o.pairs.count);
    }
    size_t count = merge(o.pairs.items, o.pairs.count);
    if (count)
        qsort(o.pairs.items, count, sizeof *o.pairs.items, by_cost);
    graph_circles_find(graphs, o.pairs.items, count, list->count);
    graphs->order_count = count < PROFILE_ORDERS ? (uint32_t)count : PROFILE_ORDERS;
    graphs->orders_unlisted = o.unlisted + (count - graphs->order_count);
    graphs->orders = base_calloc(graphs->order_count + 1, sizeof *graphs->orders);
    for (uint32_t i = 0; i < graphs->order_count; i++)
        graphs->orders[i] = o.pairs.items[i];
    graph_index_free(&o.index);
    vec_free(&o.holds);
    vec_free(&o.wants);
    vec_free(&o.pairs);
}
