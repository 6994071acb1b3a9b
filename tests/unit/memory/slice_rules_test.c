/* The rules of an L2 slice and its way to the DRAM as timing diagrams, with one clock for both. A request that is
 * pushed before tick c is
 *
 *     c + rop                 out of the ROP delay, in the slice's queue
 *     c + rop + 1 =: a        at the L2: a hit's reply can be taken after this tick
 *     a + 1                   in the queue of the DRAM
 *     a + 2                   in the fixed delay, of l DRAM cycles
 *     a + 2 + l               handed to the scheduler
 *     a + 3 + l               activate; then tRCD, the reads at tCCDL, tCL
 *     a + 3 + l + ... + 1     back at the slice: filled
 *                       + 2   its reply can be taken
 */
#include <stdlib.h>

#include "memory_fixture.h"

#include "memory/packet_queue.h"
#include "memory/packet_values.h"

#include "isa/mod_values.h"
#include "isa/op.h"

#define START UINT64_C(0x80000000)
#define LIMIT 3000
#define MANY 64

struct side {
    struct arena arena;
    struct store store;
    struct partition *partition;
    struct memory_params params;
    uint64_t cycle;
    uint64_t block; /* an address of this channel's slice 0 */
    union message packets[MANY];
    uint64_t at[MANY]; /* when each packet's reply could be taken; 0: not yet */
};

static void start(struct side *s, const struct memory_params *params)
{
    memset(s, 0, sizeof *s);
    arena_init(&s->arena);
    assert_int_equal(store_init(&s->store, START, 1 << 22, NULL), 0);
    s->params = *params;
    s->partition = partition_create(&s->params, 0, &s->store, &s->arena);
    s->block = START;
    while (memory_place_of(&params->partition, s->block).slice != 0)
        s->block += params->partition.block_bytes;
}

static void stop(struct side *s)
{
    store_free_all(&s->store);
    partition_destroy(s->partition);
    arena_free(&s->arena);
}

/* The n-th line of a slice. */
static uint64_t line_of(const struct side *s, unsigned slice, unsigned n)
{
    uint64_t address = s->block;
    while (memory_place_of(&s->params.partition, address).slice != slice || n--)
        do
            address += PACKET_LINE_BYTES;
        while (memory_place_of(&s->params.partition, address).slice != slice);
    return address;
}

static uint64_t line(const struct side *s, unsigned n)
{
    return line_of(s, 0, n);
}

static void push(struct side *s, unsigned n, enum packet_kind kind, uint64_t address, uint32_t bytes)
{
    union message *m = &s->packets[n];
    struct packet *p = &m->packet;
    memset(m, 0, sizeof *m);
    packet_begin(p, kind);
    p->address = address;
    p->bytes = (uint8_t)bytes;
    if (kind == PACKET_WRITE)
        memset(packet_mask(p), 0xff, sizeof m->as_write.mask);
    if (kind == PACKET_ATOMIC) {
        m->as_atomic.atomic = ISA_ATOMIC_ADD;
        m->as_atomic.type = ISA_U32;
        m->as_atomic.lane_count = 1;
        m->as_atomic.lanes[0] =
            (struct packet_lane){.offset = (uint8_t)(address % PACKET_LINE_BYTES), .operand = 1};
    }
    s->at[n] = 0;
    partition_push(s->partition, memory_place_of(&s->params.partition, address).slice, p, s->cycle + 1);
}

static void tick_l2(struct side *s, bool take)
{
    partition_tick_l2(s->partition, s->cycle);
    struct packet *p = take ? partition_pop(s->partition, 0, s->cycle + 1) : NULL;
    if (p)
        s->at[(union message *)p - s->packets] = s->cycle;
}

static void tick(struct side *s, bool take)
{
    s->cycle++;
    partition_tick_dram(s->partition, s->cycle, s->cycle);
    tick_l2(s, take);
    fixture_check_partition(s->partition, s->cycle);
}

