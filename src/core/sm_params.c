/* The parameters of an SM. */
#include "core/sm_params.h"

#include <stddef.h>

const char *const sm_coalescing_choices[] = {"arch13", "arch20", NULL};
const char *const sm_atomics_joined_choices[] = {"none", "red", "all", NULL};
const char *const sm_fence_choices[] = {"invalidate", "none", NULL};
const char *const sm_form_reads_choices[] = {"lanes", "rows", NULL};
const char *const sm_unit_choices[] = {"isa", "sp", "sfu", "alu", "mul", "add", "f64", "tensor", NULL};
const char *const sm_form_lanes_choices[] = {"straight", "rotated", NULL};

const struct param_desc sm_param_descs[] = {
#define PARAM_STRUCT struct sm_params
#include "config/param_descs.h"
#include "core/sm_params.def"
#include "config/param_end.h"
};
const unsigned sm_param_count = sizeof(sm_param_descs) / sizeof(sm_param_descs[0]);
