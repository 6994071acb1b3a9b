// Singular values and eigenvalues by rotations of pairs of columns until all columns are orthogonal (one-sided Jacobi):
// a matrix by a block, a pair by a warp.
#pragma once

#include "context.cuh"

struct syevjInfo {
    double tolerance;
    int sweeps;
};
struct gesvdjInfo {
    double tolerance;
    int sweeps;
};

namespace lockstep_solver
{

static const int usual_sweeps = 60;

// w: m by n, m >= n, becomes w v with orthogonal columns; v, n by n: the product of all rotations.
template <class T> struct rotated {
    int m, n, sweeps;
    typename number<T>::real tolerance;
    columns<T> w, v;
};
// Columns whose product is small beside their lengths are left alone.
template <class T> __device__ bool rotate_pair(const rotated<T> &r, int p, int q)
{
    typedef typename number<T>::real R;
    R a = 0, b = 0;
    T dot = T();
    const int lane = threadIdx.x % 32;
    for (int i = lane; i < r.m; i += 32) {
        const T x = r.w(i, p), y = r.w(i, q);
        a += squared(x);
        b += squared(y);
        dot = multiply_add(conjugate(x), y, dot);
    }
    a = sum_of_warp(a);
    b = sum_of_warp(b);
    dot = sum_of_warp(dot);
    const R size = sqrt(squared(dot));
    if (!(size > r.tolerance * sqrt(a) * sqrt(b)))
        return false;
    const R zeta = (b - a) / (2 * size), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const R c = 1 / sqrt(1 + t * t), s = c * t;
    const T turn = (1 / size) * conjugate(dot);
    for (int part = 0; part < 2; part++) {
        const columns<T> &to = part ? r.v : r.w;
        for (int i = lane; i < (part ? r.n : r.m); i += 32) {
            const T x = to(i, p), y = turn * to(i, q);
            to(i, p) = c * x - s * y;
            to(i, q) = s * x + c * y;
        }
    }
    return true;
}
// Every pair once in a sweep, n / 2 of them at a time. False: sweeps ran out.
template <class T> __device__ bool rotate_all(const rotated<T> &r)
{
    const int even = r.n + r.n % 2, warps = blockDim.x / 32;
    for (int sweep = 0; sweep < r.sweeps; sweep++) {
        bool moved = false;
        for (int round = 0; round < even - 1; round++) {
            for (int i = threadIdx.x / 32; i < even / 2; i += warps) {
                const int p = i == 0 ? even - 1 : (round + i) % (even - 1), q = (round - i + even - 1) % (even - 1);
                if (p < r.n && q < r.n)
                    moved = rotate_pair(r, p < q ? p : q, p < q ? q : p) || moved;
            }
            __syncthreads();
        }
        if (!__syncthreads_or(moved))
            return true;
    }
    return r.n <= 1;
}
// How long column j is, for all lanes.
template <class T> __device__ typename number<T>::real length_of(const rotated<T> &r, int j)
{
    typename number<T>::real sum = 0;
    for (int i = threadIdx.x % 32; i < r.m; i += 32)
        sum += squared(r.w(i, j));
    return sqrt(sum_of_warp(sum));
}
// lengths[j], and how many columns are longer, or as long and before it.
template <class R> __device__ int rank_of(int n, const R *lengths, int j)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        rank += lengths[i] > lengths[j] || (lengths[i] == lengths[j] && i < j);
    return rank;
}

