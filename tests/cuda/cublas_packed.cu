// cuBLAS: banded and packed matrices with vectors, modified rotations, batches of batches, and settings that are kept, against the host.
#include "cublas_oracle.h"

#include <algorithm>

static cublasHandle_t h;

// The functions of one type: those of symmetric matrices for real numbers, of hermitian ones for complex numbers.
#define PACKED_CALLS(L, s)                                                                                                                         \
    CALL(, L, gbmv) CALL(, L, tbmv) CALL(, L, tbsv) CALL(, L, tpmv) CALL(, L, tpsv) CALL(, L, tpttr) CALL(, L, trttp) CALL(, L, syrkx)               \
    CALL_AS(band, cublas##L##s##bmv) CALL_AS(packed, cublas##L##s##pmv) CALL_AS(rank_one, cublas##L##s##pr) CALL_AS(rank_two, cublas##L##s##pr2)
template <class T> struct calls;
template <> struct calls<float> { PACKED_CALLS(S, s) CALL(, S, rotm) CALL(, S, rotmg) CALL_AS(grouped, cublasSgemmGroupedBatched) };
template <> struct calls<double> { PACKED_CALLS(D, s) CALL(, D, rotm) CALL(, D, rotmg) CALL_AS(grouped, cublasDgemmGroupedBatched) };
template <> struct calls<cuComplex> { PACKED_CALLS(C, h) CALL(, C, rotg) CALL(, C, herkx) CALL(, C, gemm3m) };
template <> struct calls<cuDoubleComplex> { PACKED_CALLS(Z, h) CALL(, Z, rotg) CALL(, Z, herkx) CALL(, Z, gemm3m) };

// A matrix on the host, and op of it.
struct dense {
    int rows, columns;
    std::vector<wide> at;
    dense(int rows, int columns) : rows(rows), columns(columns), at((size_t)rows * columns) {}
    wide &operator()(int i, int j) { return at[i + (size_t)j * rows]; }
    wide get(cublasOperation_t op, int i, int j)
    {
        const wide v = op == CUBLAS_OP_N ? (*this)(i, j) : (*this)(j, i);
        return op == CUBLAS_OP_C ? std::conj(v) : v;
    }
};

// A random square matrix with `k` diagonals beside its own, of which the stored half is put where a band and a packed triangle have it;
// all other places hold what must not be read.
template <class T> struct half_matrix {
    dense full;
    int n, k, ld;
    bool lower;
    array<T> band, packed;
    half_matrix(int n, int k, cublasFillMode_t uplo, char shape, bool unit = false)
        : full(n, n), n(n), k(k), ld(k + 1 + draw(3)), lower(uplo == CUBLAS_FILL_MODE_LOWER), band((size_t)ld * n), packed((size_t)n * (n + 1) / 2)
    {
        for (size_t i = 0; i < band.host.size(); i++)
            band.set(i, wide(NAN, NAN));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (lower ? i >= j : i <= j)
                    put(i, j, shape, unit);
        band.send();
        packed.send();
    }
    size_t in_packed(int i, int j) const { return lower ? i - j + (size_t)j * n - (size_t)j * (j - 1) / 2 : i + (size_t)j * (j + 1) / 2; }
    void put(int i, int j, char shape, bool unit)
    {
        const bool in_band = std::abs(i - j) <= k;
        wide v = in_band ? drawn() / 16.0 : 0;
        if (i == j)
            v = v + 4.0;
        if (!is_complex<T>())
            v = v.real();
        const wide stored = shape == 't' && unit && i == j ? wide(NAN, NAN) : v;
        packed.set(in_packed(i, j), stored);
        if (in_band)
            band.set((lower ? i - j : k + i - j) + (size_t)j * ld, stored);
        if (i == j && (shape == 'h' || (shape == 't' && unit)))
            v = shape == 'h' ? v.real() : 1;
        full(i, j) = v;
        if (shape != 't' && i != j)
            full(j, i) = shape == 'h' ? std::conj(v) : v;
    }
};

static size_t place(int i, int n, int step) { return step < 0 ? (size_t)(n - 1 - i) * -step : (size_t)i * step; }

// y = alpha op(A) x + beta y in what is expected of y.
template <class T> static void expect(array<T> &y, int incy, dense &a, cublasOperation_t op, wide alpha, const array<T> &x, int incx, wide beta)
{
    const int m = op == CUBLAS_OP_N ? a.rows : a.columns, n = op == CUBLAS_OP_N ? a.columns : a.rows;
    for (int i = 0; i < m; i++) {
        wide sum = 0;
        for (int k = 0; k < n; k++)
            sum += a.get(op, i, k) * x.get(place(k, n, incx));
        const size_t at = place(i, m, incy);
        y.set(at, alpha * sum + (beta == wide(0) ? wide(0) : beta * y.get(at)));
    }
}

template <class T> static void general_band(int m, int n, int kl, int ku, bool on_device)
{
    for (cublasOperation_t op : operations) {
        const int ld = kl + ku + 1 + draw(3), rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
        dense a(m, n);
        array<T> band((size_t)ld * n), x((size_t)columns * 2), y((size_t)rows * 3);
        for (size_t i = 0; i < band.host.size(); i++)
            band.set(i, wide(NAN, NAN));
        for (int j = 0; j < n; j++)
            for (int i = std::max(0, j - ku); i < std::min(m, j + kl + 1); i++) {
                a(i, j) = is_complex<T>() ? drawn() : wide(drawn().real());
                band.set(ku + i - j + (size_t)j * ld, a(i, j));
            }
        band.send();
        parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
        MUST(calls<T>::gbmv(h, op, m, n, kl, ku, alpha.get(), band.device, ld, x.device, -2, beta.get(), y.device, 3));
        expect(y, 3, a, op, alpha.known(), x, -2, beta.known());
        y.check("gbmv", 8 * (kl + ku + 1));
    }
}

template <class T> static void halves_of(int n, int k, bool on_device)
{
    const char shape = is_complex<T>() ? 'h' : 's';
    for (cublasFillMode_t uplo : halves) {
        half_matrix<T> a(n, k, uplo, shape), whole(n, n, uplo, shape);
        array<T> x(n), y(n * 2), z(n);
        parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
        MUST(calls<T>::band(h, uplo, n, k, alpha.get(), a.band.device, a.ld, x.device, 1, beta.get(), y.device, -2));
        expect(y, -2, a.full, CUBLAS_OP_N, alpha.known(), x, 1, beta.known());
        y.check("band", 8 * k + 8);
        MUST(calls<T>::packed(h, uplo, n, alpha.get(), whole.packed.device, x.device, -1, beta.get(), z.device, 1));
        expect(z, 1, whole.full, CUBLAS_OP_N, alpha.known(), x, -1, beta.known());
        z.check("packed", 8 * n);

        parameter<typename blas<T>::real> real(h, drawn(), on_device);
        auto &p = whole.packed;
        auto conj = [](wide v) { return is_complex<T>() ? std::conj(v) : v; };
        MUST(calls<T>::rank_one(h, uplo, n, real.get(), x.device, 1, p.device));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (whole.lower ? i >= j : i <= j) {
                    wide v = p.get(whole.in_packed(i, j)) + real.known() * x.get(i) * conj(x.get(j));
                    p.set(whole.in_packed(i, j), i == j ? v.real() : v);
                }
        p.check("rank one", 8);
        MUST(calls<T>::rank_two(h, uplo, n, alpha.get(), x.device, 1, z.device, -1, p.device));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (whole.lower ? i >= j : i <= j) {
                    const wide yi = z.get(n - 1 - i), yj = z.get(n - 1 - j);
                    wide v = p.get(whole.in_packed(i, j)) + alpha.known() * x.get(i) * conj(yj) + conj(alpha.known()) * yi * conj(x.get(j));
                    p.set(whole.in_packed(i, j), i == j ? v.real() : v);
                }
        p.check("rank two", 60 * n);

        // A packed triangle, as it was read, into a matrix and back.
        array<T> matrix((size_t)(n + 2) * n), back((size_t)n * (n + 1) / 2, false);
        MUST(calls<T>::tpttr(h, uplo, n, a.packed.device, matrix.device, n + 2));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (a.lower ? i >= j : i <= j)
                    matrix.set(i + (size_t)j * (n + 2), a.packed.get(a.in_packed(i, j)));
        matrix.check("tpttr", 0);
        MUST(calls<T>::trttp(h, uplo, n, matrix.device, n + 2, back.device));
        back.host = a.packed.host;
        back.check("trttp", 0);
    }
}

template <class T> static void triangles(int n, int k)
{
    for (cublasFillMode_t uplo : halves)
        for (cublasOperation_t op : operations)
            for (cublasDiagType_t diag : diagonals) {
                const bool unit = diag == CUBLAS_DIAG_UNIT;
                half_matrix<T> a(n, k, uplo, 't', unit), whole(n, n, uplo, 't', unit);
                array<T> x(n * 2), y(n);
                const std::vector<T> of_x = x.host, of_y = y.host;
                array<T> old_x(n * 2), old_y(n);
                old_x.host = of_x;
                old_y.host = of_y;
                MUST(calls<T>::tbmv(h, uplo, op, diag, n, k, a.band.device, a.ld, x.device, -2));
                expect(x, -2, a.full, op, 1, old_x, -2, 0);
                x.check("tbmv", 8 * k + 8);
                MUST(calls<T>::tpmv(h, uplo, op, diag, n, whole.packed.device, y.device, 1));
                expect(y, 1, whole.full, op, 1, old_y, 1, 0);
                y.check("tpmv", 8 * n);
                MUST(calls<T>::tbsv(h, uplo, op, diag, n, k, a.band.device, a.ld, x.device, -2));
                x.host = of_x;
                x.check("tbsv", 100 * (k + 1));
                if (!unit) { // of a unit diagonal with so many more elements the unknowns would grow
                    MUST(calls<T>::tpsv(h, uplo, op, diag, n, whole.packed.device, y.device, 1));
                    y.host = of_y;
                    y.check("tpsv", 100 * n);
                }
            }
}

// A triangle of alpha op(A) op(B)' + beta C.
template <class T, class F, class B> static void part_of_product(F call, const char *what, int n, int k, bool hermitian, B beta)
{
    for (cublasFillMode_t uplo : halves)
        for (cublasOperation_t op : {CUBLAS_OP_N, hermitian ? CUBLAS_OP_C : CUBLAS_OP_T}) {
            const int ld = std::max(n, k) + 1;
            array<T> a((size_t)ld * ld), b((size_t)ld * ld), c((size_t)ld * n);
            parameter<T> alpha(h, drawn(), false);
            B by = beta;
            MUST(call(h, uplo, op, n, k, alpha.get(), a.device, ld, b.device, ld, &by, c.device, ld));
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    wide sum = 0;
                    for (int l = 0; l < k; l++) {
                        const wide v = element(b, ld, op, j, l);
                        sum += element(a, ld, op, i, l) * (hermitian ? std::conj(v) : v);
                    }
                    const size_t at = i + (size_t)j * ld;
                    const wide v = alpha.known() * sum + widen(by) * c.get(at);
                    if (uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j)
                        c.set(at, hermitian && i == j ? v.real() : v);
                }
            c.check(what, 16 * k);
        }
}

