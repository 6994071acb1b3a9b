// Arithmetic on the halves and bytes of words, against the same on the host, which takes a word apart in another way; steps of dynamic
// programming; atomics on parts of words, and those with an order and a scope. Prints how many functions differ.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>

template <class E> struct elements {
    E at[4 / sizeof(E)];
};
static const int COUNT = 4096;
static int failures;

// Every function: its name without the number of elements, whether elements are signed, and its meaning for elements x and y of least
// value L and greatest H.
#define SIMD_ALL(F)                                                                                                    \
    F(vadd, 0, x + y)                                                                                                  \
    F(vsub, 0, x - y)                                                                                                  \
    F(vaddss, 1, limit(x + y, L, H))                                                                                   \
    F(vaddus, 0, limit(x + y, L, H))                                                                                   \
    F(vsubss, 1, limit(x - y, L, H))                                                                                   \
    F(vsubus, 0, limit(x - y, L, H))                                                                                   \
    F(vabsdiffs, 1, x > y ? x - y : y - x)                                                                             \
    F(vabsdiffu, 0, x > y ? x - y : y - x)                                                                             \
    F(vavgs, 1, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)                                                                   \
    F(vavgu, 0, (x + y + 1) / 2)                                                                                       \
    F(vhaddu, 0, (x + y) / 2)                                                                                          \
    F(vmaxs, 1, x > y ? x : y)                                                                                         \
    F(vmaxu, 0, x > y ? x : y)                                                                                         \
    F(vmins, 1, x > y ? y : x)                                                                                         \
    F(vminu, 0, x > y ? y : x)                                                                                         \
    F(vcmpeq, 0, -(x == y))                                                                                            \
    F(vcmpne, 0, -(x != y))                                                                                            \
    F(vcmpges, 1, -(x >= y))                                                                                           \
    F(vcmpgeu, 0, -(x >= y))                                                                                           \
    F(vcmpgts, 1, -(x > y))                                                                                            \
    F(vcmpgtu, 0, -(x > y))                                                                                            \
    F(vcmples, 1, -(x <= y))                                                                                           \
    F(vcmpleu, 0, -(x <= y))                                                                                           \
    F(vcmplts, 1, -(x < y))                                                                                            \
    F(vcmpltu, 0, -(x < y))                                                                                            \
    F(vseteq, 0, x == y)                                                                                               \
    F(vsetne, 0, x != y)                                                                                               \
    F(vsetges, 1, x >= y)                                                                                              \
    F(vsetgeu, 0, x >= y)                                                                                              \
    F(vsetgts, 1, x > y)                                                                                               \
    F(vsetgtu, 0, x > y)                                                                                               \
    F(vsetles, 1, x <= y)                                                                                              \
    F(vsetleu, 0, x <= y)                                                                                              \
    F(vsetlts, 1, x < y)                                                                                               \
    F(vsetltu, 0, x < y)
#define SIMD_ONE(F)                                                                                                    \
    F(vabs, 1, x < 0 ? -x : x)                                                                                         \
    F(vabsss, 1, limit(x < 0 ? -x : x, L, H))                                                                          \
    F(vneg, 1, -x)                                                                                                     \
    F(vnegss, 1, limit(-x, L, H))
#define SIMD_SUM(F)                                                                                                    \
    F(vsads, 1, x > y ? x - y : y - x)                                                                                 \
    F(vsadu, 0, x > y ? x - y : y - x)

static int limit(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}
__global__ void all(const unsigned *a, const unsigned *b, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = a[i], y = b[i];
    out += i;
#define F(NAME, SIGNED, ...)                                                                                           \
    *out = __##NAME##2(x, y), out += COUNT;                                                                            \
    *out = __##NAME##4(x, y), out += COUNT;
    SIMD_ALL(F)
    SIMD_SUM(F)
#undef F
#define F(NAME, SIGNED, ...)                                                                                           \
    *out = __##NAME##2(x), out += COUNT;                                                                               \
    *out = __##NAME##4(x), out += COUNT;
    SIMD_ONE(F)
#undef F
}

