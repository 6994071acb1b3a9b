// Texture references, as programs before CUDA 12 have them.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> plain;
static texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
texture<int2> pairs;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

__global__ void read(float *out)
{
    int i = threadIdx.x;
    int2 pair = tex1Dfetch(pairs, i);
    out[i] = tex1Dfetch(plain, i) + 100 * tex2D(picture, (float)i + 1, 0.5f) + 1000 * (pair.y - pair.x);
}

int main()
{
    float values[8], got[8], *memory, *out;
    unsigned char bytes[16];
    int2 both[8], *memory2;
    cudaArray *array;
    for (int i = 0; i < 8; i++) {
        values[i] = (float)i;
        both[i] = make_int2(i, 3 * i);
    }
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(i < 8 ? 51 * (i & 3) : 255);
    CHECK(cudaMalloc(&memory, sizeof values));
    CHECK(cudaMalloc(&memory2, sizeof both));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(memory2, both, sizeof both, cudaMemcpyHostToDevice));
    CHECK(cudaMallocArray(&array, &picture.channelDesc, 8, 2));
    CHECK(cudaMemcpyToArray(array, 0, 0, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    picture.filterMode = cudaFilterModeLinear;
    CHECK(cudaBindTexture(NULL, plain, memory, sizeof values));
    CHECK(cudaBindTexture(0, pairs, memory2));
    CHECK(cudaBindTextureToArray(picture, array));
    read<<<1, 8>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        float next = i < 7 ? 0.2f * ((i + 1) & 3) : 0.6f;
        float want = (float)i + 100 * (0.2f * (i & 3) + next) / 2 + 2000 * i;
        if (got[i] - want > 1e-3f || want - got[i] > 1e-3f) {
            printf("%d: %g instead of %g\n", i, got[i], want);
            return 1;
        }
    }
    CHECK(cudaUnbindTexture(plain));
    read<<<1, 8>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
