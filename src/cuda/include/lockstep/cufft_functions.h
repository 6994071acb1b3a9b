/* Functions of cuFFT: LOCKSTEP_CUFFT(result, name, arguments). Included by cufft.h, which says what becomes of a row.
 */
#define LOCKSTEP_FFT(name, ...) LOCKSTEP_CUFFT(cufftResult, name, __VA_ARGS__)
#define LOCKSTEP_FFT_1D int nx, cufftType type, int batch
#define LOCKSTEP_FFT_2D int nx, int ny, cufftType type
#define LOCKSTEP_FFT_3D int nx, int ny, int nz, cufftType type
#define LOCKSTEP_FFT_MANY(I)                                                                                           \
    int rank, I *n, I *inembed, I istride, I idist, I *onembed, I ostride, I odist, cufftType type, I batch

LOCKSTEP_FFT(cufftPlan1d, cufftHandle *plan, LOCKSTEP_FFT_1D)
LOCKSTEP_FFT(cufftPlan2d, cufftHandle *plan, LOCKSTEP_FFT_2D)
LOCKSTEP_FFT(cufftPlan3d, cufftHandle *plan, LOCKSTEP_FFT_3D)
LOCKSTEP_FFT(cufftPlanMany, cufftHandle *plan, LOCKSTEP_FFT_MANY(int))
LOCKSTEP_FFT(cufftCreate, cufftHandle *plan)
LOCKSTEP_FFT(cufftDestroy, cufftHandle plan)
LOCKSTEP_FFT(cufftMakePlan1d, cufftHandle plan, LOCKSTEP_FFT_1D, size_t *workSize)
LOCKSTEP_FFT(cufftMakePlan2d, cufftHandle plan, LOCKSTEP_FFT_2D, size_t *workSize)
LOCKSTEP_FFT(cufftMakePlan3d, cufftHandle plan, LOCKSTEP_FFT_3D, size_t *workSize)
LOCKSTEP_FFT(cufftMakePlanMany, cufftHandle plan, LOCKSTEP_FFT_MANY(int), size_t *workSize)
LOCKSTEP_FFT(cufftMakePlanMany64, cufftHandle plan, LOCKSTEP_FFT_MANY(long long int), size_t *workSize)
LOCKSTEP_FFT(cufftEstimate1d, LOCKSTEP_FFT_1D, size_t *workSize)
LOCKSTEP_FFT(cufftEstimate2d, LOCKSTEP_FFT_2D, size_t *workSize)
LOCKSTEP_FFT(cufftEstimate3d, LOCKSTEP_FFT_3D, size_t *workSize)
LOCKSTEP_FFT(cufftEstimateMany, LOCKSTEP_FFT_MANY(int), size_t *workSize)
LOCKSTEP_FFT(cufftGetSize1d, cufftHandle plan, LOCKSTEP_FFT_1D, size_t *workSize)
LOCKSTEP_FFT(cufftGetSize2d, cufftHandle plan, LOCKSTEP_FFT_2D, size_t *workSize)
LOCKSTEP_FFT(cufftGetSize3d, cufftHandle plan, LOCKSTEP_FFT_3D, size_t *workSize)
LOCKSTEP_FFT(cufftGetSizeMany, cufftHandle plan, LOCKSTEP_FFT_MANY(int), size_t *workSize)
LOCKSTEP_FFT(cufftGetSizeMany64, cufftHandle plan, LOCKSTEP_FFT_MANY(long long int), size_t *workSize)
LOCKSTEP_FFT(cufftGetSize, cufftHandle plan, size_t *workSize)
LOCKSTEP_FFT(cufftSetWorkArea, cufftHandle plan, void *workArea)
LOCKSTEP_FFT(cufftSetAutoAllocation, cufftHandle plan, int autoAllocate)
LOCKSTEP_FFT(cufftSetStream, cufftHandle plan, cudaStream_t stream)
LOCKSTEP_FFT(cufftGetVersion, int *version)
LOCKSTEP_FFT(cufftGetProperty, libraryPropertyType type, int *value)
LOCKSTEP_FFT(cufftExecC2C, cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
LOCKSTEP_FFT(cufftExecR2C, cufftHandle plan, cufftReal *idata, cufftComplex *odata)
LOCKSTEP_FFT(cufftExecC2R, cufftHandle plan, cufftComplex *idata, cufftReal *odata)
LOCKSTEP_FFT(cufftExecZ2Z, cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction)
LOCKSTEP_FFT(cufftExecD2Z, cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
LOCKSTEP_FFT(cufftExecZ2D, cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)

#undef LOCKSTEP_FFT
#undef LOCKSTEP_FFT_1D
#undef LOCKSTEP_FFT_2D
#undef LOCKSTEP_FFT_3D
#undef LOCKSTEP_FFT_MANY
