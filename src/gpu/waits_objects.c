/* Warps that wait for an mbarrier, or for their copies: which object, what its phase still lacks, and who might bring it. An
 * object is looked at as its waiter last named it, by the registers of the instruction with which it waits. */
#include <string.h>

#include "gpu/waits.h"
#include "simt/mbarrier.h"

#define MOST_OBJECTS 4 /* that one warp waits for */
#define MOST_PLACES 3  /* that expect bytes */
#define MOST_OTHERS 8  /* groups of warps that do not wait for it */

/* What some lanes of a warp wait for: a phase of an object of their block. */
struct wanted {
    uint64_t lanes, address, object;
    unsigned parity;
};

/* The instruction by which the warp waits, or NULL: it does not wait for an mbarrier, or has left the function. A warp that
 * sleeps behind a look in vain looks again, as libcu++'s barriers do with growing pauses. */
static const struct isa_instr *wait_of(const struct waits_warp *node)
{
    const struct sm_warp_state *s = &node->state;
    const struct isa_module *code = s->warp->block->grid->code->module;
    bool may = node->kind == WAITS_LOCK || node->kind == WAITS_SLEEP || (node->kind == WAITS_MBARRIER && !waits_for_copies(node));
    if (!may || s->last_sync_pc >= code->instr_count || !s->last_sync_shared)
        return NULL;
    const struct isa_instr *instr = &code->instrs[s->last_sync_pc];
    const struct isa_function *now = &code->functions[s->warp->paths.now->frame.function];
    return isa_looks_at_mbarrier(instr) && isa_function_at(code, s->last_sync_pc) == now ? instr : NULL;
}

/* A lane's phase and object. False: that is not plain, or the phase is over. */
static bool want(const struct sm_warp_state *s, const struct isa_instr *instr, unsigned lane, struct wanted *wanted)
{
    const struct simt_frame *frame = &s->warp->paths.now->frame;
    const struct simt_block *block = s->warp->block;
    bool by_state = instr->op == ISA_OP_MBARRIER_TEST || instr->op == ISA_OP_MBARRIER_TRY;
    uint64_t operand;
    if (instr->src_count < 2 || !waits_read_operand(s->warp, frame, &instr->src[0], lane, true, &wanted->address) ||
        !waits_read_operand(s->warp, frame, &instr->src[1], lane, false, &operand) ||
        wanted->address + sizeof wanted->object > block->shared_bytes)
        return false;
    memcpy(&wanted->object, block->shared + wanted->address, sizeof wanted->object);
    wanted->parity = by_state ? mbarrier_parity(operand) : (unsigned)(operand & 1);
    wanted->lanes = BIT64(lane);
    return !mbarrier_is_over(wanted->object, wanted->parity);
}

/* The phases that the warp's lanes wait for. Returns how many there are, of which the first MOST_OBJECTS are listed. */
static unsigned find_wanted(const struct waits_warp *node, struct wanted list[MOST_OBJECTS])
{
    const struct isa_instr *instr = wait_of(node);
    struct wanted one;
    unsigned n = 0;
    for (uint64_t rest = instr ? node->state.mask : 0; rest; rest &= rest - 1) {
        unsigned k = 0, listed = n < MOST_OBJECTS ? n : MOST_OBJECTS;
        if (!want(&node->state, instr, mask_first(rest), &one))
            continue;
        while (k < listed && (list[k].address != one.address || list[k].parity != one.parity))
            k++;
        if (k < listed)
            list[k].lanes |= one.lanes;
        else if (n++ < MOST_OBJECTS)
            list[k] = one;
    }
    return n;
}

bool waits_for_copies(const struct waits_warp *node)
{
    return node->state.waits >> WARP_WAIT_copies & 1;
}

bool waits_on_object(const struct waits_warp *node)
{
    struct wanted list[MOST_OBJECTS];
    return find_wanted(node, list) > 0;
}

static bool same_block(const struct waits_warp *a, const struct waits_warp *b)
{
    return memcmp(a->state.block, b->state.block, sizeof a->state.block) == 0;
}

bool waits_same_object(const struct waits_warp *a, const struct waits_warp *b)
{
    struct wanted one[MOST_OBJECTS], other[MOST_OBJECTS];
    unsigned n = find_wanted(a, one), m = find_wanted(b, other);
    if (n != m || (n && !same_block(a, b)))
        return false;
    for (unsigned i = 0; i < n && i < MOST_OBJECTS; i++)
        if (one[i].address != other[i].address || one[i].parity != other[i].parity || one[i].lanes != other[i].lanes)
            return false;
    return true;
}

