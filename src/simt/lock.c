/* Instructions of locks and semaphores: see lock.h. */
#include "simt/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "simt/execute.h"

static bool takes(const struct isa_instr *instr)
{
    return isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_TAKE;
}

static bool is_semaphore(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_SEM_WAIT || instr->op == ISA_OP_SEM_SIGNAL;
}

uint32_t simt_thread_number(const struct simt_warp *warp, unsigned lane)
{
    const struct simt_grid *grid = warp->block->grid;
    const uint32_t *at = warp->block->index;
    uint64_t block = ((uint64_t)at[2] * grid->grid[1] + at[1]) * grid->grid[0] + at[0];
    uint64_t threads = (uint64_t)grid->block[0] * grid->block[1] * grid->block[2];
    return (uint32_t)(block * threads + warp->threads[lane]);
}

/* The lock state of a warp */

void simt_locks_start(struct simt_locks *locks)
{
    struct simt_held *held = locks->held;
    uint32_t levels = locks->levels;
    *locks = (struct simt_locks){.held = held, .levels = levels};
}

void simt_locks_free(struct simt_locks *locks)
{
    if (locks)
        free(locks->held);
    free(locks);
}

static struct simt_held *held_at(const struct simt_locks *l, uint32_t level, unsigned lane)
{
    return &l->held[level * SIMT_MAX_WIDTH + lane];
}

static void make_room(struct simt_locks *l, uint32_t levels)
{
    size_t level = SIMT_MAX_WIDTH * sizeof *l->held;
    if (levels <= l->levels)
        return;
    l->held = base_realloc(l->held, levels * level);
    memset(held_at(l, l->levels, 0), 0, (levels - l->levels) * level);
    l->levels = levels;
}

static void hold(struct simt_locks *l, unsigned lane, uint64_t address, uint32_t pc)
{
    if (l->held_count[lane] == l->levels)
        make_room(l, l->levels + 1);
    if (!l->held_count[lane])
        l->first[lane] = (struct simt_held){address, pc};
    *held_at(l, l->held_count[lane]++, lane) = (struct simt_held){address, pc};
}

const struct simt_held *simt_lock_of(const struct simt_warp *warp, unsigned lane, uint64_t address)
{
    const struct simt_locks *l = warp->locks;
    for (uint32_t level = l ? l->held_count[lane] : 0; level-- > 0;)
        if (held_at(l, level, lane)->address == address)
            return held_at(l, level, lane);
    return NULL;
}

/* The lane has the lock no more. Returns whether it had it by LOCK. */
static bool let_go(const struct simt_warp *warp, unsigned lane, uint64_t address)
{
    struct simt_locks *l = warp->locks;
    struct simt_held *held = (struct simt_held *)simt_lock_of(warp, lane, address);
    if (!held)
        return false;
    *held = *held_at(l, --l->held_count[lane], lane);
    return true;
}

#define SWAP(type, a, b)                                                                                               \
    do {                                                                                                               \
        type other = a;                                                                                                \
        a = b;                                                                                                         \
        b = other;                                                                                                     \
    } while (0)

void simt_swap_locks(struct simt_warp *a, struct simt_warp *b, uint64_t lanes)
{
    struct simt_warp *both[] = {a, b};
    for (unsigned i = 0; i < 2; i++)
        if (!both[i]->locks)
            both[i]->locks = base_calloc(1, sizeof *both[i]->locks);
    struct simt_locks *l = a->locks, *m = b->locks;
    contract(!((l->queued | m->queued) & lanes)); /* no model that forms warps has queues */
    make_room(l, m->levels);
    make_room(m, l->levels);
    simt_swap_bits(&l->timed, &m->timed, lanes);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        SWAP(uint32_t, l->attempts[lane], m->attempts[lane]);
        SWAP(uint64_t, l->since[lane], m->since[lane]);
        SWAP(uint32_t, l->held_count[lane], m->held_count[lane]);
        SWAP(struct simt_held, l->first[lane], m->first[lane]);
        for (uint32_t level = 0; level < l->levels; level++)
            SWAP(struct simt_held, *held_at(l, level, lane), *held_at(m, level, lane));
    }
}

/* In words */

static void name_thread(const struct simt_warp *warp, uint32_t number, char *to, size_t bytes)
{
    const struct simt_grid *grid = warp->block->grid;
    uint64_t threads = (uint64_t)grid->block[0] * grid->block[1] * grid->block[2];
    uint64_t block = number / threads, thread = number % threads;
    snprintf(to, bytes, "thread %llu of block %llu", (unsigned long long)thread, (unsigned long long)block);
}

