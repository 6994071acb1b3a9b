/* Independent thread scheduling: lanes part as on a stack and wait for each other where branches meet, but a wait that
 * keeps lanes from going on is given up in the end, so that every lane executes again and again, whatever the others
 * do.
 *
 * splits.h defines the paths of a warp and the words for them (split, reconvergence point, turn).
 *
 * The rule of turns:
 *   1. A split that comes to a reconvergence point, returns or ends gives its turn to the reconvergence point if that
 *      is complete now, else to the ready split that stands last in the table: the youngest, as on a stack.
 *   2. A split that sleeps, waits for named lanes, asks for a lock in vain, or goes back in a loop that polls
 *      (simt_op.polls: in which it may wait for others) gives its turn to the ready split that stands first in the
 *      table, and goes behind the last.
 *   3. A split that has gone back SIMT_MOST_PASSES times, where a pass of a loop that polls, a lock asked for in vain
 *      and a sleep count SIMT_POLL_PASSES, lets the lanes go that wait for it at reconvergence points, and those that
 *      wait there for splits that wait for named lanes; and it does as in 2. The passes of a split are inherited by the
 *      splits that it parts into and by the reconvergence point that it comes to.
 *   4. Where no split is ready, all lanes at reconvergence points are let go. If there are none, named lanes are waited
 *      for in vain.
 *   5. Splits that stand at one pc in one frame, after the same calls, become one: where a split gives its turn as in
 *      2, and where it waits for named lanes.
 * A split that goes on for ever goes back, or calls until local memory is used up. So the turn is given as in 2 after a
 * bounded number of instructions, and the first ready split has it then: each waits at most for those before it, and as
 * long again for each that joined it meanwhile, which are no more than lanes. Lanes at a reconvergence point are let go
 * after SIMT_MOST_PASSES passes of each split that they wait for. */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/splits.h"

static uint32_t last_ready(const struct simt_paths *paths)
{
    for (uint32_t i = paths->count; i-- > 0;)
        if (paths->table[i].kind == SIMT_READY)
            return i;
    return SIMT_NO_PATH;
}

/* Nobody has the turn: rules 1 and 4. */
static void give_turn(struct simt_paths *paths)
{
    uint32_t to = last_ready(paths);
    if (to == SIMT_NO_PATH) {
        simt_let_go(paths, ~UINT64_C(0), 0);
        to = last_ready(paths);
    }
    contract(to != SIMT_NO_PATH);
    paths->table[to].kind = SIMT_TURN;
}

/* Lanes have left their paths: what follows from that. */
static void settle(struct simt_paths *paths)
{
    struct simt_completed done = simt_complete(paths);
    if (done.lanes && !done.has_turn)
        paths->table[done.first].kind = SIMT_TURN;
    simt_leave_out_empty(paths);
    paths->now = NULL;
    if (!paths->count)
        return;
    if (!done.lanes && !done.has_turn) {
        give_turn(paths);
        simt_leave_out_empty(paths);
    }
    paths->now = simt_splits_turn(paths);
}

/* Rule 2, and 3 if it has had its passes. */
static void put_off(struct simt_paths *paths)
{
    if (paths->now->spent >= SIMT_MOST_PASSES) {
        paths->now->spent = 0;
        uint32_t now = simt_number_of_now(paths);
        simt_let_go(paths, paths->now->mask | simt_lanes_for_named(paths), 0);
        paths->now = &paths->table[now];
        settle(paths);
    }
    simt_take_turns(paths, simt_join_ready);
}

/* Lanes that went back made a pass. */
static void push_group(struct simt_paths *paths, const struct simt_path *from, uint64_t mask, uint32_t pc,
                       unsigned passes)
{
    if (simt_push_split(paths, from, mask, pc) && pc <= from->pc)
        simt_add_passes(&paths->table[paths->count - 1], passes);
}

