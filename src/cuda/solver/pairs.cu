// Eigenvalues of pairs of matrices (A x = v B x and its kin), some of the eigenvalues alone, and inverses by Cholesky's
// factors. With B = L L', a pair becomes one matrix, L^-1 A L'^-1 or L' A L, whose eigenvectors are led back.
#include "factors.cuh"
#include "range.cuh"
#include "rotations.cuh"
#include "types.cuh"

using namespace lockstep_solver;

// L or L', of which one half lies in a matrix.
template <class T> struct factor_of {
    half_of<T> l;
    bool turned;
    __device__ T operator()(int i, int j) const
    {
        return turned ? conjugate(l.get(j, i)) : l.get(i, j);
    }
};
// x becomes f x, by one block: an element at a time, from the end where the others are not needed any more.
template <class T> __device__ void multiply_triangle(int n, const factor_of<T> &f, T *x)
{
    for (int step = 0; step < n; step++) {
        const int i = f.turned ? step : n - 1 - step, others = n - step;
        T sum = T();
        for (int k = threadIdx.x; k < others; k += blockDim.x) {
            const int j = f.turned ? i + k : k;
            sum = sum + f(i, j) * x[j];
        }
        sum = sum_of_block(sum);
        if (threadIdx.x == 0)
            x[i] = sum;
        __syncthreads();
    }
}
// Each column of c becomes f^-1 c or f c.
template <class T> __global__ void apply_factor(int n, factor_of<T> f, bool inverse, columns<T> c)
{
    for (int j = blockIdx.x; j < n; j += gridDim.x) {
        if (inverse)
            solve_triangle(n, f, !f.turned, false, &c(0, j));
        else
            multiply_triangle(n, f, &c(0, j));
    }
}
template <class T> struct take_whole {
    columns<T> a, c;
    int n;
    bool upper;
    __device__ void operator()(long long e) const
    {
        const int i = (int)(e % n), j = (int)(e / n);
        c(i, j) = i == j ? real_part(a(i, i)) : (i > j) != upper ? a(i, j) : conjugate(a(j, i));
    }
};
template <class T> struct turn_each {
    columns<T> c;
    int n;
    __device__ void operator()(long long e) const
    {
        const int i = (int)(e % n), j = (int)(e / n);
        if (i > j)
            return;
        const T other = c(j, i);
        c(j, i) = conjugate(c(i, j));
        c(i, j) = conjugate(other);
    }
};
// infos: of B's factors, of the eigenvalues. A keeps what it has where B has no factors.
template <class T> struct bring_each {
    columns<T> c, a;
    int n;
    bool vectors;
    const int *infos;
    int *info;
    __device__ void operator()(long long e) const
    {
        const int i = (int)(e % n), j = (int)(e / n);
        if (e == 0)
            *info = infos[0] ? n + infos[0] : infos[1] ? n : 0;
        if (vectors && !infos[0])
            a(i, j) = c(i, j);
    }
};

// Room: the matrix that a pair becomes, two numbers of how it ended, and what eigenvalues want.
template <class T> static long long pair_room(int n)
{
    return (long long)n * n + 2 + eigen_room(n);
}
// eigen(c, room, info) finds the eigenvalues of c, and the eigenvectors, which take its place.
template <class T, class Eigen>
static cusolverStatus_t solve_pair(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,
                                   cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, T *work, int lwork,
                                   int *info, Eigen eigen)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || ldb < n || type < CUSOLVER_EIG_TYPE_1 ||
                                      type > CUSOLVER_EIG_TYPE_3 || !info || (n && (!A || !B || !work)) ||
                                      lwork < pair_room<T>(n));
    if (n == 0)
        return clear(handle, info, 1);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER, vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    const bool inverse = type == CUSOLVER_EIG_TYPE_1;
    const columns<T> a = {A, lda}, c = {work, n};
    int *infos = (int *)(work + (long long)n * n);
    T *room = work + (long long)n * n + 2;
    const long long all = (long long)n * n;
    const factor_of<T> plain = {{B, ldb, upper}, false}, turned = {{B, ldb, upper}, true},
                       &by = inverse ? plain : turned;
    LOCKSTEP_SOLVER_STEP(run_cholesky(handle, uplo, n, B, ldb, infos));
    LOCKSTEP_SOLVER_STEP(run_for_each(handle, all, take_whole<T>{a, c, n, upper}));
    LOCKSTEP_SOLVER_STEP(launch(handle, n, apply_factor<T>, n, by, inverse, c));
    LOCKSTEP_SOLVER_STEP(run_for_each(handle, all, turn_each<T>{c, n}));
    LOCKSTEP_SOLVER_STEP(launch(handle, n, apply_factor<T>, n, by, inverse, c));
    LOCKSTEP_SOLVER_STEP(eigen(work, room, infos + 1));
    if (vectors)
        LOCKSTEP_SOLVER_STEP(launch(handle, n, apply_factor<T>, n, type == CUSOLVER_EIG_TYPE_3 ? plain : turned,
                                    type != CUSOLVER_EIG_TYPE_3, c));
    return run_for_each(handle, all, bring_each<T>{c, a, n, vectors, infos, info});
}
// What is wrong with a range of eigenvalues.
static bool bad_range(cusolverEigRange_t range, int n, double vl, double vu, int il, int iu)
{
    return (range == CUSOLVER_EIG_RANGE_V && !(vl < vu)) ||
           (range == CUSOLVER_EIG_RANGE_I && (il < 1 || iu < il || iu > n));
}

// The unit matrix; and a half of a matrix taken over.
template <class T> struct unit_each {
    columns<T> c;
    int n;
    __device__ void operator()(long long e) const
    {
        c(e % n, e / n) = make<T>(e % n == e / n ? 1 : 0);
    }
};
template <class T> struct half_each {
    columns<T> from, to;
    int n;
    bool upper;
    __device__ void operator()(long long e) const
    {
        const long long i = e % n, j = e / n;
        if (upper ? i <= j : i >= j)
            to(i, j) = from(i, j);
    }
};

#define LOCKSTEP_LETTERS "pairs_letter.cuh"
#include "letters.cuh"
