/* Phases of blocks: how long each warp of a phase waited for the slowest. */
#include "sm/phases.h"

#include <stddef.h>
#include <string.h>

#include "sm/sm_impl.h"

static const struct stat_desc phase_descs[] = {
#define STAT_STRUCT struct sm_phase_stats
#include "stats/stat_descs.h"
#include "sm/phase_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group sm_phase_group = {"phases", "phases of thread blocks, from barrier to barrier", phase_descs,
                                          sizeof(phase_descs) / sizeof(phase_descs[0])};

static void log_warp(struct sm *sm, const struct sm_block *block, unsigned slot)
{
    struct sm_phases *p = &sm->phases;
    struct sm_phase_row row = {.phase = block->phase.number,
                               .warp = sm->warp.slots[slot].simt.index,
                               .start = p->start[slot],
                               .arrival = p->arrival[slot],
                               .release = sm->agenda.now};
    memcpy(row.block, block->simt.index, sizeof row.block);
    vec_push(&p->log, row);
}

/* The present phase of the block ends for these warps. */
HOT static void close_phase(struct sm *sm, struct sm_block *block, uint64_t slots)
{
    struct sm_phases *p = &sm->phases;
    uint64_t most = 0, sum = 0, warps = mask_count(slots);
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        uint64_t took = p->arrival[slot] - p->start[slot];
        sum += took;
        most = took > most ? took : most;
        if (sm->kernel->log_phases)
            log_warp(sm, block, slot);
    }
    uint64_t whole = most * warps, ppm = whole ? (whole - sum) * 1000000 / whole : 0;
    p->stats.count++;
    p->stats.warps += warps;
    p->stats.warp_cycles += whole;
    p->stats.lost += whole - sum;
    p->stats.rtru_ppm += ppm;
    p->stats.worst_ppm = ppm > p->stats.worst_ppm ? ppm : p->stats.worst_ppm;
    block->phase.number++;
    block->phase.ended = 0;
}

void sm_phase_begin(struct sm *sm, struct sm_block *block, uint64_t cycle)
{
    block->phase = (struct sm_phase){0};
    for (uint64_t rest = block->warps; rest; rest &= rest - 1)
        sm->phases.start[mask_first(rest)] = cycle;
}

void sm_phase_arrive(struct sm *sm, unsigned slot)
{
    sm->phases.arrival[slot] = sm->agenda.now;
}

HOT uint64_t sm_phase_first_arrival(const struct sm *sm, uint64_t slots)
{
    uint64_t first = slots ? UINT64_MAX : 0;
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        uint64_t arrival = sm->phases.arrival[mask_first(rest)];
        first = arrival < first ? arrival : first;
    }
    return first;
}

void sm_phase_open(struct sm *sm, struct sm_block *block, uint64_t slots)
{
    close_phase(sm, block, slots | block->phase.ended);
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        sm->phases.start[mask_first(rest)] = sm->agenda.now;
}

void sm_phase_end(struct sm *sm, unsigned slot)
{
    sm->phases.arrival[slot] = sm->agenda.now;
    sm->blocks[sm->warp.slots[slot].block].phase.ended |= BIT64(slot);
}

void sm_phase_resume(struct sm *sm, unsigned slot)
{
    sm->phases.start[slot] = sm->agenda.now;
    sm->blocks[sm->warp.slots[slot].block].phase.ended &= ~BIT64(slot);
}

void sm_phase_close(struct sm *sm, struct sm_block *block)
{
    if (!(block->warps & ~sm->warp.finished) && block->phase.ended)
        close_phase(sm, block, block->phase.ended);
}
