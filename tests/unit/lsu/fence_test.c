/* Fences and releases alone: warps' accesses begin, leave and end in random order, blocks synchronise, and warps come
 * to fences and releases. A list of the accesses that are not performed says after every event which warps wait. Then
 * what ends with a fence: the L1D drops its lines and, where it keeps what it has written, that has reached the L2. */
#include "unit/lsu/lsu_bench.h"
#include "effort.h"

#define CYCLES 600
#define ACCESSES 64

/* The instructions of the program, by place. */
enum { LOAD, STORE, ATOMIC, FENCE, STORE_RELEASE, ATOMIC_RELEASE };
static const char program[] = "ld.global.u32 %r2, [%rd1];\n"
                              "st.global.u32 [%rd1], %r1;\n"
                              "atom.global.add.u32 %r3, [%rd1], %r1;\n"
                              "fence.acq_rel.gpu;\n"
                              "st.release.gpu.global.u32 [%rd1], %r1;\n"
                              "atom.acq_rel.gpu.global.add.u32 %r4, [%rd1], %r1;\n";

struct access {
    bool used, complete; /* complete: its op is */
    uint32_t op, pc;
    unsigned slot;
    uint64_t order;             /* of issue */
    unsigned to_leave, to_come; /* parts of a store: inside the SM; outside, and not acknowledged */
    uint8_t epoch;
};

/* A warp that waits, by the oracle: for its own accesses, and for those that its block issued before `after`. */
struct wait {
    bool waits, late; /* late: the order of its block had no place for an epoch, so it may wait for more */
    uint64_t after;
};

struct bench {
    struct lsu_bench l;
    struct access accesses[ACCESSES];
    struct wait waits[BENCH_WARPS];
    uint64_t order, synchronised[BENCH_BLOCKS]; /* synchronised: the order of issue when the block last did */
    uint64_t fences, releases, held_up;         /* held_up: by other warps' accesses */
};

static void open_bench(struct bench *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    lsu_bench_begin(&t->l, seed);
    t->l.b.params.fence_waits_stores = seed % 4 != 0;
    t->l.b.params.fence_is_cumulative = seed % 3 != 0;
    t->l.b.params.fence_l1 = seed % 2 ? SM_FENCE_INVALIDATE : SM_FENCE_NONE;
    static const struct lsu_port none = {.complete = NULL};
    lsu_bench_open(&t->l, program, &none, NULL);
    for (uint32_t pc = 0; pc < t->l.module->instr_count; pc++) {
        struct decoded_instr *d = &t->l.decoded[pc];
        bool writes = pc == LOAD || pc == ATOMIC || pc == ATOMIC_RELEASE;
        d->timing.write_count = writes;
        d->after = pc == STORE_RELEASE || pc == ATOMIC_RELEASE ? INSTR_AFTER_FENCE : INSTR_AFTER_NOTHING;
    }
}

/* The oracle */

static bool is_atomic(const struct access *a)
{
    return a->pc == ATOMIC || a->pc == ATOMIC_RELEASE;
}

static bool is_out(const struct access *a)
{
    return a->used && (!a->complete || a->to_come);
}

/* Nothing is out any more that a warp which waits has to wait for. */
static bool is_over(const struct bench *t, unsigned slot)
{
    for (const struct access *a = t->accesses; a < t->accesses + ACCESSES; a++) {
        bool own = a->slot == slot, block = bench_block_of(a->slot) == bench_block_of(slot);
        if (!is_out(a))
            continue;
        if (!t->l.b.params.fence_waits_stores) {
            if (own && !a->complete && t->l.decoded[a->pc].timing.write_count)
                return false;
        } else if (own || (block && !is_atomic(a) && a->order < t->waits[slot].after)) {
            return false;
        }
    }
    return true;
}

static bool others_hold_up(const struct bench *t, unsigned slot)
{
    for (const struct access *a = t->accesses; a < t->accesses + ACCESSES; a++)
        if (is_out(a) && a->slot == slot)
            return false;
    return !is_over(t, slot);
}

/* After an event, exactly those warps wait that have to. One that came to a fence in this cycle or the last may not
 * have been looked at (all_looked: no such one is left). */
