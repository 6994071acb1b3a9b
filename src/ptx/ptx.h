/* PTX text to decoded programs. */
#ifndef LOCKSTEP_PTX_PTX_H
#define LOCKSTEP_PTX_PTX_H

#include "isa/program.h"

/* The registers of a kernel by machine code that came with its PTX. */
struct ptx_assembled {
    const char *name;
    uint32_t registers;   /* of a thread */
    uint32_t most;        /* that the assembler was allowed; 0: not known */
    uint32_t stack_bytes; /* local memory of everything the kernel can call, registers that were spilled included */
};

/* What a machine says of registers. */
struct ptx_budget {
    bool spills;              /* those beyond what a thread may have lie in local memory; off: they cost nothing */
    uint32_t most;            /* that a thread may have; 0: any number */
    uint32_t thread;          /* what the user says it has, in place of what launch bounds say; 0: nothing */
    uint32_t registers, unit; /* of an SM; those of a thread are rounded up to multiples of this */
    uint32_t warp_size;
};

struct ptx_options {
    struct ptx_budget budget;
    uint32_t registers;      /* registers per thread for every kernel, overriding the allocation; 0: computed */
    const struct ptx_assembled *assembled; /* assembled_count of them, each with another name */
    size_t assembled_count;
    bool keep_registers;     /* one row per virtual register instead of allocating rows (for tests) */
};

/* Parses, checks and lowers a module. text need not be NUL-terminated; a NUL byte inside [0, length) ends it. name is used in messages.
 * Returns a module with control-flow graph results (targets, reconvergence points), allocated registers, frames and shared-memory
 * offsets filled in; or NULL with up to 20 errors in sink. options may be NULL. Never reads outside the text, whatever it holds. */
struct isa_module *ptx_load(const char *name, const char *text, size_t length, const struct ptx_options *options,
                            struct diag_sink *sink);

/* The registers that .minnctapersm blocks of .maxntid threads leave to a thread, one unit at least; UINT32_MAX: the kernel
 * does not have both. */
uint32_t ptx_bounded_registers(const struct isa_function *kernel, const struct ptx_budget *budget);

/* One of several modules that are linked. */
struct ptx_unit {
    const char *name, *text; /* for messages; PTX, which need not end with NUL */
    size_t length;
};
/* Appends the text of one module that does what the modules do together: what some declare `.extern` others define, by
 * name. Definitions that several may have (`.weak`) stand there once. Returns 0, or -1 with a diagnostic when a name has
 * two definitions. Text that is no PTX goes through as it is: ptx_load explains. */
int ptx_link(const struct ptx_unit *units, size_t count, struct strbuf *text, struct diag_sink *sink);
/* Appends the name that a unit's own variable, function or kernel has in that text when another unit has one of the same
 * name. */
void ptx_linked_name(const char *name, size_t length, size_t unit, struct strbuf *to);

#endif
