/* Ends of a kernel from outside: SIGINT, SIGTERM and SIGHUP, unless the program handles or ignores them itself, and
 * LOCKSTEP_MAX_SECONDS. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cuda/runtime.h"

void stop_begin(struct runtime *rt)
{
    if (rt->watchers++ == 0)
        interrupt_begin(&rt->watch, false, rt->deadline);
}

const char *stop_reason(const struct runtime *rt)
{
    /* Whoever kills lockstep run means this process too, and may already continue it from its checkpoint. */
    if (rt->run_by > 0 && kill(rt->run_by, 0) < 0 && errno == ESRCH)
        raise(SIGKILL);
    return interrupt_reason(&rt->watch);
}

void stop_end(struct runtime *rt)
{
    if (--rt->watchers > 0)
        return;
    interrupt_end(&rt->watch);
    if (!interrupt_noted())
        return;
    fflush(stdout);
    kill(getpid(), interrupt_noted()); /* the signal does what it would have done */
}