/* True: the warp waits for the same phase. */
static bool waits_too(const struct waits_warp *node, const struct wanted *wanted)
{
    struct wanted list[MOST_OBJECTS];
    unsigned n = find_wanted(node, list);
    for (unsigned i = 0; i < n && i < MOST_OBJECTS; i++)
        if (list[i].address == wanted->address && list[i].parity == wanted->parity)
            return true;
    return false;
}

/* Where the warp's function expects bytes: ", expected at A", or "A or B"; nothing, where there are many such places. */
static void add_expecting(const struct waits_warp *node, struct strbuf *out)
{
    const struct simt_warp *warp = node->state.warp;
    const struct isa_module *code = warp->block->grid->code->module;
    const struct isa_function *function = &code->functions[warp->paths.now->frame.function];
    uint32_t found[MOST_PLACES], count = 0;
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        unsigned op = code->instrs[pc].op;
        bool expects = op == ISA_OP_MBARRIER_EXPECT_TX || op == ISA_OP_MBARRIER_ARRIVE_TX || op == ISA_OP_MBARRIER_DROP_TX;
        if (expects && count++ < MOST_PLACES)
            found[count - 1] = pc;
    }
    for (uint32_t i = 0; count <= MOST_PLACES && i < count; i++) {
        strbuf_add(out, i ? " or " : ", expected at ");
        waits_pos(code, found[i], out);
    }
}

/* Who expects the bytes that are missing, and who brings them. */
static void add_bytes(const struct waits *w, const struct waits_warp *node, const struct wanted *wanted,
                      struct strbuf *out)
{
    const struct simt_block *block = node->state.warp->block;
    uint64_t bytes = 0;
    if (mbarrier_tx(wanted->object) <= 0)
        return;
    add_expecting(node, out);
    for (unsigned i = 0; i < w->source.units && w->source.timed; i++)
        bytes += sm_bytes_for(w->gpu->sms[i], block, (uint32_t)wanted->address);
    if (bytes)
        strbuf_addf(out, "; copies under way are to bring %llu bytes", (unsigned long long)bytes);
    else
        strbuf_add(out, "; no copy under way brings them");
}

static void add_range(const uint32_t block[3], bool far, uint32_t first, uint32_t last, struct strbuf *out)
{
    if (far)
        strbuf_addf(out, "block (%u,%u,%u) ", block[0], block[1], block[2]);
    strbuf_addf(out, first == last ? "warp %u" : "warps %u-%u", first, last);
}

/* Threads of a cluster: lanes by rank of the block, and warp. */
struct threads {
    uint64_t lanes[LANE_CLUSTER_BLOCKS][WARP_SLOTS];
};

/* Those that have arrived in the object's phase, or (before) in the one before. */
static struct threads *arrived(const struct waits *w, const struct simt_block *block, uint64_t address, bool before)
{
    struct threads *threads = ARENA_NEW(w->arena, struct threads, 1);
    uint32_t ranks = block->grid->cluster_blocks > 1 ? block->grid->cluster_blocks : 1;
    for (uint32_t rank = 0; block->arrivals && rank < ranks; rank++)
        for (uint32_t warp = 0; warp < WARP_SLOTS; warp++)
            threads->lanes[rank][warp] = simt_arrivals_of(block->arrivals, (uint32_t)address, rank, warp, before);
    return threads;
}

static bool nobody(const struct threads *threads)
{
    for (unsigned rank = 0; rank < LANE_CLUSTER_BLOCKS; rank++)
        for (unsigned warp = 0; warp < WARP_SLOTS; warp++)
            if (threads->lanes[rank][warp])
                return false;
    return true;
}

/* The lanes that a warp of the grid began with. */
static uint64_t lanes_of_warp(const struct simt_grid *grid, unsigned warp)
{
    unsigned threads = grid->block[0] * grid->block[1] * grid->block[2], width = grid->code->width;
    unsigned first = warp * width, left = threads > first ? threads - first : 0;
    return mask_low(left < width ? left : width);
}

/* Those warps of a block of that rank; whole ones side by side at one go. Returns how many groups were told of in all.
 */
