/* Words in one line, from accesses that are made here: which are found, and what is counted of them over SMs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/sharing_sm.h"

#define LOCK 0x1000
#define LINE 128

static struct profile_sharing *fresh(void)
{
    struct profile_sharing *s = calloc(1, profile_sharing_bytes());
    assert_non_null(s);
    return s;
}

static void access_as(struct profile_sharing *s, uint64_t address, enum lockstep_class class, enum lockstep_space space,
                      uint32_t pc)
{
    uint64_t addresses[64] = {[1] = address + LINE, [4] = address};
    profile_sharing_access(
        s,
        &(struct lockstep_access_event){
            .pc = pc, .instruction_class = class, .space = space, .bytes = 4, .mask = 1u << 4, .address = addresses});
}

static void load(struct profile_sharing *s, uint64_t address)
{
    access_as(s, address, LOCKSTEP_LOAD, LOCKSTEP_GLOBAL, 3);
}

static void store(struct profile_sharing *s, uint64_t address)
{
    access_as(s, address, LOCKSTEP_STORE, LOCKSTEP_GLOBAL, 5);
}

/* Words and polls at those addresses, 0 ends; waited: of the first one, each next one's is 1 less. */
struct lists {
    struct profile_word_sum word_sums[4];
    struct profile_poll_sum poll_sums[4];
    struct profile_word_list words;
    struct profile_poll_list polls;
};

static struct lists *lists_of(const uint64_t *words, const uint64_t *polls)
{
    struct lists *l = calloc(1, sizeof *l);
    assert_non_null(l);
    for (; *words; words++) {
        struct profile_word *word = &l->word_sums[l->words.count++].word;
        *word = (struct profile_word){.address = *words, .space = LOCKSTEP_GLOBAL};
        word->counts[PROFILE_WORD_waiters] = 1;
        word->counts[PROFILE_WORD_attempts] = 10;
        word->counts[PROFILE_WORD_warps_waited] = 100 - l->words.count;
    }
    for (; *polls; polls++) {
        struct profile_poll *poll = &l->poll_sums[l->polls.count++].poll;
        *poll = (struct profile_poll){.address = *polls, .space = LOCKSTEP_GLOBAL};
        poll->counts[PROFILE_POLL_polls] = 7;
        poll->counts[PROFILE_POLL_warps_waited] = 40;
    }
    l->words.of = l->word_sums;
    l->polls.of = l->poll_sums;
    return l;
}

static const uint64_t none[] = {0};

static void test_data(void **state)
{
    (void)state;
    struct profile_sharing *sms[2] = {fresh(), fresh()};
    for (unsigned i = 0; i < 3; i++)
        store(sms[0], LOCK + LINE - 4);
    load(sms[1], LOCK + LINE - 4);
    load(sms[1], LOCK + 8);
    load(sms[1], LOCK);
    load(sms[1], LOCK + LINE);
    load(sms[1], LOCK - 4);
    access_as(sms[1], LOCK + 12, LOCKSTEP_STORE, LOCKSTEP_SHARED, 9);
    struct lists *l = lists_of((const uint64_t[]){LOCK, LOCK + 2 * LINE, 0}, none);
    struct profile_shared_list list =
        profile_sharing_gather((const struct profile_sharing *const *)sms, 2, &l->words, &l->polls, LINE);
    assert_int_equal(list.count, 1);
    const struct profile_shared_line *line = &list.of[0];
    assert_int_equal(line->address, LOCK);
    assert_int_equal(line->waited, 99);
    assert_int_equal(line->sync_count, 1);
    assert_int_equal(line->sync_accesses, 10);
    assert_int_equal(line->data_count, 2);
    assert_int_equal(line->data_accesses, 5);
    assert_int_equal(line->sms, 2);
    const struct profile_shared_data *data = &line->data[0];
    assert_int_equal(data->address, LOCK + LINE - 4);
    assert_int_equal(data->writes, 3);
    assert_int_equal(data->reads, 1);
    assert_int_equal(data->sms, 2);
    assert_int_equal(data->at, 5);
    assert_int_equal(line->data[1].sms, 1);
    profile_sharing_free(&list);
    free(l);
    free(sms[0]);
    free(sms[1]);
}

/* Locks and polled words beside each other; one that is both is one word. */
static void test_syncs(void **state)
{
    (void)state;
    struct profile_sharing *s = fresh();
    struct lists *l = lists_of((const uint64_t[]){LOCK + 4, LOCK + 16, 0}, (const uint64_t[]){LOCK, LOCK + 16, 0});
    struct profile_shared_list list =
        profile_sharing_gather((const struct profile_sharing *const[]){s}, 1, &l->words, &l->polls, LINE);
    assert_int_equal(list.count, 1);
    const struct profile_shared_line *line = &list.of[0];
    assert_int_equal(line->sync_count, 3);
    assert_int_equal(line->data_count, 0);
    assert_int_equal(line->waited, 99 + 98 + 40 + 40);
    assert_int_equal(line->sync[0].address, LOCK + 16);
    assert_int_equal(line->sync[0].accesses, 17);
    assert_false(line->sync[0].polled);
    assert_int_equal(line->sync[1].address, LOCK + 4);
    assert_true(line->sync[2].polled);
    profile_sharing_free(&list);
    free(l);
    free(s);
}

