/* Runs of which some launches were timed and the others ran functionally (cuda/timed.h): how long all of them would
 * have taken. */
#ifndef LOCKSTEP_REPORT_SAMPLED_H
#define LOCKSTEP_REPORT_SAMPLED_H

#include <jansson.h>

#include "base/strbuf.h"

/* For each kernel that has launches of both modes among result objects: an object with its `name`, how many `launches`
 * and how many of them `timed`, the `cycles` of these, and `estimated_cycles` of all, by the warp instructions that
 * both modes count. NULL: no kernel has both. */
json_t *report_sampled_json(const json_t *kernels);
/* Appends a sentence for each of these objects; nothing for NULL. */
void report_sampled(const json_t *sampled, struct strbuf *out);

#endif
