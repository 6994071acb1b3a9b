/* Allocation. Device memory lies at its own host addresses whenever the host lets it (gpu_host_mapped): managed and
 * pinned memory are then ordinary device allocations that the host uses in place, without copies. Otherwise managed
 * memory is refused and pinned memory is plain host memory. Memory of the program's own that is registered
 * (cudaHostRegister) is given a device copy when its device pointer is asked for; launches copy it in and out, also
 * while they stand, and what the kernel's and the host's sides do meanwhile cannot be seen before. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cuda/graph.h"
#include "cuda/pool.h"

#define PITCH_ALIGN 512
#define MOST_EXCHANGES 64 /* passes over memory that threads of the program go on writing */

static struct special_block *find_special(const struct runtime *rt, const void *pointer)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    for (size_t i = 0; i < rt->specials.count; i++) {
        struct special_block *block = &rt->specials.items[i];
        if (address >= block->start && address - block->start < block->bytes)
            return block;
    }
    return NULL;
}

const struct special_block *special_find(const struct runtime *rt, const void *pointer)
{
    return find_special(rt, pointer);
}

static void forget_special(struct runtime *rt, struct special_block *block)
{
    free(block->agreed);
    *block = rt->specials.items[--rt->specials.count];
}

/* Programs that do not ask for errors would go on without the memory: say what is wrong, once. */
static cudaError_t refuse_memory(struct runtime *rt, size_t bytes)
{
    uint64_t available, all;
    struct diag_sink sink;
    if (rt->exhausted)
        return cudaErrorMemoryAllocation;
    rt->exhausted = true;
    gpu_memory_info(rt->gpu, &available, &all);
    diag_init(&sink);
    diag_error(
        &sink, DIAG_NOWHERE, "ask for less, or give the machine more: gpu.memory_mib",
        "%s: %zu bytes of device memory cannot be allocated: %llu of the machine's %llu are free (not said again)",
        rt->entry, bytes, (unsigned long long)available, (unsigned long long)all);
    runtime_report(rt, &sink);
    diag_free(&sink);
    return cudaErrorMemoryAllocation;
}

/* Device memory, without a word when there is none left. */
static cudaError_t take_memory(struct runtime *rt, void **pointer, size_t bytes)
{
    if (!pointer)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the place for its result is null");
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = (void *)(uintptr_t)gpu_malloc(rt->gpu, bytes);
    gpu_label(rt->gpu, (uintptr_t)*pointer, rt->entry, NULL);
    cudaError_t error = replay_call(rt, bytes, (uintptr_t)*pointer, 0);
    return error ? error : *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t memory_allocate(struct runtime *rt, void **pointer, size_t bytes)
{
    cudaError_t error = take_memory(rt, pointer, bytes);
    return error == cudaErrorMemoryAllocation ? refuse_memory(rt, bytes) : error;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    RUNTIME_CALL(memory_allocate(rt, pointer, bytes));
}

static cudaError_t allocate_pitched(struct runtime *rt, void **pointer, size_t *pitch, size_t width, size_t rows)
{
    if (!pointer || !pitch || width > SIZE_MAX - PITCH_ALIGN)
        return runtime_refuse(rt, cudaErrorInvalidValue, "a place for its results is null, or rows are too wide");
    size_t bytes;
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return refuse_memory(rt, SIZE_MAX);
    return memory_allocate(rt, pointer, bytes);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    RUNTIME_CALL(allocate_pitched(rt, pointer, pitch, width, height));
}

static cudaError_t allocate_3d(struct runtime *rt, struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    size_t rows;
    if (!pitched)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return refuse_memory(rt, SIZE_MAX);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_pitched(rt, &pitched->ptr, &pitched->pitch, extent.width, rows);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    RUNTIME_CALL(allocate_3d(rt, pitched, extent));
}

static cudaError_t allocate_managed(struct runtime *rt, void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
    if (!gpu_host_mapped(rt->gpu))
        return cudaErrorNotSupported;
    cudaError_t error = memory_allocate(rt, pointer, bytes);
    if (!error)
        vec_push(&rt->specials, (struct special_block){.start = (uintptr_t)*pointer,
                                                       .bytes = bytes,
                                                       .type = cudaMemoryTypeManaged,
                                                       .flags = flags,
                                                       .in_device = true});
    return error;
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    RUNTIME_CALL(allocate_managed(rt, pointer, bytes, flags));
}

static cudaError_t allocate_pinned(struct runtime *rt, void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer || (flags & ~7u))
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    bool in_device = gpu_host_mapped(rt->gpu) && take_memory(rt, pointer, bytes) == cudaSuccess;
    if (!in_device)
        *pointer = bytes <= PTRDIFF_MAX ? calloc(1, bytes) : NULL;
    if (!*pointer)
        return runtime_refuse(rt, cudaErrorMemoryAllocation, "the host has no %zu bytes", bytes);
    vec_push(&rt->specials, (struct special_block){.start = (uintptr_t)*pointer,
                                                   .bytes = bytes,
                                                   .type = cudaMemoryTypeHost,
                                                   .flags = flags,
                                                   .in_device = in_device});
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    RUNTIME_CALL(allocate_pinned(rt, pointer, bytes, flags));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    RUNTIME_CALL(allocate_pinned(rt, pointer, bytes, cudaHostAllocDefault));
}

