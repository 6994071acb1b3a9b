// What the programs of make.c are written in: idioms of shifts and rotates, plain C for what is an intrinsic on the
// device, and the comparison of the device's results with the host's.
#pragma once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned __int128 u128;
typedef __int128 i128;
#define BOTH static inline __host__ __device__

// Rotates as people write them. T may be narrower than int; N is u32 or u64 and holds any value.
#define ROTATE(NAME, EXPRESSION)                                                                                       \
    template <typename T, typename N> BOTH T NAME(T x, N n)                                                            \
    {                                                                                                                  \
        constexpr N w = sizeof(T) * 8, m = w - 1;                                                                      \
        (void)m;                                                                                                       \
        return (T)(EXPRESSION);                                                                                        \
    }
ROTATE(left_or, (T)(x << (n & m)) | (T)(x >> (-n & m)))
ROTATE(right_or, (T)(x >> (n & m)) | (T)(x << (-n & m)))
ROTATE(left_test, (n & m) == 0 ? x : (T)(x << (n & m)) | (T)(x >> (w - (n & m))))
ROTATE(right_test, n % w ? (T)(x >> n % w) | (T)(x << (w - n % w)) : x)
ROTATE(left_sub, (T)(x << (n & m)) | (T)(x >> ((w - (n & m)) & m)))
ROTATE(left_add, (T)(x << (n & m)) + (T)(x >> (-n & m)))
ROTATE(left_xor, (T)(x << (n & m)) ^ (T)(x >> (-n & m)))

// The builtins of clang; other compilers compute the same in plain C.
#ifdef __clang__
BOTH u8 builtin_left(u8 x, u64 n) { return __builtin_rotateleft8(x, (u8)n); }
BOTH u8 builtin_right(u8 x, u64 n) { return __builtin_rotateright8(x, (u8)n); }
BOTH u16 builtin_left(u16 x, u64 n) { return __builtin_rotateleft16(x, (u16)n); }
BOTH u16 builtin_right(u16 x, u64 n) { return __builtin_rotateright16(x, (u16)n); }
BOTH u32 builtin_left(u32 x, u64 n) { return __builtin_rotateleft32(x, (u32)n); }
BOTH u32 builtin_right(u32 x, u64 n) { return __builtin_rotateright32(x, (u32)n); }
BOTH u64 builtin_left(u64 x, u64 n) { return __builtin_rotateleft64(x, n); }
BOTH u64 builtin_right(u64 x, u64 n) { return __builtin_rotateright64(x, n); }
BOTH u16 bswap(u16 x) { return __builtin_bswap16(x); }
BOTH u32 bswap(u32 x) { return __builtin_bswap32(x); }
BOTH u64 bswap(u64 x) { return __builtin_bswap64(x); }
template <typename T> BOTH T add_saturated(T x, T y)
{
    T sum;
    return __builtin_add_overflow(x, y, &sum) ? (T)-1 : sum;
}
#else
template <typename T> BOTH T builtin_left(T x, u64 n) { return left_or<T, u64>(x, n); }
template <typename T> BOTH T builtin_right(T x, u64 n) { return right_or<T, u64>(x, n); }
template <typename T> BOTH T bswap(T x)
{
    T r = 0;
    for (unsigned i = 0; i < sizeof x; i++)
        r = (T)(r << 8 | (u8)(x >> 8 * i));
    return r;
}
template <typename T> BOTH T add_saturated(T x, T y)
{
    return (T)(x + y) < x ? (T)-1 : x + y;
}
#endif

template <typename T> BOTH T rotate_twice(T x, u32 n, u32 k)
{
    return right_or<T>(left_or<T>(x, n), k);
}

template <typename T> BOTH T rotate_loop(T x, u32 n)
{
    T sum = 0;
    for (u32 i = 0; i < (n & 7); i++)
        sum = (T)(sum ^ left_or<T>(x, n + i));
    return sum;
}

#define FUNNEL(NAME, EXPRESSION)                                                                                       \
    template <typename T, typename N> BOTH T NAME(T x, T y, N n)                                                       \
    {                                                                                                                  \
        constexpr N w = sizeof(T) * 8, m = w - 1;                                                                      \
        (void)w;                                                                                                       \
        return (T)(EXPRESSION);                                                                                        \
    }
FUNNEL(funnel_neg, (T)(x << (n & m)) | (T)(y >> (-n & m)))
FUNNEL(funnel_not, (T)(x << (n & m)) | (T)((T)(y >> 1) >> (~n & m)))
FUNNEL(funnel_test, n & m ? (T)(x << (n & m)) | (T)(y >> (w - (n & m))) : x)

