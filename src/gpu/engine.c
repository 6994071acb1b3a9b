/* The cycle loop. Time passes in windows within the networks' lookahead: in a window each domain of the device is
 * simulated by itself (domain.c), by a pool of worker threads; between windows this file has blocks given out
 * (dispatch.c), looks for the end, faults and hangs, and jumps to the next event when nothing can happen before. Where
 * the dispatcher looks in every cycle, a window is one cycle while blocks wait for a place and one may come free in its
 * first cycle.
 *
 * Of several launches that run at one time, `run` is the first one, and company.c knows the others.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/worker_pool.h"
#include "base/hot.h"
#include "gpu/clusters.h"
#include "gpu/company.h"
#include "gpu/dispatch.h"
#include "gpu/gpu_check.h"
#include "gpu/rest.h"
#include "gpu/visit_impl.h"
#include "gpu/timeline.h"
#include "gpu/waits.h"

#define POLL_STEPS 256 /* orders to the domains between looks at the host's clock */
/* Cycles for which a domain that is alone is left alone, at most. Builds for tests look at its facts in between. */
#ifdef LOCKSTEP_CHECKED
#define ALONE_CYCLES 16
#else
#define ALONE_CYCLES 256
#endif

/* The outlooks of all domains after a window, together. */
HOT static void look_at_domains(struct gpu_run *run, struct gpu_outlook *o)
{
    gpu_rest_settle(run, o);
    o->busy_until = cycle_max(o->busy_until, run->start_cycle);
    if (gpu_blocks_are_left(run)) {
        o->idle = false;
    } else {
        o->room = 0;
        o->block_may_end = false;
    }
}

/* A run's state from one window to the next: what the domains reported last, and the cycles that end the run or give
 * the engine something to do. */
struct course {
    struct gpu_watch watch;
    struct gpu_outlook outlook; /* of the last window */
    uint64_t limit;             /* the cycle in which the run ends anyhow */
    uint64_t duty;              /* next_duty */
    uint64_t visit;             /* when the visitor comes, or CYCLE_NEVER */
    uint64_t latest;            /* gpu_visit_end.latest; no later than that, time stops for it, or CYCLE_NEVER */
    bool held;                  /* by its visitor */
    bool alone;                 /* a domain can go on by itself while it is the only one, or the others rest */
    uint64_t opens;             /* the cycle in which the grid's barrier opens */
    uint64_t turns;             /* windows so far */
    uint64_t stood;             /* the cycle of the look at which the launch came to stand */
    double last_poll;
};

/* Ticks of the networks that have begun by a cycle. */
static uint64_t ticks_by(const struct gpu *gpu, uint64_t cycle)
{
    return sim_clock_at(gpu->machine.gpu.network_mhz, gpu->machine.gpu.core_mhz, cycle).begun;
}

/* The networks, running faster than the SMs, tick more often in these cycles than their lookahead allows. */
static bool too_many_ticks(const struct gpu_run *run, uint64_t from, uint64_t end)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    return p->network_mhz > p->core_mhz && ticks_by(run->gpu, end) - ticks_by(run->gpu, from) > run->lookahead;
}

/* The length of windows from `from` on. It depends on the cycles between two multiples of it, not on `from`: so it is
 * the same whether the cycles before were skipped or stepped. */
static uint64_t window_length(const struct gpu_run *run, uint64_t from)
{
    uint64_t interval = run->gpu->machine.gpu.dispatch_interval, most = interval == 1 ? GPU_BLOCK_WINDOW : interval;
    uint64_t length = gpu_blocks_are_left(run) ? cycle_min(most, run->lookahead) : run->lookahead;
    while (length > 1 && too_many_ticks(run, from / length * length, (from / length + 1) * length))
        length /= 2;
    return length;
}

/* Windows are as long as each other, wherever they begin, while no blocks wait for a place. */
static bool all_windows_alike(const struct gpu_run *run)
{
    uint64_t mhz = run->gpu->machine.gpu.network_mhz, core_mhz = run->gpu->machine.gpu.core_mhz;
    for (uint64_t length = run->lookahead; length > 1; length /= 2) {
        if (length * mhz <= run->lookahead * core_mhz)
            return true; /* none has too many ticks: so many begin in it, rounded up */
        if (length * mhz / core_mhz <= run->lookahead)
            return false;
    }
    return true;
}

