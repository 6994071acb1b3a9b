/* A DRAM channel in a checkpoint: banks, queues, and the cycles it keeps. */
#include "base/archive.h"
#include "base/bits.h"
#include "memory/dram.h"

static void archive_request(const struct dram *d, struct archive *ar, struct dram_request *r)
{
    ARCHIVE(ar, r->parts);
    if (dram_number(*r) >= d->pool->count || dram_kind(*r) > REQUEST_WRITEBACK ||
        dram_slice(*r) >= PARTITION_MAX_SLICES)
        archive_fail(ar, "no request of this partition");
}

/* The number of a slot, or none. */
static void archive_slot(const struct dram *d, struct archive *ar, uint16_t *slot)
{
    uint32_t place = *slot == DRAM_NO_SLOT ? UINT32_MAX : *slot;
    archive_place(ar, &place, d->limit);
    *slot = (uint16_t)place;
}

static void archive_slots(struct dram *d, struct archive *ar)
{
    for (uint32_t i = 0; i < d->limit; i++) {
        archive_request(d, ar, &d->slots[i]);
        archive_slot(d, ar, &d->next_slot[i]);
    }
    archive_slot(d, ar, &d->free_slot);
    archive_u32_to(ar, &d->waiting, d->limit);
}

static void archive_bank(struct dram *d, struct archive *ar, struct dram_bank *b)
{
    archive_slot(d, ar, &b->first);
    archive_slot(d, ar, &b->last);
    archive_request(d, ar, &b->current);
    ARCHIVE(ar, b->row);
    archive_u8_to(ar, &b->need, DRAM_NEEDS - 1);
    archive_bool(ar, &b->open);
    ARCHIVE(ar, b->read_at);
    ARCHIVE(ar, b->write_at);
    ARCHIVE(ar, b->precharge_at);
    ARCHIVE(ar, b->activate_at);
    ARCHIVE(ar, b->held_at);
}

static void archive_sets(struct dram *d, struct archive *ar)
{
    uint32_t all = (uint32_t)mask_low(DRAM_BANKS);
    archive_u32_to(ar, &d->turn, all);
    archive_u32_to(ar, &d->wanted, all);
    archive_u32_to(ar, &d->served, all);
    for (unsigned i = 0; i < DRAM_NEEDS; i++)
        archive_u32_to(ar, &d->needs[i], all);
    archive_u32_to(ar, &d->held, all);
    ARCHIVE(ar, d->held_until);
}

static void archive_constraints(struct dram *d, struct archive *ar)
{
    ARCHIVE(ar, d->read_at);
    ARCHIVE(ar, d->write_at);
    ARCHIVE(ar, d->activate_at);
    archive_u8_to(ar, &d->last_group, DRAM_BANKS - 1);
    for (unsigned i = 0; i < DRAM_BANKS; i++) {
        ARCHIVE(ar, d->groups[i].column_at);
        ARCHIVE(ar, d->groups[i].precharge_at);
    }
    ARCHIVE(ar, d->groups_precharge_at);
    ARCHIVE(ar, d->command_at);
}

static void archive_delay(struct dram *d, struct archive *ar)
{
    ARCHIVE(ar, d->delay_first);
    ARCHIVE(ar, d->delay_end);
    if (d->delay_end - d->delay_first > d->delay_mask + 1u)
        archive_fail(ar, "more requests than the delay holds");
    for (uint32_t i = 0; i <= d->delay_mask; i++) {
        ARCHIVE(ar, d->delay[i].due);
        archive_request(d, ar, &d->delay[i].request);
    }
    ARCHIVE(ar, d->join_at);
    ARCHIVE(ar, d->jitter.stream.drawn);
}

/* Entries of the pipe outside [first, end) are stale and are written as empty places. */
static void archive_rings(struct dram *d, struct archive *ar)
{
    for (uint32_t i = 0; i <= d->pipe_mask; i++) {
        archive_request(d, ar, &d->pipe[i].request);
        ARCHIVE(ar, d->pipe[i].at);
    }
    ARCHIVE(ar, d->pipe_first);
    ARCHIVE(ar, d->pipe_end);
    archive_bool(ar, &d->pipe_late);
    ARCHIVE(ar, d->last_at);
    ARCHIVE(ar, d->pipe_at);
    ARCHIVE(ar, d->finished_first);
    archive_u32_to(ar, &d->finished_count, d->finished_mask + 1u);
    for (uint32_t i = 0; i < d->finished_count; i++)
        archive_request(d, ar, &d->finished[(d->finished_first + i) & d->finished_mask]);
}

void dram_archive(struct dram *d, struct archive *ar)
{
    archive_begin(ar, "DRAM channel", 0);
    ARCHIVE(ar, d->stats);
    ARCHIVE(ar, d->now);
    archive_delay(d, ar);
    archive_slots(d, ar);
    for (uint32_t i = 0; i < DRAM_BANKS; i++)
        archive_bank(d, ar, &d->banks[i]);
    archive_sets(d, ar);
    archive_constraints(d, ar);
    archive_rings(d, ar);
    archive_end(ar);
}
