/* Barrier-aware scheduling in a running SM. Every pick of mwf and saws is compared with one that is made from the
 * paper's words alone. A table of counters, fed by arrivals and releases, that changes when a cycle has ended; and of
 * all warps that could issue, the first by (block, place in the block). And all schedulers with all fetch policies and
 * buffers of several sizes: programs compute the same, and neither skipped cycles nor threads change anything. */
#include "gpu_support.h"

#include <stdalign.h>

#include "base/bits.h"
#include "fetch/fetch.h"
#include "gpu/gpu_impl.h"

/* Of one scheduler: the state of the real policy, and what the words say. */
struct mirror {
    alignas(max_align_t) char real[2048];
    uint64_t number[64];    /* by block slot: launch order */
    uint64_t first_hit[64]; /* cycle of the first arrival in this phase */
    uint32_t counter[64];   /* the warp priority table */
    uint8_t last[64];       /* warp of the block that this scheduler issued last, 64: none */
    bool is_greedy;
};

static const struct lockstep_scheduler *real;
static struct {
    uint64_t picks, lower, waited; /* lower: not of the block launched first; waited: with warps at barriers */
} seen;

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct mirror *m = state;
    assert_true(real->state_bytes <= sizeof m->real);
    m->is_greedy = setup->options[0];
    memset(m->last, 64, sizeof m->last);
    real->reset(m->real, setup);
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    struct mirror *m = state;
    assert_int_equal(m->counter[launch->block], 0);
    m->number[launch->block] = launch->block_number;
    m->last[launch->block] = 64;
    real->launched(m->real, launch);
}

static void arrived(void *state, unsigned warp, unsigned block, uint64_t cycle)
{
    struct mirror *m = state;
    (void)warp;
    if (!m->counter[block]++)
        m->first_hit[block] = cycle;
}

static void released(void *state, uint64_t warps, unsigned block, uint64_t cycle)
{
    struct mirror *m = state;
    (void)cycle;
    assert_int_equal(mask_count(warps), m->counter[block]);
    m->counter[block] = 0;
}

static bool block_before(const struct mirror *m, unsigned a, unsigned b)
{
    bool by_count = !strcmp(real->name, "mwf");
    if (by_count && m->counter[a] != m->counter[b])
        return m->counter[a] > m->counter[b];
    if (!by_count && (m->counter[a] || m->counter[b])) {
        if (!m->counter[a] || !m->counter[b])
            return m->counter[a];
        if (m->first_hit[a] != m->first_hit[b])
            return m->first_hit[a] < m->first_hit[b];
    }
    return m->number[a] < m->number[b];
}

/* How far the warp stands behind the first of its block. */
static unsigned place(const struct mirror *m, unsigned block, unsigned warp)
{
    unsigned last = m->last[block];
    if (m->is_greedy)
        return warp == last ? 0 : warp + 1;
    return last == 64 ? warp : (warp + 63 - last) % 64;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct mirror *m = state;
    unsigned best = 64;
    bool has_lower = false;
    for (uint64_t rest = view->ready; rest; rest &= rest - 1) {
        unsigned warp = mask_first(rest), block = view->warps[warp].block;
        unsigned its = best < 64 ? view->warps[best].block : block;
        if (best == 64 || (block != its ? block_before(m, block, its) : place(m, block, warp) < place(m, its, best)))
            best = warp;
    }
    assert_int_equal(real->pick(m->real, view), best);
    for (uint64_t rest = view->ready; rest; rest &= rest - 1)
        has_lower |= m->number[view->warps[mask_first(rest)].block] < m->number[view->warps[best].block];
    seen.picks++;
    seen.lower += has_lower;
    seen.waited += view->at_barrier != 0;
    return best;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct mirror *m = state;
    m->last[view->warps[warp].block] = (uint8_t)warp;
    real->issued(m->real, warp, view);
}

static const struct lockstep_scheduler mirror = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "mirror",
    .state_bytes = sizeof(struct mirror),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
    .arrived = arrived,
    .released = released,
};

/* Warps take different times to the first barrier; behind it the first lane of each adds one under a lock; the last
 * warp of a block ends before the third barrier. */