/* The end of the window that begins at `from`: the next multiple of its length. */
static uint64_t end_of_window(uint64_t from, uint64_t length)
{
    return from - (is_power_of_two(length) ? from & (length - 1) : from % length) + length;
}

/* The next duty that follows from the launch alone, and not from when somebody visits it. */
static uint64_t next_own_duty(const struct gpu_run *run, const struct course *c)
{
    const struct gpu *gpu = run->gpu;
    uint64_t duty = cycle_min(c->limit, c->watch.next);
    if (RARELY(run->company))
        duty = cycle_min(duty, gpu_company_next(run->company));
    else if (gpu->cycle < gpu_first_start(run))
        duty = cycle_min(duty, gpu_first_start(run));
    /* A checkpoint that was due between two launches is taken when the second begins. */
    duty = cycle_min(duty, gpu->checkpoint_every ? cycle_max(gpu->checkpoint_next, gpu->cycle) : CYCLE_NEVER);
    return cycle_min(duty, run->intervals ? run->intervals->next : CYCLE_NEVER);
}

/* The next *duty*: the first cycle in which somebody besides the domains has something to do, so that time may not pass
 * it unseen: no window goes beyond it, and the state that is seen there is that of all cycles before, and of no later
 * one. */
static uint64_t next_duty(const struct gpu_run *run, const struct course *c)
{
    return cycle_min(next_own_duty(run, c), c->visit);
}

/* Partitions are not simulated ahead beyond the next duty, since somebody may look there at what they hold, and at no
 * time while SMs use memory without them. */
static bool may_go_ahead(const struct gpu_run *run)
{
    return !run->calls_device && !run->gpu->machine.sm.values_at_issue;
}

/* The calling thread takes the domain for this window. False: another thread has taken it. */
static bool claim(struct gpu_domain *domain, const struct gpu_window *w)
{
    uint64_t mark = w->from + 1, before = atomic_load_explicit(&domain->claimed, memory_order_relaxed);
    return before != mark && atomic_compare_exchange_strong_explicit(&domain->claimed, &before, mark,
                                                                     memory_order_relaxed, memory_order_relaxed);
}

/* A thread begins with its own domains, whose state its core's caches may still have; when these are done, it takes
 * those that others have not come to, the last ones first. The first domain of a thread is nobody else's. What a domain
 * does in a window depends on no other one, so it is all the same who simulates it. */
static void run_domains(const void *order, unsigned thread)
{
    const struct gpu_window *w = order;
    struct gpu_domain *domains = w->run->domains;
    unsigned threads = w->run->threads, count = w->run->domain_count;
    if (gpu_is_awake(w->run, thread))
        gpu_domain_run(&domains[thread], w);
    for (unsigned n = thread + threads; n < count; n += threads)
        if (gpu_is_awake(w->run, n) && claim(&domains[n], w))
            gpu_domain_run(&domains[n], w);
    for (unsigned n = count; n-- > threads;)
        if (n % threads != thread && gpu_is_awake(w->run, n) && claim(&domains[n], w))
            gpu_domain_run(&domains[n], w);
}

/* The domains that are awake: by the pool, if there are several for it. */
static void run_awake(const struct gpu_window *w)
{
    if (w->run->threads > 1 && !gpu_one_awake(w->run)) {
        worker_pool_run(w->run->gpu->workers, run_domains, w, sizeof *w);
        return;
    }
    for (uint64_t rest = w->run->rest->awake; rest; rest &= rest - 1)
        gpu_domain_run(&w->run->domains[mask_first(rest)], w);
}

/* The only domain that is awake comes to the windows behind this one by itself, as long as no other one is to wake. No
 * domain had a place for a block before. */
static void run_alone(const struct gpu_run *run, const struct course *c, const struct gpu_window *w, uint64_t length)
{
    uint64_t until = cycle_min(end_of_window(w->from + ALONE_CYCLES, length), c->duty);
    if (gpu_some_rest(run))
        until = cycle_min(until, run->rest->outlook.next & ~(length - 1));
    gpu_domain_run_alone(&run->domains[mask_first(run->rest->awake)], w, length, until);
}

