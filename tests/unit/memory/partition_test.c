/* Memory partitions: where addresses live, the time lines of hits, misses and stores, sectors, values, and that ticking
 * only when asked to, or many cycles ahead, changes nothing. */
#include <limits.h>
#include <stdlib.h>

#include "effort.h"
#include "memory_fixture.h"

#include "memory/packet_queue.h"

#include "isa/mod_values.h"
#include "isa/op.h"
#include "memory/address.h"
#include "sim/cycle.h"

#define START UINT64_C(0x80000000)
#define CHANNELS 6
#define STORE_BYTES (1 << 20)
#define LIMIT 5000

/* A partition and its two clocks: 33 DRAM cycles to 25 L2 cycles, as 924 to 700 MHz. */
struct side {
    struct arena arena;
    struct store store;
    struct partition *partition;
    uint64_t cycle, dram_cycle, phase;
    bool lazy; /* tick only when the partition asks */
    uint64_t ticks;
};

static void start(struct side *s, const struct memory_params *params)
{
    memset(s, 0, sizeof(*s));
    arena_init(&s->arena);
    assert_int_equal(store_init(&s->store, START, STORE_BYTES, NULL), 0);
    s->partition = partition_create(params, 0, &s->store, &s->arena);
}

static void stop(struct side *s)
{
    store_free_all(&s->store);
    partition_destroy(s->partition);
    arena_free(&s->arena);
}

/* One L2 cycle, DRAM before L2, as a machine does. */
static void tick(struct side *s)
{
    s->cycle++;
    for (s->phase += 33; s->phase >= 25; s->phase -= 25) {
        s->dram_cycle++;
        if (!s->lazy || partition_next_dram(s->partition) <= s->dram_cycle) {
            partition_tick_dram(s->partition, s->dram_cycle, s->cycle);
            s->ticks++;
        }
    }
    if (!s->lazy || partition_next_l2(s->partition) <= s->cycle) {
        partition_tick_l2(s->partition, s->cycle);
        s->ticks++;
    }
    fixture_check_partition(s->partition, s->cycle);
}

static struct packet *request(union message *m, enum packet_kind kind, uint64_t address, uint32_t bytes)
{
    memset(m, 0, sizeof(*m));
    packet_begin(&m->packet, kind);
    m->packet.address = address;
    m->packet.bytes = (uint8_t)bytes;
    return &m->packet;
}

/* Pushes before the next tick, as a network does, and waits for the reply; the number of ticks after which it can be
 * popped. */
static unsigned serve(struct side *s, struct packet *p)
{
    unsigned slice =
        memory_place_of(&(struct partition_params){.channels = CHANNELS, .slices_per_channel = 2, .block_bytes = 256},
                        p->address)
            .slice %
        2;
    assert_true(partition_can_push(s->partition, slice));
    partition_push(s->partition, slice, p, s->cycle + 1);
    for (unsigned n = 0; n < LIMIT; n++) {
        tick(s);
        if (!partition_peek(s->partition, slice, s->cycle + 1))
            continue;
        assert_ptr_equal(partition_pop(s->partition, slice, s->cycle + 1), p);
        assert_true(p->is_reply);
        return n;
    }
    fail_msg("no reply");
    return 0;
}

static void addresses_are_cut_as_gpgpu_sim_does(void **state)
{
    struct partition_params p = fixture_params().partition;
    struct request_map map = request_map_of(&p);
    uint32_t bank, row;
    for (uint64_t a = 0; a < 40000; a += 52) {
        uint64_t address = START + a * 1021;
        uint64_t rest = (address >> 8) / 6 << 8 | (address & 255);
        struct memory_place place = memory_place_of(&p, address);
        assert_int_equal(place.channel, (address >> 8) % 6);
        assert_int_equal(place.row, rest >> 16 & 0xfff);
        assert_int_equal(place.bank, (rest >> 8 & 1) | (rest >> 13 & 7) << 1);
        assert_int_equal(place.column, (rest >> 6 & 3) | (rest >> 9 & 15) << 2);
        assert_int_equal(place.slice, 2 * place.channel + (rest >> 8 & 1));
        assert_int_equal(place.local, rest >> 9 << 8 | (rest & 255));
        assert_int_equal(address_of_local(&p, place.slice % 2, place.local), rest);
        address_of_request(&map, place.slice % 2, place.local, &bank, &row);
        assert_true(bank == place.bank && row == place.row);
    }
}

/* Whatever the size of blocks, neighbours lie in neighbouring channels, and an address has one place. */
static void blocks_of_any_size(void **state)
{
    for (uint32_t bytes = 64; bytes <= 4096; bytes *= 2) {
        struct partition_params p = fixture_params().partition;
        struct memory_map map;
        p.block_bytes = bytes;
        map = memory_map_of(&p);
        for (uint64_t a = 0; a < 40000; a += 52) {
            uint64_t address = START + a * 1021, rest = address / bytes / 6 * bytes + address % bytes, local;
            struct memory_place place = memory_place_of(&p, address);
            assert_int_equal(place.channel, address / bytes % 6);
            assert_int_equal(memory_place_of(&p, address + bytes).channel, (place.channel + 1) % 6);
            assert_int_equal(memory_slice_of(&map, address, &local), place.slice);
            assert_int_equal(local, place.local);
            assert_int_equal(address_of_local(&p, place.slice % 2, local), rest);
        }
    }
}