/* True if the pointer is the device copy of registered memory, which cudaHostUnregister frees. */
static bool is_shadow(const struct runtime *rt, const void *pointer)
{
    for (size_t i = 0; i < rt->specials.count; i++)
        if (rt->specials.items[i].shadow && rt->specials.items[i].shadow == (uintptr_t)pointer)
            return true;
    return false;
}

cudaError_t memory_free(struct runtime *rt, void *pointer)
{
    if (!pointer)
        return cudaSuccess;
    struct special_block *special = find_special(rt, pointer);
    if (special && special->type == cudaMemoryTypeHost)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer is to host memory, which cudaFreeHost frees");
    if (special && (special->image || special->start != (uintptr_t)pointer))
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer is not what an allocation gave");
    if (is_shadow(rt, pointer))
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer stands for registered host memory");
    cudaError_t error = flight_wait(rt);
    error = error ? error : replay_call(rt, (uintptr_t)pointer, 0, 0);
    if (error)
        return error;
    if (graph_memory_freed(rt, (uintptr_t)pointer, &error))
        return error;
    pool_freed(rt, (uintptr_t)pointer);
    if (gpu_free(rt->gpu, (uintptr_t)pointer) < 0)
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "the pointer is not what an allocation gave, or was freed before");
    if (special)
        forget_special(rt, special);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    RUNTIME_CALL(memory_free(rt, pointer));
}

static cudaError_t free_pinned(struct runtime *rt, void *pointer)
{
    if (!pointer)
        return cudaSuccess;
    struct special_block *block = find_special(rt, pointer);
    if (!block || block->type != cudaMemoryTypeHost || block->registered || block->start != (uintptr_t)pointer)
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "the pointer is not what an allocation of host memory gave, or was freed before");
    cudaError_t error = flight_wait(rt);
    if (error)
        return error;
    if (block->shadow)
        gpu_free(rt->gpu, block->shadow);
    if (block->in_device)
        gpu_free(rt->gpu, block->start);
    else
        free(pointer);
    forget_special(rt, block);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *pointer)
{
    RUNTIME_CALL(free_pinned(rt, pointer));
}

static cudaError_t register_host(struct runtime *rt, void *pointer, size_t bytes, unsigned flags)
{
    if (!pointer || bytes == 0 || (flags & ~15u) || (uintptr_t)pointer > UINTPTR_MAX - bytes)
        return cudaErrorInvalidValue;
    uint64_t start = (uintptr_t)pointer;
    for (size_t i = 0; i < rt->specials.count; i++)
        if (start < rt->specials.items[i].start + rt->specials.items[i].bytes &&
            rt->specials.items[i].start < start + bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    vec_push(&rt->specials,
             (struct special_block){
                 .start = start, .bytes = bytes, .type = cudaMemoryTypeHost, .flags = flags, .registered = true});
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    RUNTIME_CALL(register_host(rt, pointer, bytes, flags));
}

static cudaError_t unregister_host(struct runtime *rt, void *pointer)
{
    struct special_block *block = find_special(rt, pointer);
    if (!block || !block->registered || block->start != (uintptr_t)pointer)
        return cudaErrorHostMemoryNotRegistered;
    cudaError_t error = flight_wait(rt);
    if (error)
        return error;
    if (block->shadow)
        gpu_free(rt->gpu, block->shadow);
    forget_special(rt, block);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    RUNTIME_CALL(unregister_host(rt, pointer));
}

/* A word of a block, or the bytes beside words at its ends. What threads of the program write at once is read at once.
 */
static uint64_t word_at(const uint8_t *at, size_t bytes)
{
    uint64_t word = 0;
    if (bytes == sizeof word)
        return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
    memcpy(&word, at, bytes);
    return word;
}

/* Ones in the bytes in which two words differ. */
static uint64_t different_bytes(uint64_t a, uint64_t b)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8)
        mask |= (a ^ b) >> i & 0xff ? UINT64_C(0xff) << i : 0;
    return mask;
}

