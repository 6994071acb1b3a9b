/* Memory instructions: addresses, state spaces, and the accesses to shared and local memory and to the parameters of
 * functions, which are served here. Global, constant and kernel-parameter accesses are described for the caller. PTX
 * ISA, "State Spaces" and "Generic Addressing". */
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

bool simt_local_read(struct simt_warp *warp, unsigned lane, uint64_t offset, void *to, unsigned bytes)
{
    unsigned width = warp->block->grid->code->width;
    if (offset > warp->block->grid->stack_bytes || bytes > warp->block->grid->stack_bytes - offset)
        return false;
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t word = (offset + i) / 4;
        const uint8_t *at = word < warp->local_words ? (const uint8_t *)&warp->local[word * width + lane] : NULL;
        ((uint8_t *)to)[i] = at ? at[(offset + i) & 3] : 0;
    }
    return true;
}

/* Makes local memory at least `words` per lane; grown in steps so that a deep recursion does not copy at every call. */
static void grow_local(struct simt_warp *warp, uint64_t words)
{
    unsigned width = warp->block->grid->code->width;
    if (words <= warp->local_words)
        return;
    uint64_t grown = words > 2 * (uint64_t)warp->local_words ? words : 2 * (uint64_t)warp->local_words;
    warp->local = base_realloc(warp->local, grown * width * 4);
    memset(warp->local + (size_t)warp->local_words * width, 0, (grown - warp->local_words) * width * 4);
    warp->local_words = (uint32_t)grown;
}

bool simt_local_write(struct simt_warp *warp, unsigned lane, uint64_t offset, const void *from, unsigned bytes)
{
    unsigned width = warp->block->grid->code->width;
    if (offset > warp->block->grid->stack_bytes || bytes > warp->block->grid->stack_bytes - offset)
        return false;
    grow_local(warp, (offset + bytes + 3) / 4);
    for (unsigned i = 0; i < bytes; i++)
        ((uint8_t *)&warp->local[(offset + i) / 4 * width + lane])[(offset + i) & 3] = ((const uint8_t *)from)[i];
    return true;
}

/* The space and the address in it of a generic address. */
static uint8_t resolve_generic(const struct simt_grid *grid, uint64_t *address)
{
    if (*address - LANE_SHARED_WINDOW < LANE_WINDOW_BYTES) {
        *address -= LANE_SHARED_WINDOW;
        return ISA_SPACE_SHARED;
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

/* Every lane's address as written: base register plus offset, or an absolute one. */
static void written_addresses(const struct simt_warp *warp, const struct simt_operand *operand,
                              const struct simt_stack_entry *top, uint64_t *address)
{
    unsigned width = warp->block->grid->code->width;
    uint64_t fixed = operand->value;
    switch (operand->place) {
    case SIMT_PLACE_ROW:
        if (operand->wide) {
            const uint64_t *row = simt_row(warp, top->reg_base, operand->row);
            for (unsigned lane = 0; lane < width; lane++)
                address[lane] = row[lane] + operand->value;
        } else {
            const uint32_t *row = simt_row(warp, top->reg_base, operand->row);
            for (unsigned lane = 0; lane < width; lane++)
                address[lane] = (uint32_t)(row[lane] + (uint32_t)operand->value);
        }
        return;
    case SIMT_PLACE_FRAME:
        fixed += top->local_base;
        break;
    case SIMT_PLACE_DYNSMEM:
        fixed += warp->block->grid->dynamic_base;
        break;
    default:
        break;
    }
    for (unsigned lane = 0; lane < width; lane++)
        address[lane] = fixed;
}

static uint64_t element_of(const void *row, bool wide, unsigned lane)
{
    return wide ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Copies source operands' values to each lane's data bytes at `at`. */
static void gather(const struct simt_warp *warp, const struct simt_operand *operand, const struct simt_stack_entry *top,
                   uint64_t cycle, struct simt_access *access, unsigned at, unsigned bytes)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    const void *row = simt_source_row(warp, operand, top, cycle, scratch);
    if (!row)
        return;
    if (bytes == 4 && !operand->wide) {
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            memcpy(&access->data[lane][at], &((const uint32_t *)row)[lane], 4);
        }
        return;
    }
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t value = element_of(row, operand->wide, lane);
        memcpy(&access->data[lane][at], &value, bytes);
    }
}

