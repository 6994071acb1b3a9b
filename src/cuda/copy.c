/* Copies and fills. They take effect at once and take no simulated time. Which side is the device's is decided by the
 * addresses; a kind that contradicts them is an error, as on a real device. Rows of 2D and 3D copies go one by one. */
#include <string.h>

#include "cuda/runtime.h"

static bool on_device(const struct runtime *rt, const void *pointer)
{
    uint64_t start, bytes;
    return gpu_find_allocation(rt->gpu, (uintptr_t)pointer, &start, &bytes);
}

/* Whether a pointer may stand where the kind says device or host. Pinned and managed memory may stand for either. */
static bool agrees(const struct runtime *rt, const void *pointer, bool device, bool claimed_device)
{
    if (device == claimed_device)
        return true;
    const struct special_block *special = special_find(rt, pointer);
    return device && special && special->in_device;
}

static cudaError_t check_kind(const struct runtime *rt, const void *to, const void *from, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool good = agrees(rt, to, on_device(rt, to), to_device) && agrees(rt, from, on_device(rt, from), from_device);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* Out of the device to memory that the host can read without asking: what comes depends on what kernels computed. */
static cudaError_t fetch(struct runtime *rt, void *to, uint64_t from, size_t bytes, bool to_device)
{
    cudaError_t error;
    if (replay_fetch(rt, to, from, bytes, &error))
        return error;
    int rc = to_device ? gpu_copy(rt->gpu, (uintptr_t)to, from, bytes, NULL) : gpu_read(rt->gpu, to, from, bytes, NULL);
    if (rc < 0)
        return cudaErrorInvalidValue;
    replay_fetched(rt, to, from, bytes);
    return cudaSuccess;
}

/* Copies bytes whose kind was checked. */
static cudaError_t move(struct runtime *rt, void *to, const void *from, size_t bytes)
{
    uint64_t target = (uintptr_t)to, source = (uintptr_t)from;
    bool to_device = on_device(rt, to), from_device = on_device(rt, from);
    const struct special_block *special = special_find(rt, to);
    int rc = 0;
    if (from_device && (!to_device || (special && special->in_device)))
        return fetch(rt, to, source, bytes, to_device);
    cudaError_t error = from_device ? replay_call(rt, target, source, bytes)
                        : to_device ? replay_bytes(rt, target, from, bytes)
                                    : cudaSuccess;
    if (error)
        return error;
    if (to_device && from_device)
        rc = gpu_copy(rt->gpu, target, source, bytes, NULL);
    else if (to_device)
        rc = gpu_write(rt->gpu, target, from, bytes, NULL);
    else
        memmove(to, from, bytes);
    return rc < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t copy_bytes(struct runtime *rt, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!to || !from)
        return cudaErrorInvalidValue;
    cudaError_t error = check_kind(rt, to, from, kind);
    return error ? error : move(rt, to, from, bytes);
}

/* A block of `rows` rows in each of `slices` slices; pitches in bytes. */
struct shape {
    size_t width, rows, slices;
    size_t to_pitch, from_pitch, to_slice, from_slice;
};

static cudaError_t copy_shape(struct runtime *rt, void *to, const void *from, const struct shape *shape,
                              enum cudaMemcpyKind kind)
{
    if (shape->width == 0 || shape->rows == 0 || shape->slices == 0)
        return cudaSuccess;
    if (!to || !from)
        return cudaErrorInvalidValue;
    if (shape->width > shape->to_pitch || shape->width > shape->from_pitch)
        return cudaErrorInvalidPitchValue;
    cudaError_t error = check_kind(rt, to, from, kind);
    for (size_t z = 0; z < shape->slices && !error; z++)
        for (size_t y = 0; y < shape->rows && !error; y++)
            error = move(rt, (char *)to + z * shape->to_slice + y * shape->to_pitch,
                         (const char *)from + z * shape->from_slice + y * shape->from_pitch, shape->width);
    return error;
}

/* For the forms that name a stream: its handle must be known. */
static cudaError_t in_stream(const struct runtime *rt, cudaStream_t stream)
{
    return stream_known(rt, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* RUNTIME_CALL with the stream checked first. */
#define STREAM_CALL(stream, call)                                                                                      \
    struct runtime *rt = runtime_lock();                                                                               \
    cudaError_t error_ = runtime_ready(rt);                                                                            \
    rt->entry = __func__;                                                                                              \
    error_ = error_ ? error_ : in_stream(rt, (stream));                                                                \
    return runtime_unlock(rt, error_ ? error_ : (call))

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(copy_bytes(rt, to, from, bytes, kind));
}
ALSO_PER_THREAD(cudaMemcpy, ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    STREAM_CALL(stream, copy_bytes(rt, to, from, bytes, kind));
}
ALSO_PER_THREAD(cudaMemcpyAsync, ptsz);

static cudaError_t copy_peer(struct runtime *rt, void *to, int to_device, const void *from, int from_device,
                             size_t bytes)
{
    if (to_device != 0 || from_device != 0)
        return cudaErrorInvalidDevice;
    return copy_bytes(rt, to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    RUNTIME_CALL(copy_peer(rt, to, to_device, from, from_device, bytes));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    STREAM_CALL(stream, copy_peer(rt, to, to_device, from, from_device, bytes));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    struct shape shape = {width, height, 1, to_pitch, from_pitch, 0, 0};
    RUNTIME_CALL(copy_shape(rt, to, from, &shape, kind));
}
ALSO_PER_THREAD(cudaMemcpy2D, ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct shape shape = {width, height, 1, to_pitch, from_pitch, 0, 0};
    STREAM_CALL(stream, copy_shape(rt, to, from, &shape, kind));
}
ALSO_PER_THREAD(cudaMemcpy2DAsync, ptsz);

static const char *at_position(const struct cudaPitchedPtr *p, const struct cudaPos *position)
{
    if (!p->ptr)
        return NULL;
    return (const char *)p->ptr + position->z * p->pitch * p->ysize + position->y * p->pitch + position->x;
}

static cudaError_t copy_3d(struct runtime *rt, const struct cudaMemcpy3DParms *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray)
        return cudaErrorNotSupported;
    struct shape shape = {
        .width = p->extent.width,
        .rows = p->extent.height,
        .slices = p->extent.depth,
        .to_pitch = p->dstPtr.pitch,
        .from_pitch = p->srcPtr.pitch,
        .to_slice = p->dstPtr.pitch * p->dstPtr.ysize,
        .from_slice = p->srcPtr.pitch * p->srcPtr.ysize,
    };
    void *to = (void *)(uintptr_t)at_position(&p->dstPtr, &p->dstPos);
    return copy_shape(rt, to, at_position(&p->srcPtr, &p->srcPos), &shape, p->kind);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    RUNTIME_CALL(copy_3d(rt, p));
}
ALSO_PER_THREAD(cudaMemcpy3D, ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    STREAM_CALL(stream, copy_3d(rt, p));
}
ALSO_PER_THREAD(cudaMemcpy3DAsync, ptsz);

/* ---- fills ---- */

static cudaError_t fill(struct runtime *rt, void *to, int value, const struct shape *shape)
{
    if (shape->width == 0 || shape->rows == 0 || shape->slices == 0)
        return cudaSuccess;
    if ((shape->rows > 1 || shape->slices > 1) && shape->width > shape->to_pitch)
        return cudaErrorInvalidPitchValue;
    for (size_t z = 0; z < shape->slices; z++)
        for (size_t y = 0; y < shape->rows; y++) {
            uint64_t row = (uintptr_t)to + z * shape->to_slice + y * shape->to_pitch;
            cudaError_t error = replay_call(rt, row, (uint8_t)value, shape->width);
            if (error)
                return error;
            if (gpu_fill(rt->gpu, row, (uint8_t)value, shape->width, NULL) < 0)
                return cudaErrorInvalidValue;
        }
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    struct shape shape = {.width = bytes, .rows = 1, .slices = 1};
    RUNTIME_CALL(fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset, ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    struct shape shape = {.width = bytes, .rows = 1, .slices = 1};
    STREAM_CALL(stream, fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemsetAsync, ptsz);

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch};
    RUNTIME_CALL(fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset2D, ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch};
    STREAM_CALL(stream, fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset2DAsync, ptsz);

static struct shape shape_3d(const struct cudaPitchedPtr *to, struct cudaExtent extent)
{
    return (struct shape){.width = extent.width,
                          .rows = extent.height,
                          .slices = extent.depth,
                          .to_pitch = to->pitch,
                          .to_slice = to->pitch * to->ysize};
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    struct shape shape = shape_3d(&to, extent);
    RUNTIME_CALL(fill(rt, to.ptr, value, &shape));
}
ALSO_PER_THREAD(cudaMemset3D, ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    struct shape shape = shape_3d(&to, extent);
    STREAM_CALL(stream, fill(rt, to.ptr, value, &shape));
}
ALSO_PER_THREAD(cudaMemset3DAsync, ptsz);

/* ---- symbols ---- */

static cudaError_t symbol_range(struct runtime *rt, const void *symbol, size_t bytes, size_t offset, void **address)
{
    uint64_t start, size;
    cudaError_t error = variable_find(rt, symbol, &start, &size);
    if (error)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    *address = (void *)(uintptr_t)(start + offset);
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(struct runtime *rt, const void *symbol, const void *from, size_t bytes, size_t offset,
                                  enum cudaMemcpyKind kind)
{
    void *to;
    cudaError_t error = symbol_range(rt, symbol, bytes, offset, &to);
    return error ? error : copy_bytes(rt, to, from, bytes, kind);
}

static cudaError_t copy_from_symbol(struct runtime *rt, void *to, const void *symbol, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    void *from;
    cudaError_t error = symbol_range(rt, symbol, bytes, offset, &from);
    return error ? error : copy_bytes(rt, to, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(copy_to_symbol(rt, symbol, from, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyToSymbol, ptds);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(copy_from_symbol(rt, to, symbol, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyFromSymbol, ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    STREAM_CALL(stream, copy_to_symbol(rt, symbol, from, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    STREAM_CALL(stream, copy_from_symbol(rt, to, symbol, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz);

static cudaError_t symbol_address(struct runtime *rt, void **address, const void *symbol)
{
    return address ? symbol_range(rt, symbol, 0, 0, address) : cudaErrorInvalidValue;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    RUNTIME_CALL(symbol_address(rt, address, symbol));
}

static cudaError_t symbol_size(struct runtime *rt, size_t *size, const void *symbol)
{
    uint64_t start, bytes;
    cudaError_t error = size ? variable_find(rt, symbol, &start, &bytes) : cudaErrorInvalidValue;
    if (!error)
        *size = bytes;
    return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    RUNTIME_CALL(symbol_size(rt, size, symbol));
}
