/* How early loads may be answered (lsu/early.h): which instructions order what is behind them, that loads which are
 * still out when one does bind those behind it, and what a request then says and asks for. */
#include "unit/lsu/lsu_bench.h"

/* Instructions of the program, by place: those that order, and others. */
static const char program[] = "fence.acq_rel.cta;\n"
                              "fence.sc.gpu;\n"
                              "membar.sys;\n"
                              "bar.sync 0;\n"
                              "bar.warp.sync -1;\n"
                              "barrier.cta.arrive 1, 64;\n"
                              "ld.acquire.cta.global.u32 %r1, [%rd1];\n"
                              "ld.acquire.gpu.global.u32 %r1, [%rd1];\n"
                              "atom.acquire.gpu.global.add.u32 %r1, [%rd1], %r2;\n"
                              "atom.acq_rel.cta.shared.add.u32 %r1, [%rd1], %r2;\n"
                              ".reg .pred %p1; mbarrier.test_wait.shared.b64 %p1, [%rd1], %rd2;\n"
                              "cp.async.wait_all;\n"
                              "cp.async.bulk.wait_group 0;\n"
                              "griddepcontrol.wait;\n"
                              "lockstep.lock.global.b32 [%rd1];\n"
                              "add.u32 %r1, %r1, %r2;\n"
                              "ld.global.u32 %r1, [%rd1];\n"
                              "ld.relaxed.gpu.global.u32 %r1, [%rd1];\n"
                              "ld.volatile.global.u32 %r1, [%rd1];\n"
                              "ld.shared.u32 %r1, [%rd1];\n"
                              "st.global.u32 [%rd1], %r1;\n"
                              "st.release.gpu.global.u32 [%rd1], %r1;\n"
                              "atom.relaxed.gpu.global.add.u32 %r1, [%rd1], %r2;\n"
                              "atom.release.gpu.global.add.u32 %r1, [%rd1], %r2;\n"
                              "red.global.add.u32 [%rd1], %r2;\n"
                              "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\n"
                              "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];\n";
enum { FENCE_OF_BLOCK, FENCE, ACQUIRE_OF_BLOCK = 6, ACQUIRE, ADD = 15, LOAD, MMIO = 26 };

static void start(struct lsu_bench *l)
{
    static const struct lsu_port none = {.complete = NULL};
    lsu_bench_begin(l, 1);
    lsu_bench_open(l, program, &none, NULL);
}

static void issue(struct lsu_bench *l, uint64_t cycle, unsigned slot, uint32_t pc)
{
    l->b.agenda.now = cycle;
    lsu_early_issued(&l->lsu, slot, &l->module->instrs[pc]);
}

/* What the request of a load says that leaves in a cycle; lanes: those of the instruction, from lane 0 on, and where
 * they read. */
static struct message_read ask(struct lsu_bench *l, uint64_t cycle, unsigned slot, uint32_t pc, unsigned lanes,
                               uint64_t address)
{
    struct core_bench *b = &l->b;
    struct message_read m = {.packet = {.kind = PACKET_READ, .address = address & ~UINT64_C(31), .bytes = 32}};
    uint32_t op = core_op_new(&b->ops);
    struct core_op *o = &b->ops.items[op];
    core_op_name(b->core, slot, o, &l->decoded[pc]);
    o->slot = (uint8_t)slot;
    o->access = core_access_new(&b->ops, &b->arena);
    o->access->instr = &l->module->instrs[pc];
    o->access->op = &l->code->ops[pc];
    o->access->space = ISA_SPACE_GLOBAL;
    o->access->kind = ISA_FLAG_LOAD;
    o->access->element_bytes = 4;
    o->access->elements = 1;
    o->access->mask = mask_low(lanes);
    for (unsigned i = 0; i < lanes; i++)
        o->access->address[i] = address + 4 * i;
    const struct lsu_transaction t = {
        .lanes = mask_low(lanes), .address = m.packet.address, .bytes = m.packet.bytes, .op = op};
    b->agenda.now = cycle;
    lsu_early_ask(&l->lsu, o, &t, &m);
    core_access_free(&b->ops, o);
    core_op_free(&b->ops, op);
    return m;
}

