/* A memory partition: one DRAM channel and the L2 slices in front of it. Requests come in through the network into a
 * slice's queue (after the ROP delay), are accepted by the L2, misses go to the DRAM controller; replies wait to be
 * taken by the network.
 *
 * Values: a slice accepts requests one after the other, and that order is the order of memory: at that moment, hit or
 * miss, reads take their bytes from the store, writes put theirs there, and the lanes of an atomic are performed. So a
 * read that waits for its fill does not see a write accepted after it. */
#ifndef LOCKSTEP_MEMORY_PARTITION_H
#define LOCKSTEP_MEMORY_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/hot.h"
#include "memory/cache.h"
#include "memory/packet.h"
#include "memory/store.h"
#include "sim/clock.h"
#include "sim/cycle.h"

enum memory_address_map { MEMORY_MAP_FERMI, MEMORY_MAP_PASCAL, MEMORY_MAP_HBM };
#define MEMORY_BANK_BITS 5 /* of a bank number at most */
extern const char *const memory_address_map_choices[];

struct partition_params { /* group "partition": channels, slices per channel, address map, queues, ROP and DRAM latency,
                             host copies */
#include "config/param_fields.h"
#include "memory/partition_params.def"
#include "config/param_end.h"
};
extern const struct param_desc partition_param_descs[];
extern const unsigned partition_param_count;

/* Group "l2": the parameters of a cache, with an L2 slice's defaults. */
extern const struct param_desc l2_param_descs[];
extern const unsigned l2_param_count;

struct coherence_params { /* group "coherence": the protocol of the L1 data caches and the L2 */
#include "config/param_fields.h"
#include "memory/coherence/coherence_params.def"
#include "config/param_end.h"
};
extern const struct param_desc coherence_param_descs[];
extern const unsigned coherence_param_count;

enum lock_backoff { LOCK_BACKOFF_CONSTANT, LOCK_BACKOFF_LINEAR, LOCK_BACKOFF_EXPONENTIAL };
extern const char *const lock_backoffs[];
struct lock_params { /* group "locks": queues of locks in the slices, and how long lanes they lack room for wait */
#include "config/param_fields.h"
#include "memory/lock_params.def"
#include "config/param_end.h"
};
extern const struct param_desc lock_param_descs[];
extern const unsigned lock_param_count;

