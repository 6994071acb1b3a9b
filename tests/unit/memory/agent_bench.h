/* An agent with nothing around it: a test is its SM and its network. All of its lines lie in one set. */
#ifndef LOCKSTEP_TESTS_AGENT_BENCH_H
#define LOCKSTEP_TESTS_AGENT_BENCH_H

#include "memory/agent.h"
#include "memory_fixture.h"

#define BENCH_LINE 128u
#define BENCH_MEMORY 0x11u /* each byte that the L2 sends, where a test does not say otherwise */

struct agent_bench {
    struct arena arena;
    struct packet_pool pool, slice; /* the L1's packets, and the slice's */
    struct packet_ring requests, answers;
    struct cache_stats stats;
    struct agent agent;
};

static inline uint64_t bench_line(unsigned line)
{
    return UINT64_C(0x10000) + (uint64_t)line * BENCH_LINE;
}

/* ways: lines; requests: that may wait for the network; stores: lines whose written bytes may wait to be sent. */
static inline void bench_start(struct agent_bench *b, const struct coherence_protocol *protocol, uint32_t ways,
                               uint32_t requests, uint32_t stores)
{
    const struct cache_params cache = {.sets = 1,
                                       .ways = ways,
                                       .line_bytes = BENCH_LINE,
                                       .sector_bytes = BENCH_LINE,
                                       .mshr_entries = 4,
                                       .mshr_merges = 4};
    memset(b, 0, sizeof *b);
    b->pool.arena = b->slice.arena = &b->arena;
    packet_ring_init(&b->requests, requests, &b->arena);
    packet_ring_init(&b->answers, 4, &b->arena);
    const struct agent_setup setup = {.protocol = protocol,
                                      .cache = &cache,
                                      .packets = &b->pool,
                                      .requests = &b->requests,
                                      .answers = &b->answers,
                                      .stats = &b->stats,
                                      .queue_lines = stores};
    agent_init(&b->agent, &setup, &b->arena);
}

/* Each fact that the agent keeps agrees with what it follows from. */
static inline void bench_check(struct agent_bench *b)
{
    struct check c;
    check_init(&c);
    check_of(&c, "agent", 0);
    agent_check(&b->agent, &c);
    fixture_expect_sound(&c);
}

static inline void bench_stop(struct agent_bench *b)
{
    bench_check(b);
    arena_free(&b->arena);
}

/* A request for a word of four bytes, with nothing in it yet. */
static inline struct packet *bench_access(struct agent_bench *b, unsigned kind, uint64_t address)
{
    struct packet *p = packet_new(&b->pool, kind);
    p->space = PACKET_GLOBAL;
    p->address = address;
    p->bytes = 4;
    access_of(p)->waiter = 1;
    return p;
}

/* The word's value goes along. */
static inline void bench_put(struct packet *p, uint64_t address, uint32_t value)
{
    memcpy(packet_data(p) + address % BENCH_LINE, &value, sizeof value);
    packet_mask(p)[address % BENCH_LINE / 64] |= UINT64_C(15) << address % 64;
}

/* The agent takes an access that it would take now. */
static inline void bench_take(struct agent_bench *b, struct packet *p, unsigned event)
{
    assert_true(agent_can_take(&b->agent, p->address, p->bytes, event));
    agent_take(&b->agent, p, event);
    bench_check(b);
}

static inline void bench_store(struct agent_bench *b, uint64_t address, uint32_t value)
{
    struct packet *p = bench_access(b, PACKET_WRITE, address);
    bench_put(p, address, value);
    bench_take(b, p, AGENT_STORE_EVENT);
}

static inline enum agent_served bench_load(struct agent_bench *b, uint64_t address, uint32_t bytes,
                                           const uint8_t **values)
{
    struct packet *request;
    const struct agent_load load = {.address = address, .bytes = bytes, .waiter = 7};
    enum agent_served served = agent_load(&b->agent, &load, values, &request);
    bench_check(b);
    return served;
}

/* The first request that waits for the network, which is of that kind. */
static inline struct packet *bench_sent(struct agent_bench *b, unsigned kind)
{
    assert_true(b->requests.count > 0);
    struct packet *p = packet_ring_pop(&b->requests);
    assert_int_equal(p->kind, kind);
    return p;
}

/* The L2's answer comes: all that the agent has asked for, with that byte, or the word that a store has arrived. */
static inline void bench_reply(struct agent_bench *b, struct packet *p, unsigned byte)
{
    assert_true(agent_owns(p));
    p->is_reply = true;
    memset(packet_data(p), (int)byte, PACKET_LINE_BYTES);
    agent_reply(&b->agent, p);
    packet_free(&b->pool, p);
    bench_check(b);
}

/* The L1 has all of the line, as it came. */
static inline void bench_fetch(struct agent_bench *b, uint64_t address)
{
    const uint8_t *values;
    assert_int_equal(bench_load(b, address, 4, &values), AGENT_WAITING);
    bench_reply(b, bench_sent(b, PACKET_READ), BENCH_MEMORY);
    agent_ready(&b->agent, &values);
    assert_int_equal(bench_load(b, address, 4, &values), AGENT_SERVED);
}

#endif
