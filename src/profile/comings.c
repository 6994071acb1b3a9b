/* When blocks come to barriers of several blocks: see comings.h. */
#include "profile/comings.h"

#include <string.h>

#include "base/bits.h"
#include "isa/mod_values.h"
#include "profile/polls_sm.h"

/* How an instruction of the module takes part in barriers of several blocks. */
enum profile_comings_code {
    CODE_GRID = 1,    /* it comes to the barrier of the grid */
    CODE_ARRIVES = 2, /* to that of its cluster */
    CODE_WAITS = 3,   /* it waits for its cluster */
    CODES = 4         /* for each coming that is logged */
};

static unsigned code_of(const struct isa_instr *instr)
{
    if (instr->op == ISA_OP_BARRIER_GRID)
        return CODE_GRID;
    if (isa_is_cluster_barrier(instr))
        return instr->mods.barrier == ISA_BARRIER_ARRIVE ? CODE_ARRIVES : CODE_WAITS;
    return 0;
}

size_t profile_comings_bytes(const struct isa_module *module, bool polls)
{
    bool comes = polls;
    for (uint32_t i = 0; i < module->instr_count && !comes; i++)
        comes = code_of(&module->instrs[i]) != 0;
    return comes ? sizeof(struct profile_comings) + module->instr_count * sizeof(uint16_t) : 0;
}

void profile_comings_begin(struct profile_comings *s, const struct isa_module *module, const uint32_t *cluster,
                           const uint32_t *grid)
{
    for (unsigned i = 0; i < 3; i++) {
        s->cluster[i] = cluster[i] ? cluster[i] : 1;
        s->grid[i] = grid[i] / s->cluster[i];
    }
    for (uint32_t i = 0; i < module->instr_count; i++)
        s->code[i] = (uint16_t)code_of(&module->instrs[i]);
}

void profile_comings_launch(struct profile_comings *s, uint32_t block)
{
    s->blocks[block] = (struct profile_comings_block){0};
}

void profile_comings_forget(struct profile_comings *s, uint32_t slot)
{
    s->numbers[slot] = 0;
}

/* Paths */

/* The place of that count among some, or a free one, or that with the fewest cycles. */
static struct watch_sample *place_of(struct watch_sample *of, unsigned count, uint32_t at)
{
    struct watch_sample *least = of;
    for (unsigned i = 0; i < count; i++) {
        if (of[i].at == at || !of[i].cycles)
            return &of[i];
        least = of[i].cycles < least->cycles ? &of[i] : least;
    }
    return least;
}

static void add_sample(struct watch_sample *to, unsigned count, struct watch_sample sample)
{
    struct watch_sample *place = place_of(to, count, sample.at);
    if (place->at == sample.at && place->cycles)
        place->cycles += sample.cycles;
    else if (sample.cycles > place->cycles)
        *place = sample;
}

static void add_samples(struct watch_sample sums[PROFILE_COMINGS_SUMS], const struct watch_samples *samples)
{
    for (unsigned i = 0; i < WATCH_SAMPLES; i++)
        if (samples->of[i].cycles)
            add_sample(sums, PROFILE_COMINGS_SUMS, samples->of[i]);
}

/* The path of a block of which a warp did that since the last barrier. */
static void set_path(struct profile_coming *coming, const struct profile_comings_block *block,
                     const struct watch_samples *did)
{
    struct watch_sample sums[PROFILE_COMINGS_SUMS];
    unsigned count = 0; /* places are taken in their order */
    memcpy(sums, block->sums, sizeof sums);
    if (did)
        add_samples(sums, did);
    while (count < PROFILE_COMINGS_SUMS && sums[count].cycles)
        count++;
    if (count <= PROFILE_COMINGS_PATH) {
        memcpy(coming->path, sums, count * sizeof *sums);
        return;
    }
    for (unsigned i = 0; i < PROFILE_COMINGS_PATH; i++) {
        unsigned most = i;
        for (unsigned n = i + 1; n < count; n++)
            most = sums[n].cycles > sums[most].cycles ? n : most;
        coming->path[i] = sums[most];
        sums[most] = sums[i];
    }
}

/* The log */

