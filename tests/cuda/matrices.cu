// Products of matrices by a warp, and matrices between registers and shared memory, in assembly. The host packs what each lane
// holds as the manual says it for each shape, and computes the products itself, from whole matrices.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum kind { F16, BF16, TF32, F64, S8, U8, S32, F32, E4M3, E5M2 };

struct form {
    const char *name;
    int m, n, k;
    kind a, b, c;
    bool saturates;
};

static const form forms[] = {
    {"m16n8k8 f16 f16", 16, 8, 8, F16, F16, F16, false},      {"m16n8k16 f16 f16", 16, 8, 16, F16, F16, F16, false},
    {"m16n8k8 f32 f16", 16, 8, 8, F16, F16, F32, false},      {"m16n8k16 f32 f16", 16, 8, 16, F16, F16, F32, false},
    {"m16n8k8 f32 bf16", 16, 8, 8, BF16, BF16, F32, false},   {"m16n8k16 f32 bf16", 16, 8, 16, BF16, BF16, F32, false},
    {"m16n8k4 f32 tf32", 16, 8, 4, TF32, TF32, F32, false},   {"m16n8k8 f32 tf32", 16, 8, 8, TF32, TF32, F32, false},
    {"m8n8k16 s8 s8", 8, 8, 16, S8, S8, S32, false},          {"m16n8k16 u8 s8", 16, 8, 16, U8, S8, S32, false},
    {"m16n8k32 s8 u8 sat", 16, 8, 32, S8, U8, S32, true},     {"m16n8k32 u8 u8", 16, 8, 32, U8, U8, S32, false},
    {"m8n8k4 f64", 8, 8, 4, F64, F64, F64, false},            {"m16n8k4 f64", 16, 8, 4, F64, F64, F64, false},
    {"m16n8k8 f64", 16, 8, 8, F64, F64, F64, false},          {"m16n8k16 f64", 16, 8, 16, F64, F64, F64, false},
    {"m16n8k32 f32 e4m3", 16, 8, 32, E4M3, E4M3, F32, false}, {"m16n8k32 f32 e5m2 e4m3", 16, 8, 32, E5M2, E4M3, F32, false},
    {"m16n8k32 f16 e4m3 e5m2", 16, 8, 32, E4M3, E5M2, F16, false}, {"m16n8k16 f32 e5m2", 16, 8, 16, E5M2, E5M2, F32, false},
};
#define FORMS 20

#define R2 "{%0, %1}"
#define R4 "{%0, %1, %2, %3}"

#define OUT2 : "+r"(c[0]), "+r"(c[1])
#define OUT4 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
#define OUT4F : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define IN1 : "r"(a[0]), "r"(b[0])
#define IN2 : "r"(a[0]), "r"(a[1]), "r"(b[0])
#define IN4 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])

// a[4], b[2], c[4] of each lane; D comes in the place of C.
__global__ void product(int which, const uint32_t *ins, uint32_t *outs)
{
    uint32_t a[4], b[2], c[4];
    float f[4];
    for (int i = 0; i < 4; i++) {
        a[i] = ins[threadIdx.x * 6 + i];
        c[i] = outs[threadIdx.x * 4 + i];
        f[i] = __uint_as_float(c[i]);
        if (i < 2)
            b[i] = ins[threadIdx.x * 6 + 4 + i];
    }
    switch (which) {
    case 0: asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " R2 ", {%2, %3}, {%4}, " R2 ";" OUT2 IN2); break;
    case 1:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " R2 ", {%2, %3, %4, %5}, {%6, %7}, " R2 ";" OUT2 IN4);
        break;
    case 2: asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " R4 ", {%4, %5}, {%6}, " R4 ";" OUT4F IN2); break;
    case 3:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4F IN4);
        break;
    case 4: asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " R4 ", {%4, %5}, {%6}, " R4 ";" OUT4F IN2); break;
    case 5:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4F IN4);
        break;
    case 6: asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " R4 ", {%4, %5}, {%6}, " R4 ";" OUT4F IN2); break;
    case 7:
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4F IN4);
        break;
    case 8: asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 " R2 ", {%2}, {%3}, " R2 ";" OUT2 IN1); break;
    case 9: asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 " R4 ", {%4, %5}, {%6}, " R4 ";" OUT4 IN2); break;
    case 10:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4 IN4);
        break;
    case 11:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4 IN4);
        break;
    case 16:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4F IN4);
        break;
    case 17:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";" OUT4F IN4);
        break;
    case 18:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 " R2 ", {%2, %3, %4, %5}, {%6, %7}, " R2 ";" OUT2 IN4);
        break;
    case 19: asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 " R4 ", {%4, %5}, {%6}, " R4 ";" OUT4F IN2); break;
    }
    bool single = (which >= 2 && which <= 7) || (which >= 16 && which != 18);
    for (int i = 0; i < 4; i++)
        outs[threadIdx.x * 4 + i] = single ? __float_as_uint(f[i]) : c[i];
}

