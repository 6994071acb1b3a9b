/* Issue: each scheduler picks one warp whose next instruction is in its buffer, passes the scoreboard and finds a
 * pipeline register (and issues the ones behind it too, where sm.issue_width allows more than one); the instruction is
 * executed in the lanes at once (global memory apart) and sent on to be timed.
 * Cycles without an issue are given to their cause. */
#include <string.h>

#include "simt/lock.h"
#include "sm/sm_impl.h"
#include "sm/work.h"

void sm_record_fault(struct sm *sm, unsigned slot, const struct simt_fault *fault)
{
    if (sm->has_fault)
        return;
    const struct warp_slot *warp = &sm->warp.slots[slot];
    sm->has_fault = true;
    uint16_t thread = warp->simt.threads[fault->lane];
    sm->fault.fault = *fault;
    memcpy(sm->fault.block, warp->simt.block->index, sizeof sm->fault.block);
    sm->fault.warp = thread / sm->params->warp_size;
    sm->fault.fault.lane = (uint8_t)(thread % sm->params->warp_size);
    sm->fault.cycle = sm->now;
    sm->fault.executing = &warp->simt;
    sm->fault.lane = fault->lane;
}

/* Whether each lane's access lies in an allocation that it may access so. */
COLD NOT_INLINE bool check_lanes(const struct sm *sm, const struct simt_access *access, struct simt_fault *fault)
{
    unsigned bytes = access->element_bytes * access->elements;
    const struct store_block *found = NULL;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        uint8_t kind = SIMT_FAULT_NONE;
        if (!found || address < found->start || address >= found->end) {
            found = store_find(sm->setup.store, address);
            if (found && access->kind != ISA_FLAG_LOAD && sm->kernel->read_only(sm->kernel->context, address))
                kind = SIMT_FAULT_READ_ONLY;
        }
        if (!found || bytes > found->end - address)
            kind = SIMT_FAULT_BOUNDS;
        if (kind) {
            *fault = (struct simt_fault){
                .kind = kind, .lane = (uint8_t)lane, .space = access->space, .address = address, .pc = access->pc};
            return false;
        }
    }
    return true;
}

/* The same; the usual case is one allocation for all lanes. */
static bool check_addresses(const struct sm *sm, const struct simt_access *access, struct simt_fault *fault)
{
    unsigned bytes = access->element_bytes * access->elements;
    const struct store_block *found = store_find(sm->setup.store, access->low);
    if (found && access->high < found->end && bytes <= found->end - access->high &&
        (access->kind == ISA_FLAG_LOAD || !sm->kernel->read_only(sm->kernel->context, access->low)))
        return true;
    return check_lanes(sm, access, fault);
}

static void count_access(struct sm *sm, const struct simt_access *access)
{
    switch (access->space) {
    case ISA_SPACE_SHARED:
        sm->stats.shared_accesses++;
        break;
    case ISA_SPACE_LOCAL:
        sm->stats.local_accesses++;
        break;
    case ISA_SPACE_CONST:
        sm->stats.const_accesses++;
        break;
    default:
        sm->stats.loads += access->kind == ISA_FLAG_LOAD;
        sm->stats.stores += access->kind == ISA_FLAG_STORE;
        sm->stats.atomics += access->kind == ISA_FLAG_ATOMIC;
        break;
    }
}

NOT_INLINE void note_shared_atomic(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    uint8_t atomic = access->instr->mods.atomic;
    bool looked_at = sm->noted.seeks_work || atomic == ISA_ATOMIC_CAS || atomic == ISA_ATOMIC_EXCH;
    for (uint64_t rest = looked_at ? access->changed & access->mask : 0; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t value = 0, address = sm_noted_address(warp, access, lane);
        memcpy(&value, warp->simt.block->shared + access->address[lane], access->element_bytes);
        sm_note_change(sm, slot, address, value);
        if (value)
            sm_note_holder(sm, slot, access, lane, address);
    }
}

static uint8_t *place_in(void *store, uint64_t address)
{
    return store_at(store, address);
}

