/* Memory of the driver: the runtime's allocations, copies and fills under its names. Copies of the driver name both sides
 * by type and address, or leave it to the address (unified). */
#include "cuda/array.h"
#include "cuda/driver.h"

CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    DRIVER_CALL(cudaMemGetInfo(available, total));
}

/* The driver refuses what the runtime takes for nothing. */
static cudaError_t allocate(CUdeviceptr *address, size_t bytes)
{
    void *pointer = NULL;
    cudaError_t error = address && bytes ? cudaMalloc(&pointer, bytes) : cudaErrorInvalidValue;
    if (!error)
        *address = driver_address(pointer);
    return error;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    DRIVER_CALL(allocate(address, bytes));
}

static cudaError_t allocate_pitched(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    void *pointer = NULL;
    bool possible = address && width && height && (element == 4 || element == 8 || element == 16);
    cudaError_t error = possible ? cudaMallocPitch(&pointer, pitch, width, height) : cudaErrorInvalidValue;
    if (!error)
        *address = driver_address(pointer);
    return error;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
    DRIVER_CALL(allocate_pitched(address, pitch, width, height, element));
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    DRIVER_CALL(address ? cudaFree(driver_pointer(address)) : cudaErrorInvalidValue);
}

static cudaError_t address_range(CUdeviceptr *start, size_t *bytes, CUdeviceptr address)
{
    uint64_t at, size;
    struct runtime *rt = runtime_lock();
    bool found = rt->gpu && gpu_find_allocation(rt->gpu, address, &at, &size);
    if (found && start)
        *start = at;
    if (found && bytes)
        *bytes = size;
    return runtime_unlock(rt, found ? cudaSuccess : cudaErrorSymbolNotFound);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address)
{
    DRIVER_CALL(address_range(start, bytes, address));
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    DRIVER_CALL(bytes ? cudaMallocHost(pointer, bytes) : cudaErrorInvalidValue);
}

CUresult cuMemFreeHost(void *pointer)
{
    DRIVER_CALL(pointer ? cudaFreeHost(pointer) : cudaErrorInvalidValue);
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    DRIVER_CALL(bytes ? cudaHostAlloc(pointer, bytes, flags) : cudaErrorInvalidValue);
}

static cudaError_t mapped_address(CUdeviceptr *address, void *pointer, unsigned flags)
{
    void *device = NULL;
    cudaError_t error = address ? cudaHostGetDevicePointer(&device, pointer, flags) : cudaErrorInvalidValue;
    if (!error)
        *address = driver_address(device);
    return error;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags)
{
    DRIVER_CALL(mapped_address(address, pointer, flags));
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer)
{
    DRIVER_CALL(cudaHostGetFlags(flags, pointer));
}

static cudaError_t allocate_managed(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    void *pointer = NULL;
    cudaError_t error = address ? cudaMallocManaged(&pointer, bytes, flags) : cudaErrorInvalidValue;
    if (!error)
        *address = driver_address(pointer);
    return error;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    DRIVER_CALL(allocate_managed(address, bytes, flags));
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
    DRIVER_CALL(cudaHostRegister(pointer, bytes, flags));
}

CUresult cuMemHostUnregister(void *pointer)
{
    DRIVER_CALL(cudaHostUnregister(pointer));
}

static cudaError_t allocate_async(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    void *pointer = NULL;
    cudaError_t error = address && bytes ? cudaMallocAsync(&pointer, bytes, stream) : cudaErrorInvalidValue;
    if (!error)
        *address = driver_address(pointer);
    return error;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    DRIVER_CALL(allocate_async(address, bytes, stream));
}
ALSO_PER_THREAD(cuMemAllocAsync, ptsz);

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    DRIVER_CALL(cudaFreeAsync(driver_pointer(address), stream));
}
ALSO_PER_THREAD(cuMemFreeAsync, ptsz);

/* ---- copies ---- */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDefault));
}
ALSO_PER_THREAD(cuMemcpy, ptds);

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDefault, stream));
}
ALSO_PER_THREAD(cuMemcpyAsync, ptsz);

