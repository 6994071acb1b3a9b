/* Functions that a kernel calls, by who calls them: text for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_CALLED_H
#define LOCKSTEP_REPORT_PROFILE_CALLED_H

#include "report/profile_lines.h"

/* Appends where the function that an instruction stands in is called from, outwards: "called from a.cu:9, from
 * a.cu:23"; "mostly" where other calls of it cost something too. before: the line in words that stands in front of it,
 * which is not said again. Nothing for the kernel's own instructions. */
void profile_called_add_from(const struct profile_lines *p, uint32_t pc, const char *before, struct strbuf *out);
/* Appends the place of an instruction with the calls around it, those in whose place it stands and those that were
 * made: "lock.cu:9 (called from main.cu:23)". use: as for profile_uses_add_place; called: as for
 * profile_uses_add_called. */
void profile_called_add_place(const struct profile_lines *p, const json_t *use, const char *called, struct strbuf *out);
/* Appends the table of the functions that cost a hundredth of the kernel's warp-cycles and more; nothing where there is
 * none. */
void profile_called_add_table(const struct profile_lines *p, struct strbuf *out);

#endif
