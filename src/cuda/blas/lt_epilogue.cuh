// What cublasLt does behind a product: a bias along one side of the result, a function, its argument kept for the way
// back, the product times the function's gradient, and the bias's gradient.
#pragma once

#include <cublasLt.h>

#include "gemm.cuh"

namespace lockstep_blas
{

// Bits of epilogues.
enum { EPILOGUE_BGRAD = 16, EPILOGUE_AUX = 128 };
static const int epilogues[] = {
    CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,      CUBLASLT_EPILOGUE_BIAS,
    CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS,
    CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_DGELU,     CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
    CUBLASLT_EPILOGUE_BGRADA,   CUBLASLT_EPILOGUE_BGRADB,    CUBLASLT_EPILOGUE_DGELU_BGRAD};

// GELU by the hyperbolic tangent: x (1 + tanh u) / 2 with u = c (x + a x^3).
template <class S> struct gelu {
    S x, t;
    __device__ explicit gelu(S x) : x(x), t(tanh(S(0.7978845608028654) * (x + S(0.044715) * x * x * x)))
    {
    }
    __device__ S value() const
    {
        return S(0.5) * x * (S(1) + t);
    }
    __device__ S gradient() const
    {
        const S slope = S(0.7978845608028654) * (S(1) + S(3 * 0.044715) * x * x); // of u
        return S(0.5) * (S(1) + t) + S(0.5) * x * (S(1) - t * t) * slope;
    }
};

// `row` and `column` are the kernel's: of a result in rows it makes the transpose.
template <class C> struct finished {
    const C *bias;
    C *aux; // of as many rows as the kernel's result, in columns
    long long aux_ld, aux_stride, bias_stride;
    bool along_columns; // the bias has an element a column, not a row
    int epilogue;
    template <class S> __device__ S operator()(S value, int row, int column, int z) const
    {
        C *kept = aux + z * aux_stride + row + column * aux_ld;
        if (epilogue & CUBLASLT_EPILOGUE_BIAS)
            value = value + convert<S>(bias[z * bias_stride + (along_columns ? column : row)]);
        if ((epilogue & CUBLASLT_EPILOGUE_DGELU) == CUBLASLT_EPILOGUE_DGELU)
            return value * gelu<S>(convert<S>(*kept)).gradient();
        if (epilogue & EPILOGUE_AUX)
            *kept = convert<C>(value);
        if (epilogue & CUBLASLT_EPILOGUE_RELU)
            return value < S(0) ? S(0) : value;
        if (epilogue & CUBLASLT_EPILOGUE_GELU)
            return gelu<S>(value).value();
        return value;
    }
};
template <class T> struct nothing_more {
    __device__ T operator()(T value, int, int, int) const
    {
        return value;
    }
};

// The gradient of a bias: sums of rows of a matrix of `rows` by `columns`, a warp for each.
template <class A, class C, class S> __global__ void sums_of_rows(operand<A> a, int rows, int columns, C *sums)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    S sum = S(0);
    for (int column = threadIdx.x; column < columns; column += 32)
        sum = sum + convert<S>(a.get(a.matrix(0), row, column));
    for (int apart = 16; apart; apart /= 2)
        sum = sum + __shfl_xor_sync(~0u, sum, apart);
    if (threadIdx.x == 0)
        sums[row] = convert<C>(sum);
}
template <class S, class A, class C>
cublasStatus_t run_sums_of_rows(cublasHandle_t handle, const operand<A> &a, int rows, int columns, C *sums)
{
    return launch(handle, dim3(blocks_for(rows, 8)), dim3(32, 8), sums_of_rows<A, C, S>, a, rows, columns, sums);
}

} // namespace lockstep_blas
