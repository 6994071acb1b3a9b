/* A launch as an SM needs it, prepared once for all SMs: what its instructions ask of banks, scoreboard and units, and
 * how many blocks fit on an SM. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "isa/matrix.h"
#include "memory/order.h"
#include "sm/sm.h"
#include "sm/work.h"

static unsigned bank_of(const struct isa_function *function, const struct isa_operand *operand, unsigned banks)
{
    const struct isa_reg *reg = &function->regs[operand->reg];
    return reg->bank_id % banks;
}

/* True: an earlier source operand has the same number. Registers of different types share numbers, as in GPGPU-Sim. */
static bool named_before(const struct isa_function *function, const struct isa_instr *instr, unsigned operand)
{
    uint16_t number = function->regs[instr->src[operand].reg].bank_id;
    for (unsigned i = 0; i < operand; i++)
        if ((instr->src[i].kind == ISA_OPERAND_REG || instr->src[i].kind == ISA_OPERAND_PRED) &&
            function->regs[instr->src[i].reg].bank_id == number)
            return true;
    return false;
}

static void decode_banks(struct decoded_instr *d, const struct isa_function *function, const struct isa_instr *instr,
                         unsigned banks, bool merges)
{
    for (unsigned i = 0; i < instr->src_count && d->timing.src_count < 12; i++)
        if ((instr->src[i].kind == ISA_OPERAND_REG || instr->src[i].kind == ISA_OPERAND_PRED) &&
            !(merges && named_before(function, instr, i)))
            d->src_banks[d->timing.src_count++] = (uint8_t)bank_of(function, &instr->src[i], banks);
    for (unsigned i = 0; i < d->timing.src_count; i++)
        d->src_set |= BIT64(d->src_banks[i]);
    d->timing.src_apart = mask_count(d->src_set) == d->timing.src_count;
    for (unsigned i = 0; i < instr->dst_count && d->dst_count < 8; i++)
        if (instr->dst[i].kind == ISA_OPERAND_REG || instr->dst[i].kind == ISA_OPERAND_PRED) {
            d->dst_set |= BIT64(bank_of(function, &instr->dst[i], banks));
            d->dst_count++;
        }
}

/* More than any operation of one step takes, and less than the results' wheel holds. */
#define LONGEST_LATENCY (CORE_WHEEL - 64)

/* A number in the scoreboard that no register has: see sm_kernel.one_in_flight. */
#define ONE_IN_FLIGHT BIT64(63)
/* Another one: see sm_kernel.command. */
#define COMMAND BIT64(62)

/* A lock that its lanes may wait for in a queue. They go on when each has it, before the instruction is complete. */
static bool may_queue(const struct sm_kernel *kernel, const struct isa_instr *instr)
{
    return kernel->grid->lock_queues.used && isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_TAKE;
}

/* A store or atomic, or an arrival of a cluster's barrier, that waits like a fence before it issues. */
static bool waits_before(const struct isa_instr *instr, const struct coherence_protocol *protocol)
{
    if (isa_is_cluster_barrier(instr))
        return instr->mods.order == ISA_ORDER_RELEASE;
    return isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC) &&
           order_waits_before(lsu_meaning(protocol, instr), protocol->registration);
}

static bool reads_clock(const struct isa_instr *instr)
{
    for (unsigned i = 0; i < instr->src_count; i++)
        if (instr->src[i].kind == ISA_OPERAND_SREG && instr->src[i].reg >= ISA_SREG_CLOCK &&
            instr->src[i].reg <= ISA_SREG_GLOBALTIMER_HI)
            return true;
    return false;
}

/* An instruction that waits until the asynchronous unit has taken over the operands of its warp's command. */
static bool waits_for_command(const struct isa_instr *instr)
{
    const unsigned waits = ISA_FLAG_MEMORY | ISA_FLAG_BARRIER | ISA_FLAG_FENCE | ISA_FLAG_WARP | ISA_FLAG_COPY;
    return !isa_is_command(instr) && (isa_op_info((enum isa_op)instr->op)->flags & waits || reads_clock(instr));
}

