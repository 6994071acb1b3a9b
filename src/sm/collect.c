/* Operand collection. An issued instruction waits in an ID/OC register, moves into a free collector of its class, reads
 * its operands from the register banks (one read or write per bank and cycle, one operand per collector and cycle), and
 * leaves through an OC/EX register to a unit. */
#include "sm/sm_impl.h"

/* The bank that holds a warp's register: decoded banks count from warp slot 0. */
static unsigned bank_for(const struct sm *sm, unsigned slot, unsigned decoded)
{
    unsigned bank = decoded + sm->collect.placed[slot].shift;
    return bank < sm->params->register_banks ? bank : bank - sm->params->register_banks;
}

/* The collector whose op leaves next, looking round robin, or SM_NONE. Memory instructions leave in the order of issue,
 * or an access could overtake one to the same address, of its own warp or of one it met at a barrier. */
static inline unsigned next_to_leave(const struct sm *sm, const struct sm_collectors *c, enum warp_unit unit)
{
    if (warp_unit_is_memory(unit) && sm->params->memory_in_order)
        return c->line_count && (c->ready >> c->held->line[c->line_head] & 1) ? c->held->line[c->line_head] : SM_NONE;
    uint32_t behind = c->ready & (~1u << c->last_left);
    return c->ready ? (unsigned)__builtin_ctz(behind ? behind : c->ready) : SM_NONE;
}

/* Collectors with all operands leave, up to one per port. */
static inline void leave_collectors(struct sm *sm, enum warp_unit unit)
{
    struct sm_collectors *c = &sm->collect.classes[unit];
    struct sm_fifo *out = &sm->oc_ex[unit];
    for (unsigned port = 0; port < c->ports && !sm_fifo_full(out); port++) {
        unsigned index = next_to_leave(sm, c, unit);
        if (index == SM_NONE)
            return;
        uint32_t bit = 1u << index;
        sm_made_progress(&sm->agenda);
        sm_fifo_push(out, c->held->op[index]);
        c->used ^= bit;
        c->ready ^= bit;
        c->last_left = (uint8_t)index;
        sm_agenda_add(&sm->agenda, warp_unit_is_memory(unit) ? SM_DUE_DISPATCH : SM_DUE_UNITS);
        if (warp_unit_is_memory(unit)) {
            c->line_head = (c->line_head + 1) % SM_MAX_COLLECTORS;
            c->line_count--;
        }
    }
}

/* Places of reads: class, collector, operand. */
static unsigned read_place(enum warp_unit unit, unsigned collector, unsigned operand)
{
    return ((unsigned)unit * SM_MAX_COLLECTORS + collector) * SM_MAX_READS + operand;
}

static void reset_class(struct sm_collect *collect, enum warp_unit unit, uint32_t collectors, uint32_t ports)
{
    collect->held[unit] = (struct sm_collected){.line = {0}};
    collect->classes[unit] = (struct sm_collectors){.all = (uint32_t)mask_low(collectors),
                                                    .count = (uint8_t)collectors,
                                                    .ports = (uint8_t)ports,
                                                    .last_left = (uint8_t)(collectors - 1),
                                                    .held = &collect->held[unit]};
}

void sm_collect_reset(struct sm *sm)
{
    const struct sm_params *p = sm->params;
    struct sm_collect *collect = &sm->collect;
#define UNIT(name, takes, side, ...) reset_class(collect, WARP_UNIT_##name, p->collectors_##name, p->ports_##name);
#include "warp/units.def"
#undef UNIT
    collect->waiting = collect->queued = collect->written = 0;
    collect->all = mask_low(p->register_banks);
    for (unsigned slot = 0; slot < p->warps; slot++) {
        unsigned shift = p->bank_by_warp ? slot % p->register_banks : 0;
        collect->placed[slot] =
            (struct sm_placement){.shift = (uint8_t)shift, .back = (uint8_t)((p->register_banks - shift) % 64)};
    }
}

