/* Operand collection, the SP and SFU pipelines, and their writeback.
 *
 * An issued instruction waits in an ID/OC register, moves into a free collector of its class, reads its operands from
 * the register banks (one read or write per bank and cycle, one operand per collector and cycle), and leaves through an
 * OC/EX register to a unit. A unit holds its dispatch register for the initiation interval; the result comes latency +
 * 2 cycles after dispatch, over one of the result buses. Latencies follow GPGPU-Sim's stage order: dispatch at t,
 * writeback at t + latency + 2. */
#include "sm/sm_impl.h"

/* The bank that holds a warp's register: decoded banks count from warp slot 0. */
static unsigned bank_for(const struct sm *sm, const struct sm_warp *warp, unsigned decoded)
{
    unsigned bank = decoded + warp->bank_shift;
    return bank < sm->params->register_banks ? bank : bank - sm->params->register_banks;
}

void sm_write_banks(struct sm *sm, const struct sm_op *op)
{
    const struct sm_warp *warp = &sm->warps[op->slot];
    for (unsigned i = 0; i < op->decoded->dst_count; i++)
        sm->banks_written |= BIT64(bank_for(sm, warp, op->decoded->dst_banks[i]));
}

void sm_writeback(struct sm *sm)
{
    uint32_t next;
    for (uint32_t op = sm_wheel_take(&sm->wheel, sm->now); op != SM_NONE; op = next) {
        next = sm->ops.items[op].next;
        sm->wheel.count--;
        sm->moved = true;
        sm_write_banks(sm, &sm->ops.items[op]);
        sm_complete(sm, op);
    }
}

/* The results due in a cycle: the ring's entry for it, emptied if it is of an earlier cycle. */
static struct sm_results *results_at(struct sm *sm, uint64_t cycle)
{
    struct sm_results *r = &sm->results[cycle & sm->wheel.mask];
    uint32_t mark = (uint32_t)cycle + 1;
    if (r->mark != mark)
        *r = (struct sm_results){.mark = mark};
    return r;
}

/* Units of a class take the oldest waiting op each, in order. One op per unit may end in a cycle, and as many in all as
 * there are result buses. */
static void dispatch_class(struct sm *sm, enum sm_class class, uint64_t *free_at, unsigned count)
{
    struct sm_fifo *waiting = &sm->oc_ex[class];
    for (unsigned i = 0; i < count && waiting->count; i++) {
        if (free_at[i] > sm->now)
            continue;
        const struct sm_decoded *d = sm->ops.items[waiting->items[0]].decoded;
        uint64_t end = sm->now + d->latency;
        struct sm_results *r = results_at(sm, end);
        uint8_t *ending = class == SM_SP ? &r->sp : &r->sfu;
        if ((*ending >> i & 1) || r->count == sm->params->result_buses)
            continue;
        *ending |= (uint8_t)(1u << i);
        r->count++;
        free_at[i] = sm->now + d->interval;
        sm->moved = true;
        sm_wheel_add(sm, &sm->wheel, end + 2, sm_fifo_pop(waiting));
    }
}

void sm_execute_units(struct sm *sm)
{
    if (sm->oc_ex[SM_SP].count)
        dispatch_class(sm, SM_SP, sm->sp_free_at, sm->params->sp_units);
    if (sm->oc_ex[SM_SFU].count)
        dispatch_class(sm, SM_SFU, sm->sfu_free_at, sm->params->sfu_units);
}

/* The collector whose op leaves next, looking round robin, or SM_NONE. Memory instructions leave in the order of issue,
 * or an access could overtake one to the same address, of its own warp or of one it met at a barrier. */
static unsigned next_to_leave(const struct sm *sm, const struct sm_collectors *c, enum sm_class class)
{
    if (class == SM_MEM && sm->params->memory_in_order)
        return c->line_count && (c->ready >> c->line[c->line_head] & 1) ? c->line[c->line_head] : SM_NONE;
    uint32_t behind = c->ready & (~0u << c->dispatch_from);
    return c->ready ? (unsigned)__builtin_ctz(behind ? behind : c->ready) : SM_NONE;
}

/* Collectors with all operands leave, up to one per port. */
static void leave_collectors(struct sm *sm, enum sm_class class)
{
    struct sm_collectors *c = &sm->collectors[class];
    struct sm_fifo *out = &sm->oc_ex[class];
    for (unsigned port = 0; port < c->ports && out->count < out->size; port++) {
        unsigned index = next_to_leave(sm, c, class);
        if (index == SM_NONE)
            return;
        sm->moved = true;
        sm->collecting--;
        out->items[out->count++] = c->op[index];
        c->used &= ~(1u << index);
        c->ready &= ~(1u << index);
        c->dispatch_from = (uint8_t)(index + 1 < c->count ? index + 1 : 0);
        c->line_head = (c->line_head + 1) % SM_MAX_COLLECTORS;
        c->line_count--;
    }
}

