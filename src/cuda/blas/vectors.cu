// Level 1: vectors.
#include "vectors.cuh"

using namespace lockstep_blas;

// The rotation that turns (a, b) into (r, 0): a becomes r, and b the number from which c and s can be had again.
template <class T> __host__ __device__ void rotation(T *a, T *b, T *c, T *s)
{
    const T x = *a, y = *b, scale = fabs(x) + fabs(y);
    if (scale == 0) {
        *c = 1;
        *s = *a = *b = 0;
        return;
    }
    const T root = scale * sqrt((x / scale) * (x / scale) + (y / scale) * (y / scale));
    const bool x_larger = fabs(x) > fabs(y);
    const T r = (x_larger ? x : y) < 0 ? -root : root;
    *c = x / r;
    *s = y / r;
    *a = r;
    *b = x_larger ? *s : *c != 0 ? 1 / *c : 1;
}
// The same of complex numbers, of which c is real and b stays.
template <class T, class R> __host__ __device__ void rotation(T *a, T *b, R *c, T *s)
{
    const R of_a = hypot(a->x, a->y), root = hypot(of_a, hypot(b->x, b->y));
    if (of_a == 0) {
        *c = 0;
        *s = make<T>(1);
        *a = *b;
        return;
    }
    const T direction = (1 / of_a) * *a;
    *c = of_a / root;
    *s = (1 / root) * (direction * conjugate(*b));
    *a = root * direction;
}
template <class T, class R> __global__ void make_rotation(T *a, T *b, R *c, T *s)
{
    rotation(a, b, c, s);
}

// A modified rotation is brought to where its numbers are neither huge nor tiny: d counts for the squares of what it
// belongs to. Of the flags 0 and 1 the numbers that they stand for are written out first.
template <class T> __host__ __device__ void scale_modified(modified_rotation<T> *h, T *d, T *x, T *one, T *other)
{
    const T most = 4096;
    for (int i = 0; i < 64 && *d != 0 && (fabs(*d) <= 1 / (most * most) || fabs(*d) >= most * most); i++) {
        const T by = fabs(*d) >= 1 ? most : 1 / most;
        if (h->flag == 0)
            h->h11 = h->h22 = 1;
        if (h->flag == 1) {
            h->h21 = -1;
            h->h12 = 1;
        }
        h->flag = -1;
        *d /= by * by;
        *one *= by;
        *other *= by;
        if (x)
            *x *= by;
    }
}
// The rotation H that makes the second of H (sqrt(d1) x1, sqrt(d2) y1) 0, without roots.
template <class T> __host__ __device__ void make_modified(T *d1, T *d2, T *x1, T y1, modified_rotation<T> *to)
{
    modified_rotation<T> h = {-1, 0, 0, 0, 0};
    const T p1 = *d1 * *x1, p2 = *d2 * y1, q1 = p1 * *x1, q2 = p2 * y1;
    if (*d1 >= 0 && p2 == 0) {
        to->flag = -2;
        return;
    }
    const bool plain = fabs(q1) > fabs(q2);
    const T u = plain ? 1 + p2 / p1 * (y1 / *x1) : 1 + p1 / p2 * (*x1 / y1);
    if (*d1 < 0 || (plain ? u <= 0 : q2 < 0)) {
        *d1 = *d2 = *x1 = 0;
    } else if (plain) {
        h = {0, 0, -y1 / *x1, p2 / p1, 0};
        *d1 /= u;
        *d2 /= u;
        *x1 *= u;
    } else {
        const T first = *d1;
        h = {1, p1 / p2, 0, 0, *x1 / y1};
        *d1 = *d2 / u;
        *d2 = first / u;
        *x1 = y1 * u;
    }
    scale_modified(&h, d1, x1, &h.h11, &h.h12);
    scale_modified(&h, d2, (T *)NULL, &h.h21, &h.h22);
    to->flag = h.flag;
    if (h.flag != 0) {
        to->h11 = h.h11;
        to->h22 = h.h22;
    }
    if (h.flag != 1) {
        to->h21 = h.h21;
        to->h12 = h.h12;
    }
}
template <class T> __global__ void make_modified_rotation(T *d1, T *d2, T *x1, const T *y1, modified_rotation<T> *to)
{
    make_modified(d1, d2, x1, *y1, to);
}
template <class T> __global__ void make_rotation(T *a, T *b, T *c, T *s)
{
    rotation(a, b, c, s);
}

#define LOCKSTEP_LETTERS "../blas/vectors_letter.cuh"
#include "../kernels/letters.cuh"