/* Ticks until the packet is answered; the number of ticks, the first of which is 1. */
static uint64_t answered(struct side *s, unsigned n)
{
    uint64_t from = s->cycle;
    while (!s->at[n] && s->cycle < from + LIMIT)
        tick(s, true);
    assert_true(s->at[n] != 0);
    return s->at[n] - from;
}

/* Has the slice fetch lines 0 to n - 1. */
static void warm(struct side *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        push(s, i, PACKET_READ, line(s, i), 128);
        answered(s, i);
    }
    for (unsigned i = 0; i < 300; i++)
        tick(s, true);
}

/* A hit:
 *
 *     push c     . . . rop . . .     a: reply
 */
static void rop_latency(void **state)
{
    for (unsigned rop = 0; rop <= 150; rop += 30) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.rop_latency = rop;
        start(&s, &params);
        warm(&s, 1);
        push(&s, 0, PACKET_READ, line(&s, 0), 128);
        for (unsigned i = 0; i < rop + 1; i++)
            tick(&s, true);
        assert_int_equal(s.at[0], 0);
        tick(&s, true);
        assert_int_equal(s.at[0], s.cycle);
        stop(&s);
    }
}

/* Hits wait for the data port, which an access of n bytes holds for ceil(n / width) ticks:
 *
 *     128 bytes, width 32    0 . . . 1 . . . 2
 *      32 bytes, width 32    0 1 2
 */
static void data_port(void **state)
{
    static const enum packet_kind kinds[] = {PACKET_READ, PACKET_WRITE, PACKET_ATOMIC};
    for (unsigned width = 8; width <= 128; width *= 2) {
        for (unsigned bytes = 32; bytes <= 128; bytes *= 2) {
            for (unsigned k = 0; k < 3; k++) {
                struct memory_params params = fixture_params();
                struct side s;
                params.l2.data_port_bytes = width;
                start(&s, &params);
                warm(&s, 1);
                for (unsigned i = 0; i < 4; i++)
                    push(&s, i, kinds[k], line(&s, 0), bytes);
                answered(&s, 3);
                for (unsigned i = 1; i < 4; i++)
                    assert_int_equal(s.at[i] - s.at[i - 1], (bytes + width - 1) / width);
                stop(&s);
            }
        }
    }
}

/* Atomics of several warps on one word: one after another, each seeing what the one before left. */
static void atomics_on_one_word(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    start(&s, &params);
    warm(&s, 1);
    for (unsigned i = 0; i < 8; i++)
        push(&s, i, PACKET_ATOMIC, line(&s, 0), 32);
    answered(&s, 7);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(s.packets[i].as_atomic.lanes[0].operand, i);
        assert_int_equal(s.at[i] - s.at[0], i);
    }
    stop(&s);
}

/* The unit for atomics takes hundredths of cycles for a part, by where the one before it was, and keeps the port
 * meanwhile, so that atomic n begins floor(n * interval / 100) cycles behind the first:
 *
 *     interval 145    0 1 2 . 4 5 . 7 8 . 10
 */
