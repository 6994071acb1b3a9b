/* Notes for the progress watch and its diagnosis of hangs: who holds which lock, and what memory came to. Written by
 * holder.c alone. */
#ifndef LOCKSTEP_SM_NOTED_H
#define LOCKSTEP_SM_NOTED_H

#include "sm/novel.h"
#include "sm/sm.h"
#include "sm/written.h"

#define SM_HOLDERS 4096

struct sm_noted {
    uint64_t work_done;
    bool seeks_work;                      /* nothing was work since the progress watch last asked for work */
    struct sm_novel novel;                /* what locations took by atomics */
    struct sm_novel stored;               /* what they took by those stores that were looked at */
    struct sm_written written;            /* and what they hold since then */
    struct sm_holder holders[SM_HOLDERS]; /* by hash of the address; the latest stays */
};

#endif
