// Writes what a real NVIDIA GPU computes for the instructions of ops.def, as text lines that tests/unit/simt/vectors_test.c checks
// the lane functions against:
//
//     INSTRUCTION SOURCES = RESULTS
//
// all hexadecimal, with as many digits as the register has nibbles (4, 8 or 16), one digit for predicates and carries. A line that
// begins with ~ is an approximation. Inputs are the same on every machine: pairs of edge values, then words of a counter-based
// generator. Usage: vectors [ROWS PER INSTRUCTION] >tests/vectors/GPU.txt
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct row {
    uint64_t src[4], result[2];
};

enum { MOST_ROWS = 65536 };

// Registers by width: the constraint of inline assembly and the C type.
#define R16 "h"
#define R32 "r"
#define R64 "l"
typedef uint16_t reg16;
typedef uint32_t reg32;
typedef uint64_t reg64;
#define REG(width) reg##width
#define IN(width, i) R##width((REG(width))r.src[i])
#define OUT(width) "=" R##width(d)

#define NAME_(line) run_##line
#define NAME(line) NAME_(line)
// One kernel per row of ops.def: named by its line.
#define KERNEL(width, assembly)                                                  \
    static __global__ void NAME(__LINE__)(row * rows, unsigned count)            \
    {                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                      \
        if (i >= count)                                                          \
            return;                                                              \
        row r = rows[i];                                                         \
        REG(width) d = 0;                                                        \
        uint32_t extra = 0;                                                      \
        assembly;                                                                \
        rows[i].result[0] = d;                                                   \
        rows[i].result[1] = extra & 1;                                           \
    }

#define V1(text, wd, wa) KERNEL(wd, asm(text " %0, %1;" : OUT(wd) : IN(wa, 0)))
#define V2(text, wd, wa, wb) KERNEL(wd, asm(text " %0, %1, %2;" : OUT(wd) : IN(wa, 0), IN(wb, 1)))
#define V3(text, wd, wa, wb, wc) KERNEL(wd, asm(text " %0, %1, %2, %3;" : OUT(wd) : IN(wa, 0), IN(wb, 1), IN(wc, 2)))
#define V4(text, wd, wa, wb, wc, we) \
    KERNEL(wd, asm(text " %0, %1, %2, %3, %4;" : OUT(wd) : IN(wa, 0), IN(wb, 1), IN(wc, 2), IN(we, 3)))
#define VD V2
#define VF V3
#define VA1 V1
#define VA2 V2
#define VP(text, w) \
    KERNEL(32, asm("{.reg .pred p; " text " p, %1, %2; selp.b32 %0, 1, 0, p;}" : OUT(32) : IN(w, 0), IN(w, 1)))
#define VT(text, w) KERNEL(32, asm("{.reg .pred p; " text " p, %1; selp.b32 %0, 1, 0, p;}" : OUT(32) : IN(w, 0)))
#define VPC(text, w)                                                                                                  \
    KERNEL(32, asm("{.reg .pred p, c; setp.ne.u32 c, %3, 0; " text " p, %1, %2, c; selp.b32 %0, 1, 0, p;}" : OUT(32)  \
                   : IN(w, 0), IN(w, 1), IN(32, 2)))
#define VSEL(text, w)                                                                                                 \
    KERNEL(w, asm("{.reg .pred c; setp.ne.u32 c, %3, 0; " text " %0, %1, %2, c;}" : OUT(w) : IN(w, 0), IN(w, 1), IN(32, 2)))
#define VLOP3(text, table) KERNEL(32, asm(text " %0, %1, %2, %3, " #table ";" : OUT(32) : IN(32, 0), IN(32, 1), IN(32, 2)))
// The carry out is read by adding 0 + 0 with it (subtracting: minus the borrow). A carry comes in from an addition that makes one.
#define VADD(text, w) \
    KERNEL(w, asm(text " %0, %2, %3; addc.u32 %1, 0, 0;" : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1)))
#define VSUB(text, w) \
    KERNEL(w, asm(text " %0, %2, %3; subc.u32 %1, 0, 0;" : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1)))
#define VMAD(text, w) \
    KERNEL(w, asm(text " %0, %2, %3, %4; addc.u32 %1, 0, 0;" : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1), IN(w, 2)))
#define VADDC(text, w)                                                                                                \
    KERNEL(w, asm("{.reg .b32 t; add.cc.u32 t, %4, -1; " text " %0, %2, %3; addc.u32 %1, 0, 0;}"                      \
                  : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1), IN(32, 2)))
#define VSUBC(text, w)                                                                                                \
    KERNEL(w, asm("{.reg .b32 t; sub.cc.u32 t, 0, %4; " text " %0, %2, %3; subc.u32 %1, 0, 0;}"                       \
                  : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1), IN(32, 2)))
#define VMADC(text, w)                                                                                                \
    KERNEL(w, asm("{.reg .b32 t; add.cc.u32 t, %5, -1; " text " %0, %2, %3, %4; addc.u32 %1, 0, 0;}"                  \
                  : OUT(w), "=r"(extra) : IN(w, 0), IN(w, 1), IN(w, 2), IN(32, 3)))
#include "ops.def"
#undef V1
#undef V2
#undef V3
#undef V4
#undef VD
#undef VF
#undef VA1
#undef VA2
#undef VP
#undef VT
#undef VPC
#undef VSEL
#undef VLOP3
#undef VADD
#undef VSUB
#undef VMAD
#undef VADDC
#undef VSUBC
#undef VMADC

