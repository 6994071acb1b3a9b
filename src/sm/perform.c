/* Performs the instructions that the cores issue (core_port): executes their lanes at once, global memory apart, and
 * begins what follows for blocks, barriers, fences and spin control. */
#include "core/issuing.h"
#include "simt/bulk.h"
#include "simt/copy.h"
#include "simt/image.h"
#include "simt/lock.h"
#include "simt/send.h"
#include "sm/barriers.h"
#include "sm/dependents.h"
#include "sm/perform.h"
#include "sm/pools.h"
#include "sm/sending.h"
#include "sm/state.h"
#include "sm/tell.h"
#include "sm/tell_copies.h"
#include "sm/warps.h"
#include "sm/work.h"

/* Returns true when each lane's access lies in an allocation that it may access so; else the first fault. */
COLD NOT_INLINE bool check_lanes(const struct sm *sm, const struct simt_access *access, struct simt_fault *fault)
{
    const struct store_block *found = NULL;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        unsigned bytes = simt_lane_bytes(access, lane);
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

/* check_lanes, of each part of what a texture's read takes. */
COLD NOT_INLINE bool check_parts(const struct sm *sm, struct simt_access *access, struct simt_fault *fault)
{
    bool fine = true;
    for (unsigned p = access->texels->parts; p-- > 0 && fine;) {
        simt_texels_part(access, p);
        fine = check_lanes(sm, access, fault);
    }
    return fine;
}

/* check_lanes, with a look at the usual case first: one allocation for all lanes. */
static bool check_addresses(const struct sm *sm, struct simt_access *access, struct simt_fault *fault)
{
    unsigned bytes = access->element_bytes * access->elements;
    const struct store_block *found = store_find(sm->setup.store, access->low);
    if (found && access->high < found->end && bytes <= found->end - access->high &&
        (access->kind == ISA_FLAG_LOAD || !sm->kernel->read_only(sm->kernel->context, access->low)))
        return true;
    return access->samples ? check_parts(sm, access, fault) : check_lanes(sm, access, fault);
}

/* Accesses that miss their allocations, where they are let pass: MEMORY; PLAIN: no lane has anything to access;
 * FAULTED, as r->fault says. */
COLD NOT_INLINE enum simt_event pass_strays(struct sm *sm, struct warp_slot *warp, struct simt_access *access,
                                            struct simt_result *r)
{
    const struct sm_stray_memory memory = {sm->setup.store, sm->kernel->read_only, sm->kernel->context};
    struct simt_fault fault;
    bool in_dram = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_CONST;
    bool illegal = in_dram && !simt_access_moves(access) && !check_addresses(sm, access, &fault);
    if (!illegal && sm->kernel->bounds)
        sm_strays_look(&sm->strays, sm->kernel->bounds, &warp->simt, access, sm->agenda.now);
    if (!illegal || !sm->kernel->grid->lenient)
        return SIMT_MEMORY;
    if (!sm_strays_pass(&sm->strays, &memory, &warp->simt, access, sm->agenda.now, &r->fault))
        return SIMT_FAULTED;
    return access->mask ? SIMT_MEMORY : SIMT_PLAIN;
}

static void count_access(struct sm *sm, const struct simt_access *access)
{
    switch (access->space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_CLUSTER:
        sm->performed.shared_accesses++;
        break;
    case ISA_SPACE_LOCAL:
        sm->performed.local_accesses++;
        break;
    case ISA_SPACE_CONST:
        sm->performed.const_accesses++;
        break;
    default:
        sm->performed.loads += access->kind == ISA_FLAG_LOAD;
        sm->performed.stores += access->kind == ISA_FLAG_STORE;
        sm->performed.atomics += access->kind == ISA_FLAG_ATOMIC;
        break;
    }
}

static uint8_t *place_in(void *store, uint64_t address)
{
    return store_at(store, address);
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
static void wait_for_lanes(struct sm *sm, unsigned slot, struct core_op *o)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    o->blocks = simt_access_queues(&warp->simt, o->access) ? CORE_BLOCKS_LANES : CORE_BLOCKS_WARP;
    if (o->blocks == CORE_BLOCKS_WARP) {
        warp_wait_begin(&sm->warp, WARP_WAIT_atomic, BIT64(slot));
        return;
    }
    warp_lanes_leave(&sm->warp, slot);             /* what fences wait for: not for locks */
    if (o->access->instr->op != ISA_OP_LOCK_TIMED) /* that issues once more, to see how long it waits */
        warp_queue_begin(&sm->warp, slot);
}

/* Under sm.counts_lines. */
NOT_INLINE void note_lines(struct sm *sm, const struct simt_access *access)
{
    uint8_t order = access->instr->mods.order;
    bool acquires = order == ISA_ORDER_ACQUIRE || order == ISA_ORDER_ACQ_REL || order == ISA_ORDER_SC;
    if (access->kind == ISA_FLAG_ATOMIC || order > ISA_ORDER_WEAK)
        sm_lines_note(&sm->lines, access, sm->lsu.l1d.line_bytes, acquires || order == ISA_ORDER_RELEASE);
}

static bool expects(const struct simt_access *access)
{
    return access->instr->op == ISA_OP_MBARRIER_ARRIVE_TX || access->instr->op == ISA_OP_MBARRIER_DROP_TX;
}

/* The warp issues nothing for a time: behind an operation on an mbarrier that gives it nothing to wait for. */
static void hold_up(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    unsigned op = access->instr->op;
    bool sets = op == ISA_OP_MBARRIER_INIT || op == ISA_OP_MBARRIER_INVAL;
    const struct sm_params *p = sm->params;
    uint32_t cycles = sets                                             ? p->mbarrier_init_interval
                      : expects(access) && p->mbarrier_expect_interval ? p->mbarrier_expect_interval
                                                                       : p->mbarrier_interval;
    if (access->op->kind == SIMT_KIND_MBARRIER)
        warp_hold_up(&sm->warp, slot, sm->agenda.now, sm->agenda.now + cycles);
}

static uint32_t mbarrier_of(const struct simt_warp *warp, const struct simt_access *access, unsigned lane)
{
    bool sends = access->op->kind == SIMT_KIND_SEND;
    return LANE_SHARED_OFFSET(sends ? simt_sent_of(warp, access, lane).mbarrier : access->address[lane]);
}

/* An operation on mbarriers, or a send, which has been performed in the executing block: its lanes for other blocks are sent
 * there, warps that waited for phases which it ended go on, and its own warp waits if it is a wait. */
NOT_INLINE void start_mbarrier(struct sm *sm, unsigned slot, struct core_op *o, const struct order_meaning *meaning)
{
    struct simt_access *access = o->access;
    access->since = sm->agenda.now;
    access->group = access->op->kind == SIMT_KIND_SEND && sm_tells_copies(sm) ? sm_tell_sends(sm, slot, access) : 0;
    if (RARELY(access->remote))
        sm_send_lanes(sm, slot, access);
    if (access->instr->op == ISA_OP_CP_ARRIVE)
        async_arrive_behind(&sm->async, slot, access);
    for (uint64_t rest = access->ended; rest; rest &= rest - 1)
        async_phase_ended(&sm->async, sm->warp.slots[slot].block,
                          mbarrier_of(&sm->warp.slots[slot].simt, access, mask_first(rest)),
                          expects(access) ? ASYNC_BY_EXPECT : ASYNC_BY_WARP);
    if (!access->op->pred_dst_count)
        return hold_up(sm, slot, access);
    o->drops = lsu_drops_after(&sm->lsu, meaning);
    if (!access->waiting && !o->drops && !async_settles(&sm->async, slot, access))
        return;
    o->blocks = CORE_BLOCKS_PHASE;
    warp_wait_begin(&sm->warp, WARP_WAIT_mbarrier, BIT64(slot));
}

/* An access to the shared memory of other blocks of the cluster. */
NOT_INLINE void start_remote(struct sm *sm, unsigned slot, struct core_op *o, const struct order_meaning *meaning)
{
    o->event = 0;
    o->bypasses = true;
    o->drops = lsu_drops_after(&sm->lsu, meaning);
    if (o->access->kind != ISA_FLAG_ATOMIC)
        lsu_access_begins(&sm->lsu, o);
    o->access->since = sm->agenda.now;
    if (!waits_for_answer(sm, meaning, o->drops))
        return;
    o->blocks = CORE_BLOCKS_WARP;
    warp_wait_begin(&sm->warp, WARP_WAIT_atomic, BIT64(slot));
}

/* cp.async of some lanes. */
NOT_INLINE void start_copies(struct sm *sm, unsigned slot, struct simt_access *access)
{
    if (sm_tells_copies(sm))
        sm_tell_lane_copies(sm, slot, access);
    access->group = async_group_begins(&sm->async, slot, access->mask, false);
    warp_hold_up(&sm->warp, slot, sm->agenda.now, sm->agenda.now + sm->params->copy_issue);
}

static bool start_access(struct sm *sm, unsigned slot, struct core_op *o)
{
    struct simt_access *access = o->access;
    struct simt_fault fault;
    bool moves = simt_access_moves(access);
    bool in_dram = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_CONST;
    o->in_memory = true;
    count_access(sm, access);
    struct warp_slot *warp = &sm->warp.slots[slot];
    const struct order_meaning *meaning = lsu_meaning(sm->lsu.l1d.protocol, access->instr);
    if (RARELY(sm->params->counts_lines) && access->space == ISA_SPACE_GLOBAL)
        note_lines(sm, access);
    if (order_synchronises_block(meaning))
        lsu_synchronise_block(&sm->lsu, warp->block);
    if (RARELY(simt_access_sends(access))) {
        start_mbarrier(sm, slot, o, meaning);
        return true;
    }
    if (RARELY(access->space == ISA_SPACE_CLUSTER)) {
        start_remote(sm, slot, o, meaning);
        return true;
    }
    if (access->space != ISA_SPACE_SHARED) {
        o->event = (uint8_t)lsu_l1_event(&sm->lsu, access);
        o->bypasses = l1_passes(&sm->lsu.l1d, o->event);
    }
    /* Before the warp waits: it has not issued. Where strays pass, pass_strays has checked what does not move lanes. */
    if (in_dram && (moves || !sm->kernel->grid->lenient) && !check_addresses(sm, access, &fault)) {
        sm_record_fault(sm, slot, &fault);
        return false;
    }
    if (RARELY(moves))
        wait_for_lanes(sm, slot, o);
    if (!in_dram)
        return true;
    bool is_atomic = access->kind == ISA_FLAG_ATOMIC;
    if (RARELY(simt_access_copies(access)))
        start_copies(sm, slot, access);
    o->drops = lsu_drops_after(&sm->lsu, meaning);
    if (access->space == ISA_SPACE_GLOBAL && !is_atomic)
        lsu_access_begins(&sm->lsu, o);
    access->since = sm->agenda.now;
    if (waits_for_answer(sm, meaning, o->drops) && !moves) {
        o->blocks = CORE_BLOCKS_WARP;
        warp_wait_begin(&sm->warp, WARP_WAIT_atomic, BIT64(slot));
    }
    o->performed = sm->params->values_at_issue && !is_atomic;
    if (o->performed)
        simt_serve(&warp->simt, access, place_in, (void *)sm->setup.store);
    return true;
}

/* Within a block nothing need wait: what goes to one address keeps its order on the way out of the SM, in the order of
 * issue of all the block's warps. */
static void reach_fence(struct sm *sm, unsigned slot, const struct isa_instr *instr)
{
    sm->performed.fences++;
    if (lsu_meaning(sm->lsu.l1d.protocol, instr)->before) {
        lsu_reach_fence(&sm->lsu, slot);
        return;
    }
    lsu_synchronise_block(&sm->lsu, sm->warp.slots[slot].block);
    if (instr->mods.restriction != ISA_RESTRICT_INIT)
        warp_hold_up(&sm->warp, slot, sm->agenda.now, sm->agenda.now + sm->params->fence_latency_cta);
}

/* Each lane gives the asynchronous unit a command. */
NOT_INLINE bool start_bulk(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        struct simt_bulk command;
        struct simt_fault fault;
        if (!simt_bulk_open(&sm->warp.slots[slot].simt, access, mask_first(rest), store_read, (void *)sm->setup.store,
                            &command, &fault)) {
            sm_record_fault(sm, slot, &fault);
            return false;
        }
        command.line = (uint8_t)(sm->lsu.l1d.line_bytes < PACKET_LINE_BYTES ? sm->lsu.l1d.line_bytes : PACKET_LINE_BYTES);
        uint32_t number =
            sm_tells_copies(sm) ? sm_tell_bulk(sm, slot, mask_first(rest), access->pc, &command) : 0;
        async_bulk_begins(&sm->async, slot, mask_first(rest), access->pc, number, &command);
    }
    return true;
}

