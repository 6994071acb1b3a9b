// mma of numbers of 4 bits and of single bits, and of sparse matrices. The host makes whole matrices, chooses at random which elements of a sparse one
// are there, packs what each lane holds as the manual says it, and computes the products itself. Prints "no error, 0 wrong".
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum kind { S4, U4, B1, S8, U8, F16, BF16, TF32, S32, F32 };

// m, n, k, types of a, b and c (which is d's), whether a is sparse, the selector, the operation on bits (1: xor), whether sums are clamped.
#define FORMS(FORM)                                                                                                    \
    FORM(0, 8, 32, S4, S4, S32, 0, 0, 0, 0, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", D2, A1, B1_)              \
    FORM(1, 16, 32, U4, S4, S32, 0, 0, 0, 0, "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", D4, A2, B1_)            \
    FORM(2, 16, 64, S4, U4, S32, 0, 0, 0, 1, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", D4, A4, B2)   \
    FORM(3, 8, 128, B1, B1, S32, 0, 0, 1, 0, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", D2, A1, B1_)   \
    FORM(4, 16, 128, B1, B1, S32, 0, 0, 0, 0, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", D4, A2, B1_) \
    FORM(5, 16, 256, B1, B1, S32, 0, 0, 1, 0, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", D4, A4, B2)  \
    FORM(6, 16, 16, F16, F16, F16, 1, 3, 0, 0, "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", D2, A2, B2)      \
    FORM(7, 16, 16, F16, F16, F32, 1, 0, 0, 0, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", D4, A2, B2)      \
    FORM(8, 16, 32, F16, F16, F32, 1, 1, 0, 0, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", D4, A4, B4)      \
    FORM(9, 16, 32, F16, F16, F16, 1, 0, 0, 0, "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", D2, A4, B4)      \
    FORM(10, 16, 32, BF16, BF16, F32, 1, 1, 0, 0, "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", D4, A4, B4) \
    FORM(11, 16, 8, TF32, TF32, F32, 1, 2, 0, 0, "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", D4, A2, B2)   \
    FORM(12, 16, 16, TF32, TF32, F32, 1, 1, 0, 0, "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", D4, A4, B4) \
    FORM(13, 16, 32, S8, U8, S32, 1, 1, 0, 0, "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", D4, A2, B2)         \
    FORM(14, 16, 64, U8, S8, S32, 1, 0, 0, 1, "mma.sp.sync.aligned.m16n8k64.row.col.satfinite.s32.u8.s8.s32", D4, A4, B4) \
    FORM(15, 16, 64, S4, S4, S32, 1, 1, 0, 0, "mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", D4, A2, B2)         \
    FORM(16, 16, 128, U4, S4, S32, 1, 0, 0, 0, "mma.sp.sync.aligned.m16n8k128.row.col.s32.u4.s4.s32", D4, A4, B4)

struct form {
    int number, m, k;
    kind a, b, c;
    int sparse, selector, is_xor, clamps;
    const char *name;
};
static const form forms[] = {
#define FORM(number, m, k, a, b, c, sparse, selector, is_xor, clamps, name, d_, a_, b_) {number, m, k, a, b, c, sparse, selector, is_xor, clamps, name},
    FORMS(FORM)
#undef FORM
};
enum { COUNT = sizeof forms / sizeof *forms };

// Operands: d and c are %0 to %3, a %4 to %7, b %8 to %11, the metadata %12.
#define D2 "{%0, %1}"
#define D4 "{%0, %1, %2, %3}"
#define A1 "{%4}"
#define A2 "{%4, %5}"
#define A4 "{%4, %5, %6, %7}"
#define B1_ "{%8}"
#define B2 "{%8, %9}"
#define B4 "{%8, %9, %10, %11}"

// a[4], b[4], metadata of each lane; D comes in the place of C.
__global__ void product(int which, const uint32_t *ins, uint32_t *outs)
{
    const uint32_t *in = ins + threadIdx.x * 9;
    uint32_t c[4];
    for (int i = 0; i < 4; i++)
        c[i] = outs[threadIdx.x * 4 + i];
#define TAIL0(selector) ";"
#define TAIL1(selector) ", %12, " #selector ";"
#define ASM(type, name, d_, a_, b_, tail)                                                                              \
    asm volatile(name " " d_ ", " a_ ", " b_ ", " d_ tail                                                              \
                 : "+" type(x[0]), "+" type(x[1]), "+" type(x[2]), "+" type(x[3])                                      \
                 : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7]), "r"(in[8]))
    switch (which) {
#define FORM(number, m, k, a, b, c_, sparse, selector, is_xor, clamps, name, d_, a_, b_)                               \
    case number:                                                                                                       \
        if (c_ == F32) {                                                                                               \
            float x[4] = {__uint_as_float(c[0]), __uint_as_float(c[1]), __uint_as_float(c[2]), __uint_as_float(c[3])}; \
            ASM_##c_(F, name, d_, a_, b_, TAIL##sparse(selector));                                                     \
            for (int i = 0; i < 4; i++)                                                                                \
                c[i] = __float_as_uint(x[i]);                                                                          \
        } else {                                                                                                       \
            uint32_t *x = c;                                                                                           \
            ASM_##c_(R, name, d_, a_, b_, TAIL##sparse(selector));                                                     \
        }                                                                                                              \
        break;
#define ASM_F32(which, ...) ASM_F32_##which(__VA_ARGS__)
#define ASM_S32(which, ...) ASM_S32_##which(__VA_ARGS__)
#define ASM_F16(which, ...) ASM_S32_##which(__VA_ARGS__)
#define ASM_F32_F(...) ASM("f", __VA_ARGS__)
#define ASM_F32_R(...) (void)x
#define ASM_S32_F(...) (void)x
#define ASM_S32_R(...) ASM("r", __VA_ARGS__)
        FORMS(FORM)
#undef FORM
    }
    for (int i = 0; i < 4; i++)
        outs[threadIdx.x * 4 + i] = c[i];
}

