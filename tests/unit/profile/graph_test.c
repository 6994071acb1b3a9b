/* Who waited for whom, from logs of SMs that are made here: against a sum over every cycle of every wait, and in which
 * order threads take words, with the circles in that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "profile/graph.h"
#include "profile/words_sm.h"

#define LOCK 0x1000
#define SMS 3
#define WARPS 4 /* of an SM: one of each block */
#define END 400 /* cycle */
#define SITES 3

struct states {
    struct profile_words *of[SMS];
};

static struct states fresh(void)
{
    struct states s;
    for (unsigned sm = 0; sm < SMS; sm++) {
        s.of[sm] = calloc(1, profile_words_bytes());
        assert_non_null(s.of[sm]);
        for (uint32_t warp = 0; warp < WARPS; warp++)
            profile_words_launch(s.of[sm], &(struct lockstep_launch_event){.warp = warp,
                                                                           .block_index = (uint32_t[]){sm, 7, warp},
                                                                           .warp_in_block = 2});
    }
    return s;
}

static void free_states(struct states *s)
{
    for (unsigned sm = 0; sm < SMS; sm++)
        free(s->of[sm]);
}

static const struct profile_words *const *views(const struct states *s)
{
    return (const struct profile_words *const *)s->of;
}

/* A lane of an SM. */
struct who {
    uint32_t sm, warp, lane;
};

static void attempt(struct states *s, struct who who, uint64_t address, uint64_t cycle, uint32_t pc, bool takes)
{
    profile_words_atomic(s->of[who.sm], &(struct lockstep_atomic_event){.cycle = cycle,
                                                                        .warp = who.warp,
                                                                        .pc = pc,
                                                                        .lane = who.lane,
                                                                        .space = LOCKSTEP_GLOBAL,
                                                                        .operation = LOCKSTEP_ATOMIC_COMPARE_AND_SWAP,
                                                                        .performed = takes,
                                                                        .address = address,
                                                                        .before = !takes,
                                                                        .after = 1});
}

static void give(struct states *s, struct who who, uint64_t address, uint64_t cycle)
{
    uint64_t addresses[64] = {0};
    uint32_t data[64] = {0};
    addresses[who.lane] = address;
    profile_words_access(s->of[who.sm], &(struct lockstep_access_event){.cycle = cycle,
                                                                        .warp = who.warp,
                                                                        .pc = 90,
                                                                        .instruction_class = LOCKSTEP_STORE,
                                                                        .space = LOCKSTEP_GLOBAL,
                                                                        .bytes = 4,
                                                                        .mask = UINT64_C(1) << who.lane,
                                                                        .address = addresses,
                                                                        .data = data,
                                                                        .stride = 4});
}

static void end_all(struct states *s)
{
    for (unsigned sm = 0; sm < SMS; sm++)
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            profile_words_leave(s->of[sm], warp, END);
            profile_words_forget(s->of[sm], warp);
        }
}

struct gathered {
    struct profile_word_list list;
    struct profile_graphs graphs;
};

static struct gathered gather(const struct states *s)
{
    struct gathered g = {.list = profile_words_gather(views(s), SMS)};
    g.graphs = profile_graphs_gather(&g.list, 64, views(s), SMS);
    return g;
}

static void done(struct gathered *g, struct states *s)
{
    profile_graphs_free(&g->graphs);
    profile_words_free(&g->list);
    free_states(s);
}

static void expect_sum(const struct profile_graph *graph, const struct profile_edges *edges, uint64_t waited)
{
    uint64_t sum = graph->free + graph->unlogged + edges->others_cycles;
    for (uint32_t i = 0; i < edges->count; i++)
        sum += edges->of[i].cycles;
    assert_int_equal(sum, waited);
}

static void expect_edge(const struct gathered *g, const struct profile_edge *edge, uint32_t from, uint32_t to,
                        uint64_t times, uint64_t cycles)
{
    assert_int_equal(g->graphs.warps[edge->from].sm, from);
    assert_int_equal(g->graphs.warps[edge->to].sm, to);
    assert_int_equal(edge->times, times);
    assert_int_equal(edge->cycles, cycles);
}

