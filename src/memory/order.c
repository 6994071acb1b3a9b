/* Orders: see order.h. What each asks of an L1 is a row of its protocol (coherence/orders.def). */
#include "memory/order.h"

#include "isa/mod_values.h"

/* Orders that mean the same for the memory system: volatile accesses are relaxed ones (PTX ISA, "ld.volatile"). */
enum order_group { PLAIN, RELAXED, ACQUIRE, RELEASE, BOTH, MMIO, GROUPS, ANY = 0 };
static const uint8_t group_of[] = {
    [0] = PLAIN,
    [ISA_ORDER_WEAK] = PLAIN,
    [ISA_ORDER_VOLATILE] = RELAXED,
    [ISA_ORDER_RELAXED] = RELAXED,
    [ISA_ORDER_ACQUIRE] = ACQUIRE,
    [ISA_ORDER_RELEASE] = RELEASE,
    [ISA_ORDER_ACQ_REL] = BOTH,
    [ISA_ORDER_SC] = BOTH,
    [ISA_ORDER_MMIO] = MMIO,
};

enum { AT_BLOCK, AT_DEVICE, AT_REMOTE, PLACES };

/* 1 + enum l1_order by the name in order.def. */
enum {
    ORDERS_NONE = 0,
#define L1_ORDER(name, words, meaning) ORDERS_##name = 1 + L1_##name,
#include "memory/coherence/orders.def"
#undef L1_ORDER
};

static const struct order_meaning meanings[ORDER_KINDS][GROUPS][PLACES] = {
#define MEANS(event, before, after, answer)                                                                            \
    {                                                                                                                  \
        AGENT_##event##_EVENT, ORDERS_##before, ORDERS_##after, ORDER_ANSWER_##answer                                  \
    }
#define ORDER(kind, group, block, device, remote) [ORDER_##kind][group] = {block, device, remote},
#include "memory/order.def"
#undef ORDER
#undef MEANS
};

const struct order_meaning *order_meaning(enum order_kind kind, uint8_t order, uint8_t scope)
{
    unsigned place = scope == ISA_SCOPE_CTA ? AT_BLOCK : scope == ISA_SCOPE_REMOTE ? AT_REMOTE : AT_DEVICE;
    return &meanings[kind][kind == ORDER_FENCE ? ANY : group_of[order]][place];
}

uint8_t order_scope(const struct coherence_protocol *protocol, uint8_t scope)
{
    return protocol->scopeless && scope == ISA_SCOPE_CTA ? ISA_SCOPE_GPU : scope;
}

/* Waits */

static bool flushes(const struct agent *agent, enum l1_order order)
{
    return agent && (agent->protocol->orders[order] & L1_ORDER_FLUSH);
}

static enum agent_cause cause_of(enum l1_order order)
{
    return order == L1_BEGIN || order == L1_END ? AGENT_BY_KERNEL : AGENT_BY_ORDER;
}

void order_begin(struct order_wait *wait, enum l1_order order, const struct block_order *block)
{
    *wait = (struct order_wait){.order = (uint8_t)order, .after = block->synchronised};
}

bool order_reached(const struct order_wait *wait, const struct block_order *block, uint32_t in_flight,
                   uint32_t stores_out)
{
    return !in_flight && !stores_out && block_order_reached(block, wait->after);
}

bool order_is_due(const struct order_wait *wait, const struct agent *agent, bool earlier)
{
    return wait->flushing ? agent_flushed(agent, wait->mark) : earlier;
}

enum order_state order_step(struct order_wait *wait, struct agent *agent, bool earlier)
{
    bool began = !wait->flushing;
    if (!order_is_due(wait, agent, earlier))
        return ORDER_WAITS;
    if (!wait->flushing && flushes(agent, wait->order)) {
        wait->mark = agent_flush(agent, cause_of(wait->order));
        wait->flushing = true;
    }
    if (wait->flushing && !agent_flushed(agent, wait->mark))
        return began ? ORDER_FLUSHES : ORDER_WAITS;
    wait->flushing = false;
    return ORDER_OVER;
}

void order_drop(struct agent *agent, enum l1_order order)
{
    if (agent->protocol->orders[order] & L1_ORDER_DROP)
        agent_drop(agent, cause_of(order));
}

/* Kernels */

bool order_ends_kernel(const struct agent *agent)
{
    return flushes(agent, L1_END) && agent->drain_to != agent->end;
}

bool order_end_kernel(struct agent *agent)
{
    if (!order_ends_kernel(agent))
        return false;
    agent_flush(agent, cause_of(L1_END));
    return true;
}

void order_begin_kernel(struct agent *agent, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                        void *context)
{
    agent_refresh(agent, read, context);
    order_drop(agent, L1_BEGIN);
}
