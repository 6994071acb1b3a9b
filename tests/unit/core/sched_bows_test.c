/* Back-off warp spinning (ElTantawy and Aamodt, HPCA 2018, section III) through its interface: the walk of Figure 4,
 * both orders of backed-off warps, and the adaptive limit of Figure 5 against a model that steps every window. */
#include "core/sched/control.h"
#include "unit/watch/spin_bench.h"

struct control {
    struct bench b; /* for its parameters */
    const struct sched_control *bows;
    void *state;
};

static void open_bows(struct control *c, const char *settings, unsigned schedulers, uint64_t cycle)
{
    bench_open(&c->b, settings, "ret;");
    c->bows = sched_find_control("bows");
    assert_non_null(c->bows);
    c->state = calloc(1, c->bows->state_bytes);
    c->bows->reset(c->state, &c->b.params, schedulers, cycle);
    for (unsigned w = 0; w < 64; w++)
        c->bows->launched(c->state, w, cycle);
}

static void close_bows(struct control *c)
{
    free(c->state);
    bench_close(&c->b);
}

static void issue(struct control *c, unsigned warp, uint64_t cycle, bool held)
{
    c->bows->issued(c->state, warp, cycle, held);
}

/* Issues a spin-inducing branch: the cycle from which the warp may issue again. */
static uint64_t spin(struct control *c, unsigned warp, uint64_t cycle, bool held)
{
    issue(c, warp, cycle, held);
    return c->bows->spins(c->state, warp, cycle);
}

static uint64_t limit(const struct control *c)
{
    return c->bows->delay(c->state);
}

#define FIXED "spin.adaptive=false spin.delay=1000 "

/* Figure 4: no delay at first; leaving starts it; the next branch within it waits for its end; a pass that takes
 * longer than the limit does not notice. */
static void walk(void **state)
{
    struct control c;
    open_bows(&c, FIXED, 2, 0);
    assert_int_equal(spin(&c, 3, 100, false), 101);
    issue(&c, 3, 160, true); /* leaves: the delay runs until 1160 */
    assert_int_equal(spin(&c, 3, 400, false), 1160);
    issue(&c, 3, 1165, true);                         /* somebody else was first */
    assert_int_equal(spin(&c, 3, 2164, false), 2165); /* one cycle early: which is the next cycle anyway */
    issue(&c, 3, 2165, true);
    assert_int_equal(spin(&c, 3, 9000, false), 9001); /* a long pass */
    issue(&c, 3, 9001, true);
    issue(&c, 3, 9005, false); /* an ordinary instruction starts nothing */
    assert_int_equal(spin(&c, 3, 9006, false), 10001);
    assert_int_equal(spin(&c, 5, 9007, false), 9008); /* another warp has its own */
    assert_int_equal(limit(&c), 1000);
    close_bows(&c);
}

/* The branch itself can be the instruction with which the warp leaves: a loop of one instruction. */
static void leaves_by_spinning(void **state)
{
    struct control c;
    open_bows(&c, FIXED, 2, 0);
    assert_int_equal(spin(&c, 0, 10, false), 11);
    assert_int_equal(spin(&c, 0, 11, true), 1011);
    assert_int_equal(spin(&c, 0, 1011, true), 2011);
    close_bows(&c);
}

static void limit_zero(void **state)
{
    struct control c;
    open_bows(&c, "spin.adaptive=false spin.delay=0", 2, 0);
    for (uint64_t t = 10; t < 100; t += 10)
        assert_int_equal(spin(&c, 1, t, t > 10), t + 1);
    close_bows(&c);
}

static void launched_anew(void **state)
{
    struct control c;
    open_bows(&c, FIXED, 2, 0);
    spin(&c, 3, 100, false);
    issue(&c, 3, 200, true);
    c.bows->launched(c.state, 3, 300);
    assert_int_equal(spin(&c, 3, 301, false), 302); /* its predecessor's delay is not its own */
    close_bows(&c);
}

/* A base policy: the lowest slot. */
static unsigned lowest(const void *state, const struct lockstep_scheduler_view *view)
{
    return mask_first(view->ready);
}

static unsigned pick(const struct control *c, uint64_t ready)
{
    static const struct lockstep_scheduler base = {.pick = lowest};
    struct lockstep_scheduler_view view = {.ready = ready};
    return c->bows->pick(c->state, &view, &base, NULL);
}

