/* The post-dominator reconvergence stack with call entries, as a divergence model. The last path of the table, the top,
 * has the turn. A divergent branch turns the top into the entry that waits at the branch's immediate post-dominator and
 * pushes one entry per group of lanes; an entry that comes to where it goes `until` pops. Call entries never
 * reconverge by program counter, so lanes at different depths of a recursion do not merge (scalar synchronization
 * thesis, Example 2). After every operation the top has lanes and is not where it reconverges, or nothing is left.
 *
 * When the lanes of the top part ways, the top becomes the entry that waits where they meet again and one entry per
 * group goes on top of it. If the top is itself on its way to that very place, an entry below it waits there already,
 * and the groups replace it. A call entry is never replaced: it marks where the frame begins and holds all its lanes
 * until they have returned. Groups that already stand at the reconvergence point are not pushed.
 *
 * Barriers of the block: lanes that wait there for others of their warp have the barrier's key. If no entry above has
 * any lane of an entry (it is a leaf), it may change places with those above it: none of them meets there. So when the
 * top has to wait, the topmost leaf that does not becomes the top. What an entry was pushed on is below it still, but
 * there may be other entries, of other lanes, between the two. While lanes ask for locks or have them, nothing moves. A
 * leaf that waits and is the top again executes its barrier again: others have ended, or wait too.
 *
 * Where lanes ask for locks or have some, stack_locks.c says what becomes of their entries. */
#include "simt/stack_impl.h"

#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "simt/divergence.h"

void stack_settle(struct simt_paths *stack)
{
    if (RARELY(stack->asked))
        stack_settle_locks(stack);
    else
        while (stack->count && stack_is_done(stack_top(stack)))
            stack->count--;
    stack->now = stack->count ? stack_top(stack) : NULL;
}

/* Makes the top wait for all its lanes at `reconverge`, or takes it off if an entry below does. Returns what the groups
 * pushed on it start from. */
static struct simt_path wait_at(struct simt_paths *stack, uint32_t reconverge)
{
    struct simt_path *top = stack_top(stack);
    struct simt_path group = *top;
    group.kind = SIMT_ENTRY_NORMAL;
    group.until = reconverge;
    if (stack_is_group(top) && top->until == reconverge)
        stack->count--;
    else
        top->pc = reconverge;
    return group;
}

static void push_group(struct simt_paths *stack, const struct simt_path *from, uint64_t mask, uint32_t pc)
{
    if (!mask || (pc == from->until && !stack->asked)) /* where locks are held, settling says who goes on there */
        return;
    struct simt_path group = *from;
    group.mask = mask;
    group.pc = pc;
    simt_paths_push(stack, group);
}

static void advance_some(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    const struct simt_path *top = stack_top(stack);
    uint64_t others = top->mask & ~mask;
    if (!others) {
        simt_advance(stack, next);
        return;
    }
    uint32_t here = top->pc;
    struct simt_path group = wait_at(stack, next);
    push_group(stack, &group, others, here);
    stack->now = stack_top(stack);
}

/* The lanes of taken go to target, and before the others, which go to `rest`. */
static inline void fork_top(struct simt_paths *stack, uint64_t taken, uint32_t target, uint32_t rest,
                            uint32_t reconverge)
{
    uint64_t others = stack_top(stack)->mask & ~taken;
    struct simt_path group = wait_at(stack, reconverge);
    push_group(stack, &group, others, rest);
    push_group(stack, &group, taken, target);
    stack_settle(stack);
}

HOT static void branch(struct simt_paths *stack, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    uint64_t mask = stack_top(stack)->mask;
    taken &= mask;
    if (taken == mask || !taken || target == fallthrough) {
        simt_advance(stack, taken ? target : fallthrough);
        return;
    }
    fork_top(stack, taken, target, fallthrough, reconverge);
}

/* They meet behind the instruction. */
static void split(struct simt_paths *stack, uint64_t mask)
{
    uint32_t here = stack_top(stack)->pc;
    fork_top(stack, mask, here, here, here + 1);
}

