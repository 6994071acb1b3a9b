/* Clusters: see clusters.h. The blocks of a cluster start in one cycle, each on an SM of its own, all in one GPC: so
 * messages between them go from SM to SM, and one that starts can count on all others. Of the GPCs that have room, the
 * one whose SMs have the most places free is taken, and there the SMs that do. */
#include "gpu/clusters.h"

#include <string.h>

#include "gpu/dispatch.h"
#include "gpu/domain.h"
#include "gpu/rest.h"
#include "simt/lanes.h"

#define PORTABLE_BLOCKS 8 /* of a cluster, unless the kernel says that it needs no other device */

unsigned gpu_gpcs(const struct gpu_params *p)
{
    return p->gpc_sms ? (p->sms + p->gpc_sms - 1) / p->gpc_sms : 0;
}

unsigned gpu_gpc_first(const struct gpu_params *p, unsigned gpc)
{
    unsigned gpcs = gpu_gpcs(p);
    return (p->sms * gpc + gpcs - 1) / gpcs;
}

uint32_t gpu_cluster_blocks(const struct gpu *gpu, bool nonportable)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    unsigned most = 0, bound = nonportable ? LANE_CLUSTER_BLOCKS : PORTABLE_BLOCKS;
    for (unsigned g = 0; g < gpu_gpcs(p); g++) {
        unsigned sms = gpu_gpc_first(p, g + 1) - gpu_gpc_first(p, g);
        most = sms > most ? sms : most;
    }
    return most < bound ? most : bound;
}

/* Each block of a cluster is on another SM, and clusters share SMs as far as these have room. */
unsigned gpu_active_clusters(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                             uint64_t dynamic_shared, uint32_t blocks)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    unsigned fit = gpu_occupancy(gpu, kernel, threads, dynamic_shared, NULL), clusters = 0;
    if (blocks == 1)
        return fit * p->sms;
    for (unsigned g = 0; g < gpu_gpcs(p); g++) {
        unsigned sms = gpu_gpc_first(p, g + 1) - gpu_gpc_first(p, g);
        clusters += sms >= blocks ? sms * fit / blocks : 0;
    }
    return clusters;
}

static int refuse(struct gpu_run *run, const char *hint, const char *format, unsigned a, unsigned b)
{
    struct strbuf why = {0};
    strbuf_addf(&why, format, a, b);
    diag_error(run->sink, (struct diag_pos){run->launch->module->code->name, run->launch->kernel->line,
                                            run->launch->kernel->column},
               hint, "kernel %s cannot be launched: %s", run->name, strbuf_text(&why));
    strbuf_free(&why);
    return -1;
}

/* The launch says it, or the kernel; both must say the same. */
static int find_size(struct gpu_run *run, uint32_t size[3], bool *is_explicit)
{
    const struct gpu_launch *l = run->launch;
    const uint32_t *required = l->kernel->cluster;
    *is_explicit = l->cluster[0] || required[0];
    if (l->cluster[0] && required[0] && memcmp(l->cluster, required, sizeof l->cluster))
        return refuse(run, NULL, "the cluster size differs from the kernel's .reqnctapercluster", 0, 0);
    if (l->kernel->explicit_cluster && !*is_explicit)
        return refuse(run, "launch with the attribute for it, or declare it with __cluster_dims__",
                      "it is .explicitcluster, and nobody says how many blocks a cluster has", 0, 0);
    for (unsigned i = 0; i < 3; i++)
        size[i] = l->cluster[0] ? l->cluster[i] : required[0] ? required[i] : 1;
    return 0;
}

static int check_size(struct gpu_run *run, const uint32_t size[3], uint64_t blocks)
{
    const struct gpu_launch *l = run->launch;
    unsigned most = gpu_cluster_blocks(run->gpu, true), bound = l->kernel->max_cluster;
    unsigned portable = gpu_cluster_blocks(run->gpu, false);
    for (unsigned i = 0; i < 3; i++)
        if (!size[i] || size[i] > LANE_CLUSTER_BLOCKS)
            return refuse(run, NULL, "a cluster has 1 to %u blocks in each dimension", LANE_CLUSTER_BLOCKS, 0);
    if (!most && blocks > 1)
        return refuse(run, "NVIDIA's devices have them from compute capability 9.0 on: --machine h100, or gpu.gpc_sms",
                      "the machine has no clusters of several blocks", 0, 0);
    if (blocks > 1 && blocks > most)
        return refuse(run, NULL, "a cluster of %u blocks is larger than the machine's largest, %u", (unsigned)blocks, most);
    if (blocks > portable && blocks > 1 && !l->nonportable_cluster)
        return refuse(run, "allow it (cudaFuncAttributeNonPortableClusterSizeAllowed)",
                      "a cluster of %u blocks is larger than the portable size, %u", (unsigned)blocks, portable);
    if (bound && blocks > bound)
        return refuse(run, NULL, "a cluster of %u blocks is larger than the kernel's .maxclusterrank, %u", (unsigned)blocks,
                      bound);
    for (unsigned i = 0; i < 3; i++)
        if (l->grid[i] % size[i])
            return refuse(run, NULL, "the grid, of %u blocks in a dimension, is no multiple of the cluster, of %u there",
                          l->grid[i], size[i]);
    return 0;
}