static void expect_waits(struct bench *t, bool all_looked)
{
    for (unsigned slot = 0; slot < BENCH_WARPS; slot++) {
        struct wait *w = &t->waits[slot];
        bool kept = mask_has(t->l.b.warp.waits.fence, slot), over = is_over(t, slot);
        bool not_seen = mask_has(t->l.lsu.fences.reached, slot) && !all_looked;
        w->late |= t->l.lsu.blocks[bench_block_of(slot)].order.late;
        t->held_up += w->waits && others_hold_up(t, slot);
        if (kept && (!w->waits || (over && !not_seen && !w->late)))
            fail_msg("seed %llu, cycle %llu: warp %u waits, but nothing holds it up", (unsigned long long)t->l.b.seed,
                     (unsigned long long)t->l.b.agenda.now, slot);
        if (!kept && w->waits && !over)
            fail_msg("seed %llu, cycle %llu: warp %u goes on, but something is not performed",
                     (unsigned long long)t->l.b.seed, (unsigned long long)t->l.b.agenda.now, slot);
        if (!kept) {
            *w = (struct wait){.waits = false};
            assert_false(mask_has(t->l.lsu.fences.invalidates, slot));
        }
    }
}

static void begin_wait(struct bench *t, unsigned slot)
{
    t->waits[slot] = (struct wait){.waits = true, .after = t->synchronised[bench_block_of(slot)]};
}

/* The SM around the unit */

static void reach_release(struct bench *t, unsigned slot)
{
    if (!mask_has(t->l.b.warp.waits.barrier, slot))
        begin_wait(t, slot);
    lsu_reach_release(&t->l.lsu, slot);
    t->releases++;
}

static void begin_access(struct bench *t, unsigned slot, uint32_t pc)
{
    struct core_bench *b = &t->l.b;
    struct access *a = t->accesses;
    while (a < t->accesses + ACCESSES && a->used)
        a++;
    if (a == t->accesses + ACCESSES)
        return;
    uint32_t op = core_op_new(&b->ops);
    struct core_op *o = &b->ops.items[op];
    core_op_name(b->core, slot, o, &t->l.decoded[pc]);
    o->slot = (uint8_t)slot;
    o->in_memory = true;
    o->access = core_access_new(&b->ops, &b->arena);
    o->access->instr = &t->l.module->instrs[pc];
    o->access->space = ISA_SPACE_GLOBAL;
    o->access->kind = pc == LOAD                           ? ISA_FLAG_LOAD
                      : pc == STORE || pc == STORE_RELEASE ? ISA_FLAG_STORE
                                                           : ISA_FLAG_ATOMIC;
    *a = (struct access){.used = true, .op = op, .pc = pc, .slot = slot, .order = t->order++};
    a->to_leave = o->access->kind == ISA_FLAG_STORE ? bench_draw(b, 4) : 0;
    if (!is_atomic(a))
        lsu_access_begins(&t->l.lsu, o);
    a->epoch = o->epoch;
    warp_op_began(&b->warp, slot, &o->timing);
}

/* A part of a store enters the network. */
static void leave(struct bench *t, struct access *a)
{
    a->to_leave--;
    a->to_come++;
    warp_store_left(&t->l.b.warp, a->slot);
    block_order_add(&t->l.lsu.blocks[bench_block_of(a->slot)].order, a->epoch);
}

/* The warp looks whether it was that for which it waited. */
static void rest(struct bench *t, unsigned slot)
{
    if (mask_has(t->l.b.warp.waits.fence, slot))
        lsu_check_fence(&t->l.lsu, slot);
}

static void end_if_performed(struct access *a)
{
    a->used = !a->complete || a->to_come;
}

static void complete(struct bench *t, struct access *a)
{
    struct core_op o = t->l.b.ops.items[a->op];
    a->complete = true;
    assert_false(warp_op_ended(&t->l.b.warp, a->slot, &o.timing));
    lsu_access_ends(&t->l.lsu, &o);
    core_op_free(&t->l.b.ops, a->op);
    rest(t, a->slot);
    end_if_performed(a);
}

static void acknowledge(struct bench *t, struct access *a)
{
    a->to_come--;
    warp_store_acknowledged(&t->l.b.warp, a->slot);
    lsu_performed(&t->l.lsu, bench_block_of(a->slot), a->epoch);
    rest(t, a->slot);
    end_if_performed(a);
}

static void move_access(struct bench *t, struct access *a)
{
    if (!a->used || bench_draw(&t->l.b, 8))
        return;
    if (a->to_leave)
        leave(t, a);
    else if (!a->complete && (!a->to_come || bench_draw(&t->l.b, 2)))
        complete(t, a);
    else if (a->to_come)
        acknowledge(t, a);
    expect_waits(t, false);
}

