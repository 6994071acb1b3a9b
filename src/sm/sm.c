/* An SM as a whole: making it, launching blocks, the cycle, and the next cycle worth stepping. The stages are in
 * fetch.c, issue.c, collect.c, complete.c, lsu.c. */
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

#include "sm/sm_impl.h"
#include "sm/tell.h"
#include "sm/work.h"

static const struct stat_desc sm_stat_descs[] = {
#define STAT_STRUCT struct sm_stats
#include "stats/stat_descs.h"
#include "sm/sm_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group sm_stat_group = {"sm", "streaming multiprocessors", sm_stat_descs,
                                         sizeof(sm_stat_descs) / sizeof(sm_stat_descs[0])};

static const struct stat_desc sm_stall_descs[] = {
#define STALL(name, doc)                                                                                               \
    {#name, STAT_COUNTER, offsetof(struct core_stalls, name), "scheduler-cycles", doc, STAT_NEEDS_TIME},
#include "core/stalls.def"
#undef STALL
};
const struct stat_group sm_stall_group = {"stalls", "who owned each cycle of each warp scheduler", sm_stall_descs,
                                          CORE_STALL_COUNT};

_Static_assert(WATCH_SLOTS == WARP_SLOTS && WATCH_WRITTEN_WARPS == WARP_SLOTS, "a hash for each warp");
_Static_assert(sizeof(struct decoded_instr) == 64, "a decoded instruction fills one cache line");
_Static_assert(sizeof(struct core_op) == 64, "an instruction in flight fills one cache line");

static void create_spin(struct sm *sm, const struct sm_setup *setup, struct arena *own)
{
    if (!setup->spin || (!setup->spin_control && !setup->spin->measure))
        return;
    struct spin_setup spin = {
        .params = setup->spin,
        .detector = spin_find_detector(setup->spin->detector),
        .judge = spin_find_detector(setup->spin->truth),
        .control = setup->spin_control,
        .warps = setup->params->warps,
        .schedulers = core_schedulers(setup->params),
    };
    sm->spin = spin_create(&spin, own);
}

/* Memory for the caches, queues and pools of a usual SM. */
#define OWN_BYTES ((size_t)384 * 1024)

/* Where memory instructions keep their order, several cores have to keep it between them. */
static struct core_line *line_of(struct sm *sm)
{
    return sm->params->cores > 1 && sm->params->memory_in_order ? &sm->line : NULL;
}

static void create_cores(struct sm *sm, const struct lsu_locality *locality, struct arena *own)
{
    struct core_setup setup = {
        .count = sm->params->cores,
        .params = sm->params,
        .policy = sm->setup.scheduler,
        .port = sm_core_port(sm->setup.fetch->fills || sm->params->fetch_fills),
        .sm = sm,
        .stopped = &sm->has_fault,
        .agenda = &sm->agenda,
        .warp = &sm->warp,
        .ops = &sm->ops,
        .line = line_of(sm),
        .views = &sm->views,
        .memory = lsu_locality_view(locality),
        .arena = &sm->arena,
    };
    sm->core = ARENA_NEW(own, struct core, setup.count);
    sm->core_end = sm->core + setup.count;
    EACH_CORE (sm, core) {
        core_init(core, &setup, own);
        setup.number++;
    }
}

static void create_lsu(struct sm *sm, struct lsu_locality *locality, struct arena *own)
{
    const struct sm_setup *from = &sm->setup;
    lsu_init(&sm->lsu,
             &(struct lsu_setup){
                 .index = from->index,
                 .sm_count = from->sm_count,
                 .params = sm->params,
                 .l1i = from->l1i,
                 .l1c = from->l1c,
                 .l1d = from->l1d,
                 .protocol = from->protocol,
                 .coherence = from->coherence,
                 .partition = from->partition,
                 .requests = from->requests,
                 .replies = from->replies,
                 .probes = from->probes,
                 .acknowledgements = from->acknowledgements,
                 .local_base = from->local_base,
                 .port = sm_lsu_port(sm->spin != NULL),
                 .sm = sm,
                 .agenda = &sm->agenda,
                 .warp = &sm->warp,
                 .ops = &sm->ops,
                 .core = sm->core,
                 .core_end = sm->core_end,
                 .line = line_of(sm),
                 .locality = locality,
                 .watch = &sm->watch,
             },
             own);
}

/* fetch_port, for the fetch of an SM */

static void request_line(void *context, uint64_t address, uint32_t bytes, uint16_t fill)
{
    struct sm *sm = context;
    struct packet *p = lsu_packet(&sm->lsu);
    p->kind = PACKET_READ;
    p->space = PACKET_INSTRUCTION;
    p->address = address;
    p->fill = fill;
    p->bytes = bytes;
    lsu_request_instructions(&sm->lsu, p);
}

static void retire(void *context, unsigned slot)
{
    struct sm *sm = context;
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    block->incomplete &= ~BIT64(slot);
    if (block->incomplete)
        return;
    sm_count_warps(sm, sm->agenda.now + 1);
    warp_go(&sm->warp, block->warps);
    sm_form_retired(sm, block->warps);
    sm->free_threads += sm->kernel->threads_per_block;
    sm->free_shared += sm->kernel->shared_bytes;
    sm->free_registers += sm->kernel->registers * sm->kernel->threads_per_block;
    sm->free_blocks |= BIT64(sm->warp.slots[slot].block);
    block->used = false;
    core_view_block(&sm->views, (unsigned)(block - sm->blocks), &(struct lockstep_block_view){0});
    sm->stats.blocks++;
    if (sm->spin && !sm->warp.resident)
        spin_drained(sm->spin, sm->agenda.now);
}

static void reach_release(void *context, unsigned slot)
{
    struct sm *sm = context;
    lsu_reach_release(&sm->lsu, slot);
}

static unsigned preferred(void *context, unsigned scheduler, uint64_t warps)
{
    const struct sm *sm = context;
    unsigned cores = sm->params->cores;
    return core_preferred(&sm->core[scheduler % cores], scheduler / cores, warps);
}

static struct fetch *neighbour(void *context, unsigned member)
{
    const struct sm *sm = context;
    return &sm->setup.neighbours[member]->fetch;
}

static void create_fetch(struct sm *sm, struct arena *own)
{
    static const struct fetch_port port = {request_line, retire, reach_release, preferred, neighbour};
    bool shares = sm->setup.neighbours != NULL;
    fetch_init(&sm->fetch,
               &(struct fetch_setup){
                   .params = sm->params,
                   .l1i = sm->setup.l1i,
                   .policy = sm->setup.fetch,
                   .port = &port,
                   .sm = sm,
                   .agenda = &sm->agenda,
                   .warp = &sm->warp,
                   .views = &sm->views,
                   .queue = &sm->lsu.net.instructions,
                   .shares = shares,
                   .member = shares ? sm->setup.index % sm->params->l1i_sharers : 0,
                   .code_base = sm->setup.code_base,
               },
               own);
}

struct sm *sm_create(const struct sm_setup *setup, struct arena *arena)
{
    arena_alloc(arena, SM_STAGGER, 64);
    struct sm *sm = ARENA_NEW(arena, struct sm, 1);
    const struct sm_params *p = setup->params;
    sm->setup = *setup;
    sm->params = p;
    struct arena *own = &sm->arena; /* so that SMs which different threads step lie apart */
    arena_init_within(own, arena, OWN_BYTES);
    sm->storage.device = arena;
    bool sees_memory = setup->scheduler->needs & LOCKSTEP_NEEDS_MEMORY;
    struct lsu_locality *locality = sees_memory ? lsu_locality_new(setup->l1d, own) : NULL;
    create_cores(sm, locality, own);
    create_spin(sm, setup, own);
    create_lsu(sm, locality, own);
    create_fetch(sm, own);
    core_ops_init(&sm->ops);
    sm->free_blocks = mask_low(p->blocks);
    return sm;
}

void sm_destroy(struct sm *sm)
{
    for (unsigned i = 0; i < WARP_SLOTS; i++)
        simt_warp_free(&sm->warp.slots[i].simt);
    core_ops_free(&sm->ops);
    lsu_free(&sm->lsu);
    vec_free(&sm->unsynced);
    vec_free(&sm->barrier_events);
    watch_phases_free(&sm->consumers.phases);
    spin_destroy(sm->spin);
    arena_free(&sm->arena);
}

/* Launch */

static unsigned bank_of(const struct isa_function *function, const struct isa_operand *operand, unsigned banks)
{
    const struct isa_reg *reg = &function->regs[operand->reg];
    return reg->bank_id % banks;
}

/* Whether an earlier source operand has the same number: registers of different types share numbers, as in GPGPU-Sim.
 */
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

/* The number behind those of registers: see sm_kernel.one_in_flight. */
#define ONE_IN_FLIGHT BIT64(63)

/* A lock that its lanes may wait for in a queue. They go on when each has it, before the instruction is complete. */
static bool may_queue(const struct sm_kernel *kernel, const struct isa_instr *instr)
{
    return kernel->grid->lock_queues.used && isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_TAKE;
}

/* A store or atomic that waits like a fence before it issues. */
static bool waits_before(const struct isa_instr *instr, bool l1_keeps)
{
    return isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC) &&
           order_waits_before(lsu_meaning(instr), l1_keeps);
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
    d->uses = uses;
    d->timing.writes = writes;
    d->timing.write_count = instr->write_count + holds_up;
    d->changes_frame = instr->op == ISA_OP_CALL || instr->op == ISA_OP_RET;
    bool at_once =
        instr->call && instr->call->callee < module->function_count && module->functions[instr->call->callee].intrinsic;
    d->after = at_once                                 ? INSTR_AFTER_OWN
               : waits_before(instr, kernel->l1_keeps) ? INSTR_AFTER_FENCE
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

static uint16_t cycles_of(const struct sm_params *params, const uint16_t *places, enum isa_latency latency)
{
    uint32_t own = *(const uint32_t *)((const char *)params + places[latency]);
    uint32_t like = *(const uint32_t *)((const char *)params + places[isa_latency_like(latency)]);
    return (uint16_t)(own ? own : like);
}

/* Products that may have been meant for the SFU run on SP units where that does not multiply. */
static uint8_t unit_of(const struct isa_instr *instr, const struct sm_params *params)
{
    bool product = instr->latency == ISA_LATENCY_INT_MUL || instr->latency == ISA_LATENCY_INT_MAD ||
                   instr->unit == ISA_UNIT_EITHER;
    return product && !params->sfu_multiplies ? ISA_UNIT_SP : instr->unit;
}

void sm_prepare(struct sm_kernel *kernel, const struct sm_params *params, struct arena *arena)
{
    const struct isa_module *module = kernel->grid->code->module;
    uint32_t numbers = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].number_count > numbers)
            numbers = module->functions[f].number_count;
    kernel->one_in_flight = params->one_in_flight || simt_way_of(kernel->grid)->forming != NULL;
    unsigned words = kernel->scoreboard_words = (numbers + kernel->one_in_flight) / 64 + 1;
    uint16_t *branches = ARENA_NEW(arena, uint16_t, module->instr_count + 1);
    spin_number_branches(module, branches);
    kernel->longest = 0;
    kernel->decoded = ARENA_NEW(arena, struct decoded_instr, module->instr_count + 1);
    uint64_t *sets = ARENA_NEW(arena, uint64_t, 3 * words * (module->instr_count + 1));
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            const struct isa_instr *instr = &module->instrs[pc];
            struct decoded_instr *d = &kernel->decoded[pc];
            d->timing.unit = unit_of(instr, params);
            d->structural = (uint8_t)warp_account_unit(d->timing.unit);
            d->timing.latency = cycles_of(params, latency_at, instr->latency);
            kernel->longest = d->timing.latency > kernel->longest ? d->timing.latency : kernel->longest;
            d->timing.interval = cycles_of(params, interval_at, instr->latency);
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

