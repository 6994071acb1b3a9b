/* Instructions that lanes execute together, under a way to diverge that makes them wait for each other: which lanes
 * have to be there, and what becomes of a warp none of whose lanes can go on.
 *
 * An exchange (vote, shfl, match, redux, elect) and a reducing barrier of the block are executed by all of them as one
 * instruction. At bar.warp.sync and bar.sync lanes meet that come to different ones: of one member mask, or of one
 * number. A warp comes to a barrier of its block when all its lanes have that have not ended. */
#include <stdio.h>

#include "base/bits.h"
#include "simt/execute.h"

static enum simt_event fault_nobody(struct simt_result *r, uint64_t named)
{
    struct strbuf text = {0};
    simt_add_lanes(&text, r->mask);
    strbuf_add(&text, " of the warp would wait here for ever for ");
    simt_add_lanes(&text, named & ~r->mask);
    strbuf_add(&text, ": all its other lanes wait for lanes elsewhere");
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_UNSYNCED, .lane = (uint8_t)mask_first(r->mask)};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return SIMT_FAULTED;
}

/* Lanes whose guard is false go on; of the others, those of `lanes` wait for the named ones that are not there. */
static enum simt_event gather(struct simt_warp *warp, struct simt_result *r, uint64_t lanes, enum simt_gathering how,
                              uint32_t key, uint64_t named)
{
    struct simt_paths *paths = &warp->paths;
    if (r->mask != r->active)
        simt_advance_some(paths, r->active & ~r->mask, r->pc + 1);
    enum simt_gathered gathered = paths->way->gather(paths, lanes, how, key, named);
    if (gathered == SIMT_GATHER_WAITS) {
        r->mask = 0;
        return SIMT_JUMP;
    }
    r->active = r->mask = paths->now->mask; /* lanes that had waited have a true guard, too */
    return gathered == SIMT_GATHERED ? SIMT_PLAIN : fault_nobody(r, named);
}

/* The key is the member mask. */
enum simt_event simt_gather_warp(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                 struct simt_result *r)
{
    uint64_t lanes, named = simt_lacking_lanes(warp, op, cycle, r, &lanes);
    if (!named)
        return SIMT_PLAIN;
    bool barrier = r->instr->mods.barrier == ISA_BARRIER_WARP;
    return gather(warp, r, lanes, barrier ? SIMT_GATHER_WARP : SIMT_GATHER_ONE, (uint32_t)named, named & warp->live);
}

/* The key is the barrier's number and whether the lanes wait for the block: those that do and those that do not, do not
 * meet. */
enum simt_event simt_gather_block(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                  struct simt_result *r)
{
    if (r->mask == warp->live)
        return SIMT_PLAIN;
    uint64_t scratch[SIMT_MAX_WIDTH];
    const struct simt_frame *frame = &warp->paths.now->frame;
    const uint32_t *id = op->src_count > 0 ? simt_source_row(warp, &op->src[0], frame, cycle, scratch) : NULL;
    uint32_t number = id ? id[mask_first(r->mask)] : 0;
    uint8_t mode = r->instr->mods.barrier;
    return gather(warp, r, r->mask, mode == ISA_BARRIER_RED ? SIMT_GATHER_ONE : SIMT_GATHER_BLOCK, number << 3 | mode,
                  warp->live);
}
