/* Profiles: the cycles of all instructions add up to the statistics, cause by cause; a run under a profile is the run
 * without one; and the profile is the same by whatever way the run goes. The kernels are random ones, and one that
 * waits in every way; the machines have every divergence model, and schedulers, widths and cores that warps issue by.
 */
#include "ways.h"

#include "base/archive.h"
#include "gpu/gpu_impl.h"

#define KEPT 3 /* checkpoints of a run */

struct run {
    struct device d;
    const struct way *way;
    struct strbuf stats;
    struct strbuf kept[KEPT];
    unsigned count, looks;
};

static void keep(void *context)
{
    struct run *r = context;
    if (r->looks++ % 4 || r->count == KEPT)
        return;
    struct archive *ar = archive_into(&r->kept[r->count++]);
    gpu_archive(r->d.gpu, ar);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

/* An unlimited run ends well. */
static void run(struct run *r, const struct way *way, const char *text, bool profiled, bool keeps,
                const struct gpu_launch *how)
{
    *r = (struct run){.way = way};
    device_open(&r->d, way->machine, way->settings);
    if (profiled)
        gpu_profile(r->d.gpu);
    device_load(&r->d, text);
    uint64_t params[] = {device_buffer(&r->d, 131072 + 4 * THREADS), 2};
    struct gpu_launch launch = *how;
    launch.module = r->d.module;
    launch.kernel = gpu_kernel(r->d.module, "k");
    memcpy(launch.grid, (uint32_t[]){GRID, 1, 1}, sizeof launch.grid);
    memcpy(launch.block, (uint32_t[]){BLOCK, 1, 1}, sizeof launch.block);
    launch.params = params;
    if (keeps)
        gpu_set_checkpoints(r->d.gpu, 300, 171, keep, r);
    gpu_launch(r->d.gpu, &launch, &r->d.result, &r->d.sink);
    enum gpu_status expected = how->max_cycles ? GPU_LIMIT : GPU_OK;
    if (r->d.result.status != expected)
        fail_msg("%s %s: %s\n%s", way->machine, way->settings, device_messages(&r->d), text);
    device_all_stats(&r->d.result, &r->stats);
}

static void run_free(struct run *r)
{
    for (unsigned i = 0; i < r->count; i++)
        strbuf_free(&r->kept[i]);
    strbuf_free(&r->stats);
    device_close(&r->d);
}

static uint64_t sum_of(const struct profile *p, unsigned count)
{
    uint64_t sum = 0;
    for (uint32_t pc = 0; pc < p->instructions; pc++)
        sum += profile_row(p, pc)[count];
    return sum;
}

static void expect_closed(const struct run *r)
{
    const struct profile *p = r->d.result.profile;
    for (uint32_t c = 0; c < p->causes; c++) {
        uint64_t counted = device_stat(&r->d, "warps", p->cause_names[c]), sum = sum_of(p, PROFILE_COUNTS + c);
        if (sum != counted)
            fail_msg("%s %s: %llu warp-cycles of cause %s in the profile, %llu in the statistics", r->way->machine,
                     r->way->settings, (unsigned long long)sum, p->cause_names[c], (unsigned long long)counted);
    }
    assert_int_equal(sum_of(p, PROFILE_issues), device_stat(&r->d, "sm", "warp_instructions"));
    assert_int_equal(sum_of(p, PROFILE_active), device_stat(&r->d, "sm", "lanes_active"));
    assert_int_equal(sum_of(p, PROFILE_splits), device_stat(&r->d, "sm", "divergent_branches"));
    assert_int_equal(sum_of(p, PROFILE_transactions), device_stat(&r->d, "sm", "transactions"));
    assert_int_equal(sum_of(p, PROFILE_passes), device_stat(&r->d, "sm", "shared_conflict_cycles"));
}

/* Of all instructions of a function. */
static uint64_t sum_of_function(const struct profile *p, const struct isa_function *f, unsigned count)
{
    uint64_t sum = 0;
    for (uint32_t pc = f->first; pc < f->first + f->count; pc++)
        sum += profile_row(p, pc)[count];
    return sum;
}

/* What is counted of a function's instructions is what is counted in its contexts. */
static void expect_contexts_closed(const struct run *r)
{
    const struct profile *p = r->d.result.profile;
    assert_int_equal(p->calls.joined, 0);
    for (uint32_t f = 0; f < p->module->function_count; f++)
        for (unsigned i = 0; !p->module->functions[f].is_kernel && i < PROFILE_COUNTS + p->causes; i++) {
            uint64_t counted = sum_of_function(p, &p->module->functions[f], i), sum = 0;
            for (uint32_t c = 0; c < p->calls.count; c++)
                sum += p->calls.of[c].context.entry == p->module->functions[f].first ? p->calls.of[c].counts[i] : 0;
            if (sum != counted)
                fail_msg("%s %s: function %s, count %u: %llu in its contexts, %llu at its instructions",
                         r->way->machine, r->way->settings, p->module->functions[f].name, i, (unsigned long long)sum,
                         (unsigned long long)counted);
        }
}

/* Of a run that has ended. */
static void expect_barriers_closed(const struct run *r)
{
    const struct profile *p = r->d.result.profile;
    uint64_t waited = 0, counted = device_stat(&r->d, "warps", "barrier");
    for (uint32_t pc = 0; pc < p->instructions; pc++)
        waited += profile_barrier_row(p, pc)[PROFILE_BARRIER_waited];
    if (waited != counted)
        fail_msg("%s %s: %llu cycles at barriers in the profile, %llu in the statistics", r->way->machine,
                 r->way->settings, (unsigned long long)waited, (unsigned long long)counted);
}

/* Of a run that has ended, where L1s ask the L2 for nothing by themselves: besides instructions' accesses there are
 * fills of the instruction caches alone. */
static void expect_l2_closed(const struct run *r)
{
    const struct profile *p = r->d.result.profile;
    const struct machine *m = &r->d.gpu->machine;
    if (gpu_protocol(m)->registration || m->l1i.line_bytes % m->memory.l2.sector_bytes)
        return;
    uint64_t fetched = device_stat(&r->d, "l1i", "fills") * (m->l1i.line_bytes / m->memory.l2.sector_bytes);
    uint64_t counted = device_stat(&r->d, "l2", "reads") + device_stat(&r->d, "l2", "writes");
    uint64_t sum = sum_of(p, PROFILE_l2_accesses);
    if (sum + fetched != counted)
        fail_msg("%s %s: %llu accesses of the L2 in the profile, %llu fetched, %llu in the statistics", r->way->machine,
                 r->way->settings, (unsigned long long)sum, (unsigned long long)fetched, (unsigned long long)counted);
    uint64_t hits = device_stat(&r->d, "l2", "read_hits") + device_stat(&r->d, "l2", "write_hits");
    assert_true(sum - sum_of(p, PROFILE_l2_misses) <= hits);
    assert_true(sum - sum_of(p, PROFILE_l2_misses) + fetched >= hits);
}

static uint64_t cycles_of(const struct profile_edges *edges)
{
    uint64_t cycles = edges->others_cycles;
    for (uint32_t i = 0; i < edges->count; i++)
        cycles += edges->of[i].cycles;
    return cycles;
}

/* All waits are in the logs, and in the graphs that were made of them. */
static void expect_graphs_closed(const struct run *r)
{
    const struct profile *p = r->d.result.profile;
    for (uint32_t i = 0; i < p->graphs.count; i++) {
        const struct profile_graph *graph = &p->graphs.of[i];
        uint64_t waited = p->words.of[i].word.counts[PROFILE_WORD_waited];
        if (graph->unlogged || cycles_of(&graph->warps) + graph->free != waited ||
            cycles_of(&graph->sites) + graph->free != waited)
            fail_msg("%s %s: word %u: %llu waited, %llu by warps, %llu by instructions, %llu free, %llu unlogged",
                     r->way->machine, r->way->settings, i, (unsigned long long)waited,
                     (unsigned long long)cycles_of(&graph->warps), (unsigned long long)cycles_of(&graph->sites),
                     (unsigned long long)graph->free, (unsigned long long)graph->unlogged);
    }
}

static bool is_same_graph(const struct profile_graph *a, const struct profile_graph *b)
{
    return a->free == b->free && !memcmp(&a->warps, &b->warps, sizeof a->warps) &&
           !memcmp(&a->sites, &b->sites, sizeof a->sites);
}

static void expect_same_graphs(const struct run *a, const struct run *b, const char *what)
{
    const struct profile_graphs *p = &a->d.result.profile->graphs, *q = &b->d.result.profile->graphs;
    bool same = p->count == q->count && p->warp_count == q->warp_count && p->order_count == q->order_count &&
                p->circle_count == q->circle_count;
    for (uint32_t i = 0; i < p->count && same; i++)
        same = is_same_graph(&p->of[i], &q->of[i]);
    for (uint32_t i = 0; i < p->order_count && same; i++)
        same = p->orders[i].from == q->orders[i].from && p->orders[i].to == q->orders[i].to &&
               p->orders[i].times == q->orders[i].times && p->orders[i].cycles == q->orders[i].cycles;
    if (!same)
        fail_msg("%s %s: other graphs %s", a->way->machine, a->way->settings, what);
}

static bool is_same_word(const struct profile_word_sum *a, const struct profile_word_sum *b)
{
    return a->word.address == b->word.address && a->word.space == b->word.space && a->handed == b->handed &&
           a->handovers == b->handovers && a->most_waited == b->most_waited &&
           !memcmp(a->word.counts, b->word.counts, sizeof a->word.counts) &&
           !memcmp(a->word.takes, b->word.takes, sizeof a->word.takes) &&
           !memcmp(a->word.gives, b->word.gives, sizeof a->word.gives);
}

static void expect_same_words(const struct run *a, const struct run *b, const char *what)
{
    const struct profile_word_list *p = &a->d.result.profile->words, *q = &b->d.result.profile->words;
    bool same = p->count == q->count && p->unlisted == q->unlisted && p->unlogged == q->unlogged;
    for (uint32_t i = 0; i < p->count && same; i++)
        same = is_same_word(&p->of[i], &q->of[i]);
    if (!same)
        fail_msg("%s %s: other words %s", a->way->machine, a->way->settings, what);
}

static void expect_same_polls(const struct run *a, const struct run *b, const char *what)
{
    const struct profile_poll_list *p = &a->d.result.profile->polls, *q = &b->d.result.profile->polls;
    bool same = p->count == q->count && p->unlisted == q->unlisted;
    for (uint32_t i = 0; i < p->count && same; i++) {
        const struct profile_poll_sum *x = &p->of[i], *y = &q->of[i];
        same = x->poll.address == y->poll.address && x->poll.space == y->poll.space &&
               !memcmp(x->poll.counts, y->poll.counts, sizeof x->poll.counts) &&
               !memcmp(x->poll.polled_at, y->poll.polled_at, sizeof x->poll.polled_at) &&
               !memcmp(x->written_at, y->written_at, sizeof x->written_at);
    }
    if (!same)
        fail_msg("%s %s: other polls %s", a->way->machine, a->way->settings, what);
}

static void expect_same_contexts(const struct run *a, const struct run *b, const char *what)
{
    const struct profile *p = a->d.result.profile, *q = b->d.result.profile;
    bool same = p->calls.count == q->calls.count && p->calls.joined == q->calls.joined;
    for (uint32_t i = 0; i < p->calls.count && same; i++) {
        const struct profile_call *x = &p->calls.of[i], *y = &q->calls.of[i];
        same = !memcmp(&x->context, &y->context, sizeof x->context) &&
               !memcmp(x->counts, y->counts, (PROFILE_COUNTS + p->causes) * sizeof *x->counts);
    }
    if (!same)
        fail_msg("%s %s: other contexts %s", a->way->machine, a->way->settings, what);
}

static void expect_same(const struct run *a, const struct run *b, const char *what)
{
    const struct profile *p = a->d.result.profile, *q = b->d.result.profile;
    if (strcmp(strbuf_text(&a->stats), strbuf_text(&b->stats)))
        fail_msg("%s %s: another result %s", a->way->machine, a->way->settings, what);
    for (uint32_t pc = 0; q && pc < p->instructions; pc++)
        for (unsigned i = 0; i < PROFILE_COUNTS + p->causes; i++)
            if (profile_row(p, pc)[i] != profile_row(q, pc)[i])
                fail_msg("%s %s: another profile %s: instruction %u, count %u: %llu and %llu", a->way->machine,
                         a->way->settings, what, pc, i, (unsigned long long)profile_row(p, pc)[i],
                         (unsigned long long)profile_row(q, pc)[i]);
    if (!q)
        return;
    if (memcmp(p->barriers, q->barriers, p->instructions * PROFILE_BARRIER_COUNTS * sizeof *p->barriers))
        fail_msg("%s %s: other barriers %s", a->way->machine, a->way->settings, what);
    expect_same_contexts(a, b, what);
    expect_same_words(a, b, what);
    expect_same_graphs(a, b, what);
    expect_same_polls(a, b, what);
}

static void run_all_ways(const struct way *way, const char *text)
{
    struct run first, other;
    run(&first, way, text, true, true, &(struct gpu_launch){0});
    expect_closed(&first);
    expect_contexts_closed(&first);
    expect_barriers_closed(&first);
    expect_graphs_closed(&first);
    expect_l2_closed(&first);
    const struct gpu_launch hows[] = {{.threads = 1}, {.threads = 2}, {.every_cycle = true}};
    static const char *const words[] = {"without a profile", "by two threads", "cycle by cycle"};
    for (unsigned i = 0; i < 3; i++) {
        run(&other, way, text, i > 0, false, &hows[i]);
        expect_same(&first, &other, words[i]);
        run_free(&other);
    }
    for (unsigned i = 0; i < first.count; i++) {
        struct archive *ar = archive_from_bytes(first.kept[i].text, first.kept[i].length);
        run(&other, way, text, true, false, &(struct gpu_launch){.resume = ar});
        expect_same(&first, &other, "from a checkpoint");
        run_free(&other);
        archive_abandon(ar);
    }
    run(&other, way, text, true, false, &(struct gpu_launch){.max_cycles = first.d.result.cycles / 2});
    expect_closed(&other);
    expect_contexts_closed(&other);
    run_free(&other);
    run_free(&first);
}

#define FUNC(name, body)                                                                                               \
    ".visible .func (.param .b32 o) " name "(.param .b32 i)\n{\n" PTX_REGS "ld.param.u32 %r1, [i];\n" body             \
    "st.param.b32 [o], %r1; ret;\n}\n"
#define CALL(name)                                                                                                     \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), " name ", (a); ld.param.b32 %r1, [b]; }\n"
/* leaf is called from five places, by way of others and by address, in parts of warps; down calls itself, and part of
 * its lanes end in quits. */
static const char calls_text[] = PTX_HEAD ".global .b32 g[64];\n" FUNC(
    "leaf", "and.b32 %r2, %r1, 63; mul.wide.u32 %rd1, %r2, 4; mov.u64 %rd2, g; add.u64 %rd1, %rd1, %rd2; "
            "atom.global.add.u32 %r3, [%rd1], 1; ld.global.u32 %r4, [%rd1]; xor.b32 %r1, %r1, %r4;\n")
    FUNC("mid", CALL("leaf") "and.b32 %r2, %r1, 2; setp.eq.u32 %p1, %r2, 0; @%p1 bra PAST;\n" CALL(
                    "leaf") "nanosleep.u32 50;\nPAST: add.u32 %r1, %r1, 7;\n")
        FUNC("quits", "and.b32 %r2, %r1, 16; setp.eq.u32 %p1, %r2, 0; @%p1 exit; add.u32 %r1, %r1, 1;\n") FUNC(
            "down", "setp.eq.u32 %p1, %r1, 0; st.param.b32 [o], %r1; @%p1 ret; add.u32 %r1, %r1, -1;\n" CALL("down")
                        CALL("leaf") "mov.u32 %r1, 0;\n")
            PTX_KERNEL(
                "k", PTX_BEGIN
                "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                "mov.u32 %r1, %r5;\n" CALL("quits") "mov.u32 %r1, %r5; and.b32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 1; "
                                                    "@%p1 bra ONE;\n" CALL("mid") "bra JOIN;\nONE:\n" CALL(
                                                        "leaf") "JOIN: bar.sync 0;\n"
                                                                "mov.u64 %rd4, leaf; mov.u64 %rd5, mid; setp.gt.u32 "
                                                                "%p2, %r6, 1; selp.b64 %rd4, %rd4, %rd5, %p2;\n"
                                                                "{ .param .b32 a; .param .b32 b; st.param.b32 [a], "
                                                                "%r1; call (b), %rd4, (a), proto; "
                                                                "ld.param.b32 %r1, [b]; }\n"
                                                                "and.b32 %r1, %r5, 7;\n" CALL(
                                                                    "down") "st.global.u32 [%rd2], %r1; ret;");

static void test_sums(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        run_all_ways(&ways[w], waits_text);
        run_all_ways(&ways[w], calls_text);
        struct program p = make_program(700 + w);
        char *text = kernel_text(&p);
        run_all_ways(&ways[w], text);
        free(text);
    }
}

