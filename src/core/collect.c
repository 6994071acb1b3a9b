/* Operand collection. An issued instruction waits in an ID/OC register, moves into a free collector of its class, reads
 * its operands from the register banks (one read or write per bank and cycle, one operand per collector and cycle), and
 * leaves through an OC/EX register to a unit. */
#include "core/core.h"

/* The bank that holds a warp's register: decoded banks count from warp slot 0. */
static unsigned bank_for(const struct core *core, unsigned slot, unsigned decoded)
{
    unsigned bank = decoded + core->collect.placed[slot].shift;
    return bank < core->params->register_banks ? bank : bank - core->params->register_banks;
}

/* The collector whose op leaves next, looking round robin, or CORE_NONE. Memory instructions leave in the order of
 * issue, or an access could overtake one to the same address, of its own warp or of one it met at a barrier. */
static inline unsigned next_to_leave(const struct core *core, const struct core_collectors *c, enum warp_unit unit)
{
    if (warp_unit_is_memory(unit) && core->params->memory_in_order)
        return c->line_count && (c->ready >> c->held->line[c->line_head] & 1) ? c->held->line[c->line_head] : CORE_NONE;
    uint32_t behind = c->ready & (~1u << c->last_left);
    return c->ready ? (unsigned)__builtin_ctz(behind ? behind : c->ready) : CORE_NONE;
}

/* Collectors with all operands leave, up to one per port. */
static inline void leave_collectors(struct core *core, enum warp_unit unit)
{
    struct core_collectors *c = &core->collect.classes[unit];
    struct core_fifo *out = &core->oc_ex[unit];
    for (unsigned port = 0; port < c->ports && !core_fifo_full(out); port++) {
        unsigned index = next_to_leave(core, c, unit);
        if (index == CORE_NONE)
            return;
        uint32_t bit = 1u << index;
        made_progress(core->agenda);
        core_fifo_push(out, c->held->op[index]);
        c->used ^= bit;
        c->ready ^= bit;
        c->last_left = (uint8_t)index;
        agenda_add(core->agenda, warp_unit_is_memory(unit) ? DUE_DISPATCH : DUE_UNITS);
        if (warp_unit_is_memory(unit)) {
            c->line_head = (c->line_head + 1) % CORE_MAX_COLLECTORS;
            c->line_count--;
        }
    }
}

/* The place of an operand's read. */
static unsigned read_place(enum warp_unit unit, unsigned collector, unsigned operand)
{
    return ((unsigned)unit * CORE_MAX_COLLECTORS + collector) * CORE_MAX_READS + operand;
}

static void reset_class(struct core_collect *collect, enum warp_unit unit, uint32_t collectors, uint32_t ports)
{
    collect->held[unit] = (struct core_collected){.line = {0}};
    collect->classes[unit] = (struct core_collectors){.all = (uint32_t)mask_low(collectors),
                                                      .count = (uint8_t)collectors,
                                                      .ports = (uint8_t)ports,
                                                      .last_left = (uint8_t)(collectors - 1),
                                                      .held = &collect->held[unit]};
}

void core_collect_init(struct core *core)
{
    const struct sm_params *p = core->params;
    struct core_collect *collect = &core->collect;
#define UNIT(name, takes, side, ...) reset_class(collect, WARP_UNIT_##name, p->collectors_##name, p->ports_##name);
#include "warp/units.def"
#undef UNIT
    collect->waiting = collect->queued = collect->written = 0;
    collect->all = mask_low(p->register_banks);
    for (unsigned slot = 0; slot < p->warps; slot++) {
        unsigned shift = p->bank_by_warp ? slot / core->count % p->register_banks : 0;
        collect->placed[slot] =
            (struct core_placement){.shift = (uint8_t)shift, .back = (uint8_t)((p->register_banks - shift) % 64)};
    }
}

void core_collect_begin(struct core *core, bool by_rows)
{
    core->collect.bank_from = 0;
    core->collect.by_rows = by_rows;
}

/* Queues an operand's read at a bank at which it is another read's turn. */
static void queue_read(struct core *core, unsigned bank, unsigned place)
{
    struct core_bank *b = &core->collect.banks[bank];
    if (mask_has(core->collect.queued, bank))
        core->collect.next_read[b->last] = (uint16_t)place;
    else
        b->first = (uint16_t)place;
    b->last = (uint16_t)place;
    core->collect.queued |= BIT64(bank);
}

/* The next read of a bank's queue has its turn. */
static void next_turn(struct core *core, unsigned bank)
{
    struct core_bank *b = &core->collect.banks[bank];
    unsigned place = b->first, collector = place / CORE_MAX_READS % CORE_MAX_COLLECTORS;
    struct core_collectors *c = &core->collect.classes[place / CORE_MAX_READS / CORE_MAX_COLLECTORS];
    c->held->turn[collector] |= BIT64(bank);
    c->held->behind[collector]--;
    core->collect.waiting |= BIT64(bank);
    if (place == b->last)
        core->collect.queued &= ~BIT64(bank);
    else
        b->first = core->collect.next_read[place];
}

/* The first banks of a set, as many as a collector may read in a cycle, going round from bank_from. */
static uint64_t first_reads(const struct core *core, uint64_t banks)
{
    uint64_t before = mask_low(core->collect.bank_from), chosen = 0;
    for (unsigned i = 0; i < core->params->collector_reads; i++) {
        uint64_t rest = banks & ~chosen, behind = rest & ~before;
        chosen |= behind ? behind & -behind : rest & -rest;
    }
    return chosen;
}

