/* An agent (memory/agent.h) by its doors, one step after the other: which bytes of a line are valid and which are its
 * to write, what waits for what, and in which order it goes on. The protocols' tester and checker see an error there
 * when a program reads a wrong value; here it is the step that is wrong. */
#include "agent_bench.h"

#include "isa/mod_values.h"
#include "isa/op.h"

/* Accesses, each of words of four bytes */

static bool can_store(struct agent_bench *b, uint64_t address)
{
    return agent_can_take(&b->agent, address, 4, AGENT_STORE_EVENT);
}

/* Adds to the word, and to so many behind it. */
static struct packet *add(struct agent_bench *b, uint64_t address, unsigned event, unsigned words)
{
    struct packet *p = bench_access(b, PACKET_ATOMIC, address);
    p->bytes = 4 * words;
    struct message_atomic *m = atomic_of(p);
    m->atomic = ISA_ATOMIC_ADD;
    m->type = ISA_U32;
    for (unsigned i = 0; i < words; i++)
        m->lanes[m->lane_count++] =
            (struct packet_lane){.lane = (uint8_t)i, .offset = (uint8_t)(address % BENCH_LINE + 4 * i), .operand = 1};
    bench_take(b, p, event);
    return p;
}

static void begin_load(struct agent_bench *b, uint64_t address, uint32_t bytes)
{
    const uint8_t *values;
    assert_int_equal(bench_load(b, address, bytes, &values), AGENT_WAITING);
}

/* The line has the word, of that value. */
static void expect_word(struct agent_bench *b, uint64_t address, uint32_t value)
{
    const uint8_t *values;
    uint32_t word;
    assert_int_equal(bench_load(b, address, 4, &values), AGENT_SERVED);
    memcpy(&word, values + address % BENCH_LINE, sizeof word);
    assert_int_equal(word, value);
}

static bool is_done(const struct agent_bench *b, const struct packet *access)
{
    for (const struct packet *p = b->agent.done.first; p; p = p->next)
        if (p == access)
            return true;
    return false;
}

/* Messages */

static void expect_quiet(const struct agent_bench *b)
{
    assert_int_equal(b->requests.count, 0);
}

/* The next entry of the store queue is sent. */
static struct packet *drained(struct agent_bench *b)
{
    assert_true(agent_drains(&b->agent));
    agent_drain(&b->agent);
    bench_check(b);
    return bench_sent(b, PACKET_WRITE);
}

/* The registration that was asked for comes, with its number. */
static void grant(struct agent_bench *b, uint16_t number)
{
    struct packet *p = bench_sent(b, PACKET_REGISTER);
    register_of(p)->grant = number;
    bench_reply(b, p, BENCH_MEMORY);
}

static struct packet *probe(struct agent_bench *b, unsigned kind, uint64_t address)
{
    struct packet *p = packet_new(&b->slice, kind);
    p->space = PACKET_GLOBAL;
    p->address = address;
    p->bytes = BENCH_LINE;
    agent_probe(&b->agent, p);
    bench_check(b);
    return p;
}

/* Another L1's plain store is shown to the owner, with the number of its registration. */
static struct packet *show(struct agent_bench *b, uint64_t address, uint32_t value, uint16_t number)
{
    struct packet *p = packet_new(&b->slice, PACKET_FORWARD);
    p->space = PACKET_GLOBAL;
    p->address = address;
    p->bytes = 4;
    forward_of(p)->asked = PACKET_WRITE;
    forward_of(p)->grant = number;
    bench_put(p, address, value);
    agent_probe(&b->agent, p);
    bench_check(b);
    return p;
}

/* The slice's probe has been answered: it waits for the network, behind no other. */
static bool is_answered(struct agent_bench *b, const struct packet *p)
{
    return b->answers.count && packet_ring_peek(&b->answers) == p && packet_ring_pop(&b->answers) == p;
}

/* The bytes of a line that a word has. */
static uint64_t word_bits(unsigned word)
{
    return UINT64_C(15) << 4 * word;
}

static void register_line(struct agent_bench *b, unsigned line, uint16_t number)
{
    struct packet *p = add(b, bench_line(line), AGENT_DEVICE_EVENT, 1);
    grant(b, number);
    assert_true(is_done(b, p));
}

/* Whose bytes */

