/* Kernels at one time. Launches that are given together (gpu_launch_together) share the device as streams and graphs
 * let them on a GPU: a launch begins when those that it comes after have ended, at most gpu.kernels run at a time, and
 * of those that run the earlier ones in the list come first at every SM (the *leftover policy*).
 *
 * The invariant: an SM has blocks of one kernel at a time, its *owner*. A kernel takes an SM from another one when that
 * has no blocks left to start, and nothing of it is left in the SM (sm_idle). So all that an SM keeps for a kernel
 * (decoded instructions, scoreboards, shared memory, what its observers hear) is as when that kernel is alone, and
 * statistics of SMs belong to one kernel, for the cycles in which it owned them. On hardware, blocks of two kernels can
 * be on an SM together: here the later kernel waits for longer.
 *
 * A launch that may begin early (programmatic dependent launch) begins when each block of those launches whose
 * permission is enough (gpu_given.lets) has given it (griddepcontrol.launch_dependents) or has ended, and all others that
 * it comes after have ended; its warps can wait for the ends of all of them (griddepcontrol.wait).
 *
 * A kernel has ended when its last block has retired: warps retire when their stores are acknowledged, so all that it
 * wrote is visible. What SMs share (L2, DRAM, networks) is counted for all kernels together.
 *
 * Who owns what changes between windows only, by what all domains have come to at its end: results depend neither on
 * the threads nor on whether idle cycles are skipped. */
#include "gpu/company.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/control.h"
#include "gpu/rest.h"
#include "gpu/waits.h"

enum state { WAITS, RUNS, ENDED };

struct member {
    struct gpu_run *run;
    uint64_t after; /* members that must have ended before it begins, */
    uint64_t lets;  /* but for these of them, whose permission is enough: none unless it may begin early */
    enum state state;
    bool late;                       /* it could have begun before, but gpu.kernels others ran */
    uint64_t given;                  /* the cycle in which the host gives it, at the earliest */
    uint64_t first_start;            /* RUNS: of its blocks */
    bool opens;                      /* it has begun before all of `after` had ended, and its warps may wait for them */
    uint64_t let;                    /* on SMs that it has given up: sm_blocks_let */
    uint64_t retired;                /* the cycle behind the last retirement on an SM that it has given up */
    uint64_t sm_cycles;              /* of all SMs, while it owned them and until it gave them up */
    uint64_t sms[NETWORK_MAX_SIDES]; /* by domain: SMs that it owns */
    struct gpu_control *control;
};

#define NOBODY GPU_TOGETHER

struct gpu_company {
    struct gpu *gpu;
    struct gpu_run *lead; /* the first member's: it has what all share */
    unsigned count;
    struct member of[GPU_TOGETHER];
    uint64_t reached; /* the latest end of the launches before, and of the members whose results are filled */
    uint8_t owner[NETWORK_MAX_PORTS];   /* by SM: a member or NOBODY */
    uint64_t since[NETWORK_MAX_PORTS];  /* by SM: the cycle in which its owner took it */
    uint64_t busy[NETWORK_MAX_SIDES];   /* by domain: SMs that were not idle at the last look */
    uint64_t served[NETWORK_MAX_SIDES]; /* by domain: SMs that get a block in this cycle */
    bool block_may_end;                 /* as domains reported it at the last look */
    struct gpu_run *faulted;
    struct gpu_result *total;
};

static bool has_blocks(const struct member *m)
{
    return m->run->next_block < m->run->blocks;
}

/* Blocks of it may start in the present cycle, where there is room. */
static bool may_start(const struct gpu_company *company, const struct member *m)
{
    return m->state == RUNS && has_blocks(m) && company->gpu->cycle >= m->first_start;
}

static uint64_t idle_sms(const struct gpu_domain *domain)
{
    return domain->idle_sms & domain->all_sms;
}

