/* Checkpoints of fetch (base/archive.h). */
#include "base/archive.h"

#include "fetch/fetch.h"

void fetch_archive_warp(struct fetch *fetch, unsigned slot, struct archive *ar)
{
    ARCHIVE(ar, fetch->next_pc[slot]);
    ARCHIVE(ar, fetch->asked_pc[slot]);
}

void fetch_archive(struct fetch *f, struct archive *ar)
{
    uint8_t last_slot = (uint8_t)(f->params->warps - 1);
    archive_place(ar, &f->slot, f->params->warps);
    ARCHIVE(ar, f->count);
    archive_u32_to(ar, &f->pc, f->module_size - 1);
    archive_bool(ar, &f->line_taken);
    archive_u32_to(ar, &f->view.last, last_slot);
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