int gpu_settle_clusters(struct gpu_run *run)
{
    uint32_t size[3];
    bool is_explicit;
    if (find_size(run, size, &is_explicit))
        return -1;
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    if (check_size(run, size, blocks))
        return -1;
    memcpy(run->grid.cluster, size, sizeof size);
    run->grid.cluster_blocks = (uint32_t)blocks;
    run->grid.explicit_cluster = is_explicit;
    return 0;
}

void gpu_cluster_block_index(const struct gpu_run *run, uint64_t number, uint32_t index[3])
{
    const struct simt_grid *g = &run->grid;
    const uint32_t *c = g->cluster;
    uint64_t cluster = number / g->cluster_blocks, wide = g->grid[0] / c[0], high = g->grid[1] / c[1];
    uint32_t rank = (uint32_t)(number % g->cluster_blocks);
    index[0] = (uint32_t)(cluster % wide) * c[0] + rank % c[0];
    index[1] = (uint32_t)(cluster / wide % high) * c[1] + rank / c[0] % c[1];
    index[2] = (uint32_t)(cluster / wide / high) * c[2] + rank / c[0] / c[1];
}

/* SMs of a GPC for the blocks of one cluster. */
struct choice {
    unsigned count, sms[LANE_CLUSTER_BLOCKS];
    uint64_t free; /* places for blocks that they have, all together */
};

/* SMs that have taken a block in this cycle. */
struct taken {
    bool sm[NETWORK_MAX_PORTS];
};

/* The free places of an SM; 0: it takes no block now. */
static unsigned places_of(const struct gpu_run *run, const struct taken *taken, unsigned sm)
{
    const struct gpu_domain *domain = gpu_domain_of(run, sm);
    bool room = !taken->sm[sm] && mask_has(domain->report->room, sm - domain->first_sm);
    return room ? sm_free_places(run->gpu->sms[sm]) : 0;
}

/* The SMs of a GPC that have the most free places, in the order of their numbers. */
static struct choice choose_sms(const struct gpu_run *run, const struct taken *taken, unsigned gpc)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    unsigned first = gpu_gpc_first(p, gpc), end = gpu_gpc_first(p, gpc + 1), size = run->grid.cluster_blocks;
    bool chosen[NETWORK_MAX_PORTS] = {false};
    struct choice c = {0};
    for (unsigned n = 0; n < size; n++) {
        unsigned best = end, most = 0;
        for (unsigned sm = first; sm < end; sm++) {
            unsigned places = chosen[sm] ? 0 : places_of(run, taken, sm);
            best = places > most ? sm : best;
            most = places > most ? places : most;
        }
        if (best == end)
            return c;
        chosen[best] = true;
        c.free += most;
    }
    for (unsigned sm = first; sm < end; sm++)
        if (chosen[sm])
            c.sms[c.count++] = sm;
    return c;
}

/* Among the GPCs with room; of equal ones the first behind the one that was served last. */
static struct choice choose(const struct gpu_run *run, const struct taken *taken)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    unsigned gpcs = gpu_gpcs(p), last = 0;
    struct choice best = {0};
    while (gpu_gpc_first(p, last + 1) <= run->last_served)
        last++;
    for (unsigned n = 1; n <= gpcs; n++) {
        struct choice c = choose_sms(run, taken, (last + n) % gpcs);
        if (c.count && c.free > best.free)
            best = c;
    }
    return best;
}

static void start(struct gpu_run *run, const struct choice *c, struct taken *taken)
{
    struct gpu_peers *peers = &run->peers[run->next_block / run->grid.cluster_blocks % run->gpu->machine.gpu.sms];
    for (unsigned rank = 0; rank < c->count; rank++) {
        unsigned sm = c->sms[rank];
        struct gpu_domain *domain = gpu_domain_of(run, sm);
        peers->sm[rank] = (uint16_t)sm;
        taken->sm[sm] = true;
        domain->starts[domain->start_count++] = (struct gpu_start){run->next_block++, sm, peers->sm, run};
        gpu_rest_wake(run, domain->number);
        run->last_served = sm;
    }
}

uint64_t gpu_dispatch_clusters(struct gpu_run *run, uint64_t most)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    struct taken taken = {{false}};
    uint64_t first = run->next_block, least = gpu_dispatch_least(run);
    if (!run->peers)
        run->peers = ARENA_NEW(&run->arena, struct gpu_peers, p->sms);
    while (run->next_block < run->blocks && most - (run->next_block - first) >= least && most >= run->next_block - first) {
        struct choice c = choose(run, &taken);
        if (!c.count)
            break;
        start(run, &c, &taken);
    }
    run->dispatch_from = (run->last_served + 1) % p->sms;
    return run->next_block - first;
}
