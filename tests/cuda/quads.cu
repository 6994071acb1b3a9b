// mma.m8n8k4 of halves: four products at a time, each by two quads of the warp, by rows and by columns, with sums of both types.
// What a lane holds is here by tables; the host computes the products from whole matrices.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#define SUMS(X) X(f16, f16, "r", "r", uint32_t, uint32_t, 4, 4) X(f32, f16, "f", "r", float, uint32_t, 8, 4) X(f32, f32, "f", "f", float, float, 8, 8)
#define REGS4 "{%0, %1, %2, %3}"
#define REGS8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
// The numbers of operands behind d: a, b, c.
#define IN44 "{%4, %5}, {%6, %7}, {%8, %9, %10, %11};"
#define IN84 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15};"
#define IN88 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
#define OUT4(C, d) "=" C(d[0]), "=" C(d[1]), "=" C(d[2]), "=" C(d[3])
#define OUT8(C, d) OUT4(C, d), "=" C(d[4]), "=" C(d[5]), "=" C(d[6]), "=" C(d[7])
#define GET4(C, c) C(c[0]), C(c[1]), C(c[2]), C(c[3])
#define GET8(C, c) GET4(C, c), C(c[4]), C(c[5]), C(c[6]), C(c[7])
#define LAYOUT(AL, BL, D, S, CD, CC, nd, nc)                                                                           \
    asm volatile("mma.sync.aligned.m8n8k4." AL "." BL "." #D ".f16.f16." #S " " REGS##nd ", " IN##nd##nc                  \
                 : OUT##nd(CD, d)                                                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), GET##nc(CC, c))
#define KERNEL(D, S, CD, CC, TD, TC, nd, nc)                                                                           \
    __global__ void k_##D##_##S(int layout, const uint32_t *as, const uint32_t *bs, const TC *cs, TD *ds)              \
    {                                                                                                                  \
        const uint32_t *a = as + 2 * threadIdx.x, *b = bs + 2 * threadIdx.x;                                           \
        const TC *c = cs + nc * threadIdx.x;                                                                           \
        TD d[nd];                                                                                                      \
        if (layout == 0)                                                                                               \
            LAYOUT("row", "row", D, S, CD, CC, nd, nc);                                                                \
        else if (layout == 1)                                                                                          \
            LAYOUT("row", "col", D, S, CD, CC, nd, nc);                                                                \
        else if (layout == 2)                                                                                          \
            LAYOUT("col", "row", D, S, CD, CC, nd, nc);                                                                \
        else                                                                                                           \
            LAYOUT("col", "col", D, S, CD, CC, nd, nc);                                                                \
        for (int i = 0; i < nd; i++)                                                                                   \
            ds[nd * threadIdx.x + i] = d[i];                                                                           \
    }
SUMS(KERNEL)

// Small whole numbers and halves of them, which f16 holds, as do all sums of their products.
static uint16_t half_of(int twice)
{
    int m = twice < 0 ? -twice : twice, e = 0;
    if (!m)
        return 0;
    while (m >> (e + 1))
        e++;
    return (uint16_t)((twice < 0 ? 0x8000 : 0) | (14 + e) << 10 | ((m << (10 - e)) & 0x3ff));
}
static unsigned state = 99;
static int draw()
{
    state = state * 1664525 + 1013904223;
    return (int)(state >> 20) % 15 - 7; // twice the number
}

// Where elements of the first pair of quads lie: by lane (0 to 3, 16 to 19), then element.
static const int group[8] = {0, 1, 2, 3, 16, 17, 18, 19};
static const int singles[2][8][2] = { // rows and columns of C of 32 bits in lanes 0 and 1; lane + 2 is two columns, lane + 16 four rows further
    {{0, 0}, {0, 1}, {2, 0}, {2, 1}, {0, 4}, {0, 5}, {2, 4}, {2, 5}},
    {{1, 0}, {1, 1}, {3, 0}, {3, 1}, {1, 4}, {1, 5}, {3, 4}, {3, 5}}};

static int a[4][8][4], b[4][4][8], c[4][8][8];
static int *element_of_a(int q, int g, int i, bool by_columns)
{
    int t = g % 4, upper = g / 4 * 4;
    return by_columns ? &a[q][i + upper][t] : &a[q][t + upper][i];
}
static int *element_of_b(int q, int g, int i, bool by_columns)
{
    int t = g % 4, upper = g / 4 * 4;
    return by_columns ? &b[q][i][t + upper] : &b[q][t][i + upper];
}
static int *element_of_c(int m[4][8][8], int q, int g, int i, bool halves)
{
    if (halves)
        return &m[q][g][i];
    const int *at = singles[g % 2][i];
    return &m[q][at[0] + g / 4 * 4][at[1] + g % 4 / 2 * 2];
}

static unsigned wrong;
template <class TC, class TD> static void check(void (*k)(int, const uint32_t *, const uint32_t *, const TC *, TD *), bool c_halves, bool d_halves)
{
    static uint16_t *as, *bs;
    static TC *cs;
    static TD *ds;
    cudaMallocManaged(&as, 32 * 4 * 2);
    cudaMallocManaged(&bs, 32 * 4 * 2);
    cudaMallocManaged(&cs, 32 * 8 * 4);
    cudaMallocManaged(&ds, 32 * 8 * 4);
    for (int layout = 0; layout < 4; layout++) {
        static int d[4][8][8];
        for (int q = 0; q < 4; q++) {
            for (int i = 0; i < 32; i++)
                (&a[q][0][0])[i] = draw(), (&b[q][0][0])[i] = draw();
            for (int i = 0; i < 64; i++)
                (&c[q][0][0])[i] = draw();
            for (int i = 0; i < 64; i++) { // four times the number, as halves of both factors are
                int sum = 2 * c[q][i / 8][i % 8];
                for (int n = 0; n < 4; n++)
                    sum += a[q][i / 8][n] * b[q][n][i % 8];
                d[q][i / 8][i % 8] = sum;
            }
            for (int g = 0; g < 8; g++) {
                int lane = group[g] + 4 * q;
                for (int i = 0; i < 4; i++) {
                    as[4 * lane + i] = half_of(*element_of_a(q, g, i, layout & 2));
                    bs[4 * lane + i] = half_of(*element_of_b(q, g, i, layout & 1));
                }
                for (int i = 0; i < 8; i++)
                    if (c_halves)
                        ((uint16_t *)cs)[8 * lane + i] = half_of(*element_of_c(c, q, g, i, true));
                    else
                        ((float *)cs)[8 * lane + i] = *element_of_c(c, q, g, i, false) / 2.0f;
            }
        }
        k<<<1, 32>>>(layout, (const uint32_t *)as, (const uint32_t *)bs, cs, ds);
        cudaDeviceSynchronize();
        for (int q = 0; q < 4; q++)
            for (int g = 0; g < 8; g++)
                for (int i = 0; i < 8; i++) {
                    int lane = group[g] + 4 * q, quarters = *element_of_c(d, q, g, i, d_halves);
                    uint16_t h = half_of(quarters); // of twice the number
                    bool right = d_halves ? ((uint16_t *)ds)[8 * lane + i] == (uint16_t)(h ? h - 0x400 : 0) : ((float *)ds)[8 * lane + i] == quarters / 4.0f;
                    wrong += !right;
                }
    }
}

int main()
{
    check(k_f16_f16, true, true);
    check(k_f32_f16, true, false);
    check(k_f32_f32, false, false);
    printf("%s, %u wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return wrong != 0;
}