unsigned sm_occupancy(const struct sm_params *params, unsigned threads, uint32_t shared_bytes, uint32_t registers,
                      const char **limiter)
{
    uint32_t padded = (uint32_t)round_up_u64(threads ? threads : 1, params->warp_size);
    uint32_t per_thread = (uint32_t)round_up_u64(registers, params->register_unit);
    struct {
        uint32_t blocks;
        const char *what;
    } limits[] = {
        {params->threads / padded, "threads"},
        {params->warps / (padded / params->warp_size), "warps"},
        {params->blocks, "blocks"},
        {per_thread ? params->registers / (per_thread * padded) : UINT32_MAX, "registers"},
        {shared_bytes ? params->shared_bytes / shared_bytes : UINT32_MAX, "shared"},
    };
    unsigned best = 0;
    for (unsigned i = 1; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].blocks < limits[best].blocks)
            best = i;
    if (limiter)
        *limiter = limits[best].what;
    return limits[best].blocks;
}

void sm_begin(struct sm *sm, const struct sm_kernel *kernel, uint64_t cycle)
{
    const struct sm_params *p = sm->params;
    sm->kernel = kernel;
    sm->agenda.now = cycle;
    sm->watch = watch_of(kernel->watched, sm->setup.index);
    memset(sm->told_waits, 0, sizeof sm->told_waits);
    sm->next_age = sm->next_block = 0;
    sm->unsynced.count = 0;
    watch_phases_begin(&sm->consumers.phases, kernel->log_phases);
    lsu_begin(&sm->lsu, &(struct lsu_launch){.module = kernel->grid->code->module,
                                             .lock_queues = kernel->grid->lock_queues.used,
                                             .threads_per_block = kernel->threads_per_block,
                                             .max_blocks = kernel->max_blocks});
    sm->free_threads = p->threads;
    sm->free_shared = p->shared_bytes;
    sm->free_registers = p->registers;
    sm->free_blocks = mask_low(kernel->max_blocks < p->blocks ? kernel->max_blocks : p->blocks);
    fetch_begin(&sm->fetch, &(struct fetch_launch){.module_size = kernel->grid->code->module->instr_count,
                                                   .first_pc = kernel->grid->kernel->first});
    sm_all_due(sm);
    sm->counted = cycle;
    warp_begin(&sm->warp, kernel->decoded, kernel->scoreboard_words, mask_low(p->warps), cycle);
    watch_noted_begin(&sm->consumers.noted);
    sm_storage_begin(sm);
    if (sm->spin)
        spin_begin(sm->spin, kernel->grid->code->module, kernel->grid->kernel->first, cycle);
    const struct lockstep_scheduler_setup policy = {
        .count = core_schedulers(p),
        .cycle = cycle,
        .instructions = kernel->grid->kernel->count,
        .options = sm->setup.scheduler_options,
    };
    sm->looks_at_issue = kernel->grid->forms || sm->spin;
    bool rows = kernel->grid->forms && p->form_reads == SM_FORM_READS_ROWS;
    EACH_CORE (sm, core)
        core_begin(core, &policy, kernel->longest, rows);
}

