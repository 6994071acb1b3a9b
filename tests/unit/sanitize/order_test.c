/* Races and order, held against an oracle: random traces of accesses, fences and barriers, for which "happens before"
 * is computed as the transitive closure over the events, and compared with what the vector clocks say. Every race that
 * is found is one by the oracle; and of words that are only accessed weakly, every race with the last write, and with
 * the reads since where there are no more than the checks remember, is found.
 *
 * The oracle follows docs/checks.md, limits included: a fence, a barrier and a word that was read count for all lanes
 * of the warp; a word that was read counts for all warps that meet in a barrier of the block behind it; an acquire orders
 * behind all releases of the word so far. */
#include "unit/sanitize/traced.h"

#include "base/random.h"
#include "effort.h"

#define EVENTS 60
#define BLOCKS 3
#define BLOCK_WARPS 2
#define WARPS (BLOCKS * BLOCK_WARPS)

enum kind { READ, WRITE, EXCHANGE, REDUCE, FENCE, SYNCWARP, ARRIVE, BARRIER, OPEN, GRID, KINDS };
enum word { DATA, DATA_TOO, FLAG, FLAG_TOO, MIXED, SHARED_DATA, SHARED_FLAG, WORDS };

struct event {
    enum kind kind;
    unsigned warp;  /* of the grid; of a barrier, the first of its block */
    uint64_t lanes; /* of an access */
    enum word word;
    uint8_t bytes, offset;
    uint8_t order, scope; /* ISA_ORDER_*; ISA_SCOPE_* */
    unsigned done;        /* the last event before its value is there */
};
struct trace {
    uint32_t target_sm;
    unsigned count;
    struct event events[EVENTS];
};

static unsigned block_of(const struct event *e)
{
    return e->warp / BLOCK_WARPS;
}
static bool is_access(const struct event *e)
{
    return e->kind <= REDUCE;
}
static bool reads(const struct event *e)
{
    return is_access(e) && e->kind != WRITE;
}
static bool writes(const struct event *e)
{
    return is_access(e) && e->kind != READ;
}
static bool in_shared(const struct event *e)
{
    return e->word >= SHARED_DATA;
}
static bool is_strong(const struct event *e)
{
    return e->kind == EXCHANGE || e->kind == REDUCE || e->order > ISA_ORDER_WEAK;
}
static bool acquires(const struct event *e)
{
    return reads(e) && (e->order == ISA_ORDER_ACQUIRE || e->order == ISA_ORDER_ACQ_REL);
}
static bool releases(const struct event *e)
{
    return writes(e) && (e->order == ISA_ORDER_RELEASE || e->order == ISA_ORDER_ACQ_REL);
}
static bool takes_part(const struct event *e, unsigned warp)
{
    return e->kind == BARRIER || e->kind == GRID ? block_of(e) == warp / BLOCK_WARPS : e->warp == warp;
}

/* Traces */

static uint8_t one_of(struct random_stream *random, unsigned count, const uint8_t *of)
{
    return of[random_below(random, count)];
}
#define ONE_OF(random, ...) one_of(random, sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]){__VA_ARGS__})

