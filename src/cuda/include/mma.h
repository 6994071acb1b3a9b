/* nvcuda::wmma: products of matrices by a warp, over mma.sync. How the lanes of a warp hold a matrix is nobody's business but ours: as that
 * instruction wants it (PTX ISA, "Matrix Fragments"), in tiles of 16 rows of what is multiplied from the left, and of 8 columns of what is from the
 * right. Where a has 8 rows and b 32 columns, the transposed product is computed, with a on the right. Types of 4 bits and of one are left out. */
#ifndef __MMA_H__
#define __MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus)

namespace nvcuda {
namespace wmma {

struct row_major {
};
struct col_major {
};
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {
};
}

namespace lockstep {

typedef unsigned __attribute__((may_alias)) word;

template <typename T> struct stored {
    typedef T type;
};
template <> struct stored<precision::tf32> {
    typedef float type;
};

/* Elements of a type that lie in a register, of what is multiplied. */
template <typename T> struct in_register {
    static const int count = sizeof(typename stored<T>::type) >= 4 ? 1 : 4 / sizeof(typename stored<T>::type);
};

enum role { left, right, sum };

/* A matrix of so many rows and columns in its role: transposed where the product is. */
template <role Role, int Rows, int Columns, typename T, bool Transposed> struct shape {
    static const role as = Role;
    static const bool transposed = Transposed;
    static const int tile_rows = Rows < 16 ? Rows : 16;
    static const int elements = Rows * Columns / 32;
    static const int together = Role == sum ? 2 : in_register<T>::count; /* neighbours in a row, or of `right` in a column */
    static const int in_tile = Role == left  ? tile_rows * Columns / 32
                               : Role == right ? 8 * Rows / 32
                                               : tile_rows * 8 / 32;
    /* Where the lane's element j lies. */
    static __device__ void place(int lane, int j, int &row, int &column)
    {
        int group = lane / 4, within = lane % 4, tile = j / in_tile, i = j % in_tile, e = together, r = i / e;
        if (Role == left) {
            row = tile * 16 + group + 8 * (r % 2);
            column = 4 * e * (r / 2) + e * within + i % e;
        } else if (Role == right) {
            row = 4 * e * r + e * within + i % e;
            column = tile * 8 + group;
        } else {
            row = tile / (Columns / 8) * 16 + group + 8 * r;
            column = tile % (Columns / 8) * 8 + 2 * within + i % 2;
        }
        if (Transposed) {
            int was = row;
            row = column;
            column = was;
        }
    }
};

template <typename Use, int m, int n, int k, typename T> struct shape_of;
template <int m, int n, int k, typename T>
struct shape_of<matrix_a, m, n, k, T>
    : shape<m == 8 && n == 32 ? right : left, m == 8 && n == 32 ? k : m, m == 8 && n == 32 ? m : k, T, m == 8 && n == 32> {
};
template <int m, int n, int k, typename T>
struct shape_of<matrix_b, m, n, k, T>
    : shape<m == 8 && n == 32 ? left : right, m == 8 && n == 32 ? n : k, m == 8 && n == 32 ? k : n, T, m == 8 && n == 32> {
};
template <int m, int n, int k, typename T>
struct shape_of<accumulator, m, n, k, T>
    : shape<sum, m == 8 && n == 32 ? n : m, m == 8 && n == 32 ? m : n, T, m == 8 && n == 32> {
};

static __device__ inline int lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return (int)lane;
}

/* e elements to where they are read or written. */
template <typename S> static __device__ inline void copy(S *x, const S *p, int e)
{
    __builtin_memcpy(x, p, e * sizeof(S));
}
template <typename S> static __device__ inline void copy(const S *x, S *p, int e)
{
    __builtin_memcpy(p, x, e * sizeof(S));
}

/* A lane's elements x, from memory, or, if they are constant, to memory: neighbours at once. */
template <typename Shape, typename X, typename P> static __device__ inline void move(X *x, P *p, unsigned ldm, bool columns)
{
    const int e = Shape::together;
    bool along_rows = (Shape::as == right) == Shape::transposed, neighbours = along_rows != columns;
    for (int j = 0; j < Shape::elements; j += e) {
        int row, column;
        Shape::place(lane(), j, row, column);
        P *at = p + (columns ? column * ldm + row : row * ldm + column);
        if (neighbours)
            copy(&x[j], (P *)__builtin_assume_aligned(at, e * sizeof(P)), e);
        for (int i = 0; !neighbours && i < e; i++)
            copy(&x[j + i], at + i * ldm, 1);
    }
}

#define LOCKSTEP_MMA_F32(shape, type)                                                                                      \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type                                                   \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                     \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/* One tile: c += a * b. */
template <typename A, typename B> struct tile;
template <> struct tile<__half, __half> {
    static __device__ void add(float *c, const word *a, const word *b, bool)
    {
        LOCKSTEP_MMA_F32("m16n8k16", "f16");
    }
    static __device__ void add(__half *c, const word *a, const word *b, bool)
    {
        word *d = (word *)c;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
template <> struct tile<__nv_bfloat16, __nv_bfloat16> {
    static __device__ void add(float *c, const word *a, const word *b, bool)
    {
        LOCKSTEP_MMA_F32("m16n8k16", "bf16");
    }
};
template <> struct tile<precision::tf32, precision::tf32> {
    static __device__ void add(float *c, const word *a, const word *b, bool)
    {
        LOCKSTEP_MMA_F32("m16n8k8", "tf32");
    }
};
#undef LOCKSTEP_MMA_F32

#define LOCKSTEP_MMA_S32(T, saturates, type)                                                                               \
    asm volatile("mma.sync.aligned.m16n8k16.row.col." saturates "s32." type                                                \
                 ".s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                                \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define LOCKSTEP_MMA_BYTES(T, type)                                                                                        \
    template <> struct tile<T, T> {                                                                                        \
        static __device__ void add(int *c, const word *a, const word *b, bool saturates)                                   \
        {                                                                                                                  \
            if (saturates)                                                                                                 \
                LOCKSTEP_MMA_S32(T, "satfinite.", type);                                                                   \
            else                                                                                                           \
                LOCKSTEP_MMA_S32(T, "", type);                                                                             \
        }                                                                                                                  \
    }
LOCKSTEP_MMA_BYTES(signed char, "s8.s8");
LOCKSTEP_MMA_BYTES(unsigned char, "u8.u8");
#undef LOCKSTEP_MMA_BYTES
#undef LOCKSTEP_MMA_S32

template <> struct tile<double, double> {
    static __device__ void add(double *c, const word *a, const word *b, bool)
    {
        double x, y;
        __builtin_memcpy(&x, a, 8);
        __builtin_memcpy(&y, b, 8);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c[0]), "+d"(c[1]) : "d"(x), "d"(y));
    }
};

/* The type in which a sum is formed: float, where only one of c and d is half. */
template <typename C, typename D> struct summed {
    typedef float type;
};
template <typename T> struct summed<T, T> {
    typedef T type;
};

} // namespace lockstep

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment {
public:
    typedef T element_type;
    typedef typename lockstep::stored<T>::type storage_element_type;
    typedef lockstep::shape_of<Use, m, n, k, T> shape;
    static constexpr int num_elements = shape::elements, num_storage_elements = shape::elements;
    alignas(8) storage_element_type x[shape::elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
static __device__ inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &value)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (typename lockstep::stored<T>::type)value;
}

template <typename Use, int m, int n, int k, typename T, typename P>
static __device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, row_major> &f, const P *p, unsigned ldm)
{
    lockstep::move<lockstep::shape_of<Use, m, n, k, T>>(f.x, p, ldm, false);
}