static void set_element(struct simt_warp *warp, const struct simt_operand *operand, uint32_t base, unsigned lane,
                        uint64_t value)
{
    if (operand->place != SIMT_PLACE_ROW)
        return;
    void *row = simt_row(warp, base, operand->row);
    if (operand->wide)
        ((uint64_t *)row)[lane] = value;
    else
        ((uint32_t *)row)[lane] = (uint32_t)value;
}

static const struct simt_op *op_of(const struct simt_warp *warp, const struct isa_instr *instr)
{
    const struct simt_code *code = warp->block->grid->code;
    return &code->ops[instr - code->module->instrs];
}

/* Sign-extends loads of signed types to the register's width; 16-bit registers keep zero-extended bits. */
static uint64_t extend(const struct isa_instr *instr, unsigned index, uint64_t value, unsigned bytes)
{
    if (isa_type_info(instr->type)->class != ISA_CLASS_SINT || bytes == 8)
        return value;
    unsigned shift = 64 - 8 * bytes;
    value = (uint64_t)((int64_t)(value << shift) >> shift);
    unsigned bits = instr->dst[index].bits;
    return bits >= 64 ? value : value & (BIT64(bits) - 1);
}

void simt_load_lane(struct simt_warp *warp, const struct simt_access *access, unsigned lane, const uint8_t *bytes)
{
    const struct simt_op *op = op_of(warp, access->instr);
    for (unsigned i = 0; i < access->elements; i++) {
        uint64_t value = 0;
        memcpy(&value, bytes + i * access->element_bytes, access->element_bytes);
        set_element(warp, &op->dst[i], access->reg_base, lane, extend(access->instr, i, value, access->element_bytes));
    }
}

void simt_atomic_lane(struct simt_warp *warp, const struct isa_instr *instr, uint32_t reg_base, unsigned lane,
                      uint64_t old)
{
    const struct simt_op *op = op_of(warp, instr);
    if (op->dst_count)
        set_element(warp, &op->dst[0], reg_base, lane, old);
}

static uint64_t atomic_on(uint8_t *at, struct simt_access *access, unsigned lane, uint8_t flags)
{
    uint64_t old = 0, operand, compare, value;
    memcpy(&old, at, access->element_bytes);
    memcpy(&operand, &access->data[lane][0], 8);
    memcpy(&compare, &access->data[lane][8], 8);
    value = lane_atomic(access->instr->mods.atomic | flags, access->instr->type, old, operand, compare);
    memcpy(at, &value, access->element_bytes);
    access->changed |= value != old ? BIT64(lane) : 0;
    return old;
}

/* One lane's access to plain memory at `at`. flags: LANE_ATOMIC_SUBNORMAL where atomic f32 addition keeps subnormals
 * (all but global memory; PTX ISA, "atom"). */
static void serve_lane(struct simt_warp *warp, struct simt_access *access, unsigned lane, uint8_t *at, uint8_t flags)
{
    if (access->kind == ISA_FLAG_LOAD)
        simt_load_lane(warp, access, lane, at);
    else if (access->kind == ISA_FLAG_STORE)
        memcpy(at, access->data[lane], (size_t)access->element_bytes * access->elements);
    else
        simt_atomic_lane(warp, access->instr, access->reg_base, lane, atomic_on(at, access, lane, flags));
}

void simt_serve(struct simt_warp *warp, struct simt_access *access, uint8_t *(*at)(void *context, uint64_t address),
                void *context)
{
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        serve_lane(warp, access, lane, at(context, access->address[lane]), 0);
    }
}

static void serve_local_lane(struct simt_warp *warp, struct simt_access *access, unsigned lane)
{
    uint8_t bytes[SIMT_ACCESS_BYTES];
    unsigned size = access->element_bytes * access->elements;
    uint64_t offset = access->address[lane];
    if (access->kind == ISA_FLAG_STORE) {
        simt_local_write(warp, lane, offset, access->data[lane], size);
        return;
    }
    simt_local_read(warp, lane, offset, bytes, size);
    serve_lane(warp, access, lane, bytes, LANE_ATOMIC_SUBNORMAL);
    if (access->kind == ISA_FLAG_ATOMIC)
        simt_local_write(warp, lane, offset, bytes, size);
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
        if (address & (size - 1))
            kind = SIMT_FAULT_MISALIGNED;
        else if (space[lane] == ISA_SPACE_SHARED &&
                 (address > warp->block->shared_bytes || size > warp->block->shared_bytes - address))
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

/* Each lane's space; returns the set of lanes of each space in `sets` (indexed by ISA_SPACE_*). */
static void resolve_spaces(const struct simt_warp *warp, const struct isa_instr *instr, struct simt_access *access,
                           uint8_t *space, uint64_t *sets)
{
    const struct simt_grid *grid = warp->block->grid;
    uint8_t named = instr->mods.space;
    if (named == ISA_SPACE_PARAM && instr->src[0].kind != ISA_OPERAND_FRAME) {
        for (uint64_t rest = access->mask; rest; rest &= rest - 1)
            access->address[mask_first(rest)] += grid->param_address;
        named = ISA_SPACE_CONST;
    } else if (named == ISA_SPACE_PARAM) {
        named = ISA_SPACE_LOCAL;
    }
    if (named) {
        memset(space, named, SIMT_MAX_WIDTH);
        sets[named] = access->mask;
        return;
    }
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        space[lane] = resolve_generic(grid, &access->address[lane]);
        sets[space[lane]] |= BIT64(lane);
    }
}

