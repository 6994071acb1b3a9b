/* Stream-ordered allocation and memory pools. Calls take effect when they are made; memory that is freed can be had
 * again once nothing that was given to the device before can use it, which is so as soon as the call returns. What a
 * pool keeps (release threshold) is a matter of its books alone. */
#include "cuda/pool.h"

#include <stdlib.h>

#include "cuda/graph.h"

struct CUmemPoolHandle_st {
    struct cudaMemPoolProps props;
    bool destroyed; /* goes with its last allocation */
    int reuse[3];   /* of cudaMemPoolReuseFollowEventDependencies and the two behind it */
    uint64_t threshold, used, used_high, reserved, reserved_high;
};

static cudaMemPool_t new_pool(struct runtime *rt, const struct cudaMemPoolProps *props)
{
    cudaMemPool_t pool = base_calloc(1, sizeof *pool);
    pool->props = *props;
    pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
    vec_push(&rt->pools, pool);
    return pool;
}

static cudaMemPool_t default_pool(struct runtime *rt)
{
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                           .location = {cudaMemLocationTypeDevice, 0}};
    return rt->pools.count ? rt->pools.items[0] : new_pool(rt, &props);
}

static cudaMemPool_t current_pool(struct runtime *rt)
{
    cudaMemPool_t first = default_pool(rt);
    return rt->pool ? rt->pool : first;
}

static cudaError_t check_pool(struct runtime *rt, cudaMemPool_t pool)
{
    for (size_t i = 0; i < rt->pools.count; i++)
        if (rt->pools.items[i] == pool && !pool->destroyed)
            return cudaSuccess;
    return runtime_refuse(rt, cudaErrorInvalidValue, "that is no memory pool, or one that was destroyed");
}

void pools_forget(struct runtime *rt)
{
    for (size_t i = 0; i < rt->pools.count; i++)
        free(rt->pools.items[i]);
    vec_free(&rt->pools);
    vec_free(&rt->pooled);
    rt->pool = NULL;
}

static void drop_pool(struct runtime *rt, cudaMemPool_t pool)
{
    for (size_t i = 0; i < rt->pools.count; i++)
        if (rt->pools.items[i] == pool) {
            rt->pools.items[i] = rt->pools.items[rt->pools.count - 1];
            rt->pools.count--;
        }
    free(pool);
}

static void give_back(cudaMemPool_t pool, uint64_t keep)
{
    uint64_t least = keep > pool->used ? keep : pool->used;
    pool->reserved = pool->reserved < least ? pool->reserved : least;
}

void pool_freed(struct runtime *rt, uint64_t start)
{
    for (size_t i = 0; i < rt->pooled.count; i++) {
        struct pooled block = rt->pooled.items[i];
        if (block.start != start)
            continue;
        rt->pooled.items[i] = rt->pooled.items[--rt->pooled.count];
        block.pool->used -= block.bytes;
        give_back(block.pool, block.pool->threshold);
        if (block.pool->destroyed && !block.pool->used)
            drop_pool(rt, block.pool);
        return;
    }
}

static cudaError_t allocate(struct runtime *rt, void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t error = stream_check(rt, stream);
    error = error ? error : check_pool(rt, pool);
    if (!error && pool->props.maxSize && bytes > pool->props.maxSize - pool->used)
        error = runtime_refuse(rt, cudaErrorMemoryAllocation, "the pool has %zu bytes at most", pool->props.maxSize);
    error = error ? error : memory_allocate(rt, pointer, bytes);
    if (error || !bytes)
        return error;
    vec_push(&rt->pooled, (struct pooled){(uintptr_t)*pointer, bytes, pool});
    pool->used += bytes;
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
    pool->reserved = pool->used > pool->reserved ? pool->used : pool->reserved;
    pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_allocate(stream, pointer, bytes, &captured))
        return captured;
    RUNTIME_CALL(allocate(rt, pointer, bytes, current_pool(rt), stream));
}
ALSO_PER_THREAD(cudaMallocAsync, ptsz);

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_allocate(stream, pointer, bytes, &captured))
        return captured;
    RUNTIME_CALL(allocate(rt, pointer, bytes, pool, stream));
}
ALSO_PER_THREAD(cudaMallocFromPoolAsync, ptsz);

static cudaError_t free_async(struct runtime *rt, void *pointer, cudaStream_t stream)
{
    cudaError_t error = stream_check(rt, stream);
    return error ? error : memory_free(rt, pointer);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_free(stream, pointer, &captured))
        return captured;
    RUNTIME_CALL(free_async(rt, pointer, stream));
}
ALSO_PER_THREAD(cudaFreeAsync, ptsz);

/* ---- pools ---- */

