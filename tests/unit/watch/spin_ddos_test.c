/* DDOS (ElTantawy and Aamodt, HPCA 2018, section IV): when a warp counts as spinning, against a second model of the
 * rules, with a history that is shifted instead of turned; the table of branches; time sharing; storage. */
#include "unit/watch/spin_bench.h"

/* Instruction i compares %r1 with %r2, for i < 256; lanes read different values. */
#define SETPS 256

static void open_setps(struct bench *b, const char *settings)
{
    struct strbuf body = {0};
    for (unsigned i = 0; i < SETPS; i++)
        strbuf_add(&body, "setp.eq.u32 %p1, %r1, %r2;\n");
    strbuf_add(&body, "ret;");
    bench_open(b, settings, strbuf_text(&body));
    strbuf_free(&body);
    bench_detector(b, "ddos", 4096);
}

static void values(struct bench *b, unsigned lane, uint32_t first, uint32_t second)
{
    bench_register(b, "%r1", lane, first);
    bench_register(b, "%r2", lane, second);
}

static void setp(struct bench *b, uint32_t pc)
{
    b->detector->setp(b->state, bench_event(b, pc, 0));
}

static enum spin_verdict branch(struct bench *b, uint32_t number)
{
    return b->detector->branch(b->state, bench_event(b, 0, number));
}

/* Whether the warp counts as spinning: with threshold 1 a spinning warp confirms a branch that nobody has met. */
static bool spins(struct bench *b)
{
    void *kept = malloc(b->detector->state_bytes(&b->params, 4096));
    memcpy(kept, b->state, b->detector->state_bytes(&b->params, 4096));
    bool yes = branch(b, 4095) == SPIN_CONFIRMED;
    memcpy(b->state, kept, b->detector->state_bytes(&b->params, 4096));
    free(kept);
    return yes;
}

#define PROBE "spin.threshold=1 spin.table=0"

/* The insertion, from 1, at which a loop of `period` setps is seen to spin, after `before` others; 0: never. */
static unsigned seen_at(const char *settings, unsigned period, unsigned before)
{
    struct bench b;
    unsigned found = 0;
    open_setps(&b, settings);
    for (unsigned i = 1; i <= 200 && !found; i++) {
        uint32_t pc = i <= before ? 100 + i : (i - before - 1) % period;
        setp(&b, pc);
        found = spins(&b) ? i : 0;
    }
    bench_close(&b);
    return found;
}

static void periods(void **state)
{
    for (unsigned p = 1; p <= 6; p++)
        assert_int_equal(seen_at(PROBE, p, 0), 2 * p);
    assert_int_equal(seen_at(PROBE, 7, 0), 0);
    assert_int_equal(seen_at(PROBE, 8, 0), 0);
    for (unsigned before = 1; before <= 8; before++) /* the anchor is none of the loop's until the pointer wraps */
        for (unsigned p = 1; p <= 6; p++)
            assert_int_equal(seen_at(PROBE, p, before), 2 * p + 8);
}

static void lengths(void **state)
{
    for (unsigned p = 1; p <= 8; p++) {
        assert_int_equal(seen_at(PROBE " spin.history=1", p, 0), 0);
        assert_int_equal(seen_at(PROBE " spin.history=2", p, 0), 0);
        assert_int_equal(seen_at(PROBE " spin.history=4", p, 0), p <= 2 ? 2 * p : 0);
        assert_int_equal(seen_at(PROBE " spin.history=5", p, 0), p <= 3 ? 2 * p : 0);
        assert_int_equal(seen_at(PROBE " spin.history=16", p, 0), 2 * p);
    }
}

/* Path and values must both come again, in both operands. */
static void values_count(void **state)
{
    for (unsigned which = 0; which < 3; which++) {
        struct bench b;
        open_setps(&b, PROBE);
        for (uint32_t i = 0; i < 100; i++) {
            values(&b, 0, which == 1 ? i : 7, which == 2 ? i : 9);
            setp(&b, 3);
            assert_int_equal(spins(&b), which == 0 && i >= 1);
        }
        values(&b, 0, 8, 9); /* something moves: no more */
        setp(&b, 3);
        assert_false(spins(&b));
        bench_close(&b);
    }
}

static uint32_t fold(uint32_t word, unsigned bits)
{
    uint64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits)
        sum ^= (uint64_t)word >> at & mask_low(bits);
    return (uint32_t)sum;
}