/* There is one device, which all contexts share. */
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    DRIVER_CALL(cudaMemcpy(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
ALSO_PER_THREAD(cuMemcpyPeer, ptds);

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    (void)to_context, (void)from_context;
    DRIVER_CALL(cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
ALSO_PER_THREAD(cuMemcpyPeerAsync, ptsz);

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(driver_pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
ALSO_PER_THREAD(cuMemcpyHtoD_v2, ptds);

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(driver_pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
ALSO_PER_THREAD(cuMemcpyHtoDAsync_v2, ptsz);

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(to, driver_pointer(from), bytes, cudaMemcpyDeviceToHost));
}
ALSO_PER_THREAD(cuMemcpyDtoH_v2, ptds);

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(to, driver_pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
ALSO_PER_THREAD(cuMemcpyDtoHAsync_v2, ptsz);

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
ALSO_PER_THREAD(cuMemcpyDtoD_v2, ptds);

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
ALSO_PER_THREAD(cuMemcpyDtoDAsync_v2, ptsz);

/* One side of a copy of several rows, or NULL with *error; of one that is an array, NULL. */
static void *side(CUmemorytype type, const void *host, CUdeviceptr device, cudaError_t *error)
{
    if (type == CU_MEMORYTYPE_ARRAY)
        return NULL;
    if (type < CU_MEMORYTYPE_HOST || type > CU_MEMORYTYPE_UNIFIED)
        *error = cudaErrorInvalidValue;
    return type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : driver_pointer(device);
}

static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (to == CU_MEMORYTYPE_HOST)
        return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

/* Where an array takes part the runtime counts elements along a row, but for positions in memory. */
static cudaError_t count_elements(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p)
{
    struct runtime *rt = runtime_lock();
    size_t unit = 0;
    cudaError_t error = cudaSuccess;
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
        p->srcArray = (cudaArray_t)c->srcArray;
        error = array_check(rt, p->srcArray);
        unit = error ? 0 : p->srcArray->texel;
        p->srcPos.x = unit ? p->srcPos.x / unit : 0;
    }
    if (!error && c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        p->dstArray = (cudaArray_t)c->dstArray;
        error = array_check(rt, p->dstArray);
        unit = error ? 0 : p->dstArray->texel;
        p->dstPos.x = unit ? p->dstPos.x / unit : 0;
    }
    if (unit && (c->WidthInBytes % unit || (p->srcArray && c->srcXInBytes % unit) || (p->dstArray && c->dstXInBytes % unit)))
        error = cudaErrorInvalidValue;
    p->extent.width /= unit ? unit : 1;
    return runtime_unlock(rt, error);
}

/* A pitch or height of 0 stands for rows or slices without a gap. */
static cudaError_t describe(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p)
{
    cudaError_t error = c->srcLOD || c->dstLOD ? cudaErrorInvalidValue : cudaSuccess;
    size_t from_pitch = c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes;
    size_t to_pitch = c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes;
    *p = (struct cudaMemcpy3DParms){
        .srcPos = {c->srcXInBytes, c->srcY, c->srcZ},
        .srcPtr = {side(c->srcMemoryType, c->srcHost, c->srcDevice, &error), from_pitch, c->WidthInBytes,
                   c->srcHeight ? c->srcHeight : c->srcY + c->Height},
        .dstPos = {c->dstXInBytes, c->dstY, c->dstZ},
        .dstPtr = {side(c->dstMemoryType, c->dstHost, c->dstDevice, &error), to_pitch, c->WidthInBytes,
                   c->dstHeight ? c->dstHeight : c->dstY + c->Height},
        .extent = {c->WidthInBytes, c->Height, c->Depth},
        .kind = kind_of(c->dstMemoryType, c->srcMemoryType),
    };
    return error ? error : count_elements(c, p);
}

static CUDA_MEMCPY3D in_one_slice(const CUDA_MEMCPY2D *c)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = 1};
}

static cudaError_t copy_3d(const CUDA_MEMCPY3D *copy)
{
    struct cudaMemcpy3DParms p;
    cudaError_t error = copy ? describe(copy, &p) : cudaErrorInvalidValue;
    return error ? error : cudaMemcpy3D(&p);
}

static cudaError_t copy_3d_async(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    struct cudaMemcpy3DParms p;
    cudaError_t error = copy ? describe(copy, &p) : cudaErrorInvalidValue;
    return error ? error : cudaMemcpy3DAsync(&p, stream);
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *copy)
{
    if (!copy)
        return cudaErrorInvalidValue;
    CUDA_MEMCPY3D whole = in_one_slice(copy);
    return copy_3d(&whole);
}

static cudaError_t copy_2d_async(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    if (!copy)
        return cudaErrorInvalidValue;
    CUDA_MEMCPY3D whole = in_one_slice(copy);
    return copy_3d_async(&whole, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    DRIVER_CALL(copy_2d(copy));
}
ALSO_PER_THREAD(cuMemcpy2D_v2, ptds);

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
    DRIVER_CALL(copy_2d(copy));
}
ALSO_PER_THREAD(cuMemcpy2DUnaligned_v2, ptds);

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    DRIVER_CALL(copy_2d_async(copy, stream));
}
ALSO_PER_THREAD(cuMemcpy2DAsync_v2, ptsz);

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    DRIVER_CALL(copy_3d(copy));
}
ALSO_PER_THREAD(cuMemcpy3D_v2, ptds);

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    DRIVER_CALL(copy_3d_async(copy, stream));
}
ALSO_PER_THREAD(cuMemcpy3DAsync_v2, ptsz);

