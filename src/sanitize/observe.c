/* The observer: from events to accesses, fences and barriers. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/mod_values.h"
#include "sanitize/state.h"

/* Of an SM. */
struct sanitize_sm {
    struct sanitize *all;
    uint32_t sm;
};

static const struct isa_instr *instr_at(const struct sanitize *s, uint32_t pc)
{
    return &s->module->instrs[pc];
}

/* Warps and blocks */

static void begin_block(struct sanitize *s, struct sanitize_block *block, const uint32_t index[3])
{
    sanitize_reset_block(s, block);
    memcpy(block->index, index, sizeof block->index);
    block->number = ++s->block_count;
}

static void launch(void *state, const struct lockstep_launch_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize *s = sm->all;
    struct sanitize_warp *w = sanitize_warp_at(s, sm->sm, e->warp);
    struct sanitize_block *block = sanitize_block_at(s, sm->sm, e->block);
    if (!block->number)
        begin_block(s, block, e->block_index);
    sanitize_reset_warp(s, w);
    sanitize_next_epoch(w);
    struct sanitize_crew crew = {
        .sm = sm->sm, .slot = e->warp, .block = block->number, .warp = e->warp_in_block,
        .launch = s->launch, .place = s->place, .told = ISA_PC_NONE};
    memcpy(crew.index, e->block_index, sizeof crew.index);
    vec_push(&s->crews, crew);
    w->crew = (uint32_t)s->crews.count;
    w->block = block;
    sanitize_learn(&w->known, &s->begins, s->rows);
}

static void leave(void *state, const struct lockstep_leave_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize *s = sm->all;
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        struct sanitize_warp *w = sanitize_warp_at(s, sm->sm, mask_first(rest));
        if (w->block)
            w->block->number = 0;
        sanitize_reset_warp(s, w);
    }
}

/* Fences and barriers */

static bool is_barrier(const struct isa_instr *instr, unsigned mode)
{
    return (instr->op == ISA_OP_BAR || instr->op == ISA_OP_BARRIER) && instr->mods.barrier == mode;
}

static void come_to_cluster(struct sanitize *s, struct sanitize_warp *w, const struct isa_instr *instr)
{
    if (instr->mods.barrier != ISA_BARRIER_ARRIVE)
        w->at_cluster = true;
    else
        sanitize_come_to_cluster(s, w, instr->mods.order == ISA_ORDER_RELAXED);
}

/* The warp issues, or a copy of its begins: the barrier of its cluster has opened if it waited there. */
static void go_on(struct sanitize *s, struct sanitize_warp *w)
{
    if (w->at_cluster)
        sanitize_leave_cluster(s, w);
}

/* What an instruction opens is told before it. */
static void issue(void *state, const struct lockstep_issue_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize_warp *w = sanitize_warp_at(sm->all, sm->sm, e->warp);
    struct sanitize_block *block = sanitize_block_at(sm->all, sm->sm, e->block);
    const struct isa_instr *instr = instr_at(sm->all, e->pc);
    go_on(sm->all, w);
    if (!e->mask)
        return;
    sanitize_groups(sm->all, w, instr, e->mask);
    if (instr->op == ISA_OP_FENCE_PROXY)
        sanitize_fence_proxies(sm->all, w);
    bool of_proxies = instr->op == ISA_OP_FENCE_PROXY && !instr->mods.order; /* tells other threads nothing */
    if (e->instruction_class == LOCKSTEP_FENCE && !of_proxies)
        sanitize_fence(sm->all, w, sanitize_scope_of(instr));
    else if (isa_is_cluster_barrier(instr))
        come_to_cluster(sm->all, w, instr);
    else if (is_barrier(instr, ISA_BARRIER_ARRIVE))
        sanitize_arrive(sm->all, w, block);
    else if (is_barrier(instr, ISA_BARRIER_WARP))
        sanitize_next_epoch(w);
    else if (instr->op == ISA_OP_GRIDDEPCONTROL && instr->mods.dependent == ISA_DEPENDENT_WAIT)
        sanitize_wait_for_launches(sm->all, w);
    else if (instr->mods.barrier == ISA_BARRIER_GRID)
        sanitize_come_to_grid(sm->all, w);
    block->opened = 0;
}

static void opens(void *state, const struct lockstep_open_event *e)
{
    const struct sanitize_sm *sm = state;
    sanitize_barrier(sm->all, sm->sm, sanitize_block_at(sm->all, sm->sm, e->block), e->warps);
}

