/* An L2 slice: the queues around one L2 bank, its tags, ports and misses. Private to the memory room; the structure is
 * here so that the partition's questions, asked every cycle, cost no call. */
#ifndef LOCKSTEP_MEMORY_SLICE_H
#define LOCKSTEP_MEMORY_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "base/random.h"
#include "memory/address.h"
#include "memory/coherence/protocol.h"
#include "memory/directory.h"
#include "memory/dram.h"
#include "memory/leases.h"
#include "memory/lock_queues.h"
#include "memory/packet_queue.h"
#include "memory/partition.h"
#include "memory/slice_history.h"

/* An access: the part of a packet in one sector. While it waits for its fill it has a place among the slice's; next
 * links those that are not used. */
#define SLICE_NO_WAITER UINT32_MAX
struct slice_part {
    struct packet *packet;
    uint8_t offset, bytes; /* from the packet's first byte */
    uint32_t next;
};

#define ATOMIC_CYCLE 100u /* the unit of partition.atomic_interval: so many are a cycle */

/* The place of a new reply; only when it is not full. */
static inline uint32_t slice_out_push(struct partition_out *out)
{
    return (out->first + out->count++) & out->mask;
}

static inline bool slice_out_full(const struct partition_out *out)
{
    return out->count >= out->limit;
}

/* The probes of a slice: those of the access at the head. */
struct slice_probes {
    struct packet_ring out; /* that wait for room behind the replies */
    struct packet_pool pool;
    uint32_t sms;
    uint32_t unanswered;
    bool answered; /* all of them */
};

/* Holds requests in the ROP delay, so that others overtake them, and has loads answered early (slice_adversary.c). */
struct slice_adversary {
    struct random_stream stream; /* drawn from as requests come */
    struct random_stream reads;  /* as loads are served: the slice may be simulated ahead of what comes */
    uint32_t most; /* L2 cycles for which one is held */
    uint64_t seed;
};

/* Fields that are used together share a cache line of the host: many slices take turns. */
struct slice {
    _Alignas(64) uint64_t next; /* as partition_next_l2, of this slice */
    struct cache *cache;
    struct memory_request *requests; /* the pool's */
    uint32_t misses;                 /* requests that lie behind those in to_dram: sent by the cache, not there yet */
    uint32_t in_count;               /* parts between the ROP delay and the L2, as noted */
    struct request_queue to_dram;
    uint64_t sent_at; /* the tick of the last request that was put there ahead of it */
    bool blocked;     /* the access at the head was refused and nothing has changed since */
    bool fills_ahead; /* the protocol has nothing to do at a fill and its reads but what can be done ahead */
    uint8_t number;
    uint8_t store_event; /* enum l2_event: what a store is under l2.write_allocate */
    struct coherence_side *side;
    struct lock_queues *locks;   /* NULL: requests for locks are answered at once */
    struct slice_probes *probes; /* NULL: the protocol has none */
    struct directory *directory; /* NULL: likewise */
    uint64_t directory_cycle;    /* in which it is asked */
    struct leases *leases;       /* by the directory's entries; NULL: the protocol has none */
    struct packet_list *casts;   /* partition_open_casts; NULL: there are none */
    const struct coherence_protocol *protocol;

    struct request_queue from_dram;
    uint64_t data_free_at, fill_free_at;
    uint64_t return_at; /* nothing more of from_dram is taken before */
    uint64_t atomic_free_at; /* in 1/ATOMIC_CYCLE of cycles: the unit for atomics; data_free_at is not before */
    uint64_t copy_free_at;   /* likewise with partition.copy_interval: the port for requests of asynchronous units */
    uint64_t atomic_at;      /* what it last took: the part's local address */
    bool atomic_read;        /* that was read since; only with partition.atomic_turn_interval */
    uint64_t serve_at;  /* the tick of the last reply that was put into the queue ahead of it */

