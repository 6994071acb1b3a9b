/* Tables of parameters and statistics, for the terminal and for the pages in docs/. */
#ifndef LOCKSTEP_CLI_LISTING_H
#define LOCKSTEP_CLI_LISTING_H

#include "config/param.h"
#include "report/table.h"
#include "stats/stat.h"

/* Five columns: name, default, range, unit, meaning. */
void listing_params_heading(struct table *t);
void listing_params(const struct param_group *group, struct table *t);
/* Three columns: name, unit, meaning. */
void listing_stats_heading(struct table *t);
void listing_stats(const struct stat_group *group, struct table *t);
/* Adds an error with the nearest of names (NULL-terminated), or all of them when none is near and they are few. */
void listing_unknown(const char *what, const char *word, const char *const *names, struct diag_sink *sink);

#endif