HOT bool sm_can_launch(const struct sm *sm)
{
    const struct sm_kernel *k = sm->kernel;
    return sm->free_blocks && sm->free_threads >= k->threads_per_block && sm->free_shared >= k->shared_bytes &&
           sm->free_registers >= k->registers * k->threads_per_block;
}

HOT bool sm_block_may_end(const struct sm *sm)
{
    for (uint64_t rest = sm->warp.finished; rest;) {
        const struct sm_block *block = &sm->blocks[sm->warp.slots[mask_first(rest)].block];
        if (!(block->incomplete & ~sm->warp.finished))
            return true;
        rest &= ~block->warps;
    }
    return false;
}

/* The lowest run of consecutive free warp slots that a block fits in, or CORE_NONE: a block's warps lie side by side.
 */
static uint32_t find_slots(const struct sm *sm, unsigned warps)
{
    uint64_t free = ~sm->warp.resident & mask_low(sm->params->warps);
    for (unsigned first = 0; first + warps <= sm->params->warps; first++)
        if ((free >> first & mask_low(warps)) == mask_low(warps))
            return first;
    return CORE_NONE;
}

static void launch_warp(struct sm *sm, struct sm_block *block, unsigned slot, unsigned index, uint64_t cycle)
{
    const struct sm_kernel *k = sm->kernel;
    struct warp_slot *warp = &sm->warp.slots[slot];
    unsigned threads = k->grid->block[0] * k->grid->block[1] * k->grid->block[2], width = sm->params->warp_size;
    unsigned first = index * width, lanes = threads - first < width ? threads - first : width;
    warp_start(&sm->warp, slot, (unsigned)(block - sm->blocks), sm->next_age++);
    fetch_launched(&sm->fetch, slot);
    sm->issued_before[slot] = 0;
    lsu_warp_begins(&sm->lsu, slot);
    warp->simt.sm = (uint16_t)sm->setup.index;
    warp->simt.slot = (uint16_t)slot;
    simt_warp_start(&warp->simt, &block->simt, index, lanes);
    sm_form_launched(sm, slot);
    sm_warp_begins(sm, slot, cycle, false);
}