/* A release comes to the head of the warp's buffer. */
static void fetch_release(struct bench *t, unsigned slot)
{
    struct warp_table *w = &t->l.b.warp;
    uint32_t pc = bench_draw(&t->l.b, 2) ? STORE_RELEASE : ATOMIC_RELEASE;
    w->slots[slot].simt.paths.now->pc = pc;
    assert_true(warp_fetched(w, slot, pc, 1, pc));
    reach_release(t, slot);
}

static void issue_release(struct bench *t, unsigned slot)
{
    uint32_t pc = t->l.b.warp.slots[slot].head_pc;
    assert_false(warp_issued(&t->l.b.warp, slot, pc + 1));
    warp_all_looked(&t->l.b.warp);
    begin_access(t, slot, pc);
}

static void reach_fence(struct bench *t, unsigned slot)
{
    begin_wait(t, slot);
    lsu_reach_fence(&t->l.lsu, slot);
    t->fences++;
}

static void synchronise(struct bench *t, unsigned block)
{
    bool exchanges = bench_draw(&t->l.b, 8) == 0;
    if (exchanges)
        lsu_block_exchanges(&t->l.lsu, block);
    else
        lsu_synchronise_block(&t->l.lsu, block);
    if (exchanges || t->l.b.params.fence_is_cumulative)
        t->synchronised[block] = t->order;
}

static void act(struct bench *t, unsigned slot)
{
    struct warp_table *w = &t->l.b.warp;
    if (mask_has(w->waiting, slot))
        return;
    unsigned what = bench_draw(&t->l.b, 40);
    if (w->slots[slot].buffered)
        issue_release(t, slot);
    else if (what < 6)
        begin_access(t, slot, what % 3);
    else if (what == 6)
        reach_fence(t, slot);
    else if (what == 7)
        fetch_release(t, slot);
    else if (what == 8)
        synchronise(t, bench_block_of(slot));
    else if (what == 9) {
        warp_wait_begin(w, WARP_WAIT_barrier, BIT64(slot));
        if (bench_draw(&t->l.b, 2)) {
            fetch_release(t, slot);
            assert_false(mask_has(w->waits.fence, slot)); /* it has not come to its release yet */
        }
    }
    expect_waits(t, false);
}

/* The block's barrier opens: releases behind it wait for what the other warps did before it, too. */
static void open_barrier(struct bench *t, unsigned block)
{
    struct warp_table *w = &t->l.b.warp;
    uint64_t waiting = w->waits.barrier & t->l.lsu.blocks[block].warps;
    if (!waiting || bench_draw(&t->l.b, 8))
        return;
    synchronise(t, block);
    warp_wait_end(w, WARP_WAIT_barrier, waiting);
    for (uint64_t rest = waiting; rest; rest &= rest - 1)
        if (warp_at_release(w, mask_first(rest)))
            reach_release(t, mask_first(rest));
    expect_waits(t, false);
}

static void step(struct bench *t, bool acts)
{
    agenda_step(&t->l.b.agenda);
    for (struct access *a = t->accesses; a < t->accesses + ACCESSES; a++)
        move_access(t, a);
    lsu_check_reached(&t->l.lsu);
    expect_waits(t, true);
    for (unsigned slot = 0; slot < BENCH_WARPS && acts; slot++)
        act(t, slot);
    for (unsigned block = 0; block < BENCH_BLOCKS; block++)
        open_barrier(t, block);
    struct check c;
    check_init(&c);
    check_of(&c, "lsu", 0);
    lsu_check(&t->l.lsu, &c);
    bench_expect_whole(&t->l.b, &c);
    warp_cycle_begins(&t->l.b.warp, ++t->l.b.agenda.now);
}

static void fences_end_when_all_before_is_performed(void **state)
{
    (void)state;
    uint64_t fences = 0, releases = 0, held_up = 0;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 48; seed += effort_steps(5, 7)) {
        open_bench(t, seed);
        while (t->l.b.agenda.now < CYCLES)
            step(t, true);
        for (unsigned i = 0; i < 400; i++)
            step(t, false);
        assert_int_equal(t->l.b.warp.waits.fence, 0);
        fences += t->fences;
        releases += t->releases;
        held_up += t->held_up;
        lsu_bench_close(&t->l);
    }
    assert_true(fences > 200 && releases > 200 && held_up > 200);
    free(t);
}

/* Consequences of a fence's end */

static bool is_there(const struct bench *t, uint64_t address)
{
    uint32_t line;
    return cache_find(t->l.lsu.l1d.cache, address, 4, &line) == CACHE_THERE;
}