/* The register sets that the scoreboard tests for an instruction. sets: room for three of them, of so many words. */
static void decode_hazards(struct decoded_instr *d, const struct isa_module *module, const struct isa_instr *instr,
                           uint64_t *sets, unsigned words, const struct sm_kernel *kernel)
{
    uint64_t *uses = sets, *writes = sets + words, *reads = sets + 2 * words;
    for (unsigned i = 0; i < instr->read_count; i++)
        reads[instr->reads[i] / 64] |= BIT64(instr->reads[i] % 64);
    for (unsigned i = 0; i < instr->write_count; i++)
        writes[instr->writes[i] / 64] |= BIT64(instr->writes[i] % 64);
    bool holds_up = kernel->one_in_flight && !may_queue(kernel, instr);
    if (holds_up)
        writes[words - 1] |= ONE_IN_FLIGHT;
    for (unsigned i = 0; i < words; i++)
        uses[i] = reads[i] | writes[i];
    if (kernel->one_in_flight)
        uses[words - 1] |= ONE_IN_FLIGHT;
    if (kernel->command && waits_for_command(instr))
        uses[words - 1] |= COMMAND;
    d->uses = uses;
    d->timing.writes = writes;
    d->timing.write_count = instr->write_count + holds_up;
    d->changes_frame = instr->op == ISA_OP_CALL || instr->op == ISA_OP_RET;
    bool at_once =
        instr->call && instr->call->callee < module->function_count && module->functions[instr->call->callee].intrinsic;
    d->after = at_once                                 ? INSTR_AFTER_OWN
               : waits_before(instr, kernel->protocol) ? INSTR_AFTER_FENCE
                                                       : INSTR_AFTER_NOTHING;
}

/* Latencies and initiation intervals by class. */
static const uint16_t latency_at[] = {
#define LATENCY(id, name, ...) offsetof(struct sm_params, latency_##name),
#define LATENCY_LIKE(id, name, ...) offsetof(struct sm_params, latency_##name),
#include "isa/latencies.def"
#undef LATENCY_LIKE
#undef LATENCY
};
static const uint16_t interval_at[] = {
#define LATENCY(id, name, ...) offsetof(struct sm_params, interval_##name),
#define LATENCY_LIKE(id, name, ...) offsetof(struct sm_params, interval_##name),
#include "isa/latencies.def"
#undef LATENCY_LIKE
#undef LATENCY
};

static const uint16_t unit_at[] = {
#define LATENCY(id, name, ...) offsetof(struct sm_params, unit_##name),
#define LATENCY_LIKE(id, name, ...) offsetof(struct sm_params, unit_##name),
#include "isa/latencies.def"
#undef LATENCY_LIKE
#undef LATENCY
};

/* A class's value: its own, or that of the nearest of those it is like that has one; 0: none has. */
static uint32_t value_of(const struct sm_params *params, const uint16_t *places, enum isa_latency latency)
{
    uint32_t value = *(const uint32_t *)((const char *)params + places[latency]);
    for (enum isa_latency like; !value && (like = isa_latency_like(latency)) != latency; latency = like)
        value = *(const uint32_t *)((const char *)params + places[like]);
    return value;
}

/* The kind of units to which the machine sends a class; 0: where the tables of the ISA do. */
static uint8_t unit_of_class(const struct sm_params *params, enum isa_latency latency)
{
    static const uint8_t kinds[] = {0, ISA_UNIT_SP, ISA_UNIT_SFU, ISA_UNIT_ALU, ISA_UNIT_MUL, ISA_UNIT_ADD, ISA_UNIT_F64,
                                    ISA_UNIT_TENSOR};
    uint32_t own = value_of(params, unit_at, latency);
    bool has = own && (params->direct || warp_unit_of((enum isa_unit)kinds[own]) < WARP_UNIT_COLLECTED);
    return has ? kinds[own] : 0;
}

/* Products that may have been meant for the SFU run on SP units where that does not multiply. */
static uint8_t unit_of(const struct isa_instr *instr, const struct sm_params *params)
{
    uint8_t own = instr->unit == ISA_UNIT_MEM ? 0 : unit_of_class(params, (enum isa_latency)instr->latency);
    if (own)
        return own;
    bool product = isa_latency_like((enum isa_latency)instr->latency) == ISA_LATENCY_INT_MUL ||
                   isa_latency_like((enum isa_latency)instr->latency) == ISA_LATENCY_INT_MAD ||
                   instr->unit == ISA_UNIT_EITHER;
    return product && !params->sfu_multiplies ? ISA_UNIT_SP : instr->unit;
}

struct sm_class_times sm_class_times(const struct sm_params *params, enum isa_latency latency)
{
    uint8_t own = unit_of_class(params, latency);
    return (struct sm_class_times){.unit = own ? own : ISA_UNIT_SP,
                                   .latency = value_of(params, latency_at, latency),
                                   .interval = value_of(params, interval_at, latency)};
}

