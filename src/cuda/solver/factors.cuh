// Factors of dense matrices, a panel of columns after the other: the panel by one block, what is behind it by many.
#pragma once

#include "../kernels/pivots.cuh"
#include "context.cuh"

namespace lockstep_solver
{

static const int panel = 16;

// ---- P A = L U. pivots: row k was exchanged with row pivots[k] - 1; NULL: none is. *info: the first pivot that is 0,
// counted from 1.
template <class T> struct lu {
    int m, n, k0, width;
    columns<T> a;
    int *pivots, *info;
};
template <class T> __global__ void factor_panel(lu<T> p)
{
    for (int k = p.k0; k < p.k0 + p.width; k++) {
        if (p.pivots) {
            const int row = pivot_row<block_threads>(p.a.at, (int)p.a.ld, p.m, k);
            if (threadIdx.x == 0)
                p.pivots[k] = row + 1;
            swap_rows(&p.a(0, p.k0), (int)p.a.ld, p.width, k, row);
        }
        const T pivot = p.a(k, k);
        if (is_zero(pivot)) {
            if (threadIdx.x == 0 && *p.info == 0)
                *p.info = k + 1;
            continue; // all threads do
        }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < p.m; i += blockDim.x)
            p.a(i, k) = p.a(i, k) / pivot;
        __syncthreads();
        for (int j = k + 1; j < p.k0 + p.width; j++)
            for (int i = k + 1 + threadIdx.x; i < p.m; i += blockDim.x)
                p.a(i, j) = p.a(i, j) - p.a(i, k) * p.a(k, j);
        __syncthreads();
    }
}
// A column outside of the panel: its rows are exchanged; behind the panel, it is solved for the panel's rows of U.
template <class T> struct follow_panel {
    lu<T> p;
    __device__ void operator()(long long other) const
    {
        const long long j = other < p.k0 ? other : other + p.width;
        for (int k = p.k0; k < p.k0 + p.width && p.pivots; k++) {
            const int row = p.pivots[k] - 1;
            const T old = p.a(k, j);
            p.a(k, j) = p.a(row, j);
            p.a(row, j) = old;
        }
        for (int k = p.k0; k < p.k0 + p.width && j > p.k0; k++)
            for (int i = k + 1; i < p.k0 + p.width; i++)
                p.a(i, j) = p.a(i, j) - p.a(i, k) * p.a(k, j);
    }
};
template <class T> struct update_behind {
    lu<T> p;
    __device__ void operator()(long long e) const
    {
        const int next = p.k0 + p.width, rows = p.m - next;
        const long long i = next + e % rows, j = next + e / rows;
        T sum = p.a(i, j);
        for (int k = p.k0; k < next; k++)
            sum = sum - p.a(i, k) * p.a(k, j);
        p.a(i, j) = sum;
    }
};
template <class T>
cusolverStatus_t run_lu(cusolverDnHandle_t handle, int m, int n, T *a, int lda, int *pivots, int *info)
{
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    const int least = m < n ? m : n;
    for (int k = 0; k < least; k += panel) {
        const lu<T> p = {m, n, k, least - k < panel ? least - k : panel, {a, lda}, pivots, info};
        const int next = k + p.width;
        LOCKSTEP_SOLVER_STEP(launch(handle, 1, factor_panel<T>, p));
        LOCKSTEP_SOLVER_STEP(run_for_each(handle, n - p.width, follow_panel<T>{p}));
        LOCKSTEP_SOLVER_STEP(run_for_each(handle, (long long)(m - next) * (n - next), update_behind<T>{p}));
    }
    return CUSOLVER_STATUS_SUCCESS;
}

// ---- triangles: x becomes T^-1 x by one block, an unknown at a time. a(i, j): an element of T.
template <class A, class T> __device__ void solve_triangle(int n, A a, bool lower, bool unit, T *x)
{
    for (int step = 0; step < n; step++) {
        const int k = lower ? step : n - 1 - step;
        __syncthreads();
        const T known = unit ? x[k] : x[k] / a(k, k);
        __syncthreads();
        if (threadIdx.x == 0)
            x[k] = known;
        for (int other = threadIdx.x; other < n - 1 - step; other += blockDim.x) {
            const int r = lower ? k + 1 + other : other;
            x[r] = x[r] - a(r, k) * known;
        }
    }
    __syncthreads();
}
template <class T> struct transposed_of {
    columns<const T> a;
    bool transposed, conjugated;
    __device__ T operator()(int i, int j) const
    {
        return conjugate_if(transposed ? a(j, i) : a(i, j), conjugated);
    }
};
// op(A) X = B by the factors, a right-hand side by each block.
template <class T> __global__ void solve_by_lu(int n, int sides, transposed_of<T> a, const int *pivots, columns<T> b)
{
    for (int side = blockIdx.x; side < sides; side += gridDim.x) {
        T *x = &b(0, side);
        if (threadIdx.x == 0 && pivots && !a.transposed)
            for (int k = 0; k < n; k++) {
                const T old = x[k];
                x[k] = x[pivots[k] - 1];
                x[pivots[k] - 1] = old;
            }
        solve_triangle(n, a, true, !a.transposed, x);
        solve_triangle(n, a, false, a.transposed, x);
        if (threadIdx.x == 0 && pivots && a.transposed)
            for (int k = n - 1; k >= 0; k--) {
                const T old = x[k];
                x[k] = x[pivots[k] - 1];
                x[pivots[k] - 1] = old;
            }
        __syncthreads();
    }
}

