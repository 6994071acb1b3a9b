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
#include "sim/cycle.h"

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

struct dram *dram_create(const struct dram_params *params, struct arena *arena)
{
    struct dram *d = ARENA_NEW(arena, struct dram, 1);
    uint32_t entries = params->scheduler_queue + params->return_queue + params->tCL + DRAM_BANKS + 2;
    d->params = *params;
    d->rcd_write = above(params->tRCD, params->tWL + 1);
    d->rtw = above(params->tCL + params->burst_cycles + 2, params->tWL);
    d->wtr = params->tWL + params->burst_cycles + params->tCDLR;
    d->wtp = params->tWL + params->burst_cycles + params->tWR;
    d->entries = ARENA_NEW(arena, struct dram_entry, entries);
    for (uint32_t i = 0; i < entries; i++)
        d->entries[i].next = i + 1 < entries ? i + 1 : DRAM_NONE;
    for (uint32_t i = 0; i < DRAM_BANKS; i++) {
        uint32_t group =
            params->bank_group_low_bits ? i & (params->bank_groups - 1) : i / (params->banks / params->bank_groups);
        d->banks[i] =
            (struct dram_bank){.first = DRAM_NONE, .last = DRAM_NONE, .current = DRAM_NONE, .group = (uint8_t)group};
        if (group < DRAM_BANKS)
            d->group_banks[group] |= 1u << i;
    }
    d->held_until = CYCLE_NEVER;
    d->pipe_mask = ring_size(params->tCL + params->tWL + 2) - 1;
    d->pipe = ARENA_NEW(arena, struct dram_burst, d->pipe_mask + 1);
    d->return_mask = ring_size(params->return_queue) - 1;
    d->returns = ARENA_NEW(arena, uint32_t, d->return_mask + 1);
    return d;
}

static void free_entry(struct dram *d, uint32_t index)
{
    d->entries[index].next = d->free_entry;
    d->free_entry = index;
}

static bool returns_full(const struct dram *d)
{
    return d->return_end - d->return_first >= d->params.return_queue;
}

void dram_pop(struct dram *d)
{
    free_entry(d, d->returns[d->return_first++ & d->return_mask]);
}

/* 1. The data pipe */

/* One burst a tick. Those before the last of a request leave no trace, so they wait for no tick of their own as long as
 * nothing makes them late. */
static bool drain_pipe(struct dram *d, uint64_t cycle, struct memory_request *done)
{
    while (d->pipe_first != d->pipe_end) {
        const struct dram_burst burst = d->pipe[d->pipe_first & d->pipe_mask];
        if (burst.at > cycle || returns_full(d))
            break;
        struct dram_entry *e = &d->entries[burst.entry];
        d->pipe_first++;
        d->last_burst = d->pipe_late ? cycle : burst.at;
        if (!burst.last && !d->pipe_late)
            continue;
        if (!burst.last)
            return false;
        if (e->request.kind == REQUEST_WRITEBACK) {
            *done = e->request;
            free_entry(d, burst.entry);
            return true;
        }
        d->returns[d->return_end++ & d->return_mask] = burst.entry;
        d->pipe_late |= returns_full(d);
        return false;
    }
    if (d->pipe_late && (d->pipe_first == d->pipe_end || d->pipe[d->pipe_first & d->pipe_mask].at > cycle))
        d->pipe_late = returns_full(d);
    return false;
}

static bool pipe_full(const struct dram *d)
{
    return d->pipe_end - d->pipe_first > d->params.tCL;
}

static void push_burst(struct dram *d, uint32_t entry, bool last, uint64_t at)
{
    uint64_t previous = d->pipe_first == d->pipe_end ? d->last_burst : d->pipe[(d->pipe_end - 1) & d->pipe_mask].at;
    d->pipe[d->pipe_end++ & d->pipe_mask] = (struct dram_burst){entry, last, at > previous ? at : previous + 1};
}

/* 2. The scheduler */

void dram_push(struct dram *d, const struct memory_request *request, uint32_t bank, uint32_t row)
{
    uint32_t index = d->free_entry;
    struct dram_entry *e = &d->entries[index];
    struct dram_bank *b = &d->banks[bank & (d->params.banks - 1)];
    d->free_entry = e->next;
    *e = (struct dram_entry){.request = *request, .row = row, .bank = bank & (d->params.banks - 1), .next = DRAM_NONE};
    if (b->first == DRAM_NONE)
        b->first = index;
    else
        d->entries[b->last].next = index;
    b->last = index;
    d->wanted |= 1u << e->bank;
    d->stats.requests++;
    if (++d->waiting > d->stats.queue_max)
        d->stats.queue_max = d->waiting;
}