static void atomic_intervals(void **state)
{
    static const struct {
        uint8_t atomic, type;
        unsigned lines, offset, lanes; /* atomic i is in line i mod lines, at i times offset bytes */
        unsigned interval;             /* of those behind the first */
    } cases[] = {
        {ISA_ATOMIC_ADD, ISA_U32, 1, 0, 1, 145},   {ISA_ATOMIC_ADD, ISA_F32, 1, 0, 1, 347},
        {ISA_ATOMIC_ADD, ISA_F16X2, 1, 0, 1, 347}, {ISA_ATOMIC_ADD, ISA_F32, 1, 32, 1, 145},
        {ISA_ATOMIC_ADD, ISA_U32, 2, 0, 1, 240},   {ISA_ATOMIC_ADD, ISA_F32, 2, 0, 1, 240},
        {ISA_ATOMIC_CAS, ISA_U32, 1, 0, 4, 145},   {ISA_ATOMIC_CAS, ISA_U32, 1, 0, 5, 290},
        {ISA_ATOMIC_ADD, ISA_U32, 1, 0, 8, 145},   {ISA_ATOMIC_CAS, ISA_U64, 1, 0, 3, 290},
    };
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.atomic_interval = 145;
        params.partition.atomic_line_interval = 240;
        params.partition.atomic_float_interval = 347;
        params.l2.sector_bytes = 32;
        params.partition.icnt_l2_queue = 16;
        start(&s, &params);
        warm(&s, 2);
        push(&s, MANY - 1, PACKET_ATOMIC, line(&s, cases[c].lines - 1) + 96, 32); /* before the first */
        answered(&s, MANY - 1);
        for (unsigned i = 0; i < MANY - 1; i++) {
            push(&s, i, PACKET_ATOMIC, line(&s, i % cases[c].lines) + i * cases[c].offset % 128, 32);
            struct message_atomic *m = &s.packets[i].as_atomic;
            m->atomic = cases[c].atomic;
            m->type = cases[c].type;
            m->lane_count = (uint8_t)cases[c].lanes;
            for (unsigned lane = 0; lane < cases[c].lanes; lane++)
                m->lanes[lane].offset = (uint8_t)(m->packet.address % 128 + lane * packet_atomic_bytes(m->type));
        }
        answered(&s, MANY - 2);
        unsigned first = cases[c].interval == 347 ? 145 : cases[c].interval; /* another sector than the one before */
        for (unsigned i = 1; i < MANY - 1; i++)
            assert_int_equal(s.at[i] - s.at[0], (first + (i - 1) * cases[c].interval) / 100);
        stop(&s);
    }
}

/* Of a request of an SM's asynchronous unit the slice takes several sectors in a cycle (partition.copy_sectors), as far as its data
 * port moves them, and holds the port for hundredths of cycles (partition.copy_interval); of other requests one. A line of four
 * sectors takes
 *
 *     one a cycle     0 1 2 3 | 4       two    0 1 | 2       four   0 | 1       four, for 133   0 . | 1.33, 2.66 ...
 */
static void copies_take_sectors_together(void **state)
{
    static const struct {
        unsigned sectors, interval, port;
        unsigned turns, each; /* of a request; hundredths of cycles from one to the next */
        bool plain;           /* not of a copy */
    } cases[] = {{1, 0, 128, 4, 100, false},   {2, 0, 128, 2, 100, false},   {4, 0, 128, 1, 100, false}, {4, 133, 128, 1, 133, false},
                 {4, 250, 128, 1, 250, false}, {2, 133, 128, 2, 133, false}, {4, 0, 64, 2, 100, false},  {4, 0, 32, 4, 100, false},
                 {4, 133, 128, 4, 100, true},  {1, 0, 128, 4, 100, true}};
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.copy_sectors = cases[c].sectors;
        params.partition.copy_interval = cases[c].interval;
        params.l2.sector_bytes = 32;
        params.l2.data_port_bytes = cases[c].port;
        params.partition.icnt_l2_queue = 32;
        start(&s, &params);
        warm(&s, 4);
        for (unsigned i = 0; i < 16; i++) {
            push(&s, i, PACKET_READ, line(&s, i % 4), 128);
            s.packets[i].packet.of_copy = !cases[c].plain;
        }
        answered(&s, 15);
        unsigned turns = cases[c].turns, each = cases[c].each, first = (turns - 1) * each / 100; /* when the last turn begins */
        for (unsigned i = 1; i < 16; i++)
            if (s.at[i] - s.at[0] != (turns * (i + 1) - 1) * each / 100 - first)
                fail_msg("case %u: answer %u comes %u cycles behind the first", c, i, (unsigned)(s.at[i] - s.at[0]));
        stop(&s);
    }
}

