/* Registers that warps move by setmaxnreg, in a whole device. Random kernels of several warpgroups, each of which gives back or
 * asks for registers in each phase so that all can be served in the end, whoever comes first: they end with the right
 * values in both modes, on machines of all kinds, and the same to the bit by several threads, cycle by cycle and from
 * checkpoints that are taken while warps wait. And what is not allowed, or waits for ever, is told with its place. */
#include "gpu_support.h"

#include "base/archive.h"
#include "base/check.h"
#include "base/random.h"
#include "gpu/gpu_check.h"
#include "gpu/gpu_impl.h"
#include "sm/pool.h"

#define PHASES 4
#define MOST_GROUPS 4
#define GRID 5
#define KEPT 3 /* checkpoints of a run */

#define SM90 ".version 8.0\n.target sm_90a\n.address_size 64\n"

struct program {
    char *text;
    unsigned groups, own; /* registers of a thread at first */
};

/* What each group has in a phase: multiples of 8 from 24, in all no more than the block has. */
static void draw_shares(struct random_stream *random, const struct program *p, unsigned share[MOST_GROUPS])
{
    unsigned left = p->groups * p->own / 8 - 3 * p->groups, first = random_below(random, p->groups);
    for (unsigned i = 0; i < p->groups; i++) {
        unsigned more = random_below(random, left < 29 ? left + 1 : 30);
        if (random_below(random, 4) == 0)
            more = left < 29 ? left : 29;
        share[(first + i) % p->groups] = 24 + 8 * more;
        left -= more;
    }
}

static void add_phase(struct strbuf *out, struct random_stream *random, const struct program *p, unsigned phase,
                      unsigned had[MOST_GROUPS])
{
    unsigned share[MOST_GROUPS];
    draw_shares(random, p, share);
    for (unsigned g = 0; g < p->groups; g++)
        strbuf_addf(out, "setp.eq.u32 %%p1, %%r10, %u; @%%p1 bra P%uG%u;\n", g, phase, g);
    for (unsigned g = 0; g < p->groups; g++) {
        strbuf_addf(out, "P%uG%u: add.u32 %%r12, %%r11, %u;\n", phase, g, 1 + random_below(random, 90));
        strbuf_addf(out, "W%uG%u: sub.u32 %%r12, %%r12, 1; setp.ne.u32 %%p1, %%r12, 0; @%%p1 bra W%uG%u;\n", phase, g,
                    phase, g);
        if (share[g] != had[g] || random_below(random, 2))
            strbuf_addf(out, "setmaxnreg.%s.sync.aligned.u32 %u;\n",
                        share[g] > had[g] || (share[g] == had[g] && random_below(random, 2)) ? "inc" : "dec", share[g]);
        strbuf_addf(out, "mad.lo.u32 %%r6, %%r6, 3, %u; bra J%u;\n", phase + g, phase);
        had[g] = share[g];
    }
    strbuf_addf(out, "J%u: bar.sync 0;\n", phase);
}

static struct program make_program(uint64_t seed)
{
    struct random_stream random = random_stream_of(seed, "registers", 0);
    struct program p = {.groups = 2 + random_below(&random, MOST_GROUPS - 1), .own = 32 + 8 * random_below(&random, 4)};
    struct strbuf text = {0};
    unsigned had[MOST_GROUPS];
    for (unsigned g = 0; g < p.groups; g++)
        had[g] = p.own;
    strbuf_addf(&text, SM90 ".visible .entry k(.param .u64 p, .param .u64 n)\n.maxnreg %u\n{\n", p.own);
    strbuf_add(&text, PTX_REGS PTX_BEGIN "shr.u32 %r10, %r2, 7; shr.u32 %r11, %r2, 5; and.b32 %r11, %r11, 3; mov.u32 %r6, %r5;\n");
    strbuf_addf(&text, "mul.lo.u32 %%r11, %%r11, %u;\n", random_below(&random, 40));
    for (unsigned phase = 0; phase < PHASES; phase++)
        add_phase(&text, &random, &p, phase, had);
    strbuf_add(&text, "st.global.u32 [%rd2], %r6; ret;\n}\n");
    p.text = strdup(strbuf_text(&text));
    strbuf_free(&text);
    return p;
}

