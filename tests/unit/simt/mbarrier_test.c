/* mbarrier objects against an oracle that keeps what the manual says of them in numbers of its own, by random
 * operations (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"). */
#include "simt/mbarrier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/strbuf.h"

#define MOST 1048575 /* of counts: 2^20 - 1 */

/* An object as the manual describes it. */
struct oracle {
    bool exists;
    unsigned long long phase;
    long long arrived, expected, next; /* of this phase; `next`: what the next phase expects */
    long long tx;
};

enum operation { EXPECT, COMPLETE, ARRIVE, ARRIVE_TX, DROP, DROP_TX, AWAIT, LOOK, OPERATIONS };

struct call {
    enum operation operation;
    uint64_t count, tx;
};

static void end_phase_if_over(struct oracle *o, bool *completed)
{
    *completed = o->arrived == o->expected && o->tx == 0;
    if (!*completed)
        return;
    o->phase++;
    o->arrived = 0;
    o->expected = o->next;
}

/* Does the call, or says why it is refused. */
static unsigned call_oracle(struct oracle *o, const struct call *c, bool *completed)
{
    bool arrives = c->operation >= ARRIVE && c->operation <= DROP_TX;
    bool drops = c->operation == DROP || c->operation == DROP_TX;
    *completed = false;
    if (c->operation != LOOK && c->operation != AWAIT && c->tx > MOST)
        return MBARRIER_TX;
    if (!o->exists)
        return MBARRIER_UNINITIALISED;
    if (c->operation == LOOK)
        return MBARRIER_FINE;
    if (c->operation == AWAIT) {
        if (o->expected - o->arrived == MOST)
            return MBARRIER_COUNT;
        o->expected++;
        return MBARRIER_FINE;
    }
    long long tx = o->tx + (c->operation == COMPLETE ? -(long long)c->tx : (long long)c->tx);
    if (tx > MOST || tx < -MOST)
        return MBARRIER_TX;
    if (arrives && (c->count == 0 || c->count > MOST))
        return MBARRIER_COUNT;
    if (arrives && ((long long)c->count > o->expected - o->arrived || (drops && (long long)c->count > o->next)))
        return MBARRIER_TOO_MANY;
    o->tx = tx;
    if (arrives)
        o->arrived += (long long)c->count;
    if (drops)
        o->next -= (long long)c->count;
    if (c->operation != EXPECT)
        end_phase_if_over(o, completed);
    return MBARRIER_FINE;
}

static struct mbarrier_step call_object(uint64_t object, const struct call *c)
{
    switch (c->operation) {
    case EXPECT:
        return mbarrier_expect(object, c->tx);
    case COMPLETE:
        return mbarrier_complete(object, c->tx);
    case AWAIT:
        return mbarrier_await_one(object);
    case LOOK:
        return mbarrier_look(object);
    default:
        return mbarrier_arrive(object, c->count, c->tx, c->operation == DROP || c->operation == DROP_TX);
    }
}

static void compare(uint64_t object, const struct oracle *o)
{
    assert_int_equal(mbarrier_initialised(object), o->exists);
    if (!o->exists)
        return;
    assert_int_equal(mbarrier_parity(object), o->phase % 2);
    assert_int_equal(mbarrier_pending(object), o->expected - o->arrived);
    assert_int_equal(mbarrier_expected(object), o->next);
    assert_int_equal(mbarrier_tx(object), o->tx);
    assert_true(mbarrier_is_over(object, (unsigned)(o->phase + 1)));
    assert_false(mbarrier_is_over(object, (unsigned)o->phase));
}

/* Small numbers, the ends of what is allowed, and what brings the phase to its end. */
static uint64_t draw(struct random_stream *r, const struct oracle *o, bool bytes)
{
    switch (random_below(r, 10)) {
    case 0:
        return MOST - random_below(r, 2);
    case 1:
        return UINT64_C(1) << (20 + random_below(r, 44));
    case 2:
        return 0;
    case 3:
    case 4:
    case 5:
        return bytes ? (uint64_t)llabs(o->tx) : (uint64_t)(o->expected - o->arrived);
    default:
        return 1 + random_below(r, 4);
    }
}

static struct call draw_call(struct random_stream *r, const struct oracle *o)
{
    struct call c = {.operation = (enum operation)random_below(r, OPERATIONS), .count = 1};
    bool has_tx =
        c.operation == EXPECT || c.operation == COMPLETE || c.operation == ARRIVE_TX || c.operation == DROP_TX;
    if (has_tx)
        c.tx = draw(r, o, true);
    else if (c.operation != AWAIT && c.operation != LOOK)
        c.count = draw(r, o, false);
    return c;
}

