/* Independent thread scheduling: lanes part as on a stack and wait for each other where branches meet, but a wait that
 * keeps lanes from going on is given up in the end, so that every lane executes again and again, whatever the others
 * do.
 *
 * The table is the stacks of all lanes in one: the paths that have a lane, from the first to the last, are its own
 * stack, and lanes with the same stack share its paths. The last path of a stack is a
 * *leaf*; its lanes execute. Below leaves there are *meetings*, each with the lanes that come to its pc or stand there
 * already, and for each call its *mark*, on top of the meeting at which its lanes return. `until` is where the nearest
 * meeting below is, if it is in the same call. When all lanes of a meeting have come, it is a leaf.
 *
 * One leaf has the turn, others are *ready*, or wait for lanes that an instruction names (gather). Lanes of a meeting
 * that has to wait no longer are *let go*: they leave the meeting and are a leaf of their own.
 *
 * The rule of turns:
 *   1. A leaf that comes to a meeting, returns or ends gives its turn to the meeting if that is complete now, else to
 *      the ready leaf that stands last in the table: the youngest, as on a stack.
 *   2. A leaf that sleeps, waits for named lanes, asks for a lock in vain, or goes back in a loop that polls
 *      (simt_op.polls: in which it may wait for others) gives its turn to the ready leaf that stands first in the
 *      table, and goes behind the last.
 *   3. A leaf that has gone back MOST_PASSES times, where a pass of a loop that polls, a lock asked for in vain and
 *      a sleep count POLL_PASSES, lets the lanes go that wait for it at meetings, and those that wait there for
 *      leaves that wait for named lanes; and it does as in 2. The passes of a leaf are inherited by the leaves that
 *      it parts into and by the meeting that it comes to.
 *   4. Where no leaf is ready, all lanes at meetings are let go. If there are none, named lanes are waited for in vain.
 *   5. Leaves that stand at one pc in one frame, after the same calls, become one: where a leaf gives its turn as in 2,
 *      and where it waits for named lanes.
 * A leaf that goes on for ever goes back, or calls until local memory is used up. So the turn is given as in 2 after a
 * bounded number of instructions, and the first ready leaf has it then: each waits at most for those before it, and as
 * long again for each that joined it meanwhile, which are no more than lanes. Lanes at a meeting are let go after
 * MOST_PASSES passes of each leaf that they wait for.
 *
 * When a lane ends, leaves that wait for named lanes are ready: they look again whom they wait for. */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/divergence.h"

#define MOST_PASSES 1024
#define POLL_PASSES 128

/* TURN is 0: the first path of a warp has it. WAITS_* are in the order of enum simt_gathering. */
enum { TURN, READY, WAITS_ONE, WAITS_WARP, WAITS_BLOCK, MEETING, MARK, KINDS };

#define NO_PATH UINT32_MAX

static bool is_leaf(const struct simt_path *p)
{
    return p->kind < MEETING;
}

static bool waits_for_named(const struct simt_path *p)
{
    return p->kind >= WAITS_ONE && p->kind <= WAITS_BLOCK;
}

/* The last path before number i that has lanes of mask: what lies below it on their stack; NO_PATH: nothing. */
static uint32_t below(const struct simt_paths *paths, uint32_t i, uint64_t mask)
{
    while (i-- > 0)
        if (paths->table[i].mask & mask)
            return i;
    return NO_PATH;
}

/* The mark of the innermost call of lanes that have path i, or NO_PATH. */
static uint32_t mark_below(const struct simt_paths *paths, uint32_t i, uint64_t mask)
{
    do
        i = below(paths, i, mask);
    while (i != NO_PATH && paths->table[i].kind != MARK);
    return i;
}

static struct simt_path *turn(const struct simt_paths *paths)
{
    struct simt_path *p = paths->table;
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == TURN)
            p = &paths->table[i];
    return p;
}

static uint32_t number_of_now(const struct simt_paths *paths)
{
    return (uint32_t)(paths->now - paths->table);
}

static uint32_t first_ready(const struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == READY)
            return i;
    return NO_PATH;
}

static uint32_t last_ready(const struct simt_paths *paths)
{
    for (uint32_t i = paths->count; i-- > 0;)
        if (paths->table[i].kind == READY)
            return i;
    return NO_PATH;
}

static void inherit(struct simt_path *to, uint16_t spent)
{
    if (to->spent < spent)
        to->spent = spent;
}

