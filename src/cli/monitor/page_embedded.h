/* page.html, which cmake/embed.cmake makes a text of the program. */
#ifndef LOCKSTEP_CLI_MONITOR_PAGE_EMBEDDED_H
#define LOCKSTEP_CLI_MONITOR_PAGE_EMBEDDED_H

extern const char monitor_page[];

#endif