/* Two values are the same to the detector exactly if their hashes are. */
static void hashes(void **state)
{
    static const unsigned widths[] = {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 31, 32};
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned modulo = 0; modulo < 2; modulo++) {
            char settings[120];
            snprintf(settings, sizeof settings, PROBE " spin.value_bits=%u spin.hash=%s", widths[w],
                     modulo ? "modulo" : "xor");
            unsigned equal = 0, different = 0;
            for (uint64_t i = 0; i < 200; i += effort_steps(3, 13)) {
                struct bench b;
                uint32_t one = (uint32_t)random_at(w, 2 * i), other = (uint32_t)random_at(w, 2 * i + 1);
                if (i % 4 == 0) /* the same hash, or the like */
                    other = one ^ (modulo ? 1u << 31 : 1u << 0) ^ (modulo ? 0 : 1u << widths[w] % 32);
                uint32_t low = (uint32_t)mask_low(widths[w]);
                bool same = modulo ? (one & low) == (other & low) : fold(one, widths[w]) == fold(other, widths[w]);
                open_setps(&b, settings);
                values(&b, 0, one, 1);
                setp(&b, 5);
                values(&b, 0, other, 1);
                setp(&b, 5);
                assert_int_equal(spins(&b), same);
                equal += same;
                different += !same;
                bench_close(&b);
            }
            assert_true(different > 0 && (equal > 0 || widths[w] == 32));
        }
}

static void path_hash(void **state)
{
    struct bench b;
    open_setps(&b, PROBE " spin.path_bits=3"); /* 9 = 1|001: folds to 0 as 0 does */
    setp(&b, 0);
    setp(&b, 9);
    assert_true(spins(&b));
    bench_close(&b);
    open_setps(&b, PROBE " spin.path_bits=3 spin.hash=modulo");
    setp(&b, 0);
    setp(&b, 9);
    assert_false(spins(&b));
    bench_close(&b);
    open_setps(&b, PROBE " spin.path_bits=3 spin.hash=modulo"); /* 0x38 / 8 = 7 and 15: the paper's example */
    setp(&b, 7);
    setp(&b, 15);
    assert_true(spins(&b));
    bench_close(&b);
}

/* The lowest active lane is profiled and stays so while it is active; when it goes, everything is forgotten. */
static void profiled_lane(void **state)
{
    struct bench b;
    open_setps(&b, PROBE);
    b.event.active = b.event.mask = 0xF0;
    setp(&b, 1);
    b.event.active = b.event.mask = 0xFF; /* lane 4 is kept, whatever lane 0 compares */
    values(&b, 0, 5, 5);
    setp(&b, 1);
    assert_true(spins(&b));
    b.event.active = b.event.mask = 0x0F;
    values(&b, 0, 0, 0);
    setp(&b, 1); /* lane 0 now: a first entry */
    assert_false(spins(&b));
    setp(&b, 1);
    assert_true(spins(&b));
    b.detector->launched(b.state, 0);
    assert_false(spins(&b));
    setp(&b, 1);
    assert_false(spins(&b));
    setp(&b, 1);
    assert_true(spins(&b));
    bench_close(&b);
}

/* What the released simulator compares are the values of the lowest lane whose guard is true, or zeros. */
static void values_of_the_guard(void **state)
{
    for (unsigned profiled = 0; profiled < 2; profiled++) {
        struct bench b;
        open_setps(&b, profiled ? PROBE : PROBE " spin.profiled_values=false");
        values(&b, 0, 1, 1);
        values(&b, 3, 2, 2);
        b.event.mask = 0xFF;
        setp(&b, 1);
        b.event.mask = 0xF8; /* lane 0 is active, and profiled, but guarded off */
        setp(&b, 1);
        assert_int_equal(spins(&b), profiled);
        bench_detector(&b, "ddos", 4096);
        b.event.mask = 0; /* nobody's values: zeros */
        for (uint32_t i = 0; i < 8; i++) {
            values(&b, 0, i, 1);
            setp(&b, 2);
            assert_int_equal(spins(&b), !profiled && i > 0);
        }
        bench_close(&b);
    }
}

/* A new warp with its predecessor's history is not seen to spin until that has been broken (the released simulator),
 * however long that takes. */
static void history_left_over(void **state)
{
    struct bench b;
    open_setps(&b, PROBE " spin.clears_history=false");
    setp(&b, 1);
    setp(&b, 1);
    assert_true(spins(&b));
    b.detector->launched(b.state, 0);
    for (unsigned i = 0; i < 1000; i++) {
        setp(&b, 1);
        assert_false(spins(&b));
    }
    for (unsigned i = 0; i < 12; i++)
        setp(&b, 2);
    assert_true(spins(&b));
    bench_close(&b);
}