void sm_warp_begins(struct sm *sm, unsigned slot, uint64_t cycle, bool again)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    if (sm->lsu.locality)
        lsu_locality_launched(sm->lsu.locality, slot);
    core_view_begins(&sm->views, slot, warp->age, warp->block, simt_pc(&warp->simt));
    core_warp_launched(sm_core(sm, slot), slot);
    if (sm->spin)
        spin_launched(sm->spin, slot, cycle);
    sm_tell_launch(sm, slot, cycle, again);
}

static void clear_slots(struct sm *sm, uint64_t slots)
{
    warp_clear(&sm->warp, slots);
    sm_each_set(sm, warp_set_clear, &slots);
}

void sm_count_warps(struct sm *sm, uint64_t cycle)
{
    uint64_t cycles = cycle - sm->counted;
    sm->stats.warp_cycles += cycles * mask_count(sm->warp.resident);
    sm->stats.busy_cycles += sm->warp.resident ? cycles : 0;
    sm->stats.barrier_cycles += cycles * mask_count(sm->warp.waits.barrier);
    sm->counted = cycle;
}

/* Warps that spin control holds back spend `cycles` so; of those that are delayed, `over` may issue in this one. */
static void pass_spinning(struct sm *sm, uint64_t cycles, unsigned over)
{
    uint64_t held = sm_backed_off(sm);
    if (held)
        spin_pass(sm->spin, cycles, mask_count(held), mask_count(sm->warp.waits.delay & held) - over);
}

