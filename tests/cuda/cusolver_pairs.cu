// cuSOLVER: eigenvalues of pairs of matrices, of which the eigenvectors are put in again; some of the eigenvalues; inverses by Cholesky's factors.
#include "numbers_oracle.h"

#include <cusolverDn.h>

#include <algorithm>

static cusolverDnHandle_t handle;

#define CALL(as, L, name) static constexpr decltype(&cusolverDn##L##name) as = cusolverDn##L##name;
#define CALLS(L, sy, R)                                                                                                                  \
    typedef R real;                                                                                                                      \
    CALL(gvd_room, L, sy##gvd_bufferSize) CALL(gvd, L, sy##gvd) CALL(gvj_room, L, sy##gvj_bufferSize) CALL(gvj, L, sy##gvj)              \
    CALL(gvdx_room, L, sy##gvdx_bufferSize) CALL(gvdx, L, sy##gvdx) CALL(evdx_room, L, sy##evdx_bufferSize) CALL(evdx, L, sy##evdx)      \
    CALL(potrf_room, L, potrf_bufferSize) CALL(potrf, L, potrf) CALL(potri_room, L, potri_bufferSize) CALL(potri, L, potri)
template <class T> struct of;
template <> struct of<float> { CALLS(S, sy, float) };
template <> struct of<double> { CALLS(D, sy, double) };
template <> struct of<cuComplex> { CALLS(C, he, float) };
template <> struct of<cuDoubleComplex> { CALLS(Z, he, double) };

static char name[100];
template <class T> static const char *called(const char *what, int type, cublasFillMode_t uplo)
{
    std::snprintf(name, sizeof name, "%s, type %d, half %d, %zu bytes", what, type, uplo, sizeof(T));
    return name;
}
template <class T> static void expect_small(double error, double terms, const char *what)
{
    tried++;
    if (!(error <= precision(T()) * terms))
        std::printf("%s: %g\n", what, error), wrong++;
}
static void expect(int got, int wanted, const char *what)
{
    tried++;
    if (got != wanted)
        std::printf("%s: %d, not %d\n", what, got, wanted), wrong++;
}

// A hermitian matrix that the host knows whole; the device has one half, and numbers that spoil everything in the other.
template <class T> struct hermitian {
    int n, ld;
    std::vector<wide> whole;
    array<T> a;
    hermitian(int n, int ld, cublasFillMode_t uplo, double diagonal) : n(n), ld(ld), whole((size_t)n * n), a((size_t)ld * n)
    {
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++) {
                wide v = i == j ? wide(drawn().real() + diagonal) : drawn();
                if (!is_complex<T>())
                    v = v.real();
                whole[i + (size_t)j * n] = v;
                whole[j + (size_t)i * n] = std::conj(v);
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                a.set(i + (size_t)j * ld, (uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) ? at(i, j) : wide(777));
        a.send();
    }
    wide at(int i, int j) const { return whole[i + (size_t)j * n]; }
    std::vector<wide> times(const std::vector<wide> &x) const
    {
        std::vector<wide> y(n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                y[i] += at(i, j) * x[j];
        return y;
    }
};
template <class T> static void fetch(array<T> &a) { MUST(cudaMemcpy(a.host.data(), a.device, a.host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
static int fetch(const int *device)
{
    int value;
    MUST(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// which: 0 gvd, 1 gvj, 2 gvdx of some numbers, 3 gvdx between two values, 4 evdx of some numbers.
template <class T> static void pair(int which, int type, cublasFillMode_t uplo)
{
    typedef typename of<T>::real R;
    const int n = 13, lda = 15, ldb = 14;
    const cusolverEigType_t kind = (cusolverEigType_t)type;
    const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
    const cusolverEigRange_t range = which == 3 ? CUSOLVER_EIG_RANGE_V : CUSOLVER_EIG_RANGE_I;
    hermitian<T> a(n, lda, uplo, 0), b(n, ldb, uplo, 30);
    array<R> w(n);
    int *info, room = 0, found = n;
    syevjInfo_t params;
    MUST(cudaMalloc(&info, sizeof *info));
    MUST(cusolverDnCreateSyevjInfo(&params));
    const R low = -0.02f, high = 0.3f;
    T *pa = a.a.device, *pb = b.a.device;
    MUST(which == 0   ? of<T>::gvd_room(handle, kind, vectors, uplo, n, pa, lda, pb, ldb, w.device, &room)
         : which == 1 ? of<T>::gvj_room(handle, kind, vectors, uplo, n, pa, lda, pb, ldb, w.device, &room, params)
         : which == 4 ? of<T>::evdx_room(handle, vectors, range, uplo, n, pa, lda, low, high, 3, 7, &found, w.device, &room)
                      : of<T>::gvdx_room(handle, kind, vectors, range, uplo, n, pa, lda, pb, ldb, low, high, 3, 7, &found, w.device, &room));
    array<T> work(room);
    MUST(which == 0   ? of<T>::gvd(handle, kind, vectors, uplo, n, pa, lda, pb, ldb, w.device, work.device, room, info)
         : which == 1 ? of<T>::gvj(handle, kind, vectors, uplo, n, pa, lda, pb, ldb, w.device, work.device, room, info, params)
         : which == 4 ? of<T>::evdx(handle, vectors, range, uplo, n, pa, lda, low, high, 3, 7, &found, w.device, work.device, room, info)
                      : of<T>::gvdx(handle, kind, vectors, range, uplo, n, pa, lda, pb, ldb, low, high, 3, 7, &found, w.device, work.device, room, info));
    expect(fetch(info), 0, called<T>("info of pairs", type, uplo));
    if (which == 2 || which == 4)
        expect(found, 5, called<T>("numbers", type, uplo));
    fetch(a.a);
    fetch(w);
    double worst = 0, norm = 0, order = 0;
    for (int v = 0; v < found; v++) {
        std::vector<wide> x(n), left, right;
        for (int i = 0; i < n; i++)
            x[i] = a.a.get(i + (size_t)v * lda);
        const std::vector<wide> bx = which == 4 ? x : b.times(x);
        left = type == 1 ? a.times(x) : type == 2 ? a.times(bx) : b.times(a.times(x));
        right = type == 1 ? bx : x;
        wide length = 0;
        for (int i = 0; i < n; i++) {
            worst = std::max(worst, std::abs(left[i] - w.get(v) * right[i]));
            length += std::conj(x[i]) * bx[i];
        }
        if (type != 3)
            norm = std::max(norm, std::abs(length - 1.0));
        if (v && w.get(v).real() < w.get(v - 1).real())
            order = 1;
        if (which == 3 && (w.get(v).real() <= low || w.get(v).real() > high))
            order = 1;
    }
    expect_small<T>(worst, type == 1 ? 400 : 20000, called<T>("pairs", type, uplo));
    expect_small<T>(norm, 200, called<T>("lengths", type, uplo));
    expect_small<T>(order, 0, called<T>("order", type, uplo));
    if (which == 3)
        expect(found > 0 && found < n, 1, called<T>("some are between", type, uplo));
    MUST(cusolverDnDestroySyevjInfo(params));
    MUST(cudaFree(info));
}

// Numbers of the smallest ones are the smallest ones: all eigenvalues, and those from 3 to 7.
template <class T> static void numbers()
{
    typedef typename of<T>::real R;
    const int n = 9;
    R all[n], some[n];
    for (int round = 0; round < 2; round++) {
        seed = 77;
        hermitian<T> a(n, n, CUBLAS_FILL_MODE_UPPER, 0);
        array<R> w(n);
        int *info, room = 0, found;
        const cusolverEigRange_t range = round ? CUSOLVER_EIG_RANGE_I : CUSOLVER_EIG_RANGE_ALL;
        MUST(cudaMalloc(&info, sizeof *info));
        MUST(of<T>::evdx_room(handle, CUSOLVER_EIG_MODE_NOVECTOR, range, CUBLAS_FILL_MODE_UPPER, n, a.a.device, n, 0, 0, 3, 7, &found, w.device, &room));
        array<T> work(room);
        MUST(of<T>::evdx(handle, CUSOLVER_EIG_MODE_NOVECTOR, range, CUBLAS_FILL_MODE_UPPER, n, a.a.device, n, 0, 0, 3, 7, &found, w.device, work.device, room, info));
        expect(found, round ? 5 : n, "how many");
        MUST(cudaMemcpy(round ? some : all, w.device, sizeof all, cudaMemcpyDeviceToHost));
        MUST(cudaFree(info));
    }
    for (int i = 0; i < 5; i++)
        expect(some[i] == all[i + 2], 1, "a number");
}

template <class T> static void inverse(cublasFillMode_t uplo)
{
    const int n = 21, lda = 23;
    hermitian<T> a(n, lda, uplo, 40);
    int *info, room = 0;
    MUST(cudaMalloc(&info, sizeof *info));
    MUST(of<T>::potrf_room(handle, uplo, n, a.a.device, lda, &room));
    array<T> work(room + 1);
    MUST(of<T>::potrf(handle, uplo, n, a.a.device, lda, work.device, room, info));
    MUST(of<T>::potri_room(handle, uplo, n, a.a.device, lda, &room));
    array<T> more(room);
    MUST(of<T>::potri(handle, uplo, n, a.a.device, lda, more.device, room, info));
    expect(fetch(info), 0, "info of potri");
    fetch(a.a);
    double worst = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            wide sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++) {
                const bool there = uplo == CUBLAS_FILL_MODE_LOWER ? k >= j : k <= j;
                sum += a.at(i, k) * (there ? a.a.get(k + (size_t)j * lda) : std::conj(a.a.get(j + (size_t)k * lda)));
            }
            worst = std::max(worst, std::abs(sum));
        }
    expect_small<T>(worst, 60, called<T>("potri", 0, uplo));
    MUST(cudaFree(info));
}

// Of a matrix B without factors A keeps what it has.
static void indefinite()
{
    const int n = 4;
    const double a[n * n] = {1, 2, 3, 4, 2, 1, 5, 6, 3, 5, 1, 7, 4, 6, 7, 1}, b[n * n] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1};
    array<double> pa(n * n), pb(n * n), w(n);
    for (int i = 0; i < n * n; i++)
        pa.set(i, a[i]), pb.set(i, b[i]);
    pa.send();
    pb.send();
    int *info, room;
    MUST(cudaMalloc(&info, sizeof *info));
    MUST(cusolverDnDsygvd_bufferSize(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, pa.device, n, pb.device, n, w.device, &room));
    array<double> work(room);
    MUST(cusolverDnDsygvd(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, pa.device, n, pb.device, n, w.device, work.device, room, info));
    expect(fetch(info), n + 3, "info of an indefinite B");
    pa.check("A beside an indefinite B", 0);
    int found;
    expect(cusolverDnDsyevdx(handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, pa.device, n, 0, 0, 3, 5, &found, w.device, work.device, room, info), CUSOLVER_STATUS_INVALID_VALUE, "a range that is none");
    expect(cusolverDnDsygvd(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, pa.device, n, pb.device, n, w.device, work.device, room - 1, info), CUSOLVER_STATUS_INVALID_VALUE, "little room");
    MUST(cudaFree(info));
}

template <class T> static void all_of()
{
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        for (int type = 1; type <= 3; type++)
            pair<T>(0, type, uplo);
        for (int which : {1, 2, 3, 4})
            pair<T>(which, 1, uplo);
        inverse<T>(uplo);
    }
    numbers<T>();
}

int main()
{
    MUST(cusolverDnCreate(&handle));
    all_of<float>();
    all_of<double>();
    all_of<cuComplex>();
    all_of<cuDoubleComplex>();
    indefinite();
    MUST(cusolverDnDestroy(handle));
    return say("pairs");
}
