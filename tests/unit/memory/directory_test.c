/* A directory (memory/directory.h) by its doors, one message after the other: which probes it sends to whom and with
 * which number, what waits for their answers, and what passes. Memory and tags are the test's. */
#include "memory_fixture.h"

#include "isa/mod_values.h"
#include "memory/directory.h"

#define LINE 128u
#define SMS 3u
#define GONE 16u

struct bench {
    struct arena arena;
    struct packet_pool pools[SMS];
    struct directory directory;
    struct packet *gone[GONE]; /* that went to the tags, in order */
    unsigned gone_count;
    uint32_t leased; /* the entry whose lease began last */
    uint64_t wanted; /* the line whose place the tags want for the next access, or 0: none */
};

static uint64_t at(unsigned line)
{
    return UINT64_C(0x10000) + (uint64_t)line * LINE;
}

static enum directory_gone go(void *context, struct packet *p, uint64_t *line)
{
    struct bench *b = context;
    *line = b->wanted;
    if (b->wanted) {
        b->wanted = 0;
        return DIRECTORY_WANTS;
    }
    assert_true(b->gone_count < GONE);
    b->gone[b->gone_count++] = p;
    return DIRECTORY_GONE;
}

static void merge(void *context, const struct packet *p)
{
    (void)context;
    (void)p;
}

static void hold(void *context, uint64_t line, bool held)
{
    (void)context;
    (void)line;
    (void)held;
}

static void lease(void *context, uint32_t entry)
{
    struct bench *b = context;
    b->leased = entry;
}

static void start(struct bench *b, const char *protocol)
{
    const struct directory_host host = {go, merge, hold, lease, b};
    memset(b, 0, sizeof *b);
    for (unsigned sm = 0; sm < SMS; sm++)
        b->pools[sm] = (struct packet_pool){.sm = (uint16_t)sm, .arena = &b->arena};
    directory_init(&b->directory, coherence_find(protocol), &host, 8, LINE, SMS, &b->arena);
}

static void check(struct bench *b)
{
    struct check c;
    check_init(&c);
    check_of(&c, "directory", 0);
    directory_check(&b->directory, &c);
    fixture_expect_sound(&c);
}

static void stop(struct bench *b)
{
    check(b);
    arena_free(&b->arena);
}

static struct packet *an_access(struct bench *b, unsigned sm, unsigned kind, uint64_t address, uint8_t order)
{
    struct packet *p = packet_new(&b->pools[sm], kind);
    p->space = PACKET_GLOBAL;
    p->address = p->local = address;
    p->bytes = 4;
    if (message_is_access(kind)) {
        access_of(p)->waiter = 1;
        access_of(p)->order = order;
        access_of(p)->scope = ISA_SCOPE_GPU;
    }
    return p;
}

/* The request of an L1 for a line that it is to keep. */
static struct packet *fetch_of(struct bench *b, unsigned sm, uint64_t address)
{
    struct packet *p = an_access(b, sm, PACKET_READ, address, ISA_ORDER_WEAK);
    access_of(p)->waiter = PACKET_NOBODY;
    return p;
}

/* The directory has the access; it does not go on to the tags. */
static struct packet *keeps(struct bench *b, struct packet *p)
{
    assert_int_equal(directory_take(&b->directory, p), DIRECTORY_TAKE_KEPT);
    check(b);
    return p;
}

/* The access goes on to the tags at once. */
static struct packet *passes(struct bench *b, struct packet *p)
{
    unsigned before = b->gone_count;
    assert_int_equal(directory_take(&b->directory, p), DIRECTORY_TAKE_GONE);
    assert_int_equal(b->gone_count, before + 1);
    assert_ptr_equal(b->gone[before], p);
    check(b);
    return p;
}

static bool is_silent(const struct bench *b)
{
    return !b->directory.out.first;
}

/* The first probe or answer that leaves, which is of that kind and for that SM. */
static struct packet *leaves(struct bench *b, unsigned kind, unsigned sm)
{
    assert_false(is_silent(b));
    struct packet *p = packet_shift(&b->directory.out);
    assert_int_equal(p->kind, kind);
    assert_int_equal(p->sm, sm);
    return p;
}

/* The L1's answer to a probe. */
static void answers(struct bench *b, struct packet *p)
{
    p->is_reply = true;
    p->local = p->address;
    assert_int_equal(directory_take(&b->directory, p), DIRECTORY_TAKE_KEPT);
}

/* The first access whose wait is over, or NULL. */
static struct packet *woken(struct bench *b)
{
    if (!b->directory.woken.first)
        return NULL;
    b->directory.kept--;
    return packet_shift(&b->directory.woken);
}

