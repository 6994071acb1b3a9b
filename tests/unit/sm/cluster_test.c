/* The barrier of a cluster: blocks whose warps arrive, wait and end in random order, and whose messages to each other take
 * as long as they like, but keep their order between two blocks. No warp goes on before all warps of the cluster have
 * arrived that have not ended, and all go on in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"
#include "sm/cluster.h"

#define BLOCKS 4
#define WARPS 3
#define ROUNDS 6

struct warp {
    unsigned arrivals, waits; /* so far */
    unsigned last;            /* phases after which it ends */
    bool waiting, ended;
};

struct message {
    bool end;
    unsigned parity;
};

struct bench {
    struct random_stream random;
    struct sm_cluster blocks[BLOCKS];
    uint64_t running[BLOCKS];
    struct warp warps[BLOCKS][WARPS];
    struct message queue[BLOCKS][BLOCKS][2 * ROUNDS + 2]; /* from, to */
    unsigned sent[BLOCKS][BLOCKS], came[BLOCKS][BLOCKS];
};

static void tell(struct bench *b, unsigned from, bool end)
{
    for (unsigned to = 0; to < BLOCKS; to++)
        if (to != from)
            b->queue[from][to][b->sent[from][to]++] = (struct message){end, b->blocks[from].parity};
}

/* Every warp that has not ended has arrived as often. */
static bool all_arrived(const struct bench *b, unsigned phases)
{
    bool all = true;
    for (unsigned i = 0; i < BLOCKS * WARPS; i++) {
        const struct warp *w = &b->warps[i / WARPS][i % WARPS];
        all &= w->ended || w->arrivals >= phases;
    }
    return all;
}

static void open(struct bench *b, unsigned block)
{
    uint64_t released;
    if (!sm_cluster_open(&b->blocks[block], block, BLOCKS, &released))
        return;
    for (unsigned w = 0; w < WARPS; w++) {
        struct warp *warp = &b->warps[block][w];
        assert_int_equal(mask_has(released, w), warp->waiting);
        if (!warp->waiting)
            continue;
        assert_true(all_arrived(b, warp->waits));
        warp->waiting = false;
    }
}

static void step_warp(struct bench *b, unsigned block, unsigned w)
{
    struct warp *warp = &b->warps[block][w];
    struct sm_cluster *c = &b->blocks[block];
    if (warp->ended || warp->waiting)
        return;
    if (warp->waits < warp->arrivals) {
        warp->waits++;
        warp->waiting = sm_cluster_waits(c, w);
        if (!warp->waiting)
            assert_true(all_arrived(b, warp->waits));
    } else if (warp->arrivals < warp->last) {
        warp->arrivals++;
        if (sm_cluster_arrive(c, w, b->running[block], block))
            tell(b, block, false);
    } else {
        warp->ended = true;
        b->running[block] &= ~BIT64(w);
        if (!b->running[block])
            tell(b, block, true);
        else if (sm_cluster_warp_ended(c, b->running[block], block))
            tell(b, block, false);
    }
    open(b, block);
}

static void step_message(struct bench *b, unsigned from, unsigned to)
{
    if (b->came[from][to] == b->sent[from][to])
        return;
    const struct message *m = &b->queue[from][to][b->came[from][to]++];
    if (m->end)
        sm_cluster_ended(&b->blocks[to], from);
    else
        sm_cluster_came(&b->blocks[to], from, m->parity);
    open(b, to);
}

static bool all_ended(const struct bench *b)
{
    bool all = true;
    for (unsigned i = 0; i < BLOCKS; i++)
        all &= !b->running[i];
    return all;
}

static void run(uint64_t seed)
{
    struct bench b = {.random = random_stream_of(seed, "barriers of clusters", 0)};
    for (unsigned i = 0; i < BLOCKS * WARPS; i++)
        b.warps[i / WARPS][i % WARPS].last = random_below(&b.random, 4) ? ROUNDS : random_below(&b.random, ROUNDS);
    for (unsigned i = 0; i < BLOCKS; i++)
        b.running[i] = mask_low(WARPS);
    for (unsigned n = 0; !all_ended(&b); n++) {
        assert_true(n < 100000);
        unsigned block = random_below(&b.random, BLOCKS), other = random_below(&b.random, BLOCKS);
        if (random_below(&b.random, 2))
            step_warp(&b, block, random_below(&b.random, WARPS));
        else if (block != other)
            step_message(&b, block, other);
    }
}

static void random_orders(void **state)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
        run(seed);
}

/* A block that has not come is told by its rank. */
static void missing(void **state)
{
    struct sm_cluster c = {0};
    assert_int_equal(sm_cluster_missing(&c, 4), 0xF);
    assert_false(sm_cluster_arrive(&c, 1, 3, 2));
    assert_int_equal(sm_cluster_missing(&c, 4), 0xF);
    assert_true(sm_cluster_arrive(&c, 0, 3, 2));
    sm_cluster_came(&c, 0, 0);
    sm_cluster_ended(&c, 3);
    assert_int_equal(sm_cluster_missing(&c, 4), 0x2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_orders),
        cmocka_unit_test(missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
