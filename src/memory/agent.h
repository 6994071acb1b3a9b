/* The L1 data cache of a protocol in which L1s keep what they have written, and register lines (coherence/protocol.h):
 * lines with a valid and a written mask by byte, a store queue, accesses that wait aside, and the protocol's table that
 * says what happens to a line. It knows no clock and no network: packets for the L2 lie in `requests`, in order,
 * answers to probes in `answers`, and its own answers to its owner's accesses in `done`. Its owner is an SM's L1
 * (l1.c), or a checker that drives several of them through all interleavings.
 *
 * The *store queue* holds the lines whose written bytes have not arrived at the L2, in the order of their first store.
 * An entry *waits* until its bytes are sent, is *sent* until the L2 has acknowledged them (or the registration has come
 * that makes them the L1's own), and has then *arrived*. A flush covers the entries that are there when it begins: it
 * is over when all of them have arrived. */
#ifndef LOCKSTEP_MEMORY_AGENT_H
#define LOCKSTEP_MEMORY_AGENT_H

#include "memory/byte_mask.h"
#include "memory/cache.h"
#include "memory/coherence/protocol.h"
#include "memory/packet_queue.h"

#define AGENT_NONE UINT32_MAX
#define AGENT_HOME 64u     /* counts of accesses at home; a power of two */
#define AGENT_WRITES 1024u /* entries of the store queue that have not arrived, at most; a power of two */

struct agent_line {
    uint64_t address;                /* of the line's first byte; meaningless in state I */
    uint64_t used;                   /* the agent's clock when it was last accessed */
    struct byte_mask valid, written; /* at their offset in the 128-byte line that they lie in; written implies valid */
    uint32_t fill;                   /* F, N: its number among the fills, else AGENT_NONE */
    uint32_t entry;                  /* in the store queue, by sequence number, if queued */
    uint32_t flush;                  /* P, E: the mark of its flush */
    struct packet_list probes;       /* a slice's questions that wait */
    uint16_t early;                  /* N: of the accesses that wait aside for it, so many first ones are early */
    uint16_t grant;                  /* R, P, E: the number of its registration */
    uint8_t state;                   /* enum agent_state */
    bool queued;                     /* has an entry: that waits, or whose end a registration is */
    bool own;                        /* of local memory: the values are with the thread, only the time is real */
};

/* A fill under way (line: its line), or one that came and whose waiters are served one by one (line: AGENT_NONE) with
 * the values that the line had then. */
struct agent_fill {
    uint32_t line, count, first, last; /* waiters: a list in `waiters` */
    uint32_t next;                     /* of the free ones; of those that came, in order */
    uint32_t offset;                   /* of the line in `data` */
    uint8_t data[PACKET_LINE_BYTES];
};
struct agent_waiter {
    uint32_t value, next;
};

enum agent_write_state { AGENT_WAITS, AGENT_SENT, AGENT_ARRIVED };
struct agent_write {
    uint64_t address; /* of the line */
    uint8_t state;    /* enum agent_write_state */
};

/* Why lines are dropped, and flushes begin. */
enum agent_cause { AGENT_BY_ORDER, AGENT_BY_REMOTE, AGENT_BY_REGISTRATION, AGENT_BY_KERNEL };

struct agent_stats {
#include "stats/stat_fields.h"
#include "memory/agent_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group agent_stat_group;

/* Of the owner, under a protocol with leases: that of a line, by its place among the agent's, begins now. When it is
 * over, the owner says so (agent_time_passed). */
struct agent_host {
    void (*lease)(void *context, uint32_t line);
    void *context;
};

struct agent {
    const struct coherence_protocol *protocol;
    struct coherence_side side;
    struct agent_line *lines; /* by set and way */
    uint8_t *data;            /* PACKET_LINE_BYTES of each line */
    uint32_t sets, ways, line_bytes, set_shift;
    bool rprio;
    enum cache_set_index set_index;
    uint64_t clock;

    struct agent_fill *fills;
    struct agent_waiter *waiters;
    uint32_t fill_count, waiter_count, merges, free_fill, free_waiter, ready_first,
        ready_last; /* ready: fills that came */

    struct agent_write *writes; /* by sequence number modulo AGENT_WRITES */
    uint32_t arrived, end; /* sequence numbers: entries before `arrived` have arrived; entries exist before `end` */
    uint32_t waiting;      /* entries that wait, and registrations that stores wait for */
    uint32_t unsent;       /* no entry before it waits */
    uint32_t drain_to;     /* entries before it are to be sent */
    uint32_t queue_lines;  /* that may wait: coherence.store_queue */

    struct packet_list behind;     /* answers that found `requests` full: what comes next goes behind them */
    struct packet_list deferred;   /* accesses that wait aside: `parts` of one is its event */
    struct packet_list done;       /* answered accesses */
    struct packet_list lock_waits; /* LOCK probes that wait for accesses aside, which are `cleared` */
    struct packet_list flushes;    /* FLUSH probes that wait: `ready` of one is its flush's mark */
    uint32_t flushing;             /* lines in states P and E */
    uint32_t probes;               /* questions that wait, of lines and FLUSH */
    uint16_t at_home[AGENT_HOME];  /* accesses that are at home and not answered, by a hash of their line */
    uint32_t locks;                /* LOCK probes that are not undone */
    bool stalled;                  /* an access that waits aside found no place when it was tried */