/* In the order in which they backed off, of those that are ready; whoever spins again is last. */
static void queue_order(void **state)
{
    struct control c;
    open_bows(&c, FIXED "spin.order=queue", 1, 0);
    spin(&c, 5, 10, false);
    spin(&c, 2, 11, false);
    spin(&c, 63, 12, false);
    spin(&c, 0, 13, false);
    assert_int_equal(pick(&c, UINT64_MAX & (BIT64(0) | BIT64(2) | BIT64(5) | BIT64(63))), 5);
    assert_int_equal(pick(&c, BIT64(0) | BIT64(63)), 63);
    issue(&c, 5, 20, true);
    spin(&c, 5, 21, false);
    assert_int_equal(pick(&c, BIT64(0) | BIT64(2) | BIT64(5) | BIT64(63)), 2);
    assert_int_equal(pick(&c, BIT64(0) | BIT64(5)), 0);
    close_bows(&c);
}

/* The policy's order, but for the warp that backed off with the last issue of its scheduler, which is last. */
static void scheduler_order(void **state)
{
    struct control c;
    open_bows(&c, FIXED "spin.order=scheduler", 2, 0);
    uint64_t even = BIT64(0) | BIT64(2) | BIT64(4), odd = BIT64(1) | BIT64(3);
    spin(&c, 4, 10, false);
    spin(&c, 2, 11, false);
    spin(&c, 0, 12, false);
    assert_int_equal(pick(&c, even), 2);
    assert_int_equal(pick(&c, BIT64(0)), 0); /* alone */
    spin(&c, 1, 13, false);                  /* of the other scheduler: leaves this one's last as it is */
    assert_int_equal(pick(&c, even), 2);
    assert_int_equal(pick(&c, odd), 3);
    issue(&c, 6, 14, false); /* something else has issued: no last one any more */
    assert_int_equal(pick(&c, even), 0);
    close_bows(&c);
}

/* Figure 5, in fractions, window by window. */
struct model {
    uint64_t limit, window_end, total, spins, before, spins_before;
    const struct spin_params *p;
};

static void model_window(struct model *m)
{
    const struct spin_params *p = m->p;
    int64_t limit = (int64_t)m->limit;
    if (m->spins * 1000 > p->raise_share * m->total)
        limit += p->delay_step;
    bool none_now = !m->spins, none_before = !m->spins_before;
    if (!none_now && (none_before ? m->before > 0 /* x/0, but not 0/0 */
                                  : m->total * m->spins_before * 1000 < p->lower_ratio * m->before * m->spins))
        limit -= 2 * (int64_t)p->delay_step;
    if (limit > p->max_delay)
        limit = p->max_delay;
    if (limit < p->min_delay)
        limit = p->min_delay;
    m->limit = (uint64_t)limit;
    if (m->spins || !p->keeps_total)
        m->before = m->total;
    m->spins_before = m->spins;
    m->total = m->spins = 0;
}

/* Bursts of instructions and of spinning, and silence over many windows. */
static void windows(void **state)
{
    static const char *const settings[] = {"", "spin.keeps_total=true spin.raise_share=0.001 spin.lower_ratio=0.9",
                                           "spin.window=77 spin.delay_step=90", "spin.min_delay=0 spin.max_delay=600",
                                           "spin.raise_share=0.5"};
    for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
        struct control c;
        unsigned rises = 0, falls = 0;
        uint64_t cycle = 12345, drawn = 0, spin_every = 10, last;
        open_bows(&c, settings[k], 2, cycle);
        uint32_t window = c.b.params.window;
        last = limit(&c);
        struct model m = {c.b.params.min_delay, (cycle / window + 1) * window, 0, 0, 0, 0, &c.b.params};
        for (unsigned i = 0; i < 60000; i++) {
            uint64_t dice = random_at(k, drawn++);
            cycle += 1 + (dice % 7 ? 0 : dice >> 8 & 15) + (dice % 997 ? 0 : (dice >> 20) % (9 * window));
            if (dice % 1500 == 3)
                spin_every = 3 + (dice >> 30) % 400; /* a loop has three instructions */
            for (; cycle >= m.window_end; m.window_end += window)
                model_window(&m);
            m.total++;
            bool spinning = dice % spin_every == 0;
            if (spinning)
                spin(&c, (unsigned)(dice >> 40) % 64, cycle, false);
            else
                issue(&c, (unsigned)(dice >> 40) % 64, cycle, false);
            m.spins += spinning;
            assert_int_equal(limit(&c), m.limit);
            rises += limit(&c) > last;
            falls += limit(&c) < last;
            last = limit(&c);
        }
        if (k == 4) /* half of all instructions: cannot be, the limit stays at its least */
            assert_int_equal(rises + falls, 0);
        else
            assert_true(rises > 10 && falls > 3);
        close_bows(&c);
    }
}

