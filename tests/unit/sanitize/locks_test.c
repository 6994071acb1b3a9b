/* What a lock's first holder lacks at the beginning of its critical section, and its last holder at the end: nobody
 * comes to harm in the run that is looked at, and would in another one. What is ordered in another way too, or is no
 * lock, must not be told. */
#include "unit/sanitize/traced.h"

#define LOCK (TRACED_MEMORY + 0x100)
#define INNER (TRACED_MEMORY + 0x140)
#define FLAG (TRACED_MEMORY + 0x180)
#define DATA (TRACED_MEMORY + 0x200)

/* Instructions, by their number. */
enum {
    CAS,
    CAS_ACQUIRE,
    CAS_SHARED,
    EXCHANGE,
    EXCHANGE_SHARED,
    EXCHANGE_RELEASE,
    STORE_RELEASE,
    STORE_RELAXED,
    LOAD_RELAXED,
    ADD,
    LOAD,
    STORE,
    STORE_TOO,
    FENCE,
    FENCE_BLOCK,
    BARRIER
};

static void make(struct isa_instr *instr, enum isa_op op, uint8_t order, uint8_t atomic)
{
    *instr = (struct isa_instr){.op = op, .type = ISA_U32, .dst_count = op != ISA_OP_ST};
    instr->mods.order = order;
    instr->mods.atomic = atomic;
    instr->mods.space = ISA_SPACE_GLOBAL;
}

static struct traced *fresh(void)
{
    struct traced *t = traced_new(SANITIZE_RACES, 70);
    struct isa_instr *of = t->instrs;
    make(&of[CAS], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_CAS);
    make(&of[CAS_ACQUIRE], ISA_OP_ATOM, ISA_ORDER_ACQUIRE, ISA_ATOMIC_CAS);
    make(&of[CAS_SHARED], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_CAS);
    make(&of[EXCHANGE], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_EXCH);
    make(&of[EXCHANGE_SHARED], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_EXCH);
    make(&of[EXCHANGE_RELEASE], ISA_OP_ATOM, ISA_ORDER_RELEASE, ISA_ATOMIC_EXCH);
    make(&of[STORE_RELEASE], ISA_OP_ST, ISA_ORDER_RELEASE, 0);
    make(&of[STORE_RELAXED], ISA_OP_ST, ISA_ORDER_RELAXED, 0);
    make(&of[LOAD_RELAXED], ISA_OP_LD, ISA_ORDER_RELAXED, 0);
    make(&of[ADD], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_ADD);
    make(&of[LOAD], ISA_OP_LD, ISA_ORDER_WEAK, 0);
    make(&of[STORE], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[STORE_TOO], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[FENCE], ISA_OP_MEMBAR, 0, 0);
    make(&of[FENCE_BLOCK], ISA_OP_MEMBAR, 0, 0);
    make(&of[BARRIER], ISA_OP_BAR, 0, 0);
    of[CAS_SHARED].mods.space = of[EXCHANGE_SHARED].mods.space = ISA_SPACE_SHARED;
    of[FENCE_BLOCK].mods.scope = ISA_SCOPE_CTA;
    of[BARRIER].mods.barrier = ISA_BARRIER_SYNC;
    traced_begin(t, NULL);
    for (uint32_t block = 0; block < 3; block++)
        for (uint32_t warp = 0; warp < 2; warp++)
            traced_launch(t, (struct traced_warp){block, warp});
    return t;
}

static const struct traced_warp early = {0, 0}, late = {1, 0}; /* of two blocks */
static const struct traced_warp beside = {0, 1};               /* in the block of the early one */

