/* Streams and events. Work is executed when it is given, in the order of the program's calls, which is an order that
 * every stream and event allows; a stream is therefore only a handle, idle unless its kernel waits for the host
 * (flight.c) or for others that may run beside it (queue.c). An event records simulated time, and the time between two
 * events is the simulated time of the kernels launched between them: copies and the host take none. */
#include <stdlib.h>

#include "cuda/flight.h"
#include "cuda/graph.h"

bool stream_is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

static bool is_known(const struct runtime *rt, cudaStream_t stream)
{
    if (stream_is_default(stream))
        return true;
    for (size_t i = 0; i < rt->streams.count; i++)
        if (rt->streams.items[i] == stream)
            return true;
    return false;
}

cudaError_t stream_check(struct runtime *rt, cudaStream_t stream)
{
    if (is_known(rt, stream))
        return cudaSuccess;
    return runtime_refuse(rt, cudaErrorInvalidResourceHandle, "that is no stream, or it was destroyed");
}

bool stream_blocks(cudaStream_t stream)
{
    return stream_is_default(stream) || !(stream->flags & cudaStreamNonBlocking);
}

/* The record of a created stream; NULL for the default streams. */
static const struct CUstream_st *stream_record(cudaStream_t stream)
{
    return stream == cudaStreamLegacy || stream == cudaStreamPerThread ? NULL : stream;
}