/* A lock by the name of what it lies in, as far as that is known, and by its address. */
struct lock_name {
    char text[112];
};
static struct lock_name name_lock(const struct simt_warp *warp, uint64_t address)
{
    const struct simt_grid *grid = warp->block->grid;
    const struct simt_services *s = grid->services;
    bool shared = address & SIMT_LOCK_SHARED;
    struct lock_name name;
    struct strbuf place = {0};
    address &= ~SIMT_LOCK_SHARED;
    bool known = s && s->add_place && s->add_place(s->context, grid, shared, address, &place);
    snprintf(name.text, sizeof name.text, "the lock at %.48s%s%s address 0x%llx", known ? strbuf_text(&place) : "",
             known ? ", " : "", shared ? "shared" : "global", (unsigned long long)address);
    strbuf_free(&place);
    return name;
}

static struct simt_fault fault_of(const struct simt_warp *warp, unsigned lane)
{
    const struct simt_locks *l = warp->locks;
    return (struct simt_fault){
        .kind = SIMT_FAULT_LOCK,
        .lane = (uint8_t)lane,
        .space = l->address[lane] & SIMT_LOCK_SHARED ? ISA_SPACE_SHARED : ISA_SPACE_GLOBAL,
        .address = l->address[lane] & ~SIMT_LOCK_SHARED,
        .pc = l->pc,
    };
}

/* Asking */

void simt_lock_operands(const struct simt_warp *warp, struct simt_access *access)
{
    uint64_t compare = SIMT_LOCK_FREE;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t operand = access->instr->mods.atomic == ISA_ATOMIC_CAS    ? simt_thread_number(warp, lane)
                           : access->instr->mods.atomic == ISA_ATOMIC_EXCH ? SIMT_LOCK_FREE
                                                                           : 1;
        memcpy(simt_access_data(access, lane), &operand, sizeof operand);
        memcpy(simt_access_data(access, lane) + 8, &compare, sizeof compare);
    }
}

void simt_lock_lane(struct simt_warp *warp, const struct simt_access *access, unsigned lane, uint64_t old)
{
    const struct isa_instr *instr = access->instr;
    if (access->op->kind != SIMT_KIND_LOCK) { /* a try: its predicate says all */
        const struct simt_frame frame = {.pred_base = access->pred_base};
        simt_write_pred(warp, &access->op->pred_dst[0], &frame, BIT64(lane),
                        (uint32_t)old == SIMT_LOCK_FREE ? ~UINT64_C(0) : 0);
        return;
    }
    struct simt_locks *l = warp->locks;
    bool got = instr->op == ISA_OP_SEM_SIGNAL ? true
               : instr->op == ISA_OP_SEM_WAIT ? (uint32_t)old != 0
               : instr->op == ISA_OP_UNLOCK   ? (uint32_t)old == simt_thread_number(warp, lane)
                                              : (uint32_t)old == SIMT_LOCK_FREE;
    l->found[lane] = (uint32_t)old;
    *(mask_has(l->queued, lane) ? &l->granted : &l->got) |= got ? BIT64(lane) : 0;
}

/* Lanes that begin to ask for a lock with a limit. */
static void start_timer(struct simt_locks *l, uint64_t lanes, uint64_t cycle)
{
    for (uint64_t rest = lanes & ~l->timed; rest; rest &= rest - 1) {
        l->attempts[mask_first(rest)] = 0;
        l->since[mask_first(rest)] = cycle;
    }
    l->timed |= lanes;
}

/* Queues */

bool simt_access_queues(const struct simt_warp *warp, const struct simt_access *access)
{
    return warp->block->grid->lock_queues.used && access->space == ISA_SPACE_GLOBAL && takes(access->instr) &&
           access->instr->mods.limit != ISA_LIMIT_ATTEMPTS;
}

void simt_lock_came(struct simt_warp *warp, unsigned lane, uint64_t cycle)
{
    const struct simt_lock_queues *q = &warp->block->grid->lock_queues;
    struct simt_locks *l = warp->locks;
    uint64_t bit = BIT64(lane);
    if (l->granted & bit) {
        l->leaving &= ~bit;
        l->attempts[lane] = 0;
        return;
    }
    uint64_t times = ++l->attempts[lane], wait = q->first_wait;
    if (q->growth == 1)
        wait *= times;
    else if (q->growth == 2)
        wait = times < 32 ? wait << (times - 1) : q->longest_wait;
    *(l->leaving & bit ? &l->over : &l->refused) |= bit;
    l->again[lane] = cycle + (wait < q->longest_wait ? wait : q->longest_wait);
    l->queued &= ~bit;
    l->leaving &= ~bit;
}

