/* The list of unsynced instructions: see unsynced.h. */
#include "sm/unsynced.h"

#include <string.h>

#include "base/archive.h"

void sm_unsynced_note(struct sm_unsynced_list *list, const struct simt_warp *warp, const struct simt_result *r,
                      uint64_t cycle)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pc == r->pc)
            return;
    struct sm_unsynced first = {.what = r->unsynced, .pc = r->pc, .warp = warp->index, .cycle = cycle};
    memcpy(first.block, warp->block->index, sizeof first.block);
    vec_push(list, first);
}

/* Checkpoints */

void sm_unsynced_archive(struct sm_unsynced_list *list, uint32_t instructions, struct archive *ar)
{
    uint32_t count = (uint32_t)list->count;
    archive_u32_to(ar, &count, instructions);
    if (archive_loading(ar))
        list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct sm_unsynced none = {0};
        if (archive_loading(ar))
            vec_push(list, none);
        struct sm_unsynced *item = &list->items[i];
        archive_u8_to(ar, &item->what.kind, SIMT_UNSYNCED_SKIPPED);
        ARCHIVE(ar, item->what.lanes);
        ARCHIVE(ar, item->what.others);
        archive_u32_to(ar, &item->pc, instructions - 1);
        ARCHIVE(ar, item->block);
        ARCHIVE(ar, item->warp);
        ARCHIVE(ar, item->cycle);
    }
}