static cudaError_t create(struct runtime *rt, cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    if (!pool || !props)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the place for its result, or the properties, are null");
    if (props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice ||
        props->handleTypes)
        return runtime_refuse(rt, cudaErrorNotSupported, "pools are of the device's own memory, and of this process");
    if (props->location.id)
        return cudaErrorInvalidDevice;
    default_pool(rt); /* the first */
    *pool = new_pool(rt, props);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    RUNTIME_CALL(create(rt, pool, props));
}

static cudaError_t destroy(struct runtime *rt, cudaMemPool_t pool)
{
    cudaError_t error = check_pool(rt, pool);
    if (!error && pool == default_pool(rt))
        error = runtime_refuse(rt, cudaErrorInvalidValue, "the device's own pool cannot be destroyed");
    if (error)
        return error;
    rt->pool = rt->pool == pool ? NULL : rt->pool;
    pool->destroyed = true;
    if (!pool->used)
        drop_pool(rt, pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RUNTIME_CALL(destroy(rt, pool));
}

static cudaError_t trim(struct runtime *rt, cudaMemPool_t pool, size_t keep)
{
    cudaError_t error = check_pool(rt, pool);
    if (!error)
        give_back(pool, keep);
    return error;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t minBytesToKeep)
{
    RUNTIME_CALL(trim(rt, pool, minBytesToKeep));
}

static cudaError_t set_attribute(struct runtime *rt, cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                 const void *value)
{
    cudaError_t error = value ? check_pool(rt, pool) : cudaErrorInvalidValue;
    if (error)
        return error;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        pool->threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        pool->reserved_high = pool->reserved;
        break;
    case cudaMemPoolAttrUsedMemHigh:
        pool->used_high = pool->used;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return *(const uint64_t *)value ? cudaErrorInvalidValue
                                    : cudaSuccess; /* a high mark is set back, to no other value */
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    RUNTIME_CALL(set_attribute(rt, pool, attr, value));
}

static cudaError_t get_attribute(struct runtime *rt, cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t error = value ? check_pool(rt, pool) : cudaErrorInvalidValue;
    uint64_t *number = value;
    if (error)
        return error;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        break;
    case cudaMemPoolAttrReleaseThreshold:
        *number = pool->threshold;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
        *number = pool->reserved;
        break;
    case cudaMemPoolAttrReservedMemHigh:
        *number = pool->reserved_high;
        break;
    case cudaMemPoolAttrUsedMemCurrent:
        *number = pool->used;
        break;
    case cudaMemPoolAttrUsedMemHigh:
        *number = pool->used_high;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    RUNTIME_CALL(get_attribute(rt, pool, attr, value));
}

/* The one device has access, whatever is asked for. */
static cudaError_t set_access(struct runtime *rt, cudaMemPool_t pool, const struct cudaMemAccessDesc *descs,
                              size_t count)
{
    cudaError_t error = check_pool(rt, pool);
    for (size_t i = 0; !error && i < count; i++)
        if (!descs || descs[i].location.type != cudaMemLocationTypeDevice || descs[i].location.id)
            error = cudaErrorInvalidDevice;
    return error;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descs, size_t count)
{
    RUNTIME_CALL(set_access(rt, pool, descs, count));
}

static cudaError_t get_access(struct runtime *rt, enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                              const struct cudaMemLocation *location)
{
    cudaError_t error = flags && location ? check_pool(rt, pool) : cudaErrorInvalidValue;
    if (error)
        return error;
    bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    RUNTIME_CALL(get_access(rt, flags, pool, location));
}

static cudaError_t device_pool(struct runtime *rt, cudaMemPool_t *pool, int device, bool current)
{
    if (!pool)
        return cudaErrorInvalidValue;
    if (device)
        return cudaErrorInvalidDevice;
    *pool = current ? current_pool(rt) : default_pool(rt);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    RUNTIME_CALL(device_pool(rt, pool, device, false));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    RUNTIME_CALL(device_pool(rt, pool, device, true));
}

static cudaError_t use_pool(struct runtime *rt, int device, cudaMemPool_t pool)
{
    cudaError_t error = device ? cudaErrorInvalidDevice : check_pool(rt, pool);
    if (!error)
        rt->pool = pool;
    return error;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    RUNTIME_CALL(use_pool(rt, device, pool));
}

/* The device of a place, or -1. */
static int device_at(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    bool ours = location && location->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned;
    return ours ? location->id : -1;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    RUNTIME_CALL(device_pool(rt, pool, device_at(location, type), false));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    RUNTIME_CALL(device_pool(rt, pool, device_at(location, type), true));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    RUNTIME_CALL(use_pool(rt, device_at(location, type), pool));
}
