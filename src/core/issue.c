/* Issue: each scheduler of a core picks one warp whose next instruction is in its buffer, passes the scoreboard and
 * finds a pipeline register (and issues the ones behind it too, where sm.issue_width allows more than one); the SM
 * executes the instruction in the lanes at once (core_port.issue), and the core sends it on to be timed. Cycles
 * without an issue are given to their cause. */
#include <string.h>

#include "core/core.h"
#include "watch/watch.h"

/* lockstep_scheduler_view.next_pc. */
static uint32_t next_pc(const struct lockstep_scheduler_view *view, unsigned slot, uint32_t pc)
{
    const struct simt_warp *warp = &((const struct warp_table *)view->context)->slots[slot].simt;
    uint32_t behind = UINT32_MAX, lowest = UINT32_MAX;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        uint32_t at = walk.path->pc;
        if (!walk.lanes)
            continue;
        lowest = at < lowest ? at : lowest;
        behind = at > pc && at < behind ? at : behind;
    }
    return behind != UINT32_MAX ? behind : lowest != UINT32_MAX ? lowest : 0;
}

/* Gives the first look to the next scheduler, from `from` on, that was overtaken too often at some class. */
static void choose_first(struct core *core, unsigned from)
{
    core->issue.first_look = CORE_NONE;
    for (unsigned i = 0; i < core->issue.count && core->issue.first_look == CORE_NONE; i++) {
        unsigned s = (from + i) % core->issue.count;
        for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
            if (core->issue.overtakes[unit] && core->issue.overtaken[unit][s] == core->issue.overtakes[unit])
                core->issue.first_look = s;
    }
}

/* Scheduler s took a pipeline register of a class. If that was the last free one, s has overtaken every scheduler that
 * has not looked yet in this cycle and has a warp that would have taken the register. Turns by the cycle alone would
 * not be fair: a register that comes free with the same period as the turns comes free for the same scheduler every
 * time. So a scheduler that was overtaken sm.overtakes times in a row looks first. When it has its register, its count
 * stays one below that number, so that two schedulers alternate as long as the rhythm lasts; the count goes back to
 * zero when another scheduler takes the last register and this one wants none. */
HOT NOT_INLINE void note_overtaken(struct core *core, unsigned s, enum warp_unit unit)
{
    uint8_t *overtaken = core->issue.overtaken[unit], most = core->issue.overtakes[unit];
    uint64_t want = core_wanted(core, unit) & core->warp->cleared & ~core->warp->waiting & ~core->issue.of[s].slots,
             known;
    memcpy(&known, overtaken, sizeof known);
    unsigned count = core->issue.count, behind = s + 1 < count ? s + 1 : 0;
    if (!known && (!want || behind == core->issue.looks_first))
        return; /* the usual case */
    unsigned times = overtaken[s];
    bool choose = core->issue.first_look != CORE_NONE, full = core_fifo_full(&core->id_oc[unit]);
    overtaken[s] = times >= most - 1u ? most - 1 : 0;
    for (unsigned other = behind; full && other != core->issue.looks_first; other = other + 1 < count ? other + 1 : 0) {
        times = want & core->issue.of[other].slots ? overtaken[other] + 1u : 0;
        overtaken[other] = (uint8_t)(times < most ? times : most);
        choose |= times >= most;
    }
    if (choose)
        choose_first(core, s + 1);
}

