/* Products of matrices: mma by shape and type, ldmatrix and stmatrix, and wgmma by columns, each as a chain of dependent
 * ones and as the rate of an SM. What goes in differs by lane and by chain, or the compiler makes one of several equal
 * ones. Needs compute capability 9.0 (sm_90a). */
#include "hopper.h"

#ifdef MEASURE_CLUSTERS
enum { WORDS = 64 }; /* 32-bit words of matrices a lane */

/* ---- mma: how many registers a, b and d have, and the multiply-adds of a warp ---- */
#define MMA(name, text, D, A, B, D_ASM, A_ASM, B_ASM, multiply_adds, ...)                          \
    struct name {                                                                                 \
        typedef D word;                                                                           \
        static const char *title() { return text; }                                               \
        static constexpr int as = A, bs = B;                                                      \
        static constexpr double steps = multiply_adds;                                            \
        static __device__ __forceinline__ void step(D *d, const u32 *a, const u32 *b)             \
        {                                                                                         \
            asm volatile("mma.sync.aligned." text " {" D_ASM "}, {" A_ASM "}, {" B_ASM "}, {" D_ASM "};" __VA_ARGS__); \
        }                                                                                         \
    };
#define F4 "%0, %1, %2, %3"
#define OUT_F "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define OUT_R "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define IN4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define IN2 "r"(a[0]), "r"(a[1])
MMA(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", float, 4, 2, F4, "%4, %5, %6, %7", "%8, %9", 2048, : OUT_F : IN4, "r"(b[0]), "r"(b[1]))
MMA(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, 4, 2, F4, "%4, %5, %6, %7", "%8, %9", 2048, : OUT_F : IN4, "r"(b[0]), "r"(b[1]))
MMA(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", float, 2, 1, F4, "%4, %5", "%6", 1024, : OUT_F : IN2, "r"(b[0]))
MMA(half_k16, "m16n8k16.row.col.f16.f16.f16.f16", u32, 4, 2, "%0, %1", "%2, %3, %4, %5", "%6, %7", 2048, : "+r"(d[0]), "+r"(d[1]) : IN4, "r"(b[0]), "r"(b[1]))
MMA(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", float, 4, 2, F4, "%4, %5, %6, %7", "%8, %9", 1024, : OUT_F : IN4, "r"(b[0]), "r"(b[1]))
MMA(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", float, 2, 1, F4, "%4, %5", "%6", 512, : OUT_F : IN2, "r"(b[0]))
MMA(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32", u32, 4, 2, F4, "%4, %5, %6, %7", "%8, %9", 4096, : OUT_R : IN4, "r"(b[0]), "r"(b[1]))
MMA(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32", u32, 2, 1, F4, "%4, %5", "%6", 2048, : OUT_R : IN2, "r"(b[0]))
MMA(f64_m8, "m8n8k4.row.col.f64.f64.f64.f64", double, 2, 2, "%0, %1", "%2", "%3", 256, : "+d"(d[0]), "+d"(d[1]) : "d"((double)a[0]), "d"((double)b[0]))
MMA(f64_k4, "m16n8k4.row.col.f64.f64.f64.f64", double, 2, 1, F4, "%4, %5", "%6", 512,
    : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"((double)a[0]), "d"((double)a[1]), "d"((double)b[0]))
MMA(f64_k16, "m16n8k16.row.col.f64.f64.f64.f64", double, 8, 4, F4, "%4, %5, %6, %7, %8, %9, %10, %11", "%12, %13, %14, %15", 2048,
    : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
    : "d"((double)a[0]), "d"((double)a[1]), "d"((double)a[2]), "d"((double)a[3]), "d"((double)a[4]), "d"((double)a[5]), "d"((double)a[6]), "d"((double)a[7]),
      "d"((double)b[0]), "d"((double)b[1]), "d"((double)b[2]), "d"((double)b[3]))

/* `turns` rounds of a product in each of CHAINS chains, by each warp. */
template <class O, int CHAINS> __global__ void products(mark *m, const u32 *in, u32 *out, int turns)
{
    typename O::word d[CHAINS][4];
    u32 a[8], b[CHAINS][4];
    const u32 *mine = in + (threadIdx.x & 31) * WORDS;
    for (int i = 0; i < O::as; i++)
        a[i] = mine[i];
    for (int k = 0; k < CHAINS; k++) {
        for (int i = 0; i < O::bs; i++)
            b[k][i] = mine[8 + k * 4 + i];
        for (int i = 0; i < 4; i++)
            d[k][i] = (typename O::word)mine[40 + (k + i) % 8];
    }
    for (int k = 0; k < CHAINS; k++)
        O::step(d[k], a, b[k]); /* so that what was loaded is there */
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i += 8)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                O::step(d[k], a, b[k]);
    typename O::word s = 0;
    for (int k = 0; k < CHAINS; k++)
        s += d[k][0] + d[k][1];
    if (s == (typename O::word)12345) /* never, but the compiler waits for the products here */
        out[threadIdx.x] = 1;
    __syncthreads();
    u64 end = clock64();
    note(m, begin, end);
}
template <class O, int CHAINS> static void product_rate(mark *m, const u32 *in, u32 *out, unsigned warps)
{
    std::vector<double> v;
    const int turns = 128;
    char type[64];
    for (int k = -1; k < measure.repetitions; k++) {
        products<O, CHAINS><<<(unsigned)measure.sms, 32 * warps>>>(m, in, out, turns);
        finish(O::title());
        if (k >= 0 || measure.small)
            v.push_back(rate_of_sm(m, (unsigned)measure.sms, turns * CHAINS * O::steps * warps));
    }
    snprintf(type, sizeof type, "%s; %d in flight a warp", O::title(), CHAINS);
    row("mma multiply-adds; warps", type, warps, v, "operations/cycle/SM", true);
}
template <class O> static void product_rows(mark *m, const u32 *in, u32 *out)
{
    std::vector<double> v;
    for (int k = 0; k < measure.repetitions; k++) {
        double cycles[2];
        for (int far = 0; far < 2; far++) {
            products<O, 1><<<1, 32>>>(m, in, out, far ? 256 : 128);
            finish(O::title());
            mark h = from_device(m, 1)[0];
            cycles[far] = (double)(h.end - h.begin);
        }
        if (k || measure.repetitions == 1)
            v.push_back((cycles[1] - cycles[0]) / 128);
    }
    row("mma chain", O::title(), 1, v, "cycles");
    for (unsigned warps : {4u, 8u, 16u}) {
        product_rate<O, 1>(m, in, out, warps);
        product_rate<O, 4>(m, in, out, warps);
    }
}

/* ---- ldmatrix and stmatrix ---- */
enum { LOAD1, LOAD2, LOAD4, LOAD4_TRANSPOSED, STORE1, STORE2, STORE4, STORE4_TRANSPOSED, TILES };
static const char *const tile_names[] = {"ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "ldmatrix.x4.trans", "stmatrix.x1", "stmatrix.x2", "stmatrix.x4", "stmatrix.x4.trans"};
template <int KIND> static __device__ __forceinline__ void tile(u32 *v, u32 at)
{
    switch (KIND) {
    case LOAD1:
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(at) : "memory");
        break;
    case LOAD2:
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at) : "memory");
        break;
    case LOAD4:
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at) : "memory");
        break;
    case LOAD4_TRANSPOSED:
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at) : "memory");
        break;
    case STORE1:
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(v[0]), "r"(at) : "memory");
        break;
    case STORE2:
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%2], {%0, %1};" ::"r"(v[0]), "r"(v[1]), "r"(at) : "memory");
        break;
    case STORE4:
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(at) : "memory");
        break;
    default:
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(at) : "memory");
    }
}
/* 64 of them by each warp; chain: each address needs the result of the one before. Rows lie `stride` bytes apart: 16 are free of
 * conflicts, 128 all in the same banks. */