/* An L1 registers a line: the number of the registration. */
static uint16_t registers(struct bench *b, unsigned sm, uint64_t address)
{
    struct packet *p = passes(b, an_access(b, sm, PACKET_REGISTER, address, ISA_ORDER_WEAK));
    assert_ptr_equal(directory_find(&b->directory, address) == NULL, false);
    return register_of(p)->grant;
}

/* Remote scope */

/* Every L1 is asked, and answers: nothing else happens before the last one has. */
static void ask_all(struct bench *b, unsigned kind)
{
    struct packet *probes[SMS];
    for (unsigned sm = 0; sm < SMS; sm++)
        probes[sm] = leaves(b, kind, sm);
    for (unsigned sm = 0; sm < SMS; sm++) {
        assert_true(is_silent(b) && !b->directory.woken.first);
        answers(b, probes[sm]);
    }
}

static void perform(struct bench *b, struct packet *p)
{
    assert_ptr_equal(woken(b), p);
    passes(b, p);
    assert_true(directory_answered(&b->directory, p));
}

/* A slice serves an access at remote scope phase by phase: the left side of Table 3 of the hLRC paper. */
static void serve(struct bench *b, struct packet *p, const char *phases)
{
    for (const char *phase = phases; *phase; phase++)
        switch (*phase) {
        case 'l':
            ask_all(b, PACKET_LOCK);
            break;
        case 'f':
            ask_all(b, PACKET_FLUSH);
            break;
        case 'd':
            ask_all(b, PACKET_DROP);
            break;
        case 'u':
            ask_all(b, PACKET_UNLOCK);
            break;
        default:
            perform(b, p);
        }
    assert_ptr_equal(leaves(b, p->kind, p->sm), p);
    assert_true(p->is_reply);
}

static const struct {
    unsigned kind;
    uint8_t order;
    const char *phases;
} remotes[] = {
    {PACKET_READ, ISA_ORDER_ACQUIRE, "af"},
    {PACKET_WRITE, ISA_ORDER_RELEASE, "lfdadu"},
    {PACKET_ATOMIC, ISA_ORDER_ACQ_REL, "lfdafdu"},
};
#define REMOTES (sizeof remotes / sizeof *remotes)

static struct packet *remote(struct bench *b, unsigned sm, unsigned which)
{
    struct packet *p = an_access(b, sm, remotes[which].kind, at(which), remotes[which].order);
    access_of(p)->scope = ISA_SCOPE_REMOTE;
    return keeps(b, p);
}

static void test_remote_accesses_have_their_phases(void **unused)
{
    for (unsigned i = 0; i < REMOTES; i++) {
        struct bench b;
        start(&b, "rsp");
        serve(&b, remote(&b, i, i), remotes[i].phases);
        assert_true(is_silent(&b));
        stop(&b);
    }
}

static void test_remote_accesses_take_turns(void **unused)
{
    struct bench b;
    struct packet *all[REMOTES];
    start(&b, "rsp");
    for (unsigned i = 0; i < REMOTES; i++)
        all[i] = remote(&b, i, i);
    for (unsigned i = 0; i < REMOTES; i++)
        serve(&b, all[i], remotes[i].phases);
    assert_true(is_silent(&b));
    stop(&b);
}

/* Questions */

static void test_each_registration_has_a_number(void **unused)
{
    struct bench b;
    start(&b, "hlrc");
    uint16_t first = registers(&b, 0, at(0)), second = registers(&b, 1, at(1));
    assert_int_not_equal(first, second);
    keeps(&b, an_access(&b, 2, PACKET_READ, at(0), ISA_ORDER_WEAK));
    assert_int_equal(forward_of(leaves(&b, PACKET_FORWARD, 0))->grant, first);
    keeps(&b, an_access(&b, 2, PACKET_READ, at(1), ISA_ORDER_WEAK));
    assert_int_equal(forward_of(leaves(&b, PACKET_FORWARD, 1))->grant, second);
    stop(&b);
}

/* While a line is asked back, an answer about a plain store lets that one go on, and nobody else who waits. */
static void test_an_answer_lets_one_store_go_on(void **unused)
{
    struct bench b;
    start(&b, "hlrc");
    registers(&b, 0, at(0));
    keeps(&b, an_access(&b, 1, PACKET_ATOMIC, at(0), ISA_ORDER_ACQ_REL));
    leaves(&b, PACKET_RECALL, 0);
    keeps(&b, an_access(&b, 1, PACKET_WRITE, at(0), ISA_ORDER_RELAXED));
    struct packet *first = keeps(&b, an_access(&b, 2, PACKET_WRITE, at(0), ISA_ORDER_WEAK));
    struct packet *second = keeps(&b, an_access(&b, 1, PACKET_WRITE, at(0), ISA_ORDER_WEAK));
    struct packet *shown[2] = {leaves(&b, PACKET_FORWARD, 0), leaves(&b, PACKET_FORWARD, 0)};
    answers(&b, shown[0]);
    assert_ptr_equal(woken(&b), first);
    assert_null(woken(&b));
    passes(&b, first);
    answers(&b, shown[1]);
    assert_ptr_equal(woken(&b), second);
    assert_null(woken(&b));
    passes(&b, second);
    stop(&b);
}

