/* See gpu_check.h. */
#include "gpu/gpu_check.h"

#include "base/check.h"
#include "gpu/rest.h"

/* Windows of the engine between one unit's check and the next one's: at least so many, and one more for every so many
 * facts of the unit that was checked, so that large caches do not take all the time. */
#define WINDOWS_BETWEEN 31
#define FACTS_A_WINDOW 16

static unsigned one(const struct gpu_run *run)
{
    (void)run;
    return 1;
}

static unsigned sms(const struct gpu_run *run)
{
    return run->gpu->machine.gpu.sms;
}

static unsigned channels(const struct gpu_run *run)
{
    return run->gpu->machine.memory.partition.channels;
}

static void check_sm_units(struct gpu_run *run, unsigned i, struct check *c)
{
    sm_check_units(run->gpu->sms[i], c);
}

static void check_sm(struct gpu_run *run, unsigned i, struct check *c)
{
    sm_check(run->gpu->sms[i], c);
}

static void check_partition(struct gpu_run *run, unsigned i, struct check *c)
{
    partition_check_units(run->gpu->partitions[i], c);
}

/* Which SM gets the next block follows from who got the last; which domain an SM belongs to, from how they were
 * divided.
 */
static void check_run(struct gpu_run *run, unsigned i, struct check *c)
{
    unsigned first_sm = 0, first_channel = 0;
    check_of(c, "launch", i);
    if (run->dispatch_from | run->last_served)
        CHECK_FACT(c, "run.dispatch_from", 0, run->dispatch_from, (run->last_served + 1) % sms(run));
    for (unsigned n = 0; n < run->domain_count; n++) {
        struct gpu_domain *domain = &run->domains[n];
        CHECK_FACT(c, "domain.first_sm", n, domain->first_sm, first_sm);
        CHECK_FACT(c, "domain.first_channel", n, domain->first_channel, first_channel);
        CHECK_FACT(c, "domain.first_slice", n, domain->first_slice, first_channel << domain->channel_shift);
        first_sm += domain->sms;
        first_channel += domain->channels;
    }
    check_holds(c, "run.domains", 0, first_sm == sms(run) && first_channel == channels(run));
    check_holds(c, "run.next_block", 0, run->next_block <= run->blocks);
}

static void check_rest(struct gpu_run *run, unsigned i, struct check *c)
{
    struct gpu_outlook *kept = &run->rest->outlook, all = gpu_rest_look(run);
    check_of(c, "rest", i);
    check_holds(c, "rest: a domain is awake", 0, (run->rest->awake & mask_low(run->domain_count)) != 0);
    CHECK_FACT(c, "rest.outlook.next", 0, kept->next, all.next);
    CHECK_FACT(c, "rest.outlook.busy_until", 0, kept->busy_until, all.busy_until);
    CHECK_FACT(c, "rest.outlook.room", 0, kept->room, all.room);
    CHECK_FACT(c, "rest.outlook.idle", 0, kept->idle, all.idle);
    CHECK_FACT(c, "rest.outlook.block_may_end", 0, kept->block_may_end, all.block_may_end);
    for (unsigned n = 0; n < run->domain_count; n++)
        if (!gpu_is_awake(run, n))
            check_holds(c, "rest: nothing comes to a domain that rests", n, gpu_rest_holds(run, n));
}

static unsigned networks(const struct gpu_run *run)
{
    return run->gpu->network_count;
}

static void check_network(struct gpu_run *run, unsigned i, struct check *c)
{
    network_check(gpu_network_at(run->gpu, i), c);
}

static unsigned domains(const struct gpu_run *run)
{
    return run->domain_count;
}

static void check_domain(struct gpu_run *run, unsigned i, struct check *c)
{
    gpu_domain_check(&run->domains[i], c);
}

static const struct {
    unsigned (*count)(const struct gpu_run *run);
    void (*check)(struct gpu_run *run, unsigned i, struct check *c);
} units[] = {
    {one, check_run},        {one, check_rest},           {sms, check_sm_units},
    {sms, check_sm},         {channels, check_partition}, {networks, check_network},
    {domains, check_domain},
};
#define UNITS (sizeof units / sizeof units[0])

/* Ends with the unit whose fact is wrong or was broken: those behind it in the list may rely on it, as an SM does on
 * its units and a domain on which SMs are its own. */
void gpu_check(struct gpu_run *run, struct check *c)
{
    for (unsigned u = 0; u < UNITS; u++)
        for (unsigned i = 0; i < units[u].count(run) && !c->wrong && !c->broken; i++)
            units[u].check(run, i, c);
}

#ifdef LOCKSTEP_CHECKED
void gpu_check_window(struct gpu_run *run, uint64_t window)
{
    struct check c;
    unsigned all = 0;
    if (window < run->next_check)
        return;
    for (unsigned u = 0; u < UNITS; u++)
        all += units[u].count(run);
    unsigned u = 0, i = (unsigned)((run->checks++ + run->gpu->launches) % all);
    for (; i >= units[u].count(run); u++)
        i -= units[u].count(run);
    check_init(&c);
    units[u].check(run, i, &c);
    check_demand(&c);
    run->next_check = window + WINDOWS_BETWEEN + c.stated / FACTS_A_WINDOW;
}
#endif
