/* Warp-wide instructions of one warp: the operands of all lanes that execute theirs together to warp_ops.h, and their
 * results back to where each one's instruction puts them. */
#include "simt/exchange.h"

#include <string.h>

#include "simt/warp_ops.h"

/* ---- members ---- */

uint64_t simt_of_one_mask(const struct simt_members *m, uint64_t lanes)
{
    lanes &= simt_half(mask_first(lanes));
    if (!m->row || m->same)
        return lanes;
    uint32_t mask = m->row[mask_first(lanes)];
    uint64_t same = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (m->row[mask_first(rest)] == mask)
            same |= BIT64(mask_first(rest));
    return same;
}

/* Which source operand holds the member masks, of those that are no predicates. */
static unsigned mask_operand(enum isa_op op)
{
    switch (op) {
    case ISA_OP_SHFL:
        return 3;
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
        return 1;
    default:
        return 0; /* vote, elect, bar.warp.sync */
    }
}

static struct simt_members members_in(const uint32_t *row, bool fixed, uint64_t mask, unsigned width)
{
    struct simt_members m = {.row = row, .same = true};
    if (!row || fixed)
        return m;
    uint32_t first = row[mask_first(mask)], differences = 0;
    for (unsigned lane = 0; lane < width; lane++)
        differences |= row[lane] ^ first;
    for (uint64_t rest = differences ? mask : 0; rest && m.same; rest &= rest - 1) /* perhaps only in other lanes */
        m.same = row[mask_first(rest)] == first;
    return m;
}

struct simt_members simt_members_of(const struct simt_warp *warp, const struct simt_op *op,
                                    const struct simt_frame *frame, uint64_t mask, uint64_t cycle, uint64_t *scratch)
{
    unsigned index = mask_operand((enum isa_op)warp->code->module->instrs[op - warp->code->ops].op);
    if (index >= op->src_count)
        return (struct simt_members){.same = true};
    const uint32_t *row = simt_source_row(warp, &op->src[index], frame, cycle, scratch);
    return members_in(row, op->src[index].place == SIMT_PLACE_FIXED, mask, warp->code->width);
}

/* ---- operands ---- */

/* The values that other lanes have for a source. */
static void merge_source(struct simt_exchange *x, unsigned i, unsigned width, bool wide, const void *row,
                         uint64_t lanes)
{
    if (x->src[i] != x->scratch[i]) /* the registers themselves */
        x->src[i] = memcpy(x->scratch[i], x->src[i], (wide ? 8 : 4) * width);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        if (wide)
            x->scratch[i][lane] = ((const uint64_t *)row)[lane];
        else
            ((uint32_t *)x->scratch[i])[lane] = ((const uint32_t *)row)[lane];
    }
}

/* Lanes that stand at another instruction, which has as many sources. */
static void merge_path(const struct simt_warp *warp, const struct simt_path *path, uint64_t cycle,
                       struct simt_exchange *x)
{
    const struct simt_op *op = &warp->code->ops[path->pc];
    uint64_t scratch[SIMT_MAX_WIDTH];
    for (unsigned i = 0; i < op->src_count && i < 4; i++)
        if (x->src[i])
            merge_source(x, i, warp->code->width, op->src[i].wide,
                         simt_source_row(warp, &op->src[i], &path->frame, cycle, scratch), path->mask);
    if (op->pred_src_count)
        x->pred = (x->pred & ~path->mask) | (simt_source_pred(warp, &op->pred_src[0], &path->frame) & path->mask);
    x->lanes |= path->mask;
}

static void read_operands(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                          const struct simt_result *r, const struct simt_met *met, struct simt_exchange *x)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    unsigned mask_at = mask_operand((enum isa_op)r->instr->op);
    bool fixed = mask_at < op->src_count && op->src[mask_at].place == SIMT_PLACE_FIXED;
    x->instr = r->instr;
    x->lanes = r->mask;
    x->wide = op->src_count && op->src[0].wide;
    for (unsigned i = 0; i < 4; i++)
        x->src[i] = i < op->src_count ? simt_source_row(warp, &op->src[i], frame, cycle, x->scratch[i]) : NULL;
    x->pred = op->pred_src_count ? simt_source_pred(warp, &op->pred_src[0], frame) : 0;
    for (unsigned i = 0; i < met->count; i++)
        merge_path(warp, &met->at[i], cycle, x);
    x->members = members_in(x->src[mask_at], fixed && !met->count, x->lanes, warp->code->width);
}

/* ---- results ---- */

struct outcome {
    uint32_t value[SIMT_MAX_WIDTH];
    uint64_t pred;
};