/* Places */

/* An access for which the tags want the place of a registered line waits until that was given back. */
static struct packet *wait_for_place(struct bench *b, struct packet *p, uint64_t place)
{
    b->wanted = place;
    return keeps(b, p);
}

/* Later accesses to its line stay behind it; plain stores pass. */
static void test_accesses_that_wait_for_a_place_are_not_passed(void **unused)
{
    struct bench b;
    start(&b, "hlrc");
    registers(&b, 0, at(0));
    struct packet *first = wait_for_place(&b, an_access(&b, 1, PACKET_ATOMIC, at(1), ISA_ORDER_ACQ_REL), at(0));
    struct packet *asked = leaves(&b, PACKET_RECALL, 0);
    struct packet *second = keeps(&b, an_access(&b, 1, PACKET_READ, at(1), ISA_ORDER_WEAK));
    passes(&b, an_access(&b, 2, PACKET_WRITE, at(1), ISA_ORDER_WEAK));
    passes(&b, an_access(&b, 2, PACKET_READ, at(2), ISA_ORDER_WEAK));
    answers(&b, asked);
    assert_ptr_equal(woken(&b), first);
    passes(&b, first);
    assert_ptr_equal(woken(&b), second);
    passes(&b, second);
    stop(&b);
}

/* A packet of several lines waits for the place of its second one: what an owner gives back of its first one is taken
 * all the same. */
static void test_what_owners_give_back_waits_for_no_place(void **unused)
{
    struct bench b;
    start(&b, "hlrc");
    registers(&b, 0, at(0));
    registers(&b, 1, at(1));
    directory_make_room(&b.directory, at(0), an_access(&b, 2, PACKET_READ, at(1), ISA_ORDER_WEAK));
    leaves(&b, PACKET_RECALL, 0);
    struct packet *put = keeps(&b, an_access(&b, 1, PACKET_PUTM, at(1), ISA_ORDER_WEAK));
    assert_ptr_equal(leaves(&b, PACKET_PUTM, 1), put);
    assert_true(put->is_reply);
    assert_null(directory_find(&b.directory, at(1)));
    stop(&b);
}

/* Reads make sharers. Who registers waits until all others have dropped their copies, and so does who comes meanwhile;
 * a sharer that is alone waits for nobody. */
static void test_sharers_drop_their_copies_before_a_registration(void **unused)
{
    struct bench b;
    start(&b, "msi");
    for (unsigned sm = 0; sm < SMS; sm++)
        passes(&b, an_access(&b, sm, PACKET_READ, at(0), ISA_ORDER_WEAK));
    assert_true(is_silent(&b));
    struct packet *first = keeps(&b, an_access(&b, 1, PACKET_REGISTER, at(0), ISA_ORDER_WEAK));
    struct packet *of_0 = leaves(&b, PACKET_INVALIDATE, 0), *of_2 = leaves(&b, PACKET_INVALIDATE, 2);
    assert_true(is_silent(&b));
    struct packet *second = keeps(&b, an_access(&b, 2, PACKET_READ, at(0), ISA_ORDER_WEAK));
    answers(&b, of_2);
    assert_null(woken(&b));
    answers(&b, of_0);
    assert_ptr_equal(woken(&b), first);
    assert_ptr_equal(woken(&b), second);
    passes(&b, first);
    keeps(&b, second);
    answers(&b, leaves(&b, PACKET_RECALL, 1));
    assert_ptr_equal(woken(&b), second);
    passes(&b, second);
    passes(&b, an_access(&b, 2, PACKET_REGISTER, at(0), ISA_ORDER_WEAK));
    assert_true(is_silent(&b));
    assert_int_equal(directory_find(&b.directory, at(0))->state, DIRECTORY_R);
    stop(&b);
}

/* Before the L2 takes the place of a shared line, its sharers drop their copies; what wants the place waits for all. */
static void test_a_shared_line_leaves_its_place(void **unused)
{
    struct bench b;
    start(&b, "msi");
    passes(&b, an_access(&b, 0, PACKET_READ, at(0), ISA_ORDER_WEAK));
    passes(&b, an_access(&b, 2, PACKET_READ, at(0), ISA_ORDER_WEAK));
    b.wanted = at(0);
    struct packet *read = keeps(&b, an_access(&b, 0, PACKET_READ, at(1), ISA_ORDER_WEAK));
    struct packet *of_0 = leaves(&b, PACKET_INVALIDATE, 0), *of_2 = leaves(&b, PACKET_INVALIDATE, 2);
    answers(&b, of_0);
    assert_null(woken(&b));
    answers(&b, of_2);
    assert_ptr_equal(woken(&b), read);
    assert_null(directory_find(&b.directory, at(0)));
    passes(&b, read);
    stop(&b);
}