/* Accesses */

/* Where an address of an event lies. */
struct place {
    struct sanitize_block *block; /* in its shared memory; NULL: device memory */
    uint64_t address;
    bool gone; /* its block has ended */
};

/* own: the block of the thread that accesses it. */
static struct place place_of(struct sanitize *s, struct sanitize_block *own, uint32_t space, uint64_t address)
{
    if (space == LOCKSTEP_GLOBAL)
        return (struct place){.address = address};
    if (space == LOCKSTEP_SHARED)
        return (struct place){.block = own, .address = address};
    struct sanitize_block *block = sanitize_peer(s, own, LOCKSTEP_CLUSTER_RANK(address));
    return (struct place){.block = block, .address = LOCKSTEP_CLUSTER_OFFSET(address), .gone = !block};
}

/* The cell of its word; NULL: there is none. */
static struct sanitize_cell *cell_at(struct sanitize *s, const struct place *place)
{
    return place->gone ? NULL : sanitize_cell_at(s, place->block, place->address);
}

/* An access under way, of one lane at a time. */
struct lane_access {
    struct sanitize *s;
    struct sanitize_warp *w;
    struct sanitize_block *of; /* the block of its threads */
    const struct lockstep_access_event *event;
    struct place place; /* that the lane accesses */
    struct sanitize_order order;
    bool reads, writes;
    struct sanitize_mark mark;
    struct sanitize_finding at;
};

/* A lane that reads the word again, and has stored nothing meanwhile, waits at it. */
static void look(struct lane_access *a, struct sanitize_cell *cell)
{
    unsigned lane = a->mark.lane;
    struct sanitize_look *looks = a->w->looks[lane], here = {.pc = a->event->pc + 1, .address = a->place.address};
    cell->waited |= instr_at(a->s, a->event->pc)->mods.atomic == ISA_ATOMIC_CAS;
    if (!a->order.strong || !a->reads) {
        if (a->writes)
            memset(looks, 0, sizeof a->w->looks[lane]);
        return;
    }
    for (unsigned i = 0; i < SANITIZE_LOOKS; i++)
        if (looks[i].pc == here.pc && looks[i].address == here.address) {
            cell->waited = true;
            sanitize_note_poll(a->s, a->event->pc);
            return;
        }
    looks[a->w->looked[lane]++ % SANITIZE_LOOKS] = here;
}

/* The stored bytes of the mark, at their places in the word. */
static uint32_t value_in(const struct lane_access *a, uint64_t word)
{
    const uint8_t *data = (const uint8_t *)a->event->data + a->mark.lane * a->event->stride;
    uint32_t value = 0;
    for (unsigned i = 0; i < SANITIZE_WORD; i++)
        if (a->mark.bytes >> i & 1)
            value |= (uint32_t)data[word + i - a->place.address] << (8 * i);
    return value;
}

static void check_words(struct lane_access *a)
{
    uint64_t address = a->place.address, last = address + a->event->bytes;
    struct sanitize_cell *first = cell_at(a->s, &a->place);
    if (first)
        look(a, first);
    for (uint64_t word = sanitize_word_at(address); word < last; word += SANITIZE_WORD) {
        struct sanitize_cell *cell = sanitize_cell_at(a->s, a->place.block, word);
        uint32_t value;
        a->mark.bytes = sanitize_bytes_in(word, address, a->event->bytes);
        a->at.address = word;
        value = a->writes && !a->reads ? value_in(a, word) : 0;
        if (cell)
            sanitize_touch(a->s, cell, &a->mark, a->writes, a->reads ? NULL : &value, &a->at);
    }
}

static bool takes(const struct isa_instr *instr, uint32_t reg)
{
    for (unsigned i = 0; i < instr->src_count; i++)
        if (instr->src[i].kind == ISA_OPERAND_REG && instr->src[i].reg == reg)
            return true;
    return false;
}

/* An exchange whose result nothing of its function takes: it reads what was there, and nobody sees it. */
static bool only_writes(const struct isa_module *module, const struct isa_function *f, const struct isa_instr *instr)
{
    bool atomic = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_ATOMIC;
    if (!atomic || instr->mods.atomic != ISA_ATOMIC_EXCH)
        return false;
    for (unsigned d = 0; d < instr->dst_count; d++)
        for (uint32_t i = 0; i < f->count && instr->dst[d].kind == ISA_OPERAND_REG; i++)
            if (takes(&module->instrs[f->first + i], instr->dst[d].reg))
                return false;
    return true;
}