/* Goes to a cycle before which nothing can happen. */
HOT static void skip_to(struct sm *sm, uint64_t cycle)
{
    EACH_CORE (sm, core) {
        core_skip(core, cycle);
        core_collect_ends(core);
    }
    warp_cycle_begins(&sm->warp, cycle);
    if (RARELY(sm->spin))
        pass_spinning(sm, cycle - sm->agenda.now, 0);
    if (sm->agenda.made_progress) {
        if (agenda_has(&sm->agenda, DUE_PIPE | DUE_REFUSED))
            lsu_count_refusals(&sm->lsu);
        agenda_passed(&sm->agenda);
    }
    sm->agenda.now = cycle;
}

void sm_launch(struct sm *sm, const uint32_t index[3], uint64_t cycle)
{
    const struct sm_kernel *k = sm->kernel;
    if (cycle > sm->agenda.now)
        skip_to(sm, cycle);
    sm_count_warps(sm, cycle);
    unsigned block_slot = mask_first(sm->free_blocks);
    struct sm_block *block = &sm->blocks[block_slot];
    uint32_t first = find_slots(sm, k->warps_per_block);
    uint64_t slots = mask_low(k->warps_per_block) << first;
    sm->free_blocks &= ~BIT64(block_slot);
    sm->free_threads -= k->threads_per_block;
    sm->free_shared -= k->shared_bytes;
    sm->free_registers -= k->registers * k->threads_per_block;
    block->used = true;
    block->simt.grid = k->grid;
    memcpy(block->simt.index, index, sizeof block->simt.index);
    block->simt.shared_bytes = k->shared_bytes;
    if (k->shared_bytes)
        memset(block->simt.shared, 0, k->shared_bytes);
    block->warps = block->incomplete = slots;
    sm_barriers_init(&block->barriers, k->warps_per_block);
    block->at_grid = 0;
    lsu_block_begins(&sm->lsu, block_slot, slots);
    clear_slots(sm, slots);
    core_view_block(
        &sm->views, block_slot,
        &(struct lockstep_block_view){.number = sm->next_block++, .warps = slots, .live = k->warps_per_block});
    for (unsigned i = 0; i < k->warps_per_block; i++)
        launch_warp(sm, block, first + i, i, cycle);
    warp_come(&sm->warp, slots);
    agenda_add(&sm->agenda, DUE_FETCH);
}

/* Cycles */

static void give_all_cycles(struct sm *sm)
{
    EACH_CORE (sm, core)
        core_give_all(core, sm->agenda.now);
}

void sm_settle(struct sm *sm, uint64_t cycle)
{
    if (cycle > sm->agenda.now)
        skip_to(sm, cycle);
    sm_count_warps(sm, sm->agenda.now);
    give_all_cycles(sm);
}

