/* Phases of blocks: how long each warp of a phase waited for the slowest. */
#include "watch/phases.h"

#include <stddef.h>
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "base/hot.h"

static const struct stat_desc phase_descs[] = {
#define STAT_STRUCT struct watch_phase_stats
#include "stats/stat_descs.h"
#include "watch/phase_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group watch_phase_group = {"phases", "phases of thread blocks, from barrier to barrier", phase_descs,
                                             sizeof(phase_descs) / sizeof(phase_descs[0])};

void watch_phases_begin(struct watch_phases *p, bool logs)
{
    p->log.count = 0;
    p->logs = logs;
}

void watch_phases_free(struct watch_phases *p)
{
    vec_free(&p->log);
}

void watch_phases_reset_stats(struct watch_phases *p)
{
    p->stats = (struct watch_phase_stats){0};
}

static void log_warp(struct watch_phases *p, const struct watch_phase *block, unsigned slot, uint64_t cycle)
{
    struct watch_phase_row row = {.phase = block->number,
                                  .warp = p->warp_in_block[slot],
                                  .start = p->start[slot],
                                  .arrival = p->arrival[slot],
                                  .release = cycle};
    memcpy(row.block, block->index, sizeof row.block);
    vec_push(&p->log, row);
}

/* The present phase of the block ends for these warps. */
HOT static void close_phase(struct watch_phases *p, struct watch_phase *block, uint64_t slots, uint64_t cycle)
{
    uint64_t most = 0, sum = 0, warps = mask_count(slots);
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        uint64_t took = p->arrival[slot] - p->start[slot];
        sum += took;
        most = took > most ? took : most;
        if (p->logs)
            log_warp(p, block, slot, cycle);
    }
    uint64_t whole = most * warps, ppm = whole ? (whole - sum) * 1000000 / whole : 0;
    p->stats.count++;
    p->stats.warps += warps;
    p->stats.warp_cycles += whole;
    p->stats.lost += whole - sum;
    p->stats.rtru_ppm += ppm;
    p->stats.worst_ppm = ppm > p->stats.worst_ppm ? ppm : p->stats.worst_ppm;
    block->number++;
    block->ended = 0;
}

/* The first warp of a block begins the block. */
void watch_phases_launch(struct watch_phases *p, const struct lockstep_launch_event *event)
{
    struct watch_phase *block = &p->blocks[event->block];
    if (!event->again && event->warp_in_block == 0) {
        *block = (struct watch_phase){0};
        memcpy(block->index, event->block_index, sizeof block->index);
    }
    p->warp_in_block[event->warp] = event->warp_in_block;
    p->start[event->warp] = event->cycle;
    block->ended &= ~BIT64(event->warp);
    block->live |= BIT64(event->warp);
}

void watch_phases_arrive(struct watch_phases *p, const struct lockstep_arrive_event *event)
{
    p->arrival[event->warp] = event->cycle;
}

void watch_phases_open(struct watch_phases *p, const struct lockstep_open_event *event)
{
    struct watch_phase *block = &p->blocks[event->block];
    close_phase(p, block, event->warps | block->ended, event->cycle);
    for (uint64_t rest = event->warps; rest; rest &= rest - 1)
        p->start[mask_first(rest)] = event->cycle;
}

/* The last phase of a block is over when all of its warps have ended: none is left that could wait at a barrier. */
void watch_phases_end(struct watch_phases *p, const struct lockstep_end_event *event)
{
    struct watch_phase *block = &p->blocks[event->block];
    p->arrival[event->warp] = event->cycle;
    block->ended |= BIT64(event->warp);
    block->live &= ~BIT64(event->warp);
    if (!block->live)
        close_phase(p, block, block->ended, event->cycle);
}

/* Checkpoints */

void watch_phases_archive(struct watch_phases *p, struct archive *ar)
{
    ARCHIVE(ar, p->start);
    ARCHIVE(ar, p->arrival);
    for (unsigned i = 0; i < WATCH_SLOTS; i++) {
        struct watch_phase *block = &p->blocks[i];
        ARCHIVE(ar, p->warp_in_block[i]);
        ARCHIVE(ar, block->index);
        ARCHIVE(ar, block->number);
        ARCHIVE(ar, block->ended);
        ARCHIVE(ar, block->live);
    }
    ARCHIVE(ar, p->stats);
}
