/* Brings the states of SMs together, word by word: see words.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/order.h"
#include "base/vec.h"
#include "isa/mod_values.h"
#include "profile/graph_parts.h"
#include "profile/pcs.h"
#include "profile/words_sm.h"

const char *profile_word_name(unsigned count)
{
    static const char *const names[] = {
#define PROFILE_WORD(name, doc) #name,
#include "profile/words.def"
#undef PROFILE_WORD
    };
    return names[count];
}

const char *profile_take_name(unsigned count)
{
    static const char *const names[] = {
#define PROFILE_TAKE(name, doc) #name,
#include "profile/takes.def"
#undef PROFILE_TAKE
    };
    return names[count];
}

/* Readers */

/* The number that an atomic adds, where it is written in the instruction; else 0. */
static uint64_t added_by(const struct isa_instr *instr)
{
    bool adds = (instr->op == ISA_OP_ATOM || instr->op == ISA_OP_RED) && instr->mods.atomic == ISA_ATOMIC_ADD;
    bool is_number = adds && instr->src_count > 1 && instr->src[1].kind == ISA_OPERAND_IMM;
    return is_number ? instr->src[1].value & mask_low(isa_type_bits((enum isa_type)instr->type)) : 0;
}

static bool has_taker(const struct isa_module *module)
{
    bool takes = false;
    for (uint32_t i = 0; i < module->instr_count && !takes; i++) {
        const struct isa_instr *instr = &module->instrs[i];
        bool plain = instr->op == ISA_OP_ATOM;
        takes = plain && (instr->mods.atomic == ISA_ATOMIC_CAS || instr->mods.atomic == ISA_ATOMIC_EXCH);
    }
    return takes;
}

uint64_t profile_words_step(const struct isa_module *module)
{
    if (!has_taker(module))
        return 0;
    for (uint32_t i = 0; i < module->instr_count; i++) {
        uint64_t step = added_by(&module->instrs[i]);
        uint64_t off = (0 - step) & mask_low(isa_type_bits((enum isa_type)module->instrs[i].type));
        bool small = step && step < PROFILE_READERS_MOST;
        for (uint32_t n = 0; small && n < module->instr_count; n++)
            if (module->instrs[n].type == module->instrs[i].type && added_by(&module->instrs[n]) == off)
                return step;
    }
    return 0;
}

/* Addresses of words, sorted. */
typedef VEC(uint64_t) addresses;

static int by_number(const void *a, const void *b)
{
    return profile_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

static bool is_among(const addresses *list, uint64_t address)
{
    return list->count && bsearch(&address, list->items, list->count, sizeof address, by_number);
}

/* Logs keep the entries of words that are locks, as entries of these. */
#define SETTLE_LOG(log, count, locks)                                                                                  \
    do {                                                                                                               \
        uint32_t settle_kept = 0;                                                                                      \
        for (uint32_t settle_i = 0; settle_i < (count); settle_i++) {                                                  \
            if ((log)[settle_i].space >= PROFILE_READERS && !is_among(locks, (log)[settle_i].address))                 \
                continue;                                                                                              \
            (log)[settle_kept] = (log)[settle_i];                                                                      \
            (log)[settle_kept++].space %= PROFILE_READERS;                                                             \
        }                                                                                                              \
        (count) = settle_kept;                                                                                         \
    } while (0)

static void settle(struct profile_words *s, const addresses *locks)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct profile_word *word = &s->words[i];
        if (word->space >= PROFILE_READERS && !is_among(locks, word->address))
            *word = (struct profile_word){.address = word->address, .space = word->space};
        word->space %= PROFILE_READERS;
    }
    SETTLE_LOG(s->sections, s->section_count, locks);
    SETTLE_LOG(s->unfinished, s->unfinished_count, locks);
    SETTLE_LOG(s->lone, s->lone_count, locks);
}

void profile_words_settle(struct profile_words *const *states, uint32_t sms)
{
    addresses locks = {0};
    bool any = false;
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->count; i++) {
            const struct profile_word *word = &states[sm]->words[i];
            any |= word->space >= PROFILE_READERS;
            if (word->space == LOCKSTEP_GLOBAL && word->counts[PROFILE_WORD_given])
                vec_push(&locks, word->address);
        }
    if (locks.count)
        qsort(locks.items, locks.count, sizeof *locks.items, by_number);
    for (uint32_t sm = 0; sm < sms && any; sm++)
        settle(states[sm], &locks);
    vec_free(&locks);
}

/* Words */

static int by_address(const void *a, const void *b)
{
    const struct profile_word *x = a, *y = b;
    int spaces = profile_order(x->space, y->space);
    return spaces ? spaces : profile_order(x->address, y->address);
}

/* For order_sort: as by_address, but for the last three bits. */
static uint64_t address_of(const void *word)
{
    return (uint64_t)((const struct profile_word *)word)->space << 61 |
           ((const struct profile_word *)word)->address >> 3;
}

static void add_word(struct profile_word *to, const struct profile_word *from)
{
    uint64_t most = to->counts[PROFILE_WORD_held_most], other = from->counts[PROFILE_WORD_held_most];
    for (unsigned i = 0; i < PROFILE_WORD_COUNTS; i++)
        to->counts[i] += from->counts[i];
    to->counts[PROFILE_WORD_held_most] = most > other ? most : other;
}