template <class T> static void all_types()
{
    for (int mode = 0; mode < 2; mode++) {
        general_band<T>(70, 45, 3, 6, mode);
        general_band<T>(20, 150, 5, 0, mode);
        general_band<T>(1, 1, 0, 0, mode);
        halves_of<T>(61, 4, mode);
        halves_of<T>(1, 0, mode);
    }
    triangles<T>(75, 5);
    triangles<T>(33, 0);
    part_of_product<T>(calls<T>::syrkx, "syrkx", 37, 20, false, number<T>(wide(0.5, 0.25)));
    tried++;
    if (calls<T>::tbmv(h, halves[0], operations[0], diagonals[0], 5, 3, NULL, 3, NULL, 1) != CUBLAS_STATUS_INVALID_VALUE ||
        calls<T>::tpmv(NULL, halves[0], operations[0], diagonals[0], 5, NULL, NULL, 1) != CUBLAS_STATUS_NOT_INITIALIZED)
        std::printf("wrong arguments pass\n"), wrong++;
}

static bool near(double a, double b, double of) { return std::abs(a - b) <= of * (std::abs(a) + std::abs(b)); }

// What rotmg promises: the turned vector has no second part, and what the squares amount to stays.
template <class T> static void modified_rotations(bool on_device)
{
    const T starts[][4] = {{1, 2, 3, 0.5}, {1, 2, 0.25, 3}, {T(1e-9), T(3e-9), 2, 1}, {T(4e8), 5, 7, 2}, {2, T(1e9), 3, 5}, {1, 2, 3, 0}};
    for (const auto &s : starts) {
        parameter<T> d1(h, s[0], on_device), d2(h, s[1], on_device), x1(h, s[2], on_device), y1(h, s[3], on_device);
        array<T> param(5, false);
        T kept[5] = {}, *at = on_device ? param.device : kept;
        MUST(calls<T>::rotmg(h, d1.get(), d2.get(), x1.get(), y1.get(), at));
        if (on_device)
            MUST(cudaMemcpy(kept, param.device, sizeof kept, cudaMemcpyDeviceToHost));
        const double flag = kept[0], h11 = flag == 0 || flag == -2 ? 1 : kept[1], h21 = flag == 1 ? -1 : flag == -2 ? 0 : kept[2],
                     h12 = flag == 1 ? 1 : flag == -2 ? 0 : kept[3], h22 = flag == 0 || flag == -2 ? 1 : kept[4];
        const double before = s[0] * double(s[2]) * s[2] + s[1] * double(s[3]) * s[3], e1 = d1.result(), a = x1.result(), e2 = d2.result();
        tried++;
        if (!near(h11 * s[2] + h12 * s[3], a, 1e-5) || !(std::abs(h21 * s[2] + h22 * s[3]) < 1e-5 * (std::abs(h21 * s[2]) + 1e-30)) ||
            !near(e1 * a * a, before, 1e-5) || (flag != -2 && (e1 < 5e-8 || e1 > 2e7 || e2 < 5e-8 || e2 > 2e7)))
            if (flag != -2 || s[3] != 0)
                std::printf("rotmg of %g %g %g %g: flag %g\n", s[0], s[1], s[2], s[3], flag), wrong++;
        // The rotation of vectors.
        const int n = 300;
        array<T> x(n), y(n * 2);
        MUST(calls<T>::rotm(h, n, x.device, 1, y.device, -2, at));
        for (int i = 0; i < n; i++) {
            const wide p = x.get(i), q = y.get(place(i, n, -2));
            x.set(i, h11 * p + h12 * q);
            y.set(place(i, n, -2), h21 * p + h22 * q);
        }
        x.check("rotm", 20 * (1 + std::abs(h11) + std::abs(h12)));
        y.check("rotm", 20 * (1 + std::abs(h21) + std::abs(h22)));
    }
}

