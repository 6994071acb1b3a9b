/* Launches. A launch has a visitor (gpu/visit.h), which holds it at its beginning, where it is asked to, and wherever
 * else lockstep_run is to return; there the device leaves the launch as it is. */
#include <stdlib.h>
#include <string.h>

#include "library/library.h"
#include "sim/cycle.h"

/* The visitor */

static bool wants(void *context)
{
    struct lockstep_device *d = context;
    const struct gpu_visitor *other = d->besides.visitor;
    return atomic_load_explicit(&d->halts, memory_order_relaxed) || (other && other->wants(other->context));
}

/* Why the launch is to be held now; false: it is not. Breakpoints that nobody asked for are forgotten. */
static bool is_over(struct lockstep_device *d, uint64_t now)
{
    struct library_run *run = &d->run;
    bool broke = breaks_take(d->breaks, &run->hit) && run->flags & LOCKSTEP_UNTIL_BREAK;
    bool halted = atomic_exchange_explicit(&d->halts, false, memory_order_relaxed);
    run->why = broke ? LOCKSTEP_WHY_BREAK : halted ? LOCKSTEP_WHY_HALT : LOCKSTEP_WHY_CYCLE;
    return broke || halted || now >= run->until;
}

/* Under the flags it comes behind each cycle in which something can happen. */
static struct gpu_visit_end come(void *context, struct gpu_visit *visit)
{
    struct lockstep_device *d = context;
    struct library_run *run = &d->run;
    uint64_t now = gpu_cycle(d->gpu);
    if (run->begins || is_over(d, now))
        return (struct gpu_visit_end){.then = GPU_THEN_HOLD};
    if (d->besides.visitor)
        return d->besides.visitor->visit(d->besides.visitor->context, visit);
    uint64_t latest = run->until == CYCLE_NEVER ? 0 : run->until;
    if (run->flags)
        return (struct gpu_visit_end){.then = GPU_THEN_CYCLES, .cycles = 1, .latest = latest};
    if (latest)
        return (struct gpu_visit_end){.then = GPU_THEN_CYCLES, .cycles = run->until - now, .latest = latest};
    return (struct gpu_visit_end){.then = GPU_THEN_RUN};
}

void lockstep_halt(struct lockstep_device *d)
{
    atomic_store_explicit(&d->halts, true, memory_order_relaxed);
}

static int on_progress(void *context, const struct gpu_progress *now)
{
    struct lockstep_device *d = context;
    const struct lockstep_progress progress = {.size = sizeof progress,
                                               .cycle = now->cycle,
                                               .warp_instructions = now->warp_instructions,
                                               .blocks_done = now->blocks_done,
                                               .blocks = now->blocks,
                                               .seconds = now->seconds};
    d->run.reason = d->run.progress(d->run.user, &progress);
    return d->run.reason != NULL;
}

/* Beginning */

static int place_arguments(struct lockstep_device *d, const struct lockstep_launch_setup *l,
                           const struct isa_function *kernel, char *params)
{
    if (l->argument_count != kernel->param_count)
        return library_wrong(d, LOCKSTEP_ERROR_INVALID, NULL, "kernel %s has %u parameters, and there are %u arguments",
                             kernel->name, kernel->param_count, l->argument_count);
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const struct isa_param *param = &kernel->params[i];
        if (l->arguments[i].bytes != param->bytes)
            return library_wrong(d, LOCKSTEP_ERROR_INVALID, NULL,
                                 "argument %u of kernel %s has %zu bytes, and its parameter %s has %u", i, kernel->name,
                                 l->arguments[i].bytes, param->name, param->bytes);
        memcpy(params + param->offset, l->arguments[i].value, param->bytes);
    }
    return LOCKSTEP_OK;
}