static unsigned add_warps(const struct simt_block *block, const struct threads *threads, uint32_t rank, unsigned groups,
                          struct strbuf *out)
{
    uint32_t index[3];
    simt_block_of_rank(block, rank, index);
    for (unsigned warp = 0, last; warp < WARP_SLOTS; warp = last + 1) {
        uint64_t lanes = threads->lanes[rank][warp];
        last = warp;
        if (!lanes || groups++ >= MOST_OTHERS)
            continue;
        bool whole = lanes == lanes_of_warp(block->grid, warp);
        while (whole && last + 1 < WARP_SLOTS && threads->lanes[rank][last + 1] &&
               threads->lanes[rank][last + 1] == lanes_of_warp(block->grid, last + 1))
            last++;
        strbuf_add(out, groups == 1 ? "" : ", ");
        add_range(index, rank != block->rank, warp, last, out);
        if (!whole) {
            strbuf_add(out, " ");
            waits_add_lanes(lanes, out);
        }
    }
    return groups;
}

static void add_threads(const struct simt_block *block, const struct threads *threads, struct strbuf *out)
{
    unsigned groups = 0;
    for (uint32_t rank = 0; rank < LANE_CLUSTER_BLOCKS; rank++)
        if (rank < block->grid->cluster_blocks || !rank)
            groups = add_warps(block, threads, rank, groups, out);
    if (groups > MOST_OTHERS)
        strbuf_addf(out, " and %u more", groups - MOST_OTHERS);
}

/* Takes those that have arrived off the others: threads that arrived in the phase before, where there was one; else all
 * of the block. */
static void keep_absent(const struct simt_block *block, const struct threads *now, struct threads *others, bool first)
{
    for (unsigned warp = 0; first && warp < WARP_SLOTS; warp++)
        others->lanes[block->rank][warp] = lanes_of_warp(block->grid, warp);
    for (unsigned rank = 0; rank < LANE_CLUSTER_BLOCKS; rank++)
        for (unsigned warp = 0; warp < WARP_SLOTS; warp++)
            others->lanes[rank][warp] &= ~now->lanes[rank][warp];
}

/* Where threads of other blocks of the cluster have arrived, the blocks of which nobody has: ", nobody of block (2,0,0)". */
static void add_absent_blocks(const struct simt_block *block, const struct threads *now, struct strbuf *out)
{
    uint32_t came = 0, ranks = block->grid->cluster_blocks > 1 ? block->grid->cluster_blocks : 1;
    const char *before = ", nobody of block ";
    for (unsigned rank = 0; rank < ranks; rank++)
        for (unsigned warp = 0; warp < WARP_SLOTS; warp++)
            came |= now->lanes[rank][warp] ? 1u << rank : 0;
    for (unsigned rank = 0; rank < ranks && came & ~(1u << block->rank); rank++) {
        uint32_t index[3];
        if (came >> rank & 1)
            continue;
        simt_block_of_rank(block, rank, index);
        strbuf_addf(out, "%s(%u,%u,%u)", before, index[0], index[1], index[2]);
        before = ", ";
    }
}

/* Which threads have arrived in the phase, and which have not. Those are not known that are to: it is likely to be
 * those that arrived in the phase before. */
static void add_arrived(const struct waits *w, const struct simt_block *block, const struct wanted *wanted,
                        struct strbuf *out)
{
    struct threads *now = arrived(w, block, wanted->address, false), *others = arrived(w, block, wanted->address, true);
    bool first = nobody(others);
    if (!mbarrier_initialised(wanted->object) || !block->arrivals)
        return;
    keep_absent(block, now, others, first);
    if (!nobody(now)) {
        strbuf_add(out, "\n    arrived in this phase: ");
        add_threads(block, now, out);
        if (first && mbarrier_pending(wanted->object))
            add_absent_blocks(block, now, out);
    }
    if (mbarrier_pending(wanted->object) && !nobody(others)) {
        strbuf_add(out, nobody(now) ? "\n    not arrived" : "; not");
        strbuf_add(out, first ? ", of its block: " : ", of those that arrived in the phase before: ");
        add_threads(block, others, out);
    }
    if (block->arrivals->full)
        strbuf_add(out, " (more arrivals than are noted)");
}

/* What the phase lacks. */
static void add_wanted(const struct waits *w, const struct waits_warp *node, const struct wanted *wanted,
                       struct strbuf *out)
{
    uint64_t object = wanted->object;
    bool named = gpu_add_shared_place(node->state.warp->block->grid, wanted->address, out);
    strbuf_addf(out, "%sshared address 0x%llx: ", named ? ", " : "", (unsigned long long)wanted->address);
    mbarrier_describe(object, out);
    if (!mbarrier_initialised(object))
        return;
    add_bytes(w, node, wanted, out);
    if (mbarrier_pending(object) == mbarrier_expected(object) && !mbarrier_tx(object))
        strbuf_addf(out, "; nobody has arrived since the phase began, and a wait for parity %u would go on",
                    1 - wanted->parity);
}