static void act(struct traced *t, struct traced_warp w, uint32_t pc, uint64_t address, uint32_t value)
{
    traced_access(t, w, pc, 1, address, 4, value);
    traced_done(t, w, pc);
}
static void swap(struct traced *t, struct traced_warp w, uint32_t pc, uint64_t address, uint32_t before, uint32_t after)
{
    traced_access(t, w, pc, 1, address, 4, after);
    traced_swapped(t, w, pc, 0, address, before, after);
    traced_done(t, w, pc);
}
static void fence(struct traced *t, struct traced_warp w)
{
    traced_issue(t, w, FENCE);
}
static void take(struct traced *t, struct traced_warp w, uint64_t lock)
{
    swap(t, w, CAS, lock, 0, 1);
}
static void give(struct traced *t, struct traced_warp w, uint64_t lock)
{
    act(t, w, EXCHANGE, lock, 0);
}
/* A whole critical section that does all right. */
static void section(struct traced *t, struct traced_warp w, uint64_t lock)
{
    take(t, w, lock);
    fence(t, w);
    act(t, w, STORE, DATA, 1);
    fence(t, w);
    give(t, w, lock);
}

static void expect_nothing(struct traced *t)
{
    size_t count;
    traced_end(t, &count);
    assert_int_equal(count, 0);
    traced_free(t);
}
static void expect_one(struct traced *t, enum sanitize_reason reason, uint32_t first, uint32_t second, uint32_t via)
{
    size_t count;
    const struct sanitize_finding *finding = traced_end(t, &count);
    assert_int_equal(count, 1);
    assert_int_equal(finding->reason, reason);
    assert_int_equal(finding->first.pc, first);
    assert_int_equal(finding->second.pc, second);
    assert_int_equal(finding->via, via);
    traced_free(t);
}

/* No fence behind the lock. */
static void begin_bare(struct traced *t, struct traced_warp w, uint32_t pc)
{
    swap(t, w, pc, LOCK, 0, 1);
    act(t, w, STORE_TOO, DATA, 2);
    fence(t, w);
    give(t, w, LOCK);
}
static void test_begins_bare(void **state)
{
    struct traced *t = fresh();
    begin_bare(t, early, CAS);
    section(t, late, LOCK);
    expect_one(t, SANITIZE_BARE_LOCK, STORE_TOO, STORE, CAS);
    t = fresh();
    begin_bare(t, early, CAS_ACQUIRE);
    section(t, late, LOCK);
    expect_nothing(t);
    t = fresh();
    take(t, early, LOCK);
    act(t, early, ADD, DATA, 2); /* an atomic behind the lock needs no fence there */
    fence(t, early);
    give(t, early, LOCK);
    section(t, late, LOCK);
    expect_nothing(t);
}

/* No fence before it is given back: by `pc`, behind what it does under the lock and a fence of a block, or none. */
static void end_bare(struct traced *t, struct traced_warp w, uint32_t pc, bool block_fence)
{
    take(t, w, LOCK);
    fence(t, w);
    act(t, w, STORE_TOO, DATA, 2);
    if (block_fence)
        traced_issue(t, w, FENCE_BLOCK);
    act(t, w, pc, LOCK, 0);
}
static void test_ends_bare(void **state)
{
    struct traced *t = fresh();
    section(t, early, LOCK);
    end_bare(t, late, EXCHANGE, false);
    expect_one(t, SANITIZE_BARE_UNLOCK, STORE, STORE_TOO, EXCHANGE);
    t = fresh();
    section(t, early, LOCK);
    end_bare(t, late, STORE_RELAXED, false);
    expect_one(t, SANITIZE_BARE_UNLOCK, STORE, STORE_TOO, STORE_RELAXED);
    t = fresh();
    section(t, early, LOCK);
    end_bare(t, late, EXCHANGE, true);
    expect_one(t, SANITIZE_BARE_UNLOCK, STORE, STORE_TOO, EXCHANGE);
    t = fresh();
    section(t, early, LOCK);
    end_bare(t, beside, EXCHANGE, true); /* a fence of the block is enough there */
    expect_nothing(t);
    for (uint32_t pc = EXCHANGE_RELEASE; pc <= STORE_RELEASE; pc++) {
        t = fresh();
        section(t, early, LOCK);
        end_bare(t, late, pc, false);
        expect_nothing(t);
    }
}

/* It is found too where the last holder had to wait, and has looked at the lock in vain. */
static void test_ends_bare_after_waiting(void **state)
{
    struct traced *t = fresh();
    take(t, early, LOCK);
    fence(t, early);
    act(t, early, STORE, DATA, 1);
    fence(t, early);
    act(t, late, CAS, LOCK, 1);
    give(t, early, LOCK);
    act(t, late, CAS, LOCK, 1);
    end_bare(t, late, EXCHANGE, false);
    expect_one(t, SANITIZE_BARE_UNLOCK, STORE, STORE_TOO, EXCHANGE);
}

