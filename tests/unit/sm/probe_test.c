/* A protocol of the test's own, in which a slice probes: a store is accepted when every L1 but the writer's has given
 * its line up, so no load that is issued after the store's acknowledgement has an older value. Some L1s and a slice
 * work through four virtual networks, with all queues as small as they can be: nothing may be lost, and nobody may wait
 * for ever. */
#include "unit/memory/memory_fixture.h"

#include "memory/l1.h"
#include "network/network.h"

#define START UINT64_C(0x80000000)
#define STORE_BYTES (1 << 20)
#define L1S 3
#define LINES 4 /* fewer than one L1 has, and more than fit its few sets */
#define CYCLES 60000
#define PATIENCE 5000 /* cycles in which every L1 ends an access */

enum { I = CACHE_ABSENT, P = CACHE_COMING, V = CACHE_THERE, D = CACHE_WRITTEN, ANY = COHERENCE_ANY };

static const struct coherence_row l1_rows[] = {
    {I, L1_LOAD_EVENT, P, COHERENCE_DO(L1_FETCH)},
    {P, L1_LOAD_EVENT, P, COHERENCE_DO(L1_JOIN)},
    {V, L1_LOAD_EVENT, V, COHERENCE_DO(L1_SERVE)},
    {D, L1_LOAD_EVENT, D, COHERENCE_DO(L1_SERVE)},
    {ANY, L1_STORE_EVENT, I, COHERENCE_DO(L1_SEND)},
    {ANY, L1_PROBE_EVENT, I, COHERENCE_DO(L1_ACKNOWLEDGE)},
    {ANY, L1_FILL_EVENT, ANY, COHERENCE_DO(L1_INSTALL, L1_WAKE)},
};

static const struct coherence_row l2_rows[] = {
    {I, L2_READ_EVENT, P, COHERENCE_DO(L2_FETCH, L2_READ)},
    {P, L2_READ_EVENT, P, COHERENCE_DO(L2_JOIN, L2_READ)},
    {V, L2_READ_EVENT, V, COHERENCE_DO(L2_TOUCH, L2_READ, L2_ANSWER)},
    {D, L2_READ_EVENT, D, COHERENCE_DO(L2_TOUCH, L2_READ, L2_ANSWER)},
    {ANY, L2_STORE_LAZY_EVENT, ANY, COHERENCE_DO(L2_PROBE, L2_KEEP, L2_MERGE, L2_ANSWER)},
    {ANY, L2_FILL_EVENT, ANY, COHERENCE_DO(L2_INSTALL)},
    {ANY, L2_READ_WOKEN_EVENT, ANY, COHERENCE_DO(L2_ANSWER)},
};

static const struct coherence_table l2_table = {l2_rows, sizeof l2_rows / sizeof l2_rows[0]};
static const struct coherence_protocol probing = {
    .name = "probing", .probes = true, .l1 = {l1_rows, sizeof l1_rows / sizeof l1_rows[0]}, .l2 = &l2_table};

/* What one L1's only thread does: one access after the other. */
struct thread {
    struct packet_pool packets;
    struct l1 l1;
    bool busy, load;
    uint32_t line, least; /* the version that a load must see at least */
    uint64_t since, ended;
};

struct machine {
    struct arena arena;
    struct store store;
    struct partition *partition;
    struct network *nets[MESSAGE_NETWORKS];
    struct thread threads[L1S];
    uint32_t sent[LINES], acknowledged[LINES]; /* versions: each line has one writer, which counts */
    uint64_t cycle, random, probes;
};

static uint32_t draw(struct machine *m, uint32_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % below;
}

static uint64_t address_of(uint32_t line)
{
    return START + line * (uint64_t)PACKET_LINE_BYTES;
}