// Intrinsics on the device; here what their descriptions say.
#ifdef __CUDA_ARCH__
BOTH u32 funnel_l(u32 low, u32 high, u32 n) { return __funnelshift_l(low, high, n); }
BOTH u32 funnel_r(u32 low, u32 high, u32 n) { return __funnelshift_r(low, high, n); }
BOTH u32 funnel_lc(u32 low, u32 high, u32 n) { return __funnelshift_lc(low, high, n); }
BOTH u32 funnel_rc(u32 low, u32 high, u32 n) { return __funnelshift_rc(low, high, n); }
BOTH u32 byte_perm(u32 x, u32 y, u32 s) { return __byte_perm(x, y, s); }
BOTH u32 popc(u32 x) { return __popc(x); }
BOTH u64 popc(u64 x) { return __popcll(x); }
BOTH u32 clz(u32 x) { return __clz(x); }
BOTH u64 clz(u64 x) { return __clzll(x); }
BOTH u32 ffs(u32 x) { return __ffs(x); }
BOTH u64 ffs(u64 x) { return __ffsll(x); }
BOTH u32 brev(u32 x) { return __brev(x); }
BOTH u64 brev(u64 x) { return __brevll(x); }
BOTH u32 product_high(u32 x, u32 y) { return __umulhi(x, y); }
BOTH i32 product_high(i32 x, i32 y) { return __mulhi(x, y); }
BOTH u64 product_high(u64 x, u64 y) { return __umul64hi(x, y); }
BOTH i64 product_high(i64 x, i64 y) { return __mul64hi(x, y); }
#else
BOTH u64 pair(u32 low, u32 high) { return (u64)high << 32 | low; }
BOTH u32 funnel_l(u32 low, u32 high, u32 n) { return pair(low, high) << (n & 31) >> 32; }
BOTH u32 funnel_r(u32 low, u32 high, u32 n) { return pair(low, high) >> (n & 31); }
BOTH u32 funnel_lc(u32 low, u32 high, u32 n) { return pair(low, high) << (n < 32 ? n : 32) >> 32; }
BOTH u32 funnel_rc(u32 low, u32 high, u32 n) { return pair(low, high) >> (n < 32 ? n : 32); }
BOTH u32 byte_perm(u32 x, u32 y, u32 s)
{
    u32 r = 0;
    for (int i = 0; i < 4; i++)
        r |= (u32)(u8)(pair(x, y) >> (s >> 4 * i & 7) * 8) << 8 * i;
    return r;
}
template <typename T> BOTH T popc(T x)
{
    T n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
template <typename T> BOTH T clz(T x)
{
    T n = sizeof(T) * 8;
    for (; x; x >>= 1)
        n--;
    return n;
}
template <typename T> BOTH T ffs(T x)
{
    return x ? sizeof(T) * 8 - clz<T>(x & -x) : 0;
}
template <typename T> BOTH T brev(T x)
{
    T r = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; i++)
        r = r << 1 | (x >> i & 1);
    return r;
}
BOTH u32 product_high(u32 x, u32 y) { return (u64)x * y >> 32; }
BOTH i32 product_high(i32 x, i32 y) { return (i64)x * y >> 32; }
BOTH u64 product_high(u64 x, u64 y) { return (u128)x * y >> 64; }
BOTH i64 product_high(i64 x, i64 y) { return (i128)x * y >> 64; }
#endif

BOTH u64 product_part(u64 x, u64 y, u32 n) { return (u128)x * y >> (n & 127); }
BOTH u128 join(u64 high, u64 low) { return (u128)high << 64 | low; }
BOTH u64 shift_left_128(u64 x, u64 y, u32 n) { return (join(x, y) << (n & 127)) >> 64; }
BOTH u64 shift_right_128(u64 x, u64 y, u32 n) { return join(x, y) >> (n & 127); }
BOTH u64 shift_signed_128(u64 x, u64 y, u32 n) { return (u64)((i128)join(x, y) >> (n & 127)); }

BOTH i32 multiply_saturated(i32 x, i32 y)
{
    i64 product = (i64)x * y;
    return product == (i32)product ? (i32)product : 0x7fffffff;
}
BOTH i64 multiply_saturated(i64 x, i64 y)
{
    return (i128)x * y == (i64)((u64)x * (u64)y) ? (i64)((u64)x * (u64)y) : 0x7fffffffffffffffll;
}