static void find_overwriting(struct sanitize *s)
{
    for (uint32_t f = 0; f < s->module->function_count; f++) {
        const struct isa_function *function = &s->module->functions[f];
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++)
            s->overwrites[pc] = only_writes(s->module, function, instr_at(s, pc));
    }
}

/* What the operand's value is for, other threads do not see: it is stored, and not to memory that is theirs too. */
static bool only_stored(const struct isa_instr *instr, unsigned operand)
{
    return instr->op == ISA_OP_ST && operand && instr->mods.space != ISA_SPACE_GLOBAL &&
           instr->mods.space != ISA_SPACE_SHARED;
}

/* Registers of the function whose values some instruction takes for something else. */
static void find_used(const struct isa_module *module, const struct isa_function *f, bool *used)
{
    for (uint32_t pc = f->first; pc < f->first + f->count; pc++) {
        const struct isa_instr *instr = &module->instrs[pc];
        for (unsigned i = 0; i < instr->src_count; i++)
            if (instr->src[i].kind == ISA_OPERAND_REG && !only_stored(instr, i))
                used[instr->src[i].reg] = true;
    }
}

/* An address in a parameter of the function, which its call has copied there. */
static bool in_parameter(const struct isa_function *f, const struct isa_operand *o)
{
    for (uint32_t i = 0; o->kind == ISA_OPERAND_FRAME && i < f->param_count; i++)
        if (o->value >= f->params[i].offset && o->value - f->params[i].offset < f->params[i].bytes)
            return true;
    return false;
}

/* Registers of the function that may have come from such an address, wherever they are written. */
static void find_pointers(const struct isa_module *module, const struct isa_function *f, bool *pointers)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = f->first; pc < f->first + f->count; pc++) {
            const struct isa_instr *instr = &module->instrs[pc];
            bool from = false;
            for (unsigned i = 0; i < instr->src_count; i++)
                from |= in_parameter(f, &instr->src[i]) ||
                        (instr->src[i].kind == ISA_OPERAND_REG && pointers[instr->src[i].reg]);
            bool loads = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_MEMORY;
            for (unsigned d = 0; from && !loads && d < instr->dst_count; d++)
                if (instr->dst[d].kind == ISA_OPERAND_REG && !pointers[instr->dst[d].reg])
                    more = pointers[instr->dst[d].reg] = true;
        }
    }
}

/* Structures are copied as they are, whatever they lack, and spilled registers brought back that nobody needs. What a
 * function reads of its parameters by their address was copied by the call. */
static void find_moving(struct sanitize *s)
{
    for (uint32_t f = 0; f < s->module->function_count; f++) {
        const struct isa_function *function = &s->module->functions[f];
        bool *used = base_calloc(function->reg_count + 1, sizeof *used);
        bool *pointers = base_calloc(function->reg_count + 1, sizeof *pointers);
        find_used(s->module, function, used);
        if (!function->is_kernel)
            find_pointers(s->module, function, pointers);
        for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
            const struct isa_instr *instr = instr_at(s, pc);
            s->moves[pc] = instr->op == ISA_OP_LD;
            for (unsigned d = 0; d < instr->dst_count; d++) {
                uint32_t reg = instr->dst[d].reg;
                if (instr->dst[d].kind == ISA_OPERAND_REG && reg < function->reg_count - function->temporaries)
                    s->moves[pc] &= !used[reg];
            }
            const struct isa_operand *at = instr->src;
            s->moves[pc] |= instr->op == ISA_OP_LD && (at->kind == ISA_OPERAND_REG ? pointers[at->reg] : in_parameter(function, at));
        }
        free(used);
        free(pointers);
    }
}

/* An access of local memory; parameters of calls are the compiler's. */
static void check_local(struct sanitize *s, struct sanitize_warp *w, const struct lockstep_access_event *e)
{
    const struct isa_instr *instr = instr_at(s, e->pc);
    unsigned bits = isa_type_bits((enum isa_type)instr->type), bytes = bits < 8 ? 1 : bits / 8;
    bool reads = e->instruction_class != LOCKSTEP_STORE && !s->moves[e->pc] && instr->mods.space != ISA_SPACE_PARAM;
    struct sanitize_mark mark = {.crew = w->crew, .epoch = w->epoch, .pc = e->pc};
    for (uint64_t rest = e->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = e->address[lane];
        mark.lane = (uint8_t)lane;
        for (uint32_t at = 0; reads && at < e->bytes; at += bytes)
            if (sanitize_never_written_local(w, lane, address + at, bytes))
                sanitize_found_unwritten(s, &mark, LOCKSTEP_LOCAL, address + at, bytes, e->cycle);
        if (e->instruction_class != LOCKSTEP_LOAD)
            sanitize_write_local(w, lane, address, e->bytes);
    }
}

