/* Notes for the progress watch and its diagnosis of hangs: who holds which lock, and what memory came to. Written by
 * holder.c alone. */
#ifndef LOCKSTEP_SM_NOTED_H
#define LOCKSTEP_SM_NOTED_H

#include "sm/novel.h"
#include "sm/sm.h"
#include "sm/written.h"

#define SM_HOLDERS 4096

/* Of a warp: how often, since sm_watch_reset. */
struct sm_noted_warp {
    uint64_t sync_ops, takes; /* accesses with which warps wait for each other; locks that it took */
    uint64_t last_sync_address;
    uint64_t issued_before; /* what its view had counted as issued then, modulo 2^64 */
    uint32_t last_sync_pc;
    bool last_sync_shared;
};

struct sm_noted {
    struct sm_noted_warp warps[WARP_SLOTS];
    uint64_t work_done;
    bool seeks_work;                      /* nothing was work since the progress watch last asked for work */
    struct sm_novel novel;                /* what locations took by atomics */
    struct sm_novel stored;               /* what they took by those stores that were looked at */
    struct sm_written written;            /* and what they hold since then */
    struct sm_holder holders[SM_HOLDERS]; /* by hash of the address; the latest stays */
};

#endif
