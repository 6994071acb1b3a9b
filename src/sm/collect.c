/* Operand collection, the SP and SFU pipelines, and their writeback.
 *
 * An issued instruction waits in an ID/OC register, moves into a free collector of its class, reads its operands from
 * the register banks (one read or write per bank and cycle, one operand per collector and cycle), and leaves through an
 * OC/EX register to a unit. A unit holds its dispatch register for the initiation interval; the result comes latency +
 * 2 cycles after dispatch, over one of the result buses. Latencies follow GPGPU-Sim's stage order: dispatch at t,
 * writeback at t + latency + 2. */
#include "sm/sm_impl.h"

/* The bank that holds a warp's register: decoded banks count from warp slot 0. */
static unsigned bank_for(const struct sm *sm, const struct sm_op *op, unsigned decoded)
{
    return sm->params->bank_by_warp ? (decoded + op->slot) % sm->params->register_banks : decoded;
}

void sm_write_banks(struct sm *sm, const struct sm_op *op)
{
    for (unsigned i = 0; i < op->decoded->dst_count; i++)
        sm->banks_written |= BIT64(bank_for(sm, op, op->decoded->dst_banks[i]));
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

/* Whether an op may end in that cycle: one per unit, and as many in all as there are result buses. */
static bool result_free(const struct sm *sm, const struct sm_unit *unit, uint64_t end)
{
    unsigned at = (unsigned)(end % SM_WHEEL);
    uint32_t mark = (uint32_t)end + 1;
    if (unit->finish[at] == mark)
        return false;
    return sm->result_cycle[at] != mark || sm->result_count[at] < sm->params->result_buses;
}

static void take_result(struct sm *sm, struct sm_unit *unit, uint64_t end)
{
    unsigned at = (unsigned)(end % SM_WHEEL);
    uint32_t mark = (uint32_t)end + 1;
    unit->finish[at] = mark;
    if (sm->result_cycle[at] != mark) {
        sm->result_cycle[at] = mark;
        sm->result_count[at] = 0;
    }
    sm->result_count[at]++;
}

/* Units of a class take the oldest waiting op each, in order. */
static void dispatch_class(struct sm *sm, enum sm_class class, struct sm_unit *units, unsigned count)
{
    struct sm_fifo *waiting = &sm->oc_ex[class];
    for (unsigned i = 0; i < count && waiting->count; i++) {
        if (units[i].free_at > sm->now)
            continue;
        const struct sm_decoded *d = sm->ops.items[waiting->items[0]].decoded;
        uint64_t end = sm->now + d->latency;
        if (!result_free(sm, &units[i], end))
            continue;
        uint32_t op = sm_fifo_pop(waiting);
        take_result(sm, &units[i], end);
        units[i].free_at = sm->now + d->interval;
        sm->in_pipeline--;
        sm->moved = true;
        sm_wheel_add(sm, &sm->wheel, end + 2, op);
    }
}

void sm_execute_units(struct sm *sm)
{
    dispatch_class(sm, SM_SP, sm->sp, sm->params->sp_units);
    dispatch_class(sm, SM_SFU, sm->sfu, sm->params->sfu_units);
}

/* Whether an older instruction is still in a collector: memory instructions leave in the order of issue, or an access
 * could overtake one to the same address, of its own warp or of one it met at a barrier. */
static bool overtakes(const struct sm *sm, const struct sm_collectors *c, unsigned index)
{
    uint64_t order = sm->ops.items[c->op[index]].order;
    for (uint32_t rest = c->used & ~(1u << index); rest; rest &= rest - 1)
        if (sm->ops.items[c->op[__builtin_ctz(rest)]].order < order)
            return true;
    return false;
}

/* Collectors with all operands leave, up to one per port, looking round robin. */
static void leave_collectors(struct sm *sm, enum sm_class class)
{
    struct sm_collectors *c = &sm->collectors[class];
    struct sm_fifo *out = &sm->oc_ex[class];
    for (unsigned port = 0; port < c->ports && c->ready && out->count < out->size; port++) {
        uint32_t behind = c->ready & (~0u << c->dispatch_from);
        unsigned index = 0;
        bool found = false;
        for (uint32_t rest = behind; rest && !found; rest &= rest - 1) {
            index = (unsigned)__builtin_ctz(rest);
            found = class != SM_MEM || !overtakes(sm, c, index);
        }
        for (uint32_t rest = c->ready & ~behind; rest && !found; rest &= rest - 1) {
            index = (unsigned)__builtin_ctz(rest);
            found = class != SM_MEM || !overtakes(sm, c, index);
        }
        if (!found)
            return;
        sm->moved = true;
        out->items[out->count++] = c->op[index];
        c->used &= ~(1u << index);
        c->ready &= ~(1u << index);
        c->dispatch_from = (uint8_t)((index + 1) % c->count);
    }
}

/* Every bank that is not written serves the request at the head of its queue, but a collector receives only so many
 * operands a cycle. */
static void read_banks(struct sm *sm)
{
    uint8_t served[SM_CLASSES][SM_MAX_COLLECTORS] = {{0}};
    uint64_t open = sm->banks_waiting & ~sm->banks_written;
    unsigned from = sm->bank_from;
    for (int round = 0; round < 2; round++) {
        uint64_t set = round == 0 ? open & (~UINT64_C(0) << from) : open & ~(~UINT64_C(0) << from);
        for (; set; set &= set - 1) {
            unsigned index = mask_first(set);
            struct sm_bank *bank = &sm->banks[index];
            struct sm_bank_request request = bank->queue[bank->head];
            if (served[request.class][request.collector] == sm->params->collector_reads)
                continue;
            served[request.class][request.collector]++;
            sm->moved = true;
            bank->head = (uint8_t)((bank->head + 1) % 128);
            if (--bank->count == 0)
                sm->banks_waiting &= ~BIT64(index);
            struct sm_collectors *c = &sm->collectors[request.class];
            struct sm_op *op = &sm->ops.items[c->op[request.collector]];
            op->reads_left &= ~BIT64(request.operand);
            if (!op->reads_left)
                c->ready |= 1u << request.collector;
        }
    }
    sm->bank_from = (from + 1) % sm->params->register_banks;
}

static void enter_collector(struct sm *sm, struct sm_collectors *c, enum sm_class class, uint32_t index)
{
    unsigned free = (unsigned)__builtin_ctz(~c->used);
    struct sm_op *op = &sm->ops.items[index];
    sm->moved = true;
    c->op[free] = index;
    c->used |= 1u << free;
    op->reads_left = mask_low(op->decoded->src_count);
    if (!op->reads_left)
        c->ready |= 1u << free;
    for (unsigned i = 0; i < op->decoded->src_count; i++) {
        unsigned index_of_bank = bank_for(sm, op, op->decoded->src_banks[i]);
        struct sm_bank *bank = &sm->banks[index_of_bank];
        bank->queue[(bank->head + bank->count++) % 128] =
            (struct sm_bank_request){(uint8_t) class, (uint8_t)free, (uint8_t)i};
        sm->banks_waiting |= BIT64(index_of_bank);
    }
}

static void enter_collectors(struct sm *sm, enum sm_class class)
{
    struct sm_collectors *c = &sm->collectors[class];
    uint32_t all = (uint32_t)mask_low(c->count);
    for (unsigned port = 0; port < c->ports && sm->id_oc[class].count && c->used != all; port++)
        enter_collector(sm, c, class, sm_fifo_pop(&sm->id_oc[class]));
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
