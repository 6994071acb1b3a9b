#include "cli/monitor/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/checkpoint.h"
#include "cli/monitor/server.h"
#include "cli/process.h"

/* The server's module, which stays loaded; NULL with a diagnostic. */
static const struct monitor_server_module *load(struct diag_sink *sink)
{
    static const char hint[] = "install libmicrohttpd-dev, as tools/bootstrap does, and build again";
    struct arena arena = {0};
    const char *home = process_home(&arena, sink);
    const char *path = home ? arena_printf(&arena, "%s/lib/lockstep/lockstep-monitor.so", home) : NULL;
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    monitor_server_entry *entry = NULL;
    if (library)
        *(void **)&entry = dlsym(library, MONITOR_SERVER_ENTRY);
    if (path && access(path, F_OK) < 0 && errno == ENOENT)
        diag_error(sink, DIAG_NOWHERE, hint, "--monitor: this lockstep was built without libmicrohttpd: there is no %s",
                   path);
    else if (path && !entry)
        diag_error(sink, DIAG_NOWHERE, NULL, "--monitor: cannot load its server: %s", dlerror());
    arena_free(&arena);
    return entry ? entry() : NULL;
}

int cli_watch_begin(struct cli_watched *watched, const struct cli_options *options, struct diag_sink *sink)
{
    *watched = (struct cli_watched){.file = -1};
    if (!options->monitor)
        return 0;
    if (cli_mode(options) == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--monitor needs the timing mode: functional mode has no cycles");
    watched->board = monitor_board_create(&watched->file, sink);
    if (!watched->board)
        return -1;
    const struct monitor_service service = {.port = (unsigned)options->monitor_value,
                                            .target = options->rest[0],
                                            .checkpoints = checkpoint_possible(options),
                                            .board = watched->board};
    watched->module = load(sink);
    watched->server = watched->module ? watched->module->begin(&service, sink) : NULL;
    if (!watched->server)
        return -1;
    if (options->hold)
        monitor_board_ask(watched->board, MONITOR_PAUSE, 0);
    fprintf(stderr, "lockstep: the run can be watched at %s\n", watched->module->address(watched->server));
    return 0;
}

void cli_watch_end(struct cli_watched *watched)
{
    if (watched->server)
        watched->module->end(watched->server);
    monitor_board_close(watched->board);
    if (watched->file >= 0)
        close(watched->file);
}

const char *cli_watch_path(const struct cli_watched *watched, struct arena *arena)
{
    return watched->board ? arena_printf(arena, "/proc/%ld/fd/%d", (long)getpid(), watched->file) : NULL;
}
