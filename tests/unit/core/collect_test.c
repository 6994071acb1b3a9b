/* Operand collection alone: random ops come into its pipeline registers, results are written to random banks, and units
 * take what leaves at random. A slow oracle, which keeps a list of waiting reads and nothing else, says cycle by cycle
 * which ops enter, what every bank serves, what leaves where, and whether the stage is due again. */
#include "unit/core/core_bench.h"
#include "effort.h"

enum { COLLECTED_KINDS = ISA_UNIT_ALU }; /* those before have classes with collectors */

#define KINDS 40 /* instructions to choose from */
#define CYCLES 1200
#define MOST_OPS 4096

/* A read that an operand waits for. */
struct read {
    unsigned bank, unit, collector;
};

/* An op by its place in the order of issue. */
struct held {
    bool used;
    uint32_t op;
    uint64_t entered;
};

struct queue {
    uint32_t ops[CORE_FIFO_ITEMS];
    unsigned count, size;
};

struct oracle {
    struct read reads[WARP_UNIT_COLLECTED * CORE_MAX_COLLECTORS * CORE_MAX_READS]; /* oldest first */
    unsigned read_count;
    struct held held[WARP_UNIT_COLLECTED][CORE_MAX_COLLECTORS];
    unsigned collectors[WARP_UNIT_COLLECTED], ports[WARP_UNIT_COLLECTED], last_left[WARP_UNIT_COLLECTED];
    struct queue in[WARP_UNIT_COLLECTED], out[WARP_UNIT_COLLECTED];
    uint64_t entered, looked_at; /* ops so far; warps that are to be looked at again */
    unsigned bank_from;
    bool progress;
};

struct bench {
    struct core_bench b;
    struct oracle o;
    struct decoded_instr program[KINDS];
    uint64_t sets[3 * BENCH_WORDS];
    struct simt_path path[WARP_SLOTS];
    uint64_t issued_at[MOST_OPS]; /* by op: its place in the order of issue */
    uint64_t issued, left, last_of_memory, banks_read, reads_delayed;
    bool rows;
};

static void make_instruction(struct bench *t, struct decoded_instr *d)
{
    struct core_bench *b = &t->b;
    unsigned banks = b->params.register_banks;
    d->uses = t->sets;
    d->timing = (struct instr_timing){.writes = t->sets, .unit = (uint8_t)bench_draw(b, COLLECTED_KINDS)};
    d->timing.src_count = (uint8_t)(bench_draw(b, 4) ? bench_draw(b, 5) : bench_draw(b, 13));
    for (unsigned i = 0; i < d->timing.src_count; i++) {
        d->src_banks[i] = (uint8_t)bench_draw(b, banks);
        d->src_set |= BIT64(d->src_banks[i]);
    }
    d->timing.src_apart = mask_count(d->src_set) == d->timing.src_count;
    d->dst_set = bench_draw(b, 3) ? BIT64(bench_draw(b, banks)) : 0;
}

/* A few resident warps whose heads want units, for the registers that come free. */
static void launch(struct bench *t)
{
    for (unsigned slot = 0; slot < t->b.params.warps; slot += 3) {
        uint32_t pc = bench_draw(&t->b, KINDS - 1);
        warp_start(&t->b.warp, slot, 0, slot);
        t->path[slot] = (struct simt_path){.pc = pc, .mask = 1};
        t->b.warp.slots[slot].simt.live = 1;
        t->b.warp.slots[slot].simt.paths.now = &t->path[slot];
        warp_come(&t->b.warp, BIT64(slot));
        warp_fetched(&t->b.warp, slot, pc, 1, pc);
    }
}

