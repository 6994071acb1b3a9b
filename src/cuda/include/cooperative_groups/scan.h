/* Part of cooperative_groups.h. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#endif