static inline void count_issue(struct sm *sm, struct warp_slot *warp, const struct decoded_instr *decoded,
                               const struct simt_result *r)
{
    unsigned lanes = mask_count(r->mask);
    sm->performed.warp_instructions++;
    sm->performed.thread_instructions += lanes;
    sm_count_work(&sm->performed, decoded, lanes, sm->params->warp_size);
    sm->performed.lanes_active += mask_count(r->active);
    uint32_t depth = warp->simt.paths.most;
    if (depth > 1 && depth > sm->performed.stack_depth) /* each has one: see sm_stats_of */
        sm->performed.stack_depth = depth;
}

static void count_jump(struct sm *sm, const struct simt_result *r)
{
    if (r->instr->op == ISA_OP_BRA || r->instr->op == ISA_OP_BRX) {
        sm->performed.branches++;
        sm->performed.divergent_branches += r->mask && r->mask != r->active;
    }
}

static void note_unsynced(struct sm *sm, const struct warp_slot *warp, const struct simt_result *r)
{
    sm->performed.unsynced++;
    sm_unsynced_note(&sm->unsynced, &warp->simt, r, sm->agenda.now);
}

/* The instruction did more than change registers. Returns false when that was illegal. */
static bool follow(struct sm *sm, unsigned slot, enum simt_event event, struct core_op *o, const struct simt_result *r,
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
                        sm->agenda.now + 1 + r->sleep_ns * sm->kernel->grid->core_mhz / 1000);
        break;
    case SIMT_DEPENDENT:
        sm_reach_dependent(sm, slot, r->instr);
        break;
    case SIMT_REGISTERS:
        return sm_reach_registers(sm, slot, r);
    case SIMT_PRODUCTS:
        sm_products_follow(sm, slot, r->instr);
        break;
    case SIMT_COPIES:
        async_reach_groups(&sm->async, slot, r);
        break;
    case SIMT_QUEUED:
        if (r->again)
            warp_wait_until(&sm->warp, WARP_WAIT_delay, slot, r->again);
        else
            warp_queue_begin(&sm->warp, slot);
        break;
    case SIMT_DONE:
        if (RARELY(sm->kernel->pools) && !sm_may_end(sm, slot, r))
            return false;
        sm_finish_warp(sm, slot);
        break;
    case SIMT_MET:
        sm->performed.thread_instructions += mask_count(r->met);
        break;
    case SIMT_UNSYNCED:
        sm->performed.thread_instructions += mask_count(r->met);
        note_unsynced(sm, warp, r);
        break;
    default:
        break;
    }
    return true;
}