/* The kernel, with its parameters in d->run.params. */
static int find_kernel(struct lockstep_device *d, const struct lockstep_launch_setup *l, struct gpu_launch *launch)
{
    int code;
    const struct lockstep_module *m = library_module(d, l->module);
    if (!m)
        return LOCKSTEP_ERROR_INVALID;
    launch->module = m->module;
    launch->kernel = library_kernel(d, gpu_module_code(m->module), l->kernel ? l->kernel : "", &code);
    if (!launch->kernel)
        return code;
    free(d->run.params);
    d->run.params = base_calloc(1, launch->kernel->param_bytes + 8);
    launch->params = d->run.params;
    return place_arguments(d, l, launch->kernel, d->run.params);
}

static void describe(struct lockstep_device *d, const struct lockstep_launch_setup *l, struct gpu_launch *launch)
{
    bool functional = l->flags & LOCKSTEP_FUNCTIONAL;
    d->run.visitor = (struct gpu_visitor){.context = d, .wants = wants, .visit = come};
    d->run.progress = l->progress;
    d->run.user = l->user;
    d->run.reason = NULL;
    launch->mode = functional ? GPU_FUNCTIONAL : GPU_TIMING;
    launch->visitor = functional ? NULL : &d->run.visitor;
    launch->progress = l->progress ? on_progress : NULL;
    launch->context = d;
    launch->resume = d->besides.resume;
    launch->dynamic_shared = l->shared;
    launch->cooperative = l->flags & LOCKSTEP_COOPERATIVE;
    launch->nonportable_cluster = true; /* who says it here means this device */
    launch->registers = l->registers;
    launch->max_cycles = l->max_cycles;
    launch->threads = l->threads;
    launch->every_cycle = l->flags & LOCKSTEP_NO_SKIP;
    launch->check_sync = l->flags & LOCKSTEP_CHECK_SYNC;
    for (unsigned i = 0; i < 3; i++) {
        launch->grid[i] = l->grid[i] ? l->grid[i] : 1;
        launch->block[i] = l->block[i] ? l->block[i] : 1;
        launch->cluster[i] = l->cluster[0] && !l->cluster[i] ? 1 : l->cluster[i];
    }
}

/* The last launch's texts go. */
static void begin_texts(struct lockstep_device *d, bool phases, struct gpu_launch *launch)
{
    strbuf_free(&d->phases);
    strbuf_free(&d->waits);
    launch->waits = &d->waits;
    if (!phases)
        return;
    strbuf_add(&d->phases, gpu_phases_head);
    launch->phases = &d->phases;
}

/* A launch that has ended says how it was stopped, and what it was let do. */
static void settle(struct lockstep_device *d)
{
    if (gpu_stands(d->gpu))
        return;
    if (d->result.status == GPU_STOPPED)
        d->result.stopped_by = d->run.reason;
    gpu_explain_stop(&d->result, &d->sink);
    gpu_explain_let_pass(d->gpu, &d->sink);
}

/* Simulates its beginning or, of a functional one, all of it. */
static int begin(struct lockstep_device *d, const struct gpu_launch *launch)
{
    breaks_begin(d->breaks);
    gpu_result_free(&d->result);
    d->run.begun = gpu_cycle(d->gpu);
    d->run.begins = true;
    gpu_launch(d->gpu, launch, &d->result, &d->sink);
    d->run.begins = false;
    d->launches += d->result.status != GPU_INVALID;
    /* The module may go before the result is asked for. */
    strbuf_free(&d->kernel);
    strbuf_add(&d->kernel, launch->kernel->name);
    settle(d);
    return library_code(&d->result);
}

