/* A configuration of the simulator for a program, drawn from the lists of everything that can be chosen. */
#include "generate.h"

#include <stdio.h>
#include <string.h>

struct setting {
    const char *text;
    unsigned weight;
};

static const struct setting machines[] = {{"gtx480", 30}, {"gtx480-sm2", 20}, {"gtx1080ti", 20}, {"apu8", 14},
                                          {"thesis", 14}, {"apu128", 2},      {"h100", 6},  {NULL, 0}};
static const struct setting ways[] = {{"stack", 40}, {"its", 24}, {"aware", 18}, {"dwf", 18}, {NULL, 0}};
static const struct setting schedulers[] = {{"lrr", 3},
                                            {"gto", 4},
                                            {"oldest", 2},
                                            {"gty", 2},
                                            {"tls", 2},
                                            {"tls:active=2", 1},
                                            {"cawa", 2},
                                            {"cawa:profile=artifact", 1},
                                            {"saws", 2},
                                            {"saws:inner=lrr", 1},
                                            {"mwf", 2},
                                            {"mwf:inner=gto:exit_counts=on", 1},
                                            {NULL, 0}};
static const struct setting fetches[] = {{"lrr", 4}, {"oldest", 1}, {"cff", 1}, {"fef", 1}, {NULL, 0}};
static const struct setting protocols[] = {{"gpu", 8},      {"bypass", 3},         {"vi", 3},   {"rsp", 3},
                                           {"denovo-b", 3}, {"denovo-b-eager", 2}, {"hlrc", 3}, {"hlrc-scoped", 3},
                                           {"msi", 3},      {"lease", 3},          {NULL, 0}};
static const struct setting detectors[] = {{"ddos", 4}, {"static", 1}, {"oracle", 2}, {NULL, 0}};

/* Parameters with values that every program can live with. Not among them: sm.memory_in_order=false, with which a
 * thread's accesses to one address overtake each other. */
