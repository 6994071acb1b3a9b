// cuBLAS, level 3: products, systems of equations and inverses, of one matrix and of many, against the host.
#include "cublas_oracle.h"

#include <algorithm>

static cublasHandle_t h;

// d = alpha a(i, l) b(l, j) + beta d for the elements that are wanted.
template <class C, class F, class G, class W>
static void expect(array<C> &d, size_t first, int ldd, int m, int n, int k, wide alpha, wide beta, F a, G b, W wanted)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (!wanted(i, j))
                continue;
            wide sum = 0;
            if (alpha != wide(0))
                for (int l = 0; l < k; l++)
                    sum += a(i, l) * b(l, j);
            const size_t at = first + i + (size_t)j * ldd;
            d.set(at, alpha * sum + (beta == wide(0) ? wide(0) : beta * d.get(at)));
        }
}
static bool whole(int, int) { return true; }

// Of results that are not read there may be anything before.
template <class T> static void spoil(array<T> &c, wide beta)
{
    if (beta != wide(0))
        return;
    for (size_t i = 0; i < c.host.size(); i++)
        c.set(i, wide(NAN, NAN));
    c.send();
}

struct shape_of {
    int m, n, k, lda, ldb, ldc;
    shape_of(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k)
        : m(m), n(n), k(k), lda(std::max(1u, (ta == CUBLAS_OP_N ? m : k) + draw(4))),
          ldb(std::max(1u, (tb == CUBLAS_OP_N ? k : n) + draw(4))), ldc(std::max(1, m))
    {
    }
    size_t a(cublasOperation_t t) const { return (size_t)lda * (t == CUBLAS_OP_N ? k : m); }
    size_t b(cublasOperation_t t) const { return (size_t)ldb * (t == CUBLAS_OP_N ? n : k); }
};

template <class T> static void general(int m, int n, int k, bool on_device)
{
    for (cublasOperation_t ta : operations)
        for (cublasOperation_t tb : operations) {
            const shape_of s(ta, tb, m, n, k);
            array<T> a(s.a(ta)), b(s.b(tb)), c((size_t)s.ldc * n);
            parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
            spoil(c, beta.known());
            MUST(blas<T>::gemm(h, ta, tb, m, n, k, alpha.get(), a.device, s.lda, b.device, s.ldb, beta.get(), c.device, s.ldc));
            expect(c, 0, s.ldc, m, n, k, alpha.known(), beta.known(), [&](int i, int l) { return element(a, s.lda, ta, i, l); },
                   [&](int l, int j) { return element(b, s.ldb, tb, l, j); }, whole);
            c.check("gemm", 8 * k + 8);
        }
}

// Padding below the columns stays as it is.
static void padding()
{
    array<float> a(70 * 66), b(70 * 66), c(80 * 66);
    const float one = 1, zero = 0;
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    MUST(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 65, 66, 66, &one, a.device, 70, b.device, 70, &zero, c.device, 80));
    expect(c, 0, 80, 65, 66, 66, 1, 0, [&](int i, int l) { return a.get(i + 70 * l); }, [&](int l, int j) { return b.get(l + 70 * j); }, whole);
    c.check("padding", 600);
}

