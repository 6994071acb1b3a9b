// The passes of a transform along lines (Stockham): each takes elements of one array to the other, so that they come
// out in order.
#pragma once

#include "context.cuh"

namespace lockstep_fft
{

// The elements of a line.
template <class C> struct line_of {
    C *at;
    long long step;
    __device__ C &operator[](long long i) const
    {
        return at[i * step];
    }
};

template <class C> struct roots_of {
    const C *at;
    long long n;
    bool inverse;
    __device__ C operator[](long long k) const
    {
        return conjugate_if(at[k], inverse);
    }
};

// A pass of radix R over n elements, behind passes whose factors' product is `done`: butterfly t of n / R.
template <int R, class C>
__device__ void butterfly(const line_of<const C> &from, const line_of<C> &to, const roots_of<C> &roots, long long done,
                          long long t)
{
    const long long apart = roots.n / R, k = t % done, turn = k * (apart / done), first = (t - k) * R + k;
    C x[R], w[R];
#pragma unroll
    for (int q = 0; q < R; q++) {
        x[q] = from[t + q * apart];
        if (q && k)
            x[q] = x[q] * roots[q * turn];
    }
    if (R == 2) {
        to[first] = x[0] + x[1];
        to[first + done] = x[0] - x[1];
        return;
    }
#pragma unroll
    for (int q = 0; q < R; q++)
        w[q] = roots[q * apart];
#pragma unroll
    for (int p = 0; p < R; p++) {
        C sum = x[0];
#pragma unroll
        for (int q = 1; q < R; q++)
            sum = p * q % R == 0 ? sum + x[q] : multiply_add(w[p * q % R], x[q], sum);
        to[first + p * done] = sum;
    }
}
// By fours, the roots are 1, -i, -1, i.
template <class C>
__device__ void butterfly_of_four(const line_of<const C> &from, const line_of<C> &to, const roots_of<C> &roots,
                                  long long done, long long t)
{
    const long long apart = roots.n / 4, k = t % done, turn = k * (apart / done), first = (t - k) * 4 + k;
    C x[4];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        x[q] = from[t + q * apart];
        if (q && k)
            x[q] = x[q] * roots[q * turn];
    }
    const C even = x[0] + x[2], odd = x[0] - x[2], sum = x[1] + x[3], difference = x[1] - x[3];
    const C turned = roots.inverse ? C{-difference.y, difference.x} : C{difference.y, -difference.x};
    to[first] = even + sum;
    to[first + done] = odd + turned;
    to[first + 2 * done] = even - sum;
    to[first + 3 * done] = odd - turned;
}
// Element p of butterfly t, for any radix.
template <class C>
__device__ void butterfly_element(const line_of<const C> &from, const line_of<C> &to, const roots_of<C> &roots,
                                  int radix, long long done, long long e)
{
    const long long apart = roots.n / radix, t = e % apart, p = e / apart, k = t % done, turn = k * (apart / done);
    C sum = from[t];
    for (long long q = 1; q < radix; q++)
        sum = multiply_add(roots[(q * turn + p * q % radix * apart) % roots.n], from[t + q * apart], sum);
    to[(t - k) * radix + k + p * done] = sum;
}
// Threads that a pass has work for.
__host__ __device__ inline long long work_of_pass(long long n, int radix)
{
    return radix <= 5 ? n / radix : n;
}
template <class C>
__device__ void pass_part(const line_of<const C> &from, const line_of<C> &to, const roots_of<C> &roots, int radix,
                          long long done, long long part)
{
    switch (radix) {
    case 2:
        return butterfly<2>(from, to, roots, done, part);
    case 3:
        return butterfly<3>(from, to, roots, done, part);
    case 4:
        return butterfly_of_four(from, to, roots, done, part);
    case 5:
        return butterfly<5>(from, to, roots, done, part);
    default:
        return butterfly_element(from, to, roots, radix, done, part);
    }
}

template <class T> __device__ T *line_at(T *at, long long line, long long n, long long step)
{
    return at + (line / step * n) * step + line % step;
}

struct passes {
    int count, factors[most_factors];
};

// A line by a block, in shared memory.
template <class C>
__global__ void transform_lines(passes p, roots_of<C> roots, const C *from, C *to, long long lines, long long step)
{
    extern __shared__ double2 shared[];
    const long long n = roots.n;
    C *here = (C *)shared, *there = here + n;
    for (long long line = blockIdx.x; line < lines; line += gridDim.x) {
        const C *in = line_at(from, line, n, step);
        C *out = line_at(to, line, n, step);
        for (long long i = threadIdx.x; i < n; i += blockDim.x)
            here[i] = in[i * step];
        __syncthreads();
        long long done = 1;
        for (int f = 0; f < p.count; f++) {
            const int radix = p.factors[f];
            for (long long part = threadIdx.x; part < work_of_pass(n, radix); part += blockDim.x)
                pass_part(line_of<const C>{here, 1}, line_of<C>{there, 1}, roots, radix, done, part);
            done *= radix;
            C *const old = here;
            here = there;
            there = old;
            __syncthreads();
        }
        for (long long i = threadIdx.x; i < n; i += blockDim.x)
            out[i * step] = here[i];
        __syncthreads();
    }
}
// One pass over lines that are too long for that.
template <class C>
__global__ void transform_pass(int radix, long long done, roots_of<C> roots, const C *from, C *to, long long lines,
                               long long step)
{
    const long long work = work_of_pass(roots.n, radix), all = work * lines;
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < all;
         e += (long long)gridDim.x * blockDim.x) {
        // Threads next to each other have elements next to each other.
        const long long line = e / (work * step) * step + e % step, part = e / step % work;
        pass_part(line_of<const C>{line_at(from, line, roots.n, step), step},
                  line_of<C>{line_at(to, line, roots.n, step), step}, roots, radix, done, part);
    }
}

// ---- lengths that become convolutions. Lines of `m` elements follow each other in `room`.
template <class C> struct chirp_in {
    const C *from, *chirp;
    C *room;
    long long n, m, step;
    bool inverse;
    __device__ void operator()(long long e) const
    {
        const long long line = e / m, k = e % m;
        room[e] = k < n ? conjugate_if(line_at(from, line, n, step)[k * step], inverse) * chirp[k] : C();
    }
};
template <class C> struct filter_each {
    const C *filter;
    C *room;
    long long m;
    __device__ void operator()(long long e) const
    {
        room[e] = room[e] * filter[e % m];
    }
};
template <class C> struct chirp_out {
    const C *room, *chirp;
    C *to;
    long long n, m, step;
    bool inverse;
    __device__ void operator()(long long e) const
    {
        const long long line = e / n, k = e % n;
        line_at(to, line, n, step)[k * step] = conjugate_if(room[line * m + k] * chirp[k], inverse);
    }
};

} // namespace lockstep_fft
