/* Adaptive reconvergence (AWARE: ElTantawy and Aamodt, "MIMD Synchronization on SIMT Architectures", MICRO 2016), on
 * the multi-path microarchitecture (ElTantawy, Ma, O'Connor and Aamodt, HPCA 2014): the sides of a branch take turns,
 * and lanes that have waited too long where branches meet go on without those that have not come.
 *
 * splits.h defines the paths of a warp and the words for them (split, reconvergence point, turn). Its splits table is
 * the splits, in the order of the table; the reconvergence table is the reconvergence points, whose lanes that are
 * still to come are those of the paths above them.
 *
 * The rule:
 *   1. Splits take turns, first in, first out. The split that has the turn goes behind all others when it takes a
 *      branch (which goes anywhere but to the next instruction), sleeps, asks for a lock in vain or waits for named
 *      lanes. Where it parts, its sides replace it behind all others: first the one that falls through, then the one
 *      that branches. Where it comes to a reconvergence point, returns or ends, it is gone. A reconvergence point that
 *      is complete is a split behind all others. The first ready split has the turn.
 *   2. Reconvergence is delayed: lanes that leave a loop in which they only wait (simt_op.waits) by its branch back do
 *      not meet the others where it ends, but at the next reconvergence point further out.
 *   3. Reconvergence is forced: a reconvergence point counts the passes that splits of the warp make in loops after
 *      lanes last came to it. A branch back is one; in a loop that polls (simt_op.polls), and a sleep, and a lock asked
 *      for in vain, SIMT_POLL_PASSES. At the timeout (sm.aware_timeout) the lanes that have come are let go. The others
 *      still meet there, and it counts anew.
 *   4. Reconvergence is opportunistic: the split that goes behind the others becomes one with the ready splits that
 *      stand at its pc and have the same path below them, so that they would meet there next.
 *   5. Where no split is ready, all lanes at reconvergence points are let go. If there are none, named lanes are waited
 *      for in vain.
 *
 * Every lane goes on. A split that does not end, come to a reconvergence point or wait for named lanes takes a branch
 * after a bounded number of instructions, or calls until local memory is used up. Splits that stood before another one
 * in the table go behind it then, so each has the turn after as many changes as there were splits before it. A lane
 * waits at a reconvergence point for no more passes than the timeout after another lane last came there, and no more
 * lanes come than the warp has.
 *
 * From the authors' repository (ElTantawy/mimd_to_simt, AWARE; read for facts): the order of the queue in 1, with the
 * side that falls through first; that every branch taken, uniform ones too, ends a turn; that the time of a
 * reconvergence point runs from when lanes last came to it, and that when it is over those who stand there go on and
 * the others keep the reconvergence point, with a new time; that splits stand back at a barrier until all of the warp
 * are there; that the point to which reconvergence is delayed is a property of the branch, found before the program
 * runs. From what was published: 2 to 4 as such. Decided here: passes as the unit of time, because a divergence model
 * sees no cycles; the numbers; how loops are found in which lanes only wait, and where they meet instead (the published
 * compiler pass looks for the stores that may end the wait, and delays to where they have been made); when splits at
 * one place are looked for; that calls and returns end no turn, and that lanes that called together return together,
 * because the repository does not model calls in full. Lacking: tables of finite size that spill to memory. */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/splits.h"

#define USUAL_TIMEOUT 1024

static unsigned timeout(const struct simt_paths *paths)
{
    return paths->timeout ? paths->timeout : USUAL_TIMEOUT;
}

/* Only reconvergence points count passes. */
static void came(struct simt_path *point, const struct simt_path *split)
{
    (void)split;
    point->spent = 0;
}

/* Splits with lanes of mask go behind all other paths, in their order. */
static void put_splits_behind(struct simt_paths *paths, uint64_t mask)
{
    struct simt_path moved[64];
    uint32_t kept = 0, count = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path p = paths->table[i];
        if (simt_is_split(&p) && (p.mask & mask))
            moved[count++] = p;
        else
            paths->table[kept++] = p;
    }
    for (uint32_t i = 0; i < count; i++) {
        moved[i].spent = 0;
        paths->table[kept + i] = moved[i];
    }
}

/* Nobody has the turn: rules 1 and 5. */
static void give_turn(struct simt_paths *paths)
{
    uint32_t to = simt_first_ready(paths);
    if (to == SIMT_NO_PATH) {
        simt_let_go(paths, ~UINT64_C(0), 0);
        simt_leave_out_empty(paths);
        to = simt_first_ready(paths);
    }
    contract(to != SIMT_NO_PATH);
    paths->table[to].kind = SIMT_TURN;
}

/* Lanes have left their paths: what follows from that. */
static void settle(struct simt_paths *paths)
{
    struct simt_completed done = simt_complete(paths);
    simt_leave_out_empty(paths);
    paths->now = NULL;
    if (!paths->count)
        return;
    if (done.lanes)
        put_splits_behind(paths, done.lanes);
    if (!done.has_turn)
        give_turn(paths);
    paths->now = simt_splits_turn(paths);
}