static void test_a_store_stays_over_a_fill(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    uint32_t words[2];
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    bench_store(&b, bench_line(0), 9);
    begin_load(&b, bench_line(0), 8);
    bench_reply(&b, bench_sent(&b, PACKET_READ), BENCH_MEMORY);
    expect_word(&b, bench_line(0), 9);
    assert_int_equal(agent_ready(&b.agent, &values), 7);
    memcpy(words, values, sizeof words);
    assert_int_equal(words[0], 9);
    assert_int_equal(words[1], 0x11111111);
    bench_stop(&b);
}

/* A line sends the bytes that were written here, not all that it has: others may have written those since. */
static void test_written_bytes_alone_are_sent(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    bench_fetch(&b, bench_line(0));
    bench_store(&b, bench_line(0) + 8, 9);
    agent_flush(&b.agent, AGENT_BY_ORDER);
    assert_int_equal(packet_mask(drained(&b))[0], word_bits(2));
    bench_stop(&b);
}

/* All words that an atomic has changed are written. */
static void test_each_lane_of_an_atomic_writes(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("hlrc"), 2, 8, 2);
    add(&b, bench_line(0), AGENT_DEVICE_EVENT, 3);
    grant(&b, 1);
    probe(&b, PACKET_RECALL, bench_line(0));
    struct packet *p = bench_sent(&b, PACKET_RECALL);
    assert_true(p->is_reply);
    assert_int_equal(packet_mask(p)[0], word_bits(0) | word_bits(1) | word_bits(2));
    assert_int_equal(packet_mask(p)[1], 0);
    bench_stop(&b);
}

/* Bytes that were stored to plainly since, here or by another L1, are memory's: they were sent there. */
static void test_plain_stores_are_not_the_owners_to_write(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("hlrc"), 2, 8, 2);
    add(&b, bench_line(0), AGENT_DEVICE_EVENT, 3);
    grant(&b, 1);
    bench_store(&b, bench_line(0), 9);
    bench_sent(&b, PACKET_WRITE);
    struct packet *shown = show(&b, bench_line(0) + 4, 8, 1);
    assert_ptr_equal(bench_sent(&b, PACKET_FORWARD), shown);
    assert_false(message_is_void(shown));
    assert_int_equal(packet_mask(shown)[0], word_bits(2));
    expect_word(&b, bench_line(0), 9);
    expect_word(&b, bench_line(0) + 4, 8);
    bench_stop(&b);
}

static void test_a_drop_leaves_what_was_written(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    bench_fetch(&b, bench_line(0));
    bench_store(&b, bench_line(0) + 8, 9);
    agent_drop(&b.agent, AGENT_BY_ORDER);
    expect_word(&b, bench_line(0) + 8, 9);
    begin_load(&b, bench_line(0), 4);
    bench_sent(&b, PACKET_READ);
    bench_stop(&b);
}

/* A question about a registration that was given back is void, whoever has the line now. */
static void test_questions_are_about_one_registration(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("hlrc"), 2, 8, 2);
    register_line(&b, 0, 5);
    struct packet *late = show(&b, bench_line(0) + 4, 8, 4), *now = show(&b, bench_line(0) + 8, 7, 5);
    assert_ptr_equal(bench_sent(&b, PACKET_FORWARD), late);
    assert_true(message_is_void(late));
    assert_ptr_equal(bench_sent(&b, PACKET_FORWARD), now);
    assert_false(message_is_void(now));
    expect_word(&b, bench_line(0) + 4, 0x11111111);
    expect_word(&b, bench_line(0) + 8, 7);
    bench_stop(&b);
}

/* Flushes */

static void test_a_flush_waits_for_every_entry(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("vi"), 4, 8, 4);
    bench_store(&b, bench_line(0), 1);
    uint32_t first = agent_flush(&b.agent, AGENT_BY_ORDER);
    struct packet *sent_first = drained(&b);
    bench_store(&b, bench_line(1), 2);
    bench_store(&b, bench_line(2), 3);
    uint32_t all = agent_flush(&b.agent, AGENT_BY_ORDER);
    struct packet *second = drained(&b), *third = drained(&b);
    struct packet *asked = probe(&b, PACKET_FLUSH, bench_line(0));
    assert_false(agent_drains(&b.agent));
    bench_reply(&b, second, 0); /* acknowledgements come in any order */
    assert_false(agent_flushed(&b.agent, first));
    bench_reply(&b, sent_first, 0);
    assert_true(agent_flushed(&b.agent, first));
    assert_false(agent_flushed(&b.agent, all));
    assert_false(is_answered(&b, asked));
    bench_reply(&b, third, 0);
    assert_true(agent_flushed(&b.agent, all));
    assert_true(is_answered(&b, asked));
    bench_stop(&b);
}

