/* Warp instructions in flight, between issue and completion: the pool of those under way, and the pipeline registers
 * and wheels that hand them from one room of the SM to the next. An op is known by its number in the pool. */
#ifndef LOCKSTEP_CORE_OP_H
#define LOCKSTEP_CORE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "base/vec.h"
#include "sim/cycle.h"
#include "simt/warp.h"
#include "warp/table.h"

#define CORE_NONE UINT32_MAX

/* Who waits until an op is complete. LANES: it asks for locks by queues, and each lane waits for its own
 * answer. PHASE: the warp, for an mbarrier's phase. */
enum core_blocks { CORE_BLOCKS_NOBODY, CORE_BLOCKS_WARP, CORE_BLOCKS_LANES, CORE_BLOCKS_PHASE };

/* A warp instruction in flight: in one cache line, all that its way through the pipelines asks for. */
struct core_op {
    _Alignas(64) const struct decoded_instr *decoded;
    struct instr_timing timing; /* the decoded instruction's */
    uint64_t src_banks, dst_banks;
    struct simt_access *access;
    uint32_t next;    /* free list, wheel list */
    uint16_t pending; /* transactions not yet answered; in shared memory's pipeline: cycles beyond those its wheel looks
                         ahead */
    uint8_t slot;
    uint8_t unit;   /* enum warp_unit: the class that executes it */
    bool in_memory; /* has an access to serve */
    bool bypasses;  /* it goes past the L1D whatever that holds */
    uint8_t event;  /* enum l1_event */
    bool performed; /* its values were taken or given at issue (sm.values_at_issue) */
    uint8_t drops;  /* when it has its value, the L1D drops lines: 1 + enum l1_order; 0: it does not */
    uint8_t blocks; /* enum core_blocks */
    uint8_t epoch;    /* of its block, in which it issued: see order.h */
    uint8_t source; /* enum warp_source */
};

/* Pipeline registers of one class: FIFOs of ops, in rings. */
#define CORE_FIFO_ITEMS 16
struct core_fifo {
    uint32_t *items; /* apart: every step asks for the counts of all FIFOs */
    uint8_t count, size;
    uint8_t head; /* place of the oldest */
};

static inline uint32_t *core_fifo_item(struct core_fifo *fifo, unsigned i)
{
    return &fifo->items[(fifo->head + i) % CORE_FIFO_ITEMS];
}
static inline bool core_fifo_full(const struct core_fifo *fifo)
{
    return fifo->count == fifo->size;
}
static inline void core_fifo_push(struct core_fifo *fifo, uint32_t op)
{
    contract(!core_fifo_full(fifo));
    *core_fifo_item(fifo, fifo->count++) = op;
}
/* Takes the oldest op of a FIFO that is not empty. */
static inline uint32_t core_fifo_pop(struct core_fifo *fifo)
{
    contract(fifo->count);
    uint32_t op = fifo->items[fifo->head];
    fifo->head = (fifo->head + 1) % CORE_FIFO_ITEMS;
    fifo->count--;
    return op;
}

/* Results on their way: a ring of lists by cycle. As much of it is in use as the latencies at hand need, so that it
 * stays in the host's caches. */
#define CORE_WHEEL 1024
struct core_wheel {
    uint32_t count, mask; /* ops; size - 1 */
    uint64_t occupied[CORE_WHEEL / 64];
    uint32_t head[CORE_WHEEL]; /* op lists, CORE_NONE empty */
};

/* The size of a ring of cycles that looks `cycles` ahead: a power of two, 64 at least. */
static inline uint32_t core_ring_of_cycles(uint32_t cycles)
{
    return cycles < 64 ? 64 : power_from(cycles + 1);
}

/* Where the cores of an SM hand their memory instructions to the load/store unit in the order of issue: whose turn it
 * is. An instruction is in line from its issue until the unit takes it. */
#define CORE_LINE 256 /* more than the pipeline registers and collectors of the class hold, of all cores */
struct core_line {
    uint8_t cores[CORE_LINE]; /* a ring */
    uint8_t head;
    uint16_t count;
};
static inline void core_line_push(struct core_line *line, unsigned core)
{
    contract(line->count < CORE_LINE);
    line->cores[(line->head + line->count++) % CORE_LINE] = (uint8_t)core;
}
static inline unsigned core_line_first(const struct core_line *line)
{
    return line->cores[line->head];
}
static inline void core_line_pop(struct core_line *line)
{
    contract(line->count);
    line->head = (uint8_t)((line->head + 1) % CORE_LINE);
    line->count--;
}

