/* Functions of cuSOLVER that each type has (cusolver_functions.h). */
#define LOCKSTEP_SOLVER_JOIN(a, b, c, d) LOCKSTEP_SOLVER_JOIN_(a, b, c, d)
#define LOCKSTEP_SOLVER_JOIN_(a, b, c, d) a##b##c##d
#define LOCKSTEP_SOLVER_OF(name, ...)                                                                                  \
    LOCKSTEP_SOLVER(LOCKSTEP_SOLVER_JOIN(cusolverDn, LOCKSTEP_L, name, ), cusolverDnHandle_t handle, __VA_ARGS__)
#define LOCKSTEP_SOLVER_SY(name, ...)                                                                                  \
    LOCKSTEP_SOLVER(LOCKSTEP_SOLVER_JOIN(cusolverDn, LOCKSTEP_L, LOCKSTEP_SY, name), cusolverDnHandle_t handle,        \
                    __VA_ARGS__)
#define LOCKSTEP_SOLVER_Q(kind, name, ...)                                                                             \
    LOCKSTEP_SOLVER(LOCKSTEP_SOLVER_JOIN(cusolverDn, LOCKSTEP_L, kind, name), cusolverDnHandle_t handle, __VA_ARGS__)

/* ---- factors and systems ---- */
LOCKSTEP_SOLVER_OF(getrf_bufferSize, int m, int n, LOCKSTEP_T *A, int lda, int *lwork)
LOCKSTEP_SOLVER_OF(getrf, int m, int n, LOCKSTEP_T *A, int lda, LOCKSTEP_T *work, int *pivots, int *info)
LOCKSTEP_SOLVER_OF(getrs, cublasOperation_t trans, int n, int nrhs, const LOCKSTEP_T *A, int lda, const int *pivots,
                   LOCKSTEP_T *B, int ldb, int *info)
LOCKSTEP_SOLVER_OF(potrf_bufferSize, cublasFillMode_t uplo, int n, LOCKSTEP_T *A, int lda, int *lwork)
LOCKSTEP_SOLVER_OF(potrf, cublasFillMode_t uplo, int n, LOCKSTEP_T *A, int lda, LOCKSTEP_T *work, int lwork, int *info)
LOCKSTEP_SOLVER_OF(potrs, cublasFillMode_t uplo, int n, int nrhs, const LOCKSTEP_T *A, int lda, LOCKSTEP_T *B, int ldb,
                   int *info)
LOCKSTEP_SOLVER_OF(potrfBatched, cublasFillMode_t uplo, int n, LOCKSTEP_T *A[], int lda, int *info, int batchSize)
LOCKSTEP_SOLVER_OF(potrsBatched, cublasFillMode_t uplo, int n, int nrhs, LOCKSTEP_T *A[], int lda, LOCKSTEP_T *B[],
                   int ldb, int *info, int batchSize)
LOCKSTEP_SOLVER_OF(potri_bufferSize, cublasFillMode_t uplo, int n, LOCKSTEP_T *A, int lda, int *lwork)
LOCKSTEP_SOLVER_OF(potri, cublasFillMode_t uplo, int n, LOCKSTEP_T *A, int lda, LOCKSTEP_T *work, int lwork, int *info)
LOCKSTEP_SOLVER_OF(geqrf_bufferSize, int m, int n, LOCKSTEP_T *A, int lda, int *lwork)
LOCKSTEP_SOLVER_OF(geqrf, int m, int n, LOCKSTEP_T *A, int lda, LOCKSTEP_T *tau, LOCKSTEP_T *work, int lwork, int *info)
LOCKSTEP_SOLVER_Q(LOCKSTEP_GQR, _bufferSize, int m, int n, int k, const LOCKSTEP_T *A, int lda, const LOCKSTEP_T *tau,
                  int *lwork)