/* Warps that are still taken for delayed, but may issue in this cycle. */
static unsigned delays_over(const struct sm *sm, uint64_t cycle)
{
    unsigned over = 0;
    for (uint64_t rest = sm->warp.waits.delay & sm_backed_off(sm); rest; rest &= rest - 1)
        over += sm->warp.slots[mask_first(rest)].wake <= cycle;
    return over;
}

/* Whether the next cycle must be stepped. Where nothing is due, nothing happens before an event: a packet, a result,
 * the network taking requests again (sm_can_send), a sleeper waking. */
static inline bool must_step(const struct sm *sm)
{
    if (agenda_has(&sm->agenda, DUE_NEXT) || sm->lsu.fences.reached ||
        (agenda_has(&sm->agenda, DUE_PIPE | DUE_REFUSED) && sm->agenda.made_progress && lsu_must_retry(&sm->lsu)))
        return true;
    if (RARELY(sm->out) && sm_form_due(sm))
        return true;
    return sm->warp.changed && sm_can_go_on(sm);
}

/* The next cycle with an event of the SM's own. */
HOT static uint64_t next_event(const struct sm *sm)
{
    uint64_t next = CYCLE_NEVER;
    EACH_CORE (sm, core)
        next = cycle_min(next, core_next(core, sm->agenda.now));
    if (agenda_has(&sm->agenda, DUE_SHARED | DUE_PIPE))
        next = cycle_min(next, lsu_next(&sm->lsu, sm->agenda.now));
    if (warp_waits_timed(&sm->warp.waits))
        next = cycle_min(next, warp_next_wake(&sm->warp));
    return next < sm->agenda.now ? sm->agenda.now : next;
}

/* Whether a step leaves the SM idle or faulted, which it does rarely. */
static inline uint32_t state_of(const struct sm *sm)
{
    if (sm->warp.resident && !sm->has_fault)
        return 0;
    return (sm_idle(sm) ? SM_STATE_IDLE : 0) | (sm->has_fault ? SM_STATE_FAULTED : 0);
}

static inline void step_units(struct sm *sm)
{
    bool more = false;
    EACH_CORE (sm, core)
        more |= core_execute(core);
    if (!more)
        agenda_done(&sm->agenda, DUE_UNITS);
}

static inline void step_collectors(struct sm *sm)
{
    bool more = false;
    EACH_CORE (sm, core)
        more |= core_collect(core);
    if (!more)
        agenda_done(&sm->agenda, DUE_COLLECT);
}

/* A stage that has nothing to do is passed over. */
HOT struct sm_turn sm_step(struct sm *sm, uint64_t cycle)
{
    if (cycle > sm->agenda.now)
        skip_to(sm, cycle);
    agenda_step(&sm->agenda);
    if (RARELY(sm->spin))
        pass_spinning(sm, 1, delays_over(sm, cycle));
    EACH_CORE (sm, core)
        if (core_results_due(core, cycle))
            sm_writeback(sm, core);
    if (agenda_has(&sm->agenda, DUE_UNITS))
        step_units(sm);
    if (agenda_has(&sm->agenda, DUE_PORT) || (agenda_has(&sm->agenda, DUE_SHARED) && lsu_shared_due(&sm->lsu, cycle)))
        lsu_writeback(&sm->lsu);
    if (agenda_has(&sm->agenda, DUE_COLLECT))
        step_collectors(sm);
    EACH_CORE (sm, core)
        core_collect_ends(core);
    if (agenda_has(&sm->agenda, DUE_LSU)) {
        if (agenda_has(&sm->agenda, DUE_PROBES))
            lsu_serve_probes(&sm->lsu);
        lsu_step(&sm->lsu);
    }
    if ((sm->warp.changed | sm->out) || warp_waits_timed(&sm->warp.waits) || sm->lsu.fences.reached || sm->has_fault ||
        sm->grid.open)
        sm_issue(sm);
    warp_cycle_begins(&sm->warp, cycle + 1);
    if (agenda_has(&sm->agenda, DUE_DECODE))
        fetch_decode(&sm->fetch);
    if (agenda_has(&sm->agenda, DUE_FETCH))
        fetch_step(&sm->fetch);
    if (agenda_has(&sm->agenda, DUE_SEND) && sm->lsu.net.instructions.count)
        lsu_send_instructions(&sm->lsu);
    if (RARELY(!sm->warp.resident && l1_keeps(&sm->lsu.l1d)))
        lsu_end_writes(&sm->lsu);
    sm_tell_waits(sm);
    sm->agenda.now = cycle + 1;
    uint32_t state = state_of(sm);
    if (must_step(sm))
        return (struct sm_turn){sm->agenda.now, state};
    if (!lsu_has_requests(&sm->lsu))
        return (struct sm_turn){next_event(sm), state};
    return (struct sm_turn){sm_can_send(sm) ? sm->agenda.now : next_event(sm), state | SM_STATE_SENDING};
}