/* Lets go those who stand at meetings that wait for lanes of `slow`. */
static void let_go(struct simt_paths *paths, uint64_t slow)
{
    uint64_t higher = 0; /* lanes of the paths behind i, where they stand now */
    for (uint32_t i = paths->count; i-- > 0;) {
        struct simt_path p = paths->table[i];
        uint64_t standing = p.mask & ~higher;
        higher |= p.mask;
        if (p.kind != MEETING || !standing || !(p.mask & slow))
            continue;
        paths->table[i].mask &= ~standing;
        if (p.pc == p.until) { /* the meeting below is there too: they stand at that */
            higher &= ~standing;
            continue;
        }
        p.mask = standing;
        p.kind = READY;
        p.spent = 0;
        simt_paths_push(paths, p);
    }
}

/* Takes the lanes that stand where their leaf goes `until` off it, and makes meetings that are complete leaves, from
 * the last path to the first: they empty those below. Returns the first path of these, which was complete last, or
 * NO_PATH; *has_turn: a leaf that has the turn is left. */
static uint32_t complete(struct simt_paths *paths, bool *has_turn)
{
    uint64_t higher = 0;
    uint32_t found = NO_PATH;
    *has_turn = false;
    for (uint32_t i = paths->count; i-- > 0;) {
        struct simt_path *p = &paths->table[i];
        bool completes = p->kind == MEETING && p->mask && !(p->mask & higher);
        if (completes)
            p->kind = READY;
        if (p->mask && is_leaf(p) && p->pc == p->until) {
            inherit(&paths->table[below(paths, i, p->mask)], p->spent);
            p->mask = 0;
        }
        if (completes && p->mask)
            found = i;
        *has_turn |= p->mask && p->kind == TURN;
        higher |= p->mask;
    }
    return found;
}

/* Nobody has the turn: rules 1 and 4. */
static void give_turn(struct simt_paths *paths)
{
    uint32_t to = last_ready(paths);
    if (to == NO_PATH) {
        let_go(paths, ~UINT64_C(0));
        to = last_ready(paths);
    }
    contract(to != NO_PATH);
    paths->table[to].kind = TURN;
}

static void leave_out_empty(struct simt_paths *paths)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].mask)
            paths->table[count++] = paths->table[i];
    paths->count = count;
}

/* Lanes have left their paths: what follows from that. */
static void settle(struct simt_paths *paths)
{
    bool has_turn;
    uint32_t completed = complete(paths, &has_turn);
    if (completed != NO_PATH && !has_turn)
        paths->table[completed].kind = TURN;
    leave_out_empty(paths);
    paths->now = NULL;
    if (!paths->count)
        return;
    if (completed == NO_PATH && !has_turn) {
        give_turn(paths);
        leave_out_empty(paths);
    }
    paths->now = turn(paths);
}

/* Whether the leaves a and b stand in one frame after the same calls, so that their lanes may go on together. */
static bool same_calls(const struct simt_paths *paths, uint32_t a, uint32_t b)
{
    const struct simt_path *table = paths->table;
    uint64_t lanes_a = table[a].mask, lanes_b = table[b].mask;
    for (;;) {
        const struct simt_frame *f = &table[a].frame, *g = &table[b].frame;
        if (table[a].pc != table[b].pc || f->function != g->function || f->reg_base != g->reg_base ||
            f->pred_base != g->pred_base || f->local_base != g->local_base)
            return false;
        a = mark_below(paths, a, lanes_a);
        b = mark_below(paths, b, lanes_b);
        if (a == b)
            return true;
        if (a == NO_PATH || b == NO_PATH)
            return false;
        a = below(paths, a, lanes_a); /* where the call returns */
        b = below(paths, b, lanes_b);
    }
}

/* The lanes of leaf `from` leave their stack for that of leaf `to`: both stand at one place after the same calls. */
static void adopt(struct simt_paths *paths, uint32_t to, uint32_t from)
{
    uint64_t lanes = paths->table[from].mask, of_stack = paths->table[to].mask;
    inherit(&paths->table[to], paths->table[from].spent);
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (i <= to && (p->mask & of_stack))
            p->mask |= lanes;
        else
            p->mask &= ~lanes;
    }
}

/* Makes two leaves one, of the kind `kind`. The stack of that whose lowest meeting has more lanes is kept: more of them
 * have still to come there. */
