/* CUDA arrays: allocation, queries, and the copies that name arrays. See array.h. */
#include "cuda/array.h"

#include <stdlib.h>

#define ROW_ALIGN 32

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

size_t array_texel_bytes(const struct cudaChannelFormatDesc *desc)
{
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    size_t channels = 0;
    while (channels < 4 && bits[channels])
        channels++;
    for (size_t i = 0; i < 4; i++)
        if (bits[i] != (i < channels ? bits[0] : 0))
            return 0;
    bool known = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    bool fits = (channels == 1 || channels == 2 || channels == 4) && (unsigned)desc->f <= cudaChannelFormatKindFloat &&
                !(desc->f == cudaChannelFormatKindFloat && bits[0] == 8);
    return known && fits ? channels * (size_t)bits[0] / 8 : 0;
}

cudaError_t array_check(struct runtime *rt, cudaArray_const_t array)
{
    for (size_t i = 0; i < rt->arrays.count; i++)
        if (rt->arrays.items[i] == array)
            return cudaSuccess;
    return runtime_refuse(rt, cudaErrorInvalidResourceHandle, "that is no array, or one that was freed");
}

void arrays_forget(struct runtime *rt)
{
    for (size_t i = 0; i < rt->arrays.count; i++)
        free(rt->arrays.items[i]);
    vec_free(&rt->arrays);
}

static cudaError_t check_array(struct runtime *rt, const struct cudaChannelFormatDesc *desc,
                               const struct cudaExtent *extent, unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    if (!array_texel_bytes(desc))
        return runtime_refuse(rt, cudaErrorInvalidChannelDescriptor,
                              "channels of %d, %d, %d and %d bits are not supported", desc->x, desc->y, desc->z,
                              desc->w);
    if (flags & ~known)
        return runtime_refuse(rt, cudaErrorNotSupported, "flags 0x%x are not supported", flags & ~known);
    bool cube = flags & cudaArrayCubemap, layered = flags & cudaArrayLayered;
    bool wrong = !extent->width || (extent->depth && !extent->height && !layered) ||
                 (cube && (extent->width != extent->height || (layered ? extent->depth % 6 : extent->depth != 6)));
    if (wrong || extent->width > 1u << 27 || extent->height > 1u << 20 || extent->depth > 1u << 20)
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu x %zu x %zu is no size of such an array", extent->width,
                              extent->height, extent->depth);
    return cudaSuccess;
}

