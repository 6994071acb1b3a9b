/* Texture and surface objects: what a program says of one becomes a description in device memory, whose address is the
 * object (simt/image.h). */
#include <stdlib.h>
#include <string.h>

#include "cuda/array.h"
#include "simt/image.h"

struct texture_record {
    uint64_t handle;
    enum simt_image_kind kind;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
};

void textures_forget(struct runtime *rt)
{
    for (size_t i = 0; i < rt->textures.count; i++)
        free(rt->textures.items[i]);
    vec_free(&rt->textures);
}

static struct texture_record *find_record(struct runtime *rt, uint64_t handle, enum simt_image_kind kind)
{
    for (size_t i = 0; i < rt->textures.count; i++)
        if (rt->textures.items[i]->handle == handle && rt->textures.items[i]->kind == kind)
            return rt->textures.items[i];
    return NULL;
}

static cudaError_t set_channels(struct runtime *rt, const struct cudaChannelFormatDesc *desc, struct simt_image *image)
{
    size_t texel = array_texel_bytes(desc);
    if (!texel)
        return runtime_refuse(rt, cudaErrorInvalidChannelDescriptor,
                              "channels of %d, %d, %d and %d bits are not supported", desc->x, desc->y, desc->z,
                              desc->w);
    image->channel_bytes = (uint8_t)(desc->x / 8);
    image->channels = (uint8_t)(texel / image->channel_bytes);
    image->format = desc->f == cudaChannelFormatKindFloat    ? SIMT_CHANNEL_FLOAT
                    : desc->f == cudaChannelFormatKindSigned ? SIMT_CHANNEL_SIGNED
                                                             : SIMT_CHANNEL_UNSIGNED;
    return cudaSuccess;
}

static cudaError_t set_array(struct runtime *rt, cudaArray_const_t array, struct simt_image *image)
{
    cudaError_t error = array_check(rt, array);
    if (error)
        return error;
    bool layers = array->flags & (cudaArrayLayered | cudaArrayCubemap);
    image->base = array->base;
    image->row = array->row;
    image->slice = array->slice;
    image->size[0] = (uint32_t)array->extent.width;
    image->size[1] = (uint32_t)array_rows(array);
    image->size[2] = layers ? 1 : (uint32_t)array_slices(array);
    image->layers = layers ? (uint32_t)array_slices(array) : 1;
    image->array_size = array->flags & cudaArrayLayered ? image->layers / (array->flags & cudaArrayCubemap ? 6 : 1) : 1;
    return set_channels(rt, &array->desc, image);
}

/* Memory that the program has allocated itself, in rows or in one. */
static cudaError_t set_memory(struct runtime *rt, const void *pointer, const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch, struct simt_image *image)
{
    uint64_t start, bytes, base = (uintptr_t)pointer, span;
    cudaError_t error = set_channels(rt, desc, image);
    if (error)
        return error;
    size_t texel = (size_t)image->channels * image->channel_bytes;
    if (!width || !height || width > UINT32_MAX || height > UINT32_MAX ||
        __builtin_mul_overflow((uint64_t)(height - 1), (uint64_t)pitch, &span) ||
        __builtin_add_overflow(span, (uint64_t)width * texel, &span))
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu x %zu is no size of a texture", width, height);
    if (!gpu_find_allocation(rt->gpu, base, &start, &bytes) || span > start + bytes - base)
        return runtime_refuse(rt, cudaErrorInvalidValue, "its memory does not lie in one allocation of device memory");
    if (base % texel || pitch % texel || (height > 1 && pitch < width * texel))
        return runtime_refuse(rt, cudaErrorMisalignedAddress,
                              "its memory, or its pitch, is not aligned to its elements");
    image->base = base;
    image->row = image->slice = pitch;
    image->size[0] = (uint32_t)width;
    image->size[1] = (uint32_t)height;
    image->size[2] = image->layers = image->array_size = 1;
    return cudaSuccess;
}

static cudaError_t set_resource(struct runtime *rt, const struct cudaResourceDesc *r, struct simt_image *image)
{
    switch (r->resType) {
    case cudaResourceTypeArray:
        return set_array(rt, r->res.array.array, image);
    case cudaResourceTypeLinear: {
        const struct cudaChannelFormatDesc *desc = &r->res.linear.desc;
        size_t texel = array_texel_bytes(desc);
        image->is_linear = 1;
        return set_memory(rt, r->res.linear.devPtr, desc, texel ? r->res.linear.sizeInBytes / texel : 0, 1, 0, image);
    }
    case cudaResourceTypePitch2D:
        return set_memory(rt, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width, r->res.pitch2D.height,
                          r->res.pitch2D.pitchInBytes, image);
    case cudaResourceTypeMipmappedArray:
        return runtime_refuse(rt, cudaErrorNotSupported, "mipmapped arrays are not supported");
    default:
        return runtime_refuse(rt, cudaErrorInvalidValue, "%d is no type of a resource", (int)r->resType);
    }
}

