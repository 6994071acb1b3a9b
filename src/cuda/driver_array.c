/* Arrays, textures and surfaces of the driver: the runtime's, by the driver's descriptions of them. Left out: mipmapped arrays,
 * texture references, and formats that the runtime has not. CUDA driver API, "Memory Management", "Texture Object Management",
 * "Surface Object Management". */
#include <string.h>

#include "cuda/array.h"
#include "cuda/driver.h"

/* ---- formats ---- */

static const struct {
    uint8_t format, bits, kind; /* enum CUarray_format, cudaChannelFormatKind */
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},   {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned}, {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},     {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},              {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static cudaError_t channels_of(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *desc)
{
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i].format == (unsigned)format && (channels == 1 || channels == 2 || channels == 4)) {
            int bits = formats[i].bits;
            *desc = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0,
                                                   (enum cudaChannelFormatKind)formats[i].kind};
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *desc, unsigned *channels)
{
    *channels = (desc->x != 0) + (desc->y != 0) + (desc->z != 0) + (desc->w != 0);
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i].bits == desc->x && formats[i].kind == desc->f)
            return (CUarray_format)formats[i].format;
    return CU_AD_FORMAT_UNSIGNED_INT8;
}

/* ---- arrays ---- */

static cudaError_t create_array(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct cudaChannelFormatDesc desc;
    cudaArray_t made = NULL;
    if (!array || !d)
        return cudaErrorInvalidValue;
    cudaError_t error = channels_of(d->Format, d->NumChannels, &desc);
    if (!error)
        error = cudaMalloc3DArray(&made, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags);
    if (!error)
        *array = (CUarray)made;
    return error;
}

static cudaError_t create_flat(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d)
        return cudaErrorInvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return create_array(array, &whole);
}

static cudaError_t describe_array(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;
    cudaError_t error = d ? cudaArrayGetInfo(&desc, &extent, &flags, (cudaArray_t)array) : cudaErrorInvalidValue;
    if (error)
        return error;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    d->Format = format_of(&desc, &d->NumChannels);
    return cudaSuccess;
}

static cudaError_t describe_flat(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    cudaError_t error = d ? describe_array(&whole, array) : cudaErrorInvalidValue;
    if (!error)
        *d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return error;
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    DRIVER_CALL(create_flat(array, descriptor));
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    DRIVER_CALL(create_array(array, descriptor));
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    DRIVER_CALL(describe_flat(descriptor, array));
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    DRIVER_CALL(describe_array(descriptor, array));
}

CUresult cuArrayDestroy(CUarray array)
{
    DRIVER_CALL(array ? cudaFreeArray((cudaArray_t)array) : cudaErrorInvalidResourceHandle);
}

/* ---- copies of bytes in the order of an array's elements ---- */

CUresult cuMemcpyHtoA_v2(CUarray to, size_t at, const void *from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpyToArray((cudaArray_t)to, at, 0, from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t at, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpyToArray((cudaArray_t)to, at, 0, driver_pointer(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t at, size_t bytes)
{
    DRIVER_CALL(cudaMemcpyFromArray(to, (cudaArray_t)from, at, 0, bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t at, size_t bytes)
{
    DRIVER_CALL(cudaMemcpyFromArray(driver_pointer(to), (cudaArray_t)from, at, 0, bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_at, CUarray from, size_t from_at, size_t bytes)
{
    DRIVER_CALL(cudaMemcpyArrayToArray((cudaArray_t)to, to_at, 0, (cudaArray_t)from, from_at, 0, bytes, cudaMemcpyDeviceToDevice));
}

/* ---- textures and surfaces ---- */

static cudaError_t resource_of(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *to)
{
    *to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)r->resType};
    if (r->flags)
        return cudaErrorInvalidValue;
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to->res.array.array = (cudaArray_t)r->res.array.hArray;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = driver_pointer(r->res.linear.devPtr);
        to->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return channels_of(r->res.linear.format, r->res.linear.numChannels, &to->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        to->res.pitch2D.devPtr = driver_pointer(r->res.pitch2D.devPtr);
        to->res.pitch2D.width = r->res.pitch2D.width;
        to->res.pitch2D.height = r->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return channels_of(r->res.pitch2D.format, r->res.pitch2D.numChannels, &to->res.pitch2D.desc);
    default:
        return cudaErrorNotSupported; /* mipmapped arrays */
    }
}

/* Integers of fewer than 32 bits are numbers in [0, 1], unless the description says otherwise. */
static bool reads_as_numbers(const struct cudaResourceDesc *r)
{
    const struct cudaChannelFormatDesc *desc = r->resType == cudaResourceTypeArray    ? &r->res.array.array->desc
                                               : r->resType == cudaResourceTypeLinear ? &r->res.linear.desc
                                                                                      : &r->res.pitch2D.desc;
    return desc->f != cudaChannelFormatKindFloat && desc->x < 32;
}

static cudaError_t check_arrays(const struct cudaResourceDesc *r)
{
    struct runtime *rt = runtime_lock();
    return runtime_unlock(rt, r->resType == cudaResourceTypeArray ? array_check(rt, r->res.array.array) : cudaSuccess);
}

static cudaError_t create_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *t,
                                  const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cudaResourceDesc r;
    if (!object || !resource || !t)
        return cudaErrorInvalidValue;
    cudaError_t error = view && view->format ? cudaErrorNotSupported : resource_of(resource, &r);
    error = error ? error : check_arrays(&r);
    if (error)
        return error;
    struct cudaTextureDesc texture = {.filterMode = (enum cudaTextureFilterMode)t->filterMode,
                                      .sRGB = (t->flags & CU_TRSF_SRGB) != 0,
                                      .normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0};
    texture.readMode =
        t->flags & CU_TRSF_READ_AS_INTEGER || !reads_as_numbers(&r) ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    for (unsigned d = 0; d < 3; d++)
        texture.addressMode[d] = (enum cudaTextureAddressMode)t->addressMode[d];
    memcpy(texture.borderColor, t->borderColor, sizeof texture.borderColor);
    cudaTextureObject_t made = 0;
    error = cudaCreateTextureObject(&made, &r, &texture, NULL);
    *object = made;
    return error;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    DRIVER_CALL(create_texture(object, resource, texture, view));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    DRIVER_CALL(cudaDestroyTextureObject(object));
}

static cudaError_t create_surface(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    struct cudaResourceDesc r;
    cudaSurfaceObject_t made = 0;
    cudaError_t error = object && resource ? resource_of(resource, &r) : cudaErrorInvalidValue;
    error = error ? error : cudaCreateSurfaceObject(&made, &r);
    if (!error)
        *object = made;
    return error;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    DRIVER_CALL(create_surface(object, resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    DRIVER_CALL(cudaDestroySurfaceObject(object));
}
