/* What it costs that lanes of a warp have parted, for the sentences on a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_PARTED_H
#define LOCKSTEP_REPORT_PROFILE_PARTED_H

#include "report/profile_lines.h"

/* Warp-cycles for which lanes stood aside while others of their warp went on: at each instruction the share of its
 * warp's lanes that did not have the turn, of the cycles that are not waits for memory, for other warps or behind an
 * instruction: those would be as long with all lanes. */
uint64_t profile_parted_cycles(const struct profile_lines *p);
/* Appends words behind "12% of warp-cycles ": where lanes part most. */
void profile_parted_add(const struct profile_lines *p, struct strbuf *out);

#endif
