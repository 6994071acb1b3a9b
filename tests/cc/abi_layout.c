/* Prints sizes, offsets and values that the binary interface fixes. Compiled with our headers and, where they are
 * installed, with NVIDIA's (version 13): the outputs must be equal. Our list of errors is on the include path of both.
 */
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(t) printf("%s size %zu align %zu\n", #t, sizeof(t), _Alignof(t));
#define OFFSET(t, f) printf("%s.%s at %zu\n", #t, #f, offsetof(t, f));
#define VALUE(v) printf("%s is %lld\n", #v, (long long)(v));

static void layouts(void)
{
    SIZE(struct cudaGraphNodeParams)
    SIZE(struct cudaKernelNodeParamsV2)
    SIZE(struct cudaMemcpyNodeParams)
    SIZE(struct cudaMemsetParamsV2)
    SIZE(struct cudaConditionalNodeParams)
    SIZE(struct cudaMemAllocNodeParamsV2)
    OFFSET(struct cudaGraphNodeParams, conditional.phGraph_out)
    OFFSET(struct cudaGraphNodeParams, reserved2)
    VALUE(cudaGraphNodeTypeConditional)
    SIZE(char2)
    SIZE(char3) SIZE(uchar4) SIZE(short3) SIZE(ushort4) SIZE(int2) SIZE(int3) SIZE(uint4) SIZE(long2) SIZE(long3)
        SIZE(ulong4) SIZE(longlong2) SIZE(ulonglong4) SIZE(float2) SIZE(float3) SIZE(float4) SIZE(double2) SIZE(double3)
            SIZE(double4) SIZE(double4_16a) SIZE(double4_32a) SIZE(longlong4_32a) SIZE(dim3) SIZE(struct cudaDeviceProp)
                SIZE(struct cudaFuncAttributes) SIZE(struct cudaPointerAttributes) SIZE(struct cudaPitchedPtr)
                    SIZE(struct cudaExtent) SIZE(struct cudaPos) SIZE(struct cudaMemcpy3DParms)
                        SIZE(struct cudaChannelFormatDesc) SIZE(struct cudaMemLocation) SIZE(cudaLaunchAttributeValue)
                            SIZE(cudaLaunchAttribute) SIZE(cudaLaunchConfig_t) SIZE(cudaUUID_t)
                                OFFSET(cudaLaunchAttribute, val) OFFSET(cudaLaunchConfig_t, stream)
                                    OFFSET(cudaLaunchConfig_t, numAttrs) OFFSET(struct cudaMemcpy3DParms, dstPtr)
                                        OFFSET(struct cudaMemcpy3DParms, kind) OFFSET(struct cudaFuncAttributes,
                                                                                      maxThreadsPerBlock)
                                            OFFSET(struct cudaFuncAttributes, numRegs)
                                                OFFSET(struct cudaFuncAttributes, binaryVersion)
                                                    OFFSET(struct cudaFuncAttributes, maxDynamicSharedSizeBytes)
                                                        OFFSET(struct cudaFuncAttributes, nonPortableClusterSizeAllowed)
                                                            OFFSET(struct cudaPointerAttributes, hostPointer)
}

#define P(f) OFFSET(struct cudaDeviceProp, f)
static void device_properties(void)
{
    P(uuid)
    P(luid) P(luidDeviceNodeMask) P(totalGlobalMem) P(sharedMemPerBlock) P(regsPerBlock) P(warpSize) P(memPitch)
        P(maxThreadsPerBlock) P(maxThreadsDim) P(maxGridSize) P(totalConstMem) P(major) P(minor) P(textureAlignment)
            P(multiProcessorCount) P(integrated) P(canMapHostMemory) P(maxTexture1D) P(maxTexture3DAlt)
                P(maxSurfaceCubemapLayered) P(surfaceAlignment) P(concurrentKernels) P(ECCEnabled) P(pciBusID)
                    P(tccDriver) P(asyncEngineCount) P(unifiedAddressing) P(memoryBusWidth) P(l2CacheSize)
                        P(persistingL2CacheMaxSize) P(maxThreadsPerMultiProcessor) P(streamPrioritiesSupported)
                            P(globalL1CacheSupported) P(sharedMemPerMultiprocessor) P(regsPerMultiprocessor)
                                P(managedMemory) P(hostNativeAtomicSupported) P(cooperativeLaunch)
                                    P(sharedMemPerBlockOptin) P(maxBlocksPerMultiProcessor) P(reservedSharedMemPerBlock)
                                        P(hostRegisterSupported) P(memoryPoolsSupported) P(clusterLaunch)
                                            P(unifiedFunctionPointers) P(deviceNumaId) P(gpuPciSubsystemID)
                                                P(hostNumaMultinodeIpcSupported)
}

static void values(void)
{
    VALUE(cudaMemcpyDefault)
    VALUE(cudaMemoryTypeManaged) VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize) VALUE(cudaFuncAttributeMax)
        VALUE(cudaFuncCachePreferEqual) VALUE(cudaSharedmemCarveoutDefault) VALUE(cudaLimitMallocHeapSize)
            VALUE(cudaLimitStackSize) VALUE(cudaDevAttrMaxThreadsPerBlock) VALUE(cudaDevAttrClockRate)
                VALUE(cudaDevAttrMultiProcessorCount) VALUE(cudaDevAttrMaxThreadsPerMultiProcessor)
                    VALUE(cudaDevAttrComputeCapabilityMajor) VALUE(cudaDevAttrManagedMemory)
                        VALUE(cudaDevAttrCooperativeLaunch) VALUE(cudaDevAttrMaxBlocksPerMultiprocessor)
                            VALUE(cudaDevAttrMax) VALUE(cudaMemAdviseSetAccessedBy)
                                VALUE(cudaLaunchAttributeCooperative) VALUE(cudaLaunchAttributePriority)
                                    VALUE(cudaHostAllocMapped) VALUE(cudaEventDisableTiming)
                                        VALUE(cudaStreamNonBlocking) VALUE(cudaMemAttachHost)
                                            VALUE(cudaDeviceScheduleBlockingSync) VALUE(cudaHostRegisterReadOnly)
#define CUDA_ERROR(name, value, text) VALUE(name)
#include "cuda_errors.def"
}

int main(void)
{
    layouts();
    device_properties();
    values();
    return 0;
}