bool simt_lock_stays(struct simt_warp *warp, unsigned lane)
{
    struct simt_locks *l = warp->locks;
    bool stays = mask_has(l->leaving, lane);
    l->leaving &= ~BIT64(lane);
    return stays;
}

bool simt_locks_granted(struct simt_warp *warp)
{
    struct simt_locks *l = warp->locks;
    const struct isa_instr *instr = &warp->code->module->instrs[simt_pc(warp)];
    uint64_t lanes = warp->paths.now->mask, came = l->granted & lanes, over = l->over & lanes;
    if (!(came | over))
        return false;
    const struct simt_answer answer = {.got = came,
                                       .over = over,
                                       .next = simt_pc(warp) + 1,
                                       .target = instr->target,
                                       .kept = !is_semaphore(instr) || came != lanes};
    for (uint64_t rest = answer.kept ? came : 0; rest; rest &= rest - 1)
        hold(l, mask_first(rest), l->address[mask_first(rest)], simt_pc(warp));
    l->granted &= ~came;
    l->queued &= ~came;
    l->over &= ~over;
    l->timed &= ~(came | over);
    warp->paths.model->answer(&warp->paths, &answer);
    return true;
}

/* Of the lanes, those that ask for a lock with a limit, have no answer and have waited for longer than that. *until
 * receives the cycle in which the next one will have, if that is before it or it is 0. */
static uint64_t waited_long(const struct simt_warp *warp, const struct simt_op *op, uint64_t lanes, uint64_t cycle,
                            uint64_t *until)
{
    const struct simt_locks *l = warp->locks;
    uint64_t scratch[SIMT_MAX_WIDTH], late = 0;
    lanes &= l->timed & ~(l->granted | l->leaving | l->over);
    if (!lanes)
        return 0;
    const uint32_t *limit = simt_source_row(warp, &op->src[1], &warp->paths.now->frame, cycle, scratch);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t end = l->since[lane] + limit[lane];
        late |= end <= cycle ? rest & -rest : 0;
        *until = *until && *until < end ? *until : end;
    }
    return late;
}

/* The turn has come to lanes that wait for queues. True: those of r->mask ask now: again, or, those of *leaving, to be
 * taken out of their queue. False: some go on, and r->mask is empty; or all wait, until r->again if that is not 0. */
static bool ask_again(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r,
                      uint64_t *leaving)
{
    struct simt_locks *l = warp->locks;
    uint64_t due = 0, late;
    r->again = 0;
    late = waited_long(warp, op, r->mask, cycle, &r->again);
    l->over |= late & l->refused;
    l->refused &= ~late;
    if (simt_locks_granted(warp)) {
        r->mask = 0;
        return false;
    }
    for (uint64_t rest = l->refused & r->mask; rest; rest &= rest - 1) {
        uint64_t again = l->again[mask_first(rest)];
        due |= again <= cycle ? rest & -rest : 0;
        r->again = r->again && r->again < again ? r->again : again;
    }
    *leaving = late & l->queued;
    l->leaving |= *leaving;
    if (due | *leaving)
        r->mask = due | *leaving;
    return due | *leaving;
}

/* A lane that has a lock of its own may wait in vain for one that a lane of its warp gets while it waits itself. */
static enum simt_event fail_nested(const struct simt_warp *warp, struct simt_result *r)
{
    unsigned lane = mask_first(r->mask);
    struct lock_name lock = name_lock(warp, warp->locks->address[lane]);
    r->fault = fault_of(warp, lane);
    snprintf(
        r->fault.message, sizeof r->fault.message,
        "%s is asked for while lanes of the warp have or await others: with queues (locks.queue), a lane that waits "
        "may get the lock that the one which runs needs, and neither goes on",
        lock.text);
    return SIMT_FAULTED;
}

/* The lanes ask by a generic address, some for locks that no slice has a queue for. */
static enum simt_event fail_mixed(const struct simt_warp *warp, uint64_t shared, struct simt_result *r)
{
    struct lock_name lock = name_lock(warp, warp->locks->address[mask_first(shared)]);
    r->fault = fault_of(warp, mask_first(shared));
    snprintf(
        r->fault.message, sizeof r->fault.message,
        "%s is asked for while other lanes ask for locks in global memory by the same instruction: queues of locks "
        "(locks.queue) answer those alone",
        lock.text);
    return SIMT_FAULTED;
}

