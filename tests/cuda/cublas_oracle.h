// What the tests of cuBLAS share: the functions of the four types under one name, random matrices on both sides, and results that the host
// computes in double precision, element by element.
#pragma once

#include <cublas_v2.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef std::complex<double> wide;

static int wrong, tried;

#define CALL(T, L, name) static constexpr decltype(&cublas##L##name) name = cublas##L##name;
#define CALL_AS(as, name) static constexpr decltype(&name) as = name;
#define CALLS_OF_ALL(T, L)                                                                                             \
    CALL(T, L, axpy) CALL(T, L, scal) CALL(T, L, copy) CALL(T, L, swap) CALL(T, L, rot) CALL(T, L, gemv)               \
    CALL(T, L, gemvBatched) CALL(T, L, gemvStridedBatched) CALL(T, L, symv) CALL(T, L, trmv) CALL(T, L, trsv)          \
    CALL(T, L, syr) CALL(T, L, syr2) CALL(T, L, gemm) CALL(T, L, gemmBatched) CALL(T, L, gemmStridedBatched)           \
    CALL(T, L, symm) CALL(T, L, syrk) CALL(T, L, syr2k) CALL(T, L, trmm) CALL(T, L, trsm) CALL(T, L, trsmBatched)      \
    CALL(T, L, geam) CALL(T, L, dgmm) CALL(T, L, getrfBatched) CALL(T, L, getriBatched) CALL(T, L, getrsBatched)       \
    CALL(T, L, matinvBatched)
#define CALLS_OF_COMPLEX(T, L)                                                                                         \
    CALL(T, L, dotc) CALL(T, L, gerc) CALL(T, L, hemv) CALL(T, L, her) CALL(T, L, her2) CALL(T, L, hemm)               \
    CALL(T, L, herk) CALL(T, L, her2k)

template <class T> struct blas;
template <> struct blas<float> {
    typedef float real;
    CALLS_OF_ALL(float, S)
    CALL_AS(nrm2, cublasSnrm2) CALL_AS(asum, cublasSasum) CALL_AS(amax, cublasIsamax) CALL_AS(amin, cublasIsamin)
    CALL_AS(dot, cublasSdot) CALL_AS(ger, cublasSger)
    static const char letter = 'S';
};
template <> struct blas<double> {
    typedef double real;
    CALLS_OF_ALL(double, D)
    CALL_AS(nrm2, cublasDnrm2) CALL_AS(asum, cublasDasum) CALL_AS(amax, cublasIdamax) CALL_AS(amin, cublasIdamin)
    CALL_AS(dot, cublasDdot) CALL_AS(ger, cublasDger)
    static const char letter = 'D';
};
template <> struct blas<cuComplex> {
    typedef float real;
    CALLS_OF_ALL(cuComplex, C)
    CALLS_OF_COMPLEX(cuComplex, C)
    CALL_AS(nrm2, cublasScnrm2) CALL_AS(asum, cublasScasum) CALL_AS(amax, cublasIcamax) CALL_AS(amin, cublasIcamin)
    CALL_AS(dot, cublasCdotu) CALL_AS(ger, cublasCgeru) CALL_AS(scal_real, cublasCsscal) CALL_AS(rot_real, cublasCsrot)
    static const char letter = 'C';
};
template <> struct blas<cuDoubleComplex> {
    typedef double real;
    CALLS_OF_ALL(cuDoubleComplex, Z)
    CALLS_OF_COMPLEX(cuDoubleComplex, Z)
    CALL_AS(nrm2, cublasDznrm2) CALL_AS(asum, cublasDzasum) CALL_AS(amax, cublasIzamax) CALL_AS(amin, cublasIzamin)
    CALL_AS(dot, cublasZdotu) CALL_AS(ger, cublasZgeru) CALL_AS(scal_real, cublasZdscal) CALL_AS(rot_real, cublasZdrot)
    static const char letter = 'Z';
};