static void check_written(struct lane_access *a)
{
    struct sanitize_block *shared = a->place.block;
    unsigned bits = isa_type_bits((enum isa_type)instr_at(a->s, a->event->pc)->type), bytes = bits < 8 ? 1 : bits / 8;
    uint64_t address = a->place.address;
    bool hosts = sanitize_is_hosts(a->s, shared, address);
    bool begins = instr_at(a->s, a->event->pc)->op == ISA_OP_MBARRIER_INIT; /* an object, whatever was there */
    bool looks = a->reads && !hosts && !begins && !a->s->overwrites[a->event->pc];
    for (uint32_t at = 0; looks && at < a->event->bytes; at += bytes)
        sanitize_check_written(a->s, &a->mark, shared, address + at, bytes, a->event->cycle);
    if (a->writes)
        sanitize_write_bytes(a->s, shared, address, a->event->bytes);
}

/* Atomics without a result acquire nothing, but for those that take locks. */
static bool has_result(const struct isa_instr *instr)
{
    return instr->dst_count || isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_TAKE;
}

/* A word that the lane has taken as a lock is written by something else than a compare-and-swap. */
static void give(const struct lane_access *a, const struct sanitize_cell *word)
{
    bool known = !a->reads || instr_at(a->s, a->event->pc)->mods.atomic == ISA_ATOMIC_EXCH;
    const uint8_t *data = (const uint8_t *)a->event->data + a->mark.lane * a->event->stride;
    uint64_t value = 0;
    for (unsigned i = 0; known && i < a->event->bytes && i < sizeof value; i++)
        value |= (uint64_t)data[i] << (8 * i);
    sanitize_give(a->s, a->w, word, a->mark.lane, a->event->pc, known ? &value : NULL);
}

/* Of a strong access, its first word is what threads tell each other by. */
static void synchronise(struct lane_access *a)
{
    const struct isa_instr *instr = instr_at(a->s, a->event->pc);
    struct sanitize_cell *cell = cell_at(a->s, &a->place);
    if (!cell)
        return;
    if (instr->op == ISA_OP_CP_ARRIVE)
        sanitize_arrive_behind(a->s, a->w, BIT64(a->mark.lane), cell);
    else if (a->writes)
        sanitize_release(a->s, a->w, &a->order, a->event->pc, cell);
    if (a->writes && instr->mods.atomic != ISA_ATOMIC_CAS)
        give(a, cell);
    if (a->reads && a->order.shared && (has_result(instr) || isa_looks_at_mbarrier(instr)))
        sanitize_acquire(a->s, a->w, &a->order, a->event->pc, cell);
}

/* Lanes try to take one word, or one each. */
static void try_word(struct lane_access *a)
{
    const uint64_t *address = a->event->address, first = address[mask_first(a->event->mask)];
    bool one = true;
    for (uint64_t rest = a->event->mask; rest; rest &= rest - 1)
        one &= address[mask_first(rest)] == first;
    struct place place = place_of(a->s, a->of, a->event->space, first);
    sanitize_try(a->s, a->w, one ? cell_at(a->s, &place) : NULL);
}

static void remember_reading(struct lane_access *a)
{
    struct sanitize_reading reading = {.pc = a->event->pc, .space = a->event->space, .mask = a->event->mask};
    for (uint64_t rest = reading.mask; rest; rest &= rest - 1)
        reading.address[mask_first(rest)] = a->event->address[mask_first(rest)];
    vec_push(&a->w->readings, reading);
}

static void by_lane(struct lane_access *a, void (*what)(struct lane_access *a))
{
    for (uint64_t rest = a->event->mask; rest; rest &= rest - 1) {
        a->mark.lane = (uint8_t)mask_first(rest);
        a->place = place_of(a->s, a->of, a->event->space, a->event->address[a->mark.lane]);
        if (a->place.gone)
            continue;
        a->mark.locked = sanitize_is_locked(a->s, a->w, a->mark.lane);
        what(a);
    }
}

