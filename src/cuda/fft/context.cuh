// Plans of cuFFT. A transform goes along one axis after the other; an axis is a transform of many lines.
#pragma once

#include "../kernels/launch.cuh"

#include <cufft.h>
#include <cufftXt.h>

namespace lockstep_fft
{

using namespace lockstep_kernels;

static const int most_factors = 32;

// n = the product of its factors, each done by one pass over all elements. A length with a prime beyond 31 becomes a
// convolution with a chirp (Bluestein), whose transforms are of `around`'s length, a power of two.
struct axis {
    long long n;
    int count, factors[most_factors];
    void *roots;  // on the device: exp(-2 pi i k / n)
    void *chirp;  // exp(-pi i k k / n), and
    void *filter; // the transform of its conjugate, wrapped around
    struct axis *around;
};

// In elements. Without embedding, the elements of the batch lie one behind the other.
struct layout {
    long long embed[3], stride, distance;
    bool basic;
};
struct plan {
    bool made, own_work, automatic;
    cufftType type;
    long long n[3], batch;
    layout in, out;
    axis axes[3];
    cudaStream_t stream;
    void *work;
    size_t work_bytes;
};

inline bool is_double(cufftType type)
{
    return type >= CUFFT_Z2Z;
}
inline bool is_real(cufftType type)
{
    return type != CUFFT_C2C && type != CUFFT_Z2Z;
}
inline bool to_real(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}
inline long long elements_of(const plan &p)
{
    return p.n[0] * p.n[1] * p.n[2] * p.batch;
}
// True where lines lie as kernels want them: complex, one behind the other.
inline bool lies_plain(const plan &p)
{
    return !is_real(p.type) && p.in.basic && p.out.basic;
}

inline cufftResult result_of(cudaError_t error)
{
    return error == cudaSuccess                 ? CUFFT_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED
                                                : CUFFT_EXEC_FAILED;
}

template <class Each> cufftResult run_for_each(cudaStream_t stream, long long n, Each each)
{
    return result_of(start_for_each(stream, n, each));
}

// The plan of a handle; NULL: there is none.
plan *find_plan(cufftHandle handle);

// C: float2 or double2.
template <class C> cufftResult make_axis(long long n, axis *made);
void free_axis(axis *a);
// Elements besides those of the lines that run_axis() wants, for `lines` lines.
template <class C> long long room_of_axis(const axis &a, long long lines);
// Transforms `lines` lines, whose elements are `step` apart, from `from` to `to`, which may be the same.
template <class C>
cufftResult run_axis(const axis &a, cudaStream_t stream, const C *from, C *to, C *room, long long lines, long long step,
                     bool inverse);

} // namespace lockstep_fft

#define LOCKSTEP_FFT_STEP(call)                                                                                        \
    do {                                                                                                               \
        const cufftResult step_result = (call);                                                                        \
        if (step_result != CUFFT_SUCCESS)                                                                              \
            return step_result;                                                                                        \
    } while (0)
