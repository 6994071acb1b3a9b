/* The DRAM controller of GPGPU-Sim (3.2.2; with row_then_column, 4.0), one command cycle a tick:
 *   1. one burst leaves the data pipe; the last one of a request puts it into the return queue (write-backs just end).
 *      The pipe is in order: a burst leaves tCL (tWL) cycles after its command, later if the return queue was full;
 *   2. a request handed over in the tick before joins the scheduler; the first bank without work, from a rotating one
 *      on, gets the oldest request of its open row, else its oldest;
 *   3. banks are scanned from a rotating one for one command that all constraints allow: read or write if the row is
 *      open, activate if the bank is closed, precharge if another row is open.
 * A constraint of n cycles forbids the next n-1 ticks: a command at c allows the constrained one at c+n. Derived:
 * activate to write tRCD-(tWL+1); read to write tCL+burst+2-tWL; write to read tWL+burst+tCDLR; write to precharge
 * tWL+burst+tWR; read to precharge of one bank a burst. Left out: refresh. */
#include "memory/dram.h"

#include "base/bits.h"
#include "base/hot.h"

static const struct stat_desc dram_stat_descs[] = {
#define STAT_STRUCT struct dram_stats
#include "stats/stat_descs.h"
#include "memory/dram_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group dram_stat_group = {"dram", "DRAM channels", dram_stat_descs,
                                           sizeof(dram_stat_descs) / sizeof(dram_stat_descs[0])};

const struct param_desc dram_param_descs[] = {
#define PARAM_STRUCT struct dram_params
#include "config/param_descs.h"
#include "memory/dram_params.def"
#include "config/param_end.h"
};
const unsigned dram_param_count = sizeof(dram_param_descs) / sizeof(dram_param_descs[0]);

static uint32_t ring_size(uint32_t entries)
{
    uint32_t size = 1;
    while (size < entries)
        size *= 2;
    return size;
}