/* 1 + the order (enum l1_order) to the L1D when an access has its value; 0: none. */
static uint8_t drops_after(const struct sm *sm, const struct order_meaning *meaning)
{
    return sm->params->fence_l1 == SM_FENCE_INVALIDATE ? meaning->after : 0;
}

void sm_acquire(struct sm *sm, const struct isa_instr *instr)
{
    bool reads = isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_LOAD | ISA_FLAG_ATOMIC);
    uint8_t drops = reads ? drops_after(sm, sm_meaning(instr)) : 0;
    if (drops)
        l1_order(&sm->lsu.l1d, (enum l1_order)(drops - 1));
}

/* Its warp waits until an access is answered. */
static bool waits_for_answer(const struct sm *sm, const struct order_meaning *meaning, bool drops)
{
    unsigned reasons =
        ORDER_ANSWER_YES | (drops ? ORDER_ANSWER_DROPS : 0) | (l1_keeps(&sm->lsu.l1d) ? ORDER_ANSWER_KEEPS : 0);
    return meaning->answer & reasons;
}

/* Lanes that stood in queues go on with locks that came while others of their warp executed: what these brought into
 * the L1 may be older than what the locks protect. */
static bool got_from_queue(const struct sm *sm, const struct simt_result *r)
{
    return sm->kernel->grid->lock_queues.used && isa_op_info((enum isa_op)r->instr->op)->flags & ISA_FLAG_TAKE;
}

/* The access answers each lane by itself whether it goes on: it asks for a lock, or gives one back. */
static void wait_for_lanes(struct sm *sm, unsigned slot, struct sm_op *o)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    o->blocks = simt_access_queues(&warp->simt, o->access) ? SM_BLOCKS_LANES : SM_BLOCKS_WARP;
    if (o->blocks == SM_BLOCKS_WARP) {
        warp_wait_begin(&sm->warp, WARP_WAIT_atomic, BIT64(slot));
        return;
    }
    warp_lanes_leave(&sm->warp, slot);             /* what fences wait for: not for locks */
    if (o->access->instr->op != ISA_OP_LOCK_TIMED) /* that issues once more, to see how long it waits */
        warp_queue_begin(&sm->warp, slot);
}

static bool start_access(struct sm *sm, unsigned slot, struct sm_op *o)
{
    struct simt_access *access = o->access;
    struct simt_fault fault;
    bool moves = simt_access_moves(access);
    bool in_dram = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_CONST;
    o->in_memory = true;
    count_access(sm, access);
    struct warp_slot *warp = &sm->warp.slots[slot];
    struct sm_block *block = &sm->blocks[warp->block];
    const struct order_meaning *meaning = sm_meaning(access->instr);
    if (order_synchronises_block(meaning))
        sm_synchronise_block(sm, block);
    if (sm->noted.seeks_work && access->kind == ISA_FLAG_STORE && access->space != ISA_SPACE_LOCAL)
        sm_note_store(sm, slot, access);
    if (access->space == ISA_SPACE_SHARED && (access->kind == ISA_FLAG_ATOMIC || sm->noted.seeks_work))
        note_shared_atomic(sm, slot, access);
    if (access->space == ISA_SPACE_SHARED &&
        (access->kind == ISA_FLAG_ATOMIC || access->instr->mods.order > ISA_ORDER_WEAK))
        sm_note_sync(sm, slot, access);
    if (access->space != ISA_SPACE_SHARED) {
        o->event = (uint8_t)sm_l1_event(sm, access);
        o->bypasses = l1_passes(&sm->lsu.l1d, o->event);
    }
    if (in_dram && !check_addresses(sm, access, &fault)) { /* before the warp waits: it has not issued */
        sm_record_fault(sm, slot, &fault);
        return false;
    }
    if (RARELY(moves))
        wait_for_lanes(sm, slot, o);
    if (!in_dram)
        return true;
    bool is_atomic = access->kind == ISA_FLAG_ATOMIC;
    o->drops = drops_after(sm, meaning);
    if (access->space == ISA_SPACE_GLOBAL && !is_atomic) {
        o->era = block_order_era(&block->order);
        block_order_add(&block->order, o->era);
    }
    access->since = sm->now;
    if (waits_for_answer(sm, meaning, o->drops) && !moves) {
        o->blocks = SM_BLOCKS_WARP;
        warp_wait_begin(&sm->warp, WARP_WAIT_atomic, BIT64(slot));
    }
    if (is_atomic || (access->kind == ISA_FLAG_LOAD && (o->bypasses || access->instr->mods.order > ISA_ORDER_WEAK)))
        sm_note_sync(sm, slot, access);
    o->performed = sm->params->values_at_issue && !is_atomic;
    if (o->performed)
        simt_serve(&warp->simt, access, place_in, (void *)sm->setup.store);
    return true;
}