/* A coming of the block in that slot by an instruction, the block's so-manieth; NULL: there is no place for it. */
static struct profile_coming *next(struct profile_comings *s, const struct profile_lasts *lasts, uint32_t block,
                                   uint32_t pc, uint64_t number, uint64_t cycle, bool plain)
{
    unsigned most = plain ? PROFILE_COMINGS_PLAIN : number ? PROFILE_COMINGS_OF : PROFILE_COMINGS_WORD;
    if (s->count == PROFILE_COMINGS || s->code[pc] / CODES >= most) {
        s->unlogged_at = s->unlogged_at ? s->unlogged_at : cycle;
        s->unlogged_number = s->unlogged_number ? s->unlogged_number : number;
        return NULL;
    }
    s->code[pc] += CODES;
    struct profile_coming *coming = &s->of[s->count++];
    *coming = (struct profile_coming){
        .block = lasts->indices[block], .number = number, .pc = pc, .first = cycle, .cycle = cycle};
    return coming;
}

/* The cluster of a block, and its rank there. */
static uint64_t cluster_of(const struct profile_comings *s, uint64_t block, uint32_t *rank)
{
    uint64_t x = (uint32_t)block, y = block >> 32 & 0xffff, z = block >> 48;
    const uint32_t *of = s->cluster;
    *rank = (uint32_t)((z % of[2] * of[1] + y % of[1]) * of[0] + x % of[0]);
    return (z / of[2] * s->grid[1] + y / of[1]) * s->grid[0] + x / of[0];
}

bool profile_comings_opened(struct profile_comings *s, const struct profile_lasts *lasts, uint32_t slot, uint32_t pc,
                            uint64_t first, uint64_t cycle, const struct watch_samples *did)
{
    uint32_t number = lasts->blocks[slot];
    struct profile_comings_block *block = &s->blocks[number];
    bool grid = s->code[pc] % CODES == CODE_GRID;
    add_samples(block->sums, did);
    block->opens = true;
    if (!grid)
        return false;
    block->number++;
    struct profile_coming *coming = next(s, lasts, number, pc, block->number, cycle, false);
    if (!coming)
        return true;
    coming->what = PROFILE_COMINGS_GRID;
    coming->first = first;
    coming->warp = lasts->names[slot];
    set_path(coming, block, NULL);
    return true;
}

/* A warp arrives at the barrier of its cluster: the last one of its block until now. What it did before is over. */
static void arrive(struct profile_comings *s, const struct profile_lasts *lasts, struct watch_stays *stays,
                   const struct lockstep_issue_event *e)
{
    struct profile_comings_block *block = &s->blocks[e->block];
    if (++s->numbers[e->warp] > block->number) {
        block->number = s->numbers[e->warp];
        struct profile_coming *begun = next(s, lasts, e->block, e->pc, block->number, e->cycle, false);
        block->log = begun ? s->count : 0;
        add_samples(block->sums, &block->late);
        if (begun)
            begun->what = PROFILE_COMINGS_CLUSTER | cluster_of(s, begun->block, &begun->rank);
    }
    if (block->log) {
        struct profile_coming *coming = &s->of[block->log - 1];
        coming->cycle = e->cycle;
        coming->warp = lasts->names[e->warp];
        set_path(coming, block, &stays->samples[e->warp]);
    }
    block->late = stays->samples[e->warp];
    watch_stays_follow(stays, e->warp, e->cycle + 1);
}

void profile_comings_issue(struct profile_comings *s, const struct profile_lasts *lasts, struct watch_stays *stays,
                           const struct lockstep_issue_event *e)
{
    const struct profile_comings_block *block = &s->blocks[e->block];
    if (s->code[e->pc] % CODES == CODE_ARRIVES)
        arrive(s, lasts, stays, e);
    else if (s->code[e->pc] % CODES == CODE_WAITS && block->log)
        s->of[block->log - 1].pc = e->pc;
}

/* Warps that meet at no barrier are followed from one such write to the next: looks become seldom with time. */
void profile_comings_write(struct profile_comings *s, const struct profile_lasts *lasts, struct watch_stays *stays,
                           const struct lockstep_access_event *e, bool plain)
{
    struct profile_comings_block *block = &s->blocks[e->block];
    struct profile_coming *coming = next(s, lasts, e->block, e->pc, 0, e->cycle, plain);
    if (!coming)
        return;
    coming->what = profile_written(e->address[mask_first(e->mask)], e->space);
    coming->warp = lasts->names[e->warp];
    set_path(coming, block, &stays->samples[e->warp]);
    if (block->opens)
        return;
    add_samples(block->sums, &stays->samples[e->warp]);
    watch_stays_follow(stays, e->warp, e->cycle + 1);
}