bool gpu_company_calls_device(const struct gpu_company *company)
{
    for (unsigned i = 0; i < company->count; i++)
        if (company->of[i].run->launch->kernel->calls_device)
            return true;
    return false;
}

int gpu_company_observe(struct gpu_company *company)
{
    for (unsigned i = 1; i < company->count; i++)
        if (gpu_begin_observers(company->of[i].run) < 0)
            return -1;
    return 0;
}

bool gpu_company_has_blocks(const struct gpu_company *company)
{
    for (unsigned i = 0; i < company->count; i++)
        if (has_blocks(&company->of[i]))
            return true;
    return false;
}

static void own(struct gpu_company *company, unsigned member, unsigned sm)
{
    const struct gpu_domain *domain = gpu_domain_of(company->lead, sm);
    company->owner[sm] = (uint8_t)member;
    company->since[sm] = company->gpu->cycle;
    company->of[member].sms[domain->number] |= BIT64(sm - domain->first_sm);
}

void gpu_company_begin(struct gpu_company *company)
{
    struct member *lead = &company->of[0];
    lead->state = RUNS;
    lead->first_start = lead->run->start_cycle + company->gpu->machine.gpu.launch_cycles;
    for (unsigned i = 0; i < company->gpu->machine.gpu.sms; i++)
        own(company, 0, i);
}

/* SMs change hands */

/* The owner gives up an SM, which is idle unless the launches end: what it did there is counted. */
static void leave(struct gpu_company *company, unsigned sm)
{
    struct gpu *gpu = company->gpu;
    struct gpu_domain *domain = gpu_domain_of(company->lead, sm);
    struct member *m = &company->of[company->owner[sm]];
    struct gpu_run *run = m->run;
    struct sm *unit = gpu->sms[sm];
    sm_settle(unit, gpu->cycle);
    sm_end(unit);
    m->sm_cycles += gpu->cycle - company->since[sm];
    m->let += sm_blocks_let(unit);
    m->retired = cycle_max(m->retired, sm_retired_at(unit));
    gpu_collect_sm(gpu, sm, run->result->counters);
    gpu_explain_unsynced(run, sm_unsynced_of(unit));
    gpu_explain_strays(run, sm_strays_of(unit));
    if (run->launch->phases)
        gpu_add_phases(run, sm, run->launch->phases);
    sm_stats_reset(unit);
    company->owner[sm] = NOBODY;
    m->sms[domain->number] &= ~BIT64(sm - domain->first_sm);
}

/* A member takes an SM, which is idle. It has room for a block then, as the dispatcher sees in what its domain reports.
 */
static void take(struct gpu_company *company, unsigned member, unsigned sm)
{
    struct gpu *gpu = company->gpu;
    struct gpu_run *run = company->of[member].run;
    struct gpu_domain *domain = gpu_domain_of(company->lead, sm);
    uint64_t bit = BIT64(sm - domain->first_sm);
    if (company->owner[sm] != NOBODY)
        leave(company, sm);
    if (gpu->machine.gpu.flush_l1_at_kernel_end)
        sm_flush(gpu->sms[sm], !gpu->machine.gpu.keep_code);
    gpu->arena.closed = false; /* no other thread steps anything now */
    gpu_begin_sm(gpu, sm, &run->kernel, run->grid.param_address);
    gpu->arena.closed = true;
    own(company, member, sm);
    gpu_rest_wake(company->lead, domain->number);
    domain->due |= bit;
    domain->touched |= bit;
    domain->outlook.room |= bit;
    domain->report->room |= bit;
}

/* True: the member may take the SM. */
static bool may_take(const struct gpu_company *company, unsigned member, unsigned sm)
{
    unsigned owner = company->owner[sm];
    return owner == NOBODY || (owner != member && !has_blocks(&company->of[owner]));
}

/* Programmatic dependent launch: a member that comes early */

static bool all_ended(const struct gpu_company *company, uint64_t members)
{
    for (uint64_t rest = members; rest; rest &= rest - 1)
        if (company->of[mask_first(rest)].state != ENDED)
            return false;
    return true;
}