static void describe(const struct simt_op *op, const struct isa_instr *instr, const struct simt_result *r,
                     const struct simt_stack_entry *top, struct simt_access *access)
{
    uint32_t flags = isa_op_info(instr->op)->flags;
    access->instr = instr;
    access->mask = r->mask;
    access->changed = 0;
    access->pc = r->pc;
    access->reg_base = top->reg_base;
    access->element_bytes = (uint8_t)(isa_type_bits(instr->type) / 8);
    if (flags & ISA_FLAG_LOAD) {
        access->kind = ISA_FLAG_LOAD;
        access->elements = op->dst_count;
    } else if (flags & ISA_FLAG_STORE) {
        access->kind = ISA_FLAG_STORE;
        access->elements = (uint8_t)(op->src_count - 1);
    } else {
        access->kind = ISA_FLAG_ATOMIC;
        access->elements = 1;
    }
}

static void gather_data(const struct simt_warp *warp, const struct simt_op *op, const struct simt_stack_entry *top,
                        uint64_t cycle, struct simt_access *access)
{
    unsigned size = access->element_bytes;
    if (access->kind == ISA_FLAG_STORE) {
        for (unsigned i = 0; i < access->elements; i++)
            gather(warp, &op->src[1 + i], top, cycle, access, i * size, size);
        return;
    }
    if (access->kind != ISA_FLAG_ATOMIC)
        return;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        memset(access->data[mask_first(rest)], 0, 16);
    if (access->instr->mods.atomic == ISA_ATOMIC_CAS) {
        gather(warp, &op->src[1], top, cycle, access, 8, size);
        gather(warp, &op->src[2], top, cycle, access, 0, size);
    } else {
        gather(warp, &op->src[1], top, cycle, access, 0, size);
    }
}

enum simt_event simt_memory(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access, struct simt_result *r)
{
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    const struct isa_instr *instr = r->instr;
    uint8_t space[SIMT_MAX_WIDTH];
    uint64_t sets[ISA_SPACE_SHARED + 1] = {0};
    describe(op, instr, r, top, access);
    written_addresses(warp, &op->src[0], top, access->address);
    resolve_spaces(warp, instr, access, space, sets);
    if (find_fault(warp, access, space, r->mask, &r->fault)) {
        r->fault.pc = r->pc;
        return SIMT_FAULTED;
    }
    gather_data(warp, op, top, cycle, access);
    for (uint64_t rest = sets[ISA_SPACE_SHARED]; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        serve_lane(warp, access, lane, warp->block->shared + access->address[lane], LANE_ATOMIC_SUBNORMAL);
    }
    for (uint64_t rest = sets[ISA_SPACE_LOCAL]; rest; rest &= rest - 1)
        serve_local_lane(warp, access, mask_first(rest));
    simt_stack_advance(&warp->stack, r->pc + 1);
    if (sets[ISA_SPACE_GLOBAL]) { /* generic addresses: constant lanes go with the global ones, to the same memory */
        sets[ISA_SPACE_GLOBAL] |= sets[ISA_SPACE_CONST];
        sets[ISA_SPACE_CONST] = 0;
    }
    if (instr->mods.space == ISA_SPACE_PARAM && sets[ISA_SPACE_LOCAL])
        return SIMT_PLAIN; /* arguments of a call are passed in registers on the machine */
    static const uint8_t order[] = {ISA_SPACE_GLOBAL, ISA_SPACE_CONST, ISA_SPACE_SHARED, ISA_SPACE_LOCAL};
    for (unsigned i = 0; i < sizeof order; i++)
        if (sets[order[i]]) {
            access->space = order[i];
            access->mask = sets[order[i]];
            break;
        }
    return SIMT_MEMORY;
}
