/* Words by which threads exclude each other, from events that are made here: who takes a word, fails, waits, gives it
 * back, and what the states of several SMs say together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "profile/words_sm.h"

#define LOCK 0x1000
#define TAKE_AT 10 /* pc of what takes a lock */
#define GIVE_AT 20

static struct profile_words *fresh(void)
{
    struct profile_words *s = calloc(1, profile_words_bytes());
    assert_non_null(s);
    return s;
}

/* Who does something, and where. */
struct who {
    uint32_t warp, lane, space, block;
    uint64_t address;
};

static struct who lane_at(uint32_t warp, uint32_t lane, uint64_t address)
{
    return (struct who){.warp = warp, .lane = lane, .space = LOCKSTEP_GLOBAL, .address = address};
}

static struct lockstep_atomic_event atomic_of(struct who who, uint64_t cycle, uint32_t pc, uint64_t before,
                                              uint64_t after)
{
    return (struct lockstep_atomic_event){.cycle = cycle,
                                          .warp = who.warp,
                                          .block = who.block,
                                          .pc = pc,
                                          .lane = who.lane,
                                          .space = who.space,
                                          .operation = LOCKSTEP_ATOMIC_EXCHANGE,
                                          .performed = 1,
                                          .address = who.address,
                                          .before = before,
                                          .after = after};
}

/* A compare-and-swap of 0 and 1 is answered: it took the word, or found 1 there. */
static void take(struct profile_words *s, struct who who, uint64_t cycle)
{
    struct lockstep_atomic_event e = atomic_of(who, cycle, TAKE_AT, 0, 1);
    e.operation = LOCKSTEP_ATOMIC_COMPARE_AND_SWAP;
    profile_words_atomic(s, &e);
}

static void miss(struct profile_words *s, struct who who, uint64_t cycle)
{
    struct lockstep_atomic_event e = atomic_of(who, cycle, TAKE_AT, 1, 1);
    e.operation = LOCKSTEP_ATOMIC_COMPARE_AND_SWAP;
    e.performed = 0;
    profile_words_atomic(s, &e);
}

/* An access by that lane; or (turn is false) by another one, while that lane's entries are those of an access before.
 */
static void access_by(struct profile_words *s, struct who who, uint64_t cycle, enum lockstep_class class,
                      uint32_t value, bool turn)
{
    uint64_t address[64] = {0};
    uint32_t data[64] = {0};
    address[who.lane] = who.address;
    data[who.lane] = value;
    profile_words_access(s, &(struct lockstep_access_event){.cycle = cycle,
                                                            .warp = who.warp,
                                                            .block = who.block,
                                                            .pc = GIVE_AT,
                                                            .instruction_class = class,
                                                            .space = who.space,
                                                            .bytes = 4,
                                                            .mask = turn ? BIT64(who.lane) : BIT64(63),
                                                            .address = address,
                                                            .data = data,
                                                            .stride = 4});
}

static void access_as(struct profile_words *s, struct who who, uint64_t cycle, enum lockstep_class class,
                      uint32_t value)
{
    access_by(s, who, cycle, class, value, true);
}

static void store(struct profile_words *s, struct who who, uint64_t cycle, uint32_t value)
{
    access_as(s, who, cycle, LOCKSTEP_STORE, value);
}

/* An exchange with 0 issues in a cycle, and is answered in another. */
static void give(struct profile_words *s, struct who who, uint64_t issued, uint64_t answered)
{
    access_as(s, who, issued, LOCKSTEP_ATOMIC, 0);
    struct lockstep_atomic_event e = atomic_of(who, answered, GIVE_AT + 1, 1, 0);
    profile_words_atomic(s, &e);
}

static struct profile_word_list gather(struct profile_words *s)
{
    return profile_words_gather((const struct profile_words *const[]){s}, 1);
}

static const struct profile_word_sum *word_at(const struct profile_word_list *list, uint64_t address)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->of[i].word.address == address)
            return &list->of[i];
    fail_msg("there is no word at %#llx", (unsigned long long)address);
    return NULL;
}