/* Each block of the member lets others begin, or has ended. */
static bool lets(const struct gpu_company *company, unsigned member)
{
    const struct member *m = &company->of[member];
    uint64_t let = m->let;
    if (m->state != RUNS || has_blocks(m))
        return m->state == ENDED;
    for (unsigned i = 0; i < company->gpu->machine.gpu.sms; i++)
        let += company->owner[i] == member ? sm_blocks_let(company->gpu->sms[i]) : 0;
    return let == m->run->blocks;
}

static bool all_let(const struct gpu_company *company, uint64_t members)
{
    for (uint64_t rest = members; rest; rest &= rest - 1)
        if (!lets(company, mask_first(rest)))
            return false;
    return true;
}

/* The cycle in which all that the member comes after has ended, or CYCLE_NEVER: that is not known. */
static uint64_t opens_at(const struct gpu_company *company, const struct member *m)
{
    uint64_t at = 0;
    if (!all_ended(company, m->after))
        return CYCLE_NEVER;
    for (uint64_t rest = m->after; rest; rest &= rest - 1)
        at = cycle_max(at, company->of[mask_first(rest)].run->end_cycle);
    return at;
}

static void end_primary(struct gpu_company *company, struct member *m)
{
    m->opens = m->run->kernel.comes_early = false;
    for (unsigned n = 0; n < company->lead->domain_count; n++) {
        struct gpu_domain *domain = &company->lead->domains[n];
        for (uint64_t rest = m->sms[n]; rest; rest &= rest - 1)
            sm_end_primary(company->gpu->sms[domain->first_sm + mask_first(rest)], company->gpu->cycle);
        if (m->sms[n])
            gpu_rest_wake(company->lead, n);
        domain->due |= m->sms[n];
    }
}

/* Blocks */

/* The SM gets the member's next block, if it is there for it. fresh: only one that is idle will do, which is taken if
 * it is another's. */
static bool start_block(struct gpu_company *company, unsigned member, unsigned sm, bool fresh)
{
    struct gpu_run *run = company->of[member].run;
    struct gpu_domain *domain = gpu_domain_of(company->lead, sm);
    unsigned i = sm - domain->first_sm;
    if (mask_has(company->served[domain->number], i) || fresh != mask_has(idle_sms(domain), i))
        return false;
    if (company->owner[sm] != member && (!fresh || !may_take(company, member, sm)))
        return false;
    if (company->owner[sm] != member)
        take(company, member, sm);
    if (!mask_has(domain->report->room, i))
        return false;
    company->served[domain->number] |= BIT64(i);
    domain->starts[domain->start_count++] = (struct gpu_start){run->next_block++, sm, NULL, run};
    gpu_rest_wake(company->lead, domain->number);
    company->lead->last_served = sm;
    return true;
}

/* Idle SMs come first, so that a grid is spread; every SM may take one block a cycle, as when a launch is alone. */
static uint64_t start_blocks(struct gpu_company *company, unsigned member, uint64_t most)
{
    struct gpu_run *lead = company->lead;
    unsigned sms = company->gpu->machine.gpu.sms;
    uint64_t started = 0;
    for (unsigned n = 0; n < 2 * sms && started < most && has_blocks(&company->of[member]); n++)
        started += start_block(company, member, (lead->dispatch_from + n) % sms, n < sms);
    lead->dispatch_from = (lead->last_served + 1) % sms;
    return started;
}

/* True: an SM has room for a block of the member, or can be taken. */
static bool has_room(const struct gpu_company *company, unsigned member)
{
    uint64_t takeable[NETWORK_MAX_SIDES];
    const struct gpu_run *lead = company->lead;
    for (unsigned n = 0; n < lead->domain_count; n++)
        takeable[n] = idle_sms(&lead->domains[n]);
    for (unsigned i = 0; i < company->count; i++)
        for (unsigned n = 0; n < lead->domain_count && has_blocks(&company->of[i]); n++)
            takeable[n] &= ~company->of[i].sms[n];
    for (unsigned n = 0; n < lead->domain_count; n++)
        if (takeable[n] | (lead->domains[n].report->room & company->of[member].sms[n]))
            return true;
    return false;
}

