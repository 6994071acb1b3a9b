// cuSOLVER for dense matrices: factors, systems, eigenvalues, singular values; their products are what they came from.
#include "numbers_oracle.h"

#include <cusolverDn.h>

static cusolverDnHandle_t handle;
static char name[100];

#define CALL(L, name) static constexpr decltype(&cusolverDn##L##name) name = cusolverDn##L##name;
#define CALL_AS(as, L, name) static constexpr decltype(&cusolverDn##L##name) as = cusolverDn##L##name;
#define CALLS(L, sy, q)                                                                                                \
    CALL(L, getrf_bufferSize) CALL(L, getrf) CALL(L, getrs) CALL(L, potrf_bufferSize) CALL(L, potrf) CALL(L, potrs)    \
    CALL(L, potrfBatched) CALL(L, potrsBatched) CALL(L, geqrf_bufferSize) CALL(L, geqrf)                               \
    CALL_AS(orgqr_bufferSize, L, q##gqr_bufferSize) CALL_AS(orgqr, L, q##gqr)                                          \
    CALL_AS(ormqr_bufferSize, L, q##mqr_bufferSize) CALL_AS(ormqr, L, q##mqr)                                          \
    CALL_AS(syevd_bufferSize, L, sy##evd_bufferSize) CALL_AS(syevd, L, sy##evd)                                        \
    CALL_AS(syevj_bufferSize, L, sy##evj_bufferSize) CALL_AS(syevj, L, sy##evj)                                        \
    CALL_AS(syevjBatched_bufferSize, L, sy##evjBatched_bufferSize) CALL_AS(syevjBatched, L, sy##evjBatched)            \
    CALL(L, gesvd_bufferSize) CALL(L, gesvd) CALL(L, gesvdj_bufferSize) CALL(L, gesvdj)                                \
    CALL(L, gesvdjBatched_bufferSize) CALL(L, gesvdjBatched)
template <class T> struct solver;
template <> struct solver<float> { typedef float real; static const char letter = 'S'; CALLS(S, sy, or) };
template <> struct solver<double> { typedef double real; static const char letter = 'D'; CALLS(D, sy, or) };
template <> struct solver<cuComplex> { typedef float real; static const char letter = 'C'; CALLS(C, he, un) };
template <> struct solver<cuDoubleComplex> { typedef double real; static const char letter = 'Z'; CALLS(Z, he, un) };

template <class T> static const char *called(const char *what)
{
    std::snprintf(name, sizeof name, "%s of %c", what, solver<T>::letter);
    return name;
}
static void expect(int got, int wanted, const char *what)
{
    tried++;
    if (got != wanted) {
        std::printf("%s: %d, not %d\n", what, got, wanted);
        wrong++;
    }
}
#define EXPECT(call, wanted) expect(call, wanted, #call)

// A matrix on the host.
struct matrix {
    int m, n;
    std::vector<wide> of;
    matrix(int m, int n) : m(m), n(n), of((size_t)m * n) {}
    wide &operator()(int i, int j) { return of[i + (size_t)j * m]; }
    wide operator()(int i, int j) const { return of[i + (size_t)j * m]; }
};
static matrix times(const matrix &a, const matrix &b)
{
    matrix c(a.m, b.n);
    for (int j = 0; j < b.n; j++)
        for (int k = 0; k < a.n; k++)
            for (int i = 0; i < a.m; i++)
                c(i, j) += a(i, k) * b(k, j);
    return c;
}
static matrix turned(const matrix &a, bool conjugated = true)
{
    matrix t(a.n, a.m);
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < a.n; j++)
            t(j, i) = conjugated ? std::conj(a(i, j)) : a(i, j);
    return t;
}
static matrix unit(int n)
{
    matrix e(n, n);
    for (int i = 0; i < n; i++)
        e(i, i) = 1;
    return e;
}
template <class T> static matrix random_matrix(int m, int n)
{
    matrix a(m, n);
    for (wide &v : a.of)
        v = widen(number<T>(drawn()));
    return a;
}
template <class T> static void check(const char *what, const matrix &got, const matrix &wanted, double size)
{
    tried++;
    double off = 0;
    for (size_t i = 0; i < wanted.of.size(); i++) {
        const double d = std::abs(got.of[i] - wanted.of[i]);
        off = d == d && off == off ? std::max(off, d) : NAN;
    }
    if (!(off <= precision(T()) * 30 * size)) {
        std::printf("%s: off by %g\n", called<T>(what), off);
        wrong++;
    }
}

// It, on the device, with columns of `ld`.
template <class T> struct placed {
    int m, n, ld;
    T *device;
    placed(const matrix &a, int more = 0) : m(a.m), n(a.n), ld(a.m + more)
    {
        MUST(cudaMalloc(&device, ((size_t)ld * n + 1) * sizeof(T)));
        std::vector<T> host((size_t)ld * n, number<T>(wide(NAN, NAN)));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                host[i + (size_t)j * ld] = number<T>(a(i, j));
        MUST(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~placed() { cudaFree(device); }
    placed(const placed &) = delete;
    matrix get() const
    {
        std::vector<T> host((size_t)ld * n);
        MUST(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        matrix a(m, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                a(i, j) = widen(host[i + (size_t)j * ld]);
        return a;
    }
};
template <class T> struct room {
    T *device;
    int count;
    explicit room(int count) : count(count) { MUST(cudaMalloc(&device, (count + 1) * sizeof(T))); }
    ~room() { cudaFree(device); }
    std::vector<T> get() const
    {
        std::vector<T> host(count);
        MUST(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

template <class T> static void lu(int m, int n, bool pivoting)
{
    matrix a = random_matrix<T>(m, n);
    const int least = std::min(m, n);
    for (int i = 0; i < least && !pivoting; i++)
        a(i, i) += 40;
    placed<T> on(a, 3);
    int lwork;
    room<int> pivots(least), info(1);
    MUST(solver<T>::getrf_bufferSize(handle, m, n, on.device, on.ld, &lwork));
    room<T> work(lwork);
    MUST(solver<T>::getrf(handle, m, n, on.device, on.ld, work.device, pivoting ? pivots.device : NULL, info.device));
    EXPECT(info.get()[0], 0);
    const matrix f = on.get();
    matrix l(m, least), u(least, n), pa = a;
    for (int k = 0; k < least && pivoting; k++)
        for (int j = 0; j < n; j++)
            std::swap(pa(k, j), pa(pivots.get()[k] - 1, j));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (i > j)
                l(i, j) = f(i, j);
            else
                u(i, j) = f(i, j);
    double largest = 0;
    for (int i = 0; i < least; i++) {
        l(i, i) = 1;
        for (int r = i + 1; r < m; r++)
            largest = std::max(largest, std::abs(l(r, i)));
    }
    check<T>("getrf", times(l, u), pa, 40);
    EXPECT(largest < 1.5, 1);
    if (m != n)
        return;
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        const matrix x = random_matrix<T>(n, 5);
        placed<T> b(times(op == CUBLAS_OP_N ? a : turned(a, op == CUBLAS_OP_C), x), 1);
        MUST(solver<T>::getrs(handle, op, n, 5, on.device, on.ld, pivoting ? pivots.device : NULL, b.device, b.ld, info.device));
        check<T>("getrs", b.get(), x, 3000);
    }
}
template <class T> static matrix positive(int n)
{
    const matrix g = random_matrix<T>(n, n);
    matrix a = times(g, turned(g));
    for (int i = 0; i < n; i++)
        a(i, i) = a(i, i).real() + 5;
    return a;
}
template <class T> static void cholesky(int n, cublasFillMode_t uplo)
{
    const matrix a = positive<T>(n), x = random_matrix<T>(n, 3);
    placed<T> on(a, 2), b(times(a, x), 1);
    int lwork;
    room<int> info(2);
    MUST(solver<T>::potrf_bufferSize(handle, uplo, n, on.device, on.ld, &lwork));
    room<T> work(lwork);
    MUST(solver<T>::potrf(handle, uplo, n, on.device, on.ld, work.device, lwork, info.device));
    EXPECT(info.get()[0], 0);
    matrix l(n, n), f = on.get();
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l(i, j) = uplo == CUBLAS_FILL_MODE_LOWER ? f(i, j) : std::conj(f(j, i));
    check<T>("potrf", times(l, turned(l)), a, 8 * n);
    MUST(solver<T>::potrs(handle, uplo, n, 3, on.device, on.ld, b.device, b.ld, info.device));
    check<T>("potrs", b.get(), x, 3000);
    // Batches of two, the second of which is not positive.
    matrix bad = a;
    bad(3, 3) = -1;
    placed<T> one(a), two(bad), side(times(a, x)), other(x);
    T *many[] = {one.device, two.device}, *sides[] = {side.device, other.device};
    room<T *> list(2), list_b(2);
    MUST(cudaMemcpy(list.device, many, sizeof many, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(list_b.device, sides, sizeof sides, cudaMemcpyHostToDevice));
    MUST(solver<T>::potrfBatched(handle, uplo, n, list.device, n, info.device, 2));
    EXPECT(info.get()[0], 0);
    EXPECT(info.get()[1], 4);
    MUST(solver<T>::potrsBatched(handle, uplo, n, 3, list.device, n, list_b.device, n, info.device, 1));
    check<T>("potrsBatched", side.get(), x, 3000);
    placed<T> again(bad);
    MUST(solver<T>::potrf(handle, uplo, n, again.device, n, work.device, lwork, info.device));
    EXPECT(info.get()[0], 4);
}
template <class T> static void qr(int m, int n)
{
    const matrix a = random_matrix<T>(m, n);
    const int least = std::min(m, n);
    placed<T> on(a, 1);
    int lwork;
    room<int> info(1);
    room<T> tau(least);
    MUST(solver<T>::geqrf_bufferSize(handle, m, n, on.device, on.ld, &lwork));
    room<T> work(lwork);
    MUST(solver<T>::geqrf(handle, m, n, on.device, on.ld, tau.device, work.device, lwork, info.device));
    const matrix f = on.get();
    matrix r(least, n);
    for (int i = 0; i < least; i++)
        for (int j = i; j < n; j++)
            r(i, j) = f(i, j);
    // All of Q, from reflections that are left where they are.
    placed<T> q(unit(m));
    MUST(solver<T>::ormqr_bufferSize(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, m, least, on.device, on.ld, tau.device, q.device, m, &lwork));
    MUST(solver<T>::ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, m, least, on.device, on.ld, tau.device, q.device, m, work.device, lwork, info.device));
    const matrix whole = q.get();
    matrix part(m, least);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < least; j++)
            part(i, j) = whole(i, j);
    check<T>("geqrf", times(part, r), a, 30);
    check<T>("ormqr, orthogonal", times(turned(whole), whole), unit(m), 5);
    const cublasOperation_t back = is_complex<T>() ? CUBLAS_OP_C : CUBLAS_OP_T;
    for (int right = 0; right < 2; right++)
        for (cublasOperation_t op : {CUBLAS_OP_N, back}) {
            const matrix c = right ? random_matrix<T>(4, m) : random_matrix<T>(m, 4);
            placed<T> onc(c, 1);
            MUST(solver<T>::ormqr(handle, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, op, c.m, c.n, least, on.device, on.ld, tau.device, onc.device, onc.ld, work.device, lwork, info.device));
            const matrix q1 = op == CUBLAS_OP_N ? whole : turned(whole);
            check<T>("ormqr", onc.get(), right ? times(c, q1) : times(q1, c), 30);
        }
    if (m < n)
        return;
    MUST(solver<T>::orgqr_bufferSize(handle, m, n, n, on.device, on.ld, tau.device, &lwork));
    room<T> more(lwork);
    MUST(solver<T>::orgqr(handle, m, n, n, on.device, on.ld, tau.device, more.device, lwork, info.device));
    check<T>("orgqr", on.get(), part, 5);
}

// kind: 0 syevd, 1 syevj, 2 syevjBatched.
template <class T> static void eigen(int n, int kind, cublasFillMode_t uplo)
{
    typedef typename solver<T>::real R;
    matrix a = random_matrix<T>(n, n), half = a;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            a(j, i) = std::conj(a(i, j));
            if (i == j)
                a(i, i) = a(i, i).real();
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) // the other half is not looked at
            half(i, j) = (uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) ? a(i, j) : wide(NAN, NAN);
    placed<T> on(half, kind == 2 ? 0 : 2);
    room<R> values(n);
    room<int> info(1);
    syevjInfo_t params;
    int lwork;
    const cusolverEigMode_t with = CUSOLVER_EIG_MODE_VECTOR;
    MUST(cusolverDnCreateSyevjInfo(&params));
    MUST(kind == 0   ? solver<T>::syevd_bufferSize(handle, with, uplo, n, on.device, on.ld, values.device, &lwork)
         : kind == 1 ? solver<T>::syevj_bufferSize(handle, with, uplo, n, on.device, on.ld, values.device, &lwork, params)
                     : solver<T>::syevjBatched_bufferSize(handle, with, uplo, n, on.device, on.ld, values.device, &lwork, params, 1));
    room<T> work(lwork);
    MUST(kind == 0   ? solver<T>::syevd(handle, with, uplo, n, on.device, on.ld, values.device, work.device, lwork, info.device)
         : kind == 1 ? solver<T>::syevj(handle, with, uplo, n, on.device, on.ld, values.device, work.device, lwork, info.device, params)
                     : solver<T>::syevjBatched(handle, with, uplo, n, on.device, on.ld, values.device, work.device, lwork, info.device, params, 1));
    EXPECT(info.get()[0], 0);
    const matrix v = on.get();
    matrix vw = v;
    const std::vector<R> w = values.get();
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            vw(i, j) *= w[j];
        if (j && w[j] < w[j - 1])
            expect(j, 0, "ascending order");
    }
    check<T>("eigenvectors", times(a, v), vw, 8 * n);
    check<T>("eigenvectors, orthogonal", times(turned(v), v), unit(n), 10);
    MUST(cusolverDnDestroySyevjInfo(params));
    if (kind)
        return;
    placed<T> alone(half);
    room<R> again(n);
    MUST(solver<T>::syevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, uplo, n, alone.device, alone.ld, again.device, work.device, lwork, info.device));
    EXPECT(again.get() == w, 1);
    EXPECT(solver<T>::syevd(handle, with, uplo, n, alone.device, alone.ld, again.device, work.device, lwork - 1, info.device), CUSOLVER_STATUS_INVALID_VALUE);
}

// U S V', of as many columns as there are.
template <class T, class R> static void check_singular(const char *what, const matrix &a, const matrix &u, const std::vector<R> &s, const matrix &vt)
{
    const int least = std::min(a.m, a.n);
    matrix us(a.m, least), rows(least, a.n);
    for (int j = 0; j < least; j++) {
        for (int i = 0; i < a.m; i++)
            us(i, j) = u(i, j) * (double)s[j];
        for (int i = 0; i < a.n; i++)
            rows(j, i) = vt(j, i);
        if (s[j] < 0 || (j && s[j] > s[j - 1]))
            expect(j, 0, "descending order");
    }
    check<T>(what, times(us, rows), a, 6 * (a.m + a.n));
    check<T>("U, orthogonal", times(turned(u), u), unit(u.n), 10);
    check<T>("V, orthogonal", times(vt, turned(vt)), unit(vt.m), 10);
}
template <class T> static void singular(int m, int n, char jobu, bool lame)
{
    typedef typename solver<T>::real R;
    matrix a = random_matrix<T>(m, n);
    for (int i = 0; i < m && lame; i++) {
        a(i, 1) = a(i, 0);
        a(i, 2) = 0;
    }
    placed<T> on(a, 1), u(matrix(m, jobu == 'A' ? m : n), 2), vt(matrix(n, n), 1);
    room<R> s(n);
    room<int> info(1);
    int lwork;
    MUST(solver<T>::gesvd_bufferSize(handle, m, n, &lwork));
    room<T> work(lwork);
    MUST(solver<T>::gesvd(handle, jobu, 'A', m, n, on.device, on.ld, s.device, u.device, u.ld, vt.device, vt.ld, work.device, lwork, NULL, info.device));
    EXPECT(info.get()[0], 0);
    check_singular<T>(lame ? "gesvd, not of full rank" : "gesvd", a, jobu == 'O' ? on.get() : u.get(), s.get(), vt.get());
}
template <class T> static void singular_rotated(int m, int n, int econ, bool batched)
{
    typedef typename solver<T>::real R;
    const int least = std::min(m, n), batch = batched ? 2 : 1;
    const matrix a = random_matrix<T>(m, n * batch);
    placed<T> on(a), u(matrix(m, (econ ? least : m) * batch)), v(matrix(n, (econ ? least : n) * batch));
    room<R> s(least * batch);
    room<int> info(batch);
    gesvdjInfo_t params;
    int lwork;
    const cusolverEigMode_t with = CUSOLVER_EIG_MODE_VECTOR;
    MUST(cusolverDnCreateGesvdjInfo(&params));
    MUST(cusolverDnXgesvdjSetTolerance(params, 1e-14));
    MUST(cusolverDnXgesvdjSetMaxSweeps(params, 40));
    if (batched)
        MUST(solver<T>::gesvdjBatched_bufferSize(handle, with, m, n, on.device, m, s.device, u.device, m, v.device, n, &lwork, params, batch));
    else
        MUST(solver<T>::gesvdj_bufferSize(handle, with, econ, m, n, on.device, m, s.device, u.device, m, v.device, n, &lwork, params));
    room<T> work(lwork);
    if (batched)
        MUST(solver<T>::gesvdjBatched(handle, with, m, n, on.device, m, s.device, u.device, m, v.device, n, work.device, lwork, info.device, params, batch));
    else
        MUST(solver<T>::gesvdj(handle, with, econ, m, n, on.device, m, s.device, u.device, m, v.device, n, work.device, lwork, info.device, params));
    for (int z = 0; z < batch; z++) {
        EXPECT(info.get()[z], 0);
        auto take = [z, batch](const matrix &all) {
            matrix one(all.m, all.n / batch);
            std::copy(all.of.begin() + z * one.of.size(), all.of.begin() + (z + 1) * one.of.size(), one.of.begin());
            return one;
        };
        const std::vector<R> values = s.get();
        check_singular<T>(batched ? "gesvdjBatched" : "gesvdj", take(a), take(u.get()), std::vector<R>(values.begin() + z * least, values.begin() + (z + 1) * least), turned(take(v.get())));
    }
    MUST(cusolverDnDestroyGesvdjInfo(params));
}

template <class T> static void misuse()
{
    const matrix a = unit(4);
    placed<T> on(a);
    room<int> info(1), pivots(4);
    int lwork;
    EXPECT(solver<T>::getrf(NULL, 4, 4, on.device, 4, on.device, pivots.device, info.device), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT(solver<T>::getrf(handle, 4, 4, on.device, 3, on.device, pivots.device, info.device), CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(solver<T>::getrf(handle, -1, 4, on.device, 4, on.device, pivots.device, info.device), CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(solver<T>::gesvd_bufferSize(handle, 3, 4, &lwork), CUSOLVER_STATUS_INVALID_VALUE);
    matrix zero(4, 4);
    placed<T> none(zero);
    MUST(solver<T>::getrf(handle, 4, 4, none.device, 4, on.device, pivots.device, info.device));
    EXPECT(info.get()[0], 1);
}

template <class T> static void all()
{
    lu<T>(37, 37, true);
    lu<T>(20, 20, false);
    lu<T>(40, 25, true);
    lu<T>(9, 22, true);
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        cholesky<T>(35, uplo);
        eigen<T>(21, 0, uplo);
    }
    qr<T>(24, 17);
    qr<T>(8, 12);
    eigen<T>(12, 1, CUBLAS_FILL_MODE_LOWER);
    eigen<T>(9, 2, CUBLAS_FILL_MODE_UPPER);
    eigen<T>(1, 0, CUBLAS_FILL_MODE_UPPER);
    singular<T>(21, 13, 'A', false);
    singular<T>(21, 13, 'S', true);
    singular<T>(14, 14, 'O', false);
    singular_rotated<T>(11, 17, 1, false);
    singular_rotated<T>(11, 17, 0, false);
    singular_rotated<T>(12, 9, 0, false);
    singular_rotated<T>(9, 7, 0, true);
    misuse<T>();
}

int main()
{
    MUST(cusolverDnCreate(&handle));
    all<float>();
    all<double>();
    all<cuComplex>();
    all<cuDoubleComplex>();
    MUST(cusolverDnDestroy(handle));
    return say("dense");
}
