/* A DRAM channel in a checkpoint: the requests in their places, banks, queues, and the cycles it keeps. */
#include "base/archive.h"
#include "base/bits.h"
#include "memory/dram.h"

#define SLICES 4

void memory_request_archive(struct archive *ar, struct memory_request *request, const struct packet_source *source)
{
    ARCHIVE(ar, request->local);
    packet_archive(ar, &request->packet, source);
    ARCHIVE(ar, request->bytes);
    archive_u8_to(ar, &request->kind, REQUEST_WRITEBACK);
    archive_u8_to(ar, &request->slice, SLICES - 1);
}

static uint32_t entry_count(const struct dram *d)
{
    return d->params.scheduler_queue + d->params.return_queue + d->params.tCL + DRAM_BANKS + 2;
}

/* What a free entry holds is of no use to anybody. */
static void clear_free(struct dram *d)
{
    uint32_t left = entry_count(d);
    for (uint32_t i = d->free_entry; i != DRAM_NONE && left > 0; i = d->entries[i].next, left--)
        d->entries[i] = (struct dram_entry){.next = d->entries[i].next};
}

static void archive_entry(const struct dram *d, struct archive *ar, struct dram_entry *e,
                          const struct packet_source *source)
{
    memory_request_archive(ar, &e->request, source);
    ARCHIVE(ar, e->row);
    archive_u32_to(ar, &e->bank, DRAM_BANKS - 1);
    ARCHIVE(ar, e->commanded);
    ARCHIVE(ar, e->moved);
    archive_place(ar, &e->next, entry_count(d));
}

static void archive_bank(const struct dram *d, struct archive *ar, struct dram_bank *b)
{
    archive_place(ar, &b->first, entry_count(d));
    archive_place(ar, &b->last, entry_count(d));
    archive_place(ar, &b->current, entry_count(d));
    ARCHIVE(ar, b->row);
    archive_bool(ar, &b->open);
    ARCHIVE(ar, b->read_at);
    ARCHIVE(ar, b->write_at);
    ARCHIVE(ar, b->precharge_at);
    ARCHIVE(ar, b->activate_at);
}

static void archive_sets(struct dram *d, struct archive *ar)
{
    uint32_t all = (uint32_t)mask_low(DRAM_BANKS);
    archive_u32_to(ar, &d->turn, DRAM_BANKS - 1);
    archive_u32_to(ar, &d->wanted, all);
    archive_u32_to(ar, &d->served, all);
    for (unsigned i = 0; i < DRAM_NEEDS; i++)
        archive_u32_to(ar, &d->needs[i], all);
    archive_u32_to(ar, &d->held, all);
    ARCHIVE(ar, d->held_until);
    ARCHIVE(ar, d->own_at);
}

static void archive_constraints(struct dram *d, struct archive *ar)
{
    ARCHIVE(ar, d->column_at);
    ARCHIVE(ar, d->read_at);
    ARCHIVE(ar, d->write_at);
    ARCHIVE(ar, d->activate_at);
    archive_u32_to(ar, &d->last_group, DRAM_BANKS - 1);
    ARCHIVE(ar, d->group_column_at);
    ARCHIVE(ar, d->group_precharge_at);
    ARCHIVE(ar, d->groups_column_at);
    ARCHIVE(ar, d->groups_precharge_at);
    ARCHIVE(ar, d->command_at);
}

/* What lies outside [first, end) of a ring is old, but a place. */
static void archive_rings(struct dram *d, struct archive *ar)
{
    for (uint32_t i = 0; i <= d->pipe_mask; i++) {
        archive_u32_to(ar, &d->pipe[i].entry, entry_count(d) - 1);
        archive_bool(ar, &d->pipe[i].last);
        ARCHIVE(ar, d->pipe[i].at);
    }
    ARCHIVE(ar, d->pipe_first);
    ARCHIVE(ar, d->pipe_end);
    archive_bool(ar, &d->pipe_late);
    ARCHIVE(ar, d->last_burst);
    for (uint32_t i = 0; i <= d->return_mask; i++)
        archive_u32_to(ar, &d->returns[i], entry_count(d) - 1);
    ARCHIVE(ar, d->return_first);
    ARCHIVE(ar, d->return_end);
}

void dram_archive(struct dram *d, struct archive *ar, const struct packet_source *source)
{
    archive_begin(ar, "DRAM channel", 0);
    clear_free(d);
    ARCHIVE(ar, d->stats);
    for (uint32_t i = 0; i < entry_count(d); i++)
        archive_entry(d, ar, &d->entries[i], source);
    archive_place(ar, &d->free_entry, entry_count(d));
    archive_u32_to(ar, &d->waiting, entry_count(d));
    for (uint32_t i = 0; i < DRAM_BANKS; i++)
        archive_bank(d, ar, &d->banks[i]);
    archive_sets(d, ar);
    archive_constraints(d, ar);
    archive_rings(d, ar);
    archive_end(ar);
}
