/* See stop.h. */
#include "cli/stop.h"

#include <stddef.h>

void stop_begin(struct stop *stop, double max_seconds)
{
    struct sigaction action = {.sa_handler = interrupt_note};
    interrupt_forget();
    stop->deadline = max_seconds > 0 ? host_seconds() + max_seconds : 0;
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        sigaction(interrupt_signals[i], NULL, &stop->old[i]);
        if (stop->old[i].sa_handler != SIG_IGN)
            sigaction(interrupt_signals[i], &action, NULL);
    }
}

const char *stop_reason(const struct stop *stop)
{
    if (interrupt_noted())
        return interrupt_name();
    return stop->deadline > 0 && host_seconds() >= stop->deadline ? "max-seconds" : NULL;
}

void stop_end(const struct stop *stop)
{
    for (unsigned i = 0; i < INTERRUPTS; i++)
        sigaction(interrupt_signals[i], &stop->old[i], NULL);
}
