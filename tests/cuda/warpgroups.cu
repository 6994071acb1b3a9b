// Products of matrices by four warps, of operands in shared memory or in registers: every swizzle, both directions, types, scales. The
// host packs the matrices as the copies that such kernels use leave them, and computes the products itself.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define M 64
#define N 64
#define K 64 // of 16-bit types: four instructions

#define F8(n) "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3]), "+f"(d[n + 4]), "+f"(d[n + 5]), "+f"(d[n + 6]), "+f"(d[n + 7])
#define R8(n) "+r"(d[n]), "+r"(d[n + 1]), "+r"(d[n + 2]), "+r"(d[n + 3]), "+r"(d[n + 4]), "+r"(d[n + 5]), "+r"(d[n + 6]), "+r"(d[n + 7])
#define D16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define D32 D16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

struct place {
    uint32_t leading, stride; // bytes
    uint32_t swizzle;         // as descriptors have them
    uint32_t step, many, block; // bytes from one instruction to the next; of so many, and from these to the next
};

__device__ uint64_t descriptor(const void *at, const place &p)
{
    uint64_t address = __cvta_generic_to_shared(at);
    return (address & 0x3FFFF) >> 4 | (uint64_t)(p.leading >> 4) << 16 | (uint64_t)(p.stride >> 4) << 32 | (uint64_t)p.swizzle << 62;
}

// What instruction i adds to the address of a descriptor.
__device__ uint64_t offset(const place &p, int i)
{
    return (i % p.many * p.step + i / p.many * p.block) >> 4;
}

__device__ void fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void finish()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SHARED_BY_SHARED(transa, transb)                                                                                         \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\twgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" D32          \
                 "}, %32, %33, p, 1, -1, " #transa ", " #transb ";\n\t}"                                                              \
                 : F8(0), F8(8), F8(16), F8(24)                                                                                  \
                 : "l"(a + offset(pa, i)), "l"(b + offset(pb, i)), "r"(i))

// Of D, thread t of the 128 writes 32 numbers.
__global__ void halves(int transposed, place pa, place pb, const uint4 *image, uint32_t *out)
{
    extern __shared__ __align__(1024) uint4 tiles[];
    for (int i = threadIdx.x; i < 1024; i += 128)
        tiles[i] = image[i];
    __syncthreads();
    uint64_t a = descriptor(tiles, pa), b = descriptor(tiles + 512, pb);
    float d[32];
    for (int i = 0; i < 32; i++)
        d[i] = 7;
    fence();
    for (int i = 0; i < K / 16; i++)
        switch (transposed) {
        case 0: SHARED_BY_SHARED(0, 0); break;
        case 1: SHARED_BY_SHARED(0, 1); break;
        case 2: SHARED_BY_SHARED(1, 0); break;
        default: SHARED_BY_SHARED(1, 1); break;
        }
    finish();
    for (int i = 0; i < 32; i++)
        out[threadIdx.x * 32 + i] = __float_as_uint(d[i]);
}

// A in registers, D in f16.
__global__ void registers(place pb, const uint32_t *fragments, const uint4 *image, uint32_t *out)
{
    extern __shared__ __align__(1024) uint4 tiles[];
    for (int i = threadIdx.x; i < 512; i += 128)
        tiles[512 + i] = image[512 + i];
    __syncthreads();
    uint64_t b = descriptor(tiles + 512, pb);
    uint32_t d[16], a[4];
    for (int i = 0; i < 16; i++)
        d[i] = 0x3C003C00; // ones
    fence();
    for (int i = 0; i < K / 16; i++) {
        for (int r = 0; r < 4; r++)
            a[r] = fragments[(i * 128 + threadIdx.x) * 4 + r];
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {" D16 "}, {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
                     : R8(0), R8(8)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b + offset(pb, i)));
    }
    finish();
    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = d[i];
}

// 8 columns of tf32, of bytes, of bf16 and of e4m3: one instruction each, from tiles of 32 bytes a row.
__global__ void others(place p, const uint4 *image, uint32_t *out)
{
    extern __shared__ __align__(1024) uint4 tiles[];
    for (int i = threadIdx.x; i < 1024; i += 128)
        tiles[i] = image[i];
    __syncthreads();
    uint64_t a = descriptor(tiles, p), b = descriptor(tiles + 512, p);
    float f[12] = {};
    uint32_t d[4] = {};
    fence();
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, 1, 1, 1;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%0, %1, %2, %3}, %4, %5, 1;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0, %1, %2, %3}, %4, %5, 1, 1, -1;"
                 : "+f"(f[8]), "+f"(f[9]), "+f"(f[10]), "+f"(f[11])
                 : "l"(a), "l"(b));
    finish();
    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = i < 12 ? __float_as_uint(f[i]) : d[i - 12];
}

