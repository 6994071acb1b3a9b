/* CUDA arrays, textures and surfaces. An array is device memory that only copies, textures and surfaces reach: its rows
 * lie one behind the other, each at a multiple of 32 bytes. */
#ifndef LOCKSTEP_CUDA_ARRAY_H
#define LOCKSTEP_CUDA_ARRAY_H

#include "cuda/runtime.h"

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent
        extent; /* as given: 0 for a dimension that it has not; depth: layers or faces, of those that have them */
    unsigned flags;
    uint64_t base;            /* device address */
    size_t texel, row, slice; /* bytes of an element; from one row, and from one slice or layer, to the next */
};

static inline size_t array_rows(const struct cudaArray *array)
{
    return array->extent.height ? array->extent.height : 1;
}
static inline size_t array_slices(const struct cudaArray *array)
{
    return array->extent.depth ? array->extent.depth : 1;
}
/* cudaErrorInvalidResourceHandle, with a word, for an array that is none, or none any more. */
cudaError_t array_check(struct runtime *rt, cudaArray_const_t array);
/* Bytes of an element; 0 when there are no such elements. */
size_t array_texel_bytes(const struct cudaChannelFormatDesc *desc);
/* The device goes: forgets arrays, textures and surfaces. */
void arrays_forget(struct runtime *rt);
void textures_forget(struct runtime *rt);

/* texture.c: the description of a texture, but for its mark. */
struct simt_image;
cudaError_t texture_describe(struct runtime *rt, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *texture, struct simt_image *image);

/* copy.c: the body of entry points that copy. entry: its name, for messages. */
cudaError_t copy_call(const char *entry, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async);

#endif
