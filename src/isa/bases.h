/* Bases: what the address of each memory instruction is computed from, where its code says so: a variable, dynamic
 * shared memory, or a parameter of the kernel, which may be a pointer. Found by how values go from register to
 * register, whatever way a thread takes, so that the base of an address is one thing or not known. Not known are
 * addresses that come out of memory, those that are one of two bases by a condition, and differences of pointers. */
#ifndef LOCKSTEP_ISA_BASES_H
#define LOCKSTEP_ISA_BASES_H

#include "isa/program.h"

enum isa_base_kind {
    ISA_BASE_UNKNOWN,
    ISA_BASE_VARIABLE,  /* number: its index in the module */
    ISA_BASE_PARAMETER, /* number: the offset in the parameter block of the 64 bits that may be a pointer */
    ISA_BASE_DYNAMIC,   /* dynamic shared memory */
};
struct isa_base {
    uint32_t kind, number;
};

/* Per instruction of the module, in the arena: the base of what it accesses, of which ISA_BASE_UNKNOWN says nothing.
 * The module's operands may be linked or not. */
const struct isa_base *isa_find_bases(const struct isa_module *module, struct arena *arena);

#endif
