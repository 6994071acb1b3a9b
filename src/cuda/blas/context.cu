// Handles, their settings, and copies of vectors and matrices.
#include "context.cuh"

#include <stdlib.h>

using namespace lockstep_blas;

static const size_t first_room = 1 << 14;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasHandle_t made = (cublasHandle_t)calloc(1, sizeof *made);
    if (!made)
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (!room_for(made, first_room)) {
        free(made);
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    made->pointer_mode = CUBLAS_POINTER_MODE_HOST;
    made->special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    *handle = made;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaFree(handle->room.at);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

// ---- settings
#define LOCKSTEP_BLAS_SETTING(get, set, T, member)                                                                     \
    cublasStatus_t get(cublasHandle_t handle, T *value)                                                                \
    {                                                                                                                  \
        LOCKSTEP_BLAS_BEGIN(handle, !value, false);                                                                    \
        *value = handle->member;                                                                                       \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    cublasStatus_t set(cublasHandle_t handle, T value)                                                                 \
    {                                                                                                                  \
        LOCKSTEP_BLAS_BEGIN(handle, false, false);                                                                     \
        handle->member = value;                                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
LOCKSTEP_BLAS_SETTING(cublasGetStream_v2, cublasSetStream_v2, cudaStream_t, stream)
LOCKSTEP_BLAS_SETTING(cublasGetPointerMode_v2, cublasSetPointerMode_v2, cublasPointerMode_t, pointer_mode)
LOCKSTEP_BLAS_SETTING(cublasGetMathMode, cublasSetMathMode, cublasMath_t, math)
LOCKSTEP_BLAS_SETTING(cublasGetAtomicsMode, cublasSetAtomicsMode, cublasAtomicsMode_t, atomics)
LOCKSTEP_BLAS_SETTING(cublasGetSmCountTarget, cublasSetSmCountTarget, int, sm_target)
LOCKSTEP_BLAS_SETTING(cublasGetEmulationStrategy, cublasSetEmulationStrategy, cublasEmulationStrategy_t, emulation)
LOCKSTEP_BLAS_SETTING(cublasGetEmulationSpecialValuesSupport, cublasSetEmulationSpecialValuesSupport,
                      cudaEmulationSpecialValuesSupport, special_values)
LOCKSTEP_BLAS_SETTING(cublasGetFixedPointEmulationMantissaControl, cublasSetFixedPointEmulationMantissaControl,
                      cudaEmulationMantissaControl, mantissa)
LOCKSTEP_BLAS_SETTING(cublasGetFixedPointEmulationMaxMantissaBitCount, cublasSetFixedPointEmulationMaxMantissaBitCount,
                      int, most_mantissa_bits)
LOCKSTEP_BLAS_SETTING(cublasGetFixedPointEmulationMantissaBitOffset, cublasSetFixedPointEmulationMantissaBitOffset, int,
                      mantissa_offset)
LOCKSTEP_BLAS_SETTING(cublasGetFixedPointEmulationMantissaBitCountPointer,
                      cublasSetFixedPointEmulationMantissaBitCountPointer, int *, mantissa_bits)

// The room of the handle's own stays.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *, size_t)
{
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    LOCKSTEP_BLAS_BEGIN(handle, !version, false);
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int numbers[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = numbers[type];
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void)
{
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return version;
}

// Nothing is logged.
cublasStatus_t cublasLoggerConfigure(int, int, int, const char *)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback)
{
    *callback = NULL;
    return CUBLAS_STATUS_SUCCESS;
}

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
#define LOCKSTEP_STATUS(name, text)                                                                                    \
    {                                                                                                                  \
        name, #name, text                                                                                              \
    }
    LOCKSTEP_STATUS(CUBLAS_STATUS_SUCCESS, "success"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "there is no handle"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_ALLOC_FAILED, "no room on the device"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_INVALID_VALUE, "an argument has a value that it cannot have"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the device has no such operation"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_MAPPING_ERROR, "device memory cannot be reached"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "a kernel could not be launched, or failed"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "internal error"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "not supported"),
    LOCKSTEP_STATUS(CUBLAS_STATUS_LICENSE_ERROR, "license error"),
#undef LOCKSTEP_STATUS
};
const char *cublasGetStatusName(cublasStatus_t status)
{
    for (const auto &known : statuses)
        if (known.status == status)
            return known.name;
    return "unknown status";
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    for (const auto &known : statuses)
        if (known.status == status)
            return known.text;
    return "unknown status";
}

// ---- copies. A vector is a matrix of one row.
static cublasStatus_t copy_matrix(int rows, int cols, int size, const void *from, int from_ld, void *to, int to_ld,
                                  cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (rows < 0 || cols < 0 || size <= 0 || from_ld < rows || to_ld < rows || from_ld <= 0 || to_ld <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || cols == 0)
        return CUBLAS_STATUS_SUCCESS;
    const size_t to_pitch = (size_t)to_ld * size, from_pitch = (size_t)from_ld * size, width = (size_t)rows * size;
    cudaError_t error = stream ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, cols, kind, *stream)
                               : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, cols, kind);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *devicePtr, int incy)
{
    return copy_matrix(1, n, elemSize, x, incx, devicePtr, incy, cudaMemcpyHostToDevice, NULL);
}
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy)
{
    return copy_matrix(1, n, elemSize, x, incx, y, incy, cudaMemcpyDeviceToHost, NULL);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, NULL);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, NULL);
}
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr, int incx, void *devicePtr, int incy,
                                    cudaStream_t stream)
{
    return copy_matrix(1, n, elemSize, hostPtr, incx, devicePtr, incy, cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr, int incx, void *hostPtr, int incy,
                                    cudaStream_t stream)
{
    return copy_matrix(1, n, elemSize, devicePtr, incx, hostPtr, incy, cudaMemcpyDeviceToHost, &stream);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, cudaMemcpyDeviceToHost, &stream);
}