/* The ends of the networks: see interface.c */

/* Takes packets from the network into the SM: instruction lines go to the instruction cache, the rest to the load/store
 * unit. */
HOT uint32_t sm_eject(struct sm *sm)
{
    uint32_t members = 0;
    const struct packet *line = lsu_first_instructions(&sm->lsu);
    if (line)
        members = fetch_line(&sm->fetch, line->fill);
    lsu_pass_on(&sm->lsu);
    lsu_eject(&sm->lsu);
    bool line_came = agenda_has(&sm->agenda, DUE_FETCH) && sm->fetch.came;
    bool arrivals = sm->lsu.responses.count || line_came;
    return (sm->lsu.net.ejected.count ? SM_STATE_HOLDING : 0) | (arrivals ? SM_STATE_ARRIVALS : 0) |
           (sm_idle(sm) ? SM_STATE_IDLE : 0) | members * SM_STATE_NEIGHBOUR;
}

void sm_take_probe(struct sm *sm)
{
    lsu_take_probe(&sm->lsu);
}

HOT bool sm_can_send(const struct sm *sm)
{
    return lsu_can_send(&sm->lsu);
}

bool sm_memory_rests(const struct sm *sm)
{
    return lsu_memory_rests(&sm->lsu);
}

HOT bool sm_idle(const struct sm *sm)
{
    return !sm->warp.resident && !sm->ops.live && lsu_idle(&sm->lsu);
}

const struct sm_fault *sm_faulted(const struct sm *sm)
{
    return sm->has_fault ? &sm->fault : NULL;
}

const struct sm_unsynced_list *sm_unsynced_of(const struct sm *sm)
{
    return &sm->unsynced;
}

void sm_flush(struct sm *sm)
{
    fetch_empty_cache(&sm->fetch);
    lsu_flush(&sm->lsu);
}

void sm_refresh(struct sm *sm, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                void *context)
{
    lsu_refresh(&sm->lsu, read, context);
}

void sm_peek(const struct sm *sm, uint64_t address, uint8_t *to, uint32_t bytes)
{
    l1_peek(&sm->lsu.l1d, address, to, bytes);
}

void sm_warp_state(const struct sm *sm, unsigned slot, struct sm_warp_state *state)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    *state = (struct sm_warp_state){.resident = mask_has(sm->warp.resident, slot)};
    if (!state->resident)
        return;
    state->finished = mask_has(sm->warp.finished, slot);
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++)
        state->waits |= (uint32_t)mask_has(sm->warp.waits.of[w], slot) << w;
    state->in_flight = warp->in_flight || warp->stores_out;
    state->needs_access = warp->in_flight && mask_has(warp_needs_values(&sm->warp), slot);
    memcpy(state->block, warp->simt.block->index, sizeof state->block);
    state->index = warp->simt.index;
    state->live = warp->simt.live;
    state->warp = &warp->simt;
    const struct watch_noted_warp *noted = &sm->consumers.noted.warps[slot];
    state->last_sync_address = noted->last_sync_address;
    state->last_sync_pc = noted->last_sync_pc;
    state->last_sync_shared = noted->last_sync_shared;
    state->shared_base = watch_shared_base(warp->block);
    state->issued = sm->views.warps[slot].issued - sm->issued_before[slot];
    state->sync_ops = noted->sync_ops;
    state->takes = noted->takes;
    state->written = sm->consumers.noted.written.by_warp[slot];
    const struct simt_barrier *barrier = &sm->barrier_of[slot];
    state->barrier = barrier->mode == ISA_BARRIER_GRID ? SM_GRID_BARRIER : barrier->id;
    state->barrier_threads = barrier->threads;
    if (!state->finished) {
        state->pc = simt_pc(&warp->simt);
        state->mask = warp->simt.paths.now->mask;
    }
}

