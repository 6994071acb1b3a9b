/* What the checks say of an access: why it races, and what would order it; who waits at a word; which bytes were
 * written. */
#include "unit/sanitize/traced.h"

#define FLAG (TRACED_MEMORY + 0x100)
#define DATA (TRACED_MEMORY + 0x200)
#define FAR (TRACED_MEMORY + TRACED_BYTES) /* behind the end */

/* Instructions, by their number. */
enum {
    LOAD,
    STORE,
    STORE_TOO,
    STORE_BYTE,
    LOAD_WIDE,
    LOAD_RELAXED,
    STORE_RELAXED,
    LOAD_VOLATILE,
    STORE_VOLATILE,
    ADD,
    ADD_BLOCK,
    CAS,
    LOAD_SHARED,
    STORE_SHARED,
    FENCE,
    FENCE_BLOCK,
    SYNCWARP,
    LOOP_LOAD,
    LOOP_BRANCH,
    WAIT_FOR_LAUNCHES,
};

static void make(struct isa_instr *instr, enum isa_op op, uint8_t order, uint8_t atomic)
{
    *instr = (struct isa_instr){.op = op, .type = ISA_U32, .dst_count = op == ISA_OP_ATOM};
    instr->mods.order = order;
    instr->mods.atomic = atomic;
    instr->mods.space = ISA_SPACE_GLOBAL;
}

/* The operands of the loop that looks: a load from the address in a register. */
static const struct isa_operand address_register = {.kind = ISA_OPERAND_REG, .bits = 64, .reg = 1},
                                value_register = {.kind = ISA_OPERAND_REG, .bits = 32, .reg = 2};

static void make_loop(struct isa_instr *of, const struct isa_operand *result)
{
    make(&of[LOOP_LOAD], ISA_OP_LD, ISA_ORDER_VOLATILE, 0);
    of[LOOP_LOAD].src = &address_register;
    of[LOOP_LOAD].dst = result;
    of[LOOP_LOAD].src_count = of[LOOP_LOAD].dst_count = 1;
    of[LOOP_BRANCH] = (struct isa_instr){.op = ISA_OP_BRA, .target = LOOP_LOAD};
}

static struct traced *prepared(unsigned checks, uint32_t target_sm)
{
    struct traced *t = traced_new(checks, target_sm);
    struct isa_instr *of = t->instrs;
    make(&of[LOAD], ISA_OP_LD, ISA_ORDER_WEAK, 0);
    make(&of[STORE], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[STORE_TOO], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[STORE_BYTE], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[LOAD_WIDE], ISA_OP_LD, ISA_ORDER_WEAK, 0);
    make(&of[LOAD_RELAXED], ISA_OP_LD, ISA_ORDER_RELAXED, 0);
    make(&of[STORE_RELAXED], ISA_OP_ST, ISA_ORDER_RELAXED, 0);
    make(&of[LOAD_VOLATILE], ISA_OP_LD, ISA_ORDER_VOLATILE, 0);
    make(&of[STORE_VOLATILE], ISA_OP_ST, ISA_ORDER_VOLATILE, 0);
    make(&of[ADD], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_ADD);
    make(&of[ADD_BLOCK], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_ADD);
    make(&of[CAS], ISA_OP_ATOM, ISA_ORDER_RELAXED, ISA_ATOMIC_CAS);
    of[WAIT_FOR_LAUNCHES] = (struct isa_instr){.op = ISA_OP_GRIDDEPCONTROL};
    of[WAIT_FOR_LAUNCHES].mods.dependent = ISA_DEPENDENT_WAIT;
    make(&of[LOAD_SHARED], ISA_OP_LD, ISA_ORDER_WEAK, 0);
    make(&of[STORE_SHARED], ISA_OP_ST, ISA_ORDER_WEAK, 0);
    make(&of[FENCE], ISA_OP_MEMBAR, 0, 0);
    make(&of[FENCE_BLOCK], ISA_OP_MEMBAR, 0, 0);
    make(&of[SYNCWARP], ISA_OP_BAR, 0, 0);
    make_loop(of, &value_register);
    of[LOAD_WIDE].type = ISA_U64;
    of[ADD_BLOCK].mods.scope = of[FENCE_BLOCK].mods.scope = ISA_SCOPE_CTA;
    of[LOAD_SHARED].mods.space = of[STORE_SHARED].mods.space = ISA_SPACE_SHARED;
    of[SYNCWARP].mods.barrier = ISA_BARRIER_WARP;
    of[LOAD_RELAXED].dst_count = of[LOAD_VOLATILE].dst_count = 1;
    return t;
}