static void make_access(struct random_stream *random, struct event *e)
{
    bool data = e->word == DATA || e->word == DATA_TOO || e->word == SHARED_DATA;
    e->bytes = 4;
    e->lanes = 1;
    e->kind = data ? ONE_OF(random, READ, WRITE) : ONE_OF(random, READ, WRITE, EXCHANGE, REDUCE);
    if (data)
        return;
    if (e->word == MIXED) {
        e->lanes = ONE_OF(random, 1, 1, 2, 3);
        e->bytes = ONE_OF(random, 4, 4, 1);
        e->offset = e->bytes == 1 ? ONE_OF(random, 0, 3) : 0;
    }
    e->scope = ONE_OF(random, 0, ISA_SCOPE_GPU, ISA_SCOPE_CTA);
    if (e->kind == READ)
        e->order = ONE_OF(random, ISA_ORDER_RELAXED, ISA_ORDER_ACQUIRE, ISA_ORDER_VOLATILE);
    else if (e->kind == WRITE)
        e->order = ONE_OF(random, ISA_ORDER_RELAXED, ISA_ORDER_RELEASE, ISA_ORDER_VOLATILE);
    else if (e->kind == EXCHANGE)
        e->order = ONE_OF(random, 0, ISA_ORDER_RELAXED, ISA_ORDER_ACQUIRE, ISA_ORDER_RELEASE, ISA_ORDER_ACQ_REL);
    else
        e->order = ONE_OF(random, 0, ISA_ORDER_RELAXED, ISA_ORDER_RELEASE);
    if (e->order == ISA_ORDER_VOLATILE)
        e->scope = 0;
    if (e->word == MIXED && e->kind < EXCHANGE && random_below(random, 2))
        e->order = e->scope = 0;
}

static void make_event(struct random_stream *random, struct event *e)
{
    *e = (struct event){.warp = random_below(random, WARPS), .word = (enum word)random_below(random, WORDS)};
    uint32_t what = random_below(random, 100);
    if (what < 70) {
        make_access(random, e);
        return;
    }
    e->kind = what < 88 ? FENCE : what < 91 ? SYNCWARP : what < 93 ? ARRIVE : what < 95 ? OPEN : BARRIER;
    if (e->kind == FENCE)
        e->scope = ONE_OF(random, ISA_SCOPE_GPU, ISA_SCOPE_GPU, ISA_SCOPE_CTA, ISA_SCOPE_SYS);
    if (e->kind == BARRIER)
        e->warp -= e->warp % BLOCK_WARPS;
}

/* Values come when they like, but before their warp goes on. */
static void draw_done(struct random_stream *random, struct trace *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        unsigned last = i;
        t->events[i].done = i;
        if (!is_access(&t->events[i]) || in_shared(&t->events[i])) /* shared memory answers at once */
            continue;
        while (last + 1 < t->count && !takes_part(&t->events[last + 1], t->events[i].warp) &&
               t->events[last + 1].kind != GRID)
            last++;
        t->events[i].done = i + random_below(random, last - i + 1);
    }
}

static struct trace make_trace(uint64_t seed)
{
    struct random_stream random = random_stream_of(seed, "trace", 0);
    struct trace t = {.target_sm = random_below(&random, 4) ? 70 : 61};
    while (t.count < EVENTS) {
        if (t.count + BLOCKS <= EVENTS && random_below(&random, 60) == 0)
            for (unsigned block = 0; block < BLOCKS; block++) /* one for each block, one behind the other */
                t.events[t.count++] = (struct event){.kind = GRID, .warp = block * BLOCK_WARPS};
        else
            make_event(&random, &t.events[t.count++]);
        if (t.count < EVENTS && t.events[t.count - 1].kind == ARRIVE && random_below(&random, 2)) {
            unsigned other = t.events[t.count - 1].warp ^ 1; /* it was waited for */
            t.events[t.count++] = (struct event){.kind = OPEN, .warp = other};
        }
    }
    draw_done(&random, &t);
    return t;
}

/* The oracle: events by number, in sets. They are in the order of time, so what is known of one is complete when the
 * events before it are judged. */
struct oracle {
    uint64_t before[EVENTS];   /* what happens before it */
    uint64_t after[EVENTS];    /* what happens before that which its warp does next */
    uint64_t in_order[EVENTS]; /* before it by program order and barriers of the block alone: fences there count for it
                                */
};

/* Events that follow from each other only within a block. */
static bool is_narrow(const struct event *e)
{
    return e->scope == ISA_SCOPE_CTA || (is_access(e) && in_shared(e));
}
static bool reach_each_other(const struct event *a, const struct event *b)
{
    return block_of(a) == block_of(b) || (!is_narrow(a) && !is_narrow(b));
}

