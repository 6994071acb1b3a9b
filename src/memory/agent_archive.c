/* An agent in a checkpoint. Lines, fills and the store queue are plain data; packets that wait are described where they
 * are. */
#include "base/archive.h"
#include "memory/agent.h"

static void archive_line(struct agent *a, struct archive *ar, struct agent_line *line,
                         const struct packet_source *source)
{
    archive_u8_to(ar, &line->state, AGENT_STATES - 1);
    if (line->state == AGENT_I) {
        if (archive_loading(ar))
            *line = (struct agent_line){.fill = AGENT_NONE};
        return;
    }
    ARCHIVE(ar, line->address);
    ARCHIVE(ar, line->used);
    ARCHIVE(ar, line->valid);
    ARCHIVE(ar, line->written);
    archive_place(ar, &line->fill, a->fill_count);
    ARCHIVE(ar, line->entry);
    ARCHIVE(ar, line->flush);
    packet_archive_list(ar, &line->probes, source);
    archive_u16_to(ar, &line->early, line->state == AGENT_N ? UINT16_MAX : 0);
    ARCHIVE(ar, line->grant);
    archive_bool(ar, &line->queued);
    archive_bool(ar, &line->own);
    archive_bytes(ar, agent_data(a, line), PACKET_LINE_BYTES);
}

/* owned: the numbers of waiters that the owner has are below it. */
static void archive_fills(struct agent *a, struct archive *ar, uint32_t owned)
{
    uint32_t waiters = a->waiter_count;
    for (uint32_t i = 0; i < a->fill_count; i++) {
        struct agent_fill *fill = &a->fills[i];
        archive_place(ar, &fill->line, a->sets * a->ways);
        archive_u32_to(ar, &fill->count, waiters);
        archive_place(ar, &fill->first, waiters);
        archive_place(ar, &fill->last, waiters);
        archive_place(ar, &fill->next, a->fill_count);
        archive_u32_to(ar, &fill->offset, PACKET_LINE_BYTES - 1);
        ARCHIVE(ar, fill->data);
    }
    for (uint32_t i = 0; i < waiters; i++) {
        archive_u32_to(ar, &a->waiters[i].value, owned ? owned - 1 : 0);
        archive_place(ar, &a->waiters[i].next, waiters);
    }
    archive_place(ar, &a->free_fill, a->fill_count);
    archive_place(ar, &a->free_waiter, waiters);
    archive_place(ar, &a->ready_first, a->fill_count);
    archive_place(ar, &a->ready_last, a->fill_count);
}

static void archive_queue(struct agent *a, struct archive *ar)
{
    ARCHIVE(ar, a->arrived);
    ARCHIVE(ar, a->end);
    ARCHIVE(ar, a->waiting);
    ARCHIVE(ar, a->unsent);
    ARCHIVE(ar, a->drain_to);
    if (a->end - a->arrived > AGENT_WRITES)
        archive_fail(ar, "a store queue is too long");
    for (uint32_t i = 0; i < AGENT_WRITES; i++) {
        ARCHIVE(ar, a->writes[i].address);
        archive_u8_to(ar, &a->writes[i].state, AGENT_ARRIVED);
    }
}

void agent_archive(struct agent *a, struct archive *ar, const struct packet_source *source, uint32_t waiters)
{
    coherence_side_archive(&a->side, ar);
    ARCHIVE(ar, a->clock);
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        archive_line(a, ar, line, source);
    archive_fills(a, ar, waiters);
    archive_queue(a, ar);
    packet_archive_list(ar, &a->behind, source);
    packet_archive_list(ar, &a->deferred, source);
    packet_archive_list(ar, &a->done, source);
    packet_archive_list(ar, &a->lock_waits, source);
    packet_archive_list(ar, &a->flushes, source);
    ARCHIVE(ar, a->flushing);
    ARCHIVE(ar, a->probes);
    ARCHIVE(ar, a->at_home);
    ARCHIVE(ar, a->locks);
    archive_bool(ar, &a->stalled);
    archive_bool(ar, &a->refused);
    archive_bool(ar, &a->refused_room);
    ARCHIVE(ar, a->refused_address);
    ARCHIVE(ar, a->stats);
}
