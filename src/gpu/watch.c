/* The progress watch: whether a launch gets nowhere. What it then says is in explain.c. */
#include <string.h>

#include "gpu/company.h"
#include "gpu/control.h"
#include "gpu/waits.h"

#define LOOK_CYCLES 16384 /* between two looks, or a 64th of gpu.watch_cycles, but not below the least */
#define LOOK_CYCLES_LEAST 500
#define OPEN_CYCLES 4096 /* between two looks, at most, where a wait for the host is to be seen soon */

/* The host can write words that the launch may poll, without a call. */
static bool is_open(const struct gpu_watch *watch)
{
    return watch->run && watch->run->launch->host_writes;
}

/* Events that a waiting program does not produce: threads that end, stores and atomics that lead to new values. */
static uint64_t worked_so_far(const struct gpu *gpu)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        n += sm_threads_ended(gpu->sms[i]) + sm_work_done(gpu->sms[i]);
    return n;
}

static uint64_t issued_so_far(const struct gpu *gpu)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        n += sm_issued(gpu->sms[i]);
    return n;
}

static uint64_t changes_so_far(const struct gpu *gpu)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        n += sm_changes(gpu->sms[i]);
    return n;
}

static void look_again(struct gpu_watch *watch, const struct gpu *gpu)
{
    uint64_t part = gpu->machine.gpu.watch_cycles / 64;
    part = is_open(watch) && part > OPEN_CYCLES ? OPEN_CYCLES : part;
    uint64_t step = part > LOOK_CYCLES ? LOOK_CYCLES : part < LOOK_CYCLES_LEAST ? LOOK_CYCLES_LEAST : part;
    watch->next = cycle_min(gpu->cycle + step, watch->end);
    if (watch->next <= gpu->cycle)
        watch->next = gpu->cycle + step;
}

static unsigned warp_slots(const struct gpu *gpu)
{
    return gpu->machine.gpu.sms * gpu->machine.sm.warps;
}

/* Begins to count anew what warps do. What states they were in stays known until there is progress. */
static void start_over(struct gpu_watch *watch, struct gpu *gpu, bool progress)
{
    watch->worked = worked_so_far(gpu);
    watch->issued = issued_so_far(gpu);
    watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    watch->windows = 0;
    look_again(watch, gpu);
    for (unsigned i = 0; i < watch->noted; i++)
        watch->warps[i].issued = watch->warps[i].window_issued = watch->warps[i].window_sync_ops = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_watch_reset(gpu->sms[i], progress);
}

void gpu_watch_start(struct gpu_watch *watch, struct gpu *gpu)
{
    watch->visible = gpu->cycle;
    watch->listens = false;
    for (unsigned i = 0; i < watch->noted || i < watch->asking; i++)
        watch->warps[i] = (struct gpu_watched_warp){0};
    watch->asking = watch->noted = 0;
    start_over(watch, gpu, true);
}

uint64_t gpu_watch_noted_since(const struct gpu_watch *watch, const struct gpu *gpu)
{
    return worked_so_far(gpu) == watch->worked ? watch->visible : CYCLE_NEVER;
}

/* Windows of gpu.watch_cycles without progress. */
#define PATIENCE 8 /* after which warps that come back to where they were get nowhere, whatever they write */
#define LONG_AGO (PATIENCE / 2) /* how long they must have been going round until then */
#define LONG_PATIENCE 64 /* after which warps that change wait for each other, if all that they ask for is held */

/* Writes are counted when they are issued, and may be under way for long: how many there were when memory is taken to
 * stay as it is, else 0. */
static uint64_t settled(struct gpu_watch *watch, const struct gpu *gpu)
{
    uint64_t changes = changes_so_far(gpu);
    if (changes != watch->changes)
        watch->quiet_since = gpu->cycle;
    watch->changes = changes;
    uint64_t usual = gpu->machine.gpu.watch_cycles / 4, quiet = gpu->cycle - watch->quiet_since;
    return quiet >= (is_open(watch) && usual > 4 * OPEN_CYCLES ? 4 * OPEN_CYCLES : usual) ? changes + 1 : 0;
}

/* A warp is in the state with this hash. Of two places for a hash, one keeps what came first, the other what came last.
 */
static void note_state(const struct gpu_watch *watch, const struct gpu *gpu, struct gpu_watched_warp *seen,
                       uint64_t hash, uint64_t memory)
{
    struct gpu_watch_state *pair = &watch->states[hash % (GPU_WATCH_STATES / 2) * 2];
    bool taken[2];
    for (unsigned i = 0; i < 2; i++) {
        taken[i] = pair[i].hash && pair[i].cycle >= watch->visible;
        if (!taken[i] || pair[i].hash != hash)
            continue;
        seen->met = gpu->cycle;
        if (memory && pair[i].memory == memory)
            seen->round_at = memory;
        if (gpu->cycle - pair[i].cycle >= LONG_AGO * (uint64_t)gpu->machine.gpu.watch_cycles)
            seen->met_old = gpu->cycle;
        pair[i].memory = memory;
        return;
    }
    pair[taken[0]] = (struct gpu_watch_state){.hash = hash, .cycle = gpu->cycle, .memory = memory};
}