/* The lanes of r->mask ask, or give back: by an access that is under way when this returns MEMORY. */
static enum simt_event send(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access, struct simt_result *r)
{
    struct simt_locks *l = warp->locks;
    if (l->pc != r->pc || l->asking != r->mask)
        l->vain = 0;
    l->asking = r->mask;
    l->got = 0;
    l->pc = r->pc;
    enum simt_event event = simt_memory(warp, op, cycle, access, r);
    for (uint64_t rest = event == SIMT_MEMORY ? r->mask : 0; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        bool apart = !mask_has(access->mask, lane); /* of a generic access: served, in another space */
        bool shared = access->space == ISA_SPACE_SHARED || apart;
        l->address[lane] = access->address[lane] | (shared ? SIMT_LOCK_SHARED : 0);
    }
    return event;
}

/* The lanes that take part in an instruction that takes, all that have the turn, ask: for the first time, or `again`;
 * those of `leaving` to be taken out of their queue. */
static enum simt_event take(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access, struct simt_result *r)
{
    struct simt_locks *l = warp->locks;
    bool again = (l->queued | l->refused | l->over) & r->mask;
    uint64_t leaving = 0;
    if (again && !ask_again(warp, op, cycle, r, &leaving))
        return r->mask ? SIMT_QUEUED : SIMT_JUMP;
    enum simt_event event = send(warp, op, cycle, access, r);
    if (event != SIMT_MEMORY)
        return event;
    if (r->instr->op == ISA_OP_LOCK_TIMED)
        start_timer(l, r->mask, cycle);
    if (simt_access_queues(warp, access)) {
        warp->paths.model->ask(&warp->paths, r->active);
        if (warp->paths.asked > 1 && !again)
            return fail_nested(warp, r);
        if (r->mask != access->mask)
            return fail_mixed(warp, r->mask & ~access->mask, r);
        access->leaving = leaving;
        l->refused &= ~r->mask;
        l->queued |= r->mask;
        r->mask = r->active;
    } else {
        warp->paths.model->ask(&warp->paths, r->active);
    }
    return SIMT_MEMORY;
}

enum simt_event simt_lock(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r)
{
    bool taking = takes(r->instr);
    if (!r->mask) {
        simt_advance(&warp->paths, r->pc + 1);
        return SIMT_PLAIN;
    }
    if (taking && r->mask != r->active) {
        warp->paths.model->part(&warp->paths, r->active & ~r->mask, r->pc + 1);
        return SIMT_JUMP;
    }
    if (!warp->locks)
        warp->locks = base_calloc(1, sizeof *warp->locks);
    return taking ? take(warp, op, cycle, access, r) : send(warp, op, cycle, access, r);
}

/* Answers */

static bool fail_giving(const struct simt_warp *warp, unsigned lane, struct simt_fault *fault)
{
    char holder[64] = "nobody holds";
    struct lock_name lock = name_lock(warp, warp->locks->address[lane]);
    *fault = fault_of(warp, lane);
    if (warp->locks->found[lane] != SIMT_LOCK_FREE) {
        name_thread(warp, warp->locks->found[lane], holder, sizeof holder);
        strcat(holder, " holds");
    }
    snprintf(fault->message, sizeof fault->message, "a thread gives back %s, which %s", lock.text, holder);
    return false;
}

/* The lock that is given back is the last one that the lane had. It may have come past with another one. */
static bool fail_past(const struct simt_warp *warp, uint64_t lanes, struct simt_fault *fault)
{
    unsigned lane = mask_first(lanes);
    const struct simt_held *first = &warp->locks->first[lane];
    char while_held[272];
    struct lock_name lock = name_lock(warp, first->address), last = name_lock(warp, warp->locks->address[lane]);
    *fault = fault_of(warp, lane);
    fault->taken = first->pc + 1;
    if (first->address == warp->locks->address[lane])
        snprintf(while_held, sizeof while_held, "while it held %s", lock.text);
    else
        snprintf(while_held, sizeof while_held, "after it took %s and before it gave back %s", lock.text, last.text);
    snprintf(fault->message, sizeof fault->message,
             "RPC-skipped deadlock: %s, a thread came past the place where a branch before the lock meets; the "
             "others of its warp wait there in vain (sm.lock_past)",
             while_held);
    return false;
}

/* The lane of this warp that a thread number means; false: it is none's. A block's last warp may have fewer lanes than
 * others: the numbers behind them are those of the next block. */
