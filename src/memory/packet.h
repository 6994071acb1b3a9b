/* The messages between an SM and the memory partitions. A packet belongs to the SM that sends it: the partition that
 * serves a request turns it into its own reply (is_reply, values filled in) and sends it back, also for writes (the
 * acknowledgement). So a packet is never seen from two sides at once. */
#ifndef LOCKSTEP_MEMORY_PACKET_H
#define LOCKSTEP_MEMORY_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define PACKET_LINE_BYTES 128 /* the largest line of any cache */
#define PACKET_LANES 32       /* parts of an atomic in one packet: an SM sends those of at most half a warp */
#define PACKET_WARP_LANES 64  /* of the widest warp: above every lane's number */

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_HEAP };

/* Who asked: decides how statistics count it, and whether it carries values. */
enum packet_class {
    PACKET_GLOBAL,
    PACKET_LOCAL, /* local memory: the values stay with the thread, only the time is real */
    PACKET_CONST,
    PACKET_INSTRUCTION, /* instruction fetch: no values */
};

/* One lane's part of an atomic. */
struct packet_lane {
    uint8_t lane, offset; /* lane in the warp; byte offset from `address` rounded down to the line */
    uint64_t operand;     /* request: the operand; reply: the old value */
    uint64_t compare;     /* cas */
};

struct packet {
    struct packet *next; /* list of the holder: the sender's free list, the partition's ROP queue */
    uint64_t address;    /* device address of the segment's first byte; the segment does not cross a 128-byte line */
    uint32_t bytes;      /* of memory touched: the segment's size (32, 64, 128 or less) */
    uint32_t cookie;     /* the sender's own */
    uint16_t sm;         /* sender */
    uint16_t fill;       /* the number of the fill in the sender's cache, if it is one */
    uint8_t kind, class; /* enum packet_kind, enum packet_class */
    bool is_reply;
    bool performed;       /* WRITE: its bytes were written when it issued (sm.values_at_issue), only the time is real */
    bool no_return;       /* red: nobody waits for the old values, but the reply still acknowledges */
    uint8_t atomic, type; /* ISA_ATOMIC_*, enum isa_type */
    uint8_t lane_count;
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

/* Bytes a packet occupies in the network: 8 of header, and the data it carries. */
static inline uint32_t packet_network_bytes(const struct packet *p)
{
    switch (p->kind) {
    case PACKET_READ:
        return p->is_reply ? 8 + p->bytes : 8;
    case PACKET_WRITE:
        return p->is_reply ? 8 : 8 + p->bytes;
    default:
        return 8 + p->bytes;
    }
}

/* packet_archive.c: describes a packet where it is first met. make: a packet of that SM for what is loaded, or NULL. */
struct archive;
struct packet_source {
    struct packet *(*make)(void *context, unsigned sm);
    void *context;
};
void packet_archive(struct archive *ar, struct packet **packet, const struct packet_source *source);
/* The same for an opaque payload; source points to a struct packet_source. */
void packet_archive_payload(struct archive *ar, void **payload, const void *source);

#endif