int lockstep_launch(struct lockstep_device *d, const struct lockstep_launch_setup *from)
{
    const uint32_t known =
        LOCKSTEP_COOPERATIVE | LOCKSTEP_NO_SKIP | LOCKSTEP_CHECK_SYNC | LOCKSTEP_FUNCTIONAL | LOCKSTEP_NOTE_PHASES;
    struct lockstep_launch_setup l;
    struct gpu_launch launch = {0};
    int code = library_need_idle(d, "lockstep_launch");
    code = code ? code : library_take(d, &l, sizeof l, from, "lockstep_launch_setup");
    if (!code && l.flags & ~known)
        code = library_wrong(d, LOCKSTEP_ERROR_VERSION, NULL, "lockstep_launch: flags that this library does not know");
    code = code ? code : find_kernel(d, &l, &launch);
    if (code)
        return code;
    describe(d, &l, &launch);
    begin_texts(d, l.flags & LOCKSTEP_NOTE_PHASES, &launch);
    return begin(d, &launch);
}

/* Going on */

/* It has ended, or is held. */
static int end_run(struct lockstep_device *d, struct lockstep_stop *to)
{
    const struct library_run *run = &d->run;
    bool held = gpu_stands(d->gpu);
    struct lockstep_stop stop = {.why = held ? run->why : LOCKSTEP_WHY_END, .cycle = gpu_cycle(d->gpu) - run->begun};
    if (held && stop.why == LOCKSTEP_WHY_BREAK) {
        stop.sm = run->hit.sm;
        stop.warp = run->hit.warp;
        stop.pc = run->hit.pc;
        stop.mask = run->hit.mask;
    }
    settle(d);
    int code = to ? library_give(d, to, &stop, sizeof stop, "lockstep_stop") : LOCKSTEP_OK;
    return code ? code : library_code(&d->result);
}

int lockstep_run(struct lockstep_device *d, const struct lockstep_until *from, struct lockstep_stop *stop)
{
    const uint32_t known = LOCKSTEP_UNTIL_BREAK | LOCKSTEP_UNTIL_HALT;
    struct lockstep_until until;
    int code = library_need_held(d, "lockstep_run");
    code = code ? code : library_take(d, &until, sizeof until, from, "lockstep_until");
    if (!code && until.flags & ~known)
        code = library_wrong(d, LOCKSTEP_ERROR_VERSION, NULL, "lockstep_run: flags that this library does not know");
    if (code)
        return code;
    struct library_run *run = &d->run;
    run->until = until.cycle && until.cycle < CYCLE_NEVER - run->begun ? run->begun + until.cycle : CYCLE_NEVER;
    run->flags = until.flags;
    library_forget(d);
    gpu_go_on(d->gpu, GPU_GO_ON, NULL);
    return end_run(d, stop);
}

int lockstep_step(struct lockstep_device *d, uint64_t cycles, struct lockstep_stop *stop)
{
    int code = library_need_held(d, "lockstep_step");
    if (code)
        return code;
    uint64_t done = gpu_cycle(d->gpu) - d->run.begun;
    if (!cycles) {
        d->run.why = LOCKSTEP_WHY_CYCLE;
        return end_run(d, stop);
    }
    const struct lockstep_until until = {.size = sizeof until,
                                         .cycle = cycles < CYCLE_NEVER - done ? done + cycles : CYCLE_NEVER};
    return lockstep_run(d, &until, stop);
}

int lockstep_cancel(struct lockstep_device *d)
{
    int code = library_need_held(d, "lockstep_cancel");
    if (code)
        return code;
    library_forget(d);
    gpu_go_on(d->gpu, GPU_GO_STOP, NULL);
    return LOCKSTEP_OK;
}

int lockstep_observe(struct lockstep_device *d, const struct lockstep_observer *observer, void *user)
{
    int code = library_need_idle(d, "lockstep_observe");
    if (code)
        return code;
    return gpu_observe_by(d->gpu, observer, user, &d->sink) < 0 ? LOCKSTEP_ERROR_INVALID : LOCKSTEP_OK;
}

int lockstep_output(struct lockstep_device *d, const char **text, size_t *length)
{
    int code = library_begin(d);
    if (code)
        return code;
    strbuf_free(&d->output);
    gpu_take_output(d->gpu, &d->output);
    *text = strbuf_text(&d->output);
    *length = d->output.length;
    return LOCKSTEP_OK;
}
