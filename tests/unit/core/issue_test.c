/* Issue alone: warps of random programs are fetched for, issue, wait and end, and the SM around the cores is a list of
 * what is under way. The list says which warps could issue; every instruction that issues, every warp that a policy is
 * shown, every flush and every scheduler's cycle is held against it. */
#include "unit/core/core_bench.h"
#include "effort.h"

#define INSTRUCTIONS 24
#define BUFFER 2 /* instructions */
#define MOST_OPS 128
#define CYCLES 1000
#define SCHEDULERS 8

/* An instruction under way. */
struct flight {
    bool used, in_pipeline; /* in_pipeline: it has left its register behind issue */
    unsigned slot;
    uint32_t pc;
    uint64_t order; /* of issue, of all cores */
};

/* The part of a scheduler in the present cycle. */
struct look {
    bool shown;      /* the policy was shown warps that are ready */
    uint64_t astray; /* the warps that it could flush then */
    unsigned rank[WARP_SLOTS];
    unsigned issues, slot; /* instructions that it issued, all of one warp */
};

struct bench {
    struct core_bench b;
    struct decoded_instr program[INSTRUCTIONS + BUFFER + 1];
    uint64_t sets[INSTRUCTIONS + BUFFER + 1][3 * BENCH_WORDS];
    struct simt_path path[WARP_SLOTS];
    struct flight flights[MOST_OPS];
    struct look look[SCHEDULERS];
    uint64_t flushed;           /* in this cycle */
    uint64_t age, order, trace; /* warps and instructions so far; a hash of who issued what and when */
    uint64_t issue_cycles, issues, idle_cycles, held_cycles, flushes; /* counted here, of all schedulers */
    unsigned schedulers;
    unsigned bad_scheduler, bad_slot, bad_picks;
    uint64_t issues_before_bad;
    unsigned fault_at;      /* the number of the instruction that is illegal; 0: none */
    unsigned bad_at;        /* the number of the pick that names a warp that was not shown; 0: none */
    bool spins, prefers;    /* spin control holds warps back; the policy always names a warp */
    uint64_t empty, passed; /* cycles of schedulers whose preferred warp has no instruction, by the oracle */
    bool skips;             /* cycles in which nothing can happen are passed over: `skipped` so far */
    uint64_t skipped;
};

static struct bench *bench; /* policies have no other way to it */

/* Policies. Each has an order of preference: the lower the rank, the sooner. */
struct policy_state {
    uint64_t slots;
    unsigned last, index;
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    *(struct policy_state *)state = (struct policy_state){.slots = setup->slots, .last = 63, .index = setup->index};
}

static unsigned rank_lrr(const struct policy_state *s, const struct lockstep_scheduler_view *view, unsigned slot)
{
    (void)view;
    return (slot - s->last - 1) % WARP_SLOTS;
}

static unsigned rank_gto(const struct policy_state *s, const struct lockstep_scheduler_view *view, unsigned slot)
{
    unsigned older = 0;
    for (uint64_t rest = view->members; rest; rest &= rest - 1)
        older += view->warps[mask_first(rest)].age < view->warps[slot].age;
    return slot == s->last ? 0 : 1 + older;
}

typedef unsigned (*rank_function)(const struct policy_state *, const struct lockstep_scheduler_view *, unsigned);

static unsigned first_by(rank_function rank, const struct policy_state *s, const struct lockstep_scheduler_view *view)
{
    unsigned best = LOCKSTEP_NO_WARP;
    for (uint64_t rest = view->ready; rest; rest &= rest - 1)
        if (best == LOCKSTEP_NO_WARP || rank(s, view, mask_first(rest)) < rank(s, view, best))
            best = mask_first(rest);
    return best;
}

static unsigned pick_lrr(const void *state, const struct lockstep_scheduler_view *view)
{
    return first_by(rank_lrr, state, view);
}

static unsigned pick_gto(const void *state, const struct lockstep_scheduler_view *view)
{
    return first_by(rank_gto, state, view);
}