/* With hash_channels each round is a rotation of the plain one: every address still has one place, neighbours lie in
 * neighbouring channels within a round, and blocks that are as many apart as would meet few channels meet most. */
static void rounds_begin_anywhere(void **state)
{
    enum { CHANNELS_HERE = 40, STRIDE = 8, BLOCKS = 400 };
    struct partition_params plain = fixture_pascal().partition, p;
    plain.channels = CHANNELS_HERE;
    p = plain;
    p.hash_channels = true;
    uint32_t met[CHANNELS_HERE] = {0}, of_round[CHANNELS_HERE] = {0};
    for (uint64_t block = 0; block < BLOCKS; block++) {
        uint64_t address = block * p.block_bytes + block % 200;
        struct memory_place place = memory_place_of(&p, address), before = memory_place_of(&plain, address);
        assert_true(place.local == before.local && place.row == before.row && place.bank == before.bank);
        if (block % CHANNELS_HERE)
            assert_int_equal(place.channel, (memory_place_of(&p, address - p.block_bytes).channel + 1) % CHANNELS_HERE);
        assert_int_equal(of_round[place.channel]++, block / CHANNELS_HERE);
        met[memory_place_of(&p, block * STRIDE * p.block_bytes).channel]++;
    }
    for (unsigned i = 0; i < CHANNELS_HERE; i++)
        assert_true(met[i] >= BLOCKS / CHANNELS_HERE / 3);
}

/* With map hbm and hash_banks: 32 banks, of which those of a row have changed places. */
static void hbm_addresses(void **state)
{
    struct partition_params p = fixture_pascal().partition;
    p.address_map = MEMORY_MAP_HBM;
    p.hash_banks = true;
    struct request_map map = request_map_of(&p);
    uint32_t bank, row, moved = 0;
    for (uint64_t a = 0; a < 40000; a += 52) {
        uint64_t address = START + a * 1021;
        uint64_t rest = (address >> 8) / 11 << 8 | (address & 255);
        struct memory_place place = memory_place_of(&p, address);
        uint32_t plain = (uint32_t)((rest >> 7 & 1) | (rest >> 12 & 15) << 1);
        assert_int_equal(place.row, rest >> 16 & 0x1fff);
        assert_int_equal(place.bank, plain ^ ((place.row ^ place.row >> 5 ^ place.row >> 10) & 31));
        assert_int_equal(place.column, (rest >> 5 & 3) | (rest >> 8 & 15) << 2);
        assert_int_equal(address_of_local(&p, place.slice % 2, place.local), rest);
        address_of_request(&map, place.slice % 2, place.local, &bank, &row);
        assert_true(bank == place.bank && row == place.row);
        moved += bank != plain;
    }
    assert_true(moved > 0);
}

static void pascal_addresses(void **state)
{
    struct partition_params p = fixture_pascal().partition;
    struct request_map map = request_map_of(&p);
    uint32_t bank, row;
    for (uint64_t a = 0; a < 40000; a += 52) {
        uint64_t address = START + a * 1021;
        uint64_t rest = (address >> 8) / 11 << 8 | (address & 255);
        struct memory_place place = memory_place_of(&p, address);
        assert_int_equal(place.channel, (address >> 8) % 11);
        assert_int_equal(place.row, rest >> 15 & 0x1fff);
        assert_int_equal(place.bank, (rest >> 7 & 1) | (rest >> 12 & 7) << 1);
        assert_int_equal(place.column, (rest >> 5 & 3) | (rest >> 8 & 15) << 2);
        assert_int_equal(place.slice, 2 * place.channel + (rest >> 7 & 1));
        assert_int_equal(place.local, rest >> 8 << 7 | (rest & 127));
        assert_int_equal(address_of_local(&p, place.slice % 2, place.local), rest);
        address_of_request(&map, place.slice % 2, place.local, &bank, &row);
        assert_true(bank == place.bank && row == place.row);
    }
}

static void a_hit_takes_the_rop_latency_and_one_access(void **state)
{
    const uint32_t delays[] = {0, 1, 120, 121};
    for (unsigned i = 0; i < 4; i++) {
        struct memory_params params = fixture_params();
        struct side s;
        union message p;
        params.partition.rop_latency = delays[i];
        start(&s, &params);
        serve(&s, request(&p, PACKET_READ, START, 128));
        assert_int_equal(serve(&s, request(&p, PACKET_READ, START, 128)), delays[i] + 1);
        stop(&s);
    }
}