static const struct {
    const char *machine, *settings;
} ways[] = {
    {"gtx480", "gpu.sms=2"},
    {"gtx480", "gpu.sms=2 sm.divergence=its sm.scheduler=gto+bows"},
    {"gtx480", "gpu.sms=1 sm.divergence=aware sm.scheduler=mwf sm.fetch=cff"},
    {"gtx480", "gpu.sms=2 sm.scheduler=lrr sm.one_in_flight=true"},
    {"gtx1080ti", "gpu.sms=2 sm.cores=4 sm.scheduler=tls:active=3"},
    {"gtx1080ti", "gpu.sms=2 sm.issue_width=2 coherence.protocol=hlrc"},
    {"h100", "gpu.sms=2 sm.scheduler=gty"},
    {"a100", "gpu.sms=3 sm.scheduler=lrr+bows"},
    {"gtx480", "gpu.sms=2 sm.divergence=dwf"},
};
#define WAYS (sizeof ways / sizeof ways[0])

struct looker {
    struct device *d;
    struct strbuf content[KEPT];
    unsigned count;
};

/* Between two windows: all derived facts hold. Moments in which a warp waits are kept. */
static void look(void *context)
{
    struct looker *l = context;
    struct gpu *gpu = l->d->gpu;
    struct check c;
    bool waits = false;
    check_init(&c);
    gpu_check(gpu->run, &c);
    if (c.wrong)
        fail_msg("cycle %llu: %s: %s[%u] is %llu and should be %llu", (unsigned long long)gpu->cycle, c.wrong_unit, c.wrong, c.at,
                 (unsigned long long)c.kept, (unsigned long long)c.should_be);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        for (unsigned slot = 0; slot < gpu->machine.sm.warps; slot++) {
            struct sm_warp_state state;
            sm_warp_state(gpu->sms[i], slot, &state);
            waits |= state.resident && state.waits >> WARP_WAIT_registers & 1;
        }
    if (!waits || l->count == KEPT)
        return;
    struct archive *ar = archive_into(&l->content[l->count++]);
    gpu_archive(gpu, ar);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

static void check_words(struct device *d, const struct program *p, uint64_t buffer)
{
    for (unsigned i = 0; i < GRID * 128 * p->groups; i++) {
        uint32_t value = i;
        for (unsigned phase = 0; phase < PHASES; phase++)
            value = value * 3 + phase + i / 128 % p->groups;
        assert_int_equal(device_word(d, buffer + 4 * i), value);
    }
}

struct how {
    enum gpu_mode mode;
    unsigned threads;
    bool every_cycle;
    struct archive *resume;
    struct looker *looker;
};

/* Returns the cycles in which warps waited for registers; stats: all of the launch. */
static uint64_t run(const struct program *p, unsigned way, struct how how, struct strbuf *stats)
{
    struct device d;
    device_open(&d, ways[way].machine, ways[way].settings);
    device_load(&d, p->text);
    uint64_t params[] = {device_buffer(&d, 4 * GRID * 128 * MOST_GROUPS), 0};
    if (how.looker) {
        how.looker->d = &d;
        gpu_set_checkpoints(d.gpu, 40, 17, look, how.looker);
    }
    struct gpu_launch launch = {.module = d.module,
                                .kernel = gpu_kernel(d.module, "k"),
                                .grid = {GRID, 1, 1},
                                .block = {128 * p->groups, 1, 1},
                                .params = params,
                                .mode = how.mode,
                                .threads = how.threads,
                                .every_cycle = how.every_cycle,
                                .resume = how.resume};
    if (gpu_launch(d.gpu, &launch, &d.result, &d.sink))
        fail_msg("%s %s: %s\n%s", ways[way].machine, ways[way].settings, device_messages(&d), p->text);
    check_words(&d, p, params[0]);
    uint64_t waited = d.result.counters->warps.registers;
    device_all_stats(&d.result, stats);
    device_close(&d);
    return waited;
}

static void expect_same(const struct program *p, unsigned way, struct how how, const struct strbuf *expected, const char *what)
{
    struct strbuf stats = {0};
    run(p, way, how, &stats);
    if (strcmp(strbuf_text(&stats), strbuf_text(expected)))
        fail_msg("%s %s: another result %s\n%s", ways[way].machine, ways[way].settings, what, p->text);
    strbuf_free(&stats);
}

static void random_kernels_get_their_registers(void **state)
{
    uint64_t waited = 0, checkpoints = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 48; seed += effort_steps(2, 4)) {
        struct program p = make_program(seed);
        unsigned way = seed / 2 % WAYS;
        struct strbuf stats = {0}, other = {0};
        struct looker looker = {0};
        run(&p, way, (struct how){.mode = GPU_FUNCTIONAL}, &other);
        strbuf_free(&other);
        uint64_t here = run(&p, way, (struct how){.threads = 1, .looker = &looker}, &stats);
        assert_true(!here || !strstr(ways[way].settings, "dwf"));
        waited += here;
        expect_same(&p, way, (struct how){.threads = 2}, &stats, "by two threads");
        expect_same(&p, way, (struct how){.threads = 1, .every_cycle = true}, &stats, "cycle by cycle");
        for (unsigned i = 0; i < looker.count; i++) {
            struct archive *ar = archive_from_bytes(looker.content[i].text, looker.content[i].length);
            expect_same(&p, way, (struct how){.threads = 1, .resume = ar}, &stats, "from a checkpoint");
            archive_abandon(ar);
            strbuf_free(&looker.content[i]);
        }
        checkpoints += looker.count;
        strbuf_free(&stats);
        free(p.text);
    }
    assert_true(waited > 1000);
    assert_true(checkpoints > 3);
}