/* Now and then it lets no warp issue, or names one that it was not shown. */
static unsigned pick_moody(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct policy_state *s = state;
    static const unsigned wrong[] = {LOCKSTEP_NO_WARP + 1, UINT32_MAX};
    if (bench->bad_at && bench->issues + 1 >= bench->bad_at) {
        unsigned which = bench->bad_at % 3;
        bench->bad_slot = which < 2 ? wrong[which] : mask_first(~view->ready);
        return bench->bad_slot;
    }
    return random_at(bench->b.seed ^ s->index, view->cycle) % 4 ? first_by(rank_lrr, s, view) : LOCKSTEP_NO_WARP;
}

static bool finds_register(const struct core *core, unsigned kind)
{
    bool found = false;
#define UNIT(name, takes, side, ...)                                                                                   \
    found |= ((takes) >> kind & 1) && core->id_oc[WARP_UNIT_##name].count < core->params->id_oc_##name;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return found;
}

/* By the list alone: the warps whose head passes the scoreboard, and that do not wait. */
static uint64_t could_issue(const struct bench *t)
{
    uint64_t found = 0;
    for (unsigned slot = 0; slot < t->b.params.warps; slot++) {
        const struct warp_slot *s = &t->b.warp.slots[slot];
        const struct decoded_instr *d = &t->program[s->head_pc];
        bool could =
            mask_has(t->b.warp.resident, slot) && s->simt.live && s->buffered && s->head_pc == t->path[slot].pc;
        for (const struct flight *f = t->flights; f < t->flights + MOST_OPS; f++)
            for (unsigned i = 0; i < BENCH_WORDS && f->used && f->slot == slot; i++)
                could &= !(t->program[f->pc].timing.writes[i] & d->uses[i]);
        for (unsigned wait = 0; wait < WARP_WAIT_COUNT; wait++)
            could &= !mask_has(t->b.warp.waits.of[wait], slot);
        found |= could ? BIT64(slot) : 0;
    }
    return found;
}

static uint64_t ready_of(const struct bench *t, const struct core *core, uint64_t slots)
{
    uint64_t ready = 0;
    for (uint64_t rest = could_issue(t) & slots; rest; rest &= rest - 1)
        if (finds_register(core, t->program[t->b.warp.slots[mask_first(rest)].head_pc].timing.unit))
            ready |= rest & -rest;
    return ready;
}

static struct core *core_for(struct bench *t, unsigned slot)
{
    return &t->b.core[slot % t->b.params.cores];
}

/* A scheduler shows its policy exactly those of its warps that can issue. */
static void shown(rank_function rank, const struct policy_state *s, const struct lockstep_scheduler_view *view)
{
    struct bench *t = bench;
    const struct warp_table *w = &t->b.warp;
    struct look *look = &t->look[s->index];
    assert_false(look->shown || look->issues);
    assert_int_equal(view->cycle, t->b.agenda.now);
    assert_int_equal(view->ready, ready_of(t, core_for(t, mask_first(s->slots)), s->slots));
    assert_int_not_equal(view->ready, 0);
    assert_int_equal(view->members, w->resident & ~w->finished & s->slots);
    assert_int_equal(view->waiting, view->members & w->waiting);
    assert_int_equal(view->at_barrier, view->members & w->waits.barrier);
    look->shown = true;
    look->astray = s->slots & w->mispredicted & ~w->waiting;
    for (uint64_t rest = view->members; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        bool held = mask_has(core_for(t, slot)->issue.backed_off, slot);
        look->rank[slot] = rank(s, view, slot) + (held ? WARP_SLOTS + 1 : 0);
    }
}

static void shown_lrr(void *state, const struct lockstep_scheduler_view *view)
{
    shown(rank_lrr, state, view);
}

static void shown_gto(void *state, const struct lockstep_scheduler_view *view)
{
    shown(rank_gto, state, view);
}

static void issued(void *state, unsigned slot, const struct lockstep_scheduler_view *view)
{
    struct policy_state *s = state;
    assert_true(mask_has(s->slots, slot));
    assert_true(bench->b.stopped || view->warps[slot].issued_pc == bench->b.warp.slots[slot].head_pc - 1);
    s->last = slot;
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    assert_true(mask_has(((struct policy_state *)state)->slots, launch->warp));
}

static void ended(void *state, unsigned slot, uint64_t cycle)
{
    assert_true(mask_has(((struct policy_state *)state)->slots, slot));
    assert_int_equal(cycle, bench->b.agenda.now);
}

#define POLICY(name_, rank)                                                                                            \
    {                                                                                                                  \
        .name = #name_, .state_bytes = sizeof(struct policy_state), .reset = reset, .advance = shown_##rank,           \
        .pick = pick_##name_, .issued = issued, .launched = launched, .ended = ended                                   \
    }
enum { LRR, GTO, MOODY, POLICIES };
static const struct lockstep_scheduler policies[] = {POLICY(lrr, lrr), POLICY(gto, gto), POLICY(moody, lrr)};

/* The SM around the cores */

static void release(struct bench *t, unsigned slot, bool releases)
{
    if (releases && !mask_has(t->b.warp.waits.barrier, slot))
        warp_wait_begin(&t->b.warp, WARP_WAIT_fence, BIT64(slot));
}

/* The class is the first that takes the kind and has a register. */
static void expect_class(const struct core *core, const struct core_op *o)
{
    enum warp_unit first = WARP_UNIT_COUNT;
#define UNIT(name, takes, side, ...)                                                                                   \
    if (first == WARP_UNIT_COUNT && ((takes) >> o->timing.unit & 1) &&                                                 \
        core->id_oc[WARP_UNIT_##name].count < core->params->id_oc_##name)                                              \
        first = WARP_UNIT_##name;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    assert_int_equal(o->unit, first);
    assert_int_equal(o->access != NULL, warp_unit_is_memory(o->unit));
}

static void expect_may_issue(struct bench *t, unsigned slot, const struct core_op *o)
{
    unsigned scheduler = slot % t->schedulers;
    struct look *look = &t->look[scheduler];
    assert_false(t->b.stopped);
    if (!mask_has(could_issue(t), slot))
        fail_msg("seed %llu, cycle %llu: warp %u issues and could not", (unsigned long long)t->b.seed,
                 (unsigned long long)t->b.agenda.now, slot);
    assert_int_equal(t->b.agenda.now % t->b.params.issue_interval, scheduler % t->b.params.issue_interval);
    assert_true(look->shown && (!look->issues || look->slot == slot));
    assert_true(look->issues < t->b.params.issue_width);
    assert_ptr_equal(o->decoded, &t->program[t->path[slot].pc]);
    assert_int_equal(o->slot, slot);
    expect_class(core_for(t, slot), o);
}

/* Spin control: an instruction ends that the warp is held back, or begins it. */
static void spin(struct bench *t, unsigned slot)
{
    core_hold_off(core_for(t, slot), slot);
    if (!t->spins || bench_draw(&t->b, 8) || mask_has(t->b.warp.finished, slot))
        return;
    core_back_off(core_for(t, slot), slot);
    if (bench_draw(&t->b, 2))
        warp_wait_until(&t->b.warp, WARP_WAIT_delay, slot, t->b.agenda.now + 2 + bench_draw(&t->b, 9));
}

static void end_warp(struct bench *t, unsigned slot)
{
    t->b.warp.slots[slot].simt.live = 0;
    warp_finish(&t->b.warp, slot);
    core_warp_ended(core_for(t, slot), slot);
}

/* The warp goes on, and may begin to wait. */
static void go_on(struct bench *t, unsigned slot, uint32_t pc)
{
    uint32_t wait = bench_draw(&t->b, 24);
    t->path[slot].pc = bench_draw(&t->b, 5) ? pc + 1 : bench_draw(&t->b, INSTRUCTIONS);
    if (t->path[slot].pc >= INSTRUCTIONS)
        t->path[slot].pc = 0;
    if (wait == WARP_WAIT_sleep)
        warp_wait_until(&t->b.warp, wait, slot, t->b.agenda.now + 1 + bench_draw(&t->b, 40));
    else if (wait == WARP_WAIT_barrier || wait == WARP_WAIT_atomic)
        warp_wait_begin(&t->b.warp, wait, BIT64(slot));
}

static bool perform(void *sm, unsigned slot, struct core_op *o)
{
    struct bench *t = sm;
    uint32_t op = (uint32_t)(o - t->b.ops.items);
    struct look *look = &t->look[slot % t->schedulers];
    uint32_t pc = t->path[slot].pc;
    expect_may_issue(t, slot, o);
    if (t->fault_at && t->issues + 1 == t->fault_at) {
        t->b.stopped = true;
        t->bad_scheduler = slot % t->schedulers;
        return false;
    }
    assert_true(op < MOST_OPS && !t->flights[op].used);
    t->flights[op] = (struct flight){.used = true, .slot = slot, .pc = pc, .order = t->order++};
    t->issue_cycles += !look->issues++;
    look->slot = slot;
    t->issues++;
    t->trace = hash_add(hash_add(t->trace, t->b.agenda.now), slot * 256u + pc);
    o->source = (uint8_t)(o->access ? bench_draw(&t->b, 3) : WARP_FROM_OP);
    if (bench_draw(&t->b, 40) == 0)
        end_warp(t, slot);
    else
        go_on(t, slot, pc);
    spin(t, slot);
    return true;
}

static void flush(void *sm, unsigned slot)
{
    struct bench *t = sm;
    assert_true(mask_has(t->b.warp.mispredicted & ~t->b.warp.waiting, slot));
    warp_flush(&t->b.warp, slot);
    t->flushed |= BIT64(slot);
    t->flushes++;
}

static void reach_release(void *sm, unsigned slot)
{
    release(sm, slot, true);
}

static unsigned pick_held(void *sm, const struct lockstep_scheduler_view *view, void *state)
{
    struct bench *t = sm;
    assert_int_equal(view->ready & ~core_for(t, mask_first(view->ready))->issue.backed_off, 0);
    return t->prefers ? t->b.core->issue.policy->pick(state, view) : pick_lrr(state, view);
}

static void bad_pick(void *sm, unsigned scheduler, unsigned picked)
{
    struct bench *t = sm;
    t->bad_picks++;
    t->bad_scheduler = scheduler;
    t->issues_before_bad = t->issues;
    assert_int_equal(picked, t->bad_slot);
    t->b.stopped = true;
}

static enum warp_unit issue_one(struct core *core, unsigned slot)
{
    return core_issue_with(core, slot, perform);
}

static const struct core_port port = {issue_one, NULL, flush, reach_release, pick_held, bad_pick};

static void make_instruction(struct bench *t, uint32_t pc)
{
    struct decoded_instr *d = &t->program[pc];
    uint64_t *uses = t->sets[pc], *writes = uses + BENCH_WORDS, *reads = writes + BENCH_WORDS;
    uint32_t written = bench_draw(&t->b, 80), read = bench_draw(&t->b, 80);
    if (written < 70)
        writes[written / 64] |= BIT64(written % 64);
    reads[read / 64] |= BIT64(read % 64);
    for (unsigned i = 0; i < BENCH_WORDS; i++)
        uses[i] = reads[i] | writes[i];
    d->uses = uses;
    d->timing = (struct instr_timing){
        .writes = writes, .write_count = written < 70, .unit = (uint8_t)bench_draw(&t->b, ISA_UNIT_COUNT)};
    d->structural = (uint8_t)warp_account_unit(d->timing.unit);
    d->after = (uint8_t)(bench_draw(&t->b, 8) ? INSTR_AFTER_NOTHING : INSTR_AFTER_FENCE);
}

static void open_bench(struct bench *t, uint64_t seed, unsigned policy)
{
    memset(t, 0, sizeof *t);
    bench = t;
    bench_begin(&t->b, seed);
    bench_vary_units(&t->b);
    struct sm_params *p = &t->b.params;
    p->warps = bench_between(&t->b, 4, 20);
    p->cores = seed % 3 ? 1 : seed % 2 ? 2 : 4;
    p->schedulers = bench_between(&t->b, 1, 4);
    p->issue_width = bench_draw(&t->b, 2) ? 1 : bench_between(&t->b, 2, 4);
    p->issue_interval = bench_draw(&t->b, 3) ? 1 : bench_between(&t->b, 2, 5);
    p->schedulers_take_turns = bench_draw(&t->b, 4);
    p->overtakes = bench_draw(&t->b, 3) ? 1 + bench_draw(&t->b, 4) : 0;
    t->spins = bench_draw(&t->b, 2);
    t->prefers = policy != MOODY;
    t->schedulers = core_schedulers(p);
    for (uint32_t pc = 0; pc < INSTRUCTIONS + BUFFER + 1; pc++)
        make_instruction(t, pc);
    bench_open(&t->b, &policies[policy], &port, t, t->program, 1, false);
}

static void launch(struct bench *t)
{
    struct warp_table *w = &t->b.warp;
    uint64_t free = mask_low(t->b.params.warps) & ~w->resident;
    if (!free || bench_draw(&t->b, 3))
        return;
    unsigned slot = mask_first(free);
    warp_clear(w, BIT64(slot));
    core_hold_off(core_for(t, slot), slot);
    warp_start(w, slot, 0, t->age);
    t->path[slot] = (struct simt_path){.pc = bench_draw(&t->b, INSTRUCTIONS), .mask = 1};
    w->slots[slot].simt.live = 1;
    w->slots[slot].simt.paths.now = &t->path[slot];
    core_view_begins(&t->b.views, slot, t->age++, 0, t->path[slot].pc);
    core_warp_launched(core_for(t, slot), slot);
    warp_come(w, BIT64(slot));
}

/* An op leaves its register behind issue: as collectors take it. */
static void leave_register(struct bench *t, struct core *core, unsigned unit)
{
    uint32_t op = core_leave(core, (enum warp_unit)unit);
    assert_true(t->flights[op].used && !t->flights[op].in_pipeline);
    t->flights[op].in_pipeline = true;
    if (!core->line || !warp_unit_is_memory(unit))
        return;
    for (unsigned i = 0; i < MOST_OPS; i++) /* no memory instruction of any core is older */
        assert_true(!t->flights[i].used || t->flights[i].in_pipeline || !warp_unit_is_memory(t->b.ops.items[i].unit) ||
                    t->flights[i].order > t->flights[op].order);
    core_line_pop(core->line);
}

static void leave_registers(struct bench *t)
{
    for (unsigned i = 0; i < t->b.params.cores; i++)
        for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++) {
            struct core *core = &t->b.core[i];
            bool in_line = core->line && warp_unit_is_memory(unit);
            if (core->id_oc[unit].count && bench_draw(&t->b, 2) && (!in_line || core_line_first(core->line) == i))
                leave_register(t, core, unit);
        }
}

static void complete(struct bench *t, uint32_t op)
{
    struct flight *f = &t->flights[op];
    struct core_op *o = &t->b.ops.items[op];
    const struct instr_timing timing = o->timing;
    enum warp_source source = (enum warp_source)o->source;
    f->used = false;
    core_op_free(&t->b.ops, op);
    release(t, f->slot, warp_op_ended(&t->b.warp, f->slot, &timing));
    if (source != WARP_FROM_OP)
        warp_load_ended(&t->b.warp, f->slot, &timing, source);
}

static void end_waits(struct bench *t)
{
    struct warp_table *w = &t->b.warp;
    for (unsigned wait = 0; wait < WARP_WAIT_COUNT; wait++)
        for (uint64_t rest = w->waits.of[wait]; rest; rest &= rest - 1)
            if (warp_wait_info(wait)->ender != WARP_WAIT_BY_CLOCK && !bench_draw(&t->b, 6)) {
                warp_wait_end(w, wait, rest & -rest);
                if (wait == WARP_WAIT_barrier && warp_at_release(w, mask_first(rest)))
                    release(t, mask_first(rest), true);
            }
}

static void fetch(struct bench *t, unsigned slot)
{
    struct warp_table *w = &t->b.warp;
    if (mask_has(w->finished, slot) || w->slots[slot].buffered || bench_draw(&t->b, 2))
        return;
    release(t, slot, warp_fetched(w, slot, t->path[slot].pc, 1 + bench_draw(&t->b, BUFFER), t->path[slot].pc));
}

/* In some cycles the neighbours do nothing: then the cores are alone, and at rest soon. */
static bool is_quiet(const struct bench *t, uint64_t cycle)
{
    return random_at(t->b.seed, 1000000 + cycle / 16) % 3 == 0;
}

static void before_issue(struct bench *t)
{
    leave_registers(t);
    for (uint32_t op = 0; op < MOST_OPS; op++)
        if (t->flights[op].used && t->flights[op].in_pipeline && !bench_draw(&t->b, 5))
            complete(t, op);
    end_waits(t);
}

static void behind_issue(struct bench *t)
{
    struct warp_table *w = &t->b.warp;
    for (uint64_t rest = w->resident; rest; rest &= rest - 1)
        fetch(t, mask_first(rest));
    for (uint64_t rest = w->resident & w->finished; rest; rest &= rest - 1)
        if (warp_is_drained(&w->slots[mask_first(rest)]))
            warp_go(w, rest & -rest);
    launch(t);
}

static uint64_t slots_of(const struct bench *t, unsigned scheduler)
{
    uint64_t slots = 0;
    for (unsigned slot = scheduler; slot < t->b.params.warps; slot += t->schedulers)
        slots |= BIT64(slot);
    return slots;
}

/* Of the warps that had gone astray, those are flushed that the scheduler met before the one that it issued: all of
 * them, where none was ready. `astray`: before the cycle. */
static void expect_flushes(const struct bench *t, unsigned scheduler, uint64_t astray)
{
    const struct look *look = &t->look[scheduler];
    uint64_t should_be = 0, flushed = t->flushed & slots_of(t, scheduler);
    bool has_turn = t->b.agenda.now % t->b.params.issue_interval == scheduler % t->b.params.issue_interval;
    if (!look->shown) {
        assert_int_equal(flushed, has_turn ? astray : 0);
        return;
    }
    if (!look->issues || !t->prefers)
        return;
    for (uint64_t rest = look->astray; rest; rest &= rest - 1)
        if (look->rank[mask_first(rest)] < look->rank[look->slot])
            should_be |= rest & -rest;
    assert_int_equal(flushed & ~BIT64(look->slot), should_be);
}

/* The oracle of core_note_preferred, from the warps one by one and the order of preference: the warp that a scheduler
 * would issue first if all that wait for nothing could issue has no instruction. Warps that spin control holds back
 * come behind the others. */
static bool lacks_preferred(const struct bench *t, unsigned scheduler)
{
    const struct core *core = &t->b.core[scheduler % t->b.params.cores];
    const struct policy_state *state = core->issue.of[scheduler / t->b.params.cores].state;
    struct lockstep_scheduler_view view = {.cycle = t->b.agenda.now, .warps = t->b.views.warps};
    uint64_t free = 0, held = 0;
    for (uint64_t rest = t->b.warp.resident & slots_of(t, scheduler); rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        bool awake = t->b.warp.slots[slot].simt.live;
        view.members |= awake ? BIT64(slot) : 0;
        for (unsigned wait = 0; wait < WARP_WAIT_COUNT; wait++)
            awake &= !mask_has(t->b.warp.waits.of[wait], slot);
        *(mask_has(core->issue.backed_off, slot) ? &held : &free) |= awake ? BIT64(slot) : 0;
    }
    view.ready = free ? free : held;
    unsigned first = free || t->prefers ? core->issue.policy->pick(state, &view) : pick_lrr(state, &view);
    return view.ready && first != LOCKSTEP_NO_WARP && !t->b.warp.slots[first].buffered;
}

/* As the SM does under sm.counts_preferred, in the cycles in which schedulers are to look. */
static void issue_cores(struct bench *t)
{
    bool counts = !t->bad_at && !t->fault_at, lacks[SCHEDULERS];
    for (unsigned s = 0; s < t->schedulers; s++)
        lacks[s] = counts && lacks_preferred(t, s);
    for (unsigned i = 0; i < t->b.params.cores && counts; i++)
        core_note_preferred(&t->b.core[i]);
    for (unsigned i = 0; i < t->b.params.cores; i++)
        core_issue(&t->b.core[i]);
    for (unsigned i = 0; i < t->b.params.cores && counts; i++)
        core_count_preferred(&t->b.core[i]);
    for (unsigned s = 0; s < t->schedulers; s++) {
        t->empty += lacks[s];
        t->passed += lacks[s] && t->look[s].issues;
    }
}

static void expect_preferred(const struct bench *t)
{
    uint64_t empty = 0, passed = 0;
    for (unsigned i = 0; i < t->b.params.cores; i++) {
        empty += t->b.core[i].issue.preferred_empty;
        passed += t->b.core[i].issue.preferred_passed;
    }
    assert_int_equal(empty, t->empty);
    assert_int_equal(passed, t->passed);
}

static void issue(struct bench *t)
{
    struct warp_table *w = &t->b.warp;
    uint64_t astray = w->mispredicted & ~w->waiting;
    memset(t->look, 0, sizeof t->look);
    t->flushed = 0;
    for (unsigned s = 0; s < t->schedulers; s++)
        t->idle_cycles += !(w->resident & slots_of(t, s));
    issue_cores(t);
    for (unsigned s = 0; s < t->schedulers && !t->b.stopped; s++) {
        expect_flushes(t, s, astray & slots_of(t, s));
        t->held_cycles += t->look[s].shown && !t->look[s].issues;
    }
    warp_all_looked(w);
}

static struct core_stalls stalls_of(struct bench *t)
{
    struct core_stalls sum = {0};
    for (unsigned i = 0; i < t->b.params.cores; i++) {
        core_give_all(&t->b.core[i], t->b.agenda.now);
        for (unsigned s = 0; s < CORE_STALL_COUNT; s++)
            (&sum.issued)[s] += (&t->b.core[i].stalls.issued)[s];
    }
    return sum;
}

static uint64_t sum_of(const struct core_stalls *stalls)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < CORE_STALL_COUNT; s++)
        sum += (&stalls->issued)[s];
    return sum;
}

