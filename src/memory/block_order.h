/* The order that a block's warps give each other. A fence or release of one warp also orders what the other warps of
 * its block did before they synchronised with it (PTX ISA, "Memory Consistency Model": causality order passes through
 * barriers and through synchronisation at the scope of the block). So it must wait until that has been performed.
 *
 * The time of a block is cut into epochs: a new one begins with every synchronisation inside the block (a barrier that
 * opens, a fence or release at the scope of the block). An access to global memory belongs to the epoch in which it
 * issued, and is *out* until it is performed: a load until its registers are written, a store until the last of its
 * parts is acknowledged. A fence waits until nothing of the epochs before the latest synchronisation is out. What
 * issues behind it, also in other warps, cannot hold it up. */
#ifndef LOCKSTEP_MEMORY_BLOCK_ORDER_H
#define LOCKSTEP_MEMORY_BLOCK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_EPOCHS 16 /* that have accesses out at the same time; a power of two */

struct block_order {
    uint32_t first;        /* the oldest epoch that has accesses out, or `now` */
    uint32_t now;          /* the present epoch: now - first < BLOCK_EPOCHS */
    uint32_t synchronised; /* what issued in the epochs before this one is ordered before a fence that issues now */
    bool late;             /* the epoch `synchronised` is to begin, and will when there is a place: it is now + 1 */
    uint32_t out[BLOCK_EPOCHS]; /* accesses that are out, by epoch % BLOCK_EPOCHS; 0 for epochs outside [first, now] */
};

/* An access issues, or one that issued in that epoch gets another part that is performed for itself. */
static inline void block_order_add(struct block_order *o, uint8_t epoch)
{
    o->out[epoch % BLOCK_EPOCHS]++;
}

/* The present epoch, as accesses remember it. */
static inline uint8_t block_order_epoch(const struct block_order *o)
{
    return (uint8_t)(o->now % BLOCK_EPOCHS);
}

/* Warps of the block have synchronised: what issued so far is ordered before what issues from now on. */
static inline void block_order_synchronise(struct block_order *o)
{
    if (!o->out[o->now % BLOCK_EPOCHS] && !o->late) {
        o->synchronised = o->now;
    } else if (o->now - o->first < BLOCK_EPOCHS - 1) {
        o->synchronised = ++o->now;
    } else {
        o->late = true;
        o->synchronised = o->now + 1;
    }
}

/* True: every access of the epochs before `epoch` is performed. */
static inline bool block_order_reached(const struct block_order *o, uint32_t epoch)
{
    return (int32_t)(o->first - epoch) >= 0;
}

/* An access of an epoch, or a part of it, is performed. Returns whether an epoch has passed: fences may end. */
static inline bool block_order_done(struct block_order *o, uint8_t epoch)
{
    if (--o->out[epoch % BLOCK_EPOCHS] || epoch % BLOCK_EPOCHS != o->first % BLOCK_EPOCHS ||
        (o->first == o->now && !o->late))
        return false;
    while (o->first != o->now && !o->out[o->first % BLOCK_EPOCHS])
        o->first++;
    if (o->late && o->now - o->first < BLOCK_EPOCHS - 1) {
        o->now++;
        o->late = false;
        if (!o->out[o->first % BLOCK_EPOCHS])
            o->first++;
    }
    return true;
}

#endif