/* Holder and waiters in three SMs: each waits for those that hold the lock before it. */
static void test_known(void **state)
{
    (void)state;
    struct states s = fresh();
    struct who a = {0, 0, 0}, b = {1, 0, 5}, c = {2, 3, 0};
    attempt(&s, a, LOCK, 100, 10, true);
    attempt(&s, c, LOCK, 110, 11, false);
    attempt(&s, b, LOCK, 120, 10, false);
    give(&s, a, LOCK, 200);
    attempt(&s, b, LOCK, 230, 12, true);
    give(&s, b, LOCK, 300);
    attempt(&s, c, LOCK, 370, 12, true);
    give(&s, c, LOCK, 380);
    struct gathered g = gather(&s);
    const struct profile_graph *graph = &g.graphs.of[0];
    assert_int_equal(g.graphs.warp_count, 3);
    assert_int_equal(g.graphs.warps[2].name.block, 2 | UINT64_C(7) << 32 | UINT64_C(3) << 48);
    assert_int_equal(g.graphs.warps[2].name.warp, 2);
    assert_int_equal(graph->warps.count, 3);
    expect_edge(&g, &graph->warps.of[0], 2, 0, 1, 90);
    expect_edge(&g, &graph->warps.of[1], 1, 0, 1, 80);
    expect_edge(&g, &graph->warps.of[2], 2, 1, 1, 70);
    assert_int_equal(graph->free, (370 - 300) + 30 + 30);
    assert_int_equal(graph->unlogged, 0);
    assert_int_equal(graph->sites.count, 3);
    assert_int_equal(graph->sites.of[0].from, 11); /* of its first attempt, though the one that took it is another */
    assert_int_equal(graph->sites.of[0].to, 10);
    expect_sum(graph, &graph->warps, 260 + 110);
    expect_sum(graph, &graph->sites, 260 + 110);
    assert_int_equal(g.graphs.order_count, 0);
    done(&g, &s);
}

/* A thread that ends with the word keeps it; those that never get it wait until their last attempt. */
static void test_kept(void **state)
{
    (void)state;
    struct states s = fresh();
    struct who a = {0, 0, 0}, b = {1, 0, 5};
    attempt(&s, b, LOCK + 4, 40, 10, false);
    attempt(&s, b, LOCK + 4, 60, 10, true);
    attempt(&s, a, LOCK, 100, 10, true);
    attempt(&s, b, LOCK, 120, 10, false);
    attempt(&s, b, LOCK, 310, 10, false);
    end_all(&s);
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.of[0].warps.count, 1);
    expect_edge(&g, &g.graphs.of[0].warps.of[0], 1, 0, 1, 190);
    assert_int_equal(g.graphs.of[1].free, 20);
    assert_int_equal(g.graphs.of[1].unlogged, 0);
    done(&g, &s);
}

/* Random logs */

static uint64_t place_of(const struct profile_section *section)
{
    return section->space == LOCKSTEP_SHARED ? section->by.block + 1 : 0;
}

static bool holds_at(const struct profile_section *section, uint64_t cycle)
{
    return section->taken <= cycle && cycle < section->given;
}

static bool is_behind(const struct profile_section *a, unsigned sm_a, const struct profile_section *b, unsigned sm_b)
{
    if (a->taken != b->taken)
        return a->taken > b->taken;
    if (a->given != b->given)
        return a->given > b->given;
    if (a->by.block != b->by.block)
        return a->by.block > b->by.block;
    return sm_a != sm_b ? sm_a > sm_b : a->taken_at > b->taken_at;
}

/* Who holds a word of that place in that cycle: the last one to take it, if it still does. */
static const struct profile_section *holder_at(const struct states *s, uint64_t place, uint32_t space, uint64_t cycle,
                                               unsigned *of)
{
    const struct profile_section *last = NULL;
    for (unsigned sm = 0; sm < SMS; sm++)
        for (uint32_t i = 0; i < s->of[sm]->section_count; i++) {
            const struct profile_section *section = &s->of[sm]->sections[i];
            if (section->space != space || place_of(section) != place || section->taken > cycle)
                continue;
            if (!last || is_behind(section, sm, last, *of)) {
                last = section;
                *of = sm;
            }
        }
    return last && holds_at(last, cycle) ? last : NULL;
}

static uint64_t met_by_cycles(const struct states *s, uint32_t space, const struct profile_graph_warp *from,
                              const struct profile_graph_warp *to)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < s->of[from->sm]->section_count; i++) {
        const struct profile_section *wait = &s->of[from->sm]->sections[i];
        if (wait->space != space || wait->by.block != from->name.block)
            continue;
        for (uint64_t cycle = wait->since; cycle < wait->taken; cycle++) {
            unsigned sm = 0;
            const struct profile_section *holder = holder_at(s, place_of(wait), space, cycle, &sm);
            cycles += holder && sm == to->sm && holder->by.block == to->name.block;
        }
    }
    return cycles;
}