/* What decides what the warp's kernel does. */
static const struct gpu_control *control_of(const struct gpu_watch *watch, const struct simt_warp *warp)
{
    if (!watch->company || warp->block->grid == watch->grid)
        return watch->control;
    return gpu_company_control(watch->company, warp->block->grid);
}

/* Notes what each warp is. */
static void look(struct gpu_watch *watch, const struct gpu *gpu)
{
    uint64_t memory = settled(watch, gpu);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (uint64_t rest = sm_residents(gpu->sms[i]); rest; rest &= rest - 1) {
            unsigned slot = mask_first(rest);
            uint64_t number = i * gpu->machine.sm.warps + slot;
            struct gpu_watched_warp *seen = &watch->warps[number];
            struct sm_warp_state w;
            sm_warp_state(gpu->sms[i], slot, &w);
            if (w.finished || w.issued == seen->issued)
                continue; /* a warp that only slept or waited since the last look has not come back to anything */
            watch->noted = number < watch->noted ? watch->noted : (uint32_t)number + 1;
            seen->issued = w.issued;
            seen->turn = gpu->cycle;
            uint64_t hash =
                gpu_warp_hash(w.warp, control_of(watch, w.warp), w.written ^ number * UINT64_C(0xD6E8FEB86659FD93), gpu->cycle);
            note_state(watch, gpu, seen, hash, memory);
        }
    }
}

/* How a warp spent the present window, the worst first. */
enum doing {
    GOES_ROUND,    /* waits at a barrier, or was twice the same, and memory has not changed since: so for ever */
    GETS_NO_TURN,  /* has issued nothing */
    COMES_BACK,    /* was again as it was long ago, though memory changed */
    MAY_COME_BACK, /* was twice the same, and memory changed */
    CHANGES,       /* was never twice the same, but hardly does anything but synchronise */
    COMPUTES,
};

/* Instructions per access that synchronises above which a warp is taken to compute, not to wait. */
#define BUSY_RATIO 4096

static enum doing doing_of(const struct gpu_watch *watch, const struct gpu *gpu, const struct gpu_watched_warp *seen,
                           const struct sm_warp_state *w)
{
    uint64_t window = gpu->machine.gpu.watch_cycles, recently = cycle_max(LONG_AGO, watch->windows / 2) * window;
    uint64_t issued = w->issued - seen->window_issued, sync_ops = w->sync_ops - seen->window_sync_ops;
    bool sleeps = waits_for(w, WAITS_SLEEP);
    if (w->finished || waits_for(w, WAITS_BARRIER) || waits_for(w, WAITS_PRIMARY) ||
        waits_for(w, WAITS_REGISTERS) || seen->round_at == watch->changes + 1)
        return GOES_ROUND;
    if (!issued && (sleeps || w->in_flight))
        return sleeps ? COMPUTES : MAY_COME_BACK; /* what is under way comes back, however long the queues */
    if (!issued)
        return GETS_NO_TURN;
    bool met = seen->met && gpu->cycle - seen->met < window;
    if (!met && (!sync_ops || issued / sync_ops > BUSY_RATIO))
        return COMPUTES;
    if (seen->met_old && gpu->cycle - seen->met_old < recently)
        return COMES_BACK;
    return met ? MAY_COME_BACK : CHANGES;
}

/* Cycles in which the scheduler gives every warp that waits for nothing else its turn; 0 when it need not ever. The
 * longest wait of one warp is the option `rotation` of a policy whose ages rotate, `patience` of others that have it.
 */
static uint64_t round_of_turns(const struct gpu *gpu)
{
    uint64_t usual = sched_value(&gpu->scheduler, "patience", gpu->machine.sm.age_rotation);
    uint64_t turn = sched_value(&gpu->scheduler, "rotation", usual);
    return turn * (gpu->machine.sm.warps / core_schedulers(&gpu->machine.sm) + 1);
}

/* The most that any warp does; *slow: one that gets no turn may get it yet. */
static enum doing judge(const struct gpu_watch *watch, const struct gpu *gpu, bool *slow)
{
    uint64_t round = round_of_turns(gpu);
    enum doing most = GOES_ROUND;
    *slow = false;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (uint64_t rest = sm_residents(gpu->sms[i]); rest; rest &= rest - 1) {
            unsigned slot = mask_first(rest);
            struct sm_warp_state w;
            sm_warp_state(gpu->sms[i], slot, &w);
            const struct gpu_watched_warp *seen = &watch->warps[i * gpu->machine.sm.warps + slot];
            enum doing doing = doing_of(watch, gpu, seen, &w);
            *slow |= doing == GETS_NO_TURN && gpu->cycle - cycle_max(seen->turn, watch->visible) < round;
            most = doing > most ? doing : most;
        }
    }
    return most;
}

