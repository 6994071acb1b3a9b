/* The DRAM controller of GPGPU-Sim (3.2.2; with row_then_column, 4.0), one command cycle after the other. In each:
 *   1. one burst leaves the data pipe; the last one of a request puts it into the return queue (write-backs just end).
 *      The pipe is in order: a burst leaves tCL (tWL) cycles after its command, later if the return queue was full;
 *   2. the first bank without work, from a rotating one on, gets the oldest request of its open row, else its oldest;
 *   3. banks are scanned from a rotating one for one command that all constraints allow: read or write if the row is
 *      open, activate if the bank is closed, precharge if another row is open;
 *   4. the oldest request whose fixed delay is over joins the scheduler, if that has a place.
 * A constraint of n cycles forbids the next n-1 ticks: a command at c allows the constrained one at c+n. Derived:
 * activate to write tRCD-(tWL+1); read to write tCL+burst+2-tWL; write to read tWL+burst+tCDLR; write to precharge
 * tWL+burst+tWR; read to precharge of one bank a burst. Refresh (tREFI) is bank by bank: a bank that is given a request
 * while it is refreshed waits; one that is served then is not held up. Commands for it are left out.
 *
 * Brought up to a cycle, the channel has done its first two steps; what a partition takes out and hands over comes
 * between those and the others, which are done when it is next brought further. Bursts that nobody saw leave do so
 * then; so a burst that leaves in a cycle can be taken out from the next one on. */
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

#define REFRESH_STRIDE UINT64_C(2654435761) /* from channel to channel, modulo tREFI: so their refreshes meet by chance */