/* Where stores are registered, a release waits until what was written is the L1's own. */
static void test_a_flush_waits_for_registrations(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("denovo-b-eager"), 2, 8, 2);
    bench_store(&b, bench_line(0), 8);
    bench_store(&b, bench_line(0) + 4, 9);
    uint32_t mark = agent_flush(&b.agent, AGENT_BY_ORDER);
    assert_false(agent_drains(&b.agent));
    assert_false(agent_flushed(&b.agent, mark));
    grant(&b, 1);
    assert_true(agent_flushed(&b.agent, mark));
    expect_word(&b, bench_line(0), 8);
    expect_word(&b, bench_line(0) + 4, 9);
    expect_word(&b, bench_line(0) + 8, 0x11111111);
    bench_stop(&b);
}

/* Where a release registers, what was written is not asked for before it; then each line is, in its turn, with nothing
 * valid but what was written here. */
static void test_a_flush_registers_what_was_written(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    bench_start(&b, coherence_find("denovo-b"), 2, 8, 2);
    bench_fetch(&b, bench_line(0));
    bench_store(&b, bench_line(0), 8);
    expect_quiet(&b);
    uint32_t mark = agent_flush(&b.agent, AGENT_BY_ORDER);
    assert_true(agent_drains(&b.agent));
    agent_drain(&b.agent);
    struct packet *asked = bench_sent(&b, PACKET_REGISTER);
    assert_false(agent_drains(&b.agent));
    assert_false(agent_flushed(&b.agent, mark));
    expect_word(&b, bench_line(0), 8);
    assert_int_equal(bench_load(&b, bench_line(0) + 4, 4, &values), AGENT_REFUSED);
    bench_reply(&b, asked, 0x22);
    assert_true(agent_flushed(&b.agent, mark));
    expect_word(&b, bench_line(0), 8);
    expect_word(&b, bench_line(0) + 4, 0x22222222);
    bench_stop(&b);
}

/* One whose line is being fetched is registered when the fill has come; later ones do not wait for that. */
static void test_a_flush_registers_behind_a_fill(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    bench_start(&b, coherence_find("denovo-b"), 2, 8, 2);
    bench_store(&b, bench_line(0), 8);
    bench_store(&b, bench_line(1), 9);
    assert_int_equal(bench_load(&b, bench_line(0) + 4, 4, &values), AGENT_WAITING);
    struct packet *fill = bench_sent(&b, PACKET_READ);
    uint32_t mark = agent_flush(&b.agent, AGENT_BY_ORDER);
    while (agent_drains(&b.agent))
        agent_drain(&b.agent);
    struct packet *second = bench_sent(&b, PACKET_REGISTER);
    assert_int_equal(second->address, bench_line(1));
    bench_reply(&b, second, BENCH_MEMORY);
    expect_quiet(&b);
    bench_reply(&b, fill, BENCH_MEMORY);
    assert_true(agent_has_ready(&b.agent));
    agent_ready(&b.agent, &values);
    struct packet *first = bench_sent(&b, PACKET_REGISTER);
    assert_int_equal(first->address, bench_line(0));
    assert_false(agent_flushed(&b.agent, mark));
    bench_reply(&b, first, BENCH_MEMORY);
    assert_true(agent_flushed(&b.agent, mark));
    expect_word(&b, bench_line(0), 8);
    bench_stop(&b);
}

/* One registered line of a set is given back at a time. */
static void test_one_line_leaves_for_an_access(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("denovo-b"), 2, 8, 2);
    register_line(&b, 0, 1);
    register_line(&b, 1, 2);
    for (unsigned i = 0; i < 3; i++)
        assert_false(can_store(&b, bench_line(2)));
    struct packet *p = bench_sent(&b, PACKET_PUTM);
    assert_int_equal(p->address, bench_line(0));
    expect_quiet(&b);
    expect_word(&b, bench_line(1), 0x11111112);
    bench_stop(&b);
}

/* Accesses aside */