/* A kernel for one warp, by number of the instruction. */
enum {
    ADDRESS_AT = 4,
    LOAD_AT,
    USE_AT,
    STORE_AT = 9,
    FENCE_AT,
    AGAIN_AT,
    RELEASE_AT,
    BRANCH_AT = 14,
    HALF_AT,
    BARRIER_AT,
    RET_AT
};
static const char known_text[] =
    PTX_HEAD PTX_KERNEL("k", "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [n]; mov.u32 %r2, %tid.x;\n"
                             "mul.wide.u32 %rd2, %r2, 128; add.u64 %rd2, %rd1, %rd2;\n"
                             "ld.global.u32 %r3, [%rd2];\n"
                             "add.u32 %r3, %r3, 1;\n"
                             "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;\n"
                             "st.global.u32 [%rd3+8192], %r3;\n"
                             "membar.gl;\n"
                             "st.global.u32 [%rd3+8320], %r3;\n"
                             "st.release.gpu.global.u32 [%rd3+8448], %r3;\n"
                             "setp.lt.u32 %p1, %r2, 16; @%p1 bra OUT;\n"
                             "add.u32 %r4, %r3, 1;\n"
                             "OUT: bar.sync 0;\n"
                             "ret;");

static uint64_t cycles_at(const struct device *d, uint32_t pc, const char *cause)
{
    const struct profile *p = d->result.profile;
    for (unsigned c = 0; c < p->causes; c++)
        if (!strcmp(p->cause_names[c], cause))
            return profile_row(p, pc)[PROFILE_COUNTS + c];
    fail_msg("there is no cause %s", cause);
    return 0;
}

