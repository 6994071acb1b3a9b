/* Functions of cuFFT for several GPUs (cufftXt.h): each answers CUFFT_NOT_SUPPORTED, so that a program builds in which
 * they are a way that it takes where there are several. */
LOCKSTEP_CUFFT(cufftResult, cufftXtSetGPUs, cufftHandle handle, int nGPUs, int *whichGPUs)
LOCKSTEP_CUFFT(cufftResult, cufftXtMalloc, cufftHandle plan, cudaLibXtDesc **descriptor, cufftXtSubFormat format)
LOCKSTEP_CUFFT(cufftResult, cufftXtMemcpy, cufftHandle plan, void *dstPointer, void *srcPointer, cufftXtCopyType type)
LOCKSTEP_CUFFT(cufftResult, cufftXtFree, cudaLibXtDesc *descriptor)
LOCKSTEP_CUFFT(cufftResult, cufftXtSetWorkArea, cufftHandle plan, void **workArea)
LOCKSTEP_CUFFT(cufftResult, cufftXtQueryPlan, cufftHandle plan, void *queryStruct, cufftXtQueryType queryType)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptor, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
               int direction)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorC2C, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
               int direction)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorZ2Z, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
               int direction)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorR2C, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorC2R, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorD2Z, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
LOCKSTEP_CUFFT(cufftResult, cufftXtExecDescriptorZ2D, cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