static void expect_counts(const struct profile_word_list *list, uint64_t address,
                          const uint64_t expected[PROFILE_WORD_COUNTS])
{
    const struct profile_word_sum *sum = word_at(list, address);
    for (unsigned i = 0; i < PROFILE_WORD_COUNTS; i++)
        if (sum->word.counts[i] != expected[i])
            fail_msg("%s of %#llx is %llu, not %llu", profile_word_name(i),
                     (unsigned long long)address, (unsigned long long)sum->word.counts[i],
                     (unsigned long long)expected[i]);
}
/* expect(&list, ADDRESS, .taken = 2, ...): those counts, and 0 of the others. */
#define COUNT(name) [PROFILE_WORD_##name]
#define expect(list, address, ...) expect_counts(list, address, (const uint64_t[PROFILE_WORD_COUNTS]){__VA_ARGS__})

/* By a store or an exchange: held from the answer to the issue. Stores of other values give nothing back; nor does an
 * atomic that leaves another value there. */
static void test_taken_and_given(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who one = lane_at(3, 5, LOCK), other = lane_at(3, 6, LOCK);
    take(s, one, 100);
    store(s, one, 110, 7);
    store(s, other, 120, 7);
    access_by(s, one, 125, LOCKSTEP_STORE, 0, false);
    access_as(s, one, 130, LOCKSTEP_LOAD, 0);
    store(s, one, 150, 0);
    store(s, one, 160, 0);
    take(s, one, 200);
    give(s, one, 230, 290);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 2, COUNT(taken) = 2, COUNT(given) = 2, COUNT(held) = 80,
           COUNT(held_most) = 50);
    const struct profile_word *word = &list.of[0].word;
    assert_int_equal(word->takes[0], TAKE_AT + 1);
    assert_int_equal(word->takes[1], 0);
    assert_int_equal(word->gives[0], GIVE_AT + 1);
    assert_int_equal(word->gives[1], GIVE_AT + 2);
    assert_int_equal(word->gives[2], 0);
    profile_words_free(&list);
    free(s);
}

/* Another thread of the SM gives the word back, by a store or an exchange of the value that the holder found: then the
 * one that took it holds it no more. */
static void test_given_by_others(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who one = lane_at(3, 5, LOCK), other = lane_at(7, 6, LOCK), late = lane_at(4, 1, LOCK);
    take(s, one, 100);
    store(s, other, 120, 64); /* another value, which the set of found ones does not tell from 0 */
    store(s, lane_at(7, 6, LOCK + 4), 125, 0);
    store(s, other, 150, 0);
    take(s, late, 160);
    store(s, one, 165, 0); /* it is no more its own */
    take(s, one, 200);
    give(s, other, 230, 290);
    struct lockstep_atomic_event e = atomic_of(other, 300, GIVE_AT, 0, 9); /* takes it itself */
    profile_words_atomic(s, &e);
    profile_words_forget(s, 7);
    store(s, one, 310, 0);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 4, COUNT(taken) = 4, COUNT(given) = 3, COUNT(given_by_others) = 3,
           COUNT(held) = 50 + 5 + 30, COUNT(held_most) = 50);
    assert_int_equal(s->section_count, 3);
    assert_int_equal(s->sections[1].warp, 4);
    assert_int_equal(s->sections[2].given, 230);
    profile_words_free(&list);
    free(s);
}

/* Two threads hold the word, which found different values there: each has its own put back. */
static void test_two_hold(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who one = lane_at(3, 5, LOCK), two = lane_at(4, 6, LOCK), other = lane_at(7, 6, LOCK);
    take(s, one, 100);
    struct lockstep_atomic_event e = atomic_of(two, 110, TAKE_AT, 1, 2);
    profile_words_atomic(s, &e);
    store(s, other, 120, 0);
    store(s, other, 130, 0);
    store(s, other, 150, 1);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 2, COUNT(taken) = 2, COUNT(given) = 2, COUNT(given_by_others) = 2,
           COUNT(held) = 20 + 40, COUNT(held_most) = 40);
    profile_words_free(&list);
    free(s);
}

/* Words of shared memory at one address are others in other blocks. */
static void test_given_in_another_block(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who one = {1, 0, LOCKSTEP_SHARED, 0, LOCK}, other = {2, 0, LOCKSTEP_SHARED, 1, LOCK};
    take(s, one, 100);
    store(s, other, 120, 0);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 1, COUNT(taken) = 1);
    profile_words_free(&list);
    free(s);
}

