/* Brings the polled words of SMs together: see polls.h. */
#include <stdlib.h>

#include "base/vec.h"
#include "isa/mod_values.h"
#include "profile/polls_sm.h"

const char *profile_poll_name(unsigned count)
{
    static const char *const names[] = {
#define PROFILE_POLL(name, doc) #name,
#include "profile/polls.def"
#undef PROFILE_POLL
    };
    return names[count];
}

int profile_poll_by_address(const void *a, const void *b)
{
    const struct profile_poll *x = a, *y = b;
    int spaces = profile_order(x->space, y->space);
    return spaces ? spaces : profile_order(x->address, y->address);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_poll_sum *x = a, *y = b;
    int differ = profile_order(y->poll.counts[PROFILE_POLL_warps_waited], x->poll.counts[PROFILE_POLL_warps_waited]);
    return differ ? differ : profile_poll_by_address(&x->poll, &y->poll);
}

static void add_word(struct profile_poll *to, const struct profile_poll *from)
{
    for (unsigned i = 0; i < PROFILE_POLL_COUNTS; i++)
        to->counts[i] += from->counts[i];
    profile_pcs_add(to->polled_at, PROFILE_POLL_PCS, from->polled_at, PROFILE_POLL_PCS);
}

/* The words of all SMs, each once, by address. */
static void add_words(struct profile_poll_list *list, const struct profile_polls *const *states, uint32_t sms)
{
    VEC(struct profile_poll) all = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->count; i++)
            vec_push(&all, states[sm]->words[i]);
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, profile_poll_by_address);
    list->of = base_calloc(all.count + 1, sizeof *list->of);
    for (size_t i = 0; i < all.count; i++) {
        bool again = list->count && !profile_poll_by_address(&list->of[list->count - 1].poll, &all.items[i]);
        if (!again)
            list->of[list->count++].poll =
                (struct profile_poll){.address = all.items[i].address, .space = all.items[i].space};
        add_word(&list->of[list->count - 1].poll, &all.items[i]);
    }
    vec_free(&all);
}

void profile_polls_add_writes(struct profile_poll_sum *sum, const struct profile_polls *const *states, uint32_t sms)
{
    for (uint32_t sm = 0; sm < sms; sm++) {
        const uint32_t *writes = profile_writes_of(states[sm], sum->poll.address, sum->poll.space);
        if (writes)
            profile_pcs_add(sum->written_at, PROFILE_POLL_PCS, writes, PROFILE_WRITE_PCS);
    }
}

void profile_polls_order(struct profile_poll_list *list)
{
    if (list->count)
        qsort(list->of, list->count, sizeof *list->of, by_cost);
}

struct profile_poll_list profile_polls_gather(const struct profile_polls *const *states, uint32_t sms)
{
    struct profile_poll_list list = {0};
    add_words(&list, states, sms);
    for (uint32_t sm = 0; sm < sms; sm++)
        list.unlisted += states[sm]->unlisted;
    for (uint32_t i = 0; i < list.count; i++)
        profile_polls_add_writes(&list.of[i], states, sms);
    list.unlogged = profile_polls_hand_over(list.of, list.count, states, NULL, sms);
    profile_polls_order(&list);
    return list;
}

/* A wait for a word. */
static int by_word(const void *a, const void *b)
{
    const struct profile_meeting_wait *x = a, *y = b;
    int word = profile_order(x->word, y->word), until = profile_order(x->until, y->until);
    return word ? word : until ? until : profile_order(x->since, y->since);
}

void profile_polls_meet(struct profile_poll_list *list, const struct profile_comings_list *comings,
                        const struct profile_polls *const *states, uint32_t sms)
{
    VEC(struct profile_meeting_wait) waits = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->wait_count; i++) {
            const struct profile_poll_wait *wait = &states[sm]->waits[i];
            vec_push(&waits, (struct profile_meeting_wait){wait->word, wait->since, wait->answered});
        }
    if (waits.count)
        qsort(waits.items, waits.count, sizeof *waits.items, by_word);
    for (uint32_t i = 0; i < list->count && i < PROFILE_POLLS_MEET; i++) {
        const struct profile_poll *poll = &list->of[i].poll;
        uint64_t word = profile_written(poll->address, poll->space);
        size_t from = 0, until;
        while (from < waits.count && waits.items[from].word != word)
            from++;
        for (until = from; until < waits.count && waits.items[until].word == word;)
            until++;
        if (poll->space != LOCKSTEP_SHARED && until > from)
            list->of[i].ended = profile_comings_for(comings, waits.items + from, until - from);
    }
    vec_free(&waits);
}

/* Adds the instructions by which an SM writes a word, but for those that take it. */
static void add_other_writes(struct profile_word_sum *sum, const struct profile_polls *state,
                             const struct isa_module *module)
{
    const struct profile_word *word = &sum->word;
    const uint32_t *writes = profile_writes_of(state, word->address, word->space);
    for (unsigned i = 0; writes && i < PROFILE_WRITE_PCS && writes[i]; i++) {
        const struct isa_instr *instr = &module->instrs[writes[i] - 1];
        bool atomic = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_ATOMIC;
        bool takes = atomic && instr->mods.atomic == ISA_ATOMIC_CAS;
        for (unsigned n = 0; n < PROFILE_WORD_PCS; n++)
            takes |= word->takes[n] == writes[i];
        if (!takes)
            profile_pcs_note(sum->written_at, PROFILE_WORD_PCS, writes[i]);
    }
}

void profile_polls_find_writes(const struct profile_polls *const *states, uint32_t sms, const struct isa_module *module,
                               struct profile_word_list *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        for (uint32_t sm = 0; sm < sms && !words->of[i].word.counts[PROFILE_WORD_given]; sm++)
            add_other_writes(&words->of[i], states[sm], module);
}

void profile_polls_free(struct profile_poll_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        profile_meeting_free(&list->of[i].ended);
        free(list->of[i].name);
    }
    free(list->of);
    *list = (struct profile_poll_list){0};
}