static void add_random(struct states *s, struct random_stream *random, unsigned sm, uint32_t space)
{
    struct profile_words *words = s->of[sm];
    uint32_t warp = random_below(random, WARPS);
    uint64_t since = random_below(random, END), taken = since + random_below(random, 80);
    words->sections[words->section_count++] = (struct profile_section){.address = LOCK,
                                                                       .since = since,
                                                                       .taken = taken,
                                                                       .given = taken + random_below(random, 40),
                                                                       .space = space,
                                                                       .by = words->names[warp],
                                                                       .taken_at = random_below(random, SITES),
                                                                       .waited_at = random_below(random, SITES)};
}

static uint64_t waited_in(const struct states *s, uint32_t space)
{
    uint64_t waited = 0;
    for (unsigned sm = 0; sm < SMS; sm++)
        for (uint32_t i = 0; i < s->of[sm]->section_count; i++)
            if (s->of[sm]->sections[i].space == space)
                waited += s->of[sm]->sections[i].taken - s->of[sm]->sections[i].since;
    return waited;
}

static bool stands_before(const struct profile_edges *edges, uint32_t edge)
{
    for (uint32_t i = 0; i < edge; i++)
        if (edges->of[i].from == edges->of[edge].from && edges->of[i].to == edges->of[edge].to)
            return true;
    return false;
}

/* Holdings that overlap too: a word is held by the last one that took it. */
static void test_random(void **state)
{
    (void)state;
    struct random_stream random = random_stream_of(11, "graph", 0);
    for (unsigned round = 0; round < 20; round++) {
        struct states s = fresh();
        uint32_t space = round % 2 ? LOCKSTEP_SHARED : LOCKSTEP_GLOBAL;
        for (unsigned i = 0; i < 8 + 2 * round; i++)
            add_random(&s, &random, random_below(&random, SMS), space);
        struct profile_word_sum sum = {.word = {.address = LOCK, .space = space}};
        sum.word.counts[PROFILE_WORD_waited] = waited_in(&s, space);
        struct profile_word_list list = {.of = &sum, .count = 1};
        struct profile_graphs graphs = profile_graphs_gather(&list, 64, views(&s), SMS);
        const struct profile_graph *graph = graphs.of;
        uint64_t times[2] = {graph->warps.others_times, graph->sites.others_times};
        for (uint32_t i = 0; i < graph->warps.count; i++) {
            const struct profile_edge *edge = &graph->warps.of[i];
            assert_int_equal(edge->cycles,
                             met_by_cycles(&s, space, &graphs.warps[edge->from], &graphs.warps[edge->to]));
            assert_true(!i || edge[-1].cycles >= edge->cycles);
            times[0] += edge->times;
        }
        for (uint32_t i = 0; i < graph->sites.count; i++) {
            times[1] += graph->sites.of[i].times;
            assert_false(stands_before(&graph->sites, i));
        }
        assert_int_equal(times[0], times[1]);
        assert_int_equal(graph->unlogged, 0);
        expect_sum(graph, &graph->warps, sum.word.counts[PROFILE_WORD_waited]);
        expect_sum(graph, &graph->sites, sum.word.counts[PROFILE_WORD_waited]);
        profile_graphs_free(&graphs);
        free_states(&s);
    }
}

/* Orders */

/* The lane takes one word, at once, and then the other, for which it waits. */
static void nest(struct states *s, struct who who, uint64_t first, uint64_t next, uint64_t cycle)
{
    attempt(s, who, first, cycle, 20, true);
    attempt(s, who, next, cycle + 4, 30, false);
    attempt(s, who, next, cycle + 10, 31, true);
    give(s, who, next, cycle + 12);
    give(s, who, first, cycle + 20);
}

static void test_orders(void **state)
{
    (void)state;
    struct states s = fresh();
    nest(&s, (struct who){0, 0, 0}, LOCK, LOCK + 8, 100);
    nest(&s, (struct who){0, 1, 3}, LOCK, LOCK + 8, 130);
    nest(&s, (struct who){1, 0, 0}, LOCK + 8, LOCK + 16, 160);
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.order_count, 2);
    const struct profile_order_edge *edge = &g.graphs.orders[0];
    assert_int_equal(g.list.of[edge->from].word.address, LOCK);
    assert_int_equal(g.list.of[edge->to].word.address, LOCK + 8);
    assert_int_equal(edge->times, 2);
    assert_int_equal(edge->cycles, 12);
    assert_int_equal(edge->held_at, 20);
    assert_int_equal(edge->attempts_at, 30);
    assert_int_equal(edge->gave_way, 0);
    assert_int_equal(g.graphs.circle_count, 0);
    done(&g, &s);
}