static const char *const parameters[] = {
    "l1d.sets=4",
    "l1d.sets=1",
    "l1d.ways=1",
    "l1d.ways=2",
    "sm.l1_array_bytes=131072",
    "sm.l1_array_bytes=131072 --set sm.shared_sizes=0,16,64",
    "l1d.sector_bytes=32",
    "l1d.sector_bytes=32 --set l1d.split_reads=true",
    "l1d.sector_bytes=32 --set l1d.split_reads=true --set l1d.allocate=on_fill --set sm.l1d_latency=30",
    "l2.sets=16",
    "l2.sets=8",
    "l2.ways=2",
    "sm.schedulers=1",
    "sm.schedulers=4",
    "sm.cores=2",
    "sm.cores=4",
    "sm.direct=true",
    "sm.direct=true --set sm.cores=4",
    "sm.direct=true --set sm.unit_int_add=add --set sm.unit_logic=alu --set sm.unit_int_mul=mul",
    "sm.barrier_interval=2 --set sm.barrier_latency=12 --set sm.barrier_result_latency=24",
    "sm.fence_latency=300 --set sm.fence_latency_sys=600",
    "sm.fence_latency_cta=9",
    "sm.block_loads_use_l1=true",
    "sm.constant_latency=12",
    "sm.constant_interval=11 --set sm.constant_latency=3",
    "sm.issue_width=2",
    "sm.issue_interval=3",
    "sm.blocks=1",
    "sm.warps=8",
    "sm.fetch_width=1",
    "sm.instruction_bytes=4",
    "sm.instruction_bytes=16",
    "sm.one_in_flight=true",
    "sm.fetch_fills=true",
    "sm.fetch_prefetch=3",
    "sm.fetch_per_scheduler=true",
    "sm.counts_preferred=true",
    "sm.counts_lines=true",
    "sm.fetch_from_fill=true",
    "sm.instruction_buffer=4",
    "sm.collectors_mem=1",
    "sm.collectors_sp=2",
    "sm.result_buses=1",
    "sm.register_banks=4",
    "sm.bank_by_warp=false",
    "sm.collector_reads=3",
    "sm.collector_merges=true",
    "sm.shared_banks=16",
    "sm.shared_latency=24",
    "sm.l1d_latency=30",
    "sm.l1_lookups=4",
    "sm.atomics_joined=red",
    "sm.atomics_joined=all",
    "sm.shared_cas_interval=2 --set sm.shared_loop_interval=4 --set sm.shared_loop_again=40",
    "sm.shared_loop_interval=3 --set sm.shared_loop_interval_i64=6 --set sm.shared_loop_again_i64=64",
    "sm.shared_pass_latency=1 --set sm.shared_atomic_latency=7 --set sm.shared_wide_interval=2",
    "sm.shared_loop_interval=4 --set sm.shared_loop_latency=94 --set sm.shared_loop_latency_i64=111",
    "sm.l1_lookups=4 --set sm.l1_words_each=true",
    "sm.l1_lookups=3 --set sm.l1d_latency=12",
    "sm.l1_lookups=4 --set sm.l1d_latency=2 --set sm.l1d_hit_latency=28",
    "sm.l1d_hit_latency=30 --set l1d.set_index=folded",
    "sm.shared_reserved=1024",
    "sm.response_queue=1",
    "sm.ejection_queue=2",
    "sm.coalescing=arch20",
    "sm.global_loads_use_l1=false",
    "sm.aware_timeout=64",
    "sm.aware_timeout=32768",
    "sm.form_reads=rows",
    "sm.form_lanes=rotated",
    "gpu.sms=3",
    "gpu.sms=2",
    "gpu.sms=5",
    "partition.channels=1",
    "partition.channels=2",
    "sm.latency_int_mul=40",
    "sm.latency_shuffle=2",
    "sm.latency_move=9",
    "sm.schedulers_take_turns=false",
    "gpu.network_mhz=350",
    "gpu.dram_mhz=500",
    "gpu.grid_barrier_cycles=7",
    "gpu.launch_cycles=400 --set gpu.launch_end_cycles=200 --set gpu.launch_written_cycles=50",
    "gpu.launch_gap_cycles=3000 --set gpu.launch_host_cycles=5000",
    "gpu.dispatch_blocks=1 --set gpu.dispatch_cycles=5 --set gpu.dispatch_burst=4",
    "gpu.dispatch_interval=16 --set gpu.dispatch_blocks=1 --set gpu.dispatch_cycles=3",
    "gpu.dispatch_interval=32 --set network.core=ideal --set network.latency=66",
    "gpu.launch_brings_parameters=true --set gpu.keep_code=true --set gpu.flush_l1_at_kernel_end=true",
    "partition.hash_channels=true",
    "partition.hash_banks=true",
    "partition.hash_banks=true --set partition.address_map=hbm --set dram.banks=32",
    "sm.request_port_bytes=4",
    "l1d.replacement=aged --set l1d.ways=9 --set l2.replacement=aged --set l2.ways=5",
    "l1d.replacement=aged --set l1d.aged=100 --set l1d.set_index=folded --set l2.set_index=folded",
    "gpu.thread_registers=20",
    "partition.block_bytes=1024",
    "partition.sides=2 --set partition.far_latency=150",
    "partition.sides=3 --set partition.far_latency=17",
    "partition.atomic_interval=145 --set partition.atomic_line_interval=240 --set partition.atomic_float_interval=347",
    "partition.atomic_interval=1350",
    "partition.atomic_interval=145 --set partition.atomic_turn_interval=600",
    "l1i.sets=1",
    "l1i.ways=1",
    "spin.delay=0",
    "spin.threshold=1",
    "spin.hash=modulo",
    "spin.adaptive=false",
    "sm.age_rotation=5000",
};