/* The next cycle that must be stepped, while the neighbours do nothing: as sm_step finds it. */
static uint64_t next_step(const struct bench *t)
{
    const struct warp_table *w = &t->b.warp;
    uint64_t now = t->b.agenda.now, free = 0, next = now;
    for (unsigned i = 0; i < t->b.params.cores; i++)
        free |= core_units_free(&t->b.core[i]);
    if (w->changed && (warp_wide_awake(w) & (w->mispredicted | free)))
        return now;
    while (next < CYCLES && is_quiet(t, next))
        next++;
    return cycle_min(next, cycle_max(now, warp_next_wake(w)));
}

static void pass_to(struct bench *t, uint64_t cycle)
{
    for (unsigned i = 0; i < t->b.params.cores; i++)
        core_skip(&t->b.core[i], cycle);
    for (unsigned s = 0; s < t->schedulers; s++)
        t->idle_cycles += t->b.warp.resident & slots_of(t, s) ? 0 : cycle - t->b.agenda.now;
    warp_cycle_begins(&t->b.warp, cycle);
    t->skipped += cycle - t->b.agenda.now;
    t->b.agenda.now = cycle;
}

static void step(struct bench *t)
{
    struct warp_table *w = &t->b.warp;
    bool quiet = is_quiet(t, t->b.agenda.now);
    if (!quiet)
        before_issue(t);
    if (warp_waits_timed(&w->waits))
        warp_wake(w, t->b.agenda.now);
    if (w->changed || !t->skips)
        issue(t);
    else
        for (unsigned s = 0; s < t->schedulers; s++)
            t->idle_cycles += !(w->resident & slots_of(t, s));
    warp_cycle_begins(w, t->b.agenda.now + 1);
    if (!quiet && !t->b.stopped)
        behind_issue(t);
    t->b.agenda.now++;
}