// ---- vectors of types that are arguments.
template <class X, class S>
static cublasStatus_t dot_of(cublasHandle_t handle, int n, const void *x, int incx, const void *y, int incy,
                             void *result, bool conjugated)
{
    const vector_of<const X> a = elements((const X *)x, n, incx), b = elements((const X *)y, n, incy);
    return conjugated && number<X>::is_complex ? run_sum(handle, n, dot_sum<X, S, true>{a, b}, (X *)result)
                                               : run_sum(handle, n, dot_sum<X, S, false>{a, b}, (X *)result);
}
static cublasStatus_t dot_by_types(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx,
                                   const void *y, cudaDataType y_type, int incy, void *result, cudaDataType type,
                                   bool conjugated)
{
    LOCKSTEP_BLAS_BEGIN(handle, !result, false);
    if (x_type != y_type || x_type != type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    switch (x_type) {
    case CUDA_R_16F:
        return dot_of<__half, float>(handle, n, x, incx, y, incy, result, false);
    case CUDA_R_16BF:
        return dot_of<__nv_bfloat16, float>(handle, n, x, incx, y, incy, result, false);
    case CUDA_R_32F:
        return dot_of<float, float>(handle, n, x, incx, y, incy, result, false);
    case CUDA_R_64F:
        return dot_of<double, double>(handle, n, x, incx, y, incy, result, false);
    case CUDA_C_32F:
        return dot_of<float2, float2>(handle, n, x, incx, y, incy, result, conjugated);
    case CUDA_C_64F:
        return dot_of<double2, double2>(handle, n, x, incx, y, incy, result, conjugated);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y,
                           cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType)
{
    return dot_by_types(handle, n, x, xType, incx, y, yType, incy, result, resultType, false);
}
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y,
                            cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType)
{
    return dot_by_types(handle, n, x, xType, incx, y, yType, incy, result, resultType, true);
}

template <class X, class S, class R>
static cublasStatus_t nrm2_by(cublasHandle_t handle, int n, const void *x, int incx, void *result)
{
    return run_sum(handle, incx > 0 ? n : 0, nrm2_of<X, S>(elements((const X *)x, n, incx)), (R *)result);
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, void *result,
                            cudaDataType, cudaDataType)
{
    LOCKSTEP_BLAS_BEGIN(handle, !result, false);
    switch (xType) {
    case CUDA_R_16F:
        return nrm2_by<__half, float, __half>(handle, n, x, incx, result);
    case CUDA_R_16BF:
        return nrm2_by<__nv_bfloat16, float, __nv_bfloat16>(handle, n, x, incx, result);
    case CUDA_R_32F:
        return nrm2_by<float, float, float>(handle, n, x, incx, result);
    case CUDA_R_64F:
        return nrm2_by<double, double, double>(handle, n, x, incx, result);
    case CUDA_C_32F:
        return nrm2_by<float2, float2, float>(handle, n, x, incx, result);
    case CUDA_C_64F:
        return nrm2_by<double2, double2, double>(handle, n, x, incx, result);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, void *x,
                            cudaDataType xType, int incx, cudaDataType)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0 || incx <= 0);
#define LOCKSTEP_SCAL(type, scalar_type, X, S)                                                                         \
    if (xType == type && alphaType == scalar_type)                                                                     \
        return run_for_each(handle, n, scal_each<X, S>{scalar_of(handle, (const S *)alpha), elements((X *)x, n, incx)});
    LOCKSTEP_SCAL(CUDA_R_16F, CUDA_R_32F, __half, float)
    LOCKSTEP_SCAL(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float)
    LOCKSTEP_SCAL(CUDA_R_32F, CUDA_R_32F, float, float)
    LOCKSTEP_SCAL(CUDA_R_64F, CUDA_R_64F, double, double)
    LOCKSTEP_SCAL(CUDA_C_32F, CUDA_C_32F, float2, float2)
    LOCKSTEP_SCAL(CUDA_C_64F, CUDA_C_64F, double2, double2)
#undef LOCKSTEP_SCAL
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, const void *x,
                            cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, cudaDataType)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
#define LOCKSTEP_AXPY(type, scalar_type, X, S)                                                                         \
    if (xType == type && yType == type && alphaType == scalar_type)                                                    \
        return run_for_each(handle, n,                                                                                 \
                            axpy_each<X, X, S>{scalar_of(handle, (const S *)alpha), elements((const X *)x, n, incx),   \
                                               elements((X *)y, n, incy)});
    LOCKSTEP_AXPY(CUDA_R_16F, CUDA_R_32F, __half, float)
    LOCKSTEP_AXPY(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float)
    LOCKSTEP_AXPY(CUDA_R_32F, CUDA_R_32F, float, float)
    LOCKSTEP_AXPY(CUDA_R_64F, CUDA_R_64F, double, double)
    LOCKSTEP_AXPY(CUDA_C_32F, CUDA_C_32F, float2, float2)
    LOCKSTEP_AXPY(CUDA_C_64F, CUDA_C_64F, double2, double2)
#undef LOCKSTEP_AXPY
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
