/* What ends a kernel from outside: SIGINT, SIGTERM and SIGHUP, unless the program handles or ignores them itself, and
 * LOCKSTEP_MAX_SECONDS. A handler can be told nothing: the number it notes lies at file scope. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cuda/runtime.h"

static volatile sig_atomic_t noted;

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
#define SIGNALS (sizeof signals / sizeof *signals)

/* The first one is noted; the action is then the default again, so that the next ends the process. */
static void note(int number)
{
    noted = number;
}

double stop_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void stop_begin(struct runtime *rt)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND}, old;
    noted = 0;
    rt->signals_taken = 0;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i].number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL && sigaction(signals[i].number, &action, NULL) == 0)
            rt->signals_taken |= 1u << i;
}

const char *stop_reason(const struct runtime *rt)
{
    for (unsigned i = 0; i < SIGNALS; i++)
        if (noted == signals[i].number)
            return signals[i].name;
    return rt->deadline > 0 && stop_clock() >= rt->deadline ? "max-seconds" : NULL;
}

void stop_end(struct runtime *rt)
{
    for (unsigned i = 0; i < SIGNALS; i++)
        if (rt->signals_taken & 1u << i)
            signal(signals[i].number, SIG_DFL);
    rt->signals_taken = 0;
    if (!noted)
        return;
    fflush(stdout);
    kill(getpid(), noted); /* the signal does what it would have done */
}