// a[8], b[4], c[4]
__global__ void product_f64(int which, const double *ins, double *outs)
{
    const double *a = ins + threadIdx.x * 12, *b = a + 8;
    double *c = outs + threadIdx.x * 4, d[4] = {c[0], c[1], c[2], c[3]};
    switch (which) {
    case 12:
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(a[0]), "d"(b[0]));
        break;
    case 13:
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " R4 ", {%4, %5}, {%6}, " R4 ";"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(b[0]));
        break;
    case 14:
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " R4 ", {%4, %5, %6, %7}, {%8, %9}, " R4 ";"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
        break;
    case 15:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " R4
                     ", {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, " R4 ";"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
                       "d"(b[1]), "d"(b[2]), "d"(b[3]));
        break;
    }
    for (int i = 0; i < 4; i++)
        c[i] = d[i];
}

// ---- what a lane holds, as the manual has it ----

static int bits_of(kind t)
{
    return t == F16 || t == BF16 ? 16 : t == S8 || t == U8 || t == E4M3 || t == E5M2 ? 8 : t == F64 ? 64 : 32;
}

static void place_a(const form &f, int lane, int i, int *row, int *col)
{
    int group = lane >> 2, in_group = lane % 4;
    switch (bits_of(f.a)) {
    case 16:
        *row = f.k == 8 ? (i < 2 ? group : group + 8) : (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
        *col = f.k == 8 ? in_group * 2 + (i & 1) : i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
        break;
    case 32:
        *row = f.k == 4 ? (i == 0 ? group : group + 8) : (i == 0 || i == 2) ? group : group + 8;
        *col = f.k == 4 || i < 2 ? in_group : in_group + 4;
        break;
    case 8:
        if (f.m == 8) {
            *row = group;
            *col = in_group * 4 + i;
        } else if (f.k == 16) {
            *row = i < 4 ? group : group + 8;
            *col = in_group * 4 + (i & 3);
        } else {
            *row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
            *col = i < 8 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16;
        }
        break;
    default:
        *row = i % 2 == 0 ? group : group + 8;
        *col = f.k == 4 ? in_group : i % 2 == 0 ? i * 2 + in_group : i * 2 - 2 + in_group;
    }
}

static void place_b(const form &f, int lane, int i, int *row, int *col)
{
    int in_group = lane % 4;
    *col = lane >> 2;
    switch (bits_of(f.b)) {
    case 16: *row = i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8; break;
    case 32: *row = i == 0 ? in_group : in_group + 4; break;
    case 8: *row = i < 4 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16; break;
    default: *row = in_group + i * 4;
    }
}

static void place_c(int lane, int i, int *row, int *col)
{
    *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
    *col = lane % 4 * 2 + (i & 1);
}

// ---- numbers ----

static double half_value(uint32_t h, int exponent_bits)
{
    int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int e = h >> fraction_bits & ((1 << exponent_bits) - 1), fraction = h & ((1 << fraction_bits) - 1);
    double sign = h >> 15 & 1 ? -1 : 1;
    if (e == (1 << exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    return sign * (e ? std::ldexp((double)fraction + (1 << fraction_bits), e - bias - fraction_bits)
                     : std::ldexp((double)fraction, 1 - bias - fraction_bits));
}

static uint32_t half_bits(double x)
{
    if (std::isnan(x))
        return 0x7FFF;
    uint32_t sign = std::signbit(x) ? 0x8000 : 0;
    x = std::fabs(x);
    int e = 0;
    std::frexp(x, &e); // x = 0.1... * 2^e
    int unit = (e < -13 ? -13 : e) - 11;
    double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
    if (!(rounded < 65536.0))
        return sign | 0x7C00;
    if (rounded < std::ldexp(1.0, -14))
        return sign | (uint32_t)std::ldexp(rounded, 24);
    std::frexp(rounded, &e);
    return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)std::ldexp(rounded, 11 - e) & 0x3FF);
}

static float as_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}