static uint64_t state = 88172645463325252u;
static uint64_t next()
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int bits_of(kind t)
{
    return t == B1 ? 1 : t == S4 || t == U4 ? 4 : t == S8 || t == U8 ? 8 : t == F16 || t == BF16 ? 16 : 32;
}

static float as_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}
static uint32_t as_bits(float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    return bits;
}

// Small numbers, whose sums are exact: of which order a sum is made does not show.
static uint32_t pick(kind t)
{
    uint32_t r = (uint32_t)next();
    int small = (int)(r % 31) - 15;
    switch (t) {
    case F16: return __half_as_ushort(__float2half((float)small / 4));
    case BF16: return as_bits((float)small / 4) >> 16;
    case TF32:
    case F32: return as_bits((float)small / 8);
    case S32: return r % 5 == 0 ? 0x7FFFFFF0u + r % 16 : r;
    default: return r & ((1u << bits_of(t)) - 1);
    }
}
static double value(kind t, uint32_t bits)
{
    switch (t) {
    case F16: return __half2float(__ushort_as_half((unsigned short)bits));
    case BF16: return as_float(bits << 16);
    case TF32:
    case F32: return as_float(bits);
    case S32: return (int32_t)bits;
    case S8: return (int8_t)bits;
    case S4: return (int)(bits ^ 8) - 8;
    default: return bits;
    }
}

// What the manual has: element i of lane's fragments.
static void place_a(const form &f, int lane, int i, int stored, int *row, int *col)
{
    int group = lane / 4, t = lane % 4, per = 32 / bits_of(f.a), half = i / per; // the register
    *row = f.m == 8 ? group : group + 8 * (half & 1);
    *col = t * per + i % per + (f.m == 16 && half >= 2 ? 4 * per : 0);
    (void)stored;
}
static void place_b(const form &f, int lane, int i, int *row, int *col)
{
    int per = 32 / bits_of(f.b);
    *row = lane % 4 * per + i % per + i / per * 4 * per;
    *col = lane / 4;
}
static void put(uint32_t *words, int bits, int i, uint32_t what)
{
    words[i * bits / 32] |= what << i * bits % 32;
}

static uint32_t a[16][256], b[256][8], c[16][8], kept[16][128], where[16][128];
static int wrong;