static void expect_whole(struct bench *t)
{
    struct check c;
    check_init(&c);
    check_of(&c, "warps", 0);
    warp_check(&t->b.warp, &c);
    bench_expect_whole(&t->b, &c);
    bench_check_cores(&t->b);
    struct core_stalls stalls = stalls_of(t);
    assert_int_equal(sum_of(&stalls), t->b.agenda.now * t->schedulers);
    assert_int_equal(stalls.issued, t->issue_cycles);
    assert_int_equal(stalls.idle, t->idle_cycles);
    assert_int_equal(stalls.held, t->held_cycles);
    expect_preferred(t);
}

/* Runs until something is illegal, or to the end. */
static struct core_stalls run(struct bench *t)
{
    uint64_t extra = 0;
    while (t->b.agenda.now < CYCLES && !t->b.stopped) {
        step(t);
        if (!t->b.stopped && random_at(t->b.seed, t->b.agenda.now) % 8 == 0)
            expect_whole(t);
        uint64_t next = t->skips && !t->b.stopped ? next_step(t) : 0;
        if (next > t->b.agenda.now)
            pass_to(t, next);
    }
    for (unsigned i = 0; i < t->b.params.cores; i++)
        extra += t->b.core[i].issue.extra_issues;
    assert_true(t->b.stopped || extra == t->issues - t->issue_cycles);
    return stalls_of(t);
}

