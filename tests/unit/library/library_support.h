/* Shared by the tests of the library: devices that must come to be, the kernel of examples/library/locks.ptx, and
 * results as text without what the host adds. */
#ifndef LOCKSTEP_TESTS_LIBRARY_SUPPORT_H
#define LOCKSTEP_TESTS_LIBRARY_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include <lockstep/device.h>

#define MUST(device, call)                                                                                             \
    do {                                                                                                               \
        if ((call) != LOCKSTEP_OK)                                                                                     \
            fail_msg("%s: %s", #call, lockstep_message(device));                                                       \
    } while (0)

/* A device on which the kernel stands at its beginning. */
struct locks {
    struct lockstep_device *device;
    struct lockstep_module *module;
    uint64_t locks, sums;
    uint32_t rounds;
};

static inline char *locks_text(size_t *length)
{
    char *text = malloc(1 << 16);
    FILE *file = fopen(LOCKSTEP_SOURCE_DIR "/examples/library/locks.ptx", "r");
    assert_non_null(file);
    *length = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

/* set: "group.parameter=value" strings, NULL-terminated, or NULL. */
static inline void locks_open(struct locks *l, const char *const *set, const struct lockstep_scheduler *scheduler,
                              void *user)
{
    size_t length;
    char *text = locks_text(&length);
    const struct lockstep_device_setup setup = {
        .size = sizeof setup, .set = set, .scheduler = scheduler, .scheduler_user = user};
    *l = (struct locks){.rounds = 1};
    int code = lockstep_create(&l->device, &setup);
    MUST(l->device, code);
    MUST(l->device, lockstep_load(l->device, "locks.ptx", text, length, LOCKSTEP_KEEP_REGISTERS, &l->module));
    MUST(l->device, lockstep_allocate(l->device, 32, &l->locks));
    MUST(l->device, lockstep_allocate(l->device, 32, &l->sums));
    free(text);
}

static inline int locks_try(struct locks *l, uint32_t threads, uint32_t flags, uint64_t max_cycles)
{
    const struct lockstep_argument arguments[] = {LOCKSTEP_ARGUMENT(l->locks), LOCKSTEP_ARGUMENT(l->sums),
                                                  LOCKSTEP_ARGUMENT(l->rounds)};
    const struct lockstep_launch_setup launch = {.size = sizeof launch,
                                                 .module = l->module,
                                                 .kernel = "add_under_locks",
                                                 .grid = {4},
                                                 .block = {64},
                                                 .argument_count = 3,
                                                 .arguments = arguments,
                                                 .flags = flags,
                                                 .threads = threads,
                                                 .max_cycles = max_cycles};
    MUST(l->device, lockstep_fill(l->device, l->locks, 0, 32));
    MUST(l->device, lockstep_fill(l->device, l->sums, 0, 32));
    return lockstep_launch(l->device, &launch);
}

static inline void locks_launch(struct locks *l, uint32_t threads, uint32_t flags)
{
    MUST(l->device, locks_try(l, threads, flags, 0));
}

/* All of the launch's result but what differs from run to run. To be freed. */
static inline char *result_text(struct lockstep_device *device)
{
    const char *text;
    MUST(device, lockstep_result_json(device, &text));
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    assert_int_equal(json_object_del(object, "host"), 0);
    char *plain = json_dumps(object, JSON_INDENT(1));
    json_decref(object);
    return plain;
}

/* Runs it to its end, without a stop. To be freed. */
static inline char *locks_whole(const char *const *set)
{
    struct locks l;
    locks_open(&l, set, NULL, NULL);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    char *text = result_text(l.device);
    lockstep_destroy(l.device);
    return text;
}

static inline void must_say(struct lockstep_device *device, int code, int expected, const char *words)
{
    if (code != expected || !strstr(lockstep_message(device), words))
        fail_msg("code %s, expected %s with '%s': %s", lockstep_code_name(code), lockstep_code_name(expected), words,
                 lockstep_message(device));
}

#endif
