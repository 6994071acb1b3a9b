/* Dynamic warp formation (Fung, Sham, Yuan and Aamodt, MICRO 2007): threads are grouped by the instruction that they
 * are to execute next, among all those of their block. Here is what a warp does with the threads that it has; which of
 * them go to another warp is up to whoever has all the warps of a block (simt_forming, sm/form.c).
 *
 * splits.h defines the paths of a warp and the words for them (split, reconvergence point, turn). Lanes that part at a
 * branch have no reconvergence point: they wait for nobody, and go on together again when they come to one instruction.
 * Reconvergence points are where calls return, and behind instructions of which lanes sit out the guard. *Siblings* are
 * splits with the same path below them: in one frame, after the same calls.
 *
 * The rule of turns:
 *   1. The lowest instruction first: the turn goes to the sibling with the lowest pc, whenever the split that has it
 *      parts, ends, returns, or branches past another one. So lanes that are ahead wait for those behind, mostly where
 *      branches meet, as the order of a program's instructions goes.
 *   2. A split that comes to the instruction of a ready sibling joins it.
 *   3. A split that sleeps, waits for named lanes, asks for a lock in vain, goes back in a loop that polls
 *      (simt_op.polls), or has gone back SIMT_MOST_PASSES times, gives its turn to the ready split that stands first in
 *      the table, and goes behind the last. Passes count as in its.c, and at SIMT_MOST_PASSES let lanes go from
 *      reconvergence points as there. The split that has the turn then is *hurried*, as are lanes that got a lock: rule
 *      1 does not take the turn from it, and when it parts, one of its sides has it, one that goes forward if there is.
 *   4. Where no split is ready, all lanes at reconvergence points are let go.
 * Between two turns that are given by rule 3, lanes only go forward: that ends. So each split has the turn after as
 * many of them as there were before it, as in its.c. A ready split whose lanes gave up their place in a warp for others
 * goes behind all those of the warp that it comes to, but MOST_MOVES times only until it has the turn. */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/splits.h"

#define MOST_MOVES 8

/* The key of the split that has the turn says whether it is hurried; that of a ready one, how often its lanes gave up
 * their place since they had the turn. (A split that waits for named lanes has the key of what it waits for.) */
#define HURRIED 1

/* The split goes on to no reconvergence point: there is nothing below it, or a call. */
static bool has_no_point(const struct simt_paths *paths, uint32_t under)
{
    return under == SIMT_NO_PATH || paths->table[under].kind == SIMT_MARK;
}

/* The ready sibling of the turn with the lowest pc that is not below `from`; NO_PATH: there is none. */
static uint32_t lowest_sibling(const struct simt_paths *paths, uint32_t from)
{
    uint32_t now = simt_number_of_now(paths), under = simt_below(paths, now, paths->now->mask), lowest = SIMT_NO_PATH;
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = &paths->table[i];
        if (p->kind == SIMT_READY && p->pc >= from && (lowest == SIMT_NO_PATH || p->pc < paths->table[lowest].pc) &&
            simt_below(paths, i, p->mask) == under)
            lowest = i;
    }
    return lowest;
}

/* Where the split that has the turn comes to a sibling, if it goes straight on. */
static uint32_t next_sibling(const struct simt_paths *paths)
{
    uint32_t next = lowest_sibling(paths, paths->now->pc + 1);
    return next == SIMT_NO_PATH ? ISA_PC_NONE : paths->table[next].pc;
}

static bool looks_ahead(const struct simt_paths *paths)
{
    return has_no_point(paths, simt_below(paths, simt_number_of_now(paths), paths->now->mask));
}

/* Splits go `until` their reconvergence point again, so that the functions for all models can deal with them. Returns
 * whether the one that has the turn has come to where it looked ahead to. */
static bool look_at_feet(struct simt_paths *paths)
{
    bool came = false;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (!simt_is_split(p) || p->until == ISA_PC_NONE || !has_no_point(paths, simt_below(paths, i, p->mask)))
            continue;
        came |= p->kind == SIMT_TURN && p->mask && p->pc == p->until;
        p->until = ISA_PC_NONE;
    }
    return came;
}

