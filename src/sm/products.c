/* Products that go on beside their warps: see products.h. When one is done is known when it begins: its unit takes them in
 * order, each for the interval of its steps. */
#include "sm/products.h"

#include "isa/matrix.h"
#include "sm/sm.h"
#include "sm/state.h"

static void begin(struct sm *sm, unsigned slot, const struct isa_instr *instr)
{
    struct sm_products *p = &sm->products[slot];
    struct sm_class_times times = sm_class_times(sm->params, isa_product_latency_of(instr));
    uint32_t steps = isa_matrix_steps(instr);
    uint64_t begins = core_reserve(sm_core(sm, slot), warp_unit_of(times.unit), steps * times.interval);
    p->open = cycle_max(p->open, begins - 1 + times.latency + (steps - 1) * times.interval);
}

static void close_group(struct sm_products *p)
{
    uint64_t before = p->groups ? p->done[(p->groups - 1) % SM_PRODUCT_GROUPS] : 0;
    p->done[p->groups % SM_PRODUCT_GROUPS] = cycle_max(before, p->open);
    p->groups++;
    p->open = 0;
}

static void wait_for_groups(struct sm *sm, unsigned slot, uint64_t most)
{
    const struct sm_products *p = &sm->products[slot];
    most = most < SM_PRODUCT_GROUPS ? most : SM_PRODUCT_GROUPS - 1;
    uint64_t done = p->groups > most ? p->done[(p->groups - 1 - most) % SM_PRODUCT_GROUPS] : 0;
    if (done > sm->agenda.now + 1)
        warp_wait_until(&sm->warp, WARP_WAIT_products, slot, done);
}

void sm_products_follow(struct sm *sm, unsigned slot, const struct isa_instr *instr)
{
    if (instr->op == ISA_OP_WGMMA)
        begin(sm, slot, instr);
    else if (instr->op == ISA_OP_WGMMA_COMMIT)
        close_group(&sm->products[slot]);
    else
        wait_for_groups(sm, slot, instr->src[0].value);
}
