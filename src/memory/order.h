/* Orders: the demands of acquires, releases, fences and kernels' beginnings and ends on an L1 that keeps what it has
 * written, and their waits. Knows no clock: the SM asks here in its cycles (lsu/fence.c, lsu/lsu.c), and the
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

enum order_kind { ORDER_LOAD, ORDER_STORE, ORDER_ATOMIC, ORDER_FENCE, ORDER_KINDS };

/* Reasons why a warp waits until its access is answered: order.def. */
enum order_answer {
    ORDER_ANSWER_NO = 0,
    ORDER_ANSWER_YES = 1,
    ORDER_ANSWER_DROPS = 2, /* lines are dropped when it has its value */
    ORDER_ANSWER_KEEPS = 4, /* the L1 keeps what it has written */
    ORDER_ANSWER_EITHER = ORDER_ANSWER_DROPS | ORDER_ANSWER_KEEPS
};

/* A row and scope of order.def. */
struct order_meaning {
    uint8_t event;         /* enum agent_event, without "here" */
    uint8_t before, after; /* 1 + enum l1_order, or 0: none */
    uint8_t answer;        /* set of enum order_answer */
};
/* The meaning of an access or fence. order, scope: ISA_ORDER_*, ISA_SCOPE_*, or 0: the instruction names none. */
const struct order_meaning *order_meaning(enum order_kind kind, uint8_t order, uint8_t scope);
/* The scope that an access or fence has under a protocol, which may know none. */
uint8_t order_scope(const struct coherence_protocol *protocol, uint8_t scope);
/* True: other accesses of the block, which the L1 may serve, are ordered before it. */
static inline bool order_synchronises_block(const struct order_meaning *meaning)
{
    return meaning->before == 1 + L1_BLOCK_RELEASE;
}
/* True: its warp waits for meaning->before. l1_keeps: its L1 keeps what it has written. */
static inline bool order_waits_before(const struct order_meaning *meaning, bool l1_keeps)
{
    return meaning->before && (l1_keeps || !order_synchronises_block(meaning));
}

/* A release or fence that waits. */
struct order_wait {
    uint32_t mark;  /* flushing: of the flush */
    uint32_t after; /* it waits for the block's accesses of the epochs before this one */
    uint8_t order;  /* enum l1_order */
    bool flushing;  /* what was before it in the SM has ended, and the L1's flush, which it waits for, has begun */
};
/* It is known now what is ordered before it in its block. */
void order_begin(struct order_wait *wait, enum l1_order order, const struct block_order *block);
/* True: what is before it in the SM has ended. in_flight: accesses of its own thread that are not over; stores_out:
 * parts of its stores that are not acknowledged. */
bool order_reached(const struct order_wait *wait, const struct block_order *block, uint32_t in_flight,
                   uint32_t stores_out);
/* The state of a wait after a step: it goes on as it was, has begun its flush, or is over. */
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