template <int KIND> __global__ void tiles(mark *m, u32 *out, u32 stride, int chain)
{
    __shared__ __align__(128) u32 words[4096];
    u32 v[4] = {}, sum = 0, at = shared_address(words) + (threadIdx.x & 31) * stride;
    for (u32 i = threadIdx.x; i < 4096; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i += 8)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            tile<KIND>(v, at);
            if (KIND < STORE1 && chain)
                at += v[0]; /* 0 */
            else if (KIND < STORE1)
                sum += v[0];
        }
    if (sum + at == 77)
        out[threadIdx.x] = 1;
    __syncthreads();
    u64 end = clock64();
    note(m, begin, end);
}
template <int KIND> static void tile_rows(mark *m, u32 *out)
{
    if (KIND < STORE1)
        row("matrices of shared memory chain; bytes between rows", tile_names[KIND], 16, cycles_of(m, 64, "tiles", [&] { tiles<KIND><<<1, 32>>>(m, out, 16, 1); }), "cycles");
    for (u32 stride : {16u, 128u})
        for (unsigned warps : {1u, 16u}) {
            char type[64];
            snprintf(type, sizeof type, "%s; %u warps", tile_names[KIND], warps);
            row("matrices of shared memory cycles each; bytes between rows", type, stride,
                cycles_of(m, 64.0 * warps, "tiles", [&] { tiles<KIND><<<1, 32 * warps>>>(m, out, stride, 0); }), "cycles");
        }
}

