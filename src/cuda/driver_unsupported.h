/* The rows of driver_unsupported.def. */
#ifndef LOCKSTEP_CUDA_DRIVER_UNSUPPORTED_H
#define LOCKSTEP_CUDA_DRIVER_UNSUPPORTED_H

enum driver_unsupported_row {
#define DRIVER_UNSUPPORTED(name) DRIVER_UNSUPPORTED_##name,
#include "cuda/driver_unsupported.def"
#undef DRIVER_UNSUPPORTED
    DRIVER_UNSUPPORTED_ROWS
};

/* Reports the call when it is the first of its row; returns CUDA_ERROR_NOT_SUPPORTED. */
int driver_unsupported_call(enum driver_unsupported_row row, const char *name);

/* The function of that row by its name, without what says its version, or NULL. */
void *driver_unsupported_find(const char *name);

#endif