static cudaError_t set_texture(struct runtime *rt, const struct cudaTextureDesc *t, struct simt_image *image)
{
    bool integer = image->format != SIMT_CHANNEL_FLOAT, as_float = t->readMode == cudaReadModeNormalizedFloat;
    if (t->sRGB)
        return runtime_refuse(rt, cudaErrorNotSupported, "sRGB textures are not supported");
    if (integer && as_float && image->channel_bytes == 4)
        return runtime_refuse(rt, cudaErrorInvalidNormSetting,
                              "integers of 32 bits cannot be read as normalized numbers");
    if (integer && !as_float && t->filterMode == cudaFilterModeLinear)
        return runtime_refuse(rt, cudaErrorInvalidFilterSetting,
                              "integers cannot be filtered, unless they are read as numbers");
    for (unsigned d = 0; d < 3; d++) {
        if ((unsigned)t->addressMode[d] > cudaAddressModeBorder)
            return runtime_refuse(rt, cudaErrorInvalidValue, "%d is no address mode", (int)t->addressMode[d]);
        image->modes[d] = (uint8_t)t->addressMode[d];
    }
    image->filters = t->filterMode == cudaFilterModeLinear && !image->is_linear;
    image->as_float = integer && as_float;
    image->normalized = t->normalizedCoords && !image->is_linear;
    memcpy(image->border, t->borderColor, sizeof image->border);
    if (image->is_linear)
        memset(image->border, 0, sizeof image->border);
    return cudaSuccess;
}

cudaError_t texture_describe(struct runtime *rt, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *texture, struct simt_image *image)
{
    memset(image, 0, sizeof *image);
    cudaError_t error = set_resource(rt, resource, image);
    return error ? error : set_texture(rt, texture, image);
}

/* Puts a description into device memory. */
static cudaError_t make_object(struct runtime *rt, struct simt_image *image, const struct texture_record *like,
                               uint64_t *object)
{
    uint64_t handle = gpu_malloc(rt->gpu, SIMT_IMAGE_BYTES);
    gpu_label(rt->gpu, handle, rt->entry, NULL);
    image->kind = (uint8_t)like->kind;
    simt_image_seal(image, handle);
    cudaError_t error = replay_bytes(rt, handle, image, sizeof *image);
    if (error || !handle)
        return error ? error : cudaErrorMemoryAllocation;
    if (gpu_write(rt->gpu, handle, image, sizeof *image, NULL) < 0)
        return cudaErrorInvalidValue;
    struct texture_record *record = base_calloc(1, sizeof *record);
    *record = *like;
    record->handle = handle;
    vec_push(&rt->textures, record);
    *object = handle;
    return cudaSuccess;
}

static cudaError_t create_texture(struct runtime *rt, cudaTextureObject_t *object,
                                  const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture,
                                  const struct cudaResourceViewDesc *view)
{
    struct simt_image image;
    uint64_t handle = 0;
    if (!object || !resource || !texture)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the place for its result, or a description, is null");
    if (view && view->format != cudaResViewFormatNone)
        return runtime_refuse(rt, cudaErrorNotSupported, "views of another format are not supported");
    const struct texture_record record = {.kind = SIMT_IMAGE_TEXTURE, .resource = *resource, .texture = *texture};
    cudaError_t error = texture_describe(rt, resource, texture, &image);
    error = error ? error : flight_wait(rt);
    error = error ? error : make_object(rt, &image, &record, &handle);
    *object = handle;
    return error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    RUNTIME_CALL(create_texture(rt, object, resource, texture, view));
}

static cudaError_t create_surface(struct runtime *rt, cudaSurfaceObject_t *object,
                                  const struct cudaResourceDesc *resource)
{
    struct simt_image image;
    uint64_t handle = 0;
    memset(&image, 0, sizeof image);
    if (!object || !resource)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the place for its result, or the description, is null");
    if (resource->resType != cudaResourceTypeArray)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the resource of a surface is an array");
    const struct texture_record record = {.kind = SIMT_IMAGE_SURFACE, .resource = *resource};
    cudaError_t error = set_resource(rt, resource, &image);
    error = error ? error : flight_wait(rt);
    error = error ? error : make_object(rt, &image, &record, &handle);
    *object = handle;
    return error;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    RUNTIME_CALL(create_surface(rt, object, resource));
}

static cudaError_t destroy_object(struct runtime *rt, uint64_t handle, enum simt_image_kind kind)
{
    struct texture_record *record = find_record(rt, handle, kind);
    if (!handle)
        return cudaSuccess;
    if (!record)
        return runtime_refuse(rt, cudaErrorInvalidValue, "that is no such object, or one that was destroyed");
    cudaError_t error = flight_wait(rt);
    error = error ? error : replay_call(rt, handle, 0, 0);
    if (error)
        return error;
    gpu_free(rt->gpu, handle);
    for (size_t i = 0; i < rt->textures.count; i++)
        if (rt->textures.items[i] == record)
            rt->textures.items[i] = rt->textures.items[--rt->textures.count];
    free(record);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    RUNTIME_CALL(destroy_object(rt, object, SIMT_IMAGE_TEXTURE));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    RUNTIME_CALL(destroy_object(rt, object, SIMT_IMAGE_SURFACE));
}

static cudaError_t tell_object(struct runtime *rt, uint64_t handle, enum simt_image_kind kind,
                               struct cudaResourceDesc *resource, struct cudaTextureDesc *texture)
{
    const struct texture_record *record = find_record(rt, handle, kind);
    if (!record || (!resource && !texture))
        return cudaErrorInvalidValue;
    if (resource)
        *resource = record->resource;
    if (texture)
        *texture = record->texture;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *desc, cudaTextureObject_t object)
{
    RUNTIME_CALL(tell_object(rt, object, SIMT_IMAGE_TEXTURE, desc, NULL));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t object)
{
    RUNTIME_CALL(tell_object(rt, object, SIMT_IMAGE_TEXTURE, NULL, desc));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *desc, cudaSurfaceObject_t object)
{
    RUNTIME_CALL(tell_object(rt, object, SIMT_IMAGE_SURFACE, desc, NULL));
}

static cudaError_t linear_width(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    if (!width || !desc || !array_texel_bytes(desc))
        return cudaErrorInvalidValue;
    *width = (size_t)1 << 27;
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    RUNTIME_CALL(linear_width(width, desc, device));
}
