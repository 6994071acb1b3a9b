/* Parameters of spin detection and back-off: group "spin". */
#ifndef LOCKSTEP_WATCH_SPIN_SPIN_PARAMS_H
#define LOCKSTEP_WATCH_SPIN_SPIN_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/param.h"

enum spin_counts { SPIN_COUNTS_ANY, SPIN_COUNTS_FIRST, SPIN_COUNTS_EXECUTED };
enum spin_hash { SPIN_HASH_XOR, SPIN_HASH_MODULO };
enum spin_order { SPIN_ORDER_QUEUE, SPIN_ORDER_SCHEDULER };

struct spin_params {
#include "config/param_fields.h"
#include "watch/spin/spin_params.def"
#include "config/param_end.h"
};
extern const struct param_desc spin_param_descs[];
extern const unsigned spin_param_count;

#endif