static const char text[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "shr.u32 %r6, %r2, 5; shr.u32 %r7, %r4, 5; sub.u32 %r7, %r7, 1; mov.u32 %r8, 0; mov.u32 %r9, %r6;\n"
                   "again: add.u32 %r8, %r8, 1; mul.lo.u32 %r9, %r9, %r8; setp.le.u32 %p1, %r8, %r6; @%p1 bra again;\n"
                   "bar.sync 0; and.b32 %r10, %r2, 31; setp.ne.u32 %p2, %r10, 0; @%p2 bra join; mov.u32 %r11, 0;\n"
                   "try: atom.global.cas.b32 %r12, [%rd1], 0, 1; setp.ne.u32 %p3, %r12, 0; @%p3 bra skip;\n"
                   "ld.volatile.global.u32 %r13, [%rd1+4]; add.u32 %r13, %r13, 1; st.volatile.global.u32 [%rd1+4], "
                   "%r13; membar.gl; atom.global.exch.b32 %r14, [%rd1], 0; mov.u32 %r11, 1;\n"
                   "skip: setp.eq.u32 %p4, %r11, 0; @%p4 bra try;\n"
                   "join: bar.sync 1; setp.eq.u32 %p5, %r6, %r7; @%p5 ret; ld.global.u32 %r15, [%rd2+64];\n"
                   "bar.sync 0; add.u32 %r15, %r15, 1; st.global.u32 [%rd2+64], %r15; ret;");

static void run(const char *settings, struct shape shape)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    real = d.gpu->scheduler.policy;
    gpu_destroy_units(d.gpu);
    d.gpu->scheduler.policy = &mirror;
    gpu_build_units(d.gpu);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 1 << 20);
    memset(&seen, 0, sizeof seen);
    device_run(&d, "k", shape, p, 0);
    assert_int_equal(device_word(&d, p + 4), shape.grid * (shape.block / 32));
    assert_true(seen.picks > 1000 && seen.lower > 40 && seen.waited > 100);
    if (strstr(settings, "+bows"))
        assert_true(device_stat(&d, "spin", "backoffs") > 0);
    device_close(&d);
}

static void test_every_pick(void **state)
{
    static const struct shape shapes[] = {{.grid = 7, .block = 256, .threads = 1},
                                          {.grid = 20, .block = 96, .threads = 1},
                                          {.grid = 9, .block = 192, .threads = 1, .every_cycle = true}};
    static const char *const settings[] = {
        "gpu.sms=1 sm.scheduler=mwf:patience=0",
        "gpu.sms=1 sm.scheduler=mwf:patience=0:inner=gto sm.fetch=cff sm.issue_width=2",
        "gpu.sms=1 sm.scheduler=saws:patience=0 sm.fetch=cff sm.schedulers=3",
        "gpu.sms=1 sm.scheduler=saws:patience=0:inner=lrr sm.schedulers=1 sm.fetch=fef sm.instruction_buffer=4",
        "gpu.sms=1 sm.scheduler=mwf:patience=0+bows sm.fetch=cff sm.fetch_fills=true sm.instruction_buffer=3",
        "gpu.sms=1 sm.scheduler=saws:patience=0+bows sm.schedulers_take_turns=false",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++)
            run(settings[i], shapes[k]);
}

/* bows, and whom it holds back. */
static const struct sched_control *bows;
static uint64_t held;

static void bows_launched(void *state, unsigned warp, uint64_t cycle)
{
    held &= ~BIT64(warp);
    bows->launched(state, warp, cycle);
}

static void bows_issued(void *state, unsigned warp, uint64_t cycle, bool was_held)
{
    assert_int_equal(was_held, mask_has(held, warp));
    held &= ~BIT64(warp);
    bows->issued(state, warp, cycle, was_held);
}

static uint64_t bows_spins(void *state, unsigned warp, uint64_t cycle)
{
    held |= BIT64(warp);
    return bows->spins(state, warp, cycle);
}

static uint64_t some_waited, was_held;

/* Fetches like cff. Whom a scheduler prefers waits for no event, and is held back only if all of them are. */
static unsigned follow(const struct fetch_view *view)
{
    uint64_t awake = 0;
    for (uint64_t rest = view->serve & ~view->retiring; rest; rest &= rest - 1) {
        struct sm_warp_state w;
        sm_warp_state(((const struct fetch *)view->context)->sm, mask_first(rest), &w);
        awake |= !w.waits && !w.finished ? rest & -rest : 0;
    }
    some_waited += (view->serve & ~view->retiring) != awake;
    for (unsigned s = 0; s < view->schedulers; s++) {
        uint64_t could = awake & (s ? UINT64_C(0xAAAAAAAAAAAAAAAA) : UINT64_C(0x5555555555555555));
        uint64_t rather = could & ~held ? could & ~held : could;
        unsigned first = view->preferred(view, s, view->serve);
        assert_true(rather ? first < 64 && mask_has(rather, first) : first == FETCH_NOBODY);
        was_held += first != FETCH_NOBODY && mask_has(held, first);
    }
    return fetch_find("cff")->pick(view);
}