// Types as arguments; sums of halves and bf16 numbers are rounded once.
template <class A, class C, class F>
static void mixed(cudaDataType a_type, cudaDataType c_type, cublasComputeType_t compute, int m, int n, int k, bool on_device)
{
    const cublasOperation_t ta = operations[draw(2)], tb = operations[draw(2)];
    const shape_of s(ta, tb, m, n, k);
    const int batch = 3;
    array<A> a(s.a(ta) * batch), b(s.b(tb) * batch);
    array<C> c((size_t)s.ldc * n * batch);
    parameter<F> alpha(h, compute == CUBLAS_COMPUTE_32I ? wide(2) : wide(0.5), on_device), beta(h, 1, on_device);
    MUST(cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha.get(), a.device, a_type, s.lda, s.a(ta), b.device, a_type, s.ldb,
                                    s.b(tb), beta.get(), c.device, c_type, s.ldc, (long long)s.ldc * n, batch, compute,
                                    CUBLAS_GEMM_DEFAULT));
    for (int z = 0; z < batch; z++)
        expect(c, (size_t)z * s.ldc * n, s.ldc, m, n, k, alpha.known(), beta.known(), [&](int i, int l) {
            return a.get(z * s.a(ta) + (ta == CUBLAS_OP_N ? i + (size_t)l * s.lda : l + (size_t)i * s.lda));
        }, [&](int l, int j) {
            return b.get(z * s.b(tb) + (tb == CUBLAS_OP_N ? l + (size_t)j * s.ldb : j + (size_t)l * s.ldb));
        }, whole);
    c.check("GemmStridedBatchedEx", 1 + 0.001 * k);
    MUST(cublasGemmEx(h, ta, tb, m, n, k, alpha.get(), a.device, a_type, s.lda, b.device, a_type, s.ldb, beta.get(), c.device,
                      c_type, s.ldc, compute, CUBLAS_GEMM_DEFAULT));
    expect(c, 0, s.ldc, m, n, k, alpha.known(), beta.known(), [&](int i, int l) {
        return a.get(ta == CUBLAS_OP_N ? i + (size_t)l * s.lda : l + (size_t)i * s.lda);
    }, [&](int l, int j) { return b.get(tb == CUBLAS_OP_N ? l + (size_t)j * s.ldb : j + (size_t)l * s.ldb); }, whole);
    c.check("GemmEx", 1 + 0.001 * k);
}
static void all_mixed(int m, int n, int k, bool on_device)
{
    mixed<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, m, n, k, on_device);
    mixed<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, m, n, k, on_device);
    mixed<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, m, n, k, on_device);
    mixed<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, m, n, k, on_device);
    mixed<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF, m, n, k, on_device);
    mixed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, m, n, k, on_device);
    mixed<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, m, n, k, on_device);
    mixed<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, m, n, k, on_device);
    mixed<signed char, float, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, m, n, k, on_device);
    array<__half> x(16), y(16), z(16);
    const __half one = __float2half(1.0f);
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    MUST(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 4, &one, x.device, 4, y.device, 4, &one, z.device, 4));
    expect(z, 0, 4, 4, 4, 4, 1, 1, [&](int i, int l) { return x.get(i + 4 * l); }, [&](int l, int j) { return y.get(j + 4 * l); }, whole);
    z.check("Hgemm", 1);
    // As programs gave the type of the computation before CUDA 11; and what there is not.
    if (cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x.device, CUDA_R_16F, 4, y.device, CUDA_R_16F, 4, &one, z.device,
                     CUDA_R_16F, 4, CUDA_R_16F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS ||
        cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x.device, CUDA_R_16F, 4, y.device, CUDA_R_32F, 4, &one, z.device,
                     CUDA_R_16F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_NOT_SUPPORTED ||
        cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x.device, 3, y.device, 4, &one, z.device, 4) != CUBLAS_STATUS_INVALID_VALUE)
        std::printf("GemmEx: another status\n"), wrong++;
}

// Places of the matrices of a batch, on the device.
template <class T> struct pointers {
    T **device;
    pointers(array<T> &a, size_t stride, int batch)
    {
        std::vector<T *> each;
        for (int z = 0; z < batch; z++)
            each.push_back(a.at(z * stride));
        MUST(cudaMalloc(&device, batch * sizeof(T *)));
        MUST(cudaMemcpy(device, each.data(), batch * sizeof(T *), cudaMemcpyHostToDevice));
    }
    ~pointers() { cudaFree(device); }
};

