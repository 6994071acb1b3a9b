// Kernels of vectors: one operation for each element, and sums and extremes over all of them.
#pragma once

#include "context.cuh"

namespace lockstep_blas
{

// ---- one operation for each element
template <class Each> __global__ void for_each(int n, Each each)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        each(i);
}
template <class Each> cublasStatus_t run_for_each(cublasHandle_t handle, int n, Each each)
{
    const unsigned blocks = blocks_for(n, 256);
    return launch(handle, blocks < 1024 ? blocks : 1024, 256, for_each<Each>, n, each);
}

// y += alpha x, computed in S.
template <class X, class Y, class S> struct axpy_each {
    scalar<S> alpha;
    vector_of<const X> x;
    vector_of<Y> y;
    __device__ void operator()(long long i) const
    {
        y[i] = convert<Y>(multiply_add(alpha.get(), convert<S>(x[i]), convert<S>(y[i])));
    }
};
template <class X, class S> struct scal_each {
    scalar<S> alpha;
    vector_of<X> x;
    __device__ void operator()(long long i) const
    {
        x[i] = convert<X>(alpha.get() * convert<S>(x[i]));
    }
};
template <class T> struct scal_by_real_each {
    scalar<typename number<T>::real> alpha;
    vector_of<T> x;
    __device__ void operator()(long long i) const
    {
        x[i] = alpha.get() * x[i];
    }
};
template <class T> struct copy_each {
    vector_of<const T> x;
    vector_of<T> y;
    __device__ void operator()(long long i) const
    {
        y[i] = x[i];
    }
};
template <class T> struct swap_each {
    vector_of<T> x, y;
    __device__ void operator()(long long i) const
    {
        T a = x[i];
        x[i] = y[i];
        y[i] = a;
    }
};
template <class T, class S> struct rot_each {
    vector_of<T> x, y;
    scalar<typename number<T>::real> c;
    scalar<S> s;
    __device__ void operator()(long long i) const
    {
        const T a = x[i], b = y[i];
        x[i] = c.get() * a + s.get() * b;
        y[i] = c.get() * b - conjugate(s.get()) * a;
    }
};

// A modified rotation as rotmg gives it: a flag, and the numbers of [h11 h12; h21 h22] in columns, of which the flag
// says which are 1, -1 or 0 whatever is there.
template <class T> struct modified_rotation {
    T flag, h11, h21, h12, h22;
};
template <class T> struct rotm_each {
    vector_of<T> x, y;
    scalar<modified_rotation<T>> by;
    __device__ void operator()(long long i) const
    {
        const modified_rotation<T> h = by.get();
        const T a = x[i], b = y[i];
        if (h.flag == -2)
            return;
        x[i] = (h.flag == 0 ? a : h.h11 * a) + (h.flag == 1 ? b : h.h12 * b);
        y[i] = (h.flag == 1 ? -a : h.h21 * a) + (h.flag == 0 ? b : h.h22 * b);
    }
};

// ---- one value of all elements. What is summed says: V, the type of a sum; none(), the sum of nothing; load(i), an
// element's part; add(a, b); and end(sum, n), the result.
static const int sum_threads = 128, most_partials = 64;

template <class Sum> __device__ typename Sum::V block_sum(const Sum &what, typename Sum::V mine)
{
    __shared__ typename Sum::V all[sum_threads];
    __syncthreads();
    all[threadIdx.x] = mine;
    for (unsigned half = sum_threads / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            all[threadIdx.x] = what.add(all[threadIdx.x], all[threadIdx.x + half]);
    }
    __syncthreads();
    return all[0];
}

// Each block writes its part; where there is one block, the result.
template <class Sum, class R> __global__ void sum_all(int n, Sum what, typename Sum::V *partials, R *result)
{
    typename Sum::V mine = what.none();
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        mine = what.add(mine, what.load(i));
    mine = block_sum(what, mine);
    if (gridDim.x == 1) {
        const R end = convert<R>(what.end(mine, n));
        if (threadIdx.x == 0)
            *result = end;
    } else if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
    }
}
template <class Sum, class R>
__global__ void sum_partials(int n, unsigned count, Sum what, const typename Sum::V *partials, R *result)
{
    const typename Sum::V sum = block_sum(what, threadIdx.x < count ? partials[threadIdx.x] : what.none());
    const R end = convert<R>(what.end(sum, n));
    if (threadIdx.x == 0)
        *result = end;
}