/* An operand's read of a bank at which it is another's turn. */
static void queue_read(struct sm *sm, unsigned bank, unsigned place)
{
    struct sm_bank *b = &sm->collect.banks[bank];
    if (mask_has(sm->collect.queued, bank))
        sm->collect.next_read[b->last] = (uint16_t)place;
    else
        b->first = (uint16_t)place;
    b->last = (uint16_t)place;
    sm->collect.queued |= BIT64(bank);
}

/* The next read of a bank's queue has its turn. */
static void next_turn(struct sm *sm, unsigned bank)
{
    struct sm_bank *b = &sm->collect.banks[bank];
    unsigned place = b->first, collector = place / SM_MAX_READS % SM_MAX_COLLECTORS;
    struct sm_collectors *c = &sm->collect.classes[place / SM_MAX_READS / SM_MAX_COLLECTORS];
    c->held->turn[collector] |= BIT64(bank);
    c->held->behind[collector]--;
    sm->collect.waiting |= BIT64(bank);
    if (place == b->last)
        sm->collect.queued &= ~BIT64(bank);
    else
        b->first = sm->collect.next_read[place];
}

/* The first banks of a set, as many as a collector may read in a cycle, going round from bank_from. */
static uint64_t first_reads(const struct sm *sm, uint64_t banks)
{
    uint64_t before = mask_low(sm->collect.bank_from), chosen = 0;
    for (unsigned i = 0; i < sm->params->collector_reads; i++) {
        uint64_t rest = banks & ~chosen, behind = rest & ~before;
        chosen |= behind ? behind & -behind : rest & -rest;
    }
    return chosen;
}

/* The collectors of a class read what they can from the open banks. Returns the banks that were read. */
static inline uint64_t read_operands(const struct sm *sm, struct sm_collectors *c, uint64_t open)
{
    uint64_t read = 0;
    uint32_t done = 0;
    unsigned most = sm->params->collector_reads;
    for (uint32_t rest = c->reading; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint64_t turn = c->held->turn[i], banks = turn & open;
        if (mask_count(banks) > most)
            banks = first_reads(sm, banks);
        c->held->turn[i] = turn ^ banks;
        read |= banks;
        if (turn == banks && !c->held->behind[i])
            done |= rest & -rest;
    }
    c->reading ^= done;
    c->ready |= done;
    return read;
}