/* Lets go those who have waited too long. They are ready, so the split that has the turn keeps it. */
static void force(struct simt_paths *paths)
{
    uint32_t now = simt_number_of_now(paths);
    simt_let_go(paths, ~UINT64_C(0), timeout(paths));
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].spent >= timeout(paths))
            paths->table[i].spent = 0;
    paths->now = &paths->table[now];
    settle(paths);
}

/* Lanes have gone back, or waited as if they had. */
static void spend(struct simt_paths *paths, unsigned passes)
{
    bool over = false;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (p->kind != SIMT_RECONVERGENCE)
            continue;
        p->spent = (uint16_t)(p->spent + passes);
        over |= p->spent >= timeout(paths);
    }
    if (over)
        force(paths);
}

/* Rule 4. Splits with the same path below are in the same frame, after the same calls. */
static void join_ready(struct simt_paths *paths)
{
    struct simt_path *now = paths->now;
    uint32_t under = simt_below(paths, simt_number_of_now(paths), now->mask);
    bool joined = false;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (p->kind != SIMT_READY || p->pc != now->pc || simt_below(paths, i, p->mask) != under)
            continue;
        now->mask |= p->mask;
        p->mask = 0;
        joined = true;
    }
    if (joined) {
        simt_leave_out_empty(paths);
        paths->now = simt_splits_turn(paths);
    }
}

/* All lanes that have the turn branch to target. */
static void go(struct simt_paths *paths, uint32_t target, unsigned passes)
{
    bool back = target <= paths->now->pc;
    uint64_t mask = paths->now->mask;
    simt_advance(paths, target);
    if (back && paths->now)
        spend(paths, passes);
    if (paths->now && paths->now->mask == mask && paths->now->pc == target)
        simt_take_turns(paths, join_ready);
}

/* The lanes of the turn have parted into splits: rule 1. */
static void settle_parted(struct simt_paths *paths, unsigned passes)
{
    settle(paths);
    if (passes && paths->now)
        spend(paths, passes);
}

static void branch_with(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                        uint32_t reconverge, unsigned passes)
{
    uint64_t mask = paths->now->mask;
    uint32_t pc = paths->now->pc;
    taken &= mask;
    if (!taken || target == fallthrough) {
        simt_advance(paths, fallthrough);
        return;
    }
    if (taken == mask) {
        go(paths, target, passes);
        return;
    }
    struct simt_path from = simt_part(paths, reconverge);
    simt_push_split(paths, &from, mask & ~taken, fallthrough);
    simt_push_split(paths, &from, taken, target);
    settle_parted(paths, target <= pc ? passes : 0);
}

HOT static void branch(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    branch_with(paths, taken, target, fallthrough, reconverge, 1);
}

static void poll(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough, uint32_t reconverge)
{
    branch_with(paths, taken, target, fallthrough, reconverge, SIMT_POLL_PASSES);
}

/* The group of the lowest lane goes first. */
static void branch_each(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge)
{
    uint32_t pc = paths->now->pc;
    uint64_t groups[64];
    unsigned count = simt_groups(paths, next, groups);
    bool back = false;
    if (count == 1) {
        go(paths, next[mask_first(groups[0])], 1);
        return;
    }
    struct simt_path from = simt_part(paths, reconverge);
    for (unsigned i = 0; i < count; i++) {
        uint32_t to = next[mask_first(groups[i])];
        simt_push_split(paths, &from, groups[i], to);
        back |= to <= pc;
    }
    settle_parted(paths, back);
}

/* Lanes that got a lock do not wait for those that ask again, but go before them. */
static void answer(struct simt_paths *paths, const struct simt_answer *a)
{
    uint32_t here = paths->now->pc;
    struct simt_answered to = simt_answered(paths, a);
    if (to.again == paths->now->mask) {
        go(paths, here, SIMT_POLL_PASSES);
    } else if (to.all != ISA_PC_NONE) {
        simt_advance(paths, to.all);
    } else {
        struct simt_path from = simt_part(paths, ISA_PC_NONE);
        simt_push_split(paths, &from, to.got, a->next);
        simt_push_split(paths, &from, to.over, a->target);
        simt_push_split(paths, &from, to.again, here);
        settle_parted(paths, to.again ? SIMT_POLL_PASSES : 0);
    }
}

static void yield(struct simt_paths *paths)
{
    spend(paths, SIMT_POLL_PASSES);
    simt_take_turns(paths, join_ready);
}

static bool holds(const struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].spent >= (paths->table[i].kind == SIMT_RECONVERGENCE ? timeout(paths) : 1))
            return false;
    return simt_splits_hold(paths, false);
}

const struct simt_divergence simt_aware = {
    .name = "aware",
    SIMT_SPLITS_ROWS,
    SIMT_SPLITS_ROWS_OF_WARPS,
    .came = came,
    .delays = true,
    .arrive = settle,
    .branch = branch,
    .branch_each = branch_each,
    .yield = yield,
    .poll = poll,
    .answer = answer,
    .holds = holds,
};
