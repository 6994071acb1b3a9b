/* Launches. A kernel runs inside the call that launches it, to its end unless it has to wait for the host (flight.c),
 * or may run beside others, for which it waits in the queue (queue.c). What it printed follows at once, so that it
 * stands in the order in which the program acted. A kernel that fails leaves its error to the calls after the launch,
 * as an asynchronous failure does, and the device refuses work until cudaDeviceReset. */
#include <stdlib.h>
#include <string.h>

#include "cuda/flight.h"
#include "cuda/graph.h"

static cudaError_t check_extents(struct runtime *rt, const struct kernel *kernel, const struct call_configuration *c)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (c->grid.x == 0 || c->grid.y == 0 || c->grid.z == 0 || threads == 0)
        return runtime_refuse(rt, cudaErrorInvalidConfiguration, "kernel %s has no blocks or no threads",
                              kernel->shown);
    if (c->grid.x > INT32_MAX || c->grid.y > 65535 || c->grid.z > 65535)
        return runtime_refuse(rt, cudaErrorInvalidConfiguration,
                              "kernel %s in %u x %u x %u blocks: the most are 2147483647 x 65535 x 65535",
                              kernel->shown, c->grid.x, c->grid.y, c->grid.z);
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || threads > device_max_threads(rt))
        return runtime_refuse(rt, cudaErrorInvalidConfiguration,
                              "kernel %s in blocks of %u x %u x %u threads: the most are 1024 x 1024 x 64, and %u",
                              kernel->shown, c->block.x, c->block.y, c->block.z, device_max_threads(rt));
    const uint32_t *most = kernel->function->max_threads, *exact = kernel->function->required_threads;
    if (most[0] && threads > (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1))
        return runtime_refuse(rt, cudaErrorInvalidValue, "kernel %s has launch bounds (.maxntid) below %llu threads",
                              kernel->shown, (unsigned long long)threads);
    if (exact[0] &&
        (c->block.x != exact[0] || c->block.y != (exact[1] ? exact[1] : 1) || c->block.z != (exact[2] ? exact[2] : 1)))
        return runtime_refuse(rt, cudaErrorInvalidValue, "kernel %s has a required block size (.reqntid) of its own",
                              kernel->shown);
    return cudaSuccess;
}

/* Programs that do not ask for errors would go on without the kernel: say what is wrong. */
static cudaError_t refuse_resources(struct runtime *rt, const struct kernel *kernel, unsigned threads,
                                    const char *limiter)
{
    struct diag_sink sink;
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, "use smaller blocks, or another machine",
               "kernel %s cannot be launched: a block of %u threads with %u registers a thread does not fit on an SM "
               "(limited by %s)",
               kernel->shown, threads, gpu_registers(rt->gpu, kernel->function), limiter ? limiter : "the machine");
    runtime_report(rt, &sink);
    diag_free(&sink);
    return cudaErrorLaunchOutOfResources;
}

/* Shared memory beyond what a kernel may use is a bad argument; threads or registers that do not fit an SM are
 * resources. */
static cudaError_t check_resources(struct runtime *rt, const struct kernel *kernel, const struct call_configuration *c)
{
    uint64_t limit = device_shared_bytes(rt);
    if (kernel->dynamic_shared_limit && kernel->dynamic_shared_limit + kernel->function->shared_bytes > limit)
        limit = kernel->dynamic_shared_limit + kernel->function->shared_bytes;
    if (c->shared > limit || kernel->function->shared_bytes > limit - c->shared)
        return runtime_refuse(
            rt, cudaErrorInvalidValue,
            "kernel %s with %u bytes of shared memory of its own and %llu dynamic: a block may have %llu",
            kernel->shown, (unsigned)kernel->function->shared_bytes, (unsigned long long)c->shared,
            (unsigned long long)limit);
    unsigned threads = c->block.x * c->block.y * c->block.z;
    const char *limiter = NULL;
    if (gpu_resident_blocks(rt->gpu, kernel->function, threads, c->shared, NULL))
        return cudaSuccess;
    gpu_occupancy(rt->gpu, kernel->function, threads, c->shared, &limiter);
    return refuse_resources(rt, kernel, threads, limiter);
}

/* Packs the arguments as the kernel's parameter block; NULL when one is missing. */
static uint8_t *pack(const struct isa_function *function, void **args)
{
    uint8_t *params = base_calloc(1, function->param_bytes + 1u);
    for (uint32_t i = 0; i < function->param_count; i++) {
        const struct isa_param *param = &function->params[i];
        if (!args || !args[i]) {
            free(params);
            return NULL;
        }
        memcpy(params + param->offset, args[i], param->bytes);
    }
    return params;
}

