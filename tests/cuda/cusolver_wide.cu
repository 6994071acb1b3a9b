// cuSOLVER: functions that take types as arguments and numbers of 64 bits; inverses of triangles, some of the eigenvalues, and batches of
// approximate singular values.
#include "numbers_oracle.h"

#include <cusolverDn.h>

#include <algorithm>

static cusolverDnHandle_t handle;
static cusolverDnParams_t params;

template <class T> struct kind;
template <> struct kind<float> {
    typedef float real;
    static const cudaDataType type = CUDA_R_32F, real_type = CUDA_R_32F;
    static constexpr decltype(&cusolverDnSgesvdaStridedBatched) batch = cusolverDnSgesvdaStridedBatched;
    static constexpr decltype(&cusolverDnSgesvdaStridedBatched_bufferSize) room = cusolverDnSgesvdaStridedBatched_bufferSize;
};
template <> struct kind<double> {
    typedef double real;
    static const cudaDataType type = CUDA_R_64F, real_type = CUDA_R_64F;
    static constexpr decltype(&cusolverDnDgesvdaStridedBatched) batch = cusolverDnDgesvdaStridedBatched;
    static constexpr decltype(&cusolverDnDgesvdaStridedBatched_bufferSize) room = cusolverDnDgesvdaStridedBatched_bufferSize;
};
template <> struct kind<cuComplex> {
    typedef float real;
    static const cudaDataType type = CUDA_C_32F, real_type = CUDA_R_32F;
    static constexpr decltype(&cusolverDnCgesvdaStridedBatched) batch = cusolverDnCgesvdaStridedBatched;
    static constexpr decltype(&cusolverDnCgesvdaStridedBatched_bufferSize) room = cusolverDnCgesvdaStridedBatched_bufferSize;
};
template <> struct kind<cuDoubleComplex> {
    typedef double real;
    static const cudaDataType type = CUDA_C_64F, real_type = CUDA_R_64F;
    static constexpr decltype(&cusolverDnZgesvdaStridedBatched) batch = cusolverDnZgesvdaStridedBatched;
    static constexpr decltype(&cusolverDnZgesvdaStridedBatched_bufferSize) room = cusolverDnZgesvdaStridedBatched_bufferSize;
};

// Room as a function asks for it, and what it says of its end.
struct buffers {
    size_t on_device = 0, on_host = 0;
    void *device = NULL;
    int *info;
    std::vector<char> host;
    buffers() { MUST(cudaMalloc(&info, sizeof *info)); }
    ~buffers()
    {
        cudaFree(device);
        cudaFree(info);
    }
    void take()
    {
        MUST(cudaMalloc(&device, on_device + 1));
        host.resize(on_host + 1);
    }
    void expect(int wanted, const char *what)
    {
        int got;
        MUST(cudaMemcpy(&got, info, sizeof got, cudaMemcpyDeviceToHost));
        tried++;
        if (got != wanted)
            std::printf("%s: info %d, not %d\n", what, got, wanted), wrong++;
    }
};
#define ROOM(b) kind<T>::type, &(b).on_device, &(b).on_host
#define BUFFERS(b) kind<T>::type, (b).device, (b).on_device, (b).host.data(), (b).on_host, (b).info

