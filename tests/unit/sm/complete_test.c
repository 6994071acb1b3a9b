/* Completion alone: warp table, pool of ops, views and cores are real, and the SM around them is a list. Random
 * programs' ops, loads, stores and atomics end in random order; warps wait at fences and before releases, change their
 * turn, and end. After every event the warps wait for exactly those registers that the list has, and whatever ends with
 * an op has ended once. Then locks, by answers to all lanes at once and by queues. */
#include "effort.h"
#include "simt/lock.h"
#include "sm/complete.h"
#include "unit/lsu/lsu_bench.h"

#define SLOTS 10
#define INSTRUCTIONS 24
#define BUFFER 2
#define OPS 96
#define CYCLES 500
#define END_CYCLES 4000 /* in which all warps must have ended */

/* An op under way. */
struct op {
    bool used, due; /* due: its result is in the wheel, for cycle `at` */
    uint32_t number, pc;
    unsigned slot;
    uint64_t at;
    enum warp_source source;
    enum core_blocks blocks;
    bool global; /* an access of global memory */
    bool stores; /* a store is to leave the SM */
    uint8_t drops;
};

struct warp {
    struct simt_path path;
    unsigned stores; /* not acknowledged */
    uint64_t completed;
    bool releases; /* the present head's release was told */
    bool drained;  /* and so was the end of the warp */
};

/* How often the stage has asked for what. */
struct asked {
    uint64_t releases, accesses, drops, fences, drained, acquires, faults, done;
};

struct bench {
    struct lsu_bench l; /* of which the first test needs the cores alone, and that of locks a program too */
    struct sm_completion c;
    struct watch watch;
    struct watch_listener listener[2];
    struct decoded_instr program[INSTRUCTIONS + BUFFER + 1];
    uint64_t sets[INSTRUCTIONS + BUFFER + 1][3 * BENCH_WORDS];
    struct warp warps[SLOTS];
    struct op ops[OPS];
    struct op ending; /* the op that ends, since its end was told */
    struct op batch[OPS];
    unsigned batch_count, batch_at; /* the ops that are to end in this call, in order */
    struct asked asked, expected;
    uint64_t made; /* accesses */
    uint64_t age;
    uint32_t acquired; /* the instruction behind which lanes went on that had waited in queues */
    bool ended;        /* no more warps are launched */
};

#define EXPECT(holds)                                                                                                  \
    do {                                                                                                               \
        if (!(holds))                                                                                                  \
            fail_msg("seed %llu, cycle %llu: not so: " #holds, (unsigned long long)t->l.b.seed,                        \
                     (unsigned long long)t->l.b.agenda.now);                                                           \
    } while (0)

static uint32_t draw(struct bench *t, uint32_t below)
{
    return bench_draw(&t->l.b, below);
}

static unsigned under_way(const struct bench *t, unsigned slot)
{
    unsigned count = 0;
    for (const struct op *op = t->ops; op < t->ops + OPS; op++)
        count += op->used && op->slot == slot;
    return count;
}

/* Nothing of the warp is under way. */
static bool rests(const struct bench *t, unsigned slot)
{
    return !under_way(t, slot) && !t->warps[slot].stores;
}

/* The SM around the stage */

static void end_fence_if_over(struct bench *t, unsigned slot)
{
    const struct warp_slot *warp = &t->l.b.warp.slots[slot];
    if (!warp->in_flight && !warp->stores_out)
        warp_wait_end(&t->l.b.warp, WARP_WAIT_fence, BIT64(slot));
}

static void reach_release(void *sm, unsigned slot)
{
    struct bench *t = sm;
    EXPECT(warp_at_release(&t->l.b.warp, slot) && !t->warps[slot].releases);
    t->warps[slot].releases = true;
    t->asked.releases++;
    warp_wait_begin(&t->l.b.warp, WARP_WAIT_fence, BIT64(slot));
    end_fence_if_over(t, slot);
}

static void access_ends(void *sm, const struct core_op *o)
{
    struct bench *t = sm;
    EXPECT(t->ending.global && o->access && o->slot == t->ending.slot);
    t->asked.accesses++;
}

