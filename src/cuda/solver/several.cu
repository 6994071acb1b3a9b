// Functions for several GPUs, on the one that there is: a matrix is whole in its memory, with as many rows as its
// descriptor says. A grid of more devices is refused.
#include "types.cuh"

#include <cusolverMg.h>
#include <stdio.h>

using namespace lockstep_solver;

struct cusolverMgContext {
    cusolverDnHandle_t dense;
    int *info; // on the device
};
struct mg_matrix {
    int64_t rows, columns;
    cudaDataType type;
};

static cusolverStatus_t one_device(int64_t devices)
{
    if (devices == 1)
        return CUSOLVER_STATUS_SUCCESS;
    fprintf(stderr, "lockstep: cusolverMg: %lld devices are asked for, and there is one\n", (long long)devices);
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}
cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    cusolverMgHandle_t made = (cusolverMgHandle_t)calloc(1, sizeof *made);
    if (!made)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    cusolverStatus_t status = cusolverDnCreate(&made->dense);
    if (!status)
        status = status_of(cudaMalloc((void **)&made->info, sizeof *made->info));
    *handle = made;
    if (status)
        cusolverMgDestroy(made);
    return status;
}
cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle)
{
    LOCKSTEP_SOLVER_BEGIN(handle, false);
    if (handle->dense)
        cusolverDnDestroy(handle->dense);
    cudaFree(handle->info);
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[])
{
    LOCKSTEP_SOLVER_BEGIN(handle, nbDevices < 1 || !deviceId);
    return one_device(nbDevices);
}
cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices, int32_t numColDevices,
                                            const int32_t deviceId[], cusolverMgGridMapping_t)
{
    if (!grid || numRowDevices < 1 || numColDevices < 1 || !deviceId)
        return CUSOLVER_STATUS_INVALID_VALUE;
    LOCKSTEP_SOLVER_STEP(one_device((int64_t)numRowDevices * numColDevices));
    *grid = calloc(1, 1);
    return *grid ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid)
{
    free(grid);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows, int64_t numCols,
                                            int64_t rowBlockSize, int64_t colBlockSize, cudaDataType dataType,
                                            const cudaLibMgGrid_t grid)
{
    if (!desc || !grid || numRows < 0 || numCols < 0 || rowBlockSize < 1 || colBlockSize < 1 || !fit(numRows, numCols))
        return CUSOLVER_STATUS_INVALID_VALUE;
    mg_matrix *made = (mg_matrix *)malloc(sizeof *made);
    if (!made)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *made = mg_matrix{numRows, numCols, dataType};
    *desc = made;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc)
{
    free(desc);
    return CUSOLVER_STATUS_SUCCESS;
}

// The part of a matrix that a call is about, from row i and column j on, counted from 1: m rows and n columns.
struct mg_part {
    const mg_matrix *whole;
    void *at;
    int ld, j;
    mg_part(void *const array[], int i, int j, cudaLibMgMatrixDesc_t desc, int m, int n)
        : whole((const mg_matrix *)desc), at(NULL), ld(0), j(j)
    {
        if (!whole || !array || i < 1 || j < 1 || m < 0 || n < 0 || i - 1 + (int64_t)m > whole->rows ||
            j - 1 + (int64_t)n > whole->columns)
            return;
        ld = (int)whole->rows;
        const size_t element = whole->type == CUDA_C_64F                                ? 16
                               : whole->type == CUDA_R_64F || whole->type == CUDA_C_32F ? 8
                                                                                        : 4;
        at = (char *)array[0] + ((int64_t)(j - 1) * ld + i - 1) * element;
    }
    bool bad() const
    {
        return !at;
    }
};
#define PART(M, rows, columns) mg_part part_##M(array_d_##M, I##M, J##M, descr##M, rows, columns)
#define MATRIX(M) (T *)part_##M.at, part_##M.ld
// What the call of one type did, and its end, brought to the host.
template <class Do> static cusolverStatus_t run(cusolverMgHandle_t handle, cudaDataType type, int *info, Do what)
{
    LOCKSTEP_SOLVER_STEP(by_type(type, what));
    return status_of(cudaMemcpy(info, handle->info, sizeof *info, cudaMemcpyDeviceToHost));
}
#define LOCKSTEP_MG_BEGIN(computeType, wrong)                                                                          \
    LOCKSTEP_SOLVER_BEGIN(handle, part_A.bad() || (wrong));                                                            \
    if (part_A.whole->type != (computeType))                                                                           \
    return CUSOLVER_STATUS_NOT_SUPPORTED
#define LOCKSTEP_MG_RUN(call)                                                                                          \
    return run(handle, computeType, info, [&](auto zero) {                                                             \
        TYPE;                                                                                                          \
        return call;                                                                                                   \
    })
// How much room a function of one type wants.
#define LOCKSTEP_MG_ROOM(call)                                                                                         \
    int room = 0;                                                                                                      \
    LOCKSTEP_SOLVER_STEP(by_type(computeType, [&](auto zero) {                                                         \
        TYPE;                                                                                                          \
        return call;                                                                                                   \
    }));                                                                                                               \
    *lwork = room;                                                                                                     \
    return CUSOLVER_STATUS_SUCCESS

cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *[], cudaDataType computeType,
                                            int64_t *lwork)
{
    PART(A, M, N);
    LOCKSTEP_MG_BEGIN(computeType, !lwork);
    LOCKSTEP_MG_ROOM(calls<T>::getrf_room(handle->dense, M, N, MATRIX(A), &room));
}
cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[], cudaDataType computeType,
                                 void *array_d_work[], int64_t, int *info)
{
    PART(A, M, N);
    LOCKSTEP_MG_BEGIN(computeType, !array_d_work || !info);
    int *pivots = array_d_IPIV ? array_d_IPIV[0] + JA - 1 : NULL;
    LOCKSTEP_MG_RUN(calls<T>::getrf(handle->dense, M, N, MATRIX(A), (T *)array_d_work[0], pivots, handle->info));
}
cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t, int N, int NRHS,
                                            void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, int *[],
                                            void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                            cudaDataType computeType, int64_t *lwork)
{
    PART(A, N, N);
    PART(B, N, NRHS);
    LOCKSTEP_MG_BEGIN(computeType, !lwork || part_B.bad());
    *lwork = 1;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, void *array_d_A[],
                                 int IA, int JA, cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[], void *array_d_B[],
                                 int IB, int JB, cudaLibMgMatrixDesc_t descrB, cudaDataType computeType, void *[],
                                 int64_t, int *info)
{
    PART(A, N, N);
    PART(B, N, NRHS);
    LOCKSTEP_MG_BEGIN(computeType, !info || part_B.bad() || part_B.whole->type != computeType);
    int *pivots = array_d_IPIV ? array_d_IPIV[0] + JA - 1 : NULL;
    LOCKSTEP_MG_RUN(calls<T>::getrs(handle->dense, TRANS, N, NRHS, MATRIX(A), pivots, MATRIX(B), handle->info));
}

// A function that turns a triangle of a matrix into another one, and the room that it needs.
#define LOCKSTEP_MG_TRIANGLE(Name, name)                                                                               \
    cusolverStatus_t cusolverMg##Name##_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,            \
                                                   void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,    \
                                                   cudaDataType computeType, int64_t *lwork)                           \
    {                                                                                                                  \
        PART(A, N, N);                                                                                                 \
        LOCKSTEP_MG_BEGIN(computeType, !lwork);                                                                        \
        LOCKSTEP_MG_ROOM(calls<T>::name##_room(handle->dense, uplo, N, MATRIX(A), &room));                             \
    }                                                                                                                  \
    cusolverStatus_t cusolverMg##Name(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, void *array_d_A[],      \
                                      int IA, int JA, cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,          \
                                      void *array_d_work[], int64_t lwork, int *info)                                  \
    {                                                                                                                  \
        PART(A, N, N);                                                                                                 \
        LOCKSTEP_MG_BEGIN(computeType, !array_d_work || !info);                                                        \
        LOCKSTEP_MG_RUN(                                                                                               \
            calls<T>::name(handle->dense, uplo, N, MATRIX(A), (T *)array_d_work[0], (int)lwork, handle->info));        \
    }
LOCKSTEP_MG_TRIANGLE(Potrf, potrf)
LOCKSTEP_MG_TRIANGLE(Potri, potri)
#undef LOCKSTEP_MG_TRIANGLE
cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t, int N, int NRHS,
                                            void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                            void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                            cudaDataType computeType, int64_t *lwork)
{
    PART(A, N, N);
    PART(B, N, NRHS);
    LOCKSTEP_MG_BEGIN(computeType, !lwork || part_B.bad());
    *lwork = 1;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, int NRHS, void *array_d_A[],
                                 int IA, int JA, cudaLibMgMatrixDesc_t descrA, void *array_d_B[], int IB, int JB,
                                 cudaLibMgMatrixDesc_t descrB, cudaDataType computeType, void *[], int64_t, int *info)
{
    PART(A, N, N);
    PART(B, N, NRHS);
    LOCKSTEP_MG_BEGIN(computeType, !info || part_B.bad() || part_B.whole->type != computeType);
    LOCKSTEP_MG_RUN(calls<T>::potrs(handle->dense, uplo, N, NRHS, MATRIX(A), MATRIX(B), handle->info));
}

// Room for the eigenvalues lies behind that of the function, which is a whole number of elements.
cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                            int N, void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                            void *, cudaDataType, cudaDataType computeType, int64_t *lwork)
{
    PART(A, N, N);
    LOCKSTEP_MG_BEGIN(computeType, !lwork);
    int room = 0;
    LOCKSTEP_SOLVER_STEP(by_type(computeType, [&](auto zero) {
        TYPE;
        return calls<T>::syevd_room(handle->dense, jobz, uplo, N, MATRIX(A), NULL, &room);
    }));
    *lwork = (int64_t)room + N;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA, void *W,
                                 cudaDataType dataTypeW, cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info)
{
    PART(A, N, N);
    LOCKSTEP_MG_BEGIN(computeType, !array_d_work || !info || !W || lwork < N);
    return run(handle, computeType, info, [&](auto zero) {
        TYPE;
        typedef typename number<T>::real R;
        if (dataTypeW != calls<T>::real_type)
            return CUSOLVER_STATUS_NOT_SUPPORTED;
        const int room = (int)(lwork - N);
        R *values = (R *)((T *)array_d_work[0] + room);
        LOCKSTEP_SOLVER_STEP(
            calls<T>::syevd(handle->dense, jobz, uplo, N, MATRIX(A), values, (T *)array_d_work[0], room, handle->info));
        return status_of(cudaMemcpy(W, values, N * sizeof(R), cudaMemcpyDeviceToHost));
    });
}
