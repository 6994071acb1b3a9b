/* Functions of cuFFT that cufftXt.h has (cufft_functions.h). */
LOCKSTEP_CUFFT(cufftResult, cufftXtMakePlanMany, cufftHandle plan, int rank, long long int *n, long long int *inembed,
               long long int istride, long long int idist, cudaDataType inputtype, long long int *onembed,
               long long int ostride, long long int odist, cudaDataType outputtype, long long int batch,
               size_t *workSize, cudaDataType executiontype)
LOCKSTEP_CUFFT(cufftResult, cufftXtExec, cufftHandle plan, void *input, void *output, int direction)