    /* Packets of which the L2 has not accepted all parts, linked by next: first those that have left the ROP delay,
     * then the one that is leaving it, part by part, then those in it. Parts leave one a cycle while there is room:
     * what left before cycle rop_at has been noted. */
    struct packet *first, *rop_first, *last;
    uint64_t rop_at;
    uint64_t rop_ready, rop_look; /* that of rop_first; when the delay is to be looked at */
    uint32_t rop_left;            /* parts of rop_first in the delay */
    uint32_t accepted;            /* bytes of `first` */
    uint32_t in_room;             /* how many parts there may be behind the delay */
    uint32_t in_most;             /* with so many there is still room for all parts of another packet */
    uint32_t sector;              /* bytes of a part at most; 0 when packets are not taken apart */
    uint32_t miss_limit;
    uint32_t port_bytes; /* that a port moves in a cycle */
    struct jitter rop_jitter;
    struct slice_adversary *adversary; /* NULL: requests leave the delay as they came */
    struct slice_history *history;     /* with an adversary who has loads answered early; else NULL */

    struct partition_out out;
    struct slice_part *waiting;                      /* by waiter number */
    uint32_t free_waiter, new_waiters, waiter_limit; /* linked by next; taken at least once: the rest is not touched */
    uint32_t mapped_bank, mapped_row;                /* where the line is that a request was last sent for */
    uint64_t mapped_line;                            /* its number */
    struct request_pool *pool;
    struct store *store;
    const struct request_map *map;
    const struct memory_params *params;
};

/* map: of the parameters. protocol: NULL for the one that machines have by default. */
struct slice *slice_create(const struct memory_params *params, const struct request_map *map, unsigned number,
                           const struct coherence_protocol *protocol, struct store *store, struct request_pool *pool,
                           struct arena *arena);
/* The most requests that the slice's own queues hold. */
uint32_t slice_requests(const struct memory_params *params);
/* True: the queue has room for all parts of a packet. */
static inline bool slice_can_push(const struct slice *s)
{
    return s->in_count <= s->in_most;
}
/* These units of a slice are opened before the first push. It grows while the slice runs, so `own` must be an arena
 * from which no other thread takes memory: the partition's. */
/* The queues of locks, where the machine has them. */
void slice_open_locks(struct slice *s, struct arena *own);
/* Under a protocol that probes the L1s of so many SMs. */
void slice_open_probes(struct slice *s, uint32_t sms, struct arena *own);
/* Under a protocol with a directory, of so many SMs. */
void slice_open_directory(struct slice *s, uint32_t sms, struct arena *own);
/* A probe has been answered. `last` is the last tick. */
void slice_acknowledge(struct slice *s, struct packet *answer, uint64_t last);
void slice_push(struct slice *s, struct packet *packet, uint64_t local, uint64_t cycle);
/* slice_adversary.c: puts a packet into the list of those that the L2 has not accepted, in the ROP delay, which it
 * would leave in cycle `ready`: it may be held there for longer, and `ready` then says so. */
void slice_hold(struct slice *s, struct packet *packet);
/* True: the adversary of that seed has loads answered early, under a protocol in which no L1 keeps what it has written and
 * none is asked about it. */
bool slice_opposes_early(uint64_t seed, const struct coherence_protocol *protocol);
/* With a history: a part of a READ has the values that memory has, and gets earlier ones if the adversary likes; a part of a
 * WRITE or ATOMIC is about to change memory. */