/* The ticks that 64 hits take by themselves, one after the other, and then a miss. */
static void times(uint64_t seed, uint32_t most, unsigned ticks[65])
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p;
    start(&s, &params);
    if (seed)
        partition_vary(s.partition, seed, most);
    serve(&s, request(&p, PACKET_READ, START, 128));
    for (unsigned i = 0; i < 64; i++)
        ticks[i] = serve(&s, request(&p, PACKET_READ, START, 128));
    ticks[64] = serve(&s, request(&p, PACKET_READ, START + 128, 128));
    stop(&s);
}

static void a_seed_lengthens_the_rop_latency(void **state)
{
    unsigned plain[65], none[65], first[65], again[65], other[65], least = UINT_MAX, most = 0, different = 0;
    times(0, 0, plain);
    times(1, 0, none);
    times(1, 9, first);
    times(1, 9, again);
    times(2, 9, other);
    assert_memory_equal(plain, none, sizeof plain);
    assert_memory_equal(first, again, sizeof first);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(plain[i], 121);
        least = first[i] < least ? first[i] : least;
        most = first[i] > most ? first[i] : most;
        different += first[i] != other[i];
    }
    assert_int_equal(least, 121);
    assert_int_equal(most, 121 + 9);
    assert_true(different > 40);
    assert_in_range(first[64], plain[64], plain[64] + 9 + 9);
}

/* Many atomics on one word, and more than the slice's queue holds, each in the cycle after the one before: however long
 * each has to wait, they are performed in the order in which they came, no two in one cycle. */
static void a_seed_keeps_requests_in_order(void **state)
{
    enum { COUNT = 200 };
    union message *p = base_calloc(COUNT, sizeof *p);
    struct memory_params params = fixture_params();
    unsigned k = memory_place_of(&params.partition, START).slice % 2, pushed = 0, popped = 0;
    struct side s;
    start(&s, &params);
    partition_vary(s.partition, 1, 1000);
    while (popped < COUNT) {
        if (pushed < COUNT && partition_can_push(s.partition, k)) {
            request(&p[pushed], PACKET_ATOMIC, START, 32);
            p[pushed].as_atomic.atomic = ISA_ATOMIC_ADD;
            p[pushed].as_atomic.type = ISA_U32;
            p[pushed].as_atomic.lane_count = 1;
            p[pushed].as_atomic.lanes[0].operand = 1;
            partition_push(s.partition, k, &p[pushed++].packet, s.cycle + 1);
        }
        tick(&s);
        struct packet *got = partition_pop(s.partition, k, s.cycle + 1);
        if (got) {
            assert_ptr_equal(got, &p[popped].packet);
            assert_int_equal(atomic_of(got)->lanes[0].operand, popped++);
        }
        assert_true(s.cycle < 100000);
    }
    stop(&s);
    free(p);
}

enum { HELD_COUNT = 300, HELD_SMS = 3, HELD_LINES = 4 };

/* Reduction number n, of the SMs in turn, on lines in turn: its first lane counts those of its SM on its line, its
 * second one all on its line. */
static struct packet *count_of_two(union message *m, unsigned n)
{
    unsigned sm = n % HELD_SMS, line = n / HELD_SMS % HELD_LINES;
    request(m, PACKET_ATOMIC, START + line % 2 * 128 + line / 2 * 4096 * CHANNELS, 32);
    m->packet.sm = (uint16_t)sm;
    m->as_atomic.atomic = ISA_ATOMIC_ADD;
    m->as_atomic.type = ISA_U32;
    m->as_atomic.no_return = true;
    m->as_atomic.lane_count = 2;
    m->as_atomic.lanes[0] = (struct packet_lane){.offset = (uint8_t)(4 * sm), .operand = 1};
    m->as_atomic.lanes[1] = (struct packet_lane){.offset = 4 * HELD_SMS, .operand = 1};
    return &m->packet;
}

/* Those of one SM on one line are performed as they came, others overtake each other, and none waits for longer than it
 * and those before it may be held. Returns how many have been overtaken. */
static unsigned count_with(uint32_t held)
{
    union message *p = base_calloc(HELD_COUNT, sizeof *p);
    struct memory_params params = fixture_params();
    unsigned k = memory_place_of(&params.partition, START).slice % 2, pushed = 0, popped = 0, overtaken = 0;
    struct side s;
    start(&s, &params);
    if (held)
        partition_oppose(s.partition, 6, held);
    while (popped < HELD_COUNT) {
        if (pushed < HELD_COUNT && partition_can_push(s.partition, k)) {
            partition_push(s.partition, k, count_of_two(&p[pushed], pushed), s.cycle + 1);
            pushed++;
        }
        tick(&s);
        struct packet *got = partition_pop(s.partition, k, s.cycle + 1);
        if (got) {
            unsigned n = (unsigned)((union message *)got - p), round = n / (HELD_SMS * HELD_LINES);
            assert_int_equal(atomic_of(got)->lanes[0].operand, round);
            overtaken += atomic_of(got)->lanes[1].operand != round * HELD_SMS + n % HELD_SMS;
            popped++;
        }
        assert_true(s.cycle < 121 + held + 2 * HELD_COUNT + LIMIT);
    }
    stop(&s);
    free(p);
    return overtaken;
}

