/* An L2 slice is made, and what its machine and its protocol open in it. */
#include "base/bits.h"
#include "memory/slice.h"
#include "sim/cycle.h"

#define AT_ONCE 3u /* requests of an access: a store passed down, its line's fill, the victim's write-back */
#define MAX_WAITERS 65536u

static struct partition_out out_create(uint32_t limit, struct arena *arena)
{
    uint32_t size = power_from(limit);
    return (struct partition_out){
        .replies = ARENA_NEW(arena, struct partition_reply, size), .mask = size - 1, .limit = limit};
}

uint32_t slice_requests(const struct memory_params *params)
{
    return params->l2.miss_queue + AT_ONCE - 1 + params->partition.l2_dram_queue + params->partition.dram_l2_queue;
}

/* The action that cache_read takes by itself, by presence of the line. */
static const uint8_t reads[CACHE_PRESENCES] = {L2_FETCH, L2_JOIN, L2_TOUCH, L2_TOUCH};

struct slice *slice_create(const struct memory_params *params, const struct request_map *map, unsigned number,
                           const struct coherence_protocol *protocol, struct store *store, struct request_pool *pool,
                           struct arena *arena)
{
    struct slice *s = ARENA_NEW(arena, struct slice, 1);
    const struct partition_params *p = &params->partition;
    uint64_t waiters = (uint64_t)params->l2.mshr_entries * params->l2.mshr_merges;
    uint32_t line_parts = 1;
    if (params->l2.sector_bytes < PACKET_LINE_BYTES) {
        s->sector = params->l2.sector_bytes;
        line_parts = PACKET_LINE_BYTES / s->sector;
    }
    s->params = params;
    s->map = map;
    s->mapped_line = UINT64_MAX;
    s->rop_ready = s->rop_look = CYCLE_NEVER;
    s->port_bytes = params->l2.data_port_bytes;
    s->next = CYCLE_NEVER;
    s->store = store;
    s->protocol = protocol;
    s->pool = pool;
    s->requests = pool->all;
    s->number = (uint8_t)number;
    s->cache = cache_create(&params->l2, false, arena);
    s->side = ARENA_NEW(arena, struct coherence_side, 1);
    coherence_side_init(s->side, protocol->l2, &coherence_l2_words, reads);
    s->fills_ahead =
        coherence_only(s->side, L2_FILL_EVENT, L2_INSTALL) && coherence_only(s->side, L2_READ_WOKEN_EVENT, L2_ANSWER);
    s->store_event = params->l2.write_allocate == CACHE_WRITE_ALLOCATE_LAZY    ? L2_STORE_LAZY_EVENT
                     : params->l2.write_allocate == CACHE_WRITE_ALLOCATE_FETCH ? L2_STORE_FETCH_EVENT
                                                                               : L2_STORE_EVENT;
    s->in_room = p->icnt_l2_queue;
    s->in_most = line_parts < s->in_room ? s->in_room - line_parts : 0;
    s->miss_limit = params->l2.miss_queue;
    s->to_dram = request_queue_create(p->l2_dram_queue, s->miss_limit + AT_ONCE - 1, arena);
    s->from_dram = request_queue_create(p->dram_l2_queue, 0, arena);
    s->out = out_create(p->l2_icnt_queue, arena);
    s->waiter_limit = (uint32_t)(waiters < MAX_WAITERS ? waiters : MAX_WAITERS);
    s->waiting = ARENA_NEW(arena, struct slice_part, s->waiter_limit);
    s->free_waiter = SLICE_NO_WAITER;
    return s;
}

void slice_open_locks(struct slice *s, struct arena *own)
{
    s->locks = ARENA_NEW(own, struct lock_queues, 1);
    lock_queues_init(s->locks, &s->params->locks, own);
}

void slice_open_probes(struct slice *s, uint32_t sms, struct arena *own)
{
    s->probes = ARENA_NEW(own, struct slice_probes, 1);
    s->probes->sms = sms;
    s->probes->pool.arena = own;
    packet_ring_init(&s->probes->out, sms, own);
}