static void expect_count(const struct device *d, uint32_t pc, enum profile_count count, uint64_t expected)
{
    uint64_t found = profile_row(d->result.profile, pc)[count];
    if (found != expected)
        fail_msg("instruction %u: %s is %llu, not %llu", pc, profile_count_name(count), (unsigned long long)found,
                 (unsigned long long)expected);
}

static void test_known_rows(void **state)
{
    (void)state;
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    gpu_profile(d.gpu);
    device_load(&d, known_text);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, device_buffer(&d, 16384), 0);
    assert_int_equal(d.result.profile->instructions, RET_AT + 1);
    for (uint32_t pc = 0; pc <= RET_AT; pc++) {
        expect_count(&d, pc, PROFILE_issues, 1);
        expect_count(&d, pc, PROFILE_active, pc == HALF_AT ? 16 : 32);
        expect_count(&d, pc, PROFILE_lanes, pc == HALF_AT || pc == BRANCH_AT ? 16 : 32);
        expect_count(&d, pc, PROFILE_splits, pc == BRANCH_AT);
        assert_int_equal(cycles_at(&d, pc, "issued"), 1);
    }
    expect_count(&d, LOAD_AT, PROFILE_accesses, 1);
    expect_count(&d, LOAD_AT, PROFILE_apart, 128);
    expect_count(&d, LOAD_AT, PROFILE_transactions, 32);
    expect_count(&d, LOAD_AT, PROFILE_hits, 0);
    expect_count(&d, LOAD_AT, PROFILE_l2_accesses, 32);
    expect_count(&d, LOAD_AT, PROFILE_l2_misses, 32);
    expect_count(&d, LOAD_AT, PROFILE_dram_bytes, 32 * 128);
    expect_count(&d, STORE_AT, PROFILE_l2_accesses, 1);
    expect_count(&d, STORE_AT, PROFILE_l2_misses, 1);
    expect_count(&d, STORE_AT, PROFILE_dram_bytes, 2 * 128); /* it is passed down, and its line fetched */
    expect_count(&d, USE_AT, PROFILE_l2_accesses, 0);
    expect_count(&d, STORE_AT, PROFILE_apart, 4);
    expect_count(&d, STORE_AT, PROFILE_transactions, 1);
    expect_count(&d, STORE_AT, PROFILE_bytes, 128);
    /* Uses wait for the loads, the warp behind its fence and before its release. */
    uint64_t waited = cycles_at(&d, USE_AT, "data_memory"), fences = device_stat(&d, "warps", "fence");
    uint64_t behind = cycles_at(&d, FENCE_AT, "fence"), before = cycles_at(&d, RELEASE_AT, "fence");
    assert_true(waited > 100 && behind > 50 && before > 50);
    assert_int_equal(cycles_at(&d, ADDRESS_AT, "data_memory") + waited, device_stat(&d, "warps", "data_memory"));
    expect_count(&d, LOAD_AT, PROFILE_awaited, waited);
    assert_int_equal(behind + before, fences);
    assert_int_equal(cycles_at(&d, RET_AT, "exit"), device_stat(&d, "warps", "exit"));
    assert_int_equal(cycles_at(&d, BARRIER_AT, "barrier"), device_stat(&d, "warps", "barrier"));
    device_close(&d);
}