/* Reads take leases. Who writes waits until the last one is over, and those behind it come in their order; the reads
 * among them take no lease before. */
static void test_who_writes_waits_for_the_last_lease(void **unused)
{
    struct bench b;
    start(&b, "lease");
    passes(&b, fetch_of(&b, 0, at(0)));
    passes(&b, fetch_of(&b, 1, at(0)));
    uint32_t entry = b.leased;
    passes(&b, an_access(&b, 2, PACKET_READ, at(0), ISA_ORDER_RELAXED));
    struct packet *write = keeps(&b, an_access(&b, 1, PACKET_WRITE, at(0), ISA_ORDER_WEAK));
    struct packet *own = keeps(&b, an_access(&b, 1, PACKET_READ, at(0), ISA_ORDER_RELAXED));
    struct packet *read = keeps(&b, fetch_of(&b, 2, at(0)));
    struct packet *atomic = keeps(&b, an_access(&b, 0, PACKET_ATOMIC, at(0), ISA_ORDER_ACQ_REL));
    assert_null(woken(&b));
    directory_time_passed(&b.directory, entry);
    assert_null(directory_find(&b.directory, at(0)));
    assert_ptr_equal(woken(&b), write);
    assert_ptr_equal(woken(&b), own);
    assert_ptr_equal(woken(&b), read);
    assert_ptr_equal(woken(&b), atomic);
    passes(&b, write);
    passes(&b, own);
    passes(&b, read);
    keeps(&b, atomic);
    assert_true(is_silent(&b));
    directory_time_passed(&b.directory, b.leased);
    assert_ptr_equal(woken(&b), atomic);
    stop(&b);
}

/* A writer has given its own copy up: it waits for the leases of others alone. Then the lease is given up, and its time
 * passes for nobody. */
static void test_a_lease_does_not_hold_up_its_own_l1(void **unused)
{
    struct bench b;
    start(&b, "lease");
    passes(&b, fetch_of(&b, 1, at(0)));
    passes(&b, an_access(&b, 1, PACKET_WRITE, at(0), ISA_ORDER_WEAK));
    assert_null(directory_find(&b.directory, at(0)));
    directory_time_passed(&b.directory, b.leased);
    passes(&b, fetch_of(&b, 1, at(0)));
    keeps(&b, an_access(&b, 2, PACKET_ATOMIC, at(0), ISA_ORDER_RELAXED));
    keeps(&b, an_access(&b, 1, PACKET_WRITE, at(0), ISA_ORDER_WEAK));
    directory_time_passed(&b.directory, b.leased);
    assert_non_null(woken(&b));
    assert_non_null(woken(&b));
    stop(&b);
}

/* Before the L2 takes the place of a leased line, its leases are over; and what no L1 keeps takes none. */
static void test_a_leased_line_leaves_its_place(void **unused)
{
    struct bench b;
    start(&b, "lease");
    passes(&b, fetch_of(&b, 0, at(0)));
    b.wanted = at(0);
    struct packet *read = keeps(&b, an_access(&b, 0, PACKET_READ, at(1), ISA_ORDER_RELAXED));
    struct packet *late = keeps(&b, fetch_of(&b, 1, at(0)));
    assert_null(woken(&b));
    directory_time_passed(&b.directory, b.leased);
    assert_ptr_equal(woken(&b), read);
    assert_ptr_equal(woken(&b), late);
    passes(&b, read);
    assert_null(directory_find(&b.directory, at(1)));
    passes(&b, late);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remote_accesses_have_their_phases),
        cmocka_unit_test(test_remote_accesses_take_turns),
        cmocka_unit_test(test_each_registration_has_a_number),
        cmocka_unit_test(test_an_answer_lets_one_store_go_on),
        cmocka_unit_test(test_accesses_that_wait_for_a_place_are_not_passed),
        cmocka_unit_test(test_what_owners_give_back_waits_for_no_place),
        cmocka_unit_test(test_sharers_drop_their_copies_before_a_registration),
        cmocka_unit_test(test_a_shared_line_leaves_its_place),
        cmocka_unit_test(test_who_writes_waits_for_the_last_lease),
        cmocka_unit_test(test_a_lease_does_not_hold_up_its_own_l1),
        cmocka_unit_test(test_a_leased_line_leaves_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