template <typename Use, int m, int n, int k, typename T, typename P>
static __device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, col_major> &f, const P *p, unsigned ldm)
{
    lockstep::move<lockstep::shape_of<Use, m, n, k, T>>(f.x, p, ldm, true);
}

template <int m, int n, int k, typename T, typename P>
static __device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const P *p, unsigned ldm, layout_t layout)
{
    lockstep::move<lockstep::shape_of<accumulator, m, n, k, T>>(f.x, p, ldm, layout == mem_col_major);
}

template <int m, int n, int k, typename T, typename P>
static __device__ inline void store_matrix_sync(P *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t layout)
{
    lockstep::move<lockstep::shape_of<accumulator, m, n, k, T>>(f.x, p, ldm, layout == mem_col_major);
}

template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename C, typename D>
static __device__ inline void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                                       const fragment<matrix_b, m, n, k, T, LayoutB> &b, const fragment<accumulator, m, n, k, C> &c,
                                       bool satf = false)
{
    using namespace lockstep;
    const bool swapped = m == 8 && n == 32;
    const int rows = swapped ? n : m, columns = swapped ? m : n;
    const int tile_rows = rows < 16 ? rows : 16, in_left = tile_rows * k / 32, in_right = 8 * k / 32, in_sum = tile_rows * 8 / 32;
    typedef typename summed<C, D>::type S;
    alignas(8) S sums[m * n / 32];
    for (int i = 0; i < m * n / 32; i++)
        sums[i] = (S)c.x[i];
    const word *left = swapped ? (const word *)b.x : (const word *)a.x, *right = swapped ? (const word *)a.x : (const word *)b.x;
    const int size = sizeof(typename stored<T>::type);
    for (int i = 0; i < rows / tile_rows; i++)
        for (int j = 0; j < columns / 8; j++)
            tile<T, T>::add(&sums[(i * (columns / 8) + j) * in_sum], left + i * in_left * size / 4, right + j * in_right * size / 4, satf);
    for (int i = 0; i < m * n / 32; i++)
        d.x[i] = (D)sums[i];
}

static __device__ inline float __float_to_tf32(float x)
{
    float rounded;
    asm("{\n\t.reg .b32 r;\n\tcvt.rna.tf32.f32 r, %1;\n\tmov.b32 %0, r;\n\t}" : "=f"(rounded) : "f"(x));
    return rounded;
}

} // namespace wmma
} // namespace nvcuda

#endif

#endif
