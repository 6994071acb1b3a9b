// Of all eigenvalues, those that a range names: the others go.
#pragma once

#include "context.cuh"

namespace lockstep_solver
{

// The first and the number of the eigenvalues in (low, high].
template <class R>
cusolverStatus_t find_values(cusolverDnHandle_t handle, const R *values, int64_t n, R low, R high, int64_t *first,
                             int64_t *count)
{
    R *host = (R *)malloc((n + 1) * sizeof *host);
    if (!host)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    cudaError_t error = cudaMemcpyAsync(host, values, n * sizeof *host, cudaMemcpyDeviceToHost, handle->stream);
    if (!error)
        error = cudaStreamSynchronize(handle->stream);
    *first = *count = 0;
    for (int64_t i = 0; i < n && !error; i++) {
        *first += host[i] <= low;
        *count += host[i] > low && host[i] <= high;
    }
    free(host);
    return status_of(error);
}
// Of `n` ascending values on the device and, unless `vectors` is NULL, a column for each: those with the numbers
// from..to (counted from 1), or in (low, high], or all, are moved to the front. *count, on the host: so many are kept.
template <class T, class R>
cusolverStatus_t keep_range(cusolverDnHandle_t handle, cusolverEigRange_t range, int64_t n, T *vectors, int64_t ld,
                            R low, R high, int64_t from, int64_t to, R *values, int64_t *count)
{
    int64_t first = 0;
    *count = n;
    if (range == CUSOLVER_EIG_RANGE_I) {
        first = from - 1;
        *count = to - from + 1;
    } else if (range == CUSOLVER_EIG_RANGE_V) {
        LOCKSTEP_SOLVER_STEP(find_values(handle, values, n, low, high, &first, count));
    }
    // A column after the other: none is written before it has been read.
    for (int64_t i = 0; first && i < *count; i++) {
        cudaError_t error =
            cudaMemcpyAsync(values + i, values + first + i, sizeof(R), cudaMemcpyDeviceToDevice, handle->stream);
        if (!error && vectors)
            error = cudaMemcpyAsync(vectors + i * ld, vectors + (first + i) * ld, n * sizeof(T),
                                    cudaMemcpyDeviceToDevice, handle->stream);
        LOCKSTEP_SOLVER_STEP(status_of(error));
    }
    return CUSOLVER_STATUS_SUCCESS;
}

} // namespace lockstep_solver
