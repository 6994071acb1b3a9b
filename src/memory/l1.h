/* The L1 data cache of an SM as a controller: a cache, the requests that it has for the network, and the coherence
 * protocol that decides what happens to a line; under a protocol in which L1s keep what they have written, an agent
 * (agent.h) instead of the cache. It has four doors: an access is tried, a packet arrives, an order is
 * asked for, a kernel begins or ends. Whoever owns it coalesces, keeps what waits, and moves packets between its
 * requests and the network. */
#ifndef LOCKSTEP_MEMORY_L1_H
#define LOCKSTEP_MEMORY_L1_H

#include "base/hot.h"
#include "memory/cache.h"
#include "memory/coherence/protocol.h"
#include "memory/leases.h"
#include "memory/order.h"
#include "memory/packet_queue.h"

/* Accesses that an L1 which keeps nothing could serve, and passes on by these parameters of the SM. */
struct l1_rules {
    bool loads_pass;   /* loads without .ca or .nc ask for what the L2 has */
    bool strong_pass;  /* volatile, relaxed and stronger loads, and .cv, likewise */
    bool block_stays;  /* but relaxed and acquire loads at the scope of the block do not pass */
    bool atomics_keep; /* an atomic leaves the line as it is */
};

struct l1 {
    struct cache *cache;
    struct packet_ring requests; /* that wait for the network, in order */
    struct packet_ring answers;  /* to probes, that wait for it too */
    struct packet_pool *packets;
    struct coherence_side *side;
    struct agent *agent;   /* or NULL. The cache then counts accesses, and holds nothing */
    struct leases *leases; /* by the agent's lines; NULL: the protocol has none */
    const uint64_t *now;   /* the owner's cycle */
    const struct coherence_protocol *protocol;
    uint32_t line_bytes;
    struct l1_rules rules;
    bool in_order;    /* what goes past the L1 takes its turn in `requests`; else its owner sends it at once */
    bool timing_only; /* cache_set_timing_only */
};

struct l1_setup {
    const struct coherence_protocol *protocol;
    const struct cache_params *cache;
    struct packet_pool *packets;
    uint32_t requests;    /* that may wait for the network */
    uint32_t answers;     /* to probes; 0: the protocol has none */
    uint32_t store_queue; /* lines: coherence.store_queue */
    bool rprio;           /* coherence.replacement */
    uint32_t lease;       /* cycles: coherence.lease */
    const uint64_t *now;  /* the owner's cycle, for leases */
    bool in_order;
    struct l1_rules rules;
    bool timing_only; /* lines carry no values that anybody looks at (sm.values_at_issue) */
};

void l1_init(struct l1 *l1, const struct l1_setup *setup, struct arena *arena);

/* An access of a warp to global or local memory, as far as its L1 asks. cache: ISA_CACHE_*, or 0. */
struct l1_ask {
    enum order_kind kind;
    uint8_t order, scope, cache;
    bool own; /* local memory, which one thread alone sees */
};
/* Its event, for l1_access: enum l1_event, or enum agent_event where the L1 keeps what it has written. */
unsigned l1_event_of(const struct l1 *l1, const struct l1_ask *ask);
static inline bool l1_keeps(const struct l1 *l1)
{
    return l1->agent != NULL;
}
/* True: the L1 answers a store of this event, or has it already: no acknowledgement of the L2 is to be waited for. */
static inline bool l1_has_store(const struct l1 *l1, unsigned event)
{
    return RARELY(l1->agent != NULL) && (event == AGENT_STORE_EVENT || event == AGENT_REMOTE_EVENT);
}

/* One transaction of a warp: an access within a line. */
struct l1_access {
    uint64_t address;
    uint32_t bytes;         /* l1_access, a load: fewer than were given when it took the first ones alone */
    uint32_t waiter;        /* the owner's number for it, should it wait */
    uint8_t event;          /* enum l1_event; with an agent, enum agent_event */
    uint8_t kind;           /* with an agent: enum packet_kind of a request */
    bool own;               /* likewise: local memory, which one thread alone sees */
    bool submit;            /* set by l1_access: the request is not on its way. The owner fills in its values, and gives
                               it to l1_submit. A plain store is over then; others are answered */
    const uint8_t *values;  /* SERVED, a load: those of its line, by offset; NULL for what carries none */
    struct packet *request; /* a request of its own that is on its way: its values are the owner's to fill in. NULL:
                               none. Where requests are not in order and the event passes, it is in no queue: the owner
                               sends it */
};
enum l1_served {
    L1_REFUSED, /* nothing has changed: it must be tried again */
    L1_SERVED,  /* a load has its values, a store is on its way */
    L1_WAITS    /* its answer will come: from l1_ready, or as a packet with its number */
};
/* The first door: an access is tried at the tags. */
enum l1_served l1_access(struct l1 *l1, struct l1_access *access);
/* l1_access for an access that passes (l1_passes): its request, which waits for an answer, or NULL: refused. */
struct packet *l1_pass(struct l1 *l1, unsigned event, uint64_t address, uint32_t bytes, uint32_t waiter);
void l1_submit(struct l1 *l1, struct packet *request, unsigned event);
/* True: accesses of this event go past the L1, whatever it holds. */
static inline bool l1_passes(const struct l1 *l1, unsigned event)
{
    return !l1->agent && (coherence_step_of(l1->side, COHERENCE_ANY, event)->actions & 0xff) == L1_PASS;
}
/* True: an access that passes would be refused for want of room, so it need not be tried. */
static inline bool l1_is_full(const struct l1 *l1)
{
    return l1->in_order && packet_ring_full(&l1->requests);
}
/* True: a load would be refused as it was before. A try would do no more than count that. */
static inline bool l1_would_refuse(const struct l1 *l1, uint64_t address, uint32_t bytes)
{
    return l1->agent ? agent_would_refuse(l1->agent, address)
                     : cache_would_refuse(l1->cache, address, bytes, packet_ring_room(&l1->requests));
}
/* l1_would_refuse; then the access is counted as refused once more, if that is counted. */
static inline bool l1_refuses_again(struct l1 *l1, uint64_t address, uint32_t bytes)
{
    return l1->agent ? agent_would_refuse(l1->agent, address)
                     : cache_refuses_again(l1->cache, address, bytes, packet_ring_room(&l1->requests));
}