void slice_recall(struct slice *s, const struct slice_part *part, uint64_t cycle);
void slice_remember(struct slice *s, const struct slice_part *part, uint64_t cycle);
/* One cycle of the L2's clock. */
void slice_tick(struct slice *s, uint64_t cycle);
/* Finds `next` anew after a reply was taken from a full queue. `last` is the last tick. */
void slice_find_next(struct slice *s, uint64_t last);
/* True: there is a request for the DRAM after tick `last`. */
static inline bool slice_sends(const struct slice *s, uint64_t last)
{
    return s->to_dram.count > (s->sent_at > last);
}
/* The oldest request for the DRAM goes there; only when there is one. `last` is the last tick. */
static inline uint32_t slice_take_request(struct slice *s, uint64_t last)
{
    /* A full queue has held up the requests behind it, and then accesses. */
    if (request_full(&s->to_dram)) {
        if (s->misses)
            s->next = cycle_min(s->next, last + 1);
        else if (s->in_count && !s->blocked && !slice_out_full(&s->out))
            s->next = cycle_min(s->next, s->data_free_at > last ? s->data_free_at : last + 1);
    }
    uint32_t request = request_shift(&s->to_dram);
    will_read(&s->requests[request_oldest(&s->to_dram)]);
    return request;
}
/* A request comes back from the DRAM soon, then next: what that looks at is asked for ahead, in two steps. */
void slice_expect_return(const struct slice *s, uint32_t request);
void slice_expect_next_return(const struct slice *s, uint32_t request);
/* A request comes back from the DRAM, when there is room. `last` is the last tick. */
void slice_return(struct slice *s, uint32_t request, uint64_t last);
/* True: the slice has work behind the ROP delay besides replies that wait. */
static inline bool slice_works(const struct slice *s)
{
    return (s->misses | s->to_dram.count | s->from_dram.count) || cache_has_pending(s->cache) ||
           (s->directory && s->directory->out.first);
}
/* A probe, or what the directory sends, goes behind the replies; only when there is room. */
static inline void slice_put_out(struct slice *s, struct packet *p, uint64_t cycle)
{
    s->out.replies[slice_out_push(&s->out)] =
        (struct partition_reply){.packet = p, .served = cycle, .bytes = packet_network_bytes(p), .sm = p->sm};
}
/* Of a multicast's answers, the one that goes next is r->packet: whom it is for, and whether others follow. The last is the
 * answer to the READ itself. All take as much of the network as that does (sm.bulk_narrow). */
static inline void slice_address_cast(struct partition_reply *r)
{
    const struct packet *p = r->packet;
    uint32_t narrow = p->of_copy > 1 ? p->of_copy : 1;
    r->cast = p->kind != PACKET_READ;
    r->sm = r->cast ? (uint16_t)p->ready : p->sm;
    r->bytes = MESSAGE_HEADER_BYTES + p->bytes / narrow;
}
/* What the reply's packet, a READ of an asynchronous unit, has read may be for other SMs too: then the reply, which is there to be
 * sent, becomes the last of theirs. */
void slice_cast(const struct slice *s, struct partition_reply *reply);
/* The pool of the slice's probes; NULL: it has none. */
static inline struct packet_pool *slice_packets(struct slice *s)
{
    return s->directory ? &s->directory->pool : s->probes ? &s->probes->pool : NULL;
}
/* For slice_directory.c: where memory has an address, or NULL if only the timing knows it; the part of the packet at
 * the head that comes next, at the tags. */
uint8_t *slice_place_of(const struct slice *s, uint64_t address, uint32_t bytes);
bool slice_try_part(struct slice *s, uint64_t cycle);
/* slice_atomics.c: the unit for atomics takes a part; and a read comes to the tags. They keep the data port. */
void slice_hold_port(struct slice *s, const struct slice_part *part, uint64_t local, uint64_t cycle);
void slice_turn_to_read(struct slice *s, const struct slice_part *part, uint64_t local, uint64_t cycle);
/* slice.c: the parts of a packet from a byte on, which is before its end. */
uint32_t slice_parts_from(const struct slice *s, const struct packet *p, uint32_t offset);
/* slice.c: packets that have left the delay, in a list that is not empty, come before all others. `kept` counts them
 * for whoever had them. */
void slice_come_first(struct slice *s, struct packet_list *list, uint32_t *kept);
/* slice_directory.c: the packet at the head at the directory, which decides whether it goes to the tags now (false:
 * refused); tells it which leases are over; puts accesses whose wait there is over before all others; sends the
 * directory's first probe or answer. */
bool slice_try_directory(struct slice *s, uint64_t cycle);
void slice_end_leases(struct slice *s, uint64_t cycle); /* only under a protocol that has some */
void slice_take_woken(struct slice *s);
void slice_send_of_directory(struct slice *s, uint64_t cycle);
/* slice_waiting.c: packets in the slice that wait for something else than a lock's queue; and what they wait for, as
 * text: which line, which set, who has what registered. */
struct strbuf;
uint32_t slice_waiting(const struct slice *s);
void slice_describe_waiting(const struct slice *s, struct strbuf *out);
/* slice_check.c: recomputes what the slice keeps (base/check.h), its cache's facts aside. `last` is the last tick. */
struct check;
void slice_check(struct slice *s, struct check *c, uint64_t last);
/* slice_archive.c: describes everything but the parameters for a checkpoint. */
struct archive;
void slice_archive(struct slice *s, struct archive *ar, const struct packet_source *source);
#endif
