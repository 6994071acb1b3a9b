/* How long it took until threads that polled a word went on when another one had written it. An SM knows when its own
 * threads waited and wrote; here they meet, when the kernel has ended. */
#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "profile/polls_sm.h"
#include "profile/words_sm.h"

/* A wait, or a write. place: words of shared memory are apart by SM and block; 0 for others. */
struct moment {
    uint64_t place;
    uint64_t cycle;
    uint64_t since; /* of waits */
    uint32_t word;  /* its number among the sums */
};
struct moments {
    VEC(struct moment) of;
    bool places; /* some have one */
};

static int by_place(const struct moment *x, const struct moment *y)
{
    int differ = profile_order(x->word, y->word);
    return differ ? differ : profile_order(x->place, y->place);
}

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    int differ = by_place(x, y);
    return differ ? differ : profile_order(x->cycle, y->cycle);
}

static int by_begin(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    int differ = by_place(x, y);
    return differ ? differ : profile_order(x->since, y->since);
}

static uint64_t key_of_word(const void *moment)
{
    return ((const struct moment *)moment)->word;
}

static uint64_t key_of_time(const void *moment)
{
    return profile_time_key(((const struct moment *)moment)->word, ((const struct moment *)moment)->cycle);
}

static uint64_t key_of_begin(const void *moment)
{
    return profile_time_key(((const struct moment *)moment)->word, ((const struct moment *)moment)->since);
}

static void sort_by_time(struct moments *m)
{
    order_sort(m->of.items, m->of.count, sizeof *m->of.items, m->places ? key_of_word : key_of_time, by_time);
}

struct sums {
    struct profile_poll_sum *of;
    uint32_t count;
};

/* The number of a word; UINT32_MAX: it is not among them. */
static uint32_t find(const struct sums *sums, uint64_t address, uint32_t space)
{
    const struct profile_poll word = {.address = address, .space = space};
    const struct profile_poll_sum *found =
        bsearch(&word, sums->of, sums->count, sizeof *sums->of, profile_poll_by_address);
    return found ? (uint32_t)(found - sums->of) : UINT32_MAX;
}

/* word: as profile_written says it; block: slot, of shared memory. */
static void add(struct moments *to, const struct sums *sums, uint64_t word, uint32_t sm, uint32_t block,
                struct moment moment)
{
    uint32_t space = (uint32_t)(word >> 60);
    moment.word = find(sums, profile_written(word, space), space);
    moment.place = space == LOCKSTEP_SHARED ? (uint64_t)sm << 32 | block : 0;
    if (moment.word == UINT32_MAX)
        return;
    to->places |= moment.place != 0;
    vec_push(&to->of, moment);
}

/* Waits of polls. */
static void add_waits(struct moments *waits, const struct sums *sums, const struct profile_polls *s, uint32_t sm)
{
    for (uint32_t i = 0; i < s->wait_count; i++)
        add(waits, sums, s->waits[i].word, sm, s->waits[i].block,
            (struct moment){.cycle = s->waits[i].answered, .since = s->waits[i].since});
}

/* Waits of attempts at words of global memory: their log does not know slots of blocks. */
static void add_attempts(struct moments *waits, const struct sums *sums, const struct profile_words *s)
{
    for (uint32_t i = 0; i < s->lone_count; i++)
        if (s->lone[i].space != LOCKSTEP_SHARED)
            add(waits, sums, profile_written(s->lone[i].address, s->lone[i].space), 0, 0,
                (struct moment){.cycle = s->lone[i].until, .since = s->lone[i].from});
}

/* Those of all SMs, in the order of time. */
static struct moments writes_of(const struct sums *sums, const struct profile_polls *const *states, uint32_t sms)
{
    struct moments writes = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < states[sm]->write_count; i++)
            add(&writes, sums, states[sm]->wrote[i].word, sm, states[sm]->wrote[i].block,
                (struct moment){.cycle = states[sm]->wrote[i].cycle});
    sort_by_time(&writes);
    return writes;
}

/* The last write of the wait's word until the wait ended; NULL: there was none. */
static const struct moment *last_write(const struct moments *writes, const struct moment *wait)
{
    size_t low = 0, high = writes->of.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_time(&writes->of.items[middle], wait) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct moment *last = low ? &writes->of.items[low - 1] : NULL;
    return last && !by_place(last, wait) ? last : NULL;
}

/* The first cycle in which a write may be missing in some log. */
static uint64_t known_until(const struct profile_polls *const *states, uint32_t sms)
{
    uint64_t cycle = UINT64_MAX;
    for (uint32_t sm = 0; sm < sms; sm++)
        if (states[sm]->unlogged_at && states[sm]->unlogged_at < cycle)
            cycle = states[sm]->unlogged_at;
    return cycle;
}

/* Counts those that have begun to wait against those whose wait has ended. ends: the same waits by their ends. */
static void add_most_waited(struct profile_poll_sum *of, const struct moment *begins, const struct moment *ends,
                            size_t count)
{
    uint32_t waiting = 0;
    for (size_t i = 0, ended = 0; i < count; i++) {
        bool other = !i || by_place(&begins[i], &begins[i - 1]);
        waiting = other ? 1 : waiting + 1;
        ended = other ? i : ended;
        for (; ended < i && ends[ended].cycle <= begins[i].since; ended++)
            waiting--;
        uint32_t *most = &of[begins[i].word].most_waited;
        *most = waiting > *most ? waiting : *most;
    }
}

/* Sorts the waits. */
static void find_most_waited(struct profile_poll_sum *of, struct moments *waits)
{
    size_t count = waits->of.count;
    struct moment *begins = base_malloc((count + 1) * sizeof *begins);
    sort_by_time(waits);
    for (size_t i = 0; i < count; i++)
        begins[i] = waits->of.items[i];
    order_sort(begins, count, sizeof *begins, waits->places ? key_of_word : key_of_begin, by_begin);
    add_most_waited(of, begins, waits->of.items, count);
    free(begins);
}

uint64_t profile_polls_hand_over(struct profile_poll_sum *of, uint32_t count, const struct profile_polls *const *states,
                                 const struct profile_words *const *logs, uint32_t sms)
{
    struct sums sums = {of, count};
    if (!count)
        return 0;
    struct moments waits = {0}, writes = writes_of(&sums, states, sms);
    uint64_t known = known_until(states, sms), missing = 0;
    for (uint32_t sm = 0; sm < sms; sm++) {
        missing += logs ? 0 : states[sm]->unlogged;
        if (logs)
            add_attempts(&waits, &sums, logs[sm]);
        else
            add_waits(&waits, &sums, states[sm], sm);
    }
    for (size_t i = 0; i < waits.of.count; i++) {
        const struct moment *wait = &waits.of.items[i], *write = last_write(&writes, wait);
        struct profile_poll_sum *sum = &of[wait->word];
        missing += wait->cycle >= known;
        if (wait->cycle >= known || !write || write->cycle < wait->since)
            continue;
        sum->handovers++;
        sum->handed += wait->cycle - write->cycle;
    }
    find_most_waited(of, &waits);
    vec_free(&waits.of);
    vec_free(&writes.of);
    return missing;
}