/* A lane may give a word back before it knows that it has it: it held it for no time. */
static void test_given_before_it_knows(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who who = lane_at(0, 0, LOCK);
    access_as(s, who, 10, LOCKSTEP_ATOMIC, 1);
    access_as(s, who, 20, LOCKSTEP_ATOMIC, 0);
    take(s, who, 100);
    struct lockstep_atomic_event e = atomic_of(who, 110, GIVE_AT, 1, 0);
    profile_words_atomic(s, &e);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 1, COUNT(taken) = 1, COUNT(given) = 1);
    assert_int_equal(s->sections[0].given, 100);
    profile_words_free(&list);
    free(s);
}

/* Additions are no attempts, whatever they change; but one that puts the value back gives the word back. */
static void test_other_atomics(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who who = lane_at(0, 0, LOCK);
    struct lockstep_atomic_event e = atomic_of(who, 10, 1, 0, 1);
    e.operation = LOCKSTEP_ATOMIC_OTHER;
    profile_words_atomic(s, &e);
    assert_int_equal(s->count, 0);
    take(s, who, 20);
    access_as(s, who, 30, LOCKSTEP_ATOMIC, 0);
    e.cycle = 40, e.before = 1, e.after = 0;
    profile_words_atomic(s, &e);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 1, COUNT(taken) = 1, COUNT(given) = 1, COUNT(held) = 10,
           COUNT(held_most) = 10);
    profile_words_free(&list);
    free(s);
}

/* Failures count apart by whether the warp holds the word itself. Lanes' times are added up; a cycle of a warp counts
 * once, however many of its lanes wait in it. */
static void test_waiting(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who holder = lane_at(0, 0, LOCK), inside = lane_at(0, 1, LOCK), a = lane_at(1, 0, LOCK),
               b = lane_at(1, 9, LOCK);
    take(s, holder, 100);
    miss(s, inside, 100);
    miss(s, a, 110);
    miss(s, b, 130);
    miss(s, a, 150);
    store(s, holder, 160, 0);
    take(s, a, 200);
    miss(s, b, 210);
    store(s, a, 250, 0);
    take(s, b, 300);
    store(s, b, 310, 0);
    take(s, inside, 400);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 9, COUNT(taken) = 4, COUNT(failed) = 3, COUNT(failed_inside) = 2,
           COUNT(given) = 3, COUNT(held) = 60 + 50 + 10, COUNT(held_most) = 60, COUNT(waiters) = 3,
           COUNT(waited) = 300 + 90 + 170, COUNT(warps_waited) = 300 + 190);
    assert_int_equal(list.of[0].handovers, 2);
    assert_int_equal(list.of[0].handed, 40 + 50);
    assert_int_equal(list.of[0].most_waited, 2);
    profile_words_free(&list);
    free(s);
}

/* A lane that turns to another word has waited for the first one until its last attempt there; that is not where the
 * warp's time ends if another lane of it waits for longer. */
static void test_another_word(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who a = lane_at(2, 0, LOCK), b = lane_at(2, 1, LOCK), elsewhere = lane_at(2, 0, LOCK + 4);
    miss(s, a, 10);
    miss(s, b, 20);
    miss(s, a, 30);
    take(s, b, 50);
    miss(s, elsewhere, 90);
    miss(s, elsewhere, 95);
    take(s, a, 130);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 5, COUNT(taken) = 2, COUNT(failed) = 3, COUNT(waiters) = 2,
           COUNT(waited) = 20 + 30, COUNT(warps_waited) = 40);
    expect(&list, LOCK + 4, COUNT(attempts) = 2, COUNT(failed) = 2, COUNT(waiters) = 1, COUNT(waited) = 5,
           COUNT(warps_waited) = 5);
    profile_words_free(&list);
    free(s);
}

/* A slot whose threads are other ones: the old ones waited until their last attempt, and hold nothing any more. */
static void test_forgotten(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    take(s, lane_at(4, 1, LOCK + 4), 5);
    miss(s, lane_at(4, 0, LOCK), 10);
    miss(s, lane_at(4, 1, LOCK), 15);
    miss(s, lane_at(4, 0, LOCK), 40);
    profile_words_forget(s, 4);
    take(s, lane_at(4, 0, LOCK), 1000);
    store(s, lane_at(4, 1, LOCK + 4), 1010, 0);
    profile_words_forget(s, 4);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 4, COUNT(taken) = 1, COUNT(failed) = 3, COUNT(waiters) = 2,
           COUNT(waited) = 30, COUNT(warps_waited) = 30);
    expect(&list, LOCK + 4, COUNT(attempts) = 1, COUNT(taken) = 1);
    profile_words_free(&list);
    free(s);
}

