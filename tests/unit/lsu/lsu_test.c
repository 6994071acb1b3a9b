/* The load/store unit alone: warps of one, two or four cores issue random loads, stores and atomics of every space, and
 * slices answer after random times, in any order. A flat array says what every lane gets, as if each instruction were
 * performed when it issues; every op completes once; the writeback port, its clients and the cores take their turns;
 * and a unit that is stepped only when it says so does the same in the same cycles as one that is stepped always. */
#include "unit/lsu/lsu_bench.h"
#include "effort.h"

#define CYCLES 2500
#define MOST_OPS 512
#define WAITING 4 /* ops of a core between issue and the unit, beyond the pipeline registers */

/* An op between its issue and its completion. */
struct flight {
    bool used, loads; /* loads: its lanes get values that are known */
    uint32_t pc;
    uint64_t order, mask, expected[SIMT_MAX_WIDTH];
};

struct queue {
    uint32_t ops[WAITING];
    unsigned count;
};

struct bench {
    struct lsu_bench l;
    uint8_t memory[BENCH_BYTES]; /* as if each instruction were performed when it issues */
    struct flight flights[MOST_OPS];
    struct queue issued[CORES];        /* in operand collection, as it were */
    uint64_t busy[BENCH_WARPS];        /* set of pcs under way: each has a destination of its own */
    uint64_t orders, taken, completed; /* ops that have issued, come to the unit, and ended */
    uint64_t trace;                    /* a hash of what ended when */
    unsigned next_client, next_core;   /* whose turn it is */
    unsigned clients_met[LSU_CLIENT_COUNT];
    bool writing_back; /* in the writeback port's turn */
    bool own_was_last; /* of the responses, the last one taken was the L1D's own */
    bool skips, ends;  /* cycles are passed over in which nothing is due; the last block has ended */
    uint64_t turns;    /* cycles in which the L1D and the network both had a response */
    uint64_t stepped;
    unsigned stride; /* words between lanes; 0: drawn */
    bool one_word;   /* all lanes have the same address */
};

#define COPIES 3 /* of each instruction */
/* Instructions of all kinds, each with a destination of its own: addresses are the test's. */
static void write_program(char *text, size_t size)
{
    static const char *const forms[] = {
        "ld.global.u32 %%r%u, [%%rd1];",
        "ld.global.u32 %%r%u, [%%rd1];",
        "ld.volatile.global.u32 %%r%u, [%%rd1];",
        "st.global.u32 [%%rd1], %%r1; // %u",
        "st.global.u8 [%%rd1], %%r1; // %u",
        "atom.global.add.u32 %%r%u, [%%rd1], %%r1;",
        "atom.global.exch.b32 %%r%u, [%%rd1], %%r1;",
        "atom.relaxed.cta.global.add.u32 %%r%u, [%%rd1], %%r1;",
        "red.global.add.u32 [%%rd1], %%r1; // %u",
        "ld.const.u32 %%r%u, [%%rd1];",
        "ld.shared.u32 %%r%u, [%%rd1];",
        "st.shared.u32 [%%rd1], %%r1; // %u",
        "atom.shared.add.u32 %%r%u, [%%rd1], %%r1;",
        "ld.local.u32 %%r%u, [%%rd1];",
        "st.local.u32 [%%rd1], %%r1; // %u",
    };
    size_t used = 0;
    for (unsigned i = 0; i < COPIES * sizeof forms / sizeof *forms; i++) {
        used += (size_t)snprintf(text + used, size - used, forms[i % (sizeof forms / sizeof *forms)], 2 + i);
        used += (size_t)snprintf(text + used, size - used, "\n");
    }
}

static bool keeps_what_it_writes(uint64_t seed)
{
    return seed % 5 == 0;
}

