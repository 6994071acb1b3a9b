// What the tests of cuBLAS share: the functions of the four types under one name, elements of its matrices.
#pragma once

#include "numbers_oracle.h"

#include <cublas_v2.h>

#define CALL(T, L, name) static constexpr decltype(&cublas##L##name) name = cublas##L##name;
#define CALL_AS(as, name) static constexpr decltype(&name) as = name;
#define CALLS_OF_ALL(T, L)                                                                                             \
    CALL(T, L, axpy) CALL(T, L, scal) CALL(T, L, copy) CALL(T, L, swap) CALL(T, L, rot) CALL(T, L, gemv)               \
    CALL(T, L, gemvBatched) CALL(T, L, gemvStridedBatched) CALL(T, L, symv) CALL(T, L, trmv) CALL(T, L, trsv)          \
    CALL(T, L, syr) CALL(T, L, syr2) CALL(T, L, gemm) CALL(T, L, gemmBatched) CALL(T, L, gemmStridedBatched)           \
    CALL(T, L, symm) CALL(T, L, syrk) CALL(T, L, syr2k) CALL(T, L, trmm) CALL(T, L, trsm) CALL(T, L, trsmBatched)      \
    CALL(T, L, geam) CALL(T, L, dgmm) CALL(T, L, getrfBatched) CALL(T, L, getriBatched) CALL(T, L, getrsBatched)       \
    CALL(T, L, matinvBatched)
#define CALLS_OF_COMPLEX(T, L)                                                                                         \
    CALL(T, L, dotc) CALL(T, L, gerc) CALL(T, L, hemv) CALL(T, L, her) CALL(T, L, her2) CALL(T, L, hemm)               \
    CALL(T, L, herk) CALL(T, L, her2k)

template <class T> struct blas;
template <> struct blas<float> {
    typedef float real;
    CALLS_OF_ALL(float, S)
    CALL_AS(nrm2, cublasSnrm2) CALL_AS(asum, cublasSasum) CALL_AS(amax, cublasIsamax) CALL_AS(amin, cublasIsamin)
    CALL_AS(dot, cublasSdot) CALL_AS(ger, cublasSger)
    static const char letter = 'S';
};
template <> struct blas<double> {
    typedef double real;
    CALLS_OF_ALL(double, D)
    CALL_AS(nrm2, cublasDnrm2) CALL_AS(asum, cublasDasum) CALL_AS(amax, cublasIdamax) CALL_AS(amin, cublasIdamin)
    CALL_AS(dot, cublasDdot) CALL_AS(ger, cublasDger)
    static const char letter = 'D';
};
template <> struct blas<cuComplex> {
    typedef float real;
    CALLS_OF_ALL(cuComplex, C)
    CALLS_OF_COMPLEX(cuComplex, C)
    CALL_AS(nrm2, cublasScnrm2) CALL_AS(asum, cublasScasum) CALL_AS(amax, cublasIcamax) CALL_AS(amin, cublasIcamin)
    CALL_AS(dot, cublasCdotu) CALL_AS(ger, cublasCgeru) CALL_AS(scal_real, cublasCsscal) CALL_AS(rot_real, cublasCsrot)
    static const char letter = 'C';
};
template <> struct blas<cuDoubleComplex> {
    typedef double real;
    CALLS_OF_ALL(cuDoubleComplex, Z)
    CALLS_OF_COMPLEX(cuDoubleComplex, Z)
    CALL_AS(nrm2, cublasDznrm2) CALL_AS(asum, cublasDzasum) CALL_AS(amax, cublasIzamax) CALL_AS(amin, cublasIzamin)
    CALL_AS(dot, cublasZdotu) CALL_AS(ger, cublasZgeru) CALL_AS(scal_real, cublasZdscal) CALL_AS(rot_real, cublasZdrot)
    static const char letter = 'Z';
};

static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t halves[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static const cublasDiagType_t diagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

// Element (i, j) of op(A); of a triangle, or of what it is half of, where shape says 't', 's' or 'h'.
template <class T>
static wide element(const array<T> &a, int ld, cublasOperation_t op, int i, int j, char shape = 'f', bool lower = false,
                    bool unit = false)
{
    if (op != CUBLAS_OP_N)
        std::swap(i, j);
    const bool there = shape == 'f' || (lower ? i >= j : i <= j);
    wide v = there ? a.get(i + (size_t)j * ld) : a.get(j + (size_t)i * ld);
    if (shape == 't')
        v = unit && i == j ? 1 : there ? v : 0;
    if (shape == 'h')
        v = i == j ? v.real() : there ? v : std::conj(v);
    return op == CUBLAS_OP_C ? std::conj(v) : v;
}

// A scalar where the pointer mode wants it.
template <class T> struct parameter {
    T value, *device;
    bool on_device;
    parameter(cublasHandle_t h, wide v, bool on_device) : value(number<T>(v)), device(NULL), on_device(on_device)
    {
        MUST(cudaMalloc(&device, sizeof(T)));
        MUST(cudaMemcpy(device, &value, sizeof(T), cudaMemcpyHostToDevice));
        MUST(cublasSetPointerMode(h, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
    }
    ~parameter() { cudaFree(device); }
    T *get() { return on_device ? device : &value; }
    wide known() const { return widen(value); }
    T result()
    {
        if (on_device)
            MUST(cudaMemcpy(&value, device, sizeof(T), cudaMemcpyDeviceToHost));
        return value;
    }
};
// 0, 1, or any number.
static wide factor()
{
    const unsigned kind = draw(4);
    return kind < 2 ? wide(kind) : drawn();
}