static cudaError_t create_stream(struct runtime *rt, cudaStream_t *stream, unsigned flags, int priority)
{
    if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    struct CUstream_st *created = base_calloc(1, sizeof *created);
    *created = (struct CUstream_st){.flags = flags, .priority = priority, .id = rt->next_stream++};
    vec_push(&rt->streams, created);
    *stream = created;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    RUNTIME_CALL(create_stream(rt, stream, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    RUNTIME_CALL(create_stream(rt, stream, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    RUNTIME_CALL(create_stream(rt, stream, flags, priority));
}

static cudaError_t destroy_stream(struct runtime *rt, cudaStream_t stream)
{
    for (size_t i = 0; i < rt->streams.count; i++)
        if (rt->streams.items[i] == stream) {
            order_destroy(rt, stream);
            vec_push(&rt->destroyed, stream);
            rt->streams.items[i] = rt->streams.items[--rt->streams.count];
            return cudaSuccess;
        }
    return stream == NULL ? cudaErrorInvalidResourceHandle : stream_check(rt, stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RUNTIME_CALL(destroy_stream(rt, stream));
}

static cudaError_t synchronize(struct runtime *rt, cudaStream_t stream)
{
    cudaError_t error = stream_check(rt, stream);
    return error ? error : flight_join(rt, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_refuses(stream, &captured))
        return captured;
    RUNTIME_CALL(synchronize(rt, stream));
}
ALSO_PER_THREAD(cudaStreamSynchronize, ptsz);

static cudaError_t query(struct runtime *rt, cudaStream_t stream)
{
    cudaError_t error = stream_check(rt, stream);
    return error ? error : flight_query(rt, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_refuses(stream, &captured))
        return captured;
    RUNTIME_CALL(query(rt, stream));
}
ALSO_PER_THREAD(cudaStreamQuery, ptsz);

static cudaError_t stream_priority(struct runtime *rt, cudaStream_t stream, int *priority)
{
    cudaError_t error = priority ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    const struct CUstream_st *record = stream_record(stream);
    *priority = record ? record->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    RUNTIME_CALL(stream_priority(rt, stream, priority));
}
ALSO_PER_THREAD(cudaStreamGetPriority, ptsz);

static cudaError_t stream_flags(struct runtime *rt, cudaStream_t stream, unsigned *flags)
{
    cudaError_t error = flags ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    const struct CUstream_st *record = stream_record(stream);
    *flags = record ? record->flags : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    RUNTIME_CALL(stream_flags(rt, stream, flags));
}
ALSO_PER_THREAD(cudaStreamGetFlags, ptsz);

/* The default streams are 1 (also under its null name) and 2; created ones count on from there. */
static cudaError_t stream_id(struct runtime *rt, cudaStream_t stream, unsigned long long *id)
{
    cudaError_t error = id ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    const struct CUstream_st *record = stream_record(stream);
    *id = record ? record->id : stream == cudaStreamPerThread ? 2 : 1;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    RUNTIME_CALL(stream_id(rt, stream, id));
}
ALSO_PER_THREAD(cudaStreamGetId, ptsz);

static cudaError_t stream_device(struct runtime *rt, cudaStream_t stream, int *device)
{
    cudaError_t error = device ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    RUNTIME_CALL(stream_device(rt, stream, device));
}
ALSO_PER_THREAD(cudaStreamGetDevice, ptsz);

/* Stream attributes are hints about caches and waiting: accepted, and read back as zero. */
static cudaError_t two_streams(struct runtime *rt, cudaStream_t a, cudaStream_t b)
{
    cudaError_t error = stream_check(rt, a);
    return error ? error : stream_check(rt, b);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    RUNTIME_CALL(two_streams(rt, to, from));
}
ALSO_PER_THREAD(cudaStreamCopyAttributes, ptsz);

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    (void)attribute;
    RUNTIME_CALL(value ? stream_check(rt, stream) : cudaErrorInvalidValue);
}
ALSO_PER_THREAD(cudaStreamSetAttribute, ptsz);

static cudaError_t stream_attribute(struct runtime *rt, cudaStream_t stream, cudaLaunchAttributeValue *value)
{
    if (!value)
        return cudaErrorInvalidValue;
    *value = (cudaLaunchAttributeValue){0};
    return stream_check(rt, stream);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    (void)attribute;
    RUNTIME_CALL(stream_attribute(rt, stream, value));
}
ALSO_PER_THREAD(cudaStreamGetAttribute, ptsz);

/* ---- host functions: once all earlier work of the stream is done, without the lock; the call waits for that ---- */

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    cudaError_t captured;
    if (function && capture_host(stream, function, data, &captured))
        return captured;
    struct runtime *rt = runtime_lock();
    rt->entry = runtime_entry(rt, __func__);
    cudaError_t error = runtime_ready(rt);
    if (!error)
        error = function ? synchronize(rt, stream) : cudaErrorInvalidValue;
    runtime_unlock(rt, error);
    if (!error)
        function(data);
    return error;
}
ALSO_PER_THREAD(cudaLaunchHostFunc, ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    cudaError_t captured;
    if (capture_refuses(stream, &captured))
        return captured;
    struct runtime *rt = runtime_lock();
    rt->entry = runtime_entry(rt, __func__);
    cudaError_t error = runtime_ready(rt);
    if (!error)
        error = callback && flags == 0 ? synchronize(rt, stream) : cudaErrorInvalidValue;
    runtime_unlock(rt, error);
    if (!error)
        callback(stream, cudaSuccess, data);
    return error;
}
ALSO_PER_THREAD(cudaStreamAddCallback, ptsz);

/* ---- events ---- */

static bool event_known(const struct runtime *rt, cudaEvent_t event)
{
    for (size_t i = 0; i < rt->events.count; i++)
        if (rt->events.items[i] == event)
            return true;
    return false;
}

cudaError_t event_check(struct runtime *rt, cudaEvent_t event)
{
    if (event_known(rt, event))
        return cudaSuccess;
    return runtime_refuse(rt, cudaErrorInvalidResourceHandle, "that is no event, or it was destroyed");
}

static cudaError_t check_both(struct runtime *rt, cudaStream_t stream, cudaEvent_t event)
{
    cudaError_t error = stream_check(rt, stream);
    return error ? error : event_check(rt, event);
}

static cudaError_t create_event(struct runtime *rt, cudaEvent_t *event, unsigned flags)
{
    bool interprocess = flags & cudaEventInterprocess;
    if (!event || (flags & ~7u) || (interprocess && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    struct CUevent_st *created = base_calloc(1, sizeof *created);
    created->flags = flags;
    vec_push(&rt->events, created);
    *event = created;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    RUNTIME_CALL(create_event(rt, event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RUNTIME_CALL(create_event(rt, event, flags));
}

static cudaError_t destroy_event(struct runtime *rt, cudaEvent_t event)
{
    for (size_t i = 0; i < rt->events.count; i++)
        if (rt->events.items[i] == event) {
            vec_push(&rt->destroyed, event);
            rt->events.items[i] = rt->events.items[--rt->events.count];
            return cudaSuccess;
        }
    return event_check(rt, event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RUNTIME_CALL(destroy_event(rt, event));
}

/* All before one of its records is done. */
static cudaError_t pass(struct runtime *rt, void *data, bool off)
{
    (void)off;
    struct CUevent_st *event = data;
    event->passed++;
    event->time_ns = rt->later_ns > 0 ? rt->later_ns : gpu_time_ns(rt->gpu);
    return cudaSuccess;
}

static cudaError_t record(struct runtime *rt, cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = check_both(rt, stream, event);
    if (error)
        return error;
    event->stream = stream;
    event->capture = NULL;
    event->recorded = true;
    event->records++;
    order_record(rt, event, stream);
    if (!flight_before(rt, stream))
        return pass(rt, event, false);
    return flight_defer_as(
        rt, &(struct later){.kind = LATER_RECORD, .stream = stream, .run = pass, .data = event, .event = event});
}

/* The event is behind what is put off: calls that ask for it wait. */
static cudaError_t wait_for(struct runtime *rt, cudaEvent_t event)
{
    cudaError_t error = event_check(rt, event);
    if (!error)
        order_synchronize(rt, NULL, event);
    return !error && event->passed < event->records ? flight_wait(rt) : error;
}

static cudaError_t query_event(struct runtime *rt, cudaEvent_t event)
{
    cudaError_t error = event_check(rt, event);
    if (!error && event->passed < event->records)
        error = flight_query(rt, event->stream);
    if (!error && event->passed == event->records)
        order_synchronize(rt, NULL, event);
    return error == cudaSuccess && event->passed < event->records ? cudaErrorNotReady : error;
}

/* The stream waits for the event, and so for all that is put off before it. */
static cudaError_t nothing(struct runtime *rt, void *data, bool off)
{
    (void)rt, (void)data, (void)off;
    return cudaSuccess;
}

static cudaError_t stream_awaits(struct runtime *rt, cudaStream_t stream, cudaEvent_t event)
{
    cudaError_t error = check_both(rt, stream, event);
    if (!error)
        order_await(rt, stream, event);
    if (error || event->passed == event->records)
        return error;
    return flight_defer_as(rt, &(struct later){.kind = LATER_AWAIT, .stream = stream, .run = nothing, .event = event});
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t captured;
    if (capture_record(stream, event, &captured))
        return captured;
    RUNTIME_CALL(record(rt, event, stream));
}
ALSO_PER_THREAD(cudaEventRecord, ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    cudaError_t captured;
    if (capture_record(stream, event, &captured))
        return captured;
    RUNTIME_CALL(flags == cudaEventRecordDefault ? record(rt, event, stream) : cudaErrorInvalidValue);
}
ALSO_PER_THREAD(cudaEventRecordWithFlags, ptsz);

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RUNTIME_CALL(query_event(rt, event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RUNTIME_CALL(wait_for(rt, event));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    cudaError_t captured;
    if (capture_wait(stream, event, &captured))
        return captured;
    (void)flags;
    RUNTIME_CALL(stream_awaits(rt, stream, event));
}
ALSO_PER_THREAD(cudaStreamWaitEvent, ptsz);

static cudaError_t elapsed(struct runtime *rt, float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return cudaErrorInvalidValue;
    cudaError_t error = event_check(rt, start);
    if (!error)
        error = event_check(rt, end);
    if (error)
        return error;
    if (!start->recorded || !end->recorded)
        return runtime_refuse(rt, cudaErrorInvalidResourceHandle, "an event was not recorded");
    if (start->passed < start->records || end->passed < end->records)
        return cudaErrorNotReady;
    if ((start->flags | end->flags) & cudaEventDisableTiming)
        return runtime_refuse(rt, cudaErrorInvalidResourceHandle, "an event was made without timing");
    *ms = (float)((end->time_ns - start->time_ns) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    RUNTIME_CALL(elapsed(rt, ms, start, end));
}
