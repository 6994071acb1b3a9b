/* Words that threads poll, from events that are made here: which loads are polls, how long warps wait with them, who
 * writes the word, and what the states of several SMs say together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "isa/mod_values.h"
#include "profile/polls_sm.h"

#define FLAG 0x2000
#define LOOK_AT 10 /* pc */
#define PLAIN_AT 12
#define WRITE_AT 20

static struct profile_polls *fresh(void)
{
    struct profile_polls *s = calloc(1, profile_polls_bytes());
    assert_non_null(s);
    return s;
}

/* An access of global memory by lanes of a warp, at addresses that are `step` bytes apart from lane to lane. */
struct made {
    uint32_t warp;
    uint64_t mask, address, step, cycle;
    uint32_t class, pc, space, weak;
};

static void access(struct profile_polls *s, const struct made *made)
{
    uint64_t address[64];
    uint32_t pc = made->class == LOCKSTEP_LOAD ? LOOK_AT : WRITE_AT;
    for (unsigned lane = 0; lane < 64; lane++)
        address[lane] = (made->address ? made->address : FLAG) + lane * made->step;
    profile_polls_access(s, &(struct lockstep_access_event){.cycle = made->cycle,
                                                            .warp = made->warp,
                                                            .pc = made->pc ? made->pc : pc,
                                                            .instruction_class = made->class,
                                                            .space = made->space ? made->space : LOCKSTEP_GLOBAL,
                                                            .bytes = 4,
                                                            .mask = made->mask ? made->mask : 1,
                                                            .address = address,
                                                            .synchronises = !made->weak});
}
/* looks(s, .cycle = 10, ...), writes(s, ...): by lane 0 of warp 0 at FLAG, where nothing else is said. */
#define looks(s, ...) access(s, &(struct made){.class = LOCKSTEP_LOAD, __VA_ARGS__})
#define writes(s, ...) access(s, &(struct made){.class = LOCKSTEP_STORE, __VA_ARGS__})

/* The instructions that poll, and a plain load. */
static struct profile_poll_list gather_all(struct profile_polls *const *sms, uint32_t count)
{
    struct isa_instr instrs[64] = {[LOOK_AT].mods.order = ISA_ORDER_VOLATILE,
                                   [LOOK_AT + 1].mods.cache = ISA_CACHE_CG,
                                   [PLAIN_AT].mods.order = ISA_ORDER_WEAK};
    struct isa_module module = {.instrs = instrs};
    return profile_polls_gather((const struct profile_polls *const *)sms, count, &module);
}

static struct profile_poll_list gather(struct profile_polls *s)
{
    return gather_all(&s, 1);
}

static void expect_counts(const struct profile_poll_sum *sum, uint64_t address, const uint64_t *expected)
{
    assert_int_equal(sum->poll.address, address);
    for (unsigned i = 0; i < PROFILE_POLL_COUNTS; i++)
        if (sum->poll.counts[i] != expected[i])
            fail_msg("%s of %#llx is %llu, not %llu", profile_poll_name((enum profile_poll_count)i),
                     (unsigned long long)address, (unsigned long long)sum->poll.counts[i],
                     (unsigned long long)expected[i]);
}
/* expect(sum, ADDRESS, polls, waits, waited, warps_waited) */
#define expect(sum, address, ...) expect_counts(sum, address, (const uint64_t[PROFILE_POLL_COUNTS]){__VA_ARGS__})

static void expect_pcs(const uint32_t *pcs, unsigned count, const uint32_t *expected)
{
    for (unsigned i = 0; i < PROFILE_POLL_PCS; i++)
        assert_int_equal(pcs[i], i < count ? expected[i] + 1 : 0);
}
#define PCS(...)                                                                                                       \
    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[])                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void test_polls(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 10);
    looks(s, .cycle = 30);
    looks(s, .cycle = 70);
    looks(s, .cycle = 75, .pc = LOOK_AT + 1); /* the next stretch: from another instruction */
    looks(s, .cycle = 80, .pc = LOOK_AT + 1);
    looks(s, .cycle = 90, .address = FLAG + 4); /* a look elsewhere */
    looks(s, .cycle = 95, .pc = LOOK_AT + 1);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 1);
    expect(&list.of[0], FLAG, 3, 2, 60 + 5, 60 + 5);
    expect_pcs(list.of[0].poll.polled_at, PCS(LOOK_AT, LOOK_AT + 1));
    expect_pcs(list.of[0].written_at, 0, NULL);
    profile_polls_free(&list);
    free(s);
}

/* A lane that writes to global or shared memory does not wait: the next look begins anew. Other lanes' writes, local
 * memory and loads by which nobody waits change nothing. */