uint64_t sm_residents(const struct sm *sm)
{
    return sm->warp.resident;
}

uint64_t sm_changes(const struct sm *sm)
{
    return sm->consumers.noted.written.changes;
}

const struct sm_grid_barrier *sm_grid_barrier(const struct sm *sm)
{
    return &sm->grid;
}

void sm_open_grid(struct sm *sm)
{
    sm->grid.open = sm->grid.blocks != 0;
}

uint64_t sm_threads_ended(const struct sm *sm)
{
    return sm->threads_ended;
}

uint64_t sm_work_done(const struct sm *sm)
{
    return sm->consumers.noted.work_done;
}

const struct spin_stats *sm_spin_stats(const struct sm *sm)
{
    static const struct spin_stats none = {0};
    return sm->spin ? spin_stats_of(sm->spin) : &none;
}

const struct sm_stats *sm_stats_of(struct sm *sm)
{
    const struct sm_params *p = sm->params;
    const struct lockstep_scheduler *policy = sm->setup.scheduler;
    sm_count_warps(sm, sm->agenda.now);
    if (sm->stats.warp_instructions && !sm->stats.stack_depth)
        sm->stats.stack_depth = 1;
    if (policy->hardware_bits)
        sm->stats.scheduler_bits =
            policy->hardware_bits(p->warps, p->blocks, core_schedulers(p), sm->setup.scheduler_options);
    sm->stats.transactions = sm->lsu.transactions_made;
    sm->stats.shared_conflict_cycles = sm->lsu.shared_conflict_cycles;
    sm->stats.control_flushes = sm->fetch.stats.control_flushes;
    sm->stats.decoded_instructions = sm->fetch.stats.decoded_instructions;
    sm->stats.decoded_operations = sm->fetch.stats.decoded_operations;
    sm->stats.extra_issues = 0;
    EACH_CORE (sm, core)
        sm->stats.extra_issues += core->issue.extra_issues;
    return &sm->stats;
}

const struct core_stalls *sm_stalls_of(struct sm *sm)
{
    give_all_cycles(sm);
    sm->stalls = (struct core_stalls){0};
    EACH_CORE (sm, core)
        for (unsigned s = 0; s < CORE_STALL_COUNT; s++)
            (&sm->stalls.issued)[s] += (&core->stalls.issued)[s];
    return &sm->stalls;
}

const struct warp_causes *sm_causes_of(struct sm *sm)
{
    sm->causes = warp_account_read(&sm->warp);
    return &sm->causes;
}

const struct watch_phase_stats *sm_phase_stats_of(const struct sm *sm)
{
    return &sm->consumers.phases.stats;
}

const struct watch_phase_row *sm_phase_rows(const struct sm *sm, size_t *count)
{
    *count = sm->consumers.phases.log.count;
    return sm->consumers.phases.log.items;
}

void sm_publish(struct sm *sm, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                void *context)
{
    lsu_publish(&sm->lsu, put, context);
}

const struct agent_stats *sm_agent_stats(const struct sm *sm)
{
    return l1_agent_stats(&sm->lsu.l1d);
}

const struct lsu_latency_stats *sm_latencies(const struct sm *sm)
{
    return &sm->lsu.latencies;
}

const struct coherence_side *sm_coherence(const struct sm *sm)
{
    return sm->lsu.l1d.side;
}

const struct cache_stats *sm_l1_stats(const struct sm *sm, unsigned which)
{
    static const struct cache_stats none = {0}; /* counted with the first SM that shares it */
    if (which == 0 && sm->fetch.member)
        return &none;
    return cache_stats_of(which == 0 ? sm->fetch.l1i : which == 1 ? sm->lsu.l1c : sm->lsu.l1d.cache);
}

void sm_stats_reset(struct sm *sm)
{
    sm->stats = (struct sm_stats){0};
    EACH_CORE (sm, core)
        core_reset_stats(core);
    lsu_reset_stats(&sm->lsu);
    warp_account_reset(&sm->warp, &(struct warp_causes){0});
    warp_account_begin(&sm->warp, sm->agenda.now);
    watch_phases_reset_stats(&sm->consumers.phases);
    if (sm->spin)
        spin_stats_reset(sm->spin);
    fetch_reset_stats(&sm->fetch);
}
