/* Another divergence model, for tests: of the paths of the innermost call, the one with the lowest pc has the turn, and
 * paths that come to the same instruction are one. Where branches meet need not be known. A path that yields gives the
 * turn to the lowest other one, until it branches or meets somebody.
 *
 * The table holds the paths of the kernel, then for each call who called (where it goes on later), and the paths of the
 * function. */
#ifndef LOCKSTEP_TESTS_LOWEST_PC_H
#define LOCKSTEP_TESTS_LOWEST_PC_H

#include "base/bits.h"
#include "simt/divergence.h"

enum { LOWEST_NORMAL, LOWEST_YIELDED, LOWEST_CALLER, LOWEST_KINDS };

/* Where the innermost call's paths begin. */
static inline uint32_t lowest_first(const struct simt_paths *paths)
{
    uint32_t i = paths->count;
    while (i > 0 && paths->table[i - 1].kind != LOWEST_CALLER)
        i--;
    return i;
}

static inline bool lowest_before(const struct simt_path *a, const struct simt_path *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->pc < b->pc;
}

static inline struct simt_path *lowest_turn(const struct simt_paths *paths)
{
    uint32_t first = lowest_first(paths);
    struct simt_path *found = &paths->table[first];
    for (uint32_t i = first + 1; i < paths->count; i++)
        if (lowest_before(&paths->table[i], found))
            found = &paths->table[i];
    return found;
}

/* Of the innermost call: leaves out empty paths, makes those at one place one. */
static inline void lowest_merge(struct simt_paths *paths)
{
    uint32_t first = lowest_first(paths), count = first;
    for (uint32_t i = first; i < paths->count; i++) {
        struct simt_path path = paths->table[i];
        uint32_t k = first;
        while (k < count && paths->table[k].pc != path.pc)
            k++;
        if (k < count && path.mask) {
            paths->table[k].mask |= path.mask;
            paths->table[k].kind = LOWEST_NORMAL;
        } else if (path.mask) {
            paths->table[count++] = path;
        }
    }
    paths->count = count;
}

/* The path that has the turn goes on until it meets another one. */
static inline void lowest_give_turn(struct simt_paths *paths)
{
    struct simt_path *now = paths->now = lowest_turn(paths);
    uint32_t until = ISA_PC_NONE;
    for (struct simt_path *p = &paths->table[lowest_first(paths)]; p < paths->table + paths->count; p++) {
        p->until = ISA_PC_NONE;
        until = p->pc > now->pc && p->pc < until ? p->pc : until;
    }
    now->until = until;
}

static inline void lowest_settle(struct simt_paths *paths)
{
    lowest_merge(paths);
    while (paths->count && lowest_first(paths) == paths->count) {
        paths->table[paths->count - 1].kind = LOWEST_NORMAL; /* the function is left: who called goes on */
        lowest_merge(paths);
    }
    for (uint32_t i = lowest_first(paths); i < paths->count; i++)
        paths->table[i].kind = LOWEST_NORMAL;
    paths->now = NULL;
    if (paths->count)
        lowest_give_turn(paths);
}

/* Lanes that have the turn leave their path for another one. */
static inline void lowest_move(struct simt_paths *paths, uint64_t mask, uint32_t pc)
{
    struct simt_path moved = *paths->now;
    moved.mask = mask;
    moved.pc = pc;
    paths->now->mask &= ~mask;
    uint32_t at = (uint32_t)(paths->now - paths->table);
    simt_paths_push(paths, moved);
    paths->now = &paths->table[at];
}

static inline void lowest_advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    lowest_move(paths, mask, next);
    lowest_settle(paths);
}

static inline void lowest_branch(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                                 uint32_t reconverge)
{
    (void)reconverge;
    lowest_move(paths, taken & paths->now->mask, target);
    paths->now->pc = fallthrough;
    lowest_settle(paths);
}

static inline void lowest_branch_each(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge)
{
    (void)reconverge;
    while (paths->now->mask) {
        uint32_t to = next[mask_first(paths->now->mask)];
        lowest_move(paths, simt_lanes_going_to(next, to, paths->now->mask), to);
    }
    lowest_settle(paths);
}

static inline void lowest_call(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next,
                               const struct simt_frame *frame)
{
    lowest_move(paths, mask, next);
    paths->table[paths->count - 1].kind = LOWEST_CALLER;
    if (!paths->now->mask) { /* callers come behind the paths of their frame, which are one fewer */
        struct simt_path caller = paths->table[--paths->count];
        *paths->now = paths->table[paths->count - 1];
        paths->table[paths->count - 1] = caller;
    }
    simt_paths_push(paths, (struct simt_path){.pc = entry, .until = ISA_PC_NONE, .mask = mask, .frame = *frame});
    lowest_give_turn(paths);
}

static inline void lowest_leave(struct simt_paths *paths, uint32_t first, uint64_t mask, uint32_t next)
{
    paths->now->pc = next;
    for (uint32_t i = first; i < paths->count; i++)
        paths->table[i].mask &= ~mask;
    lowest_settle(paths);
}

static inline void lowest_ret(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    lowest_leave(paths, lowest_first(paths), mask, next);
}

static inline void lowest_exit(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    lowest_leave(paths, 0, mask, next);
}

static inline void lowest_yield(struct simt_paths *paths)
{
    paths->now->kind = LOWEST_YIELDED;
    lowest_give_turn(paths);
}

static inline const struct simt_path *lowest_caller(const struct simt_paths *paths)
{
    uint32_t first = lowest_first(paths);
    return first ? &paths->table[first - 1] : NULL;
}

/* Of the innermost call: every path has lanes, none stands where another does, and no lane is in two. */
static inline bool lowest_holds(const struct simt_paths *paths)
{
    uint64_t seen = 0;
    for (uint32_t i = lowest_first(paths); i < paths->count; i++) {
        const struct simt_path *path = &paths->table[i];
        if (!path->mask || (path->mask & seen))
            return false;
        seen |= path->mask;
        for (uint32_t k = lowest_first(paths); k < i; k++)
            if (paths->table[k].pc == path->pc)
                return false;
    }
    return !paths->count || seen;
}

static const struct simt_divergence lowest_pc = {
    .name = "lowest_pc",
    .kinds = LOWEST_KINDS,
    .arrive = lowest_settle,
    .advance_some = lowest_advance_some,
    .branch = lowest_branch,
    .branch_each = lowest_branch_each,
    .call = lowest_call,
    .ret = lowest_ret,
    .exit = lowest_exit,
    .yield = lowest_yield,
    .caller = lowest_caller,
    .turn = lowest_turn,
    .holds = lowest_holds,
};

#endif