static void draw_bench(struct bench *t, uint64_t seed)
{
    struct core_bench *b = &t->l.b;
    struct sm_params *p = &b->params;
    memset(t, 0, sizeof *t);
    lsu_bench_begin(&t->l, seed);
    p->cores = BIT64(seed % 3);
    p->memory_in_order = keeps_what_it_writes(seed) || seed % 4 != 0;
    p->l1d_latency = bench_draw(b, 2) ? 0 : bench_between(b, 1, 6);
    p->l1_lookups = bench_draw(b, 2) ? 1 : bench_between(b, 2, 6);
    p->constant_latency = bench_draw(b, 2) ? 0 : bench_between(b, 1, 9);
    p->constant_interval = bench_draw(b, 2) ? 0 : bench_between(b, 1, 3);
    p->atomics_joined = bench_draw(b, 3);
    p->global_loads_use_l1 = bench_draw(b, 4);
    p->coalescing = bench_draw(b, 2);
    p->shared_latency = bench_between(b, 1, 8);
    p->response_queue = bench_between(b, 1, 4);
    p->ejection_queue = bench_between(b, 1, 4);
    p->l1d_queue = bench_between(b, 3, 8);
#define UNIT(name, takes, side, ...) p->oc_ex_##name = bench_between(b, 1, 3);
#include "warp/units.def"
#undef UNIT
    t->l.l1d.sets = (uint32_t)BIT64(bench_draw(b, 3));
    t->l.l1d.ways = bench_between(b, 1, 3);
    t->l.l1d.mshr_entries = bench_between(b, 1, 6);
    t->l.l1d.mshr_merges = bench_between(b, 1, 4);
    t->l.l1d.sector_bytes = bench_draw(b, 2) ? 32 : t->l.l1d.line_bytes;
    t->l.l1d.split_reads = t->l.l1d.sector_bytes == 32 && bench_draw(b, 2);
    t->l.l1d.allocate = bench_draw(b, 3) ? CACHE_ALLOCATE_ON_MISS : CACHE_ALLOCATE_ON_FILL;
    t->l.l1c.mshr_entries = bench_between(b, 1, 3);
    t->l.slowest = bench_draw(b, 3) ? 12 : 90;
}

static void open_drawn(struct bench *t, const struct lsu_port *port, const char *protocol)
{
    char text[4096];
    write_program(text, sizeof text);
    lsu_bench_open(&t->l, text, port, protocol ? coherence_find(protocol) : NULL);
    memcpy(t->memory, t->l.memory, sizeof t->memory);
}

static void open_bench(struct bench *t, uint64_t seed, const struct lsu_port *port)
{
    draw_bench(t, seed);
    open_drawn(t, port, keeps_what_it_writes(seed) ? "vi" : NULL);
}

/* A number that depends on the cycle and `which` alone, so that runs that pass over cycles draw the same. */
static uint32_t at_cycle(const struct bench *t, uint64_t cycle, unsigned which, uint32_t below)
{
    return (uint32_t)((random_at(t->l.b.seed ^ UINT64_C(0x5eed) << 32, cycle * 64 + which) >> 20) % below);
}

/* Issue */

/* Gives the lanes of an access addresses: side by side, all the same, or anywhere in a part of the space. */
static void place(struct bench *t, struct simt_access *access)
{
    bool is_const = access->space == ISA_SPACE_CONST,
         on_chip = access->space == ISA_SPACE_SHARED || access->space == ISA_SPACE_LOCAL;
    unsigned size = access->element_bytes * access->elements;
    unsigned bytes = on_chip ? 1024 : is_const ? BENCH_CONST_BYTES : BENCH_BYTES;
    uint64_t base = on_chip ? 0 : is_const ? BENCH_CONST : BENCH_BASE;
    unsigned way = bench_draw(&t->l.b, 3), window = bench_draw(&t->l.b, 2) ? 64 : 512;
    unsigned from = bench_draw(&t->l.b, bytes / 512) * 512;
    access->low = UINT64_MAX;
    access->high = 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        unsigned at = way == 0 ? lane * size : way == 1 ? 0 : bench_draw(&t->l.b, window) / size * size;
        access->address[lane] = t->one_word ? base : t->stride ? base + 4 * t->stride * lane : base + from + at;
        access->low = cycle_min(access->low, access->address[lane]);
        access->high = cycle_max(access->high, access->address[lane]);
    }
    access->same = access->low == access->high;
    access->straight = !access->same && (t->stride ? t->stride == 1 : way == 0);
}

