/* The progress watch and its diagnosis: when a launch gets nowhere, say which lanes of which warps wait, at which line,
 * on which address, and who holds it. */
#include <string.h>

#include "gpu/gpu_impl.h"

#define LOOK_CYCLES 16384
#define REPORT_WARPS 12 /* warps described one by one */

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

void gpu_watch_start(struct gpu_watch *watch, struct gpu *gpu)
{
    watch->worked = worked_so_far(gpu);
    watch->issued = issued_so_far(gpu);
    watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    watch->windows = 0;
    look_again(watch, gpu);
    memset(watch->warps, 0, sizeof *watch->warps * gpu->machine.gpu.sms * gpu->machine.sm.warps);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_watch_reset(gpu->sms[i]);
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const uint64_t *words = data;
    for (size_t i = 0; i < bytes / 8; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
    return hash;
}

/* Everything of a warp that decides what it does next, but for memory that others see. */
static uint64_t state_hash(const struct simt_warp *warp)
{
    const struct simt_code *code = warp->block->grid->code;
    const struct simt_stack_entry *top = simt_stack_top(&warp->stack);
    const struct isa_function *function = &code->module->functions[top->function];
    uint64_t hash = mix(warp->live, &warp->carry, sizeof warp->carry);
    for (uint32_t i = 0; i < warp->stack.depth; i++) {
        const struct simt_stack_entry *e = &warp->stack.entries[i];
        uint64_t words[] = {e->mask, (uint64_t)e->pc << 32 | e->reconverge,
                            (uint64_t)e->reg_base << 32 | e->local_base};
        hash = mix(hash, words, sizeof words);
    }
    hash = mix(hash, warp->rows, (size_t)(top->reg_base + function->row_count) * code->width * 4);
    hash = mix(hash, warp->preds, (size_t)(top->pred_base + function->pred_count) * 8);
    return mix(hash, warp->local, (size_t)warp->local_words * code->width * 4);
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
            uint64_t hash = state_hash(w.warp);
            uint32_t known = seen->count < GPU_WATCH_STATES ? seen->count : GPU_WATCH_STATES;
            for (uint32_t k = 0; k < known; k++)
                seen->repeats |= seen->states[k] == hash;
            seen->states[seen->count++ % GPU_WATCH_STATES] = hash;
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

bool gpu_watch_stuck(struct gpu_watch *watch, struct gpu *gpu)
{
    if (worked_so_far(gpu) != watch->worked) {
        gpu_watch_start(watch, gpu);
        return false;
    }
    look(watch, gpu);
    look_again(watch, gpu);
    bool over = gpu->cycle >= watch->end,
         soon = issued_so_far(gpu) - watch->issued >= 2 * (uint64_t)gpu->machine.gpu.watch_cycles;
    enum watched now = over || soon ? judge(watch, gpu) : SOME_COMPUTE;
    if (now == ALL_GO_ROUND || (over && now == SOME_WAIT && ++watch->windows == PATIENCE))
        return true; /* what the warps did since the last work stays for the report */
    if (over && now == SOME_COMPUTE)
        gpu_watch_start(watch, gpu);
    else if (over)
        watch->end = gpu->cycle + gpu->machine.gpu.watch_cycles;
    return false;
}

/* The report */

struct reported_warp {
    unsigned sm, slot;
    struct sm_warp_state state;
};

static void add_pos(const struct gpu_run *run, uint32_t pc, struct strbuf *out)
{
    const struct isa_module *code = run->launch->module->code;
    if (pc < code->instr_count)
        isa_format_pos(code, &code->instrs[pc], out);
    else
        strbuf_add(out, "the end of the kernel");
}

static void add_lanes(uint64_t mask, struct strbuf *out)
{
    if (mask_count(mask) == 1) {
        strbuf_addf(out, "lane %u", mask_first(mask));
        return;
    }
    strbuf_add(out, "lanes ");
    const char *comma = "";
    while (mask) {
        unsigned first = mask_first(mask), last = first;
        while (last < 63 && mask_has(mask, last + 1))
            last++;
        strbuf_addf(out, first == last ? "%s%u" : "%s%u-%u", comma, first, last);
        comma = ",";
        mask &= last == 63 ? 0 : ~UINT64_C(0) << (last + 1);
    }
}

static void add_name(const struct sm_warp_state *s, struct strbuf *out)
{
    strbuf_addf(out, "block (%u,%u,%u) warp %u", s->block[0], s->block[1], s->block[2], s->index);
}

/* Where the lanes of a warp stand that do not execute now: below the top of its stack. */
static bool find_parked(const struct sm_warp_state *s, unsigned lane, uint32_t *pc)
{
    const struct simt_stack *stack = &s->warp->stack;
    if (s->finished || mask_has(s->mask, lane))
        return false;
    for (unsigned i = stack->depth - 1; i-- > 0;) {
        if (mask_has(stack->entries[i].mask, lane)) {
            *pc = stack->entries[i].pc;
            return true;
        }
    }
    return false;
}

static void describe_holder(struct gpu_run *run, uint64_t address, const struct sm_warp_state *waiter,
                            struct strbuf *out)
{
    struct sm_holder holder;
    struct gpu *gpu = run->gpu;
    unsigned latest_sm = 0;
    bool found = false;
    struct sm_holder best = {0};
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        if (sm_find_holder(gpu->sms[i], address, &holder) && (!found || holder.cycle > best.cycle)) {
            best = holder;
            latest_sm = i;
            found = true;
        }
    }
    if (!found)
        return;
    strbuf_addf(out, "; held by block (%u,%u,%u) warp %u lane %u since cycle %llu, taken at ", best.block[0],
                best.block[1], best.block[2], best.warp, best.lane,
                (unsigned long long)(best.cycle - run->start_cycle));
    add_pos(run, best.pc, out);
    struct sm_warp_state s;
    sm_warp_state(gpu->sms[latest_sm], best.slot, &s);
    uint32_t pc;
    if (!s.resident || memcmp(s.block, best.block, sizeof s.block) || s.index != best.warp) {
        strbuf_add(out, ", whose warp has ended without giving it back");
    } else if (!mask_has(s.live, best.lane)) {
        strbuf_add(out, ", a lane that has ended without giving it back");
    } else if (find_parked(&s, best.lane, &pc)) {
        strbuf_add(out, ", a lane that waits at ");
        add_pos(run, pc, out);
        bool same = s.warp == waiter->warp;
        strbuf_add(out, same ? " for the lanes that spin: on a SIMT stack neither can go on (SIMT deadlock)"
                             : " for other lanes of its warp");
    }
}

static void describe_warp(struct gpu_run *run, const struct reported_warp *w, struct strbuf *out)
{
    const struct sm_warp_state *s = &w->state;
    strbuf_add(out, "\n  ");
    add_name(s, out);
    strbuf_addf(out, " (SM %u): ", w->sm);
    if (s->at_barrier) {
        strbuf_addf(out, "waits at barrier %u before ", s->barrier);
        add_pos(run, s->pc, out);
        return;
    }
    add_lanes(s->mask, out);
    strbuf_addf(out, " of %u", mask_count(s->live));
    if (s->sync_ops || s->in_atomic) {
        uint64_t address = s->last_sync_address;
        strbuf_add(out, " spin at ");
        add_pos(run, s->last_sync_pc, out);
        strbuf_addf(out, " on %saddress 0x%llx", s->last_sync_shared ? "shared " : "", (unsigned long long)address);
        if (s->last_sync_shared)
            return;
        if (store_covers(&run->gpu->store, address, 4)) {
            uint32_t value;
            memcpy(&value, store_at(&run->gpu->store, address), 4);
            strbuf_addf(out, " = %u", value);
        }
        describe_holder(run, address, s, out);
    } else {
        strbuf_add(out, s->at_fence ? " wait at the fence before " : s->sleeping ? " sleep at " : " stand at ");
        add_pos(run, s->pc, out);
    }
}

/* For a barrier that is not full: who has not come. */
static void describe_missing(struct gpu_run *run, const struct reported_warp *waiting, const struct reported_warp *all,
                             unsigned count, struct strbuf *out)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct sm_warp_state *s = &all[i].state;
        if (memcmp(s->block, waiting->state.block, sizeof s->block) || s->finished ||
            (s->at_barrier && s->barrier == waiting->state.barrier))
            continue;
        if (missing++ == 0)
            strbuf_addf(out, "\n  barrier %u of block (%u,%u,%u) still awaits:", waiting->state.barrier, s->block[0],
                        s->block[1], s->block[2]);
        if (missing <= 8) {
            strbuf_addf(out, " warp %u (%s ", s->index, s->at_barrier ? "at another barrier, before" : "at");
            add_pos(run, s->pc, out);
            strbuf_add(out, ")");
        }
    }
    if (!missing)
        strbuf_addf(out, "\n  barrier %u of block (%u,%u,%u) expects more threads than the block has left",
                    waiting->state.barrier, waiting->state.block[0], waiting->state.block[1], waiting->state.block[2]);
}

