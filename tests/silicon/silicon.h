/* What the programs of this folder share. Each prints what its kernels leave, as text that is the same on every machine
 * that does what CUDA says: *.expected is what a card printed. Lines that begin with ~ show what the manual leaves open,
 * and are no part of a comparison. */
#ifndef SILICON_H
#define SILICON_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef unsigned int u32;
typedef unsigned long long u64;

/* Ends the program unless the error is none. A refused kernel is no end: the line says so. */
static bool refused(const char *what)
{
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s: %s\n", what, cudaGetErrorName(e));
    return e != cudaSuccess;
}
template <class T> static T *words(size_t count)
{
    T *p;
    if (cudaMalloc(&p, count * sizeof(T)) || cudaMemset(p, 0, count * sizeof(T))) {
        printf("no memory on the device\n");
        exit(1);
    }
    return p;
}

#endif