/* Adds the counts that a word of an SM has of instruction n of those that take it. */
static void add_take(struct profile_word *to, unsigned n, const struct profile_word *from)
{
    for (unsigned i = 0; i < PROFILE_WORD_PCS; i++)
        for (unsigned c = 0; c < PROFILE_TAKE_COUNTS && from->takes[i] == to->takes[n]; c++)
            to->by_take[n][c] += from->by_take[i][c];
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
    for (unsigned n = 0; n < PROFILE_WORD_PCS && to->takes[n]; n++)
        for (size_t i = 0; i < count; i++)
            add_take(to, n, &of[i]);
}

/* The words of all SMs, each once, by address. */
static void add_words(struct profile_word_list *list, const struct profile_words *const *states, uint32_t sms)
{
    VEC(struct profile_word) all = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->count; i++)
            vec_push(&all, states[sm]->words[i]);
    order_sort(all.items, all.count, sizeof *all.items, address_of, by_address);
    list->of = base_calloc(all.count + 1, sizeof *list->of);
    for (size_t first = 0, end; first < all.count; first = end) {
        struct profile_word *word = &list->of[list->count++].word;
        *word = (struct profile_word){.address = all.items[first].address, .space = all.items[first].space};
        for (end = first; end < all.count && !by_address(word, &all.items[end]); end++)
            add_word(word, &all.items[end]);
        add_pcs(word, &all.items[first], end - first);
        if (!word->counts[PROFILE_WORD_attempts]) /* it was looked at alone */
            list->of[--list->count] = (struct profile_word_sum){0};
    }
    vec_free(&all);
}

/* Sections */

/* A section as it counts here. place: words of shared memory are apart by SM and block; 0 for others. */
struct section {
    uint64_t taken, given, since, place;
    uint32_t word; /* its number in the list */
};
struct sections {
    VEC(struct section) of;
    bool places; /* some have one */
};

static bool same_place(const struct section *a, const struct section *b)
{
    return a->word == b->word && a->place == b->place;
}

static int by_time(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    int differ = profile_order(x->word, y->word);
    differ = differ ? differ : profile_order(x->place, y->place);
    differ = differ ? differ : profile_order(x->taken, y->taken);
    return differ ? differ : profile_order(x->given, y->given);
}

static uint64_t key_of_word(const void *section)
{
    return ((const struct section *)section)->word;
}

static uint64_t key_of_time(const void *section)
{
    return profile_time_key(((const struct section *)section)->word, ((const struct section *)section)->taken);
}

static int by_since(const void *a, const void *b)
{
    return profile_order(((const struct section *)a)->since, ((const struct section *)b)->since);
}

static uint64_t key_of_since(const void *section)
{
    return ((const struct section *)section)->since;
}

/* Adds the handovers of a word, whose sections are in the order of taking. */
static void add_handovers(struct profile_word_sum *sum, const struct section *of, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t given = of[i - 1].given;
        if (of[i].since >= given || of[i].taken < given)
            continue;
        sum->handed += of[i].taken - given;
        sum->handovers++;
    }
}

/* Counts those that have begun to wait against those that have taken the word. Sorts the sections by `since`. */
static void add_most_waited(struct profile_word_sum *sum, struct section *of, size_t count)
{
    uint64_t *taken = base_malloc((count + 1) * sizeof *taken);
    uint32_t waiting = 0;
    for (size_t i = 0; i < count; i++)
        taken[i] = of[i].taken;
    order_sort(of, count, sizeof *of, key_of_since, by_since);
    for (size_t i = 0, ended = 0; i < count; i++) {
        waiting++;
        while (ended < count && taken[ended] <= of[i].since) {
            waiting -= waiting > 0;
            ended++;
        }
        if (waiting > sum->most_waited)
            sum->most_waited = waiting;
    }
    free(taken);
}

/* The sections of all SMs whose words are in the list. */
static void collect(struct sections *all, const struct profile_word_list *list,
                    const struct profile_words *const *states, uint32_t sms)
{
    struct graph_index index = graph_index_of(list, UINT32_MAX);
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->section_count; i++) {
            const struct profile_section *of = &states[sm]->sections[i];
            uint64_t place = of->space == LOCKSTEP_SHARED ? (uint64_t)sm << 32 | of->block : 0;
            uint32_t word = graph_index_find(&index, of->address, of->space);
            all->places |= place != 0;
            if (word != UINT32_MAX)
                vec_push(&all->of, (struct section){of->taken, of->given, of->since, place, word});
        }
    graph_index_free(&index);
}

static void add_sections(struct profile_word_list *list, const struct profile_words *const *states, uint32_t sms)
{
    struct sections all = {0};
    collect(&all, list, states, sms);
    struct section *of = all.of.items;
    size_t count = all.of.count;
    order_sort(of, count, sizeof *of, all.places ? key_of_word : key_of_time, by_time);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_place(&of[first], &of[end]);)
            end++;
        add_handovers(&list->of[of[first].word], &of[first], end - first);
        add_most_waited(&list->of[of[first].word], &of[first], end - first);
    }
    vec_free(&all.of);
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