struct lock_stats {
#include "stats/stat_fields.h"
#include "memory/lock_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group lock_stat_group;

struct dram_params { /* group "dram": scheduler, geometry, timing in command cycles */
#include "config/param_fields.h"
#include "memory/dram_params.def"
#include "config/param_end.h"
};
extern const struct param_desc dram_param_descs[];
extern const unsigned dram_param_count;

struct dram_stats {
#include "stats/stat_fields.h"
#include "memory/dram_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group dram_stat_group;

#define PARTITION_MAX_SLICES 4

struct memory_params {
    struct partition_params partition;
    struct cache_params l2;
    struct dram_params dram;
    struct coherence_params coherence;
    struct lock_params locks;
    const struct coherence_protocol *protocol; /* instead of the one that `coherence` names: of a test */
};

/* L2 slices of the whole machine. */
static inline unsigned memory_slices(const struct partition_params *params)
{
    return params->channels * params->slices_per_channel;
}

/* Where an address lives. Uses partition_params only. */
struct memory_place {
    uint32_t channel, slice; /* slice counts over the whole machine: channel * slices_per_channel + k */
    uint32_t bank, row, column;
    uint64_t local; /* the address with channel and slice bits removed: what an L2 slice indexes its sets with */
};
struct memory_place memory_place_of(const struct partition_params *params, uint64_t address);

/* The parameters that slice and local address of an address follow from, prepared once: packets ask as often as they
 * come. */
struct memory_map {
    uint64_t inverse; /* 2^64 / channels, rounded up; 0 for one channel */
    uint32_t channels, slice_bits;
    uint32_t block_shift; /* bytes that lie together in one channel, as a power of two */
    uint8_t bank_bits[4]; /* of the channel address, those that choose the slice first */
    bool hashes;          /* partition.hash_channels */
};
struct memory_map memory_map_of(const struct partition_params *params);

/* The channel of the first block of a round over the channels (Fibonacci hashing: rounds that follow each other begin
 * far apart). */
static inline uint32_t memory_first_channel(const struct memory_map *map, uint64_t round)
{
    uint64_t hash = round * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return map->hashes ? (uint32_t)(hash * map->channels >> 32) : 0;
}

/* Returns the slice (of the whole machine) of any address, and its local address there. */
static inline uint32_t memory_slice_of(const struct memory_map *map, uint64_t address, uint64_t *local)
{
    uint64_t block = address >> map->block_shift;
    uint64_t row = map->inverse ? (uint64_t)((unsigned __int128)block * map->inverse >> 64) : block;
    uint32_t channel = (uint32_t)(block - row * map->channels);
    if (RARELY(map->hashes)) {
        channel += memory_first_channel(map, row);
        channel -= channel >= map->channels ? map->channels : 0;
    }
    uint32_t slice = channel << map->slice_bits;
    uint64_t inside = row << map->block_shift | (address & mask_low(map->block_shift));
    for (uint32_t i = 0; i < map->slice_bits; i++)
        slice |= (uint32_t)(inside >> map->bank_bits[i] & 1) << i;
    for (uint32_t i = map->slice_bits; i-- > 0;) {
        uint64_t low = (UINT64_C(1) << map->bank_bits[i]) - 1;
        inside = (inside >> 1 & ~low) | (inside & low);
    }
    *local = inside;
    return slice;
}

struct partition;

/* A partition in `arena`, which must outlive it. */
struct partition *partition_create(const struct memory_params *params, unsigned channel, struct store *store,
                                   struct arena *arena);
/* Frees what the partition has allocated since. */
void partition_destroy(struct partition *p);
/* Lets latencies vary: each request of a slice takes 0 to `most` L2 cycles more through the ROP delay, and each one to
 * the DRAM 0 to `most` DRAM cycles more to its scheduler, by the seed's streams of these units. Requests keep their
 * order. Before the first push. */
void partition_vary(struct partition *p, uint64_t seed, uint32_t most);
/* Sets an adversary against the program: some requests are held in the ROP delay for 1 to `most` L2 cycles (1 or more), and loads
 * answered with values of up to as many cycles before, as the seed says (slice_adversary.c). Requests that came later overtake
 * those that are held, but for those of the same SM about the same bytes. Before the first push. */
void partition_oppose(struct partition *p, uint64_t seed, uint32_t most);
/* True: he has loads answered early, so that SMs are to say how early each may be (message_read.ago), and to send them to the
 * slices. Never true of seed 0: nobody. */
bool partition_opposes_early(uint64_t seed, const struct coherence_protocol *protocol);
/* Hands slice k of this partition (0..slices_per_channel-1) a request, when partition_accepting has the slice, or the
 * answer to a probe of the slice's, at any time. */
void partition_push(struct partition *p, unsigned k, struct packet *packet, uint64_t cycle);
/* Under a protocol that probes: opens the slices' probes to so many SMs, before the first push. A probe leaves as
 * replies do. */
void partition_open_probes(struct partition *p, uint32_t sms);
/* Under a protocol with a directory: the same. Answers to its probes are pushed as requests are. */
void partition_open_directory(struct partition *p, uint32_t sms);
/* Opens the slices to multicasts. What a READ of an asynchronous unit brings may be for other SMs too: then the list
 * lists[sm * PARTITION_CASTS + waiter] has a WRITE of that SM for each line that it goes to there: `ready` is the SM that is to
 * get it, `sectors` where its bytes begin in the line that is read. The slice fills in the bytes and sends them all in the
 * place of the reply, one after the other, and then the reply itself. The SM writes the list before the READ leaves; from
 * then until its reply has come it is the slice's. */
#define PARTITION_CASTS 512 /* of an SM, under way */
struct packet_list;
void partition_open_casts(struct partition *p, struct packet_list *lists);
/* A message that a slice has ready for the network, of replies or of probes. A slice with sectors answers a packet
 * sector by sector: each has its own message, and the last one carries the packet. */
struct partition_reply {
    struct packet *packet; /* NULL: an early sector, to be sent for its time only */
    uint64_t served;       /* the tick of the L2 after which it is there to be sent */
    uint32_t bytes;        /* on the network */
    uint16_t sm;           /* receiver */
    bool cast;             /* more packets follow, linked by next: see partition_open_casts */
};
/* The replies of a slice: a ring of mask + 1 places, of which `limit` may be used. The machine looks at it as often as
 * the slice. */
struct partition_out {
    _Alignas(CACHE_LINE) struct partition_reply *replies;
    uint32_t first, count, mask, limit;
    uint32_t inside; /* packets in the slice, those whose replies wait included */
    uint32_t slice;
    struct partition *partition;
};
/* The facts that the network and the SMs read in every cycle, kept in one place that they may read directly. */
struct partition_head {
    uint64_t next_l2, next_dram;                     /* see partition_next_l2, partition_next_dram */
    uint64_t next;                                   /* see partition_next */
    uint64_t lookahead;                              /* see partition_lookahead */
    uint64_t done;                                   /* partition_run has simulated what is before this cycle */
    uint64_t accepting;                              /* bit k: slice k can be pushed to */
    uint64_t accepted;                               /* the same for the cycles before `done` */
    struct partition_out *out[PARTITION_MAX_SLICES]; /* by slice */
};
/* For so many cycles a partition does nothing that depends on what comes to it from now on. */
static inline uint64_t partition_lookahead(const struct partition *p)
{
    return ((const struct partition_head *)p)->lookahead;
}
static inline uint64_t partition_accepting(const struct partition *p)
{
    return ((const struct partition_head *)p)->accepting;
}
static inline struct partition_out *partition_out_of(const struct partition *p, unsigned k)
{
    return ((const struct partition_head *)p)->out[k];
}
/* The message that leaves first; the queue must not be empty. */
static inline const struct partition_reply *partition_first_reply(const struct partition_out *out)
{
    return &out->replies[out->first & out->mask];
}
/* The first cycle in which there is something to send, or CYCLE_NEVER. */
static inline uint64_t partition_reply_at(const struct partition_out *out)
{
    return out->count ? partition_first_reply(out)->served + 1 : CYCLE_NEVER;
}
/* A slice whose queue of replies was full goes on. */
void partition_wake_slice(struct partition_out *out);
/* The first reply is one of a multicast, and has been sent: the next one takes its place. */
void partition_next_cast(struct partition_out *out);
/* The first reply has been sent. Returns whether partition_next may have changed. */
static inline bool partition_take_reply(struct partition_out *out)
{
    bool full = out->count >= out->limit;
    if (RARELY(partition_first_reply(out)->cast)) {
        partition_next_cast(out);
        return false;
    }
    out->inside -= partition_first_reply(out)->packet != NULL;
    out->count--;
    out->first++;
    will_read(partition_first_reply(out));
    if (full)
        partition_wake_slice(out);
    return full;
}
/* The message that slice k sends first in this cycle, before its own tick, or NULL; valid until it is taken. */
static inline const struct partition_reply *partition_reply(const struct partition *p, unsigned k, uint64_t cycle)
{
    const struct partition_out *out = partition_out_of(p, k);
    return partition_reply_at(out) <= cycle ? partition_first_reply(out) : NULL;
}
static inline bool partition_can_push(const struct partition *p, unsigned k)
{
    return partition_accepting(p) >> k & 1;
}
/* Replies packet by packet: early sectors are dropped. */
struct packet *partition_peek(struct partition *p, unsigned k, uint64_t cycle); /* the reply at the head, or NULL */
struct packet *partition_pop(struct partition *p, unsigned k, uint64_t cycle);
/* A partition in a machine. Whatever is pushed to it is in the ROP delay for at least partition.rop_latency cycles, so
 * what it does until then depends on nothing that is still to come, except on replies being taken, and on that only
 * while a queue of replies is nearly full. So it is not simulated cycle by cycle among the other units, but alone for
 * many cycles: ahead of the machine, which sees of that only what its cycle has (partition_reply_at, partition_takes).
 */

/* Before the first partition_run of a launch, or after a checkpoint was loaded. dram: the DRAM's clock at that cycle.
 */
void partition_start(struct partition *p, const struct sim_clock *dram);
/* Simulates cycle `now`, whose replies have been taken and whose packets pushed, and then on to cycle `until` (not
 * simulated any more) as far as possible; does nothing if that is not as far as partition_next. Not before
 * partition_done, and needed when partition_next has come. until: at most now + partition_lookahead, if it is to be
 * beyond now + 1. every: no cycle is left out. */
void partition_run(struct partition *p, uint64_t now, uint64_t until, bool every);
/* Brings the DRAM channel, for statistics, to where it is before cycle `cycle`, as far as the rest has been simulated: between
 * ticks it waits until it is looked at. That changes nothing else. */
void partition_settle(struct partition *p, uint64_t cycle);
/* Does what is left before cycle `until`, for statistics, when the launch has ended: nobody takes replies or pushes any
 * more. The DRAM channel, too, is brought there: between ticks it waits until it is looked at. */
void partition_finish(struct partition *p, uint64_t until);
/* The next cycle in which partition_run is needed, or CYCLE_NEVER. */
static inline uint64_t partition_next(const struct partition *p)
{
    return ((const struct partition_head *)p)->next;
}
static inline uint64_t partition_done(const struct partition *p)
{
    return ((const struct partition_head *)p)->done;
}
/* Packets that are in the partition, those in queues of locks aside; and what they wait for, a row of text a slice. */
struct strbuf;
uint32_t partition_waiting(const struct partition *p);
void partition_describe_waiting(const struct partition *p, struct strbuf *out);
/* The slices that can be pushed to in this cycle, as bits. */
static inline uint64_t partition_takes(const struct partition *p, uint64_t cycle)
{
    const struct partition_head *head = (const struct partition_head *)p;
    return cycle < head->done ? head->accepted : head->accepting;
}
bool partition_idle(const struct partition *p);
/* When it is idle: the cycle at whose end everything was done, packets whose replies waited aside. */
uint64_t partition_idle_from(const struct partition *p);

/* partition_run step by step: one cycle of the L2's clock, one command cycle of the DRAM's clock. cycle: the L2's,
 * whose tick is still to come. dram_cycle: counted from 1; a cycle that is left out has changed nothing. */
void partition_tick_l2(struct partition *p, uint64_t cycle);
void partition_tick_dram(struct partition *p, uint64_t dram_cycle, uint64_t cycle);
/* The next cycle of each clock at which a tick changes anything, or CYCLE_NEVER. Replies waiting to be popped do not
 * count. Never later than the truth; a push, a pop or a tick of the other clock can make it earlier, also earlier than
 * the present, which means the next tick that there is. */
static inline uint64_t partition_next_l2(const struct partition *p)
{
    return ((const struct partition_head *)p)->next_l2;
}
static inline uint64_t partition_next_dram(const struct partition *p)
{
    return ((const struct partition_head *)p)->next_dram;
}
/* A host copy wrote [address, address + bytes): with host_copies_fill_l2 the lines that live here become valid in the
 * L2. */
void partition_host_copy(struct partition *p, uint64_t address, uint64_t bytes);
/* Drops (after writing back nothing: values are in the store already) every L2 line. */
void partition_invalidate(struct partition *p);
struct coherence_counts;
/* Adds how often each transition of slice k's tags (side 1) or of its directory (side 2), if it has one, was taken. */
void partition_collect(const struct partition *p, unsigned k, unsigned side, struct coherence_counts *counts);
const struct cache_stats *partition_l2_stats(const struct partition *p, unsigned k);
const struct lock_stats *partition_lock_stats(const struct partition *p, unsigned k);
const struct dram_stats *partition_dram_stats(const struct partition *p);
void partition_stats_reset(struct partition *p);
/* Recomputes what the partition's slices, their caches and the DRAM channel keep (base/check.h). */
struct check;
void partition_check_units(struct partition *p, struct check *c);
/* Describes everything but the parameters for a checkpoint. */
struct archive;
void partition_archive(struct partition *p, struct archive *ar, const struct packet_source *source);
/* A packet of slice k's own that is loaded, wherever it is met: it counts among the slice's packets already. NULL: the
 * protocol has none. */
struct packet *partition_archive_packet(struct partition *p, unsigned k, unsigned kind);

#endif
