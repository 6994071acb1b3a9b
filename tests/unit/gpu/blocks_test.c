/* What schedulers see and are told of blocks and barriers. A policy that puts the block with the most warps at a
 * barrier first compares all of it, whenever it looks, with a count of its own over the SM's warps one by one. */
#include "gpu_support.h"

#include "base/bits.h"
#include "gpu/gpu_impl.h"
#include "sm/state.h"

/* The SM of a scheduler: the context of its view is the SM's warp table. */
static const struct sm *sm_of(const struct lockstep_scheduler_view *view)
{
    return (const struct sm *)((const char *)view->context - offsetof(struct sm, warp));
}

/* An SM as the last cycle left it, counted anew. Only one SM, in one thread. */
static struct {
    const struct sm *sm;
    uint64_t cycle; /* that this is known of, from before anything issues in it */
    struct lockstep_block_view blocks[64];
    uint64_t here[64];                     /* by block: warps at a barrier, by the events */
    uint64_t since[64];                    /* by warp at a barrier: cycle in which it came */
    uint64_t block_number[64], blocks_met; /* by block; blocks that were launched */
    uint64_t arrivals, openings, looks, most;
} seen;

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    (void)state;
    if (setup->index == 0)
        memset(&seen, 0, sizeof seen);
}

static void recount(const struct lockstep_scheduler_view *view)
{
    memset(seen.blocks, 0, sizeof seen.blocks);
    for (unsigned slot = 0; slot < 64; slot++) {
        struct sm_warp_state w;
        sm_warp_state(sm_of(view), slot, &w);
        if (!w.resident)
            continue;
        struct lockstep_block_view *block = &seen.blocks[view->warps[slot].block];
        block->warps |= BIT64(slot);
        block->live += !w.finished;
        block->ended += w.finished;
        block->arrived += w.waits >> WARP_WAIT_barrier & 1;
    }
}

/* When the first of those came that are at a barrier of the block. */
static uint64_t first_of(unsigned block)
{
    uint64_t first = seen.here[block] ? UINT64_MAX : 0;
    for (uint64_t rest = seen.here[block]; rest; rest &= rest - 1)
        first = seen.since[mask_first(rest)] < first ? seen.since[mask_first(rest)] : first;
    return first;
}

static void compare(const struct lockstep_scheduler_view *view)
{
    for (unsigned b = 0; b < 64; b++) {
        const struct lockstep_block_view *is = &view->blocks[b], *should = &seen.blocks[b];
        assert_int_equal(is->warps, should->warps);
        assert_int_equal(is->live, should->live);
        assert_int_equal(is->ended, should->ended);
        assert_int_equal(is->arrived, should->arrived);
        assert_int_equal(mask_count(seen.here[b]), should->arrived);
        assert_int_equal(is->first_arrival, first_of(b));
        if (is->live)
            assert_int_equal(is->number, seen.block_number[b]);
        seen.most = is->arrived > seen.most ? is->arrived : seen.most;
    }
    assert_int_equal(view->at_barrier & ~view->waiting, 0);
    seen.looks++;
}

static void advance(void *state, const struct lockstep_scheduler_view *view)
{
    (void)state;
    if (seen.sm != view->context || seen.cycle != view->cycle)
        recount(view); /* the first to look in this cycle: nothing has issued in it */
    seen.sm = view->context;
    seen.cycle = view->cycle;
    compare(view);
}

/* Whether warp a goes before warp b. */
static bool before(const struct lockstep_scheduler_view *view, unsigned a, unsigned b)
{
    const struct lockstep_block_view *of_a = &view->blocks[view->warps[a].block];
    const struct lockstep_block_view *of_b = &view->blocks[view->warps[b].block];
    if (of_a->arrived != of_b->arrived)
        return of_a->arrived > of_b->arrived;
    return view->warps[a].age < view->warps[b].age;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    (void)state;
    unsigned best = mask_first(view->ready);
    for (uint64_t rest = view->ready; rest; rest &= rest - 1)
        best = before(view, mask_first(rest), best) ? mask_first(rest) : best;
    return best;
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    (void)state;
    bool is_new = !seen.blocks_met || launch->block_number >= seen.blocks_met;
    seen.blocks_met += is_new;
    assert_true(launch->block_number < seen.blocks_met);
    seen.block_number[launch->block] = launch->block_number;
    assert_int_equal(seen.here[launch->block], 0);
}