/* Simulates the window that begins at the present cycle, whose blocks have been given out, and those behind it that a
 * domain comes to by itself. When the last block has been given out, idle units are seen otherwise: no domain rests. */
static void run_window(struct gpu_run *run, const struct course *c, struct gpu_window *w)
{
    uint64_t from = w->from = run->gpu->cycle, length = 1;
    bool draining = !gpu_blocks_are_left(run), early = !run->company && from < gpu_first_start(run),
         looking = !early && !draining && (c->outlook.room || c->outlook.block_may_end) &&
                   run->gpu->machine.gpu.dispatch_interval == 1;
    if (draining != w->draining)
        gpu_rest_none(run);
    w->draining = draining;
    w->horizon = may_go_ahead(run) ? c->duty : 0;
    w->end = cycle_min(from + 1, c->limit);
    if (!looking) {
        length = window_length(run, from);
        w->end = cycle_min(end_of_window(from, length), cycle_min(c->duty, c->opens));
        w->end = draining ? w->end : cycle_min(w->end, gpu_next_look(run, from));
    }
    gpu_rest_wake_before(run, w->end);
    if (!looking && !early && !c->outlook.room && c->alone && gpu_one_awake(run) && is_power_of_two(length) &&
        c->limit - from > ALONE_CYCLES + length)
        run_alone(run, c, w, length);
    else
        run_awake(w);
}

/* Time passes up to a cycle with nothing inside the networks but credits on their way, which come to where they belong.
 */
static void pass_credits(struct gpu *gpu, uint64_t until)
{
    const uint64_t end = ticks_by(gpu, until);
    for (unsigned i = 0; i < gpu->network_count; i++)
        network_listen_to_all(gpu_network_at(gpu, i));
    for (uint64_t next; gpu->ticked < end; gpu->ticked = next < end ? next : end) {
        next = CYCLE_NEVER;
        for (unsigned i = 0; i < gpu->network_count; i++) {
            network_tick(gpu_network_at(gpu, i), gpu->ticked);
            next = cycle_min(next, network_next(gpu_network_at(gpu, i), gpu->ticked + 1));
        }
    }
}

uint64_t gpu_free_cycle(const struct gpu *gpu)
{
    bool free = true;
    for (unsigned i = 0; i < gpu->network_count; i++)
        free = free && network_may_repeat(gpu_network_at(gpu, i), ticks_by(gpu, gpu->cycle), gpu->ticked);
    uint64_t cycle = gpu->cycle;
    while (!free && ticks_by(gpu, cycle) < gpu->ticked)
        cycle++;
    return cycle;
}

/* Behind a window that ended at `end`, the first cycle in which something can happen. */
static uint64_t next_cycle(const struct gpu_run *run, const struct gpu_outlook *o, uint64_t end)
{
    if (o->faulted)
        return end;
    if (RARELY(run->company))
        return cycle_min(gpu_next_cycle(run->gpu, o), gpu_company_next(run->company));
    return RARELY(end < gpu_first_start(run)) ? gpu_first_start(run) : gpu_next_cycle(run->gpu, o);
}

static bool has_written(const struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        const struct sm_stats *s = sm_stats_of(gpu->sms[i]);
        if (s->stores | s->atomics)
            return true;
    }
    return false;
}

/* The launch has ended when the device has told the host, some time after `last`, the cycle after its last one. */
static enum gpu_status end_at(struct gpu_run *run, const struct course *c, uint64_t last)
{
    uint64_t end = run->company ? cycle_max(last, gpu_company_ended_at(run->company))
                                : last + gpu_ending(run->gpu, has_written(run->gpu));
    run->gpu->cycle = cycle_min(end, c->limit);
    return end > c->limit ? GPU_LIMIT : GPU_OK;
}

/* True when everything has ended; then *end is the cycle after the first at whose end nothing was inside. */
static bool drained(const struct gpu_run *run, const struct gpu_outlook *o, uint64_t *end)
{
    *end = o->busy_until + 1;
    const struct gpu *gpu = run->gpu;
    bool idle = o->idle;
    for (unsigned i = 0; i < gpu->network_count && idle; i++)
        idle = network_idle(gpu_network_at(gpu, i));
    return idle;
}