/* The collectors of a class read what they can from the open banks. Returns the banks that were read. */
static inline uint64_t read_operands(const struct core *core, struct core_collectors *c, uint64_t open)
{
    uint64_t read = 0;
    uint32_t done = 0;
    unsigned most = core->params->collector_reads;
    for (uint32_t rest = c->reading; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint64_t turn = c->held->turn[i], banks = turn & open;
        if (mask_count(banks) > most)
            banks = first_reads(core, banks);
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
static void read_banks(struct core *core)
{
    uint64_t written = core->collect.written_in == core->agenda->now ? core->collect.written : 0;
    uint64_t open = core->collect.waiting & ~written, read = 0;
#define UNIT(name, takes, side, ...)                                                                                   \
    if (core->collect.classes[WARP_UNIT_##name].reading)                                                               \
        read |= read_operands(core, &core->collect.classes[WARP_UNIT_##name], open);
#include "warp/units.def"
#undef UNIT
    made_progress_if(core->agenda, read != 0);
    core->collect.waiting &= ~read;
    for (uint64_t rest = read & core->collect.queued; rest; rest &= rest - 1)
        next_turn(core, mask_first(rest));
    core->collect.bank_from =
        core->collect.bank_from + 1 < core->params->register_banks ? core->collect.bank_from + 1 : 0;
}

/* An operand's read asks its bank for a turn. */
static inline void ask_bank(struct core *core, struct core_collectors *c, unsigned collector, unsigned bank,
                            unsigned place)
{
    if (mask_has(core->collect.waiting, bank)) {
        queue_read(core, bank, place);
        c->held->behind[collector]++;
    } else {
        core->collect.waiting |= BIT64(bank);
        c->held->turn[collector] |= BIT64(bank);
    }
}

/* Operands of threads that began in several warps: each warp's row is read by itself. Where there are more rows than
 * places for reads, the last ones are read along with others. */
NOT_INLINE void ask_banks_for_rows(struct core *core, struct core_collectors *c, enum warp_unit unit,
                                   unsigned collector)
{
    const struct core_op *op = &core->ops->items[c->held->op[collector]];
    unsigned reads = 0;
    for (unsigned i = 0; i < op->timing.src_count; i++)
        for (uint64_t rest = core->collect.rows[op->slot]; rest && reads < CORE_MAX_READS; rest &= rest - 1) {
            unsigned bank = bank_for(core, mask_first(rest), op->decoded->src_banks[i]);
            ask_bank(core, c, collector, bank, read_place(unit, collector, reads++));
        }
}

/* The operands of a collector's op ask their banks, one by one, for a turn. */
HOT static void ask_banks(struct core *core, struct core_collectors *c, enum warp_unit unit, unsigned collector)
{
    const struct core_op *op = &core->ops->items[c->held->op[collector]];
    if (RARELY(core->collect.by_rows)) {
        ask_banks_for_rows(core, c, unit, collector);
        return;
    }
    for (unsigned i = 0; i < op->timing.src_count; i++)
        ask_bank(core, c, collector, bank_for(core, op->slot, op->decoded->src_banks[i]),
                 read_place(unit, collector, i));
}

HOT_INLINE void enter_collector(struct core *core, struct core_collectors *c, enum warp_unit unit, uint32_t index)
{
    unsigned free = (unsigned)__builtin_ctz(~c->used);
    const struct core_op *op = &core->ops->items[index];
    uint64_t banks = op->src_banks;
    c->held->op[free] = index;
    c->used |= 1u << free;
    if (warp_unit_is_memory(unit))
        c->held->line[(c->line_head + c->line_count++) % CORE_MAX_COLLECTORS] = (uint8_t)free;
    if (!banks) {
        c->ready |= 1u << free;
        return;
    }
    c->reading |= 1u << free;
    if (op->timing.src_apart && !(banks & core->collect.waiting)) {
        core->collect.waiting |= banks;
        c->held->turn[free] = banks;
    } else {
        ask_banks(core, c, unit, free);
    }
}

HOT_INLINE void enter_collectors(struct core *core, enum warp_unit unit)
{
    struct core_collectors *c = &core->collect.classes[unit];
    struct core_fifo *in = &core->id_oc[unit];
    for (unsigned port = 0; port < c->ports && in->count && c->used != c->all; port++) {
        enter_collector(core, c, unit, core_leave(core, unit));
        made_progress(core->agenda);
    }
}

/* True: ops of a class leave or enter their collectors in the next cycle. Those that wait for a place are looked at
 * when an op has left OC/EX. */
static inline bool goes_on(const struct core *core, enum warp_unit unit)
{
    const struct core_collectors *c = &core->collect.classes[unit];
    return (c->ready && !core_fifo_full(&core->oc_ex[unit])) || (core->id_oc[unit].count && c->used != c->all);
}

/* Ops of some class leave or enter in the next cycle. */
static inline bool any_goes_on(const struct core *core)
{
    return false
#define UNIT(name, takes, side, ...) || goes_on(core, WARP_UNIT_##name)
#include "warp/units.def"
#undef UNIT
        ;
}

HOT bool core_collect(struct core *core)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if (core->collect.classes[WARP_UNIT_##name].ready)                                                                 \
        leave_collectors(core, WARP_UNIT_##name);
#include "warp/units.def"
#undef UNIT
    if (core->collect.waiting)
        read_banks(core);
#define UNIT(name, takes, side, ...)                                                                                   \
    if (core->id_oc[WARP_UNIT_##name].count)                                                                           \
        enter_collectors(core, WARP_UNIT_##name);
#include "warp/units.def"
#undef UNIT
    return core->collect.waiting || any_goes_on(core);
}