// Four bits of exponent, no infinity, one NaN of either sign.
static double e4m3_value(uint32_t byte)
{
    int e = byte >> 3 & 15, fraction = byte & 7;
    double x = e ? std::ldexp(1 + fraction / 8.0, e - 7) : std::ldexp(fraction / 8.0, -6);
    return (byte & 0x7F) == 0x7F ? NAN : byte & 0x80 ? -x : x;
}

static double value(kind t, uint64_t bits)
{
    double d;
    switch (t) {
    case E4M3: return e4m3_value((uint32_t)bits);
    case E5M2: return half_value((uint32_t)bits << 8, 5);
    case F16: return half_value((uint32_t)bits, 5);
    case BF16: return half_value((uint32_t)bits, 8);
    case TF32: return as_float((uint32_t)bits & 0xFFFFE000);
    case F32: return as_float((uint32_t)bits);
    case S8: return (int8_t)bits;
    case U8: return (uint8_t)bits;
    case S32: return (int32_t)bits;
    default: std::memcpy(&d, &bits, 8); return d;
    }
}

static uint64_t result(const form &f, double x)
{
    uint64_t bits = 0;
    float single = (float)x;
    long long whole;
    switch (f.c) {
    case F16: return half_bits(x);
    case F32:
        if (std::isnan(x))
            return 0x7FFFFFFF;
        std::memcpy(&bits, &single, 4);
        return bits;
    case F64: std::memcpy(&bits, &x, 8); return bits;
    default:
        whole = (long long)x;
        if (f.saturates)
            whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
        return (uint32_t)whole;
    }
}

static uint64_t state = 88172645463325252u;
static uint64_t next()
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Round `round` has numbers near 1 or of any size; the last also what is no number.
static uint64_t pick(kind t, int round)
{
    uint64_t r = next(), any = next();
    double d = ((double)(any >> 11) / 4503599627370496.0 - 1) * (round % 2 ? 1 : std::ldexp(1.0, (int)(r % 40) - 20));
    float s = (float)d;
    uint64_t bits = 0;
    switch (t) {
    case F16: return round == 4 ? r & 0xFFFF : round % 2 ? half_bits(d) : r % 16 == 0 ? r >> 8 & 0x83FF : half_bits(d);
    case BF16:
        if (round == 4)
            return r & 0xFFFF;
        std::memcpy(&bits, &s, 4);
        return bits >> 16;
    case TF32:
    case F32: std::memcpy(&bits, &s, 4); return bits;
    case F64: std::memcpy(&bits, &d, 8); return bits;
    case E4M3: return round == 4 || (r & 0x7F) != 0x7F ? r & 0xFF : 0x7E;
    case E5M2: return round == 4 || (r & 0x7F) < 0x7C ? r & 0xFF : 0x7B;
    case S32: return round % 2 ? any & 0xFFFFFFFF : round == 2 ? 0x7FFFFFF0 + r % 16 : 0x80000000 + r % 16;
    default: return round == 2 ? 0x7F : r & 0xFF;
    }
}

static int wrong;