/* Performs an access on the flat array, lane by lane: notes what each lane is to get. */
static void perform(struct bench *t, const struct simt_access *access, struct flight *f)
{
    bool is_const = access->space == ISA_SPACE_CONST;
    f->loads = access->instr->dst_count && (is_const || access->space == ISA_SPACE_GLOBAL);
    for (uint64_t rest = access->mask; rest && (is_const || access->space == ISA_SPACE_GLOBAL); rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint8_t *at = is_const ? t->l.constants + (access->address[lane] - BENCH_CONST)
                               : t->memory + (access->address[lane] - BENCH_BASE);
        uint32_t old = 0, operand = 0;
        memcpy(&old, at, access->element_bytes);
        memcpy(&operand, simt_access_data(access, lane), access->element_bytes);
        f->expected[lane] = old;
        if (access->kind == ISA_FLAG_ATOMIC && access->instr->mods.atomic == ISA_ATOMIC_ADD)
            operand += old;
        if (access->kind != ISA_FLAG_LOAD)
            memcpy(at, &operand, access->element_bytes);
    }
}

/* A lane's register that the instruction writes. */
static uint32_t *destination(struct bench *t, unsigned slot, const struct isa_instr *instr, unsigned lane)
{
    return &t->l.b.warp.slots[slot].simt.rows[instr->dst[0].row * 32 + lane];
}

/* An eighth of the lanes or so, one at least. */
static uint32_t few_lanes(struct core_bench *b)
{
    uint64_t random = random_at(b->seed, b->drawn++);
    return (uint32_t)(random & random >> 20 & random >> 32) | (uint32_t)BIT64(bench_draw(b, 32));
}

/* The op of a warp's next instruction, as an SM makes it. */
static uint32_t make_op(struct bench *t, unsigned slot, uint32_t pc)
{
    struct core_bench *b = &t->l.b;
    struct simt_warp *warp = &b->warp.slots[slot].simt;
    struct simt_result result;
    uint32_t op = core_op_new(&b->ops);
    assert_true(op < MOST_OPS);
    struct core_op *o = &b->ops.items[op];
    core_op_name(b->core, slot, o, &t->l.decoded[pc]);
    o->slot = (uint8_t)slot;
    o->unit = WARP_UNIT_OF_MEMORY;
    o->in_memory = true;
    o->access = core_access_new(&b->ops, &b->arena);
    warp->paths.now->pc = pc;
    assert_int_equal(simt_execute(warp, b->agenda.now, o->access, &result), SIMT_MEMORY);
    o->access->mask = bench_draw(b, 4) && !t->stride && !t->one_word ? few_lanes(b) : UINT32_MAX;
    for (unsigned i = 0; i < sizeof o->access->data; i += 8) {
        uint64_t word = random_at(b->seed, b->drawn++);
        memcpy(o->access->data + i, &word, sizeof word);
    }
    place(t, o->access);
    if (o->access->space != ISA_SPACE_SHARED) {
        o->event = (uint8_t)lsu_l1_event(&t->l.lsu, o->access);
        o->bypasses = l1_passes(&t->l.lsu.l1d, o->event);
    }
    if (o->access->space == ISA_SPACE_GLOBAL && o->access->kind != ISA_FLAG_ATOMIC)
        lsu_access_begins(&t->l.lsu, o);
    return op;
}

static void issue(struct bench *t, unsigned slot, uint32_t pc)
{
    struct core_bench *b = &t->l.b;
    unsigned core = core_of_slot(&b->params, slot);
    if (t->issued[core].count == WAITING || mask_has(t->busy[slot], pc))
        return;
    uint32_t op = make_op(t, slot, pc);
    struct flight *f = &t->flights[op];
    const struct simt_access *access = b->ops.items[op].access;
    *f = (struct flight){.used = true, .pc = pc, .order = t->orders++, .mask = access->mask};
    perform(t, access, f);
    for (unsigned lane = 0; lane < 32 && f->loads; lane++)
        *destination(t, slot, access->instr, lane) = ~(uint32_t)f->expected[lane];
    t->busy[slot] |= BIT64(pc);
    t->issued[core].ops[t->issued[core].count++] = op;
    if (t->l.lsu.line)
        core_line_push(t->l.lsu.line, core);
}

