/* Words that threads poll, from events that are made here: which looks are polls, how long warps wait with them, who
 * writes the word, how long it takes until waiters go on, and what the states of several SMs say together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "isa/mod_values.h"
#include "profile/polls_sm.h"
#include "profile/words_sm.h"

#define FLAG 0x2000
#define LOOK_AT 10 /* pc */
#define PLAIN_AT 12
#define NEED_AT 14 /* needs what LOOK_AT has loaded */
#define JUMP_AT 16
#define WRITE_AT 20
#define TELL_AT 28
#define ATOMS_AT 44 /* see `module` */
#define INSTRUCTIONS 64

static const uint16_t loaded[] = {7}, judged[] = {8}, summed[] = {9};
#define IMMEDIATE(number)                                                                                              \
    {                                                                                                                  \
        .kind = ISA_OPERAND_IMM, .value = (number)                                                                     \
    }
#define REGISTER(number)                                                                                               \
    {                                                                                                                  \
        .kind = ISA_OPERAND_REG, .reg = (number)                                                                       \
    }
#define ATOMIC(operation, ...)                                                                                         \
    {                                                                                                                  \
        .op = ISA_OP_ATOM, .mods.atomic = ISA_ATOMIC_##operation, .write_count = 1, .writes = loaded, .src_count = 3,  \
        .src = (const struct isa_operand[])                                                                            \
        {                                                                                                              \
            REGISTER(1), __VA_ARGS__                                                                                   \
        }                                                                                                              \
    }
#define LOAD .op = ISA_OP_LD, .mods.order = ISA_ORDER_VOLATILE, .write_count = 1, .writes = loaded
#define READS(numbers) .read_count = 1, .reads = (numbers)
static struct isa_instr instrs[INSTRUCTIONS] = {
    /* A loop that goes by what it loads, and one that does not; one that puts it away. */
    [0] = {LOAD},
    [1] = {.op = ISA_OP_SETP, READS(loaded), .write_count = 1, .writes = judged},
    [2] = {.op = ISA_OP_BRA, READS(judged), .target = 0},
    [3] = {LOAD},
    [4] = {.op = ISA_OP_ADD, READS(loaded), .write_count = 1, .writes = summed},
    [5] = {.op = ISA_OP_BRA, READS(judged), .target = 3},
    [6] = {LOAD},
    [7] = {.op = ISA_OP_ST, READS(loaded)},
    [8] = {.op = ISA_OP_BRA, READS(judged), .target = 6},
    [LOOK_AT] = {LOAD},
    [LOOK_AT + 1] = {.op = ISA_OP_LD, .mods.cache = ISA_CACHE_CG},
    [PLAIN_AT] = {.op = ISA_OP_LD, .mods.order = ISA_ORDER_WEAK},
    [NEED_AT] = {.op = ISA_OP_ADD, READS(loaded)},
    [JUMP_AT] = {.op = ISA_OP_BRA, .target = ISA_PC_NONE},
    [WRITE_AT] = {.op = ISA_OP_ST},
    [TELL_AT] = {.op = ISA_OP_ST, .mods.order = ISA_ORDER_VOLATILE},
    /* Atomics that leave their word as it is: */
    [ATOMS_AT] = ATOMIC(ADD, IMMEDIATE(0)),
    [ATOMS_AT + 1] = ATOMIC(OR, IMMEDIATE(0)),
    [ATOMS_AT + 2] = ATOMIC(XOR, IMMEDIATE(0)),
    [ATOMS_AT + 3] = ATOMIC(CAS, REGISTER(2), REGISTER(2)),
    [ATOMS_AT + 4] = ATOMIC(CAS, IMMEDIATE(5), IMMEDIATE(5)),
    /* and others: */
    [ATOMS_AT + 5] = ATOMIC(ADD, IMMEDIATE(1)),
    [ATOMS_AT + 6] = ATOMIC(ADD, REGISTER(0)),
    [ATOMS_AT + 7] = ATOMIC(AND, IMMEDIATE(0)),
    [ATOMS_AT + 8] = ATOMIC(CAS, IMMEDIATE(0), IMMEDIATE(5)),
    [ATOMS_AT + 9] = ATOMIC(CAS, REGISTER(2), REGISTER(3)),
    [ATOMS_AT + 10] = ATOMIC(CAS, REGISTER(0), IMMEDIATE(0)),
    [ATOMS_AT + 11] = {.op = ISA_OP_RED,
                       .mods.atomic = ISA_ATOMIC_ADD,
                       .src = (const struct isa_operand[]){REGISTER(1), IMMEDIATE(0)}},
    [ATOMS_AT + 12] = {.op = ISA_OP_ATOM, /* whose answer nobody asks for */
                       .mods.atomic = ISA_ATOMIC_ADD,
                       .src = (const struct isa_operand[]){REGISTER(1), IMMEDIATE(0)}},
    [ATOMS_AT + 13] = {.op = ISA_OP_TRYLOCK,
                       .mods.atomic = ISA_ATOMIC_CAS,
                       .write_count = 1,
                       .src = (const struct isa_operand[]){REGISTER(1), REGISTER(2), REGISTER(2)}},
};
#define ATOMS_LOOK 5
#define ATOMS 14
static struct isa_module module = {.instrs = instrs, .instr_count = INSTRUCTIONS};

