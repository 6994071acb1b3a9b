/* See stop.h. A handler can be told nothing: the number it notes, and when, are what this room has at file scope.
 */
#include "cli/stop.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SAME_REQUEST_MS 500

static volatile sig_atomic_t noted, noted_at;

static const struct {
    int number;
    const char *name;
} signals[STOP_SIGNALS] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

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

void stop_begin(struct stop *stop, double max_seconds)
{
    struct sigaction action = {.sa_handler = note};
    noted = 0;
    stop->deadline = max_seconds > 0 ? stop_clock() + max_seconds : 0;
    for (unsigned i = 0; i < STOP_SIGNALS; i++) {
        sigaction(signals[i].number, NULL, &stop->old[i]);
        if (stop->old[i].sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
    }
}

int stop_signal(void)
{
    return noted;
}

const char *stop_reason(const struct stop *stop)
{
    for (unsigned i = 0; i < STOP_SIGNALS; i++)
        if (noted == signals[i].number)
            return signals[i].name;
    return stop->deadline > 0 && stop_clock() >= stop->deadline ? "max-seconds" : NULL;
}

void stop_end(const struct stop *stop)
{
    for (unsigned i = 0; i < STOP_SIGNALS; i++)
        sigaction(signals[i].number, &stop->old[i], NULL);
}
