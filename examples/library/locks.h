/* The launch of locks.yaml, which the programs of this folder share. */
#include <stdio.h>
#include <stdlib.h>

#include <lockstep/device.h>

/* Ends the program where a call did not go well. */
static inline void must(struct lockstep_device *device, int code)
{
    if (code == LOCKSTEP_OK)
        return;
    fprintf(stderr, "%s", lockstep_message(device));
    exit(1);
}

static inline struct lockstep_module *load_locks(struct lockstep_device *device)
{
    static char text[4096];
    struct lockstep_module *module;
    FILE *file = fopen("locks.ptx", "r");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    must(device, lockstep_load(device, "locks.ptx", text, length, LOCKSTEP_KEEP_REGISTERS, &module));
    return module;
}

/* Places the buffers and begins the launch. Returns the address of the eight sums. */
static inline uint64_t launch_locks(struct lockstep_device *device, const struct lockstep_module *module)
{
    uint64_t locks, sums;
    uint32_t rounds = 2;
    must(device, lockstep_allocate(device, 8 * sizeof(uint32_t), &locks));
    must(device, lockstep_fill(device, locks, 0, 8 * sizeof(uint32_t)));
    must(device, lockstep_allocate(device, 8 * sizeof(uint32_t), &sums));
    must(device, lockstep_fill(device, sums, 0, 8 * sizeof(uint32_t)));
    const struct lockstep_argument arguments[] = {LOCKSTEP_ARGUMENT(locks), LOCKSTEP_ARGUMENT(sums),
                                                  LOCKSTEP_ARGUMENT(rounds)};
    must(device, lockstep_launch(device, &(struct lockstep_launch_setup){.size = sizeof(struct lockstep_launch_setup),
                                                                         .module = module,
                                                                         .kernel = "add_under_locks",
                                                                         .grid = {8},
                                                                         .block = {64},
                                                                         .argument_count = 3,
                                                                         .arguments = arguments}));
    return sums;
}