static void an_adversary_keeps_only_the_order_of_a_line(void **state)
{
    assert_int_equal(count_with(0), 0);
    assert_true(count_with(500) > HELD_COUNT / 2);
}

static void a_miss_goes_to_the_dram_and_back(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p;
    start(&s, &params);
    /* 121 to the access, 1 to the DRAM's queue, 132 command cycles of fixed delay, 1 into the scheduler, activate 12,
     * two reads 3 apart, tCL 12, 1 to the L2's queue: 161 command cycles are 122 of the L2, then the fill, its waiter,
     * the reply. Clock edges add up to two cycles. */
    unsigned ticks = serve(&s, request(&p, PACKET_READ, START, 128));
    assert_in_range(ticks, 121 + 1 + 122 + 1, 121 + 1 + 122 + 4);
    /* The same row: the activation is saved. */
    unsigned again = serve(&s, request(&p, PACKET_READ, START + 128, 128));
    assert_in_range(ticks - again, 8, 11); /* 12 command cycles */
    assert_int_equal(partition_dram_stats(s.partition)->activates, 1);
    assert_int_equal(partition_dram_stats(s.partition)->reads, 4);
    stop(&s);
}

static void hits_wait_for_the_data_port(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p[4];
    unsigned got = 0;
    uint64_t at[4];
    start(&s, &params);
    serve(&s, request(&p[0], PACKET_READ, START, 128));
    for (unsigned i = 0; i < 4; i++)
        partition_push(s.partition, memory_place_of(&params.partition, START).slice % 2,
                       request(&p[i], PACKET_READ, START, i == 3 ? 32 : 128), s.cycle + 1);
    while (got < 4) {
        tick(&s);
        for (unsigned k = 0; k < 2; k++)
            if (partition_pop(s.partition, k, s.cycle + 1))
                at[got++] = s.cycle;
    }
    assert_int_equal(at[1] - at[0], 4); /* 128 bytes through 32 */
    assert_int_equal(at[2] - at[1], 4);
    assert_int_equal(at[3] - at[2], 4);
    stop(&s);
}

/* 3.2.2: a store that misses goes down to the DRAM, its line is fetched as well, and it is acknowledged when written.
 */
static void a_store_that_misses_is_acknowledged_by_the_dram(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p;
    start(&s, &params);
    request(&p, PACKET_WRITE, START, 32);
    p.as_write.mask[0] = 0xffffffff;
    memset(p.as_read.data, 0x5a, 32);
    assert_true(serve(&s, &p.packet) > 121 + 100);
    assert_int_equal(store_at(&s.store, START)[31], 0x5a);
    assert_int_equal(store_at(&s.store, START)[32], 0);
    for (unsigned i = 0; i < 300; i++)
        tick(&s);
    assert_true(partition_idle(s.partition));
    assert_int_equal(partition_dram_stats(s.partition)->writes, 1);
    assert_int_equal(partition_dram_stats(s.partition)->allocate_reads, 2);
    p.packet.is_reply = false;
    assert_int_equal(serve(&s, &p.packet), 121); /* the line is there now */
    stop(&s);
}

/* 4.0: a store takes a sector without fetching; only a read of a part of it does. */
static void a_lazy_store_is_acknowledged_at_once(void **state)
{
    struct memory_params params = fixture_sm2();
    struct side s;
    union message p;
    start(&s, &params);
    request(&p, PACKET_WRITE, START, 32);
    p.as_write.mask[0] = 0xff;
    assert_int_equal(serve(&s, &p.packet), 121);
    for (unsigned i = 0; i < 300; i++)
        tick(&s);
    assert_int_equal(partition_dram_stats(s.partition)->requests, 0);
    assert_true(serve(&s, request(&p, PACKET_READ, START, 32)) > 200);
    assert_int_equal(partition_dram_stats(s.partition)->reads, 1);
    stop(&s);
}

static void sectors_are_served_one_by_one(void **state)
{
    struct memory_params params = fixture_sm2();
    struct side s;
    union message p;
    start(&s, &params);
    for (unsigned i = 0; i < 128; i++)
        store_at(&s.store, START)[i] = (uint8_t)(i + 1);
    serve(&s, request(&p, PACKET_READ, START + 32, 32));
    assert_int_equal(p.as_read.data[32], 33);
    assert_int_equal(p.as_read.data[0], 0);
    assert_int_equal(partition_dram_stats(s.partition)->reads, 1);
    serve(&s, request(&p, PACKET_READ, START, 128));
    assert_int_equal(p.as_read.data[0], 1);
    assert_int_equal(p.as_read.data[127], 128);
    assert_int_equal(partition_dram_stats(s.partition)->reads, 4);
    assert_int_equal(serve(&s, request(&p, PACKET_READ, START, 128)), 121 + 3);
    stop(&s);
}