/* One window: `total` instructions, the first `spins` of them spin-inducing. */
static void window(struct control *c, uint64_t number, unsigned total, unsigned spins)
{
    for (unsigned i = 0; i < total; i++)
        if (i < spins)
            spin(c, 1, number * 1000 + i, false);
        else
            issue(c, 0, number * 1000 + i, false);
}

/* The limit that holds at the beginning of the window. */
static uint64_t limit_in(struct control *c, uint64_t number)
{
    issue(c, 0, number * 1000, false);
    return limit(c);
}

static void edges(void **state)
{
    struct control c;
    open_bows(&c, "spin.min_delay=3000 spin.max_delay=4000", 2, 0);
    window(&c, 0, 200, 1); /* exactly the share: no more */
    window(&c, 1, 199, 1); /* more than the share, and as good as before */
    assert_int_equal(limit(&c), 3000);
    assert_int_equal(limit_in(&c, 2), 3250);
    window(&c, 3, 0, 0);
    assert_int_equal(limit_in(&c, 4), 3250); /* windows without spinning change nothing */
    window(&c, 5, 100, 10);
    assert_int_equal(limit_in(&c, 6), 3000); /* none before: +250 and -500 */
    close_bows(&c);
    open_bows(&c, "spin.max_delay=1600", 2, 0);
    for (unsigned n = 0; n < 9; n++)
        window(&c, n, 100, 10);
    assert_int_equal(limit(&c), 1600);
    c.bows->drained(c.state, 9500); /* the SM is empty */
    assert_int_equal(limit(&c), 1000);
    close_bows(&c);
    open_bows(&c, "spin.max_delay=100", 2, 0); /* less than the least: the least holds */
    for (unsigned n = 0; n < 5; n++)
        window(&c, n, 100, 10);
    assert_int_equal(limit(&c), 1000);
    close_bows(&c);
}

/* Whether a quiet window is forgotten: the next one with spinning is compared with what was before. */
static void kept_total(void **state)
{
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        struct control c;
        open_bows(&c, keeps ? "spin.keeps_total=true" : "", 2, 0);
        for (unsigned n = 0; n < 8; n++)
            window(&c, n, 100, 10);
        uint64_t before = limit_in(&c, 8); /* one instruction, no spinning; then an empty window */
        window(&c, 10, 100, 10);
        uint64_t after = limit_in(&c, 11);
        /* Without, the window before has neither instructions nor spinning: 0/0 lowers nothing. */
        assert_int_equal(after, keeps ? before + 250 - 500 : before + 250);
        close_bows(&c);
    }
}

/* The initial values are those of the machine files. */
static void initial_values(void **state)
{
    struct bench b;
    bench_open(&b, "", "ret;");
    assert_int_equal(b.params.raise_share, 5); /* thousandths */
    assert_int_equal(b.params.lower_ratio, 800);
    bench_close(&b);
}

static uint64_t bits(const char *settings, unsigned warps, unsigned schedulers)
{
    struct control c;
    open_bows(&c, settings, schedulers, 0);
    uint64_t n = c.bows->hardware_bits(&c.b.params, warps, schedulers);
    close_bows(&c);
    return n;
}

/* Table III: counters of 14 bits, a queue of 5-bit warp numbers, state machines of 4 states (which the paper lists with
 * DDOS). */
static void storage(void **state)
{
    assert_int_equal(bits("", 48, 2), 672 + 240 + 96);
    assert_int_equal(bits(FIXED, 48, 2), 48 * (10 + 5 + 2));
    assert_int_equal(bits("", 64, 4), 64 * (14 + 4 + 2));
}

static void names(void **state)
{
    for (const struct sched_control *const *c = sched_controls(); *c; c++) {
        assert_ptr_equal(sched_find_control((*c)->name), *c);
        assert_true((*c)->reset && (*c)->launched && (*c)->issued && (*c)->spins && (*c)->pick && (*c)->drained);
        assert_true((*c)->delay && (*c)->hardware_bits && *(*c)->doc);
    }
    assert_null(sched_find_control("ddos"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk),           cmocka_unit_test(leaves_by_spinning),
        cmocka_unit_test(limit_zero),     cmocka_unit_test(launched_anew),
        cmocka_unit_test(queue_order),    cmocka_unit_test(scheduler_order),
        cmocka_unit_test(windows),        cmocka_unit_test(edges),
        cmocka_unit_test(kept_total),     cmocka_unit_test(storage),
        cmocka_unit_test(initial_values), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