static void drop(void *sm, uint8_t drops)
{
    struct bench *t = sm;
    EXPECT(t->ending.drops == drops && !mask_has(t->l.b.warp.waits.atomic, t->ending.slot));
    t->asked.drops++;
}

static void check_fence(void *sm, unsigned slot)
{
    struct bench *t = sm;
    EXPECT(mask_has(t->l.b.warp.waits.fence, slot));
    t->asked.fences++;
    end_fence_if_over(t, slot);
}

static void drained(void *sm, unsigned slot)
{
    struct bench *t = sm;
    EXPECT(mask_has(t->l.b.warp.finished, slot) && rests(t, slot) && !t->warps[slot].drained);
    t->warps[slot].drained = true;
    t->asked.drained++;
}

static void acquire(void *sm, uint32_t pc)
{
    struct bench *t = sm;
    t->acquired = pc;
    t->asked.acquires++;
}

static void fault(void *sm, unsigned slot, const struct simt_fault *found)
{
    struct bench *t = sm;
    EXPECT(slot == t->ending.slot && found->kind == SIMT_FAULT_LOCK);
    t->asked.faults++;
}

static void copied(void *sm, const struct core_op *op)
{
    (void)sm, (void)op;
    fail_msg("no instruction here is a copy");
}

static const struct sm_completion_port port = {reach_release, access_ends, drop,  check_fence,
                                               drained,       acquire,     fault, copied};

/* An observer: the end of an op is told first, while the op is as it was. */
static void done(void *state, const struct lockstep_done_event *event)
{
    struct bench *t = state;
    EXPECT(t->batch_at < t->batch_count);
    t->ending = t->batch[t->batch_at++];
    EXPECT(event->cycle == t->l.b.agenda.now && event->warp == t->ending.slot && event->pc == t->ending.pc);
    t->asked.done++;
}
static const struct lockstep_observer observer = {.name = "ends", .done = done};

/* Making one */

static void make_instruction(struct bench *t, uint32_t pc)
{
    struct decoded_instr *d = &t->program[pc];
    uint64_t *uses = t->sets[pc], *writes = uses + BENCH_WORDS, *reads = writes + BENCH_WORDS;
    for (unsigned count = draw(t, 4), i = 0; i < count; i++) {
        uint32_t written = draw(t, 64 * BENCH_WORDS);
        d->timing.write_count += !mask_has(writes[written / 64], written % 64);
        writes[written / 64] |= BIT64(written % 64);
    }
    uint32_t read = draw(t, 64 * BENCH_WORDS);
    reads[read / 64] |= BIT64(read % 64);
    for (unsigned i = 0; i < BENCH_WORDS; i++)
        uses[i] = reads[i] | writes[i];
    d->uses = uses;
    d->timing.writes = writes;
    d->timing.unit = (uint8_t)draw(t, ISA_UNIT_COUNT);
    d->structural = (uint8_t)warp_account_unit(d->timing.unit);
    d->changes_frame = draw(t, 10) == 0;
    d->after = (uint8_t)(draw(t, 3) ? INSTR_AFTER_NOTHING : 1 + draw(t, 2));
    d->dst_set = BIT64(draw(t, 16));
}

static void open_completion(struct bench *t, struct core_bench *b)
{
    t->listener[0] = (struct watch_listener){.observer = &observer, .state = t};
    t->watch = watch_for(t->listener, 1, WATCH_done);
    t->c = (struct sm_completion){.shared = b->shared,
                                  .cores = b->core,
                                  .cores_end = b->core + b->params.cores,
                                  .watch = &t->watch,
                                  .port = &port};
    t->c.shared.sm = t;
}

static void open_bench(struct bench *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    bench_begin(&t->l.b, seed);
    t->l.b.params.warps = SLOTS;
    t->l.b.params.cores = seed % 3 ? 1 : 2;
    for (uint32_t pc = 0; pc < INSTRUCTIONS + BUFFER + 1; pc++)
        make_instruction(t, pc);
    bench_open(&t->l.b, &bench_no_policy, NULL, t, t->program, 60, false);
    open_completion(t, &t->l.b);
}

