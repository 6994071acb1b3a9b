// cuSOLVER's functions for several GPUs, on one: systems by both factors, an inverse, eigenvalues; parts of matrices; more devices are refused.
#include "numbers_oracle.h"

#include <cusolverMg.h>

#include <algorithm>

static cusolverMgHandle_t handle;
static cudaLibMgGrid_t grid;

static void expect(int got, int wanted, const char *what)
{
    tried++;
    if (got != wanted)
        std::printf("%s: %d, not %d\n", what, got, wanted), wrong++;
}
template <class T> static void expect_small(double error, double terms, const char *what)
{
    tried++;
    if (!(error <= precision(T()) * terms))
        std::printf("%s of %zu bytes: %g\n", what, sizeof(T), error), wrong++;
}
static cudaDataType type_of(float) { return CUDA_R_32F; }
static cudaDataType type_of(double) { return CUDA_R_64F; }
static cudaDataType type_of(cuComplex) { return CUDA_C_32F; }
static cudaDataType type_of(cuDoubleComplex) { return CUDA_C_64F; }

// A matrix on the device, and its descriptor. What is asked of it lies from row and column `from` on, counted from 0.
template <class T> struct matrix {
    int rows, columns;
    array<T> a;
    cudaLibMgMatrixDesc_t descriptor;
    void *at[1];
    matrix(int rows, int columns) : rows(rows), columns(columns), a((size_t)rows * columns)
    {
        MUST(cusolverMgCreateMatrixDesc(&descriptor, rows, columns, rows, 8, type_of(T()), grid));
        at[0] = a.device;
    }
    ~matrix() { cusolverMgDestroyMatrixDesc(descriptor); }
    wide get(int i, int j) const { return a.get(i + (size_t)j * rows); }
    void set(int i, int j, wide v) { a.set(i + (size_t)j * rows, v); }
    void fetch() { MUST(cudaMemcpy(a.host.data(), a.device, a.host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
};
#define OF(m, from) (m).at, (from) + 1, (from) + 1, (m).descriptor

template <class T> static void systems(bool cholesky, int from)
{
    const int n = 18, sides = 2;
    matrix<T> a(n + from, n + from), b(n + 2 * from, sides + from);
    std::vector<T> kept;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const wide v = i == j ? wide(40) : a.get(from + i, from + j);
            a.set(from + i, from + j, v);
            if (cholesky || i == j)
                a.set(from + j, from + i, i == j ? v : std::conj(v));
        }
    a.a.send();
    matrix<T> before(n + from, n + from), sought(n + 2 * from, sides + from);
    before.a.host = a.a.host;
    sought.a.host = b.a.host;
    array<int> pivots(n + from, false);
    int *pivots_at[1] = {pivots.device}, info = -1;
    int64_t first, second;
    const cudaDataType type = type_of(T());
    const cublasFillMode_t half = CUBLAS_FILL_MODE_LOWER;
    if (cholesky) {
        MUST(cusolverMgPotrf_bufferSize(handle, half, n, OF(a, from), type, &first));
        MUST(cusolverMgPotrs_bufferSize(handle, half, n, sides, OF(a, from), OF(b, from), type, &second));
    } else {
        MUST(cusolverMgGetrf_bufferSize(handle, n, n, OF(a, from), pivots_at, type, &first));
        MUST(cusolverMgGetrs_bufferSize(handle, CUBLAS_OP_N, n, sides, OF(a, from), pivots_at, OF(b, from), type, &second));
    }
    int64_t third = 0;
    MUST(cusolverMgPotri_bufferSize(handle, half, n, OF(a, from), type, &third));
    const int64_t room = std::max(std::max(first, second), third);
    array<T> work(room);
    void *work_at[1] = {work.device};
    if (cholesky) {
        MUST(cusolverMgPotrf(handle, half, n, OF(a, from), type, work_at, room, &info));
        expect(info, 0, "Potrf");
        MUST(cusolverMgPotrs(handle, half, n, sides, OF(a, from), OF(b, from), type, work_at, room, &info));
    } else {
        MUST(cusolverMgGetrf(handle, n, n, OF(a, from), pivots_at, type, work_at, room, &info));
        expect(info, 0, "Getrf");
        MUST(cusolverMgGetrs(handle, CUBLAS_OP_N, n, sides, OF(a, from), pivots_at, OF(b, from), type, work_at, room, &info));
    }
    expect(info, 0, "the solution");
    b.fetch();
    double worst = 0;
    for (int side = 0; side < sides; side++)
        for (int i = 0; i < n; i++) {
            wide sum = -sought.get(from + i, from + side);
            for (int j = 0; j < n; j++)
                sum += before.get(from + i, from + j) * b.get(from + j, from + side);
            worst = std::max(worst, std::abs(sum));
        }
    expect_small<T>(worst, 80, cholesky ? "Potrs" : "Getrs");
    if (!cholesky)
        return;
    MUST(cusolverMgPotri(handle, half, n, OF(a, from), type, work_at, room, &info));
    a.fetch();
    worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            wide sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += before.get(from + i, from + k) * (k >= j ? a.get(from + k, from + j) : std::conj(a.get(from + j, from + k)));
            worst = std::max(worst, std::abs(sum));
        }
    expect_small<T>(worst, 60, "Potri");
}

template <class T, class R> static void eigenvalues()
{
    const int n = 11;
    matrix<T> a(n, n), before(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const wide v = i == j ? wide(a.get(i, j).real()) : a.get(i, j);
            before.set(i, j, v);
            before.set(j, i, std::conj(v));
        }
    std::vector<R> w(n);
    int64_t room;
    int info = -1;
    const cudaDataType type = type_of(T()), real = type_of(R());
    MUST(cusolverMgSyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, OF(a, 0), w.data(), real, type, &room));
    array<T> work(room);
    void *work_at[1] = {work.device};
    MUST(cusolverMgSyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, OF(a, 0), w.data(), real, type, work_at, room, &info));
    expect(info, 0, "Syevd");
    a.fetch();
    double worst = 0;
    for (int v = 0; v < n; v++)
        for (int i = 0; i < n; i++) {
            wide sum = -(wide)w[v] * a.get(i, v);
            for (int j = 0; j < n; j++)
                sum += before.get(i, j) * a.get(j, v);
            worst = std::max(worst, std::abs(sum));
        }
    expect_small<T>(worst, 200, "Syevd");
}