LOCKSTEP_SOLVER_Q(LOCKSTEP_GQR, , int m, int n, int k, LOCKSTEP_T *A, int lda, const LOCKSTEP_T *tau, LOCKSTEP_T *work,
                  int lwork, int *info)
LOCKSTEP_SOLVER_Q(LOCKSTEP_MQR, _bufferSize, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,
                  const LOCKSTEP_T *A, int lda, const LOCKSTEP_T *tau, const LOCKSTEP_T *C, int ldc, int *lwork)
LOCKSTEP_SOLVER_Q(LOCKSTEP_MQR, , cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,
                  const LOCKSTEP_T *A, int lda, const LOCKSTEP_T *tau, LOCKSTEP_T *C, int ldc, LOCKSTEP_T *work,
                  int lwork, int *info)

/* ---- eigenvalues and singular values ---- */
#define LOCKSTEP_SOLVER_EIGEN(any)                                                                                     \
    cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, any LOCKSTEP_T *A, int lda, any LOCKSTEP_R *W
LOCKSTEP_SOLVER_SY(evd_bufferSize, LOCKSTEP_SOLVER_EIGEN(const), int *lwork)
LOCKSTEP_SOLVER_SY(evd, LOCKSTEP_SOLVER_EIGEN(), LOCKSTEP_T *work, int lwork, int *info)
LOCKSTEP_SOLVER_SY(evj_bufferSize, LOCKSTEP_SOLVER_EIGEN(const), int *lwork, syevjInfo_t params)
LOCKSTEP_SOLVER_SY(evj, LOCKSTEP_SOLVER_EIGEN(), LOCKSTEP_T *work, int lwork, int *info, syevjInfo_t params)
LOCKSTEP_SOLVER_SY(evjBatched_bufferSize, LOCKSTEP_SOLVER_EIGEN(const), int *lwork, syevjInfo_t params, int batchSize)
LOCKSTEP_SOLVER_SY(evjBatched, LOCKSTEP_SOLVER_EIGEN(), LOCKSTEP_T *work, int lwork, int *info, syevjInfo_t params,
                   int batchSize)
#undef LOCKSTEP_SOLVER_EIGEN
/* Those that a range names. */
#define LOCKSTEP_SOLVER_RANGE LOCKSTEP_R vl, LOCKSTEP_R vu, int il, int iu, int *meig
#define LOCKSTEP_SOLVER_SOME(any)                                                                                      \
    cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, any LOCKSTEP_T *A, int lda,        \
        LOCKSTEP_SOLVER_RANGE, any LOCKSTEP_R *W
LOCKSTEP_SOLVER_SY(evdx_bufferSize, LOCKSTEP_SOLVER_SOME(const), int *lwork)
LOCKSTEP_SOLVER_SY(evdx, LOCKSTEP_SOLVER_SOME(), LOCKSTEP_T *work, int lwork, int *info)
#undef LOCKSTEP_SOLVER_SOME
/* A x = v B x (type 1), A B x = v x (2), B A x = v x (3). */
#define LOCKSTEP_SOLVER_PAIR(any) cublasFillMode_t uplo, int n, any LOCKSTEP_T *A, int lda, any LOCKSTEP_T *B, int ldb
LOCKSTEP_SOLVER_SY(gvd_bufferSize, cusolverEigType_t itype, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_PAIR(const),
                   const LOCKSTEP_R *W, int *lwork)
LOCKSTEP_SOLVER_SY(gvd, cusolverEigType_t itype, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_PAIR(), LOCKSTEP_R *W,
                   LOCKSTEP_T *work, int lwork, int *info)
LOCKSTEP_SOLVER_SY(gvj_bufferSize, cusolverEigType_t itype, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_PAIR(const),
                   const LOCKSTEP_R *W, int *lwork, syevjInfo_t params)
LOCKSTEP_SOLVER_SY(gvj, cusolverEigType_t itype, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_PAIR(), LOCKSTEP_R *W,
                   LOCKSTEP_T *work, int lwork, int *info, syevjInfo_t params)