template <class E, class M> unsigned by_elements(unsigned a, unsigned b, bool is_sum, M meaning)
{
    elements<E> x, y, r;
    unsigned sum = 0;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    for (unsigned i = 0; i < 4 / sizeof(E); i++) {
        const int v = meaning(x.at[i], y.at[i]);
        r.at[i] = (E)v;
        sum += v;
    }
    memcpy(&b, &r, 4);
    return is_sum ? sum : b;
}
template <class E, class M>
void compare(const char *name, const unsigned *a, const unsigned *b, const unsigned *&out, bool is_sum, M meaning)
{
    for (int i = 0; i < COUNT; i++) {
        const unsigned should = by_elements<E>(a[i], b[i], is_sum, meaning);
        if (out[i] != should) {
            printf("%s%zu(%08x, %08x) = %08x, not %08x\n", name, 4 / sizeof(E), a[i], b[i], out[i], should);
            failures++;
            break;
        }
    }
    out += COUNT;
}
template <class E2, class E4, class M>
void compare_both(const char *name, const unsigned *a, const unsigned *b, const unsigned *&out, bool is_sum, M meaning)
{
    compare<E2>(name, a, b, out, is_sum, [=](int x, int y) { return meaning(x, y, (int)(E2)(1 << 15) < 0 ? -32768 : 0, (int)(E2)(1 << 15) < 0 ? 32767 : 65535); });
    compare<E4>(name, a, b, out, is_sum, [=](int x, int y) { return meaning(x, y, (int)(E4)(1 << 7) < 0 ? -128 : 0, (int)(E4)(1 << 7) < 0 ? 127 : 255); });
}
template <bool IS_SIGNED> struct kind {
    typedef short half;
    typedef signed char byte;
};
template <> struct kind<false> {
    typedef unsigned short half;
    typedef unsigned char byte;
};
static unsigned random_word(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed ^ *seed >> 15;
}
static void check_simd()
{
    unsigned *a, *b, *out, seed = 1;
    const int functions = 100;
    cudaMallocManaged(&a, COUNT * 4);
    cudaMallocManaged(&b, COUNT * 4);
    cudaMallocManaged(&out, COUNT * 4 * functions);
    for (int i = 0; i < COUNT; i++) {
        static const unsigned edges[] = {0, 0x80808080, 0x7f7f7f7f, 0x80007fff, 0xffffffff, 0x01010101, 0x00ff80fe};
        a[i] = i < 49 ? edges[i / 7] : random_word(&seed);
        b[i] = i < 49 ? edges[i % 7] : i % 3 ? random_word(&seed) : a[i] ^ (1u << i % 32);
    }
    all<<<COUNT / 128, 128>>>(a, b, out);
    cudaDeviceSynchronize();
    const unsigned *from = out;
#define F(NAME, SIGNED, ...)                                                                                           \
    compare_both<kind<SIGNED>::half, kind<SIGNED>::byte>(#NAME, a, b, from, IS_SUM,                                    \
                                                         [](int x, int y, int L, int H) { return (void)L, (void)H, (void)y, (int)(__VA_ARGS__); });
#define IS_SUM false
    SIMD_ALL(F)
#undef IS_SUM
#define IS_SUM true
    SIMD_SUM(F)
#undef IS_SUM
#define IS_SUM false
    SIMD_ONE(F)
#undef F
}

static void check(const char *what, double is, double should)
{
    failures += is != should;
    if (is != should)
        printf("%s: %g, not %g\n", what, is, should);
}
__global__ void steps(int *r)
{
    bool high, low;
    r[0] = __viaddmax_s32(0x7fffffff, 1, -5);
    r[1] = __viaddmin_u32(0xffffffffu, 3, 9);
    r[2] = __vimax3_s32_relu(-3, -2, -1);
    r[3] = (int)__viaddmax_s16x2(0x7fff0001u, 0x0001ffffu, 0xfff00002u);
    r[4] = (int)__vimin3_u16x2(0x00050003u, 0x0004ffffu, 0x00060002u);
    r[5] = (int)__vimin_s16x2_relu(0xffff0003u, 0x00010002u);
    r[6] = (int)__vibmax_s16x2(0xffff0003u, 0xfffe0004u, &high, &low);
    r[7] = high * 2 + low;
    r[8] = __vibmin_u32(4, 4, &low) * 2 + low;
}
static void check_steps()
{
    static const int should[] = {-5, 2, 0, (int)0xfff00002u, 0x00040002, 0x00000002, (int)0xffff0004u, 2, 9};
    int *r;
    cudaMallocManaged(&r, sizeof should);
    steps<<<1, 1>>>(r);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; i++)
        check("step", r[i], should[i]);
    bool first;
    check("a step of the host", __vibmax_s32(-1, -2, &first) + first + __viaddmax_s32_relu(1, 2, -7), 3);
}

