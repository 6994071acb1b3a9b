/* A warp comes to a barrier of its block. It arrives as a whole, when all its lanes have come that have not ended; how
 * lanes that come apart are brought together is for the divergence model.
 *
 * PTX ISA, "bar, barrier": a thread waits for all non-exited threads of its warp, and marks the warp's arrival; for
 * targets below sm_70 the threads of a warp execute the barrier in convergence, and an instruction of some of them
 * counts as one of the warp (CUDA C++ Programming Guide, "Independent Thread Scheduling"). So under the reconvergence
 * stack the program's target says which: of sm_70 and later, lanes that have come wait, and the stack goes on with the
 * others, as long as these do not wait for them. Of older targets, the warp arrives with any of its lanes, and again
 * with the next ones; the manual leaves that undefined, and it is noted. Other models count threads for every target.
 *
 * Each half of a warp of 64 lanes is a warp of its own to the program. At a barrier of all threads of the block the two
 * arrive together: a half lets the other one go first, also where that stands at a barrier that counts threads. At one
 * that counts threads a half *passes alone* if that cannot keep the other waiting: it does not wait there, or the
 * barrier is full with it. Otherwise it first lets the other half go on, which may have to come there too, since a warp
 * that waits at a barrier executes nothing until that opens. */
#include <stdio.h>

#include "base/hot.h"
#include "simt/exchange.h"

/* Lanes that wait where an instruction ends them do not come to a barrier: on a GPU they have exited before. */
static uint64_t still_to_come(const struct simt_warp *warp, uint64_t lanes)
{
    const struct isa_module *module = warp->code->module;
    uint64_t found = 0;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        if (!(walk.lanes & lanes))
            continue;
        const struct isa_instr *next = &module->instrs[walk.path->pc];
        bool ends = next->op == ISA_OP_EXIT ||
                    (next->op == ISA_OP_RET && module->functions[walk.path->frame.function].is_kernel);
        found |= ends && !next->guarded ? 0 : walk.lanes & lanes;
    }
    return found;
}

/* The first of the missing lanes, and where they wait. */
static void add_missing(const struct simt_warp *warp, uint64_t missing, struct strbuf *out)
{
    const struct isa_module *module = warp->code->module;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        if (!mask_has(walk.lanes, mask_first(missing)))
            continue;
        const struct isa_instr *at = &module->instrs[walk.path->pc];
        uint32_t flags = isa_op_info((enum isa_op)at->op)->flags;
        simt_add_lanes(out, walk.lanes & missing);
        strbuf_add(out, flags & ISA_FLAG_BARRIER ? ", which wait for them at another barrier, "
                        : flags & ISA_FLAG_TAKE  ? ", which ask for a lock when these have given theirs back, "
                                                 : ", which wait for them where branches meet, ");
        isa_format_pos(module, at, out);
        return;
    }
}

/* Nobody of the warp can go on: the missing lanes wait for those that have come. */
static enum simt_event fault_apart(const struct simt_warp *warp, struct simt_result *r, uint64_t missing)
{
    struct strbuf text = {0};
    strbuf_add(&text, "the reconvergence stack cannot bring a warp's lanes to this barrier: ");
    simt_add_lanes(&text, r->mask);
    strbuf_add(&text, " would wait here for ever for ");
    add_missing(warp, missing, &text);
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_UNSYNCED, .lane = (uint8_t)mask_first(r->mask)};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return SIMT_FAULTED;
}

/* The key of lanes that wait at a barrier: they meet those that wait at one of the same number, form and reduction, and
 * of their own half if that passes alone. */
static uint32_t key_of(const struct isa_instr *instr, uint32_t number, uint64_t alone)
{
    uint32_t half = !alone ? 0 : alone & simt_half(0) ? 1 : 2;
    return ((half << 8 | number) << 3 | instr->mods.barrier) << 3 | instr->mods.reduce;
}

/* Of the halves in which lanes are, the others that are still to come. */
static uint64_t lacking(const struct simt_warp *warp, uint64_t lanes)
{
    return still_to_come(warp, warp->live & simt_halves(lanes) & ~lanes);
}

/* Under the stack, where all of `named` have to come. PLAIN: the warp arrives, with the lanes of *arrived; JUMP:
 * r->mask waits, others have the turn. */