static void start(struct machine *m, uint64_t seed)
{
    static const struct network_params least = {.flit_bytes = 32,
                                                .injection_flits = 1,
                                                .router_flits = 1,
                                                .ejection_flits = 1,
                                                .boundary_flits = 1,
                                                .internal_speedup = 1};
    static struct memory_params params;
    static const struct cache_params cache = {.sets = 2,
                                              .ways = 1,
                                              .line_bytes = 128,
                                              .sector_bytes = 128,
                                              .mshr_entries = 1,
                                              .mshr_merges = 1,
                                              .miss_room = 1};
    memset(m, 0, sizeof *m);
    m->random = seed;
    params = fixture_params();
    params.protocol = &probing;
    params.partition.channels = params.partition.slices_per_channel = 1;
    params.partition.icnt_l2_queue = params.partition.l2_dram_queue = params.partition.dram_l2_queue = 1;
    params.partition.l2_icnt_queue = 1;
    params.partition.rop_latency = 3;
    params.partition.dram_latency = 2;
    params.l2.sets = params.l2.ways = 1;
    params.l2.mshr_entries = params.l2.mshr_merges = 1;
    params.l2.miss_queue = params.l2.miss_room = 2;
    params.l2.write_allocate = CACHE_WRITE_ALLOCATE_LAZY;
    assert_int_equal(store_init(&m->store, START, STORE_BYTES, NULL), 0);
    m->partition = partition_create(&params, 0, &m->store, &m->arena);
    partition_open_probes(m->partition, L1S);
    for (unsigned i = 0; i < MESSAGE_NETWORKS; i++) {
        bool to_slice = i == MESSAGE_REQUESTS || i == MESSAGE_ACKNOWLEDGEMENTS;
        m->nets[i] = network_create(&least, to_slice ? L1S : 1, to_slice ? 1 : L1S, &m->arena);
    }
    for (unsigned i = 0; i < L1S; i++) {
        struct thread *t = &m->threads[i];
        t->packets = (struct packet_pool){.sm = (uint16_t)i, .arena = &m->arena};
        l1_init(&t->l1,
                &(struct l1_setup){.protocol = &probing,
                                   .cache = &cache,
                                   .packets = &t->packets,
                                   .requests = 1,
                                   .answers = 1,
                                   .in_order = true},
                &m->arena);
    }
}

static void stop(struct machine *m)
{
    partition_destroy(m->partition);
    store_free_all(&m->store);
    arena_free(&m->arena);
}

/* The first packet of a ring goes into its network, if that has room. */
static void send(struct machine *m, struct packet_ring *ring, unsigned input, unsigned output)
{
    struct packet *p = packet_ring_peek(ring);
    struct network *net = p ? m->nets[message_network_of(p->kind, p->is_reply)] : NULL;
    if (!p || !network_can_send(net, input, packet_network_bytes(p)))
        return;
    network_send(net, input, output, packet_network_bytes(p), packet_ring_pop(ring), m->cycle);
}

/* Threads */

static void end_access(struct machine *m, struct thread *t)
{
    t->busy = false;
    t->since = m->cycle;
    t->ended++;
}

static void end_load(struct machine *m, struct thread *t, const uint8_t *values)
{
    uint32_t version;
    memcpy(&version, values, sizeof version);
    assert_in_range(version, t->least, m->sent[t->line]);
    end_access(m, t);
}

static void try_load(struct machine *m, struct thread *t, uint32_t line)
{
    struct l1_access a = {.address = address_of(line), .bytes = 32, .event = L1_LOAD_EVENT};
    t->line = line;
    t->least = m->acknowledged[line];
    enum l1_served served = l1_access(&t->l1, &a);
    t->busy = t->load = served != L1_REFUSED;
    if (served == L1_SERVED)
        end_load(m, t, a.values);
}

static void try_store(struct machine *m, struct thread *t, uint32_t line)
{
    struct l1_access a = {.address = address_of(line), .bytes = 32, .event = L1_STORE_EVENT};
    if (l1_access(&t->l1, &a) == L1_REFUSED)
        return;
    uint32_t version = ++m->sent[line];
    memcpy(packet_data(a.request), &version, sizeof version);
    packet_mask(a.request)[0] = mask_low(sizeof version);
    t->busy = true;
    t->load = false;
    t->line = line;
}

