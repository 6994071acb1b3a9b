/* The library by which pages draw: Chart.js, as Debian installs it (libjs-chart.js). */
#ifndef LOCKSTEP_REPORT_CHARTS_H
#define LOCKSTEP_REPORT_CHARTS_H

#include "base/arena.h"

/* For a page that has no drawings because charts_library gave none. */
#define CHARTS_MISSING "Not drawn: Chart.js (libjs-chart.js) is not installed."

/* Its text, from the first of the folders of data on this system ($XDG_DATA_DIRS) that has it; NULL when none has. */
const char *charts_library(struct arena *arena);

#endif
