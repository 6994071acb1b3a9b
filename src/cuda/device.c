/* The one device as programs see it: properties and attributes from the machine, limits, flags, peers. What the model
 * does not have (textures, peers, MIG ...) is answered with zero. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cuda/runtime.h"

#define PCI_BUS_ID "0000:01:00.0"
/* Shared memory that a block may use without asking for more (cudaFuncAttributeMaxDynamicSharedMemorySize). */
#define DEFAULT_SHARED 49152u

uint32_t device_max_threads(const struct runtime *rt)
{
    return rt->machine.sm.threads < 1024 ? rt->machine.sm.threads : 1024;
}

uint64_t device_shared_most(const struct runtime *rt)
{
    return rt->machine.sm.shared_bytes - rt->machine.sm.shared_reserved;
}

uint64_t device_shared_bytes(const struct runtime *rt)
{
    return rt->machine.sm.shared_bytes < DEFAULT_SHARED ? rt->machine.sm.shared_bytes : DEFAULT_SHARED;
}

static void set_texture_limits(struct cudaDeviceProp *p)
{
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
}

static void set_memory(struct cudaDeviceProp *p, const struct machine *m)
{
    const struct partition_params *partition = &m->memory.partition;
    const struct cache_params *l2 = &m->memory.l2;
    p->totalGlobalMem = (size_t)m->gpu.memory_mib << 20;
    p->totalConstMem = 65536;
    p->memPitch = INT32_MAX;
    p->l2CacheSize = (int)(memory_slices(partition) * l2->sets * l2->ways * l2->line_bytes);
    /* The data bus moves four times in a command cycle, and the memory clock counts two of them as one. */
    p->memoryBusWidth = (int)(partition->channels * m->memory.dram.atom_bytes * 8 / (m->memory.dram.burst_cycles * 4));
    p->memoryClockRate = (int)m->gpu.dram_mhz * 2000;
    p->globalL1CacheSupported = m->sm.global_loads_use_l1;
    p->localL1CacheSupported = 1;
    p->unifiedAddressing = 1;
    p->canMapHostMemory = 1;
    p->hostRegisterSupported = 1;
    p->hostRegisterReadOnlySupported = 1;
    p->memoryPoolsSupported = 1;
}

static void set_sm(struct cudaDeviceProp *p, const struct machine *m)
{
    p->multiProcessorCount = (int)m->gpu.sms;
    p->warpSize = ISA_WARP_SZ;
    p->regsPerBlock = p->regsPerMultiprocessor = (int)m->sm.registers;
    p->sharedMemPerBlock = m->sm.shared_bytes < DEFAULT_SHARED ? m->sm.shared_bytes : DEFAULT_SHARED;
    p->sharedMemPerMultiprocessor = m->sm.shared_bytes;
    p->reservedSharedMemPerBlock = m->sm.shared_reserved;
    p->sharedMemPerBlockOptin = m->sm.shared_bytes - m->sm.shared_reserved;
    p->maxThreadsPerMultiProcessor = (int)m->sm.threads;
    p->maxBlocksPerMultiProcessor = (int)m->sm.blocks;
    p->maxThreadsPerBlock = m->sm.threads < 1024 ? (int)m->sm.threads : 1024;
    memcpy(p->maxThreadsDim, (int[]){1024, 1024, 64}, sizeof p->maxThreadsDim);
    memcpy(p->maxGridSize, (int[]){INT32_MAX, 65535, 65535}, sizeof p->maxGridSize);
    p->clockRate = (int)m->gpu.core_mhz * 1000;
    p->singleToDoublePrecisionPerfRatio = 2;
}

/* Needs the device for one thing: whether there is managed memory depends on where the host let device memory lie. */
static void fill_properties(struct runtime *rt, struct cudaDeviceProp *p)
{
    const struct machine *m = &rt->machine;
    *p = (struct cudaDeviceProp){0};
    snprintf(p->name, sizeof p->name, "%s", m->gpu.name);
    memcpy(p->uuid.bytes, "lockstep\0\0\0\0\0\0\0", 16);
    p->major = (int)m->gpu.compute_major;
    p->minor = (int)m->gpu.compute_minor;
    p->pciBusID = 1;
    p->asyncEngineCount = 1;
    p->concurrentKernels = 0;
    p->cooperativeLaunch = 1;
    p->clusterLaunch = m->gpu.gpc_sms != 0;
    p->streamPrioritiesSupported = 0;
    p->unifiedFunctionPointers = 0;
    p->deviceNumaId = p->hostNumaId = -1;
    set_texture_limits(p);
    set_memory(p, m);
    set_sm(p, m);
    p->managedMemory = runtime_ready(rt) == cudaSuccess && gpu_host_mapped(rt->gpu);
}

