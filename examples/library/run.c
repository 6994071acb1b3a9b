/* Loads PTX, launches its kernel on a machine that the command line names, and prints its cycles and its statistics; with a number of
 * cycles behind the machine, in steps of so many.
 *
 *     ./run [MACHINE [CYCLES]] */
#include <inttypes.h>

#include "locks.h"

int main(int argc, char **argv)
{
    struct lockstep_device *device;
    const struct lockstep_device_setup setup = {.size = sizeof setup, .machine = argc > 1 ? argv[1] : NULL};
    uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 0) : UINT64_MAX;
    int code = lockstep_create(&device, &setup);
    must(device, code);
    uint64_t at = launch_locks(device, load_locks(device));

    struct lockstep_stop stop = {.size = sizeof stop};
    do
        must(device, lockstep_step(device, step, &stop));
    while (stop.why != LOCKSTEP_WHY_END);

    uint32_t sums[8];
    must(device, lockstep_read(device, sums, at, sizeof sums));
    printf("cycles %" PRIu64 "\nfirst sum %" PRIu32 "\n", stop.cycle, sums[0]);
    struct lockstep_statistic s = {.size = sizeof s};
    for (uint32_t i = 0; lockstep_statistic(device, i, &s) == LOCKSTEP_OK; i++)
        if (s.measured)
            printf("%s.%s %" PRIu64 "\n", s.group, s.name, s.value);
    lockstep_destroy(device);
    return 0;
}
