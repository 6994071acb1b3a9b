/* Atomics of every operation and type on global and shared memory, by one thread, on values at the edges; and loads and
 * stores of every width, alone and as vectors. */
#include "silicon.h"

static const u64 edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
                            0x3f800000, 0xbf800000, 0x00000001, 0x807fffff, 0x00800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff,
                            0x3ff0000000000000, 0x000fffffffffffff, 0x7ff0000000000000, 0x7ff8000000000123, 0x7fefffffffffffff,
                            0x3c003c00, 0x00010001, 0x83ff7bff, 0x7c007c00, 0x7e01fc00, 0x3f803f80, 0x00010080, 0x7f80ff80, 0x0123456789abcdef};
enum { EDGES = sizeof edges / sizeof *edges };

/* name, PTX up to the address, widths in bits, operands */
#define ATOMS                                                                                                           \
    A(add_u32, "add.u32", 32) A(add_s32, "add.s32", 32) A(add_u64, "add.u64", 64) A(add_f32, "add.f32", 32)             \
    A(add_f64, "add.f64", 64) A(add_f16x2, "add.noftz.f16x2", 32) A(add_bf16x2, "add.noftz.bf16x2", 32)                 \
    A(add_f16, "add.noftz.f16", 16) A(add_bf16, "add.noftz.bf16", 16)                                                   \
    A(min_u32, "min.u32", 32) A(min_s32, "min.s32", 32) A(min_u64, "min.u64", 64) A(min_s64, "min.s64", 64)             \
    A(max_u32, "max.u32", 32) A(max_s32, "max.s32", 32) A(max_u64, "max.u64", 64) A(max_s64, "max.s64", 64)             \
    A(inc, "inc.u32", 32) A(dec, "dec.u32", 32) A(and_b32, "and.b32", 32) A(or_b32, "or.b32", 32)                       \
    A(xor_b32, "xor.b32", 32) A(and_b64, "and.b64", 64) A(or_b64, "or.b64", 64) A(xor_b64, "xor.b64", 64)               \
    A(exch_b32, "exch.b32", 32) A(exch_b64, "exch.b64", 64)
#define REG16 "h"
#define REG32 "r"
#define REG64 "l"
typedef unsigned short type16;
typedef u32 type32;
typedef u64 type64;

