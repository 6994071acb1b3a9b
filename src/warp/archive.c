/* The warp table in a checkpoint. */
#include "base/archive.h"

#include "warp/table.h"

void warp_set_archive(uint64_t *set, void *set_archive)
{
    const struct warp_set_archive *to = set_archive;
    archive_u64_to(to->ar, set, to->all);
}

void warp_each_set(struct warp_table *w, void (*visit)(uint64_t *set, void *context), void *context)
{
    uint64_t *sets[] = {&w->finished, &w->buffered, &w->mispredicted, &w->flushed, &w->cleared, &w->in_queues};
    for (unsigned i = 0; i < sizeof sets / sizeof sets[0]; i++)
        visit(sets[i], context);
    for (unsigned i = 0; i < WARP_WAIT_COUNT; i++)
        visit(&w->waits.of[i], context);
    for (unsigned u = 0; u < ISA_UNIT_COUNT; u++)
        visit(&w->wants[u], context);
}

void warp_archive_sets(struct warp_table *w, const struct warp_set_archive *to)
{
    archive_u64_to(to->ar, &w->resident, to->all);
    warp_each_set(w, warp_set_archive, (void *)to);
}

void warp_archive_block(struct warp_table *w, unsigned index, struct archive *ar)
{
    archive_u8_to(ar, &w->slots[index].block, WARP_SLOTS - 1);
}

void warp_archive_slot(struct warp_table *w, unsigned index, struct archive *ar)
{
    struct warp_slot *slot = &w->slots[index];
    ARCHIVE(ar, slot->buffered);
    archive_u8_to(ar, &slot->unit, ISA_UNIT_COUNT - 1);
    ARCHIVE(ar, slot->head_pc);
    ARCHIVE(ar, slot->in_flight);
    ARCHIVE(ar, slot->stores_out);
    ARCHIVE(ar, slot->posted);
    ARCHIVE(ar, slot->left);
    ARCHIVE(ar, slot->life);
    ARCHIVE(ar, slot->pending_registers);
    ARCHIVE(ar, slot->loads_out);
    ARCHIVE(ar, slot->lanes_out);
    ARCHIVE(ar, slot->copies_out);
    ARCHIVE_ARRAY(ar, slot->scoreboard, w->scoreboard_words);
    ARCHIVE_ARRAY(ar, slot->from_memory, w->scoreboard_words);
    ARCHIVE_ARRAY(ar, slot->from_chip, w->scoreboard_words);
    ARCHIVE(ar, slot->wake);
    ARCHIVE(ar, slot->age);
}

void warp_archive_end(struct warp_table *w, uint64_t cycle)
{
    w->waiting = w->finished | warp_waits_any(&w->waits);
    warp_account_begin(w, cycle);
}