/* What others learn by a write behind event p, if that is a fence or releases by itself. */
static uint64_t handed_on(const struct trace *t, const struct oracle *o, unsigned p)
{
    return t->events[p].kind == FENCE ? o->after[p] : o->before[p] | BIT64(p);
}

/* What event `by` makes known, which is the read r itself or a fence behind it: all that was released by writes that
 * the read may have seen. */
static uint64_t acquired(const struct trace *t, const struct oracle *o, unsigned r, const struct event *by)
{
    const struct event *read = &t->events[r];
    uint64_t known = 0;
    for (unsigned w = 0; w <= read->done; w++) {
        const struct event *write = &t->events[w];
        if (w == r || !writes(write) || !is_strong(write) || write->word != read->word ||
            !reach_each_other(write, read))
            continue;
        for (unsigned p = 0; p <= w; p++) {
            const struct event *point = &t->events[p];
            bool pattern =
                p == w ? releases(point) : o->in_order[w] & BIT64(p) && (point->kind == FENCE || releases(point));
            if (pattern && reach_each_other(point, by))
                known |= handed_on(t, o, p);
        }
    }
    return known;
}

static bool may_acquire(const struct event *e)
{
    return is_strong(e) && (e->kind == READ || e->kind == EXCHANGE);
}

static bool comes_before(const struct trace *t, unsigned j, unsigned i, bool *own)
{
    const struct event *earlier = &t->events[j], *e = &t->events[i];
    *own = false;
    for (unsigned warp = 0; warp < WARPS; warp++)
        *own |= takes_part(earlier, warp) && takes_part(e, warp);
    bool came = (e->kind == BARRIER || e->kind == OPEN) && earlier->kind == ARRIVE && block_of(earlier) == block_of(e);
    bool grid = e->kind == GRID && j < i - block_of(e); /* the events of a grid's barrier stand in a row, by block */
    return *own || came || grid;
}

static struct oracle judge(const struct trace *t)
{
    struct oracle o = {0};
    for (unsigned i = 0; i < t->count; i++) {
        const struct event *e = &t->events[i];
        for (unsigned j = 0; j < i; j++) {
            bool own;
            if (comes_before(t, j, i, &own))
                o.before[i] |= o.after[j];
            if (own)
                o.in_order[i] |= o.in_order[j] | BIT64(j);
        }
        o.after[i] = o.before[i] | BIT64(i);
        for (unsigned r = 0; e->kind == FENCE && r < i; r++)
            if (o.in_order[i] & BIT64(r) && may_acquire(&t->events[r]))
                o.after[i] |= acquired(t, &o, r, e);
        for (unsigned r = 0; r <= i; r++)
            if (t->events[r].done == i && may_acquire(&t->events[r]) && acquires(&t->events[r]))
                o.after[r] |= acquired(t, &o, r, &t->events[r]);
    }
    return o;
}

/* Lanes of a warp are ordered by what orders its lanes, wherever it stands between the two. */
static bool warp_has_met(const struct trace *t, unsigned i, unsigned j)
{
    bool met = t->target_sm < 70;
    for (unsigned k = i; k < j; k++) {
        const struct event *e = &t->events[k];
        met |= takes_part(e, t->events[i].warp) && (releases(e) || !is_access(e));
    }
    return met;
}

static bool conflict(const struct event *a, const struct event *b)
{
    bool overlap = a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
    return is_access(a) && is_access(b) && a->word == b->word && overlap && (writes(a) || writes(b)) &&
           (!in_shared(a) || block_of(a) == block_of(b));
}

/* The accesses i and j, of which i is the earlier one, race. */
static bool race(const struct trace *t, const struct oracle *o, unsigned i, unsigned j)
{
    const struct event *a = &t->events[i], *b = &t->events[j];
    bool wide = a->scope != ISA_SCOPE_CTA && b->scope != ISA_SCOPE_CTA;
    bool strong = is_strong(a) && is_strong(b) && (block_of(a) == block_of(b) || wide);
    bool loose = a->order == ISA_ORDER_VOLATILE || b->order == ISA_ORDER_VOLATILE;
    if (!conflict(a, b) || (strong && !loose))
        return false;
    if (a->warp != b->warp)
        return !(o->before[j] & BIT64(i));
    bool lanes_differ = a->lanes != b->lanes || a->lanes == 3;
    return lanes_differ && !warp_has_met(t, i, j);
}