struct result {
    u64 old, now;
};
#define ATOM_BODY(space, C, p, ins, bits)                                                                               \
    asm volatile("atom." space "." ins " %0, [%1], %2;" : "=" REG##bits(got) : C(p), REG##bits(b) : "memory");
#define A(name, ins, bits)                                                                                              \
    __global__ void global_##name(u64 *word, u64 start, u64 operand, result *r)                                         \
    {                                                                                                                   \
        type##bits got = 0, b = (type##bits)operand;                                                                    \
        *(volatile u64 *)word = start;                                                                                  \
        ATOM_BODY("global", "l", word, ins, bits)                                                                       \
        r->old = got;                                                                                                   \
        r->now = *(volatile u64 *)word;                                                                                 \
    }                                                                                                                   \
    __global__ void shared_##name(u64 *, u64 start, u64 operand, result *r)                                             \
    {                                                                                                                   \
        __shared__ u64 word;                                                                                            \
        type##bits got = 0, b = (type##bits)operand;                                                                    \
        u32 p = (u32)__cvta_generic_to_shared(&word);                                                                   \
        *(volatile u64 *)&word = start;                                                                                 \
        ATOM_BODY("shared", "r", p, ins, bits)                                                                          \
        r->old = got;                                                                                                   \
        r->now = *(volatile u64 *)&word;                                                                                \
    }
ATOMS
#undef A
#define REDS                                                                                                            \
    A(add_f32, "add.f32", 32) A(add_f64, "add.f64", 64) A(add_f16x2, "add.noftz.f16x2", 32) A(add_bf16x2, "add.noftz.bf16x2", 32)
#define A(name, ins, bits)                                                                                              \
    __global__ void red_##name(u64 *word, u64 start, u64 operand, result *r)                                            \
    {                                                                                                                   \
        *(volatile u64 *)word = start;                                                                                  \
        asm volatile("red.global." ins " [%0], %1;" ::"l"(word), REG##bits((type##bits)operand) : "memory");            \
        r->old = 0;                                                                                                     \
        r->now = *(volatile u64 *)word;                                                                                 \
    }
REDS
#undef A
#define CAS(bits)                                                                                                       \
    __global__ void cas_b##bits(u64 *word, u64 start, u64 compare, u64 swap, result *r)                                 \
    {                                                                                                                   \
        type##bits got = 0;                                                                                             \
        *(volatile u64 *)word = start;                                                                                  \
        asm volatile("atom.global.cas.b" #bits " %0, [%1], %2, %3;"                                                     \
                     : "=" REG##bits(got)                                                                               \
                     : "l"(word), REG##bits((type##bits)compare), REG##bits((type##bits)swap)                           \
                     : "memory");                                                                                       \
        r->old = got;                                                                                                   \
        r->now = *(volatile u64 *)word;                                                                                 \
    }
CAS(16)
CAS(32)
CAS(64)

template <class K> static void shown(const char *name, K kernel, int bits, u64 *word, result *r)
{
    u64 mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (int i = 0; i < EDGES; i++)
        for (int j = 0; j < EDGES; j++) {
            if ((i * 7 + j * 3) % 35) /* some of the pairs */
                continue;
            result h;
            kernel<<<1, 1>>>(word, edges[i], edges[j], r);
            if (refused(name))
                return;
            cudaMemcpy(&h, r, sizeof h, cudaMemcpyDeviceToHost);
            printf("%s %llx %llx = %llx %llx\n", name, edges[i], edges[j] & mask, h.old, h.now);
        }
}

/* Loads of each width into registers of 32 and 64 bits. */
#define LOADS                                                                                                           \
    L(u8, 32, "r") L(s8, 32, "r") L(u16, 32, "r") L(s16, 32, "r") L(b8, 32, "r") L(b16, 32, "r") L(u8, 64, "l") L(s8, 64, "l")  \
    L(u16, 64, "l") L(s16, 64, "l") L(u32, 64, "l") L(s32, 64, "l") L(b32, 64, "l") L(s8, 16, "h") L(u8, 16, "h")
#define L(name, bits, C)                                                                                                \
    __global__ void load_##name##_##bits(const char *p, u64 *out)                                                       \
    {                                                                                                                   \
        type##bits x;                                                                                                   \
        asm volatile("ld.global." #name " %0, [%1];" : "=" C(x) : "l"(p + threadIdx.x * 8));                            \
        out[threadIdx.x] = x;                                                                                           \
    }
LOADS
#undef L
__global__ void vectors(const char *p, u32 *out)
{
    u32 a, b, c, d;
    u64 x, y;
    asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    asm volatile("ld.global.v4.s8 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p + 4));
    out[4] = a, out[5] = b, out[6] = c, out[7] = d;
    asm volatile("ld.global.v2.s16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p + 8));
    out[8] = a, out[9] = b;
    asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p + 16));
    out[10] = (u32)x, out[11] = (u32)(x >> 32), out[12] = (u32)y, out[13] = (u32)(y >> 32);
    asm volatile("st.global.v4.u8 [%0], {%1, %2, %3, %4};" ::"l"(out + 14), "r"(0x101), "r"(0x202), "r"(0x303), "r"(0xff04) : "memory");
    asm volatile("st.global.v2.u16 [%0], {%1, %2};" ::"l"(out + 15), "r"(0x12345), "r"(0x6789a) : "memory");
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out + 16), "r"(1), "r"(2), "r"(3), "r"(4) : "memory");
    asm volatile("st.global.u8 [%0], %1;" ::"l"(out + 20), "r"(0xabcd) : "memory");
}

int main()
{
    u64 *word = words<u64>(1);
    result *r = words<result>(2);
#define A(name, ins, bits)                                                                                              \
    shown("atom.global." ins, global_##name, bits, word, r);                                                            \
    shown("atom.shared." ins, shared_##name, bits, word, r);
    ATOMS
#undef A
#define A(name, ins, bits) shown("red.global." ins, red_##name, bits, word, r);
    REDS
#undef A
    for (u64 start : {0ull, 5ull, 0xffffffffffffffffull, 0x100000005ull})
        for (u64 compare : {0ull, 5ull, 0xffffffffffffffffull}) {
            result h[3];
            cas_b16<<<1, 1>>>(word, start, compare, 0x1234567812345678ull, r);
            cudaMemcpy(h, r, sizeof *h, cudaMemcpyDeviceToHost);
            cas_b32<<<1, 1>>>(word, start, compare, 0x1234567812345678ull, r);
            cudaMemcpy(h + 1, r, sizeof *h, cudaMemcpyDeviceToHost);
            cas_b64<<<1, 1>>>(word, start, compare, 0x1234567812345678ull, r);
            cudaMemcpy(h + 2, r, sizeof *h, cudaMemcpyDeviceToHost);
            if (!refused("cas"))
                printf("cas 16 32 64 of %llx, %llx = %llx %llx, %llx %llx, %llx %llx\n", start, compare, h[0].old, h[0].now, h[1].old,
                       h[1].now, h[2].old, h[2].now);
        }
    char *bytes = words<char>(256);
    u64 *out = words<u64>(32), h[32];
    unsigned char pattern[256];
    for (int i = 0; i < 256; i++)
        pattern[i] = (unsigned char)(i * 37 + 120);
    cudaMemcpy(bytes, pattern, 256, cudaMemcpyHostToDevice);
#define L(type, bits, C)                                                                                                \
    load_##type##_##bits<<<1, 8>>>(bytes, out);                                                                         \
    if (!refused("ld." #type)) {                                                                                        \
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);                                                           \
        printf("ld.%s to %d bits = %llx %llx %llx %llx %llx %llx\n", #type, bits, h[0], h[1], h[2], h[3], h[4], h[5]);  \
    }
    LOADS
#undef L
    cudaMemset(out, 0xee, 256);
    vectors<<<1, 1>>>(bytes, (u32 *)out);
    if (!refused("vectors")) {
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        printf("vectors =");
        for (int i = 0; i < 11; i++)
            printf(" %016llx", h[i]);
        printf("\n");
    }
    return 0;
}