LOCKSTEP_SOLVER_SY(gvdx_bufferSize, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range,
                   LOCKSTEP_SOLVER_PAIR(const), LOCKSTEP_SOLVER_RANGE, const LOCKSTEP_R *W, int *lwork)
LOCKSTEP_SOLVER_SY(gvdx, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range,
                   LOCKSTEP_SOLVER_PAIR(), LOCKSTEP_SOLVER_RANGE, LOCKSTEP_R *W, LOCKSTEP_T *work, int lwork, int *info)
#undef LOCKSTEP_SOLVER_PAIR
#undef LOCKSTEP_SOLVER_RANGE
LOCKSTEP_SOLVER_OF(gesvd_bufferSize, int m, int n, int *lwork)
LOCKSTEP_SOLVER_OF(gesvd, signed char jobu, signed char jobvt, int m, int n, LOCKSTEP_T *A, int lda, LOCKSTEP_R *S,
                   LOCKSTEP_T *U, int ldu, LOCKSTEP_T *VT, int ldvt, LOCKSTEP_T *work, int lwork, LOCKSTEP_R *rwork,
                   int *info)
#define LOCKSTEP_SOLVER_SINGULAR(any)                                                                                  \
    int m, int n, any LOCKSTEP_T *A, int lda, any LOCKSTEP_R *S, any LOCKSTEP_T *U, int ldu, any LOCKSTEP_T *V, int ldv
LOCKSTEP_SOLVER_OF(gesvdj_bufferSize, cusolverEigMode_t jobz, int econ, LOCKSTEP_SOLVER_SINGULAR(const), int *lwork,
                   gesvdjInfo_t params)
LOCKSTEP_SOLVER_OF(gesvdj, cusolverEigMode_t jobz, int econ, LOCKSTEP_SOLVER_SINGULAR(), LOCKSTEP_T *work, int lwork,
                   int *info, gesvdjInfo_t params)
LOCKSTEP_SOLVER_OF(gesvdjBatched_bufferSize, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_SINGULAR(const), int *lwork,
                   gesvdjInfo_t params, int batchSize)
LOCKSTEP_SOLVER_OF(gesvdjBatched, cusolverEigMode_t jobz, LOCKSTEP_SOLVER_SINGULAR(), LOCKSTEP_T *work, int lwork,
                   int *info, gesvdjInfo_t params, int batchSize)
#undef LOCKSTEP_SOLVER_SINGULAR
#define LOCKSTEP_SOLVER_STRIDED(any)                                                                                   \
    cusolverEigMode_t jobz, int rank, int m, int n, const LOCKSTEP_T *A, int lda, long long int strideA,               \
        any LOCKSTEP_R *S, long long int strideS, any LOCKSTEP_T *U, int ldu, long long int strideU,                   \
        any LOCKSTEP_T *V, int ldv, long long int strideV
LOCKSTEP_SOLVER_OF(gesvdaStridedBatched_bufferSize, LOCKSTEP_SOLVER_STRIDED(const), int *lwork, int batchSize)
LOCKSTEP_SOLVER_OF(gesvdaStridedBatched, LOCKSTEP_SOLVER_STRIDED(), LOCKSTEP_T *work, int lwork, int *info,
                   double *h_R_nrmF, int batchSize)
#undef LOCKSTEP_SOLVER_STRIDED

#undef LOCKSTEP_SOLVER_OF
#undef LOCKSTEP_SOLVER_SY
#undef LOCKSTEP_SOLVER_Q
#undef LOCKSTEP_SOLVER_JOIN
#undef LOCKSTEP_SOLVER_JOIN_
#undef LOCKSTEP_L
#undef LOCKSTEP_T
#undef LOCKSTEP_R
#undef LOCKSTEP_SY
#undef LOCKSTEP_GQR
#undef LOCKSTEP_MQR