static const struct traced_warp one = {0, 0}, beside = {0, 1}, other = {1, 0}, third = {2, 0};

static void begin(struct traced *t)
{
    traced_begin(t, NULL);
    for (uint32_t block = 0; block < 3; block++)
        for (uint32_t warp = 0; warp < 2; warp++)
            traced_launch(t, (struct traced_warp){block, warp});
}
static struct traced *fresh(void)
{
    struct traced *t = prepared(SANITIZE_RACES, 70);
    begin(t);
    return t;
}

static void act(struct traced *t, struct traced_warp w, uint32_t pc, uint64_t address, uint32_t value)
{
    traced_access(t, w, pc, 1, address, 4, value);
    traced_done(t, w, pc);
}

static struct sanitize_finding only(struct traced *t)
{
    size_t count;
    const struct sanitize_finding *findings = traced_end(t, &count);
    assert_int_equal(count, 1);
    struct sanitize_finding finding = *findings;
    traced_free(t);
    return finding;
}
static void expect_nothing(struct traced *t)
{
    size_t count;
    traced_end(t, &count);
    assert_int_equal(count, 0);
    traced_free(t);
}
static void expect(struct traced *t, enum sanitize_reason reason, uint32_t via)
{
    struct sanitize_finding finding = only(t);
    assert_int_equal(finding.reason, reason);
    assert_int_equal(finding.via, via);
}

/* Of a warp's lanes, and of a block's warps. */
static void test_inside_a_block(void **state)
{
    for (uint32_t target = 61; target <= 70; target += 9) {
        struct traced *t = prepared(SANITIZE_RACES, target);
        begin(t);
        traced_access(t, one, STORE, 1, DATA, 4, 1);
        traced_access(t, one, LOAD, 6, DATA, 4, 0);
        if (target == 70) {
            struct sanitize_finding finding = only(t);
            assert_int_equal(finding.reason, SANITIZE_NO_SYNCWARP);
            assert_int_equal(finding.count, 2);
            assert_int_equal(finding.second.lane, 1);
        } else {
            expect_nothing(t);
        }
    }
    struct traced *t = fresh();
    traced_access(t, one, STORE, 1, DATA, 4, 1);
    traced_issue(t, one, SYNCWARP);
    traced_access(t, one, LOAD, 6, DATA, 4, 0);
    expect_nothing(t);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, beside, LOAD, DATA, 0);
    struct sanitize_finding finding = only(t);
    assert_int_equal(finding.reason, SANITIZE_NO_BARRIER);
    assert_int_equal(finding.first.warp, 0);
    assert_int_equal(finding.second.warp, 1);
    assert_true(finding.first.writes && !finding.second.writes);
}

/* Of two blocks: the first hands a word on by a flag, and each way to get it wrong has its reason. */
static void test_between_blocks(void **state)
{
    struct traced *t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, other, LOAD, DATA, 0);
    expect(t, SANITIZE_NO_FENCE, ISA_PC_NONE);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, one, STORE_RELAXED, FLAG, 1);
    act(t, other, LOAD_RELAXED, FLAG, 0);
    traced_issue(t, other, FENCE);
    act(t, other, LOAD, DATA, 0);
    expect(t, SANITIZE_NO_FENCE, STORE_RELAXED);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    traced_issue(t, one, FENCE_BLOCK);
    act(t, one, STORE_RELAXED, FLAG, 1);
    act(t, other, LOAD_RELAXED, FLAG, 0);
    traced_issue(t, other, FENCE);
    act(t, other, LOAD, DATA, 0);
    expect(t, SANITIZE_NARROW_FENCE, ISA_PC_NONE);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    traced_issue(t, one, FENCE);
    act(t, one, STORE_RELAXED, FLAG, 1);
    act(t, other, LOAD_RELAXED, FLAG, 0);
    act(t, other, LOAD, DATA, 0);
    expect(t, SANITIZE_NO_ACQUIRE, LOAD_RELAXED);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    traced_issue(t, one, FENCE);
    act(t, one, STORE_RELAXED, FLAG, 1);
    act(t, other, LOAD, DATA, 0);
    expect(t, SANITIZE_UNRELATED, ISA_PC_NONE);
    t = fresh();
    act(t, one, ADD_BLOCK, DATA, 1);
    act(t, other, ADD, DATA, 1);
    expect(t, SANITIZE_NARROW_ACCESS, ISA_PC_NONE);
}