// ---- A = L L', of which one half lies in A: L itself, or L' in the upper one.
template <class T> struct half_of {
    T *at;
    long long ld;
    bool upper;
    __device__ T get(long long i, long long j) const
    {
        return upper ? conjugate(at[j + i * ld]) : at[i + j * ld];
    }
    __device__ void set(long long i, long long j, T v) const
    {
        at[upper ? j + i * ld : i + j * ld] = upper ? conjugate(v) : v;
    }
};
// Columns k0 on. *info: the first of them whose diagonal is not positive, counted from 1; behind that nothing is done.
template <class T> __device__ void cholesky_columns(int n, int k0, int width, const half_of<T> &a, int *info)
{
    for (int k = k0; k < k0 + width; k++) {
        __syncthreads();
        const typename number<T>::real diagonal = real_of(a.get(k, k));
        const bool stopped = *info != 0;
        __syncthreads();
        if (stopped)
            return; // all threads do
        if (!(diagonal > 0)) {
            if (threadIdx.x == 0)
                *info = k + 1;
            continue;
        }
        const T by = root<T>(diagonal);
        if (threadIdx.x == 0)
            a.set(k, k, by);
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            a.set(i, k, a.get(i, k) / by);
        __syncthreads();
        for (int j = k + 1; j < k0 + width; j++) {
            const T factor = conjugate(a.get(j, k));
            for (int i = j + threadIdx.x; i < n; i += blockDim.x)
                a.set(i, j, a.get(i, j) - a.get(i, k) * factor);
        }
    }
}
template <class T> __global__ void cholesky_panel(int n, int k0, int width, half_of<T> a, int *info)
{
    cholesky_columns(n, k0, width, a, info);
}
template <class T> struct cholesky_behind {
    int n, k0, next;
    half_of<T> a;
    const int *info;
    __device__ void operator()(long long e) const
    {
        const long long i = next + e % (n - next), j = next + e / (n - next);
        if (i < j || *info)
            return;
        T sum = a.get(i, j);
        for (int k = k0; k < next; k++)
            sum = sum - a.get(i, k) * conjugate(a.get(j, k));
        a.set(i, j, sum);
    }
};
template <class T>
cusolverStatus_t run_cholesky(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *at, int lda, int *info)
{
    const half_of<T> a = {at, lda, uplo == CUBLAS_FILL_MODE_UPPER};
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    for (int k = 0; k < n; k += panel) {
        const int width = n - k < panel ? n - k : panel, next = k + width;
        LOCKSTEP_SOLVER_STEP(launch(handle, 1, cholesky_panel<T>, n, k, width, a, info));
        LOCKSTEP_SOLVER_STEP(
            run_for_each(handle, (long long)(n - next) * (n - next), cholesky_behind<T>{n, k, next, a, info}));
    }
    return CUSOLVER_STATUS_SUCCESS;
}
template <class T> __global__ void cholesky_batch(int n, T *const *many, int lda, bool upper, int *info, int batch)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x)
        cholesky_columns(n, 0, n, half_of<T>{many[z], lda, upper}, &info[z]);
}
// L, or its conjugate transpose.
template <class T> struct cholesky_factor {
    half_of<const T> a;
    bool turned;
    __device__ T operator()(int i, int j) const
    {
        return turned ? conjugate(a.get(j, i)) : a.get(i, j);
    }
};
template <class T> __device__ void solve_by_cholesky(int n, const half_of<const T> &a, T *x)
{
    solve_triangle(n, cholesky_factor<T>{a, false}, true, false, x);
    solve_triangle(n, cholesky_factor<T>{a, true}, false, false, x);
}
template <class T> __global__ void solve_cholesky(int n, int sides, half_of<const T> a, columns<T> b)
{
    for (int side = blockIdx.x; side < sides; side += gridDim.x)
        solve_by_cholesky(n, a, &b(0, side));
}
template <class T>
__global__ void solve_cholesky_batch(int n, int sides, T *const *many, int lda, bool upper, T *const *many_b, int ldb,
                                     int batch)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x)
        for (int side = 0; side < sides; side++)
            solve_by_cholesky(n, half_of<const T>{many[z], lda, upper}, many_b[z] + (long long)side * ldb);
}

