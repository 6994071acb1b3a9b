/* Classes of execution units: units.def is the table. All that deals with "every class" is written out from it, so that
 * the compiler has a version of each stage for each class. */
#ifndef LOCKSTEP_WARP_UNITS_H
#define LOCKSTEP_WARP_UNITS_H

#include <stdbool.h>

#include "isa/op.h"

#define UNIT_TAKES(kind) (1u << ISA_UNIT_##kind)

/* UNIT_RESULT_IF_<side>(text), UNIT_MEMORY_IF_<side>(text): the text in rows of side RESULT, of side MEMORY; else
 * nothing. */
#define UNIT_RESULT_IF_RESULT(...) __VA_ARGS__
#define UNIT_RESULT_IF_MEMORY(...)
#define UNIT_MEMORY_IF_RESULT(...)
#define UNIT_MEMORY_IF_MEMORY(...) __VA_ARGS__

#define UNIT_AS_ROW(name, takes, issued, units, label, what) UNIT(name, takes, RESULT, issued, 1, units, 1, 1, label, what)

enum warp_unit {
#define UNIT(name, takes, side, ...) WARP_UNIT_##name,
#include "warp/units.def"
#undef UNIT
    WARP_UNIT_COLLECTED, /* those before have operand collectors */
    WARP_UNIT_LAST_COLLECTED = WARP_UNIT_COLLECTED - 1,
#define UNIT(...)
#define UNIT_DIRECT(name, ...) WARP_UNIT_##name,
#include "warp/units.def"
#undef UNIT
    WARP_UNIT_COUNT,
/* The row of the load/store unit. */
#define UNIT(name, takes, side, ...) UNIT_MEMORY_IF_##side(WARP_UNIT_OF_MEMORY = WARP_UNIT_##name, )
#include "warp/units.def"
#undef UNIT
};

/* True: the load/store unit takes its instructions. */
static inline bool warp_unit_is_memory(enum warp_unit unit)
{
    return unit == WARP_UNIT_OF_MEMORY;
}
/* The first class that takes a kind of instructions. */
static inline enum warp_unit warp_unit_of(enum isa_unit kind)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if ((takes) >> kind & 1)                                                                                           \
        return WARP_UNIT_##name;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return WARP_UNIT_COUNT;
}

#endif