static uint32_t ago(struct lsu_bench *l, uint64_t cycle, unsigned slot)
{
    return ask(l, cycle, slot, LOAD, 1, BENCH_BASE).ago;
}

static void what_orders_begins_anew(void **state)
{
    struct lsu_bench l;
    start(&l);
    for (uint32_t pc = 0; pc < MMIO + 1; pc++) {
        bool orders = pc < ADD || pc == MMIO;
        uint64_t cycle = 1000 * (pc + 1);
        issue(&l, cycle, 3, FENCE);
        issue(&l, cycle + 100, 3, ADD);
        issue(&l, cycle + 200, 3, pc);
        assert_int_equal(ago(&l, cycle + 250, 3), 150); /* it comes behind that */
        issue(&l, cycle + 300, 3, ADD);
        issue(&l, cycle + 400, 3, LOAD);
        if (ago(&l, cycle + 500, 3) != (orders ? 200 : 400))
            fail_msg("instruction %u: %u cycles", pc, ago(&l, cycle + 500, 3));
    }
    lsu_bench_close(&l);
}

/* Loads that an order does not wait for: whatever issues before the last of them has come may not be answered before.
 */
static void loads_that_are_out_bind_those_behind(void **state)
{
    static const uint32_t orders[] = {FENCE_OF_BLOCK, ACQUIRE_OF_BLOCK};
    for (unsigned i = 0; i < 2; i++) {
        struct lsu_bench l;
        start(&l);
        issue(&l, 10, 0, ADD);
        issue(&l, 20, 0, LOAD);
        l.b.warp.slots[0].loads_out = 1;
        issue(&l, 30, 0, orders[i]);
        issue(&l, 40, 0, LOAD);
        assert_int_equal(ago(&l, 45, 0), 5);
        issue(&l, 50, 0, ADD);
        assert_int_equal(ago(&l, 55, 0), 5);
        l.b.warp.slots[0].loads_out = 0;
        issue(&l, 60, 0, LOAD);
        issue(&l, 70, 0, LOAD);
        assert_int_equal(ago(&l, 100, 0), 40);
        lsu_bench_close(&l);
    }
}

/* What orders is itself behind what ordered before it; a warp that begins, or gets other threads, is ordered. */
static void orders_follow_each_other(void **state)
{
    struct lsu_bench l;
    start(&l);
    issue(&l, 10, 5, ADD);
    assert_int_equal(ago(&l, 20, 5), 10);
    issue(&l, 30, 5, FENCE);
    issue(&l, 40, 5, ACQUIRE);
    assert_int_equal(ago(&l, 50, 5), 10);
    issue(&l, 60, 5, LOAD);
    assert_int_equal(ago(&l, 70, 5), 10);
    issue(&l, 80, 5, LOAD);
    assert_int_equal(ago(&l, 90, 5), 30);
    lsu_block_exchanges(&l.lsu, bench_block_of(5));
    issue(&l, 100, 5, LOAD);
    assert_int_equal(ago(&l, 110, 5), 10);
    lsu_warp_begins(&l.lsu, 5);
    issue(&l, 120, 5, LOAD);
    assert_int_equal(ago(&l, 130, 5), 10);
    lsu_bench_close(&l);
}

static void a_request_is_for_what_its_lanes_read(void **state)
{
    struct lsu_bench l;
    start(&l);
    issue(&l, 10, 0, ADD);
    struct message_read m = ask(&l, 20, 0, LOAD, 3, BENCH_BASE + 8);
    assert_int_equal(m.packet.address, BENCH_BASE + 8);
    assert_int_equal(m.packet.bytes, 12);
    m = ask(&l, 20, 0, LOAD, 3, BENCH_BASE + 24); /* its last lane's is another request's */
    assert_int_equal(m.packet.address, BENCH_BASE + 24);
    assert_int_equal(m.packet.bytes, 8);
    m = ask(&l, 20, 0, MMIO, 1, BENCH_BASE + 8);
    assert_int_equal(m.packet.bytes, 32);
    assert_int_equal(m.ago, 0);
    lsu_bench_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_orders_begins_anew),
        cmocka_unit_test(loads_that_are_out_bind_those_behind),
        cmocka_unit_test(orders_follow_each_other),
        cmocka_unit_test(a_request_is_for_what_its_lanes_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
