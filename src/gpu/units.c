/* The device's units and its life: which SM, partition and network is connected to which. */
#include <stdlib.h>
#include <string.h>

#include "base/worker_pool.h"
#include "gpu/gpu_impl.h"
#include "memory/coherence/protocol.h"

/* Where the caches see instructions and local memory: device addresses that no allocation has. */
#define CODE_BASE UINT64_C(0x100000000000)
#define LOCAL_BASE UINT64_C(0x200000000000)

const struct coherence_protocol *gpu_protocol(const struct machine *m)
{
    return m->memory.protocol ? m->memory.protocol : coherence_find(m->memory.coherence.protocol);
}

struct sm_setup gpu_sm_setup(const struct gpu *gpu, unsigned index, struct network *requests, struct network *replies)
{
    const struct machine *m = &gpu->machine;
    return (struct sm_setup){
        .index = index,
        .sm_count = m->gpu.sms,
        .params = &m->sm,
        .l1i = &m->l1i,
        .l1c = &m->l1c,
        .l1d = &m->l1d,
        .protocol = gpu_protocol(m),
        .coherence = &m->memory.coherence,
        .partition = &m->memory.partition,
        .fetch = gpu->fetch,
        .neighbours = m->sm.l1i_sharers > 1 ? &gpu->sms[index - index % m->sm.l1i_sharers] : NULL,
        .scheduler = gpu->scheduler.policy,
        .scheduler_options = gpu->scheduler.options,
        .scheduler_user = gpu->scheduler.user,
        .spin = &m->spin,
        .spin_control = gpu->scheduler.control,
        .requests = requests,
        .replies = replies,
        .probes = gpu->networks[GPU_PROBES],
        .acknowledgements = gpu->networks[GPU_ACKNOWLEDGEMENTS],
        .cluster_requests = gpu->networks[GPU_CLUSTER_REQUESTS],
        .cluster_replies = gpu->networks[GPU_CLUSTER_REPLIES],
        .casts = gpu->casts ? &gpu->casts[(size_t)index * PARTITION_CASTS] : NULL,
        .early = partition_opposes_early(m->gpu.adversary, gpu_protocol(m)),
        .store = &gpu->store,
        .code_base = CODE_BASE,
        .local_base = LOCAL_BASE,
    };
}

/* With a seed, the units that requests of different SMs meet in vary a little in time. */
static void vary_units(struct gpu *gpu)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    if (p->seed == 0)
        return;