static void test_between_looks(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 10);
    writes(s, .cycle = 12, .mask = 2, .address = FLAG + 8);
    writes(s, .cycle = 13, .space = LOCKSTEP_LOCAL);
    looks(s, .cycle = 14, .weak = 1, .address = FLAG + 8);
    writes(s, .cycle = 15, .warp = 1);
    looks(s, .cycle = 20);
    writes(s, .cycle = 25, .address = FLAG + 4);
    looks(s, .cycle = 30);
    writes(s, .cycle = 35, .address = 4, .space = LOCKSTEP_SHARED);
    looks(s, .cycle = 40);
    access(s, &(struct made){.class = LOCKSTEP_ATOMIC, .address = FLAG + 4, .cycle = 45});
    looks(s, .cycle = 50);
    looks(s, .cycle = 51);
    looks(s, .cycle = 52, .space = LOCKSTEP_SHARED); /* another word, though its address is the same */
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 1);
    expect(&list.of[0], FLAG, 2, 2, 11, 11);
    expect_pcs(list.of[0].written_at, PCS(WRITE_AT));
    profile_polls_free(&list);
    free(s);
}

/* Lanes' times are added up; a cycle of a warp counts once. */
static void test_lanes(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 10, .mask = 0xf);
    looks(s, .cycle = 30, .mask = 0xf);
    looks(s, .cycle = 35, .mask = 0x10); /* parted from the others */
    looks(s, .cycle = 40, .mask = 0xf);
    looks(s, .cycle = 60, .mask = 0x10);
    looks(s, .cycle = 100, .mask = 0x1);
    struct profile_poll_list list = gather(s);
    expect(&list.of[0], FLAG, 4 + 4 + 1 + 1, 5, 4 * 30 + 25 + 60, 90);
    profile_polls_free(&list);
    free(s);
}

/* One lane polls seldom, another often: the first one's time reaches to before the other's, and then goes on. Behind
 * that comes a gap; another warp has times of its own. */
static void test_overlaps(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 40, .mask = 1);
    looks(s, .cycle = 50, .mask = 2);
    looks(s, .cycle = 60, .mask = 2);
    looks(s, .cycle = 100, .mask = 1);
    writes(s, .cycle = 110, .mask = 3, .step = 4);
    looks(s, .cycle = 200, .mask = 1);
    looks(s, .cycle = 203, .mask = 1);
    looks(s, .cycle = 50, .warp = 7);
    looks(s, .cycle = 90, .warp = 7);
    struct profile_poll_list list = gather(s);
    expect(&list.of[0], FLAG, 4, 4, 60 + 10 + 3 + 40, 60 + 3 + 40);
    profile_polls_free(&list);
    free(s);
}

/* Each lane polls a word of its own, more of them than a warp has spans: where one lane polls a word, nothing is lost.
 */
static void test_words_of_lanes(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (uint64_t cycle = 100; cycle <= 130; cycle += 10)
        looks(s, .cycle = cycle, .mask = mask_low(32), .step = 4);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 32);
    for (uint32_t i = 0; i < 32; i++)
        expect(&list.of[i], FLAG + 4 * i, 3, 1, 30, 30);
    profile_polls_free(&list);
    free(s);
}

/* A slot whose threads are other ones, which poll the word of the old ones. */
static void test_forgotten(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 10);
    looks(s, .cycle = 20);
    profile_polls_forget(s, 0);
    looks(s, .cycle = 1000);
    looks(s, .cycle = 1001);
    struct profile_poll_list list = gather(s);
    expect(&list.of[0], FLAG, 2, 2, 11, 11);
    profile_polls_free(&list);
    free(s);
}

/* A plain load that passes the L1, over and over: nobody waits by it. */
static void test_plain_loads(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (uint64_t cycle = 10; cycle < 15; cycle++)
        looks(s, .cycle = cycle, .pc = PLAIN_AT);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 0);
    profile_polls_free(&list);
    looks(s, .cycle = 20, .pc = LOOK_AT + 1);
    looks(s, .cycle = 21, .pc = LOOK_AT + 1);
    list = gather(s);
    assert_int_equal(list.count, 1);
    profile_polls_free(&list);
    free(s);
}

static void test_full_table(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (uint64_t i = 0; i < PROFILE_POLLS_MOST + 5; i++) {
        looks(s, .address = FLAG + 4 * i, .cycle = 10 * i);
        looks(s, .address = FLAG + 4 * i, .cycle = 10 * i + 1);
    }
    looks(s, .cycle = 100000);
    looks(s, .cycle = 100100);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, PROFILE_POLLS_MOST);
    assert_int_equal(list.unlisted, 5);
    expect(&list.of[0], FLAG, 2, 2, 101, 101);
    profile_polls_free(&list);
    free(s);
}