/* Warps of the block, or of others of its cluster, that do not wait for the phase and are told of at one go. */
struct group {
    const struct waits_warp *first;
    uint32_t last; /* its number in the block */
};

/* Where its lanes are, as the report says it of each: those that try again and again stand at different instructions of
 * their loops. */
static enum waits_kind kind_of(const struct waits_warp *node)
{
    return waits_on_object(node) ? WAITS_MBARRIER : node->kind;
}

static uint32_t place_of(const struct waits_warp *node)
{
    return node->kind == WAITS_LOCK || waits_on_object(node) ? node->state.last_sync_pc : node->state.pc;
}

static bool joins(const struct group *group, const struct waits_warp *node)
{
    const struct waits_warp *first = group->first;
    return first && same_block(first, node) && node->state.index == group->last + 1 && kind_of(first) == kind_of(node) &&
           place_of(first) == place_of(node) && first->state.barrier == node->state.barrier;
}

static void add_group(const struct group *group, const struct waits_warp *node, struct strbuf *out)
{
    const struct sm_warp_state *s = &group->first->state;
    add_range(s->block, !same_block(group->first, node), s->index, group->last, out);
    if (group->first->kind == WAITS_BARRIER) {
        strbuf_add(out, " (at ");
        waits_add_barrier(s, out);
        strbuf_add(out, ", before ");
    } else {
        strbuf_addf(out, " (%s, at ", waits_words(kind_of(group->first))->label);
    }
    waits_pos(s->warp->block->grid->code->module, place_of(group->first), out);
    strbuf_add(out, ")");
}

/* Groups of warps that have not ended. Returns how many. */
static unsigned add_standing(const struct waits *w, const struct waits_warp *node, const struct wanted *wanted,
                             struct strbuf *out)
{
    struct group group = {0};
    unsigned groups = 0;
    for (uint32_t i = 0; i <= w->warp_count; i++) {
        const struct waits_warp *other = i < w->warp_count ? &w->warps[i] : NULL;
        if (other && (!waits_in_cluster(&node->state, &other->state) ||
                      (same_block(other, node) && waits_too(other, wanted))))
            continue;
        if (other && joins(&group, other)) {
            group.last = other->state.index;
            continue;
        }
        if (group.first && groups++ < MOST_OTHERS) {
            strbuf_add(out, groups == 1 ? "\n    others that may arrive: " : ", ");
            add_group(&group, node, out);
        }
        group = (struct group){other, other ? other->state.index : 0};
    }
    if (groups > MOST_OTHERS)
        strbuf_addf(out, ", and more");
    return groups;
}

/* Warps of the block that have ended, as a set. */
static uint64_t ended_of(const struct waits *w, const struct waits_warp *node)
{
    const struct simt_grid *grid = node->state.warp->block->grid;
    unsigned threads = grid->block[0] * grid->block[1] * grid->block[2], width = grid->code->width;
    uint64_t ended = mask_low((threads + width - 1) / width);
    for (uint32_t i = 0; i < w->warp_count; i++)
        if (same_block(&w->warps[i], node))
            ended &= ~BIT64(w->warps[i].state.index);
    return ended;
}

static void add_others(const struct waits *w, const struct waits_warp *node, const struct wanted *wanted,
                       struct strbuf *out)
{
    unsigned groups = add_standing(w, node, wanted, out);
    uint64_t ended = ended_of(w, node);
    if (!groups && !ended)
        strbuf_add(out, "; every warp of its block waits for it");
    const char *before = groups ? "; ended: " : "\n    warps of its block that have ended: ";
    while (ended) {
        unsigned first = mask_first(ended), last = first;
        while (last < 63 && mask_has(ended, last + 1))
            last++;
        strbuf_add(out, before);
        add_range(NULL, false, first, last, out);
        ended &= last == 63 ? 0 : ~UINT64_C(0) << (last + 1);
        before = ", ";
    }
}

void waits_add_objects(const struct waits *w, const struct waits_warp *node, struct strbuf *out)
{
    struct wanted list[MOST_OBJECTS];
    unsigned n = find_wanted(node, list);
    for (unsigned i = 0; i < n && i < MOST_OBJECTS; i++) {
        strbuf_add(out, "\n    ");
        if (n > 1) {
            waits_add_lanes(list[i].lanes, out);
            strbuf_add(out, " on ");
        }
        add_wanted(w, node, &list[i], out);
        add_others(w, node, &list[i], out);
        add_arrived(w, node->state.warp->block, &list[i], out);
    }
    if (n > MOST_OBJECTS)
        strbuf_addf(out, "\n    and %u lanes on more objects", n - MOST_OBJECTS);
}