static void write_outcome(struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame,
                          uint64_t lanes, const struct outcome *out)
{
    if (op->pred_dst_count)
        simt_write_pred(warp, &op->pred_dst[0], frame, lanes, out->pred);
    if (!op->dst_count || op->dst[0].place != SIMT_PLACE_ROW)
        return;
    uint32_t *row = simt_row(warp, frame->reg_base, op->dst[0].row);
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        row[mask_first(rest)] = out->value[mask_first(rest)];
}

static void give_all(struct outcome *out, uint64_t lanes, uint32_t value)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        out->value[mask_first(rest)] = value;
}

/* ---- the instructions: each computed by each group of lanes of one half that gave one mask ---- */

/* The lanes whose values count for a group. Where a mask names none of those that gave it, the manual leaves the result
 * undefined, and programs made for GPUs count on the lanes that it names and that execute the instruction with them,
 * whatever masks of their own these have: a prefix of a ballot, for instance, by a mask of all lower lanes. */
static uint64_t counted(const struct simt_exchange *x, uint64_t group, uint64_t members)
{
    return members & group ? group : x->lanes;
}

static void vote(const struct simt_exchange *x, uint64_t group, uint64_t members, struct outcome *out)
{
    uint64_t result = warp_vote(x->instr->mods.vote, x->pred, counted(x, group, members), members);
    out->pred |= result & group;
    give_all(out, group, (uint32_t)(result >> (mask_first(group) & ISA_WARP_SZ)));
}

static void match(const struct simt_exchange *x, uint64_t group, uint64_t members, struct outcome *out)
{
    if (x->instr->mods.vote == ISA_VOTE_ALL)
        out->pred |= warp_match_all(x->wide, out->value, x->src[0], group, members);
    else
        warp_match_any(x->wide, out->value, x->src[0], group, members);
}

/* The lowest of the lanes that take part. */
static void elect(uint64_t group, uint64_t members, struct outcome *out)
{
    unsigned leader = mask_first(members & group ? members & group : group);
    out->pred |= BIT64(leader);
    give_all(out, group, leader % ISA_WARP_SZ);
}

static void perform_group(const struct simt_exchange *x, uint64_t group, uint64_t members, struct outcome *out)
{
    switch (x->instr->op) {
    case ISA_OP_VOTE:
        vote(x, group, members, out);
        break;
    case ISA_OP_MATCH:
        match(x, group, members, out);
        break;
    case ISA_OP_REDUX:
        give_all(out, group,
                 warp_redux(x->instr->mods.reduce, x->instr->type, x->src[0], counted(x, group, members), members));
        break;
    case ISA_OP_ACTIVEMASK:
        give_all(out, group, (uint32_t)(group >> (mask_first(group) & ISA_WARP_SZ)));
        break;
    case ISA_OP_ELECT:
        elect(group, members, out);
        break;
    default:
        break; /* bar.warp.sync */
    }
}

static void perform(const struct simt_exchange *x, struct outcome *out, struct simt_unsynced *unsynced)
{
    out->pred = 0;
    if (x->instr->op == ISA_OP_SHFL) { /* reads any lane of the half, whatever mask that has */
        struct warp_absent absent = {0};
        out->pred = warp_shfl(x->instr->mods.shfl, out->value, x->src[0], x->src[1], x->src[2], x->lanes, &absent);
        simt_note_source(absent.readers, absent.sources, unsynced);
        return;
    }
    for (uint64_t rest = x->lanes, group; rest; rest &= ~group) {
        group = simt_of_one_mask(&x->members, rest);
        perform_group(x, group, simt_named_by(&x->members, mask_first(group)), out);
    }
}

static enum simt_event exchange(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                const struct simt_met *met, struct simt_result *r)
{
    struct simt_exchange x;
    struct outcome out;
    r->unsynced.kind = SIMT_UNSYNCED_NOT;
    read_operands(warp, op, cycle, r, met, &x);
    if (x.members.row)
        simt_compare_masks(warp, &x, &r->unsynced);
    perform(&x, &out, &r->unsynced);
    write_outcome(warp, op, &warp->paths.now->frame, r->mask, &out);
    for (unsigned i = 0; i < met->count; i++)
        write_outcome(warp, &warp->code->ops[met->at[i].pc], &met->at[i].frame, met->at[i].mask, &out);
    r->met = x.lanes & ~r->mask;
    if (!r->unsynced.kind)
        return r->met ? SIMT_MET : SIMT_PLAIN;
    return warp->block->grid->check_sync ? simt_fault_unsynced(r) : SIMT_UNSYNCED;
}

enum simt_event simt_warp_op(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r)
{
    struct simt_met met;
    met.count = 0;
    if (warp->paths.model->gather) {
        enum simt_event event = simt_gather_warp(warp, op, cycle, r, &met);
        if (event != SIMT_PLAIN)
            return event;
    }
    return exchange(warp, op, cycle, &met, r);
}
