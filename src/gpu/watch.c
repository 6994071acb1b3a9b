/* The progress watch: whether a launch gets nowhere. What it then says is in explain.c. */
#include <string.h>

#include "gpu/control.h"
#include "gpu/waits.h"

#define LOOK_CYCLES 16384

/* Events that a waiting program does not produce: threads that end, stores, atomics that lead to new values. */
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
        n += sm_stats_of(gpu->sms[i])->warp_instructions;
    return n;
}

static void look_again(struct gpu_watch *watch, const struct gpu *gpu)
{
    watch->next = cycle_min(gpu->cycle + LOOK_CYCLES, watch->end);
    if (watch->next <= gpu->cycle)
        watch->next = gpu->cycle + LOOK_CYCLES;
}

/* Begins to count anew what warps do. What states they were in stays true until memory changes. */
static void start_over(struct gpu_watch *watch, struct gpu *gpu)
{
    watch->worked = worked_so_far(gpu);
    watch->issued = issued_so_far(gpu);
    watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    watch->windows = 0;
    look_again(watch, gpu);
    for (unsigned i = 0; i < gpu->machine.gpu.sms * gpu->machine.sm.warps; i++)
        watch->warps[i].issued = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_watch_reset(gpu->sms[i]);
}

void gpu_watch_start(struct gpu_watch *watch, struct gpu *gpu)
{
    watch->visible = gpu->cycle;
    memset(watch->warps, 0, sizeof *watch->warps * gpu->machine.gpu.sms * gpu->machine.sm.warps);
    start_over(watch, gpu);
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const uint64_t *words = data;
    for (size_t i = 0; i < bytes / 8; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
    return hash;
}

/* Registers and predicates that matter to any lane, wherever it stands. Those of functions that were called are not
 * known apart: all of them do. */
static uint64_t mix_registers(uint64_t hash, const struct simt_warp *warp, const struct gpu_control *control)
{
    const struct simt_code *code = warp->block->grid->code;
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    const struct isa_function *function = &code->module->functions[top->function];
    uint32_t rows = top->reg_base + function->row_count, preds = top->pred_base + function->pred_count;
    for (uint32_t at = 0; at < rows + preds; at++) {
        bool matters = false;
        for (uint32_t i = 0; i < warp->stack.depth && !matters; i++) {
            uint32_t pc = warp->stack.entries[i].pc;
            const uint64_t *set = gpu_control_at(control, pc);
            matters = set ? set[at / 64] >> at % 64 & 1 : pc != ISA_PC_NONE;
        }
        if (matters && at < rows)
            hash = mix(hash ^ at, warp->rows + (size_t)at * code->width, (size_t)code->width * 4);
        else if (matters)
            hash = mix(hash ^ at, warp->preds + (at - rows), 8);
    }
    return hash;
}

/* Everything of a warp that decides where it goes, but for memory that others see. */
static uint64_t state_hash(const struct simt_warp *warp, const struct gpu_control *control)
{
    uint64_t hash = mix(warp->live, &warp->carry, sizeof warp->carry);
    for (uint32_t i = 0; i < warp->stack.depth; i++) {
        const struct simt_stack_entry *e = &warp->stack.entries[i];
        uint64_t words[] = {e->mask, (uint64_t)e->pc << 32 | e->reconverge,
                            (uint64_t)e->reg_base << 32 | e->local_base};
        hash = mix(hash, words, sizeof words);
    }
    hash = mix_registers(hash, warp, control);
    return mix(hash, warp->local, (size_t)warp->local_words * warp->block->grid->code->width * 4);
}

/* Notes what each warp is. One that comes back to a state it was in, while nobody does any work, goes round for ever.
 */
static void look(struct gpu_watch *watch, const struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (unsigned slot = 0; slot < gpu->machine.sm.warps; slot++) {
            struct gpu_watched_warp *seen = &watch->warps[i * gpu->machine.sm.warps + slot];
            struct sm_warp_state w;
            sm_warp_state(gpu->sms[i], slot, &w);
            if (!w.resident || w.finished || seen->repeats || w.issued == seen->issued)
                continue; /* a warp that only slept or waited since the last look has not come back to anything */
            seen->issued = w.issued;
            uint64_t hash = state_hash(w.warp, watch->control);
            uint32_t known = seen->count < GPU_WATCH_STATES ? seen->count : GPU_WATCH_STATES;
            for (uint32_t k = 0; k < known; k++)
                seen->repeats |= seen->states[k] == hash;
            seen->repeats |= seen->count && seen->anchor == hash; /* Brent's way: finds circles of any length */
            seen->states[seen->count++ % GPU_WATCH_STATES] = hash;
            if (!(seen->count & (seen->count - 1)))
                seen->anchor = hash;
        }
    }
}