/* Another word whose write would stand in the place of FLAG's, as the first of lanes' that lie one behind the other. */
static uint64_t rival_of(uint64_t address)
{
    uint64_t rival = address + 4;
    uint32_t place = profile_write_place(profile_written(address, LOCKSTEP_GLOBAL));
    while (profile_write_place(profile_written(rival, LOCKSTEP_GLOBAL)) != place)
        rival += 4;
    return rival;
}

/* Writes are kept before anybody polls, and from any SM. One of lanes that all write other words does not take the
 * place of one that is known; one of a single word does. */
static void test_writes(void **state)
{
    (void)state;
    struct profile_polls *sms[3] = {fresh(), fresh(), fresh()};
    uint64_t rival = rival_of(FLAG);
    writes(sms[0], .cycle = 1, .mask = mask_low(32));
    writes(sms[0], .cycle = 2, .mask = mask_low(32), .step = 4, .address = rival, .pc = 40);
    access(sms[1], &(struct made){.class = LOCKSTEP_ATOMIC, .mask = 2, .pc = WRITE_AT + 1});
    writes(sms[1], .cycle = 3, .pc = WRITE_AT + 2);
    writes(sms[1], .cycle = 4, .pc = WRITE_AT + 3); /* the third of an SM */
    writes(sms[2], .cycle = 5, .pc = WRITE_AT + 4);
    writes(sms[2], .cycle = 6, .address = rival, .pc = 41);
    looks(sms[2], .cycle = 7, .warp = 1);
    looks(sms[2], .cycle = 9, .warp = 1);
    looks(sms[2], .cycle = 10, .warp = 1, .address = rival + 4);
    looks(sms[2], .cycle = 11, .warp = 1, .address = rival + 4);
    struct profile_poll_list list = gather_all(sms, 3);
    assert_int_equal(list.count, 2);
    expect(&list.of[0], FLAG, 1, 1, 2, 2);
    expect_pcs(list.of[0].written_at, PCS(WRITE_AT, WRITE_AT + 1, WRITE_AT + 2));
    expect_pcs(list.of[1].written_at, PCS(40));
    profile_polls_free(&list);
    for (unsigned sm = 0; sm < 3; sm++)
        free(sms[sm]);
}

/* The word of several SMs is one; those for which warps waited most come first. Shared memory is not global memory. */
/* Of an instruction's accesses that write several words, the first ones are looked at. */
static void test_several_writes(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    uint64_t late = FLAG + 0x1000, other = FLAG + 0x2000;
    for (unsigned i = 0; i < PROFILE_SEVERAL; i++)
        writes(s, .cycle = i, .mask = 3, .step = 4, .pc = WRITE_AT);
    writes(s, .cycle = 100, .mask = 3, .step = 4, .address = late, .pc = WRITE_AT);
    writes(s, .cycle = 101, .mask = 3, .step = 4, .address = other, .pc = WRITE_AT + 1);
    const uint64_t polled[] = {FLAG, late, other};
    for (unsigned i = 0; i < 6; i++)
        looks(s, .cycle = 102 + i, .warp = 1, .address = polled[i / 2]);
    struct profile_poll_list list = gather_all(&s, 1);
    assert_int_equal(list.count, 3);
    for (uint32_t i = 0; i < list.count; i++) {
        uint64_t address = list.of[i].poll.address;
        assert_int_equal(list.of[i].written_at[0], address == FLAG    ? WRITE_AT + 1
                                                   : address == other ? WRITE_AT + 2
                                                                      : 0);
    }
    profile_polls_free(&list);
    free(s);
}

static void test_gather(void **state)
{
    (void)state;
    struct profile_polls *sms[2] = {fresh(), fresh()};
    for (unsigned sm = 0; sm < 2; sm++) {
        looks(sms[sm], .cycle = 10, .pc = LOOK_AT + sm);
        looks(sms[sm], .cycle = 15, .pc = LOOK_AT + sm);
        looks(sms[sm], .cycle = 10, .warp = 1, .space = LOCKSTEP_SHARED);
        looks(sms[sm], .cycle = 40 + sm, .warp = 1, .space = LOCKSTEP_SHARED);
    }
    struct profile_poll_list list = gather_all(sms, 2);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.of[0].poll.space, LOCKSTEP_SHARED);
    expect(&list.of[0], FLAG, 2, 2, 61, 61);
    expect(&list.of[1], FLAG, 2, 2, 10, 10);
    expect_pcs(list.of[1].poll.polled_at, PCS(LOOK_AT, LOOK_AT + 1));
    profile_polls_free(&list);
    free(sms[0]);
    free(sms[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polls),          cmocka_unit_test(test_between_looks),  cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_overlaps),       cmocka_unit_test(test_words_of_lanes), cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_plain_loads),    cmocka_unit_test(test_full_table),     cmocka_unit_test(test_writes),
        cmocka_unit_test(test_several_writes), cmocka_unit_test(test_gather)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