/* Within a block nothing need wait: what goes to one address keeps its order on the way out of the SM, in the order of
 * issue of all the block's warps. */
static void reach_fence(struct sm *sm, unsigned slot, const struct isa_instr *instr)
{
    sm->stats.fences++;
    if (sm_meaning(instr)->before)
        sm_reach_fence(sm, slot);
    else
        sm_synchronise_block(sm, &sm->blocks[sm->warp.slots[slot].block]);
}

static inline void count_issue(struct sm *sm, struct warp_slot *warp, const struct decoded_instr *decoded,
                               const struct simt_result *r)
{
    unsigned lanes = mask_count(r->mask);
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += lanes;
    sm_count_work(&sm->stats, decoded, lanes, sm->params->warp_size);
    sm->stats.lanes_active += mask_count(r->active);
    uint32_t depth = warp->simt.paths.most;
    if (depth > 1 && depth > sm->stats.stack_depth) /* each has one: see sm_stats_of */
        sm->stats.stack_depth = depth;
}

static void count_jump(struct sm *sm, const struct simt_result *r)
{
    if (r->instr->op == ISA_OP_BRA || r->instr->op == ISA_OP_BRX) {
        sm->stats.branches++;
        sm->stats.divergent_branches += r->mask && r->mask != r->active;
    }
}

static void note_unsynced(struct sm *sm, const struct warp_slot *warp, const struct simt_result *r)
{
    sm->stats.unsynced++;
    sm_unsynced_note(&sm->unsynced, &warp->simt, r, sm->now);
}

/* The instruction did more than change registers. Returns false when that was illegal. */
static bool follow(struct sm *sm, unsigned slot, enum simt_event event, struct sm_op *o, const struct simt_result *r,
                   uint64_t live_before)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    if (RARELY(warp->simt.live != live_before))
        sm->threads_ended += mask_count(live_before & ~warp->simt.live);
    switch (event) {
    case SIMT_MEMORY:
        return start_access(sm, slot, o);
    case SIMT_JUMP:
        count_jump(sm, r);
        if (RARELY(!r->mask) && got_from_queue(sm, r))
            sm_acquire(sm, r->instr);
        break;
    case SIMT_FENCE:
        reach_fence(sm, slot, r->instr);
        break;
    case SIMT_BARRIER:
        if (RARELY(r->unsynced.kind))
            note_unsynced(sm, warp, r);
        sm_reach_barrier(sm, slot, r);
        break;
    case SIMT_SLEEP:
        warp_wait_until(&sm->warp, WARP_WAIT_sleep, slot,
                        sm->now + 1 + r->sleep_ns * sm->kernel->grid->core_mhz / 1000);
        break;
    case SIMT_QUEUED:
        if (r->again)
            warp_wait_until(&sm->warp, WARP_WAIT_delay, slot, r->again);
        else
            warp_queue_begin(&sm->warp, slot);
        break;
    case SIMT_DONE:
        sm_finish_warp(sm, slot);
        break;
    case SIMT_MET:
        sm->stats.thread_instructions += mask_count(r->met);
        break;
    case SIMT_UNSYNCED:
        sm->stats.thread_instructions += mask_count(r->met);
        note_unsynced(sm, warp, r);
        break;
    default:
        break;
    }
    return true;
}