template <class T> static void batches(int m, int n, int k, int batch)
{
    const cublasOperation_t ta = operations[draw(3)], tb = operations[draw(3)];
    const shape_of s(ta, tb, m, n, k);
    const size_t sc = (size_t)s.ldc * n;
    array<T> a(s.a(ta) * batch), b(s.b(tb) * batch), c(sc * batch), x((size_t)k * batch), y((size_t)m * batch);
    pointers<T> as(a, s.a(ta), batch), bs(b, s.b(tb), batch), cs(c, sc, batch), xs(x, k, batch), ys(y, m, batch);
    parameter<T> alpha(h, drawn(), false), beta(h, factor(), false);
    MUST(blas<T>::gemmBatched(h, ta, tb, m, n, k, alpha.get(), as.device, s.lda, bs.device, s.ldb, beta.get(), cs.device, s.ldc, batch));
    MUST(blas<T>::gemmStridedBatched(h, ta, tb, m, n, k, alpha.get(), a.device, s.lda, s.a(ta), b.device, s.ldb, 0, beta.get(),
                                     c.device, s.ldc, sc, batch));
    for (int pass = 0; pass < 2; pass++)
        for (int z = 0; z < batch; z++)
            expect(c, z * sc, s.ldc, m, n, k, alpha.known(), beta.known(), [&](int i, int l) {
                const wide v = a.get(z * s.a(ta) + (ta == CUBLAS_OP_N ? i + (size_t)l * s.lda : l + (size_t)i * s.lda));
                return ta == CUBLAS_OP_C ? std::conj(v) : v;
            }, [&](int l, int j) {
                const wide v = b.get((pass ? 0 : z) * s.b(tb) + (tb == CUBLAS_OP_N ? l + (size_t)j * s.ldb : j + (size_t)l * s.ldb));
                return tb == CUBLAS_OP_C ? std::conj(v) : v;
            }, whole);
    c.check("gemmBatched, gemmStridedBatched", 40 * k);
    // op(A) is m by k; gemv wants A as it lies.
    const int rows = ta == CUBLAS_OP_N ? m : k, columns = ta == CUBLAS_OP_N ? k : m;
    MUST(blas<T>::gemvBatched(h, ta, rows, columns, alpha.get(), as.device, s.lda, xs.device, 1, beta.get(), ys.device, 1, batch));
    MUST(blas<T>::gemvStridedBatched(h, ta, rows, columns, alpha.get(), a.device, s.lda, s.a(ta), x.device, 1, k, beta.get(),
                                     y.device, 1, m, batch));
    for (int pass = 0; pass < 2; pass++)
        for (int z = 0; z < batch; z++)
            expect(y, (size_t)z * m, m, m, 1, k, alpha.known(), beta.known(), [&](int i, int l) {
                const wide v = a.get(z * s.a(ta) + (ta == CUBLAS_OP_N ? i + (size_t)l * s.lda : l + (size_t)i * s.lda));
                return ta == CUBLAS_OP_C ? std::conj(v) : v;
            }, [&](int l, int) { return x.get((size_t)z * k + l); }, whole);
    y.check("gemvBatched, gemvStridedBatched", 40 * k);
}

// op(B)' of a rank-k update: transposed, and conjugated where the result is hermitian.
template <class T> static wide turned(const array<T> &b, int ldb, bool plain, bool hermitian, int l, int j)
{
    const wide v = plain ? b.get(j + (size_t)l * ldb) : b.get(l + (size_t)j * ldb);
    return plain && hermitian ? std::conj(v) : v;
}
template <class T> static wide straight(const array<T> &a, int lda, bool plain, bool hermitian, int i, int l)
{
    const wide v = plain ? a.get(i + (size_t)l * lda) : a.get(l + (size_t)i * lda);
    return !plain && hermitian ? std::conj(v) : v;
}
// The two products of a rank-2k update, or the one of a rank-k update.
template <class T>
static void update(array<T> &c, int ldc, bool lower, int n, int k, wide alpha, wide beta, const array<T> &a, int lda,
                   const array<T> *b, int ldb, bool plain, bool hermitian)
{
    for (int j = 0; j < n; j++)
        for (int i = lower ? j : 0; i < (lower ? n : j + 1); i++) {
            wide sum = 0;
            for (int l = 0; l < k; l++) {
                if (!b) {
                    sum += alpha * straight(a, lda, plain, hermitian, i, l) * turned(a, lda, plain, hermitian, l, j);
                    continue;
                }
                const wide back = hermitian ? std::conj(alpha) : alpha;
                sum += alpha * straight(a, lda, plain, hermitian, i, l) * turned(*b, ldb, plain, hermitian, l, j) +
                       back * straight(*b, ldb, plain, hermitian, i, l) * turned(a, lda, plain, hermitian, l, j);
            }
            const size_t at = i + (size_t)j * ldc;
            sum += beta == wide(0) ? wide(0) : beta * c.get(at);
            c.set(at, hermitian && i == j ? sum.real() : sum);
        }
}

