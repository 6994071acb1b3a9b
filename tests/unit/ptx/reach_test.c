/* What a function needs with everything it can call, against the transitive closure of random call graphs. */
#include "unit/ptx/make_program.h"

#define MOST 12

struct calls {
    struct maker m;
    struct isa_function functions[MOST];
    struct isa_call direct[MOST], indirect;
    bool call[MOST][MOST], calls_indirect[MOST], taken[MOST];
};

static void add_call(struct calls *c, const struct isa_call *call)
{
    make_instr(&c->m, ISA_OP_CALL)->call = call;
}

static void take_address(struct calls *c, uint32_t f)
{
    struct isa_operand *operand = ARENA_NEW(&c->m.module.arena, struct isa_operand, 1);
    *operand = (struct isa_operand){.kind = ISA_OPERAND_FUNC, .reg = f};
    struct isa_instr *instr = make_instr(&c->m, ISA_OP_MOV);
    instr->src = operand;
    instr->src_count = 1;
}

static void init_calls(struct calls *c, uint64_t seed, uint32_t count)
{
    memset(c, 0, sizeof *c);
    maker_init(&c->m, seed, 2000, 1);
    c->m.module.functions = c->functions;
    c->m.module.function_count = count;
    c->indirect.callee = UINT32_MAX;
    for (uint32_t f = 0; f < count; f++) {
        c->direct[f].callee = f;
        c->functions[f].outside = draw(&c->m, 4) ? ISA_PC_NONE : draw(&c->m, 1000);
        c->functions[f].registers = 4 + draw(&c->m, 60);
        c->functions[f].shared_bytes = draw(&c->m, 3) * 100;
        c->functions[f].shared_align = 1u << draw(&c->m, 5);
    }
}

/* Bodies: instructions of one function lie together. */
static void random_bodies(struct calls *c)
{
    uint32_t count = c->m.module.function_count, density = 1 + draw(&c->m, 6);
    for (uint32_t f = 0; f < count; f++) {
        c->functions[f].first = c->m.module.instr_count;
        for (uint32_t g = 0; g < count; g++) {
            if (draw(&c->m, 10) < density) {
                c->call[f][g] = true;
                add_call(c, &c->direct[g]);
            }
            if (draw(&c->m, 40) == 0) {
                c->taken[g] = true;
                take_address(c, g);
            }
        }
        c->calls_indirect[f] = draw(&c->m, 6) == 0;
        if (c->calls_indirect[f])
            add_call(c, &c->indirect);
        c->functions[f].count = c->m.module.instr_count - c->functions[f].first;
    }
}

static void check_reach(struct calls *c)
{
    uint32_t count = c->m.module.function_count;
    bool reach[MOST][MOST];
    struct isa_function before[MOST];
    memcpy(before, c->functions, sizeof before);
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t g = 0; g < count; g++)
            reach[f][g] = f == g || c->call[f][g] || (c->calls_indirect[f] && c->taken[g]);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t f = 0; f < count; f++)
            for (uint32_t g = 0; g < count; g++)
                reach[f][g] = reach[f][g] || (reach[f][k] && reach[k][g]);
    ptx_reach(&c->m.module);
    for (uint32_t f = 0; f < count; f++) {
        struct isa_function want = before[f];
        for (uint32_t g = 0; g < count; g++) {
            if (!reach[f][g])
                continue;
            want.registers = before[g].registers > want.registers ? before[g].registers : want.registers;
            want.shared_bytes = before[g].shared_bytes > want.shared_bytes ? before[g].shared_bytes : want.shared_bytes;
            want.shared_align = before[g].shared_align > want.shared_align ? before[g].shared_align : want.shared_align;
            want.outside = before[g].outside < want.outside ? before[g].outside : want.outside;
        }
        assert_int_equal(c->functions[f].registers, want.registers);
        assert_int_equal(c->functions[f].shared_bytes, want.shared_bytes);
        assert_int_equal(c->functions[f].shared_align, want.shared_align);
        assert_int_equal(c->functions[f].outside, want.outside);
    }
}

static void test_random_call_graphs(void **state)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct calls c;
        init_calls(&c, seed, 1 + (uint32_t)(seed % MOST));
        random_bodies(&c);
        check_reach(&c);
        maker_free(&c.m);
    }
}

static void test_address_in_a_variable(void **state)
{
    struct calls c;
    init_calls(&c, 3, 2);
    struct isa_reloc reloc = {.is_function = true, .symbol = 1};
    struct isa_variable table = {.reloc_count = 1, .relocs = &reloc};
    c.m.module.variables = &table;
    c.m.module.variable_count = 1;
    c.functions[0].count = 1;
    c.functions[0].registers = 10;
    c.functions[1].first = 1;
    c.functions[1].registers = 40;
    add_call(&c, &c.indirect);
    ptx_reach(&c.m.module);
    assert_int_equal(c.functions[0].registers, 40);
    maker_free(&c.m);
}

static void test_register_cap(void **state)
{
    struct calls c;
    init_calls(&c, 3, 2);
    c.functions[0].count = 1;
    c.functions[0].registers = 10;
    c.functions[0].max_registers = 32;
    c.functions[1].first = 1;
    c.functions[1].registers = 40;
    add_call(&c, &c.direct[1]);
    ptx_reach(&c.m.module);
    assert_int_equal(c.functions[0].registers, 32);
    assert_int_equal(c.functions[1].registers, 40);
    maker_free(&c.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_call_graphs),
        cmocka_unit_test(test_address_in_a_variable),
        cmocka_unit_test(test_register_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
