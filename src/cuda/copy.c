/* Copies and fills. They take effect at once and take no simulated time. Which side is the device's is decided by the
 * addresses; a kind that contradicts them is an error, as on a real device. Rows of 2D and 3D copies go one by one. */
#include <stdlib.h>
#include <string.h>

#include "cuda/array.h"
#include "cuda/graph.h"

/* A block of `rows` rows in each of `slices` slices; pitches in bytes. */
struct shape {
    size_t width, rows, slices;
    size_t to_pitch, from_pitch, to_slice, from_slice;
    unsigned element; /* of a fill: bytes of its value, 0 is 1 */
};

/* The host waits for a synchronous copy or fill, and so for all that comes before it. */
static void note_order(struct runtime *rt)
{
    order_work(rt, rt->stream);
    if (!rt->may_put_off)
        order_synchronize(rt, rt->stream, NULL);
}

/* RUNTIME_CALL of a copy or fill in a stream, which is checked first. */
#define COPY_CALL(to_stream, async, call)                                                                              \
    struct runtime *rt = runtime_lock();                                                                               \
    cudaError_t error_ = runtime_ready(rt);                                                                            \
    rt->entry = runtime_entry(rt, __func__);                                                                           \
    error_ = error_ ? error_ : stream_check(rt, (to_stream));                                                          \
    rt->stream = (to_stream);                                                                                          \
    rt->may_put_off = (async);                                                                                         \
    error_ = error_ ? error_ : (call);                                                                                 \
    if (!error_)                                                                                                       \
        note_order(rt);                                                                                                \
    return runtime_unlock(rt, error_)
#define SYNC_CALL(call) COPY_CALL(NULL, false, call)
#define STREAM_CALL(stream, call) COPY_CALL(stream, true, call)

static bool on_device(const struct runtime *rt, const void *pointer)
{
    uint64_t start, bytes;
    return gpu_find_allocation(rt->gpu, (uintptr_t)pointer, &start, &bytes);
}

static bool span_of(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *span)
{
    size_t down, across;
    return !__builtin_mul_overflow(rows - 1, pitch, &down) && !__builtin_mul_overflow(slices - 1, slice, &across) &&
           !__builtin_add_overflow(width, down, span) && !__builtin_add_overflow(*span, across, span);
}

#define HOST_END (UINT64_C(1) << 57) /* no host has addresses beyond */

/* From a copy's first byte to its last must lie in one allocation, or all of it in the host's memory: rows that reach
 * into the next allocation would change it. side: "to" or "from". */
static cudaError_t check_span(struct runtime *rt, const char *side, const void *pointer, size_t span)
{
    uint64_t address = (uintptr_t)pointer, start, bytes;
    if (gpu_find_allocation(rt->gpu, address, &start, &bytes)) {
        if (span <= start + bytes - address)
            return cudaSuccess;
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "%s 0x%llx: %zu bytes from there, rows and pitches counted, but the allocation has %llu",
                              side, (unsigned long long)address, span, (unsigned long long)(start + bytes - address));
    }
    if (gpu_is_memory(rt->gpu, address) || address >= HOST_END)
        return runtime_refuse(rt, cudaErrorInvalidValue, "%s 0x%llx: no allocation is there, or none any more", side,
                              (unsigned long long)address);
    if (span > HOST_END - address)
        return runtime_refuse(rt, cudaErrorInvalidValue, "%s host memory: %zu bytes from there go beyond all memory",
                              side, span);
    return cudaSuccess;
}

/* True if the pointer may stand where the kind says device or host. Pinned and managed memory may stand for either. */
static bool agrees(const struct runtime *rt, const void *pointer, bool claimed_device)
{
    bool device = on_device(rt, pointer);
    if (device == claimed_device)
        return true;
    const struct special_block *special = special_find(rt, pointer);
    return device && special && special->in_device;
}

