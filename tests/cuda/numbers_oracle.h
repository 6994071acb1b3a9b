// What tests of libraries of kernels share: random arrays on both sides, and results that the host computes in double precision, element by
// element.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef std::complex<double> wide;

static int wrong, tried;

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

static int say(const char *what)
{
    std::printf("%s: %d tried, %d wrong\n", what, tried, wrong);
    return wrong != 0;
}