static void join(struct simt_paths *paths, uint32_t a, uint32_t b, uint8_t kind)
{
    uint32_t under_a = below(paths, a, paths->table[a].mask), under_b = below(paths, b, paths->table[b].mask);
    unsigned lanes_a = under_a == NO_PATH ? 0 : mask_count(paths->table[under_a].mask);
    unsigned lanes_b = under_b == NO_PATH ? 0 : mask_count(paths->table[under_b].mask);
    uint32_t to = lanes_a >= lanes_b ? a : b;
    adopt(paths, to, to == a ? b : a);
    paths->table[to].kind = kind;
}

/* Joins the leaf that has the turn with the ready ones that stand at its place. */
static void join_ready(struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t now = number_of_now(paths);
        if (paths->table[i].kind != READY || paths->table[i].pc != paths->now->pc || !same_calls(paths, i, now))
            continue;
        join(paths, now, i, TURN);
        settle(paths);
        i = UINT32_MAX; /* from the beginning: paths have moved */
    }
}

/* The leaf that has the turn goes behind the last path and is of this kind; the first ready one has the turn. */
static void put_behind(struct simt_paths *paths, uint8_t kind)
{
    struct simt_path p = *paths->now;
    for (uint32_t i = number_of_now(paths); i + 1 < paths->count; i++)
        paths->table[i] = paths->table[i + 1];
    p.kind = kind;
    paths->table[paths->count - 1] = p;
    uint32_t next = first_ready(paths);
    paths->table[next].kind = TURN;
    paths->now = &paths->table[next];
}

static uint64_t lanes_that_wait_for_named(const struct simt_paths *paths)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        lanes |= waits_for_named(&paths->table[i]) ? paths->table[i].mask : 0;
    return lanes;
}

/* Rule 2, and 3 if it has had its passes. */
static void put_off(struct simt_paths *paths)
{
    if (paths->now->spent >= MOST_PASSES) {
        paths->now->spent = 0;
        uint32_t now = number_of_now(paths);
        let_go(paths, paths->now->mask | lanes_that_wait_for_named(paths));
        paths->now = &paths->table[now];
        settle(paths);
    }
    if (first_ready(paths) == NO_PATH)
        return;
    join_ready(paths);
    if (first_ready(paths) != NO_PATH)
        put_behind(paths, READY);
}

static void add_passes(struct simt_path *p, unsigned passes)
{
    unsigned sum = p->spent + passes;
    p->spent = (uint16_t)(sum < MOST_PASSES ? sum : MOST_PASSES);
}

/* Makes the leaf that has the turn a meeting at `reconverge`, or takes it off if the one below is there or there is no
 * such place. Returns what the leaves start from that it parts into. */
static struct simt_path part(struct simt_paths *paths, uint32_t reconverge)
{
    struct simt_path group = *paths->now;
    group.kind = READY;
    if (group.until == reconverge || reconverge == ISA_PC_NONE) {
        paths->now->mask = 0;
    } else {
        paths->now->kind = MEETING;
        paths->now->pc = reconverge;
        group.until = reconverge;
    }
    return group;
}

/* Lanes that part go on at pc, as a leaf on top of the table, unless they meet there. Lanes that went back made a pass.
 */
static void push_group(struct simt_paths *paths, const struct simt_path *from, uint64_t mask, uint32_t pc,
                       unsigned passes)
{
    if (!mask || pc == from->until)
        return;
    struct simt_path group = *from;
    group.mask = mask;
    group.pc = pc;
    add_passes(&group, pc <= from->pc ? passes : 0);
    simt_paths_push(paths, group);
}

/* The lanes of the turn have parted: the last leaf has the turn. */
static void parted(struct simt_paths *paths)
{
    struct simt_path *last = &paths->table[paths->count - 1];
    if (last->kind == READY)
        last->kind = TURN;
    settle(paths);
}

/* Back in a loop: `passes` for that. polls: another leaf may have the turn at once. */
static void go_back(struct simt_paths *paths, uint32_t target, unsigned passes, bool polls)
{
    add_passes(paths->now, passes);
    simt_advance(paths, target);
    if (paths->now->pc == target && (polls || paths->now->spent >= MOST_PASSES))
        put_off(paths);
}

