/* Entry points that programs built by nvcc 12 import and CUDA 13 no longer has. Their device properties have the fields
 * that CUDA 13 dropped in between the others. cudaMemPrefetchAsync and cudaMemAdvise of CUDA 12 take other arguments
 * behind the range, which this library does not look at. */
#include <string.h>

#include "cuda/runtime.h"

struct properties_12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int textures[37]; /* extents of textures and surfaces */
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int rest[74]; /* semaphores, memory pools, RDMA, clusters, and reserved words */
};
_Static_assert(sizeof(struct properties_12) == 1032, "the size of CUDA 12's cudaDeviceProp");

/* Fields of the same name carry over. */
static void convert(struct properties_12 *to, const struct cudaDeviceProp *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to->name, from->name, sizeof to->name);
    to->uuid = from->uuid;
    memcpy(to->maxThreadsDim, from->maxThreadsDim, sizeof to->maxThreadsDim);
    memcpy(to->maxGridSize, from->maxGridSize, sizeof to->maxGridSize);
#define CARRY(field) to->field = from->field
    CARRY(totalGlobalMem), CARRY(sharedMemPerBlock), CARRY(regsPerBlock), CARRY(warpSize), CARRY(memPitch);
    CARRY(maxThreadsPerBlock), CARRY(clockRate), CARRY(totalConstMem), CARRY(major), CARRY(minor);
    CARRY(textureAlignment), CARRY(texturePitchAlignment), CARRY(multiProcessorCount), CARRY(canMapHostMemory);
    CARRY(surfaceAlignment), CARRY(concurrentKernels), CARRY(pciBusID), CARRY(pciDeviceID), CARRY(pciDomainID);
    CARRY(asyncEngineCount), CARRY(unifiedAddressing), CARRY(memoryClockRate), CARRY(memoryBusWidth),
        CARRY(l2CacheSize);
    CARRY(maxThreadsPerMultiProcessor), CARRY(globalL1CacheSupported), CARRY(localL1CacheSupported);
    CARRY(sharedMemPerMultiprocessor), CARRY(regsPerMultiprocessor), CARRY(managedMemory);
    CARRY(singleToDoublePrecisionPerfRatio), CARRY(cooperativeLaunch), CARRY(sharedMemPerBlockOptin);
    CARRY(maxBlocksPerMultiProcessor), CARRY(hostRegisterSupported), CARRY(hostRegisterReadOnlySupported);
#undef CARRY
}

#pragma GCC visibility push(default)
cudaError_t cudaGetDeviceProperties_v2(struct properties_12 *properties, int device);
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream);
cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
cudaError_t cudaThreadSynchronize_12(void) __asm__("cudaThreadSynchronize");
cudaError_t cudaThreadExit_12(void) __asm__("cudaThreadExit");
#pragma GCC visibility pop

/* The header has inline functions of these names. */
cudaError_t cudaThreadSynchronize_12(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit_12(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaGetDeviceProperties_v2(struct properties_12 *properties, int device)
{
    struct cudaDeviceProp current;
    cudaError_t error = cudaGetDeviceProperties(properties ? &current : NULL, device);
    if (!error)
        convert(properties, &current);
    return error;
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    return cudaMemAdvise(pointer, bytes, advice, location);
}
