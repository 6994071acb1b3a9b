/* The monitor in the run. What it looks at is the launch's, so that it looks only when it is let in; what it hangs up
 * is its own. */
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"

#define SHOW_SECONDS 0.5  /* between two looks at a launch that runs */
#define SHOW_SHARE 20.0   /* and what looking takes is this part of the time at most */
#define WAIT_SECONDS 0.05 /* until a launch that is held is asked whether it is to stop */
#define ENDED_MOST 32     /* launches that ended, of which there is a line each */

/* Counts at a moment; what happened since is the difference. */
struct sample {
    uint64_t cycle, warp_instructions, thread_instructions;
    double at; /* in host_seconds; time for which the launch was held is taken out */
    json_t *causes;
};

struct monitor {
    struct monitor_board *board;
    struct gpu_visitor visitor;
    bool checkpoints, asking;
    uint32_t order; /* number of the last one that was taken */
    uint32_t taken; /* checkpoints that were asked for, and taken or not */
    uint32_t seen;  /* monitor_board_changes at the last visit */
    bool held;      /* the launch stands still */
    bool stepping;  /* it is held when the device comes to cycle `until`, or at the next visit */
    bool by_window;
    uint64_t until;
    double next;    /* when to look at it again, in host_seconds */
    double begun;   /* when the present visit began, or the one at which the launch came to be held */
    double still;   /* seconds for which the launch has been held so far */
    uint64_t shown; /* times */
    uint64_t start; /* cycle of the device at which the launch began */
    struct sample before, now;
    json_t *launch;     /* what stays as it is while the launch runs */
    json_t *checkpoint; /* the last one, or NULL */
    json_t *ended;      /* the last launches that have */
};

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *ratio(double a, double b)
{
    return b > 0 ? json_real(a / b) : json_null();
}

