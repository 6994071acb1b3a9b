/* What ends a kernel from outside: SIGINT, SIGTERM and SIGHUP, unless the program handles or ignores them itself, and
 * LOCKSTEP_MAX_SECONDS. A handler can be told nothing: the number it notes, and when, lie at file scope. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cuda/runtime.h"

#define SAME_REQUEST_MS 500

static volatile sig_atomic_t noted, noted_at;

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
#define SIGNALS (sizeof signals / sizeof *signals)

double stop_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The first one is noted, a later one ends the process. What comes within half a second of the first is the same
 * request: timeout(1) and batch systems signal a process and its group, so that it comes twice or three times. */
static void note(int number)
{
    int now = (int)(unsigned)(uint64_t)(stop_clock() * 1000);
    if (!noted) {
        noted_at = now;
        noted = number;
    } else if ((unsigned)now - (unsigned)noted_at > SAME_REQUEST_MS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void stop_begin(struct runtime *rt)
{
    struct sigaction action = {.sa_handler = note}, old;
    noted = 0;
    rt->signals_taken = 0;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i].number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL && sigaction(signals[i].number, &action, NULL) == 0)
            rt->signals_taken |= 1u << i;
}

const char *stop_reason(const struct runtime *rt)
{
    /* Whoever kills lockstep run means this process too, and may already continue it from its checkpoint. */
    if (rt->run_by > 0 && kill(rt->run_by, 0) < 0 && errno == ESRCH)
        raise(SIGKILL);
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