template <class T> static void complex_rotation(wide a, wide b, bool on_device)
{
    parameter<T> first(h, a, on_device), second(h, b, on_device), s(h, 0, on_device);
    parameter<typename blas<T>::real> c(h, 0, on_device);
    MUST(calls<T>::rotg(h, first.get(), second.get(), c.get(), s.get()));
    const wide r = widen(first.result()), by = widen(s.result()), cosine = widen(c.result());
    tried++;
    if (!(std::abs(cosine * a + by * b - r) < 1e-5) || !(std::abs(cosine * b - std::conj(by) * a) < 1e-5) || !near(std::abs(r), std::hypot(std::abs(a), std::abs(b)), 1e-5))
        std::printf("rotg of complex numbers\n"), wrong++;
}

template <class T> static void only_complex()
{
    for (int mode = 0; mode < 2; mode++)
        for (wide a : {wide(3, -1), wide(0, 0)})
            complex_rotation<T>(a, wide(-2, 5), mode);
    part_of_product<T>(calls<T>::herkx, "herkx", 21, 30, true, (typename blas<T>::real)0.5);
    // Three products in the place of four are none here.
    const int n = 30;
    array<T> a(n * n), b(n * n), c(n * n), d(n * n, false);
    parameter<T> alpha(h, drawn(), false), beta(h, 0, false);
    MUST(blas<T>::gemm(h, CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, alpha.get(), a.device, n, b.device, n, beta.get(), c.device, n));
    MUST(calls<T>::gemm3m(h, CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, alpha.get(), a.device, n, b.device, n, beta.get(), d.device, n));
    MUST(cudaMemcpy(d.host.data(), c.device, n * n * sizeof(T), cudaMemcpyDeviceToHost));
    d.check("gemm3m", 0);
}