static struct profile_polls *fresh(void)
{
    struct profile_polls *s = calloc(1, profile_polls_bytes(&module));
    assert_non_null(s);
    profile_polls_begin(s, &module);
    return s;
}

/* An access of global memory by lanes of a warp, at addresses that are `step` bytes apart from lane to lane. */
struct made {
    uint32_t warp;
    uint64_t mask, address, step, cycle;
    uint32_t class, pc, space, weak, block;
    bool own; /* pc counts though it is 0 */
};

static struct profile_words *told; /* of polls */

static int begin_words(void **state)
{
    (void)state;
    told = calloc(1, profile_words_bytes());
    assert_non_null(told);
    return 0;
}

static int end_words(void **state)
{
    (void)state;
    free(told);
    return 0;
}

/* True: the state wants to be told of issues. */
static bool access(struct profile_polls *s, const struct made *made)
{
    uint64_t address[64];
    uint32_t pc = made->class == LOCKSTEP_LOAD ? LOOK_AT : WRITE_AT;
    for (unsigned lane = 0; lane < 64; lane++)
        address[lane] = (made->address ? made->address : FLAG) + lane * made->step;
    return profile_polls_access(s, told, &(struct lockstep_access_event){.cycle = made->cycle,
                                                                   .warp = made->warp,
                                                                   .block = made->block,
                                                                   .pc = made->pc || made->own ? made->pc : pc,
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

#define operates(s, ...) access(s, &(struct made){.class = LOCKSTEP_ATOMIC, __VA_ARGS__})

/* Lane 0 of warp 0 issues an instruction, or others of another one do. */
static bool issues_of(struct profile_polls *s, uint32_t warp, uint64_t lanes, uint32_t pc, uint64_t cycle)
{
    return profile_polls_issued(
        s, &(struct lockstep_issue_event){.cycle = cycle, .warp = warp, .pc = pc, .active = lanes, .mask = lanes});
}
#define issues(s, pc, cycle) issues_of(s, 0, 1, pc, cycle)

static struct profile_poll_list gather_all(struct profile_polls *const *sms, uint32_t count)
{
    return profile_polls_gather((const struct profile_polls *const *)sms, count);
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
            fail_msg("%s of %#llx is %llu, not %llu", profile_poll_name(i),
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
    for (unsigned i = 0; i < PROFILE_POLLS_TURNS; i++)
        looks(s, .cycle = 90 + i, .address = FLAG + 4 + 4 * i); /* looks elsewhere */
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
    looks(s, .cycle = 14, .weak = 1);
    writes(s, .cycle = 15, .warp = 1);
    looks(s, .cycle = 20);
    writes(s, .cycle = 25, .address = FLAG + 4);
    looks(s, .cycle = 30);
    writes(s, .cycle = 35, .address = 4, .space = LOCKSTEP_SHARED);
    looks(s, .cycle = 40);
    operates(s, .address = FLAG + 4, .cycle = 45);
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

/* A loop that looks at several words in turn polls each of them, as long as it comes back to it soon. */
static void test_in_turn(void **state)
{
    (void)state;
    for (unsigned words = 1; words <= PROFILE_POLLS_TURNS + 1; words++) {
        struct profile_polls *s = fresh();
        bool known = words <= PROFILE_POLLS_TURNS;
        for (unsigned i = 0; i < 3 * words; i++)
            looks(s, .cycle = 100 + 10 * i, .address = FLAG + 4 * (i % words));
        struct profile_poll_list list = gather(s);
        assert_int_equal(list.count, known ? words : 0);
        for (uint32_t i = 0; i < list.count; i++)
            expect(&list.of[i], FLAG + 4 * i, 2, 1, 20 * words, i ? 20 : 10 * words + 10);
        profile_polls_free(&list);
        free(s);
    }
}

/* Long looks at another word part two stretches at one. */
static void test_not_in_turn(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (unsigned i = 0; i < 18; i++)
        looks(s, .cycle = 100 + 10 * i, .address = FLAG + 4 * (i / 6 % 2));
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 2);
    expect(&list.of[0], FLAG, 10, 2, 100, 100);
    expect(&list.of[1], FLAG + 4, 5, 1, 50, 50);
    profile_polls_free(&list);
    free(s);
}

/* An atomic that leaves its word as it is looks at it, and writes nothing. */
static void test_atomics(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        struct profile_polls *s = fresh();
        bool look = i < ATOMS_LOOK;
        looks(s, .cycle = 10, .address = FLAG + 4);
        operates(s, .cycle = 20, .pc = ATOMS_AT + i);
        operates(s, .cycle = 30, .pc = ATOMS_AT + i);
        looks(s, .cycle = 40, .address = FLAG + 4);
        struct profile_poll_list list = gather(s);
        assert_int_equal(list.count, look ? 2 : 0);
        if (look) {
            expect(&list.of[0], FLAG + 4, 1, 1, 30, 20);
            expect(&list.of[1], FLAG, 1, 1, 10, 10);
            expect_pcs(list.of[1].poll.polled_at, PCS(ATOMS_AT + i));
            expect_pcs(list.of[1].written_at, 0, NULL);
        }
        profile_polls_free(&list);
        free(s);
    }
}

/* A loop that goes on and ends whatever its loads bring waits for nobody. */
static void test_loops(void **state)
{
    (void)state;
    static const bool polls[] = {true, false, true};
    for (uint32_t i = 0; i < 3; i++) {
        struct profile_polls *s = fresh();
        for (unsigned n = 0; n < 3; n++)
            access(s, &(struct made){.class = LOCKSTEP_LOAD, .own = true, .pc = 3 * i, .cycle = 10 * n});
        struct profile_poll_list list = gather(s);
        assert_int_equal(list.count, polls[i]);
        profile_polls_free(&list);
        free(s);
    }
}

static void expect_handed(const struct profile_poll_list *list, uint64_t times, uint64_t cycles, uint64_t unlogged)
{
    assert_int_equal(list->of[0].handovers, times);
    assert_int_equal(list->of[0].handed, cycles);
    assert_int_equal(list->unlogged, unlogged);
}

/* The state wants to be told of issues from the first poll until an instruction that needs the answer; the last write
 * before that, of any SM, has ended the wait. */
static void test_handed(void **state)
{
    (void)state;
    struct profile_polls *sms[2] = {fresh(), fresh()};
    assert_false(looks(sms[0], .cycle = 100, .mask = 3));
    assert_true(looks(sms[0], .cycle = 140, .mask = 3));
    assert_true(issues_of(sms[0], 0, 3, LOOK_AT, 150));
    assert_true(issues_of(sms[0], 0, 1, NEED_AT, 160)); /* one lane; the other one is elsewhere */
    assert_false(issues_of(sms[0], 0, 2, NEED_AT, 165));
    assert_true(looks(sms[0], .cycle = 170, .mask = 3));
    assert_false(issues_of(sms[0], 0, 3, NEED_AT, 200));
    assert_false(issues_of(sms[0], 0, 3, NEED_AT, 230)); /* later: is not behind the loop */
    writes(sms[0], .cycle = 240, .mask = 3, .address = FLAG + 64);
    looks(sms[0], .cycle = 250, .warp = 1);
    writes(sms[1], .cycle = 99, .pc = TELL_AT);
    writes(sms[1], .cycle = 120, .pc = TELL_AT);
    writes(sms[1], .cycle = 150);
    writes(sms[1], .cycle = 160, .address = FLAG + 4);
    writes(sms[1], .cycle = 201, .pc = TELL_AT);
    struct profile_poll_list list = gather_all(sms, 2);
    assert_int_equal(list.count, 1);
    expect_handed(&list, 2, 2 * 50, 0);
    assert_int_equal(list.of[0].most_waited, 2);
    profile_polls_free(&list);
    free(sms[0]);
    free(sms[1]);
}

/* One lane of warp 0 waits from one cycle to another, and goes on. */
static void waits(struct profile_polls *s, uint64_t from, uint64_t until, uint32_t space, uint32_t block)
{
    looks(s, .cycle = from, .space = space, .block = block);
    looks(s, .cycle = until - 1, .space = space, .block = block);
    issues(s, NEED_AT, until);
    writes(s, .cycle = until + 1, .address = 0x9000);
}

/* A wait that ends when another one begins was not there with it; waits of two SMs are, but not for words of shared
 * memory. */
static void test_most_waited(void **state)
{
    (void)state;
    for (uint32_t shared = 0; shared < 2; shared++) {
        uint32_t space = shared ? LOCKSTEP_SHARED : LOCKSTEP_GLOBAL;
        struct profile_polls *sms[2] = {fresh(), fresh()};
        waits(sms[0], 100, 200, space, 0);
        waits(sms[0], 210, 300, space, 0);
        waits(sms[1], 90, 150, space, 0);
        waits(sms[1], 200, 220, space, 0);
        struct profile_poll_list list = gather_all(sms, 2);
        assert_int_equal(list.of[0].most_waited, shared ? 1 : 2);
        profile_polls_free(&list);
        free(sms[0]);
        free(sms[1]);
    }
}

/* What ended before the wait began did not end it; nor did what another block wrote to its shared memory. */
static void test_not_handed(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    writes(s, .cycle = 99, .warp = 1);
    waits(s, 100, 150, LOCKSTEP_GLOBAL, 0);
    struct profile_poll_list list = gather(s);
    expect_handed(&list, 0, 0, 0);
    profile_polls_free(&list);
    free(s);
    s = fresh();
    writes(s, .cycle = 120, .warp = 1, .space = LOCKSTEP_SHARED, .block = 2);
    writes(s, .cycle = 130, .warp = 2, .space = LOCKSTEP_SHARED, .block = 1);
    waits(s, 100, 150, LOCKSTEP_SHARED, 2);
    list = gather(s);
    expect_handed(&list, 1, 30, 0);
    profile_polls_free(&list);
    free(s);
}

/* Nor did what was written to another word, or by another block alone. */
static void test_other_writes(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    writes(s, .cycle = 120, .warp = 2);
    waits(s, 100, 150, LOCKSTEP_GLOBAL, 0);
    looks(s, .cycle = 100, .warp = 1, .address = FLAG + 4);
    looks(s, .cycle = 149, .warp = 1, .address = FLAG + 4);
    issues_of(s, 1, 1, NEED_AT, 150);
    profile_polls_forget(s, 1);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 2);
    expect_handed(&list, 1, 30, 0);
    assert_int_equal(list.of[1].handovers, 0);
    profile_polls_free(&list);
    free(s);
    s = fresh();
    writes(s, .cycle = 130, .warp = 2, .space = LOCKSTEP_SHARED, .block = 1);
    waits(s, 100, 150, LOCKSTEP_SHARED, 2);
    list = gather(s);
    expect_handed(&list, 0, 0, 0);
    profile_polls_free(&list);
    free(s);
}

/* Atomics write, but for compare-and-swaps, of which nobody knows when they are issued; of several words that are
 * written at once by plain stores nobody knows when. A jump stands for the instruction that needs the answer. */
static void test_handing_writes(void **state)
{
    (void)state;
    const struct {
        uint32_t class, pc, step;
        bool known;
    } all[] = {{LOCKSTEP_ATOMIC, ATOMS_AT + 5, 0, true},
               {LOCKSTEP_ATOMIC, ATOMS_AT + 8, 4, false},
               {LOCKSTEP_STORE, WRITE_AT, 4, false},
               {LOCKSTEP_STORE, WRITE_AT, 0, true},
               {LOCKSTEP_STORE, TELL_AT, 4, true}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct profile_polls *s = fresh();
        access(s, &(struct made){.class = all[i].class,
                                 .pc = all[i].pc,
                                 .step = all[i].step,
                                 .address = FLAG - all[i].step,
                                 .mask = 3,
                                 .warp = 1,
                                 .cycle = 120});
        looks(s, .cycle = 100, .pc = LOOK_AT + 1);
        looks(s, .cycle = 130, .pc = LOOK_AT + 1);
        assert_true(issues(s, NEED_AT, 140)); /* needs another look */
        assert_false(issues(s, JUMP_AT, 150));
        profile_polls_forget(s, 0);
        struct profile_poll_list list = gather(s);
        expect_handed(&list, all[i].known, all[i].known ? 30 : 0, 0);
        profile_polls_free(&list);
        free(s);
    }
}

/* Waits behind a write that a full log lacks are not paired with an earlier one; waits that a full log lacks count.
 * Plain stores leave room for others. */
static void test_full_logs(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (unsigned i = 0; i < PROFILE_POLL_WRITES; i++)
        writes(s, .cycle = 100, .warp = 1, .address = FLAG + 64 + 4 * i);
    writes(s, .cycle = 100, .warp = 1, .pc = TELL_AT);
    waits(s, 90, 110, LOCKSTEP_GLOBAL, 0);
    for (unsigned i = 0; i < PROFILE_POLL_WRITES / 2; i++)
        writes(s, .cycle = 120 + i, .warp = 1, .pc = TELL_AT);
    waits(s, 115, 200, LOCKSTEP_GLOBAL, 0);
    waits(s, 115, 119 + PROFILE_POLL_WRITES / 2, LOCKSTEP_GLOBAL, 0);
    struct profile_poll_list list = gather(s);
    expect_handed(&list, 2, 10, 1);
    profile_polls_free(&list);
    for (unsigned i = 0; i < PROFILE_POLL_WAITS; i++)
        waits(s, 10, 20, LOCKSTEP_GLOBAL, 0);
    list = gather(s);
    expect_handed(&list, 2, 10, 1 + 3);
    profile_polls_free(&list);
    free(s);
}

/* Words that compare-and-swaps polled go to one list. */
static void test_settle(void **state)
{
    (void)state;
    enum { LOCK, GIVEN, FLAG_BY_EXCHANGE, LOOKED_AT, TRIED, EXCHANGED, ONCE, BOTH, LOADED, UNTRIED, TESTED, WORDS };
    enum { SAME = ATOMS_AT + 4, TRY = ATOMS_AT + 8, EXCHANGE = ATOMS_AT + 5 };
    struct profile_polls *s = fresh();
    struct profile_words *log = calloc(1, profile_words_bytes());
    struct profile_word_list words = {.of = calloc(WORDS, sizeof *words.of), .count = WORDS};
    for (uint32_t i = 0; i < WORDS; i++) {
        struct profile_word *word = &words.of[i].word;
        word->address = FLAG + 4 * i;
        word->space = LOCKSTEP_GLOBAL;
        word->counts[PROFILE_WORD_attempts] = i == ONCE ? 2 : 10;
        word->counts[PROFILE_WORD_waiters] = i == UNTRIED ? 0 : 2;
        word->counts[PROFILE_WORD_waited] = 300;
        word->counts[PROFILE_WORD_warps_waited] = 200;
        if (i == LOCK || i == FLAG_BY_EXCHANGE || i == GIVEN || i == LOADED || i == UNTRIED || i == TESTED) {
            word->counts[PROFILE_WORD_taken] = 1;
            word->takes[0] = (i == LOCK || i == LOADED || i == TESTED ? TRY : EXCHANGE) + 1;
        }
        word->counts[PROFILE_WORD_failed] = i == BOTH ? 8 : 0;
        word->counts[PROFILE_WORD_given] = i == GIVEN || i == TESTED;
        if (i == LOCK || i == GIVEN || i == FLAG_BY_EXCHANGE || i == LOOKED_AT)
            for (unsigned n = 0; n < 3; n++)
                operates(s, .pc = SAME, .warp = i + 2, .address = word->address, .cycle = 100 + 10 * n);
        if (i == BOTH || i == LOADED || i == UNTRIED || i == TESTED)
            for (unsigned n = 0; n < 3; n++)
                looks(s, .warp = i + 2, .address = word->address, .cycle = 100 + 10 * n);
        log->lone[log->lone_count++] = (struct profile_lone_wait){.address = word->address,
                                                                  .from = 100,
                                                                  .until = 200,
                                                                  .space = LOCKSTEP_GLOBAL,
                                                                  .at = i == EXCHANGED ? EXCHANGE : TRY};
    }
    writes(s, .cycle = 150, .warp = 1, .address = FLAG + 4 * TRIED);
    operates(s, .cycle = 160, .warp = 1, .pc = TRY, .address = FLAG + 4 * TRIED);
    struct profile_poll_list polls = gather(s);
    profile_polls_settle(&polls, &words, (const struct profile_words *const[]){log},
                         (const struct profile_polls *const[]){s}, 1, &module);
    static const unsigned stay[] = {LOCK, GIVEN, EXCHANGED, ONCE, TESTED},
                          polled[] = {TRIED, FLAG_BY_EXCHANGE, LOOKED_AT, BOTH, LOADED, UNTRIED};
    assert_int_equal(words.count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(words.of[i].word.address, FLAG + 4 * stay[i]);
    assert_int_equal(polls.count, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(polls.of[i].poll.address, FLAG + 4 * polled[i]);
    expect_pcs(words.of[4].looked_at, PCS(LOOK_AT));
    expect_pcs(words.of[0].looked_at, 0, NULL);
    expect(&polls.of[0], FLAG + 4 * TRIED, 8, 2, 300, 200);
    expect_pcs(polls.of[0].poll.polled_at, PCS(TRY));
    expect_pcs(polls.of[0].written_at, PCS(WRITE_AT));
    expect_handed(&polls, 1, 50, 0);
    expect(&polls.of[3], FLAG + 4 * BOTH, 2, 1, 20, 20);
    profile_polls_free(&polls);
    free(words.of);
    free(log);
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

/* A look long ago, and behind it times at another word with a gap: what counts already does not count again. */
static void test_gap(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    looks(s, .cycle = 10, .mask = 1);
    looks(s, .cycle = 20, .mask = 2, .address = FLAG + 4);
    looks(s, .cycle = 30, .mask = 2, .address = FLAG + 4);
    writes(s, .cycle = 40, .mask = 2);
    looks(s, .cycle = 100, .mask = 2, .address = FLAG + 4);
    looks(s, .cycle = 110, .mask = 2, .address = FLAG + 4);
    looks(s, .cycle = 120, .mask = 1);
    struct profile_poll_list list = gather(s);
    expect(&list.of[0], FLAG, 1, 1, 110, 80);
    expect(&list.of[1], FLAG + 4, 2, 2, 20, 20);
    profile_polls_free(&list);
    free(s);
}

/* Each lane polls a word of its own: each has waited all the time, and the warp's is shared out among the words. */
static void test_words_of_lanes(void **state)
{
    (void)state;
    struct profile_polls *s = fresh();
    for (uint64_t cycle = 100; cycle <= 130; cycle += 10)
        looks(s, .cycle = cycle, .mask = mask_low(32), .step = 4);
    struct profile_poll_list list = gather(s);
    assert_int_equal(list.count, 32);
    for (uint32_t i = 0; i < 32; i++)
        expect(&list.of[i], FLAG + 4 * i, 3, 1, 30, i < 10 ? 3 : 0);
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
    operates(sms[1], .mask = 2, .pc = WRITE_AT + 1);
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

/* The word of several SMs is one; those for which warps waited most come first. Shared memory is not global memory. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_polls),          cmocka_unit_test(test_between_looks),
                                       cmocka_unit_test(test_lanes),          cmocka_unit_test(test_overlaps),
                                       cmocka_unit_test(test_words_of_lanes), cmocka_unit_test(test_gap), cmocka_unit_test(test_forgotten),
                                       cmocka_unit_test(test_plain_loads),    cmocka_unit_test(test_full_table),
                                       cmocka_unit_test(test_writes),         cmocka_unit_test(test_several_writes),
                                       cmocka_unit_test(test_gather),         cmocka_unit_test(test_in_turn),
                                       cmocka_unit_test(test_not_in_turn),    cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_handed),         cmocka_unit_test(test_most_waited),
                                       cmocka_unit_test(test_not_handed),     cmocka_unit_test(test_handing_writes),
                                       cmocka_unit_test(test_full_logs),      cmocka_unit_test(test_settle),
                                       cmocka_unit_test(test_loops),          cmocka_unit_test(test_other_writes)};
    return cmocka_run_group_tests(tests, begin_words, end_words);
}