/* Between an atomic of a sector and a read of it the unit turns, and back; other reads do not make it turn:
 *
 *     atomic  .  1.45
 *     read    .  .  turns until 7.45
 *     read    .  .  .  .  .  .  .  |
 *     other   .  .  .  .  .  .  .  .  |
 *     atomic  .  .  .  .  .  .  .  .  .  |  turns for 6, and takes 1.45
 *     atomic  16
 */
static void atomics_and_reads_by_turns(void **state)
{
    static const struct {
        uint8_t kind;
        unsigned offset, at;
    } cases[] = {{PACKET_ATOMIC, 0, 0}, {PACKET_READ, 0, 1},   {PACKET_READ, 0, 7},
                 {PACKET_READ, 64, 8},  {PACKET_ATOMIC, 0, 9}, {PACKET_ATOMIC, 0, 16}};
    struct memory_params params = fixture_params();
    struct side s;
    params.partition.atomic_interval = 145;
    params.partition.atomic_turn_interval = 600;
    params.l2.sector_bytes = 32;
    params.l2.data_port_bytes = 32;
    params.partition.icnt_l2_queue = 16;
    start(&s, &params);
    warm(&s, 1);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        push(&s, i, cases[i].kind, line(&s, 0) + cases[i].offset, 32);
        if (cases[i].kind != PACKET_ATOMIC)
            continue;
        s.packets[i].as_atomic.atomic = ISA_ATOMIC_ADD;
        s.packets[i].as_atomic.type = ISA_U32;
        s.packets[i].as_atomic.lane_count = 1;
        s.packets[i].as_atomic.lanes[0].offset = (uint8_t)(s.packets[i].packet.address % 128);
    }
    answered(&s, sizeof cases / sizeof cases[0] - 1);
    for (unsigned i = 1; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(s.at[i] - s.at[0], cases[i].at);
    stop(&s);
}

/* A miss, as drawn above, for several values of every delay on its way. */
static void miss(void **state)
{
    static const struct {
        unsigned rop, delay, tRCD, tCCDL, tCL;
    } cases[] = {{120, 132, 12, 3, 12}, {0, 132, 12, 3, 12}, {120, 0, 12, 3, 12}, {120, 1, 12, 3, 12},
                 {7, 50, 33, 3, 12},    {7, 50, 12, 9, 12},  {7, 50, 12, 3, 40}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.rop_latency = cases[i].rop;
        params.partition.dram_latency = cases[i].delay;
        params.dram.tRCD = cases[i].tRCD;
        params.dram.tCCDL = cases[i].tCCDL;
        params.dram.tCL = cases[i].tCL;
        start(&s, &params);
        push(&s, 0, PACKET_READ, line(&s, 0), 128);
        uint64_t a = 1 + cases[i].rop + 1, d = cases[i].tRCD + cases[i].tCCDL + cases[i].tCL;
        assert_int_equal(answered(&s, 0), a + 3 + cases[i].delay + d + 2);
        stop(&s);
    }
}

/* Two fills that come back together wait for each other at the fill port:
 *
 *     fill 0    F F F F F F F F F F F F F F F F . reply a tick after the port was taken
 *     fill 1    . . . . . . . . . . . . . . . . F          128 bytes through a width of 8
 */
static void fill_port(void **state)
{
    for (unsigned width = 4; width <= 8; width += 4) {
        struct memory_params params = fixture_params();
        struct side s;
        params.l2.data_port_bytes = width;
        params.partition.rop_latency = 0;
        start(&s, &params);
        for (unsigned i = 0; i < 3; i++)
            push(&s, i, PACKET_READ, line(&s, i), 128);
        answered(&s, 2);
        for (unsigned i = 1; i < 3; i++)
            assert_int_equal(s.at[i] - s.at[i - 1], 128 / width);
        stop(&s);
    }
}