/* An atomic behind a read that saw a release is ordered without a fence, and a volatile access but for one behind a
 * lock. */
static void follow(uint32_t reads, uint32_t second, bool found)
{
    struct traced *t = fresh();
    act(t, one, STORE, DATA, 1);
    traced_issue(t, one, FENCE);
    act(t, one, STORE_RELAXED, FLAG, 1);
    act(t, other, reads, FLAG, 0);
    act(t, other, second, DATA, 0);
    if (found)
        expect(t, SANITIZE_NO_ACQUIRE, reads);
    else
        expect_nothing(t);
}
static void test_what_follows_a_read(void **state)
{
    follow(LOAD_RELAXED, LOAD, true);
    follow(LOAD_RELAXED, ADD, false);
    follow(LOAD_RELAXED, STORE_VOLATILE, false);
    follow(CAS, STORE_VOLATILE, true);
    follow(CAS, ADD, false);
}

/* Accesses that do not overlap, and those that are counted to others. */
static void test_findings(void **state)
{
    struct traced *t = fresh();
    traced_access(t, one, STORE_BYTE, 1, DATA, 1, 1);
    traced_access(t, other, STORE_BYTE, 1, DATA + 1, 1, 1);
    traced_access(t, third, STORE, 1, DATA + 4, 4, 1);
    traced_access(t, one, STORE, 1, FAR, 4, 1);
    traced_access(t, other, STORE, 1, FAR, 4, 1);
    expect_nothing(t);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, other, LOAD, DATA, 0);
    act(t, other, LOAD, DATA + 4, 0);
    act(t, one, STORE, DATA + 4, 1); /* the other way round */
    struct sanitize_finding finding = only(t);
    assert_int_equal(finding.count, 2);
    assert_int_equal(finding.address, DATA);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, other, STORE_TOO, DATA, 1);
    assert_true(only(t).same_value);
    t = fresh();
    act(t, one, STORE, DATA, 1);
    act(t, other, STORE_TOO, DATA, 2);
    assert_false(only(t).same_value);
    t = fresh();
    traced_access(t, one, LOAD_WIDE, 1, DATA, 8, 0);
    act(t, other, STORE, DATA + 4, 1); /* its second word */
    assert_int_equal(only(t).address, DATA + 4);
}

/* Volatile accesses race but where some thread waits at the word. */
static void test_who_waits(void **state)
{
    struct traced *t = fresh();
    act(t, one, STORE_VOLATILE, FLAG, 1);
    act(t, other, LOAD_VOLATILE, FLAG, 0);
    struct sanitize_finding finding = only(t);
    assert_true(finding.loose);
    t = fresh();
    act(t, one, STORE_VOLATILE, FLAG, 1);
    act(t, other, LOAD_VOLATILE, FLAG, 0);
    act(t, other, LOAD_VOLATILE, FLAG, 0); /* it looks again */
    expect_nothing(t);
    t = fresh();
    act(t, one, STORE_VOLATILE, FLAG, 1);
    act(t, other, LOAD_VOLATILE, FLAG, 0);
    act(t, other, STORE, DATA, 0);
    act(t, other, LOAD_VOLATILE, FLAG, 0); /* it has stored meanwhile */
    assert_true(only(t).loose);
    t = fresh();
    act(t, one, STORE_VOLATILE, FLAG, 1);
    act(t, other, LOAD_VOLATILE, FLAG, 0);
    act(t, third, CAS, FLAG, 0);
    expect_nothing(t);
    t = fresh();
    act(t, one, STORE_VOLATILE, FLAG, 1);
    act(t, other, LOOP_LOAD, FLAG, 0); /* once is enough */
    expect_nothing(t);
}