template <class T> static void symmetric(int m, int n, bool on_device)
{
    for (cublasFillMode_t uplo : halves) {
        const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
        for (cublasSideMode_t side : sides) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int k = left ? m : n, lda = k + draw(4), ldb = m + draw(4), ldc = m + draw(4);
            array<T> a((size_t)lda * k), b((size_t)ldb * n), c((size_t)ldc * n);
            parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
            MUST(blas<T>::symm(h, side, uplo, m, n, alpha.get(), a.device, lda, b.device, ldb, beta.get(), c.device, ldc));
            expect(c, 0, ldc, m, n, k, alpha.known(), beta.known(), [&](int i, int l) {
                return left ? element(a, lda, CUBLAS_OP_N, i, l, 's', lower) : b.get(i + (size_t)l * ldb);
            }, [&](int l, int j) {
                return left ? b.get(l + (size_t)j * ldb) : element(a, lda, CUBLAS_OP_N, l, j, 's', lower);
            }, whole);
            c.check("symm", 10 * k);
        }
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            const bool plain = op == CUBLAS_OP_N;
            const int lda = (plain ? n : m) + draw(4), ldb = lda + 1, ldc = n + draw(4);
            array<T> a((size_t)lda * (plain ? m : n)), b((size_t)ldb * (plain ? m : n)), c((size_t)ldc * n);
            parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
            MUST(blas<T>::syrk(h, uplo, op, n, m, alpha.get(), a.device, lda, beta.get(), c.device, ldc));
            update<T>(c, ldc, lower, n, m, alpha.known(), beta.known(), a, lda, NULL, 0, plain, false);
            c.check("syrk", 10 * m);
            MUST(blas<T>::syr2k(h, uplo, op, n, m, alpha.get(), a.device, lda, b.device, ldb, beta.get(), c.device, ldc));
            update(c, ldc, lower, n, m, alpha.known(), beta.known(), a, lda, &b, ldb, plain, false);
            c.check("syr2k", 40 * m);
        }
    }
}

template <class T> static void hermitian(int m, int n, bool on_device)
{
    typedef typename blas<T>::real real;
    for (cublasFillMode_t uplo : halves) {
        const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
        for (cublasSideMode_t side : sides) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int k = left ? m : n;
            array<T> a((size_t)k * k), b((size_t)m * n), c((size_t)m * n);
            parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
            MUST(blas<T>::hemm(h, side, uplo, m, n, alpha.get(), a.device, k, b.device, m, beta.get(), c.device, m));
            expect(c, 0, m, m, n, k, alpha.known(), beta.known(), [&](int i, int l) {
                return left ? element(a, k, CUBLAS_OP_N, i, l, 'h', lower) : b.get(i + (size_t)l * m);
            }, [&](int l, int j) {
                return left ? b.get(l + (size_t)j * m) : element(a, k, CUBLAS_OP_N, l, j, 'h', lower);
            }, whole);
            c.check("hemm", 10 * k);
        }
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
            const bool plain = op == CUBLAS_OP_N;
            const int ld = plain ? n : m;
            array<T> a((size_t)m * n), b((size_t)m * n), c((size_t)n * n);
            parameter<real> alpha(h, drawn(), on_device), beta(h, factor().real(), on_device);
            parameter<T> by(h, drawn(), on_device);
            MUST(blas<T>::herk(h, uplo, op, n, m, alpha.get(), a.device, ld, beta.get(), c.device, n));
            update<T>(c, n, lower, n, m, alpha.known(), beta.known(), a, ld, NULL, 0, plain, true);
            c.check("herk", 10 * m);
            MUST(blas<T>::her2k(h, uplo, op, n, m, by.get(), a.device, ld, b.device, ld, beta.get(), c.device, n));
            update(c, n, lower, n, m, by.known(), beta.known(), a, ld, &b, ld, plain, true);
            c.check("her2k", 40 * m);
        }
    }
}