/* Warps */

static void launch(struct bench *t)
{
    struct warp_table *w = &t->l.b.warp;
    uint64_t free = mask_low(SLOTS) & ~w->resident;
    if (!free || t->ended || draw(t, 3))
        return;
    unsigned slot = mask_first(free);
    struct simt_warp *warp = &w->slots[slot].simt;
    t->warps[slot] = (struct warp){.path = {.pc = draw(t, INSTRUCTIONS), .mask = 1}};
    warp_clear(w, BIT64(slot));
    warp_start(w, slot, slot, t->age++);
    warp->live = 1;
    warp->paths.now = &t->warps[slot].path;
    core_view_begins(&t->l.b.views, slot, t->age, slot, t->warps[slot].path.pc);
    warp_come(w, BIT64(slot));
}

static void told_release(struct bench *t, unsigned slot, bool releases)
{
    if (releases)
        reach_release(t, slot);
}

static void fetch(struct bench *t, unsigned slot)
{
    struct warp_table *w = &t->l.b.warp;
    if (mask_has(w->mispredicted & ~w->waiting, slot))
        warp_flush(w, slot);
    if (mask_has(w->finished, slot) || w->slots[slot].buffered || draw(t, 2))
        return;
    uint32_t pc = t->warps[slot].path.pc;
    t->warps[slot].releases = false;
    told_release(t, slot, warp_fetched(w, slot, pc, 1 + draw(t, BUFFER), pc));
}

/* The access of an op: of shared or of global memory, or none. */
static void give_access(struct bench *t, struct op *op, struct core_op *o)
{
    static const struct simt_op plain = {.kind = SIMT_KIND_MEMORY};
    struct core_bench *b = &t->l.b;
    t->made += !b->ops.accesses.count;
    o->access = core_access_new(&b->ops, &b->arena);
    o->access->op = &plain;
    o->in_memory = draw(t, 8);
    op->global = draw(t, 2);
    o->access->space = op->global ? ISA_SPACE_GLOBAL : ISA_SPACE_SHARED;
    op->global &= o->in_memory;
    op->source = o->in_memory ? draw(t, 3) : WARP_FROM_OP;
    op->blocks = draw(t, 5) ? CORE_BLOCKS_NOBODY : CORE_BLOCKS_WARP;
    op->drops = op->blocks ? (uint8_t)draw(t, 3) : 0;
    o->source = (uint8_t)op->source;
    o->blocks = (uint8_t)op->blocks;
    o->drops = op->drops;
}

/* What else begins with an instruction: its last lane ends, or the warp waits, or goes on elsewhere. */
static void follow(struct bench *t, unsigned slot, const struct op *op)
{
    struct warp_table *w = &t->l.b.warp;
    if (!op->blocks && (t->ended || draw(t, 30) == 0)) {
        w->slots[slot].simt.live = 0;
        warp_finish(w, slot);
        return;
    }
    if (op->blocks == CORE_BLOCKS_WARP)
        warp_wait_begin(w, WARP_WAIT_atomic, BIT64(slot));
    else if (draw(t, 12) == 0)
        warp_wait_begin(w, WARP_WAIT_fence, BIT64(slot));
    t->warps[slot].path.pc = draw(t, 5) ? op->pc + 1 : draw(t, INSTRUCTIONS);
    if (t->warps[slot].path.pc >= INSTRUCTIONS)
        t->warps[slot].path.pc = 0;
}

