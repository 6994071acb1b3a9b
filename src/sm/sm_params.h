/* Parameters of an SM: group "sm". */
#ifndef LOCKSTEP_SM_SM_PARAMS_H
#define LOCKSTEP_SM_SM_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/param.h"
#include "warp/units.h"

enum sm_coalescing { SM_COALESCE_ARCH13, SM_COALESCE_ARCH20 };
enum sm_fence { SM_FENCE_INVALIDATE, SM_FENCE_NONE };
enum sm_form_reads { SM_FORM_READS_LANES, SM_FORM_READS_ROWS };
enum sm_form_lanes { SM_FORM_LANES_STRAIGHT, SM_FORM_LANES_ROTATED };

struct sm_params {
#include "config/param_fields.h"
#include "sm/sm_params.def"
#include "config/param_end.h"
};
extern const struct param_desc sm_param_descs[];
extern const unsigned sm_param_count;

#endif
