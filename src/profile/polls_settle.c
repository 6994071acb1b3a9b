/* Words that compare-and-swaps polled are among those that exclude threads, too, since each is an attempt. Here each
 * goes to the list to which it belongs: see polls.h. */
#include <stdbool.h>
#include <stdlib.h>

#include "isa/mod_values.h"
#include "profile/graph_parts.h"
#include "profile/polls_sm.h"
#include "profile/words_sm.h"

#define NO_WORD UINT32_MAX

static bool is_swap(const struct isa_module *module, uint32_t pc)
{
    const struct isa_instr *instr = &module->instrs[pc];
    bool atomic = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_ATOMIC;
    return atomic && instr->mods.atomic == ISA_ATOMIC_CAS;
}

/* Of the instructions that polled the word, compare-and-swaps are all, or (some) one at the least. */
static bool by_swaps(const struct isa_module *module, const struct profile_poll *poll, bool some)
{
    for (unsigned i = 0; i < PROFILE_POLL_PCS && poll->polled_at[i]; i++)
        if (is_swap(module, poll->polled_at[i] - 1) == some)
            return some;
    return !some;
}

/* Some compare-and-swap took the word. */
static bool was_swapped(const struct isa_module *module, const struct profile_word *word)
{
    for (unsigned i = 0; i < PROFILE_WORD_PCS && word->takes[i]; i++)
        if (is_swap(module, word->takes[i] - 1))
            return true;
    return false;
}

/* Threads exclude each other by a word that is polled, too: somebody gave it back; or compare-and-swaps take it, and
 * nothing else polls it. Otherwise it is a flag, whatever sets it. */
static bool is_lock(const struct isa_module *module, const struct profile_word *word, const struct profile_poll *poll)
{
    return word->counts[PROFILE_WORD_given] || (was_swapped(module, word) && by_swaps(module, poll, false));
}

/* True: threads attempted the word over and over, and nobody ever changed it so. */
static bool only_looked_at(const struct profile_word *word)
{
    return !word->counts[PROFILE_WORD_taken] &&
           word->counts[PROFILE_WORD_attempts] > word->counts[PROFILE_WORD_waiters];
}

/* True of a polled word for which nobody waits by attempts that could take it: a flag. */
static bool waits_by_looks(const struct profile_word *word)
{
    return word->counts[PROFILE_WORD_failed] + word->counts[PROFILE_WORD_failed_inside] == 0 || only_looked_at(word);
}

/* Attempts are told of as such. */
static void note_looks(struct profile_word_sum *word, const struct profile_poll *poll, const struct isa_module *module)
{
    for (unsigned i = 0; i < PROFILE_POLL_PCS && poll->polled_at[i]; i++)
        if (!is_swap(module, poll->polled_at[i] - 1))
            profile_pcs_note(word->looked_at, PROFILE_WORD_PCS, poll->polled_at[i]);
}

/* Takes polls of locks out of the list. leaves: by word, set for those that are polled and no locks. */
static void settle_polls(struct profile_poll_list *polls, struct profile_word_list *words,
                         const struct isa_module *module, bool *leaves)
{
    struct graph_index index = graph_index_of(words, UINT32_MAX);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < polls->count; i++) {
        const struct profile_poll *poll = &polls->of[i].poll;
        uint32_t at = graph_index_find(&index, poll->address, poll->space);
        const struct profile_word *word = at != NO_WORD ? &words->of[at].word : NULL;
        if (word && is_lock(module, word, poll)) { /* its waits have the looks */
            note_looks(&words->of[at], poll, module);
            continue;
        }
        if (word && (by_swaps(module, poll, true) || waits_by_looks(word)))
            leaves[at] = true;
        polls->of[kept++] = polls->of[i];
    }
    polls->count = kept;
    graph_index_free(&index);
}

/* What attempts that all failed are as looks. */
static struct profile_poll_sum looks_of(const struct profile_word *word)
{
    const uint64_t *n = word->counts;
    struct profile_poll_sum sum = {.poll = {.address = word->address, .space = word->space}};
    sum.poll.counts[PROFILE_POLL_polls] = n[PROFILE_WORD_attempts] - n[PROFILE_WORD_waiters];
    sum.poll.counts[PROFILE_POLL_waits] = n[PROFILE_WORD_waiters];
    sum.poll.counts[PROFILE_POLL_waited] = n[PROFILE_WORD_waited];
    sum.poll.counts[PROFILE_POLL_warps_waited] = n[PROFILE_WORD_warps_waited];
    return sum;
}