/* A command of the warp is still in its hands. */
static bool is_at_command(const struct sm *sm, const struct warp_slot *warp)
{
    unsigned last = sm->kernel->scoreboard_words - 1;
    return warp->scoreboard[last] & sm->kernel->command[last];
}

void sm_keep_command(const struct sm *sm, struct core_op *o)
{
    o->performed = true;
    o->timing.writes = sm->kernel->command;
    o->timing.write_count = 1 + sm->kernel->one_in_flight;
}

/* Everything about the instruction but its time. Returns false when the program did something illegal. */
static inline bool execute(struct sm *sm, struct warp_slot *warp, unsigned slot, struct core_op *o,
                           struct simt_result *r)
{
    uint64_t live = warp->simt.live;
    enum simt_event event = simt_execute(&warp->simt, sm->agenda.now, o->access, r);
    if (event == SIMT_MEMORY && RARELY(sm->kernel->grid->lenient | sm->kernel->grid->bounded))
        event = pass_strays(sm, warp, o->access, r);
    if (RARELY(event == SIMT_FAULTED)) {
        r->fault.pc = r->pc;
        sm_record_fault(sm, slot, &r->fault);
        return false;
    }
    count_issue(sm, warp, o->decoded, r);
    if (RARELY(event != SIMT_MEMORY && o->access)) {
        if (event == SIMT_BULK && !start_bulk(sm, slot, o->access))
            return false;
        if (event == SIMT_BULK && sm->kernel->command && !is_at_command(sm, warp))
            sm_keep_command(sm, o);
        if (r->instr->op == ISA_OP_CP_ASYNC && r->mask && sm_tells_copies(sm)) /* its lanes read nothing */
            sm_tell_lane_copies(sm, slot, o->access);
        core_access_free(&sm->ops, o);
    }
    return event == SIMT_PLAIN || follow(sm, slot, event, o, r, live);
}

