/* The messages between SMs and L2 slices (message.def). A packet belongs to the side that sends it first: who serves it
 * turns it into its own reply (is_reply, values filled in) and sends it back, also for writes (the acknowledgement). So
 * a packet is never seen from two sides at once. */
#ifndef LOCKSTEP_MEMORY_PACKET_H
#define LOCKSTEP_MEMORY_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define PACKET_LINE_BYTES 128 /* the largest line of any cache */
#define PACKET_LANES 32       /* parts of an atomic in one packet: an SM sends those of at most half a warp */
#define PACKET_WARP_LANES 64  /* of the widest warp: above every lane's number */

enum packet_kind {
#define MESSAGE(name, words, sender, request, reply, sent, answered, about) PACKET_##name,
#include "memory/message.def"
#undef MESSAGE
    PACKET_KINDS
};

enum message_network {
#define MESSAGE_NETWORK(name, words) MESSAGE_##name,
#include "memory/message_networks.def"
#undef MESSAGE_NETWORK
    MESSAGE_NETWORKS
};

enum message_sender { MESSAGE_OF_SM, MESSAGE_OF_SLICE };

/* Sets by 2 * kind + is_reply: messages that carry their bytes. */
#define MESSAGE(name, words, sender, request, reply, sent, answered, about)                                            \
    | (uint32_t)(sent) << 2 * PACKET_##name | (uint32_t)(answered) << (2 * PACKET_##name + 1)
static const uint32_t message_carriers = 0
#include "memory/message.def"
    ;
#undef MESSAGE

#define MESSAGE_HEADER_BYTES 8u

/* Bytes that a message of a kind occupies in the network: its header, and its bytes if it carries them. */
static inline uint32_t message_network_bytes(unsigned kind, bool is_reply, uint32_t bytes)
{
    return MESSAGE_HEADER_BYTES + (message_carriers >> (2 * kind + is_reply) & 1 ? bytes : 0);
}

/* Who sends a kind first and owns its packets, and the network that it goes through as a request or a reply. */
static inline enum message_sender message_sender_of(unsigned kind)
{
    static const uint8_t senders[PACKET_KINDS] = {
#define MESSAGE(name, words, sender, request, reply, sent, answered, about) MESSAGE_OF_##sender,
#include "memory/message.def"
#undef MESSAGE
    };
    return (enum message_sender)senders[kind];
}
static inline enum message_network message_network_of(unsigned kind, bool is_reply)
{
    static const uint8_t networks[PACKET_KINDS][2] = {
#define MESSAGE(name, words, sender, request, reply, sent, answered, about) {MESSAGE_##request, MESSAGE_##reply},
#include "memory/message.def"
#undef MESSAGE
    };
    return (enum message_network)networks[kind][is_reply];
}

/* True: it is about the L1 that it comes to as a whole, and no line of it. */
static inline bool message_is_of_l1(unsigned kind)
{
    enum { LINE, L1 };
    static const uint32_t of_l1 = 0
#define MESSAGE(name, words, sender, request, reply, sent, answered, about) | (uint32_t)(about) << PACKET_##name
#include "memory/message.def"
        ;
#undef MESSAGE
    return of_l1 >> kind & 1;
}

/* The memory that is asked for: decides how statistics count it, and whether it carries values. */
enum packet_space {
    PACKET_GLOBAL,
    PACKET_LOCAL, /* local memory: the values stay with the thread, only the time is real */
    PACKET_CONST,
    PACKET_INSTRUCTION, /* instruction fetch: no values */
};

/* An atomic asks the queues of locks (lock_queues.h) for one, gives it back, leaves a queue, or does not concern them;
 * and a request for a lock stands there as packet_queued says. */
