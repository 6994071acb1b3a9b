/* An L2 slice in a checkpoint: its cache, its queues, and who waits for fills. */
#include "base/archive.h"
#include "memory/slice.h"

/* Packets that the L2 has not accepted, up to a NULL, and how far they are. A save that fails leaves them as they
 * are. */
static void archive_packets(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    struct packet **link = &s->first, *p = s->first;
    for (;;) {
        packet_archive(ar, &p, source);
        if (archive_loading(ar) && archive_failed(ar))
            p = NULL;
        *link = p;
        if (!p)
            break;
        s->last = p;
        link = &p->next;
        p = archive_loading(ar) ? NULL : p->next;
    }
    packet_archive(ar, &s->rop_first, source);
    archive_u32_to(ar, &s->accepted, PACKET_LINE_BYTES);
    archive_u32_to(ar, &s->rop_left, PACKET_LINE_BYTES);
    ARCHIVE(ar, s->rop_at);
    ARCHIVE(ar, s->rop_ready);
    ARCHIVE(ar, s->rop_look);
    ARCHIVE(ar, s->rop_jitter.stream.drawn);
    if (s->adversary) {
        ARCHIVE(ar, s->adversary->stream.drawn);
        ARCHIVE(ar, s->adversary->reads.drawn);
    }
    archive_u32_to(ar, &s->in_count, s->directory || s->locks ? UINT32_MAX : s->in_room);
}

/* The answers of a multicast that follow: the last one is a READ's. */
static void archive_cast(struct archive *ar, struct partition_reply *r, const struct packet_source *source)
{
    archive_bool(ar, &r->cast);
    if (r->cast && (!r->packet || r->packet->kind != PACKET_WRITE))
        archive_fail(ar, "a multicast without its packets");
    for (struct packet *p = r->packet; r->cast && !archive_failed(ar) && p->kind == PACKET_WRITE; p = p->next) {
        packet_archive(ar, &p->next, source);
        if (!p->next || (p->next->kind != PACKET_WRITE && p->next->kind != PACKET_READ))
            archive_fail(ar, "a multicast without the packet that it answers");
    }
}

static void archive_replies(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    ARCHIVE(ar, s->out.first);
    archive_u32_to(ar, &s->out.count, s->out.mask + 1);
    for (uint32_t i = 0; i < s->out.count; i++) {
        struct partition_reply *served = &s->out.replies[(s->out.first + i) & s->out.mask];
        packet_archive(ar, &served->packet, source);
        ARCHIVE(ar, served->served);
        ARCHIVE(ar, served->bytes);
        ARCHIVE(ar, served->sm);
        archive_cast(ar, served, source);
    }
}

/* Those that the cache has sent lie behind those for the DRAM. */
static void archive_requests(struct slice *s, struct archive *ar)
{
    archive_u32_to(ar, &s->misses, s->to_dram.mask + 1);
    s->to_dram.count += s->misses;
    request_queue_archive(ar, &s->to_dram, s->pool);
    s->misses = s->misses < s->to_dram.count ? s->misses : s->to_dram.count;
    s->to_dram.count -= s->misses;
}

/* Unused waiters are cleared before they are written: their old content would make equal states differ. */
static void archive_waiters(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    uint32_t left = s->new_waiters;
    for (uint32_t i = s->free_waiter; i != UINT32_MAX && left > 0; i = s->waiting[i].next, left--)
        s->waiting[i] = (struct slice_part){.next = s->waiting[i].next};
    archive_u32_to(ar, &s->new_waiters, s->waiter_limit);
    for (uint32_t i = 0; i < s->new_waiters; i++) {
        struct slice_part *part = &s->waiting[i];
        packet_archive(ar, &part->packet, source);
        archive_u8_to(ar, &part->offset, PACKET_LINE_BYTES - 1);
        archive_u8_to(ar, &part->bytes, PACKET_LINE_BYTES);
        archive_place(ar, &part->next, s->new_waiters);
    }
    archive_place(ar, &s->free_waiter, s->new_waiters);
}

/* Those that the access at the head has sent and that wait, and what has come back. */
static void archive_probes(struct slice_probes *probes, struct archive *ar, const struct packet_source *source)
{
    packet_archive_ring(ar, &probes->out, source);
    archive_u32_to(ar, &probes->unanswered, probes->sms);
    archive_bool(ar, &probes->answered);
    ARCHIVE(ar, probes->pool.out);
}

void slice_archive(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "L2 slice", s->number);
    cache_archive(s->cache, ar);
    coherence_side_archive(s->side, ar);
    if (s->directory)
        directory_archive(s->directory, ar, source);
    if (s->leases)
        leases_archive(s->leases, ar);
    if (s->locks)
        lock_queues_archive(s->locks, ar, source);
    archive_packets(s, ar, source);
    archive_replies(s, ar, source);
    archive_requests(s, ar);
    request_queue_archive(ar, &s->from_dram, s->pool);
    archive_waiters(s, ar, source);
    cache_archive_waiters(s->cache, ar, s->new_waiters);
    ARCHIVE(ar, s->next);
    ARCHIVE(ar, s->data_free_at);
    ARCHIVE(ar, s->atomic_free_at);
    ARCHIVE(ar, s->copy_free_at);
    ARCHIVE(ar, s->atomic_at);
    archive_bool(ar, &s->atomic_read);
    ARCHIVE(ar, s->fill_free_at);
    ARCHIVE(ar, s->return_at);
    ARCHIVE(ar, s->serve_at);
    ARCHIVE(ar, s->sent_at);
    ARCHIVE(ar, s->out.inside);
    archive_bool(ar, &s->blocked);
    if (s->history)
        history_archive(s->history, ar);
    if (s->probes)
        archive_probes(s->probes, ar, source);
    archive_end(ar);
}