// ---- A = L S R': L of m rows, R of n. Where A has more columns than rows, its conjugate transpose is taken.
template <class T> struct singular {
    rotated<T> r;
    columns<const T> a;
    bool turned;
    typename number<T>::real *values, *lengths;
    columns<T> left, right; // at NULL: not wanted
    int left_columns;
    bool right_turned; // R' is wanted
    int *info;
    long long a_stride, work_stride, values_stride, left_stride, right_stride; // of a batch
};
// Column c of `left` becomes one that is orthogonal to those before it: a unit vector, the least covered one, without
// its part in them, which is taken away twice.
template <class T> __device__ void complete_column(const singular<T> &s, int c)
{
    typedef typename number<T>::real R;
    __shared__ R best[block_threads];
    __shared__ int which[block_threads];
    const int m = s.r.m;
    R least = 2;
    int at = 0;
    for (int t = threadIdx.x; t < m; t += blockDim.x) {
        R covered = 0;
        for (int j = 0; j < c; j++)
            covered += squared(s.left(t, j));
        if (covered < least) {
            least = covered;
            at = t;
        }
    }
    best[threadIdx.x] = least;
    which[threadIdx.x] = at;
    __syncthreads();
    for (int i = 0; i < block_threads; i++)
        if (best[i] < least || (best[i] == least && which[i] < at)) {
            least = best[i];
            at = which[i];
        }
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        s.left(i, c) = make<T>(i == at ? 1 : 0);
    for (int twice = 0; twice < 2; twice++)
        for (int j = 0; j < c; j++) {
            T dot = T();
            __syncthreads();
            for (int i = threadIdx.x; i < m; i += blockDim.x)
                dot = multiply_add(conjugate(s.left(i, j)), s.left(i, c), dot);
            dot = sum_of_block(dot);
            for (int i = threadIdx.x; i < m; i += blockDim.x)
                s.left(i, c) = s.left(i, c) - s.left(i, j) * dot;
        }
    R sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        sum += squared(s.left(i, c));
    const R by = 1 / sqrt(sum_of_block(sum));
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        s.left(i, c) = by * s.left(i, c);
    __syncthreads();
}
template <class T> __device__ void load_matrix(const singular<T> &s)
{
    const rotated<T> &r = s.r;
    for (long long e = threadIdx.x; e < (long long)r.m * r.n; e += blockDim.x) {
        const int i = (int)(e % r.m), j = (int)(e / r.m);
        r.w(i, j) = s.turned ? conjugate(s.a(j, i)) : s.a(i, j);
    }
    for (long long e = threadIdx.x; e < (long long)r.n * r.n; e += blockDim.x)
        r.v(e % r.n, e / r.n) = make<T>(e % r.n == e / r.n ? 1 : 0);
    __syncthreads();
}
// Columns by length, the longest first.
template <class T> __device__ void store_columns(const singular<T> &s)
{
    typedef typename number<T>::real R;
    const rotated<T> &r = s.r;
    for (int j = threadIdx.x / 32; j < r.n; j += blockDim.x / 32) {
        const int rank = rank_of(r.n, s.lengths, j), lane = threadIdx.x % 32;
        const R length = s.lengths[j];
        if (lane == 0)
            s.values[rank] = length;
        for (int i = lane; i < r.m && s.left.at && rank < s.left_columns && length > 0; i += 32)
            s.left(i, rank) = (1 / length) * r.w(i, j);
        for (int i = lane; i < r.n && s.right.at; i += 32) {
            const T v = r.v(i, j);
            if (s.right_turned)
                s.right(rank, i) = conjugate(v);
            else
                s.right(i, rank) = v;
        }
    }
    __syncthreads();
}
template <class T> __global__ void find_singular(singular<T> all, int batch)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x) {
        singular<T> s = all;
        s.a.at += z * all.a_stride;
        s.r.w.at += z * all.work_stride;
        s.r.v.at += z * all.work_stride;
        s.lengths = (typename number<T>::real *)((T *)all.lengths + z * all.work_stride);
        s.values += z * all.values_stride;
        s.left.at = all.left.at ? all.left.at + z * all.left_stride : NULL;
        s.right.at = all.right.at ? all.right.at + z * all.right_stride : NULL;
        load_matrix(s);
        const bool done = rotate_all(s.r);
        for (int j = threadIdx.x / 32; j < s.r.n; j += blockDim.x / 32) {
            const typename number<T>::real length = length_of(s.r, j);
            if (threadIdx.x % 32 == 0)
                s.lengths[j] = length;
        }
        __syncthreads();
        store_columns(s);
        int known = 0; // columns of length 0 have no direction
        while (known < s.r.n && s.values[known] > 0)
            known++;
        for (int c = known; c < s.left_columns && s.left.at; c++)
            complete_column(s, c);
        if (threadIdx.x == 0)
            s.info[z] = done ? 0 : s.r.n + 1;
        __syncthreads();
    }
}
inline long long singular_room(int m, int n)
{
    const long long least = m < n ? m : n;
    return (long long)m * n + least * least + least;
}
inline long long strided_room(int m, int n)
{
    return singular_room(m, n) + (long long)m * n + (long long)n * n + n;
}

