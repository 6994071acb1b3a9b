// Incomplete factors in the place of a sparse matrix, of the elements that it has: L U, and L L'. Columns are sorted.
#include "waiting.cuh"

using namespace lockstep_sparse;

// On the device: the first row whose element on the diagonal is 0 or missing, from the matrix's base on; or `none`.
struct csrilu02Info {
    int *zero;
};
struct csric02Info {
    int *zero;
};
static const int none = 0x7fffffff;

template <class T> struct factored {
    long long n;
    index_array offsets, columns;
    T *values;
    int *ready, *zero;
    int base;
    // Where row i has column j; -1: nowhere.
    __device__ long long find(long long i, long long j) const
    {
        long long low = offsets[i], high = offsets[i + 1];
        const long long end = high;
        while (low < high) {
            const long long middle = (low + high) / 2;
            if (columns[middle] < j)
                low = middle + 1;
            else
                high = middle;
        }
        return low < end && columns[low] == j ? low : -1;
    }
    __device__ void tell_zero(long long row) const
    {
        atomicMin(zero, (int)row + base);
    }
};
// Row i of a block of rows that wait for each other; false beyond the last.
template <class T> __device__ bool row_of_warp(const factored<T> &a, long long *row)
{
    *row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
    return *row < a.n;
}

// The rows before it that row i has elements for are taken away from it one after the other, each by all lanes.
template <class T> __global__ void factor_lu(factored<T> a)
{
    long long i;
    if (!row_of_warp(a, &i))
        return;
    const int lane = threadIdx.x % 32;
    for (long long k = a.offsets[i], end = a.offsets[i + 1]; k < end && a.columns[k] < i; k++) {
        const long long above = a.columns[k], diagonal = a.find(above, above);
        wait_for(&a.ready[above]);
        __syncwarp();
        if (diagonal < 0)
            continue;
        const T by = a.values[k] / fresh(&a.values[diagonal]);
        __syncwarp();
        if (lane == 0)
            a.values[k] = by;
        for (long long first = diagonal + 1, last = a.offsets[above + 1]; first < last; first += 32) {
            const long long l = first + lane, to = l < last ? a.find(i, a.columns[l]) : -1;
            if (to >= 0)
                a.values[to] = a.values[to] - by * fresh(&a.values[l]);
        }
        __syncwarp();
    }
    const long long diagonal = a.find(i, i);
    if (lane == 0 && (diagonal < 0 || is_zero(a.values[diagonal])))
        a.tell_zero(i);
    tell_ready(&a.ready[i]);
}

template <class T> __device__ T root(T a)
{
    return sqrt(a);
}
__device__ inline float2 root(float2 a)
{
    return float2{sqrtf(a.x), 0};
}
__device__ inline double2 root(double2 a)
{
    return double2{sqrt(a.x), 0};
}
// The sum over the columns before `last` of row i's elements by the conjugates of row j's.
template <class T> __device__ T product_of_rows(const factored<T> &a, long long i, long long j, long long last)
{
    T sum = T();
    for (long long first = a.offsets[i], end = a.offsets[i + 1]; first < end; first += 32) {
        const long long k = first + threadIdx.x % 32, column = k < end ? a.columns[k] : last;
        const long long other = column < last ? a.find(j, column) : -1;
        if (other >= 0)
            sum = multiply_add(a.values[k], conjugate(fresh(&a.values[other])), sum);
    }
    return sum_of_lanes(sum, 32);
}
template <class T> __global__ void factor_cholesky(factored<T> a)
{
    long long i;
    if (!row_of_warp(a, &i))
        return;
    const int lane = threadIdx.x % 32;
    for (long long k = a.offsets[i], end = a.offsets[i + 1]; k < end && a.columns[k] < i; k++) {
        const long long above = a.columns[k], diagonal = a.find(above, above);
        wait_for(&a.ready[above]);
        __syncwarp();
        const T sum = product_of_rows(a, i, above, above);
        if (lane == 0 && diagonal >= 0)
            a.values[k] = (a.values[k] - sum) / conjugate(fresh(&a.values[diagonal]));
        __syncwarp();
    }
    const long long diagonal = a.find(i, i);
    const T sum = product_of_rows(a, i, i, i);
    if (lane == 0) {
        if (diagonal >= 0)
            a.values[diagonal] = root(real_part(a.values[diagonal] - sum));
        if (diagonal < 0 || is_zero(a.values[diagonal]) ||
            magnitude(a.values[diagonal]) != magnitude(a.values[diagonal]))
            a.tell_zero(i);
    }
    __syncwarp();
    tell_ready(&a.ready[i]);
}

template <class Info> static cusparseStatus_t create_info(Info **info)
{
    LOCKSTEP_SPARSE_STEP(create(info));
    LOCKSTEP_SPARSE_STEP(status_of(cudaMalloc(&(*info)->zero, sizeof(int))));
    return status_of(cudaMemcpy((*info)->zero, &none, sizeof none, cudaMemcpyHostToDevice));
}
template <class Info> static cusparseStatus_t destroy_info(Info *info)
{
    if (info)
        cudaFree(info->zero);
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Info> static cusparseStatus_t zero_pivot(cusparseHandle_t handle, Info *info, int *position)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !info || !position);
    int zero;
    LOCKSTEP_SPARSE_STEP(
        status_of(cudaMemcpyAsync(&zero, info->zero, sizeof zero, cudaMemcpyDeviceToHost, handle->stream)));
    LOCKSTEP_SPARSE_STEP(status_of(cudaStreamSynchronize(handle->stream)));
    const int found = zero == none ? -1 : zero;
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        LOCKSTEP_SPARSE_STEP(status_of(cudaMemcpy(position, &found, sizeof found, cudaMemcpyHostToDevice)));
    else
        *position = found;
    return zero == none ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
#define LOCKSTEP_SPARSE_INFO(name, Name)                                                                               \
    cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info)                                                    \
    {                                                                                                                  \
        return create_info(info);                                                                                      \
    }                                                                                                                  \
    cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info)                                                    \
    {                                                                                                                  \
        return destroy_info(info);                                                                                     \
    }                                                                                                                  \
    cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, int *position)            \
    {                                                                                                                  \
        return zero_pivot(handle, info, position);                                                                     \
    }
LOCKSTEP_SPARSE_INFO(csrilu02, Csrilu02)
LOCKSTEP_SPARSE_INFO(csric02, Csric02)

template <class T>
static cusparseStatus_t factorize(cusparseHandle_t handle, void (*kernel)(factored<T>), int m,
                                  const cusparseMatDescr_t descr, T *values, const int *offsets, const int *cols,
                                  int *zero)
{
    const size_t bytes = (size_t)m * sizeof(int);
    int *ready = (int *)handle->room.get(bytes, handle->stream);
    if (!ready && bytes)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemsetAsync(ready, 0, bytes, handle->stream)));
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemcpyAsync(zero, &none, sizeof none, cudaMemcpyHostToDevice, handle->stream)));
    const factored<T> a = {
        m, ints(offsets, descr->base), ints(cols, descr->base), values, ready, zero, (int)descr->base};
    return launch(handle, blocks_for(m * 32ll, threads), threads, kernel, a);
}

#define LOCKSTEP_LETTERS "../sparse/factors_letter.cuh"
#include "../kernels/letters.cuh"
