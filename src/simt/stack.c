/* The post-dominator reconvergence stack with call entries, as a way to diverge. The last path of the table, the top,
 * has the turn. A divergent branch turns the top into the entry that waits at the branch's immediate post-dominator and
 * pushes one entry per group of lanes; an entry that comes to where it goes `until` pops. Call entries never
 * reconverge by program counter, so lanes at different depths of a recursion do not merge (scalar synchronization
 * thesis, Example 2). After every operation the top has lanes and is not where it reconverges, or nothing is left.
 *
 * When the lanes of the top part ways, the top becomes the entry that waits where they meet again and one entry per
 * group goes on top of it. If the top is itself on its way to that very place, an entry below it waits there already,
 * and the groups replace it. A call entry is never replaced: it marks where the frame begins and holds all its lanes
 * until they have returned. Groups that already stand at the meeting place are not pushed. Entries of locks are left
 * out. */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/divergence.h"

enum { ENTRY_NORMAL, ENTRY_CALL, ENTRY_KINDS };

static inline struct simt_path *top_of(const struct simt_paths *stack)
{
    return &stack->table[stack->count - 1];
}

static bool done(const struct simt_path *top)
{
    return !top->mask || (top->kind == ENTRY_NORMAL && top->pc == top->until);
}

/* Pops entries that are empty or stand at their reconvergence point. */
static void settle(struct simt_paths *stack)
{
    while (stack->count && done(top_of(stack)))
        stack->count--;
    stack->now = stack->count ? top_of(stack) : NULL;
}

/* Makes the top wait for all its lanes at `reconverge`, or takes it off if an entry below does. Returns what the groups
 * pushed on it start from. */
static struct simt_path wait_at(struct simt_paths *stack, uint32_t reconverge)
{
    struct simt_path *top = top_of(stack);
    struct simt_path group = *top;
    group.kind = ENTRY_NORMAL;
    group.until = reconverge;
    if (top->kind == ENTRY_NORMAL && top->until == reconverge)
        stack->count--;
    else
        top->pc = reconverge;
    return group;
}

static void push_group(struct simt_paths *stack, const struct simt_path *from, uint64_t mask, uint32_t pc)
{
    if (!mask || pc == from->until)
        return;
    struct simt_path group = *from;
    group.mask = mask;
    group.pc = pc;
    simt_paths_push(stack, group);
}

static void advance_some(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    const struct simt_path *top = top_of(stack);
    uint64_t others = top->mask & ~mask;
    if (!others) {
        simt_advance(stack, next);
        return;
    }
    uint32_t here = top->pc;
    struct simt_path group = wait_at(stack, next);
    push_group(stack, &group, others, here);
    stack->now = top_of(stack);
}

HOT static void branch(struct simt_paths *stack, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    uint64_t mask = top_of(stack)->mask;
    taken &= mask;
    if (taken == mask || !taken || target == fallthrough) {
        simt_advance(stack, taken ? target : fallthrough);
        return;
    }
    struct simt_path group = wait_at(stack, reconverge);
    push_group(stack, &group, mask & ~taken, fallthrough);
    push_group(stack, &group, taken, target);
    settle(stack);
}

/* Groups are pushed in order of their lowest lane, that of the lowest lane on top. */
static void branch_each(struct simt_paths *stack, const uint32_t *next, uint32_t reconverge)
{
    uint64_t mask = top_of(stack)->mask;
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
    settle(stack);
}

static void call(struct simt_paths *stack, uint64_t mask, uint32_t entry, uint32_t next, const struct simt_frame *frame)
{
    struct simt_path *top = top_of(stack);
    uint64_t others = top->mask & ~mask;
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
    simt_paths_push(stack, (struct simt_path){
                               .pc = entry, .until = ISA_PC_NONE, .mask = mask, .kind = ENTRY_CALL, .frame = *frame});
    stack->now = top_of(stack);
}

/* Index of the innermost call's entry, or count when there is none. */
static uint32_t innermost_call(const struct simt_paths *stack)
{
    for (uint32_t i = stack->count; i-- > 0;)
        if (stack->table[i].kind == ENTRY_CALL)
            return i;
    return stack->count;
}

/* Takes the lanes out of all entries from `first` up; the top's other lanes go on at next. */
static void leave(struct simt_paths *stack, uint32_t first, uint64_t mask, uint32_t next)
{
    top_of(stack)->pc = next;
    for (uint32_t i = first; i < stack->count; i++)
        stack->table[i].mask &= ~mask;
    settle(stack);
}

/* The lanes leave every entry of the call's frame. When none of the frame is left, the caller's entry is the top. */
static void ret(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    uint32_t call = innermost_call(stack);
    leave(stack, call < stack->count ? call : 0, mask, next);
}

static void end(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    leave(stack, 0, mask, next);
}

static const struct simt_path *caller(const struct simt_paths *stack)
{
    uint32_t call = innermost_call(stack);
    return call == stack->count || call == 0 ? NULL : &stack->table[call - 1];
}

/* An entry's lanes are among those of the call's entry below it. */
static bool holds(const struct simt_paths *stack)
{
    uint64_t frame = ~UINT64_C(0);
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct simt_path *entry = &stack->table[i];
        if (entry->mask & ~frame)
            return false;
        frame = entry->kind == ENTRY_CALL ? entry->mask : frame;
    }
    return !stack->count || !done(top_of(stack));
}

const struct simt_divergence simt_stack = {
    .name = "stack",
    .kinds = ENTRY_KINDS,
    .arrive = settle,
    .advance_some = advance_some,
    .branch = branch,
    .branch_each = branch_each,
    .call = call,
    .ret = ret,
    .exit = end,
    .caller = caller,
    .turn = top_of,
    .holds = holds,
};
