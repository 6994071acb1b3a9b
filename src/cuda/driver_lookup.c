/* Names: of the driver's results, and of its entry points, by which runtimes find them. */
#include "cuda/driver.h"

#include <string.h>

#include "cuda/driver_unsupported.h"

/* ---- results ---- */

const char *driver_result_name(CUresult result)
{
    switch (result) {
#define CUDA_RESULT(name, value)                                                                                       \
    case name:                                                                                                         \
        return #name;
#include "cuda/include/lockstep/cuda_results.def"
#undef CUDA_RESULT
    }
    return NULL;
}

/* A program that asks what a result means has seen that there is one. */
static void note_asked(CUresult result)
{
    struct runtime *rt = runtime_lock();
    if (result)
        results_seen(rt);
    pthread_mutex_unlock(&rt->lock);
}

CUresult cuGetErrorName(CUresult result, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    note_asked(result);
    *text = driver_result_name(result);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Both interfaces have the same texts for the same numbers. */
CUresult cuGetErrorString(CUresult result, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    note_asked(result);
    *text = driver_result_name(result) ? cudaGetErrorString((cudaError_t)result) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- older names of the same functions ---- */

#define ALSO(function, name)                                                                                           \
    extern __attribute__((visibility("default"))) __typeof__(function) name;                                           \
    CUresult name
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuDeviceGetUuid
ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease)(CUdevice device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset)(CUdevice device)
{
    return cuDevicePrimaryCtxReset_v2(device);
}

ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags)(CUdevice device, unsigned int flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid_v2(uuid, device);
}

/* Programs that look for names without their version find these. */
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuStreamDestroy
#undef cuEventDestroy
ALSO(cuCtxDestroy_v2, cuCtxDestroy)(CUcontext context)
{
    return cuCtxDestroy_v2(context);
}

ALSO(cuCtxPopCurrent_v2, cuCtxPopCurrent)(CUcontext *context)
{
    return cuCtxPopCurrent_v2(context);
}

ALSO(cuCtxPushCurrent_v2, cuCtxPushCurrent)(CUcontext context)
{
    return cuCtxPushCurrent_v2(context);
}

ALSO(cuStreamDestroy_v2, cuStreamDestroy)(CUstream stream)
{
    return cuStreamDestroy_v2(stream);
}

ALSO(cuEventDestroy_v2, cuEventDestroy)(CUevent event)
{
    return cuEventDestroy_v2(event);
}

/* The present one of two that do the same. */
ALSO(cuEventElapsedTime, cuEventElapsedTime_v2)(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime(ms, start, end);
}

/* ---- entry points ---- */

struct entry {
    const char *name;
    int since;
    void (*function)(void);
};

static const struct entry entries[] = {
#define DRIVER(name, since, function) {#name, since, (void (*)(void))function},
#undef cuCtxCreate
#undef cuGetProcAddress
#include "cuda/driver_entries.def"
#undef DRIVER
};

/* The newest function of that name that the version has; *newer: there are newer ones alone. */
static const struct entry *find_entry(const char *name, int version, bool *newer)
{
    const struct entry *found = NULL;
    *newer = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        if (entries[i].since <= version)
            found = &entries[i];
        else
            *newer = true;
    }
    return found;
}

static CUresult look_up(const char *symbol, void **function, int version, CUdriverProcAddressQueryResult *status)
{
    bool newer = false;
    const struct entry *entry = symbol && function ? find_entry(symbol, version, &newer) : NULL;
    if (!symbol || !function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = NULL;
    if (entry)
        memcpy(function, &entry->function, sizeof *function);
    else if (!newer)
        *function = driver_unsupported_find(symbol);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                  : newer   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* flags choose between functions for the two kinds of default streams, which are the same here. */
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    return flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? CUDA_ERROR_INVALID_VALUE
                                                                 : look_up(symbol, function, version, status);
}

/* As versions before 12 have it. */
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                                                                 cuuint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

/* The runtime's way to them, which needs no libcuda.so.1 and initialises the driver. */
static cudaError_t entry_point(const char *symbol, void **function, unsigned version, unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult result = cuInit(0);
    if (!result)
        result = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
    if (!result && status)
        *status = (enum cudaDriverEntryPointQueryResult)found;
    return (cudaError_t)result;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point(symbol, function, CUDA_VERSION, flags, status);
}
ALSO_PER_THREAD(cudaGetDriverEntryPoint, ptsz);

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point(symbol, function, version, flags, status);
}
ALSO_PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz);

/* ---- those that are not modelled ---- */

#define DRIVER_UNSUPPORTED(name) int name(void);
#include "cuda/driver_unsupported.def"
#undef DRIVER_UNSUPPORTED

/* True if a is b, or b with _v and a digit behind it. */
static bool is_version_of(const char *a, const char *b)
{
    size_t n = strlen(b);
    return strncmp(a, b, n) == 0 && (!a[n] || (a[n] == '_' && a[n + 1] == 'v' && a[n + 2] && !a[n + 3]));
}

void *driver_unsupported_find(const char *name)
{
    static const struct {
        const char *name;
        int (*function)(void);
    } rows[] = {
#define DRIVER_UNSUPPORTED(name) {#name, name},
#include "cuda/driver_unsupported.def"
#undef DRIVER_UNSUPPORTED
    };
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof rows / sizeof *rows; i++)
        if (is_version_of(rows[i].name, name))
            memcpy(&found, &rows[i].function, sizeof found);
    return found;
}

int driver_unsupported_call(enum driver_unsupported_row row, const char *name)
{
    struct runtime *rt = runtime_lock();
    struct diag_sink sink;
    if (!(rt->driver.named_unsupported[row / 64] >> (row % 64) & 1)) {
        rt->driver.named_unsupported[row / 64] |= UINT64_C(1) << (row % 64);
        diag_init(&sink);
        diag_warning(&sink, DIAG_NOWHERE, NULL, "%s is not supported", name);
        runtime_report(rt, &sink);
        diag_free(&sink);
    }
    pthread_mutex_unlock(&rt->lock);
    return CUDA_ERROR_NOT_SUPPORTED;
}

_Static_assert(DRIVER_UNSUPPORTED_ROWS <= 64 * 4, "room in driver_state.named_unsupported");
