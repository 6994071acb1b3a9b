/* The epochs of a block (memory/block_order.h) against a plain list of its accesses. A fence waits for every access that
 * issued before the block last synchronised, and for none that issues behind the fence; while there is no place for
 * another epoch, for a few of these too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "memory/block_order.h"

#define MOST 256 /* accesses out */

/* The oracle: accesses by the time of their issue. */
struct list {
    struct {
        uint64_t time;
        uint8_t epoch;
    } out[MOST];
    unsigned count;
    uint64_t time, synchronised;
};

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static bool older_out(const struct list *l, uint64_t time)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->out[i].time < time)
            return true;
    return false;
}

static void issue(struct block_order *o, struct list *l)
{
    if (l->count == MOST)
        return;
    l->out[l->count].time = ++l->time;
    l->out[l->count++].epoch = block_order_epoch(o);
    block_order_add(o, block_order_epoch(o));
}

/* One of the accesses that are out is performed, an old one more often than a young one. */
static bool perform(struct block_order *o, struct list *l, uint64_t random)
{
    if (!l->count)
        return false;
    unsigned i = (unsigned)(random % l->count * (random / 1024 % l->count) / l->count);
    uint8_t epoch = l->out[i].epoch;
    memmove(&l->out[i], &l->out[i + 1], (l->count - i - 1) * sizeof l->out[0]);
    l->count--;
    return block_order_done(o, epoch);
}

static void check_state(const struct block_order *o, const struct list *l)
{
    uint32_t out[BLOCK_EPOCHS] = {0};
    for (unsigned i = 0; i < l->count; i++)
        out[l->out[i].epoch]++;
    assert_memory_equal(out, o->out, sizeof out);
    assert_in_range(o->now - o->first, 0, BLOCK_EPOCHS - 1);
    assert_true(o->first == o->now || o->out[o->first % BLOCK_EPOCHS]);
    assert_true(o->late ? o->synchronised == o->now + 1 : (int32_t)(o->now - o->synchronised) >= 0);
}

/* A fence begins: it must not end before what it waits for, and does when all that had issued by then is performed. */
static void try_fence(const struct block_order *o, const struct list *l)
{
    struct block_order copy = *o;
    struct list rest = *l;
    uint32_t after = o->synchronised;
    uint64_t synchronised = l->synchronised, begin = l->time + 1;
    bool more = true;
    while (!block_order_reached(&copy, after)) {
        assert_true(older_out(&rest, begin)); /* it waits for something */
        if (more && rest.count < MOST)
            issue(&copy, &rest); /* others go on behind it */
        more = !more;
        if ((int32_t)(after - copy.now) > 0) /* that epoch has not begun */
            begin = rest.time + 1;
        block_order_synchronise(&copy);
        uint8_t epoch = rest.out[0].epoch;
        rest.count--;
        memmove(&rest.out[0], &rest.out[1], rest.count * sizeof rest.out[0]);
        block_order_done(&copy, epoch);
    }
    assert_false(older_out(&rest, synchronised + 1));
}

static void walk(uint64_t seed, unsigned issues, unsigned synchronisations)
{
    struct block_order o = {0};
    struct list l = {0};
    for (unsigned step = 0; step < 4000; step++) {
        uint64_t choice = draw(&seed) % 100;
        if (choice < issues) {
            issue(&o, &l);
        } else if (choice < issues + synchronisations) {
            block_order_synchronise(&o);
            l.synchronised = l.time;
        } else {
            perform(&o, &l, draw(&seed));
        }
        check_state(&o, &l);
        if (step % 7 == 0)
            try_fence(&o, &l);
    }
    while (l.count)
        perform(&o, &l, 0);
    assert_true(block_order_reached(&o, o.synchronised));
}

static void test_random_walks(void **state)
{
    for (unsigned seed = 0; seed < 20; seed++) {
        walk(seed, 45, 5);
        walk(seed, 40, 20); /* epochs beyond those that there is place for */
        walk(seed, 20, 50);
    }
}

/* Without a synchronisation a fence waits for nobody else; behind one, for what issued before it only. */
static void test_by_hand(void **state)
{
    struct block_order o = {0};
    uint8_t first = block_order_epoch(&o);
    block_order_add(&o, first);
    assert_true(block_order_reached(&o, o.synchronised));
    block_order_synchronise(&o);
    uint8_t second = block_order_epoch(&o);
    assert_int_not_equal(first, second);
    block_order_add(&o, second);
    uint32_t fence = o.synchronised;
    assert_false(block_order_reached(&o, fence));
    assert_false(block_order_done(&o, second));
    block_order_add(&o, second);
    assert_true(block_order_done(&o, first));
    assert_true(block_order_reached(&o, fence));
    /* Nothing is out since: the synchronisation needs no epoch of its own. */
    assert_false(block_order_done(&o, second));
    block_order_synchronise(&o);
    assert_int_equal(block_order_epoch(&o), second);
    assert_true(block_order_reached(&o, o.synchronised));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_random_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