/* Later accesses to the line of one that waits aside wait behind it. */
static void test_nothing_passes_an_access_aside(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    struct packet *first = add(&b, bench_line(0), AGENT_BLOCK_EVENT, 1);
    struct packet *fill = bench_sent(&b, PACKET_READ);
    struct packet *second = add(&b, bench_line(0), AGENT_DEVICE_EVENT, 1);
    assert_int_equal(bench_load(&b, bench_line(0) + 4, 4, &values), AGENT_REFUSED);
    assert_true(agent_would_refuse(&b.agent, bench_line(0) + 4));
    assert_false(can_store(&b, bench_line(0) + 4));
    expect_quiet(&b);
    bench_reply(&b, fill, BENCH_MEMORY);
    assert_true(is_done(&b, first));
    assert_int_equal(packet_mask(bench_sent(&b, PACKET_WRITE))[0], word_bits(0));
    assert_ptr_equal(bench_sent(&b, PACKET_ATOMIC), second);
    assert_false(agent_would_refuse(&b.agent, bench_line(0) + 4));
    bench_stop(&b);
}

/* Where the first has no place, the second waits, too, although it would have one. Room makes them go on. */
static void test_accesses_aside_go_on_in_their_order(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("rsp"), 4, 8, 2);
    bench_fetch(&b, bench_line(0));
    probe(&b, PACKET_LOCK, bench_line(0));
    struct packet *first = add(&b, bench_line(0), AGENT_BLOCK_EVENT, 1);
    struct packet *second = add(&b, bench_line(0), AGENT_DEVICE_EVENT, 1);
    bench_store(&b, bench_line(1), 1);
    bench_store(&b, bench_line(2), 2); /* the store queue is full */
    probe(&b, PACKET_UNLOCK, bench_line(0));
    assert_false(is_done(&b, first));
    expect_quiet(&b);
    bench_reply(&b, drained(&b), 0);
    for (unsigned i = 0; i < 4 && agent_drains(&b.agent); i++)
        agent_drain(&b.agent);
    assert_true(is_done(&b, first));
    assert_int_equal(packet_mask(bench_sent(&b, PACKET_WRITE))[0], word_bits(0));
    assert_ptr_equal(bench_sent(&b, PACKET_ATOMIC), second);
    bench_stop(&b);
}

/* An access in the L2 is performed in its turn there; a plain store to its line must not come before. */
static void test_a_plain_store_waits_for_accesses_at_home(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    struct packet *home = add(&b, bench_line(0), AGENT_DEVICE_EVENT, 1);
    assert_ptr_equal(bench_sent(&b, PACKET_ATOMIC), home);
    assert_false(can_store(&b, bench_line(0) + 4));
    assert_true(can_store(&b, bench_line(1)));
    agent_answered(&b.agent, home);
    assert_true(can_store(&b, bench_line(0) + 4));
    bench_stop(&b);
}

/* A fill that comes after its line was dropped serves the accesses that waited before: else a warp that acquires again
 * and again could keep them waiting for ever. For an access that came behind the drop the line is fetched anew. */
static void test_early_accesses_have_what_comes(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("vi"), 2, 8, 2);
    struct packet *early = add(&b, bench_line(0), AGENT_BLOCK_EVENT, 1);
    struct packet *fill = bench_sent(&b, PACKET_READ);
    agent_drop(&b.agent, AGENT_BY_ORDER);
    struct packet *late = add(&b, bench_line(0) + 4, AGENT_BLOCK_EVENT, 1);
    bench_reply(&b, fill, BENCH_MEMORY);
    assert_true(is_done(&b, early));
    assert_int_equal(atomic_of(early)->lanes[0].operand, 0x11111111);
    assert_false(is_done(&b, late));
    bench_reply(&b, bench_sent(&b, PACKET_READ), 0x22);
    assert_true(is_done(&b, late));
    assert_int_equal(atomic_of(late)->lanes[0].operand, 0x22222222);
    bench_stop(&b);
}

/* Those that a LOCK holds back come behind the access that has the L1 locked: they are not early. */
static void test_accesses_behind_a_lock_are_not_early(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("rsp"), 2, 8, 2);
    begin_load(&b, bench_line(0), 4);
    struct packet *fill = bench_sent(&b, PACKET_READ);
    probe(&b, PACKET_LOCK, bench_line(0));
    struct packet *late = add(&b, bench_line(0), AGENT_BLOCK_EVENT, 1);
    probe(&b, PACKET_DROP, bench_line(0));
    probe(&b, PACKET_UNLOCK, bench_line(0));
    bench_reply(&b, fill, BENCH_MEMORY);
    assert_false(is_done(&b, late));
    bench_reply(&b, bench_sent(&b, PACKET_READ), 0x22);
    assert_true(is_done(&b, late));
    assert_int_equal(atomic_of(late)->lanes[0].operand, 0x22222222);
    bench_stop(&b);
}

