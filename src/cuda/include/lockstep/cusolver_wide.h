/* Functions of cuSOLVER that take the types of elements as arguments, and numbers of 64 bits (cusolver_functions.h). */
LOCKSTEP_SOLVER(cusolverDnCreateParams, cusolverDnParams_t *params)
LOCKSTEP_SOLVER(cusolverDnDestroyParams, cusolverDnParams_t params)
LOCKSTEP_SOLVER(cusolverDnSetAdvOptions, cusolverDnParams_t params, cusolverDnFunction_t function,
                cusolverAlgMode_t algo)

/* Arguments with which the signatures end: LOCKSTEP_SOLVER_ROOM of functions that say how much room another one needs,
 * LOCKSTEP_SOLVER_BUFFERS of those that compute. */
#define LOCKSTEP_SOLVER_ROOM                                                                                           \
    cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost
#define LOCKSTEP_SOLVER_BUFFERS                                                                                        \
    cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,               \
        size_t workspaceInBytesOnHost, int *info
#define LOCKSTEP_SOLVER_X cusolverDnHandle_t handle, cusolverDnParams_t params

LOCKSTEP_SOLVER(cusolverDnXgetrf_bufferSize, LOCKSTEP_SOLVER_X, int64_t m, int64_t n, cudaDataType dataTypeA,
                const void *A, int64_t lda, LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXgetrf, LOCKSTEP_SOLVER_X, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                int64_t *ipiv, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXgetrs, LOCKSTEP_SOLVER_X, cublasOperation_t trans, int64_t n, int64_t nrhs,
                cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv, cudaDataType dataTypeB,
                void *B, int64_t ldb, int *info)
LOCKSTEP_SOLVER(cusolverDnXpotrf_bufferSize, LOCKSTEP_SOLVER_X, cublasFillMode_t uplo, int64_t n,
                cudaDataType dataTypeA, const void *A, int64_t lda, LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXpotrf, LOCKSTEP_SOLVER_X, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A,
                int64_t lda, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXpotrs, LOCKSTEP_SOLVER_X, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeB, void *B, int64_t ldb,
                int *info)
LOCKSTEP_SOLVER(cusolverDnXgeqrf_bufferSize, LOCKSTEP_SOLVER_X, int64_t m, int64_t n, cudaDataType dataTypeA,
                const void *A, int64_t lda, cudaDataType dataTypeTau, const void *tau, LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXgeqrf, LOCKSTEP_SOLVER_X, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                cudaDataType dataTypeTau, void *tau, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXsyevd_bufferSize, LOCKSTEP_SOLVER_X, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W,
                LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXsyevd, LOCKSTEP_SOLVER_X, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeW, void *W, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXsyevdx_bufferSize, LOCKSTEP_SOLVER_X, cusolverEigMode_t jobz, cusolverEigRange_t range,
                cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, void *vl,
                void *vu, int64_t il, int64_t iu, int64_t *h_meig, cudaDataType dataTypeW, const void *W,
                LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXsyevdx, LOCKSTEP_SOLVER_X, cusolverEigMode_t jobz, cusolverEigRange_t range,
                cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, void *vl, void *vu,
                int64_t il, int64_t iu, int64_t *meig64, cudaDataType dataTypeW, void *W, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXgesvd_bufferSize, LOCKSTEP_SOLVER_X, signed char jobu, signed char jobvt, int64_t m,
                int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeS, const void *S,
                cudaDataType dataTypeU, const void *U, int64_t ldu, cudaDataType dataTypeVT, const void *VT,
                int64_t ldvt, LOCKSTEP_SOLVER_ROOM)
LOCKSTEP_SOLVER(cusolverDnXgesvd, LOCKSTEP_SOLVER_X, signed char jobu, signed char jobvt, int64_t m, int64_t n,
                cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeS, void *S, cudaDataType dataTypeU,
                void *U, int64_t ldu, cudaDataType dataTypeVT, void *VT, int64_t ldvt, LOCKSTEP_SOLVER_BUFFERS)
LOCKSTEP_SOLVER(cusolverDnXtrtri_bufferSize, cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag,
                int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, size_t *workspaceInBytesOnDevice,
                size_t *workspaceInBytesOnHost)
LOCKSTEP_SOLVER(cusolverDnXtrtri, cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                cudaDataType dataTypeA, void *A, int64_t lda, void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                void *bufferOnHost, size_t workspaceInBytesOnHost, int *devInfo)

#undef LOCKSTEP_SOLVER_ROOM
#undef LOCKSTEP_SOLVER_BUFFERS
#undef LOCKSTEP_SOLVER_X
