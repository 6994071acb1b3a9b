/* The dispatcher. In a cycle in which it *looks* every SM with a place for a block may take one, starting behind the SM
 * that was served last, and the device as many as the machine says. It looks in the cycle behind one in which it has
 * started blocks, in that in which it may start the next one, and besides in the multiples of gpu.dispatch_interval: a
 * place that comes free meanwhile waits for that. So a window in which nothing starts may be as long as the interval.
 */
#include "gpu/dispatch.h"

#include "gpu/clusters.h"
#include "gpu/rest.h"

/* The credit that the next block costs. One beyond those that the device holds at once takes the place of a block that
 * has ended, and may cost less. */
static uint64_t price(const struct gpu_run *run)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    bool again = p->dispatch_again && run->next_block >= (uint64_t)run->kernel.max_blocks * p->sms;
    return again ? p->dispatch_again : p->dispatch_cycles;
}

/* How many blocks the device can start in the cycle. Its *credit* grows by gpu.dispatch_blocks a cycle as far as its
 * burst, and a block takes its price of it: when that is looked at makes no difference. */
static uint64_t may_start(struct gpu_run *run, uint64_t cycle)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    if (!p->dispatch_blocks)
        return UINT64_MAX;
    uint64_t most = (uint64_t)p->dispatch_burst * p->dispatch_cycles;
    run->credit = cycle_min(run->credit + (cycle - run->credit_at) * p->dispatch_blocks, most);
    run->credit_at = cycle;
    return run->credit / price(run);
}

/* Blocks that have started, at that price each, take from the credit. */
static void pay(struct gpu_run *run, uint64_t blocks, uint64_t each)
{
    if (run->gpu->machine.gpu.dispatch_blocks)
        run->credit -= cycle_min(blocks * each, run->credit);
}

/* The first cycle from the present one on in which the credit is enough for the next block, or cluster of them. */
static uint64_t has_credit(const struct gpu_run *run)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    if (!p->dispatch_blocks)
        return run->credit_at;
    uint64_t next = gpu_dispatch_least(run) * price(run);
    uint64_t lacks = next - cycle_min(next, run->credit);
    return run->credit_at + (lacks + p->dispatch_blocks - 1) / p->dispatch_blocks;
}

/* Blocks that start in the cycle, of a launch that is alone. */
static uint64_t start_blocks(struct gpu_run *run, uint64_t most)
{
    unsigned sms = run->gpu->machine.gpu.sms;
    uint64_t first = run->next_block, last = first + cycle_min(run->blocks - first, most);
    for (unsigned i = 0; i < run->domain_count; i++)
        run->domains[i].start_count = 0;
    if (RARELY(run->grid.cluster_blocks > 1))
        return gpu_dispatch_clusters(run, most);
    for (unsigned n = 0; n < sms && run->next_block < last; n++) {
        unsigned sm = (run->dispatch_from + n) % sms;
        struct gpu_domain *domain = gpu_domain_of(run, sm);
        if (!mask_has(domain->report->room, sm - domain->first_sm))
            continue;
        domain->starts[domain->start_count++] = (struct gpu_start){run->next_block++, sm, NULL, run};
        gpu_rest_wake(run, domain->number);
        run->last_served = sm;
    }
    run->dispatch_from = (run->last_served + 1) % sms;
    return run->next_block - first;
}

static bool looks(const struct gpu_run *run, uint64_t cycle)
{
    return cycle == run->next_look || (cycle & (run->gpu->machine.gpu.dispatch_interval - 1)) == 0;
}

void gpu_dispatch_begin(struct gpu_run *run)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    run->credit_at = run->gpu->cycle;
    run->credit = (uint64_t)p->dispatch_burst * p->dispatch_cycles;
    run->next_look = gpu_first_start(run);
}

bool gpu_dispatch(struct gpu_run *run, struct gpu_outlook *outlook, uint64_t cycle)
{
    bool now = looks(run, cycle);
    uint64_t started, each = price(run);
    if (RARELY(run->company))
        started = gpu_company_dispatch(run->company, now ? may_start(run, cycle) : 0, outlook);
    else if (!now || !outlook->room || cycle < gpu_first_start(run))
        return false;
    else
        started = start_blocks(run, may_start(run, cycle));
    if (!now)
        return false;
    pay(run, started, each);
    run->next_look = cycle_max(has_credit(run), started ? cycle + 1 : 0);
    return started != 0;
}

uint64_t gpu_next_look(const struct gpu_run *run, uint64_t from)
{
    uint64_t interval = run->gpu->machine.gpu.dispatch_interval, regular = (from | (interval - 1)) + 1;
    if (interval == 1)
        return CYCLE_NEVER;
    return run->next_look > from ? cycle_min(run->next_look, regular) : regular;
}
