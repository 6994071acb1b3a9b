#include "unit/memory/tester/setup.h"

#include "unit/memory/memory_fixture.h"

#define EPISODES 400u /* of a setup */

static uint32_t one_of(uint64_t *r, const uint32_t *values, uint32_t count)
{
    return values[tester_draw(r, count)];
}
#define ONE_OF(r, ...)                                                                                                 \
    one_of(r, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t between(uint64_t *r, uint32_t least, uint32_t most)
{
    return least + tester_draw(r, most - least + 1);
}

static void draw_l2(struct memory_params *p, uint64_t *r, uint32_t line_bytes)
{
    p->l2.sets = ONE_OF(r, 1, 1, 2, 4);
    p->l2.ways = ONE_OF(r, 1, 2, 2, 4);
    p->l2.line_bytes = line_bytes;
    p->l2.sector_bytes = line_bytes >> tester_draw(r, 3);
    p->l2.replacement = ONE_OF(r, CACHE_LRU, CACHE_FIFO);
    p->l2.mshr_entries = between(r, 1, 4);
    p->l2.mshr_merges = between(r, 1, 4);
    p->l2.miss_room = 2;
    p->l2.miss_queue = between(r, 3, 6);
    p->l2.write_allocate = ONE_OF(r, CACHE_WRITE_ALLOCATE_NONE, CACHE_WRITE_ALLOCATE_FETCH, CACHE_WRITE_ALLOCATE_LAZY);
}

static void draw_partition(struct memory_params *p, uint64_t *r)
{
    p->partition.channels = between(r, 1, 2);
    p->partition.slices_per_channel = ONE_OF(r, 1, 2);
    /* Of a packet all sectors come before it is taken. */
    uint32_t parts = PACKET_LINE_BYTES / p->l2.sector_bytes;
    p->partition.icnt_l2_queue = between(r, 2 * parts - 1, 2 * parts + 6);
    p->partition.l2_dram_queue = between(r, 1, 4);
    p->partition.dram_l2_queue = ONE_OF(r, 1, 2, 16);
    p->partition.l2_icnt_queue = ONE_OF(r, 1, 2, 16);
    p->partition.rop_latency = between(r, 0, 10);
    p->partition.dram_latency = between(r, 0, 20);
    p->coherence.replacement = tester_draw(r, 3) ? "" : tester_draw(r, 2) ? "rprio" : "noprio";
    p->coherence.l2_writes_through = tester_draw(r, 3) == 0;
}

static void draw_l1(struct tester_setup *s, uint64_t *r, uint32_t line_bytes)
{
    /* Some are large enough for what is stale to stay. */
    s->l1 = (struct cache_params){.sets = ONE_OF(r, 1, 1, 2, 8),
                                  .ways = ONE_OF(r, 1, 2, 4),
                                  .line_bytes = line_bytes,
                                  .sector_bytes = line_bytes,
                                  .mshr_entries = between(r, 1, 3),
                                  .mshr_merges = between(r, 1, 2),
                                  .miss_room = 1};
    s->requests = ONE_OF(r, 4, 4, 8);
    s->store_queue = between(r, 1, 3);
    const char *name = s->memory.coherence.replacement;
    s->rprio = *name ? !strcmp(name, "rprio") : s->protocol->registration->rprio;
}

static void draw_network(struct tester_setup *s, uint64_t *r)
{
    s->delay = ONE_OF(r, 0, 3, 20, 60);
    s->slow = ONE_OF(r, 0, 100, 300);
    s->rare = ONE_OF(r, 3, 20, 50);
    s->room = ONE_OF(r, 1, 2, 4, 64);
    s->stall = ONE_OF(r, 2, 4, 100);
    s->vary = ONE_OF(r, 0, 0, 30);
}

/* An access at remote scope, and one at the scope of another agent's block, order each other: the slices see to that, a
 * registration brings the order along, or the scope of the block is that of the device. */
static bool reaches_blocks(const struct coherence_protocol *protocol)
{
    const struct coherence_registration *r = protocol->registration;
    return protocol->scopeless || r->remote[2][0] != REMOTE_END || coherence_table_has(r->agent, AGENT_DO_DROP_ALL);
}

/* Lines lie side by side, or apart, so that they share sets and slices or do not. */
static void draw_program(struct tester_setup *s, uint64_t *r)
{
    uint32_t stride = ONE_OF(r, 1, 1, 2, 4, 8);
    s->lines = between(r, 2, TESTER_LINES);
    for (uint32_t i = 0; i < s->lines; i++)
        s->line[i] = TESTER_START + (uint64_t)128 * i * stride;
    s->variables = between(r, 1, 8);
    s->counters = between(r, 0, 6);
    s->mixed = ONE_OF(r, 2, 4, 8);
    s->body = ONE_OF(r, 2, 8, 16);
    s->outstanding = between(r, 1, 4);
    s->kernels = between(r, 1, 3);
    s->episodes = EPISODES / s->kernels;
    s->narrow = ONE_OF(r, 20, 50, 90);
    s->mixes = tester_draw(r, 2);
    s->others = reaches_blocks(s->protocol) ? ONE_OF(r, 0, 10, 50) : 0;
}

void tester_draw_setup(struct tester_setup *s, const struct coherence_protocol *protocol, uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0xD1342543DE82EF95), *r = &random;
    uint32_t line_bytes = ONE_OF(r, 32, 64, 128, 128);
    *s = (struct tester_setup){.protocol = protocol, .seed = seed, .memory = fixture_params()};
    s->memory.protocol = protocol;
    s->agents = between(r, 3, TESTER_AGENTS);
    s->threads = between(r, 2, 4);
    draw_l2(&s->memory, r, line_bytes);
    draw_partition(&s->memory, r);
    draw_l1(s, r, line_bytes);
    draw_network(s, r);
    draw_program(s, r);
    s->memory.coherence.lease = ONE_OF(r, 1, 20, 100, 400, 1500); /* from shorter than a message's way to very long */
    s->hold = ONE_OF(r, 0, 0, 40, 400);
}