static uint64_t state = 88172645463325252u;
static uint32_t next()
{
    state ^= state << 13;
    state ^= state >> 7;
    return (uint32_t)((state ^= state << 17) >> 16);
}

static __half a[M][K], b[K][N];

// A matrix of `outer` rows of k as copies of rows of so many bytes leave it: units of 16 bytes change places by their row.
static void pack_rows(char *to, int outer, int bytes, bool is_a)
{
    int per = bytes / 2, period = 128 / bytes; // elements of a row; rows that change places alike
    for (int o = 0; o < outer; o++)
        for (int k = 0; k < K; k++) {
            int block = k / per, unit = k % per / 8, row = o;
            int swapped = unit ^ (row / period % (bytes / 16));
            char *at = to + block * outer * bytes + row * bytes + swapped * 16 + k % 8 * 2;
            std::memcpy(at, is_a ? &a[o][k] : &b[k][o], 2);
        }
}

// The same with the outer direction along memory: rows of k.
static void pack_transposed(char *to, int outer, int bytes, bool is_a)
{
    int per = bytes / 2, period = 128 / bytes;
    for (int k = 0; k < K; k++)
        for (int o = 0; o < outer; o++) {
            int block = o / per, unit = o % per / 8;
            int swapped = unit ^ (k / period % (bytes / 16));
            std::memcpy(to + block * K * bytes + k * bytes + swapped * 16 + o % 8 * 2, is_a ? &a[o][k] : &b[k][o], 2);
        }
}

// No swizzle: 8 x 8 elements lie together.
static void pack_cores(char *to, int outer, bool is_a, bool transposed, int between_k, int between_outer)
{
    for (int o = 0; o < outer; o++)
        for (int k = 0; k < K; k++) {
            char *core = to + k / 8 * between_k + o / 8 * between_outer;
            std::memcpy(core + (transposed ? k % 8 * 16 + o % 8 * 2 : o % 8 * 16 + k % 8 * 2), is_a ? &a[o][k] : &b[k][o], 2);
        }
}

static place pack(char *to, int way, bool transposed, bool is_a)
{
    static const int widths[] = {16, 128, 64, 32};
    int bytes = widths[way], per = bytes / 2;
    place p = {};
    p.swizzle = (uint32_t)way;
    p.many = K / 16;
    if (!way) {
        pack_cores(to, 64, is_a, transposed, 128, 1024);
        p.leading = 128, p.stride = 1024, p.step = 256;
        return p;
    }
    if (!transposed) {
        pack_rows(to, 64, bytes, is_a);
        p.stride = 8 * bytes;
        p.step = 32;
        p.many = per / 16;
        p.block = 64 * bytes;
    } else {
        pack_transposed(to, 64, bytes, is_a);
        p.leading = K * bytes, p.stride = 8 * bytes, p.step = 16 * bytes;
    }
    return p;
}

static int wrong;

static void expect(const char *what, int row, int col, double got, double want)
{
    if (got != want && wrong++ < 5)
        std::fprintf(stderr, "%s: row %d, column %d is %g, not %g\n", what, row, col, got, want);
}

static double product(int row, int col, double c, double sign)
{
    for (int k = 0; k < K; k += 16) { // each instruction rounds its sums
        for (int i = k; i < k + 16; i++)
            c += sign * (double)__half2float(a[row][i]) * (double)__half2float(b[i][col]);
        c = (float)c;
    }
    return c;
}

static void check_halves(uint32_t *image, uint32_t *out)
{
    for (int way = 0; way < 4; way++)
        for (int transposed = 0; transposed < 4; transposed++) {
            place pa = pack((char *)image, way, transposed & 2, true), pb = pack((char *)image + 8192, way, transposed & 1, false);
            halves<<<1, 128, 16384>>>(transposed, pa, pb, (const uint4 *)image, out);
            cudaDeviceSynchronize();
            for (int t = 0; t < 128; t++)
                for (int i = 0; i < 32; i++) {
                    int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), col = i / 4 * 8 + t % 4 * 2 + i % 2;
                    float got;
                    std::memcpy(&got, &out[t * 32 + i], 4);
                    expect(way == 0 ? "none" : way == 1 ? "128 bytes" : way == 2 ? "64 bytes" : "32 bytes", row, col, got,
                           product(row, col, 0, -1));
                }
        }
}