/* Each sector has a message of its own; the last carries the packet. */
static void sectors_are_answered_one_by_one(void **state)
{
    const struct {
        enum packet_kind kind;
        uint32_t message, ticks;
    } cases[] = {{PACKET_READ, 40, 121}, {PACKET_WRITE, 8, 121}};
    for (unsigned i = 0; i < 2; i++) {
        struct memory_params params = fixture_sm2();
        struct side s;
        union message p;
        unsigned got = 0;
        uint64_t at[4], block = START;
        start(&s, &params);
        while (memory_place_of(&params.partition, block).channel != 0)
            block += 256;
        unsigned k = memory_place_of(&params.partition, block).slice % 2;
        partition_host_copy(s.partition, block, 128);
        request(&p, cases[i].kind, block, 128)->sm = 11;
        partition_push(s.partition, k, &p.packet, s.cycle + 1);
        for (unsigned n = 0; n < 200; n++) {
            tick(&s);
            const struct partition_reply *reply = partition_reply(s.partition, k, s.cycle + 1);
            if (!reply)
                continue;
            assert_ptr_equal(reply->packet, got == 3 ? &p.packet : NULL);
            assert_int_equal(reply->bytes, cases[i].message);
            assert_int_equal(reply->sm, 11);
            partition_take_reply(partition_out_of(s.partition, k));
            at[got++] = s.cycle;
        }
        assert_int_equal(got, 4);
        assert_int_equal(at[0], 1 + cases[i].ticks);
        assert_int_equal(at[3], at[0] + 3);
        assert_true(partition_idle(s.partition));
        stop(&s);
    }
}

static void host_copies_warm_the_l2(void **state)
{
    struct memory_params params = fixture_sm2();
    struct side s;
    union message p;
    start(&s, &params);
    uint64_t block = START;
    while (memory_place_of(&params.partition, block).channel != 0)
        block += 256;
    partition_host_copy(s.partition, START, 256 * CHANNELS * 3);
    assert_int_equal(serve(&s, request(&p, PACKET_READ, block, 32)), 121);
    assert_int_equal(serve(&s, request(&p, PACKET_READ, block + 256 * CHANNELS * 2 + 224, 32)), 121);
    assert_true(serve(&s, request(&p, PACKET_READ, block + 256 * CHANNELS * 3, 32)) > 121);
    partition_invalidate(s.partition);
    assert_true(serve(&s, request(&p, PACKET_READ, block, 32)) > 121);
    stop(&s);
}

/* A copy of more than the L2 leaves the same lines there, and gives them up in the same order, as its pieces do. */
static void a_long_host_copy_leaves_what_its_pieces_leave(void **state)
{
    enum { LINES = 5 * 8 * 2 * CHANNELS, BYTES = LINES * 128 };
    struct memory_params params = fixture_sm2();
    struct side whole, pieces;
    params.l2.sets = 2;
    start(&whole, &params);
    start(&pieces, &params);
    for (unsigned old = 0; old < 3; old++) { /* lines of an earlier copy stand in front of it, inside it, behind it */
        partition_host_copy(whole.partition, START + old * (BYTES - 512), 1024);
        partition_host_copy(pieces.partition, START + old * (BYTES - 512), 1024);
    }
    partition_host_copy(whole.partition, START + 4096 + 32, BYTES - 8192);
    for (unsigned at = 32; at < BYTES - 8192 + 32; at += 32)
        partition_host_copy(pieces.partition, START + 4096 + at, 32);
    for (uint64_t at = START + BYTES - 4096 + 32; at > START;) { /* last copied first: the reads evict, too */
        union message p, q;
        at -= 32;
        if (memory_place_of(&params.partition, at).channel != 0)
            continue;
        assert_int_equal(serve(&whole, request(&p, PACKET_READ, at, 32)),
                         serve(&pieces, request(&q, PACKET_READ, at, 32)));
    }
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(partition_l2_stats(whole.partition, k)->read_hits,
                         partition_l2_stats(pieces.partition, k)->read_hits);
        assert_true(partition_l2_stats(whole.partition, k)->read_hits > 2 * 8 * 3);
    }
    stop(&whole);
    stop(&pieces);
}

static void atomics_go_lane_by_lane(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p;
    start(&s, &params);
    store_at(&s.store, START)[8] = 10;
    request(&p, PACKET_ATOMIC, START, 32);
    p.as_atomic.atomic = ISA_ATOMIC_ADD;
    p.as_atomic.type = ISA_U32;
    p.as_atomic.lane_count = 3;
    for (unsigned i = 0; i < 3; i++)
        p.as_atomic.lanes[i] = (struct packet_lane){.lane = (uint8_t)i, .offset = i == 2 ? 4 : 8, .operand = i + 1};
    serve(&s, &p.packet);
    assert_int_equal(p.as_atomic.lanes[0].operand, 10);
    assert_int_equal(p.as_atomic.lanes[1].operand, 11);
    assert_int_equal(p.as_atomic.lanes[2].operand, 0);
    assert_int_equal(store_at(&s.store, START)[8], 13);
    assert_int_equal(store_at(&s.store, START)[4], 3);
    stop(&s);
}

