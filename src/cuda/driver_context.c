/* The driver's initialisation, its one device, and contexts: which one a thread has, and when the device goes. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

/* Errors that the driver has under another number; all others are the same in both interfaces. */
CUresult driver_result(cudaError_t error)
{
    switch ((unsigned)error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return (CUresult)error;
    }
}

struct CUctx_st *driver_current(struct runtime *rt)
{
    const struct thread_state *thread = runtime_thread();
    if (thread->context_count)
        return thread->contexts[thread->context_count - 1];
    return thread->uses_runtime ? &rt->driver.primary : NULL;
}

/* Refuses before anything else happens: cuInit and a context come first. The runtime interface has called cuInit for a
 * thread that uses it. */
CUresult driver_begin(const char *name, bool needs_context)
{
    struct runtime *rt = runtime_lock();
    struct thread_state *thread = runtime_thread();
    const bool ready = rt->driver.initialised || thread->uses_runtime;
    CUresult result = !ready                                 ? CUDA_ERROR_NOT_INITIALIZED
                      : needs_context && !driver_current(rt) ? CUDA_ERROR_INVALID_CONTEXT
                                                             : CUDA_SUCCESS;
    rt->entry = thread->driver_call = name;
    if (result == CUDA_ERROR_NOT_INITIALIZED)
        runtime_refuse(rt, cudaErrorInitializationError, "cuInit was not called");
    else if (result)
        runtime_refuse(rt, cudaErrorDeviceUninitialized, "no context is current to the thread");
    pthread_mutex_unlock(&rt->lock);
    thread->kept_error = thread->last_error;
    if (result)
        thread->driver_call = NULL;
    return result;
}

/* The runtime's last error is not the driver's matter. */
CUresult driver_end(cudaError_t error)
{
    struct thread_state *thread = runtime_thread();
    thread->driver_call = NULL;
    thread->last_error = thread->kept_error;
    return driver_result(error);
}

CUresult cuInit(unsigned int flags)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = flags ? cudaErrorInvalidValue : runtime_configured(rt);
    if (!error)
        rt->driver.initialised = true;
    pthread_mutex_unlock(&rt->lock);
    return error == cudaErrorInitializationError ? CUDA_ERROR_NO_DEVICE : driver_result(error);
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- the device ---- */

static cudaError_t first_device(CUdevice *device, int ordinal)
{
    if (!device)
        return cudaErrorInvalidValue;
    if (ordinal != 0)
        return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER_QUERY(first_device(device, ordinal));
}

CUresult cuDeviceGetCount(int *count)
{
    DRIVER_QUERY(cudaGetDeviceCount(count));
}

static cudaError_t device_name(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t error = name && length > 0 ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (!error)
        snprintf(name, (size_t)length, "%s", p.name);
    return error;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    DRIVER_QUERY(device_name(name, length, device));
}

static cudaError_t device_uuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t error = uuid ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (!error)
        memcpy(uuid, &p.uuid, sizeof *uuid);
    return error;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    DRIVER_QUERY(device_uuid(uuid, device));
}

static cudaError_t device_memory(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t error = bytes ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (!error)
        *bytes = p.totalGlobalMem;
    return error;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    DRIVER_QUERY(device_memory(bytes, device));
}

/* Attributes have the runtime's numbers; virtual memory (driver_virtual.c) is not the runtime's. */
static cudaError_t device_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const bool is_virtual = attribute >= CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED &&
                            attribute <= CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED;
    if (!is_virtual || !value || device != 0)
        return cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
    *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED;
    return cudaSuccess;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    DRIVER_QUERY(device_attribute(value, attribute, device));
}

static cudaError_t device_properties(CUdevprop *to, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t error = to ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (error)
        return error;
    *to = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                      .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                      .totalConstantMemory = (int)p.totalConstMem,
                      .SIMDWidth = p.warpSize,
                      .memPitch = (int)p.memPitch,
                      .regsPerBlock = p.regsPerBlock,
                      .textureAlign = (int)p.textureAlignment};
    memcpy(to->maxThreadsDim, p.maxThreadsDim, sizeof to->maxThreadsDim);
    memcpy(to->maxGridSize, p.maxGridSize, sizeof to->maxGridSize);
    return cudaDeviceGetAttribute(&to->clockRate, cudaDevAttrClockRate, device);
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    DRIVER_QUERY(device_properties(properties, device));
}

