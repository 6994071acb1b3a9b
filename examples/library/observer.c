/* An observer of the program's own: it counts how often locks were taken (a compare-and-swap that found 0 and left 1), and holds the launch
 * when the 100th was: the program then looks where the warps stand, and lets it go on. */
#include <inttypes.h>
#include <stdatomic.h>

#include "locks.h"

/* SMs may be simulated by several threads, which add to the same count. */
struct count {
    struct lockstep_device *device;
    atomic_ullong taken, tried;
};

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct count *);
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    *(struct count **)state = observed->user;
}

static void atomic(void *state, const struct lockstep_atomic_event *event)
{
    struct count *count = *(struct count **)state;
    if (event->operation != LOCKSTEP_ATOMIC_COMPARE_AND_SWAP)
        return;
    count->tried++;
    if (event->before == 0 && event->after == 1 && ++count->taken == 100)
        lockstep_halt(count->device);
}

static const struct lockstep_observer locks = {.version = LOCKSTEP_OBSERVER_VERSION,
                                               .name = "locks",
                                               .doc = "counts how often locks were taken",
                                               .state_bytes = state_bytes,
                                               .begin = begin,
                                               .atomic = atomic};

static void show_warps(struct lockstep_device *device, const struct lockstep_module *module)
{
    struct lockstep_device_facts facts = {.size = sizeof facts};
    struct lockstep_warp warp = {.size = sizeof warp};
    struct lockstep_instruction next = {.size = sizeof next};
    must(device, lockstep_facts(device, &facts));
    for (uint32_t sm = 0; sm < facts.sms; sm++)
        for (uint32_t slot = 0; slot < facts.warps; slot++)
            if (lockstep_warp(device, sm, slot, &warp) == LOCKSTEP_OK && !warp.finished) {
                uint64_t rounds = 0;
                uint32_t lane = (uint32_t)__builtin_ctzll(warp.live);
                must(device, lockstep_register(device, sm, slot, lane, "%r1", &rounds));
                must(device, lockstep_instruction(device, module, warp.pc, &next));
                printf("block %" PRIu32 " warp %" PRIu32 ": lane %" PRIu32 " has %" PRIu64 " rounds left; %s at %s\n",
                       warp.block[0], warp.in_block, lane, rounds, warp.cause, next.place);
            }
}

int main(int argc, char **argv)
{
    static struct count count;
    const struct lockstep_until until = {.size = sizeof until, .flags = LOCKSTEP_UNTIL_HALT};
    const struct lockstep_device_setup setup = {.size = sizeof setup, .machine = argc > 1 ? argv[1] : NULL};
    struct lockstep_stop stop = {.size = sizeof stop};
    int code = lockstep_create(&count.device, &setup);
    must(count.device, code);
    struct lockstep_module *module = load_locks(count.device);
    must(count.device, lockstep_observe(count.device, &locks, &count));
    launch_locks(count.device, module);
    must(count.device, lockstep_run(count.device, &until, &stop));
    printf("%llu locks taken in cycle %" PRIu64 "\n", (unsigned long long)count.taken, stop.cycle);
    show_warps(count.device, module);
    must(count.device, lockstep_run(count.device, NULL, &stop));
    printf("%llu locks taken, %llu tried, cycles %" PRIu64 "\n", (unsigned long long)count.taken,
           (unsigned long long)count.tried, stop.cycle);
    lockstep_destroy(count.device);
    return 0;
}