static void products_by_types()
{
    const int n = 20, k = 7;
    array<cuComplex> a(n * k), c(n * n), d(n * n);
    d.host = c.host;
    d.send();
    const float alpha = 1.5f, beta = 0.5f;
    MUST(cublasCherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &alpha, a.device, n, &beta, c.device, n));
    MUST(cublasCherk3mEx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &alpha, a.device, CUDA_C_32F, n, &beta, d.device, CUDA_C_32F, n));
    MUST(cudaMemcpy(d.host.data(), c.device, n * n * sizeof(cuComplex), cudaMemcpyDeviceToHost));
    d.check("Cherk3mEx", 0);
    tried++;
    if (cublasCherkEx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &alpha, a.device, CUDA_C_8I, n, &beta, d.device, CUDA_C_32F, n) != CUBLAS_STATUS_NOT_SUPPORTED)
        std::printf("CherkEx of bytes\n"), wrong++;
}

// Two groups, of two products and of one.
template <class T> static void grouped(bool by_types)
{
    const int m[] = {5, 9}, n[] = {6, 3}, k[] = {4, 8}, lda[] = {5, 8}, ldb[] = {4, 8}, ldc[] = {7, 9}, sizes[] = {2, 1}, group_of[] = {0, 0, 1};
    const cublasOperation_t ta[] = {CUBLAS_OP_N, CUBLAS_OP_T}, tb[] = {CUBLAS_OP_N, CUBLAS_OP_N};
    const T alpha[] = {T(1.5), T(-2)}, beta[] = {T(0), T(0.5)};
    array<T> a(3 * 80), b(3 * 80), c(3 * 80);
    T *places[3][3], **on_device;
    for (int i = 0; i < 3; i++) {
        places[0][i] = a.at(80 * i);
        places[1][i] = b.at(80 * i);
        places[2][i] = c.at(80 * i);
    }
    MUST(cudaMalloc(&on_device, sizeof places));
    MUST(cudaMemcpy(on_device, places, sizeof places, cudaMemcpyHostToDevice));
    const cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    if (by_types)
        MUST(cublasGemmGroupedBatchedEx(h, ta, tb, m, n, k, alpha, (const void *const *)on_device, type, lda, (const void *const *)on_device + 3, type, ldb,
                                        beta, (void *const *)on_device + 6, type, ldc, 2, sizes, sizeof(T) == 4 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F));
    else
        MUST(calls<T>::grouped(h, ta, tb, m, n, k, alpha, on_device, lda, on_device + 3, ldb, beta, on_device + 6, ldc, 2, sizes));
    for (int p = 0; p < 3; p++) {
        const int g = group_of[p];
        for (int j = 0; j < n[g]; j++)
            for (int i = 0; i < m[g]; i++) {
                wide sum = 0;
                for (int l = 0; l < k[g]; l++)
                    sum += a.get(80 * p + (ta[g] == CUBLAS_OP_N ? i + l * lda[g] : l + i * lda[g])) * b.get(80 * p + l + j * ldb[g]);
                const size_t at = 80 * p + i + j * ldc[g];
                c.set(at, (double)alpha[g] * sum + (double)beta[g] * c.get(at));
            }
    }
    c.check("groups", 60);
    MUST(cudaFree(on_device));
}