static void branch_with(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                        uint32_t reconverge, bool polls)
{
    uint64_t mask = paths->now->mask;
    uint32_t pc = paths->now->pc;
    unsigned passes = polls ? POLL_PASSES : 1;
    taken &= mask;
    if (!taken || (taken == mask && target > pc) || target == fallthrough) {
        simt_advance(paths, taken ? target : fallthrough);
        return;
    }
    if (taken == mask) {
        go_back(paths, target, passes, polls);
        return;
    }
    struct simt_path group = part(paths, reconverge);
    push_group(paths, &group, mask & ~taken, fallthrough, 0);
    push_group(paths, &group, taken, target, passes);
    parted(paths);
    if (target <= pc && paths->now->pc == target && (polls || paths->now->spent >= MOST_PASSES))
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
    unsigned count = 0;
    for (uint64_t rest = mask; rest; rest &= ~groups[count++])
        groups[count] = simt_lanes_going_to(next, next[mask_first(rest)], rest);
    if (count == 1) {
        uint32_t to = next[mask_first(mask)];
        go_back(paths, to, to <= paths->now->pc, false);
        return;
    }
    struct simt_path group = part(paths, reconverge);
    while (count-- > 0)
        push_group(paths, &group, groups[count], next[mask_first(groups[count])], 1);
    parted(paths);
    if (paths->now->spent >= MOST_PASSES)
        put_off(paths);
}

/* The leaf that has the turn goes in groups to where each goes on, with no new meeting. The last of those that are not
 * at the meeting below already has the turn. */
struct group {
    uint64_t mask;
    uint32_t pc;
};

static void part_for_good(struct simt_paths *paths, const struct group *groups, unsigned count, unsigned passes)
{
    struct simt_path from = part(paths, ISA_PC_NONE);
    for (unsigned i = 0; i < count; i++)
        push_group(paths, &from, groups[i].mask, groups[i].pc, passes);
    parted(paths);
}

/* Lanes that ask for locks keep the turn until they are answered: the warp waits for that. */
static void ask(struct simt_paths *paths, uint64_t mask)
{
    contract(mask == paths->now->mask);
}

/* Lanes that got a lock do not wait for those that ask again, but go first. To ask in vain is a pass of a loop that
 * polls. */
static void answer(struct simt_paths *paths, const struct simt_answer *a)
{
    uint32_t here = paths->now->pc;
    uint64_t mask = paths->now->mask, got = a->got & mask, over = a->over & mask & ~got, again = mask & ~got & ~over;
    if (again == mask) {
        go_back(paths, here, POLL_PASSES, true);
    } else if (!again && (!got || !over || a->target == a->next)) {
        simt_advance(paths, got ? a->next : a->target);
    } else {
        const struct group groups[] = {{again, here}, {over, a->target}, {got, a->next}};
        part_for_good(paths, groups, 3, POLL_PASSES);
    }
}

/* Nobody who waits for others of the warp is passed for ever: see the rule. */
static uint64_t give(struct simt_paths *paths, uint64_t given, uint32_t next)
{
    (void)given;
    simt_advance(paths, next);
    return 0;
}

static void part_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    const struct group groups[] = {{mask, next}, {paths->now->mask & ~mask, paths->now->pc}};
    part_for_good(paths, groups, 2, 0);
}

static void advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    uint64_t others = paths->now->mask & ~mask;
    uint32_t here = paths->now->pc;
    if (!others) {
        simt_advance(paths, next);
        return;
    }
    struct simt_path group = part(paths, next);
    push_group(paths, &group, others, here, 0);
    parted(paths);
}

static void call(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next, const struct simt_frame *frame)
{
    uint64_t others = paths->now->mask & ~mask;
    struct simt_path returns = *paths->now;
    if (others) {
        uint32_t here = paths->now->pc;
        returns = part(paths, next);
        push_group(paths, &returns, others, here, 0);
    } else {
        paths->now->mask = 0;
    }
    returns.mask = mask;
    returns.pc = next;
    returns.kind = MEETING;
    simt_paths_push(paths, returns);
    struct simt_path callee = {
        .pc = ISA_PC_NONE, .until = ISA_PC_NONE, .mask = mask, .kind = MARK, .spent = returns.spent, .frame = *frame};
    simt_paths_push(paths, callee);
    callee.pc = entry;
    callee.kind = TURN;
    simt_paths_push(paths, callee);
    settle(paths);
}

/* The lanes leave every path of the call. When all of it have, the meeting where they return is complete. */
static void ret(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    uint32_t mark = mark_below(paths, number_of_now(paths), mask);
    uint16_t spent = paths->now->spent;
    paths->now->pc = next;
    for (uint32_t i = mark; i < paths->count; i++)
        paths->table[i].mask &= ~mask;
    inherit(&paths->table[below(paths, mark, mask)], spent);
    settle(paths);
}

