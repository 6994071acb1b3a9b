/* Texture references of programs before CUDA 12: variables of the module that are textures' descriptions themselves.
 * Binding one writes its description. */
#include <string.h>

#include "cuda/array.h"
#include "simt/image.h"

static cudaError_t find(struct runtime *rt, const struct textureReference *t, const struct texture_reference **found)
{
    for (size_t i = rt->references.count; i-- > 0;)
        if (rt->references.items[i].host == t) {
            *found = &rt->references.items[i];
            return cudaSuccess;
        }
    return runtime_refuse(rt, cudaErrorInvalidTexture, "that is no texture reference of this program");
}

static cudaError_t write_description(struct runtime *rt, const struct textureReference *t, struct simt_image *image)
{
    uint64_t address, bytes;
    cudaError_t error = variable_find(rt, t, &address, &bytes);
    if (error || bytes < SIMT_IMAGE_BYTES)
        return error ? error : cudaErrorInvalidTexture;
    if (image->kind)
        simt_image_seal(image, address);
    else
        image->mark = 0;
    error = flight_wait(rt);
    error = error ? error : replay_bytes(rt, address, image, sizeof *image);
    if (error)
        return error;
    return gpu_write(rt->gpu, address, image, sizeof *image, NULL) < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t bind(struct runtime *rt, const struct textureReference *t, const struct cudaResourceDesc *resource)
{
    struct simt_image image;
    const struct texture_reference *reference = NULL;
    cudaError_t error = find(rt, t, &reference);
    if (error)
        return error;
    struct cudaTextureDesc texture = {.filterMode = t->filterMode,
                                      .readMode =
                                          reference->as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                                      .sRGB = t->sRGB,
                                      .normalizedCoords = t->normalized};
    memcpy(texture.addressMode, t->addressMode, sizeof texture.addressMode);
    error = texture_describe(rt, resource, &texture, &image);
    image.kind = SIMT_IMAGE_TEXTURE;
    return error ? error : write_description(rt, t, &image);
}

static cudaError_t bind_linear(struct runtime *rt, size_t *offset, const struct textureReference *t,
                               const void *pointer, const struct cudaChannelFormatDesc *desc, size_t size)
{
    uint64_t start, bytes, address = (uintptr_t)pointer;
    if (!t || !desc || !gpu_find_allocation(rt->gpu, address, &start, &bytes))
        return runtime_refuse(rt, cudaErrorInvalidValue, "a texture is bound to device memory");
    size_t texel = array_texel_bytes(desc), rest = (size_t)(start + bytes - address);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = (void *)(uintptr_t)pointer;
    resource.res.linear.desc = *desc;
    resource.res.linear.sizeInBytes = size < rest ? size : texel ? rest / texel * texel : rest;
    if (offset)
        *offset = 0;
    return bind(rt, t, &resource);
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t size)
{
    RUNTIME_CALL(bind_linear(rt, offset, t, pointer, desc, size));
}

static cudaError_t bind_rows(struct runtime *rt, size_t *offset, const struct textureReference *t,
                             const struct cudaResourceDesc *resource)
{
    if (offset)
        *offset = 0;
    return t ? bind(rt, t, resource) : cudaErrorInvalidTexture;
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = (void *)(uintptr_t)pointer;
    if (desc)
        resource.res.pitch2D.desc = *desc;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    RUNTIME_CALL(bind_rows(rt, offset, t, &resource));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    (void)desc; /* the array's own */
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = (cudaArray_t)(uintptr_t)array;
    RUNTIME_CALL(bind_rows(rt, NULL, t, &resource));
}

static cudaError_t unbind(struct runtime *rt, const struct textureReference *t)
{
    struct simt_image none;
    const struct texture_reference *reference = NULL;
    memset(&none, 0, sizeof none);
    cudaError_t error = find(rt, t, &reference);
    return error ? error : write_description(rt, t, &none);
}

cudaError_t cudaUnbindTexture(const struct textureReference *t)
{
    RUNTIME_CALL(unbind(rt, t));
}

static cudaError_t offset_of(struct runtime *rt, size_t *offset, const struct textureReference *t)
{
    const struct texture_reference *reference = NULL;
    cudaError_t error = offset ? find(rt, t, &reference) : cudaErrorInvalidValue;
    if (!error)
        *offset = 0;
    return error;
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t)
{
    RUNTIME_CALL(offset_of(rt, offset, t));
}

static cudaError_t reference_of(struct runtime *rt, const struct textureReference **t, const void *symbol)
{
    const struct texture_reference *reference = NULL;
    cudaError_t error = t ? find(rt, symbol, &reference) : cudaErrorInvalidValue;
    if (!error)
        *t = reference->host;
    return error;
}

cudaError_t cudaGetTextureReference(const struct textureReference **t, const void *symbol)
{
    RUNTIME_CALL(reference_of(rt, t, symbol));
}
