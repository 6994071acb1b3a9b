/* The products of matrices that warps have begun (wgmma): they are done by the units of their warp's core, one after the other,
 * beside what the warps execute, and their warps wait for them by groups. */
#ifndef LOCKSTEP_SM_PRODUCTS_H
#define LOCKSTEP_SM_PRODUCTS_H

#include <stdint.h>

#define SM_PRODUCT_GROUPS 16 /* of a warp: a wait that leaves as many or more waits for more than it asks for */

/* Of a warp: cycles in which its products are done. */
struct sm_products {
    uint64_t open;                    /* those of no group yet */
    uint64_t done[SM_PRODUCT_GROUPS]; /* of the last groups: a ring by their number */
    uint64_t groups;                  /* closed since the warp began */
};

struct sm;
struct isa_instr;
/* A warp has executed an instruction of wgmma: it begins a product, closes a group, or waits. */
void sm_products_follow(struct sm *sm, unsigned slot, const struct isa_instr *instr);

#endif