static void finish_partitions(struct gpu *gpu, uint64_t until)
{
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_finish(gpu->partitions[i], until);
}

/* The earliest fault, of the lowest SM. */
static const struct sm_fault *find_fault(const struct gpu_run *run)
{
    const struct sm_fault *first = NULL;
    for (unsigned i = 0; i < run->gpu->machine.gpu.sms; i++) {
        const struct sm_fault *fault = sm_faulted(run->gpu->sms[i]);
        if (fault && (!first || fault->cycle < first->cycle))
            first = fault;
    }
    return first;
}

static uint64_t instructions_so_far(const struct gpu *gpu, uint64_t *blocks)
{
    uint64_t n = 0;
    *blocks = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        n += sm_issued(gpu->sms[i]);
        *blocks += sm_blocks_ended(gpu->sms[i]);
    }
    return n;
}

/* Looks at the host's clock now and then; non-zero asks to stop. */
static int poll_host(struct gpu_run *run, double *last)
{
    double now = host_seconds();
    plugin_guard_beat();
    if (!run->launch->progress || now - *last < 0.2)
        return 0;
    *last = now;
    uint64_t blocks, instructions = instructions_so_far(run->gpu, &blocks);
    return gpu_report_progress(run, instructions, blocks);
}

/* As poll_host; and the visitor is asked whether it wants to come. Partitions may be ahead: it comes when time has
 * passed the cycle that they have come to. */
static int poll(struct gpu_run *run, struct course *c)
{
    const struct gpu_visitor *visitor = run->launch->visitor;
    if (visitor && visitor->wants(visitor->context)) {
        c->visit = cycle_min(c->visit, gpu_ahead_of(run->gpu->cycle));
        c->duty = next_duty(run, c);
    }
    return poll_host(run, &c->last_poll);
}

/* Lets the visitor in, for as long as it stays. GPU_OK: the launch goes on. */
static enum gpu_status let_in(struct gpu_run *run, struct course *c)
{
    const struct gpu_visitor *visitor = run->launch->visitor;
    uint64_t now = run->gpu->cycle;
    struct gpu_visit visit = {run, &c->watch};
    struct gpu_visit_end end;
    while ((end = visitor->visit(visitor->context, &visit)).then == GPU_THEN_AGAIN)
        if (poll_host(run, &c->last_poll))
            return GPU_STOPPED;
    c->held = end.then == GPU_THEN_HOLD;
    if (c->held)
        return GPU_HELD;
    c->visit = end.then == GPU_THEN_RUN      ? CYCLE_NEVER
               : end.then == GPU_THEN_CYCLES ? now + cycle_max(cycle_min(end.cycles, CYCLE_NEVER - now), 1)
                                             : end_of_window(now, window_length(run, now));
    c->latest = end.latest ? cycle_max(end.latest, now + 1) : CYCLE_NEVER;
    c->visit = cycle_min(c->visit, c->latest);
    return GPU_OK;
}

/* A launch that gets nowhere stands where the host may end that, by a write to a word that it polls; else it hangs. */
static bool waits_for_host(struct gpu_run *run, enum gpu_watch_verdict verdict)
{
    if (verdict != GPU_WATCH_STUCK || !run->launch->open)
        return verdict == GPU_WATCH_HOST;
    if (!run->launch->host_writes)
        gpu_polls_find(run);
    const struct waits_source source = waits_of_sms(run->gpu);
    return run->polls->count && !waits_closed_now(run->gpu, &source);
}

static void explain_hang(struct gpu_run *run, const struct gpu_watch *watch, enum gpu_hang how)
{
    if (RARELY(run->company)) {
        gpu_company_explain_hang(run->company, how, gpu_watch_noted_since(watch, run->gpu));
        return;
    }
    struct waits_source source = waits_of_sms(run->gpu);
    gpu_explain_hang(run, how, &source, gpu_watch_noted_since(watch, run->gpu));
}

/* Looks that the watch has missed up to `next`; the limit comes first when one jump crosses both. GPU_OK: the launch
 * goes on. */