/* The checks */

static uint64_t address_of(const struct event *e)
{
    return (in_shared(e) ? 0 : TRACED_MEMORY) + 64 * e->word + e->offset;
}

static void make_instr(const struct event *e, struct isa_instr *instr)
{
    static const uint16_t ops[KINDS] = {
        [READ] = ISA_OP_LD,     [WRITE] = ISA_OP_ST,         [EXCHANGE] = ISA_OP_ATOM, [REDUCE] = ISA_OP_RED,
        [FENCE] = ISA_OP_FENCE, [SYNCWARP] = ISA_OP_BAR,     [ARRIVE] = ISA_OP_BAR,    [BARRIER] = ISA_OP_BAR,
        [OPEN] = ISA_OP_BAR,    [GRID] = ISA_OP_BARRIER_GRID};
    static const uint8_t barriers[KINDS] = {[SYNCWARP] = ISA_BARRIER_WARP,
                                            [ARRIVE] = ISA_BARRIER_ARRIVE,
                                            [BARRIER] = ISA_BARRIER_SYNC,
                                            [GRID] = ISA_BARRIER_GRID};
    *instr = (struct isa_instr){.op = ops[e->kind], .type = ISA_U32};
    instr->mods.order = e->order;
    instr->mods.scope = e->scope;
    instr->mods.barrier = barriers[e->kind];
    instr->mods.space = in_shared(e) ? ISA_SPACE_SHARED : ISA_SPACE_GLOBAL;
    instr->mods.atomic = e->kind == EXCHANGE ? ISA_ATOMIC_EXCH : e->kind == REDUCE ? ISA_ATOMIC_ADD : 0;
    instr->dst_count = e->kind == READ || e->kind == EXCHANGE;
}

static struct traced_warp warp_of(unsigned warp)
{
    return (struct traced_warp){warp / BLOCK_WARPS, warp % BLOCK_WARPS};
}

/* The warp of this event is let go by what its neighbour does in the one before. */
static bool opened_by_other(const struct trace *trace, unsigned i)
{
    const struct event *e = &trace->events[i];
    return i && i < trace->count && e->kind == OPEN && e[-1].kind == ARRIVE && e[-1].warp == (e->warp ^ 1);
}

static void tell(struct traced *t, const struct trace *trace, unsigned i)
{
    const struct event *e = &trace->events[i];
    struct traced_warp w = warp_of(e->warp);
    if (is_access(e)) {
        traced_access(t, w, i, e->lanes, address_of(e), e->bytes, i + 1);
    } else if (e->kind == BARRIER || e->kind == GRID) {
        for (unsigned warp = 0; warp < WARPS && e->kind == GRID && e->warp == 0; warp++)
            traced_issue(t, warp_of(warp), i);
        traced_open(t, block_of(e), (1u << BLOCK_WARPS) - 1);
        if (e->kind == BARRIER)
            traced_issue(t, w, i);
    } else if (e->kind == OPEN) { /* as the SM has it, before the instruction that has opened it */
        traced_open(t, block_of(e), BIT64(e->warp % BLOCK_WARPS));
        bool other = opened_by_other(trace, i);
        traced_issue(t, other ? warp_of(e->warp ^ 1) : w, i - other);
    } else if (!opened_by_other(trace, i + 1)) {
        traced_issue(t, w, i);
    }
    for (unsigned r = 0; r <= i; r++)
        if (trace->events[r].done == i && is_access(&trace->events[r]))
            traced_done(t, warp_of(trace->events[r].warp), r);
}

