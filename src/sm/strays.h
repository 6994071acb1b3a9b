/* Stray accesses: of global or constant memory, where no allocation lies, but near one (store_near). Where the user
 * asks for it (simt_grid.lenient), they are let pass as on hardware, which protects pages and no allocations: loads
 * read zeros, stores and atomics change nothing. And, for --check mem (simt_grid.bounded), those that lie in an
 * allocation, or a variable of shared memory, which is not the one that is meant. Each SM, and the functional mode,
 * keeps a list of them until the launch has ended. */
#ifndef LOCKSTEP_SM_STRAYS_H
#define LOCKSTEP_SM_STRAYS_H

#include "base/hot.h"
#include "isa/bases.h"
#include "memory/store.h"
#include "simt/warp.h"

struct archive;

enum sm_stray_why {
    SM_STRAY_OUTSIDE,  /* in no allocation: let pass */
    SM_STRAY_FROM,     /* not in that from which its address is computed (isa/bases.h) */
    SM_STRAY_RESERVED, /* in memory that is not the program's */
};

/* The stray accesses of one instruction for one reason, and where the first was. */
struct sm_stray {
    uint32_t pc;
    uint8_t why; /* enum sm_stray_why */
    uint8_t space, lane;
    uint64_t address;
    uint32_t block[3];
    uint32_t thread; /* in the block */
    uint64_t cycle;
    uint64_t count; /* lanes */
};

struct sm_stray_list {
    struct sm_stray *items; /* at most one for each instruction and reason, in order of time */
    size_t count, capacity;
};

/* Memory, and which of it nobody may write. */
struct sm_stray_memory {
    const struct store *store;
    bool (*read_only)(const void *context, uint64_t address);
    const void *context;
};

/* Where accesses of a launch may lie, for --check mem. */
struct sm_bounds {
    const struct isa_base *bases; /* by instruction */
    /* Where addresses may lie that are computed from a base: [*start, *end) of global memory or, of shared memory, of
     * the block's. False: anywhere. */
    bool (*reach)(const void *context, const struct isa_base *base, uint64_t *start, uint64_t *end);
    /* The instruction accesses what the machine keeps in global memory for itself. */
    bool (*reserved)(const void *context, const struct isa_instr *instr, uint64_t address, uint64_t bytes);
    const void *context;
};
/* Notes the lanes of an access that lie elsewhere. It changes nothing. */
COLD void sm_strays_look(struct sm_stray_list *list, const struct sm_bounds *bounds, const struct simt_warp *warp,
                         const struct simt_access *access, uint64_t cycle);

/* Notes the stray lanes of an access that has some, gives those of loads and atomics zeros, and takes them out of the
 * access's mask, which may then be empty. A load across the end of an allocation stays: its bytes behind the end are
 * zeros. Returns false, with the first fault, when a lane is illegal otherwise; nothing is changed then. */
COLD bool sm_strays_pass(struct sm_stray_list *list, const struct sm_stray_memory *memory, struct simt_warp *warp,
                         struct simt_access *access, uint64_t cycle, struct simt_fault *fault);
void sm_strays_archive(struct sm_stray_list *list, uint32_t instructions, struct archive *ar);

#endif