static enum gpu_status ask_watch(struct gpu_run *run, struct gpu_watch *watch, uint64_t now, uint64_t next,
                                 uint64_t limit)
{
    struct gpu *gpu = run->gpu;
    while (next >= watch->next && watch->next <= limit) {
        gpu->cycle = watch->next > now ? watch->next : now;
        enum gpu_watch_verdict verdict = gpu_watch_ask(watch, gpu);
        if (gpu_memory_hangs(run)) {
            gpu_explain_memory_hang(run);
            return GPU_HANG;
        }
        if (verdict == GPU_WATCH_WELL)
            continue;
        if (waits_for_host(run, verdict))
            return GPU_STANDS;
        explain_hang(run, watch, verdict == GPU_WATCH_IDLE ? GPU_HANG_IDLE : GPU_HANG_STUCK);
        return GPU_HANG;
    }
    return GPU_OK;
}

/* Behind a window that ended at `end`, when it may be the last, or time comes to a duty: sees to it and sets the cycle
 * of the next window, or says how the run has ended, and returns false. next: the first cycle in which something can
 * happen. */
static bool goes_on(struct gpu_run *run, struct course *c, uint64_t end, uint64_t next, enum gpu_status *status)
{
    struct gpu *gpu = run->gpu;
    uint64_t last;
    if (c->outlook.faulted) {
        /* Partitions may be ahead, further when cycles are stepped than when they are skipped: all go that far. */
        finish_partitions(gpu, cycle_min(gpu_ahead_of(end - 1), may_go_ahead(run) ? next_own_duty(run, c) : 0));
        const struct sm_fault *fault = find_fault(run);
        gpu_explain_fault(run->company ? gpu_company_faulted(run->company, fault) : run, fault);
        *status = GPU_FAULT;
        return false;
    }
    if (drained(run, &c->outlook, &last)) {
        gpu->ticked = ticks_by(gpu, end);
        *status = end_at(run, c, last);
        return false;
    }
    *status = GPU_HANG;
    if (next == CYCLE_NEVER) {
        if (gpu_memory_hangs(run))
            gpu_explain_memory_hang(run);
        else
            explain_hang(run, &c->watch, GPU_HANG_STILL);
        return false;
    }
    next = cycle_min(next, c->latest); /* no window goes beyond it, so that `end` has not */
    enum gpu_status watched = ask_watch(run, &c->watch, end, next, c->limit);
    if (watched == GPU_HANG)
        return false;
    c->stood = gpu->cycle;
    if (next >= c->limit) {
        gpu->cycle = c->limit;
        *status = GPU_LIMIT;
        return false;
    }
    gpu->cycle = run->launch->every_cycle ? end : next;
    if (watched == GPU_OK)
        gpu_intervals_until(run, gpu->cycle);
    if (gpu->checkpoint_every && gpu->cycle >= gpu->checkpoint_next)
        gpu_checkpoint(run, &c->watch);
    *status = watched;
    enum gpu_status visited = gpu->cycle >= c->visit ? let_in(run, c) : GPU_OK;
    if (visited != GPU_OK)
        *status = visited;
    c->duty = next_duty(run, c);
    return *status == GPU_OK;
}

/* A block waits for the grid. None does on an SM that is idle. */
static bool some_wait_for_grid(const struct gpu_run *run)
{
    for (unsigned n = 0; n < run->domain_count; n++) {
        const struct gpu_domain *domain = &run->domains[n];
        for (uint64_t rest = domain->all_sms & ~domain->idle_sms; rest; rest &= rest - 1)
            if (sm_grid_barrier(run->gpu->sms[domain->first_sm + mask_first(rest)])->blocks)
                return true;
    }
    return false;
}

/* Before a window that begins at `now` or later, of a kernel that may wait for the grid: the barrier opens, or it is
 * known when it will. Returns the first cycle in which something comes of it. */
static uint64_t see_to_grid(struct gpu_run *run, struct course *c, uint64_t now)
{
    struct gpu *gpu = run->gpu;
    uint64_t waiting = 0, ended = 0, last = 0;
    bool open = false;
    c->opens = CYCLE_NEVER;
    if (!some_wait_for_grid(run))
        return CYCLE_NEVER;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        const struct sm_grid_barrier *b = sm_grid_barrier(gpu->sms[i]);
        waiting += b->blocks;
        ended += sm_blocks_ended(gpu->sms[i]);
        last = cycle_max(last, b->last);
        open |= b->open;
    }
    if (open || waiting + ended < run->blocks)
        return CYCLE_NEVER;
    uint64_t opens = cycle_max(now, last + gpu->machine.gpu.grid_barrier_cycles);
    if (opens > now)
        return c->opens = opens;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_open_grid(gpu->sms[i]);
    gpu_wake_sms(run);
    return now;
}