static uint32_t above(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

static void create_slots(struct dram *d, struct arena *arena)
{
    d->limit = d->params.scheduler_queue;
    d->slots = ARENA_NEW(arena, struct dram_request, d->limit);
    d->next_slot = ARENA_NEW(arena, uint16_t, d->limit);
    for (uint32_t i = 0; i < d->limit; i++)
        d->next_slot[i] = i + 1 < d->limit ? (uint16_t)(i + 1) : DRAM_NO_SLOT;
}

static void create_banks(struct dram *d)
{
    const struct dram_params *p = &d->params;
    for (uint32_t i = 0; i < DRAM_BANKS; i++) {
        uint32_t group = p->bank_group_low_bits ? i & (p->bank_groups - 1) : i / (p->banks / p->bank_groups);
        d->banks[i] = (struct dram_bank){.group = (uint8_t)(group % DRAM_BANKS)};
        if (group < DRAM_BANKS)
            d->groups[group].banks |= 1u << i;
    }
}

/* Between reads and writes of the channel lies tCCD at least. */
static void set_constraints(struct dram *d)
{
    const struct dram_params *p = &d->params;
    d->atom_bytes = (uint16_t)p->atom_bytes;
    d->column_to_column = (uint16_t)p->tCCD;
    d->column_in_group = (uint16_t)p->tCCDL;
    d->read_to_write = (uint16_t)cycle_max(p->tCCD, above(p->tCL + p->burst_cycles + 2, p->tWL));
    d->write_to_read = (uint16_t)cycle_max(p->tCCD, p->tWL + p->burst_cycles + p->tCDLR);
    d->read_to_burst = (uint16_t)p->tCL;
    d->write_to_burst = (uint16_t)p->tWL;
    d->read_to_precharge = (uint16_t)p->burst_cycles;
    d->read_to_group_precharge = (uint16_t)p->tRTPL;
    d->write_to_precharge = (uint16_t)(p->tWL + p->burst_cycles + p->tWR);
    d->activate_to_write = (uint16_t)above(p->tRCD, p->tWL + 1);
}

struct dram *dram_create(const struct dram_params *params, uint32_t latency, uint32_t under_way,
                         struct request_pool *pool, struct arena *arena)
{
    struct dram *d = ARENA_NEW(arena, struct dram, 1);
    d->params = *params;
    d->pool = pool;
    d->latency = latency;
    d->pipe_at = d->command_at = d->join_at = d->held_until = CYCLE_NEVER;
    d->turn = d->all = (uint32_t)mask_low(params->banks);
    d->bank_mask = (uint8_t)(params->banks - 1);
    set_constraints(d);
    create_banks(d);
    create_slots(d, arena);
    d->delay_mask = (uint16_t)(power_from(under_way) - 1);
    d->delay = ARENA_NEW(arena, struct dram_delayed, d->delay_mask + 1u);
    d->pipe_mask = (uint16_t)(power_from(params->tCL + params->tWL + 2) - 1);
    d->pipe = ARENA_NEW(arena, struct dram_burst, d->pipe_mask + 1);
    d->finished_mask = (uint16_t)(power_from(params->return_queue) - 1);
    d->finished_limit = (uint16_t)params->return_queue;
    d->finished = ARENA_NEW(arena, struct dram_request, d->finished_mask + 1);
    return d;
}

/* 1. The data pipe */

static bool returns_full(const struct dram *d)
{
    return d->finished_count >= d->finished_limit;
}

/* A burst has left the pipe, and with the last one the request. Returns that when it is a write-back. */
HOT_INLINE uint32_t end_burst(struct dram *d, struct dram_request r)
{
    if (dram_left(r))
        return REQUEST_NONE;
    if (dram_kind(r) == REQUEST_WRITEBACK)
        return dram_number(r);
    contract(!returns_full(d));
    d->finished[(d->finished_first + d->finished_count++) & d->finished_mask] = r;
    d->pipe_late |= returns_full(d);
    return REQUEST_NONE;
}

/* When the return queue was full: one burst leaves in a cycle, if that has room again. */
NOT_INLINE uint32_t drain_late(struct dram *d, uint64_t cycle)
{
    uint32_t ended = REQUEST_NONE;
    const struct dram_burst *burst = &d->pipe[d->pipe_first & d->pipe_mask];
    if (d->pipe_first != d->pipe_end && burst->at <= cycle && !returns_full(d)) {
        ended = end_burst(d, burst->request);
        if (++d->pipe_first == d->pipe_end)
            d->last_at = cycle;
        burst = &d->pipe[d->pipe_first & d->pipe_mask];
    }
    d->pipe_late = returns_full(d) || (d->pipe_first != d->pipe_end && burst->at <= cycle);
    d->pipe_at = d->pipe_late ? cycle + 1 : d->pipe_first != d->pipe_end ? burst->at : CYCLE_NEVER;
    return ended;
}

/* Each burst leaves at its time, which differs from the others'. A write-back ends in the cycle that the channel is
 * brought up to, so there is at most one. */
HOT uint32_t dram_drain_pipe(struct dram *d, uint64_t cycle)
{
    uint32_t ended = REQUEST_NONE, i = d->pipe_first;
    const struct dram_burst *burst = &d->pipe[i & d->pipe_mask];
    uint64_t next;
    contract(cycle >= d->pipe_at && (d->pipe_late || d->pipe_first != d->pipe_end));
    if (d->pipe_late)
        return drain_late(d, cycle);
    do {
        ended = end_burst(d, burst->request);
        burst = &d->pipe[++i & d->pipe_mask];
        next = i != d->pipe_end ? burst->at : CYCLE_NEVER;
    } while (next <= cycle && !d->pipe_late);
    d->pipe_first = i;
    d->pipe_at = d->pipe_late ? cycle + 1 : next;
    return ended;
}

/* True: a command in this cycle finds room in the pipe. */
HOT_INLINE bool pipe_has_room(struct dram *d, uint64_t cycle)
{
    if (d->pipe_end - d->pipe_first <= d->read_to_burst)
        return true;
    if (cycle >= d->pipe_at)
        dram_drain_pipe(d, cycle);
    return d->pipe_end - d->pipe_first <= d->read_to_burst;
}

HOT_INLINE void push_burst(struct dram *d, struct dram_request r, uint64_t at)
{
    if (at <= d->last_at)
        at = d->last_at + 1;
    contract(d->pipe_end - d->pipe_first <= d->pipe_mask);
    d->last_at = at;
    d->pipe_at = cycle_min(d->pipe_at, at);
    d->pipe[d->pipe_end++ & d->pipe_mask] = (struct dram_burst){at, r};
}

/* 2. The scheduler */

/* Takes the oldest waiting request of the bank's row, else the oldest, out of the bank's queue. */
HOT_INLINE struct dram_request choose_request(struct dram *d, struct dram_bank *b)
{
    uint16_t *next_slot = d->next_slot;
    uint32_t chosen = b->first, next = next_slot[chosen];
    if (dram_row(d->slots[chosen]) != b->row) {
        uint32_t before = chosen, i = next;
        while (i != DRAM_NO_SLOT && dram_row(d->slots[i]) != b->row) {
            before = i;
            i = next_slot[i];
        }
        if (i != DRAM_NO_SLOT) {
            chosen = i;
            next_slot[before] = next_slot[i];
            if (b->last == i)
                b->last = (uint16_t)before;
            next = b->first;
        }
    }
    b->first = (uint16_t)next;
    next_slot[chosen] = d->free_slot;
    d->free_slot = (uint16_t)chosen;
    return d->slots[chosen];
}

/* The first of the set in turn. */
static uint32_t first_from(uint32_t set, uint32_t turn)
{
    uint32_t later = set & turn;
    return (uint32_t)__builtin_ctz(later ? later : set);
}

/* The turn that begins a bank behind the first one of these. */
static uint32_t turn_behind(const struct dram *d, uint32_t banks)
{
    uint32_t turn = banks << 1 & d->all;
    return turn ? turn : d->all;
}

static bool is_write(struct dram_request r)
{
    return dram_kind(r) >= REQUEST_WRITE;
}

/* The first cycle in which the channel and the bank's group allow a read or write, as things are. */
static uint64_t column_allowed(const struct dram *d, const struct dram_bank *b, bool write)
{
    return cycle_max(d->groups[b->group].column_at, write ? d->write_at : d->read_at);
}

/* Notes what command the bank's current request waits for, as soon as the bank itself allows it. Returns a cycle before
 * which it cannot be sent. */
HOT_INLINE uint64_t find_need(struct dram *d, uint32_t index, uint64_t cycle)
{
    struct dram_bank *b = &d->banks[index];
    enum dram_need need;
    uint64_t at, allowed;
    uint32_t bit = 1u << index;
    if (!b->open) {
        need = DRAM_ACTIVATE;
        at = b->activate_at;
        allowed = d->activate_at;
    } else if (b->row != dram_row(b->current)) {
        need = DRAM_PRECHARGE;
        at = allowed = b->precharge_at;
    } else {
        need = is_write(b->current) ? DRAM_WRITE : DRAM_READ;
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
    return cycle_max(at, allowed);
}

void dram_stagger(struct dram *d, uint32_t number)
{
    d->refresh_phase = d->params.tREFI ? (uint32_t)(number * REFRESH_STRIDE % d->params.tREFI) : 0;
}

/* The bank is to get work: if it is being refreshed, it does not begin before that is over. */
NOT_INLINE void wait_for_refresh(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    uint64_t turn = (cycle + d->refresh_phase + (uint64_t)index * p->tREFI / p->banks) % p->tREFI;
    if (turn >= p->tRFC)
        return;
    b->open = false;
    b->activate_at = cycle_max(b->activate_at, cycle + p->tRFC - turn);
}

/* The first of these banks, which have no work, gets some. */
HOT_INLINE void give_work(struct dram *d, uint32_t idle, uint64_t cycle)
{
    uint32_t index = first_from(idle, d->turn);
    struct dram_bank *b = &d->banks[index];
    b->current = choose_request(d, b);
    d->waiting--;
    if (b->first == DRAM_NO_SLOT)
        d->wanted &= ~(1u << index);
    d->served |= 1u << index;
    d->turn = turn_behind(d, d->turn);
    if (RARELY(d->params.tREFI))
        wait_for_refresh(d, index, cycle);
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

/* The banks that could get a read or write in this cycle, if their group allows it: the last one to get some, which is
 * often the only one that does not, is left out. */
HOT_INLINE uint32_t possible_columns(struct dram *d, uint64_t cycle)
{
    uint32_t set = cycle >= d->read_at ? d->needs[DRAM_READ] : 0;
    const struct dram_group *last = &d->groups[d->last_group];
    if (cycle >= d->write_at)
        set |= d->needs[DRAM_WRITE];
    set &= last->column_at > cycle ? ~last->banks : ~0u;
    return set && pipe_has_room(d, cycle) ? set : 0;
}

static bool group_allows_column(const struct dram *d, uint32_t index, uint64_t cycle)
{
    return d->groups[d->banks[index].group].column_at <= cycle;
}

/* The banks that could get a row command. */
HOT NOT_INLINE uint32_t allowed_rows(const struct dram *d, uint64_t cycle)
{
    uint32_t activates = cycle >= d->activate_at ? d->needs[DRAM_ACTIVATE] : 0, precharges = d->needs[DRAM_PRECHARGE];
    if (precharges && cycle < d->groups_precharge_at)
        precharges = allowed_by_groups(d, precharges, cycle);
    return activates | precharges;
}

/* The first cycle after this one in which a command may be possible; never later than the truth. */
HOT_INLINE uint64_t next_command(const struct dram *d, uint64_t cycle)
{
    uint32_t reads = d->needs[DRAM_READ], writes = d->needs[DRAM_WRITE];
    uint64_t at = d->held_until;
    if (d->needs[DRAM_PRECHARGE])
        return cycle + 1;
    if (d->needs[DRAM_ACTIVATE])
        at = cycle_min(at, d->activate_at);
    if (reads | writes) {
        uint64_t column = reads ? d->read_at : CYCLE_NEVER;
        if (writes)
            column = cycle_min(column, d->write_at);
        if (!((reads | writes) & ~d->groups[d->last_group].banks))
            column = cycle_max(column, d->groups[d->last_group].column_at);
        at = cycle_min(at, column);
    }
    return cycle_max(at, cycle + 1);
}

HOT_INLINE void send_column(struct dram *d, uint32_t index, uint64_t cycle)
{
    struct dram_bank *b = &d->banks[index];
    struct dram_group *group = &d->groups[b->group];
    struct dram_request r = b->current;
    uint32_t left = dram_left(r), kind = dram_kind(r), atom = d->atom_bytes;
    bool write = is_write(r);
    d->last_group = b->group;
    group->column_at = cycle + d->column_in_group;
    if (write) {
        d->write_at = cycle + d->column_to_column;
        d->read_at = cycle + d->write_to_read;
        b->precharge_at = cycle_max(b->precharge_at, cycle + d->write_to_precharge);
        d->stats.writes++;
        d->stats.writeback_writes += kind == REQUEST_WRITEBACK;
    } else {
        d->read_at = cycle + d->column_to_column;
        d->write_at = cycle + d->read_to_write;
        b->precharge_at = cycle_max(b->precharge_at, cycle + d->read_to_precharge);
        group->precharge_at = d->groups_precharge_at = cycle + d->read_to_group_precharge;
        d->stats.reads++;
        d->stats.allocate_reads += kind == REQUEST_ALLOCATE;
    }
    r.parts -= (uint64_t)(left < atom ? left : atom) << DRAM_LEFT_SHIFT;
    b->current = r;
    push_burst(d, r, cycle + (write ? d->write_to_burst : d->read_to_burst));
    if (left <= atom) {
        d->served &= ~(1u << index);
        d->needs[write ? DRAM_WRITE : DRAM_READ] &= ~(1u << index);
    }
}

HOT NOT_INLINE void send_row(struct dram *d, uint32_t index, uint64_t cycle)
{
    const struct dram_params *p = &d->params;
    struct dram_bank *b = &d->banks[index];
    d->turn = turn_behind(d, d->all & ~0u << index);
    d->needs[b->open ? DRAM_PRECHARGE : DRAM_ACTIVATE] &= ~(1u << index);
    if (b->open) {
        b->open = false;
        b->activate_at = cycle_max(b->activate_at, cycle + p->tRP);
        d->stats.precharges++;
    } else {
        b->open = true;
        b->row = (uint16_t)dram_row(b->current);
        b->read_at = cycle + p->tRCD;
        b->write_at = cycle + d->activate_to_write;
        b->precharge_at = cycle_max(b->precharge_at, cycle + p->tRAS);
        b->activate_at = cycle + p->tRC;
        d->activate_at = cycle + p->tRRD;
        d->stats.activates++;
    }
    find_need(d, index, cycle);
}

HOT NOT_INLINE void release_held(struct dram *d, uint64_t cycle)
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
    uint32_t set = possible_columns(d, cycle), banks = d->params.banks, turn = (uint32_t)__builtin_ctz(d->turn);
    uint32_t order = (uint32_t)(((uint64_t)set << banks | set) >> turn) & d->all & ~0u << 1 << step;
    for (; order; order &= order - 1) {
        uint32_t index = ((uint32_t)__builtin_ctz(order) + turn) & (banks - 1);
        if (group_allows_column(d, index, cycle)) {
            send_column(d, index, cycle);
            return;
        }
    }
}

/* A row command, and maybe a column command behind it. */
HOT NOT_INLINE void send_row_first(struct dram *d, uint32_t index, uint64_t cycle)
{
    uint32_t step = (index - (uint32_t)__builtin_ctz(d->turn)) & d->bank_mask;
    send_row(d, index, cycle);
    if (d->params.row_then_column)
        send_column_too(d, step, cycle);
}

/* Sends what commands this cycle allows, and notes when the next one may be possible. */
HOT_INLINE void send_commands(struct dram *d, uint64_t cycle)
{
    if (cycle >= d->held_until)
        release_held(d, cycle);
    uint32_t columns = possible_columns(d, cycle), set = columns;
    if (d->needs[DRAM_ACTIVATE] | d->needs[DRAM_PRECHARGE])
        set |= allowed_rows(d, cycle);
    while (set) {
        uint32_t index = first_from(set, d->turn);
        const struct dram_group *group = &d->groups[d->banks[index].group];
        if (!(columns >> index & 1)) {
            send_row_first(d, index, cycle);
            break;
        }
        if (group->column_at <= cycle) {
            send_column(d, index, cycle);
            break;
        }
        set &= ~(columns & group->banks);
    }
    d->command_at = next_command(d, cycle);
}

/* The steps together */

void dram_finish(struct dram *d)
{
    if (d->now >= d->command_at)
        send_commands(d, d->now);
    if (d->now >= d->join_at && !dram_full(d))
        dram_join(d, d->now);
}

/* The rest of the last cycle, and what comes first in the next one in which there is something to do. */
HOT void dram_run(struct dram *d, uint64_t cycle)
{
    uint64_t now = d->now, next;
    for (; now < cycle; now = next) {
        next = cycle;
        if (!dram_full(d)) {
            if (now >= d->join_at)
                dram_join(d, now);
            next = cycle_min(next, d->join_at);
        }
        if (now >= d->command_at)
            send_commands(d, now);
        next = cycle_min(next, d->command_at);
        uint32_t idle = d->wanted & ~d->served;
        if (idle) {
            next = now + 1;
            give_work(d, idle, next);
        }
    }
    d->now = now;
}

/* No burst in the pipe ends a request, or none leaves: a command is not before now, and its burst not before that. */
uint64_t dram_next_unseen(const struct dram *d)
{
    if (d->pipe_late)
        return returns_full(d) ? CYCLE_NEVER : d->now + 1;
    for (uint32_t i = d->pipe_first; i != d->pipe_end; i++) {
        const struct dram_burst *burst = &d->pipe[i & d->pipe_mask];
        if (!dram_left(burst->request))
            return burst->at + (dram_kind(burst->request) != REQUEST_WRITEBACK);
    }
    uint64_t command = d->command_at;
    if (d->wanted & ~d->served)
        command = cycle_min(command, d->now + 1);
    if (!dram_full(d))
        command = cycle_min(command, d->join_at);
    return command == CYCLE_NEVER ? CYCLE_NEVER
                                  : cycle_max(command, d->now) + cycle_min(d->read_to_burst, d->write_to_burst);
}
