/* Two-level scheduling with an active list (`two_level_active` of GPGPU-Sim 3.2.2; after Gebhart et al., ISCA 2011). A
 * few warps are active and take turns; the others wait in a queue. An active warp that waits for memory, at a barrier
 * or for an atomic makes place for the head of the queue, ready or not, so that only warps with work at hand compete.
 * Only active warps issue: a cycle may pass without an issue though a queued warp is ready.
 *
 * Warps change places in cycles in which some warp of the scheduler is ready; GPGPU-Sim does it in every cycle, which
 * moves the warps round the queue while all of them wait. Slots without a warp are in no list here. */
#include "base/bits.h"
#include "lockstep/scheduler.h"

struct list {
    uint8_t count;
    uint8_t warps[64];
};

struct tls {
    struct list active, queue;
    uint8_t limit; /* active warps at once */
};

static void append(struct list *list, unsigned warp)
{
    list->warps[list->count++] = (uint8_t)warp;
}

static unsigned take(struct list *list, unsigned at)
{
    unsigned warp = list->warps[at];
    list->count--;
    for (unsigned i = at; i < list->count; i++)
        list->warps[i] = list->warps[i + 1];
    return warp;
}

/* The place of a warp, or the list's length. */
static unsigned place_of(const struct list *list, unsigned warp)
{
    unsigned at = 0;
    while (at < list->count && list->warps[at] != warp)
        at++;
    return at;
}

/* Turns the list so that the warp is its last. */
static void turn_behind(struct list *list, unsigned warp)
{
    unsigned at = place_of(list, warp);
    for (unsigned i = 0; at < list->count && i <= at; i++)
        append(list, take(list, 0));
}

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    ((struct tls *)state)->limit = (uint8_t)setup->options[0];
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    append(&((struct tls *)state)->queue, launch->warp);
}

/* It ends by its last issue: the turn goes on behind it. */
static void ended(void *state, unsigned warp, uint64_t cycle)
{
    struct tls *t = state;
    (void)cycle;
    turn_behind(&t->active, warp);
    struct list *list = place_of(&t->active, warp) < t->active.count ? &t->active : &t->queue;
    unsigned at = place_of(list, warp);
    if (at < list->count)
        take(list, at);
}

static void advance(void *state, const struct lockstep_scheduler_view *view)
{
    struct tls *t = state;
    for (unsigned at = 0; at < t->active.count;)
        if (mask_has(view->waiting | view->long_wait, t->active.warps[at]))
            append(&t->queue, take(&t->active, at));
        else
            at++;
    while (t->active.count < t->limit && t->queue.count)
        append(&t->active, take(&t->queue, 0));
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct tls *t = state;
    for (unsigned at = 0; at < t->active.count; at++)
        if (mask_has(view->ready, t->active.warps[at]))
            return t->active.warps[at];
    return LOCKSTEP_NO_WARP;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    (void)view;
    turn_behind(&((struct tls *)state)->active, warp);
}

static const struct lockstep_scheduler_option options[] = {
    {.name = "active",
     .doc = "warps of a scheduler that are active at once",
     .initial = 6,
     .minimum = 1,
     .maximum = 64},
    {0},
};

const struct lockstep_scheduler sched_tls = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .needs = LOCKSTEP_NEEDS_LONG_WAIT,
    .name = "tls",
    .doc = "two levels: a few active warps in turn; one that waits for memory or a barrier makes place for the next",
    .options = options,
    .state_bytes = sizeof(struct tls),
    .reset = reset,
    .advance = advance,
    .pick = pick,
    .issued = issued,
    .launched = launched,
    .ended = ended,
};