/* A loop is one that looks only if the address stays, and nothing is written. */
static void test_loops(void **state)
{
    for (unsigned what = 0; what < 2; what++) {
        struct traced *t = prepared(SANITIZE_RACES, 70);
        if (what)
            make_loop(t->instrs, &address_register);
        else
            t->instrs[LOOP_BRANCH].target = STORE_SHARED;
        t->instrs[LOOP_BRANCH].op = ISA_OP_BRA;
        begin(t);
        act(t, one, STORE_VOLATILE, FLAG, 1);
        act(t, other, LOOP_LOAD, FLAG, 0);
        assert_true(only(t).loose);
    }
}

/* Written bytes */

static struct traced *fresh_init(void)
{
    struct traced *t = prepared(SANITIZE_UNWRITTEN, 70);
    sanitize_host_allocated(t->s, DATA, 3 * 4096);
    begin(t);
    return t;
}

static void expect_unwritten(struct traced *t, uint64_t address, uint32_t bytes)
{
    struct sanitize_finding finding = only(t);
    assert_int_equal(finding.reason, SANITIZE_NEVER_WRITTEN);
    assert_int_equal(finding.address, address);
    assert_int_equal(finding.bytes, bytes);
}

static void test_never_written(void **state)
{
    struct traced *t = fresh_init();
    act(t, one, LOAD, DATA, 0);
    expect_unwritten(t, DATA, 4);
    t = fresh_init();
    act(t, one, LOAD, DATA - 4, 0); /* not of that allocation */
    act(t, one, STORE, DATA, 1);
    act(t, other, LOAD, DATA, 0);
    traced_access(t, one, STORE_BYTE, 1, DATA + 5, 1, 1);
    act(t, other, LOAD, DATA + 4, 0); /* a part of it is */
    expect_nothing(t);
    t = fresh_init();
    act(t, one, ADD, DATA + 4096, 1);
    act(t, one, ADD, DATA + 4096, 1);
    expect_unwritten(t, DATA + 4096, 4);
    t = fresh_init();
    traced_access(t, one, LOAD_WIDE, 1, DATA + 8, 16, 0); /* two elements, of which one is */
    sanitize_host_wrote(t->s, DATA + 32, 8);
    traced_access(t, one, LOAD_WIDE, 1, DATA + 24, 16, 0);
    struct sanitize_finding finding = only(t);
    assert_int_equal(finding.count, 3);
    assert_int_equal(finding.bytes, 8);
}

static void test_host_writes(void **state)
{
    struct traced *t = fresh_init();
    sanitize_host_wrote(t->s, DATA, 2 * 4096); /* over the edges of pages */
    act(t, one, LOAD, DATA, 0);
    act(t, one, LOAD, DATA + 2 * 4096 - 4, 0);
    sanitize_host_copied(t->s, DATA + 2 * 4096 + 8, DATA + 4, 4);
    act(t, one, LOAD, DATA + 2 * 4096 + 8, 0);
    expect_nothing(t);
    t = fresh_init();
    sanitize_host_wrote(t->s, DATA, 2 * 4096);
    act(t, one, LOAD, DATA + 2 * 4096, 0);
    expect_unwritten(t, DATA + 2 * 4096, 4);
    t = fresh_init();
    sanitize_host_wrote(t->s, DATA, 8);
    sanitize_host_copied(t->s, DATA + 4, DATA + 8, 4); /* what is not there comes along */
    act(t, one, LOAD, DATA + 4, 0);
    expect_unwritten(t, DATA + 4, 4);
}

static bool all_of_it(const void *context, uint64_t address)
{
    return true;
}
static void test_memory_of_the_host(void **state)
{
    struct traced *t = prepared(SANITIZE_UNWRITTEN, 70);
    sanitize_host_allocated(t->s, DATA, 64);
    traced_begin(t, all_of_it);
    traced_launch(t, one);
    act(t, one, LOAD, DATA, 0);
    expect_nothing(t);
}

