/* `.pragma "lockstep.spin"`: which branches and instructions it marks, and that disassembly keeps it. */
#include "unit/ptx/ptx_support.h"

#include "base/bits.h"

/* Two loops, the inner one marked; then a loop with two branches to its head, marked at its end. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n"
                           "OUTER: mov.u32 %r1, 0;\n"                        /* 0 */
                           "INNER: add.u32 %r1, %r1, 1;\n"                   /* 1 */
                           ".pragma \"lockstep.spin\";\n"
                           "setp.lt.u32 %p1, %r1, 5;\n"                      /* 2 */
                           "@%p1 bra INNER;\n"                               /* 3 */
                           "@%p2 bra OUTER;\n"                               /* 4 */
                           "AGAIN: add.u32 %r2, %r2, 1;\n"                   /* 5 */
                           "@%p1 bra AGAIN;\n"                               /* 6 */
                           "setp.lt.u32 %p1, %r2, 5;\n"                      /* 7 */
                           ".pragma \"lockstep.spin\";\n"
                           "@%p1 bra AGAIN;\n"                               /* 8 */
                           ".pragma \"lockstep.spin\";\n.pragma \"nounroll\";\n"
                           "ret;\n}\n";                                      /* 9 */

static uint64_t set_of(const struct isa_module *module, uint8_t bit)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < module->instr_count; i++)
        set |= module->instrs[i].spin & bit ? BIT64(i) : 0;
    return set;
}

static void marks(void **state)
{
    struct isa_module *module = support_load("spin", text);
    assert_int_equal(module->instr_count, 10);
    assert_int_equal(set_of(module, ISA_SPIN_MARK), BIT64(2) | BIT64(8) | BIT64(9));
    /* A mark behind all loops names none; AGAIN's first branch closes the loop that the second one's mark names only
     * if it stands behind the mark: it does not, but it has the same target. */
    assert_int_equal(set_of(module, ISA_SPIN_BRANCH), BIT64(3) | BIT64(6) | BIT64(8));
    assert_int_equal(set_of(module, ISA_SPIN_INSIDE), 0x1EE);
    isa_module_free(module);
}

static void round_trip(void **state)
{
    struct isa_module *first = support_load("spin", text);
    struct strbuf out = {0};
    isa_disasm_module(first, &out);
    struct isa_module *second = support_load("disassembly", strbuf_text(&out));
    support_same_module(first, second);
    for (uint8_t bit = 1; bit <= ISA_SPIN_INSIDE; bit = (uint8_t)(bit * 2))
        assert_int_equal(set_of(first, bit), set_of(second, bit));
    strbuf_free(&out);
    isa_module_free(first);
    isa_module_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks), cmocka_unit_test(round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
