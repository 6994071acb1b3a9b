/* Memory pools: books of what was allocated from which. Memory itself is taken from the device when it is asked for and
 * given back when it is freed. */
#ifndef LOCKSTEP_CUDA_POOL_H
#define LOCKSTEP_CUDA_POOL_H

#include "cuda/runtime.h"

/* An allocation is freed; nothing happens if it is of no pool. */
void pool_freed(struct runtime *rt, uint64_t start);
void pools_forget(struct runtime *rt);

#endif
