/* See interrupt.h. A handler can be told nothing: the number it notes, and when, are what this room has at file scope.
 */
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SAME_REQUEST_MS 500

static volatile sig_atomic_t noted, noted_at;

const int interrupt_signals[INTERRUPTS] = {SIGINT, SIGTERM, SIGHUP};
static const char *const names[INTERRUPTS] = {"SIGINT", "SIGTERM", "SIGHUP"};

double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void interrupt_note(int number)
{
    int now = (int)(unsigned)(uint64_t)(host_seconds() * 1000);
    if (!noted) {
        noted_at = now;
        noted = number;
    } else if ((unsigned)now - (unsigned)noted_at > SAME_REQUEST_MS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void interrupt_forget(void)
{
    noted = 0;
}

int interrupt_noted(void)
{
    return noted;
}

const char *interrupt_name(void)
{
    for (unsigned i = 0; i < INTERRUPTS; i++)
        if (noted == interrupt_signals[i])
            return names[i];
    return NULL;
}