/* Some warp is on a way that depends on a clock: it may give up waiting, as try_acquire_for of libcu++ does. */
static bool waits_for_time(const struct gpu_watch *watch, const struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (uint64_t rest = sm_residents(gpu->sms[i]); rest; rest &= rest - 1) {
            struct sm_warp_state w;
            sm_warp_state(gpu->sms[i], mask_first(rest), &w);
            if (!w.finished && gpu_control_by_clock(control_of(watch, w.warp), w.pc))
                return true;
        }
    }
    return false;
}

/* True if a launch that has made no progress for watch->windows windows is stuck although not all of its warps go round
 * for ever. */
static bool is_hopeless(const struct gpu_watch *watch, struct gpu *gpu, enum doing most)
{
    if (most >= MAY_COME_BACK ? watch->windows < LONG_PATIENCE : most == COMES_BACK && watch->windows < PATIENCE)
        return false;
    if (most < MAY_COME_BACK && watch->windows >= PATIENCE)
        return true;
    if (most == CHANGES && waits_for_time(watch, gpu))
        return false;
    const struct waits_source source = waits_of_sms(gpu);
    return waits_closed_now(gpu, &source);
}

/* A window has passed. */
static bool end_window(struct gpu_watch *watch, struct gpu *gpu, enum doing most, bool slow)
{
    watch->windows++;
    if (most == COMPUTES) {
        start_over(watch, gpu, false);
        return false;
    }
    if (!slow && is_hopeless(watch, gpu, most))
        return true;
    watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    watch->noted = warp_slots(gpu);
    for (unsigned i = 0; i < warp_slots(gpu); i++) {
        struct sm_warp_state w;
        sm_warp_state(gpu->sms[i / gpu->machine.sm.warps], i % gpu->machine.sm.warps, &w);
        watch->warps[i].window_issued = w.resident ? w.issued : 0;
        watch->warps[i].window_sync_ops = w.resident ? w.sync_ops : 0;
    }
    return false;
}

static bool polls_host(const struct gpu_watch *watch)
{
    if (!watch->listens || !watch->run->polls)
        gpu_polls_find(watch->run);
    return gpu_polls_host(watch->run);
}

/* The launch gets nowhere. What the host wrote since a warp last polled it might be in the words as they are now, and
 * never seen: so these are noted, and each warp has to come back to where it was once more. True: all have. */
static bool listened(struct gpu_watch *watch, const struct gpu *gpu)
{
    if (watch->listens || !is_open(watch))
        return true;
    gpu_polls_find(watch->run);
    watch->run->launch->listens(watch->run->launch->context);
    watch->listens = true;
    watch->quiet_since = gpu->cycle;
    for (unsigned i = 0; i < warp_slots(gpu); i++)
        watch->warps[i].round_at = 0;
    return false;
}

enum gpu_watch_verdict gpu_watch_ask(struct gpu_watch *watch, struct gpu *gpu)
{
    uint64_t idle_cycles = gpu->machine.gpu.idle_cycles;
    if (gpu_locks_stuck(watch, gpu))
        return GPU_WATCH_LOCKED;
    if (worked_so_far(gpu) != watch->worked) {
        gpu_watch_start(watch, gpu);
        return GPU_WATCH_WELL;
    }
    gpu_watch_prepare(watch);
    look(watch, gpu);
    look_again(watch, gpu);
    bool slow, over = gpu->cycle >= watch->end,
               soon = issued_so_far(gpu) - watch->issued >= 2 * (uint64_t)gpu->machine.gpu.watch_cycles;
    enum doing most = over || soon || is_open(watch) ? judge(watch, gpu, &slow) : COMPUTES;
    if (most == GOES_ROUND && is_open(watch) && polls_host(watch))
        return listened(watch, gpu) ? GPU_WATCH_HOST : GPU_WATCH_WELL;
    /* The counts since the last progress are kept: the report shows them. */
    if ((over || soon) && (most == GOES_ROUND || (over && end_window(watch, gpu, most, slow))))
        return listened(watch, gpu) ? GPU_WATCH_STUCK : GPU_WATCH_WELL;
    return idle_cycles && gpu->cycle - watch->visible >= idle_cycles ? GPU_WATCH_IDLE : GPU_WATCH_WELL;
}

void gpu_watch_prepare(struct gpu_watch *watch)
{
    if (watch->control)
        return;
    watch->control = gpu_control_new(watch->grid->code->module, watch->grid->kernel, watch->arena);
    watch->states = ARENA_NEW(watch->arena, struct gpu_watch_state, GPU_WATCH_STATES);
}
