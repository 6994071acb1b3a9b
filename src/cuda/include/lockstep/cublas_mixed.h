/* Functions of cuBLAS that stand for themselves: helpers, those that take the types of elements as arguments, and those
 * of halves. Included in cublas_api.h alone. */
#ifndef LOCKSTEP_CUBLAS_LONG
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
LOCKSTEP_CUBLAS(cublasGetEmulationStrategy, cublasHandle_t handle, cublasEmulationStrategy_t *emulationStrategy)
LOCKSTEP_CUBLAS(cublasSetEmulationStrategy, cublasHandle_t handle, cublasEmulationStrategy_t emulationStrategy)
LOCKSTEP_CUBLAS(cublasGetEmulationSpecialValuesSupport, cublasHandle_t handle, cudaEmulationSpecialValuesSupport *mask)
LOCKSTEP_CUBLAS(cublasSetEmulationSpecialValuesSupport, cublasHandle_t handle, cudaEmulationSpecialValuesSupport mask)
LOCKSTEP_CUBLAS(cublasGetFixedPointEmulationMantissaControl, cublasHandle_t handle,
                cudaEmulationMantissaControl *mantissaControl)
LOCKSTEP_CUBLAS(cublasSetFixedPointEmulationMantissaControl, cublasHandle_t handle,
                cudaEmulationMantissaControl mantissaControl)
LOCKSTEP_CUBLAS(cublasGetFixedPointEmulationMaxMantissaBitCount, cublasHandle_t handle, int *maxMantissaBitCount)
LOCKSTEP_CUBLAS(cublasSetFixedPointEmulationMaxMantissaBitCount, cublasHandle_t handle, int maxMantissaBitCount)
LOCKSTEP_CUBLAS(cublasGetFixedPointEmulationMantissaBitOffset, cublasHandle_t handle, int *mantissaBitOffset)
LOCKSTEP_CUBLAS(cublasSetFixedPointEmulationMantissaBitOffset, cublasHandle_t handle, int mantissaBitOffset)
LOCKSTEP_CUBLAS(cublasGetFixedPointEmulationMantissaBitCountPointer, cublasHandle_t handle, int **mantissaBitCount)
LOCKSTEP_CUBLAS(cublasSetFixedPointEmulationMantissaBitCountPointer, cublasHandle_t handle, int *mantissaBitCount)
LOCKSTEP_CUBLAS(cublasCsyrkEx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                const cuComplex *alpha, const void *A, cudaDataType Atype, int lda, const cuComplex *beta, void *C,
                cudaDataType Ctype, int ldc)
LOCKSTEP_CUBLAS(cublasCsyrk3mEx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                const cuComplex *alpha, const void *A, cudaDataType Atype, int lda, const cuComplex *beta, void *C,
                cudaDataType Ctype, int ldc)
LOCKSTEP_CUBLAS(cublasCherkEx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                const float *alpha, const void *A, cudaDataType Atype, int lda, const float *beta, void *C,
                cudaDataType Ctype, int ldc)
LOCKSTEP_CUBLAS(cublasCherk3mEx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                const float *alpha, const void *A, cudaDataType Atype, int lda, const float *beta, void *C,
                cudaDataType Ctype, int ldc)
LOCKSTEP_CUBLAS(cublasGemmGroupedBatchedEx, cublasHandle_t handle, const cublasOperation_t transa_array[],
                const cublasOperation_t transb_array[], const int m_array[], const int n_array[], const int k_array[],
                const void *alpha_array, const void *const Aarray[], cudaDataType_t Atype, const int lda_array[],
                const void *const Barray[], cudaDataType_t Btype, const int ldb_array[], const void *beta_array,
                void *const Carray[], cudaDataType_t Ctype, const int ldc_array[], int group_count,
                const int group_size[], cublasComputeType_t computeType)
LOCKSTEP_CUBLAS(cublasLoggerConfigure, int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName)
LOCKSTEP_CUBLAS(cublasSetLoggerCallback, cublasLogCallback userCallback)
LOCKSTEP_CUBLAS(cublasGetLoggerCallback, cublasLogCallback *userCallback)
#endif

LOCKSTEP_CUBLAS(cublasSetVector, LOCKSTEP_I n, LOCKSTEP_I elemSize, const void *x, LOCKSTEP_I incx, void *devicePtr,
                LOCKSTEP_I incy)
LOCKSTEP_CUBLAS(cublasGetVector, LOCKSTEP_I n, LOCKSTEP_I elemSize, const void *x, LOCKSTEP_I incx, void *y,
                LOCKSTEP_I incy)
LOCKSTEP_CUBLAS(cublasSetMatrix, LOCKSTEP_I rows, LOCKSTEP_I cols, LOCKSTEP_I elemSize, const void *A, LOCKSTEP_I lda,
                void *B, LOCKSTEP_I ldb)
LOCKSTEP_CUBLAS(cublasGetMatrix, LOCKSTEP_I rows, LOCKSTEP_I cols, LOCKSTEP_I elemSize, const void *A, LOCKSTEP_I lda,
                void *B, LOCKSTEP_I ldb)