/* The device's new bytes go to the host, the host's other ones to `copy`, which is what the device has. True: the host
 * had new ones. */
static bool exchange_word(const struct special_block *block, size_t at, size_t bytes, uint8_t *copy)
{
    uint8_t *host = (uint8_t *)(uintptr_t)block->start + at;
    uint64_t own = word_at(host, bytes), device = 0, agreed = 0;
    memcpy(&device, copy + at, bytes);
    memcpy(&agreed, block->agreed + at, bytes);
    if (own == agreed && device == agreed)
        return false;
    uint64_t by_device = different_bytes(device, agreed);
    if (block->registered && block->flags & cudaHostRegisterReadOnly)
        by_device = 0;
    for (size_t i = 0; i < bytes; i++)
        if (by_device >> 8 * i & 0xff)
            host[i] = (uint8_t)(device >> 8 * i);
    uint64_t both = (device & by_device) | (own & ~by_device);
    memcpy(copy + at, &both, bytes);
    memcpy(block->agreed + at, &both, bytes);
    return both != device;
}

/* Until nothing new is found: what a thread wrote before something that was found has been found then, too. */
static void exchange_block(struct runtime *rt, const struct special_block *block)
{
    uint8_t *copy = base_calloc(1, block->bytes);
    bool again = gpu_read(rt->gpu, copy, block->shadow, block->bytes, NULL) == 0, changed = false;
    for (unsigned turn = 0; again && turn < MOST_EXCHANGES; turn++) {
        again = false;
        for (size_t at = 0, bytes; at < block->bytes; at += bytes) {
            bytes = sizeof(uint64_t) - (block->start + at) % sizeof(uint64_t);
            bytes = bytes < block->bytes - at ? bytes : block->bytes - at;
            again |= exchange_word(block, at, bytes, copy);
        }
        changed |= again;
    }
    if (changed)
        gpu_write(rt->gpu, block->shadow, copy, block->bytes, NULL);
    free(copy);
}

void registered_exchange(struct runtime *rt)
{
    for (size_t i = 0; i < rt->specials.count; i++)
        if (rt->specials.items[i].shadow)
            exchange_block(rt, &rt->specials.items[i]);
}

/* Makes a block's device copy, with what the host has. */
static void make_shadow(struct runtime *rt, struct special_block *block)
{
    block->shadow = gpu_malloc(rt->gpu, block->bytes);
    if (!block->shadow)
        return;
    block->agreed = base_calloc(1, block->bytes);
    memcpy(block->agreed, (const void *)(uintptr_t)block->start, block->bytes);
    gpu_write(rt->gpu, block->shadow, block->agreed, block->bytes, NULL);
}

bool memory_is_shared(const struct runtime *rt)
{
    for (size_t i = 0; i < rt->specials.count; i++)
        if (rt->specials.items[i].in_device || rt->specials.items[i].shadow)
            return true;
    return false;
}

bool memory_host_writes(const struct runtime *rt, uint64_t address)
{
    for (size_t i = 0; i < rt->specials.count; i++) {
        const struct special_block *block = &rt->specials.items[i];
        uint64_t start = block->in_device ? block->start : block->shadow;
        if (start && address >= start && address - start < block->bytes)
            return true;
    }
    return false;
}

uint64_t memory_host_hash(const struct runtime *rt)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < rt->specials.count; i++) {
        const struct special_block *block = &rt->specials.items[i];
        if (block->in_device || block->shadow)
            hash = hash_add(hash, hash_bytes((const void *)(uintptr_t)block->start, block->bytes));
    }
    return hash;
}

