/* Making a load/store unit, and what begins and ends with launches: its caches are emptied or refreshed, its counts
 * forgotten. */
#include "base/arena.h"
#include "lsu/lsu.h"

static const struct stat_desc latency_descs[] = {
#define STAT_STRUCT struct lsu_latency_stats
#include "stats/stat_descs.h"
#include "lsu/latency_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group lsu_latency_group = {"latency",
                                             "accesses of global memory, where L1s keep what they have written",
                                             latency_descs, sizeof(latency_descs) / sizeof(latency_descs[0])};

/* Fills in the coherence parameters of an L1D that keeps what it has written. */
static void open_agent(const struct lsu_setup *from, struct l1_setup *setup)
{
    const struct coherence_params *p = from->coherence;
    if (from->probes)
        setup->answers = memory_slices(from->partition) + 1; /* one of each slice at a time */
    setup->store_queue = p ? p->store_queue : 64;
    setup->lease = p ? p->lease : 2000;
    setup->now = &from->shared->agenda->now;
    setup->rprio = coherence_rprio(setup->protocol, p ? p->replacement : NULL);
}

static void init_l1d(struct lsu *lsu, const struct lsu_setup *setup, struct arena *own)
{
    const struct sm_params *p = setup->shared->params;
    struct l1_setup l1d = {
        .protocol = setup->protocol ? setup->protocol : coherence_find(NULL),
        .cache = setup->l1d,
        .packets = &lsu->net.packets,
        .requests = p->l1d_queue,
        .answers = setup->probes ? LSU_ANSWERS : 0,
        .in_order = p->memory_in_order,
        .timing_only = p->values_at_issue,
        .rules = {.loads_pass = !p->global_loads_use_l1 || setup->early,
                  .strong_pass = p->volatile_bypasses_l1,
                  .block_stays = p->block_loads_use_l1,
                  .atomics_keep = !p->atomic_drops_line},
    };
    if (l1d.protocol->registration)
        open_agent(setup, &l1d);
    l1_init(&lsu->l1d, &l1d, own);
}

void lsu_init(struct lsu *lsu, const struct lsu_setup *setup, struct arena *own)
{
    const struct sm_shared *shared = setup->shared;
    lsu->agenda = shared->agenda;
    lsu->params = shared->params;
    lsu->warp = shared->warp;
    lsu->ops = shared->ops;
    lsu->line = shared->line;
    lsu->sm = shared->sm;
    lsu->core = setup->core;
    lsu->core_end = setup->core_end;
    lsu->locality = setup->locality;
    lsu->watch = setup->watch;
    lsu->port = setup->port;
    lsu->local_base = setup->local_base;
    lsu->sm_count = setup->sm_count;
    lsu->const_sector = setup->l1c->sector_bytes;
    lsu->const_line = setup->l1c->line_bytes;
    lsu_net_init(lsu, setup, own);
    lsu->cluster = (struct lsu_cluster){.requests = setup->cluster_requests, .replies = setup->cluster_replies, .casts = setup->casts};
    lsu->early.on = setup->early;
    init_l1d(lsu, setup, own);
    lsu->l1c = cache_create(setup->l1c, true, own);
    lsu->pipe_size = shared->params->l1d_latency * shared->params->l1_lookups;
    lsu->pipe = ARENA_NEW(own, struct lsu_delayed, lsu->pipe_size + 1);
    lsu->hits.size = shared->params->l1d_hit_latency + 1;
    lsu->hits.ring = ARENA_NEW(own, struct lsu_hit, lsu->hits.size);
    packet_ring_init(&lsu->l1c_queue, setup->l1c->miss_queue, own);
    packet_ring_init(&lsu->responses, shared->params->response_queue, own);
    core_wheel_init(&lsu->shared);
    lsu->op = lsu->free_transaction = CORE_NONE;
}

void lsu_free(struct lsu *lsu)
{
    vec_free(&lsu->transactions);
    vec_free(&lsu->shared_done);
}

void lsu_begin(struct lsu *lsu, const struct lsu_launch *launch)
{
    lsu->launch = *launch;
    lsu->writeback_from = 0;
    lsu->loop_word = 0;
    lsu->fences.free = 0;
    if (launch->l1_bytes)
        l1_resize(&lsu->l1d, launch->l1_bytes);
    const struct sm_params *p = lsu->params;
    uint32_t shared = p->shared_latency + p->mbarrier_latency + p->mbarrier_look + p->shared_atomic_latency +
                      (launch->clusters ? p->cluster_own_cycles : 0);
    core_wheel_begin(&lsu->shared, shared > p->constant_latency ? shared : p->constant_latency);
}

void lsu_block_begins(struct lsu *lsu, unsigned block, uint64_t warps)
{
    lsu->blocks[block] = (struct lsu_block){.warps = warps};
}

void lsu_reset_stats(struct lsu *lsu)
{
    lsu->transactions_made = lsu->shared_conflict_cycles = 0;
    lsu->latencies = (struct lsu_latency_stats){0};
    l1_reset_stats(&lsu->l1d);
    *cache_stats_of(lsu->l1c) = (struct cache_stats){0};
}

/* Between launches */

void lsu_flush(struct lsu *lsu)
{
    cache_invalidate_all(lsu->l1c);
    l1_empty(&lsu->l1d);
}

void lsu_bring_constants(struct lsu *lsu, uint64_t address, uint32_t bytes)
{
    const uint64_t end = address + bytes;
    for (uint64_t at = address, next; at < end; at = next) {
        next = (at / lsu->const_line + 1) * lsu->const_line;
        cache_install(lsu->l1c, at, (uint32_t)((next < end ? next : end) - at));
    }
}

void lsu_refresh(struct lsu *lsu, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                 void *context)
{
    cache_refresh(lsu->l1c, read, context);
    l1_begin_kernel(&lsu->l1d, read, context);
}

void lsu_publish(struct lsu *lsu, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                 void *context)
{
    l1_publish(&lsu->l1d, put, context);
}
