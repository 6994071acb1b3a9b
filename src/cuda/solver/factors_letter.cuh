// Factors of one type: included once for each, with LOCKSTEP_L, LOCKSTEP_T and their kin set.
#define T LOCKSTEP_T
#define NAME(name) LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, , name)

cusolverStatus_t NAME(getrf_bufferSize)(cusolverDnHandle_t handle, int m, int n, T *, int lda, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || !lwork);
    *lwork = some_room;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(getrf)(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *, int *pivots, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || (m && n && !A) || !info);
    return run_lu(handle, m, n, A, lda, pivots, info);
}
cusolverStatus_t NAME(getrs)(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *A, int lda,
                             const int *pivots, T *B, int ldb, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || nrhs < 0 || lda < n || ldb < n || (n && !A) || (n && nrhs && !B) || !info);
    const transposed_of<T> a = {{A, lda}, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C};
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    return launch(handle, nrhs, solve_by_lu<T>, n, nrhs, a, pivots, columns<T>{B, ldb});
}

cusolverStatus_t NAME(potrf_bufferSize)(cusolverDnHandle_t handle, cublasFillMode_t, int n, T *, int lda, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || !lwork);
    *lwork = some_room;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(potrf)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *, int,
                             int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || (n && !A) || !info);
    return run_cholesky(handle, uplo, n, A, lda, info);
}
cusolverStatus_t NAME(potrs)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *A, int lda,
                             T *B, int ldb, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || nrhs < 0 || lda < n || ldb < n || (n && !A) || (n && nrhs && !B) || !info);
    const half_of<const T> a = {A, lda, uplo == CUBLAS_FILL_MODE_UPPER};
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    return launch(handle, nrhs, solve_cholesky<T>, n, nrhs, a, columns<T>{B, ldb});
}
cusolverStatus_t NAME(potrfBatched)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A[], int lda, int *info,
                                    int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || batchSize < 0 || (batchSize && (!A || !info)));
    LOCKSTEP_SOLVER_STEP(clear(handle, info, batchSize));
    return launch(handle, batchSize, cholesky_batch<T>, n, (T *const *)A, lda, uplo == CUBLAS_FILL_MODE_UPPER, info,
                  batchSize);
}
cusolverStatus_t NAME(potrsBatched)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T *A[], int lda,
                                    T *B[], int ldb, int *info, int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || nrhs < 0 || lda < n || ldb < n || batchSize < 0 ||
                                      (batchSize && (!A || !B)) || !info);
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    return launch(handle, batchSize, solve_cholesky_batch<T>, n, nrhs, (T *const *)A, lda,
                  uplo == CUBLAS_FILL_MODE_UPPER, (T *const *)B, ldb, batchSize);
}

cusolverStatus_t NAME(geqrf_bufferSize)(cusolverDnHandle_t handle, int m, int n, T *, int lda, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || !lwork);
    *lwork = some_room;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(geqrf)(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *tau, T *, int, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || (m && n && (!A || !tau)) || !info);
    return run_qr(handle, m, n, A, lda, tau, info);
}

cusolverStatus_t LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_GQR, _bufferSize)(cusolverDnHandle_t handle, int m, int n,
                                                                             int k, const T *, int lda, const T *,
                                                                             int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || m < n || k < 0 || k > n || lda < m || !lwork);
    *lwork = m * k + some_room;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_GQR, )(cusolverDnHandle_t handle, int m, int n, int k, T *A,
                                                                  int lda, const T *tau, T *work, int lwork, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || m < n || k < 0 || k > n || lda < m || (n && !A) || (k && (!tau || !work)) ||
                                      lwork < m * k || !info);
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    LOCKSTEP_SOLVER_STEP(run_for_each(handle, (long long)m * n, keep_apart<T>{{A, lda}, work, m, k}));
    return run_reflections(handle, k, reflected<T>{{work, m}, tau, {A, lda}, m, 0, 0, n, false}, false);
}
cusolverStatus_t LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_MQR, _bufferSize)(cusolverDnHandle_t handle,
                                                                             cublasSideMode_t side, cublasOperation_t,
                                                                             int m, int n, int k, const T *, int lda,
                                                                             const T *, const T *, int ldc, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle,
                          m < 0 || n < 0 || k < 0 || lda < (side == CUBLAS_SIDE_LEFT ? m : n) || ldc < m || !lwork);
    *lwork = some_room;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_MQR, )(cusolverDnHandle_t handle, cublasSideMode_t side,
                                                                  cublasOperation_t trans, int m, int n, int k,
                                                                  const T *A, int lda, const T *tau, T *C, int ldc, T *,
                                                                  int, int *info)
{
    const bool right = side == CUBLAS_SIDE_RIGHT;
    const int length = right ? n : m;
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || k < 0 || k > length || lda < length || ldc < m ||
                                      (k && (!A || !tau)) || (m && n && !C) || !info ||
                                      (number<T>::is_complex && trans == CUBLAS_OP_T));
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    return run_reflections(handle, k, reflected<T>{{A, lda}, tau, {C, ldc}, length, 0, 0, right ? m : n, right},
                           trans != CUBLAS_OP_N);
}

#undef T
#undef NAME