/* An instruction of several steps holds its unit for the interval of each. */
static void decode_times(struct decoded_instr *d, const struct isa_instr *instr, const struct sm_params *params)
{
    enum isa_latency class = (enum isa_latency)instr->latency;
    uint32_t interval = value_of(params, interval_at, class), steps = instr->op == ISA_OP_MMA ? isa_matrix_steps(instr) : 1;
    uint32_t latency = value_of(params, latency_at, class) + (steps - 1) * interval;
    d->timing.latency = (uint16_t)(latency < LONGEST_LATENCY ? latency : LONGEST_LATENCY);
    d->timing.interval = (uint16_t)(steps * interval);
}

void sm_prepare(struct sm_kernel *kernel, const struct sm_params *params, struct arena *arena)
{
    const struct isa_module *module = kernel->grid->code->module;
    uint32_t numbers = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].number_count > numbers)
            numbers = module->functions[f].number_count;
    kernel->one_in_flight = params->one_in_flight || simt_model_of(kernel->grid)->forming != NULL;
    unsigned words = kernel->scoreboard_words = (numbers + (params->bulk_issue ? 2 : kernel->one_in_flight)) / 64 + 1;
    uint16_t *branches = ARENA_NEW(arena, uint16_t, module->instr_count + 1);
    spin_number_branches(module, branches);
    kernel->longest = 0;
    kernel->decoded = ARENA_NEW(arena, struct decoded_instr, module->instr_count + 1);
    uint64_t *sets = ARENA_NEW(arena, uint64_t, 3 * words * (module->instr_count + 1));
    kernel->command = params->bulk_issue ? sets + 3 * words * module->instr_count : NULL;
    if (kernel->command)
        kernel->command[words - 1] = COMMAND | (kernel->one_in_flight ? ONE_IN_FLIGHT : 0);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            const struct isa_instr *instr = &module->instrs[pc];
            struct decoded_instr *d = &kernel->decoded[pc];
            d->timing.unit = unit_of(instr, params);
            d->event_class = watch_class(instr) & 15;
            d->structural = (uint8_t)warp_account_unit(d->timing.unit);
            decode_times(d, instr, params);
            kernel->longest = d->timing.latency > kernel->longest ? d->timing.latency : kernel->longest;
            decode_hazards(d, module, instr, sets + 3 * words * pc, words, kernel);
            decode_banks(d, function, instr, params->register_banks, params->collector_merges);
            sm_decode_work(d, instr);
            d->back_branch = branches[pc];
        }
    }
    for (uint32_t pc = 0; pc < module->instr_count; pc++)
        kernel->decoded[pc + 1].scheduled_before =
            kernel->decoded[pc].scheduled_before + sm_is_scheduled(&module->instrs[pc]);
}

/* The least size that shared memory can take and that has room for so many bytes, in bytes; `bytes` where there is none,
 * or any will do. */
static uint64_t shared_size(const char *sizes, uint64_t bytes)
{
    for (char *end; *sizes >= '0' && *sizes <= '9'; sizes = *end ? end + 1 : end) {
        uint64_t size = (uint64_t)strtoul(sizes, &end, 10) * 1024;
        if (size >= bytes)
            return size;
    }
    return bytes;
}

uint64_t sm_l1_bytes(const struct sm_params *params, const struct sm_kernel *kernel)
{
    if (!params->l1_array_bytes)
        return 0;
    uint64_t blocks = sm_occupancy(params, kernel->threads_per_block, kernel->shared_bytes, kernel->registers, NULL);
    uint64_t shared = shared_size(params->shared_sizes, blocks * sm_shared_taken(params, kernel->shared_bytes));
    return shared < params->l1_array_bytes ? params->l1_array_bytes - shared : 1;
}

unsigned sm_occupancy(const struct sm_params *params, unsigned threads, uint32_t shared_bytes, uint32_t registers,
                      const char **limiter)
{
    uint32_t padded = (uint32_t)round_up_u64(threads ? threads : 1, params->warp_size);
    uint32_t per_thread = (uint32_t)round_up_u64(registers, params->register_unit);
    uint32_t taken = sm_shared_taken(params, shared_bytes);
    struct {
        uint32_t blocks;
        const char *what;
    } limits[] = {
        {params->threads / padded, "threads"},
        {params->warps / (padded / params->warp_size), "warps"},
        {params->blocks, "blocks"},
        {per_thread ? params->registers / (per_thread * padded) : UINT32_MAX, "registers"},
        {taken ? params->shared_bytes / taken : UINT32_MAX, "shared"},
    };
    unsigned best = 0;
    for (unsigned i = 1; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].blocks < limits[best].blocks)
            best = i;
    if (limiter)
        *limiter = limits[best].what;
    return limits[best].blocks;
}