static cudaError_t host_device_pointer(struct runtime *rt, void **device, void *host, unsigned flags)
{
    struct special_block *block = find_special(rt, host);
    if (!device || flags != 0 || !block || block->type != cudaMemoryTypeHost)
        return cudaErrorInvalidValue;
    if (block->in_device) {
        *device = host;
        return cudaSuccess;
    }
    if (!block->shadow)
        make_shadow(rt, block);
    cudaError_t error = replay_call(rt, block->shadow, block->bytes, 0);
    if (error)
        return error;
    if (!block->shadow)
        return refuse_memory(rt, block->bytes);
    *device = (void *)(uintptr_t)(block->shadow + ((uintptr_t)host - block->start));
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    RUNTIME_CALL(host_device_pointer(rt, device, host, flags));
}

static cudaError_t host_flags(struct runtime *rt, unsigned *flags, void *host)
{
    const struct special_block *block = find_special(rt, host);
    if (!flags || !block || block->type != cudaMemoryTypeHost)
        return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    RUNTIME_CALL(host_flags(rt, flags, host));
}

static cudaError_t memory_info(struct runtime *rt, size_t *free_bytes, size_t *total)
{
    uint64_t available, all;
    gpu_memory_info(rt->gpu, &available, &all);
    if (free_bytes)
        *free_bytes = available;
    if (total)
        *total = all;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    RUNTIME_CALL(memory_info(rt, free_bytes, total));
}

static cudaError_t pointer_attributes(struct runtime *rt, struct cudaPointerAttributes *attributes, const void *pointer)
{
    uint64_t start, bytes;
    if (!attributes)
        return cudaErrorInvalidValue;
    void *plain = (void *)(uintptr_t)pointer;
    const struct special_block *block = find_special(rt, pointer);
    *attributes = (struct cudaPointerAttributes){.device = cudaInvalidDeviceId, .hostPointer = plain};
    if (block) {
        uint64_t device = block->in_device ? block->start : block->shadow;
        attributes->type = block->type;
        attributes->device = 0;
        attributes->devicePointer = device ? (void *)(uintptr_t)(device + ((uintptr_t)pointer - block->start)) : NULL;
    } else if (gpu_find_allocation(rt->gpu, (uintptr_t)pointer, &start, &bytes)) {
        *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = plain};
    }
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    RUNTIME_CALL(pointer_attributes(rt, attributes, pointer));
}

/* ---- hints: managed memory is in one place, so that there is nothing to move ---- */

static cudaError_t check_managed(struct runtime *rt, const void *pointer, size_t bytes)
{
    const struct special_block *block = find_special(rt, pointer);
    bool inside =
        block && block->type == cudaMemoryTypeManaged && bytes <= block->start + block->bytes - (uintptr_t)pointer;
    return inside && bytes > 0 ? cudaSuccess
                               : runtime_refuse(rt, cudaErrorInvalidValue, "that is not all in managed memory");
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream; /* not looked at: CUDA 12 programs pass other arguments in their place */
    RUNTIME_CALL(check_managed(rt, pointer, bytes));
}
ALSO_PER_THREAD(cudaMemPrefetchAsync, ptsz);

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)advice, (void)location;
    RUNTIME_CALL(check_managed(rt, pointer, bytes));
}

static cudaError_t range_attribute(struct runtime *rt, int *data, size_t bytes, enum cudaMemRangeAttribute attribute,
                                   const void *pointer, size_t count)
{
    if (!data || bytes < sizeof *data || bytes % sizeof *data)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    return check_managed(rt, pointer, count);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t count)
{
    RUNTIME_CALL(range_attribute(rt, data, bytes, attribute, pointer, count));
}

static cudaError_t attach(struct runtime *rt, cudaStream_t stream, const void *pointer)
{
    cudaError_t error = stream_check(rt, stream);
    if (error)
        return error;
    return check_managed(rt, pointer, 1);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags)
{
    (void)bytes, (void)flags;
    RUNTIME_CALL(attach(rt, stream, pointer));
}
ALSO_PER_THREAD(cudaStreamAttachMemAsync, ptsz);