static void every_issue_is_allowed(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    uint64_t skipped = 0, extra = 0, flushes = 0, empty = 0, passed = 0;
    for (uint64_t seed = 1; seed <= 36; seed += effort_steps(1, 5)) {
        unsigned policy = (unsigned)(seed / 4) % POLICIES;
        open_bench(t, seed, policy);
        struct core_stalls stepped = run(t);
        uint64_t trace = t->trace, issues = t->issues;
        assert_true(t->issues > 50);
        extra += t->issues - t->issue_cycles;
        flushes += t->flushes;
        empty += t->empty;
        passed += t->passed;
        bench_close(&t->b);
        open_bench(t, seed, policy);
        t->skips = true;
        struct core_stalls passed = run(t);
        assert_int_equal(t->issues, issues);
        assert_int_equal(t->trace, trace);
        assert_memory_equal(&passed, &stepped, sizeof passed);
        skipped += t->skipped;
        bench_close(&t->b);
    }
    assert_true(skipped > 100 && extra > 100 && flushes > 100 && passed > 100 && empty > passed + 100);
    free(t);
}

/* The scheduler has ended the run in this cycle: it and those that looked before it own the cycle, the others do not,
 * and nothing issues any more. */
static void expect_ended(struct bench *t, unsigned scheduler)
{
    struct core_stalls stalls = stalls_of(t);
    uint64_t issues = t->issues, before = (t->b.agenda.now - 1) * t->schedulers;
    unsigned first = t->b.params.cores > 1 ? 0 : t->b.core->issue.looks_first;
    assert_int_equal(sum_of(&stalls), before + (scheduler + t->schedulers - first) % t->schedulers + 1);
    for (unsigned i = 0; i < 5; i++, t->b.agenda.now++)
        for (unsigned core = 0; core < t->b.params.cores; core++)
            core_issue(&t->b.core[core]);
    assert_int_equal(t->issues, issues);
}

static void bad_picks_end_the_run(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        open_bench(t, seed, MOODY);
        t->bad_at = 20 + (unsigned)seed;
        run(t);
        assert_true(t->b.stopped);
        assert_int_equal(t->bad_picks, 1);
        assert_int_equal(t->issues, t->issues_before_bad);
        assert_true(t->look[t->bad_scheduler].shown && !t->look[t->bad_scheduler].issues);
        expect_ended(t, t->bad_scheduler);
        bench_close(&t->b);
    }
    free(t);
}

static void illegal_instructions_do_not_issue(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        open_bench(t, seed, LRR);
        t->fault_at = 30;
        run(t);
        assert_true(t->b.stopped);
        assert_int_equal(t->issues, t->fault_at - 1);
        unsigned live = 0;
        for (unsigned op = 0; op < MOST_OPS; op++)
            live += t->flights[op].used;
        assert_int_equal(t->b.ops.live, live);
        expect_ended(t, t->bad_scheduler);
        bench_close(&t->b);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_issue_is_allowed),
        cmocka_unit_test(bad_picks_end_the_run),
        cmocka_unit_test(illegal_instructions_do_not_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
