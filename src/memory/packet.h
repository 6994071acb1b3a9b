/* The messages between SMs and L2 slices (message.def): each is a struct of its own, behind the head that all have. A
 * packet, which is one message under way, belongs to the side that sends it first: who serves it turns it into its own
 * reply (is_reply, values filled in) and sends it back, also for writes (the acknowledgement). So a packet is never
 * seen from two sides at once. */
#ifndef LOCKSTEP_MEMORY_PACKET_H
#define LOCKSTEP_MEMORY_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define PACKET_DRAM_UNIT 32u  /* bytes that packet.dram counts */
#define PACKET_LINE_BYTES 128 /* the largest line of any cache */
#define PACKET_LANES 32       /* parts of an atomic in one packet: an SM sends those of half a warp, or where lanes are joined of 32 */
#define PACKET_WARP_LANES 64  /* of the widest warp: above every lane's number */

enum packet_kind {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) PACKET_##NAME,
#include "memory/message.def"
    PACKET_KINDS
};

enum message_network {
#define MESSAGE_NETWORK(name, words) MESSAGE_##name,
#include "memory/message_networks.def"
#undef MESSAGE_NETWORK
    MESSAGE_NETWORKS
};

enum message_sender { MESSAGE_OF_SM, MESSAGE_OF_SLICE };

/* Where a field means something (message.def, column WHEN). */
enum message_when { MESSAGE_IN_REQUEST = 1, MESSAGE_IN_REPLY = 2, MESSAGE_IN_BOTH = 3 };

/* The memory that is asked for: decides how statistics count it, and whether it carries values. */
enum packet_space {
    PACKET_GLOBAL,
    PACKET_LOCAL, /* local memory: the values stay with the thread, only the time is real */
    PACKET_CONST,
    PACKET_INSTRUCTION, /* instruction fetch: no values */
    PACKET_SHARED,      /* from SM to SM: the shared memory of a block of the sender's cluster (lsu/cluster.h) */
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

/* In a field that names somebody or something: nobody, nothing. */
#define PACKET_NOBODY UINT32_MAX
#define PACKET_NO_FILL UINT16_MAX
#define PACKET_NO_ENTRY UINT16_MAX
#define PACKET_NO_SLOT UINT8_MAX
enum packet_write_how {
    PACKET_PERFORMED = 1, /* its bytes were written when it issued (sm.values_at_issue) */
    PACKET_FOLLOWS = 2    /* of a slot's store: one before it had not been acknowledged when it left */
};

/* The head of every message: what the networks, and those who hold a packet, know of it. */
struct packet {
    struct packet *next; /* in its holder's list: the sender's free packets, a slice's ROP queue */
    uint64_t address;    /* device address of the segment's first byte; the segment does not cross a 128-byte line */
    uint64_t ready;      /* the slice's: the cycle in which it leaves the ROP delay */
    uint64_t local;      /* the slice's: its address there */
    uint16_t sm;         /* the SM that sends or receives it */
    uint8_t bytes;       /* of memory touched: the segment's size (32, 64, 128 or less) */
    uint8_t kind, space; /* enum packet_kind, enum packet_space */
    bool is_reply;
    uint8_t parts;    /* the slice's: sectors still to be served */
    uint8_t accepted; /* the slice's: bytes that the L2 has accepted, while the packet waits aside for the rest */
    /* For whoever asks what an instruction brought about in the L2 and below: */
    uint32_t origin; /* the sender's name for the instruction; 0: nobody asks */
    uint8_t sectors; /* the slice's: parts that it had in all */
    uint8_t missed;  /* likewise: of them, those that the L2 did not have */
    uint8_t dram;    /* likewise: 32 bytes each that went between L2 and DRAM for it, a victim's write-back included */
    uint8_t
        of_copy; /* the SM's asynchronous unit has sent it, whose number a waiter then is; what the answer carries takes
                  * so much less of the network than other data (sm.bulk_narrow). 0: somebody else has sent it */
};

#define FIELD(type, name, start, most, when, pack, doc) type name;
/* A READ, a WRITE or an ATOMIC. */
struct message_access {
    struct packet packet;
    MESSAGE_ACCESS_FIELDS
};
/* struct message_read, message_write, ...: fields, in the cache line that the head begins; then a line's bytes and
 * their mask, or lanes, in cache lines of their own, for many packets are under way. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    struct message_##name {                                                                                            \
        _Alignas(64) struct packet packet;
#define MESSAGE_BYTES _Alignas(64) uint8_t data[PACKET_LINE_BYTES];
#define MESSAGE_MASK(when) uint64_t mask[PACKET_LINE_BYTES / 64];
#define MESSAGE_LANES _Alignas(64) struct packet_lane lanes[PACKET_LANES];
#define MESSAGE_END(NAME)                                                                                              \
    }                                                                                                                  \
    ;
#include "memory/message.def"

/* A place for a packet of any kind. */
union message {
    struct packet packet;
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) struct message_##name as_##name;
#include "memory/message.def"
};

