/* An L2 slice in a checkpoint: its cache, its queues, and who waits for fills. */
#include "base/archive.h"
#include "memory/slice.h"

static void archive_part(struct archive *ar, struct slice_part *part, const struct packet_source *source)
{
    packet_archive(ar, &part->packet, source);
    archive_u32_to(ar, &part->offset, PACKET_LINE_BYTES);
    archive_u32_to(ar, &part->bytes, PACKET_LINE_BYTES);
}

static void archive_ring(struct archive *ar, struct slice_ring *r)
{
    ARCHIVE(ar, r->first);
    archive_u32_to(ar, &r->count, r->mask + 1);
}

static void archive_requests(struct archive *ar, struct slice_ring *r, struct memory_request *requests,
                             const struct packet_source *source)
{
    archive_ring(ar, r);
    for (uint32_t i = 0; i < r->count; i++)
        memory_request_archive(ar, &requests[(r->first + i) & r->mask], source);
}

static void archive_ends(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    archive_ring(ar, &s->in);
    for (uint32_t i = 0; i < s->in.count; i++)
        archive_part(ar, &s->in_parts[(s->in.first + i) & s->in.mask], source);
    archive_ring(ar, &s->out);
    for (uint32_t i = 0; i < s->out.count; i++) {
        struct slice_served *served = &s->served[(s->out.first + i) & s->out.mask];
        packet_archive(ar, &served->packet, source);
        ARCHIVE(ar, served->bytes);
        ARCHIVE(ar, served->sm);
    }
}

/* The ROP delay's list, up to its NULL. A save that fails leaves it as it is. */
static void archive_rop(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    struct packet **link = &s->rop_first, *p = s->rop_first;
    for (;;) {
        packet_archive(ar, &p, source);
        if (archive_loading(ar) && archive_failed(ar))
            p = NULL;
        *link = p;
        if (!p)
            break;
        s->rop_last = p;
        link = &p->next;
        p = archive_loading(ar) ? NULL : p->next;
    }
    archive_u32_to(ar, &s->rop_offset, PACKET_LINE_BYTES);
}

/* What a waiter that is not in use holds is of no use to anybody. */
static void archive_waiters(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    uint32_t left = s->new_waiters;
    for (uint32_t i = s->free_waiter; i != UINT32_MAX && left > 0; i = s->waiting[i].next, left--)
        s->waiting[i].part = (struct slice_part){0};
    archive_u32_to(ar, &s->new_waiters, s->waiter_limit);
    for (uint32_t i = 0; i < s->new_waiters; i++) {
        archive_part(ar, &s->waiting[i].part, source);
        archive_place(ar, &s->waiting[i].next, s->new_waiters);
    }
    archive_place(ar, &s->free_waiter, s->new_waiters);
}

void slice_archive(struct slice *s, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "L2 slice", s->number);
    cache_archive(s->cache, ar);
    archive_rop(s, ar, source);
    archive_ends(s, ar, source);
    archive_requests(ar, &s->misses, s->miss_requests, source);
    archive_requests(ar, &s->to_dram, s->dram_requests, source);
    archive_requests(ar, &s->from_dram, s->returned, source);
    archive_waiters(s, ar, source);
    ARCHIVE(ar, s->next);
    ARCHIVE(ar, s->data_free_at);
    ARCHIVE(ar, s->fill_free_at);
    ARCHIVE(ar, s->inside);
    archive_bool(ar, &s->blocked);
    archive_end(ar);
}
