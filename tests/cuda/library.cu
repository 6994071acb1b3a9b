// Libraries of the runtime: PTX that the program brings itself, as text and in a file, beside a kernel of its own.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define N 64

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .global .align 4 .u32 offset = 3;\n"
                           ".visible .entry set(.param .u64 to, .param .u32 value)\n{\n"
                           "    .reg .u64 %p, %i;\n    .reg .u32 %t, %v, %o;\n"
                           "    ld.param.u64 %p, [to];\n    ld.param.u32 %v, [value];\n    ld.global.u32 %o, [offset];\n"
                           "    mov.u32 %t, %tid.x;\n    mad.wide.u32 %i, %t, 4, %p;\n"
                           "    add.u32 %v, %v, %o;\n    add.u32 %v, %v, %t;\n    st.global.u32 [%i], %v;\n    ret;\n}\n"
                           ".visible .entry nothing()\n{\n    ret;\n}\n";

static int failures;
#define NEED(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ && ++failures)                                                                                          \
            std::printf("%s: %s\n", #call, cudaGetErrorName(e_));                                                      \
    } while (0)
#define TELL(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

static int sum(const int *device)
{
    int host[N], total = 0;
    NEED(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host)
        total += value;
    return total;
}

static void run(cudaLibrary_t library, int *device, const char *name)
{
    cudaKernel_t kernel, all[3] = {};
    int value = 10, five = 5;
    unsigned count = 0;
    void *args[] = {&device, &value}, *offset;
    size_t bytes;
    NEED(cudaLibraryGetKernel(&kernel, library, "set"));
    NEED(cudaLibraryGetKernelCount(&count, library));
    NEED(cudaLibraryEnumerateKernels(all, 3, library));
    std::printf("%s: %u kernels, found among them %d, the third %d\n", name, count, all[0] == kernel || all[1] == kernel,
                all[2] != nullptr);
    NEED(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(N), args, 0, 0));
    twice<<<1, N>>>(device);
    std::printf("sum %d\n", sum(device));
    NEED(cudaLibraryGetGlobal(&offset, &bytes, library, "offset"));
    NEED(cudaMemcpy(offset, &five, bytes, cudaMemcpyHostToDevice));
    NEED(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(N);
    config.dynamicSmemBytes = 1024;
    NEED(cudaLaunchKernelEx(&config, kernel, device, value));
    std::printf("with a variable of %zu bytes: sum %d\n", bytes, sum(device));
    TELL(cudaLibraryGetKernel(&kernel, library, "none"));
    TELL(cudaLibraryGetGlobal(&offset, &bytes, library, "none"));
}

int main(int, char **argv)
{
    cudaLibrary_t library, file, none;
    int *device;
    char log[256] = "";
    cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *values[] = {log, (void *)sizeof log};
    NEED(cudaMalloc(&device, N * sizeof(int)));
    NEED(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    run(library, device, "text");
    NEED(cudaLibraryLoadFromFile(&file, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
    run(file, device, "file");
    NEED(cudaLibraryUnload(file));
    NEED(cudaLibraryUnload(library));
    TELL(cudaLibraryUnload(library));
    TELL(cudaLibraryLoadFromFile(&none, "nowhere.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    TELL(cudaLibraryLoadData(&none, ".version 7.0\n.target sm_70\nwhat\n", options, values, 2, nullptr, nullptr, 0));
    std::printf("told: %d\n", std::strstr(log, "what") != nullptr);
    TELL(cudaGetLastError());
    TELL(cudaGetLastError());
    std::printf("%d failures\n", failures);
    return failures;
}