static uint32_t above(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

struct dram *dram_create(const struct dram_params *params, struct request_pool *pool, struct arena *arena)
{
    struct dram *d = ARENA_NEW(arena, struct dram, 1);
    d->params = *params;
    d->pool = pool;
    d->requests = pool->all;
    d->pipe_at = d->ends_at = d->command_at = CYCLE_NEVER;
    d->rcd_write = above(params->tRCD, params->tWL + 1);
    d->rtw = above(params->tCL + params->burst_cycles + 2, params->tWL);
    d->wtr = params->tWL + params->burst_cycles + params->tCDLR;
    d->wtp = params->tWL + params->burst_cycles + params->tWR;
    for (uint32_t i = 0; i < DRAM_BANKS; i++) {
        uint32_t group =
            params->bank_group_low_bits ? i & (params->bank_groups - 1) : i / (params->banks / params->bank_groups);
        d->banks[i] = (struct dram_bank){.first = REQUEST_NONE,
                                         .last = REQUEST_NONE,
                                         .current = REQUEST_NONE,
                                         .group = (uint8_t)(group % DRAM_BANKS)};
        if (group < DRAM_BANKS)
            d->groups[group].banks |= 1u << i;
    }
    d->held_until = CYCLE_NEVER;
    d->pipe_mask = ring_size(params->tCL + params->tWL + 2) - 1;
    d->pipe = ARENA_NEW(arena, struct dram_burst, d->pipe_mask + 1);
    d->returns = request_queue_create(params->return_queue, 0, arena);
    return d;
}

static struct memory_request *request_of(const struct dram *d, uint32_t request)
{
    return &d->requests[request];
}

/* 1. The data pipe */

/* One burst a tick. Those before the last of a request leave no trace, so they wait for no tick of their own as long as
 * nothing makes them late. Returns a write-back that ended. */
HOT_INLINE uint32_t drain_bursts(struct dram *d, uint64_t cycle)
{
    for (; d->pipe_first != d->pipe_end; d->pipe_first++) {
        const struct dram_burst *burst = &d->pipe[d->pipe_first & d->pipe_mask];
        if (burst->at > cycle || request_full(&d->returns))
            break;
        d->last_burst = d->pipe_late ? cycle : burst->at;
        if (!burst->last && !d->pipe_late)
            continue;
        d->pipe_first++;
        if (!burst->last)
            return REQUEST_NONE;
        if (burst->silent)
            return burst->request;
        request_append(&d->returns, burst->request);
        d->pipe_late |= request_full(&d->returns);
        return REQUEST_NONE;
    }
    if (d->pipe_late && (d->pipe_first == d->pipe_end || d->pipe[d->pipe_first & d->pipe_mask].at > cycle))
        d->pipe_late = request_full(&d->returns);
    return REQUEST_NONE;
}

uint32_t dram_drain_pipe(struct dram *d, uint64_t cycle)
{
    uint32_t ended = drain_bursts(d, cycle), i = d->pipe_first;
    d->pipe_at = d->ends_at = CYCLE_NEVER;
    if (i != d->pipe_end) {
        d->pipe_at = d->pipe[i & d->pipe_mask].at;
        while (!d->pipe_late && i + 1 != d->pipe_end && !d->pipe[i & d->pipe_mask].last)
            i++;
        if (d->pipe_late || d->pipe[i & d->pipe_mask].last)
            d->ends_at = d->pipe[i & d->pipe_mask].at;
    }
    if (d->pipe_late)
        d->pipe_at = 0;
    return ended;
}

static bool pipe_full(const struct dram *d)
{
    return d->pipe_end - d->pipe_first > d->params.tCL;
}

HOT_INLINE void push_burst(struct dram *d, uint32_t request, bool last, bool silent, uint64_t at)
{
    bool empty = d->pipe_first == d->pipe_end;
    uint64_t previous = empty ? d->last_burst : d->pipe[(d->pipe_end - 1) & d->pipe_mask].at;
    if (at <= previous)
        at = previous + 1;
    if (empty)
        d->pipe_at = cycle_min(d->pipe_at, at);
    if (last || d->pipe_late)
        d->ends_at = cycle_min(d->ends_at, at);
    d->pipe[d->pipe_end++ & d->pipe_mask] = (struct dram_burst){at, request, last, silent};
}

/* 2. The scheduler */

/* Takes the oldest waiting request of the bank's row, else the oldest, out of the bank's queue. */
HOT_INLINE uint32_t choose_request(struct dram *d, struct dram_bank *b)
{
    uint32_t before = REQUEST_NONE, request = b->first;
    while (request != REQUEST_NONE && request_of(d, request)->row != b->row) {
        before = request;
        request = request_of(d, request)->next;
    }
    if (request == REQUEST_NONE) {
        request = b->first;
        before = REQUEST_NONE;
    }
    if (before == REQUEST_NONE)
        b->first = request_of(d, request)->next;
    else
        request_of(d, before)->next = request_of(d, request)->next;
    if (b->last == request)
        b->last = before;
    return request;
}

/* The first of the set from `turn` on. */
static uint32_t first_from(uint32_t set, uint32_t turn)
{
    uint32_t later = set & ~0u << turn;
    return (uint32_t)__builtin_ctz(later ? later : set);
}

static bool is_write(const struct memory_request *r)
{
    return r->kind >= REQUEST_WRITE;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The first cycle in which the channel and the bank's group allow a read or write, as things are. */
static uint64_t column_allowed(const struct dram *d, const struct dram_bank *b, bool write)
{
    return later(later(d->column_at, d->groups[b->group].column_at), write ? d->write_at : d->read_at);
}

/* Notes what command the bank's current request waits for, as soon as the bank itself allows it. Returns a cycle before
 * which it cannot be sent. */
HOT_INLINE uint64_t find_need(struct dram *d, uint32_t index, uint64_t cycle)
{
    struct dram_bank *b = &d->banks[index];
    const struct memory_request *r = request_of(d, b->current);
    enum dram_need need;
    uint64_t at, allowed;
    uint32_t bit = 1u << index;
    if (!b->open) {
        need = DRAM_ACTIVATE;
        at = b->activate_at;
        allowed = d->activate_at;
    } else if (b->row != r->row) {
        need = DRAM_PRECHARGE;
        at = allowed = b->precharge_at;
    } else {
        need = is_write(r) ? DRAM_WRITE : DRAM_READ;
        at = need == DRAM_WRITE ? b->write_at : b->read_at;
        allowed = column_allowed(d, b, need == DRAM_WRITE);
    }
    if (at <= cycle) {
        d->needs[need] |= bit;
        return allowed;
    }
    b->need = (uint8_t)need;
    d->held |= bit;
    b->held_at = at;
    d->held_until = cycle_min(d->held_until, at);
    return later(at, allowed);
}

void dram_give_work(struct dram *d, uint64_t cycle)
{
    uint32_t index = first_from(d->wanted & ~d->served, d->turn);
    struct dram_bank *b = &d->banks[index];
    b->current = choose_request(d, b);
    d->waiting--;
    if (b->first == REQUEST_NONE)
        d->wanted &= ~(1u << index);
    d->served |= 1u << index;
    d->turn = (d->turn + 1) & (d->params.banks - 1);
    d->command_at = cycle_min(d->command_at, find_need(d, index, cycle));
}

/* 3. Commands */

/* The banks of the set whose group allows a precharge. */
NOT_INLINE uint32_t allowed_by_groups(const struct dram *d, uint32_t set, uint64_t cycle)
{
    for (uint32_t rest = set, banks; rest; rest &= ~banks) {
        const struct dram_group *group = &d->groups[d->banks[__builtin_ctz(rest)].group];
        banks = group->banks;
        if (group->precharge_at > cycle)
            set &= ~banks;
    }
    return set;
}

/* The banks that could get a read or write in this cycle, if their group allows it. */
static uint32_t possible_columns(const struct dram *d, uint64_t cycle)
{
    if (cycle < d->column_at || pipe_full(d))
        return 0;
    return (cycle >= d->read_at ? d->needs[DRAM_READ] : 0) | (cycle >= d->write_at ? d->needs[DRAM_WRITE] : 0);
}

static bool group_allows_column(const struct dram *d, uint32_t index, uint64_t cycle)
{
    return d->groups[d->banks[index].group].column_at <= cycle;
}

/* The banks that could get a row command. */
static uint32_t allowed_rows(const struct dram *d, uint64_t cycle)
{
    uint32_t activates = cycle >= d->activate_at ? d->needs[DRAM_ACTIVATE] : 0, precharges = d->needs[DRAM_PRECHARGE];
    if (precharges && cycle < d->groups_precharge_at)
        precharges = allowed_by_groups(d, precharges, cycle);
    return activates | precharges;
}

/* The first cycle after this one in which a command may be possible; never later than the truth. */
static uint64_t next_command(const struct dram *d, uint64_t cycle)
{
    uint32_t reads = d->needs[DRAM_READ], writes = d->needs[DRAM_WRITE];
    uint64_t at = d->held_until;
    if (d->needs[DRAM_PRECHARGE])
        return cycle + 1;
    if (d->needs[DRAM_ACTIVATE])
        at = cycle_min(at, d->activate_at);
    if (reads | writes) {
        uint64_t column = d->column_at,
                 turnaround = cycle_min(reads ? d->read_at : CYCLE_NEVER, writes ? d->write_at : CYCLE_NEVER);
        if (!((reads | writes) & ~d->groups[d->last_group].banks))
            column = later(column, d->groups[d->last_group].column_at);
        at = cycle_min(at, later(column, turnaround));
    }
    return later(at, cycle + 1);
}

HOT_INLINE void send_column(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    struct memory_request *r = request_of(d, b->current);
    bool write = is_write(r);
    d->column_at = cycle + p->tCCD;
    d->last_group = b->group;
    d->groups[b->group].column_at = cycle + p->tCCDL;
    if (write) {
        d->read_at = cycle + d->wtr;
        b->precharge_at = later(b->precharge_at, cycle + d->wtp);
        d->stats.writes++;
        d->stats.writeback_writes += r->kind == REQUEST_WRITEBACK;
    } else {
        d->write_at = cycle + d->rtw;
        b->precharge_at = later(b->precharge_at, cycle + p->burst_cycles);
        d->groups[b->group].precharge_at = d->groups_precharge_at = cycle + p->tRTPL;
        d->stats.reads++;
        d->stats.allocate_reads += r->kind == REQUEST_ALLOCATE;
    }
    r->commanded = (uint16_t)(r->commanded + p->atom_bytes);
    bool last = r->commanded >= r->bytes;
    push_burst(d, b->current, last, r->kind == REQUEST_WRITEBACK, cycle + (write ? p->tWL : p->tCL));
    if (last) {
        b->current = REQUEST_NONE;
        d->served &= ~(1u << index);
        d->needs[write ? DRAM_WRITE : DRAM_READ] &= ~(1u << index);
    }
}

NOT_INLINE void send_row(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    d->turn = (index + 1) & (p->banks - 1);
    d->needs[b->open ? DRAM_PRECHARGE : DRAM_ACTIVATE] &= ~(1u << index);
    if (b->open) {
        b->open = false;
        b->activate_at = later(b->activate_at, cycle + p->tRP);
        d->stats.precharges++;
    } else {
        b->open = true;
        b->row = request_of(d, b->current)->row;
        b->read_at = cycle + p->tRCD;
        b->write_at = cycle + d->rcd_write;
        b->precharge_at = later(b->precharge_at, cycle + p->tRAS);
        b->activate_at = cycle + p->tRC;
        d->activate_at = cycle + p->tRRD;
        d->stats.activates++;
    }
    find_need(d, index, cycle);
}

NOT_INLINE void release_held(struct dram *d, uint64_t cycle)
{
    d->held_until = CYCLE_NEVER;
    for (uint32_t rest = d->held; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctz(rest);
        if (d->banks[index].held_at <= cycle) {
            d->held &= ~(1u << index);
            d->needs[d->banks[index].need] |= 1u << index;
        } else {
            d->held_until = cycle_min(d->held_until, d->banks[index].held_at);
        }
    }
}

/* After a row command to the bank `step` places behind the turn of before, the scan goes on from the turn that the
 * command has moved, as in GPGPU-Sim: only banks more than `step` places behind the new turn may still get a read or
 * write. */
NOT_INLINE void send_column_too(struct dram *d, uint32_t step, uint64_t cycle)
{
    uint32_t set = possible_columns(d, cycle), banks = d->params.banks;
    uint32_t order = (set >> d->turn | set << (banks - d->turn)) & (uint32_t)mask_low(banks) & ~0u << 1 << step;
    for (; order; order &= order - 1) {
        uint32_t index = ((uint32_t)__builtin_ctz(order) + d->turn) & (banks - 1);
        if (group_allows_column(d, index, cycle)) {
            send_column(d, index, cycle);
            return;
        }
    }
}

/* Sends what commands this cycle allows, and notes when the next one may be possible. */
void dram_send_commands(struct dram *d, uint64_t cycle)
{
    if (cycle >= d->held_until)
        release_held(d, cycle);
    uint32_t columns = possible_columns(d, cycle), set = columns | allowed_rows(d, cycle);
    while (set) {
        uint32_t index = first_from(set, d->turn), step = (index - d->turn) & (d->params.banks - 1);
        if (!(columns >> index & 1)) {
            send_row(d, index, cycle);
            if (d->params.row_then_column)
                send_column_too(d, step, cycle);
            break;
        }
        if (group_allows_column(d, index, cycle)) {
            send_column(d, index, cycle);
            break;
        }
        set &= ~(columns & d->groups[d->banks[index].group].banks);
    }
    d->command_at = next_command(d, cycle);
}

bool dram_idle(const struct dram *d)
{
    return !d->wanted && !d->served && d->pipe_first == d->pipe_end && d->returns.count == 0;
}
