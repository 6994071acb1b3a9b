/* Memory instructions: addresses, state spaces, and whether they are legal. Accesses to shared and local memory and to
 * the parameters of functions are served at once (access.c), global, constant and kernel-parameter accesses are
 * described for the caller. PTX ISA, "State Spaces" and "Generic Addressing". */
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "simt/execute.h"
#include "simt/matrix.h"

/* The space of an address of .shared::cluster: SHARED, with the offset, where it lies in the executing block's own. An
 * address of a block that the cluster does not have stays as it is, out of bounds. */
static uint8_t resolve_shared(const struct simt_block *block, uint64_t *address)
{
    uint64_t rank = *address >> LANE_RANK_SHIFT;
    if (rank == block->rank + UINT64_C(1))
        *address = LANE_SHARED_OFFSET(*address);
    return rank && rank != block->rank + UINT64_C(1) && rank <= block->grid->cluster_blocks ? ISA_SPACE_CLUSTER
                                                                                            : ISA_SPACE_SHARED;
}

/* The space and the address in it of a generic address. */
static uint8_t resolve_generic(const struct simt_block *block, uint64_t *address)
{
    const struct simt_grid *grid = block->grid;
    if (*address - LANE_SHARED_WINDOW < LANE_WINDOW_BYTES) {
        *address -= LANE_SHARED_WINDOW;
        return resolve_shared(block, address);
    }
    if (*address - LANE_LOCAL_WINDOW < LANE_WINDOW_BYTES) {
        *address -= LANE_LOCAL_WINDOW;
        return ISA_SPACE_LOCAL;
    }
    if (*address - LANE_PARAM_WINDOW < LANE_WINDOW_BYTES) {
        *address += grid->param_address - LANE_PARAM_WINDOW;
        return ISA_SPACE_CONST;
    }
    return ISA_SPACE_GLOBAL;
}

/* Every lane's address, counted from `base`: a register plus offset, or an absolute one. Returns whether it is known to
 * be the same for all. */
static bool written_addresses(const struct simt_warp *warp, const struct simt_operand *operand, uint64_t base,
                              const struct simt_frame *frame, uint64_t *address)
{
    const struct simt_grid *grid = warp->block->grid;
    uint64_t offset = operand->value;
    if (operand->place == SIMT_PLACE_ROW) {
        const char *row = simt_row(warp, frame->reg_base, operand->row);
        for (unsigned half = 0; half < grid->code->width; half += LANES)
            grid->code->addresses(address + half, row + half * (operand->wide ? 8 : 4), operand->wide, offset, base);
        return false;
    }
    uint64_t fixed = base + offset;
    fixed += operand->place == SIMT_PLACE_FRAME     ? frame->local_base
             : operand->place == SIMT_PLACE_DYNSMEM ? grid->dynamic_base
                                                    : 0;
    for (unsigned half = 0; half < grid->code->width; half += LANES)
        grid->code->addresses(address + half, NULL, true, fixed, 0);
    return true;
}

/* Lanes of such an instruction may name shared memory of other blocks. */
static bool may_be_far(const struct simt_access *access)
{
    unsigned kind = access->op->kind;
    return kind == SIMT_KIND_MEMORY || kind == SIMT_KIND_MBARRIER || kind == SIMT_KIND_SEND;
}

/* The first lane of `lanes` whose access is illegal for its space; false when there is none. Global bounds are the
 * caller's to check: it knows the allocations. */
static bool find_fault(const struct simt_warp *warp, const struct simt_access *access, const uint8_t *space,
                       uint64_t lanes, struct simt_fault *fault)
{
    unsigned size = access->element_bytes * access->elements;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        uint8_t kind = SIMT_FAULT_NONE;
        if ((address & (size - 1)) && !access->op->form.call_params)
            kind = SIMT_FAULT_MISALIGNED;
        else if (space[lane] == ISA_SPACE_SHARED &&
                 (address > warp->block->shared_bytes || size > warp->block->shared_bytes - address))
            kind = SIMT_FAULT_BOUNDS;
        else if (space[lane] == ISA_SPACE_CLUSTER &&
                 (!may_be_far(access) || LANE_SHARED_OFFSET(address) + size > warp->block->shared_bytes))
            kind = SIMT_FAULT_BOUNDS;
        else if (space[lane] == ISA_SPACE_LOCAL &&
                 (address > warp->block->grid->stack_bytes || size > warp->block->grid->stack_bytes - address))
            kind = SIMT_FAULT_BOUNDS;
        else if (space[lane] == ISA_SPACE_CONST && access->kind != ISA_FLAG_LOAD)
            kind = SIMT_FAULT_READ_ONLY;
        if (kind) {
            *fault = (struct simt_fault){.kind = kind, .lane = (uint8_t)lane, .space = space[lane], .address = address};
            return true;
        }
    }
    return false;
}