static cudaError_t check_kind(struct runtime *rt, const void *to, const void *from, enum cudaMemcpyKind kind)
{
    static const char *const names[] = {"host", "device"};
    if ((unsigned)kind > cudaMemcpyDefault)
        return runtime_refuse(rt, cudaErrorInvalidMemcpyDirection, "%d is no direction of a copy", (int)kind);
    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!agrees(rt, to, to_device))
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "the direction says %s memory, but what is to be written is none", names[to_device]);
    if (!agrees(rt, from, from_device))
        return runtime_refuse(rt, cudaErrorInvalidValue, "the direction says %s memory, but what is to be read is none",
                              names[from_device]);
    return cudaSuccess;
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

/* Copies bytes whose kind and range were checked. */
static cudaError_t move(struct runtime *rt, void *to, const void *from, size_t bytes)
{
    uint64_t target = (uintptr_t)to, source = (uintptr_t)from;
    bool to_device = on_device(rt, to), from_device = on_device(rt, from);
    const struct special_block *special = special_find(rt, to);
    int rc = 0;
    rt->written += to_device;
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

/* All that can be wrong with a copy, before its first byte. */
static cudaError_t check_copy(struct runtime *rt, const void *to, const void *from, const struct shape *s,
                              enum cudaMemcpyKind kind)
{
    size_t to_span, from_span;
    if (!to || !from)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer to what is to be %s is null",
                              to ? "read" : "written");
    if (s->width > s->to_pitch || s->width > s->from_pitch)
        return runtime_refuse(rt, cudaErrorInvalidPitchValue, "rows of %zu bytes are wider than the pitch, %zu",
                              s->width, s->width > s->to_pitch ? s->to_pitch : s->from_pitch);
    if (!span_of(s->width, s->rows, s->slices, s->to_pitch, s->to_slice, &to_span) ||
        !span_of(s->width, s->rows, s->slices, s->from_pitch, s->from_slice, &from_span))
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu slices of %zu rows are more than all memory", s->slices,
                              s->rows);
    cudaError_t error = check_span(rt, "to", to, to_span);
    if (!error)
        error = check_span(rt, "from", from, from_span);
    return error ? error : check_kind(rt, to, from, kind);
}

static cudaError_t copy_rows(struct runtime *rt, void *to, const void *from, const struct shape *shape)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < shape->slices && !error; z++)
        for (size_t y = 0; y < shape->rows && !error; y++)
            error = move(rt, (char *)to + z * shape->to_slice + y * shape->to_pitch,
                         (const char *)from + z * shape->from_slice + y * shape->from_pitch, shape->width);
    return error;
}

/* A copy or a fill that is put off until the kernel under way has ended. */
struct later_copy {
    void *to;
    const void *from; /* NULL: a fill with value, or from what is kept here */
    struct shape shape;
    int value;
    uint8_t kept[];
};

static cudaError_t copy_later(struct runtime *rt, void *data, bool off)
{
    struct later_copy *later = data;
    cudaError_t error =
        off ? cudaSuccess : copy_rows(rt, later->to, later->from ? later->from : later->kept, &later->shape);
    free(data);
    return error;
}

/* Memory that the program must leave alone until an asynchronous copy has ended: the device's, or pinned. */
static bool is_lasting(const struct runtime *rt, const void *pointer)
{
    return on_device(rt, pointer) || special_find(rt, pointer);
}

/* Puts a copy off. From other memory than that, its one row is kept here; to other memory, or from rows of it, the
 * program is made to wait. */
static cudaError_t put_off(struct runtime *rt, void *to, const void *from, const struct shape *shape)
{
    bool keep = !is_lasting(rt, from);
    if (!rt->may_put_off || !is_lasting(rt, to) || (keep && (shape->rows > 1 || shape->slices > 1))) {
        cudaError_t error = flight_wait(rt);
        return error ? error : copy_rows(rt, to, from, shape);
    }
    struct later_copy *later = base_calloc(1, sizeof *later + (keep ? shape->width : 0));
    *later = (struct later_copy){.to = to, .from = keep ? NULL : from, .shape = *shape};
    if (keep)
        memcpy(later->kept, from, shape->width);
    return flight_defer(rt, rt->stream, copy_later, later);
}