// Bit fields that straddle bytes.
template <typename T> BOTH T field_unsigned(T x, T y)
{
    constexpr int w = sizeof(T) * 8;
    struct {
        T a : w / 2 - 1, b : 3, c : w - w / 2 - 2;
    } s = {(T)(x & (((u64)1 << (w / 2 - 1)) - 1)), (T)(y & 7), 0};
    s.c = (T)(y >> 3);
    s.b += (T)(x >> 1);
    s.a ^= s.c;
    return (T)(s.a * 5u + s.b * 3u + s.c);
}
template <typename T, typename U> BOTH U field_signed(U x, U y)
{
    constexpr int w = sizeof(T) * 8;
    struct {
        T a : w / 2 - 1, b : 3, c : w - w / 2 - 2;
    } s;
    s.a = (T)x, s.b = (T)(y >> 2), s.c = (T)(x ^ y);
    s.b ^= (T)(s.c >> 1);
    return (U)((u64)(i64)s.a * 5 + (u64)(i64)s.b * 3 + (u64)(i64)s.c);
}

template <typename T> BOTH T table(T x, u32 n)
{
    switch (n % 11) {
    case 0: return (T)(x + 1);
    case 1: return (T)(x * 3);
    case 2: return (T)~x;
    case 3: return (T)(x >> 1);
    case 5: return (T)(x ^ n);
    case 6: return 7;
    case 7: return (T)(n - x);
    case 9: x = (T)(x - 5); // falls through
    case 10: return (T)(x / 3);
    default: return x;
    }
}

// Unions, vectors, copies of structures and volatile elements, at indices that differ by lane.
template <typename T, typename U> BOTH T through_memory(T x, U y, u32 n)
{
    union {
        T word[4];
        u8 byte[4 * sizeof(T)];
        uchar4 four;
    } a = {{x, (T)y, (T)n, 0}};
    struct pair {
        u8 first;
        U second;
        short4 third;
    } p = {(u8)n, y, {(i16)x, (i16)n, (i16)y, 3}}, q = p;
    volatile T kept[3] = {x, (T)(x + y), (T)~n};
    a.byte[n % (4 * sizeof(T))] ^= (u8)y;
    q.third.y = (i16)(q.third.x * p.third.z);
    a.four.w = (u8)(a.four.x + q.first);
    kept[n % 3] = (T)(kept[(n + 1) % 3] * 3u);
    return (T)(a.word[n & 3] + (T)q.third.y + (T)q.second * 7u + kept[n % 3] + kept[2]);
}

template <typename T, typename U> BOTH T smaller(U x, U y) { return (T)x < (T)y ? (T)x : (T)y; }
template <typename T> BOTH T larger(T x, T y) { return x > y ? x : y; }
template <typename T, typename U> BOTH U magnitude(U x) { return (T)x < 0 ? (U)-x : x; }
BOTH u128 wide(u64 high, u64 low) { return join(high, low); }
BOTH u64 low(u128 x) { return (u64)x; }
BOTH u64 high(u128 x) { return (u64)(x >> 64); }

// Floats and their bits; every NaN counts as the same.
BOTH float bits_to_float(u32 x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}
BOTH double bits_to_double(u64 x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}
BOTH u32 bits_of(float f)
{
    u32 x;
    memcpy(&x, &f, sizeof x);
    return f == f ? x : 0x7fc00000;
}
BOTH u64 bits_of(double d)
{
    u64 x;
    memcpy(&x, &d, sizeof x);
    return d == d ? x : 0x7ff8000000000000;
}
BOTH u32 bits(u32 x) { return bits_of(bits_to_float(x) * 0.5f); }
BOTH float half_precision(u32 x) { return (float)(int)(x & 2047) * 0.125f; }

#ifdef __CUDA_ARCH__
BOTH i32 to_i32(float x) { return __float2int_rz(x); }
BOTH u32 to_u32(float x) { return __float2uint_rz(x); }
BOTH i64 to_i64(float x) { return __float2ll_rz(x); }
BOTH i32 to_i32(double x) { return __double2int_rz(x); }
BOTH i64 to_i64(double x) { return __double2ll_rz(x); }
BOTH u64 to_u64(double x) { return __double2ull_rz(x); }
BOTH u32 sad(i32 x, i32 y, u32 z) { return __sad(x, y, z); }
BOTH u32 usad(u32 x, u32 y, u32 z) { return __usad(x, y, z); }
BOTH i32 dot4(i32 x, i32 y, i32 z) { return __dp4a(x, y, z); }
BOTH u32 udot4(u32 x, u32 y, u32 z) { return __dp4a(x, y, z); }
BOTH i32 product24(i32 x, i32 y) { return __mul24(x, y); }
BOTH i32 half_sum(i32 x, i32 y) { return __hadd(x, y); }
#else
// Out of range gives the nearest value. NaN gives 0 from float to 32 bits, else the highest bit alone.
#define CONVERT(NAME, TO, FROM, LOW, HIGH, NOTHING)                                                                    \
    BOTH TO NAME(FROM x) { return x != x ? NOTHING : x <= (FROM)LOW ? LOW : x >= (FROM)HIGH ? HIGH : (TO)x; }