static void open_bench(struct bench *t, uint64_t seed)
{
    static const unsigned banks[] = {1, 2, 3, 8, 16, 31, 32, 63, 64};
    struct core_bench *b = &t->b;
    memset(t, 0, sizeof *t);
    bench_begin(b, seed);
    bench_vary_units(b);
    b->params.register_banks = banks[bench_draw(b, sizeof banks / sizeof *banks)];
    b->params.bank_by_warp = bench_draw(b, 3);
    b->params.collector_reads = bench_draw(b, 2) ? 1 : bench_between(b, 2, 12);
    b->params.memory_in_order = bench_draw(b, 2);
    b->params.cores = BIT64(bench_draw(b, 3));
    t->rows = bench_draw(b, 4) == 0;
    for (unsigned i = 0; i < KINDS; i++)
        make_instruction(t, &t->program[i]);
    bench_open(b, &bench_no_policy, NULL, NULL, t->program, 1, t->rows);
#define UNIT(name, takes, side, ...)                                                                                   \
    t->o.collectors[WARP_UNIT_##name] = b->params.collectors_##name;                                                   \
    t->o.last_left[WARP_UNIT_##name] = b->params.collectors_##name - 1;                                                \
    t->o.ports[WARP_UNIT_##name] = b->params.ports_##name;                                                             \
    t->o.in[WARP_UNIT_##name].size = b->params.id_oc_##name;                                                           \
    t->o.out[WARP_UNIT_##name].size = b->params.oc_ex_##name;
#include "warp/units.def"
#undef UNIT
    launch(t);
}

/* The oracle */

static bool has_reads(const struct oracle *o, unsigned unit, unsigned collector)
{
    for (unsigned i = 0; i < o->read_count; i++)
        if (o->reads[i].unit == unit && o->reads[i].collector == collector)
            return true;
    return false;
}

static bool is_ready(const struct oracle *o, unsigned unit, unsigned collector)
{
    return o->held[unit][collector].used && !has_reads(o, unit, collector);
}

/* The collector that an op of the class leaves next, or CORE_NONE. */
static unsigned leaves_next(const struct bench *t, unsigned unit)
{
    const struct oracle *o = &t->o;
    unsigned count = o->collectors[unit], oldest = CORE_NONE;
    for (unsigned i = 0; i < count; i++)
        if (o->held[unit][i].used && (oldest == CORE_NONE || o->held[unit][i].entered < o->held[unit][oldest].entered))
            oldest = i;
    if (warp_unit_is_memory(unit) && t->b.params.memory_in_order)
        return oldest != CORE_NONE && is_ready(o, unit, oldest) ? oldest : CORE_NONE;
    for (unsigned i = 1; i <= count; i++)
        if (is_ready(o, unit, (o->last_left[unit] + i) % count))
            return (o->last_left[unit] + i) % count;
    return CORE_NONE;
}

static void oracle_leave(struct bench *t, unsigned unit)
{
    struct oracle *o = &t->o;
    for (unsigned port = 0; port < o->ports[unit] && o->out[unit].count < o->out[unit].size; port++) {
        unsigned next = leaves_next(t, unit);
        if (next == CORE_NONE)
            return;
        o->out[unit].ops[o->out[unit].count++] = o->held[unit][next].op;
        o->held[unit][next].used = false;
        o->last_left[unit] = next;
        o->progress = true;
    }
}

/* The first read in line at a bank, or CORE_NONE. */
static unsigned first_at(const struct oracle *o, unsigned bank)
{
    for (unsigned i = 0; i < o->read_count; i++)
        if (o->reads[i].bank == bank)
            return i;
    return CORE_NONE;
}

/* Every bank serves the first read in line, if nothing is written there and its collector has not had its share. Banks
 * are looked at from one that moves on by one in each cycle. */
static void oracle_read(struct bench *t)
{
    struct oracle *o = &t->o;
    unsigned banks = t->b.params.register_banks, had[WARP_UNIT_COLLECTED][CORE_MAX_COLLECTORS] = {{0}};
    bool served[WARP_UNIT_COLLECTED * CORE_MAX_COLLECTORS * CORE_MAX_READS] = {0};
    if (!o->read_count)
        return;
    for (unsigned i = 0; i < banks; i++) {
        unsigned bank = (o->bank_from + i) % banks, first = first_at(o, bank);
        if (first == CORE_NONE || mask_has(bench_written(t->b.core), bank))
            continue;
        unsigned *shares = &had[o->reads[first].unit][o->reads[first].collector];
        t->reads_delayed += *shares == t->b.params.collector_reads;
        if (*shares < t->b.params.collector_reads) {
            ++*shares;
            served[first] = o->progress = true;
            t->banks_read++;
        }
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < o->read_count; i++)
        if (!served[i])
            o->reads[kept++] = o->reads[i];
    o->read_count = kept;
    o->bank_from = (o->bank_from + 1) % banks;
}

static void ask(struct bench *t, unsigned unit, unsigned collector, unsigned slot, unsigned decoded, unsigned *reads)
{
    unsigned banks = t->b.params.register_banks, shift = t->b.params.bank_by_warp ? slot / t->b.params.cores : 0;
    if (++*reads <= CORE_MAX_READS)
        t->o.reads[t->o.read_count++] =
            (struct read){.bank = (decoded + shift) % banks, .unit = unit, .collector = collector};
}

static void oracle_enter_one(struct bench *t, unsigned unit, uint32_t op)
{
    struct oracle *o = &t->o;
    const struct core_op *of = &t->b.ops.items[op];
    unsigned free = 0, reads = 0;
    while (o->held[unit][free].used)
        free++;
    o->held[unit][free] = (struct held){true, op, o->entered++};
    for (unsigned i = 0; i < of->timing.src_count; i++)
        for (uint64_t rest = t->rows ? t->b.core->collect.rows[of->slot] : BIT64(of->slot); rest; rest &= rest - 1)
            ask(t, unit, free, mask_first(rest), of->decoded->src_banks[i], &reads);
}

static bool has_free(const struct oracle *o, unsigned unit)
{
    for (unsigned i = 0; i < o->collectors[unit]; i++)
        if (!o->held[unit][i].used)
            return true;
    return false;
}

static void oracle_enter(struct bench *t, unsigned unit)
{
    struct oracle *o = &t->o;
    struct queue *in = &o->in[unit];
    for (unsigned port = 0; port < o->ports[unit] && in->count && has_free(o, unit); port++) {
        if (in->count == in->size)
            o->looked_at |= core_wanted(t->b.core, unit);
        oracle_enter_one(t, unit, in->ops[0]);
        memmove(in->ops, in->ops + 1, --in->count * sizeof in->ops[0]);
        o->progress = true;
    }
}

static bool oracle_collect(struct bench *t)
{
    struct oracle *o = &t->o;
    bool due = false;
    o->progress = false;
    o->looked_at = 0;
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++)
        oracle_leave(t, unit);
    oracle_read(t);
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++)
        oracle_enter(t, unit);
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++) {
        bool ready = false;
        for (unsigned i = 0; i < o->collectors[unit]; i++)
            ready |= is_ready(o, unit, i);
        due |= (ready && o->out[unit].count < o->out[unit].size) || (o->in[unit].count && has_free(o, unit));
    }
    return due || o->read_count;
}

/* The neighbours */

static void expect_queue(struct bench *t, unsigned unit, struct core_fifo *fifo, const struct queue *queue)
{
    if (fifo->count != queue->count)
        fail_msg("seed %llu, cycle %llu: %s has %u ops and should have %u", (unsigned long long)t->b.seed,
                 (unsigned long long)t->b.agenda.now, bench_unit_name(unit), fifo->count, queue->count);
    for (unsigned i = 0; i < queue->count; i++)
        if (*core_fifo_item(fifo, i) != queue->ops[i])
            fail_msg("seed %llu, cycle %llu: %s: op %u is at place %u, not %u", (unsigned long long)t->b.seed,
                     (unsigned long long)t->b.agenda.now, bench_unit_name(unit), *core_fifo_item(fifo, i), i,
                     queue->ops[i]);
}

static void expect_as_oracle(struct bench *t, bool due, bool should_be)
{
    struct core *core = t->b.core;
    uint64_t waiting = 0;
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++) {
        expect_queue(t, unit, &core->id_oc[unit], &t->o.in[unit]);
        expect_queue(t, unit, &core->oc_ex[unit], &t->o.out[unit]);
    }
    for (unsigned i = 0; i < t->o.read_count; i++)
        waiting |= BIT64(t->o.reads[i].bank);
    if (core->collect.waiting != waiting)
        fail_msg("seed %llu, cycle %llu: reads wait at banks %llx and should at %llx", (unsigned long long)t->b.seed,
                 (unsigned long long)t->b.agenda.now, (unsigned long long)core->collect.waiting,
                 (unsigned long long)waiting);
    assert_int_equal(due, should_be);
    assert_int_equal(due, core_collects(core));
    assert_int_equal(t->b.agenda.made_progress, t->o.progress);
    assert_int_equal(t->b.warp.changed, t->o.looked_at);
}

/* The stage said that it is not due, and nobody has brought it anything since: it changes nothing. */
static void expect_idle(struct bench *t)
{
    static struct core before;
    const struct agenda agenda = t->b.agenda;
    before = *t->b.core;
    assert_false(core_collect(t->b.core));
    assert_memory_equal(&before, t->b.core, sizeof before);
    assert_memory_equal(&agenda, &t->b.agenda, sizeof agenda);
}

static void take(struct bench *t, unsigned unit)
{
    struct core *core = t->b.core;
    struct queue *out = &t->o.out[unit];
    if (!out->count || bench_draw(&t->b, 3) == 0)
        return;
    uint32_t op = out->ops[0];
    memmove(out->ops, out->ops + 1, --out->count * sizeof out->ops[0]);
    if (warp_unit_is_memory(unit)) {
        assert_true(core_has_access(core));
        assert_int_equal(core_take_access(core), op);
        assert_true(!t->b.params.memory_in_order || t->issued_at[op] > t->last_of_memory);
        t->last_of_memory = t->issued_at[op];
    } else {
        assert_int_equal(core_fifo_pop(&core->oc_ex[unit]), op);
        agenda_add(&t->b.agenda, core->collect.classes[unit].ready ? DUE_COLLECT : 0);
    }
    core_op_free(&t->b.ops, op);
    t->left++;
}

/* As an SM whose warps are formed anew says it: the operands lie in the registers of these slots. */
static void name_rows(struct bench *t, struct core_op *o, uint64_t slots)
{
    core_read_rows(t->b.core, o->slot, slots);
    o->src_banks = 0;
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        o->src_banks |= core_banks_of(t->b.core, mask_first(rest), o->decoded->src_set);
    o->timing.src_apart &= mask_count(slots) == 1;
}

/* An op of the warp has issued and is in no collector yet: where rows are read, the next one does not issue. */
static bool has_issued(const struct bench *t, unsigned slot)
{
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++)
        for (unsigned i = 0; i < t->o.in[unit].count; i++)
            if (t->b.ops.items[t->o.in[unit].ops[i]].slot == slot)
                return true;
    return false;
}