static const char *drawn(struct generator *g, const struct setting *list)
{
    uint32_t all = 0;
    for (const struct setting *s = list; s->text; s++)
        all += s->weight;
    uint32_t lot = draw(g, all);
    while (lot >= list->weight)
        lot -= list++->weight;
    return list->text;
}

static void refusal(struct strbuf *to, const char *what)
{
    strbuf_addf(to, "%s%s", to->length ? "|" : "", what);
}

static bool fits(const char *parameter, bool mesh)
{
    return !mesh || (strncmp(parameter, "gpu.sms", 7) != 0 && strncmp(parameter, "partition.channels", 18) != 0);
}

static void random_parameters(struct generator *g, struct strbuf *options, bool mesh)
{
    char names[8][40];
    for (uint32_t i = 0, count = draw(g, 5); i < count; i++) {
        const char *p = parameters[draw(g, sizeof parameters / sizeof parameters[0])];
        snprintf(names[i], sizeof names[i], "%.*s", (int)strcspn(p, "="), p);
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again = again || !strcmp(names[j], names[i]);
        bool large = strstr(strbuf_text(options), "--machine h100"); /* its L1D does not fit into a smaller array */
        if (!again && fits(p, mesh) && !(large && !strncmp(p, "sm.l1_array_bytes", 17)))
            strbuf_addf(options, " --set %s", p);
    }
}

/* Options of timing mode alone; the kind of run. form: warps are formed anew, and checks know threads by their warp. */
static const char *timing(struct generator *g, struct strbuf *options, bool mesh, bool form)
{
    const char *detector = drawn(g, detectors);
    bool bows = chance(g, 30);
    strbuf_addf(options, " --sched %s%s", drawn(g, schedulers), bows ? "+bows" : "");
    if (bows && strcmp(detector, "ddos") != 0)
        strbuf_addf(options, " --set spin.detector=%s", detector);
    if (!bows && chance(g, 10))
        strbuf_addf(options, " --set spin.measure=true --set spin.detector=%s", detector);
    strbuf_addf(options, " --fetch %s", drawn(g, fetches));
    if (chance(g, 20))
        strbuf_addf(options, " --seed %u", 1 + draw(g, 1000));
    if (chance(g, 15) && !strstr(strbuf_text(options), "--as ")) /* GPGPU-Sim's way has values change at issue */
        strbuf_addf(options, " --adversary %u --set gpu.adversary_cycles=%u", 1 + draw(g, 1000), draw(g, 2) ? 300 : 40);
    random_parameters(g, options, mesh);
    uint32_t lot = draw(g, 100);
    if (lot < 15)
        strbuf_add(options, " --no-skip");
    if (lot >= 10 && lot < 25)
        strbuf_add(options, " --threads 2");
    if (lot >= 12 && lot < 40 && !form)
        return "checked";
    return lot >= 60 && lot < 75 ? "checkpoint" : lot >= 75 && lot < 90 ? (lot < 83 ? "stepped" : "threaded") : "plain";
}

/* Registers in local memory, with so few left that nearly every program has some. Drawn apart, so that the rest of a
 * configuration does not change with it. */
static void spills(const struct generator *program, unsigned run, struct strbuf *options)
{
    struct generator g = {.random = random_stream_of(program->number, "spills", run)};
    static const unsigned few[] = {8, 12, 16, 24};
    if (!chance(&g, 20))
        return;
    strbuf_addf(options, " --set gpu.spills=true --set %s=%u",
                strstr(strbuf_text(options), "gpu.thread_registers") || chance(&g, 50) ? "sm.registers_per_thread"
                                                                                       : "gpu.thread_registers",
                few[draw(&g, 4)]);
}

