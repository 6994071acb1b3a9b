/* A slice under a protocol with registration: what an owner gives back comes to memory and to the L2's line, whose
 * place it has held. */
#include "slice_bench.h"

#include "isa/mod_values.h"

static void start(struct slice_bench *b)
{
    slice_bench_open(b, "hlrc", 0, fixture_params().partition.rop_latency);
    memset(b->store.bytes, 0x11, SLICE_BYTES);
}

static void stop(struct slice_bench *b)
{
    struct check c;
    check_init(&c);
    check_of(&c, "slice", 0);
    cache_check(b->slice->cache, &c);
    directory_check(b->slice->directory, &c);
    fixture_expect_sound(&c);
    slice_bench_free(b);
}

/* A message of SM 0. */
static struct packet *send(struct slice_bench *b, unsigned kind)
{
    return slice_bench_packet(b, 0, kind);
}

static void serve(struct slice_bench *b, struct packet *p)
{
    slice_push(b->slice, p, 0, b->cycle);
    slice_bench_answer(b, p);
}

static enum cache_presence presence(const struct slice_bench *b)
{
    uint32_t line;
    return cache_find(b->slice->cache, 0, b->params.l2.line_bytes, &line);
}

static void test_an_owner_holds_the_lines_place(void **unused)
{
    struct slice_bench b;
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
    struct slice_bench b;
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
