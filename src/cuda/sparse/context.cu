// Handles of cuSPARSE and their settings; the descriptors of its older functions.
#include "context.cuh"

using namespace lockstep_sparse;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    return create(handle);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    cudaFree(handle->room.at);
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !version);
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    static const int numbers[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *value = numbers[type];
    return CUSPARSE_STATUS_SUCCESS;
}

#define LOCKSTEP_SPARSE_SETTING(get, set, T, member)                                                                   \
    cusparseStatus_t get(cusparseHandle_t handle, T *value)                                                            \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, !value);                                                                         \
        *value = handle->member;                                                                                       \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t set(cusparseHandle_t handle, T value)                                                             \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, false);                                                                          \
        handle->member = value;                                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
LOCKSTEP_SPARSE_SETTING(cusparseGetStream, cusparseSetStream, cudaStream_t, stream)
LOCKSTEP_SPARSE_SETTING(cusparseGetPointerMode, cusparseSetPointerMode, cusparsePointerMode_t, pointer_mode)

// Nothing is logged.
cusparseStatus_t cusparseLoggerSetFile(FILE *)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerOpenFile(const char *)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerSetLevel(int)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerSetMask(int)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerForceDisable(void)
{
    return CUSPARSE_STATUS_SUCCESS;
}

// By their numbers.
static const struct {
    const char *name, *text;
} statuses[] = {
#define LOCKSTEP_STATUS(name, text)                                                                                    \
    {                                                                                                                  \
        "CUSPARSE_STATUS_" #name, text                                                                                 \
    }
    LOCKSTEP_STATUS(SUCCESS, "success"),
    LOCKSTEP_STATUS(NOT_INITIALIZED, "there is no handle"),
    LOCKSTEP_STATUS(ALLOC_FAILED, "no room on the device"),
    LOCKSTEP_STATUS(INVALID_VALUE, "an argument has a value that it cannot have"),
    LOCKSTEP_STATUS(ARCH_MISMATCH, "the device has no such operation"),
    LOCKSTEP_STATUS(MAPPING_ERROR, "device memory cannot be reached"),
    LOCKSTEP_STATUS(EXECUTION_FAILED, "a kernel could not be launched, or failed"),
    LOCKSTEP_STATUS(INTERNAL_ERROR, "internal error"),
    LOCKSTEP_STATUS(MATRIX_TYPE_NOT_SUPPORTED, "there is no such operation for matrices of this type"),
    LOCKSTEP_STATUS(ZERO_PIVOT, "an element of the diagonal is zero"),
    LOCKSTEP_STATUS(NOT_SUPPORTED, "not supported"),
    LOCKSTEP_STATUS(INSUFFICIENT_RESOURCES, "not enough room"),
#undef LOCKSTEP_STATUS
};
static bool is_known(cusparseStatus_t status)
{
    return status >= CUSPARSE_STATUS_SUCCESS && status <= CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
}
const char *cusparseGetErrorName(cusparseStatus_t status)
{
    return is_known(status) ? statuses[status].name : "unknown status";
}
const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return is_known(status) ? statuses[status].text : "unknown status";
}

// ---- descriptors of the older functions
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
    return create(descr);
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}
#define LOCKSTEP_SPARSE_MEMBER(get, set, T, member)                                                                    \
    T get(const cusparseMatDescr_t descr)                                                                              \
    {                                                                                                                  \
        return descr ? descr->member : (T)0;                                                                           \
    }                                                                                                                  \
    cusparseStatus_t set(cusparseMatDescr_t descr, T value)                                                            \
    {                                                                                                                  \
        if (!descr)                                                                                                    \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        descr->member = value;                                                                                         \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
LOCKSTEP_SPARSE_MEMBER(cusparseGetMatType, cusparseSetMatType, cusparseMatrixType_t, type)
LOCKSTEP_SPARSE_MEMBER(cusparseGetMatFillMode, cusparseSetMatFillMode, cusparseFillMode_t, fill)
LOCKSTEP_SPARSE_MEMBER(cusparseGetMatDiagType, cusparseSetMatDiagType, cusparseDiagType_t, diagonal)
LOCKSTEP_SPARSE_MEMBER(cusparseGetMatIndexBase, cusparseSetMatIndexBase, cusparseIndexBase_t, base)