static json_t *extent(const uint32_t size[3])
{
    return json_pack("[I,I,I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

/* Cycles of each cause that were not counted `then`, where there are any; then is NULL: all of them. */
static json_t *causes_since(json_t *now, const json_t *then)
{
    json_t *object = json_object(), *value;
    const char *name;
    json_object_foreach(now, name, value)
    {
        json_int_t count = json_integer_value(value) - json_integer_value(json_object_get(then, name));
        if (count)
            json_object_set_new(object, name, json_integer(count));
    }
    return object;
}

/* The time since the look before, at which the launch had come less far. */
static json_t *last_json(const struct monitor *m)
{
    const struct sample *a = &m->before, *b = &m->now;
    double cycles = (double)(b->cycle - a->cycle), seconds = b->at - a->at;
    json_t *last = json_object();
    json_object_set_new(last, "cycles", number(b->cycle - a->cycle));
    json_object_set_new(last, "seconds", json_real(seconds));
    json_object_set_new(last, "cycles_per_second", ratio(cycles, seconds));
    json_object_set_new(last, "ipc", ratio((double)(b->thread_instructions - a->thread_instructions), cycles));
    json_object_set_new(last, "warp_ipc", ratio((double)(b->warp_instructions - a->warp_instructions), cycles));
    json_object_set_new(last, "warps", causes_since(b->causes, a->causes));
    return last;
}

/* Takes over causes. A sample of the same cycle as the last one takes its place. */
static void take_sample(struct monitor *m, const struct gpu_visit_numbers *n, json_t *causes)
{
    if (!m->now.causes || n->progress.cycle > m->now.cycle) {
        json_decref(m->before.causes);
        m->before = m->now;
    } else {
        json_decref(m->now.causes);
    }
    m->now = (struct sample){
        .cycle = n->progress.cycle,
        .warp_instructions = n->progress.warp_instructions,
        .thread_instructions = n->thread_instructions,
        .at = host_seconds() - m->still,
        .causes = causes,
    };
}

static void forget_samples(struct monitor *m)
{
    json_decref(m->before.causes);
    json_decref(m->now.causes);
    json_decref(m->launch);
    m->before = m->now = (struct sample){.at = host_seconds() - m->still};
    m->launch = NULL;
}

/* The first visit to a launch. */
static void meet(struct monitor *m, const struct gpu_visit *visit, const struct gpu_visit_numbers *n)
{
    const struct gpu_launch *launch = gpu_visit_launch(visit);
    json_t *name = json_string(gpu_visit_kernel(visit));
    m->launch = json_object();
    m->start = n->device_cycle - n->progress.cycle;
    json_object_set_new(m->launch, "kernel", name ? name : json_string("?"));
    json_object_set_new(m->launch, "launch", number(n->launch));
    json_object_set_new(m->launch, "grid", extent(launch->grid));
    json_object_set_new(m->launch, "block", extent(launch->block));
    json_object_set_new(m->launch, "blocks", number(n->progress.blocks));
    m->before.cycle = n->progress.cycle; /* of a launch that goes on from a checkpoint */
    m->before.warp_instructions = n->progress.warp_instructions;
    m->before.thread_instructions = n->thread_instructions;
    m->before.causes = gpu_visit_causes(visit);
}

/* Members that every state has. */
static json_t *common_json(struct monitor *m, const char *state)
{
    json_t *object = json_object();
    json_object_set_new(object, "state", json_string(state));
    json_object_set_new(object, "held", json_boolean(m->held));
    json_object_set_new(object, "shown", number(++m->shown));
    json_object_set_new(object, "process", number((uint64_t)getpid()));
    json_object_set_new(object, "order", number(m->order));
    json_object_set_new(object, "checkpoints", json_boolean(m->checkpoints));
    json_object_set_new(object, "checkpoints_asked", number(m->taken));
    json_object_set(object, "checkpoint", m->checkpoint ? m->checkpoint : json_null());
    json_object_set(object, "ended", m->ended);
    json_object_update(object, m->launch);
    return object;
}

static void set_numbers(json_t *object, const struct gpu_visit_numbers *n)
{
    double cycles = (double)n->progress.cycle;
    json_object_set_new(object, "cycle", number(n->progress.cycle));
    json_object_set_new(object, "device_cycle", number(n->device_cycle));
    json_object_set_new(object, "seconds", json_real(n->progress.seconds));
    json_object_set_new(object, "blocks_done", number(n->progress.blocks_done));
    json_object_set_new(object, "warp_instructions", number(n->progress.warp_instructions));
    json_object_set_new(object, "thread_instructions", number(n->thread_instructions));
    json_object_set_new(object, "ipc", ratio((double)n->thread_instructions, cycles));
    json_object_set_new(object, "warp_ipc", ratio((double)n->progress.warp_instructions, cycles));
}

/* False: it is too long. */
static bool hang_up(struct monitor *m, const json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    size_t bytes = text ? strlen(text) : 0;
    bool fits = bytes && bytes <= MONITOR_TEXT_MOST;
    if (fits)
        monitor_board_show(m->board, text, bytes);
    free(text);
    return fits;
}

static void show(struct monitor *m, const struct gpu_visit *visit, const struct gpu_visit_numbers *n)
{
    take_sample(m, n, gpu_visit_causes(visit));
    json_t *object = common_json(m, m->held ? "paused" : "running");
    set_numbers(object, n);
    json_object_set_new(object, "last", last_json(m));
    json_object_set_new(object, "warps", causes_since(m->now.causes, NULL));
    json_object_set_new(object, "waits", gpu_visit_waits(visit));
    if (!hang_up(m, object)) {
        json_object_set_new(object, "waits", json_null());
        hang_up(m, object);
    }
    json_decref(object);
}

static void take_order(struct monitor *m, const struct monitor_order *order, uint64_t now)
{
    if (order->number == m->order)
        return;
    m->order = order->number;
    m->held = order->wish == MONITOR_PAUSE;
    m->stepping = order->wish == MONITOR_STEP || order->wish == MONITOR_WINDOW;
    m->by_window = order->wish == MONITOR_WINDOW;
    m->until = order->cycles < UINT64_MAX - now ? now + order->cycles : UINT64_MAX;
}

static void take_checkpoint(struct monitor *m, const struct monitor_order *order, struct gpu_visit *visit)
{
    if (order->checkpoints == m->taken)
        return;
    m->taken = order->checkpoints;
    m->asking = m->checkpoints;
    if (m->checkpoints)
        gpu_visit_checkpoint(visit);
    m->asking = false;
}

static bool wants(void *context)
{
    const struct monitor *m = context;
    return monitor_board_changes(m->board) != m->seen || host_seconds() >= m->next;
}

/* Time for which the launch is held does not count as time in which it got somewhere. */
static void note_still(struct monitor *m, bool was_held)
{
    double now = host_seconds();
    if (was_held)
        m->still += now - m->begun;
    m->begun = now;
}

static struct gpu_visit_end end_of(const struct monitor *m, uint64_t now)
{
    if (!m->stepping)
        return (struct gpu_visit_end){.then = GPU_THEN_RUN};
    if (m->by_window)
        return (struct gpu_visit_end){.then = GPU_THEN_WINDOW};
    return (struct gpu_visit_end){.then = GPU_THEN_CYCLES, .cycles = m->until - now};
}

/* A step is over when the launch has come to its cycle, or to the window behind the one in which it was asked for. */
static bool step_is_over(const struct monitor *m, uint64_t now)
{
    return m->stepping && (m->by_window || now >= m->until);
}

static struct gpu_visit_end visit(void *context, struct gpu_visit *visit)
{
    struct monitor *m = context;
    struct gpu_visit_numbers n;
    struct monitor_order order;
    bool was_held = m->held, first = !m->launch;
    note_still(m, was_held);
    uint32_t seen = monitor_board_changes(m->board);
    gpu_visit_numbers(visit, &n);
    if (first)
        meet(m, visit, &n);
    if (!first && step_is_over(m, n.device_cycle)) {
        m->stepping = false;
        m->held = true;
    }
    monitor_board_order(m->board, &order);
    take_order(m, &order, n.device_cycle);
    take_checkpoint(m, &order, visit);
    if (!was_held || seen != m->seen)
        show(m, visit, &n);
    m->seen = seen;
    double taken = host_seconds() - m->begun;
    m->next = m->begun + taken + (taken * SHOW_SHARE > SHOW_SECONDS ? taken * SHOW_SHARE : SHOW_SECONDS);
    if (!m->held)
        return end_of(m, n.device_cycle);
    monitor_board_wait(m->board, seen, WAIT_SECONDS);
    return (struct gpu_visit_end){.then = GPU_THEN_AGAIN};
}

struct monitor *monitor_create(struct monitor_board *board, bool checkpoints)
{
    struct monitor *m = base_calloc(1, sizeof *m);
    m->board = board;
    m->checkpoints = checkpoints;
    m->ended = json_array();
    m->visitor = (struct gpu_visitor){.context = m, .wants = wants, .visit = visit};
    return m;
}

void monitor_destroy(struct monitor *m)
{
    if (!m)
        return;
    forget_samples(m);
    json_decref(m->checkpoint);
    json_decref(m->ended);
    free(m);
}

const struct gpu_visitor *monitor_visitor(const struct monitor *m)
{
    return &m->visitor;
}

bool monitor_asks_checkpoint(const struct monitor *m)
{
    return m->asking;
}

void monitor_checkpointed(struct monitor *m, uint64_t cycle, const char *path, const char *why_not)
{
    json_t *file = json_string(path), *words = why_not ? json_string(why_not) : json_null();
    json_decref(m->checkpoint);
    m->checkpoint = json_object();
    json_object_set_new(m->checkpoint, "device_cycle", number(cycle));
    json_object_set_new(m->checkpoint, "file", file ? file : json_string("?"));
    json_object_set_new(m->checkpoint, "error", words ? words : json_string("it cannot be written"));
}

/* A line of the launches that have ended. */
static void note_ended(struct monitor *m, const struct gpu_result *result, const struct gpu_visit_numbers *n)
{
    json_t *line = json_object();
    json_object_set(line, "kernel", json_object_get(m->launch, "kernel"));
    json_object_set(line, "launch", json_object_get(m->launch, "launch"));
    json_object_set_new(line, "status", json_string(gpu_status_name(result->status)));
    set_numbers(line, n);
    json_array_append_new(m->ended, line);
    if (json_array_size(m->ended) > ENDED_MOST)
        json_array_remove(m->ended, 0);
}

static void show_ended(struct monitor *m, const struct gpu_result *result, const struct gpu_visit_numbers *n)
{
    json_t *object = common_json(m, "ended"), *all = gpu_result_causes(result);
    set_numbers(object, n);
    json_object_set_new(object, "status", json_string(gpu_status_name(result->status)));
    json_object_set_new(object, "warps", causes_since(all, NULL));
    json_decref(all);
    hang_up(m, object);
    json_decref(object);
}

/* There is nothing to take a checkpoint of. */
static void refuse_checkpoint(struct monitor *m, const struct monitor_order *order)
{
    if (order->checkpoints != m->taken && m->checkpoints)
        monitor_checkpointed(m, m->start + m->now.cycle, "", "the launch has ended");
    m->taken = order->checkpoints;
}

/* The order that ends the wait is left for the next launch to take. */
static void wait_at_end(struct monitor *m, const struct gpu_result *result, const struct gpu_visit_numbers *n,
                        bool (*stop)(void *context), void *context)
{
    struct monitor_order order;
    for (;;) {
        uint32_t seen = monitor_board_changes(m->board);
        monitor_board_order(m->board, &order);
        if ((order.number != m->order && order.wish != MONITOR_PAUSE) || stop(context))
            return;
        m->order = order.number;
        if (order.checkpoints != m->taken) {
            refuse_checkpoint(m, &order);
            show_ended(m, result, n);
        }
        monitor_board_wait(m->board, seen, WAIT_SECONDS);
    }
}

void monitor_launched(struct monitor *m, const struct gpu_result *result, bool (*stop)(void *context), void *context)
{
    struct gpu_visit_numbers n;
    if (!m->launch)
        return;
    gpu_result_numbers(result, &n);
    n.device_cycle = m->start + n.progress.cycle;
    m->now.cycle = n.progress.cycle;
    m->held = m->stepping;
    m->stepping = false;
    note_ended(m, result, &n);
    show_ended(m, result, &n);
    if (m->held) {
        m->begun = host_seconds();
        wait_at_end(m, result, &n, stop, context);
        note_still(m, true);
        m->held = false;
        show_ended(m, result, &n);
    }
    forget_samples(m);
}
