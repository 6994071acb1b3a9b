/* A monitor's side in the run: it visits each launch (gpu/visit.h), hangs up at the board what is to be seen of it, and
 * does what the board asks for. What it hangs up is a JSON object; docs/monitor.md lists its members. */
#ifndef LOCKSTEP_MONITOR_MONITOR_H
#define LOCKSTEP_MONITOR_MONITOR_H

#include "gpu/visit.h"
#include "monitor/board.h"

struct monitor;

/* The board stays the caller's. checkpoints: the device has a function that takes them (gpu_set_checkpoints). */
struct monitor *monitor_create(struct monitor_board *board, bool checkpoints);
void monitor_destroy(struct monitor *monitor);
/* The visitor of all launches of the run, one after another. */
const struct gpu_visitor *monitor_visitor(const struct monitor *monitor);
/* True while a checkpoint is taken because somebody who watches asked for it. */
bool monitor_asks_checkpoint(const struct monitor *monitor);
/* A checkpoint was taken at that cycle of the device, in a file of that name, or was not: why, else NULL. */
void monitor_checkpointed(struct monitor *monitor, uint64_t cycle, const char *path, const char *why_not);
/* A launch that was visited has ended. Where steps are taken it waits here as at a step's end, until it is to go on or
 * stop(context) says that the run is to end. */
void monitor_launched(struct monitor *monitor, const struct gpu_result *result, bool (*stop)(void *context),
                      void *context);

#endif
