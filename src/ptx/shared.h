/* Static shared memory: offsets of variables, bytes of functions. */
#ifndef LOCKSTEP_PTX_SHARED_H
#define LOCKSTEP_PTX_SHARED_H

#include "isa/program.h"

/* Sets the address of each .shared variable and shared_bytes, shared_align of each function, over all that it can
 * reach. Calls ptx_reach, so it comes before registers are allocated. -1 with an error when a function needs 2 GiB or
 * more. */
int ptx_place_shared(struct isa_module *module, struct diag_sink *sink, struct arena *scratch);

#endif
