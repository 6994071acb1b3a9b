/* Virtual memory management of the driver: addresses that are reserved, memory without an address (a handle), and the
 * mapping of one to the other.
 *
 * The simulated device has no page tables: an address is a place in its memory. So a reservation is an allocation of
 * its whole size, and memory has a place there while it is mapped; what is in it is kept on the host when it is
 * unmapped, and comes back with the next mapping. A handle is mapped at one place at a time, and an access to what is
 * reserved and not mapped is no fault. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

#define GRANULE (UINT64_C(2) << 20)

struct virtual_range {
    uint64_t start, bytes; /* as the program knows it */
    void *block;           /* the allocation that it lies in */
};

struct virtual_memory {
    CUmemGenericAllocationHandle handle;
    uint64_t bytes, at;       /* at: where it is mapped; 0: nowhere */
    unsigned handles;         /* that the program has not released */
    CUmemAccess_flags access; /* of the mapping */
    CUmemAllocationProp properties;
    uint8_t *kept; /* what is in it while it is not mapped; NULL: nothing was written yet */
};

static bool is_whole(uint64_t bytes)
{
    return bytes && bytes % GRANULE == 0;
}

static cudaError_t check_properties(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return cudaErrorNotSupported;
    return p->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t granularity(size_t *bytes, const CUmemAllocationProp *properties)
{
    cudaError_t error = bytes ? check_properties(properties) : cudaErrorInvalidValue;
    if (!error)
        *bytes = GRANULE;
    return error;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    (void)option;
    DRIVER_CALL(granularity(bytes, properties));
}

static cudaError_t refuse_sharing(void)
{
    struct runtime *rt = runtime_lock();
    return runtime_unlock(
        rt, runtime_refuse(rt, cudaErrorNotSupported, "memory of the device cannot be shared with other processes"));
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    (void)shareable, (void)handle, (void)type, (void)flags;
    DRIVER_CALL(refuse_sharing());
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type)
{
    (void)handle, (void)shareable, (void)type;
    DRIVER_CALL(refuse_sharing());
}

/* ---- addresses ---- */

static cudaError_t reserve(CUdeviceptr *address, uint64_t bytes, uint64_t align)
{
    void *block = NULL;
    align = align > GRANULE ? align : GRANULE;
    if (!address || !is_whole(bytes) || align & (align - 1) || bytes > UINT64_MAX - align)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaMalloc(&block, bytes + align);
    if (error)
        return error;
    *address = (driver_address(block) + align - 1) & ~(align - 1);
    struct runtime *rt = runtime_lock();
    struct virtual_range *range = base_malloc(sizeof *range);
    *range = (struct virtual_range){*address, bytes, block};
    vec_push(&rt->driver.ranges, range);
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr wish,
                             unsigned long long flags)
{
    (void)wish;
    DRIVER_CALL(flags ? cudaErrorInvalidValue : reserve(address, bytes, align));
}

/* True when some of these bytes are mapped. */
static bool has_mapping(const struct runtime *rt, uint64_t start, uint64_t bytes)
{
    for (size_t i = 0; i < rt->driver.memories.count; i++) {
        const struct virtual_memory *m = rt->driver.memories.items[i];
        if (m->at && m->at < start + bytes && start < m->at + m->bytes)
            return true;
    }
    return false;
}

static cudaError_t take_range(struct runtime *rt, uint64_t start, uint64_t bytes, void **block)
{
    for (size_t i = 0; i < rt->driver.ranges.count; i++) {
        struct virtual_range *range = rt->driver.ranges.items[i];
        if (range->start != start || range->bytes != bytes)
            continue;
        if (has_mapping(rt, start, bytes))
            return runtime_refuse(rt, cudaErrorInvalidValue, "memory is still mapped there");
        *block = range->block;
        rt->driver.ranges.items[i] = rt->driver.ranges.items[--rt->driver.ranges.count];
        free(range);
        return cudaSuccess;
    }
    return runtime_refuse(rt, cudaErrorInvalidValue, "these addresses are not reserved as a whole");
}

static cudaError_t address_free(uint64_t start, uint64_t bytes)
{
    void *block = NULL;
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_unlock(rt, take_range(rt, start, bytes, &block));
    return error ? error : cudaFree(block);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    DRIVER_CALL(address_free(address, bytes));
}

/* ---- memory ---- */

static cudaError_t create(CUmemGenericAllocationHandle *handle, uint64_t bytes, const CUmemAllocationProp *properties)
{
    cudaError_t error = handle && is_whole(bytes) ? check_properties(properties) : cudaErrorInvalidValue;
    if (error)
        return error;
    struct runtime *rt = runtime_lock();
    struct virtual_memory *m = base_calloc(1, sizeof *m);
    *m = (struct virtual_memory){
        .handle = ++rt->driver.memory_handles, .bytes = bytes, .handles = 1, .properties = *properties};
    vec_push(&rt->driver.memories, m);
    *handle = m->handle;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
    DRIVER_CALL(flags ? cudaErrorInvalidValue : create(handle, bytes, properties));
}

static struct virtual_memory *memory_of(const struct runtime *rt, CUmemGenericAllocationHandle handle)
{
    for (size_t i = 0; i < rt->driver.memories.count; i++)
        if (rt->driver.memories.items[i]->handle == handle && rt->driver.memories.items[i]->handles)
            return rt->driver.memories.items[i];
    return NULL;
}

/* Memory goes with its last handle and its mapping. */
static void sweep(struct runtime *rt, struct virtual_memory *m)
{
    if (m->handles || m->at)
        return;
    for (size_t i = 0; i < rt->driver.memories.count; i++)
        if (rt->driver.memories.items[i] == m)
            rt->driver.memories.items[i] = rt->driver.memories.items[--rt->driver.memories.count];
    free(m->kept);
    free(m);
}

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
    struct runtime *rt = runtime_lock();
    struct virtual_memory *m = memory_of(rt, handle);
    if (!m)
        return runtime_unlock(rt, cudaErrorInvalidValue);
    m->handles--;
    sweep(rt, m);
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    DRIVER_CALL(release(handle));
}

