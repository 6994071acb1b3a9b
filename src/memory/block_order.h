/* The order that a block's warps give each other. A fence or release of one warp also orders what the other warps of
 * its block did before they synchronised with it (PTX ISA, "Memory Consistency Model": causality order passes through
 * barriers and through synchronisation at the scope of the block). So it must wait until that has been performed.
 *
 * The time of a block is cut into eras: a new one begins with every synchronisation inside the block (a barrier that
 * opens, a fence or release at the scope of the block). An access to global memory belongs to the era in which it
 * issued, and is *out* until it is performed: a load until its registers are written, a store until the last of its
 * parts is acknowledged. A fence waits until nothing of the eras before the latest synchronisation is out. What issues
 * behind it, also in other warps, cannot hold it up. */
#ifndef LOCKSTEP_MEMORY_BLOCK_ORDER_H
#define LOCKSTEP_MEMORY_BLOCK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_ERAS 16 /* that have accesses out at the same time; a power of two */

struct block_order {
    uint32_t first;           /* the oldest era that has accesses out, or `now` */
    uint32_t now;             /* the present era: now - first < BLOCK_ERAS */
    uint32_t synchronised;    /* what issued in the eras before this one is ordered before a fence that issues now */
    bool late;                /* the era `synchronised` is to begin, and will when there is a place: it is now + 1 */
    uint32_t out[BLOCK_ERAS]; /* accesses that are out, by era % BLOCK_ERAS; 0 for eras outside [first, now] */
};

/* An access issues, or one that issued in that era gets another part that is performed for itself. */
static inline void block_order_add(struct block_order *o, uint8_t era)
{
    o->out[era % BLOCK_ERAS]++;
}

/* The present era, as accesses remember it. */
static inline uint8_t block_order_era(const struct block_order *o)
{
    return (uint8_t)(o->now % BLOCK_ERAS);
}

/* Warps of the block have synchronised: what issued so far is ordered before what issues from now on. */
static inline void block_order_synchronise(struct block_order *o)
{
    if (!o->out[o->now % BLOCK_ERAS] && !o->late) {
        o->synchronised = o->now;
    } else if (o->now - o->first < BLOCK_ERAS - 1) {
        o->synchronised = ++o->now;
    } else {
        o->late = true;
        o->synchronised = o->now + 1;
    }
}

/* True: every access of the eras before `era` is performed. */
static inline bool block_order_reached(const struct block_order *o, uint32_t era)
{
    return (int32_t)(o->first - era) >= 0;
}

/* An access of an era, or a part of it, is performed. Returns whether an era has passed: fences may end. */
static inline bool block_order_done(struct block_order *o, uint8_t era)
{
    if (--o->out[era % BLOCK_ERAS] || era % BLOCK_ERAS != o->first % BLOCK_ERAS || (o->first == o->now && !o->late))
        return false;
    while (o->first != o->now && !o->out[o->first % BLOCK_ERAS])
        o->first++;
    if (o->late && o->now - o->first < BLOCK_ERAS - 1) {
        o->now++;
        o->late = false;
        if (!o->out[o->first % BLOCK_ERAS])
            o->first++;
    }
    return true;
}

#endif
