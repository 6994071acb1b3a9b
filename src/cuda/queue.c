/* The queue of what streams have been given and have not done (rt->behind), in the order of the program's calls. Two
 * things put work there: a kernel that waits for the host (flight.c), behind which the rest of its streams has to wait;
 * and, on machines that run several kernels at a time (gpu.kernels), a launch into a stream that the program has made.
 * Such a launch waits until the program waits for something, or does what cannot be put off; then the launches of the
 * queue that do not wait for each other run together (gpu_launch_together).
 *
 * The order in the queue is partial, and streams and events alone make it: a thing comes after those given before it to
 * a stream that is ordered with its own (queue_ordered), after the record of an event that it awaits, and after all
 * that these come after. A launch joins those that run together when everything that it comes after is in that set, or
 * is a record or a wait, which take no time. So which launches run together depends on the program's calls, and never
 * on time.
 *
 * A launch whose parameters point to memory that the host can see is never held back: the host might look there for
 * what the kernel writes without a call. */
#include "cuda/queue.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/flight.h"

#define QUEUE_MOST 256 /* things in the queue at most, of which launches are looked for that run together */

struct set {
    uint64_t of[QUEUE_MOST / 64];
};

static bool has(const struct set *s, size_t i)
{
    return s->of[i / 64] >> i % 64 & 1;
}

static void add(struct set *s, size_t i)
{
    s->of[i / 64] |= UINT64_C(1) << i % 64;
}

static void add_all(struct set *s, const struct set *more)
{
    for (size_t i = 0; i < QUEUE_MOST / 64; i++)
        s->of[i] |= more->of[i];
}

/* They are one stream, or one of them is the legacy stream, in which work waits for that of all streams that are not
 * cudaStreamNonBlocking, and they for it. */
bool queue_ordered(cudaStream_t a, cudaStream_t b)
{
    bool legacy_a = !a || a == cudaStreamLegacy, legacy_b = !b || b == cudaStreamLegacy;
    return a == b || (legacy_a && stream_blocks(b)) || (legacy_b && stream_blocks(a));
}

static size_t length(const struct runtime *rt)
{
    return rt->behind.count < QUEUE_MOST ? rt->behind.count : QUEUE_MOST;
}

/* The second thing, given later, comes after the first one by itself, and not only by things between them. */
static bool precedes(const struct later *first, const struct later *second)
{
    return queue_ordered(first->stream, second->stream) ||
           (first->kind == LATER_RECORD && second->kind == LATER_AWAIT && first->event == second->event);
}

/* For each thing in the queue, all those that it comes after. */
static void find_order(const struct runtime *rt, struct set *before)
{
    memset(before, 0, QUEUE_MOST * sizeof *before);
    for (size_t k = 0; k < length(rt); k++)
        for (size_t i = 0; i < k; i++)
            if (precedes(rt->behind.items[i], rt->behind.items[k])) {
                add_all(&before[k], &before[i]);
                add(&before[k], i);
            }
}

/* Launches that run together: their places in the queue, which of them each comes after, and of these those whose
 * permission is enough (gpu_given.lets). */
struct group {
    size_t places[GPU_TOGETHER];
    uint64_t after[GPU_TOGETHER], lets[GPU_TOGETHER];
    unsigned count;
    struct set members; /* the places once more */
};

/* Of a LATER_LAUNCH. */
static const struct gpu_launch *launch_of(const struct later *later)
{
    return &((const struct later_launch *)later->data)->launch;
}

static bool joins(const struct runtime *rt, const struct group *g, const struct set *before, size_t k)
{
    const struct later *later = rt->behind.items[k];
    if (later->kind != LATER_LAUNCH || g->count == GPU_TOGETHER || !gpu_may_share(rt->gpu, launch_of(later)))
        return false;
    for (size_t i = 0; i < k; i++)
        if (has(before, i) && !has(&g->members, i) && rt->behind.items[i]->kind != LATER_RECORD &&
            rt->behind.items[i]->kind != LATER_AWAIT)
            return false;
    return true;
}

/* The member of the group that lies right in front of the k-th thing in its stream, or g->count. */
static unsigned in_front(const struct runtime *rt, const struct group *g, size_t k)
{
    for (unsigned n = g->count; n-- > 0;)
        if (rt->behind.items[g->places[n]]->stream == rt->behind.items[k]->stream)
            return n;
    return g->count;
}

/* The members before the k-th thing, a launch that may begin early, whose permission is enough: that in front of it in its
 * stream, and what that comes after. What it waits for by events, and in other streams, is to have ended. */
