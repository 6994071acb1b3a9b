// Functions that take the types of elements as arguments, and numbers of 64 bits: those of each type, where the numbers
// fit an int. Left out are those of mixed types. Nothing needs room on the host.
#include "factors.cuh"
#include "range.cuh"
#include "types.cuh"

using namespace lockstep_solver;

struct cusolverDnParams {
    int unused;
};
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    if (!params)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *params = (cusolverDnParams_t)calloc(1, sizeof **params);
    return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    LOCKSTEP_SOLVER_BEGIN(params, false);
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t, cusolverAlgMode_t)
{
    LOCKSTEP_SOLVER_BEGIN(params, false);
    return CUSOLVER_STATUS_SUCCESS;
}

#define LOCKSTEP_WIDE_BEGIN(handle, bad, ...)                                                                          \
    LOCKSTEP_SOLVER_BEGIN(handle, bad);                                                                                \
    if (!fit(__VA_ARGS__))                                                                                             \
    return CUSOLVER_STATUS_NOT_SUPPORTED

// What a function of one type asks for, in bytes, with so many more bytes behind it.
static cusolverStatus_t tell_room(cusolverStatus_t status, size_t elements, size_t each, size_t more, size_t *on_device,
                                  size_t *on_host)
{
    *on_device = elements * each + more;
    *on_host = 0;
    return status;
}

// ---- factors with pivots, which are numbers of 64 bits here: they are made as ints behind the room of the factors
struct widen_each {
    const int *from;
    int64_t *to;
    __device__ void operator()(long long i) const
    {
        to[i] = from[i];
    }
};
struct narrow_each {
    const int64_t *from;
    int *to;
    __device__ void operator()(long long i) const
    {
        to[i] = (int)from[i];
    }
};
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType,
                                             size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, !workspaceInBytesOnDevice || !workspaceInBytesOnHost, m, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        int room = 0;
        const cusolverStatus_t status = calls<T>::getrf_room(handle, (int)m, (int)n, (T *)A, (int)lda, &room);
        return tell_room(status, room, sizeof(T), (m < n ? m : n) * sizeof(int), workspaceInBytesOnDevice,
                         workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
                                  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
    size_t on_device = 0, on_host;
    LOCKSTEP_SOLVER_STEP(
        cusolverDnXgetrf_bufferSize(handle, params, m, n, dataTypeA, A, lda, computeType, &on_device, &on_host));
    if (workspaceInBytesOnDevice < on_device)
        return CUSOLVER_STATUS_INVALID_WORKSPACE;
    const int least = (int)(m < n ? m : n);
    int *pivots = (int *)((char *)bufferOnDevice + on_device) - least;
    LOCKSTEP_SOLVER_STEP(by_type(dataTypeA, [&](auto zero) {
        TYPE;
        return calls<T>::getrf(handle, (int)m, (int)n, (T *)A, (int)lda, (T *)bufferOnDevice, ipiv ? pivots : NULL,
                               info);
    }));
    return ipiv ? run_for_each(handle, least, widen_each{pivots, ipiv}) : CUSOLVER_STATUS_SUCCESS;
}
// There is no room in the arguments for pivots as ints: it is taken for the call.
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasOperation_t trans, int64_t n,
                                  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, n < 0, n, nrhs, lda, ldb);
    if (dataTypeA != dataTypeB)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    int *pivots = NULL;
    if (ipiv)
        LOCKSTEP_SOLVER_STEP(status_of(cudaMallocAsync((void **)&pivots, (n + 1) * sizeof *pivots, handle->stream)));
    cusolverStatus_t status = ipiv ? run_for_each(handle, n, narrow_each{ipiv, pivots}) : CUSOLVER_STATUS_SUCCESS;
    if (!status)
        status = by_type(dataTypeA, [&](auto zero) {
            TYPE;
            return calls<T>::getrs(handle, trans, (int)n, (int)nrhs, (const T *)A, (int)lda, pivots, (T *)B, (int)ldb,
                                   info);
        });
    if (pivots)
        cudaFreeAsync(pivots, handle->stream);
    return status;
}