CONVERT(to_i32, i32, float, (-0x7fffffff - 1), 0x7fffffff, 0)
CONVERT(to_u32, u32, float, 0u, 0xffffffffu, 0u)
CONVERT(to_i64, i64, float, (-0x7fffffffffffffffll - 1), 0x7fffffffffffffffll, (-0x7fffffffffffffffll - 1))
CONVERT(to_i32, i32, double, (-0x7fffffff - 1), 0x7fffffff, (-0x7fffffff - 1))
CONVERT(to_i64, i64, double, (-0x7fffffffffffffffll - 1), 0x7fffffffffffffffll, (-0x7fffffffffffffffll - 1))
CONVERT(to_u64, u64, double, 0ull, ~0ull, 1ull << 63)
BOTH u32 usad(u32 x, u32 y, u32 z) { return (x < y ? y - x : x - y) + z; }
BOTH u32 sad(i32 x, i32 y, u32 z) { return (x < y ? (u32)y - (u32)x : (u32)x - (u32)y) + z; }
BOTH i32 dot4(i32 x, i32 y, i32 z)
{
    for (int i = 0; i < 32; i += 8)
        z = (i32)((u32)z + (u32)((i8)(x >> i) * (i8)(y >> i)));
    return z;
}
BOTH u32 udot4(u32 x, u32 y, u32 z)
{
    for (int i = 0; i < 32; i += 8)
        z += (u32)(u8)(x >> i) * (u8)(y >> i);
    return z;
}
BOTH i32 product24(i32 x, i32 y) { return (i32)((u32)((i32)((u32)x << 8) >> 8) * (u32)((i32)((u32)y << 8) >> 8)); }
BOTH i32 half_sum(i32 x, i32 y) { return (i32)(((i64)x + y) >> 1); }
#endif

// Arguments a, b, c and N of every thread. Amounts run through 0 to 191 and odd ones beyond.
constexpr int threads = 256;
struct arguments {
    u64 a, b, c;
    u32 n;
};
static arguments *given;
static u64 *results;
static int failures;

static u64 mix(u64 x)
{
    x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
    return x ^ x >> 33;
}

static void prepare()
{
    static const u64 edges[] = {0, 1, ~0ull, 1ull << 63, 0x7fffffffffffffff, 0xffffffff, 0x80000000, 64};
    cudaMallocManaged(&given, threads * sizeof *given);
    cudaMallocManaged(&results, threads * sizeof *results);
    for (u64 i = 0; i < threads; i++) {
        given[i].a = i % 5 ? mix(3 * i + 1) : edges[i / 5 % 8];
        given[i].b = i % 7 ? mix(3 * i + 2) : edges[i / 7 % 8];
        given[i].c = i % 11 ? mix(3 * i + 3) : edges[i / 11 % 8];
        given[i].n = i < 192 ? i : i < 240 ? (u32)mix(i) : ~(u32)(i - 240);
    }
}

static void compare(int number, u64 (*host)(u64, u64, u64, u32), void (*device)(const arguments *, u64 *))
{
    device<<<threads / 64, 64>>>(given, results);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("f%d: %s\n", number, cudaGetErrorString(cudaGetLastError()));
        failures++;
        return;
    }
    for (int i = 0, wrong = 0; i < threads; i++) {
        const arguments &g = given[i];
        u64 expected = host(g.a, g.b, g.c, g.n);
        if (results[i] == expected)
            continue;
        if (!wrong++) {
            printf("f%d(%#llx, %#llx, %#llx, %u): device %#llx, host %#llx\n", number, g.a, g.b, g.c, g.n, results[i],
                   expected);
            failures++;
        }
    }
}

static int report()
{
    printf("%d functions differ\n", failures);
    return failures != 0;
}

#define KERNEL(NUMBER)                                                                                                 \
    __global__ void k##NUMBER(const arguments *in, u64 *out)                                                           \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        out[i] = f##NUMBER(in[i].a, in[i].b, in[i].c, in[i].n);                                                        \
    }
#define COMPARE(NUMBER) compare(NUMBER, f##NUMBER, k##NUMBER)