/* Summarises the lanes' addresses. The usual case is that they lie side by side in lane order. */
static struct lane_survey survey_lanes(const struct simt_warp *warp, const struct simt_access *access, unsigned size,
                                       bool uniform)
{
    const struct simt_code *code = warp->code;
    struct lane_survey s = {.low = INT64_MAX, .high = INT64_MIN};
    unsigned first = mask_first(access->mask);
    if (uniform) {
        s.low = s.high = (int64_t)access->address[first];
        s.ones = access->address[first];
        s.bent = access->mask & (access->mask - 1);
        return s;
    }
    uint64_t expected = access->address[first] - (uint64_t)first * size;
    for (unsigned half = 0; half < code->width; half += LANES, expected += (uint64_t)LANES * size) {
        uint32_t lanes = (uint32_t)(access->mask >> half);
        if (lanes)
            code->survey(&s, access->address + half, lanes, expected, size);
    }
    return s;
}

/* Each lane's space; adds the lanes to the sets, indexed by ISA_SPACE_*. */
static void resolve_lanes(const struct simt_warp *warp, struct simt_access *access, bool generic, uint8_t *space,
                          uint64_t *sets)
{
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        space[lane] = generic ? resolve_generic(warp->block, &access->address[lane])
                              : resolve_shared(warp->block, &access->address[lane]);
        sets[space[lane]] |= BIT64(lane);
    }
}

/* Finds each lane's space, which is `named` (0: each address says it), and whether all accesses are legal. The usual case, one
 * space and nothing wrong, is seen from the survey; else lane by lane. */
HOT_INLINE bool place_lanes(const struct simt_warp *warp, struct simt_access *access, uint8_t named, bool uniform,
                            uint64_t *sets, struct simt_fault *fault)
{
    const struct simt_form *form = &access->op->form;
    const struct simt_block *block = warp->block;
    unsigned size = access->element_bytes * access->elements;
    struct lane_survey s = survey_lanes(warp, access, size, uniform);
    uint8_t space = named ? named : ISA_SPACE_GLOBAL;
    if (RARELY(space == ISA_SPACE_CLUSTER) && s.low >= 0 && s.high < INT64_C(1) << LANE_RANK_SHIFT)
        space = ISA_SPACE_SHARED;
    uint64_t bytes = space == ISA_SPACE_SHARED  ? block->shared_bytes
                     : space == ISA_SPACE_LOCAL ? block->grid->stack_bytes
                                                : INT64_MAX;
    access->straight = !s.bent;
    access->same = s.low == s.high;
    access->low = (uint64_t)s.low;
    access->high = (uint64_t)s.high;
    bool one_space = named ? space != ISA_SPACE_CLUSTER : s.low >= 0 && s.high < (int64_t)LANE_PARAM_WINDOW;
    /* Parameters of calls are no memory: members of packed structures lie at any byte. */
    bool legal = (form->call_params || !(s.ones & (size - 1))) && s.low >= 0 && size <= bytes && (uint64_t)s.high <= bytes - size;
    if (space == ISA_SPACE_CONST)
        legal = legal && access->kind == ISA_FLAG_LOAD;
    if (one_space)
        sets[space] = access->mask;
    if (one_space && legal)
        return true;
    uint8_t spaces[SIMT_MAX_WIDTH];
    memset(spaces, space, sizeof spaces);
    if (!one_space) {
        resolve_lanes(warp, access, !named, spaces, sets);
        access->straight = access->same = false;
        access->low = 0;
        access->high = UINT64_MAX;
    }
    return !find_fault(warp, access, spaces, access->mask, fault);
}

HOT void simt_describe_access(const struct simt_op *op, const struct simt_result *r, const struct simt_frame *frame,
                              struct simt_access *access)
{
    access->instr = r->instr;
    access->op = op;
    access->samples = false;
    access->mask = r->mask;
    access->changed = access->matched = access->leaving = 0;
    access->ended = access->waiting = access->remote = 0;
    access->pc = r->pc;
    access->reg_base = frame->reg_base;
    access->pred_base = frame->pred_base;
    access->kind = op->form.kind;
    access->element_bytes = op->form.element_bytes;
    access->elements = op->form.elements;
    access->stride = op->form.stride;
}

/* Lanes that access the shared memory of other blocks go first, by themselves: they and the others of the instruction,
 * which access global memory, are served by different networks. */
static enum simt_event part_lanes(struct simt_warp *warp, uint64_t lanes, struct simt_result *r)
{
    const struct simt_divergence *model = warp->paths.model;
    if (model->split)
        model->split(&warp->paths, lanes);
    else
        model->part(&warp->paths, lanes, r->pc);
    r->mask = 0;
    return SIMT_JUMP;
}