/* Instructions per access that synchronises above which a warp is taken to compute, not to wait. */
#define BUSY_RATIO 4096
#define PATIENCE 8 /* windows without work after which warps that change but only synchronise are taken to wait */

/* A warp that never came back to an earlier state and that hardly synchronises computes: that is progress. One that
 * sleeps and has not looked yet may make some. */
static bool computes(const struct gpu_watched_warp *seen, const struct sm_warp_state *w)
{
    if (seen->repeats)
        return false;
    return w->sync_ops ? w->issued / w->sync_ops > BUSY_RATIO : w->issued || w->sleeping;
}

enum watched { ALL_GO_ROUND, SOME_WAIT, SOME_COMPUTE };

/* What the warps that are neither finished nor at a barrier do: all come back to where they were, or some may only seem
 * to wait, or some compute. */
static enum watched judge(const struct gpu_watch *watch, const struct gpu *gpu)
{
    enum watched result = ALL_GO_ROUND;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (unsigned slot = 0; slot < gpu->machine.sm.warps; slot++) {
            const struct gpu_watched_warp *seen = &watch->warps[i * gpu->machine.sm.warps + slot];
            struct sm_warp_state w;
            sm_warp_state(gpu->sms[i], slot, &w);
            if (!w.resident || w.finished)
                continue;
            if (computes(seen, &w))
                return SOME_COMPUTE;
            if (!seen->repeats && !w.at_barrier)
                result = SOME_WAIT;
        }
    }
    return result;
}

/* Whether a launch in which no work was done for a window is stuck, though its warps change: they wait for each other,
 * or for some that get no turn, in a way that nothing can end; or patience is at its end. Warps that get no turn may
 * only be slow as long as rotating ages have not brought every warp to the front once. */
static bool is_hopeless(struct gpu_watch *watch, struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    uint64_t since = (uint64_t)++watch->windows * m->gpu.watch_cycles,
             round = (uint64_t)m->sm.age_rotation * (m->sm.warps / m->sm.schedulers + 1);
    struct arena arena = {0};
    struct waits waits;
    waits_find(&waits, gpu, &arena);
    bool hopeless = (watch->windows >= PATIENCE || waits_closed(&waits)) && (since >= round || !waits_starving(&waits));
    arena_free(&arena);
    return hopeless;
}

enum gpu_watch_verdict gpu_watch_ask(struct gpu_watch *watch, struct gpu *gpu)
{
    uint64_t idle_cycles = gpu->machine.gpu.idle_cycles;
    if (worked_so_far(gpu) != watch->worked) {
        gpu_watch_start(watch, gpu);
        return GPU_WATCH_WELL;
    }
    if (!watch->control)
        watch->control = gpu_control_new(watch->grid->code->module, watch->grid->kernel, watch->arena);
    look(watch, gpu);
    look_again(watch, gpu);
    bool over = gpu->cycle >= watch->end,
         soon = issued_so_far(gpu) - watch->issued >= 2 * (uint64_t)gpu->machine.gpu.watch_cycles;
    enum watched now = over || soon ? judge(watch, gpu) : SOME_COMPUTE;
    if (now == ALL_GO_ROUND || (over && now == SOME_WAIT && is_hopeless(watch, gpu)))
        return GPU_WATCH_STUCK; /* what the warps did since the last work stays for the report */
    if (idle_cycles && gpu->cycle - watch->visible >= idle_cycles)
        return GPU_WATCH_IDLE;
    if (over && now == SOME_COMPUTE)
        start_over(watch, gpu);
    else if (over)
        watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    return GPU_WATCH_WELL;
}