static void issue(struct bench *t, unsigned slot)
{
    struct core_bench *b = &t->l.b;
    struct warp_table *w = &b->warp;
    struct op *op = t->ops;
    while (op < t->ops + OPS && op->used)
        op++;
    if (op == t->ops + OPS)
        return;
    *op = (struct op){.used = true, .number = core_op_new(&b->ops), .pc = w->slots[slot].head_pc, .slot = slot};
    struct core_op *o = &b->ops.items[op->number];
    struct core *core = core_having(b->core, b->core + b->params.cores, slot);
    core_op_name(core, slot, o, &t->program[op->pc]);
    o->slot = (uint8_t)slot;
    if (draw(t, 2))
        give_access(t, op, o);
    follow(t, slot, op);
    warp_op_began(w, slot, &o->timing);
    if (op->source != WARP_FROM_OP)
        warp_load_began(w, slot, &o->timing, op->source);
    t->warps[slot].releases = false;
    uint32_t next = mask_has(w->finished, slot) ? 0 : t->warps[slot].path.pc;
    told_release(t, slot, warp_issued(w, slot, next));
    op->stores = op->global && draw(t, 3) == 0;
    op->due = !o->access;
    op->at = b->agenda.now + 1 + draw(t, 40);
    if (op->due)
        core_wheel_add(&b->ops, &core->execute.wheel, op->at, op->number);
}

static void leave(struct bench *t, struct op *op)
{
    op->stores = false;
    t->warps[op->slot].stores++;
    warp_store_left(&t->l.b.warp, op->slot);
}

/* Events that the stage is told of */

/* The op is to end in the call that follows: the list has it no more, and this is what must be asked for it. */
static void ends(struct bench *t, struct op *op)
{
    t->batch[t->batch_count++] = *op;
    t->warps[op->slot].completed++;
    t->expected.done++;
    t->expected.accesses += op->global;
    t->expected.drops += op->drops != 0;
    op->used = false;
}

static void complete_access(struct bench *t, struct op *op)
{
    t->batch_count = t->batch_at = 0;
    ends(t, op);
    sm_complete_access(&t->c, op->number);
}

/* The results of a cycle, in the order in which their ops were dispatched: their registers' banks are written. */
static void write_back(struct bench *t, struct core *core)
{
    uint64_t banks = 0;
    t->batch_count = t->batch_at = 0;
    for (uint32_t op = core->execute.wheel.head[t->l.b.agenda.now & core->execute.wheel.mask]; op != CORE_NONE;
         op = t->l.b.ops.items[op].next) {
        struct op *found = t->ops;
        while (!found->used || found->number != op)
            found++;
        EXPECT(found->due && found->at == t->l.b.agenda.now);
        banks |= t->l.b.ops.items[op].dst_banks;
        ends(t, found);
    }
    t->l.b.agenda.made_progress = false;
    sm_writeback(&t->c, core);
    EXPECT(t->l.b.agenda.made_progress && bench_written(core) == banks);
}

static void acknowledge(struct bench *t, unsigned slot)
{
    t->warps[slot].stores--;
    warp_store_acknowledged(&t->l.b.warp, slot);
    sm_warp_rests(&t->c, slot);
}

static void change_turn(struct bench *t, unsigned slot)
{
    t->warps[slot].path.pc = draw(t, INSTRUCTIONS);
    t->warps[slot].releases = false;
    sm_turn_changed(&t->c, slot);
    EXPECT(t->l.b.views.warps[slot].pc == t->warps[slot].path.pc);
    EXPECT(!mask_has(t->l.b.warp.cleared, slot) || t->l.b.warp.slots[slot].head_pc == t->warps[slot].path.pc);
}

/* The list's answers */

static void expect_registers(struct bench *t, unsigned slot)
{
    uint64_t boards[3][BENCH_WORDS] = {0};
    unsigned loads = 0, pending = 0;
    const struct warp_slot *warp = &t->l.b.warp.slots[slot];
    for (const struct op *op = t->ops; op < t->ops + OPS; op++) {
        if (!op->used || op->slot != slot)
            continue;
        loads += op->source != WARP_FROM_OP;
        pending += t->program[op->pc].timing.write_count;
        for (unsigned i = 0; i < BENCH_WORDS; i++) {
            boards[0][i] |= t->program[op->pc].timing.writes[i];
            boards[op->source][i] |= t->program[op->pc].timing.writes[i];
        }
    }
    EXPECT(!memcmp(boards[0], warp->scoreboard, sizeof boards[0]));
    EXPECT(!memcmp(boards[WARP_FROM_MEMORY], warp->from_memory, sizeof boards[0]));
    EXPECT(!memcmp(boards[WARP_FROM_CHIP], warp->from_chip, sizeof boards[0]));
    EXPECT(warp->loads_out == loads && warp->pending_registers == pending);
    EXPECT(warp->in_flight == under_way(t, slot) && warp->stores_out == t->warps[slot].stores);
}