static void packets_without_values_leave_memory_alone(void **state)
{
    struct memory_params params = fixture_params();
    struct side s;
    union message p;
    start(&s, &params);
    store_at(&s.store, START)[0] = 9;
    request(&p, PACKET_READ, START, 128)->space = PACKET_INSTRUCTION;
    serve(&s, &p.packet);
    assert_int_equal(p.as_read.data[0], 0);
    request(&p, PACKET_WRITE, START, 128)->space = PACKET_LOCAL;
    serve(&s, &p.packet);
    assert_int_equal(store_at(&s.store, START)[0], 9);
    uint64_t far = START + STORE_BYTES; /* an address that only the timing knows */
    while (memory_place_of(&params.partition, far).channel != 0)
        far += 256;
    serve(&s, request(&p, PACKET_READ, far, 128));
    stop(&s);
}

/* Nobody takes replies: requests pile up until the slice refuses, and all are answered when they are taken. */
static void a_slice_that_is_not_emptied_refuses(void **state)
{
    enum { MANY = 200 };
    for (unsigned sm2 = 0; sm2 < 2; sm2++) {
        struct memory_params params = sm2 ? fixture_sm2() : fixture_params();
        union message *p = base_calloc(MANY, sizeof(*p));
        struct side s;
        unsigned pushed = 0, popped = 0, k = memory_place_of(&params.partition, START).slice % 2;
        params.partition.rop_latency = 0;
        params.partition.icnt_l2_queue = 8;
        params.partition.l2_icnt_queue = 8;
        start(&s, &params);
        for (unsigned n = 0; n < 2000; n++) {
            if (partition_can_push(s.partition, k))
                partition_push(s.partition, k, request(&p[pushed++], PACKET_READ, START, sm2 ? 128 : 32), s.cycle + 1);
            tick(&s);
        }
        /* 8 replies and 8 requests; with sectors the delay takes packets faster than it gives their sectors away, until
         * 4 more have no room. */
        if (sm2)
            assert_in_range(pushed, 8 + 2, 40);
        else
            assert_int_equal(pushed, 8 + 8);
        while (popped < pushed) {
            tick(&s);
            popped += partition_pop(s.partition, k, s.cycle + 1) != NULL;
            assert_true(s.cycle < 10000);
        }
        assert_true(partition_idle(s.partition));
        stop(&s);
        free(p);
    }
}

/* Random traffic. Three partitions get the same pushes and lose the same replies; one is ticked always, one when it
 * asks, one runs ahead. Memory is checked against a model that performs requests in the order in which a slice gets
 * them (the network keeps that order, and a slice must). */
enum { PACKETS = 600, BLOCKS = 300, SENT = SANITIZED ? 4000 : 20000 };
enum { EVERY, LAZY, AHEAD, SIDES };

struct traffic {
    union message packets[SIDES][PACKETS];
    uint8_t expected[PACKETS][128];
    uint32_t old[PACKETS];
    bool used[PACKETS];
    uint8_t model[BLOCKS * 256];
    uint64_t blocks[BLOCKS];
    unsigned pushed, popped;
};

static unsigned fill_request(struct traffic *t, unsigned i, uint64_t *seed, const struct partition_params *params)
{
    unsigned block = fixture_random(seed) % BLOCKS, choice = fixture_random(seed) % 8;
    uint32_t bytes = 32u << fixture_random(seed) % 3;
    uint64_t offset = fixture_random(seed) % (256 / bytes) * bytes;
    uint8_t *model = t->model + block * 256 + offset;
    struct packet *p = request(&t->packets[EVERY][i],
                               choice < 4   ? PACKET_READ
                               : choice < 7 ? PACKET_WRITE
                                            : PACKET_ATOMIC,
                               t->blocks[block] + offset, bytes);
    uint32_t first = (uint32_t)(p->address & 127);
    access_of(p)->waiter = i;
    if (p->kind == PACKET_WRITE) {
        uint64_t *mask = packet_mask(p);
        mask[0] = (uint64_t)fixture_random(seed) << 32 | fixture_random(seed);
        mask[1] = (uint64_t)fixture_random(seed) << 32 | fixture_random(seed);
        for (unsigned b = 0; b < bytes; b++) {
            packet_data(p)[first + b] = (uint8_t)fixture_random(seed);
            if (mask[(first + b) / 64] >> (first + b) % 64 & 1)
                model[b] = packet_data(p)[first + b];
        }
    } else if (p->kind == PACKET_ATOMIC) {
        uint32_t at = fixture_random(seed) % (bytes / 4) * 4, value;
        memcpy(&value, model + at, 4);
        struct message_atomic *m = atomic_of(p);
        m->atomic = ISA_ATOMIC_ADD;
        m->type = ISA_U32;
        m->lane_count = 1;
        m->lanes[0] = (struct packet_lane){.offset = (uint8_t)(first + at), .operand = fixture_random(seed)};
        t->old[i] = value;
        value += (uint32_t)m->lanes[0].operand;
        memcpy(model + at, &value, 4);
    } else {
        memcpy(t->expected[i] + first, model, bytes);
    }
    t->packets[LAZY][i] = t->packets[AHEAD][i] = t->packets[EVERY][i];
    return memory_place_of(params, p->address).slice % 2;
}

