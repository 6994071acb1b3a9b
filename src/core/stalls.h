/* To what cause a scheduler's cycles go: stalls.def. */
#ifndef LOCKSTEP_CORE_STALLS_H
#define LOCKSTEP_CORE_STALLS_H

#include <stdint.h>

/* Scheduler-cycles by owner. */
struct core_stalls {
#define STALL(name, doc) uint64_t name;
#include "core/stalls.def"
#undef STALL
};
enum core_stall {
#define STALL(name, doc) CORE_STALL_##name,
#include "core/stalls.def"
#undef STALL
    CORE_STALL_COUNT
};

#endif