LOCKSTEP_CUBLAS(cublasSetVectorAsync, LOCKSTEP_I n, LOCKSTEP_I elemSize, const void *hostPtr, LOCKSTEP_I incx,
                void *devicePtr, LOCKSTEP_I incy, cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasGetVectorAsync, LOCKSTEP_I n, LOCKSTEP_I elemSize, const void *devicePtr, LOCKSTEP_I incx,
                void *hostPtr, LOCKSTEP_I incy, cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasSetMatrixAsync, LOCKSTEP_I rows, LOCKSTEP_I cols, LOCKSTEP_I elemSize, const void *A,
                LOCKSTEP_I lda, void *B, LOCKSTEP_I ldb, cudaStream_t stream)
LOCKSTEP_CUBLAS(cublasGetMatrixAsync, LOCKSTEP_I rows, LOCKSTEP_I cols, LOCKSTEP_I elemSize, const void *A,
                LOCKSTEP_I lda, void *B, LOCKSTEP_I ldb, cudaStream_t stream)

/* Vectors of any type. */
LOCKSTEP_CUBLAS(cublasNrm2Ex, cublasHandle_t handle, LOCKSTEP_I n, const void *x, cudaDataType xType, LOCKSTEP_I incx,
                void *result, cudaDataType resultType, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasDotEx, cublasHandle_t handle, LOCKSTEP_I n, const void *x, cudaDataType xType, LOCKSTEP_I incx,
                const void *y, cudaDataType yType, LOCKSTEP_I incy, void *result, cudaDataType resultType,
                cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasDotcEx, cublasHandle_t handle, LOCKSTEP_I n, const void *x, cudaDataType xType, LOCKSTEP_I incx,
                const void *y, cudaDataType yType, LOCKSTEP_I incy, void *result, cudaDataType resultType,
                cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasScalEx, cublasHandle_t handle, LOCKSTEP_I n, const void *alpha, cudaDataType alphaType, void *x,
                cudaDataType xType, LOCKSTEP_I incx, cudaDataType executionType)
LOCKSTEP_CUBLAS(cublasAxpyEx, cublasHandle_t handle, LOCKSTEP_I n, const void *alpha, cudaDataType alphaType,
                const void *x, cudaDataType xType, LOCKSTEP_I incx, void *y, cudaDataType yType, LOCKSTEP_I incy,
                cudaDataType executionType)

/* Products of matrices of any type. */
LOCKSTEP_CUBLAS(cublasGemmEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                LOCKSTEP_I n, LOCKSTEP_I k, const void *alpha, const void *A, cudaDataType Atype, LOCKSTEP_I lda,
                const void *B, cudaDataType Btype, LOCKSTEP_I ldb, const void *beta, void *C, cudaDataType Ctype,
                LOCKSTEP_I ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasGemmBatchedEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I k, const void *alpha, const void *const Aarray[],
                cudaDataType Atype, LOCKSTEP_I lda, const void *const Barray[], cudaDataType Btype, LOCKSTEP_I ldb,
                const void *beta, void *const Carray[], cudaDataType Ctype, LOCKSTEP_I ldc, LOCKSTEP_I batchCount,
                cublasComputeType_t computeType, cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasGemmStridedBatchedEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I k, const void *alpha, const void *A, cudaDataType Atype,
                LOCKSTEP_I lda, long long int strideA, const void *B, cudaDataType Btype, LOCKSTEP_I ldb,
                long long int strideB, const void *beta, void *C, cudaDataType Ctype, LOCKSTEP_I ldc,
                long long int strideC, LOCKSTEP_I batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
LOCKSTEP_CUBLAS(cublasSgemmEx, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                LOCKSTEP_I n, LOCKSTEP_I k, const float *alpha, const void *A, cudaDataType Atype, LOCKSTEP_I lda,
                const void *B, cudaDataType Btype, LOCKSTEP_I ldb, const float *beta, void *C, cudaDataType Ctype,
                LOCKSTEP_I ldc)

#ifdef __cplusplus
LOCKSTEP_CUBLAS(cublasHgemm, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                LOCKSTEP_I n, LOCKSTEP_I k, const __half *alpha, const __half *A, LOCKSTEP_I lda, const __half *B,
                LOCKSTEP_I ldb, const __half *beta, __half *C, LOCKSTEP_I ldc)
LOCKSTEP_CUBLAS(cublasHgemmBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I k, const __half *alpha, const __half *const Aarray[],
                LOCKSTEP_I lda, const __half *const Barray[], LOCKSTEP_I ldb, const __half *beta,
                __half *const Carray[], LOCKSTEP_I ldc, LOCKSTEP_I batchCount)
LOCKSTEP_CUBLAS(cublasHgemmStridedBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I k, const __half *alpha, const __half *A, LOCKSTEP_I lda,
                long long int strideA, const __half *B, LOCKSTEP_I ldb, long long int strideB, const __half *beta,
                __half *C, LOCKSTEP_I ldc, long long int strideC, LOCKSTEP_I batchCount)
#endif