// trmm in place and not; trsm finds what trmm had.
template <class T> static void triangular(int m, int n, bool on_device)
{
    for (cublasSideMode_t side : sides)
        for (cublasFillMode_t uplo : halves)
            for (cublasOperation_t op : operations)
                for (cublasDiagType_t diag : diagonals) {
                    const bool left = side == CUBLAS_SIDE_LEFT, lower = uplo == CUBLAS_FILL_MODE_LOWER, unit = diag == CUBLAS_DIAG_UNIT;
                    const int k = left ? m : n, lda = k + draw(4), ldb = m + draw(4);
                    array<T> a((size_t)lda * k), b((size_t)ldb * n), c((size_t)m * n);
                    for (size_t i = 0; i < a.host.size(); i++)
                        a.set(i, (i % lda == i / lda ? 4.0 : 0.0) + a.get(i) / (8.0 * k));
                    a.send();
                    parameter<T> alpha(h, 0.5, on_device), two(h, 2, on_device);
                    MUST(blas<T>::trmm(h, side, uplo, op, diag, m, n, alpha.get(), a.device, lda, b.device, ldb, c.device, m));
                    expect(c, 0, m, m, n, k, 0.5, 0, [&](int i, int l) {
                        return left ? element(a, lda, op, i, l, 't', lower, unit) : b.get(i + (size_t)l * ldb);
                    }, [&](int l, int j) {
                        return left ? b.get(l + (size_t)j * ldb) : element(a, lda, op, l, j, 't', lower, unit);
                    }, whole);
                    c.check("trmm", 40);
                    const std::vector<T> before = b.host;
                    MUST(blas<T>::trmm(h, side, uplo, op, diag, m, n, alpha.get(), a.device, lda, b.device, ldb, b.device, ldb));
                    for (int j = 0; j < n; j++)
                        for (int i = 0; i < m; i++)
                            b.host[i + (size_t)j * ldb] = c.host[i + (size_t)j * m];
                    b.check("trmm in place", 40);
                    MUST(blas<T>::trsm(h, side, uplo, op, diag, m, n, two.get(), a.device, lda, b.device, ldb));
                    b.host = before;
                    b.check("trsm", 40);
                }
}

template <class T> static void sums(int m, int n, bool on_device)
{
    for (cublasOperation_t ta : operations) {
        const cublasOperation_t tb = operations[draw(3)];
        const int lda = (ta == CUBLAS_OP_N ? m : n) + draw(4), ldb = (tb == CUBLAS_OP_N ? m : n) + draw(4), ldc = m + draw(4);
        array<T> a((size_t)lda * (ta == CUBLAS_OP_N ? n : m)), b((size_t)ldb * (tb == CUBLAS_OP_N ? n : m)), c((size_t)ldc * n), x(m), y(n);
        parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
        MUST(blas<T>::geam(h, ta, tb, m, n, alpha.get(), a.device, lda, beta.get(), b.device, ldb, c.device, ldc));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                c.set(i + j * ldc, alpha.known() * element(a, lda, ta, i, j) + beta.known() * element(b, ldb, tb, i, j));
        c.check("geam", 16);
        MUST(blas<T>::dgmm(h, CUBLAS_SIDE_LEFT, m, n, c.device, ldc, x.device, 1, c.device, ldc));
        MUST(blas<T>::dgmm(h, CUBLAS_SIDE_RIGHT, m, n, c.device, ldc, y.device, 1, c.device, ldc));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                c.set(i + j * ldc, c.get(i + j * ldc) * x.get(i) * y.get(j));
        c.check("dgmm", 100);
    }
}