/* Ops have their operands: those of a core keep their order. */
static void collect(struct bench *t, uint64_t cycle)
{
    for (unsigned i = 0; i < t->l.b.params.cores; i++) {
        struct queue *q = &t->issued[i];
        struct core_fifo *out = &t->l.b.core[i].oc_ex[WARP_UNIT_OF_MEMORY];
        if (!q->count || core_fifo_full(out) || at_cycle(t, cycle, 8 + i, 3) == 0)
            continue;
        core_fifo_push(out, q->ops[0]);
        memmove(q->ops, q->ops + 1, --q->count * sizeof q->ops[0]);
        agenda_add(&t->l.b.agenda, DUE_DISPATCH);
    }
}

/* The SM around the unit */

static void expect_values(struct bench *t, const struct core_op *o, const struct flight *f)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t value = *destination(t, o->slot, o->access->instr, lane), expected = (uint32_t)f->expected[lane];
        bool is_ordered = t->l.b.params.memory_in_order || o->access->space == ISA_SPACE_CONST;
        if (!mask_has(f->mask, lane))
            assert_int_equal(value, ~expected);
        else if (is_ordered && value != expected)
            fail_msg("seed %llu, cycle %llu: instruction %llu (pc %u of warp %u) gave lane %u %x and should give %x",
                     (unsigned long long)t->l.b.seed, (unsigned long long)t->l.b.agenda.now,
                     (unsigned long long)f->order, f->pc, o->slot, lane, value, expected);
    }
}

static void complete(void *sm, uint32_t op)
{
    struct bench *t = sm;
    struct core_op *o = &t->l.b.ops.items[op];
    struct flight *f = &t->flights[op];
    assert_true(f->used && mask_has(t->busy[o->slot], f->pc));
    assert_int_equal(o->pending, 0);
    if (f->loads)
        expect_values(t, o, f);
    if (t->writing_back)
        assert_int_equal(lsu_core(&t->l.lsu, o->slot)->collect.written & o->dst_banks, o->dst_banks);
    if (o->access->space == ISA_SPACE_GLOBAL)
        lsu_access_ends(&t->l.lsu, o);
    t->trace = hash_add(hash_add(t->trace, t->l.b.agenda.now), f->order);
    t->busy[o->slot] &= ~BIT64(f->pc);
    f->used = false;
    t->completed++;
    core_op_free(&t->l.b.ops, op);
}

static void warp_rests(void *sm, unsigned slot)
{
    assert_true(((struct bench *)sm)->l.b.warp.slots[slot].stores_out < UINT32_MAX);
}

static void answered(void *sm, const struct core_op *op, const struct message_atomic *reply)
{
    struct bench *t = sm;
    assert_int_equal(reply->packet.kind, PACKET_ATOMIC);
    assert_true(t->flights[op - t->l.b.ops.items].used && t->writing_back);
}

static const struct lsu_port port = {.complete = complete, .warp_rests = warp_rests, .answered = answered};

/* Stages */

/* The client that an op's transactions come back by. */
static enum lsu_client client_of(const struct core_op *o)
{
    return o->access->space == ISA_SPACE_SHARED  ? LSU_CLIENT_shared
           : o->access->space == ISA_SPACE_CONST ? LSU_CLIENT_const
           : o->bypasses || (o->access->kind == ISA_FLAG_ATOMIC && o->access->space == ISA_SPACE_GLOBAL)
               ? LSU_CLIENT_bypass
               : LSU_CLIENT_l1d;
}

/* Transactions that have no answer, by op; shared memory's ops count as one. */
struct pending {
    bool used[MOST_OPS];
    uint16_t count[MOST_OPS];
    enum lsu_client client[MOST_OPS];
};