/* A second model: entries move down, entry 0 is the newest. */
struct model {
    uint64_t path[16], value[16];
    unsigned length, pointer, count;
    bool matching, spinning;
};

static void model_setp(struct model *m, uint64_t path, uint64_t value)
{
    memmove(m->path + 1, m->path, sizeof *m->path * (m->length - 1));
    memmove(m->value + 1, m->value, sizeof *m->value * (m->length - 1));
    m->path[0] = path;
    m->value[0] = value;
    if (!m->matching)
        m->pointer = (m->pointer + 1) % m->length;
    if (m->pointer < 2)
        return;
    if (m->path[0] == m->path[m->pointer - 1] && m->value[0] == m->value[m->pointer - 1]) {
        m->matching = true;
        if (!m->spinning && ++m->count == m->pointer - 1)
            m->spinning = true;
    } else if (m->matching) {
        m->matching = m->spinning = false;
        m->count = m->pointer = 0;
    }
}

static void against_a_model(void **state)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct bench b;
        struct model m = {.length = 3 + seed % 14};
        char settings[120];
        snprintf(settings, sizeof settings, PROBE " spin.history=%u", m.length);
        open_setps(&b, settings);
        uint64_t drawn = 0;
        unsigned seen = 0, period = 1, from = 0;
        for (unsigned i = 0; i < 600; i++) {
            if (random_at(seed, drawn++) % 23 == 0) { /* another loop */
                period = 1 + (unsigned)(random_at(seed, drawn++) % 7);
                from = (unsigned)(random_at(seed, drawn++) % 100);
            }
            uint32_t pc = from + i % period, value = random_at(seed, drawn++) % 40 == 0;
            values(&b, 0, value, 3);
            setp(&b, pc);
            model_setp(&m, pc + 1, (uint64_t)value << 32 | 3);
            assert_int_equal(spins(&b), m.spinning);
            seen += m.spinning;
        }
        assert_true(seen > 10);
        bench_close(&b);
    }
}

/* Makes warp `warp` spin, or not. */
static void let_spin(struct bench *b, unsigned warp, bool spinning)
{
    b->event.warp = warp;
    for (unsigned i = 0; i < 24; i++)
        setp(b, spinning ? 1 : 2 + i);
}

static void check_occupancy(const struct bench *b, unsigned entries, unsigned confirmed)
{
    uint32_t e, c;
    b->detector->occupancy(b->state, &e, &c);
    assert_int_equal(e, entries);
    assert_int_equal(c, confirmed);
}

static void table(void **state)
{
    struct bench b;
    open_setps(&b, "");
    let_spin(&b, 0, false);
    assert_int_equal(branch(&b, 3), SPIN_NO); /* who does not spin inserts nothing */
    check_occupancy(&b, 0, 0);
    let_spin(&b, 0, true);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(branch(&b, 3), SPIN_NO);
    check_occupancy(&b, 1, 0);
    let_spin(&b, 0, false);
    for (unsigned i = 0; i < 3; i++) /* 1, 0, and not below */
        assert_int_equal(branch(&b, 3), SPIN_NO);
    let_spin(&b, 0, true);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(branch(&b, 3), SPIN_NO);
    assert_int_equal(branch(&b, 3), SPIN_CONFIRMED);
    check_occupancy(&b, 1, 1);
    let_spin(&b, 1, false);
    for (unsigned i = 0; i < 9; i++) /* any warp that takes it, and for ever */
        assert_int_equal(branch(&b, 3), SPIN_YES);
    assert_int_equal(branch(&b, 4), SPIN_NO);
    check_occupancy(&b, 1, 1);
    b.detector->drained(b.state);
    check_occupancy(&b, 0, 0);
    assert_int_equal(branch(&b, 3), SPIN_NO);
    bench_close(&b);
}