/* A program whose blocks are a cluster needs GPCs, which most machines have not. Drawn apart, too. */
static void clusters(const struct generator *program, unsigned run, struct strbuf *options)
{
    static const char *const ways[] = {"sm.cluster_latency=1", "sm.cluster_queue=1", "sm.cluster_port_bytes=20", "sm.cluster_hop_cycles=7",
                                       "sm.cluster_barrier_latency=90", "sm.cluster_store_cycles=200", "sm.cluster_async_cycles=33",
                                       "gpu.cluster_flit_bytes=16"};
    struct generator g = {.random = random_stream_of(program->number, "clusters", run)};
    if (!(program->forms & FORM_CLUSTER))
        return;
    strbuf_addf(options, " --set gpu.gpc_sms=%u", 2 + draw(&g, 3));
    if (chance(&g, 60))
        strbuf_addf(options, " --set %s", ways[draw(&g, sizeof ways / sizeof ways[0])]);
}

/* The options of programs with some forms of locks on a stack. */
static void stack_refusals(const struct generator *g, bool wide, struct strbuf *allowed, struct strbuf *options)
{
    if (g->forms & FORM_SPANS)
        refusal(allowed, "SIMT deadlock|RPC-skipped deadlock");
    if (!(g->forms & (FORM_BEHIND | (wide ? FORM_ALONE : 0))))
        return;
    refusal(allowed, "ma(de|ke) no progress");
    strbuf_add(options, " --set gpu.watch_cycles=100000"); /* it will not be long in coming */
}

void configure(const struct generator *program, unsigned run)
{
    struct generator g = {.random = random_stream_of(program->number, "configuration", run)};
    struct strbuf options = {0}, allowed = {0};
    const char *machine = drawn(&g, machines), *way = drawn(&g, ways), *protocol = drawn(&g, protocols),
               *kind = "plain";
    bool keeps_nothing = !strcmp(protocol, "gpu") || !strcmp(protocol, "bypass"), stack = !strcmp(way, "stack"),
         wide = !strncmp(machine, "apu", 3);
    strbuf_addf(&options, "--machine %s --divergence %s --protocol %s", machine, way, protocol);
    if (keeps_nothing && !strncmp(machine, "gtx", 3) && chance(&g, 15)) /* one that has departures */
        strbuf_addf(&options, " --as %s",
                    strcmp(machine, "gtx480-sm2") && chance(&g, 50) ? "fixed-order" : "reference");
    if (chance(&g, 15))
        strbuf_add(&options, " --mode functional");
    else
        kind = timing(&g, &options, wide, !strcmp(way, "dwf"));
    spills(program, run, &options);
    clusters(program, run, &options);
    if (program->forms & FORM_EARLY) /* under checks launches run one after the other */
        strbuf_addf(&options, " --set gpu.kernels=%u", !strcmp(kind, "checked") || run % 4 == 3 ? 1 : 4);
    bool apart = stack && program->forms & FORM_APART;
    if (chance(&g, 30) || apart)
        strbuf_add(&options, " --check sync");
    if (apart)
        refusal(&allowed, "which did not come here: under this divergence model");
    if (chance(&g, 25))
        strbuf_add(&options, " --set sm.lock_past=true");
    if (stack)
        stack_refusals(program, wide, &allowed, &options);
    if (!strcmp(machine, "thesis")) /* which has half the registers of others */
        refusal(&allowed, "registers a thread does not fit on an SM");
    if (program->forms & FORM_LOCK && keeps_nothing && stack && chance(&g, 40)) {
        strbuf_add(&options, " --set locks.queue=true");
        if (program->forms & FORM_NESTED)
            refusal(&allowed, "with queues \\(locks\\.queue\\)");
    }
    const char *text = strbuf_text(&options);
    if (program->forms & FORM_ROLES && (strstr(text, "gpu.thread_registers") || strstr(text, "sm.registers_per_thread")))
        refusal(&allowed, "setmaxnreg.dec names 24 registers|wait for registers of their block at");
    printf("%u\t%s\t%s\t%s\n", program->number, kind, allowed.length ? strbuf_text(&allowed) : "-",
           strbuf_text(&options));
    strbuf_free(&options);
    strbuf_free(&allowed);
}