/* Before a window that begins at the present cycle or later: kernels have ended, or come to begin. That a kernel ends is
 * progress, and that SMs change hands makes the watch's counts begin anew. */
static void see_to_company(struct gpu_run *run, struct course *c)
{
    if (gpu_company_look(run->company, &c->outlook))
        gpu_watch_start(&c->watch, run->gpu);
    c->limit = gpu_company_limit(run->company);
    c->duty = next_duty(run, c);
}

static enum gpu_status step_windows(struct gpu_run *run, struct course *c)
{
    struct gpu *gpu = run->gpu;
    struct gpu_window window = {.run = run};
    look_at_domains(run, &c->outlook);
    if (RARELY(run->company))
        see_to_company(run, c);
    for (;;) {
        uint64_t turn = ++c->turns;
        window.starting = gpu_dispatch(run, &c->outlook, gpu->cycle);
        run_window(run, c, &window);
        look_at_domains(run, &c->outlook);
        uint64_t end = gpu->cycle = c->outlook.end;
        if (RARELY(run->company))
            see_to_company(run, c);
        gpu_check_window(run, turn);
        uint64_t next = next_cycle(run, &c->outlook, end);
        if (RARELY(run->launch->module->grid_barrier))
            next = cycle_min(next, see_to_grid(run, c, end));
        if (next < c->duty && !(c->outlook.faulted | c->outlook.idle)) {
            gpu->cycle = run->launch->every_cycle ? end : next; /* nearly always */
        } else {
            enum gpu_status status;
            if (!goes_on(run, c, end, next, &status))
                return status;
        }
        if (turn % POLL_STEPS == 0 && poll(run, c))
            return GPU_STOPPED;
    }
}

/* Several threads step the units now: what the units have in common takes no more memory meanwhile. */
static enum gpu_status run_windows(struct gpu_run *run, struct course *c)
{
    run->gpu->arena.closed = true;
    enum gpu_status status = step_windows(run, c);
    run->gpu->arena.closed = false;
    return status;
}

/* The visitor comes first. */
static enum gpu_status visit_and_run(struct gpu_run *run, struct course *c)
{
    enum gpu_status visited = run->launch->visitor ? let_in(run, c) : GPU_OK;
    if (visited != GPU_OK)
        return visited;
    c->duty = next_duty(run, c);
    return run_windows(run, c);
}

static enum gpu_status run_cycles(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    struct course *c = run->course = ARENA_NEW(&run->arena, struct course, 1);
    *c = (struct course){
        .watch = {.grid = &run->grid,
                  .run = run->launch->open ? run : NULL,
                  .company = run->company,
                  .arena = &run->arena},
        .opens = CYCLE_NEVER,
        .visit = CYCLE_NEVER,
        .latest = CYCLE_NEVER,
        .last_poll = run->start.seconds,
    };
    c->watch.warps = ARENA_NEW(&run->arena, struct gpu_watched_warp, gpu->machine.gpu.sms * gpu->machine.sm.warps);
    gpu_watch_start(&c->watch, gpu);
    if (run->launch->resume && gpu_resume(run, &c->watch) < 0)
        return GPU_INVALID;
    c->limit = run->launch->max_cycles ? run->start_cycle + run->launch->max_cycles : CYCLE_NEVER;
    if (gpu->cycle >= c->limit)
        return GPU_LIMIT;
    if (run->launch->module->grid_barrier)
        see_to_grid(run, c, gpu->cycle);
    c->alone = !run->launch->every_cycle && !run->launch->module->grid_barrier && !run->company && all_windows_alike(run);
    return visit_and_run(run, c);
}

static enum gpu_status leave_hold(struct gpu_run *run, enum gpu_going going)
{
    run->course->held = false;
    return going == GPU_GO_ON ? visit_and_run(run, run->course) : GPU_STOPPED;
}