static void test_circle(void **state)
{
    (void)state;
    struct states s = fresh();
    nest(&s, (struct who){0, 0, 0}, LOCK, LOCK + 8, 100);
    nest(&s, (struct who){2, 1, 0}, LOCK + 8, LOCK + 16, 130);
    nest(&s, (struct who){1, 0, 0}, LOCK + 16, LOCK, 160);
    nest(&s, (struct who){1, 0, 0}, LOCK + 32, LOCK, 190); /* leads to the circle, and is none of it */
    nest(&s, (struct who){1, 2, 0}, LOCK, LOCK + 64, 220); /* and leads away */
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.order_count, 5);
    assert_int_equal(g.graphs.circle_count, 1);
    const struct profile_circle *circle = &g.graphs.circles[0];
    assert_int_equal(circle->count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(circle->edges[i].to, circle->edges[(i + 1) % 3].from);
        assert_true(g.list.of[circle->edges[i].from].word.address <= LOCK + 16);
    }
    done(&g, &s);
}

/* A thread that gives the first word back when it does not get the second one: nobody can wait for ever. One that goes
 * on after a single attempt does not wait either. */
static void test_gave_way(void **state)
{
    (void)state;
    struct states s = fresh();
    struct who who = {1, 0, 0}, other = {2, 0, 0};
    nest(&s, (struct who){0, 0, 0}, LOCK, LOCK + 8, 100);
    attempt(&s, who, LOCK + 8, 130, 20, true);
    attempt(&s, who, LOCK, 134, 30, false);
    attempt(&s, who, LOCK, 137, 30, false);
    give(&s, who, LOCK + 8, 140);
    attempt(&s, who, LOCK + 8, 150, 20, true);
    attempt(&s, other, LOCK + 8, 170, 20, true);
    attempt(&s, other, LOCK, 180, 30, false);
    end_all(&s);
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.order_count, 2);
    const struct profile_order_edge *edge = &g.graphs.orders[1];
    assert_int_equal(edge->times, 2);
    assert_int_equal(edge->gave_way, 2);
    assert_int_equal(g.graphs.circle_count, 0);
    done(&g, &s);
}

/* Threads that do wait for each other until they are stopped. */
static void test_deadlock(void **state)
{
    (void)state;
    struct states s = fresh();
    for (uint32_t n = 0; n < 2; n++) {
        struct who who = {n, 0, 0};
        attempt(&s, who, LOCK + 8 * n, 100, 20, true);
        attempt(&s, who, LOCK + 8 * !n, 150, 30, false);
        attempt(&s, who, LOCK + 8 * !n, 350, 30, false);
    }
    end_all(&s);
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.circle_count, 1);
    assert_int_equal(g.graphs.circles[0].count, 2);
    assert_int_equal(g.graphs.orders[0].cycles, 200);
    done(&g, &s);
}

/* A reader gives its lock back by counting down from what others have counted, and takes it again: it does not wait for
 * itself. A thread that never gets what it holds does. */
static void test_itself(void **state)
{
    (void)state;
    struct states s = fresh();
    struct who reader = {0, 0, 0}, stuck = {1, 0, 0};
    attempt(&s, (struct who){2, 0, 0}, LOCK, 90, 20, true);
    give(&s, (struct who){2, 0, 0}, LOCK, 95);
    attempt(&s, reader, LOCK, 100, 20, true);
    attempt(&s, reader, LOCK, 110, 20, false);
    attempt(&s, reader, LOCK, 120, 20, true);
    end_all(&s);
    struct gathered g = gather(&s);
    assert_int_equal(g.graphs.order_count, 0);
    assert_int_equal(g.graphs.circle_count, 0);
    done(&g, &s);
    s = fresh();
    attempt(&s, stuck, LOCK, 100, 20, true);
    attempt(&s, stuck, LOCK, 110, 30, false);
    attempt(&s, stuck, LOCK, 310, 30, false);
    end_all(&s);
    g = gather(&s);
    assert_int_equal(g.graphs.circle_count, 1);
    assert_int_equal(g.graphs.circles[0].count, 1);
    done(&g, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known),    cmocka_unit_test(test_kept),
                                       cmocka_unit_test(test_random),   cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_circle),   cmocka_unit_test(test_gave_way),
                                       cmocka_unit_test(test_deadlock), cmocka_unit_test(test_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
