// Textures and surfaces used wrongly: each way, by its number, ends with an error that is printed.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
__global__ void write(cudaSurfaceObject_t s, int x) { surf2Dwrite(1.0f, s, x, 0); }
__global__ void overlap(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out)
{
    surf2Dwrite(1.0f, s, 4 * (int)threadIdx.x, (int)blockIdx.x);
    out[threadIdx.x] = tex2D<float>(t, 7 - threadIdx.x, 1 - blockIdx.x);
}

int main(int, char **argv)
{
    int way = atoi(argv[1]);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &desc, 8, 2, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    float *out, zeros[16] = {};
    cudaMalloc(&out, 8 * sizeof *out);
    cudaMemcpy2DToArray(array, 0, 0, zeros, 32, 32, 2, cudaMemcpyHostToDevice);
    cudaCreateTextureObject(&t, &resource, &texture, NULL);
    cudaCreateSurfaceObject(&s, &resource);
    switch (way) {
    case 0: // nothing is wrong
        read<<<1, 8>>>(t, out);
        write<<<1, 1>>>(s, 28);
        break;
    case 1: // destroyed
        cudaDestroyTextureObject(t);
        read<<<1, 8>>>(t, out);
        break;
    case 2: // no handle
        read<<<1, 8>>>(0, out);
        break;
    case 3: // a surface where a texture is read
        read<<<1, 8>>>(s, out);
        break;
    case 4: // behind the last column
        write<<<1, 1>>>(s, 32);
        break;
    case 5: // between two elements
        write<<<1, 1>>>(s, 2);
        break;
    case 6: // its array is gone
        cudaFreeArray(array);
        read<<<1, 8>>>(t, out);
        break;
    case 7: // integers are not filtered
        desc = cudaCreateChannelDesc<int>();
        cudaMallocArray(&resource.res.array.array, &desc, 8, 2);
        texture.filterMode = cudaFilterModeLinear;
        printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&t, &resource, &texture, NULL)));
        return 0;
    case 8: // not modelled
        texture.sRGB = 1;
        printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&t, &resource, &texture, NULL)));
        return 0;
    case 9: // beyond the array
        printf("%s\n", cudaGetErrorName(cudaMemcpy2DToArray(array, 4, 0, zeros, 32, 32, 2, cudaMemcpyHostToDevice)));
        return 0;
    case 10: // a texture is read while the surface of its array is written
        overlap<<<2, 8>>>(t, s, out);
        break;
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