static cudaError_t copy_shape(struct runtime *rt, void *to, const void *from, const struct shape *shape,
                              enum cudaMemcpyKind kind)
{
    if (shape->width == 0 || shape->rows == 0 || shape->slices == 0)
        return cudaSuccess;
    cudaError_t error = check_copy(rt, to, from, shape, kind);
    if (!error && flight_before(rt, rt->stream))
        return put_off(rt, to, from, shape);
    rt->may_put_off &= is_lasting(rt, to); /* the call returns when it is done */
    return error ? error : copy_rows(rt, to, from, shape);
}

/* Both sides by address. */
static cudaError_t copy_bytes(struct runtime *rt, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const struct shape row = {.width = bytes, .rows = 1, .slices = 1, .to_pitch = bytes, .from_pitch = bytes};
    return copy_shape(rt, to, from, &row, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    SYNC_CALL(copy_bytes(rt, to, from, bytes, kind));
}
ALSO_PER_THREAD(cudaMemcpy, ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct cudaMemcpy3DParms p = graph_copy_1d(to, from, bytes, kind);
    cudaError_t captured;
    if (capture_copy(stream, &p, &captured))
        return captured;
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
    SYNC_CALL(copy_peer(rt, to, to_device, from, from_device, bytes));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    struct cudaMemcpy3DParms p = graph_copy_1d(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaError_t captured;
    if (capture_copy(stream, &p, &captured))
        return captured;
    STREAM_CALL(stream, copy_peer(rt, to, to_device, from, from_device, bytes));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    struct shape shape = {width, height, 1, to_pitch, from_pitch, 0, 0, 0};
    SYNC_CALL(copy_shape(rt, to, from, &shape, kind));
}
ALSO_PER_THREAD(cudaMemcpy2D, ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
                                  .dstPtr = {to, to_pitch, width, height},
                                  .extent = {width, height, 1},
                                  .kind = kind};
    cudaError_t captured;
    if (capture_copy(stream, &p, &captured))
        return captured;
    struct shape shape = {width, height, 1, to_pitch, from_pitch, 0, 0, 0};
    STREAM_CALL(stream, copy_shape(rt, to, from, &shape, kind));
}
ALSO_PER_THREAD(cudaMemcpy2DAsync, ptsz);

/* Where a block begins inside pitched memory. It must lie in the rows that the pitch and the height give room to. */
static cudaError_t at_position(struct runtime *rt, const struct cudaPitchedPtr *p, const struct cudaPos *at,
                               const struct cudaExtent *extent, void **pointer)
{
    size_t slice, down, below, offset, width, rows;
    *pointer = NULL;
    if (__builtin_mul_overflow(p->pitch, p->ysize, &slice) || __builtin_mul_overflow(slice, at->z, &down) ||
        __builtin_mul_overflow(p->pitch, at->y, &below) || __builtin_add_overflow(down, below, &offset) ||
        __builtin_add_overflow(offset, at->x, &offset) || offset > UINTPTR_MAX - (uintptr_t)p->ptr ||
        __builtin_add_overflow(at->x, extent->width, &width) || __builtin_add_overflow(at->y, extent->height, &rows))
        return runtime_refuse(rt, cudaErrorInvalidValue, "a position or an extent goes beyond all memory");
    if (width > p->pitch)
        return runtime_refuse(rt, cudaErrorInvalidPitchValue, "%zu bytes from column %zu do not fit the pitch, %zu",
                              extent->width, at->x, p->pitch);
    if (extent->depth > 1 && rows > p->ysize)
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu rows from row %zu do not fit the height (ysize), %zu",
                              extent->height, at->y, p->ysize);
    if (p->ptr)
        *pointer = (char *)p->ptr + offset;
    return cudaSuccess;
}

/* One side of a copy in three dimensions. */
struct side {
    void *start;
    size_t pitch, slice;
};

