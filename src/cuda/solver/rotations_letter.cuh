// Eigenvalues and singular values of one type: included once for each, with LOCKSTEP_L, LOCKSTEP_T and their kin set.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define NAME(name) LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, , name)
#define SYMMETRIC(name) LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_SY, name)

cusolverStatus_t SYMMETRIC(evd_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n,
                                           const T *, int lda, const R *, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || !lwork);
    *lwork = (int)eigen_room(n);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t SYMMETRIC(evd)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A,
                                int lda, R *W, T *work, int lwork, int *info)
{
    return run_eigen<T>(handle, jobz, uplo, n, A, lda, W, work, lwork, info, 0, usual_sweeps, 1);
}
cusolverStatus_t SYMMETRIC(evj_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n,
                                           const T *, int lda, const R *, int *lwork, syevjInfo_t params)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || !lwork || !params);
    *lwork = (int)eigen_room(n);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t SYMMETRIC(evj)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A,
                                int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !params);
    return run_eigen<T>(handle, jobz, uplo, n, A, lda, W, work, lwork, info, params->tolerance, params->sweeps, 1);
}
cusolverStatus_t SYMMETRIC(evjBatched_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n,
                                                  const T *, int lda, const R *, int *lwork, syevjInfo_t params,
                                                  int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || !lwork || !params || batchSize < 0);
    *lwork = (int)(eigen_room(n) * batchSize);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t SYMMETRIC(evjBatched)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                                       T *A, int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params,
                                       int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !params);
    return run_eigen<T>(handle, jobz, uplo, n, A, lda, W, work, lwork, info, params->tolerance, params->sweeps,
                        batchSize);
}

cusolverStatus_t NAME(gesvd_bufferSize)(cusolverDnHandle_t handle, int m, int n, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || m < n || !lwork);
    *lwork = (int)singular_room(m, n);
    return CUSOLVER_STATUS_SUCCESS;
}
// rwork is for those that did not converge, of which there are none to tell of.
cusolverStatus_t NAME(gesvd)(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T *A,
                             int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int lwork, R *, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < n || !is_job(jobu) || !is_job(jobvt) || (jobu == 'O' && jobvt == 'O') ||
                                      ((jobu == 'A' || jobu == 'S') && (!U || ldu < m)) ||
                                      ((jobvt == 'A' || jobvt == 'S') && (!VT || ldvt < n)));
    const wanted<T> left = {jobu == 'N' ? NULL : jobu == 'O' ? A : U, jobu == 'O' ? lda : ldu, jobu == 'A' ? m : n};
    const wanted<T> right = {jobvt == 'N' ? NULL : jobvt == 'O' ? A : VT, jobvt == 'O' ? lda : ldvt, n};
    return run_singular<T>(handle, m, n, A, lda, S, left, right, true, work, lwork, info, 0, usual_sweeps, 1);
}
cusolverStatus_t NAME(gesvdj_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, int, int m, int n, const T *,
                                         int lda, const R *, const T *, int, const T *, int, int *lwork,
                                         gesvdjInfo_t params)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || !lwork || !params);
    *lwork = (int)singular_room(m, n);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(gesvdj)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T *A, int lda,
                              R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params)
{
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    const int least = m < n ? m : n;
    LOCKSTEP_SOLVER_BEGIN(handle, !params || (vectors && (!U || !V || ldu < m || ldv < n)));
    return run_singular<T>(handle, m, n, A, lda, S, {vectors ? U : NULL, ldu, econ ? least : m},
                           {vectors ? V : NULL, ldv, econ ? least : n}, false, work, lwork, info, params->tolerance,
                           params->sweeps, 1);
}
cusolverStatus_t NAME(gesvdjBatched_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, int m, int n, const T *,
                                                int lda, const R *, const T *, int, const T *, int, int *lwork,
                                                gesvdjInfo_t params, int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || !lwork || !params || batchSize < 0);
    *lwork = (int)(singular_room(m, n) * batchSize);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(gesvdjBatched)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *A, int lda,
                                     R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info,
                                     gesvdjInfo_t params, int batchSize)
{
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    LOCKSTEP_SOLVER_BEGIN(handle, !params || (vectors && (!U || !V || ldu < m || ldv < n)));
    return run_singular<T>(handle, m, n, A, lda, S, {vectors ? U : NULL, ldu, m}, {vectors ? V : NULL, ldv, n}, false,
                           work, lwork, info, params->tolerance, params->sweeps, batchSize);
}

// Each matrix of a batch by itself, in a copy; the largest `rank` values and their vectors. What these leave of the
// matrix has the norm of the values that are left out. The room: that of rotations, the copy, all right vectors, all
// values.
cusolverStatus_t NAME(gesvdaStridedBatched_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t, int rank, int m,
                                                       int n, const T *, int lda, long long int, const R *,
                                                       long long int, const T *, int, long long int, const T *, int,
                                                       long long int, int *lwork, int batchSize)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || m < n || lda < m || rank < 0 || rank > n || !lwork || batchSize < 0);
    *lwork = (int)strided_room(m, n);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(gesvdaStridedBatched)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n,
                                            const T *A, int lda, long long int strideA, R *S, long long int strideS,
                                            T *U, int ldu, long long int strideU, T *V, int ldv, long long int strideV,
                                            T *work, int lwork, int *info, double *h_R_nrmF, int batchSize)
{
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || m < n || lda < m || rank < 0 || rank > n || batchSize < 0 ||
                                      lwork < strided_room(m, n) || (vectors && (!U || !V || ldu < m || ldv < n)));
    T *copy = work + singular_room(m, n), *right = copy + (long long)m * n;
    R *values = (R *)(right + (long long)n * n);
    for (int b = 0; b < batchSize; b++) {
        LOCKSTEP_SOLVER_STEP(status_of(cudaMemcpy2DAsync(copy, m * sizeof(T), A + b * strideA, lda * sizeof(T),
                                                         m * sizeof(T), n, cudaMemcpyDeviceToDevice, handle->stream)));
        LOCKSTEP_SOLVER_STEP(run_singular<T>(
            handle, m, n, copy, m, values, {vectors ? U + b * strideU : NULL, ldu, rank},
            {vectors ? right : NULL, n, n}, false, work, (int)singular_room(m, n), info + b, 0, usual_sweeps, 1));
        if (vectors)
            LOCKSTEP_SOLVER_STEP(
                status_of(cudaMemcpy2DAsync(V + b * strideV, ldv * sizeof(T), right, n * sizeof(T), n * sizeof(T), rank,
                                            cudaMemcpyDeviceToDevice, handle->stream)));
        LOCKSTEP_SOLVER_STEP(status_of(
            cudaMemcpyAsync(S + b * strideS, values, rank * sizeof(R), cudaMemcpyDeviceToDevice, handle->stream)));
        if (h_R_nrmF)
            LOCKSTEP_SOLVER_STEP(norm_of_rest(handle, values + rank, n - rank, &h_R_nrmF[b]));
    }
    return CUSOLVER_STATUS_SUCCESS;
}

#undef T
#undef R
#undef NAME
#undef SYMMETRIC