// a(i, j) of a matrix of columns; of a hermitian one, of which a half is there, where `half` is 'l' or 'u'.
template <class T> static wide at(const array<T> &a, int ld, int i, int j, char half = 'f')
{
    const bool there = half == 'f' || (half == 'l' ? i >= j : i <= j);
    const wide v = there ? a.get(i + (size_t)j * ld) : std::conj(a.get(j + (size_t)i * ld));
    return half != 'f' && i == j ? v.real() : v;
}
// What is to be zero, as small as the numbers are.
template <class T> static void small(double error, const char *what, double terms)
{
    tried++;
    if (!(error <= precision(T()) * terms))
        std::printf("%s: %g\n", what, error), wrong++;
}
template <class T> static void fetch(array<T> &a) { MUST(cudaMemcpy(a.host.data(), a.device, a.host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }

// Solutions fit their systems, by both kinds of factors.
template <class T> static void systems(int n, int sides, bool by_root)
{
    const int ld = n + 3;
    array<T> a((size_t)ld * n), b((size_t)ld * sides);
    for (int i = 0; i < n; i++)
        a.set(i + (size_t)i * ld, by_root ? wide(4.0 * n) : a.get(i + (size_t)i * ld) + 3.0);
    a.send();
    const std::vector<T> of_a = a.host, of_b = b.host;
    int64_t *pivots;
    MUST(cudaMalloc(&pivots, n * sizeof *pivots));
    buffers r;
    const cublasFillMode_t uplo = CUBLAS_FILL_MODE_LOWER;
    const cudaDataType t = kind<T>::type;
    if (by_root) {
        MUST(cusolverDnXpotrf_bufferSize(handle, params, uplo, n, t, a.device, ld, ROOM(r)));
        r.take();
        MUST(cusolverDnXpotrf(handle, params, uplo, n, t, a.device, ld, BUFFERS(r)));
        r.expect(0, "potrf");
        MUST(cusolverDnXpotrs(handle, params, uplo, n, sides, t, a.device, ld, t, b.device, ld, r.info));
    } else {
        MUST(cusolverDnXgetrf_bufferSize(handle, params, n, n, t, a.device, ld, ROOM(r)));
        r.take();
        MUST(cusolverDnXgetrf(handle, params, n, n, t, a.device, ld, pivots, BUFFERS(r)));
        r.expect(0, "getrf");
        MUST(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, n, sides, t, a.device, ld, pivots, t, b.device, ld, r.info));
    }
    r.expect(0, "solved");
    fetch(b);
    a.host = of_a;
    array<T> before(of_b.size());
    before.host = of_b;
    double most = 0;
    for (int s = 0; s < sides; s++)
        for (int i = 0; i < n; i++) {
            wide sum = 0;
            for (int k = 0; k < n; k++)
                sum += at(a, ld, i, k, by_root ? 'l' : 'f') * b.get(k + (size_t)s * ld);
            most = std::max(most, std::abs(sum - before.get(i + (size_t)s * ld)));
        }
    small<T>(most, by_root ? "potrs" : "getrs", 400.0 * n);
    MUST(cudaFree(pivots));
}

template <class T> static void orthogonal(int m, int n)
{
    // R'R is A'A.
    array<T> a((size_t)m * n), tau(n);
    const std::vector<T> before = a.host;
    array<T> of(before.size());
    of.host = before;
    buffers r;
    MUST(cusolverDnXgeqrf_bufferSize(handle, params, m, n, kind<T>::type, a.device, m, kind<T>::type, tau.device, ROOM(r)));
    r.take();
    MUST(cusolverDnXgeqrf(handle, params, m, n, kind<T>::type, a.device, m, kind<T>::type, tau.device, BUFFERS(r)));
    r.expect(0, "geqrf");
    fetch(a);
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            wide one = 0, other = 0;
            for (int k = 0; k < m; k++)
                one += std::conj(at(of, m, k, i)) * at(of, m, k, j);
            for (int k = 0; k <= std::min(i, j); k++)
                other += std::conj(at(a, m, k, i)) * at(a, m, k, j);
            most = std::max(most, std::abs(one - other));
        }
    small<T>(most, "geqrf", 60.0 * m);
}