/* A block in an array; extent and position are elements. */
static cudaError_t in_array(struct runtime *rt, cudaArray_const_t array, const struct cudaPos *at,
                            const struct cudaExtent *extent, struct side *side)
{
    cudaError_t error = array_check(rt, array);
    if (error)
        return error;
    size_t rows = array_rows(array), slices = array_slices(array);
    if (at->x > array->extent.width || extent->width > array->extent.width - at->x || at->y > rows ||
        extent->height > rows - at->y || at->z > slices || extent->depth > slices - at->z)
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "%zu x %zu x %zu elements from (%zu, %zu, %zu) on are not all in an array of %zu x %zu x %zu",
                              extent->width, extent->height, extent->depth, at->x, at->y, at->z, array->extent.width, rows,
                              slices);
    *side = (struct side){(void *)(uintptr_t)(array->base + at->z * array->slice + at->y * array->row + at->x * array->texel),
                          array->row, array->slice};
    return cudaSuccess;
}

static cudaError_t in_memory(struct runtime *rt, const struct cudaPitchedPtr *p, const struct cudaPos *at,
                             const struct cudaExtent *extent, struct side *side)
{
    side->pitch = p->pitch;
    side->slice = p->pitch * p->ysize;
    return at_position(rt, p, at, extent, &side->start);
}

/* Bytes of an element: those of the arrays that take part. */
static cudaError_t element_bytes(struct runtime *rt, const struct cudaMemcpy3DParms *p, size_t *bytes)
{
    cudaError_t error = p->srcArray ? array_check(rt, p->srcArray) : cudaSuccess;
    error = !error && p->dstArray ? array_check(rt, p->dstArray) : error;
    if (error)
        return error;
    *bytes = p->srcArray ? p->srcArray->texel : p->dstArray ? p->dstArray->texel : 1;
    bool differ = p->srcArray && p->dstArray && p->srcArray->texel != p->dstArray->texel;
    return differ ? runtime_refuse(rt, cudaErrorInvalidValue, "the arrays' elements are of %zu and %zu bytes",
                                   p->srcArray->texel, p->dstArray->texel)
                  : cudaSuccess;
}

static cudaError_t copy_3d(struct runtime *rt, const struct cudaMemcpy3DParms *p)
{
    struct side to, from;
    size_t unit;
    if (!p)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer to its parameters is null");
    if (!p->extent.width || !p->extent.height || !p->extent.depth)
        return cudaSuccess;
    cudaError_t error = element_bytes(rt, p, &unit);
    if (error)
        return error;
    struct cudaExtent bytes = p->extent;
    if (__builtin_mul_overflow(bytes.width, unit, &bytes.width))
        return cudaErrorInvalidValue;
    error = p->dstArray ? in_array(rt, p->dstArray, &p->dstPos, &p->extent, &to)
                        : in_memory(rt, &p->dstPtr, &p->dstPos, &bytes, &to);
    if (!error)
        error = p->srcArray ? in_array(rt, p->srcArray, &p->srcPos, &p->extent, &from)
                            : in_memory(rt, &p->srcPtr, &p->srcPos, &bytes, &from);
    if (error)
        return error;
    struct shape shape = {
        .width = bytes.width,
        .rows = bytes.height,
        .slices = bytes.depth,
        .to_pitch = to.pitch,
        .from_pitch = from.pitch,
        .to_slice = to.slice,
        .from_slice = from.slice,
    };
    return copy_shape(rt, to.start, from.start, &shape, p->kind);
}

cudaError_t copy_call(const char *entry, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    cudaError_t captured;
    if (async && capture_copy(stream, p, &captured))
        return captured;
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    rt->entry = entry;
    error = error ? error : stream_check(rt, stream);
    rt->stream = stream;
    rt->may_put_off = async;
    return runtime_unlock(rt, error ? error : copy_3d(rt, p));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    SYNC_CALL(copy_3d(rt, p));
}
ALSO_PER_THREAD(cudaMemcpy3D, ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    cudaError_t captured;
    if (p && capture_copy(stream, p, &captured))
        return captured;
    STREAM_CALL(stream, copy_3d(rt, p));
}
ALSO_PER_THREAD(cudaMemcpy3DAsync, ptsz);