/* The split that has the turn looks for the sibling that it comes to next. */
static void look_ahead(struct simt_paths *paths)
{
    if (!paths->now)
        return;
    look_at_feet(paths);
    if (looks_ahead(paths))
        paths->now->until = paths->count > 1 ? next_sibling(paths) : ISA_PC_NONE;
}

/* It has come to where it is: it joins those that stand there (rule 2), and looks for the next. Not so lanes that an
 * instruction has set apart from others. */
static void join_and_look_ahead(struct simt_paths *paths)
{
    look_at_feet(paths);
    if (paths->count > 1)
        simt_join_ready(paths);
    look_ahead(paths);
}

static void give_turn_to(struct simt_paths *paths, uint32_t i, bool hurried)
{
    struct simt_path *p = &paths->table[i];
    p->kind = SIMT_TURN;
    p->key = hurried ? HURRIED : 0;
    paths->now = p;
}

/* Nobody has the turn: rules 1 and 4. The last ready split in a call comes first, with its siblings. */
static void give_turn(struct simt_paths *paths)
{
    uint32_t to = SIMT_NO_PATH;
    if (simt_first_ready(paths) == SIMT_NO_PATH) {
        simt_let_go(paths, ~UINT64_C(0), 0);
        simt_leave_out_empty(paths);
    }
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == SIMT_READY &&
            (to == SIMT_NO_PATH || simt_below(paths, i, paths->table[i].mask) != SIMT_NO_PATH))
            to = i;
    contract(to != SIMT_NO_PATH);
    paths->now = &paths->table[to];
    give_turn_to(paths, lowest_sibling(paths, 0), false);
}

/* Lanes have left their paths, or come to where the split looked ahead to: what follows from that. */
static void settle(struct simt_paths *paths)
{
    bool came = look_at_feet(paths);
    struct simt_completed done = simt_complete(paths);
    simt_leave_out_empty(paths);
    paths->now = NULL;
    if (!paths->count)
        return;
    if (done.has_turn)
        paths->now = simt_splits_turn(paths);
    else
        give_turn(paths);
    if (came || !done.has_turn)
        join_and_look_ahead(paths);
    else
        look_ahead(paths);
}

/* Rule 3. */
static void put_off(struct simt_paths *paths)
{
    look_at_feet(paths);
    if (paths->now->spent >= SIMT_MOST_PASSES) {
        paths->now->spent = 0;
        uint32_t now = simt_number_of_now(paths);
        simt_let_go(paths, paths->now->mask | simt_lanes_for_named(paths), 0);
        paths->now = &paths->table[now];
        settle(paths);
        look_at_feet(paths);
    }
    paths->now->key = 0;
    if (simt_first_ready(paths) != SIMT_NO_PATH) {
        simt_put_behind(paths, SIMT_READY);
        paths->now->key = HURRIED;
    }
    join_and_look_ahead(paths);
}

/* The split that has the turn has branched to where it is, with all its lanes. */
static void look_round(struct simt_paths *paths)
{
    uint32_t lowest = paths->now->key == HURRIED || !looks_ahead(paths) ? SIMT_NO_PATH : lowest_sibling(paths, 0);
    if (lowest != SIMT_NO_PATH && paths->table[lowest].pc < paths->now->pc) {
        look_at_feet(paths);
        paths->now->kind = SIMT_READY;
        paths->now->key = 0;
        give_turn_to(paths, lowest, false);
    }
    join_and_look_ahead(paths);
}

static void go(struct simt_paths *paths, uint32_t target, unsigned passes, bool polls)
{
    uint64_t mask = paths->now->mask;
    simt_add_passes(paths->now, passes);
    look_at_feet(paths);
    simt_advance(paths, target);
    if (!paths->now || paths->now->pc != target || (mask & ~paths->now->mask))
        return; /* it has come to a reconvergence point */
    if (passes && (polls || paths->now->spent >= SIMT_MOST_PASSES))
        put_off(paths);
    else if (paths->count > 1)
        look_round(paths);
}

