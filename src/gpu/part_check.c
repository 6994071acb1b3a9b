/* The derived facts of a part of the device between two windows: see base/check.h. What a part keeps follows from its
 * units and from what has arrived for them; the partition's and the SMs' own facts are theirs. */
#include "base/check.h"
#include "gpu/part.h"

static void check_sms(struct gpu_part *part, struct check *c)
{
    struct sm **sms = &part->run->gpu->sms[part->first_sm];
    uint64_t idle = 0, room = 0, first_wake = CYCLE_NEVER;
    uint64_t may_end = 0;
    for (unsigned i = 0; i < part->sms; i++) {
        idle |= sm_idle(sms[i]) ? BIT64(i) : 0;
        room |= sm_can_launch(sms[i]) ? BIT64(i) : 0;
        may_end |= sm_block_may_end(sms[i]) ? BIT64(i) : 0;
        first_wake = mask_has(part->sleeping, i) ? cycle_min(first_wake, part->wake[i]) : first_wake;
    }
    CHECK_FACT(c, "part.idle_sms", 0, part->idle_sms, idle);
    if (first_wake != CYCLE_NEVER)
        check_at_most(c, "part.first_wake", 0, &part->first_wake, sizeof part->first_wake, first_wake);
    if (!part->draining) {
        CHECK_FACT(c, "part.outlook.room", 0, part->outlook.room, room);
        CHECK_FACT(c, "part.outlook.block_may_end", 0, part->outlook.block_may_end, may_end != 0);
        CHECK_FACT(c, "part.may_end", 0, part->may_end, may_end);
        CHECK_FACT(c, "part.touched", 0, part->touched, 0);
    }
    check_holds(c, "part: sets of SMs have none that is not there", 0,
                ((part->due | part->sleeping | part->sending | part->holding) & ~mask_low(part->sms)) == 0);
    check_holds(c, "part: an SM with a request to send is asleep", 0, (part->sending & part->due) == 0);
}

/* A partition that the part does not run in time would do nothing. */
static void check_partitions(struct gpu_part *part, struct check *c)
{
    uint64_t first_run = CYCLE_NEVER, planned = 0, filled = 0;
    for (unsigned i = 0; i < part->channels; i++) {
        const struct partition *p = part->run->gpu->partitions[part->first_channel + i];
        uint64_t latest = cycle_max(partition_next(p), partition_done(p));
        if (partition_next(p) != CYCLE_NEVER)
            check_at_most(c, "part.run_at", i, &part->run_at[i], sizeof part->run_at[i], latest);
        first_run = cycle_min(first_run, part->run_at[i]);
        planned |= part->run_at[i] != CYCLE_NEVER ? BIT64(i) : 0;
        filled |= partition_idle(p) ? 0 : BIT64(i);
    }
    check_bits(c, "part.planned", 0, &part->planned, sizeof part->planned, planned | ~mask_low(part->channels),
               planned);
    check_bits(c, "part.filled", 0, &part->filled, sizeof part->filled, filled | ~mask_low(part->channels), filled);
    if (part->draining)
        CHECK_FACT(c, "part.outlook.idle", 0, part->outlook.idle, !filled && part->idle_sms == mask_low(part->sms));
    if (first_run != CYCLE_NEVER)
        check_at_most(c, "part.first_run", 0, &part->first_run, sizeof part->first_run, first_run);
}

/* A reply that could be sent but is not taken is tried again in the next cycle: first_reply may be that late. */
static void check_replies(struct gpu_part *part, struct check *c)
{
    uint64_t replying = 0, first = CYCLE_NEVER;
    for (unsigned i = 0; i < part->channels << part->channel_shift; i++) {
        uint64_t at = partition_reply_at(part->outs[i]);
        CHECK_FACT(c, "part.reply_at", i, part->reply_at[i], at);
        replying |= at != CYCLE_NEVER ? BIT64(i) : 0;
        first = cycle_min(first, at);
    }
    CHECK_FACT(c, "part.replying", 0, part->replying, replying);
    if (first != CYCLE_NEVER)
        check_at_most(c, "part.first_reply", 0, &part->first_reply, sizeof part->first_reply,
                      cycle_max(first, part->run->gpu->cycle));
}

void gpu_part_check(struct gpu_part *part, struct check *c)
{
    const struct machine *m = &part->run->gpu->machine;
    bool there = part->first_sm + part->sms <= m->gpu.sms &&
                 part->first_channel + part->channels <= m->memory.partition.channels;
    check_of(c, "part", part->number);
    check_holds(c, "part: its SMs and channels are the device's", 0, there);
    if (!there)
        return;
    check_sms(part, c);
    check_partitions(part, c);
    check_replies(part, c);
}