/* Accesses to one line whose fill is under way: m can wait for it; the next is refused until the fill has come, and is
 * a hit then.
 *
 *     replies of the m    F+1 F+2 ... F+m      one waiter a tick
 *     the refused one     its access hits in the tick of the fill; behind the others' turn at the queue
 */
static void merges(void **state)
{
    for (unsigned m = 1; m <= 4; m++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.l2.mshr_merges = m;
        start(&s, &params);
        for (unsigned i = 0; i < 6; i++)
            push(&s, i, PACKET_READ, line(&s, 0), 128);
        for (unsigned i = 0; i < 200; i++)
            tick(&s, true);
        assert_int_equal(partition_l2_stats(s.partition, 0)->read_pending, m - 1);
        assert_int_equal(partition_l2_stats(s.partition, 0)->reads, m);
        answered(&s, 5);
        assert_int_equal(partition_dram_stats(s.partition)->requests, 1);
        for (unsigned i = 1; i < m; i++)
            assert_int_equal(s.at[i] - s.at[i - 1], 1);
        stop(&s);
    }
}

/* Nobody takes replies: o of them wait, then n requests, then the slice refuses. A reply that is taken makes room one
 * tick later, when the next access has found its place. */
static void queues_from_and_to_the_network(void **state)
{
    for (unsigned in = 1; in <= 8; in += 3) {
        for (unsigned out = 1; out <= 8; out += 3) {
            struct memory_params params = fixture_params();
            struct side s;
            unsigned pushed = 0;
            params.partition.rop_latency = 0;
            params.partition.icnt_l2_queue = in;
            params.partition.l2_icnt_queue = out;
            start(&s, &params);
            warm(&s, 1);
            for (unsigned i = 0; i < 100; i++) {
                if (partition_can_push(s.partition, 0))
                    push(&s, pushed++, PACKET_READ, line(&s, 0), 32);
                tick(&s, false);
            }
            assert_int_equal(pushed, in + out);
            assert_ptr_equal(partition_pop(s.partition, 0, s.cycle + 1), &s.packets[0].packet);
            assert_false(partition_can_push(s.partition, 0));
            tick(&s, false);
            assert_true(partition_can_push(s.partition, 0));
            stop(&s);
        }
    }
}

/* The DRAM's clock stands still: n misses are accepted, which wait in the slice's queue for the DRAM. When the DRAM has
 * taken one, the next is accepted in that cycle.
 *
 *     DRAM takes     . . . . . T
 *     misses         1 2 3 x x 4
 */
static void queue_to_the_dram(void **state)
{
    for (unsigned n = 1; n <= 4; n++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.rop_latency = 0;
        params.partition.l2_dram_queue = n;
        start(&s, &params);
        const struct cache_stats *l2 = partition_l2_stats(s.partition, 0);
        for (unsigned i = 0; i < 8; i++)
            push(&s, i, PACKET_READ, line(&s, i), 128);
        for (unsigned i = 0; i < 30; i++) {
            s.cycle++;
            tick_l2(&s, true);
        }
        assert_int_equal(l2->read_misses, n);
        tick(&s, true);
        assert_int_equal(l2->read_misses, n + 1);
        stop(&s);
    }
}

/* The L2's clock stands still: n requests come back from the DRAM and wait; the others stay in the DRAM's return queue.
 * So when the DRAM stands still in its turn, n replies can be had. */
static void queue_from_the_dram(void **state)
{
    for (unsigned n = 1; n <= 4; n++) {
        struct memory_params params = fixture_params();
        struct side s;
        unsigned replies = 0;
        params.partition.rop_latency = 0;
        params.partition.dram_l2_queue = n;
        start(&s, &params);
        for (unsigned i = 0; i < 6; i++)
            push(&s, i, PACKET_READ, line(&s, i), 128);
        for (unsigned i = 0; i < 30; i++)
            tick(&s, true);
        for (uint64_t i = 0, still = s.cycle + 1; i < 600; i++)
            partition_tick_dram(s.partition, ++s.cycle, still);
        for (unsigned i = 0; i < 100; i++) {
            s.cycle++;
            tick_l2(&s, true);
        }
        for (unsigned i = 0; i < 6; i++)
            replies += s.at[i] != 0;
        assert_int_equal(replies, n);
        answered(&s, 5);
        stop(&s);
    }
}

