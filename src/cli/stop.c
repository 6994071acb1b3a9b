/* See stop.h. A handler can be told nothing: the number it notes is the one object of this room at file scope. */
#include "cli/stop.h"

#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t noted;

static const struct {
    int number;
    const char *name;
} signals[STOP_SIGNALS] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

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

void stop_begin(struct stop *stop, double max_seconds)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
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