static enum simt_event come_apart(struct simt_warp *warp, uint32_t key, uint64_t named, enum simt_halves_rule rule,
                                  struct simt_result *r, uint64_t *arrived)
{
    struct simt_paths *paths = &warp->paths;
    uint64_t missing = still_to_come(warp, named & ~r->mask), of_half = lacking(warp, r->mask);
    if (!simt_meets_anywhere(warp->code->module) && (of_half || !missing)) {
        if (of_half)
            r->unsynced = (struct simt_unsynced){.kind = SIMT_UNSYNCED_BARRIER, .lanes = r->mask, .others = of_half};
        return of_half && warp->block->grid->check_sync ? simt_fault_unsynced(r) : SIMT_PLAIN;
    }
    enum simt_gathered gathered = paths->model->await(paths, r->mask, r->pc + 1, key, missing, arrived);
    if (gathered == SIMT_GATHER_NOBODY && rule && !lacking(warp, *arrived)) {
        if (rule == SIMT_GIVE_WAY)
            paths->model->look_again(paths);
        gathered = paths->model->await(paths, r->mask, r->pc + 1, key, rule == SIMT_GIVE_WAY ? missing : 0, arrived);
    }
    switch (gathered) {
    case SIMT_GATHER_WAITS:
        r->mask = 0;
        return SIMT_JUMP;
    case SIMT_GATHER_NOBODY:
        return fault_apart(warp, r, missing & ~*arrived);
    default:
        r->active = r->mask = paths->now->mask; /* lanes that had waited at this instruction have a true guard, too */
        return SIMT_PLAIN;
    }
}

/* The lanes of `arrived` whose predicate is true, of a reducing barrier. Those that do not have the turn stand behind
 * theirs already. */
static uint64_t predicates(const struct simt_warp *warp, const struct simt_op *op, uint64_t arrived)
{
    const struct simt_path *now = warp->paths.now;
    if (!op->pred_src_count)
        return 0;
    uint64_t value = simt_source_pred(warp, &op->pred_src[0], &now->frame) & now->mask;
    uint64_t rest = arrived & ~now->mask;
    for (struct simt_walk walk = simt_walk(&warp->paths); rest && simt_walk_next(&walk);) {
        uint64_t lanes = walk.lanes & rest;
        if (lanes)
            value |= simt_source_pred(warp, &warp->code->ops[walk.path->pc - 1].pred_src[0], &walk.path->frame) & lanes;
        rest &= ~lanes;
    }
    return value & arrived;
}

/* A half that passes the barrier alone: that of `lanes`, when they are of one half; else 0. */
static uint64_t alone_at(const struct simt_warp *warp, const struct isa_instr *instr, uint32_t threads, uint64_t lanes)
{
    if (warp->code->width <= ISA_WARP_SZ || !threads)
        return 0;
    uint64_t halves = simt_halves(lanes);
    bool passes = instr->mods.barrier == ISA_BARRIER_ARRIVE || threads <= ISA_WARP_SZ;
    bool one = halves == simt_half(0) || halves == simt_half(ISA_WARP_SZ);
    return passes && one ? halves : 0;
}

static uint32_t operand_in(const struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame,
                           unsigned i, unsigned lane, uint64_t cycle)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint32_t *row = i < op->src_count ? simt_source_row(warp, &op->src[i], frame, cycle, scratch) : NULL;
    return row ? row[lane] : 0;
}

static uint32_t operand_of(const struct simt_warp *warp, const struct simt_op *op, unsigned i, unsigned lane,
                           uint64_t cycle)
{
    return operand_in(warp, op, &warp->paths.now->frame, i, lane, cycle);
}

/* The barrier opens when the halves in which lanes are arrive. */
static bool opens(const struct simt_warp *warp, uint32_t number, uint32_t threads, uint64_t lanes)
{
    const struct simt_block *block = warp->block;
    uint32_t (*arrived)(const void *, uint32_t) = block->grid->services ? block->grid->services->arrived : NULL;
    return arrived && number < block->grid->barriers &&
           arrived(block->barriers, number) + mask_count(simt_halves(lanes)) >= threads;
}

/* The half without `lanes` stands at a barrier that counts threads, all of it, if at several instructions. If
 * `opening`, one that opens when the half arrives. */
static bool other_half_counts(const struct simt_warp *warp, uint64_t lanes, bool opening, uint64_t cycle)
{
    uint64_t others = warp->live & ~simt_halves(lanes), there = 0;
    uint32_t number = 0, threads = 0;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        const struct simt_op *op = &warp->code->ops[walk.path->pc];
        uint64_t these = walk.lanes & others;
        if (!these || op->kind != SIMT_KIND_BARRIER)
            continue;
        uint32_t its_number = operand_in(warp, op, &walk.path->frame, 0, mask_first(these), cycle);
        uint32_t its_threads = operand_in(warp, op, &walk.path->frame, 1, mask_first(these), cycle);
        if (there && (its_number != number || its_threads != threads))
            return false;
        number = its_number;
        threads = its_threads;
        there |= these;
    }
    return there && there == others && threads && (!opening || opens(warp, number, threads, others));
}

static enum simt_halves_rule halves_rule(const struct simt_warp *warp, uint32_t number, uint32_t threads,
                                         uint64_t lanes, uint64_t cycle)
{
    if (warp->code->width <= ISA_WARP_SZ)
        return SIMT_COME_WHOLE;
    if (!threads)
        return other_half_counts(warp, lanes, false, cycle) ? SIMT_GIVE_WAY : SIMT_COME_WHOLE;
    bool gives_way = !opens(warp, number, threads, lanes) && other_half_counts(warp, lanes, true, cycle);
    return gives_way ? SIMT_GIVE_WAY : SIMT_COME_BY_HALVES;
}