/* The split that has the turn goes in groups to where each goes on. */
struct group {
    uint64_t mask;
    uint32_t pc;
    unsigned passes;
};

static void part(struct simt_paths *paths, const struct group *groups, unsigned count, bool polls)
{
    look_at_feet(paths);
    bool hurried = paths->now->key == HURRIED;
    struct simt_path from = simt_part(paths, ISA_PC_NONE);
    uint32_t lowest = SIMT_NO_PATH, forward = SIMT_NO_PATH, back = ISA_PC_NONE;
    from.key = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!simt_push_split(paths, &from, groups[i].mask, groups[i].pc))
            continue;
        simt_add_passes(&paths->table[paths->count - 1], groups[i].passes);
        if (lowest == SIMT_NO_PATH || groups[i].pc < paths->table[lowest].pc)
            lowest = paths->count - 1;
        if (!groups[i].passes && (forward == SIMT_NO_PATH || groups[i].pc < paths->table[forward].pc))
            forward = paths->count - 1;
        back = groups[i].passes ? groups[i].pc : back;
    }
    if (hurried && lowest != SIMT_NO_PATH)
        give_turn_to(paths, forward != SIMT_NO_PATH ? forward : lowest, true);
    settle(paths);
    join_and_look_ahead(paths);
    if (back != ISA_PC_NONE && paths->now->pc == back && (polls || paths->now->spent >= SIMT_MOST_PASSES))
        put_off(paths);
}

static void branch_with(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough, bool polls)
{
    uint64_t mask = paths->now->mask;
    unsigned passes = target > paths->now->pc ? 0 : polls ? SIMT_POLL_PASSES : 1;
    taken &= mask;
    if (!taken || target == fallthrough) {
        simt_advance(paths, fallthrough);
    } else if (taken == mask) {
        go(paths, target, passes, polls);
    } else {
        const struct group sides[] = {{mask & ~taken, fallthrough, 0}, {taken, target, passes}};
        part(paths, sides, 2, polls);
    }
}

HOT static void branch(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    (void)reconverge;
    branch_with(paths, taken, target, fallthrough, false);
}

static void poll(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough, uint32_t reconverge)
{
    (void)reconverge;
    branch_with(paths, taken, target, fallthrough, true);
}

static void branch_each(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge)
{
    uint32_t pc = paths->now->pc;
    uint64_t lanes[64];
    struct group groups[64];
    unsigned count = simt_groups(paths, next, lanes);
    (void)reconverge;
    for (unsigned i = 0; i < count; i++) {
        uint32_t to = next[mask_first(lanes[i])];
        groups[i] = (struct group){lanes[i], to, to <= pc};
    }
    if (count == 1)
        go(paths, groups[0].pc, groups[0].passes, false);
    else
        part(paths, groups, count, false);
}

/* Lanes that got a lock go first. To ask in vain is a pass of a loop that polls. */
static void answer(struct simt_paths *paths, const struct simt_answer *a)
{
    uint32_t here = paths->now->pc;
    struct simt_answered to = simt_answered(paths, a);
    if (to.again == paths->now->mask) {
        go(paths, here, SIMT_POLL_PASSES, true);
    } else if (to.all != ISA_PC_NONE) {
        go(paths, to.all, 0, false);
    } else {
        look_at_feet(paths);
        struct simt_path from = simt_part(paths, ISA_PC_NONE);
        from.key = 0;
        if (simt_push_split(paths, &from, to.again, here))
            simt_add_passes(&paths->table[paths->count - 1], SIMT_POLL_PASSES);
        simt_push_split(paths, &from, to.over, a->target);
        if (simt_push_split(paths, &from, to.got, a->next))
            give_turn_to(paths, paths->count - 1, true);
        settle(paths);
    }
}

static void yield(struct simt_paths *paths)
{
    simt_add_passes(paths->now, SIMT_POLL_PASSES);
    put_off(paths);
}