#define BOUNDED(bounds, body) SM90 ".visible .entry k(.param .u64 p, .param .u64 n)\n" bounds "\n{\n" PTX_REGS PTX_BEGIN body "\n}\n"
#define OF_GROUP "setp.ge.u32 %p1, %r2, 128; @%p1 bra OTHER;\n"
#define OF_WARP "setp.ge.u32 %p1, %r2, 32; @%p1 bra OTHER;\n"

/* Each is told in both modes. */
static const struct {
    const char *text, *said[4];
    unsigned threads;
    enum gpu_status status;
} mistakes[] = {
    {BOUNDED(".maxnreg 64", "setmaxnreg.dec.sync.aligned.u32 72; ret;"),
     {"setmaxnreg.dec names 72 registers, and warp 0 has 64 of each thread", "test.ptx:11:"},
     128,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", "setmaxnreg.inc.sync.aligned.u32 56; ret;"),
     {"setmaxnreg.inc names 56 registers, and warp 0 has 64 of each thread"},
     128,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", OF_WARP "setmaxnreg.dec.sync.aligned.u32 40;\nOTHER: bar.sync 0; ret;"),
     {"ends without the setmaxnreg of line 12, which warp 0 has executed", "all warps of a warpgroup execute it"},
     128,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", OF_WARP "bar.sync 1, 64; setmaxnreg.dec.sync.aligned.u32 40; ret;\nOTHER: bar.arrive 1, 64; ret;"),
     {"setmaxnreg is executed by all warps of a warpgroup, and warp 1 has ended without it"},
     64,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", OF_WARP "setmaxnreg.dec.sync.aligned.u32 40; bar.sync 0; ret;\n"
                                    "OTHER: bar.sync 0; setmaxnreg.dec.sync.aligned.u32 40; ret;"),
     {"executes this setmaxnreg, and warp 0 that of line 12: all warps of a warpgroup execute the same one", "test.ptx:13:"},
     64,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", "setp.ge.u32 %p1, %r2, 32;\n@%p1 bar.sync 1, 128; setmaxnreg.dec.sync.aligned.u32 40; "
                            "setmaxnreg.dec.sync.aligned.u32 32; bar.sync 1, 128; ret;"),
     {"of its warpgroup has not got past that of line 12: between two"},
     128,
     GPU_FAULT},
    {BOUNDED(".maxnreg 64", "and.b32 %r6, %r2, 1; setp.eq.u32 %p1, %r6, 0; @%p1 setmaxnreg.dec.sync.aligned.u32 40; ret;"),
     {"setmaxnreg is executed by all threads of a warp together, here without lanes of mask 0xaaaaaaaa"},
     128,
     GPU_FAULT},
    /* The second group waits for what the first one does not give. */
    {BOUNDED(".maxnreg 64", OF_GROUP "setmaxnreg.dec.sync.aligned.u32 48; bar.sync 1; ret;\n"
                                     "OTHER: setmaxnreg.inc.sync.aligned.u32 96;\nbar.sync 1; ret;"),
     {"wait for registers of their block at test.ptx:13:", "it has 64 registers a thread and asks for 96, and of the 32 more 0 are free in its block",
      ": 48 (at barrier 1, before", ": 64 (waits for registers, at test.ptx:13:"},
     256,
     GPU_HANG},
    /* A warp that has ended keeps its own. */
    {BOUNDED(".maxntid 256, 1, 1\n.minnctapersm 2", OF_GROUP "ret;\nOTHER: setmaxnreg.inc.sync.aligned.u32 72; ret;"),
     {"it has 64 registers a thread and asks for 72, and of the 8 more 0 are free in its block",
      "held by warps 0-3: 64 (ended), warps 4-7: 64 (waits for registers"},
     256,
     GPU_HANG},
};

