/* chart.js and timeline.js, which cmake/embed.cmake makes texts of the program. */
#ifndef LOCKSTEP_REPORT_CHART_EMBEDDED_H
#define LOCKSTEP_REPORT_CHART_EMBEDDED_H

extern const char chart_script[], timeline_script[];

#endif