/* Loads that have requested a line so far. */
static inline uint64_t l1_misses(const struct l1 *l1)
{
    return cache_stats_of(l1->cache)->read_misses;
}

/* The second door: a probe arrives, a request of a slice's own, or with the probes the answer to a line that was given
 * back. A probe is turned into its own answer and put behind `answers`, or, with an agent, behind `requests` when its
 * time has come; false when there is no room: the owner keeps it where it is, and tries again. */
bool l1_probe(struct l1 *l1, struct packet *probe);
/* Or a reply arrives, which the owner gives back to the pool when it has what it needs of it. */
enum l1_arrival {
    L1_ITS_OWN,      /* the agent's: what it asked for comes, or what it has written is acknowledged */
    L1_ACKNOWLEDGED, /* a store; the packet has its number, or CACHE_NO_WAITER for a write-back */
    L1_ANSWERED,     /* the answer of an access that went past, with its waiter's number */
    L1_FILLED        /* those who wait for a line are ready */
};
/* The kind of an arrival. The caller takes it then, by l1_fill if it is a fill, by l1_reply if it is the agent's. */
enum l1_arrival l1_arrival_of(const struct l1 *l1, const struct packet *p);
void l1_reply(struct l1 *l1, struct packet *p);
/* Takes a fill; returns the number of the one who waited first. */
uint32_t l1_fill(struct l1 *l1, const struct packet *p);
/* True: a waiter whose line came is ready. l1_ready takes the next one: its number, and the line's values by offset
 * (see cache_ready). */
static inline bool l1_has_ready(const struct l1 *l1)
{
    return l1->agent ? agent_has_ready(l1->agent) : cache_has_ready(l1->cache);
}
uint32_t l1_ready(struct l1 *l1, const uint8_t **values);
/* An answer that the network has brought is taken: L1_ACKNOWLEDGED or L1_ANSWERED. */
static inline void l1_answered(struct l1 *l1, struct packet *p)
{
    if (RARELY(l1->agent))
        agent_answered(l1->agent, p);
}
/* Accesses that the L1 has answered itself: they arrive as from the network. */
static inline bool l1_has_done(const struct l1 *l1)
{
    return l1->agent && l1->agent->done.first;
}
static inline const struct packet *l1_first_done(const struct l1 *l1)
{
    return l1->agent->done.first;
}
struct packet *l1_take_done(struct l1 *l1);
/* True: l1_drain would send something that nobody asks for, if there is room. */
static inline bool l1_drains(const struct l1 *l1)
{
    return l1->agent && agent_drains(l1->agent);
}
void l1_drain(struct l1 *l1);
/* Nothing is under way, or waits to be. */
static inline bool l1_idle(const struct l1 *l1)
{
    return !l1->agent || (agent_idle(l1->agent) && !l1->requests.count && !l1->answers.count);
}

/* The third door: what an order drops is dropped. A flush that it asks for comes before (order.h: order_step). */
void l1_order(struct l1 *l1, enum l1_order order);

/* order_step of a wait at this L1. earlier: what is before it in the SM has ended. */
static inline enum order_state l1_order_step(struct l1 *l1, struct order_wait *wait, bool earlier)
{
    return order_step(wait, l1->agent, earlier);
}

/* The last block that it serves has ended: what it has written leaves it. Returns whether that has begun now. */
static inline bool l1_end_kernel(struct l1 *l1)
{
    return order_end_kernel(l1->agent);
}
/* The fourth door. A kernel begins: what others wrote before is seen, in lines that stay (see cache_refresh). Or the
 * L1s are emptied between kernels. */
void l1_begin_kernel(struct l1 *l1, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                     void *context);
void l1_empty(struct l1 *l1);
/* A launch begins, in which the L1 has so many bytes for lines (cache_set_ways). An L1 that keeps what it has written
 * stays as it is. */
void l1_resize(struct l1 *l1, uint64_t bytes);
/* Puts the bytes written in lines that stay into the memory that the host sees. */
void l1_publish(struct l1 *l1, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                void *context);

/* Its counts beside those of its cache: all zero where it keeps nothing that it has written. */
const struct agent_stats *l1_agent_stats(const struct l1 *l1);
void l1_reset_stats(struct l1 *l1);

/* agent_peek, where the L1 is one that registers lines. */
void l1_peek(const struct l1 *l1, uint64_t address, uint8_t *to, uint32_t bytes);

/* l1_check.c: recomputes what the L1 and its cache keep (base/check.h). */
struct check;
void l1_check(struct l1 *l1, struct check *c);
/* Describes the cache and what the protocol remembers for a checkpoint; `requests` are the owner's to describe.
 * waiters: the owner's numbers for accesses are below it. */
struct archive;
void l1_archive(struct l1 *l1, struct archive *ar, const struct packet_source *source, uint32_t waiters);

#endif