static void expect_warp(struct bench *t, unsigned slot)
{
    const struct warp_table *w = &t->l.b.warp;
    bool blocked = false;
    for (const struct op *op = t->ops; op < t->ops + OPS; op++)
        blocked |= op->used && op->slot == slot && op->blocks == CORE_BLOCKS_WARP;
    expect_registers(t, slot);
    EXPECT(t->l.b.views.warps[slot].completed == t->warps[slot].completed);
    EXPECT(mask_has(w->waits.atomic, slot) == blocked);
    EXPECT(!mask_has(w->waits.fence, slot) || !rests(t, slot));
    EXPECT(!warp_at_release(w, slot) || t->warps[slot].releases);
    EXPECT(t->warps[slot].drained == (mask_has(w->finished, slot) && rests(t, slot)));
}

/* After an event. */
static void expect_all(struct bench *t)
{
    uint64_t held = 0, live = 0;
    EXPECT(t->batch_at == t->batch_count);
    for (uint64_t rest = t->l.b.warp.resident; rest; rest &= rest - 1)
        expect_warp(t, mask_first(rest));
    for (const struct op *op = t->ops; op < t->ops + OPS; op++) {
        live += op->used;
        held += op->used && t->l.b.ops.items[op->number].access;
    }
    EXPECT(t->l.b.ops.live == live && t->l.b.ops.accesses.count + held == t->made);
    EXPECT(t->asked.done == t->expected.done && t->asked.accesses == t->expected.accesses);
    EXPECT(t->asked.drops == t->expected.drops && !t->asked.acquires && !t->asked.faults);
}

static void expect_whole(struct bench *t)
{
    struct check c;
    check_init(&c);
    check_of(&c, "warps", 0);
    warp_check(&t->l.b.warp, &c);
    bench_expect_whole(&t->l.b, &c);
    bench_check_cores(&t->l.b);
}

static void step(struct bench *t)
{
    struct warp_table *w = &t->l.b.warp;
    for (unsigned i = 0; i < t->l.b.params.cores; i++)
        if (core_results_due(&t->l.b.core[i], t->l.b.agenda.now)) {
            write_back(t, &t->l.b.core[i]);
            expect_all(t);
        }
    for (struct op *op = t->ops; op < t->ops + OPS; op++) {
        if (op->used && op->stores && draw(t, 4) == 0)
            leave(t, op);
        else if (op->used && !op->due && !op->stores && draw(t, 12) == 0)
            complete_access(t, op);
        else
            continue;
        expect_all(t);
    }
    for (uint64_t rest = w->resident; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        if (t->warps[slot].stores && draw(t, 6) == 0) {
            acknowledge(t, slot);
            expect_all(t);
        } else if (!mask_has(w->finished | w->waiting, slot) && draw(t, 40) == 0) {
            change_turn(t, slot);
            expect_all(t);
        }
    }
    for (uint64_t rest = w->cleared & ~w->waiting; rest; rest &= rest - 1)
        if (draw(t, 2))
            issue(t, mask_first(rest));
    warp_all_looked(w);
    warp_cycle_begins(w, ++t->l.b.agenda.now);
    for (uint64_t rest = w->resident; rest; rest &= rest - 1)
        fetch(t, mask_first(rest));
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (mask_has(w->resident, slot) && t->warps[slot].drained)
            warp_go(w, BIT64(slot));
    launch(t);
    expect_whole(t);
}