// ---- the others, whose arguments are those of each type
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo,
                                             int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType, size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, !workspaceInBytesOnDevice || !workspaceInBytesOnHost, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        int room = 0;
        const cusolverStatus_t status = calls<T>::potrf_room(handle, uplo, (int)n, (T *)A, (int)lda, &room);
        return tell_room(status, room, sizeof(T), 0, workspaceInBytesOnDevice, workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, false, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        return calls<T>::potrf(handle, uplo, (int)n, (T *)A, (int)lda, (T *)bufferOnDevice,
                               (int)(workspaceInBytesOnDevice / sizeof(T)), info);
    });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
                                  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, false, n, nrhs, lda, ldb);
    if (dataTypeA != dataTypeB)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        return calls<T>::potrs(handle, uplo, (int)n, (int)nrhs, (const T *)A, (int)lda, (T *)B, (int)ldb, info);
    });
}
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType,
                                             const void *, cudaDataType, size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, !workspaceInBytesOnDevice || !workspaceInBytesOnHost, m, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        int room = 0;
        const cusolverStatus_t status = calls<T>::geqrf_room(handle, (int)m, (int)n, (T *)A, (int)lda, &room);
        return tell_room(status, room, sizeof(T), 0, workspaceInBytesOnDevice, workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeTau, void *tau,
                                  cudaDataType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *, size_t,
                                  int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, false, m, n, lda);
    if (dataTypeA != dataTypeTau)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        return calls<T>::geqrf(handle, (int)m, (int)n, (T *)A, (int)lda, (T *)tau, (T *)bufferOnDevice,
                               (int)(workspaceInBytesOnDevice / sizeof(T)), info);
    });
}
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t jobz,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A,
                                             int64_t lda, cudaDataType dataTypeW, const void *W, cudaDataType,
                                             size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, !workspaceInBytesOnDevice || !workspaceInBytesOnHost, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        typedef typename number<T>::real R;
        int room = 0;
        if (dataTypeW != calls<T>::real_type)
            return CUSOLVER_STATUS_NOT_SUPPORTED;
        const cusolverStatus_t status =
            calls<T>::syevd_room(handle, jobz, uplo, (int)n, (const T *)A, (int)lda, (const R *)W, &room);
        return tell_room(status, room, sizeof(T), 0, workspaceInBytesOnDevice, workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t jobz,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeW, void *W, cudaDataType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, false, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        typedef typename number<T>::real R;
        if (dataTypeW != calls<T>::real_type)
            return CUSOLVER_STATUS_NOT_SUPPORTED;
        return calls<T>::syevd(handle, jobz, uplo, (int)n, (T *)A, (int)lda, (R *)W, (T *)bufferOnDevice,
                               (int)(workspaceInBytesOnDevice / sizeof(T)), info);
    });
}
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, signed char, signed char,
                                             int64_t m, int64_t n, cudaDataType dataTypeA, const void *, int64_t lda,
                                             cudaDataType, const void *, cudaDataType, const void *, int64_t ldu,
                                             cudaDataType, const void *, int64_t ldvt, cudaDataType,
                                             size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, !workspaceInBytesOnDevice || !workspaceInBytesOnHost, m, n, lda, ldu, ldvt);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        int room = 0;
        const cusolverStatus_t status = calls<T>::gesvd_room(handle, (int)m, (int)n, &room);
        return tell_room(status, room, sizeof(T), 0, workspaceInBytesOnDevice, workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t, signed char jobu, signed char jobvt,
                                  int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U, int64_t ldu,
                                  cudaDataType dataTypeVT, void *VT, int64_t ldvt, cudaDataType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
    LOCKSTEP_WIDE_BEGIN(handle, false, m, n, lda, ldu, ldvt);
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        typedef typename number<T>::real R;
        if (dataTypeS != calls<T>::real_type || dataTypeU != dataTypeA || dataTypeVT != dataTypeA)
            return CUSOLVER_STATUS_NOT_SUPPORTED;
        return calls<T>::gesvd(handle, jobu, jobvt, (int)m, (int)n, (T *)A, (int)lda, (R *)S, (T *)U, (int)ldu, (T *)VT,
                               (int)ldvt, (T *)bufferOnDevice, (int)(workspaceInBytesOnDevice / sizeof(T)), NULL, info);
    });
}

