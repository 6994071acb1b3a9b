// Pairs of matrices of one type: included once for each, with LOCKSTEP_L, LOCKSTEP_T and their kin set.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define NAME(name) LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, , name)
#define SYMMETRIC(name) LOCKSTEP_SOLVER_NAME(LOCKSTEP_L, LOCKSTEP_SY, name)

// ---- some of the eigenvalues of one matrix
cusolverStatus_t SYMMETRIC(evdx_bufferSize)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t,
                                            cublasFillMode_t uplo, int n, const T *A, int lda, R, R, int, int, int *,
                                            const R *W, int *lwork)
{
    return SYMMETRIC(evd_bufferSize)(handle, jobz, uplo, n, A, lda, W, lwork);
}
cusolverStatus_t SYMMETRIC(evdx)(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,
                                 cublasFillMode_t uplo, int n, T *A, int lda, R vl, R vu, int il, int iu, int *meig,
                                 R *W, T *work, int lwork, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !meig || bad_range(range, n, vl, vu, il, iu));
    LOCKSTEP_SOLVER_STEP(SYMMETRIC(evd)(handle, jobz, uplo, n, A, lda, W, work, lwork, info));
    int64_t count;
    LOCKSTEP_SOLVER_STEP(
        keep_range(handle, range, n, jobz == CUSOLVER_EIG_MODE_VECTOR ? A : NULL, lda, vl, vu, il, iu, W, &count));
    *meig = (int)count;
    return CUSOLVER_STATUS_SUCCESS;
}

// ---- pairs
cusolverStatus_t SYMMETRIC(gvd_bufferSize)(cusolverDnHandle_t handle, cusolverEigType_t, cusolverEigMode_t,
                                           cublasFillMode_t, int n, const T *, int lda, const T *, int ldb, const R *,
                                           int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || ldb < n || !lwork);
    *lwork = (int)pair_room<T>(n);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t SYMMETRIC(gvd)(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                                cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,
                                int *info)
{
    return solve_pair<T>(handle, itype, jobz, uplo, n, A, lda, B, ldb, work, lwork, info, [&](T *c, T *room, int *end) {
        return SYMMETRIC(evd)(handle, jobz, CUBLAS_FILL_MODE_LOWER, n, c, n, W, room, (int)eigen_room(n), end);
    });
}
cusolverStatus_t SYMMETRIC(gvj_bufferSize)(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                                           cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb,
                                           const R *W, int *lwork, syevjInfo_t params)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !params);
    return SYMMETRIC(gvd_bufferSize)(handle, itype, jobz, uplo, n, A, lda, B, ldb, W, lwork);
}
cusolverStatus_t SYMMETRIC(gvj)(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                                cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,
                                int *info, syevjInfo_t params)
{
    return solve_pair<T>(handle, itype, jobz, uplo, n, A, lda, B, ldb, work, lwork, info, [&](T *c, T *room, int *end) {
        return SYMMETRIC(evj)(handle, jobz, CUBLAS_FILL_MODE_LOWER, n, c, n, W, room, (int)eigen_room(n), end, params);
    });
}
cusolverStatus_t SYMMETRIC(gvdx_bufferSize)(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                                            cusolverEigRange_t, cublasFillMode_t uplo, int n, const T *A, int lda,
                                            const T *B, int ldb, R, R, int, int, int *, const R *W, int *lwork)
{
    return SYMMETRIC(gvd_bufferSize)(handle, itype, jobz, uplo, n, A, lda, B, ldb, W, lwork);
}
cusolverStatus_t SYMMETRIC(gvdx)(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                                 cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb,
                                 R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, !meig || bad_range(range, n, vl, vu, il, iu));
    LOCKSTEP_SOLVER_STEP(SYMMETRIC(gvd)(handle, itype, jobz, uplo, n, A, lda, B, ldb, W, work, lwork, info));
    int64_t count;
    LOCKSTEP_SOLVER_STEP(
        keep_range(handle, range, n, jobz == CUSOLVER_EIG_MODE_VECTOR ? A : NULL, lda, vl, vu, il, iu, W, &count));
    *meig = (int)count;
    return CUSOLVER_STATUS_SUCCESS;
}

// ---- the inverse of a matrix, of which Cholesky's factor is there: the solutions for the unit matrix.
cusolverStatus_t NAME(potri_bufferSize)(cusolverDnHandle_t handle, cublasFillMode_t, int n, T *, int lda, int *lwork)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || !lwork);
    *lwork = n * n;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t NAME(potri)(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *work, int lwork,
                             int *info)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || lwork < n * n || !info || (n && (!A || !work)));
    LOCKSTEP_SOLVER_STEP(run_for_each(handle, (long long)n * n, unit_each<T>{{work, n}, n}));
    LOCKSTEP_SOLVER_STEP(NAME(potrs)(handle, uplo, n, n, A, lda, work, n, info));
    return run_for_each(handle, (long long)n * n,
                        half_each<T>{{work, n}, {A, lda}, n, uplo == CUBLAS_FILL_MODE_UPPER});
}

#undef T
#undef R
#undef NAME
#undef SYMMETRIC