/* Shared memory is its block's, and new for the next one in the slot. */
static void test_shared(void **state)
{
    struct traced *t = prepared(SANITIZE_RACES | SANITIZE_UNWRITTEN, 70);
    traced_begin(t, NULL);
    traced_launch(t, one);
    traced_launch(t, other);
    act(t, one, STORE_SHARED, 64, 1);
    act(t, one, LOAD_SHARED, 64, 0);
    act(t, other, STORE_SHARED, 64, 2);
    act(t, other, LOAD_SHARED, 64, 0);
    traced_leave(t, one);
    traced_launch(t, one);
    act(t, one, STORE_SHARED, 60, 1);
    act(t, one, LOAD_SHARED, 64, 0);
    act(t, one, LOAD_SHARED, 1 << 20, 0); /* beyond what is looked at */
    expect_unwritten(t, 64, 4);
}

/* Launches before: what orders the present one behind them. */
static void test_launches(void **state)
{
    static const struct {
        struct sanitize_among among;
        bool waits, finds;
        enum sanitize_reason reason;
    } cases[] = {
        {{.open = 1, .place = 1}, false, true, SANITIZE_NO_STREAM},
        {{.open = 1, .place = 1}, true, true, SANITIZE_NO_STREAM},
        {{.open = 1, .begins = 1, .place = 1}, false, false, 0},
        {{.open = 1, .ends = 1, .place = 1}, false, true, SANITIZE_NO_DEPENDENCY},
        {{.open = 1, .ends = 1, .place = 1}, true, false, 0},
        {{.place = 1}, false, false, 0}, /* the host has waited */
        {{.open = 1, .place = 0}, false, false, 0}, /* its place was taken: it was the oldest */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct traced *t = prepared(SANITIZE_RACES, 70);
        size_t count;
        t->among = (struct sanitize_among){0};
        traced_begin(t, NULL);
        traced_launch(t, one);
        act(t, one, STORE, DATA, 1);
        traced_end(t, &count);
        t->among = cases[i].among;
        traced_begin(t, NULL);
        traced_launch(t, one);
        if (cases[i].waits)
            traced_issue(t, one, WAIT_FOR_LAUNCHES);
        act(t, one, LOAD, DATA, 0);
        const struct sanitize_finding *found = traced_end(t, &count);
        assert_int_equal(count, cases[i].finds);
        if (count) {
            assert_int_equal(found->reason, cases[i].reason);
            assert_string_equal(found->first.launch->kernel, "k");
            assert_null(found->second.launch);
        }
        traced_free(t);
    }
}

/* A word that a launch before has released hands on its end, to clocks of another size too; one of the scope of a block does not. */
static void test_launches_tell(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct traced *t = prepared(SANITIZE_RACES, 70);
        size_t count;
        traced_begin(t, NULL);
        traced_launch(t, one);
        act(t, one, STORE, DATA, 1);
        traced_issue(t, one, way == 1 ? FENCE_BLOCK : FENCE);
        act(t, one, STORE_RELAXED, FLAG, 1);
        traced_end(t, &count);
        for (uint8_t n = 1; n < 3; n++) { /* the second time as a launch that others lie between */
            t->among = (struct sanitize_among){.open = BIT64(n) - 1, .place = n};
            traced_begin(t, NULL);
            traced_launch(t, other);
            if (n == 2) {
                act(t, other, LOAD_RELAXED, FLAG, 0);
                traced_done(t, other, LOAD_RELAXED);
                if (way != 2)
                    traced_issue(t, other, FENCE);
                act(t, other, way == 3 ? STORE : LOAD, DATA, 2);
            }
            const struct sanitize_finding *found = traced_end(t, &count);
            assert_int_equal(count, n == 2 && (way == 1 || way == 2));
            if (count)
                assert_int_equal(found->reason, way == 1 ? SANITIZE_NO_STREAM : SANITIZE_NO_ACQUIRE);
        }
        traced_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside_a_block),      cmocka_unit_test(test_between_blocks),
        cmocka_unit_test(test_what_follows_a_read), cmocka_unit_test(test_findings),
        cmocka_unit_test(test_who_waits),           cmocka_unit_test(test_loops),
        cmocka_unit_test(test_never_written),       cmocka_unit_test(test_host_writes),
        cmocka_unit_test(test_memory_of_the_host),  cmocka_unit_test(test_shared),
        cmocka_unit_test(test_launches),            cmocka_unit_test(test_launches_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