static void issue(struct bench *t, unsigned unit)
{
    struct core *core = t->b.core;
    struct queue *in = &t->o.in[unit];
    unsigned slot = bench_draw(&t->b, t->b.params.warps);
    if (in->count == in->size || bench_draw(&t->b, 2) || (t->rows && has_issued(t, slot)))
        return;
    uint32_t op = core_op_new(&t->b.ops);
    assert_true(op < MOST_OPS);
    core_op_name(core, slot, &t->b.ops.items[op], &t->program[bench_draw(&t->b, KINDS)]);
    t->b.ops.items[op].slot = (uint8_t)slot;
    t->b.ops.items[op].unit = (uint8_t)unit;
    if (t->rows)
        name_rows(t, &t->b.ops.items[op], BIT64(slot) | (bench_draw(&t->b, 2) ? bench_draw(&t->b, 64) : 0));
    t->issued_at[op] = ++t->issued;
    in->ops[in->count++] = op;
    core_enter(core, unit, op);
    agenda_add(&t->b.agenda, DUE_COLLECT);
}

static void write_banks(struct bench *t)
{
    struct core_op op = {.dst_banks = 0};
    while (bench_draw(&t->b, 3) == 0) {
        op.dst_banks = core_banks_of(t->b.core, 0, BIT64(bench_draw(&t->b, t->b.params.register_banks)));
        core_write_banks(t->b.core, &op, t->b.agenda.now);
    }
}

