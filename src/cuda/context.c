/* The process's one runtime: its lock, its configuration from the environment, its device, and each thread's last
 * error. Environment (set by `lockstep run`; a program started without it runs on the default machine):
 *   LOCKSTEP_MACHINE     machine name or file, "gtx480" when absent      LOCKSTEP_SCHED  warp scheduler
 *   LOCKSTEP_SET         group.parameter=value, one a line               LOCKSTEP_MODE   timing | functional
 *   LOCKSTEP_AS          shipped | fixed-order | reference
 *   LOCKSTEP_OBSERVE     observers, one file a line: lockstep/observer.h
 *   LOCKSTEP_PROFILE     1: results have a profile of each launch
 *   LOCKSTEP_INTERVAL    cycles: results have statistics by intervals of so many
 *   LOCKSTEP_TIMELINE    1: results have a timeline of each launch; LOCKSTEP_TIMELINE_WINDOW, _SMS and _RESOLUTION: see
 *                        timeline/timeline.h
 *   LOCKSTEP_THREADS     host threads that simulate, 1 when absent       LOCKSTEP_NO_SKIP  1: step every cycle
 *   LOCKSTEP_LENIENT     1: accesses just outside of allocations are let pass
 *   LOCKSTEP_MAX_CYCLES  cycles after which a launch is stopped
 *   LOCKSTEP_TIME        pattern of kernels whose launches are timed; LOCKSTEP_SKIP_LAUNCHES, LOCKSTEP_TIME_LAUNCHES: of
 *                        these so many first ones are not, and then so many are; the others run functionally, but for
 *                        LOCKSTEP_WARM_LAUNCHES last ones of the first, which fill caches
 *   LOCKSTEP_MAX_SECONDS host seconds after the first call after which a launch is stopped
 *   LOCKSTEP_HOST_PATIENCE  seconds for which a kernel may wait for the host; 60 when absent, 0: for ever
 *   LOCKSTEP_CHECKPOINT, LOCKSTEP_CHECKPOINT_EVERY, LOCKSTEP_RESUME, LOCKSTEP_COMMAND   checkpoints: see replay.c
 *   LOCKSTEP_MONITOR     file of a board for who watches: monitor/board.h
 *   LOCKSTEP_RESULTS     file that receives one JSON object a line       LOCKSTEP_PROGRESS  1: progress lines too
 *   LOCKSTEP_RUN         process without which no launch goes on
 * A CUDA program calls into this library from anywhere, before main and after it, so that the state cannot be handed to
 * it: this file holds the only mutable file-scope objects. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/terminal.h"
#include "cuda/array.h"
#include "cuda/driver.h"
#include "cuda/graph.h"
#include "cuda/pool.h"
#include "cuda/runtime.h"
#include "config/yaml.h"
#include "gpu/departures.h"
#include "profile/profile.h"
#include "timeline/timeline.h"
#include "watch/watch.h"

#define DEFAULT_MACHINE "gtx480"
#define HOST_PATIENCE 60

static struct runtime runtime = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_stream = 3, .results = -1};
static _Thread_local struct thread_state thread;

/* A process may have several libraries of ours: libcudart.so.13, .12 and libcuda.so.1. All are made of the same objects,
 * and all use the state of the one that was first used: each asks the others for it before its own first use. */
struct state {
    struct runtime *runtime;
    struct thread_state *(*thread)(void);
};
static struct {
    const struct state *state; /* NULL: not used yet */
    pthread_once_t once;
} home = {.once = PTHREAD_ONCE_INIT};

__attribute__((visibility("default"))) const void *__cudaLockstepHome(void);
const void *__cudaLockstepHome(void)
{
    return home.state;
}

static struct thread_state *own_thread(void)
{
    return &thread;
}

static void find_home(void)
{
    static const struct state own = {&runtime, own_thread};
    static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1"};
    const void *(*ask)(void) = NULL;
    const struct state *found = NULL;
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        void *symbol = library ? dlsym(library, "__cudaLockstepHome") : NULL;
        memcpy(&ask, &symbol, sizeof ask);
        found = ask ? ask() : NULL;
        if (library && !found) /* one in use stays with the process */
            dlclose(library);
    }
    home.state = found ? found : &own;
}

struct thread_state *runtime_thread(void)
{
    pthread_once(&home.once, find_home);
    return home.state->thread();
}

struct runtime *runtime_lock(void)
{
    pthread_once(&home.once, find_home);
    pthread_mutex_lock(&home.state->runtime->lock);
    return home.state->runtime;
}

cudaError_t runtime_unlock(struct runtime *rt, cudaError_t error)
{
    pthread_mutex_unlock(&rt->lock);
    /* Not ready is an answer, not a failure. */
    if (error != cudaSuccess && error != cudaErrorNotReady)
        runtime_thread()->last_error = error;
    return error;
}