/* What the outlook says of room, in the present cycle. */
static void look_for_room(const struct gpu_company *company, struct gpu_outlook *outlook)
{
    bool room = false, waits = false;
    for (unsigned i = 0; i < company->count; i++) {
        if (!may_start(company, &company->of[i]))
            continue;
        waits = true;
        room = room || has_room(company, i);
    }
    outlook->room = room;
    outlook->block_may_end = waits && company->block_may_end;
}

uint64_t gpu_company_dispatch(struct gpu_company *company, uint64_t most, struct gpu_outlook *outlook)
{
    uint64_t started = 0;
    for (unsigned i = 0; i < company->count; i++)
        if (company->of[i].opens && opens_at(company, &company->of[i]) <= company->gpu->cycle)
            end_primary(company, &company->of[i]);
    look_for_room(company, outlook);
    for (unsigned n = 0; n < company->lead->domain_count; n++)
        company->lead->domains[n].start_count = 0;
    memset(company->served, 0, sizeof company->served);
    for (unsigned i = 0; i < company->count; i++)
        if (may_start(company, &company->of[i]))
            started += start_blocks(company, i, most - started);
    return started;
}

/* Kernels begin and end */

static bool is_busy(const struct gpu_company *company, const struct member *m)
{
    for (unsigned n = 0; n < company->lead->domain_count; n++)
        if (m->sms[n] & company->busy[n])
            return true;
    return false;
}

static void end(struct gpu_company *company, unsigned member)
{
    const struct gpu_params *p = &company->gpu->machine.gpu;
    struct member *m = &company->of[member];
    for (unsigned i = 0; i < p->sms; i++)
        if (company->owner[i] == member)
            leave(company, i);
    const struct sm_stats *s = &m->run->result->counters->sm;
    m->run->end_cycle = m->retired + gpu_ending(company->gpu, s->stores | s->atomics);
    m->state = ENDED;
}

/* Sees which SMs are idle; true: others than before. */
static bool look_at_sms(struct gpu_company *company)
{
    bool other = false;
    for (unsigned n = 0; n < company->lead->domain_count; n++) {
        const struct gpu_domain *domain = &company->lead->domains[n];
        uint64_t busy = domain->all_sms & ~domain->idle_sms;
        other |= busy != company->busy[n];
        company->busy[n] = busy;
    }
    return other;
}

static bool end_some(struct gpu_company *company)
{
    bool some = false;
    for (unsigned i = 0; i < company->count; i++) {
        const struct member *m = &company->of[i];
        if (m->state == RUNS && !has_blocks(m) && !is_busy(company, m)) {
            end(company, i);
            some = true;
        }
    }
    return some;
}

static unsigned count_running(const struct gpu_company *company)
{
    unsigned n = 0;
    for (unsigned i = 0; i < company->count; i++)
        n += company->of[i].state == RUNS;
    return n;
}

/* The member has ended, or lets others begin: since when. */
static uint64_t moment_of(const struct gpu_company *company, const struct member *m)
{
    return m->state == ENDED ? m->run->end_cycle : company->gpu->cycle;
}

/* It begins behind those that it comes after, as far as the machine says, or behind the moment at which the last of
 * them let it; and not before the host can give it. */
static void begin(struct gpu_company *company, struct member *m)
{
    const struct gpu_params *p = &company->gpu->machine.gpu;
    const struct gpu_launch *l = m->run->launch;
    uint64_t now = company->gpu->cycle, start = cycle_max(m->given, m->late ? now : 0);
    uint64_t gap = gpu_gap_before(company->gpu, l);
    for (uint64_t rest = m->after; rest; rest &= rest - 1)
        start = cycle_max(start, gap + moment_of(company, &company->of[mask_first(rest)]));
    m->opens = m->run->kernel.comes_early = !all_ended(company, m->after);
    m->run->start_cycle = start;
    m->first_start = cycle_max(start + p->launch_cycles, now);
    m->state = RUNS;
}

