/* Launches by the driver, and what it tells of functions. A CUfunction and a CUkernel are records of kernels, which every
 * call of the runtime takes in place of a host stub. */
#include "cuda/driver.h"

#include <stdlib.h>

/* ---- arguments ---- */

/* The buffer of `extra`: its address and size, in a list of names and values that an end closes. */
static const uint8_t *packed(void **extra, size_t *bytes)
{
    const uint8_t *buffer = NULL;
    *bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            *bytes = *(const size_t *)extra[1];
        else
            return NULL;
    }
    return buffer;
}

/* An array of pointers to the arguments in such a buffer, to be freed; NULL when it is too small. */
static void **unpack(const struct isa_function *function, void **extra)
{
    size_t bytes;
    const uint8_t *buffer = packed(extra, &bytes);
    void **args = buffer ? base_calloc(function->param_count + 1u, sizeof *args) : NULL;
    for (uint32_t i = 0; args && i < function->param_count; i++) {
        const struct isa_param *param = &function->params[i];
        if (param->offset + param->bytes > bytes) {
            free(args);
            return NULL;
        }
        args[i] = (void *)(uintptr_t)(buffer + param->offset);
    }
    return args;
}

static cudaError_t launch(CUfunction function, cudaLaunchConfig_t *config, void **params, void **extra)
{
    struct kernel *kernel = NULL;
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    if (!error)
        error = kernel_find(rt, function, &kernel);
    if (!error && params && extra)
        error = runtime_refuse(rt, cudaErrorInvalidValue, "arguments come in both ways");
    void **args = !error && extra ? unpack(kernel->function, extra) : params;
    if (!error && extra && !args)
        error = runtime_refuse(rt, cudaErrorInvalidValue, "the buffer of arguments of kernel %s is too small or missing",
                               kernel->shown);
    runtime_unlock(rt, error);
    if (!error)
        error = cudaLaunchKernelExC(config, function, args);
    if (args != params)
        free(args);
    return error;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **params, void **extra)
{
    cudaLaunchConfig_t config = {.gridDim = {grid_x, grid_y, grid_z},
                                 .blockDim = {block_x, block_y, block_z},
                                 .dynamicSmemBytes = shared,
                                 .stream = stream};
    DRIVER_CALL(launch(function, &config, params, extra));
}
ALSO_PER_THREAD(cuLaunchKernel, ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared, CUstream stream, void **params)
{
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    cudaLaunchConfig_t config = {.gridDim = {grid_x, grid_y, grid_z},
                                 .blockDim = {block_x, block_y, block_z},
                                 .dynamicSmemBytes = shared,
                                 .stream = stream,
                                 .attrs = &cooperative,
                                 .numAttrs = 1};
    DRIVER_CALL(launch(function, &config, params, NULL));
}
ALSO_PER_THREAD(cuLaunchCooperativeKernel, ptsz);

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "attributes are the runtime's");

static cudaLaunchConfig_t configuration(const CUlaunchConfig *c)
{
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = (cudaLaunchAttribute *)(void *)c->attrs,
                                .numAttrs = c->numAttrs};
}