// Of the eigenvalues a range: A v = w v, in order, and as many as there should be.
template <class T> static void eigenvalues(int n)
{
    typedef typename kind<T>::real R;
    array<T> a((size_t)n * n);
    const std::vector<T> before = a.host;
    array<T> of(before.size());
    of.host = before;
    array<R> all(n);
    buffers r;
    const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
    const cublasFillMode_t uplo = CUBLAS_FILL_MODE_UPPER;
    MUST(cusolverDnXsyevd_bufferSize(handle, params, vectors, uplo, n, kind<T>::type, a.device, n, kind<T>::real_type, all.device, ROOM(r)));
    r.take();
    MUST(cusolverDnXsyevd(handle, params, vectors, uplo, n, kind<T>::type, a.device, n, kind<T>::real_type, all.device, BUFFERS(r)));
    r.expect(0, "syevd");
    fetch(all);
    R low = (all.host[2] + all.host[3]) / 2, high = (all.host[6] + all.host[7]) / 2;
    const cusolverEigRange_t ranges[] = {CUSOLVER_EIG_RANGE_ALL, CUSOLVER_EIG_RANGE_I, CUSOLVER_EIG_RANGE_V};
    const int firsts[] = {0, 4, 3}, counts[] = {n, 5, 4};
    for (int i = 0; i < 3; i++) {
        array<R> some(n);
        buffers q;
        int64_t found = -1;
        a.host = before;
        a.send();
        MUST(cusolverDnXsyevdx_bufferSize(handle, params, vectors, ranges[i], uplo, n, kind<T>::type, a.device, n, &low, &high, 5, 9, &found, kind<T>::real_type,
                                          some.device, ROOM(q)));
        q.take();
        MUST(cusolverDnXsyevdx(handle, params, vectors, ranges[i], uplo, n, kind<T>::type, a.device, n, &low, &high, 5, 9, &found, kind<T>::real_type, some.device,
                               BUFFERS(q)));
        q.expect(0, "syevdx");
        tried++;
        if (found != counts[i]) {
            std::printf("syevdx: %d values\n", (int)found), wrong++;
            continue;
        }
        fetch(some);
        fetch(a);
        double most = 0, other = 0;
        for (int v = 0; v < counts[i]; v++) {
            other = std::max(other, (double)std::abs(some.host[v] - all.host[firsts[i] + v]));
            for (int row = 0; row < n; row++) {
                wide sum = 0;
                for (int k = 0; k < n; k++)
                    sum += at(of, n, row, k, 'u') * at(a, n, k, v);
                most = std::max(most, std::abs(sum - (double)some.host[v] * at(a, n, row, v)));
            }
        }
        small<T>(most, "syevdx, vectors", 60.0 * n);
        small<T>(other, "syevdx, values", 20.0 * n);
    }
}

// U S V' is A; of a part of the values, it is as near as what is left out says.
template <class T> static void singular(int m, int n, int rank)
{
    typedef typename kind<T>::real R;
    array<T> a((size_t)m * n), u((size_t)m * m), vt((size_t)n * n);
    const std::vector<T> before = a.host;
    array<T> of(before.size());
    of.host = before;
    array<R> s(n);
    buffers r;
    const cudaDataType t = kind<T>::type;
    MUST(cusolverDnXgesvd_bufferSize(handle, params, 'S', 'S', m, n, t, a.device, m, kind<T>::real_type, s.device, t, u.device, m, t, vt.device, n, ROOM(r)));
    r.take();
    MUST(cusolverDnXgesvd(handle, params, 'S', 'S', m, n, t, a.device, m, kind<T>::real_type, s.device, t, u.device, m, t, vt.device, n, BUFFERS(r)));
    r.expect(0, "gesvd");
    fetch(u);
    fetch(s);
    fetch(vt);
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            wide sum = 0;
            for (int k = 0; k < n; k++)
                sum += at(u, m, i, k) * (double)s.host[k] * at(vt, n, k, j);
            most = std::max(most, std::abs(sum - at(of, m, i, j)));
        }
    small<T>(most, "gesvd", 60.0 * m);

    const int batch = 3;
    array<T> many((size_t)m * n * batch), left((size_t)m * rank * batch), right((size_t)n * rank * batch);
    array<R> values((size_t)rank * batch);
    std::copy(before.begin(), before.end(), many.host.begin() + m * n);
    many.send();
    int lwork, *info;
    double norms[batch];
    const long long of_a = m * n, of_u = m * rank, of_v = n * rank;
    const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
    MUST(kind<T>::room(handle, vectors, rank, m, n, many.device, m, of_a, values.device, rank, left.device, m, of_u, right.device, n, of_v, &lwork, batch));
    T *work;
    MUST(cudaMalloc(&work, lwork * sizeof(T)));
    MUST(cudaMalloc(&info, batch * sizeof *info));
    MUST(kind<T>::batch(handle, vectors, rank, m, n, many.device, m, of_a, values.device, rank, left.device, m, of_u, right.device, n, of_v, work, lwork, info, norms,
                        batch));
    fetch(left);
    fetch(right);
    fetch(values);
    many.check("the matrices of a batch", 0);
    for (int b = 0; b < batch; b++) {
        double rest = 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                wide sum = -many.get(i + (size_t)j * m + b * of_a);
                for (int k = 0; k < rank; k++)
                    sum += left.get(i + (size_t)k * m + b * of_u) * (double)values.host[k + b * rank] * std::conj(right.get(j + (size_t)k * n + b * of_v));
                rest += std::norm(sum);
            }
        small<T>(std::abs(std::sqrt(rest) - norms[b]), "gesvda, what is left", 200.0 * m);
    }
    most = 0;
    for (int k = 0; k < rank; k++)
        most = std::max(most, (double)std::abs(values.host[k + rank] - s.host[k]));
    small<T>(most, "gesvda, values", 60.0 * m);
    MUST(cudaFree(work));
    MUST(cudaFree(info));
}

