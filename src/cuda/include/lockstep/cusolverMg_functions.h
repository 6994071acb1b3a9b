/* Functions of cuSOLVER for several GPUs (cusolverMg.h): LOCKSTEP_CUSOLVER(result, name, arguments). Rows and columns
 * (IA, JA) are counted from 1; room is counted in elements; *info and W lie on the host. */
#define LOCKSTEP_SOLVER(name, ...) LOCKSTEP_CUSOLVER(cusolverStatus_t, cusolverMg##name, __VA_ARGS__)

LOCKSTEP_SOLVER(Create, cusolverMgHandle_t *handle)
LOCKSTEP_SOLVER(Destroy, cusolverMgHandle_t handle)
LOCKSTEP_SOLVER(DeviceSelect, cusolverMgHandle_t handle, int nbDevices, int deviceId[])
LOCKSTEP_SOLVER(CreateDeviceGrid, cudaLibMgGrid_t *grid, int32_t numRowDevices, int32_t numColDevices,
                const int32_t deviceId[], cusolverMgGridMapping_t mapping)
LOCKSTEP_SOLVER(DestroyGrid, cudaLibMgGrid_t grid)
LOCKSTEP_SOLVER(CreateMatrixDesc, cudaLibMgMatrixDesc_t *desc, int64_t numRows, int64_t numCols, int64_t rowBlockSize,
                int64_t colBlockSize, cudaDataType dataType, const cudaLibMgGrid_t grid)
LOCKSTEP_SOLVER(DestroyMatrixDesc, cudaLibMgMatrixDesc_t desc)

#define LOCKSTEP_MG_MATRIX(M) void *array_d_##M[], int I##M, int J##M, cudaLibMgMatrixDesc_t descr##M
#define LOCKSTEP_MG_ROOM void *array_d_work[], int64_t lwork, int *info
#define LOCKSTEP_MG(name, ...)                                                                                         \
    LOCKSTEP_SOLVER(name##_bufferSize, cusolverMgHandle_t handle, __VA_ARGS__, cudaDataType computeType,               \
                    int64_t *lwork)                                                                                    \
    LOCKSTEP_SOLVER(name, cusolverMgHandle_t handle, __VA_ARGS__, cudaDataType computeType, LOCKSTEP_MG_ROOM)
LOCKSTEP_MG(Syevd, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N, LOCKSTEP_MG_MATRIX(A), void *W,
            cudaDataType dataTypeW)
LOCKSTEP_MG(Getrf, int M, int N, LOCKSTEP_MG_MATRIX(A), int *array_d_IPIV[])
LOCKSTEP_MG(Getrs, cublasOperation_t TRANS, int N, int NRHS, LOCKSTEP_MG_MATRIX(A), int *array_d_IPIV[],
            LOCKSTEP_MG_MATRIX(B))
LOCKSTEP_MG(Potrf, cublasFillMode_t uplo, int N, LOCKSTEP_MG_MATRIX(A))
LOCKSTEP_MG(Potrs, cublasFillMode_t uplo, int N, int NRHS, LOCKSTEP_MG_MATRIX(A), LOCKSTEP_MG_MATRIX(B))
LOCKSTEP_MG(Potri, cublasFillMode_t uplo, int N, LOCKSTEP_MG_MATRIX(A))
#undef LOCKSTEP_MG
#undef LOCKSTEP_MG_MATRIX
#undef LOCKSTEP_MG_ROOM
#undef LOCKSTEP_SOLVER