static void step(struct bench *t, bool comes)
{
    struct core_bench *b = &t->b;
    agenda_step(&b->agenda);
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++)
        take(t, unit);
    write_banks(t);
    b->agenda.made_progress = false;
    warp_looked(&b->warp, b->warp.changed, 0);
    if (agenda_has(&b->agenda, DUE_COLLECT)) {
        bool should_be = oracle_collect(t), due = core_collect(b->core);
        expect_as_oracle(t, due, should_be);
        agenda_put(&b->agenda, DUE_COLLECT, due ? DUE_COLLECT : 0);
    }
    if (!agenda_has(&b->agenda, DUE_COLLECT))
        expect_idle(t);
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED && comes; unit++)
        issue(t, unit);
    bench_check_cores(b);
    b->agenda.now++;
}

/* Ops come in bursts, so that the stage is full at times and idle at others. */
static bool in_burst(const struct bench *t)
{
    return random_at(t->b.seed, 1000000 + t->b.agenda.now / 32) % 4;
}

static void collects_as_the_oracle_says(void **state)
{
    (void)state;
    uint64_t read = 0, delayed = 0;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (uint64_t seed = 1; seed <= 64; seed += effort_steps(2, 8)) {
        open_bench(t, seed);
        while (t->b.agenda.now < CYCLES)
            step(t, in_burst(t));
        for (unsigned rest = 0; t->b.ops.live; rest++) {
            assert_true(rest < 20000);
            step(t, false);
        }
        assert_true(t->issued > 100);
        assert_int_equal(t->left, t->issued);
        read += t->banks_read;
        delayed += t->reads_delayed;
        bench_close(&t->b);
    }
    assert_true(read > 1000 && delayed > 100);
    free(t);
}

/* Ops with all operands wait in their collector while the pipeline registers behind it are full; one that comes free
 * lets one op leave. */
static void full_registers_hold_ops_back(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    open_bench(t, 1);
    struct core *core = t->b.core;
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++) {
        while (!core_fifo_full(&core->oc_ex[unit]))
            core_fifo_push(&core->oc_ex[unit], core_op_new(&t->b.ops));
        uint32_t op = core_op_new(&t->b.ops);
        core_enter(core, unit, op);
        while (core_collect(core))
            t->b.agenda.now++;
        assert_int_equal(core->id_oc[unit].count, 0);
        assert_int_equal(mask_count(core->collect.classes[unit].ready), 1);
        core_fifo_pop(&core->oc_ex[unit]);
        core_collect(core);
        assert_int_equal(*core_fifo_item(&core->oc_ex[unit], core->oc_ex[unit].count - 1u), op);
    }
    bench_close(&t->b);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collects_as_the_oracle_says),
        cmocka_unit_test(full_registers_hold_ops_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