/* Lanes of both halves come to an instruction, but not to one barrier: it has different numbers or counts for them, or
 * each half passes alone and one of them may not be there as a whole. */
static bool halves_part(const struct simt_warp *warp, const struct simt_op *op, const struct isa_instr *instr,
                        uint64_t mask, uint64_t cycle)
{
    uint64_t high = mask & simt_half(ISA_WARP_SZ);
    if (!high || high == mask)
        return false;
    unsigned one = mask_first(mask), other = mask_first(high);
    uint32_t threads = operand_of(warp, op, 1, one, cycle);
    return operand_of(warp, op, 0, one, cycle) != operand_of(warp, op, 0, other, cycle) ||
           threads != operand_of(warp, op, 1, other, cycle) ||
           (mask != warp->live && alone_at(warp, instr, threads, high));
}

/* Lanes of a half of which others have come will not come, as --check sync wants to know. For targets below sm_70 none of
 * them are waited for, which is told in another way. */
NOT_INLINE bool is_skipped(const struct simt_warp *warp, struct simt_result *r)
{
    uint64_t missing = warp->live & simt_halves(r->mask) & ~r->mask;
    uint64_t others = simt_meets_anywhere(warp->code->module) ? simt_skipping(warp, missing, r->pc) : 0;
    r->unsynced = (struct simt_unsynced){
        .kind = others ? SIMT_UNSYNCED_SKIPPED : SIMT_UNSYNCED_NOT, .lanes = r->mask, .others = others};
    return others != 0;
}

/* The number of a cluster's barrier among those that lanes meet at; no block has one of it. */
#define CLUSTER_KEY 0x80u

HOT enum simt_event simt_arrive(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r)
{
    const struct simt_divergence *model = warp->paths.model;
    unsigned first = mask_first(r->mask);
    uint32_t number = operand_of(warp, op, 0, first, cycle), threads = operand_of(warp, op, 1, first, cycle);
    uint64_t arrived = r->mask;
    enum simt_event event = SIMT_PLAIN;
    r->unsynced.kind = SIMT_UNSYNCED_NOT;
    if (warp->code->width > ISA_WARP_SZ && halves_part(warp, op, r->instr, r->mask, cycle)) {
        uint64_t half = r->mask & simt_half(ISA_WARP_SZ);
        if (model->split)
            model->split(&warp->paths, half);
        else
            model->part(&warp->paths, half, r->pc);
        r->mask = 0;
        return SIMT_JUMP;
    }
    if (number >= warp->block->grid->barriers || threads % ISA_WARP_SZ) {
        r->fault = (struct simt_fault){
            .kind = SIMT_FAULT_BARRIER,
            .lane = (uint8_t)first,
            .address = number >= warp->block->grid->barriers ? number : threads,
        };
        return SIMT_FAULTED;
    }
    uint64_t alone = alone_at(warp, r->instr, threads, r->mask), named = warp->live & (alone ? alone : ~UINT64_C(0));
    if (RARELY(r->mask != named || warp->paths.now->key)) {
        if (warp->block->grid->check_sync && is_skipped(warp, r))
            return simt_fault_unsynced(r);
        uint32_t key = key_of(r->instr, RARELY(isa_is_cluster_barrier(r->instr)) ? CLUSTER_KEY : number, alone);
        enum simt_halves_rule rule = halves_rule(warp, number, threads, r->mask, cycle);
        event = model->gather ? simt_gather_block(warp, key, named, rule, cycle, r, &arrived)
                              : come_apart(warp, key, named, rule, r, &arrived);
    }
    if (event != SIMT_PLAIN)
        return event;
    r->barrier = (struct simt_barrier){
        .id = number,
        .threads = threads,
        .mode = r->instr->mods.barrier ? r->instr->mods.barrier : ISA_BARRIER_SYNC,
        .cluster = isa_is_cluster_barrier(r->instr),
        .reduce = r->instr->mods.reduce,
        .arrived = arrived,
        .pred = predicates(warp, op, arrived),
    };
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_BARRIER;
}

void simt_barrier_result(struct simt_warp *warp, const struct simt_barrier *barrier, uint64_t value)
{
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        uint64_t lanes = walk.lanes & barrier->arrived;
        if (!lanes)
            continue;
        const struct simt_op *op = &warp->code->ops[walk.path->pc - 1];
        const struct simt_frame *frame = &walk.path->frame;
        if (op->pred_dst_count)
            simt_write_pred(warp, &op->pred_dst[0], frame, lanes, value ? ~UINT64_C(0) : 0);
        if (!op->dst_count || op->dst[0].place != SIMT_PLACE_ROW)
            continue;
        uint32_t *row = simt_row(warp, frame->reg_base, op->dst[0].row);
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            row[mask_first(rest)] = (uint32_t)value;
    }
}
