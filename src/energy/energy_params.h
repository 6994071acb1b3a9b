/* Parameters of the energy model: group "energy" of a machine. */
#ifndef LOCKSTEP_ENERGY_ENERGY_PARAMS_H
#define LOCKSTEP_ENERGY_ENERGY_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/param.h"

struct energy_params { /* decimal ones in thousandths of their unit */
#include "config/param_fields.h"
#include "energy/energy_params.def"
#include "config/param_end.h"
};
extern const struct param_desc energy_param_descs[];
extern const unsigned energy_param_count;

#endif