#define GPU_NETWORK(symbol, name, way, when)                                                                           \
    if (gpu->networks[GPU_##symbol])                                                                                   \
        network_vary(gpu->networks[GPU_##symbol], random_stream_of(p->seed, "network of " name, 0));
#include "gpu/networks.def"
#undef GPU_NETWORK
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_vary(gpu->partitions[i], p->seed, p->seed_cycles);
}

static void oppose_program(struct gpu *gpu)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    for (unsigned i = 0; p->adversary && i < gpu->machine.memory.partition.channels; i++)
        partition_oppose(gpu->partitions[i], p->adversary, p->adversary_cycles);
}

static bool has_network(const struct machine *m, enum gpu_network n)
{
    static const uint8_t whens[] = {
#define GPU_NETWORK(symbol, name, way, when) GPU_WHEN_##when,
#include "gpu/networks.def"
#undef GPU_NETWORK
    };
    return whens[n] == GPU_WHEN_ALL || (whens[n] == GPU_WHEN_PROBES ? gpu_protocol(m)->probes : m->gpu.gpc_sms != 0);
}

/* From SM to SM, packets meet nobody but at their ends, as in a GPC of its own they hardly do. */
static struct network *network_between_sms(const struct machine *m, struct arena *arena)
{
    struct network_params p = network_without_contention(&m->network);
    p.flit_bytes = m->gpu.cluster_flit_bytes;
    return network_create(&p, m->gpu.sms, m->gpu.sms, arena);
}

static void build_networks(struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    unsigned slices = memory_slices(&m->memory.partition);
    struct network_params back = network_back(&m->network);
    gpu->network_count = 0;
    for (unsigned i = 0; i < GPU_NETWORKS; i++) {
        enum gpu_network_way way = gpu_network_way(i);
        gpu->networks[i] = NULL;
        if (!has_network(m, i))
            continue;
        gpu->networks[i] = way == GPU_TO_MEMORY     ? network_create(&m->network, m->gpu.sms, slices, &gpu->arena)
                           : way == GPU_FROM_MEMORY ? network_create(&back, slices, m->gpu.sms, &gpu->arena)
                                                    : network_between_sms(m, &gpu->arena);
        gpu->network_at[gpu->network_count++] = (uint8_t)i;
    }
    if (m->network.shared_links)
        network_share(gpu->networks, gpu_probes(gpu) ? GPU_CLUSTER_REQUESTS : GPU_PLAIN_NETWORKS, &gpu->arena);
}

/* Slices answer several SMs at once where nobody else has a say in an answer, and where it carries values. */
static void open_casts(struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    const struct coherence_protocol *protocol = gpu_protocol(m);
    gpu->casts = NULL;
    if (!m->gpu.gpc_sms || !m->sm.bulk_cast || m->sm.values_at_issue || protocol->registration)
        return;
    gpu->casts = ARENA_NEW(&gpu->arena, struct packet_list, (size_t)m->gpu.sms * PARTITION_CASTS);
    for (unsigned i = 0; i < m->memory.partition.channels; i++)
        partition_open_casts(gpu->partitions[i], gpu->casts);
}

void gpu_build_units(struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    build_networks(gpu);
    gpu->partitions = ARENA_NEW(&gpu->arena, struct partition *, m->memory.partition.channels);
    for (unsigned i = 0; i < m->memory.partition.channels; i++)
        gpu->partitions[i] = partition_create(&m->memory, i, &gpu->store, &gpu->arena);
    bool probes = gpu_probes(gpu), leases = coherence_leases(gpu_protocol(m));
    for (unsigned i = 0; i < m->memory.partition.channels && (probes || leases); i++)
        if (gpu_protocol(m)->registration)
            partition_open_directory(gpu->partitions[i], m->gpu.sms);
        else
            partition_open_probes(gpu->partitions[i], m->gpu.sms);
    open_casts(gpu);
    gpu->sms = ARENA_NEW(&gpu->arena, struct sm *, m->gpu.sms);
    for (unsigned i = 0; i < m->gpu.sms; i++) {
        struct sm_setup setup = gpu_sm_setup(gpu, i, gpu->networks[GPU_REQUESTS], gpu->networks[GPU_REPLIES]);
        gpu->sms[i] = sm_create(&setup, &gpu->arena);
    }
    vary_units(gpu);
    oppose_program(gpu);
}

void gpu_destroy_units(struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_destroy(gpu->sms[i]);
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_destroy(gpu->partitions[i]);
    arena_free(&gpu->arena);
}

static void free_machine(struct gpu *gpu)
{
    free((char *)gpu->machine.name);
    free((char *)gpu->machine.sm.scheduler);
    free((char *)gpu->machine.gpu.name);
    free((char *)gpu->machine.memory.coherence.protocol);
    free((char *)gpu->machine.memory.coherence.replacement);
    sched_close(&gpu->scheduler);
    watch_unload(&gpu->observers);
    sanitize_destroy(gpu->sanitize);
}

struct gpu *gpu_create(const struct machine *machine, struct diag_sink *sink)
{
    struct sched scheduler;
    if (machine_check(machine, &scheduler, sink))
        return NULL;
    struct gpu *gpu = base_calloc(1, sizeof *gpu);
    gpu->scheduler = scheduler;
    sched_settle(&gpu->scheduler, &machine->sm);
    gpu->machine = *machine;
    gpu->machine.arena = (struct arena){0};
    /* Strings of the machine must outlive the caller's copy. */
    gpu->machine.name = strdup(machine->name);
    gpu->machine.sm.scheduler = strdup(machine->sm.scheduler);
    gpu->machine.gpu.name = strdup(machine->gpu.name);
    gpu->fetch = fetch_find(machine->sm.fetch);
    gpu->machine.sm.fetch = gpu->fetch->name;
    gpu->divergence = simt_model_find(machine->sm.divergence);
    gpu->machine.sm.divergence = gpu->divergence->name;
    gpu->machine.memory.coherence.protocol = strdup(machine->memory.coherence.protocol);
    gpu->machine.memory.coherence.replacement = strdup(machine->memory.coherence.replacement);
    gpu->machine.spin.detector = spin_find_detector(machine->spin.detector)->name;
    gpu->machine.spin.truth = spin_find_detector(machine->spin.truth)->name;
    gpu->machine.network.core = network_core_name(network_find_core(machine->network.core));
    if (store_init(&gpu->store, machine->gpu.memory_base, (uint64_t)machine->gpu.memory_mib << 20, sink)) {
        free_machine(gpu);
        free(gpu);
        return NULL;
    }
    gpu_services_init(gpu);
    gpu_build_units(gpu);
    return gpu;
}

int gpu_observe(struct gpu *gpu, const char *path, struct diag_sink *sink)
{
    return watch_load(&gpu->observers, path, sink);
}

int gpu_observe_by(struct gpu *gpu, const struct lockstep_observer *observer, void *user, struct diag_sink *sink)
{
    return watch_take(&gpu->observers, observer, user, sink);
}

void gpu_destroy(struct gpu *gpu)
{
    if (!gpu)
        return;
    while (gpu->modules)
        gpu_unload(gpu, gpu->modules);
    gpu_destroy_units(gpu);
    worker_pool_destroy(gpu->workers);
    store_free_all(&gpu->store);
    free(gpu->heap_blocks.blocks);
    vec_free(&gpu->constants);
    vec_free(&gpu->labels);
    strbuf_free(&gpu->output);
    vec_free(&gpu->unsynced_lines);
    for (size_t i = 0; i < gpu->strays.count; i++)
        free(gpu->strays.items[i].at);
    vec_free(&gpu->strays);
    free_machine(gpu);
    free(gpu);
}

double gpu_time_ns(const struct gpu *gpu)
{
    return (double)gpu->cycle * 1000.0 / gpu->machine.gpu.core_mhz;
}