// ---- some eigenvalues: all are found, and those that are wanted moved to the front
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, cusolverEigRange_t, cublasFillMode_t uplo,
                                              int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, void *,
                                              void *, int64_t, int64_t, int64_t *, cudaDataType dataTypeW,
                                              const void *W, cudaDataType computeType, size_t *workspaceInBytesOnDevice,
                                              size_t *workspaceInBytesOnHost)
{
    return cusolverDnXsyevd_bufferSize(handle, params, jobz, uplo, n, dataTypeA, A, lda, dataTypeW, W, computeType,
                                       workspaceInBytesOnDevice, workspaceInBytesOnHost);
}

cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                   cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                                   void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *meig64,
                                   cudaDataType dataTypeW, void *W, cudaDataType computeType, void *bufferOnDevice,
                                   size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost,
                                   int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !meig64 || (range == CUSOLVER_EIG_RANGE_V && (!vl || !vu)) ||
                                      (range == CUSOLVER_EIG_RANGE_I && (il < 1 || iu < il || iu > n)));
    LOCKSTEP_SOLVER_STEP(cusolverDnXsyevd(handle, params, jobz, uplo, n, dataTypeA, A, lda, dataTypeW, W, computeType,
                                          bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost,
                                          workspaceInBytesOnHost, info));
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        typedef typename number<T>::real R;
        const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
        const R low = range == CUSOLVER_EIG_RANGE_V ? *(R *)vl : 0, high = range == CUSOLVER_EIG_RANGE_V ? *(R *)vu : 0;
        return keep_range(handle, range, n, vectors ? (T *)A : NULL, lda, low, high, il, iu, (R *)W, meig64);
    });
}

// ---- the inverse of a triangle, from a copy of it. A thread has a column.
template <class T> struct invert_each {
    columns<const T> from;
    columns<T> to;
    int n, *info;
    bool lower, unit;
    __device__ void operator()(long long column) const
    {
        const int j = (int)column;
        if (!unit && is_zero(from(j, j)))
            atomicCAS(info, 0, j + 1);
        to(j, j) = unit ? from(j, j) : make<T>(1) / from(j, j);
        const T own = unit ? make<T>(1) : to(j, j);
        for (int step = 1; step < (lower ? n - j : j + 1); step++) {
            const int i = lower ? j + step : j - step;
            T sum = from(i, j) * own;
            for (int k = lower ? j + 1 : i + 1; k < (lower ? i : j); k++)
                sum = multiply_add(from(i, k), to(k, j), sum);
            to(i, j) = unit ? T() - sum : T() - sum / from(i, i);
        }
    }
};
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, cublasDiagType_t, int64_t n,
                                             cudaDataType dataTypeA, void *, int64_t lda,
                                             size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    LOCKSTEP_WIDE_BEGIN(handle, n < 0 || lda < n || !workspaceInBytesOnDevice || !workspaceInBytesOnHost, n, lda);
    return by_type(dataTypeA, [&](auto zero) {
        return tell_room(CUSOLVER_STATUS_SUCCESS, n * n + 1, sizeof zero, 0, workspaceInBytesOnDevice,
                         workspaceInBytesOnHost);
    });
}
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *, size_t, int *devInfo)
{
    size_t on_device, on_host;
    LOCKSTEP_SOLVER_STEP(cusolverDnXtrtri_bufferSize(handle, uplo, diag, n, dataTypeA, A, lda, &on_device, &on_host));
    if (workspaceInBytesOnDevice < on_device)
        return CUSOLVER_STATUS_INVALID_WORKSPACE;
    LOCKSTEP_SOLVER_STEP(clear(handle, devInfo, 1));
    return by_type(dataTypeA, [&](auto zero) {
        TYPE;
        T *copy = (T *)bufferOnDevice;
        LOCKSTEP_SOLVER_STEP(status_of(cudaMemcpy2DAsync(copy, n * sizeof(T), A, lda * sizeof(T), n * sizeof(T), n,
                                                         cudaMemcpyDeviceToDevice, handle->stream)));
        return run_for_each(
            handle, n,
            invert_each<T>{
                {copy, n}, {(T *)A, lda}, (int)n, devInfo, uplo == CUBLAS_FILL_MODE_LOWER, diag == CUBLAS_DIAG_UNIT});
    });
}