/* The pool of ops, recycled: a running kernel allocates nothing once its working set was met. */
struct core_ops {
    struct core_op *items;
    size_t count, capacity;
    uint32_t free, live;                /* list of those not in use; how many are */
    bool samples;                       /* accesses have room for what textures give (simt/image.h) */
    VEC(struct simt_access *) accesses; /* free ones */
};

COLD uint32_t core_op_grow(struct core_ops *ops);
static inline uint32_t core_op_new(struct core_ops *ops)
{
    uint32_t index = ops->free;
    if (index == CORE_NONE)
        index = core_op_grow(ops);
    else
        ops->free = ops->items[index].next;
    ops->items[index] = (struct core_op){.next = CORE_NONE};
    ops->live++;
    return index;
}
/* The op, whose access is the caller's to give back, can be taken again. */
static inline void core_op_recycle(struct core_ops *ops, uint32_t op)
{
    contract(ops->live);
    ops->items[op].next = ops->free;
    ops->free = op;
    ops->live--;
}
static inline void core_op_free(struct core_ops *ops, uint32_t op)
{
    struct core_op *o = &ops->items[op];
    if (o->access)
        vec_push(&ops->accesses, o->access);
    o->access = NULL;
    core_op_recycle(ops, op);
}
/* An access of a launch whose code reads textures, or does not: ops->samples. */
struct simt_access *core_access_new(struct core_ops *ops, struct arena *arena);
/* The op needs its access no more. */
static inline void core_access_free(struct core_ops *ops, struct core_op *o)
{
    vec_push(&ops->accesses, o->access);
    o->access = NULL;
}
/* An empty pool. */
static inline void core_ops_init(struct core_ops *ops)
{
    *ops = (struct core_ops){.free = CORE_NONE};
}
static inline void core_ops_free(struct core_ops *ops)
{
    vec_free(ops);
    vec_free(&ops->accesses);
}

void core_wheel_init(struct core_wheel *wheel);
/* Prepares an empty wheel for additions up to `cycles` ahead. */
void core_wheel_begin(struct core_wheel *wheel, uint32_t cycles);
/* Ops of one cycle keep the order in which they were added. */
static inline void core_wheel_add(struct core_ops *ops, struct core_wheel *wheel, uint64_t cycle, uint32_t op)
{
    contract(wheel->count <= ops->live);
    unsigned at = (unsigned)cycle & wheel->mask;
    uint32_t *link = &wheel->head[at];
    while (*link != CORE_NONE)
        link = &ops->items[*link].next;
    *link = op;
    ops->items[op].next = CORE_NONE;
    wheel->occupied[at / 64] |= BIT64(at % 64);
    wheel->count++;
}
/* True: ops are due at cycle. */
static inline bool core_wheel_due(const struct core_wheel *wheel, uint64_t cycle)
{
    unsigned at = (unsigned)cycle & wheel->mask;
    return mask_has(wheel->occupied[at / 64], at % 64);
}
/* Takes the list of ops due at cycle; there is one. */
static inline uint32_t core_wheel_take(struct core_wheel *wheel, uint64_t cycle)
{
    unsigned at = (unsigned)cycle & wheel->mask;
    uint32_t list = wheel->head[at];
    wheel->head[at] = CORE_NONE;
    wheel->occupied[at / 64] &= ~BIT64(at % 64);
    return list;
}
/* The first cycle >= from with an entry, or CYCLE_NEVER. Apart: in rings of more than one word. */
uint64_t core_wheel_next_long(const struct core_wheel *wheel, uint64_t from);
static inline uint64_t core_wheel_next(const struct core_wheel *wheel, uint64_t from)
{
    if (!wheel->count)
        return CYCLE_NEVER;
    if (wheel->mask != 63)
        return core_wheel_next_long(wheel, from);
    unsigned start = (unsigned)from & 63;
    uint64_t entries = wheel->occupied[0];
    contract(entries);
    return from + mask_first(entries >> start | entries << (-start & 63));
}

#endif