/* Groups are pushed in order of their lowest lane, that of the lowest lane on top. */
static void branch_each(struct simt_paths *stack, const uint32_t *next, uint32_t reconverge)
{
    uint64_t mask = stack_top(stack)->mask;
    uint64_t groups[64];
    unsigned count = 0;
    for (uint64_t rest = mask; rest; rest &= ~groups[count++])
        groups[count] = simt_lanes_going_to(next, next[mask_first(rest)], rest);
    if (count == 1) {
        simt_advance(stack, next[mask_first(mask)]);
        return;
    }
    struct simt_path group = wait_at(stack, reconverge);
    while (count-- > 0)
        push_group(stack, &group, groups[count], next[mask_first(groups[count])]);
    stack_settle(stack);
}

static void call(struct simt_paths *stack, uint64_t mask, uint32_t entry, uint32_t next, const struct simt_frame *frame)
{
    struct simt_path *top = stack_top(stack);
    uint64_t others = top->mask & ~mask;
    if (RARELY(stack->asked))
        stack_locks_call(stack, mask);
    if (others) {
        uint32_t here = top->pc;
        struct simt_path group = wait_at(stack, next);
        push_group(stack, &group, others, here);
        /* The caller's entry, for caller(). It has arrived when the callee returns. */
        group.mask = mask;
        group.pc = next;
        simt_paths_push(stack, group);
    } else {
        top->pc = next;
    }
    simt_paths_push(
        stack,
        (struct simt_path){.pc = entry, .until = ISA_PC_NONE, .mask = mask, .kind = SIMT_ENTRY_CALL, .frame = *frame});
    stack->now = stack_top(stack);
}

uint32_t stack_innermost_call(const struct simt_paths *stack, uint64_t mask)
{
    for (uint32_t i = stack->count; i-- > 0;)
        if (stack_is_call(&stack->table[i]) && (stack->table[i].mask & mask))
            return i;
    return stack->count;
}

uint32_t stack_below(const struct simt_paths *stack, uint32_t i, uint64_t mask)
{
    while (i-- > 0) {
        const struct simt_path *entry = &stack->table[i];
        if ((entry->mask & mask) && entry->kind != SIMT_ENTRY_RETRY && entry->kind != SIMT_ENTRY_RETRY_LEFT)
            return i;
    }
    return stack->count;
}

/* Takes the lanes out of all entries from `first` up; the top's other lanes go on at next. */
static void leave(struct simt_paths *stack, uint32_t first, uint64_t mask, uint32_t next)
{
    stack_top(stack)->pc = next;
    for (uint32_t i = first; i < stack->count; i++)
        stack->table[i].mask &= ~mask;
    stack_settle(stack);
}

/* The lanes leave every entry of the call's frame. When none of the frame is left, the caller's entry is the top. */
static void ret(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    uint32_t call = stack_innermost_call(stack, mask);
    if (RARELY(stack->asked && call < stack->count)) {
        stack_locks_return(stack, mask, next);
        stack_settle(stack);
        return;
    }
    leave(stack, call < stack->count ? call : 0, mask, next);
}

static void end(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    stack->past &= ~mask;
    stack->skipped &= ~mask;
    leave(stack, 0, mask, next);
}

static const struct simt_path *caller(const struct simt_paths *stack)
{
    uint64_t mask = stack_top(stack)->mask;
    uint32_t call = stack_innermost_call(stack, mask);
    uint32_t below = call == stack->count ? call : stack_below(stack, call, mask);
    return below == stack->count ? NULL : &stack->table[below];
}

/* ---- barriers of the block ---- */

/* The lanes that wait with a key. */
static uint64_t waiting(const struct simt_paths *stack, uint32_t key)
{
    uint64_t lanes = 0, higher = 0;
    for (uint32_t i = stack->count; i-- > 0;) {
        lanes |= stack->table[i].key == key ? stack->table[i].mask & ~higher : 0;
        higher |= stack->table[i].mask;
    }
    return lanes;
}

/* The topmost leaf that waits for nobody, or count. */
static uint32_t free_leaf(const struct simt_paths *stack)
{
    uint64_t higher = 0;
    for (uint32_t i = stack->count; i-- > 0;) {
        const struct simt_path *entry = &stack->table[i];
        if (entry->mask && !(entry->mask & higher) && !entry->key)
            return i;
        higher |= entry->mask;
    }
    return stack->count;
}

static void take_out(struct simt_paths *stack, uint32_t i)
{
    stack->count--;
    memmove(&stack->table[i], &stack->table[i + 1], (stack->count - i) * sizeof stack->table[0]);
}