/* The event `copy` tells of all its accesses. */
static bool is_copy(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_CP_ASYNC || instr->op == ISA_OP_ST_ASYNC || instr->op == ISA_OP_RED_ASYNC;
}

static void access(void *state, const struct lockstep_access_event *e)
{
    const struct sanitize_sm *sm = state;
    const struct isa_instr *instr = instr_at(sm->all, e->pc);
    if (e->space == LOCKSTEP_LOCAL && sm->all->checks & SANITIZE_UNWRITTEN)
        check_local(sm->all, sanitize_warp_at(sm->all, sm->sm, e->warp), e);
    if ((e->space != LOCKSTEP_GLOBAL && e->space != LOCKSTEP_SHARED && e->space != LOCKSTEP_CLUSTER) || is_copy(instr))
        return;
    struct lane_access a = {
        .s = sm->all,
        .w = sanitize_warp_at(sm->all, sm->sm, e->warp),
        .of = sanitize_block_at(sm->all, sm->sm, e->block),
        .event = e,
        .order = sanitize_order_of(instr, e->space),
        .reads = e->instruction_class != LOCKSTEP_STORE,
        .writes = e->instruction_class != LOCKSTEP_LOAD,
        .at = {.space = e->space == LOCKSTEP_GLOBAL ? LOCKSTEP_GLOBAL : LOCKSTEP_SHARED, .cycle = e->cycle}};
    a.mark = (struct sanitize_mark){.crew = a.w->crew,
                                    .epoch = a.w->epoch,
                                    .pc = e->pc,
                                    .strong = a.order.strong,
                                    .wide = a.order.scope == SANITIZE_DEVICE,
                                    .is_volatile = a.order.is_volatile,
                                    .is_atomic = a.order.is_atomic};
    if (a.s->checks & SANITIZE_UNWRITTEN)
        by_lane(&a, check_written);
    if (!(a.s->checks & SANITIZE_RACES))
        return;
    if (instr->mods.atomic == ISA_ATOMIC_CAS)
        try_word(&a);
    by_lane(&a, check_words);
    if (a.order.strong)
        by_lane(&a, synchronise);
    if (a.order.strong && a.reads && (isa_looks_at_mbarrier(instr) || (!a.order.shared && has_result(instr))))
        remember_reading(&a);
}

/* Values of the oldest such instruction of the warp are there: what it read may have been released. */
static void done(void *state, const struct lockstep_done_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize *s = sm->all;
    struct sanitize_warp *w = sanitize_warp_at(s, sm->sm, e->warp);
    size_t at = 0;
    while (at < w->readings.count && w->readings.items[at].pc != e->pc)
        at++;
    if (at == w->readings.count)
        return;
    const struct sanitize_reading *reading = &w->readings.items[at];
    struct sanitize_order order = sanitize_order_of(instr_at(s, e->pc), reading->space);
    for (uint64_t rest = reading->mask; rest; rest &= rest - 1) {
        struct place place = place_of(s, w->block, reading->space, reading->address[mask_first(rest)]);
        const struct sanitize_cell *cell = cell_at(s, &place);
        if (cell)
            sanitize_acquire(s, w, &order, e->pc, cell);
    }
    w->readings.count--;
    memmove(&w->readings.items[at], &w->readings.items[at + 1], (w->readings.count - at) * sizeof *reading);
}

/* An atomic was answered. Lanes that stand in a queue for a lock go on with that, before the instruction is complete.
 */
static void atomic(void *state, const struct lockstep_atomic_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize *s = sm->all;
    const struct isa_instr *instr = instr_at(s, e->pc);
    const struct sanitize_order order = sanitize_order_of(instr, e->space);
    struct sanitize_warp *w = sanitize_warp_at(s, sm->sm, e->warp);
    if (!(s->checks & SANITIZE_RACES) || !e->performed)
        return;
    struct place place = place_of(s, sanitize_block_at(s, sm->sm, e->block), e->space, e->address);
    const struct sanitize_cell *word = cell_at(s, &place);
    if (word && isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_TAKE)
        sanitize_acquire(s, w, &order, e->pc, word);
    if (!word || e->operation != LOCKSTEP_ATOMIC_COMPARE_AND_SWAP || e->before == e->after)
        return;
    const struct sanitize_swap swap = {.pc = e->pc, .acquires = order.acquires, .from = e->before, .to = e->after};
    sanitize_swapped(s, w, word, e->lane, &swap);
}