/* Every bank that is not written serves the read whose turn it is, unless that collector receives enough already. */
static void read_banks(struct sm *sm)
{
    uint64_t open = sm->collect.waiting & ~sm->collect.written, read = 0;
#define UNIT(name, takes, side, ...)                                                                                   \
    if (sm->collect.classes[WARP_UNIT_##name].reading)                                                                 \
        read |= read_operands(sm, &sm->collect.classes[WARP_UNIT_##name], open);
#include "warp/units.def"
#undef UNIT
    sm_made_progress_if(&sm->agenda, read != 0);
    sm->collect.waiting &= ~read;
    for (uint64_t rest = read & sm->collect.queued; rest; rest &= rest - 1)
        next_turn(sm, mask_first(rest));
    sm->collect.bank_from = sm->collect.bank_from + 1 < sm->params->register_banks ? sm->collect.bank_from + 1 : 0;
}

/* An operand's read asks its bank for a turn. */
static inline void ask_bank(struct sm *sm, struct sm_collectors *c, unsigned collector, unsigned bank, unsigned place)
{
    if (mask_has(sm->collect.waiting, bank)) {
        queue_read(sm, bank, place);
        c->held->behind[collector]++;
    } else {
        sm->collect.waiting |= BIT64(bank);
        c->held->turn[collector] |= BIT64(bank);
    }
}

/* Operands of threads that began in several warps: each warp's row is read by itself. Where there are more rows than
 * places for reads, the last ones are read along with others. */
NOT_INLINE void ask_banks_for_rows(struct sm *sm, struct sm_collectors *c, enum warp_unit unit, unsigned collector)
{
    const struct sm_op *op = &sm->ops.items[c->held->op[collector]];
    unsigned first = mask_first(sm->blocks[sm->warp.slots[op->slot].block].warps), reads = 0;
    for (unsigned i = 0; i < op->timing.src_count; i++)
        for (uint64_t rest = sm->form.homes[op->slot]; rest && reads < SM_MAX_READS; rest &= rest - 1) {
            unsigned bank = bank_for(sm, first + mask_first(rest), op->decoded->src_banks[i]);
            ask_bank(sm, c, collector, bank, read_place(unit, collector, reads++));
        }
}

/* The operands of a collector's op ask their banks, one by one, for a turn. */
HOT static void ask_banks(struct sm *sm, struct sm_collectors *c, enum warp_unit unit, unsigned collector)
{
    const struct sm_op *op = &sm->ops.items[c->held->op[collector]];
    if (RARELY(sm->kernel->grid->forms) && sm->params->form_reads == SM_FORM_READS_ROWS) {
        ask_banks_for_rows(sm, c, unit, collector);
        return;
    }
    for (unsigned i = 0; i < op->timing.src_count; i++)
        ask_bank(sm, c, collector, bank_for(sm, op->slot, op->decoded->src_banks[i]), read_place(unit, collector, i));
}

HOT_INLINE void enter_collector(struct sm *sm, struct sm_collectors *c, enum warp_unit unit, uint32_t index)
{
    unsigned free = (unsigned)__builtin_ctz(~c->used);
    const struct sm_op *op = &sm->ops.items[index];
    uint64_t banks = op->src_banks;
    c->held->op[free] = index;
    c->used |= 1u << free;
    if (warp_unit_is_memory(unit))
        c->held->line[(c->line_head + c->line_count++) % SM_MAX_COLLECTORS] = (uint8_t)free;
    if (!banks) {
        c->ready |= 1u << free;
        return;
    }
    c->reading |= 1u << free;
    if (op->timing.src_apart && !(banks & sm->collect.waiting)) {
        sm->collect.waiting |= banks;
        c->held->turn[free] = banks;
    } else {
        ask_banks(sm, c, unit, free);
    }
}

HOT_INLINE void enter_collectors(struct sm *sm, enum warp_unit unit)
{
    struct sm_collectors *c = &sm->collect.classes[unit];
    struct sm_fifo *in = &sm->id_oc[unit];
    for (unsigned port = 0; port < c->ports && in->count && c->used != c->all; port++) {
        if (sm_fifo_full(in))
            warp_look_at(&sm->warp, sm_wanted(sm, unit));
        enter_collector(sm, c, unit, sm_fifo_pop(in));
        sm_made_progress(&sm->agenda);
    }
}

/* Whether ops of a class leave or enter their collectors in the next cycle. Those that wait for a place are looked at
 * when an op has left OC/EX. */
static inline bool goes_on(const struct sm *sm, enum warp_unit unit)
{
    const struct sm_collectors *c = &sm->collect.classes[unit];
    return (c->ready && !sm_fifo_full(&sm->oc_ex[unit])) || (sm->id_oc[unit].count && c->used != c->all);
}

/* Ops of some class leave or enter in the next cycle. */
static inline bool any_goes_on(const struct sm *sm)
{
    return false
#define UNIT(name, takes, side, ...) || goes_on(sm, WARP_UNIT_##name)
#include "warp/units.def"
#undef UNIT
        ;
}

HOT void sm_collect(struct sm *sm)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if (sm->collect.classes[WARP_UNIT_##name].ready)                                                                   \
        leave_collectors(sm, WARP_UNIT_##name);
#include "warp/units.def"
#undef UNIT
    if (sm->collect.waiting)
        read_banks(sm);
#define UNIT(name, takes, side, ...)                                                                                   \
    if (sm->id_oc[WARP_UNIT_##name].count)                                                                             \
        enter_collectors(sm, WARP_UNIT_##name);
#include "warp/units.def"
#undef UNIT
    if (!sm->collect.waiting && !any_goes_on(sm))
        sm_agenda_done(&sm->agenda, SM_DUE_COLLECT);
}
