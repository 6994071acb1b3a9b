// Products of matrices by nvcuda::wmma: all shapes, types and layouts. Numbers are small integers, so that every sum is exact.
#include <cstdio>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

template <typename T> struct memory {
    typedef T type;
};
template <> struct memory<wmma::precision::tf32> {
    typedef float type;
};

template <int m, int n, int k, typename T, typename C, typename D, typename LA, typename LB>
__global__ void product(const typename memory<T>::type *a, const typename memory<T>::type *b, const C *c, D *d, bool by_columns, int lda, int ldb)
{
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::layout_t layout = by_columns ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::load_matrix_sync(fc, c, by_columns ? m : n, layout);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = (C)((float)fc.x[i] + 1.0f);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, by_columns ? m : n, layout);
}

static unsigned state = 1;
static int small(int range)
{
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) % (2 * range + 1) - range;
}

template <typename L> struct is_row {
    static const bool value = false;
};
template <> struct is_row<wmma::row_major> {
    static const bool value = true;
};

static int wrong;

template <int m, int n, int k, typename T, typename C, typename D, typename LA, typename LB>
static void check(const char *what, int range, int least)
{
    typedef typename memory<T>::type S;
    static void *all[4];
    for (int i = 0; i < 4; i++)
        if (!all[i])
            cudaMallocManaged(&all[i], 32 * 32 * 8);
    S *a = (S *)all[0], *b = (S *)all[1];
    C *c = (C *)all[2];
    D *d = (D *)all[3];
    int lda = is_row<LA>::value ? k : m, ldb = is_row<LB>::value ? n : k;
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        int va[32][32], vb[32][32], vc[32][32];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                a[is_row<LA>::value ? i * k + j : j * m + i] = (S)(float)(va[i][j] = small(range) + least);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++)
                b[is_row<LB>::value ? i * n + j : j * k + i] = (S)(float)(vb[i][j] = small(range) + least);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                c[by_columns ? j * m + i : i * n + j] = (C)(float)(vc[i][j] = small(range));
        product<m, n, k, T, C, D, LA, LB><<<1, 32>>>(a, b, c, d, by_columns, lda, ldb);
        cudaDeviceSynchronize();
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                int want = vc[i][j] + 1;
                for (int x = 0; x < k; x++)
                    want += va[i][x] * vb[x][j];
                float got = (float)d[by_columns ? j * m + i : i * n + j];
                if (got != want && wrong++ < 5)
                    std::fprintf(stderr, "%s m%dn%dk%d: row %d, column %d is %g, not %d\n", what, m, n, k, i, j, got, want);
            }
    }
}

template <int m, int n, int k, typename T, typename C, typename D> static void layouts(const char *what, int range, int least)
{
    check<m, n, k, T, C, D, wmma::row_major, wmma::row_major>(what, range, least);
    check<m, n, k, T, C, D, wmma::row_major, wmma::col_major>(what, range, least);
    check<m, n, k, T, C, D, wmma::col_major, wmma::row_major>(what, range, least);
    check<m, n, k, T, C, D, wmma::col_major, wmma::col_major>(what, range, least);
}

template <typename T, typename C, typename D> static void shapes(const char *what, int range, int least)
{
    layouts<16, 16, 16, T, C, D>(what, range, least);
    layouts<32, 8, 16, T, C, D>(what, range, least);
    layouts<8, 32, 16, T, C, D>(what, range, least);
}

__global__ void scaled(float *out)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
    wmma::fill_fragment(f, 1.5f);
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] *= 2;
    wmma::store_matrix_sync(out, f, 16, wmma::mem_row_major);
    out[256 + threadIdx.x] = wmma::__float_to_tf32(1.0f + 0x1p-12f);
}

int main()
{
    shapes<__half, float, float>("f16, f32", 8, 0);
    shapes<__half, __half, __half>("f16", 8, 0);
    shapes<__half, __half, float>("f16 to f32", 8, 0);
    shapes<__half, float, __half>("f32 to f16", 8, 0);
    shapes<__nv_bfloat16, float, float>("bf16", 8, 0);
    shapes<signed char, int, int>("s8", 120, 0);
    shapes<unsigned char, int, int>("u8", 120, 120);
    layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32", 8, 0);
    layouts<8, 8, 4, double, double, double>("f64", 8, 0);
    float *out;
    cudaMallocManaged(&out, 288 * sizeof *out);
    scaled<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 288; i++)
        wrong += out[i] != (i < 256 ? 3.0f : 1.0f);
    std::printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return 0;
}
