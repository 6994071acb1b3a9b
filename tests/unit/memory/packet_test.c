/* Messages (memory/message.def): what follows from the rows of each holds for every one of them. */
#include "memory_fixture.h"

#include "base/archive.h"
#include "base/strbuf.h"
#include "memory/packet_queue.h"

#define SM 7u

/* expect_new_read, ...: its fields are those of a new packet. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void expect_new_##name(const struct message_##name *m)                                                      \
    {                                                                                                                  \
        assert_int_equal(m->packet.kind, PACKET_##NAME);
#define FIELD(type, name, start, most, when, pack, doc) assert_true(m->name == (type)(start));
#define MESSAGE_MASK(when) assert_true(!m->mask[0] && !m->mask[1]);
#define MESSAGE_END(NAME) }
#include "memory/message.def"

/* fill_read, ...: each field has a value of its own, its largest one or one below; so have bytes, mask and lanes. */
static uint64_t draw(uint64_t *seed)
{
    uint64_t high = fixture_random(seed);
    return high << 32 | fixture_random(seed);
}
static uint64_t within(uint64_t most, uint64_t *seed)
{
    return most == UINT64_MAX ? draw(seed) : draw(seed) % (most + 1);
}
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void fill_##name(struct message_##name *m, uint64_t *seed)                                                  \
    {                                                                                                                  \
        m->packet.ready = draw(seed);
#define FIELD(type, name, start, most, when, pack, doc) m->name = (type)within(most, seed);
#define MESSAGE_BYTES memset(m->data, (int)draw(seed), sizeof m->data);
#define MESSAGE_MASK(when) m->mask[0] = draw(seed), m->mask[1] = draw(seed);
#define MESSAGE_LANES                                                                                                  \
    for (unsigned i = 0; i < m->lane_count; i++)                                                                       \
        m->lanes[i] = (struct packet_lane){.lane = (uint8_t)i, .offset = 4, .operand = draw(seed), .compare = 3};
#define MESSAGE_END(NAME) }
#include "memory/message.def"

/* expect_same_read, ...: two packets agree in everything. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void expect_same_##name(const struct message_##name *m, const struct message_##name *o)                     \
    {                                                                                                                  \
        assert_true(m->packet.ready == o->packet.ready && m->packet.address == o->packet.address);                     \
        assert_true(m->packet.is_reply == o->packet.is_reply && m->packet.sm == o->packet.sm);
#define FIELD(type, name, start, most, when, pack, doc) assert_true(m->name == o->name);
#define MESSAGE_BYTES assert_memory_equal(m->data, o->data, sizeof m->data);
#define MESSAGE_MASK(when) assert_memory_equal(m->mask, o->mask, sizeof m->mask);
#define MESSAGE_LANES                                                                                                  \
    for (unsigned i = 0; i < m->lane_count; i++)                                                                       \
        assert_true(m->lanes[i].lane == o->lanes[i].lane && m->lanes[i].offset == o->lanes[i].offset &&                \
                    m->lanes[i].operand == o->lanes[i].operand && m->lanes[i].compare == o->lanes[i].compare);
#define MESSAGE_END(NAME) }
#include "memory/message.def"

static void expect_new(const struct packet *p)
{
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        expect_new_##name(name##_of(p));                                                                               \
        break;
#include "memory/message.def"
    }
    assert_true(!p->is_reply && !p->parts && !p->accepted);
}

static void fill(struct packet *p, uint64_t *seed)
{
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        fill_##name(name##_of(p), seed);                                                                               \
        break;
#include "memory/message.def"
    }
}

static void expect_same(const struct packet *p, const struct packet *o)
{
    assert_int_equal(p->kind, o->kind);
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        expect_same_##name(name##_of(p), name##_of(o));                                                                \
        break;
#include "memory/message.def"
    }
}

/* Also one that was used before begins anew. */
static void test_a_new_packet_is_as_its_rows_say(void **unused)
{
    struct arena arena;
    uint64_t seed = 1;
    arena_init(&arena);
    for (unsigned of_any = 0; of_any < 2; of_any++) {
        union message places[2] = {0};
        struct packet_pool pool = {.sm = SM, .of_any = of_any, .arena = &arena};
        for (unsigned i = 0; of_any && i < 2; i++)
            places[i].packet.next = pool.free[0], pool.free[0] = &places[i].packet;
        for (unsigned kind = 0; kind < PACKET_KINDS; kind++) {
            struct packet *p = packet_new(&pool, kind);
            expect_new(p);
            assert_int_equal(p->sm, SM);
            assert_int_equal(pool.out, 1);
            fill(p, &seed);
            packet_free(&pool, p);
            assert_ptr_equal(packet_new(&pool, kind), p);
            expect_new(p);
            packet_free(&pool, p);
        }
        assert_int_equal(pool.out, 0);
    }
    arena_free(&arena);
}

/* A read costs no more than a read needs: a cache line of fields, and the line's bytes. */
static void test_each_message_has_what_it_needs(void **unused)
{
    assert_int_equal(sizeof(struct message_read), 64 + PACKET_LINE_BYTES);
    assert_int_equal(sizeof(struct message_register), 64 + PACKET_LINE_BYTES);
    assert_int_equal(sizeof(struct message_lock), 64);
    assert_int_equal(offsetof(struct message_atomic, lanes), 64);
    for (unsigned kind = 0; kind < PACKET_KINDS; kind++) {
        union message m = {0};
        packet_begin(&m.packet, kind);
        if (message_with_bytes >> kind & 1)
            assert_ptr_equal(packet_data(&m.packet), (uint8_t *)&m + 64);
        if (message_has_mask(kind))
            assert_ptr_equal(packet_mask(&m.packet), (uint8_t *)&m + 64 + PACKET_LINE_BYTES);
    }
}

/* The packet that a checkpoint is loaded into. */
static struct packet *make(void *context, unsigned owner, unsigned kind)
{
    union message *m = context;
    memset(m, 0xaa, sizeof *m);
    packet_begin(&m->packet, kind);
    m->packet.sm = (uint16_t)owner;
    return &m->packet;
}
static unsigned slice_of(const void *context, uint64_t address)
{
    (void)context, (void)address;
    return 0;
}

static void test_a_checkpoint_has_every_field(void **unused)
{
    uint64_t seed = 2;
    for (unsigned turn = 0; turn < 40 * PACKET_KINDS; turn++) {
        union message stored = {0}, loaded;
        struct strbuf bytes = {0};
        const struct packet_source source = {.make = make, .context = &loaded, .slice_of = slice_of, .sms = SM + 1};
        struct packet *p = &stored.packet, *q = NULL;
        packet_begin(p, turn % PACKET_KINDS);
        fill(p, &seed);
        p->sm = SM;
        p->address = 0x1040;
        p->bytes = 64;
        p->is_reply = turn / PACKET_KINDS % 2;
        struct archive *ar = archive_into(&bytes);
        packet_archive(ar, &p, &source);
        assert_int_equal(archive_close(ar, NULL), 0);
        ar = archive_from_bytes(strbuf_text(&bytes), bytes.length);
        packet_archive(ar, &q, &source);
        assert_int_equal(archive_close(ar, NULL), 0);
        expect_same(p, q);
        strbuf_free(&bytes);
    }
}

/* A number that its field cannot have is refused. */
static void test_a_checkpoint_is_not_believed(void **unused)
{
    union message stored = {0}, loaded;
    struct strbuf bytes = {0};
    const struct packet_source source = {.make = make, .context = &loaded, .slice_of = slice_of, .sms = SM + 1};
    struct packet *p = &stored.packet, *q = NULL;
    packet_begin(p, PACKET_ATOMIC);
    stored.as_atomic.queued = PACKET_LEFT + 1;
    struct archive *ar = archive_into(&bytes);
    packet_archive(ar, &p, &source);
    archive_close(ar, NULL);
    ar = archive_from_bytes(strbuf_text(&bytes), bytes.length);
    packet_archive(ar, &q, &source);
    assert_true(archive_failed(ar));
    archive_close(ar, NULL);
    strbuf_free(&bytes);
}

static void expect_text(const struct packet *p, const char *expected)
{
    struct strbuf text = {0};
    packet_print(p, &text);
    assert_string_equal(strbuf_text(&text), expected);
    strbuf_free(&text);
}

static void test_a_packet_says_what_it_is(void **unused)
{
    union message m = {0};
    struct packet *p = &m.packet;
    packet_begin(p, PACKET_WRITE);
    p->address = 0x1080;
    p->bytes = 32;
    p->sm = 3;
    expect_text(p, "write of 0x1080, 32 bytes, SM 3");
    m.as_write.slot = 12;
    m.as_write.mask[1] = 0xf;
    expect_text(p, "write of 0x1080, 32 bytes, SM 3: slot 12, mask f:0");
    p->is_reply = true; /* whose mask means nothing */
    expect_text(p, "write (reply) of 0x1080, 32 bytes, SM 3: slot 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_packet_is_as_its_rows_say), cmocka_unit_test(test_each_message_has_what_it_needs),
        cmocka_unit_test(test_a_checkpoint_has_every_field),    cmocka_unit_test(test_a_checkpoint_is_not_believed),
        cmocka_unit_test(test_a_packet_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