static void note_pending(const struct bench *t, struct pending *p)
{
    for (unsigned op = 0; op < MOST_OPS && op < t->l.b.ops.count; op++) {
        p->used[op] = t->flights[op].used;
        if (!p->used[op])
            continue;
        p->count[op] = t->l.b.ops.items[op].pending;
        p->client[op] = client_of(&t->l.b.ops.items[op]);
        /* A load of the constant cache that has all its lines takes its time in shared memory's pipeline. */
        if (p->client[op] == LSU_CLIENT_const && !p->count[op] && t->l.b.params.constant_latency)
            p->client[op] = LSU_CLIENT_shared;
    }
}

/* The port wrote one result back, and that was of this client; or none. */
static void expect_one_result(const struct bench *t, const struct pending *before, unsigned client)
{
    unsigned results = 0;
    for (unsigned op = 0; op < MOST_OPS && op < t->l.b.ops.count; op++) {
        if (!before->used[op])
            continue;
        unsigned done = t->flights[op].used ? before->count[op] - t->l.b.ops.items[op].pending
                                            : before->count[op] + (before->client[op] == LSU_CLIENT_shared);
        results += done;
        bool unknown = l1_keeps(&t->l.lsu.l1d) && client == LSU_CLIENT_bypass; /* the L1D performs accesses itself */
        if (done && !unknown)
            assert_int_equal(before->client[op], client);
    }
    assert_int_equal(results, client != LSU_CLIENT_COUNT);
}

static void write_back(struct bench *t)
{
    static struct pending before;
    struct lsu *lsu = &t->l.lsu;
    unsigned clients = lsu_clients(lsu), client = t->next_client;
    bool ends = lsu_shared_due(lsu, t->l.b.agenda.now) && agenda_has(&t->l.b.agenda, DUE_SHARED);
    clients |= ends ? LSU_CLIENT(shared) : 0;
    while (clients && !(clients >> client & 1))
        client = (client + 1) % LSU_CLIENT_COUNT;
    note_pending(t, &before);
    t->writing_back = true;
    lsu_writeback(lsu);
    t->writing_back = false;
    expect_one_result(t, &before, clients ? client : LSU_CLIENT_COUNT);
    if (clients) {
        t->next_client = (client + 1) % LSU_CLIENT_COUNT;
        t->clients_met[client]++;
    }
}

/* The unit has taken an op: the oldest one of all or, where they need not keep their order, that of the next core. */
static void expect_in_turn(struct bench *t, uint32_t op, const unsigned *had)
{
    const struct lsu_bench *l = &t->l;
    unsigned core = t->next_core, cores = l->b.params.cores, slot = l->b.ops.items[op].slot;
    if (l->lsu.line || cores == 1) {
        assert_int_equal(t->flights[op].order, t->taken);
    } else {
        while (!had[core])
            core = (core + 1) % cores;
        assert_int_equal(core_of_slot(&l->b.params, slot), core);
        t->next_core = (core + 1) % cores;
    }
    t->taken++;
}

/* Responses of the L1D's own and of the network take turns where there are both. `first`, `responses`: before the step.
 */
static void expect_turns(struct bench *t, const struct packet *first, unsigned responses)
{
    const struct l1 *l1 = &t->l.lsu.l1d;
    bool network = t->l.lsu.responses.count < responses;
    bool own = first && (!l1_has_done(l1) || l1_first_done(l1) != first);
    assert_false(network && own);
    if (first && responses && (network || own)) {
        assert_int_not_equal(own, t->own_was_last);
        t->turns++;
    }
    if (network || own)
        t->own_was_last = own;
}

static void move_on(struct bench *t)
{
    const struct packet *own = l1_has_done(&t->l.lsu.l1d) ? l1_first_done(&t->l.lsu.l1d) : NULL;
    unsigned had[CORES], responses = t->l.lsu.responses.count;
    for (unsigned i = 0; i < t->l.b.params.cores; i++)
        had[i] = t->l.b.core[i].oc_ex[WARP_UNIT_OF_MEMORY].count;
    uint64_t before = t->taken;
    lsu_step(&t->l.lsu);
    expect_turns(t, own, responses);
    for (unsigned i = 0; i < t->l.b.params.cores; i++)
        if (t->l.b.core[i].oc_ex[WARP_UNIT_OF_MEMORY].count < had[i])
            expect_in_turn(t, t->l.lsu.op, had);
    assert_true(t->taken <= before + 1);
}