// Factors, inverses and solutions of many matrices: A inverse(A) = 1, and A x = b.
template <class T> static void factors(int n, int batch, bool pivots)
{
    const int lda = n + 1;
    const size_t size = (size_t)lda * n;
    array<T> a(size * batch), lu(size * batch), inverse(size * batch), one(size * batch, false), x((size_t)n * 2 * batch);
    for (size_t i = 0; i < a.host.size() && !pivots; i++)
        a.set(i, a.get(i) + (i % size % lda == i % size / lda ? 9.0 * n : 0.0));
    a.send();
    lu.host = a.host;
    lu.send();
    array<int> rows((size_t)n * batch, false), info(batch, false);
    pointers<T> as(a, size, batch), lus(lu, size, batch), inverses(inverse, size, batch), xs(x, 2 * n, batch);
    int fault;
    MUST(blas<T>::getrfBatched(h, n, lus.device, lda, pivots ? rows.device : NULL, info.device, batch));
    info.check("getrfBatched's info", 0);
    MUST(blas<T>::getriBatched(h, n, lus.device, lda, pivots ? rows.device : NULL, inverses.device, lda, info.device, batch));
    info.check("getriBatched's info", 0);
    const T unit = number<T>(1), zero = number<T>(0);
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    auto check_inverse = [&](const char *what) {
        MUST(blas<T>::gemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &unit, a.device, lda, size, inverse.device, lda, size,
                                         &zero, one.device, lda, size, batch));
        for (size_t i = 0; i < one.host.size(); i++)
            one.set(i, i % size % lda == i % size / lda ? 1 : 0);
        one.check(what, 4e3);
    };
    check_inverse("getriBatched");
    if (n <= 32) {
        MUST(blas<T>::matinvBatched(h, n, as.device, lda, inverses.device, lda, info.device, batch));
        check_inverse("matinvBatched");
    }
    for (cublasOperation_t op : operations) {
        array<T> b((size_t)n * 2 * batch, false);
        MUST(blas<T>::gemmStridedBatched(h, op, CUBLAS_OP_N, n, 2, n, &unit, a.device, lda, size, x.device, n, 2 * n, &zero, b.device, n,
                                         2 * n, batch));
        pointers<T> bs(b, 2 * n, batch);
        MUST(blas<T>::getrsBatched(h, op, n, 2, lus.device, lda, pivots ? rows.device : NULL, bs.device, n, &fault, batch));
        b.host = x.host;
        b.check("getrsBatched", 4e4);
    }
}
static void singular()
{
    array<float> a(9, false);
    const float values[] = {0, 0, 0, 1, 2, 3, 4, 5, 6};
    a.host.assign(values, values + 9);
    a.send();
    pointers<float> as(a, 9, 1);
    array<int> rows(3, false), info(1, false);
    MUST(cublasSgetrfBatched(h, 3, as.device, 3, rows.device, info.device, 1));
    info.host[0] = 1;
    info.check("getrfBatched of a singular matrix", 0);
}
template <class T> static void many_systems()
{
    array<T> a(40 * 40 * 3), b(40 * 5 * 3);
    for (int i = 0; i < 40 * 40 * 3; i++)
        a.set(i, (i % 1600 % 40 == i % 1600 / 40 ? 4.0 : 0.0) + a.get(i) / 300.0);
    a.send();
    pointers<T> as(a, 1600, 3), bs(b, 200, 3);
    const std::vector<T> before = b.host;
    const T unit = number<T>(1);
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    for (int z = 0; z < 3; z++)
        MUST(blas<T>::trmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 40, 5, &unit, a.at(1600 * z), 40,
                           b.at(200 * z), 40, b.at(200 * z), 40));
    MUST(blas<T>::trsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 40, 5, &unit, as.device, 40,
                              bs.device, 40, 3));
    b.check("trsmBatched", 40);
}

template <class T> static void all_of()
{
    for (int mode = 0; mode < 2; mode++) {
        general<T>(5, 9, 13, mode);
        general<T>(70, 65, 33, mode);
        symmetric<T>(37, 21, mode);
        sums<T>(35, 50, mode);
    }
    general<T>(3, 4, 0, false);
    general<T>(0, 4, 3, false);
    triangular<T>(70, 45, false);
    triangular<T>(33, 7, true);
    batches<T>(10, 12, 14, 5);
    batches<T>(66, 65, 8, 2);
    factors<T>(6, 4, true);
    factors<T>(40, 2, true);
    factors<T>(9, 3, false);
    many_systems<T>();
}

int main()
{
    MUST(cublasCreate(&h));
    all_of<float>();
    all_of<double>();
    all_of<cuComplex>();
    all_of<cuDoubleComplex>();
    for (int mode = 0; mode < 2; mode++) {
        hermitian<cuComplex>(20, 35, mode);
        hermitian<cuDoubleComplex>(35, 20, mode);
        all_mixed(7, 9, 11, mode);
        all_mixed(70, 64, 40, mode);
    }
    padding();
    singular();
    MUST(cublasDestroy(h));
    return say("matrices");
}