/* ---- wgmma: d has N/2 registers a lane ---- */
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define TEN_F(t) "+f"(d[t##0]), "+f"(d[t##1]), "+f"(d[t##2]), "+f"(d[t##3]), "+f"(d[t##4]), "+f"(d[t##5]), "+f"(d[t##6]), "+f"(d[t##7]), "+f"(d[t##8]), "+f"(d[t##9])
#define TEN_R(t) "+r"(d[t##0]), "+r"(d[t##1]), "+r"(d[t##2]), "+r"(d[t##3]), "+r"(d[t##4]), "+r"(d[t##5]), "+r"(d[t##6]), "+r"(d[t##7]), "+r"(d[t##8]), "+r"(d[t##9])
#define LIST_8 "%0, %1, %2, %3"
#define LIST_32 TEN() ", %10, %11, %12, %13, %14, %15"
#define LIST_64 TEN() ", " TEN(1) ", " TEN(2) ", %30, %31"
#define LIST_128 TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", %60, %61, %62, %63"
#define LIST_256                                                                                                                                                  \
    TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", " TEN(6) ", " TEN(7) ", " TEN(8) ", " TEN(9) ", " TEN(10) ", " TEN(11) ", %120, %121, %122, %123, " \
    "%124, %125, %126, %127"
#define D_8(O, T) O(d[0]), O(d[1]), O(d[2]), O(d[3])
#define D_32(O, T) T(), O(d[10]), O(d[11]), O(d[12]), O(d[13]), O(d[14]), O(d[15])
#define D_64(O, T) T(), T(1), T(2), O(d[30]), O(d[31])
#define D_128(O, T) T(), T(1), T(2), T(3), T(4), T(5), O(d[60]), O(d[61]), O(d[62]), O(d[63])
#define D_256(O, T) T(), T(1), T(2), T(3), T(4), T(5), T(6), T(7), T(8), T(9), T(10), T(11), O(d[120]), O(d[121]), O(d[122]), O(d[123]), O(d[124]), O(d[125]), O(d[126]), O(d[127])
#define F(x) "+f"(x)
#define R(x) "+r"(x)
/* a from shared memory, or from registers; n0 to n4: the numbers of the operands behind d; then what follows p in either */
#define WGMMA(name, N, k, types, D, O, T, n0, n1, n2, n3, n4, of_shared, of_registers)             \
    struct name {                                                                                 \
        typedef D word;                                                                           \
        static const char *title() { return "m64n" #N "k" #k types; }                             \
        static constexpr int words = N / 2;                                                       \
        static constexpr double steps = 64.0 * N * k;                                             \
        static __device__ __forceinline__ void shared(D *d, u64 a, u64 b)                         \
        {                                                                                         \
            asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n" #N "k" #k types \
                         " {" LIST_##N "}, " n0 ", " n1 ", p" of_shared ";}"                  \
                         : D_##N(O, T)                                                            \
                         : "l"(a), "l"(b));                                                       \
        }                                                                                         \
        static __device__ __forceinline__ void registers(D *d, const u32 *a, u64 b)               \
        {                                                                                         \
            asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n" #N "k" #k types \
                         " {" LIST_##N "}, {" n0 ", " n1 ", " n2 ", " n3 "}, " n4 ", p" of_registers ";}" \
                         : D_##N(O, T)                                                            \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                   \
        }                                                                                         \
    };
#define WGMMA_OF(N, ...)                                                                          \
    WGMMA(wg_f16_##N, N, 16, ".f32.f16.f16", float, F, TEN_F, __VA_ARGS__, ", 1, 1, 0, 0", ", 1, 1, 0") \
    WGMMA(wg_tf32_##N, N, 8, ".f32.tf32.tf32", float, F, TEN_F, __VA_ARGS__, ", 1, 1", ", 1, 1")  \
    WGMMA(wg_s8_##N, N, 32, ".s32.s8.s8", u32, R, TEN_R, __VA_ARGS__, "", "")
WGMMA_OF(8, "%4", "%5", "%6", "%7", "%8")
WGMMA_OF(32, "%16", "%17", "%18", "%19", "%20")
WGMMA_OF(64, "%32", "%33", "%34", "%35", "%36")
WGMMA_OF(128, "%64", "%65", "%66", "%67", "%68")
WGMMA_OF(256, "%128", "%129", "%130", "%131", "%132")

/* What describes a matrix with rows of 128 bytes, swizzled by 128, in groups of 8 rows. */
static __device__ __forceinline__ u64 descriptor(u32 address)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}
extern __shared__ __align__(1024) char matrices[];
enum { A_BYTES = 64 * 128, B_BYTES = 256 * 128, MATRIX_BYTES = A_BYTES + B_BYTES + 1024 };
/* Volatile, or the compiler would do it behind the first reading of the clock. */
static __device__ __forceinline__ void clear(float &x)
{
    asm volatile("mov.f32 %0, 0f00000000;" : "=f"(x));
}
static __device__ __forceinline__ void clear(u32 &x)
{
    asm volatile("mov.u32 %0, 0;" : "=r"(x));
}
/* Groups of TOGETHER products, `turns` times: each warpgroup waits for each of its groups. */
template <class O, bool REGISTERS, int TOGETHER> __global__ void __launch_bounds__(O::words > 64 ? 256 : 512) group_products(mark *m, u32 *out, int turns)
{
    typename O::word d[O::words];
    u32 a[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x * 2, 5}, base = (shared_address(matrices) + 1023) & ~1023u;
#pragma unroll
    for (int i = 0; i < O::words; i++)
        clear(d[i]);
    for (u32 i = threadIdx.x * 4; i < A_BYTES + B_BYTES; i += blockDim.x * 4)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + i), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    u64 da = descriptor(base), db = descriptor(base + A_BYTES);
    u64 begin = 0, issued = 0;
#pragma unroll 1
    for (int i = -1; i < turns; i++) { /* the first turn brings the instructions */
        if (i == 0) {
            __syncthreads();
            begin = clock64();
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int j = 0; j < TOGETHER; j++)
            if (REGISTERS)
                O::registers(d, a, db);
            else
                O::shared(d, da, db);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (i == 0)
            issued = clock64();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    u64 end = clock64();
    __syncthreads();
    u64 all = clock64();
    typename O::word s = 0;
#pragma unroll
    for (int i = 0; i < O::words; i++)
        s += d[i];
    if (s == (typename O::word)12345)
        out[threadIdx.x] = 1;
    note(m, begin, gridDim.x > 1 ? all : end);
    if (threadIdx.x == 0)
        m[blockIdx.x].unused = (u32)(issued - begin);
}
template <class O, bool REGISTERS> static void group_rate(mark *m, u32 *out, const char *type, unsigned groups)
{
    std::vector<double> v;
    const int turns = 16;
    check(cudaFuncSetAttribute((const void *)group_products<O, REGISTERS, 16>, cudaFuncAttributeMaxDynamicSharedMemorySize, MATRIX_BYTES), "shared memory");
    for (int k = -1; k < measure.repetitions; k++) {
        group_products<O, REGISTERS, 16><<<(unsigned)measure.sms, 128 * groups, MATRIX_BYTES>>>(m, out, turns);
        finish(type);
        if (k >= 0 || measure.small)
            v.push_back(rate_of_sm(m, (unsigned)measure.sms, turns * 16 * O::steps * groups));
    }
    row("wgmma multiply-adds; warpgroups", type, groups, v, "operations/cycle/SM", true);
}
template <class O, bool REGISTERS, int TOGETHER> static void group_wait(mark *m, u32 *out, const char *type)
{
    check(cudaFuncSetAttribute((const void *)group_products<O, REGISTERS, TOGETHER>, cudaFuncAttributeMaxDynamicSharedMemorySize, MATRIX_BYTES), "shared memory");
    auto launch = [&](int turns) { group_products<O, REGISTERS, TOGETHER><<<1, 128, MATRIX_BYTES>>>(m, out, turns); };
    row("wgmma until a wait is over; products", type, TOGETHER, cycles_of(m, 1, type, [&] { launch(1); }), "cycles");
    if (TOGETHER > 1)
        return;
    mark h = from_device(m, 1)[0];
    row("wgmma issue and commit; products", type, 1, {(double)h.unused}, "cycles");
    row("wgmma wait behind issue and commit; products", type, 1, {(double)(h.end - h.begin) - h.unused}, "cycles");
    row("wgmma and wait; products one by one", type, 1, cycles_of(m, 32, type, [&] { launch(32); }), "cycles");
}
template <class O, bool REGISTERS> static void group_rows(mark *m, u32 *out)
{
    char type[64];
    snprintf(type, sizeof type, "%s; a in %s", O::title(), REGISTERS ? "registers" : "shared memory");
    group_wait<O, REGISTERS, 1>(m, out, type);
    group_wait<O, REGISTERS, 2>(m, out, type);
    group_wait<O, REGISTERS, 4>(m, out, type);
    group_wait<O, REGISTERS, 16>(m, out, type);
    for (unsigned groups : {1u, 2u, 3u, 4u})
        if (O::words * groups <= 256)
            group_rate<O, REGISTERS>(m, out, type, groups);
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    if (measure.major < 9) {
        printf("# compute capability 9.0 is needed\n");
        return 0;
    }
    mark *m = device_array<mark>(8192);
    u32 *out = device_array<u32>(4096), *in = device_array<u32>(32 * WORDS);
    std::vector<u32> values(32 * WORDS);
    for (u32 i = 0; i < values.size(); i++)
        values[i] = 0x3c003800 + (i * 2654435761u >> 22) * 0x10001; /* small numbers of all types */
    check(cudaMemcpy(in, values.data(), values.size() * sizeof(u32), cudaMemcpyHostToDevice), "values");
    if (wanted("mma")) {
        product_rows<f16_k16>(m, in, out);
        product_rows<half_k16>(m, in, out);
        product_rows<f16_k8>(m, in, out);
        product_rows<bf16_k16>(m, in, out);
        product_rows<tf32_k8>(m, in, out);
        product_rows<tf32_k4>(m, in, out);
        product_rows<s8_k32>(m, in, out);
        product_rows<s8_k16>(m, in, out);
        product_rows<f64_m8>(m, in, out);
        product_rows<f64_k4>(m, in, out);
        product_rows<f64_k16>(m, in, out);
    }
    if (wanted("tiles")) {
        tile_rows<LOAD1>(m, out);
        tile_rows<LOAD2>(m, out);
        tile_rows<LOAD4>(m, out);
        tile_rows<LOAD4_TRANSPOSED>(m, out);
        tile_rows<STORE1>(m, out);
        tile_rows<STORE2>(m, out);
        tile_rows<STORE4>(m, out);
        tile_rows<STORE4_TRANSPOSED>(m, out);
    }
    if (wanted("wgmma")) {
        group_rows<wg_f16_64, false>(m, out);
        group_rows<wg_f16_128, false>(m, out);
    }
    if (wanted("wgmma") && !measure.few) {
        group_rows<wg_f16_8, false>(m, out);
        group_rows<wg_f16_32, false>(m, out);
        group_rows<wg_f16_256, false>(m, out);
        group_rows<wg_f16_64, true>(m, out);
        group_rows<wg_f16_128, true>(m, out);
        group_rows<wg_f16_256, true>(m, out);
        group_rows<wg_tf32_64, false>(m, out);
        group_rows<wg_tf32_128, false>(m, out);
        group_rows<wg_tf32_256, false>(m, out);
        group_rows<wg_tf32_128, true>(m, out);
        group_rows<wg_s8_64, false>(m, out);
        group_rows<wg_s8_128, false>(m, out);
        group_rows<wg_s8_256, false>(m, out);
    }
    return 0;
}
#else
int main(int argc, char **argv)
{
    begin_program(argc, argv);
    printf("# this compiler knows nothing of Hopper\n");
    return 0;
}
#endif
