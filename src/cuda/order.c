/* Which launches come behind which: for --check race, which finds accesses of two launches that nothing orders. Launches
 * under this check run one after another, so that the order is kept here, by the program's calls alone.
 *
 * A launch has a *place* from when it is given until everything that comes later is known to come behind its end: the
 * host has waited for it, or all 64 places are taken and it is the oldest (races with it are then not found). A launch into a
 * stream comes behind the end of all work given before it to that stream and those ordered with it (queue_ordered), and
 * of what these awaited. One that may begin early (programmatic dependent launch) comes behind only what the launch in
 * front of it begins behind, unless other work lies between, and behind what its stream has awaited since. */
#include "base/bits.h"
#include "cuda/queue.h"

static bool is_legacy(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy;
}

static struct stream_order *order_of(struct runtime *rt, cudaStream_t stream)
{
    return is_legacy(stream)               ? &rt->orders.legacy
           : stream == cudaStreamPerThread ? &rt->orders.per_thread
                                           : &stream->order;
}

/* Launches in streams that work of this one waits for, other than the stream itself. */
static uint64_t others_of(const struct runtime *rt, cudaStream_t stream)
{
    if (!is_legacy(stream))
        return stream_blocks(stream) ? rt->orders.legacy.ends : 0;
    uint64_t others = rt->orders.per_thread.ends | rt->orders.gone;
    for (size_t i = 0; i < rt->streams.count; i++)
        others |= stream_blocks(rt->streams.items[i]) ? rt->streams.items[i]->order.ends : 0;
    return others;
}

static uint64_t all_before(struct runtime *rt, cudaStream_t stream)
{
    return order_of(rt, stream)->ends | others_of(rt, stream);
}

/* Everything that comes later comes behind these. */
static void close_places(struct runtime *rt, uint64_t places)
{
    struct launch_orders *o = &rt->orders;
    struct stream_order *defaults[] = {&o->legacy, &o->per_thread};
    o->open &= ~places;
    o->gone &= ~places;
    for (size_t i = 0; i < 2; i++)
        *defaults[i] = (struct stream_order){defaults[i]->ends & ~places, defaults[i]->begins & ~places};
    for (size_t i = 0; i < rt->streams.count; i++) {
        struct stream_order *order = &rt->streams.items[i]->order;
        *order = (struct stream_order){order->ends & ~places, order->begins & ~places};
    }
    for (size_t i = 0; i < rt->events.count; i++)
        rt->events.items[i]->order &= ~places;
}

/* A place for a launch. */
static unsigned take_place(struct runtime *rt)
{
    struct launch_orders *o = &rt->orders;
    unsigned place = 0;
    if (~o->open) {
        place = mask_first(~o->open);
    } else {
        for (unsigned i = 1; i < SANITIZE_PLACES; i++)
            place = o->given[i] < o->given[place] ? i : place;
        close_places(rt, BIT64(place));
    }
    o->given[place] = ++o->count;
    return place;
}

struct sanitize_among order_launch(struct runtime *rt, cudaStream_t stream, bool early)
{
    struct sanitize_among among = {0};
    if (!(rt->checks & GPU_CHECKS_race))
        return among;
    unsigned place = take_place(rt);
    struct stream_order *order = order_of(rt, stream);
    uint64_t others = others_of(rt, stream);
    among = (struct sanitize_among){.open = rt->orders.open, .ends = order->ends | others, .place = (uint8_t)place};
    among.begins = early ? order->begins | others : among.ends;
    rt->orders.open |= BIT64(place);
    order->begins = among.begins;
    order->ends = among.ends | BIT64(place);
    return among;
}

void order_destroy(struct runtime *rt, cudaStream_t stream)
{
    rt->orders.gone |= stream_blocks(stream) ? stream->order.ends : 0;
}

void order_work(struct runtime *rt, cudaStream_t stream)
{
    struct stream_order *order = order_of(rt, stream);
    order->begins = order->ends = all_before(rt, stream);
}

void order_record(struct runtime *rt, cudaEvent_t event, cudaStream_t stream)
{
    event->order = all_before(rt, stream);
}

void order_await(struct runtime *rt, cudaStream_t stream, cudaEvent_t event)
{
    struct stream_order *order = order_of(rt, stream);
    order->begins |= event->order;
    order->ends |= event->order;
}

void order_synchronize(struct runtime *rt, cudaStream_t stream, cudaEvent_t event)
{
    close_places(rt, event ? event->order : all_before(rt, stream));
}

void order_synchronize_all(struct runtime *rt)
{
    close_places(rt, ~UINT64_C(0));
}