/* As an SM steps. */
static void step(struct bench *t, uint64_t cycle)
{
    struct agenda *a = &t->l.b.agenda;
    a->now = cycle;
    agenda_step(a);
    t->stepped++;
    if (agenda_has(a, DUE_PORT) || (agenda_has(a, DUE_SHARED) && lsu_shared_due(&t->l.lsu, cycle)))
        write_back(t);
    else
        assert_int_equal(lsu_clients(&t->l.lsu), 0);
    if (agenda_has(a, DUE_LSU))
        move_on(t);
    if (t->ends && l1_keeps(&t->l.lsu.l1d))
        lsu_end_writes(&t->l.lsu);
    a->now = cycle + 1;
}

/* True: the cycle must be stepped, by what an SM goes by. */
static bool is_due(const struct bench *t, uint64_t cycle)
{
    const struct agenda *a = &t->l.b.agenda;
    const struct lsu *lsu = &t->l.lsu;
    if (agenda_has(a, DUE_NEXT & ~DUE_COLLECT) ||
        (agenda_has(a, DUE_PIPE | DUE_REFUSED) && a->made_progress && lsu_must_retry(lsu)))
        return true;
    if (agenda_has(a, DUE_SHARED | DUE_PIPE) && lsu_next(lsu, a->now) <= cycle)
        return true;
    return lsu_has_requests(lsu) && lsu_can_send(lsu);
}

/* Cycles up to this one were passed over. */
static void pass_to(struct bench *t, uint64_t cycle)
{
    struct agenda *a = &t->l.b.agenda;
    if (a->made_progress) {
        if (agenda_has(a, DUE_PIPE | DUE_REFUSED))
            lsu_count_refusals(&t->l.lsu);
        agenda_passed(a);
    }
    a->now = cycle;
}

static void cycle_of(struct bench *t, uint64_t cycle, bool issues)
{
    struct agenda *a = &t->l.b.agenda;
    if (!t->skips || t->ends || is_due(t, cycle)) {
        if (cycle > a->now)
            pass_to(t, cycle);
        step(t, cycle);
        bench_check_lsu(&t->l);
    }
    collect(t, cycle);
    for (unsigned i = 0; issues && i < 2; i++)
        if (at_cycle(t, cycle, i, 3))
            issue(t, at_cycle(t, cycle, 4 + i, BENCH_WARPS), bench_draw(&t->l.b, t->l.module->instr_count - 1));
    bench_memory(&t->l, cycle);
}

/* Issue pauses at times, so that the unit comes to rest. */
static bool in_burst(const struct bench *t, uint64_t cycle)
{
    return random_at(t->l.b.seed, 5000000 + cycle / 128) % 3;
}

static uint64_t stores_out(const struct bench *t)
{
    uint64_t stores = 0;
    for (unsigned slot = 0; slot < BENCH_WARPS; slot++)
        stores += t->l.b.warp.slots[slot].stores_out;
    return stores;
}

static void expect_at_rest(struct bench *t)
{
    agenda_done(&t->l.b.agenda, DUE_COLLECT);
    assert_int_equal(t->completed, t->orders);
    assert_int_equal(t->l.lsu.transactions_live, 0);
    assert_int_equal(t->l.lsu.net.packets.out, 0);
    assert_int_equal(t->l.b.agenda.due & ~DUE_PORT, 0);
    assert_true(network_idle(t->l.requests) && network_idle(t->l.replies));
    if (t->l.b.params.memory_in_order)
        assert_memory_equal(t->l.memory, t->memory, sizeof t->memory);
    for (unsigned i = 0; i < BENCH_BLOCKS; i++)
        for (unsigned epoch = 0; epoch < BLOCK_EPOCHS; epoch++)
            assert_int_equal(t->l.lsu.blocks[i].order.out[epoch], 0);
}

