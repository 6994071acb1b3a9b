/* The cycle of an SM, downstream first, and the next cycle worth stepping. */
#include "sm/step.h"

#include "sm/barriers.h"
#include "sm/blocks.h"
#include "sm/complete.h"
#include "sm/form.h"
#include "sm/state.h"
#include "sm/tell.h"
#include "sm/warps.h"

HOT void sm_skip_to(struct sm *sm, uint64_t cycle)
{
    if (sm->warp.changed)
        EACH_CORE (sm, core)
            core_skip(core, cycle);
    warp_cycle_begins(&sm->warp, cycle);
    if (RARELY(sm->spinning.spin))
        sm_spinning_pass(sm, cycle - sm->agenda.now, 0);
    if (sm->agenda.made_progress) {
        if (agenda_has(&sm->agenda, DUE_PIPE | DUE_REFUSED))
            lsu_count_refusals(&sm->lsu);
        agenda_passed(&sm->agenda);
    }
    sm->agenda.now = cycle;
}

void sm_give_all_cycles(struct sm *sm)
{
    EACH_CORE (sm, core)
        core_give_all(core, sm->agenda.now);
}

void sm_settle(struct sm *sm, uint64_t cycle)
{
    if (cycle > sm->agenda.now)
        sm_skip_to(sm, cycle);
    sm_count_warps(sm, sm->agenda.now);
    sm_give_all_cycles(sm);
}

/* Warps that are still taken for delayed, but may issue in this cycle. */
static unsigned delays_over(const struct sm *sm, uint64_t cycle)
{
    unsigned over = 0;
    for (uint64_t rest = sm->warp.waits.delay & sm_backed_off(sm); rest; rest &= rest - 1)
        over += sm->warp.slots[mask_first(rest)].wake <= cycle;
    return over;
}

/* True: the next cycle must be stepped. Where nothing is due, nothing happens before an event: a packet, a result,
 * the network taking requests again (sm_can_send), a sleeper waking. */
static inline bool must_step(const struct sm *sm)
{
    if (agenda_has(&sm->agenda, DUE_NEXT) || sm->lsu.fences.reached ||
        (agenda_has(&sm->agenda, DUE_PIPE | DUE_REFUSED) && sm->agenda.made_progress && lsu_must_retry(&sm->lsu)))
        return true;
    if (RARELY(sm->out) && sm_form_due(sm))
        return true;
    if (RARELY(sm->params->counts_preferred) && sm->warp.resident) /* every cycle is counted by itself */
        return true;
    return sm->warp.changed && sm_can_go_on(sm);
}

/* The next cycle with an event of the SM's own. */
HOT static uint64_t next_event(const struct sm *sm)
{
    uint64_t next = CYCLE_NEVER;
    EACH_CORE (sm, core)
        next = cycle_min(next, core_next(core, sm->agenda.now));
    if (agenda_has(&sm->agenda, DUE_SHARED | DUE_PIPE | DUE_HIT | DUE_COMING))
        next = cycle_min(next, lsu_next(&sm->lsu, sm->agenda.now));
    if (RARELY(agenda_has(&sm->agenda, DUE_ASYNC)))
        next = cycle_min(next, sm->async.next);
    if (warp_waits_timed(&sm->warp.waits))
        next = cycle_min(next, warp_next_wake(&sm->warp));
    return next < sm->agenda.now ? sm->agenda.now : next;
}

/* IDLE and FAULTED of enum sm_state, as a step leaves the SM: rarely either. */
static inline uint32_t state_of(const struct sm *sm)
{
    if (sm->warp.resident && !sm->has_fault)
        return 0;
    return (sm_idle(sm) ? SM_STATE_IDLE : 0) | (sm->has_fault ? SM_STATE_FAULTED : 0);
}

static inline void step_units(struct sm *sm)
{
    bool more = false;
    EACH_CORE (sm, core)
        more |= core_execute(core);
    if (!more)
        agenda_done(&sm->agenda, DUE_UNITS);
}

static inline void step_collectors(struct sm *sm)
{
    bool more = false;
    EACH_CORE (sm, core)
        more |= core_collect(core);
    if (!more)
        agenda_done(&sm->agenda, DUE_COLLECT);
}