NOT_INLINE void look_at_all(struct sm *sm, unsigned slot, struct core_op *o, const struct simt_result *r)
{
    if (watch_hears(&sm->watch, WATCH_issue | WATCH_stays))
        sm_tell_issue(sm, slot, o->decoded->event_class, r);
    if (watch_hears(&sm->watch, r->mask == r->active ? WATCH_meet : WATCH_meet | WATCH_split))
        sm_tell_paths(sm, slot, r);
    if (sm->kernel->grid->forms)
        sm_form_issued(sm, slot, o, r);
    if (sm->spinning.spin)
        sm_spinning_issued(sm, slot, o, r);
}

/* The SM looks at an instruction that it has executed: for whom, sm.looks_at_issue says. Where nothing but stays is
 * kept, these are counted by where the warp stands next, but for lanes that have not executed the instruction. */
NOT_INLINE HOT void look(struct sm *sm, unsigned slot, struct core_op *o, const struct simt_result *r)
{
    struct watch_stays *stays = sm->watch.stays;
    if (RARELY(sm->lsu.early.on))
        lsu_early_issued(&sm->lsu, slot, r->instr);
    if (sm->looks_at_rest || !stays || o->decoded->event_class == LOCKSTEP_FENCE || watch_stays_marked(stays, slot)) {
        look_at_all(sm, slot, o, r);
        return;
    }
    watch_stays_issue(stays, r->pc, r->active, r->mask);
    if (r->mask != r->active && watch_hears(&sm->watch, WATCH_split))
        sm_tell_paths(sm, slot, r);
}

