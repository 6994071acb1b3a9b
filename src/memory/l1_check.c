/* Recomputes what an L1 keeps although it follows from its parameters, its protocol's table and its packets
 * (base/check.h). */
#include "base/check.h"
#include "memory/l1.h"

/* The packets of a ring lie in its places, and those that are the SM's own say so. */
static void check_requests(struct l1 *l1, struct check *c)
{
    struct packet_ring *r = &l1->requests;
    packet_ring_check(r, "l1.requests", c);
    for (uint32_t i = 0; i < r->count && i <= r->size; i++) {
        struct packet *p = *packet_ring_at(r, i);
        /* The answer to a probe is the slice's packet. */
        bool answer = message_sender_of(p->kind) == MESSAGE_OF_SLICE;
        CHECK_FACT(c, "l1.request.sm", i, p->sm, l1->packets->sm);
        CHECK_FACT(c, "l1.request.is_reply", i, p->is_reply, answer);
    }
    check_holds(c, "l1.packets.out", 0, l1->packets->out >= r->count || l1->agent);
}

/* The first row of the table for a state and an event, or NULL. */
static const struct coherence_row *row_of(const struct coherence_table *t, unsigned state, unsigned event)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->rows[i].event == event && (t->rows[i].state == state || t->rows[i].state == COHERENCE_ANY))
            return &t->rows[i];
    return NULL;
}

/* True: in every state, the event's first action is the one that a read of the cache takes there. */
static bool is_read(const struct coherence_table *t, unsigned event)
{
    static const uint8_t reads[CACHE_PRESENCES] = {L1_FETCH, L1_JOIN, L1_SERVE, L1_SERVE};
    for (unsigned state = 0; state < CACHE_PRESENCES; state++) {
        const struct coherence_row *row = row_of(t, state, event);
        if (!row || (row->actions & 0xff) != reads[state])
            return false;
    }
    return true;
}

static void check_side(struct l1 *l1, struct check *c)
{
    const struct coherence_table *t = &l1->protocol->l1;
    struct coherence_side *side = l1->side;
    uint32_t stateless = 0, reads = 0;
    for (unsigned event = 0; event < L1_EVENTS; event++) {
        const struct coherence_row *row = row_of(t, CACHE_ABSENT, event);
        stateless |= (uint32_t)(row && row->state == COHERENCE_ANY) << event;
        reads |= (uint32_t)is_read(t, event) << event;
        for (unsigned state = 0; state < CACHE_PRESENCES; state++) {
            row = row_of(t, state, event);
            CHECK_FACT(c, "l1.side.actions", event, side->steps[state][event].actions, row ? row->actions : 0);
        }
    }
    CHECK_FACT(c, "l1.side.stateless", 0, side->stateless, stateless);
    CHECK_FACT(c, "l1.side.reads", 0, side->reads, reads);
}

/* A line that has, or is to have, a copy that ends by itself has a lease that runs. */
static void check_leases(struct l1 *l1, struct check *c)
{
    const struct agent *a = l1->agent;
    leases_check(l1->leases, c);
    for (uint32_t i = 0; i < a->sets * a->ways; i++)
        if (a->lines[i].state != AGENT_I && a->side.steps[a->lines[i].state][AGENT_TIME_PASSED_EVENT].given)
            check_holds(c, "l1.leases", i, l1->leases->of[i].end != 0);
}

void l1_check(struct l1 *l1, struct check *c)
{
    cache_check(l1->cache, c);
    check_requests(l1, c);
    packet_ring_check(&l1->answers, "l1.answers", c);
    if (l1->leases)
        check_leases(l1, c);
    if (l1->agent)
        agent_check(l1->agent, c);
    else
        check_side(l1, c);
}
