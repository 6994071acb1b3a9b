/* Stray accesses: of global or constant memory, where no allocation lies, but near one (store_near). Where the user asks
 * for it (simt_grid.lenient), they are let pass as on hardware, which protects pages and no allocations: loads read
 * zeros, stores and atomics change nothing. Each SM, and the functional mode, keeps a list of them until the launch has
 * ended. */
#ifndef LOCKSTEP_SM_STRAYS_H
#define LOCKSTEP_SM_STRAYS_H

#include "base/hot.h"
#include "memory/store.h"
#include "simt/warp.h"

struct archive;

/* The stray accesses of one instruction, and where the first was. */
struct sm_stray {
    uint32_t pc;
    uint8_t space, lane;
    uint64_t address;
    uint32_t block[3];
    uint32_t thread; /* in the block */
    uint64_t cycle;
    uint64_t count; /* lanes */
};

struct sm_stray_list {
    struct sm_stray *items; /* at most one for each instruction, in order of time */
    size_t count, capacity;
};

/* Memory, and which of it nobody may write. */
struct sm_stray_memory {
    const struct store *store;
    bool (*read_only)(const void *context, uint64_t address);
    const void *context;
};

/* Notes the stray lanes of an access that has some, gives those of loads and atomics zeros, and takes them out of the
 * access's mask, which may then be empty. A load across the end of an allocation stays: its bytes behind the end are
 * zeros. Returns false, with the first fault, when a lane is illegal otherwise; nothing is changed then. */
COLD bool sm_strays_pass(struct sm_stray_list *list, const struct sm_stray_memory *memory, struct simt_warp *warp,
                         struct simt_access *access, uint64_t cycle, struct simt_fault *fault);
void sm_strays_archive(struct sm_stray_list *list, uint32_t instructions, struct archive *ar);

#endif
