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

#define NO_REQUEST UINT32_MAX
#define MAX_BANKS 16

struct entry {
    struct memory_request request;
    uint32_t row, bank;
    uint32_t commanded, moved; /* bytes whose command was sent, bytes through the pipe */
    uint32_t next;             /* in the bank's queue or the free list */
};

/* The command that a bank's current request waits for. */
enum need { NEED_ACTIVATE, NEED_PRECHARGE, NEED_READ, NEED_WRITE };

struct bank {
    uint32_t first, last; /* waiting requests, oldest first */
    uint32_t current;     /* request being served */
    uint32_t row;
    uint8_t need, group;
    bool open;
    uint64_t read_at, write_at, precharge_at,
        activate_at; /* first cycle at which the bank's own constraints allow the command */
};

struct burst {
    uint32_t entry;
    uint64_t at;
};

struct dram {
    struct dram_params params;
    struct dram_stats stats;
    uint32_t rcd_write, rtw, wtr, wtp;
    struct entry *entries;
    uint32_t free_entry;
    uint32_t incoming; /* handed over since the last tick */
    uint32_t waiting;  /* in banks' queues */
    uint32_t turn;
    struct bank banks[MAX_BANKS];
    uint64_t served;                                    /* banks with a current request */
    uint64_t wanted;                                    /* banks with waiting requests */
    uint64_t column_at, read_at, write_at, activate_at; /* first cycle for the whole channel */
    uint64_t group_column_at[MAX_BANKS], group_precharge_at[MAX_BANKS];
    uint64_t command_at; /* no command is possible before, unless a bank gets a request */
    struct burst *pipe;
    uint32_t pipe_mask, pipe_first, pipe_end;
    uint64_t last_burst;
    uint32_t *returns;
    uint32_t return_mask, return_first, return_end;
};

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
    uint32_t entries = params->scheduler_queue + params->return_queue + params->tCL + MAX_BANKS + 2;
    d->params = *params;
    d->rcd_write = above(params->tRCD, params->tWL + 1);
    d->rtw = above(params->tCL + params->burst_cycles + 2, params->tWL);
    d->wtr = params->tWL + params->burst_cycles + params->tCDLR;
    d->wtp = params->tWL + params->burst_cycles + params->tWR;
    d->entries = ARENA_NEW(arena, struct entry, entries);
    for (uint32_t i = 0; i < entries; i++)
        d->entries[i].next = i + 1 < entries ? i + 1 : NO_REQUEST;
    d->incoming = NO_REQUEST;
    for (uint32_t i = 0; i < MAX_BANKS; i++) {
        uint32_t group =
            params->bank_group_low_bits ? i & (params->bank_groups - 1) : i / (params->banks / params->bank_groups);
        d->banks[i] =
            (struct bank){.first = NO_REQUEST, .last = NO_REQUEST, .current = NO_REQUEST, .group = (uint8_t)group};
    }
    d->pipe_mask = ring_size(params->tCL + params->tWL + 2) - 1;
    d->pipe = ARENA_NEW(arena, struct burst, d->pipe_mask + 1);
    d->return_mask = ring_size(params->return_queue) - 1;
    d->returns = ARENA_NEW(arena, uint32_t, d->return_mask + 1);
    return d;
}

bool dram_full(const struct dram *d)
{
    return d->waiting >= d->params.scheduler_queue;
}

