/* Brings the states of SMs together, word by word: see words.h. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/vec.h"
#include "profile/pcs.h"
#include "profile/words_sm.h"

const char *profile_word_name(enum profile_word_count count)
{
    static const char *const names[] = {
#define PROFILE_WORD(name, doc) #name,
#include "profile/words.def"
#undef PROFILE_WORD
    };
    return names[count];
}

/* Words */

static int by_address(const void *a, const void *b)
{
    const struct profile_word *x = a, *y = b;
    int spaces = profile_order(x->space, y->space);
    return spaces ? spaces : profile_order(x->address, y->address);
}

static void add_word(struct profile_word *to, const struct profile_word *from)
{
    uint64_t most = to->counts[PROFILE_WORD_held_most], other = from->counts[PROFILE_WORD_held_most];
    for (unsigned i = 0; i < PROFILE_WORD_COUNTS; i++)
        to->counts[i] += from->counts[i];
    to->counts[PROFILE_WORD_held_most] = most > other ? most : other;
}

/* The first instructions of every SM come before the second ones of any: where SMs do different things with a word,
 * some of each are known. of: that word in `count` SMs. */
static void add_pcs(struct profile_word *to, const struct profile_word *of, size_t count)
{
    for (unsigned n = 0; n < PROFILE_WORD_PCS; n++)
        for (size_t i = 0; i < count; i++) {
            profile_pcs_add(to->takes, PROFILE_WORD_PCS, of[i].takes + n, 1);
            profile_pcs_add(to->gives, PROFILE_WORD_PCS, of[i].gives + n, 1);
        }
}

/* The words of all SMs, each once, by address. */
static void add_words(struct profile_word_list *list, const struct profile_words *const *states, uint32_t sms)
{
    VEC(struct profile_word) all = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->count; i++)
            vec_push(&all, states[sm]->words[i]);
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_address);
    list->of = base_calloc(all.count + 1, sizeof *list->of);
    for (size_t first = 0, end; first < all.count; first = end) {
        struct profile_word *word = &list->of[list->count++].word;
        *word = (struct profile_word){.address = all.items[first].address, .space = all.items[first].space};
        for (end = first; end < all.count && !by_address(word, &all.items[end]); end++)
            add_word(word, &all.items[end]);
        add_pcs(word, &all.items[first], end - first);
    }
    vec_free(&all);
}

/* Sections */

/* A section, and the SM where it was if its word is in shared memory; else 0. Words of shared memory are apart by
 * block. */
struct section {
    struct profile_section is;
    uint32_t sm;
};

static int by_place(const struct section *a, const struct section *b)
{
    int differ = profile_order(a->is.space, b->is.space);
    differ = differ ? differ : profile_order(a->is.address, b->is.address);
    differ = differ ? differ : profile_order(a->sm, b->sm);
    return differ ? differ : profile_order(a->is.block, b->is.block);
}

static int by_time(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    int differ = by_place(x, y);
    differ = differ ? differ : profile_order(x->is.taken, y->is.taken);
    return differ ? differ : profile_order(x->is.given, y->is.given);
}

static int by_since(const void *a, const void *b)
{
    return profile_order(((const struct section *)a)->is.since, ((const struct section *)b)->is.since);
}

/* Adds the handovers of a word, whose sections are in the order of taking. */
static void add_handovers(struct profile_word_sum *sum, const struct section *of, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t given = of[i - 1].is.given;
        if (of[i].is.since >= given || of[i].is.taken < given)
            continue;
        sum->handed += of[i].is.taken - given;
        sum->handovers++;
    }
}

/* Counts those that have begun to wait against those that have taken the word. Sorts the sections by `since`. */
static void add_most_waited(struct profile_word_sum *sum, struct section *of, size_t count)
{
    uint64_t *taken = base_malloc((count + 1) * sizeof *taken);
    uint32_t waiting = 0;
    for (size_t i = 0; i < count; i++)
        taken[i] = of[i].is.taken;
    qsort(of, count, sizeof *of, by_since);
    for (size_t i = 0, ended = 0; i < count; i++) {
        waiting++;
        while (ended < count && taken[ended] <= of[i].is.since) {
            waiting -= waiting > 0;
            ended++;
        }
        if (waiting > sum->most_waited)
            sum->most_waited = waiting;
    }
    free(taken);
}

static struct profile_word_sum *sum_of(struct profile_word_list *list, const struct profile_section *section)
{
    struct profile_word key = {.address = section->address, .space = section->space};
    return bsearch(&key, list->of, list->count, sizeof *list->of, by_address); /* the word comes first in a sum */
}

static void add_sections(struct profile_word_list *list, const struct profile_words *const *states, uint32_t sms)
{
    VEC(struct section) all = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->section_count; i++) {
            const struct profile_section *section = &states[sm]->sections[i];
            vec_push(&all, (struct section){*section, section->space == LOCKSTEP_SHARED ? sm : 0});
        }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_time);
    for (size_t first = 0, end; first < all.count; first = end) {
        for (end = first + 1; end < all.count && !by_place(&all.items[first], &all.items[end]);)
            end++;
        struct profile_word_sum *sum = sum_of(list, &all.items[first].is);
        if (!sum)
            continue;
        add_handovers(sum, &all.items[first], end - first);
        add_most_waited(sum, &all.items[first], end - first);
    }
    vec_free(&all);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_word_sum *x = a, *y = b;
    int differ = profile_order(y->word.counts[PROFILE_WORD_warps_waited], x->word.counts[PROFILE_WORD_warps_waited]);
    differ =
        differ ? differ : profile_order(y->word.counts[PROFILE_WORD_attempts], x->word.counts[PROFILE_WORD_attempts]);
    return differ ? differ : by_address(&x->word, &y->word);
}

struct profile_word_list profile_words_gather(const struct profile_words *const *states, uint32_t sms)
{
    struct profile_word_list list = {0};
    add_words(&list, states, sms);
    add_sections(&list, states, sms);
    if (list.count)
        qsort(list.of, list.count, sizeof *list.of, by_cost);
    for (uint32_t sm = 0; sm < sms; sm++) {
        list.unlisted += states[sm]->unlisted;
        list.unlogged += states[sm]->unlogged;
    }
    return list;
}

void profile_words_free(struct profile_word_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->of[i].name);
    free(list->of);
    *list = (struct profile_word_list){0};
}
