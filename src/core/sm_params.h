/* Parameters of an SM: group "sm". */
#ifndef LOCKSTEP_CORE_SM_PARAMS_H
#define LOCKSTEP_CORE_SM_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/param.h"
#include "warp/units.h"

enum sm_coalescing { SM_COALESCE_ARCH13, SM_COALESCE_ARCH20 };
enum sm_atomics_joined { SM_ATOMICS_APART, SM_ATOMICS_RED, SM_ATOMICS_ALL };
enum sm_fence { SM_FENCE_INVALIDATE, SM_FENCE_NONE };
enum sm_form_reads { SM_FORM_READS_LANES, SM_FORM_READS_ROWS };
enum sm_form_lanes { SM_FORM_LANES_STRAIGHT, SM_FORM_LANES_ROTATED };

struct sm_params {
#include "config/param_fields.h"
#include "core/sm_params.def"
#include "config/param_end.h"
};
extern const struct param_desc sm_param_descs[];
extern const unsigned sm_param_count;

/* Schedulers of an SM, of all cores: several cores have one each, whatever sm.schedulers says. */
static inline unsigned core_schedulers(const struct sm_params *p)
{
    return p->cores > 1 ? p->cores : p->schedulers;
}
/* sm.fetch_width counts instructions of so many bytes. */
#define SM_FETCH_UNIT_BYTES 8
/* Instructions that one fetch can bring. */
static inline uint32_t sm_fetch_most(const struct sm_params *p)
{
    uint32_t most = p->fetch_width * SM_FETCH_UNIT_BYTES / p->instruction_bytes;
    return most ? most : 1;
}
/* The number among an SM's cores of the one that has a warp slot. Neighbouring slots are of different cores, as in
 * silicon, so that a block of few warps uses all of them. */
static inline unsigned core_of_slot(const struct sm_params *p, unsigned slot)
{
    return p->cores > 1 ? slot % p->cores : 0;
}

#endif
