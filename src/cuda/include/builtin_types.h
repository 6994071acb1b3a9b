/* All types of the runtime interface. */
#ifndef LOCKSTEP_BUILTIN_TYPES_H
#define LOCKSTEP_BUILTIN_TYPES_H
#include "driver_types.h"
#include "vector_types.h"
#endif