static uint64_t permitting(const struct runtime *rt, const struct group *g, size_t k)
{
    unsigned front = in_front(rt, g, k);
    return front < g->count && launch_of(rt->behind.items[k])->early ? g->after[front] | UINT64_C(1) << front : 0;
}

/* True: some launches of the group need not wait for each other's end. */
static bool find_group(const struct runtime *rt, const struct set *before, struct group *g)
{
    bool beside = false;
    *g = (struct group){.count = 0};
    for (size_t k = 0; k < length(rt); k++) {
        if (!joins(rt, g, &before[k], k))
            continue;
        uint64_t after = 0;
        for (unsigned n = 0; n < g->count; n++)
            after |= has(&before[k], g->places[n]) ? UINT64_C(1) << n : 0;
        g->lets[g->count] = permitting(rt, g, k);
        beside |= g->count && (g->lets[g->count] || after != UINT64_MAX >> (64 - g->count));
        add(&g->members, k);
        g->places[g->count] = k;
        g->after[g->count++] = after;
    }
    return beside;
}

/* A launch has ended that had this place when the order was found: what comes after it is no earlier. taken: so many
 * things in front of the others have been taken out since. */
static void note_end(struct runtime *rt, const struct set *before, size_t place, size_t taken, double end_ns)
{
    for (size_t k = place + 1; k < QUEUE_MOST && k - taken < rt->behind.count; k++) {
        struct later *later = rt->behind.items[k - taken];
        if (has(&before[k], place) && later->time_ns < end_ns)
            later->time_ns = end_ns;
    }
}

static void take_out(struct runtime *rt, size_t place)
{
    free(rt->behind.items[place]);
    rt->behind.count--;
    memmove(rt->behind.items + place, rt->behind.items + place + 1,
            (rt->behind.count - place) * sizeof *rt->behind.items);
}

static void run_group(struct runtime *rt, const struct set *before, const struct group *g)
{
    struct later_launch launches[GPU_TOGETHER];
    double ended[GPU_TOGETHER];
    for (unsigned n = 0; n < g->count; n++) {
        launches[n] = *(struct later_launch *)rt->behind.items[g->places[n]]->data;
        free(rt->behind.items[g->places[n]]->data);
    }
    flight_together(rt, launches, g->after, g->lets, g->count, ended);
    for (unsigned n = 0; n < g->count; n++)
        note_end(rt, before, g->places[n], 0, ended[n]);
    for (unsigned n = g->count; n-- > 0;)
        take_out(rt, g->places[n]);
}

/* Takes out what is first in the queue and does it: in this order, since a launch that waits at once (a replay's) goes
 * on with the queue from within. */
static void do_first(struct runtime *rt, bool off)
{
    const struct later first = *rt->behind.items[0];
    take_out(rt, 0);
    rt->later_ns = first.time_ns;
    first.run(rt, first.data, off);
    rt->later_ns = 0;
}

static void do_launches(struct runtime *rt)
{
    struct set before[QUEUE_MOST];
    struct group group;
    find_order(rt, before);
    if (rt->machine.gpu.kernels > 1 && find_group(rt, before, &group)) {
        run_group(rt, before, &group);
        return;
    }
    do_first(rt, false);
    if (!rt->flight)
        note_end(rt, before, 0, 1, gpu_time_ns(rt->gpu));
}

void queue_step(struct runtime *rt, bool off)
{
    if (!off && rt->behind.items[0]->kind == LATER_LAUNCH)
        do_launches(rt);
    else
        do_first(rt, off);
}

/* One of the words of the kernel's parameters is an address of memory that the host can see. */
static bool shows_host(const struct runtime *rt, const struct gpu_launch *launch)
{
    for (uint32_t at = 0; at + 8 <= launch->kernel->param_bytes; at += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)launch->params + at, sizeof word);
        if (memory_host_writes(rt, word))
            return true;
    }
    return false;
}

bool queue_holds(const struct runtime *rt, const struct gpu_launch *launch, cudaStream_t stream)
{
    return !stream_is_default(stream) && !rt->replay.on && !rt->monitor && gpu_may_share(rt->gpu, launch) &&
           !shows_host(rt, launch);
}

cudaError_t queue_launch(struct runtime *rt, struct later_launch *launch, flight_later *run)
{
    flight_defer_as(rt, &(struct later){.kind = LATER_LAUNCH, .stream = launch->stream, .run = run, .data = launch});
    return rt->flight || rt->behind.count < QUEUE_MOST ? cudaSuccess : flight_wait(rt);
}