static void begin_some(struct gpu_company *company)
{
    for (unsigned i = 0; i < company->count; i++) {
        struct member *m = &company->of[i];
        if (m->state != WAITS ||
            !(all_ended(company, m->after & ~m->lets) && all_let(company, m->lets)))
            continue;
        m->late = count_running(company) >= company->gpu->machine.gpu.kernels || m->late;
        if (count_running(company) < company->gpu->machine.gpu.kernels)
            begin(company, m);
    }
}

bool gpu_company_look(struct gpu_company *company, struct gpu_outlook *outlook)
{
    bool changed = look_at_sms(company) && end_some(company);
    begin_some(company);
    company->block_may_end = outlook->block_may_end;
    look_for_room(company, outlook);
    return changed;
}

uint64_t gpu_company_next(const struct gpu_company *company)
{
    uint64_t next = CYCLE_NEVER;
    for (unsigned i = 0; i < company->count; i++) {
        const struct member *m = &company->of[i];
        if (m->state == RUNS && has_blocks(m) && m->first_start > company->gpu->cycle)
            next = cycle_min(next, m->first_start);
        if (m->opens)
            next = cycle_min(next, cycle_max(opens_at(company, m), company->gpu->cycle));
    }
    return next;
}

uint64_t gpu_company_limit(const struct gpu_company *company)
{
    uint64_t limit = CYCLE_NEVER;
    for (unsigned i = 0; i < company->count; i++) {
        const struct member *m = &company->of[i];
        if (m->state == RUNS && m->run->launch->max_cycles)
            limit = cycle_min(limit, m->run->start_cycle + m->run->launch->max_cycles);
    }
    return limit;
}

uint64_t gpu_company_ended_at(const struct gpu_company *company)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < company->count; i++)
        last = cycle_max(last, company->of[i].run->end_cycle);
    return last;
}

/* Faults and hangs */

struct gpu_run *gpu_company_faulted(struct gpu_company *company, const struct sm_fault *fault)
{
    unsigned sm = 0;
    while (sm_faulted(company->gpu->sms[sm]) != fault)
        sm++;
    return company->faulted = company->of[company->owner[sm]].run;
}

const struct gpu_control *gpu_company_control(const struct gpu_company *company, const struct simt_grid *grid)
{
    unsigned i = 0;
    while (&company->of[i].run->grid != grid)
        i++;
    struct member *m = (struct member *)&company->of[i];
    if (!m->control)
        m->control = gpu_control_new(grid->code->module, grid->kernel, &m->run->arena);
    return m->control;
}

/* The warps of one member, and the holders of locks wherever they are. */
struct part {
    const struct gpu_company *company;
    unsigned member;
};

static void state_in_part(void *context, unsigned unit, unsigned slot, struct sm_warp_state *state)
{
    const struct part *part = context;
    *state = (struct sm_warp_state){0};
    if (part->company->owner[unit] == part->member)
        sm_warp_state(part->company->gpu->sms[unit], slot, state);
}

static bool holder_in_part(void *context, unsigned unit, uint64_t address, struct watch_holder *holder)
{
    const struct part *part = context;
    return sm_find_holder(part->company->gpu->sms[unit], address, holder);
}