/* Entry i is a leaf that would go on as the top does. */
static bool goes_along(const struct simt_paths *stack, uint32_t i)
{
    const struct simt_path *entry = &stack->table[i], *top = stack_top(stack);
    return !stack->asked && entry->kind == SIMT_ENTRY_NORMAL && top->kind == SIMT_ENTRY_NORMAL &&
           entry->pc == top->pc && entry->until == top->until &&
           !memcmp(&entry->frame, &top->frame, sizeof top->frame) &&
           stack_below(stack, i, entry->mask) == stack_below(stack, stack->count - 1, top->mask);
}

/* Those that wait with the top's key go on: as the top if they stand at its place, else behind their own. */
static void let_pass(struct simt_paths *stack)
{
    uint32_t key = stack_top(stack)->key;
    for (uint32_t i = stack->count - 1; i-- > 0;) {
        if (stack->table[i].key != key)
            continue;
        if (goes_along(stack, i)) {
            stack_top(stack)->mask |= stack->table[i].mask;
            take_out(stack, i);
            continue;
        }
        stack->table[i].key = 0;
        stack->table[i].pc++;
    }
    stack->now = stack_top(stack);
    stack->now->key = 0;
}

/* Lanes of the top go on at next, by themselves and before the others. */
static void set_apart(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    struct simt_path *top = stack_top(stack), group = *top;
    group.until = stack_is_group(top) ? top->until : ISA_PC_NONE;
    group.kind = stack_is_group(top) ? top->kind : SIMT_ENTRY_NORMAL;
    group.mask = mask;
    group.pc = next;
    if (stack_is_group(top))
        top->mask &= ~mask;
    if (next != group.until)
        simt_paths_push(stack, group);
    stack->now = stack_top(stack);
}

static enum simt_gathered await(struct simt_paths *stack, uint64_t some, uint32_t next, uint32_t key, uint64_t missing,
                                uint64_t *there)
{
    uint64_t others = stack_top(stack)->mask & ~some;
    uint32_t came = stack->count;
    stack_top(stack)->key = key;
    if (others)
        set_apart(stack, others, next);
    *there = waiting(stack, key);
    if (stack->count > came) { /* the others are the top */
        stack_top(stack)->key = 0;
        return SIMT_GATHER_WAITS;
    }
    if (!(missing & ~*there)) {
        let_pass(stack);
        return SIMT_GATHERED;
    }
    uint32_t leaf = stack->asked ? stack->count : free_leaf(stack);
    if (leaf == stack->count)
        return SIMT_GATHER_NOBODY;
    struct simt_path entry = stack->table[leaf];
    take_out(stack, leaf);
    stack->table[stack->count++] = entry;
    stack_settle(stack);
    return SIMT_GATHER_WAITS;
}

static void look_again(struct simt_paths *stack)
{
    for (uint32_t i = 0; i + 1 < stack->count; i++)
        stack->table[i].key = 0;
}

/* An entry's lanes are among those of the innermost call's entry below it that has any. */
static bool calls_hold(const struct simt_paths *stack)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        uint64_t mask = stack->table[i].mask;
        uint32_t call = i;
        while (call-- > 0)
            if (stack_is_call(&stack->table[call]) && (stack->table[call].mask & mask))
                break;
        if (call != UINT32_MAX && (mask & ~stack->table[call].mask))
            return false;
    }
    return true;
}

static bool holds(const struct simt_paths *stack)
{
    return (stack->asked ? stack_locks_hold(stack) : calls_hold(stack)) &&
           (!stack->count || !stack_is_done(stack_top(stack)));
}

const struct simt_divergence simt_stack = {
    .name = "stack",
    .kinds = SIMT_ENTRY_KINDS,
    .exclusive = true,
    .arrive = stack_settle,
    .advance_some = advance_some,
    .branch = branch,
    .branch_each = branch_each,
    .call = call,
    .ret = ret,
    .exit = end,
    .ask = stack_ask,
    .answer = stack_answer,
    .give = stack_give,
    .part = stack_part,
    .split = split,
    .await = await,
    .look_again = look_again,
    .caller = caller,
    .turn = stack_top,
    .holds = holds,
};
