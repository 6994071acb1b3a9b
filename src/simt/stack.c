/* The reconvergence stack: see stack.h. What happens when the lanes of the top entry part ways.
 *
 * The top becomes the entry that waits where they meet again and one entry per group goes on top of it. If the top is
 * itself on its way to that very place, an entry below it waits there already, and the groups replace it. A call entry
 * is never replaced: it marks where the frame begins and holds all its lanes until they have returned. Groups that
 * already stand at the meeting place are not pushed. Entries of locks are left out. */
#include "simt/stack.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/hot.h"

void simt_stack_reserve(struct simt_stack *stack, uint32_t capacity)
{
    if (capacity <= stack->capacity)
        return;
    size_t old_bytes = stack->capacity * sizeof *stack->entries, bytes = capacity * sizeof *stack->entries;
    stack->entries = stack->lent ? base_copy_apart(stack->entries, old_bytes, bytes)
                                 : base_grow_apart(stack->entries, old_bytes, bytes);
    stack->capacity = capacity;
    stack->lent = false;
}

static void push(struct simt_stack *stack, struct simt_stack_entry entry)
{
    if (stack->depth == stack->capacity)
        simt_stack_reserve(stack, stack->capacity ? 2 * stack->capacity : 16);
    stack->entries[stack->depth++] = entry;
    if (stack->depth > stack->max_depth)
        stack->max_depth = stack->depth;
}

void simt_stack_init(struct simt_stack *stack, uint64_t mask, uint32_t pc, const struct simt_frame *frame)
{
    stack->depth = stack->max_depth = 0;
    if (!mask)
        return;
    push(stack, (struct simt_stack_entry){
                    .pc = pc,
                    .reconverge = ISA_PC_NONE,
                    .mask = mask,
                    .type = SIMT_ENTRY_NORMAL,
                    .function = frame->function,
                    .reg_base = frame->reg_base,
                    .pred_base = frame->pred_base,
                    .local_base = frame->local_base,
                });
}

void simt_stack_lend(struct simt_stack *stack, struct simt_stack_entry *entries, uint32_t capacity)
{
    simt_stack_free(stack);
    stack->entries = entries;
    stack->capacity = capacity;
    stack->lent = true;
}

void simt_stack_free(struct simt_stack *stack)
{
    if (!stack->lent)
        free(stack->entries);
    *stack = (struct simt_stack){.not_taken_first = stack->not_taken_first};
}

void simt_stack_settle(struct simt_stack *stack)
{
    while (stack->depth) {
        const struct simt_stack_entry *top = simt_stack_top(stack);
        bool arrived = top->type == SIMT_ENTRY_NORMAL && top->pc == top->reconverge;
        if (top->mask && !arrived)
            return;
        stack->depth--;
    }
}

/* Makes the top wait for all its lanes at `reconverge`, or takes it off if an entry below does. Returns what the groups
 * pushed on it start from. */
static struct simt_stack_entry wait_at(struct simt_stack *stack, uint32_t reconverge)
{
    struct simt_stack_entry *top = simt_stack_top(stack);
    struct simt_stack_entry group = *top;
    group.type = SIMT_ENTRY_NORMAL;
    group.reconverge = reconverge;
    if (top->type == SIMT_ENTRY_NORMAL && top->reconverge == reconverge)
        stack->depth--;
    else
        top->pc = reconverge;
    return group;
}

static void push_group(struct simt_stack *stack, const struct simt_stack_entry *from, uint64_t mask, uint32_t pc)
{
    if (!mask || pc == from->reconverge)
        return;
    struct simt_stack_entry group = *from;
    group.mask = mask;
    group.pc = pc;
    push(stack, group);
}

void simt_stack_advance_some(struct simt_stack *stack, uint64_t mask, uint32_t next)
{
    const struct simt_stack_entry *top = simt_stack_top(stack);
    uint64_t others = top->mask & ~mask;
    if (!others) {
        simt_stack_advance(stack, next);
        return;
    }
    uint32_t here = top->pc;
    struct simt_stack_entry group = wait_at(stack, next);
    push_group(stack, &group, others, here);
}