/* A plain load brings the line of an address into the L1D. */
static void bring(struct bench *t, uint64_t address)
{
    struct l1 *l1 = &t->l.lsu.l1d;
    const uint8_t *values;
    struct l1_access access = {.address = address, .bytes = 4, .event = L1_LOAD_EVENT};
    assert_int_equal(l1_access(l1, &access), L1_WAITS);
    struct packet *p = packet_ring_pop(&l1->requests);
    p->is_reply = true;
    assert_int_equal(l1_arrival_of(l1, p), L1_FILLED);
    l1_fill(l1, p);
    l1_ready(l1, &values);
    packet_free(&t->l.lsu.net.packets, p);
    assert_true(is_there(t, address));
}

static void fences_drop_lines(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bool drops = seed % 2;
        open_bench(t, seed);
        assert_int_equal(t->l.b.params.fence_l1 == SM_FENCE_INVALIDATE, drops);
        bring(t, BENCH_BASE);
        begin_access(t, 0, LOAD);
        reach_fence(t, 0);
        lsu_check_reached(&t->l.lsu);
        assert_true(is_there(t, BENCH_BASE)); /* not before it ends */
        complete(t, &t->accesses[0]);
        assert_int_equal(t->l.b.warp.waits.fence, 0);
        assert_int_equal(is_there(t, BENCH_BASE), !drops);
        lsu_bench_close(&t->l);
    }
    free(t);
}

/* One cycle of the unit and of what is behind it. */
static void cycle(struct bench *t)
{
    struct agenda *a = &t->l.b.agenda;
    agenda_step(a);
    if (agenda_has(a, DUE_PORT))
        lsu_writeback(&t->l.lsu);
    lsu_step(&t->l.lsu);
    lsu_check_reached(&t->l.lsu);
    bench_check_lsu(&t->l);
    a->now++;
    bench_memory(&t->l, a->now);
}

/* A store of four bytes, which the L1 keeps. */
static void keep_store(struct bench *t, uint64_t address, uint32_t value)
{
    struct l1 *l1 = &t->l.lsu.l1d;
    struct l1_access access = {.address = address, .bytes = 4, .event = AGENT_STORE_EVENT, .kind = PACKET_WRITE};
    while (l1_access(l1, &access) == L1_REFUSED)
        cycle(t);
    assert_true(access.submit);
    memcpy(packet_data(access.request) + address % PACKET_LINE_BYTES, &value, sizeof value);
    packet_mask(access.request)[address % PACKET_LINE_BYTES / 64] |= mask_low(4) << address % 64;
    l1_submit(l1, access.request, access.event);
    lsu_l1_changed(&t->l.lsu);
}

static uint32_t value_at(const struct bench *t, uint64_t address)
{
    uint32_t value;
    memcpy(&value, t->l.memory + (address - BENCH_BASE), sizeof value);
    return value;
}

/* A fence waits until what the L1 has written is in the L2; the same for a release. */
static void fences_wait_for_the_flush(void **state)
{
    (void)state;
    static const struct lsu_port none = {.complete = NULL};
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (unsigned seed = 1; seed <= 8; seed++) {
        const unsigned lines = 1 + seed % 6;
        unsigned cycles = 0;
        memset(t, 0, sizeof *t);
        lsu_bench_begin(&t->l, seed);
        lsu_bench_open(&t->l, program, &none, coherence_find("vi"));
        t->l.b.agenda.due = 0;
        t->l.decoded[STORE_RELEASE].after = INSTR_AFTER_FENCE;
        assert_true(l1_keeps(&t->l.lsu.l1d));
        for (unsigned i = 0; i < lines; i++)
            keep_store(t, BENCH_BASE + i * 256, 1000 + i);
        if (seed % 2)
            reach_fence(t, 3);
        else
            assert_true(warp_fetched(&t->l.b.warp, 3, STORE_RELEASE, 1, STORE_RELEASE)), reach_release(t, 3);
        for (; t->l.b.warp.waits.fence; cycles++) {
            assert_true(cycles < 10000);
            cycle(t);
        }
        assert_true(cycles > 2);
        for (unsigned i = 0; i < lines; i++)
            assert_int_equal(value_at(t, BENCH_BASE + i * 256), 1000 + i);
        assert_int_equal(t->l.lsu.latencies.releases, 1);
        assert_true(t->l.lsu.latencies.release_cycles >= cycles - 1);
        assert_int_equal(t->l.lsu.fences.flushes, 0);
        lsu_bench_close(&t->l);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences_end_when_all_before_is_performed),
        cmocka_unit_test(fences_drop_lines),
        cmocka_unit_test(fences_wait_for_the_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
