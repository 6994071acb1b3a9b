/* The SM as its cores see it: it executes instructions. */
#ifndef LOCKSTEP_SM_PERFORM_H
#define LOCKSTEP_SM_PERFORM_H

#include "sm/state.h"

/* Where the values of the registers come from that an op with an access writes. A warp whose atomic is under way waits
 * for that alone. */
static inline enum warp_source sm_source_of(const struct core_op *o)
{
    const struct simt_access *access = o->access;
    bool far = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_CLUSTER || access->space == ISA_SPACE_LOCAL ||
               access->instr->mods.space == ISA_SPACE_PARAM;
    if (!o->in_memory || access->kind == ISA_FLAG_STORE || (far && access->kind != ISA_FLAG_LOAD))
        return WARP_FROM_OP;
    return far ? WARP_FROM_MEMORY : WARP_FROM_CHIP;
}
/* The op is a command for the asynchronous unit, and keeps its warp's operands (sm.bulk_issue): until it is complete, the
 * instructions that wait for that do not issue. */
void sm_keep_command(const struct sm *sm, struct core_op *o);
/* The SM as its cores know it. fetch_fills: fetch fills up buffers that are not empty. */
const struct core_port *sm_core_port(bool fetch_fills);

#endif
