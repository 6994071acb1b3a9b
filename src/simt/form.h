/* Threads that go from warp to warp of their block, each in its lane, under a divergence model that forms warps anew
 * (simt_divergence.forming). A warp then is a place in which threads execute together: registers, local memory, paths
 * and what a thread knows of locks go along with it. Who has the warps of a block decides which go where. */
#ifndef LOCKSTEP_SIMT_FORM_H
#define LOCKSTEP_SIMT_FORM_H

#include "simt/warp.h"

/* Returns true if threads of the kernel may leave their warp: it has no instruction that names lanes of the warp or
 * counts on its threads, and if it calls functions, none of its module has. Such are shuffles, votes and their kin,
 * warp barriers, barriers but the plain one of the whole block, printf, malloc, free and failed assertions. */
bool simt_may_form(const struct isa_module *module, const struct isa_function *kernel);

/* The threads of these lanes change places. Each, where there is one, may leave its warp (simt_forming.may_leave). */
void simt_exchange(struct simt_warp *a, struct simt_warp *b, uint64_t lanes);

/* The warps, by number in the block, in which the threads of these lanes began. */
uint64_t simt_homes(const struct simt_warp *warp, uint64_t lanes);

#endif