template <class T> static void inverse(int n, cublasFillMode_t uplo, cublasDiagType_t diag)
{
    const bool lower = uplo == CUBLAS_FILL_MODE_LOWER, unit = diag == CUBLAS_DIAG_UNIT;
    const int ld = n + 2;
    array<T> a((size_t)ld * n);
    for (size_t i = 0; i < a.host.size(); i++)
        a.set(i, a.get(i) / (double)n);
    for (int i = 0; i < n; i++)
        a.set(i + (size_t)i * ld, wide(2, 0.5));
    a.send();
    const std::vector<T> before = a.host;
    array<T> of(before.size());
    of.host = before;
    buffers r;
    MUST(cusolverDnXtrtri_bufferSize(handle, uplo, diag, n, kind<T>::type, a.device, ld, &r.on_device, &r.on_host));
    r.take();
    MUST(cusolverDnXtrtri(handle, uplo, diag, n, kind<T>::type, a.device, ld, r.device, r.on_device, r.host.data(), r.on_host, r.info));
    r.expect(0, "trtri");
    fetch(a);
    double most = 0;
    auto element = [&](const array<T> &x, int i, int j) {
        return i == j && unit ? wide(1) : (lower ? i >= j : i <= j) ? at(x, ld, i, j) : wide(0);
    };
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            wide sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += element(of, i, k) * element(a, k, j);
            most = std::max(most, std::abs(sum));
        }
    small<T>(most, "trtri", 60.0 * n);
    // The other half, and a diagonal that counts as 1, are as they were.
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ld; i++)
            if (i >= n || (lower ? i < j : i > j) || (unit && i == j))
                continue;
            else
                of.host[i + (size_t)j * ld] = a.host[i + (size_t)j * ld];
    a.host = of.host;
    a.check("trtri, the rest", 0);
}

template <class T> static void all_of()
{
    systems<T>(45, 3, false);
    systems<T>(40, 2, true);
    orthogonal<T>(30, 21);
    eigenvalues<T>(18);
    singular<T>(17, 9, 9);
    singular<T>(12, 12, 5);
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
        for (cublasDiagType_t diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT})
            inverse<T>(35, uplo, diag);
}

static void refused()
{
    size_t on_device, on_host;
    int info;
    tried += 3;
    wrong += cusolverDnXgetrf_bufferSize(handle, params, 5, 5, CUDA_R_16F, NULL, 5, CUDA_R_16F, &on_device, &on_host) != CUSOLVER_STATUS_NOT_SUPPORTED;
    wrong += cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, 1LL << 40, CUDA_R_32F, NULL, 1LL << 40, CUDA_R_32F, &on_device, &on_host) !=
             CUSOLVER_STATUS_NOT_SUPPORTED;
    wrong += cusolverDnXtrtri(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT, 5, CUDA_R_32F, NULL, 5, NULL, 8, NULL, 0, &info) != CUSOLVER_STATUS_INVALID_WORKSPACE;
}

int main()
{
    MUST(cusolverDnCreate(&handle));
    MUST(cusolverDnCreateParams(&params));
    MUST(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
    all_of<float>();
    all_of<double>();
    all_of<cuComplex>();
    all_of<cuDoubleComplex>();
    refused();
    MUST(cusolverDnDestroyParams(params));
    MUST(cusolverDnDestroy(handle));
    return say("wide");
}