/* ---- fills ---- */

static cudaError_t check_fill(struct runtime *rt, const void *to, const struct shape *s)
{
    size_t span;
    if (!to)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the pointer to what is to be filled is null");
    if ((s->rows > 1 || s->slices > 1) && s->width > s->to_pitch)
        return runtime_refuse(rt, cudaErrorInvalidPitchValue, "rows of %zu bytes are wider than the pitch, %zu",
                              s->width, s->to_pitch);
    if (!span_of(s->width, s->rows, s->slices, s->to_pitch, s->to_slice, &span))
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu slices of %zu rows are more than all memory", s->slices,
                              s->rows);
    cudaError_t error = check_span(rt, "at", to, span);
    if (!error && !on_device(rt, to))
        error = runtime_refuse(rt, cudaErrorInvalidValue, "the pointer is not to device memory");
    return error;
}

static cudaError_t fill_rows(struct runtime *rt, void *to, int value, const struct shape *shape)
{
    rt->written++;
    for (size_t z = 0; z < shape->slices; z++)
        for (size_t y = 0; y < shape->rows; y++) {
            uint64_t row = (uintptr_t)to + z * shape->to_slice + y * shape->to_pitch;
            unsigned element = shape->element ? shape->element : 1;
            uint32_t pattern = element == 1 ? (uint8_t)value : (uint32_t)value;
            cudaError_t error = replay_call(rt, row, pattern, shape->width);
            if (error)
                return error;
            if (gpu_fill_elements(rt->gpu, row, pattern, element, shape->width, NULL) < 0)
                return cudaErrorInvalidValue;
        }
    return cudaSuccess;
}

static cudaError_t fill_later(struct runtime *rt, void *data, bool off)
{
    struct later_copy *later = data;
    cudaError_t error = off ? cudaSuccess : fill_rows(rt, later->to, later->value, &later->shape);
    free(data);
    return error;
}

static cudaError_t fill(struct runtime *rt, void *to, int value, const struct shape *shape)
{
    if (shape->width == 0 || shape->rows == 0 || shape->slices == 0)
        return cudaSuccess;
    cudaError_t error = check_fill(rt, to, shape);
    if (error || !flight_before(rt, rt->stream))
        return error ? error : fill_rows(rt, to, value, shape);
    struct later_copy *later = base_calloc(1, sizeof *later);
    *later = (struct later_copy){.to = to, .shape = *shape, .value = value};
    return flight_defer(rt, rt->stream, fill_later, later);
}

cudaError_t copy_fill(void *to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height)
{
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch, .element = element};
    SYNC_CALL(fill(rt, to, (int)value, &shape));
}

cudaError_t copy_fill_async(void *to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                            cudaStream_t stream)
{
    struct cudaMemsetParams p = {to, pitch ? pitch : width, value, element, width / element, height};
    cudaError_t captured;
    if (capture_fill(stream, &p, &captured))
        return captured;
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch, .element = element};
    STREAM_CALL(stream, fill(rt, to, (int)value, &shape));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    struct shape shape = {.width = bytes, .rows = 1, .slices = 1};
    SYNC_CALL(fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset, ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    struct cudaMemsetParams p = {to, bytes, (unsigned char)value, 1, bytes, 1};
    cudaError_t captured;
    if (capture_fill(stream, &p, &captured))
        return captured;
    struct shape shape = {.width = bytes, .rows = 1, .slices = 1};
    STREAM_CALL(stream, fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemsetAsync, ptsz);

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch};
    SYNC_CALL(fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset2D, ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    struct cudaMemsetParams p = {to, pitch, (unsigned char)value, 1, width, height};
    cudaError_t captured;
    if (capture_fill(stream, &p, &captured))
        return captured;
    struct shape shape = {.width = width, .rows = height, .slices = 1, .to_pitch = pitch};
    STREAM_CALL(stream, fill(rt, to, value, &shape));
}
ALSO_PER_THREAD(cudaMemset2DAsync, ptsz);