static cudaError_t allocate(struct runtime *rt, cudaArray_t *result, const struct cudaChannelFormatDesc *desc,
                            struct cudaExtent extent, unsigned flags)
{
    if (!result || !desc)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the place for its result, or the channels, are null");
    *result = NULL;
    cudaError_t error = check_array(rt, desc, &extent, flags);
    if (error)
        return error;
    struct cudaArray array = {.desc = *desc, .extent = extent, .flags = flags, .texel = array_texel_bytes(desc)};
    size_t bytes;
    array.row = (extent.width * array.texel + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    array.slice = array.row * array_rows(&array);
    if (__builtin_mul_overflow(array.slice, array_slices(&array), &bytes))
        return cudaErrorMemoryAllocation;
    array.base = gpu_malloc(rt->gpu, bytes);
    gpu_label(rt->gpu, array.base, rt->entry, NULL);
    error = replay_call(rt, bytes, array.base, flags);
    if (error || !array.base)
        return error ? error
                     : runtime_refuse(rt, cudaErrorMemoryAllocation, "%zu bytes of device memory cannot be allocated",
                                      bytes);
    struct cudaArray *made = base_calloc(1, sizeof *made);
    *made = array;
    vec_push(&rt->arrays, made);
    *result = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
    RUNTIME_CALL(allocate(rt, array, desc, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    RUNTIME_CALL(allocate(rt, array, desc, extent, flags));
}

static cudaError_t free_array(struct runtime *rt, cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    cudaError_t error = array_check(rt, array);
    error = error ? error : flight_wait(rt);
    error = error ? error : replay_call(rt, array->base, 0, 0);
    if (error)
        return error;
    gpu_free(rt->gpu, array->base);
    for (size_t i = 0; i < rt->arrays.count; i++)
        if (rt->arrays.items[i] == array)
            rt->arrays.items[i] = rt->arrays.items[--rt->arrays.count];
    free(array);
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RUNTIME_CALL(free_array(rt, array));
}

static cudaError_t array_info(struct runtime *rt, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                              unsigned *flags, cudaArray_const_t array)
{
    cudaError_t error = array_check(rt, array);
    if (error)
        return error;
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    RUNTIME_CALL(array_info(rt, desc, extent, flags, array));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    RUNTIME_CALL(array_info(rt, desc, NULL, NULL, array));
}

/* ---- copies ---- */

/* Of copies to and from arrays, what their parameters say in bytes becomes elements. */
static cudaError_t count_elements(struct runtime *rt, cudaArray_const_t array, size_t bytes, size_t *elements)
{
    cudaError_t error = array_check(rt, array);
    if (error)
        return error;
    *elements = bytes / array->texel;
    return bytes % array->texel ? runtime_refuse(rt, cudaErrorInvalidValue, "%zu bytes are no whole elements of %zu",
                                                 bytes, array->texel)
                                : cudaSuccess;
}

static cudaError_t in_elements(const char *entry, cudaArray_const_t array, size_t bytes, size_t *elements)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    rt->entry = entry;
    return runtime_unlock(rt, error ? error : count_elements(rt, array, bytes, elements));
}

/* A block of rows between an array and memory. */
struct block {
    cudaArray_t array;
    size_t x, y; /* where it begins in the array: bytes, rows */
    void *memory;
    size_t pitch, width, rows; /* bytes, bytes, rows */
    bool to_array;
    enum cudaMemcpyKind kind;
};

static cudaError_t copy_block(const char *entry, const struct block *b, cudaStream_t stream, bool async)
{
    struct cudaPos at = {0, b->y, 0};
    struct cudaExtent extent = {0, b->rows, 1};
    cudaError_t error = in_elements(entry, b->array, b->x, &at.x);
    error = error ? error : in_elements(entry, b->array, b->width, &extent.width);
    if (error)
        return error;
    struct cudaPitchedPtr memory = {b->memory, b->pitch, b->width, b->rows};
    struct cudaMemcpy3DParms p = {.extent = extent, .kind = b->kind};
    if (b->to_array) {
        p.dstArray = b->array, p.dstPos = at, p.srcPtr = memory;
    } else {
        p.srcArray = b->array, p.srcPos = at, p.dstPtr = memory;
    }
    return copy_call(entry, &p, stream, async);
}

/* Bytes of rows that follow each other without a gap, from a place in an array on: the rest of a row, whole rows, and a
 * part of the last. */
static cudaError_t copy_run(const char *entry, struct block *b, size_t bytes, cudaStream_t stream, bool async)
{
    size_t ignored;
    cudaError_t error = in_elements(entry, b->array, bytes, &ignored);
    if (error)
        return error;
    size_t row = b->array->extent.width * b->array->texel;
    while (bytes && !error) {
        bool whole = b->x == 0 && bytes >= row;
        b->rows = whole ? bytes / row : 1;
        b->width = whole ? row : bytes < row - b->x ? bytes : row - b->x;
        b->pitch = b->width;
        if (b->x >= row)
            b->width = bytes; /* refused */
        error = copy_block(entry, b, stream, async);
        b->memory = (char *)b->memory + b->width * b->rows;
        b->y += b->rows;
        b->x = 0;
        bytes -= b->width * b->rows;
    }
    return error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    struct block b = {to, x, y, (void *)(uintptr_t)from, pitch, width, height, true, kind};
    return copy_block(__func__, &b, NULL, false);
}
ALSO_PER_THREAD(cudaMemcpy2DToArray, ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct block b = {to, x, y, (void *)(uintptr_t)from, pitch, width, height, true, kind};
    return copy_block(__func__, &b, stream, true);
}
ALSO_PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    struct block b = {(cudaArray_t)(uintptr_t)from, x, y, to, pitch, width, height, false, kind};
    return copy_block(__func__, &b, NULL, false);
}
ALSO_PER_THREAD(cudaMemcpy2DFromArray, ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct block b = {(cudaArray_t)(uintptr_t)from, x, y, to, pitch, width, height, false, kind};
    return copy_block(__func__, &b, stream, true);
}
ALSO_PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz);

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    struct block b = {.array = to, .x = x, .y = y, .memory = (void *)(uintptr_t)from, .to_array = true, .kind = kind};
    return copy_run(__func__, &b, bytes, NULL, false);
}
ALSO_PER_THREAD(cudaMemcpyToArray, ptds);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct block b = {.array = to, .x = x, .y = y, .memory = (void *)(uintptr_t)from, .to_array = true, .kind = kind};
    return copy_run(__func__, &b, bytes, stream, true);
}
ALSO_PER_THREAD(cudaMemcpyToArrayAsync, ptsz);

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    struct block b = {.array = (cudaArray_t)(uintptr_t)from, .x = x, .y = y, .memory = to, .kind = kind};
    return copy_run(__func__, &b, bytes, NULL, false);
}
ALSO_PER_THREAD(cudaMemcpyFromArray, ptds);

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct block b = {.array = (cudaArray_t)(uintptr_t)from, .x = x, .y = y, .memory = to, .kind = kind};
    return copy_run(__func__, &b, bytes, stream, true);
}
ALSO_PER_THREAD(cudaMemcpyFromArrayAsync, ptsz);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {.srcArray = (cudaArray_t)(uintptr_t)from,
                                  .srcPos = {0, from_y, 0},
                                  .dstArray = to,
                                  .dstPos = {0, to_y, 0},
                                  .extent = {0, height, 1},
                                  .kind = kind};
    cudaError_t error = in_elements(__func__, to, to_x, &p.dstPos.x);
    error = error ? error : in_elements(__func__, from, from_x, &p.srcPos.x);
    error = error ? error : in_elements(__func__, from, width, &p.extent.width);
    return error ? error : copy_call(__func__, &p, NULL, false);
}
ALSO_PER_THREAD(cudaMemcpy2DArrayToArray, ptds);

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t bytes, enum cudaMemcpyKind kind)
{
    size_t ignored;
    cudaError_t error = in_elements(__func__, from, bytes, &ignored);
    if (error)
        return error;
    size_t row = from->extent.width * from->texel;
    bool rows = from_x == 0 && to_x == 0 && bytes % row == 0;
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, rows ? row : bytes, rows ? bytes / row : 1,
                                    kind);
}
ALSO_PER_THREAD(cudaMemcpyArrayToArray, ptds);
