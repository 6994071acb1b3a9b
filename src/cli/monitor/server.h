/* The monitor's web server: `lockstep run --monitor PORT` answers there, on this computer alone, to whoever knows the
 * token in the page's address. It shows what hangs at the board (monitor/board.h), and hangs there what is asked for.
 * The server is a module of its own, lib/lockstep/lockstep-monitor.so, which runs that are watched load. */
#ifndef LOCKSTEP_CLI_MONITOR_SERVER_H
#define LOCKSTEP_CLI_MONITOR_SERVER_H

#include "base/diag.h"
#include "monitor/board.h"

struct monitor_server;

/* The run that a server shows. */
struct monitor_service {
    unsigned port;      /* 0: any that is free */
    const char *target; /* the program or launch file, as it was named */
    bool checkpoints;   /* may be asked for */
    struct monitor_board *board;
};

struct monitor_server_module {
    /* Begins to serve, by a thread of its own. The service's texts and board must stay. NULL with a diagnostic. */
    struct monitor_server *(*begin)(const struct monitor_service *service, struct diag_sink *sink);
    /* The page's address. */
    const char *(*address)(const struct monitor_server *server);
    void (*end)(struct monitor_server *server);
};
/* The function by which the module is entered, and its name. */
typedef const struct monitor_server_module *monitor_server_entry(void);
#define MONITOR_SERVER_ENTRY "lockstep_monitor_server"

#endif
