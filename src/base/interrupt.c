/* See interrupt.h. A handler can be told nothing: the number it notes, and when, are what this room has at file scope.
 */
#include "base/interrupt.h"

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

static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool is_ignored(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

void interrupt_begin(struct interrupt_watch *watch, bool handled_too, double deadline)
{
    struct sigaction action = {.sa_handler = interrupt_note};
    interrupt_forget();
    *watch = (struct interrupt_watch){.deadline = deadline};
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        struct sigaction *old = &watch->old[i];
        if (sigaction(interrupt_signals[i], NULL, old) < 0 || (handled_too ? is_ignored(old) : !is_default(old)))
            continue;
        watch->taken[i] = sigaction(interrupt_signals[i], &action, NULL) == 0;
    }
}

const char *interrupt_reason(const struct interrupt_watch *watch)
{
    if (interrupt_noted())
        return interrupt_name();
    return watch->deadline > 0 && host_seconds() >= watch->deadline ? "max-seconds" : NULL;
}

void interrupt_end(struct interrupt_watch *watch)
{
    for (unsigned i = 0; i < INTERRUPTS; i++)
        if (watch->taken[i])
            sigaction(interrupt_signals[i], &watch->old[i], NULL);
    *watch = (struct interrupt_watch){0};
}