static void end(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    paths->now->pc = next;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        p->mask &= ~mask;
        if (waits_for_named(p))
            p->kind = READY;
    }
    settle(paths);
}

static void yield(struct simt_paths *paths)
{
    add_passes(paths->now, POLL_PASSES);
    put_off(paths);
}

/* The leaves that wait for the same as the one that has the turn, and have lanes of `named`, join it if they stand at
 * its place. */
static void join_waiting(struct simt_paths *paths, enum simt_gathering how, uint32_t key, uint64_t named)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = &paths->table[i];
        uint32_t now = number_of_now(paths);
        if (p->kind != WAITS_ONE + how || p->key != key || !(p->mask & named) || p->pc != paths->now->pc ||
            !same_calls(paths, i, now))
            continue;
        join(paths, now, i, TURN);
        settle(paths);
        i = UINT32_MAX;
    }
}

/* The lanes of leaves that wait for the same at other places; pass: they are there all, and these go on. */
static uint64_t waiting_elsewhere(struct simt_paths *paths, enum simt_gathering how, uint32_t key, bool pass)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (how == SIMT_GATHER_ONE || p->kind != WAITS_ONE + how || p->key != key)
            continue;
        lanes |= p->mask;
        p->kind = pass ? READY : p->kind;
        p->pc += pass;
    }
    return lanes;
}

/* The lanes `some` of the turn go on alone. The others are ready where they are, and meet them behind the instruction.
 */
static void set_apart(struct simt_paths *paths, uint64_t some)
{
    uint64_t others = paths->now->mask & ~some;
    uint32_t here = paths->now->pc;
    if (!others)
        return;
    struct simt_path group = part(paths, here + 1);
    push_group(paths, &group, others, here, 0);
    push_group(paths, &group, some, here, 0);
    parted(paths);
}

static enum simt_gathered gather(struct simt_paths *paths, uint64_t some, enum simt_gathering how, uint32_t key,
                                 uint64_t named)
{
    set_apart(paths, some);
    join_waiting(paths, how, key, named);
    if (!(named & ~(paths->now->mask | waiting_elsewhere(paths, how, key, false)))) {
        if (waiting_elsewhere(paths, how, key, true))
            settle(paths);
        return SIMT_GATHERED;
    }
    if (first_ready(paths) == NO_PATH) {
        uint32_t now = number_of_now(paths);
        let_go(paths, ~UINT64_C(0));
        paths->now = &paths->table[now];
        settle(paths);
    }
    if (first_ready(paths) == NO_PATH)
        return SIMT_GATHER_NOBODY;
    paths->now->key = key;
    put_behind(paths, (uint8_t)(WAITS_ONE + how));
    return SIMT_GATHER_WAITS;
}

static const struct simt_path *caller(const struct simt_paths *paths)
{
    uint64_t mask = paths->now->mask;
    uint32_t mark = mark_below(paths, number_of_now(paths), mask);
    return mark == NO_PATH ? NULL : &paths->table[below(paths, mark, mask)];
}

/* What lies below a path has all its lanes and is where it goes; leaves alone have no path on top of them; one has the
 * turn. */
static bool holds(const struct simt_paths *paths)
{
    unsigned turns = 0;
    uint64_t higher = 0;
    for (uint32_t i = paths->count; i-- > 0;) {
        const struct simt_path *p = &paths->table[i];
        uint32_t under = below(paths, i, p->mask);
        const struct simt_path *u = under == NO_PATH ? NULL : &paths->table[under];
        bool goes_there = p->kind == MARK ? u && u->kind == MEETING : p->until == (u ? u->pc : ISA_PC_NONE);
        if (!p->mask || p->spent > MOST_PASSES || (u && (is_leaf(u) || (p->mask & ~u->mask))) || !goes_there)
            return false;
        if (is_leaf(p) != !(p->mask & higher) || (is_leaf(p) && (p->pc == p->until || p->pc == ISA_PC_NONE)))
            return false;
        turns += p->kind == TURN;
        higher |= p->mask;
    }
    return turns == (paths->count != 0);
}

const struct simt_divergence simt_its = {
    .name = "its",
    .kinds = KINDS,
    .arrive = settle,
    .advance_some = advance_some,
    .branch = branch,
    .branch_each = branch_each,
    .call = call,
    .ret = ret,
    .exit = end,
    .yield = yield,
    .poll = poll,
    .ask = ask,
    .answer = answer,
    .give = give,
    .part = part_some,
    .gather = gather,
    .caller = caller,
    .turn = turn,
    .holds = holds,
};
