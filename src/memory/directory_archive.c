/* A directory in a checkpoint: its entries, the packets that it has, and what it is about to send. */
#include "base/archive.h"
#include "memory/directory.h"

static void archive_entry(struct directory *d, struct archive *ar, struct directory_entry *entry,
                          const struct packet_source *source)
{
    ARCHIVE(ar, entry->line);
    ARCHIVE(ar, entry->address);
    archive_place(ar, &entry->next, d->used);
    archive_u16_to(ar, &entry->owner, (uint16_t)(d->sms - 1));
    archive_u8_to(ar, &entry->state, DIRECTORY_STATES - 1);
    ARCHIVE(ar, entry->grant);
    archive_u16_to(ar, &entry->unanswered, (uint16_t)d->sms);
    archive_bool(ar, &entry->several);
    if (d->sharers)
        archive_bytes(ar, directory_sharers(d, entry), d->share_words * sizeof *d->sharers);
    packet_archive_list(ar, &entry->parked, source);
}

void directory_archive(struct directory *d, struct archive *ar, const struct packet_source *source)
{
    coherence_side_archive(&d->side, ar);
    archive_u32_to(ar, &d->used, d->capacity);
    for (uint32_t i = 0; i < d->used; i++)
        archive_entry(d, ar, &d->entries[i], source);
    archive_place(ar, &d->free, d->used);
    archive_places(ar, d->hash, d->hash_mask + 1, d->used);
    packet_archive_list(ar, &d->out, source);
    packet_archive_list(ar, &d->woken, source);
    packet_archive_list(ar, &d->remotes, source);
    packet_archive(ar, &d->remote.packet, source);
    archive_u32_to(ar, &d->remote.unanswered, d->sms);
    archive_u8_to(ar, &d->remote.kind, 2);
    archive_u8_to(ar, &d->remote.phase, REMOTE_MOST - 1);
    ARCHIVE(ar, d->kept);
    ARCHIVE(ar, d->displaced);
    ARCHIVE(ar, d->grants);
}
