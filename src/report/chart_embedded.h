/* chart.js, which cmake/embed.cmake makes a text of the program. */
#ifndef LOCKSTEP_REPORT_CHART_EMBEDDED_H
#define LOCKSTEP_REPORT_CHART_EMBEDDED_H

extern const char chart_script[];

#endif