/* core_port, for a core of an SM */

HOT_INLINE bool perform(void *context, unsigned slot, struct core_op *o)
{
    struct sm *sm = context;
    struct simt_result r;
    if (!execute(sm, warp_at(&sm->warp, slot), slot, o, &r))
        return false;
    if (RARELY(sm->looks_at_issue))
        look(sm, slot, o, &r);
    if (o->access) {
        o->source = (uint8_t)sm_source_of(o);
        sm_tell_access(sm, slot, o);
    }
    return true;
}

HOT static enum warp_unit issue(struct core *core, unsigned slot)
{
    return core_issue_with(core, slot, perform);
}

static void left_buffer(void *context, unsigned slot)
{
    struct sm *sm = context;
    fetch_has_room(&sm->fetch, slot);
}

static void flush(void *context, unsigned slot)
{
    struct sm *sm = context;
    fetch_flush(&sm->fetch, slot);
}

static void reach_release(void *context, unsigned slot)
{
    struct sm *sm = context;
    lsu_reach_release(&sm->lsu, slot);
}

COLD static void bad_pick(void *context, unsigned scheduler, unsigned picked)
{
    sm_record_bad_pick(context, scheduler, picked);
}

static const struct core_port ports[2] = {
    {issue, NULL, flush, reach_release, sm_spinning_pick, bad_pick},
    {issue, left_buffer, flush, reach_release, sm_spinning_pick, bad_pick},
};

const struct core_port *sm_core_port(bool fetch_fills)
{
    return &ports[fetch_fills];
}