/* A piece that is accessed over and over keeps its place against a stream of others. */
static void test_heat(void **state)
{
    (void)state;
    struct profile_sharing *s = fresh();
    for (uint64_t i = 0; i < 4 * PROFILE_PIECES; i++) {
        store(s, LOCK + 4);
        store(s, 0x100000 + i * PROFILE_PIECE);
    }
    struct lists *l = lists_of((const uint64_t[]){LOCK, 0}, none);
    struct profile_shared_list list =
        profile_sharing_gather((const struct profile_sharing *const[]){s}, 1, &l->words, &l->polls, LINE);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.of[0].data[0].writes, 4 * PROFILE_PIECES);
    profile_sharing_free(&list);
    free(l);
    free(s);
}

/* The next piece behind an address that belongs to the same pair of places. */
static uint64_t rival_of(uint64_t address)
{
    uint32_t pair = profile_piece_pair(address);
    do
        address += PROFILE_PIECE;
    while (profile_piece_pair(address) != pair);
    return address;
}

/* Of two that have both places of a pair, the one that was accessed less gives way, when as many others have come. */
static void test_rivals(void **state)
{
    (void)state;
    struct profile_sharing *s = fresh();
    uint64_t rival = rival_of(LOCK), other = rival_of(rival);
    struct lists *l = lists_of((const uint64_t[]){LOCK, 0}, none);
    for (unsigned i = 0; i < 8; i++)
        store(s, rival);
    for (unsigned i = 0; i < 3; i++)
        store(s, LOCK + 4);
    for (uint32_t left = 2;; left--) {
        store(s, other);
        struct profile_shared_list list =
            profile_sharing_gather((const struct profile_sharing *const[]){s}, 1, &l->words, &l->polls, LINE);
        assert_int_equal(list.count, left > 0);
        profile_sharing_free(&list);
        if (!left)
            break;
    }
    free(l);
    free(s);
}

/* A piece that was accessed once gives way. */
static void test_cold(void **state)
{
    (void)state;
    struct profile_sharing *s = fresh();
    store(s, LOCK + 4);
    for (uint64_t i = 0; i < 64 * PROFILE_PIECES; i++)
        store(s, 0x100000 + i * PROFILE_PIECE);
    struct lists *l = lists_of((const uint64_t[]){LOCK, 0}, none);
    struct profile_shared_list list =
        profile_sharing_gather((const struct profile_sharing *const[]){s}, 1, &l->words, &l->polls, LINE);
    assert_int_equal(list.count, 0);
    profile_sharing_free(&list);
    free(l);
    free(s);
}

/* A warp whose lanes access addresses in steps, at once or in two halves. */
static void access_row(struct profile_sharing *s, uint64_t address, uint64_t step, enum lockstep_class class,
                       bool halves)
{
    uint64_t addresses[64] = {0};
    struct lockstep_access_event e = {.pc = 7,
                                      .instruction_class = class,
                                      .space = LOCKSTEP_GLOBAL,
                                      .bytes = 4,
                                      .mask = UINT32_MAX,
                                      .address = addresses};
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = address + lane * step;
    if (address % 5 == 0)
        addresses[29] += 1024; /* out of step */
    for (unsigned part = 0; part < 2; part++) {
        e.mask = halves ? UINT64_C(0xffff) << 16 * part : UINT32_MAX;
        if (halves || part)
            profile_sharing_access(s, &e);
    }
}

/* Accesses of a whole warp count as those of its lanes one by one. */
static void test_rows(void **state)
{
    (void)state;
    static const uint64_t steps[] = {0, 4, 8, 2, 256};
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (uint64_t address = LOCK - 40; address < LOCK + 40; address += address % 3 ? 1 : 3) {
            struct profile_sharing *whole = fresh(), *parts = fresh();
            enum lockstep_class class = address % 2 ? LOCKSTEP_LOAD : LOCKSTEP_STORE;
            for (unsigned again = 0; again < 2; again++) {
                access_row(whole, address, steps[i], class, false);
                access_row(parts, address, steps[i], class, true);
            }
            assert_memory_equal(whole, parts, profile_sharing_bytes());
            free(whole);
            free(parts);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data), cmocka_unit_test(test_syncs),
                                       cmocka_unit_test(test_heat), cmocka_unit_test(test_rivals),
                                       cmocka_unit_test(test_cold), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