const char *runtime_entry(struct runtime *rt, const char *name)
{
    struct thread_state *state = runtime_thread();
    if (state->driver_call)
        return state->driver_call;
    state->uses_runtime = true;
    rt->driver.runtime_used = true;
    return name;
}

void runtime_print(struct runtime *rt, const struct strbuf *text)
{
    if (!text->length)
        return;
    fflush(stdout); /* what the program printed before comes first */
    struct strbuf painted = {0};
    if (terminal_colours(STDERR_FILENO))
        terminal_paint_diags(text->text, &painted);
    fputs(painted.length ? painted.text : text->text, stderr);
    strbuf_free(&painted);
    results_diagnostic(rt, text->text);
}

void runtime_report(struct runtime *rt, struct diag_sink *sink)
{
    if (sink->count > 0) {
        struct strbuf text = {0};
        diag_format_all(sink, &text);
        runtime_print(rt, &text);
        strbuf_free(&text);
    }
    diag_free(sink);
    diag_init(sink);
}

static int set_parameters(struct machine *machine, const char *lines, struct diag_sink *sink)
{
    int rc = 0;
    for (const char *at = lines; *at;) {
        size_t length = strcspn(at, "\n");
        char *assignment = strndup(at, length);
        if (length > 0 && (!assignment || machine_set(machine, assignment, sink) < 0))
            rc = -1;
        free(assignment);
        at += length + (at[length] == '\n');
    }
    return rc;
}

static int read_mode(struct runtime *rt, const char *mode, struct diag_sink *sink)
{
    if (strcmp(mode, "timing") == 0)
        rt->mode = GPU_TIMING;
    else if (strcmp(mode, "functional") == 0)
        rt->mode = GPU_FUNCTIONAL;
    else
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_MODE=%s: expected timing or functional", mode);
    return 0;
}

static int read_max_cycles(struct runtime *rt, const char *text, struct diag_sink *sink)
{
    char *end;
    rt->max_cycles = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_MAX_CYCLES=%s: expected a number", text);
    return 0;
}

static int read_threads(struct runtime *rt, const char *text, struct diag_sink *sink)
{
    char *end;
    unsigned long threads = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || threads < 1 || threads > 64)
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_THREADS=%s: expected a number from 1 to 64", text);
    rt->threads = (unsigned)threads;
    return 0;
}

static int read_max_seconds(struct runtime *rt, const char *text, struct diag_sink *sink)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0 && seconds < 1e9))
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_MAX_SECONDS=%s: expected a number above 0", text);
    rt->deadline = host_seconds() + seconds;
    return 0;
}

static int read_patience(struct runtime *rt, const char *text, struct diag_sink *sink)
{
    char *end;
    rt->patience = strtod(text, &end);
    if (end == text || *end || !(rt->patience >= 0 && rt->patience < 1e9))
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_HOST_PATIENCE=%s: expected a number of seconds", text);
    return 0;
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The files of LOCKSTEP_OBSERVE, one a line, which the device loads when it is made. */
static int read_observers(struct runtime *rt, const char *lines, struct diag_sink *sink)
{
    if (rt->mode == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, WATCH_NEEDS_TIMING);
    for (const char *at = lines; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        if (length)
            vec_push(&rt->observers, arena_strndup(&rt->machine.arena, at, length));
        at += length;
    }
    return watch_try((const char *const *)rt->observers.items, rt->observers.count, sink);
}

/* A board that is not there any more is one at which nobody looks: that is no reason not to run. */
static void open_monitor(struct runtime *rt)
{
    const char *path = setting("LOCKSTEP_MONITOR"), *checkpoint = setting("LOCKSTEP_CHECKPOINT");
    rt->board = path ? monitor_board_open(path) : NULL;
    rt->monitor = rt->board ? monitor_create(rt->board, checkpoint != NULL) : NULL;
}

static int read_interval(struct runtime *rt, const char *cycles, struct diag_sink *sink)
{
    if (!cycles)
        return 0;
    if (!config_parse_u64(cycles, &rt->interval) || !rt->interval)
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_INTERVAL=%s: expected a number of cycles above 0",
                          cycles);
    return rt->mode == GPU_FUNCTIONAL ? diag_error(sink, DIAG_NOWHERE, NULL, GPU_INTERVAL_NEEDS_TIMING) : 0;
}

static int read_timeline(struct runtime *rt, struct diag_sink *sink)
{
    rt->timelines = setting("LOCKSTEP_TIMELINE") != NULL;
    if (rt->timelines && rt->mode == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMELINE_NEEDS_TIMING);
    return timeline_read_options(&rt->timeline, setting("LOCKSTEP_TIMELINE_WINDOW"), setting("LOCKSTEP_TIMELINE_SMS"),
                                 setting("LOCKSTEP_TIMELINE_RESOLUTION"), sink);
}