// ---- numbers
static inline wide widen(float a) { return a; }
static inline wide widen(double a) { return a; }
static inline wide widen(int a) { return a; }
static inline wide widen(signed char a) { return a; }
static inline wide widen(__half a) { return __half2float(a); }
static inline wide widen(__nv_bfloat16 a) { return __bfloat162float(a); }
static inline wide widen(cuComplex a) { return wide(a.x, a.y); }
static inline wide widen(cuDoubleComplex a) { return wide(a.x, a.y); }
static inline void narrow(wide a, float *to) { *to = (float)a.real(); }
static inline void narrow(wide a, double *to) { *to = a.real(); }
static inline void narrow(wide a, int *to) { *to = (int)a.real(); }
static inline void narrow(wide a, signed char *to) { *to = (signed char)a.real(); }
static inline void narrow(wide a, __half *to) { *to = __float2half((float)a.real()); }
static inline void narrow(wide a, __nv_bfloat16 *to) { *to = __float2bfloat16((float)a.real()); }
static inline void narrow(wide a, cuComplex *to) { *to = make_cuComplex((float)a.real(), (float)a.imag()); }
static inline void narrow(wide a, cuDoubleComplex *to) { *to = make_cuDoubleComplex(a.real(), a.imag()); }
template <class T> static T number(wide a)
{
    T to;
    narrow(a, &to);
    return to;
}
template <class T> static bool is_complex() { return widen(number<T>(wide(0, 1))) != wide(0); }
static inline double precision(float) { return 2e-6; }
static inline double precision(double) { return 4e-15; }
static inline double precision(int) { return 0; }
static inline double precision(__half) { return 2e-3; }
static inline double precision(__nv_bfloat16) { return 1.6e-2; }
static inline double precision(cuComplex) { return 4e-6; }
static inline double precision(cuDoubleComplex) { return 8e-15; }

static unsigned seed = 1;
static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (unsigned)((unsigned long long)seed * below >> 32);
}
// Of [-2, 2), by 64ths, so that halves have it too.
static wide drawn() { return wide((int)draw(256) / 64.0 - 2, (int)draw(256) / 64.0 - 2); }
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t halves[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static const cublasDiagType_t diagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

static inline void must(int error, const char *what)
{
    if (error) {
        std::printf("%s: error %d\n", what, error);
        std::exit(1);
    }
}
#define MUST(call) must(call, #call)

// An array on the device, and what the host expects in it.
template <class T> struct array {
    std::vector<T> host;
    T *device;
    explicit array(size_t n, bool random = true) : host(n)
    {
        for (T &v : host)
            v = number<T>(random ? drawn() : wide(0));
        MUST(cudaMalloc(&device, (n + 1) * sizeof(T)));
        send();
    }
    ~array() { cudaFree(device); }
    array(const array &) = delete;
    void send() { MUST(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    T *at(size_t i) { return device + i; }
    wide get(size_t i) const { return widen(host[i]); }
    void set(size_t i, wide v) { host[i] = number<T>(v); }
    // terms: of a sum, by which an error may grow.
    void check(const char *what, double terms)
    {
        std::vector<T> got(host.size());
        MUST(cudaMemcpy(got.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        tried++;
        for (size_t i = 0; i < host.size(); i++) {
            const wide a = widen(got[i]), b = widen(host[i]);
            if (b == b && !(std::abs(a - b) <= precision(T()) * (4 * terms + std::abs(b)))) {
                std::printf("%s: element %zu is %g%+gi, not %g%+gi\n", what, i, a.real(), a.imag(), b.real(), b.imag());
                wrong++;
                return;
            }
        }
    }
};

// Element (i, j) of op(A); of a triangle, or of what it is half of, where shape says 't', 's' or 'h'.
template <class T>
static wide element(const array<T> &a, int ld, cublasOperation_t op, int i, int j, char shape = 'f', bool lower = false,
                    bool unit = false)
{
    if (op != CUBLAS_OP_N)
        std::swap(i, j);
    const bool there = shape == 'f' || (lower ? i >= j : i <= j);
    wide v = there ? a.get(i + (size_t)j * ld) : a.get(j + (size_t)i * ld);
    if (shape == 't')
        v = unit && i == j ? 1 : there ? v : 0;
    if (shape == 'h')
        v = i == j ? v.real() : there ? v : std::conj(v);
    return op == CUBLAS_OP_C ? std::conj(v) : v;
}

// A scalar where the pointer mode wants it.
template <class T> struct parameter {
    T value, *device;
    bool on_device;
    parameter(cublasHandle_t h, wide v, bool on_device) : value(number<T>(v)), device(NULL), on_device(on_device)
    {
        MUST(cudaMalloc(&device, sizeof(T)));
        MUST(cudaMemcpy(device, &value, sizeof(T), cudaMemcpyHostToDevice));
        MUST(cublasSetPointerMode(h, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
    }
    ~parameter() { cudaFree(device); }
    T *get() { return on_device ? device : &value; }
    wide known() const { return widen(value); }
    T result()
    {
        if (on_device)
            MUST(cudaMemcpy(&value, device, sizeof(T), cudaMemcpyDeviceToHost));
        return value;
    }
};
// 0, 1, or any number.
static wide factor()
{
    const unsigned kind = draw(4);
    return kind < 2 ? wide(kind) : drawn();
}

static int say(const char *what)
{
    std::printf("%s: %d tried, %d wrong\n", what, tried, wrong);
    return wrong != 0;
}