static unsigned told; /* schedulers that were told of the event at hand; they are told one after the other */

static void arrived(void *state, unsigned warp, unsigned block, uint64_t cycle)
{
    (void)state;
    if (told++ % 2)
        return;
    seen.since[warp] = cycle;
    assert_false(mask_has(seen.here[block], warp));
    seen.here[block] |= BIT64(warp);
    seen.arrivals++;
}

static void released(void *state, uint64_t warps, unsigned block, uint64_t cycle)
{
    (void)state, (void)cycle;
    if (told++ % 2)
        return;
    assert_true(warps && (warps & ~seen.here[block]) == 0);
    seen.here[block] &= ~warps;
    seen.openings++;
}

static const struct lockstep_scheduler most_first = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "most-first",
    .reset = reset,
    .advance = advance,
    .pick = pick,
    .launched = launched,
    .arrived = arrived,
    .released = released,
};

/* Warps take different times to three barriers; the last warp of a block ends before the third, the first one's lanes
 * do not all come to the loop. */
static const char in_turn[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "shr.u32 %r6, %r2, 5; shr.u32 %r7, %r4, 5; sub.u32 %r7, %r7, 1; mov.u32 %r8, 0; mov.u32 %r9, %r6;\n"
                   "again: add.u32 %r8, %r8, 1; mul.lo.u32 %r9, %r9, %r8; setp.le.u32 %p1, %r8, %r6; @%p1 bra again;\n"
                   "bar.sync 0; st.global.u32 [%rd2], %r9; bar.sync 1; setp.eq.u32 %p2, %r6, %r7; @%p2 ret;\n"
                   "ld.global.u32 %r10, [%rd2]; bar.sync 0; add.u32 %r10, %r10, 1; st.global.u32 [%rd2], %r10; ret;");

/* Warps of even and of odd number meet at barriers of their own, of which one opens while warps wait at the other. */
static const char in_halves[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "shr.u32 %r6, %r2, 5; and.b32 %r7, %r6, 1; mov.u32 %r8, 0; shr.u32 %r9, %r4, 1;\n"
                   "again: add.u32 %r8, %r8, 1; setp.le.u32 %p1, %r8, %r6; @%p1 bra again;\n"
                   "setp.eq.u32 %p2, %r7, 0; @%p2 bra even;\n"
                   "bar.sync 3, %r9; bra.uni all;\n"
                   "even: bar.sync 2, %r9;\n"
                   "all: st.global.u32 [%rd2], %r8; bar.sync 0; ret;");

static void run(const char *text, const char *settings, struct shape shape, unsigned arrivals, unsigned openings)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    gpu_destroy_units(d.gpu);
    d.gpu->scheduler.policy = &most_first;
    gpu_build_units(d.gpu);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 1 << 20);
    told = 0;
    device_run(&d, "k", shape, p, 0);
    unsigned warps = (shape.block + 31) / 32;
    assert_int_equal(seen.arrivals, arrivals * shape.grid);
    assert_int_equal(seen.openings, openings * shape.grid);
    assert_int_equal(seen.blocks_met, shape.grid);
    assert_int_equal(told, 2 * (seen.arrivals + seen.openings)); /* by both schedulers */
    assert_true(seen.looks > 100 && seen.most >= warps / 2);
    device_close(&d);
}

static void test_views_and_events(void **state)
{
    static const struct {
        const char *settings;
        struct shape shape;
    } cases[] = {
        {"gpu.sms=1", {.grid = 7, .block = 256, .threads = 1}},
        {"gpu.sms=1", {.grid = 20, .block = 96, .threads = 1}},
        {"gpu.sms=1 sm.issue_width=2", {.grid = 9, .block = 192, .threads = 1}},
        {"gpu.sms=1 sm.schedulers_take_turns=false", {.grid = 3, .block = 1000, .threads = 1, .every_cycle = true}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned warps = (cases[i].shape.block + 31) / 32;
        run(in_turn, cases[i].settings, cases[i].shape, 3 * warps - 1, 3);
        if (cases[i].shape.block % 64 == 0)
            run(in_halves, cases[i].settings, cases[i].shape, 2 * warps, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_views_and_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