/* Locks inside each other, given back in either order; and words that are taken and never given back. */
static void test_nested(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who a = lane_at(0, 7, LOCK), b = lane_at(0, 7, LOCK + 8), c = lane_at(0, 8, LOCK);
    take(s, a, 10);
    take(s, b, 20);
    miss(s, c, 25);
    store(s, a, 30, 0);
    store(s, b, 60, 0);
    take(s, b, 70);
    take(s, c, 75);
    store(s, b, 80, 0);
    for (uint64_t cycle = 100; cycle < 100 + 2 * PROFILE_WORDS_HELD; cycle++)
        take(s, lane_at(1, 3, LOCK + 16), cycle);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 3, COUNT(taken) = 2, COUNT(failed_inside) = 1, COUNT(given) = 1,
           COUNT(held) = 20, COUNT(held_most) = 20, COUNT(waiters) = 1, COUNT(waited) = 50, COUNT(warps_waited) = 50);
    expect(&list, LOCK + 8, COUNT(attempts) = 2, COUNT(taken) = 2, COUNT(given) = 2, COUNT(held) = 40 + 10,
           COUNT(held_most) = 40);
    expect(&list, LOCK + 16, COUNT(attempts) = 2 * PROFILE_WORDS_HELD, COUNT(taken) = 2 * PROFILE_WORDS_HELD);
    profile_words_free(&list);
    free(s);
}

/* A full table: words for which somebody waited, or that are held, stay, and keep their counts. */
static void test_full_table(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who hot = lane_at(0, 0, LOCK), held = lane_at(1, 0, LOCK + 4);
    miss(s, hot, 1);
    take(s, hot, 2);
    store(s, hot, 3, 0);
    take(s, held, 4);
    for (uint32_t i = 0; i < PROFILE_WORDS_MOST; i++) {
        struct who cool = lane_at(2, 0, LOCK + 0x100 + 4 * i);
        take(s, cool, 10 + i);
        store(s, cool, 10 + i, 0);
    }
    store(s, held, 54, 0);
    assert_int_equal(s->unlisted, PROFILE_WORDS_MOST - 2);
    assert_int_equal(s->count, 4);
    struct profile_word_list list = gather(s);
    expect(&list, LOCK, COUNT(attempts) = 2, COUNT(taken) = 1, COUNT(failed) = 1, COUNT(given) = 1, COUNT(held) = 1,
           COUNT(held_most) = 1, COUNT(waiters) = 1, COUNT(waited) = 1, COUNT(warps_waited) = 1);
    expect(&list, LOCK + 4, COUNT(attempts) = 1, COUNT(taken) = 1, COUNT(given) = 1, COUNT(held) = 50,
           COUNT(held_most) = 50);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.of[0].word.address, LOCK); /* the only one for which a warp waited */
    profile_words_free(&list);
    free(s);
}

/* A table of words that all have to stay takes no more of them, and those go on. */
static void test_table_of_contended_words(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    for (uint32_t i = 0; i < PROFILE_WORDS_MOST + 10; i++)
        miss(s, lane_at(0, 0, LOCK + 4 * i), i);
    take(s, lane_at(0, 0, LOCK), 5000);
    assert_int_equal(s->count, PROFILE_WORDS_MOST);
    assert_true(s->full);
    assert_int_equal(s->unlisted, 10);
    struct profile_word_list list = gather(s);
    assert_int_equal(list.count, PROFILE_WORDS_MOST);
    assert_int_equal(list.unlisted, 10);
    assert_int_equal(word_at(&list, LOCK)->word.counts[PROFILE_WORD_taken], 1);
    profile_words_free(&list);
    free(s);
}