/* Reads do no harm to each other, nor do atomics; one and a store do. */
static void last_holder(uint32_t first, uint32_t second, bool found)
{
    struct traced *t = fresh();
    take(t, early, LOCK);
    fence(t, early);
    act(t, early, first, DATA, 1);
    fence(t, early);
    give(t, early, LOCK);
    take(t, late, LOCK);
    fence(t, late);
    act(t, late, second, DATA, 2);
    give(t, late, LOCK);
    if (found)
        expect_one(t, SANITIZE_BARE_UNLOCK, first, second, EXCHANGE);
    else
        expect_nothing(t);
}
static void test_kinds_of_accesses(void **state)
{
    last_holder(STORE, STORE_TOO, true);
    last_holder(STORE, LOAD, true);
    last_holder(LOAD, STORE, true);
    last_holder(ADD, STORE, true);
    last_holder(LOAD, LOAD, false);
    last_holder(ADD, ADD, false);
    last_holder(LOAD_RELAXED, ADD, false);
}

/* The outer lock's fences are enough for the inner one. */
static void nested(struct traced *t, struct traced_warp w)
{
    take(t, w, LOCK);
    fence(t, w);
    take(t, w, INNER);
    act(t, w, STORE, DATA, 1);
    give(t, w, INNER);
    fence(t, w);
    give(t, w, LOCK);
}
static void test_nested(void **state)
{
    struct traced *t = fresh();
    nested(t, early);
    nested(t, late);
    nested(t, early);
    expect_nothing(t);
}

/* A barrier orders the two; which lock they have does not matter then. */
static void test_phases(void **state)
{
    for (unsigned start = 0; start < 2; start++) {
        struct traced *t = fresh();
        if (start)
            begin_bare(t, early, CAS);
        else
            section(t, early, LOCK);
        traced_open(t, 0, 3);
        if (start)
            section(t, beside, LOCK);
        else
            end_bare(t, beside, EXCHANGE, false);
        expect_nothing(t);
    }
}

/* Also one between the lock and what is done under it. */
static void test_barrier_inside(void **state)
{
    struct traced *t = fresh();
    section(t, early, LOCK);
    take(t, beside, LOCK);
    fence(t, beside);
    traced_open(t, 0, 3);
    act(t, beside, STORE_TOO, DATA, 2);
    give(t, beside, LOCK);
    expect_nothing(t);
}

/* So does a flag: the late one begins when the early one has told it to, before it takes the lock or later. */
static void test_flag(void **state)
{
    for (unsigned when = 0; when < 3; when++) {
        struct traced *t = fresh();
        section(t, early, LOCK);
        act(t, early, STORE_RELAXED, FLAG, 1);
        if (when == 0)
            act(t, late, LOAD_RELAXED, FLAG, 0);
        take(t, late, LOCK);
        if (when == 1)
            act(t, late, LOAD_RELAXED, FLAG, 0);
        fence(t, late);
        if (when == 2)
            act(t, late, LOAD_RELAXED, FLAG, 0);
        act(t, late, STORE_TOO, DATA, 2);
        give(t, late, LOCK);
        expect_nothing(t);
    }
}

/* A word that is taken once and for all, or counted up, is no lock: what orders the two is a flag. */
static void claim(uint32_t before)
{
    struct traced *t = fresh();
    swap(t, late, CAS, LOCK, 0, 1);
    swap(t, early, CAS, LOCK, before, before + 1);
    act(t, early, STORE, DATA, 1);
    fence(t, early);
    act(t, early, STORE_RELAXED, FLAG, 1);
    act(t, late, LOAD_RELAXED, FLAG, 0);
    fence(t, late);
    act(t, late, STORE_TOO, DATA, 2);
    expect_nothing(t);
}
static void test_claims(void **state)
{
    claim(0);
    claim(1);
}

