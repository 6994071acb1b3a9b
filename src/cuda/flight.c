/* The kernel under way. A launch runs it to its end, or until it stands: until all that its warps still do is to poll
 * memory that the host may write. Then the call returns, as a launch does on a device, and the program goes on; the
 * first call that has to wait for the kernel lets it go on as soon as a word that it polls has changed. Simulated time
 * stands meanwhile, so that nothing depends on how long the host takes.
 *
 * One kernel is under way at a time, or several that run together to the end of all (queue.c). What a program gives to
 * a stream behind it is put off until it has ended; what it gives to other streams is done at once, but for kernels,
 * which are put off too.
 *
 * A call that waits gives up, and the kernel ends as one that hangs, when no thread of the program is left that could
 * write, or when none has written for LOCKSTEP_HOST_PATIENCE seconds. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/plugin.h"
#include "cuda/flight.h"

#define LOOK_NS 500000   /* between two looks at the words that the kernel polls */
#define SECOND_LOOK 0.05 /* seconds between two looks at all that the host can write */

struct flight {
    struct runtime *rt;
    struct gpu_launch launch;
    cudaStream_t stream;
    struct gpu_result result;
    struct diag_sink sink;
    struct strbuf waits, phases;
    struct plugin_blame blame;
    struct launch_outcome outcome;
    const char *reason; /* why it was asked to stop */
    double stood;       /* when it came to stand */
    double looked;      /* at all that the host can write, and what was seen then; at first, when it began to listen */
    uint64_t seen, at_first;
};

static int on_progress(void *context, const struct gpu_progress *progress)
{
    struct flight *f = context;
    if (f->rt->progress)
        results_progress(f->rt, f->launch.kernel->name, progress);
    f->reason = stop_reason(f->rt);
    return f->reason != NULL;
}

static bool host_writes(const void *context, uint64_t address)
{
    const struct flight *f = context;
    return memory_host_writes(f->rt, address);
}

static cudaError_t fault_error(enum gpu_fault fault)
{
    switch (fault) {
    case GPU_FAULT_ADDRESS:
        return cudaErrorIllegalAddress;
    case GPU_FAULT_ALIGNMENT:
        return cudaErrorMisalignedAddress;
    case GPU_FAULT_ASSERT:
        return cudaErrorAssert;
    case GPU_FAULT_STACK:
        return cudaErrorHardwareStackError;
    case GPU_FAULT_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case GPU_FAULT_NONE:
    case GPU_FAULT_TRAP:
        break;
    }
    return cudaErrorLaunchFailure;
}

static cudaError_t result_error(const struct gpu_result *result)
{
    switch (result->status) {
    case GPU_OK:
        return cudaSuccess;
    case GPU_INVALID:
        return cudaErrorNotSupported;
    case GPU_FAULT:
        return fault_error(result->fault);
    case GPU_HANG:
    case GPU_LIMIT:
    case GPU_STOPPED:
    case GPU_STANDS:
    case GPU_HELD:
        break;
    }
    return cudaErrorLaunchTimeout;
}

static bool is_to_stop(void *rt)
{
    return stop_reason(rt) != NULL;
}

/* Moves the kernel's output, figures and diagnostics to its outcome. */
static void collect(struct flight *f)
{
    struct runtime *rt = f->rt;
    if (f->result.status == GPU_STOPPED && f->reason)
        f->result.stopped_by = f->reason;
    gpu_explain_stop(&f->result, &f->sink);
    if (rt->monitor)
        monitor_launched(rt->monitor, &f->result, is_to_stop, rt);
    if (f->waits.length)
        results_waits(rt, f->waits.text);
    if (f->phases.length)
        results_phases(rt, f->phases.text);
    gpu_take_output(rt->gpu, &f->outcome.output);
    registered_exchange(rt);
    results_kernel(rt, &f->result, &f->outcome.figures);
    if (f->sink.count > 0)
        diag_format_all(&f->sink, &f->outcome.diagnostics);
    f->outcome.error = result_error(&f->result);
    f->outcome.sticks = f->outcome.error != cudaSuccess && f->outcome.error != cudaErrorNotSupported;
}

static void free_flight(struct flight *f)
{
    gpu_result_free(&f->result);
    diag_free(&f->sink);
    strbuf_free(&f->waits);
    strbuf_free(&f->phases);
    launch_outcome_free(&f->outcome);
    free((void *)(uintptr_t)f->launch.params);
    free(f);
}

/* The kernel has ended, or its end is known: brings out what it left, and gives the error that is the launch's own. */
static cudaError_t land(struct flight *f)
{
    struct runtime *rt = f->rt;
    if (f->outcome.output.length > 0)
        results_print(rt, &f->outcome.output);
    if (!rt->broken)
        results_line(rt, &f->outcome.figures);
    runtime_print(rt, &f->outcome.diagnostics);
    if (f->outcome.sticks)
        rt->fault = (cudaError_t)f->outcome.error;
    cudaError_t error = rt->broken ? rt->broken : f->outcome.sticks ? cudaSuccess : (cudaError_t)f->outcome.error;
    rt->flight = NULL;
    free_flight(f);
    return error;
}