/* Which launches are timed. A checkpoint is continued by the launches before it, as they were. */
static int read_timed(struct runtime *rt, struct diag_sink *sink)
{
    const struct timed_texts texts = {.pattern = setting("LOCKSTEP_TIME"),
                                      .skip = setting("LOCKSTEP_SKIP_LAUNCHES"),
                                      .warm = setting("LOCKSTEP_WARM_LAUNCHES"),
                                      .most = setting("LOCKSTEP_TIME_LAUNCHES")};
    if (timed_read(&rt->timed, &texts, sink) < 0)
        return -1;
    if (rt->timed.chosen && rt->mode == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMED_NEEDS_TIMING);
    if (rt->timed.chosen && (setting("LOCKSTEP_CHECKPOINT") || setting("LOCKSTEP_RESUME")))
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMED_HAS_NO_CHECKPOINTS);
    if (rt->timed.chosen && gpu_checks_need_timing(rt->checks))
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMED_HAS_NO_CHECKS);
    return 0;
}

static int configure(struct runtime *rt, struct diag_sink *sink)
{
    const char *machine = setting("LOCKSTEP_MACHINE"), *sched = setting("LOCKSTEP_SCHED");
    const char *parameters = setting("LOCKSTEP_SET"), *mode = setting("LOCKSTEP_MODE");
    const char *cycles = setting("LOCKSTEP_MAX_CYCLES"), *progress = setting("LOCKSTEP_PROGRESS");
    const char *run = setting("LOCKSTEP_RUN"), *patience = setting("LOCKSTEP_HOST_PATIENCE");
    rt->run_by = run ? (pid_t)strtol(run, NULL, 10) : 0;
    const char *check = setting("LOCKSTEP_CHECK"), *as = setting("LOCKSTEP_AS");
    const char *observers = setting("LOCKSTEP_OBSERVE");
    rt->profile = setting("LOCKSTEP_PROFILE") != NULL;
    const char *seconds = setting("LOCKSTEP_MAX_SECONDS"), *threads = setting("LOCKSTEP_THREADS");
    if (machine_load(&rt->machine, machine ? machine : DEFAULT_MACHINE, sink) < 0)
        return -1;
    int rc = 0;
    if (parameters && set_parameters(&rt->machine, parameters, sink) < 0)
        rc = -1;
    if (sched)
        machine_set_scheduler(&rt->machine, sched);
    if (as && departures_take(&rt->machine, as, sink) < 0)
        rc = -1;
    if (mode && read_mode(rt, mode, sink) < 0)
        rc = -1;
    if (observers && read_observers(rt, observers, sink) < 0)
        rc = -1;
    if (rt->profile && rt->mode == GPU_FUNCTIONAL)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, PROFILE_NEEDS_TIMING);
    if (read_timeline(rt, sink) < 0 || read_interval(rt, setting("LOCKSTEP_INTERVAL"), sink) < 0)
        rc = -1;
    if (cycles && read_max_cycles(rt, cycles, sink) < 0)
        rc = -1;
    if (threads && read_threads(rt, threads, sink) < 0)
        rc = -1;
    rt->every_cycle = setting("LOCKSTEP_NO_SKIP") != NULL;
    rt->lenient = setting("LOCKSTEP_LENIENT") != NULL;
    if (check && gpu_checks_parse(check, &rt->checks, sink) < 0)
        rc = -1;
    if (gpu_checks_need_timing(rt->checks) && rt->mode == GPU_FUNCTIONAL)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, GPU_CHECKS_NEED_TIMING);
    if (read_timed(rt, sink) < 0)
        rc = -1;
    if (seconds && read_max_seconds(rt, seconds, sink) < 0)
        rc = -1;
    rt->patience = HOST_PATIENCE;
    if (patience && read_patience(rt, patience, sink) < 0)
        rc = -1;
    rt->progress = progress && strcmp(progress, "0") != 0;
    open_monitor(rt);
    return rc < 0 || machine_check(&rt->machine, NULL, sink) < 0 ? -1 : replay_open(rt, sink);
}

cudaError_t runtime_configured(struct runtime *rt)
{
    if (rt->configured)
        return rt->broken;
    rt->configured = true;
    struct diag_sink sink;
    diag_init(&sink);
    results_open(rt);
    if (configure(rt, &sink) < 0 || rt->results_failed)
        rt->broken = cudaErrorInitializationError;
    else
        results_machine(rt);
    runtime_report(rt, &sink);
    diag_free(&sink);
    return rt->broken;
}