/* The way into a context, from the kernel on: "mid>leaf". */
static void add_way(const struct profile *p, uint32_t context, struct strbuf *out)
{
    const struct profile_context *c = &p->calls.of[context - 1].context;
    if (c->outer) {
        add_way(p, c->outer, out);
        strbuf_add(out, ">");
    }
    strbuf_add(out, isa_function_at(p->module, c->entry)->name);
}

/* Every way that lanes go into a function is a context, the same ones under every divergence model, and lanes issue as
 * often there. */
static void test_known_contexts(void **state)
{
    (void)state;
    static const char *const models[] = {"stack", "its", "aware", "dwf"};
    static const char *const ways_in[] = {
        "\nquits from 56: 160\n",   "\nleaf from 67: 40\n",  "\nmid from 63: 144\n",       "\nmid>leaf from 12: 120\n",
        "\nmid>leaf from 18: 80\n", "\nmid from 75: 98\n",   "\nmid>leaf from 12: 80\n",   "\nmid>leaf from 18: 60\n",
        "\nleaf from 75: 80\n",     "\ndown from 79: 792\n", "\ndown>leaf from 40: 560\n",
    };
    for (unsigned m = 0; m < 4; m++) {
        struct device d;
        char settings[64];
        snprintf(settings, sizeof settings, "gpu.sms=1 sm.divergence=%s", models[m]);
        device_open(&d, "gtx480", settings);
        gpu_profile(d.gpu);
        device_load(&d, calls_text);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, device_buffer(&d, 16384), 0);
        const struct profile *p = d.result.profile;
        struct strbuf found = {0};
        strbuf_add(&found, "\n");
        for (uint32_t c = 1; c <= p->calls.count; c++) {
            const struct profile_call *call = &p->calls.of[c - 1];
            add_way(p, c, &found);
            strbuf_addf(&found, " from %u: %llu\n", call->context.call,
                        (unsigned long long)call->counts[PROFILE_lanes]);
        }
        assert_int_equal(p->calls.count, sizeof ways_in / sizeof ways_in[0]);
        for (unsigned i = 0; i < p->calls.count; i++)
            if (!strstr(strbuf_text(&found), ways_in[i]))
                fail_msg("%s: no %s in:%s", models[m], ways_in[i], strbuf_text(&found));
        strbuf_free(&found);
        device_close(&d);
    }
}