template <class T, class R> static void all_of()
{
    for (int from : {0, 3}) {
        systems<T>(false, from);
        systems<T>(true, from);
    }
    eigenvalues<T, R>();
}

static void refused()
{
    int two[2] = {0, 1};
    cudaLibMgGrid_t other;
    expect(cusolverMgDeviceSelect(handle, 2, two), CUSOLVER_STATUS_NOT_SUPPORTED, "two devices");
    expect(cusolverMgCreateDeviceGrid(&other, 1, 2, two, CUDALIBMG_GRID_MAPPING_COL_MAJOR), CUSOLVER_STATUS_NOT_SUPPORTED, "a grid of two");
    expect(cusolverMgCreate(NULL), CUSOLVER_STATUS_INVALID_VALUE, "no handle");
    matrix<float> a(4, 4);
    int64_t room;
    expect(cusolverMgPotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 4, OF(a, 1), CUDA_R_32F, &room), CUSOLVER_STATUS_INVALID_VALUE, "behind the matrix");
    expect(cusolverMgPotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 4, OF(a, 0), CUDA_R_64F, &room), CUSOLVER_STATUS_NOT_SUPPORTED, "another type");
}

int main()
{
    int one[1] = {0};
    MUST(cusolverMgCreate(&handle));
    MUST(cusolverMgDeviceSelect(handle, 1, one));
    MUST(cusolverMgCreateDeviceGrid(&grid, 1, 1, one, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    all_of<float, float>();
    all_of<double, double>();
    all_of<cuComplex, float>();
    all_of<cuDoubleComplex, double>();
    std::freopen("/dev/null", "w", stderr); // a word on devices that are not there
    refused();
    MUST(cusolverMgDestroyGrid(grid));
    MUST(cusolverMgDestroy(handle));
    return say("matrices");
}