// The table: what to print around the sources and results. Width 1 is a predicate or a carry.
struct entry {
    const char *text;
    void (*run)(row *rows, unsigned count);
    int src[4], dst[2];
    bool approximate, nonzero_divisor, small_second;
    const char *table; // of lop3: printed as a last source
};

#define PLAIN(text, ...) {text, NAME(__LINE__), __VA_ARGS__},
#define V1(text, wd, wa) PLAIN(text, {wa}, {wd})
#define V2(text, wd, wa, wb) PLAIN(text, {wa, wb}, {wd})
#define V3(text, wd, wa, wb, wc) PLAIN(text, {wa, wb, wc}, {wd})
#define V4(text, wd, wa, wb, wc, we) PLAIN(text, {wa, wb, wc, we}, {wd})
#define VD(text, wd, wa, wb) PLAIN(text, {wa, wb}, {wd}, false, true)
#define VF(text, wd, wa, wb, wc) PLAIN(text, {wa, wb, wc}, {wd}, false, false, true)
#define VA1(text, wd, wa) PLAIN(text, {wa}, {wd}, true)
#define VA2(text, wd, wa, wb) PLAIN(text, {wa, wb}, {wd}, true)
#define VP(text, w) PLAIN(text, {w, w}, {1})
#define VT(text, w) PLAIN(text, {w}, {1})
#define VPC(text, w) PLAIN(text, {w, w, 1}, {1})
#define VSEL(text, w) PLAIN(text, {w, w, 1}, {w})
#define VLOP3(text, table) PLAIN(text, {32, 32, 32}, {32}, false, false, false, #table)
#define VADD(text, w) PLAIN(text, {w, w}, {w, 1})
#define VSUB(text, w) PLAIN(text, {w, w}, {w, 1})
#define VMAD(text, w) PLAIN(text, {w, w, w}, {w, 1})
#define VADDC(text, w) PLAIN(text, {w, w, 1}, {w, 1})
#define VSUBC(text, w) PLAIN(text, {w, w, 1}, {w, 1})
#define VMADC(text, w) PLAIN(text, {w, w, w, 1}, {w, 1})
static const entry entries[] = {
#include "ops.def"
};

static const uint64_t edges[] = {
    0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0xffffff,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x00800000, 0x807fffff, 0x3f800000, 0xbf800000, 0x7f7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4f000000, 0x5f000000, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x03ff,
    0x0010000000000000, 0x800fffffffffffff, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000001, 0x43e0000000000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
};

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t cut(uint64_t x, int width)
{
    return width == 64 ? x : x & ((uint64_t(1) << width) - 1);
}

static void fill(const entry &e, row *rows, unsigned count)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < count; i++)
        for (int k = 0; k < 4 && e.src[k]; k++) {
            uint64_t kind = draw(&state) & 3, x = draw(&state), y = draw(&state);
            x = kind < 2 ? edges[x % (sizeof edges / sizeof *edges)] : kind == 2 ? x : x >> (y & 63);
            rows[i].src[k] = cut(x, e.src[k]);
            if (e.small_second && k == 1)
                rows[i].src[k] &= 31;
            if (e.nonzero_divisor && k == 1 && !rows[i].src[k])
                rows[i].src[k] = 1;
        }
}

static void print_value(uint64_t value, int width)
{
    printf(" %0*llx", width == 1 ? 1 : width / 4, (unsigned long long)value);
}

static void print_rows(const entry &e, const row *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        printf("%s%s", e.approximate ? "~ " : "", e.text);
        for (int k = 0; k < 4 && e.src[k]; k++)
            print_value(rows[i].src[k], e.src[k]);
        if (e.table)
            printf(" %s", e.table + 2);
        printf(" =");
        for (int k = 0; k < 2 && e.dst[k]; k++)
            print_value(rows[i].result[k], e.dst[k]);
        printf("\n");
    }
}

static bool failed(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        fprintf(stderr, "vectors: %s: %s\n", what, cudaGetErrorString(error));
    return error != cudaSuccess;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    cudaDeviceProp properties;
    row *rows = (row *)malloc(MOST_ROWS * sizeof *rows), *device;
    if (count == 0 || count > MOST_ROWS || !rows) {
        fprintf(stderr, "usage: vectors [1..%d rows per instruction]\n", MOST_ROWS);
        return 2;
    }
    if (failed(cudaGetDeviceProperties(&properties, 0), "no GPU") || failed(cudaMalloc(&device, count * sizeof *rows), "memory"))
        return 1;
    printf("# %s, compute capability %d.%d, %u rows per instruction\n", properties.name, properties.major, properties.minor, count);
    for (const entry &e : entries) {
        memset(rows, 0, count * sizeof *rows);
        fill(e, rows, count);
        if (failed(cudaMemcpy(device, rows, count * sizeof *rows, cudaMemcpyHostToDevice), e.text))
            return 1;
        e.run<<<(count + 127) / 128, 128>>>(device, count);
        if (failed(cudaGetLastError(), e.text) ||
            failed(cudaMemcpy(rows, device, count * sizeof *rows, cudaMemcpyDeviceToHost), e.text))
            return 1;
        print_rows(e, rows, count);
    }
    return 0;
}
