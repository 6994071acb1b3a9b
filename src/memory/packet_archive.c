/* Packets in a checkpoint: whoever meets one first describes it. */
#include "base/archive.h"
#include "memory/packet_queue.h"

static void archive_lanes(struct archive *ar, struct message_atomic *m)
{
    for (unsigned i = 0; i < m->lane_count; i++) {
        archive_u8_to(ar, &m->lanes[i].lane, PACKET_WARP_LANES - 1);
        archive_u8_to(ar, &m->lanes[i].offset, PACKET_LINE_BYTES - 1);
        ARCHIVE(ar, m->lanes[i].operand);
        ARCHIVE(ar, m->lanes[i].compare);
    }
}

static void archive_head(struct archive *ar, struct packet *p)
{
    archive_u8_to(ar, &p->space, PACKET_SHARED);
    archive_bool(ar, &p->is_reply);
    archive_u8_to(ar, &p->of_copy, 16);
    archive_u8_to(ar, &p->bytes, PACKET_LINE_BYTES);
    ARCHIVE(ar, p->address);
    if (p->address % PACKET_LINE_BYTES + p->bytes > PACKET_LINE_BYTES)
        archive_fail(ar, "a packet crosses a line");
    ARCHIVE(ar, p->ready);
    ARCHIVE(ar, p->local);
    ARCHIVE(ar, p->parts);
    archive_u8_to(ar, &p->accepted, (uint8_t)(p->bytes ? p->bytes - 1 : 0));
    ARCHIVE(ar, p->origin);
    ARCHIVE(ar, p->sectors);
    ARCHIVE(ar, p->missed);
    ARCHIVE(ar, p->dram);
}

/* archive_read, archive_write, ...: the fields of each message, by type and limit. */
static void archive_field_bool(struct archive *ar, bool *value, bool most)
{
    (void)most;
    archive_bool(ar, value);
}
#define ARCHIVE_FIELD(value)                                                                                           \
    _Generic(value, bool *: archive_field_bool, uint8_t *: archive_u8_to, uint16_t *: archive_u16_to,                  \
             uint32_t *: archive_u32_to)

#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void archive_##name(struct archive *ar, struct message_##name *m)                                           \
    {                                                                                                                  \
        (void)ar, (void)m;
#define FIELD(type, name, start, most, when, pack, doc) ARCHIVE_FIELD (&m->name)(ar, &m->name, most);
#define MESSAGE_BYTES ARCHIVE(ar, m->data);
#define MESSAGE_MASK(when) ARCHIVE(ar, m->mask);
#define MESSAGE_LANES archive_lanes(ar, m);
#define MESSAGE_END(NAME) }
#include "memory/message.def"

static void archive_content(struct archive *ar, struct packet *p)
{
    archive_head(ar, p);
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        archive_##name(ar, name##_of(p));                                                                              \
        break;
#include "memory/message.def"
    }
}

static uint16_t owner_of(const struct packet *p, const struct packet_source *source)
{
    bool of_slice = message_sender_of(p->kind) == MESSAGE_OF_SLICE;
    return (uint16_t)(of_slice ? PACKET_OF_SLICE | source->slice_of(source->context, p->address) : p->sm);
}

/* The SM of a packet that is loaded, or that a slice's packet is for. */
static void archive_sm(struct archive *ar, struct packet *p, unsigned owner, const struct packet_source *source)
{
    if (!(owner & PACKET_OF_SLICE))
        p->sm = (uint16_t)owner;
    else
        archive_u16_to(ar, &p->sm, (uint16_t)(source->sms - 1));
}

void packet_archive(struct archive *ar, struct packet **packet, const struct packet_source *source)
{
    void *object = *packet;
    bool first = archive_object(ar, &object);
    *packet = object;
    if (!first)
        return;
    uint16_t owner = archive_loading(ar) ? 0 : owner_of(*packet, source);
    uint8_t kind = archive_loading(ar) ? 0 : (*packet)->kind;
    ARCHIVE(ar, owner);
    archive_u8_to(ar, &kind, PACKET_KINDS - 1);
    if ((message_sender_of(kind) == MESSAGE_OF_SLICE) != (owner >= PACKET_OF_SLICE))
        archive_fail(ar, "a packet that its owner does not send");
    if (archive_loading(ar)) {
        *packet = archive_failed(ar) ? NULL : source->make(source->context, owner, kind);
        if (!*packet) {
            archive_fail(ar, "a packet of an SM or a slice that is not there");
            return;
        }
        archive_met(ar, *packet);
    }
    archive_sm(ar, *packet, owner, source);
    archive_content(ar, *packet);
    if ((*packet)->space == PACKET_SHARED && (*packet)->is_reply && (*packet)->parts) /* take_along (lsu/cluster.c) */
        packet_archive(ar, &(*packet)->next, source);
}

void packet_archive_ring(struct archive *ar, struct packet_ring *ring, const struct packet_source *source)
{
    if (archive_loading(ar))
        packet_ring_clear(ring);
    archive_u32_to(ar, &ring->head, ring->mask);
    archive_u32_to(ar, &ring->count, ring->size + 1);
    for (uint32_t i = 0; i < ring->count; i++) {
        packet_archive(ar, packet_ring_at(ring, i), source);
        if (!*packet_ring_at(ring, i))
            archive_fail(ar, "a place of a queue without its packet");
    }
}

void packet_archive_list(struct archive *ar, struct packet_list *list, const struct packet_source *source)
{
    struct packet *p = list->first;
    if (archive_loading(ar))
        *list = (struct packet_list){NULL, NULL};
    for (;;) {
        packet_archive(ar, &p, source);
        if (!p || archive_failed(ar))
            return;
        if (archive_loading(ar)) {
            packet_append(list, p);
            p = NULL;
        } else {
            p = p->next;
        }
    }
}

void packet_archive_payload(struct archive *ar, void **payload, const void *source)
{
    struct packet *packet = *payload;
    packet_archive(ar, &packet, source);
    *payload = packet;
}