/* Back in a loop: `passes` for that. polls: another split may have the turn at once. */
static void go_back(struct simt_paths *paths, uint32_t target, unsigned passes, bool polls)
{
    simt_add_passes(paths->now, passes);
    simt_advance(paths, target);
    if (paths->now->pc == target && (polls || paths->now->spent >= SIMT_MOST_PASSES))
        put_off(paths);
}

static void branch_with(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                        uint32_t reconverge, bool polls)
{
    uint64_t mask = paths->now->mask;
    uint32_t pc = paths->now->pc;
    unsigned passes = polls ? SIMT_POLL_PASSES : 1;
    taken &= mask;
    if (!taken || (taken == mask && target > pc) || target == fallthrough) {
        simt_advance(paths, taken ? target : fallthrough);
        return;
    }
    if (taken == mask) {
        go_back(paths, target, passes, polls);
        return;
    }
    struct simt_path group = simt_part(paths, reconverge);
    push_group(paths, &group, mask & ~taken, fallthrough, 0);
    push_group(paths, &group, taken, target, passes);
    simt_parted(paths);
    if (target <= pc && paths->now->pc == target && (polls || paths->now->spent >= SIMT_MOST_PASSES))
        put_off(paths);
}

HOT static void branch(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    branch_with(paths, taken, target, fallthrough, reconverge, false);
}

static void poll(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough, uint32_t reconverge)
{
    branch_with(paths, taken, target, fallthrough, reconverge, true);
}

/* As on the stack, the group of the lowest lane goes first. */
static void branch_each(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge)
{
    uint64_t mask = paths->now->mask;
    uint64_t groups[64];
    unsigned count = simt_groups(paths, next, groups);
    if (count == 1) {
        uint32_t to = next[mask_first(mask)];
        go_back(paths, to, to <= paths->now->pc, false);
        return;
    }
    struct simt_path group = simt_part(paths, reconverge);
    while (count-- > 0)
        push_group(paths, &group, groups[count], next[mask_first(groups[count])], 1);
    simt_parted(paths);
    if (paths->now->spent >= SIMT_MOST_PASSES)
        put_off(paths);
}

/* The split that has the turn goes in groups to where each goes on, with no new reconvergence point. The last of those
 * that are not at the reconvergence point below already has the turn. */
struct group {
    uint64_t mask;
    uint32_t pc;
};

static void part_for_good(struct simt_paths *paths, const struct group *groups, unsigned count, unsigned passes)
{
    struct simt_path from = simt_part(paths, ISA_PC_NONE);
    for (unsigned i = 0; i < count; i++)
        push_group(paths, &from, groups[i].mask, groups[i].pc, passes);
    simt_parted(paths);
}

/* Lanes that got a lock do not wait for those that ask again, but go first. To ask in vain is a pass of a loop that
 * polls. */
static void answer(struct simt_paths *paths, const struct simt_answer *a)
{
    uint32_t here = paths->now->pc;
    struct simt_answered to = simt_answered(paths, a);
    if (to.again == paths->now->mask) {
        go_back(paths, here, SIMT_POLL_PASSES, true);
    } else if (to.all != ISA_PC_NONE) {
        simt_advance(paths, to.all);
    } else {
        const struct group groups[] = {{to.again, here}, {to.over, a->target}, {to.got, a->next}};
        part_for_good(paths, groups, 3, SIMT_POLL_PASSES);
    }
}

static void yield(struct simt_paths *paths)
{
    simt_add_passes(paths->now, SIMT_POLL_PASSES);
    put_off(paths);
}

static bool holds(const struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].spent > SIMT_MOST_PASSES)
            return false;
    return simt_splits_hold(paths, false);
}

const struct simt_divergence simt_its = {
    .name = "its",
    SIMT_SPLITS_ROWS,
    SIMT_SPLITS_ROWS_OF_WARPS,
    .came = simt_inherit_passes,
    .arrive = settle,
    .branch = branch,
    .branch_each = branch_each,
    .yield = yield,
    .poll = poll,
    .answer = answer,
    .holds = holds,
};