static cudaError_t properties_of(CUmemAllocationProp *to, CUmemGenericAllocationHandle handle)
{
    struct runtime *rt = runtime_lock();
    const struct virtual_memory *m = memory_of(rt, handle);
    if (m && to)
        *to = m->properties;
    return runtime_unlock(rt, m && to ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
    DRIVER_CALL(properties_of(properties, handle));
}

static cudaError_t retain(CUmemGenericAllocationHandle *handle, uint64_t address)
{
    struct runtime *rt = runtime_lock();
    for (size_t i = 0; handle && i < rt->driver.memories.count; i++) {
        struct virtual_memory *m = rt->driver.memories.items[i];
        if (m->at && address - m->at < m->bytes) {
            m->handles++;
            *handle = m->handle;
            return runtime_unlock(rt, cudaSuccess);
        }
    }
    return runtime_unlock(rt, cudaErrorInvalidValue);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    DRIVER_CALL(retain(handle, (uintptr_t)address));
}

/* ---- mappings ---- */

static bool is_reserved(const struct runtime *rt, uint64_t start, uint64_t bytes)
{
    for (size_t i = 0; i < rt->driver.ranges.count; i++) {
        const struct virtual_range *range = rt->driver.ranges.items[i];
        if (start >= range->start && bytes <= range->bytes && start - range->start <= range->bytes - bytes)
            return true;
    }
    return false;
}

/* Notes the mapping; *kept receives what is to be written there. */
static cudaError_t place(struct runtime *rt, uint64_t start, uint64_t bytes, CUmemGenericAllocationHandle handle,
                         uint8_t **kept)
{
    struct virtual_memory *m = memory_of(rt, handle);
    if (!m || start % GRANULE)
        return cudaErrorInvalidValue;
    if (bytes != m->bytes)
        return runtime_refuse(rt, cudaErrorNotSupported, "a handle is mapped as a whole");
    if (m->at)
        return runtime_refuse(rt, cudaErrorNotSupported, "a handle is mapped at one place at a time");
    if (!is_reserved(rt, start, bytes))
        return runtime_refuse(rt, cudaErrorInvalidValue, "these addresses are not reserved");
    if (has_mapping(rt, start, bytes))
        return runtime_refuse(rt, cudaErrorInvalidValue, "memory is mapped there already");
    m->at = start;
    m->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    *kept = m->kept;
    m->kept = NULL;
    return cudaSuccess;
}

static cudaError_t map(uint64_t start, uint64_t bytes, CUmemGenericAllocationHandle handle)
{
    uint8_t *kept = NULL;
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_unlock(rt, place(rt, start, bytes, handle, &kept));
    if (!error)
        error = kept ? cudaMemcpy(driver_pointer(start), kept, bytes, cudaMemcpyHostToDevice)
                     : cudaMemset(driver_pointer(start), 0, bytes);
    free(kept);
    return error;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    DRIVER_CALL(offset || flags ? cudaErrorInvalidValue : map(address, bytes, handle));
}

/* The memory that is mapped at the address, if its mapping ends by `end`. */
static struct virtual_memory *mapped_at(const struct runtime *rt, uint64_t address, uint64_t end)
{
    for (size_t i = 0; i < rt->driver.memories.count; i++) {
        struct virtual_memory *m = rt->driver.memories.items[i];
        if (m->at == address && m->bytes <= end - address)
            return m;
    }
    return NULL;
}

/* True when mappings fill the range, and none reaches beyond. */
static bool is_mapped(const struct runtime *rt, uint64_t start, uint64_t bytes)
{
    const struct virtual_memory *m;
    uint64_t at = start, end = start + bytes;
    while (at < end && (m = mapped_at(rt, at, end)))
        at += m->bytes;
    return bytes && at == end;
}

static cudaError_t unmap(uint64_t start, uint64_t bytes)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = is_mapped(rt, start, bytes)
                            ? cudaSuccess
                            : runtime_refuse(rt, cudaErrorInvalidValue, "no whole mappings fill these addresses");
    for (uint64_t at = start, size; !error && at < start + bytes; at += size) {
        struct virtual_memory *m = mapped_at(rt, at, start + bytes);
        size = m->bytes;
        if (m->handles) {
            uint8_t *kept = m->kept = base_malloc(size);
            runtime_unlock(rt, cudaSuccess);
            error = cudaMemcpy(kept, driver_pointer(at), size, cudaMemcpyDeviceToHost);
            rt = runtime_lock();
        }
        m->at = 0;
        sweep(rt, m);
    }
    return runtime_unlock(rt, error);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    DRIVER_CALL(unmap(address, bytes));
}

