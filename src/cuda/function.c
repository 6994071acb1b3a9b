/* Attributes of kernels, and occupancy. */
#include <string.h>

#include "cuda/runtime.h"

/* Threads of a block that the kernel allows: the device's limit, its .maxntid, and what its registers leave room for.
 */
static int max_threads(const struct runtime *rt, const struct isa_function *function)
{
    uint32_t limit = device_max_threads(rt), warp = rt->machine.sm.warp_size;
    const uint32_t *bound = function->max_threads[0] ? function->max_threads : function->required_threads;
    if (bound[0]) {
        uint64_t threads = (uint64_t)bound[0] * (bound[1] ? bound[1] : 1) * (bound[2] ? bound[2] : 1);
        limit = threads < limit ? (uint32_t)threads : limit;
    }
    while (limit > warp && gpu_occupancy(rt->gpu, function, limit, 0, NULL) == 0)
        limit -= limit % warp ? limit % warp : warp;
    return (int)limit;
}

static size_t const_bytes(const struct isa_module *module)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == ISA_SPACE_CONST)
            bytes += module->variables[i].bytes;
    return bytes;
}

static cudaError_t attributes(struct runtime *rt, struct cudaFuncAttributes *attributes, const void *func)
{
    struct kernel *kernel = NULL;
    cudaError_t error = attributes ? kernel_find(rt, func, &kernel) : cudaErrorInvalidValue;
    if (error)
        return error;
    const struct isa_module *module = gpu_module_code(kernel->image->module);
    const struct isa_function *function = kernel->function;
    uint64_t shared = device_shared_bytes(rt);
    uint64_t dynamic = kernel->dynamic_shared_limit      ? kernel->dynamic_shared_limit
                       : function->shared_bytes < shared ? shared - function->shared_bytes
                                                         : 0;
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = function->shared_bytes,
        .constSizeBytes = const_bytes(module),
        .localSizeBytes = function->local_bytes,
        .maxThreadsPerBlock = max_threads(rt, function),
        .numRegs = (int)gpu_registers(rt->gpu, function),
        .ptxVersion = (int)module->target_sm,
        .binaryVersion = (int)(rt->machine.gpu.compute_major * 10 + rt->machine.gpu.compute_minor),
        .maxDynamicSharedSizeBytes = (int)dynamic,
        .preferredShmemCarveout = kernel->carveout,
        .clusterDimMustBeSet = function->explicit_cluster && !function->cluster[0],
        .requiredClusterWidth = (int)function->cluster[0],
        .requiredClusterHeight = (int)function->cluster[1],
        .requiredClusterDepth = (int)function->cluster[2],
        .nonPortableClusterSizeAllowed = kernel->nonportable_cluster,
    };
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    RUNTIME_CALL(attributes(rt, attr, func));
}

static cudaError_t set_attribute(struct runtime *rt, const void *func, enum cudaFuncAttribute attribute, int value)
{
    struct kernel *kernel = NULL;
    cudaError_t error = kernel_find(rt, func, &kernel);
    if (error)
        return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint64_t)value + kernel->function->shared_bytes > device_shared_most(rt))
            return cudaErrorInvalidValue;
        kernel->dynamic_shared_limit = (uint64_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        kernel->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->nonportable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: /* advice */
        return (unsigned)value > cudaClusterSchedulingPolicyLoadBalancing ? cudaErrorInvalidValue : cudaSuccess;
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attribute, int value)
{
    RUNTIME_CALL(set_attribute(rt, func, attribute, value));
}