/* All that the host can write, as one number that differs where it does. */
static uint64_t all_written(struct runtime *rt)
{
    return memory_host_hash(rt) ^ hash_spread(rt->written);
}

/* The launch listens: notes all that the host has written, so that later writes are seen to be new. */
static void on_listening(void *context)
{
    struct flight *f = context;
    registered_exchange(f->rt);
    f->at_first = f->seen = all_written(f->rt);
}

static void begin_to_stand(struct flight *f)
{
    registered_exchange(f->rt);
    f->stood = f->looked = host_seconds();
    if (!f->launch.host_writes)
        f->at_first = f->seen = all_written(f->rt);
}

/* Ends the present turn of the simulation: the kernel stands, or it has ended. */
static cudaError_t settle(struct flight *f)
{
    struct runtime *rt = f->rt;
    results_pause(rt);
    if (gpu_stands(rt->gpu)) {
        begin_to_stand(f);
        return cudaSuccess;
    }
    collect(f);
    replay_launched(rt, &f->outcome);
    return land(f);
}

static void go_on(struct flight *f, enum gpu_going going, const char *why)
{
    gpu_go_on(f->rt->gpu, going, why);
    settle(f);
}

/* A word that the kernel polls has changed. Where what it polls cannot all be known (an address that changes from
 * iteration to iteration), anything that the host has written may be it, once it has written all of it. */
static bool host_has_written(struct flight *f)
{
    struct runtime *rt = f->rt;
    registered_exchange(rt);
    if (gpu_polls_changed(rt->gpu))
        return true;
    double now = host_seconds();
    if (now - f->looked < SECOND_LOOK)
        return false;
    uint64_t seen = all_written(rt);
    bool rests = seen == f->seen;
    f->seen = seen;
    f->looked = now + (host_seconds() - now) * 20;
    return rests && seen != f->at_first;
}

/* No thread is left but those that wait for the kernel. */
static bool nobody_else(const struct runtime *rt)
{
    struct stat tasks;
    unsigned own = gpu_helpers(rt->gpu) + rt->waiting;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink <= 2 + own;
}

/* Nobody will write any more what the kernel polls: why, else NULL. */
static const char *why_alone(struct flight *f, bool last)
{
    struct runtime *rt = f->rt;
    if ((last || nobody_else(rt)) && all_written(rt) != f->at_first)
        return NULL; /* it has been written */
    if (last)
        return "the host could write what is polled, but the program has ended";
    if (nobody_else(rt))
        return "the host could write what is polled, but it waits for the kernel, and the program has no other thread";
    if (rt->patience > 0 && host_seconds() - f->stood > rt->patience)
        return "the host could write what is polled, but has not for as long as --host-patience says";
    return NULL;
}

static void pause_unlocked(struct runtime *rt)
{
    const struct timespec time = {0, LOOK_NS};
    const char *entry = rt->entry;
    pthread_mutex_unlock(&rt->lock);
    nanosleep(&time, NULL);
    pthread_mutex_lock(&rt->lock);
    rt->entry = entry;
}

/* Sees once to the kernel that stands. last: the program has ended. */
static void attend(struct flight *f, bool last)
{
    struct runtime *rt = f->rt;
    const char *why = NULL;
    f->reason = stop_reason(rt);
    if (f->reason)
        go_on(f, GPU_GO_STOP, NULL);
    else if (host_has_written(f) || ((last || nobody_else(rt)) && all_written(rt) != f->at_first))
        go_on(f, GPU_GO_ON, NULL);
    else if ((why = why_alone(f, last)))
        go_on(f, GPU_GO_HANG, why);
    else
        pause_unlocked(rt);
}

void flight_catch_up(struct runtime *rt)
{
    while (!rt->flight && rt->behind.count)
        queue_step(rt, rt->fault || rt->broken);
}

/* Waits until nothing is under way or put off. */
static cudaError_t wait_for_all(struct runtime *rt)
{
    bool waits = rt->flight || rt->behind.count;
    if (waits)
        stop_begin(rt);
    rt->waiting++;
    flight_catch_up(rt);
    while (rt->flight) {
        attend(rt->flight, false);
        flight_catch_up(rt);
    }
    rt->waiting--;
    if (waits)
        stop_end(rt);
    return rt->broken ? rt->broken : rt->fault;
}

cudaError_t flight_wait(struct runtime *rt)
{
    order_synchronize_all(rt);
    return wait_for_all(rt);
}

bool flight_before(const struct runtime *rt, cudaStream_t stream)
{
    if (rt->flight && queue_ordered(rt->flight->stream, stream))
        return true;
    for (size_t i = 0; i < rt->behind.count; i++)
        if (queue_ordered(rt->behind.items[i]->stream, stream))
            return true;
    return false;
}

cudaError_t flight_join(struct runtime *rt, cudaStream_t stream)
{
    order_synchronize(rt, stream, NULL);
    return flight_before(rt, stream) ? wait_for_all(rt) : cudaSuccess;
}