/* Both slices have full queues for the DRAM, which takes one request a cycle, from the slices in turn:
 *
 *     cycle        0     1     2     3
 *     slice 0      T           T           each place is filled by the next miss in the same cycle
 *     slice 1            T           T
 */
static void slices_take_turns(void **state)
{
    for (unsigned n = 1; n <= 4; n++) {
        struct memory_params params = fixture_params();
        struct side s;
        params.partition.rop_latency = 0;
        params.partition.l2_dram_queue = n;
        params.partition.dram_latency = 1000;
        start(&s, &params);
        for (unsigned i = 0; i < 10; i++) {
            push(&s, 2 * i, PACKET_READ, line_of(&s, 0, i), 128);
            push(&s, 2 * i + 1, PACKET_READ, line_of(&s, 1, i), 128);
        }
        for (unsigned i = 0; i < 30; i++) {
            s.cycle++;
            tick_l2(&s, true);
        }
        for (unsigned taken = 0; taken <= 5; taken++) {
            assert_int_equal(partition_l2_stats(s.partition, 0)->read_misses, n + (taken + 1) / 2);
            assert_int_equal(partition_l2_stats(s.partition, 1)->read_misses, n + taken / 2);
            tick(&s, true);
        }
        stop(&s);
    }
}

/* Credits of the DRAM's side: one request of each slice, and of both together as many as the scheduler's and the return
 * queue hold, less one. Nothing comes back for long here:
 *
 *     slice 0      1 own + q + r - 1 of the common ones, and one waits in its queue
 *     slice 1      1 own, and one waits
 */
static void credits(void **state)
{
    for (unsigned q = 1; q <= 4; q++) {
        for (unsigned r = 1; r <= 4; r++) {
            struct memory_params params = fixture_params();
            struct side s;
            params.partition.rop_latency = 0;
            params.partition.l2_dram_queue = 1;
            params.partition.dram_latency = 1000;
            params.dram.scheduler_queue = q;
            params.dram.return_queue = r;
            start(&s, &params);
            for (unsigned i = 0; i < 12; i++)
                push(&s, i, PACKET_READ, line_of(&s, 0, i), 128);
            for (unsigned i = 0; i < 100; i++)
                tick(&s, true);
            assert_int_equal(partition_l2_stats(s.partition, 0)->read_misses, 1 + q + r - 1 + 1);
            for (unsigned i = 0; i < 12; i++)
                push(&s, 12 + i, PACKET_READ, line_of(&s, 1, i), 128);
            for (unsigned i = 0; i < 100; i++)
                tick(&s, true);
            assert_int_equal(partition_l2_stats(s.partition, 0)->read_misses, 1 + q + r - 1 + 1);
            assert_int_equal(partition_l2_stats(s.partition, 1)->read_misses, 1 + 1);
            stop(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rop_latency),
        cmocka_unit_test(data_port),
        cmocka_unit_test(atomics_on_one_word),
        cmocka_unit_test(atomic_intervals),
        cmocka_unit_test(copies_take_sectors_together),
        cmocka_unit_test(atomics_and_reads_by_turns),
        cmocka_unit_test(miss),
        cmocka_unit_test(fill_port),
        cmocka_unit_test(merges),
        cmocka_unit_test(queues_from_and_to_the_network),
        cmocka_unit_test(queue_to_the_dram),
        cmocka_unit_test(queue_from_the_dram),
        cmocka_unit_test(slices_take_turns),
        cmocka_unit_test(credits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
