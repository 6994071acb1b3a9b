/* The barriers of a kernel, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_BARRIERS_H
#define LOCKSTEP_REPORT_PROFILE_BARRIERS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"

/* Appends a table of the barriers, of all launches of the kernel of that name among result objects, at which warps
 * waited a hundredth of their cycles and more; if there are such. */
void profile_barriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out);

#endif