/* Everything that is observed of a run. */
struct outcome {
    uint64_t trace, completed, transactions, conflicts, served;
    struct cache_stats l1d, l1c;
};

static struct outcome run(struct bench *t)
{
    uint64_t cycle = 0;
    for (; cycle < CYCLES; cycle++)
        cycle_of(t, cycle, in_burst(t, cycle));
    for (; t->l.b.ops.live || stores_out(t) || t->l.lsu.net.packets.out; cycle++) {
        assert_true(cycle < CYCLES + 20000);
        cycle_of(t, cycle, false);
    }
    t->ends = true;
    for (uint64_t end = cycle + 2; cycle < end || !lsu_idle(&t->l.lsu); cycle++) {
        assert_true(cycle < CYCLES + 30000);
        cycle_of(t, cycle, false);
    }
    expect_at_rest(t);
    return (struct outcome){.trace = t->trace,
                            .completed = t->completed,
                            .transactions = t->l.lsu.transactions_made,
                            .conflicts = t->l.lsu.shared_conflict_cycles,
                            .served = t->l.served,
                            .l1d = *cache_stats_of(t->l.lsu.l1d.cache),
                            .l1c = *cache_stats_of(t->l.lsu.l1c)};
}

static void serves_as_a_flat_memory(void **state)
{
    (void)state;
    uint64_t met[LSU_CLIENT_COUNT] = {0}, completed = 0, stepped = 0, always = 0, turns = 0;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 48; seed += effort_steps(1, 4)) {
        open_bench(t, seed, &port);
        struct outcome first = run(t);
        completed += t->completed;
        turns += t->turns;
        for (unsigned i = 0; i < LSU_CLIENT_COUNT; i++)
            met[i] += t->clients_met[i];
        always += t->stepped;
        lsu_bench_close(&t->l);
        open_bench(t, seed, &port);
        t->skips = true;
        struct outcome second = run(t);
        stepped += t->stepped;
        lsu_bench_close(&t->l);
        assert_memory_equal(&first, &second, sizeof first);
    }
    for (unsigned i = 0; i < LSU_CLIENT_COUNT; i++)
        assert_true(met[i] > 20);
    assert_true(completed > 500 && turns > 0 && stepped < always);
    free(t);
}

/* Cycles from that in which the unit takes an instruction, which is alone, to its completion. */
static uint64_t time_of(struct bench *t, uint32_t pc)
{
    uint64_t cycle = t->l.b.agenda.now, taken = t->taken, completed = t->completed, since = 0;
    issue(t, 0, pc);
    for (; t->completed == completed; cycle++) {
        assert_true(cycle < 1000);
        since = t->taken == taken ? cycle : since;
        cycle_of(t, cycle, false);
    }
    return cycle - 1 - since;
}

/* An L1D hit takes a cycle and the latency of the L1D; shared memory a cycle for each word of its busiest bank, and the
 * latency of its pipeline. */
static void latencies(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    const uint32_t load = 0, load_shared = 10;
    unsigned hits = 0;
    for (uint64_t seed = 3; seed < 48; seed += 6) { /* one core */
        open_bench(t, seed, &port);
        if (l1_keeps(&t->l.lsu.l1d) || !t->l.b.params.global_loads_use_l1) {
            lsu_bench_close(&t->l);
            continue;
        }
        uint64_t drawn = t->l.b.drawn;
        assert_true(time_of(t, load) > 10);
        t->l.b.drawn = drawn; /* the same lanes and addresses again: these fit in the L1D, or they miss again */
        uint64_t misses = t->l.served, again = time_of(t, load);
        if (t->l.served == misses) {
            unsigned lookups = t->l.b.params.l1_lookups, lines = (t->l.lsu.count + lookups - 1) / lookups;
            assert_in_range(again, t->l.b.params.l1d_latency + lines, t->l.b.params.l1d_latency + t->l.lsu.count);
            hits += t->l.b.params.l1d_latency > 0;
        }
        uint64_t conflicts = t->l.lsu.shared_conflict_cycles, shared = time_of(t, load_shared);
        conflicts = t->l.lsu.shared_conflict_cycles - conflicts;
        assert_int_equal(shared, 1 + conflicts + t->l.b.params.shared_latency);
        lsu_bench_close(&t->l);
    }
    assert_true(hits > 0);
    free(t);
}