static bool lane_of(const struct simt_warp *warp, uint32_t number, unsigned *lane)
{
    const uint32_t *block = warp->block->grid->block;
    uint32_t first = simt_thread_number(warp, 0),
             left = block[0] * block[1] * block[2] - warp->index * warp->code->width;
    *lane = number - first;
    return number >= first && *lane < warp->code->width && *lane < left;
}

/* The lanes have asked in vain, and the divergence model lets no others of their warp go on. Returns whether each of
 * them waits for a lane of this warp: those will never give. */
static bool is_stuck(const struct simt_warp *warp)
{
    const struct simt_locks *l = warp->locks;
    unsigned holder;
    if (!warp->paths.model->exclusive)
        return false;
    for (uint64_t rest = l->asking; rest; rest &= rest - 1)
        if (!lane_of(warp, l->found[mask_first(rest)], &holder))
            return false;
    return true;
}

static bool fail_stuck(const struct simt_warp *warp, struct simt_fault *fault)
{
    const struct simt_locks *l = warp->locks;
    unsigned waiter = mask_first(l->asking), holder = 0;
    char thread[64];
    struct lock_name lock = name_lock(warp, l->address[waiter]);
    name_thread(warp, l->found[waiter], thread, sizeof thread);
    lane_of(warp, l->found[waiter], &holder);
    const struct simt_held *held = simt_lock_of(warp, holder, l->address[waiter]);
    *fault = fault_of(warp, waiter);
    fault->taken = held ? held->pc + 1 : 0;
    snprintf(fault->message, sizeof fault->message,
             "SIMT deadlock: lane %u waits for %s, which lane %u of the same warp (%s) holds: %s", waiter, lock.text,
             holder, thread,
             waiter == holder                ? "a thread takes a lock once"
             : !mask_has(warp->live, holder) ? "that has ended without giving it back"
                                             : "that lane goes on only behind those that wait");
    return false;
}

/* Of the lanes that asked in vain for a lock with a limit, those whose limit is reached. */
static uint64_t expired(struct simt_warp *warp, const struct simt_access *access, uint64_t cycle)
{
    struct simt_locks *l = warp->locks;
    const struct isa_instr *instr = access->instr;
    uint64_t scratch[SIMT_MAX_WIDTH], over = 0;
    if (instr->op != ISA_OP_LOCK_TIMED)
        return 0;
    const uint32_t *limit = simt_source_row(warp, &access->op->src[1], &warp->paths.now->frame, cycle, scratch);
    for (uint64_t rest = l->asking & ~l->got; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t used = instr->mods.limit == ISA_LIMIT_CYCLES ? cycle - l->since[lane] : ++l->attempts[lane];
        over |= used >= limit[lane] ? BIT64(lane) : 0;
    }
    l->timed &= ~(over | l->got);
    return over;
}

static bool answer_taking(struct simt_warp *warp, const struct simt_access *access, uint64_t cycle,
                          struct simt_fault *fault)
{
    struct simt_locks *l = warp->locks;
    const struct isa_instr *instr = access->instr;
    uint64_t over = expired(warp, access, cycle);
    struct simt_answer answer = {.got = l->got, .over = over, .next = l->pc + 1, .target = instr->target};
    answer.kept = !is_semaphore(instr) || l->got != l->asking;
    for (uint64_t rest = answer.kept ? l->got : 0; rest; rest &= rest - 1)
        hold(l, mask_first(rest), l->address[mask_first(rest)], l->pc);
    bool in_vain = !l->got && instr->op != ISA_OP_LOCK_TIMED && !is_semaphore(instr);
    l->vain = in_vain ? l->vain + 1 : 0;
    if (in_vain && is_stuck(warp))
        return fail_stuck(warp, fault);
    warp->paths.model->answer(&warp->paths, &answer);
    return true;
}

static bool answer_giving(struct simt_warp *warp, struct simt_fault *fault)
{
    struct simt_locks *l = warp->locks;
    uint64_t given = 0;
    if (l->asking & ~l->got)
        return fail_giving(warp, mask_first(l->asking & ~l->got), fault);
    for (uint64_t rest = l->asking; rest; rest &= rest - 1)
        given |= let_go(warp, mask_first(rest), l->address[mask_first(rest)]) ? rest & -rest : 0;
    uint64_t past = warp->paths.model->give(&warp->paths, given, l->pc + 1);
    return past && !warp->block->grid->lock_past ? fail_past(warp, past, fault) : true;
}

bool simt_locks_answered(struct simt_warp *warp, const struct simt_access *access, uint64_t cycle,
                         struct simt_fault *fault)
{
    return takes(access->instr) ? answer_taking(warp, access, cycle, fault) : answer_giving(warp, fault);
}
