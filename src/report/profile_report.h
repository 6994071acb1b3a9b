/* The report of `lockstep run --profile`: where each kernel's warps spent their cycles, by line of its sources. */
#ifndef LOCKSTEP_REPORT_PROFILE_REPORT_H
#define LOCKSTEP_REPORT_PROFILE_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/strbuf.h"

/* Appends a report for each kernel that has a profile, its launches added up, in order of first launch. kernels: an
 * array of result objects. ptx: with the instructions below each line. Text of lines is taken from their files, where
 * these can be read. columns: of the terminal that it is for; 0: it is for none. */
void report_profile(const json_t *kernels, bool ptx, unsigned columns, struct strbuf *out);
/* Appends the sentences on the lock, and on the polled word, for which the kernel's warps waited most, if they did. */
void report_profile_words(const json_t *kernels, const char *name, unsigned columns, struct strbuf *out);

#endif