/* ---- fills: of elements of 1, 2 or 4 bytes ---- */

static cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height)
{
    if (to % element || pitch % element || width > SIZE_MAX / element)
        return cudaErrorInvalidValue;
    return copy_fill(driver_pointer(to), pitch, value, element, width * element, height);
}

static cudaError_t fill_async(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width,
                              size_t height, CUstream stream)
{
    if (to % element || pitch % element || width > SIZE_MAX / element)
        return cudaErrorInvalidValue;
    return copy_fill_async(driver_pointer(to), pitch, value, element, width * element, height, stream);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    DRIVER_CALL(fill(to, 0, value, 1, count, 1));
}
ALSO_PER_THREAD(cuMemsetD8_v2, ptds);

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    DRIVER_CALL(fill_async(to, 0, value, 1, count, 1, stream));
}
ALSO_PER_THREAD(cuMemsetD8Async, ptsz);

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    DRIVER_CALL(fill(to, pitch, value, 1, width, height));
}
ALSO_PER_THREAD(cuMemsetD2D8_v2, ptds);

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)
{
    DRIVER_CALL(fill_async(to, pitch, value, 1, width, height, stream));
}
ALSO_PER_THREAD(cuMemsetD2D8Async, ptsz);

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
    DRIVER_CALL(fill(to, 0, value, 2, count, 1));
}
ALSO_PER_THREAD(cuMemsetD16_v2, ptds);

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    DRIVER_CALL(fill_async(to, 0, value, 2, count, 1, stream));
}
ALSO_PER_THREAD(cuMemsetD16Async, ptsz);

CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    DRIVER_CALL(fill(to, pitch, value, 2, width, height));
}
ALSO_PER_THREAD(cuMemsetD2D16_v2, ptds);

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)
{
    DRIVER_CALL(fill_async(to, pitch, value, 2, width, height, stream));
}
ALSO_PER_THREAD(cuMemsetD2D16Async, ptsz);

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count)
{
    DRIVER_CALL(fill(to, 0, value, 4, count, 1));
}
ALSO_PER_THREAD(cuMemsetD32_v2, ptds);

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    DRIVER_CALL(fill_async(to, 0, value, 4, count, 1, stream));
}
ALSO_PER_THREAD(cuMemsetD32Async, ptsz);

CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height)
{
    DRIVER_CALL(fill(to, pitch, value, 4, width, height));
}
ALSO_PER_THREAD(cuMemsetD2D32_v2, ptds);

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)
{
    DRIVER_CALL(fill_async(to, pitch, value, 4, width, height, stream));
}
ALSO_PER_THREAD(cuMemsetD2D32Async, ptsz);

/* ---- pointers ---- */

static cudaError_t pointer_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct cudaPointerAttributes a;
    CUdeviceptr start = 0;
    size_t bytes = 0;
    cudaError_t error = value ? cudaPointerGetAttributes(&a, driver_pointer(address)) : cudaErrorInvalidValue;
    if (error || a.type == cudaMemoryTypeUnregistered)
        return cudaErrorInvalidValue;
    bool known = address_range(&start, &bytes, address) == cudaSuccess;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = driver_address(a.devicePointer);
        return a.devicePointer ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)value = a.hostPointer;
        return a.type == cudaMemoryTypeDevice ? cudaErrorInvalidValue : cudaSuccess;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(bool *)value = a.type == cudaMemoryTypeManaged;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = 0;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)value = 0;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)value = start;
        return known ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = start;
        return known ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = bytes;
        return known ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(bool *)value = true;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
        struct runtime *rt = runtime_lock();
        *(CUcontext *)value = driver_current(rt);
        return runtime_unlock(rt, cudaSuccess);
    }
    default:
        return cudaErrorNotSupported;
    }
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    DRIVER_CALL(pointer_attribute(value, attribute, address));
}

/* Of a pointer that is none of the device's, all attributes are left as they are. */
static cudaError_t pointer_attributes(unsigned count, const CUpointer_attribute *attributes, void **values,
                                      CUdeviceptr address)
{
    if (!attributes || !values)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        pointer_attribute(values[i], attributes[i], address);
    return cudaSuccess;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr address)
{
    DRIVER_CALL(pointer_attributes(count, attributes, values, address));
}
