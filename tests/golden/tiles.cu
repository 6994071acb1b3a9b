// Tiles of 64 x 64, 64 deep, a block each, of small whole numbers: by warps (tiles_warp), and by four warps together (tiles_group).
// tiles.ptx: lockstep cc --ptx -O2 tiles.cu
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define SIZE 64
#define PITCH 72 // of rows in shared memory: without conflicts

static __device__ __half number(int seed, int row, int column)
{
    return __half((float)((row * 31 + column * 17 + seed * 7 + (row ^ column)) % 9 - 4));
}

extern "C" __global__ void tiles_warp(float *c)
{
    __shared__ __align__(16) __half a[SIZE][PITCH], b[SIZE][PITCH];
    for (int i = threadIdx.x; i < SIZE * SIZE; i += blockDim.x) {
        a[i / SIZE][i % SIZE] = number(blockIdx.x, i / SIZE, i % SIZE);
        b[i / SIZE][i % SIZE] = number(blockIdx.x + 100, i / SIZE, i % SIZE);
    }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float d[8][4] = {};
    for (int k = 0; k < SIZE; k += 16) {
        unsigned x[4], y[2];
        unsigned from = (unsigned)__cvta_generic_to_shared(&a[warp * 16 + lane % 16][k + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(from));
        for (int n = 0; n < 8; n++) {
            unsigned of = (unsigned)__cvta_generic_to_shared(&b[k + lane % 16][n * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(of));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
    }
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 4; i++)
            c[blockIdx.x * SIZE * SIZE + (warp * 16 + lane / 4 + i / 2 * 8) * SIZE + n * 8 + lane % 4 * 2 + i % 2] = d[n][i];
}

// Rows of 128 bytes, whose units of 16 change places by the row.
static __device__ int swizzled(int row, int column)
{
    return row * SIZE + (((column / 8) ^ (row % 8)) * 8) + column % 8;
}

#define F8(n) "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3]), "+f"(d[n + 4]), "+f"(d[n + 5]), "+f"(d[n + 6]), "+f"(d[n + 7])

extern "C" __global__ void tiles_group(float *c)
{
    __shared__ __align__(1024) __half a[SIZE * SIZE], b[SIZE * SIZE];
    for (int i = threadIdx.x; i < SIZE * SIZE; i += blockDim.x) {
        a[swizzled(i / SIZE, i % SIZE)] = number(blockIdx.x, i / SIZE, i % SIZE);
        b[swizzled(i % SIZE, i / SIZE)] = number(blockIdx.x + 100, i / SIZE, i % SIZE); // columns of b are rows here
    }
    __syncthreads();
    float d[32];
    unsigned long long form = (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
    unsigned long long x = form | (__cvta_generic_to_shared(a) & 0x3FFFF) >> 4, y = form | (__cvta_generic_to_shared(b) & 0x3FFFF) >> 4;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < SIZE / 16; k++) {
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\twgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, "
                     "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
                     "%30, %31}, %32, %33, p, 1, 1, 0, 0;\n\t}"
                     : F8(0), F8(8), F8(16), F8(24)
                     : "l"(x + k * 2), "l"(y + k * 2), "r"(k));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 32; i++)
        c[blockIdx.x * SIZE * SIZE + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8) * SIZE + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
}
