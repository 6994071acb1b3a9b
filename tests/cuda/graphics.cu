// A program that would share a buffer with OpenGL if it could, and else draws into memory of its own.
#include <cuda_gl_interop.h>

#include <cstdio>

__global__ void fill(int *to)
{
    to[threadIdx.x] = threadIdx.x;
}

int main()
{
    cudaGraphicsResource *shared = nullptr;
    cudaGraphicsResource_t same = nullptr;
    unsigned devices = 7;
    int device[1], *own, host[32], wrong = 0;
    size_t bytes;
    const cudaError_t error = cudaGraphicsGLRegisterBuffer(&shared, GLuint(1), cudaGraphicsRegisterFlagsWriteDiscard);
    std::printf("register: %s\n", cudaGetErrorName(error));
    std::printf("devices: %s\n", cudaGetErrorName(cudaGLGetDevices(&devices, device, 1, cudaGLDeviceListAll)));
    std::printf("map: %s\n", cudaGetErrorName(cudaGraphicsMapResources(1, &same)));
    std::printf("pointer: %s\n", cudaGetErrorName(cudaGraphicsResourceGetMappedPointer((void **)&own, &bytes, same)));
    std::printf("old: %s\n", cudaGetErrorName(cudaGLRegisterBufferObject(1)));
    cudaGetLastError();
    cudaMalloc(&own, sizeof host);
    fill<<<1, 32>>>(own);
    cudaMemcpy(host, own, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += host[i] != i;
    std::printf("%s, %d wrong\n", cudaGetErrorName(cudaGetLastError()), wrong);
    return wrong;
}