/* A run that is stopped while the warp waits for its load: nobody was what ended that wait. */
static void test_stopped_wait(void **state)
{
    (void)state;
    uint64_t waited = 0;
    for (uint64_t most = 100; !waited; most += 50) {
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=1");
        gpu_profile(d.gpu);
        device_load(&d, known_text);
        uint64_t params[] = {device_buffer(&d, 16384), 0};
        struct shape shape = {.grid = 1, .block = 32, .max_cycles = most};
        assert_int_equal(device_try(&d, "k", shape, 2, params), GPU_LIMIT);
        waited = cycles_at(&d, USE_AT, "data_memory");
        uint64_t data = device_stat(&d, "warps", "data_memory") + device_stat(&d, "warps", "data_shared") +
                        device_stat(&d, "warps", "data_arithmetic");
        if (waited)
            assert_int_equal(sum_of(d.result.profile, PROFILE_awaited), data - waited);
        device_close(&d);
    }
}

/* A lane that attempts in vain to take a word has waited for it until its last attempt, though it ends then. Nobody ever
 * takes the word, so that it has polled it. */
static void test_given_up(void **state)
{
    (void)state;
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1");
    gpu_profile(d.gpu);
    device_load(
        &d, PTX_HEAD PTX_KERNEL("k", "ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; membar.gl;\n"
                                     "atom.global.cas.b32 %r2, [%rd1], 0, 1;\n"
                                     "atom.global.cas.b32 %r3, [%rd1], %r2, %r1; ret;"));
    device_run(&d, "k", (struct shape){.grid = 1, .block = 1}, device_buffer(&d, 64), 0);
    const struct profile_poll_list *polls = &d.result.profile->polls;
    assert_int_equal(d.result.profile->words.count, 0);
    assert_int_equal(polls->count, 1);
    const uint64_t *counts = polls->of[0].poll.counts;
    assert_int_equal(counts[PROFILE_POLL_polls], 1);
    assert_int_equal(counts[PROFILE_POLL_waits], 1);
    assert_true(counts[PROFILE_POLL_waited] > 50 && counts[PROFILE_POLL_waited] < d.result.cycles / 2);
    assert_int_equal(counts[PROFILE_POLL_warps_waited], counts[PROFILE_POLL_waited]);
    device_close(&d);
}

/* Every cause has words of its own for reports. */
static void test_words(void **state)
{
    (void)state;
    for (unsigned c = 0; c < WARP_CAUSE_COUNT; c++)
        if (strchr(profile_cause_words(warp_cause_names[c]), '_'))
            fail_msg("no words for cause %s", warp_cause_names[c]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),           cmocka_unit_test(test_known_rows),
                                       cmocka_unit_test(test_known_contexts), cmocka_unit_test(test_stopped_wait),
                                       cmocka_unit_test(test_given_up),       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