static cudaError_t known_kernel(struct runtime *rt, const void *func)
{
    struct kernel *kernel;
    return kernel_find(rt, func, &kernel);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    RUNTIME_CALL((unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : known_kernel(rt, func));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    RUNTIME_CALL((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : known_kernel(rt, func));
}

static cudaError_t function_name(struct runtime *rt, const char **name, const void *func)
{
    struct kernel *kernel = NULL;
    cudaError_t error = name ? kernel_find(rt, func, &kernel) : cudaErrorInvalidValue;
    if (!error)
        *name = kernel->name;
    return error;
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    RUNTIME_CALL(function_name(rt, name, func));
}

static cudaError_t param_info(struct runtime *rt, const void *func, size_t index, size_t *offset, size_t *size)
{
    struct kernel *kernel = NULL;
    cudaError_t error = offset ? kernel_find(rt, func, &kernel) : cudaErrorInvalidValue;
    if (error)
        return error;
    if (index >= kernel->function->param_count)
        return cudaErrorInvalidValue;
    *offset = kernel->function->params[index].offset;
    if (size)
        *size = kernel->function->params[index].bytes;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
    RUNTIME_CALL(param_info(rt, func, index, offset, size));
}

/* A handle is the address of the kernel's record; every call that takes a stub takes a handle too. A module that cannot
 * be loaded shows at the launch, where the program looks for errors. */
static cudaError_t handle(struct runtime *rt, void **to, const void *func)
{
    struct kernel *kernel = kernel_lookup(rt, func);
    if (!to || !kernel)
        return to ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *to = kernel;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    RUNTIME_CALL(handle(rt, (void **)kernel, host));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *entry)
{
    RUNTIME_CALL(handle(rt, (void **)kernel, entry));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    RUNTIME_CALL(handle(rt, (void **)function, symbol));
}

/* ---- occupancy ---- */

static cudaError_t resident_blocks(struct runtime *rt, int *blocks, const void *func, int threads, size_t shared)
{
    struct kernel *kernel = NULL;
    if (!blocks || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_find(rt, func, &kernel);
    if (error)
        return error;
    bool possible = (uint32_t)threads <= device_max_threads(rt);
    *blocks = possible ? (int)gpu_occupancy(rt->gpu, kernel->function, (unsigned)threads, shared, NULL) : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared)
{
    RUNTIME_CALL(resident_blocks(rt, blocks, func, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                                   size_t shared, unsigned int flags)
{
    RUNTIME_CALL(flags & ~1u ? cudaErrorInvalidValue : resident_blocks(rt, blocks, func, threads, shared));
}

/* The largest dynamic shared memory with which `blocks` blocks still fit, by bisection: occupancy only falls with it.
 */
static cudaError_t available_shared(struct runtime *rt, size_t *bytes, const void *func, int blocks, int threads)
{
    struct kernel *kernel = NULL;
    if (!bytes || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_find(rt, func, &kernel);
    if (error)
        return error;
    if (gpu_occupancy(rt->gpu, kernel->function, (unsigned)threads, 0, NULL) < (unsigned)blocks)
        return cudaErrorInvalidValue;
    size_t fits = 0, too_much = (size_t)rt->machine.sm.shared_bytes + 1;
    while (too_much - fits > 1) {
        size_t middle = fits + (too_much - fits) / 2;
        if (gpu_occupancy(rt->gpu, kernel->function, (unsigned)threads, middle, NULL) >= (unsigned)blocks)
            fits = middle;
        else
            too_much = middle;
    }
    *bytes = fits;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads)
{
    RUNTIME_CALL(available_shared(rt, bytes, func, blocks, threads));
}

/* Blocks of a cluster that a configuration asks for, or the kernel; 1 where neither does. */
static uint32_t cluster_of(const struct kernel *kernel, const cudaLaunchConfig_t *config)
{
    const uint32_t *own = kernel->function->cluster;
    uint64_t blocks = own[0] ? (uint64_t)own[0] * own[1] * own[2] : 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            blocks = (uint64_t)config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                     config->attrs[i].val.clusterDim.z;
    return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static cudaError_t clusters(struct runtime *rt, int *count, int *largest, const void *func,
                            const cudaLaunchConfig_t *config)
{
    struct kernel *kernel = NULL;
    if (!(count || largest) || !config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_find(rt, func, &kernel);
    if (error)
        return error;
    uint32_t most = gpu_cluster_blocks(rt->gpu, kernel->nonportable_cluster), blocks = cluster_of(kernel, config);
    unsigned threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    bool possible = threads && threads <= device_max_threads(rt) &&
                    gpu_occupancy(rt->gpu, kernel->function, threads, config->dynamicSmemBytes, NULL);
    if (largest)
        *largest = possible ? (int)(most ? most : 1) : 0;
    if (count && (!blocks || (blocks > 1 && blocks > most)))
        return cudaErrorInvalidClusterSize;
    if (count)
        *count = possible ? (int)gpu_active_clusters(rt->gpu, kernel->function, threads, config->dynamicSmemBytes, blocks)
                          : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *func, const cudaLaunchConfig_t *config)
{
    RUNTIME_CALL(clusters(rt, count, NULL, func, config));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *func, const cudaLaunchConfig_t *config)
{
    RUNTIME_CALL(clusters(rt, NULL, blocks, func, config));
}