static void demotion(void **state)
{
    struct bench b;
    open_setps(&b, "spin.demotes=true spin.threshold=2");
    let_spin(&b, 0, true);
    assert_int_equal(branch(&b, 3), SPIN_NO);
    assert_int_equal(branch(&b, 3), SPIN_CONFIRMED);
    assert_int_equal(branch(&b, 3), SPIN_YES);
    let_spin(&b, 1, false);
    assert_int_equal(branch(&b, 3), SPIN_YES); /* for the last time */
    check_occupancy(&b, 1, 0);
    assert_int_equal(branch(&b, 3), SPIN_NO);
    let_spin(&b, 0, true);
    assert_int_equal(branch(&b, 3), SPIN_NO);
    assert_int_equal(branch(&b, 3), SPIN_CONFIRMED);
    bench_close(&b);
}

/* A full table: entries without confidence give way, others do not. */
static void overflow(void **state)
{
    struct bench b;
    open_setps(&b, "spin.table=2");
    let_spin(&b, 0, true);
    for (unsigned i = 0; i < 2; i++)
        branch(&b, 10), branch(&b, 11);
    for (unsigned i = 0; i < 9; i++) /* no room */
        assert_int_equal(branch(&b, 12), SPIN_NO);
    check_occupancy(&b, 2, 0);
    let_spin(&b, 1, false);
    branch(&b, 11), branch(&b, 11); /* back to 0 */
    let_spin(&b, 0, true);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(branch(&b, 12), SPIN_NO);
    assert_int_equal(branch(&b, 12), SPIN_CONFIRMED);
    check_occupancy(&b, 2, 1);
    assert_int_equal(branch(&b, 10), SPIN_NO); /* still there, at 3 */
    assert_int_equal(branch(&b, 10), SPIN_CONFIRMED);
    assert_int_equal(branch(&b, 11), SPIN_NO);
    check_occupancy(&b, 2, 2);
    bench_close(&b);
}

/* One set of histories goes round: the owner keeps it until its cycles and setps together are more than the time. */
static void time_sharing(void **state)
{
    struct bench b;
    open_setps(&b, PROBE " spin.shares=true spin.share_cycles=100");
    for (unsigned i = 0; i < 10; i++) {
        b.event.warp = 0;
        setp(&b, 1);
        b.event.warp = 1;
        setp(&b, 1);
        assert_false(spins(&b)); /* not looked at */
    }
    b.event.warp = 0;
    assert_true(spins(&b));
    b.cycle += 100;
    setp(&b, 1); /* the owner itself does not lose it */
    assert_true(spins(&b));
    b.event.warp = 1;
    setp(&b, 1);
    setp(&b, 1);
    assert_true(spins(&b));
    b.event.warp = 0;
    assert_false(spins(&b));
    setp(&b, 1);
    setp(&b, 1);
    assert_false(spins(&b));
    bench_close(&b);
}

/* Cycles alone do not make up the time: the owner's setps count too. */
static void time_of_setps(void **state)
{
    struct bench b;
    open_setps(&b, PROBE " spin.shares=true spin.share_cycles=100");
    for (unsigned i = 0; i < 50; i++)
        setp(&b, 1); /* in cycles 1 to 50 */
    b.event.warp = 1;
    setp(&b, 1); /* 50 and 50: not more than the time */
    setp(&b, 1); /* 51 and 50: the history is warp 1's */
    assert_false(spins(&b));
    setp(&b, 1);
    assert_true(spins(&b));
    bench_close(&b);
}

static uint64_t bits(const char *settings, unsigned warps)
{
    struct bench b;
    open_setps(&b, settings);
    uint64_t n = b.detector->hardware_bits(&b.params, warps);
    bench_close(&b);
    return n;
}

/* Table III: a table of 16 entries of 35 bits, 48 histories of 192. */
static void storage(void **state)
{
    assert_int_equal(bits("", 48), 560 + 9216);
    assert_int_equal(bits("spin.shares=true", 48), 560 + 192);
    assert_int_equal(bits("spin.threshold=12", 48), 16 * 36 + 9216);
    assert_int_equal(bits("spin.path_bits=4 spin.value_bits=4 spin.history=4 spin.table=8", 64), 8 * 35 + 64 * 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods),
        cmocka_unit_test(lengths),
        cmocka_unit_test(values_count),
        cmocka_unit_test(hashes),
        cmocka_unit_test(path_hash),
        cmocka_unit_test(profiled_lane),
        cmocka_unit_test(values_of_the_guard),
        cmocka_unit_test(history_left_over),
        cmocka_unit_test(against_a_model),
        cmocka_unit_test(table),
        cmocka_unit_test(demotion),
        cmocka_unit_test(overflow),
        cmocka_unit_test(time_sharing),
        cmocka_unit_test(time_of_setps),
        cmocka_unit_test(storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
