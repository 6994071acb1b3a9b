/* Part of cooperative_groups.h. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#endif