/* Sets of kinds: those with the fields of an access; with a line's bytes; with a mask of these. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) | (0u
#define MESSAGE_ACCESS(NAME) | 1u
#define MESSAGE_END(NAME) ) << PACKET_##NAME
static const uint32_t message_accesses = 0
#include "memory/message.def"
    ;
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) | (0u
#define MESSAGE_BYTES | 1u
#define MESSAGE_END(NAME) ) << PACKET_##NAME
static const uint32_t message_with_bytes = 0
#include "memory/message.def"
    ;
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) | (0u
#define MESSAGE_MASK(when) | 1u
#define MESSAGE_END(NAME) ) << PACKET_##NAME
static const uint32_t message_with_mask = 0
#include "memory/message.def"
    ;

static inline bool message_is_access(unsigned kind)
{
    return message_accesses >> kind & 1;
}
static inline bool message_has_mask(unsigned kind)
{
    return message_with_mask >> kind & 1;
}

/* read_of(p), write_of(p), ...: the message of a packet that is of this kind, and no other. As strchr does, they give
 * what may be written for what may be read. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static inline struct message_##name *name##_of(const struct packet *p)                                             \
    {                                                                                                                  \
        contract(p->kind == PACKET_##NAME);                                                                            \
        return (struct message_##name *)p;                                                                             \
    }
#include "memory/message.def"

static inline struct message_access *access_of(const struct packet *p)
{
    contract(message_is_access(p->kind));
    return (struct message_access *)p;
}

/* True: a field that means something there does so in the packet as it is, a request or a reply. */
static inline bool message_means(enum message_when when, const struct packet *p)
{
    return when >> p->is_reply & 1;
}

/* True: an owner's answer that says nothing, for it was overtaken by what the owner gave back. */
static inline bool message_is_void(const struct packet *p)
{
    return (p->kind == PACKET_FORWARD && forward_of(p)->is_void) || (p->kind == PACKET_RECALL && recall_of(p)->is_void);
}

/* The bytes of a line that a message has, at their offset in its 128: data[address & 127] is the first. READ and
 * REGISTER replies fill [address, address + bytes). */
static inline uint8_t *packet_data(const struct packet *p)
{
    contract(message_with_bytes >> p->kind & 1);
    return ((struct message_read *)p)->data;
}
/* The bytes that count of those, bit i of the mask for byte i. A WRITE of local memory has none. */
static inline uint64_t *packet_mask(const struct packet *p)
{
    contract(message_has_mask(p->kind));
    return ((struct message_write *)p)->mask;
}

/* Sets by 2 * kind + is_reply: messages that carry their bytes over the network. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    | (uint32_t)(sent) << 2 * PACKET_##NAME | (uint32_t)(answered) << (2 * PACKET_##NAME + 1)
static const uint32_t message_carriers = 0
#include "memory/message.def"
    ;

#define MESSAGE_HEADER_BYTES 8u

/* Bytes that a message of a kind occupies in the network: its header, and its bytes if it carries them. */
static inline uint32_t message_network_bytes(unsigned kind, bool is_reply, uint32_t bytes)
{
    return MESSAGE_HEADER_BYTES + (message_carriers >> (2 * kind + is_reply) & 1 ? bytes : 0);
}
static inline uint32_t packet_network_bytes(const struct packet *p)
{
    uint32_t bytes = p->bytes;
    return message_network_bytes(p->kind, p->is_reply, p->of_copy > 1 && p->is_reply ? bytes / p->of_copy : bytes);
}

/* Who sends a kind first and owns its packets, and the network that it goes through as a request or a reply. */
static inline enum message_sender message_sender_of(unsigned kind)
{
    static const uint8_t senders[PACKET_KINDS] = {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) MESSAGE_OF_##sender,
#include "memory/message.def"
    };
    return (enum message_sender)senders[kind];
}
static inline enum message_network message_network_of(unsigned kind, bool is_reply)
{
    static const uint8_t networks[PACKET_KINDS][2] = {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) {MESSAGE_##request, MESSAGE_##reply},
#include "memory/message.def"
    };
    return (enum message_network)networks[kind][is_reply];
}

/* True: it is about the L1 that it comes to as a whole, and no line of it. */
static inline bool message_is_of_l1(unsigned kind)
{
    enum { LINE, L1 };
    static const uint32_t of_l1 = 0
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) | (uint32_t)(about) << PACKET_##NAME
#include "memory/message.def"
        ;
    return of_l1 >> kind & 1;
}

/* packet_print.c: a kind in words ("read"); and a packet, with what its fields say beyond those of a new one:
 * "write (reply) of 0x1080, 32 bytes, SM 3: slot 12". */
struct strbuf;
const char *message_word(unsigned kind);
void packet_print(const struct packet *p, struct strbuf *out);

/* packet_archive.c: describes a packet where it is first met. Its owner is the number of its SM, or of the slice that
 * sent it, then with PACKET_OF_SLICE. make: a packet of that owner and kind for what is loaded, or NULL. */
#define PACKET_OF_SLICE 0x8000u
struct archive;
struct packet_source {
    struct packet *(*make)(void *context, unsigned owner, unsigned kind);
    void *context;
    /* Where slices send packets of their own: the slice that has an address, and how many SMs they may be for. */
    unsigned (*slice_of)(const void *context, uint64_t address);
    unsigned sms;
};
void packet_archive(struct archive *ar, struct packet **packet, const struct packet_source *source);
/* packet_archive for an opaque payload; source points to a struct packet_source. */
void packet_archive_payload(struct archive *ar, void **payload, const void *source);

#endif