static void settings()
{
    int bits = 0, *counted = &bits;
    cudaEmulationStrategy strategy;
    cudaEmulationSpecialValuesSupport special;
    cudaEmulationMantissaControl mantissa;
    MUST(cublasGetEmulationSpecialValuesSupport(h, &special));
    MUST(cublasSetEmulationStrategy(h, CUDA_EMULATION_STRATEGY_EAGER));
    MUST(cublasGetEmulationStrategy(h, &strategy));
    MUST(cublasSetFixedPointEmulationMantissaControl(h, CUDA_EMULATION_MANTISSA_CONTROL_FIXED));
    MUST(cublasGetFixedPointEmulationMantissaControl(h, &mantissa));
    MUST(cublasSetFixedPointEmulationMaxMantissaBitCount(h, 55));
    MUST(cublasGetFixedPointEmulationMaxMantissaBitCount(h, &bits));
    MUST(cublasGetFixedPointEmulationMantissaBitCountPointer(h, &counted));
    tried++;
    if (strategy != CUDA_EMULATION_STRATEGY_EAGER || special != CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT || mantissa != CUDA_EMULATION_MANTISSA_CONTROL_FIXED ||
        bits != 55 || counted != NULL)
        std::printf("settings\n"), wrong++;
}

int main()
{
    MUST(cublasCreate(&h));
    all_types<float>();
    all_types<double>();
    all_types<cuComplex>();
    all_types<cuDoubleComplex>();
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    for (int mode = 0; mode < 2; mode++) {
        modified_rotations<float>(mode);
        modified_rotations<double>(mode);
    }
    only_complex<cuComplex>();
    only_complex<cuDoubleComplex>();
    products_by_types();
    for (bool by_types : {false, true}) {
        grouped<float>(by_types);
        grouped<double>(by_types);
    }
    settings();
    MUST(cublasDestroy(h));
    return say("packed");
}