/* Everything about the instruction but its time. Returns false when the program did something illegal. */
static inline bool perform(struct sm *sm, struct warp_slot *warp, unsigned slot, struct sm_op *o, struct simt_result *r)
{
    uint64_t live = warp->simt.live;
    enum simt_event event = simt_execute(&warp->simt, sm->now, o->access, r);
    if (RARELY(event == SIMT_FAULTED)) {
        r->fault.pc = r->pc;
        sm_record_fault(sm, slot, &r->fault);
        return false;
    }
    count_issue(sm, warp, o->decoded, r);
    if (RARELY(event != SIMT_MEMORY && o->access)) {
        vec_push(&sm->ops.accesses, o->access);
        o->access = NULL;
    }
    return event == SIMT_PLAIN || follow(sm, slot, event, o, r, live);
}

/* lockstep_scheduler_view.next_pc. */
static uint32_t next_pc(const struct lockstep_scheduler_view *view, unsigned slot, uint32_t pc)
{
    const struct simt_warp *warp = &((const struct sm *)view->context)->warp.slots[slot].simt;
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

/* The class to which an instruction of that kind goes: the first with a free pipeline register. There is one. */
static inline enum warp_unit unit_for(const struct sm *sm, enum isa_unit kind)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if (((takes) >> kind & 1) && !sm_fifo_full(&sm->id_oc[WARP_UNIT_##name]))                                          \
        return WARP_UNIT_##name;
#include "warp/units.def"
#undef UNIT
    contract(false);
    return WARP_UNIT_COUNT;
}

/* Tells the spin detector what the warp executed; the warp's back-off may begin or end with it. */
NOT_INLINE void observe_spinning(struct sm *sm, unsigned slot, const struct sm_op *o, const struct simt_result *r)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    struct spin_event event = {
        .cycle = sm->now,
        .warp = slot,
        .pc = r->pc,
        .branch = o->decoded->back_branch,
        .instr = r->instr,
        .active = r->active,
        .mask = r->mask,
        .simt = &warp->simt,
    };
    bool held = mask_has(sm->issue.backed_off, slot);
    sm_hold_off(sm, slot);
    uint64_t until = spin_issued(sm->spin, &event, o->access, held);
    if (!until || mask_has(sm->warp.finished, slot))
        return;
    sm->issue.backed_off |= BIT64(slot);
    if (until > sm->now + 1)
        warp_wait_until(&sm->warp, WARP_WAIT_delay, slot, until);
}

void sm_hold_off(struct sm *sm, unsigned slot)
{
    sm->issue.backed_off &= ~BIT64(slot);
}

/* Gives the first look to the next scheduler, from `from` on, that was overtaken too often at some class. */
static void choose_first(struct sm *sm, unsigned from)
{
    sm->issue.first_look = SM_NONE;
    for (unsigned i = 0; i < sm->scheduler_count && sm->issue.first_look == SM_NONE; i++) {
        unsigned s = (from + i) % sm->scheduler_count;
        for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
            if (sm->issue.overtakes[unit] && sm->issue.overtaken[unit][s] == sm->issue.overtakes[unit])
                sm->issue.first_look = s;
    }
}

/* Scheduler s took a pipeline register of a class. If that was the last one, it has overtaken those that have still to
 * look in this cycle and have a warp that would have taken it. The cycle alone is no fair judge between them: a
 * register that comes free in step with the turns comes free for the same scheduler every time. One that was overtaken
 * often enough goes first; it is as near to that again when it has its register, until another takes the last one while
 * it wants none: so two of them alternate as long as the rhythm lasts. */
HOT NOT_INLINE void note_overtaken(struct sm *sm, unsigned s, enum warp_unit unit)
{
    uint8_t *overtaken = sm->issue.overtaken[unit], most = sm->issue.overtakes[unit];
    uint64_t want = sm_wanted(sm, unit) & sm->warp.cleared & ~sm->warp.waiting & ~sm->issue.of[s].slots, known;
    memcpy(&known, overtaken, sizeof known);
    unsigned count = sm->scheduler_count, behind = s + 1 < count ? s + 1 : 0;
    if (!known && (!want || behind == sm->issue.looks_first))
        return; /* the usual case */
    unsigned times = overtaken[s];
    bool choose = sm->issue.first_look != SM_NONE, full = sm_fifo_full(&sm->id_oc[unit]);
    overtaken[s] = times >= most - 1u ? most - 1 : 0;
    for (unsigned other = behind; full && other != sm->issue.looks_first; other = other + 1 < count ? other + 1 : 0) {
        times = want & sm->issue.of[other].slots ? overtaken[other] + 1u : 0;
        overtaken[other] = (uint8_t)(times < most ? times : most);
        choose |= times >= most;
    }
    if (choose)
        choose_first(sm, s + 1);
}

/* The warp has issued the instruction at the head of its buffer: the one behind it is the head now, and the policy sees
 * where the warp stands. */
HOT_INLINE void next_head(struct sm *sm, struct warp_slot *warp, unsigned slot, uint32_t pc)
{
    uint32_t next = mask_has(sm->warp.finished, slot) ? 0 : simt_pc(&warp->simt);
    struct lockstep_warp_view *view = &sm->views[slot];
    view->issued_pc = pc;
    view->issued++;
    view->pc = next;
    if (RARELY(warp_issued(&sm->warp, slot, next)))
        sm_reach_release(sm, slot);
    if (!warp->buffered)
        sm_agenda_add(&sm->agenda, SM_DUE_FETCH);
}

/* Issues a warp's next instruction, and says of which class it is. Apart from its only caller: the two together have
 * too few of the host's registers. */
HOT NOT_INLINE enum warp_unit issue_warp(struct sm *sm, unsigned slot)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    struct simt_result r;
    uint32_t pc = warp->head_pc;
    uint32_t index = sm_op_new(&sm->ops);
    sm_made_progress(&sm->agenda);
    struct sm_op *o = &sm->ops.items[index];
    sm_op_name(sm, slot, o, &sm->warp.decoded[pc]);
    o->slot = (uint8_t)slot;
    enum warp_unit unit = unit_for(sm, (enum isa_unit)o->timing.unit);
    o->unit = unit;
    if (warp_unit_is_memory(unit))
        o->access = sm_access_new(&sm->ops, &sm->arena);
    if (!perform(sm, warp, slot, o, &r)) {
        sm_op_free(&sm->ops, index);
        return unit;
    }
    if (RARELY(sm->kernel->grid->forms))
        sm_form_issued(sm, slot, o, &r);
    if (RARELY(sm->spin))
        observe_spinning(sm, slot, o, &r);
    warp_op_began(&sm->warp, slot, &o->timing);
    if (o->access) {
        o->source = (uint8_t)sm_source_of(o);
        if (o->source != WARP_FROM_OP)
            warp_load_began(&sm->warp, slot, &o->timing, (enum warp_source)o->source);
    }
    next_head(sm, warp, slot, pc);
    if (sm->fetch_fills)
        sm_fetch_has_room(sm, slot);
    sm_fifo_push(&sm->id_oc[unit], index);
    sm_agenda_add(&sm->agenda, SM_DUE_COLLECT);
    return unit;
}

/* Causes of waits.def that come before those of an empty or wrong instruction buffer, and behind them. */
static inline enum sm_stall cause_of_wait(const struct sm *sm, uint64_t members, bool before_fetch)
{
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if ((SM_STALL_##cause < SM_STALL_control) == before_fetch && (members & sm->warp.waits.name))                      \
        return SM_STALL_##cause;
#include "warp/waits.def"
#undef WAIT
    return SM_STALL_COUNT;
}

/* The first cause, in the order of stalls.def, that holds for the warps of a scheduler that did not issue. */
static inline enum sm_stall classify(const struct sm *sm, uint64_t members, uint64_t could_issue)
{
    uint64_t awake = members & ~sm->warp.waiting;
    if (could_issue)
        return SM_STALL_structural;
    if (awake & sm->warp.buffered & ~sm->warp.cleared & ~sm->warp.mispredicted)
        return SM_STALL_data;
    enum sm_stall cause = cause_of_wait(sm, members, true);
    if (cause != SM_STALL_COUNT)
        return cause;
    if (awake & (sm->warp.flushed | sm->warp.mispredicted))
        return SM_STALL_control;
    if (awake)
        return SM_STALL_fetch;
    cause = cause_of_wait(sm, members, false);
    if (cause != SM_STALL_COUNT)
        return cause;
    return members ? SM_STALL_exit : SM_STALL_idle;
}

enum sm_stall sm_skipped_stall(const struct sm *sm, unsigned scheduler)
{
    uint64_t members = sm->warp.resident & sm->issue.of[scheduler].slots;
    if (!(sm->warp.changed & sm->issue.of[scheduler].slots))
        return sm->issue.of[scheduler].stall_of;
    return classify(sm, members, members & sm->warp.cleared & ~sm->warp.waiting);
}

/* Whether the warp, which has just issued, issues another instruction in the same cycle. Where control has left the
 * straight line, the buffer is flushed at once. GPGPU-Sim 3.2.2, scheduler_unit::cycle. */
static bool issues_more(struct sm *sm, unsigned slot)
{
    if (RARELY(sm->has_fault) || mask_has(sm->warp.waiting, slot))
        return false;
    if (mask_has(sm->warp.mispredicted, slot))
        sm_flush_buffer(sm, slot);
    return mask_has(sm->warp.cleared & sm_units_free(sm) & ~sm->issue.backed_off, slot);
}

/* The warp that a scheduler has picked issues one instruction and those behind it, up to the issue width, until one
 * must wait or holds it back. */
static inline void issue_picked(struct sm *sm, struct sm_scheduler *own, unsigned slot,
                                const struct lockstep_scheduler_view *view)
{
    const struct lockstep_scheduler *policy = sm->issue.policy;
    for (unsigned left = sm->params->issue_width;;) {
        enum warp_unit unit = issue_warp(sm, slot);
        if (sm->issue.overtakes[unit])
            note_overtaken(sm, own->number, unit);
        if (policy->issued)
            policy->issued(own->state, slot, view);
        if (--left == 0 || !issues_more(sm, slot))
            return;
        sm->stats.extra_issues++;
    }
}

/* The policy picked a warp that it was not given: the run ends. */
COLD static unsigned record_bad_pick(struct sm *sm, unsigned s, unsigned picked)
{
    sm->has_fault = true;
    sm->fault = (struct sm_fault){
        .by_scheduler = true, .sm = sm->setup.index, .scheduler = s, .picked = picked, .cycle = sm->now};
    return LOCKSTEP_NO_WARP;
}

/* The policy's choice among view->ready; of warps that are held back, the spin control's. */
static unsigned choose(const struct sm *sm, unsigned s, bool held, const struct lockstep_scheduler_view *view)
{
    const struct lockstep_scheduler *policy = sm->issue.policy;
    return held ? spin_pick(sm->spin, view, policy, sm->issue.of[s].state) : policy->pick(sm->issue.of[s].state, view);
}

/* The warp to issue, or LOCKSTEP_NO_WARP. A scheduler meets its warps in its order of preference until one can issue;
 * those that it meets on the way with the wrong instructions in their buffer (astray) are flushed then, the others only
 * when it meets them. GPGPU-Sim, scheduler_unit::cycle. */
static unsigned pick_warp(struct sm *sm, unsigned s, uint64_t astray, bool held, struct lockstep_scheduler_view *view)
{
    uint64_t ready = view->ready;
    unsigned slot;
    do {
        view->ready = ready | astray;
        slot = choose(sm, s, held, view);
        if (slot == LOCKSTEP_NO_WARP)
            break;
        if (slot > LOCKSTEP_NO_WARP || !mask_has(view->ready, slot))
            return record_bad_pick(sm, s, slot);
        if (mask_has(astray, slot))
            sm_flush_buffer(sm, slot);
        astray &= ~BIT64(slot);
    } while (!mask_has(ready, slot));
    view->ready = ready;
    return slot;
}

static void flush_all(struct sm *sm, uint64_t astray)
{
    for (uint64_t rest = astray; rest; rest &= rest - 1)
        sm_flush_buffer(sm, mask_first(rest));
}

/* The usual case of pick_warp: nobody has gone astray, nobody is held back. */
static inline unsigned pick_ready(struct sm *sm, const struct sm_scheduler *own,
                                  const struct lockstep_scheduler_view *view)
{
    unsigned slot = sm->issue.policy->pick(own->state, view);
    if (slot < LOCKSTEP_NO_WARP && mask_has(view->ready, slot))
        return slot;
    return slot == LOCKSTEP_NO_WARP ? slot : record_bad_pick(sm, own->number, slot);
}

/* Warps that are held back come after all others: only when none of those issues are they met. */
static unsigned pick_any(struct sm *sm, unsigned s, uint64_t astray, struct lockstep_scheduler_view *view)
{
    uint64_t ready = view->ready, held = sm->issue.backed_off;
    unsigned slot = LOCKSTEP_NO_WARP;
    view->ready = ready & ~held;
    if (view->ready)
        slot = pick_warp(sm, s, astray & ~held, false, view);
    else
        flush_all(sm, astray & ~held);
    view->ready = ready & held;
    if (slot == LOCKSTEP_NO_WARP && !sm->has_fault) {
        if (view->ready)
            slot = pick_warp(sm, s, astray & held, true, view);
        else
            flush_all(sm, astray & held);
    }
    view->ready = ready;
    return slot;
}

/* A scheduler's cycle goes to `cause`, and so will those that follow until one of its warps changes. */
static inline void own_cycles(struct sm *sm, struct sm_scheduler *own, enum sm_stall cause)
{
    sm_give_cycles(sm, own, sm->now);
    own->stall_of = (uint8_t)cause;
}

/* The scheduler has issued in this cycle. When none of its warps can issue in the next one, what it will find then is
 * known already: it need not look before one of them has changed. Else it looks in the next cycle. */
static inline void own_issue(struct sm *sm, struct sm_scheduler *own)
{
    uint64_t slots = own->slots;
    sm_give_cycles(sm, own, sm->now);
    sm->stalls.issued++;
    own->owned++;
    if (warp_wide_awake(&sm->warp) & slots)
        return;
    own->stall_of = (uint8_t)classify(sm, sm->warp.resident & slots, 0);
    warp_looked(&sm->warp, slots, 0);
}

/* Fills in what a scheduler is shown in this cycle; members: of its warps, those that go on. */
static inline void show(const struct sm *sm, struct lockstep_scheduler_view *view, uint64_t members, uint64_t ready)
{
    view->cycle = sm->now;
    view->ready = ready;
    view->members = members;
    view->waiting = members & sm->warp.waiting;
    view->at_barrier = members & sm->warp.waits.barrier;
    if (RARELY(sm->issue.policy->needs & LOCKSTEP_NEEDS_LONG_WAIT))
        view->long_wait = warp_long_waits(&sm->warp, members);
}

/* lockstep_scheduler_view.entries. */
static unsigned entries(const struct lockstep_scheduler_view *view, unsigned slot)
{
    return ((const struct sm *)view->context)->warp.slots[slot].buffered;
}

unsigned sm_preferred(const struct sm *sm, unsigned scheduler, uint64_t warps)
{
    struct lockstep_scheduler_view view = sm->view;
    uint64_t members = sm->warp.resident & ~sm->warp.finished & sm->issue.of[scheduler].slots;
    uint64_t awake = members & warps & ~sm->warp.waiting, free = awake & ~sm->issue.backed_off,
             ready = free ? free : awake;
    const struct lockstep_scheduler *policy = sm->issue.policy;
    uint64_t among = policy->fetch ? members & warps : ready;
    if (!among)
        return LOCKSTEP_NO_WARP;
    show(sm, &view, members, ready);
    unsigned slot = policy->fetch ? policy->fetch(sm->issue.of[scheduler].state, &view, among)
                                  : choose(sm, scheduler, !free, &view);
    return slot < LOCKSTEP_NO_WARP && mask_has(among, slot) ? slot : LOCKSTEP_NO_WARP;
}

/* Under sm.issue_interval. */
static bool has_turn(const struct sm *sm, const struct sm_scheduler *own)
{
    return sm->now % sm->params->issue_interval == own->number % sm->params->issue_interval;
}

/* One cycle of a scheduler that one of its warps gives a reason to look. Without a turn it meets none of them, and
 * looks again in the next cycle. */
static void schedule(struct sm *sm, struct sm_scheduler *own)
{
    uint64_t slots = own->slots, members = sm->warp.resident & slots, waiting = sm->warp.waiting;
    uint64_t could = slots & sm->warp.cleared & ~waiting, ready = could ? could & sm_units_free(sm) : 0;
    if (RARELY(sm->params->issue_interval > 1) && !has_turn(sm, own)) {
        own_cycles(sm, own, classify(sm, members, could));
        return;
    }
    uint64_t astray = slots & sm->warp.mispredicted & ~waiting;
    /* Warps that only miss a pipeline register are met again when one comes free (enter_collectors). */
    warp_looked(&sm->warp, slots, ready ? could : 0);
    if (!ready) {
        flush_all(sm, astray);
        own_cycles(sm, own, classify(sm, members, could));
        return;
    }
    struct lockstep_scheduler_view *view = &sm->view;
    const struct lockstep_scheduler *policy = sm->issue.policy;
    show(sm, view, members & ~sm->warp.finished, ready);
    warp_found_ready(&sm->warp, ready);
    if (policy->advance)
        policy->advance(own->state, view);
    unsigned slot =
        RARELY(astray | sm->issue.backed_off) ? pick_any(sm, own->number, astray, view) : pick_ready(sm, own, view);
    if (RARELY(slot == LOCKSTEP_NO_WARP)) {
        sm_made_progress(&sm->agenda); /* it is asked again in the next cycle */
        warp_held(&sm->warp, ready);
        own_cycles(sm, own, SM_STALL_held);
        return;
    }
    issue_picked(sm, own, slot, view);
    own_issue(sm, own);
}

/* Sleep ends by the clock. A fence that nothing holds up ends in the next cycle; the others, with the last thing that
 * they wait for. */
static void end_waits(struct sm *sm)
{
    if (warp_waits_timed(&sm->warp.waits) && warp_wake(&sm->warp, sm->now))
        sm_made_progress(&sm->agenda);
    sm_check_reached(sm);
}

/* A fault ended this cycle: the schedulers that did not look, from `next` on, do not own it. */
static void leave_cycle(struct sm *sm, unsigned next, unsigned looked)
{
    for (unsigned i = 0; i < sm->scheduler_count; i++) {
        unsigned s = (next + i) % sm->scheduler_count;
        sm_give_cycles(sm, &sm->issue.of[s], i < sm->scheduler_count - looked ? sm->now : sm->now + 1);
        sm->issue.of[s].owned = sm->now + 1;
    }
}

HOT void sm_issue(struct sm *sm)
{
    if (RARELY(sm->grid.open))
        sm_pass_grid(sm);
    if (RARELY(sm->out))
        sm_form(sm);
    if (warp_waits_timed(&sm->warp.waits) | sm->fences.reached)
        end_waits(sm);
    unsigned count = sm->scheduler_count, turns = sm->issue.turns, looked = 0;
    unsigned first = (unsigned)(turns & (turns - 1) ? sm->now % turns : sm->now & (turns - 1));
    if (sm->issue.first_look != SM_NONE)
        first = sm->issue.first_look;
    sm->issue.looks_first = (uint8_t)first;
    struct sm_scheduler *all = sm->issue.of, *own = &all[first];
    while (!sm->has_fault) {
        if (sm->warp.changed & own->slots)
            schedule(sm, own);
        own = own + 1 < all + count ? own + 1 : all;
        if (++looked == count)
            break;
    }
    if (sm->blocks_changed)
        sm_show_blocks(sm);
    warp_all_looked(&sm->warp);
    if (RARELY(sm->has_fault))
        leave_cycle(sm, own->number, looked);
}

void sm_open_view(struct sm *sm)
{
    sm->view = (struct lockstep_scheduler_view){
        .warps = sm->views, .blocks = sm->block_views, .next_pc = next_pc, .entries = entries, .context = sm};
}