/* A launch that stands goes on, or ends, in the cycle of the look at which it came to stand: the host has taken no
 * time.
 */
static enum gpu_status leave_stand(struct gpu_run *run, enum gpu_going going)
{
    struct gpu *gpu = run->gpu;
    struct course *c = run->course;
    uint64_t next = gpu->cycle;
    gpu->cycle = c->stood;
    if (going == GPU_GO_STOP)
        return GPU_STOPPED;
    if (going == GPU_GO_HANG) {
        explain_hang(run, &c->watch, GPU_HANG_STUCK);
        return GPU_HANG;
    }
    gpu_watch_start(&c->watch, gpu);
    gpu->cycle = next;
    gpu_intervals_until(run, next);
    c->duty = next_duty(run, c);
    return run_windows(run, c);
}

/* After a launch that did not drain the units hold its remains: they are made anew, with empty caches. */
static void rebuild(struct gpu *gpu)
{
    gpu_destroy_units(gpu);
    gpu_build_units(gpu);
    gpu->ticked = 0;
}

/* Local memory has no place in the store, and needs none. */
static bool read_line(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    const struct store *store = &((struct gpu *)context)->store;
    if (address < store->start || address - store->start >= store->size ||
        bytes > store->size - (address - store->start))
        return false;
    memcpy(to, store_at(store, address), bytes);
    return true;
}

static void write_bytes(void *context, uint64_t address, const uint8_t *data, uint32_t bytes)
{
    const struct store *store = &((struct gpu *)context)->store;
    if (address >= store->start && address - store->start < store->size &&
        bytes <= store->size - (address - store->start))
        memcpy(store_at(store, address), data, bytes);
}

/* The threads that are asked for, as far as there are SMs for them, or groups of SMs that share an instruction cache. A
 * kernel that calls the device's functions (printf, malloc) does so in the order in which one thread comes to it. */
static unsigned threads_for(const struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    unsigned groups = gpu_sm_groups(gpu), most = groups < NETWORK_MAX_SIDES ? groups : NETWORK_MAX_SIDES;
    if (run->calls_device || gpu->sanitize || run->launch->threads <= 1)
        return 1;
    return run->launch->threads < most ? run->launch->threads : most;
}

/* Ticks by which domains may be apart in all networks. */
static unsigned find_lookahead(const struct gpu *gpu)
{
    unsigned least = NETWORK_MAX_LOOKAHEAD;
    for (unsigned i = 0; i < gpu->network_count; i++)
        least = network_lookahead(gpu_network_at(gpu, i)) < least ? network_lookahead(gpu_network_at(gpu, i)) : least;
    return least;
}

static void prepare_domains(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    run->threads = threads_for(run);
    run->lookahead = find_lookahead(gpu);
    if (run->threads > 1 && (!gpu->workers || worker_pool_size(gpu->workers) != run->threads)) {
        worker_pool_destroy(gpu->workers);
        gpu->workers = worker_pool_create(run->threads);
    }
    gpu_divide(run, run->threads);
    /* Where calls or values go from SM to SM round the networks, no SM may be a cycle ahead of another. */
    if (run->domain_count > 1 && (run->calls_device || gpu->machine.sm.values_at_issue))
        run->lookahead = 1;
}

int gpu_begin_observers(struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    const struct gpu_launch *l = run->launch;
    const struct isa_module *code = gpu_module_code(l->module);
    struct lockstep_observed observed = {.kernel = l->kernel->name,
                                         .launch = run->grid.launch_number,
                                         .sms = gpu->machine.gpu.sms,
                                         .warps = gpu->machine.sm.warps,
                                         .lanes = gpu->machine.sm.warp_size,
                                         .instructions = code->instr_count,
                                         .first = l->kernel->first,
                                         .count = l->kernel->count,
                                         .cause_count = WARP_CAUSE_COUNT,
                                         .causes = warp_cause_names};
    memcpy(observed.grid, l->grid, sizeof observed.grid);
    memcpy(observed.block, l->block, sizeof observed.block);
    memcpy(observed.cluster, run->grid.cluster, sizeof observed.cluster);
    run->kernel.watched = &run->watched;
    if (watch_launch_begin(&run->watched, &gpu->observers, code, &observed, &run->arena, run->sink) < 0)
        return -1;
    if (gpu->timelines)
        timeline_begin(&run->watched, &gpu->timeline, run->start_cycle);
    return 0;
}