static void check_reply(struct traffic *t, const struct packet *p)
{
    uint32_t first = (uint32_t)(p->address & 127);
    assert_true(t->used[access_of(p)->waiter]);
    assert_true(p->is_reply);
    if (p->kind == PACKET_READ)
        assert_memory_equal(packet_data(p) + first, t->expected[access_of(p)->waiter] + first, p->bytes);
    if (p->kind == PACKET_ATOMIC)
        assert_int_equal(atomic_of(p)->lanes[0].operand, t->old[access_of(p)->waiter]);
}

static void start_traffic(struct traffic *t, struct side sides[SIDES], const struct memory_params *params,
                          uint32_t most, uint32_t held)
{
    for (unsigned n = 0; n < SIDES; n++) {
        start(&sides[n], params);
        if (most)
            partition_vary(sides[n].partition, 5, most);
        if (held)
            partition_oppose(sides[n].partition, 6, held);
    }
    sides[LAZY].lazy = true;
    partition_start(sides[AHEAD].partition, &(struct sim_clock){.mhz = 33, .core_mhz = 25});
    for (unsigned i = 0, n = 0; i < BLOCKS; n++)
        if (memory_place_of(&params->partition, START + n * 256).channel == 0)
            t->blocks[i++] = START + n * 256;
}

/* The clocks of the side that runs ahead count from 0, those of the others from 1. */
static void run_ahead(struct side *s, const struct memory_params *params, uint64_t *seed)
{
    uint64_t now = s->cycle++, ahead = fixture_random(seed) % (params->partition.rop_latency + 1);
    bool needed = partition_next(s->partition) <= now, early = fixture_random(seed) % 4 == 0;
    assert_true(partition_next(s->partition) >= partition_done(s->partition));
    if (!needed && (!early || partition_done(s->partition) > now))
        return;
    partition_run(s->partition, now, now + ahead, false);
    fixture_check_partition(s->partition, now);
    assert_true(partition_done(s->partition) <= now + 1 + ahead);
    assert_true(partition_done(s->partition) > now || !needed);
    s->ticks += needed;
}

static void push_request(struct traffic *t, struct side sides[SIDES], uint64_t *seed,
                         const struct memory_params *params)
{
    unsigned i = t->pushed % PACKETS, k;
    if (partition_accepting(sides[EVERY].partition) != 3)
        return;
    k = fill_request(t, i, seed, &params->partition);
    t->used[i] = true;
    t->pushed++;
    for (unsigned n = 0; n < SIDES; n++)
        partition_push(sides[n].partition, k, &t->packets[n][i].packet, sides[n].cycle + (n != AHEAD));
}

/* A reply of one is a reply of all. */
static void take_reply(struct traffic *t, struct side sides[SIDES], unsigned k, uint64_t *seed)
{
    const struct partition_reply *reply[SIDES];
    for (unsigned n = 0; n < SIDES; n++) {
        reply[n] = partition_reply(sides[n].partition, k, sides[n].cycle + (n != AHEAD));
        assert_int_equal(reply[n] != NULL, reply[0] != NULL);
    }
    if (!reply[0] || fixture_random(seed) % 4 == 0)
        return;
    const struct packet *first = reply[0]->packet;
    for (unsigned n = 0; n < SIDES; n++) {
        const struct packet *p = reply[n]->packet;
        assert_int_equal(reply[n]->bytes, reply[0]->bytes);
        assert_int_equal(p ? (int)access_of(p)->waiter : -1, first ? (int)access_of(first)->waiter : -1);
        partition_take_reply(partition_out_of(sides[n].partition, k));
        if (p)
            check_reply(t, p);
    }
    if (first) {
        t->used[access_of(first)->waiter] = false;
        t->popped++;
    }
}