/* The instructions by which threads attempted the words that leave as polls; becomes: by word, its number among those
 * + 1. */
static void note_attempts(struct profile_poll_sum *polls, const uint32_t *becomes,
                          const struct profile_word_list *words, const struct profile_words *const *logs, uint32_t sms)
{
    struct graph_index index = graph_index_of(words, UINT32_MAX);
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < logs[sm]->lone_count; i++) {
            const struct profile_lone_wait *wait = &logs[sm]->lone[i];
            uint32_t at = graph_index_find(&index, wait->address, wait->space);
            if (at != NO_WORD && becomes[at])
                profile_pcs_note(polls[becomes[at] - 1].poll.polled_at, PROFILE_POLL_PCS, wait->at + 1);
        }
    graph_index_free(&index);
}

/* Adds words to the polls that are not there, and leave for that: those that nothing but compare-and-swaps attempted.
 */
static void add_looks(struct profile_poll_list *polls, const struct profile_word_list *words,
                      const struct profile_words *const *logs, uint32_t sms, const struct isa_module *module,
                      bool *leaves)
{
    uint32_t *becomes = base_calloc(words->count + 1, sizeof *becomes);
    struct profile_poll_sum *all = base_calloc((size_t)polls->count + words->count + 1, sizeof *all);
    uint32_t count = 0, kept;
    for (; count < polls->count; count++)
        all[count] = polls->of[count];
    kept = count;
    for (uint32_t i = 0; i < words->count; i++)
        if (!leaves[i] && only_looked_at(&words->of[i].word)) {
            all[count++] = looks_of(&words->of[i].word);
            becomes[i] = count;
        }
    note_attempts(all, becomes, words, logs, sms);
    for (uint32_t i = 0; i < words->count; i++) {
        const struct profile_poll_sum *sum = becomes[i] ? &all[becomes[i] - 1] : NULL;
        leaves[i] |= sum && sum->poll.polled_at[0] && by_swaps(module, &sum->poll, false);
        if (sum && leaves[i])
            all[kept++] = *sum;
    }
    free(polls->of);
    free(becomes);
    polls->of = all;
    polls->count = kept;
}

/* Compare-and-swaps that polled the word never wrote it. */
static void add_writes(struct profile_poll_sum *sum, const struct profile_polls *const *states, uint32_t sms)
{
    struct profile_poll_sum all = {.poll = sum->poll};
    profile_polls_add_writes(&all, states, sms);
    for (unsigned i = 0; i < PROFILE_POLL_PCS && all.written_at[i]; i++) {
        bool polls = false;
        for (unsigned n = 0; n < PROFILE_POLL_PCS; n++)
            polls |= sum->poll.polled_at[n] == all.written_at[i];
        if (!polls)
            profile_pcs_note(sum->written_at, PROFILE_POLL_PCS, all.written_at[i]);
    }
}

void profile_polls_settle(struct profile_poll_list *polls, struct profile_word_list *words,
                          const struct profile_words *const *logs, const struct profile_polls *const *states,
                          uint32_t sms, const struct isa_module *module)
{
    bool *leaves = base_calloc(words->count + 1, sizeof *leaves);
    uint32_t kept = 0, known;
    settle_polls(polls, words, module, leaves);
    known = polls->count;
    add_looks(polls, words, logs, sms, module, leaves);
    for (uint32_t i = known; i < polls->count; i++)
        add_writes(&polls->of[i], states, sms);
    if (polls->count > known)
        qsort(polls->of + known, polls->count - known, sizeof *polls->of, profile_poll_by_address);
    polls->unlogged += profile_polls_hand_over(polls->of + known, polls->count - known, states, logs, sms);
    for (uint32_t i = 0; i < words->count; i++)
        if (!leaves[i])
            words->of[kept++] = words->of[i];
    words->count = kept;
    free(leaves);
    profile_polls_order(polls);
}