/* States that follow each other: the first one has nobody to wait for. */
static void test_states(void **state)
{
    struct traced *t = fresh();
    swap(t, early, CAS, LOCK, 0, 1);
    act(t, early, STORE, DATA, 1);
    fence(t, early);
    act(t, early, EXCHANGE, LOCK, 2);
    swap(t, late, CAS, LOCK, 2, 3);
    fence(t, late);
    act(t, late, STORE_TOO, DATA, 2);
    act(t, late, EXCHANGE, LOCK, 4);
    expect_nothing(t);
}

/* Nobody takes it any more: the last one has left it closed. */
static void test_closed(void **state)
{
    struct traced *t = fresh();
    section(t, early, LOCK);
    take(t, late, LOCK);
    fence(t, late);
    act(t, late, STORE_TOO, DATA, 2);
    act(t, late, EXCHANGE, LOCK, 2);
    expect_nothing(t);
}

/* Lanes that take two words at once: what the warp knew before is not known of each. */
static void test_two_words(void **state)
{
    struct traced *t = fresh();
    uint64_t addresses[64] = {LOCK, INNER};
    uint32_t ones[64] = {1, 1};
    section(t, early, LOCK);
    act(t, early, STORE_RELAXED, FLAG, 1);
    act(t, late, CAS_ACQUIRE, FLAG, 0);
    TRACED(access, late, .warp = traced_slot(late), .block = traced_block_slot(late), .pc = CAS,
           .instruction_class = LOCKSTEP_ATOMIC, .space = LOCKSTEP_GLOBAL, .bytes = 4, .mask = 3, .address = addresses,
           .data = ones, .stride = sizeof *ones);
    traced_swapped(t, late, CAS, 0, LOCK, 0, 1);
    traced_done(t, late, CAS);
    act(t, late, STORE_TOO, DATA, 2);
    give(t, late, LOCK);
    expect_nothing(t);
}

/* A lock may be given back by a compare-and-swap; what comes behind it is outside. */
static void test_given_by_swap(void **state)
{
    struct traced *t = fresh();
    section(t, early, LOCK);
    take(t, late, LOCK);
    fence(t, late);
    act(t, late, STORE_TOO, DATA, 2);
    swap(t, late, CAS_ACQUIRE, LOCK, 1, 0);
    expect_one(t, SANITIZE_BARE_UNLOCK, STORE, STORE_TOO, CAS_ACQUIRE);
    t = fresh();
    take(t, early, LOCK);
    fence(t, early);
    swap(t, early, CAS, LOCK, 1, 0);
    act(t, early, STORE, DATA, 1);
    fence(t, early);
    take(t, early, LOCK);
    fence(t, early);
    give(t, early, LOCK);
    take(t, late, LOCK);
    fence(t, late);
    act(t, late, STORE_TOO, DATA, 2);
    fence(t, late);
    give(t, late, LOCK);
    expect_nothing(t);
}

/* Locks in the shared memories of two blocks are two. */
static void test_shared(void **state)
{
    struct traced *t = fresh();
    const struct traced_warp warps[] = {early, late};
    for (unsigned i = 0; i < 2; i++) {
        swap(t, warps[i], CAS_SHARED, 0x10, 0, 1);
        if (i)
            act(t, late, LOAD_RELAXED, FLAG, 0);
        fence(t, warps[i]);
        act(t, warps[i], STORE, DATA, 1);
        if (!i)
            fence(t, early);
        act(t, warps[i], EXCHANGE_SHARED, 0x10, 0);
        act(t, warps[i], STORE_RELAXED, FLAG, 1);
    }
    expect_nothing(t);
}

/* Another lane than that which has the lock: what it does is not under it. */
static void test_lanes(void **state)
{
    struct traced *t = fresh();
    section(t, early, LOCK);
    take(t, late, LOCK);
    fence(t, late);
    traced_access(t, late, STORE_TOO, 2, DATA, 4, 2);
    give(t, late, LOCK);
    expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_bare),
        cmocka_unit_test(test_ends_bare),
        cmocka_unit_test(test_ends_bare_after_waiting),
        cmocka_unit_test(test_kinds_of_accesses),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_barrier_inside),
        cmocka_unit_test(test_flag),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_two_words),
        cmocka_unit_test(test_given_by_swap),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
