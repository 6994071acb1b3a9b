/* See rest.h. */
#include "gpu/rest.h"

#include "base/hot.h"

/* A domain whose units can act sooner is not worth laying to rest. */
#define REST_CYCLES 8

/* The networks' cores are ticked by domains that are awake: the first network's by the first of them, the last one's by
 * the last. */
static void deal_cores(struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    const unsigned between = mask_count(run->rest->awake) - 1, last = gpu->network_count - 1;
    uint64_t rest = run->rest->awake;
    for (unsigned n = 0; n < run->domain_count; n++)
        run->domains[n].cores = 0;
    for (unsigned i = 0, at = 0, passed = 0; i <= last; i++, at += between) {
        for (; at >= (passed + 1) * last && passed < between; passed++)
            rest &= rest - 1;
        if (!network_follows(gpu_network_at(gpu, i)))
            run->domains[mask_first(rest)].cores |= 1u << i;
    }
}

/* Adds what a domain, or several together, have reported. */
HOT_INLINE void add_outlook(struct gpu_outlook *sum, const struct gpu_outlook *o)
{
    sum->next = cycle_min(sum->next, o->next);
    sum->busy_until = cycle_max(sum->busy_until, o->busy_until);
    sum->room |= o->room; /* only whether there is any: these are sets of different SMs */
    sum->idle &= o->idle;
    sum->faulted |= o->faulted;
    sum->told |= o->told;
    sum->block_may_end |= o->block_may_end;
}

struct gpu_outlook gpu_rest_look(const struct gpu_run *run)
{
    struct gpu_outlook all = {.next = CYCLE_NEVER, .idle = true};
    for (uint64_t rest = mask_low(run->domain_count) & ~run->rest->awake; rest; rest &= rest - 1)
        add_outlook(&all, run->domains[mask_first(rest)].report);
    all.told = 0; /* of windows that are over */
    return all;
}

static void set_awake(struct gpu_run *run, uint64_t awake)
{
    run->rest->awake = awake;
    run->rest->outlook = gpu_rest_look(run);
    deal_cores(run);
    for (unsigned i = 0; i < run->gpu->network_count; i++)
        network_listen(gpu_network_at(run->gpu, i), awake);
}

/* The report of a domain that has rested is brought up to cycle `now`: it has been busy until then, if it was. */
static void bring_up(struct gpu_domain *domain, uint64_t now)
{
    struct gpu_outlook *o = &domain->outlook;
    o->end = now;
    o->told = 0;
    if (!o->idle)
        o->busy_until = cycle_max(o->busy_until, now);
    *domain->report = *o;
}

static void bring_up_all(struct gpu_run *run, uint64_t domains, uint64_t now)
{
    for (uint64_t rest = domains & ~run->rest->awake; rest; rest &= rest - 1)
        bring_up(&run->domains[mask_first(rest)], now);
}

static void wake_all(struct gpu_run *run, uint64_t domains, uint64_t now)
{
    bring_up_all(run, domains, now);
    set_awake(run, run->rest->awake | domains);
}

void gpu_rest_none(struct gpu_run *run)
{
    wake_all(run, mask_low(run->domain_count), run->gpu->cycle);
}

void gpu_rest_wake(struct gpu_run *run, unsigned domain)
{
    if (!gpu_is_awake(run, domain))
        wake_all(run, BIT64(domain), run->gpu->cycle);
}

void gpu_rest_wake_all_before(struct gpu_run *run, uint64_t end)
{
    uint64_t woken = 0;
    for (uint64_t rest = mask_low(run->domain_count) & ~run->rest->awake; rest; rest &= rest - 1)
        woken |= run->domains[mask_first(rest)].report->next < end ? rest & -rest : 0;
    wake_all(run, woken, run->gpu->cycle);
}

/* Nothing of the domain's sides of the networks moves from that tick on. */
static bool sides_rest(const struct gpu_run *run, unsigned domain, uint64_t tick)
{
    const struct gpu *gpu = run->gpu;
    for (unsigned i = 0; i < gpu->network_count; i++)
        if (!network_side_rests(gpu_network_at(gpu, i), domain, tick))
            return false;
    return true;
}

bool gpu_rest_holds(const struct gpu_run *run, unsigned domain)
{
    const struct gpu *gpu = run->gpu;
    uint64_t tick = sim_clock_at(gpu->machine.gpu.network_mhz, gpu->machine.gpu.core_mhz, gpu->cycle).begun;
    return run->domains[domain].report->next >= gpu->cycle && sides_rest(run, domain, tick);
}

static bool may_rest(const struct gpu_run *run, const struct gpu_domain *domain)
{
    return !domain->report->faulted && !domain->always && sides_rest(run, domain->number, domain->network.begun);
}

/* After a window that ended at `end`: to the domains `told` the networks bring something, and the units of `drowsy`
 * will not act for some time. */
NOT_INLINE void settle(struct gpu_run *run, uint64_t told, uint64_t drowsy, uint64_t end)
{
    uint64_t awake = run->rest->awake;
    bring_up_all(run, told, end);
    for (uint64_t rest = drowsy; rest && !is_power_of_two(awake); rest &= rest - 1)
        if (may_rest(run, &run->domains[mask_first(rest)]))
            awake &= ~(rest & -rest);
    if ((awake | told) != run->rest->awake)
        set_awake(run, awake | told);
}

/* Several domains are awake: adds up their reports. Returns those whose units will not act for some time. */
NOT_INLINE uint64_t add_awake(const struct gpu_run *run, struct gpu_outlook *o)
{
    uint64_t drowsy = 0;
    for (uint64_t rest = run->rest->awake; rest; rest &= rest - 1) {
        const struct gpu_outlook *domain = run->domains[mask_first(rest)].report;
        drowsy |= domain->next >= domain->end + REST_CYCLES ? rest & -rest : 0;
        add_outlook(o, domain);
    }
    return drowsy;
}

HOT void gpu_rest_settle(struct gpu_run *run, struct gpu_outlook *o)
{
    const uint64_t awake = run->rest->awake;
    *o = *run->domains[mask_first(awake)].report;
    if (run->domain_count == 1)
        return;
    uint64_t drowsy = is_power_of_two(awake) ? 0 : add_awake(run, o);
    if (gpu_some_rest(run)) {
        add_outlook(o, &run->rest->outlook);
        o->busy_until = run->rest->outlook.idle ? o->busy_until : cycle_max(o->busy_until, o->end);
    }
    if ((o->told & ~awake) | drowsy)
        settle(run, o->told, drowsy, o->end);
}