void gpu_company_explain_hang(struct gpu_company *company, enum gpu_hang how, uint64_t since)
{
    for (unsigned i = 0; i < company->count; i++) {
        struct gpu_run *run = company->of[i].run;
        struct part part = {company, i};
        struct waits_source source = waits_of_sms(company->gpu);
        source.context = &part;
        source.state = state_in_part;
        source.holder = holder_in_part;
        if (company->of[i].state == RUNS && run->next_block)
            gpu_explain_hang(run, how, &source, since);
        else if (company->of[i].state != ENDED)
            diag_note(run->sink, DIAG_NOWHERE, NULL, "kernel %s has not begun: %s", run->name,
                      company->of[i].state == RUNS
                          ? "no SM was free for its blocks"
                          : "it comes after kernels that have not ended, or too many ran (gpu.kernels)");
    }
}

/* The end */

static enum gpu_status status_of(const struct gpu_company *company, const struct member *m, enum gpu_status status)
{
    if (m->state == ENDED)
        return GPU_OK;
    if (m->state == WAITS || (status == GPU_FAULT && m->run != company->faulted))
        return GPU_STOPPED;
    return status;
}

static void fill_time(const struct gpu *gpu, struct gpu_result *result, uint64_t start, uint64_t end)
{
    gpu_set_time(gpu, result, start, end);
    result->shared = true;
}

static void fill_result(struct gpu_company *company, struct member *m, enum gpu_status status)
{
    struct gpu_result *result = m->run->result;
    result->status = status_of(company, m, status);
    if (m->state == WAITS)
        m->run->start_cycle = m->run->end_cycle = company->gpu->cycle;
    if (m->state == RUNS) /* it may be to begin */
        m->run->end_cycle = cycle_max(company->gpu->cycle, m->run->start_cycle);
    fill_time(company->gpu, result, m->run->start_cycle, m->run->end_cycle);
    result->host = host_use_since(&company->lead->start);
    result->stopped_by = result->status == GPU_LIMIT                              ? "max-cycles"
                         : result->status == GPU_STOPPED && status != GPU_STOPPED ? "a kernel beside it that failed"
                                                                                  : NULL;
    gpu_show_sms_alone(result->counters);
}

/* With its gap a member's cycles are those by which it ended later than all launches before it. */
static void fill_gap(struct gpu_company *company, const struct member *m)
{
    uint64_t reached = cycle_max(company->reached, m->run->end_cycle);
    m->run->result->gap_cycles = (int64_t)(reached - company->reached) - (int64_t)m->run->result->cycles;
    company->reached = reached;
}

static void fill_total(struct gpu_company *company, enum gpu_status status)
{
    const struct gpu *gpu = company->gpu;
    struct gpu_result *total = company->total;
    const struct gpu_result *first = company->lead->result;
    if (!total)
        return;
    *total = (struct gpu_result){.status = status, .mode = GPU_TIMING, .lacks = first->lacks, .host = first->host};
    total->counters = gpu_counters_new();
    for (unsigned i = 0; i < company->count; i++)
        gpu_add_sm_counters(total->counters, company->of[i].run->result->counters);
    gpu_collect_shared(gpu, total->counters);
    fill_time(gpu, total, first->start, gpu->cycle);
    gpu_add_energy(&gpu->machine, total);
}

enum gpu_status gpu_company_conclude(struct gpu_company *company, enum gpu_status status,
                                     void (*finish)(struct gpu *gpu, uint64_t until))
{
    struct gpu *gpu = company->gpu;
    enum gpu_status checked = status;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        if (company->owner[i] != NOBODY)
            leave(company, i);
    finish(gpu, gpu->cycle);
    for (unsigned i = 0; i < company->count; i++) {
        struct member *m = &company->of[i];
        fill_result(company, m, status);
        fill_gap(company, m);
        if (gpu_check_accounts(m->run, m->sm_cycles, status != GPU_FAULT) < 0)
            checked = m->run->result->status = GPU_INVALID;
        watch_launch_report(&m->run->watched, &gpu->output);
        gpu_gather_findings(m->run, m->run->result->status);
    }
    fill_total(company, status);
    return checked;
}

/* Launches */

