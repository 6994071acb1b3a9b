/* The view that the policies of an SM's schedulers have of its warps and blocks (include/lockstep/scheduler.h). Events
 * that a policy can see are told here, by the functions below. */
#ifndef LOCKSTEP_CORE_VIEWS_H
#define LOCKSTEP_CORE_VIEWS_H

#include "base/room.h"
#include "lockstep/scheduler.h"
#include "warp/table.h"

struct core_views {
    ROOM_KEPT struct lockstep_warp_view warps[WARP_SLOTS];
    ROOM_KEPT struct lockstep_block_view blocks[WARP_SLOTS]; /* as of the end of the last cycle */
};

/* A block slot as it is from now on; zero where no block is in it. */
static inline void core_view_block(struct core_views *v, unsigned slot, const struct lockstep_block_view *view)
{
    v->blocks[slot] = *view;
}
/* A warp begins in the slot, or begins anew with other threads. pc: its first instruction. */
static inline void core_view_begins(struct core_views *v, unsigned slot, uint64_t age, unsigned block, uint32_t pc)
{
    v->warps[slot] = (struct lockstep_warp_view){.age = age, .block = block, .pc = pc, .issued_pc = pc};
}
/* The warp has issued the instruction at pc; next: the one that it needs next, 0 when there is none. */
static inline void core_view_issued(struct core_views *v, unsigned slot, uint32_t pc, uint32_t next)
{
    struct lockstep_warp_view *view = &v->warps[slot];
    view->issued_pc = pc;
    view->issued++;
    view->pc = next;
}
static inline void core_view_completed(struct core_views *v, unsigned slot)
{
    v->warps[slot].completed++;
}
/* The warp needs another instruction next, though it has issued none. */
static inline void core_view_turns(struct core_views *v, unsigned slot, uint32_t next)
{
    v->warps[slot].pc = next;
}

#endif