static void mistakes_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        for (unsigned mode = 0; mode < 2; mode++) {
            struct device d;
            device_open(&d, "gtx480", "gpu.sms=1 sm.divergence=stack");
            device_load(&d, mistakes[i].text);
            uint64_t params[] = {device_buffer(&d, 4096), 0};
            enum gpu_status status =
                device_try(&d, "k", (struct shape){.grid = 1, .block = mistakes[i].threads, .mode = mode ? GPU_FUNCTIONAL : GPU_TIMING},
                           2, params);
            if (status != mistakes[i].status)
                fail_msg("%zu: %s\n%s", i, gpu_status_name(status), strbuf_text(&d.text));
            for (unsigned k = 0; k < 4 && mistakes[i].said[k] && !(mode && k > 1); k++)
                assert_has(strbuf_text(&d.text), mistakes[i].said[k]);
            device_close(&d);
        }
}

/* A kernel that may move registers has as many as its directives allow, and without them setmaxnreg is without effect. */
static void directives_say_how_many(void **state)
{
    static const struct {
        const char *bounds;
        unsigned threads, registers;
    } kernels[] = {
        {".maxntid 384, 1, 1\n.minnctapersm 1", 384, 168}, {".maxntid 384, 1, 1", 384, 168},
        {".reqntid 256, 1, 1\n.minnctapersm 2", 256, 128}, {".maxnreg 72", 128, 72},
        {".maxntid 128, 1, 1", 128, 255},                  {".maxntid 1024, 1, 1\n.maxnreg 40", 256, 40},
    };
    (void)state;
    for (size_t i = 0; i <= sizeof kernels / sizeof kernels[0]; i++) {
        struct device d;
        struct strbuf text = {0};
        bool none = i == sizeof kernels / sizeof kernels[0];
        strbuf_addf(&text, SM90 ".visible .entry k(.param .u64 p, .param .u64 n)\n%s\n{\n", none ? "" : kernels[i].bounds);
        strbuf_add(&text, PTX_REGS PTX_BEGIN);
        strbuf_addf(&text, "setmaxnreg.%s.sync.aligned.u32 %u; st.global.u32 [%%rd2], 1; ret;\n}\n", none ? "inc" : "dec",
                    none ? 256 : 24);
        device_open(&d, "h100", "gpu.sms=1");
        device_load(&d, strbuf_text(&text));
        device_run(&d, "k", (struct shape){.grid = 1, .block = none ? 384 : kernels[i].threads}, device_buffer(&d, 4096), 0);
        if (none)
            assert_true(d.result.registers < 24);
        else
            assert_int_equal(d.result.registers, kernels[i].registers);
        strbuf_free(&text);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_kernels_get_their_registers),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(directives_say_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