/* The device, with its observers, or NULL. */
static struct gpu *make_device(struct runtime *rt, struct diag_sink *sink)
{
    struct gpu *gpu = gpu_create(&rt->machine, sink);
    for (size_t i = 0; gpu && i < rt->observers.count; i++)
        if (gpu_observe(gpu, rt->observers.items[i], sink) < 0) {
            gpu_destroy(gpu);
            return NULL;
        }
    if (gpu && rt->profile)
        gpu_profile(gpu);
    if (gpu)
        gpu_sanitize(gpu, rt->checks);
    if (gpu && rt->lenient)
        gpu_let_pass(gpu, rt->checks & GPU_CHECKS_mem);
    if (gpu)
        gpu_set_interval(gpu, rt->interval);
    if (gpu && rt->timelines)
        gpu_timeline(gpu, &rt->timeline);
    return gpu;
}

cudaError_t runtime_ready(struct runtime *rt)
{
    cudaError_t error = runtime_configured(rt);
    if (error || rt->fault)
        return error ? error : rt->fault;
    if (rt->gpu)
        return cudaSuccess;
    struct diag_sink sink;
    diag_init(&sink);
    rt->gpu = make_device(rt, &sink);
    if (rt->gpu)
        replay_device(rt);
    else
        rt->broken = cudaErrorInitializationError;
    runtime_report(rt, &sink);
    diag_free(&sink);
    return rt->broken;
}

/* Plain host blocks must be given back one by one; what lies in device memory goes with it. */
static void release_specials(struct runtime *rt)
{
    for (size_t i = 0; i < rt->specials.count; i++) {
        struct special_block *block = &rt->specials.items[i];
        if (!block->in_device && !block->registered)
            free((void *)(uintptr_t)block->start);
        free(block->agreed);
    }
    vec_free(&rt->specials);
}

static void tell_let_pass(struct runtime *rt)
{
    struct diag_sink sink;
    diag_init(&sink);
    if (rt->gpu)
        gpu_explain_let_pass(rt->gpu, &sink);
    if (sink.count)
        runtime_report(rt, &sink);
    diag_free(&sink);
}

void runtime_reset(struct runtime *rt)
{
    flight_end(rt, false);
    tell_let_pass(rt);
    driver_forget(rt);
    for (size_t i = 0; i < rt->images.count; i++)
        image_forget_module(rt, rt->images.items[i]);
    release_specials(rt);
    textures_forget(rt);
    arrays_forget(rt);
    pools_forget(rt);
    graph_memory_forget(rt);
    driver_virtual_forget(rt);
    for (size_t i = 0; i < rt->streams.count; i++)
        free(rt->streams.items[i]);
    for (size_t i = 0; i < rt->events.count; i++)
        free(rt->events.items[i]);
    for (size_t i = 0; i < rt->destroyed.count; i++)
        free(rt->destroyed.items[i]);
    vec_free(&rt->streams);
    vec_free(&rt->events);
    vec_free(&rt->destroyed);
    rt->orders = (struct launch_orders){0};
    if (rt->gpu) {
        replay_device_ends(rt);
        gpu_destroy(rt->gpu);
    }
    rt->gpu = NULL;
    rt->fault = cudaSuccess;
    memset(rt->limits, 0, sizeof rt->limits);
}

static void tell_leaks(struct runtime *rt)
{
    struct diag_sink sink;
    if (!rt->gpu || !(rt->checks & GPU_CHECKS_mem))
        return;
    diag_init(&sink);
    gpu_explain_leaks(rt->gpu, &sink);
    if (sink.count)
        runtime_report(rt, &sink);
    diag_free(&sink);
}

/* After the program's own destructors, and after it unregistered its code. A thread that is still inside a call at exit
 * keeps its device. */
__attribute__((destructor)) static void close_runtime(void)
{
    struct runtime *rt = &runtime;
    if (pthread_mutex_trylock(&rt->lock) != 0)
        return;
    flight_end(rt, true);
    tell_leaks(rt);
    runtime_reset(rt);
    while (rt->images.count > 0)
        image_remove(rt, rt->images.items[rt->images.count - 1]);
    replay_close(rt);
    monitor_destroy(rt->monitor);
    monitor_board_close(rt->board);
    rt->monitor = NULL;
    rt->board = NULL;
    vec_free(&rt->images);
    vec_free(&rt->kernels);
    vec_free(&rt->variables);
    vec_free(&rt->managed);
    vec_free(&rt->refusals);
    vec_free(&rt->behind);
    vec_free(&rt->observers);
    if (rt->configured)
        machine_free(&rt->machine);
    results_close(rt);
    rt->configured = true;
    rt->broken = cudaErrorCudartUnloading;
    pthread_mutex_unlock(&rt->lock);
}