void gpu_explain_hang(struct gpu_run *run, const char *what)
{
    struct gpu *gpu = run->gpu;
    unsigned count = 0, spinning = 0, at_barrier = 0, shown = 0;
    struct reported_warp *warps =
        ARENA_NEW(&run->arena, struct reported_warp, gpu->machine.gpu.sms * gpu->machine.sm.warps);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        for (unsigned slot = 0; slot < gpu->machine.sm.warps; slot++) {
            struct sm_warp_state s;
            sm_warp_state(gpu->sms[i], slot, &s);
            if (!s.resident || s.finished)
                continue;
            at_barrier += s.at_barrier;
            spinning += !s.at_barrier;
            warps[count++] = (struct reported_warp){i, slot, s};
        }
    }
    struct strbuf text = {0};
    strbuf_addf(&text, "kernel %s %s; stopped at cycle %llu with %u warps unfinished, %u of them at barriers:",
                run->launch->kernel->name, what, (unsigned long long)(gpu->cycle - run->start_cycle), count,
                at_barrier);
    for (unsigned i = 0; i < count && shown < REPORT_WARPS; i++) {
        if (warps[i].state.at_barrier && spinning)
            continue; /* those who spin explain those who wait for them */
        describe_warp(run, &warps[i], &text);
        if (warps[i].state.at_barrier)
            describe_missing(run, &warps[i], warps, count, &text);
        shown++;
    }
    if (shown < (spinning ? spinning : at_barrier))
        strbuf_addf(&text, "\n  and %u more", (spinning ? spinning : at_barrier) - shown);
    diag_error(run->sink, DIAG_NOWHERE, NULL, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

static enum gpu_fault fault_class(uint8_t kind)
{
    switch (kind) {
    case SIMT_FAULT_BOUNDS:
    case SIMT_FAULT_READ_ONLY:
        return GPU_FAULT_ADDRESS;
    case SIMT_FAULT_MISALIGNED:
        return GPU_FAULT_ALIGNMENT;
    case SIMT_FAULT_ASSERT:
        return GPU_FAULT_ASSERT;
    case SIMT_FAULT_TRAP:
        return GPU_FAULT_TRAP;
    case SIMT_FAULT_STACK:
        return GPU_FAULT_STACK;
    default:
        return GPU_FAULT_INSTRUCTION;
    }
}

void gpu_explain_fault(struct gpu_run *run, const struct sm_fault *fault)
{
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[fault->fault.pc];
    const uint32_t *size = run->launch->block;
    uint32_t thread = fault->warp * run->gpu->machine.sm.warp_size + fault->fault.lane;
    struct strbuf what = {0}, at = {0}, text = {0};
    simt_fault_describe(&fault->fault, &what);
    isa_format_pos(code, instr, &at);
    isa_disasm_instr(code, isa_function_at(code, fault->fault.pc), instr, &text);
    run->result->fault = fault_class(fault->fault.kind);
    diag_error(run->sink, (struct diag_pos){code->name, instr->line, instr->column}, NULL,
               "kernel %s: %s\n  at %s: %s\n  block (%u,%u,%u) thread (%u,%u,%u), cycle %llu",
               run->launch->kernel->name, strbuf_text(&what), strbuf_text(&at), strbuf_text(&text), fault->block[0],
               fault->block[1], fault->block[2], thread % size[0], thread / size[0] % size[1],
               thread / (size[0] * size[1]),
               (unsigned long long)(fault->cycle - (run->launch->mode == GPU_TIMING ? run->start_cycle : 0)));
    strbuf_free(&what);
    strbuf_free(&at);
    strbuf_free(&text);
}