/* Lines of 32 words that words `stride` apart lie in; how often the busiest of 32 banks is met. */
static void count_apart(unsigned stride, unsigned *lines, unsigned *words)
{
    unsigned of[32] = {0};
    *lines = *words = 0;
    for (unsigned lane = 0, before = ~0u; lane < 32; before = stride * lane++ / 32) {
        *lines += stride * lane / 32 != before;
        *words = ++of[stride * lane % 32] > *words ? of[stride * lane % 32] : *words;
    }
}

/* A load whose lines are in the L1D takes a cycle for as many of them as can be looked up at once, but one for each
 * word of the busiest bank. */
static void lines_at_once(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (unsigned i = 0; i < 32; i++) {
        unsigned lines, words, lookups = 1 + i % 8, stride = 1 + i % 31;
        draw_bench(t, 3);
        t->l.b.params.l1_lookups = lookups;
        t->l.b.params.l1d_latency = i % 3 * 4;
        t->l.b.params.cores = 1;
        t->l.b.params.global_loads_use_l1 = true;
        t->l.l1d.sets = t->l.l1d.mshr_entries = t->l.l1d.mshr_merges = 32;
        t->stride = stride;
        open_drawn(t, &port, NULL);
        count_apart(stride, &lines, &words);
        time_of(t, 0);
        unsigned cycles = (lines + lookups - 1) / lookups;
        assert_int_equal(time_of(t, 0), t->l.b.params.l1d_latency + (words > cycles ? words : cycles));
        lsu_bench_close(&t->l);
    }
    free(t);
}

/* A load of the constant cache takes a cycle for each line, and so many for each word but one. */
static void constants(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    const uint32_t load = 9;
    for (unsigned i = 0; i < 24; i++) {
        uint32_t latency = i % 4 * 3, interval = i / 4 % 3 * 5, lines = i % 2 ? 2 : 4;
        draw_bench(t, 3);
        t->l.b.params.constant_latency = latency;
        t->l.b.params.constant_interval = interval;
        t->l.b.params.cores = 1;
        t->l.l1c.mshr_entries = 4;
        t->stride = i % 2 ? 1 : 2;
        open_drawn(t, &port, NULL);
        time_of(t, load);
        assert_int_equal(time_of(t, load), latency + lines + 31 * interval);
        lsu_bench_close(&t->l);
    }
    free(t);
}

/* Lanes that update one word do so in one transaction, where the machine joins them and the operation can be reduced.
 */
static void atomics_join(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    const uint32_t add = 5, exch = 6, red = 8;
    for (unsigned joined = SM_ATOMICS_APART; joined <= SM_ATOMICS_ALL; joined++) {
        uint64_t served[4];
        draw_bench(t, 3);
        t->l.b.params.atomics_joined = joined;
        t->l.b.params.cores = 1;
        t->one_word = true;
        open_drawn(t, &port, NULL);
        served[0] = t->l.served;
        time_of(t, add);
        served[1] = t->l.served;
        time_of(t, exch);
        served[2] = t->l.served;
        time_of(t, red);
        served[3] = t->l.served;
        assert_int_equal(served[1] - served[0], joined == SM_ATOMICS_ALL ? 1 : 32);
        assert_int_equal(served[2] - served[1], 32);
        assert_int_equal(served[3] - served[2], joined == SM_ATOMICS_APART ? 32 : 1);
        lsu_bench_close(&t->l);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_join),
        cmocka_unit_test(constants),
        cmocka_unit_test(latencies),
        cmocka_unit_test(lines_at_once),
        cmocka_unit_test(serves_as_a_flat_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