void gpu_gather_findings(struct gpu_run *run, enum gpu_status status)
{
    const struct gpu *gpu = run->gpu;
    if (gpu->profiles || gpu->timelines)
        gpu_gather_profile(run);
    if (gpu->timelines)
        gpu_gather_timeline(run, status);
    if (gpu->timelines && !gpu->profiles) {
        profile_free(run->result->profile);
        run->result->profile = NULL;
    }
}

/* All that units and observers found during the launch is told. */
static void tell_findings(struct gpu_run *run, enum gpu_status status)
{
    gpu_explain_unsynced_of_sms(run);
    gpu_explain_strays_of_sms(run);
    gpu_explain_findings(run);
    watch_launch_report(&run->watched, &run->gpu->output);
    gpu_gather_findings(run, status);
}

/* A kernel sees what the host and earlier kernels wrote, also where an L1 kept older lines. */
void gpu_begin_sm(struct gpu *gpu, unsigned sm, const struct sm_kernel *kernel, uint64_t params)
{
    if (gpu->machine.gpu.launch_brings_parameters)
        sm_bring_constants(gpu->sms[sm], params, (uint32_t)kernel->grid->kernel->param_bytes);
    sm_refresh(gpu->sms[sm], read_line, gpu);
    sm_begin(gpu->sms[sm], kernel, gpu->cycle);
}

static enum gpu_status begin(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    if (gpu_begin_observers(run) < 0 || gpu_begin_sanitize(run) < 0)
        return GPU_INVALID;
    if (run->company && gpu_company_observe(run->company) < 0)
        return GPU_INVALID;
    run->calls_device = run->company ? gpu_company_calls_device(run->company) : run->launch->kernel->calls_device;
    gpu_dispatch_begin(run);
    pass_credits(gpu, run->start_cycle);
    finish_partitions(gpu, gpu->cycle);
    gpu_reset_counters(gpu);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        gpu_begin_sm(gpu, i, &run->kernel, run->grid.param_address);
    run->intervals = gpu_intervals_new(run);
    prepare_domains(run);
    if (run->company)
        gpu_company_begin(run->company);
    return run_cycles(run);
}

/* The launch has ended, and its figures are those of the whole device. */
static enum gpu_status conclude(struct gpu_run *run, enum gpu_status status)
{
    struct gpu *gpu = run->gpu;
    uint64_t sm_cycles = (gpu->cycle - run->start_cycle) * gpu->machine.gpu.sms;
    run->end_cycle = gpu->cycle;
    gpu_intervals_until(run, gpu->cycle);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        sm_settle(gpu->sms[i], gpu->cycle);
        sm_end(gpu->sms[i]);
    }
    finish_partitions(gpu, gpu->cycle);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_publish(gpu->sms[i], write_bytes, gpu);
    gpu_collect(gpu, run->result->counters);
    gpu_intervals_end(run, run->result->counters);
    if (gpu_check_accounts(run, sm_cycles, status != GPU_FAULT) < 0)
        return GPU_INVALID;
    tell_findings(run, status);
    return status;
}

HOT enum gpu_status gpu_run_timing(struct gpu_run *run, enum gpu_going going)
{
    struct gpu *gpu = run->gpu;
    enum gpu_status status = !run->course        ? begin(run)
                             : run->course->held ? leave_hold(run, going)
                                                 : leave_stand(run, going);
    if (status == GPU_STANDS || status == GPU_HELD)
        return status;
    if (status == GPU_INVALID) {
        for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
            sm_publish(gpu->sms[i], write_bytes, gpu);
        gpu_collect(gpu, run->result->counters);
    } else if (run->company)
        status = gpu_company_conclude(run->company, status, finish_partitions);
    else
        status = conclude(run, status);
    if (status != GPU_OK)
        rebuild(gpu);
    else if (gpu->machine.gpu.flush_l1_at_kernel_end)
        for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
            sm_flush(gpu->sms[i], !gpu->machine.gpu.keep_code);
    return status;
}