/* Takes the oldest waiting request of the bank's row, else the oldest, out of the bank's queue. */
static uint32_t choose_request(struct dram *d, struct dram_bank *b)
{
    uint32_t before = DRAM_NONE, index = b->first;
    while (index != DRAM_NONE && d->entries[index].row != b->row) {
        before = index;
        index = d->entries[index].next;
    }
    if (index == DRAM_NONE) {
        index = b->first;
        before = DRAM_NONE;
    }
    if (before == DRAM_NONE)
        b->first = d->entries[index].next;
    else
        d->entries[before].next = d->entries[index].next;
    if (b->last == index)
        b->last = before;
    return index;
}

/* The first of the set from `turn` on. */
static uint32_t first_from(uint32_t set, uint32_t turn)
{
    uint32_t later = set & ~0u << turn;
    return (uint32_t)__builtin_ctz(later ? later : set);
}

static bool is_write(const struct dram_entry *e)
{
    return e->request.kind >= REQUEST_WRITE;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Notes what command the bank's current request waits for, and until when the bank itself forbids it. */
static void find_need(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_bank *b = &d->banks[index];
    const struct dram_entry *e = &d->entries[b->current];
    enum dram_need need = is_write(e) ? DRAM_WRITE : DRAM_READ;
    uint64_t at = need == DRAM_WRITE ? b->write_at : b->read_at;
    if (!b->open) {
        need = DRAM_ACTIVATE;
        at = b->activate_at;
    } else if (b->row != e->row) {
        need = DRAM_PRECHARGE;
        at = b->precharge_at;
    }
    for (unsigned n = 0; n < DRAM_NEEDS; n++)
        d->needs[n] &= ~(1u << index);
    d->needs[need] |= 1u << index;
    d->own_at[index] = at;
    d->held &= ~(1u << index);
    if (at > cycle) {
        d->held |= 1u << index;
        d->held_until = cycle_min(d->held_until, at);
    }
}

static void give_work(struct dram *d, uint64_t cycle)
{
    uint32_t ready = d->wanted & ~d->served;
    if (!ready)
        return;
    uint32_t index = first_from(ready, d->turn);
    struct dram_bank *b = &d->banks[index];
    b->current = choose_request(d, b);
    d->waiting--;
    if (b->first == DRAM_NONE)
        d->wanted &= ~(1u << index);
    d->served |= 1u << index;
    d->turn = (d->turn + 1) & (d->params.banks - 1);
    find_need(d, index, cycle);
    d->command_at = cycle_min(d->command_at, later(d->own_at[index], cycle));
}

/* 3. Commands */

/* The banks of the set whose group allows the command from `cycle` on. */
static uint32_t allowed_by_groups(const struct dram *d, uint32_t set, const uint64_t *group_at, uint64_t cycle)
{
    for (uint32_t g = 0; g < d->params.bank_groups; g++)
        if (group_at[g] > cycle)
            set &= ~d->group_banks[g];
    return set;
}

/* The banks that could get a read or write, a row command in this cycle. */
static uint32_t allowed_columns(const struct dram *d, uint64_t cycle)
{
    if (cycle < d->column_at || pipe_full(d))
        return 0;
    uint32_t set = (cycle >= d->read_at ? d->needs[DRAM_READ] : 0) | (cycle >= d->write_at ? d->needs[DRAM_WRITE] : 0);
    set &= ~d->held;
    return set && cycle < d->groups_column_at ? allowed_by_groups(d, set, d->group_column_at, cycle) : set;
}

static uint32_t allowed_rows(const struct dram *d, uint64_t cycle)
{
    uint32_t activates = cycle >= d->activate_at ? d->needs[DRAM_ACTIVATE] : 0, precharges = d->needs[DRAM_PRECHARGE];
    if (precharges && cycle < d->groups_precharge_at)
        precharges = allowed_by_groups(d, precharges, d->group_precharge_at, cycle);
    return (activates | precharges) & ~d->held;
}

/* The first cycle after this one in which a command may be possible; never later than the truth. */
static uint64_t next_command(const struct dram *d, uint64_t cycle)
{
    uint32_t reads = d->needs[DRAM_READ] & ~d->held, writes = d->needs[DRAM_WRITE] & ~d->held;
    uint64_t at = d->held ? d->held_until : CYCLE_NEVER;
    if (d->needs[DRAM_PRECHARGE] & ~d->held)
        return cycle + 1;
    if (d->needs[DRAM_ACTIVATE] & ~d->held)
        at = cycle_min(at, d->activate_at);
    if (reads | writes) {
        uint64_t column = d->column_at,
                 turnaround = cycle_min(reads ? d->read_at : CYCLE_NEVER, writes ? d->write_at : CYCLE_NEVER);
        if (!((reads | writes) & ~d->group_banks[d->last_group]))
            column = later(column, d->group_column_at[d->last_group]);
        at = cycle_min(at, later(column, turnaround));
    }
    return later(at, cycle + 1);
}

static void send_column(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    struct dram_entry *e = &d->entries[b->current];
    d->column_at = cycle + p->tCCD;
    d->last_group = b->group;
    d->group_column_at[b->group] = d->groups_column_at = cycle + p->tCCDL;
    if (is_write(e)) {
        d->read_at = cycle + d->wtr;
        b->precharge_at = later(b->precharge_at, cycle + d->wtp);
        d->stats.writes++;
        d->stats.writeback_writes += e->request.kind == REQUEST_WRITEBACK;
    } else {
        d->write_at = cycle + d->rtw;
        b->precharge_at = later(b->precharge_at, cycle + p->burst_cycles);
        d->group_precharge_at[b->group] = d->groups_precharge_at = cycle + p->tRTPL;
        d->stats.reads++;
        d->stats.allocate_reads += e->request.kind == REQUEST_ALLOCATE;
    }
    e->commanded += p->atom_bytes;
    bool last = e->commanded >= e->request.bytes;
    push_burst(d, b->current, last, cycle + (is_write(e) ? p->tWL : p->tCL));
    if (last) {
        b->current = DRAM_NONE;
        d->served &= ~(1u << index);
        d->needs[DRAM_READ] &= ~(1u << index);
        d->needs[DRAM_WRITE] &= ~(1u << index);
    }
}

static void send_row(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    d->turn = (index + 1) & (p->banks - 1);
    if (b->open) {
        b->open = false;
        b->activate_at = later(b->activate_at, cycle + p->tRP);
        d->stats.precharges++;
    } else {
        b->open = true;
        b->row = d->entries[b->current].row;
        b->read_at = cycle + p->tRCD;
        b->write_at = cycle + d->rcd_write;
        b->precharge_at = later(b->precharge_at, cycle + p->tRAS);
        b->activate_at = cycle + p->tRC;
        d->activate_at = cycle + p->tRRD;
        d->stats.activates++;
    }
    find_need(d, index, cycle);
}

static void release_held(struct dram *d, uint64_t cycle)
{
    d->held_until = CYCLE_NEVER;
    for (uint32_t rest = d->held; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctz(rest);
        if (d->own_at[index] <= cycle)
            d->held &= ~(1u << index);
        else
            d->held_until = cycle_min(d->held_until, d->own_at[index]);
    }
}

/* After a row command to the bank `step` places behind the turn of before, the scan goes on from the turn that the
 * command has moved, as in GPGPU-Sim: only banks more than `step` places behind the new turn may still get a read or
 * write. */
static void send_column_too(struct dram *d, uint32_t step, uint64_t cycle)
{
    uint32_t set = allowed_columns(d, cycle), banks = d->params.banks;
    uint32_t order = (set >> d->turn | set << (banks - d->turn)) & (uint32_t)mask_low(banks) & ~0u << 1 << step;
    if (order)
        send_column(d, ((uint32_t)__builtin_ctz(order) + d->turn) & (banks - 1), cycle);
}

/* Sends what commands this cycle allows, and notes when the next one may be possible. */
static void send_commands(struct dram *d, uint64_t cycle)
{
    if (cycle >= d->held_until)
        release_held(d, cycle);
    uint32_t columns = allowed_columns(d, cycle), set = columns | allowed_rows(d, cycle);
    if (set) {
        uint32_t index = first_from(set, d->turn), step = (index - d->turn) & (d->params.banks - 1);
        if (columns >> index & 1) {
            send_column(d, index, cycle);
        } else {
            send_row(d, index, cycle);
            if (d->params.row_then_column)
                send_column_too(d, step, cycle);
        }
    }
    d->command_at = next_command(d, cycle);
}

bool dram_tick(struct dram *d, uint64_t cycle, struct memory_request *done)
{
    bool ended = drain_pipe(d, cycle, done);
    give_work(d, cycle);
    if (d->served && cycle >= d->command_at)
        send_commands(d, cycle);
    return ended;
}

/* When the pipe's next last burst leaves. */
static uint64_t pipe_next(const struct dram *d)
{
    if (d->pipe_first == d->pipe_end || returns_full(d))
        return CYCLE_NEVER;
    if (d->pipe_late)
        return d->pipe[d->pipe_first & d->pipe_mask].at;
    for (uint32_t i = d->pipe_first; i != d->pipe_end; i++)
        if (d->pipe[i & d->pipe_mask].last)
            return d->pipe[i & d->pipe_mask].at;
    return CYCLE_NEVER;
}

uint64_t dram_next(const struct dram *d, uint64_t last)
{
    if (d->wanted & ~d->served)
        return last + 1;
    uint64_t next = pipe_next(d);
    if (d->served)
        next = cycle_min(next, d->command_at);
    return next == CYCLE_NEVER ? next : later(next, last + 1);
}

bool dram_idle(const struct dram *d)
{
    return !d->wanted && !d->served && d->pipe_first == d->pipe_end && d->return_first == d->return_end;
}