enum packet_lock { PACKET_LOCK_NOT, PACKET_LOCK_TAKE, PACKET_LOCK_GIVE, PACKET_LOCK_LEAVE };
enum packet_queued {
    PACKET_NOT_QUEUED,
    PACKET_QUEUED, /* in a queue; its line is still under way */
    PACKET_KEPT,   /* in a queue, and nowhere else */
    PACKET_CALLED, /* its turn has come: it goes to the tags again */
    PACKET_LEFT    /* it was taken out: it goes there, and is told no */
};

/* One lane's part of an atomic. */
struct packet_lane {
    uint8_t lane, offset; /* lane in the warp; byte offset from `address` rounded down to the line */
    uint64_t operand;     /* request: the operand; reply: the old value */
    uint64_t compare;     /* cas */
};

struct packet {
    struct packet *next;  /* list of the holder: the sender's free list, the partition's ROP queue */
    uint64_t address;     /* device address of the segment's first byte; the segment does not cross a 128-byte line */
    uint32_t bytes;       /* of memory touched: the segment's size (32, 64, 128 or less) */
    uint32_t cookie;      /* the sender's own */
    uint16_t sm;          /* the SM that sends or receives it */
    uint16_t fill;        /* the number of the fill in the sender's cache, if it is one */
    uint8_t kind, space;  /* enum packet_kind, enum packet_space */
    uint8_t order, scope; /* ISA_ORDER_*, ISA_SCOPE_*: of the access that it serves */
    bool is_reply;
    bool performed;       /* WRITE: its bytes were written when it issued (sm.values_at_issue), only the time is real */
    bool no_return;       /* red: nobody waits for the old values, but the reply still acknowledges */
    uint8_t atomic, type; /* ISA_ATOMIC_*, enum isa_type */
    uint8_t lane_count;
    uint8_t asked;    /* SHOW: enum packet_kind of the access that is shown; a void answer has PACKET_KINDS */
    bool at_home;     /* an agent's: its line is not stored to plainly until it is answered */
    uint8_t lock;     /* enum packet_lock */
    uint8_t queued;   /* enum packet_queued */
    uint8_t accepted; /* the partition's: bytes that the L2 has accepted, while the packet waits aside for the rest */
    bool cleared;     /* a directory's: the owner was asked. REGISTER, reply: the line came from another L1 */
    /* The partition's own while it holds the packet. */
    uint32_t parts; /* sectors still to be served */
    uint64_t ready, local;
    /* Values, at their offset in the 128-byte line: data[address & 127] is the first. READ replies fill [address,
     * address + bytes). WRITE stores the bytes whose bit in mask (of the line, bit i = byte i) is set; a LOCAL write
     * has mask 0. In cache lines of their own, as what is before them: many packets are under way. */
    _Alignas(64) uint8_t data[PACKET_LINE_BYTES];
    uint64_t mask[PACKET_LINE_BYTES / 64];
    /* ATOMIC: lanes in ascending order, performed in that order when the request is served. */
    struct packet_lane lanes[PACKET_LANES];
    /* With this the size is an odd number of cache lines: packets that lie side by side do not meet in the same few
     * sets of the host's caches. */
    _Alignas(64) uint8_t apart[64];
};

/* Bytes that a packet occupies in the network. */
static inline uint32_t packet_network_bytes(const struct packet *p)
{
    return message_network_bytes(p->kind, p->is_reply, p->bytes);
}

/* packet_archive.c: describes a packet where it is first met. Its owner is the number of its SM, or of the slice that
 * sent it, then with PACKET_OF_SLICE. make: a packet of that owner for what is loaded, or NULL. */
#define PACKET_OF_SLICE 0x8000u
struct archive;
struct packet_source {
    struct packet *(*make)(void *context, unsigned owner);
    void *context;
    /* Where slices send packets of their own: the slice that has an address, and how many SMs they may be for. */
    unsigned (*slice_of)(const void *context, uint64_t address);
    unsigned sms;
};
void packet_archive(struct archive *ar, struct packet **packet, const struct packet_source *source);
/* packet_archive for an opaque payload; source points to a struct packet_source. */
void packet_archive_payload(struct archive *ar, void **payload, const void *source);

#endif
