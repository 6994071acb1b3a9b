/* A slice under a protocol with registration: what an owner gives back comes to memory and to the L2's line, whose
 * place it has held. */
#include "memory_fixture.h"

#include "isa/mod_values.h"
#include "memory/slice.h"

#define START UINT64_C(0x1000000)
#define BYTES (1u << 16)
#define REQUESTS 16u
#define SMS 2u

struct bench {
    struct arena arena;
    struct store store;
    struct request_map map;
    struct memory_params params;
    struct request_pool *pool;
    struct slice *slice;
    struct packet_pool packets;
    uint64_t cycle;
};

static void start(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->params = fixture_params();
    b->map = request_map_of(&b->params.partition);
    b->params.coherence.replacement = "own";
    assert_int_equal(store_init(&b->store, START, BYTES, NULL), 0);
    store_alloc(&b->store, BYTES, 256);
    memset(b->store.bytes, 0x11, BYTES);
    b->pool = request_pool_create(REQUESTS + slice_requests(&b->params), &b->arena);
    b->slice = slice_create(&b->params, &b->map, 0, coherence_find("hlrc"), &b->store, b->pool, &b->arena);
    slice_open_directory(b->slice, SMS, &b->arena);
    b->packets.arena = &b->arena;
}

static void stop(struct bench *b)
{
    struct check c;
    check_init(&c);
    check_of(&c, "slice", 0);
    cache_check(b->slice->cache, &c);
    directory_check(b->slice->directory, &c);
    fixture_expect_sound(&c);
    store_free_all(&b->store);
    arena_free(&b->arena);
}

/* A cycle, with a DRAM that answers at once. */
static void tick(struct bench *b)
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

/* The slice's answer to a packet. */
static void answer(struct bench *b, const struct packet *p)
{
    struct partition_out *out = &b->slice->out;
    while (partition_reply_at(out) > b->cycle) {
        assert_true(b->cycle < 10000);
        tick(b);
    }
    assert_ptr_equal(partition_first_reply(out)->packet, p);
    assert_true(p->is_reply);
    out->inside--;
    out->count--;
    out->first++;
}

/* A message of SM 0 about the first line. */
static struct packet *send(struct bench *b, unsigned kind)
{
    struct packet *p = packet_new(&b->packets, kind);
    p->space = PACKET_GLOBAL;
    p->address = START;
    p->bytes = (uint8_t)b->params.l2.line_bytes;
    return p;
}

static void serve(struct bench *b, struct packet *p)
{
    slice_push(b->slice, p, 0, b->cycle);
    answer(b, p);
}

static enum cache_presence presence(const struct bench *b)
{
    uint32_t line;
    return cache_find(b->slice->cache, 0, b->params.l2.line_bytes, &line);
}

static void test_an_owner_holds_the_lines_place(void **unused)
{
    struct bench b;
    start(&b);
    serve(&b, send(&b, PACKET_REGISTER));
    assert_true(cache_holds(b.slice->cache, 0));
    assert_int_equal(presence(&b), CACHE_THERE);
    serve(&b, send(&b, PACKET_PUTM));
    assert_false(cache_holds(b.slice->cache, 0));
    stop(&b);
}

/* Memory takes the bytes that were written, and no others; the line will be written back. */
static void test_what_was_written_comes_to_memory(void **unused)
{
    struct bench b;
    start(&b);
    serve(&b, send(&b, PACKET_REGISTER));
    struct packet *p = send(&b, PACKET_PUTM);
    memset(packet_data(p), 0x22, PACKET_LINE_BYTES);
    packet_mask(p)[0] = 0xf0;
    serve(&b, p);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(b.store.bytes[i], i >= 4 && i < 8 ? 0x22 : 0x11);
    assert_int_equal(presence(&b), CACHE_WRITTEN);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_owner_holds_the_lines_place),
        cmocka_unit_test(test_what_was_written_comes_to_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
