/* A cache in a checkpoint. */
#include "base/archive.h"
#include "memory/cache_impl.h"

static void archive_lines(struct cache *c, struct archive *ar)
{
    uint32_t lines = c->params.sets * c->params.ways;
    ARCHIVE(ar, c->clock);
    ARCHIVE_ARRAY(ar, c->tags, lines);
    ARCHIVE_ARRAY(ar, c->states, lines);
    for (uint32_t i = 0; i < lines; i++) {
        struct line_extra *extra = &c->extras[i];
        for (uint32_t k = 0; k < LINE_SECTORS; k++)
            archive_u16_to(ar, &c->fills[i * LINE_SECTORS + k], (uint16_t)(c->params.mshr_entries - 1));
        ARCHIVE(ar, extra->dirty);
        ARCHIVE(ar, extra->tag);
        if (c->data && c->tags[i] != NO_ADDRESS)
            archive_bytes(ar, cache_data(c, i), PACKET_LINE_BYTES);
    }
}

static void archive_mshr(struct cache *c, struct archive *ar, uint32_t i)
{
    struct mshr *m = &c->mshrs[i];
    ARCHIVE(ar, m->address);
    archive_place(ar, &m->line, c->params.sets * c->params.ways);
    ARCHIVE(ar, m->value);
    archive_place(ar, &m->first, c->new_waiters);
    archive_place(ar, &m->last, c->new_waiters);
    archive_u16_to(ar, &m->count, (uint16_t)c->params.mshr_merges);
    archive_place(ar, &m->next, c->new_mshrs);
    ARCHIVE(ar, m->sectors);
    archive_bool(ar, &m->orphan);
    if (c->mshr_data)
        archive_bytes(ar, c->mshr_data + (size_t)i * PACKET_LINE_BYTES, PACKET_LINE_BYTES);
}

/* A refused access and a found line that are remembered save time only. */
void cache_archive(struct cache *c, struct archive *ar)
{
    archive_begin(ar, "cache", 0);
    ARCHIVE(ar, c->stats);
    archive_u32_to(ar, &c->ways, c->params.ways);
    if (!c->ways)
        archive_fail(ar, "a cache without ways");
    archive_lines(c, ar);
    archive_u32_to(ar, &c->new_mshrs, c->params.mshr_entries);
    archive_u32_to(ar, &c->new_waiters, c->waiter_limit);
    archive_u32_to(ar, &c->head.used_mshrs, c->params.mshr_entries);
    archive_u32_to(ar, &c->strays, c->params.mshr_entries);
    for (uint32_t i = 0; i < c->new_mshrs; i++)
        archive_mshr(c, ar, i);
    for (uint32_t i = 0; i < c->new_waiters; i++) {
        ARCHIVE(ar, c->waiters[i].value);
        archive_place(ar, &c->waiters[i].next, c->new_waiters);
    }
    archive_places(ar, c->hash, c->hash_mask + (size_t)1, c->new_mshrs);
    archive_place(ar, &c->free_mshr, c->new_mshrs);
    archive_place(ar, &c->free_waiter, c->new_waiters);
    archive_place(ar, &c->head.ready_first, c->new_mshrs);
    archive_place(ar, &c->ready_last, c->new_mshrs);
    if (archive_loading(ar)) {
        c->head.refused_bytes = 0;
        c->recent_at = NO_ADDRESS;
        c->used = 0;
        for (uint32_t i = 0; i < c->params.sets * c->params.ways; i++)
            c->used += c->tags[i] != NO_ADDRESS;
    }
    archive_end(ar);
}

/* The two highest numbers stand for nobody. */
static bool is_foreign(uint32_t waiter, uint32_t end)
{
    return waiter >= end && waiter < CACHE_NO_WAITER - 1;
}

void cache_archive_waiters(const struct cache *c, struct archive *ar, uint32_t end)
{
    bool foreign = false;
    if (!archive_loading(ar))
        return;
    for (uint32_t i = 0; i < c->new_mshrs; i++)
        foreign |= is_foreign(c->mshrs[i].value, end);
    for (uint32_t i = 0; i < c->new_waiters; i++)
        foreign |= is_foreign(c->waiters[i].value, end);
    if (foreign)
        archive_fail(ar, "a line that somebody waits for who is not there");
}