static cudaError_t launch_later(struct runtime *rt, void *data, bool off)
{
    struct later_launch later = *(struct later_launch *)data;
    free(data);
    if (off) {
        free((void *)(uintptr_t)later.launch.params);
        return cudaSuccess;
    }
    return flight_begin(rt, &later.launch, later.stream, later.code);
}

/* How the launch is simulated, where the user has chosen some. A limit of cycles is of those that are timed. */
static void choose_mode(struct runtime *rt, const struct kernel *kernel, struct gpu_launch *launch)
{
    enum timed_how how = rt->timed.chosen ? timed_next(&rt->timed, kernel->name, kernel->shown) : TIMED_YES;
    launch->mode = how == TIMED_NOT ? GPU_FUNCTIONAL : rt->mode;
    launch->warms = how == TIMED_WARMS;
    launch->max_cycles = how == TIMED_YES ? rt->max_cycles : 0;
}

/* params: taken over. */
static cudaError_t run(struct runtime *rt, struct kernel *kernel, const struct call_configuration *c,
                       const void *params)
{
    struct later_launch *later = base_calloc(1, sizeof *later);
    later->stream = c->stream;
    later->code = image_text(kernel->image);
    later->launch = (struct gpu_launch){
        .module = kernel->image->module,
        .kernel = kernel->function,
        .grid = {c->grid.x, c->grid.y, c->grid.z},
        .block = {c->block.x, c->block.y, c->block.z},
        .dynamic_shared = c->shared,
        .cluster = {c->cluster.x, c->cluster.y, c->cluster.z},
        .nonportable_cluster = kernel->nonportable_cluster,
        .cooperative = c->cooperative,
        .by_graph = c->by_graph,
        .early = c->early,
        .params = params,
        .threads = rt->threads,
        .every_cycle = rt->every_cycle,
        .check_sync = rt->checks & GPU_CHECKS_sync,
    };
    choose_mode(rt, kernel, &later->launch);
    later->launch.among = order_launch(rt, c->stream, c->early);
    if (rt->flight || queue_holds(rt, &later->launch, c->stream))
        return queue_launch(rt, later, launch_later);
    flight_catch_up(rt);
    return rt->flight ? queue_launch(rt, later, launch_later) : launch_later(rt, later, rt->fault != cudaSuccess);
}

/* All blocks of a cooperative launch must be resident at once. */
static cudaError_t check_cooperative(struct runtime *rt, const struct kernel *kernel,
                                     const struct call_configuration *c)
{
    uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    uint64_t resident = (uint64_t)rt->machine.gpu.sms *
                        gpu_resident_blocks(rt->gpu, kernel->function, c->block.x * c->block.y * c->block.z, c->shared, NULL);
    if (!c->cooperative || blocks <= resident)
        return cudaSuccess;
    return runtime_refuse(rt, cudaErrorCooperativeLaunchTooLarge,
                          "kernel %s has %llu blocks, which wait for each other, but only %llu can be there at once",
                          kernel->shown, (unsigned long long)blocks, (unsigned long long)resident);
}

