/* The phases of a launch's blocks (watch/phase_stats.def) as rows of CSV, for whoever draws them. */
#include <inttypes.h>

#include "gpu/gpu_impl.h"

const char gpu_phases_head[] = "launch,kernel,sm,block_x,block_y,block_z,phase,warp,start,arrival,release\n";

void gpu_add_phases(const struct gpu_run *run, unsigned sm, struct strbuf *out)
{
    size_t count;
    const struct watch_phase_row *rows = sm_phase_rows(run->gpu->sms[sm], &count);
    for (const struct watch_phase_row *r = rows; r < rows + count; r++)
        strbuf_addf(out, "%" PRIu64 ",%s,%u,%u,%u,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                    (uint64_t)run->grid.launch_number, run->launch->kernel->name, sm, r->block[0], r->block[1], r->block[2],
                    r->phase, r->warp, r->start, r->arrival, r->release);
}