static void check_end(const struct traffic *t, const struct side sides[SIDES])
{
    for (unsigned n = 0; n < SIDES; n++) {
        struct partition *p = sides[n].partition, *every = sides[EVERY].partition;
        assert_true(partition_idle(p));
        assert_int_equal(partition_next_l2(p), CYCLE_NEVER);
        assert_int_equal(partition_next_dram(p), CYCLE_NEVER);
        for (unsigned i = 0; i < BLOCKS; i++)
            assert_memory_equal(store_at(&sides[n].store, t->blocks[i]), t->model + i * 256, 256);
        assert_memory_equal(partition_dram_stats(p), partition_dram_stats(every), sizeof(struct dram_stats));
        for (unsigned k = 0; k < 2; k++)
            assert_memory_equal(partition_l2_stats(p, k), partition_l2_stats(every, k), sizeof(struct cache_stats));
    }
    assert_true(sides[LAZY].ticks < sides[EVERY].ticks * 9 / 10);
    assert_true(sides[AHEAD].ticks < sides[LAZY].ticks);
    assert_true(partition_l2_stats(sides[EVERY].partition, 0)->writebacks > 0);
}

/* most: the cycles by which requests are delayed at random. held: those for which an adversary holds them. */
static void run_traffic(const struct memory_params *params, uint64_t seed, uint32_t most, uint32_t held)
{
    struct traffic *t = base_calloc(1, sizeof(*t));
    struct side sides[SIDES];
    uint64_t idle = 0;
    start_traffic(t, sides, params, most, held);
    for (uint64_t cycle = 0; idle == 0 || cycle < idle + 2000; cycle++) {
        bool burst = cycle % 9000 < 5000;
        assert_int_equal(partition_takes(sides[AHEAD].partition, cycle), partition_accepting(sides[EVERY].partition));
        if (t->pushed < SENT && !t->used[t->pushed % PACKETS] && fixture_random(&seed) % (burst ? 2 : 200) == 0)
            push_request(t, sides, &seed, params);
        tick(&sides[EVERY]);
        tick(&sides[LAZY]);
        run_ahead(&sides[AHEAD], params, &seed);
        for (unsigned k = 0; k < 2; k++)
            take_reply(t, sides, k, &seed);
        if (t->popped == SENT && idle == 0 && partition_idle(sides[EVERY].partition)) {
            idle = cycle;
            assert_true(partition_idle(sides[AHEAD].partition));
            assert_in_range(partition_idle_from(sides[AHEAD].partition), 1, cycle);
        }
        assert_true(cycle < 4000000);
    }
    check_end(t, sides);
    for (unsigned n = 0; n < SIDES; n++)
        stop(&sides[n]);
    free(t);
}

static void random_traffic_keeps_order_values_and_cycles(void **state)
{
    struct memory_params params = fixture_params();
    params.l2.sets = 8; /* small, so that lines are evicted */
    run_traffic(&params, 1, 0, 0);
    run_traffic(&params, 1, 4, 0);
    run_traffic(&params, 1, 0, 50);
    params = fixture_sm2();
    params.l2.sets = 8;
    run_traffic(&params, 2, 0, 0);
    run_traffic(&params, 2, 300, 0);
    run_traffic(&params, 2, 3, 1000);
    params = fixture_params();
    params.l2.sets = 4;
    params.partition.icnt_l2_queue = params.partition.l2_dram_queue = params.partition.dram_l2_queue =
        params.partition.l2_icnt_queue = 1;
    params.l2.miss_queue = 3;
    params.l2.mshr_entries = 2;
    params.dram.return_queue = 2;
    params.dram.scheduler_queue = 1;
    run_traffic(&params, 3, 0, 0);
    run_traffic(&params, 3, 30, 0);
    run_traffic(&params, 3, 0, 90);
    params = fixture_pascal();
    params.l2.sets = 4;
    run_traffic(&params, 4, 0, 0);
    run_traffic(&params, 4, 7, 0);
    run_traffic(&params, 4, 0, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_cut_as_gpgpu_sim_does),
        cmocka_unit_test(blocks_of_any_size),
        cmocka_unit_test(pascal_addresses), cmocka_unit_test(hbm_addresses), cmocka_unit_test(rounds_begin_anywhere),
        cmocka_unit_test(a_hit_takes_the_rop_latency_and_one_access),
        cmocka_unit_test(a_seed_lengthens_the_rop_latency),
        cmocka_unit_test(a_seed_keeps_requests_in_order),
        cmocka_unit_test(an_adversary_keeps_only_the_order_of_a_line),
        cmocka_unit_test(a_miss_goes_to_the_dram_and_back),
        cmocka_unit_test(hits_wait_for_the_data_port),
        cmocka_unit_test(a_store_that_misses_is_acknowledged_by_the_dram),
        cmocka_unit_test(a_lazy_store_is_acknowledged_at_once),
        cmocka_unit_test(sectors_are_served_one_by_one),
        cmocka_unit_test(sectors_are_answered_one_by_one),
        cmocka_unit_test(host_copies_warm_the_l2),
        cmocka_unit_test(a_long_host_copy_leaves_what_its_pieces_leave),
        cmocka_unit_test(atomics_go_lane_by_lane),
        cmocka_unit_test(packets_without_values_leave_memory_alone),
        cmocka_unit_test(a_slice_that_is_not_emptied_refuses),
        cmocka_unit_test(random_traffic_keeps_order_values_and_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
