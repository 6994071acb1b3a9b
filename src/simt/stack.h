/* The post-dominator reconvergence stack with call entries. Execution uses the top entry. A divergent branch turns the
 * top into the entry that waits at the branch's immediate post-dominator and pushes one entry per group of lanes; an
 * entry that reaches its reconvergence point pops. Call entries never reconverge by program counter, so lanes at
 * different depths of a recursion do not merge (scalar synchronization thesis, Example 2).
 *
 * "Lanes of mask" are always a non-empty subset of the top's. After every operation the top has lanes and is not where
 * it reconverges, or depth is 0. */
#ifndef LOCKSTEP_SIMT_STACK_H
#define LOCKSTEP_SIMT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"

enum simt_entry_type { SIMT_ENTRY_NORMAL, SIMT_ENTRY_CALL };

/* Where the executing function's registers, predicates and local memory start. */
struct simt_frame {
    uint32_t function;
    uint32_t reg_base, pred_base, local_base;
};

struct simt_stack_entry {
    uint32_t pc;         /* next instruction; ISA_PC_NONE: waits for lanes that return or exit, never executes */
    uint32_t reconverge; /* ISA_PC_NONE: at exit or return only */
    uint64_t mask;
    uint8_t type; /* enum simt_entry_type */
    uint32_t function, reg_base, pred_base, local_base;
};

struct simt_stack {
    struct simt_stack_entry *entries; /* bottom first */
    uint32_t depth, capacity;
    uint32_t max_depth;   /* deepest since init */
    bool lent;            /* entries are memory that is not the stack's own */
    bool not_taken_first; /* the not-taken group of a branch goes on top (default: the taken group); kept by init */
};

/* One entry with these lanes at pc; keeps the buffer of an earlier use. Zero-initialise the struct once. */
void simt_stack_init(struct simt_stack *stack, uint64_t mask, uint32_t pc, const struct simt_frame *frame);
void simt_stack_free(struct simt_stack *stack);
/* Makes room for `capacity` entries in all. */
void simt_stack_reserve(struct simt_stack *stack, uint32_t capacity);
/* An empty stack takes entries in memory that stays its owner's, until it needs more. */
void simt_stack_lend(struct simt_stack *stack, struct simt_stack_entry *entries, uint32_t capacity);

static inline struct simt_stack_entry *simt_stack_top(const struct simt_stack *stack)
{
    return &stack->entries[stack->depth - 1];
}

/* Pops entries that are empty or stand at their reconvergence point; the slow part of advance. */
void simt_stack_settle(struct simt_stack *stack);

/* All lanes of the top, which the caller has at hand, go on at next. */
static inline void simt_stack_advance_top(struct simt_stack *stack, struct simt_stack_entry *top, uint32_t next)
{
    top->pc = next;
    if (top->reconverge == next)
        simt_stack_settle(stack);
}
static inline void simt_stack_advance(struct simt_stack *stack, uint32_t next)
{
    simt_stack_advance_top(stack, simt_stack_top(stack), next);
}

/* Lanes of mask go on at next; the top's other lanes stay where they are and catch up: all meet at next. */
void simt_stack_advance_some(struct simt_stack *stack, uint64_t mask, uint32_t next);
/* The top's lanes in taken (none, some or all) go to target, the others to fallthrough; they meet at reconverge. */
void simt_stack_branch(struct simt_stack *stack, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge);
/* Each of the top's lanes goes to next[lane]; groups are pushed in order of their lowest lane, that of the lowest lane
 * on top. */
void simt_stack_branch_each(struct simt_stack *stack, const uint32_t *next, uint32_t reconverge);
/* Lanes of mask call the function whose first instruction is entry and will return to next, where the top's other
 * lanes, which stay where they are until then, meet them. */
void simt_stack_call(struct simt_stack *stack, uint64_t mask, uint32_t entry, uint32_t next,
                     const struct simt_frame *frame);
/* Lanes of mask return from the innermost call: they leave every entry of its frame. The top's other lanes go on at
 * next. When no lane of the frame is left, the caller's entry is the top. */
void simt_stack_ret(struct simt_stack *stack, uint64_t mask, uint32_t next);
/* Lanes of mask leave every entry; the top's other lanes go on at next. depth becomes 0 when no lane is left. */
void simt_stack_exit(struct simt_stack *stack, uint64_t mask, uint32_t next);
/* The entry that called the innermost function (its pc is the return address); false in the outermost function. */
bool simt_stack_caller(const struct simt_stack *stack, struct simt_stack_entry *caller);

#endif
