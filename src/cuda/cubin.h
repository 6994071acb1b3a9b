/* Machine code beside the PTX names, for each of its kernels, the registers that NVIDIA's assembler has given them. */
#ifndef LOCKSTEP_CUDA_CUBIN_H
#define LOCKSTEP_CUDA_CUBIN_H

#include "base/arena.h"
#include "ptx/ptx.h"

struct cubin {
    struct ptx_assembled *kernels; /* and device functions, where machine code has any apart */
    size_t count;
    struct arena arena;            /* owns them */
};

/* Reads the figures out of an ELF file. Data that is none, or that is broken, has no kernels: *cubin is empty then, and
 * owns nothing. */
void cubin_read(const void *data, size_t bytes, struct cubin *cubin);
void cubin_free(struct cubin *cubin);

#endif
