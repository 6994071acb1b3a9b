// The functions of each type, for functions that take the type of elements as an argument.
#pragma once

#include "context.cuh"

namespace lockstep_solver
{

#define CALL(as, L, name) static constexpr decltype(&cusolverDn##L##name) as = cusolverDn##L##name;
#define CALLS(L, sy)                                                                                                   \
    CALL(getrf_room, L, getrf_bufferSize)                                                                              \
    CALL(getrf, L, getrf)                                                                                              \
    CALL(getrs, L, getrs)                                                                                              \
    CALL(potrf_room, L, potrf_bufferSize)                                                                              \
    CALL(potrf, L, potrf)                                                                                              \
    CALL(potrs, L, potrs)                                                                                              \
    CALL(potri_room, L, potri_bufferSize) CALL(potri, L, potri) CALL(geqrf_room, L, geqrf_bufferSize)                  \
        CALL(geqrf, L, geqrf) CALL(syevd_room, L, sy##evd_bufferSize) CALL(syevd, L, sy##evd)                          \
            CALL(gesvd_room, L, gesvd_bufferSize) CALL(gesvd, L, gesvd)
template <class T> struct calls;
template <> struct calls<float> {
    static const cudaDataType real_type = CUDA_R_32F;
    CALLS(S, sy)
};
template <> struct calls<double> {
    static const cudaDataType real_type = CUDA_R_64F;
    CALLS(D, sy)
};
template <> struct calls<float2> {
    static const cudaDataType real_type = CUDA_R_32F;
    CALLS(C, he)
};
template <> struct calls<double2> {
    static const cudaDataType real_type = CUDA_R_64F;
    CALLS(Z, he)
};
#undef CALL
#undef CALLS

// Does something with a number of the type, from which it knows the type.
template <class Do> static cusolverStatus_t by_type(cudaDataType type, Do what)
{
    switch (type) {
    case CUDA_R_32F:
        return what(float());
    case CUDA_R_64F:
        return what(double());
    case CUDA_C_32F:
        return what(float2());
    case CUDA_C_64F:
        return what(double2());
    default:
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    }
}
template <class... N> static bool fit(N... numbers)
{
    return ((numbers == (int)numbers) && ...);
}
#define TYPE typedef decltype(zero) T

} // namespace lockstep_solver