// Leaves half of each row's elements out, and says which are there. Returns the metadata of a row: 2 bits for each unit that is there.
static void thin(const form &f, uint32_t meta[16][8])
{
    int bits = bits_of(f.a), wide = bits == 32 ? 2 : 4, most = bits == 32 ? 1 : 2, size = bits == 4 ? 2 : 1; // units of a group, those kept, elements of one
    std::memset(meta, 0, 16 * 8 * sizeof(uint32_t));
    for (int row = 0; row < 16; row++) {
        int stored = 0, pairs = 0;
        for (int group = 0; group < f.k / (wide * size); group++) {
            int first = (int)(next() % (wide - most + 1)), second = most == 1 ? 0 : first + 1 + (int)(next() % (wide - first - 1));
            int there[2] = {first, second};
            for (int n = 0; n < most; n++) {
                for (int e = 0; e < size; e++) {
                    where[row][stored] = (group * wide + there[n]) * size + e;
                    kept[row][stored] = a[row][where[row][stored]];
                    stored++;
                }
                uint32_t code = bits == 32 ? (there[n] ? 14 : 4) : (uint32_t)there[n];
                meta[row][pairs / 8] |= code << 2 * (pairs % 8);
                pairs += bits == 32 ? 2 : 1;
            }
        }
    }
}

static void check(const form &f, uint32_t *ins, uint32_t *outs)
{
    static uint32_t meta[16][8];
    int ba = bits_of(f.a), bb = bits_of(f.b), bc = bits_of(f.c), stored = f.sparse ? f.k / 2 : f.k, row, col;
    for (int i = 0; i < f.m; i++)
        for (int k = 0; k < f.k; k++)
            a[i][k] = pick(f.a);
    for (int k = 0; k < f.k; k++)
        for (int n = 0; n < 8; n++)
            b[k][n] = pick(f.b);
    for (int i = 0; i < f.m; i++)
        for (int n = 0; n < 8; n++)
            c[i][n] = pick(f.c);
    if (f.sparse)
        thin(f, meta);
    std::memset(ins, 0, 32 * 9 * 4);
    std::memset(outs, 0, 32 * 4 * 4);
    int units = ba == 32 ? 2 * f.k : ba == 4 ? f.k / 2 : f.k, lanes = units / 16;
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < f.m * stored / 32; i++) {
            place_a(f, lane, i, stored, &row, &col);
            put(ins + lane * 9, ba, i, f.sparse ? kept[row][col] : a[row][col]);
        }
        for (int i = 0; i < f.k * 8 / 32; i++) {
            place_b(f, lane, i, &row, &col);
            put(ins + lane * 9 + 4, bb, i, b[row][col]);
        }
        for (int i = 0; i < f.m * 8 / 32; i++)
            put(outs + lane * 4, bc, i, c[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2]);
        ins[lane * 9 + 8] = (uint32_t)next(); // what does not count
        int part = lane % 4 - f.selector * lanes;
        if (f.sparse && part >= 0 && part < lanes)
            ins[lane * 9 + 8] = ba > 8 ? meta[lane / 4][part] | meta[lane / 4 + 8][part] << 16
                                       : meta[lane / 4 + part % 2 * 8][part / 2 * 2] | meta[lane / 4 + part % 2 * 8][part / 2 * 2 + 1] << 16;
    }
    product<<<1, 32>>>(f.number, ins, outs);
    cudaDeviceSynchronize();
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < f.m * 8 / 32; i++) {
            int r = lane / 4 + 8 * (i / 2), n = lane % 4 * 2 + i % 2;
            double sum = value(f.c, c[r][n]);
            for (int k = 0; k < stored; k++) {
                uint32_t x = f.sparse ? kept[r][k] : a[r][k], y = b[f.sparse ? where[r][k] : k][n];
                sum += f.is_xor ? (double)(x ^ y) : value(f.a, x) * value(f.b, y);
            }
            uint32_t expected;
            if (f.c == F16)
                expected = __half_as_ushort(__float2half((float)sum));
            else if (f.c == F32)
                expected = as_bits((float)sum);
            else
                expected = (uint32_t)(long long)(f.clamps ? std::fmin(std::fmax(sum, -2147483648.0), 2147483647.0) : sum);
            uint32_t found = outs[lane * 4 + i * bc / 32] >> i * bc % 32 & (bc == 16 ? 0xFFFF : 0xFFFFFFFF);
            if (found == expected)
                continue;
            if (!wrong++)
                printf("%s: row %d, column %d: %x, not %x\n", f.name, r, n, found, expected);
        }
}

int main()
{
    uint32_t *ins, *outs;
    cudaMallocManaged(&ins, 32 * 9 * 4);
    cudaMallocManaged(&outs, 32 * 4 * 4);
    for (int round = 0; round < 6; round++)
        for (const form &f : forms)
            check(f, ins, outs);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
}