static cudaError_t set_access(uint64_t start, uint64_t bytes, const CUmemAccessDesc *descriptions, size_t count)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = descriptions && count ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        if (descriptions[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || descriptions[i].location.id != 0)
            error = cudaErrorInvalidDevice;
    if (!error && !is_mapped(rt, start, bytes))
        error = runtime_refuse(rt, cudaErrorInvalidValue, "no whole mappings fill these addresses");
    for (uint64_t at = start; !error && at < start + bytes;) {
        struct virtual_memory *m = mapped_at(rt, at, start + bytes);
        m->access = descriptions[count - 1].flags;
        at += m->bytes;
    }
    return runtime_unlock(rt, error);
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descriptions, size_t count)
{
    DRIVER_CALL(set_access(address, bytes, descriptions, count));
}

static cudaError_t get_access(unsigned long long *flags, const CUmemLocation *location, uint64_t address)
{
    struct runtime *rt = runtime_lock();
    for (size_t i = 0; flags && location && i < rt->driver.memories.count; i++) {
        const struct virtual_memory *m = rt->driver.memories.items[i];
        if (m->at && address - m->at < m->bytes) {
            *flags = (unsigned long long)m->access;
            return runtime_unlock(rt, cudaSuccess);
        }
    }
    return runtime_unlock(rt, cudaErrorInvalidValue);
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    DRIVER_CALL(get_access(flags, location, address));
}

void driver_virtual_forget(struct runtime *rt)
{
    for (size_t i = 0; i < rt->driver.ranges.count; i++)
        free(rt->driver.ranges.items[i]);
    for (size_t i = 0; i < rt->driver.memories.count; i++) {
        free(rt->driver.memories.items[i]->kept);
        free(rt->driver.memories.items[i]);
    }
    vec_free(&rt->driver.ranges);
    vec_free(&rt->driver.memories);
}
