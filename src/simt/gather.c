/* Instructions that lanes execute together, under a divergence model that makes them wait for each other: which lanes
 * have to be there, and what becomes of a warp none of whose lanes can go on.
 *
 * PTX ISA, "vote.sync" and its kin: lanes wait until all that their member mask names have executed an instruction of
 * the kind with the same qualifiers and mask, wherever it is; for targets below sm_70 they execute the same one. At
 * barriers of the block (arrive.c) lanes meet that come to different ones of one key. A warp comes to a barrier of its
 * block when all its lanes have that have not ended. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/exchange.h"
#include "simt/matrix.h"

/* ---- lanes that wait in vain ---- */

static bool names_lanes(const struct simt_op *op)
{
    return op->kind == SIMT_KIND_WARP;
}

/* "vote.sync.any.pred" of the instruction's text. */
static void add_opcode(struct strbuf *out, const struct simt_warp *warp, uint32_t pc)
{
    const struct isa_module *module = warp->code->module;
    struct strbuf text = {0};
    isa_disasm_instr(module, isa_function_at(module, pc), &module->instrs[pc], &text);
    const char *start = strbuf_text(&text);
    if (*start == '@')
        start += strcspn(start, " ") + 1;
    strbuf_addf(out, "%.*s", (int)strcspn(start, " ;"), start);
    strbuf_free(&text);
}

static uint32_t mask_in_lane(const struct simt_warp *warp, const struct simt_path *path, uint64_t lanes, uint64_t cycle)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    struct simt_members m = simt_members_of(warp, &warp->code->ops[path->pc], &path->frame, path->mask, cycle, scratch);
    return m.row ? m.row[mask_first(lanes)] : UINT32_MAX;
}

/* In what the instruction at which other lanes wait differs from that of the turn. */
static void add_difference(struct strbuf *out, const struct simt_warp *warp, const struct simt_path *other,
                           uint64_t lanes, uint64_t cycle, const struct simt_result *r)
{
    const struct simt_path *now = warp->paths.now;
    const struct simt_op *op = &warp->code->ops[r->pc], *theirs = &warp->code->ops[other->pc];
    strbuf_add(out, lanes & (lanes - 1) ? ", which wait at " : ", which waits at ");
    isa_format_pos(warp->code->module, &warp->code->module->instrs[other->pc], out);
    if (!names_lanes(op) || !names_lanes(theirs) || op->meets != theirs->meets) {
        strbuf_add(out, " at ");
        add_opcode(out, warp, other->pc);
        return;
    }
    uint32_t mask = mask_in_lane(warp, now, r->mask, cycle), their_mask = mask_in_lane(warp, other, lanes, cycle);
    if (mask != their_mask)
        strbuf_addf(out, " with mask 0x%08x, not 0x%08x", (unsigned)their_mask, (unsigned)mask);
    else if (other->pc != now->pc)
        strbuf_addf(out, ": lanes of target sm_%u meet at one instruction only",
                    (unsigned)warp->code->module->target_sm);
    else
        strbuf_add(out, " in another call");
}

/* No other lane of the warp can go on, so those that are missing all wait for lanes of it. */
static enum simt_event fault_nobody(const struct simt_warp *warp, uint64_t cycle, struct simt_result *r, uint64_t named,
                                    const struct simt_met *met)
{
    struct strbuf text = {0};
    uint64_t missing = named & ~r->mask;
    for (unsigned i = 0; i < met->count; i++)
        missing &= ~met->at[i].mask;
    simt_add_lanes(&text, r->mask);
    strbuf_add(&text, " of the warp would wait here for ever for ");
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        uint64_t lanes = walk.lanes & missing;
        if (!lanes || !mask_has(lanes, mask_first(missing)))
            continue;
        simt_add_lanes(&text, lanes);
        add_difference(&text, warp, walk.path, lanes, cycle, r);
        missing &= ~lanes;
        break;
    }
    if (missing) {
        strbuf_add(&text, ", and for ");
        simt_add_lanes(&text, missing);
    }
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_UNSYNCED, .lane = (uint8_t)mask_first(r->mask)};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return SIMT_FAULTED;
}

/* ---- meeting ---- */