static void test_whom_schedulers_prefer(void **state)
{
    static const struct fetch_policy follows = {.name = "follows", .pick = follow};
    static const char *const settings[] = {"gpu.sms=1 sm.scheduler=mwf+bows", "gpu.sms=1 sm.scheduler=gto+bows",
                                           "gpu.sms=1 sm.scheduler=lrr+bows spin.order=scheduler"};
    struct sched_control control = *(bows = sched_find_control("bows"));
    control.launched = bows_launched;
    control.issued = bows_issued;
    control.spins = bows_spins;
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct device d;
        device_open(&d, "gtx480", settings[i]);
        gpu_destroy_units(d.gpu);
        d.gpu->fetch = &follows;
        d.gpu->scheduler.control = &control;
        gpu_build_units(d.gpu);
        device_load(&d, text);
        held = some_waited = was_held = 0;
        device_run(&d, "k", (struct shape){.grid = 7, .block = 256, .threads = 1}, device_buffer(&d, 1 << 16), 0);
        assert_true(some_waited > 20 && was_held > 20);
        device_close(&d);
    }
}

/* Runs one configuration; what its statistics are. */
static void measure(const char *settings, unsigned threads, bool every_cycle, struct strbuf *stats)
{
    struct device d;
    struct shape shape = {.grid = 5, .block = 128, .threads = threads, .every_cycle = every_cycle};
    device_open(&d, "gtx480", settings);
    device_load(&d, text);
    uint64_t p = device_buffer(&d, 1 << 16);
    device_run(&d, "k", shape, p, 0);
    assert_int_equal(device_word(&d, p + 4), shape.grid * (shape.block / 32));
    device_all_stats(&d.result, stats);
    device_close(&d);
}

/* Returns the statistics, with those of other ways to run compared. */
static void compare_ways(const char *settings, struct strbuf *first)
{
    static const struct {
        unsigned threads;
        bool every_cycle;
    } ways[] = {{1, true}, {2, false}};
    measure(settings, 1, false, first);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct strbuf other = {0};
        measure(settings, ways[i].threads, ways[i].every_cycle, &other);
        if (strcmp(strbuf_text(first), strbuf_text(&other)) != 0)
            fail_msg("%s: %u threads%s give another result", settings, ways[i].threads,
                     ways[i].every_cycle ? " that skip nothing" : "");
        strbuf_free(&other);
    }
}

/* turn: which buffer begins, where not all are tried. */
static void test_every_fetch_policy_under(const char *scheduler, unsigned turn)
{
    static const char *const buffers[] = {
        "sm.instruction_buffer=2",
        "sm.instruction_buffer=3 sm.fetch_fills=true sm.fetch_from_fill=true l1i.sets=1 l1i.ways=1",
        "sm.instruction_buffer=8 sm.fetch_width=3 sm.issue_width=2",
    };
    for (unsigned i = turn % effort_steps(3, 18); i < sizeof buffers / sizeof *buffers; i += effort_steps(3, 18)) {
        struct strbuf lrr = {0};
        for (const struct fetch_policy *const *f = fetch_policies(); *f; f++) {
            char settings[256];
            struct strbuf stats = {0};
            snprintf(settings, sizeof settings, "gpu.sms=2 sm.scheduler=%s sm.fetch=%s %s", scheduler, (*f)->name,
                     buffers[i]);
            compare_ways(settings, f == fetch_policies() ? &lrr : &stats);
            if (f != fetch_policies() && !strcmp(strbuf_text(&lrr), strbuf_text(&stats)))
                fail_msg("%s: it fetches like lrr", settings);
            strbuf_free(&stats);
        }
        strbuf_free(&lrr);
    }
}

static void test_every_combination(void **state)
{
    char name[64];
    unsigned turn = 0;
    for (const struct lockstep_scheduler *const *s = sched_list(); *s; s++) {
        test_every_fetch_policy_under((*s)->name, turn++);
        snprintf(name, sizeof name, "%s+bows", (*s)->name);
        test_every_fetch_policy_under(name, turn++);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_pick), cmocka_unit_test(test_whom_schedulers_prefer),
                                       cmocka_unit_test(test_every_combination)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
