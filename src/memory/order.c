/* Orders: see order.h. What each asks of an L1 is a row of its protocol (coherence/orders.def). */
#include "memory/order.h"

#include "isa/mod_values.h"

bool order_releases(uint8_t order)
{
    return order == ISA_ORDER_RELEASE || order == ISA_ORDER_ACQ_REL || order == ISA_ORDER_SC;
}

bool order_acquires(uint8_t order)
{
    return order == ISA_ORDER_ACQUIRE || order == ISA_ORDER_ACQ_REL || order == ISA_ORDER_SC;
}

unsigned order_event(struct order_access access)
{
    if (access.plain)
        return access.load ? AGENT_LOAD_EVENT : AGENT_STORE_EVENT;
    if (access.scope == ISA_SCOPE_REMOTE)
        return AGENT_REMOTE_EVENT;
    if (access.scope == ISA_SCOPE_CTA)
        return AGENT_BLOCK_EVENT;
    return access.order > ISA_ORDER_RELAXED ? AGENT_DEVICE_EVENT : AGENT_RELAXED_EVENT;
}

enum l1_order order_at(uint8_t scope, bool release)
{
    if (scope == ISA_SCOPE_CTA)
        return L1_BLOCK_RELEASE;
    if (scope == ISA_SCOPE_REMOTE)
        return release ? L1_REMOTE_RELEASE : L1_REMOTE_ACQUIRE;
    return release ? L1_RELEASE : L1_ACQUIRE;
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