void dram_push(struct dram *d, const struct memory_request *request, uint32_t bank, uint32_t row)
{
    uint32_t index = d->free_entry;
    struct entry *e = &d->entries[index];
    d->free_entry = e->next;
    *e = (struct entry){.request = *request, .row = row, .bank = bank & (d->params.banks - 1), .next = NO_REQUEST};
    d->incoming = index;
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

const struct memory_request *dram_top(const struct dram *d)
{
    return d->return_first == d->return_end ? NULL : &d->entries[d->returns[d->return_first & d->return_mask]].request;
}

void dram_pop(struct dram *d)
{
    free_entry(d, d->returns[d->return_first++ & d->return_mask]);
}

/* 1. The data pipe */

static bool drain_pipe(struct dram *d, uint64_t cycle, struct memory_request *done)
{
    if (d->pipe_first == d->pipe_end || d->pipe[d->pipe_first & d->pipe_mask].at > cycle || returns_full(d))
        return false;
    uint32_t index = d->pipe[d->pipe_first++ & d->pipe_mask].entry;
    struct entry *e = &d->entries[index];
    d->last_burst = cycle;
    e->moved += d->params.atom_bytes;
    if (e->moved < e->request.bytes)
        return false;
    if (e->request.kind != REQUEST_WRITEBACK) {
        d->returns[d->return_end++ & d->return_mask] = index;
        return false;
    }
    *done = e->request;
    free_entry(d, index);
    return true;
}

static bool pipe_full(const struct dram *d)
{
    return d->pipe_end - d->pipe_first > d->params.tCL;
}

static void push_burst(struct dram *d, uint32_t entry, uint64_t at)
{
    uint64_t previous = d->pipe_first == d->pipe_end ? d->last_burst : d->pipe[(d->pipe_end - 1) & d->pipe_mask].at;
    d->pipe[d->pipe_end++ & d->pipe_mask] = (struct burst){entry, at > previous ? at : previous + 1};
}

/* 2. The scheduler */

static void accept_incoming(struct dram *d)
{
    uint32_t index = d->incoming;
    if (index == NO_REQUEST)
        return;
    struct bank *b = &d->banks[d->entries[index].bank];
    d->incoming = NO_REQUEST;
    if (b->first == NO_REQUEST)
        b->first = index;
    else
        d->entries[b->last].next = index;
    b->last = index;
    d->wanted |= BIT64(d->entries[index].bank);
    d->stats.requests++;
    if (++d->waiting > d->stats.queue_max)
        d->stats.queue_max = d->waiting;
}

/* Takes the oldest waiting request of the bank's row, else the oldest, out of the bank's queue. */
static uint32_t choose_request(struct dram *d, struct bank *b)
{
    uint32_t before = NO_REQUEST, index = b->first;
    while (index != NO_REQUEST && d->entries[index].row != b->row) {
        before = index;
        index = d->entries[index].next;
    }
    if (index == NO_REQUEST) {
        index = b->first;
        before = NO_REQUEST;
    }
    if (before == NO_REQUEST)
        b->first = d->entries[index].next;
    else
        d->entries[before].next = d->entries[index].next;
    if (b->last == index)
        b->last = before;
    return index;
}

/* The first of the set from `turn` on. */
static uint32_t first_from(uint64_t set, uint32_t turn)
{
    uint64_t later = set & ~mask_low(turn);
    return mask_first(later ? later : set);
}

static bool is_write(const struct entry *e)
{
    return e->request.kind >= REQUEST_WRITE;
}

static void find_need(const struct dram *d, struct bank *b)
{
    const struct entry *e = &d->entries[b->current];
    if (!b->open)
        b->need = NEED_ACTIVATE;
    else if (b->row != e->row)
        b->need = NEED_PRECHARGE;
    else
        b->need = is_write(e) ? NEED_WRITE : NEED_READ;
}

static bool give_work(struct dram *d)
{
    uint64_t ready = d->wanted & ~d->served;
    if (!ready)
        return false;
    uint32_t index = first_from(ready, d->turn);
    struct bank *b = &d->banks[index];
    b->current = choose_request(d, b);
    find_need(d, b);
    d->waiting--;
    if (b->first == NO_REQUEST)
        d->wanted &= ~BIT64(index);
    d->served |= BIT64(index);
    d->turn = (d->turn + 1) & (d->params.banks - 1);
    d->command_at = 0;
    return true;
}

/* 3. Commands */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The first cycle at which the bank's next command is allowed. */
static uint64_t allowed_at(const struct dram *d, const struct bank *b)
{
    switch ((enum need)b->need) {
    case NEED_ACTIVATE:
        return later(b->activate_at, d->activate_at);
    case NEED_PRECHARGE:
        return later(b->precharge_at, d->group_precharge_at[b->group]);
    case NEED_READ:
        return later(later(d->column_at, d->group_column_at[b->group]), later(b->read_at, d->read_at));
    case NEED_WRITE:
        break;
    }
    return later(later(d->column_at, d->group_column_at[b->group]), later(b->write_at, d->write_at));
}

static void send_column(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct bank *b = &d->banks[index];
    struct entry *e = &d->entries[b->current];
    d->column_at = cycle + p->tCCD;
    d->group_column_at[b->group] = cycle + p->tCCDL;
    if (is_write(e)) {
        d->read_at = cycle + d->wtr;
        b->precharge_at = later(b->precharge_at, cycle + d->wtp);
        d->stats.writes++;
        d->stats.writeback_writes += e->request.kind == REQUEST_WRITEBACK;
    } else {
        d->write_at = cycle + d->rtw;
        b->precharge_at = later(b->precharge_at, cycle + p->burst_cycles);
        d->group_precharge_at[b->group] = cycle + p->tRTPL;
        d->stats.reads++;
        d->stats.allocate_reads += e->request.kind == REQUEST_ALLOCATE;
    }
    push_burst(d, b->current, cycle + (is_write(e) ? p->tWL : p->tCL));
    e->commanded += p->atom_bytes;
    if (e->commanded >= e->request.bytes) {
        b->current = NO_REQUEST;
        d->served &= ~BIT64(index);
    }
}

static void send_row(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct bank *b = &d->banks[index];
    d->turn = (index + 1) & (p->banks - 1);
    if (b->open) {
        b->open = false;
        b->activate_at = later(b->activate_at, cycle + p->tRP);
        d->stats.precharges++;
        find_need(d, b);
        return;
    }
    b->open = true;
    b->row = d->entries[b->current].row;
    b->read_at = cycle + p->tRCD;
    b->write_at = cycle + d->rcd_write;
    b->precharge_at = later(b->precharge_at, cycle + p->tRAS);
    b->activate_at = cycle + p->tRC;
    d->activate_at = cycle + p->tRRD;
    d->stats.activates++;
    find_need(d, b);
}

/* The served banks in the order of the scan: bit i is bank turn + i. */
static uint64_t scan_order(const struct dram *d)
{
    return (d->served >> d->turn | d->served << (d->params.banks - d->turn)) & mask_low(d->params.banks);
}

/* Sends what commands this cycle allows, or notes when the next one is possible. As in GPGPU-Sim the scan goes on from
 * the turn that a row command has just moved. */
static void send_commands(struct dram *d, uint64_t cycle)
{
    bool row = false;
    uint64_t soonest = CYCLE_NEVER;
    if (cycle < d->command_at)
        return;
    for (uint64_t rest = scan_order(d); rest;) {
        uint32_t step = mask_first(rest), index = (step + d->turn) & (d->params.banks - 1);
        const struct bank *b = &d->banks[index];
        bool column = b->need >= NEED_READ;
        uint64_t at = allowed_at(d, b);
        rest &= rest - 1;
        if (at > cycle || (column ? pipe_full(d) : row)) {
            soonest = at < soonest ? at : soonest;
            continue;
        }
        if (column) {
            send_column(d, index, cycle);
        } else {
            send_row(d, index, cycle);
            row = true;
            rest = scan_order(d) & ~mask_low(step + 1);
        }
        d->command_at = 0;
        if (column || !d->params.row_then_column)
            return;
    }
    d->command_at = row ? 0 : soonest;
}

bool dram_tick(struct dram *d, uint64_t cycle, struct memory_request *done)
{
    bool ended = drain_pipe(d, cycle, done);
    accept_incoming(d);
    give_work(d);
    if (d->served)
        send_commands(d, cycle);
    return ended;
}

uint64_t dram_next(const struct dram *d, uint64_t last)
{
    uint64_t next = CYCLE_NEVER;
    if (d->incoming != NO_REQUEST || (d->wanted & ~d->served))
        return last + 1;
    if (d->pipe_first != d->pipe_end && !returns_full(d))
        next = d->pipe[d->pipe_first & d->pipe_mask].at;
    if (d->served && d->command_at < next)
        next = d->command_at;
    return next == CYCLE_NEVER ? next : later(next, last + 1);
}

bool dram_idle(const struct dram *d)
{
    return d->incoming == NO_REQUEST && !d->wanted && !d->served && d->pipe_first == d->pipe_end &&
           d->return_first == d->return_end;
}

struct dram_stats *dram_stats_of(struct dram *d)
{
    return &d->stats;
}
