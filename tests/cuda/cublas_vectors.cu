// cuBLAS, levels 1 and 2: vectors, and matrices with vectors, against the host.
#include "cublas_oracle.h"

static cublasHandle_t h;

static size_t place(int i, int n, int step) { return step < 0 ? (size_t)(n - 1 - i) * -step : (size_t)i * step; }
static int some_step()
{
    static const int steps[] = {1, 2, -1, -3};
    return steps[draw(4)];
}
static size_t room(int n, int step) { return n ? (size_t)(n - 1) * std::abs(step) + 1 : 1; }

template <class T> static void scalar_result(const char *what, wide want, parameter<T> &got, double terms)
{
    tried++;
    const wide a = widen(got.result());
    if (!(std::abs(a - want) <= precision(T()) * (4 * terms + std::abs(want)))) {
        std::printf("%c%s: %g%+gi, not %g%+gi\n", blas<T>::letter, what, a.real(), a.imag(), want.real(), want.imag());
        wrong++;
    }
}

template <class T> static void elementwise(int n, bool on_device)
{
    const int incx = some_step(), incy = some_step();
    array<T> x(room(n, incx)), y(room(n, incy)), z(room(n, std::abs(incx)));
    parameter<T> alpha(h, factor(), on_device);
    MUST(blas<T>::axpy(h, n, alpha.get(), x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
        y.set(place(i, n, incy), y.get(place(i, n, incy)) + alpha.known() * x.get(place(i, n, incx)));
    y.check("axpy", 4);
    MUST(blas<T>::scal(h, n, alpha.get(), z.device, std::abs(incx)));
    for (int i = 0; i < n; i++)
        z.set(i * std::abs(incx), alpha.known() * z.get(i * std::abs(incx)));
    z.check("scal", 2);
    MUST(blas<T>::swap(h, n, x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
        std::swap(x.host[place(i, n, incx)], y.host[place(i, n, incy)]);
    x.check("swap", 4);
    y.check("swap", 4);
    parameter<typename blas<T>::real> c(h, 0.8, on_device);
    parameter<T> s(h, wide(0.5, 0.25), on_device);
    MUST(blas<T>::rot(h, n, x.device, incx, y.device, incy, c.get(), s.get()));
    for (int i = 0; i < n; i++) {
        const wide a = x.get(place(i, n, incx)), b = y.get(place(i, n, incy));
        x.set(place(i, n, incx), c.known() * a + s.known() * b);
        y.set(place(i, n, incy), c.known() * b - std::conj(s.known()) * a);
    }
    x.check("rot", 16);
    y.check("rot", 16);
    MUST(blas<T>::copy(h, n, x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
        y.host[place(i, n, incy)] = x.host[place(i, n, incx)];
    y.check("copy", 16);
}

template <class T> static void sums(int n, bool on_device)
{
    typedef typename blas<T>::real real;
    const int incx = some_step(), incy = some_step(), step = std::abs(incx);
    array<T> x(room(n, incx)), y(room(n, incy));
    wide dot = 0;
    double squares = 0, sizes = 0, best = -1, least = 1e9;
    int largest = 0, smallest = 0;
    for (int i = 0; i < n; i++) {
        dot += x.get(place(i, n, incx)) * y.get(place(i, n, incy));
        const wide v = x.get((size_t)i * step);
        const double size = std::abs(v.real()) + std::abs(v.imag());
        squares += std::norm(v);
        sizes += size;
        if (size > best)
            best = size, largest = i + 1;
        if (size < least)
            least = size, smallest = i + 1;
    }
    parameter<T> got(h, 7, on_device);
    parameter<real> got_real(h, 7, on_device);
    parameter<int> index(h, 7, on_device);
    MUST(blas<T>::dot(h, n, x.device, incx, y.device, incy, got.get()));
    scalar_result("dot", dot, got, 4 * n);
    MUST(blas<T>::nrm2(h, n, x.device, step, got_real.get()));
    scalar_result("nrm2", std::sqrt(squares), got_real, n);
    MUST(blas<T>::asum(h, n, x.device, step, got_real.get()));
    scalar_result("asum", sizes, got_real, 2 * n);
    MUST(blas<T>::amax(h, n, x.device, step, index.get()));
    const int max = index.result();
    MUST(blas<T>::amin(h, n, x.device, step, index.get()));
    const int min = index.result();
    tried += 2;
    if (max != largest || min != smallest) {
        std::printf("I%camax, amin: %d and %d, not %d and %d\n", blas<T>::letter, max, min, largest, smallest);
        wrong++;
    }
}

template <class T> static void lines(int m, int n, bool on_device)
{
    const int lda = m + draw(4), incx = some_step(), incy = some_step();
    array<T> a((size_t)lda * n);
    for (cublasOperation_t op : operations) {
        const int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
        array<T> x(room(columns, incx)), y(room(rows, incy));
        parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
        MUST(blas<T>::gemv(h, op, m, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
        for (int i = 0; i < rows; i++) {
            wide sum = 0;
            for (int j = 0; j < columns; j++)
                sum += element(a, lda, op, i, j) * x.get(place(j, columns, incx));
            const size_t at = place(i, rows, incy);
            y.set(at, alpha.known() * sum + beta.known() * y.get(at));
        }
        y.check("gemv", 10 * columns);
    }
    array<T> x(room(m, incx)), y(room(n, incy));
    parameter<T> alpha(h, factor(), on_device);
    MUST(blas<T>::ger(h, m, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a.set(i + j * lda, a.get(i + j * lda) + alpha.known() * x.get(place(i, m, incx)) * y.get(place(j, n, incy)));
    a.check("ger", 16);
}

template <class T> static void half_lines(int n, bool on_device)
{
    for (cublasFillMode_t uplo : halves) {
        const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
        const int lda = n + draw(4), incx = some_step(), incy = some_step();
        array<T> a((size_t)lda * n), x(room(n, incx)), y(room(n, incy));
        parameter<T> alpha(h, factor(), on_device), beta(h, factor(), on_device);
        MUST(blas<T>::symv(h, uplo, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
        for (int i = 0; i < n; i++) {
            wide sum = 0;
            for (int j = 0; j < n; j++)
                sum += element(a, lda, CUBLAS_OP_N, i, j, 's', lower) * x.get(place(j, n, incx));
            const size_t at = place(i, n, incy);
            y.set(at, alpha.known() * sum + beta.known() * y.get(at));
        }
        y.check("symv", 10 * n);
        MUST(blas<T>::syr2(h, uplo, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
        MUST(blas<T>::syr(h, uplo, n, beta.get(), x.device, incx, a.device, lda));
        for (int j = 0; j < n; j++)
            for (int i = lower ? j : 0; i < (lower ? n : j + 1); i++) {
                const wide xi = x.get(place(i, n, incx)), xj = x.get(place(j, n, incx));
                const wide yi = y.get(place(i, n, incy)), yj = y.get(place(j, n, incy));
                a.set(i + j * lda, a.get(i + j * lda) + alpha.known() * (xi * yj + yi * xj) + beta.known() * xi * xj);
            }
        a.check("syr2, syr", 100 * n);
    }
}

// x = op(T) x, and back again by trsv.
template <class T> static void triangles(int n)
{
    for (cublasFillMode_t uplo : halves)
        for (cublasOperation_t op : operations)
            for (cublasDiagType_t diag : diagonals) {
                const int lda = n + draw(4), incx = some_step();
                array<T> a((size_t)lda * n), x(room(n, incx));
                for (size_t i = 0; i < a.host.size(); i++)
                    a.set(i, (i % lda == i / lda ? 4.0 : 0.0) + a.get(i) / (8.0 * n));
                a.send();
                const std::vector<T> before = x.host;
                MUST(blas<T>::trmv(h, uplo, op, diag, n, a.device, lda, x.device, incx));
                std::vector<wide> sums(n);
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        sums[i] += element(a, lda, op, i, j, 't', uplo == CUBLAS_FILL_MODE_LOWER,
                                           diag == CUBLAS_DIAG_UNIT) * x.get(place(j, n, incx));
                for (int i = 0; i < n; i++)
                    x.set(place(i, n, incx), sums[i]);
                x.check("trmv", 10);
                MUST(blas<T>::trsv(h, uplo, op, diag, n, a.device, lda, x.device, incx));
                x.host = before;
                x.check("trsv", 20);
            }
}

template <class T> static void complex_only(int n, bool on_device)
{
    typedef typename blas<T>::real real;
    const int incx = some_step(), incy = some_step(), lda = n + draw(4);
    array<T> x(room(n, incx)), y(room(n, incy));
    wide dot = 0;
    for (int i = 0; i < n; i++)
        dot += std::conj(x.get(place(i, n, incx))) * y.get(place(i, n, incy));
    parameter<T> got(h, 7, on_device), alpha(h, drawn(), on_device), beta(h, factor(), on_device);
    parameter<real> scale(h, drawn(), on_device), s(h, 0.5, on_device);
    MUST(blas<T>::dotc(h, n, x.device, incx, y.device, incy, got.get()));
    scalar_result("dotc", dot, got, 4 * n);
    MUST(blas<T>::scal_real(h, n, scale.get(), x.device, std::abs(incx)));
    for (int i = 0; i < n; i++)
        x.set(place(i, n, incx), scale.known() * x.get(place(i, n, incx)));
    x.check("scal by a real number", 2);
    MUST(blas<T>::rot_real(h, n, x.device, incx, y.device, incy, scale.get(), s.get()));
    for (int i = 0; i < n; i++) {
        const wide a = x.get(place(i, n, incx)), b = y.get(place(i, n, incy));
        x.set(place(i, n, incx), scale.known() * a + s.known() * b);
        y.set(place(i, n, incy), scale.known() * b - s.known() * a);
    }
    x.check("rot by real numbers", 16);
    array<T> a((size_t)lda * n);
    MUST(blas<T>::gerc(h, n, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a.set(i + j * lda, a.get(i + j * lda) +
                                   alpha.known() * x.get(place(i, n, incx)) * std::conj(y.get(place(j, n, incy))));
    a.check("gerc", 60);
    for (cublasFillMode_t uplo : halves) {
        const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
        const std::vector<T> before = y.host;
        MUST(blas<T>::hemv(h, uplo, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
        for (int i = 0; i < n; i++) {
            wide sum = 0;
            for (int j = 0; j < n; j++)
                sum += element(a, lda, CUBLAS_OP_N, i, j, 'h', lower) * x.get(place(j, n, incx));
            y.set(place(i, n, incy), alpha.known() * sum + beta.known() * y.get(place(i, n, incy)));
        }
        y.check("hemv", 1000 * n);
        y.host = before;
        y.send();
        MUST(blas<T>::her2(h, uplo, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
        MUST(blas<T>::her(h, uplo, n, scale.get(), x.device, incx, a.device, lda));
        for (int j = 0; j < n; j++)
            for (int i = lower ? j : 0; i < (lower ? n : j + 1); i++) {
                const wide xi = x.get(place(i, n, incx)), xj = x.get(place(j, n, incx));
                const wide yi = y.get(place(i, n, incy)), yj = y.get(place(j, n, incy));
                const wide v = a.get(i + j * lda) + alpha.known() * xi * std::conj(yj) +
                               std::conj(alpha.known()) * yi * std::conj(xj) + scale.known() * xi * std::conj(xj);
                a.set(i + j * lda, i == j ? v.real() : v);
            }
        a.check("her2, her", 2000);
    }
}

// Norms whose squares leave the range of the type.
static void extremes()
{
    for (double scale : {1e-30, 1e30}) {
        array<float> x(3000);
        double squares = 0;
        for (size_t i = 0; i < x.host.size(); i++) {
            x.host[i] = (float)(scale * (1 + i % 7));
            squares += (1.0 + i % 7) * (1.0 + i % 7);
        }
        x.send();
        float got;
        MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
        MUST(cublasSnrm2(h, 3000, x.device, 1, &got));
        tried++;
        if (std::fabs(got / scale / std::sqrt(squares) - 1) > 1e-5) {
            std::printf("nrm2 of numbers about %g: %g\n", scale, got);
            wrong++;
        }
    }
}

// Rotations, and what takes types as arguments.
static void others()
{
    double a = 3, b = 4, c, s;
    MUST(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    MUST(cublasDrotg(h, &a, &b, &c, &s));
    tried++;
    if (std::fabs(a - 5) > 1e-14 || std::fabs(c - 0.6) > 1e-15 || std::fabs(s - 0.8) > 1e-15 || std::fabs(b - 1 / 0.6) > 1e-14)
        std::printf("rotg: %g %g %g %g\n", a, b, c, s), wrong++;
    array<__half> x(500), y(500);
    double dot = 0, squares = 0;
    const float two = 2;
    for (int i = 0; i < 500; i++) {
        dot += (x.get(i) * y.get(i)).real();
        squares += std::norm(x.get(i));
    }
    __half got, norm;
    MUST(cublasDotEx(h, 500, x.device, CUDA_R_16F, 1, y.device, CUDA_R_16F, 1, &got, CUDA_R_16F, CUDA_R_32F));
    MUST(cublasNrm2Ex(h, 500, x.device, CUDA_R_16F, 1, &norm, CUDA_R_16F, CUDA_R_32F));
    tried += 2;
    if (std::fabs(__half2float(got) - dot) > 1e-3 * std::fabs(dot) + 0.1 || std::fabs(__half2float(norm) - std::sqrt(squares)) > 0.1)
        std::printf("DotEx, Nrm2Ex: %g and %g, not %g and %g\n", __half2float(got), __half2float(norm), dot, std::sqrt(squares)), wrong++;
    MUST(cublasAxpyEx(h, 500, &two, CUDA_R_32F, x.device, CUDA_R_16F, 1, y.device, CUDA_R_16F, 1, CUDA_R_32F));
    MUST(cublasScalEx(h, 500, &two, CUDA_R_32F, x.device, CUDA_R_16F, 1, CUDA_R_32F));
    for (int i = 0; i < 500; i++) {
        y.set(i, y.get(i) + 2.0 * x.get(i));
        x.set(i, 2.0 * x.get(i));
    }
    x.check("ScalEx", 1);
    y.check("AxpyEx", 1);
    if (cublasSaxpy(NULL, 1, NULL, NULL, 1, NULL, 1) != CUBLAS_STATUS_NOT_INITIALIZED ||
        std::strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED), "CUBLAS_STATUS_NOT_INITIALIZED"))
        std::printf("a call without a handle\n"), wrong++;
}

// Halves of vectors and matrices that come and go.
static void transfers()
{
    std::vector<float> from(60), back(60, -1.0f), want(60, -1.0f);
    for (int i = 0; i < 60; i++)
        from[i] = i;
    array<float> device(60, false);
    MUST(cublasSetMatrix(3, 5, sizeof(float), from.data(), 7, device.device, 4));
    MUST(cublasGetMatrix(3, 5, sizeof(float), device.device, 4, back.data(), 9));
    MUST(cublasSetVector(4, sizeof(float), from.data() + 1, 2, device.device, 3));
    MUST(cublasGetVector(4, sizeof(float), device.device, 3, back.data() + 48, 2));
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 3; i++)
            want[i + 9 * j] = i + 7 * j;
    for (int i = 0; i < 4; i++)
        want[48 + 2 * i] = 1 + 2 * i;
    tried++;
    if (back != want)
        std::printf("SetMatrix, GetVector ...\n"), wrong++;
}

template <class T> static void all_of()
{
    for (int mode = 0; mode < 2; mode++) {
        for (int n : {0, 1, 77, 5000}) {
            elementwise<T>(n, mode);
            sums<T>(n, mode);
        }
        lines<T>(150, 33, mode);
        lines<T>(20, 140, mode);
        half_lines<T>(45, mode);
    }
    triangles<T>(70);
}

int main()
{
    MUST(cublasCreate(&h));
    all_of<float>();
    all_of<double>();
    all_of<cuComplex>();
    all_of<cuDoubleComplex>();
    for (int mode = 0; mode < 2; mode++) {
        complex_only<cuComplex>(40, mode);
        complex_only<cuDoubleComplex>(41, mode);
    }
    extremes();
    others();
    transfers();
    MUST(cublasDestroy(h));
    return say("vectors");
}
