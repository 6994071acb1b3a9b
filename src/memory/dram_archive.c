/* A DRAM channel in a checkpoint: banks, queues, and the cycles it keeps. */
#include "base/archive.h"
#include "base/bits.h"
#include "memory/dram.h"

static void archive_request(const struct dram *d, struct archive *ar, struct dram_request *r)
{
    ARCHIVE(ar, r->place);
    archive_u16_to(ar, &r->number, (uint16_t)(d->pool->count - 1));
    ARCHIVE(ar, r->bytes);
    archive_u8_to(ar, &r->kind, REQUEST_WRITEBACK);
}

static void archive_bank(struct dram *d, struct archive *ar, uint32_t index)
{
    struct dram_bank *b = &d->banks[index];
    archive_u16_to(ar, &b->waiting, (uint16_t)d->queue_limit);
    for (uint32_t i = 0; i < b->waiting; i++)
        archive_request(d, ar, &d->queues[index * d->queue_stride + i]);
    archive_request(d, ar, &b->current);
    ARCHIVE(ar, b->place);
    archive_u8_to(ar, &b->need, DRAM_NEEDS - 1);
    archive_bool(ar, &b->open);
    ARCHIVE(ar, b->read_at);
    ARCHIVE(ar, b->write_at);
    ARCHIVE(ar, b->precharge_at);
    ARCHIVE(ar, b->activate_at);
    ARCHIVE(ar, b->held_at);
}

/* More than the scheduler has places for would be more than the banks' queues can hold later. */
static void archive_banks(struct dram *d, struct archive *ar)
{
    d->waiting = 0;
    for (uint32_t i = 0; i < DRAM_BANKS; i++) {
        archive_bank(d, ar, i);
        d->waiting += d->banks[i].waiting;
    }
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
}

static void archive_constraints(struct dram *d, struct archive *ar)
{
    ARCHIVE(ar, d->column_at);
    ARCHIVE(ar, d->read_at);
    ARCHIVE(ar, d->write_at);
    ARCHIVE(ar, d->activate_at);
    archive_u32_to(ar, &d->last_group, DRAM_BANKS - 1);
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
    archive_u32_to(ar, &d->delay_count, d->delay_mask + 1);
    for (uint32_t i = 0; i < d->delay_count; i++) {
        struct dram_delayed *delayed = &d->delay[(d->delay_first + i) & d->delay_mask];
        ARCHIVE(ar, delayed->due);
        archive_request(d, ar, &delayed->request);
    }
    ARCHIVE(ar, d->join_at);
}

/* What lies outside [first, end) of the pipe is old, but a place. */
static void archive_rings(struct dram *d, struct archive *ar)
{
    for (uint32_t i = 0; i <= d->pipe_mask; i++) {
        archive_u16_to(ar, &d->pipe[i].number, (uint16_t)(d->pool->count - 1));
        archive_bool(ar, &d->pipe[i].last);
        archive_bool(ar, &d->pipe[i].silent);
        ARCHIVE(ar, d->pipe[i].at);
    }
    ARCHIVE(ar, d->pipe_first);
    ARCHIVE(ar, d->pipe_end);
    archive_bool(ar, &d->pipe_late);
    ARCHIVE(ar, d->last_burst);
    ARCHIVE(ar, d->pipe_at);
    request_queue_archive(ar, &d->returns, d->pool);
}

void dram_archive(struct dram *d, struct archive *ar)
{
    archive_begin(ar, "DRAM channel", 0);
    ARCHIVE(ar, d->stats);
    ARCHIVE(ar, d->now);
    archive_delay(d, ar);
    archive_banks(d, ar);
    archive_sets(d, ar);
    archive_constraints(d, ar);
    archive_rings(d, ar);
    archive_end(ar);
}