cudaError_t flight_query(struct runtime *rt, cudaStream_t stream)
{
    if (!flight_before(rt, stream)) {
        order_synchronize(rt, stream, NULL);
        return cudaSuccess;
    }
    stop_begin(rt);
    if (rt->flight &&
        (host_has_written(rt->flight) || (rt->patience > 0 && host_seconds() - rt->flight->stood > rt->patience)))
        attend(rt->flight, false);
    flight_catch_up(rt);
    stop_end(rt);
    return rt->fault ? rt->fault : flight_before(rt, stream) ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t flight_defer_as(struct runtime *rt, const struct later *given)
{
    struct later *later = base_calloc(1, sizeof *later);
    *later = *given;
    vec_push(&rt->behind, later);
    return cudaSuccess;
}

cudaError_t flight_defer(struct runtime *rt, cudaStream_t stream, flight_later *run, void *data)
{
    return flight_defer_as(rt, &(struct later){.stream = stream, .run = run, .data = data});
}

static cudaError_t take_off(struct flight *f, const char *code)
{
    struct runtime *rt = f->rt;
    registered_exchange(rt);
    if (replay_launch(rt, &f->launch, code, &f->outcome))
        return land(f);
    gpu_launch(rt->gpu, &f->launch, &f->result, &f->sink);
    return settle(f);
}

static struct flight *new_flight(struct runtime *rt, const struct gpu_launch *launch, cudaStream_t stream)
{
    struct flight *f = base_calloc(1, sizeof *f);
    *f = (struct flight){.rt = rt, .launch = *launch, .stream = stream};
    diag_init(&f->sink);
    f->launch.waits = rt->results >= 0 ? &f->waits : NULL;
    f->launch.phases = rt->results >= 0 && getenv("LOCKSTEP_PHASES") ? &f->phases : NULL;
    f->blame = (struct plugin_blame){rt->results, "{\"type\":\"", "\"}\n"};
    f->launch.blame = rt->results >= 0 ? &f->blame : NULL;
    f->launch.progress = on_progress;
    f->launch.context = f;
    return f;
}

cudaError_t flight_begin(struct runtime *rt, const struct gpu_launch *launch, cudaStream_t stream, const char *code)
{
    struct flight *f = new_flight(rt, launch, stream);
    f->launch.visitor = rt->monitor ? monitor_visitor(rt->monitor) : NULL;
    f->launch.open = true;
    f->launch.host_writes = memory_is_shared(rt) ? host_writes : NULL;
    f->launch.listens = on_listening;
    rt->flight = f;
    stop_begin(rt);
    cudaError_t error = take_off(f, code);
    stop_end(rt);
    /* A program that is to be continued from a checkpoint does not go on in between: its calls are not noted then. */
    return error ? error : rt->flight && rt->replay.on ? (flight_wait(rt), cudaSuccess) : cudaSuccess;
}

/* Brings out what kernels left that ran together, in the order in which they were given. The failure that stopped
 * others is the one that later calls answer. */
static void land_together(struct flight **flights, unsigned count, struct gpu_result *total)
{
    struct runtime *rt = flights[0]->rt;
    const char *reason = flights[0]->reason;
    bool failed = false;
    results_together(rt, total, count);
    for (unsigned i = 0; i < count; i++)
        failed |= flights[i]->result.status != GPU_OK && flights[i]->result.status != GPU_STOPPED;
    for (unsigned i = 0; i < count; i++) {
        struct flight *f = flights[i];
        f->reason = reason;
        bool stopped = failed && f->result.status == GPU_STOPPED;
        collect(f);
        f->outcome.sticks = f->outcome.sticks && !stopped;
        land(f);
    }
}

void flight_together(struct runtime *rt, const struct later_launch *launches, const uint64_t *after, const uint64_t *lets,
                     unsigned count, double *ended)
{
    struct flight *flights[GPU_TOGETHER] = {NULL};
    struct gpu_given given[GPU_TOGETHER];
    struct gpu_result total = {0};
    for (unsigned i = 0; i < count; i++) {
        struct flight *f = flights[i] = new_flight(rt, &launches[i].launch, launches[i].stream);
        given[i] = (struct gpu_given){f->launch, after[i], lets[i], &f->result, &f->sink};
    }
    rt->flight = flights[0]; /* which tells of progress */
    stop_begin(rt);
    registered_exchange(rt);
    gpu_launch_together(rt->gpu, given, count, &total);
    stop_end(rt);
    results_pause(rt);
    for (unsigned i = 0; i < count; i++)
        ended[i] = (double)(flights[i]->result.start + flights[i]->result.cycles) * 1000.0 / rt->machine.gpu.core_mhz;
    land_together(flights, count, &total);
    gpu_result_free(&total);
}

void flight_end(struct runtime *rt, bool program_ends)
{
    if (!rt->flight)
        flight_catch_up(rt);
    while (!program_ends && rt->behind.count)
        queue_step(rt, true);
    while (rt->flight && program_ends) {
        attend(rt->flight, true);
        flight_catch_up(rt);
    }
    if (rt->flight) {
        rt->flight->outcome.sticks = false;
        rt->flight->reason = "cudaDeviceReset";
        go_on(rt->flight, GPU_GO_STOP, NULL);
    }
}