static uint32_t blocks_of(const uint32_t size[3])
{
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

/* The launch says how many blocks a cluster has, or the kernel. */
static cudaError_t check_cluster(struct runtime *rt, const struct kernel *kernel, const struct call_configuration *c)
{
    const uint32_t given[3] = {c->cluster.x, c->cluster.y, c->cluster.z}, *own = kernel->function->cluster;
    const uint32_t *size = given[0] ? given : own, grid[3] = {c->grid.x, c->grid.y, c->grid.z};
    uint32_t most = gpu_cluster_blocks(rt->gpu, kernel->nonportable_cluster), blocks = size[0] ? blocks_of(size) : 1;
    if (given[0] && own[0] && memcmp(given, own, sizeof given))
        return runtime_refuse(rt, cudaErrorInvalidClusterSize, "kernel %s has a cluster size (__cluster_dims__) of its own",
                              kernel->shown);
    if (blocks > 1 && !most)
        return runtime_refuse(rt, cudaErrorNotSupported, "the device has no clusters of several blocks (gpu.gpc_sms)");
    if (blocks != 1 && (!blocks || blocks > most))
        return runtime_refuse(rt, cudaErrorInvalidClusterSize,
                              "kernel %s in clusters of %u blocks: the most are %u%s", kernel->shown, blocks, most,
                              kernel->nonportable_cluster ? "" : " (cudaFuncAttributeNonPortableClusterSizeAllowed)");
    for (unsigned i = 0; i < 3 && size[0]; i++)
        if (grid[i] % size[i])
            return runtime_refuse(rt, cudaErrorInvalidClusterSize,
                                  "kernel %s in %u blocks of a dimension is no multiple of its cluster, of %u there",
                                  kernel->shown, grid[i], size[i]);
    return cudaSuccess;
}

static cudaError_t launch_kernel(struct runtime *rt, struct kernel *kernel, const struct call_configuration *c,
                                 void **args)
{
    cudaError_t error = stream_check(rt, c->stream);
    if (!error)
        error = check_extents(rt, kernel, c);
    if (!error)
        error = check_resources(rt, kernel, c);
    if (!error)
        error = check_cooperative(rt, kernel, c);
    if (!error)
        error = check_cluster(rt, kernel, c);
    if (error)
        return error;
    uint8_t *params = pack(kernel->function, args);
    if (!params)
        return runtime_refuse(rt, cudaErrorInvalidValue, "an argument of kernel %s is null", kernel->shown);
    return run(rt, kernel, c, params);
}

/* A launch that fails before its kernel has a line in the results leaves one that says so: the program may ignore it.
 */
static cudaError_t note_lost(struct runtime *rt, const void *func, cudaError_t error)
{
    const struct kernel *kernel = kernel_lookup(rt, func);
    results_lost(rt, kernel ? kernel->name : "(unknown)", error);
    return error;
}

cudaError_t launch_func(const void *func, const struct call_configuration *configuration, void **args)
{
    cudaError_t captured;
    if (capture_kernel(func, configuration, args, &captured))
        return captured;
    struct runtime *rt = runtime_lock();
    struct kernel *kernel = NULL;
    cudaError_t error = runtime_ready(rt);
    uint64_t written = rt->kernels_written;
    rt->entry = runtime_entry(rt, "a launch");
    if (!error && !func)
        error = runtime_refuse(rt, cudaErrorInvalidDeviceFunction, "the pointer to its kernel is null");
    if (!error && !kernel_lookup(rt, func))
        error = runtime_refuse(rt, cudaErrorInvalidDeviceFunction, "that is no kernel of this program");
    if (!error)
        error = kernel_find(rt, func, &kernel);
    if (!error)
        error = launch_kernel(rt, kernel, configuration, args);
    if (error && rt->kernels_written == written)
        note_lost(rt, func, error);
    return runtime_unlock(rt, error);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    return launch_func(func, &(struct call_configuration){.grid = grid, .block = block, .shared = shared, .stream = stream}, args);
}
ALSO_PER_THREAD(cudaLaunchKernel, ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return launch_func(kernel, &(struct call_configuration){.grid = grid, .block = block, .shared = shared, .stream = stream}, args);
}
ALSO_PER_THREAD(__cudaLaunchKernel, ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    const struct call_configuration c = {grid, block, shared, stream, .cooperative = true};
    return launch_func(func, &c, args);
}
ALSO_PER_THREAD(cudaLaunchCooperativeKernel, ptsz);

/* Attributes that only advise are taken as read. *refused: there is one that the runtime does not have. */
static void read_attributes(const cudaLaunchConfig_t *config, struct call_configuration *c, bool *refused)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            c->cooperative = attribute->val.cooperative != 0;
        if (attribute->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            c->early = attribute->val.programmaticStreamSerializationAllowed != 0;
        *refused |= attribute->id == cudaLaunchAttributeProgrammaticEvent;
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            c->cluster = (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y, attribute->val.clusterDim.z};
    }
}

/* Of cudaLaunchKernelExC: a launch whose configuration cannot be taken is lost. */
static cudaError_t refuse_config(const void *func, cudaError_t error, const char *why)
{
    struct runtime *rt = runtime_lock();
    rt->entry = runtime_entry(rt, "cudaLaunchKernelExC");
    runtime_refuse(rt, error, "%s", why);
    return runtime_unlock(rt, note_lost(rt, func, error));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    struct call_configuration c = {0};
    bool refused = false;
    if (!config || (config->numAttrs && !config->attrs))
        return refuse_config(func, cudaErrorInvalidValue, "its configuration, or the list of its attributes, is null");
    read_attributes(config, &c, &refused);
    if (refused)
        return refuse_config(func, cudaErrorNotSupported,
                             "cudaLaunchAttributeProgrammaticEvent: launches depend on each other by their stream "
                             "alone (cudaLaunchAttributeProgrammaticStreamSerialization)");
    c.grid = config->gridDim;
    c.block = config->blockDim;
    c.shared = config->dynamicSmemBytes;
    c.stream = config->stream;
    return launch_func(func, &c, args);
}
ALSO_PER_THREAD(cudaLaunchKernelExC, ptsz);