static cudaError_t compute_capability(int *major, int *minor, CUdevice device)
{
    cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return error ? error : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    DRIVER_QUERY(compute_capability(major, minor, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    DRIVER_QUERY(cudaDeviceGetByPCIBusId(device, text));
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    DRIVER_QUERY(cudaDeviceGetPCIBusId(text, length, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    DRIVER_QUERY(cudaDeviceCanAccessPeer(can, device, peer));
}

/* ---- which contexts there are ---- */

static bool is_context(const struct runtime *rt, const struct CUctx_st *context)
{
    if (context == &rt->driver.primary)
        return true;
    for (size_t i = 0; i < rt->driver.contexts.count; i++)
        if (rt->driver.contexts.items[i] == context)
            return true;
    return false;
}

/* Every context brings the device up. */
static cudaError_t bring_up(struct runtime *rt, struct CUctx_st **context)
{
    *context = &rt->driver.primary;
    return runtime_ready(rt);
}

static cudaError_t retain(CUcontext *context, CUdevice device)
{
    if (!context || device)
        return context ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    cudaError_t error = bring_up(rt, context);
    rt->driver.retained += !error;
    return runtime_unlock(rt, error);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    DRIVER_QUERY(retain(context, device));
}

/* No context is left, and the runtime was not used: the device goes, with all that was on it. */
static void leave_device(struct runtime *rt)
{
    if (!rt->driver.contexts.count && !rt->driver.retained && !rt->driver.runtime_used)
        runtime_reset(rt);
}

static cudaError_t release(CUdevice device)
{
    if (device)
        return cudaErrorInvalidDevice;
    struct runtime *rt = runtime_lock();
    cudaError_t error = rt->driver.retained ? flight_wait(rt) : cudaErrorDeviceUninitialized;
    if (rt->driver.retained && --rt->driver.retained == 0)
        leave_device(rt);
    return runtime_unlock(rt, error);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    DRIVER_QUERY(release(device));
}

static cudaError_t set_primary_flags(CUdevice device, unsigned flags)
{
    if (device || (flags & ~(unsigned)CU_CTX_FLAGS_MASK))
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    rt->driver.primary.flags = flags;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    DRIVER_QUERY(set_primary_flags(device, flags));
}

static cudaError_t primary_state(CUdevice device, unsigned *flags, int *active)
{
    if (device || !flags || !active)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    *flags = rt->driver.primary.flags;
    *active = rt->driver.retained || (rt->gpu && rt->driver.runtime_used);
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    DRIVER_QUERY(primary_state(device, flags, active));
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    DRIVER_QUERY(device ? cudaErrorInvalidDevice : cudaDeviceReset());
}

/* ---- created ones, and the thread's stack of those that are current ---- */

static cudaError_t push(struct thread_state *thread, struct CUctx_st *context)
{
    if (thread->context_count == THREAD_CONTEXTS)
        return cudaErrorMemoryAllocation;
    thread->contexts[thread->context_count++] = context;
    return cudaSuccess;
}

static cudaError_t create(CUcontext *context, unsigned flags, CUdevice device)
{
    if (!context || device || (flags & ~(unsigned)CU_CTX_FLAGS_MASK))
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    if (error)
        return runtime_unlock(rt, error);
    struct CUctx_st *created = base_calloc(1, sizeof *created);
    created->flags = flags;
    created->id = ++rt->driver.ids;
    error = push(runtime_thread(), created);
    if (error) {
        free(created);
        return runtime_unlock(rt, error);
    }
    vec_push(&rt->driver.contexts, created);
    *context = created;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    DRIVER_QUERY(create(context, flags, device));
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int affinities, unsigned int flags, CUdevice device)
{
    DRIVER_QUERY(affinity || affinities ? cudaErrorNotSupported : create(context, flags, device));
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
    DRIVER_QUERY(params && (params->numExecAffinityParams || params->cigParams) ? cudaErrorNotSupported
                                                                                 : create(context, flags, device));
}

/* The record of a context that is gone stays with the process, so that no new one has its handle. */
static cudaError_t destroy(CUcontext context)
{
    struct runtime *rt = runtime_lock();
    struct thread_state *thread = runtime_thread();
    if (!context || context == &rt->driver.primary || !is_context(rt, context))
        return runtime_unlock(rt, cudaErrorDeviceUninitialized);
    cudaError_t error = flight_wait(rt);
    for (size_t i = 0; i < rt->driver.contexts.count; i++)
        if (rt->driver.contexts.items[i] == context)
            rt->driver.contexts.items[i] = rt->driver.contexts.items[--rt->driver.contexts.count];
    vec_push(&rt->destroyed, context);
    if (thread->context_count && thread->contexts[thread->context_count - 1] == context)
        thread->context_count--;
    leave_device(rt);
    return runtime_unlock(rt, error);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    DRIVER_QUERY(destroy(context));
}

static cudaError_t push_current(CUcontext context)
{
    struct runtime *rt = runtime_lock();
    bool known = context && is_context(rt, context);
    return runtime_unlock(rt, known ? push(runtime_thread(), context) : cudaErrorDeviceUninitialized);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    DRIVER_QUERY(push_current(context));
}

static cudaError_t pop_current(CUcontext *context)
{
    struct thread_state *thread = runtime_thread();
    struct runtime *rt = runtime_lock();
    struct CUctx_st *current = driver_current(rt);
    if (!current)
        return runtime_unlock(rt, cudaErrorDeviceUninitialized);
    if (context)
        *context = current;
    if (thread->context_count)
        thread->context_count--;
    else
        thread->uses_runtime = false;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    DRIVER_QUERY(pop_current(context));
}

/* Takes the place of the one on top; NULL: none does. */
static cudaError_t set_current(CUcontext context)
{
    struct thread_state *thread = runtime_thread();
    struct runtime *rt = runtime_lock();
    bool known = !context || is_context(rt, context);
    if (known && thread->context_count)
        thread->context_count--;
    if (known && !context)
        thread->uses_runtime = false;
    return runtime_unlock(rt, !known ? cudaErrorDeviceUninitialized : context ? push(thread, context) : cudaSuccess);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    DRIVER_QUERY(set_current(context));
}

static cudaError_t get_current(CUcontext *context)
{
    if (!context)
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    *context = driver_current(rt);
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    DRIVER_QUERY(get_current(context));
}

/* ---- questions to the current one ---- */

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_CALL(first_device(device, 0));
}

static cudaError_t context_flags(unsigned *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    *flags = driver_current(rt)->flags;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    DRIVER_CALL(context_flags(flags));
}

static cudaError_t context_id(CUcontext context, unsigned long long *id)
{
    struct runtime *rt = runtime_lock();
    struct CUctx_st *asked = context ? context : driver_current(rt);
    bool known = id && asked && is_context(rt, asked);
    if (known)
        *id = asked->id;
    return runtime_unlock(rt, known ? cudaSuccess : id ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue);
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    DRIVER_QUERY(context_id(context, id));
}

static cudaError_t api_version(CUcontext context, unsigned *version)
{
    unsigned long long id;
    cudaError_t error = version ? context_id(context, &id) : cudaErrorInvalidValue;
    if (!error)
        *version = 3020;
    return error;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    DRIVER_QUERY(api_version(context, version));
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_CALL(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER_CALL(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    DRIVER_CALL(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    DRIVER_CALL(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    DRIVER_CALL(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    DRIVER_CALL(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config));
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    DRIVER_CALL(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_CALL(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    DRIVER_CALL(cudaCtxResetPersistingL2Cache());
}

CUresult cuProfilerStart(void)
{
    DRIVER_CALL(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
    DRIVER_CALL(cudaProfilerStop());
}

/* There is one device: no context is another one's peer. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    (void)peer, (void)flags;
    DRIVER_CALL(cudaErrorInvalidDevice);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    DRIVER_CALL(cudaErrorInvalidDevice);
}