// ---- eigenvalues. A and a multiple of the unit matrix have only eigenvalues above 0 together, which are singular
// values then; the smallest comes first, and vectors take A's place.
template <class T> struct eigen {
    rotated<T> r;
    columns<T> a;
    bool upper, vectors;
    typename number<T>::real *values, *lengths;
    int *info;
    long long a_stride, work_stride, values_stride;
};
template <class T> __device__ T whole(const eigen<T> &s, int i, int j)
{
    return i == j ? real_part(s.a(i, i)) : (i > j) != s.upper ? s.a(i, j) : conjugate(s.a(j, i));
}
// No eigenvalue is larger: the largest sum of a row.
template <class T> __device__ typename number<T>::real bound_of(const eigen<T> &s)
{
    typedef typename number<T>::real R;
    __shared__ R sums[block_threads];
    R most = 0;
    for (int i = threadIdx.x; i < s.r.n; i += blockDim.x) {
        R sum = 0;
        for (int j = 0; j < s.r.n; j++)
            sum += sqrt(squared(whole(s, i, j)));
        most = sum > most ? sum : most;
    }
    __syncthreads();
    sums[threadIdx.x] = most;
    __syncthreads();
    for (int i = 0; i < block_threads; i++)
        most = sums[i] > most ? sums[i] : most;
    return most;
}
template <class T> __global__ void find_eigen(eigen<T> all, int batch)
{
    typedef typename number<T>::real R;
    for (int z = blockIdx.x; z < batch; z += gridDim.x) {
        eigen<T> s = all;
        const int n = s.r.n;
        s.a.at += z * all.a_stride;
        s.r.w.at += z * all.work_stride;
        s.r.v.at += z * all.work_stride;
        s.lengths = (R *)((T *)all.lengths + z * all.work_stride);
        s.values += z * all.values_stride;
        const R shift = bound_of(s);
        for (long long e = threadIdx.x; e < (long long)n * n; e += blockDim.x) {
            const int i = (int)(e % n), j = (int)(e / n);
            s.r.w(i, j) = whole(s, i, j) + make<T>(i == j ? shift : 0);
            s.r.v(i, j) = make<T>(i == j ? 1 : 0);
        }
        __syncthreads();
        const bool done = rotate_all(s.r);
        for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32) {
            const R length = length_of(s.r, j);
            if (threadIdx.x % 32 == 0)
                s.lengths[j] = length;
        }
        __syncthreads();
        for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32) {
            const int place = n - 1 - rank_of(n, s.lengths, j);
            if (threadIdx.x % 32 == 0)
                s.values[place] = s.lengths[j] - shift;
            for (int i = threadIdx.x % 32; i < n && s.vectors; i += 32)
                s.a(i, place) = s.r.v(i, j);
        }
        if (threadIdx.x == 0)
            s.info[z] = done ? 0 : n + 1;
        __syncthreads();
    }
}
inline long long eigen_room(int n)
{
    return 2ll * n * n + n;
}

template <class T> typename number<T>::real usual_tolerance(int m)
{
    const double epsilon = sizeof(typename number<T>::real) == 4 ? 1.2e-7 : 2.2e-16;
    return (typename number<T>::real)(epsilon * (m < 16 ? 8 : 2 * sqrt((double)m)));
}

} // namespace lockstep_solver
