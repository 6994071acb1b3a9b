/* Part of cooperative_groups.h. */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#endif
