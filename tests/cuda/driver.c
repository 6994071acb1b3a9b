/* A program of the driver interface that brings its own PTX: prints what its calls answer. Compiled against Lockstep's cuda.h
 * and NVIDIA's alike. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n, .param .u32 add)\n"
    "{\n"
    "    .reg .b64 %a, %o, %f;\n    .reg .b32 %i, %n, %v, %add, %size, %cta;\n    .reg .pred %out;\n"
    "    ld.param.u64 %a, [p];\n    ld.param.u32 %n, [n];\n    ld.param.u32 %add, [add];\n"
    "    mov.u32 %i, %tid.x;\n    mov.u32 %size, %ntid.x;\n    mov.u32 %cta, %ctaid.x;\n"
    "    mad.lo.u32 %i, %cta, %size, %i;\n"
    "    setp.ge.u32 %out, %i, %n;\n    @%out bra done;\n"
    "    mul.wide.u32 %o, %i, 4;\n    add.u64 %a, %a, %o;\n"
    "    ld.global.u32 %v, [%a];\n    mov.u64 %f, factor;\n    ld.global.u32 %n, [%f];\n"
    "    mad.lo.u32 %v, %v, %n, %add;\n    st.global.u32 [%a], %v;\n"
    "done:\n    ret;\n}\n";

static const char *name(CUresult result)
{
    const char *text = NULL;
    return cuGetErrorName(result, &text) == CUDA_SUCCESS ? text : "none";
}

#define TELL(call) printf("%s: %s\n", #call, name(call))
#define NEED(call)                                                                                                     \
    do {                                                                                                               \
        CUresult r_ = (call);                                                                                          \
        if (r_ != CUDA_SUCCESS) {                                                                                      \
            printf("%s: %s\n", #call, name(r_));                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define N 100
static unsigned host[N];

static unsigned sum(CUdeviceptr at)
{
    unsigned total = 0;
    NEED(cuMemcpyDtoH(host, at, sizeof host));
    for (int i = 0; i < N; i++)
        total += host[i];
    return total;
}

static void launches(CUfunction scale, CUdeviceptr at)
{
    unsigned n = N, add = 5;
    void *params[] = {&at, &n, &add};
    CUstream stream;
    CUevent start, end;
    float ms = 0;
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuEventCreate(&start, CU_EVENT_DEFAULT));
    NEED(cuEventCreate(&end, CU_EVENT_DEFAULT));
    NEED(cuMemsetD32(at, 7, N));
    NEED(cuEventRecord(start, stream));
    NEED(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, stream, params, NULL));
    NEED(cuEventRecord(end, stream));
    NEED(cuStreamSynchronize(stream));
    NEED(cuEventElapsedTime(&ms, start, end));
    printf("params: %u, time passed: %d\n", sum(at), ms > 0);

    struct {
        CUdeviceptr at;
        unsigned n, add;
    } packed = {at, N, 1};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    NEED(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    printf("extra: %u\n", sum(at));
    bytes = 8;
    TELL(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    TELL(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, NULL, params, extra));
    TELL(cuLaunchKernel(scale, 2, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
    TELL(cuLaunchKernel((CUfunction)&packed, 2, 1, 1, 64, 1, 1, 0, NULL, params, NULL));

    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream,
                             .attrs = &cooperative,
                             .numAttrs = 1};
    add = 0;
    NEED(cuLaunchKernelEx(&config, scale, params, NULL));
    NEED(cuLaunchCooperativeKernel(scale, 2, 1, 1, 64, 1, 1, 0, stream, params));
    NEED(cuCtxSynchronize());
    printf("configured and cooperative: %u\n", sum(at));
    NEED(cuEventDestroy(start));
    NEED(cuStreamDestroy(stream));
    TELL(cuStreamDestroy(stream));
}

static void memory(CUdeviceptr at)
{
    CUdeviceptr start = 0, other;
    size_t size = 0, pitch;
    unsigned type = 0;
    NEED(cuMemGetAddressRange(&start, &size, at + 8));
    printf("range: %d %zu\n", start == at, size);
    NEED(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    printf("memory type: %u\n", type);
    TELL(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)host));
    NEED(cuMemAllocPitch(&other, &pitch, 40, 10, 4));
    NEED(cuMemsetD2D16(other, pitch, 0x102, 20, 10));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = other,
                          .srcPitch = pitch,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = host,
                          .dstPitch = 40,
                          .WidthInBytes = 40,
                          .Height = 10};
    NEED(cuMemcpy2D(&copy));
    printf("2D: %x %x %zu\n", host[0], host[99], pitch);
    NEED(cuMemcpyDtoD(at, other, 40));
    NEED(cuMemcpyDtoH(host, at, 40));
    printf("DtoD: %x\n", host[9]);
    void *pinned;
    NEED(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    NEED(cuMemHostGetDevicePointer(&start, pinned, 0));
    NEED(cuMemsetD8(start, 9, 64));
    printf("pinned: %d\n", ((unsigned char *)pinned)[63]);
    NEED(cuMemFreeHost(pinned));
    NEED(cuMemFree(other));
    TELL(cuMemFree(other));
    TELL(cuMemAlloc(&other, 0));
    TELL(cuMemAlloc(&other, (size_t)1 << 50));
    TELL(cuMemcpyHtoD(at, host, 4 * N + 1));
}

static void modules(CUmodule module, CUfunction scale)
{
    CUmodule wrong;
    CUfunction function;
    CUdeviceptr factor;
    size_t bytes = 0;
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    int value = 0, grid = 0, block = 0;
    TELL(cuModuleGetFunction(&function, module, "nothing"));
    TELL(cuModuleGetFunction(&function, (CUmodule)&log, "scale"));
    TELL(cuModuleGetGlobal(&factor, &bytes, module, "nothing"));
    NEED(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    printf("factor: %zu bytes\n", bytes);
    NEED(cuMemsetD32(factor, 2, 1));
    TELL(cuModuleLoadDataEx(&wrong, ".version 7.0\n.target sm_70\n.entry k() { nonsense; }\n", 2, options, values));
    printf("log: %d %d\n", strstr(log, "nonsense") != NULL, (size_t)values[1] == strlen(log));
    TELL(cuModuleLoadData(&wrong, "\177ELF machine code"));
    TELL(cuModuleLoadData(&wrong, "what is this"));
    TELL(cuModuleLoad(&wrong, "no/such/file.ptx"));
    NEED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    printf("most threads: %d\n", value);
    TELL(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
    NEED(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 0));
    printf("best block: %d x %d\n", grid, block);
}

static void links(CUdeviceptr at)
{
    CUlinkState state;
    CUmodule module;
    CUfunction function;
    CUlibrary library;
    CUkernel kernel;
    void *image;
    size_t bytes;
    unsigned n = N, add = 0;
    void *params[] = {&at, &n, &add};
    NEED(cuLinkCreate(0, NULL, NULL, &state));
    NEED(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "scale.ptx", 0, NULL, NULL));
    TELL(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "scale.ptx", 0, NULL, NULL));
    NEED(cuLinkComplete(state, &image, &bytes));
    NEED(cuModuleLoadData(&module, image));
    NEED(cuLinkDestroy(state));
    NEED(cuModuleGetFunction(&function, module, "scale"));
    NEED(cuMemsetD32(at, 1, N));
    NEED(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, NULL, params, NULL));
    NEED(cuModuleUnload(module));
    TELL(cuModuleUnload(module));
    TELL(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, NULL, params, NULL));
    NEED(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    NEED(cuLibraryGetKernel(&kernel, library, "scale"));
    NEED(cuKernelGetFunction(&function, kernel));
    NEED(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, NULL, params, NULL));
    NEED(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, N, 1, 1, 0, NULL, params, NULL));
    printf("linked and of a library: %u\n", sum(at));
    NEED(cuLibraryUnload(library));
}

static void entries(void)
{
    CUresult (*get)(CUdevice *, int) = NULL;
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    CUdevice device = 5;
    NEED(cuGetProcAddress("cuDeviceGet", &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    memcpy(&get, &function, sizeof get);
    NEED(get(&device, 0));
    printf("by name: %d\n", device);
    NEED(cuGetProcAddress("cuMemAlloc", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    NEED(cuGetProcAddress("cuNothing", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    printf("no such name: %d %d\n", function == NULL, status);
    NEED(cuGetProcAddress("cuMipmappedArrayCreate", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    CUresult (*texture)(void) = NULL;
    memcpy(&texture, &function, sizeof texture);
    printf("a texture: %s\n", name(texture()));
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context, current, primary;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr at;
    int count = 0, major = 0, version = 0;
    char text[64];
    TELL(cuDeviceGetCount(&count));
    NEED(cuInit(0));
    TELL(cuInit(1));
    NEED(cuDeviceGetCount(&count));
    NEED(cuDeviceGet(&device, 0));
    TELL(cuDeviceGet(&device, 1));
    NEED(cuDeviceGetName(text, sizeof text, device));
    NEED(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    NEED(cuDriverGetVersion(&version));
    printf("%d device: %s, %d.x, driver %d\n", count, text, major, version);
    TELL(cuMemAlloc(&at, 4));
    if (argc > 1 && strcmp(argv[1], "primary") == 0) {
        NEED(cuDevicePrimaryCtxRetain(&context, device));
        NEED(cuCtxSetCurrent(context));
    } else {
#if CUDA_VERSION >= 13000
        NEED(cuCtxCreate(&context, NULL, CU_CTX_SCHED_AUTO, device));
#else
        NEED(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device));
#endif
    }
    NEED(cuCtxGetCurrent(&current));
    printf("current: %d\n", current == context);
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&scale, module, "scale"));
    NEED(cuMemAlloc(&at, sizeof host));
    launches(scale, at);
    modules(module, scale);
    memory(at);
    links(at);
    entries();
    NEED(cuCtxPopCurrent(&current));
    TELL(cuMemFree(at));
    NEED(cuCtxPushCurrent(context));
    NEED(cuMemFree(at));
    if (argc > 1 && strcmp(argv[1], "primary") == 0) {
        NEED(cuDevicePrimaryCtxRelease(device));
        TELL(cuDevicePrimaryCtxRelease(device));
    } else {
        NEED(cuCtxDestroy(context));
        TELL(cuCtxDestroy(context));
        NEED(cuCtxGetCurrent(&primary));
        printf("none: %d\n", primary == NULL);
    }
    return 0;
}