// Brings one value to where the pointer mode says.
template <class R> cublasStatus_t bring(cublasHandle_t handle, const R *from, R *result)
{
    return cudaMemcpyAsync(result, from, sizeof *result, cudaMemcpyDeviceToHost, handle->stream) ||
                   cudaStreamSynchronize(handle->stream)
               ? CUBLAS_STATUS_EXECUTION_FAILED
               : CUBLAS_STATUS_SUCCESS;
}
template <class R> cublasStatus_t nothing_summed(cublasHandle_t handle, R *result)
{
    const R none = R();
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST)
        *result = none;
    else if (cudaMemcpyAsync(result, &none, sizeof none, cudaMemcpyHostToDevice, handle->stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}
template <class R, class Sum> cublasStatus_t run_sum(cublasHandle_t handle, int n, Sum what, R *result)
{
    LOCKSTEP_BLAS_BEGIN(handle, !result, false);
    if (n <= 0)
        return nothing_summed(handle, result);
    const bool on_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    typename Sum::V *partials = (typename Sum::V *)handle->room.at;
    R *to = on_host ? (R *)(partials + most_partials) : result;
    unsigned blocks = blocks_for(n, sum_threads * 8);
    if (blocks > most_partials)
        blocks = most_partials;
    cublasStatus_t status = launch(handle, blocks, sum_threads, sum_all<Sum, R>, n, what, partials, to);
    if (blocks > 1 && status == CUBLAS_STATUS_SUCCESS)
        status = launch(handle, 1, sum_threads, sum_partials<Sum, R>, n, blocks, what, partials, to);
    return status == CUBLAS_STATUS_SUCCESS && on_host ? bring(handle, to, result) : status;
}

template <class T, class S, bool Conjugated> struct dot_sum {
    typedef S V;
    vector_of<const T> x, y;
    __device__ V none() const
    {
        return V();
    }
    __device__ V load(long long i) const
    {
        return conjugate_if(convert<S>(x[i]), Conjugated) * convert<S>(y[i]);
    }
    __device__ V add(V a, V b) const
    {
        return a + b;
    }
    __device__ V end(V sum, int) const
    {
        return sum;
    }
};
template <class T> struct asum_sum {
    typedef typename number<T>::real V;
    vector_of<const T> x;
    __device__ V none() const
    {
        return 0;
    }
    __device__ V load(long long i) const
    {
        return magnitude(x[i]);
    }
    __device__ V add(V a, V b) const
    {
        return a + b;
    }
    __device__ V end(V sum, int) const
    {
        return sum;
    }
};

// The root of the sum of squares, computed in T. Where squares overflow or vanish, one block does it again with scaled
// numbers.
__device__ inline float square(float a)
{
    return a * a;
}
__device__ inline double square(double a)
{
    return a * a;
}
__device__ inline float square(float2 a)
{
    return a.x * a.x + a.y * a.y;
}
__device__ inline double square(double2 a)
{
    return a.x * a.x + a.y * a.y;
}
template <class R> __device__ inline R over(R a, R scale)
{
    return a / scale;
}
__device__ inline float2 over(float2 a, float scale)
{
    return float2{a.x / scale, a.y / scale};
}
__device__ inline double2 over(double2 a, double scale)
{
    return double2{a.x / scale, a.y / scale};
}
template <class R> struct largest {
    typedef R V;
    __device__ V add(V a, V b) const
    {
        return a > b || a != a ? a : b;
    }
};
template <class X, class T> struct nrm2_sum {
    typedef typename number<T>::real V;
    vector_of<const X> x;
    V least, most; // sums of squares between these are good
    __device__ V none() const
    {
        return 0;
    }
    __device__ V load(long long i) const
    {
        return square(convert<T>(x[i]));
    }
    __device__ V add(V a, V b) const
    {
        return a + b;
    }
    __device__ V end(V sum, int n) const
    {
        if (sum >= least && sum <= most)
            return sqrt(sum);
        V mine = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            mine = largest<V>().add(mine, magnitude(convert<T>(x[i])));
        const V scale = block_sum(largest<V>(), mine);
        if (scale == 0 || scale - scale != 0)
            return scale;
        mine = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            mine += square(over(convert<T>(x[i]), scale));
        return scale * sqrt(block_sum(*this, mine));
    }
};
template <class X, class T> inline nrm2_sum<X, T> nrm2_of(vector_of<const X> x)
{
    typedef typename number<T>::real R;
    const R least = sizeof(R) == 4 ? R(1e-30) : R(1e-280), most = sizeof(R) == 4 ? R(1e38) : R(1e308);
    return nrm2_sum<X, T>{x, least, most};
}

// The first of the elements of the largest magnitude, or of the least, counted from 1.
template <class T, bool Largest> struct extreme {
    struct V {
        typename number<T>::real size;
        int index; // 0: none
    };
    vector_of<const T> x;
    __device__ V none() const
    {
        return V{0, 0};
    }
    __device__ V load(long long i) const
    {
        return V{magnitude(x[i]), (int)i + 1};
    }
    __device__ V add(V a, V b) const
    {
        if (!a.index || !b.index)
            return a.index ? a : b;
        if (a.size == b.size)
            return a.index < b.index ? a : b;
        return (Largest ? a.size > b.size : a.size < b.size) ? a : b;
    }
    __device__ int end(V best, int) const
    {
        return best.index;
    }
};

} // namespace lockstep_blas