/* What the checks find. */
struct found {
    uint64_t with[EVENTS]; /* by event: those that it races with */
};
static struct found run(const struct trace *trace)
{
    struct traced *t = traced_new(SANITIZE_RACES, trace->target_sm);
    struct found found = {0};
    size_t count;
    for (unsigned i = 0; i < trace->count; i++)
        make_instr(&trace->events[i], &t->instrs[i]);
    traced_begin(t, NULL);
    for (unsigned warp = 0; warp < WARPS; warp++)
        traced_launch(t, warp_of(warp));
    for (unsigned i = 0; i < trace->count; i++)
        tell(t, trace, i);
    const struct sanitize_finding *findings = traced_end(t, &count);
    for (size_t i = 0; i < count; i++)
        found.with[findings[i].second.pc] |= BIT64(findings[i].first.pc);
    traced_free(t);
    return found;
}

/* Comparison */

struct tally {
    unsigned races, ordered; /* pairs of conflicting accesses of different warps, in words accessed weakly */
};

/* The accesses before j that the checks still know of its word: the last write, and reads since. */
static uint64_t remembered(const struct trace *t, unsigned j)
{
    uint64_t marks = 0;
    for (unsigned i = 0; i < j; i++) {
        const struct event *e = &t->events[i];
        if (!is_access(e) || e->word != t->events[j].word || (in_shared(e) && block_of(e) != block_of(&t->events[j])))
            continue;
        marks = writes(e) ? BIT64(i) : marks | BIT64(i);
    }
    return marks;
}

static unsigned warps_in(const struct trace *t, uint64_t marks)
{
    uint64_t warps = 0;
    for (unsigned i = 0; i < t->count; i++)
        warps |= marks & BIT64(i) && t->events[i].kind == READ ? BIT64(t->events[i].warp) : 0;
    return (unsigned)mask_count(warps);
}

/* Of a read and a later one that it happens before the later one is remembered, and races wherever the earlier one
 * does. */
static bool has_later_read(const struct trace *t, const struct oracle *o, uint64_t marks, unsigned i)
{
    for (unsigned k = i + 1; k < t->count; k++)
        if (marks & BIT64(k) && (o->before[k] & BIT64(i)))
            return true;
    return false;
}

static void expect_found(const struct trace *t, const struct oracle *o, const struct found *found, unsigned j,
                         struct tally *tally, uint64_t seed)
{
    uint64_t marks = remembered(t, j);
    for (unsigned i = 0; i < j; i++) {
        const struct event *e = &t->events[i];
        if (!(marks & BIT64(i)) || !conflict(e, &t->events[j]) || e->warp == t->events[j].warp)
            continue;
        bool is_race = race(t, o, i, j), told = found->with[j] & BIT64(i);
        bool read = e->kind == READ;
        tally->races += is_race;
        tally->ordered += !is_race;
        if (is_race && !told && !(read && (warps_in(t, marks) > 2 || has_later_read(t, o, marks, i))))
            fail_msg("trace %llu: events %u and %u race, and nothing is found", (unsigned long long)seed, i, j);
    }
}

static void compare(const struct trace *t, uint64_t seed, struct tally *tally)
{
    struct oracle o = judge(t);
    struct found found = run(t);
    for (unsigned j = 0; j < t->count; j++) {
        const struct event *e = &t->events[j];
        for (unsigned i = 0; i < t->count; i++)
            if (found.with[j] & BIT64(i) && (i > j || !race(t, &o, i, j)))
                fail_msg("trace %llu: events %u and %u do not race, and are reported", (unsigned long long)seed, i, j);
        if (is_access(e) && (e->word == DATA || e->word == DATA_TOO || e->word == SHARED_DATA))
            expect_found(t, &o, &found, j, tally, seed);
    }
}

static void test_against_closure(void **state)
{
    struct tally tally = {0};
    unsigned step = effort_steps(5, 25);
    for (uint64_t seed = 0; seed < 20000; seed += step) {
        struct trace t = make_trace(seed);
        compare(&t, seed, &tally);
    }
    assert_true(tally.races > 100000 / step && tally.ordered > 20000 / step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_closure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
