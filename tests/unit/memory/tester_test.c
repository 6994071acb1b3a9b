/* Coherence protocols under random programs (tester/): threads of several L1s acquire, access places that nobody else
 * accesses then, and release; caches and queues are as small as they can be, and each message takes as long as chance
 * has it. Every load has one right value. The transitions of the protocols' tables must be reached, too.
 *
 * Runs are drawn from seeds. LOCKSTEP_SEED=PROTOCOL:SEED does one again, and says what everything waits for when it
 * fails; with LOCKSTEP_TRACE=1 also what happens. LOCKSTEP_PROTOCOL=NAME leaves out other protocols, and what they
 * would reach; LOCKSTEP_LONG=1 runs many more. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "effort.h"
#include "unit/memory/memory_fixture.h"
#include "unit/memory/tester/coverage.h"
#include "unit/memory/tester/run.h"

/* Of each protocol. */
#define EPISODES 50000u
#define EPISODES_SANITIZED 2000u
#define EPISODES_LONG 1000000u
#define FAILURES 10u /* after which there is no need for more */

/* Says which run a broken contract has ended. */
static char running[80];
static void say_what_runs(int number)
{
    ssize_t written = write(STDERR_FILENO, running, strlen(running));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static bool run_seed(struct tester_run *run, const struct coherence_protocol *protocol, uint64_t seed)
{
    struct tester_setup setup;
    tester_draw_setup(&setup, protocol, seed);
    snprintf(running, sizeof running, "in LOCKSTEP_SEED=%s:%llu\n", protocol->name, (unsigned long long)seed);
    return tester_run(run, &setup);
}

static void run_protocol(const struct coherence_protocol *protocol, unsigned *failures)
{
    static struct tester_run run;
    uint32_t episodes = getenv("LOCKSTEP_LONG") ? EPISODES_LONG : SANITIZED ? EPISODES_SANITIZED : EPISODES;
    memset(&run, 0, sizeof run);
    for (uint64_t seed = 1; run.episodes < episodes && *failures < FAILURES; seed++)
        *failures += !run_seed(&run, protocol, seed);
    printf("%s: %llu episodes, %llu accesses, %llu cycles, %llu loads of what others wrote\n", protocol->name,
           (unsigned long long)run.episodes, (unsigned long long)run.accesses, (unsigned long long)run.cycles,
           (unsigned long long)run.handed);
    for (unsigned side = 0; side < COHERENCE_SIDES; side++)
        coverage_add(protocol, side, &run.counts[side]);
    fflush(stdout);
}

static void run_all(const char *only)
{
    unsigned failures = 0;
    for (unsigned i = 0; coherence_list()[i]; i++) {
        const struct coherence_protocol *protocol = coherence_list()[i];
        if (protocol->registration && (!only || !strcmp(only, protocol->name)))
            run_protocol(protocol, &failures);
    }
    assert_int_equal(failures, 0);
    unsigned missing = coverage_missing();
    if (!SANITIZED && !only)
        assert_int_equal(missing, 0);
}

/* The run that LOCKSTEP_SEED names. */
static void run_one(const char *text)
{
    static struct tester_run run;
    char name[64];
    unsigned long long seed;
    assert_int_equal(sscanf(text, "%63[^:]:%llu", name, &seed), 2);
    const struct coherence_protocol *protocol = coherence_find(name);
    assert_non_null(protocol);
    assert_non_null(protocol->registration);
    assert_true(run_seed(&run, protocol, seed));
}

static void values_are_right_under_every_protocol(void **state)
{
    const char *one = getenv("LOCKSTEP_SEED");
    signal(SIGABRT, say_what_runs);
    if (one)
        run_one(one);
    else
        run_all(getenv("LOCKSTEP_PROTOCOL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_right_under_every_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
