/* PTX text to decoded programs. */
#ifndef LOCKSTEP_PTX_PTX_H
#define LOCKSTEP_PTX_PTX_H

#include "isa/program.h"

struct ptx_options {
    uint32_t registers;      /* registers per thread for every kernel, overriding the allocation; 0: computed */
    bool keep_registers;     /* one row per virtual register instead of allocating rows (for tests) */
};

/* Parses, checks and lowers a module. text need not be NUL-terminated; a NUL byte inside [0, length) ends it. name is used in messages.
 * Returns a module with control-flow graph results (targets, reconvergence points), allocated registers, frames and shared-memory
 * offsets filled in; or NULL with up to 20 errors in sink. options may be NULL. Never reads outside the text, whatever it holds. */
struct isa_module *ptx_load(const char *name, const char *text, size_t length, const struct ptx_options *options,
                            struct diag_sink *sink);

#endif
