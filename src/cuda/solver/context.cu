// Handles of cuSOLVER and their settings.
#include "context.cuh"

#include "rotations.cuh"

using namespace lockstep_solver;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = (cusolverDnHandle_t)calloc(1, sizeof **handle);
    if (!*handle)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->mode = CUSOLVER_DETERMINISTIC_RESULTS;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    LOCKSTEP_SOLVER_BEGIN(handle, false);
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetVersion(int *version)
{
    if (!version)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    static const int numbers[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *value = numbers[type];
    return CUSOLVER_STATUS_SUCCESS;
}

#define LOCKSTEP_SOLVER_SETTING(get, set, T, member)                                                                   \
    cusolverStatus_t get(cusolverDnHandle_t handle, T *value)                                                          \
    {                                                                                                                  \
        LOCKSTEP_SOLVER_BEGIN(handle, !value);                                                                         \
        *value = handle->member;                                                                                       \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t set(cusolverDnHandle_t handle, T value)                                                           \
    {                                                                                                                  \
        LOCKSTEP_SOLVER_BEGIN(handle, false);                                                                          \
        handle->member = value;                                                                                        \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }
LOCKSTEP_SOLVER_SETTING(cusolverDnGetStream, cusolverDnSetStream, cudaStream_t, stream)
LOCKSTEP_SOLVER_SETTING(cusolverDnGetDeterministicMode, cusolverDnSetDeterministicMode, cusolverDeterministicMode_t,
                        mode)

// ---- how rotations end
template <class Info> static cusolverStatus_t create_info(Info **info)
{
    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *info = (Info *)calloc(1, sizeof **info);
    if (!*info)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*info)->sweeps = usual_sweeps;
    return CUSOLVER_STATUS_SUCCESS;
}
#define LOCKSTEP_SOLVER_INFO(name, Name)                                                                               \
    cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info)                                                  \
    {                                                                                                                  \
        return create_info(info);                                                                                      \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info)                                                  \
    {                                                                                                                  \
        free(info);                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double tolerance)                              \
    {                                                                                                                  \
        if (!info)                                                                                                     \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                                      \
        info->tolerance = tolerance;                                                                                   \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int sweeps)                                    \
    {                                                                                                                  \
        if (!info || sweeps < 1)                                                                                       \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                                      \
        info->sweeps = sweeps;                                                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }
LOCKSTEP_SOLVER_INFO(syevj, Syevj)
LOCKSTEP_SOLVER_INFO(gesvdj, Gesvdj)

// Sorted they are in any case.
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int)
{
    return info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int)
{
    return info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
