/* The derived facts of a domain of the device between two windows: see base/check.h. What a domain keeps follows from
 * its units and from what has arrived for them; the partition's and the SMs' own facts are theirs. */
#include "base/check.h"
#include "gpu/domain.h"

static void check_sms(struct gpu_domain *domain, struct check *c)
{
    struct sm **sms = &domain->run->gpu->sms[domain->first_sm];
    uint64_t idle = 0, room = 0, first_wake = CYCLE_NEVER;
    uint64_t may_end = 0;
    for (unsigned i = 0; i < domain->sms; i++) {
        idle |= sm_idle(sms[i]) ? BIT64(i) : 0;
        room |= sm_can_launch(sms[i]) ? BIT64(i) : 0;
        may_end |= sm_block_may_end(sms[i]) ? BIT64(i) : 0;
        first_wake = mask_has(domain->sleeping, i) ? cycle_min(first_wake, domain->wake[i]) : first_wake;
    }
    CHECK_FACT(c, "domain.idle_sms", 0, domain->idle_sms, idle);
    if (first_wake != CYCLE_NEVER)
        check_at_most(c, "domain.first_wake", 0, &domain->first_wake, sizeof domain->first_wake, first_wake);
    if (!domain->draining) {
        CHECK_FACT(c, "domain.outlook.room", 0, domain->outlook.room, room);
        CHECK_FACT(c, "domain.outlook.block_may_end", 0, domain->outlook.block_may_end, may_end != 0);
        CHECK_FACT(c, "domain.may_end", 0, domain->may_end, may_end);
        CHECK_FACT(c, "domain.touched", 0, domain->touched, 0);
    }
    check_holds(c, "domain: sets of SMs have none that is not there", 0,
                ((domain->due | domain->sleeping | domain->sending | domain->holding) & ~domain->all_sms) == 0);
    check_holds(c, "domain: an SM with a request to send is asleep", 0, (domain->sending & domain->due) == 0);
}

/* A partition that the domain does not run in time would do nothing. */
static void check_partitions(struct gpu_domain *domain, struct check *c)
{
    uint64_t first_run = CYCLE_NEVER, planned = 0, filled = 0;
    for (unsigned i = 0; i < domain->channels; i++) {
        const struct partition *p = domain->run->gpu->partitions[domain->first_channel + i];
        uint64_t latest = cycle_max(partition_next(p), partition_done(p));
        if (partition_next(p) != CYCLE_NEVER)
            check_at_most(c, "domain.run_at", i, &domain->run_at[i], sizeof domain->run_at[i], latest);
        first_run = cycle_min(first_run, domain->run_at[i]);
        planned |= domain->run_at[i] != CYCLE_NEVER ? BIT64(i) : 0;
        filled |= partition_idle(p) ? 0 : BIT64(i);
    }
    check_bits(c, "domain.planned", 0, &domain->planned, sizeof domain->planned, planned | ~mask_low(domain->channels),
               planned);
    check_bits(c, "domain.filled", 0, &domain->filled, sizeof domain->filled, filled | ~mask_low(domain->channels),
               filled);
    if (domain->draining)
        CHECK_FACT(c, "domain.outlook.idle", 0, domain->outlook.idle, !filled && domain->idle_sms == domain->all_sms);
    if (first_run != CYCLE_NEVER)
        check_at_most(c, "domain.first_run", 0, &domain->first_run, sizeof domain->first_run, first_run);
}

/* A reply that could be sent but is not taken is tried again in the next cycle: first_reply may be that late. */
static void check_replies(struct gpu_domain *domain, struct check *c)
{
    uint64_t replying = 0, first = CYCLE_NEVER;
    for (unsigned i = 0; i < domain->channels << domain->channel_shift; i++) {
        uint64_t at = partition_reply_at(domain->outs[i]);
        CHECK_FACT(c, "domain.reply_at", i, domain->reply_at[i], at);
        replying |= at != CYCLE_NEVER ? BIT64(i) : 0;
        first = cycle_min(first, at);
    }
    CHECK_FACT(c, "domain.replying", 0, domain->replying, replying);
    if (first != CYCLE_NEVER)
        check_at_most(c, "domain.first_reply", 0, &domain->first_reply, sizeof domain->first_reply,
                      cycle_max(first, domain->run->gpu->cycle));
}

void gpu_domain_check(struct gpu_domain *domain, struct check *c)
{
    const struct machine *m = &domain->run->gpu->machine;
    bool there = domain->first_sm + domain->sms <= m->gpu.sms &&
                 domain->first_channel + domain->channels <= m->memory.partition.channels;
    check_of(c, "domain", domain->number);
    check_holds(c, "domain: its SMs and channels are the device's", 0, there);
    if (!there)
        return;
    check_sms(domain, c);
    check_partitions(domain, c);
    check_replies(domain, c);
}
