/* The rows of unsupported.def. */
#ifndef LOCKSTEP_CUDA_UNSUPPORTED_H
#define LOCKSTEP_CUDA_UNSUPPORTED_H

enum unsupported_row {
#define UNSUPPORTED(name) UNSUPPORTED_##name,
#include "cuda/unsupported.def"
#undef UNSUPPORTED
    UNSUPPORTED_ROWS
};

/* Reports the call when it is the first of its row; returns cudaErrorNotSupported. */
int unsupported_call(enum unsupported_row row, const char *name);

#endif