static void ends_what_the_list_says(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    struct asked sum = {0};
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 40; seed += effort_steps(2, 4)) {
        open_bench(t, seed);
        while (t->l.b.agenda.now < CYCLES)
            step(t);
        t->ended = true;
        while (t->l.b.warp.resident) {
            EXPECT(t->l.b.agenda.now < CYCLES + END_CYCLES);
            step(t);
        }
        EXPECT(t->asked.drained == t->age && !t->l.b.ops.live);
        sum.releases += t->asked.releases;
        sum.drops += t->asked.drops;
        sum.fences += t->asked.fences;
        sum.drained += t->asked.drained;
        bench_close(&t->l.b);
    }
    assert_true(sum.releases > 50 && sum.drops > 50 && sum.fences > 50 && sum.drained > 50);
    free(t);
}

/* Locks */

/* A warp of lanes that execute `statements`, in slot 0. */
static void open_locks(struct bench *t, uint64_t seed, const char *statements, bool queues)
{
    memset(t, 0, sizeof *t);
    lsu_bench_begin(&t->l, seed);
    lsu_bench_open_program(&t->l, statements);
    t->l.grid.lock_queues = (struct simt_lock_queues){.used = queues, .first_wait = 10, .longest_wait = 100};
    bench_open(&t->l.b, &bench_no_policy, NULL, t, t->l.decoded, 1, false);
    bench_launch_warps(&t->l);
    open_completion(t, &t->l.b);
}

static void close_locks(struct bench *t)
{
    lsu_bench_close(&t->l);
}

static struct simt_warp *lanes_of(struct bench *t)
{
    return &t->l.b.warp.slots[0].simt;
}

/* The warp executes up to its next instruction of locks, which is under way then. NULL: it has ended. */
static struct core_op *ask(struct bench *t, struct op *op)
{
    struct core_bench *b = &t->l.b;
    *op = (struct op){.used = true, .number = core_op_new(&b->ops), .global = true};
    struct core_op *o = &b->ops.items[op->number];
    struct simt_result r;
    enum simt_event event;
    o->access = core_access_new(&b->ops, &b->arena);
    while ((event = simt_execute(lanes_of(t), b->agenda.now, o->access, &r)) != SIMT_MEMORY) {
        if (event == SIMT_DONE) {
            core_op_free(&b->ops, op->number);
            return NULL;
        }
        EXPECT(event == SIMT_PLAIN || event == SIMT_JUMP);
    }
    core_op_name(b->core, 0, o, &t->l.decoded[r.pc]);
    op->pc = r.pc;
    o->in_memory = true;
    op->blocks = simt_access_queues(lanes_of(t), o->access) ? CORE_BLOCKS_LANES : CORE_BLOCKS_WARP;
    o->blocks = (uint8_t)op->blocks;
    if (o->blocks == CORE_BLOCKS_LANES) {
        warp_lanes_leave(&b->warp, 0);
        warp_queue_begin(&b->warp, 0);
    } else {
        warp_wait_begin(&b->warp, WARP_WAIT_atomic, BIT64(0));
    }
    warp_op_began(&b->warp, 0, &o->timing);
    return o;
}

static bool waits_for_lock(const struct bench *t)
{
    return mask_has(t->l.b.warp.waits.atomic | t->l.b.warp.in_queues, 0);
}

/* All lanes ask for one lock at once, and get it one after the other. */
static void lanes_take_turns(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    struct op op;
    const struct core_op *o;
    uint32_t word = SIMT_LOCK_FREE;
    uint64_t had = 0;
    assert_non_null(t);
    open_locks(t, 1, "lockstep.lock.global.b32 [%rd1];\nlockstep.unlock.global.b32 [%rd1];", false);
    while ((o = ask(t, &op))) {
        bool gives = o->access->instr->op == ISA_OP_UNLOCK;
        uint64_t lanes = o->access->mask;
        EXPECT(waits_for_lock(t) && (gives ? mask_count(lanes) == 1 : !(lanes & had)));
        had |= gives ? lanes : 0;
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            simt_atomic_lane(lanes_of(t), o->access, mask_first(rest), word);
            if (word == SIMT_LOCK_FREE)
                word = simt_thread_number(lanes_of(t), mask_first(rest));
        }
        word = gives ? SIMT_LOCK_FREE : word;
        complete_access(t, &op);
        EXPECT(!waits_for_lock(t) && t->l.b.views.warps[0].pc == simt_pc(lanes_of(t)));
        EXPECT(t->asked.done == t->expected.done && t->asked.accesses == t->expected.accesses);
    }
    EXPECT(had == mask_low(32) && t->asked.done == 64 && !t->asked.faults && !t->l.b.ops.live);
    close_locks(t);
    free(t);
}

