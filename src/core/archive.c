/* Checkpoints of a core (base/archive.h): what is in its pipelines, and its schedulers' turns. */
#include "base/archive.h"

#include <string.h>

#include "base/arena.h"
#include "core/core.h"

void core_archive_op_number(const struct core_ops *ops, struct archive *ar, uint32_t *op)
{
    if (ops->count)
        archive_u32_to(ar, op, (uint32_t)ops->count - 1);
    else
        archive_fail(ar, "an instruction under way is named where there is none");
}

static void archive_fifo(struct core_fifo *fifo, const struct core_ops *ops, struct archive *ar)
{
    archive_u8_to(ar, &fifo->count, fifo->size);
    for (unsigned i = 0; i < fifo->count; i++)
        core_archive_op_number(ops, ar, core_fifo_item(fifo, i));
}

void core_archive_wheel(struct core_wheel *wheel, const struct core_ops *ops, struct archive *ar)
{
    archive_places(ar, wheel->head, CORE_WHEEL, (uint32_t)ops->count);
    ARCHIVE(ar, wheel->occupied);
    archive_u32_to(ar, &wheel->count, (uint32_t)ops->count);
}

static void archive_collectors(struct core_collectors *c, const struct core_ops *ops, struct archive *ar)
{
    archive_u32_to(ar, &c->used, c->all);
    archive_u32_to(ar, &c->ready, c->all);
    archive_u32_to(ar, &c->reading, c->all);
    for (uint32_t rest = c->used; rest; rest &= rest - 1)
        core_archive_op_number(ops, ar, &c->held->op[mask_first(rest)]);
    archive_u8_to(ar, &c->last_left, c->count - 1);
    ARCHIVE(ar, c->held->behind);
    ARCHIVE(ar, c->held->turn);
    for (unsigned i = 0; i < CORE_MAX_COLLECTORS; i++)
        archive_u8_to(ar, &c->held->line[i], CORE_MAX_COLLECTORS - 1);
    archive_u8_to(ar, &c->line_head, CORE_MAX_COLLECTORS - 1);
    archive_u8_to(ar, &c->line_count, CORE_MAX_COLLECTORS);
}

static void archive_banks(struct core_collect *collect, struct archive *ar)
{
    ARCHIVE(ar, collect->waiting);
    ARCHIVE(ar, collect->queued);
    ARCHIVE(ar, collect->written);
    ARCHIVE(ar, collect->written_in);
    for (unsigned i = 0; i < 64; i++) {
        archive_u16_to(ar, &collect->banks[i].first, CORE_READS - 1);
        archive_u16_to(ar, &collect->banks[i].last, CORE_READS - 1);
    }
    for (unsigned i = 0; i < CORE_READS; i++)
        archive_u16_to(ar, &collect->next_read[i], CORE_READS - 1);
    archive_u32_to(ar, &collect->bank_from, 63);
}

void core_archive_pipelines(struct core *core, struct archive *ar)
{
    for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++) {
        archive_fifo(&core->id_oc[unit], core->ops, ar);
        archive_fifo(&core->oc_ex[unit], core->ops, ar);
        if (unit < WARP_UNIT_COLLECTED)
            archive_collectors(&core->collect.classes[unit], core->ops, ar);
    }
    core->full = core_full_classes(core);
    archive_banks(&core->collect, ar);
    ARCHIVE(ar, core->execute.free_at);
    ARCHIVE(ar, core->execute.results);
    core_archive_wheel(&core->execute.wheel, core->ops, ar);
}

void core_archive_turns(struct core *core, struct archive *ar)
{
    struct core_issue *issue = &core->issue;
    ARCHIVE(ar, issue->overtaken);
    archive_place(ar, &issue->first_look, issue->count);
    ARCHIVE(ar, issue->extra_issues);
    ARCHIVE(ar, issue->preferred_empty);
    ARCHIVE(ar, issue->preferred_passed);
    ARCHIVE(ar, core->stalls);
    for (unsigned s = 0; s < issue->count; s++)
        archive_bytes(ar, issue->of[s].state, issue->policy->state_bytes);
}

void core_archive_line(struct core_line *line, unsigned cores, struct archive *ar)
{
    if (archive_loading(ar))
        line->head = 0;
    archive_u16_to(ar, &line->count, CORE_LINE);
    for (unsigned i = 0; i < line->count; i++)
        archive_u8_to(ar, &line->cores[(line->head + i) % CORE_LINE], (uint8_t)(cores - 1));
}

uint8_t *core_free_members(const void *items, size_t size, size_t next_at, uint32_t count, uint32_t first)
{
    uint8_t *marks = base_calloc(count + 1, 1);
    while (first < count && !marks[first]) {
        marks[first] = 1;
        memcpy(&first, (const char *)items + first * size + next_at, sizeof first);
    }
    return marks;
}

uint8_t *core_archive_pool(struct core_ops *ops, struct archive *ar)
{
    uint32_t count = (uint32_t)ops->count;
    archive_u32_to(ar, &count, CORE_MAX_POOL);
    while (ops->count < count)
        core_op_grow(ops);
    uint8_t *free_ones = core_free_members(ops->items, sizeof *ops->items, offsetof(struct core_op, next), count,
                                           archive_loading(ar) ? CORE_NONE : ops->free);
    ARCHIVE_ARRAY(ar, free_ones, count);
    for (uint32_t i = 0; i < count; i++)
        archive_place(ar, &ops->items[i].next, count);
    archive_place(ar, &ops->free, count);
    archive_u32_to(ar, &ops->live, count);
    return free_ones;
}

void core_archive_views(struct core_views *views, struct archive *ar)
{
    ARCHIVE(ar, views->warps);
    ARCHIVE(ar, views->blocks);
}
