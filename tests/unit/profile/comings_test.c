/* Which block comes last to a barrier of several, from comings that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/comings.h"

#define SMS 3
#define BARRIER 5 /* pc */
#define WORD 0x4000

static struct profile_comings *sms[SMS];

static int begin(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SMS; i++) {
        sms[i] = calloc(1, sizeof *sms[i] + 16 * sizeof(uint16_t));
        assert_non_null(sms[i]);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SMS; i++)
        free(sms[i]);
    return 0;
}

/* The block of an SM comes: its first warp at a cycle, its last one at another; it has then done something, which is
 * number `did` of the counts, for so many cycles since the kernel began. */
static void come(unsigned sm, uint64_t what, uint64_t number, uint64_t first, uint64_t cycle, uint32_t did,
                 uint32_t cycles)
{
    struct profile_coming coming = {.what = what,
                                    .block = sm,
                                    .number = number,
                                    .first = first,
                                    .cycle = cycle,
                                    .pc = BARRIER,
                                    .warp = sm + 1,
                                    .path = {{did, cycles}}};
    sms[sm]->of[sms[sm]->count++] = coming;
}

static struct profile_comings_list *gather(void)
{
    return profile_comings_gather((const struct profile_comings *const *)sms, SMS);
}

/* Two phases of the grid: block 2 is last in one, block 0 in the other. What blocks did counts since the phase before. */
static void test_grid(void **state)
{
    (void)state;
    come(0, PROFILE_COMINGS_GRID, 1, 80, 100, 7, 60);
    come(1, PROFILE_COMINGS_GRID, 1, 90, 120, 7, 70);
    come(2, PROFILE_COMINGS_GRID, 1, 85, 300, 7, 250);
    come(0, PROFILE_COMINGS_GRID, 2, 500, 900, 7, 560);
    come(1, PROFILE_COMINGS_GRID, 2, 410, 420, 7, 90);
    come(2, PROFILE_COMINGS_GRID, 2, 440, 450, 7, 300);
    struct profile_comings_list *list = gather();
    struct profile_meeting meeting = profile_comings_at(list, BARRIER), other = profile_comings_at(list, BARRIER + 1);
    assert_int_equal(other.phases, 0);
    assert_int_equal(meeting.phases, 2);
    assert_int_equal(meeting.spread, (300 - 80) + (900 - 410));
    assert_int_equal(meeting.last_count, 2);
    assert_int_equal(meeting.lasts[0].block, 0);
    assert_int_equal(meeting.lasts[0].sm, 0);
    assert_int_equal(meeting.lasts[0].cycles, 490);
    assert_int_equal(meeting.lasts[1].warp, 3);
    assert_int_equal(meeting.did_count, 1);
    assert_int_equal(meeting.dids[0].last, 250 + 500);
    assert_int_equal(meeting.dids[0].first, 60 + 20);
    profile_meeting_free(&meeting);
    profile_comings_free(list);
}

/* Clusters have phases of their own, of one instruction; what a full log may lack is left out. */
static void test_clusters(void **state)
{
    (void)state;
    come(0, PROFILE_COMINGS_CLUSTER, 1, 10, 20, 7, 1);
    come(1, PROFILE_COMINGS_CLUSTER, 1, 30, 40, 7, 1);
    come(2, PROFILE_COMINGS_CLUSTER | 1, 1, 10, 15, 7, 1);
    come(0, PROFILE_COMINGS_CLUSTER, 2, 100, 110, 7, 1);
    sms[1]->unlogged_at = 105;
    sms[1]->unlogged_number = 2;
    struct profile_comings_list *list = gather();
    struct profile_meeting meeting = profile_comings_at(list, BARRIER);
    assert_int_equal(meeting.phases, 2);
    assert_int_equal(meeting.spread, 30 + 5);
    assert_int_equal(meeting.lasts[0].block, 1);
    profile_meeting_free(&meeting);
    profile_comings_free(list);
}

/* Waits for a word end by the last write before that; a write before they began has ended none. */
static void test_word(void **state)
{
    (void)state;
    come(0, WORD, 0, 100, 100, 7, 50);
    come(1, WORD, 0, 150, 150, 7, 60);
    come(2, WORD, 0, 400, 400, 7, 390);
    come(0, WORD + 4, 0, 410, 410, 7, 400);
    come(1, WORD, 0, 700, 700, 7, 300);
    const struct profile_meeting_wait waits[] = {
        {WORD, 110, 430}, {WORD, 160, 420}, {WORD, 500, 600}, {WORD, 510, 730}};
    struct profile_comings_list *list = gather();
    struct profile_meeting meeting = profile_comings_for(list, waits, 4);
    assert_int_equal(meeting.phases, 2);
    assert_int_equal(meeting.spread, (400 - 110) + (700 - 510));
    assert_int_equal(meeting.lasts[0].block, 2);
    assert_int_equal(meeting.lasts[1].block, 1);
    assert_int_equal(meeting.dids[0].last, 390 + 240);
    assert_int_equal(meeting.dids[0].first, 50);
    profile_meeting_free(&meeting);
    sms[0]->unlogged_at = 425;
    profile_comings_free(list);
    list = gather();
    meeting = profile_comings_for(list, waits, 4); /* the second wait alone ended before anything may be missing */
    assert_int_equal(meeting.phases, 1);
    assert_int_equal(meeting.spread, 400 - 160);
    profile_meeting_free(&meeting);
    profile_comings_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_grid, begin, end),
                                       cmocka_unit_test_setup_teardown(test_clusters, begin, end),
                                       cmocka_unit_test_setup_teardown(test_word, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