HOT void simt_stack_branch(struct simt_stack *stack, uint64_t taken, uint32_t target, uint32_t fallthrough,
                           uint32_t reconverge)
{
    uint64_t mask = simt_stack_top(stack)->mask;
    taken &= mask;
    if (taken == mask || !taken || target == fallthrough) {
        simt_stack_advance(stack, taken ? target : fallthrough);
        return;
    }
    struct simt_stack_entry group = wait_at(stack, reconverge);
    if (stack->not_taken_first) {
        push_group(stack, &group, taken, target);
        push_group(stack, &group, mask & ~taken, fallthrough);
    } else {
        push_group(stack, &group, mask & ~taken, fallthrough);
        push_group(stack, &group, taken, target);
    }
    simt_stack_settle(stack);
}

static uint64_t lanes_going_to(const uint32_t *next, uint32_t pc, uint64_t mask)
{
    uint64_t same = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        if (next[mask_first(rest)] == pc)
            same |= BIT64(mask_first(rest));
    return same;
}

void simt_stack_branch_each(struct simt_stack *stack, const uint32_t *next, uint32_t reconverge)
{
    uint64_t mask = simt_stack_top(stack)->mask;
    uint64_t groups[64];
    unsigned count = 0;
    for (uint64_t rest = mask; rest; rest &= ~groups[count++])
        groups[count] = lanes_going_to(next, next[mask_first(rest)], rest);
    if (count == 1) {
        simt_stack_advance(stack, next[mask_first(mask)]);
        return;
    }
    struct simt_stack_entry group = wait_at(stack, reconverge);
    while (count-- > 0)
        push_group(stack, &group, groups[count], next[mask_first(groups[count])]);
    simt_stack_settle(stack);
}

void simt_stack_call(struct simt_stack *stack, uint64_t mask, uint32_t entry, uint32_t next,
                     const struct simt_frame *frame)
{
    struct simt_stack_entry *top = simt_stack_top(stack);
    uint64_t others = top->mask & ~mask;
    if (others) {
        uint32_t here = top->pc;
        struct simt_stack_entry group = wait_at(stack, next);
        push_group(stack, &group, others, here);
        /* The caller's entry for simt_stack_caller. It has arrived when the callee returns. */
        group.mask = mask;
        group.pc = next;
        push(stack, group);
    } else {
        top->pc = next;
    }
    push(stack, (struct simt_stack_entry){
                    .pc = entry,
                    .reconverge = ISA_PC_NONE,
                    .mask = mask,
                    .type = SIMT_ENTRY_CALL,
                    .function = frame->function,
                    .reg_base = frame->reg_base,
                    .pred_base = frame->pred_base,
                    .local_base = frame->local_base,
                });
}

/* Index of the innermost call's entry, or depth when there is none. */
static uint32_t innermost_call(const struct simt_stack *stack)
{
    for (uint32_t i = stack->depth; i-- > 0;)
        if (stack->entries[i].type == SIMT_ENTRY_CALL)
            return i;
    return stack->depth;
}

/* Takes the lanes out of all entries from `first` up; the top's other lanes go on at next. */
static void leave(struct simt_stack *stack, uint32_t first, uint64_t mask, uint32_t next)
{
    simt_stack_top(stack)->pc = next;
    for (uint32_t i = first; i < stack->depth; i++)
        stack->entries[i].mask &= ~mask;
    simt_stack_settle(stack);
}

void simt_stack_ret(struct simt_stack *stack, uint64_t mask, uint32_t next)
{
    uint32_t call = innermost_call(stack);
    leave(stack, call < stack->depth ? call : 0, mask, next);
}

void simt_stack_exit(struct simt_stack *stack, uint64_t mask, uint32_t next)
{
    leave(stack, 0, mask, next);
}

bool simt_stack_caller(const struct simt_stack *stack, struct simt_stack_entry *caller)
{
    uint32_t call = innermost_call(stack);
    if (call == stack->depth || call == 0)
        return false;
    *caller = stack->entries[call - 1];
    return true;
}