/* Takes what has come, and begins another access when the last one has ended. */
static void step_thread(struct machine *m, unsigned i)
{
    struct thread *t = &m->threads[i];
    const uint8_t *values;
    struct packet *p = network_peek(m->nets[MESSAGE_PROBES], i);
    if (p && l1_probe(&t->l1, p)) {
        network_receive(m->nets[MESSAGE_PROBES], i);
        m->probes++;
    }
    if ((p = network_receive(m->nets[MESSAGE_REPLIES], i))) {
        if (l1_arrival_of(&t->l1, p) == L1_FILLED) {
            l1_fill(&t->l1, p);
        } else {
            assert_int_equal(l1_arrival_of(&t->l1, p), L1_ACKNOWLEDGED);
            m->acknowledged[t->line]++;
            end_access(m, t);
        }
        packet_free(&t->packets, p);
    }
    if (l1_has_ready(&t->l1)) {
        l1_ready(&t->l1, &values);
        end_load(m, t, values);
    }
    uint32_t line = draw(m, LINES);
    if (!t->busy && m->cycle < CYCLES) {
        if (line % L1S == i && draw(m, 2))
            try_store(m, t, line);
        else
            try_load(m, t, line);
    }
    send(m, &t->l1.requests, i, 0);
    send(m, &t->l1.answers, i, 0);
}

/* Replies and probes leave in the order in which the slice has sent them, each through its network. */
static void send_of_slice(struct machine *m)
{
    const struct packet *p = partition_peek(m->partition, 0, m->cycle);
    struct network *net = p ? m->nets[message_network_of(p->kind, p->is_reply)] : NULL;
    if (p && network_can_send(net, 0, packet_network_bytes(p)))
        network_send(net, 0, p->sm, packet_network_bytes(p), partition_pop(m->partition, 0, m->cycle), m->cycle);
}

static void step_slice(struct machine *m)
{
    struct packet *p;
    if ((p = network_receive(m->nets[MESSAGE_ACKNOWLEDGEMENTS], 0)))
        partition_push(m->partition, 0, p, m->cycle);
    if (partition_can_push(m->partition, 0) && (p = network_receive(m->nets[MESSAGE_REQUESTS], 0)))
        partition_push(m->partition, 0, p, m->cycle);
    send_of_slice(m);
    partition_tick_dram(m->partition, m->cycle, m->cycle);
    partition_tick_l2(m->partition, m->cycle);
}

static void step(struct machine *m)
{
    m->cycle++;
    for (unsigned i = 0; i < L1S; i++) {
        step_thread(m, i);
        if (m->cycle - m->threads[i].since > PATIENCE)
            fail_msg("L1 %u has ended no access since cycle %llu", i, (unsigned long long)m->threads[i].since);
    }
    step_slice(m);
    for (unsigned i = 0; i < MESSAGE_NETWORKS; i++)
        network_tick(m->nets[i], m->cycle);
}

static void no_load_is_older_than_an_acknowledged_store(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct machine m;
        start(&m, seed);
        while (m.cycle < CYCLES)
            step(&m);
        bool busy = true;
        for (unsigned n = 0; busy && n < PATIENCE; n++) {
            step(&m);
            busy = !partition_idle(m.partition);
            for (unsigned i = 0; i < L1S; i++)
                busy |= m.threads[i].busy;
        }
        assert_false(busy);
        for (unsigned i = 0; i < L1S; i++) {
            assert_int_equal(m.threads[i].packets.out, 0);
            assert_in_range(m.threads[i].ended, CYCLES / PATIENCE, CYCLES);
        }
        assert_memory_equal(m.sent, m.acknowledged, sizeof m.sent);
        uint64_t stores = 0;
        for (unsigned i = 0; i < LINES; i++)
            stores += m.sent[i];
        assert_int_equal(m.probes, stores * (L1S - 1));
        stop(&m);
    }
}

/* Messages, by their table. */
static void requests_and_replies_differ(void **state)
{
    for (unsigned kind = 0; kind < PACKET_KINDS; kind++) {
        assert_int_not_equal(message_network_of(kind, false), message_network_of(kind, true));
        assert_int_equal(message_network_bytes(kind, false, 32) % 32, MESSAGE_HEADER_BYTES);
    }
    assert_int_equal(message_network_bytes(PACKET_READ, false, 32), 8);
    assert_int_equal(message_network_bytes(PACKET_READ, true, 32), 40);
    assert_int_equal(message_network_bytes(PACKET_WRITE, true, 32), 8);
    assert_int_equal(message_sender_of(PACKET_PROBE), MESSAGE_OF_SLICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_load_is_older_than_an_acknowledged_store),
        cmocka_unit_test(requests_and_replies_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
