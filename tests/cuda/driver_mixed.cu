/* A program of both interfaces: one device, one heap, the same streams and errors. */
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void add(int *at, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] += what;
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 p)\n{\n"
                          "    .reg .b64 %a, %o;\n    .reg .b32 %i, %v;\n"
                          "    ld.param.u64 %a, [p];\n    mov.u32 %i, %tid.x;\n"
                          "    mul.wide.u32 %o, %i, 4;\n    add.u64 %a, %a, %o;\n"
                          "    ld.global.u32 %v, [%a];\n    shl.b32 %v, %v, 1;\n    st.global.u32 [%a], %v;\n    ret;\n}\n";

int main()
{
    int *at, host[32], sum = 0;
    CUcontext context = NULL;
    CUmodule module;
    CUfunction twice;
    cudaStream_t stream;
    cudaMalloc(&at, sizeof host);
    cudaMemset(at, 0, sizeof host);
    cudaStreamCreate(&stream);
    add<<<1, 32, 0, stream>>>(at, 32, 5);
    cuInit(0);
    cuCtxGetCurrent(&context);
    printf("the runtime's context: %d\n", context != NULL);
    CUresult result = cuModuleLoadData(&module, ptx);
    result = result ? result : cuModuleGetFunction(&twice, module, "twice");
    void *params[] = {&at};
    result = result ? result : cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL);
    add<<<1, 32, 0, stream>>>(at, 32, 1);
    result = result ? result : cuMemcpyDtoH(host, (CUdeviceptr)at, sizeof host);
    for (int i = 0; i < 32; i++)
        sum += host[i];
    printf("%d: %d\n", result, sum);
    CUdeviceptr other;
    cuMemAlloc(&other, 64);
    printf("freed by the runtime: %d\n", cudaFree((void *)other));
    result = cuMemFree(other);
    printf("freed again: %d, of which the runtime knows nothing: %d\n", result, cudaGetLastError());
    void *device = NULL;
    cudaGetSymbolAddress(&device, "nothing");
    result = cuCtxSynchronize();
    printf("and the other way round: %d %d\n", result, cudaGetLastError() != cudaSuccess);
    void *entry = NULL;
    enum cudaDriverEntryPointQueryResult found;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemFree", &entry, 12000, 0, &found);
    printf("an entry of the driver: %d %d %d\n", error, found, ((CUresult(*)(CUdeviceptr))entry)((CUdeviceptr)at));
    cudaDeviceReset();
    result = cuModuleGetFunction(&twice, module, "twice");
    printf("after a reset: %d\n", result);
    return 0;
}
