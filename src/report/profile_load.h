/* What a kernel leaves of its machine: SMs without warps, and SMs with too few of them to hide waits. */
#ifndef LOCKSTEP_REPORT_PROFILE_LOAD_H
#define LOCKSTEP_REPORT_PROFILE_LOAD_H

#include "report/profile_lines.h"

/* The share of all SMs' cycles in which they have no warps of the kernel, 0 to 1, over all launches: none, or those of
 * another that runs beside it. */
double profile_load_idle(const struct profile_lines *p);
/* Appends it with what it comes from: "SMs have none of its warps in 93% of their cycles: a launch has 1 block for 15 SMs". */
void profile_load_add_idle(const struct profile_lines *p, struct strbuf *out);
/* Warp-cycles that wait for values since an SM has too few warps, about: none from 8 warps on. */
uint64_t profile_load_few(const struct profile_lines *p);
/* Appends how many warps an SM has. */
void profile_load_add_few(const struct profile_lines *p, struct strbuf *out);

#endif