/* A thread gives back a lock that it does not have. */
static void wrong_answer_faults(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    struct op op;
    assert_non_null(t);
    open_locks(t, 1, "lockstep.unlock.global.b32 [%rd1];", false);
    const struct core_op *o = ask(t, &op);
    for (unsigned lane = 0; lane < 32; lane++)
        simt_atomic_lane(lanes_of(t), o->access, lane, SIMT_LOCK_FREE);
    complete_access(t, &op);
    EXPECT(t->asked.faults == 1 && t->asked.done == 1);
    close_locks(t);
    free(t);
}

/* A lane of a warp that is held back for some time is answered: the time is over at once, but where spin control holds
 * the warp back. */
static void answer_in_delay(struct bench *t, const struct core_op *o, unsigned lane, bool backed_off)
{
    struct core_bench *b = &t->l.b;
    uint64_t until = b->agenda.now + 1000;
    if (backed_off)
        core_back_off(b->core, 0);
    warp_wait_until(&b->warp, WARP_WAIT_delay, 0, until);
    sm_lock_answered(&t->c, o, lane, false);
    EXPECT(b->warp.slots[0].wake == (backed_off ? until : b->agenda.now));
    warp_wake_at(&b->warp, 0, b->agenda.now);
    warp_wake(&b->warp, b->agenda.now);
    core_hold_off(b->core, 0);
}

/* Lanes stand in queues, each for a lock of its own: the warp goes on with the first answer, and with no other. */
static void queues_answer_lanes(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    struct op op;
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        open_locks(t, seed,
                   "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nlockstep.lock.global.b32 [%rd1];\n"
                   "lockstep.unlock.global.b32 [%rd1];",
                   true);
        const struct core_op *o = ask(t, &op);
        unsigned first = draw(t, 32);
        EXPECT(waits_for_lock(t) && !t->l.b.warp.slots[0].in_flight);
        sm_lock_answered(&t->c, o, first, true); /* of a lane that did not want to leave */
        EXPECT(waits_for_lock(t) && !t->asked.acquires);
        for (unsigned i = 0; i < 32; i++) {
            unsigned lane = (first + i) % 32;
            t->l.b.agenda.made_progress = false;
            simt_atomic_lane(lanes_of(t), o->access, lane, SIMT_LOCK_FREE);
            if (i == 1 || i == 2)
                answer_in_delay(t, o, lane, i == 2);
            else
                sm_lock_answered(&t->c, o, lane, false);
            EXPECT(!waits_for_lock(t) && t->asked.acquires == 1 && t->acquired == op.pc);
            EXPECT(t->l.b.agenda.made_progress == !i);
            EXPECT(lanes_of(t)->paths.now->mask == BIT64(first) && simt_pc(lanes_of(t)) == op.pc + 1);
            EXPECT(t->l.b.views.warps[0].pc == op.pc + 1 && !t->asked.done);
        }
        complete_access(t, &op);
        EXPECT(t->asked.done == 1 && t->asked.accesses == 1 && simt_pc(lanes_of(t)) == op.pc + 1);
        EXPECT(warp_is_drained(&t->l.b.warp.slots[0]) && !t->l.b.ops.live);
        close_locks(t);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_what_the_list_says),
        cmocka_unit_test(lanes_take_turns),
        cmocka_unit_test(wrong_answer_faults),
        cmocka_unit_test(queues_answer_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
