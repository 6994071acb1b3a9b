/* Functions of cuBLAS that stand for themselves: helpers, those that take the types of elements as arguments, and those of halves. Included in cublas_api.h alone. */
LOCKSTEP_CUBLAS(cublasGetProperty, libraryPropertyType type, int *value)
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
LOCKSTEP_CUBLAS(cublasGetAtomicsMode, cublasHandle_t handle, cublasAtomicsMode_t *mode)
LOCKSTEP_CUBLAS(cublasSetAtomicsMode, cublasHandle_t handle, cublasAtomicsMode_t mode)
LOCKSTEP_CUBLAS(cublasGetMathMode, cublasHandle_t handle, cublasMath_t *mode)
LOCKSTEP_CUBLAS(cublasSetMathMode, cublasHandle_t handle, cublasMath_t mode)
LOCKSTEP_CUBLAS(cublasGetSmCountTarget, cublasHandle_t handle, int *smCountTarget)
LOCKSTEP_CUBLAS(cublasSetSmCountTarget, cublasHandle_t handle, int smCountTarget)
LOCKSTEP_CUBLAS(cublasLoggerConfigure, int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName)
LOCKSTEP_CUBLAS(cublasSetLoggerCallback, cublasLogCallback userCallback)
LOCKSTEP_CUBLAS(cublasGetLoggerCallback, cublasLogCallback *userCallback)

LOCKSTEP_CUBLAS(cublasSetVector, int n, int elemSize, const void *x, int incx, void *devicePtr, int incy)
LOCKSTEP_CUBLAS(cublasGetVector, int n, int elemSize, const void *x, int incx, void *y, int incy)
LOCKSTEP_CUBLAS(cublasSetMatrix, int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb)
LOCKSTEP_CUBLAS(cublasGetMatrix, int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb)
LOCKSTEP_CUBLAS(cublasSetVectorAsync, int n, int elemSize, const void *hostPtr, int incx, void *devicePtr, int incy,
                cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasGetVectorAsync, int n, int elemSize, const void *devicePtr, int incx, void *hostPtr, int incy,
                cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasSetMatrixAsync, int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
                cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasGetMatrixAsync, int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb,
                cudaStream_t stream)

/* Vectors of any type. */
LOCKSTEP_CUBLAS(cublasNrm2Ex, cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, void *result,
                cudaDataType resultType, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasDotEx, cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y,
                cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasDotcEx, cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y,
                cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasScalEx, cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, void *x,
                cudaDataType xType, int incx, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasAxpyEx, cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, const void *x,
                cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, cudaDataType executionType)

/* Products of matrices of any type. */
LOCKSTEP_CUBLAS(cublasGemmEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                int k, const void *alpha, const void *A, cudaDataType Atype, int lda, const void *B, cudaDataType Btype,
                int ldb, const void *beta, void *C, cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasGemmBatchedEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                int n, int k, const void *alpha, const void *const Aarray[], cudaDataType Atype, int lda,
                const void *const Barray[], cudaDataType Btype, int ldb, const void *beta, void *const Carray[],
                cudaDataType Ctype, int ldc, int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasGemmStridedBatchedEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype, int lda,
                long long int strideA, const void *B, cudaDataType Btype, int ldb, long long int strideB,
                const void *beta, void *C, cudaDataType Ctype, int ldc, long long int strideC, int batchCount,
                cublasComputeType_t computeType, cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasSgemmEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                int k, const float *alpha, const void *A, cudaDataType Atype, int lda, const void *B,
                cudaDataType Btype, int ldb, const float *beta, void *C, cudaDataType Ctype, int ldc)

#ifdef __cplusplus
LOCKSTEP_CUBLAS(cublasHgemm, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                int k, const __half *alpha, const __half *A, int lda, const __half *B, int ldb, const __half *beta,
                __half *C, int ldc)
LOCKSTEP_CUBLAS(cublasHgemmBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                int n, int k, const __half *alpha, const __half *const Aarray[], int lda, const __half *const Barray[],
                int ldb, const __half *beta, __half *const Carray[], int ldc, int batchCount)
LOCKSTEP_CUBLAS(cublasHgemmStridedBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                int m, int n, int k, const __half *alpha, const __half *A, int lda, long long int strideA,
                const __half *B, int ldb, long long int strideB, const __half *beta, __half *C, int ldc,
                long long int strideC, int batchCount)
#endif