struct memory {
    __nv_bfloat16 b[2];
    __nv_bfloat162 bb;
    float2 f2;
    float4 f4;
    unsigned short s[2];
    int add, sub, max, min, bits, lock, in_lock, exchanged;
    unsigned long long wide;
    double real;
    unsigned char byte;
};
__global__ void atomics(memory *m)
{
    atomicAdd(&m->b[1], __float2bfloat16(1.0f));
    atomicAdd(&m->bb, __floats2bfloat162_rn(1.0f, 2.0f));
#if defined(LOCKSTEP_DEVICE) || __CUDA_ARCH__ >= 900
    atomicAdd(&m->f2, make_float2(1.0f, 2.0f));
    atomicAdd(&m->f4, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
#endif
    for (unsigned short old = m->s[1], seen = (unsigned short)~old; old != seen;) {
        seen = old;
        old = atomicCAS(&m->s[1], seen, (unsigned short)(seen + 3));
    }
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_add(&m->add, 2, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_sub(&m->sub, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(&m->max, i, __NV_ATOMIC_RELEASE);
    __nv_atomic_min(&m->min, -i, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_or(&m->bits, 1 << i % 31, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_fetch_add(&m->wide, 1ull << 33, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&m->real, 0.5, __NV_ATOMIC_RELAXED);
    for (bool done = false; !done;) {
        int expected = 0;
        if (__nv_atomic_compare_exchange_n(&m->lock, &expected, 1, true, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED)) {
            m->in_lock++;
            done = true;
            __nv_atomic_store_n(&m->lock, 0, __NV_ATOMIC_RELEASE);
        }
    }
    if (i == 0) {
        m->exchanged = __nv_atomic_exchange_n(&m->exchanged, 9, __NV_ATOMIC_RELAXED) * 100 +
                       __nv_atomic_load_n(&m->exchanged, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_store_n(&m->byte, 200, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
        __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    }
}
static void check_atomics()
{
    memory *m;
    cudaMallocManaged(&m, sizeof *m);
    memset(m, 0, sizeof *m);
    m->s[0] = 7;
    m->exchanged = 5;
    atomics<<<2, 64>>>(m);
    cudaDeviceSynchronize();
    check("bf16", __bfloat162float(m->b[1]), 128);
    check("its neighbour", __bfloat162float(m->b[0]), 0);
    check("bf16x2", __bfloat162float(m->bb.x) + 1000 * __bfloat162float(m->bb.y), 128 + 256000);
#if defined(LOCKSTEP_DEVICE)
    check("float2", m->f2.x + 1000 * m->f2.y, 128 + 256000);
    check("float4", m->f4.x + m->f4.y + m->f4.z + m->f4.w, 128 * 10);
#endif
    check("16 bits", m->s[1] * 10 + m->s[0], 128 * 30 + 7);
    check("add", m->add, 256);
    check("sub", m->sub, -128);
    check("max", m->max, 127);
    check("min", m->min, -127);
    check("or", m->bits, 0x7fffffff);
    check("64 bits", (double)m->wide, 128.0 * (1LL << 33));
    check("double", m->real, 64);
    check("lock", m->in_lock * 2 + m->lock, 256);
    check("exchange", m->exchanged, 509);
    check("byte", m->byte, 200);
}
int main()
{
    check_simd();
    check_steps();
    check_atomics();
    printf("%d failures\n", failures);
    return failures != 0;
}