// ---- Q R by reflections H = 1 - tau v v'. v(k) = 1 and what lies below the diagonal of column k.
__device__ inline float reflection(float, float beta, float alpha)
{
    return (beta - alpha) / beta;
}
__device__ inline double reflection(double, double beta, double alpha)
{
    return (beta - alpha) / beta;
}
template <class C, class R> __device__ inline C reflection(C, R beta, C alpha)
{
    return C{(beta - alpha.x) / beta, -alpha.y / beta};
}
template <class T> __global__ void reflect_column(int m, int k, columns<T> a, T *tau)
{
    typedef typename number<T>::real R;
    R below = 0;
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
        below += squared(a(i, k));
    below = sum_of_block(below);
    const T alpha = a(k, k);
    const R length = sqrt(squared(alpha) + below), beta = real_of(alpha) > 0 ? -length : length;
    const bool already = below == 0 && squared(alpha) == real_of(alpha) * real_of(alpha);
    __syncthreads();
    if (already) {
        if (threadIdx.x == 0)
            tau[k] = make<T>(0);
        return; // all threads do
    }
    const T by = alpha - make<T>(beta);
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
        a(i, k) = a(i, k) / by;
    if (threadIdx.x == 0) {
        a(k, k) = make<T>(beta);
        tau[k] = reflection(alpha, beta, alpha);
    }
}
// Vectors of C, from `first` on, each by a block: columns, or rows where `right`, become H c, or H' c.
template <class T> struct reflected {
    columns<const T> v;
    const T *tau;
    columns<T> c;
    int m, k, first, count; // m: how long vectors are
    bool right, conjugated;
};
template <class T> __global__ void reflect(reflected<T> r)
{
    const T tau = conjugate_if(r.tau[r.k], r.conjugated);
    for (int other = r.first + blockIdx.x; other < r.first + r.count; other += gridDim.x) {
        auto c = [&](int i) -> T & { return r.right ? r.c(other, i) : r.c(i, other); };
        T dot = T();
        for (int i = r.k + threadIdx.x; i < r.m; i += blockDim.x) {
            const T v = i == r.k ? make<T>(1) : r.v(i, r.k);
            dot = multiply_add(conjugate_if(v, !r.right), c(i), dot);
        }
        dot = tau * sum_of_block(dot);
        for (int i = r.k + threadIdx.x; i < r.m; i += blockDim.x) {
            const T v = i == r.k ? make<T>(1) : r.v(i, r.k);
            c(i) = c(i) - conjugate_if(v, r.right) * dot;
        }
        __syncthreads();
    }
}
template <class T> cusolverStatus_t run_qr(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *tau, int *info)
{
    LOCKSTEP_SOLVER_STEP(clear(handle, info, 1));
    for (int k = 0; k < m && k < n; k++) {
        LOCKSTEP_SOLVER_STEP(launch(handle, 1, reflect_column<T>, m, k, columns<T>{a, lda}, tau));
        const reflected<T> r = {{a, lda}, tau, {a, lda}, m, k, k + 1, n - k - 1, false, true};
        LOCKSTEP_SOLVER_STEP(launch(handle, r.count, reflect<T>, r));
    }
    return CUSOLVER_STATUS_SUCCESS;
}
// C becomes op(Q) C, or C op(Q) where `right`, of k reflections.
template <class T> cusolverStatus_t run_reflections(cusolverDnHandle_t handle, int k, reflected<T> r, bool transposed)
{
    const bool forwards = r.right != transposed;
    r.conjugated = transposed;
    for (int step = 0; step < k; step++) {
        r.k = forwards ? step : k - 1 - step;
        LOCKSTEP_SOLVER_STEP(launch(handle, r.count, reflect<T>, r));
    }
    return CUSOLVER_STATUS_SUCCESS;
}
// Reflections are kept apart while columns of a unit matrix take their place.
template <class T> struct keep_apart {
    columns<T> a;
    T *copy;
    int m, k;
    __device__ void operator()(long long e) const
    {
        const long long i = e % m, j = e / m;
        if (j < k)
            copy[e] = a(i, j);
        a(i, j) = make<T>(i == j ? 1 : 0);
    }
};

} // namespace lockstep_solver
