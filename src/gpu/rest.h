/* Domains that rest. A device of many SMs has several domains (domain.h), of which a small launch keeps one busy. The
 * others are left out of the windows until something comes to them, so that what is idle costs nothing.
 *
 * A domain may rest when none of its units can act for some time, and its sides of the networks rest
 * (network_side_rests): its windows would change nothing. What it last reported holds until it is woken, but for
 * busy_until, which follows the time. One domain is always awake: it ticks the networks' cores. The engine's thread
 * calls these functions, between windows. */
#ifndef LOCKSTEP_GPU_REST_H
#define LOCKSTEP_GPU_REST_H

#include "base/bits.h"
#include "gpu/domain.h"

struct gpu_rest {
    uint64_t awake;             /* domains that are simulated in the next window */
    struct gpu_outlook outlook; /* of all that rest, together; its `end` is not used */
};

/* No domain rests: when units were changed from outside, or what windows do with an idle unit changes. */
void gpu_rest_none(struct gpu_run *run);
/* The domain rests no longer, from the present cycle on. */
void gpu_rest_wake(struct gpu_run *run, unsigned domain);
/* Sums up what the domains have reported after a window. Domains to which the networks bring something rest no longer,
 * and domains that may rest do. */
void gpu_rest_settle(struct gpu_run *run, struct gpu_outlook *sum);
/* True: a domain that rests would still do nothing. */
bool gpu_rest_holds(const struct gpu_run *run, unsigned domain);
/* Recomputes the outlook of the domains that rest. */
struct gpu_outlook gpu_rest_look(const struct gpu_run *run);

/* The domains that have something to do before cycle `end` rest no longer. */
void gpu_rest_wake_all_before(struct gpu_run *run, uint64_t end);
static inline void gpu_rest_wake_before(struct gpu_run *run, uint64_t end)
{
    if (run->rest->outlook.next < end)
        gpu_rest_wake_all_before(run, end);
}

static inline bool gpu_is_awake(const struct gpu_run *run, unsigned domain)
{
    return mask_has(run->rest->awake, domain);
}
/* One domain is awake, and the others rest, if there are any. */
static inline bool gpu_one_awake(const struct gpu_run *run)
{
    return is_power_of_two(run->rest->awake);
}
/* Some domains rest. */
static inline bool gpu_some_rest(const struct gpu_run *run)
{
    return run->rest->awake != mask_low(run->domain_count);
}

#endif