    struct agent_host host;
    struct packet_ring *requests, *answers; /* the owner's */
    struct packet_pool *packets;
    struct cache_stats *cache_stats;
    struct agent_stats stats;
    uint64_t refused_address; /* of the access that was refused last */
    bool refused;             /* and nothing has changed since, the room in `requests` aside, which was */
    bool refused_room;        /* enough then */
};

struct agent_setup {
    const struct coherence_protocol *protocol;
    const struct cache_params *cache;
    struct packet_pool *packets;
    struct packet_ring *requests, *answers;
    struct cache_stats *stats;
    uint32_t queue_lines;
    bool rprio;
    struct agent_host host;
};
/* Free places of `requests` without which an access that sends something is refused. */
#define AGENT_ROOM 3u /* a victim's written bytes, the line's own, and a request */

void agent_init(struct agent *a, const struct agent_setup *setup, struct arena *arena);

/* A plain load, within a line. SERVED: *values are those of its line, by offset in it. WAITING: its waiter comes out of
 * agent_ready, or with the answer of *request, which is on its way. */
struct agent_load {
    uint64_t address;
    uint32_t bytes, waiter;
    bool own; /* of local memory */
};
enum agent_served { AGENT_REFUSED, AGENT_SERVED, AGENT_WAITING };
enum agent_served agent_load(struct agent *a, const struct agent_load *load, const uint8_t **values,
                             struct packet **request);
/* True: a store or an atomic access would be taken now. If not, the agent begins what that lacks. event:
 * AGENT_STORE_EVENT, BLOCK, RELAXED, DEVICE or REMOTE. */
bool agent_can_take(struct agent *a, uint64_t address, uint32_t bytes, unsigned event);
/* Takes it, a packet of the agent's pool with its values; only after agent_can_take. A plain store is taken for good.
 * An atomic access comes back as its own answer, in `done` or from the network. */
void agent_take(struct agent *a, struct packet *p, unsigned event);

/* A reply of the network that is the agent's own: a fill, a registration, the acknowledgement of written bytes. The
 * caller frees it then. */
bool agent_owns(const struct packet *p);
void agent_reply(struct agent *a, struct packet *p);
/* Something comes with the probes: a slice's question, which the agent answers at once or later; or the answer to what
 * was given back, which it frees. It is always taken: `answers` has room for every probe of the L1 as a whole that
 * there can be, one of each slice. */
void agent_probe(struct agent *a, struct packet *p);

/* Loads whose fill came, one by one. */
static inline bool agent_has_ready(const struct agent *a)
{
    return a->ready_first != AGENT_NONE;
}
uint32_t agent_ready(struct agent *a, const uint8_t **values);
/* An answer of the network to an access that the agent has passed on is taken. */
void agent_answered(struct agent *a, struct packet *p);
/* Takes the first answered access, or NULL. */
struct packet *agent_done(struct agent *a);

/* True: the agent has something to send by itself, and there is room for it in `requests`: agent_drain sends an answer
 * or an entry of the store queue, or tries accesses that wait aside again. */
static inline bool agent_drains(const struct agent *a)
{
    return packet_ring_room(a->requests) >= AGENT_ROOM &&
           (a->behind.first || a->stalled || (int32_t)(a->drain_to - a->unsent) > 0);
}
void agent_drain(struct agent *a);
/* Room for what an access sends. */
static inline bool agent_has_room(const struct agent *a)
{
    return packet_ring_room(a->requests) >= AGENT_ROOM && !a->behind.first;
}
/* True: an access would be refused as the one before was. */
static inline bool agent_would_refuse(const struct agent *a, uint64_t address)
{
    return a->refused && a->refused_address == address && agent_has_room(a) == a->refused_room;
}
/* Begins a flush. Returns its mark. */
uint32_t agent_flush(struct agent *a, enum agent_cause cause);
/* True: the flush of that mark is over. */
static inline bool agent_flushed(const struct agent *a, uint32_t mark)
{
    return (int32_t)(a->arrived - mark) >= 0;
}
/* Drops what others may have written. */
void agent_drop(struct agent *a, enum agent_cause cause);
/* The lease of a line is over. Nothing happens where the line has given its copy up before. */
void agent_time_passed(struct agent *a, uint32_t line);
/* Nothing has been taken that is not over: no fill, no registration, nothing unsent or deferred. */
bool agent_idle(const struct agent *a);

/* At the end of a kernel, values only: what is written in registered lines, for the memory that the host sees; and the
 * values of registered lines, which the host may have changed. */
void agent_publish(struct agent *a, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                   void *context);
/* For a look from outside: over the bytes at an address, which lie in one line, those of them that the L1 has written
 * to a line that it has registered. */
void agent_peek(const struct agent *a, uint64_t address, uint8_t *to, uint32_t bytes);
void agent_refresh(struct agent *a, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                   void *context);

/* agent_lines.c */
struct agent_line *agent_find(const struct agent *a, uint64_t address);
static inline uint8_t *agent_data(const struct agent *a, const struct agent_line *line)
{
    return a->data + (size_t)(line - a->lines) * PACKET_LINE_BYTES;
}
static inline uint64_t agent_line_of(const struct agent *a, uint64_t address)
{
    return address & ~(uint64_t)(a->line_bytes - 1);
}

struct check;
void agent_check(struct agent *a, struct check *c);
struct archive;
struct packet_source;
/* waiters: as in l1_archive. */
void agent_archive(struct agent *a, struct archive *ar, const struct packet_source *source, uint32_t waiters);

#endif
