/* The table of orders (memory/order.def) against the rules that it writes out: which accesses release and acquire, at
 * which scope the L1 has a part in that, and for what a warp waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/mod_values.h"
#include "memory/order.h"

struct ask {
    enum order_kind kind;
    uint8_t order, scope;
};

static bool releases(const struct ask *a)
{
    return a->order == ISA_ORDER_RELEASE || a->order == ISA_ORDER_ACQ_REL || a->order == ISA_ORDER_SC;
}

static bool acquires(const struct ask *a)
{
    return a->order == ISA_ORDER_ACQUIRE || a->order == ISA_ORDER_ACQ_REL || a->order == ISA_ORDER_SC;
}

static unsigned event_of(const struct ask *a)
{
    bool strong = a->kind == ORDER_ATOMIC || a->order > ISA_ORDER_WEAK;
    if (!strong)
        return a->kind == ORDER_LOAD ? AGENT_LOAD_EVENT : AGENT_STORE_EVENT;
    if (a->scope == ISA_SCOPE_REMOTE)
        return AGENT_REMOTE_EVENT;
    if (a->scope == ISA_SCOPE_CTA)
        return AGENT_BLOCK_EVENT;
    return a->order > ISA_ORDER_RELAXED ? AGENT_DEVICE_EVENT : AGENT_RELAXED_EVENT;
}

static unsigned before_of(const struct ask *a)
{
    if (a->kind == ORDER_LOAD || !releases(a))
        return 0;
    return 1 + (a->scope == ISA_SCOPE_CTA      ? L1_BLOCK_RELEASE
                : a->scope == ISA_SCOPE_REMOTE ? L1_REMOTE_RELEASE
                                               : L1_RELEASE);
}

/* At the scope of the block nobody's lines need be dropped. */
static unsigned after_of(const struct ask *a)
{
    if (a->kind == ORDER_STORE || !acquires(a) || a->scope == ISA_SCOPE_CTA)
        return 0;
    return 1 + (a->scope == ISA_SCOPE_REMOTE ? L1_REMOTE_ACQUIRE : L1_ACQUIRE);
}

static unsigned answer_of(const struct ask *a)
{
    if (a->kind == ORDER_ATOMIC)
        return ORDER_ANSWER_YES;
    return (after_of(a) ? ORDER_ANSWER_DROPS : 0) | (a->scope == ISA_SCOPE_REMOTE ? ORDER_ANSWER_KEEPS : 0);
}

static void accesses_mean_what_the_rules_say(void **state)
{
    (void)state;
    for (unsigned kind = ORDER_LOAD; kind <= ORDER_ATOMIC; kind++)
        for (uint8_t order = 0; order <= ISA_ORDER_MMIO; order++)
            for (uint8_t scope = 0; scope <= ISA_SCOPE_REMOTE; scope++) {
                const struct ask a = {kind, order, scope};
                const struct order_meaning *m = order_meaning(kind, order, scope);
                assert_int_equal(m->event, event_of(&a));
                assert_int_equal(m->before, before_of(&a));
                assert_int_equal(m->after, after_of(&a));
                assert_int_equal(m->answer, answer_of(&a));
                assert_int_equal(order_waits_before(m, true), m->before != 0);
                assert_int_equal(order_waits_before(m, false), m->before && scope != ISA_SCOPE_CTA);
                assert_int_equal(order_synchronises_block(m), m->before && scope == ISA_SCOPE_CTA);
            }
}

static void fences_order_beyond_the_block(void **state)
{
    (void)state;
    for (uint8_t order = 0; order <= ISA_ORDER_MMIO; order++)
        for (uint8_t scope = 0; scope <= ISA_SCOPE_SYS; scope++) {
            const struct order_meaning *m = order_meaning(ORDER_FENCE, order, scope);
            unsigned both = scope == ISA_SCOPE_CTA ? 0 : 1 + L1_FENCE;
            assert_int_equal(m->before, both);
            assert_int_equal(m->after, both);
            assert_int_equal(m->answer, 0);
        }
}

/* Under a protocol without scopes an access at the scope of the block is one at the device's. */
static void protocols_may_know_no_scopes(void **state)
{
    (void)state;
    for (uint8_t scope = 0; scope <= ISA_SCOPE_REMOTE; scope++) {
        bool block = scope == ISA_SCOPE_CTA;
        assert_int_equal(order_scope(coherence_find("denovo-b"), scope), block ? ISA_SCOPE_GPU : scope);
        assert_int_equal(order_scope(coherence_find("vi"), scope), scope);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_mean_what_the_rules_say),
        cmocka_unit_test(fences_order_beyond_the_block),
        cmocka_unit_test(protocols_may_know_no_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
