/* For rooms above, which are programs on the public header (lockstep/device.h) but for this: their machines are their
 * own making, what is said goes into a sink, and some of what they do (a page that shows the run, files of checkpoints,
 * code that is loaded) is no business of the library's. */
#ifndef LOCKSTEP_LIBRARY_BRIDGE_H
#define LOCKSTEP_LIBRARY_BRIDGE_H

#include <jansson.h>

#include "gpu/gpu.h"
#include "gpu/visit.h"
#include "lockstep/device.h"

/* As lockstep_create; the machine must stay. */
int library_create(struct lockstep_device **device, const struct machine *machine);
/* Adds all that the last call said to the sink. Returns -1. */
int library_tell(const struct lockstep_device *device, struct diag_sink *sink);

/* The device below, for what the header has not. Launches are the library's alone. */
struct gpu *library_gpu(const struct lockstep_device *device);
/* The result of the launch that is held, or of the last one; NULL: there is none, with a diagnostic. */
const struct gpu_result *library_result(struct lockstep_device *device);
/* What lockstep_result_json has the text of, a new reference; NULL: there is no result, with a diagnostic. */
json_t *library_result_json(struct lockstep_device *device);

/* For launches from now on. */
struct library_besides {
    const struct gpu_visitor *visitor; /* comes when lockstep_run(device, NULL, ...) has begun; or NULL */
    struct archive *resume;            /* gpu_launch.resume; or NULL */
};
void library_set_besides(struct lockstep_device *device, const struct library_besides *besides);

#endif