static void objects_are_as_the_manual_says(void **state)
{
    (void)state;
    struct random_stream r = random_stream_of(5, "mbarrier", 0);
    unsigned phases = 0, faults[MBARRIER_COMPLETES + 1] = {0};
    for (unsigned i = 0; i < 3000; i++) {
        long long count = random_below(&r, 4) ? 1 + random_below(&r, 5) : MOST - random_below(&r, 2);
        struct oracle o = {.exists = random_below(&r, 50) != 0, .expected = count, .next = count};
        uint64_t object = o.exists ? mbarrier_init((uint64_t)count).object : 0;
        for (unsigned k = 0; k < 60; k++) {
            struct call c = draw_call(&r, &o);
            bool completed;
            uint64_t before = object;
            unsigned fault = call_oracle(&o, &c, &completed);
            struct mbarrier_step step = call_object(object, &c);
            assert_int_equal(step.fault, fault);
            assert_int_equal(step.completed, completed);
            if (fault)
                assert_int_equal(step.object, before);
            object = step.object;
            compare(object, &o);
            phases += completed;
            faults[fault]++;
        }
    }
    assert_true(phases > 3000);
    for (unsigned fault = MBARRIER_UNINITIALISED; fault < MBARRIER_PARTED; fault++) /* which an object does not see */
        assert_true(faults[fault] > 50);
}

static void an_object_is_made_and_unmade(void **state)
{
    (void)state;
    assert_int_equal(mbarrier_init(0).fault, MBARRIER_COUNT);
    assert_int_equal(mbarrier_init(MOST + 1).fault, MBARRIER_COUNT);
    assert_int_equal(mbarrier_init(UINT64_C(1) << 40).fault, MBARRIER_COUNT);
    assert_false(mbarrier_init(0).completed);
    uint64_t object = mbarrier_init(MOST).object;
    assert_int_equal(mbarrier_pending(object), MOST);
    assert_int_equal(mbarrier_expected(object), MOST);
    assert_int_equal(mbarrier_tx(object), 0);
    assert_int_equal(mbarrier_parity(object), 0);
    assert_false(mbarrier_initialised(mbarrier_inval(object).object));
    assert_int_equal(mbarrier_inval(mbarrier_inval(object).object).fault, MBARRIER_FINE);
    assert_int_equal(mbarrier_inval(12345).fault, MBARRIER_UNINITIALISED);
    assert_int_equal(mbarrier_look(mbarrier_inval(object).object).fault, MBARRIER_UNINITIALISED);
}

/* When all have dropped out, a phase expects nobody: each operation that could end one ends it. */
static void nobody_is_left(void **state)
{
    (void)state;
    struct mbarrier_step step = mbarrier_arrive(mbarrier_init(2).object, 2, 0, true);
    assert_true(step.completed);
    assert_int_equal(mbarrier_expected(step.object), 0);
    assert_int_equal(mbarrier_pending(step.object), 0);
    assert_int_equal(mbarrier_arrive(step.object, 1, 0, false).fault, MBARRIER_TOO_MANY);
    step = mbarrier_expect(step.object, 8);
    assert_false(step.completed);
    assert_true(mbarrier_complete(step.object, 8).completed);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct strbuf words = {0};
    uint64_t object = mbarrier_arrive(mbarrier_init(3).object, 1, 512, false).object;
    mbarrier_describe(object, &words);
    assert_non_null(strstr(strbuf_text(&words), "2 of 3 arrivals missing"));
    assert_non_null(strstr(strbuf_text(&words), "512 bytes missing"));
    strbuf_free(&words);
    mbarrier_describe(mbarrier_complete(object, 520).object, &words);
    assert_non_null(strstr(strbuf_text(&words), "8 bytes came that nobody expects"));
    strbuf_free(&words);
    mbarrier_describe(0, &words);
    assert_string_equal(strbuf_text(&words), "not initialised");
    strbuf_free(&words);
    mbarrier_describe_fault(MBARRIER_TOO_MANY, object, 3, &words);
    assert_non_null(strstr(strbuf_text(&words), "3 arrive at an mbarrier where 2 of 3"));
    strbuf_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_as_the_manual_says),
        cmocka_unit_test(an_object_is_made_and_unmade),
        cmocka_unit_test(nobody_is_left),
        cmocka_unit_test(what_is_missing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
