/* must(CALL): a call of the runtime that has to succeed. Where it fails, its name and error are printed, and the function
 * returns 1. */
#pragma once

#include <cstdio>
#include <cuda_runtime.h>

#define must(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            printf("%s: %s\n", #call, cudaGetErrorName(error));                                                        \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