/* Lanes whose guard is false go on; of the others, those of `lanes` wait for the named ones that are not there. */
static enum simt_gathered gather(struct simt_warp *warp, struct simt_result *r, uint64_t lanes,
                                 const struct simt_awaited *awaited, struct simt_met *met)
{
    struct simt_paths *paths = &warp->paths;
    if (r->mask != r->active)
        simt_advance_some(paths, r->active & ~r->mask, r->pc + 1);
    enum simt_gathered gathered = paths->model->gather(paths, lanes, awaited, met);
    if (gathered == SIMT_GATHER_WAITS)
        r->mask = 0;
    else
        r->active = r->mask = paths->now->mask; /* lanes that had waited have a true guard, too */
    return gathered;
}

static enum simt_event event_of(const struct simt_warp *warp, enum simt_gathered gathered, uint64_t cycle,
                                struct simt_result *r, const struct simt_awaited *awaited, const struct simt_met *met)
{
    if (gathered == SIMT_GATHER_NOBODY)
        return fault_nobody(warp, cycle, r, awaited->named, met);
    return gathered == SIMT_GATHERED ? SIMT_PLAIN : SIMT_JUMP;
}

/* The first lanes of r->mask with one member mask that names others, which have not ended and are not there, or there
 * with another mask: they came for another meeting, as lanes do that go round a loop once more than the rest. Where
 * a mask names none of the lanes that gave it, it is enough that those it names are there, whatever masks they gave.
 * Returns all that the mask names, ended or not; 0: there are no such lanes. */
static uint64_t lacking_lanes(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                              const struct simt_result *r, uint64_t *lanes)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    struct simt_members m = simt_members_of(warp, op, &warp->paths.now->frame, r->mask, cycle, scratch);
    for (uint64_t rest = m.row ? r->mask : 0; rest; rest &= ~*lanes) {
        *lanes = simt_of_one_mask(&m, rest);
        uint64_t named = simt_named_by(&m, mask_first(*lanes));
        uint64_t there = named & *lanes ? *lanes : r->mask;
        if (named & warp->live & ~there)
            return named;
    }
    return 0;
}

enum simt_event simt_gather_warp(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                 struct simt_result *r, struct simt_met *met)
{
    uint64_t lanes, named = lacking_lanes(warp, op, cycle, r, &lanes);
    if (!named)
        return SIMT_PLAIN;
    bool upper = mask_first(lanes) >= ISA_WARP_SZ;
    struct simt_awaited awaited = {
        .how = op->meets ? SIMT_GATHER_ANY : SIMT_GATHER_ONE,
        .what = (uint8_t)(op->meets | upper << 7),
        .key = (uint32_t)(upper ? named >> ISA_WARP_SZ : named),
        .named = named & warp->live,
    };
    return event_of(warp, gather(warp, r, lanes, &awaited, met), cycle, r, &awaited, met);
}

enum simt_event simt_gather_whole(struct simt_warp *warp, uint64_t cycle, struct simt_result *r)
{
    struct simt_met met;
    const struct simt_awaited awaited = {.how = SIMT_GATHER_ONE, .key = UINT32_MAX, .named = warp->live};
    if (r->mask == warp->live || !warp->paths.model->gather)
        return SIMT_PLAIN;
    return event_of(warp, gather(warp, r, r->mask, &awaited, &met), cycle, r, &awaited, &met);
}

/* The lanes that are at the barrier, here or where they met, are all of their halves. */
static bool halves_are_there(const struct simt_warp *warp, const struct simt_met *met, uint64_t *there)
{
    *there = warp->paths.now->mask;
    for (unsigned i = 0; i < met->count; i++)
        *there |= met->at[i].mask;
    return !(warp->live & simt_halves(*there) & ~*there);
}

enum simt_event simt_gather_block(struct simt_warp *warp, uint32_t key, uint64_t named, enum simt_halves_rule rule,
                                  uint64_t cycle, struct simt_result *r, uint64_t *arrived)
{
    struct simt_met met;
    struct simt_awaited awaited = {.how = SIMT_GATHER_BLOCK, .key = key, .named = named};
    *arrived = named;
    if (r->mask == named)
        return SIMT_PLAIN;
    enum simt_gathered gathered = gather(warp, r, r->mask, &awaited, &met);
    if (gathered == SIMT_GATHER_NOBODY && rule && halves_are_there(warp, &met, arrived)) {
        if (rule == SIMT_GIVE_WAY)
            warp->paths.model->look_again(&warp->paths);
        else
            awaited.named = *arrived;
        gathered = gather(warp, r, r->mask, &awaited, &met);
    }
    return event_of(warp, gathered, cycle, r, &awaited, &met);
}
