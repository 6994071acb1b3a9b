/* Checkpoints of fetch (base/archive.h). */
#include "base/archive.h"

#include "fetch/fetch.h"

void fetch_archive_warp(struct fetch *fetch, unsigned slot, struct archive *ar)
{
    ARCHIVE(ar, fetch->next_pc[slot]);
    ARCHIVE(ar, fetch->asked_pc[slot]);
}

/* A warp that is fetched for is one of the turn's. */
static void archive_turn(const struct fetch *f, struct fetch_turn *turn, struct archive *ar)
{
    archive_place(ar, &turn->slot, f->params->warps);
    ARCHIVE(ar, turn->count);
    archive_u32_to(ar, &turn->pc, f->module_size - 1);
    archive_u32_to(ar, &turn->view.last, f->params->warps - 1);
    if (turn->slot != CORE_NONE && !archive_failed(ar) && !mask_has(turn->warps, turn->slot))
        archive_fail(ar, "fetch has instructions of a warp that is another scheduler's");
}

void fetch_archive(struct fetch *f, struct archive *ar)
{
    uint8_t last_slot = (uint8_t)(f->params->warps - 1);
    for (struct fetch_turn *turn = f->turns; turn < f->turns + f->turn_count; turn++)
        archive_turn(f, turn, ar);
    archive_bool(ar, &f->line_taken);
    ARCHIVE(ar, f->stats);
    if (!f->shares)
        return;
    if (archive_loading(ar))
        f->shared.head = 0;
    archive_u8_to(ar, &f->shared.count, WARP_SLOTS);
    for (unsigned i = 0; i < f->shared.count && !archive_failed(ar); i++)
        archive_u8_to(ar, &f->shared.slots[(f->shared.head + i) % WARP_SLOTS], last_slot);
}

void fetch_archive_cache(struct fetch *f, struct archive *ar)
{
    if (!f->member) {
        cache_archive(f->l1i, ar);
        cache_archive_waiters(f->l1i, ar, f->shares ? f->params->l1i_sharers * WARP_SLOTS : f->params->warps);
    }
    f->came = fetch_line_came(f);
}