static cudaError_t launch_configured(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    if (!c)
        return cudaErrorInvalidValue;
    cudaLaunchConfig_t config = configuration(c);
    return launch(function, &config, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    DRIVER_CALL(launch_configured(config, function, params, extra));
}
ALSO_PER_THREAD(cuLaunchKernelEx, ptsz);

/* ---- functions ---- */

static cudaError_t attribute(int *value, CUfunction_attribute attribute, const void *function)
{
    struct cudaFuncAttributes a;
    cudaError_t error = value ? cudaFuncGetAttributes(&a, function) : cudaErrorInvalidValue;
    if (error)
        return error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a.sharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a.constSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a.localSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = a.cacheModeCA;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = a.clusterDimMustBeSet;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = a.requiredClusterWidth;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *value = a.requiredClusterHeight;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = a.requiredClusterDepth;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = a.nonPortableClusterSizeAllowed;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute name, CUfunction function)
{
    DRIVER_CALL(attribute(value, name, function));
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute name, CUkernel kernel, CUdevice device)
{
    DRIVER_CALL(device ? cudaErrorInvalidDevice : attribute(value, name, kernel));
}

/* Those that can be set have the runtime's numbers. */
static cudaError_t set_attribute(const void *function, CUfunction_attribute attribute, int value)
{
    return cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute name, int value)
{
    DRIVER_CALL(set_attribute(function, name, value));
}

CUresult cuKernelSetAttribute(CUfunction_attribute name, int value, CUkernel kernel, CUdevice device)
{
    DRIVER_CALL(device ? cudaErrorInvalidDevice : set_attribute(kernel, name, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    DRIVER_CALL(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    DRIVER_CALL(cudaFuncSetSharedMemConfig(function, (enum cudaSharedMemConfig)config));
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    DRIVER_CALL(cudaFuncGetName(name, function));
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    DRIVER_CALL(cudaFuncGetName(name, kernel));
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    DRIVER_CALL(cudaFuncGetParamInfo(function, index, offset, bytes));
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    DRIVER_CALL(cudaFuncGetParamInfo(kernel, index, offset, bytes));
}

/* The record that a handle stands for. */
static cudaError_t record(const void *handle, struct kernel **kernel)
{
    struct runtime *rt = runtime_lock();
    return runtime_unlock(rt, kernel_find(rt, handle, kernel));
}

static cudaError_t function_of(CUfunction *function, CUkernel kernel)
{
    struct kernel *found = NULL;
    cudaError_t error = function ? record(kernel, &found) : cudaErrorInvalidValue;
    if (!error)
        *function = (CUfunction)(void *)found;
    return error;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    DRIVER_CALL(function_of(function, kernel));
}

static cudaError_t module_of(CUmodule *module, CUfunction function)
{
    struct kernel *found = NULL;
    cudaError_t error = module ? record(function, &found) : cudaErrorInvalidValue;
    if (!error)
        *module = (CUmodule)(void *)found->image;
    return error;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    DRIVER_CALL(module_of(module, function));
}

static cudaError_t is_loaded(CUfunction function)
{
    struct kernel *found = NULL;
    return record(function, &found);
}

CUresult cuFuncLoad(CUfunction function)
{
    DRIVER_CALL(is_loaded(function));
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    DRIVER_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned int flags)
{
    DRIVER_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags));
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
    DRIVER_CALL(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function, const CUlaunchConfig *config)
{
    cudaLaunchConfig_t c = config ? configuration(config) : (cudaLaunchConfig_t){0};
    DRIVER_CALL(cudaOccupancyMaxActiveClusters(count, function, config ? &c : NULL));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function, const CUlaunchConfig *config)
{
    cudaLaunchConfig_t c = config ? configuration(config) : (cudaLaunchConfig_t){0};
    DRIVER_CALL(cudaOccupancyMaxPotentialClusterSize(blocks, function, config ? &c : NULL));
}

/* The largest block, in whole warps, with which most threads are on an SM; and blocks for the whole device. shared_of:
 * dynamic shared memory for a block of so many threads, or NULL: always `shared`. */
static cudaError_t best_block(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared,
                              int limit)
{
    struct cudaFuncAttributes a;
    struct cudaDeviceProp p;
    int most = 0, resident = 0;
    cudaError_t error = grid && block && limit >= 0 ? cudaFuncGetAttributes(&a, function) : cudaErrorInvalidValue;
    if (!error)
        error = cudaGetDeviceProperties(&p, 0);
    if (error)
        return error;
    int first = limit && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    *grid = *block = 0;
    for (int threads = (first + p.warpSize - 1) / p.warpSize * p.warpSize; threads > 0; threads -= p.warpSize) {
        int size = threads < first ? threads : first;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, size,
                                                              shared_of ? shared_of(size) : shared);
        if (error)
            return error;
        if (resident * size > most) {
            most = resident * size;
            *block = size;
            *grid = resident * p.multiProcessorCount;
        }
    }
    return cudaSuccess;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit)
{
    DRIVER_CALL(best_block(grid, block, function, shared_of, shared, limit));
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned int flags)
{
    DRIVER_CALL(flags & ~1u ? cudaErrorInvalidValue : best_block(grid, block, function, shared_of, shared, limit));
}
