/* Packets in a checkpoint: whoever meets one first describes it. */
#include "base/archive.h"
#include "memory/packet_queue.h"

static void archive_lanes(struct archive *ar, struct packet *p)
{
    archive_u8_to(ar, &p->lane_count, PACKET_LANES);
    for (unsigned i = 0; i < p->lane_count; i++) {
        archive_u8_to(ar, &p->lanes[i].lane, PACKET_WARP_LANES - 1);
        archive_u8_to(ar, &p->lanes[i].offset, PACKET_LINE_BYTES - 1);
        ARCHIVE(ar, p->lanes[i].operand);
        ARCHIVE(ar, p->lanes[i].compare);
    }
}

static void archive_content(struct archive *ar, struct packet *p)
{
    archive_u8_to(ar, &p->kind, PACKET_KINDS - 1);
    archive_u8_to(ar, &p->space, PACKET_INSTRUCTION);
    ARCHIVE(ar, p->order);
    ARCHIVE(ar, p->scope);
    archive_bool(ar, &p->is_reply);
    archive_u32_to(ar, &p->bytes, PACKET_LINE_BYTES);
    ARCHIVE(ar, p->cookie);
    ARCHIVE(ar, p->fill);
    ARCHIVE(ar, p->address);
    if (p->address % PACKET_LINE_BYTES + p->bytes > PACKET_LINE_BYTES)
        archive_fail(ar, "a packet crosses a line");
    ARCHIVE(ar, p->mask);
    ARCHIVE(ar, p->data);
    ARCHIVE(ar, p->atomic);
    ARCHIVE(ar, p->type);
    archive_bool(ar, &p->no_return);
    archive_bool(ar, &p->performed);
    archive_bool(ar, &p->cleared);
    archive_bool(ar, &p->at_home);
    archive_u8_to(ar, &p->lock, PACKET_LOCK_LEAVE);
    archive_u8_to(ar, &p->queued, PACKET_LEFT);
    archive_u8_to(ar, &p->asked, PACKET_KINDS);
    archive_lanes(ar, p);
    ARCHIVE(ar, p->ready);
    ARCHIVE(ar, p->local);
    ARCHIVE(ar, p->parts);
    archive_u8_to(ar, &p->accepted, (uint8_t)(p->bytes ? p->bytes - 1 : 0));
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
    ARCHIVE(ar, owner);
    if (archive_loading(ar)) {
        *packet = source->make(source->context, owner);
        if (!*packet) {
            archive_fail(ar, "a packet of an SM or a slice that is not there");
            return;
        }
        archive_met(ar, *packet);
    }
    archive_sm(ar, *packet, owner, source);
    archive_content(ar, *packet);
    if ((message_sender_of((*packet)->kind) == MESSAGE_OF_SLICE) != (owner >= PACKET_OF_SLICE))
        archive_fail(ar, "a packet that its owner does not send");
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
