/* L1s that write through a store queue, and register nothing: an access at the scope of the block is performed in the
 * L1, one at a wider scope in the L2, for which the L1 gives its copy of the line up. Lines are dropped and stores
 * flushed by orders alone. An access that waits for a line when that is dropped came before whatever orders the drop,
 * so it may have what comes: else warps that acquire again and again could keep it waiting for ever. */
#include "memory/coherence/tables.h"

static const struct coherence_row rows[] = {
    WRITE_THROUGH_ROWS,
    ROW(F, DROP, N, EARLY),
    ROW(N, FILL, ANY, WAKE, LAST, KEEP_WRITTEN, RETRY),
    ROW(I, BLOCK, F, FETCH, DEFER),
    ROW(V, BLOCK_HERE, V, PERFORM, QUEUE),
    ROW(V, BLOCK, F, FETCH, DEFER),
    ROW(F, BLOCK_HERE, F, DEFER),
    ROW(F, BLOCK, F, DEFER),
    ROW(N, BLOCK_HERE, N, DEFER),
    ROW(N, BLOCK, N, DEFER),
    AT_HOME_ROWS(RELAXED),
    AT_HOME_ROWS(DEVICE),
    AT_HOME_ROWS(REMOTE),
};

const struct coherence_table coherence_write_through = {rows, sizeof rows / sizeof rows[0]};
