/* What ends a kernel from outside: SIGINT, SIGTERM and SIGHUP, unless the program handles or ignores them itself, and
 * LOCKSTEP_MAX_SECONDS. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "cuda/runtime.h"

void stop_begin(struct runtime *rt)
{
    struct sigaction action = {.sa_handler = interrupt_note}, old;
    interrupt_forget();
    rt->signals_taken = 0;
    for (unsigned i = 0; i < INTERRUPTS; i++)
        if (sigaction(interrupt_signals[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL && sigaction(interrupt_signals[i], &action, NULL) == 0)
            rt->signals_taken |= 1u << i;
}

const char *stop_reason(const struct runtime *rt)
{
    /* Whoever kills lockstep run means this process too, and may already continue it from its checkpoint. */
    if (rt->run_by > 0 && kill(rt->run_by, 0) < 0 && errno == ESRCH)
        raise(SIGKILL);
    if (interrupt_noted())
        return interrupt_name();
    return rt->deadline > 0 && host_seconds() >= rt->deadline ? "max-seconds" : NULL;
}

void stop_end(struct runtime *rt)
{
    for (unsigned i = 0; i < INTERRUPTS; i++)
        if (rt->signals_taken & 1u << i)
            signal(interrupt_signals[i], SIG_DFL);
    rt->signals_taken = 0;
    if (!interrupt_noted())
        return;
    fflush(stdout);
    kill(getpid(), interrupt_noted()); /* the signal does what it would have done */
}
