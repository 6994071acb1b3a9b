/* Streams and events of the driver: the runtime's, under its names. */
#include "cuda/driver.h"

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    DRIVER_CALL(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    DRIVER_CALL(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    DRIVER_CALL(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    DRIVER_CALL(cudaStreamSynchronize(stream));
}
ALSO_PER_THREAD(cuStreamSynchronize, ptsz);

CUresult cuStreamQuery(CUstream stream)
{
    DRIVER_CALL(cudaStreamQuery(stream));
}
ALSO_PER_THREAD(cuStreamQuery, ptsz);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    DRIVER_CALL(cudaStreamWaitEvent(stream, event, flags));
}
ALSO_PER_THREAD(cuStreamWaitEvent, ptsz);

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    DRIVER_CALL(cudaStreamGetFlags(stream, flags));
}
ALSO_PER_THREAD(cuStreamGetFlags, ptsz);

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    DRIVER_CALL(cudaStreamGetPriority(stream, priority));
}
ALSO_PER_THREAD(cuStreamGetPriority, ptsz);

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    DRIVER_CALL(cudaStreamGetId(stream, id));
}
ALSO_PER_THREAD(cuStreamGetId, ptsz);

/* Streams know no contexts: the answer is the thread's. */
static cudaError_t context_of(CUstream stream, CUcontext *context)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = context ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (!error)
        *context = driver_current(rt);
    return runtime_unlock(rt, error);
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    DRIVER_CALL(context_of(stream, context));
}
ALSO_PER_THREAD(cuStreamGetCtx, ptsz);

CUresult cuStreamIsCapturing(CUstream stream, enum cudaStreamCaptureStatus *status)
{
    DRIVER_CALL(cudaStreamIsCapturing(stream, status));
}
ALSO_PER_THREAD(cuStreamIsCapturing, ptsz);

/* Both callbacks take a stream, a number that is 0 for success, and the program's data. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    DRIVER_CALL(cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags));
}
ALSO_PER_THREAD(cuStreamAddCallback, ptsz);

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    DRIVER_CALL(cudaLaunchHostFunc(stream, function, data));
}
ALSO_PER_THREAD(cuLaunchHostFunc, ptsz);

/* ---- events ---- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    DRIVER_CALL(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy_v2(CUevent event)
{
    DRIVER_CALL(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    DRIVER_CALL(cudaEventRecord(event, stream));
}
ALSO_PER_THREAD(cuEventRecord, ptsz);

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    DRIVER_CALL(cudaEventRecordWithFlags(event, stream, flags));
}
ALSO_PER_THREAD(cuEventRecordWithFlags, ptsz);

CUresult cuEventQuery(CUevent event)
{
    DRIVER_CALL(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
    DRIVER_CALL(cudaEventSynchronize(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    DRIVER_CALL(cudaEventElapsedTime(ms, start, end));
}