static cudaError_t properties(struct runtime *rt, struct cudaDeviceProp *p, int device)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    fill_properties(rt, p);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    RUNTIME_QUERY(properties(rt, p, device));
}

/* ---- attributes that are a property under another name ---- */

struct attribute {
    enum cudaDeviceAttr attribute;
    size_t offset, bytes; /* of the property */
};
#define PROPERTY(attribute, field)                                                                                     \
    {                                                                                                                  \
        cudaDevAttr##attribute, offsetof(struct cudaDeviceProp, field), sizeof((struct cudaDeviceProp *)0)->field      \
    }

static const struct attribute attributes[] = {
    PROPERTY(MaxThreadsPerBlock, maxThreadsPerBlock),
    PROPERTY(MaxBlockDimX, maxThreadsDim[0]),
    PROPERTY(MaxBlockDimY, maxThreadsDim[1]),
    PROPERTY(MaxBlockDimZ, maxThreadsDim[2]),
    PROPERTY(MaxGridDimX, maxGridSize[0]),
    PROPERTY(MaxGridDimY, maxGridSize[1]),
    PROPERTY(MaxGridDimZ, maxGridSize[2]),
    PROPERTY(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    PROPERTY(TotalConstantMemory, totalConstMem),
    PROPERTY(WarpSize, warpSize),
    PROPERTY(MaxPitch, memPitch),
    PROPERTY(MaxRegistersPerBlock, regsPerBlock),
    PROPERTY(ClockRate, clockRate),
    PROPERTY(TextureAlignment, textureAlignment),
    PROPERTY(MultiProcessorCount, multiProcessorCount),
    PROPERTY(CanMapHostMemory, canMapHostMemory),
    PROPERTY(SurfaceAlignment, surfaceAlignment),
    PROPERTY(ConcurrentKernels, concurrentKernels),
    PROPERTY(PciBusId, pciBusID),
    PROPERTY(PciDeviceId, pciDeviceID),
    PROPERTY(PciDomainId, pciDomainID),
    PROPERTY(MemoryClockRate, memoryClockRate),
    PROPERTY(GlobalMemoryBusWidth, memoryBusWidth),
    PROPERTY(L2CacheSize, l2CacheSize),
    PROPERTY(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    PROPERTY(AsyncEngineCount, asyncEngineCount),
    PROPERTY(UnifiedAddressing, unifiedAddressing),
    PROPERTY(TexturePitchAlignment, texturePitchAlignment),
    PROPERTY(ComputeCapabilityMajor, major),
    PROPERTY(ComputeCapabilityMinor, minor),
    PROPERTY(GlobalL1CacheSupported, globalL1CacheSupported),
    PROPERTY(LocalL1CacheSupported, localL1CacheSupported),
    PROPERTY(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    PROPERTY(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    PROPERTY(ManagedMemory, managedMemory),
    PROPERTY(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    PROPERTY(CooperativeLaunch, cooperativeLaunch),
    PROPERTY(ClusterLaunch, clusterLaunch),
    PROPERTY(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    PROPERTY(HostRegisterSupported, hostRegisterSupported),
    PROPERTY(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    PROPERTY(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    PROPERTY(MemoryPoolsSupported, memoryPoolsSupported),
    PROPERTY(NumaId, deviceNumaId),
    PROPERTY(HostNumaId, hostNumaId),
};

static cudaError_t attribute_value(struct runtime *rt, int *value, enum cudaDeviceAttr attribute, int device)
{
    if (!value || attribute < 1 || attribute >= cudaDevAttrMax)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *value = 0;
    struct cudaDeviceProp p;
    fill_properties(rt, &p);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *field = (const char *)&p + attributes[i].offset;
        if (attributes[i].attribute != attribute)
            continue;
        *value = attributes[i].bytes == sizeof(size_t) ? (int)*(const size_t *)(const void *)field
                                                       : *(const int *)(const void *)field;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    RUNTIME_QUERY(attribute_value(rt, value, attribute, device));
}

/* ---- choosing a device, of one ---- */

static cudaError_t store_int(int *to, int value)
{
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

static cudaError_t check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    RUNTIME_QUERY(store_int(count, 1));
}

cudaError_t cudaGetDevice(int *device)
{
    RUNTIME_QUERY(store_int(device, 0));
}

cudaError_t cudaSetDevice(int device)
{
    RUNTIME_QUERY(check_device(device));
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    RUNTIME_QUERY(wanted ? store_int(device, 0) : cudaErrorInvalidValue);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    RUNTIME_QUERY(count > 0 && devices ? check_device(devices[0]) : count ? cudaErrorInvalidValue : cudaSuccess);
}

static cudaError_t set_flags(struct runtime *rt, unsigned flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return cudaErrorInvalidValue;
    rt->device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    RUNTIME_QUERY(set_flags(rt, flags));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    RUNTIME_CALL(device                                ? cudaErrorInvalidDevice
                 : flags & cudaInitDeviceFlagsAreValid ? set_flags(rt, device_flags)
                                                       : cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    RUNTIME_QUERY(store_int((int *)flags, (int)(rt->device_flags | cudaDeviceMapHost)));
}

cudaError_t cudaDeviceSynchronize(void)
{
    RUNTIME_CALL(flight_wait(rt));
}

cudaError_t cudaDeviceReset(void)
{
    struct runtime *rt = runtime_lock();
    rt->entry = runtime_entry(rt, __func__);
    replay_call(rt, 0, 0, 0);
    runtime_reset(rt);
    runtime_unlock(rt, cudaSuccess);
    runtime_thread()->last_error = cudaSuccess;
    return cudaSuccess;
}

/* ---- limits ---- */

/* cudaDeviceGetLimit's answer when nothing was set; 0: the limit does not exist here. */
static size_t limit_default(const struct runtime *rt, enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitStackSize:
        return rt->machine.gpu.stack_bytes;
    case cudaLimitPrintfFifoSize:
        return 1u << 20;
    case cudaLimitMallocHeapSize:
        return (size_t)rt->machine.gpu.heap_mib << 20;
    case cudaLimitMaxL2FetchGranularity:
        return 64;
    case cudaLimitDevRuntimeSyncDepth:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitPersistingL2CacheSize:
        break;
    }
    return 0;
}

static cudaError_t refuse_limit(struct runtime *rt, const char *hint, size_t value)
{
    struct diag_sink sink;
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, hint, "cudaDeviceSetLimit: a limit of %zu bytes cannot be set", value);
    runtime_report(rt, &sink);
    diag_free(&sink);
    return cudaErrorMemoryAllocation;
}

/* The heap can be sized until a kernel uses it. The stack is the machine's, to which a program may only ask for less.
 * printf never loses output, so that its limit is only remembered. */
static cudaError_t set_limit(struct runtime *rt, enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= RUNTIME_LIMITS || limit_default(rt, limit) == 0)
        return cudaErrorUnsupportedLimit;
    cudaError_t error = replay_call(rt, limit, value, 0);
    if (error)
        return error;
    if (limit == cudaLimitMallocHeapSize && gpu_set_heap(rt->gpu, value) < 0)
        return refuse_limit(
            rt, "set the heap before the first kernel that calls malloc, below the size of device memory", value);
    if (limit == cudaLimitStackSize && value > limit_default(rt, limit))
        return refuse_limit(rt, "raise gpu.stack_bytes of the machine", value);
    rt->limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    RUNTIME_CALL(set_limit(rt, limit, value));
}

static cudaError_t get_limit(const struct runtime *rt, size_t *value, enum cudaLimit limit)
{
    if (!value)
        return cudaErrorInvalidValue;
    if ((unsigned)limit >= RUNTIME_LIMITS || limit_default(rt, limit) == 0)
        return cudaErrorUnsupportedLimit;
    *value = rt->limits[limit] ? rt->limits[limit] : limit_default(rt, limit);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    RUNTIME_CALL(get_limit(rt, value, limit));
}

/* ---- preferences without effect: the machine fixes how its memories are split ---- */

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    RUNTIME_CALL(store_int((int *)config, cudaFuncCachePreferNone));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    RUNTIME_CALL((unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    RUNTIME_CALL(store_int((int *)config, cudaSharedMemBankSizeFourByte));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    RUNTIME_CALL((unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t priority_range(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RUNTIME_CALL(priority_range(least, greatest));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RUNTIME_CALL(cudaSuccess);
}

cudaError_t cudaProfilerStart(void)
{
    RUNTIME_QUERY(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    RUNTIME_QUERY(cudaSuccess);
}

/* ---- the bus, peers ---- */

static cudaError_t bus_id(char *text, int length, int device)
{
    if (!text || length < (int)sizeof PCI_BUS_ID)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    memcpy(text, PCI_BUS_ID, sizeof PCI_BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    RUNTIME_QUERY(bus_id(text, length, device));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    RUNTIME_QUERY(text && strcmp(text, PCI_BUS_ID) == 0 ? store_int(device, 0) : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    RUNTIME_QUERY(device || peer ? cudaErrorInvalidDevice : store_int(can, 0));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)peer, (void)flags;
    RUNTIME_QUERY(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    RUNTIME_QUERY(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    (void)value, (void)attribute, (void)from, (void)to;
    RUNTIME_QUERY(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    RUNTIME_QUERY(store_int(version, CUDART_VERSION));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    RUNTIME_QUERY(store_int(version, CUDART_VERSION));
}
