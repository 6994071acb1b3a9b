/* The directory of an L2 slice, under a protocol in which L1s register lines (coherence/protocol.h), or have copies for
 * a time, or in which an access can have the scope of all L1s: who owns which line or shares it, whom it has asked
 * about it, and which accesses wait aside for the answers. It knows no clock, no network and no tags. What is to be
 * sent lies in `out`, in order; accesses whose wait is over lie in `woken`: its host tries them again, in their order,
 * before all others. The host is a slice, or a checker that drives the same code through all interleavings. */
#ifndef LOCKSTEP_MEMORY_DIRECTORY_H
#define LOCKSTEP_MEMORY_DIRECTORY_H

#include "memory/coherence/protocol.h"
#include "memory/packet_queue.h"

#define DIRECTORY_NONE UINT32_MAX

/* The fate of an access that goes on to the tags. */
enum directory_gone {
    DIRECTORY_GONE,    /* accepted: its values are what memory had now */
    DIRECTORY_REFUSED, /* try again */
    DIRECTORY_WANTS    /* the place of a line that is registered: *line is that line */
};
struct directory_host {
    enum directory_gone (*go)(void *context, struct packet *p, uint64_t *line);
    /* Memory takes the bytes under the packet's mask. */
    void (*merge)(void *context, const struct packet *p);
    /* The tags hold the place of a line, or hold it no more. */
    void (*hold)(void *context, uint64_t line, bool held);
    /* A lease of an entry's line begins now. When the entry's last one is over, the host says so
     * (directory_time_passed). Only under a protocol with leases. */
    void (*lease)(void *context, uint32_t entry);
    void *context;
};

/* A line that is not in state N. Lines have the addresses that the host's tags know them by (packet->local). */
struct directory_entry {
    uint64_t line, address; /* address: as L1s know it */
    uint32_t next;          /* of those with the same hash; of the free ones */
    uint16_t owner;         /* L: who has the first lease */
    uint16_t grant;         /* number of its registration: probes carry it */
    uint16_t unanswered;    /* C: sharers that have not dropped their copies yet */
    uint8_t state;          /* enum directory_state */
    bool several;           /* L: other L1s than `owner` have leases, too */
    struct packet_list parked;
};

/* An access at remote scope that has the turn. */
struct directory_remote {
    struct packet *packet; /* NULL: none */
    uint32_t unanswered;   /* L1s, of the present phase */
    uint8_t kind, phase;   /* which sequence of the protocol, and how far */
};

struct directory {
    const struct coherence_protocol *protocol;
    struct coherence_side side;
    struct directory_host host;
    struct directory_entry *entries;
    uint32_t *hash;
    uint32_t hash_mask, capacity, used, free; /* used: entries that were taken at least once */
    uint32_t sms, line_bytes;
    uint64_t *sharers; /* a set of SMs for each entry; NULL: the table has no sharers */
    uint32_t share_words;
    bool leases; /* the table has leases */
    struct packet_list out, woken;
    struct packet_list remotes; /* accesses at remote scope that wait for their turn */
    struct directory_remote remote;
    uint16_t grants;         /* registrations so far */
    uint32_t displaced;      /* packets that are parked behind the entry of another line than theirs */
    uint32_t kept;           /* packets that it has: parked, woken, waiting for their turn or having it */
    struct packet_pool pool; /* of probes */
};

/* lines: that can be registered at a time, at most: the host's tags hold their places. */
void directory_init(struct directory *d, const struct coherence_protocol *protocol, const struct directory_host *host,
                    uint32_t lines, uint32_t line_bytes, uint32_t sms, struct arena *arena);

/* An access, or an answer to a probe, or what an owner gives back. REFUSED: nothing has changed. GONE: the tags have
 * accepted it. KEPT: the directory has it, or has done all that was to be done. */
enum directory_taken { DIRECTORY_TAKE_REFUSED, DIRECTORY_TAKE_GONE, DIRECTORY_TAKE_KEPT };
enum directory_taken directory_take(struct directory *d, struct packet *p);
/* The tags want the place of a registered line for an access: it is asked back, and the access waits aside until that
 * was given back. */
void directory_make_room(struct directory *d, uint64_t line, struct packet *p);
/* The last lease of an entry's line is over. Nothing happens where the entry has been given up before. */
void directory_time_passed(struct directory *d, uint32_t entry);
/* An access that went to the tags is answered. True: the directory keeps its answer for later. */
bool directory_answered(struct directory *d, struct packet *p);
/* The entry of a line, or NULL: it is in state N. */
const struct directory_entry *directory_find(const struct directory *d, uint64_t line);

/* True: the line has an owner, or one that is asked to give it back. */
static inline bool directory_is_owned(const struct directory_entry *entry)
{
    return entry->state < DIRECTORY_S;
}
/* The sharers of an entry, share_words of 64 SMs. Only under a protocol that has some (d->sharers). */
static inline uint64_t *directory_sharers(const struct directory *d, const struct directory_entry *entry)
{
    return d->sharers + (size_t)(entry - d->entries) * d->share_words;
}

struct check;
void directory_check(struct directory *d, struct check *c);
struct archive;
struct packet_source;
void directory_archive(struct directory *d, struct archive *ar, const struct packet_source *source);

#endif