/* The lanes' addresses are known. */
HOT_INLINE enum simt_event access_at(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, bool uniform,
                                     struct simt_access *access, struct simt_result *r)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t sets[ISA_SPACE_CLUSTER + 1] = {0};
    if (!place_lanes(warp, access, op->form.space, uniform, sets, &r->fault)) {
        r->fault.pc = r->pc;
        return SIMT_FAULTED;
    }
    if (RARELY(sets[ISA_SPACE_CLUSTER]) && (sets[ISA_SPACE_GLOBAL] | sets[ISA_SPACE_CONST]))
        return part_lanes(warp, sets[ISA_SPACE_CLUSTER], r);
    if (access->kind != ISA_FLAG_LOAD)
        simt_gather(warp, op, frame, cycle, access);
    if (sets[ISA_SPACE_SHARED])
        simt_serve_shared(warp, access, sets[ISA_SPACE_SHARED]);
    if (sets[ISA_SPACE_LOCAL])
        simt_serve_local(warp, access, sets[ISA_SPACE_LOCAL]);
    if (op->kind != SIMT_KIND_LOCK)
        simt_advance(&warp->paths, r->pc + 1);
    if (op->form.call_params)
        return SIMT_PLAIN;
    if (sets[ISA_SPACE_GLOBAL]) { /* generic addresses: constant lanes go with the global ones, to the same memory */
        sets[ISA_SPACE_GLOBAL] |= sets[ISA_SPACE_CONST];
        sets[ISA_SPACE_CONST] = 0;
    }
    static const uint8_t order[] = {ISA_SPACE_GLOBAL, ISA_SPACE_CONST, ISA_SPACE_CLUSTER, ISA_SPACE_SHARED,
                                    ISA_SPACE_LOCAL};
    for (unsigned i = 0; i < sizeof order; i++)
        if (sets[order[i]]) {
            access->space = order[i];
            access->mask = sets[order[i]];
            if (RARELY(order[i] == ISA_SPACE_CLUSTER))
                access->beside = sets[ISA_SPACE_SHARED];
            break;
        }
    return SIMT_MEMORY;
}

HOT enum simt_event simt_memory(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                struct simt_access *access, struct simt_result *r)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    simt_describe_access(op, r, frame, access);
    uint64_t base = op->form.kernel_params ? warp->block->grid->param_address : 0;
    bool uniform = written_addresses(warp, &op->src[0], base, frame, access->address);
    return access_at(warp, op, cycle, uniform, access, r);
}

bool simt_place(struct simt_warp *warp, const struct simt_operand *operand, uint8_t space, struct simt_access *access,
                struct simt_result *r)
{
    uint64_t sets[ISA_SPACE_CLUSTER + 1] = {0};
    bool generic = access->op->form.space == 0 && space >= ISA_SPACE_SHARED;
    bool uniform = written_addresses(warp, operand, 0, &warp->paths.now->frame, access->address);
    r->fault = (struct simt_fault){0};
    bool placed = place_lanes(warp, access, generic ? 0 : space, uniform, sets, &r->fault);
    uint64_t elsewhere = access->mask & ~sets[space];
    if (space == ISA_SPACE_CLUSTER) {
        access->remote = sets[ISA_SPACE_CLUSTER];
        elsewhere &= ~sets[ISA_SPACE_SHARED];
    }
    access->space = space == ISA_SPACE_CLUSTER ? ISA_SPACE_SHARED : space;
    r->fault.pc = r->pc;
    if (placed && elsewhere)
        r->fault = (struct simt_fault){.kind = SIMT_FAULT_BOUNDS,
                                       .lane = (uint8_t)mask_first(elsewhere),
                                       .space = space,
                                       .address = access->address[mask_first(elsewhere)],
                                       .pc = r->pc};
    return placed && !elsewhere;
}

enum simt_event simt_access_at(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, uint64_t lanes,
                               struct simt_access *access, struct simt_result *r)
{
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    access->mask = lanes;
    return access_at(warp, op, cycle, false, access, r);
}

enum simt_event simt_matrix_access(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                                   struct simt_result *r)
{
    enum simt_event event = simt_matrix_whole(warp, cycle, r);
    if (event != SIMT_PLAIN)
        return event;
    const struct simt_frame *frame = &warp->paths.now->frame;
    uint64_t sets[ISA_SPACE_CLUSTER + 1] = {0};
    simt_describe_access(op, r, frame, access);
    access->mask = mask_low(8 * isa_matrix_count(r->instr));
    bool uniform = written_addresses(warp, &op->src[0], 0, frame, access->address);
    if (!place_lanes(warp, access, op->form.space, uniform, sets, &r->fault)) {
        r->fault.pc = r->pc;
        return SIMT_FAULTED;
    }
    uint64_t outside = access->mask & ~sets[ISA_SPACE_SHARED];
    if (outside)
        return simt_matrix_fault(r, mask_first(outside), "address 0x%llx of a matrix's row is not one of shared memory",
                                 (unsigned long long)access->address[mask_first(outside)]);
    access->space = ISA_SPACE_SHARED;
    if (access->kind == ISA_FLAG_LOAD) {
        simt_matrix_load(warp, access);
    } else {
        simt_matrix_gather(warp, access);
        simt_serve_shared(warp, access, access->mask);
    }
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_MEMORY;
}