/* A stage that has nothing to do is passed over. */
HOT struct sm_turn sm_step(struct sm *sm, uint64_t cycle)
{
    if (cycle > sm->agenda.now)
        sm_skip_to(sm, cycle);
    agenda_step(&sm->agenda);
    if (RARELY(sm->spinning.spin))
        sm_spinning_pass(sm, 1, delays_over(sm, cycle));
    EACH_CORE (sm, core)
        if (core_results_due(core, cycle))
            sm_writeback(&sm->completion, core);
    if (agenda_has(&sm->agenda, DUE_UNITS))
        step_units(sm);
    if (agenda_has(&sm->agenda, DUE_PORT) || (agenda_has(&sm->agenda, DUE_SHARED) && lsu_shared_due(&sm->lsu, cycle)))
        lsu_writeback(&sm->lsu);
    if (RARELY(agenda_has(&sm->agenda, DUE_ASYNC)) && async_is_due(&sm->async, cycle))
        async_step(&sm->async);
    if (agenda_has(&sm->agenda, DUE_COLLECT))
        step_collectors(sm);
    if (agenda_has(&sm->agenda, DUE_LSU)) {
        if (agenda_has(&sm->agenda, DUE_PROBES))
            lsu_serve_probes(&sm->lsu);
        lsu_step(&sm->lsu);
    }
    bool wakes = sm_may_wake(sm);
    if (RARELY(wakes))
        sm_wake(sm);
    bool looks = sm->warp.changed || (wakes | sm->has_fault);
    if (RARELY(sm->params->counts_preferred))
        sm_issue_counting(sm, looks);
    else if (looks)
        sm_issue(sm);
    warp_cycle_begins(&sm->warp, cycle + 1);
    if (agenda_has(&sm->agenda, DUE_DECODE))
        fetch_decode(&sm->fetch);
    if (agenda_has(&sm->agenda, DUE_FETCH))
        fetch_step(&sm->fetch);
    if (agenda_has(&sm->agenda, DUE_SEND) && sm->lsu.net.instructions.count)
        lsu_send_instructions(&sm->lsu);
    if (RARELY(!sm->warp.resident && l1_keeps(&sm->lsu.l1d)))
        lsu_end_writes(&sm->lsu);
    sm_tell_waits(sm);
    sm->agenda.now = cycle + 1;
    uint32_t state = state_of(sm);
    if (must_step(sm))
        return (struct sm_turn){sm->agenda.now, state};
    if (!lsu_has_requests(&sm->lsu))
        return (struct sm_turn){next_event(sm), state};
    uint64_t next = sm_can_send(sm) ? sm->agenda.now : cycle_min(next_event(sm), lsu_port_opens(&sm->lsu));
    return (struct sm_turn){next, state | SM_STATE_SENDING};
}

/* The ends of the networks: see interface.c */

/* Takes packets from the network into the SM: instruction lines go to the instruction cache, the rest to the load/store
 * unit. */
HOT uint32_t sm_eject(struct sm *sm, uint64_t now)
{
    uint32_t members = 0;
    const struct packet *line = lsu_first_instructions(&sm->lsu);
    if (line)
        members = fetch_line(&sm->fetch, read_of(line)->fill);
    lsu_pass_on(&sm->lsu);
    lsu_eject(&sm->lsu, now);
    bool line_came = agenda_has(&sm->agenda, DUE_FETCH) && sm->fetch.came;
    bool arrivals = sm->lsu.responses.count || line_came;
    bool holding = sm->lsu.net.ejected.count || sm->lsu.net.far.first;
    return (holding ? SM_STATE_HOLDING : 0) | (arrivals ? SM_STATE_ARRIVALS : 0) |
           (sm_idle(sm) ? SM_STATE_IDLE : 0) | members * SM_STATE_NEIGHBOUR;
}

void sm_take_probe(struct sm *sm)
{
    lsu_take_probe(&sm->lsu);
}

HOT bool sm_can_send(const struct sm *sm)
{
    return lsu_can_send(&sm->lsu);
}

void sm_take_message(struct sm *sm, uint64_t now)
{
    lsu_cluster_take(&sm->lsu, now);
}

bool sm_memory_rests(const struct sm *sm)
{
    return lsu_memory_rests(&sm->lsu);
}

HOT bool sm_idle(const struct sm *sm)
{
    return !sm->warp.resident && !sm->ops.live && lsu_idle(&sm->lsu);
}