bool gpu_may_share(const struct gpu *gpu, const struct gpu_launch *l)
{
    const struct machine *m = &gpu->machine;
    const struct simt_divergence *way = l->divergence ? l->divergence : gpu->divergence;
    bool of_machine = m->gpu.kernels > 1 && !m->sm.values_at_issue && !m->sm.counts_lines && m->sm.l1i_sharers == 1 &&
                      !gpu_protocol(m)->registration && !way->forming;
    bool of_looks = !gpu->sanitize && !gpu->interval && !gpu->checkpoint_every && !l->visitor && !l->resume;
    bool of_kernel = !l->cooperative && !l->cluster[0] && !l->kernel->cluster[0] && !l->kernel->explicit_cluster &&
                     !l->module->grid_barrier && !l->module->takes_locks;
    return l->mode == GPU_TIMING && !l->warms && of_machine && of_looks && of_kernel;
}

/* A set of launches as the set of members that they are. Those that could not be launched are no members, so nobody comes
 * after them. places: by launch, its member, or nothing. */
static uint64_t members_of(uint64_t given, const uint64_t *places)
{
    uint64_t members = 0;
    for (uint64_t rest = given; rest; rest &= rest - 1)
        members |= places[mask_first(rest)];
    return members;
}

static void add_member(struct gpu_company *company, struct gpu_given *given, const uint64_t *places, uint64_t *place)
{
    struct gpu *gpu = company->gpu;
    given->launch.open = false;
    struct gpu_run *run = gpu_run_new(gpu, &given->launch, given->result, given->sink, company->count);
    if (!run)
        return;
    struct member *m = &company->of[company->count];
    uint64_t lets = given->launch.early ? given->after & given->lets : 0;
    *m = (struct member){.run = run, .after = members_of(given->after, places), .lets = members_of(lets, places)};
    *place = BIT64(company->count++);
    run->start = host_use_now();
    gpu->launches++;
}

/* The host gives one launch after the other, and does not wait for them. */
static void set_given(struct gpu_company *company)
{
    struct gpu *gpu = company->gpu;
    uint64_t given = company->lead->start_cycle;
    for (unsigned i = 0; i < company->count; i++) {
        bool by_host = !company->of[i].run->launch->by_graph;
        given += i && by_host ? gpu->machine.gpu.launch_host_cycles : 0;
        company->of[i].given = given;
        gpu->given = by_host ? given : gpu->given;
    }
}

static void run_company(struct gpu_company *company)
{
    struct gpu *gpu = company->gpu;
    company->lead = company->of[0].run;
    company->lead->company = company;
    company->reached = gpu->cycle;
    gpu_come_to_begin(gpu, company->lead->launch, gpu->launches == company->count);
    company->lead->start_cycle = gpu->cycle;
    set_given(company);
    enum gpu_status status = gpu_proceed(company->lead, GPU_GO_ON);
    if (status == GPU_INVALID) /* it did not begin */
        for (unsigned i = 0; i < company->count; i++)
            company->of[i].run->result->status = GPU_INVALID;
}

int gpu_launch_together(struct gpu *gpu, struct gpu_given *given, unsigned count, struct gpu_result *total)
{
    contract(!gpu->standing && count <= GPU_TOGETHER);
    struct gpu_company *company = base_calloc(1, sizeof *company);
    uint64_t places[GPU_TOGETHER] = {0}; /* of those that were given: the member, as a set; none if it is invalid */
    company->gpu = gpu;
    company->total = total;
    for (unsigned i = 0; i < count; i++) {
        contract(gpu_may_share(gpu, &given[i].launch) && !(given[i].after & ~mask_low(i)));
        add_member(company, &given[i], places, &places[i]);
    }
    if (company->count)
        run_company(company);
    int rc = 0;
    for (unsigned i = 0; i < count; i++)
        rc |= given[i].result->status == GPU_OK ? 0 : -1;
    for (unsigned i = 0; i < company->count; i++)
        gpu_run_free(company->of[i].run);
    free(company);
    return rc;
}
