/* Warp schedulers through their interface: one scheduler that owns all slots, and the facts that the test gives it. */
#ifndef LOCKSTEP_TESTS_SCHED_BENCH_H
#define LOCKSTEP_TESTS_SCHED_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "core/sched/sched.h"

struct bench {
    struct sched sched;
    const struct lockstep_scheduler *policy;
    void *state;
    struct lockstep_warp_view warps[64];
    struct lockstep_block_view blocks[64];
    uint64_t members, waiting, long_wait;
    uint64_t ready;        /* of the cycle at hand */
    uint32_t diverged[64]; /* where other threads of the warp stand, 0: nowhere */
    uint64_t now;
};

static inline uint32_t bench_next_pc(const struct lockstep_scheduler_view *view, unsigned warp, uint32_t pc)
{
    const struct bench *b = view->context;
    uint32_t one = b->warps[warp].pc, other = b->diverged[warp] ? b->diverged[warp] : one;
    uint32_t low = one < other ? one : other, high = one < other ? other : one;
    return low > pc ? low : high > pc ? high : low;
}

/* name: with options, as --sched takes it. The kernel begins in cycle `start` and has 100 instructions. */
static inline void bench_start(struct bench *b, const char *name, uint64_t rotation, uint64_t start)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(sched_open(&b->sched, name, NULL), 0);
    sched_settle(&b->sched, &(struct sm_params){.age_rotation = (uint32_t)rotation});
    b->policy = b->sched.policy;
    b->now = start;
    b->state = calloc(1, b->policy->state_bytes + 1);
    struct lockstep_scheduler_setup setup = {.index = 0,
                                             .count = 1,
                                             .slots = ~UINT64_C(0),
                                             .cycle = start,
                                             .instructions = 100,
                                             .options = b->sched.options};
    b->policy->reset(b->state, &setup);
}

static inline void bench_end(struct bench *b)
{
    free(b->state);
    sched_close(&b->sched);
}

/* A warp of a block, with that age, begins in the slot, at pc 0, in this cycle. */
static inline void launch_in(struct bench *b, unsigned block, unsigned slot, uint64_t age)
{
    b->warps[slot] = (struct lockstep_warp_view){.age = age, .block = block};
    b->blocks[block].warps |= BIT64(slot);
    b->blocks[block].live++;
    b->members |= BIT64(slot);
    struct lockstep_launch launch = {
        .warp = slot, .block = block, .age = age, .block_number = b->blocks[block].number, .cycle = b->now};
    if (b->policy->launched)
        b->policy->launched(b->state, &launch);
}

/* All warps belong to the block in slot 0. */
static inline void launch(struct bench *b, unsigned slot, uint64_t age)
{
    launch_in(b, 0, slot, age);
}

/* A block of so many warps begins; they are as old as their slots say. */
static inline void launch_block(struct bench *b, unsigned block, uint64_t number, unsigned first, unsigned warps)
{
    b->blocks[block] = (struct lockstep_block_view){.number = number};
    for (unsigned i = 0; i < warps; i++)
        launch_in(b, block, first + i, 64 * number + i);
}

static inline void end(struct bench *b, unsigned slot)
{
    b->members &= ~BIT64(slot);
    b->blocks[b->warps[slot].block].live--;
    b->blocks[b->warps[slot].block].ended++;
    if (b->policy->ended)
        b->policy->ended(b->state, slot, b->now);
}

static inline struct lockstep_scheduler_view bench_view(const struct bench *b, uint64_t ready)
{
    return (struct lockstep_scheduler_view){.cycle = b->now,
                                            .ready = ready,
                                            .members = b->members,
                                            .waiting = b->waiting,
                                            .long_wait = b->long_wait,
                                            .warps = b->warps,
                                            .blocks = b->blocks,
                                            .next_pc = bench_next_pc,
                                            .context = b};
}

/* What would be picked now. */
static inline unsigned ask(const struct bench *b, uint64_t ready)
{
    struct lockstep_scheduler_view view = bench_view(b, ready);
    unsigned slot = b->policy->pick(b->state, &view);
    assert_true(slot == LOCKSTEP_NO_WARP || mask_has(ready, slot));
    return slot;
}

/* The warp issues the instruction where it is and goes on at `next`. */
static inline void issue_to(struct bench *b, unsigned slot, uint32_t next)
{
    struct lockstep_warp_view *w = &b->warps[slot];
    w->issued_pc = w->pc;
    w->pc = next;
    w->issued++;
    struct lockstep_scheduler_view view = bench_view(b, b->ready | BIT64(slot));
    if (b->policy->issued)
        b->policy->issued(b->state, slot, &view);
}

/* One cycle with these warps ready; the pick is issued and goes straight on. */
static inline unsigned cycle(struct bench *b, uint64_t now, uint64_t ready)
{
    b->now = now;
    struct lockstep_scheduler_view view = bench_view(b, ready);
    if (b->policy->advance)
        b->policy->advance(b->state, &view);
    unsigned slot = ask(b, ready);
    assert_int_equal(slot, ask(b, ready)); /* picking changes nothing */
    b->ready = ready;
    if (slot != LOCKSTEP_NO_WARP)
        issue_to(b, slot, b->warps[slot].pc + 1);
    b->ready = 0;
    return slot;
}

#endif