static void check_registers(uint32_t *image, uint32_t *fragments, uint32_t *out)
{
    place pb = pack((char *)image + 8192, 1, false, false);
    for (int k = 0; k < K / 16; k++)
        for (int t = 0; t < 128; t++)
            for (int r = 0; r < 4; r++) {
                int row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2), col = k * 16 + 8 * (r / 2) + t % 4 * 2;
                std::memcpy(&fragments[(k * 128 + t) * 4 + r], &a[row][col], 4);
            }
    registers<<<1, 128, 16384>>>(pb, fragments, (const uint4 *)image, out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 32; i++) {
            int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), col = i / 4 * 8 + t % 4 * 2 + i % 2;
            __half got;
            std::memcpy(&got, (char *)&out[t * 16] + i * 2, 2);
            double c = 1;
            for (int k = 0; k < K; k += 16) {
                for (int j = k; j < k + 16; j++)
                    c += (double)__half2float(a[row][j]) * (double)__half2float(b[j][col]);
                c = __half2float(__float2half_rn((float)c)); // sums have few digits: f32 has them all
            }
            expect("registers", row, col, __half2float(got), c);
        }
}

static float bf16(const char *row, int k)
{
    uint16_t h;
    std::memcpy(&h, row + 2 * k, 2);
    uint32_t bits = (uint32_t)h << 16;
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}

static double e4m3(char byte)
{
    int e = byte >> 3 & 15, fraction = byte & 7;
    double x = e ? std::ldexp(1 + fraction / 8.0, e - 7) : std::ldexp(fraction / 8.0, -6);
    return byte & 0x80 ? -x : x;
}

// Rows of 32 bytes, unit u of row r at u ^ r / 4 % 2: bits that are small numbers of each of the three types.
static void check_others(char *image, uint32_t *out)
{
    static char rows[72][32]; // A, then the columns of B
    for (int r = 0; r < 72; r++) {
        for (int k = 0; k < 8; k++) {
            float x = (float)((int)(next() % 64) - 32) / 8;
            std::memcpy(rows[r] + 4 * k, &x, 4);
        }
        for (int u = 0; u < 2; u++)
            std::memcpy((r < 64 ? image + r * 32 : image + 8192 + (r - 64) * 32) + 16 * (u ^ (r / 4 % 2)), rows[r] + 16 * u, 16);
    }
    place p = {};
    p.stride = 256, p.swizzle = 3;
    others<<<1, 128, 16384>>>(p, (const uint4 *)image, out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 4; i++) {
            int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2), col = t % 4 * 2 + i % 2, bytes = 0;
            const char *x = rows[row], *y = rows[64 + col];
            double words = 0, halves = 0, quarters = 0;
            for (int k = 0; k < 8; k++)
                words += (double)((const float *)x)[k] * ((const float *)y)[k];
            for (int k = 0; k < 16; k++)
                halves += (double)bf16(x, k) * bf16(y, k);
            for (int k = 0; k < 32; k++)
                bytes += (unsigned char)x[k] * (signed char)y[k], quarters -= e4m3(x[k]) * e4m3(y[k]);
            float got[3];
            for (int n = 0; n < 3; n++)
                std::memcpy(&got[n], &out[t * 16 + 4 * n + i], 4);
            expect("tf32", row, col, got[0], (float)words);
            expect("bf16", row, col, got[1], (float)halves);
            expect("e4m3", row, col, got[2], (float)quarters);
            expect("bytes", row, col, (int)out[t * 16 + 12 + i], bytes);
        }
}

int main()
{
    uint32_t *image, *out, *fragments;
    cudaMallocManaged(&image, 16384);
    cudaMallocManaged(&out, 16384);
    cudaMallocManaged(&fragments, 16384);
    for (int i = 0; i < 64 * 64; i++) {
        a[i / 64][i % 64] = __float2half_rn((float)((int)(next() % 33) - 16) / 16);
        b[i / 64][i % 64] = __float2half_rn((float)((int)(next() % 33) - 16) / 16);
    }
    check_halves(image, out);
    check_registers(image, fragments, out);
    check_others((char *)image, out);
    std::printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return 0;
}
