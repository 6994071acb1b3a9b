/* The state that the two halves of the reconvergence stack share: control flow (stack.c) and locks (stack_locks.c). */
#ifndef LOCKSTEP_SIMT_STACK_IMPL_H
#define LOCKSTEP_SIMT_STACK_IMPL_H

#include "simt/divergence.h"
#include "simt/stack.h"

static inline struct simt_path *stack_top(const struct simt_paths *stack)
{
    return &stack->table[stack->count - 1];
}

/* A group of lanes on their way to where they meet others. */
static inline bool stack_is_group(const struct simt_path *entry)
{
    return entry->kind == SIMT_ENTRY_NORMAL || entry->kind == SIMT_ENTRY_PARTED;
}

static inline bool stack_is_call(const struct simt_path *entry)
{
    return entry->kind == SIMT_ENTRY_CALL || entry->kind == SIMT_ENTRY_CALL_LOCKED;
}

/* The top has nothing to execute: no lanes, or they have come to where they meet others. */
static inline bool stack_is_done(const struct simt_path *top)
{
    return !top->mask || (stack_is_group(top) && top->pc == top->until);
}

/* Pops what is done; `now` is the top, if one is left. */
void stack_settle(struct simt_paths *stack);
/* The highest call's entry that has lanes of mask, or count when there is none. */
uint32_t stack_innermost_call(const struct simt_paths *stack, uint64_t mask);
/* The highest entry below number i, retry entries aside, that has lanes of mask, or count when there is none. */
uint32_t stack_below(const struct simt_paths *stack, uint32_t i, uint64_t mask);

/* ---- stack_locks.c ---- */

/* As stack_settle, where lanes ask for locks or have some. */
void stack_settle_locks(struct simt_paths *stack);
/* Lanes of the top, where lanes ask for locks or have some: they call a function, or return from one; the others that
 * have the turn go on at next. Nothing is settled. */
void stack_locks_call(struct simt_paths *stack, uint64_t mask);
void stack_locks_return(struct simt_paths *stack, uint64_t mask, uint32_t next);
bool stack_locks_hold(const struct simt_paths *stack);
void stack_ask(struct simt_paths *stack, uint64_t mask);
void stack_answer(struct simt_paths *stack, const struct simt_answer *answer);
uint64_t stack_give(struct simt_paths *stack, uint64_t given, uint32_t next);
void stack_part(struct simt_paths *stack, uint64_t mask, uint32_t next);

#endif