static void copy(void *state, const struct lockstep_copy_event *e)
{
    const struct sanitize_sm *sm = state;
    struct sanitize_warp *w = sanitize_warp_at(sm->all, sm->sm, e->warp);
    go_on(sm->all, w);
    sanitize_copy_begins(sm->all, sm->sm, w, sanitize_block_at(sm->all, sm->sm, e->block), e);
}

static void mbarrier(void *state, const struct lockstep_mbarrier_event *e)
{
    const struct sanitize_sm *sm = state;
    if (sm->all->checks & SANITIZE_RACES)
        sanitize_mbarrier(sm->all, sm->sm, e);
}

/* Launches */

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct sanitize_sm);
}

static const struct lockstep_observer observer = {
    .version = LOCKSTEP_OBSERVER_VERSION,
    .name = "check",
    .doc = "races, and reads of what was never written",
    .state_bytes = state_bytes,
    .launch = launch,
    .issue = issue,
    .access = access,
    .copy = copy,
    .mbarrier = mbarrier,
    .atomic = atomic,
    .done = done,
    .open = opens,
    .leave = leave,
};

const struct lockstep_observer *sanitize_observer(void)
{
    return &observer;
}

/* Some fence or strong access is of a block's scope. */
static bool is_narrow(const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++)
        if (module->instrs[i].mods.scope == ISA_SCOPE_CTA)
            return true;
    return false;
}

/* What was kept of launches before is forgotten, or (goes_on) made fit for one whose clocks have so many rows. */
static void leave_behind(struct sanitize *s, bool goes_on, uint32_t rows)
{
    if (!goes_on) {
        sanitize_free_launch(s);
        s->rows = rows;
        return;
    }
    sanitize_free_present(s);
    sanitize_keep_words(s, rows, rows + 1);
    s->launch_row = rows;
    s->rows = rows + 1;
}

void sanitize_begin(struct sanitize *s, const struct watch_launch *launched, const struct sanitize_among *among,
                    bool (*host_writes)(const void *context, uint64_t address), const void *context)
{
    uint32_t sms = launched->observed.sms;
    const void **states = base_calloc(sms, sizeof *states);
    bool goes_on = sanitize_goes_on(s, among);
    contract(launched->observed.warps <= SANITIZE_WARPS);
    leave_behind(s, goes_on, isa_has_mbarriers(launched->module) ? 2 * sms : sms);
    s->module = launched->module;
    s->sms = sms;
    sanitize_enter(s, goes_on ? among : &(struct sanitize_among){.place = among->place}, launched);
    for (unsigned i = 0; i < 3; i++)
        s->cluster[i] = launched->observed.cluster[i] ? launched->observed.cluster[i] : 1;
    s->objects = base_calloc(sms, sizeof *s->objects);
    s->phases = base_calloc((size_t)sms * SANITIZE_WARPS, sizeof *s->phases);
    s->flights = base_calloc(sms, sizeof *s->flights);
    s->host_writes = host_writes;
    s->context = context;
    s->narrow = is_narrow(s->module);
    s->warps = base_calloc((size_t)sms * SANITIZE_WARPS, sizeof *s->warps);
    s->blocks = base_calloc((size_t)sms * SANITIZE_WARPS, sizeof *s->blocks);
    s->polls = base_calloc(s->module->instr_count + 1, sizeof *s->polls);
    sanitize_find_polls(s);
    s->overwrites = base_calloc(s->module->instr_count + 1, sizeof *s->overwrites);
    find_overwriting(s);
    s->moves = base_calloc(s->module->instr_count + 1, sizeof *s->moves);
    find_moving(s);
    watch_launch_states(launched, &observer, states);
    for (uint32_t i = 0; i < sms; i++)
        *(struct sanitize_sm *)(uintptr_t)states[i] = (struct sanitize_sm){.all = s, .sm = i};
    free(states);
}

const struct sanitize_finding *sanitize_end(struct sanitize *s, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->findings.count; i++) {
        struct sanitize_finding *f = &s->findings.items[i];
        if (sanitize_waited(s, f))
            continue;
        f->cell = NULL;
        s->findings.items[kept++] = *f;
    }
    s->findings.count = *count = kept;
    return s->findings.items;
}