/* Causes of waits.def that come before those of an empty or wrong instruction buffer, and behind them. */
static inline enum core_stall cause_of_wait(const struct core *core, uint64_t members, bool before_fetch)
{
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if ((CORE_STALL_##cause < CORE_STALL_control) == before_fetch && (members & core->warp->waits.name))               \
        return CORE_STALL_##cause;
#include "warp/waits.def"
#undef WAIT
    return CORE_STALL_COUNT;
}

/* The first cause, in the order of stalls.def, that holds for the warps of a scheduler that did not issue. */
static inline enum core_stall classify(const struct core *core, uint64_t members, uint64_t could_issue)
{
    uint64_t awake = members & ~core->warp->waiting;
    if (could_issue)
        return CORE_STALL_structural;
    if (awake & core->warp->buffered & ~core->warp->cleared & ~core->warp->mispredicted)
        return CORE_STALL_data;
    enum core_stall cause = cause_of_wait(core, members, true);
    if (cause != CORE_STALL_COUNT)
        return cause;
    if (awake & (core->warp->flushed | core->warp->mispredicted))
        return CORE_STALL_control;
    if (awake)
        return CORE_STALL_fetch;
    cause = cause_of_wait(core, members, false);
    if (cause != CORE_STALL_COUNT)
        return cause;
    return members ? CORE_STALL_exit : CORE_STALL_idle;
}

/* The cause of a scheduler's cycles in which the SM is not stepped: nothing has changed since the last step, and
 * nothing can issue. */
static enum core_stall skipped_stall(const struct core *core, const struct core_scheduler *own)
{
    uint64_t members = core->warp->resident & own->slots;
    if (!(core->warp->changed & own->slots))
        return (enum core_stall)own->stall_of;
    return classify(core, members, members & core->warp->cleared & ~core->warp->waiting);
}

/* True: the warp, which has just issued, issues another instruction in the same cycle. Where control has left the
 * straight line, the buffer is flushed at once. GPGPU-Sim 3.2.2, scheduler_unit::cycle. */
static bool issues_more(struct core *core, unsigned slot)
{
    if (RARELY(*core->stopped) || mask_has(core->warp->waiting, slot))
        return false;
    if (mask_has(core->warp->mispredicted, slot))
        core->port->flush(core->sm, slot);
    return mask_has(core->warp->cleared & core_units_free(core) & ~core->issue.backed_off, slot);
}

/* The warp that a scheduler has picked issues one instruction and those behind it, up to the issue width, until one
 * must wait or holds it back. */
static inline void issue_picked(struct core *core, struct core_scheduler *own, unsigned slot,
                                const struct lockstep_scheduler_view *view)
{
    const struct lockstep_scheduler *policy = core->issue.policy;
    for (unsigned left = core->params->issue_width;;) {
        enum warp_unit unit = core->port->issue(core, slot);
        if (core->issue.overtakes[unit])
            note_overtaken(core, (unsigned)(own - core->issue.of), unit);
        if (policy->issued)
            policy->issued(own->state, slot, view);
        if (--left == 0 || !issues_more(core, slot))
            return;
        core->issue.extra_issues++;
    }
}

/* The policy picked a warp that it was not given: the run ends. */
COLD static unsigned record_bad_pick(struct core *core, const struct core_scheduler *own, unsigned picked)
{
    core->port->bad_pick(core->sm, own->number, picked);
    contract(*core->stopped);
    return LOCKSTEP_NO_WARP;
}

/* The policy's choice among view->ready; of warps that are held back, the spin control's. */
static unsigned choose(const struct core *core, unsigned s, bool held, const struct lockstep_scheduler_view *view)
{
    const struct lockstep_scheduler *policy = core->issue.policy;
    return held ? core->port->pick_held(core->sm, view, core->issue.of[s].state)
                : policy->pick(core->issue.of[s].state, view);
}

/* Returns the warp to issue, or LOCKSTEP_NO_WARP. A scheduler goes through its warps in its order of preference until
 * one can issue. The buffers of warps on the way that hold the wrong instructions (astray) are flushed; those of warps
 * behind the one that issues are not, in this cycle. GPGPU-Sim, scheduler_unit::cycle. */
static unsigned pick_warp(struct core *core, unsigned s, uint64_t astray, bool held,
                          struct lockstep_scheduler_view *view)
{
    uint64_t ready = view->ready;
    unsigned slot;
    do {
        view->ready = ready | astray;
        slot = choose(core, s, held, view);
        if (slot == LOCKSTEP_NO_WARP)
            break;
        if (slot > LOCKSTEP_NO_WARP || !mask_has(view->ready, slot))
            return record_bad_pick(core, &core->issue.of[s], slot);
        if (mask_has(astray, slot))
            core->port->flush(core->sm, slot);
        astray &= ~BIT64(slot);
    } while (!mask_has(ready, slot));
    view->ready = ready;
    return slot;
}

static void flush_all(struct core *core, uint64_t astray)
{
    for (uint64_t rest = astray; rest; rest &= rest - 1)
        core->port->flush(core->sm, mask_first(rest));
}

/* The usual case of pick_warp: nobody has gone astray, nobody is held back. */
static inline unsigned pick_ready(struct core *core, const struct core_scheduler *own,
                                  const struct lockstep_scheduler_view *view)
{
    unsigned slot = core->issue.policy->pick(own->state, view);
    if (slot < LOCKSTEP_NO_WARP && mask_has(view->ready, slot))
        return slot;
    return slot == LOCKSTEP_NO_WARP ? slot : record_bad_pick(core, own, slot);
}

/* Warps that are held back come after all others: the scheduler goes on to them only when none of the others issues. */
static unsigned pick_any(struct core *core, unsigned s, uint64_t astray, struct lockstep_scheduler_view *view)
{
    uint64_t ready = view->ready, held = core->issue.backed_off;
    unsigned slot = LOCKSTEP_NO_WARP;
    view->ready = ready & ~held;
    if (view->ready)
        slot = pick_warp(core, s, astray & ~held, false, view);
    else
        flush_all(core, astray & ~held);
    view->ready = ready & held;
    if (slot == LOCKSTEP_NO_WARP && !*core->stopped) {
        if (view->ready)
            slot = pick_warp(core, s, astray & held, true, view);
        else
            flush_all(core, astray & held);
    }
    view->ready = ready;
    return slot;
}

/* A scheduler's cycle goes to `cause`, and so will those that follow until one of its warps changes. */
static inline void own_cycles(struct core *core, struct core_scheduler *own, enum core_stall cause)
{
    core_give_cycles(core, own, core->agenda->now);
    own->stall_of = (uint8_t)cause;
}

/* The scheduler has issued in this cycle. When none of its warps can issue in the next one, what it will find then is
 * known already: it need not look before one of them has changed. Else it looks in the next cycle. */
static inline void own_issue(struct core *core, struct core_scheduler *own)
{
    struct warp_table *w = core->warp;
    uint64_t slots = own->slots;
    core_give_cycles(core, own, core->agenda->now);
    core->stalls.issued++;
    own->owned++;
    if (warp_wide_awake(w) & slots)
        return;
    own->stall_of = (uint8_t)classify(core, w->resident & slots, 0);
    warp_looked(w, slots, 0);
}

/* Fills in what a scheduler is shown in this cycle; members: of its warps, those that go on. */
static inline void show(const struct core *core, struct lockstep_scheduler_view *view, uint64_t members, uint64_t ready)
{
    view->cycle = core->agenda->now;
    view->ready = ready;
    view->members = members;
    view->waiting = members & core->warp->waiting;
    view->at_barrier = members & core->warp->waits.barrier;
    if (RARELY(core->issue.policy->needs & LOCKSTEP_NEEDS_LONG_WAIT))
        view->long_wait = warp_long_waits(core->warp, members);
}

/* lockstep_scheduler_view.entries. */
static unsigned entries(const struct lockstep_scheduler_view *view, unsigned slot)
{
    return ((const struct warp_table *)view->context)->slots[slot].buffered;
}

/* lockstep_scheduler_view.instruction. All warps execute instructions of one module. */
static struct lockstep_instruction_view instruction(const struct lockstep_scheduler_view *view, uint32_t pc)
{
    const struct warp_table *warp = view->context;
    const struct isa_module *module = warp->resident ? warp->slots[mask_first(warp->resident)].simt.code->module : NULL;
    if (!module || pc >= module->instr_count)
        return (struct lockstep_instruction_view){0};
    const struct isa_instr *instr = &module->instrs[pc];
    return (struct lockstep_instruction_view){watch_class(instr), watch_space(instr->mods.space)};
}

unsigned core_preferred(const struct core *core, unsigned scheduler, uint64_t warps)
{
    struct lockstep_scheduler_view view = core->issue.view;
    uint64_t members = core->warp->resident & ~core->warp->finished & core->issue.of[scheduler].slots;
    uint64_t awake = members & warps & ~core->warp->waiting, free = awake & ~core->issue.backed_off,
             ready = free ? free : awake;
    const struct lockstep_scheduler *policy = core->issue.policy;
    uint64_t among = policy->fetch ? members & warps : ready;
    if (!among)
        return LOCKSTEP_NO_WARP;
    show(core, &view, members, ready);
    unsigned slot = policy->fetch ? policy->fetch(core->issue.of[scheduler].state, &view, among)
                                  : choose(core, scheduler, !free, &view);
    return slot < LOCKSTEP_NO_WARP && mask_has(among, slot) ? slot : LOCKSTEP_NO_WARP;
}

/* Under sm.issue_interval. */
static bool has_turn(const struct core *core, const struct core_scheduler *own)
{
    return core->agenda->now % core->params->issue_interval == own->number % core->params->issue_interval;
}

/* One cycle of a scheduler, one of whose warps has changed. If sm.issue_interval gives it no turn in this cycle, it
 * issues nothing, and looks again in the next one. */
static void schedule(struct core *core, struct core_scheduler *own)
{
    struct warp_table *w = core->warp;
    uint64_t slots = own->slots, members = w->resident & slots, waiting = w->waiting;
    uint64_t could = slots & w->cleared & ~waiting, ready = could ? core_find_units(core, could) : 0;
    if (RARELY(core->params->issue_interval > 1) && !has_turn(core, own)) {
        own_cycles(core, own, classify(core, members, could));
        return;
    }
    uint64_t astray = slots & w->mispredicted & ~waiting;
    /* Warps that only miss a pipeline register are met again when one comes free (enter_collectors). */
    warp_looked(w, slots, ready ? could : 0);
    if (!ready) {
        flush_all(core, astray);
        own_cycles(core, own, classify(core, members, could));
        return;
    }
    struct lockstep_scheduler_view *view = &core->issue.view;
    const struct lockstep_scheduler *policy = core->issue.policy;
    show(core, view, members & ~w->finished, ready);
    warp_found_ready(w, ready);
    if (policy->advance)
        policy->advance(own->state, view);
    unsigned slot = RARELY(astray | core->issue.backed_off)
                        ? pick_any(core, (unsigned)(own - core->issue.of), astray, view)
                        : pick_ready(core, own, view);
    if (RARELY(slot == LOCKSTEP_NO_WARP)) {
        made_progress(core->agenda); /* it is asked again in the next cycle */
        warp_held(w, ready);
        own_cycles(core, own, CORE_STALL_held);
        return;
    }
    issue_picked(core, own, slot, view);
    own_issue(core, own);
}

/* A fault has ended this cycle: it is counted for the schedulers that have looked, not for the others, from `next` on.
 */
static void leave_cycle(struct core *core, unsigned next, unsigned looked)
{
    for (unsigned i = 0; i < core->issue.count; i++) {
        unsigned s = (next + i) % core->issue.count;
        core_give_cycles(core, &core->issue.of[s],
                         i < core->issue.count - looked ? core->agenda->now : core->agenda->now + 1);
        core->issue.of[s].owned = core->agenda->now + 1;
    }
}

HOT void core_issue(struct core *core)
{
    unsigned count = core->issue.count, turns = core->issue.turns, looked = 0;
    uint64_t now = core->agenda->now;
    const bool *stopped = core->stopped;
    const struct warp_table *w = core->warp;
    unsigned first = (unsigned)(turns & (turns - 1) ? now % turns : now & (turns - 1));
    if (core->issue.first_look != CORE_NONE)
        first = core->issue.first_look;
    core->issue.looks_first = (uint8_t)first;
    struct core_scheduler *all = core->issue.of, *own = &all[first];
    while (!RARELY(*stopped)) {
        if (w->changed & own->slots)
            schedule(core, own);
        own = own + 1 < all + count ? own + 1 : all;
        if (++looked == count)
            break;
    }
    if (RARELY(*stopped))
        leave_cycle(core, (unsigned)(own - all), looked);
}

void core_note_preferred(struct core *core)
{
    core->issue.lacking = 0;
    for (unsigned s = 0; s < core->issue.count; s++) {
        unsigned slot = core_preferred(core, s, UINT64_MAX);
        if (slot != LOCKSTEP_NO_WARP && !mask_has(core->warp->buffered, slot))
            core->issue.lacking |= (uint8_t)(1u << s);
    }
}

/* A scheduler that has issued has given the present cycle to that already (own_issue). */
void core_count_preferred(struct core *core)
{
    for (unsigned rest = core->issue.lacking; rest; rest &= rest - 1) {
        core->issue.preferred_empty++;
        core->issue.preferred_passed += core->issue.of[mask_first(rest)].owned > core->agenda->now;
    }
}

/* Events that policies are told of */

void core_warp_launched(struct core *core, unsigned slot)
{
    const struct lockstep_scheduler *policy = core->issue.policy;
    const struct lockstep_warp_view *view = &core->views->warps[slot];
    if (policy->launched)
        policy->launched(core_scheduler_of(core, slot)->state,
                         &(struct lockstep_launch){.warp = slot,
                                                   .block = view->block,
                                                   .age = view->age,
                                                   .block_number = core->views->blocks[view->block].number,
                                                   .cycle = core->agenda->now});
}

void core_warp_ended(struct core *core, unsigned slot)
{
    if (core->issue.policy->ended)
        core->issue.policy->ended(core_scheduler_of(core, slot)->state, slot, core->agenda->now);
}

void core_barrier_event(struct core *core, const struct core_barrier_event *event)
{
    const struct lockstep_scheduler *policy = core->issue.policy;
    for (unsigned s = 0; s < core->issue.count; s++)
        if (event->opened)
            policy->released(core->issue.of[s].state, event->warps, event->block, core->agenda->now);
        else
            policy->arrived(core->issue.of[s].state, mask_first(event->warps), event->block, core->agenda->now);
}

/* Making one, and beginning launches */

/* A scheduler takes issue_width registers in a cycle at most: of so many, some are left for the others. */
static uint32_t overtakes_of(const struct core *core, uint32_t registers)
{
    const struct sm_params *p = core->params;
    return core->issue.turns > 1 && registers < core->issue.count * p->issue_width ? p->overtakes : 0;
}

void core_issue_init(struct core *core, const struct lockstep_scheduler *policy, struct arena *own)
{
    const struct sm_params *p = core->params;
    struct core_issue *issue = &core->issue;
    unsigned all = core_schedulers(p);
    issue->policy = policy;
    issue->count = (uint8_t)(all / core->count);
    issue->turns = p->schedulers_take_turns ? issue->count : 1;
    for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
        issue->overtakes[unit] = (uint8_t)overtakes_of(core, core->id_oc[unit].size);
    for (unsigned s = 0; s < issue->count; s++) {
        struct core_scheduler *of = &issue->of[s];
        of->number = (uint8_t)(core->number + s);
        for (unsigned slot = of->number; slot < p->warps; slot += all)
            of->slots |= BIT64(slot);
        of->state = arena_alloc(own, policy->state_bytes + 1, CACHE_LINE);
        core->slots |= of->slots;
    }
    issue->view = (struct lockstep_scheduler_view){.warps = core->views->warps,
                                                   .blocks = core->views->blocks,
                                                   .next_pc = next_pc,
                                                   .entries = entries,
                                                   .instruction = instruction,
                                                   .context = core->warp};
}

void core_issue_begin(struct core *core, const struct lockstep_scheduler_setup *setup)
{
    struct core_issue *issue = &core->issue;
    issue->first_look = CORE_NONE;
    memset(issue->overtaken, 0, sizeof issue->overtaken);
    for (unsigned s = 0; s < issue->count; s++) {
        struct lockstep_scheduler_setup own = *setup;
        own.index = issue->of[s].number;
        own.slots = issue->of[s].slots;
        memset(issue->of[s].state, 0, issue->policy->state_bytes);
        issue->policy->reset(issue->of[s].state, &own);
        issue->of[s].owned = setup->cycle;
    }
}

void core_give_all(struct core *core, uint64_t cycle)
{
    for (unsigned s = 0; s < core->issue.count; s++)
        core_give_cycles(core, &core->issue.of[s], cycle);
}

void core_own_from(struct core *core, uint64_t cycle)
{
    for (unsigned s = 0; s < core->issue.count; s++)
        core->issue.of[s].owned = cycle;
}

void core_skip(struct core *core, uint64_t cycle)
{
    for (unsigned s = 0; s < core->issue.count; s++) {
        struct core_scheduler *own = &core->issue.of[s];
        if (!(core->warp->changed & own->slots))
            continue;
        core_give_cycles(core, own, core->agenda->now);
        (&core->stalls.issued)[skipped_stall(core, own)] += cycle - core->agenda->now;
        own->owned = cycle;
    }
}