/* Places of reads: class, collector, operand. */
static unsigned read_place(enum sm_class class, unsigned collector, unsigned operand)
{
    return ((unsigned)class * SM_MAX_COLLECTORS + collector) * SM_MAX_READS + operand;
}

void sm_reset_banks(struct sm *sm)
{
    sm->banks_waiting = sm->banks_written = 0;
}

static void queue_read(struct sm *sm, unsigned bank, unsigned place)
{
    struct sm_bank *b = &sm->banks[bank];
    if (mask_has(sm->banks_waiting, bank))
        sm->next_read[b->last] = (uint16_t)place;
    else
        b->first = (uint16_t)place;
    b->last = (uint16_t)place;
    sm->banks_waiting |= BIT64(bank);
}

/* A bank serves the read at the head of its queue, unless that collector has received enough in this cycle. */
static void serve_read(struct sm *sm, unsigned bank)
{
    struct sm_bank *b = &sm->banks[bank];
    unsigned place = b->first, collector = place / SM_MAX_READS % SM_MAX_COLLECTORS;
    struct sm_collectors *c = &sm->collectors[place / SM_MAX_READS / SM_MAX_COLLECTORS];
    if (!(c->reading >> collector & 1)) {
        c->reading |= 1u << collector;
        c->reads_now[collector] = 0;
    }
    if (c->reads_now[collector] == sm->params->collector_reads)
        return;
    c->reads_now[collector]++;
    if (place == b->last)
        sm->banks_waiting &= ~BIT64(bank);
    else
        b->first = sm->next_read[place];
    if (--c->reads_left[collector] == 0)
        c->ready |= 1u << collector;
    sm->moved = true;
}

/* Every bank that is not written serves one read. */
static void read_banks(struct sm *sm)
{
    uint64_t open = sm->banks_waiting & ~sm->banks_written, before = mask_low(sm->bank_from);
    for (unsigned class = 0; class < SM_CLASSES; class ++)
        sm->collectors[class].reading = 0;
    for (int round = 0; round < 2; round++) {
        for (uint64_t set = open & (round == 0 ? ~before : before); set; set &= set - 1) {
            serve_read(sm, mask_first(set));
        }
    }
    sm->bank_from = sm->bank_from + 1 < sm->params->register_banks ? sm->bank_from + 1 : 0;
}

static void enter_collector(struct sm *sm, struct sm_collectors *c, enum sm_class class, uint32_t index)
{
    unsigned free = (unsigned)__builtin_ctz(~c->used);
    const struct sm_op *op = &sm->ops.items[index];
    const struct sm_decoded *d = op->decoded;
    const struct sm_warp *warp = &sm->warps[op->slot];
    sm->moved = true;
    c->op[free] = index;
    c->used |= 1u << free;
    c->line[(c->line_head + c->line_count++) % SM_MAX_COLLECTORS] = (uint8_t)free;
    c->reads_left[free] = d->src_count;
    if (!d->src_count)
        c->ready |= 1u << free;
    for (unsigned i = 0; i < d->src_count; i++)
        queue_read(sm, bank_for(sm, warp, d->src_banks[i]), read_place(class, free, i));
}

static void enter_collectors(struct sm *sm, enum sm_class class)
{
    struct sm_collectors *c = &sm->collectors[class];
    uint32_t all = (uint32_t)mask_low(c->count);
    for (unsigned port = 0; port < c->ports && sm->id_oc[class].count && c->used != all; port++)
        enter_collector(sm, c, class, sm_fifo_pop(&sm->id_oc[class]));
}

bool sm_collect_busy(const struct sm *sm)
{
    for (unsigned class = 0; class < SM_CLASSES; class ++) {
        const struct sm_collectors *c = &sm->collectors[class];
        if ((c->ready && sm->oc_ex[class].count < sm->oc_ex[class].size) ||
            (sm->id_oc[class].count && c->used != mask_low(c->count)))
            return true;
    }
    return false;
}

void sm_collect(struct sm *sm)
{
    for (unsigned class = 0; class < SM_CLASSES; class ++)
        if (sm->collectors[class].ready)
            leave_collectors(sm, class);
    if (sm->banks_waiting)
        read_banks(sm);
    for (unsigned class = 0; class < SM_CLASSES; class ++)
        if (sm->id_oc[class].count)
            enter_collectors(sm, class);
    sm->banks_written = 0;
}
