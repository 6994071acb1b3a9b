/* The requests of a partition in a checkpoint, and the queues they are in. */
#include "base/archive.h"
#include "memory/dram.h"
#include "memory/request.h"

/* Free requests are cleared before they are written: their old content would make equal states differ. */
static void clear_free(struct request_pool *pool)
{
    uint32_t left = pool->count;
    for (uint32_t i = pool->free; i != REQUEST_NONE && left > 0; i = pool->all[i].next, left--)
        pool->all[i] = (struct memory_request){.next = pool->all[i].next};
}

void request_pool_archive(struct archive *ar, struct request_pool *pool, uint32_t fills,
                          const struct packet_source *source)
{
    clear_free(pool);
    archive_same(ar, pool->count, "requests of a partition");
    for (uint32_t i = 0; i < pool->count; i++) {
        struct memory_request *r = &pool->all[i];
        ARCHIVE(ar, r->local);
        packet_archive(ar, &r->packet, source);
        ARCHIVE(ar, r->row);
        archive_place(ar, &r->next, pool->count);
        archive_u16_to(ar, &r->fill, (uint16_t)(fills - 1));
        archive_u8_to(ar, &r->bytes, PACKET_LINE_BYTES);
        archive_u8_to(ar, &r->kind, REQUEST_WRITEBACK);
        archive_u8_to(ar, &r->slice, PARTITION_MAX_SLICES - 1);
        archive_u8_to(ar, &r->bank, DRAM_BANKS - 1);
    }
    archive_place(ar, &pool->free, pool->count);
}

void request_queue_archive(struct archive *ar, struct request_queue *q, const struct request_pool *pool)
{
    archive_u32_to(ar, &q->count, q->mask + 1);
    ARCHIVE(ar, q->first);
    for (uint32_t i = 0; i < q->count; i++)
        archive_u32_to(ar, &q->numbers[(q->first + i) & q->mask], pool->count - 1);
}