static void check(const form &f, int which, int round, uint32_t *ins, uint32_t *outs)
{
    static uint64_t a[16][32], b[32][8], c[16][8];
    for (int i = 0; i < f.m; i++)
        for (int k = 0; k < f.k; k++)
            a[i][k] = pick(f.a, round);
    for (int k = 0; k < f.k; k++)
        for (int n = 0; n < f.n; n++)
            b[k][n] = pick(f.b, round);
    for (int i = 0; i < f.m; i++)
        for (int n = 0; n < f.n; n++)
            c[i][n] = pick(f.c, round);
    int wa = bits_of(f.a), wc = bits_of(f.c), na = f.m * f.k / 32, nb = f.k * f.n / 32, nc = f.m * f.n / 32, row, col;
    int most_a = f.a == F64 ? 8 : 4, in_words = f.a == F64 ? 24 : 6, out_words = f.c == F64 ? 8 : 4;
    std::memset(ins, 0, 32 * in_words * 4);
    std::memset(outs, 0, 32 * out_words * 4);
    for (int lane = 0; lane < 32; lane++) {
        char *in_a = (char *)(ins + lane * in_words), *in_b = in_a + most_a * (f.a == F64 ? 8 : 4);
        for (int i = 0; i < na; i++) {
            place_a(f, lane, i, &row, &col);
            std::memcpy(in_a + i * wa / 8, &a[row][col], wa / 8);
        }
        for (int i = 0; i < nb; i++) {
            place_b(f, lane, i, &row, &col);
            std::memcpy(in_b + i * wa / 8, &b[row][col], wa / 8);
        }
        for (int i = 0; i < nc; i++) {
            place_c(lane, i, &row, &col);
            std::memcpy((char *)(outs + lane * out_words) + i * wc / 8, &c[row][col], wc / 8);
        }
    }
    if (f.a == F64)
        product_f64<<<1, 32>>>(which, (const double *)ins, (double *)outs);
    else
        product<<<1, 32>>>(which, ins, outs);
    cudaDeviceSynchronize();
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < nc; i++) {
            uint64_t got = 0;
            place_c(lane, i, &row, &col);
            std::memcpy(&got, (char *)(outs + lane * out_words) + i * wc / 8, wc / 8);
            double sum = value(f.c, c[row][col]);
            for (int k = 0; k < f.k; k++)
                sum = f.a == F64 ? std::fma(value(F64, a[row][k]), value(F64, b[k][col]), sum)
                                 : sum + value(f.a, a[row][k]) * value(f.b, b[k][col]);
            uint64_t want = result(f, sum);
            if (got != want && wrong++ < 5)
                std::fprintf(stderr, "%s, round %d: row %d, column %d is %llx, not %llx\n", f.name, round, row, col,
                             (unsigned long long)got, (unsigned long long)want);
        }
}

// ---- matrices in shared memory ----

__global__ void moves(const uint16_t *in, uint32_t *out, uint16_t *back)
{
    __shared__ __align__(16) uint16_t tile[32 * 24]; // rows of 8 elements, 24 apart
    __shared__ __align__(16) uint16_t other[32 * 8];
    unsigned lane = threadIdx.x, r[4];
    for (int i = 0; i < 8; i++)
        tile[lane * 24 + i] = in[lane * 8 + i];
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + lane * 24), to = (unsigned)__cvta_generic_to_shared(other + lane * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    out[lane] = r[0];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
    out[32 + lane] = r[0];
    out[64 + lane] = r[1];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    for (int i = 0; i < 4; i++)
        out[96 + 32 * i + lane] = r[i];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0, %1, %2, %3}, [%4];" // by a generic address
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "l"(tile + lane * 24));
    for (int i = 0; i < 4; i++)
        out[224 + 32 * i + lane] = r[i];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[1]) : "r"(r[0]));
    out[352 + lane] = r[1];
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(r[0]), "r"(r[0]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 8; i++)
        back[lane * 8 + i] = other[lane * 8 + i];
}

static uint32_t pair(const uint16_t *in, int matrix, int lane, bool trans)
{
    uint32_t r = 0;
    for (int i = 0; i < 2; i++) {
        int row = lane / 4, col = lane % 4 * 2 + i;
        r |= (uint32_t)in[matrix * 64 + (trans ? col * 8 + row : row * 8 + col)] << 16 * i;
    }
    return r;
}

static void check_moves(uint16_t *in, uint32_t *out, uint16_t *back)
{
    for (int i = 0; i < 256; i++)
        in[i] = (uint16_t)next();
    moves<<<1, 32>>>(in, out, back);
    cudaDeviceSynchronize();
    for (int lane = 0; lane < 32; lane++) {
        wrong += out[lane] != pair(in, 0, lane, false);
        wrong += out[32 + lane] != pair(in, 0, lane, true) || out[64 + lane] != pair(in, 1, lane, true);
        for (int i = 0; i < 4; i++)
            wrong += out[96 + 32 * i + lane] != pair(in, i, lane, false) || out[224 + 32 * i + lane] != pair(in, i, lane, false);
        wrong += out[352 + lane] != pair(in, 0, lane, true);
        for (int i = 0; i < 8; i++) {
            int matrix = lane / 8 == 1 ? 0 : lane / 8;
            wrong += back[lane * 8 + i] != in[matrix * 64 + i * 8 + lane % 8];
        }
    }
}

int main()
{
    uint32_t *ins, *outs;
    cudaMallocManaged(&ins, 8192);
    cudaMallocManaged(&outs, 8192);
    for (int which = 0; which < FORMS; which++)
        for (int round = 0; round < 5; round++)
            check(forms[which], which, round, ins, outs);
    check_moves((uint16_t *)ins, outs, (uint16_t *)ins + 1024);
    std::printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return 0;
}