/* A LOCK lets those pass that were aside before it, and nobody else. */
static void test_a_lock_waits_for_what_was_aside(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("rsp"), 4, 8, 2);
    bench_fetch(&b, bench_line(0));
    struct packet *before = add(&b, bench_line(1), AGENT_BLOCK_EVENT, 1);
    struct packet *fill = bench_sent(&b, PACKET_READ);
    struct packet *locked = probe(&b, PACKET_LOCK, bench_line(0));
    assert_false(is_answered(&b, locked));
    struct packet *behind = add(&b, bench_line(0), AGENT_BLOCK_EVENT, 1);
    assert_false(is_done(&b, behind));
    bench_reply(&b, fill, BENCH_MEMORY);
    assert_true(is_done(&b, before));
    assert_true(is_answered(&b, locked));
    assert_false(is_done(&b, behind));
    struct packet *again = probe(&b, PACKET_LOCK, bench_line(0)); /* of another slice */
    assert_true(is_answered(&b, again));
    assert_true(is_answered(&b, probe(&b, PACKET_UNLOCK, bench_line(0))));
    assert_false(is_done(&b, behind));
    assert_true(is_answered(&b, probe(&b, PACKET_UNLOCK, bench_line(0))));
    assert_true(is_done(&b, behind));
    bench_stop(&b);
}

/* A registration that comes brings the order along: lines are dropped, also while others' accesses wait aside. */
static void test_a_grant_drops_other_lines(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    bench_start(&b, coherence_find("hlrc"), 4, 8, 2);
    bench_fetch(&b, bench_line(0));
    expect_word(&b, bench_line(0), 0x11111111);
    add(&b, bench_line(1), AGENT_DEVICE_EVENT, 1);
    struct packet *first = bench_sent(&b, PACKET_REGISTER);
    add(&b, bench_line(2), AGENT_DEVICE_EVENT, 1);
    bench_reply(&b, first, BENCH_MEMORY);
    assert_int_equal(bench_load(&b, bench_line(0), 4, &values), AGENT_WAITING);
    bench_stop(&b);
}

/* Answers that find no room go out behind each other, although there is room for a later one by then. */
static void test_answers_keep_their_order(void **unused)
{
    struct agent_bench b;
    bench_start(&b, coherence_find("hlrc"), 2, 4, 2);
    register_line(&b, 0, 1);
    struct packet *shown[6];
    for (unsigned i = 0; i < 5; i++)
        shown[i] = show(&b, bench_line(0) + 4 * i, i, 1);
    assert_ptr_equal(bench_sent(&b, PACKET_FORWARD), shown[0]);
    shown[5] = show(&b, bench_line(0) + 20, 5, 1);
    for (unsigned i = 1; i < 6; i++) {
        while (agent_drains(&b.agent))
            agent_drain(&b.agent);
        assert_ptr_equal(bench_sent(&b, PACKET_FORWARD), shown[i]);
    }
    bench_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_store_stays_over_a_fill),
        cmocka_unit_test(test_written_bytes_alone_are_sent),
        cmocka_unit_test(test_each_lane_of_an_atomic_writes),
        cmocka_unit_test(test_plain_stores_are_not_the_owners_to_write),
        cmocka_unit_test(test_a_drop_leaves_what_was_written),
        cmocka_unit_test(test_questions_are_about_one_registration),
        cmocka_unit_test(test_a_flush_waits_for_every_entry),
        cmocka_unit_test(test_a_flush_waits_for_registrations),
        cmocka_unit_test(test_a_flush_registers_what_was_written),
        cmocka_unit_test(test_a_flush_registers_behind_a_fill),
        cmocka_unit_test(test_one_line_leaves_for_an_access),
        cmocka_unit_test(test_nothing_passes_an_access_aside),
        cmocka_unit_test(test_accesses_aside_go_on_in_their_order),
        cmocka_unit_test(test_a_plain_store_waits_for_accesses_at_home),
        cmocka_unit_test(test_early_accesses_have_what_comes),
        cmocka_unit_test(test_accesses_behind_a_lock_are_not_early),
        cmocka_unit_test(test_a_lock_waits_for_what_was_aside),
        cmocka_unit_test(test_a_grant_drops_other_lines),
        cmocka_unit_test(test_answers_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