/* A full log of sections: what is counted of words goes on. */
static void test_full_log(void **state)
{
    (void)state;
    struct profile_words *s = fresh();
    struct who who = lane_at(0, 0, LOCK);
    for (uint32_t i = 0; i < PROFILE_SECTIONS + 3; i++) {
        take(s, who, 10 * i);
        store(s, who, 10 * i + 5, 0);
    }
    struct profile_word_list list = gather(s);
    uint64_t all = PROFILE_SECTIONS + 3;
    expect(&list, LOCK, COUNT(attempts) = all, COUNT(taken) = all, COUNT(given) = all, COUNT(held) = 5 * all,
           COUNT(held_most) = 5);
    assert_int_equal(list.unlogged, 3);
    profile_words_free(&list);
    free(s);
}

/* Several SMs: of global memory, handovers go from SM to SM. */
static void test_gather_global(void **state)
{
    (void)state;
    struct profile_words *sms[3] = {fresh(), fresh(), fresh()};
    struct who who = lane_at(0, 0, LOCK);
    take(sms[0], who, 100);
    miss(sms[2], who, 110);
    miss(sms[1], who, 120);
    store(sms[0], who, 200, 0);
    take(sms[1], who, 230);
    store(sms[1], who, 300, 0);
    take(sms[2], who, 370);
    store(sms[2], who, 400, 0);
    take(sms[0], who, 500); /* nobody waited */
    store(sms[0], who, 501, 0);
    struct profile_word_list list = profile_words_gather((const struct profile_words *const *)sms, 3);
    assert_int_equal(list.count, 1);
    expect(&list, LOCK, COUNT(attempts) = 6, COUNT(taken) = 4, COUNT(failed) = 2, COUNT(given) = 4,
           COUNT(held) = 100 + 70 + 30 + 1, COUNT(held_most) = 100, COUNT(waiters) = 2, COUNT(waited) = 110 + 260,
           COUNT(warps_waited) = 110 + 260);
    assert_int_equal(list.of[0].handovers, 2);
    assert_int_equal(list.of[0].handed, 30 + 70);
    assert_int_equal(list.of[0].most_waited, 2);
    assert_int_equal(list.of[0].word.takes[1], 0);
    profile_words_free(&list);
    for (unsigned sm = 0; sm < 3; sm++)
        free(sms[sm]);
}

/* A word of shared memory is one of each block: counts are added up, but nothing is handed from block to block. */
static void test_gather_shared(void **state)
{
    (void)state;
    struct profile_words *sms[2] = {fresh(), fresh()};
    for (uint32_t block = 0; block < 3; block++) {
        struct profile_words *s = sms[block / 2];
        struct who holder = {2 * block, 0, LOCKSTEP_SHARED, block % 2, LOCK}, waiter = holder;
        waiter.warp++;
        uint64_t from = 100 + 10 * block;
        take(s, holder, from);
        miss(s, waiter, from + 1);
        store(s, holder, from + 50, 0);
        take(s, waiter, from + 57);
        store(s, waiter, from + 60, 0);
    }
    take(sms[1], lane_at(9, 0, LOCK), 10); /* another word, though its address is the same */
    struct profile_word_list list = profile_words_gather((const struct profile_words *const *)sms, 2);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.of[0].word.space, LOCKSTEP_SHARED);
    expect(&list, LOCK, COUNT(attempts) = 9, COUNT(taken) = 6, COUNT(failed) = 3, COUNT(given) = 6, COUNT(held) = 159,
           COUNT(held_most) = 50, COUNT(waiters) = 3, COUNT(waited) = 168, COUNT(warps_waited) = 168);
    assert_int_equal(list.of[0].handovers, 3);
    assert_int_equal(list.of[0].handed, 21);
    assert_int_equal(list.of[0].most_waited, 1);
    profile_words_free(&list);
    free(sms[0]);
    free(sms[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken_and_given),
                                       cmocka_unit_test(test_given_by_others),
                                       cmocka_unit_test(test_two_hold),
                                       cmocka_unit_test(test_given_in_another_block),
                                       cmocka_unit_test(test_given_before_it_knows),
                                       cmocka_unit_test(test_other_atomics),
                                       cmocka_unit_test(test_waiting),
                                       cmocka_unit_test(test_another_word),
                                       cmocka_unit_test(test_forgotten),
                                       cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_full_table),
                                       cmocka_unit_test(test_table_of_contended_words),
                                       cmocka_unit_test(test_full_log),
                                       cmocka_unit_test(test_gather_global),
                                       cmocka_unit_test(test_gather_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
