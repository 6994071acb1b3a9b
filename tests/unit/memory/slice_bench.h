/* A slice with a directory, alone, under a protocol with one: a DRAM that answers at once, and packets of two SMs about
 * the first line. */
#ifndef LOCKSTEP_TESTS_SLICE_BENCH_H
#define LOCKSTEP_TESTS_SLICE_BENCH_H

#include "memory_fixture.h"

#include "memory/slice.h"

#define SLICE_START UINT64_C(0x1000000)
#define SLICE_BYTES (1u << 16)
#define SLICE_REQUESTS 16u
#define SLICE_SMS 2u

struct slice_bench {
    struct arena arena;
    struct store store;
    struct request_map map;
    struct memory_params params;
    struct request_pool *pool;
    struct slice *slice;
    struct packet_pool packets[SLICE_SMS];
    uint64_t cycle;
};

/* lease: coherence.lease, where the protocol has leases. */
static inline void slice_bench_open(struct slice_bench *b, const char *protocol, uint32_t lease, uint32_t rop_latency)
{
    memset(b, 0, sizeof *b);
    b->params = fixture_params();
    b->map = request_map_of(&b->params.partition);
    b->params.coherence.replacement = "own";
    b->params.coherence.lease = lease;
    b->params.partition.rop_latency = rop_latency;
    assert_int_equal(store_init(&b->store, SLICE_START, SLICE_BYTES, NULL), 0);
    store_alloc(&b->store, SLICE_BYTES, 256);
    b->pool = request_pool_create(SLICE_REQUESTS + slice_requests(&b->params), &b->arena);
    b->slice = slice_create(&b->params, &b->map, 0, coherence_find(protocol), &b->store, b->pool, &b->arena);
    slice_open_directory(b->slice, SLICE_SMS, &b->arena);
    for (uint16_t sm = 0; sm < SLICE_SMS; sm++)
        b->packets[sm] = (struct packet_pool){.sm = sm, .arena = &b->arena};
}

static inline void slice_bench_free(struct slice_bench *b)
{
    store_free_all(&b->store);
    arena_free(&b->arena);
}

/* A cycle, if the slice has something to do in it. */
static inline void slice_bench_tick(struct slice_bench *b)
{
    struct slice *s = b->slice;
    b->cycle++;
    if (slice_sends(s, b->cycle - 1) && !request_full(&s->from_dram)) {
        uint32_t number = slice_take_request(s, b->cycle - 1);
        if (b->pool->all[number].kind == REQUEST_WRITEBACK)
            request_release(b->pool, number);
        else
            slice_return(s, number, b->cycle - 1);
    }
    if (s->next <= b->cycle)
        slice_tick(s, b->cycle);
}

/* A message of an SM about the first line, not pushed yet. */
static inline struct packet *slice_bench_packet(struct slice_bench *b, unsigned sm, unsigned kind)
{
    struct packet *p = packet_new(&b->packets[sm], kind);
    p->space = PACKET_GLOBAL;
    p->address = SLICE_START;
    p->bytes = (uint8_t)b->params.l2.line_bytes;
    return p;
}

/* Ticks until the slice has answered the packet, and takes the answer. */
static inline void slice_bench_answer(struct slice_bench *b, const struct packet *p)
{
    struct partition_out *out = &b->slice->out;
    while (partition_reply_at(out) > b->cycle) {
        assert_true(b->cycle < 10000);
        slice_bench_tick(b);
    }
    assert_ptr_equal(partition_first_reply(out)->packet, p);
    assert_true(p->is_reply);
    out->inside--;
    out->count--;
    out->first++;
}

#endif
