// Vectors of one type: included once for each, with LOCKSTEP_L, LOCKSTEP_T and their kin set.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define V2(name) LOCKSTEP_BLAS_V2(LOCKSTEP_L, name)

cublasStatus_t V2(axpy)(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    axpy_each<T, T, T> each = {scalar_of(handle, alpha), elements(x, n, incx), elements(y, n, incy)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(scal)(cublasHandle_t handle, int n, const T *alpha, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0 || incx <= 0);
    scal_each<T, T> each = {scalar_of(handle, alpha), elements(x, n, incx)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(copy)(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    copy_each<T> each = {elements(x, n, incx), elements(y, n, incy)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(swap)(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    swap_each<T> each = {elements(x, n, incx), elements(y, n, incy)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(rot)(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const R *c, const T *s)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    rot_each<T, T> each = {elements(x, n, incx), elements(y, n, incy), scalar_of(handle, c), scalar_of(handle, s)};
    return run_for_each(handle, n, each);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_LR, nrm2)(cublasHandle_t handle, int n, const T *x, int incx, R *result)
{
    return run_sum(handle, incx > 0 ? n : 0, nrm2_of<T, T>(elements(x, n, incx)), result);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_LR, asum)(cublasHandle_t handle, int n, const T *x, int incx, R *result)
{
    return run_sum(handle, incx > 0 ? n : 0, asum_sum<T>{elements(x, n, incx)}, result);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amax)(cublasHandle_t handle, int n, const T *x, int incx, int *result)
{
    return run_sum(handle, incx > 0 ? n : 0, extreme<T, true>{elements(x, n, incx)}, result);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amin)(cublasHandle_t handle, int n, const T *x, int incx, int *result)
{
    return run_sum(handle, incx > 0 ? n : 0, extreme<T, false>{elements(x, n, incx)}, result);
}

#ifdef LOCKSTEP_BY_REAL
cublasStatus_t V2(dotu)(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result)
{
    return run_sum(handle, n, dot_sum<T, T, false>{elements(x, n, incx), elements(y, n, incy)}, result);
}
cublasStatus_t V2(dotc)(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result)
{
    return run_sum(handle, n, dot_sum<T, T, true>{elements(x, n, incx), elements(y, n, incy)}, result);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, scal)(cublasHandle_t handle, int n, const R *alpha, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0 || incx <= 0);
    scal_by_real_each<T> each = {scalar_of(handle, alpha), elements(x, n, incx)};
    return run_for_each(handle, n, each);
}
cublasStatus_t LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, rot)(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy,
                                                       const R *c, const R *s)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    rot_each<T, R> each = {elements(x, n, incx), elements(y, n, incy), scalar_of(handle, c), scalar_of(handle, s)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(rotg)(cublasHandle_t handle, T *a, T *b, R *c, T *s)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return launch(handle, 1, 1, make_rotation<T, R>, a, b, c, s);
    rotation(a, b, c, s);
    return CUBLAS_STATUS_SUCCESS;
}
#else
cublasStatus_t V2(rotm)(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const T *param)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, n <= 0);
    rotm_each<T> each = {elements(x, n, incx), elements(y, n, incy),
                         scalar_of(handle, (const modified_rotation<T> *)param)};
    return run_for_each(handle, n, each);
}
cublasStatus_t V2(rotmg)(cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return launch(handle, 1, 1, make_modified_rotation<T>, d1, d2, x1, y1, (modified_rotation<T> *)param);
    make_modified(d1, d2, x1, *y1, (modified_rotation<T> *)param);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t V2(dot)(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result)
{
    return run_sum(handle, n, dot_sum<T, T, false>{elements(x, n, incx), elements(y, n, incy)}, result);
}
cublasStatus_t V2(rotg)(cublasHandle_t handle, T *a, T *b, T *c, T *s)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return launch(handle, 1, 1, make_rotation<T>, a, b, c, s);
    rotation(a, b, c, s);
    return CUBLAS_STATUS_SUCCESS;
}
#endif

#undef T
#undef R
#undef V2