static void advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    look_at_feet(paths);
    simt_splits_advance_some(paths, mask, next);
    look_ahead(paths);
}

static void call(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next, const struct simt_frame *frame)
{
    look_at_feet(paths);
    simt_splits_call(paths, mask, entry, next, frame);
}

static void ret(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    look_at_feet(paths);
    simt_splits_return(paths, mask, next);
}

static void end(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    look_at_feet(paths);
    simt_splits_end(paths, mask, next);
}

static void part_lanes(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    look_at_feet(paths);
    simt_splits_part(paths, mask, next);
}

static enum simt_gathered gather(struct simt_paths *paths, uint64_t some, const struct simt_awaited *awaited,
                                 struct simt_met *met)
{
    look_at_feet(paths);
    enum simt_gathered gathered = simt_splits_gather(paths, some, awaited, met);
    if (gathered != SIMT_GATHERED)
        paths->now->key = gathered == SIMT_GATHER_WAITS ? HURRIED : 0;
    look_ahead(paths);
    return gathered;
}

/* True if the split that has the turn is where rules 1 and 2 let it be, each key says where its path stands, and lanes
 * in no call are in the first frame. */
static bool holds(const struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = &paths->table[i];
        uint32_t most = p->kind == SIMT_TURN ? HURRIED : p->kind == SIMT_READY ? MOST_MOVES : UINT32_MAX;
        bool in_kernel = simt_below(paths, i, p->mask) == SIMT_NO_PATH;
        if (p->spent > SIMT_MOST_PASSES || p->key > most)
            return false;
        if (in_kernel && (p->frame.reg_base || p->frame.pred_base || p->frame.local_base))
            return false;
    }
    if (!simt_splits_hold(paths, true))
        return false;
    return !paths->now || !looks_ahead(paths) || paths->now->until == next_sibling(paths);
}

/* Formation */

static bool may_leave(const struct simt_paths *paths, uint32_t i)
{
    const struct simt_path *p = &paths->table[i];
    return (p->kind == SIMT_TURN || p->kind == SIMT_READY) && simt_below(paths, i, p->mask) == SIMT_NO_PATH;
}

static uint64_t giving(const struct simt_paths *paths)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == SIMT_READY && paths->table[i].key < MOST_MOVES && may_leave(paths, i))
            lanes |= paths->table[i].mask;
    return lanes;
}

static void leave(struct simt_paths *paths, uint64_t mask)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        contract(!(p->mask & mask) || may_leave(paths, i));
        p->mask &= ~mask;
    }
    simt_look_again(paths);
}

static void come(struct simt_paths *paths, uint64_t mask, const struct simt_path *like)
{
    struct simt_path split = *like;
    uint32_t moves = like->kind == SIMT_TURN ? 0 : like->key < MOST_MOVES ? like->key + 1 : MOST_MOVES;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (!p->mask || p->pc != like->pc || !may_leave(paths, i))
            continue;
        /* Both are in no call, so in one frame, and no instruction of the split is under way there. */
        p->mask |= mask;
        p->key |= p->kind == SIMT_TURN && like->kind == SIMT_TURN ? like->key : 0;
        p->spent = p->spent < like->spent ? like->spent : p->spent;
        if (p->kind == SIMT_READY && p->key < moves)
            p->key = moves;
        return;
    }
    split.mask = mask;
    split.kind = SIMT_READY;
    split.until = ISA_PC_NONE;
    split.key = moves;
    simt_paths_push(paths, split);
}

static const struct simt_forming forming = {.may_leave = may_leave, .giving = giving, .leave = leave, .come = come};

const struct simt_divergence simt_dwf = {
    .name = "dwf",
    SIMT_SPLITS_ROWS,
    .came = simt_inherit_passes,
    .forming = &forming,
    .arrive = settle,
    .advance_some = advance_some,
    .branch = branch,
    .branch_each = branch_each,
    .call = call,
    .ret = ret,
    .exit = end,
    .yield = yield,
    .poll = poll,
    .answer = answer,
    .part = part_lanes,
    .gather = gather,
    .holds = holds,
};
