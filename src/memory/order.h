/* What acquires, releases, fences and kernels' beginnings and ends ask of an L1 that keeps what it has written, and
 * what they wait for. It knows no clock: the SM asks here in its cycles (sm/fence.c, sm/lsu.c, sm/sm.c), and the
 * checker of protocols in every order in which something can happen (check/), so that what is checked is what is
 * simulated.
 *
 * A release or fence waits, first, until what is before it in its SM has ended: its thread's own accesses, and those of
 * the block that are ordered before (memory/block_order.h). Then the L1 flushes, where the protocol's orders say so,
 * and it waits for that. An acquire lets the L1 drop its lines when it has its value, a fence when it is over. A kernel
 * ends with a flush, and begins with what the host may have changed since, and a drop. */
#ifndef LOCKSTEP_MEMORY_ORDER_H
#define LOCKSTEP_MEMORY_ORDER_H

#include "memory/agent.h"
#include "memory/block_order.h"

/* What a global or local access is to its L1. order, scope: ISA_ORDER_*, ISA_SCOPE_*. plain: it is no atomic access,
 * whatever its scope says: neither an atomic nor a load or store that is relaxed or stronger. */
struct order_access {
    bool load, plain;
    uint8_t order, scope;
};
/* Its event for the agent (enum agent_event, without "here"). */
unsigned order_event(struct order_access access);
/* True: an order has a release, or an acquire, in it. */
bool order_releases(uint8_t order);
bool order_acquires(uint8_t order);
/* The order to the L1 of a release (else an acquire) at a scope. */
enum l1_order order_at(uint8_t scope, bool release);

/* A release or fence that waits. */
struct order_wait {
    uint32_t mark;  /* flushing: of the flush */
    uint32_t after; /* it waits for the block's accesses of the eras before this one */
    uint8_t order;  /* enum l1_order */
    bool flushing;  /* what was before it in the SM has ended, and the L1's flush, which it waits for, has begun */
};
/* It is known now what is ordered before it in its block. */
void order_begin(struct order_wait *wait, enum l1_order order, const struct block_order *block);
/* True: what is before it in the SM has ended. in_flight: accesses of its own thread that are not over; stores_out:
 * parts of its stores that are not acknowledged. */
bool order_reached(const struct order_wait *wait, const struct block_order *block, uint32_t in_flight,
                   uint32_t stores_out);
/* What has become of a wait: it goes on as it was, has begun its flush, or is over. */
enum order_state { ORDER_WAITS, ORDER_FLUSHES, ORDER_OVER };
/* earlier: what is before it in the SM has ended (order_reached). agent: the L1, or NULL: one that keeps nothing. */
enum order_state order_step(struct order_wait *wait, struct agent *agent, bool earlier);
/* True: order_step would change something. */
bool order_is_due(const struct order_wait *wait, const struct agent *agent, bool earlier);
/* The L1 drops its lines, where the protocol has it do so on this order. */
void order_drop(struct agent *agent, enum l1_order order);

/* The last block that the L1 serves has ended: it flushes. Returns whether that has begun now. */
bool order_end_kernel(struct agent *agent);
/* True: order_end_kernel would begin it. */
bool order_ends_kernel(const struct agent *agent);
/* A kernel begins. read: the memory that the host sees. */
void order_begin_kernel(struct agent *agent, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                        void *context);

#endif