static cudaError_t fill_3d(struct runtime *rt, const struct cudaPitchedPtr *to, int value, struct cudaExtent extent)
{
    const struct cudaPos origin = {0, 0, 0};
    void *start;
    if (!extent.width || !extent.height || !extent.depth)
        return cudaSuccess;
    cudaError_t error = at_position(rt, to, &origin, &extent, &start);
    struct shape shape = {.width = extent.width,
                          .rows = extent.height,
                          .slices = extent.depth,
                          .to_pitch = to->pitch,
                          .to_slice = to->pitch * to->ysize};
    return error ? error : fill(rt, start, value, &shape);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    SYNC_CALL(fill_3d(rt, &to, value, extent));
}
ALSO_PER_THREAD(cudaMemset3D, ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    struct cudaMemsetParams p = {to.ptr, to.pitch, (unsigned char)value, 1, extent.width, extent.height * extent.depth};
    cudaError_t captured;
    if (extent.depth > 1 && extent.height != to.ysize ? capture_refuses(stream, &captured)
                                                      : capture_fill(stream, &p, &captured))
        return captured;
    STREAM_CALL(stream, fill_3d(rt, &to, value, extent));
}
ALSO_PER_THREAD(cudaMemset3DAsync, ptsz);

/* ---- symbols ---- */

static cudaError_t symbol_range(struct runtime *rt, const void *symbol, size_t bytes, size_t offset, void **address)
{
    uint64_t start, size;
    cudaError_t error = variable_find(rt, symbol, &start, &size);
    if (error)
        return runtime_refuse(rt, error, "that is no symbol of this program's device code");
    if (offset > size || bytes > size - offset)
        return runtime_refuse(rt, cudaErrorInvalidValue, "%zu bytes at offset %zu do not lie in a symbol of %zu", bytes,
                              offset, (size_t)size);
    *address = (void *)(uintptr_t)(start + offset);
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(struct runtime *rt, const void *symbol, const void *from, size_t bytes, size_t offset,
                                  enum cudaMemcpyKind kind)
{
    void *to;
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        return runtime_refuse(rt, cudaErrorInvalidMemcpyDirection, "a symbol is device memory");
    cudaError_t error = symbol_range(rt, symbol, bytes, offset, &to);
    return error ? error : copy_bytes(rt, to, from, bytes, kind);
}

static cudaError_t copy_from_symbol(struct runtime *rt, void *to, const void *symbol, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    void *from;
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        return runtime_refuse(rt, cudaErrorInvalidMemcpyDirection, "a symbol is device memory");
    cudaError_t error = symbol_range(rt, symbol, bytes, offset, &from);
    return error ? error : copy_bytes(rt, to, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    SYNC_CALL(copy_to_symbol(rt, symbol, from, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyToSymbol, ptds);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    SYNC_CALL(copy_from_symbol(rt, to, symbol, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyFromSymbol, ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *place = NULL;
    if (capture_is_on(stream) && cudaGetSymbolAddress(&place, symbol))
        return cudaErrorInvalidSymbol;
    struct cudaMemcpy3DParms p = graph_copy_1d((char *)place + offset, from, bytes, kind);
    cudaError_t captured;
    if (capture_copy(stream, &p, &captured))
        return captured;
    STREAM_CALL(stream, copy_to_symbol(rt, symbol, from, bytes, offset, kind));
}
ALSO_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *place = NULL;
    if (capture_is_on(stream) && cudaGetSymbolAddress(&place, symbol))
        return cudaErrorInvalidSymbol;
    struct cudaMemcpy3DParms p = graph_copy_1d(to, (char *)place + offset, bytes, kind);
    cudaError_t captured;
    if (capture_copy(stream, &p, &captured))
        return captured;
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
